//! Pictures of a run: a poster as PNG, the motion as GIF and MP4, every frame as PNG.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pliant::energy::Arrays;
use pliant::math::Vec3;
use pliant::mesh::Bounds;
use pliant_io::store::RunStore;
use pliant_picture::{
    Animation, Camera, Extent, Ground, Image, RenderOptions, Scene, VideoWriter, ViewError, quantile, render,
    two_digits,
};
use pliant_scene::format::{ColorBy, Preview};
use pliant_scene::{Look, SceneRun, View, Viewpoint};
use serde_json::Value;

use super::picture::Pictures;
use crate::output::say_error;
use crate::record::number;

/// Pictures in a GIF at most: more makes files that nobody wants to load.
pub(crate) const MOST_PICTURES: usize = 30;
/// Width and height of pictures that stand alone \[px\].
const LARGE: (usize, usize) = (960, 600);
/// Width and height of animated pictures \[px\].
const SMALL: (usize, usize) = (384, 240);
/// From the front, a little from the side and above.
const DIRECTION: Vec3 = Vec3::new(-0.45, -0.3, -1.0);
/// Share of the vertices whose values are within the colours' range; the rest would wash out the others.
const SHOWN: f64 = 0.96;
/// Colliders larger than this many times what the bodies take up may leave the picture.
const LARGEST_COLLIDER: f64 = 2.5;
/// Share of the diagonal that is left free above the bodies for a legend.
const LEGEND_ROOM: f64 = 0.14;

/// The files that were drawn, and how long it took.
pub(crate) struct Drawn {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) seconds: f64,
}

/// Draws a run into its folder.
pub(crate) fn draw(
    run: &SceneRun,
    store: &RunStore,
    dir: &Path,
    which: Preview,
    color_by: ColorBy,
    look: &Look,
    size: Option<(usize, usize)>,
) -> Result<Drawn, Box<dyn Error>> {
    let begun = Instant::now();
    let mut files = Vec::new();
    if which != Preview::Off {
        let studio = Studio::new(run, store, color_by, look)?;
        let poster = dir.join("preview.png");
        studio.poster(studio.poster_frame, &large(size))?.save_png(&poster)?;
        files.push(poster);
        if matches!(which, Preview::Animation | Preview::Frames) {
            files.push(dir.join("preview.gif"));
            let animation = studio.animation(&small(size), MOST_PICTURES)?;
            animation.save_gif(dir.join("preview.gif"))?;
            let video = dir.join("preview.mp4");
            let saved = match which {
                Preview::Frames => studio.frames(dir, &video, size.unwrap_or(LARGE), &mut files)?,
                _ => animation.save_mp4(&video),
            };
            match saved {
                Ok(()) => files.push(video),
                Err(ViewError::FfmpegNotFound) => {}
                Err(error) => say_error!("note: there is no preview.mp4, as {error}"),
            }
        }
    }
    Ok(Drawn { files, seconds: begun.elapsed().as_secs_f64() })
}

/// A picture that stands alone, of a size \[px\] or of the usual one.
pub(crate) fn large(size: Option<(usize, usize)>) -> RenderOptions {
    let (width, height) = size.unwrap_or(LARGE);
    RenderOptions { width, height, ..RenderOptions::default() }
}

/// Drawn so often that it must be quick: drafts.
pub(crate) fn small(size: Option<(usize, usize)>) -> RenderOptions {
    let (width, height) = size.unwrap_or(SMALL);
    RenderOptions { width, height, ..RenderOptions::draft() }
}

/// A stored run before a camera that stands still.
pub(crate) struct Studio<'a> {
    pictures: Pictures<'a>,
    store: &'a RunStore,
    bounds: Bounds,
    /// Height of the ground \[m\].
    ground: f64,
    /// Largest value that the colours show; none where they show bodies.
    most: Option<f64>,
    /// The camera that the scene asks for.
    view: Option<View>,
    /// The frame of a single picture: that of the scene, or that of the largest elastic energy, which is the fullest
    /// swing, the deepest dent or the last turn.
    pub(crate) poster_frame: u64,
}

impl<'a> Studio<'a> {
    /// Looks through the run.
    pub(crate) fn new(
        run: &'a SceneRun,
        store: &'a RunStore,
        color_by: ColorBy,
        look: &'a Look,
    ) -> Result<Self, Box<dyn Error>> {
        let pictures = Pictures::new(run, store, color_by, look)?;
        let mut extent = Extent::default();
        let (mut most, mut heights, mut times) = (0.0_f64, Vec::new(), Vec::new());
        for &stored in store.frames() {
            let frame = store.read_frame(stored)?;
            let seen = pictures.seen(stored, &frame)?;
            extent.add(&seen);
            heights.push(seen.iter().map(|x| x.y).fold(f64::INFINITY, f64::min));
            times.push(frame.time);
            most = most.max(quantile(pictures.seen_values(stored, &frame)?, SHOWN));
        }
        let bounds = extent.bounds().ok_or("there is nothing to draw")?;
        for &time in &times {
            let seen = pictures.colliders.extent(time, LARGEST_COLLIDER * bounds.diagonal()).bounds();
            extent.add(&seen.map_or(Vec::new(), |seen| vec![seen.min, seen.max]));
        }
        let plane = times.last().and_then(|&time| pictures.colliders.ground(time));
        let lowest = bounds.min.y;
        let bounds = extent.bounds().unwrap_or(bounds);
        let last = store.frames().last().copied().ok_or("there are no frames to draw")?;
        let on_floor = run.sim.model().energies().iter().any(|entry| matches!(entry.batch.arrays(), Arrays::HalfSpace));
        // Colliders may reach further down than what lies on them.
        let hanging = if bounds.min.y < lowest { bounds.min.y } else { ground_height(&heights, &bounds, on_floor) };
        let ground = plane.unwrap_or(hanging);
        let liveliest = most_energetic(store)?.unwrap_or(last);
        let at = |share: f64| store.frames().get((share * (store.frames().len() - 1) as f64).round() as usize).copied();
        let poster_frame = look.poster.and_then(at).unwrap_or(liveliest);
        let most = (color_by != ColorBy::Body).then(|| two_digits(most));
        Ok(Self { pictures, store, bounds, ground, most, view: look.camera, poster_frame })
    }

    /// Colours the first body as this one of the palette, and the others by those that follow.
    pub(crate) fn with_first_color(mut self, place: usize) -> Self {
        self.pictures.first_color = place;
        self
    }

    /// One frame as a picture, by the camera that sees the whole run.
    pub(crate) fn picture(&self, number: u64, options: &RenderOptions) -> Result<Image, Box<dyn Error>> {
        let scene = self.scene(number)?;
        Ok(render(&scene, &self.camera(self.bounds, options), options)?)
    }

    /// One frame as a picture that it fills.
    pub(crate) fn poster(&self, number: u64, options: &RenderOptions) -> Result<Image, Box<dyn Error>> {
        let scene = self.scene(number)?;
        let frame = self.store.read_frame(number)?;
        let mut extent = Extent::default();
        extent.add(&self.pictures.seen(number, &frame)?);
        let largest = LARGEST_COLLIDER * extent.bounds().map_or(0.0, |bounds| bounds.diagonal());
        let colliders = self.pictures.colliders.extent(frame.time, largest).bounds();
        extent.add(&colliders.map_or(Vec::new(), |seen| vec![seen.min, seen.max]));
        let bounds = extent.bounds().unwrap_or(self.bounds);
        Ok(render(&scene, &self.camera(bounds, options), options)?)
    }

    fn camera(&self, mut bounds: Bounds, options: &RenderOptions) -> Camera {
        if self.most.is_some() {
            bounds.max.y += LEGEND_ROOM * bounds.diagonal();
        }
        let Some(view) = self.view else { return Camera::framing(&bounds, DIRECTION, options.aspect()) };
        let place = |eye: Vec3, target: Vec3| {
            let standard = Camera::new(eye, target);
            let field_of_view = view.field_of_view.unwrap_or(standard.field_of_view);
            Camera { up: view.up.unwrap_or(standard.up), field_of_view, ..standard }
        };
        match view.place {
            Viewpoint::Fixed { eye, target } => place(eye, target),
            Viewpoint::Framing(direction) => {
                let direction = direction.unwrap_or(DIRECTION).normalize_or(Vec3::NEG_Z);
                let centre = bounds.centre();
                place(centre - direction, centre).moved_to_see(&bounds, options.aspect())
            }
        }
    }

    /// The run in not more pictures than that, as fast as it happened.
    pub(crate) fn animation(&self, options: &RenderOptions, most: usize) -> Result<Animation, Box<dyn Error>> {
        let frames = self.store.frames();
        let stride = frames.len().div_ceil(most).max(1);
        let mut animation = Animation::new(self.store.info().frame_rate / stride as f64);
        for &number in frames.iter().step_by(stride) {
            animation.push(self.picture(number, options)?)?;
        }
        Ok(animation)
    }

    /// Every frame as a file, and all of them as a video, if that is possible.
    fn frames(
        &self,
        dir: &Path,
        video: &Path,
        (width, height): (usize, usize),
        files: &mut Vec<PathBuf>,
    ) -> Result<Result<(), ViewError>, Box<dyn Error>> {
        let options = RenderOptions { width, height, ..RenderOptions::draft() };
        let mut writer = VideoWriter::create(video, width, height, self.store.info().frame_rate);
        let folder = dir.join("preview");
        for &number in self.store.frames() {
            let picture = self.picture(number, &options)?;
            picture.save_png(folder.join(format!("{number:06}.png")))?;
            if let Ok(writer) = &mut writer {
                writer.push(&picture)?;
            }
        }
        files.push(folder);
        Ok(writer.and_then(VideoWriter::finish))
    }

    fn scene(&self, number: u64) -> Result<Scene, Box<dyn Error>> {
        let frame = self.store.read_frame(number)?;
        let mut scene = self.pictures.scene(number, &frame, self.most.unwrap_or(1.0))?;
        scene.meshes.extend(self.pictures.colliders.meshes(frame.time, &self.bounds));
        let mut ground = Ground::at(self.ground).with_lines_for(self.bounds.diagonal());
        if let Some(color) = self.pictures.colliders.ground_color(frame.time) {
            ground.color = color;
        }
        scene.ground = Some(ground);
        Ok(scene)
    }
}

/// Height of the ground \[m\], from those of the lowest point in each frame.
fn ground_height(heights: &[f64], bounds: &Bounds, on_floor: bool) -> f64 {
    match heights {
        // What lies on a soft floor dips into it when it lands: the ground is where it comes to rest.
        [.., last] if on_floor => *last,
        // What never gets lower than at first stands on its foot.
        [first, ..] if bounds.min.y > first - 1e-3 * bounds.diagonal() => *first,
        // All else hangs or flies.
        _ => bounds.min.y - 0.02 * bounds.diagonal(),
    }
}

/// Elastic energy below this share of the kinetic one is rounding, as of hair that cannot be stretched.
const RIGID: f64 = 1e-12;

/// The stored frame whose elastic energy is largest, if the log says so; where nothing is elastic, that of the largest kinetic energy.
fn most_energetic(store: &RunStore) -> Result<Option<u64>, Box<dyn Error>> {
    let mut best = None;
    let log = store.read_log()?;
    let kind = if log.iter().any(|entry| number(entry, "elastic") > 0.0) { "elastic" } else { "kinetic" };
    let kinetic = log.iter().fold(0.0_f64, |most, entry| most.max(number(entry, "kinetic")));
    for entry in log {
        let (energy, frame) = (number(&entry, kind), entry.get("frame").and_then(Value::as_u64));
        let higher = best.is_none_or(|(most, _)| energy > most);
        if let Some(frame) = frame.filter(|frame| higher && store.frames().contains(frame)) {
            best = Some((energy, frame));
        }
    }
    Ok(best.filter(|(energy, _)| *energy > RIGID * kinetic).map(|(_, frame)| frame))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ground_is_below_what_hangs_and_touches_what_stands_or_lies() {
        let bounds = Bounds { min: Vec3::new(0.0, -0.5, 0.0), max: Vec3::new(0.0, 0.5, 0.0) };
        assert_eq!(ground_height(&[-0.5, -0.4], &bounds, false), -0.5);
        assert!(ground_height(&[0.0, -0.5], &bounds, false) < -0.5);
        assert_eq!(ground_height(&[0.0, -0.5, -0.45], &bounds, true), -0.45);
    }
}
