//! Surfaces that follow oriented particles.

use super::iterations;
use pliant::Skin;
use pliant::mesh::generate::{Plant, tapered_radii, tubes};
use pliant::prelude::*;

#[test]
fn a_skin_moves_rigidly_with_a_plant_and_has_the_velocities_of_its_movement() {
    let strands = Plant::default().strands().unwrap();
    let radii = tapered_radii(&strands, 0.03, 0.01);
    let particles = OrientedParticles::along(&strands, &radii).unwrap();
    let surface = tubes(&strands, &radii, 6).unwrap();
    let skin = Skin::new(&particles, &surface.positions).unwrap();
    let at_rest = skin.apply(&particles.positions, &particles.orientations);
    let apart = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
    assert!(apart(&at_rest, &surface.positions) < 1e-14);
    let turn = Quat::from_scaled_axis(Vec3::new(0.4, -1.0, 2.0));
    let moved = |p: &Vec3| turn * *p + Vec3::new(3.0, 1.0, -2.0);
    let x: Vec<Vec3> = particles.positions.iter().map(moved).collect();
    let q: Vec<Quat> = particles.orientations.iter().map(|q| turn * *q).collect();
    let expected: Vec<Vec3> = surface.positions.iter().map(moved).collect();
    assert!(apart(&skin.apply(&x, &q), &expected) < 1e-12);

    // What moves and turns for a short time has gone as far as the velocities say.
    let body = Body::oriented(&particles, &OrientedMaterial::default()).unwrap().pin([0]);
    let wind = Wind::new(Vec3::X * 10.0);
    let h = 1e-4;
    let mut sim = Simulation::builder().body(body).wind(wind).solver(iterations(5)).time_step(h).build().unwrap();
    (0..50).for_each(|_| drop(sim.step().unwrap()));
    let surface_now =
        |sim: &Simulation| skin.apply(sim.positions(), sim.state().channels[0].quaternions("orientations"));
    let before = surface_now(&sim);
    sim.step().unwrap();
    let (after, state) = (surface_now(&sim), sim.state());
    let velocities = skin.velocities(
        sim.velocities(),
        state.channels[0].quaternions("orientations"),
        state.channels[0].vectors("spins"),
    );
    let fastest = velocities.iter().fold(0.0_f64, |most, v| most.max(v.length()));
    let gone: Vec<Vec3> = before.iter().zip(&after).map(|(a, b)| (*b - *a) / h).collect();
    assert!(fastest > 1e-3, "it moves: {fastest} m/s");
    assert!(apart(&gone, &velocities) < 0.02 * fastest, "{} of {fastest} m/s", apart(&gone, &velocities));
}

#[test]
fn a_point_follows_the_nearest_edge_and_goes_from_end_to_end_without_a_jump() {
    let strand = rope(Vec3::ZERO, Vec3::X, 2).unwrap();
    let particles = OrientedParticles::along(&strand, &[0.05; 3]).unwrap();
    let points: Vec<Vec3> = (0..=100).map(|k| Vec3::new(0.01 * f64::from(k), 0.04, 0.0)).collect();
    let skin = Skin::new(&particles, &points).unwrap();
    assert_eq!((skin.particles[20], skin.particles[80]), ([0, 1], [1, 2]));
    // Bent by 0.8 rad at each particle: neighbours that were 10 mm apart stay about that.
    let turn = |angle: f64| Quat::from_rotation_z(angle);
    let x = [Vec3::ZERO, turn(0.4) * Vec3::X * 0.5, turn(0.4) * Vec3::X * 0.5 + turn(1.2) * Vec3::X * 0.5];
    let q: Vec<Quat> = [0.0, 0.8, 1.6].iter().zip(&particles.orientations).map(|(a, q)| turn(*a) * *q).collect();
    let bent = skin.apply(&x, &q);
    for (k, ends) in bent.windows(2).enumerate() {
        let length = ends[0].distance(ends[1]);
        assert!((0.004..0.02).contains(&length), "from point {k} to the next: {length} m");
    }
    assert!(Skin::new(&particles, &[Vec3::NAN]).is_err());
}
