//! One pass over a chain [Müller 2012; Bender 2014, §3.5 and Fig. 9]: from the leader down, each vertex is moved straight
//! towards the one before it until their distance is the rest length.
//!
//! ```text
//!   ● leader
//!    ╲ l₁                   a follower that would be below a plane goes to the circle where the sphere around its
//!     o                     predecessor meets the plane, so that its length is exact there, too
//!      ╲ l₂   o  predicted
//!       o◀────╯
//! ```
//!
//! Departure: a chain that is pinned at both ends is passed over forth and back until both ends nearly meet
//! [Aristidou 2011, FABRIK], then Newton's method makes all its lengths exact at once; the paper has free tips only.

use crate::math::{Vec3, perpendicular_to};

/// A half-space n·x ≥ b that an entry must not leave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plane {
    pub(super) entry: u32,
    pub(super) normal: Vec3,
    /// b \[m\].
    pub(super) target: f64,
}

/// Rounds over the planes of one vertex: between two colliders it may take more than one.
const PLANE_ROUNDS: usize = 8;
/// Passes forth and back over a chain that is held at both ends, at most; and iterations of Newton's method after them.
const MOST_PASSES: usize = 8;
const MOST_ITERATIONS: usize = 30;
/// A held chain is done when no length is wrong by more than this share of it.
const HELD_TOLERANCE: f64 = 1e-11;
/// Added to the diagonal, beside 2: a taut chain has no other way to be than it is.
const TAUT: f64 = 1e-10;

/// Lengths and planes of one chain.
pub(super) struct Rules<'a> {
    /// Length from the entry before \[m\].
    pub(super) lengths: &'a [f64],
    /// Planes of the chain, by entry.
    pub(super) planes: &'a [Plane],
    /// Number of the chain's first entry.
    pub(super) first: u32,
}

impl Rules<'_> {
    /// Where the follower of `leader` goes that wants to be at `wanted`; `before` is where it goes if that has no direction.
    fn place(&self, k: usize, leader: Vec3, wanted: Vec3, length: f64, before: Vec3) -> Vec3 {
        let offset = wanted - leader;
        let distance = offset.length();
        // A follower on its leader has no direction; it goes on as the chain does.
        let mut direction = if distance > 0.0 { offset / distance } else { before };
        if !self.planes.is_empty() {
            let entry = self.first + k as u32;
            let from = self.planes.partition_point(|plane| plane.entry < entry);
            let own = self.planes[from..].iter().take_while(|plane| plane.entry == entry);
            for _ in 0..PLANE_ROUNDS {
                let mut moved = false;
                for plane in own.clone() {
                    // The least height over the leader, as a share of the length.
                    let least = ((plane.target - plane.normal.dot(leader)) / length).min(1.0);
                    if plane.normal.dot(direction) < least {
                        let along = direction - plane.normal * plane.normal.dot(direction);
                        let along = along.try_normalize().unwrap_or_else(|| perpendicular_to(plane.normal));
                        direction = plane.normal * least + along * (1.0 - least * least).max(0.0).sqrt();
                        moved = true;
                    }
                }
                if !moved {
                    break;
                }
            }
        }
        leader + direction * length
    }

    /// Lets all follow the first. Lengths are exact but for rounding.
    pub(super) fn forth(&self, chain: &mut [Vec3]) {
        let mut before = Vec3::NEG_Y;
        for k in 1..chain.len() {
            let leader = chain[k - 1];
            chain[k] = self.place(k, leader, chain[k], self.lengths[k], before);
            before = (chain[k] - leader) / self.lengths[k];
        }
    }

    /// Lets all between two held ends follow the one and the other in turn.
    pub(super) fn between(&self, chain: &mut [Vec3]) {
        let last = chain.len() - 1;
        let [root, end] = [chain[0], chain[last]];
        let total: f64 = self.lengths.iter().sum();
        if root.distance(end) >= total {
            // Out of reach: evenly stretched is all that can be done.
            let mut along = 0.0;
            for k in 1..last {
                along += self.lengths[k];
                chain[k] = root.lerp(end, along / total);
            }
            return;
        }
        for _ in 0..MOST_PASSES {
            let mut before = Vec3::NEG_Y;
            for k in (1..last).rev() {
                let (leader, length) = (chain[k + 1], self.lengths[k + 1]);
                chain[k] = self.place(k, leader, chain[k], length, before);
                before = (chain[k] - leader) / length;
            }
            self.forth(&mut chain[..last]);
            let length = self.lengths[last];
            if (chain[last - 1].distance(end) - length).abs() <= HELD_TOLERANCE * length {
                return;
            }
        }
        self.equalise(chain);
    }

    /// Newton's method on all lengths of a chain between two ends: J Jᵀ λ = C, tridiagonal, then x ← x − Jᵀ λ. Lengths
    /// come first, so planes do not count here.
    fn equalise(&self, chain: &mut [Vec3]) {
        let last = chain.len() - 1;
        let mut along = vec![Vec3::ZERO; last + 2];
        let (mut pivots, mut lambda) = (vec![1.0; last + 2], vec![0.0; last + 2]);
        for _ in 0..MOST_ITERATIONS {
            let mut worst = 0.0_f64;
            for k in 1..=last {
                let edge = chain[k] - chain[k - 1];
                // An edge without length keeps the direction it had.
                along[k] = edge.try_normalize().unwrap_or(along[k]);
                let error = edge.length() - self.lengths[k];
                worst = worst.max((error / self.lengths[k]).abs());
                // Each inner vertex moves, the ends do not.
                let moving = f64::from(u8::from(k > 1)) + f64::from(u8::from(k < last));
                let beside = if k > 1 { -along[k].dot(along[k - 1]) } else { 0.0 };
                pivots[k] = moving + TAUT - beside * beside / pivots[k - 1];
                lambda[k] = error - beside * lambda[k - 1] / pivots[k - 1];
            }
            if worst <= HELD_TOLERANCE {
                return;
            }
            for k in (1..=last).rev() {
                let beside = if k < last { -along[k].dot(along[k + 1]) } else { 0.0 };
                lambda[k] = (lambda[k] - beside * lambda[k + 1]) / pivots[k];
            }
            for k in 1..last {
                chain[k] += along[k + 1] * lambda[k + 1] - along[k] * lambda[k];
            }
            lambda.fill(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules<'a>(lengths: &'a [f64], planes: &'a [Plane]) -> Rules<'a> {
        Rules { lengths, planes, first: 0 }
    }

    fn worst(chain: &[Vec3], lengths: &[f64]) -> f64 {
        let errors = (1..chain.len()).map(|k| (chain[k].distance(chain[k - 1]) / lengths[k] - 1.0).abs());
        errors.fold(0.0, f64::max)
    }

    fn scrambled(count: usize) -> Vec<Vec3> {
        let wave = |k: f64| Vec3::new((3.1 * k).sin(), (1.7 * k).cos(), (0.6 * k).sin()) * (0.5 + 0.1 * k);
        (0..count).map(|k| wave(k as f64)).collect()
    }

    #[test]
    fn one_pass_makes_all_lengths_exact_and_moves_straight() {
        let lengths: Vec<f64> = (0..12).map(|k| if k == 0 { 0.0 } else { 0.1 + 0.01 * k as f64 }).collect();
        let wanted = scrambled(12);
        let mut chain = wanted.clone();
        rules(&lengths, &[]).forth(&mut chain);
        assert_eq!(chain[0], wanted[0], "the leader stays");
        assert!(worst(&chain, &lengths) < 1e-14);
        for k in 1..12 {
            let (way, to_leader) = (chain[k] - wanted[k], chain[k - 1] - wanted[k]);
            assert!(way.cross(to_leader).length() < 1e-12 * (1.0 + to_leader.length_squared()), "follower {k} strays");
        }
    }

    #[test]
    fn a_follower_on_its_leader_goes_on_as_the_chain_does() {
        let mut chain = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
        chain[2] = Vec3::X;
        rules(&[0.0, 1.0, 0.5], &[]).forth(&mut chain);
        assert_eq!(chain[2], Vec3::new(1.5, 0.0, 0.0));
    }

    #[test]
    fn above_planes_lengths_are_exact_too() {
        let lengths = [0.0, 1.0, 1.0, 1.0];
        let floor = |entry| Plane { entry, normal: Vec3::Y, target: -0.4 };
        let wall = |entry| Plane { entry, normal: Vec3::NEG_X, target: -0.3 };
        let planes = [floor(1), floor(2), wall(2), floor(3)];
        let mut chain = [Vec3::ZERO, Vec3::new(0.2, -5.0, 0.1), Vec3::new(4.0, -5.0, 0.3), Vec3::new(0.2, -3.0, 0.3)];
        rules(&lengths, &planes).forth(&mut chain);
        assert!(worst(&chain, &lengths) < 1e-14, "{chain:?}");
        assert!(chain[1..].iter().all(|p| p.y > -0.4 - 1e-12), "{chain:?}");
        assert!(chain[2].x < 0.3 + 1e-6, "{chain:?}");
    }

    #[test]
    fn between_two_ends_lengths_are_met_where_they_can_be() {
        let lengths: Vec<f64> = (0..10).map(|k| if k == 0 { 0.0 } else { 0.2 }).collect();
        let mut chain = scrambled(10);
        (chain[0], chain[9]) = (Vec3::ZERO, Vec3::new(1.2, 0.3, 0.0));
        rules(&lengths, &[]).between(&mut chain);
        assert!(worst(&chain, &lengths) < 1e-10, "{}", worst(&chain, &lengths));
        assert_eq!((chain[0], chain[9]), (Vec3::ZERO, Vec3::new(1.2, 0.3, 0.0)));
        // Nearly taut, where passes alone would take thousands.
        chain[9] = Vec3::new(1.79, 0.0, 0.0);
        rules(&lengths, &[]).between(&mut chain);
        assert!(worst(&chain, &lengths) < 1e-10, "{}", worst(&chain, &lengths));
        // Out of reach, all are stretched alike.
        chain[9] = Vec3::new(2.7, 0.0, 0.0);
        rules(&lengths, &[]).between(&mut chain);
        assert!((worst(&chain, &lengths) - 0.5).abs() < 1e-12);
    }
}
