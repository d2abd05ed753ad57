//! Principal components of long vectors, from the products of samples with each other.

use crate::math::symmetric_eigen;
use crate::parallel::{map, sum};

/// Rounds of subspace iteration; each multiplies errors by the ratio of eigenvalues that are kept and left out.
const ROUNDS: usize = 60;
/// Vectors that are iterated besides those that are asked for.
const SPARE: usize = 6;
/// A component with less than this share of the largest is rounding.
const NOTHING: f64 = 1e-20;

/// Up to `count` orthonormal directions in which samples are long, the longest first: for each its coefficients, so that the direction is
/// Σ coefficient · sample.
pub(super) fn principal(samples: &[Vec<f64>], count: usize) -> Vec<Vec<f64>> {
    let n = samples.len();
    let rows = map((0..n).collect(), &|i: usize| {
        let product = |j: usize| {
            sum(0..samples[i].len(), &|r| samples[i][r.clone()].iter().zip(&samples[j][r]).map(|(a, b)| a * b).sum())
        };
        (0..=i).map(product).collect::<Vec<f64>>()
    });
    let entry = |i: usize, j: usize| rows[i.max(j)][i.min(j)];
    let width = (count + SPARE).min(n);
    // Any start that is not orthogonal to what is sought; numbers that look random, the same on every machine.
    let mut basis: Vec<Vec<f64>> = (0..width)
        .map(|k| (0..n).map(|i| (((i * width + k + 1) as f64) * 0.618_033_988_75).fract() - 0.5).collect())
        .collect();
    orthonormalise(&mut basis);
    for _ in 0..ROUNDS {
        basis = map(basis, &|v: Vec<f64>| (0..n).map(|i| (0..n).map(|j| entry(i, j) * v[j]).sum()).collect());
        orthonormalise(&mut basis);
    }
    let width = basis.len();
    // The best directions within the subspace.
    let images: Vec<Vec<f64>> =
        map(basis.iter().collect(), &|v: &Vec<f64>| (0..n).map(|i| (0..n).map(|j| entry(i, j) * v[j]).sum()).collect());
    let mut small = vec![0.0; width * width];
    for i in 0..width {
        for j in 0..width {
            small[i * width + j] = basis[i].iter().zip(&images[j]).map(|(a, b)| a * b).sum();
        }
    }
    let mut vectors = vec![0.0; width * width];
    symmetric_eigen(&mut small, &mut vectors, width);
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|&i, &j| small[j * width + j].total_cmp(&small[i * width + i]));
    let largest = order.first().map_or(0.0, |&k| small[k * width + k]);
    let real = order.into_iter().take(count).filter(|&k| small[k * width + k] > NOTHING * largest && largest > 0.0);
    real.map(|k| {
        let scale = 1.0 / small[k * width + k].sqrt();
        (0..n).map(|i| scale * (0..width).map(|b| basis[b][i] * vectors[b * width + k]).sum::<f64>()).collect()
    })
    .collect()
}

/// Gram and Schmidt, twice; drops what is dependent.
fn orthonormalise(basis: &mut Vec<Vec<f64>>) {
    let mut kept: Vec<Vec<f64>> = Vec::with_capacity(basis.len());
    for mut v in basis.drain(..) {
        let before = v.iter().map(|c| c * c).sum::<f64>().sqrt();
        for _ in 0..2 {
            for other in &kept {
                let along: f64 = v.iter().zip(other).map(|(a, b)| a * b).sum();
                v.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
        }
        let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
        if length > 1e-12 * before {
            v.iter_mut().for_each(|c| *c /= length);
            kept.push(v);
        }
    }
    *basis = kept;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_orthonormal_and_hold_the_longest_samples() {
        // Samples in a plane of 300 dimensions, and a little of a third direction.
        let direction = |k: usize| move |i: usize| ((i * (k + 1)) as f64 * 0.1).sin();
        let samples: Vec<Vec<f64>> = (0..40)
            .map(|t| {
                let t = f64::from(t);
                let weights = [3.0 * t.cos(), 2.0 * t.sin(), 1e-3 * (2.0 * t).cos()];
                (0..300).map(|i| (0..3).map(|k| weights[k] * direction(k)(i)).sum()).collect()
            })
            .collect();
        let found = principal(&samples, 5);
        assert_eq!(found.len(), 3, "no more than there are");
        let axes: Vec<Vec<f64>> = found
            .iter()
            .map(|c| (0..300).map(|i| c.iter().zip(&samples).map(|(c, s)| c * s[i]).sum()).collect())
            .collect();
        for i in 0..2 {
            for j in 0..2 {
                let dot: f64 = axes[i].iter().zip(&axes[j]).map(|(a, b)| a * b).sum();
                assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-9, "{dot}");
            }
        }
        // Two directions leave only the third of each sample.
        for sample in &samples {
            let along = axes[..2]
                .iter()
                .map(|axis| axis.iter().zip(sample).map(|(a, s)| a * s).sum::<f64>().powi(2))
                .sum::<f64>();
            let rest = sample.iter().map(|s| s * s).sum::<f64>() - along;
            assert!(rest < 300.0 * 1.1e-6, "{rest}");
        }
        assert!(principal(&vec![vec![0.0; 8]; 4], 2).is_empty());
    }
}
