//! What a rank-one update of a factor costs beside making the factor anew.
//!
//! Vectors are those of elements that break: a spring, or one row of a tet's deformation gradient, spread over the body. Each is
//! taken away and given back in turn, so that the factor stays that of the body.

use pliant::sparse::{Analysis, Cholesky, PackedFactor, Precision, Touched, Update};
use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::problem::{Elements, Problem, System};
use crate::table::{Table, three_digits};
use crate::timing::{Contender, Effort, Sampler, Timing, take_turns};

/// What was found on one problem with one kind of numbers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UpdateResults {
    /// Name of the problem.
    pub problem: String,
    /// Numbers of the packed factor.
    pub numbers: String,
    /// Numeric factorisation, then packing.
    pub refactorisation: Option<Timing>,
    /// One change of the factor, half of them downdates, then of the packed factor.
    pub update: Option<Timing>,
    /// The same with touched nodes packed anew from the factor.
    pub update_refilled: Option<Timing>,
    /// One change of the factor alone.
    pub update_alone: Option<Timing>,
    /// Columns that a change goes through, on average.
    pub columns: f64,
    /// Numbers of L that it changes, on average.
    pub entries: f64,
}

impl UpdateResults {
    /// How many updates take as long as a refactorisation, by the medians.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.refactorisation?.median / self.update?.median)
    }
}

/// Elements whose vectors are taken.
const VECTORS: usize = 64;

/// Vectors of elements spread over a body, over its free vertices.
fn vectors(problem: &Problem, system: &System) -> Vec<Vec<(u32, f64)>> {
    let spread = |count: usize| (0..VECTORS).map(move |k| (2 * k + 1) * count / (2 * VECTORS));
    let free = |v: u32, value: f64| system.free_index[v as usize].map(|v| (v, value));
    match &problem.elements {
        Elements::Springs { edges, stiffness, .. } => {
            let root = stiffness.sqrt();
            let vector = |[a, b]: [u32; 2]| [free(a, root), free(b, -root)].into_iter().flatten().collect();
            spread(edges.len()).map(|k| vector(edges[k])).collect()
        }
        Elements::Tets { tets, gradients, weights } => {
            let vector = |(row, k): (usize, usize)| {
                let corners = tets[k].into_iter().zip(gradients[k]);
                corners.filter_map(|(v, gradient)| free(v, weights[k].sqrt() * gradient[row % 3])).collect()
            };
            spread(tets.len()).enumerate().map(vector).collect()
        }
    }
}

/// A factor that elements leave and come back to.
struct Changing {
    factor: Cholesky,
    packed: PackedFactor,
    next: usize,
}

impl Changing {
    /// Takes a term away, or gives it back; a term cannot be refused, since the masses are left.
    fn change(&mut self, vectors: &[Vec<(u32, f64)>]) -> Result<Touched, BenchError> {
        let update = if self.next.is_multiple_of(2) { Update::Remove } else { Update::Add };
        let vector = &vectors[self.next / 2 % vectors.len()];
        self.next += 1;
        Ok(self.factor.update(vector, update)?)
    }
}

/// Measures a problem.
pub fn measure(problem: &Problem, precision: Precision, effort: Effort) -> Result<UpdateResults, BenchError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| measure_here(problem, precision, effort))
}

fn measure_here(problem: &Problem, precision: Precision, effort: Effort) -> Result<UpdateResults, BenchError> {
    let system = problem.system();
    let vectors = vectors(problem, &system);
    let analysis = Analysis::with_positions(system.matrix.pattern(), &system.positions)?;
    let changing = || -> Result<Changing, BenchError> {
        let factor = Cholesky::new(&analysis, &system.matrix)?;
        let packed = PackedFactor::new(&factor, precision);
        Ok(Changing { factor, packed, next: 0 })
    };
    let (mut columns, mut entries) = (0, 0);
    let mut first = changing()?;
    for vector in &vectors {
        entries += first.factor.update_work(vector)?;
        columns += first.change(&vectors)?.columns();
        first.change(&vectors)?;
    }
    let (mut anew, mut refilled, mut alone) = (changing()?, changing()?, changing()?);
    let mut failure: [Option<BenchError>; 4] = Default::default();
    let [f0, f1, f2, f3] = &mut failure;
    let (system, analysis, vectors) = (&system, &analysis, &vectors[..]);
    let mut contenders = [
        Contender::new("refactorisation", |sampler: &mut Sampler| {
            sampler.repeat(
                &mut anew,
                |_| (),
                |changing| match Cholesky::new(analysis, &system.matrix) {
                    Ok(factor) => {
                        changing.packed.refill(&factor);
                        changing.factor = factor;
                    }
                    Err(error) => *f0 = Some(error.into()),
                },
            );
        }),
        Contender::new("update", |sampler: &mut Sampler| {
            sampler.repeat(
                &mut first,
                |_| (),
                |changing| match changing.change(vectors) {
                    Ok(touched) => drop(changing.packed.update(&changing.factor, &[touched])),
                    Err(error) => *f1 = Some(error),
                },
            );
        }),
        Contender::new("update, refilled", |sampler: &mut Sampler| {
            sampler.repeat(
                &mut refilled,
                |_| (),
                |changing| match changing.change(vectors) {
                    Ok(touched) => drop(changing.packed.refill_touched(&changing.factor, &[touched])),
                    Err(error) => *f2 = Some(error),
                },
            );
        }),
        Contender::new("update alone", |sampler: &mut Sampler| {
            sampler.repeat(
                &mut alone,
                |_| (),
                |changing| {
                    if let Err(error) = changing.change(vectors) {
                        *f3 = Some(error);
                    }
                },
            );
        }),
    ];
    let timings = take_turns(&mut contenders, effort);
    drop(contenders);
    if let Some(error) = failure.into_iter().flatten().next() {
        return Err(error);
    }
    Ok(UpdateResults {
        problem: problem.name.clone(),
        numbers: if precision == Precision::Single { "f32" } else { "f64" }.to_owned(),
        refactorisation: timings[0],
        update: timings[1],
        update_refilled: timings[2],
        update_alone: timings[3],
        columns: columns as f64 / vectors.len() as f64,
        entries: entries as f64 / vectors.len() as f64,
    })
}

/// Medians in microseconds, and how many updates take as long as a refactorisation.
pub fn table(results: &[UpdateResults]) -> Table {
    let heading =
        ["problem", "packed", "refactor", "update", "ratio", "refilled", "ratio", "alone", "columns", "entries"];
    let mut table = Table::new(heading);
    for found in results {
        let micros = |timing: Option<Timing>| timing.map_or_else(|| "–".to_owned(), |t| three_digits(1e3 * t.median));
        let ratio = |timing: Option<Timing>| match (found.refactorisation, timing) {
            (Some(anew), Some(timing)) => three_digits(anew.median / timing.median),
            _ => "–".to_owned(),
        };
        table.row(vec![
            found.problem.clone(),
            found.numbers.clone(),
            micros(found.refactorisation),
            micros(found.update),
            ratio(found.update),
            micros(found.update_refilled),
            ratio(found.update_refilled),
            micros(found.update_alone),
            three_digits(found.columns),
            three_digits(found.entries),
        ]);
    }
    table
}
