//! Contact of bodies with colliders.
//!
//! Each step asks which vertices meet a collider on their way (`detect`). A contact is a half-space n·x ≥ b that follows the
//! collider's surface [Bouaziz 2014, §6] with Coulomb's friction in its plane (`law`); the projective solver keeps it as a
//! constraint that enters and leaves, or moves vertices to the collision-free state after each iteration [Liu 2013, §4.1]. What
//! is left after the solve, restitution and a last projection, is in `finish`.

mod detect;
mod finish;
mod law;

pub use detect::Contacts;
pub(crate) use finish::Before;

use crate::collide::Collider;
use crate::math::Vec3;

/// How contacts act on the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContactMode {
    /// Constraints within the solve: forces balance, friction sticks.
    #[default]
    Constraint,
    /// After each iteration vertices are moved out of colliders, and back along them by friction. Cheaper: the matrix stays as it
    /// is. Bodies feel the push only in the next iteration. Newton's method always has contact this way, after its solve.
    Displacement,
}

/// Parameters of contact.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactParams {
    /// How contacts act.
    pub mode: ContactMode,
    /// Weight of a contact over the diagonal of its vertex in the system matrix. Contacts hold exactly at convergence whatever it
    /// is; a large one makes contacts converge faster and linear systems slower.
    pub weight: f64,
    /// The linear systems of a step go through conjugate gradients with the factor at hand, as long as it differs from the
    /// matrix in at most this many vertices; beyond, the matrix is factored anew.
    pub refactor_above: usize,
}

impl Default for ContactParams {
    fn default() -> Self {
        Self { mode: ContactMode::Constraint, weight: 10.0, refactor_above: 30 }
    }
}

/// A vertex that touched a collider in the last step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Vertex of the world.
    pub vertex: usize,
    /// Number of the collider, in the order in which they were added.
    pub collider: usize,
    /// Normal of the collider's surface, towards the vertex.
    pub normal: Vec3,
    /// Force along the normal \[N\]; below 0 only by what the solver has not converged.
    pub normal_force: f64,
    /// Force of friction on the vertex \[N\].
    pub tangential_force: Vec3,
}

impl Contact {
    /// The force on the vertex \[N\].
    pub fn force(&self) -> Vec3 {
        self.normal * self.normal_force + self.tangential_force
    }
}

/// The colliders of a world.
#[derive(Debug)]
pub(crate) struct Surroundings {
    pub(crate) colliders: Vec<Collider>,
    pub(crate) params: ContactParams,
    /// Contacts of the last step.
    pub(crate) touched: Vec<Contact>,
    /// Their multipliers, to go on from; ordered by vertex and collider.
    pub(crate) held: Vec<Held>,
}

/// Multipliers of a contact that lasts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Held {
    pub(crate) vertex: u32,
    pub(crate) collider: u32,
    /// Along the normal \[N\].
    pub(crate) pressed: f64,
    /// In the plane, against the force on the vertex \[N\].
    pub(crate) rubbed: Vec3,
}
