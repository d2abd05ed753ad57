//! Soft bodies of the rapier engine, with the same particles, masses, pins and stiffnesses.
//!
//! Since 0.36 `rapier3d` itself has soft bodies (`SoftBodyBuilder`). Its springs have a natural frequency in relation to the
//! masses at their ends; √(k/m)/2π with m = m₁m₂/(m₁+m₂) makes it the stiffness k. Its corotational cells have a Young's
//! modulus and, with Poisson ratio 0, the energy of our tets. Both are damped critically, its default, which does not change
//! where they come to rest.

use pliant::math::Vec3;
use rapier3d::prelude::{
    PhysicsWorld, SoftBodyBuilder, SoftBodyCellModel, SoftBodyHandle, SoftBodyMaterial, SpringCoefficients, Vector,
};

use crate::BenchError;
use crate::problem::{Elements, GRAVITY, Problem, TIME_STEP, YOUNGS_MODULUS};

/// The version that is asked for.
pub const VERSION: &str = "0.36";
/// Substeps per frame that rapier is tried with.
pub const SUBSTEPS: [usize; 6] = [1, 2, 4, 10, 20, 40];
/// What it uses by itself.
pub const DEFAULT_SUBSTEPS: usize = 4;

/// A body in a world of its own.
pub struct RapierBody {
    world: PhysicsWorld,
    handle: SoftBodyHandle,
    pool: rayon::ThreadPool,
}

impl std::fmt::Debug for RapierBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RapierBody").finish_non_exhaustive()
    }
}

impl RapierBody {
    /// A problem's body at rest, without collisions.
    pub fn new(problem: &Problem, substeps: usize, threads: usize) -> Result<Self, BenchError> {
        let positions = problem.rest.iter().map(|p| Vector::new(p.x as f32, p.y as f32, p.z as f32)).collect();
        let mut builder = SoftBodyBuilder::new(positions)
            .masses(problem.masses.iter().map(|&mass| mass as f32).collect())
            .pinned_particles(problem.pinned.iter().copied())
            .no_surface_collider()
            .can_sleep(false);
        match &problem.elements {
            Elements::Springs { edges, stiffness, .. } => {
                let mut pinned = vec![false; problem.rest.len()];
                problem.pinned.iter().for_each(|&v| pinned[v as usize] = true);
                let compliance = |v: u32| if pinned[v as usize] { 0.0 } else { 1.0 / problem.masses[v as usize] };
                builder = builder.edges(edges.clone());
                for (k, &[a, b]) in (0..).zip(edges) {
                    let frequency = (stiffness * (compliance(a) + compliance(b))).sqrt() / std::f64::consts::TAU;
                    builder.edge_softness.push((k, SpringCoefficients::new(frequency as f32, 1.0)));
                }
            }
            Elements::Tets { tets, .. } => {
                let material = SoftBodyMaterial {
                    young_modulus: YOUNGS_MODULUS as f32,
                    poisson_ratio: 0.0,
                    ..SoftBodyMaterial::default()
                };
                builder = builder.cells(tets.clone()).cell_model(SoftBodyCellModel::Corotational).material(material);
            }
        }
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::new(0.0, GRAVITY as f32, 0.0);
        world.integration_parameters.dt = TIME_STEP as f32;
        world.integration_parameters.num_solver_iterations = substeps;
        let handle = world.insert_soft_body(builder);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { world, handle, pool })
    }

    /// One frame.
    pub fn frame(&mut self) {
        let Self { world, pool, .. } = self;
        pool.install(|| world.step());
    }

    /// Where its particles are \[m\].
    pub fn positions(&self) -> Vec<Vec3> {
        let positions = self.world.soft_bodies[self.handle].particle_positions();
        positions.map(|p| Vec3::new(f64::from(p.x), f64::from(p.y), f64::from(p.z))).collect()
    }
}
