//! Solvers on one problem: how far each gets per iteration, and what an iteration costs.

use pliant::Problem;
use pliant::prelude::*;
use pliant::solve::SolveError;
use pliant_picture::plot::Series;

use crate::ReproduceError;
use crate::one_thread::{on_one_thread, timed};

/// Below this, rounding decides about (g − g*)/(g₀ − g*).
pub(crate) const ROUNDING: f64 = 1e-12;

/// The way of one solver down the objective.
#[derive(Debug, Clone)]
pub(crate) struct Descent {
    pub(crate) name: String,
    /// g at the start and after each whole iteration \[J\].
    pub(crate) values: Vec<f64>,
    /// Processor time of an iteration on one thread \[s\], without what is done once: ordering, and the constant factor of local/global.
    pub(crate) seconds_per_iteration: f64,
    /// Where it ended.
    pub(crate) end: Vec<Vec3>,
}

/// A solver that can be given a number of iterations.
pub(crate) trait Limited: Clone + Into<SolverChoice> {
    /// With so many iterations, recording or not.
    fn limited(&self, iterations: usize, record: bool) -> Self;
    /// Entries of the history for each iteration.
    fn entries_per_iteration(&self) -> usize;
    /// Iterations that suffice to time one.
    fn timed(&self) -> usize;
}

impl Limited for ProjectiveParams {
    fn limited(&self, iterations: usize, record: bool) -> Self {
        Self { iterations, record, ..self.clone() }
    }

    fn entries_per_iteration(&self) -> usize {
        // Plain local/global records both half-steps.
        if self.acceleration == Acceleration::None { 2 } else { 1 }
    }

    fn timed(&self) -> usize {
        100
    }
}

impl Limited for NewtonParams {
    fn limited(&self, iterations: usize, record: bool) -> Self {
        Self { iterations, record, ..self.clone() }
    }

    fn entries_per_iteration(&self) -> usize {
        1
    }

    fn timed(&self) -> usize {
        8
    }
}

/// Repetitions of a timing; the shortest counts, because whatever else runs on the machine only adds.
const REPEATS: usize = 3;

impl Descent {
    /// Lets a solver descend from `start`, and times it.
    pub(crate) fn of(
        name: &str,
        problem: &Problem<'_>,
        start: &[Vec3],
        solver: &(impl Limited + Sync),
        iterations: usize,
    ) -> Result<Self, ReproduceError> {
        let descent = Self::untimed(name, problem, start, solver, iterations)?;
        let many = descent.iterations().min(solver.timed());
        let shortest = |iterations: usize| -> Result<f64, SolveError> {
            let mut shortest = f64::INFINITY;
            for _ in 0..REPEATS {
                let (mut x, choice) = (start.to_vec(), solver.limited(iterations, false).into());
                let (solved, seconds) = timed(|| problem.solve(&choice, &mut x));
                solved?;
                shortest = shortest.min(seconds);
            }
            Ok(shortest)
        };
        // The difference leaves out what is done once.
        let seconds_per_iteration = on_one_thread(|| {
            let once = shortest(1)?;
            Ok::<_, SolveError>(if many > 1 { (shortest(many)? - once) / (many - 1) as f64 } else { once })
        })??;
        Ok(Self { seconds_per_iteration, ..descent })
    }

    /// The same without timing.
    pub(crate) fn untimed(
        name: &str,
        problem: &Problem<'_>,
        start: &[Vec3],
        solver: &impl Limited,
        iterations: usize,
    ) -> Result<Self, ReproduceError> {
        let mut end = start.to_vec();
        let report = problem.solve(&solver.limited(iterations, true).into(), &mut end)?;
        let values = report.history.into_iter().step_by(solver.entries_per_iteration()).collect();
        Ok(Self { name: name.to_owned(), values, seconds_per_iteration: f64::NAN, end })
    }

    pub(crate) fn least(&self) -> f64 {
        self.values.iter().fold(f64::INFINITY, |least, g| least.min(*g))
    }

    pub(crate) fn iterations(&self) -> usize {
        self.values.len() - 1
    }
}

/// Errors (g − g*)/(g₀ − g*) [Liu 2013, eq. 15] of several solvers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) first: f64,
    pub(crate) least: f64,
}

impl Scale {
    /// From the start to the lowest that any of them reached.
    pub(crate) fn of(descents: &[&Descent]) -> Self {
        let least = descents.iter().map(|descent| descent.least()).fold(f64::INFINITY, f64::min);
        Self { first: descents[0].values[0], least }
    }

    pub(crate) fn error(&self, g: f64) -> f64 {
        ((g - self.least) / (self.first - self.least)).max(ROUNDING)
    }

    /// Error after a number of iterations; of one that stopped before, its last.
    pub(crate) fn after(&self, descent: &Descent, iterations: usize) -> f64 {
        self.error(descent.values[iterations.min(descent.iterations())])
    }

    /// Errors over iterations and over seconds.
    pub(crate) fn series(&self, descent: &Descent) -> [Series; 2] {
        [1.0, descent.seconds_per_iteration].map(|unit| {
            let points = descent.values.iter().enumerate().map(|(k, &g)| [unit * k as f64, self.error(g)]);
            let shown = points.skip(1).filter(|[_, error]| *error > ROUNDING);
            Series::new(descent.name.as_str(), shown.collect())
        })
    }

    /// The error down to which `fast` is ahead of `slow` at every moment.
    pub(crate) fn ahead_down_to(&self, fast: &Descent, slow: &Descent) -> f64 {
        let mut reached = 1.0;
        for (k, &g) in fast.values.iter().enumerate().skip(1) {
            let finished = (k as f64 * fast.seconds_per_iteration / slow.seconds_per_iteration).floor() as usize;
            let error = self.error(g);
            if finished > 0 && self.after(slow, finished) <= error {
                break;
            }
            reached = error;
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descent(values: Vec<f64>, seconds_per_iteration: f64) -> Descent {
        Descent { name: String::new(), values, seconds_per_iteration, end: Vec::new() }
    }

    #[test]
    fn the_fast_one_is_ahead_until_the_slow_one_has_overtaken() {
        let fast = descent((0..100).map(|k| 0.5f64.powi(k)).collect(), 1.0);
        // Three iterations of 10 s: worse at 10 s, worse at 20 s, better at 30 s.
        let slow = descent(vec![1.0, 0.1, 1e-3, 0.0], 10.0);
        let scale = Scale { first: 1.0, least: 0.0 };
        assert_eq!(scale.ahead_down_to(&fast, &slow), 0.5f64.powi(29));
        let quick = descent(vec![1.0, 0.0], 0.5);
        assert_eq!(scale.ahead_down_to(&fast, &quick), 1.0);
    }
}
