//! Bodies that come and go.
#![allow(clippy::unwrap_used)]

use pliant::{CheckpointError, StepError};
use pliant_scene::{Scene, SceneError};

/// A curtain that stays, a cube that comes and goes while a handle pulls it, a rope that comes and is tied to the curtain.
const SCENE: &str = r#"
[world]
frames = 20
substeps = 2

[[body]]
name = "curtain"
shape.sheet = { width = 1, height = 1, columns = 6, rows = 6 }
material.cloth = {}
pin = [{ select = { corners = ["top-left", "top-right"] } }]

[[body]]
name = "cube"
from = 0.05
until = 0.2
shape.box = { size = [0.2, 0.2, 0.2], cells = [2, 2, 2] }
transform = { translate = [0, 0, 1] }
material.solid = {}
handle = [{ select = { vertices = [0] }, stiffness = 1000 }]

[[body]]
name = "rope"
from = 0.1
shape.rope = { from = [0, -0.5, 0], to = [0.5, -0.5, 0], segments = 8 }
material.strand = {}
handle = [{ select = { vertices = [8] }, stiffness = 1000, keyframe = [{ time = 0 }, { time = 0.3, translate = [0, 0.3, 0] }] }]

[[attachment]]
from = { body = "rope", select = { vertices = [0] } }
to = { body = "curtain", select = { vertices = [3] } }
stiffness = 500

[[expect]]
quantity = "centre-z"
body = "cube"
at = "always"
above = 0.9
"#;

fn scene(text: &str) -> Scene {
    Scene::parse("scene.toml", text, &[]).unwrap()
}

fn refused(text: &str) -> SceneError {
    scene(text).build().unwrap_err()
}

#[test]
fn bodies_are_there_from_their_moment_until_their_moment() {
    let mut run = scene(SCENE).build().unwrap();
    let counts = |run: &pliant_scene::SceneRun| -> Vec<usize> {
        run.topology().bodies.iter().map(|body| body.vertices.len()).collect()
    };
    assert_eq!(counts(&run), [49, 0, 0]);
    let mut changes = Vec::new();
    while run.frame() < 20 {
        let before = run.topology_changes();
        run.next_frame().unwrap();
        // Frames of 1/60 s: a moment is that of the frame that begins nearest to it.
        let expected = match run.frame() {
            0..=3 => [49, 0, 0],
            4..=6 => [49, 27, 0],
            7..=12 => [49, 27, 9],
            _ => [49, 0, 9],
        };
        assert_eq!(counts(&run), expected, "frame {}", run.frame());
        let stored = run.stored_frame();
        assert_eq!(stored.positions.len(), run.topology().vertex_count());
        if run.topology_changes() != before {
            changes.push(run.frame());
        }
        if run.frame() == 10 {
            // Stored in the order of the scene, though the rope came after the cube.
            let cube = &run.topology().bodies[1];
            assert!(stored.positions[cube.vertices.clone()].iter().all(|p| (p.z - 1.0).abs() < 0.5));
        }
    }
    assert_eq!(changes, [4, 7, 13]);
    // The tie holds the rope's end up, and its handle the other: it is where the curtain is.
    let rope = run.sim.body("rope").unwrap().vertices.clone();
    let [tied, pulled] = [rope.start, rope.end - 1].map(|v| run.sim.positions()[v]);
    assert!(tied.distance(run.sim.positions()[3]) < 0.05, "{tied} is tied to {}", run.sim.positions()[3]);
    assert!(pulled.y > -0.35, "{pulled}");
    assert!(run.verdicts()[0].holds(), "the cube was looked at while it was there: {:?}", run.verdicts()[0]);
}

#[test]
fn a_run_resumes_with_the_bodies_that_were_there() {
    let mut run = scene(SCENE).build().unwrap();
    let mut saved = Vec::new();
    while run.frame() < 16 {
        run.next_frame().unwrap();
        if [2, 5, 9, 14].contains(&run.frame()) {
            saved.push(run.save());
        }
    }
    for bytes in &saved {
        let mut resumed = scene(SCENE).build().unwrap();
        resumed.restore(bytes).unwrap();
        while resumed.frame() < 16 {
            resumed.next_frame().unwrap();
        }
        assert_eq!(resumed.sim.positions(), run.sim.positions());
        assert_eq!(resumed.topology(), run.topology());
        assert_eq!(resumed.verdicts()[0].value, run.verdicts()[0].value);
    }
    let error = run.restore(&saved[0]).unwrap_err();
    assert!(matches!(&error, CheckpointError::Topology { .. }), "{error}");
    assert!(error.to_string().contains("bodies have come or gone since"), "{error}");
}

#[test]
fn a_body_that_comes_to_where_another_is_stops_the_run_with_its_name() {
    let text =
        SCENE.replace("translate = [0, 0, 1]", "translate = [0, 0, 0]") + "[self_collision]\nthickness = 0.005\n";
    let mut run = scene(&text).build().unwrap();
    let error = (0..20).find_map(|_| run.next_frame().err()).unwrap();
    assert!(matches!(error, StepError::Change { .. }), "{error}");
    assert!(error.to_string().contains("\"cube\""), "{error}");
    assert_eq!(run.frame(), 3, "frames before it are there");
}

#[test]
fn moments_that_make_no_sense_are_errors_at_their_keys() {
    for (from, to, line, words) in [
        ("from = 0.05", "from = -1", 14, "from is -1, but must be finite and at least 0"),
        ("from = 0.05", "from = inf", 14, "from is inf"),
        ("until = 0.2", "until = 0.05", 15, "from 0.05 s until 0.05 s, which is never"),
        ("name = \"curtain\"", "name = \"curtain\"\nuntil = 0.01", 8, "no body is there at 0.01 s"),
        ("name = \"curtain\"", "name = \"curtain\"\nfrom = 1", 8, "no body is there at 0 s"),
        ("material.cloth = {}", "material.cloth = {}\ntear.stretch = 1.4", 15, "in a scene with tears or cuts"),
        ("at = \"always\"", "at = \"end\"", 35, "leaves at 0.2 s, before the end at"),
    ] {
        let error = refused(&SCENE.replacen(from, to, 1)).to_string();
        assert!(error.contains(words), "{to}: {error}");
        assert!(error.contains(&format!("scene.toml:{line}:")), "{to}: {error}");
    }
    // What a later body is made of is checked before the run begins.
    let error = refused(&SCENE.replacen("shape.rope =", "material.cloth = {}\nshape.rope =", 1).replacen(
        "material.strand = {}",
        "",
        1,
    ));
    assert!(error.to_string().contains("scene.toml:"), "{error}");
    let water = SCENE.to_owned()
        + "\n[[body]]\nname = \"water\"\nfrom = 0.1\nshape.particles = { size = [0.2, 0.2, 0.2], spacing = 0.05 }\nmaterial.fluid = {}\n";
    let error = refused(&water);
    assert!(error.to_string().contains("a fluid cannot come or go"), "{error}");
}
