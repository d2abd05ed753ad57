//! How regions move as wholes: what is left when springs are damped.
//!
//! Each region's movement is that of a rigid body with its momentum and angular momentum; a particle's is the mean over its regions. With
//! mᵢ/nᵢ as masses the means have the momentum and the angular momentum of the particles.

use super::fit::{Fits, products, square_about, trace};
use crate::math::{Mat3, Vec3, symmetric_inverse_where_positive};

impl Fits {
    /// How each particle would move from `before` if its regions moved as rigid bodies, where it moves to x \[m\].
    pub(super) fn rigid_movements(&self, before: &[Vec3], x: &[Vec3]) -> Vec<Vec3> {
        let origin = before[0];
        let values = before.iter().zip(x).zip(&self.masses).map(|((before, x), m)| {
            let (a, u) = (*before - origin, *x - *before);
            let spin = a.cross(u);
            let numbers = [a.x, a.y, a.z, u.x, u.y, u.z, spin.x, spin.y, spin.z];
            let squares = products(a);
            std::array::from_fn(|k| m * if k < 9 { numbers[k] } else { squares[k - 9] })
        });
        let sums = self.sums.gathered(&values.collect::<Vec<[f64; 15]>>());
        let movement = |(region, sum): (usize, &[f64; 15])| {
            let mass = self.regions[region].mass;
            let vector = |k: usize| Vec3::from_slice(&sum[k..]);
            let (centre, shift) = (vector(0) / mass, vector(3) / mass);
            let spin = vector(6) - centre.cross(shift) * mass;
            let square = square_about(mass, centre, std::array::from_fn(|k| sum[k + 9]));
            let inertia = Mat3::from_diagonal(Vec3::splat(trace(&square))) - square;
            let turn = symmetric_inverse_where_positive(inertia).0 * spin;
            let at_origin = shift - turn.cross(centre);
            [turn.x, turn.y, turn.z, at_origin.x, at_origin.y, at_origin.z]
        };
        let movements: Vec<[f64; 6]> = sums.iter().enumerate().map(movement).collect();
        let means = self.sums.scattered(&movements).into_iter().zip(before).zip(&self.counts);
        let mean = |((sum, before), count): (([f64; 6], &Vec3), &f64)| {
            let (turn, shift) = (Vec3::from_slice(&sum), Vec3::from_slice(&sum[3..]));
            (shift + turn.cross(*before - origin)) / *count
        };
        means.map(mean).collect()
    }
}
