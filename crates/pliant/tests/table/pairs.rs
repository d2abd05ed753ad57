//! Self-collision of every kind with every other: one falls on another that is held in its place.

use pliant::prelude::*;

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

fn fallen(body: Body, below: Option<Body>) -> Result<(Vec<Vec3>, Vec<Vec3>), Outcome> {
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
    for _ in 0..STEPS {
        sim.step().map_err(|error| Outcome::Wrong(format!("fails: {error}")))?;
    }
    Ok((start, sim.body_positions("upper").unwrap().to_vec()))
}

fn tried(kind: &Kind, lower: &Kind) -> Result<Outcome, Outcome> {
    let (start, alone) = fallen(upper(kind, lower), None)?;
    let (_, now) = fallen(upper(kind, lower), Some(lower.body().named("lower").pin_where(|_| true)))?;
    let centre = |x: &[Vec3]| x.iter().sum::<Vec3>() / x.len() as f64;
    let fall = centre(&start).y - centre(&now).y;
    let deflected = now.iter().zip(&alone).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    if deflected < 5e-3 {
        return Err(Outcome::Wrong(format!("passes through, {deflected:.4} m from its way alone")));
    }
    // Alone it falls by 2.2 m. A fluid flows round a strand, and hair is held by its roots.
    let free = centre(&start).y - centre(&alone).y;
    let may_slip = ["fluid"].contains(&kind.name);
    match fall < 0.5 * free || may_slip || kind.name == "hair" {
        true => Ok(Outcome::Works(format!("{fall:.2}"))),
        false => Err(Outcome::Wrong(format!("falls by {fall:.2} m"))),
    }
}

/// What becomes of a body that falls on another.
pub(super) fn trial(kind: &Kind, lower: &Kind) -> Outcome {
    tried(kind, lower).unwrap_or_else(|outcome| outcome)
}
