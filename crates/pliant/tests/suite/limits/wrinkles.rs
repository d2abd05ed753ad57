//! Fine meshes that wrinkle on coarse ones.

use pliant::{WrinkleError, WrinkleMesh, WrinkleParams};

use super::*;

const CELLS: usize = 40;

fn meshes(cells: usize) -> (TriangleMesh, TriangleMesh) {
    let sheet = |cells| Sheet { columns: cells, rows: cells, ..Sheet::default() }.mesh().unwrap();
    (sheet(8), sheet(cells))
}

/// The largest, and the root mean square, strain of fine edges after the coarse mesh was compressed along x, in frames.
fn compressed(cells: usize, params: WrinkleParams, by: f64, frames: usize) -> (f64, f64, WrinkleMesh) {
    let (coarse, fine) = meshes(cells);
    let mut wrinkles = WrinkleMesh::new(&coarse, &fine, params).unwrap();
    for frame in 1..=frames {
        let factor = 1.0 - by * frame as f64 / frames as f64;
        let moved: Vec<Vec3> = coarse.positions.iter().map(|p| Vec3::new(factor * p.x, p.y, p.z)).collect();
        wrinkles.follow(&moved).unwrap();
    }
    let strains: Vec<f64> =
        stretches(&fine.edges(), &fine.positions, wrinkles.positions()).iter().map(|s| (s - 1.0).abs()).collect();
    let square = mean(&strains.iter().map(|s| s * s).collect::<Vec<f64>>()).sqrt();
    (largest(&strains), square, wrinkles)
}

#[test]
fn ten_percent_of_compression_leaves_fine_edges_strained_by_less_than_one() {
    let reach = 3.0 / CELLS as f64;
    for one_sided in [true, false] {
        let params = WrinkleParams { one_sided, ..WrinkleParams::within(reach) };
        let (most, square, wrinkles) = compressed(CELLS, params, 0.1, 20);
        let offsets: Vec<f64> = wrinkles.positions().iter().map(|p| p.z).collect();
        let lowest = offsets.iter().fold(f64::INFINITY, |low, z| low.min(*z));
        println!(
            "one-sided {one_sided}: largest strain {most}, rms {square}, from {lowest} m to {} m",
            largest(&offsets)
        );
        assert!(most < 0.01, "{most}");
        assert!(if one_sided { lowest >= 0.0 } else { lowest < -0.2 / CELLS as f64 });
        assert!(largest(&offsets) <= reach);
    }
    // Without wrinkles the edges along x would be strained by 10 %.
    let idle = WrinkleParams { iterations: 0, most_iterations: 0, ..WrinkleParams::within(reach) };
    let (flat, _, _) = compressed(CELLS, idle, 0.1, 20);
    assert!((flat - 0.1).abs() < 0.02, "{flat}");
}

#[test]
fn a_mesh_twice_as_fine_needs_more_iterations_to_keep_its_edges_and_takes_them() {
    let cells = 2 * CELLS;
    let params = WrinkleParams::within(3.0 / cells as f64);
    let (most, _, _) = compressed(cells, params, 0.1, 20);
    let fixed = WrinkleParams { most_iterations: params.iterations, ..params };
    let (short, _, _) = compressed(cells, fixed, 0.1, 20);
    println!("largest strain {most}, with {} iterations alone {short}", params.iterations);
    assert!(most < 0.01, "{most}");
    assert!(short > 0.01, "{short}");
}

#[test]
fn a_mesh_pressed_together_farther_than_its_reach_has_room_for_gives_up_early() {
    // No wrinkle of 0.1 mm makes up for 10 %, so the most iterations that an update may take must not matter.
    let params = WrinkleParams { iterations: 10, ..WrinkleParams::within(1e-4) };
    let pressed = |most_iterations| compressed(CELLS, WrinkleParams { most_iterations, ..params }, 0.1, 1);
    let [(most, _, few), (_, _, many)] = [pressed(1000), pressed(1_000_000_000)];
    assert!(most > 0.05, "{most}");
    assert_eq!(few.positions(), many.positions());
}

#[test]
fn a_coarse_mesh_that_only_moves_and_turns_carries_the_fine_one_unwrinkled() {
    let (coarse, fine) = meshes(CELLS);
    let mut wrinkles = WrinkleMesh::new(&coarse, &fine, WrinkleParams::within(0.05)).unwrap();
    let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 1.9);
    let moved = |list: &[Vec3]| -> Vec<Vec3> { list.iter().map(|p| turn * *p + Vec3::new(1.0, 2.0, 3.0)).collect() };
    wrinkles.follow(&moved(&coarse.positions)).unwrap();
    let off = wrinkles.positions().iter().zip(moved(&fine.positions)).map(|(p, q)| p.distance(q));
    let off = off.fold(0.0, f64::max);
    assert!(off < 0.05 * 0.05 + 1e-9, "no farther than the seed of a frame: {off}");
}

#[test]
fn a_wrinkle_mesh_refuses_what_does_not_fit() {
    let (coarse, fine) = meshes(CELLS);
    let refused = WrinkleMesh::new(&coarse, &fine, WrinkleParams::within(-1.0)).unwrap_err();
    assert_eq!(refused, WrinkleError::BadParameter { name: "reach", value: -1.0, need: "positive" });
    let params = WrinkleParams { tolerance: f64::NAN, ..WrinkleParams::within(0.1) };
    let refused = WrinkleMesh::new(&coarse, &fine, params).unwrap_err();
    assert!(matches!(refused, WrinkleError::BadParameter { name: "tolerance", .. }));
    let mut wrinkles = WrinkleMesh::new(&coarse, &fine, WrinkleParams::within(0.1)).unwrap();
    let error = wrinkles.follow(&coarse.positions[1..]).unwrap_err();
    assert_eq!(error, WrinkleError::LengthMismatch { found: 80, expected: 81 });
    let mut bad = coarse.positions.clone();
    bad[5] = Vec3::NAN;
    assert!(matches!(wrinkles.follow(&bad).unwrap_err(), WrinkleError::NonFinite { vertex: 5, .. }));
}
