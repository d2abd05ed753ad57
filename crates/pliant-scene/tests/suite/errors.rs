//! One error, at the right place, with a hint.
#![allow(clippy::unwrap_used)]

use pliant_scene::{Scene, SceneError};

const CURTAIN: &str = r#"title = "Curtain"

[world]
frame_rate = 60
frames = 30

[[body]]
name = "curtain"
shape.sheet = { width = 1, height = 1, columns = 8, rows = 8 }
material.cloth = { preset = "silk" }
[[body.pin]]
select = { corners = ["top-left", "top-right"] }

[[expect]]
quantity = "max-stretch"
below = 1.05
"#;

fn refused(text: &str) -> SceneError {
    let scene = match Scene::parse("scene.toml", text, &[]) {
        Err(error) => return error,
        Ok(scene) => scene,
    };
    scene.build().map(|_| ()).unwrap_err()
}

/// The error of the curtain with one replacement.
fn with(from: &str, to: &str) -> SceneError {
    assert!(CURTAIN.contains(from), "{from}");
    refused(&CURTAIN.replace(from, to))
}

#[test]
fn the_curtain_runs_as_it_is() {
    let mut run = Scene::parse("scene.toml", CURTAIN, &[]).unwrap().build().unwrap();
    (0..30).for_each(|_| drop(run.next_frame().unwrap()));
    let verdicts = run.verdicts();
    assert!(verdicts.len() == 1 && verdicts[0].holds(), "{verdicts:?}");
    assert!(verdicts[0].value > 1.0);
}

#[test]
fn matched_cloth_that_cannot_be_is_pointed_at() {
    let matched = |keys: &str| {
        let text = CURTAIN
            .replace(r#"material.cloth = { preset = "silk" }"#, &format!("material.matched-cloth = {{ {keys} }}"));
        refused(&text.replace("[world]", "[solver.position-based]\n[world]"))
    };
    for (keys, message) in [
        ("stretch = 1.5", "stretch share of matched cloth is 1.5, but must be 0 to 1"),
        ("levels = 100", "levels is 100, but must be at most 64"),
        ("fibre_length = 1", "edges of a fibre of matched cloth is 1, but must be at least 2"),
        ("warp = [0, 0, 0]", "length of the warp of matched cloth is 0"),
        ("density = 0", "density"),
    ] {
        let error = matched(keys);
        assert_eq!(error.place.map(|(line, _)| line), Some(11), "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    let text = CURTAIN.replace(r#"material.cloth = { preset = "silk" }"#, "material.matched-cloth = {}");
    let error = refused(&text.replace("[world]", "[solver.projective]\n[world]"));
    assert!(error.to_string().contains("only the position-based solver"), "{error}");
}

#[test]
fn unknown_keys_are_pointed_at_with_the_nearest_name() {
    let error = with("frame_rate", "frame_rat");
    assert_eq!(error.place, Some((4, 1)), "{error}");
    assert_eq!(error.hint.as_deref(), Some("did you mean `frame_rate`?"));
    let error = with("columns", "colums");
    assert_eq!(error.place, Some((9, 40)), "{error}");
    assert_eq!(error.hint.as_deref(), Some("did you mean `columns`?"));
    let error = with("material.cloth", "material.clot");
    assert_eq!(error.hint.as_deref(), Some("did you mean `cloth`?"), "{error}");
    let error = with("max-stretch", "max-strech");
    assert_eq!(error.hint.as_deref(), Some("did you mean `max-stretch`?"), "{error}");
}

#[test]
fn wrong_types_and_missing_keys_have_a_place() {
    assert_eq!(with("frames = 30", "frames = \"many\"").place, Some((5, 10)));
    assert_eq!(with("frames = 30", "frames = -3").place, Some((5, 10)));
    let error = with("width = 1, ", "");
    assert!(error.message.contains("the key `width` is missing"), "{error}");
    assert!(error.place.is_some());
    assert!(with("[[body]]", "[[body]").place.is_some_and(|(line, _)| line == 7));
}

#[test]
fn values_out_of_range_are_pointed_at() {
    let error = with("columns = 8", "columns = 0");
    assert_eq!(error.place, Some((9, 50)), "{error}");
    let error = with("frame_rate = 60", "frame_rate = 0");
    assert_eq!(error.place, Some((4, 14)), "{error}");
    let error = with("preset = \"silk\"", "preset = \"slik\"");
    assert!(error.message.contains("did you mean \"silk\"?"), "{error}");
    assert_eq!(error.place.map(|(line, _)| line), Some(10));
    let error = with("preset = \"silk\"", "density = -1");
    assert_eq!(error.place, Some((10, 30)), "{error}");
    assert_eq!(with("preset = \"silk\"", "youngs_modulus = 0").place, Some((10, 37)));
    let error = with("corners = [\"top-left\", \"top-right\"]", "vertices = [3, 500]");
    assert_eq!(error.place.map(|(line, _)| line), Some(12), "{error}");
    assert!(error.message.contains("no vertex 500"));
    let error = with("material.cloth = { preset = \"silk\" }", "material.solid = {}");
    assert!(error.message.contains("needs material.cloth"), "{error}");
    assert!(with("below = 1.05", "").message.contains("give `below`"));
    assert!(with("below = 1.05", "below = 1.05\nbody = \"blind\"").message.contains("no body \"blind\""));
    let error = with("columns = 8", "columns = 4000000000");
    assert!(error.message.contains("too many"), "{error}");
}

#[test]
fn an_error_shows_the_line_and_points_at_the_column() {
    let text = with("frame_rate = 60", "frame_rate = 0").to_string();
    let expected =
        "scene.toml:4:14: frame_rate is 0, but must be positive\n  |\n4 | frame_rate = 0\n  |              ^";
    assert_eq!(text, expected);
}

#[test]
fn overrides_set_values_and_refuse_what_is_not_there() {
    let set = |list: &[&str]| {
        let list: Vec<String> = list.iter().map(|s| (*s).to_owned()).collect();
        Scene::parse("scene.toml", CURTAIN, &list)
    };
    let scene =
        set(&["world.frames=7", "body.0.material.cloth.preset=denim", "world.wind.velocity=[1, 0, 0]"]).unwrap();
    assert_eq!(scene.frames(), 7);
    assert!(scene.file().world.as_ref().unwrap().wind.is_some());
    scene.build().unwrap();
    assert!(set(&["world.frams=7"]).unwrap_err().hint.is_some_and(|hint| hint.contains("frames")));
    assert!(set(&["body.3.name=x"]).unwrap_err().message.contains("there is no body.3"));
    assert!(set(&["frames"]).unwrap_err().message.contains("path=value"));
    assert!(set(&["title.x=1"]).unwrap_err().message.contains("is not a table"));
}

#[test]
fn includes_come_first_and_are_overlaid() {
    let folder = std::env::temp_dir().join(format!("pliant-scene-include-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("base.toml"), CURTAIN).unwrap();
    std::fs::write(folder.join("circle.toml"), "include = [\"circle.toml\"]").unwrap();
    let main = "include = [\"base.toml\"]\n[world]\nframes = 3\n";
    std::fs::write(folder.join("main.toml"), main).unwrap();
    let scene = Scene::read(&folder.join("main.toml"), &[]).unwrap();
    assert_eq!((scene.frames(), scene.file().body.len()), (3, 1));
    assert!(scene.build().is_ok());
    assert!(Scene::read(&folder.join("circle.toml"), &[]).unwrap_err().message.contains("circle"));
    std::fs::write(folder.join("main.toml"), "include = [\"gone.toml\"]").unwrap();
    let error = Scene::read(&folder.join("main.toml"), &[]).unwrap_err();
    assert!(error.message.contains("gone.toml") && error.place == Some((1, 12)), "{error}");
    assert!(Scene::read(&folder.join("absent.toml"), &[]).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_pinned_edge_follows_its_keyframes_and_a_handle_pulls() {
    let text = r#"
[world]
gravity = [0, 0, 0]
[[body]]
name = "bar"
shape.box = { size = [1, 0.2, 0.2], cells = [5, 1, 1] }
material.solid = { preset = "rubber" }
[[body.pin]]
select = { side = "left" }
keyframe = [{ time = 0 }, { time = 0.5, translate = [0, 1, 0] }]
[[body.handle]]
select = { side = "right" }
stiffness = 1e5
keyframe = [{ time = 0 }, { time = 0.5, translate = [0, 1, 0] }]
[[expect]]
quantity = "centre-y"
above = 0.99
below = 1.01
[[expect]]
quantity = "max-stretch"
at = "always"
below = 1.2
"#;
    let mut run = Scene::parse("bar.toml", text, &[]).unwrap().build().unwrap();
    (0..120).for_each(|_| drop(run.next_frame().unwrap()));
    for verdict in run.verdicts() {
        assert!(verdict.holds(), "{verdict:?}");
    }
}

#[test]
fn keyframes_that_mean_nothing_are_refused_at_their_place() {
    let still = "select = { corners = [\"top-left\", \"top-right\"] }";
    let keyed = |keyframes: &str| with(still, &format!("{still}\nkeyframe = [{keyframes}]"));
    for (keyframes, message) in [
        ("{ time = nan }", "time is nan, which is not a number"),
        ("{ time = 1 }, { time = 1 }", "two keyframes at 1 s"),
        ("{ time = 0, translate = [0, inf, 0] }", "translate holds inf"),
        ("{ time = 0, rotate = { axis = [0, 0, 0], degrees = 9 } }", "the axis has length 0"),
        ("{ time = 0, rotate = { axis = [0, 1, 0], degrees = inf } }", "is not finite"),
    ] {
        let error = keyed(keyframes);
        assert!(error.message.contains(message), "{error}");
        assert_eq!(error.place.map(|(line, _)| line), Some(13), "{error}");
    }
    let turned = with("material.cloth", "transform.rotate = { axis = [0, 0, 0], degrees = 9 }\nmaterial.cloth");
    assert!(turned.message.contains("the axis has length 0"), "{turned}");
}

#[test]
fn the_schema_names_every_table() {
    let schema: serde_json::Value = serde_json::from_str(&pliant_scene::json_schema()).unwrap();
    for key in ["world", "solver", "body", "collider", "contact", "attachment", "force", "expect", "include"] {
        assert!(schema["properties"][key].is_object(), "{key}");
    }
}

#[test]
fn values_of_the_wrong_type_are_refused_in_plain_words() {
    for (from, to, place, message) in [
        ("frame_rate = 60", "frame_rate = \"fast\"", (4, 14), "expected a number, but found the text \"fast\""),
        ("frames = 30", "frames = 1.5", (5, 10), "expected a whole number from 0 to 4294967295, but found 1.5"),
        ("columns = 8", "columns = -8", (9, 50), "expected a whole number, at least 0, but found -8"),
        ("below = 1.05", "below = []", (16, 9), "expected a number, but found a list"),
        ("title = \"Curtain\"", "title = 3", (1, 9), "expected text, but found 3"),
        ("title = \"Curtain\"", "include = 3", (1, 11), "expected a list, but found 3"),
        ("name = \"curtain\"", "name = \"a\"\nself_collision = 1", (9, 18), "expected true or false, but found 1"),
        (
            "name = \"curtain\"",
            "name = \"a\"\nvelocity = [1, 2]",
            (9, 12),
            "expected a list of 3 values, but found 2 in it",
        ),
        ("name = \"curtain\"", "name = \"a\"\ntransform = 7", (9, 13), "expected a table, but found 7"),
        (
            "material.cloth = { preset = \"silk\" }",
            "material = {}",
            (10, 12),
            "expected a table with one key, which names the choice, but found none",
        ),
    ] {
        let error = with(from, to);
        assert_eq!((error.message.as_str(), error.place), (message, Some(place)), "{error}");
    }
}

#[test]
fn a_world_that_follow_the_leader_does_not_serve_is_refused_at_the_solver() {
    let solver = "[solver.follow-leader]\ncorrection = 0.5\n\n[world]";
    let error = with("[world]", solver);
    assert!(error.message.contains("follow-the-leader"), "{error}");
    assert_eq!(error.place.map(|(line, _)| line), Some(3), "{error}");
    // At the integrator, where that is to blame.
    let strand = "[world]\nintegrator = \"bdf2\"\n[solver.follow-leader]\n[[body]]\nname = \"a\"\n\
                  shape.rope = { from = [0, 0, 0], to = [1, 0, 0], segments = 2 }\nmaterial.strand = {}\npin = [{ select.vertices = [0] }]\n";
    let error = refused(strand);
    assert_eq!(error.place, Some((2, 14)), "{error}");
}

#[test]
fn errors_of_the_engine_point_at_the_body_or_at_the_setting_that_is_to_blame() {
    let stalk = |integrator: &str, solver: &str| {
        format!(
            "[world]\nintegrator = \"{integrator}\"\n[solver.{solver}]\n[[body]]\nname = \"stalk\"\n\
             shape.rope = {{ from = [0, 0, 0], to = [1, 0, 0], segments = 4 }}\nmaterial.oriented = {{ radius = 0.02 }}\n"
        )
    };
    let error = refused(&stalk("bdf2", "position-based"));
    assert_eq!(error.place, Some((2, 14)), "{error}");
    let error = refused(&stalk("implicit-euler", "projective"));
    assert_eq!(error.place.map(|(line, _)| line), Some(7), "{error}");
    assert!(error.to_string().contains("choose [solver.position-based]"), "{error}");
    let tap = "[[body]]\nname = \"jet\"\nvelocity = [0, 1, 0]\nmaterial.fluid = {}\n\
               shape.emitter = { direction = [0, -1, 0], radius = 0.1, speed = 1, duration = 1, spacing = 0.05 }\n";
    let error = refused(tap);
    assert_eq!(error.place.map(|(line, _)| line), Some(3), "{error}");
    assert!(error.message.contains("as fast as its jet"), "{error}");
}

#[test]
fn a_thickness_below_the_limit_is_refused_with_it() {
    let collider = |thickness: &str| format!("{CURTAIN}\n[[collider]]\nshape.plane = {{}}\nthickness = {thickness}\n");
    for thickness in ["1e-10", "0", "-1"] {
        let error = refused(&collider(thickness));
        assert!(error.message.contains("but must be at least 1e-9"), "{error}");
        assert_eq!(error.place, Some((20, 13)), "{error}");
    }
    let error = refused(&format!("{CURTAIN}\n[self_collision]\nthickness = 1e-10\n"));
    assert_eq!(error.message, "thickness is 0.0000000001, but must be at least 1e-9");
}

#[test]
fn a_history_of_lbfgs_that_is_none_or_huge_is_refused_at_its_key() {
    for history in ["0", "17", "1000000000000"] {
        let error = refused(&format!("{CURTAIN}[solver.projective]\nacceleration.lbfgs.history = {history}\n"));
        assert_eq!(error.message, format!("history is {history}, but must be 1 to 16"));
        assert_eq!(error.place.map(|(line, _)| line), Some(18), "{error}");
    }
}

#[test]
fn more_iterations_than_a_step_could_take_are_refused() {
    for (solver, line) in [
        ("[solver.projective]\niterations = 1000000000000", 18),
        ("[solver.newton]\nwarm_start = 1000000000000", 18),
        ("[solver.position-based]\niterations = 1000000000000", 18),
        ("[strain_limiting]\nmost = 1.1\nmethod.edges.iterations = 1000000000000", 19),
    ] {
        let error = refused(&format!("{CURTAIN}{solver}\n"));
        assert!(error.message.contains("is 1000000000000, but must be at most 1000000"), "{error}");
        assert_eq!(error.place.map(|(found, _)| found), Some(line), "{error}");
    }
}

#[test]
fn a_density_tolerance_that_means_nothing_is_refused_at_its_key() {
    let water = "shape.particles = { size = [0.2, 0.2, 0.2], spacing = 0.05 }\nmaterial.fluid = {}";
    let cloth = "shape.sheet = { width = 1, height = 1, columns = 4, rows = 4 }\nmaterial.cloth = {}";
    for (body, keys, words) in [
        (water, "density_tolerance = 0", "density_tolerance is 0, but must be above 0"),
        (water, "density_tolerance = nan", "density_tolerance is nan, which is not a number"),
        (water, "density_tolerance = -0.1", "density_tolerance is -0.1, but must be above 0"),
        (water, "density_iterations = 20", "density_iterations goes with density_tolerance"),
        (
            water,
            "density_tolerance = 0.01, density_iterations = 4",
            "density_iterations is 4, but must be at least the iterations, 10",
        ),
        (cloth, "density_tolerance = 0.01", "no body of this solver is a fluid"),
    ] {
        let error =
            refused(&format!("[[body]]\nname = \"it\"\n{body}\n[solver]\nposition-based = {{ {keys} }}\n")).to_string();
        assert!(error.contains("scene.toml") && error.contains(words), "{error}");
    }
}

/// The solver of a body is answered for where it stands, line 5.
#[test]
fn a_solver_that_does_not_suit_its_body_is_refused_at_the_body() {
    let water = "shape.particles = { size = [0.2, 0.2, 0.2], spacing = 0.05 }\nmaterial.fluid = {}";
    let cloth = "shape.sheet = { width = 1, height = 1, columns = 4, rows = 4 }\nmaterial.cloth = {}";
    for (body, solver, words) in [
        (water, "newton = {}", "only the position-based solver supports"),
        (cloth, "projectiv = {}", "did you mean `projective`?"),
        (cloth, "projective = { tolerance = -1 }", "tolerance is -1, but must be at least 0"),
        (cloth, "follow-leader = {}", "supports no other energy"),
    ] {
        let error = refused(&format!("[[body]]\nname = \"it\"\n{body}\nsolver.{solver}\n")).to_string();
        assert!(error.contains("scene.toml:5:") && error.contains(words), "{error}");
    }
}

#[test]
fn a_look_that_cannot_be_is_pointed_at() {
    let output = |keys: &str| refused(&format!("{CURTAIN}[output]\n{keys}\n"));
    for (keys, value, message) in [
        ("poster = 1.5", "1.5", "poster is 1.5, but must be a share of the run, 0 to 1"),
        ("poster = -1", "-1", "poster is -1"),
        ("camera.direction = [0, 0, 0]", "[0, 0, 0]", "the direction must have a length"),
        ("camera.eye = [0, 0, 1]", "[0, 0, 1]", "a camera with `eye` also needs `target`"),
        ("camera.target = [0, 0, 1]", "[0, 0, 1]", "a camera with `target` also needs `eye`"),
        ("camera = { eye = [0, 0, 1], target = [0, 0, 1] }", "[0, 0, 1] }", "two different points"),
        ("camera = { eye = [0, 0, 1], target = [0, 0, 0], direction = [1, 0, 1] }", "[1, 0, 1]", "not both"),
        ("camera = { direction = [0, 2, 0], up = [0, 1, 0] }", "[0, 1, 0]", "`up` is the direction"),
        ("camera.up = [0, 0, 0]", "[0, 0, 0]", "`up` must have a length"),
        ("camera.field_of_view = 0", "0", "field_of_view is 0, but must be above 0 and at most 170"),
        ("camera.field_of_view = 171", "171", "field_of_view is 171"),
    ] {
        let error = output(keys);
        assert!(error.message.contains(message), "{keys}: {error}");
        assert_eq!(error.place, Some((18, keys.find(value).unwrap() + 1)), "{keys}: {error}");
    }
    for color in ["", "red", "#12345", "#1234567", "#12345g", "2f6fb5", "#äöü"] {
        let error = with("name = \"curtain\"", &format!("name = \"curtain\"\ncolor = \"{color}\""));
        assert!(error.message.contains(&format!("color is {color:?}")), "{error}");
        assert_eq!(error.place.map(|(line, _)| line), Some(9));
    }
}
