//! A stored run as files that other programs open; one file here per format.
//!
//! Frames are read one at a time, so a run may be larger than the memory. Each file appears whole or not at all.
//!
//! ```
//! use pliant::mesh::generate::Sheet;
//! use pliant_io::store::{Frame, RunInfo, RunStore, Topology};
//! use pliant_io::write::{ExportOptions, ExportFormat, export};
//!
//! # let dir = std::env::temp_dir().join(format!("pliant-write-doc-{}", std::process::id()));
//! let sheet = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
//! let mut topology = Topology::default();
//! topology.add_surface("cloth", &sheet);
//! let mut run = RunStore::create(dir.join("run"), &topology, &RunInfo::default())?;
//! run.write_frame(0, &Frame::new(0.0, &sheet.positions))?;
//! run.write_frame(1, &Frame::new(1.0 / 60.0, &sheet.positions))?;
//!
//! let written = export(&run, ExportFormat::Glb, dir.join("cloth.glb"), &ExportOptions::default())?;
//! assert_eq!((written.frames, written.vertices), (2, 25));
//! assert_eq!(written.files, [dir.join("cloth.glb")]);
//! # std::fs::remove_dir_all(dir)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod fluid;
mod format;
mod glb;
mod job;
mod mdd;
mod npy;
mod obj;
mod part;
mod pc2;
mod ply;
mod usda;
mod vtu;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

pub use error::ExportError;
pub use fluid::{Fluid, FluidShape};
pub use format::ExportFormat;
pub use part::{VisibleBody, visible_bodies};

use crate::store::{RunStore, UpAxis};
use job::Job;

/// How a file passes from one frame to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// On a straight line.
    #[default]
    Linear,
    /// A frame holds until the next.
    Step,
}

/// What to export and how.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportOptions {
    /// Names of the bodies; all if none.
    pub bodies: Option<Vec<String>>,
    /// Numbers of the first and last frame; all if none.
    pub frames: Option<RangeInclusive<u64>>,
    /// Of these frames the first and every so many after it; 1 for all of them.
    pub every: u64,
    /// Factor of all lengths.
    pub scale: f64,
    /// The axis that points up in the file. If none: y for glTF, which knows no other; the run's for other formats.
    pub up_axis: Option<UpAxis>,
    /// Between frames; only glTF can say it, other formats leave it to the program that reads.
    pub interpolation: Interpolation,
    /// The fluids of the run, which a surface can be made of.
    pub fluids: Vec<Fluid>,
    /// What of fluids is exported.
    pub fluid_shape: FluidShape,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            bodies: None,
            frames: None,
            every: 1,
            scale: 1.0,
            up_axis: None,
            interpolation: Interpolation::default(),
            fluids: Vec::new(),
            fluid_shape: FluidShape::default(),
        }
    }
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The files, the one to open first.
    pub files: Vec<PathBuf>,
    /// How many frames.
    pub frames: usize,
    /// How many vertices the first of them has, and all of a run that does not tear.
    pub vertices: usize,
}

/// Writes a run, or some of it, in a format.
///
/// One file per frame gets the frame's number into its name: `cloth.obj` becomes `cloth_000123.obj`. `cloth.pvd` comes
/// with a folder `cloth` of `.vtu` files, and point caches with `cloth.obj`, the mesh that they move.
pub fn export(
    store: &RunStore,
    format: ExportFormat,
    out: impl AsRef<Path>,
    options: &ExportOptions,
) -> Result<Exported, ExportError> {
    let job = Job::new(store, format, out.as_ref(), options)?;
    let files = match format {
        ExportFormat::Obj => obj::write(&job),
        ExportFormat::Ply => ply::write(&job),
        ExportFormat::Vtu => vtu::write(&job),
        ExportFormat::Npy => npy::write(&job),
        ExportFormat::Glb => glb::write(&job),
        ExportFormat::Pc2 => pc2::write(&job),
        ExportFormat::Mdd => mdd::write(&job),
        ExportFormat::Usda => usda::write(&job),
    }?;
    Ok(Exported { files, frames: job.frames.len(), vertices: job.vertex_count() })
}
