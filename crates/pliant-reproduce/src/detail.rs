//! Detail that is learnt from a built-in scene, and its errors in motions that were held out.

use pliant::upsample::{FitReport, TrainingSequence, TrainingSet, Upsampler};
use pliant_scene::train::{Shown, Total, Training, record};
use pliant_scene::{Builtin, SceneError};

use crate::{Outcome, ReproduceError, Table};

/// What was learnt, and from what.
pub(crate) struct Learnt {
    pub(crate) training: Training,
    pub(crate) known: TrainingSet,
    pub(crate) held_out: Vec<TrainingSequence>,
    pub(crate) models: Vec<(Upsampler, FitReport)>,
    /// How far averages of the fine cloth were from their goals at most \[m\].
    pub(crate) largest_offset: f64,
}

impl Learnt {
    /// Simulates the motions of a scene and fits a model by each of its methods.
    pub(crate) fn of(scene: &str, overrides: &[String]) -> Result<Self, ReproduceError> {
        let builtin = Builtin::find(scene)
            .ok_or_else(|| ReproduceError::NotReached { what: format!("a scene {scene:?}"), steps: 0 })?;
        let training = Training::new(&builtin.scene(overrides)?)?;
        let (mut known, mut held_out, mut largest_offset) = (TrainingSet::default(), Vec::new(), 0.0_f64);
        for motion in training.motions() {
            let (sequence, offset) = record(&training, motion)?;
            largest_offset = largest_offset.max(offset);
            if motion.held_out { held_out.push(sequence) } else { known.sequences.push(sequence) }
        }
        let fit = |method| Upsampler::fit(training.refinement(), &known, method);
        let models = training.methods().iter().map(fit).collect::<Result<_, _>>()?;
        Ok(Self { training, known, held_out, models, largest_offset })
    }

    /// What each method shows of a motion: subdivision, a wrinkle mesh, the models.
    pub(crate) fn shown(&self, sequence: &TrainingSequence) -> Result<Vec<Shown>, ReproduceError> {
        let refinement = self.training.refinement();
        let mut shown = vec![Shown::smooth(refinement, sequence)?, Shown::wrinkles(refinement, sequence)?];
        for (model, _) in &self.models {
            shown.push(Shown::model(model, sequence)?);
        }
        Ok(shown)
    }

    /// Errors of all methods, as a table; the first is subdivision.
    pub(crate) fn totals(&self, outcome: &mut Outcome) -> Result<Vec<Total>, ReproduceError> {
        let columns = ["L2 [mm]", "over smooth", "largest [mm]", "normals [°]", "jitter over fine"];
        let mut table = Table::new("errors", &columns);
        let mut scores = Vec::new();
        for sequence in &self.held_out {
            for shown in self.shown(sequence)? {
                scores.push(shown.score(self.training.refinement(), sequence)?);
            }
        }
        let totals = Total::of_all(scores.iter());
        for total in &totals {
            let Total { l2, largest, normal_angle, relative_jitter, .. } = *total;
            let numbers = [1e3 * l2, l2 / totals[0].l2, 1e3 * largest, normal_angle.to_degrees(), relative_jitter];
            table.push_named(&total.method, numbers);
        }
        outcome.tables.push(table);
        Ok(totals)
    }
}

impl From<SceneError> for ReproduceError {
    fn from(error: SceneError) -> Self {
        Self::Scene(Box::new(error))
    }
}
