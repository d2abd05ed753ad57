//! Second derivatives of area and volume energies, whose projection is [`project_product`].

use super::isotropic::Derivatives;
pub(super) use crate::math::{Projected, project_product};

/// Derivatives of ψ = ½Σ(σᵢ − sᵢ)² by implicit differentiation of the stationarity condition and the constraint.
pub(super) fn derivatives<const D: usize>(sigma: [f64; D], projected: &Projected<D>) -> Derivatives<D> {
    let mut result = Derivatives { first: [0.0; D], second: [[0.0; D]; D] };
    if !projected.active {
        return result;
    }
    let s = projected.values;
    let scale = s.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    // 2sᵢ − σᵢ vanishes where plus and minus root meet. Of one value that is a removable 0/0; of two the second derivative is
    // unbounded.
    let slope: [f64; D] = std::array::from_fn(|i| {
        let value = 2.0 * s[i] - sigma[i];
        if value.abs() < 1e-9 * scale { 1e-9 * scale } else { value }
    });
    let denominator: f64 = (0..D).map(|i| 1.0 / (s[i] * slope[i])).sum();
    for i in 0..D {
        result.first[i] = sigma[i] - s[i];
        for j in 0..D {
            let multiplier = -1.0 / (slope[j] * denominator);
            let own = if i == j { s[i] } else { 0.0 };
            result.second[i][j] = f64::from(u8::from(i == j)) - (own + multiplier) / slope[i];
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_match_differences_of_the_projection() {
        for sigma in [[1.4, 1.1, 0.9], [0.8, 0.7, 0.2], [1.2, 0.6, -0.4]] {
            let analytic = derivatives(sigma, &project_product(sigma, 1.0, 1.0));
            for j in 0..3 {
                let mut ends = [sigma; 2];
                ends[0][j] += 1e-6;
                ends[1][j] -= 1e-6;
                let [plus, minus] = ends.map(|s| project_product(s, 1.0, 1.0).values);
                for i in 0..3 {
                    let slope = (plus[i] - minus[i]) / 2e-6;
                    let expected = f64::from(u8::from(i == j)) - slope;
                    assert!((analytic.second[i][j] - expected).abs() < 1e-6, "{sigma:?} {i} {j}");
                }
            }
        }
    }
}
