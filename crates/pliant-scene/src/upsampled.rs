//! A fine surface in place of a coarse body, smooth or with detail that was learnt.

use std::iter::Sum;
use std::ops::Mul;
use std::sync::Arc;

use pliant::Simulation;
use pliant::math::Vec3;
use pliant::upsample::{Refinement, UpsampleError, Upsampler, UpsamplerState, push_outside};

/// The surface with what it continues from.
#[derive(Debug)]
pub(crate) struct Upsampled {
    refinement: Arc<Refinement>,
    model: Option<(Upsampler, UpsamplerState)>,
    /// Distance that it keeps from colliders \[m\].
    thickness: Option<f64>,
    /// Its positions, and after them the numbers of the model's state, three in a vector.
    memory: Vec<Vec3>,
    /// Moment of the positions \[s\].
    time: f64,
}

impl Upsampled {
    /// At rest.
    pub(crate) fn new(refinement: Arc<Refinement>, model: Option<Upsampler>, thickness: Option<f64>) -> Self {
        let memory = refinement.fine_mesh().positions.clone();
        let model = model.map(|model| {
            let state = model.state();
            (model, state)
        });
        let mut new = Self { refinement, model, thickness, memory, time: 0.0 };
        new.remember();
        new
    }

    fn count(&self) -> usize {
        self.refinement.fine_mesh().positions.len()
    }

    /// Where its vertices are \[m\].
    pub(crate) fn positions(&self) -> &[Vec3] {
        &self.memory[..self.count()]
    }

    /// What it goes on from.
    pub(crate) fn memory(&self) -> &[Vec3] {
        &self.memory
    }

    /// Numbers or vectors at coarse vertices, interpolated to fine ones.
    pub(crate) fn carried<T>(&self, own: &[T]) -> Vec<T>
    where
        T: Copy + Sum,
        f64: Mul<T, Output = T>,
    {
        let at = |fine| self.refinement.weights(fine).map(|(v, weight)| weight * own[v as usize]).sum();
        (0..self.count()).map(at).collect()
    }

    /// Positions for coarse ones of another moment \[m\]: those of a model without memory are as it would show them, others
    /// smooth.
    pub(crate) fn elsewhere(&self, own: &[Vec3]) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; self.count()];
        let shown = match &self.model {
            Some((model, state)) if state.numbers().is_empty() => model.apply(&mut state.clone(), own, 1.0, &mut out),
            _ => self.refinement.smooth(own, &mut out),
        };
        // Positions that are not finite, or not as many as the body has, come from outside.
        if shown.is_err() { self.carried(own) } else { out }
    }

    /// Follows the body to where it is after a step \[m\].
    pub(crate) fn follow(&mut self, own: &[Vec3], sim: &Simulation) -> Result<(), UpsampleError> {
        let (count, now) = (self.count(), sim.time());
        // A world that was settled is where it is at the same moment.
        let since = if now > self.time { now - self.time } else { sim.time_step() };
        let out = &mut self.memory[..count];
        match &mut self.model {
            Some((model, state)) => model.apply(state, own, since, out)?,
            None => self.refinement.smooth(own, out)?,
        }
        if let Some(thickness) = self.thickness {
            let colliders: Vec<_> =
                sim.colliders().iter().map(|collider| collider.moving_over(self.time.min(now), now)).collect();
            push_outside(out, &colliders, thickness);
        }
        self.time = now;
        self.remember();
        Ok(())
    }

    /// Goes on from a memory of its own length, at a moment \[s\].
    pub(crate) fn resume(&mut self, memory: &[Vec3], time: f64) -> Result<(), UpsampleError> {
        if let Some((_, state)) = &mut self.model {
            let numbers: Vec<f64> = memory[self.refinement.fine_mesh().positions.len()..]
                .iter()
                .flat_map(|vector| vector.to_array())
                .take(state.numbers().len())
                .collect();
            state.restore(&numbers)?;
        }
        self.memory.copy_from_slice(memory);
        self.time = time;
        Ok(())
    }

    /// Puts the numbers of the state after the positions.
    fn remember(&mut self) {
        let count = self.count();
        let Some((_, state)) = &self.model else { return };
        self.memory.truncate(count);
        let numbers = state.numbers();
        self.memory.extend(numbers.chunks(3).map(|three| {
            let number = |k: usize| three.get(k).copied().unwrap_or(0.0);
            Vec3::new(number(0), number(1), number(2))
        }));
    }
}
