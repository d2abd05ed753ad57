//! What a user reads and sets between steps.

use thiserror::Error;

use crate::collide::Collider;
use crate::contact::{Contact, ContactParams};
use crate::force::damping::Damping;
use crate::force::wind::Wind;
use crate::integrate::TimeIntegrator;
use crate::math::Vec3;
use crate::matter::Place;
use crate::step::applies;
use crate::step::energy::Ledger;
use crate::step::self_collision::{SelfCollider, SelfCollision};
use crate::step::simulation::Simulation;
use crate::step::substeps::{MOST_SUBSTEPS, NEED};
use crate::world::error::ModelError;
use crate::world::fingerprint::Fingerprint;
use crate::world::model::{BodyInfo, Model};
use crate::world::state::State;

/// Why an input is invalid.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum InputError {
    /// No body of that name.
    #[error("there is no body {0:?}")]
    NoSuchBody(String),
    /// The world has a body that this would do nothing to.
    #[error(transparent)]
    Refused(Box<ModelError>),
    /// The body is not rigid.
    #[error("body {0:?} is not rigid")]
    NotRigid(String),
    /// The body is not a fluid.
    #[error("body {0:?} is not a fluid")]
    NoFluid(String),
    /// The particles of the body have no orientations.
    #[error("body {0:?} is not made of oriented particles")]
    NotOriented(String),
    /// The body does not have this segment of a rod, or it is not clamped between pinned vertices.
    #[error("body {body:?} has no clamped segment {segment} of a rod")]
    NotClamped {
        /// Body.
        body: String,
        /// The requested segment.
        segment: usize,
    },
    /// No such vertex in the body.
    #[error("body {body:?} has no vertex {vertex}; it has {count}")]
    NoSuchVertex {
        /// Body.
        body: String,
        /// The vertex.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// The vertex is not pinned.
    #[error("vertex {vertex} of body {body:?} is not pinned; pin it when the body is made")]
    NotPinned {
        /// Body.
        body: String,
        /// The vertex.
        vertex: u32,
    },
    /// No energy of that kind with that many goals.
    #[error("there is no goal {goal} among the {count} goals of kind {kind:?}")]
    NoSuchGoal {
        /// Kind of energy.
        kind: String,
        /// The requested goal.
        goal: usize,
        /// Their number.
        count: usize,
    },
    /// The vertex is pinned.
    #[error("vertex {vertex} of body {body:?} is pinned; move its pin instead")]
    Pinned {
        /// Body.
        body: String,
        /// The vertex.
        vertex: u32,
    },
    /// What a handle stands for is no longer there.
    #[error("the {what} of handle {slot} is gone")]
    Gone {
        /// What it was.
        what: &'static str,
        /// Number of the handle.
        slot: usize,
    },
    /// A value is not finite, or out of range.
    #[error("{name} is {value}, but must be {need}")]
    BadValue {
        /// What was set.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The required range.
        need: &'static str,
    },
    /// A list has the wrong length.
    #[error("{name} has {found} entries, but {expected} are needed")]
    LengthMismatch {
        /// Name of the list.
        name: &'static str,
        /// Its length.
        found: usize,
        /// The length needed.
        expected: usize,
    },
}

pub(crate) fn finite(name: &'static str, value: Vec3) -> Result<(), InputError> {
    match value.to_array().into_iter().find(|c| !c.is_finite()) {
        None => Ok(()),
        Some(value) => Err(InputError::BadValue { name, value, need: "finite" }),
    }
}

impl Simulation {
    /// The world, as built.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// A number that two states share if positions and velocities have the same bits at the same moment, and hardly ever otherwise: to compare runs
    /// on different machines, or with different numbers of threads.
    pub fn state_hash(&self) -> u64 {
        Fingerprint::of_state(&self.state)
    }

    /// Positions of all vertices \[m\].
    pub fn positions(&self) -> &[Vec3] {
        &self.state.positions
    }

    /// Velocities of all vertices \[m/s\].
    pub fn velocities(&self) -> &[Vec3] {
        &self.state.velocities
    }

    /// Time \[s\].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Length of a step \[s\].
    pub fn time_step(&self) -> f64 {
        self.settings.time_step
    }

    /// Number of equal substeps of a step.
    pub fn substeps(&self) -> usize {
        self.settings.substeps
    }

    /// The time integrator: the one that was set, or the one that
    /// [`SolverChoice::Auto`](crate::solve::SolverChoice::Auto) chose.
    pub fn integrator(&self) -> TimeIntegrator {
        self.settings.integrator
    }

    /// A body by its name.
    pub fn body(&self, name: &str) -> Result<&BodyInfo, InputError> {
        self.model.bodies().iter().find(|b| b.name == name).ok_or_else(|| InputError::NoSuchBody(name.to_owned()))
    }

    /// Number of a body in the order in which bodies were added.
    pub fn body_number(&self, name: &str) -> Result<usize, InputError> {
        let number = self.model.bodies().iter().position(|body| body.name == name);
        number.ok_or_else(|| InputError::NoSuchBody(name.to_owned()))
    }

    /// Positions of a body's vertices \[m\].
    pub fn body_positions(&self, name: &str) -> Result<&[Vec3], InputError> {
        Ok(&self.state.positions[self.body(name)?.vertices.clone()])
    }

    /// Vertices that touched colliders in the last step, or in its last substep, with their forces.
    pub fn contacts(&self) -> &[Contact] {
        self.colliders.as_ref().map_or(&[], |colliders| &colliders.touched)
    }

    /// Colliders, in the order in which they were added.
    pub fn colliders(&self) -> &[Collider] {
        self.colliders.as_ref().map_or(&[], |colliders| &colliders.colliders)
    }

    /// How contacts with them act.
    pub fn contact_params(&self) -> ContactParams {
        self.colliders.as_ref().map_or_else(ContactParams::default, |colliders| colliders.params.clone())
    }

    /// How surfaces and strands are kept apart, if they are.
    pub fn self_collision(&self) -> Option<&SelfCollision> {
        self.self_collider.as_ref().map(SelfCollider::settings)
    }

    pub(crate) fn vertex(&self, body: &str, vertex: u32) -> Result<usize, InputError> {
        let range = self.body(body)?.vertices.clone();
        if vertex as usize >= range.len() {
            return Err(InputError::NoSuchVertex { body: body.to_owned(), vertex, count: range.len() });
        }
        Ok(range.start + vertex as usize)
    }

    /// Sets the position of a pinned vertex at the end of the next step, and from then on \[m\].
    pub fn move_pin(&mut self, body: &str, vertex: u32, target: Vec3) -> Result<(), InputError> {
        finite("pin target", target)?;
        let at = self.vertex(body, vertex)?;
        let place = self.model.pinned().binary_search(&(at as u32));
        let place = place.map_err(|_| InputError::NotPinned { body: body.to_owned(), vertex })?;
        self.inputs.pins[place] = target;
        Ok(())
    }

    /// Where pinned vertices are to be at the end of the next step \[m\], in the order of [`Model::pinned`].
    pub fn pin_targets(&self) -> &[Vec3] {
        &self.inputs.pins
    }

    /// Sets the positions of all pins at the end of the next step, by a function of the vertex and its rest position.
    pub fn move_pins(&mut self, mut target: impl FnMut(u32, Vec3) -> Vec3) -> Result<(), InputError> {
        for (place, &v) in self.model.pinned().iter().enumerate() {
            let position = target(v, self.model.rest()[v as usize]);
            finite("pin target", position)?;
            self.inputs.pins[place] = position;
        }
        Ok(())
    }

    /// Moves a goal of a kind of energy (`"position"`: goal positions; `"half_space"`: point and normal of each vertex in
    /// turn), numbered through all energies of that kind. It is reached at the end of the next step.
    pub fn set_goal(&mut self, kind: &str, goal: usize, value: Vec3) -> Result<(), InputError> {
        finite("goal", value)?;
        let mut count = 0;
        for (k, entry) in self.model.energies().iter().enumerate().filter(|(_, entry)| entry.batch.kind() == kind) {
            // What was torn in two follows the goal that it had as one.
            let (len, places) = self.lineage.goals(&self.model, k, goal.wrapping_sub(count));
            if goal < count + len {
                debug_assert!(entry.damping.is_none(), "damping has no goals");
                places.into_iter().for_each(|place| self.inputs.goals_next[k][place] = value);
                return Ok(());
            }
            count += len;
        }
        Err(InputError::NoSuchGoal { kind: kind.to_owned(), goal, count })
    }

    /// Sets the force on a vertex \[N\], until it is set again.
    pub fn set_force(&mut self, body: &str, vertex: u32, force: Vec3) -> Result<(), InputError> {
        finite("force", force)?;
        let at = self.vertex(body, vertex)?;
        self.share_force(at, force);
        Ok(())
    }

    /// Sets the force on each vertex \[N\], until it is set again.
    pub fn set_forces(&mut self, forces: &[Vec3]) -> Result<(), InputError> {
        let (found, expected) = (forces.len(), self.inputs.forces.len());
        if found != expected {
            return Err(InputError::LengthMismatch { name: "forces", found, expected });
        }
        forces.iter().try_for_each(|&force| finite("force", force))?;
        self.inputs.forces.copy_from_slice(forces);
        Ok(())
    }

    /// The forces that were set \[N\].
    pub fn forces(&self) -> &[Vec3] {
        &self.inputs.forces
    }

    /// Goals of a kind of energy at the end of the next step, as [`set_goal`](Self::set_goal) numbers them.
    pub fn goals(&self, kind: &str) -> Vec<Vec3> {
        let own = self.model.energies().iter().zip(&self.inputs.goals_next).filter(|(e, _)| e.batch.kind() == kind);
        own.flat_map(|(_, goals)| goals.iter().copied()).collect()
    }

    /// Acceleration of free fall \[m/s²\].
    pub fn gravity(&self) -> Vec3 {
        self.settings.gravity
    }

    /// Damping.
    pub fn damping(&self) -> Damping {
        self.damping
    }

    /// The wind, if there is one.
    pub fn wind(&self) -> Option<Wind> {
        self.settings.wind
    }

    /// Acceleration of free fall \[m/s²\].
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), InputError> {
        finite("gravity", gravity)?;
        self.settings.gravity = gravity;
        Ok(())
    }

    /// Sets the wind, or removes it.
    pub fn set_wind(&mut self, wind: Option<Wind>) -> Result<(), InputError> {
        if let Some((name, value, need)) = wind.as_ref().and_then(Wind::problem) {
            return Err(InputError::BadValue { name, value, need });
        }
        if wind.is_some() {
            let refused = |error: ModelError| InputError::Refused(Box::new(error));
            applies::check(&self.model, &self.uses(true)).map_err(refused)?;
        }
        self.settings.wind = wind;
        Ok(())
    }

    /// Sets the length of the following steps \[s\]; the matrix is factored again.
    pub fn set_time_step(&mut self, seconds: f64) -> Result<(), InputError> {
        if seconds.is_finite() && seconds / self.settings.substeps as f64 > 0.0 {
            self.settings.time_step = seconds;
            return Ok(());
        }
        Err(InputError::BadValue { name: "time step", value: seconds, need: "positive and finite" })
    }

    /// Sets the number of equal substeps of the following steps, as in
    /// [`SimulationBuilder::substeps`](crate::SimulationBuilder::substeps); the matrix is factored again.
    pub fn set_substeps(&mut self, count: usize) -> Result<(), InputError> {
        if !(1..=MOST_SUBSTEPS).contains(&count) {
            return Err(InputError::BadValue { name: "number of substeps", value: count as f64, need: NEED });
        }
        let seconds = self.settings.time_step / count as f64;
        if seconds <= 0.0 {
            return Err(InputError::BadValue { name: "length of a substep", value: seconds, need: "positive" });
        }
        (self.settings.substeps, self.wishes.substeps) = (count, Some(count));
        Ok(())
    }

    /// Replaces the velocities of all vertices \[m/s\]; positions and the targets of pins stay.
    pub fn set_velocities(&mut self, velocities: &[Vec3]) -> Result<(), InputError> {
        let (found, expected) = (velocities.len(), self.state.velocities.len());
        if found != expected {
            return Err(InputError::LengthMismatch { name: "velocities", found, expected });
        }
        velocities.iter().try_for_each(|&velocity| finite("velocities", velocity))?;
        self.state.velocities.copy_from_slice(velocities);
        self.history = None;
        Ok(())
    }

    /// Replaces positions and velocities of all vertices. Pinned vertices move to their place in `positions` and stay
    /// there.
    pub fn set_state(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), InputError> {
        let expected = self.state.positions.len();
        for (name, list) in [("positions", positions), ("velocities", velocities)] {
            if list.len() != expected {
                return Err(InputError::LengthMismatch { name, found: list.len(), expected });
            }
            list.iter().try_for_each(|&value| finite(name, value))?;
        }
        self.state.positions.copy_from_slice(positions);
        self.state.velocities.copy_from_slice(velocities);
        for entry in self.model.matter() {
            let at = Place::new(&self.model, entry.body);
            entry.matter.put(&at, &positions[at.vertices()], &mut self.state.channels[entry.body]);
        }
        for (place, &v) in self.model.pinned().iter().enumerate() {
            self.inputs.pins[place] = positions[v as usize];
        }
        self.history = None;
        self.ledger = Ledger::default();
        self.accounts.clear();
        self.forget_clearances();
        Ok(())
    }

    /// The same after a number of steps that were taken elsewhere, on a device for example: time goes on by them.
    pub fn set_state_after(&mut self, steps: u64, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), InputError> {
        self.set_state(positions, velocities)?;
        self.state.step += steps;
        self.state.time += steps as f64 * self.settings.time_step;
        Ok(())
    }

    /// What acts on the world, or is done to it after a solve, besides energies, inertia, gravity, pins, forces and damping: for programs that take steps on their
    /// own, and have to know what they would leave out.
    pub fn features(&self) -> Vec<&'static str> {
        let has_pressure = self.model.bodies().iter().any(|body| body.pressure != 0.0);
        let tears = self.model.fabrics().iter().any(|fabric| fabric.tearing.is_some());
        let all = [
            ("wind", self.settings.wind.is_some()),
            ("pressure", has_pressure),
            ("colliders", !self.colliders().is_empty()),
            ("self-collision", self.self_collider.is_some()),
            ("strain limiting", self.strain_limiting.is_some()),
            ("tearing", tears),
            ("grabs", !self.grabs.is_empty()),
            ("several solvers", self.plan.solvers.len() > 1),
        ];
        all.into_iter().filter(|(_, is_used)| *is_used).map(|(name, _)| name).collect()
    }
}
