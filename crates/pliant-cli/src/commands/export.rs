//! `pliant export`: a finished run in other programs' formats.

use std::error::Error;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use pliant::Model;
use pliant::math::Vec3;
use pliant_io::store::RunStore;
use pliant_io::write::{
    ColliderSurface, ExportError, ExportFormat, ExportOptions, FluidShape, TextureCoordinates, export, read_fluids,
};
use pliant_picture::ColliderSurfaces;
use pliant_scene::format::ColliderShape;
use pliant_scene::{Scene, SceneRun};

use super::origin::Origin;
use super::run::exported_path;
use crate::Outcome;
use crate::output::{say, say_error};

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Folder of the run.
    run: PathBuf,
    /// Formats, separated by commas: obj, ply, vtu, npy, glb, pc2, mdd, usda.
    #[arg(long, value_delimiter = ',', required = true)]
    format: Vec<String>,
    /// First and last frame, such as 0-59; all by default. Formats with one mesh for all frames need a range in which
    /// nothing tears.
    #[arg(long, value_name = "FIRST-LAST", value_parser = range)]
    frames: Option<RangeInclusive<u64>>,
    /// Which parts of fluids to export. By default both if the format supports changing meshes, else particles.
    #[arg(long, value_enum, value_name = "WHAT")]
    fluid: Option<FluidChoice>,
    /// Leave out colliders, texture coordinates and normals, which glb and usda have otherwise.
    #[arg(long)]
    bare: bool,
}

/// Which parts of fluids to export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FluidChoice {
    /// Particles, as points.
    Particles,
    /// The surface around them, as triangles: obj, ply, vtu, usda.
    Surface,
    /// Both, as two bodies.
    Both,
}

impl FluidChoice {
    fn shape(self) -> FluidShape {
        match self {
            Self::Particles => FluidShape::Particles,
            Self::Surface => FluidShape::Surface,
            Self::Both => FluidShape::Both,
        }
    }
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
  pliant export out/torn-flag --format glb --frames 0-40   before it tears
  pliant export out/dam-break --format ply --fluid surface  the water as a mesh, one file per frame";

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    let formats = formats(&arguments.format)?;
    let store = RunStore::open(&arguments.run)?;
    let extras = if arguments.bare || !formats.iter().any(|format| has_extras(*format)) {
        Extras::default()
    } else {
        Extras::of_stored(&arguments.run)
    };
    for format in formats {
        let (frames, fluid) = (arguments.frames.clone(), arguments.fluid);
        let extras = Extras { normals: !arguments.bare, ..extras.clone() };
        say!("{} {}", format.name(), write(&store, format, &arguments.run, 1, frames, fluid, &extras)?.display());
    }
    Ok(Outcome::Good)
}

/// Formats by name.
pub(crate) fn formats(names: &[String]) -> Result<Vec<ExportFormat>, Box<dyn Error>> {
    let known = ExportFormat::ALL.map(ExportFormat::name).join(", ");
    let find = |name: &String| {
        ExportFormat::from_name(name).ok_or_else(|| format!("there is no format {name:?}; there are {known}").into())
    };
    names.iter().map(find).collect()
}

/// Refuses before a run what could not be exported after it.
pub(crate) fn check_fluids(
    model: &Model,
    formats: &[ExportFormat],
    fluid: Option<FluidChoice>,
) -> Result<(), ExportError> {
    let Some(first) = model.matter_of::<pliant::Fluid>().next() else { return Ok(()) };
    let unable = formats.iter().find(|format| !format.carries_changing_topology());
    match (unable, fluid) {
        (Some(&format), Some(FluidChoice::Surface | FluidChoice::Both)) => {
            Err(ExportError::ChangingFluid { format, body: model.bodies()[first.body].name.clone() })
        }
        _ => Ok(()),
    }
}

/// Whether an export failed because the format carries one mesh for all frames.
pub(crate) fn is_of_one_mesh(error: &(dyn Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(ExportError::ChangingTopology { .. }))
}

/// Exports every so many frames into the run's folder; returns the file to open.
pub(crate) fn write(
    store: &RunStore,
    format: ExportFormat,
    dir: &Path,
    every: u64,
    frames: Option<RangeInclusive<u64>>,
    fluid: Option<FluidChoice>,
    extras: &Extras,
) -> Result<PathBuf, Box<dyn Error>> {
    let path = exported_path(dir, format);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    }
    let (fluids, fluid_shape) =
        (read_fluids(dir)?, fluid.map_or_else(|| FluidShape::usual(format), FluidChoice::shape));
    let mut options = ExportOptions { every, frames, fluids, fluid_shape, ..ExportOptions::default() };
    if has_extras(format) {
        let Extras { colliders, textures, normals } = extras.clone();
        options = ExportOptions { colliders, textures, normals, ..options };
    }
    let written = export(store, format, &path, &options)?;
    Ok(written.files.into_iter().next().unwrap_or(path))
}

/// Whether a format has room for more than bodies.
fn has_extras(format: ExportFormat) -> bool {
    matches!(format, ExportFormat::Glb | ExportFormat::Usda)
}

/// What goes into files besides the bodies.
#[derive(Debug, Clone, Default)]
pub(crate) struct Extras {
    colliders: Vec<ColliderSurface>,
    textures: Vec<TextureCoordinates>,
    normals: bool,
}

impl Extras {
    /// Those of a scene. Planes have no end, and are left out.
    pub(crate) fn of(scene: &Scene, run: &SceneRun) -> Self {
        let colliders = run.sim.colliders();
        let surface = |(number, positions, triangles): (usize, &[Vec3], &[[u32; 3]])| {
            let collider = colliders[number].clone();
            let name = collider.name().map_or_else(|| format!("collider_{number}"), str::to_owned);
            let is_moving = scene.file().collider.get(number).is_none_or(|section| {
                let deforms = matches!(section.shape, ColliderShape::Sequence { .. });
                deforms || section.motion.is_some() || !section.keyframe.is_empty()
            });
            ColliderSurface { name, collider, positions: positions.to_vec(), triangles: triangles.to_vec(), is_moving }
        };
        let colliders = ColliderSurfaces::new(colliders).surfaces().map(surface).collect();
        Self { colliders, textures: run.textures().to_vec(), normals: true }
    }

    /// Those of a stored run, if its scene can still be read.
    fn of_stored(dir: &Path) -> Self {
        let found = || -> Result<Self, Box<dyn Error>> {
            let origin = Origin::read(dir)?;
            let scene = origin.scene(&[])?;
            Ok(Self::of(&scene, &origin.build(&scene)?))
        };
        found().unwrap_or_else(|error| {
            let reason = error.to_string();
            let reason = reason.lines().next().unwrap_or_default();
            say_error!("note: colliders and texture coordinates are left out: {reason}");
            Self { normals: true, ..Self::default() }
        })
    }
}
