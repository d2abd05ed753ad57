//! Long-range attachments and strain limiting in scene files.
#![allow(clippy::unwrap_used)]

use pliant_scene::{Scene, SceneError};

const CURTAIN: &str = r#"[world]
frames = 30
damping = { spring = 2, radial = 1, cluster = 20 }

[solver.position-based]
iterations = 10

[[body]]
name = "curtain"
shape.sheet = { width = 1, height = 2, columns = 8, rows = 60 }
material.springs = { stiffness = 1e4 }
long_range = { lengths = "geodesic", points = 1 }
[[body.pin]]
select = { side = "top" }

[[expect]]
quantity = "max-stretch"
below = 1.05
"#;

const SOFT: &str = r#"[strain_limiting]
most = 1.04

[[body]]
name = "curtain"
shape.sheet = { width = 1, height = 1, columns = 8, rows = 8 }
material.cloth = { youngs_modulus = 500 }
[[body.pin]]
select = { corners = ["top-left", "top-right"] }

[[expect]]
quantity = "max-stretch"
below = 1.0402
"#;

fn verdict(text: &str) -> (bool, f64) {
    let mut run = Scene::parse("scene.toml", text, &[]).unwrap().build().unwrap();
    (0..30).for_each(|_| drop(run.next_frame().unwrap()));
    let verdicts = run.verdicts();
    (verdicts[0].holds(), verdicts[0].value)
}

fn refused(text: &str) -> SceneError {
    Scene::parse("scene.toml", text, &[]).and_then(|scene| scene.build().map(|_| ())).unwrap_err()
}

#[test]
fn threads_of_a_scene_hold_a_curtain_that_ten_iterations_would_not() {
    let (holds, stretch) = verdict(CURTAIN);
    assert!(holds, "{stretch}");
    let (holds, stretch) = verdict(&CURTAIN.replace("long_range", "# long_range"));
    assert!(!holds, "{stretch}");
}

#[test]
fn levels_of_a_scene_hold_a_curtain_without_threads_and_refuse_what_makes_no_sense() {
    let without = CURTAIN.replace("long_range", "# long_range");
    let (_, plain) = verdict(&without);
    let (holds, stretch) = verdict(&without.replace("iterations = 10", "iterations = 10\nlevels = {}"));
    assert!(holds, "{stretch}, plain {plain}");
    for (given, said) in [("levels = 0", "levels is 0"), ("rounds = 0", "rounds is 0"), ("most = 0.5", "most is 0.5")] {
        let error = refused(&without.replace("iterations = 10", &format!("iterations = 10\nlevels = {{ {given} }}")));
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[test]
fn a_scene_limits_strain_by_every_method() {
    let (holds, stretch) = verdict(SOFT);
    assert!(holds, "{stretch}");
    let (holds, free) = verdict(&SOFT.replace("most = 1.04", "most = 10"));
    assert!(!holds, "{free}");
    for method in ["edges = { iterations = 10 }", "principal = { iterations = 10 }", "hierarchy = { iterations = 5 }"] {
        let text = SOFT.replace("most = 1.04", &format!("most = 1.04\nmethod.{method}"));
        let (_, limited) = verdict(&text);
        assert!(limited - 1.0 < 0.7 * (free - 1.0), "{method}: {limited} of {free}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_at_its_place() {
    let error = refused(&CURTAIN.replace("points = 1", "points = 0"));
    assert_eq!((error.place, error.message.contains("points is 0")), (Some((12, 47)), true), "{error}");
    let error = refused(&CURTAIN.replace("[solver.position-based]", "[solver.projective]"));
    assert!(error.message.contains("position-based") && error.place.is_some_and(|(line, _)| line > 5), "{error}");
    let error = refused(&CURTAIN.replace("[[body.pin]]\nselect = { side = \"top\" }", ""));
    assert!(error.message.contains("no pinned vertex"), "{error}");
    let error = refused(&SOFT.replace("most = 1.04", "most = 0.5"));
    assert_eq!((error.place, error.message.contains("most is 0.5")), (Some((2, 8)), true), "{error}");
    let error = refused(&SOFT.replace("most = 1.04", "most = 1.04\nleast = 0.9"));
    assert_eq!((error.place, error.message.contains("limits stretch only")), (Some((3, 9)), true), "{error}");
}
