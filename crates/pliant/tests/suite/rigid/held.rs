//! Rigid bodies that are held at some of their vertices, by every solver.

use pliant::prelude::*;
use pliant::solve::ExplicitParams;

use super::common::{GRAVITY, ball, block};

const H: f64 = 1.0 / 240.0;

fn solvers() -> [(&'static str, SolverChoice); 5] {
    [
        ("projective", ProjectiveParams::default().into()),
        ("two-metric", TwoMetricParams::default().into()),
        ("Newton", NewtonParams::default().into()),
        ("position-based", PositionBasedParams::default().into()),
        ("explicit", ExplicitParams::default().into()),
    ]
}

/// The angle of a physical pendulum after some time, from rest at an angle from the vertical.
fn pendulum(start: f64, squared_frequency: f64, seconds: f64) -> f64 {
    let (mut angle, mut rate, steps) = (start, 0.0, 20_000);
    let h = seconds / f64::from(steps);
    for _ in 0..steps {
        rate -= h * squared_frequency * angle.sin();
        angle += h * rate;
    }
    angle
}

/// Second moment about an axis through a point, of the masses of a world.
fn inertia(sim: &Simulation, pivot: Vec3, axis: Vec3) -> f64 {
    let masses = sim.model().mass().lumped();
    sim.positions().iter().zip(masses).map(|(x, m)| m * (*x - pivot).cross(axis).length_squared()).sum()
}

#[test]
fn a_ball_that_is_held_at_one_vertex_swings_as_a_physical_pendulum_does() {
    for (name, solver) in solvers() {
        let mesh = ball(0.1, 2, Vec3::ZERO);
        // One of the vertices at its sides.
        let held =
            (0..mesh.positions.len()).max_by(|a, b| mesh.positions[*a].x.total_cmp(&mesh.positions[*b].x)).unwrap();
        let pivot = mesh.positions[held];
        let body = Body::rigid(&mesh, &RigidMaterial::default()).unwrap().named("ball").pin([held as u32]);
        let mut sim = Simulation::builder().body(body).solver(solver).time_step(H).substeps(1).build().unwrap();
        let mass: f64 = sim.model().mass().lumped().iter().sum();
        let start = sim.report();
        let arm = start.centre_of_mass - pivot;
        let squared = mass * GRAVITY * arm.length() / inertia(&sim, pivot, arm.cross(Vec3::Y).normalize());
        let release = mass * GRAVITY * (arm.length() + arm.y);
        let mut bent = 0.0_f64;
        for _ in 0..36 {
            sim.step().unwrap();
            bent = bent.max(sim.rigid_pose("ball").unwrap().deviation);
            let gain = sim.report().total() - start.total();
            assert!(gain < 0.02 * release, "{name}: gained {gain} J of {release} J");
        }
        let now = sim.rigid_pose("ball").unwrap().centre - pivot;
        let expected = pendulum(arm.angle_between(-Vec3::Y), squared, 36.0 * H);
        let angle = now.angle_between(-Vec3::Y).copysign(now.x * arm.x);
        println!(
            "{name}: {angle:.4} rad of {expected:.4} rad, bent by {bent:.1e}, {:.3e} J",
            sim.report().total() - start.total()
        );
        assert_eq!(sim.positions()[held], pivot, "{name}");
        assert!((angle - expected).abs() < 0.03, "{name}: {angle} rad instead of {expected} rad");
        assert!((now.length() / arm.length() - 1.0).abs() < 1e-3 && bent < 1e-3, "{name}: {now}, bent by {bent}");
    }
}

#[test]
fn a_door_that_is_held_at_two_vertices_swings_about_its_hinge() {
    for (name, solver) in solvers() {
        let mesh = block(Vec3::new(0.3, 0.02, 0.2), [3, 1, 2]);
        let edge = |p: Vec3| p.x < -0.149 && p.y > 0.009 && p.z.abs() > 0.099;
        let body = Body::rigid(&mesh, &RigidMaterial::default()).unwrap().named("door").pin_where(edge);
        let mut sim = Simulation::builder().body(body).solver(solver).time_step(H).substeps(1).build().unwrap();
        let pivot = Vec3::new(-0.15, 0.01, 0.0);
        let mass: f64 = sim.model().mass().lumped().iter().sum();
        let arm = sim.report().centre_of_mass - pivot;
        let squared = mass * GRAVITY * arm.length() / inertia(&sim, pivot, Vec3::Z);
        let mut bent = 0.0_f64;
        for _ in 0..36 {
            sim.step().unwrap();
            bent = bent.max(sim.rigid_pose("door").unwrap().deviation);
        }
        let now = sim.rigid_pose("door").unwrap().centre - pivot;
        let expected = pendulum(arm.angle_between(-Vec3::Y), squared, 36.0 * H);
        let angle = now.angle_between(-Vec3::Y).copysign(now.x);
        println!("{name}: {angle:.4} rad of {expected:.4} rad, bent by {bent:.1e}, off its plane by {:.1e} m", now.z);
        assert!((angle - expected).abs() < 0.03, "{name}: {angle} rad instead of {expected} rad");
        assert!(now.z.abs() < 1e-4 && bent < 1e-3, "{name}: {now}, bent by {bent}");
    }
}

#[test]
fn a_box_that_is_held_at_three_vertices_does_not_move_at_all() {
    for (name, solver) in solvers() {
        let mesh = block(Vec3::new(0.3, 0.1, 0.2), [1; 3]);
        let body = Body::rigid(&mesh, &RigidMaterial::default()).unwrap().named("box");
        let body = body.pin_where(|p| p.x < -0.149 && (p.y > 0.0 || p.z > 0.0));
        let mut sim = Simulation::builder().body(body).solver(solver).time_step(H).substeps(1).build().unwrap();
        let start = sim.rigid_pose("box").unwrap().centre;
        (0..60).for_each(|_| drop(sim.step().unwrap()));
        let pose = sim.rigid_pose("box").unwrap();
        let sag = pose.centre.distance(start);
        println!("{name}: moved by {sag:.1e} m, bent by {:.1e}", pose.deviation);
        assert!(sag < 1e-4 && pose.deviation < 1e-3, "{name}: moved by {sag} m, {pose:?}");
    }
}

/// How much longer a rope of ten segments is with a box of this many times its mass at its end, and what its stiffness allows.
fn hung_on_a_rope(solver: SolverChoice, substeps: usize, ratio: f64) -> (f64, f64) {
    let cord = rope(Vec3::Y * 0.5, Vec3::ZERO, 10).unwrap();
    let density = 0.02;
    let material = StrandMaterial { density, axial_stiffness: 2e3, ..StrandMaterial::default() };
    let cord = Body::strands(&cord, &material).unwrap().named("rope").pin([0]);
    let size = 0.1;
    let wood = RigidMaterial { density: ratio * 0.5 * density / f64::powi(size, 3), ..RigidMaterial::default() };
    let mesh = block(Vec3::splat(size), [2; 3]).translated(Vec3::Y * (-0.5 * size));
    let top = mesh.positions.iter().position(|p| p.length() < 1e-9).unwrap() as u32;
    let block = Body::rigid(&mesh, &wood).unwrap().named("box");
    let world = Simulation::builder().body(cord).body(block).attach(("rope", 10), ("box", top), 1e4);
    let mut sim = world.solver(solver).substeps(substeps).build().unwrap();
    let mut longest = 0.0_f64;
    for step in 0..180 {
        sim.step().unwrap();
        let low = sim.body_positions("rope").unwrap()[10].y;
        longest = if step < 120 { longest } else { longest.max(0.5 - low) };
    }
    let weight = GRAVITY * ratio * 0.5 * density;
    (longest / 0.5, 1.0 + weight / 2e3)
}

/// Solvers with a matrix carry it at once. The position-based solver goes from segment to segment: it needs substeps, the more the heavier the box is.
#[test]
fn a_box_on_a_rope_is_carried() {
    for (name, solver) in &solvers()[..3] {
        for ratio in [10.0, 100.0] {
            let (stretch, expected) = hung_on_a_rope(solver.clone(), 1, ratio);
            assert!(
                stretch < 1.005 * expected,
                "{name}, {ratio} times the rope: {stretch} times as long, not {expected}"
            );
        }
    }
    for (substeps, ratio, most) in [(1, 10.0, 2.0), (16, 10.0, 1.005), (64, 100.0, 1.005)] {
        let (stretch, expected) = hung_on_a_rope(PositionBasedParams::default().into(), substeps, ratio);
        println!("{substeps} substeps, {ratio} times the rope: {stretch:.4}, {expected:.4} by its stiffness");
        assert!(stretch < most * expected, "{substeps} substeps, {ratio} times the rope: {stretch}, not {expected}");
    }
}
