//! What a fluid on a device is made from, and what it cannot do yet.

use pliant::collide::Collider;
use pliant::math::Vec3;
use pliant::solve::{PositionBasedParams, SolverChoice};
use pliant::{Damping, Fluid, FluidMaterial, Model, Simulation, TimeIntegrator};

use super::colliders::is_known;
use crate::error::GpuError;

/// Colliders that a world may have: contacts of a particle are kept in the bits of one number.
pub const MOST_COLLIDERS: usize = 8;

/// Dispatches for the pressure of cells by default. A dam of 128 000 particles, 20 deep and 160 long, takes up to 66; a deeper one takes more.
pub const PRESSURE_DISPATCHES: usize = 128;

/// A world of nothing but fluids, among colliders that stand still.
#[derive(Debug, Clone)]
pub struct FluidWorld<'a> {
    /// The bodies.
    pub model: &'a Model,
    /// Position of each vertex \[m\].
    pub positions: &'a [Vec3],
    /// Velocity of each vertex \[m/s\].
    pub velocities: &'a [Vec3],
    /// What is in the way.
    pub colliders: &'a [Collider],
    /// Parameters of the position-based solver.
    pub solver: PositionBasedParams,
    /// Acceleration of free fall \[m/s²\].
    pub gravity: Vec3,
    /// Drag on all motion \[1/s\].
    pub drag: f64,
    /// Length of a step \[s\].
    pub time_step: f64,
    /// Equal parts in which a step is taken.
    pub substeps: usize,
    /// Dispatches of a substep for the pressure of cells, one for each iteration of conjugate gradients; an even number is used. What is not needed
    /// costs little, and what is missing makes deep fluid softer ([`PressureReport`](crate::PressureReport) tells).
    pub pressure_dispatches: usize,
}

/// A fluid of the world: its vertices and its material.
pub(super) struct Portion<'a> {
    pub(super) vertices: std::ops::Range<usize>,
    pub(super) material: &'a FluidMaterial,
}

fn unsupported(what: impl Into<String>, feature: impl Into<String>, instead: &'static str) -> GpuError {
    GpuError::Unsupported { what: what.into(), feature: feature.into(), instead }
}

const ON_CPU: &str = "step this world on the CPU";

impl<'a> FluidWorld<'a> {
    /// The world of a simulation as it is now. Refuses what a device would not do as the simulation does.
    pub fn of(simulation: &'a Simulation) -> Result<Self, GpuError> {
        let of_world = |feature: &str| unsupported("the world", feature, ON_CPU);
        if simulation.solver_count() > 1 {
            return Err(unsupported("the world", "several solvers", "give all bodies the position-based solver"));
        }
        let SolverChoice::PositionBased(solver) = simulation.solver_choice() else {
            let instead = "choose the position-based solver by its parameters";
            return Err(unsupported("the world", "another solver", instead));
        };
        if simulation.integrator() != TimeIntegrator::ImplicitEuler {
            let instead = "integrate by implicit Euler";
            return Err(unsupported("the world", format!("{} as integrator", simulation.integrator()), instead));
        }
        if simulation.wind().is_some() {
            return Err(of_world("wind"));
        }
        if simulation.forces().iter().any(|force| *force != Vec3::ZERO) {
            return Err(of_world("forces on vertices"));
        }
        if simulation.has_grabs() {
            return Err(of_world("vertices that are held"));
        }
        let damping = simulation.damping();
        if damping != (Damping { drag: damping.drag, ..Damping::default() }) {
            return Err(unsupported("the world", "damping other than drag", "damp by drag or viscosity"));
        }
        Ok(Self {
            model: simulation.model(),
            positions: simulation.positions(),
            velocities: simulation.velocities(),
            colliders: simulation.colliders(),
            solver: solver.clone(),
            gravity: simulation.gravity(),
            drag: damping.drag,
            time_step: simulation.time_step(),
            substeps: simulation.substeps(),
            pressure_dispatches: PRESSURE_DISPATCHES,
        })
    }

    /// Refuses by name what fluids on a device do not support; returns the fluids.
    pub(super) fn portions(&self) -> Result<Vec<Portion<'a>>, GpuError> {
        let model = self.model;
        for (number, body) in model.bodies().iter().enumerate() {
            let Some(fluid) = model.matter_in::<Fluid>(number) else {
                let instead = "step worlds of fluid and other bodies on the CPU";
                return Err(unsupported(format!("body {:?}", body.name), "no fluid in it", instead));
            };
            let of_body = |feature: &str, instead| unsupported(format!("body {:?}", body.name), feature, instead);
            if fluid.emitter().is_some() {
                return Err(of_body("an emitter", ON_CPU));
            }
            if fluid.material().vorticity > 0.0 {
                return Err(of_body("vorticity confinement", "set its vorticity to 0"));
            }
            if body.vertices.clone().any(|v| model.free_index(v as u32).is_none()) {
                return Err(of_body("pinned particles", "hold fluid by colliders"));
            }
        }
        if let Some(body) = model.energies().first().map(|_| &model.bodies()[0]) {
            return Err(unsupported(format!("body {:?}", body.name), "energies or attachments", ON_CPU));
        }
        let of_solver = |feature, instead| Err(unsupported("the position-based solver", feature, instead));
        let solver = &self.solver;
        if solver.density_tolerance.is_some() {
            return of_solver("a density tolerance", "give a number of iterations");
        }
        if solver.tolerance > 0.0 {
            return of_solver("a tolerance", "set it to 0: all iterations are made");
        }
        if solver.record {
            return of_solver("a record of each iteration", "set `record` to false");
        }
        if solver.iterations == 0 {
            return of_solver("no iterations", "make one at least");
        }
        self.check_colliders()?;
        let portion = |portion: pliant::matter::Portion<'a, Fluid>| Portion {
            vertices: portion.vertices,
            material: portion.matter.material(),
        };
        Ok(model.matter_of::<Fluid>().map(portion).collect())
    }

    fn check_colliders(&self) -> Result<(), GpuError> {
        if self.colliders.len() > MOST_COLLIDERS {
            let feature = format!("{} colliders, more than {MOST_COLLIDERS}", self.colliders.len());
            return Err(unsupported("the world", feature, "use fewer colliders"));
        }
        for (number, collider) in self.colliders.iter().enumerate() {
            let name =
                collider.name().map_or_else(|| format!("collider {number}"), |name| format!("collider {name:?}"));
            if !is_known(collider.shape()) {
                let instead = "use planes, balls, boxes, capsules and cylinders";
                return Err(unsupported(name, "triangles, heights or a grid for its shape", instead));
            }
            if !collider.is_still() {
                return Err(unsupported(name, "a motion", "let it stand still"));
            }
            if collider.surface().restitution > 0.0 {
                return Err(unsupported(name, "restitution", "set it to 0"));
            }
        }
        Ok(())
    }
}
