//! Training of detail: what a scene may ask for, the fine cloth that tracks the coarse one, and surfaces that show models.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use pliant::math::Vec3;
use pliant::upsample::{Method, PiuParams, TrainingSequence, TrainingSet, Upsampler};
use pliant_scene::train::{Score, Shown, Total, Training, TrainingMotion, generate, load, record};
use pliant_scene::{Scene, SceneError, SceneRun};

/// A strip that hangs from its upper edge, with a motion of each sort.
const STRIP: &str = r#"[world]
frames = 12
damping = { stiffness = 1e-3 }

[[body]]
name = "strip"
shape.sheet = { width = 0.6, height = 0.4, columns = 6, rows = 4 }
material.cloth = { preset = "cotton" }
upsample = { levels = 1 }
pin = [{ select = { side = "top" } }]

[train]
solver.newton = {}
methods = ["piu"]

[[train.motion]]
name = "still"
set = ["world.gravity=[0, 0, 0]"]

[[train.motion]]
name = "pressed"
frames = 24
set = ["body.0.pin.0.select={ side = \"left\" }"]
carry = [{ translate = [0.1, 0, 0.05], period = 1 }, { degrees = 20, period = 1 }]

[[train.motion]]
name = "gusts"
random = { seed = 3, period = 0.3, acceleration = 5, translation = 0.02, degrees = 5 }

[[train.motion]]
name = "blown"
held_out = true
set = ["world.wind.velocity=[0, 0, 4]"]
"#;

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse("scene.toml", text, &[])
}

fn training(text: &str) -> Training {
    Training::new(&parse(text).unwrap()).unwrap()
}

fn motion<'a>(training: &'a Training, name: &str) -> &'a TrainingMotion {
    training.motions().iter().find(|motion| motion.name == name).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("pliant-train-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    dir
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max(a.distance(*b)))
}

fn smooth(training: &Training, coarse: &[Vec3]) -> Vec<Vec3> {
    let mut out = vec![Vec3::ZERO; training.refinement().vertex_counts()[1]];
    training.refinement().smooth(coarse, &mut out).unwrap();
    out
}

#[test]
fn a_sheet_at_rest_that_is_tracked_stays_where_it_is() {
    let training = training(STRIP);
    let mut run = training.start(motion(&training, "still")).unwrap();
    (0..12).for_each(|_| run.next_frame().unwrap());
    assert!(farthest(run.fine(), &training.refinement().fine_mesh().positions) < 1e-9);
    assert!(run.largest_offset() < 1e-12);
}

#[test]
fn averages_of_positions_and_velocities_follow_and_detail_is_free() {
    let training = training(STRIP);
    for name in ["pressed", "gusts"] {
        let mut run = training.start(motion(&training, name)).unwrap();
        let (mut moved, mut speed) = (0.0_f64, 0.0_f64);
        for _ in 0..24 {
            run.next_frame().unwrap();
            let surface = smooth(&training, run.coarse());
            moved = moved.max(farthest(run.fine(), &surface));
            speed = run.fine_simulation().velocities().iter().fold(speed, |most, v| most.max(v.length()));
        }
        let [positions, velocities] = run.offsets();
        assert!(run.largest_offset() < 1e-3, "{name}: averages are off by {} m", run.largest_offset());
        assert!(positions <= run.largest_offset());
        assert!(velocities < 0.1 * speed, "{name}: {velocities} of {speed} m/s");
        assert!(
            moved > 4.0 * run.largest_offset(),
            "{name}: detail of {moved} m, averages off by {}",
            run.largest_offset()
        );
    }
}

#[test]
fn stiffer_tracking_follows_more_closely() {
    let offset = |stiffness: &str| {
        let training = training(&STRIP.replace("methods", &format!("tracking = {stiffness}\nmethods")));
        let mut run = training.start(motion(&training, "pressed")).unwrap();
        (0..24).for_each(|_| run.next_frame().unwrap());
        run.largest_offset()
    };
    let [loose, tight] = [offset("1e2"), offset("1e4")];
    assert!(tight < 0.1 * loose, "{tight} m and {loose} m");
}

/// A ribbon whose coarse form only gets shorter: it has one cell across.
#[test]
fn a_fine_cloth_wrinkles_where_the_coarse_one_is_compressed() {
    let text = r#"[world]
frames = 30
gravity = [0, 0, 0]
damping = { drag = 2 }

[[body]]
name = "ribbon"
shape.sheet = { width = 0.4, height = 0.2, columns = 4, rows = 2 }
material.cloth = { preset = "cotton", bend_model = "hinge", bending_stiffness = 1 }
upsample = { levels = 2 }
pin = [{ select = { side = "left" } }, { select = { side = "right" }, keyframe = [
  { time = 0 }, { time = 0.4, translate = [-0.05, 0, 0] }] }]

[train]
cloth = { preset = "silk" }
solver.newton = {}
[[train.motion]]
name = "pressed"
[[train.motion]]
name = "shaken"
random = { seed = 1, period = 0.2, acceleration = 2 }
"#;
    let training = training(text);
    let mut run = training.start(motion(&training, "shaken")).unwrap();
    (0..30).for_each(|_| run.next_frame().unwrap());
    let length = |x: &[Vec3], triangles: &[[u32; 3]]| -> f64 {
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| x[v as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        triangles.iter().map(area).sum()
    };
    let meshes = [training.refinement().coarse_mesh(), training.refinement().fine_mesh()];
    let [coarse, fine] = [(run.coarse(), meshes[0]), (run.fine(), meshes[1])]
        .map(|(x, mesh)| length(x, &mesh.triangles) / length(&mesh.positions, &mesh.triangles));
    assert!(coarse < 0.975, "the coarse cloth has {coarse} of its area");
    assert!(1.0 - fine < 0.5 * (1.0 - coarse), "the fine one has {fine}, the coarse one {coarse}");
}

#[test]
fn an_interrupted_motion_goes_on_bit_for_bit() {
    let (training, dir) = (training(STRIP), folder("resumed"));
    let gusts = motion(&training, "gusts");
    let mut whole = training.start(gusts).unwrap();
    (0..12).for_each(|_| whole.next_frame().unwrap());
    // As if it was interrupted after seven frames.
    let short = self::training(&STRIP.replace("name = \"gusts\"", "name = \"gusts\"\nframes = 7"));
    generate(&short, motion(&short, "gusts"), &dir, |_| {}, |note| panic!("{note}")).unwrap();
    let error = load(&training, gusts, &dir).unwrap_err().to_string();
    assert!(error.contains("holds 8 frames of motion \"gusts\", which has 13"), "{error}");
    let mut last = 0;
    generate(&training, gusts, &dir, |frame| last = frame, |note| panic!("{note}")).unwrap();
    assert_eq!(last, 12);
    let loaded = load(&training, gusts, &dir).unwrap();
    assert_eq!((loaded.frames.len(), loaded.frame_seconds), (13, 1.0 / 60.0));
    assert_eq!((&loaded.frames[12].coarse[..], &loaded.frames[12].fine[..]), (whole.coarse(), whole.fine()));
    assert_eq!(loaded, recorded(&training, "gusts"));
    // Nothing is simulated a second time.
    let offset = generate(&training, gusts, &dir, |frame| last += frame, |note| panic!("{note}")).unwrap();
    assert_eq!((last, offset), (24, 0.0));
    std::fs::remove_dir_all(dir).unwrap();
}

fn recorded(training: &Training, name: &str) -> TrainingSequence {
    record(training, motion(training, name)).unwrap().0
}

/// A model in a file, learnt from two motions of the strip.
fn model(training: &Training, dir: &Path) -> (Upsampler, PathBuf) {
    let set = TrainingSet { sequences: vec![recorded(training, "pressed"), recorded(training, "gusts")] };
    let method = Method::Piu(PiuParams::default());
    let (model, _) = Upsampler::fit(training.refinement(), &set, &method).unwrap();
    std::fs::create_dir_all(dir).unwrap();
    let file = dir.join("piu.upsample");
    std::fs::write(&file, model.to_bytes()).unwrap();
    (model, file)
}

fn built(text: &str) -> SceneRun {
    parse(text).unwrap().build().unwrap()
}

#[test]
fn a_body_shows_its_model_and_is_resumed_with_it() {
    let (training, dir) = (training(STRIP), folder("model"));
    let (model, file) = model(&training, &dir);
    let with_model =
        STRIP.replace("levels = 1", &format!("levels = 1, model = {:?}, thickness = 0", file.to_str().unwrap()));
    let mut run = built(&with_model);
    (0..8).for_each(|_| drop(run.next_frame().unwrap()));
    let (saved, fine) = (run.save(), run.stored_positions(run.sim.positions()));
    assert_eq!(run.topology().vertex_count(), training.refinement().vertex_counts()[1]);
    let mut expected = vec![Vec3::ZERO; fine.len()];
    model.apply(&mut model.state(), run.sim.positions(), 1.0 / 60.0, &mut expected).unwrap();
    assert_eq!(fine, expected);
    // Also where the simulation is not, as in frames that are read again.
    let elsewhere: Vec<Vec3> = run.sim.positions().iter().map(|p| *p + 0.1 * Vec3::X).collect();
    let moved: Vec<Vec3> = fine.iter().map(|p| *p + 0.1 * Vec3::X).collect();
    assert!(farthest(&run.stored_positions(&elsewhere), &moved) < 1e-9);
    assert!(farthest(&fine, &smooth(&training, run.sim.positions())) > 1e-5, "the model adds detail");
    // Velocities are interpolated, and so are numbers.
    let ones = run.stored(&vec![1.0; run.sim.positions().len()]);
    assert!(ones.len() == fine.len() && ones.iter().all(|one: &f64| (one - 1.0).abs() < 1e-12));
    (0..4).for_each(|_| drop(run.next_frame().unwrap()));
    let mut resumed = built(&with_model);
    resumed.restore(&saved).unwrap();
    assert_eq!(resumed.stored_positions(resumed.sim.positions()), fine);
    (0..4).for_each(|_| drop(resumed.next_frame().unwrap()));
    assert_eq!(resumed.stored_frame().positions, run.stored_frame().positions);
    // Without a model the surface is smooth.
    let mut plain = built(STRIP);
    (0..8).for_each(|_| drop(plain.next_frame().unwrap()));
    assert_eq!(plain.stored_positions(plain.sim.positions()), smooth(&training, plain.sim.positions()));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_gpu_shows_what_the_engine_shows() {
    let on_gpu = |text: &str| text.replace("levels = 1", "levels = 1, gpu = true");
    if !crate::gpu::has_adapter() {
        let error = refused(&on_gpu(STRIP));
        assert!(error.message.contains("GPU"), "{error}");
        return;
    }
    let (training, dir) = (training(STRIP), folder("model-on-gpu"));
    let (_, file) = model(&training, &dir);
    let with_model = STRIP.replace("levels = 1", &format!("levels = 1, model = {:?}", file.to_str().unwrap()));
    for text in [STRIP, &with_model] {
        let [mut exact, mut shown] = [built(text), built(&on_gpu(text))];
        for _ in 0..8 {
            exact.next_frame().unwrap();
            shown.next_frame().unwrap();
        }
        assert_eq!(exact.sim.positions(), shown.sim.positions());
        let [exact, shown] = [&exact, &shown].map(|run| run.stored_positions(run.sim.positions()));
        let off = farthest(&exact, &shown);
        assert!(off > 0.0 && off < 1e-6, "{off}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn what_methods_show_is_measured_beside_the_fine_simulation() {
    let (training, dir) = (training(STRIP), folder("scores"));
    let (model, _) = model(&training, &dir);
    let (refinement, sequence) = (training.refinement(), recorded(&training, "pressed"));
    let smooth = Shown::smooth(refinement, &sequence).unwrap().score(refinement, &sequence).unwrap();
    let shown = Shown::model(&model, &sequence).unwrap().score(refinement, &sequence).unwrap();
    assert!(shown.report.l2 < 0.7 * smooth.report.l2, "{} and {}", shown.report.l2, smooth.report.l2);
    let squares: f64 = smooth.frames.iter().map(|error| error * error).sum::<f64>() / smooth.frames.len() as f64;
    assert!((squares.sqrt() - smooth.report.l2).abs() < 1e-9 * smooth.report.l2);
    // Motions count by their frames.
    let short = Score { frames: smooth.frames[..smooth.frames.len() / 5].to_vec(), ..shown.clone() };
    let short = Score { method: "smooth".to_owned(), ..short };
    let totals = Total::of_all([&smooth, &shown, &smooth].into_iter());
    assert_eq!(totals.iter().map(|total| &total.method[..]).collect::<Vec<_>>(), ["smooth", "piu"]);
    assert!((totals[0].l2 - smooth.report.l2).abs() < 1e-12 && totals[1].largest == shown.report.largest);
    let pooled = Total::of_all([&smooth, &short].into_iter())[0].l2;
    let squares = [&smooth, &short].map(|score| score.frames.len() as f64 * score.report.l2.powi(2));
    let frames = (smooth.frames.len() + short.frames.len()) as f64;
    assert!((pooled - ((squares[0] + squares[1]) / frames).sqrt()).abs() < 1e-12);
    let wrinkles = Shown::wrinkles(refinement, &sequence).unwrap();
    assert_eq!(wrinkles.frames.len(), sequence.frames.len());
    let own = Shown { method: "fine".to_owned(), frames: sequence.frames.iter().map(|f| f.fine.clone()).collect() };
    let own = own.score(refinement, &sequence).unwrap().report;
    assert_eq!((own.l2, own.largest), (0.0, 0.0));
    std::fs::remove_dir_all(dir).unwrap();
}

fn refused(text: &str) -> SceneError {
    let tried = parse(text).and_then(|scene| scene.build().map(|_| scene)).and_then(|scene| Training::new(&scene));
    tried.err().unwrap_or_else(|| panic!("it is accepted:\n{text}"))
}

#[test]
fn bad_training_is_refused_at_its_place() {
    let line_of = |text: &str, start: &str| {
        let lines: Vec<&str> = text.lines().collect();
        lines.iter().rposition(|line| line.starts_with(start)).unwrap() + 1
    };
    let carry = "carry = [{ translate = [0.1, 0, 0.05], period = 1 }, { degrees = 20, period = 1 }]";
    let random = "random = { seed = 3, period = 0.3, acceleration = 5, translation = 0.02, degrees = 5 }";
    let methods = "methods = [\"piu\"]";
    for (from, to, at, message) in [
        (methods, "methods = []", "methods", "methods is empty"),
        (methods, "methods = [\"pui\"]", "methods", "pui"),
        (methods, "tracking = 0.5", "tracking", "tracking is 0.5, but must be 1 to 1e8"),
        (methods, "poses = 0", "poses", "poses is 0, but must be 1 to 64"),
        (methods, "piu_modes = 33", "piu_modes", "piu_modes is 33, but must be 0 to 32"),
        (methods, "piu_regularisation = -1", "piu_reg", "piu_regularisation is -1, but must be finite"),
        (methods, "cloth = { preset = \"wool\" }", "cloth", "wool"),
        ("solver.newton = {}", "solver.projective = { iterations = 10000000 }", "solver", "iterations"),
        (methods, "skipp = 1", "skipp", "skipp"),
        ("name = \"still\"", "name = \"../still\"", "name = \"../still\"", "must be of letters, digits, - and _"),
        ("name = \"still\"", "name = \"gusts\"", "name = \"gusts\"", "two motions are named \"gusts\""),
        ("frames = 24", "frames = 0", "frames = 0", "frames is 0, but must be 1 to 1000000"),
        (carry, "carry = [{ degrees = 20, period = 0 }]", "carry", "period is 0, but must be positive"),
        (carry, "carry = [{ degrees = 20, axis = [0, 0, 0] }]", "carry", "the axis has length 0"),
        (random, "random = { period = -1 }", "random", "period is -1, but must be positive"),
        (random, "random = { period = 1, acceleration = -1 }", "random", "acceleration is -1"),
        ("held_out = true\n", "held_out = true\nset = [\"body.0.nmae=x\"]\n#", "set = [\"body.0.nmae", "nmae"),
        ("levels = 1", "levels = 7", "upsample", "levels is 7, but must be 1 to 6"),
        ("levels = 1", "fine = \"none.obj\"", "upsample", "none.obj"),
        ("levels = 1", "thickness = 1", "upsample", "give `levels` or `fine`"),
        ("levels = 1", "levels = 1, thickness = -1", "upsample", "thickness is -1, but must be finite"),
        ("levels = 1", "levels = 1, model = \"none.upsample\"", "upsample", "none.upsample"),
        ("upsample = { levels = 1 }", "", "[train]", "has no `upsample`"),
        ("pin = ", "tear = { stretch = 1.3 }\npin = ", "tear", "a body with `upsample` cannot tear"),
        ("pin = ", "wrinkles = { subdivisions = 1 }\npin = ", "upsample", "`wrinkles` or `upsample`, not both"),
        ("pin = ", "from = 0.1\npin = ", "from", "cannot come or go"),
        (
            "material.cloth = { preset = \"cotton\" }",
            "material.matched-cloth = {}",
            "material",
            "training is for cloth: material.cloth",
        ),
    ] {
        assert!(STRIP.contains(from), "{from}");
        let text = STRIP.replacen(from, to, 1);
        let error = refused(&text);
        assert!(error.to_string().contains(message), "{to}: {error}");
        assert_eq!(error.place.unwrap().0, line_of(&text, at), "{to}: {error}");
    }
    let skipped = refused(&STRIP.replace(methods, "skip = 12"));
    assert!(skipped.to_string().contains("motion \"still\" has 12 frames, of which 12 are skipped"), "{skipped}");
    let without = refused(&STRIP[..STRIP.find("[train]").unwrap()]);
    assert!(without.to_string().contains("the scene has no [train] table"), "{without}");
    let all_held_out = STRIP.replace("[[train.motion]]\n", "[[train.motion]]\nheld_out = true\n");
    let all_held_out =
        refused(&all_held_out.replace("held_out = true\nname = \"blown\"\nheld_out", "name = \"blown\"\nheld_out"));
    assert!(all_held_out.to_string().contains("there is no motion to learn from"), "{all_held_out}");
}

#[test]
fn a_model_for_another_mesh_or_a_damaged_one_is_refused_by_name() {
    let (training, dir) = (training(STRIP), folder("other"));
    let (_, file) = model(&training, &dir);
    let named = format!("levels = 1, model = {:?}", file.to_str().unwrap());
    let scene = STRIP.replace("levels = 1", &named);
    assert!(parse(&scene).unwrap().build().is_ok());
    let other = refused(&scene.replace("columns = 6", "columns = 7"));
    assert!(other.to_string().contains("was made for another coarse mesh"), "{other}");
    assert!(other.to_string().contains("piu.upsample"), "{other}");
    let finer = refused(&scene.replace("levels = 1", "levels = 2"));
    assert!(finer.to_string().contains("was made for another fine mesh"), "{finer}");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    let damaged = refused(&scene);
    assert!(damaged.to_string().contains("damaged"), "{damaged}");
    std::fs::write(&file, &bytes[..middle]).unwrap();
    assert!(refused(&scene).to_string().contains("damaged"));
    std::fs::write(&file, "[world]").unwrap();
    assert!(refused(&scene).to_string().contains("not a Pliant upsampling model"));
    std::fs::remove_dir_all(dir).unwrap();
}
