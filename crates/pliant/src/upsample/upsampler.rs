//! A model that was learnt, and what it shows.

use std::sync::Arc;

use super::error::UpsampleError;
use super::method::Method;
use super::modes::{Modes, ModesState};
use super::pdm::{Pdm, PdmScratch};
use super::piu::Piu;
use super::refinement::Refinement;
use super::training::TrainingSet;
use super::wpsd::{Wpsd, WpsdScratch};
use crate::math::Vec3;
use crate::parallel::within_pool;

/// Where a model comes from: stored with it, and shown with errors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Provenance {
    /// The scene that the training data was made from.
    pub scene: String,
    /// When, as the caller writes dates.
    pub date: String,
    /// Anything else worth knowing.
    pub notes: String,
}

/// How well a model fits what it was learnt from.
#[derive(Debug, Clone, PartialEq)]
pub struct FitReport {
    /// Frames in the training data.
    pub frames: usize,
    /// Root mean square distance of the smooth surface from the fine one \[m\].
    pub smooth_l2: f64,
    /// Root mean square distance of the model from the fine one \[m\].
    pub l2: f64,
    /// Sequence and frame of each pose that was chosen (WPSD); the rest shape is not listed.
    pub poses: Vec<(usize, usize)>,
}

/// How far a fit has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitProgress {
    /// What is being done.
    pub stage: &'static str,
    /// Share of this stage that is done, 0 to 1.
    pub done: f64,
}

/// The numbers of a method.
#[derive(Debug, Clone)]
pub(super) enum Numbers {
    Wpsd(Wpsd),
    Pdm(Pdm),
    Piu(Piu, Option<Modes>),
}

/// A fine surface from a coarse one, learnt from examples.
///
/// ```
/// use std::sync::Arc;
/// use pliant::math::Vec3;
/// use pliant::mesh::generate::Sheet;
/// use pliant::upsample::{Method, Refinement, TrainingFrame, TrainingSequence, TrainingSet, Upsampler, WpsdParams};
///
/// let coarse = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
/// let refinement = Arc::new(Refinement::loop_subdivision(&coarse, 2, &[])?);
/// // The more the sheet is pushed together, the more it wrinkles.
/// let frame = |narrowed: f64| {
///     let squeeze = |p: &Vec3| Vec3::new((1.0 - narrowed) * p.x, p.y, p.z);
///     let wrinkle = |p: &Vec3| squeeze(p) + Vec3::Z * (0.2 * narrowed * (40.0 * p.x).sin());
///     let fine = refinement.fine_mesh().positions.iter().map(wrinkle).collect();
///     TrainingFrame { coarse: coarse.positions.iter().map(squeeze).collect(), fine }
/// };
/// let frames = (0..10).map(|k| frame(0.02 * f64::from(k))).collect();
/// let training = TrainingSet { sequences: vec![TrainingSequence { name: "squeeze".into(), frame_seconds: 0.1, frames }] };
/// let (upsampler, report) = Upsampler::fit(&refinement, &training, &Method::Wpsd(WpsdParams::default()))?;
/// assert!(report.l2 < 0.05 * report.smooth_l2);
///
/// let (mut state, unseen) = (upsampler.state(), frame(0.115));
/// let mut fine = vec![Vec3::ZERO; unseen.fine.len()];
/// upsampler.apply(&mut state, &unseen.coarse, 0.1, &mut fine)?;
/// assert!(fine.iter().zip(&unseen.fine).all(|(a, b)| a.distance(*b) < 0.003));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Upsampler {
    refinement: Arc<Refinement>,
    method: Method,
    provenance: Provenance,
    pub(super) numbers: Numbers,
}

/// What a model remembers from frame to frame (oscillations), and its buffers. One for each mesh that is shown.
#[derive(Debug, Clone, Default)]
pub struct UpsamplerState {
    pub(super) modes: ModesState,
    pub(super) wpsd: WpsdScratch,
    pub(super) pdm: PdmScratch,
    /// Oscillators and coarse vertices.
    counts: [usize; 2],
}

impl UpsamplerState {
    /// Forgets the motion so far, as before the first frame.
    pub fn reset(&mut self) {
        self.modes.reset();
    }

    /// What is remembered, as numbers for a checkpoint; empty for methods without oscillations, and before the first frame.
    pub fn numbers(&self) -> Vec<f64> {
        self.modes.numbers()
    }

    /// How many [`numbers`](Self::numbers) there are from the first frame on.
    pub fn number_count(&self) -> usize {
        let [modes, vertices] = self.counts;
        if modes == 0 { 0 } else { ModesState::number_count(modes, vertices) }
    }

    /// Continues from numbers of an earlier state of the same model.
    pub fn restore(&mut self, numbers: &[f64]) -> Result<(), UpsampleError> {
        let [modes, vertices] = self.counts;
        if modes == 0 && !numbers.is_empty() {
            return Err(UpsampleError::OtherState { found: numbers.len(), expected: 0 });
        }
        self.modes.restore(numbers, modes, vertices)
    }
}

impl Upsampler {
    /// Learns detail from examples.
    pub fn fit(
        refinement: &Arc<Refinement>,
        training: &TrainingSet,
        method: &Method,
    ) -> Result<(Self, FitReport), UpsampleError> {
        Self::fit_with(refinement, training, method, &mut |_| {})
    }

    /// As [`fit`](Self::fit), and says how far it has come.
    pub fn fit_with(
        refinement: &Arc<Refinement>,
        training: &TrainingSet,
        method: &Method,
        progress: &mut dyn FnMut(FitProgress),
    ) -> Result<(Self, FitReport), UpsampleError> {
        method.check()?;
        training.check(refinement)?;
        let mut poses = Vec::new();
        let numbers = match method {
            Method::Wpsd(params) => {
                let mut progress = |done| progress(FitProgress { stage: "choosing poses", done });
                let (wpsd, chosen) = Wpsd::fit(refinement, training, params, &mut progress)?;
                poses = chosen;
                Numbers::Wpsd(wpsd)
            }
            Method::Pdm(params) => {
                let mut progress = |done| progress(FitProgress { stage: "fitting polynomials", done });
                Numbers::Pdm(Pdm::fit(refinement, training, params, &mut progress)?)
            }
            Method::Piu(params) => {
                let mut fitting = |done| progress(FitProgress { stage: "fitting rows", done });
                let piu = Piu::fit(refinement, training, params, &mut fitting)?;
                let mut fitting = |done| progress(FitProgress { stage: "fitting modes", done });
                let fit_modes = |modes| Modes::fit(refinement, training, &piu, modes, &mut fitting);
                let modes = params.modes.as_ref().map(fit_modes).transpose()?;
                Numbers::Piu(piu, modes)
            }
        };
        let (method, provenance) = (*method, Provenance::default());
        let upsampler = Self { refinement: refinement.clone(), method, provenance, numbers };
        let report = upsampler.judge(training, poses)?;
        Ok((upsampler, report))
    }

    /// Errors over the training data.
    fn judge(&self, training: &TrainingSet, poses: Vec<(usize, usize)>) -> Result<FitReport, UpsampleError> {
        let mut state = self.state();
        let mut shown = vec![Vec3::ZERO; self.refinement.vertex_counts()[1]];
        let [mut smooth, mut model] = [0.0; 2];
        let squares = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>();
        for sequence in &training.sequences {
            state.reset();
            for frame in &sequence.frames {
                self.refinement.smooth(&frame.coarse, &mut shown)?;
                smooth += squares(&shown, &frame.fine);
                self.apply(&mut state, &frame.coarse, sequence.frame_seconds, &mut shown)?;
                model += squares(&shown, &frame.fine);
            }
        }
        let frames = training.frame_count();
        let samples = (frames * shown.len()) as f64;
        Ok(FitReport { frames, smooth_l2: (smooth / samples).sqrt(), l2: (model / samples).sqrt(), poses })
    }

    /// Of parts that were read; see `store`.
    pub(super) fn of_parts(
        refinement: Arc<Refinement>,
        method: Method,
        provenance: Provenance,
        numbers: Numbers,
    ) -> Self {
        Self { refinement, method, provenance, numbers }
    }

    /// Says where the model comes from.
    pub fn with_provenance(self, provenance: Provenance) -> Self {
        Self { provenance, ..self }
    }

    /// Where the model comes from.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The meshes.
    pub fn refinement(&self) -> &Arc<Refinement> {
        &self.refinement
    }

    /// The method with its parameters.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Frequency \[Hz\] and damping rate \[1/s\] of each oscillatory mode, the strongest mode first; a mode that only decays has frequency 0. Empty
    /// without modes.
    pub fn oscillations(&self) -> Vec<(f64, f64)> {
        match &self.numbers {
            Numbers::Piu(_, Some(modes)) => modes.oscillations(),
            _ => Vec::new(),
        }
    }

    /// A state for a mesh that is shown from now on.
    pub fn state(&self) -> UpsamplerState {
        let modes = match &self.numbers {
            Numbers::Piu(_, Some(modes)) => modes.oscillators.len(),
            _ => 0,
        };
        UpsamplerState { counts: [modes, self.refinement.vertex_counts()[0]], ..UpsamplerState::default() }
    }

    /// Writes the fine surface over these coarse positions \[m\]. `seconds` is the time since the last frame of this state, more than zero; only
    /// oscillatory modes look at it.
    ///
    /// After the first frame nothing is allocated, and the result has the same bits on any number of threads. On an error neither the state nor
    /// `out` has changed.
    pub fn apply(
        &self,
        state: &mut UpsamplerState,
        coarse: &[Vec3],
        seconds: f64,
        out: &mut [Vec3],
    ) -> Result<(), UpsampleError> {
        self.refinement.check_frame(coarse, out)?;
        self.check_state(state, seconds)?;
        let surface = &self.refinement.surface;
        within_pool(|| match &self.numbers {
            Numbers::Wpsd(wpsd) => wpsd.show(surface, coarse, &mut state.wpsd, out),
            Numbers::Pdm(pdm) => pdm.show(surface, coarse, &mut state.pdm, out),
            Numbers::Piu(piu, None) => piu.show(surface, coarse, &[], &[], out),
            Numbers::Piu(piu, Some(modes)) => {
                modes.advance(&mut state.modes, coarse, seconds);
                piu.show(surface, coarse, &state.modes.now, &modes.shapes, out);
            }
        });
        Ok(())
    }

    /// Refuses a state of another model, and a time that is none.
    pub(super) fn check_state(&self, state: &UpsamplerState, seconds: f64) -> Result<(), UpsampleError> {
        if !(seconds > 0.0 && seconds.is_finite()) {
            let (name, need) = ("the time since the last frame", "positive and finite");
            return Err(UpsampleError::BadParameter { name, value: seconds, need });
        }
        let expected = self.state().counts;
        if state.counts != expected {
            let size = |[modes, vertices]: [usize; 2]| 1 + 2 * modes + 3 * vertices;
            return Err(UpsampleError::OtherState { found: size(state.counts), expected: size(expected) });
        }
        Ok(())
    }
}
