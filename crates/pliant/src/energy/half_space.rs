//! Unilateral half-space [Bouaziz 2014, §6, "Collisions"]: vertices are pushed to the side of a plane that its normal points to.
//!
//! ```text
//!        ↑ n
//!  ──────b──────     E = w/2 · min(0, n·(x − b))²
//!     ● x
//! ```
//!
//! w is a stiffness \[N/m\]. Point and normal of each element's plane are goals: they may move from step to step.

use super::error::{require, require_non_negative};
use super::rest::stencil_positions;
use super::{Arrays, Batch, Curvature, Element, ElementBatch, EnergyError, EnergyInfo, Operator, Properties, Specimen};
use crate::math::Vec3;

const KIND: &str = "half_space";

/// Entry in the list of energies.
pub(super) const INFO: EnergyInfo = EnergyInfo {
    key: KIND,
    summary: "unilateral plane that pushes vertices to one side",
    citation: "[Bouaziz 2014, §6]",
    specimens: &[specimen],
};

/// Recipe for a plane that keeps vertices on one side.
#[derive(Debug, Clone, PartialEq)]
pub struct HalfSpace {
    /// The vertices that are kept on one side.
    pub vertices: Vec<u32>,
    /// A point of the plane \[m\].
    pub point: Vec3,
    /// Normal that points to the allowed side, of any non-zero length.
    pub normal: Vec3,
    /// Stiffness of each vertex's contact w \[N/m\].
    pub stiffness: f64,
}

impl HalfSpace {
    /// Builds the batch for vertices with these rest positions.
    pub fn build(&self, rest: &[Vec3]) -> Result<Box<dyn Batch>, EnergyError> {
        require_non_negative(KIND, "stiffness", self.stiffness)?;
        let length = self.normal.length();
        require(KIND, "length of the normal", length, "finite and positive", length.is_finite() && length > 0.0)?;
        let size = self.point.length();
        require(KIND, "point", size, "finite", size.is_finite())?;
        let mut operator = Operator::new(1);
        let mut goals = Vec::new();
        for (element, &vertex) in self.vertices.iter().enumerate() {
            stencil_positions(KIND, element, &[vertex], rest)?;
            operator.push(self.stiffness, &[vertex], &[1.0]);
            goals.extend([self.point, self.normal]);
        }
        Ok(Box::new(ElementBatch::new(operator, vec![Side; self.vertices.len()], goals)))
    }
}

/// One vertex of the batch. Its goals are the point and the normal of its plane.
#[derive(Debug, Clone, Copy)]
struct Side;

impl Side {
    /// Unit normal and depth below the plane (negative inside the allowed side).
    fn depth(z: Vec3, goals: &[Vec3]) -> (Vec3, f64) {
        let normal = goals[1].normalize_or_zero();
        (normal, normal.dot(goals[0] - z))
    }
}

impl Element<1> for Side {
    const KIND: &'static str = KIND;
    const PROPERTIES: Properties =
        Properties { translation_invariant: false, rotation_invariant: false, ..Properties::INTERNAL };
    const GOALS: usize = 2;

    fn arrays(_elements: &[Self]) -> Arrays {
        Arrays::HalfSpace
    }

    fn project(&self, z: &[Vec3; 1], goals: &[Vec3], _warm: &mut [f64]) -> [Vec3; 1] {
        let (normal, depth) = Self::depth(z[0], goals);
        [z[0] + normal * depth.max(0.0)]
    }

    fn hessian(&self, z: &[Vec3; 1], goals: &[Vec3], _warm: &[f64], _curvature: Curvature, out: &mut [f64]) {
        let (n, depth) = Self::depth(z[0], goals);
        let active = f64::from(u8::from(depth > 0.0));
        (0..9).for_each(|k| out[k] = active * n[k / 3] * n[k % 3]);
    }
}

fn specimen() -> Result<Specimen, EnergyError> {
    let rest = vec![Vec3::new(0.3, 0.1, 0.0), Vec3::new(1.0, 0.0, 2.0), Vec3::new(-0.4, 0.2, 0.5)];
    let plane =
        HalfSpace { vertices: vec![0, 1, 2], point: Vec3::ZERO, normal: Vec3::new(0.0, 2.0, 0.2), stiffness: 6.0 };
    Ok(Specimen { batch: plane.build(&rest)?, rest })
}
