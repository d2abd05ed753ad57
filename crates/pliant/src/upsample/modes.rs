//! Oscillatory modes: what moves on in the fine surface after the coarse one has told all it knows [Kavan 2011; Bender 2014, §5.2.3].
//!
//! ```text
//!   r = R_bᵀ (X − B u) = Σ_m q_m φ_m       φ: principal components of what the rows leave over in the training data
//!   q⁺ = α q + β q⁻ + (1 − α − β) q*       a damped oscillator for each mode: its poles are ρ e^{±iθ} per frame, or a single ρ
//!   q* = k₀ + k·g                          driven by a few signals g of the coarse motion
//! ```
//!
//! A wave that travels is two modes, a sine and a cosine along the surface, a quarter of a period apart: the rows, which see positions alone, have
//! at most one of them. g are the principal components of strains, offsets and velocities of the coarse vertices in their own frames.
//!
//! Departure: the survey says no more than that there are oscillatory modes; the oscillators are ours. Poles are sought on a grid and then refined, for
//! the least error of the motion that runs by itself from the first frame of a sequence: fitting one frame ahead, as is usual, gives modes that are
//! damped the more the noisier the data is.
//! Departure: amplitudes stay within 1.5 times those of the training data.

use super::error::UpsampleError;
use super::gauge::{Gauge, NUMBERS};
use super::layout::LANES;
use super::method::ModesParams;
use super::oscillator::{Oscillator, Poles, fit_oscillator};
use super::piu::{Piu, TRIPLE};
use super::principal::principal;
use super::refinement::Refinement;
use super::training::TrainingSet;
use crate::math::Vec3;
use crate::parallel::map;

/// Numbers of a coarse vertex that signals are made of: its deformation and its velocity.
pub(super) const SOURCES: usize = NUMBERS + 3;
/// Frame times of sequences are equal within this share.
const SAME_TIME: f64 = 1e-6;

/// Fitted modes.
#[derive(Debug, Clone)]
pub(super) struct Modes {
    pub(super) frame_seconds: f64,
    pub(super) gauge: Gauge,
    /// Mean of each source.
    pub(super) mean: Vec<f64>,
    /// Signals, [signal][source].
    pub(super) axes: Vec<f64>,
    pub(super) signals: usize,
    pub(super) oscillators: Vec<Oscillator>,
    /// \[m/m\], [group][mode][coordinate][lane], of unit length.
    pub(super) shapes: Vec<f32>,
}

/// What modes remember.
#[derive(Debug, Clone, Default)]
pub(super) struct ModesState {
    /// Coarse positions of the last frame \[m\]; empty before the first.
    previous: Vec<Vec3>,
    /// Time between the last two frames \[s\].
    seconds: f64,
    /// Amplitudes in the last frame and the one before \[m\].
    pub(super) now: Vec<f64>,
    before: Vec<f64>,
    sources: Vec<f64>,
    signals: Vec<f64>,
}

impl ModesState {
    pub(super) fn reset(&mut self) {
        self.previous.clear();
    }

    /// Time, amplitudes, and the last coarse positions; empty before the first frame.
    pub(super) fn numbers(&self) -> Vec<f64> {
        if self.previous.is_empty() {
            return Vec::new();
        }
        let positions = self.previous.iter().flat_map(|p| p.to_array());
        [self.seconds].into_iter().chain(self.now.iter().chain(&self.before).copied()).chain(positions).collect()
    }

    /// How many [`numbers`](Self::numbers) there are from the first frame on.
    pub(super) fn number_count(modes: usize, vertices: usize) -> usize {
        1 + 2 * modes + 3 * vertices
    }

    pub(super) fn restore(&mut self, numbers: &[f64], modes: usize, vertices: usize) -> Result<(), UpsampleError> {
        let expected = Self::number_count(modes, vertices);
        if numbers.is_empty() {
            self.reset();
            return Ok(());
        }
        if numbers.len() != expected {
            return Err(UpsampleError::OtherState { found: numbers.len(), expected });
        }
        let is_bad = |&(index, n): &(usize, &f64)| !n.is_finite() || (index == 0 && *n < 0.0);
        if let Some((_, &value)) = numbers.iter().enumerate().find(is_bad) {
            let (name, need) = ("a number of the state", "finite, and the time, which is the first, not negative");
            return Err(UpsampleError::BadParameter { name, value, need });
        }
        self.seconds = numbers[0];
        self.now = numbers[1..1 + modes].to_vec();
        self.before = numbers[1 + modes..1 + 2 * modes].to_vec();
        self.previous = numbers[1 + 2 * modes..].chunks_exact(3).map(Vec3::from_slice).collect();
        Ok(())
    }
}

/// Deformation, and velocity in the local frame \[m/s\], of each coarse vertex.
fn measure_sources(gauge: &Gauge, coarse: &[Vec3], previous: Option<(&[Vec3], f64)>, out: &mut Vec<f64>) {
    out.clear();
    for vertex in 0..gauge.len() {
        let (numbers, frame) = gauge.at(coarse, vertex);
        let moved = previous.map_or(Vec3::ZERO, |(before, seconds)| (coarse[vertex] - before[vertex]) / seconds);
        out.extend(numbers);
        out.extend((frame.transpose() * moved).to_array());
    }
}

impl Modes {
    /// Fits modes to what rows leave over.
    pub(super) fn fit(
        refinement: &Refinement,
        training: &TrainingSet,
        piu: &Piu,
        params: &ModesParams,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, UpsampleError> {
        let frame_seconds = training.sequences.first().map_or(0.0, |sequence| sequence.frame_seconds);
        for sequence in &training.sequences {
            let (name, found) = (sequence.name.clone(), sequence.frame_seconds);
            if (found - frame_seconds).abs() > SAME_TIME * frame_seconds {
                return Err(UpsampleError::FrameTimes { name, found, expected: frame_seconds });
            }
        }
        let needed = params.signals + 4;
        let frames = training.frame_count();
        if frames < needed {
            return Err(UpsampleError::TooFewFrames { found: frames, needed, method: "piu with modes" });
        }
        let gauge = Gauge::new(refinement.coarse_mesh())?;
        let (mut sources, mut rests) = (Vec::new(), Vec::new());
        for sequence in &training.sequences {
            for (number, frame) in sequence.frames.iter().enumerate() {
                let before = number.checked_sub(1).map(|k| (&*sequence.frames[k].coarse, sequence.frame_seconds));
                let mut own = Vec::new();
                measure_sources(&gauge, &frame.coarse, before, &mut own);
                sources.push(own);
                rests.push(left_over(refinement, piu, &frame.coarse, &frame.fine));
                progress(0.5 * rests.len() as f64 / frames as f64);
            }
        }
        let (mean, axes, signals) = signal_axes(&sources, params.signals);
        let project = |own: &Vec<f64>| -> Vec<f64> {
            axes.chunks(mean.len())
                .map(|axis| axis.iter().zip(own.iter().zip(&mean)).map(|(a, (s, m))| a * (s - m)).sum())
                .collect()
        };
        let driven: Vec<Vec<f64>> = sources.iter().map(project).collect();
        let shapes: Vec<Vec<f64>> = map(principal(&rests, params.count), &|coefficients: Vec<f64>| {
            let mut shape = vec![0.0; rests[0].len()];
            for (coefficient, rest) in coefficients.iter().zip(&rests) {
                shape.iter_mut().zip(rest).for_each(|(s, r)| *s += coefficient * r);
            }
            shape
        });
        let lengths: Vec<usize> = training.sequences.iter().map(|sequence| sequence.frames.len()).collect();
        let oscillators = map(shapes.iter().collect(), &|shape: &Vec<f64>| {
            let along = |rest: &Vec<f64>| rest.iter().zip(shape).map(|(a, b)| a * b).sum();
            let amplitudes: Vec<f64> = rests.iter().map(along).collect();
            fit_oscillator(&lengths, &driven, &amplitudes, params.regularisation)
        });
        progress(1.0);
        let groups = refinement.surface.layout.group_count();
        let of_group = |group: usize| shapes.iter().flat_map(move |shape| &shape[group * TRIPLE..][..TRIPLE]);
        let packed = (0..groups).flat_map(of_group).map(|&number| number as f32).collect();
        Ok(Self { frame_seconds, gauge, mean, axes, signals, oscillators, shapes: packed })
    }

    /// Frequency \[Hz\] and damping rate \[1/s\] of each.
    pub(super) fn oscillations(&self) -> Vec<(f64, f64)> {
        self.oscillators.iter().map(|oscillator| oscillator.oscillation(self.frame_seconds)).collect()
    }

    /// Moves amplitudes to a frame that comes so many seconds after the last.
    pub(super) fn advance(&self, state: &mut ModesState, coarse: &[Vec3], seconds: f64) {
        let ModesState { previous, now, before, sources, signals, .. } = state;
        let is_first = previous.is_empty();
        let last = (!is_first).then_some((&previous[..], seconds));
        measure_sources(&self.gauge, coarse, last, sources);
        signals.clear();
        signals.extend(
            self.axes.chunks(self.mean.len()).map(|axis| {
                axis.iter().zip(sources.iter().zip(&self.mean)).map(|(a, (s, m))| a * (s - m)).sum::<f64>()
            }),
        );
        now.resize(self.oscillators.len(), 0.0);
        before.resize(self.oscillators.len(), 0.0);
        for (m, oscillator) in self.oscillators.iter().enumerate() {
            let target = oscillator.target(signals);
            if is_first {
                (now[m], before[m]) = (target, target);
            } else {
                // What was before is the same motion, at the pace of this frame.
                let pace = if state.seconds > 0.0 { seconds / state.seconds } else { 1.0 };
                let earlier = now[m] - (now[m] - before[m]) * pace;
                let next = oscillator.poles.after(seconds / self.frame_seconds).next(now[m], earlier, target);
                (before[m], now[m]) = (now[m], next.clamp(-oscillator.limit, oscillator.limit));
            }
        }
        state.seconds = if is_first { 0.0 } else { seconds };
        state.previous.clear();
        state.previous.extend_from_slice(coarse);
    }
}

/// X − B u in the frames of blocks, [group][coordinate][lane].
fn left_over(refinement: &Refinement, piu: &Piu, coarse: &[Vec3], fine: &[Vec3]) -> Vec<f64> {
    let layout = &refinement.surface.layout;
    let mut shown = vec![Vec3::ZERO; fine.len()];
    piu.show(&refinement.surface, coarse, &[], &[], &mut shown);
    let mut rest = vec![0.0; layout.group_count() * TRIPLE];
    for (number, block) in layout.blocks.iter().enumerate() {
        let turn = piu.block_frame(number, coarse).transpose();
        for group in block.groups.clone() {
            for (lane, vertex) in layout.members(group) {
                let d = turn * (fine[vertex] - shown[vertex]);
                (0..3).for_each(|k| rest[group * TRIPLE + k * LANES + lane] = d[k]);
            }
        }
    }
    rest
}

/// Mean of each source, and axes of signals of unit variance. Deformation and velocity count the same, whatever their units.
fn signal_axes(sources: &[Vec<f64>], count: usize) -> (Vec<f64>, Vec<f64>, usize) {
    let (frames, width) = (sources.len() as f64, sources[0].len());
    let mut mean = vec![0.0; width];
    sources.iter().for_each(|own| mean.iter_mut().zip(own).for_each(|(m, s)| *m += s / frames));
    let mut variances = [0.0; 2];
    let kind = |k: usize| usize::from(k % SOURCES >= NUMBERS);
    for own in sources {
        (0..width).for_each(|k| variances[kind(k)] += (own[k] - mean[k]).powi(2) / frames);
    }
    let scales = variances.map(|variance| if variance > 0.0 { 1.0 / variance.sqrt() } else { 0.0 });
    let scaled: Vec<Vec<f64>> =
        sources.iter().map(|own| (0..width).map(|k| scales[kind(k)] * (own[k] - mean[k])).collect()).collect();
    let mut axes = Vec::new();
    let mut found = 0;
    for coefficients in principal(&scaled, count) {
        let mut axis = vec![0.0; width];
        for (coefficient, sample) in coefficients.iter().zip(&scaled) {
            axis.iter_mut().zip(sample).for_each(|(a, s)| *a += coefficient * s);
        }
        let along = |sample: &Vec<f64>| axis.iter().zip(sample).map(|(a, s)| a * s).sum::<f64>();
        let deviation = (scaled.iter().map(|sample| along(sample).powi(2)).sum::<f64>() / frames).sqrt();
        axes.extend(axis.iter().enumerate().map(|(k, a)| a * scales[kind(k)] / deviation));
        found += 1;
    }
    (mean, axes, found)
}

/// Oscillators of stored numbers: radius, angle, whether there are two poles, limit, and gains.
pub(super) fn oscillator_of(numbers: &[f64]) -> Oscillator {
    let [radius, angle, pair, limit] = [numbers[0], numbers[1], numbers[2], numbers[3]];
    let poles = if pair > 0.0 { Poles::Pair { radius, angle } } else { Poles::Single { radius } };
    Oscillator { poles, limit, gains: numbers[4..].to_vec() }
}

/// The reverse of `oscillator_of`.
pub(super) fn numbers_of(oscillator: &Oscillator) -> Vec<f64> {
    let start = match oscillator.poles {
        Poles::Pair { radius, angle } => [radius, angle, 1.0],
        Poles::Single { radius } => [radius, 0.0, 0.0],
    };
    start.into_iter().chain([oscillator.limit]).chain(oscillator.gains.iter().copied()).collect()
}
