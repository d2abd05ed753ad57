//! Vertices that planes keep on one side.

use pliant::math::Vec3;
use pliant::solve::Objective;

use super::gathering::Source;
use super::places::{Places, Resolved, Slots};
use super::rounded;
use crate::device::{Access, Device, Dispatch, Storage};
use crate::error::GpuError;

/// Threads of a workgroup.
const THREADS: usize = 128;

/// Vertices with planes, of all energies.
#[derive(Debug, Default, Clone)]
pub(crate) struct HalfSpaceList {
    /// Batch and element, place, weight.
    held: Vec<(usize, usize, u32, f32)>,
    slots: Vec<(u32, u32)>,
    /// The block of the first; the others follow.
    first_block: u32,
}

impl HalfSpaceList {
    /// Takes the vertices of a batch that are free.
    pub(super) fn take(&mut self, source: &Source<'_>, places: &Places, slots: &mut Slots) {
        for e in 0..source.operator.len() {
            let place = places.of(source.operator.stencil(e)[0]);
            if (place as usize) < places.free {
                self.held.push((source.batch, e, place, source.weight(e) as f32));
                self.slots.push(slots.take(place));
            }
        }
    }

    /// Takes blocks from one on; returns the next.
    pub(super) fn finish(&mut self, block: u32) -> u32 {
        self.first_block = block;
        block + self.held.len() as u32
    }

    /// Place and block of each vertex.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (u32, u32)> {
        self.held.iter().map(|held| held.2).zip(self.first_block..)
    }
}

/// These vertices on the device.
#[derive(Debug)]
pub(crate) struct HalfSpaces {
    held: Vec<(usize, usize, u32, f32)>,
    planes: Storage<[f32; 4]>,
    constants: Storage<[u32; 4]>,
}

impl HalfSpaces {
    /// Brings them to the device, with the kernel of their forces; nothing where there are none.
    pub(super) fn new(
        device: &Device,
        list: &HalfSpaceList,
        resolved: &Resolved,
        [offsets, slots]: [&Storage<[f32; 4]>; 2],
        dispatches: &mut Vec<Dispatch>,
    ) -> Result<Option<Self>, GpuError> {
        if list.held.is_empty() {
            return Ok(None);
        }
        let constant = |((&(_, _, place, weight), &slot), block): ((&(usize, usize, u32, f32), _), u32)| {
            [place, resolved.slot(slot), block, weight.to_bits()]
        };
        let constants: Vec<[u32; 4]> =
            list.held.iter().zip(&list.slots).zip(list.first_block..).map(constant).collect();
        let own = Self {
            held: list.held.clone(),
            planes: device.zeros("planes", list.held.len())?,
            constants: device.array("vertices with planes", &constants)?,
        };
        dispatches.push(own.kernel(device, "half_spaces", offsets, slots)?);
        Ok(Some(own))
    }

    fn kernel(
        &self,
        device: &Device,
        entry: &str,
        offsets: &Storage<[f32; 4]>,
        results: &Storage<[f32; 4]>,
    ) -> Result<Dispatch, GpuError> {
        use Access::{Read, Write};
        let kernel = device.kernel(include_str!("half_spaces.wgsl"), entry, &[Read, Read, Read, Write])?;
        let workgroups = self.held.len().div_ceil(THREADS);
        Ok(device.dispatch(&kernel, &[offsets, &self.planes, &self.constants, results], [0; 4], workgroups))
    }

    /// The kernel of their blocks.
    pub(crate) fn blocks(
        &self,
        device: &Device,
        offsets: &Storage<[f32; 4]>,
        blocks: &Storage<[f32; 4]>,
    ) -> Result<Dispatch, GpuError> {
        self.kernel(device, "half_space_blocks", offsets, blocks)
    }

    /// Takes the planes of a stage.
    pub(super) fn begin(&self, device: &Device, objective: &Objective<'_>, places: &Places) -> Result<(), GpuError> {
        let plane = |&(batch, e, place, _): &(usize, usize, u32, f32)| {
            let (point, normal) = (objective.goals[batch][2 * e], objective.goals[batch][2 * e + 1]);
            let normal = normal.normalize_or(Vec3::ZERO);
            let anchor = rounded(objective.before[places.vertices[place as usize] as usize]);
            [normal.x as f32, normal.y as f32, normal.z as f32, normal.dot(point - anchor) as f32]
        };
        device.write(&self.planes, 0, &self.held.iter().map(plane).collect::<Vec<_>>())
    }
}
