//! Where scales of colours end.

/// The value that a share of all do not exceed; 0 of none.
pub fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let at = (share * values.len().saturating_sub(1) as f64).ceil() as usize;
    values.get(at).copied().unwrap_or(0.0)
}

/// Rounded up to two digits, so that legends read well; never 0.
pub fn two_digits(value: f64) -> f64 {
    let value = value.max(1e-6);
    let unit = 10f64.powf(value.log10().floor() - 1.0);
    (value / unit).ceil() * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legends_end_in_two_digits() {
        assert!((two_digits(0.0312) - 0.032).abs() < 1e-12);
        assert!((two_digits(7.31) - 7.4).abs() < 1e-12);
        assert!(two_digits(0.0) > 0.0);
    }

    #[test]
    fn a_quantile_leaves_out_the_few_largest() {
        assert_eq!(quantile((0..=100).map(f64::from).collect(), 0.99), 99.0);
        assert_eq!(quantile(vec![3.0], 0.99), 3.0);
        assert_eq!(quantile(Vec::new(), 0.99), 0.0);
    }
}
