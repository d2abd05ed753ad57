//! From the coarse mesh to the smooth one [Bender 2014, §5.1].
//!
//! ```text
//!   feature mesh ──subdivision──▶ smooth mesh ──local displacements──▶ detail mesh
//!        u                          s = S u                               x = s + R d
//! ```
//!
//! Rows of S come from Loop's subdivision, or for any fine mesh from the nearest point of a subdivided coarse mesh. R has the symmetrically
//! orthonormalised tangents of the smooth surface and its normal as columns; tangents are rows of weights as well, so that a rotation of the coarse
//! vertices is exactly one of s and R.

use super::error::{UpsampleError, check_positions};
use super::fingerprint::mesh_fingerprint;
use super::layout::{Follower, Layout};
use super::rows::{Row, RowSum};
use super::subdivision::{Place, Subdivided, combined};
use super::surface::{Bare, Surface};
use crate::math::Vec3;
use crate::math::functions::{cos, sin};
use crate::mesh::bvh::{Bvh, nearest_on_triangle};
use crate::mesh::{Bounds, Edge, OneRings, TriangleMesh};
use crate::parallel::{Strided, for_each};

/// Levels of the subdivision that a fine mesh is laid onto: the facets that are left are flat to some thousandths of a coarse edge.
const EMBEDDING_LEVELS: u32 = 3;
/// A fine mesh lies on the smooth surface if no vertex is farther from it than this, relative to its size.
const ON_SURFACE: f64 = 1e-13;

/// A fine mesh on a coarse one: each fine vertex follows a few coarse ones, with weights that add up to one.
///
/// ```
/// use pliant::mesh::generate::Sheet;
/// use pliant::upsample::Refinement;
///
/// let coarse = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
/// let refinement = Refinement::loop_subdivision(&coarse, 3, &[])?;
/// assert_eq!(refinement.fine_mesh().triangles.len(), 64 * coarse.triangles.len());
/// let mut smooth = vec![Default::default(); refinement.fine_mesh().positions.len()];
/// refinement.smooth(&coarse.positions, &mut smooth)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Refinement {
    coarse: TriangleMesh,
    fine: TriangleMesh,
    pub(super) surface: Surface,
    fingerprints: [u64; 2],
}

impl Refinement {
    /// Subdivides by Loop's scheme; `creases` are edges of the coarse mesh that stay sharp, as rims do. The coarse vertices come first.
    pub fn loop_subdivision(coarse: &TriangleMesh, levels: u32, creases: &[Edge]) -> Result<Self, UpsampleError> {
        let fine = Subdivided::new(coarse, levels, creases)?;
        let tangents = Tangents::new(&fine, coarse)?;
        let mut sum = RowSum::new(coarse.positions.len());
        let mut followers: Vec<Option<Follower>> = vec![None; fine.rows.len()];
        for (t, corners) in fine.mesh.triangles.iter().enumerate() {
            for (&vertex, &key) in corners.iter().zip(&fine.places[t]) {
                if followers[vertex as usize].is_none() {
                    let [first, second] = tangents.at(vertex, fine.parents[t], &mut sum);
                    let rows = [fine.rows[vertex as usize].clone(), first, second];
                    followers[vertex as usize] = Some(Follower { triangle: fine.parents[t], key, rows });
                }
            }
        }
        // Every fine vertex is the corner of a triangle, since every coarse one is.
        let followers: Vec<Follower> = followers.into_iter().flatten().collect();
        Self::new(coarse, fine.mesh, &followers)
    }

    /// Lays any fine mesh onto a coarse one: each fine vertex follows the nearest point of its subdivision, both at rest, at the distance that it
    /// has there.
    pub fn embedded(coarse: &TriangleMesh, fine: &TriangleMesh) -> Result<Self, UpsampleError> {
        let bad = |error| UpsampleError::Mesh { which: "fine", error };
        fine.check().map_err(bad)?;
        fine.check_referenced().map_err(bad)?;
        let smooth = Subdivided::new(coarse, EMBEDDING_LEVELS, &[])?;
        let tangents = Tangents::new(&smooth, coarse)?;
        let corners: Vec<[Vec3; 3]> = (0..smooth.mesh.triangles.len()).map(|t| smooth.mesh.corners(t)).collect();
        let boxes: Vec<Bounds> = corners.iter().filter_map(|corners| Bounds::around(corners)).collect();
        let tree = Bvh::new(&boxes);
        let mut found = vec![(0u32, Vec3::ZERO); fine.positions.len()];
        for_each(0..fine.positions.len(), Strided { entries: &mut found, stride: 1 }, &|range, part| {
            for (found, &p) in part.entries.iter_mut().zip(&fine.positions[range]) {
                let closest = |t: u32| nearest_on_triangle(p, corners[t as usize]);
                let item = tree.nearest(p, |t| closest(t).distance_squared(p)).item;
                *found = (item, closest(item));
            }
        });
        let mut sum = RowSum::new(coarse.positions.len());
        let mut followers = Vec::with_capacity(found.len());
        for (number, &(t, point)) in found.iter().enumerate() {
            let (vertices, parent) = (smooth.mesh.triangles[t as usize], smooth.parents[t as usize]);
            let shares = barycentric(point, corners[t as usize]);
            let point = sum.of((0..3).map(|k| (shares[k], &smooth.rows[vertices[k] as usize])));
            let at_corners = vertices.map(|v| tangents.at(v, parent, &mut sum));
            let [first, second] = [0, 1].map(|a| sum.of((0..3).map(|k| (shares[k], &at_corners[k][a]))));
            followers.push(Follower { triangle: parent, key: [number as u32, 0], rows: [point, first, second] });
        }
        Self::new(coarse, fine.clone(), &followers)
    }

    fn new(coarse: &TriangleMesh, fine: TriangleMesh, followers: &[Follower]) -> Result<Self, UpsampleError> {
        let rings = coarse.one_rings().map_err(|error| UpsampleError::Mesh { which: "coarse", error })?;
        let mut surface = Surface { layout: Layout::new(coarse, &rings, followers)?, rest: None };
        let farthest = followers.iter().zip(&fine.positions);
        let farthest = farthest.map(|(f, p)| combined(&f.rows[0], &coarse.positions).distance(*p)).fold(0.0, f64::max);
        if farthest > ON_SURFACE * crate::math::diagonal(&fine.positions) {
            surface.rest = Some(surface.local_details(&coarse.positions, &fine.positions));
        }
        let fingerprints = [mesh_fingerprint(coarse), mesh_fingerprint(&fine)];
        Ok(Self { coarse: coarse.clone(), fine, surface, fingerprints })
    }

    /// The coarse mesh at rest.
    pub fn coarse_mesh(&self) -> &TriangleMesh {
        &self.coarse
    }

    /// The fine mesh at rest.
    pub fn fine_mesh(&self) -> &TriangleMesh {
        &self.fine
    }

    /// Number of coarse and of fine vertices.
    pub fn vertex_counts(&self) -> [usize; 2] {
        [self.coarse.positions.len(), self.fine.positions.len()]
    }

    /// Numbers that distinguish coarse and fine mesh from all others, by topology and shape at rest.
    pub fn fingerprints(&self) -> [u64; 2] {
        self.fingerprints
    }

    /// The coarse vertices that a fine one follows, with weights that add up to one.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn weights(&self, fine: usize) -> impl Iterator<Item = (u32, f64)> {
        self.surface.layout.weights(fine)
    }

    /// Writes the smooth surface over these coarse positions \[m\]. At rest it is the fine mesh at rest: one that does not lie on the subdivided
    /// coarse mesh keeps its distance from it, which turns with the surface.
    pub fn smooth(&self, coarse: &[Vec3], out: &mut [Vec3]) -> Result<(), UpsampleError> {
        self.check_frame(coarse, out)?;
        self.surface.show(coarse, &Bare, out);
        Ok(())
    }

    /// Refuses positions of another number or that are not finite.
    pub(super) fn check_coarse(&self, coarse: &[Vec3]) -> Result<(), UpsampleError> {
        check_positions(&|| "the frame".to_owned(), "coarse", coarse, self.coarse.positions.len())
    }

    /// The same, and room for another number.
    pub(super) fn check_frame(&self, coarse: &[Vec3], out: &[Vec3]) -> Result<(), UpsampleError> {
        self.check_coarse(coarse)?;
        let expected = self.fine.positions.len();
        if out.len() != expected {
            let place = "the room for the frame".to_owned();
            return Err(UpsampleError::LengthMismatch { place, which: "fine", found: out.len(), expected });
        }
        Ok(())
    }
}

/// Tangents at the vertices of a subdivided mesh, as rows.
struct Tangents<'a> {
    fine: &'a Subdivided,
    rings: OneRings,
    /// Fine triangles of each coarse one.
    per_parent: usize,
    /// For each fine vertex its fine triangles, ascending.
    triangles: crate::mesh::Csr,
}

impl<'a> Tangents<'a> {
    fn new(fine: &'a Subdivided, coarse: &TriangleMesh) -> Result<Self, UpsampleError> {
        let rings = fine.mesh.one_rings().map_err(|error| UpsampleError::Mesh { which: "coarse", error })?;
        let per_parent = fine.mesh.triangles.len() / coarse.triangles.len();
        Ok(Self { fine, rings, per_parent, triangles: fine.mesh.vertex_triangles() })
    }

    /// Slopes of the surface at a vertex, by least squares over its neighbours, which are laid out in the plane around it at equal angles
    /// (60° at a rim). Directions count from the first side of the coarse triangle `parent`, which the vertex must belong to.
    fn at(&self, vertex: u32, parent: u32, sum: &mut RowSum) -> [Row; 2] {
        let mut ring = self.rings.neighbours.row(vertex as usize).to_vec();
        let (start, offset) = self.first_direction(vertex, parent);
        let mut first = ring.iter().position(|&other| other == start).unwrap_or(0);
        let sixth = std::f64::consts::FRAC_PI_3;
        let mut step = sixth;
        if self.rings.closed[vertex as usize] {
            // Wherever the list of neighbours began, sums go around in the same order and have the same bits.
            ring.rotate_left(first);
            (first, step) = (0, 2.0 * std::f64::consts::PI / ring.len() as f64);
        }
        let direction = |k: usize| {
            let angle = f64::from(offset) * 2.0 * sixth + step * (k as f64 - first as f64);
            [cos(angle), sin(angle)]
        };
        let directions: Vec<[f64; 2]> = (0..ring.len()).map(direction).collect();
        let moment = |i: usize, j: usize| directions.iter().map(|d| d[i] * d[j]).sum::<f64>();
        let (xx, xy, yy) = (moment(0, 0), moment(0, 1), moment(1, 1));
        let determinant = xx * yy - xy * xy;
        let slope = |d: &[f64; 2]| [(yy * d[0] - xy * d[1]) / determinant, (xx * d[1] - xy * d[0]) / determinant];
        let slopes: Vec<[f64; 2]> = directions.iter().map(slope).collect();
        let own = &self.fine.rows[vertex as usize];
        [0, 1].map(|a| {
            let total: f64 = slopes.iter().map(|slope| slope[a]).sum();
            let terms = ring.iter().zip(&slopes).map(|(&other, slope)| (slope[a], &self.fine.rows[other as usize]));
            sum.of(terms.chain([(-total, own)]))
        })
    }

    /// A neighbour within the coarse triangle that lies along one of its sides, and which side that is.
    fn first_direction(&self, vertex: u32, parent: u32) -> (u32, u8) {
        const SIDES: [[i64; 2]; 3] = [[1, 0], [-1, 1], [0, -1]];
        let inside = parent as usize * self.per_parent..(parent as usize + 1) * self.per_parent;
        let around = self.triangles.row(vertex as usize).iter().map(|&t| t as usize).filter(|t| inside.contains(t));
        let corners = |t: usize| self.fine.mesh.triangles[t].into_iter().zip(self.fine.places[t]);
        let signed = |place: Place| place.map(i64::from);
        let mut best = (vertex, u8::MAX);
        for t in around {
            let Some((_, own)) = corners(t).find(|&(v, _)| v == vertex) else { continue };
            for (other, place) in corners(t) {
                let ([i, j], [x, y]) = (signed(own), signed(place));
                let side = SIDES.iter().position(|&side| side == [x - i, y - j]).map_or(u8::MAX, |side| side as u8);
                if side < best.1 {
                    best = (other, side);
                }
            }
        }
        // Each vertex of a triangle has a neighbour along one of its sides.
        best
    }
}

/// Shares of the corners that add up to one and to a point of the triangle; those of the first corner if it is flat.
fn barycentric(point: Vec3, [a, b, c]: [Vec3; 3]) -> [f64; 3] {
    let (e, f, p) = (b - a, c - a, point - a);
    let (ee, ef, ff, pe, pf) = (e.dot(e), e.dot(f), f.dot(f), p.dot(e), p.dot(f));
    let determinant = ee * ff - ef * ef;
    if determinant <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let (v, w) = ((ff * pe - ef * pf) / determinant, (ee * pf - ef * pe) / determinant);
    let (v, w) = (v.clamp(0.0, 1.0), w.clamp(0.0, 1.0 - v.clamp(0.0, 1.0)));
    [1.0 - v - w, v, w]
}
