//! A cloth that falls on a sphere, with friction and without passing through itself: Pliant beside rapier's soft bodies.
//!
//! Both have the same particles, masses, springs, sphere, coefficient of friction and contact thickness, and a frame of 1/60 s. What is
//! judged is judged by the same code from positions alone: how long a frame takes, how deep the cloth is in the sphere, how many of
//! its edges pass through its triangles, and how far its springs are stretched.

use std::time::Instant;

use pliant::collide::{Collider, Shape};
use pliant::math::Vec3;
use pliant::mesh::TriangleMesh;
use pliant::mesh::generate::{Plane, Sheet};
use pliant::proximity::{Primitives, intersections};
use pliant::solve::ProjectiveParams;
use pliant::{Body, SelfCollision, Simulation};
use serde::Serialize;

use crate::BenchError;
use crate::table::{Table, three_digits};

/// Side of the cloth \[m\].
const SIDE: f64 = 1.0;
const RADIUS: f64 = 0.25;
/// The cloth starts this far above the sphere \[m\].
const DROP: f64 = 0.05;
/// \[kg/m²\]
const DENSITY: f64 = 0.2;
/// \[N/m\]
const STIFFNESS: f64 = 500.0;
const FRICTION: f64 = 0.4;
const THICKNESS: f64 = 4e-3;
const FRAME: f64 = 1.0 / 60.0;
/// Frames that are run; those before the last half are not counted, because little touches yet.
const FRAMES: usize = 120;

/// The cloth that all engines get.
struct Cloth {
    mesh: TriangleMesh,
    edges: Vec<[u32; 2]>,
}

impl Cloth {
    fn new(cells: usize) -> Result<Self, BenchError> {
        let sheet =
            Sheet { width: SIDE, height: SIDE, columns: cells, rows: cells, plane: Plane::Xz, ..Sheet::default() };
        let mut mesh = sheet.mesh()?;
        // Off the middle, so that nothing balances by symmetry alone.
        let offset = Vec3::new(0.02, RADIUS + DROP, 0.013);
        mesh.positions.iter_mut().for_each(|p| *p += offset);
        let edges = mesh.edges();
        Ok(Self { mesh, edges })
    }
}

/// An engine with the cloth in it.
trait Engine {
    fn frame(&mut self) -> Result<(), BenchError>;
    fn positions(&self) -> Vec<Vec3>;
}

struct Ours(Simulation);

impl Ours {
    fn new(cloth: &Cloth, iterations: usize) -> Result<Self, BenchError> {
        let body = Body::mass_spring(&cloth.mesh, DENSITY, cloth.edges.clone(), STIFFNESS)?;
        let sphere = Collider::new(Shape::Sphere { radius: RADIUS }).friction(FRICTION).thickness(THICKNESS);
        let layers = SelfCollision { thickness: THICKNESS, friction: FRICTION, ..SelfCollision::default() };
        let solver = ProjectiveParams { iterations, ..ProjectiveParams::default() };
        let builder = Simulation::builder().time_step(FRAME).body(body).collider(sphere).self_collision(layers);
        Ok(Self(builder.solver(solver).threads(1).build()?))
    }
}

impl Engine for Ours {
    fn frame(&mut self) -> Result<(), BenchError> {
        self.0.step()?;
        Ok(())
    }

    fn positions(&self) -> Vec<Vec3> {
        self.0.positions().to_vec()
    }
}

/// What was found of one engine.
#[derive(Debug, Clone, Serialize)]
pub struct DrapeResults {
    /// Engine and settings.
    pub name: String,
    /// Vertices of the cloth.
    pub vertices: usize,
    /// Mean time of a frame in the second half \[ms\].
    pub frame_ms: f64,
    /// Deepest place of a vertex below the sphere's surface in any frame \[mm\]; negative if all stayed above.
    pub depth_mm: f64,
    /// Edges through triangles, the most in any frame.
    pub crossings: usize,
    /// Frames with at least one crossing.
    pub crossed_frames: usize,
    /// Mean and largest stretch of springs at the end, over their rest lengths.
    pub mean_stretch: f64,
    /// See `mean_stretch`.
    pub largest_stretch: f64,
}

/// Runs all engines on cloths of some numbers of cells along a side.
pub fn measure(cells: &[usize]) -> Result<Vec<DrapeResults>, BenchError> {
    let mut results = Vec::new();
    for &cells in cells {
        let cloth = Cloth::new(cells)?;
        for iterations in [10, 20] {
            let name = format!("Pliant, {iterations} iterations");
            results.push(judge(name, &cloth, Ours::new(&cloth, iterations)?)?);
        }
        #[cfg(feature = "rapier")]
        for substeps in [crate::rapier::DEFAULT_SUBSTEPS, 10, 20] {
            let name = format!("rapier3d {}, {substeps} substeps", crate::rapier::VERSION);
            results.push(judge(name, &cloth, rapier::Rapier::new(&cloth, substeps)?)?);
        }
    }
    Ok(results)
}

fn judge(name: String, cloth: &Cloth, mut engine: impl Engine) -> Result<DrapeResults, BenchError> {
    // Only for the list of primitives: it has no other part in the run.
    let world =
        Simulation::builder().body(Body::mass_spring(&cloth.mesh, DENSITY, cloth.edges.clone(), 1.0)?).build()?;
    let primitives = Primitives::new(world.model().bodies());
    let (mut seconds, mut deepest, mut crossings, mut crossed_frames) = (0.0, f64::NEG_INFINITY, 0, 0);
    for frame in 0..FRAMES {
        let begun = Instant::now();
        engine.frame()?;
        if 2 * frame >= FRAMES {
            seconds += begun.elapsed().as_secs_f64();
        }
        let x = engine.positions();
        deepest = x.iter().fold(deepest, |most: f64, p| most.max(RADIUS - p.length()));
        let found = intersections(&primitives, &x).len();
        crossings = crossings.max(found);
        crossed_frames += usize::from(found > 0);
    }
    let x = engine.positions();
    let rest = &cloth.mesh.positions;
    let length = |x: &[Vec3], [a, b]: [u32; 2]| x[a as usize].distance(x[b as usize]);
    let stretches = cloth.edges.iter().map(|&edge| length(&x, edge) / length(rest, edge) - 1.0);
    let (mut sum, mut largest) = (0.0, 0.0_f64);
    for stretch in stretches {
        sum += stretch.abs();
        largest = largest.max(stretch.abs());
    }
    Ok(DrapeResults {
        name,
        vertices: rest.len(),
        frame_ms: 1e3 * seconds / (FRAMES - FRAMES / 2) as f64,
        depth_mm: 1e3 * deepest,
        crossings,
        crossed_frames,
        mean_stretch: sum / cloth.edges.len() as f64,
        largest_stretch: largest,
    })
}

/// The results as a table.
pub fn table(results: &[DrapeResults]) -> Table {
    let mut table = Table::new([
        "vertices",
        "engine",
        "frame [ms]",
        "deepest [mm]",
        "most crossings",
        "frames with crossings",
        "mean stretch [%]",
        "largest stretch [%]",
    ]);
    for r in results {
        table.row(vec![
            r.vertices.to_string(),
            r.name.clone(),
            three_digits(r.frame_ms),
            three_digits(r.depth_mm),
            r.crossings.to_string(),
            r.crossed_frames.to_string(),
            three_digits(100.0 * r.mean_stretch),
            three_digits(100.0 * r.largest_stretch),
        ]);
    }
    table
}

#[cfg(feature = "rapier")]
mod rapier {
    use pliant::math::Vec3;
    use pliant::mesh::Simplices;
    use rapier3d::prelude::{
        ColliderBuilder, PhysicsWorld, SoftBodyBuilder, SoftBodyHandle, SpringCoefficients, Vector,
    };

    use super::{Cloth, DENSITY, Engine, FRAME, FRICTION, RADIUS, STIFFNESS, THICKNESS};
    use crate::BenchError;
    use crate::problem::GRAVITY;

    pub(super) struct Rapier {
        world: PhysicsWorld,
        handle: SoftBodyHandle,
        pool: rayon::ThreadPool,
    }

    impl Rapier {
        pub(super) fn new(cloth: &Cloth, substeps: usize) -> Result<Self, BenchError> {
            let masses = cloth.mesh.lumped_masses(DENSITY)?;
            let positions =
                cloth.mesh.positions.iter().map(|p| Vector::new(p.x as f32, p.y as f32, p.z as f32)).collect();
            // The contact skin of the cloth is all there is between it and the sphere, as with our thickness.
            let mut builder = SoftBodyBuilder::new(positions)
                .masses(masses.iter().map(|&mass| mass as f32).collect())
                .edges(cloth.edges.clone())
                .surface(cloth.mesh.triangles.clone())
                .self_contacts(true)
                .particle_radius(THICKNESS as f32)
                .surface_collider(ColliderBuilder::ball(0.1).friction(FRICTION as f32))
                .can_sleep(false);
            for (k, &[a, b]) in (0..).zip(&cloth.edges) {
                let compliance = 1.0 / masses[a as usize] + 1.0 / masses[b as usize];
                let frequency = (STIFFNESS * compliance).sqrt() / std::f64::consts::TAU;
                builder.edge_softness.push((k, SpringCoefficients::new(frequency as f32, 1.0)));
            }
            let mut world = PhysicsWorld::new();
            world.gravity = Vector::new(0.0, GRAVITY as f32, 0.0);
            world.integration_parameters.dt = FRAME as f32;
            world.integration_parameters.num_solver_iterations = substeps;
            world.insert_collider(ColliderBuilder::ball(RADIUS as f32).friction(FRICTION as f32), None);
            let handle = world.insert_soft_body(builder);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
            Ok(Self { world, handle, pool })
        }
    }

    impl Engine for Rapier {
        fn frame(&mut self) -> Result<(), BenchError> {
            let Self { world, pool, .. } = self;
            pool.install(|| world.step());
            Ok(())
        }

        fn positions(&self) -> Vec<Vec3> {
            let positions = self.world.soft_bodies[self.handle].particle_positions();
            positions.map(|p| Vec3::new(f64::from(p.x), f64::from(p.y), f64::from(p.z))).collect()
        }
    }
}
