use std::sync::Arc;

use super::layout::Node;
use super::sweep::{panel_block, panel_blocks};
use super::*;
use crate::sparse::{Analysis, SymmetricMatrix, SymmetricPattern};

/// A grid of springs with masses, a few vertices of other pieces beside it, and positions.
fn system(columns: usize, rows: usize, depth: usize) -> (SymmetricMatrix, Vec<Vec3>) {
    let id = |i: usize, j: usize, k: usize| ((k * rows + j) * columns + i) as u32;
    let mut links = Vec::new();
    let mut positions = Vec::new();
    for k in 0..depth {
        for j in 0..rows {
            for i in 0..columns {
                positions.push(Vec3::new(i as f64, j as f64, k as f64));
                for [a, b, c] in [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [2, 0, 0], [0, 2, 0], [0, 1, 1]] {
                    if i + a < columns && j + b < rows && k + c < depth {
                        links.push((id(i, j, k), id(i + a, j + b, k + c)));
                    }
                }
            }
        }
    }
    // Two loose pieces: a link and a single vertex.
    let loose = positions.len() as u32;
    positions.extend([Vec3::splat(-3.0), Vec3::splat(-4.0), Vec3::splat(-9.0)]);
    links.push((loose, loose + 1));
    let size = positions.len();
    let mut matrix = SymmetricMatrix::zero(Arc::new(SymmetricPattern::new(size, links.iter().copied())));
    for (k, &(i, j)) in links.iter().enumerate() {
        let stiffness = 10.0 + (k % 7) as f64;
        matrix.add(k, -stiffness);
        matrix.add_diagonal(i as usize, stiffness);
        matrix.add_diagonal(j as usize, stiffness);
    }
    (0..size).for_each(|i| matrix.add_diagonal(i, 0.3 + 0.01 * (i % 5) as f64));
    (matrix, positions)
}

fn right_hand_side(size: usize) -> Vec<Vec3> {
    (0..size).map(|i| Vec3::new((i as f64).sin(), (0.3 * i as f64).cos(), 1.0 / (1.0 + i as f64))).collect()
}

fn largest(vectors: impl Iterator<Item = Vec3>) -> f64 {
    vectors.fold(0.0, |m, v| m.max(v.length()))
}

#[test]
fn packed_solve_equals_the_library_solve_in_both_precisions() {
    for (columns, rows, depth) in [(1, 1, 1), (3, 2, 1), (40, 37, 1), (9, 8, 14), (90, 91, 1), (13, 14, 20)] {
        let (matrix, positions) = system(columns, rows, depth);
        let analysis = Analysis::with_positions(matrix.pattern(), &positions).expect("analysis");
        let mut factor = Cholesky::new(&analysis, &matrix).expect("spd");
        let b = right_hand_side(positions.len());
        let mut exact = b.clone();
        factor.solve(&mut exact);
        let scale = largest(exact.iter().copied());
        for (precision, tolerance) in [(Precision::Double, 1e-12), (Precision::Single, 1e-5)] {
            let mut packed = PackedFactor::new(&factor, precision);
            for _ in 0..2 {
                for from_memory in [false, true] {
                    with_numbers!(&mut packed.0, packed => packed.from_memory = from_memory);
                    let mut x = b.clone();
                    packed.solve(&mut x);
                    let error = largest(x.iter().zip(&exact).map(|(a, b)| *a - *b)) / scale;
                    assert!(error < tolerance, "{columns}×{rows}×{depth} {precision:?} {from_memory}: {error:e}");
                }
            }
        }
    }
}

#[test]
fn orderings_give_the_same_solution() {
    let (matrix, positions) = system(30, 31, 1);
    let b = right_hand_side(positions.len());
    let [one, other] = [
        Analysis::new(matrix.pattern()).expect("analysis"),
        Analysis::with_positions(matrix.pattern(), &positions).expect("analysis"),
    ]
    .map(|analysis| {
        let mut x = b.clone();
        PackedFactor::new(&Cholesky::new(&analysis, &matrix).expect("spd"), Precision::Double).solve(&mut x);
        x
    });
    assert!(largest(one.iter().zip(&other).map(|(a, b)| *a - *b)) < 1e-11 * largest(one.iter().copied()));
}

#[cfg(feature = "parallel")]
#[test]
fn threads_change_no_bit_of_a_solve() {
    let (matrix, positions) = system(120, 110, 1);
    let analysis = Analysis::with_positions(matrix.pattern(), &positions).expect("analysis");
    let factor = Cholesky::new(&analysis, &matrix).expect("spd");
    for precision in [Precision::Single, Precision::Double] {
        let mut packed = PackedFactor::new(&factor, precision);
        for from_memory in [false, true] {
            with_numbers!(&mut packed.0, packed => packed.from_memory = from_memory);
            let mut reference = right_hand_side(positions.len());
            packed.solve(&mut reference);
            for threads in [1, 2, 3, 8] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                let mut x = right_hand_side(positions.len());
                pool.install(|| packed.solve(&mut x));
                assert!(x == reference, "{precision:?} {from_memory} on {threads} threads");
            }
        }
    }
}

#[test]
fn refilling_takes_the_new_numbers() {
    let (mut matrix, positions) = system(20, 25, 1);
    let analysis = Analysis::with_positions(matrix.pattern(), &positions).expect("analysis");
    let mut packed = PackedFactor::new(&Cholesky::new(&analysis, &matrix).expect("spd"), Precision::Double);
    (0..positions.len()).for_each(|i| matrix.add_diagonal(i, 5.0));
    let mut factor = Cholesky::new(&analysis, &matrix).expect("spd");
    packed.refill(&factor);
    let (mut x, mut exact) = (right_hand_side(positions.len()), right_hand_side(positions.len()));
    packed.solve(&mut x);
    factor.solve(&mut exact);
    assert!(largest(x.iter().zip(&exact).map(|(a, b)| *a - *b)) < 1e-12 * largest(exact.iter().copied()));
}

#[test]
fn increments_refine_a_single_precision_factor_to_full_accuracy() {
    let (matrix, positions) = system(50, 40, 1);
    let analysis = Analysis::with_positions(matrix.pattern(), &positions).expect("analysis");
    let mut factor = Cholesky::new(&analysis, &matrix).expect("spd");
    let mut packed = PackedFactor::new(&factor, Precision::Single);
    let b = right_hand_side(positions.len());
    let mut exact = b.clone();
    factor.solve(&mut exact);
    let mut x = vec![Vec3::ZERO; b.len()];
    for _ in 0..4 {
        let mut step = matrix.residual(&b, &x);
        packed.solve(&mut step);
        x.iter_mut().zip(&step).for_each(|(x, d)| *x += *d);
    }
    assert!(largest(x.iter().zip(&exact).map(|(a, b)| *a - *b)) < 1e-13 * largest(exact.iter().copied()) * 10.0);
}

#[test]
fn groups_are_the_same_from_both_ends_and_blocks_divide_none() {
    for width in [4usize, 8] {
        for (columns, below) in
            (1..40usize).flat_map(|columns| (0..500usize).step_by(7).map(move |below| (columns, below)))
        {
            let panels = (columns + below).div_ceil(width);
            let node = Node { start: 0, columns, panels, first_row: 0, first_value: 0, parent: None };
            let triangle = node.triangular_panels(width);
            let (mut starts, mut panel) = (vec![], triangle);
            while panel < panels {
                starts.push(panel);
                panel += node.group_from(panel);
            }
            assert_eq!(panel, panels);
            let mut end = panels;
            for &start in starts.iter().rev() {
                end -= node.group_before(end, width);
                assert_eq!(end, start, "{columns} columns, {panels} panels");
            }
            let mut next = 0;
            for block in 0..panel_blocks(&node, width) {
                let (first, end) = panel_block(&node, block, width);
                assert!(first == next && end > first);
                assert!(first < triangle || starts.contains(&first), "{columns} columns, {panels} panels");
                next = end;
            }
            assert_eq!(next, panels);
        }
    }
}
