//! Exports a stored run to files that other programs open; there is one source file per format.
//!
//! Frames are read one at a time, so a run may be larger than the memory. A file appears only when it is complete.
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
mod extras;
mod fluid;
mod fluid_file;
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
pub use extras::{ColliderSurface, TextureCoordinates};
pub use fluid::{Fluid, FluidShape};
pub use fluid_file::{FLUIDS_FILE, read_fluids, write_fluids};
pub use format::ExportFormat;
pub use part::{VisibleBody, visible_bodies};

use crate::store::{RunStore, UpAxis};
use job::Job;

/// Interpolation between frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// On a straight line.
    #[default]
    Linear,
    /// A frame is held until the next.
    Step,
}

/// What to export and how.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// Names of the bodies; all if empty.
    pub bodies: Option<Vec<String>>,
    /// Numbers of the first and last frame; all if none.
    pub frames: Option<RangeInclusive<u64>>,
    /// Exports the first and then every n-th of these frames; 1 for all of them.
    pub every: u64,
    /// Factor on all lengths.
    pub scale: f64,
    /// The axis that points up in the file. If none, y for glTF, which supports no other, and that of the run for other
    /// formats.
    pub up_axis: Option<UpAxis>,
    /// Interpolation between frames; only glTF stores it, for other formats the reading program decides.
    pub interpolation: Interpolation,
    /// The fluids of the run, for which surfaces can be made.
    pub fluids: Vec<Fluid>,
    /// Which parts of fluids are exported.
    pub fluid_shape: FluidShape,
    /// Colliders to write as surfaces after the bodies; only glTF and USD have them.
    pub colliders: Vec<ColliderSurface>,
    /// Texture coordinates of bodies; only glTF and USD have them.
    pub textures: Vec<TextureCoordinates>,
    /// Whether surfaces have normals, in every frame; only glTF and USD have them. Without them, programs compute their own.
    pub normals: bool,
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
            colliders: Vec::new(),
            textures: Vec::new(),
            normals: false,
        }
    }
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The files, the one to open first.
    pub files: Vec<PathBuf>,
    /// Number of frames.
    pub frames: usize,
    /// Number of vertices of the first frame, and of all frames if the run does not tear.
    pub vertices: usize,
}

/// Writes a run, or parts of it, in a format.
///
/// Formats with one file per frame add the number of the frame to the name: `cloth.obj` becomes `cloth_000123.obj`.
/// `cloth.pvd` comes with a folder `cloth` of `.vtu` files, and point caches come with `cloth.obj`, the mesh that they
/// animate.
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
