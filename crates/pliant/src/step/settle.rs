//! Statics: finds the equilibrium of a world.
//!
//! The two-metric solver takes steps of implicit Euler to convergence (or the world's own solver, if there are rigid
//! bodies or Newton's method was chosen), and a body is stopped whenever its kinetic energy passes a peak [Day 1965;
//! Barnes 1999]: near a peak it is close to its lowest potential energy, so that oscillations decay within a few
//! periods whatever the damping. The residual is that of statics: forces of energies, gravity, pressure, wind, forces
//! that the user has set, and colliders add up to zero on every free vertex. It does not depend on iterations, so a
//! solver that merely moves too little does not satisfy it.

use thiserror::Error;

use crate::contact::ContactMode;
use crate::force::pressure::add_pressure;
use crate::force::wind::Drag;
use crate::integrate::TimeIntegrator;
use crate::math::Vec3;
use crate::solve::{SolverChoice, TwoMetricParams};
use crate::step::error::StepError;
use crate::step::groups::Plan;
use crate::step::simulation::Simulation;

/// A body that has gone this many diagonals of the world does not come to rest.
const FAR: f64 = 10.0;
/// Forces that would move a vertex by less than this share of the world in a step are rounding: a world without forces is at rest.
const ROUNDING: f64 = 1e-12;

/// When a world counts as being at rest.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SettleParams {
    /// Largest unbalanced force on a free vertex, relative to the largest force in the world.
    pub tolerance: f64,
    /// Maximum number of steps.
    pub most_steps: usize,
}

impl Default for SettleParams {
    fn default() -> Self {
        Self { tolerance: 1e-3, most_steps: 10_000 }
    }
}

/// How well forces balance.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// Steps taken.
    pub steps: usize,
    /// Largest unbalanced force on a free vertex \[N\].
    pub residual: f64,
    /// Largest force of one kind on a vertex: of energies, gravity, pressure, wind, colliders, or what was set \[N\].
    pub largest_force: f64,
    /// Body of the vertex with the residual.
    pub body: String,
    /// That vertex, within the body.
    pub vertex: usize,
}

impl Settled {
    /// The residual relative to the largest force; 0 if there are no forces.
    pub fn relative(&self) -> f64 {
        if self.largest_force > 0.0 { self.residual / self.largest_force } else { 0.0 }
    }
}

/// Why a world does not come to rest. The world has not changed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SettleError {
    /// A parameter is out of range.
    #[error("{name} is {value}, but must be {need}")]
    BadParameter {
        /// Name of the value.
        name: &'static str,
        /// The given value.
        value: f64,
        /// The required range.
        need: &'static str,
    },
    /// The world contains something with forces that are only known in motion.
    #[error("a world with {0} cannot be settled: its forces are only known in motion; let it run with damping instead")]
    Unsupported(String),
    /// A body falls or flies without end.
    #[error(
        "body {body:?} has no equilibrium: it has moved by {distance:.3} m in {steps} steps and does not stop; pin it, or put something below it"
    )]
    Unbounded {
        /// Body.
        body: String,
        /// How far it has moved \[m\].
        distance: f64,
        /// Steps taken.
        steps: usize,
    },
    /// Forces do not balance after all steps.
    #[error(
        "not at rest after {} steps: a force of {:.3e} N on vertex {} of body {:?} is unbalanced, {:.1e} of the largest force",
        .0.steps, .0.residual, .0.vertex, .0.body, .0.relative()
    )]
    NotSettled(Settled),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
}

impl Simulation {
    /// Brings the world to rest at the current time: moves it to where all forces balance, and sets velocities to zero.
    /// After an error nothing has changed.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let rope = rope(Vec3::ZERO, Vec3::new(0.0, -1.0, 0.0), 4)?; // 1 m of 0.02 kg/m, 2000 N
    /// let rope = Body::strands(&rope, &StrandMaterial::default())?.pin([0]);
    /// let mut sim = Simulation::builder().body(rope).solver(NewtonParams::default()).build()?;
    /// let rest = sim.settle(&SettleParams::default())?;
    /// assert!(rest.relative() < 1e-3 && sim.time() == 0.0);
    /// assert!((sim.pin_forces()[0].y - 0.02 * 9.81).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn settle(&mut self, params: &SettleParams) -> Result<Settled, SettleError> {
        let SettleParams { tolerance, most_steps } = *params;
        if !(tolerance.is_finite() && tolerance > 0.0) {
            return Err(SettleError::BadParameter { name: "tolerance", value: tolerance, need: "positive and finite" });
        }
        if most_steps == 0 {
            return Err(SettleError::BadParameter { name: "the number of steps", value: 0.0, need: "at least 1" });
        }
        self.refuse_unknown_forces()?;
        let before = self.checkpoint();
        let integrator = std::mem::replace(&mut self.settings.integrator, TimeIntegrator::ImplicitEuler);
        let substeps = std::mem::replace(&mut self.settings.substeps, 1);
        let choice = self.converging(tolerance);
        let own = self.swap_groups(Plan::whole(choice, self.model.bodies().len()));
        let found = self.come_to_rest(tolerance, most_steps);
        (self.plan, self.groups) = own;
        (self.settings.integrator, self.settings.substeps) = (integrator, substeps);
        if found.is_err() {
            // Of this very model, so that it fits.
            drop(self.restore(&before));
        }
        found
    }

    /// A solver that comes to where forces balance in each step: few iterations of one that does not would only creep there.
    fn converging(&self, tolerance: f64) -> SolverChoice {
        let constant = self.colliders.as_ref().is_some_and(|around| around.params.mode == ContactMode::ConstantMatrix);
        let own = &self.plan.solvers[0];
        if constant || !self.model.rigid_sets().is_empty() || matches!(own, SolverChoice::Newton(_)) {
            return own.clone();
        }
        let (iterations, linear_iterations, linear_tolerance) = (20, 60, 1e-2);
        let tolerance = 0.1 * tolerance;
        TwoMetricParams { iterations, linear_iterations, linear_tolerance, tolerance, ..TwoMetricParams::default() }
            .into()
    }

    fn refuse_unknown_forces(&self) -> Result<(), SettleError> {
        let refuse = |what: String| Err(SettleError::Unsupported(what));
        if let Some((body, kind)) = self.model.needs_position_based() {
            return refuse(format!("{kind} (body {:?})", body.name));
        }
        if self.self_collider.is_some() {
            return refuse("self-collision".to_owned());
        }
        if self.strain_limiting.is_some() {
            return refuse("limited strain".to_owned());
        }
        match &self.settings.wind {
            Some(wind) if wind.turbulence.strength > 0.0 => refuse("eddies in its wind".to_owned()),
            _ => Ok(()),
        }
    }

    fn come_to_rest(&mut self, tolerance: f64, most_steps: usize) -> Result<Settled, SettleError> {
        let (time, step) = (self.state.time, self.state.step);
        let start = self.state.positions.clone();
        let mut kinetic = vec![0.0; self.model.bodies().len()];
        self.state.velocities.fill(Vec3::ZERO);
        let mut at_rest = true;
        let mut steps = 0;
        loop {
            self.step()?;
            steps += 1;
            // It is the same moment all the time: colliders stay where they are.
            (self.state.time, self.state.step) = (time, step);
            if at_rest || steps == most_steps {
                let balance = self.balance(steps);
                if balance.residual <= tolerance * balance.largest_force {
                    self.state.velocities.fill(Vec3::ZERO);
                    self.history = None;
                    return Ok(balance);
                }
                if steps == most_steps {
                    return Err(SettleError::NotSettled(balance));
                }
            }
            self.refuse_runaways(&start, steps)?;
            at_rest = true;
            for (body, before) in self.model.bodies().iter().zip(&mut kinetic) {
                let masses = &self.model.mass().lumped()[body.vertices.clone()];
                let velocities = &mut self.state.velocities[body.vertices.clone()];
                let now = masses.iter().zip(&*velocities).map(|(m, v)| 0.5 * m * v.length_squared()).sum::<f64>();
                if now < *before {
                    velocities.fill(Vec3::ZERO);
                    *before = 0.0;
                } else {
                    *before = now;
                    at_rest &= now == 0.0;
                }
            }
        }
    }

    /// What forces at the current positions leave over, with those of colliders from the last step.
    fn balance(&self, steps: usize) -> Settled {
        let (x, masses) = (&self.state.positions, self.model.mass().lumped());
        let mut kinds = vec![self.elastic_forces(), self.inputs.forces.clone()];
        kinds.push(masses.iter().map(|m| self.settings.gravity * *m).collect());
        let mut pressure = vec![Vec3::ZERO; x.len()];
        add_pressure(&self.model, x, &mut pressure);
        kinds.push(pressure);
        if let Some(wind) = &self.settings.wind {
            kinds.push(Drag::now(&self.model, wind, self.state.air, x, &vec![Vec3::ZERO; x.len()], &[]));
        }
        let mut touching = vec![Vec3::ZERO; x.len()];
        self.contacts().iter().for_each(|contact| touching[contact.vertex] += contact.force());
        kinds.push(touching);
        let largest_force = kinds.iter().flatten().fold(0.0_f64, |most, force| most.max(force.length()));
        let rounding = ROUNDING * self.model.diagonal() / self.settings.time_step.powi(2);
        let sum = |v: usize| {
            let force = kinds.iter().fold(Vec3::ZERO, |sum, forces| sum + forces[v]).length();
            if force > rounding * masses[v] { force } else { 0.0 }
        };
        let free = (0..x.len()).filter(|&v| self.model.free_index(v as u32).is_some());
        let (at, residual) =
            free.map(|v| (v, sum(v))).fold((0, 0.0), |most, one| if one.1 > most.1 { one } else { most });
        let (body, vertex) = self.model.locate(at);
        Settled { steps, residual, largest_force, body: body.name.clone(), vertex }
    }

    fn refuse_runaways(&self, start: &[Vec3], steps: usize) -> Result<(), SettleError> {
        let limit = FAR * self.model.diagonal();
        for body in self.model.bodies() {
            let moved = |v: usize| self.state.positions[v].distance(start[v]);
            let distance = body.vertices.clone().map(moved).fold(f64::INFINITY, f64::min);
            if distance > limit && distance.is_finite() {
                return Err(SettleError::Unbounded { body: body.name.clone(), distance, steps });
            }
        }
        Ok(())
    }
}
