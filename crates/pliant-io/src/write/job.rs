//! What every format needs: the chosen frames, the chosen bodies, where positions go.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use pliant::math::Vec3;

use super::extras::{add_textures, add_to_frame, add_to_parts, split_at_seams};
use super::fluid::add_surfaces;
use super::part::{Detail, Part, parts};
use super::{ExportError, ExportFormat, ExportOptions};
use crate::atomic::{AtomicFile, folder_of};
use crate::store::{Frame, RunInfo, RunStore, UpAxis};

/// One export.
pub(super) struct Job<'a> {
    pub(super) store: &'a RunStore,
    pub(super) format: ExportFormat,
    pub(super) out: &'a Path,
    pub(super) options: &'a ExportOptions,
    /// Numbers of the frames, ascending, at least one.
    pub(super) frames: Vec<u64>,
    /// The bodies as the first of the frames has them.
    pub(super) parts: Vec<Part>,
    /// Names of all bodies, and the numbers of those that were chosen.
    names: Vec<String>,
    bodies: Vec<usize>,
    detail: Detail,
    /// The axis that points up in the file.
    pub(super) up_axis: UpAxis,
    /// The frame that was asked for last, with surfaces of fluids, and its place in the list: formats ask for each more than once.
    last: RefCell<Option<(usize, Frame<'static>, Vec<Part>)>>,
}

impl<'a> Job<'a> {
    pub(super) fn new(
        store: &'a RunStore,
        format: ExportFormat,
        out: &'a Path,
        options: &'a ExportOptions,
    ) -> Result<Self, ExportError> {
        if !(options.scale.is_finite() && options.scale > 0.0) {
            return Err(ExportError::BadScale(options.scale));
        }
        let up_axis = match (format, options.up_axis) {
            (ExportFormat::Glb, Some(UpAxis::X | UpAxis::Z)) => return Err(ExportError::UpAxis { format, axes: "y" }),
            (ExportFormat::Glb, None | Some(UpAxis::Y)) => UpAxis::Y,
            (_, chosen) => chosen.unwrap_or(store.info().up_axis),
        };
        if (format, up_axis) == (ExportFormat::Usda, UpAxis::X) {
            return Err(ExportError::UpAxis { format, axes: "y or z" });
        }
        let detail = match format {
            ExportFormat::Vtu | ExportFormat::Npy => Detail::Everything,
            _ => Detail::Surface,
        };
        let has_extras = !options.colliders.is_empty() || !options.textures.is_empty() || options.normals;
        if has_extras && !matches!(format, ExportFormat::Glb | ExportFormat::Usda) {
            return Err(ExportError::Extras { format });
        }
        let frames = chosen_frames(store, options)?;
        // The last list of bodies has all that there ever were.
        let names: Vec<String> =
            store.topology_at(frames[frames.len() - 1])?.bodies.iter().map(|body| body.name.clone()).collect();
        let bodies = chosen_bodies(&names, options)?;
        let last = RefCell::new(None);
        let mut job =
            Self { store, format, out, options, frames, parts: Vec::new(), names, bodies, detail, up_axis, last };
        job.parts = job.stored_parts(0)?;
        if job.has_surfaces_of_fluids() {
            if let (Some(fluid), false) = (options.fluids.first(), format.carries_changing_topology()) {
                return Err(ExportError::ChangingFluid { format, body: fluid.body.clone() });
            }
            job.parts = job.with_fluids(0)?.1;
        }
        if !format.carries_changing_topology()
            && let Some(place) = (1..job.frames.len()).find(|&place| job.topology_of(place) != job.topology_of(0))
        {
            let (frame, last) = (job.frames[place], job.frames[place - 1]);
            return Err(ExportError::ChangingTopology { format, frame, last });
        }
        Ok(job)
    }

    /// The chosen bodies as they are stored at a place in the list; without vertices where they are not there.
    fn stored_parts(&self, place: usize) -> Result<Vec<Part>, ExportError> {
        let mut topology = self.store.topology_at(self.frames[place])?;
        let known = topology.bodies.len();
        if known < self.names.len() {
            let topology = topology.to_mut();
            self.names[known..].iter().for_each(|name| topology.add_absent(name));
        }
        let mut parts = parts(topology.as_ref(), &self.bodies, self.detail)?;
        add_textures(&self.options.textures, &mut parts);
        add_to_parts(&self.options.colliders, topology.vertex_count(), &mut parts);
        if self.format == ExportFormat::Glb {
            parts.iter_mut().for_each(split_at_seams);
        }
        Ok(parts)
    }

    /// A frame with the vertices of colliders.
    fn stored_frame(&self, place: usize) -> Result<Frame<'static>, ExportError> {
        let mut frame = self.store.read_frame(self.frames[place])?;
        add_to_frame(&self.options.colliders, &mut frame);
        Ok(frame)
    }

    /// A part as it is when it is first there.
    pub(super) fn first_part(&self, number: usize) -> Result<Cow<'_, Part>, ExportError> {
        let own = &self.parts[number];
        if own.is_surface_of_fluid || !own.vertices.is_empty() {
            return Ok(Cow::Borrowed(own));
        }
        for place in (1..self.frames.len()).filter(|&place| self.topology_of(place) != self.topology_of(place - 1)) {
            let part = self.stored_parts(place)?.swap_remove(number);
            if !part.vertices.is_empty() {
                return Ok(Cow::Owned(part));
            }
        }
        Ok(Cow::Borrowed(own))
    }

    fn has_surfaces_of_fluids(&self) -> bool {
        self.options.fluid_shape.has_surface() && !self.options.fluids.is_empty()
    }

    /// A frame and its parts, with surfaces of fluids.
    fn with_fluids(&self, place: usize) -> Result<(Frame<'static>, Vec<Part>), ExportError> {
        if let Some((at, frame, parts)) = self.last.borrow().as_ref()
            && *at == place
        {
            return Ok((frame.clone(), parts.clone()));
        }
        let mut frame = self.stored_frame(place)?;
        let mut parts = self.stored_parts(place)?;
        add_surfaces(&self.options.fluids, self.options.fluid_shape, &mut frame, &mut parts)?;
        *self.last.borrow_mut() = Some((place, frame.clone(), parts.clone()));
        Ok((frame, parts))
    }

    /// A frame and one of its parts, without the work for surfaces of fluids where the part is none.
    pub(super) fn frame_and_part(&self, place: usize, number: usize) -> Result<(Frame<'static>, Part), ExportError> {
        let (frame, parts) = if self.parts[number].is_surface_of_fluid {
            self.with_fluids(place)?
        } else {
            (self.stored_frame(place)?, self.stored_parts(place)?)
        };
        // Surfaces of fluids come after all bodies, or in the place of one.
        Ok((frame, parts[number].clone()))
    }

    /// Whether a part has another mesh in the frame at a place in the list than in the one before.
    pub(super) fn changes_at(&self, place: usize, number: usize) -> bool {
        let part = &self.parts[number];
        let is_new = self.topology_of(place) != self.topology_of(place - 1);
        part.is_surface_of_fluid || (is_new && !part.is_collider)
    }

    /// Which topology the frame at a place in the list has.
    fn topology_of(&self, place: usize) -> Option<u64> {
        self.store.topology_of(self.frames[place])
    }

    /// The bodies as the frame at a place in the list has them.
    pub(super) fn parts_at(&self, place: usize) -> Result<Cow<'_, [Part]>, ExportError> {
        if self.has_surfaces_of_fluids() {
            return Ok(Cow::Owned(self.with_fluids(place)?.1));
        }
        if self.topology_of(place) == self.topology_of(0) {
            return Ok(Cow::Borrowed(&self.parts));
        }
        Ok(Cow::Owned(self.stored_parts(place)?))
    }

    pub(super) fn info(&self) -> &RunInfo {
        self.store.info()
    }

    /// Vertices of the first of the frames.
    pub(super) fn vertex_count(&self) -> usize {
        vertex_count(&self.parts)
    }

    /// The frame at a place in the list.
    pub(super) fn frame(&self, place: usize) -> Result<Frame<'static>, ExportError> {
        if self.has_surfaces_of_fluids() {
            return Ok(self.with_fluids(place)?.0);
        }
        self.stored_frame(place)
    }

    /// Where a position or velocity of the run is in the file.
    pub(super) fn placed(&self, v: Vec3) -> Vec3 {
        let v = self.options.scale * v;
        self.up_axis.to_file(self.info().up_axis.to_engine(v))
    }

    /// Positions of a part's vertices in the file, double precision.
    pub(super) fn positions(&self, frame: &Frame<'_>, part: &Part) -> impl Iterator<Item = Vec3> {
        part.vertices.iter().map(|&vertex| self.placed(frame.positions[vertex as usize]))
    }

    /// The same in single precision; refuses what it cannot hold.
    pub(super) fn singles(
        &self,
        name: &'static str,
        number: u64,
        vectors: &[Vec3],
        part: &Part,
    ) -> Result<Vec<[f32; 3]>, ExportError> {
        let single = |&vertex: &u32| {
            let vector = self.placed(vectors[vertex as usize]);
            let rounded = vector.to_array().map(|c| c as f32);
            match rounded.iter().position(|c| !c.is_finite()) {
                None => Ok(rounded),
                Some(c) => {
                    let (format, frame, value) = (self.format, number, vector.to_array()[c]);
                    Err(ExportError::OutOfRange { format, name, frame, vertex, value })
                }
            }
        };
        part.vertices.iter().map(single).collect()
    }

    /// A count that the format stores in a number with a limit.
    pub(super) fn count(&self, name: &'static str, count: u64, limit: u64) -> Result<u64, ExportError> {
        let format = self.format;
        if count > limit { Err(ExportError::TooLarge { format, name, count, limit }) } else { Ok(count) }
    }

    /// The file of a frame: `cloth.obj` becomes `cloth_000123.obj`.
    pub(super) fn numbered_path(&self, number: u64) -> PathBuf {
        self.out.with_file_name(format!("{}_{number:06}.{}", self.stem(), self.format.extension()))
    }

    /// The name of the file without its extension.
    pub(super) fn stem(&self) -> String {
        self.out.file_stem().map_or_else(|| "run".to_owned(), |stem| stem.to_string_lossy().into_owned())
    }
}

/// Vertices of all parts.
pub(super) fn vertex_count(parts: &[Part]) -> usize {
    parts.iter().map(|part| part.vertices.len()).sum()
}

fn chosen_bodies(bodies: &[String], options: &ExportOptions) -> Result<Vec<usize>, ExportError> {
    let Some(names) = &options.bodies else { return Ok((0..bodies.len()).collect()) };
    let find = |name: &String| {
        bodies.iter().position(|body| body == name).ok_or_else(|| {
            let known: Vec<String> = bodies.iter().map(|body| format!("{body:?}")).collect();
            ExportError::NoSuchBody { name: name.clone(), known: known.join(", ") }
        })
    };
    let mut chosen = names.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    // In the order of the run, each once.
    chosen.sort_unstable();
    chosen.dedup();
    if chosen.is_empty() { Err(ExportError::NoBodies) } else { Ok(chosen) }
}

fn chosen_frames(store: &RunStore, options: &ExportOptions) -> Result<Vec<u64>, ExportError> {
    let is_chosen = |number: &u64| options.frames.as_ref().is_none_or(|range| range.contains(number));
    if let Some((frame, reason)) = store.damaged().iter().find(|(number, _)| is_chosen(number)) {
        return Err(ExportError::DamagedFrame { frame: *frame, reason: reason.to_string() });
    }
    let Ok(every @ 1..) = usize::try_from(options.every) else { return Err(ExportError::BadStride(options.every)) };
    let chosen: Vec<u64> = store.frames().iter().copied().filter(is_chosen).step_by(every).collect();
    if chosen.is_empty() {
        let range = options.frames.as_ref().map_or_else(|| "of all".to_owned(), |range| format!("{range:?}"));
        return Err(ExportError::NoFrames { path: store.dir().to_owned(), range });
    }
    Ok(chosen)
}

/// Writes a file by `fill`, whole or not at all.
pub(super) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut Output) -> Result<(), Failure>,
) -> Result<PathBuf, ExportError> {
    let io = |error| ExportError::Io { path: path.to_owned(), error };
    std::fs::create_dir_all(folder_of(path)).map_err(io)?;
    let mut file = AtomicFile::create(path).map_err(io)?;
    fill(&mut file).map_err(|failure| match failure {
        Failure::Io(error) => io(error),
        Failure::Export(error) => error,
    })?;
    file.commit().map_err(io)?;
    Ok(path.to_owned())
}

/// Where formats write to.
pub(super) type Output = AtomicFile;

/// An error while a file is filled; one of the system still lacks the path.
pub(super) enum Failure {
    Io(io::Error),
    Export(ExportError),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        Self::Export(error)
    }
}

/// A name without white space, which would end it.
pub(super) fn token(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}

/// The name, or the name with a number that nobody has.
pub(super) fn unique(names: &mut HashSet<String>, name: &str) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let free = std::iter::once(name.to_owned()).chain(numbered).find(|name| !names.contains(name));
    // There is always a number left.
    let free = free.unwrap_or_else(|| name.to_owned());
    names.insert(free.clone());
    free
}
