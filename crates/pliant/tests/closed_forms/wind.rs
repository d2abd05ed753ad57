//! Wind on plates.

use pliant::mesh::generate::Plane;
use pliant::prelude::*;

use super::common::{GRAVITY, assert_close};

const DENSITY: f64 = 0.5;

fn plate(plane: Plane) -> Body {
    let mesh = Sheet { width: 2.0, height: 1.5, columns: 4, rows: 3, plane, ..Sheet::default() }.mesh().unwrap();
    Body::cloth(&mesh, &ClothMaterial { density: DENSITY, ..ClothMaterial::default() }).unwrap()
}

#[test]
fn wind_presses_on_a_plate_with_the_drag_of_its_speed_across() {
    let (h, area) = (1e-3, 3.0);
    for (speed, drag, angle) in [(5.0, 1.0, 0.0), (5.0, 1.3, 0.7), (-12.0, 1.0, 0.3)] {
        let wind = Wind { drag, ..Wind::new(Vec3::new(f64::sin(angle), 0.0, f64::cos(angle)) * speed) };
        let builder = Simulation::builder().body(plate(Plane::Xy)).gravity(Vec3::ZERO).time_step(h);
        let mut sim = builder.wind(wind).build().unwrap();
        sim.step().unwrap();
        let force = sim.report().momentum / h;
        let across = speed * f64::cos(angle);
        let expected = 0.5 * 1.2 * drag * area * across * across.abs();
        assert_close(force.z, expected, 1e-9, "force along the normal");
        assert!(force.x.abs() + force.y.abs() < 1e-9 * expected.abs(), "no force along the plate: {force}");
    }
}

#[test]
fn a_plate_falls_through_air_at_its_terminal_speed() {
    // ½ρ C A v² = m g.
    let builder = Simulation::builder().body(plate(Plane::Xz)).wind(Wind::new(Vec3::ZERO)).time_step(5e-3);
    let mut sim = builder.build().unwrap();
    for _ in 0..1500 {
        sim.step().unwrap();
    }
    let expected = -(2.0 * DENSITY * GRAVITY / 1.2_f64).sqrt();
    let mean = sim.report().momentum.y / (DENSITY * 3.0);
    assert_close(mean, expected, 1e-3, "terminal speed");
}

#[test]
fn a_free_plate_gains_on_the_wind_as_quadratic_drag_says() {
    // Relative speed u falls by du/dt = −k u², k = ½ρC/(mass per area): u = u₀/(1 + k u₀ t).
    let (speed, h) = (10.0, 2e-3);
    let builder = Simulation::builder().body(plate(Plane::Xy)).gravity(Vec3::ZERO).time_step(h);
    let mut sim = builder.wind(Wind::new(Vec3::Z * speed)).build().unwrap();
    for _ in 0..1000 {
        sim.step().unwrap();
    }
    let left = speed - sim.report().momentum.z / (DENSITY * 3.0);
    let k = 0.5 * 1.2 / DENSITY;
    assert_close(left, speed / (1.0 + k * speed * sim.time()), 5e-3, "speed relative to the wind");
}

#[test]
fn a_storm_does_not_throw_a_light_plate_ahead_of_itself() {
    let builder = Simulation::builder().body(plate(Plane::Xy)).gravity(Vec3::ZERO).time_step(0.1);
    let mut sim = builder.wind(Wind::new(Vec3::Z * 60.0)).build().unwrap();
    for _ in 0..100 {
        sim.step().unwrap();
        let mean = sim.report().momentum.z / (DENSITY * 3.0);
        assert!(mean < 60.0 + 1e-9, "the plate outran the wind: {mean} m/s");
    }
}
