//! Small dense symmetric matrices (element Hessians up to 12×12, least-squares systems of a few unknowns), stored as
//! row-major slices.

use super::{Mat3, Vec3};
use crate::math::functions::hypot;

/// Eigenvalues and eigenvectors of a symmetric `n`×`n` matrix by cyclic Jacobi rotations.
///
/// On return `matrix` holds the eigenvalues on its diagonal and `vectors` the eigenvectors as columns. Jacobi is the
/// simplest method that is accurate to the last bits, and at these sizes as fast as any.
pub fn symmetric_eigen(matrix: &mut [f64], vectors: &mut [f64], n: usize) {
    vectors[..n * n].fill(0.0);
    (0..n).for_each(|i| vectors[i * n + i] = 1.0);
    for _ in 0..30 {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let off = matrix[p * n + q];
                let (a, b) = (matrix[p * n + p], matrix[q * n + q]);
                // Below this the off-diagonal entry no longer changes either eigenvalue.
                if off.abs() <= 1e-17 * (a.abs() + b.abs()) || off == 0.0 {
                    continue;
                }
                rotated = true;
                let zeta = (b - a) / (2.0 * off);
                let t = if zeta == 0.0 { 1.0 } else { zeta.signum() / (zeta.abs() + hypot(zeta, 1.0)) };
                let c = 1.0 / hypot(t, 1.0);
                let s = c * t;
                for k in 0..n {
                    let (kp, kq) = (matrix[k * n + p], matrix[k * n + q]);
                    matrix[k * n + p] = c * kp - s * kq;
                    matrix[k * n + q] = s * kp + c * kq;
                }
                for k in 0..n {
                    let (pk, qk) = (matrix[p * n + k], matrix[q * n + k]);
                    matrix[p * n + k] = c * pk - s * qk;
                    matrix[q * n + k] = s * pk + c * qk;
                    let (vp, vq) = (vectors[k * n + p], vectors[k * n + q]);
                    vectors[k * n + p] = c * vp - s * vq;
                    vectors[k * n + q] = s * vp + c * vq;
                }
            }
        }
        if !rotated {
            break;
        }
    }
}

/// The inverse of a symmetric matrix in the directions where it is clearly above 0, and the projection onto the others.
pub(crate) fn symmetric_inverse_where_positive(matrix: Mat3) -> (Mat3, Mat3) {
    let (mut values, mut vectors) = (matrix.to_cols_array(), [0.0; 9]);
    symmetric_eigen(&mut values, &mut vectors, 3);
    let least = 1e-9 * [0, 4, 8].into_iter().fold(0.0_f64, |most, k| most.max(values[k]));
    let (mut inverse, mut rest) = (Mat3::ZERO, Mat3::ZERO);
    for k in 0..3 {
        let (value, axis) = (values[4 * k], Vec3::new(vectors[k], vectors[3 + k], vectors[6 + k]));
        let square = Mat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        if value > least {
            inverse += square * (1.0 / value);
        } else {
            rest += square;
        }
    }
    (inverse, rest)
}

/// Replaces a symmetric `n`×`n` matrix (n ≤ 12) by the nearest positive semi-definite one: negative eigenvalues become 0.
pub fn clamp_to_positive_semidefinite(matrix: &mut [f64], n: usize) {
    const MAX: usize = 12;
    assert!(n <= MAX, "element Hessians are at most {MAX}×{MAX}, not {n}×{n}");
    let (mut values, mut vectors) = ([0.0; MAX * MAX], [0.0; MAX * MAX]);
    values[..n * n].copy_from_slice(&matrix[..n * n]);
    symmetric_eigen(&mut values, &mut vectors, n);
    if (0..n).all(|i| values[i * n + i] >= 0.0) {
        return;
    }
    for i in 0..n {
        for j in 0..n {
            matrix[i * n + j] =
                (0..n).map(|k| values[k * n + k].max(0.0) * vectors[i * n + k] * vectors[j * n + k]).sum();
        }
    }
}

/// Solves a small symmetric positive semi-definite system in place by LDLᵀ; directions with a pivot below
/// `drop · largest diagonal entry` get the answer 0 instead of an amplified rounding error.
pub fn solve_symmetric(matrix: &mut [f64], rhs: &mut [f64], drop: f64) {
    let n = rhs.len();
    let largest = (0..n).fold(0.0_f64, |m, i| m.max(matrix[i * n + i]));
    let mut keep = [true; 32];
    assert!(n <= keep.len(), "solve_symmetric is for a few unknowns, not {n}");
    for j in 0..n {
        for k in 0..j {
            if keep[k] {
                let scaled = matrix[j * n + k] * matrix[k * n + k];
                for i in j..n {
                    matrix[i * n + j] -= matrix[i * n + k] * scaled;
                }
            }
        }
        let pivot = matrix[j * n + j];
        keep[j] = pivot > drop * largest && pivot > 0.0;
        if keep[j] {
            for i in j + 1..n {
                matrix[i * n + j] /= pivot;
            }
        }
    }
    for j in 0..n {
        if keep[j] {
            for i in j + 1..n {
                rhs[i] -= matrix[i * n + j] * rhs[j];
            }
        } else {
            rhs[j] = 0.0;
        }
    }
    for j in (0..n).rev() {
        if !keep[j] {
            rhs[j] = 0.0;
            continue;
        }
        rhs[j] /= matrix[j * n + j];
        for i in j + 1..n {
            rhs[j] -= matrix[i * n + j] * rhs[i];
        }
    }
}

/// Cholesky factor of a symmetric `n`×`n` matrix in its lower triangle; false if it is not positive definite.
pub fn factor_dense(matrix: &mut [f64], n: usize) -> bool {
    for j in 0..n {
        for i in j..n {
            let known: f64 = (0..j).map(|k| matrix[i * n + k] * matrix[j * n + k]).sum();
            let rest = matrix[i * n + j] - known;
            if i == j {
                if rest.is_nan() || rest <= 0.0 {
                    return false;
                }
                matrix[j * n + j] = rest.sqrt();
            } else {
                matrix[i * n + j] = rest / matrix[j * n + j];
            }
        }
    }
    true
}

/// Solves with the factor of [`factor_dense`]; `rhs` becomes the solution.
///
/// ```
/// use pliant::math::{factor_dense, solve_dense};
/// let (mut matrix, mut x) = ([4.0, 2.0, 2.0, 5.0], [8.0, 12.0]);
/// assert!(factor_dense(&mut matrix, 2));
/// solve_dense(&matrix, &mut x);
/// assert_eq!(x, [1.0, 2.0]);
/// assert!(!factor_dense(&mut [1.0, 2.0, 2.0, 1.0], 2), "indefinite");
/// ```
pub fn solve_dense(factor: &[f64], rhs: &mut [f64]) {
    let n = rhs.len();
    for i in 0..n {
        let known: f64 = (0..i).map(|k| factor[i * n + k] * rhs[k]).sum();
        rhs[i] = (rhs[i] - known) / factor[i * n + i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| factor[k * n + i] * rhs[k]).sum();
        rhs[i] = (rhs[i] - known) / factor[i * n + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_diagonalise_a_nine_by_nine_matrix() {
        let n = 9;
        let entry = |i: usize, j: usize| ((i * j + i + j) as f64).sin() + if i == j { i as f64 } else { 0.0 };
        let original: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        let (mut values, mut vectors) = (original.clone(), vec![0.0; n * n]);
        symmetric_eigen(&mut values, &mut vectors, n);
        for k in 0..n {
            for i in 0..n {
                let product: f64 = (0..n).map(|j| original[i * n + j] * vectors[j * n + k]).sum();
                assert!((product - values[k * n + k] * vectors[i * n + k]).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn clamping_keeps_positive_eigenvalues_and_removes_negative_ones() {
        // Eigenvalues 3 and −1 along (1,1) and (1,−1).
        let mut matrix = [1.0, 2.0, 2.0, 1.0];
        clamp_to_positive_semidefinite(&mut matrix, 2);
        for entry in matrix {
            assert!((entry - 1.5).abs() < 1e-14);
        }
    }

    #[test]
    fn dependent_columns_are_dropped_not_amplified() {
        // The third equation repeats the first.
        let mut matrix = [4.0, 1.0, 4.0, 1.0, 3.0, 1.0, 4.0, 1.0, 4.0];
        let mut rhs = [6.0, 7.0, 6.0];
        solve_symmetric(&mut matrix, &mut rhs, 1e-12);
        assert!((rhs[0] - 1.0).abs() < 1e-14 && (rhs[1] - 2.0).abs() < 1e-14 && rhs[2] == 0.0);
    }
}
