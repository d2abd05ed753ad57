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
    /// What shows it in place of the engine.
    #[cfg(feature = "gpu")]
    on_gpu: Option<pliant_gpu::GpuUpsampler>,
    /// Distance that it keeps from colliders \[m\].
    thickness: Option<f64>,
    /// Its positions, and after them, if the model has a memory, whether that has begun and its numbers, three in a vector: always as many, so that
    /// a run that is built anew knows how much of a checkpoint is its own.
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
        let mut new = Self {
            refinement,
            model,
            #[cfg(feature = "gpu")]
            on_gpu: None,
            thickness,
            memory,
            time: 0.0,
        };
        new.remember();
        new
    }

    /// Has it shown by the fastest GPU that there is.
    #[cfg(feature = "gpu")]
    pub(crate) fn bring_to_gpu(&mut self) -> Result<(), String> {
        use pliant_gpu::GpuUpsampler;
        use pliant_gpu::device::{Device, DeviceChoice};

        let device = Device::open(&DeviceChoice::default()).map_err(|error| error.to_string())?;
        let made = match &self.model {
            Some((model, _)) => GpuUpsampler::new(&device, model),
            None => GpuUpsampler::smooth(&device, &self.refinement),
        };
        self.on_gpu = Some(made.map_err(|error| error.to_string())?);
        Ok(())
    }

    #[cfg(not(feature = "gpu"))]
    pub(crate) fn bring_to_gpu(&mut self) -> Result<(), String> {
        Err(crate::gpu::NO_GPU.to_owned())
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
            Some((model, state)) if state.number_count() == 0 => model.apply(&mut state.clone(), own, 1.0, &mut out),
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
        self.show(own, since)?;
        let out = &mut self.memory[..count];
        if let Some(thickness) = self.thickness {
            let colliders: Vec<_> =
                sim.colliders().iter().map(|collider| collider.moving_over(self.time.min(now), now)).collect();
            push_outside(out, &colliders, thickness);
        }
        self.time = now;
        self.remember();
        Ok(())
    }

    /// Puts its vertices over these coarse positions \[m\], so long after the last ones \[s\].
    fn show(&mut self, own: &[Vec3], since: f64) -> Result<(), UpsampleError> {
        let count = self.count();
        let out = &mut self.memory[..count];
        #[cfg(feature = "gpu")]
        if let Some(on_gpu) = &mut self.on_gpu {
            let mut nothing = UpsamplerState::default();
            let state = self.model.as_mut().map_or(&mut nothing, |(_, state)| state);
            return Ok(on_gpu.apply(state, own, since, out)?);
        }
        match &mut self.model {
            Some((model, state)) => model.apply(state, own, since, out),
            None => self.refinement.smooth(own, out),
        }
    }

    /// Goes on from a memory of its own length, at a moment \[s\].
    pub(crate) fn resume(&mut self, memory: &[Vec3], time: f64) -> Result<(), UpsampleError> {
        if let Some((_, state)) = &mut self.model {
            let kept: Vec<f64> = memory[self.refinement.fine_mesh().positions.len()..]
                .iter()
                .flat_map(|vector| vector.to_array())
                .collect();
            match kept.split_first() {
                Some((&has_begun, numbers)) if has_begun > 0.0 => state.restore(&numbers[..state.number_count()])?,
                _ => state.reset(),
            }
        }
        self.memory.copy_from_slice(memory);
        self.time = time;
        Ok(())
    }

    /// Puts the numbers of the state after the positions.
    fn remember(&mut self) {
        let count = self.count();
        let Some((_, state)) = &self.model else { return };
        if state.number_count() == 0 {
            return;
        }
        self.memory.truncate(count);
        let mut numbers = vec![0.0; 1 + state.number_count()];
        let known = state.numbers();
        if !known.is_empty() {
            numbers[0] = 1.0;
            numbers[1..].copy_from_slice(&known);
        }
        self.memory.extend(numbers.chunks(3).map(|three| {
            let number = |k: usize| three.get(k).copied().unwrap_or(0.0);
            Vec3::new(number(0), number(1), number(2))
        }));
    }
}

#[cfg(test)]
mod tests {
    use pliant::mesh::generate::Sheet;
    use pliant::upsample::{Method, ModesParams, PiuParams, TrainingFrame, TrainingSequence, TrainingSet};
    use pliant::{Body, ClothMaterial};

    use super::*;

    /// A surface with oscillations goes on from the memory of another one that has just been built.
    #[test]
    fn oscillations_go_on_in_a_surface_that_was_built_anew() -> Result<(), Box<dyn std::error::Error>> {
        let mesh = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
        let refinement = Arc::new(Refinement::loop_subdivision(&mesh, 1, &[])?);
        let rest = refinement.fine_mesh().positions.clone();
        let frame = |k: usize| {
            let wave = |x: &Vec3| *x + Vec3::Y * 0.02 * (0.4 * k as f64 + 9.0 * x.x).sin();
            let sway = |x: &Vec3| *x + Vec3::X * 0.05 * (0.3 * k as f64 + 2.0 * x.z).sin();
            let coarse: Vec<Vec3> = mesh.positions.iter().map(sway).collect();
            TrainingFrame { coarse, fine: rest.iter().map(|x| wave(&sway(x))).collect() }
        };
        let frames = (0..60).map(frame).collect();
        let sequence = TrainingSequence { name: "sway".to_owned(), frame_seconds: 1.0 / 60.0, frames };
        let modes = Some(ModesParams { count: 2, ..ModesParams::default() });
        let method = Method::Piu(PiuParams { modes, ..PiuParams::default() });
        let (model, _) = Upsampler::fit(&refinement, &TrainingSet { sequences: vec![sequence] }, &method)?;

        let new = || Upsampled::new(Arc::clone(&refinement), Some(model.clone()), None);
        let body = Body::cloth(&mesh, &ClothMaterial::default())?.pin([0]);
        let mut sim = Simulation::builder().body(body).build()?;
        let mut first = new();
        for _ in 0..3 {
            sim.step()?;
            first.follow(sim.positions(), &sim)?;
        }
        let mut second = new();
        assert_eq!(first.memory().len(), second.memory().len());
        assert!(first.memory().len() > refinement.fine_mesh().positions.len());
        second.resume(first.memory(), sim.time())?;
        sim.step()?;
        first.follow(sim.positions(), &sim)?;
        second.follow(sim.positions(), &sim)?;
        assert_eq!(first.memory(), second.memory());
        // Without its memory it would be elsewhere.
        let mut forgetful = new();
        forgetful.follow(sim.positions(), &sim)?;
        assert_ne!(first.positions(), forgetful.positions());
        Ok(())
    }
}
