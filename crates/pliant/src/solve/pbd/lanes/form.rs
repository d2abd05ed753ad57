//! Which constraints and energies have kernels, and what these need of an element.

use crate::constraint::ConstraintArrays;
use crate::energy::{Arrays, Operator};
use crate::math::functions::{cos, sin};
use crate::math::lanes::matrices::{Plane, Solid};
use crate::math::symmetric_eigen;

/// What the kernels of a pass compute. Besides the numbers named here an element has a softness: the compliance of a constraint, 1/weight
/// of an energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// Constraints of a distance: length.
    Distance,
    /// The energy of springs of one length: that.
    Spring,
    /// The energy of springs with a range of lengths: least and largest.
    LimitedSpring,
    /// Constraints of a quadratic bend: weights of corners 1 to 3, of which the first's is minus the sum.
    Isometric,
    /// Constraints of a hinge: cosine and sine of its angle.
    Dihedral,
    /// Constraints of a tet's volume: that.
    Volume,
    /// The energy of vertices that are flat at rest: a coefficient for each corner.
    Ring,
    /// Quadratic energies of three rows: for each corner its coefficients in rows that do not move each other.
    Quadratic,
    /// The energy of triangles near a kind of matrices: A of corners 1 and 2.
    Triangle(Plane),
    /// The energy of tets near a kind of matrices: A of corners 1 to 3.
    Tet(Solid),
}

impl Form {
    /// Numbers of an element with so many corners.
    pub(super) fn numbers(self, corners: usize) -> usize {
        match self {
            Self::Distance | Self::Volume | Self::Spring => 1,
            Self::LimitedSpring | Self::Dihedral => 2,
            Self::Isometric => 3,
            Self::Triangle(_) => 4,
            Self::Ring => corners,
            Self::Quadratic => 3 * corners,
            Self::Tet(_) => 9,
        }
    }

    /// Multipliers of an element: one of a constraint, three for each row of an energy.
    pub(super) fn multipliers(self) -> usize {
        match self {
            Self::Distance | Self::Isometric | Self::Dihedral | Self::Volume => 1,
            Self::Spring | Self::LimitedSpring | Self::Ring => 3,
            Self::Triangle(_) => 6,
            Self::Tet(_) | Self::Quadratic => 9,
        }
    }
}

/// What is made of an element, besides its corners: numbers, and softness.
pub(super) type NumbersOf<'a> = Box<dyn Fn(usize) -> (Vec<f64>, f64) + 'a>;

/// The form of an energy and its elements' numbers, if it has kernels. `inverse_mass` is that of a vertex, 0 for pinned ones.
pub(super) fn energy_form<'a>(
    arrays: Arrays,
    operator: &'a Operator,
    inverse_mass: impl Fn(u32) -> f64 + 'a,
) -> Option<(Form, NumbersOf<'a>)> {
    let softness = |e: usize| operator.weight(e).recip();
    let edges = move |e: usize, corners: usize| {
        let rows = operator.coefficients(e).chunks_exact(corners);
        (rows.flat_map(|row| row[1..].iter().copied()).collect::<Vec<f64>>(), softness(e))
    };
    Some(match arrays {
        Arrays::EdgeSpring(lengths) if lengths.iter().all(|[low, high]| low == high) => {
            (Form::Spring, Box::new(move |e| (vec![lengths[e][0]], softness(e))))
        }
        Arrays::EdgeSpring(lengths) => (Form::LimitedSpring, Box::new(move |e| (lengths[e].to_vec(), softness(e)))),
        Arrays::TriangleStrain(bounds) => (Form::Triangle(Plane::Stretches(bounds)), Box::new(move |e| edges(e, 3))),
        Arrays::TriangleArea(bounds) => (Form::Triangle(Plane::Area(bounds)), Box::new(move |e| edges(e, 3))),
        Arrays::TetStrain(bounds) => (Form::Tet(Solid::Stretches(bounds)), Box::new(move |e| edges(e, 4))),
        Arrays::TetVolume(bounds) => (Form::Tet(Solid::Volume(bounds)), Box::new(move |e| edges(e, 4))),
        Arrays::MeanCurvature(lengths) if lengths.iter().all(|length| *length == 0.0) => {
            (Form::Ring, Box::new(move |e| (operator.coefficients(e).to_vec(), softness(e))))
        }
        Arrays::Quadratic if operator.rows() == 3 => {
            (Form::Quadratic, Box::new(move |e| (independent_rows(operator, e, &inverse_mass), softness(e))))
        }
        _ => return None,
    })
}

/// Coefficients of each corner in three rows that add up to the same energy, turned so that A W Aᵀ is diagonal: a force along one
/// of them then does not change the others, and a visit has three divisions instead of a system.
fn independent_rows(operator: &Operator, element: usize, inverse_mass: impl Fn(u32) -> f64) -> Vec<f64> {
    let (stencil, coefficients) = (operator.stencil(element), operator.coefficients(element));
    let n = stencil.len();
    let (mut gram, mut axes) = ([0.0; 9], [0.0; 9]);
    for (corner, &v) in stencil.iter().enumerate() {
        let weight = inverse_mass(v);
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            gram[3 * i + j] += weight * coefficients[i * n + corner] * coefficients[j * n + corner];
        }
    }
    symmetric_eigen(&mut gram, &mut axes, 3);
    let turned = |corner: usize, k: usize| (0..3).map(|i| axes[3 * i + k] * coefficients[i * n + corner]).sum::<f64>();
    (0..n).flat_map(|corner| (0..3).map(move |k| (corner, k))).map(|(corner, k)| turned(corner, k)).collect()
}

/// The form of constraints and their numbers, if they have kernels.
pub(super) fn constraint_form(arrays: ConstraintArrays<'_>) -> Option<(Form, NumbersOf<'_>)> {
    Some(match arrays {
        // Those that push only one way are visited one by one.
        ConstraintArrays::Opaque | ConstraintArrays::BoundedDistance { .. } => return None,
        ConstraintArrays::Distance { lengths, compliances } => {
            (Form::Distance, Box::new(move |e| (vec![lengths[e]], compliances[e])))
        }
        ConstraintArrays::Isometric { weights, compliances } => {
            (Form::Isometric, Box::new(move |e| (weights[e][1..].to_vec(), compliances[e])))
        }
        ConstraintArrays::Dihedral { angles, compliances } => {
            (Form::Dihedral, Box::new(move |e| (vec![cos(angles[e]), sin(angles[e])], compliances[e])))
        }
        ConstraintArrays::TetVolume { volumes, compliances } => {
            (Form::Volume, Box::new(move |e| (vec![volumes[e]], compliances[e])))
        }
    })
}
