//! What is learnt from: coarse and fine positions in step with each other.

use super::Refinement;
use super::error::{UpsampleError, check_positions};
use crate::math::Vec3;

/// A coarse and a fine shape of the same moment.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingFrame {
    /// Positions of the coarse vertices \[m\].
    pub coarse: Vec<Vec3>,
    /// Positions of the fine vertices \[m\].
    pub fine: Vec<Vec3>,
}

/// Frames of one motion, in the order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingSequence {
    /// Its name, for messages and provenance.
    pub name: String,
    /// Time from frame to frame \[s\].
    pub frame_seconds: f64,
    /// The frames.
    pub frames: Vec<TrainingFrame>,
}

/// All motions that a model is fitted to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrainingSet {
    /// The motions.
    pub sequences: Vec<TrainingSequence>,
}

impl TrainingSet {
    /// Frames of all sequences.
    pub fn frame_count(&self) -> usize {
        self.sequences.iter().map(|sequence| sequence.frames.len()).sum()
    }

    /// Checks that all frames have a finite position for each vertex of both meshes.
    pub fn check(&self, refinement: &Refinement) -> Result<(), UpsampleError> {
        let [coarse_count, fine_count] = refinement.vertex_counts();
        for sequence in &self.sequences {
            if !(sequence.frame_seconds > 0.0 && sequence.frame_seconds.is_finite()) {
                let (name, need) = ("frame_seconds of a training sequence", "positive and finite");
                return Err(UpsampleError::BadParameter { name, value: sequence.frame_seconds, need });
            }
            for (number, frame) in sequence.frames.iter().enumerate() {
                let place = || format!("frame {number} of sequence {:?}", sequence.name);
                check_positions(&place, "coarse", &frame.coarse, coarse_count)?;
                check_positions(&place, "fine", &frame.fine, fine_count)?;
            }
        }
        Ok(())
    }

    /// All frames, one sequence after the other.
    pub(super) fn frames(&self) -> impl Iterator<Item = &TrainingFrame> {
        self.sequences.iter().flat_map(|sequence| &sequence.frames)
    }

    /// Sequence and frame of the n-th frame.
    pub(super) fn place(&self, mut number: usize) -> (usize, usize) {
        for (sequence, frames) in self.sequences.iter().map(|s| s.frames.len()).enumerate() {
            if number < frames {
                return (sequence, number);
            }
            number -= frames;
        }
        (self.sequences.len(), number)
    }
}
