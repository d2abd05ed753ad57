//! Decides on a world by a seed.
//!
//! Bodies begin apart from each other and outside of colliders. Two pairs of things do not meet in one world, because what they do to each other cannot be
//! measured from outside: strain limits beside what is driven (limits pull at pins and push at colliders, and report no force), and damping of shape
//! beside pins that move (a moving pin drags its body along through the damping).

use pliant::prelude::*;

use super::random::Random;
use super::world::{Course, Form, Obstacle, Thing, Tie, World};

/// Fastest vertex of a body at the start \[m/s\].
const FASTEST: f64 = 20.0;

pub(crate) fn world(seed: u64) -> World {
    let r = &mut Random::new(seed);
    let mut bodies: Vec<Thing> = Vec::new();
    // One after the other along a line, so that none overlap.
    let (axis, mut front) = (r.direction(), 0.0);
    for number in 0..r.pick(&[1, 1, 2, 2, 3]) {
        let size = r.scale(0.05, 5.0);
        let mut thing = thing(r, number, size);
        let reach = thing.form.reach();
        thing.centre = axis * (front + reach + 0.02);
        front += 2.0 * reach + 0.04;
        bodies.push(thing);
    }
    let time_step = r.scale(1.0 / 240.0, 1.0 / 24.0);
    let is_driven = r.chance(0.5);
    if is_driven {
        for thing in &mut bodies {
            (thing.pin_motion, thing.handle_motion) = (course(r, &thing.form), course(r, &thing.form));
            if thing.pins.is_empty() || thing.pressure > 0.0 {
                thing.pin_motion = Course::default();
            }
        }
    }
    let colliders = (0..r.pick(&[0, 0, 1, 1, 2, 3])).map(|_| obstacle(r, &bodies, is_driven)).collect();
    let has_moving_pins = bodies.iter().any(|thing| !thing.pin_motion.is_still());
    let limiting = if !is_driven && r.chance(0.15) { Some(strain_limiting(r)) } else { None };
    let gravity = match r.count(0, 5) {
        0 => Vec3::ZERO,
        1 => r.vector(30.0),
        _ => Vec3::new(0.0, -9.81, 0.0),
    };
    let thinnest = bodies.iter().map(|thing| thing.form.cell()).fold(0.02, f64::min);
    World {
        seed,
        ties: ties(r, &bodies),
        colliders,
        gravity,
        wind: r.chance(0.25).then(|| wind(r)),
        damping: damping(r, has_moving_pins),
        self_collision: r.chance(0.3).then(|| SelfCollision {
            thickness: r.scale(1e-4, 0.2) * thinnest,
            friction: r.between(0.0, 1.0),
            ..SelfCollision::default()
        }),
        strain_limiting: limiting,
        time_step,
        steps: 60,
        bodies,
    }
}

fn thing(r: &mut Random, number: usize, size: f64) -> Thing {
    let form = form(r, size);
    let count = form.vertices();
    let mut pins = Vec::new();
    if r.chance(0.5) {
        // A corner, an end, a few anywhere.
        pins = match r.count(0, 2) {
            0 => vec![0],
            1 => (0..r.count(1, count.min(8)) as u32).collect(),
            _ => (0..r.count(1, 4)).map(|_| r.count(0, count - 1) as u32).collect(),
        };
        pins.sort_unstable();
        pins.dedup();
    }
    let mut handles = Vec::new();
    if r.chance(0.2) {
        handles = (0..r.count(1, 3)).map(|_| r.count(0, count - 1) as u32).filter(|v| !pins.contains(v)).collect();
        handles.sort_unstable();
        handles.dedup();
    }
    let is_fast = r.chance(0.5);
    let spin = if r.chance(0.4) { r.vector(0.5 * FASTEST / size) } else { Vec3::ZERO };
    let pressure = if r.chance(0.5) { form.pressure(r) } else { 0.0 };
    Thing {
        name: format!("{} {number}", form.name()),
        form,
        centre: Vec3::ZERO,
        turn: r.rotation(),
        velocity: if is_fast { r.vector(0.5 * FASTEST) } else { Vec3::ZERO },
        spin,
        pins,
        pin_motion: Course::default(),
        handles,
        handle_stiffness: r.scale(1.0, 1e5),
        handle_motion: Course::default(),
        pressure,
    }
}

fn form(r: &mut Random, size: f64) -> Form {
    match r.count(0, 6) {
        0..=2 => {
            let share = r.between(0.3, 1.0);
            let cells = [r.count(2, 18), r.count(2, 18)];
            Form::Sheet { size: [0.9 * size, 0.9 * size * share], cells, material: cloth(r) }
        }
        3 => Form::Balloon { radius: 0.5 * size, subdivisions: r.count(1, 2) as u32, material: cloth(r) },
        4 | 5 => {
            let size = Vec3::new(size, size * r.between(0.1, 1.0), size * r.between(0.1, 1.0));
            let cells = [r.count(1, 8), r.count(1, 5), r.count(1, 5)];
            let solids = [(1000.0, 2e4, 0.4), (1100.0, 1.5e6, 0.45), (60.0, 1e5, 0.2), (600.0, 1e9, 0.3)];
            let (density, youngs_modulus, poisson_ratio) = if r.chance(0.4) {
                r.pick(&solids)
            } else {
                (r.scale(50.0, 8000.0), r.scale(1e3, 1e9), r.between(0.0, 0.45))
            };
            let material = SolidMaterial { density, youngs_modulus, poisson_ratio, ..SolidMaterial::default() };
            Form::Block { size, cells, material }
        }
        _ => {
            let strands = [(0.02, 2e3, true), (5e-5, 20.0, false), (0.5, 2e5, true)];
            let (density, axial_stiffness, resists_compression) =
                if r.chance(0.5) { r.pick(&strands) } else { (r.scale(1e-5, 1.0), r.scale(1.0, 1e6), r.chance(0.7)) };
            let material =
                StrandMaterial { density, axial_stiffness, resists_compression, ..StrandMaterial::default() };
            Form::Hair { length: size, segments: r.count(2, 20), count: r.pick(&[1, 1, 8]), material }
        }
    }
}

/// Cotton, silk, denim, paper, rubber; or anything between them and somewhat beyond.
fn cloth(r: &mut Random) -> ClothMaterial {
    let presets = [
        (0.15, 4e6, 5e-4, 1e-5, 0.0),
        (0.06, 8e5, 1.5e-4, 1e-6, 0.0),
        (0.4, 1e7, 8e-4, 8e-5, 0.0),
        (0.08, 2e9, 1e-4, 1.7e-4, 0.0),
        (1.1, 1.5e6, 1e-3, 1.6e-4, 0.45),
    ];
    let (density, youngs_modulus, thickness, bending, poisson_ratio) = if r.chance(0.5) {
        r.pick(&presets)
    } else {
        let poisson = if r.chance(0.5) { 0.0 } else { r.between(0.0, 0.45) };
        (r.scale(0.03, 3.0), r.scale(1e4, 1e9), r.scale(1e-4, 1e-3), r.scale(1e-7, 1e-2), poisson)
    };
    let bending_stiffness = if r.chance(0.8) { Some(bending) } else { None };
    let bend_model = r.pick(&[BendModel::Auto, BendModel::Auto, BendModel::Hinge, BendModel::None]);
    ClothMaterial {
        density,
        youngs_modulus,
        thickness,
        bending_stiffness,
        poisson_ratio,
        bend_model,
        ..ClothMaterial::default()
    }
}

impl Form {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Sheet { .. } => "sheet",
            Self::Balloon { .. } => "balloon",
            Self::Block { .. } => "block",
            Self::Hair { count: 1, .. } => "rope",
            Self::Hair { .. } => "hair",
        }
    }

    pub(crate) fn vertices(&self) -> usize {
        match self {
            Self::Sheet { cells: [columns, rows], .. } => (columns + 1) * (rows + 1),
            Self::Balloon { subdivisions, .. } => 10 * 4usize.pow(*subdivisions) + 2,
            Self::Block { cells: [i, j, k], .. } => (i + 1) * (j + 1) * (k + 1),
            Self::Hair { segments, count, .. } => count * (segments + 1),
        }
    }

    /// Length of an edge, about \[m\].
    fn cell(&self) -> f64 {
        match self {
            Self::Sheet { size, cells, .. } => (size[0] / cells[0] as f64).min(size[1] / cells[1] as f64),
            Self::Balloon { radius, subdivisions, .. } => radius / 2f64.powi(*subdivisions as i32),
            Self::Block { size, cells, .. } => (0..3).map(|k| size[k] / cells[k] as f64).fold(f64::INFINITY, f64::min),
            Self::Hair { length, segments, .. } => length / *segments as f64,
        }
    }

    /// An overpressure that stretches a closed surface by 0.1 % to 30 %. What would be more than about 23 % bursts it, see [`Thing::may_burst`].
    fn pressure(&self, r: &mut Random) -> f64 {
        let strain = r.scale(1e-3, 0.3);
        match self {
            Self::Balloon { radius, material, .. } => {
                2.0 * strain * material.youngs_modulus * material.thickness / radius
            }
            Self::Block { material, .. } => strain * material.youngs_modulus,
            _ => 0.0,
        }
    }
}

/// Least strain at which pressure may burst a body; 0.233 for those that grow evenly, less for those that do not.
const BURSTING: f64 = 0.2;

impl Thing {
    /// Whether pressure may burst it. A ball that grows by λ is pushed by p λ² and held by K (λ − 1), with K = E/(1 − 2ν) for solids and 2Et/((1 − ν)R) for balloons. Beyond
    /// p = K/4 the push is always greater; let go from rest it swings over the summit of its energy 1.5 (λ − 1)² K − p (λ³ − 1) from p = 0.233 K on.
    pub(crate) fn may_burst(&self) -> bool {
        let held = match &self.form {
            Form::Block { material, .. } => material.youngs_modulus / (1.0 - 2.0 * material.poisson_ratio),
            Form::Balloon { radius, material, .. } => {
                2.0 * material.youngs_modulus * material.thickness / ((1.0 - material.poisson_ratio) * radius)
            }
            _ => f64::INFINITY,
        };
        self.pressure > BURSTING * held
    }
}

/// How pins or handles move: as fast as ten metres in a second, to and fro by up to a third of the body.
fn course(r: &mut Random, form: &Form) -> Course {
    let size = form.cell() * (form.vertices() as f64).sqrt();
    match r.count(0, 3) {
        0 => Course::default(),
        1 => Course { velocity: r.vector(5.0), ..Course::default() },
        2 => {
            let (swing, rate) = (r.vector(0.3 * size), r.scale(1.0, 30.0));
            Course { swing: swing.clamp_length_max(10.0 / rate), rate, ..Course::default() }
        }
        _ => Course { velocity: r.vector(1.0), swing: r.vector(0.1 * size), rate: r.scale(1.0, 10.0) },
    }
}

fn obstacle(r: &mut Random, bodies: &[Thing], may_move: bool) -> Obstacle {
    let (thickness, friction) = (r.scale(1e-4, 1e-2), if r.chance(0.7) { r.between(0.0, 1.0) } else { 0.0 });
    let restitution = if r.chance(0.3) { r.between(0.0, 0.9) } else { 0.0 };
    let balls: Vec<(Vec3, f64)> = bodies.iter().map(|thing| (thing.centre, thing.form.reach())).collect();
    let target = r.pick(&balls);
    let gap = 2.0 * thickness + r.between(0.0, 0.3);
    let size = r.scale(0.1, 2.0);
    let moves = may_move && r.chance(0.6);
    let spin = if moves && r.chance(0.4) { r.vector(4.0) } else { Vec3::ZERO };
    let shape = match r.count(0, 4) {
        0 | 1 => Shape::Plane,
        2 => Shape::Sphere { radius: 0.5 * size },
        3 => Shape::Box { size: Vec3::new(size, size * r.between(0.2, 1.0), size * r.between(0.2, 1.0)) },
        _ => Shape::Capsule { radius: 0.25 * size, length: 0.5 * size },
    };
    if matches!(shape, Shape::Plane) {
        let up = (Vec3::Y + r.vector(0.6)).normalize();
        let lowest = balls.iter().map(|(centre, reach)| up.dot(*centre) - reach).fold(f64::INFINITY, f64::min);
        let velocity = if moves { up * r.between(-1.0, 2.0) + r.vector(1.0) } else { Vec3::ZERO };
        let turn = Quat::from_rotation_arc(Vec3::Y, up);
        let position = up * (lowest - gap);
        return Obstacle { shape, position, turn, velocity, spin: Vec3::ZERO, thickness, friction, restitution };
    }
    // Mostly below, where bodies fall to; farther if another body is there.
    let way = (r.direction() + Vec3::NEG_Y * 0.7).normalize();
    let mut distance = target.1 + 0.9 * size + gap;
    while balls.iter().any(|(centre, reach)| (target.0 + way * distance).distance(*centre) < reach + 0.9 * size + gap) {
        distance += 0.1;
    }
    let velocity = if moves { r.vector(2.0) - way * r.between(0.0, 5.0) } else { Vec3::ZERO };
    let position = target.0 + way * distance;
    Obstacle { shape, position, turn: r.rotation(), velocity, spin, thickness, friction, restitution }
}

impl Form {
    /// Radius of a ball about the body's centre.
    fn reach(&self) -> f64 {
        match self {
            Self::Sheet { size, .. } => 0.5 * size[0].hypot(size[1]),
            Self::Balloon { radius, .. } => *radius,
            Self::Block { size, .. } => 0.5 * size.length(),
            Self::Hair { length, .. } => 1.05 * length,
        }
    }
}

fn ties(r: &mut Random, bodies: &[Thing]) -> Vec<Tie> {
    if bodies.len() < 2 || !r.chance(0.4) {
        return Vec::new();
    }
    let mut tie = || {
        let first = r.count(0, bodies.len() - 2);
        let mut end = |body: usize| (body, r.count(0, bodies[body].form.vertices() - 1) as u32);
        let ends = [end(first), end(first + 1)];
        let has_length = r.chance(0.6);
        Tie { ends, stiffness: if has_length { r.scale(1.0, 1e5) } else { r.scale(0.1, 100.0) }, has_length }
    };
    let mut ties = vec![tie()];
    ties.push(tie());
    ties
}

fn wind(r: &mut Random) -> Wind {
    let strength = if r.chance(0.4) { r.between(0.0, 0.5) } else { 0.0 };
    let turbulence = Turbulence { strength, length: r.scale(0.2, 3.0), seed: r.count(0, 1000) as u64 };
    Wind { turbulence, ..Wind::new(r.vector(20.0)) }
}

fn damping(r: &mut Random, has_moving_pins: bool) -> Damping {
    if !r.chance(0.4) {
        return Damping::default();
    }
    let mut rate = |most: f64| if r.chance(0.4) { r.scale(1e-2, most) } else { 0.0 };
    let drag = rate(10.0);
    if has_moving_pins {
        return Damping { drag, ..Damping::default() };
    }
    let (deformation, spring, radial) = (rate(100.0), rate(100.0), rate(100.0));
    let stiffness = 0.1 * rate(0.1);
    Damping { drag, deformation, stiffness, spring, radial, cluster: r.pick(&[0, 10, 30]) }
}

fn strain_limiting(r: &mut Random) -> StrainLimiting {
    let (most, rounds) = (r.between(1.01, 1.3), r.count(1, 10));
    match r.count(0, 3) {
        0 => StrainLimiting::global(most),
        1 => StrainLimiting::principal(most, rounds),
        2 => StrainLimiting::edges(most, rounds),
        _ => StrainLimiting::hierarchy(most, rounds),
    }
}
