//! Loop's subdivision with rims and creases, as rows of weights over the vertices that it began with [Loop 1987; Hoppe 1994].
//!
//! ```text
//!   new vertex on an edge       old vertex with n neighbours      on a rim or crease
//!        1/8                            β   β                       1/2 ── • ── 1/2
//!       ╱   ╲                         β ─ 1−nβ ─ β
//!    3/8 ─•─ 3/8                        β   β                       1/8 ── 3/4 ── 1/8
//!       ╲   ╱
//!        1/8                 β = 3/16 for n = 3, else 3/(8n) [Warren 1995]
//! ```
//!
//! Rims are creases. A vertex with two creases follows the rule of creases, one with more is a corner and stays, one with a single crease is
//! smooth. A rim or crease that turns by more than [`CORNER`] at a vertex at rest makes it a corner as well, so that a square sheet stays square.
//!
//! In a regular neighbourhood all weights are fractions of powers of two, exact in floating point, so triangles with equal neighbourhoods get
//! the same weights to the last bit. The layout of a refinement relies on it to store these once.

use std::collections::HashSet;

use super::error::UpsampleError;
use super::rows::{Row, RowSum};
use crate::math::Vec3;
use crate::math::functions::angle_between;
use crate::mesh::{Edge, MeshError, OneRings, TriangleMesh};

/// A crease that turns by more than this at a vertex has a corner there \[rad\].
const CORNER: f64 = std::f64::consts::FRAC_PI_3;
/// Fine triangles at most: what 32-bit places of numbers reach, with room.
const MOST_TRIANGLES: u128 = 1 << 26;

/// A corner of a fine triangle within its coarse one, in steps along the sides: the coarse corners are (0, 0), (2ᴸ, 0) and (0, 2ᴸ).
pub(super) type Place = [u32; 2];

/// A mesh that was subdivided some times.
#[derive(Debug)]
pub(super) struct Subdivided {
    /// Topology, and positions at rest.
    pub(super) mesh: TriangleMesh,
    /// For each vertex the weights of coarse vertices; they add up to one.
    pub(super) rows: Vec<Row>,
    /// For each triangle the coarse one that it is part of.
    pub(super) parents: Vec<u32>,
    /// For each triangle the places of its corners in that.
    pub(super) places: Vec<[Place; 3]>,
    creases: HashSet<Edge>,
    is_corner: Vec<bool>,
}

/// The edge, lower vertex first.
fn edge(a: u32, b: u32) -> Edge {
    [a.min(b), a.max(b)]
}

impl Subdivided {
    pub(super) fn new(coarse: &TriangleMesh, levels: u32, creases: &[Edge]) -> Result<Self, UpsampleError> {
        let bad = |error| UpsampleError::Mesh { which: "coarse", error };
        coarse.check().map_err(bad)?;
        coarse.check_referenced().map_err(bad)?;
        // More levels than that are too many for a single triangle.
        let count = (coarse.triangles.len() as u128) << (2 * levels.min(20));
        if count > MOST_TRIANGLES {
            return Err(bad(MeshError::TooLarge { what: "fine triangles", count, limit: MOST_TRIANGLES }));
        }
        let rings = coarse.one_rings().map_err(bad)?;
        let edges = coarse.edges();
        let mut sharp: HashSet<Edge> = coarse.boundary_edges().into_iter().map(|[a, b]| edge(a, b)).collect();
        for (index, &[a, b]) in creases.iter().enumerate() {
            if edges.binary_search(&edge(a, b)).is_err() {
                return Err(UpsampleError::NoSuchEdge { index, edge: [a, b] });
            }
            sharp.insert(edge(a, b));
        }
        let is_corner = (0..coarse.positions.len() as u32).map(|v| turns(coarse, &rings, &sharp, v)).collect();
        let triangles = coarse.triangles.len();
        let mut fine = Self {
            mesh: coarse.clone(),
            rows: (0..coarse.positions.len() as u32).map(|v| vec![(v, 1.0)]).collect(),
            parents: (0..triangles as u32).collect(),
            places: vec![[[0, 0], [1, 0], [0, 1]]; triangles],
            creases: sharp,
            is_corner,
        };
        for _ in 0..levels {
            fine.refine(coarse.positions.len()).map_err(bad)?;
        }
        fine.mesh.positions = fine.rows.iter().map(|row| combined(row, &coarse.positions)).collect();
        Ok(fine)
    }

    /// One level more; the vertices so far come first.
    fn refine(&mut self, coarse_vertices: usize) -> Result<(), MeshError> {
        let rings = self.mesh.one_rings()?;
        let edges = self.mesh.edges();
        let start = self.rows.len();
        let mut sum = RowSum::new(coarse_vertices);
        let mut rows: Vec<Row> = (0..start).map(|v| self.vertex_row(v, &rings, &mut sum)).collect();
        let mut creases = HashSet::with_capacity(2 * self.creases.len());
        let mut opposite = vec![[u32::MAX; 2]; edges.len()];
        let place = |a: u32, b: u32| edges.partition_point(|known| *known < edge(a, b));
        for &[a, b, c] in &self.mesh.triangles {
            for (p, q, r) in [(a, b, c), (b, c, a), (c, a, b)] {
                opposite[place(p, q)][usize::from(p > q)] = r;
            }
        }
        for (number, (&[a, b], &[left, right])) in edges.iter().zip(&opposite).enumerate() {
            let row = |v: u32| &self.rows[v as usize];
            let middle = (start + number) as u32;
            if self.creases.contains(&[a, b]) {
                rows.push(sum.of([(0.5, row(a)), (0.5, row(b))]));
                creases.extend([edge(a, middle), edge(b, middle)]);
            } else {
                rows.push(sum.of([(0.375, row(a)), (0.375, row(b)), (0.125, row(left)), (0.125, row(right))]));
            }
        }
        let mut triangles = Vec::with_capacity(4 * self.mesh.triangles.len());
        let mut places = Vec::with_capacity(4 * self.mesh.triangles.len());
        for (&[a, b, c], &corners) in self.mesh.triangles.iter().zip(&self.places) {
            let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(p, q)| (start + place(p, q)) as u32);
            triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
            let between = |p: usize, q: usize| [0, 1].map(|k| corners[p][k] + corners[q][k]);
            let [pa, pb, pc] = corners.map(|place| place.map(|k| 2 * k));
            let [pab, pbc, pca] = [between(0, 1), between(1, 2), between(2, 0)];
            places.extend([[pa, pab, pca], [pab, pb, pbc], [pca, pbc, pc], [pab, pbc, pca]]);
        }
        self.parents = self.parents.iter().flat_map(|&parent| [parent; 4]).collect();
        self.is_corner.resize(rows.len(), false);
        self.mesh.positions.resize(rows.len(), Vec3::ZERO);
        (self.mesh.triangles, self.places, self.rows, self.creases) = (triangles, places, rows, creases);
        Ok(())
    }

    fn vertex_row(&self, vertex: usize, rings: &OneRings, sum: &mut RowSum) -> Row {
        let own = &self.rows[vertex];
        let ring = rings.neighbours.row(vertex);
        let along = |&&other: &&u32| self.creases.contains(&edge(vertex as u32, other));
        let mut creased = ring.iter().filter(along);
        let ends = (creased.next(), creased.next(), creased.next());
        match ends {
            _ if self.is_corner[vertex] => own.clone(),
            (Some(_), Some(_), Some(_)) => own.clone(),
            (Some(&p), Some(&q), None) => {
                sum.of([(0.75, own), (0.125, &self.rows[p as usize]), (0.125, &self.rows[q as usize])])
            }
            _ => {
                let n = ring.len() as f64;
                let beta = if ring.len() == 3 { 3.0 / 16.0 } else { 3.0 / (8.0 * n) };
                let others = ring.iter().map(|&other| (beta, &self.rows[other as usize]));
                sum.of(std::iter::once((1.0 - n * beta, own)).chain(others))
            }
        }
    }
}

/// Whether the two creases at a vertex make a corner.
fn turns(mesh: &TriangleMesh, rings: &OneRings, creases: &HashSet<Edge>, vertex: u32) -> bool {
    let at = |v: u32| mesh.positions[v as usize];
    let ring = rings.neighbours.row(vertex as usize).iter();
    let ends: Vec<Vec3> = ring.filter(|&&o| creases.contains(&edge(vertex, o))).map(|&o| at(o) - at(vertex)).collect();
    let &[p, q] = ends.as_slice() else { return false };
    angle_between(-p, q) > CORNER
}

/// Σ weight · position.
pub(super) fn combined(row: &Row, positions: &[Vec3]) -> Vec3 {
    row.iter().fold(Vec3::ZERO, |sum, &(v, weight)| sum + positions[v as usize] * weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Mat3;
    use crate::mesh::Placed;
    use crate::mesh::generate::{Icosphere, Sheet};

    fn sheet(cells: usize) -> TriangleMesh {
        Sheet { columns: cells, rows: cells, ..Sheet::default() }.mesh().expect("a sheet")
    }

    #[test]
    fn weights_add_up_to_one_and_reproduce_affine_maps() -> Result<(), UpsampleError> {
        let ball = Icosphere { radius: 1.0, subdivisions: 1 }.mesh().expect("a sphere");
        let linear = Mat3::from_cols_array(&[1.2, 0.3, -0.1, 0.4, 0.9, 0.2, -0.3, 0.1, 1.5]);
        let shift = Vec3::new(3.0, -2.0, 1.0);
        for coarse in [sheet(4), ball] {
            let fine = Subdivided::new(&coarse, 3, &[])?;
            let moved = coarse.clone().transformed(&linear, shift).positions;
            for (row, rest) in fine.rows.iter().zip(&fine.mesh.positions) {
                assert!((row.iter().map(|&(_, w)| w).sum::<f64>() - 1.0).abs() < 1e-14);
                assert!((combined(row, &moved) - (linear * *rest + shift)).length() < 1e-13);
            }
            assert_eq!(fine.mesh.triangles.len(), 64 * coarse.triangles.len());
            fine.mesh.check_quality().map_err(|error| UpsampleError::Mesh { which: "fine", error })?;
        }
        Ok(())
    }

    /// On a regular lattice the scheme is a box spline, which carries x² to x² + c; with the spacing h at first, c = 3/16 h² Σ 4⁻ˡ over levels l.
    #[test]
    fn a_regular_lattice_reproduces_quadratics_up_to_a_constant() -> Result<(), UpsampleError> {
        let (count, root) = (12u32, 3f64.sqrt() / 2.0);
        let index = |i: u32, j: u32| j * count + i;
        let lattice = (0..count * count).map(|k| (f64::from(k % count), f64::from(k / count)));
        let positions = lattice.map(|(i, j)| Vec3::new(i + 0.5 * j, root * j, 0.0)).collect();
        let cells = (0..(count - 1) * (count - 1)).map(|k| (k % (count - 1), k / (count - 1)));
        let triangles = cells.flat_map(|(i, j)| {
            let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i, j + 1), index(i + 1, j + 1)];
            [[a, b, c], [b, d, c]]
        });
        let coarse = TriangleMesh::new(positions, triangles.collect()).expect("a lattice");
        let levels = 2;
        let fine = Subdivided::new(&coarse, levels, &[])?;
        let heights: Vec<Vec3> = coarse.positions.iter().map(|p| Vec3::Z * p.x * p.x).collect();
        // A vertex rule averages 6 neighbours by 1/16: Σ x² over them is 3 h², so the first level adds 3/16 h²; edges add the same.
        let constant = (0..levels).map(|l| 3.0 / 16.0 * 0.25f64.powi(l as i32)).sum::<f64>();
        let mut compared = 0;
        for (row, p) in fine.rows.iter().zip(&fine.mesh.positions) {
            let inner = row.len() > 1 && (4.0..12.0).contains(&p.x) && (3.0..6.0).contains(&p.y);
            if inner {
                assert!((combined(row, &heights).z - (p.x * p.x + constant)).abs() < 1e-12, "{p}");
                compared += 1;
            }
        }
        assert!(compared > 50, "{compared}");
        Ok(())
    }

    #[test]
    fn a_square_sheet_stays_square_and_a_crease_stays_where_it_is() -> Result<(), UpsampleError> {
        let fine = Subdivided::new(&sheet(4), 2, &[])?;
        assert!((fine.mesh.area() - 1.0).abs() < 1e-12, "{}", fine.mesh.area());
        // A roof: its ridge of five vertices is a straight line, which subdivision keeps only if it is a crease.
        let mut roof = sheet(4);
        let ridge: Vec<u32> = (0..25).filter(|&v| roof.positions[v as usize].x.abs() < 1e-9).collect();
        roof.positions.iter_mut().for_each(|p| p.z = 0.5 - p.x.abs());
        let creases: Vec<Edge> = ridge.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        let highest = |creases: &[Edge]| -> Result<f64, UpsampleError> {
            let fine = Subdivided::new(&roof, 3, creases)?;
            Ok(fine.mesh.positions.iter().filter(|p| p.y.abs() < 0.2).fold(0.0, |most, p| p.z.max(most)))
        };
        assert!((highest(&creases)? - 0.5).abs() < 1e-14);
        assert!(highest(&[])? < 0.47);
        Ok(())
    }

    #[test]
    fn bad_meshes_and_creases_are_named() {
        let coarse = sheet(2);
        let error = Subdivided::new(&coarse, 1, &[[0, 1], [0, 8]]).expect_err("no such edge");
        assert_eq!(error.to_string(), "crease 1 is the edge (0, 8), which the coarse mesh does not have");
        let error = Subdivided::new(&coarse, 40, &[]).expect_err("too many").to_string();
        assert!(error.starts_with("the coarse mesh: ") && error.contains("fine triangles"), "{error}");
        let mut flawed = coarse.clone();
        flawed.positions[3].y = f64::NAN;
        assert!(Subdivided::new(&flawed, 1, &[]).is_err());
        let mut unused = coarse;
        unused.positions.push(Vec3::ONE);
        assert!(Subdivided::new(&unused, 1, &[]).is_err());
    }
}
