//! Bending of sheets that are flat at rest, as thin plates: a constant quadratic form, the default for cloth.
//!
//! ```text
//!     ●───●───●
//!      ╲ ╱ ╲ ╱          E = Σ_T D A/2 · [(1−ν) ‖S‖² + ν (tr S)²]        [Kirchhoff 1850]
//!       ●─T─●           S = 1/A Σ_e l_e (s_T − s_e) n_e n_eᵀ            [Morley 1968]
//!      ╱ ╲ ╱ ╲
//!     ●───●───●
//! ```
//!
//! S is the curvature of x, y and z as functions over the flat sheet \[1/m\], constant on each triangle T of area A: three
//! numbers for each coordinate. It follows from the slopes s_e across T's three edges, of length l_e and normal n_e, against the slope
//! s_T of T's own plane there, both towards the third corner. In Morley's plate s_e is an unknown of its own at each edge.
//!
//! Departure: here s_e follows from the vertices around the edge, exactly for quadratic functions (`plate_slopes.rs`), so that vertices are
//! the only unknowns. Two things make this work. An edge has one slope for both of its triangles, therefore a uniform moment is
//! in equilibrium on any mesh (Morley's patch test), and stiffness does not depend on how cells are cut. And it is Morley's
//! energy of fewer functions, so that nothing but planes is free. A quadratic function through the six vertices nearest to each
//! triangle has the same S on quadratic shapes, but fails the patch test: it is 25 % too soft on alternating diagonals.
//!
//! At a rim the slope is free, and S is the curvature of least energy: no moment acts across it. To clamp a rim, pin
//! two rows of vertices; the clamp acts halfway between them.
//!
//! All that S is made of belongs to the flat sheet, so A x is linear, its projection p is 0, and there is no local step. As long as the
//! sheet keeps its lengths, second derivatives of positions are its curvature times its normal: the energy is the plate's for
//! large bends, too.
//!
//! An edge with more than two triangles, or with triangles of opposite winding, is an error.

use super::error::{require, require_non_negative};
use super::plate_slopes::{Neighbours, Side, own_slope, slope};
use super::{Arrays, Batch, Curvature, Element, ElementBatch, EnergyError, EnergyInfo, Operator, Properties, Specimen};
use crate::math::Vec3;
use crate::math::functions::{atan2, sin, sin_cos};
use crate::mesh::TriangleMesh;

const KIND: &str = "plate";

/// A surface counts as flat when all triangles of each connected piece face the same way within this angle \[rad\].
pub(crate) const FLAT: f64 = 1e-3;

/// Rest triangles with a height below this fraction of their longest edge have no usable slopes.
const DEGENERATE: f64 = 1e-8;

/// Entry in the list of energies.
pub(super) const INFO: EnergyInfo = EnergyInfo {
    key: KIND,
    summary: "bending of surfaces that are flat at rest, as a thin plate",
    citation: "[Kirchhoff 1850; Morley 1968]",
    specimens: &[forward_specimen, alternating_specimen, cross_specimen, irregular_specimen],
};

/// Recipe for the bending of a flat sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlateBending {
    /// Plate stiffness D \[N·m\]; of a material E·t³/(12(1−ν²)).
    pub stiffness: f64,
    /// Poisson ratio ν, above −1 and below 1: how much a sheet that is bent in one direction bends in the other by itself.
    pub poisson_ratio: f64,
}

impl PlateBending {
    /// Builds the batch for a flat sheet at rest, of any position and orientation in space.
    ///
    /// ```
    /// use pliant::energy::PlateBending;
    /// use pliant::mesh::generate::{Icosphere, Sheet};
    ///
    /// let bending = PlateBending { stiffness: 1e-5, poisson_ratio: 0.0 };
    /// let sheet = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
    /// assert_eq!(bending.build(&sheet)?.operator().len(), sheet.triangles.len());
    /// assert!(bending.build(&Icosphere::default().mesh()?).is_err(), "a sphere is not flat");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build(&self, rest: &TriangleMesh) -> Result<Box<dyn Batch>, EnergyError> {
        if let Some((element, value)) = steepest(rest).filter(|(_, angle)| *angle > FLAT) {
            let need = "below 0.001: the rest shape must be flat, use hinge bending for others";
            let name = "angle (rad) to the mean normal";
            return Err(EnergyError::BadValue { kind: KIND, element, name, value, need });
        }
        self.build_from(rest, |triangle| rest.corners(triangle))
    }

    /// Builds the batch for triangles that each have a rest shape of their own, laid flat side by side.
    pub(crate) fn build_from(
        &self,
        mesh: &TriangleMesh,
        corners: impl Fn(usize) -> [Vec3; 3],
    ) -> Result<Box<dyn Batch>, EnergyError> {
        require_non_negative(KIND, "stiffness", self.stiffness)?;
        let ratio = self.poisson_ratio;
        require(KIND, "Poisson ratio", ratio, "above −1 and below 1", ratio > -1.0 && ratio < 1.0)?;
        mesh.check_manifold()?;
        let sides = sides(mesh, &corners)?;
        let neighbours = Neighbours::of(mesh);
        let mut slopes = vec![[None; 3]; mesh.triangles.len()];
        for t in 0..mesh.triangles.len() {
            for k in 0..3 {
                // An edge once, for the lower of its triangles; the other sees it the other way.
                let Some((u, j)) = neighbours.beyond(t, k).filter(|(u, _)| *u > t) else { continue };
                let mut found = slope(mesh, &neighbours, &sides, t, k);
                slopes[t][k] = found;
                if let Some((terms, _)) = &mut found {
                    terms.iter_mut().for_each(|(_, coefficient)| *coefficient = -*coefficient);
                }
                slopes[u][j] = found;
            }
        }
        let mut operator = Operator::new(3);
        let mut rows = Rows::default();
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            let area = 0.5 * sides[t][0].length * sides[t][0].height;
            rows.begin(triangle, &sides[t], self.poisson_ratio);
            for k in 0..3 {
                match &slopes[t][k] {
                    Some((terms, count)) => rows.add(triangle, &sides[t][k], k, &terms[..*count]),
                    None => rows.free(k),
                }
            }
            if rows.finish(area) {
                operator.push(self.stiffness * area, &rows.vertices, &rows.coefficients);
            }
        }
        let elements = vec![PlateTriangle; operator.len()];
        Ok(Box::new(ElementBatch::new(operator, elements, Vec::new())))
    }
}

/// Each triangle as seen from its sides.
fn sides(mesh: &TriangleMesh, corners: impl Fn(usize) -> [Vec3; 3]) -> Result<Vec<[Side; 3]>, EnergyError> {
    let of = |element: usize| {
        let corners = corners(element);
        let sides = [0, 1, 2].map(|k| Side::of(corners, k));
        let longest = sides.iter().max_by(|a, b| a.length.total_cmp(&b.length)).copied().unwrap_or_default();
        let value = longest.height / longest.length;
        if value.is_nan() || value < DEGENERATE {
            let measure = "height over longest edge";
            return Err(EnergyError::Degenerate { kind: KIND, element, measure, value });
        }
        Ok(sides)
    };
    (0..mesh.triangles.len()).map(of).collect()
}

/// The triangle that is turned furthest from the mean normal of its connected piece, and the angle \[rad\].
fn steepest(mesh: &TriangleMesh) -> Option<(usize, f64)> {
    let pieces = mesh.components();
    let normal = |t: usize| {
        let [a, b, c] = mesh.corners(t);
        (b - a).cross(c - a)
    };
    let piece = |t: usize| pieces.labels[mesh.triangles[t][0] as usize] as usize;
    let mut means = vec![Vec3::ZERO; pieces.count];
    (0..mesh.triangles.len()).for_each(|t| means[piece(t)] += normal(t));
    let angle = |t: usize| {
        let (own, mean) = (normal(t), means[piece(t)]);
        atan2(own.cross(mean).length(), own.dot(mean))
    };
    (0..mesh.triangles.len()).map(|t| (t, angle(t))).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Whether all triangles of each connected piece face the same way, within [`FLAT`].
pub(crate) fn is_flat(mesh: &TriangleMesh) -> bool {
    steepest(mesh).is_none_or(|(_, angle)| angle <= FLAT)
}

/// Rows of one triangle: three components of its curvature whose squares add up to the plate's energy.
#[derive(Default)]
struct Rows {
    vertices: Vec<u32>,
    /// For each vertex the three rows.
    terms: Vec<[f64; 3]>,
    coefficients: Vec<f64>,
    /// What a unit of l (s_T − s_e) at each edge adds to the rows.
    edges: [Vec3; 3],
    free: Vec<Vec3>,
}

impl Rows {
    fn begin(&mut self, triangle: &[u32; 3], sides: &[Side; 3], poisson_ratio: f64) {
        self.vertices.clear();
        self.vertices.extend_from_slice(triangle);
        self.terms.clear();
        self.terms.resize(3, [0.0; 3]);
        self.free.clear();
        // W = (1+ν) a² + (1−ν)(b² + c²) with a, b = (S_xx ± S_yy)/√2, c = √2 S_xy: of n nᵀ these are 1, cos 2φ and sin 2φ over √2. φ is
        // here the angle of the edge, not of its normal, which turns the signs of all b and c.
        let (mean, saddle) = ((0.5 * (1.0 + poisson_ratio)).sqrt(), (0.5 * (1.0 - poisson_ratio)).sqrt());
        let mut angle = 0.0;
        for k in 0..3 {
            let (sine, cosine) = sin_cos(2.0 * angle);
            self.edges[k] = Vec3::new(mean, saddle * cosine, saddle * sine);
            // The next side turns by the outer angle at the corner between.
            let side = &sides[k];
            let inner = atan2(side.height, (1.0 - side.foot) * side.length);
            angle += std::f64::consts::PI - inner;
        }
    }

    fn at(&mut self, vertex: u32) -> &mut [f64; 3] {
        let place = self.vertices.iter().position(|v| *v == vertex).unwrap_or_else(|| {
            self.vertices.push(vertex);
            self.terms.push([0.0; 3]);
            self.vertices.len() - 1
        });
        &mut self.terms[place]
    }

    /// l (s_T − s_e) of an edge.
    fn add(&mut self, triangle: &[u32; 3], side: &Side, k: usize, slope: &[(u32, f64)]) {
        let direction = self.edges[k];
        let own = own_slope(side).into_iter().enumerate().map(|(i, own)| (triangle[(k + i) % 3], own));
        for (vertex, coefficient) in own.chain(slope.iter().map(|(v, coefficient)| (*v, -coefficient))) {
            let add = direction * (side.length * coefficient);
            self.at(vertex).iter_mut().zip(add.to_array()).for_each(|(term, add)| *term += add);
        }
    }

    /// The slope at an edge is what costs least.
    fn free(&mut self, k: usize) {
        let mut direction = self.edges[k];
        self.free.iter().for_each(|other| direction -= *other * other.dot(direction));
        if direction.length() > 1e-9 * self.edges[k].length() {
            self.free.push(direction.normalize());
        }
    }

    /// Row by row, over the area; whether there is any curvature to see.
    fn finish(&mut self, area: f64) -> bool {
        if self.free.len() == 3 {
            return false;
        }
        for terms in &mut self.terms {
            let all = Vec3::from_array(*terms);
            let bound = self.free.iter().fold(all, |left, free| left - *free * free.dot(left));
            *terms = (bound / area).to_array();
        }
        let size = |terms: &[f64; 3]| terms.iter().fold(0.0_f64, |most, term| most.max(term.abs()));
        let largest = self.terms.iter().map(size).fold(0.0, f64::max);
        // Vertices that cancel are left out, so that regular meshes have a matrix of few entries. The first stays, whatever it has.
        let mut kept = 1;
        for k in 1..self.vertices.len() {
            if size(&self.terms[k]) > 1e-13 * largest {
                self.vertices.swap(kept, k);
                self.terms.swap(kept, k);
                kept += 1;
            }
        }
        self.vertices.truncate(kept);
        self.terms.truncate(kept);
        self.coefficients.clear();
        (0..3).for_each(|row| self.coefficients.extend(self.terms.iter().map(|terms| terms[row])));
        true
    }
}

/// One triangle of the batch: all that it needs is in its rows.
#[derive(Debug, Clone, Copy)]
struct PlateTriangle;

impl Element<3> for PlateTriangle {
    const KIND: &'static str = KIND;
    const PROPERTIES: Properties = Properties::INTERNAL;

    fn arrays(_elements: &[Self]) -> Arrays {
        Arrays::Quadratic
    }

    fn project(&self, _z: &[Vec3; 3], _goals: &[Vec3], _warm: &mut [f64]) -> [Vec3; 3] {
        [Vec3::ZERO; 3]
    }

    fn hessian(&self, _z: &[Vec3; 3], _goals: &[Vec3], _warm: &[f64], _curvature: Curvature, out: &mut [f64]) {
        out.fill(0.0);
        (0..9).for_each(|i| out[10 * i] = 1.0);
    }
}

fn specimen_of(
    poisson_ratio: f64,
    cells: impl Fn(u32, u32) -> Vec<[u32; 3]>,
    middles: bool,
    shift: f64,
) -> Result<Specimen, EnergyError> {
    let n = 4u32;
    // A plane that leans, so that no coordinate is special.
    let (along, across) = (Vec3::new(0.8, 0.0, 0.6), Vec3::new(-0.36, 0.8, 0.48));
    let place = |x: f64, y: f64| along * x + across * y;
    let wobble = |i: u32, j: u32| shift * sin(2.3 * f64::from(i * i) + 1.7 * f64::from(j * (i + 2)));
    let mut rest = Vec::new();
    let mut triangles = Vec::new();
    for j in 0..n {
        rest.extend((0..n).map(|i| place(f64::from(i) + wobble(i, j), f64::from(j) + wobble(j, i + 1))));
    }
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            if middles {
                let (a, centre) = (j * n + i, rest.len() as u32);
                rest.push(place(f64::from(i) + 0.5, f64::from(j) + 0.5));
                let ring = [a, a + 1, a + n + 1, a + n];
                triangles.extend((0..4).map(|k| [ring[k], ring[(k + 1) % 4], centre]));
            } else {
                triangles.extend(cells(i, j).into_iter().map(|t| t.map(|v| v + j * n + i)));
            }
        }
    }
    let mesh = TriangleMesh::new(rest, triangles)?;
    Ok(Specimen { batch: PlateBending { stiffness: 0.7, poisson_ratio }.build(&mesh)?, rest: mesh.positions })
}

/// A cell of 4 × 4 vertices, cut from its first corner or from its second.
fn cut(forward: bool) -> Vec<[u32; 3]> {
    if forward { vec![[0, 1, 5], [0, 5, 4]] } else { vec![[0, 1, 4], [1, 5, 4]] }
}

fn forward_specimen() -> Result<Specimen, EnergyError> {
    specimen_of(0.0, |_, _| cut(true), false, 0.0)
}

fn alternating_specimen() -> Result<Specimen, EnergyError> {
    specimen_of(0.3, |i, j| cut((i + j).is_multiple_of(2)), false, 0.0)
}

fn cross_specimen() -> Result<Specimen, EnergyError> {
    specimen_of(0.0, |_, _| Vec::new(), true, 0.0)
}

fn irregular_specimen() -> Result<Specimen, EnergyError> {
    specimen_of(0.3, |i, j| cut((i * j).is_multiple_of(2)), false, 0.2)
}
