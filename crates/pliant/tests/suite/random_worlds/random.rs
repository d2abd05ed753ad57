//! Numbers that look random and are the same on every machine: a seed is a world.

use pliant::math::{Quat, Vec3};

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        // Neighbouring seeds begin alike.
        for _ in 0..8 {
            random.unit();
        }
        random
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform between two numbers.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Between two positive numbers, each power of ten as likely as the next: stiffnesses and sizes have no scale of their own.
    pub(crate) fn scale(&mut self, low: f64, high: f64) -> f64 {
        (self.between(low.ln(), high.ln())).exp()
    }

    /// A whole number, both ends included.
    pub(crate) fn count(&mut self, low: usize, high: usize) -> usize {
        low + ((high - low + 1) as f64 * self.unit()) as usize
    }

    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.count(0, list.len() - 1)]
    }

    /// A unit vector.
    pub(crate) fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            if v.length() > 0.1 && v.length() < 1.0 {
                return v.normalize();
            }
        }
    }

    /// A vector of at most this length.
    pub(crate) fn vector(&mut self, most: f64) -> Vec3 {
        self.direction() * self.between(0.0, most)
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        Quat::from_axis_angle(self.direction(), self.between(0.0, std::f64::consts::PI))
    }
}
