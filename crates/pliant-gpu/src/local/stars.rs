//! Elements with any number of corners: damping in proportion to stiffness, fibres, and surfaces that bend from a mean curvature. Each is drawn to a shape that turns
//! freely; see `star.wgsl`.

use pliant::energy::Memory;

use super::gathering::Source;
use super::places::{Places, Resolved, SLICE, Slots};
use super::{POINTS, STRETCHES};
use crate::device::{Access, Bound, Device, Dispatch, Storage};
use crate::error::GpuError;

/// Most rows of an element.
pub(super) const MOST_ROWS: usize = pliant::energy::MAX_ROWS;

/// What a star is drawn to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// Its shape at the beginning of a stage, which a solve finds in its memory.
    Last,
    /// A length within bounds, along an axis where it has no direction.
    Length([f64; 2], usize),
}

#[derive(Debug)]
struct Star {
    batch: usize,
    element: usize,
    shape: Shape,
    weight: f32,
    /// Places of corners, their slots, and A by corner.
    corners: Vec<u32>,
    slots: Vec<(u32, u32)>,
    coefficients: Vec<f32>,
}

/// Stars of some number of rows.
#[derive(Debug, Default)]
pub(crate) struct StarList {
    stars: Vec<Star>,
    /// First corner, number of corners and first block of each group.
    groups: Vec<[u32; 4]>,
}

impl StarList {
    /// Takes the rows of an element: all of them, or a single one.
    pub(super) fn take(
        &mut self,
        source: &Source<'_>,
        places: &Places,
        slots: &mut Slots,
        (element, rows, shape): (usize, std::ops::Range<usize>, Shape),
    ) {
        let (stencil, a) = (source.operator.stencil(element), source.operator.coefficients(element));
        let n = stencil.len();
        // The first corner is a free one, where the energy is counted; rows add up to zero, so that any corner will do. Nothing moves without one.
        let is_free = |k: &usize| (places.of(stencil[*k]) as usize) < places.free;
        let Some(base) = (0..n).find(is_free) else { return };
        let order: Vec<usize> = std::iter::once(base).chain((0..n).filter(|&k| k != base)).collect();
        let corners: Vec<u32> = order.iter().map(|&k| places.of(stencil[k])).collect();
        self.stars.push(Star {
            batch: source.batch,
            element,
            shape,
            weight: source.weight(element) as f32,
            slots: corners.iter().map(|&place| slots.take(place)).collect(),
            coefficients: order.iter().flat_map(|&k| rows.clone().map(move |row| a[row * n + k] as f32)).collect(),
            corners,
        });
    }

    /// Puts stars of as many corners into groups, with blocks from one on; returns the next.
    pub(super) fn finish(&mut self, mut block: u32) -> u32 {
        self.stars.sort_by_key(|star| (star.corners.len(), star.corners[0]));
        let mut corner = 0;
        for stars in self.stars.chunks(SLICE) {
            let most = stars.iter().map(|star| star.corners.len()).max().unwrap_or(0) as u32;
            self.groups.push([corner, most, block, 0]);
            corner += most * SLICE as u32;
            block += most * (most + 1) / 2 * SLICE as u32;
        }
        block
    }

    /// Visits the block of each pair of corners.
    pub(crate) fn visit_blocks(&self, mut visit: impl FnMut(u32, u32, u32, bool)) {
        for (stars, &[_, most, first, _]) in self.stars.chunks(SLICE).zip(&self.groups) {
            for (lane, star) in (0..).zip(stars) {
                let mut block = first + lane;
                for i in 0..most as usize {
                    for j in i..most as usize {
                        if let (Some(&row), Some(&column)) = (star.corners.get(i), star.corners.get(j)) {
                            visit(row, column, block, i == j);
                        }
                        block += SLICE as u32;
                    }
                }
            }
        }
    }

    /// Places of the corners of each.
    pub(crate) fn corners(&self) -> impl Iterator<Item = &[u32]> {
        self.stars.iter().map(|star| &star.corners[..])
    }
}

/// Stars of `rows` rows on the device.
#[derive(Debug)]
pub(crate) struct Stars {
    rows: usize,
    /// Batch, element and shape of each.
    sources: Vec<(usize, usize, Shape, f32)>,
    count: usize,
    groups: Storage<[u32; 4]>,
    corners: Storage<[u32; 2]>,
    coefficients: Storage<f32>,
    kept: Storage<[f32; 4]>,
}

impl Stars {
    /// Brings stars to the device, with the kernel of their forces; nothing where there are none.
    pub(super) fn new(
        device: &Device,
        rows: usize,
        list: &StarList,
        resolved: &Resolved,
        [anchors, offsets, slots]: [&Storage<[f32; 4]>; 3],
        dispatches: &mut Vec<Dispatch>,
    ) -> Result<Option<Self>, GpuError> {
        if list.stars.is_empty() {
            return Ok(None);
        }
        let (mut corners, mut coefficients) = (Vec::new(), Vec::new());
        let idle = resolved.count as u32 - 1;
        for (stars, group) in list.stars.chunks(SLICE).zip(&list.groups) {
            for corner in 0..group[1] as usize {
                for lane in 0..SLICE {
                    let star = stars.get(lane);
                    let there = star.and_then(|star| Some((*star.corners.get(corner)?, *star.slots.get(corner)?)));
                    let first = star.map_or(0, |star| star.corners[0]);
                    corners.push(there.map_or([first, idle], |(place, slot)| [place, resolved.slot(slot)]));
                    let a = |row: usize| star.and_then(|star| star.coefficients.get(corner * rows + row));
                    coefficients.extend((0..rows).map(|row| a(row).copied().unwrap_or(0.0)));
                }
            }
        }
        let source = |star: &Star| (star.batch, star.element, star.shape, star.weight);
        let count = list.groups.len();
        let own = Self {
            rows,
            sources: list.stars.iter().map(source).collect(),
            count,
            groups: device.array("groups of stars", &list.groups)?,
            corners: device.array("corners of stars", &corners)?,
            coefficients: device.array("coefficients of stars", &coefficients)?,
            kept: device.zeros("shapes of stars", count * SLICE * (rows + 1))?,
        };
        let access = [Access::Write, Access::Write];
        dispatches.push(own.kernel(
            device,
            (include_str!("stars.wgsl"), "stars"),
            [anchors, offsets],
            (&access, &[slots]),
        )?);
        Ok(Some(own))
    }

    /// A kernel on these stars, with what they keep and more buffers.
    fn kernel(
        &self,
        device: &Device,
        (source, entry): (&str, &str),
        [anchors, offsets]: [&Storage<[f32; 4]>; 2],
        (access, more): (&[Access], &[&dyn Bound]),
    ) -> Result<Dispatch, GpuError> {
        let star = include_str!("star.wgsl").replace("ROW_COUNT", &self.rows.to_string());
        let access = [&[Access::Read; 5], access].concat();
        let kernel = device.kernel(&[POINTS, STRETCHES, &star, source].concat(), entry, &access)?;
        let own: [&dyn Bound; 6] = [anchors, offsets, &self.groups, &self.corners, &self.coefficients, &self.kept];
        Ok(device.dispatch(&kernel, &[&own, more].concat(), [0; 4], self.count))
    }

    /// The kernel of their blocks.
    pub(crate) fn blocks(
        &self,
        device: &Device,
        points: [&Storage<[f32; 4]>; 2],
        blocks: &Storage<[f32; 4]>,
    ) -> Result<Dispatch, GpuError> {
        let source = (include_str!("../newton/star_blocks.wgsl"), "star_blocks");
        self.kernel(device, source, points, (&[Access::Read, Access::Write], &[blocks]))
    }

    /// The kernel that remembers the shapes of what is damped, at the beginning of a stage.
    pub(crate) fn remember(&self, device: &Device, points: [&Storage<[f32; 4]>; 2]) -> Result<Dispatch, GpuError> {
        self.kernel(device, (include_str!("stars_remember.wgsl"), "remember"), points, (&[Access::Write], &[]))
    }

    /// Takes the shapes that a solve begins with.
    pub(super) fn begin(&self, device: &Device, memory: &[Memory]) -> Result<(), GpuError> {
        let mut kept = vec![[0.0; 4]; self.kept.len()];
        for (k, &(batch, element, shape, weight)) in self.sources.iter().enumerate() {
            let at = |row: usize| k / SLICE * SLICE * (self.rows + 1) + row * SLICE + k % SLICE;
            match shape {
                Shape::Last => {
                    let warm = &memory[batch].warm[3 * self.rows * element..][..3 * self.rows];
                    for (row, last) in warm.chunks_exact(3).enumerate() {
                        kept[at(row)] = [last[0] as f32, last[1] as f32, last[2] as f32, 0.0];
                    }
                    let length = warm.iter().map(|value| value * value).sum::<f64>().sqrt() as f32;
                    kept[at(self.rows)] =
                        if self.rows == 1 { [length, length, 1.0, 0.0] } else { [0.0, 0.0, 0.0, 1.0] };
                }
                Shape::Length(bounds, axis) => {
                    kept[at(0)][axis] = bounds[0] as f32;
                    kept[at(1)] = [bounds[0] as f32, bounds[1] as f32, 0.0, 0.0];
                }
            }
            kept[at(0)][3] = weight;
        }
        device.write(&self.kept, 0, &kept)
    }
}
