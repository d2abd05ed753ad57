//! Colliders of scene files: every shape stands where it should, moves as it should, and carries what lies on it.
#![allow(clippy::unwrap_used)]

use pliant::collide::Shape;
use pliant::math::Vec3;
use pliant_scene::format::Quantity;
use pliant_scene::{Scene, SceneError, SceneRun};

/// A small cloth above what follows.
const CLOTH: &str = r#"
[world]
frames = 60
[[body]]
name = "cloth"
shape.sheet = { width = 0.4, height = 0.4, columns = 8, rows = 8, plane = "xz" }
transform = { translate = [0, 0.05, 0] }
material.cloth = { preset = "cotton" }
"#;

fn build(colliders: &str) -> SceneRun {
    let text = format!("{CLOTH}{colliders}");
    Scene::parse("scene.toml", &text, &[]).unwrap().build().unwrap_or_else(|error| panic!("{error}"))
}

fn refused(colliders: &str) -> SceneError {
    let text = format!("{CLOTH}{colliders}");
    match Scene::parse("scene.toml", &text, &[]) {
        Err(error) => error,
        Ok(scene) => scene.build().map(|_| ()).unwrap_err(),
    }
}

/// The error points into the line that holds this text.
fn points_at(colliders: &str, line: &str) -> String {
    let error = refused(colliders);
    let excerpt = error.excerpt.clone().unwrap_or_default();
    assert!(excerpt.contains(line), "{line:?} is to blame, not\n{error}");
    error.message
}

#[test]
fn a_floor_carries_the_weight_of_what_lies_on_it() {
    let mut run = build("[[collider]]\nname = \"floor\"\nshape.plane = {}\nfriction = 0.5\n");
    for _ in 0..60 {
        run.next_frame().unwrap();
        assert!(run.measure(Quantity::Penetration, None) < 1e-3);
    }
    let carried = run.measure(Quantity::CarriedWeight, Some("cloth"));
    assert!((carried - 1.0).abs() < 0.01, "{carried}");
    assert_eq!(run.measure(Quantity::Contacts, None), 81.0);
    assert!(run.measure(Quantity::Lowest, None) > 0.0);
}

#[test]
fn penetration_is_the_depth_of_the_deepest_vertex_in_any_collider() {
    let run = build(
        "[[collider]]\nshape.plane = {}\n[[collider]]\nshape.box = { size = [0.2, 0.3, 0.2] }\nposition = [0.1, 0, 0]\n",
    );
    // The vertex at (0.1, 0.05, 0) is in the middle of the box's width, and 0.1 m below its top.
    assert!((run.measure(Quantity::Penetration, None) - 0.1).abs() < 1e-12);
    assert_eq!(run.measure(Quantity::Contacts, None), 0.0);
}

#[test]
fn every_shape_stands_where_it_is_put() {
    let run = build(
        r#"
[[collider]]
shape.sphere = { radius = 0.1 }
position = [0, -1, 0]
[[collider]]
shape.capsule = { radius = 0.1, length = 0.4 }
position = [0, -1, 0]
rotation = { axis = [0, 0, 2], degrees = 90 }
[[collider]]
shape.cylinder = { radius = 0.1, length = 0.4 }
position = [0, -1, 0]
[[collider]]
shape.heightfield = { spacing = [1, 2], heights = [[-1, -1, -1], [-2, -2, -2]] }
position = [-1, 0, -1]
[[collider]]
position = [0, -1, 0]
shape.sdf.cell = 0.02
shape.sdf.solid.union.of = [{ sphere = { radius = 0.1 } }, { box = { size = [0.1, 0.4, 0.1] } }]
"#,
    );
    let at = |collider: usize, p: [f64; 3]| {
        let (nearby, _) = run.sim.colliders()[collider].moving_over(0.0, 0.0).at_end(Vec3::from_array(p));
        nearby.distance
    };
    assert!((at(0, [0.0, -0.5, 0.0]) - 0.4).abs() < 1e-12);
    assert!((at(1, [0.5, -1.0, 0.0]) - 0.2).abs() < 1e-12, "the capsule lies along x");
    assert!((at(2, [0.0, -0.5, 0.0]) - 0.3).abs() < 1e-12);
    let slope = 0.5_f64.atan();
    assert!((at(3, [0.0, -1.0, 0.0]) - 0.5 * slope.cos()).abs() < 1e-12, "heights fall along z");
    assert!((at(4, [0.0, -0.78, 0.0]) - 0.02).abs() < 1e-9);
}

#[test]
fn keyframes_move_straight_and_turn_by_as_much_as_they_say() {
    let run = build(
        r#"
[[collider]]
shape.box = { size = [0.1, 0.1, 0.1] }
position = [0, -2, 0]
[[collider.keyframe]]
time = 2
position = [4, -2, 0]
rotation = { axis = [0, 3, 0], degrees = 720 }
[[collider.keyframe]]
time = 0
rotation = { axis = [0, 1, 0], degrees = 0 }
"#,
    );
    let collider = &run.sim.colliders()[0];
    assert_eq!(collider.pose(0.0).position, Vec3::new(0.0, -2.0, 0.0));
    for step in 0..=16 {
        let time = 0.125 * f64::from(step);
        let pose = collider.pose(time);
        assert!((pose.position.x - 2.0 * time).abs() < 1e-12);
        let angle = std::f64::consts::TAU * time;
        let expected = Vec3::new(angle.cos(), 0.0, -angle.sin());
        assert!((pose.rotation * Vec3::X - expected).length() < 1e-9, "at {time} s");
    }
}

#[test]
fn surfaces_and_motions_come_from_files() {
    let folder = std::env::temp_dir().join(format!("pliant-scene-collider-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // A corner of a cube in centimetres, z up.
    let tetrahedron = "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(folder.join("corner.obj"), tetrahedron).unwrap();
    std::fs::write(folder.join("open.obj"), tetrahedron.replace("f 2 3 4\n", "")).unwrap();
    let motion = "NumFrames: 2\nbody[0] position\n0 0 0\n0 0 1\nbody[0] orientation\n1 0 0 0\n1 0 0 0\n";
    std::fs::write(folder.join("rise.mot"), motion).unwrap();
    let scene = |collider: &str| {
        let text = format!("{CLOTH}[[collider]]\nposition = [0, -2, 0]\n{collider}");
        Scene::parse(&folder.join("scene.toml").to_string_lossy(), &text, &[]).unwrap().build()
    };
    let file = "shape.file = { path = \"corner.obj\", metres_per_unit = 0.01, up = \"z\"";
    let run =
        scene(&format!("{file} }}\nmotion = {{ path = \"rise.mot\", up = \"z\", frame_rate = 10, start = 1 }}\n"))
            .unwrap();
    let collider = &run.sim.colliders()[0];
    assert!(matches!(collider.shape(), Shape::Mesh(_)));
    for (time, height) in [(0.0, -2.0), (1.05, -1.5), (9.0, -1.0)] {
        assert!((collider.pose(time).position.y - height).abs() < 1e-9, "at {time} s");
    }
    let (nearby, _) = collider.moving_over(0.0, 0.0).at_end(Vec3::new(0.0, -0.5, 0.0));
    assert!((nearby.distance - 0.5).abs() < 1e-12, "the tip of the file's z axis is up: {nearby:?}");
    let run = scene(&format!("{file}, cells = 30 }}\n")).unwrap();
    assert!(matches!(run.sim.colliders()[0].shape(), Shape::Grid(_)));
    let error = scene("shape.file = { path = \"open.obj\" }\n").map(|_| ()).unwrap_err();
    assert!(error.message.contains("closed") && error.hint.is_some(), "{error}");
    let error = scene("shape.plane = {}\nmotion = { path = \"rise.mot\", part = 1 }\n").map(|_| ()).unwrap_err();
    assert!(error.message.contains("no part 1; the file has 1"), "{error}");
    let error = scene("shape.plane = {}\nmotion = { path = \"gone.mot\" }\n").map(|_| ()).unwrap_err();
    assert!(error.message.contains("gone.mot") && error.place.is_some_and(|(line, _)| line == 12), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_wrong_with_a_collider_is_pointed_at() {
    let collider = |line: &str| format!("[[collider]]\nshape.plane = {{}}\n[[collider]]\n{line}\n");
    let sphere = |line: &str| collider(&format!("shape.sphere = {{ radius = 0.1 }}\n{line}"));
    for (text, line) in [
        (collider("shape.sphere = { radius = -1 }"), "radius"),
        (collider("shape.sphere = { radis = 1 }"), "radis"),
        (collider("shape.box = { size = [1, 0, 1] }"), "shape.box"),
        (collider("shape.capsule = { radius = 1, length = -1 }"), "length"),
        (collider("shape.heightfield = { spacing = [1, 1], heights = [[0, 0], [0]] }"), "heights"),
        (collider("shape.heightfield = { spacing = [0, 1], heights = [[0, 0], [0, 0]] }"), "spacing"),
        (collider("shape.heightfield = { spacing = [1, 1], heights = [] }"), "heights"),
        (collider("shape.sdf = { solid = { sphere = { radius = -2 } } }"), "radius"),
        (collider("shape.sdf = { solid = { sphere = { radius = 1 } }, cell = 1e-6 }"), "cell = 1e-6"),
        (collider("shape.sdf = { solid = { sphere = { radius = 1 } }, cells = 0 }"), "cells = 0"),
        (collider("shape.file = { path = \"gone.obj\" }"), "gone.obj"),
        (sphere("friction = -0.1"), "friction"),
        (sphere("restitution = 1.5"), "restitution"),
        (sphere("thickness = 0"), "thickness"),
        (sphere("position = [0, nan, 0]"), "position"),
        (sphere("rotation = { axis = [0, 0, 0], degrees = 1 }"), "axis"),
        (sphere("keyframe = [{ time = 0 }, { time = 0 }]"), "time = 0 }]"),
        (sphere("keyframe = [{ time = nan }]"), "nan"),
        (sphere("motion = { path = \"a.mot\", frame_rate = 0 }"), "frame_rate"),
        ("[contact]\nweight = 0\n".to_owned(), "weight"),
        ("[contact]\nmode = \"constrain\"\n".to_owned(), "mode"),
    ] {
        points_at(&text, line);
    }
    assert!(points_at(&sphere("friction = -0.1"), "friction").contains("-0.1"));
    assert_eq!(refused("[contact]\nmode = \"constrain\"\n").hint.unwrap(), "did you mean `constraint`?");
    let both = sphere("keyframe = [{ time = 0 }]\nmotion = { path = \"a.mot\" }");
    assert!(points_at(&both, "motion").contains("not both"));
}

#[test]
fn contact_by_displacement_also_carries() {
    let mut run = build("[[collider]]\nshape.plane = {}\n[contact]\nmode = \"displacement\"\n");
    (0..60).for_each(|_| drop(run.next_frame().unwrap()));
    assert!(run.measure(Quantity::Lowest, None) > -1e-3);
    assert!(run.measure(Quantity::MaxSpeed, None) < 0.05);
}
