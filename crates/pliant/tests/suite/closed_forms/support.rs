//! Pins and goals that move.

use pliant::energy::PositionGoals;
use pliant::mesh::MassKind;
use pliant::prelude::*;

use super::common::farthest;

const ALL: [TimeIntegrator; 4] =
    [TimeIntegrator::ImplicitEuler, TimeIntegrator::Bdf2, TimeIntegrator::TrBdf2, TimeIntegrator::ImplicitMidpoint];

const VELOCITY: Vec3 = Vec3::new(0.04, 0.03, -0.05);

/// Newton from the last positions.
fn newton() -> NewtonParams {
    NewtonParams { start: Start::Previous, ..NewtonParams::default() }
}

fn bar(mass: MassKind) -> (TetMesh, Body) {
    let mesh = TetBox::bar(1.0, 0.2, 5, 1).mesh().unwrap();
    let body = Body::solid(&mesh, &SolidMaterial { mass, ..SolidMaterial::default() }).unwrap().named("bar");
    (mesh, body)
}

/// Positions of a body that moves as a whole.
fn carried(mesh: &TetMesh, time: f64) -> Vec<Vec3> {
    mesh.positions.iter().map(|p| *p + VELOCITY * time).collect()
}

#[test]
fn pins_that_move_evenly_carry_a_body_that_moves_with_them() {
    for mass in [MassKind::Lumped, MassKind::Consistent] {
        for integrator in ALL {
            let (mesh, body) = bar(mass);
            let body = body.pin_where(|p| p.x < -0.49).with_velocities(vec![VELOCITY; mesh.positions.len()]);
            let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).integrator(integrator);
            let mut sim = builder.solver(newton()).build().unwrap();
            for _ in 0..60 {
                let at = sim.time() + sim.time_step();
                sim.move_pins(|_, rest| rest + VELOCITY * at).unwrap();
                sim.step().unwrap();
                let error = farthest(sim.positions(), &carried(&mesh, sim.time()));
                assert!(error < 1e-11, "{mass:?}, {integrator:?}: off by {error:e} m");
            }
        }
    }
}

#[test]
fn pins_that_move_evenly_drag_a_body_along() {
    let (mesh, body) = bar(MassKind::Lumped);
    let body = body.pin_where(|p| p.x < -0.49);
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(0.05);
    // Long steps bring it to rest soon.
    let mut sim = builder.solver(ProjectiveParams::default()).build().unwrap();
    for _ in 0..2000 {
        let at = sim.time() + sim.time_step();
        sim.move_pins(|_, rest| rest + VELOCITY * at).unwrap();
        sim.step().unwrap();
    }
    let (t, speeds) = (sim.time(), sim.velocities().to_vec());
    assert!(farthest(sim.positions(), &carried(&mesh, t)) < 1e-8);
    assert!(farthest(&speeds, &vec![VELOCITY; speeds.len()]) < 1e-8);
}

#[test]
fn goals_that_move_evenly_carry_and_drag_a_body() {
    let ends: Vec<u32> = (0..24).filter(|v| v % 6 == 0).collect();
    for integrator in ALL {
        for moving in [true, false] {
            let (mesh, body) = bar(MassKind::Lumped);
            let goals = PositionGoals { vertices: ends.clone(), goals: None, stiffness: 500.0 };
            let start = if moving { VELOCITY } else { Vec3::ZERO };
            let body =
                body.with_energy(goals.build(&mesh.positions).unwrap())
                    .with_velocities(vec![start; mesh.positions.len()]);
            let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).integrator(integrator);
            // The others keep, or nearly keep, the swing of a body that was jerked into motion.
            let settles = [TimeIntegrator::ImplicitEuler, TimeIntegrator::Bdf2].contains(&integrator);
            if !moving && !settles {
                continue;
            }
            // Long steps damp the slow swing of the bar about its held end.
            let (h, steps) = if moving { (0.05, 60) } else { (1.0, 150) };
            let mut sim = builder.time_step(h).solver(newton()).build().unwrap();
            for _ in 0..steps {
                let at = sim.time() + sim.time_step();
                for (goal, &v) in ends.iter().enumerate() {
                    sim.set_goal("position", goal, mesh.positions[v as usize] + VELOCITY * at).unwrap();
                }
                let report = sim.step().unwrap().solve;
                // Far from the origin what is left is rounding, and may not lead down any more.
                assert!(report.converged || report.movement < 1e-8, "{integrator:?} at {} s: {report:?}", sim.time());
            }
            let error = farthest(sim.positions(), &carried(&mesh, sim.time()));
            assert!(error < if moving { 1e-11 } else { 1e-6 }, "{integrator:?}, moving {moving}: off by {error:e} m");
        }
    }
}
