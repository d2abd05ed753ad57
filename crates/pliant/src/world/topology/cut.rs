//! Cutting cloth along a plane or a polyline.

use std::collections::BTreeSet;

use super::TopologyError;
use super::refine::{Blade, Refined};
use crate::math::Vec3;

/// Where to cut.
#[derive(Debug, Clone, PartialEq)]
pub enum Cut {
    /// Separates everything on one side of a plane from everything on the other.
    Plane {
        /// A point of the plane \[m\].
        point: Vec3,
        /// Its normal, of any non-zero length.
        normal: Vec3,
    },
    /// Cuts along a line of segments, with a blade of unlimited length in a given direction. A line that ends inside
    /// the sheet leaves a slit.
    Polyline {
        /// At least two points \[m\].
        points: Vec<Vec3>,
        /// Direction of the blade, of any non-zero length and not along a segment.
        direction: Vec3,
    },
}

/// What a cut did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CutReport {
    /// Length of the cut at rest \[m\]; 0 if it hit nothing.
    pub length: f64,
    /// Number of vertices that were made on the line.
    pub inserted: usize,
    /// Number of vertices that were split.
    pub doubled: usize,
}

impl Cut {
    /// Checks the cut: too few points, directions without length, and blades along their own segments are errors.
    pub fn check(&self) -> Result<(), TopologyError> {
        let refuse = |name, value, need| Err(TopologyError::BadParameter { name, value, need });
        let (points, direction, name) = match self {
            Self::Plane { point, normal } => (std::slice::from_ref(point), normal, "the normal of a cut"),
            Self::Polyline { points, direction } => (points.as_slice(), direction, "the direction of a cut"),
        };
        if let Some(bad) = points.iter().flat_map(|p| p.to_array()).find(|c| !c.is_finite()) {
            return refuse("a point of a cut", bad, "finite");
        }
        let length = direction.length();
        if !(length.is_finite() && length > 0.0) {
            return refuse(name, length, "finite and not zero");
        }
        if let Self::Polyline { .. } = self {
            if points.len() < 2 {
                return refuse("the number of points of a cut", points.len() as f64, "at least 2");
            }
            for ends in points.windows(2) {
                let way = ends[1] - ends[0];
                let sine = way.cross(*direction).length() / (way.length() * length);
                if sine.is_nan() || sine < 1e-9 {
                    return refuse("the angle between a segment of a cut and its blade [rad]", sine, "not zero");
                }
            }
        }
        Ok(())
    }

    /// Divides a sheet along the cut.
    pub(crate) fn run(&self, sheet: &mut Refined) {
        match self {
            Self::Plane { point, normal } => {
                let blade = Blade { point: *point, normal: normal.normalize(), along: None };
                sheet.slice(&blade, &BTreeSet::new());
            }
            Self::Polyline { points, direction } => {
                let direction = direction.normalize();
                let knots: Vec<BTreeSet<u32>> = points.iter().map(|point| sheet.pierce(*point, direction)).collect();
                for (ends, knots) in points.windows(2).zip(knots.windows(2)) {
                    let way = ends[1] - ends[0];
                    // Along the segment as seen along the blade.
                    let flat = way - direction * way.dot(direction);
                    let along = Some(flat / flat.length_squared());
                    let normal = direction.cross(flat).normalize();
                    let known = knots.iter().flatten().copied().collect();
                    sheet.slice(&Blade { point: ends[0], normal, along }, &known);
                }
            }
        }
    }
}
