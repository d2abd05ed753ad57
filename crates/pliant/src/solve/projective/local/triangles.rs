//! Forces of triangles: strain, area, or both of the same triangles, in closed form.

use super::simplex::{Law, apply, apply_transposed};
use crate::energy::Curvature;
use crate::math::lanes::curvature::{Modes, add_limits, add_product, blocks_of_modes, finish, plane_frames};
use crate::math::lanes::stretches::{
    beyond_area, beyond_area_one_by_one, beyond_plane_limits, beyond_plane_limits_one_by_one, held_product,
    plane_stretch,
};
use crate::math::lanes::{LaneNumber, Lanes};

/// Triangles that resist strain, change of area, or both.
#[derive(Debug)]
pub(super) struct TriangleLaw<const STRAIN: bool, const AREA: bool> {
    /// Stretches without energy.
    pub(super) stretches: [f64; 2],
    /// Area ratios without energy.
    pub(super) areas: [f64; 2],
}

/// Numbers of a triangle: A of corners 1 and 2 (row by row), weight of strain, weight of area.
pub(super) const A: usize = 4;

impl<S: LaneNumber, const STRAIN: bool, const AREA: bool> Law<S, 2> for TriangleLaw<STRAIN, AREA> {
    fn numbers(&self) -> usize {
        A + 2
    }

    #[inline(always)]
    unsafe fn gradients<L: Lanes<Scalar = S>>(
        &self,
        edges: &[[L; 3]; 2],
        numbers: *const S,
        _kept: *mut S,
        _failed: u32,
    ) -> ([[L; 3]; 2], L) {
        let w = S::WIDTH;
        // SAFETY: there are A + 2 vectors, as the caller promises.
        unsafe {
            let f = apply::<L, 2, 2>(numbers, edges);
            let (strain_weight, area_weight) = (L::load(numbers.add(A * w)), L::load(numbers.add((A + 1) * w)));
            let plane = plane_stretch::<L>(&f);
            let (mut rotation, mut plain, mut twice) = (L::zero(), L::zero(), L::zero());
            let mut failed = plane.collapsed;
            if STRAIN {
                let beyond = beyond_plane_limits::<L>(plane.sigma, self.stretches);
                rotation = strain_weight.mul(beyond.combination.rotation);
                plain = strain_weight.mul(beyond.combination.plain);
                twice = strain_weight.mul(beyond.squared);
            }
            if AREA {
                let beyond = beyond_area::<L>(plane.sigma, self.areas);
                rotation = area_weight.mul_add(beyond.combination.rotation, rotation);
                plain = area_weight.mul_add(beyond.combination.plain, plain);
                twice = area_weight.mul_add(beyond.squared, twice);
                failed |= beyond.failed;
            }
            let [m00, m01, m11] = plane.to_rotation;
            let (p00, p01, p11) = (rotation.mul_add(m00, plain), rotation.mul(m01), rotation.mul_add(m11, plain));
            let mut d = [[L::zero(); 3]; 2];
            for c in 0..3 {
                d[0][c] = f[0][c].mul_add(p00, f[1][c].mul(p01));
                d[1][c] = f[0][c].mul_add(p01, f[1][c].mul(p11));
            }
            if failed != 0 {
                self.repair::<L>(failed, &f, [strain_weight, area_weight], &mut d, &mut twice);
            }
            (apply_transposed::<L, 2, 2>(numbers, &d), twice)
        }
    }

    fn has_blocks(&self, _curvature: Curvature) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn blocks<L: Lanes<Scalar = S>>(
        &self,
        edges: &[[L; 3]; 2],
        numbers: *const S,
        _kept: *const S,
        curvature: Curvature,
        blocks: &mut [[[L; 3]; 3]; 6],
    ) {
        let w = S::WIDTH;
        // SAFETY: there are A + 2 vectors, as the caller promises.
        unsafe {
            let mut a = [[L::zero(); 2]; 2];
            for row in 0..2 {
                for edge in 0..2 {
                    a[row][edge] = L::load(numbers.add((2 * row + edge) * w));
                }
            }
            let f = apply::<L, 2, 2>(numbers, edges);
            let (strain_weight, area_weight) = (L::load(numbers.add(A * w)), L::load(numbers.add((A + 1) * w)));
            let plane = plane_stretch::<L>(&f);
            let [m00, m01, m11] = plane.to_rotation;
            let mut r = [[L::zero(); 3]; 2];
            for c in 0..3 {
                r[0][c] = f[0][c].mul_add(m00, f[1][c].mul(m01));
                r[1][c] = f[0][c].mul_add(m01, f[1][c].mul(m11));
            }
            let (u, v) = plane_frames(&f, &r);
            let mut g = [[L::zero(); 3]; 2];
            for edge in 0..2 {
                for k in 0..2 {
                    g[edge][k] = v[k][0].mul_add(a[0][edge], v[k][1].mul(a[1][edge]));
                }
            }
            let sigma = [plane.sigma[0], plane.sigma[1], L::zero()];
            let positive = curvature == Curvature::Projected;
            let mut modes = Modes::none();
            if STRAIN {
                add_limits(&mut modes, strain_weight, &sigma, 2, self.stretches);
            }
            if AREA {
                let (mu, s, held) = held_product::<L, 2>(&plane.sigma, self.areas);
                add_product(&mut modes, area_weight.mul(held), mu, &[s[0], s[1], L::zero()], 2, positive);
            }
            finish(&mut modes, &sigma, 2, positive);
            blocks_of_modes::<L, 2>(&modes, &u, &g, blocks);
            if plane.collapsed != 0 {
                hold::<L>(plane.collapsed, strain_weight.add(area_weight), &a, blocks);
            }
        }
    }
}

/// Blocks of lanes whose triangles have no plane: as if what they are projected to were held.
#[cold]
#[inline(never)]
fn hold<L: Lanes>(mask: u32, weight: L, a: &[[L; 2]; 2], blocks: &mut [[[L; 3]; 3]; 6]) {
    for (block, (i, j)) in [(0, 0), (0, 1), (1, 1)].into_iter().enumerate() {
        let mut held = [L::Scalar::default(); 8];
        weight.mul(a[0][i].mul_add(a[0][j], a[1][i].mul(a[1][j]))).write_to(&mut held);
        for c in 0..3 {
            for r in 0..3 {
                let mut numbers = [L::Scalar::default(); 8];
                blocks[block][c][r].write_to(&mut numbers);
                for lane in (0..L::WIDTH).filter(|lane| mask >> lane & 1 == 1) {
                    numbers[lane] = if c == r { held[lane] } else { L::Scalar::default() };
                }
                blocks[block][c][r] = L::from_slice(&numbers);
            }
        }
    }
}

impl<const STRAIN: bool, const AREA: bool> TriangleLaw<STRAIN, AREA> {
    /// Does lanes again in which the closed form failed.
    #[cold]
    #[inline(never)]
    fn repair<L: Lanes>(&self, failed: u32, f: &[[L; 3]; 2], weights: [L; 2], d: &mut [[L; 3]; 2], twice: &mut L) {
        let zero = <L::Scalar as Default>::default();
        for lanes in d.iter_mut().flatten().chain([&mut *twice]) {
            let mut numbers = [zero; 8];
            lanes.write_to(&mut numbers);
            (0..L::WIDTH).filter(|lane| failed >> lane & 1 == 1).for_each(|lane| numbers[lane] = zero);
            *lanes = L::from_slice(&numbers);
        }
        let add = |weight: L, (beyond, squared): ([[L; 3]; 2], L), d: &mut [[L; 3]; 2], twice: &mut L| {
            for column in 0..2 {
                for c in 0..3 {
                    d[column][c] = weight.mul_add(beyond[column][c], d[column][c]);
                }
            }
            *twice = weight.mul_add(squared, *twice);
        };
        if STRAIN {
            add(weights[0], beyond_plane_limits_one_by_one::<L>(failed, f, self.stretches), d, twice);
        }
        if AREA {
            add(weights[1], beyond_area_one_by_one::<L>(failed, f, self.areas), d, twice);
        }
    }
}
