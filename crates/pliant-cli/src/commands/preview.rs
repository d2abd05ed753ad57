//! Pictures of a run: the last frame as PNG, the motion as GIF.

use std::error::Error;
use std::path::{Path, PathBuf};

use pliant::math::Vec3;
use pliant_io::store::RunStore;
use pliant_scene::format::ColourBy;
use pliant_view::{Animation, Camera, Extent, Ground, RenderOptions, render};

use super::picture::Pictures;

/// Pictures in a GIF at most: more makes files that nobody wants to load.
const MOST_PICTURES: usize = 48;
/// Width and height of animated pictures \[px\].
const SMALL: (usize, usize) = (400, 260);

/// Draws the frames of a run from one place.
pub(crate) fn draw(store: &RunStore, dir: &Path, colour_by: ColourBy) -> Result<[PathBuf; 2], Box<dyn Error>> {
    let frames = store.frames();
    let stride = frames.len().div_ceil(MOST_PICTURES).max(1);
    let mut chosen: Vec<u64> = frames.iter().copied().step_by(stride).collect();
    if chosen.last() != frames.last() {
        chosen.extend(frames.last());
    }
    let frames = chosen.iter().map(|&number| store.read_frame(number)).collect::<Result<Vec<_>, _>>()?;
    let pictures = Pictures::new(store.topology(), colour_by)?;
    let numbers = frames.iter().flat_map(|frame| pictures.numbers(frame)).filter(|number| number.is_finite());
    let (least, most) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
    // Colours need some range, also where all numbers are equal.
    let range = if least < most { [least, most] } else { [0.0, 1.0] };
    let scenes: Vec<_> = frames.iter().map(|frame| pictures.scene(frame, range)).collect();
    let mut extent = Extent::default();
    scenes.iter().filter_map(|scene| scene.extent().bounds()).for_each(|b| extent.add(&[b.min, b.max]));
    let bounds = extent.bounds().ok_or("there is nothing to draw")?;
    let options = RenderOptions { width: 960, height: 600, samples: 3, ..RenderOptions::default() };
    // From the front, a little from the side and above.
    let camera = Camera::framing(&bounds, Vec3::new(-0.45, -0.3, -1.0), options.aspect());
    let ground = Ground::at(bounds.min.y - 0.02 * bounds.diagonal());
    let small = RenderOptions { width: SMALL.0, height: SMALL.1, ..RenderOptions::default() };
    let mut animation = Animation::new(store.info().frame_rate / stride as f64);
    let picture = dir.join("preview.png");
    let last = scenes.len() - 1;
    for (k, mut scene) in scenes.into_iter().enumerate() {
        scene.ground = Some(ground);
        animation.push(render(&scene, &camera, &small)?)?;
        if k == last {
            render(&scene, &camera, &options)?.save_png(&picture)?;
        }
    }
    let motion = dir.join("preview.gif");
    animation.save_gif(&motion)?;
    Ok([picture, motion])
}
