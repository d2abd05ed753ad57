//! Constraints of the position-based family: functions C(x) that must be 0, or not below 0 [Bender 2014, §3].
//!
//! A solver visits one constraint after the other and moves its vertices along ∇C,
//!
//! Δxᵢ = wᵢ ∇ᵢC Δλ,   Δλ = −s C / Σⱼ wⱼ ‖∇ⱼC‖²,   wᵢ = 1/mᵢ
//!
//! by a share s of the error [Müller 2006], or with a compliance, the inverse of a stiffness [Macklin 2016]. [`Rule`]
//! has both. Only the position-based solver supports these constraints. You do not need them for energies: that solver
//! treats every energy as the constraint ‖A x − p‖ = 0 with the compliance 1/w.
//!
//! For your own constraint, write a type with [`Constraint::evaluate`], put it in a [`ConstraintSet`] and add that to a
//! body with [`Body::with_constraints`](crate::Body::with_constraints); or give a function of many elements at once to
//! [`FunctionConstraints`], with or without its gradients.

mod content;
mod dihedral;
mod distance;
mod function;
mod isometric;
mod long_range;
mod point_triangle;
mod rule;
mod set;
mod shape;
mod strain;
/// A vertex in a world where so many have come or gone before it.
pub(crate) fn moved(vertex: u32, by: i64) -> u32 {
    (i64::from(vertex) + by) as u32
}

#[cfg(test)]
mod tests;

pub use content::{Balloon, TetVolumeConstraint, TriangleAreaConstraint};
pub use dihedral::Dihedral;
pub use distance::{Allowed, Distance};
pub use function::FunctionConstraints;
pub use isometric::IsometricBending;
pub use long_range::{LongRangeAttachments, Thread, ThreadLengths};
pub use point_triangle::{PointTriangle, Side};
pub use rule::{Bound, Rule};
pub use set::{Constraint, ConstraintSet};
pub use shape::ShapeMatching;
pub use strain::{TetStrainConstraint, TriangleStrainConstraint};

use std::fmt;

use crate::math::Vec3;

/// Some elements of a batch with their corners side by side, which are moved at once.
#[derive(Debug)]
pub struct Block<'a> {
    /// Their numbers.
    pub elements: &'a [u32],
    /// Positions of their corners \[m\], element by element: the current ones, and on return the corrected ones.
    pub corners: &'a mut [Vec3],
    /// Positions at the start of the step \[m\], for batches that are [damped](ConstraintBatch::is_damped); else empty.
    pub before: &'a [Vec3],
    /// Inverse masses of the corners \[1/kg\]; 0 if pinned.
    pub inverse_masses: &'a [f64],
    /// Multiplier of each constraint of each element, accumulated in this step \[kg·m² over the unit of C\].
    pub multipliers: &'a mut [f64],
}

/// What the elements of a built-in kind are made of, with their compliances, for solvers that have their own kernels.
#[derive(Debug, Clone, PartialEq)]
pub enum ConstraintArrays<'a> {
    /// No data; call [`ConstraintBatch::correct`].
    Opaque,
    /// Two vertices at exactly these distances \[m\].
    Distance {
        /// Of each pair.
        lengths: Vec<f64>,
        /// Inverse stiffness of each.
        compliances: &'a [f64],
    },
    /// Two vertices at these distances \[m\], of which some may be longer or shorter: threads as well.
    BoundedDistance {
        /// Of each pair.
        lengths: Vec<f64>,
        /// Which distances are allowed.
        allowed: Vec<Allowed>,
        /// Inverse stiffness of each.
        compliances: &'a [f64],
    },
    /// Hinges at these angles \[rad\], which a visit changes by at most [`Constraint::MOST`].
    Dihedral {
        /// Of each hinge.
        angles: Vec<f64>,
        /// Inverse stiffness of each.
        compliances: &'a [f64],
    },
    /// Hinges that are kept flat: C = ½ ‖Σ kᵢ xᵢ‖².
    Isometric {
        /// k of each hinge \[1/m\].
        weights: Vec<[f64; 4]>,
        /// Inverse stiffness of each.
        compliances: &'a [f64],
    },
    /// Tets of these volumes \[m³\].
    TetVolume {
        /// Of each tet.
        volumes: Vec<f64>,
        /// Inverse stiffness of each.
        compliances: &'a [f64],
    },
}

/// All constraints of one kind of a body.
///
/// Most kinds implement [`Constraint`] and become a batch through [`ConstraintSet`]; implement this trait if elements
/// differ in their number of vertices.
pub trait ConstraintBatch: Send + Sync + fmt::Debug {
    /// Name of the kind.
    fn kind(&self) -> &'static str;

    /// Number of elements.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of constraints of an element; they are solved one after the other.
    fn rows(&self) -> usize {
        1
    }

    /// Vertices of an element, none twice.
    fn stencil(&self, element: usize) -> &[u32];

    /// Renumbers the vertices, for a body that becomes part of a world.
    fn shift_vertices(&mut self, by: u32);

    /// A copy with other vertex numbers, for a world in which a body before it has come or gone. None if that is not
    /// possible: such a world cannot change.
    fn shifted(&self, _by: i64) -> Option<Box<dyn ConstraintBatch>> {
        None
    }

    /// Whether it needs the positions at the start of the step.
    fn is_damped(&self) -> bool {
        false
    }

    /// What the elements are made of.
    fn arrays(&self) -> ConstraintArrays<'_> {
        ConstraintArrays::Opaque
    }

    /// Moves the corners of some elements by the rule, each element independently.
    fn correct(&self, block: &mut Block<'_>, rule: &Rule);
}
