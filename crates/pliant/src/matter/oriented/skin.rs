//! Points that follow oriented particles: a surface around a chain or a plant.
//!
//! A point follows the two ends of the edge that is nearest to it at rest, each as if it were fixed to it, and is between the two by how far along
//! the edge it is: linear blend skinning with weights that go from one end to the other without a jump. That shares follow from edges, not from
//! distances to particles, keeps a twig from sticking to another that it only happens to be near to at its tip.

use super::{OrientedError, OrientedParticles};
use crate::math::{Quat, Vec3};

/// Points that follow oriented particles.
///
/// ```
/// use pliant::prelude::*;
/// use pliant::Skin;
/// let particles = OrientedParticles::along(&rope(Vec3::ZERO, Vec3::X, 2)?, &[0.1; 3])?;
/// let skin = Skin::new(&particles, &[Vec3::new(0.3, 0.1, 0.0)])?;
/// let turn = Quat::from_rotation_z(0.5);
/// let moved: Vec<Vec3> = particles.positions.iter().map(|p| turn * *p).collect();
/// let turned: Vec<Quat> = particles.orientations.iter().map(|q| turn * *q).collect();
/// let followed = skin.apply(&moved, &turned);
/// assert!((followed[0] - turn * Vec3::new(0.3, 0.1, 0.0)).length() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Skin {
    /// For each point the two particles that it follows; the same one twice if it follows only one.
    pub particles: Vec<[u32; 2]>,
    /// For each point the share of the second.
    pub shares: Vec<f64>,
    /// For each point its place from each of the two, in their own axes \[m\].
    places: Vec<[Vec3; 2]>,
}

impl Skin {
    /// Binds points to the particles at rest.
    pub fn new(particles: &OrientedParticles, points: &[Vec3]) -> Result<Self, OrientedError> {
        particles.check()?;
        let (count, x, q) = (particles.positions.len(), &particles.positions, &particles.orientations);
        let mut is_tied = vec![false; count];
        particles.edges.iter().flatten().for_each(|&v| is_tied[v as usize] = true);
        let alone = (0..count as u32).filter(|&v| !is_tied[v as usize]).map(|v| [v, v]);
        let ties: Vec<[u32; 2]> = particles.edges.iter().copied().chain(alone).collect();
        let mut skin = Self { particles: Vec::new(), shares: Vec::new(), places: Vec::new() };
        for (number, &point) in points.iter().enumerate() {
            if !point.is_finite() || ties.is_empty() {
                return Err(OrientedError::BadPoint { point: number, value: point });
            }
            let mut nearest = (f64::INFINITY, [0, 0], 0.0);
            for &tie in &ties {
                let [a, b] = tie.map(|v| x[v as usize]);
                let (way, length) = (b - a, a.distance_squared(b));
                let along = if length > 0.0 { ((point - a).dot(way) / length).clamp(0.0, 1.0) } else { 0.0 };
                let distance = point.distance_squared(a + way * along);
                if distance < nearest.0 {
                    nearest = (distance, tie, along);
                }
            }
            let (_, tie, along) = nearest;
            skin.particles.push(tie);
            // Without a kink where one edge follows another.
            skin.shares.push(along * along * (3.0 - 2.0 * along));
            skin.places.push(tie.map(|v| q[v as usize].conjugate() * (point - x[v as usize])));
        }
        Ok(skin)
    }

    /// The points for these positions \[m\] and orientations of the particles.
    ///
    /// # Panics
    /// If there are fewer particles than it was made for.
    pub fn apply(&self, positions: &[Vec3], orientations: &[Quat]) -> Vec<Vec3> {
        self.blend(|v, place| positions[v] + orientations[v] * place)
    }

    /// Velocities of the points \[m/s\], from those of the particles, and angular velocities in their own axes \[rad/s\].
    ///
    /// # Panics
    /// If there are fewer particles than it was made for.
    pub fn velocities(&self, velocities: &[Vec3], orientations: &[Quat], spins: &[Vec3]) -> Vec<Vec3> {
        self.blend(|v, place| velocities[v] + orientations[v] * spins[v].cross(place))
    }

    /// Interpolates a vector or number at the points from values at the particles.
    pub fn mix<T>(&self, values: &[T]) -> Vec<T>
    where
        T: Copy + std::iter::Sum,
        f64: std::ops::Mul<T, Output = T>,
    {
        let all = self.particles.iter().zip(&self.shares);
        let between = |(&[a, b], &share): (&[u32; 2], &f64)| {
            [(1.0 - share) * values[a as usize], share * values[b as usize]].into_iter().sum()
        };
        all.map(between).collect()
    }

    fn blend(&self, follow: impl Fn(usize, Vec3) -> Vec3) -> Vec<Vec3> {
        let all = self.particles.iter().zip(&self.shares).zip(&self.places);
        all.map(|((&[a, b], &share), places)| follow(a as usize, places[0]).lerp(follow(b as usize, places[1]), share))
            .collect()
    }
}
