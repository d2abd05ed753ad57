//! The same small mesh comes out of every format and encoding, and errors name file, place and value.
#![allow(clippy::unwrap_used)]

#[path = "../samples/mod.rs"]
mod samples;

use pliant::math::Vec3;
use pliant_io::read::{
    Duplicates, ImportedMesh, MeshFormat, Problem, ReadOptions, UpAxis, read_mesh, read_mesh_from_bytes,
};
use samples::{Holds, POLYLINE, POSITIONS, TETS, TRIANGLES, gzip, samples};

/// Elements by the places of their vertices, whatever these are numbered.
fn places<T: AsRef<[u32]>>(mesh: &ImportedMesh, elements: &[T]) -> Vec<Vec<[f64; 3]>> {
    let place = |&vertex: &u32| mesh.positions[vertex as usize].to_array().map(|x| (x * 1e6).round() / 1e6 + 0.0);
    elements.iter().map(|element| element.as_ref().iter().map(place).collect()).collect()
}

fn expected<T: AsRef<[u32]>>(elements: &[T]) -> Vec<Vec<[f64; 3]>> {
    elements.iter().map(|element| element.as_ref().iter().map(|&v| POSITIONS[v as usize]).collect()).collect()
}

fn read(name: &str, bytes: &[u8]) -> ImportedMesh {
    read_mesh_from_bytes(name, bytes, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(name: &str, bytes: &[u8]) -> String {
    read_mesh_from_bytes(name, bytes, &ReadOptions::default()).unwrap_err().to_string()
}

#[test]
fn every_format_gives_the_same_mesh() {
    for sample in samples() {
        let name = sample.name;
        for bytes in [sample.bytes.clone(), gzip(&sample.bytes)] {
            let mesh = sample.read(&bytes, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(mesh.name, name.split('.').next().unwrap());
            let has_triangles = !matches!(sample.holds, Holds::Tets | Holds::Line);
            let has_line = matches!(sample.holds, Holds::TrianglesAndLine | Holds::Line | Holds::All);
            let has_tets = matches!(sample.holds, Holds::Tets | Holds::All);
            let triangles = if has_triangles { expected(&TRIANGLES) } else { Vec::new() };
            let tets = if has_tets { expected(&TETS) } else { Vec::new() };
            let lines = if has_line { expected(&[POLYLINE]) } else { Vec::new() };
            assert_eq!(places(&mesh, &mesh.triangles), triangles, "{name}");
            assert_eq!(places(&mesh, &mesh.tets), tets, "{name}");
            assert_eq!(places(&mesh, &mesh.polylines), lines, "{name}");
            if has_triangles {
                mesh.triangle_mesh().unwrap().check_quality().unwrap();
            }
            if has_line {
                assert_eq!(mesh.strand_set().unwrap().strands.len(), 1);
            }
            if has_tets {
                mesh.tet_mesh().unwrap().check_quality().unwrap();
            }
        }
    }
}

#[test]
fn content_tells_the_format_of_files_without_extension() {
    for sample in samples() {
        let found = MeshFormat::from_content(&sample.bytes);
        let named = MeshFormat::from_name(sample.name);
        if named != Some(MeshFormat::TetGen) {
            assert_eq!(found, named, "{}", sample.name);
        }
    }
    let error = refusal("notes.txt", b"hello");
    assert!(error.starts_with("notes.txt: unknown format; known are Wavefront OBJ (.obj), PLY (.ply)"), "{error}");
}

#[test]
fn obj_corners_keep_their_material_coordinates() {
    let mesh = read("a.obj", &samples()[0].bytes);
    let material = mesh.material_coordinates.unwrap();
    assert_eq!(material.corners, [[0, 2, 1], [0, 1, 2]]);
    assert_eq!(material.triangle(1), [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    let partial = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\nf 1 3 2\n";
    let mesh = read("a.obj", partial);
    assert!(mesh.material_coordinates.is_none());
    assert_eq!(mesh.notes, ["1 of 2 faces lack texture coordinates, so those of the others were left out"]);
}

#[test]
fn concave_faces_are_covered_and_forward_references_allowed() {
    let mesh = read("a.obj", b"f 1 2 3 4\nv 0 0 0\nv 2 0 0\nv 0.5 0.5 0\nv 0 2 0\n").triangle_mesh().unwrap();
    assert!((mesh.area() - 1.0).abs() < 1e-12, "{}", mesh.area());
}

#[test]
fn units_and_axes_become_metres_with_y_up() {
    let text = b"v 1 2 3\nv 0 0 0\nv 0 1 0\nf 1 2 3\n";
    let at = |up_axis| {
        let options = ReadOptions { scale: 0.01, up_axis, ..ReadOptions::default() };
        read_mesh_from_bytes("a.obj", text, &options).unwrap().positions[0] * 100.0
    };
    assert!(at(UpAxis::Y).distance(Vec3::new(1.0, 2.0, 3.0)) < 1e-12);
    assert!(at(UpAxis::Z).distance(Vec3::new(1.0, 3.0, -2.0)) < 1e-12);
    assert!(at(UpAxis::X).distance(Vec3::new(-2.0, 1.0, 3.0)) < 1e-12);
    let options = ReadOptions { scale: f64::NAN, ..ReadOptions::default() };
    let error = read_mesh_from_bytes("a.obj", text, &options).unwrap_err().to_string();
    assert_eq!(error, "a.obj: scale is NaN, but must be positive and finite");
    let options = ReadOptions { scale: 1e300, ..ReadOptions::default() };
    let huge = read_mesh_from_bytes("a.obj", b"v 1e200 0 0\n", &options).unwrap_err();
    assert!(matches!(huge.problem, Problem::NotFinite { .. }));
}

#[test]
fn inverted_tets_stay_unless_asked() {
    let text = b"4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
    let mut open = |_: &str| Ok(b"1 4 0\n0 0 2 1 3\n".to_vec());
    let mut read = |fix_orientation| {
        let options = ReadOptions { fix_orientation, ..ReadOptions::default() };
        pliant_io::read::read_mesh_with_companions("a.node", text, &options, &mut open).unwrap()
    };
    assert_eq!(read(false).tets, [[0, 2, 1, 3]]);
    let turned = read(true);
    assert!(turned.tet_mesh().unwrap().check_quality().is_ok());
    assert_eq!(turned.notes, ["1 tets had negative volume and were turned"]);
}

#[test]
fn vertices_in_the_same_place_are_joined_on_request() {
    let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv -0.0 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 4 5 6\nf 1 4 2\n";
    assert_eq!(read("a.obj", text).notes, ["2 vertices lie exactly where others do and were kept apart"]);
    let options = ReadOptions { duplicates: Duplicates::Weld, ..ReadOptions::default() };
    let mesh = read_mesh_from_bytes("a.obj", text, &options).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mesh.notes.len(), 2, "{:?}", mesh.notes);
}

#[test]
fn solid_cells_become_tets_of_the_same_volume() {
    let corners = "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1";
    let grid = |cell: &str, kind: u32| {
        let size = cell.split(' ').count();
        let text = format!(
            "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 float\n{corners}\n\
             CELLS 1 {}\n{size} {cell}\nCELL_TYPES 1\n{kind}\n",
            size + 1
        );
        let mesh = read("a.vtk", text.as_bytes()).tet_mesh().unwrap();
        mesh.check_quality().unwrap();
        mesh.volume()
    };
    assert!((grid("0 1 2 3 4 5 6 7", 12) - 1.0).abs() < 1e-12);
    assert!((grid("0 1 3 2 4 5 7 6", 11) - 1.0).abs() < 1e-12);
    // A wedge with its base either way round.
    assert!((grid("0 1 3 4 5 7", 13) - 0.5).abs() < 1e-12);
    assert!((grid("0 3 1 4 7 5", 13) - 0.5).abs() < 1e-12);
    assert!((grid("0 1 2 3 4", 14) - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn mirrored_gltf_nodes_keep_their_outside() {
    let sample = samples().into_iter().find(|sample| sample.name == "embedded.gltf").unwrap();
    let text = String::from_utf8(sample.bytes.clone()).unwrap();
    let mirrored = text.replace("\"translation\":[1,2,3]", "\"scale\":[-1,1,1]");
    let mesh = sample.read(mirrored.as_bytes(), &ReadOptions::default()).unwrap();
    let plain = sample.read(text.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(mesh.triangles[0], [plain.triangles[0][0], plain.triangles[0][2], plain.triangles[0][1]]);
}

#[test]
fn refusals_name_file_place_and_value() {
    let cases: [(&str, &str, &str); 17] = [
        ("b.obj", "v 0 0 0\nf 1 2 900\n", "b.obj line 2: vertex index 2 but there are 1 vertices"),
        ("b.obj", "v 0 0 0\nf 0 1 1\n", "b.obj line 2: vertex index 0 but there are 1 vertices"),
        ("b.obj", "v 0 0 0\nf -2 1 1\n", "b.obj line 2: vertex index -2 but there are 1 vertices"),
        ("b.obj", "v 0 nan 0\n", "b.obj line 1: coordinate nan is not finite"),
        ("b.obj", "v 0 1,5 0\n", "b.obj line 1: expected coordinate but found '1,5'"),
        ("b.obj", "\nv 0 0\n", "b.obj line 2: expected coordinate but found 'end of line'"),
        (
            "b.obj",
            "v 0 0 0\nf 1/3 1 1\n",
            "b.obj line 2: material coordinate index 3 but there are 0 material coordinates",
        ),
        (
            "b.ply",
            "ply\nformat ascii 1.0\nelement vertex 1000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n",
            "b.ply line 8: 1000000000 vertices are claimed but the 6 bytes left can hold at most 1",
        ),
        (
            "b.ply",
            "ply\nformat ascii 1.0\nelement vertex 1\n",
            "b.ply line 4: the file ends where end_header was expected",
        ),
        (
            "b.mesh",
            "MeshVersionFormatted 1\nDimension 3\nVertices\n1000000000\n0 0 0 0\n",
            "b.mesh line 4: 1000000000 vertices are claimed but the 9 bytes left can hold at most 1",
        ),
        (
            "b.mesh",
            "MeshVersionFormatted 1\nDimension 3\nVertices\n1\n0 0 0 0\nTriangles 1\n1 1 2 0\n",
            "b.mesh line 7: vertex index 2 but there are 1 vertices",
        ),
        (
            "b.stl",
            "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n",
            "b.stl line 4: expected coordinate but found 'x'",
        ),
        ("b.stl", "solid a\n", "b.stl line 2: the file ends where facet or endsolid was expected"),
        (
            "b.msh",
            "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 99999999999 1 2\n3 0 0 99999999999\n1\n",
            "b.msh line 6: 99999999999 nodes are claimed but the 3 bytes left can hold at most 0",
        ),
        ("b.msh", "$MeshFormat\n3 0 8\n", "b.msh line 2: expected version 2 or 4 but found '3'"),
        (
            "b.gltf",
            "{\"asset\"",
            "b.gltf line 1: expected JSON but found 'EOF while parsing an object at line 1 column 8'",
        ),
        ("b.node", "1 3\n", "b.node: needs b.ele: no files beside bytes in memory"),
    ];
    for (name, text, expected) in cases {
        assert_eq!(refusal(name, text.as_bytes()), expected);
    }
    let mut claims = vec![0; 84];
    claims[80..].copy_from_slice(&1_000_000_000_u32.to_le_bytes());
    let expected = "b.stl byte 80: 1000000000 triangles are claimed but the 0 bytes left can hold at most 0";
    assert_eq!(refusal("b.stl", &claims), expected);
}

#[test]
fn gltf_files_reach_no_other_folder_and_cannot_multiply() {
    let sample = samples().into_iter().find(|sample| sample.name == "external.gltf").unwrap();
    let text = String::from_utf8(sample.bytes.clone()).unwrap();
    for bad in ["../secret.bin", "/etc/passwd", "http://x/y", "a/../../b", "%2e%2e/x"] {
        let error = sample.read(text.replace("my%20data.bin", bad).as_bytes(), &ReadOptions::default()).unwrap_err();
        assert!(matches!(error.problem, Problem::Companion { .. }), "{bad}: {error}");
    }
    let cycle = text.replace("\"mesh\":0", "\"mesh\":0,\"children\":[0]");
    let error = sample.read(cycle.as_bytes(), &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "external.gltf at nodes[0]: expected a tree of nodes but found 'a node with two parents'"
    );
    let claims = text.replace("\"count\":5", "\"count\":1000000000");
    let error = sample.read(claims.as_bytes(), &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(
        error,
        "external.gltf at accessors[0]: 1000000000 elements are claimed but the 60 bytes left can hold at most 5"
    );
    let options = ReadOptions { max_elements: 12, ..ReadOptions::default() };
    assert!(matches!(sample.read(text.as_bytes(), &options).unwrap_err().problem, Problem::OverLimit { .. }));
}

#[test]
fn a_small_file_cannot_expand_without_bound() {
    let bomb = gzip(&vec![b' '; 10_000_000]);
    assert!(bomb.len() < 20_000);
    let options = ReadOptions { max_bytes: 1_000_000, ..ReadOptions::default() };
    let error = read_mesh_from_bytes("b.obj.gz", &bomb, &options).unwrap_err().to_string();
    assert_eq!(error, "b.obj.gz: more than 1000000 bytes, the limit set by the options");
    let cut = &gzip(&samples()[0].bytes)[..40];
    assert_eq!(refusal("b.obj.gz", cut), "b.obj.gz: the file ends where more compressed data was expected");
}

#[test]
fn files_that_are_none_are_refused() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let error = read_mesh(folder, &ReadOptions::default()).unwrap_err();
    assert!(matches!(error.problem, Problem::NotAFile { .. }), "{error}");
    let error = read_mesh("no/such/file.obj", &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("no/such/file.obj: "), "{error}");
}

#[test]
fn hair_of_tressfx_is_strands_and_its_faults_are_named_by_byte() {
    // Two strands of four vertices, half a metre apart, with room between header and positions.
    let header = |version: f32, numbers: [u32; 7]| {
        let mut bytes = version.to_le_bytes().to_vec();
        numbers.iter().chain(&[0; 32]).for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes
    };
    let hair = |version: f32, numbers: [u32; 7]| {
        let mut bytes = header(version, numbers);
        bytes.extend([0; 16]);
        for vertex in 0..8_u8 {
            let (strand, place) = (vertex / 4, vertex % 4);
            for number in [0.5 * f32::from(strand), 0.1 * f32::from(place), 0.0, f32::from(u8::from(place > 1))] {
                bytes.extend(number.to_le_bytes());
            }
        }
        bytes
    };
    let whole = [2, 4, 176, 0, 0, 0, 9];
    let mesh = read("hair.tfx", &hair(4.0, whole));
    assert_eq!(mesh.polylines, [[0, 1, 2, 3], [4, 5, 6, 7]]);
    let strands = mesh.strand_set().unwrap();
    assert_eq!(strands.strands.len(), 2);
    assert!((strands.positions[7] - Vec3::new(0.5, 0.3, 0.0)).length() < 1e-7);
    assert_eq!(mesh.notes[0], "4 of 8 vertices are marked as fixed; pin them where that is wanted");
    assert_eq!(mesh.notes[1], "colours were left out");
    for (version, numbers, message) in [
        (3.0, whole, "byte 0: expected version 4 of TressFX but found '3'"),
        (f32::NAN, whole, "byte 0: the version NaN is not finite"),
        (4.0, [3, 4, 176, 0, 0, 0, 0], "byte 4: 12 vertices are claimed but the 128 bytes left can hold at most 8"),
        (4.0, [u32::MAX, u32::MAX, 176, 0, 0, 0, 0], "byte 4: 18446744065119617025 vertices are claimed"),
        (4.0, [2, 1, 176, 0, 0, 0, 0], "byte 8: expected at least two vertices of a strand but found '1'"),
        (4.0, [2, 4, 8, 0, 0, 0, 0], "byte 12: expected positions after the header and in the file but found '8'"),
        (4.0, [2, 4, 9999, 0, 0, 0, 0], "byte 12: expected positions after the header"),
    ] {
        let found = refusal("hair.tfx", &hair(version, numbers));
        assert!(found.starts_with("hair.tfx") && found.contains(message), "{found}");
    }
    let mut bad = hair(4.0, whole);
    bad[176 + 16 + 4..176 + 16 + 8].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert!(
        refusal("hair.tfx", &bad).contains("byte 196: coordinate inf is not finite"),
        "{}",
        refusal("hair.tfx", &bad)
    );
    assert!(refusal("hair.tfx", &header(4.0, whole)[..40]).contains("hair.tfx"));
}
