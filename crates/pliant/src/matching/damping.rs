//! How regions move as wholes: what is left when springs are damped.
//!
//! Each region's movement is that of a rigid body with its momentum and angular momentum; a particle's is the mean over its regions. With
//! mᵢ/nᵢ as masses the means have the momentum and the angular momentum of the particles.

use super::fit::Fits;
use crate::energy::outer;
use crate::math::{Mat3, Vec3, symmetric_inverse_where_positive};

/// A movement u + ω × (x − centre).
#[derive(Debug, Clone, Copy)]
pub(super) struct Rigid {
    centre: Vec3,
    shift: Vec3,
    turn: Vec3,
}

impl Rigid {
    pub(super) fn at(&self, x: Vec3) -> Vec3 {
        self.shift + self.turn.cross(x - self.centre)
    }
}

impl Fits {
    /// Movements of all regions from `before` to x.
    pub(super) fn rigid_movements(&self, before: &[Vec3], x: &[Vec3]) -> Vec<Rigid> {
        let movement = |(region, row): (usize, &[u32])| {
            let all = || row.iter().zip(self.arms(region)).map(|(&v, arm)| (v as usize, arm[3]));
            let (mass, origin) = (self.regions[region].mass, before[row[0] as usize]);
            let centre = origin + all().fold(Vec3::ZERO, |sum, (v, m)| sum + (before[v] - origin) * m) / mass;
            let shift = all().fold(Vec3::ZERO, |sum, (v, m)| sum + (x[v] - before[v]) * m) / mass;
            let (mut square, mut momentum) = (Mat3::ZERO, Vec3::ZERO);
            for (v, m) in all() {
                let arm = before[v] - centre;
                square += outer(arm * m, arm);
                momentum += (arm * m).cross(x[v] - before[v]);
            }
            let trace = square.x_axis.x + square.y_axis.y + square.z_axis.z;
            let inertia = Mat3::from_diagonal(Vec3::splat(trace)) - square;
            let turn = symmetric_inverse_where_positive(inertia).0 * momentum;
            Rigid { centre, shift, turn }
        };
        self.members().rows().enumerate().map(movement).collect()
    }
}
