//! Cutting along a stroke.

use pliant::math::Vec3;
use pliant::{Cut, Simulation};

use super::hands::ray;
use crate::protocol::Sight;

/// The cut of a stroke across the picture: its line goes over the surfaces that it meets, and the blade looks away from the eye. None if it meets nothing, or
/// goes nowhere.
pub(super) fn cut_along(sim: &Simulation, stroke: &[Sight]) -> Result<Option<Cut>, pliant::InputError> {
    let mut depths = Vec::with_capacity(stroke.len());
    for sight in stroke {
        depths.push(sim.pick(ray(*sight), 0.0)?.map(|pick| pick.distance));
    }
    let met: Vec<f64> = depths.iter().flatten().copied().collect();
    if met.is_empty() {
        return Ok(None);
    }
    // Beside the surface the line goes on as deep as it was on it.
    let usual = met.iter().sum::<f64>() / met.len() as f64;
    let direction = |sight: &Sight| Vec3::from_array(sight.direction).normalize_or_zero();
    let mut points: Vec<Vec3> = stroke
        .iter()
        .zip(&depths)
        .map(|(sight, depth)| Vec3::from_array(sight.origin) + direction(sight) * depth.unwrap_or(usual))
        .collect();
    let blade = stroke.iter().map(direction).sum::<Vec3>();
    // Pieces that are too short to have a direction across the blade say nothing.
    let least = 1e-3 * usual;
    points.dedup_by(|next, last| (*next - *last).reject_from(blade.normalize_or(Vec3::Z)).length() < least);
    Ok((points.len() >= 2).then_some(Cut::Polyline { points, direction: blade }))
}
