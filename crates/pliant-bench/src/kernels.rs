//! Hot kernels a fixed number of times on one thread, for tools that count instructions: `instructions.sh` beside this crate's
//! manifest runs them under callgrind.
//!
//! Counts do not depend on what else the machine does, unlike times.

use pliant::energy::{Batch, EdgeSprings, SpringStiffness, StrainSet, TetStrain, TriangleStrain};
use pliant::math::Vec3;
use pliant::mesh::generate::Sheet;
use pliant::solve::ProjectiveParams;
use pliant::sparse::Precision;
use pliant::{Body, Simulation};

use crate::BenchError;
use crate::ours::{Factor, Variant};
use crate::problem::{Elements, Problem};

/// Names of the kernels.
pub const NAMES: [&str; 4] = ["solve", "springs", "triangles", "tets"];

/// What one call of a kernel works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// How many.
    pub count: usize,
    /// Of what.
    pub unit: &'static str,
}

/// Runs a kernel so many times.
pub fn run(name: &str, calls: usize) -> Result<Work, BenchError> {
    let vertices_along = 81;
    match name {
        "solve" => {
            let system = Problem::cloth(name, vertices_along)?.system();
            let variant = Variant { name: String::new(), threads: 1, precision: Precision::Single, digits: 0 };
            let (mut factor, _) = Factor::new(&system, &variant)?;
            let rhs = system.right_hand_side();
            let mut x = rhs.clone();
            for _ in 0..calls {
                x.copy_from_slice(&rhs);
                factor.on_pool(|factor| counted(|| factor.solve(&mut x)));
            }
            Ok(Work { count: rhs.len(), unit: "vertex" })
        }
        "springs" => {
            let problem = Problem::cloth(name, vertices_along)?;
            let Elements::Springs { edges, stiffness, .. } = &problem.elements else { return Err(no_such(name)) };
            let springs = EdgeSprings::new(edges.clone(), SpringStiffness::Uniform(*stiffness));
            local_step(springs.build(&problem.rest)?, &problem.rest, calls, "spring")
        }
        "triangles" => {
            let cells = vertices_along - 1;
            let mesh = Sheet { columns: cells, rows: cells, ..Sheet::default() }.mesh()?;
            let strain = TriangleStrain { triangles: mesh.triangles, stiffness: 100.0, set: StrainSet::Rotation };
            local_step(strain.build(&mesh.positions)?, &mesh.positions, calls, "triangle")
        }
        "tets" => {
            let problem = Problem::bar(name, 8, 22)?;
            let Elements::Tets { tets, .. } = &problem.elements else { return Err(no_such(name)) };
            let strain = TetStrain { tets: tets.clone(), stiffness: 1.0, set: StrainSet::Rotation };
            local_step(strain.build(&problem.rest)?, &problem.rest, calls, "tet")
        }
        _ => Err(no_such(name)),
    }
}

fn no_such(name: &str) -> BenchError {
    BenchError::NoSuchKernel { name: name.to_owned(), known: NAMES.join(", ") }
}

/// Local steps of one energy: a world where all vertices but one are pinned, so that the linear solve is nothing.
fn local_step(batch: Box<dyn Batch>, rest: &[Vec3], calls: usize, unit: &'static str) -> Result<Work, BenchError> {
    let count = batch.operator().len();
    let masses = (0..rest.len() as u32).map(|v| (v, v, 1.0)).collect();
    let bend = |p: &Vec3| Vec3::new(p.x + 0.2 * p.y, p.y * 1.05 + 0.3 * p.x * p.x, p.z + 0.3 * (3.0 * p.x).sin());
    let body = Body::new(rest.to_vec(), masses)
        .with_energy(batch)
        .with_positions(rest.iter().map(bend).collect())
        .pin(1..rest.len() as u32);
    // Two iterations evaluate the elements twice: nobody asks for forces after the last.
    let solver = ProjectiveParams::plain(2);
    // Everything on the one thread of a pool, for the counting tool follows one thread; a simulation with threads of its own would
    // leave it.
    rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(|| {
        let mut simulation = Simulation::builder().body(body).solver(solver).build()?;
        simulation.step()?;
        for _ in 0..calls {
            counted(|| drop(simulation.step()));
        }
        Ok(Work { count: 2 * count, unit })
    })
}

/// What is counted: the counting tool looks for calls of this function by its name.
#[inline(never)]
pub fn counted(work: impl FnOnce()) {
    work();
    // Keeps the call from being the last, which could be a jump and leave no return to see.
    std::hint::black_box(());
}
