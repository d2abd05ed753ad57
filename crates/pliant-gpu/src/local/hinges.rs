//! Hinges: what kernels work on, and the kernels of their forces and second derivatives.

use pliant::energy::{Memory, hinge_rows};

use super::gathering::Source;
use super::places::{Places, Resolved, Slots};
use super::{EIGEN, POINTS, STRETCHES};
use crate::device::{Access, Bound, Device, Dispatch, Pending, Storage};
use crate::error::GpuError;

/// Quads of numbers for each hinge; see `hinges.wgsl`.
const QUADS: usize = 4;

/// The hinges of all energies.
#[derive(Debug, Default)]
pub(crate) struct HingeList {
    /// Places of corners.
    pub(crate) corners: Vec<[u32; 4]>,
    /// Their slots, yet to be resolved.
    slots: Vec<[(u32, u32); 4]>,
    numbers: Vec<[f32; 4]>,
    /// The batch and element that each hinge is, whose warm value is its frame.
    sources: Vec<(u32, u32)>,
}

impl HingeList {
    /// Takes the hinges of a batch: the angle of each at rest, and factors between rows and positions.
    pub(super) fn take(&mut self, source: &Source<'_>, places: &Places, slots: &mut Slots, rest: &[(f64, [f64; 4])]) {
        let corners = |e: u32| -> [u32; 4] {
            std::array::from_fn(|corner| places.of(source.operator.stencil(e as usize)[corner]))
        };
        let mut elements: Vec<u32> = (0..rest.len() as u32).collect();
        // Neighbours read the same positions.
        elements.sort_by_key(|&e| corners(e)[0]);
        for e in elements {
            let (angle, scale) = rest[e as usize];
            let rows = hinge_rows(angle, scale).map(|value| value as f32);
            let [a, b, c, ..] = rows;
            self.numbers.push([a, b, c, source.weight(e as usize) as f32]);
            self.numbers.push([rows[3], rows[4], rows[5], angle.cos() as f32]);
            self.numbers.push([rows[6], rows[7], rows[8], angle.sin() as f32]);
            self.numbers.push(scale.map(|scale| scale.recip() as f32));
            let corners = corners(e);
            self.slots.push(corners.map(|place| slots.take(place)));
            self.corners.push(corners);
            self.sources.push((source.batch as u32, e));
        }
    }
}

/// Hinges on the device.
#[derive(Debug)]
pub(crate) struct Hinges {
    sources: Vec<(u32, u32)>,
    corners: Storage<[u32; 4]>,
    numbers: Storage<[f32; 4]>,
    frames: Storage<[f32; 4]>,
}

impl Hinges {
    /// Brings hinges to the device, with the kernels of their forces; nothing where there are none.
    pub(super) fn new(
        device: &Device,
        list: &HingeList,
        resolved: &Resolved,
        [anchors, offsets, slots]: [&Storage<[f32; 4]>; 3],
        dispatches: &mut Vec<Dispatch>,
    ) -> Result<Option<Self>, GpuError> {
        let count = list.corners.len();
        if count == 0 {
            return Ok(None);
        }
        debug_assert_eq!(list.numbers.len(), QUADS * count, "numbers of hinges");
        let at: Vec<[u32; 4]> = list.slots.iter().map(|slots| slots.map(|slot| resolved.slot(slot))).collect();
        let own = Self {
            sources: list.sources.clone(),
            corners: device.array("corners of hinges", &list.corners)?,
            numbers: device.array("numbers of hinges", &list.numbers)?,
            frames: device.zeros("frames of hinges", count)?,
        };
        let corner_slots = device.array("slots of hinges", &at)?;
        let marks: Storage<u32> = device.zeros("marks of hinges", count)?;
        let buffers: [&dyn Bound; 8] =
            [anchors, offsets, &own.corners, &corner_slots, &own.numbers, slots, &own.frames, &marks];
        use Access::{Read, Write};
        let common = [POINTS, STRETCHES, HINGE, include_str!("hinge_slots.wgsl")].concat();
        for (source, entry, access, threads) in [
            (include_str!("hinges.wgsl"), "hinges", Write, 128),
            (include_str!("hinges_with_care.wgsl"), "hinges_with_care", Read, 64),
        ] {
            let source = [&common, EIGEN, source].concat();
            let access = [Read, Read, Read, Read, Read, Write, Write, access];
            let kernel = device.kernel(&source, entry, &access)?;
            dispatches.push(device.dispatch(&kernel, &buffers, [0; 4], count.div_ceil(threads)));
        }
        Ok(Some(own))
    }

    /// The kernel that leaves four vectors for each hinge, of which products are its blocks, from an entry of `blocks` on.
    pub(crate) fn vectors(
        &self,
        device: &Device,
        [anchors, offsets, blocks]: [&Storage<[f32; 4]>; 3],
        first: usize,
    ) -> Result<Dispatch, GpuError> {
        use Access::{Read, Write};
        let source = [POINTS, STRETCHES, HINGE, include_str!("../newton/hinge_vectors.wgsl")].concat();
        let kernel = device.kernel(&source, "hinge_vectors", &[Read, Read, Read, Read, Write, Read])?;
        let buffers: [&dyn Bound; 6] = [anchors, offsets, &self.corners, &self.numbers, blocks, &self.frames];
        Ok(device.dispatch(&kernel, &buffers, [first as u32, 0, 0, 0], self.sources.len().div_ceil(128)))
    }

    /// Takes the frames that a solve begins with.
    pub(super) fn begin(&self, device: &Device, memory: &[Memory]) -> Result<(), GpuError> {
        let frame = |&(batch, e): &(u32, u32)| {
            let warm = &memory[batch as usize].warm[4 * e as usize..][..4];
            std::array::from_fn(|k| warm[k] as f32)
        };
        let frames: Vec<[f32; 4]> = self.sources.iter().map(frame).collect();
        device.write(&self.frames, 0, &frames)
    }

    /// Asks for the frames.
    pub(super) fn request(&self, device: &Device) -> Result<Pending<[f32; 4]>, GpuError> {
        device.request(&self.frames, self.sources.len())
    }

    /// Leaves frames for the next solve.
    pub(super) fn finish(&self, frames: Vec<[f32; 4]>, memory: &mut [Memory]) {
        for (&(batch, e), frame) in self.sources.iter().zip(frames) {
            let warm = &mut memory[batch as usize].warm[4 * e as usize..][..4];
            warm.iter_mut().zip(frame).for_each(|(warm, value)| *warm = value.into());
        }
    }
}

/// The law of a hinge in a frame, which forces and second derivatives share.
const HINGE: &str = include_str!("hinge.wgsl");
