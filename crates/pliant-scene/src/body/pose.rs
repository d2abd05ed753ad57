//! Example poses: deformations of a body, and files.

use pliant::math::Vec3;
use pliant::math::functions::{matrix_about, sin_cos};
use pliant_io::read::{Files, ReadOptions};

use super::shape::{Placing, up_axis};
use crate::fault::Fault;
use crate::format::{Deformation, PoseSection};

/// Positions of a body's vertices in a pose; faults are named within the section.
pub(super) fn pose(section: &PoseSection, rest: &[Vec3], files: &Files, placing: &Placing) -> Result<Vec<Vec3>, Fault> {
    match (&section.file, section.deform.is_empty()) {
        (Some(_), false) => Err(Fault::new("file", "give `deform` or `file`, not both")),
        (None, true) => Err(Fault::new("", "give `deform` or `file`")),
        (None, false) => {
            let mut positions = rest.to_vec();
            for (k, deformation) in section.deform.iter().enumerate() {
                deform(deformation, &mut positions).map_err(|fault| fault.inside(&format!("deform.{k}")))?;
            }
            Ok(positions)
        }
        (Some(path), true) => {
            let up_axis = up_axis(section.up);
            let options =
                ReadOptions { scale: section.metres_per_unit.unwrap_or(1.0), up_axis, ..ReadOptions::default() };
            let mut imported =
                files.read_mesh(path, &options).map_err(|error| Fault::new("file", error.to_string()))?;
            imported.remove_unused_vertices();
            let (found, expected) = (imported.positions.len(), rest.len());
            if found != expected {
                let message = format!("the pose has {found} vertices, but the body has {expected}");
                return Err(Fault::new("file", message));
            }
            Ok(imported.positions.iter().map(|&p| placing.apply(p)).collect())
        }
    }
}

fn deform(deformation: &Deformation, positions: &mut [Vec3]) -> Result<(), Fault> {
    match deformation {
        Deformation::Stretch { factors } => {
            if !factors.iter().all(|factor| factor.is_finite() && *factor > 0.0) {
                let message = format!("factors are {factors:?}, but must be positive");
                return Err(Fault::new("stretch.factors", message));
            }
            let (low, high) = extent(positions);
            let (middle, factors) = (0.5 * (low + high), Vec3::from(*factors));
            positions.iter_mut().for_each(|p| *p = middle + (*p - middle) * factors);
        }
        Deformation::Twist { axis, degrees, from, to } => {
            let along = Along::new("twist", *axis, [*from, *to], *degrees, positions)?;
            for p in positions {
                let share = along.share(*p);
                let turn = matrix_about(along.axis, share * degrees.to_radians());
                *p = along.middle + turn * (*p - along.middle);
            }
        }
        Deformation::Bend { axis, towards, degrees, from, to } => {
            let along = Along::new("bend", *axis, [*from, *to], *degrees, positions)?;
            let side = Vec3::from(*towards);
            let side = (side - side.dot(along.axis) * along.axis).normalize_or_zero();
            if side == Vec3::ZERO || !side.is_finite() {
                return Err(Fault::new("bend.towards", format!("{towards:?} has no direction across the axis")));
            }
            let angle = degrees.to_radians();
            if angle != 0.0 {
                positions.iter_mut().for_each(|p| *p = along.bent(*p, side, angle));
            }
        }
    }
    Ok(())
}

fn extent(points: &[Vec3]) -> (Vec3, Vec3) {
    points.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)))
}

/// The deformed stretch of an axis through a body.
struct Along {
    axis: Vec3,
    middle: Vec3,
    /// Where the stretch begins, along the axis from the middle \[m\].
    start: f64,
    length: f64,
}

impl Along {
    fn new(
        kind: &str,
        axis: [f64; 3],
        part: [Option<f64>; 2],
        degrees: f64,
        positions: &[Vec3],
    ) -> Result<Self, Fault> {
        let key = |name: &str| format!("{kind}.{name}");
        let length = Vec3::from(axis).length();
        if !(length.is_finite() && length > 0.0) {
            let message = format!("the axis has length {length}, but must have a direction");
            return Err(Fault::new(key("axis"), message));
        }
        if !degrees.is_finite() {
            return Err(Fault::new(key("degrees"), format!("degrees is {degrees}, but must be finite")));
        }
        let [from, to] = [part[0].unwrap_or(0.0), part[1].unwrap_or(1.0)];
        if !(0.0 <= from && from < to && to <= 1.0) {
            let name = if part[1].is_some() { "to" } else { "from" };
            let message = format!("the deformed part goes from {from} to {to}, but must lie within 0 to 1 in order");
            return Err(Fault::new(key(name), message));
        }
        let axis = Vec3::from(axis) / length;
        let (low, high) = extent(positions);
        let middle = 0.5 * (low + high);
        let heights = positions.iter().map(|p| (*p - middle).dot(axis));
        let (bottom, top) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), h| (a.min(h), b.max(h)));
        Ok(Self { axis, middle, start: bottom + from * (top - bottom), length: (to - from) * (top - bottom) })
    }

    /// Height above the beginning of the stretch \[m\].
    fn height(&self, p: Vec3) -> f64 {
        (p - self.middle).dot(self.axis) - self.start
    }

    /// How far along the stretch a point lies, 0 to 1.
    fn share(&self, p: Vec3) -> f64 {
        if self.length > 0.0 { (self.height(p) / self.length).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// On the arc that the axis becomes; its middle line keeps its length.
    fn bent(&self, p: Vec3, side: Vec3, angle: f64) -> Vec3 {
        let (share, radius) = (self.share(p), self.length / angle);
        let beyond = self.height(p) - share * self.length;
        let (sin, cos) = sin_cos(share * angle);
        let (ahead, across) = (cos * self.axis + sin * side, cos * side - sin * self.axis);
        let foot = self.middle + self.start * self.axis;
        let offset = (p - foot).dot(side);
        let flat = (p - foot) - (p - foot).dot(self.axis) * self.axis - offset * side;
        let arc = radius * sin * self.axis + radius * (1.0 - cos) * side;
        foot + flat + arc + offset * across + beyond * ahead
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rod() -> Vec<Vec3> {
        (0..=100).map(|k| Vec3::new(0.01 * f64::from(k), 0.0, 0.0)).collect()
    }

    #[test]
    fn a_bent_line_is_an_arc_of_the_same_length() -> Result<(), Fault> {
        let mut line = rod();
        let bend =
            Deformation::Bend { axis: [2.0, 0.0, 0.0], towards: [1.0, 1.0, 0.0], degrees: 90.0, from: None, to: None };
        deform(&bend, &mut line)?;
        let radius = 2.0 / std::f64::consts::PI;
        assert!((line[100] - Vec3::new(radius, radius, 0.0)).length() < 1e-12, "{}", line[100]);
        for pair in line.windows(2) {
            assert!((pair[1].distance(pair[0]) - 0.01).abs() < 1e-6);
        }
        Ok(())
    }

    #[test]
    fn what_lies_beyond_the_bent_part_stays_straight() -> Result<(), Fault> {
        let mut line = rod();
        let bend = Deformation::Bend {
            axis: [1.0, 0.0, 0.0],
            towards: [0.0, 1.0, 0.0],
            degrees: 90.0,
            from: Some(0.4),
            to: Some(0.6),
        };
        deform(&bend, &mut line)?;
        assert!(line[..=40].iter().zip(rod()).all(|(p, q)| p.distance(q) < 1e-12));
        assert!(line[60..].windows(2).all(|pair| (pair[1] - pair[0] - 0.01 * Vec3::Y).length() < 1e-12));
        Ok(())
    }

    #[test]
    fn a_twist_turns_the_far_end_by_its_angle_and_the_near_end_not() -> Result<(), Fault> {
        let corner = |x: f64| [Vec3::new(x, 1.0, 0.0), Vec3::new(x, -1.0, 0.0)];
        let mut bar: Vec<Vec3> = [0.0, 1.0, 2.0].into_iter().flat_map(corner).collect();
        let twist = Deformation::Twist { axis: [1.0, 0.0, 0.0], degrees: 90.0, from: None, to: None };
        deform(&twist, &mut bar)?;
        let half = std::f64::consts::FRAC_1_SQRT_2;
        for (found, expected) in bar.iter().step_by(2).zip([[0.0, 1.0, 0.0], [1.0, half, half], [2.0, 0.0, 1.0]]) {
            assert!(found.distance(expected.into()) < 1e-12, "{found}");
        }
        Ok(())
    }
}
