//! Every energy of the engine: nanoseconds per element of the local step, beside the same projection in C++ over Eigen, on one thread.
//!
//! The engine's time is that of local steps as a solve has them, ten to a step: from positions to the sum of forces on every vertex. All vertices are
//! free, for what acts on pinned ones is not summed. Their masses let an iteration move them as in a solve that converges, so that
//! projections which continue from the last one have something to do, and every step begins in the same state.

mod cases;

use std::cell::RefCell;

use pliant::energy::{EdgeSprings, LIST, SpringStiffness};
use pliant::math::{Vec3, diagonal};
use pliant::solve::{ProjectiveParams, Start};
use pliant::sparse::Precision;
use pliant::{Body, Simulation};
use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::machine;
use crate::problem::{ITERATIONS, TIME_STEP};
#[cfg(feature = "reference")]
use crate::reference::{COMPILER, EigenProjection};
use crate::table::{Table, three_digits};
use crate::timing::{Contender, Effort, Timing, take_turns};

pub use cases::{Case, Cases, State, cases};

/// Elements of each energy, about.
pub const ELEMENTS: usize = 10_000;

/// All energies.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EnergyResults {
    /// Name of the processor.
    pub processor: String,
    /// Programs that wanted to run when it began.
    pub load: Option<f64>,
    /// Compiler of the C++ and its flags, where it was measured.
    pub compiler: Option<String>,
    /// Energy by energy, in the order of the engine's list.
    pub energies: Vec<EnergyRow>,
}

/// One energy in one of its variants.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EnergyRow {
    /// Its key, and the variant.
    pub name: String,
    /// How many elements.
    pub elements: usize,
    /// How many of them the engine projected one by one instead of in lanes.
    pub one_by_one: usize,
    /// Deformed mildly and strongly; none for an energy that is not measured.
    pub states: Option<[StateTimings; 2]>,
}

/// Times in one state.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct StateTimings {
    /// A local step of the engine in f32.
    pub single: Timing,
    /// And in f64.
    pub double: Timing,
    /// The projections in C++.
    pub reference: Option<Timing>,
    /// The same with A x before and w Aᵀ p after them.
    #[serde(default)]
    pub reference_step: Option<Timing>,
}

/// Diagonal of the elastic matrix over the inertia of a vertex. An iteration then moves vertices by about a quarter of what the last one did, and they
/// stay near where they began.
const SOFTNESS: f64 = 0.25;
/// Length of the pendulum over the diagonal of the body, and its stiffness over its inertia.
const PENDULUM: (f64, f64) = (0.05, 9.0);
/// Movement in an iteration, over the diagonal, below which the engine goes on in f64; here it would measure that.
const GOES_ON_IN_F64: f64 = 1e-6;

/// A body with one energy, which begins every step in the same state.
struct World {
    simulation: Simulation,
    name: String,
    start: Vec<Vec3>,
    velocities: Vec<Vec3>,
    /// Time of a local step in each step \[s\].
    local: Vec<f64>,
    one_by_one: usize,
}

impl World {
    /// Beside the body swings a pendulum, whose iterations converge slowly: as long as something moves, the engine stays in f32.
    fn new(case: &Case, state: State, precision: Precision) -> Result<Self, BenchError> {
        let batches = case.batches()?;
        let count = case.rest.len();
        let mut stiffness = vec![0.0; count];
        for operator in batches.iter().map(|batch| batch.operator()) {
            for e in 0..operator.len() {
                let (stencil, a) = (operator.stencil(e), operator.coefficients(e));
                for (k, a) in a.iter().enumerate() {
                    stiffness[stencil[k % stencil.len()] as usize] += operator.weight(e) * a * a;
                }
            }
        }
        let mean = stiffness.iter().sum::<f64>() / count as f64;
        let mass = |own: f64| TIME_STEP * TIME_STEP / SOFTNESS * if own > 0.0 { own } else { mean };
        let (length, stiff) = (PENDULUM.0 * diagonal(&case.rest), PENDULUM.1);
        let mut rest = case.rest.clone();
        rest.extend([rest[0], rest[0] + Vec3::X * length]);
        let mut start = case.positions(state);
        start.extend_from_slice(&rest[count..]);
        let mut velocities = vec![Vec3::ZERO; start.len()];
        velocities[count + 1] = Vec3::Y * (2.0 * length / TIME_STEP);
        let masses = stiffness.iter().map(|&own| mass(own)).chain([1.0, 1.0]);
        let masses = (0..).zip(masses).map(|(v, mass)| (v, v, mass)).collect();
        let [anchor, bob] = [count as u32, count as u32 + 1];
        let string = SpringStiffness::Uniform(stiff / (TIME_STEP * TIME_STEP));
        let pendulum = EdgeSprings::new(vec![[anchor, bob]], string).build(&rest)?;
        let body = Body::new(rest, masses).with_positions(start.clone()).with_energy(pendulum).pin([anchor]);
        let body = batches.into_iter().fold(body, Body::with_energy);
        let solver = ProjectiveParams { precision, start: Start::Previous, ..ProjectiveParams::plain(ITERATIONS) };
        let builder = Simulation::builder().body(body).solver(solver).time_step(TIME_STEP).gravity(Vec3::ZERO);
        let simulation = builder.threads(1).build()?;
        Ok(Self { simulation, name: case.name(), start, velocities, local: Vec::new(), one_by_one: 0 })
    }

    fn step(&mut self) -> Result<(), BenchError> {
        self.simulation.set_state(&self.start, &self.velocities)?;
        let report = self.simulation.step()?.solve;
        if report.movement < GOES_ON_IN_F64 {
            return Err(BenchError::CameToRest { name: self.name.clone(), movement: report.movement });
        }
        // One evaluation for each iteration: after the last nobody asks for forces.
        self.local.push(report.seconds_local / report.iterations as f64);
        self.one_by_one = report.one_by_one;
        Ok(())
    }
}

/// Measures energies whose key begins with one of these; all if there are none.
pub fn measure(only: &[String], effort: Effort) -> Result<EnergyResults, BenchError> {
    let (processor, load) = (machine::processor(), machine::load());
    let wanted = |key: &str| only.is_empty() || only.iter().any(|prefix| key.starts_with(prefix.as_str()));
    let keys = LIST.iter().map(|info| info.key);
    if let Some(unknown) = only.iter().find(|prefix| !keys.clone().any(|key| key.starts_with(prefix.as_str()))) {
        let known = keys.collect::<Vec<_>>().join(", ");
        return Err(BenchError::NoSuchEnergy { name: unknown.clone(), known });
    }
    let Cases { cases, missing } = cases(LIST, ELEMENTS)?;
    let mut energies = Vec::new();
    for case in cases.iter().filter(|case| wanted(case.key)) {
        eprintln!("{}", case.name());
        energies.push(measure_case(case, effort)?);
    }
    for key in missing.into_iter().filter(|key| wanted(key)) {
        energies.push(EnergyRow { name: key.to_owned(), elements: 0, one_by_one: 0, states: None });
    }
    #[cfg(feature = "reference")]
    let compiler = Some(COMPILER.to_owned());
    #[cfg(not(feature = "reference"))]
    let compiler = None;
    Ok(EnergyResults { processor, load, compiler, energies })
}

/// Measures one energy in both states.
pub fn measure_case(case: &Case, effort: Effort) -> Result<EnergyRow, BenchError> {
    let kinds = State::ALL.map(|state| [Precision::Single, Precision::Double].map(|precision| (state, precision)));
    let mut worlds = Vec::new();
    for (state, precision) in kinds.into_iter().flatten() {
        worlds.push(World::new(case, state, precision)?);
    }
    let batches = case.batches()?;
    let failure: RefCell<Option<BenchError>> = RefCell::new(None);
    #[cfg(feature = "reference")]
    let mut loops = [(); 2].map(|()| State::ALL.map(|state| EigenProjection::new(&batches, &case.positions(state))));
    let mut contenders: Vec<Contender<'_>> = Vec::new();
    #[cfg(feature = "reference")]
    for (call, own) in [EigenProjection::project, EigenProjection::local_step].iter().zip(&mut loops) {
        contenders.extend(
            own.iter_mut()
                .flatten()
                .map(|own| Contender::new("C++", move |sampler| sampler.repeat(&mut *own, |_| (), call))),
        );
    }
    let references = contenders.len();
    contenders.extend(worlds.iter_mut().map(|world| Contender::calling("Pliant", world, &failure, World::step)));
    let timings = take_turns(&mut contenders, effort);
    drop(contenders);
    if let Some(error) = failure.into_inner() {
        return Err(error);
    }
    let ours: Vec<Option<Timing>> = worlds.iter().map(|world| Timing::of(world.local.clone())).collect();
    let state = |k: usize| {
        let reference = |at: usize| timings[..references].get(at).copied().flatten();
        let (single, double) = (ours[2 * k]?, ours[2 * k + 1]?);
        Some(StateTimings { single, double, reference: reference(k), reference_step: reference(2 + k) })
    };
    Ok(EnergyRow {
        name: case.name(),
        elements: batches.first().map_or(0, |batch| batch.operator().len()),
        one_by_one: worlds.iter().map(|world| world.one_by_one).max().unwrap_or(0),
        states: state(0).zip(state(1)).map(|(mild, strong)| [mild, strong]),
    })
}

/// Nanoseconds per element, and how many times faster than C++, each deformed mildly and strongly.
pub fn table(results: &EnergyResults) -> Table {
    let columns = [
        "energy",
        "elements",
        "Pliant f32 [ns]",
        "Pliant f64 [ns]",
        "C++ projection [ns]",
        "× f32",
        "× f64",
        "C++ local step [ns]",
        "one by one",
    ];
    let mut table = Table::new(columns);
    for row in &results.energies {
        let Some(states) = row.states else {
            let mut cells = vec![row.name.clone(), "not measured".to_owned()];
            cells.resize(columns.len(), "–".to_owned());
            table.row(cells);
            continue;
        };
        let each = |time: Timing| 1e6 * time.min / row.elements as f64;
        let both = |number: &dyn Fn(&StateTimings) -> Option<f64>| {
            let cells = states.each_ref().map(number);
            match cells {
                [Some(mild), Some(strong)] => format!("{} / {}", three_digits(mild), three_digits(strong)),
                _ => "–".to_owned(),
            }
        };
        table.row(vec![
            row.name.clone(),
            row.elements.to_string(),
            both(&|state| Some(each(state.single))),
            both(&|state| Some(each(state.double))),
            both(&|state| state.reference.map(each)),
            both(&|state| Some(state.reference?.min / state.single.min)),
            both(&|state| Some(state.reference?.min / state.double.min)),
            both(&|state| state.reference_step.map(each)),
            row.one_by_one.to_string(),
        ]);
    }
    table
}

/// What is measured, in a paragraph.
pub fn description(results: &EnergyResults) -> String {
    let load = results.load.map_or_else(|| "unknown".to_owned(), |load| format!("{load:.1}"));
    let compiler = results.compiler.as_ref().map_or_else(String::new, |compiler| format!(" ({compiler})"));
    format!(
        "Every energy of the engine on one thread of {}, nanoseconds per element, each deformed mildly (a few percent) / strongly (tens of percent, some tets inverted); minimum times, load by other programs when it began {load}. Pliant's time is that of the whole local step, a tenth of ten plain \
         iterations: gathering positions, A x, projection, forces, their sums at the vertices and inertia. The loops in C++ over Eigen{compiler}, in f64, do less: \
         `C++ projection` computes the projection from a given A x, and no force; loops that alternate between rotations and weights of examples start from the weights of the same positions, while those of Pliant follow moving vertices. × is how many times faster Pliant's whole local step is \
         than that projection alone, so it is below 1 if there is almost nothing to project. `C++ local step` adds A x and the sum of w Aᵀ p \
         at the vertices, in a straightforward implementation. `one by one` counts elements of energies that have no kernel; the time of a kernel includes single elements that need their own decomposition. A rigid set is in f64 in both columns.",
        results.processor
    )
}
