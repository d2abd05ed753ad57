//! Damping in proportion to stiffness, of elements with any number of corners, a vector of them at a time: each is drawn to its shape at the beginning of
//! the stage, freely rotated.
//!
//! Elements of a group have as many corners as its largest; the others are at the first corner, with coefficients of zero.

use std::marker::PhantomData;
use std::ops::Range;

use super::corners::SlotCounter;
use super::damping_blocks::Blocks;
use super::simplex::{LaneBatch, VisitBlock, sum_of_lanes};
use super::{Order, Point};
use crate::energy::{Curvature, Memory, Operator};
use crate::math::lanes::nearest::{columns_of, constant, dot, nearest_rotation};
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::parallel::Team;

/// The rotation of an element's `R` rows since the beginning of the stage.
pub(super) trait Fit<S: LaneNumber, const R: usize>: std::fmt::Debug + Send + Sync {
    /// Numbers of the rotation that are kept from one projection to the next, beside A x at the beginning of the stage.
    const ROTATION: usize;

    /// A x − p and its squared length.
    ///
    /// # Safety
    /// `kept` is that of the group: A x at the beginning, then the rotation.
    unsafe fn residual<L: Lanes<Scalar = S>>(z: &[[L; 3]; R], kept: *mut S) -> ([[L; 3]; R], L);
}

/// Fits of `R` rows.
#[derive(Debug)]
pub(super) struct FreeRotation<const R: usize>;

/// Squared length below which a vector has no direction.
const SHORTEST_SQUARED: f64 = 1e-30;

impl<S: LaneNumber> Fit<S, 1> for FreeRotation<1> {
    const ROTATION: usize = 0;

    #[inline(always)]
    unsafe fn residual<L: Lanes<Scalar = S>>(z: &[[L; 3]; 1], kept: *mut S) -> ([[L; 3]; 1], L) {
        // SAFETY: a group keeps three vectors, as the caller promises.
        unsafe {
            let tiny = constant::<L>(SHORTEST_SQUARED);
            let last = [L::load(kept), L::load(kept.add(S::WIDTH)), L::load(kept.add(2 * S::WIDTH))];
            let squared = dot(z[0], z[0]);
            let scale = dot(last, last).sqrt().mul(squared.max(tiny).inverse_sqrt());
            let mut d = *z;
            for c in 0..3 {
                d[0][c] = z[0][c].sub(squared.select_less(tiny, last[c], scale.mul(z[0][c])));
            }
            (d, dot(d[0], d[0]))
        }
    }
}

macro_rules! free_rotation {
    ($rows:literal) => {
        impl<S: LaneNumber> Fit<S, $rows> for FreeRotation<$rows> {
            /// A quaternion (x, y, z, w).
            const ROTATION: usize = 4;

            #[inline(always)]
            unsafe fn residual<L: Lanes<Scalar = S>>(z: &[[L; 3]; $rows], kept: *mut S) -> ([[L; 3]; $rows], L) {
                let w = S::WIDTH;
                // SAFETY: a group keeps three vectors for each row and four of its quaternion, as the caller promises.
                unsafe {
                    let mut last = [[L::zero(); 3]; $rows];
                    let mut covariance = [[L::zero(); 3]; 3];
                    for row in 0..$rows {
                        for c in 0..3 {
                            last[row][c] = L::load(kept.add((3 * row + c) * w));
                            for k in 0..3 {
                                covariance[c][k] = z[row][k].mul_add(last[row][c], covariance[c][k]);
                            }
                        }
                    }
                    let quaternion = kept.add(3 * $rows * w);
                    let mut q = [L::zero(); 4];
                    for k in 0..4 {
                        q[k] = L::load(quaternion.add(k * w));
                    }
                    nearest_rotation::<L>(&covariance, &mut q);
                    for k in 0..4 {
                        q[k].store(quaternion.add(k * w));
                    }
                    let r = columns_of(q);
                    let mut d = *z;
                    let mut squared = L::zero();
                    for row in 0..$rows {
                        let l = last[row];
                        for k in 0..3 {
                            let fitted = r[0][k].mul_add(l[0], r[1][k].mul_add(l[1], r[2][k].mul(l[2])));
                            d[row][k] = z[row][k].sub(fitted);
                        }
                        squared = dot(d[row], d[row]).add(squared);
                    }
                    (d, squared)
                }
            }
        }
    };
}

free_rotation!(2);
free_rotation!(3);
free_rotation!(4);

/// Elements of one batch.
#[derive(Debug)]
pub(super) struct Stars<S, W, const R: usize> {
    /// Its number among the model's energies.
    batch: [usize; 1],
    /// First number of the blocks of each group.
    pub(super) block_starts: Vec<u32>,
    /// Elements that the lanes stand for, in the order of lanes.
    elements: Vec<u32>,
    /// First corner among those of all groups, of each group; a group has as many as its largest element.
    pub(super) starts: Vec<u32>,
    /// For each corner but the first of a group a vector of places of the first corner, then one of its own; and its slots.
    places: Vec<u32>,
    slots: Vec<u32>,
    first_slots: Vec<u32>,
    /// For each corner but the first `R` vectors of A.
    coefficients: Vec<S>,
    pub(super) weights: Vec<S>,
    fit: PhantomData<W>,
}

/// A slot before it has its place: that of its vertex, or of padding, and the number there.
const PADDING_PLACE: u32 = u32::MAX;

impl<S: LaneNumber, W: Fit<S, R>, const R: usize> Stars<S, W, R> {
    pub(super) fn new(
        batch: usize,
        operator: &Operator,
        scale: f64,
        order: &Order,
        slots: &mut SlotCounter<'_>,
    ) -> Self {
        let w = S::WIDTH;
        let place = |e: u32, corner: usize| order.places[operator.stencil(e as usize)[corner] as usize];
        let corners = |e: u32| operator.stencil(e as usize).len();
        let mut elements: Vec<u32> = (0..operator.len() as u32).collect();
        elements.sort_by_key(|&e| (corners(e), place(e, 0)));
        let mut stars = Self {
            batch: [batch],
            block_starts: vec![0],
            starts: vec![0],
            places: Vec::new(),
            slots: Vec::new(),
            first_slots: Vec::new(),
            coefficients: Vec::new(),
            weights: Vec::new(),
            fit: PhantomData,
            elements,
        };
        for group in 0..stars.elements.len().div_ceil(w) {
            let lane = |lane: usize| {
                let k = group * w + lane;
                (stars.elements[k.min(stars.elements.len() - 1)], k >= stars.elements.len())
            };
            let lanes: Vec<(u32, bool)> = (0..w).map(lane).collect();
            let most = lanes.iter().map(|&(e, _)| corners(e)).max().unwrap_or(1);
            for corner in 0..most {
                if corner > 0 {
                    stars.places.extend(lanes.iter().map(|&(e, _)| 4 * place(e, 0)));
                    for row in 0..R {
                        stars.coefficients.extend(lanes.iter().map(|&(e, _)| {
                            let own = operator.coefficients(e as usize);
                            S::from_f64(if corner < corners(e) { own[row * corners(e) + corner] } else { 0.0 })
                        }));
                    }
                }
                for &(e, is_padding) in &lanes {
                    let is_there = corner < corners(e);
                    let at = place(e, if is_there { corner } else { 0 });
                    if corner > 0 {
                        stars.places.push(4 * at);
                    }
                    let is_idle = is_padding || !is_there;
                    let slot = if is_idle { slots.idle() } else { slots.next(at) };
                    let list = if corner == 0 { &mut stars.first_slots } else { &mut stars.slots };
                    list.extend([if is_idle { PADDING_PLACE } else { at }, slot]);
                }
            }
            stars.starts.push(stars.starts[group] + most as u32 - 1);
            stars.block_starts.push(stars.block_starts[group] + (most * (most + 1) / 2 * 3 * 4 * w) as u32);
            stars.weights.extend(lanes.iter().map(|&(e, is_padding)| {
                S::from_f64(if is_padding { 0.0 } else { scale * operator.weight(e as usize) })
            }));
        }
        stars
    }

    /// A x of a group.
    ///
    /// # Safety
    /// Places are those of points.
    #[inline(always)]
    pub(super) unsafe fn measure<L: Lanes<Scalar = S>>(&self, group: usize, points: *const f64) -> [[L; 3]; R] {
        let w = S::WIDTH;
        // SAFETY: there are two vectors of places for each corner of a group, all of vertices, whose points the caller
        // has.
        unsafe {
            let mut z = [[L::zero(); 3]; R];
            for corner in self.starts[group] as usize..self.starts[group + 1] as usize {
                let [edge] = L::edges_of_simplex::<1>(points, self.places.as_ptr().add(2 * corner * w));
                let a = self.coefficients_of::<L>(corner);
                for row in 0..R {
                    for c in 0..3 {
                        z[row][c] = a[row].mul_add(edge[c], z[row][c]);
                    }
                }
            }
            z
        }
    }

    /// A of a corner but the first.
    ///
    /// # Safety
    /// As for [`measure`](Self::measure).
    #[inline(always)]
    pub(super) unsafe fn coefficients_of<L: Lanes<Scalar = S>>(&self, corner: usize) -> [L; R] {
        // SAFETY: `new` has made R vectors of coefficients for each corner.
        unsafe {
            let mut a = [L::zero(); R];
            for row in 0..R {
                a[row] = L::load(self.coefficients.as_ptr().add((corner * R + row) * S::WIDTH));
            }
            a
        }
    }

    fn kept_of_group() -> usize {
        (3 * R + W::ROTATION) * S::WIDTH
    }
}

impl<S: LaneNumber, W: Fit<S, R>, const R: usize> LaneBatch<S> for Stars<S, W, R> {
    fn groups(&self) -> usize {
        self.starts.len() - 1
    }

    fn resolve(&mut self, slot: &dyn Fn(u32, u32) -> u32) {
        for list in [&mut self.slots, &mut self.first_slots] {
            *list = list.as_chunks::<2>().0.iter().map(|&[place, number]| 4 * slot(place, number)).collect();
        }
    }

    fn kept_len(&self) -> usize {
        Self::kept_of_group() * self.groups()
    }

    fn load_warm(&self, _team: &Team<'_>, memory: &[Memory], kept: &mut [S]) {
        let last = &memory[self.batch[0]].warm;
        for (group, kept) in kept.chunks_exact_mut(Self::kept_of_group()).enumerate() {
            for lane in 0..S::WIDTH {
                let e = self.elements[(group * S::WIDTH + lane).min(self.elements.len() - 1)] as usize;
                for k in 0..3 * R + W::ROTATION {
                    // Then no rotation: zeros and a one.
                    let value = if k < 3 * R { last[3 * R * e + k] } else { f64::from(u8::from(k == 3 * R + 3)) };
                    kept[k * S::WIDTH + lane] = S::from_f64(value);
                }
            }
        }
    }

    /// Shapes at the beginning of the stage are not changed by projections.
    fn store_warm(&self, _team: &Team<'_>, _kept: &[S], _memory: &mut [Memory]) {}

    fn batches_with_blocks(&self, curvature: Curvature) -> &[usize] {
        if curvature == Curvature::Projected { &self.batch } else { &[] }
    }

    fn list_blocks(&self, start: usize, visit: &mut VisitBlock<'_>) -> usize {
        let w = S::WIDTH;
        for group in 0..self.starts.len() - 1 {
            let first = self.starts[group] as usize;
            let count = self.starts[group + 1] as usize - first + 1;
            // Corners that only fill up are at the first one, and have blocks of zero.
            let place = |corner: usize, lane: usize| match corner {
                0 => self.places[2 * first * w + lane] / 4,
                _ => self.places[(2 * (first + corner - 1) + 1) * w + lane] / 4,
            };
            let mut at = start + self.block_starts[group] as usize;
            for i in 0..count {
                for j in i..count {
                    for lane in (0..w).filter(|lane| group * w + lane < self.elements.len()) {
                        visit(i == j, place(i, lane), place(j, lane), at + 4 * lane);
                    }
                    at += 3 * 4 * w;
                }
            }
        }
        start + self.block_starts[self.starts.len() - 1] as usize
    }

    unsafe fn blocks(
        &self,
        instructions: InstructionSet,
        groups: Range<usize>,
        points: &[Point],
        kept: *const S,
        _curvature: Curvature,
        out: *mut S,
    ) {
        S::dispatch(instructions, Blocks::<S, W, R> { stars: self, groups, points, kept, out });
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
        S::dispatch(instructions, Forces::<S, W, R> { stars: self, groups, points, slots, kept, energy: &mut energy });
        energy
    }
}

/// Writes the forces of some groups to their slots, and what they keep.
struct Forces<'a, S, W, const R: usize> {
    stars: &'a Stars<S, W, R>,
    groups: Range<usize>,
    points: &'a [Point],
    slots: *mut [S; 4],
    kept: *mut S,
    energy: &'a mut f64,
}

impl<S: LaneNumber, W: Fit<S, R>, const R: usize> Kernel<S> for Forces<'_, S, W, R> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let (w, stars) = (S::WIDTH, self.stars);
        let points = self.points.as_ptr().cast::<f64>();
        // SAFETY: `evaluate` gives points of all vertices, and each item groups of its own; a group has weights, kept
        // numbers, places and coefficients (`new`, `kept_len`), and each of its corners a slot of its own (`resolve`).
        unsafe {
            let mut energy = L::zero();
            for group in self.groups.start..self.groups.end {
                let corners = stars.starts[group] as usize..stars.starts[group + 1] as usize;
                let z = stars.measure::<L>(group, points);
                let weight = L::load(stars.weights.as_ptr().add(group * w));
                let kept = self.kept.add(group * (3 * R + W::ROTATION) * w);
                let (mut d, squared) = W::residual::<L>(&z, kept);
                energy = weight.mul_add(squared, energy);
                for row in 0..R {
                    for c in 0..3 {
                        d[row][c] = weight.mul(d[row][c]);
                    }
                }
                let mut at_first = [L::zero(); 3];
                for corner in corners.start..corners.end {
                    let mut gradient = [L::zero(); 3];
                    let a = stars.coefficients_of::<L>(corner);
                    for row in 0..R {
                        for c in 0..3 {
                            gradient[c] = a[row].mul_add(d[row][c], gradient[c]);
                        }
                    }
                    for c in 0..3 {
                        at_first[c] = at_first[c].sub(gradient[c]);
                    }
                    L::scatter(self.slots.cast(), stars.slots.as_ptr().add(corner * w), gradient);
                }
                L::scatter(self.slots.cast(), stars.first_slots.as_ptr().add(group * w), at_first);
            }
            *self.energy = 0.5 * sum_of_lanes(energy);
        }
    }
}
