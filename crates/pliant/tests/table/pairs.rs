//! Self-collision of every kind with every other: one falls on another that is held in its place.

use pliant::prelude::*;
use pliant::proximity::{Primitives, intersections};

use super::features::Outcome;
use super::kinds::Kind;

const STEPS: usize = 40;
/// How far above the lower body the upper one begins \[m\].
const GAP: f64 = 0.03;

/// The upper body, turned by a quarter about the vertical, so that strands cross.
fn upper(kind: &Kind, lower: &Kind) -> Body {
    let top = lower.body().rest().iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
    let body = kind.body();
    let bottom = body.rest().iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let up = Vec3::Y * (top + GAP - bottom);
    let places = body.rest().iter().map(|p| Vec3::new(p.z, p.y, -p.x) + up).collect();
    body.with_positions(places).named("upper")
}

/// Where the upper body begins and ends, and what went wrong in between.
struct Fall {
    start: Vec<Vec3>,
    end: Vec<Vec3>,
    /// Most crossings of surfaces and strands after a step.
    crossings: usize,
    /// Most vertices of the upper body that were under the middle of the lower one.
    under: usize,
}

fn fallen(body: Body, below: Option<Body>) -> Result<Fall, Outcome> {
    let settings = SelfCollision { thickness: 5e-3, ..SelfCollision::default() };
    let alone = below.is_none();
    let mut world = Simulation::builder().body(body);
    if let Some(below) = below {
        world = world.body(below);
    }
    // A body that cannot collide at all still falls when it is alone.
    let world = if alone { world } else { world.self_collision(settings) };
    let mut sim = world.build().map_err(|error| Outcome::Refused(error.to_string()))?;
    let start = sim.body_positions("upper").unwrap().to_vec();
    let (mut crossings, mut under) = (0, 0);
    for _ in 0..STEPS {
        sim.step().map_err(|error| Outcome::Wrong(format!("fails: {error}")))?;
        if let Ok(lower) = sim.body_positions("lower") {
            crossings = crossings.max(intersections(&Primitives::new(sim.model().bodies()), sim.positions()).len());
            under = under.max(hidden(sim.body_positions("upper").unwrap(), lower));
        }
    }
    Ok(Fall { start, end: sim.body_positions("upper").unwrap().to_vec(), crossings, under })
}

/// How many points are right below the middle half of a body, where nothing comes that has not gone through it.
fn hidden(upper: &[Vec3], lower: &[Vec3]) -> usize {
    let most = |value: fn(&Vec3) -> f64| lower.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
    let half = [0.5 * most(|p| p.x.abs()), 0.5 * most(|p| p.z.abs())];
    let bottom = -most(|p| -p.y);
    let below = bottom - 0.2..bottom - 0.02;
    upper.iter().filter(|p| p.x.abs() < half[0] && p.z.abs() < half[1] && below.contains(&p.y)).count()
}

fn tried(kind: &Kind, lower: &Kind) -> Result<Outcome, Outcome> {
    let alone = fallen(upper(kind, lower), None)?;
    let now = fallen(upper(kind, lower), Some(lower.body().named("lower").pin_where(|_| true)))?;
    let centre = |x: &[Vec3]| x.iter().sum::<Vec3>() / x.len() as f64;
    let fall = centre(&now.start).y - centre(&now.end).y;
    let deflected = now.end.iter().zip(&alone.end).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    if deflected < 5e-3 {
        return Err(Outcome::Wrong(format!("passes through, {deflected:.4} m from its way alone")));
    }
    if now.crossings > 0 {
        return Err(Outcome::Wrong(format!("falls by {fall:.2} m, with {} crossings", now.crossings)));
    }
    // A fluid flows off at the sides, but not through.
    let share = 100.0 * now.under as f64 / now.end.len() as f64;
    if kind.name == "fluid" && now.under > 0 {
        return Err(Outcome::Wrong(format!("falls by {fall:.2} m, with {share:.0} % under the middle")));
    }
    // Alone it falls by 2.2 m, and hair is held by its roots. What slides off falls later.
    let free = centre(&now.start).y - centre(&alone.end).y;
    match fall < 0.5 * free || ["fluid", "hair"].contains(&kind.name) {
        true => Ok(Outcome::Works(format!("{fall:.2}"))),
        false => Err(Outcome::Wrong(format!("falls by {fall:.2} m"))),
    }
}

/// What becomes of a body that falls on another.
pub(super) fn trial(kind: &Kind, lower: &Kind) -> Outcome {
    tried(kind, lower).unwrap_or_else(|outcome| outcome)
}
