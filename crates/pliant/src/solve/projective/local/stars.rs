//! Elements with any number of corners, a vector of them at a time: bending with a rest curvature, and damping in proportion to stiffness.
//!
//! Elements of a group have as many corners as its largest; the others are at the first corner, with coefficients of zero.

use std::ops::Range;

use super::corners::SlotCounter;
use super::simplex::LaneBatch;
use super::{Order, Point};
use crate::energy::{Memory, Operator};
use crate::math::lanes::nearest::{columns_of, constant, dot, nearest_rotation};
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};

/// What elements with `R` rows do.
pub(super) trait StarLaw<S: LaneNumber, const R: usize>: std::fmt::Debug + Send + Sync {
    /// Warm values of an element, then numbers that begin each stage anew.
    const WARM: usize;
    const SPARE: usize;

    /// The k-th spare number at the beginning of a stage.
    fn fresh(&self, _k: usize) -> f64 {
        0.0
    }

    /// A x − p and its squared length. `number` is the vector of the law's one number.
    ///
    /// SAFETY: the processor has the instructions of `L`; `kept` is that of the group.
    unsafe fn residual<L: Lanes<Scalar = S>>(&self, z: &[[L; 3]; R], number: L, kept: *mut S) -> ([[L; 3]; R], L);
}

/// A x is given a length: mean curvature that is not flat at rest.
#[derive(Debug)]
pub(super) struct LengthLaw;

impl<S: LaneNumber> StarLaw<S, 1> for LengthLaw {
    /// The last direction, for A x = 0.
    const WARM: usize = 3;
    const SPARE: usize = 0;

    #[inline(always)]
    unsafe fn residual<L: Lanes<Scalar = S>>(&self, z: &[[L; 3]; 1], length: L, kept: *mut S) -> ([[L; 3]; 1], L) {
        unsafe {
            let tiny = constant::<L>(SHORTEST_SQUARED);
            let squared = dot(z[0], z[0]);
            let inverse = squared.max(tiny).inverse_sqrt();
            let mut d = *z;
            for c in 0..3 {
                let place = kept.add(c * S::WIDTH);
                let direction = squared.select_less(tiny, L::load(place), z[0][c].mul(inverse));
                direction.store(place);
                d[0][c] = z[0][c].sub(length.mul(direction));
            }
            (d, dot(d[0], d[0]))
        }
    }
}

/// A x is drawn to what it was at the beginning of the stage, freely rotated.
#[derive(Debug)]
pub(super) struct ViscousLaw<const R: usize>;

/// Squared length below which a vector has no direction.
const SHORTEST_SQUARED: f64 = 1e-30;

impl<S: LaneNumber> StarLaw<S, 1> for ViscousLaw<1> {
    /// A x at the beginning of the stage.
    const WARM: usize = 3;
    const SPARE: usize = 0;

    #[inline(always)]
    unsafe fn residual<L: Lanes<Scalar = S>>(&self, z: &[[L; 3]; 1], _number: L, kept: *mut S) -> ([[L; 3]; 1], L) {
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

macro_rules! viscous_law {
    ($rows:literal) => {
        impl<S: LaneNumber> StarLaw<S, $rows> for ViscousLaw<$rows> {
            /// A x at the beginning of the stage.
            const WARM: usize = 3 * $rows;
            /// The rotation since then as a quaternion.
            const SPARE: usize = 4;

            fn fresh(&self, k: usize) -> f64 {
                if k == 3 { 1.0 } else { 0.0 }
            }

            #[inline(always)]
            unsafe fn residual<L: Lanes<Scalar = S>>(
                &self,
                z: &[[L; 3]; $rows],
                _number: L,
                kept: *mut S,
            ) -> ([[L; 3]; $rows], L) {
                let w = S::WIDTH;
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

viscous_law!(2);
viscous_law!(3);
viscous_law!(4);

/// Elements of one batch.
#[derive(Debug)]
pub(super) struct Stars<S, W, const R: usize> {
    batch: usize,
    law: W,
    /// Elements that the lanes stand for, in the order of lanes.
    elements: Vec<u32>,
    /// First corner among those of all groups, of each group; a group has as many as its largest element.
    starts: Vec<u32>,
    /// For each corner but the first of a group a vector of places of the first corner, then one of its own; and its slots.
    places: Vec<u32>,
    slots: Vec<u32>,
    first_slots: Vec<u32>,
    /// For each corner but the first `R` vectors of A.
    coefficients: Vec<S>,
    /// Weight, and the law's number, of each group.
    numbers: Vec<S>,
}

/// A slot before it has its place: that of its vertex, or of padding, and the number there.
const PADDING_PLACE: u32 = u32::MAX;

impl<S: LaneNumber, W: StarLaw<S, R>, const R: usize> Stars<S, W, R> {
    pub(super) fn new(
        batch: usize,
        operator: &Operator,
        scale: f64,
        law: W,
        order: &Order,
        slots: &mut SlotCounter<'_>,
        number: impl Fn(usize) -> f64,
    ) -> Self {
        let w = S::WIDTH;
        let place = |e: u32, corner: usize| order.places[operator.stencil(e as usize)[corner] as usize];
        let corners = |e: u32| operator.stencil(e as usize).len();
        let mut elements: Vec<u32> = (0..operator.len() as u32).collect();
        elements.sort_by_key(|&e| (corners(e), place(e, 0)));
        let mut stars = Self {
            batch,
            law,
            starts: vec![0],
            places: Vec::new(),
            slots: Vec::new(),
            first_slots: Vec::new(),
            coefficients: Vec::new(),
            numbers: Vec::new(),
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
            stars.numbers.extend(lanes.iter().map(|&(e, is_padding)| {
                S::from_f64(if is_padding { 0.0 } else { scale * operator.weight(e as usize) })
            }));
            stars.numbers.extend(lanes.iter().map(|&(e, _)| S::from_f64(number(e as usize))));
        }
        stars
    }

    fn kept_of_group() -> usize {
        (W::WARM + W::SPARE) * S::WIDTH
    }
}

impl<S: LaneNumber, W: StarLaw<S, R>, const R: usize> LaneBatch<S> for Stars<S, W, R> {
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

    fn load_warm(&self, memory: &[Memory], kept: &mut [S]) {
        let warm = &memory[self.batch].warm;
        for (group, kept) in kept.chunks_exact_mut(Self::kept_of_group().max(1)).enumerate() {
            for lane in 0..S::WIDTH {
                let e = self.elements[(group * S::WIDTH + lane).min(self.elements.len() - 1)] as usize;
                for k in 0..W::WARM + W::SPARE {
                    let value = if k < W::WARM { warm[W::WARM * e + k] } else { self.law.fresh(k - W::WARM) };
                    kept[k * S::WIDTH + lane] = S::from_f64(value);
                }
            }
        }
    }

    fn store_warm(&self, kept: &[S], memory: &mut [Memory]) {
        for (lane, &e) in self.elements.iter().enumerate() {
            let (group, lane) = (lane / S::WIDTH, lane % S::WIDTH);
            for k in 0..W::WARM {
                let value = kept[group * Self::kept_of_group() + k * S::WIDTH + lane].to_f64();
                memory[self.batch].warm[W::WARM * e as usize + k] = value;
            }
        }
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

impl<S: LaneNumber, W: StarLaw<S, R>, const R: usize> Kernel<S> for Forces<'_, S, W, R> {
    /// SAFETY: corners' places are those of points, each has a slot of its own, and each group its numbers.
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        let (w, stars) = (S::WIDTH, self.stars);
        let points = self.points.as_ptr().cast::<f64>();
        unsafe {
            let mut energy = L::zero();
            for group in self.groups.start..self.groups.end {
                let corners = stars.starts[group] as usize..stars.starts[group + 1] as usize;
                let mut z = [[L::zero(); 3]; R];
                for corner in corners.start..corners.end {
                    let [edge] = L::edges_of_simplex::<1>(points, stars.places.as_ptr().add(2 * corner * w));
                    for row in 0..R {
                        let a = L::load(stars.coefficients.as_ptr().add((corner * R + row) * w));
                        for c in 0..3 {
                            z[row][c] = a.mul_add(edge[c], z[row][c]);
                        }
                    }
                }
                let numbers = stars.numbers.as_ptr().add(2 * group * w);
                let weight = L::load(numbers);
                let kept = self.kept.add(group * (W::WARM + W::SPARE) * w);
                let (mut d, squared) = stars.law.residual::<L>(&z, L::load(numbers.add(w)), kept);
                energy = weight.mul_add(squared, energy);
                for row in 0..R {
                    for c in 0..3 {
                        d[row][c] = weight.mul(d[row][c]);
                    }
                }
                let mut at_first = [L::zero(); 3];
                for corner in corners.start..corners.end {
                    let mut gradient = [L::zero(); 3];
                    for row in 0..R {
                        let a = L::load(stars.coefficients.as_ptr().add((corner * R + row) * w));
                        for c in 0..3 {
                            gradient[c] = a.mul_add(d[row][c], gradient[c]);
                        }
                    }
                    for c in 0..3 {
                        at_first[c] = at_first[c].sub(gradient[c]);
                    }
                    L::scatter(self.slots.cast(), stars.slots.as_ptr().add(corner * w), gradient);
                }
                L::scatter(self.slots.cast(), stars.first_slots.as_ptr().add(group * w), at_first);
            }
            let mut lanes = [S::default(); 8];
            energy.store(lanes.as_mut_ptr());
            let mut sum = 0.0;
            for lane in 0..w {
                sum += lanes[lane].to_f64();
            }
            *self.energy = 0.5 * sum;
        }
    }
}
