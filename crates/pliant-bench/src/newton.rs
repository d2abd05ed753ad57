//! What an iteration of Newton's method costs beside the factorisation that it cannot do without.
//!
//! A cloth with bending swings and a solid bar of Poisson ratio 0.4 sags; from one frame of each, stages of few and of more iterations take turns with
//! the numeric factorisation, packing and solve of a matrix of the same pattern. An iteration is the difference of the two
//! stages over that of their iterations, so that what is done once, ordering and symbolic analysis above all, is left out. All on one thread.

use std::cell::RefCell;
use std::hint::black_box;

use pliant::mesh::generate::{Plane, Sheet, TetBox};
use pliant::prelude::*;
use pliant::sparse::{BlockMatrix, PackedFactor, Precision};
use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::problem::TIME_STEP;
use crate::table::{Table, three_digits};
use crate::timing::{Contender, Effort, take_turns};

/// One body.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NewtonTimes {
    /// What it is.
    pub name: String,
    /// Vertices.
    pub vertices: usize,
    /// Triangles or tets.
    pub elements: usize,
    /// An iteration \[ms\].
    pub iteration: f64,
    /// Numeric factorisation of a matrix with the pattern of Newton's \[ms\].
    pub factor: f64,
    /// Packing that factor \[ms\].
    pub pack: f64,
    /// A solve with it \[ms\].
    pub solve: f64,
}

impl NewtonTimes {
    /// An iteration over factorisation, packing and solve.
    pub fn ratio(&self) -> f64 {
        self.iteration / (self.factor + self.pack + self.solve)
    }
}

/// Iterations of the short and of the long stage: all of them before the method has converged.
const FEW: usize = 1;
const MORE: usize = 5;
/// Steps before the frame that is looked at.
const BEFORE: usize = 12;

fn cloth(cells: usize) -> Result<(Simulation, usize), BenchError> {
    let sheet = Sheet { columns: cells, rows: cells, plane: Plane::Xz, ..Sheet::default() };
    let material = ClothMaterial { poisson_ratio: 0.3, bending_stiffness: Some(1e-4), ..ClothMaterial::default() };
    let mesh = sheet.mesh()?;
    let corners = [sheet.vertex(0, 0), sheet.vertex(cells, 0)];
    let world = Simulation::builder().body(Body::cloth(&mesh, &material)?.pin(corners));
    Ok((world.time_step(TIME_STEP).threads(1).build()?, mesh.triangles.len()))
}

fn bar(cells: [usize; 3]) -> Result<(Simulation, usize), BenchError> {
    let size = Vec3::from_array(cells.map(|n| n as f64 * 0.05));
    let mesh = TetBox { size, cells, ..TetBox::default() }.mesh()?;
    let material = SolidMaterial { youngs_modulus: 3e5, poisson_ratio: 0.4, ..SolidMaterial::default() };
    let least = mesh.positions.iter().fold(f64::INFINITY, |least, p| least.min(p.x));
    let body = Body::solid(&mesh, &material)?.pin_where(|p| p.x < least + 1e-6);
    Ok((Simulation::builder().body(body).time_step(TIME_STEP).threads(1).build()?, mesh.tets.len()))
}

/// Measures both bodies.
pub fn measure(effort: Effort) -> Result<Vec<NewtonTimes>, BenchError> {
    let mut all = Vec::new();
    for (name, (mut sim, elements)) in
        [("cloth of 80 × 80 cells, bending, ν = 0.3", cloth(80)?), ("bar, ν = 0.4", bar([36, 7, 7])?)]
    {
        eprintln!("{name}");
        for _ in 0..BEFORE {
            sim.step()?;
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        all.push(pool.install(|| one(name, &mut sim, elements, effort))?);
    }
    Ok(all)
}

fn one(name: &str, sim: &mut Simulation, elements: usize, effort: Effort) -> Result<NewtonTimes, BenchError> {
    let vertices = sim.positions().len();
    let pattern = sim.model().pattern().clone();
    let problem = sim.next_problem()?;
    let start = problem.start(Start::Predicted).to_vec();
    let solver = |iterations: usize| NewtonParams { iterations, tolerance: 0.0, ..NewtonParams::default() }.into();
    // Any values have the same cost: a strong diagonal makes the matrix positive.
    let mut matrix = BlockMatrix::zero(pattern.clone());
    for column in 0..pattern.size() {
        matrix.add_diagonal(column, Mat3::IDENTITY);
    }
    let analysis = BlockMatrix::analyse(&pattern)?;
    let factor = RefCell::new(matrix.factor(&analysis)?);
    let scalars = vec![1.0; 3 * pattern.size()];
    let failure = RefCell::new(None);
    let (few, more) = (solver(FEW), solver(MORE));
    let stage = |choice: &SolverChoice, sampler: &mut crate::timing::Sampler| {
        let run = |x: &mut Vec<Vec3>| match problem.solve(choice, x) {
            Ok(report) => {
                black_box(report);
            }
            Err(error) => drop(failure.borrow_mut().get_or_insert(error)),
        };
        sampler.repeat(&mut start.clone(), |x| x.clone_from(&start), run);
    };
    let mut contenders = [
        Contender::new("few", |sampler| stage(&few, sampler)),
        Contender::new("more", |sampler| stage(&more, sampler)),
        Contender::new("factor", |sampler| {
            sampler.repeat(&mut (), |_| (), |_| drop(black_box(matrix.factor(&analysis))));
        }),
        Contender::new("pack", |sampler| {
            let pack = |_: &mut ()| drop(black_box(PackedFactor::new(&factor.borrow(), Precision::Double)));
            sampler.repeat(&mut (), |_| (), pack);
        }),
        Contender::new("solve", |sampler| {
            let mut factor = factor.borrow_mut();
            sampler.repeat(&mut scalars.clone(), |x| x.clone_from(&scalars), |x| factor.solve_scalars(x));
        }),
    ];
    let times = take_turns(&mut contenders, effort);
    drop(contenders);
    if let Some(error) = failure.into_inner() {
        return Err(error.into());
    }
    let least = |k: usize| times[k].map_or(f64::NAN, |timing| timing.min);
    let iteration = (least(1) - least(0)) / (MORE - FEW) as f64;
    let (factor, pack, solve) = (least(2), least(3), least(4));
    Ok(NewtonTimes { name: name.to_owned(), vertices, elements, iteration, factor, pack, solve })
}

/// As a table, in milliseconds.
pub fn table(all: &[NewtonTimes]) -> Table {
    let columns = ["body", "vertices", "elements", "iteration", "factor", "pack", "solve", "ratio"];
    let mut table = Table::new(columns);
    for times in all {
        let numbers = [times.iteration, times.factor, times.pack, times.solve, times.ratio()].map(three_digits);
        let mut row = vec![times.name.clone(), times.vertices.to_string(), times.elements.to_string()];
        row.extend(numbers);
        table.row(row);
    }
    table
}
