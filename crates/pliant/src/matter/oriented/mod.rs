//! Oriented particles: ellipsoids with orientations and shape matching in groups [Müller & Chentanez 2011; Bender 2014,
//! §4.3].
//!
//! An ellipsoid of mass m acts like a cloud of points with the moments (m/5)·diag(a², b², c²) in its own axes. Matching
//! a group of ellipsoids means matching all these points at once, so a chain, or a single pair, has a well-defined
//! rotation; points on a line do not. Plants, fins and ribs can then be one particle wide.
//!
//! | file | does |
//! |---|---|
//! | `particles` | ellipsoids, the edges between them, and their material |
//! | `matter` | such particles as the matter of a body |
//! | `shape` | a body of them: fits, springs, limits |
//! | `motion` | the motion of all such bodies of a world during a step |
//! | `contact` | contact of ellipsoids with colliders |
//! | `skin` | surfaces that follow them |
//!
//! A group is a particle with the particles within a number of edges. Springs and limits are those of
//! [`Matching`](crate::Matching), and also act on rotations: a spring is integrated explicitly and applies the torque
//! that it has on the ellipsoid's points, so that momentum and angular momentum are conserved; iterations then limit
//! the remaining deviation. A pinned particle keeps its place and its orientation.
//!
//! Departure: the survey prints (m/5)·diag(a², b², c²)·R for the moments of an ellipsoid; that is only right where it is not turned at rest.
//! Departure: [Müller & Chentanez 2011] turn a particle with the group around it; here by the mean of all its groups, as it is moved.
//! Departure: what goes on from step to step is the angular momentum, not the angular velocity; a long ellipsoid then tumbles as it should.

mod contact;
mod matter;
mod motion;
mod particles;
mod shape;
mod skin;
#[cfg(test)]
mod tests;

pub(crate) use matter::INFO;
pub use matter::Oriented;
pub use particles::{OrientedError, OrientedMaterial, OrientedParticles};
pub use skin::Skin;

use crate::math::functions::{rotation_by, turn_of};
use crate::math::{Quat, Vec3};

/// The turn that takes one orientation to another, the shorter way, in axes of the world \[rad\].
fn turn_between(from: Quat, to: Quat) -> Vec3 {
    let turn = to * from.conjugate();
    turn_of(if turn.w < 0.0 { -turn } else { turn })
}

/// An orientation after a turn in axes of the world \[rad\].
fn turned(q: Quat, by: Vec3) -> Quat {
    (rotation_by(by) * q).normalize()
}

/// Rounds of [`free_turn`] at most; from one to the next the error falls by about the angle.
const MOST_ROUNDS: usize = 20;

/// The turn over a step that has a given momentum, over mass and time step, in the middle of it: implicit midpoint, which keeps momentum and
/// lets the energy of a tumbling body neither grow nor fall.
fn free_turn(q: Quat, radii: Vec3, momentum: Vec3) -> Vec3 {
    let moments = inertia(radii);
    let over = |q: Quat| q * ((q.conjugate() * momentum) / moments);
    let mut turn = over(q);
    for _ in 0..MOST_ROUNDS {
        let better = over(turned(q, turn * 0.5));
        let change = better.distance(turn);
        turn = better;
        if change <= 1e-15 * turn.length() {
            break;
        }
    }
    turn
}

/// The momentum, over mass and time step, of a turn: the inverse of [`free_turn`].
fn momentum_of(q: Quat, radii: Vec3, turn: Vec3) -> Vec3 {
    let middle = turned(q, turn * 0.5);
    middle * ((middle.conjugate() * turn) * inertia(radii))
}

/// Moments of inertia over the mass of an ellipsoid with these half-axes, about its own axes \[m²\].
fn inertia(radii: Vec3) -> Vec3 {
    let [x, y, z] = (radii * radii / 5.0).to_array();
    Vec3::new(y + z, z + x, x + y)
}
