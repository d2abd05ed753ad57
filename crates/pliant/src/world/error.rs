//! Why a world cannot be built: errors name the body and the value.

use thiserror::Error;

use crate::contact::ContactMode;
use crate::energy::EnergyError;
use crate::integrate::TimeIntegrator;
use crate::math::Vec3;
use crate::matter::matching::{ClothMatchingError, RegionError};
use crate::matter::oriented::OrientedError;
use crate::mesh::MeshError;
use crate::world::crossing::{Crossing, first_crossings};
use crate::world::topology::TopologyError;

/// Why a world cannot be built.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ModelError {
    /// There is no vertex at all.
    #[error("the world has no vertices")]
    Empty,
    /// A contact mode that only the projective solver supports.
    #[error(
        "contacts use a constant matrix, which only the projective solver supports: with Newton's method and the two-metric solver, choose constraints or displacements"
    )]
    ConstantMatrixOfNewton,
    /// Contacts that are not in the objective.
    #[error(
        "contacts act as {mode:?}, but L-BFGS needs them to be constraints: others are not part of the objective of its line search"
    )]
    LbfgsWithoutConstraints {
        /// How contacts act.
        mode: ContactMode,
    },
    /// More vertices than an index can count.
    #[error("the world has {count} vertices, more than the {limit} that can be numbered")]
    TooLarge {
        /// Vertices.
        count: usize,
        /// Limit.
        limit: usize,
    },
    /// A free vertex without mass would move without resistance.
    #[error("vertex {vertex} of body {body:?} has mass {mass} kg, but a free vertex needs a positive mass")]
    BadMass {
        /// Body.
        body: String,
        /// Vertex within the body.
        vertex: usize,
        /// Its mass.
        mass: f64,
    },
    /// A position is not finite.
    #[error("vertex {vertex} of body {body:?} has the position {value}, which is not finite")]
    NonFinitePosition {
        /// Body.
        body: String,
        /// Vertex within the body.
        vertex: usize,
        /// Its position.
        value: Vec3,
    },
    /// A velocity is not finite.
    #[error("vertex {vertex} of body {body:?} has the velocity {value}, which is not finite")]
    NonFiniteVelocity {
        /// Body.
        body: String,
        /// Vertex within the body.
        vertex: usize,
        /// Its velocity.
        value: Vec3,
    },
    /// A list of a body has the wrong length.
    #[error("body {body:?}: {name} has {found} entries, but the body has {expected} vertices")]
    LengthMismatch {
        /// Body.
        body: String,
        /// Name of the list.
        name: &'static str,
        /// Its length.
        found: usize,
        /// The number of vertices.
        expected: usize,
    },
    /// The body does not have this vertex.
    #[error("body {body:?} has no vertex {vertex}; it has {count}")]
    NoSuchVertex {
        /// Body.
        body: String,
        /// The vertex.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// Two bodies have the same name.
    #[error("two bodies are named {0:?}")]
    RepeatedName(String),
    /// There is no body of this name.
    #[error("there is no body {0:?}")]
    NoSuchBody(String),
    /// A parameter of the world is out of range.
    #[error("{name} is {value}, but must be {need}")]
    BadParameter {
        /// Name of the parameter.
        name: &'static str,
        /// The given value.
        value: f64,
        /// The required range.
        need: &'static str,
    },
    /// A solver from another crate does not support the world.
    #[error("the {solver} solver does not serve this world: {problem}")]
    Solver {
        /// Its name.
        solver: String,
        /// Why, and what to do instead.
        problem: String,
    },
    /// This kind of matter is not possible in the body or in the world.
    #[error("body {body:?}, {kind}: {problem}")]
    Matter {
        /// Body.
        body: String,
        /// Kind of matter.
        kind: &'static str,
        /// Why.
        problem: String,
    },
    /// A feature of the world would do nothing to a body.
    #[error("body {body:?} has no {needs}, so {feature} would do nothing to it: {instead}")]
    NothingToActOn {
        /// Body.
        body: String,
        /// What the world asks for.
        feature: &'static str,
        /// What it acts on.
        needs: &'static str,
        /// A way out.
        instead: &'static str,
    },
    /// A solver that knows the mass of each vertex alone was given a body with consistent masses.
    #[error(
        "body {body:?} has consistent masses, which the {solver} solver does not know: give its material lumped masses, or choose the projective, two-metric or Newton solver"
    )]
    ConsistentMasses {
        /// Body.
        body: String,
        /// Solver.
        solver: &'static str,
    },
    /// Fluid in the pipe of an emitter was given a velocity.
    #[error(
        "vertex {vertex} of body {body:?} has the velocity {value}, but is in a pipe with a jet of velocity {jet}: fluid from an emitter starts with the velocity of its jet"
    )]
    MovedEmitter {
        /// Body.
        body: String,
        /// Vertex within the body.
        vertex: usize,
        /// Its velocity \[m/s\].
        value: Vec3,
        /// That of the jet \[m/s\].
        jet: Vec3,
    },
    /// The data of an energy is unusable.
    #[error("body {body:?}: {error}")]
    Energy {
        /// Body.
        body: String,
        /// What is wrong.
        error: EnergyError,
    },
    /// A collider is unusable.
    #[error("collider {collider:?}: {error}")]
    Collider {
        /// Its name, or its number.
        collider: String,
        /// What is wrong.
        error: crate::collide::ColliderError,
    },
    /// A mesh does not make a rigid body.
    #[error(transparent)]
    Rigid(#[from] crate::matter::rigid::RigidError),
    /// A mesh is unusable.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Surfaces that self-collision should keep apart intersect at the start.
    #[error("surfaces intersect at the start, {} times: {}", crossings.len(), first_crossings(crossings))]
    Intersecting {
        /// Where.
        crossings: Vec<Crossing>,
    },
    /// A body cannot be torn or cut.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// Rods have a vertex in common, or a rod returns to one of its own vertices.
    #[error("vertex {vertex} of body {body:?} is on a rod more than once, but rods must not share vertices")]
    SharedRodVertex {
        /// Body.
        body: String,
        /// Vertex within the body.
        vertex: usize,
    },
    /// A surface in a world with a fluid has edges that are too long to be sampled as finely as the fluid.
    #[error(
        "body {body:?} has an edge of {length} m, more than {limit} times the spacing of the fluid, {spacing} m: refine its surface"
    )]
    CoarseSurface {
        /// Body.
        body: String,
        /// Length of the edge \[m\].
        length: f64,
        /// Spacing of the fluid \[m\].
        spacing: f64,
        /// Spacings that an edge may have.
        limit: f64,
    },
    /// Follow-the-leader does not support this world.
    #[error(transparent)]
    FollowLeader(#[from] FollowLeaderError),
    /// Regions for shape matching do not fit their body.
    #[error("body {body:?}: {error}")]
    Regions {
        /// Body.
        body: String,
        /// What is wrong.
        error: RegionError,
    },
    /// A body does not support shape matching as cloth.
    #[error("body {body:?}: {error}")]
    ClothMatching {
        /// Body.
        body: String,
        /// What is wrong.
        error: ClothMatchingError,
    },
    /// Oriented particles are unusable.
    #[error("body {body:?}: {error}")]
    Oriented {
        /// Body.
        body: String,
        /// What is wrong.
        error: OrientedError,
    },
    /// The explicit solver supports one integrator only.
    #[error("the explicit solver always uses symplectic Euler: set the integrator to ImplicitEuler, not {0:?}")]
    ExplicitIntegrator(TimeIntegrator),
    /// The energy-keeping integrator cannot know the energy of this world.
    #[error("the energy-keeping integrator cannot know {unknown}: {instead}, or choose another integrator")]
    UnknownEnergy {
        /// Of what it would have to know the energy.
        unknown: String,
        /// A way out.
        instead: &'static str,
    },
    /// A body has a constraint that the solver does not support.
    #[error("body {body:?} has constraints of kind {kind:?}, which only the position-based solver supports")]
    UnsupportedConstraint {
        /// Body.
        body: String,
        /// Kind of constraints.
        kind: &'static str,
    },
    /// A stiffness is given for a kind of constraints that no body has.
    #[error("no body has energies or constraints of kind {kind:?}, for which a stiffness is given; there are {}", known.join(", "))]
    NoSuchKind {
        /// The requested kind.
        kind: String,
        /// The existing kinds.
        known: Vec<&'static str>,
    },
    /// More threads than are allowed.
    #[error(
        "{threads} threads were requested, but {limit} is the limit; more threads than cores do not make anything faster"
    )]
    TooManyThreads {
        /// Requested number of threads.
        threads: usize,
        /// The most that are started: [`MOST_THREADS`](crate::MOST_THREADS).
        limit: usize,
    },
    /// A thread pool could not be started.
    #[error("the thread pool could not be started: {0}")]
    Threads(String),
}

impl ModelError {
    /// Name of the body that causes the error; none if it is the world, a collider or the solver.
    pub fn body(&self) -> Option<&str> {
        match self {
            Self::BadMass { body, .. }
            | Self::NonFinitePosition { body, .. }
            | Self::NonFiniteVelocity { body, .. }
            | Self::LengthMismatch { body, .. }
            | Self::NoSuchVertex { body, .. }
            | Self::RepeatedName(body)
            | Self::NoSuchBody(body)
            | Self::Matter { body, .. }
            | Self::NothingToActOn { body, .. }
            | Self::ConsistentMasses { body, .. }
            | Self::MovedEmitter { body, .. }
            | Self::Energy { body, .. }
            | Self::SharedRodVertex { body, .. }
            | Self::CoarseSurface { body, .. }
            | Self::Regions { body, .. }
            | Self::ClothMatching { body, .. }
            | Self::Oriented { body, .. }
            | Self::UnsupportedConstraint { body, .. } => Some(body),
            Self::Topology(error) => error.body(),
            Self::FollowLeader(error) => error.body(),
            // All named, so that a new error has to say where it belongs.
            Self::Empty
            | Self::Intersecting { .. }
            | Self::ConstantMatrixOfNewton
            | Self::LbfgsWithoutConstraints { .. }
            | Self::TooLarge { .. }
            | Self::BadParameter { .. }
            | Self::Collider { .. }
            | Self::Rigid(_)
            | Self::Mesh(_)
            | Self::ExplicitIntegrator(_)
            | Self::NoSuchKind { .. }
            | Self::TooManyThreads { .. }
            | Self::Solver { .. }
            | Self::UnknownEnergy { .. }
            | Self::Threads(_) => None,
        }
    }
}

/// Why follow-the-leader cannot simulate a world.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FollowLeaderError {
    /// A body has a free vertex that belongs to no strand.
    #[error("vertex {vertex} of body {body:?} is not on a strand, but follow-the-leader moves only strands")]
    NotAStrand {
        /// Body.
        body: String,
        /// Vertex within the body.
        vertex: usize,
    },
    /// A strand has no pinned vertex.
    #[error("strand {strand} of body {body:?} has no pinned vertex: follow-the-leader needs one as the leader")]
    NoLeader {
        /// Body.
        body: String,
        /// Number of the strand.
        strand: usize,
    },
    /// A free vertex is shared by strands.
    #[error("strands of body {body:?} share the free vertex {vertex}: follow-the-leader needs separate strands")]
    Shared {
        /// Body.
        body: String,
        /// Vertex within the body.
        vertex: usize,
    },
    /// There is an energy other than the stretch of strands.
    #[error(
        "{place} has the energy {kind:?}; follow-the-leader keeps the lengths of strands and supports no other energy"
    )]
    Energy {
        /// The body, or attachments between bodies.
        place: String,
        /// Kind of the energy.
        kind: String,
    },
    /// The integrator is not implicit Euler.
    #[error("follow-the-leader keeps lengths at the end of a step only with implicit Euler, not with {integrator:?}")]
    Integrator {
        /// The integrator.
        integrator: TimeIntegrator,
    },
}

impl FollowLeaderError {
    /// Name of the body that causes the error, if there is one.
    pub fn body(&self) -> Option<&str> {
        match self {
            Self::NotAStrand { body, .. } | Self::NoLeader { body, .. } | Self::Shared { body, .. } => Some(body),
            Self::Energy { .. } | Self::Integrator { .. } => None,
        }
    }
}
