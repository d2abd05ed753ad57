//! Motions by different solvers, and how far they are apart.

use pliant::prelude::*;

use crate::ReproduceError;

/// Newton's method to convergence: what the papers call the exact solution.
pub(crate) fn exact() -> NewtonParams {
    NewtonParams { tolerance: 1e-9, ..NewtonParams::default() }
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
