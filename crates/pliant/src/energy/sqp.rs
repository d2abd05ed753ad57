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

/// Steps of differences over the size of an element.
const DIFFERENCE: f64 = 1e-5;
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
    let mut sequence = Sequence::from(*z);
    for _ in 0..MAX_ITERATIONS {
        let (c, gradient) = constraint(&sequence.p)?;
        if let Some(found) = sequence.advance(c, &gradient, 1e-14) {
            return Some(found);
        }
    }
    None
}

/// The projections of many elements, `R` rows each, onto {p : C(p) = 0}. `constraint` computes C and ∇C of all elements
/// from all p; elements must not depend on each other. A sequence settles when it moves by less than `tolerance` times
/// the size of z: about rounding error for exact gradients, more for those by differences. After an error, which is the
/// number of the first element that does not settle, `projections` is unchanged.
///
/// ```
/// use pliant::energy::project_all_by_sqp;
/// use pliant::math::Vec3;
///
/// // Spheres of radius 1 and 2.
/// let spheres = |p: &[Vec3], values: &mut [f64], gradients: &mut [Vec3]| {
///     for (k, p) in p.iter().enumerate() {
///         values[k] = p.length_squared() - (1.0 + k as f64).powi(2);
///         gradients[k] = *p * 2.0;
///     }
/// };
/// let (z, mut p) = ([Vec3::X * 1.2, Vec3::Y * 1.5], [Vec3::ZERO; 2]);
/// project_all_by_sqp::<1>(&z, &mut p, 1e-14, spheres).expect("they settle");
/// assert!((p[0] - Vec3::X).length() < 1e-12 && (p[1] - Vec3::Y * 2.0).length() < 1e-12);
/// ```
///
/// # Panics
/// If the number of vectors in z is not a multiple of `R`, or not that in `projections`.
pub fn project_all_by_sqp<const R: usize>(
    z: &[Vec3],
    projections: &mut [Vec3],
    tolerance: f64,
    mut constraint: impl FnMut(&[Vec3], &mut [f64], &mut [Vec3]),
) -> Result<(), usize> {
    let (all, rest) = z.as_chunks::<R>();
    assert!(rest.is_empty() && projections.len() == z.len(), "z and projections have {R} rows for each element");
    let mut sequences: Vec<Sequence<R>> = all.iter().map(|z| Sequence::from(*z)).collect();
    let mut found: Vec<Option<[Vec3; R]>> = vec![None; all.len()];
    let (mut values, mut gradients, mut p) = (vec![0.0; all.len()], vec![Vec3::ZERO; z.len()], z.to_vec());
    for _ in 0..MAX_ITERATIONS {
        constraint(&p, &mut values, &mut gradients);
        for (k, (sequence, found)) in sequences.iter_mut().zip(&mut found).enumerate() {
            if found.is_none() {
                let gradient: [Vec3; R] = std::array::from_fn(|row| gradients[R * k + row]);
                *found = sequence.advance(values[k], &gradient, tolerance);
                p[R * k..R * (k + 1)].copy_from_slice(found.as_ref().unwrap_or(&sequence.p));
            }
        }
        if found.iter().all(Option::is_some) {
            projections.copy_from_slice(&p);
            return Ok(());
        }
    }
    Err(found.iter().position(Option::is_none).unwrap_or(0))
}

/// ∇C of many elements, `rows` vectors each, by central differences of C: `value` computes C of all elements from all p,
/// and is called for each side of each coordinate. The error is about 1e-10 of C over the size of an element.
pub fn gradients_by_differences(
    rows: usize,
    p: &[Vec3],
    gradients: &mut [Vec3],
    mut value: impl FnMut(&[Vec3], &mut [f64]),
) {
    let size = |own: &[Vec3]| own.iter().fold(0.0_f64, |most, v| most.max(v.abs().max_element()));
    let step = |own: &[Vec3]| DIFFERENCE * Some(size(own)).filter(|size| *size > 0.0).unwrap_or(1.0);
    let steps: Vec<f64> = p.chunks_exact(rows).map(step).collect();
    let mut sides = [p.to_vec(), p.to_vec()];
    let mut values = [vec![0.0; steps.len()], vec![0.0; steps.len()]];
    for (row, axis) in (0..rows).flat_map(|row| (0..3).map(move |axis| (row, axis))) {
        for (sign, (moved, values)) in [1.0, -1.0].into_iter().zip(sides.iter_mut().zip(&mut values)) {
            steps.iter().enumerate().for_each(|(k, step)| moved[rows * k + row][axis] += sign * step);
            value(moved, values);
        }
        for k in 0..steps.len() {
            let place = rows * k + row;
            // What rounding has left of the step, not the step itself.
            let apart = sides[0][place][axis] - sides[1][place][axis];
            gradients[place][axis] = (values[0][k] - values[1][k]) / apart;
            sides.iter_mut().for_each(|moved| moved[place] = p[place]);
        }
    }
}

/// The iterates of one projection.
struct Sequence<const R: usize> {
    z: [Vec3; R],
    /// ‖z‖.
    size: f64,
    p: [Vec3; R],
    mixing: Mixing<R>,
}

impl<const R: usize> Sequence<R> {
    fn from(z: [Vec3; R]) -> Self {
        Self { z, size: dot(&z, &z).sqrt(), p: z, mixing: Mixing::default() }
    }

    /// Takes C and its gradient at p; returns the projection if the iterates have settled.
    fn advance(&mut self, c: f64, gradient: &[Vec3; R], tolerance: f64) -> Option<[Vec3; R]> {
        let ahead = c + dot(gradient, &difference(&self.z, &self.p));
        let factor = ahead / dot(gradient, gradient);
        let next: [Vec3; R] = std::array::from_fn(|i| self.z[i] - gradient[i] * factor);
        let moved = difference(&next, &self.p);
        if dot(&moved, &moved).sqrt() <= tolerance * self.size {
            return Some(next);
        }
        self.p = self.mixing.next(&self.p, &next);
        None
    }
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

    /// Ellipsoids whose axes depend on the number of the element, over two rows.
    fn ellipsoid(k: usize, p: &[Vec3; 2]) -> (f64, [Vec3; 2]) {
        let axes = Vec3::new(1.0, 2.0 + k as f64, 0.5);
        (p[0].dot(p[0] * axes) + p[1].dot(p[1] * axes) - 1.0, [p[0] * axes * 2.0, p[1] * axes * 2.0])
    }

    const MANY: [Vec3; 6] = [
        Vec3::new(0.5, 0.3, 0.4),
        Vec3::new(0.2, -0.4, 0.3),
        Vec3::new(0.4, 0.4, -0.2),
        Vec3::new(0.5, 0.2, 0.6),
        Vec3::new(-0.6, 0.1, 0.2),
        Vec3::new(0.1, 0.3, 0.9),
    ];

    #[test]
    fn projecting_all_at_once_gives_what_each_gives() {
        let all = |p: &[Vec3], values: &mut [f64], gradients: &mut [Vec3]| {
            for (k, own) in p.as_chunks::<2>().0.iter().enumerate() {
                let (value, gradient) = ellipsoid(k, own);
                values[k] = value;
                gradients[2 * k..2 * k + 2].copy_from_slice(&gradient);
            }
        };
        let mut found = [Vec3::ZERO; 6];
        project_all_by_sqp::<2>(&MANY, &mut found, 1e-14, all).expect("they settle");
        for (k, z) in MANY.as_chunks::<2>().0.iter().enumerate() {
            let alone = project_by_sqp(z, |p| Some(ellipsoid(k, p))).expect("it settles");
            assert_eq!(found[2 * k..2 * k + 2], alone);
        }
        let mut kept = [Vec3::ONE; 2];
        let nowhere = |p: &[Vec3], values: &mut [f64], gradients: &mut [Vec3]| {
            values.iter_mut().zip(p).for_each(|(value, p)| *value = p.length_squared() + 1.0);
            gradients.iter_mut().zip(p).for_each(|(gradient, p)| *gradient = *p * 2.0);
        };
        assert_eq!(project_all_by_sqp::<1>(&MANY[..2], &mut kept, 1e-14, nowhere), Err(0));
        assert_eq!(kept, [Vec3::ONE; 2], "an error leaves them");
    }

    #[test]
    fn gradients_by_differences_are_those_of_the_formula() {
        let mut found = [Vec3::ZERO; 6];
        gradients_by_differences(2, &MANY, &mut found, |p, values| {
            values.iter_mut().zip(p.as_chunks::<2>().0).enumerate().for_each(|(k, (v, own))| *v = ellipsoid(k, own).0);
        });
        for (k, own) in MANY.as_chunks::<2>().0.iter().enumerate() {
            for (found, exact) in found[2 * k..].iter().zip(ellipsoid(k, own).1) {
                assert!((*found - exact).length() < 1e-9, "{found} for {exact}");
            }
        }
    }

    #[test]
    fn what_has_no_gradient_is_refused() {
        let nowhere = |p: &[Vec3; 1]| Some((p[0].length_squared() + 1.0, [p[0] * 2.0]));
        assert_eq!(project_by_sqp(&[Vec3::X], nowhere), None);
    }
}
