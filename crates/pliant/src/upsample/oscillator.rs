//! A damped oscillator that is driven: how it goes on, and which one fits a record.

use crate::math::functions::{cos, ln, pow};
use crate::math::{factor_dense, solve_dense};

/// Radii of poles that are tried first.
const RADII: [f64; 9] = [0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999];
/// Angles that are tried first, in half a turn.
const ANGLES: usize = 24;
/// The largest radius: oscillations that never fade would remember the beginning for ever.
const LONGEST: f64 = 0.9995;
/// Rounds of refining, each with half the steps of the last.
const ROUNDS: usize = 24;
/// Amplitudes stay within this many times the largest of the training data.
const MARGIN: f64 = 1.5;

/// Poles of an oscillator per frame of the training data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Poles {
    /// ρ e^{±iθ}.
    Pair { radius: f64, angle: f64 },
    /// ρ; zero forgets everything at once.
    Single { radius: f64 },
}

/// α and β of q⁺ = α q + β q⁻ + (1 − α − β) q*.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Recurrence {
    pub(super) alpha: f64,
    pub(super) beta: f64,
}

impl Recurrence {
    pub(super) fn next(&self, now: f64, before: f64, target: f64) -> f64 {
        target + self.alpha * (now - target) + self.beta * (before - target)
    }
}

impl Poles {
    /// For frames that are `pace` times as long as those of the training data.
    pub(super) fn after(&self, pace: f64) -> Recurrence {
        match *self {
            Self::Pair { radius, angle } => {
                let radius = pow(radius, pace);
                Recurrence { alpha: 2.0 * radius * cos(angle * pace), beta: -radius * radius }
            }
            Self::Single { radius } => Recurrence { alpha: pow(radius, pace), beta: 0.0 },
        }
    }
}

/// A mode's motion.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Oscillator {
    pub(super) poles: Poles,
    /// Largest amplitude \[m\].
    pub(super) limit: f64,
    /// Of the signals, and the constant last \[m\].
    pub(super) gains: Vec<f64>,
}

impl Oscillator {
    /// Whether it does not grow by itself.
    pub(super) fn is_stable(&self) -> bool {
        let (Poles::Pair { radius, .. } | Poles::Single { radius }) = self.poles;
        (0.0..1.0).contains(&radius) && self.limit >= 0.0
    }

    /// Frequency \[Hz\] and damping rate \[1/s\] at so many seconds from frame to frame; the rate of what forgets at once is infinite.
    pub(super) fn oscillation(&self, seconds: f64) -> (f64, f64) {
        match self.poles {
            Poles::Pair { radius, angle } => (angle / (2.0 * std::f64::consts::PI * seconds), -ln(radius) / seconds),
            Poles::Single { radius } => (0.0, -ln(radius) / seconds),
        }
    }

    /// Where it would come to rest under these signals \[m\].
    pub(super) fn target(&self, signals: &[f64]) -> f64 {
        let constant = self.gains.last().copied().unwrap_or(0.0);
        signals.iter().zip(&self.gains).map(|(signal, gain)| signal * gain).sum::<f64>() + constant
    }
}

/// The oscillator whose motion under the signals of some sequences is nearest to a record; sequences have these lengths, one after the other.
pub(super) fn fit_oscillator(
    lengths: &[usize],
    signals: &[Vec<f64>],
    record: &[f64],
    regularisation: f64,
) -> Oscillator {
    let error_of = |poles: Poles| fit_gains(poles, lengths, signals, record, regularisation);
    let mut best_poles = Poles::Single { radius: 0.0 };
    let mut best = error_of(best_poles);
    let consider = |poles: Poles, best_poles: &mut Poles, best: &mut (f64, Vec<f64>)| {
        let found = error_of(poles);
        let is_better = found.0 < best.0;
        if is_better {
            (*best_poles, *best) = (poles, found);
        }
        is_better
    };
    for radius in RADII {
        consider(Poles::Single { radius }, &mut best_poles, &mut best);
        for k in 0..ANGLES {
            let angle = std::f64::consts::PI * (k as f64 + 0.5) / ANGLES as f64;
            consider(Poles::Pair { radius, angle }, &mut best_poles, &mut best);
        }
    }
    // Radii are near one where the time that is remembered is long: steps are shares of 1 − ρ.
    let (mut turn, mut share) = (0.5 * std::f64::consts::PI / ANGLES as f64, 0.5);
    for _ in 0..ROUNDS {
        let nearby = |poles: Poles| -> Vec<Poles> {
            let longer = |radius: f64, by: f64| (1.0 - (1.0 - radius) * by).clamp(0.0, LONGEST);
            match poles {
                Poles::Pair { radius, angle } => vec![
                    Poles::Pair { radius, angle: (angle + turn).min(std::f64::consts::PI) },
                    Poles::Pair { radius, angle: (angle - turn).max(0.0) },
                    Poles::Pair { radius: longer(radius, 1.0 - share), angle },
                    Poles::Pair { radius: longer(radius, 1.0 + share), angle },
                ],
                Poles::Single { radius } => vec![
                    Poles::Single { radius: longer(radius, 1.0 - share) },
                    Poles::Single { radius: longer(radius, 1.0 + share) },
                ],
            }
        };
        let mut moves = 0;
        while nearby(best_poles).into_iter().any(|poles| consider(poles, &mut best_poles, &mut best)) && moves < 20 {
            moves += 1;
        }
        (turn, share) = (0.5 * turn, 0.5 * share);
    }
    let limit = MARGIN * record.iter().fold(0.0_f64, |most, q| most.max(q.abs()));
    Oscillator { poles: best_poles, limit, gains: best.1 }
}

/// Squared error of the best gains for some poles, and these.
fn fit_gains(
    poles: Poles,
    lengths: &[usize],
    signals: &[Vec<f64>],
    record: &[f64],
    regularisation: f64,
) -> (f64, Vec<f64>) {
    let recurrence = poles.after(1.0);
    let count = signals.first().map_or(0, Vec::len);
    let n = count + 1;
    // The motion under each signal alone, from its first value on.
    let mut answers: Vec<f64> = Vec::with_capacity(record.len() * n);
    let mut start = 0;
    for &length in lengths {
        let (mut now, mut before) = (vec![0.0; count], vec![0.0; count]);
        for (frame, own) in signals[start..start + length].iter().enumerate() {
            for k in 0..count {
                let next = if frame == 0 { own[k] } else { recurrence.next(now[k], before[k], own[k]) };
                (before[k], now[k]) = (if frame == 0 { next } else { now[k] }, next);
            }
            answers.extend_from_slice(&now);
            answers.push(1.0);
        }
        start += length;
    }
    let (mut matrix, mut gains) = (vec![0.0; n * n], vec![0.0; n]);
    for (row, q) in answers.chunks(n).zip(record) {
        for i in 0..n {
            gains[i] += row[i] * q;
            (0..=i).for_each(|j| matrix[i * n + j] += row[i] * row[j]);
        }
    }
    for k in 0..count {
        matrix[k * n + k] += regularisation.max(f64::EPSILON) * record.len() as f64;
    }
    if !factor_dense(&mut matrix, n) {
        return (f64::INFINITY, vec![0.0; n]);
    }
    solve_dense(&matrix, &mut gains);
    let rest = |(row, q): (&[f64], &f64)| q - row.iter().zip(&gains).map(|(a, b)| a * b).sum::<f64>();
    let error = answers.chunks(n).zip(record).map(|sample| rest(sample).powi(2)).sum();
    (error, gains)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kick, and the record of an oscillator with known poles that rings on: 1.5 Hz, damped by 1.2 /s, at 60 frames a second.
    #[test]
    fn frequency_and_damping_of_a_ringing_record_are_found() {
        let seconds = 1.0 / 60.0;
        let truth =
            Poles::Pair { radius: (-1.2_f64 * seconds).exp(), angle: 2.0 * std::f64::consts::PI * 1.5 * seconds };
        let recurrence = truth.after(1.0);
        let signal = |frame: usize| if (20..30).contains(&frame) { 1.0 } else { 0.0 };
        let (mut now, mut before, mut record) = (0.0, 0.0, Vec::new());
        for frame in 0..300 {
            (before, now) = (now, recurrence.next(now, before, 0.3 * signal(frame)));
            record.push(now);
        }
        let signals: Vec<Vec<f64>> = (0..300).map(|frame| vec![signal(frame)]).collect();
        let found = fit_oscillator(&[300], &signals, &record, 0.0);
        let (Poles::Pair { radius, angle }, Poles::Pair { radius: r, angle: a }) = (found.poles, truth) else {
            panic!("{found:?}");
        };
        assert!((radius - r).abs() < 1e-5 && (angle - a).abs() < 1e-5, "{radius} {r}, {angle} {a}");
        assert!((found.gains[0] - 0.3).abs() < 1e-3, "{:?}", found.gains);
    }

    /// Two half frames are one whole: poles are those of a continuous motion.
    #[test]
    fn the_pace_of_frames_does_not_change_a_free_motion() {
        for poles in [Poles::Pair { radius: 0.97, angle: 0.4 }, Poles::Single { radius: 0.9 }] {
            let (whole, half) = (poles.after(1.0), poles.after(0.5));
            let start = |pace: f64| match poles {
                Poles::Pair { radius, angle } => [1.0, radius.powf(-pace) * cos(angle * pace)],
                Poles::Single { radius } => [1.0, radius.powf(-pace)],
            };
            let run = |recurrence: Recurrence, [mut now, mut before]: [f64; 2], frames: usize| {
                for _ in 0..frames {
                    (before, now) = (now, recurrence.next(now, before, 0.0));
                }
                now
            };
            let (a, b) = (run(whole, start(1.0), 25), run(half, start(0.5), 50));
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
    }
}
