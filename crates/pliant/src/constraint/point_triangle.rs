//! A point that stays on its side of a triangle, at a distance [Bender 2014, §3.4.7].
//!
//! ```text
//!        q ●
//!          │ ≥ h          C = ± n·(q − a) − h ≥ 0,   n: unit normal of a b c
//!    a ●───┼───● b
//!           ● c
//! ```

use super::{Bound, Constraint};
use crate::math::Vec3;

/// Keeps a point on one side of a triangle. Corners are [point, a, b, c].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointTriangle {
    /// h \[m\].
    pub thickness: f64,
    /// The side on which the point must stay.
    pub side: Side,
}

/// A side of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The side of its normal.
    Front,
    /// The other side.
    Back,
}

impl PointTriangle {
    /// Makes the constraint for the side on which the point is.
    pub fn where_it_is(thickness: f64, [q, a, b, c]: &[Vec3; 4]) -> Self {
        let in_front = (*b - *a).cross(*c - *a).dot(*q - *a) >= 0.0;
        Self { thickness, side: if in_front { Side::Front } else { Side::Back } }
    }
}

impl Constraint<4> for PointTriangle {
    const KIND: &'static str = "point_triangle";

    fn bound(&self, _row: usize) -> Bound {
        Bound::AtLeast
    }

    fn evaluate(&self, _row: usize, [q, a, b, c]: &[Vec3; 4]) -> Option<(f64, [Vec3; 4])> {
        let (u, v) = (*b - *a, *c - *a);
        let across = u.cross(v);
        let length = across.length();
        if length <= 0.0 {
            return None; // A collapsed triangle has no sides.
        }
        let sign = if self.side == Side::Front { 1.0 } else { -1.0 };
        let normal = across * (sign / length);
        let from = *q - *a;
        let height = normal.dot(from);
        // The derivative of n·(q − a) in the edges, with n of unit length.
        let lean = (from - normal * height) * (sign / length);
        let [at_b, at_c] = [v.cross(lean), lean.cross(u)];
        Some((height - self.thickness, [normal, -(normal + at_b + at_c), at_b, at_c]))
    }
}
