//! The distance between two points [Bender 2014, §3.4.1].
//!
//! ```text
//!   a ●───────● b      C = ‖b − a‖ − d
//! ```
//!
//! The survey prints s = C/(1 + 1); it is C/(w₁ + w₂), the same for equal masses of 1.

use super::{Bound, Constraint, ConstraintArrays, ConstraintSet};
use crate::energy::{EnergyError, stencil_positions};
use crate::math::Vec3;

/// Keeps two points at a distance, at least at it, or at most at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// d \[m\].
    pub length: f64,
    /// Which distances are allowed.
    pub allowed: Allowed,
}

/// Which distances are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Allowed {
    /// Only this one.
    #[default]
    Exactly,
    /// This one and longer ones.
    AtLeast,
    /// This one and shorter ones, like a thread.
    AtMost,
}

impl Distance {
    /// The rest lengths of these edges, all with one compliance \[m/N\].
    ///
    /// ```
    /// use pliant::constraint::{Allowed, Distance};
    /// use pliant::prelude::*;
    /// // A thread that hangs by its first point and cannot be stretched.
    /// let thread = rope(Vec3::ZERO, Vec3::X, 10)?;
    /// let edges: Vec<[u32; 2]> = thread.segments().collect();
    /// let taut = Distance::at_rest(&edges, &thread.positions, Allowed::AtMost, 0.0)?;
    /// let points = pliant::mesh::PointSet { positions: thread.positions.clone() };
    /// let body = Body::points(&points, 0.01).pin([0]).with_constraints(taut.boxed());
    /// let solver = PositionBasedParams { iterations: 100, ..PositionBasedParams::default() };
    /// let mut sim = Simulation::builder().body(body).solver(solver).build()?;
    /// for _ in 0..30 {
    ///     sim.step()?;
    /// }
    /// assert!(edges.iter().all(|&[a, b]| sim.positions()[a as usize].distance(sim.positions()[b as usize]) < 0.101));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at_rest(
        edges: &[[u32; 2]],
        rest: &[Vec3],
        allowed: Allowed,
        compliance: f64,
    ) -> Result<ConstraintSet<Self, 2>, EnergyError> {
        let mut elements = Vec::with_capacity(edges.len());
        for (element, edge) in edges.iter().enumerate() {
            let [a, b] = stencil_positions(Self::KIND, element, edge, rest)?;
            elements.push((*edge, Self { length: a.distance(b), allowed }, compliance));
        }
        ConstraintSet::new(elements)
    }
}

impl Constraint<2> for Distance {
    const KIND: &'static str = "distance";

    fn bound(&self, _row: usize) -> Bound {
        if self.allowed == Allowed::Exactly { Bound::Equal } else { Bound::AtLeast }
    }

    fn arrays<'a>(constraints: &[Self], compliances: &'a [f64]) -> ConstraintArrays<'a> {
        let lengths = constraints.iter().map(|constraint| constraint.length).collect();
        if constraints.iter().any(|constraint| constraint.allowed != Allowed::Exactly) {
            let allowed = constraints.iter().map(|constraint| constraint.allowed).collect();
            return ConstraintArrays::BoundedDistance { lengths, allowed, compliances };
        }
        ConstraintArrays::Distance { lengths, compliances }
    }

    #[inline]
    fn evaluate(&self, _row: usize, [a, b]: &[Vec3; 2]) -> Option<(f64, [Vec3; 2])> {
        let edge = *b - *a;
        let length = edge.length();
        if length <= 0.0 {
            return None; // Coincident ends have no direction.
        }
        let sign = if self.allowed == Allowed::AtMost { -1.0 } else { 1.0 };
        let direction = edge * (sign / length);
        Some((sign * (length - self.length), [-direction, direction]))
    }
}
