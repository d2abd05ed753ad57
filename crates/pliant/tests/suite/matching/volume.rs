//! Closed surfaces that keep their volume.

use std::f64::consts::PI;

use pliant::collide::{Key, Pose};
use pliant::mesh::generate::Icosphere;
use pliant::prelude::*;
use pliant::{ModelError, VolumeConservation};

use super::{iterations, springs};

const LOCAL: VolumeConservation = VolumeConservation { local: 1.0, distances: 0.0, smoothing: 4 };

fn sphere() -> TriangleMesh {
    Icosphere { radius: 0.5, subdivisions: 3 }.mesh().unwrap()
}

/// A hollow sphere of 1 kg.
fn ball(volume: Option<VolumeConservation>) -> Body {
    let mesh = sphere();
    let regions = Regions::balanced(&mesh.positions, 0.5).unwrap();
    let matching = Matching { volume, damping: 8.0, ..springs(regions, 0.66) };
    let points = pliant::mesh::PointSet { positions: mesh.positions.clone() };
    let mass = 1.0 / mesh.positions.len() as f64;
    Body::points(&points, mass).with_surface(mesh.triangles).with_matching(matching)
}

fn volume(sim: &Simulation) -> f64 {
    TriangleMesh { positions: sim.positions().to_vec(), triangles: sphere().triangles }.volume().unwrap()
}

#[test]
fn a_squeezed_sphere_keeps_its_volume_and_without_conservation_loses_much_of_it() {
    let at_rest = sphere().volume().unwrap();
    let loss = |conservation: Option<VolumeConservation>| {
        let down =
            |time, height| Key { time, pose: Pose { position: Vec3::Y * height, rotation: Quat::from_rotation_x(PI) } };
        let plate = Collider::new(Shape::Plane).moving(vec![down(0.0, 0.5), down(1.0, 0.05), down(1.5, 0.05)]);
        let floor = Collider::new(Shape::Plane).at(Vec3::NEG_Y * 0.5);
        let world = Simulation::builder().body(ball(conservation)).collider(floor).collider(plate);
        let mut sim = world.solver(iterations(10)).build().unwrap();
        let mut most = 0.0_f64;
        for _ in 0..90 {
            sim.step().unwrap();
            most = most.max(1.0 - volume(&sim) / at_rest);
        }
        let highest = sim.positions().iter().fold(f64::MIN, |most, p| most.max(p.y));
        assert!(highest < 0.06, "the plate is above it: {highest}");
        let wide = sim.positions().iter().fold(0.0_f64, |most, p| most.max(p.x.hypot(p.z)));
        println!("{conservation:?}: loses {most}, {wide} m wide");
        most
    };
    let [nothing, global, local] = [None, Some(VolumeConservation::default()), Some(LOCAL)].map(loss);
    let by_distances = loss(Some(VolumeConservation { distances: 0.5, ..LOCAL }));
    assert!(nothing > 0.2, "{nothing}");
    for kept in [global, local, by_distances] {
        assert!(kept < 0.01, "{kept}");
    }
}

#[test]
fn a_free_body_that_keeps_its_volume_keeps_momentum_and_angular_momentum() {
    for conservation in [VolumeConservation::default(), LOCAL, VolumeConservation { distances: 0.5, ..LOCAL }] {
        let start: Vec<Vec3> = sphere().positions.iter().map(|p| *p * Vec3::new(1.3, 0.9, 0.8 + 0.3 * p.x)).collect();
        let velocities = start.iter().map(|p| Vec3::X + Vec3::new(1.0, 3.0, 2.0).cross(*p) + *p * p.y).collect();
        let body = ball(Some(conservation)).with_positions(start).with_velocities(velocities);
        let world = Simulation::builder().body(body).gravity(Vec3::ZERO).solver(iterations(5));
        let mut sim = world.build().unwrap();
        let before = sim.report();
        for _ in 0..60 {
            sim.step().unwrap();
        }
        let after = sim.report();
        let (p, l) = (after.momentum - before.momentum, after.angular_momentum - before.angular_momentum);
        let kept = volume(&sim) / sphere().volume().unwrap() - 1.0;
        println!("volume off by {kept}, momentum by {p}, angular momentum by {l}");
        assert!(kept.abs() < 1e-6, "{kept}");
        assert!(p.length() < 1e-10 * before.momentum.length(), "{p}");
        assert!(l.length() < 1e-9 * before.angular_momentum.length(), "{l}");
    }
}

#[test]
fn volumes_that_are_not_enclosed_or_break_are_refused() {
    let refused = |body: Body| Simulation::builder().body(body).solver(iterations(2)).build().unwrap_err();
    let mesh = sphere();
    let open = ball(Some(LOCAL)).with_surface(mesh.triangles[1..].to_vec());
    let error = refused(open);
    assert!(matches!(error, ModelError::Regions { .. }) && error.to_string().contains("does not enclose"), "{error}");
    let none = ball(Some(LOCAL)).with_surface(Vec::new());
    assert!(refused(none).to_string().contains("no surface"));
    let matching = Matching { volume: Some(LOCAL), toughness: Some(0.5), ..springs(Regions::whole(642), 0.1) };
    assert!(refused(ball(None).with_matching(matching)).to_string().contains("toughness"));
    let much = VolumeConservation { local: 1.5, ..LOCAL };
    assert!(refused(ball(Some(much))).to_string().contains("1.5"));
}
