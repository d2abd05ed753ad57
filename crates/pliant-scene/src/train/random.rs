//! Smooth random courses: sums of waves with random frequencies and phases, the same for the same seed.
//!
//! They start at rest: in the first period they grow from zero.

use std::f64::consts::{PI, TAU};

use pliant::math::Vec3;
use pliant::math::functions::{cos, sin};

/// Waves of a course: enough that it does not repeat soon.
const WAVES: usize = 6;

/// Fixed pseudo-random numbers (SplitMix64).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Numbers of a stream of a seed.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        Self(seed ^ stream.wrapping_mul(0xD1B5_4A32_D192_ED03))
    }

    /// Uniform in [0, 1).
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A direction, all of them alike.
    fn direction(&mut self) -> Vec3 {
        let (height, turn) = (2.0 * self.unit() - 1.0, TAU * self.unit());
        let across = (1.0 - height * height).sqrt();
        Vec3::new(across * cos(turn), height, across * sin(turn))
    }
}

/// A wave a cos(k·x + ω t + φ).
#[derive(Debug, Clone, Copy)]
struct Wave {
    amplitude: Vec3,
    across: Vec3,
    frequency: f64,
    phase: f64,
}

/// A vector that changes smoothly over time and space.
#[derive(Debug, Clone)]
pub(crate) struct RandomField {
    waves: [Wave; WAVES],
    period: f64,
    /// When it begins \[s\].
    start: f64,
}

impl RandomField {
    /// With this root mean square, shortest period \[s\], and distance \[m\] over which it differs; the same everywhere if that is
    /// infinite.
    pub(crate) fn new(random: &mut Random, size: f64, period: f64, distance: f64) -> Self {
        // Each wave has half the square of its amplitude on average.
        let amplitude = size * (2.0 / WAVES as f64).sqrt();
        let mut wave = || Wave {
            amplitude: amplitude * random.direction(),
            across: (PI / distance) * (0.5 + 0.5 * random.unit()) * random.direction(),
            frequency: TAU / period * (0.25 + 0.75 * random.unit()),
            phase: TAU * random.unit(),
        };
        Self { waves: std::array::from_fn(|_| wave()), period, start: 0.0 }
    }

    /// The same, from a moment on \[s\].
    pub(crate) fn from(self, start: f64) -> Self {
        Self { start, ..self }
    }

    /// Its value at a time \[s\] and a place \[m\].
    pub(crate) fn at(&self, time: f64, place: Vec3) -> Vec3 {
        let time = time - self.start;
        let growth = 0.5 - 0.5 * cos(PI * (time / self.period).clamp(0.0, 1.0));
        let value = |w: &Wave| w.amplitude * cos(w.across.dot(place) + w.frequency * time + w.phase);
        growth * self.waves.iter().map(value).sum::<Vec3>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courses_start_at_rest_have_their_size_and_depend_on_their_seed() {
        let field = |seed| RandomField::new(&mut Random::new(seed, 1), 3.0, 0.5, f64::INFINITY);
        let (one, other) = (field(1), field(2));
        assert_eq!(one.at(0.0, Vec3::ONE), Vec3::ZERO);
        assert_eq!(one.at(2.0, Vec3::ZERO), one.at(2.0, Vec3::ONE), "the same everywhere");
        assert_eq!(one.clone().from(0.5).at(0.5, Vec3::ZERO), Vec3::ZERO);
        assert_eq!(one.clone().from(0.5).at(2.5, Vec3::ZERO), one.at(2.0, Vec3::ZERO));
        assert_eq!(one.at(2.0, Vec3::ZERO), field(1).at(2.0, Vec3::ZERO));
        assert!(one.at(2.0, Vec3::ZERO).distance(other.at(2.0, Vec3::ZERO)) > 0.1);
        let squares: f64 = (0..200_000).map(|k| one.at(1.0 + 0.01 * f64::from(k), Vec3::ZERO).length_squared()).sum();
        let size = (squares / 200_000.0).sqrt();
        assert!((size - 3.0).abs() < 0.1, "{size}");
        let near = RandomField::new(&mut Random::new(1, 1), 3.0, 0.5, 0.1);
        assert!(near.at(2.0, Vec3::ZERO).distance(near.at(2.0, 0.1 * Vec3::X)) > 0.1, "it differs over its distance");
    }
}
