//! Wrinkle meshes [Müller 2010; Bender 2014, §3.6]: a fine mesh that follows a coarse, simulated one and wrinkles where that is
//! compressed.
//!
//! ```text
//!        p            each fine vertex p stays near its attachment point a on the coarse mesh, ‖p − a‖ ≤ r,
//!       ╱ ↑ n         and above it, n·(p − a) ≥ 0, where the coarse mesh has an outside
//!   ───a──────
//! ```
//!
//! Edges keep their lengths, and vertices across an edge keep part of their distance: this makes wrinkles as wide as
//! suits the thickness of the cloth. Wrinkles do not oscillate: there are no velocities, only iterations that start
//! from the last frame.
//!
//! Departure: bending acts in the first half of the iterations only, so that the second half has edges alone to
//! satisfy. Where wrinkles fork, the sheet crumples, more so if it is finer, and edges there take hundreds of
//! iterations: iterations continue while an edge is strained by more than a tolerance.

use std::iter::Sum;
use std::ops::Mul;

use thiserror::Error;

use crate::math::{Quat, Vec3};
use crate::mesh::bvh::Bvh;
use crate::mesh::{Bounds, Edge, MeshError, TriangleMesh, triangle_normal};
use crate::proximity::closest_vertex_triangle;

/// How a fine mesh wrinkles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WrinkleParams {
    /// How far a fine vertex may move from the coarse surface \[m\]: about three edges of the fine mesh.
    pub reach: f64,
    /// Whether fine vertices stay on the side that the coarse normals point to.
    pub one_sided: bool,
    /// Share, 0 to 1, of the bending error across an edge that each iteration corrects.
    pub bending: f64,
    /// Minimum number of iterations in an update.
    pub iterations: usize,
    /// Iterations continue while an edge is strained by more than this.
    pub tolerance: f64,
    /// Maximum number of iterations in an update. It ends earlier if more of them no longer help, for example if a mesh
    /// is compressed so far that its reach leaves no room.
    pub most_iterations: usize,
}

impl WrinkleParams {
    /// Default parameters for a reach: 100 to 1000 iterations, until no edge is strained by more than 0.8 %; stiff, on
    /// the side of the normals.
    pub fn within(reach: f64) -> Self {
        Self { reach, one_sided: true, bending: 0.9, iterations: 100, tolerance: 0.008, most_iterations: 1000 }
    }
}

/// Why a fine mesh cannot follow.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum WrinkleError {
    /// A parameter is out of range.
    #[error("{name} is {value}, but must be {need}")]
    BadParameter {
        /// Name of the value.
        name: &'static str,
        /// The given value.
        value: f64,
        /// The required range.
        need: &'static str,
    },
    /// A mesh is unusable.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The coarse mesh has a different number of vertices.
    #[error("{found} coarse positions were given, but the coarse mesh has {expected} vertices")]
    LengthMismatch {
        /// The given number.
        found: usize,
        /// The required number.
        expected: usize,
    },
    /// The fine mesh has a different number of vertices.
    #[error("{found} fine positions were given, but the fine mesh has {expected} vertices")]
    FineLengthMismatch {
        /// The given number.
        found: usize,
        /// The required number.
        expected: usize,
    },
    /// A fine position is not finite.
    #[error("fine vertex {vertex} is at {value}")]
    NonFiniteFine {
        /// Vertex.
        vertex: usize,
        /// Its position.
        value: Vec3,
    },
    /// A coarse position is not finite.
    #[error("coarse vertex {vertex} is at {value}")]
    NonFinite {
        /// Vertex.
        vertex: usize,
        /// Its position.
        value: Vec3,
    },
}

/// Where a fine vertex hangs on the coarse mesh.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    corners: [u32; 3],
    weights: [f64; 3],
    /// Height above the coarse surface at rest \[m\].
    height: f64,
    /// Along the normal, 0 to 1 of the smallest offset that a frame starts from: without it a flat cloth has no side to give way to.
    seed: f64,
}

/// Two vertices with their distance at rest \[m\].
#[derive(Debug, Clone, Copy)]
struct Span {
    ends: [u32; 2],
    rest: f64,
}

/// A fine mesh that follows a coarse one and wrinkles.
///
/// ```
/// use pliant::mesh::generate::Sheet;
/// use pliant::{WrinkleMesh, WrinkleParams};
/// let coarse = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
/// let fine = Sheet { columns: 16, rows: 16, ..Sheet::default() }.mesh()?;
/// let mut wrinkles = WrinkleMesh::new(&coarse, &fine, WrinkleParams::within(0.15))?;
/// for frame in 1..=10 {
///     let narrower = 1.0 - 0.005 * f64::from(frame);
///     let moved: Vec<_> = coarse.positions.iter().map(|p| pliant::math::Vec3::new(narrower * p.x, p.y, p.z)).collect();
///     wrinkles.follow(&moved)?;
/// }
/// assert!(wrinkles.positions().iter().any(|p| p.z > 0.005), "it gives way out of its plane");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct WrinkleMesh {
    params: WrinkleParams,
    coarse_count: usize,
    coarse_triangles: Vec<[u32; 3]>,
    anchors: Vec<Anchor>,
    edges: Vec<Span>,
    bends: Vec<Span>,
    positions: Vec<Vec3>,
    /// Normals of the last frame at the anchors, which offsets turn along with.
    normals: Vec<Vec3>,
    points: Vec<Vec3>,
}

/// Iterations between looks at the strains.
const LOOK: usize = 10;
/// Iterations in which squared strains must fall by a share to be worth more of them.
const PATIENCE: usize = 100;
const WORTH: f64 = 0.01;
/// Largest share of the reach that a frame starts off the coarse surface.
const SEED: f64 = 0.05;
/// Rounds of smoothing of what frames start from: neighbours that start the same way make wrinkles instead of crumples.
const SMOOTHING: usize = 3;

impl WrinkleMesh {
    /// Attaches each vertex of a fine mesh to the nearest point of a coarse one, both at rest.
    pub fn new(coarse: &TriangleMesh, fine: &TriangleMesh, params: WrinkleParams) -> Result<Self, WrinkleError> {
        let WrinkleParams { reach, bending, tolerance, .. } = params;
        let refuse = |name, value, need| Err(WrinkleError::BadParameter { name, value, need });
        if !(reach > 0.0 && reach.is_finite()) {
            return refuse("reach", reach, "positive");
        }
        if !(0.0..=1.0).contains(&bending) {
            return refuse("bending", bending, "0 to 1");
        }
        if tolerance.is_nan() || tolerance < 0.0 {
            return refuse("tolerance", tolerance, "zero or more");
        }
        coarse.check()?;
        fine.check()?;
        if coarse.triangles.is_empty() {
            return Err(MeshError::Empty { what: "triangles" }.into());
        }
        let edges = fine.edges();
        let seeds = seeds(fine.positions.len(), &edges);
        let boxes: Vec<Bounds> =
            (0..coarse.triangles.len()).filter_map(|t| Bounds::around(&coarse.corners(t))).collect();
        let tree = Bvh::new(&boxes);
        let anchor = |(&p, &seed): (&Vec3, &f64)| {
            let closest = |t: u32| closest_vertex_triangle(p, coarse.corners(t as usize));
            let nearest = tree.nearest(p, |t| closest(t).offset.length_squared());
            let closest = closest(nearest.item);
            let corners = coarse.triangles[nearest.item as usize];
            let weights = [1, 2, 3].map(|k: usize| -closest.weights[k]);
            Anchor { corners, weights, height: 0.0, seed }
        };
        let anchors: Vec<Anchor> = fine.positions.iter().zip(&seeds).map(anchor).collect();
        let span =
            |[a, b]: Edge| Span { ends: [a, b], rest: fine.positions[a as usize].distance(fine.positions[b as usize]) };
        let mut wrinkles = Self {
            params,
            coarse_count: coarse.positions.len(),
            coarse_triangles: coarse.triangles.clone(),
            edges: edges.iter().copied().map(span).collect(),
            bends: fine.hinges()?.iter().map(|&[_, _, c, d]| span([c, d])).collect(),
            positions: fine.positions.clone(),
            normals: Vec::new(),
            points: Vec::new(),
            anchors,
        };
        let (points, normals) = wrinkles.anchored(&coarse.positions);
        for (k, anchor) in wrinkles.anchors.iter_mut().enumerate() {
            anchor.height = (fine.positions[k] - points[k]).dot(normals[k]);
        }
        (wrinkles.points, wrinkles.normals) = wrinkles.anchored(&coarse.positions);
        Ok(wrinkles)
    }

    /// Fine positions of the last frame \[m\].
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// The largest strain of an edge in the last frame.
    pub fn largest_strain(&self) -> f64 {
        self.strains().0
    }

    /// Interpolates numbers or vectors at coarse vertices, such as strains or velocities, to the fine vertices.
    ///
    /// # Panics
    /// If their number differs from the number of coarse vertices.
    pub fn carried<T>(&self, coarse: &[T]) -> Vec<T>
    where
        T: Copy + Sum,
        f64: Mul<T, Output = T>,
    {
        let at = |a: &Anchor| a.corners.iter().zip(a.weights).map(|(&v, weight)| weight * coarse[v as usize]).sum();
        self.anchors.iter().map(at).collect()
    }

    /// Continues from fine positions of an earlier frame \[m\] and the coarse ones that they followed then.
    pub fn resume(&mut self, coarse: &[Vec3], fine: &[Vec3]) -> Result<(), WrinkleError> {
        self.check(coarse)?;
        if fine.len() != self.positions.len() {
            return Err(WrinkleError::FineLengthMismatch { found: fine.len(), expected: self.positions.len() });
        }
        if let Some(vertex) = fine.iter().position(|p| !p.is_finite()) {
            return Err(WrinkleError::NonFiniteFine { vertex, value: fine[vertex] });
        }
        (self.points, self.normals) = self.anchored(coarse);
        self.positions.copy_from_slice(fine);
        Ok(())
    }

    fn check(&self, coarse: &[Vec3]) -> Result<(), WrinkleError> {
        if coarse.len() != self.coarse_count {
            return Err(WrinkleError::LengthMismatch { found: coarse.len(), expected: self.coarse_count });
        }
        match coarse.iter().position(|p| !p.is_finite()) {
            Some(vertex) => Err(WrinkleError::NonFinite { vertex, value: coarse[vertex] }),
            None => Ok(()),
        }
    }

    /// Moves the fine mesh along with the coarse one, which is now at these positions \[m\], and returns its own positions.
    pub fn follow(&mut self, coarse: &[Vec3]) -> Result<&[Vec3], WrinkleError> {
        self.check(coarse)?;
        let (points, normals) = self.anchored(coarse);
        let least = SEED * self.params.reach;
        for (k, p) in self.positions.iter_mut().enumerate() {
            let turn = Quat::from_rotation_arc(self.normals[k], normals[k]);
            let mut offset = turn * (*p - self.points[k]);
            let height = offset.dot(normals[k]);
            if height.abs() < least * self.anchors[k].seed {
                offset += normals[k] * (least * self.anchors[k].seed - height);
            }
            *p = points[k] + offset;
        }
        (self.points, self.normals) = (points, normals);
        self.relax();
        Ok(&self.positions)
    }

    /// Iterates until edges have their lengths.
    fn relax(&mut self) {
        let WrinkleParams { bending, iterations, tolerance, most_iterations, .. } = self.params;
        let (mut least, mut least_at) = (f64::INFINITY, iterations);
        for iteration in 0..iterations.max(most_iterations) {
            if iteration >= iterations && iteration % LOOK == 0 {
                let (largest, squares) = self.strains();
                if squares < (1.0 - WORTH) * least {
                    (least, least_at) = (squares, iteration);
                }
                if largest <= tolerance || iteration >= least_at + PATIENCE {
                    break;
                }
            }
            let backwards = iteration % 2 == 1;
            if 2 * iteration < iterations {
                pull(&self.bends, bending, backwards, &mut self.positions);
            }
            pull(&self.edges, 1.0, backwards, &mut self.positions);
            self.stay_near();
        }
    }

    /// The largest strain of an edge, and the sum of squares of all.
    fn strains(&self) -> (f64, f64) {
        let strain = |edge: &Span| {
            let [a, b] = edge.ends.map(|v| self.positions[v as usize]);
            (a.distance(b) / edge.rest - 1.0).abs()
        };
        self.edges.iter().map(strain).fold((0.0, 0.0), |(most, sum), s| (most.max(s), sum + s * s))
    }

    /// Attachment points and normals there.
    fn anchored(&self, coarse: &[Vec3]) -> (Vec<Vec3>, Vec<Vec3>) {
        let mut at_vertices = vec![Vec3::ZERO; coarse.len()];
        for t in &self.coarse_triangles {
            let normal = crate::mesh::triangle_area_vector(t.map(|v| coarse[v as usize]));
            t.iter().for_each(|&v| at_vertices[v as usize] += normal);
        }
        let normal = |anchor: &Anchor| {
            let smooth = interpolate(anchor.corners, anchor.weights, &at_vertices).try_normalize();
            smooth.unwrap_or_else(|| triangle_normal(anchor.corners.map(|v| coarse[v as usize])))
        };
        let normals: Vec<Vec3> = self.anchors.iter().map(normal).collect();
        let point = |(anchor, normal): (&Anchor, &Vec3)| {
            interpolate(anchor.corners, anchor.weights, coarse) + *normal * anchor.height
        };
        (self.anchors.iter().zip(&normals).map(point).collect(), normals)
    }

    /// ‖p − a‖ ≤ r, and n·(p − a) ≥ 0.
    fn stay_near(&mut self) {
        let WrinkleParams { reach, one_sided, .. } = self.params;
        for ((p, point), normal) in self.positions.iter_mut().zip(&self.points).zip(&self.normals) {
            let mut offset = *p - *point;
            if one_sided {
                offset -= *normal * offset.dot(*normal).min(0.0);
            }
            *p = *point + offset.clamp_length_max(reach);
        }
    }
}

/// Brings spans a share of the way to their lengths at rest, one after the other.
fn pull(spans: &[Span], share: f64, backwards: bool, x: &mut [Vec3]) {
    let mut visit = |span: &Span| {
        let [a, b] = span.ends.map(|v| v as usize);
        let edge = x[b] - x[a];
        let length = edge.length();
        if length > 0.0 {
            let half = edge * (0.5 * share * (length - span.rest) / length);
            x[a] += half;
            x[b] -= half;
        }
    };
    if backwards { spans.iter().rev().for_each(&mut visit) } else { spans.iter().for_each(&mut visit) }
}

fn interpolate(corners: [u32; 3], weights: [f64; 3], values: &[Vec3]) -> Vec3 {
    corners.iter().zip(weights).fold(Vec3::ZERO, |sum, (&v, weight)| sum + values[v as usize] * weight)
}

/// Smooth numbers between 0 and 1 that look random, the same on every machine.
fn seeds(count: usize, edges: &[Edge]) -> Vec<f64> {
    let mut state = 1u64;
    let random = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut seeds: Vec<f64> = (0..count).map(random).collect();
    for _ in 0..SMOOTHING {
        let (mut sums, mut counts) = (seeds.clone(), vec![1.0; count]);
        for &[a, b] in edges {
            let (a, b) = (a as usize, b as usize);
            sums[a] += seeds[b];
            sums[b] += seeds[a];
            counts[a] += 1.0;
            counts[b] += 1.0;
        }
        seeds = sums.iter().zip(&counts).map(|(sum, count)| sum / count).collect();
    }
    let least = seeds.iter().fold(f64::INFINITY, |least, s| least.min(*s));
    let most = seeds.iter().fold(f64::NEG_INFINITY, |most, s| most.max(*s));
    let range = if most > least { most - least } else { 1.0 };
    seeds.iter().map(|s| (s - least) / range).collect()
}
