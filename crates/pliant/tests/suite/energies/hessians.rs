//! Second derivatives in the space of z against differences of the projection.

use super::support::{Case, Random, along, cases, length, minus, samples};
use pliant::energy::{Curvature, Memory};
use pliant::math::{Vec3, symmetric_eigen};

fn hessian(case: &Case, element: usize, x: &[Vec3], memory: &Memory, curvature: Curvature) -> Vec<f64> {
    let n = 3 * case.batch.operator().rows();
    let mut out = vec![f64::NAN; n * n];
    let goals = case.batch.initial_goals();
    case.batch.hessians(element..element + 1, x, goals, memory, curvature, &mut out);
    out
}

fn multiply(matrix: &[f64], v: &[Vec3]) -> Vec<Vec3> {
    let n = 3 * v.len();
    let row = |i: usize| (0..n).map(|j| matrix[i * n + j] * v[j / 3][j % 3]).sum::<f64>();
    (0..v.len()).map(|r| Vec3::new(row(3 * r), row(3 * r + 1), row(3 * r + 2))).collect()
}

fn least_eigenvalue(matrix: &[f64], n: usize) -> f64 {
    let (mut values, mut vectors) = (matrix.to_vec(), vec![0.0; n * n]);
    symmetric_eigen(&mut values, &mut vectors, n);
    (0..n).map(|i| values[i * n + i]).fold(f64::INFINITY, f64::min)
}

/// Along a direction d of positions: H A d = A d − dp. Where the projection jumps or has a kink within reach, difference
/// quotients of different steps disagree, and nothing is compared.
#[test]
fn raw_hessian_is_the_derivative_of_the_residual() {
    for case in cases() {
        // An energy that does not declare it is not tried: none drops out unseen.
        let without = ["example_global", "rigid"].iter().any(|kind| case.name.starts_with(kind));
        assert_eq!(case.batch.properties().exact_hessian, !without, "{}", case.name);
        if without {
            continue;
        }
        let (mut total, mut smooth) = (0, 0);
        for sample in samples(&case.rest, 12) {
            let memory = case.projected(&sample.x, &case.fresh());
            let random = &mut Random::new(23);
            for element in 0..case.batch.operator().len() {
                let raw = hessian(&case, element, &sample.x, &memory, Curvature::Raw);
                let direction = random.vectors(sample.x.len());
                let moved = case.z(element, &direction);
                let at = |step: f64| {
                    let after = case.projected(&along(&sample.x, step, &direction), &memory);
                    case.p(element, &after).to_vec()
                };
                total += 1;
                let quotient = |step: f64| -> Vec<Vec3> {
                    minus(&at(step), &at(-step)).iter().map(|d| *d / (2.0 * step)).collect()
                };
                let (coarse, fine) = (quotient(1e-4), quotient(5e-5));
                if length(&minus(&coarse, &fine)) > 1e-3 * length(&moved) {
                    continue;
                }
                smooth += 1;
                let slope: Vec<Vec3> = coarse.iter().zip(&fine).map(|(c, f)| (*f * 4.0 - *c) / 3.0).collect();
                let expected = minus(&moved, &slope);
                let error = length(&minus(&multiply(&raw, &moved), &expected));
                let scale = length(&moved) + length(&expected);
                assert!(
                    error <= 1e-5 * scale,
                    "{}, sample {}, element {element}: off by {error} of {scale}",
                    case.name,
                    sample.label
                );
            }
        }
        assert!(10 * smooth >= 9 * total, "{}: only {smooth} of {total} elements are smooth", case.name);
    }
}

#[test]
fn projected_hessian_is_positive_and_equals_the_raw_one_where_that_is() {
    for case in cases() {
        let n = 3 * case.batch.operator().rows();
        for sample in samples(&case.rest, 12) {
            let memory = case.projected(&sample.x, &case.fresh());
            for element in 0..case.batch.operator().len() {
                let name = format!("{}, sample {}, element {element}", case.name, sample.label);
                let [raw, projected] = [Curvature::Raw, Curvature::Projected]
                    .map(|curvature| hessian(&case, element, &sample.x, &memory, curvature));
                let size = raw.iter().fold(1.0_f64, |m, h| m.max(h.abs()));
                for matrix in [&raw, &projected] {
                    for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
                        let gap = (matrix[i * n + j] - matrix[j * n + i]).abs();
                        assert!(gap <= 1e-13 * size, "{name}: entries ({i}, {j}) and ({j}, {i}) are {gap:e} apart");
                    }
                }
                let least = least_eigenvalue(&projected, n);
                assert!(least >= -1e-13 * size, "{name}: eigenvalue {least}");
                if least_eigenvalue(&raw, n) >= 0.0 {
                    let gap = raw.iter().zip(&projected).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
                    assert!(gap <= 1e-13 * size, "{name}: changed by {gap:e} without need");
                }
            }
        }
    }
}
