//! The two scales: subdivision and embedding.

use pliant::math::{Mat3, Vec3};
use pliant::mesh::generate::Sheet;
use pliant::mesh::{MeshError, Placed, TriangleMesh};
use pliant::upsample::{Refinement, UpsampleError};

use super::{bent, largest, loop_of, sheet, tube};

#[test]
fn weights_are_a_partition_of_unity_and_make_the_smooth_surface() {
    for (coarse, levels) in [(sheet(5), 3), (tube(), 3), (sheet(2), 0)] {
        let refinement = loop_of(&coarse, levels);
        let moved = bent(&coarse, [0.1, 0.05, 0.2]);
        let mut smooth = vec![Vec3::ZERO; refinement.vertex_counts()[1]];
        refinement.smooth(&moved, &mut smooth).expect("a smooth surface");
        for (vertex, x) in smooth.iter().enumerate() {
            let total: f64 = refinement.weights(vertex).map(|(_, weight)| weight).sum();
            assert!((total - 1.0).abs() < 1e-12, "{total}");
            let point = refinement.weights(vertex).fold(Vec3::ZERO, |sum, (v, w)| sum + moved[v as usize] * w);
            assert!(point.distance(*x) < 1e-14);
        }
        refinement.smooth(&coarse.positions, &mut smooth).expect("a smooth surface");
        assert!(largest(&smooth, &refinement.fine_mesh().positions) < 1e-14, "at rest");
    }
}

/// A fine mesh with bumps keeps them, and they turn with it.
#[test]
fn an_embedded_mesh_is_itself_at_rest_and_follows_rotations() {
    let coarse = tube();
    let mut fine = coarse.subdivided().and_then(|mesh| mesh.subdivided()).expect("a fine mesh");
    for (k, p) in fine.positions.iter_mut().enumerate() {
        *p += Vec3::new(p.x, 0.0, p.z) * (0.05 * super::noise(k));
    }
    let refinement = Refinement::embedded(&coarse, &fine).expect("a refinement");
    let mut shown = vec![Vec3::ZERO; fine.positions.len()];
    refinement.smooth(&coarse.positions, &mut shown).expect("a surface");
    assert!(largest(&shown, &fine.positions) < 1e-12);
    let turn = Mat3::from_axis_angle(Vec3::new(0.48, 0.6, 0.64), 1.9);
    let shift = Vec3::new(2.0, -1.0, 0.5);
    refinement.smooth(&coarse.clone().transformed(&turn, shift).positions, &mut shown).expect("a surface");
    assert!(largest(&shown, &fine.transformed(&turn, shift).positions) < 1e-12);
}

/// A finer sheet of the same square lies on the coarse one: whatever that does, weights say where.
#[test]
fn an_embedded_sheet_follows_affine_maps() {
    let coarse = sheet(4);
    let fine = Sheet { columns: 23, rows: 17, ..Sheet::default() }.mesh().expect("a sheet");
    let refinement = Refinement::embedded(&coarse, &fine).expect("a refinement");
    let linear = Mat3::from_cols_array(&[1.2, 0.3, -0.1, 0.4, 0.9, 0.2, -0.3, 0.1, 1.5]);
    let mut shown = vec![Vec3::ZERO; fine.positions.len()];
    refinement.smooth(&coarse.transformed(&linear, Vec3::Y).positions, &mut shown).expect("a surface");
    assert!(largest(&shown, &fine.transformed(&linear, Vec3::Y).positions) < 1e-12);
}

#[test]
fn bad_meshes_and_frames_have_one_clear_error() {
    let coarse = sheet(3);
    let message = |result: Result<Refinement, UpsampleError>| result.expect_err("bad input").to_string();
    let mut holes = coarse.clone();
    holes.positions[5].z = f64::NAN;
    let expected = "the coarse mesh: vertex 5 has a non-finite position (";
    assert!(message(Refinement::loop_subdivision(&holes, 2, &[])).starts_with(expected));
    assert!(message(Refinement::embedded(&coarse, &holes)).starts_with("the fine mesh: vertex 5 has"));
    let empty = TriangleMesh { positions: vec![Vec3::ZERO], triangles: Vec::new() };
    let error = Refinement::embedded(&coarse, &empty).expect_err("empty");
    assert_eq!(error, UpsampleError::Mesh { which: "fine", error: MeshError::Empty { what: "triangles" } });
    // Three triangles at an edge.
    let fan = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE];
    let fan = TriangleMesh::new(fan, vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]]).expect("triangles");
    assert!(message(Refinement::loop_subdivision(&fan, 1, &[])).contains("edge (0, 1) is shared by 3 triangles"));

    let refinement = loop_of(&coarse, 1);
    let mut out = vec![Vec3::ONE; refinement.vertex_counts()[1]];
    let mut frame = coarse.positions.clone();
    frame[7].x = f64::INFINITY;
    let error = refinement.smooth(&frame, &mut out).expect_err("infinite").to_string();
    assert_eq!(
        error,
        "the frame: coarse vertex 7 is at (inf, 0, 0)".replace("0, 0", &format!("{}, {}", frame[7].y, frame[7].z))
    );
    let error = refinement.smooth(&frame[1..], &mut out).expect_err("short").to_string();
    assert_eq!(error, "the frame: 15 coarse positions were given, but the coarse mesh has 16 vertices");
    let error = refinement.smooth(&coarse.positions, &mut out[1..]).expect_err("short").to_string();
    assert_eq!(error, "the room for the frame: 48 fine positions were given, but the fine mesh has 49 vertices");
    assert!(out.iter().all(|p| *p == Vec3::ONE), "nothing is overwritten");
}
