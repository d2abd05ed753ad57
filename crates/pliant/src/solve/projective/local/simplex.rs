//! Elements with a fixed number of corners, a vector of them at a time: what is the same for all laws.
//!
//! A [`Law`] says what forces the edges of an element cause; [`Elements`] knows where its corners are and what its
//! numbers are. To give an energy a kernel: write its law, and name it in `mod.rs`.

use std::fmt::Debug;
use std::ops::Range;

use super::Point;
use super::corners::{Corners, SlotCounter};
use crate::energy::{Curvature, Memory, Operator};
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes, Real};
use crate::math::symmetric_eigen;

/// What elements of one kind do: forces from the `E` edges that lead from the first corner to the others.
pub(super) trait Law<S: LaneNumber, const E: usize>: Debug + Send + Sync {
    /// Vectors of numbers that a group has.
    fn numbers(&self) -> usize;

    /// Numbers that an element keeps from one projection to the next: the warm values of its batch, then `spare` more that begin
    /// each stage as [`fresh`](Self::fresh) says.
    fn warm(&self) -> usize {
        0
    }

    fn spare(&self) -> usize {
        0
    }

    /// The k-th spare number at the beginning of a stage.
    fn fresh(&self, _k: usize) -> f64 {
        0.0
    }

    /// Gradients at the corners but the first, and twice the energy.
    ///
    /// SAFETY: the processor has the instructions of `L`; the pointers are those of the group's numbers and kept values.
    unsafe fn gradients<L: Lanes<Scalar = S>>(
        &self,
        edges: &[[L; 3]; E],
        numbers: *const S,
        kept: *mut S,
    ) -> ([[L; 3]; E], L);

    /// Whether there are [`blocks`](Self::blocks).
    fn has_blocks(&self) -> bool {
        false
    }

    /// Blocks of the second derivative between edges i ≤ j, by columns, one after the other: projected, at least what is positive of it. What is kept
    /// must be what [`gradients`](Self::gradients) has left at the same positions.
    ///
    /// SAFETY: as for [`gradients`](Self::gradients).
    unsafe fn blocks<L: Lanes<Scalar = S>>(
        &self,
        _edges: &[[L; 3]; E],
        _numbers: *const S,
        _kept: *const S,
        _curvature: Curvature,
        _blocks: &mut [[[L; 3]; 3]; 6],
    ) {
    }
}

/// Elements with kernels, whatever their kind.
pub(super) trait LaneBatch<S>: Debug + Send + Sync {
    fn groups(&self) -> usize;

    /// Turns numbers within vertices into places among all slots.
    fn resolve(&mut self, slot: &dyn Fn(u32, u32) -> u32);

    /// Numbers that all groups keep from one projection to the next.
    fn kept_len(&self) -> usize;

    /// Takes kept numbers from memory.
    fn load_warm(&self, memory: &[Memory], kept: &mut [S]);

    /// Leaves kept numbers for the next solve.
    fn store_warm(&self, kept: &[S], memory: &mut [Memory]);

    /// Numbers that a round of a coupled projection adds up over all elements; none where elements are on their own.
    fn sums(&self) -> usize {
        0
    }

    /// Adds up what a round needs of some groups.
    ///
    /// SAFETY: as for [`forces`](Self::forces).
    unsafe fn add_up(
        &self,
        _instructions: InstructionSet,
        _groups: Range<usize>,
        _points: &[Point],
        _kept: *mut S,
        _sums: &mut [f64],
    ) {
    }

    /// Ends a round with the sums over all groups; whether another is needed.
    fn settle(&self, _sums: &[f64], _kept: &mut [S]) -> bool {
        false
    }

    /// Energy beside that of elements \[J\].
    fn extra_energy(&self, _kept: &[S]) -> f64 {
        0.0
    }

    /// Numbers among the model's energies of the batches whose second derivative [`blocks`](Self::blocks) gives; empty for none.
    fn batches_with_blocks(&self) -> &[usize] {
        &[]
    }

    /// Corners of an element that has blocks.
    fn corners(&self) -> usize {
        0
    }

    /// The place of a corner; none in a lane that only fills up.
    fn place(&self, _group: usize, _corner: usize, _lane: usize) -> Option<u32> {
        None
    }

    /// Writes the blocks of some groups between corners i ≤ j: three points for each, its columns, group by group, pair by pair, column by
    /// column, lane by lane.
    ///
    /// SAFETY: `out` and `kept` are those of this batch, and no other thread has the same groups.
    unsafe fn blocks(
        &self,
        _instructions: InstructionSet,
        _groups: Range<usize>,
        _points: &[Point],
        _kept: *const S,
        _curvature: Curvature,
        _out: *mut S,
    ) {
    }

    /// Writes the forces of some groups to their slots and returns their energy \[J\].
    ///
    /// SAFETY: `slots` and `kept` are those of the whole local step and of this batch, and no other thread has the same groups.
    unsafe fn forces(
        &self,
        instructions: InstructionSet,
        groups: Range<usize>,
        points: &[Point],
        slots: *mut [S; 4],
        kept: *mut S,
    ) -> f64;
}

/// Elements of one or more batches at the same corners, under one law.
#[derive(Debug)]
pub(super) struct Elements<S, W, const N: usize> {
    /// Numbers of the batches among the model's energies; their warm values are the same.
    batches: Vec<usize>,
    corners: Corners<N>,
    numbers: Vec<S>,
    law: W,
}

impl<S: LaneNumber, W, const N: usize> Elements<S, W, N> {
    /// `number` gives the k-th number of an element. Those from `weights` on are zero in lanes that only fill up.
    pub(super) fn new<const E: usize>(
        batches: Vec<usize>,
        operator: &Operator,
        law: W,
        weights: usize,
        slots: &mut SlotCounter<'_>,
        number: impl Fn(usize, usize) -> f64,
    ) -> Self
    where
        W: Law<S, E>,
    {
        let corners = Corners::new(S::WIDTH, operator, slots);
        let mut numbers = Vec::with_capacity(corners.groups() * law.numbers() * S::WIDTH);
        for group in 0..corners.groups() {
            for k in 0..law.numbers() {
                numbers.extend(corners.per_lane::<S>(group, k >= weights, |e| number(e, k)));
            }
        }
        Self { batches, corners, numbers, law }
    }
}

/// (Gram + ε I)⁻¹ of examples. Directions whose eigenvalue is below a share of the trace are left out: numbers of few digits would
/// fill them with noise, and they hardly change the shape.
pub(super) fn inverse_gram(n: usize, gram: impl Fn(usize, usize) -> f64, epsilon: f64, smallest: f64) -> Vec<f64> {
    let mut matrix: Vec<f64> = (0..n * n).map(|k| gram(k / n, k % n)).collect();
    let trace: f64 = (0..n).map(|i| matrix[i * n + i]).sum();
    let mut vectors = vec![0.0; n * n];
    symmetric_eigen(&mut matrix, &mut vectors, n);
    let mut inverse = vec![0.0; n * n];
    for k in 0..n {
        let value = matrix[k * n + k] + epsilon;
        if value > smallest * trace && value > 0.0 {
            for i in 0..n {
                (0..n).for_each(|j| inverse[i * n + j] += vectors[i * n + k] * vectors[j * n + k] / value);
            }
        }
    }
    inverse
}

/// An element's A at corners but the first, row by row: with rows that add up to zero that is all of it.
pub(super) fn edge_coefficient(operator: &Operator, element: usize, k: usize) -> f64 {
    let corners = operator.stencil(element).len();
    let (row, edge) = (k / (corners - 1), k % (corners - 1));
    operator.coefficients(element)[corners * row + edge + 1]
}

macro_rules! lane_batch {
    ($corners:literal, $edges:literal) => {
        impl<S: LaneNumber, W: Law<S, $edges>> LaneBatch<S> for Elements<S, W, $corners> {
            fn groups(&self) -> usize {
                self.corners.groups()
            }

            fn resolve(&mut self, slot: &dyn Fn(u32, u32) -> u32) {
                self.corners.resolve(slot);
            }

            fn kept_len(&self) -> usize {
                (self.law.warm() + self.law.spare()) * S::WIDTH * self.groups()
            }

            fn load_warm(&self, memory: &[Memory], kept: &mut [S]) {
                let (warm, all) = (self.law.warm(), self.law.warm() + self.law.spare());
                if all == 0 {
                    return;
                }
                for (group, kept) in kept.chunks_exact_mut(all * S::WIDTH).enumerate() {
                    for lane in 0..S::WIDTH {
                        let element = self.corners.lane(group, lane).0 as usize;
                        for k in 0..all {
                            let value = if k < warm {
                                memory[self.batches[0]].warm[warm * element + k]
                            } else {
                                self.law.fresh(k - warm)
                            };
                            kept[k * S::WIDTH + lane] = S::from_f64(value);
                        }
                    }
                }
            }

            fn store_warm(&self, kept: &[S], memory: &mut [Memory]) {
                let (warm, all) = (self.law.warm(), self.law.warm() + self.law.spare());
                for &batch in &self.batches {
                    for (lane, &e) in self.corners.elements.iter().enumerate() {
                        let (group, lane) = (lane / S::WIDTH, lane % S::WIDTH);
                        for k in 0..warm {
                            memory[batch].warm[warm * e as usize + k] =
                                kept[(all * group + k) * S::WIDTH + lane].to_f64();
                        }
                    }
                }
            }

            fn batches_with_blocks(&self) -> &[usize] {
                if self.law.has_blocks() { &self.batches } else { &[] }
            }

            fn corners(&self) -> usize {
                $corners
            }

            fn place(&self, group: usize, corner: usize, lane: usize) -> Option<u32> {
                let (_, is_padding) = self.corners.lane(group, lane);
                let place = self.corners.places[self.corners.first(group) + corner * S::WIDTH + lane] / 4;
                (!is_padding).then_some(place)
            }

            unsafe fn blocks(
                &self,
                instructions: InstructionSet,
                groups: Range<usize>,
                points: &[Point],
                kept: *const S,
                curvature: Curvature,
                out: *mut S,
            ) {
                S::dispatch(
                    instructions,
                    Blocks::<S, W, $corners, $edges> { elements: self, groups, points, kept, curvature, out },
                );
            }

            unsafe fn forces(
                &self,
                instructions: InstructionSet,
                groups: Range<usize>,
                points: &[Point],
                slots: *mut [S; 4],
                kept: *mut S,
            ) -> f64 {
                let mut energy = 0.0;
                let forces = Forces::<S, W, $corners, $edges> {
                    elements: self,
                    groups,
                    points,
                    slots,
                    kept,
                    energy: &mut energy,
                };
                S::dispatch(instructions, forces);
                energy
            }
        }
    };
}

lane_batch!(2, 1);
lane_batch!(3, 2);
lane_batch!(4, 3);

/// Writes the forces of some groups to their slots, and what they keep.
struct Forces<'a, S, W, const N: usize, const E: usize> {
    elements: &'a Elements<S, W, N>,
    groups: Range<usize>,
    points: &'a [Point],
    slots: *mut [S; 4],
    kept: *mut S,
    energy: &'a mut f64,
}

impl<S: LaneNumber, W: Law<S, E>, const N: usize, const E: usize> Kernel<S> for Forces<'_, S, W, N, E> {
    /// SAFETY: corners' places are those of points, each has a slot of its own, and each group its numbers.
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        let w = S::WIDTH;
        let points = self.points.as_ptr().cast::<f64>();
        let Elements { corners, numbers, law, .. } = self.elements;
        let (numbers_len, kept_len) = (law.numbers() * w, (law.warm() + law.spare()) * w);
        unsafe {
            let mut energy = L::zero();
            for group in self.groups.start..self.groups.end {
                let first = corners.first(group);
                let edges = L::edges_of_simplex::<E>(points, corners.places.as_ptr().add(first));
                let numbers = numbers.as_ptr().add(group * numbers_len);
                let (gradients, twice) = law.gradients::<L>(&edges, numbers, self.kept.add(group * kept_len));
                energy = energy.add(twice);
                scatter::<L, E>(&gradients, corners.slots.as_ptr().add(first), self.slots);
            }
            *self.energy = 0.5 * sum_of_lanes(energy);
        }
    }
}

/// Writes the blocks of some groups.
struct Blocks<'a, S, W, const N: usize, const E: usize> {
    elements: &'a Elements<S, W, N>,
    groups: Range<usize>,
    points: &'a [Point],
    kept: *const S,
    curvature: Curvature,
    out: *mut S,
}

impl<S: LaneNumber, W: Law<S, E>, const N: usize, const E: usize> Kernel<S> for Blocks<'_, S, W, N, E> {
    /// SAFETY: as for [`Forces`]; each group has room for its blocks.
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        let w = S::WIDTH;
        let points = self.points.as_ptr().cast::<f64>();
        let Elements { corners, numbers, law, .. } = self.elements;
        let (numbers_len, kept_len) = (law.numbers() * w, (law.warm() + law.spare()) * w);
        // A column of a block is a point for each lane.
        let column = 4 * w;
        unsafe {
            for group in self.groups.start..self.groups.end {
                let edges = L::edges_of_simplex::<E>(points, corners.places.as_ptr().add(corners.first(group)));
                let numbers = numbers.as_ptr().add(group * numbers_len);
                let mut inner = [[[L::zero(); 3]; 3]; 6];
                law.blocks::<L>(&edges, numbers, self.kept.add(group * kept_len), self.curvature, &mut inner);
                let mut out = self.out.add(group * (N * (N + 1) / 2) * 3 * column);
                // Translations cost nothing: blocks of the first corner are what keeps sums of rows and columns at zero.
                let mut first = [[[L::zero(); 3]; 3]; E];
                let mut corner = [[L::zero(); 3]; 3];
                let mut at = 0;
                for i in 0..E {
                    for j in i..E {
                        for c in 0..3 {
                            for r in 0..3 {
                                let value = inner[at][c][r];
                                first[j][c][r] = first[j][c][r].sub(value);
                                if i != j {
                                    first[i][r][c] = first[i][r][c].sub(value);
                                }
                            }
                        }
                        at += 1;
                    }
                }
                for j in 0..E {
                    for c in 0..3 {
                        for r in 0..3 {
                            corner[c][r] = corner[c][r].sub(first[j][c][r]);
                        }
                    }
                }
                for c in 0..3 {
                    L::store_points(corner[c], out);
                    out = out.add(column);
                }
                for j in 0..E {
                    for c in 0..3 {
                        L::store_points(first[j][c], out);
                        out = out.add(column);
                    }
                }
                for block in 0..E * (E + 1) / 2 {
                    for c in 0..3 {
                        L::store_points(inner[block][c], out);
                        out = out.add(column);
                    }
                }
            }
        }
    }
}

/// Writes gradients at corners but the first to their slots, and to that of the first what keeps their sum at zero.
///
/// SAFETY: slots are those of the group, corner by corner.
#[inline(always)]
pub(super) unsafe fn scatter<L: Lanes, const E: usize>(
    gradients: &[[L; 3]; E],
    slots: *const u32,
    out: *mut [L::Scalar; 4],
) {
    unsafe {
        let mut at_first = [L::zero(); 3];
        for k in 0..E {
            for c in 0..3 {
                at_first[c] = at_first[c].sub(gradients[k][c]);
            }
            L::scatter(out.cast(), slots.add((k + 1) * L::WIDTH), gradients[k]);
        }
        L::scatter(out.cast(), slots, at_first);
    }
}

/// The sum over lanes, in f64.
///
/// SAFETY: the processor has the instructions of `L`.
#[inline(always)]
pub(super) unsafe fn sum_of_lanes<L: Lanes>(lanes: L) -> f64 {
    let mut numbers = [L::Scalar::default(); 8];
    unsafe { lanes.store(numbers.as_mut_ptr()) }
    let mut sum = 0.0;
    for lane in 0..L::WIDTH {
        sum += numbers[lane].to_f64();
    }
    sum
}

/// A x of a group: `A` row by row at the numbers, applied to edges.
///
/// SAFETY: there are R · E vectors at `numbers`.
#[inline(always)]
pub(super) unsafe fn apply<L: Lanes, const R: usize, const E: usize>(
    numbers: *const L::Scalar,
    edges: &[[L; 3]; E],
) -> [[L; 3]; R] {
    unsafe {
        let mut z = [[L::zero(); 3]; R];
        for row in 0..R {
            for k in 0..E {
                let a = L::load(numbers.add((E * row + k) * L::WIDTH));
                for c in 0..3 {
                    z[row][c] = a.mul_add(edges[k][c], z[row][c]);
                }
            }
        }
        z
    }
}

/// Aᵀ d of a group.
///
/// SAFETY: there are R · E vectors at `numbers`.
#[inline(always)]
pub(super) unsafe fn apply_transposed<L: Lanes, const R: usize, const E: usize>(
    numbers: *const L::Scalar,
    d: &[[L; 3]; R],
) -> [[L; 3]; E] {
    unsafe {
        let mut gradients = [[L::zero(); 3]; E];
        for row in 0..R {
            for k in 0..E {
                let a = L::load(numbers.add((E * row + k) * L::WIDTH));
                for c in 0..3 {
                    gradients[k][c] = a.mul_add(d[row][c], gradients[k][c]);
                }
            }
        }
        gradients
    }
}
