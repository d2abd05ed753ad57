//! How the coarse mesh is deformed at each of its vertices, in numbers that do not change when it moves or turns as a whole.
//!
//! ```text
//!   F  = Σ (u_j − u) ⊗ g_j          deformation gradient, 3×2, by least squares over the neighbours j
//!   E  = ½(Fᵀ F − 1)                in-plane strain: E₁₁, E₂₂, E₁₂
//!   o  = (Rᵀ(mean of u_j − u) − o₀)/h   offset from the mean of the neighbours, over the mean length h of edges at rest
//! ```
//!
//! Tangents at rest follow one direction of space that is nearly tangent everywhere, so that numbers of neighbouring vertices mean the same and
//! can be interpolated.

use super::error::UpsampleError;
use super::frames::frame;
use crate::math::{Mat3, Vec3, outer, perpendicular_to, symmetric_eigen};
use crate::mesh::{Csr, TriangleMesh};
use crate::parallel::{Strided, for_each};

/// Numbers at a vertex: three of the offset, three of the strain.
pub(super) const NUMBERS: usize = 6;
/// A projection onto the tangent plane that is shorter has no direction.
const SHORT: f64 = 1e-6;
/// Relative determinant below which neighbours lie on a line.
const ON_A_LINE: f64 = 1e-12;

/// Measures deformation at coarse vertices.
#[derive(Debug, Clone)]
pub(super) struct Gauge {
    neighbours: Csr,
    /// g_j \[1/m\], beside the neighbours.
    slopes: Vec<[f64; 2]>,
    /// Offset at rest, over h, in the local frame.
    offsets: Vec<Vec3>,
    /// 1/h \[1/m\].
    inverse_lengths: Vec<f64>,
}

impl Gauge {
    pub(super) fn new(coarse: &TriangleMesh) -> Result<Self, UpsampleError> {
        let bad = |error| UpsampleError::Mesh { which: "coarse", error };
        coarse.check_quality().map_err(bad)?;
        let rings = coarse.one_rings().map_err(bad)?;
        let normals = coarse.vertex_normals();
        let axis = common_tangent(&normals);
        let x = &coarse.positions;
        let mut slopes = Vec::with_capacity(rings.neighbours.items().len());
        let mut inverse_lengths = Vec::with_capacity(x.len());
        for (vertex, ring) in rings.neighbours.rows().enumerate() {
            let normal = normals[vertex];
            let along = axis - normal * normal.dot(axis);
            let first = if along.length() > SHORT { along.normalize() } else { perpendicular_to(normal) };
            let second = normal.cross(first);
            let edges: Vec<Vec3> = ring.iter().map(|&other| x[other as usize] - x[vertex]).collect();
            let flat: Vec<[f64; 2]> = edges.iter().map(|e| [e.dot(first), e.dot(second)]).collect();
            let moment = |i: usize, j: usize| flat.iter().map(|d| d[i] * d[j]).sum::<f64>();
            let (xx, xy, yy) = (moment(0, 0), moment(0, 1), moment(1, 1));
            let determinant = xx * yy - xy * xy;
            if determinant <= ON_A_LINE * (xx + yy).powi(2) {
                let (name, need) = ("the area around a coarse vertex, relative to its edges,", "above zero");
                return Err(UpsampleError::BadParameter { name, value: determinant, need });
            }
            slopes.extend(
                flat.iter().map(|d| [(yy * d[0] - xy * d[1]) / determinant, (xx * d[1] - xy * d[0]) / determinant]),
            );
            let mean = edges.iter().map(|e| e.length()).sum::<f64>() / edges.len() as f64;
            inverse_lengths.push(1.0 / mean);
        }
        let offsets = vec![Vec3::ZERO; x.len()];
        let mut gauge = Self { neighbours: rings.neighbours, slopes, offsets, inverse_lengths };
        gauge.offsets = (0..x.len()).map(|vertex| Vec3::from_slice(&gauge.at(x, vertex).0)).collect();
        Ok(gauge)
    }

    /// Number of vertices.
    pub(super) fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Numbers and frame of a vertex.
    pub(super) fn at(&self, x: &[Vec3], vertex: usize) -> ([f64; NUMBERS], Mat3) {
        let range = self.neighbours.range(vertex);
        let (mut first, mut second, mut mean) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        for (&other, slope) in self.neighbours.row(vertex).iter().zip(&self.slopes[range.clone()]) {
            let edge = x[other as usize] - x[vertex];
            first += edge * slope[0];
            second += edge * slope[1];
            mean += edge;
        }
        let frame = frame(first, second);
        let mean = frame.transpose() * mean * (self.inverse_lengths[vertex] / range.len() as f64);
        let o = mean - self.offsets[vertex];
        let strain = |a: Vec3, b: Vec3, one: f64| 0.5 * (a.dot(b) - one);
        let [e11, e22, e12] = [strain(first, first, 1.0), strain(second, second, 1.0), strain(first, second, 0.0)];
        ([o.x, o.y, o.z, e11, e22, e12], frame)
    }

    /// Numbers of all vertices, one after the other.
    pub(super) fn measure(&self, x: &[Vec3], out: &mut [[f64; NUMBERS]]) {
        for_each(0..self.len(), Strided { entries: out, stride: 1 }, &|range, part| {
            for (numbers, vertex) in part.entries.iter_mut().zip(range) {
                *numbers = self.at(x, vertex).0;
            }
        });
    }
}

/// The direction that is nearest to tangent everywhere.
fn common_tangent(normals: &[Vec3]) -> Vec3 {
    let moment = normals.iter().fold(Mat3::ZERO, |sum, n| sum + outer(*n, *n));
    let (mut values, mut vectors) = (moment.to_cols_array(), [0.0; 9]);
    symmetric_eigen(&mut values, &mut vectors, 3);
    let least = (0..3).min_by(|&i, &j| values[4 * i].total_cmp(&values[4 * j])).unwrap_or(0);
    Vec3::new(vectors[least], vectors[3 + least], vectors[6 + least])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Placed;
    use crate::mesh::generate::Sheet;

    #[test]
    fn an_affine_map_has_its_strain_everywhere_and_turning_changes_nothing() -> Result<(), UpsampleError> {
        let sheet = Sheet { columns: 5, rows: 4, ..Sheet::default() }.mesh().expect("a sheet");
        let gauge = Gauge::new(&sheet)?;
        let linear = Mat3::from_cols_array(&[1.1, 0.05, 0.0, 0.02, 0.9, 0.0, 0.0, 0.0, 1.0]);
        let turn = Mat3::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 2.0);
        let moved = sheet.clone().transformed(&(turn * linear), Vec3::new(3.0, 1.0, -2.0)).positions;
        // Invariants of the strain, whatever the tangents are.
        let green = (linear.transpose() * linear - Mat3::IDENTITY) * 0.5;
        let (trace, product) =
            (green.x_axis.x + green.y_axis.y, green.x_axis.x * green.y_axis.y - green.x_axis.y * green.y_axis.x);
        for vertex in 0..gauge.len() {
            let (at, _) = gauge.at(&moved, vertex);
            assert!((at[3] + at[4] - trace).abs() < 1e-12 && (at[3] * at[4] - at[5] * at[5] - product).abs() < 1e-12);
            assert!(gauge.at(&sheet.positions, vertex).0.iter().all(|n| n.abs() < 1e-13));
        }
        Ok(())
    }
}
