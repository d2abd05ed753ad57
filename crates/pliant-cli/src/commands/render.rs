//! `pliant render`: pictures of a finished run.

use std::error::Error;
use std::path::{Path, PathBuf};

use pliant_io::store::RunStore;
use pliant_picture::{RenderOptions, VideoWriter};
use pliant_scene::format::{ColorBy, Preview};
use pliant_scene::{Scene, SceneRun};

use super::origin::Origin;
use super::preview::{self, MOST_PICTURES, Studio, large, small};
use crate::Outcome;
use crate::output::{say, say_error};

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Folder of the run.
    run: PathBuf,
    /// Draw one frame, counted from 0, which is the start: render/000030.png in the run's folder, or the file of --out.
    #[arg(long, value_name = "NUMBER")]
    frame: Option<u64>,
    /// File to draw, instead of previews in the run's folder: .png for one frame, .gif for the motion in at most 30
    /// pictures, .mp4 for every frame (needs ffmpeg).
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Previews to draw, as `pliant run` does; by default those of the scene, or an animation if the scene draws none.
    #[arg(long, value_enum, value_name = "WHICH", conflicts_with_all = ["frame", "out"])]
    preview: Option<Preview>,
    /// Size of the pictures in pixels, such as 1280x720. By default 960x600, and 384x240 in animations.
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    size: Option<(usize, usize)>,
    /// What the colours show, instead of the scene's setting; body by default.
    #[arg(long, value_enum, value_name = "WHAT")]
    color: Option<ColorBy>,
    /// Scene file of the run, for runs of earlier versions or to draw with the camera and colours of an edited file. Its
    /// bodies must be those of the run.
    #[arg(long, value_name = "FILE")]
    scene: Option<String>,
    /// Change how the scene looks, such as `output.camera.direction=[1,0,0]` or `body.0.color=\"#c8455a\"`; may be given
    /// several times.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

const EXAMPLES: &str = "Examples:
  pliant render out/curtain                                   preview.png and preview.gif again
  pliant render out/curtain --frame 30 --size 1920x1200       one frame, large
  pliant render out/curtain --color strain --out strain.gif   the motion, coloured by strain
  pliant render out/curtain --set output.camera.direction=[1,0,0] --out side.png
  pliant render out/curtain --out curtain.mp4                 every frame as a video";

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    let target = arguments.out.as_deref().map(Target::of).transpose()?;
    if let (Some(frame), Some(Target::Gif | Target::Mp4)) = (arguments.frame, target) {
        return Err(format!("frame {frame} is one picture; give --out a name that ends in .png").into());
    }
    check_changes(&arguments.set)?;
    let store = RunStore::open(&arguments.run)?;
    if let Some(frame) = arguments.frame {
        store.read_frame(frame)?;
    }
    let (scene, run) = rebuild(arguments, &store)?;
    let wanted = scene.output()?;
    let look = scene.look()?;
    let color = arguments.color.unwrap_or(wanted.color);
    if arguments.frame.is_none() && arguments.out.is_none() {
        let which = arguments.preview.unwrap_or(match wanted.preview {
            Preview::Off => Preview::default(),
            which => which,
        });
        let drawn = preview::draw(&run, &store, &arguments.run, which, color, &look, arguments.size)?;
        drawn.files.iter().for_each(|file| say!("{}", file.display()));
        return Ok(Outcome::Good);
    }
    let studio = Studio::new(&run, &store, color, &look)?;
    let frame = arguments.frame.unwrap_or(studio.poster_frame);
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None => arguments.run.join("render").join(format!("{frame:06}.png")),
    };
    match target.unwrap_or(Target::Png) {
        Target::Png => studio.poster(frame, &large(arguments.size))?.save_png(&path)?,
        Target::Gif => studio.animation(&small(arguments.size), MOST_PICTURES)?.save_gif(&path)?,
        Target::Mp4 => {
            let RenderOptions { width, height, .. } = large(arguments.size);
            let options = small(Some((width, height)));
            let mut video = VideoWriter::create(&path, width, height, store.info().frame_rate)?;
            for &number in store.frames() {
                video.push(&studio.picture(number, &options)?)?;
            }
            video.finish()?;
        }
    }
    say!("{}", path.display());
    Ok(Outcome::Good)
}

/// What kind of file is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Png,
    Gif,
    Mp4,
}

impl Target {
    /// By the end of the name.
    fn of(path: &Path) -> Result<Self, String> {
        match path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("png") => Ok(Self::Png),
            Some("gif") => Ok(Self::Gif),
            Some("mp4") => Ok(Self::Mp4),
            _ => Err(format!("{} ends in none of .png, .gif and .mp4", path.display())),
        }
    }
}

/// Reads `1280x720`.
fn size(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    match numbers {
        Some((width, height)) if width > 0 && height > 0 => Ok((width, height)),
        _ => Err("give it as WIDTHxHEIGHT in pixels, such as 1280x720".to_owned()),
    }
}

/// A finished run cannot be changed, only how it looks.
fn check_changes(changes: &[String]) -> Result<(), String> {
    let is_look = |key: &str| key.starts_with("output.") || key.ends_with(".color");
    let other = changes.iter().find(|change| !is_look(change.split('=').next().unwrap_or_default().trim()));
    other.map_or(Ok(()), |change| {
        Err(format!("{change:?} changes more than how the run looks; only output.… and ….color can be set here"))
    })
}

/// The scene of a stored run, at the state of its last checkpoint.
fn rebuild(arguments: &Arguments, store: &RunStore) -> Result<(Scene, SceneRun), Box<dyn Error>> {
    let origin = match &arguments.scene {
        Some(name) => Origin::of(&Scene::open(name, &[])?, None, 0),
        None => Origin::read(&arguments.run)?,
    };
    let scene = origin.scene(&arguments.set)?;
    let mut run = origin.build(&scene)?;
    let folder = arguments.run.display();
    if run.topology() != store.topology() {
        return Err(format!("the run in {folder} is not of this scene: their bodies differ").into());
    }
    // Which bodies are there, what fluids and surfaces that follow are like: as it was when the run ended.
    let checkpoint = store.last_checkpoint_after(|unusable| say_error!("note: {unusable}; trying the one before"))?;
    if let Some(checkpoint) = checkpoint {
        run.restore(&checkpoint.bytes).map_err(|error| {
            format!("the run in {folder} is not of this scene: its checkpoint does not fit: {error}")
        })?;
    }
    Ok((scene, run))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_numbers_of_pixels() {
        assert_eq!(size("1280x720"), Ok((1280, 720)));
        for bad in ["", "1280", "0x720", "1280x", "-1x5", "1.5x2", "9999999999999999999999x2"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_how_it_looks_can_be_set() {
        let check = |change: &str| check_changes(&[change.to_owned()]);
        assert!(check("output.camera.eye=[0,0,1]").is_ok() && check("body.0.color=\"#ffffff\"").is_ok());
        for other in ["world.frames=3", "body.0.material.cloth.density=1", "", "output"] {
            assert!(check(other).is_err(), "{other}");
        }
    }
}
