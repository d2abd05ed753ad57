//! Motions by different solvers, and how far they are apart.

use pliant::prelude::*;
use pliant_picture::plot::{Axis, Plot, Series};

use crate::{Outcome, ReproduceError, Table};

/// Newton's method to convergence: what the papers call the exact solution.
pub(crate) fn exact() -> NewtonParams {
    NewtonParams { tolerance: 1e-9, ..NewtonParams::default() }
}

/// Motions by so many iterations in each step, and how far each is from the exact one, step by step.
pub(crate) struct Comparison<'a> {
    pub(crate) counts: &'a [usize],
    pub(crate) motions: &'a [Motion],
    pub(crate) exact: &'a Motion,
    pub(crate) distances: &'a [Vec<f64>],
}

impl Comparison<'_> {
    /// Tables of distances and costs, and a plot of the distances.
    pub(crate) fn show(&self, outcome: &mut Outcome, title: &str, axis: &str) {
        let name = |count: usize| if count == 1 { "1 iteration".to_owned() } else { format!("{count} iterations") };
        let names: Vec<String> = self.counts.iter().map(|&count| name(count)).collect();
        let columns: Vec<&str> = std::iter::once("frame").chain(names.iter().map(String::as_str)).collect();
        let mut table = Table::new("distances", &columns);
        for frame in 0..self.exact.frames.len() {
            let row = std::iter::once(frame as f64).chain(self.distances.iter().map(|d| d[frame]));
            table.push(row.collect::<Vec<_>>());
        }
        let mut costs = Table::new("costs", &["ms per step"]);
        for (name, motion) in names.iter().zip(self.motions) {
            costs.push_named(name, [1e3 * motion.seconds_per_step]);
        }
        costs.push_named("exact", [1e3 * self.exact.seconds_per_step]);
        outcome.tables = vec![table, costs];
        let series = names.into_iter().zip(self.distances).map(|(name, distances)| {
            Series::new(name, distances.iter().enumerate().skip(1).map(|(frame, &d)| [frame as f64, d]).collect())
        });
        let plot = Plot {
            title: title.to_owned(),
            x: Axis::linear("frame"),
            y: Axis::log(axis),
            series: series.collect(),
            ..Plot::default()
        };
        outcome.plot("distances", plot);
    }
}

/// The states of a simulation, step by step.
#[derive(Debug, Clone)]
pub(crate) struct Motion {
    /// Positions after each step; the first are those at the beginning.
    pub(crate) frames: Vec<Vec<Vec3>>,
    /// Total energy at the same moments \[J\].
    pub(crate) energies: Vec<f64>,
    /// Mean duration of a step \[s\], by the simulation's clock.
    pub(crate) seconds_per_step: f64,
}

impl Motion {
    /// Steps a simulation; `drive` sets what moves in each step, counted from 1.
    pub(crate) fn of(
        sim: &mut Simulation,
        steps: usize,
        mut drive: impl FnMut(&mut Simulation, usize) -> Result<(), ReproduceError>,
    ) -> Result<Self, ReproduceError> {
        let mut frames = vec![sim.positions().to_vec()];
        let mut energies = vec![sim.report().total()];
        let mut seconds = 0.0;
        for step in 1..=steps {
            drive(sim, step)?;
            seconds += sim.step()?.seconds_total;
            frames.push(sim.positions().to_vec());
            energies.push(sim.report().total());
        }
        Ok(Self { frames, energies, seconds_per_step: seconds / steps as f64 })
    }

    /// Mean distance of the vertices from another motion in each frame \[m\].
    pub(crate) fn mean_distances(&self, other: &Self) -> Vec<f64> {
        self.frames.iter().zip(&other.frames).map(|(a, b)| mean_distance(a, b)).collect()
    }

    pub(crate) fn last(&self) -> &[Vec3] {
        &self.frames[self.frames.len() - 1]
    }
}

/// Mean distance of corresponding points \[m\].
pub(crate) fn mean_distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).sum::<f64>() / a.len() as f64
}

/// Largest distance of corresponding points \[m\].
pub(crate) fn largest_distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)))
}

/// Steps until no vertex moves by more than `tolerance` \[m\] in a step: long steps of implicit Euler forget inertia.
pub(crate) fn settle(sim: &mut Simulation, tolerance: f64, most: usize) -> Result<(), ReproduceError> {
    let mut moved = f64::INFINITY;
    for _ in 0..most {
        let before = sim.positions().to_vec();
        sim.step()?;
        moved = largest_distance(&before, sim.positions());
        if moved <= tolerance {
            return Ok(());
        }
    }
    let what = format!("the world did not come to rest (it still moves by {moved:.1e} m per step)");
    Err(ReproduceError::NotReached { what, steps: most })
}
