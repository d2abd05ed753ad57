//! The numbers that position-based fluids are made with, for solvers that are elsewhere, such as on a GPU.

use super::kernels::{self, Lattice};
use super::{KERNEL, coarse, density, pairs, velocity, walls};

/// All numbers of the method that do not depend on a fluid. Lengths are in units of the kernel's radius.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FluidNumbers {
    /// Radius of the kernel over the spacing of particles.
    pub kernel: f64,
    /// Volume of a particle, over the density of the lattice, so that particles on a lattice are at rest density.
    pub volume: f64,
    /// Σ ‖∇C‖² of a particle on the lattice.
    pub stiffness_at_rest: f64,
    /// Σ V |W'/r| of a particle on the lattice.
    pub neighbour_weight: f64,
    /// How much of a gradient sums over neighbours see, on the lattice.
    pub seen_gradient: f64,
    /// Σ V W r² of a particle on the lattice.
    pub second_moment: f64,
    /// How far walls act.
    pub reach_of_walls: f64,
    /// Walls that are farther than this at the start of a step do not act in it.
    pub farthest_wall: f64,
    /// Nearer than this, two particles have no direction between them.
    pub coincident: f64,
    /// Share of Σ‖∇C‖² on a lattice that is added to the denominator of λ.
    pub relaxation: f64,
    /// Share of a Jacobi step that is taken.
    pub jacobi: f64,
    /// Most of the pressure of cells that one iteration applies.
    pub most_load: f64,
    /// Share of the density that was wrong before a step that cells take back in it.
    pub per_step: f64,
    /// Time over which a density that was too high before a step is taken back, per root of a metre of spacing \[s/√m\].
    pub recovery: f64,
    /// Iterations whose artificial pressures add up in a step.
    pub separating: f64,
    /// Distance at which the artificial pressure is what its coefficient says.
    pub separated: f64,
    /// Distance from which on there is no artificial pressure.
    pub at_rest: f64,
    /// Below the first density particles begin to be at a free surface, below the second they are.
    pub surface: [f64; 2],
    /// Weight of the air that a particle at a surface has in place of neighbours.
    pub air: f64,
    /// Relative residual at which conjugate gradients over cells stop.
    pub tolerance: f64,
    /// Most iterations of conjugate gradients in a round.
    pub most_iterations: usize,
    /// Times that cells which would pull are let go.
    pub rounds: usize,
    /// Share of the diagonal that is added to it.
    pub regularisation: f64,
    /// Most that a step takes from the velocity of neighbours, along the line between particles.
    pub most_mixed: f64,
    /// Weight of that part of velocities which gives shear its viscosity.
    pub parallel: f64,
}

impl Default for FluidNumbers {
    /// Those that the engine computes with.
    fn default() -> Self {
        let spacing = 1.0 / KERNEL;
        let lattice = Lattice::new(spacing);
        Self {
            kernel: KERNEL,
            volume: spacing.powi(3) / lattice.density,
            stiffness_at_rest: lattice.squared_gradients / lattice.density.powi(2),
            neighbour_weight: lattice.slopes / lattice.density,
            seen_gradient: lattice.seen_gradient / lattice.density,
            second_moment: lattice.second_moment / lattice.density,
            reach_of_walls: kernels::reach_of_walls(spacing),
            farthest_wall: walls::REACH,
            coincident: kernels::COINCIDENT.into(),
            relaxation: density::RELAXATION.into(),
            jacobi: density::JACOBI.into(),
            most_load: density::MOST_LOAD.into(),
            per_step: density::PER_STEP.into(),
            recovery: density::RECOVERY,
            separating: density::SEPARATING,
            separated: pairs::SEPARATED.into(),
            at_rest: pairs::AT_REST.into(),
            surface: coarse::SURFACE.map(f64::from),
            air: coarse::AIR,
            tolerance: coarse::TOLERANCE,
            most_iterations: coarse::MOST_ITERATIONS,
            rounds: coarse::ROUNDS,
            regularisation: coarse::REGULARISATION,
            most_mixed: velocity::MOST_MIXED.into(),
            parallel: velocity::PARALLEL,
        }
    }
}
