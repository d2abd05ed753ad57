//! Pliant as a contender. The one file here that knows how the engine's solver is called and configured: when that gains a
//! precision or another number of threads, add a line to [`variants`].

use pliant::energy::{EdgeSprings, SpringStiffness, StrainSet, TetStrain, TetVolume};
use pliant::math::Vec3;
use pliant::solve::ProjectiveParams;
use pliant::sparse::{Analysis, Cholesky, PackedFactor, Precision};
use pliant::{Body, Simulation, SimulationBuilder};

use crate::BenchError;
use crate::problem::{Elements, GRAVITY, ITERATIONS, Problem, System, TIME_STEP, stiffness};
use crate::timing::{Sampler, seconds};

/// A way to run the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// What it is called in tables.
    pub name: String,
    /// Threads it runs on.
    pub threads: usize,
    /// Numbers of the factor.
    pub precision: Precision,
    /// How far its results may differ from those of a solve in double precision, as a number of decimal digits that agree.
    pub digits: u32,
}

/// All ways in which the engine is measured.
pub fn variants() -> Vec<Variant> {
    let variant = |precision: Precision, threads: usize| {
        let (numbers, digits) = match precision {
            Precision::Single => ("f32", 4),
            Precision::Double => ("f64", 9),
        };
        let name = format!("Pliant {numbers}, {threads} thread{}", if threads == 1 { "" } else { "s" });
        Variant { name, threads, precision, digits }
    };
    [Precision::Single, Precision::Double].into_iter().flat_map(|p| [variant(p, 1), variant(p, 2)]).collect()
}

/// What a setup consists of, in the order of the times that come with a factor.
pub const SETUP_PHASES: [&str; 3] = ["order and analyse", "factor", "pack"];

/// A factored matrix on a pool of threads.
pub struct Factor {
    packed: PackedFactor,
    pool: rayon::ThreadPool,
}

impl std::fmt::Debug for Factor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.packed.fmt(f)
    }
}

impl Factor {
    /// Orders, analyses and factors; also the seconds that each of [`SETUP_PHASES`] took.
    pub fn new(system: &System, variant: &Variant) -> Result<(Self, Vec<f64>), BenchError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(variant.threads).build()?;
        let (analysing, analysis) =
            seconds(|| pool.install(|| Analysis::with_positions(system.matrix.pattern(), &system.positions)));
        let analysis = analysis?;
        let (factoring, cholesky) = seconds(|| pool.install(|| Cholesky::new(&analysis, &system.matrix)));
        let cholesky = cholesky?;
        let (packing, packed) = seconds(|| pool.install(|| PackedFactor::new(&cholesky, variant.precision)));
        Ok((Self { packed, pool }, vec![analysing, factoring, packing]))
    }

    /// Hands the factor to work on the pool's threads, where a simulation would use it.
    pub fn on_pool<R: Send>(&mut self, work: impl FnOnce(&mut PackedFactor) -> R + Send) -> R {
        let Self { packed, pool } = self;
        pool.install(|| work(packed))
    }

    /// Solves in place.
    pub fn solve(&mut self, x: &mut [Vec3]) {
        self.on_pool(|factor| factor.solve(x));
    }

    /// Times solves for the same right-hand side, staying on the pool from one to the next.
    pub fn sample(&mut self, sampler: &mut Sampler, rhs: &[Vec3], x: &mut [Vec3]) {
        self.on_pool(|factor| sampler.repeat(x, |x| x.copy_from_slice(rhs), |x| factor.solve(x)));
    }

    /// Memory that a sweep of the solve reads.
    pub fn bytes(&self) -> Option<u64> {
        Some(self.packed.bytes() as u64)
    }
}

/// A simulation of a problem by plain local/global iterations.
pub fn simulation(problem: &Problem, variant: &Variant) -> Result<Simulation, BenchError> {
    let solver = ProjectiveParams { precision: variant.precision, ..ProjectiveParams::plain(ITERATIONS) };
    Ok(builder(problem)?.solver(solver).threads(variant.threads).build()?)
}

/// The world of a problem, its solver still to be chosen.
pub fn builder(problem: &Problem) -> Result<SimulationBuilder, BenchError> {
    let masses = (0..).zip(&problem.masses).map(|(v, &mass)| (v, v, mass)).collect();
    let mut body = Body::new(problem.rest.clone(), masses).pin(problem.pinned.iter().copied());
    match &problem.elements {
        Elements::Springs { edges, stiffness, .. } => {
            let springs = EdgeSprings::new(edges.clone(), SpringStiffness::Uniform(*stiffness));
            body = body.with_energy(springs.build(&problem.rest)?);
        }
        Elements::Tets { tets, poisson_ratio, .. } => {
            let (set, [strain, volume]) = (StrainSet::Rotation, stiffness(*poisson_ratio));
            let strain = TetStrain { tets: tets.clone(), stiffness: strain, set };
            body = body.with_energy(strain.build(&problem.rest)?);
            if volume > 0.0 {
                let volume = TetVolume { tets: tets.clone(), stiffness: volume, bounds: [1.0, 1.0] };
                body = body.with_energy(volume.build(&problem.rest)?);
            }
        }
    }
    Ok(Simulation::builder().body(body).time_step(TIME_STEP).gravity(Vec3::new(0.0, GRAVITY, 0.0)))
}
