//! Elements with a fixed number of corners, a vector of them at a time: what is the same for all laws.
//!
//! A [`Law`] says what forces the edges of an element cause; [`Elements`] knows where its corners are and what its
//! numbers are. To give an energy a kernel: write its law, and name it in `mod.rs`.

use std::fmt::Debug;
use std::mem::MaybeUninit;
use std::ops::Range;

use super::Point;
use super::corners::{Corners, SlotCounter};
use super::simplex_blocks::Blocks;
use crate::energy::{Curvature, Memory, Operator};
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes, Real};
use crate::math::symmetric_eigen;
use crate::parallel::{Shared, Team};

/// What elements of one kind do: forces from the `E` edges that lead from the first corner to the others.
///
/// The pointers that unsafe methods take must be to the group's own numbers and kept values.
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

    /// Whether there is a [`search`](Self::search).
    const SEARCHES: bool = false;

    /// What a projection is made of: the edges, or what it wants of them from its search to its gradients.
    #[inline(always)]
    unsafe fn measure<L: Lanes<Scalar = S>>(&self, edges: &[[L; 3]; E], _numbers: *const S) -> [[L; 3]; E] {
        *edges
    }

    /// Improves what is kept, and returns the lanes where it failed. Such a search is one long chain of operations, through which the processor waits for
    /// itself; so the searches of several groups come one after the other with nothing between them, and it has more than one under way.
    #[inline(always)]
    unsafe fn search<L: Lanes<Scalar = S>>(&self, _measure: &[[L; 3]; E], _numbers: *const S, _kept: *mut S) -> u32 {
        0
    }

    /// Gradients at the corners but the first, and twice the energy, after the search, which has failed in some lanes.
    unsafe fn gradients<L: Lanes<Scalar = S>>(
        &self,
        measure: &[[L; 3]; E],
        numbers: *const S,
        kept: *mut S,
        failed: u32,
    ) -> ([[L; 3]; E], L);

    /// Whether there are [`blocks`](Self::blocks): raw, those of the true second derivative too, from warm values alone.
    fn has_blocks(&self, _curvature: Curvature) -> bool {
        false
    }

    /// Blocks of the second derivative between edges i ≤ j, by columns, one after the other: projected, at least what is positive of it. What is kept
    /// must be what [`gradients`](Self::gradients) has left at the same positions.
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

/// Is told of a block: whether it is on the diagonal, two places, its first number.
pub(super) type VisitBlock<'a> = dyn FnMut(bool, u32, u32, usize) + 'a;

/// Elements with kernels, whatever their kind.
pub(super) trait LaneBatch<S>: Debug + Send + Sync {
    fn groups(&self) -> usize;

    /// Turns numbers within vertices into places among all slots.
    fn resolve(&mut self, slot: &dyn Fn(u32, u32) -> u32);

    /// Numbers that all groups keep from one projection to the next.
    fn kept_len(&self) -> usize;

    /// Takes kept numbers from memory.
    fn load_warm(&self, team: &Team<'_>, memory: &[Memory], kept: &mut [S]);

    /// Leaves kept numbers for the next solve.
    fn store_warm(&self, team: &Team<'_>, kept: &[S], memory: &mut [Memory]);

    /// Numbers that a round of a coupled projection adds up over all elements; none where elements are on their own.
    fn sums(&self) -> usize {
        0
    }

    /// Adds up what a round needs of some groups.
    ///
    /// # Safety
    /// As for [`forces`](Self::forces).
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

    /// Numbers among the model's energies of the batches whose second derivative [`blocks`](Self::blocks) gives; empty for none. Raw: only where it gives
    /// the true one too, and from warm values alone.
    fn batches_with_blocks(&self, _curvature: Curvature) -> &[usize] {
        &[]
    }

    /// Tells of each block between corners i ≤ j whether it is on the diagonal, the places of both corners and its first number; blocks begin at `start`.
    /// Returns where they end.
    fn list_blocks(&self, start: usize, _visit: &mut VisitBlock<'_>) -> usize {
        start
    }

    /// Writes the blocks of some groups between corners i ≤ j: three points for each, its columns, group by group, pair by pair, column by
    /// column, lane by lane.
    ///
    /// # Safety
    /// `points` has all vertices, `out` and `kept` are those of this batch, and no other thread has the same groups.
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
    /// # Safety
    /// `points` and `slots` are those of the whole local step, `kept` is that of this batch, and no other thread has the
    /// same groups.
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
    pub(super) corners: Corners<N>,
    pub(super) numbers: Vec<S>,
    pub(super) law: W,
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

/// Groups whose kept numbers a thread loads or stores at a time.
const GROUPS_AT_ONCE: usize = 128;

fn for_groups(team: &Team<'_>, count: usize, work: impl Fn(usize) + Sync) {
    team.share(count.div_ceil(GROUPS_AT_ONCE), |item| {
        (item * GROUPS_AT_ONCE..count.min((item + 1) * GROUPS_AT_ONCE)).for_each(&work);
    });
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

            fn load_warm(&self, team: &Team<'_>, memory: &[Memory], kept: &mut [S]) {
                let (warm, all) = (self.law.warm(), self.law.warm() + self.law.spare());
                if all == 0 {
                    return;
                }
                let source = &memory[self.batches[0]].warm[..];
                assert_eq!(kept.len(), LaneBatch::<S>::kept_len(self), "kept numbers of every group");
                let (size, kept) = (all * S::WIDTH, Shared(kept.as_mut_ptr()));
                for_groups(team, self.groups(), |group| {
                    // SAFETY: there are `size` kept numbers for each group, as checked above, and a group is in one
                    // item.
                    let kept = unsafe { std::slice::from_raw_parts_mut(kept.get().add(size * group), size) };
                    for lane in 0..S::WIDTH {
                        let element = self.corners.lane(group, lane).0 as usize;
                        let numbers = &source[warm * element..][..warm];
                        for k in 0..all {
                            let number = if k < warm { numbers[k] } else { self.law.fresh(k - warm) };
                            kept[k * S::WIDTH + lane] = S::from_f64(number);
                        }
                    }
                });
            }

            fn store_warm(&self, team: &Team<'_>, kept: &[S], memory: &mut [Memory]) {
                let (warm, all) = (self.law.warm(), self.law.warm() + self.law.spare());
                if warm == 0 {
                    return;
                }
                for &batch in &self.batches {
                    let out = &mut memory[batch].warm[..];
                    assert_eq!(out.len(), warm * self.corners.elements.len(), "warm values of every element");
                    let out = Shared(out.as_mut_ptr());
                    for_groups(team, self.groups(), |group| {
                        let kept = &kept[all * S::WIDTH * group..][..all * S::WIDTH];
                        for lane in 0..S::WIDTH {
                            let (element, is_padding) = self.corners.lane(group, lane);
                            if is_padding {
                                break;
                            }
                            let first = warm * element as usize;
                            // SAFETY: an element is in one lane, and there are `warm` numbers for each, as checked
                            // above.
                            let out = unsafe { std::slice::from_raw_parts_mut(out.get().add(first), warm) };
                            for (k, out) in out.iter_mut().enumerate() {
                                *out = kept[k * S::WIDTH + lane].to_f64();
                            }
                        }
                    });
                }
            }

            fn batches_with_blocks(&self, curvature: Curvature) -> &[usize] {
                if self.law.has_blocks(curvature) { &self.batches } else { &[] }
            }

            fn list_blocks(&self, start: usize, visit: &mut VisitBlock<'_>) -> usize {
                self.corners.list_blocks(start, visit)
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

/// Groups whose searches come one after the other.
const SEARCHES_AT_ONCE: usize = 4;

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
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let w = S::WIDTH;
        let points = self.points.as_ptr().cast::<f64>();
        let Elements { corners, numbers, law, .. } = self.elements;
        let (numbers_len, kept_len) = (law.numbers() * w, (law.warm() + law.spare()) * w);
        let at_once = if W::SEARCHES { SEARCHES_AT_ONCE } else { 1 };
        // SAFETY: `evaluate` gives points of all vertices, and each item groups of its own; a group has the numbers and
        // kept values that its law asks for (`new`, `kept_len`), and each corner a place and a slot of its own
        // (`resolve`). Measures are written before they are read.
        unsafe {
            let mut energy = L::zero();
            let mut failed = [0; SEARCHES_AT_ONCE];
            let mut measures = [const { MaybeUninit::<[[L; 3]; E]>::uninit() }; SEARCHES_AT_ONCE];
            let mut group = self.groups.start;
            while group < self.groups.end {
                let count = at_once.min(self.groups.end - group);
                for k in 0..count {
                    let edges = L::edges_of_simplex::<E>(points, corners.places.as_ptr().add(corners.first(group + k)));
                    measures[k].write(law.measure(&edges, numbers.as_ptr().add((group + k) * numbers_len)));
                }
                if W::SEARCHES {
                    for k in 0..count {
                        let numbers = numbers.as_ptr().add((group + k) * numbers_len);
                        let kept = self.kept.add((group + k) * kept_len);
                        failed[k] = law.search(measures[k].assume_init_ref(), numbers, kept);
                    }
                }
                for k in 0..count {
                    let numbers = numbers.as_ptr().add((group + k) * numbers_len);
                    let kept = self.kept.add((group + k) * kept_len);
                    let (gradients, twice) =
                        law.gradients::<L>(measures[k].assume_init_ref(), numbers, kept, failed[k]);
                    energy = energy.add(twice);
                    scatter::<L, E>(&gradients, corners.slots.as_ptr().add(corners.first(group + k)), self.slots);
                }
                group += count;
            }
            *self.energy = 0.5 * sum_of_lanes(energy);
        }
    }
}

/// Writes gradients at corners but the first to their slots, and to that of the first what keeps their sum at zero.
///
/// # Safety
/// Slots are those of the group, corner by corner.
#[inline(always)]
pub(super) unsafe fn scatter<L: Lanes, const E: usize>(
    gradients: &[[L; 3]; E],
    slots: *const u32,
    out: *mut [L::Scalar; 4],
) {
    // SAFETY: there is a vector of slots for each corner, all of them in `out`, as the caller promises.
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
#[inline(always)]
pub(super) fn sum_of_lanes<L: Lanes>(lanes: L) -> f64 {
    let mut numbers = [L::Scalar::default(); 8];
    lanes.write_to(&mut numbers);
    let mut sum = 0.0;
    for lane in 0..L::WIDTH {
        sum += numbers[lane].to_f64();
    }
    sum
}

/// A x of a group: `A` row by row at the numbers, applied to edges.
///
/// # Safety
/// There are R · E vectors at `numbers`.
#[inline(always)]
pub(super) unsafe fn apply<L: Lanes, const R: usize, const E: usize>(
    numbers: *const L::Scalar,
    edges: &[[L; 3]; E],
) -> [[L; 3]; R] {
    // SAFETY: there are R · E vectors, as the caller promises.
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
/// # Safety
/// There are R · E vectors at `numbers`.
#[inline(always)]
pub(super) unsafe fn apply_transposed<L: Lanes, const R: usize, const E: usize>(
    numbers: *const L::Scalar,
    d: &[[L; 3]; R],
) -> [[L; 3]; E] {
    // SAFETY: there are R · E vectors, as the caller promises.
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
