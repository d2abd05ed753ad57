//! Projection onto a general constraint C(p) = 0 by sequential quadratic programming [Bouaziz 2014, §6, "More constraints"].
//!
//! Each iteration solves min ‖z − p‖² subject to C linearised at the last p:
//!
//! p ← z − ∇C [C(p) + ∇C·(z − p)]/‖∇C‖².
//!
//! From p = z its first step is the update of position-based dynamics (eq. 13). It stops where C = 0 and z − p is normal to
//! the set, which is the nearest point as long as z is near compared with the set's radius of curvature; farther away it may
//! not settle. Without second derivatives the sequence converges linearly, at a rate in proportion to the distance, so
//! Departure: iterates are mixed (Anderson, over the last two changes), after which a dozen reach rounding error.

use crate::math::{Vec3, solve_symmetric};

/// Iterations before SQP is taken not to settle.
const MAX_ITERATIONS: usize = 60;

/// The projection of `z` onto {p : C(p) = 0}; `constraint` returns C and ∇C, or None if it has none.
///
/// For your own energy, call this in [`Element::project`](super::Element::project). The result is None if it does not
/// converge; then keep the last projection, which lies in the set too.
///
/// ```
/// use pliant::energy::project_by_sqp;
/// use pliant::math::Vec3;
///
/// // The ellipsoid x² + 4y² + z² = 1.
/// let ellipsoid = |p: &[Vec3; 1]| {
///     let scaled = p[0] * Vec3::new(1.0, 4.0, 1.0);
///     Some((scaled.dot(p[0]) - 1.0, [scaled * 2.0]))
/// };
/// let [p] = project_by_sqp(&[Vec3::new(0.3, 0.7, 0.2)], ellipsoid).expect("it settles");
/// assert!((p.x * p.x + 4.0 * p.y * p.y + p.z * p.z - 1.0).abs() < 1e-12);
/// ```
pub fn project_by_sqp<const R: usize>(
    z: &[Vec3; R],
    constraint: impl Fn(&[Vec3; R]) -> Option<(f64, [Vec3; R])>,
) -> Option<[Vec3; R]> {
    let size = dot(z, z).sqrt();
    let mut p = *z;
    let mut mixing = Mixing::default();
    for _ in 0..MAX_ITERATIONS {
        let (c, gradient) = constraint(&p)?;
        let ahead = c + dot(&gradient, &difference(z, &p));
        let factor = ahead / dot(&gradient, &gradient);
        let next: [Vec3; R] = std::array::from_fn(|i| z[i] - gradient[i] * factor);
        let moved = difference(&next, &p);
        if dot(&moved, &moved).sqrt() <= 1e-14 * size {
            return Some(next);
        }
        p = mixing.next(&p, &next);
    }
    None
}

fn difference<const R: usize>(a: &[Vec3; R], b: &[Vec3; R]) -> [Vec3; R] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot<const R: usize>(a: &[Vec3; R], b: &[Vec3; R]) -> f64 {
    (0..R).map(|i| a[i].dot(b[i])).sum()
}

/// A residual p ↦ image, or a change of one, with its image.
#[derive(Clone, Copy)]
struct Mapped<const R: usize> {
    residual: [Vec3; R],
    image: [Vec3; R],
}

impl<const R: usize> Mapped<R> {
    fn minus(&self, other: &Self) -> Self {
        Self { residual: difference(&self.residual, &other.residual), image: difference(&self.image, &other.image) }
    }
}

/// Anderson mixing over at most two changes.
struct Mixing<const R: usize> {
    last: Option<Mapped<R>>,
    changes: [Option<Mapped<R>>; 2],
}

impl<const R: usize> Default for Mixing<R> {
    fn default() -> Self {
        Self { last: None, changes: [None, None] }
    }
}

impl<const R: usize> Mixing<R> {
    /// The iterate after p ↦ image.
    fn next(&mut self, p: &[Vec3; R], image: &[Vec3; R]) -> [Vec3; R] {
        let current = Mapped { residual: difference(image, p), image: *image };
        if let Some(last) = self.last.replace(current) {
            self.changes = [Some(current.minus(&last)), self.changes[0]];
        }
        let n = self.changes.iter().flatten().count();
        let (mut gram, mut theta) = ([0.0; 4], [0.0; 2]);
        for (i, change) in self.changes.iter().flatten().enumerate() {
            theta[i] = dot(&change.residual, &current.residual);
            for (j, other) in self.changes.iter().flatten().enumerate() {
                gram[i * n + j] = dot(&change.residual, &other.residual);
            }
        }
        solve_symmetric(&mut gram[..n * n], &mut theta[..n], 1e-14);
        let mut next = *image;
        for (change, theta) in self.changes.iter().flatten().zip(theta) {
            (0..R).for_each(|i| next[i] -= change.image[i] * theta);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sphere(p: &[Vec3; 1]) -> Option<(f64, [Vec3; 1])> {
        Some((p[0].length_squared() - 4.0, [p[0] * 2.0]))
    }

    #[test]
    fn a_sphere_is_reached_along_the_radius() {
        for z in [Vec3::new(1.5, 0.5, -0.3), Vec3::new(3.0, -4.0, 1.0), Vec3::new(0.9, 0.8, 0.7)] {
            let [p] = project_by_sqp(&[z], sphere).expect("it settles");
            assert!((p - z.normalize() * 2.0).length() < 1e-12, "{z} → {p}");
        }
    }

    #[test]
    fn the_first_step_is_the_position_based_update() {
        let z = [Vec3::new(2.0 + 1e-4, 1e-4, 0.0)];
        let (c, [gradient]) = sphere(&z).expect("a gradient");
        let update = z[0] - gradient * (c / gradient.length_squared());
        let [p] = project_by_sqp(&z, sphere).expect("it settles");
        assert!((p - update).length() < 1e-8);
    }

    #[test]
    fn what_has_no_gradient_is_refused() {
        let nowhere = |p: &[Vec3; 1]| Some((p[0].length_squared() + 1.0, [p[0] * 2.0]));
        assert_eq!(project_by_sqp(&[Vec3::X], nowhere), None);
    }
}
