//! Weighted pose-space deformation [Bender 2014, §5.2.1; Bickel 2008; Zurdo 2013].
//!
//! ```text
//!   u   = (a_e ε_e) of the 16 edges nearest to a coarse vertex, ε_e = l/l₀ − 1, a_e = exp(−distance/decay), Σ a² = 1
//!   w_j = Σ_i ω_ij φ(‖u − u_i‖),  φ(r) = r,  ω the inverse of φ(‖u_i − u_j‖), so that w_j(u_i) = δ_ij
//!   d   = Σ_j w_j d_j              in the local frame; w is interpolated to fine vertices as points are
//! ```
//!
//! Poses are chosen greedily: the training frame with the largest root mean square error comes next.
//!
//! Departure: poses that a vertex cannot tell apart, since its edges have the same strain in them, share one weight there equally; the matrix of
//! distances has no inverse otherwise.
//! Departure: the rest shape may be the first pose, which costs no training frame and keeps a mesh at rest free of wrinkles.

use super::error::UpsampleError;
use super::layout::LANES;
use super::method::WpsdParams;
use super::refinement::Refinement;
use super::surface::{Detail, Place, Surface, triple};
use super::training::TrainingSet;
use crate::math::Vec3;
use crate::math::functions::exp;
use crate::math::lanes::Lanes;
use crate::mesh::TriangleMesh;
use crate::parallel::{Strided, for_each};

/// Poses whose local strains differ by less are the same at a vertex: rounding of positions by metres from the origin is below this.
const DISTINCT: f64 = 1e-9;

/// What stays constant from the meshes: which edges a coarse vertex looks at.
#[derive(Debug, Clone)]
pub(super) struct Strains {
    edges: Vec<[u32; 2]>,
    rest_lengths: Vec<f64>,
    /// Edges of each vertex with their weights, `count` for each.
    near: Vec<(u32, f64)>,
    count: usize,
}

impl Strains {
    pub(super) fn new(coarse: &TriangleMesh, params: &WpsdParams) -> Result<Self, UpsampleError> {
        coarse.check_quality().map_err(|error| UpsampleError::Mesh { which: "coarse", error })?;
        let (x, edges) = (&coarse.positions, coarse.edges());
        let rest_lengths = crate::mesh::edge_lengths(x, &edges);
        let scale = params.decay * rest_lengths.iter().sum::<f64>() / edges.len() as f64;
        let count = params.edges.min(edges.len());
        let middles: Vec<Vec3> = edges.iter().map(|e| (x[e[0] as usize] + x[e[1] as usize]) * 0.5).collect();
        let mut near = vec![(0, 0.0); x.len() * count];
        for_each(0..x.len(), Strided { entries: &mut near, stride: count }, &|range, part| {
            let mut by_distance: Vec<(f64, u32)> = Vec::with_capacity(middles.len());
            for (own, vertex) in part.entries.chunks_mut(count).zip(range) {
                by_distance.clear();
                by_distance.extend((0u32..).zip(&middles).map(|(e, m)| (m.distance(x[vertex]), e)));
                let nearer = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
                by_distance.select_nth_unstable_by(count - 1, nearer);
                by_distance[..count].sort_unstable_by(nearer);
                let weight = |distance: f64| exp(-(distance - by_distance[0].0) / scale);
                let total = by_distance[..count].iter().map(|&(d, _)| weight(d).powi(2)).sum::<f64>().sqrt();
                for (slot, &(distance, edge)) in own.iter_mut().zip(&by_distance) {
                    *slot = (edge, weight(distance) / total);
                }
            }
        });
        Ok(Self { edges, rest_lengths, near, count })
    }

    /// Edges that a vertex looks at.
    pub(super) fn edges_of_vertex(&self) -> usize {
        self.count
    }

    /// ε of each edge.
    fn edge_strains(&self, coarse: &[Vec3], out: &mut Vec<f64>) {
        let strain = |(&[a, b], rest): (&[u32; 2], &f64)| coarse[a as usize].distance(coarse[b as usize]) / rest - 1.0;
        out.clear();
        out.extend(self.edges.iter().zip(&self.rest_lengths).map(strain));
    }

    fn coordinates<'a>(&'a self, vertex: usize, strains: &'a [f64]) -> impl Iterator<Item = f64> + Clone + 'a {
        self.near[vertex * self.count..][..self.count].iter().map(|&(edge, weight)| weight * strains[edge as usize])
    }
}

/// Poses, and how they are weighted.
#[derive(Debug, Clone)]
pub(super) struct Wpsd {
    pub(super) params: WpsdParams,
    pub(super) strains: Strains,
    /// Number of poses.
    pub(super) poses: usize,
    /// Local strain of each pose at each coarse vertex, [vertex][pose][edge].
    pub(super) places: Vec<f64>,
    /// Per coarse vertex: what weights begin with, and ω by rows, [vertex][pose][1 + poses].
    pub(super) solutions: Vec<f64>,
    /// In local frames \[m\], [group][pose][coordinate][lane].
    pub(super) details: Vec<f64>,
}

/// Buffers of a frame.
#[derive(Debug, Clone, Default)]
pub(super) struct WpsdScratch {
    strains: Vec<f64>,
    weights: Vec<f64>,
}

impl Wpsd {
    /// Chooses poses one by one; also says which.
    pub(super) fn fit(
        refinement: &Refinement,
        training: &TrainingSet,
        params: &WpsdParams,
        progress: &mut dyn FnMut(f64),
    ) -> Result<(Self, Vec<(usize, usize)>), UpsampleError> {
        let frames = training.frame_count();
        if frames == 0 {
            return Err(UpsampleError::TooFewFrames { found: 0, needed: 1, method: "wpsd" });
        }
        let strains = Strains::new(refinement.coarse_mesh(), params)?;
        let [_, fine_count] = refinement.vertex_counts();
        let rest = &refinement.coarse_mesh().positions;
        let mut poses = Vec::new();
        let mut chosen: Vec<usize> = Vec::new();
        if params.rest_pose {
            let details = refinement.surface.local_details(rest, &refinement.fine_mesh().positions);
            poses.push((rest.clone(), details));
        }
        let (mut scratch, mut shown) = (WpsdScratch::default(), vec![Vec3::ZERO; fine_count]);
        loop {
            let model = (!poses.is_empty()).then(|| Self::new(params, &strains, &poses));
            progress(poses.len() as f64 / params.poses as f64);
            let (mut worst, mut total) = (None, 0.0);
            for (number, frame) in training.frames().enumerate() {
                match &model {
                    Some(model) => model.show(&refinement.surface, &frame.coarse, &mut scratch, &mut shown),
                    None => refinement.smooth(&frame.coarse, &mut shown)?,
                }
                let square: f64 = shown.iter().zip(&frame.fine).map(|(a, b)| a.distance_squared(*b)).sum();
                total += square;
                if !chosen.contains(&number) && worst.is_none_or(|(_, most)| square > most) {
                    worst = Some((number, square));
                }
            }
            let error = (total / (frames * fine_count) as f64).sqrt();
            let is_done = poses.len() >= params.poses || error <= params.tolerance || worst.is_none();
            if let Some(model) = model.filter(|_| is_done) {
                return Ok((model, chosen.iter().map(|&number| training.place(number)).collect()));
            }
            // There is a frame left, since there is one at all and it is not the only one chosen.
            let number = worst.map_or(0, |(number, _)| number);
            if let Some(frame) = training.frames().nth(number) {
                poses.push((frame.coarse.clone(), refinement.surface.local_details(&frame.coarse, &frame.fine)));
                chosen.push(number);
            }
        }
    }

    /// Of poses with their coarse positions and local details.
    fn new(params: &WpsdParams, strains: &Strains, poses: &[(Vec<Vec3>, Vec<f64>)]) -> Self {
        let (count, vertices) = (poses.len(), strains.near.len() / strains.count);
        let mut per_pose = Vec::with_capacity(count);
        for (coarse, _) in poses {
            let mut edge_strains = Vec::new();
            strains.edge_strains(coarse, &mut edge_strains);
            per_pose.push(edge_strains);
        }
        let mut places = Vec::with_capacity(vertices * count * strains.count);
        for vertex in 0..vertices {
            per_pose.iter().for_each(|pose| places.extend(strains.coordinates(vertex, pose)));
        }
        let solutions = places.chunks(count * strains.count).flat_map(|own| solution(own, count)).collect();
        let groups = poses.first().map_or(0, |(_, details)| details.len() / (3 * LANES));
        let of_group = |group: usize| poses.iter().flat_map(move |(_, d)| &d[group * 3 * LANES..][..3 * LANES]);
        let details = (0..groups).flat_map(of_group).copied().collect();
        Self { params: *params, strains: strains.clone(), poses: count, places, solutions, details }
    }

    /// Weights of poses at coarse vertices.
    fn prepare(&self, coarse: &[Vec3], scratch: &mut WpsdScratch) {
        self.strains.edge_strains(coarse, &mut scratch.strains);
        scratch.weights.resize(coarse.len() * self.poses, 0.0);
        let WpsdScratch { strains, weights } = scratch;
        let strains = &*strains;
        for_each(0..coarse.len(), Strided { entries: weights, stride: self.poses }, &|range, part| {
            for (own, vertex) in part.entries.chunks_mut(self.poses).zip(range) {
                self.weigh(vertex, strains, own);
            }
        });
    }

    fn weigh(&self, vertex: usize, strains: &[f64], weights: &mut [f64]) {
        let (count, edges) = (self.poses, self.strains.count);
        let here = self.strains.coordinates(vertex, strains);
        let distance = |pose: usize| {
            let place = &self.places[(vertex * count + pose) * edges..][..edges];
            here.clone().zip(place).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
        };
        let rows = &self.solutions[vertex * count * (count + 1)..][..count * (count + 1)];
        for (weight, row) in weights.iter_mut().zip(rows.chunks(count + 1)) {
            *weight = row[0];
        }
        let (mut nearest, mut least) = (0, f64::INFINITY);
        for i in 0..count {
            let r = distance(i);
            if r < least {
                (nearest, least) = (i, r);
            }
            for (weight, row) in weights.iter_mut().zip(rows.chunks(count + 1)) {
                *weight += row[1 + i] * r;
            }
        }
        if self.params.convex {
            weights.iter_mut().for_each(|weight| *weight = weight.max(0.0));
            let total: f64 = weights.iter().sum();
            if total > 0.0 {
                weights.iter_mut().for_each(|weight| *weight /= total);
            } else {
                // Far from all poses every weight may be negative.
                weights[nearest] = 1.0;
            }
        }
    }

    /// Weights of poses, [coarse vertex][pose].
    pub(super) fn weights<'a>(&self, coarse: &[Vec3], scratch: &'a mut WpsdScratch) -> &'a [f64] {
        self.prepare(coarse, scratch);
        &scratch.weights
    }

    /// Writes a frame.
    pub(super) fn show(&self, surface: &Surface, coarse: &[Vec3], scratch: &mut WpsdScratch, out: &mut [Vec3]) {
        surface.show(coarse, &PoseMixture { wpsd: self, weights: self.weights(coarse, scratch) }, out);
    }
}

/// Rows that turn distances from the poses into weights, at one vertex.
fn solution(places: &[f64], count: usize) -> Vec<f64> {
    let edges = places.len() / count;
    let place = |pose: usize| &places[pose * edges..][..edges];
    let distance =
        |i: usize, j: usize| place(i).iter().zip(place(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    let first_like = |pose: usize| (0..pose).find(|&other| distance(other, pose) < DISTINCT).unwrap_or(pose);
    // A pose that is like one that is like another is taken as like that as well.
    let mut alike: Vec<usize> = (0..count).map(first_like).collect();
    (0..count).for_each(|pose| alike[pose] = alike[alike[pose]]);
    let kinds: Vec<usize> = (0..count).filter(|&pose| alike[pose] == pose).collect();
    let members = |kind: usize| alike.iter().filter(|&&other| other == kind).count() as f64;
    let mut rows = vec![0.0; count * (count + 1)];
    let phi = kinds.iter().flat_map(|&i| kinds.iter().map(move |&j| distance(i, j))).collect();
    let inverse = if kinds.len() > 1 { inverse(phi, kinds.len()) } else { None };
    for pose in 0..count {
        let row = &mut rows[pose * (count + 1)..][..count + 1];
        let share = 1.0 / members(alike[pose]);
        match (&inverse, kinds.iter().position(|&kind| kind == alike[pose])) {
            (Some(inverse), Some(own)) => {
                kinds.iter().enumerate().for_each(|(i, &kind)| row[1 + kind] = share * inverse[own * kinds.len() + i]);
            }
            // One kind of pose has the whole weight wherever the shape is.
            _ => row[0] = if kinds.len() == 1 { share } else { 1.0 / count as f64 },
        }
    }
    rows
}

/// By Gauss and Jordan with pivots; distances between distinct points always have an inverse [Micchelli 1986].
fn inverse(mut matrix: Vec<f64>, n: usize) -> Option<Vec<f64>> {
    let mut result = vec![0.0; n * n];
    (0..n).for_each(|i| result[i * n + i] = 1.0);
    for column in 0..n {
        let pivot =
            (column..n).max_by(|&a, &b| matrix[a * n + column].abs().total_cmp(&matrix[b * n + column].abs()))?;
        let scale = matrix[pivot * n + column];
        if scale == 0.0 || !scale.is_finite() {
            return None;
        }
        for k in 0..n {
            matrix.swap(column * n + k, pivot * n + k);
            result.swap(column * n + k, pivot * n + k);
            matrix[column * n + k] /= scale;
            result[column * n + k] /= scale;
        }
        for row in (0..n).filter(|&row| row != column) {
            let factor = matrix[row * n + column];
            for k in 0..n {
                matrix[row * n + k] -= factor * matrix[column * n + k];
                result[row * n + k] -= factor * result[column * n + k];
            }
        }
    }
    Some(result)
}

struct PoseMixture<'a> {
    wpsd: &'a Wpsd,
    weights: &'a [f64],
}

impl Detail for PoseMixture<'_> {
    const FRAMES: bool = true;
    type Prepared = ();

    fn prepare(&self, _: usize, _: [u32; 3], _: &[u32]) {}

    #[inline(always)]
    fn at<L: Lanes<Scalar = f64>>(&self, _: &(), place: &Place<'_>, frame: &[[L; 3]; 3]) -> [L; 3] {
        let poses = self.wpsd.poses;
        let mut d = [L::zero(); 3];
        for pose in 0..poses {
            let [weight] = place.carried::<L, 1>(|_, control| [self.weights[control * poses + pose]]);
            let own: [L; 3] = triple(&self.wpsd.details, place.group * poses + pose);
            (0..3).for_each(|k| d[k] = weight.mul_add(own[k], d[k]));
        }
        super::frames::turned(frame, d)
    }
}
