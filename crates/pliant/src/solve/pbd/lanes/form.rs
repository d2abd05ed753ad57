//! Which constraints and energies have kernels, and what these need of an element.

use crate::constraint::ConstraintArrays;
use crate::energy::{Arrays, Operator};

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
    /// The energy of triangles with bounds on singular values: A of corners 1 and 2.
    Triangle([f64; 2]),
    /// The energy of tets near a rotation: A of corners 1 to 3.
    Tet,
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
            Self::Tet => 9,
        }
    }

    /// Multipliers of an element: one of a constraint, three for each row of an energy.
    pub(super) fn multipliers(self) -> usize {
        match self {
            Self::Distance | Self::Isometric | Self::Dihedral | Self::Volume => 1,
            Self::Spring | Self::LimitedSpring | Self::Ring => 3,
            Self::Triangle(_) => 6,
            Self::Tet => 9,
        }
    }
}

/// What is made of an element, besides its corners: numbers, and softness.
pub(super) type NumbersOf<'a> = Box<dyn Fn(usize) -> (Vec<f64>, f64) + 'a>;

/// The form of an energy and its elements' numbers, if it has kernels.
pub(super) fn energy_form<'a>(arrays: Arrays, operator: &'a Operator) -> Option<(Form, NumbersOf<'a>)> {
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
        Arrays::TriangleStrain(bounds) => (Form::Triangle(bounds), Box::new(move |e| edges(e, 3))),
        Arrays::TetStrain([low, high]) if low == 1.0 && high == 1.0 => (Form::Tet, Box::new(move |e| edges(e, 4))),
        Arrays::MeanCurvature(lengths) if lengths.iter().all(|length| *length == 0.0) => {
            (Form::Ring, Box::new(move |e| (operator.coefficients(e).to_vec(), softness(e))))
        }
        _ => return None,
    })
}

/// The form of constraints and their numbers, if they have kernels.
pub(super) fn constraint_form(arrays: ConstraintArrays<'_>) -> Option<(Form, NumbersOf<'_>)> {
    Some(match arrays {
        ConstraintArrays::Opaque => return None,
        ConstraintArrays::Distance { lengths, compliances } => {
            (Form::Distance, Box::new(move |e| (vec![lengths[e]], compliances[e])))
        }
        ConstraintArrays::Isometric { weights, compliances } => {
            (Form::Isometric, Box::new(move |e| (weights[e][1..].to_vec(), compliances[e])))
        }
        ConstraintArrays::Dihedral { angles, compliances } => {
            (Form::Dihedral, Box::new(move |e| (vec![angles[e].cos(), angles[e].sin()], compliances[e])))
        }
        ConstraintArrays::TetVolume { volumes, compliances } => {
            (Form::Volume, Box::new(move |e| (vec![volumes[e]], compliances[e])))
        }
    })
}
