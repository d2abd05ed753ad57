//! `pliant export`: a finished run in other programs' formats.

use std::error::Error;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use pliant_io::store::RunStore;
use pliant_io::write::{ExportError, ExportOptions, Format, export};

use super::run::exported_path;
use crate::Outcome;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Folder of the run.
    run: PathBuf,
    /// Formats, separated by commas: obj, ply, vtu, npy, glb, pc2, mdd, usda.
    #[arg(long, value_delimiter = ',', required = true)]
    format: Vec<String>,
    /// First and last frame, such as 0-59; all by default. Formats of one mesh need a range in which nothing tears.
    #[arg(long, value_name = "FIRST-LAST", value_parser = range)]
    frames: Option<RangeInclusive<u64>>,
}

/// Reads `0-59`.
fn range(text: &str) -> Result<RangeInclusive<u64>, String> {
    let numbers = text.split_once('-').and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
    match numbers {
        Some((first, last)) if first <= last => Ok(first..=last),
        _ => Err("give it as FIRST-LAST, such as 0-59".to_owned()),
    }
}

const EXAMPLES: &str = "Examples:
  pliant export out/curtain --format glb        for Blender, three.js and most others
  pliant export out/curtain --format usda,pc2   for Houdini, Maya and caches on a mesh
  pliant export out/curtain --format npy        for numpy.load
  pliant export out/torn-flag --format glb --frames 0-40   before it tears";

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    let formats = formats(&arguments.format)?;
    let store = RunStore::open(&arguments.run)?;
    for format in formats {
        println!("{} {}", format.name(), write(&store, format, &arguments.run, 1, arguments.frames.clone())?.display());
    }
    Ok(Outcome::Good)
}

/// Formats by name.
pub(crate) fn formats(names: &[String]) -> Result<Vec<Format>, Box<dyn Error>> {
    let known = "obj, ply, vtu, npy, glb, pc2, mdd, usda";
    let find = |name: &String| {
        Format::from_name(name).ok_or_else(|| format!("there is no format {name:?}; there are {known}").into())
    };
    names.iter().map(find).collect()
}

/// Whether an export failed because the format carries one mesh for all frames.
pub(crate) fn is_of_one_mesh(error: &(dyn Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(ExportError::ChangingTopology { .. }))
}

/// Exports every so many frames into the run's folder; returns the file to open.
pub(crate) fn write(
    store: &RunStore,
    format: Format,
    dir: &Path,
    every: u64,
    frames: Option<RangeInclusive<u64>>,
) -> Result<PathBuf, Box<dyn Error>> {
    let path = exported_path(dir, format);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let written = export(store, format, &path, &ExportOptions { every, frames, ..ExportOptions::default() })?;
    Ok(written.files.into_iter().next().unwrap_or(path))
}
