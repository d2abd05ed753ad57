//! The nearest singular values with a given product: the projection of area and volume energies.
//!
//! min Σ(sᵢ − σᵢ)² subject to Πsᵢ = target. The stationarity condition sᵢ² − σᵢ sᵢ = μ gives sᵢ = (σᵢ ± √(σᵢ² + 4μ))/2 with one
//! multiplier μ for all, so a scalar root remains, which is bracketed and always found.
//!
//! Departure: the update of [Bouaziz 2014, eq. 26] converges only near positive determinants and is not used.

use crate::math::functions::pow;

/// The projected singular values.
pub(crate) struct Projected<const D: usize> {
    pub(crate) values: [f64; D],
    /// False where the product was within the bounds already.
    pub(crate) active: bool,
}

/// Projects σ (descending, only the last may be negative) onto low ≤ Πs ≤ high, with 0 < low ≤ high.
pub(crate) fn project_product<const D: usize>(sigma: [f64; D], low: f64, high: f64) -> Projected<D> {
    let product: f64 = sigma.iter().product();
    if product >= low && product <= high {
        return Projected { values: sigma, active: false };
    }
    let values = if product < low { raise(sigma, low) } else { lower(sigma, high) };
    Projected { values, active: true }
}

/// The larger root s of s² − σ s = μ, for μ ≥ 0.
fn plus_root(sigma: f64, mu: f64) -> f64 {
    let root = (sigma * sigma + 4.0 * mu).sqrt();
    // For negative σ the sum cancels; the product of the two roots is −μ.
    if sigma >= 0.0 { 0.5 * (sigma + root) } else { 2.0 * mu / (root - sigma) }
}

/// Product too small: all plus roots, μ > 0. A value and its negative have plus roots with the product μ, and only the last
/// value may be negative, so the product is at least μ^(D/2) and the root lies below target^(2/D).
fn raise<const D: usize>(sigma: [f64; D], target: f64) -> [f64; D] {
    let at = |mu: f64| sigma.map(|s| plus_root(s, mu));
    at(root(0.0, pow(target, 2.0 / D as f64), |mu| at(mu).iter().product::<f64>() - target))
}

/// Product too large: μ < 0, plus roots for all but the smallest value. Its projection t is the unknown: from σ down to σ/2 it
/// is the plus root of μ = t(t − σ), from σ/2 to 0 the minus root.
///
/// Local minima are where the product grows through the target with t. Up to [`NEARLY_RIGHT`] the one with plus roots alone
/// is the nearest, if it exists. Of larger, nearly equal values there can be two, all of
/// them shrunk or one of them nearly crushed, so all intervals are looked at. A pair of crossings within one interval is
/// missed, but two so close are about to vanish, and then the other minimum is nearer.
fn lower<const D: usize>(sigma: [f64; D], target: f64) -> [f64; D] {
    const INTERVALS: usize = 32;
    let smallest = sigma[D - 1];
    let at = |t: f64| {
        let root = 2.0 * t - smallest;
        // σ² + 4μ, without the cancellation where plus and minus root of the smallest meet.
        let mut values = sigma.map(|s| 0.5 * (s + ((s - smallest) * (s + smallest) + root * root).sqrt()));
        values[D - 1] = t;
        values
    };
    let excess = |t: f64| at(t).iter().product::<f64>() - target;
    if sigma.iter().product::<f64>() < NEARLY_RIGHT * target && excess(0.5 * smallest) < 0.0 {
        return at(root(0.5 * smallest, smallest, excess));
    }
    let distance = |values: &[f64; D]| -> f64 { values.iter().zip(&sigma).map(|(s, o)| (s - o).powi(2)).sum() };
    let mut nearest = sigma;
    let mut least = f64::INFINITY;
    let (mut low, mut low_below) = (0.0, true);
    for k in 1..=INTERVALS {
        let high = smallest * (k as f64 / INTERVALS as f64);
        let high_below = excess(high) < 0.0;
        if low_below && !high_below {
            let candidate = at(root(low, high, excess));
            if distance(&candidate) < least {
                (nearest, least) = (candidate, distance(&candidate));
            }
        }
        (low, low_below) = (high, high_below);
    }
    nearest
}

/// Products up to this many times the target have one nearest point.
pub(crate) const NEARLY_RIGHT: f64 = 3.0;

/// The place in [low, high] where a function turns from negative to not: inverse quadratic interpolation while that converges,
/// halving otherwise [Chandrupatla 1997]. About ten evaluations to the last bits.
fn root(low: f64, high: f64, value: impl Fn(f64) -> f64) -> f64 {
    let (mut a, mut b) = (high, low);
    let (mut at_a, mut at_b) = (value(a), value(b));
    let mut part = 0.5;
    for _ in 0..100 {
        let x = a + part * (b - a);
        let at_x = value(x);
        let (c, at_c);
        if (at_x < 0.0) == (at_a < 0.0) {
            (c, at_c) = (a, at_a);
        } else {
            (c, at_c, b, at_b) = (b, at_b, a, at_a);
        }
        (a, at_a) = (x, at_x);
        let (best, least) = if at_a.abs() < at_b.abs() { (a, at_a) } else { (b, at_b) };
        let nearest = 2.0 * f64::EPSILON * best.abs() / (b - c).abs();
        // Numbers that have overflowed cannot be bracketed any closer.
        if nearest.is_nan() || nearest > 0.5 || least == 0.0 || b == a {
            return best;
        }
        let (from, ratio) = ((a - b) / (c - b), (at_a - at_b) / (at_c - at_b));
        part = if 1.0 - (1.0 - from).sqrt() < ratio && ratio < from.sqrt() {
            let first = at_a / (at_b - at_a) * at_c / (at_b - at_c);
            first + (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
        } else {
            0.5
        };
        part = part.clamp(nearest, 1.0 - nearest);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
        (0..3).map(|i| (a[i] - b[i]).powi(2)).sum()
    }

    /// Brute force over the surface s₀s₁s₂ = target.
    fn nearest_by_search(sigma: [f64; 3], target: f64) -> f64 {
        let mut best = f64::INFINITY;
        for i in 1..400 {
            for j in 1..400 {
                let (a, b) = (0.01 * f64::from(i), 0.01 * f64::from(j));
                best = best.min(distance(sigma, [a, b, target / (a * b)]));
            }
        }
        best
    }

    #[test]
    fn values_that_overflow_are_no_reason_to_panic() {
        for huge in [1e120, 1e200, f64::MAX, f64::INFINITY, f64::NAN] {
            for sigma in [[huge; 3], [huge, 1.0, 1.0], [huge, huge, -huge], [huge, huge, 0.0]] {
                project_product(sigma, 0.9, 1.1);
            }
            project_product([huge, huge], 1.0, 1.0);
        }
    }

    #[test]
    fn projection_is_globally_nearest_for_crushed_inverted_and_blown_up_elements() {
        let cases = [
            [0.0, 0.0, 0.0],
            [1.0, 0.5, 0.0],
            [1.5, 0.4, -0.3],
            [1.0, 1.0, -1.0],
            [2.0, 2.0, 2.0],
            [1.93, 1.93, 1.93],
            [1.9, 1.9, 1.9],
            [2.1, 2.0, 1.95],
            [2.4, 1.7, 1.6],
            [3.0, 3.0, 0.5],
            [2.0, 1.9, -1.8],
            [0.9, 0.8, 0.7],
        ];
        for sigma in cases {
            let projected = project_product(sigma, 1.0, 1.0);
            let product: f64 = projected.values.iter().product();
            assert!((product - 1.0).abs() < 1e-12, "{sigma:?} → {:?}", projected.values);
            let (own, other) = (distance(sigma, projected.values), nearest_by_search(sigma, 1.0));
            assert!(own <= other + 1e-12, "{sigma:?}: {own} against {other}");
        }
    }

    #[test]
    fn the_papers_linearised_update_fails_on_inverted_elements_where_ours_does_not() {
        // [Bouaziz 2014, eq. 26], iterated fifty times, on random inverted singular values.
        let mut failures = 0;
        for k in 0..200 {
            let f = |a: f64| ((f64::from(k) * a).sin() * 0.5 + 0.5) * 1.5;
            let mut size = [f(1.1) + 0.1, f(2.3) + 0.05, f(3.7)];
            size.sort_by(|a, b| b.total_cmp(a));
            let sigma = [size[0], size[1], -size[2]];
            let mut d = [0.0; 3];
            for _ in 0..50 {
                let s: [f64; 3] = std::array::from_fn(|i| sigma[i] + d[i]);
                let c = s[0] * s[1] * s[2] - 1.0;
                let gradient = [s[1] * s[2], s[0] * s[2], s[0] * s[1]];
                let norm: f64 = gradient.iter().map(|g| g * g).sum();
                let along: f64 = (0..3).map(|i| gradient[i] * d[i]).sum();
                d = gradient.map(|g| g * (along - c) / norm);
            }
            let product: f64 = (0..3).map(|i| sigma[i] + d[i]).product();
            failures += usize::from((product - 1.0).abs() >= 1e-6 || product.is_nan());
            let ours: f64 = project_product(sigma, 1.0, 1.0).values.iter().product();
            assert!((ours - 1.0).abs() < 1e-11);
        }
        assert!(failures > 10, "eq. 26 failed on {failures} of 200");
    }
}
