//! Restitution.

use pliant::prelude::*;

use super::common::particle;

#[test]
fn a_ball_rises_to_the_square_of_the_restitution() {
    rises_to_the_square_of_the_restitution(TimeIntegrator::ImplicitEuler);
}

/// What looks back over an impact would add it to the motion that follows: to three times the height, or from no restitution to half the speed.
#[test]
fn a_ball_rises_to_the_square_of_the_restitution_by_an_integrator_that_looks_back() {
    rises_to_the_square_of_the_restitution(TimeIntegrator::Bdf2);
}

fn rises_to_the_square_of_the_restitution(integrator: TimeIntegrator) {
    let (height, h) = (1.0, 5e-4);
    for e in [0.0, 0.5, 0.9, 1.0] {
        let ground = Collider::new(Shape::Plane).restitution(e);
        let body = particle(Vec3::Y * (height + 1e-3), Vec3::ZERO);
        let world = Simulation::builder().body(body).collider(ground).integrator(integrator);
        let mut sim = world.time_step(h).build().unwrap();
        let mut bounced = false;
        let mut top: f64 = 0.0;
        for _ in 0..(1.4 / h) as usize {
            sim.step().unwrap();
            let (y, v) = (sim.positions()[0].y - 1e-3, sim.velocities()[0].y);
            if bounced && v < 0.0 && top > 0.0 && y < 0.5 * top {
                break;
            }
            bounced |= !sim.contacts().is_empty();
            if bounced {
                top = top.max(y);
            }
        }
        assert!(bounced);
        assert!((top - e * e * height).abs() < 0.02 * (e * e * height).max(1e-3), "e = {e}: {top}");
    }
}

#[test]
fn a_ball_that_bounces_comes_to_rest() {
    let ground = Collider::new(Shape::Plane).restitution(0.5);
    let body = particle(Vec3::Y * 0.5, Vec3::ZERO);
    let mut sim = Simulation::builder().body(body).collider(ground).build().unwrap();
    (0..240).for_each(|_| drop(sim.step().unwrap()));
    assert!((sim.positions()[0].y - 1e-3).abs() < 1e-6, "{}", sim.positions()[0].y);
    assert!((sim.contacts()[0].normal_force - 0.3 * 9.81).abs() < 1e-3 * 0.3 * 9.81);
}
