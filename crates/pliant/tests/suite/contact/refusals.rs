//! Bad colliders are refused with their place and value.

use pliant::collide::{ColliderError, DistanceGrid, Heightfield, Key, Pose, SolidMesh};
use pliant::prelude::*;

use super::common::particle;

fn refusal(collider: Collider) -> String {
    let built = Simulation::builder().body(particle(Vec3::ZERO, Vec3::ZERO)).collider(collider.named("rock")).build();
    built.err().unwrap().to_string()
}

#[test]
fn sizes_and_coefficients_out_of_range_are_named() {
    let sphere = || Collider::new(Shape::Sphere { radius: 1.0 });
    for (collider, words) in [
        (Collider::new(Shape::Sphere { radius: 0.0 }), "radius is 0"),
        (Collider::new(Shape::Sphere { radius: f64::NAN }), "radius is NaN"),
        (Collider::new(Shape::Box { size: Vec3::new(1.0, -2.0, 1.0) }), "side is -2"),
        (Collider::new(Shape::Capsule { radius: 1.0, length: -1.0 }), "length is -1"),
        (Collider::new(Shape::Cylinder { radius: 1.0, length: 0.0 }), "length is 0"),
        (sphere().thickness(0.0), "thickness is 0"),
        (sphere().thickness(1e-308), "but must be at least 1e-9 (m) and finite"),
        (sphere().friction(-0.1), "friction is -0.1"),
        (sphere().restitution(1.5), "restitution is 1.5"),
        (sphere().at(Vec3::new(0.0, f64::INFINITY, 0.0)), "pose 1 is inf"),
        (sphere().turned(Quat::from_xyzw(1.0, 1.0, 0.0, 0.0)), "length of a rotation is 1.41"),
        (sphere().moving(vec![]), "keys has 0 entries"),
        (
            sphere().moving(vec![Key { time: 1.0, pose: Pose::default() }, Key { time: 1.0, pose: Pose::default() }]),
            "key 1 is at 1 s",
        ),
    ] {
        let message = refusal(collider);
        assert!(message.contains("\"rock\"") && message.contains(words), "{message} lacks {words}");
    }
}

#[test]
fn surfaces_without_an_inside_are_refused() {
    let sheet = Sheet { columns: 2, rows: 2, ..Sheet::default() }.mesh().unwrap();
    assert!(matches!(SolidMesh::new(&sheet), Err(ColliderError::Surface(_))));
    let mut ball = pliant::mesh::generate::Icosphere { radius: 1.0, subdivisions: 1 }.mesh().unwrap();
    let frames = vec![ball.positions.clone(), ball.positions[1..].to_vec()];
    let short = Collider::animated(&ball, vec![0.0, 1.0], frames).unwrap_err();
    assert_eq!(short, ColliderError::LengthMismatch { name: "frame", found: 41, expected: 42 });
    ball.flip();
    assert!(matches!(SolidMesh::new(&ball), Err(ColliderError::InsideOut { volume }) if volume < 0.0));
}

#[test]
fn grids_with_holes_are_refused() {
    let heights = Heightfield::new([2, 2], [1.0; 2], vec![0.0, 1.0, f64::NAN, 0.0]).unwrap_err();
    assert_eq!(heights.to_string(), "height 2 is NaN, which is not finite");
    let few = DistanceGrid::new(Vec3::ZERO, 1.0, [2; 3], vec![0.0; 7]).unwrap_err();
    assert_eq!(few, ColliderError::LengthMismatch { name: "list of distances", found: 7, expected: 8 });
}

/// Each look along a path goes on by a part of the thickness: looking must end all the same.
#[test]
fn thin_colliders_and_long_paths_are_looked_at_in_finite_time() {
    let turns = |degrees: f64| Quat::from_rotation_y(degrees.to_radians());
    let turning = |time: f64, degrees: f64| Key { time, pose: Pose { position: Vec3::ZERO, rotation: turns(degrees) } };
    for shape in [Shape::Plane, Shape::Box { size: Vec3::ONE }, Shape::Cylinder { radius: 1.0, length: 1.0 }] {
        let collider = Collider::new(shape).thickness(1e-9).moving(vec![turning(0.0, 0.0), turning(1.0, 80.0)]);
        let moving = collider.moving_over(0.0, 1.0);
        for far in [10.0, 1e6, 1e150, 1e300] {
            // Along the surface, a hair above it.
            let height = 0.5 + 2e-9;
            let hit = moving.hit(Vec3::new(0.1, height, 0.0), Vec3::new(far, height, 0.0));
            assert!(hit.is_none_or(|hit| (0.0..=1.0).contains(&hit.time)), "{hit:?}");
        }
    }
}
