//! Contact, of bodies with colliders and of surfaces with each other.
//!
//! Each step finds which vertices hit a collider on their path (`obstacles`), and which surfaces are close to each
//! other (`layers`). A contact is a half-space n·r ≥ b [Bouaziz 2014, §6] with Coulomb's friction in its plane (`law`);
//! the projective solver adds and removes it as a constraint, or moves vertices to the collision-free state after each
//! iteration [Liu 2013, §4.1]. What remains after the solve, restitution and a final projection, is in `finish`.

mod clearance;
mod finish;
mod law;
mod layers;
mod obstacles;
mod rebound;
mod rigid;
mod ties;

pub(crate) use clearance::Clearances;
pub(crate) use finish::Before;
pub(crate) use law::Response;
pub(crate) use layers::{Layers, PairForce, Place, READY};
pub(crate) use obstacles::Obstacles;
pub(crate) use rigid::{Exchange, RigidShape, RigidShapes, Visit};
pub(crate) use ties::{Tie, Ties};

use crate::collide::{Collider, Moving};
use crate::math::Vec3;

/// The contacts of a stage, as a solver sees them.
#[derive(Debug, Default)]
pub struct Contacts<'a> {
    /// With colliders, where the world has any.
    pub(crate) obstacles: Option<Obstacles<'a>>,
    /// Between surfaces and strands.
    pub(crate) layers: Layers,
    /// Attachments to other groups, and to points that a user holds.
    pub(crate) ties: Ties,
    /// Whether a solve of the stage has begun with them.
    pub(crate) begun: bool,
}

/// Sweeps over contacts with which the first solve of a stage begins, where layers touch.
const FIRST_SWEEPS: usize = 2;

/// What tells where a vertex of `x` is, and moves it.
pub(crate) fn exchange(x: &mut [Vec3]) -> impl FnMut(usize, Option<Vec3>) -> Vec3 {
    |vertex, moved| {
        x[vertex] = moved.unwrap_or(x[vertex]);
        x[vertex]
    }
}

/// A contact in a linear system: how r follows from vertices, and what it does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coupling {
    /// Vertices and their weights in r; those of an obstacle's contact have one that counts.
    pub(crate) vertices: [u32; 4],
    pub(crate) weights: [f64; 4],
    pub(crate) corners: usize,
    pub(crate) response: Response,
}

impl Contacts<'_> {
    /// Finds what the vertices have hit on their paths to x, and moves them apart: once for layers, then for colliders,
    /// with friction. `inverse_masses` are 1/m of all vertices, 0 where pinned \\[1/kg\\]; `inertia` is 1/τ² of the
    /// stage \\[1/s²\\]. A solver without its own treatment of contacts calls this after each of its iterations.
    pub fn push_apart(&mut self, inverse_masses: &[f64], inertia: f64, x: &mut [Vec3]) {
        if self.is_none() {
            return;
        }
        self.pull(inverse_masses, inertia, x);
        self.part(inverse_masses, inertia, x);
    }

    /// The first part of [`push_apart`](Self::push_apart): moves vertices towards the points at which a user holds them.
    pub(crate) fn pull(&mut self, inverse_masses: &[f64], inertia: f64, x: &mut [Vec3]) {
        self.ties.pull(&mut exchange(x), &|vertex| inverse_masses[vertex] / inertia);
    }

    /// The rest of it: what vertices have hit.
    pub(crate) fn part(&mut self, inverse_masses: &[f64], inertia: f64, x: &mut [Vec3]) {
        if self.obstacles.is_some() || !self.layers.is_empty() {
            self.meet(&|vertex| x[vertex]);
            self.relax(&mut exchange(x), &|vertex| inverse_masses[vertex] / inertia);
        }
    }

    /// Whether there is nothing to collide with.
    pub fn is_none(&self) -> bool {
        self.obstacles.is_none() && self.layers.is_empty() && self.ties.is_empty()
    }

    /// The colliders in the course of the stage.
    pub(crate) fn colliders(&self) -> &[Moving<'_>] {
        self.obstacles.as_ref().map_or(&[], |obstacles| &obstacles.moving)
    }

    /// Takes the diagonal of the system matrix at each vertex \[N/m\].
    pub(crate) fn weigh(&mut self, diagonal: impl Iterator<Item = (u32, f64)>) {
        if let Some(obstacles) = &mut self.obstacles {
            obstacles.weigh(diagonal);
        }
    }

    /// Finds what the vertices have met on their way to x, and lets contacts follow curved surfaces.
    pub(crate) fn meet(&mut self, x: &(impl Fn(usize) -> Vec3 + Sync)) {
        if let Some(obstacles) = &mut self.obstacles {
            obstacles.follow(x);
            obstacles.detect(x);
        }
    }

    /// Begins a solve. The first of a stage starts where vertices without elastic forces would be stopped, so that what sticks has not slipped and
    /// contacts press as they will have to: from where vertices want to be they would press `w`·τ²/m times too hard at first, and a solve that ends
    /// early leaves a share of that to friction. Colliders then go on from the multipliers of contacts that lasted through the step before; later
    /// solves of the stage go on from what they have. `x` tells where a vertex is, and moves it; `inertia` tells its m/τ² \[N/m\], infinite where pinned.
    pub(crate) fn begin(&mut self, x: &mut impl FnMut(usize, Option<Vec3>) -> Vec3, inertia: &impl Fn(usize) -> f64) {
        if std::mem::replace(&mut self.begun, true) {
            return;
        }
        if let Some(obstacles) = &mut self.obstacles {
            obstacles.displace(x, inertia);
        }
        if !self.layers.is_empty() {
            (0..FIRST_SWEEPS).for_each(|_| self.relax(x, &|vertex| inertia(vertex).recip()));
        }
        if let Some(obstacles) = &mut self.obstacles {
            obstacles.resume();
        }
    }

    /// Moves vertices out of colliders, with `x` and `inertia` as in [`begin`](Self::begin).
    pub(crate) fn displace(
        &mut self,
        x: &mut impl FnMut(usize, Option<Vec3>) -> Vec3,
        inertia: &impl Fn(usize) -> f64,
    ) {
        if let Some(obstacles) = &mut self.obstacles {
            obstacles.displace(x, inertia);
        }
    }

    /// Vertex, normal n and offset b of the half-space n·x ≥ b of each contact with a collider.
    pub fn planes(&self) -> impl Iterator<Item = (u32, Vec3, f64)> {
        self.obstacles.iter().flat_map(Obstacles::planes)
    }

    /// Forgets the forces of earlier solves of the stage, for a solver that starts again.
    pub fn reset_forces(&mut self) {
        if let Some(obstacles) = &mut self.obstacles {
            obstacles.reset_forces();
        }
        self.layers.reset_forces();
        self.ties.reset_forces();
    }

    /// One step of Gauss–Seidel over layers, then over contacts with colliders: moves vertices to where they may be. `compliance`
    /// tells how a vertex gives way, τ²/m \[m/N\]; 0 where pinned. `x` is as in [`begin`](Self::begin).
    pub(crate) fn relax(
        &mut self,
        x: &mut impl FnMut(usize, Option<Vec3>) -> Vec3,
        compliance: &impl Fn(usize) -> f64,
    ) {
        self.layers.relax(x, compliance);
        if let Some(obstacles) = &mut self.obstacles {
            obstacles.relax(x, compliance);
        }
    }

    /// How contacts with colliders act.
    pub fn mode(&self) -> ContactMode {
        self.obstacles.as_ref().map_or(ContactMode::Constraint, Obstacles::mode)
    }

    /// All contacts that are constraints, in a fixed order; those with colliders first, attachments last.
    pub(crate) fn couplings(&self, x: &impl Fn(usize) -> Vec3) -> impl Iterator<Item = Coupling> {
        let obstacles = self.obstacles.iter().filter(|obstacles| obstacles.mode() == ContactMode::Constraint);
        let single = |(vertex, response)| Coupling {
            vertices: [vertex; 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            corners: 1,
            response,
        };
        let layers = self.layers.couplings(x).chain(self.ties.couplings(x));
        obstacles.flat_map(|obstacles| obstacles.responses(x)).map(single).chain(layers)
    }

    /// Energy of all contacts that are constraints \[J\].
    pub(crate) fn energy(&self, x: &impl Fn(usize) -> Vec3) -> f64 {
        self.couplings(x).map(|coupling| coupling.response.energy).sum()
    }

    /// Takes the forces on contacts that the last linear solve came to \[N\], in the order of [`couplings`](Self::couplings).
    pub(crate) fn settle(&mut self, mut forces: impl Iterator<Item = Vec3>) {
        let constrains = |obstacles: &&mut Obstacles<'_>| obstacles.mode() == ContactMode::Constraint;
        if let Some(obstacles) = self.obstacles.as_mut().filter(constrains) {
            obstacles.settle(&mut forces);
        }
        self.layers.settle(forces);
    }

    /// Whether any contact presses.
    pub(crate) fn press(&self) -> bool {
        self.count() > 0 || self.layers.pressing() > 0
    }

    /// Number of contacts that press against colliders.
    pub fn count(&self) -> usize {
        self.obstacles.as_ref().map_or(0, Obstacles::count)
    }
}

/// How contacts act on the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ContactMode {
    /// Contacts are constraints in the solve: forces balance, friction sticks.
    #[default]
    Constraint,
    /// After each iteration vertices are moved out of colliders, and back along them by friction. This is cheaper,
    /// since the matrix does not change, but bodies feel the push only in the next iteration. Newton's method does this
    /// once, after its solve.
    Displacement,
    /// The matrix does not change, and contacts are forces on the right-hand side: those that stop each vertex by
    /// itself, given the elastic forces of the last iteration [Ly 2020]. It takes one solve per iteration, however many
    /// vertices touch. This suits soft cloth on obstacles: the error of a force falls by k/(k + m/τ²) per iteration,
    /// where k is the elastic stiffness at a vertex.
    ConstantMatrix,
}

/// Parameters of contact.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactParams {
    /// How contacts act.
    pub mode: ContactMode,
    /// Weight of a contact relative to the diagonal of its vertex in the system matrix. At convergence, contacts are
    /// exact for any weight; a large one makes contacts converge faster and linear systems slower.
    pub weight: f64,
}

impl Default for ContactParams {
    fn default() -> Self {
        Self { mode: ContactMode::Constraint, weight: 1.0 }
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
    /// Force along the normal \[N\]; it is negative only by the remaining error of the solver.
    pub normal_force: f64,
    /// Force of friction on the vertex \[N\].
    pub tangential_force: Vec3,
    /// Velocity of the collider's surface there \[m/s\].
    pub surface_velocity: Vec3,
}

impl Contact {
    /// The force on the vertex \[N\].
    pub fn force(&self) -> Vec3 {
        self.normal * self.normal_force + self.tangential_force
    }
}

/// The colliders of a world.
#[derive(Debug)]
pub(crate) struct Colliders {
    pub(crate) colliders: Vec<Collider>,
    pub(crate) params: ContactParams,
    /// Contacts of the last step.
    pub(crate) touched: Vec<Contact>,
    /// Their multipliers, to go on from; ordered by vertex and collider.
    pub(crate) held: Vec<Held>,
}

impl Colliders {
    /// Follows a model in which vertices were added after the first `before`.
    pub(crate) fn renumber(&mut self, before: usize, added: usize) {
        self.touched.iter_mut().filter(|contact| contact.vertex >= before).for_each(|contact| contact.vertex += added);
        self.held.iter_mut().filter(|held| held.vertex as usize >= before).for_each(|held| held.vertex += added as u32);
    }
}

/// Multipliers of a contact that lasts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Held {
    pub(crate) vertex: u32,
    pub(crate) collider: u32,
    /// Along the normal \[N\].
    pub(crate) pressed: f64,
    /// In the plane, against the force on the vertex \[N\].
    pub(crate) sliding_force: Vec3,
}
