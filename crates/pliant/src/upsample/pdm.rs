//! Polynomial displacement maps [Bender 2014, §5.2.2; Ma 2008].
//!
//! ```text
//!   f = offset and in-plane strain at coarse vertices (see `gauge`)
//!   u = (u₁, u₂): the two principal components of f around a coarse triangle over the training data, at unit variance,
//!       interpolated to fine vertices as points are
//!   d = Σ_k c_k w_k(u),  w = (u₁², u₂², u₁, u₂, u₁u₂, 1), along the normal, or along each axis of the local frame
//! ```
//!
//! The coefficients of a vertex are those of a least-squares problem of six unknowns over all frames.
//!
//! Departure: f has six numbers and not five: the shear strain is one of them, since cloth shears before it stretches.
//! Departure: offsets count from the mean of the neighbours; in [Ma 2008] from a face at rest, of which there is nothing in cloth that travels.
//! Departure: u is kept within its range in the training data, since parabolas leave for infinity beyond.

use super::error::UpsampleError;
use super::gauge::{Gauge, NUMBERS};
use super::layout::{Block, LANES, MOST_CONTROLS};
use super::method::{Directions, PdmParams};
use super::refinement::Refinement;
use super::surface::{Detail, Place, Surface};
use super::training::TrainingSet;
use crate::math::lanes::Lanes;
use crate::math::{Vec3, factor_dense, solve_dense, symmetric_eigen};

/// Terms of the polynomial.
const TERMS: usize = 6;
/// A component whose variance is below this share of the first has no direction of its own.
const NO_VARIANCE: f64 = 1e-12;
/// Strains below this are rounding.
const NO_STRAIN: f64 = 1e-10;
/// A pivot below this share of its diagonal entry says that coefficients are undetermined.
const SINGULAR: f64 = 1e-10;

/// The two components of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Components {
    pub(super) mean: [f64; NUMBERS],
    /// Over the standard deviation.
    pub(super) axes: [[f64; NUMBERS]; 2],
    /// Range over the training data.
    pub(super) range: [[f64; 2]; 2],
}

impl Components {
    /// u of the numbers at a coarse vertex.
    #[inline(always)]
    fn of(&self, numbers: &[f64; NUMBERS]) -> [f64; 2] {
        self.axes.map(|axis| (0..NUMBERS).map(|k| axis[k] * (numbers[k] - self.mean[k])).sum())
    }
}

/// A fitted map.
#[derive(Debug, Clone)]
pub(super) struct Pdm {
    pub(super) params: PdmParams,
    pub(super) gauge: Gauge,
    pub(super) components: Vec<Components>,
    /// \[m\], [group][direction][term][lane].
    pub(super) coefficients: Vec<f64>,
}

/// Buffers of a frame.
#[derive(Debug, Clone, Default)]
pub(super) struct PdmScratch {
    numbers: Vec<[f64; NUMBERS]>,
}

/// Number of directions.
pub(super) fn direction_count(directions: Directions) -> usize {
    match directions {
        Directions::Normal => 1,
        Directions::All => 3,
    }
}

/// Which coordinate of a local detail a direction is.
fn coordinate(directions: Directions, direction: usize) -> usize {
    match directions {
        Directions::Normal => 2,
        Directions::All => direction,
    }
}

impl Pdm {
    pub(super) fn fit(
        refinement: &Refinement,
        training: &TrainingSet,
        params: &PdmParams,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, UpsampleError> {
        let frames = training.frame_count();
        if frames < TERMS {
            return Err(UpsampleError::TooFewFrames { found: frames, needed: TERMS, method: "pdm" });
        }
        let gauge = Gauge::new(refinement.coarse_mesh())?;
        let layout = &refinement.surface.layout;
        let mut measured = Vec::with_capacity(frames);
        for frame in training.frames() {
            let mut numbers = vec![[0.0; NUMBERS]; gauge.len()];
            gauge.measure(&frame.coarse, &mut numbers);
            measured.push(numbers);
        }
        let around = |block: &Block| components(&measured, &layout.controls[block.controls.clone()]);
        let components: Vec<Components> = layout.blocks.iter().map(around).collect();
        let directions = direction_count(params.directions);
        // Of each lane the lower triangle of the normal equations, and right-hand sides.
        const LOWER: usize = TERMS * (TERMS + 1) / 2;
        let lanes = layout.group_count() * LANES;
        let (mut matrices, mut sides) = (vec![[0.0; LOWER]; lanes], vec![[[0.0; TERMS]; 3]; lanes]);
        for (number, (frame, numbers)) in training.frames().zip(&measured).enumerate() {
            let details = refinement.surface.local_details(&frame.coarse, &frame.fine);
            for (block, components) in layout.blocks.iter().zip(&components) {
                let controls = &layout.controls[block.controls.clone()];
                let u: Vec<[f64; 2]> = controls.iter().map(|&c| components.of(&numbers[c as usize])).collect();
                for (group, table) in layout.tables_of(block) {
                    for lane in 0..LANES {
                        let carried = |n: usize| table.iter().zip(&u).map(|(row, u)| row[lane] * u[n]).sum();
                        let w = terms([carried(0), carried(1)]);
                        let (matrix, sides) = (&mut matrices[group * LANES + lane], &mut sides[group * LANES + lane]);
                        let mut at = 0;
                        for i in 0..TERMS {
                            for j in 0..=i {
                                matrix[at] += w[i] * w[j];
                                at += 1;
                            }
                        }
                        for direction in 0..directions {
                            let axis = coordinate(params.directions, direction);
                            let d = details[(group * 3 + axis) * LANES + lane];
                            (0..TERMS).for_each(|i| sides[direction][i] += w[i] * d);
                        }
                    }
                }
            }
            progress((number + 1) as f64 / frames as f64);
        }
        let mut coefficients = vec![0.0; layout.group_count() * directions * TERMS * LANES];
        for group in 0..layout.group_count() {
            for (lane, vertex) in layout.members(group) {
                let factor = factored(&matrices[group * LANES + lane], params.regularisation * frames as f64);
                let Some(factor) = factor else {
                    let regularisation = params.regularisation;
                    return Err(UpsampleError::SingularFit { method: "pdm", vertex, frames, regularisation });
                };
                for direction in 0..directions {
                    let mut side = sides[group * LANES + lane][direction];
                    solve_dense(&factor, &mut side);
                    for (term, value) in side.into_iter().enumerate() {
                        coefficients[((group * directions + direction) * TERMS + term) * LANES + lane] = value;
                    }
                }
            }
        }
        Ok(Self { params: *params, gauge, components, coefficients })
    }

    /// The gauge's numbers at coarse vertices.
    fn gauged<'a>(&self, coarse: &[Vec3], scratch: &'a mut PdmScratch) -> &'a [[f64; NUMBERS]] {
        scratch.numbers.resize(coarse.len(), [0.0; NUMBERS]);
        self.gauge.measure(coarse, &mut scratch.numbers);
        &scratch.numbers
    }

    /// Tells u of each control of each block.
    pub(super) fn measure(
        &self,
        coarse: &[Vec3],
        (blocks, controls): (&[Block], &[u32]),
        scratch: &mut PdmScratch,
        mut tell: impl FnMut([f64; 2]),
    ) {
        let numbers = self.gauged(coarse, scratch);
        for (block, components) in blocks.iter().zip(&self.components) {
            let own = &controls[block.controls.clone()];
            own.iter().for_each(|&control| tell(components.of(&numbers[control as usize])));
        }
    }

    /// Writes a frame.
    pub(super) fn show(&self, surface: &Surface, coarse: &[Vec3], scratch: &mut PdmScratch, out: &mut [Vec3]) {
        let numbers = self.gauged(coarse, scratch);
        match self.params.directions {
            Directions::Normal => surface.show(coarse, &Polynomial::<1> { pdm: self, numbers }, out),
            Directions::All => surface.show(coarse, &Polynomial::<3> { pdm: self, numbers }, out),
        }
    }
}

/// w(u).
fn terms([a, b]: [f64; 2]) -> [f64; TERMS] {
    [a * a, b * b, a, b, a * b, 1.0]
}

/// Cholesky factor of normal equations with a penalty on all terms but the constant; none if they are singular.
fn factored(lower: &[f64], penalty: f64) -> Option<[f64; TERMS * TERMS]> {
    let mut matrix = [0.0; TERMS * TERMS];
    let mut at = 0;
    for i in 0..TERMS {
        for j in 0..=i {
            matrix[i * TERMS + j] = lower[at];
            at += 1;
        }
        if i + 1 < TERMS {
            matrix[i * TERMS + i] += penalty;
        }
    }
    let diagonal: [f64; TERMS] = std::array::from_fn(|i| matrix[i * TERMS + i]);
    let is_regular =
        factor_dense(&mut matrix, TERMS) && (0..TERMS).all(|i| matrix[i * TERMS + i].powi(2) > SINGULAR * diagonal[i]);
    is_regular.then_some(matrix)
}

/// Principal components of the numbers at these vertices over all frames.
fn components(measured: &[Vec<[f64; NUMBERS]>], vertices: &[u32]) -> Components {
    let samples = || measured.iter().flat_map(|frame| vertices.iter().map(move |&v| &frame[v as usize]));
    let count = (measured.len() * vertices.len()) as f64;
    let mut mean = [0.0; NUMBERS];
    samples().for_each(|sample| (0..NUMBERS).for_each(|k| mean[k] += sample[k] / count));
    let mut covariance = [0.0; NUMBERS * NUMBERS];
    for sample in samples() {
        for i in 0..NUMBERS {
            for j in 0..NUMBERS {
                covariance[i * NUMBERS + j] += (sample[i] - mean[i]) * (sample[j] - mean[j]) / count;
            }
        }
    }
    let mut vectors = [0.0; NUMBERS * NUMBERS];
    symmetric_eigen(&mut covariance, &mut vectors, NUMBERS);
    let mut order: [usize; NUMBERS] = std::array::from_fn(|k| k);
    order.sort_by(|&i, &j| covariance[j * (NUMBERS + 1)].total_cmp(&covariance[i * (NUMBERS + 1)]));
    let largest = covariance[order[0] * (NUMBERS + 1)];
    let axes = [order[0], order[1]].map(|k| {
        let variance = covariance[k * (NUMBERS + 1)];
        let is_real = variance > NO_VARIANCE * largest && variance > NO_STRAIN * NO_STRAIN;
        let scale = if is_real { 1.0 / variance.sqrt() } else { 0.0 };
        std::array::from_fn(|i| scale * vectors[i * NUMBERS + k])
    });
    let mut components = Components { mean, axes, range: [[0.0; 2]; 2] };
    for sample in samples() {
        let u = components.of(sample);
        for (range, u) in components.range.iter_mut().zip(u) {
            *range = [range[0].min(u), range[1].max(u)];
        }
    }
    components
}

struct Polynomial<'a, const DIRECTIONS: usize> {
    pdm: &'a Pdm,
    numbers: &'a [[f64; NUMBERS]],
}

impl<const DIRECTIONS: usize> Detail for Polynomial<'_, DIRECTIONS> {
    const FRAMES: bool = true;
    /// u of the controls, and their range.
    type Prepared = ([[f64; 2]; MOST_CONTROLS], [[f64; 2]; 2]);

    #[inline(always)]
    fn prepare(&self, number: usize, _: [u32; 3], controls: &[u32]) -> Self::Prepared {
        let components = &self.pdm.components[number];
        let mut u = [[0.0; 2]; MOST_CONTROLS];
        for (u, &control) in u.iter_mut().zip(controls) {
            *u = components.of(&self.numbers[control as usize]);
        }
        (u, components.range)
    }

    #[inline(always)]
    fn at<L: Lanes<Scalar = f64>>(
        &self,
        (controls, range): &Self::Prepared,
        place: &Place<'_>,
        frame: &[[L; 3]; 3],
    ) -> [L; 3] {
        let carried: [L; 2] = place.carried(|k, _| controls[k]);
        let [a, b] = [0, 1].map(|n| carried[n].max(L::splat(range[n][0])).min(L::splat(range[n][1])));
        let w = [a.mul(a), b.mul(b), a, b, a.mul(b)];
        let mut d = [L::zero(); 3];
        for direction in 0..DIRECTIONS {
            let own: &[f64; TERMS * LANES] = &self.pdm.coefficients.as_chunks().0[place.group * DIRECTIONS + direction];
            let term = |k: usize| L::from_slice(&own[k * LANES..][..LANES]);
            let sum = (0..TERMS - 1).fold(term(TERMS - 1), |sum, k| w[k].mul_add(term(k), sum));
            d[if DIRECTIONS == 1 { 2 } else { direction }] = sum;
        }
        super::frames::turned(frame, d)
    }
}
