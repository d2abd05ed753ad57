//! Axes: their range, their ticks, and positions along them.

use crate::ViewError;

/// How values are mapped to an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal steps are equal differences.
    #[default]
    Linear,
    /// Equal steps are equal factors; only positive values can be shown.
    Log,
}

/// An axis of a plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The quantity, with its unit: `time [s]`.
    pub label: String,
    /// How values are mapped.
    pub scale: Scale,
    /// The values at its ends; by default around all data.
    pub range: Option<[f64; 2]>,
}

impl Axis {
    /// A linear axis around the data.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear, range: None }
    }

    /// A logarithmic axis around the data.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Log, range: None }
    }

    /// Sets fixed ends.
    #[must_use]
    pub fn with_range(mut self, low: f64, high: f64) -> Self {
        self.range = Some([low, high]);
        self
    }
}

/// An axis with its ends found.
#[derive(Debug, Clone)]
pub(super) struct Ruler {
    scale: Scale,
    /// In values, or their decimal logarithms.
    low: f64,
    high: f64,
    pub(super) ticks: Vec<Tick>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    /// From 0 to 1 along the axis.
    pub(super) place: f64,
    /// Empty for a minor tick.
    pub(super) label: String,
}

/// Share of a linear axis left free beyond the data.
const MARGIN: f64 = 0.04;

impl Ruler {
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>, ticks: usize) -> Result<Self, ViewError> {
        let shown = |value: f64| match axis.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        };
        let (low, high) = match axis.range {
            Some(range) => {
                let [low, high] = range.map(shown);
                if !(low.is_finite() && high.is_finite() && low < high) {
                    let need = "finite and ascending, and positive on a logarithmic axis";
                    return Err(ViewError::BadParameter { name: "range of an axis", value: range[0], need });
                }
                (low, high)
            }
            None => {
                let around = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
                let start = (f64::INFINITY, f64::NEG_INFINITY);
                let (low, high) = values.map(shown).filter(|value| value.is_finite()).fold(start, around);
                widened(low, high, axis.scale)
            }
        };
        let mut ruler = Self { scale: axis.scale, low, high, ticks: Vec::new() };
        ruler.ticks = match axis.scale {
            Scale::Linear => ruler.linear_ticks(ticks),
            Scale::Log => ruler.log_ticks(ticks),
        };
        Ok(ruler)
    }

    /// Place of a value, 0 to 1 within the axis; none where it cannot be shown.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let shown = match self.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        };
        let place = (shown - self.low) / (self.high - self.low);
        place.is_finite().then_some(place)
    }

    fn linear_ticks(&self, count: usize) -> Vec<Tick> {
        let span = self.high - self.low;
        let step = nice_step(span / count.max(1) as f64);
        let first = (self.low / step - 1e-9).ceil();
        let last = (self.high / step + 1e-9).floor();
        // A range at the end of the numbers has no steps.
        let steps = if (last - first).is_finite() { (last - first).clamp(-1.0, 100.0) as i64 } else { -1 };
        (0..=steps)
            .map(|k| {
                let value = (first + k as f64) * step;
                Tick { place: (value - self.low) / span, label: number(value, step) }
            })
            .collect()
    }

    fn log_ticks(&self, count: usize) -> Vec<Tick> {
        let span = self.high - self.low;
        let tick = |exponent: f64, label: String| Tick { place: (exponent - self.low) / span, label };
        let (first, last) = ((self.low - 1e-9).ceil() as i64, (self.high + 1e-9).floor() as i64);
        // Every n-th decade where there are many.
        let stride = (span / count.max(1) as f64).ceil().max(1.0) as i64;
        let mut ticks = Vec::new();
        let decades = last - first + 1;
        for decade in first - 1..=last {
            if decade >= first {
                let label = if decade.rem_euclid(stride) == 0 { power_of_ten(decade) } else { String::new() };
                ticks.push(tick(decade as f64, label));
            }
            for digit in (2..10).filter(|_| stride == 1) {
                let exponent = decade as f64 + f64::from(digit).log10();
                if exponent > self.low && exponent < self.high {
                    // With less than two decades the powers alone do not make a scale.
                    let spell = decades < 2 || (decades == 2 && [2, 5].contains(&digit));
                    let spell = spell && (span < 1.0 || [2, 5].contains(&digit));
                    let value = f64::from(digit) * 10f64.powi(decade as i32);
                    ticks.push(tick(exponent, if spell { number(value, value) } else { String::new() }));
                }
            }
        }
        ticks
    }
}

fn widened(low: f64, high: f64, scale: Scale) -> (f64, f64) {
    if low > high {
        return (0.0, 1.0);
    }
    let least = match scale {
        Scale::Linear => 1e-9 * low.abs().max(high.abs()),
        Scale::Log => 1e-3,
    };
    if high - low <= least {
        // One value: a range around it.
        let room = if scale == Scale::Linear && low != 0.0 { 0.5 * low.abs() } else { 0.5 };
        return (low - room, high + room);
    }
    let room = MARGIN * (high - low);
    // Zero is a natural end.
    let low_room = if scale == Scale::Linear && low == 0.0 { 0.0 } else { room };
    (low - low_room, high + room)
}

/// 1, 2 or 5 times a power of ten, not less than a step.
fn nice_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= step * (1.0 - 1e-9));
    let nice = factor.unwrap_or(10.0) * power;
    if nice.is_normal() { nice } else { f64::MIN_POSITIVE }
}

/// A number with as many digits as differences of `step` need.
pub(crate) fn number(value: f64, step: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let size = value.abs().max(step.abs());
    if size == 0.0 {
        return "0".to_owned();
    }
    let digits = |step: f64| (1.0 - step.abs().max(1e-300).log10().ceil()).clamp(0.0, 12.0) as usize;
    let plain = |value: f64, step: f64| {
        let text = format!("{value:.*}", digits(step));
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        let text = if text == "-0" { "0" } else { text };
        text.replace('-', "−")
    };
    if (1e-3..1e5).contains(&size) {
        return plain(value, step);
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponent = size.log10().floor();
    let unit = 10f64.powf(exponent);
    format!("{}·{}", plain(value / unit, step / unit), power_of_ten(exponent as i64))
}

fn power_of_ten(exponent: i64) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    match exponent {
        0 => return "1".to_owned(),
        1 => return "10".to_owned(),
        _ => {}
    }
    let digits = exponent.to_string();
    let raised = |c: char| c.to_digit(10).map_or('⁻', |digit| RAISED[digit as usize]);
    std::iter::once("10".to_owned()).chain(digits.chars().map(|c| raised(c).to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_their_steps_need() {
        assert_eq!(number(0.30000000000000004, 0.1), "0.3");
        assert_eq!(number(-2.0, 1.0), "−2");
        assert_eq!(number(1200.0, 200.0), "1200");
        assert_eq!(number(0.0, 1e-7), "0");
        assert_eq!(number(2.5e-6, 5e-7), "2.5·10⁻⁶");
        assert_eq!(number(0.025, 0.005), "0.025");
    }

    #[test]
    fn steps_are_one_two_or_five() {
        for (step, nice) in [(0.9, 1.0), (1.1, 2.0), (0.03, 0.05), (70.0, 100.0)] {
            assert!((nice_step(step) / nice - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn decades_are_labelled_and_in_place() -> Result<(), ViewError> {
        let axis = Axis::log("").with_range(1e-4, 1.0);
        let ruler = Ruler::new(&axis, std::iter::empty(), 8)?;
        let labels: Vec<&Tick> = ruler.ticks.iter().filter(|tick| !tick.label.is_empty()).collect();
        assert_eq!(labels.len(), 5);
        assert_eq!(labels[1].label, "10⁻³");
        assert!((labels[1].place - 0.25).abs() < 1e-12);
        Ok(())
    }

    #[test]
    fn extreme_ranges_have_ticks_or_none_but_never_panic() -> Result<(), ViewError> {
        for values in
            [vec![], vec![0.0], vec![f64::NAN], vec![1e308, -1e308], vec![5e-324, 1e-320], vec![1e16, 1e16 + 2.0]]
        {
            for axis in [Axis::linear(""), Axis::log("")] {
                let ruler = Ruler::new(&axis, values.iter().copied(), 8)?;
                assert!(ruler.ticks.len() < 200);
            }
        }
        Ok(())
    }
}
