//! How fast the world runs, and how fast it is drawn.

use std::collections::VecDeque;

/// Speeds to choose from: seconds of the world in one of ours.
pub(crate) const SPEEDS: [f64; 11] = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

pub(crate) fn faster(speed: f64) -> f64 {
    SPEEDS.into_iter().find(|&next| next > 1.01 * speed).unwrap_or(SPEEDS[SPEEDS.len() - 1])
}

pub(crate) fn slower(speed: f64) -> f64 {
    SPEEDS.into_iter().rev().find(|&next| next < 0.99 * speed).unwrap_or(SPEEDS[0])
}

/// The pace, if it is clearly below the speed that was asked for.
pub(crate) fn lag(pace: Option<f64>, speed: f64) -> Option<f64> {
    pace.filter(|&pace| pace < 0.85 * speed)
}

/// How often something happens, on average over the last second.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rate {
    times: VecDeque<f64>,
}

impl Rate {
    pub(crate) fn tick(&mut self, time: f64) {
        self.times.push_back(time);
        while self.times.len() > 1000 || self.times.front().is_some_and(|&first| first < time - 1.0) {
            self.times.pop_front();
        }
    }

    /// Per second; none if it stands still.
    pub(crate) fn at(&self, time: f64) -> Option<f64> {
        let (&first, &last) = (self.times.front()?, self.times.back()?);
        (self.times.len() > 2 && last > first && time - last < 0.7)
            .then(|| (self.times.len() - 1) as f64 / (last - first))
    }
}

/// Whether drawing is slow: many pictures in a row take long.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slowness(u32);

impl Slowness {
    /// Seconds of a picture that is slow, and how many in a row are more than a hiccup.
    const SLOW: f64 = 0.06;
    const MANY: u32 = 20;

    /// Takes the seconds of a picture; returns true once, when it has become clear.
    pub(crate) fn is_clear_after(&mut self, seconds: f64) -> bool {
        match self.0 {
            Self::MANY => return false,
            _ if seconds > Self::SLOW => self.0 += 1,
            _ => self.0 = 0,
        }
        self.0 == Self::MANY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_go_up_and_down_the_list() {
        assert_eq!((faster(1.0), slower(1.0)), (2.0, 0.5));
        assert_eq!((faster(16.0), slower(0.01)), (16.0, 0.01));
        assert_eq!((faster(0.3), slower(0.3)), (0.5, 0.25));
    }

    #[test]
    fn only_a_clear_delay_is_told() {
        assert_eq!(lag(Some(0.4), 1.0), Some(0.4));
        assert_eq!(lag(Some(0.95), 1.0), None);
        assert_eq!(lag(None, 1.0), None);
    }

    #[test]
    fn a_rate_is_a_count_per_second() {
        let mut rate = Rate::default();
        (0..120).for_each(|k| rate.tick(f64::from(k) / 60.0));
        assert!(rate.at(2.0).is_some_and(|found| (found - 60.0).abs() < 0.5));
        assert_eq!(rate.at(4.0), None);
    }

    #[test]
    fn only_many_slow_pictures_in_a_row_are_slow() {
        let mut slowness = Slowness::default();
        assert!((0..100).all(|k| !slowness.is_clear_after(if k % 10 == 0 { 0.01 } else { 0.1 })));
        assert_eq!((0..100).filter(|_| slowness.is_clear_after(0.1)).count(), 1);
    }
}
