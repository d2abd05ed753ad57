//! Plastic deformation of regions [Müller 2005, §5; Bender 2014, §4.5.2].
//!
//! A region's shape at rest is S_p r̄ instead of r̄, with S_p symmetric and of determinant 1. With F = M (Σ m̃ r̄ r̄ᵀ)⁻¹ the linear map that fits
//! best, what the region feels is A = F S_p⁻¹ = R S. Where the strain ε = ‖dev ln S‖ (Frobenius) is above the yield, S_p takes it over:
//!
//! ```text
//! ε' = max(ε e^(−creep h), yield)      S_p ← exp((1 − ε'/ε) dev ln S) S_p      until ‖ln S_p‖ = maximum
//! ```
//!
//! Departure: the papers' S_p ← [I + h creep (S − I)] S_p depends on the time step, goes on below the yield in its last step, and is scaled
//! to its volume and its maximum one after the other, where the second undoes the first. With logarithms a held shape has the same S_p at
//! every time step, and both hold at once; for small strains they are the same. S is that of the polar decomposition of A, which has
//! no units: the yield does not depend on masses and sizes.

use super::fit::Fits;
use crate::math::functions::{exp, ln};
use crate::math::{Mat3, Vec3, svd_3x3};

/// Plasticity of a body with shape matching. Strains are Frobenius norms of logarithmic stretches at constant volume: a
/// bar that is stretched by 10 % at constant volume has 0.117.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plasticity {
    /// The elastic strain of a region above which it flows.
    pub yield_strain: f64,
    /// Rate at which elastic strain above the yield becomes plastic strain \[1/s\]: 63 % of it in 1/creep.
    pub creep: f64,
    /// The largest plastic strain of a region; beyond it, the region is elastic again.
    pub maximum: f64,
}

impl Plasticity {
    /// The first parameter that is out of range, if any: name, value, what is needed.
    pub(super) fn problem(&self) -> Option<(&'static str, f64, &'static str)> {
        let all =
            [("yield strain", self.yield_strain), ("creep", self.creep), ("maximum plastic strain", self.maximum)];
        // A speed or a bound may be infinite: flow at once, without end. A stretch of e³⁰ has no inverse worth its digits, so strains have one.
        all.into_iter()
            .find(|(_, value)| value.is_nan() || *value < 0.0)
            .map(|(name, value)| (name, value, "at least 0"))
    }
}

/// Strains beyond this are as good as endless: exponents stay far from overflow.
const ENDLESS: f64 = 30.0;

/// Directions and logarithms of the stretches of a map; none of one that is flat or turned inside out.
fn logarithm(map: Mat3) -> Option<(Mat3, Vec3)> {
    let svd = svd_3x3(map);
    let logarithms = svd.sigma.to_array().map(ln);
    logarithms.iter().all(|l| l.is_finite()).then_some((svd.v, Vec3::from(logarithms)))
}

/// Without what changes the volume.
fn deviator(logarithms: Vec3) -> Vec3 {
    logarithms - Vec3::splat(logarithms.element_sum() / 3.0)
}

fn exponential(directions: Mat3, logarithms: Vec3) -> Mat3 {
    let stretches = logarithms.to_array().map(exp);
    directions * Mat3::from_diagonal(Vec3::from(stretches)) * directions.transpose()
}

impl Plasticity {
    /// The plastic stretch after h \[s\] of a region with this linear map and plastic stretch.
    fn flow(&self, map: Mat3, plastic: Mat3, h: f64) -> Mat3 {
        let Some((directions, logarithms)) = logarithm(map * plastic.inverse()) else { return plastic };
        let shear = deviator(logarithms);
        let strain = shear.length();
        if strain <= self.yield_strain || self.creep == 0.0 {
            return plastic;
        }
        let left = (strain * exp(-self.creep * h)).max(self.yield_strain);
        let flowed = exponential(directions, shear * (1.0 - left / strain)) * plastic;
        // Its own rotation is none of the shape's: what is kept is the stretch.
        let Some((directions, logarithms)) = logarithm(flowed) else { return plastic };
        let logarithms = deviator(logarithms);
        let (strain, most) = (logarithms.length(), self.maximum.min(ENDLESS));
        exponential(directions, if strain > most { logarithms * (most / strain) } else { logarithms })
    }
}

impl Fits {
    /// Lets regions flow for h \[s\], as deformed as by the last update.
    pub(super) fn flow(&mut self, plasticity: &Plasticity, h: f64) {
        for region in 0..self.regions.len() {
            let map = self.deformation(region);
            self.stretches[region] = plasticity.flow(map, self.stretches[region], h);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    const SOFT: Plasticity = Plasticity { yield_strain: 0.05, creep: 3.0, maximum: 0.5 };

    fn bent() -> Mat3 {
        let turn = Mat3::from_quat(Quat::from_rotation_x(1.0));
        turn * Mat3::from_cols(Vec3::new(1.3, 0.1, 0.0), Vec3::new(-0.1, 0.9, 0.2), Vec3::new(0.0, 0.1, 1.1))
    }

    fn elastic_strain(map: Mat3, plastic: Mat3) -> f64 {
        deviator(logarithm(map * plastic.inverse()).expect("a stretch").1).length()
    }

    #[test]
    fn a_held_shape_flows_to_the_yield_as_an_exponential_at_every_time_step() {
        let at_first = elastic_strain(bent(), Mat3::IDENTITY);
        for (time, steps) in [(0.2, [1, 7, 100]), (2.0, [1, 10, 500])] {
            let expected = f64::max(at_first * (-3.0_f64 * time).exp(), 0.05);
            for steps in steps {
                let h = time / f64::from(steps);
                let plastic = (0..steps).fold(Mat3::IDENTITY, |plastic, _| SOFT.flow(bent(), plastic, h));
                let strain = elastic_strain(bent(), plastic);
                assert!((strain - expected).abs() < 1e-10, "{time} s in {steps}: {strain} for {expected}");
            }
        }
    }

    #[test]
    fn plastic_stretches_have_determinant_one_and_end_at_the_maximum() {
        let plasticity = Plasticity { yield_strain: 0.0, creep: 1e3, maximum: 0.2 };
        let plastic = (0..50).fold(Mat3::IDENTITY, |plastic, k| {
            let turn = Mat3::from_quat(Quat::from_rotation_z(f64::from(k)));
            plasticity.flow(bent() * turn, plastic, 0.01)
        });
        let (_, logarithms) = logarithm(plastic).expect("a stretch");
        assert!((plastic.determinant() - 1.0).abs() < 1e-12, "{}", plastic.determinant());
        assert!((logarithms.length() - 0.2).abs() < 1e-12, "{}", logarithms.length());
        assert!((plastic - plastic.transpose()).to_cols_array().iter().all(|c| c.abs() < 1e-14), "symmetric");
    }

    #[test]
    fn flat_and_inverted_maps_and_those_of_another_size_leave_no_trace() {
        let mirrored = Mat3::from_diagonal(Vec3::new(1.5, 1.0, -1.0));
        let flat = Mat3::from_diagonal(Vec3::new(1.5, 1.0, 0.0));
        for map in [mirrored, flat, Mat3::IDENTITY * 3.0, Mat3::IDENTITY * f64::NAN] {
            assert_eq!(SOFT.flow(map, Mat3::IDENTITY, 1.0), Mat3::IDENTITY, "{map}");
        }
    }
}
