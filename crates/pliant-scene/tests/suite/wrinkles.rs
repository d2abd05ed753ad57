//! Wrinkles of scene files.
#![allow(clippy::unwrap_used)]

use pliant::math::Vec3;
use pliant_io::read::{ReadOptions, read_mesh};
use pliant_io::store::{RunInfo, RunStore};
use pliant_io::write::{ExportFormat, ExportOptions, export};
use pliant_scene::format::Quantity;
use pliant_scene::{Scene, SceneError, SceneRun};

/// A ribbon that is pressed together by 10 %, beside a rope that is stored before it.
const PRESSED: &str = r#"[world]
frames = 20
gravity = [0, 0, 0]

[[body]]
name = "rope"
shape.rope = { from = [1, 1, 0], to = [2, 1, 0], segments = 3 }
material.strand = { preset = "cord" }

[[body]]
name = "cloth"
shape.sheet = { width = 1, height = 0.5, columns = 8, rows = 4 }
material.cloth = { youngs_modulus = 2e4, bend_model = "hinge", bending_stiffness = 1 }
wrinkles = { subdivisions = 2, reach = 0.04 }
[[body.pin]]
select = { side = "left" }
[[body.pin]]
select = { side = "right" }
keyframe = [{ time = 0 }, { time = 0.3, translate = [-0.1, 0, 0] }]
"#;

fn build(text: &str) -> SceneRun {
    Scene::parse("scene.toml", text, &[]).unwrap().build().unwrap()
}

fn ran(mut run: SceneRun, frames: usize) -> SceneRun {
    (0..frames).for_each(|_| drop(run.next_frame().unwrap()));
    run
}

fn refused(text: &str) -> SceneError {
    Scene::parse("scene.toml", text, &[]).and_then(|scene| scene.build().map(|_| ())).unwrap_err()
}

/// How far the cloth of a stored frame goes out of its plane.
fn height(positions: &[Vec3]) -> f64 {
    positions.iter().map(|p| p.z).fold(0.0, f64::max)
}

/// Positions as they are stored now.
fn now(run: &SceneRun) -> Vec<Vec3> {
    run.stored_positions(run.sim.positions())
}

#[test]
fn the_fine_surface_keeps_its_edges_while_the_coarse_one_is_pressed_together() {
    let run = ran(build(PRESSED), 20);
    let (coarse, fine) =
        (run.measure(Quantity::MinStretch, Some("cloth")), run.measure(Quantity::MaxWrinkleStrain, Some("cloth")));
    assert!(coarse < 0.93, "{coarse}");
    assert!(fine < 0.01, "{fine}");
    assert_eq!(run.measure(Quantity::MaxWrinkleStrain, Some("rope")), 0.0);
    let frame = run.stored_frame();
    // 33 × 17 vertices of the fine sheet in place of 9 × 5, after 4 of the rope.
    assert_eq!((frame.positions.len(), run.topology().vertex_count()), (4 + 33 * 17, 4 + 33 * 17));
    assert_eq!(frame.velocities.as_ref().unwrap().len(), 4 + 33 * 17);
    assert_eq!(frame.positions[..4], run.sim.positions()[..4]);
    let [coarse, fine] = [height(&run.sim.positions()[4..]), height(&frame.positions[4..])];
    assert!(fine > 0.01 && coarse < 1e-4, "{fine} m above the plane, the coarse one {coarse} m");
}

#[test]
fn exports_carry_the_wrinkled_surface() {
    let folder = std::env::temp_dir().join(format!("pliant-wrinkles-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let run = ran(build(PRESSED), 20);
    let mut store = RunStore::create(folder.join("run"), run.topology(), &RunInfo::default()).unwrap();
    store.write_frame(0, &run.stored_frame()).unwrap();
    let options = ExportOptions { bodies: Some(vec!["cloth".to_owned()]), ..ExportOptions::default() };
    for (format, name) in [(ExportFormat::Obj, "cloth.obj"), (ExportFormat::Glb, "cloth.glb")] {
        let written = export(&store, format, folder.join(name), &options).unwrap();
        let mesh = read_mesh(&written.files[0], &ReadOptions::default()).unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (33 * 17, 2 * 32 * 16), "{format:?}");
        assert!((height(&mesh.positions) - height(&now(&run)[4..])).abs() < 1e-6, "{format:?}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_resumed_run_has_the_same_wrinkles_to_the_bit() {
    let half = ran(build(PRESSED), 8);
    let saved = half.save();
    let whole = ran(half, 6);
    let mut resumed = build(PRESSED);
    resumed.restore(&saved).unwrap();
    let resumed = ran(resumed, 6);
    assert_eq!(now(&whole), now(&resumed));
    // The wrinkles are a matter of what came before: a run that was not resumed with them has others.
    let without = ran(build(PRESSED), 1);
    assert_ne!(now(&without), now(&whole));
    let mut broken = build(PRESSED);
    assert!(broken.restore(&saved[..saved.len() / 2]).is_err());
}

#[test]
fn wrinkles_that_are_not_numbers_are_refused_and_nothing_has_changed() {
    let mut run = ran(build(PRESSED), 1);
    let mut saved = run.save();
    run = ran(run, 1);
    let (moment, frame) = (now(&run), run.frame());
    // Frame, cuts, bodies that came or went and the number of expectations stand before the expectations, of two numbers
    // each, and those before the wrinkles.
    let at = 8 * (4 + 2 * run.verdicts().len());
    saved[at..at + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    let error = run.restore(&saved).unwrap_err().to_string();
    assert!(error.contains("number 0 of channel \"wrinkles\"") && error.contains("NaN"), "{error}");
    assert_eq!((run.frame(), now(&run)), (frame, moment));
}

#[test]
fn bad_wrinkles_are_refused_at_their_place() {
    let line = |text: &str| PRESSED.lines().position(|line| line.starts_with(text)).unwrap() + 1;
    let own = "wrinkles = { subdivisions = 2, reach = 0.04 }";
    for (wrinkles, message) in [
        ("wrinkles = { subdivisions = 2, reach = -1 }", "reach is -1, but must be positive"),
        ("wrinkles = { subdivisions = 0 }", "subdivisions is 0, but must be 1 to 6"),
        ("wrinkles = { subdivisions = 2, bending = 1.5 }", "bending is 1.5, but must be 0 to 1"),
        ("wrinkles = { subdivisions = 2, tolerance = -0.1 }", "tolerance is -0.1, but must be zero or more"),
        ("wrinkles = { subdivisions = 2, raech = 0.1 }", "raech"),
        ("wrinkles = { reach = 0.1 }", "subdivisions"),
    ] {
        let error = refused(&PRESSED.replace(own, wrinkles));
        assert!(error.to_string().contains(message), "{error}");
        assert_eq!(error.place.unwrap().0, line("wrinkles"), "{error}");
    }
    let torn = refused(&PRESSED.replace(own, &format!("{own}\ntear = {{ stretch = 1.3 }}")));
    assert!(torn.to_string().contains("a body with wrinkles cannot tear"), "{torn}");
    let cut = "\n[[cut]]\nbody = \"cloth\"\ntime = 0.1\nplane = { point = [0, 0, 0], normal = [1, 0, 0] }\n";
    let cut = refused(&format!("{PRESSED}{cut}"));
    assert!(cut.to_string().contains("which do not follow a cut"), "{cut}");
    let rope = PRESSED.replace(own, "").replace("material.strand", &format!("{own}\nmaterial.strand"));
    let rope = refused(&rope);
    assert!(rope.to_string().contains("only a surface that deforms can wrinkle"), "{rope}");
}
