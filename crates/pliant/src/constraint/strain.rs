//! Strains of triangles and tets along material axes [Bender 2014, §3.4.5; Müller 2014].
//!
//! With the columns f of the deformation gradient: stretch C = ‖fᵢ‖ − 1 along each axis, shear C = the cosine between
//! two of them. Each is a separate constraint, so one axis can be stiff and another soft.
//!
//! Departure: the survey constrains fᵢ·fᵢ and fᵢ·fⱼ. Lengths and cosines vanish at the same shapes, do not mix stretch into shear, and
//! are in the unit of strain, as a compliance needs it.

use super::{Constraint, ConstraintSet};
use crate::energy::{EnergyError, stencil_positions};
use crate::math::{Mat3, Vec3};

/// What remains of a rest shape: `columns[i][k]` is the factor of edge k in fᵢ.
type RestShape<const D: usize> = [[f64; D]; D];

/// Strains of a triangle: along its first edge at rest, across it in its plane, and their shear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TriangleStrainConstraint {
    rest: RestShape<2>,
}

/// Strains of a tet along the axes of space at rest: three stretches, three shears.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TetStrainConstraint {
    rest: RestShape<3>,
}

/// Value and gradient at the ends of the edges, for row r of D stretches and then the shears.
fn strain<const D: usize>(rest: &RestShape<D>, row: usize, edges: &[Vec3; D]) -> Option<(f64, [Vec3; D])> {
    let column = |i: usize| edges.iter().zip(rest[i]).fold(Vec3::ZERO, |sum, (edge, factor)| sum + *edge * factor);
    let unit = |i: usize| {
        let f = column(i);
        let length = f.length();
        (length > 0.0).then(|| (f / length, length))
    };
    if row < D {
        let (direction, length) = unit(row)?;
        return Some((length - 1.0, rest[row].map(|factor| direction * factor)));
    }
    // Of two axes there is one pair, of three there are three: (0, 1), (1, 2), (2, 0).
    let (i, j) = (row - D, (row - D + 1) % D);
    let ((u, long), (v, wide)) = (unit(i)?, unit(j)?);
    let cosine = u.dot(v);
    let (at_i, at_j) = ((v - u * cosine) / long, (u - v * cosine) / wide);
    Some((cosine, std::array::from_fn(|k| at_i * rest[i][k] + at_j * rest[j][k])))
}

impl TriangleStrainConstraint {
    /// Strains of triangles, with one compliance \[1/J\].
    pub fn at_rest(
        triangles: &[[u32; 3]],
        rest: &[Vec3],
        compliance: f64,
    ) -> Result<ConstraintSet<Self, 3>, EnergyError> {
        let mut elements = Vec::with_capacity(triangles.len());
        for (element, triangle) in triangles.iter().enumerate() {
            let [a, b, c] = stencil_positions(Self::KIND, element, triangle, rest)?;
            let (u, v) = (b - a, c - a);
            let double = u.cross(v).length();
            if double <= 0.0 {
                let (kind, measure) = (Self::KIND, "area");
                return Err(EnergyError::Degenerate { kind, element, measure, value: 0.0 });
            }
            // In its plane the rest edges are (l, 0) and (s, t): the inverse gives the columns.
            let (l, s) = (u.length(), u.dot(v) / u.length());
            let t = double / l;
            elements.push((*triangle, Self { rest: [[1.0 / l, 0.0], [-s / (l * t), 1.0 / t]] }, compliance));
        }
        ConstraintSet::new(elements)
    }
}

impl Constraint<3> for TriangleStrainConstraint {
    const KIND: &'static str = "strain_constraint_2d";
    const ROWS: usize = 3;

    fn evaluate(&self, row: usize, [a, b, c]: &[Vec3; 3]) -> Option<(f64, [Vec3; 3])> {
        let (value, [at_b, at_c]) = strain(&self.rest, row, &[*b - *a, *c - *a])?;
        Some((value, [-(at_b + at_c), at_b, at_c]))
    }
}

impl TetStrainConstraint {
    /// Strains of tets, with one compliance \[1/J\].
    pub fn at_rest(tets: &[[u32; 4]], rest: &[Vec3], compliance: f64) -> Result<ConstraintSet<Self, 4>, EnergyError> {
        let mut elements = Vec::with_capacity(tets.len());
        for (element, tet) in tets.iter().enumerate() {
            let [a, b, c, d] = stencil_positions(Self::KIND, element, tet, rest)?;
            let edges = Mat3::from_cols(b - a, c - a, d - a);
            let determinant = edges.determinant();
            if determinant <= 0.0 {
                let (kind, measure, value) = (Self::KIND, "volume", determinant / 6.0);
                return Err(EnergyError::Degenerate { kind, element, measure, value });
            }
            let inverse = edges.inverse();
            let column = |i: usize| inverse.col(i).to_array();
            elements.push((*tet, Self { rest: [column(0), column(1), column(2)] }, compliance));
        }
        ConstraintSet::new(elements)
    }
}

impl Constraint<4> for TetStrainConstraint {
    const KIND: &'static str = "strain_constraint_3d";
    const ROWS: usize = 6;

    fn evaluate(&self, row: usize, [a, b, c, d]: &[Vec3; 4]) -> Option<(f64, [Vec3; 4])> {
        let (value, [at_b, at_c, at_d]) = strain(&self.rest, row, &[*b - *a, *c - *a, *d - *a])?;
        Some((value, [-(at_b + at_c + at_d), at_b, at_c, at_d]))
    }
}
