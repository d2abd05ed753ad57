//! What each method shows of a motion, and how far that is from the fine simulation.

use pliant::math::Vec3;
use pliant::upsample::{Refinement, TrainingSequence, UpsampleReport, Upsampler, compare};
use pliant::{WrinkleMesh, WrinkleParams};

use super::error::TrainError;

/// Reach of the wrinkle mesh that methods are compared with, in edges of the fine mesh.
const REACH: f64 = 3.0;
/// Its iterations in a frame, at most.
const ITERATIONS: usize = 200;

/// The frames that a method shows of a motion.
#[derive(Debug, Clone)]
pub struct Shown {
    /// Name of the method.
    pub method: String,
    /// Positions of the fine vertices in each frame \[m\].
    pub frames: Vec<Vec<Vec3>>,
}

/// Errors of a method in a motion.
#[derive(Debug, Clone)]
pub struct Score {
    /// Name of the method.
    pub method: String,
    /// Name of the motion.
    pub motion: String,
    /// Errors beside the fine simulation.
    pub report: UpsampleReport,
    /// Root mean square distance in each frame \[m\].
    pub frames: Vec<f64>,
}

impl Shown {
    /// The smooth surface: subdivision alone.
    pub fn smooth(refinement: &Refinement, sequence: &TrainingSequence) -> Result<Self, TrainError> {
        let mut frames = Vec::new();
        for frame in &sequence.frames {
            let mut out = vec![Vec3::ZERO; refinement.vertex_counts()[1]];
            refinement.smooth(&frame.coarse, &mut out)?;
            frames.push(out);
        }
        Ok(Self { method: "smooth".to_owned(), frames })
    }

    /// A wrinkle mesh of the same fine mesh, free to both sides.
    pub fn wrinkles(refinement: &Refinement, sequence: &TrainingSequence) -> Result<Self, TrainError> {
        let fine = refinement.fine_mesh();
        let edges = fine.edges();
        let length: f64 =
            edges.iter().map(|e| fine.positions[e[0] as usize].distance(fine.positions[e[1] as usize])).sum();
        let standard = WrinkleParams::within(REACH * length / edges.len().max(1) as f64);
        let params = WrinkleParams { one_sided: false, most_iterations: ITERATIONS, ..standard };
        let mut wrinkles = WrinkleMesh::new(refinement.coarse_mesh(), fine, params)?;
        let mut frames = Vec::new();
        for frame in &sequence.frames {
            frames.push(wrinkles.follow(&frame.coarse)?.to_vec());
        }
        Ok(Self { method: "wrinkle mesh".to_owned(), frames })
    }

    /// A model.
    pub fn model(model: &Upsampler, sequence: &TrainingSequence) -> Result<Self, TrainError> {
        let mut state = model.state();
        let mut frames = Vec::new();
        for frame in &sequence.frames {
            let mut out = vec![Vec3::ZERO; model.refinement().vertex_counts()[1]];
            model.apply(&mut state, &frame.coarse, sequence.frame_seconds, &mut out)?;
            frames.push(out);
        }
        Ok(Self { method: model.method().name().to_owned(), frames })
    }

    /// Errors beside the fine simulation.
    pub fn score(&self, refinement: &Refinement, sequence: &TrainingSequence) -> Result<Score, TrainError> {
        let (coarse, fine): (Vec<_>, Vec<_>) =
            sequence.frames.iter().map(|frame| (frame.coarse.clone(), frame.fine.clone())).unzip();
        Ok(Score {
            method: self.method.clone(),
            motion: sequence.name.clone(),
            report: compare(refinement, &coarse, &self.frames, &fine)?,
            frames: frame_errors(&self.frames, &fine),
        })
    }
}

/// Errors of a method over several motions.
#[derive(Debug, Clone)]
pub struct Total {
    /// Name of the method.
    pub method: String,
    /// Root mean square distance over vertices and frames \[m\].
    pub l2: f64,
    /// The largest distance of a vertex in a frame \[m\].
    pub largest: f64,
    /// Mean angle between normals \[rad\].
    pub normal_angle: f64,
    /// Jitter of the detail over that of the fine simulation.
    pub relative_jitter: f64,
}

impl Total {
    /// Of each method, in the order in which methods come first in the scores.
    pub fn of_all<'a>(scores: impl Iterator<Item = &'a Score>) -> Vec<Self> {
        let mut by_method: Vec<Vec<&Score>> = Vec::new();
        for score in scores {
            match by_method.iter_mut().find(|own| own[0].method == score.method) {
                Some(own) => own.push(score),
                None => by_method.push(vec![score]),
            }
        }
        by_method.iter().map(|own| Self::of(own)).collect()
    }

    fn of(own: &[&Score]) -> Self {
        let frames = own.iter().map(|score| score.frames.len()).sum::<usize>().max(1) as f64;
        let mean = |value: fn(&UpsampleReport) -> f64| {
            own.iter().map(|score| score.frames.len() as f64 * value(&score.report)).sum::<f64>() / frames
        };
        let jitter = mean(|report| report.jitter.powi(2)).sqrt();
        let reference = mean(|report| report.reference_jitter.powi(2)).sqrt();
        Self {
            method: own[0].method.clone(),
            l2: mean(|report| report.l2.powi(2)).sqrt(),
            largest: own.iter().fold(0.0_f64, |most, score| most.max(score.report.largest)),
            normal_angle: mean(|report| report.normal_angle),
            relative_jitter: if jitter == 0.0 { 0.0 } else { jitter / reference },
        }
    }
}

/// Root mean square distance between two motions in each frame \[m\].
pub fn frame_errors(shown: &[Vec<Vec3>], reference: &[Vec<Vec3>]) -> Vec<f64> {
    let error = |(x, y): (&Vec<Vec3>, &Vec<Vec3>)| {
        let squares: f64 = x.iter().zip(y).map(|(x, y)| x.distance_squared(*y)).sum();
        (squares / x.len().max(1) as f64).sqrt()
    };
    shown.iter().zip(reference).map(error).collect()
}
