//! `pliant export`: a finished run in other programs' formats.

use std::error::Error;
use std::path::{Path, PathBuf};

use pliant_io::store::RunStore;
use pliant_io::write::{ExportOptions, Format, export};

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
}

const EXAMPLES: &str = "Examples:
  pliant export out/curtain --format glb        for Blender, three.js and most others
  pliant export out/curtain --format usda,pc2   for Houdini, Maya and caches on a mesh
  pliant export out/curtain --format npy        for numpy.load";

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    let formats = formats(&arguments.format)?;
    let store = RunStore::open(&arguments.run)?;
    for format in formats {
        println!("{} {}", format.name(), write(&store, format, &arguments.run, 1)?.display());
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

/// Exports every so many frames into the run's folder; returns the file to open.
pub(crate) fn write(store: &RunStore, format: Format, dir: &Path, every: u64) -> Result<PathBuf, Box<dyn Error>> {
    let path = exported_path(dir, format);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let written = export(store, format, &path, &ExportOptions { every, ..ExportOptions::default() })?;
    Ok(written.files.into_iter().next().unwrap_or(path))
}
