//! Pliant as a contender. The one file here that knows how the engine's solver is called and configured: when that gains a
//! precision or another number of threads, add a line to [`variants`].

use pliant::energy::{EdgeSprings, SpringStiffness, StrainSet, TetStrain};
use pliant::math::Vec3;
use pliant::solve::ProjectiveParams;
use pliant::sparse::{Analysis, Cholesky};
use pliant::{Body, Simulation, SimulationBuilder};

use crate::BenchError;
use crate::problem::{Elements, GRAVITY, ITERATIONS, Problem, System, TIME_STEP, YOUNGS_MODULUS};
use crate::timing::{Sampler, seconds};

/// A way to run the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// What it is called in tables.
    pub name: String,
    /// Threads it runs on.
    pub threads: usize,
    /// How far its results may differ from those of a solve in double precision, as a number of decimal digits that agree.
    pub digits: u32,
}

/// All ways in which the engine is measured.
pub fn variants() -> Vec<Variant> {
    let variant = |threads: usize| {
        let name = format!("Pliant f64, {threads} thread{}", if threads == 1 { "" } else { "s" });
        Variant { name, threads, digits: 9 }
    };
    vec![variant(1), variant(2)]
}

/// What a setup consists of, in the order of the times that come with a factor.
pub const SETUP_PHASES: [&str; 2] = ["order and analyse", "factor"];

/// A factored matrix on a pool of threads.
pub struct Factor {
    cholesky: Cholesky,
    pool: rayon::ThreadPool,
}

impl std::fmt::Debug for Factor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.cholesky.fmt(f)
    }
}

impl Factor {
    /// Orders, analyses and factors; also the seconds that each of [`SETUP_PHASES`] took.
    pub fn new(system: &System, variant: &Variant) -> Result<(Self, Vec<f64>), BenchError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(variant.threads).build()?;
        let (analysing, analysis) = seconds(|| pool.install(|| Analysis::new(system.matrix.pattern())));
        let analysis = analysis?;
        let (factoring, cholesky) = seconds(|| pool.install(|| Cholesky::new(&analysis, &system.matrix)));
        Ok((Self { cholesky: cholesky?, pool }, vec![analysing, factoring]))
    }

    /// Hands the factor to work on the pool's threads, where a simulation would use it.
    pub fn on_pool<R: Send>(&mut self, work: impl FnOnce(&mut Cholesky) -> R + Send) -> R {
        let Self { cholesky, pool } = self;
        pool.install(|| work(cholesky))
    }

    /// Solves in place.
    pub fn solve(&mut self, x: &mut [Vec3]) {
        self.on_pool(|cholesky| cholesky.solve(x));
    }

    /// Times solves for the same right-hand side, staying on the pool from one to the next.
    pub fn sample(&mut self, sampler: &mut Sampler, rhs: &[Vec3], x: &mut [Vec3]) {
        self.on_pool(|cholesky| sampler.repeat(x, |x| x.copy_from_slice(rhs), |x| cholesky.solve(x)));
    }

    /// Memory that a sweep of the solve reads, where the engine tells.
    pub fn bytes(&self) -> Option<u64> {
        None
    }
}

/// A simulation of a problem by plain local/global iterations.
pub fn simulation(problem: &Problem, variant: &Variant) -> Result<Simulation, BenchError> {
    let solver = ProjectiveParams::plain(ITERATIONS);
    Ok(builder(problem)?.solver(solver).threads(variant.threads).build()?)
}

/// The world of a problem, its solver still to be chosen.
pub fn builder(problem: &Problem) -> Result<SimulationBuilder, BenchError> {
    let masses = (0..).zip(&problem.masses).map(|(v, &mass)| (v, v, mass)).collect();
    let energy = match &problem.elements {
        Elements::Springs { edges, stiffness, .. } => {
            EdgeSprings::new(edges.clone(), SpringStiffness::Uniform(*stiffness)).build(&problem.rest)?
        }
        Elements::Tets { tets, .. } => {
            let set = StrainSet::Rotation;
            TetStrain { tets: tets.clone(), stiffness: YOUNGS_MODULUS, set }.build(&problem.rest)?
        }
    };
    let body = Body::new(problem.rest.clone(), masses).with_energy(energy).pin(problem.pinned.iter().copied());
    Ok(Simulation::builder().body(body).time_step(TIME_STEP).gravity(Vec3::new(0.0, GRAVITY, 0.0)))
}
