//! Numbers over time, of the last seconds.

use std::collections::VecDeque;

/// Numbers at most, however often they come.
const MOST: usize = 2000;

/// Numbers of the last seconds.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    points: VecDeque<[f64; 2]>,
    seconds: f64,
}

impl Series {
    pub(crate) fn of_last(seconds: f64) -> Self {
        Self { points: VecDeque::new(), seconds }
    }

    /// Adds a number at a time \[s\]. When time goes back, as on a reset, it begins anew; what is not a number is left out.
    pub(crate) fn add(&mut self, time: f64, value: f64) {
        if self.points.back().is_some_and(|last| time < last[0]) {
            self.points.clear();
        }
        if !time.is_finite() || !value.is_finite() {
            return;
        }
        // A frame that is shown again replaces itself.
        if self.points.back().is_some_and(|last| last[0] == time) {
            self.points.pop_back();
        }
        self.points.push_back([time, value]);
        while self.points.len() > MOST || self.points.front().is_some_and(|first| first[0] < time - self.seconds) {
            self.points.pop_front();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    pub(crate) fn points(&self) -> impl Iterator<Item = [f64; 2]> {
        self.points.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_old_numbers_go() {
        let mut series = Series::of_last(10.0);
        for k in 0..50_000 {
            series.add(f64::from(k) * 0.001, 1.0);
        }
        assert_eq!(series.points().count(), MOST);
        for k in 0..100 {
            series.add(50.0 + f64::from(k), 2.0);
        }
        assert!(series.points().count() <= 11);
    }

    #[test]
    fn a_reset_begins_anew_and_infinities_are_left_out() {
        let mut series = Series::of_last(10.0);
        series.add(5.0, 1.0);
        series.add(5.0, 1.5);
        series.add(6.0, f64::INFINITY);
        assert_eq!(series.points().collect::<Vec<_>>(), [[5.0, 1.5]]);
        series.add(0.1, 3.0);
        assert_eq!(series.points().next(), Some([0.1, 3.0]));
    }
}
