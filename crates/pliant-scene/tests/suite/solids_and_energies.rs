//! Solids from signed distances, single energies, and example poses.
#![allow(clippy::unwrap_used)]

use pliant::energy::LIST;
use pliant_scene::format::Quantity;
use pliant_scene::{Scene, SceneError, SceneRun};

fn parse(text: &str) -> Result<SceneRun, SceneError> {
    Scene::parse("scene.toml", text, &[])?.build()
}

fn volume(solid: &str) -> f64 {
    let text = format!(
        "[[body]]\nname = \"s\"\nshape.sdf = {{ cells = 16, solid = {solid} }}\nmaterial.solid = {{ density = 1 }}\n"
    );
    let run = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    run.sim.model().mass().lumped().iter().sum()
}

#[track_caller]
fn assert_volume(solid: &str, expected: f64, tolerance: f64) {
    let found = volume(solid);
    assert!((found / expected - 1.0).abs() < tolerance, "{solid}: found {found}, expected {expected}");
}

#[test]
fn solids_and_their_combinations_have_their_volumes() {
    use std::f64::consts::PI;
    let ball = 4.0 / 3.0 * PI;
    assert_volume("{ sphere = { radius = 1 } }", ball, 0.04);
    assert_volume("{ box = { size = [1, 2, 3], centre = [5, 0, 0] } }", 6.0, 0.04);
    assert_volume("{ capsule = { from = [0, 0, 0], to = [2, 0, 0], radius = 1 } }", ball + 2.0 * PI, 0.04);
    assert_volume("{ torus = { radius = 1, tube_radius = 0.4 } }", 2.0 * PI * PI * 0.16, 0.05);
    assert_volume("{ cylinder = { radius = 1, length = 2 } }", 2.0 * PI, 0.04);
    let pair = "of = [{ sphere = { radius = 1 } }, { sphere = { radius = 1, centre = [1, 0, 0] } }]";
    // Two balls a radius apart share a lens of 5π/12.
    let lens = 5.0 / 12.0 * PI;
    assert_volume(&format!("{{ union = {{ {pair} }} }}"), 2.0 * ball - lens, 0.04);
    assert_volume(&format!("{{ intersection = {{ {pair} }} }}"), lens, 0.08);
    assert_volume(&format!("{{ difference = {{ {pair} }} }}"), ball - lens, 0.05);
    assert!(volume(&format!("{{ smooth-union = {{ radius = 0.5, {pair} }} }}")) > 1.01 * (2.0 * ball - lens));
    assert_volume("{ offset = { distance = 0.5, of = { sphere = { radius = 0.5 } } } }", ball, 0.04);
    let turned = "rotate = { axis = [1, 2, 3], degrees = 40 }, translate = [1, 1, 1]";
    assert_volume(
        &format!("{{ transform = {{ scale = 2, {turned}, of = {{ sphere = {{ radius = 0.5 }} }} }} }}"),
        ball,
        0.02,
    );
}

#[test]
fn solids_that_are_none_are_refused_at_their_place() {
    let solid = |shape: &str| {
        let text = format!("[[body]]\nname = \"s\"\nmaterial.solid = {{}}\nshape.sdf.{shape}\n");
        parse(&text).unwrap_err()
    };
    // What is wrong, the message, and the text that is pointed at.
    for (shape, message, pointed) in [
        ("solid.sphere = { radius = -1 }", "radius is -1", "-1"),
        ("solid.union.of = [{ sphere.radius = 1 }, { box.size = [1, 0, 1] }]", "size is 0", "[1, 0, 1]"),
        ("solid.union.of = []", "needs at least one solid", "[]"),
        ("solid.spere = { radius = 1 }", "there is no choice `spere`", "spere"),
        ("solid.sphere = { radius = 1, center = [0, 0, 0] }", "center", "center"),
        ("solid.offset = { distance = nan, of.sphere.radius = 1 }", "distance is nan, which is not a number", "nan"),
        ("cells = 0\nshape.sdf.solid.sphere.radius = 1", "at least 1 cell", "0"),
    ] {
        let error = solid(shape);
        assert!(error.message.contains(message), "{error}");
        let (line, column) = error.place.unwrap();
        assert!(line == 4 && error.excerpt.as_ref().unwrap()[column - 1..].starts_with(pointed), "{error}");
    }
    assert_eq!(solid("solid.spere = { radius = 1 }").hint.as_deref(), Some("did you mean `sphere`?"));
    let apart = "solid.union.of = [{ sphere = { radius = 1 } }, { sphere = { radius = 1, centre = [9, 0, 0] } }]";
    let error = solid(apart);
    assert!(error.message.contains("falls into 2 pieces") && error.hint.is_some(), "{error}");
}

#[test]
fn a_shape_can_be_that_of_an_earlier_body() {
    let first = "[[body]]\nname = \"a\"\nshape.sdf = { cells = 6, solid.sphere.radius = 1 }\nmaterial.solid = {}\n";
    let second = |of: &str| {
        format!(
            "{first}[[body]]\nname = \"b\"\nshape.like.body = \"{of}\"\ntransform.translate = [0, 5, 0]\nmaterial.solid = {{}}\n"
        )
    };
    let run = parse(&second("a")).unwrap();
    let (a, b) = (run.sim.body_positions("a").unwrap(), run.sim.body_positions("b").unwrap());
    assert!(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (b.y - a.y - 5.0).abs() < 1e-12));
    let error = parse(&second("b")).unwrap_err();
    assert!(error.message.contains("no body \"b\" before this one"), "{error}");
    assert_eq!(error.place, Some((7, 19)), "{error}");
}

/// One use of each energy, by its key in the engine's list, on a surface or a solid.
fn use_of(key: &str) -> (&'static str, &'static str) {
    match key {
        "edge_spring" => {
            ("sheet", "{ edge_spring = { axial_stiffness = 10, limits = [0.9, 1.1], select = { side = \"left\" } } }")
        }
        "triangle_strain" => ("sheet", "{ triangle_strain = { stiffness = 10, limits = [0.9, 1.1] } }"),
        "tet_strain" => {
            ("box", "{ tet_strain = { stiffness = 10, select = { box = { min = [-1, -1, -1], max = [0, 1, 1] } } } }")
        }
        "triangle_area" => ("sheet", "{ triangle_area = { stiffness = 10 } }"),
        "tet_volume" => ("box", "{ tet_volume = { stiffness = 10, bounds = [0.8, 1.2] } }"),
        "example_local" => (
            "box",
            "{ example_local = { stiffness = 10, pose = [{ deform = [{ stretch = { factors = [2, 1, 1] } }] }] } }",
        ),
        "example_global" => (
            "box",
            "{ example_global = { stiffness = 10, pose = [{ deform = [{ twist = { axis = [1, 0, 0], degrees = 30 } }] }] } }",
        ),
        "plate" => ("sheet", "{ plate = { stiffness = 1e-3, poisson_ratio = 0.3 } }"),
        "bending" => ("sheet", "{ bending = { stiffness = 1e-3 } }"),
        "hinge" => ("sheet", "{ hinge = { stiffness = 1e-3, degrees = 10 } }"),
        "position" => ("sheet", "{ position = { stiffness = 10, select = { side = \"top\" } } }"),
        "average" => ("sheet", "{ average = { stiffness = 10, select = { side = \"top\" } } }"),
        "half_space" => ("box", "{ half_space = { stiffness = 10, point = [0, 0, 0], normal = [0, 1, 0] } }"),
        "rigid" => {
            ("box", "{ rigid = { stiffness = 1e4, select = { box = { min = [-1, -1, -1], max = [0, 1, 1] } } } }")
        }
        other => panic!("energy {other:?} cannot be had in a scene file"),
    }
}

#[test]
fn every_energy_of_the_engine_can_stand_in_a_scene_file() {
    for info in LIST {
        let (shape, energy) = use_of(info.key);
        let shape = match shape {
            "sheet" => "shape.sheet = { width = 1, height = 1, columns = 4, rows = 4 }",
            _ => "shape.box = { size = [1, 1, 1], cells = [2, 2, 2] }",
        };
        let text =
            format!("[[body]]\nname = \"s\"\n{shape}\nmaterial.bare = {{ density = 10 }}\nenergy = [{energy}]\n");
        let mut run = parse(&text).unwrap_or_else(|error| panic!("{error}"));
        let kinds: Vec<&str> = run.sim.model().energies().iter().map(|entry| entry.batch.kind()).collect();
        assert_eq!(kinds, [info.key], "bare masses have the energies that are given, and no others");
        run.next_frame().unwrap();
        // And a bad stiffness is pointed at.
        let error = parse(&text.replace("stiffness = 1", "stiffness = -1")).unwrap_err();
        assert_eq!(error.place.map(|(line, _)| line), Some(5), "{error}");
        let column = text.lines().nth(4).unwrap().find("stiffness = ").unwrap() + "stiffness = ".len() + 1;
        assert_eq!(error.place.map(|(_, column)| column), Some(column), "{}: {error}", info.key);
    }
}

#[test]
fn goals_of_energies_do_not_shift_those_of_handles() {
    let text = r#"
world.gravity = [0, 0, 0]
[[body]]
name = "bar"
shape.box = { size = [1, 0.2, 0.2], cells = [4, 1, 1] }
material.solid = { preset = "rubber" }
energy = [{ position = { stiffness = 1e5, select = { side = "left" } } }]
handle = [{ select = { side = "right" }, stiffness = 1e5, keyframe = [{ time = 0.1, translate = [0.2, 0, 0] }] }]
"#;
    let mut run = parse(text).unwrap();
    (0..60).for_each(|_| drop(run.next_frame().unwrap()));
    let points = run.sim.body_positions("bar").unwrap();
    let (low, high) = points.iter().fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p.x), b.max(p.x)));
    assert!((low + 0.5).abs() < 0.1 && (high - 0.7).abs() < 0.1, "{low} {high}");
}

/// A bar that is pulled to twice its length: soft towards its example, which is just that; stiff without it.
#[test]
fn an_example_pose_makes_a_body_soft_towards_it() {
    let stretch = |pose: &str| {
        let text = format!(
            "world.gravity = [0, 0, 0]\nworld.damping.deformation = 5.0\n[[body]]\nname = \"bar\"\n\
             shape.box = {{ size = [1, 0.2, 0.2], cells = [4, 1, 1] }}\n\
             material.solid = {{ youngs_modulus = 1e3, poisson_ratio = 0 }}\npin = [{{ select = {{ side = \"left\" }} }}]\n\
             energy = [{{ example_global = {{ stiffness = 1e5, pose = [{pose}] }} }}]\n\
             [[force]]\nbody = \"bar\"\nselect = {{ side = \"right\" }}\ntotal = [20, 0, 0]\n"
        );
        let mut run = parse(&text).unwrap_or_else(|error| panic!("{error}"));
        (0..90).for_each(|_| drop(run.next_frame().unwrap()));
        run.measure(Quantity::CentreX, None)
    };
    let along = stretch("{ deform = [{ stretch = { factors = [2, 1, 1] } }] }");
    let across = stretch("{ deform = [{ stretch = { factors = [1, 2, 1] } }] }");
    assert!(along > 0.1 && across < 0.1 * along, "{along} {across}");
}

#[test]
fn a_pose_from_a_file_has_the_body_s_vertices() {
    let folder = std::env::temp_dir().join(format!("pliant-pose-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let tet = |height: f64| {
        format!(
            "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 {height} 0 0\n0 0 1 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n"
        )
    };
    std::fs::write(folder.join("rest.mesh"), tet(1.0)).unwrap();
    std::fs::write(folder.join("posed.mesh"), tet(2.0)).unwrap();
    let other = tet(1.0).replace("4\n0 0 0 0", "5\n9 9 9 0\n0 0 0 0").replace("1 2 3 4", "1 3 4 5");
    std::fs::write(folder.join("other.mesh"), other.replace("\n1\n1 3 4 5 0", "\n2\n1 3 4 5 0\n2 3 4 5 0")).unwrap();
    let scene = |pose: &str| {
        let text = format!(
            "[[body]]\nname = \"tet\"\nshape.file = {{ path = \"rest.mesh\", content = \"solid\" }}\n\
             transform = {{ scale = 2 }}\nmaterial.bare = {{ density = 1 }}\n\
             energy = [{{ example_local = {{ stiffness = 1, pose = [{{ file = \"{pose}\" }}] }} }}]\n"
        );
        std::fs::write(folder.join("scene.toml"), text).unwrap();
        Scene::read(&folder.join("scene.toml"), &[]).unwrap().build()
    };
    let mut run = scene("posed.mesh").unwrap_or_else(|error| panic!("{error}"));
    // At the pose, the example has all the weight and there is no energy.
    let doubled: Vec<_> = run.sim.positions().iter().map(|p| p.with_y(2.0 * p.y)).collect();
    run.sim.set_state(&doubled, &[pliant::math::Vec3::ZERO; 4]).unwrap();
    assert!((run.sim.example_weights("tet").unwrap()[0][0] - 1.0).abs() < 1e-6);
    let error = scene("other.mesh").map(|_| ()).unwrap_err();
    assert!(error.message.contains("5 vertices, but the body has 4"), "{error}");
    assert_eq!(error.place.map(|(line, _)| line), Some(6));
    std::fs::remove_dir_all(folder).unwrap();
}
