//! How far the centre of mass of what drops is from where it should be: until it hits the floor, over the second, and at its end.

use pliant::math::Vec3;
use serde::{Deserialize, Serialize};

use super::problem::DROP;
use super::{Case, Motion};
use crate::BenchError;

/// Errors of the height of the centre of mass, as shares of the height of the drop, and how high it comes again.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct CentreErrors {
    /// Largest until the exact motion has hit the floor.
    pub falling: f64,
    /// Largest of all frames.
    pub largest: f64,
    /// At the last frame.
    pub end: f64,
    /// How high the centre comes after its lowest point \[m\], and should.
    pub rebound: [f64; 2],
}

impl CentreErrors {
    /// What stands above its cells.
    pub const HEADING: [&'static str; 4] =
        ["centre, falling [%]", "in all [%]", "at the end [%]", "rebound, and exact [m]"];

    /// Its cells of a table.
    pub fn cells(&self) -> [String; 4] {
        let [falling, largest, end] =
            [self.falling, self.largest, self.end].map(|share| format!("{:.2}", 100.0 * share));
        [falling, largest, end, format!("{:.3}, {:.3}", self.rebound[0], self.rebound[1])]
    }
}

/// Of a course that has all frames of the exact one; none for what does not drop.
pub(super) fn errors(
    case: &Case,
    exact: &[Vec<Vec3>],
    course: &[Vec<Vec3>],
) -> Result<Option<CentreErrors>, BenchError> {
    if case.motion != Motion::Drop || course.len() < exact.len() {
        return Ok(None);
    }
    let sim = case.world()?.build()?;
    let masses = sim.model().mass().lumped();
    let all: f64 = masses.iter().sum();
    let heights = |frames: &[Vec<Vec3>]| -> Vec<f64> {
        frames.iter().map(|x| x.iter().zip(masses).map(|(p, mass)| p.y * mass).sum::<f64>() / all).collect()
    };
    let (wanted, found) = (heights(exact), heights(course));
    let off: Vec<f64> = wanted.iter().zip(&found).map(|(wanted, found)| (wanted - found).abs() / DROP).collect();
    let is_falling = |x: &Vec<Vec3>| x.iter().all(|p| p.y > 1e-3);
    let fallen = exact.iter().take_while(|x| is_falling(x)).count();
    let largest = |shares: &[f64]| shares.iter().copied().fold(0.0, f64::max);
    Ok(Some(CentreErrors {
        falling: largest(&off[..fallen]),
        largest: largest(&off),
        end: off.last().copied().unwrap_or(f64::NAN),
        rebound: [rebound(&found), rebound(&wanted)],
    }))
}

/// How high the centre comes after its first lowest point.
fn rebound(heights: &[f64]) -> f64 {
    let lowest = heights.windows(2).position(|pair| pair[1] > pair[0]).unwrap_or(heights.len() - 1);
    heights[lowest..].iter().copied().fold(f64::NEG_INFINITY, f64::max)
}
