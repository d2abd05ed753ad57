//! What a rank-one update of a factor costs beside making the factor anew.
//!
//! Vectors are those of elements that break: a spring, or one row of a tet's deformation gradient, spread over the body. Each is
//! taken away and given back in turn, so that the factor stays that of the body. A sample is the mean over all of them: paths differ in
//! length.

use std::cell::RefCell;

use pliant::sparse::{Analysis, Cholesky, PackedFactor, Precision, Repacked, Touched, Update};
use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::problem::{Elements, Problem, System};
use crate::table::{Table, or_dash, three_digits};
use crate::timing::{Contender, Effort, Timing, take_turns};

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
    /// Operations that are counted for a refactorisation.
    pub operations: f64,
}

impl UpdateResults {
    /// How many updates take as long as a refactorisation, by the least times.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.refactorisation?.min / self.update?.min)
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
        Elements::Tets { tets, gradients, weights, .. } => {
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
    /// All terms go and come back, one after the other.
    fn change_all(
        &mut self,
        vectors: &[Vec<(u32, f64)>],
        follow: impl Fn(&mut PackedFactor, &Cholesky, &[Touched]) -> Repacked,
    ) -> Result<(), BenchError> {
        for _ in 0..2 * vectors.len() {
            let touched = self.change(vectors)?;
            follow(&mut self.packed, &self.factor, &[touched]);
        }
        Ok(())
    }

    /// Takes a term away, or gives it back; none is refused, since the masses are left.
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
    let failure: RefCell<Option<BenchError>> = RefCell::new(None);
    let (system, analysis, vectors) = (&system, &analysis, &vectors[..]);
    let mut contenders = [
        Contender::calling("refactorisation", &mut anew, &failure, |changing| {
            changing.factor = Cholesky::new(analysis, &system.matrix)?;
            changing.packed.refill(&changing.factor);
            Ok(())
        }),
        Contender::calling("update", &mut first, &failure, |changing| {
            changing.change_all(vectors, PackedFactor::update)
        }),
        Contender::calling("update, refilled", &mut refilled, &failure, |changing| {
            changing.change_all(vectors, PackedFactor::refill_touched)
        }),
        Contender::calling("update alone", &mut alone, &failure, |changing| {
            changing.change_all(vectors, |_, _, _| Repacked::default())
        }),
    ];
    let timings = take_turns(&mut contenders, effort);
    drop(contenders);
    if let Some(error) = failure.into_inner() {
        return Err(error);
    }
    let one = |all: Option<Timing>| all.map(|all| all.scaled(0.5 / vectors.len() as f64));
    Ok(UpdateResults {
        problem: problem.name.clone(),
        numbers: if precision == Precision::Single { "f32" } else { "f64" }.to_owned(),
        refactorisation: timings[0],
        update: one(timings[1]),
        update_refilled: one(timings[2]),
        update_alone: one(timings[3]),
        columns: columns as f64 / vectors.len() as f64,
        entries: entries as f64 / vectors.len() as f64,
        operations: analysis.factor_work(),
    })
}

/// Least times in microseconds, and how many updates take as long as a refactorisation.
pub fn table(results: &[UpdateResults]) -> Table {
    let mut table = Table::new([
        "problem",
        "packed",
        "refactor",
        "update",
        "ratio",
        "(medians)",
        "refilled",
        "alone",
        "columns",
        "entries",
        "operations",
    ]);
    for found in results {
        let micros = |timing: Option<Timing>| or_dash(timing.map(|t| 1e3 * t.min));
        let medians = found.refactorisation.zip(found.update).map(|(anew, update)| anew.median / update.median);
        table.row(vec![
            found.problem.clone(),
            found.numbers.clone(),
            micros(found.refactorisation),
            micros(found.update),
            or_dash(found.ratio()),
            or_dash(medians),
            micros(found.update_refilled),
            micros(found.update_alone),
            three_digits(found.columns),
            three_digits(found.entries),
            three_digits(found.operations),
        ]);
    }
    table
}
