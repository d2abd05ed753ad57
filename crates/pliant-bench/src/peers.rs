//! Pliant beside the solvers that others use, on the same problems, taking turns.

use std::cell::RefCell;

use pliant::Simulation;
use pliant::math::{Vec3, diagonal};

#[cfg(feature = "reference")]
use crate::loops::{LoopBody, LoopRule};
use crate::machine::Machine;
use crate::ours::{self, Variant};
#[cfg(feature = "reference")]
use crate::problem::ITERATIONS;
use crate::problem::{Problem, System};
#[cfg(feature = "reference")]
use crate::reference::{self, Decompositions, Library, PbdBody};
use crate::results::{MethodResults, ProblemResults};
use crate::table::{Table, or_dash, three_digits};
use crate::timing::{Contender, Effort, Timing, take_turns};
use crate::{BenchError, results};

/// Frames after which positions are compared, before anything is timed.
const FRAMES_COMPARED: usize = 3;
/// A setup that takes longer is measured once \[s\].
const LONG_SETUP: f64 = 2.0;
/// Setups are measured less often than solves: they take longer, and happen once.
const SETUP_ROUNDS: usize = 3;

/// Something that factors and solves.
#[derive(Debug, Clone, PartialEq)]
enum Method {
    #[cfg(feature = "reference")]
    Reference(Library),
    Ours(Variant),
}

/// All methods, the one that others are compared with first.
fn methods() -> Vec<Method> {
    let ours = ours::variants().into_iter().map(Method::Ours);
    #[cfg(feature = "reference")]
    let ours = Library::ALL.into_iter().map(Method::Reference).chain(ours);
    ours.collect()
}

/// A factor with what its solves read and write.
enum Factor {
    #[cfg(feature = "reference")]
    Reference {
        factor: reference::Factor,
        rhs: Vec<f64>,
        x: Vec<f64>,
    },
    Ours {
        factor: Box<ours::Factor>,
        rhs: Vec<Vec3>,
        x: Vec<Vec3>,
    },
}

impl Method {
    fn name(&self) -> String {
        match self {
            #[cfg(feature = "reference")]
            Self::Reference(library) => library.name().to_owned(),
            Self::Ours(variant) => variant.name.clone(),
        }
    }

    fn setup_phases(&self) -> &'static [&'static str] {
        match self {
            #[cfg(feature = "reference")]
            Self::Reference(_) => &reference::SETUP_PHASES,
            Self::Ours(_) => &ours::SETUP_PHASES,
        }
    }

    fn factor(&self, system: &System) -> Result<(Factor, Vec<f64>), BenchError> {
        let rhs = system.right_hand_side();
        match self {
            #[cfg(feature = "reference")]
            Self::Reference(library) => {
                let (factor, seconds) = reference::Factor::new(system, *library)?;
                let rhs = reference::to_columns(&rhs);
                Ok((Factor::Reference { factor, x: rhs.clone(), rhs }, seconds))
            }
            Self::Ours(variant) => {
                let (factor, seconds) = ours::Factor::new(system, variant)?;
                Ok((Factor::Ours { factor: Box::new(factor), x: rhs.clone(), rhs }, seconds))
            }
        }
    }
}

impl Factor {
    fn solution(&mut self) -> Vec<Vec3> {
        match self {
            #[cfg(feature = "reference")]
            Self::Reference { factor, rhs, x } => {
                factor.solve(rhs, x);
                reference::from_columns(x)
            }
            Self::Ours { factor, rhs, x } => {
                x.copy_from_slice(rhs);
                factor.solve(x);
                x.clone()
            }
        }
    }

    fn bytes(&self) -> Option<u64> {
        match self {
            #[cfg(feature = "reference")]
            Self::Reference { factor, .. } => Some(factor.bytes()),
            Self::Ours { factor, .. } => factor.bytes(),
        }
    }

    fn contender(&mut self, name: String) -> Contender<'_> {
        match self {
            #[cfg(feature = "reference")]
            Self::Reference { factor, rhs, x } => Contender::new(name, move |sampler| {
                sampler.repeat(&mut *x, |_| (), |x| factor.solve_only(rhs, x));
            }),
            Self::Ours { factor, rhs, x } => Contender::new(name, move |sampler| factor.sample(sampler, rhs, x)),
        }
    }
}

/// Measures all methods on a problem.
pub fn measure(problem: &Problem, effort: Effort) -> Result<ProblemResults, BenchError> {
    let system = problem.system();
    let methods = methods();
    let mut results: Vec<MethodResults> =
        methods.iter().map(|method| MethodResults { name: method.name(), ..MethodResults::default() }).collect();
    let factors = measure_setups(&methods, &system, effort, &mut results)?;
    let factors = measure_solves(factors, effort, &mut results);
    let sweep = measure_frames(problem, &system, &methods, factors, effort, &mut results)?;
    results.extend(sweep);
    Ok(ProblemResults {
        name: problem.name.clone(),
        vertices: problem.rest.len(),
        elements: problem.element_count(),
        element_kind: problem.element_kind().to_owned(),
        matrix_entries: system.matrix.pattern().entry_count(),
        methods: results,
    })
}

fn measure_setups(
    methods: &[Method],
    system: &System,
    effort: Effort,
    results: &mut [MethodResults],
) -> Result<Vec<Factor>, BenchError> {
    let mut factors: Vec<Option<Factor>> = methods.iter().map(|_| None).collect();
    let mut phases: Vec<Vec<Vec<f64>>> = vec![Vec::new(); methods.len()];
    for _ in 0..effort.rounds.min(SETUP_ROUNDS) {
        for (k, method) in methods.iter().enumerate() {
            if phases[k].iter().flatten().sum::<f64>() > LONG_SETUP {
                continue;
            }
            // Two factors of the largest problems at once would need gigabytes.
            factors[k] = None;
            let (factor, seconds) = method.factor(system)?;
            factors[k] = Some(factor);
            phases[k].push(seconds);
        }
    }
    for ((method, phases), result) in methods.iter().zip(&phases).zip(results) {
        result.setup = Timing::of(phases.iter().map(|seconds| seconds.iter().sum()).collect());
        let least = |k: usize| phases.iter().fold(f64::INFINITY, |least, seconds| least.min(seconds[k]));
        let names = method.setup_phases().iter().enumerate();
        result.setup_phases = names.map(|(k, name)| ((*name).to_owned(), 1e3 * least(k))).collect();
    }
    Ok(factors.into_iter().flatten().collect())
}

fn measure_solves(mut factors: Vec<Factor>, effort: Effort, results: &mut [MethodResults]) -> Vec<Factor> {
    let mut first: Option<Vec<Vec3>> = None;
    for (factor, result) in factors.iter_mut().zip(results.iter_mut()) {
        let x = factor.solution();
        let reference = first.get_or_insert_with(|| x.clone());
        let size = reference.iter().fold(0.0_f64, |most, v| most.max(v.abs().max_element()));
        result.solve_difference = Some(largest_difference(reference, &x) / size);
        result.factor_bytes = factor.bytes();
    }
    let names: Vec<String> = results.iter().map(|result| result.name.clone()).collect();
    let mut contenders: Vec<Contender<'_>> =
        factors.iter_mut().zip(names).map(|(factor, name)| factor.contender(name)).collect();
    let timings = take_turns(&mut contenders, effort);
    drop(contenders);
    results.iter_mut().zip(timings).for_each(|(result, timing)| result.solve = timing);
    factors
}

/// A body in motion.
enum Body<'a> {
    #[cfg(feature = "reference")]
    Reference(reference::Body<'a>),
    Ours {
        simulation: Box<Simulation>,
        /// Seconds of an iteration in each frame.
        iterations: Vec<f64>,
        lifetime: std::marker::PhantomData<&'a ()>,
    },
}

impl Body<'_> {
    fn frame(&mut self) -> Result<(), BenchError> {
        match self {
            #[cfg(feature = "reference")]
            Self::Reference(body) => body.frame(),
            Self::Ours { simulation, iterations, .. } => {
                let report = simulation.step()?.solve;
                iterations.push((report.seconds_local + report.seconds_global) / report.iterations as f64);
            }
        }
        Ok(())
    }

    fn positions(&self) -> Vec<Vec3> {
        match self {
            #[cfg(feature = "reference")]
            Self::Reference(body) => body.positions(),
            Self::Ours { simulation, .. } => simulation.positions().to_vec(),
        }
    }

    /// Local and global step, without what goes before and after all iterations. A reference does not tell them apart: there it
    /// is a part of the frame.
    fn iteration(&self, frame: Option<Timing>) -> Option<Timing> {
        match self {
            #[cfg(feature = "reference")]
            Self::Reference(_) => frame.map(|t| t.scaled(1.0 / ITERATIONS as f64)),
            Self::Ours { iterations, .. } => Timing::of(iterations.clone()).filter(|_| frame.is_some()),
        }
    }
}

/// Frames of those that simulate, and beside them a sweep of position-based dynamics, which is returned.
/// Factors of the methods that simulate by themselves are no longer needed, and dropped to make room.
#[cfg_attr(not(feature = "reference"), allow(unused_variables))]
fn measure_frames(
    problem: &Problem,
    system: &System,
    methods: &[Method],
    factors: Vec<Factor>,
    effort: Effort,
    results: &mut [MethodResults],
) -> Result<Option<MethodResults>, BenchError> {
    #[cfg(feature = "reference")]
    let eigen = factors.into_iter().find_map(|factor| match factor {
        Factor::Reference { factor, .. } => Some(factor),
        Factor::Ours { .. } => None,
    });
    #[cfg(not(feature = "reference"))]
    drop(factors);

    let mut bodies: Vec<(usize, Body<'_>)> = Vec::new();
    for (k, method) in methods.iter().enumerate() {
        match method {
            #[cfg(feature = "reference")]
            Method::Reference(Library::Eigen) => {
                if let Some(eigen) = &eigen {
                    let body = reference::Body::new(problem, system, eigen, Decompositions::Shared);
                    bodies.push((k, Body::Reference(body)));
                }
            }
            // CHOLMOD is measured as a solver only.
            #[cfg(feature = "reference")]
            Method::Reference(_) => {}
            Method::Ours(variant) => {
                let simulation = Box::new(ours::simulation(problem, variant)?);
                let (iterations, lifetime) = (Vec::new(), std::marker::PhantomData);
                bodies.push((k, Body::Ours { simulation, iterations, lifetime }));
            }
        }
    }
    let mut first: Option<Vec<Vec3>> = None;
    for (k, body) in &mut bodies {
        (0..FRAMES_COMPARED).try_for_each(|_| body.frame())?;
        let x = body.positions();
        let reference = first.get_or_insert_with(|| x.clone());
        results[*k].frame_difference = Some(largest_difference(reference, &x) / diagonal(&problem.rest));
    }

    #[cfg(feature = "reference")]
    let mut sweep = LoopBody::of_springs(problem).map(|body| PbdBody::<f32>::new(&body, LoopRule::Classic));
    #[cfg(feature = "reference")]
    let mut two_decompositions = eigen
        .as_ref()
        .filter(|_| problem.resists_volume())
        .map(|eigen| reference::Body::new(problem, system, eigen, Decompositions::ForEach));
    let failure: RefCell<Option<BenchError>> = RefCell::new(None);
    let mut contenders: Vec<Contender<'_>> = Vec::new();
    for (k, body) in &mut bodies {
        contenders.push(Contender::calling(results[*k].name.clone(), body, &failure, Body::frame));
    }
    let methods_timed = contenders.len();
    #[cfg(feature = "reference")]
    if let Some(body) = &mut two_decompositions {
        contenders.push(Contender::new("Eigen, an SVD for each energy", |sampler| {
            sampler.repeat(body, |_| (), reference::Body::frame);
        }));
    }
    #[cfg(feature = "reference")]
    if let Some(springs) = &mut sweep {
        contenders.push(Contender::new("PBD sweep in C++, f32", |sampler| {
            sampler.repeat(springs, PbdBody::reset, PbdBody::iterate);
        }));
    }
    let timings = take_turns(&mut contenders, effort);
    // What is not one of the methods is a sweep: an iteration, and no frame; or frames of a reference of another make.
    let sweep_results = contenders.iter().zip(&timings).nth(methods_timed).map(|(contender, &timing)| {
        let (iteration, frame) = if problem.resists_volume() { (None, timing) } else { (timing, None) };
        MethodResults { name: contender.name.clone(), iteration, frame, ..MethodResults::default() }
    });
    drop(contenders);
    if let Some(error) = failure.into_inner() {
        return Err(error);
    }
    for ((k, body), timing) in bodies.iter().zip(timings) {
        results[*k].frame = timing;
        results[*k].iteration = body.iteration(timing);
    }
    Ok(sweep_results)
}

/// Largest distance between points of two lists.
pub fn largest_difference(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max(a.distance(*b)))
}

/// Number of threads of a method of ours; one for all others.
fn threads_of(name: &str) -> usize {
    ours::variants().iter().find(|variant| variant.name == name).map_or(1, |variant| variant.threads)
}

/// Times of the methods on a problem and their ratios, for a terminal or a page.
pub fn table(results: &ProblemResults, machine: &Machine) -> Table {
    let mut table = Table::new([
        "method",
        "setup",
        "solve",
        "×",
        "iteration",
        "frame",
        "×",
        "median solve",
        "median frame",
        "B/vertex",
        "GB/s",
        "of read",
        "Δ solve",
        "Δ frame",
    ]);
    let ratio = |what: fn(&MethodResults) -> Option<Timing>, method: &MethodResults| {
        Some(results.baseline(what)?.min / what(method)?.min)
    };
    for method in &results.methods {
        let min = |timing: Option<Timing>| or_dash(timing.map(|t| t.min));
        let bandwidth = method.bandwidth();
        let limit = method.factor_bytes.and_then(|bytes| machine.bandwidth_at(bytes, threads_of(&method.name)));
        let share = bandwidth.zip(limit).map(|(reached, limit)| format!("{:.0} %", 100.0 * reached / limit));
        table.row(vec![
            method.name.clone(),
            min(method.setup),
            min(method.solve),
            or_dash(ratio(|m| m.solve, method)),
            min(method.iteration),
            min(method.frame),
            or_dash(ratio(|m| m.frame, method)),
            or_dash(method.solve.map(|t| t.median)),
            or_dash(method.frame.map(|t| t.median)),
            or_dash(method.factor_bytes.map(|bytes| bytes as f64 / results.vertices as f64)),
            or_dash(bandwidth),
            share.unwrap_or_else(|| "–".to_owned()),
            method.solve_difference.map_or_else(|| "–".to_owned(), |d| format!("{d:.0e}")),
            method.frame_difference.map_or_else(|| "–".to_owned(), |d| format!("{d:.0e}")),
        ]);
    }
    table
}

/// One line for each method on the phases of its setup.
pub fn setup_lines(results: &ProblemResults) -> Vec<String> {
    let timed = results.methods.iter().filter_map(|method| method.setup.map(|setup| (method, setup)));
    timed
        .map(|(method, setup)| {
            let phases: Vec<String> =
                method.setup_phases.iter().map(|(name, ms)| format!("{name} {}", three_digits(*ms))).collect();
            let times = if setup.samples == 1 { "once".to_owned() } else { format!("{} times", setup.samples) };
            format!("{}: {} ms, measured {times}", method.name, phases.join(" + "))
        })
        .collect()
}

/// What is printed above the tables: where and how it was measured.
pub fn preamble(results: &results::Results) -> Vec<String> {
    let machine = &results.machine;
    let reference = machine.reference.as_deref().unwrap_or("none (build with --features reference)");
    let load = machine.load.map_or_else(|| "unknown".to_owned(), |load| format!("{load:.1}"));
    let mut lines = vec![
        format!("processor: {}, {} threads", machine.processor, machine.threads),
        format!(
            "load by other programs when it began: {load} (near 0 on an idle machine; load affects medians first, then minima)"
        ),
        format!("transparent huge pages: {}", machine.huge_pages),
        format!("C++ references: {reference}"),
        format!("Pliant {}, at least {} rounds of turns after one warm-up round", machine.version, results.rounds),
    ];
    let bandwidth: Vec<String> = machine
        .read_bandwidth
        .iter()
        .map(|b| format!("{} MiB {:.0} / {:.0}", b.bytes >> 20, b.one_thread, b.two_threads))
        .collect();
    lines.push(format!("reading memory on 1 / 2 threads [GB/s]: {}", bandwidth.join(", ")));
    lines
}
