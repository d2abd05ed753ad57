//! What the engine has besides materials, from scene files: starts of solvers, consistent masses, fibres, constraints of the
//! position-based solver, garments of flat pieces, paths over meshes, colliders that deform.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use pliant::math::Vec3;
use pliant::solve::Start;
use pliant_scene::format::Quantity;
use pliant_scene::{Scene, SceneRun};

/// A fresh folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pliant-reach-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn built(text: &str) -> SceneRun {
    Scene::parse("scene.toml", text, &[]).unwrap().build().unwrap_or_else(|error| panic!("{error}"))
}

fn after(text: &str, frames: usize) -> SceneRun {
    let mut run = built(text);
    (0..frames).for_each(|_| drop(run.next_frame().unwrap()));
    run
}

/// The error of a scene: its line and what it says.
fn refused(text: &str) -> (usize, String) {
    let scene = Scene::parse("scene.toml", text, &[]);
    let error = scene.and_then(|scene| scene.build().map(drop)).unwrap_err();
    (error.place.unwrap().0, error.to_string())
}

#[test]
fn without_iterations_a_step_ends_where_it_starts() {
    let scene = |start: &str| {
        format!(
            "[world]\nframe_rate = 10\nsubsteps = 1\nintegrator = \"implicit-euler\"\ngravity = [0, -10, 0]\n\
             [solver.projective]\niterations = 0\nstart = \"{start}\"\n\
             [[body]]\nname = \"cloth\"\nvelocity = [2, 0, 0]\nmaterial.cloth = {{}}\n\
             shape.sheet = {{ width = 1, height = 1, columns = 2, rows = 2 }}\n"
        )
    };
    // h = 0.1 s: inertia moves by 2 h to the side, gravity by 10 h² down.
    for (start, x, y) in [("predicted", 0.2, -0.1), ("inertial", 0.2, 0.0), ("previous", 0.0, 0.0)] {
        let run = after(&scene(start), 1);
        let centre = [Quantity::CentreX, Quantity::CentreY].map(|quantity| run.measure(quantity, None));
        assert!((centre[0] - x).abs() < 1e-9 && (centre[1] - y).abs() < 1e-9, "{start}: {centre:?}");
    }
    for solver in ["two-metric", "newton"] {
        let text = scene("previous").replace("solver.projective", &format!("solver.{solver}"));
        assert_eq!(built(&text).sim.solver_choice().start(), Start::Previous, "{solver}");
    }
}

#[test]
fn consistent_masses_spin_as_a_rod_does() {
    let energy = |mass: &str| {
        let text = format!(
            "[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"rod\"\nspin = [0, 0, 3]\n\
             shape.rope = {{ from = [-1, 0, 0], to = [1, 0, 0], segments = 1 }}\n\
             material.strand = {{ density = 0.5, axial_stiffness = 1e5, mass = \"{mass}\" }}\n"
        );
        built(&text).measure(Quantity::KineticEnergy, None)
    };
    // A rod of 1 kg and 2 m has ½ m l²/12 ω² = 1.5 J; with its mass at the ends it has three times as much.
    assert!((energy("consistent") - 1.5).abs() < 1e-9, "{}", energy("consistent"));
    assert!((energy("lumped") - 4.5).abs() < 1e-9, "{}", energy("lumped"));
}

/// A sheet of 1 m by 1 m that is pulled to a length of 1.1 m along x.
fn pulled(material: &str, energy: &str) -> SceneRun {
    let text = format!(
        "[world]\ngravity = [0, 0, 0]\n[solver.newton]\n[[body]]\nname = \"sheet\"\n{material}\n{energy}\n\
         shape.sheet = {{ width = 1, height = 1, columns = 2, rows = 2 }}\n\
         [[body.pin]]\nselect = {{ side = \"left\" }}\n\
         [[body.pin]]\nselect = {{ side = \"right\" }}\n\
         keyframe = [{{ time = 0 }}, {{ time = 0.1, translate = [0.1, 0, 0] }}]\n\
         [world.damping]\ndrag = 20\n"
    );
    after(&text, 60)
}

#[test]
fn fibres_resist_stretch_along_themselves_only() {
    let energy = |direction: &str| {
        let fibres = format!("fibres = {{ direction = {direction}, limits = [[1, 1], [0, 10]] }}");
        let energy = format!("energy = [{{ triangle_strain = {{ stiffness = 1000, {fibres} }} }}]");
        pulled("material.bare = { density = 0.1 }", &energy).measure(Quantity::ElasticEnergy, None)
    };
    // ½ k ε² over an area of 1 m².
    assert!((energy("[2, 0, 0]") - 5.0).abs() < 0.01, "{}", energy("[2, 0, 0]"));
    assert!(energy("[0, 1, 0]").abs() < 1e-6, "{}", energy("[0, 1, 0]"));
    // As a limit of a material: 3 % beyond 7 %, twenty times as stiff.
    let limited = |limits: &str| {
        let fibres = format!("fibres = {{ direction = [1, 0, 0], limits = {limits} }}");
        let cloth = format!(
            "material.cloth = {{ youngs_modulus = 1e4, thickness = 1e-3, bending_stiffness = 0, bend_model = \"none\", {fibres} }}"
        );
        pulled(&cloth, "").measure(Quantity::ElasticEnergy, None)
    };
    let (free, bound) = (limited("[[0, 2], [0, 2]]"), limited("[[0, 1.07], [0, 2]]"));
    assert!((bound - free - 0.5 * 200.0 * 0.03 * 0.03).abs() < 2e-3, "{free} {bound}");
}

#[test]
fn a_balloon_has_the_volume_that_its_pressure_asks_for() {
    let text = "[world]\ngravity = [0, 0, 0]\n[solver.position-based]\niterations = 40\n\
                [[body]]\nname = \"ball\"\nshape.icosphere = { radius = 0.1, subdivisions = 2 }\n\
                material.bare = { density = 0.1 }\nconstraint = [{ balloon = { pressure = 1.5 } }]\n\
                [world.damping]\ndrag = 30\n";
    let volume = |run: &SceneRun| {
        let (x, topology) = (run.sim.positions(), run.topology());
        let corner = |v: u32| x[v as usize];
        topology.triangles.iter().map(|t| t.map(corner)).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum::<f64>()
    };
    let before = volume(&built(text));
    let now = volume(&after(text, 60));
    assert!((now / before - 1.5).abs() < 1e-3, "{}", now / before);
    let (line, message) = refused(&text.replace("[solver.position-based]\niterations = 40\n", "[solver.newton]\n"));
    assert!(line == 8 && message.contains("balloon") && message.contains("[solver.position-based]"), "{message}");
    let (_, message) = refused(&text.replace("pressure = 1.5", "pressure = -1"));
    assert!(message.contains("pressure is -1, but must be positive"), "{message}");
    let sheet = "shape.cylinder = { radius = 0.1, height = 0.1, segments = 6, rings = 2 }";
    let (_, message) = refused(&text.replace("shape.icosphere = { radius = 0.1, subdivisions = 2 }", sheet));
    assert!(message.contains("the surface is not closed"), "{message}");
}

#[test]
fn constraints_keep_what_they_are_named_after() {
    // A thread of 1 m from a pin, let go from the side: it may become shorter, and not longer.
    let thread = |allowed: &str| {
        let text = format!(
            "[solver.position-based]\niterations = 200\n[[body]]\nname = \"thread\"\n\
             shape.rope = {{ from = [0, 0, 0], to = [1, 0, 0], segments = 10 }}\nmaterial.bare = {{ density = 0.01 }}\n\
             constraint = [{{ distance = {{ allowed = \"{allowed}\" }} }}]\npin = [{{ select = {{ vertices = [0] }} }}]\n"
        );
        after(&text, 40).measure(Quantity::MaxStretch, None)
    };
    assert!((thread("at-most") - 1.0).abs() < 1e-2 && (thread("exactly") - 1.0).abs() < 1e-2);
    assert!(thread("at-least") > 2.0, "nothing holds it: {}", thread("at-least"));
    // A bar under its own weight, held by volumes and strains of its tets.
    let bar = |constraint: &str| {
        let text = format!(
            "[solver.position-based]\niterations = 100\n[[body]]\nname = \"bar\"\n\
             shape.box = {{ size = [0.4, 0.1, 0.1], cells = [4, 1, 1] }}\nmaterial.bare = {{ density = 1000 }}\n\
             constraint = [{constraint}]\npin = [{{ select = {{ side = \"left\" }} }}]\n"
        );
        after(&text, 30)
    };
    let volume = |run: &SceneRun| {
        let (x, topology) = (run.sim.positions(), run.topology());
        let tet = |t: [Vec3; 4]| (t[1] - t[0]).dot((t[2] - t[0]).cross(t[3] - t[0])) / 6.0;
        topology.tets.iter().map(|t| tet(t.map(|v| x[v as usize]))).sum::<f64>()
    };
    let held = bar("{ volume_constraint = {} }, { strain_constraint_3d = {} }");
    assert!((volume(&held) / 0.004 - 1.0).abs() < 0.01, "{}", volume(&held));
    assert!(held.measure(Quantity::MaxStretch, None) < 1.1);
    let rigid = bar("{ shape_matching = {} }");
    assert!((rigid.measure(Quantity::MaxStretch, None) - 1.0).abs() < 0.02);
    let (line, message) = refused(
        "[solver.position-based]\n[[body]]\nname = \"a\"\nmaterial.cloth = {}\n\
         shape.sheet = { width = 1, height = 1, columns = 2, rows = 2 }\nconstraint = [{ volume_constraint = {} }]\n",
    );
    assert!(line == 6 && message.contains("volume_constraint needs a solid"), "{message}");
}

#[test]
fn flat_pieces_are_the_rest_shape_of_a_garment() {
    let dir = folder("garment");
    // A strip of 1 m by 1 m that is worn stretched to 2 m.
    let strip =
        "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nvt 0 0\nvt 100 0\nvt 100 100\nvt 0 100\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n";
    std::fs::write(dir.join("strip.obj"), strip).unwrap();
    std::fs::write(dir.join("bare.obj"), strip.replace("/1", "").replace("/2", "").replace("/3", "").replace("/4", ""))
        .unwrap();
    let text = "[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"strip\"\nshape.file = { path = \"strip.obj\" }\n\
                material.cloth = { flat_pieces = { metres_per_unit = 0.01 }, youngs_modulus = 1e5 }\n\
                [world.damping]\ndrag = 5\n";
    let scene = |text: &str| Scene::parse(dir.join("scene.toml").to_str().unwrap(), text, &[]).unwrap();
    let mut run = scene(text).build().unwrap_or_else(|error| panic!("{error}"));
    assert!((run.measure(Quantity::MaxStretch, None) - 2.0).abs() < 1e-9);
    assert_eq!(run.textures()[0].corners[1], [[0.0, 0.0], [100.0, 100.0], [0.0, 100.0]], "for exports");
    (0..120).for_each(|_| drop(run.next_frame().unwrap()));
    for quantity in [Quantity::MaxStretch, Quantity::MinStretch] {
        assert!((run.measure(quantity, None) - 1.0).abs() < 0.01, "{}", run.measure(quantity, None));
    }
    let refused = |from: &str, to: &str| scene(&text.replace(from, to)).build().map(drop).unwrap_err().to_string();
    assert!(refused("strip.obj", "bare.obj").contains("no flat pieces"));
    assert!(refused("= 0.01", "= 0").contains("metres_per_unit is 0"));
    assert!(refused("youngs_modulus", "mass = \"consistent\", youngs_modulus").contains("lumped masses"));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn paths_over_a_mesh_are_the_same_regions_as_rings() {
    let positions = |regions: &str| {
        let text = format!(
            "[solver.position-based]\niterations = 5\n[[body]]\nname = \"sheet\"\n\
             shape.sheet = {{ width = 1, height = 1, columns = 6, rows = 6 }}\n\
             material.matched = {{ density = 0.1, share = 0.5, limit = inf, regions.{regions} = {{ width = 2 }} }}\n\
             pin = [{{ select = {{ side = \"top\" }} }}]\n"
        );
        after(&text, 10).sim.positions().to_vec()
    };
    let (rings, paths) = (positions("rings"), positions("paths"));
    let furthest = rings.iter().zip(&paths).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    let sag = rings.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    assert!(furthest < 1e-9 && sag < -0.501, "{furthest} {sag}");
}

#[test]
fn a_collider_that_grows_lifts_what_lies_on_it() {
    let dir = folder("sequence");
    let cube = |height: f64| {
        let mut text = String::new();
        for (x, y, z) in [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)] {
            let side = |c: i32| f64::from(c) - 0.5;
            text += &format!("v {} {} {}\n", side(x), f64::from(y) * height - 1.0, side(z));
        }
        text + "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 1 5 8 4\n"
    };
    for (number, height) in [(7, 1.0), (8, 1.1), (9, 1.3)] {
        std::fs::write(dir.join(format!("cube-{number:03}.obj")), cube(height)).unwrap();
    }
    let text = "[world]\nframe_rate = 60\n[[body]]\nname = \"cloth\"\nmaterial.cloth = {}\n\
                shape.sheet = { width = 0.5, height = 0.5, columns = 4, rows = 4, plane = \"xz\" }\n\
                transform.translate = [0, 0.002, 0]\n\
                [[collider]]\nfriction = 0.5\n\
                shape.sequence = { path = \"cube-###.obj\", first = 7, count = 3, frame_rate = 4, start = 0.1 }\n";
    let scene = |text: &str| Scene::parse(dir.join("scene.toml").to_str().unwrap(), text, &[]).unwrap();
    let mut run = scene(text).build().unwrap_or_else(|error| panic!("{error}"));
    // Its top is at 0 until 0.1 s, at 0.1 m after 0.35 s, and at 0.3 m after 0.6 s.
    for (frame, top) in [(6, 0.0), (21, 0.1), (60, 0.3)] {
        while run.frame() < frame {
            run.next_frame().unwrap();
        }
        let lowest = run.measure(Quantity::Lowest, None);
        assert!((lowest - top).abs() < 0.01, "frame {frame}: {lowest} over {top}");
        assert!(run.measure(Quantity::Penetration, None) < 1e-3);
    }
    let refused = |from: &str, to: &str| {
        let error = scene(&text.replace(from, to)).build().map(drop).unwrap_err();
        assert_eq!(error.place.unwrap().0, 10);
        error.to_string()
    };
    assert!(refused("cube-###", "cube-007").contains("number signs"));
    assert!(refused("count = 3", "count = 0").contains("count is 0"));
    assert!(refused("count = 3", "count = 4").contains("cube-010.obj"));
    assert!(refused("count = 3", "count = 9000000000").contains("too many vertices"));
    assert!(refused("frame_rate = 4", "frame_rate = 0").contains("frame_rate is 0"));
    std::fs::write(
        dir.join("cube-008.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    )
    .unwrap();
    assert!(
        refused("first = 7", "first = 7")
            .contains("cube-008.obj does not have the vertices and triangles of cube-007.obj")
    );
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn fibres_that_cannot_be_are_pointed_at() {
    let cloth = |keys: &str| {
        refused(&format!(
            "[[body]]\nname = \"a\"\nshape.sheet = {{ width = 1, height = 1, columns = 2, rows = 2 }}\n\
             [body.material.cloth]\n{keys}\n"
        ))
    };
    for (keys, message) in [
        ("fibres = { direction = [0, 0, 0], limits = [[1, 1], [1, 1]] }", "the direction has length 0"),
        ("fibres = { direction = [1, 0, 0], limits = [[1, 1], [1.2, 1]] }", "limits are [1.2, 1]"),
        ("fibres = { direction = [1, 0, 0], limits = [[-1, 1], [1, 1]] }", "limits are [-1, 1]"),
        ("strain_limits = [0.9, 1.1]\nfibres = { direction = [1, 0, 0], limits = [[1, 1], [1, 1]] }", "not both"),
        ("flat_pieces = {}", "the shape has no flat pieces"),
    ] {
        let (line, found) = cloth(keys);
        assert!(found.contains(message), "{keys}: {found}");
        assert_eq!(line, 4 + keys.lines().count(), "{keys}: {found}");
    }
}

#[test]
fn hair_of_a_tressfx_file_is_simulated() {
    let dir = folder("tressfx");
    // Three strands of 4 vertices that stand out along x, 0.1 m apart.
    let mut bytes = 4.0_f32.to_le_bytes().to_vec();
    [3_u32, 4, 160, 0, 0, 0, 0].iter().chain(&[0; 32]).for_each(|number| bytes.extend(number.to_le_bytes()));
    for vertex in 0..12_u8 {
        let place = f32::from(vertex % 4);
        let numbers = [10.0 * place, 0.0, 10.0 * f32::from(vertex / 4), f32::from(u8::from(place > 0.0))];
        numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    std::fs::write(dir.join("hair.tfx"), bytes).unwrap();
    let text = "[solver.position-based]\n[[body]]\nname = \"hair\"\nmaterial.hair = {}\n\
                shape.file = { path = \"hair.tfx\", content = \"strands\", metres_per_unit = 0.01 }\n\
                pin = [{ select = \"roots\" }]\n[world.damping]\ndrag = 5\n";
    let scene = Scene::parse(dir.join("scene.toml").to_str().unwrap(), text, &[]).unwrap();
    let mut run = scene.build().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((run.sim.positions().len(), run.topology().polylines.len()), (12, 3));
    let start = run.sim.positions().to_vec();
    run.next_frame().unwrap();
    let unmoved: Vec<usize> = (0..12).filter(|v| run.sim.positions()[*v] == start[*v]).collect();
    assert_eq!(unmoved, [0, 4, 8], "the roots");
    (0..240).for_each(|_| drop(run.next_frame().unwrap()));
    // It hangs by its roots, at its length.
    assert!((run.measure(Quantity::Lowest, None) + 0.3).abs() < 0.01, "{}", run.measure(Quantity::Lowest, None));
    assert!((run.measure(Quantity::MaxStretch, None) - 1.0).abs() < 1e-6);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn only_strands_have_roots() {
    let (line, message) = refused(
        "[[body]]\nname = \"a\"\nmaterial.cloth = {}\n\
         shape.sheet = { width = 1, height = 1, columns = 2, rows = 2 }\npin = [{ select = \"roots\" }]\n",
    );
    assert!(line == 5 && message.contains("roots are those of strands"), "{message}");
}

#[test]
fn solvers_without_a_matrix_refuse_consistent_masses() {
    for (key, solver) in
        [("position-based", "position-based"), ("explicit", "explicit"), ("follow-leader", "follow-the-leader")]
    {
        let text = format!(
            "[solver.{key}]\n[[body]]\nname = \"rope\"\nmaterial.strand = {{ mass = \"consistent\" }}\n\
             shape.rope = {{ from = [0, 0, 0], to = [1, 0, 0], segments = 4 }}\npin = [{{ select = {{ vertices = [0] }} }}]\n"
        );
        let (line, message) = refused(&text);
        let told = format!("body \"rope\" has consistent masses, which the {solver} solver does not know");
        assert!(line == 4 && message.contains(&told), "{message}");
    }
}
