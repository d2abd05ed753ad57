//! Detail that is learnt from a built-in scene, and its errors in motions that were held out.

use pliant::upsample::{FitReport, TrainingSequence, TrainingSet, Upsampler};
use pliant_scene::train::{Score, Shown, Training, record};
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

/// Errors of a method over all motions that were held out.
pub(crate) struct Total {
    pub(crate) method: String,
    /// \[m\]
    pub(crate) l2: f64,
    /// Over that of the fine simulation.
    pub(crate) relative_jitter: f64,
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
        let mut scores: Vec<Vec<Score>> = Vec::new();
        for sequence in &self.held_out {
            let shown = self.shown(sequence)?;
            let score = |shown: &Shown| shown.score(self.training.refinement(), sequence);
            scores.push(shown.iter().map(score).collect::<Result<_, _>>()?);
        }
        let mut totals: Vec<Total> = Vec::new();
        for number in 0..scores.first().map_or(0, Vec::len) {
            let own: Vec<&Score> = scores.iter().map(|of_motion| &of_motion[number]).collect();
            let frames = own.iter().map(|score| score.frames.len() as f64).sum::<f64>();
            let mean = |value: &dyn Fn(&Score) -> f64| {
                own.iter().map(|score| score.frames.len() as f64 * value(score)).sum::<f64>() / frames
            };
            let l2 = mean(&|score| score.report.l2.powi(2)).sqrt();
            let jitter = mean(&|score| score.report.jitter.powi(2)).sqrt();
            let reference = mean(&|score| score.report.reference_jitter.powi(2)).sqrt();
            let relative_jitter = if jitter == 0.0 { 0.0 } else { jitter / reference };
            let largest = own.iter().fold(0.0_f64, |most, score| most.max(score.report.largest));
            let angle = mean(&|score| score.report.normal_angle).to_degrees();
            let smooth = totals.first().map_or(l2, |smooth| smooth.l2);
            table.push_named(&own[0].method, [1e3 * l2, l2 / smooth, 1e3 * largest, angle, relative_jitter]);
            totals.push(Total { method: own[0].method.clone(), l2, relative_jitter });
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
