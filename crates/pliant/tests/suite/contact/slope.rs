//! Coulomb's friction on an incline.

use pliant::prelude::*;

use super::common::{GRAVITY, cube, incline, jelly, particle};

/// How far things went down an incline of `angle` in a time.
fn slide(body: impl Fn(Quat) -> Body, angle: f64, friction: f64, h: f64, seconds: f64, params: ContactParams) -> f64 {
    let tilt = Quat::from_rotation_z(angle);
    let ground = incline(angle).friction(friction);
    // At ten iterations a soft body at the edge of slipping creeps by what they leave over.
    let solver = ProjectiveParams { iterations: 50, ..ProjectiveParams::default() };
    let builder = Simulation::builder().body(body(tilt)).collider(ground).contact(params).solver(solver);
    let mut sim = builder.time_step(h).build().unwrap();
    let centre = |sim: &Simulation| {
        let x = sim.positions();
        x.iter().fold(Vec3::ZERO, |sum, p| sum + *p) / x.len() as f64
    };
    let before = centre(&sim);
    for _ in 0..(seconds / h).round() as usize {
        sim.step().unwrap();
    }
    let down = tilt * -Vec3::X;
    (centre(&sim) - before).dot(down)
}

fn grain(tilt: Quat) -> Body {
    particle(tilt * (Vec3::Y * 1e-3), Vec3::ZERO)
}

fn block(tilt: Quat) -> Body {
    let mut mesh = cube(3);
    for p in &mut mesh.positions {
        *p = tilt * (*p + Vec3::Y * 0.101);
    }
    Body::solid(&mesh, &jelly()).unwrap()
}

const MODES: [ContactMode; 3] = [ContactMode::Constraint, ContactMode::Displacement, ContactMode::ConstantMatrix];

#[test]
fn a_particle_slips_only_if_the_slope_is_steeper_than_the_coefficient() {
    let angle = 25_f64.to_radians();
    for mode in MODES {
        let params = ContactParams { mode, ..ContactParams::default() };
        for h in [1.0 / 60.0, 1.0 / 240.0] {
            let stuck = slide(grain, angle, 1.01 * angle.tan(), h, 2.0, params.clone());
            assert!(stuck.abs() < 1e-6, "{mode:?}, {h}: crept by {stuck:e} m");
            let slid = slide(grain, angle, 0.99 * angle.tan(), h, 2.0, params.clone());
            let expected = 0.5 * GRAVITY * (0.01 * angle.sin()) * 4.0;
            assert!((slid / expected - 1.0).abs() < 0.05, "{mode:?}, {h}: {slid} for {expected}");
        }
    }
}

#[test]
fn a_particle_slides_as_fast_as_coulomb_says() {
    let angle = 30_f64.to_radians();
    for mode in MODES {
        let params = ContactParams { mode, ..ContactParams::default() };
        for h in [0.01_f64, 0.0025] {
            for friction in [0.0, 0.2, 0.5] {
                let acceleration = GRAVITY * (angle.sin() - friction * angle.cos());
                // Implicit Euler adds up the velocity at the end of each step.
                let steps = (1.0 / h).round();
                let expected = acceleration * h * h * steps * (steps + 1.0) / 2.0;
                let way = slide(grain, angle, friction, h, 1.0, params.clone());
                assert!((way / expected - 1.0).abs() < 0.02, "{mode:?}, h {h}, friction {friction}: {way} {expected}");
            }
        }
    }
}

#[test]
fn a_soft_block_stays_just_below_the_angle_of_friction_and_slides_just_above_it() {
    let angle = 20_f64.to_radians();
    let params = ContactParams::default();
    let h = 1.0 / 60.0;
    // The block leans as it takes up its load; what counts is that it stays there.
    let early = slide(block, angle, 1.02 * angle.tan(), h, 2.5, params.clone());
    let late = slide(block, angle, 1.02 * angle.tan(), h, 3.5, params.clone());
    assert!((late - early).abs() < 1e-4, "{h}: crept from {early} to {late} m");
    // Second differences leave out what the block gained while it took up its load.
    let way = |seconds: f64| slide(block, angle, 0.9 * angle.tan(), h, seconds, params.clone());
    let found = (way(2.0) - 2.0 * way(1.5) + way(1.0)) / 0.25;
    let expected = GRAVITY * 0.1 * angle.sin();
    assert!((found - expected).abs() < 0.01 * expected, "{h}: {found} m/s² for {expected}");
}
