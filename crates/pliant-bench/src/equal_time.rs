//! Engines that solve by other methods, at about the same time per frame: how far from the truth do they come to rest?
//!
//! A cloth hangs from its upper edge, a bar from one end. The truth is the static equilibrium of the same energies, by Newton's
//! method. Each engine simulates the same springs or tets, stiffnesses, masses and pins.

use std::cell::RefCell;

use pliant::math::{Vec3, diagonal};
use pliant::mesh::generate::{Plane, Sheet};
use pliant::solve::{NewtonParams, ProjectiveParams, Start};
use pliant::{Simulation, StepError};

use crate::BenchError;
use crate::ours;
use crate::peers::largest_difference;
use crate::problem::{Elements, ITERATIONS, Problem};
use crate::results::{EngineResults, EqualTime};
use crate::timing::{Contender, Effort, Timing, take_turns};

/// Frames simulated until engines are taken to be at rest, and frames over which their state is then averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frames {
    /// To come to rest.
    pub settle: usize,
    /// To average over what still swings.
    pub average: usize,
}

impl Default for Frames {
    fn default() -> Self {
        Self { settle: 300, average: 60 }
    }
}

/// Threads that every engine gets.
const THREADS: usize = 2;
/// Static equilibrium is reached when a step moves no vertex by more than this fraction of the diagonal.
const AT_REST: f64 = 1e-8;
const MOST_STATIC_STEPS: usize = 200;

/// A body to hang, and what to measure of it.
#[derive(Debug)]
pub struct Hanging {
    problem: Problem,
    quantity: &'static str,
    measure: fn(&Problem, &[Vec3]) -> f64,
}

impl Hanging {
    /// A cloth of so many vertices along each side, pinned along its upper edge.
    pub fn cloth(vertices_along: usize) -> Result<Self, BenchError> {
        let mut problem = Problem::hanging_cloth(&format!("hanging cloth {vertices_along}"), vertices_along)?;
        let cells = vertices_along - 1;
        let sheet = Sheet { columns: cells, rows: cells, plane: Plane::Xy, ..Sheet::default() };
        problem.pinned = (0..vertices_along).map(|column| sheet.vertex(column, cells)).collect();
        let quantity = "mean stretch of the springs along the grid [%]";
        Ok(Self { problem, quantity, measure: mean_stretch })
    }

    /// A bar with these numbers of vertices across and along, pinned at one end.
    pub fn bar(vertices_across: usize, vertices_along: usize) -> Result<Self, BenchError> {
        let name = format!("hanging bar {vertices_across}×{vertices_across}×{vertices_along}");
        let problem = Problem::bar(&name, vertices_across, vertices_along)?;
        Ok(Self { problem, quantity: "sag of the free end [mm]", measure: tip_sag })
    }

    /// The body.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// What is measured, at some positions.
    pub fn value(&self, positions: &[Vec3]) -> f64 {
        (self.measure)(&self.problem, positions)
    }

    /// The static equilibrium.
    pub fn exact(&self) -> Result<f64, BenchError> {
        let solver = NewtonParams { start: Start::Previous, ..NewtonParams::default() };
        // Steps of a second: inertia hardly counts, and implicit Euler damps what is left of it.
        let mut simulation = ours::builder(&self.problem)?.solver(solver).time_step(1.0).build()?;
        let near = AT_REST * diagonal(&self.problem.rest);
        for _ in 0..MOST_STATIC_STEPS {
            let before = simulation.positions().to_vec();
            simulation.step()?;
            if largest_difference(&before, simulation.positions()) < near {
                break;
            }
        }
        Ok(self.value(simulation.positions()))
    }
}

fn mean_stretch(problem: &Problem, positions: &[Vec3]) -> f64 {
    let Elements::Springs { edges, structural, rest_lengths, .. } = &problem.elements else { return f64::NAN };
    let stretch =
        |(&[a, b], &rest): (&[u32; 2], &f64)| positions[a as usize].distance(positions[b as usize]) / rest - 1.0;
    100.0 * edges[..*structural].iter().zip(rest_lengths).map(stretch).sum::<f64>() / *structural as f64
}

fn tip_sag(problem: &Problem, positions: &[Vec3]) -> f64 {
    let far = problem.rest.iter().fold(f64::NEG_INFINITY, |far, p| far.max(p.x));
    let tip = problem.rest.iter().zip(positions).filter(|(rest, _)| rest.x > far - 1e-9);
    let (count, sum) = tip.fold((0.0, 0.0), |(count, sum), (rest, now)| (count + 1.0, sum + rest.y - now.y));
    1e3 * sum / count
}

/// An engine with a body in it.
enum Engine {
    Ours(Box<Simulation>),
    #[cfg(feature = "rapier")]
    Rapier(Box<crate::rapier::RapierBody>),
}

impl Engine {
    fn frame(&mut self) -> Result<(), StepError> {
        match self {
            Self::Ours(simulation) => simulation.step().map(drop),
            #[cfg(feature = "rapier")]
            Self::Rapier(body) => {
                body.frame();
                Ok(())
            }
        }
    }

    fn positions(&self) -> Vec<Vec3> {
        match self {
            Self::Ours(simulation) => simulation.positions().to_vec(),
            #[cfg(feature = "rapier")]
            Self::Rapier(body) => body.positions(),
        }
    }
}

/// How to set an engine up.
#[derive(Debug, Clone, PartialEq)]
enum Settings {
    Ours(ProjectiveParams),
    #[cfg(feature = "rapier")]
    Rapier {
        substeps: usize,
    },
}

impl Settings {
    fn name(&self) -> String {
        match self {
            Self::Ours(params) if *params == ProjectiveParams::plain(ITERATIONS) => {
                format!("Pliant, {} plain iterations", params.iterations)
            }
            Self::Ours(params) => format!("Pliant, {} accelerated iterations (default)", params.iterations),
            #[cfg(feature = "rapier")]
            Self::Rapier { substeps } => format!("rapier3d {}, {substeps} substeps", crate::rapier::VERSION),
        }
    }

    /// Whether this is what the engine does unless told otherwise.
    fn is_default(&self) -> bool {
        match self {
            Self::Ours(params) => *params == ProjectiveParams::default(),
            #[cfg(feature = "rapier")]
            Self::Rapier { substeps } => *substeps == crate::rapier::DEFAULT_SUBSTEPS,
        }
    }

    fn start(&self, problem: &Problem) -> Result<Engine, BenchError> {
        match self {
            Self::Ours(params) => {
                let simulation = ours::builder(problem)?.solver(params.clone()).threads(THREADS).build()?;
                Ok(Engine::Ours(Box::new(simulation)))
            }
            #[cfg(feature = "rapier")]
            Self::Rapier { substeps } => {
                Ok(Engine::Rapier(Box::new(crate::rapier::RapierBody::new(problem, *substeps, THREADS)?)))
            }
        }
    }
}

/// Compares the engines on a hanging body.
pub fn measure(hanging: &Hanging, frames: Frames, effort: Effort) -> Result<EqualTime, BenchError> {
    let exact = hanging.exact()?;
    let candidates = candidates();
    let timings = time_frames(&hanging.problem, &candidates, effort)?;
    let chosen = choose(&candidates, &timings);
    let mut engines = Vec::new();
    for k in chosen {
        let mut engine = candidates[k].start(&hanging.problem)?;
        (0..frames.settle).try_for_each(|_| engine.frame())?;
        let mut sum = 0.0;
        for _ in 0..frames.average {
            engine.frame()?;
            sum += hanging.value(&engine.positions());
        }
        let value = sum / frames.average as f64;
        engines.push(EngineResults { name: candidates[k].name(), frame: timings[k], value });
    }
    Ok(EqualTime {
        problem: hanging.problem.name.clone(),
        quantity: hanging.quantity.to_owned(),
        exact,
        frames: [frames.settle, frames.average],
        engines,
    })
}

fn time_frames(problem: &Problem, candidates: &[Settings], effort: Effort) -> Result<Vec<Timing>, BenchError> {
    let failure: RefCell<Option<StepError>> = RefCell::new(None);
    let started: Result<Vec<Engine>, BenchError> = candidates.iter().map(|settings| settings.start(problem)).collect();
    let mut engines = started?;
    let mut contenders: Vec<Contender<'_>> = Vec::new();
    for (engine, settings) in engines.iter_mut().zip(candidates) {
        contenders.push(Contender::calling(settings.name(), engine, &failure, Engine::frame));
    }
    let timings = take_turns(&mut contenders, effort);
    drop(contenders);
    match failure.into_inner() {
        Some(error) => Err(error.into()),
        None => Ok(timings.into_iter().flatten().collect()),
    }
}

/// Ours first, the plain iterations before all.
fn candidates() -> Vec<Settings> {
    let ours = [ProjectiveParams::plain(ITERATIONS), ProjectiveParams::default()].map(Settings::Ours);
    #[cfg(feature = "rapier")]
    let others = crate::rapier::SUBSTEPS.map(|substeps| Settings::Rapier { substeps });
    #[cfg(not(feature = "rapier"))]
    let others = [];
    ours.into_iter().chain(others).collect()
}

/// Ours, and of the others the settings whose time per frame is nearest to ours, and their defaults.
fn choose(candidates: &[Settings], timings: &[Timing]) -> Vec<usize> {
    let (ours, others): (Vec<usize>, Vec<usize>) =
        (0..candidates.len()).partition(|&k| matches!(candidates[k], Settings::Ours(_)));
    let off = |k: usize| (timings[k].min / timings[0].min).ln().abs();
    let nearest = others.iter().copied().min_by(|&a, &b| off(a).total_cmp(&off(b)));
    let default = others.iter().copied().find(|&k| candidates[k].is_default() && Some(k) != nearest);
    ours.into_iter().chain(nearest).chain(default).collect()
}
