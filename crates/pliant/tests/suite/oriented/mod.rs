//! Oriented particles in a world: momentum, periods, standing, contact, checkpoints.
#![allow(clippy::unwrap_used)]

use pliant::math::diagonal;
use pliant::prelude::*;
use pliant::{ModelError, OrientedError};

mod contact;
mod skin;

fn iterations(iterations: usize) -> PositionBasedParams {
    PositionBasedParams { iterations, ..PositionBasedParams::default() }
}

/// A chain from the origin along a way.
fn chain(way: Vec3, segments: usize, radius: f64) -> OrientedParticles {
    let strand = rope(Vec3::ZERO, way, segments).unwrap();
    OrientedParticles::along(&strand, &vec![radius; segments + 1]).unwrap()
}

/// Springs and no limits.
fn springs(alpha: f64) -> OrientedMaterial {
    OrientedMaterial { spring: Spring::Share(alpha), limit: None, ..OrientedMaterial::default() }
}

#[test]
fn springs_and_damping_of_chains_keep_momentum_and_angular_momentum() {
    for damping in [0.0, 3.0] {
        let particles = chain(Vec3::X, 8, 0.03);
        let bent = |p: &Vec3| *p + Vec3::new(0.0, 0.3 * p.x * p.x, 0.1 * (3.0 * p.x).sin());
        let velocity = |p: &Vec3| Vec3::new(1.0, 2.0, -0.5) + Vec3::new(1.0, 3.0, 2.0).cross(*p) * p.x;
        // Damping within small groups spares what bends the whole chain; one group of all spares nothing.
        let width = if damping > 0.0 { 8 } else { 1 };
        let material = OrientedMaterial { damping, width, ..springs(0.5) };
        let body = Body::oriented(&particles, &material).unwrap();
        let body = body.with_positions(particles.positions.iter().map(bent).collect());
        let body = body.with_velocities(particles.positions.iter().map(velocity).collect());
        let world = Simulation::builder().body(body).gravity(Vec3::ZERO).solver(iterations(1));
        let mut sim = world.build().unwrap();
        let before = sim.report();
        for _ in 0..200 {
            sim.step().unwrap();
        }
        let after = sim.report();
        assert!(sim.state().channels[0].vectors("spins").iter().any(|w| w.length() > 0.1), "particles turn");
        let (p, l) = (after.momentum - before.momentum, after.angular_momentum - before.angular_momentum);
        assert!(p.length() < 1e-10 * before.momentum.length(), "{p}");
        assert!(l.length() < 1e-9 * before.angular_momentum.length(), "{l} of {}", before.angular_momentum);
        let lengths = (0..20).map(|_| {
            sim.step().unwrap();
            sim.positions()[0].distance(sim.positions()[8])
        });
        let (least, most) = lengths.fold((f64::MAX, 0.0_f64), |(least, most), l| (least.min(l), most.max(l)));
        println!("damping {damping}/s: its length swings by {} m", most - least);
        assert_eq!(most - least < 1e-3, damping > 0.0, "{least} to {most} m");
    }
}

#[test]
fn a_twisted_pair_swings_back_with_the_period_of_alpha() {
    // Two spheres on a line, turned against each other about it: their goal is the mean, and nothing but the turns can tell.
    let (h, alpha, most) = (1.0 / 60.0, 0.2, 0.1);
    let particles = OrientedParticles { radii: vec![Vec3::splat(0.05); 2], ..chain(Vec3::X * 0.2, 1, 0.05) };
    let body = Body::oriented(&particles, &springs(alpha)).unwrap();
    let world = Simulation::builder().body(body).gravity(Vec3::ZERO).solver(iterations(1)).time_step(h);
    let mut sim = world.build().unwrap();
    let axis = particles.orientations[0].conjugate() * Vec3::X;
    // The largest angle of a swing of frequency ω is its speed over ω.
    let omega = (1.0 - 0.5 * alpha).acos() / h;
    sim.set_spins("body 0", &[axis * (most * omega), axis * (-most * omega)]).unwrap();
    let (mut crossings, mut last, mut largest) = (Vec::new(), 0.0, 0.0_f64);
    for step in 1..=600 {
        sim.step().unwrap();
        let [a, b] = [0, 1].map(|k| sim.state().channels[0].quaternions("orientations")[k]);
        let angle = (a * b.conjugate()).to_scaled_axis().x;
        if last < 0.0 && angle >= 0.0 {
            crossings.push(f64::from(step) - angle / (angle - last));
        }
        (last, largest) = (angle, largest.max(angle));
    }
    let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    let exact = std::f64::consts::TAU / (1.0 - 0.5 * alpha).acos();
    println!("period {period} for {exact} steps, largest angle {largest} for {}", 2.0 * most);
    assert!((period - exact).abs() < 2e-3 * exact, "{period} for {exact}");
    assert!((largest - 2.0 * most).abs() < 0.1 * 2.0 * most, "{largest}");
}

#[test]
fn a_free_long_ellipsoid_keeps_its_angular_momentum_while_it_tumbles() {
    let particles = OrientedParticles {
        positions: vec![Vec3::ZERO],
        orientations: vec![Quat::from_scaled_axis(Vec3::new(0.2, 0.5, -0.4))],
        radii: vec![Vec3::new(0.02, 0.05, 0.15)],
        edges: Vec::new(),
    };
    let body = Body::oriented(&particles, &OrientedMaterial::default()).unwrap();
    let world = Simulation::builder().body(body).gravity(Vec3::ZERO).solver(iterations(2)).time_step(1.0 / 240.0);
    let mut sim = world.build().unwrap();
    sim.set_spins("body 0", &[Vec3::new(1.0, 4.0, 0.5)]).unwrap();
    let before = sim.report();
    let axis = sim.state().channels[0].quaternions("orientations")[0] * Vec3::Y;
    let mut turned = 0.0_f64;
    for _ in 0..1200 {
        sim.step().unwrap();
        let spin = sim.state().channels[0].quaternions("orientations")[0] * sim.state().channels[0].vectors("spins")[0];
        turned = turned.max(spin.normalize().cross(axis).length());
    }
    let after = sim.report();
    let lost = (after.angular_momentum - before.angular_momentum).length() / before.angular_momentum.length();
    println!("angular momentum off by {lost}, kinetic energy {} of {} J", after.kinetic, before.kinetic);
    assert!(lost < 1e-10, "{lost}");
    assert!(turned > 0.3, "its axis wanders, as of a body with three different moments: {turned}");
    assert!((after.kinetic / before.kinetic - 1.0).abs() < 1e-3, "{} of {} J", after.kinetic, before.kinetic);
}

#[test]
fn a_clamped_chain_stands_out_where_points_without_orientation_hang_down() {
    let (particles, solver) = (chain(Vec3::X * 0.5, 5, 0.03), iterations(40));
    let clamped = Body::oriented(&particles, &OrientedMaterial::default()).unwrap().pin([0]);
    let points = pliant::mesh::PointSet { positions: particles.positions.clone() };
    let regions = Regions::rings(6, &particles.edges, 1).unwrap();
    let matching = Matching { limit: Some(0.0), spring: Spring::Share(0.0), ..Matching::new(regions) };
    let loose = Body::points(&points, 0.1).with_matching(matching).pin([0]).named("points");
    let damping = Damping { drag: 1.0, ..Damping::default() };
    let world = Simulation::builder().body(clamped).body(loose).solver(solver).damping(damping);
    let mut sim = world.time_step(1.0 / 120.0).build().unwrap();
    for _ in 0..600 {
        sim.step().unwrap();
    }
    let (clamped, loose) = (sim.positions()[5].y, sim.positions()[11].y);
    println!("the end of half a metre hangs {} m and {} m below the clamp", -clamped, -loose);
    assert!(clamped > -0.05, "{clamped}");
    assert!(loose < -0.4, "{loose}: points on a line cannot tell that they were turned");
}

#[test]
fn a_resumed_run_has_the_bits_of_an_uninterrupted_one_on_any_number_of_threads() {
    let build = |threads| {
        let material = OrientedMaterial { damping: 1.0, limit: Some(0.1), ..springs(0.4) };
        let body = Body::oriented(&chain(Vec3::new(0.6, 0.4, 0.0), 12, 0.03), &material).unwrap().pin([0]);
        let ground = Collider::new(Shape::Plane).at(Vec3::NEG_Y * 0.2).friction(0.5);
        let world = Simulation::builder().body(body).collider(ground).wind(Wind::new(Vec3::Z * 5.0));
        world.solver(iterations(5)).threads(threads).build().unwrap()
    };
    let (mut whole, mut first) = (build(1), build(2));
    (0..60).for_each(|_| drop(whole.step().unwrap()));
    (0..30).for_each(|_| drop(first.step().unwrap()));
    let saved = Checkpoint::from_bytes(&first.checkpoint().to_bytes()).unwrap();
    let mut resumed = build(2);
    resumed.restore(&saved).unwrap();
    (0..30).for_each(|_| drop(resumed.step().unwrap()));
    assert_eq!(resumed.state(), whole.state());
    assert!(diagonal(whole.positions()) > 0.1);
    assert!(whole.positions()[12].z > 0.01, "the wind has moved it: {}", whole.positions()[12]);
    assert_eq!(whole.state().channels[0].quaternions("orientations").len(), 13);
}

#[test]
fn unusable_particles_and_worlds_are_refused_by_name() {
    let good = chain(Vec3::X, 2, 0.1);
    let refused = |particles: &OrientedParticles, material: &OrientedMaterial| match Body::oriented(particles, material)
    {
        Err(ModelError::Oriented { error, .. }) => error,
        other => panic!("{other:?}"),
    };
    let usual = OrientedMaterial::default();
    let flat = OrientedParticles { radii: vec![Vec3::ONE, Vec3::new(1.0, 0.0, 1.0), Vec3::ONE], ..good.clone() };
    assert!(matches!(refused(&flat, &usual), OrientedError::BadRadii { particle: 1, .. }));
    let unturned = OrientedParticles { orientations: vec![Quat::from_xyzw(0.0, 0.0, 0.0, 0.0); 3], ..good.clone() };
    assert!(matches!(refused(&unturned, &usual), OrientedError::BadOrientation { particle: 0, .. }));
    let astray = OrientedParticles { edges: vec![[0, 1], [1, 7]], ..good.clone() };
    assert_eq!(refused(&astray, &usual), OrientedError::NoSuchParticle { edge: 1, particle: 7, count: 3 });
    let short = OrientedParticles { radii: vec![Vec3::ONE], ..good.clone() };
    assert!(matches!(refused(&short, &usual), OrientedError::LengthMismatch { found: 1, expected: 3, .. }));
    let weightless = OrientedMaterial { density: 0.0, ..usual.clone() };
    assert!(matches!(refused(&good, &weightless), OrientedError::BadNumber { name: "density", .. }));

    let body = || Body::oriented(&good, &usual).unwrap().named("fin");
    let projective = Simulation::builder().body(body()).solver(ProjectiveParams::default()).build().unwrap_err();
    assert!(projective.to_string().contains("oriented particles"), "{projective}");
    let world = Simulation::builder().body(body()).solver(iterations(1)).integrator(TimeIntegrator::Bdf2);
    let error = world.build().unwrap_err().to_string();
    assert_eq!(error, "body \"fin\": oriented particles need implicit Euler, not Bdf2");
}
