//! Plants of oriented vertices: they stand, bow and come back, and their surface goes with them.
#![allow(clippy::unwrap_used)]

use pliant::math::Vec3;
use pliant_io::write::visible_bodies;
use pliant_scene::{Scene, SceneRun};

fn plant(overrides: &[&str]) -> SceneRun {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    Scene::open("plant", &overrides).unwrap().build().unwrap()
}

/// How far the farthest vertex is from where it was.
fn farthest(run: &SceneRun, from: &[Vec3]) -> f64 {
    run.sim.positions().iter().zip(from).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)))
}

#[test]
fn a_plant_stands_under_its_weight_and_comes_back_after_a_push() {
    let mut run = plant(&["world.wind.keyframe=[{ time = 0, velocity = [0, 0, 0] }]"]);
    let rest = run.sim.positions().to_vec();
    (0..120).for_each(|_| drop(run.next_frame().unwrap()));
    let (standing, sag) = (run.sim.positions().to_vec(), farthest(&run, &rest));
    println!("stands within {sag} m of its rest shape");
    assert!(sag < 0.08, "{sag} m of a height of 1 m");
    let pushed: Vec<Vec3> = standing.iter().map(|p| Vec3::new(1.5, 0.0, 0.5) * p.y * p.y).collect();
    run.sim.set_velocities(&pushed).unwrap();
    let mut most = 0.0_f64;
    for _ in 0..300 {
        run.next_frame().unwrap();
        most = most.max(farthest(&run, &standing));
    }
    let left = farthest(&run, &standing);
    println!("pushed it goes {most} m, and is {left} m off after 5 s");
    assert!(most > 0.04 && most < 0.6, "{most}");
    assert!(left < 0.03, "{left}");
}

#[test]
fn the_surface_of_a_plant_is_stored_and_follows_it() {
    let mut run = plant(&[]);
    let (count, stored) = (run.sim.positions().len(), run.topology().vertex_count());
    assert!(stored > 10 * count, "{stored} vertices for {count}");
    assert_eq!(run.stored_frame().positions.len(), stored);
    let at_rest: Vec<Vec3> = run.stored_frame().positions.to_vec();
    for (p, rest) in at_rest.iter().zip(&run.topology().rest) {
        assert!(p.distance(*rest) < 1e-12);
    }
    // What is seen of it is the surface alone.
    let visible = visible_bodies(run.topology()).unwrap();
    assert_eq!((visible[0].vertices.len(), visible[0].segments.len()), (stored - count, 0));
    assert!(visible[0].triangles.len() > 500, "{}", visible[0].triangles.len());
    // In the gust the tip and the leaves around it go the same way.
    (0..90).for_each(|_| drop(run.next_frame().unwrap()));
    let frame = run.stored_frame();
    let top = (0..count).max_by(|&a, &b| at_rest[a].y.total_cmp(&at_rest[b].y)).unwrap();
    let gone = frame.positions[top] - at_rest[top];
    assert!(gone.x > 0.02, "{gone}");
    let near = (count..stored).filter(|&v| at_rest[v].distance(at_rest[top]) < 0.02);
    let gone_near: Vec<Vec3> = near.map(|v| frame.positions[v] - at_rest[v]).collect();
    assert!(!gone_near.is_empty() && gone_near.iter().all(|way| way.distance(gone) < 0.5 * gone.length()));
}

#[test]
fn faults_of_oriented_materials_are_named_at_their_keys() {
    let fault = |change: &str| {
        let scene = Scene::open("plant", &[change.to_owned()]).unwrap();
        scene.build().map(drop).unwrap_err().to_string()
    };
    let material = |key: &str, value: &str| fault(&format!("body.0.material.oriented.{key}={value}"));
    for (key, value, expected) in [
        ("radius", "0", "radius is 0, but must be positive"),
        ("tip_radius", "1", "tip_radius is 1, but must be positive and at most the radius"),
        ("width", "0", "width of groups is 0, but must be at least 1"),
        ("share", "3", "spring is 3, but must be 0 to 1"),
        ("frequency", "-1", "spring is -1, but must be finite and at least 0"),
        ("damping", "-1", "damping is -1"),
        ("relaxation", "2", "relaxation is 2"),
        ("skin.tubes.sides", "2", "sides is 2, but must be at least 3"),
        ("skin.tubes.leaf", "0", "leaf is 0"),
        ("skin.tubes.sides", "100000000000", "too many vertices"),
    ] {
        let found = material(key, value);
        assert!(found.contains(expected), "{key}: {found}");
    }
    let sheet = fault("body.0.shape={ box = { size = [1, 1, 1], cells = [1, 1, 1] } }");
    assert!(sheet.contains("this shape needs material.solid"), "{sheet}");
    let chains = fault("body.0.material={ matched = { density = 1, regions = { chains = { width = 0 } } } }");
    assert!(chains.contains("width of regions is 0"), "{chains}");
}

#[test]
fn a_surface_from_a_file_follows_oriented_particles_from_where_the_shape_stands() {
    let folder = std::env::temp_dir().join(format!("pliant-plants-skin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // A square across a fin, in the coordinates of its shape.
    let corners = [[0.4, 0.0, -0.1], [0.4, 0.0, 0.1], [0.6, 0.0, 0.1], [0.6, 0.0, -0.1]];
    let vertices: String = corners.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    std::fs::write(folder.join("fin.obj"), vertices + "f 1 2 3 4\n").unwrap();
    let scene = r#"
[solver.position-based]
[[body]]
name = "fin"
shape.rope = { from = [0, 0, 0], to = [1, 0, 0], segments = 5 }
transform = { rotate = { axis = [0, 1, 0], degrees = 90 }, translate = [0, 2, 0] }
material.oriented = { radius = 0.02, skin.file.path = "fin.obj" }
"#;
    std::fs::write(folder.join("scene.toml"), scene).unwrap();
    let built = |change: &[String]| Scene::read(&folder.join("scene.toml"), change).unwrap().build();
    let mut run = built(&[]).unwrap();
    let own = run.sim.positions().len();
    let place = |[x, y, z]: [f64; 3]| Vec3::new(z, y + 2.0, -x);
    assert_eq!(run.topology().vertex_count(), own + 4);
    assert_eq!(run.topology().triangles.len(), 2);
    for (found, corner) in run.topology().rest[own..].iter().zip(corners) {
        assert!(found.distance(place(corner)) < 1e-12, "{found}");
    }
    // It falls freely, and the square with it.
    (0..30).for_each(|_| drop(run.next_frame().unwrap()));
    let fallen = run.sim.positions()[0].y - 2.0;
    assert!(fallen < -1.0, "{fallen}");
    for (found, corner) in run.stored_frame().positions[own..].iter().zip(corners) {
        assert!(found.distance(place(corner) + fallen * Vec3::Y) < 1e-9, "{found}");
    }
    let missing = built(&[r#"body.0.material.oriented.skin.file.path="none.obj""#.to_owned()]).map(drop).unwrap_err();
    assert!(missing.to_string().contains("none.obj") && missing.place.is_some(), "{missing}");
    std::fs::remove_dir_all(folder).unwrap();
}
