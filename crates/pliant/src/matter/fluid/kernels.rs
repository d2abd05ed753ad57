//! The smoothing kernel of a fluid, over lengths in units of its radius: it vanishes from r = 1 on.
//!
//! ```text
//! W(r) = 15/π (1 − r)³        W'(r) = −45/π (1 − r)²        [Müller 2003, eq. 21, "spiky"]
//! ```
//!
//! It integrates to 1 over space, and is steepest where particles meet, so that they part. A wall is a half-space full of fluid at rest: what it
//! adds to the density at a distance d of its surface is the integral of the kernel over it, a polynomial; so is the slope of that.

use std::f32::consts::PI;

/// W(0).
pub(crate) const PEAK: f32 = 15.0 / PI;
/// −W'(0).
pub(crate) const STEEPEST: f32 = 45.0 / PI;
/// Nearer than this, two particles have no direction between them.
pub(crate) const COINCIDENT: f32 = 1e-4;

/// W from the squared distance.
#[inline(always)]
pub(crate) fn density(squared: f32) -> f32 {
    let a = (1.0 - squared.sqrt()).max(0.0);
    PEAK * a * a * a
}

/// W'(r)/r: times the offset it is the gradient.
#[inline(always)]
pub(crate) fn slope_over_distance(squared: f32) -> f32 {
    let r = squared.sqrt().max(COINCIDENT);
    let a = (1.0 - r).max(0.0);
    -STEEPEST * a * a / r
}

/// Share of the kernel's radius over which walls act, so that all layers of a lattice of this spacing beside a wall together have rest density.
///
/// The layers are half a spacing from the wall and then one apart. The integral over the half-space is not the sum over the lattice that goes on
/// behind it: without this the fluid beside a wall would be too dense at rest, and a narrow vessel would spill.
pub(crate) fn reach_of_walls(spacing: f64) -> f64 {
    let layers = (1.0 / spacing).ceil() as i64;
    let lattice = Lattice::new(spacing);
    let missing: f64 = (0..layers).map(|layer| lattice.beyond(spacing, layer + 1)).sum();
    let added = |reach: f64| -> f64 {
        (0..layers).map(|layer| f64::from(behind(((layer as f64 + 0.5) * spacing / reach) as f32))).sum()
    };
    let (mut low, mut high) = (0.5, 1.5);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if added(middle) < missing { low = middle } else { high = middle }
    }
    low
}

/// Share of the kernel that lies in a half-space at a signed distance: 1 deep inside, ½ at its surface, 0 from 1 on.
pub(crate) fn behind(distance: f32) -> f32 {
    let u = (1.0 - distance.abs()).max(0.0);
    let fifth = u * u * u * u * u;
    let outer = fifth * (1.5 - u);
    if distance < 0.0 { 1.0 - outer } else { outer }
}

/// Integral of the kernel over the plane at a distance: how fast its share [`behind`] falls with the distance.
pub(crate) fn across(distance: f32) -> f32 {
    let u = (1.0 - distance.abs()).max(0.0);
    let fourth = u * u * u * u;
    30.0 * fourth * (0.25 - 0.2 * u)
}

/// Particles on a cubic lattice of unit density, as seen by one of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lattice {
    /// Σ V W: not quite 1, because a lattice is no integral.
    pub(crate) density: f64,
    /// Σ ‖V ∇W‖².
    pub(crate) squared_gradients: f64,
    /// Σ V |W'/r|.
    pub(crate) slopes: f64,
    /// ⅓ Σ V |W'| r: how much of a gradient sums over neighbours see, because none is very near.
    pub(crate) seen_gradient: f64,
    /// Σ V W r², by which averaging over neighbours diffuses; 3/14 as an integral.
    pub(crate) second_moment: f64,
}

impl Lattice {
    /// Share of the density of a particle that is due to layers from the given one on, to one side.
    fn beyond(&self, spacing: f64, first: i64) -> f64 {
        let reach = (1.0 / spacing).ceil() as i64;
        let mut sum = 0.0;
        for z in first..=reach {
            for y in -reach..=reach {
                for x in -reach..=reach {
                    sum += f64::from(density(((x * x + y * y + z * z) as f64 * spacing * spacing) as f32));
                }
            }
        }
        sum * spacing.powi(3) / self.density
    }

    /// Density of a particle that has nothing but its own layer of the lattice and one beside it, over that at rest.
    pub(crate) fn of_two_layers(&self, spacing: f64) -> f64 {
        1.0 - self.beyond(spacing, 1) - self.beyond(spacing, 2)
    }

    /// For a distance of neighbours in units of the radius.
    pub(crate) fn new(spacing: f64) -> Self {
        let volume = spacing * spacing * spacing;
        let reach = (1.0 / spacing).ceil() as i64;
        let mut lattice = Self {
            density: volume * f64::from(PEAK),
            squared_gradients: 0.0,
            slopes: 0.0,
            seen_gradient: 0.0,
            second_moment: 0.0,
        };
        for z in -reach..=reach {
            for y in -reach..=reach {
                for x in -reach..=reach {
                    let squared = (x * x + y * y + z * z) as f64 * spacing * spacing;
                    if squared > 0.0 && squared < 1.0 {
                        lattice.density += volume * f64::from(density(squared as f32));
                        let slope = f64::from(slope_over_distance(squared as f32));
                        lattice.second_moment += volume * squared * f64::from(density(squared as f32));
                        lattice.seen_gradient -= volume * slope * squared / 3.0;
                        lattice.slopes -= volume * slope;
                        lattice.squared_gradients += volume * volume * slope * slope * squared;
                    }
                }
            }
        }
        lattice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫ f(r) 4πr² dr from 0 to 1.
    fn over_the_ball(f: impl Fn(f64) -> f64) -> f64 {
        let n = 20_000;
        let middle = |k: usize| (k as f64 + 0.5) / n as f64;
        (0..n).map(|k| 4.0 * std::f64::consts::PI * middle(k).powi(2) * f(middle(k)) / n as f64).sum()
    }

    #[test]
    fn the_kernel_integrates_to_one_and_its_slope_is_its_derivative() {
        assert!((over_the_ball(|r| f64::from(density((r * r) as f32))) - 1.0).abs() < 1e-5);
        // By parts: ∫ W 4πr² dr = −∫ W' 4/3 πr³ dr.
        let by_parts = over_the_ball(|r| -f64::from(slope_over_distance((r * r) as f32)) * r * r / 3.0);
        assert!((by_parts - 1.0).abs() < 1e-5, "{by_parts}");
        let moment = over_the_ball(|r| r * r * f64::from(density((r * r) as f32)));
        assert!((moment - 3.0 / 14.0).abs() < 1e-5, "{moment}");
    }

    #[test]
    fn the_share_behind_a_wall_is_the_integral_over_it() {
        assert_eq!([behind(-1.0), behind(0.0), behind(1.0), behind(3.0)], [1.0, 0.5, 0.0, 0.0]);
        for d in [0.1_f32, 0.35, 0.8] {
            // A cap of the ball: area 2πr(r − d) at each radius r.
            let cap = over_the_ball(|r| {
                let seen = (1.0 - f64::from(d) / r).max(0.0) / 2.0;
                seen * f64::from(density((r * r) as f32))
            });
            assert!((f64::from(behind(d)) - cap).abs() < 1e-5, "{d}: {} {cap}", behind(d));
        }
        let whole: f32 = (0..2000).map(|k| across(-1.0 + (k as f32 + 0.5) / 1000.0) / 1000.0).sum();
        assert!((whole - 1.0).abs() < 1e-4, "{whole}");
    }

    #[test]
    fn a_finer_lattice_nears_the_integral() {
        let errors = [0.5, 0.25, 0.125].map(|spacing| (Lattice::new(spacing).density - 1.0).abs());
        assert!(errors[0] > 5.0 * errors[1] && errors[1] > 5.0 * errors[2] && errors[2] < 1e-3, "{errors:?}");
    }
}
