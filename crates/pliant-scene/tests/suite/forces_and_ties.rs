//! Forces, wind and attachments do what their sections say.
#![allow(clippy::unwrap_used)]

use pliant_scene::{Scene, SceneError, SceneRun};

fn parse(text: &str) -> Result<SceneRun, SceneError> {
    Scene::parse("scene.toml", text, &[])?.build()
}

fn run(text: &str, frames: usize) -> SceneRun {
    let mut run = parse(text).unwrap_or_else(|error| panic!("{error}"));
    (0..frames).for_each(|_| drop(run.next_frame().unwrap()));
    run
}

/// A box of 1 kg that floats.
const FLOATING: &str = r#"
world.gravity = [0, 0, 0]
[[body]]
name = "box"
shape.box = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }
material.solid = { density = 1000, youngs_modulus = 1e6 }
"#;

fn speed(run: &SceneRun) -> f64 {
    let (masses, v) = (run.sim.model().mass().lumped(), run.sim.velocities());
    v.iter().zip(masses).map(|(v, m)| v.x * m).sum::<f64>() / masses.iter().sum::<f64>()
}

#[test]
fn a_force_gives_its_impulse_within_its_window() {
    // 3 N for a quarter of a second on 1 kg; a second force on the same vertices adds 1 N for half a second.
    let text = format!(
        "world.integrator = \"implicit-euler\"\n{FLOATING}\n[[force]]\nbody = \"box\"\ntotal = [3, 0, 0]\nfrom = 0.25\nuntil = 0.5\n\
         [[force]]\nbody = \"box\"\ntotal = [1, 0, 0]\nuntil = 0.5\n"
    );
    let mut scene = parse(&text).unwrap();
    (0..15).for_each(|_| drop(scene.next_frame().unwrap()));
    assert!((speed(&scene) - 0.25).abs() < 1e-9, "{}", speed(&scene));
    (0..45).for_each(|_| drop(scene.next_frame().unwrap()));
    assert!((speed(&scene) - 1.25).abs() < 1e-9, "{}", speed(&scene));
}

#[test]
fn a_force_between_keyframes_gives_the_impulse_under_its_course() {
    let keyframes = "keyframe = [{ time = 0, total = [0, 0, 0] }, { time = 0.5, total = [4, 0, 0] }, { time = 1, total = [0, 0, 0] }]";
    let euler = "world.integrator = \"implicit-euler\"";
    let scene = run(&format!("{euler}\n{FLOATING}\n[[force]]\nbody = \"box\"\n{keyframes}\n"), 60);
    // The linear solve is in f32.
    assert!((speed(&scene) - 2.0).abs() < 1e-6, "{}", speed(&scene));
}

#[test]
fn a_resumed_run_keeps_forces_and_gusts() {
    let text = r#"
world.wind = { velocity = [2, 0, 1], gust = { strength = 0.7, period = 0.4 }, turbulence = { strength = 0.3, seed = 2 } }
[[body]]
name = "flag"
shape.sheet = { width = 1, height = 1, columns = 4, rows = 4 }
material.cloth = {}
pin = [{ select = { side = "left" } }]
[[force]]
body = "flag"
select = { side = "right" }
keyframe = [{ time = 0, total = [0, 0, 0] }, { time = 1, total = [0, 1, 0] }]
"#;
    let mut whole = run(text, 10);
    let saved = whole.save();
    (0..10).for_each(|_| drop(whole.next_frame().unwrap()));
    let mut resumed = parse(text).unwrap();
    resumed.restore(&saved).unwrap();
    (0..10).for_each(|_| drop(resumed.next_frame().unwrap()));
    assert_eq!(whole.sim.positions(), resumed.sim.positions());
}

#[test]
fn wind_blows_by_its_keyframes_and_gusts() {
    let sheet = |wind: &str| {
        let text = format!(
            "world.gravity = [0, 0, 0]\nworld.wind = {wind}\n[[body]]\nname = \"s\"\n\
             shape.sheet = {{ width = 1, height = 1, columns = 2, rows = 2 }}\nmaterial.cloth = {{}}\n"
        );
        let scene = run(&text, 30);
        scene.measure(pliant_scene::format::Quantity::CentreZ, None)
    };
    let steady = sheet("{ velocity = [0, 0, 2] }");
    assert!(steady > 0.1, "{steady}");
    assert_eq!(sheet("{ keyframe = [{ time = 0, velocity = [0, 0, 2] }] }"), steady);
    let late = sheet("{ keyframe = [{ time = 0.4, velocity = [0, 0, 0] }, { time = 0.45, velocity = [0, 0, 2] }] }");
    assert!(late > 0.0 && late < 0.2 * steady, "{late} of {steady}");
    let gusty = sheet("{ velocity = [0, 0, 2], gust = { strength = 1, period = 1 } }");
    assert!(gusty > 1.2 * steady, "half a period in which the wind is stronger: {gusty} of {steady}");
}

#[test]
fn wind_blows_on_strands_by_their_width_and_eddies_come_from_their_seed() {
    let tip = |wind: &str, strand: &str| {
        let text = format!(
            "world.wind = {{ velocity = [0, 0, 4]{wind} }}\n[[body]]\nname = \"r\"\n\
             shape.rope = {{ from = [0, 0, 0], to = [0, -1, 0], segments = 6 }}\nmaterial.strand = {{ {strand} }}\n\
             pin = [{{ select = {{ side = \"top\" }} }}]\n"
        );
        run(&text, 30).sim.positions()[6]
    };
    let (thin, wide) = (tip("", "").z, tip("", "width = 0.02").z);
    assert!(thin > 1e-3 && wide > 2.0 * thin, "{thin} m, {wide} m");
    assert_eq!(tip(", strand_drag = 0, strand_friction = 0", "").z, 0.0);
    let eddies = |seed: usize| tip(&format!(", turbulence = {{ strength = 0.4, length = 0.8, seed = {seed} }}"), "");
    assert_eq!(eddies(1), eddies(1));
    assert!((eddies(1) - eddies(2)).length() > 1e-4);
}

/// Two ropes side by side, a hand's breadth apart; the first is held, the second hangs on it.
fn tied(attachment: &str) -> String {
    format!(
        "[[body]]\nname = \"held\"\nshape.rope = {{ from = [0, 0, 0], to = [1, 0, 0], segments = 4 }}\n\
         material.strand = {{}}\npin = [{{ select = \"all\" }}]\n\
         [[body]]\nname = \"tied\"\nshape.rope = {{ from = [0.05, -0.1, 0], to = [1.05, -0.1, 0], segments = 8 }}\n\
         material.strand = {{}}\n[[attachment]]\nfrom = {{ body = \"held\" }}\nto = {{ body = \"tied\" }}\n{attachment}\n"
    )
}

#[test]
fn nearest_vertices_are_joined_at_no_length_or_at_that_of_rest() {
    let lowest = |attachment: &str| {
        let scene = run(&format!("world.damping.drag = 5.0\n{}", tied(attachment)), 120);
        let points = scene.sim.body_positions("tied").unwrap();
        points.iter().map(|p| p.y).fold(f64::INFINITY, f64::min)
    };
    let zero = lowest("join = \"nearest\"\nstiffness = 1e3");
    assert!(zero > -0.1, "pulled up to the other: {zero}");
    let rest = lowest("join = \"nearest\"\nlength = \"rest\"\nstiffness = 1e3");
    assert!((-0.2..-0.1).contains(&rest), "at its distance: {rest}");
}

#[test]
fn attachments_that_join_nothing_are_refused_with_a_hint() {
    let error = parse(&tied("stiffness = 1e3")).unwrap_err();
    assert!(error.message.contains("5 vertices cannot be joined to 9"), "{error}");
    assert!(error.hint.as_ref().is_some_and(|hint| hint.contains("nearest")), "{error}");
    let error = parse(&tied("join = \"nearest\"\nstiffness = 1e3\nwithin = 0.01")).unwrap_err();
    assert!(error.message.contains("the nearest are 0.1") && error.place.is_some(), "{error}");
    assert_eq!(parse(&tied("join = \"nearest\"\nstiffness = -1")).unwrap_err().place.map(|(line, _)| line), Some(14));
}

#[test]
fn forces_and_winds_that_mean_nothing_are_refused_at_their_place() {
    for (section, message, line) in [
        ("[[force]]\nbody = \"box\"", "give `total` or `keyframe`", 8),
        ("[[force]]\nbody = \"box\"\ntotal = [0, nan, 0]", "total[1] is nan, which is not a number", 10),
        ("[[force]]\nbody = \"box\"\ntotal = [1, 0, 0]\nfrom = 2\nuntil = 1", "which is never", 12),
        ("[[force]]\nbody = \"bok\"\ntotal = [1, 0, 0]", "there is no body \"bok\"", 9),
        ("[output]\nformats = [\"glb\", \"usd\"]", "there is no format \"usd\"", 9),
        ("[output]\nevery = 0", "at least 1", 9),
    ] {
        let error = parse(&format!("{FLOATING}\n{section}\n")).unwrap_err();
        assert!(error.message.contains(message), "{error}");
        assert_eq!(error.place.map(|(line, _)| line), Some(line), "{error}");
    }
    let wind = |wind: &str| parse(&FLOATING.replace("world.gravity", &format!("world.wind = {wind}\nworld.gravity")));
    assert!(wind("{}").unwrap_err().message.contains("give `velocity` or `keyframe`"));
    let error = wind("{ velocity = [1, 0, 0], gust = { strength = 1, period = 0 } }").unwrap_err();
    assert!(error.message.contains("period is 0") && error.place == Some((2, 70)), "{error}");
    for (key, message) in [
        ("strand_drag = -1", "strand_drag is -1, but must be at least 0"),
        ("strand_friction = -2", "strand_friction is -2, but must be at least 0"),
        ("turbulence = { strength = -0.5 }", "strength is -0.5, but must be at least 0"),
        ("turbulence = { strength = 0.5, length = 0 }", "length is 0, but must be positive"),
        ("turbulence = { length = 1 }", "strength"),
    ] {
        let error = wind(&format!("{{ velocity = [1, 0, 0], {key} }}")).unwrap_err();
        assert!(error.message.contains(message) && error.place.is_some_and(|(line, _)| line == 2), "{error}");
    }
}
