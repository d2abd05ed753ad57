//! Masses and free motion.

use std::f64::consts::TAU;

use pliant::mesh::generate::{Caps, Cylinder, Torus};
use pliant::prelude::*;

use super::common::{angular_momentum, ball, block, momentum, run};

fn material() -> RigidMaterial {
    RigidMaterial { density: 800.0, ..RigidMaterial::default() }
}

fn free(body: Body, h: f64) -> Simulation {
    let solver = ProjectiveParams { precision: Precision::Double, ..ProjectiveParams::default() };
    Simulation::builder().body(body.named("body")).gravity(Vec3::ZERO).time_step(h).solver(solver).build().unwrap()
}

/// A closed L: two boxes side by side, cut out of a grid of cells.
fn bracket() -> TriangleMesh {
    let mesh = TetBox { size: Vec3::new(0.3, 0.3, 0.1), cells: [3, 3, 1], ..TetBox::default() }.mesh().unwrap();
    let inside = |tet: &[u32; 4]| {
        let centre = tet.iter().fold(Vec3::ZERO, |sum, &v| sum + mesh.positions[v as usize]) / 4.0;
        centre.x < -0.05 || centre.y < -0.05
    };
    let tets = mesh.tets.iter().copied().filter(inside).collect();
    TetMesh { positions: mesh.positions.clone(), tets }.surface().unwrap().mesh
}

/// Four vertices close together and one far away.
fn spike() -> TriangleMesh {
    let positions = vec![Vec3::ZERO, Vec3::X * 0.02, Vec3::Y * 0.02, Vec3::Z * 0.02, Vec3::ONE];
    TriangleMesh { positions, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 4], [2, 3, 4], [3, 1, 4]] }
}

#[test]
fn masses_have_the_mass_centre_and_inertia_tensor_of_the_solid() {
    let turned = Quat::from_rotation_x(0.4) * Quat::from_rotation_z(1.1);
    let torus = Torus { major_radius: 0.2, minor_radius: 0.06, major_segments: 24, minor_segments: 10 };
    let cylinder =
        Cylinder { radius: 0.1, height: 0.3, segments: 16, rings: 4, caps: Caps::Fans, ..Cylinder::default() };
    for (name, mesh) in [
        ("eight corners", block(Vec3::new(0.1, 0.2, 0.4), [1; 3])),
        ("box", block(Vec3::new(0.1, 0.2, 0.4), [2, 3, 5])),
        ("ball", ball(0.1, 3, Vec3::new(3.0, -1.0, 2.0))),
        ("torus", torus.mesh().unwrap()),
        ("cylinder", cylinder.mesh().unwrap()),
        ("bracket", bracket()),
        ("plate with vertices on two faces", block(Vec3::new(0.4, 0.01, 0.4), [6, 1, 6])),
        ("needle", spike()),
    ] {
        let mesh = TriangleMesh { positions: mesh.positions.iter().map(|p| turned * *p).collect(), ..mesh };
        let moments = mesh.solid_moments().unwrap();
        let sim = free(Body::rigid(&mesh, &material()).unwrap(), 0.01);
        let (x, masses) = (sim.positions(), sim.model().mass().lumped());
        assert!(masses.iter().all(|m| *m > 0.0), "{name}");
        let mass: f64 = masses.iter().sum();
        assert!((mass / (800.0 * moments.volume) - 1.0).abs() < 1e-12, "{name}: {mass} kg");
        let centre = x.iter().zip(masses).fold(Vec3::ZERO, |sum, (x, m)| sum + *x * *m) / mass;
        assert!(centre.distance(moments.centre) < 1e-12, "{name}: centre {centre} for {}", moments.centre);
        let mut inertia = Mat3::ZERO;
        for (x, m) in x.iter().zip(masses) {
            let r = *x - moments.centre;
            inertia += Mat3::from_diagonal(Vec3::splat(m * r.length_squared()))
                - Mat3::from_cols(r * r.x, r * r.y, r * r.z) * *m;
        }
        let expected = moments.inertia(800.0);
        let off = (inertia - expected).to_cols_array().iter().fold(0.0_f64, |most, e| most.max(e.abs()));
        assert!(off < 1e-10 * expected.x_axis.x, "{name}: inertia off by {off:e} of {}", expected.x_axis.x);
    }
}

#[test]
fn meshes_without_an_inside_are_refused_with_the_reason() {
    let open = Sheet::default().mesh().unwrap();
    let mut inside_out = ball(0.1, 1, Vec3::ZERO);
    inside_out.flip();
    let refusal = |mesh: &TriangleMesh| Body::rigid(mesh, &material()).unwrap_err().to_string();
    assert!(refusal(&open).contains("edge"), "{}", refusal(&open));
    assert!(refusal(&inside_out).contains("counterclockwise"), "{}", refusal(&inside_out));
    let soft = RigidMaterial { frequency: -1.0, ..material() };
    assert!(Body::rigid(&ball(0.1, 1, Vec3::ZERO), &soft).unwrap_err().to_string().contains("frequency is -1"));
}

#[test]
fn a_free_body_keeps_its_momentum_and_spins_as_implicit_euler_says() {
    let h = 1.0 / 60.0;
    let (velocity, spin) = (Vec3::new(1.0, -2.0, 0.5), Vec3::new(1.0, 3.0, -2.0));
    let body = Body::rigid(&bracket(), &material()).unwrap().with_motion(velocity, spin);
    let mut sim = free(body, h);
    let start = momentum(&sim);
    let masses = sim.model().mass().lumped().to_vec();
    for step in 0..60 {
        let (before, old) = (angular_momentum(&sim), sim.state().velocities.clone());
        sim.step().unwrap();
        let new = &sim.state().velocities;
        let change = (0..new.len()).fold(Vec3::ZERO, |sum, i| sum + new[i].cross(old[i]) * (h * masses[i]));
        let error = (angular_momentum(&sim) - before - change).length() / before.length();
        assert!(error < 1e-6, "step {step}: angular momentum off its recursion by {error:e}");
        let drift = (momentum(&sim) - start).length() / start.length();
        assert!(drift < 1e-12, "step {step}: momentum off by {drift:e}");
        let deviation = sim.rigid_pose("body").unwrap().deviation;
        assert!(deviation < 1e-3, "step {step}: deviation {deviation:e}");
    }
}

/// Between rigid poses implicit Euler turns by arg(2 − exp(−iθ)) after a step that turned by θ: by θ − θ³.
#[test]
fn implicit_euler_slows_a_spin_by_its_cube() {
    let (h, rate) = (0.01, 10.0);
    let body = Body::rigid(&block(Vec3::splat(0.1), [2; 3]), &material()).unwrap();
    let mut sim = free(body.with_motion(Vec3::ZERO, Vec3::Y * rate), h);
    let angle = |sim: &Simulation| sim.rigid_pose("body").unwrap().rotation.to_axis_angle().1;
    sim.step().unwrap();
    let first = angle(&sim);
    sim.step().unwrap();
    let second = angle(&sim) - first;
    let loss = (first - second) / first.powi(3);
    assert!((loss - 1.0).abs() < 0.02, "{first} rad, then {second} rad: lost {loss} θ³");
}

/// Euler's equations for a symmetric top: in the body ω circles the axis at (1 − I₃/I₁) ω₃; in space the axis circles L at |L|/I₁.
#[test]
fn a_symmetric_top_precesses_at_the_rate_of_eulers_equations() {
    let (h, size) = (1e-3, Vec3::new(0.2, 0.05, 0.2));
    let mesh = block(size, [4, 1, 4]);
    let inertia = mesh.solid_moments().unwrap().inertia(800.0);
    let (across, along) = (inertia.x_axis.x, inertia.y_axis.y);
    let spin = Vec3::new(2.0, 12.0, 0.0);
    let momentum = inertia * spin;
    let rate = momentum.length() / across;
    assert!(along > 1.5 * across);
    let body = Body::rigid(&mesh, &material()).unwrap().with_motion(Vec3::ZERO, spin).named("body");
    let solver = ProjectiveParams { precision: Precision::Double, ..ProjectiveParams::default() };
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(h).solver(solver);
    let mut sim = builder.integrator(TimeIntegrator::ImplicitMidpoint).build().unwrap();
    // The angle that the axis has gone round L.
    let (pole, mut turned) = (momentum.normalize(), 0.0);
    let axis = |sim: &Simulation| {
        let axis = sim.rigid_pose("body").unwrap().rotation * Vec3::Y;
        (axis - pole * pole.dot(axis)).normalize()
    };
    let mut last = axis(&sim);
    let seconds = 0.5;
    for _ in 0..(seconds / h) as usize {
        sim.step().unwrap();
        let now = axis(&sim);
        turned += pole.dot(last.cross(now)).atan2(last.dot(now));
        last = now;
    }
    let measured = turned / seconds;
    assert!((measured / rate - 1.0).abs() < 0.01, "precesses at {measured} rad/s, for {rate}; {} turns", turned / TAU);
}

#[test]
fn a_body_that_spins_about_its_middle_axis_turns_over_and_one_about_an_outer_axis_does_not() {
    let (h, size) = (2e-3, Vec3::new(0.3, 0.2, 0.05));
    // Moments grow with the extent across: least about x, largest about z, y in the middle.
    for (axis, flips) in [(Vec3::X, false), (Vec3::Y, true), (Vec3::Z, false)] {
        let spin = axis * 10.0 + Vec3::new(0.02, 0.02, 0.02);
        let body =
            Body::rigid(&block(size, [3, 2, 1]), &material()).unwrap().with_motion(Vec3::ZERO, spin).named("body");
        let solver = ProjectiveParams { precision: Precision::Double, ..ProjectiveParams::default() };
        let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(h).solver(solver);
        let mut sim = builder.integrator(TimeIntegrator::ImplicitMidpoint).build().unwrap();
        let energy = |sim: &Simulation| {
            let v = &sim.state().velocities;
            sim.model().mass().inner(v, v) / 2.0
        };
        let (start, mut least) = (energy(&sim), 1.0_f64);
        for _ in 0..(3.0 / h) as usize {
            sim.step().unwrap();
            let pose = sim.rigid_pose("body").unwrap();
            least = least.min((pose.rotation * axis).dot(axis));
            assert!(pose.deviation < 1e-3, "deviation {:e}", pose.deviation);
        }
        assert_eq!(least < -0.9, flips, "about {axis}: the axis went to cosine {least}");
        let kept = energy(&sim) / start;
        assert!((kept - 1.0).abs() < 0.02, "about {axis}: kept {kept} of its energy");
    }
}

#[test]
fn newtons_method_and_the_projective_solver_agree_on_a_spinning_body_on_a_spring() {
    let h = 1.0 / 60.0;
    let mut reached = Vec::new();
    let accurate = ProjectiveParams { iterations: 100, tolerance: 1e-11, ..ProjectiveParams::default() };
    for solver in [SolverChoice::from(accurate), NewtonParams::default().into()] {
        let mesh = block(Vec3::new(0.1, 0.2, 0.4), [1, 2, 3]);
        let body =
            Body::rigid(&mesh, &material()).unwrap().with_motion(Vec3::X, Vec3::new(4.0, -3.0, 2.0)).named("body");
        let nail = Body::new(vec![Vec3::new(0.05, 0.3, 0.2)], vec![(0, 0, 1.0)]).pin([0]).named("nail");
        let builder = Simulation::builder().body(body).body(nail).attach(("body", 0), ("nail", 0), 2e3);
        let mut sim = builder.time_step(h).solver(solver).build().unwrap();
        let mut iterations = 0;
        for _ in 0..20 {
            iterations = iterations.max(sim.step().unwrap().solve.iterations);
        }
        // Newton's line search follows the curve of the rotation in short steps.
        assert!(iterations < if reached.is_empty() { 40 } else { 200 }, "{iterations} iterations");
        reached.push(sim.positions().to_vec());
    }
    let off = reached[0].iter().zip(&reached[1]).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
    assert!(off < 1e-7, "apart by {off:e} m");
}

/// A rod that hangs by one end: a physical pendulum of period 2π √(I/(m g d)).
#[test]
fn a_rod_pinned_at_one_end_swings_with_the_period_of_a_physical_pendulum() {
    let h = 1.0 / 400.0;
    let size = Vec3::new(0.02, 0.5, 0.02);
    let tilt = Quat::from_rotation_z(0.1);
    let mesh = block(size, [1, 10, 1]);
    let positions = mesh.positions.iter().map(|p| tilt * (*p - Vec3::Y * 0.25)).collect();
    let mesh = TriangleMesh { positions, ..mesh };
    let end = |p: Vec3| (tilt.inverse() * p).y > -1e-9 && (tilt.inverse() * p).x > 0.0;
    let body = Body::rigid(&mesh, &material()).unwrap().pin_where(end).named("rod");
    let builder = Simulation::builder().body(body).time_step(h);
    let mut sim = builder.integrator(TimeIntegrator::ImplicitMidpoint).build().unwrap();
    let side = |sim: &Simulation| sim.rigid_pose("rod").unwrap().centre.x - 0.01;
    let (mut crossings, mut before) = (Vec::new(), side(&sim));
    for step in 0..1200 {
        sim.step().unwrap();
        let now = side(&sim);
        if before * now < 0.0 {
            crossings.push((step as f64 + before / (before - now)) * h);
        }
        before = now;
    }
    // The pinned edge lies at x = 0.01 of the rod's own frame, so the arm is √(0.25² + 0.01²).
    let arm2 = 0.25_f64.powi(2) + 0.01_f64.powi(2);
    let inertia = (size.x * size.x + size.y * size.y) / 12.0 + arm2;
    let expected = TAU * (inertia / (9.81 * arm2.sqrt())).sqrt();
    let period = 2.0 * (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    assert!((period / expected - 1.0).abs() < 0.01, "period {period} s for {expected} s");
}

#[test]
fn a_run_restored_from_a_checkpoint_goes_on_bit_for_bit() {
    let make = || {
        let body = Body::rigid(&bracket(), &RigidMaterial::default()).unwrap().named("body");
        let body = body.with_motion(Vec3::X, Vec3::new(1.0, 4.0, 2.0));
        let ground = Collider::new(Shape::Plane).at(Vec3::Y * -0.3).friction(0.4);
        Simulation::builder().body(body).collider(ground).build().unwrap()
    };
    let mut first = make();
    run(&mut first, 0.5, 1.0 / 60.0, "body");
    let saved = first.checkpoint();
    run(&mut first, 0.3, 1.0 / 60.0, "body");
    let mut second = make();
    second.restore(&saved).unwrap();
    run(&mut second, 0.3, 1.0 / 60.0, "body");
    assert_eq!(first.positions(), second.positions());
    assert_eq!(first.rigid_pose("body"), second.rigid_pose("body"));
}
