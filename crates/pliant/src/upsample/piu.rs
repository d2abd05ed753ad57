//! Physics-inspired upsampling [Bender 2014, §5.2.3; Kavan 2011].
//!
//! ```text
//!   X = B u             rows of B have few entries and add up to one;
//!   B = arg min Σ_frames ‖B u − X‖² + λ ‖B − S‖²      S: subdivision
//! ```
//!
//! Departure: the rows act in the frame R_b of the coarse triangle that a fine vertex belongs to, since B in world coordinates would keep wrinkles
//! where they were when the cloth turns:
//!
//! ```text
//!   x = s + R_b C f,   f = R_bᵀ (u_j − c_b) for the K coarse vertices j nearest to the triangle, c_b the mean of its corners
//! ```
//!
//! With C taken apart by corners this is x = R_b B R_bᵀ u with B = S + C − (Σ C)/3 at the corners: its rows add up to one whatever C is, and a
//! rotation of u is one of x. Vertices of a triangle share f, so that one factor solves for all of their rows.
//!
//! The penalty is measured by how much f varies. The mean of f is free of it: it says where detail is on average, and not how it changes.

use super::error::UpsampleError;
use super::frames::triangle_frame;
use super::layout::{Block, LANES};
use super::method::PiuParams;
use super::refinement::Refinement;
use super::surface::{Detail, Place, Surface};
use super::training::TrainingSet;
use crate::math::lanes::Lanes;
use crate::math::{Mat3, Vec3, factor_dense, solve_dense};
use crate::mesh::TriangleMesh;
use crate::parallel::map;

/// Neighbours at most.
const MOST: usize = 64;
/// Penalty of everything, over the mean square of f: what nothing determines is zero.
const FLOOR: f64 = 1e-10;
/// Numbers of a group for each input or mode: three coordinates of four lanes.
pub(super) const TRIPLE: usize = 3 * LANES;

/// Fitted rows.
#[derive(Debug, Clone)]
pub(super) struct Piu {
    pub(super) inputs: Inputs,
    /// \[m/m\], [group][input][coordinate][lane]. In f32, since reading them is most of the work; all sums are in f64.
    pub(super) coefficients: Vec<f32>,
}

/// Which coarse vertices each block looks at.
#[derive(Debug, Clone)]
pub(super) struct Inputs {
    /// Vertices for each block.
    pub(super) count: usize,
    vertices: Vec<u32>,
}

impl Inputs {
    pub(super) fn new(coarse: &TriangleMesh, blocks: &[Block], neighbours: usize) -> Self {
        let count = neighbours.min(coarse.positions.len());
        let nearest = |block: &Block| {
            let centre = block.corners.iter().map(|&v| coarse.positions[v as usize]).sum::<Vec3>() / 3.0;
            let others = (0..coarse.positions.len() as u32).filter(|v| !block.corners.contains(v));
            let mut others: Vec<(f64, u32)> =
                others.map(|v| (coarse.positions[v as usize].distance_squared(centre), v)).collect();
            let nearer = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            let wanted = count - 3;
            if wanted < others.len() {
                others.select_nth_unstable_by(wanted, nearer);
            }
            others.truncate(wanted);
            others.sort_unstable_by(nearer);
            block.corners.into_iter().chain(others.into_iter().map(|(_, v)| v)).collect::<Vec<u32>>()
        };
        Self { count, vertices: map(blocks.iter().collect(), &nearest).concat() }
    }

    fn of(&self, block: usize) -> &[u32] {
        &self.vertices[block * self.count..][..self.count]
    }

    /// f of a block, and its frame.
    #[inline(always)]
    pub(super) fn measure(&self, block: usize, coarse: &[Vec3], out: &mut [f64]) -> Mat3 {
        let vertices = self.of(block);
        let corners = [0, 1, 2].map(|k| coarse[vertices[k] as usize]);
        let (frame, centre) = (triangle_frame(corners), (corners[0] + corners[1] + corners[2]) / 3.0);
        for (own, &v) in out.as_chunks_mut::<3>().0.iter_mut().zip(vertices) {
            *own = (frame.transpose() * (coarse[v as usize] - centre)).to_array();
        }
        frame
    }
}

/// Sums over frames for the least squares of a block.
struct Equations {
    /// Σ f fᵀ.
    matrix: Vec<f64>,
    /// Σ f.
    sum: Vec<f64>,
    /// Σ d f, [lane of the block][coordinate][input].
    sides: Vec<f64>,
}

impl Piu {
    pub(super) fn fit(
        refinement: &Refinement,
        training: &TrainingSet,
        params: &PiuParams,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, UpsampleError> {
        let frames = training.frame_count();
        if frames < 2 {
            return Err(UpsampleError::TooFewFrames { found: frames, needed: 2, method: "piu" });
        }
        let layout = &refinement.surface.layout;
        let inputs = Inputs::new(refinement.coarse_mesh(), &layout.blocks, params.neighbours);
        let n = 3 * inputs.count;
        let empty = |block: &Block| Equations {
            matrix: vec![0.0; n * n],
            sum: vec![0.0; n],
            sides: vec![0.0; block.groups.len() * TRIPLE * n],
        };
        let mut equations: Vec<Equations> = layout.blocks.iter().map(empty).collect();
        let mut smooth = vec![Vec3::ZERO; refinement.fine_mesh().positions.len()];
        for (number, frame) in training.frames().enumerate() {
            refinement.smooth(&frame.coarse, &mut smooth)?;
            let smooth = &smooth;
            let add = |(b, own): (usize, &mut Equations)| {
                let mut f = vec![0.0; n];
                let turn = inputs.measure(b, &frame.coarse, &mut f).transpose();
                for i in 0..n {
                    own.sum[i] += f[i];
                    (0..=i).for_each(|j| own.matrix[i * n + j] += f[i] * f[j]);
                }
                for (local, group) in layout.blocks[b].groups.clone().enumerate() {
                    for (lane, vertex) in layout.members(group) {
                        let d = turn * (frame.fine[vertex] - smooth[vertex]);
                        for k in 0..3 {
                            let side = &mut own.sides[((local * LANES + lane) * 3 + k) * n..][..n];
                            side.iter_mut().zip(&f).for_each(|(side, f)| *side += d[k] * f);
                        }
                    }
                }
            };
            map(equations.iter_mut().enumerate().collect(), &add);
            progress((number + 1) as f64 / frames as f64);
        }
        let blocks: Vec<(&Block, Equations)> = layout.blocks.iter().zip(equations).collect();
        let solved =
            map(blocks, &|(block, own)| solve(own, frames as f64, params.regularisation).ok_or(block.groups.start));
        let mut coefficients = vec![0.0; layout.group_count() * n * TRIPLE];
        for (block, sides) in layout.blocks.iter().zip(solved) {
            let sides = sides.map_err(|group| UpsampleError::SingularFit {
                method: "piu",
                vertex: layout.members(group).next().map_or(0, |(_, vertex)| vertex),
                frames,
                regularisation: params.regularisation,
            })?;
            for (local, group) in block.groups.clone().enumerate() {
                for (lane, _) in layout.members(group) {
                    for k in 0..3 {
                        let row = &sides[((local * LANES + lane) * 3 + k) * n..][..n];
                        for (input, value) in row.iter().enumerate() {
                            coefficients[(group * n + input) * TRIPLE + k * LANES + lane] = *value as f32;
                        }
                    }
                }
            }
        }
        Ok(Self { inputs, coefficients })
    }

    /// Writes a frame; modes have these amplitudes \[m\] and shapes, [group][mode][coordinate][lane].
    pub(super) fn show(
        &self,
        surface: &Surface,
        coarse: &[Vec3],
        amplitudes: &[f64],
        shapes: &[f32],
        out: &mut [Vec3],
    ) {
        surface.show(coarse, &Rows { piu: self, coarse, amplitudes, shapes }, out);
    }

    /// Frames of blocks, in which coefficients and shapes of modes are.
    pub(super) fn block_frame(&self, block: usize, coarse: &[Vec3]) -> Mat3 {
        let vertices = self.inputs.of(block);
        triangle_frame([0, 1, 2].map(|k| coarse[vertices[k] as usize]))
    }
}

/// The rows of all vertices of a block.
fn solve(own: Equations, frames: f64, regularisation: f64) -> Option<Vec<f64>> {
    let Equations { mut matrix, sum, mut sides } = own;
    let n = sum.len();
    let trace: f64 = (0..n).map(|i| matrix[i * n + i]).sum();
    let square: f64 = sum.iter().map(|s| s * s).sum();
    let variance = (trace - square / frames).max(0.0) / n as f64;
    for i in 0..n {
        if square > 0.0 {
            (0..=i).for_each(|j| matrix[i * n + j] -= regularisation * variance * sum[i] * sum[j] / square);
        }
        matrix[i * n + i] += regularisation * variance + FLOOR * trace / n as f64;
    }
    if !factor_dense(&mut matrix, n) {
        return None;
    }
    sides.chunks_mut(n).for_each(|side| solve_dense(&matrix, side));
    Some(sides)
}

struct Rows<'a> {
    piu: &'a Piu,
    coarse: &'a [Vec3],
    amplitudes: &'a [f64],
    shapes: &'a [f32],
}

impl Detail for Rows<'_> {
    const FRAMES: bool = false;
    /// f and the frame of the block.
    type Prepared = ([f64; 3 * MOST], Mat3);

    #[inline(always)]
    fn prepare(&self, number: usize, _: [u32; 3], _: &[u32]) -> Self::Prepared {
        let mut f = [0.0; 3 * MOST];
        let frame = self.piu.inputs.measure(number, self.coarse, &mut f);
        (f, frame)
    }

    #[inline(always)]
    fn at<L: Lanes<Scalar = f64>>(&self, (f, frame): &Self::Prepared, place: &Place<'_>, _: &[[L; 3]; 3]) -> [L; 3] {
        let inputs = &f[..3 * self.piu.inputs.count];
        let mut d = [L::zero(); 3];
        weighted(&self.piu.coefficients, place.group, inputs, &mut d);
        weighted(self.shapes, place.group, self.amplitudes, &mut d);
        [0, 1, 2].map(|k| {
            let row = frame.row(k);
            d[2].mul_add(L::splat(row.z), d[1].mul_add(L::splat(row.y), d[0].mul(L::splat(row.x))))
        })
    }
}

/// Adds Σ factor · numbers of a group, [group][factor][coordinate][lane].
#[inline(always)]
fn weighted<L: Lanes<Scalar = f64>>(numbers: &[f32], group: usize, factors: &[f64], sums: &mut [L; 3]) {
    let all: &[[f32; TRIPLE]] = numbers.as_chunks().0;
    for (own, &factor) in all[group * factors.len()..][..factors.len()].iter().zip(factors) {
        let wide = own.map(f64::from);
        for k in 0..3 {
            sums[k] = L::from_slice(&wide[k * LANES..][..LANES]).mul_add(L::splat(factor), sums[k]);
        }
    }
}
