//! Scenes that tear and cut: what they say happens, and what is wrong is said at its place.
#![allow(clippy::unwrap_used)]

use pliant::math::Vec3;
use pliant_scene::format::Quantity;
use pliant_scene::{Scene, SceneError, SceneRun};

fn parse(text: &str) -> Result<SceneRun, SceneError> {
    Scene::parse("scene.toml", text, &[])?.build()
}

/// A sheet of paper that hangs by its upper corners.
const PAPER: &str = r#"[[body]]
name = "paper"
shape.sheet = { width = 0.2, height = 0.3, columns = 6, rows = 8 }
material.cloth = { preset = "paper" }
pin = [{ select = { corners = ["top-left", "top-right"] } }]
"#;

const CUT: &str = r#"
[[cut]]
body = "paper"
time = 0.1
plane = { point = [0, 0.01, 0], normal = [0.2, 1, 0] }
"#;

/// A strip whose right side is pulled by 20 % within a quarter of a second.
const STRIP: &str = r#"
world.gravity = [0, 0, 0]
[[body]]
name = "strip"
shape.sheet = { width = 0.6, height = 0.2, columns = 12, rows = 4 }
material.cloth = { preset = "cotton" }
tear = { stretch = 1.1, noise = 0.1 }
[[body.pin]]
select = { side = "left" }
[[body.pin]]
select = { side = "right" }
keyframe = [{ time = 0 }, { time = 0.25, translate = [0.12, 0, 0] }]
"#;

#[test]
fn a_cut_is_made_at_its_moment() {
    let mut run = parse(&(PAPER.to_owned() + CUT)).unwrap();
    (0..6).for_each(|_| drop(run.next_frame().unwrap()));
    assert_eq!(run.measure(Quantity::Pieces, None), 1.0);
    run.next_frame().unwrap();
    assert_eq!(run.measure(Quantity::Pieces, Some("paper")), 2.0);
    assert!(run.measure(Quantity::Torn, None) > 6.0);
    assert_eq!(run.topology().vertex_count(), run.sim.positions().len());
    run.topology().check().unwrap();
    (0..20).for_each(|_| drop(run.next_frame().unwrap()));
    assert!(run.measure(Quantity::Lowest, None) < -0.4, "the lower part falls");
    assert!(run.measure(Quantity::MaxStretch, None) < 1.01);
}

#[test]
fn a_strip_that_is_pulled_tears_apart() {
    let mut run = parse(STRIP).unwrap();
    (0..40).for_each(|_| drop(run.next_frame().unwrap()));
    assert!(run.measure(Quantity::Pieces, None) >= 2.0);
    assert!(run.measure(Quantity::MaxStretch, None) < 1.1, "and is no longer stretched");
    assert_eq!(run.stored_frame().positions.len(), run.topology().vertex_count());
}

#[test]
fn what_is_kept_from_itself_tears_and_is_cut_too() {
    let paper = PAPER.replace("material", "transform = { translate = [0, 0, 0.5] }\nmaterial");
    let mut run = parse(&format!("{STRIP}{paper}{CUT}[self_collision]\n")).unwrap();
    for frame in 0..40 {
        run.next_frame().unwrap();
        assert_eq!(run.measure(Quantity::Intersections, None), 0.0, "frame {frame}");
    }
    assert!(run.measure(Quantity::Pieces, Some("strip")) >= 2.0);
    assert_eq!(run.measure(Quantity::Pieces, Some("paper")), 2.0);
}

#[test]
fn a_resumed_scene_is_as_torn_and_cut_as_the_uninterrupted_one() {
    let text = STRIP.to_owned() + PAPER + CUT;
    let mut whole = parse(&text).unwrap();
    (0..20).for_each(|_| drop(whole.next_frame().unwrap()));
    let saved = whole.save();
    (0..10).for_each(|_| drop(whole.next_frame().unwrap()));
    let mut resumed = parse(&text).unwrap();
    resumed.restore(&saved).unwrap();
    (0..10).for_each(|_| drop(resumed.next_frame().unwrap()));
    assert!(
        resumed.measure(Quantity::Torn, Some("strip")) > 0.0 && resumed.measure(Quantity::Torn, Some("paper")) > 0.0
    );
    assert_eq!(whole.sim.positions(), resumed.sim.positions());
    assert_eq!(whole.topology(), resumed.topology());
}

#[test]
fn a_step_that_fails_takes_its_cut_back() {
    let mut run = parse(&format!("{PAPER}{CUT}")).unwrap();
    (0..6).for_each(|_| drop(run.step().unwrap()));
    let (time, positions) = (run.sim.time(), run.sim.positions().to_vec());
    run.sim.set_force("paper", 30, Vec3::splat(1e308)).unwrap();
    for _ in 0..2 {
        assert!(run.step().is_err());
        assert_eq!((run.sim.time(), run.sim.topology_changes()), (time, 0));
        assert_eq!(run.sim.positions(), positions);
    }
    run.sim.set_force("paper", 30, Vec3::ZERO).unwrap();
    run.step().unwrap();
    assert_eq!(run.measure(Quantity::Pieces, None), 2.0);
}

#[test]
fn a_seam_is_made_of_the_edges_between_the_selected_vertices() {
    let seam = "seam = [{ select = { box = { min = [-0.01, -1, -1], max = [0.01, 1, 1] } }, strength = 0.5 }]";
    let text = STRIP.replace("noise = 0.1", seam).replace("0.12, 0, 0", "0.05, 0, 0");
    let mut run = parse(&text).unwrap();
    (0..40).for_each(|_| drop(run.next_frame().unwrap()));
    assert_eq!(run.measure(Quantity::Pieces, None), 2.0);
    let doubled = &run.sim.model().rest()[65..];
    assert!(doubled.len() == 5 && doubled.iter().all(|p| p.x.abs() < 1e-9), "{doubled:?}");
}

/// Line and message of the error of a scene.
fn fault(text: &str) -> (usize, String) {
    let error = parse(text).map(drop).unwrap_err();
    (error.place.map_or(0, |(line, _)| line), error.message.clone())
}

#[test]
fn what_is_wrong_is_said_at_its_place() {
    let strip = |tear: &str| STRIP.replace("tear = { stretch = 1.1, noise = 0.1 }", tear);
    for (text, line, part) in [
        (strip("tear = { stretch = 0.9 }"), 7, "stretch is 0.9, but must be finite and above 1"),
        (strip("tear = { force = -1 }"), 7, "force is -1, but must be finite and positive"),
        (strip("tear = {}"), 7, "give `stretch` or `force`"),
        (strip("tear = { stretch = 2, noise = 2 }"), 7, "noise is 2"),
        (strip("tear = { stretch = 2, seam = [{ select = { vertices = [0] }, strength = 1 }] }"), 7, "no edge"),
        (PAPER.to_owned() + &CUT.replace("\"paper\"", "\"papr\""), 8, "there is no body \"papr\""),
        (PAPER.to_owned() + &CUT.replace("time = 0.1", "time = -1"), 9, "time is -1"),
        (PAPER.to_owned() + &CUT.replace("[0.2, 1, 0]", "[0, 0, 0]"), 10, "the normal of a cut is 0"),
        (PAPER.to_owned() + &CUT.replace("plane =", "polyline ="), 10, "there is no key"),
        (
            PAPER.replace("material.cloth = { preset = \"paper\" }", "material.springs = { stiffness = 10 }") + CUT,
            8,
            "not cloth",
        ),
    ] {
        let (found, message) = fault(&text);
        assert!(message.contains(part), "{message:?} does not say {part:?}");
        assert_eq!(found, line, "{message}");
    }
}
