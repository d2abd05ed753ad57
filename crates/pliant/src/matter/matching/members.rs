//! Regions in lists, a vector of members at a time.

#![allow(unsafe_code)] // Lanes: each block says why it is sound.

use super::fit::Map;
use crate::math::Vec3;
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::mesh::Csr;
use crate::parallel::{self, ByOffsets, Strided};

const WIDTH: usize = f64::WIDTH;
/// Members that are worth a task of their own.
const TASK: usize = 2048;

/// Members of all regions in groups of a vector; groups of a region follow each other.
#[derive(Debug)]
pub(super) struct Members {
    /// Where the groups of each region begin, and the end of the last.
    starts: Vec<u32>,
    /// Where each member's coordinates are in an array of points of four numbers.
    rows: Vec<[u32; WIDTH]>,
    /// m̃, and the place at rest. A lane without a member has the first one's place and no mass.
    numbers: Vec<[[f64; WIDTH]; 4]>,
    /// Where the x-coordinates of each particle's movements are, region by region; y and z follow a vector later each.
    movements_of: Csr,
    instructions: InstructionSet,
}

/// A movement of each member.
#[derive(Debug, Default)]
pub(super) struct Movements {
    groups: Vec<[[f64; WIDTH]; 3]>,
    /// Whether there is one in a region; of others nothing is written.
    in_region: Vec<bool>,
}

impl Movements {
    /// Whether any member moves.
    pub(super) fn is_any(&self) -> bool {
        self.in_region.contains(&true)
    }
}

impl Members {
    pub(super) fn new(members: &Csr, rest: &[Vec3], masses: &[f64]) -> Self {
        let (mut starts, mut rows, mut numbers, mut pairs) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        for region in members.rows() {
            for group in region.chunks(WIDTH) {
                let of = |lane: usize| group.get(lane).copied().unwrap_or(group[0]) as usize;
                let mass = |lane: usize| if lane < group.len() { masses[of(lane)] } else { 0.0 };
                let along = |axis: usize| std::array::from_fn(|lane| rest[of(lane)][axis]);
                let first = 3 * WIDTH * rows.len();
                pairs.extend(group.iter().enumerate().map(|(lane, &v)| (v, (first + lane) as u32)));
                rows.push(std::array::from_fn(|lane| 4 * of(lane) as u32));
                numbers.push([std::array::from_fn(mass), along(0), along(1), along(2)]);
            }
            starts.push(rows.len() as u32);
        }
        let movements_of = Csr::from_pairs(rest.len(), pairs.iter().copied());
        Self { starts, rows, numbers, movements_of, instructions: InstructionSet::detect() }
    }

    /// Regions that are worth a task of their own.
    fn grain(&self) -> usize {
        (TASK / WIDTH * (self.starts.len() - 1) / self.rows.len().max(1)).max(1)
    }

    /// For each region Σ m̃ x and the columns of Σ m̃ x rᵀ.
    pub(super) fn sums(&self, points: &[[f64; 4]], sums: &mut Vec<[f64; 12]>) {
        assert_eq!(points.len(), self.movements_of.len(), "a point for each particle");
        sums.resize(self.starts.len() - 1, [0.0; 12]);
        let outputs = Strided { entries: sums, stride: 1 };
        parallel::for_each_of(self.grain(), 0..self.starts.len() - 1, outputs, &|range, outputs| {
            let kernel =
                SumsOf { members: self, first: range.start, points: points.as_ptr().cast(), sums: outputs.entries };
            f64::dispatch(self.instructions, kernel);
        });
    }

    /// How far each member is from where its region's map has it, as far as that is beyond `free` \[m\] of its region.
    pub(super) fn movements(
        &self,
        points: &[[f64; 4]],
        maps: &[Map],
        free: impl Fn(usize) -> f64 + Sync,
        out: &mut Movements,
    ) {
        assert_eq!(points.len(), self.movements_of.len(), "a point for each particle");
        let count = self.starts.len() - 1;
        out.groups.resize(self.rows.len(), [[0.0; WIDTH]; 3]);
        out.in_region.resize(count, false);
        let groups = ByOffsets { entries: &mut out.groups, offsets: &self.starts };
        let in_region = Strided { entries: &mut out.in_region, stride: 1 };
        parallel::for_each_of(self.grain(), 0..count, (groups, in_region), &|range, (groups, in_region)| {
            let (first, points, free) = (range.start, points.as_ptr().cast(), &free);
            let (out, in_region) = (groups.entries, in_region.entries);
            f64::dispatch(self.instructions, MovementsOf { members: self, first, points, maps, free, out, in_region });
        });
    }

    /// The sum of a particle's movements over its regions, which are given.
    pub(super) fn movement(&self, v: usize, regions: &[u32], movements: &Movements) -> Vec3 {
        let flat = movements.groups.as_flattened().as_flattened();
        let own = self.movements_of.row(v).iter().zip(regions);
        own.filter(|(_, region)| movements.in_region[**region as usize]).fold(Vec3::ZERO, |sum, (&at, _)| {
            let at = at as usize;
            sum + Vec3::new(flat[at], flat[at + WIDTH], flat[at + 2 * WIDTH])
        })
    }
}

struct SumsOf<'a> {
    members: &'a Members,
    /// The first region.
    first: usize,
    points: *const f64,
    sums: &'a mut [[f64; 12]],
}

impl Kernel<f64> for SumsOf<'_> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let Members { starts, rows, numbers, .. } = self.members;
        for (region, out) in (self.first..).zip(self.sums) {
            // SAFETY: rows are places of particles, and there is a point for each (`sums`); arrays have a number for
            // each lane.
            unsafe {
                let mut all = [[L::zero(); 3]; 4];
                for group in starts[region] as usize..starts[region + 1] as usize {
                    let [mass, rest @ ..] = &numbers[group];
                    let mass = L::load(mass.as_ptr());
                    let x = L::gather(self.points, rows[group].as_ptr());
                    // Closures are not compiled with the instructions of lanes. Column by column all fits into registers.
                    let mut weighted = [L::zero(); 3];
                    for c in 0..3 {
                        weighted[c] = x[c].mul(mass);
                        all[0][c] = all[0][c].add(weighted[c]);
                    }
                    for column in 0..3 {
                        let r = L::load(rest[column].as_ptr());
                        for c in 0..3 {
                            all[column + 1][c] = weighted[c].mul_add(r, all[column + 1][c]);
                        }
                    }
                }
                let mut point = [0.0; 4];
                for (k, sums) in all.into_iter().enumerate() {
                    L::store_sums(sums, point.as_mut_ptr());
                    out[3 * k..3 * k + 3].copy_from_slice(&point[..3]);
                }
            }
        }
    }
}

struct MovementsOf<'a, F> {
    members: &'a Members,
    /// The first region.
    first: usize,
    points: *const f64,
    maps: &'a [Map],
    free: &'a F,
    out: &'a mut [[[f64; WIDTH]; 3]],
    in_region: &'a mut [bool],
}

impl<F: Fn(usize) -> f64> Kernel<f64> for MovementsOf<'_, F> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let Members { starts, rows, numbers, .. } = self.members;
        let begin = starts[self.first] as usize;
        let all_lanes = (1 << WIDTH) - 1;
        for (region, moves) in (self.first..).zip(self.in_region) {
            *moves = false;
            let own = starts[region] as usize..starts[region + 1] as usize;
            let map = &self.maps[region];
            let free = (self.free)(region);
            // SAFETY: rows are places of particles, and there is a point for each (`movements`); arrays have a number
            // for each lane.
            unsafe {
                let mut lanes = [L::zero(); 12];
                for k in 0..12 {
                    lanes[k] = L::splat(map[k]);
                }
                let (one, least, within) = (L::splat(1.0), L::splat(f64::MIN_POSITIVE), L::splat(free * free));
                let (is_limited, free) = (free > 0.0, L::splat(free));
                for group in own.clone() {
                    let [_, rx, ry, rz] = &numbers[group];
                    let (rx, ry, rz) = (L::load(rx.as_ptr()), L::load(ry.as_ptr()), L::load(rz.as_ptr()));
                    let x = L::gather(self.points, rows[group].as_ptr());
                    let mut away = [L::zero(); 3];
                    for c in 0..3 {
                        let shifted = rz.mul_add(lanes[6 + c], lanes[9 + c]);
                        away[c] = rx.mul_add(lanes[c], ry.mul_add(lanes[3 + c], shifted)).sub(x[c]);
                    }
                    let square = away[0].mul_add(away[0], away[1].mul_add(away[1], away[2].mul(away[2])));
                    // Mostly all are within the free distance: no root and no division then, and mostly nothing to write.
                    if square.less_mask(within) == all_lanes {
                        if *moves {
                            self.out[group - begin] = [[0.0; WIDTH]; 3];
                        }
                        continue;
                    }
                    if !*moves {
                        self.out[own.start - begin..group - begin].fill([[0.0; WIDTH]; 3]);
                        *moves = true;
                    }
                    let out = &mut self.out[group - begin];
                    let share =
                        if is_limited { one.sub(free.div(square.sqrt().max(least))).max(L::zero()) } else { one };
                    for c in 0..3 {
                        away[c].mul(share).store(out[c].as_mut_ptr());
                    }
                }
            }
        }
    }
}
