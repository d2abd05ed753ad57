//! `pliant gallery`: the pictures of all built-in scenes in the documentation, and the page that shows them.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use pliant_picture::RenderOptions;
use pliant_scene::format::ColorBy;
use pliant_scene::{BUILTIN, Builtin};

use super::place;
use super::preview::Studio;
use super::run::simulate;
use crate::Outcome;
use crate::output::say;
use crate::progress::Output;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Folder of the documentation: gallery.md and images/ are written there.
    #[arg(long, default_value = "docs")]
    out: PathBuf,
    /// Scenes to draw; all by default. The page always lists all.
    scenes: Vec<String>,
}

const EXAMPLES: &str = "Examples:
  pliant gallery                     all pictures of docs/gallery.md
  pliant gallery curtain             one of them
  pliant gallery --out /tmp/look     somewhere else";

/// Scenes that are also shown in motion, on the first page of the documentation.
const MOVING: [&str; 3] = ["curtain", "jelly-cubes", "twisted-bar"];
/// Pictures of an animation.
const MOST_PICTURES: usize = 30;

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    for name in &arguments.scenes {
        Builtin::find(name).ok_or_else(|| format!("there is no built-in scene {name:?}"))?;
    }
    let images = arguments.out.join("images");
    std::fs::create_dir_all(&images)?;
    let mut page =
        "# Gallery\n\nThe scenes that come with Pliant, as `pliant gallery` draws them. `pliant run NAME` runs one, \
                    and writes such pictures next to its frames.\n"
            .to_owned();
    for builtin in BUILTIN {
        let scene = builtin.scene(&[])?;
        let file = scene.file();
        let (title, text) = (file.title.as_deref().unwrap_or(builtin.name), file.description.as_deref().unwrap_or(""));
        write!(page, "\n## {title}\n\n{text} `pliant run {0}`\n\n![{title}](images/{0}.png)\n", builtin.name)?;
        if arguments.scenes.is_empty() || arguments.scenes.iter().any(|name| name == builtin.name) {
            let size = draw(builtin, &images)?;
            say!("{:24} {:4} kB", builtin.name, size / 1024);
        }
    }
    std::fs::write(arguments.out.join("gallery.md"), page)?;
    Ok(Outcome::Good)
}

/// Runs a scene and draws it; returns the bytes written.
fn draw(builtin: &Builtin, images: &Path) -> Result<usize, Box<dyn Error>> {
    let scene = builtin.scene(&[])?;
    let mut run = scene.build()?;
    let dir = std::env::temp_dir().join(format!("pliant-gallery-{}-{}", builtin.name, std::process::id()));
    let mut store = place::replace(&scene, &run, &dir)?;
    simulate(&mut run, &mut store, scene.frames(), u32::MAX, Output::Quiet)?;
    let options = RenderOptions { width: 560, height: 350, samples: 3, ..RenderOptions::default() };
    // Else all scenes of one body would be blue.
    let place = BUILTIN.iter().position(|other| other.name == builtin.name).unwrap_or(0);
    let look = scene.look()?;
    let studio = Studio::new(&run, &store, ColorBy::Body, &look)?.with_first_color(place);
    let poster = studio.poster(studio.poster_frame, &options)?.to_indexed_png()?;
    let mut size = poster.len();
    std::fs::write(images.join(format!("{}.png", builtin.name)), poster)?;
    if MOVING.contains(&builtin.name) {
        let options = RenderOptions { width: 320, height: 200, ..RenderOptions::default() };
        let motion = studio.animation(&options, MOST_PICTURES)?.to_gif()?;
        size += motion.len();
        std::fs::write(images.join(format!("{}.gif", builtin.name)), motion)?;
    }
    drop(store);
    std::fs::remove_dir_all(dir)?;
    Ok(size)
}
