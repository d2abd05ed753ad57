//! Scenes whose state stays on a GPU: they move as those whose state comes back, say where it is and why, and lose nothing with the device.
#![cfg(feature = "gpu")]
#![allow(clippy::unwrap_used)]

use pliant::math::Vec3;
use pliant_gpu::device::{Device, DeviceChoice};
use pliant_scene::{Scene, SceneRun, log_entry};

use crate::gpu::has_adapter;

const SOLVER: &str = "solver.gpu.projective.iterations = 6";

/// A cloth that hangs on pins, which move if they are given keyframes.
fn cloth(more: &str) -> String {
    format!(
        "[world]\nframes = 8\nsubsteps = 2\n[[body]]\nname = \"cloth\"\nmaterial.cloth = {{}}\n\
         shape.sheet = {{ width = 1, height = 1, columns = 8, rows = 8, plane = \"xz\" }}\n{more}\n"
    )
}

const STILL: &str = "pin = [{ select = { corners = [\"top-left\", \"top-right\"] } }]";
const MOVING: &str = "pin = [{ select = { corners = [\"top-left\", \"top-right\"] }, keyframe = [{ time = 0 }, { time = 0.05, translate = [0.3, 0.1, 0] }, \
                      { time = 0.2, translate = [0.5, 0, 0.4], rotate = { axis = [0, 1, 0], degrees = 40 } }] }]";
const WATER: &str = "[world]\nframes = 6\nframe_rate = 100\n[[collider]]\nshape.plane = {}\nposition = [0, -0.1, 0]\n\
                     [[body]]\nname = \"water\"\nmaterial.fluid = {}\nshape.particles = { size = [0.2, 0.2, 0.2], spacing = 0.05 }\n";

fn build(text: &str) -> SceneRun {
    Scene::parse("scene.toml", text, &[]).unwrap().build().unwrap_or_else(|error| panic!("{error}"))
}

fn run(text: &str, frames: u32) -> SceneRun {
    let mut run = build(text);
    (0..frames).for_each(|_| drop(run.next_frame().unwrap_or_else(|error| panic!("{error}"))));
    run
}

/// Largest distance between two runs, over the diagonal of the world.
fn apart(a: &SceneRun, b: &SceneRun) -> f64 {
    let gaps = a.sim.positions().iter().zip(b.sim.positions()).map(|(a, b)| a.distance(*b));
    gaps.fold(0.0, f64::max) / a.sim.model().diagonal()
}

fn refused(text: &str) -> (usize, String) {
    let error = Scene::parse("scene.toml", text, &[]).and_then(|scene| scene.build().map(drop)).unwrap_err();
    (error.place.unwrap().0, error.message)
}

#[test]
fn a_state_that_stays_moves_as_one_that_comes_back() {
    if !has_adapter() {
        return;
    }
    for pins in [STILL, MOVING] {
        let scene = |resident: &str| run(&format!("{SOLVER}\nsolver.gpu.resident = {resident}\n{}", cloth(pins)), 8);
        let (stays, comes) = (scene("true"), scene("false"));
        assert!(stays.is_on_gpu() && !comes.is_on_gpu());
        assert_eq!(stays.whereabouts().unwrap(), "the state stays on the GPU");
        assert_eq!(comes.whereabouts().unwrap(), "the state comes back every step: the scene wants it so");
        let gap = apart(&stays, &comes);
        assert!(gap < 1e-5, "{pins}: {gap:e} of the diagonal");
        assert!((stays.sim.time() - 8.0 / 60.0).abs() < 1e-12 && stays.sim.state().step == 16);
        let speeds = |run: &SceneRun| run.sim.velocities().iter().map(|v| v.length()).collect::<Vec<_>>();
        let gaps = speeds(&stays).into_iter().zip(speeds(&comes)).map(|(a, b)| (a - b).abs());
        let (gap, fastest) = (gaps.fold(0.0, f64::max), speeds(&comes).into_iter().fold(0.0, f64::max));
        assert!(gap < 2e-3 * fastest, "{pins}: speeds {gap:e} m/s apart, the fastest is {fastest} m/s");
        // Without a word it stays where it can.
        assert!(run(&format!("{SOLVER}\n{}", cloth(pins)), 1).is_on_gpu());
    }
}

#[test]
fn water_of_the_position_based_solver_stays_on_a_gpu() {
    if !has_adapter() {
        return;
    }
    let here = run(&format!("solver.position-based.iterations = 4\n{WATER}"), 6);
    let there = run(&format!("solver.gpu.position-based.iterations = 4\n{WATER}"), 6);
    assert!(there.is_on_gpu() && !here.is_on_gpu() && here.whereabouts().is_none());
    let gap = apart(&there, &here);
    assert!(gap < 1e-3, "{gap:e} of the diagonal");
    // By the key of the command.
    let moved = Scene::parse("scene.toml", &format!("solver.position-based.iterations = 4\n{WATER}"), &[]).unwrap();
    let mut moved = moved.on_gpu(None).unwrap().build().unwrap();
    moved.next_frame().unwrap();
    assert!(moved.is_on_gpu());
    assert!(moved.step().unwrap_err().to_string().contains("goes on by whole frames"));
}

#[test]
fn every_kind_of_worlds_stays_on_a_gpu() {
    if !has_adapter() {
        return;
    }
    let (still, moving) = (cloth(STILL), cloth(MOVING));
    let ball = "[[collider]]\nshape.sphere.radius = 0.3\nposition = [0, -0.35, 0]\n";
    let layers = "self_collision = {}\n";
    let newton = "two-metric = {}";
    // A head and its hair go together, gently: where a strand only just meets the head, the last bit decides whether it does.
    let hair = "[world]\nframes = 8\n[[body]]\nname = \"hair\"\nmaterial.strand = {}\n\
         shape.hair = { radius = 0.101, count = 12, length = 0.2, segments = 8 }\n\
         pin = [{ select = { ball = { centre = [0, 0, 0], radius = 0.102 } }, keyframe = [{ time = 0 }, { time = 0.05, translate = [0.03, 0.01, 0] }, \
         { time = 0.2, translate = [0.05, 0, 0.04] }] }]\n[[collider]]\nshape.sphere.radius = 0.098\n\
         keyframe = [{ time = 0 }, { time = 0.05, position = [0.03, 0.01, 0] }, { time = 0.2, position = [0.05, 0, 0.04] }]\n";
    for (method, body, allowed) in [
        ("position-based.iterations = 5", format!("{still}{ball}"), 1e-4),
        ("position-based.iterations = 5", moving.clone(), 1e-4),
        ("follow-leader = {}", hair.to_owned(), 1e-4),
        (
            "projective = { iterations = 6, acceleration.none = {} }",
            format!("contact.mode = \"displacement\"\n{still}{ball}"),
            2e-3,
        ),
        (newton, format!("{still}{ball}"), 2e-3),
        (newton, format!("{layers}{still}{ball}"), 2e-3),
    ] {
        let there = run(&format!("solver.gpu.{method}\nsolver.gpu.resident = true\n{body}"), 8);
        let here = run(&format!("solver.{method}\n{body}"), 8);
        assert!(there.is_on_gpu() && here.whereabouts().is_none());
        let gap = apart(&there, &here);
        assert!(gap < allowed, "{method}, {body}: {gap:e} of the diagonal");
        // It has moved by more than that.
        let start = build(&format!("solver.{method}\n{body}"));
        let moved = apart(&start, &here);
        assert!(moved > 20.0 * allowed, "{method}, {body}: moved by {moved:e}");
    }
}

#[test]
fn frames_that_are_computed_ahead_are_those_that_are_waited_for() {
    if !has_adapter() {
        return;
    }
    let text = format!("{SOLVER}\n{}", cloth(MOVING));
    let mut ahead = build(&text);
    for frame in 1..=8 {
        ahead.next_frame().unwrap();
        // Nothing is under way beyond the frame.
        let mut waited = build(&text);
        waited.plan_frames(frame);
        (0..frame).for_each(|_| drop(waited.next_frame().unwrap()));
        assert_eq!(ahead.sim.positions(), waited.sim.positions());
        assert_eq!(ahead.sim.velocities(), waited.sim.velocities());
        assert_eq!(ahead.stored_frame().positions, waited.stored_frame().positions);
    }
    // More than the scene has.
    ahead.next_frame().unwrap();
    assert_eq!(ahead.frame(), 9);
}

#[test]
fn the_log_says_what_is_known_and_no_more() {
    if !has_adapter() {
        return;
    }
    let mut run = build(&format!("{SOLVER}\n{}", cloth(STILL)));
    let reports = run.next_frame().unwrap();
    let entry = log_entry(&run, &reports);
    let has = |key: &str| entry.contains_key(key);
    assert!(reports.is_empty() && entry["stays_on_gpu"] == true);
    for known in ["time", "kinetic", "elastic", "max_stretch", "seconds"] {
        assert!(entry[known].as_f64().unwrap().is_finite(), "{known}");
    }
    for unknown in ["iterations", "movement", "residual", "work", "seconds_global", "contacts"] {
        assert!(!has(unknown), "{unknown}");
    }
}

#[test]
fn who_gets_softer_contact_is_told() {
    if !has_adapter() {
        return;
    }
    let ground = "[[collider]]\nshape.plane = {}\nposition = [0, -5, 0]\n";
    let solver = format!("{SOLVER}\nsolver.gpu.resident = false");
    let said = |more: &str| run(&format!("{solver}\n{more}\n{}{ground}", cloth(STILL)), 1).whereabouts().unwrap();
    assert!(said("").contains("contact is then by displacement"), "{}", said(""));
    let wanted = "contact = { mode = \"displacement\" }";
    assert!(!said(wanted).contains("displacement"), "{}", said(wanted));
}

#[test]
fn what_needs_the_engine_in_every_step_is_named() {
    if !has_adapter() {
        return;
    }
    let wind = "world.wind = { velocity = [1, 0, 0], turbulence.strength = 0.2 }";
    let ramp = "world.wind.keyframe = [{ time = 0, velocity = [1, 0, 0] }, { time = 1, velocity = [2, 0, 0] }]";
    let push = "force = [{ body = \"cloth\", total = [1, 0, 0] }]";
    let apart = "self_collision = {}";
    let leaves = "body.0.until = 0.1";
    let expects = "expect = [{ quantity = \"contacts\", above = 1 }]";
    let body = cloth(STILL).replace("[world]\nframes = 8\nsubsteps = 2\n", "");
    for (more, reason) in [
        (wind, "the world has turbulence of the wind"),
        (ramp, "the scene has wind that changes"),
        (push, "the scene has forces"),
        (apart, "the world has self-collision with local and global iterations (but with Newton's method)"),
        (expects, "the scene has an expectation of contacts"),
    ] {
        let run = run(&format!("{SOLVER}\n{more}\n{body}"), 1);
        assert_eq!(run.whereabouts().unwrap(), format!("the state comes back every step: {reason}"), "{more}");
        let (line, said) = refused(&format!("{SOLVER}\nsolver.gpu.resident = true\n{more}\n{body}"));
        assert_eq!((line, said), (2, format!("the state of this scene cannot stay on a GPU: {reason}")), "{more}");
    }
    let guests = Scene::parse(
        "scene.toml",
        &format!("{SOLVER}\n{}\n{body}", body.replace("cloth\"", "other\"")),
        &[leaves.to_owned()],
    );
    let mut guests = guests.unwrap().build().unwrap();
    guests.next_frame().unwrap();
    assert!(guests.whereabouts().unwrap().ends_with("bodies that come and go"), "{:?}", guests.whereabouts());
}

#[test]
fn methods_that_stay_there_or_do_not_run_at_all_are_refused_at_their_keys() {
    if !has_adapter() {
        return;
    }
    let cut = |key: &str| refused(&format!("title = \"a\"\n{key}\n{WATER}"));
    let (line, said) = cut("solver.gpu = { position-based = {}, resident = false }");
    assert!(line == 2 && said == "`position-based` runs on a GPU only where the state stays there", "{said}");
    let (_, said) = cut("solver.gpu = { position-based = {}, two-metric = {} }");
    assert_eq!(said, "give `two-metric` or `position-based`, not both");
    let (line, said) = cut("solver.gpu.position-based.tolerance = 1e-3");
    assert!(line == 2 && said.ends_with("the position-based solver has a tolerance"), "{line}: {said}");
    let (line, said) = cut("solver.gpu.position-based.iterations = 100000000");
    assert!(line == 2 && said.contains("iterations is 100000000"), "{said}");
    // Wherever it is, a scene that is given another solver is one of that.
    let text = format!("solver.gpu.position-based.iterations = 4\n{WATER}");
    let scene = Scene::parse("scene.toml", &text, &[]).unwrap();
    assert_eq!(scene.on_cpu().build().unwrap().whereabouts(), None);
}

#[test]
fn checkpoints_pass_between_both_sides() {
    if !has_adapter() {
        return;
    }
    // Without acceleration, whose sums are rounded more coarsely on a GPU.
    let method = "projective = { iterations = 6, acceleration.none = {} }";
    let there = |resident: &str| format!("solver.gpu = {{ {method}, resident = {resident} }}\n{}", cloth(MOVING));
    let here = format!("solver.{method}\n{}", cloth(MOVING));
    let whole = run(&here, 8);
    let mut first = run(&here, 2);
    for text in [there("true"), there("false"), here.clone(), there("true")] {
        let saved = first.save();
        first = build(&text);
        first.restore(&saved).unwrap();
        // Frames that were under way are dropped with the state that they began with.
        first.next_frame().unwrap();
        first.restore(&saved).unwrap();
        first.next_frame().unwrap();
    }
    first.next_frame().unwrap();
    first.next_frame().unwrap();
    assert_eq!(first.frame(), 8);
    let gap = apart(&first, &whole);
    assert!(gap < 1e-5, "{gap:e} of the diagonal");
}

#[test]
fn a_device_that_is_lost_leaves_the_last_frame() {
    if !has_adapter() {
        return;
    }
    // A device of its own, by a name that no other test says.
    let name: String = Device::adapters()[0].name.chars().take(3).collect();
    let text = format!("{SOLVER}\nsolver.gpu.adapter = {name:?}\n{}", cloth(MOVING));
    let mut run = build(&text);
    (0..3).for_each(|_| drop(run.next_frame().unwrap()));
    let good: Vec<Vec3> = run.sim.positions().to_vec();
    Device::open(&DeviceChoice { name: Some(name), ..DeviceChoice::default() }).unwrap().lose();
    let error = run.next_frame().unwrap_err();
    assert!(error.to_string().contains("was lost"), "{error}");
    let scene = Scene::parse("scene.toml", &text, &[]).unwrap();
    assert_eq!(scene.fault_of_step(&error).unwrap().place.unwrap().0, 1);
    assert_eq!((run.frame(), run.sim.state().step, run.sim.positions()), (3, 6, &good[..]));
    // It goes on elsewhere.
    let mut here = scene.on_cpu().build().unwrap();
    here.restore(&run.save()).unwrap();
    here.next_frame().unwrap();
    assert_eq!(here.frame(), 4);
    assert!(here.sim.positions() != good);
}
