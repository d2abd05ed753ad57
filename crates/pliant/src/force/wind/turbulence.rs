//! Eddies: a divergence-free velocity field that the mean wind carries along [Kraichnan 1970].
//!
//! ```text
//! w(x, t) = U + σ|U| Σ A_m e_m cos(k_m · (x − ∫U dt) + c_m σ ∫|U| dt + φ_m),   e_m ⟂ k_m
//! ```
//!
//! Each wave is perpendicular to its wave vector, so that the sum is exactly divergence-free. Wave lengths range from
//! the size of the largest eddies to a sixth of it, and energy falls with the wave number to the power −5/3. Waves and
//! phases come from the seed alone: the wind at a place and time is the same on every machine and any number of threads.

use std::f64::consts::{PI, TAU};

use crate::math::Vec3;
use crate::math::functions::{cos, exp2, pow, rotation_about, sin};
use crate::world::state::AirPath;

/// Waves of the sum. With half as many the field was seen to be uneven by direction.
const WAVES: usize = 32;
/// Octaves from the longest wave to the shortest.
const OCTAVES: f64 = 2.5;

/// Eddies in the wind.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Turbulence {
    /// Root mean square of each component of the eddies' velocity, as a share of the mean speed: 0 for steady wind, 0.1 over open water, 0.3 among houses.
    pub strength: f64,
    /// Size of the largest eddies \[m\]; the smallest have a sixth of this size.
    pub length: f64,
    /// Seed of the eddies.
    pub seed: u64,
}

impl Default for Turbulence {
    /// None.
    fn default() -> Self {
        Self { strength: 0.0, length: 1.0, seed: 0 }
    }
}

/// A wave of the field.
#[derive(Debug, Clone, Copy)]
struct Wave {
    /// Wave vector \[1/m\].
    k: Vec3,
    /// Direction and amplitude, relative to the root mean square of the field.
    along: Vec3,
    /// Phase \[rad\].
    phase: f64,
}

/// The eddies at a moment.
#[derive(Debug, Clone)]
pub(super) struct Eddies(Vec<Wave>);

impl Eddies {
    /// When the air has gone along a path; `speed` is the root mean square of a component \[m/s\].
    pub(super) fn new(turbulence: &Turbulence, speed: f64, path: AirPath) -> Self {
        let mut random = Random(turbulence.seed);
        let turned = rotation_about(random.direction(), TAU * random.unit());
        let longest = TAU / turbulence.length;
        let waves = (0..WAVES).map(|m| {
            // Wave vectors are spread evenly over the sphere, whatever the seed; neighbours have unlike lengths.
            let height = 1.0 - (2.0 * m as f64 + 1.0) / WAVES as f64;
            let angle = PI * (3.0 - 5.0_f64.sqrt()) * m as f64;
            let across = (1.0 - height * height).sqrt();
            let direction = turned * Vec3::new(across * cos(angle), across * sin(angle), height);
            let octave = OCTAVES * (((m * 11) % WAVES) as f64 + random.unit()) / WAVES as f64;
            let (k, polarised) = (longest * exp2(octave), TAU * random.unit());
            let first = direction.any_orthonormal_vector();
            let along = first * cos(polarised) + direction.cross(first) * sin(polarised);
            // Even steps of log k: k·k^(−5/3) of energy each.
            let amplitude = pow(exp2(octave), -1.0 / 3.0);
            let turning = k * turbulence.strength * (2.0 * random.unit() - 1.0) * path.length;
            let phase = TAU * random.unit() + turning - (direction * k).dot(path.carried);
            Wave { k: direction * k, along: along * amplitude, phase }
        });
        let mut waves: Vec<Wave> = waves.collect();
        // Three components, and half of each wave's square in the mean.
        let energy = waves.iter().map(|wave| 0.5 * wave.along.length_squared()).sum::<f64>() / 3.0;
        waves.iter_mut().for_each(|wave| wave.along *= speed / energy.sqrt());
        Self(waves)
    }

    /// Their velocity at a place \[m/s\].
    pub(super) fn at(&self, x: Vec3) -> Vec3 {
        self.0.iter().fold(Vec3::ZERO, |sum, wave| sum + wave.along * cos(wave.k.dot(x) + wave.phase))
    }
}

/// Numbers from a seed (SplitMix64 [Steele 2014]).
struct Random(u64);

impl Random {
    /// From 0 to below 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / 2.0_f64.powi(64)
    }

    fn direction(&mut self) -> Vec3 {
        let (height, angle) = (2.0 * self.unit() - 1.0, TAU * self.unit());
        let across = (1.0 - height * height).max(0.0).sqrt();
        Vec3::new(across * cos(angle), across * sin(angle), height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> impl Iterator<Item = Vec3> {
        let mut random = Random(99);
        (0..20_000).map(move |_| Vec3::new(random.unit(), random.unit(), random.unit()) * 40.0)
    }

    #[test]
    fn eddies_have_the_strength_that_was_asked_for_in_every_direction_and_no_mean() {
        for seed in [0, 1, 12_345, u64::MAX] {
            let turbulence = Turbulence { strength: 0.3, length: 1.5, seed };
            let eddies = Eddies::new(&turbulence, 2.0, AirPath::default());
            let (mut mean, mut square) = (Vec3::ZERO, Vec3::ZERO);
            for at in places() {
                let w = eddies.at(at);
                mean += w / 20_000.0;
                square += w * w / 20_000.0;
            }
            assert!(mean.length() < 0.1, "seed {seed}: mean {mean}");
            assert!((square.element_sum() / 12.0 - 1.0).abs() < 0.05, "seed {seed}: {square}");
            assert!(square.min_element() > 2.0 && square.max_element() < 7.0, "seed {seed}: {square}");
        }
    }

    #[test]
    fn eddies_have_no_divergence_and_are_smooth_at_their_smallest_size() {
        let turbulence = Turbulence { strength: 0.3, length: 1.0, seed: 7 };
        let eddies = Eddies::new(&turbulence, 1.0, AirPath::default());
        let d = 1e-5;
        let mut steepest = 0.0_f64;
        for at in places().take(200) {
            let slope = |e: Vec3| (eddies.at(at + e * d) - eddies.at(at - e * d)) / (2.0 * d);
            let [x, y, z] = Vec3::AXES.map(slope);
            assert!((x.x + y.y + z.z).abs() < 1e-6);
            steepest = steepest.max(x.length()).max(y.length()).max(z.length());
        }
        // The shortest wave has 2π/(1/6 m); all at once would be 100 1/s.
        assert!(steepest > 2.0 && steepest < 100.0, "{steepest} 1/s");
    }

    #[test]
    fn eddies_are_carried_along_and_turn_on_the_way() {
        let turbulence = Turbulence { strength: 0.2, length: 1.0, seed: 3 };
        let at = |path: AirPath, x: Vec3| Eddies::new(&turbulence, 1.0, path).at(x);
        let (here, way) = (Vec3::new(0.2, 0.1, -0.4), Vec3::X * 0.7);
        let start = at(AirPath::default(), here);
        // Carried without turning, they are the same ones at another place; having turned they are others.
        let carried = at(AirPath { carried: way, length: 0.0 }, here + way);
        assert!((carried - start).length() < 1e-12);
        let turned = [0.01, 2.0].map(|length| at(AirPath { carried: way, length }, here + way));
        assert!((turned[0] - start).length() < 0.1 && (turned[1] - start).length() > 0.1);
        assert!((at(AirPath::default(), here + way) - start).length() > 0.1, "another place has other wind");
    }
}
