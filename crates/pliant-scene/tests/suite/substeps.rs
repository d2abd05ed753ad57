//! Frames in several steps: what moves has its speed in each, and a frame is done or not done.
#![allow(clippy::unwrap_used)]

use pliant::math::Vec3;
use pliant_scene::{Scene, SceneRun};

fn build(text: &str, overrides: &[&str]) -> SceneRun {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    Scene::parse("scene.toml", text, &overrides).unwrap().build().unwrap()
}

/// A rope that is carried along at (1, 2, 0) m/s, with a handle that moves as fast.
const CARRIED: &str = r#"
[world]
frame_rate = 30
substeps = 3
[[body]]
name = "rope"
shape.rope = { from = [0, 0, 0], to = [1, 0, 0], segments = 4 }
material.strand = { preset = "cord" }
[[body.pin]]
select = { vertices = [0] }
keyframe = [{ time = 0 }, { time = 1, translate = [1, 2, 0] }]
"#;

#[test]
fn a_pin_has_its_speed_in_every_step_of_a_frame_and_in_every_substep_of_these() {
    // Substeps of the engine divide the steps of the scene further.
    for parts in [1, 2, 5] {
        let mut run = build(CARRIED, &[]);
        run.sim.set_substeps(parts).unwrap();
        for step in 1..=9 {
            run.step().unwrap();
            assert!((run.sim.time() - f64::from(step) / 90.0).abs() < 1e-15);
            let (x, v) = (run.sim.positions()[0], run.sim.velocities()[0]);
            assert!((x - Vec3::new(1.0, 2.0, 0.0) * run.sim.time()).length() < 1e-14, "{x}");
            assert!((v - Vec3::new(1.0, 2.0, 0.0)).length() < 1e-11, "{parts} parts, step {step}: {v}");
        }
    }
}

#[test]
fn a_turning_pin_is_on_its_circle_after_every_step_of_a_frame() {
    let turning = CARRIED.replace(
        "keyframe = [{ time = 0 }, { time = 1, translate = [1, 2, 0] }]",
        "keyframe = [{ time = 0 }, { time = 0.1, rotate = { axis = [0, 0, 1], degrees = 60, about = [-1, 0, 0] } }]",
    );
    let mut run = build(&turning, &[]);
    for _ in 0..9 {
        run.step().unwrap();
        let x = run.sim.positions()[0];
        assert!((x.distance(Vec3::NEG_X) - 1.0).abs() < 1e-12, "{x}");
    }
}

/// Paper that is cut, torn and pushed away in the third of four steps of the second frame; a cloth beside it has wrinkles.
const FAILING: &str = r#"
[world]
frame_rate = 10
substeps = 4
[[body]]
name = "paper"
shape.sheet = { width = 0.2, height = 0.3, columns = 6, rows = 8 }
material.cloth = { preset = "paper" }
pin = [{ select = { corners = ["top-left", "top-right"] } }]
[[body]]
name = "cloth"
shape.sheet = { width = 1, height = 0.5, columns = 4, rows = 2 }
material.cloth = { youngs_modulus = 2e4, bend_model = "hinge", bending_stiffness = 1 }
wrinkles = { subdivisions = 1, reach = 0.04 }
pin = [{ select = { side = "left" } }]
[[cut]]
body = "paper"
time = 0.11
plane = { point = [0, 0.01, 0], normal = [0.2, 1, 0] }
[[force]]
body = "cloth"
select = { side = "right" }
total = [1e9, 0, 0]
from = 0.155
until = 0.17
[[expect]]
quantity = "lowest"
above = -1
"#;

#[test]
fn a_frame_that_fails_in_its_third_step_has_not_begun() {
    let mut run = build(FAILING, &[]);
    run.next_frame().unwrap();
    for _ in 0..2 {
        let (saved, frame) = (run.save(), run.stored_frame().positions.to_vec());
        let error = run.next_frame().unwrap_err().to_string();
        assert!(error.contains("in step 7"), "{error}");
        assert_eq!(run.frame(), 1);
        assert!(run.save() == saved, "something has changed");
        assert_eq!(run.stored_frame().positions.to_vec(), frame);
        assert_eq!(run.sim.topology_changes(), 0);
        assert_eq!(run.topology().vertex_count(), frame.len());
        run.topology().check().unwrap();
    }
    // The cut had been made in the steps that were taken back.
    let mut steps = build(FAILING, &[]);
    let good = (0..12).take_while(|_| steps.step().is_ok()).count();
    assert_eq!(good, 6);
    assert!(steps.sim.topology_changes() > 0);
}

#[test]
fn without_its_failure_the_frame_is_the_same_before_and_after_trying() {
    let mut run = build(FAILING, &[]);
    run.next_frame().unwrap();
    assert!(run.next_frame().is_err());
    let mut calm = build(FAILING, &["force.0.total=[0, 0, 0]"]);
    calm.restore(&run.save()).unwrap();
    let mut whole = build(FAILING, &["force.0.total=[0, 0, 0]"]);
    whole.next_frame().unwrap();
    for _ in 0..2 {
        calm.next_frame().unwrap();
        whole.next_frame().unwrap();
    }
    assert!(calm.save() == whole.save());
}
