//! Real meshes have the counts and measures that their sources state. Skipped, saying so, where the data is absent: set
//! `PLIANT_DATA` to its folder.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use pliant::math::Vec3;
use pliant_io::read::{Duplicates, ImportedMesh, ReadOptions, read_mesh, read_motion};

fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("PLIANT_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    if !folder.is_dir() {
        println!("skipped: no test data at {}", folder.display());
        return None;
    }
    Some(folder)
}

fn read(file: &str, options: &ReadOptions) -> Option<ImportedMesh> {
    let path = data()?.join(file);
    let mesh = read_mesh(path, options).unwrap_or_else(|error| panic!("{error}"));
    println!("{file}: {:?}", mesh.notes);
    Some(mesh)
}

#[test]
fn surfaces_have_their_counts() {
    let known = [
        ("surface/bunny_3k.obj", 3301, 6598),
        ("surface/armadillo_15k.obj", 14587, 29170),
        ("surface/spot_3k.obj", 2930, 5856),
        ("tet/turtle_surface.obj", 1961, 3654),
        ("mannequin_female/mannequin_frame0.obj", 13481, 26842),
    ];
    for (file, vertices, triangles) in known {
        let Some(mesh) = read(file, &ReadOptions::default()) else { return };
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, triangles), "{file}");
        mesh.triangle_mesh().unwrap().check_quality().unwrap();
    }
    let parts: Vec<ImportedMesh> =
        (0..16).filter_map(|i| read(&format!("mannequin_female/body{i:04}.obj"), &ReadOptions::default())).collect();
    assert_eq!(parts.iter().map(|part| part.positions.len()).sum::<usize>(), 13481);
    assert_eq!(parts.iter().map(|part| part.triangles.len()).sum::<usize>(), 26842);
}

#[test]
fn garments_keep_their_rest_shape() {
    let known = [
        ("garment/tshirt_coarse_330.obj", 330, 604, 0.674),
        ("garment/tshirt_iso_3.5k.obj", 3546, 6954, 0.674),
        ("garment/dress_victor_coarse_130.obj", 130, 212, 1.6956),
        ("garment/dress_victor_draped_4.6k.obj", 4589, 8958, 1.6956),
    ];
    for (file, vertices, triangles, area) in known {
        let Some(mesh) = read(file, &ReadOptions::default()) else { return };
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, triangles), "{file}");
        let material = mesh.material_coordinates.unwrap();
        assert_eq!(material.corners.len(), triangles);
        assert!((material.area() - area).abs() < 6e-4, "{file}: {} m²", material.area());
    }
}

#[test]
fn solids_have_their_counts_and_volumes() {
    // Vertices, tets, and the volume where it is stated \[m³\].
    let known = [
        ("tet/spot_tet_650.mesh", 651, 1697, None),
        ("tet/spot_tet_4k.mesh", 4103, 16123, None),
        ("tet/spot_tet_66k.mesh.gz", 65724, 355_378, None),
        ("tet/armadillo_nested/arma_1.node", 3193, 10785, None),
        ("tet/armadillo_nested/arma_2.ele", 1894, 6064, None),
        ("tet/armadillo_nested/arma_3.node", 1127, 3311, None),
        ("tet/armadillo_nested/arma_4.ele", 684, 1924, None),
        ("tet/armadillo_nested/arma_5.node", 413, 1084, None),
        ("tet/armadillo_nested/arma_6.ele", 259, 627, None),
        ("tet/bar_10x0.5x1_186.msh", 86, 186, Some(5.0)),
        ("tet/bar_10x0.5x1_651.msh", 292, 651, Some(5.0)),
        ("tet/bar_10x0.5x1_2523.msh", 886, 2523, Some(5.0)),
        ("tet/bar_10x0.5x1_14114.msh", 3842, 14114, Some(5.0)),
        ("tet/buckling_bar_4k.node", 4250, 18816, Some(0.033)),
        ("tet/beam3_tet.veg", 208, 450, Some(0.0048)),
        // 75 hexes, six tets each.
        ("tet/beam3_hex.veg", 208, 450, Some(0.0048)),
        ("tet/turtle_cage_tet.veg", 347, 1185, None),
    ];
    for (file, vertices, tets, volume) in known {
        let Some(imported) = read(file, &ReadOptions::default()) else { return };
        assert_eq!((imported.positions.len(), imported.tets.len()), (vertices, tets), "{file}");
        let mesh = imported.tet_mesh().unwrap();
        mesh.check_quality().unwrap();
        mesh.check_referenced().unwrap();
        if let Some(volume) = volume {
            assert!((mesh.volume() - volume).abs() < 1e-6 * volume, "{file}: {} m³", mesh.volume());
        }
    }
}

#[test]
fn props_have_their_counts_when_joined() {
    let known = [
        ("scene_props/car_truck.glb", 568, 989),
        ("scene_props/house_small.glb", 272, 452),
        ("scene_props/trees.glb", 232, 380),
    ];
    for (file, vertices, triangles) in known {
        let options = ReadOptions { duplicates: Duplicates::Weld, ..ReadOptions::default() };
        let Some(mesh) = read(file, &options) else { return };
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, triangles), "{file}");
    }
}

#[test]
fn the_dance_has_sixteen_parts_and_begins_where_its_source_says() {
    let Some(folder) = data() else { return };
    let motion = read_motion(folder.join("mannequin_female/dance-paused.mot"), &ReadOptions::default());
    let motion = motion.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((motion.parts.len(), motion.parts[0].len()), (16, 716));
    // The whole figure as it was posed by others: all parts at frame 0, rotated by -90° about z and lowered by a metre.
    let Some(whole) = read("mannequin_female/mannequin_frame0.obj", &ReadOptions::default()) else { return };
    let mut expected = whole.positions.iter();
    for (k, poses) in motion.parts.iter().enumerate() {
        let Some(part) = read(&format!("mannequin_female/body{k:04}.obj"), &ReadOptions::default()) else { return };
        for &p in &part.positions {
            let Vec3 { x, y, z } = poses[0].to_world(p);
            let distance = expected.next().unwrap().distance(Vec3::new(y, -x, z - 1.0));
            assert!(distance < 1e-4, "a vertex of part {k} is {distance} m off");
        }
    }
}
