//! The solve on a device against the Cholesky factor of the engine, in f64.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use std::sync::Arc;

use pliant::math::Vec3;
use pliant::mesh::generate::{Sheet, TetBox};
use pliant::sparse::{Analysis, Cholesky, SymmetricMatrix, SymmetricPattern};
use pliant_gpu::device::{Device, DeviceChoice};
use pliant_gpu::{CostModel, DirectSolve, FactorStorage, GpuError};

/// A matrix of springs between pairs of points and of inertia at each, with coefficients that differ.
fn springs(count: usize, pairs: &[(u32, u32)], inertia: f64) -> SymmetricMatrix {
    springs_in(1.0, count, pairs, inertia)
}

/// The same in another unit of stiffness.
fn springs_in(unit: f64, count: usize, pairs: &[(u32, u32)], inertia: f64) -> SymmetricMatrix {
    let pattern = Arc::new(SymmetricPattern::new(count, pairs.iter().copied()));
    let mut matrix = SymmetricMatrix::zero(pattern);
    for (k, &(i, j)) in pairs.iter().enumerate() {
        let stiffness = unit * (1.0 + (k % 7) as f64);
        matrix.add(k, -stiffness);
        matrix.add_diagonal(i as usize, stiffness);
        matrix.add_diagonal(j as usize, stiffness);
    }
    (0..count).for_each(|k| matrix.add_diagonal(k, unit * inertia * (1.0 + (k % 3) as f64)));
    matrix
}

fn edges(cells: &[impl AsRef<[u32]>]) -> Vec<(u32, u32)> {
    let mut pairs: Vec<_> = cells
        .iter()
        .flat_map(|cell| {
            let cell = cell.as_ref();
            (0..cell.len()).flat_map(move |i| (0..i).map(move |j| (cell[i].min(cell[j]), cell[i].max(cell[j]))))
        })
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// A sheet and a box beside each other, and a point alone.
fn parts() -> (Vec<Vec3>, Vec<(u32, u32)>) {
    let sheet = Sheet { width: 1.0, height: 0.7, columns: 37, rows: 23, ..Sheet::default() }.mesh().unwrap();
    let solid = TetBox { size: Vec3::new(1.0, 0.5, 0.4), cells: [9, 5, 4], ..TetBox::default() }.mesh().unwrap();
    let mut positions = sheet.positions.clone();
    let (first, mut pairs) = (positions.len() as u32, edges(&sheet.triangles));
    positions.extend(solid.positions.iter().map(|p| *p + Vec3::X * 3.0));
    pairs.extend(edges(&solid.tets).into_iter().map(|(i, j)| (i + first, j + first)));
    positions.push(Vec3::new(0.0, 9.0, 0.0));
    (positions, pairs)
}

fn right_hand_side(count: usize) -> Vec<Vec3> {
    (0..count).map(|k| Vec3::new((k as f64).sin(), (0.3 * k as f64).cos(), (k % 5) as f64 - 2.0)).collect()
}

/// Relative error of the solution, and its bits.
fn solve(device: &Device, matrix: &SymmetricMatrix, positions: &[Vec3], cost: &CostModel) -> (f64, Vec<[f32; 4]>) {
    let b = right_hand_side(positions.len());
    let analysis = Analysis::with_positions(matrix.pattern(), positions).unwrap();
    let mut exact = b.clone();
    Cholesky::new(&analysis, matrix).unwrap().solve(&mut exact);
    let solve = DirectSolve::new(device, matrix, positions, cost).unwrap();
    let in_order: Vec<_> = solve.order().iter().map(|&v| common::row(b[v as usize])).collect();
    device.write(solve.right_hand_side(), 0, &in_order).unwrap();
    let program = device.program(solve.dispatches().to_vec()).unwrap();
    device.run(&[&program]).unwrap();
    let x = device.read(solve.solution(), positions.len()).unwrap();
    let (mut error, mut size) = (0.0, 0.0);
    for (x, &v) in x.iter().zip(solve.order()) {
        error += (common::vector(x) - exact[v as usize]).length_squared();
        size += exact[v as usize].length_squared();
    }
    ((error / size).sqrt(), x)
}

#[test]
fn a_solve_is_exact_to_the_rounding_of_f32_and_has_the_same_bits_in_every_run() {
    let Some(device) = common::device() else { return };
    let (positions, pairs) = parts();
    let matrix = springs(positions.len(), &pairs, 0.01);
    // As it is, with as many levels as there can be, and with as few.
    for level in [CostModel::default().level, 0.0, 1.0] {
        let cost = CostModel { level, ..CostModel::default() };
        let (error, x) = solve(&device, &matrix, &positions, &cost);
        assert!(error < 1e-6, "relative error {error:e} with {level} s for a level");
        assert_eq!(solve(&device, &matrix, &positions, &cost).1, x);
    }
}

#[test]
fn a_factor_in_half_precision_gains_three_digits_in_every_solve() {
    let Some(device) = common::device() else { return };
    let (positions, pairs) = parts();
    // Stiff as cloth is, in SI units: numbers of the inverse are far below what f16 can hold.
    let matrix = springs_in(2e5, positions.len(), &pairs, 0.01);
    let b = right_hand_side(positions.len());
    let analysis = Analysis::with_positions(matrix.pattern(), &positions).unwrap();
    let mut exact = b.clone();
    Cholesky::new(&analysis, &matrix).unwrap().solve(&mut exact);
    let (cost, storage) = (CostModel::default(), FactorStorage::Half);
    let solve = DirectSolve::stored(&device, &matrix, &positions, &cost, storage).unwrap();
    let single = DirectSolve::new(&device, &matrix, &positions, &cost).unwrap();
    assert_eq!(2 * solve.bytes(), single.bytes());
    let program = device.program(solve.dispatches().to_vec()).unwrap();
    let size = exact.iter().map(|x| x.length_squared()).sum::<f64>();
    let mut x = vec![Vec3::ZERO; b.len()];
    let mut errors = Vec::new();
    for _ in 0..2 {
        // What is left, then more of the solution.
        let rest = matrix.residual(&b, &x);
        let in_order: Vec<_> = solve.order().iter().map(|&v| common::row(rest[v as usize])).collect();
        device.write(solve.right_hand_side(), 0, &in_order).unwrap();
        device.run(&[&program]).unwrap();
        let step = device.read(solve.solution(), positions.len()).unwrap();
        step.iter().zip(solve.order()).for_each(|(step, &v)| x[v as usize] += common::vector(step));
        let gap = x.iter().zip(&exact).map(|(x, exact)| x.distance_squared(*exact)).sum::<f64>();
        errors.push((gap / size).sqrt());
    }
    assert!(errors[0] < 3e-3 && errors[1] < 1e-5, "{errors:?}");
}

#[test]
fn a_factor_that_needs_several_buffers_gives_the_same_bits() {
    let Some(device) = common::device() else { return };
    let (positions, pairs) = parts();
    let matrix = springs(positions.len(), &pairs, 0.01);
    let whole = solve(&device, &matrix, &positions, &CostModel::default()).1;
    let narrow = DeviceChoice { binding_size: Some(1 << 17), ..common::choice() };
    let narrow = Device::open(&narrow).unwrap();
    let factor = DirectSolve::new(&narrow, &matrix, &positions, &CostModel::default()).unwrap();
    assert!(factor.bytes() > 4 << 17, "{} bytes are no test", factor.bytes());
    // Panels are cut otherwise, so that sums of a row are as before.
    assert_eq!(solve(&narrow, &matrix, &positions, &CostModel::default()).1, whole);
}

#[test]
fn a_matrix_that_is_not_positive_definite_is_refused() {
    let Some(device) = common::device() else { return };
    let (positions, pairs) = parts();
    let mut matrix = springs(positions.len(), &pairs, 0.01);
    matrix.add_diagonal(17, -1e4);
    let error = DirectSolve::new(&device, &matrix, &positions, &CostModel::default()).unwrap_err();
    assert!(matches!(error, GpuError::NotPositiveDefinite { .. }), "{error}");
}

#[test]
fn a_lost_device_says_so() {
    let Some(_) = common::device() else { return };
    let device = Device::open_anew(&common::choice()).unwrap();
    let (positions, pairs) = parts();
    let matrix = springs(positions.len(), &pairs, 0.01);
    device.lose();
    let error = DirectSolve::new(&device, &matrix, &positions, &CostModel::default()).unwrap_err();
    assert!(matches!(error, GpuError::Lost { .. }), "{error}");
}

#[test]
fn an_adapter_that_is_not_there_is_named_with_those_that_are() {
    let choice = DeviceChoice { name: Some("Voodoo 2".to_owned()), ..DeviceChoice::default() };
    let message = Device::open(&choice).unwrap_err().to_string();
    assert!(message.contains("\"Voodoo 2\"") && message.contains("found"), "{message}");
}
