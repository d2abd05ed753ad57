//! Preconditioned conjugate gradients for systems that change too often to factor.

use crate::math::Vec3;
use crate::parallel;

/// How a conjugate-gradient solve went.
#[derive(Debug, Clone, Copy)]
pub struct PcgReport {
    /// Iterations taken.
    pub iterations: usize,
    /// Final residual ‖b − A x‖ relative to ‖b‖.
    pub relative_residual: f64,
    /// Whether a direction of non-positive curvature ended it.
    pub indefinite: bool,
}

/// Inner product, added up along a fixed tree.
pub(crate) fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    parallel::sum(0..a.len(), &|range| range.map(|i| a[i].dot(b[i])).sum())
}

/// Solves A x = b from x = 0 until the residual falls below `tolerance`·‖b‖ or `max_iterations` are done.
///
/// `multiply(x, y)` sets y = A x; `precondition(r, z)` sets z ≈ A⁻¹ r. Directions of non-positive curvature end the solve
/// at the best x so far, so an indefinite matrix still yields a descent direction.
pub fn conjugate_gradient(
    mut multiply: impl FnMut(&[Vec3], &mut [Vec3]),
    mut precondition: impl FnMut(&[Vec3], &mut [Vec3]),
    b: &[Vec3],
    x: &mut [Vec3],
    tolerance: f64,
    max_iterations: usize,
) -> PcgReport {
    let n = b.len();
    x.fill(Vec3::ZERO);
    let mut residual = b.to_vec();
    let (mut z, mut product) = (vec![Vec3::ZERO; n], vec![Vec3::ZERO; n]);
    precondition(&residual, &mut z);
    let mut direction = z.clone();
    let mut rho = dot(&residual, &z);
    let norm = dot(b, b).sqrt();
    let mut report =
        PcgReport { iterations: 0, relative_residual: if norm > 0.0 { 1.0 } else { 0.0 }, indefinite: false };
    while report.iterations < max_iterations && report.relative_residual > tolerance {
        multiply(&direction, &mut product);
        let curvature = dot(&direction, &product);
        if curvature <= 0.0 || !curvature.is_finite() {
            report.indefinite = true;
            if report.iterations == 0 {
                x.copy_from_slice(&direction);
            }
            break;
        }
        let alpha = rho / curvature;
        for i in 0..n {
            x[i] += direction[i] * alpha;
            residual[i] -= product[i] * alpha;
        }
        precondition(&residual, &mut z);
        let next = dot(&residual, &z);
        let beta = next / rho;
        rho = next;
        for i in 0..n {
            direction[i] = z[i] + direction[i] * beta;
        }
        report.iterations += 1;
        report.relative_residual = dot(&residual, &residual).sqrt() / norm;
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_of_n_unknowns_is_solved_in_n_iterations() {
        let n = 12;
        let multiply = |x: &[Vec3], y: &mut [Vec3]| {
            for i in 0..n {
                let left = if i > 0 { x[i - 1] } else { Vec3::ZERO };
                let right = if i + 1 < n { x[i + 1] } else { Vec3::ZERO };
                y[i] = x[i] * 2.5 - left - right;
            }
        };
        let expected: Vec<Vec3> = (0..n).map(|i| Vec3::new(1.0, i as f64, (i * i) as f64)).collect();
        let mut b = vec![Vec3::ZERO; n];
        multiply(&expected, &mut b);
        let mut x = vec![Vec3::ZERO; n];
        let report = conjugate_gradient(multiply, |r, z| z.copy_from_slice(r), &b, &mut x, 1e-13, 3 * n);
        assert!(report.iterations <= n + 1, "{report:?}");
        assert!(x.iter().zip(&expected).all(|(a, b)| (*a - *b).length() < 1e-10));
    }
}
