//! Gradients against central differences of the energy.

use super::support::{Case, cases, samples};
use pliant::energy::Memory;
use pliant::math::Vec3;

/// Difference quotients with the steps h and h/2, extrapolated to the fourth order, and how far the two are apart.
fn difference(case: &Case, start: &Memory, x: &[Vec3], vertex: usize, axis: usize, step: f64) -> (f64, f64) {
    let quotient = |step: f64| {
        let at = |by: f64| {
            let mut moved = x.to_vec();
            moved[vertex][axis] += by;
            case.energy(&moved, start)
        };
        (at(step) - at(-step)) / (2.0 * step)
    };
    let (coarse, fine) = (quotient(step), quotient(0.5 * step));
    ((4.0 * fine - coarse) / 3.0, (coarse - fine).abs())
}

/// Where the nearest point of the set jumps, the energy has a kink, and where a limit begins to act its curvature jumps. There
/// the two difference quotients disagree by much more than the 4e-10 that their order says; a wrong gradient does not make
/// them disagree.
#[test]
fn gradient_is_the_derivative_of_the_energy() {
    for case in cases() {
        let all = samples(&case.rest, 12);
        let mut smooth = 0;
        for sample in &all {
            let start = case.fresh();
            let gradient = case.gradient(&sample.x, &case.projected(&sample.x, &start));
            let scale = gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs().max_element()));
            let mut worst = (0.0_f64, String::new());
            let mut has_kink = false;
            for vertex in 0..sample.x.len() {
                for axis in 0..3 {
                    let (expected, spread) = difference(&case, &start, &sample.x, vertex, axis, 2e-5);
                    has_kink |= spread > 3e-7 * scale + 1e-10;
                    let error = (gradient[vertex][axis] - expected).abs();
                    if error > worst.0 {
                        worst = (
                            error,
                            format!("vertex {vertex}, axis {axis}: {} against {expected}", gradient[vertex][axis]),
                        );
                    }
                }
            }
            if has_kink {
                continue;
            }
            smooth += 1;
            assert!(worst.0 <= 1e-6 * scale + 1e-10, "{}, sample {}: {} of {scale}", case.name, sample.label, worst.1);
        }
        assert!(10 * smooth >= 9 * all.len(), "{}: only {smooth} of {} samples are smooth", case.name, all.len());
    }
}
