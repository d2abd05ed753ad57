//! What the tests share: comparisons, statics, complex numbers and reference data.

use std::path::PathBuf;

use pliant::prelude::*;

pub(crate) const GRAVITY: f64 = 9.81;

/// Fails unless `found` equals `expected` within the relative tolerance.
#[track_caller]
pub(crate) fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (found - expected).abs() / expected.abs();
    assert!(error <= tolerance, "{what}: found {found:e}, expected {expected:e}: off by {error:.1e}");
}

/// Newton's method from the last positions, to rounding: what statics by long steps needs.
pub(crate) fn exact() -> NewtonParams {
    NewtonParams { tolerance: 1e-13, start: Start::Previous, ..NewtonParams::default() }
}

/// Steps until no vertex moves by more than `tolerance` in a step. Long steps of implicit Euler damp everything within a
/// few, so that what remains is static equilibrium.
#[track_caller]
pub(crate) fn settle(sim: &mut Simulation, tolerance: f64, most: usize) {
    let mut moved = f64::INFINITY;
    for _ in 0..most {
        let before = sim.positions().to_vec();
        sim.step().unwrap();
        moved = farthest(&before, sim.positions());
        if moved <= tolerance {
            return;
        }
    }
    panic!("still moves by {moved:e} m per step after {most} steps");
}

pub(crate) fn farthest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((*a - *b).length()))
}

/// A mass on a spring along x to a pin at the origin: exactly linear as long as the spring keeps its direction. It starts
/// from `displacement` at rest, with ω = √(stiffness/mass) for a mass of 1 kg.
pub(crate) fn spring_and_mass(rest_length: f64, stiffness: f64, displacement: f64) -> Body {
    let rest = vec![Vec3::ZERO, Vec3::X * rest_length];
    let springs = EdgeSprings {
        rest_lengths: Some(vec![rest_length]),
        ..EdgeSprings::new(vec![[0, 1]], SpringStiffness::Uniform(stiffness))
    };
    let batch = springs.build(&rest).unwrap();
    let moved = vec![Vec3::ZERO, Vec3::X * (rest_length + displacement)];
    Body::new(rest, vec![(0, 0, 1.0), (1, 1, 1.0)]).with_energy(batch).pin([0]).with_positions(moved)
}

/// A complex number, for amplification factors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Complex {
    pub(crate) re: f64,
    pub(crate) im: f64,
}

impl Complex {
    pub(crate) fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    pub(crate) fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    pub(crate) fn arg(self) -> f64 {
        self.im.atan2(self.re)
    }

    pub(crate) fn sqrt(self) -> Self {
        let (r, half) = (self.abs().sqrt(), 0.5 * self.arg());
        Self::new(r * half.cos(), r * half.sin())
    }
}

impl std::ops::Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.re + other.re, self.im + other.im)
    }
}

impl std::ops::Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::new(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
    }
}

impl std::ops::Mul<f64> for Complex {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self::new(self.re * factor, self.im * factor)
    }
}

impl std::ops::Div for Complex {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self * Self::new(other.re, -other.im) * other.abs().powi(-2)
    }
}

/// Rows of numbers of a reference file, or none (said aloud) where the reference data is not there. `PLIANT_DATA` names the
/// folder; by default it is `shared/data` beside the repository.
pub(crate) fn reference(file: &str) -> Option<Vec<Vec<f64>>> {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let folder = std::env::var_os("PLIANT_DATA").map_or_else(beside, PathBuf::from);
    let path = folder.join("reference").join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: no {}", path.display());
        return None;
    };
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    Some(rows.map(|line| line.split(',').map(|value| value.parse().unwrap()).collect()).collect())
}
