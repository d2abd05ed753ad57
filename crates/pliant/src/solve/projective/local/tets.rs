//! Forces of tets: strain, volume, or both of the same tets from one nearest rotation, which continues from the last one.

use super::simplex::{Law, apply, apply_transposed};
use crate::energy::Curvature;
use crate::math::lanes::curvature::{Modes, add_limits, add_product, blocks_of_modes, eigenframes, finish};
use crate::math::lanes::nearest::{columns_of, constant, dot, nearest_rotation};
use crate::math::lanes::stretches::{
    Combination, beyond_limits, beyond_volume, beyond_volume_one_by_one, eigenvalues, held_product, stretch_of,
};
use crate::math::lanes::{LaneNumber, Lanes};

/// Which strains cost energy.
pub(super) mod strain {
    pub(in super::super) const NONE: u8 = 0;
    /// All that are not rotations.
    pub(in super::super) const ROTATIONS: u8 = 1;
    /// Principal stretches beyond limits, or other than one of them.
    pub(in super::super) const LIMITS: u8 = 2;
}

/// Tets that resist strain, change of volume, or both.
#[derive(Debug)]
pub(super) struct TetLaw<const STRAIN: u8, const VOLUME: bool> {
    /// Stretches without energy.
    pub(super) stretches: [f64; 2],
    /// Volume ratios without energy.
    pub(super) volumes: [f64; 2],
}

/// Numbers of a tet: A of corners 1 to 3 (row by row), weight of strain, weight of volume.
pub(super) const A: usize = 9;

impl<S: LaneNumber, const STRAIN: u8, const VOLUME: bool> Law<S, 3> for TetLaw<STRAIN, VOLUME> {
    fn numbers(&self) -> usize {
        A + 2
    }

    /// The nearest rotation as a quaternion (x, y, z, w).
    fn warm(&self) -> usize {
        4
    }

    const SEARCHES: bool = true;

    /// F by columns.
    #[inline(always)]
    unsafe fn measure<L: Lanes<Scalar = S>>(&self, edges: &[[L; 3]; 3], numbers: *const S) -> [[L; 3]; 3] {
        // SAFETY: the first nine vectors of numbers are A, as the caller promises.
        unsafe { apply::<L, 3, 3>(numbers, edges) }
    }

    #[inline(always)]
    unsafe fn search<L: Lanes<Scalar = S>>(&self, f: &[[L; 3]; 3], _numbers: *const S, kept: *mut S) -> u32 {
        let w = S::WIDTH;
        // SAFETY: a group keeps four vectors, as the caller promises.
        unsafe {
            let mut q = [L::zero(); 4];
            for k in 0..4 {
                q[k] = L::load(kept.add(k * w));
            }
            nearest_rotation::<L>(f, &mut q);
            for k in 0..4 {
                q[k].store(kept.add(k * w));
            }
            0
        }
    }

    #[inline(always)]
    unsafe fn gradients<L: Lanes<Scalar = S>>(
        &self,
        &f: &[[L; 3]; 3],
        numbers: *const S,
        kept: *mut S,
        _failed: u32,
    ) -> ([[L; 3]; 3], L) {
        let w = S::WIDTH;
        // SAFETY: there are A + 2 vectors, and four kept ones, as the caller promises.
        unsafe {
            let (strain_weight, volume_weight) = (L::load(numbers.add(A * w)), L::load(numbers.add((A + 1) * w)));
            let mut q = [L::zero(); 4];
            for k in 0..4 {
                q[k] = L::load(kept.add(k * w));
            }
            let r = columns_of(q);
            if STRAIN == strain::ROTATIONS && !VOLUME {
                let (mut d, mut squared) = (f, L::zero());
                for column in 0..3 {
                    for c in 0..3 {
                        let gap = f[column][c].sub(r[column][c]);
                        squared = gap.mul_add(gap, squared);
                        d[column][c] = strain_weight.mul(gap);
                    }
                }
                return (apply_transposed::<L, 3, 3>(numbers, &d), strain_weight.mul(squared));
            }
            let s = stretch_of(&r, &f);
            let sigma = eigenvalues(&s);
            let mut total = Combination { rotation: L::zero(), plain: L::zero(), stretched: L::zero() };
            let mut twice = L::zero();
            if STRAIN == strain::ROTATIONS {
                total.rotation = L::zero().sub(strain_weight);
                total.plain = strain_weight;
                let one = constant::<L>(1.0);
                let mut squared = L::zero();
                for i in 0..3 {
                    let gap = sigma[i].sub(one);
                    squared = gap.mul_add(gap, squared);
                }
                twice = strain_weight.mul(squared);
            } else if STRAIN == strain::LIMITS {
                let beyond = beyond_limits::<L>(sigma, self.stretches);
                total.rotation = strain_weight.mul(beyond.combination.rotation);
                total.plain = strain_weight.mul(beyond.combination.plain);
                total.stretched = strain_weight.mul(beyond.combination.stretched);
                twice = strain_weight.mul(beyond.squared);
            }
            let mut failed = 0;
            if VOLUME {
                let beyond = beyond_volume::<L>(sigma, self.volumes);
                total.rotation = volume_weight.mul_add(beyond.combination.rotation, total.rotation);
                total.plain = volume_weight.mul_add(beyond.combination.plain, total.plain);
                total.stretched = volume_weight.mul_add(beyond.combination.stretched, total.stretched);
                twice = volume_weight.mul_add(beyond.squared, twice);
                failed = beyond.failed;
            }
            let mut d = total.apply(&r, &f, &s);
            if failed != 0 {
                let (beyond, squared) = beyond_volume_one_by_one::<L>(failed, &f, self.volumes);
                for column in 0..3 {
                    for c in 0..3 {
                        d[column][c] = volume_weight.mul_add(beyond[column][c], d[column][c]);
                    }
                }
                twice = volume_weight.mul_add(squared, twice);
            }
            (apply_transposed::<L, 3, 3>(numbers, &d), twice)
        }
    }

    fn has_blocks(&self, _curvature: Curvature) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn blocks<L: Lanes<Scalar = S>>(
        &self,
        edges: &[[L; 3]; 3],
        numbers: *const S,
        kept: *const S,
        curvature: Curvature,
        blocks: &mut [[[L; 3]; 3]; 6],
    ) {
        let w = S::WIDTH;
        // SAFETY: there are A + 2 vectors, and four kept ones, as the caller promises.
        unsafe {
            let f = apply::<L, 3, 3>(numbers, edges);
            let (strain_weight, volume_weight) = (L::load(numbers.add(A * w)), L::load(numbers.add((A + 1) * w)));
            let mut q = [L::zero(); 4];
            for k in 0..4 {
                q[k] = L::load(kept.add(k * w));
            }
            let r = columns_of(q);
            let (sigma, v) = eigenframes(stretch_of(&r, &f));
            let (mut u, mut g) = ([[L::zero(); 3]; 3], [[L::zero(); 3]; 3]);
            for k in 0..3 {
                for c in 0..3 {
                    u[k][c] = r[0][c].mul_add(v[k][0], r[1][c].mul_add(v[k][1], r[2][c].mul(v[k][2])));
                }
            }
            for edge in 0..3 {
                let mut a = [L::zero(); 3];
                for row in 0..3 {
                    a[row] = L::load(numbers.add((3 * row + edge) * w));
                }
                for k in 0..3 {
                    g[edge][k] = dot(v[k], a);
                }
            }
            let positive = curvature == Curvature::Projected;
            let mut modes = Modes::none();
            if STRAIN != strain::NONE {
                add_limits(&mut modes, strain_weight, &sigma, 3, self.stretches);
            }
            if VOLUME {
                let (mu, s, held) = held_product::<L, 3>(&sigma, self.volumes);
                add_product(&mut modes, volume_weight.mul(held), mu, &s, 3, positive);
            }
            finish(&mut modes, &sigma, 3, positive);
            blocks_of_modes::<L, 3>(&modes, &u, &g, blocks);
        }
    }
}
