//! Wind on strands, rods and hair.

use pliant::mesh::generate::rope;
use pliant::prelude::*;

use super::common::{GRAVITY, assert_close};

/// A straight strand of 1 m along a direction, of vertices that are all held.
fn strand(direction: Vec3, segments: usize) -> Body {
    let strand = rope(Vec3::ZERO, direction, segments).unwrap();
    let material = StrandMaterial { width: Some(0.01), ..StrandMaterial::default() };
    Body::strands(&strand, &material).unwrap().pin(0..=segments as u32)
}

fn held(body: Body, wind: Wind) -> Vec3 {
    let sim = Simulation::builder().body(body).gravity(Vec3::ZERO).wind(wind).build().unwrap();
    -sim.pin_forces().iter().fold(Vec3::ZERO, |sum, f| sum + *f)
}

#[test]
fn a_strand_feels_the_wind_across_and_along_it_by_their_own_coefficients() {
    let wind = Wind { strand_drag: 1.2, strand_friction: 0.1, ..Wind::new(Vec3::new(3.0, 4.0, 0.0)) };
    for segments in [1, 7, 40] {
        let force = held(strand(Vec3::X, segments), wind);
        let square = 0.5 * 1.2 * 0.01;
        assert!((force - Vec3::new(square * 0.1 * 9.0, square * 1.2 * 16.0, 0.0)).length() < 1e-12, "{force}");
    }
    // Without a width the wind passes by.
    assert_eq!(held(strand(Vec3::X, 3).with_strand_width(0.0), wind), Vec3::ZERO);
}

#[test]
fn a_rod_has_the_width_of_its_radius() {
    let mesh = rope(Vec3::ZERO, Vec3::X, 5).unwrap();
    let body = Body::rods(&mesh, &RodMaterial { radius: 0.02, ..RodMaterial::default() }).unwrap().pin(0..6);
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).wind(Wind::new(Vec3::Z * 5.0));
    let sim = builder.solver(PositionBasedParams::default()).build().unwrap();
    let force = -sim.pin_forces().iter().fold(Vec3::ZERO, |sum, f| sum + *f);
    assert!((force - Vec3::Z * (0.5 * 1.2 * 1.1 * 0.04 * 25.0)).length() < 1e-12, "{force}");
}

#[test]
fn a_thread_falls_at_its_terminal_speed_with_every_solver_that_has_strands() {
    // ½ρ C d v² = λ g, for a thread that lies across its fall: gossamer of 20 µm, which has it after 20 ms.
    let material =
        StrandMaterial { density: 4e-7, width: Some(2e-5), axial_stiffness: 1.0, ..StrandMaterial::default() };
    let expected = -(material.density * GRAVITY / (0.6 * 1.1 * 2e-5)).sqrt();
    let solvers: [SolverChoice; 3] =
        [ProjectiveParams::default().into(), NewtonParams::default().into(), PositionBasedParams::default().into()];
    for solver in solvers {
        let mesh = rope(Vec3::ZERO, Vec3::X * 0.3, 6).unwrap();
        let body = Body::strands(&mesh, &material).unwrap();
        let mut sim = Simulation::builder().body(body).wind(Wind::new(Vec3::ZERO)).solver(solver).build().unwrap();
        for _ in 0..120 {
            sim.step().unwrap();
        }
        let mean = sim.velocities().iter().map(|v| v.y).sum::<f64>() / 7.0;
        assert_close(mean, expected, 1e-3, "terminal speed");
    }
}

#[test]
fn hair_hangs_in_the_wind_at_the_angle_of_its_weight_and_drag_at_every_step() {
    // A straight hair leans until its weight and the drag across it balance: λ g sin θ = ½ρ C d u² cos² θ (friction along it is off).
    let (density, width, speed) = (1e-4, 1e-3, 1.2_f64);
    let material = StrandMaterial { density, width: Some(width), ..StrandMaterial::default() };
    let ratio = 0.6 * 1.1 * width * speed * speed / (density * GRAVITY);
    // sin θ = r cos² θ = r (1 − sin² θ)
    let sine = ((1.0 + 4.0 * ratio * ratio).sqrt() - 1.0) / (2.0 * ratio);
    let wind = Wind { strand_friction: 0.0, ..Wind::new(Vec3::X * speed) };
    let mesh = rope(Vec3::ZERO, Vec3::NEG_Y * 0.3, 10).unwrap();
    let strand = || Body::strands(&mesh, &material).unwrap();
    let hair = || Body::hair(&mesh, &HairMaterial { density, width, ..HairMaterial::default() }).unwrap();
    for (body, solver, h) in [
        (strand(), SolverChoice::from(FollowLeaderParams::default()), 1.0 / 60.0),
        (strand(), FollowLeaderParams::default().into(), 1.0 / 240.0),
        (hair(), SolverChoice::Auto, 1.0 / 60.0),
        (hair(), SolverChoice::Auto, 1.0 / 240.0),
        (strand(), NewtonParams::default().into(), 1.0 / 60.0),
        (strand(), NewtonParams::default().into(), 0.05),
    ] {
        let body = body.pin([0]);
        let damping = Damping { drag: 2.0, ..Damping::default() };
        let builder = Simulation::builder().body(body).wind(wind).damping(damping).solver(solver).time_step(h);
        let mut sim = builder.build().unwrap();
        while sim.time() < 10.0 {
            sim.step().unwrap();
        }
        assert_close(sim.positions()[10].x / 0.3, sine, 1e-3, "sine of the angle");
    }
}
