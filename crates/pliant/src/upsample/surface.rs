//! The loop over fine vertices: smooth points, frames, and what a method adds to them; four vertices at a time, blocks over threads.

use std::ops::Range;

use super::frames::{frame_lanes, turned};
use super::layout::{LANES, Layout, ROWS};
use crate::math::Vec3;
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::parallel::{Shared, for_each_of, within_pool};

/// Groups that a thread takes at a time: some tens of microseconds.
const GRAIN: usize = 256;

/// The smooth surface, and what a fine mesh at rest has above it.
#[derive(Debug, Clone)]
pub(super) struct Surface {
    pub(super) layout: Layout,
    /// In local frames \[m\], [group][coordinate][lane]; none if the fine mesh lies on the smooth surface.
    pub(super) rest: Option<Vec<f64>>,
}

/// A group of fine vertices that are being shown.
pub(super) struct Place<'a> {
    /// Its number among all groups.
    pub(super) group: usize,
    /// Coarse vertices of its block.
    pub(super) controls: &'a [u32],
    /// Their weights in the point and in both tangents.
    pub(super) table: &'a [[f64; ROWS * LANES]],
}

impl Place<'_> {
    /// Values at coarse vertices, interpolated as points are.
    #[inline(always)]
    pub(super) fn carried<L: Lanes<Scalar = f64>, const N: usize>(
        &self,
        value: impl Fn(usize, usize) -> [f64; N],
    ) -> [L; N] {
        let mut sums = [L::zero(); N];
        for (k, (weights, &control)) in self.table.iter().zip(self.controls).enumerate() {
            let weight = L::from_slice(&weights[..LANES]);
            let value = value(k, control as usize);
            (0..N).for_each(|n| sums[n] = weight.mul_add(L::splat(value[n]), sums[n]));
        }
        sums
    }
}

/// What a method adds to the smooth surface.
pub(super) trait Detail: Sync {
    /// Whether it needs a frame at each fine vertex.
    const FRAMES: bool;
    /// What is the same for all vertices of a block.
    type Prepared;

    fn prepare(&self, number: usize, corners: [u32; 3], controls: &[u32]) -> Self::Prepared;

    /// Displacements of a group \[m\], in world coordinates; the columns of `frame` are zero if it did not ask for frames.
    fn at<L: Lanes<Scalar = f64>>(&self, prepared: &Self::Prepared, place: &Place<'_>, frame: &[[L; 3]; 3]) -> [L; 3];
}

/// Nothing but the smooth surface.
pub(super) struct Bare;

impl Detail for Bare {
    const FRAMES: bool = false;
    type Prepared = ();

    fn prepare(&self, _: usize, _: [u32; 3], _: &[u32]) {}

    #[inline(always)]
    fn at<L: Lanes<Scalar = f64>>(&self, _: &(), _: &Place<'_>, _: &[[L; 3]; 3]) -> [L; 3] {
        [L::zero(); 3]
    }
}

impl Surface {
    /// Writes the fine vertices over these coarse positions.
    pub(super) fn show<D: Detail>(&self, coarse: &[Vec3], detail: &D, out: &mut [Vec3]) {
        let blocks = self.layout.blocks.len();
        let grain = (GRAIN * blocks / self.layout.group_count().max(1)).max(1);
        let out = Shared(out.as_mut_ptr());
        let set = InstructionSet::detect();
        let work = |blocks: Range<usize>, (): ()| {
            f64::dispatch(set, Show { surface: self, coarse, detail, out: &out, blocks });
        };
        if blocks <= grain { work(0..blocks, ()) } else { within_pool(|| for_each_of(grain, 0..blocks, (), &work)) }
    }

    /// What these fine positions have above the smooth surface and what the fine mesh has there at rest, in local frames \[m\]:
    /// [group][coordinate][lane].
    pub(super) fn local_details(&self, coarse: &[Vec3], fine: &[Vec3]) -> Vec<f64> {
        let mut details = vec![0.0; self.layout.group_count() * 3 * LANES];
        f64::dispatch(InstructionSet::detect(), Measure { surface: self, coarse, fine, details: &mut details });
        details
    }

    /// The groups of a block.
    #[inline(always)]
    fn places(&self, number: usize) -> impl Iterator<Item = Place<'_>> {
        let block = &self.layout.blocks[number];
        let controls = &self.layout.controls[block.controls.clone()];
        self.layout.tables_of(block).map(move |(group, table)| Place { group, controls, table })
    }

    #[inline(always)]
    fn rest_at<L: Lanes<Scalar = f64>>(&self, group: usize) -> Option<[L; 3]> {
        self.rest.as_ref().map(|rest| triple(rest, group))
    }
}

/// Three lanes' worth of numbers of a group, of arrays [group][3][lane].
#[inline(always)]
pub(super) fn triple<L: Lanes<Scalar = f64>>(numbers: &[f64], group: usize) -> [L; 3] {
    let own: &[f64; 3 * LANES] = &numbers.as_chunks().0[group];
    [0, 1, 2].map(|k| L::from_slice(&own[k * LANES..][..LANES]))
}

/// Points and tangents.
#[inline(always)]
fn point_and_frame<L: Lanes<Scalar = f64>>(place: &Place<'_>, coarse: &[Vec3]) -> ([L; 3], [[L; 3]; 3]) {
    let mut rows = [[L::zero(); 3]; ROWS];
    for (weights, &control) in place.table.iter().zip(place.controls) {
        let p = coarse[control as usize];
        let p = [L::splat(p.x), L::splat(p.y), L::splat(p.z)];
        for r in 0..ROWS {
            let weight = L::from_slice(&weights[r * LANES..][..LANES]);
            (0..3).for_each(|k| rows[r][k] = weight.mul_add(p[k], rows[r][k]));
        }
    }
    let [point, first, second] = rows;
    (point, frame_lanes(first, second))
}

struct Show<'a, D> {
    surface: &'a Surface,
    coarse: &'a [Vec3],
    detail: &'a D,
    out: &'a Shared<Vec3>,
    blocks: Range<usize>,
}

impl<D: Detail> Kernel<f64> for Show<'_, D> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let layout = &self.surface.layout;
        for number in self.blocks {
            let block = &layout.blocks[number];
            let controls = &layout.controls[block.controls.clone()];
            let prepared = self.detail.prepare(number, block.corners, controls);
            for place in self.surface.places(number) {
                let (mut x, frame) = if D::FRAMES || self.surface.rest.is_some() {
                    point_and_frame::<L>(&place, self.coarse)
                } else {
                    (place.carried(|_, control| self.coarse[control].to_array()), [[L::zero(); 3]; 3])
                };
                if let Some(rest) = self.surface.rest_at(place.group) {
                    let rest = turned(&frame, rest);
                    x = [0, 1, 2].map(|k| x[k].add(rest[k]));
                }
                let added = self.detail.at(&prepared, &place, &frame);
                let mut coordinates = [[0.0; LANES]; 3];
                (0..3).for_each(|k| x[k].add(added[k]).write_to(&mut coordinates[k]));
                for (lane, vertex) in layout.members(place.group) {
                    let position = Vec3::new(coordinates[0][lane], coordinates[1][lane], coordinates[2][lane]);
                    // SAFETY: vertices are below the length of the output, which callers have checked, and each lies in one lane of one block,
                    // so that no two threads write to the same place.
                    #[allow(unsafe_code)]
                    unsafe {
                        *self.out.get().add(vertex) = position;
                    }
                }
            }
        }
    }
}

struct Measure<'a> {
    surface: &'a Surface,
    coarse: &'a [Vec3],
    fine: &'a [Vec3],
    details: &'a mut [f64],
}

impl Kernel<f64> for Measure<'_> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let layout = &self.surface.layout;
        for number in 0..layout.blocks.len() {
            for place in self.surface.places(number) {
                let (point, frame) = point_and_frame::<L>(&place, self.coarse);
                let mut coordinates = [[0.0; LANES]; 3];
                for (lane, vertex) in layout.members(place.group) {
                    (0..3).for_each(|k| coordinates[k][lane] = self.fine[vertex][k]);
                }
                let offset: [L; 3] = [0, 1, 2].map(|k| L::from_slice(&coordinates[k]).sub(point[k]));
                let rest = self.surface.rest_at(place.group).unwrap_or([L::zero(); 3]);
                let own = &mut self.details[place.group * 3 * LANES..][..3 * LANES];
                for (a, axis) in frame.iter().enumerate() {
                    let along = axis[2].mul_add(offset[2], axis[1].mul_add(offset[1], axis[0].mul(offset[0])));
                    along.sub(rest[a]).write_to(&mut own[a * LANES..]);
                }
                // What lies in empty lanes would be offsets from nowhere.
                let mut is_used = [false; LANES];
                layout.members(place.group).for_each(|(lane, _)| is_used[lane] = true);
                own.iter_mut().enumerate().for_each(|(at, number)| {
                    if !is_used[at % LANES] {
                        *number = 0.0;
                    }
                });
            }
        }
    }
}
