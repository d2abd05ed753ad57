//! Blades of grass: clamped curves that resist stretching and bending.

use std::f64::consts::TAU;

use pliant::prelude::*;

use super::{curve_bending, random};
use crate::ReproduceError;

pub(super) const NAME: &str = "grass";
/// The meadow: from and to along x and z \[m\].
const MEADOW: [[f64; 2]; 2] = [[-4.9, 4.6], [-2.2, 2.4]];
/// Vertices of a blade; the first two are held.
const VERTICES: usize = 7;
/// Height of the part that is held \[m\].
const HELD: f64 = 0.03;
/// Axial stiffness \[N\].
const AXIAL_STIFFNESS: f64 = 50.0;
/// Bending stiffness \[N·m²\].
const BENDING: f64 = 1.2e-2;
/// Mass per length \[kg/m\].
const DENSITY: f64 = 5e-3;
/// Width \[m\].
const WIDTH: f64 = 0.028;

#[derive(Debug)]
pub(crate) struct Grass {
    positions: Vec<Vec3>,
    /// Across each blade: its flat side is seen along the other direction.
    across: Vec<Vec3>,
}

impl Grass {
    /// So many blades, where nothing else stands.
    pub(super) fn new(count: usize, taken: impl Fn(f64, f64) -> bool) -> Self {
        let (mut positions, mut across) = (Vec::new(), Vec::new());
        let mut place = 0;
        while across.len() < count {
            // A sequence that fills a square evenly [Roberts 2018].
            place += 1;
            let share = |step: f64| (place as f64 * step).rem_euclid(1.0);
            let [x, z] = [(0, 0.754_877_666_246_693), (1, 0.569_840_290_998_053)]
                .map(|(axis, step): (usize, f64)| MEADOW[axis][0] + share(step) * (MEADOW[axis][1] - MEADOW[axis][0]));
            if taken(x, z) {
                continue;
            }
            let root = Vec3::new(x, 0.0, z);
            let turn = TAU * random(place);
            let lean = 0.1 + 0.35 * random(place + 5000);
            let sideways = Vec3::new(turn.cos(), 0.0, turn.sin());
            let direction = Vec3::Y * lean.cos() + sideways * lean.sin();
            let length = 0.2 + 0.25 * random(place + 9000);
            positions.push(root);
            let free = (VERTICES - 2) as f64;
            positions.extend((1..VERTICES).map(|k| root + direction * (HELD + length * (k - 1) as f64 / free)));
            across.push(Vec3::new(-sideways.z, 0.0, sideways.x));
        }
        Self { positions, across }
    }

    fn blades(&self) -> Vec<[u32; VERTICES]> {
        (0..self.across.len()).map(|blade| std::array::from_fn(|k| (blade * VERTICES + k) as u32)).collect()
    }

    /// The last vertex of each blade.
    pub(crate) fn tips(&self) -> impl Iterator<Item = usize> {
        (0..self.across.len()).map(|blade| (blade + 1) * VERTICES - 1)
    }

    pub(super) fn body(&self) -> Result<Body, ReproduceError> {
        let (rest, blades) = (&self.positions, self.blades());
        // Nothing moves between the two vertices that are held.
        let pairs: Vec<[u32; 2]> =
            blades.iter().flat_map(|blade| blade[1..].windows(2).map(|pair| [pair[0], pair[1]])).collect();
        let mut mass = vec![0.0; rest.len()];
        for &[a, b] in &pairs {
            let half = 0.5 * DENSITY * rest[a as usize].distance(rest[b as usize]);
            mass[a as usize] += half;
            mass[b as usize] += half;
        }
        // The roots are held and have no part in anything; they must weigh something even so.
        let mass = (0u32..).zip(mass).map(|(v, m): (u32, f64)| (v, v, m.max(1e-4))).collect();
        let springs = EdgeSprings::new(pairs.clone(), SpringStiffness::Axial(AXIAL_STIFFNESS));
        Ok(Body::new(rest.clone(), mass)
            .with_energy(springs.build(rest)?)
            .with_energy(curve_bending(blades.iter().map(|blade| &blade[..]), rest, BENDING))
            .with_segments(pairs)
            .with_strand_width(WIDTH)
            .without_self_collision()
            .pin(blades.iter().flat_map(|blade| [blade[0], blade[1]]))
            .named(NAME))
    }

    /// Ribbons along every third blade from the `k`-th, for three shades of green.
    pub(super) fn ribbons(&self, positions: &[Vec3], k: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let (mut points, mut triangles) = (Vec::new(), Vec::new());
        for (blade, across) in positions.chunks(VERTICES).zip(&self.across).skip(k).step_by(3) {
            let first = points.len() as u32;
            for (j, p) in blade.iter().enumerate() {
                let taper = 1.0 - (j as f64 / (VERTICES - 1) as f64).powi(2);
                let side = *across * (0.5 * WIDTH * taper.max(0.02));
                points.extend([*p - side, *p + side]);
            }
            for j in 0..VERTICES as u32 - 1 {
                let a = first + 2 * j;
                triangles.extend([[a, a + 1, a + 3], [a, a + 3, a + 2]]);
            }
        }
        (points, triangles)
    }
}
