//! Position-based dynamics: time per constraint beside loops in C++, and per iteration beside rapier, all on one thread.
//!
//! The engine's time is that of whole iterations as a user gets them, everything between entering and leaving its solver divided by
//! their number. The loops in C++ go over the same constraints in the order of the mesh, without anything around them.

use std::cell::RefCell;

use pliant::Simulation;
use pliant::mesh::generate::{Plane, Sheet};
use pliant::solve::PositionBasedParams;
use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::loops::{LoopBody, LoopKind, LoopRule};
use crate::ours;
use crate::problem::{ITERATIONS, Problem};
#[cfg(feature = "reference")]
use crate::reference::{LoopNumber, PbdBody};
use crate::table::{Table, or_dash, three_digits};
use crate::timing::{Contender, Effort, Timing, take_turns};

/// Everything that one run found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PositionBasedResults {
    /// Load by other programs when it began.
    pub load: Option<f64>,
    /// Constraints beside loops in C++.
    pub loops: Vec<LoopResults>,
    /// Iterations of whole bodies beside rapier.
    pub engines: Vec<EngineIteration>,
}

/// One body with some kinds of constraints.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LoopResults {
    /// Its name.
    pub body: String,
    /// Number of vertices.
    pub vertices: usize,
    /// What kinds of constraints.
    pub kinds: String,
    /// Whether with compliances and multipliers.
    pub compliant: bool,
    /// How many constraints.
    pub constraints: usize,
    /// An iteration of the engine's.
    pub ours: Option<Timing>,
    /// An iteration in C++, in f64 and in f32.
    pub reference: [Option<Timing>; 2],
}

/// One way to take an iteration of a whole body.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EngineIteration {
    /// The body.
    pub body: String,
    /// The engine and what it solves.
    pub engine: String,
    /// Constraints, springs or tets.
    pub elements: usize,
    /// An iteration, or a substep.
    pub iteration: Option<Timing>,
}

/// Vertices along the sides of the cloths, and cells along the height of the solid.
const CLOTHS: [usize; 2] = [81, 321];
const FIGURE_CELLS: usize = 56;

/// The bodies of the loops.
fn bodies() -> Result<Vec<LoopBody>, BenchError> {
    use LoopKind::{Dihedral, Distance, Isometric, Volume};
    let mut bodies = Vec::new();
    for vertices_along in CLOTHS {
        let problem = Problem::cloth(&format!("cloth-{vertices_along}"), vertices_along)?;
        let cells = vertices_along - 1;
        let sheet = Sheet { columns: cells, rows: cells, plane: Plane::Xz, ..Sheet::default() };
        let mesh = sheet.mesh()?;
        for kinds in [&[Distance][..], &[Isometric], &[Dihedral], &[Distance, Dihedral]] {
            bodies.push(LoopBody::cloth(&problem, &mesh, kinds)?);
        }
    }
    let solid = Problem::figure("figure", FIGURE_CELLS)?;
    for kinds in [&[Distance][..], &[Volume], &[Distance, Volume]] {
        bodies.push(LoopBody::solid(&solid, kinds)?);
    }
    Ok(bodies)
}

/// A simulation that keeps the time of its iterations \[s\].
struct Ours {
    simulation: Simulation,
    iterations: Vec<f64>,
}

impl Ours {
    fn new(simulation: Simulation) -> Self {
        Self { simulation, iterations: Vec::new() }
    }

    fn frame(&mut self) -> Result<(), BenchError> {
        let report = self.simulation.step()?.solve;
        self.iterations.push(report.seconds_local / report.iterations as f64);
        Ok(())
    }
}

/// Measures all.
pub fn measure(effort: Effort) -> Result<PositionBasedResults, BenchError> {
    let load = crate::machine::load();
    let mut loops = Vec::new();
    for body in bodies()? {
        for rule in [LoopRule::Classic, LoopRule::Compliant] {
            eprintln!("{}: {}", body.name, body.kinds());
            loops.push(measure_loops(&body, rule, effort)?);
        }
    }
    let mut engines = Vec::new();
    for problem in [Problem::cloth("cloth-81", CLOTHS[0])?, Problem::figure("figure", FIGURE_CELLS)?] {
        eprintln!("{}: engines", problem.name);
        engines.extend(measure_engines(&problem, effort)?);
    }
    Ok(PositionBasedResults { load, loops, engines })
}

fn measure_loops(body: &LoopBody, rule: LoopRule, effort: Effort) -> Result<LoopResults, BenchError> {
    let mut ours = Ours::new(body.simulation(rule, 1)?);
    let failure: RefCell<Option<BenchError>> = RefCell::new(None);
    #[cfg(feature = "reference")]
    let (mut double, mut single) = (PbdBody::<f64>::new(body, rule), PbdBody::<f32>::new(body, rule));
    let mut contenders = vec![Contender::calling("Pliant", &mut ours, &failure, Ours::frame)];
    #[cfg(feature = "reference")]
    contenders.extend([in_cpp(&mut double), in_cpp(&mut single)]);
    let timings = take_turns(&mut contenders, effort);
    drop(contenders);
    if let Some(error) = failure.into_inner() {
        return Err(error);
    }
    let iteration = |k: usize| timings.get(k).copied().flatten().map(|t| t.scaled(1.0 / ITERATIONS as f64));
    Ok(LoopResults {
        body: body.name.clone(),
        vertices: body.vertices(),
        kinds: body.kinds(),
        compliant: rule != LoopRule::Classic,
        constraints: body.constraints(),
        ours: Timing::of(ours.iterations),
        reference: [iteration(1), iteration(2)],
    })
}

/// As many sweeps as a step of the engine has iterations, from the same start.
#[cfg(feature = "reference")]
fn in_cpp<R: LoopNumber>(body: &mut PbdBody<R>) -> Contender<'_> {
    Contender::new(format!("C++ {}", R::NAME), move |sampler| {
        sampler.repeat(&mut *body, PbdBody::reset, |body| (0..ITERATIONS).for_each(|_| body.iterate()));
    })
}

fn measure_engines(problem: &Problem, effort: Effort) -> Result<Vec<EngineIteration>, BenchError> {
    let failure: RefCell<Option<BenchError>> = RefCell::new(None);
    let solver = PositionBasedParams { iterations: ITERATIONS, ..PositionBasedParams::default() };
    #[cfg(feature = "rapier")]
    let mut rapier = crate::rapier::RapierBody::new(problem, ITERATIONS, 1)?;
    let mut ours = Ours::new(ours::builder(problem)?.solver(solver).threads(1).build()?);
    let mut contenders = vec![Contender::calling("Pliant, XPBD", &mut ours, &failure, Ours::frame)];
    #[cfg(feature = "rapier")]
    contenders.push(Contender::calling(
        format!("rapier3d {}", crate::rapier::VERSION),
        &mut rapier,
        &failure,
        |body| {
            body.frame();
            Ok(())
        },
    ));
    let timings = take_turns(&mut contenders, effort);
    let names: Vec<String> = contenders.iter().map(|contender| contender.name.clone()).collect();
    drop(contenders);
    if let Some(error) = failure.into_inner() {
        return Err(error);
    }
    let own = Timing::of(std::mem::take(&mut ours.iterations));
    let rows = names.into_iter().zip(timings).enumerate().map(|(k, (engine, timing))| EngineIteration {
        body: format!("{}, {} {}", problem.name, problem.element_count(), problem.element_kind()),
        engine,
        elements: problem.element_count(),
        iteration: if k == 0 { own } else { timing.map(|t| t.scaled(1.0 / ITERATIONS as f64)) },
    });
    Ok(rows.collect())
}

/// Nanoseconds per constraint, and how many times faster than C++.
pub fn loop_table(results: &PositionBasedResults) -> Table {
    let mut table = Table::new([
        "constraints",
        "body",
        "count",
        "Pliant f64 [ns]",
        "median",
        "C++ f64 [ns]",
        "median",
        "×",
        "C++ f32 [ns]",
        "×",
    ]);
    for row in &results.loops {
        let each = |time: f64| 1e6 * time / row.constraints as f64;
        let ratio = |k: usize| Some(row.reference[k]?.min / row.ours?.min);
        let kinds = format!("{}{}", row.kinds, if row.compliant { ", compliant" } else { "" });
        table.row(vec![
            kinds,
            row.body.clone(),
            row.constraints.to_string(),
            or_dash(row.ours.map(|t| each(t.min))),
            or_dash(row.ours.map(|t| each(t.median))),
            or_dash(row.reference[0].map(|t| each(t.min))),
            or_dash(row.reference[0].map(|t| each(t.median))),
            or_dash(ratio(0)),
            or_dash(row.reference[1].map(|t| each(t.min))),
            or_dash(ratio(1)),
        ]);
    }
    table
}

/// Milliseconds per iteration, and how many times faster the first engine of a body is.
pub fn engine_table(results: &PositionBasedResults) -> Table {
    let mut table = Table::new(["body", "engine", "iteration or substep [ms]", "median", "Pliant is faster by"]);
    for row in &results.engines {
        let first = results.engines.iter().find(|other| other.body == row.body).and_then(|other| other.iteration);
        let ratio = row.iteration.zip(first).map(|(own, first)| own.min / first.min);
        table.row(vec![
            row.body.clone(),
            row.engine.clone(),
            or_dash(row.iteration.map(|t| t.min)),
            or_dash(row.iteration.map(|t| t.median)),
            ratio.filter(|_| row.iteration != first).map_or_else(|| "–".to_owned(), three_digits),
        ]);
    }
    table
}

/// What the tables mean.
pub const EXPLANATION: &str = "One thread. The engine's time is that of whole iterations as in normal use, ten per step. The loops in C++ \
(`crates/pliant-bench/src/reference/pbd.cpp`, flags above) process the same constraints in the order of the mesh, in ten sweeps from the same start, and do nothing else. × is how many times faster Pliant is. With compliances, every constraint has a multiplier. The C++ in f32 is for \
information: Pliant's position-based solver is in f64 throughout.";

/// What the comparison with rapier means.
pub const ENGINES: &str = "Time of an iteration of XPBD, compared with a substep of rapier's soft bodies (ten of each per frame), on the same springs or tets. A substep does more than an iteration: it also integrates, and substeps converge better than the same number of iterations. rapier3d 0.36 has no fluids, so there is no comparison for ours.";
