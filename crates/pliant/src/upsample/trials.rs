//! Which method, with which parameters: by how well it shows motions that it was not fitted to.

use std::sync::Arc;

use super::error::UpsampleError;
use super::method::Method;
use super::refinement::Refinement;
use super::training::TrainingSet;
use super::upsampler::Upsampler;
use crate::math::Vec3;

/// A method that was tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// The method with its parameters.
    pub method: Method,
    /// Root mean square distance from the fine shapes of motions that it was not fitted to \[m\].
    pub l2: f64,
}

/// Fits each candidate to all sequences but one, shows that one, and goes on with the next left out. Trials come back with the least error first, and with them the error
/// of the smooth surface \[m\]: a candidate above that has learnt nothing that carries over, whatever its error over its own training data.
///
/// ```
/// # use std::sync::Arc;
/// # use pliant::mesh::generate::Sheet;
/// # use pliant::upsample::{Method, PiuParams, Refinement, TrainingFrame, TrainingSequence, TrainingSet, leave_one_out};
/// # let coarse = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
/// # let refinement = Arc::new(Refinement::loop_subdivision(&coarse, 1, &[])?);
/// # let frame = TrainingFrame { coarse: coarse.positions.clone(), fine: refinement.fine_mesh().positions.clone() };
/// # let sequence = |name: &str| TrainingSequence { name: name.into(), frame_seconds: 0.1, frames: vec![frame.clone(); 3] };
/// # let training = TrainingSet { sequences: vec![sequence("one"), sequence("two")] };
/// let candidates = [1e-2, 1e-1, 1.0].map(|regularisation| Method::Piu(PiuParams { regularisation, ..PiuParams::default() }));
/// let (trials, smooth) = leave_one_out(&refinement, &training, &candidates)?;
/// println!("{:?} leaves {} m where the smooth surface leaves {smooth} m", trials[0].method, trials[0].l2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn leave_one_out(
    refinement: &Arc<Refinement>,
    training: &TrainingSet,
    candidates: &[Method],
) -> Result<(Vec<Trial>, f64), UpsampleError> {
    training.check(refinement)?;
    let sequences = &training.sequences;
    if sequences.len() < 2 {
        return Err(UpsampleError::TooFewSequences { found: sequences.len() });
    }
    let mut shown = vec![Vec3::ZERO; refinement.vertex_counts()[1]];
    let samples = (training.frame_count() * shown.len()).max(1) as f64;
    let square = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>();
    let mut smooth = 0.0;
    for frame in training.frames() {
        refinement.smooth(&frame.coarse, &mut shown)?;
        smooth += square(&shown, &frame.fine);
    }
    let mut totals = vec![0.0; candidates.len()];
    for (left_out, sequence) in sequences.iter().enumerate() {
        let others = sequences.iter().enumerate().filter(|&(other, _)| other != left_out);
        let others = TrainingSet { sequences: others.map(|(_, sequence)| sequence.clone()).collect() };
        for (method, total) in candidates.iter().zip(&mut totals) {
            let (upsampler, _) = Upsampler::fit(refinement, &others, method)?;
            let mut state = upsampler.state();
            for frame in &sequence.frames {
                upsampler.apply(&mut state, &frame.coarse, sequence.frame_seconds, &mut shown)?;
                *total += square(&shown, &frame.fine);
            }
        }
    }
    let trial = |(method, total): (&Method, f64)| Trial { method: *method, l2: (total / samples).sqrt() };
    let mut trials: Vec<Trial> = candidates.iter().zip(totals).map(trial).collect();
    trials.sort_by(|a, b| a.l2.total_cmp(&b.l2));
    Ok((trials, (smooth / samples).sqrt()))
}
