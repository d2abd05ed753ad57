//! Cutting along a stroke.

use pliant::math::Vec3;
use pliant::{Cut, Simulation};

use super::hands::ray;
use crate::protocol::Sight;

/// Parts of each piece of a stroke that are looked along.
const TRIED: usize = 32;

/// The cut of a stroke across the picture: its line goes over the surfaces that it meets, and the blade looks away from the eye. None if it meets nothing, or
/// goes nowhere.
pub(super) fn cut_along(sim: &Simulation, stroke: &[Sight]) -> Result<Option<Cut>, pliant::InputError> {
    let direction = |sight: &Sight| Vec3::from_array(sight.direction).normalize_or_zero();
    // A stroke may begin and end beside a body, so it is looked along. Lines of sight are numbered by where they are on it.
    let mut met: Vec<(f64, f64)> = Vec::new();
    for (number, sight) in stroke.iter().enumerate() {
        met.extend(sim.pick(ray(*sight), 0.0)?.map(|pick| (number as f64, pick.distance)));
        let Some(next) = stroke.get(number + 1) else { break };
        for k in 1..TRIED {
            let share = k as f64 / TRIED as f64;
            let origin = Vec3::from_array(sight.origin).lerp(Vec3::from_array(next.origin), share);
            let between = direction(sight).lerp(direction(next), share);
            if between != Vec3::ZERO {
                let between = Sight { origin: origin.to_array(), direction: between.to_array() };
                met.extend(sim.pick(ray(between), 0.0)?.map(|pick| (number as f64 + share, pick.distance)));
            }
        }
    }
    // Beside the surface the line goes on as deep as it was on it last.
    let depth = |at: f64| met.iter().min_by(|a, b| (a.0 - at).abs().total_cmp(&(b.0 - at).abs())).map(|near| near.1);
    let mut points = Vec::with_capacity(stroke.len());
    for (number, sight) in stroke.iter().enumerate() {
        let Some(depth) = depth(number as f64) else { return Ok(None) };
        points.push(Vec3::from_array(sight.origin) + direction(sight) * depth);
    }
    let blade = stroke.iter().map(direction).sum::<Vec3>();
    // Pieces that are too short to have a direction across the blade say nothing.
    let usual = met.iter().map(|(_, depth)| depth).sum::<f64>() / met.len() as f64;
    let least = 1e-3 * usual;
    points.dedup_by(|next, last| (*next - *last).reject_from(blade.normalize_or(Vec3::Z)).length() < least);
    Ok((points.len() >= 2).then_some(Cut::Polyline { points, direction: blade }))
}
