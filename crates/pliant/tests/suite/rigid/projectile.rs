//! A projectile at 1000 m/s against a sheet that is held at its rim: it does not pass one that is strong enough, and tears one that is not.

use std::collections::BTreeSet;

use pliant::mesh::connected_components;
use pliant::prelude::*;
use pliant::proximity::{Primitives, intersections};

use super::common::{ball, momentum};

const SPEED: f64 = 1000.0;

/// A ball of the density of glass and a fabric as light and strong as those of vests, which tears at a stretch.
fn shot(tears_at: f64, youngs_modulus: f64, h: f64) -> Simulation {
    let sheet = Sheet { columns: 20, rows: 20, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
    let material = ClothMaterial { youngs_modulus, thickness: 1e-3, density: 1.0, ..ClothMaterial::default() };
    let rim = |p: Vec3| p.x.abs().max(p.z.abs()) > 0.5 - 1e-9;
    let cloth = Body::cloth(&sheet, &material).unwrap().named("sheet").pin_where(rim);
    let cloth = cloth.with_tearing(Tearing::at_stretch(tears_at));
    // Hard enough to keep its shape when it is stopped within some steps.
    let glass = RigidMaterial { density: 2000.0, frequency: 1e5 };
    let bullet = Body::rigid(&ball(0.03, 1, Vec3::new(0.013, 0.15, 0.021)), &glass).unwrap().named("bullet");
    let bullet = bullet.with_motion(Vec3::Y * -SPEED, Vec3::ZERO);
    let settings = SelfCollision { thickness: 2e-3, ..SelfCollision::default() };
    let solver = ProjectiveParams { iterations: 20, ..ProjectiveParams::default() };
    let builder = Simulation::builder().body(cloth).body(bullet).self_collision(settings).solver(solver);
    builder.gravity(Vec3::ZERO).time_step(h).build().unwrap()
}

fn is_free_of_intersections(sim: &Simulation) -> bool {
    intersections(&Primitives::new(sim.model().bodies()), sim.positions()).is_empty()
}

/// Number of holes in the sheet: what its Euler characteristic lacks to its pieces. A crack that has come to the rim is a hole still, since
/// pins hold the rim together.
fn holes(sim: &Simulation) -> usize {
    let body = sim.body("sheet").unwrap();
    let mut place: Vec<u32> = (0..body.vertices.len() as u32).collect();
    body.welded.iter().for_each(|&[copy, of]| place[copy as usize] = place[of as usize]);
    let triangles: Vec<[u32; 3]> = body.surface.iter().map(|t| t.map(|v| place[v as usize])).collect();
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).map(|[a, b]| [a.min(b), a.max(b)]);
    let edges: Vec<[u32; 2]> = sides.collect::<BTreeSet<_>>().into_iter().collect();
    let count = place.len() - body.welded.len();
    let pieces = connected_components(place.len(), &edges).count - body.welded.len();
    pieces + edges.len() - count - triangles.len()
}

fn lowest(sim: &Simulation) -> f64 {
    let vertices = sim.body("sheet").unwrap().vertices.clone();
    sim.positions()[vertices].iter().fold(f64::INFINITY, |low, p| low.min(p.y))
}

/// What is left of the momentum, besides what the pins have taken.
struct Balance {
    start: Vec3,
    taken: Vec3,
}

impl Balance {
    fn new(sim: &Simulation) -> Self {
        Self { start: momentum(sim), taken: Vec3::ZERO }
    }

    /// After a step of the sheet: what pins hold it with is their reaction at the end of the step.
    fn add(&mut self, sim: &Simulation, h: f64) {
        self.taken += sim.pin_forces().iter().fold(Vec3::ZERO, |sum, force| sum + *force) * h;
    }

    /// Error of momentum relative to that of the start.
    fn error(&self, sim: &Simulation) -> f64 {
        (momentum(sim) - self.start - self.taken).length() / self.start.length()
    }
}

#[test]
fn a_projectile_tears_a_weak_sheet_and_passes_and_a_strong_one_throws_it_back() {
    let h = 1e-4;
    for (tears_at, passes) in [(1.05, true), (4.0, false)] {
        let mut sim = shot(tears_at, 1e9, h);
        let (mut balance, mut worst, mut torn) = (Balance::new(&sim), 0.0_f64, 0);
        for step in 0..30 {
            torn += sim.step().unwrap().torn;
            balance.add(&sim, h);
            worst = worst.max(sim.rigid_pose("bullet").unwrap().deviation);
            assert!(is_free_of_intersections(&sim), "step {step}");
        }
        let pose = sim.rigid_pose("bullet").unwrap();
        let (error, holes) = (balance.error(&sim), holes(&sim));
        println!(
            "tears at {tears_at}: {torn} torn, {holes} holes, at {} with {}, error {error:e}, worst deviation {worst:e}",
            pose.centre, pose.velocity
        );
        if passes {
            assert!(torn > 10 && holes > 0, "{torn} vertices were doubled, {holes} holes");
            assert!(pose.velocity.y < -0.5 * SPEED && pose.centre.y < lowest(&sim) - 0.1, "it has passed: {pose:?}");
        } else {
            assert_eq!((torn, holes), (0, 0));
            assert!(pose.velocity.y > 0.1 * SPEED && pose.centre.y > lowest(&sim), "it comes back: {pose:?}");
        }
        // Only cut movements of the cloth lose any.
        assert!(error < 0.01, "momentum is off by {error:e} of it");
        assert!(worst < 0.1, "it kept its shape up to {worst:e}");
    }
}

#[test]
fn in_steps_of_many_metres_a_projectile_does_not_pass_but_through_a_hole() {
    for (h, steps) in [(1.0 / 60.0, 30), (1e-3, 60)] {
        for (youngs_modulus, tears_at) in [(1e9, 1.05), (1e9, 4.0), (2e6, 1.05), (2e6, 100.0)] {
            let mut sim = shot(tears_at, youngs_modulus, h);
            let (mut torn, mut fastest) = (0, 0.0_f64);
            for step in 0..steps {
                torn += sim.step().unwrap().torn;
                assert!(is_free_of_intersections(&sim), "step {step}");
                fastest = fastest.max(sim.rigid_pose("bullet").unwrap().velocity.length());
            }
            let pose = sim.rigid_pose("bullet").unwrap();
            let has_passed = pose.centre.y < lowest(&sim);
            println!(
                "h {h}, E {youngs_modulus:e}, tears at {tears_at}: {torn} torn, passed {has_passed}, at {} with {}, {} holes",
                pose.centre,
                pose.velocity,
                holes(&sim)
            );
            assert!(!has_passed || holes(&sim) > 0, "it went through what is whole: {pose:?}");
            assert!(fastest < 1.001 * SPEED, "nothing made it faster: {fastest} m/s");
            assert!(pose.deviation < 1e-2, "it has its shape again: {pose:?}");
        }
    }
}

#[test]
fn a_projectile_at_a_thousand_metres_a_second_does_not_pass_a_pinned_sheet() {
    let steel = ClothMaterial { youngs_modulus: 2e11, thickness: 1e-3, density: 7.8, ..ClothMaterial::default() };
    let mesh = Sheet { columns: 12, rows: 12, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
    let rim = |p: Vec3| p.x.abs().max(p.z.abs()) > 0.5 - 1e-9;
    let sheet = Body::cloth(&mesh, &steel).unwrap().named("sheet").pin_where(rim);
    let mesh = ball(0.02, 1, Vec3::new(0.013, 0.4, 0.021));
    let bullet = Body::rigid(&mesh, &RigidMaterial::default()).unwrap().named("bullet");
    let bullet = bullet.with_motion(Vec3::Y * -1000.0, Vec3::ZERO);
    let settings = SelfCollision { thickness: 2e-3, ..SelfCollision::default() };
    let builder = Simulation::builder().body(sheet).body(bullet).self_collision(settings);
    let mut sim = builder.time_step(1e-3).build().unwrap();
    for step in 0..60 {
        sim.step().unwrap();
        let pose = sim.rigid_pose("bullet").unwrap();
        assert!(is_free_of_intersections(&sim), "step {step}: {pose:?}");
    }
    let pose = sim.rigid_pose("bullet").unwrap();
    let lowest = sim.positions()[..169].iter().fold(f64::INFINITY, |low, p| low.min(p.y));
    assert!(pose.centre.y > lowest, "it is above the sheet: {pose:?}, sheet to {lowest}");
    // Stopped within a step it is dented for some: all that is left of its movement had to be cut.
    assert!(pose.deviation < 1e-3, "it has its shape again: {pose:?}");
}
