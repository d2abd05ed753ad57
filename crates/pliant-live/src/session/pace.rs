//! When steps are due, and whether they come in time.

use std::collections::VecDeque;

/// Seconds over which the pace is measured.
const WINDOW: f64 = 1.0;
/// What is late by more than this is given up \[s\]: after a long step the world goes on from there, and does not rush after the time that was lost.
const PATIENCE: f64 = 0.1;

/// When steps are due.
#[derive(Debug, Clone)]
pub(super) struct Pace {
    playing: bool,
    speed: f64,
    /// When the next step is due \[s\]; none before the first turn.
    due: Option<f64>,
    /// Times of day, and the seconds of the world that had passed in all.
    marks: VecDeque<(f64, f64)>,
    passed: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self::new(1.0, true)
    }
}

impl Pace {
    pub(super) fn new(speed: f64, playing: bool) -> Self {
        Self { playing, speed, due: None, marks: VecDeque::new(), passed: 0.0 }
    }

    pub(super) fn is_playing(&self) -> bool {
        self.playing
    }

    pub(super) fn speed(&self) -> f64 {
        self.speed
    }

    pub(super) fn play(&mut self, playing: bool) {
        if playing != self.playing {
            (self.playing, self.due) = (playing, None);
            self.marks.clear();
        }
    }

    pub(super) fn set_speed(&mut self, speed: f64) {
        self.speed = speed;
        self.due = None;
        self.marks.clear();
    }

    /// Whether a step of so many seconds of the world is due; the next is due after it.
    pub(super) fn is_due(&mut self, now: f64, step: f64) -> bool {
        if !self.playing {
            return false;
        }
        let interval = step / self.speed;
        let Some(due) = self.due else {
            self.due = Some(now + interval);
            self.marks.push_back((now, self.passed));
            return false;
        };
        if now < due {
            return false;
        }
        self.due = Some(if now - due > PATIENCE { now + interval } else { due + interval });
        self.passed += step;
        self.marks.push_back((now, self.passed));
        // The oldest mark that is a window ago stays, so that slow worlds have two.
        while self.marks.len() > 2 && self.marks[1].0 <= now - WINDOW {
            self.marks.pop_front();
        }
        true
    }

    /// Seconds of the world in one of ours, lately.
    pub(super) fn measured(&self, now: f64) -> Option<f64> {
        let (first, last) = (self.marks.front()?, self.marks.back()?);
        let seconds = now.max(last.0) - first.0;
        // A few steps say nothing yet.
        (self.playing && seconds > 0.25 * WINDOW).then(|| (last.1 - first.1) / seconds)
    }

    /// Seconds until the next step is due.
    pub(super) fn wait(&self, now: f64) -> Option<f64> {
        if !self.playing {
            return None;
        }
        Some(self.due.map_or(0.0, |due| (due - now).max(0.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: f64 = 1.0 / 60.0;

    /// Plays for some seconds with turns at an interval; returns the number of steps.
    fn steps(pace: &mut Pace, seconds: f64, interval: f64) -> usize {
        let count = (seconds / interval).round() as usize;
        (0..=count).filter(|&k| pace.is_due(k as f64 * interval, STEP)).count()
    }

    #[test]
    fn a_world_that_is_fast_enough_keeps_its_speed() {
        let mut pace = Pace::new(1.0, true);
        assert_eq!(steps(&mut pace, 2.0, 0.001), 120);
        let measured = pace.measured(2.0).unwrap_or_default();
        assert!((measured - 1.0).abs() < 0.02, "{measured}");
        let mut slow = Pace::new(0.25, true);
        assert_eq!(steps(&mut slow, 2.0, 0.001), 30);
    }

    #[test]
    fn a_world_that_falls_behind_says_so_and_does_not_rush_afterwards() {
        let mut pace = Pace::new(1.0, true);
        // Each step takes 0.15 s.
        assert!(steps(&mut pace, 3.0, 0.15) <= 20);
        let measured = pace.measured(3.0).unwrap_or_default();
        assert!((measured - STEP / 0.15).abs() < 0.02, "{measured}");
        let caught_up = (0..100).filter(|&k| pace.is_due(3.0 + f64::from(k) * 1e-3, STEP)).count();
        assert!(caught_up <= 7, "{caught_up} steps in a tenth of a second");
    }

    #[test]
    fn nothing_is_due_while_it_stands_still() {
        let mut pace = Pace::new(1.0, false);
        assert_eq!(steps(&mut pace, 1.0, 0.01), 0);
        assert_eq!(pace.wait(1.0), None);
        assert_eq!(pace.measured(1.0), None);
    }
}
