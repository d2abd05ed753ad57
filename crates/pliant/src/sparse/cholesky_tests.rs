//! Solves against known answers.

use super::*;

fn path_laplacian(size: usize, shift: f64) -> SymmetricMatrix {
    let links: Vec<(u32, u32)> = (1..size as u32).map(|i| (i - 1, i)).collect();
    let mut matrix = SymmetricMatrix::zero(Arc::new(SymmetricPattern::new(size, links.iter().copied())));
    for (k, &(i, j)) in links.iter().enumerate() {
        matrix.add(k, -1.0);
        matrix.add_diagonal(i as usize, 1.0);
        matrix.add_diagonal(j as usize, 1.0);
    }
    (0..size).for_each(|i| matrix.add_diagonal(i, shift));
    matrix
}

#[test]
fn solve_inverts_a_shifted_path_laplacian() {
    for size in [1, 2, 7, 300] {
        let matrix = path_laplacian(size, 0.01);
        let mut factor = Cholesky::new(&Analysis::new(matrix.pattern()).expect("analysis"), &matrix).expect("spd");
        let expected: Vec<Vec3> = (0..size).map(|i| Vec3::new(i as f64, (i as f64).sin(), 1.0)).collect();
        let mut x: Vec<Vec3> = (0..size)
            .map(|i| {
                let mut row = expected[i] * 0.01;
                if i > 0 {
                    row += expected[i] - expected[i - 1];
                }
                if i + 1 < size {
                    row += expected[i] - expected[i + 1];
                }
                row
            })
            .collect();
        factor.solve(&mut x);
        for (a, b) in x.iter().zip(&expected) {
            assert!((*a - *b).length() < 1e-9 * size as f64);
        }
    }
}

#[test]
fn an_indefinite_matrix_is_refused() {
    let matrix = path_laplacian(5, -0.5);
    let result = Cholesky::new(&Analysis::new(matrix.pattern()).expect("analysis"), &matrix);
    assert!(matches!(result, Err(FactorError::NotPositiveDefinite { size: 5, .. })));
}

/// The Laplacian of a grid of side³ unknowns, shifted.
fn grid_laplacian(side: u32, shift: f64) -> (SymmetricMatrix, Vec<Vec3>) {
    let at = |i: u32, j: u32, k: u32| (i * side + j) * side + k;
    let (mut links, mut positions) = (Vec::new(), Vec::new());
    for i in 0..side {
        for j in 0..side {
            for k in 0..side {
                positions.push(Vec3::new(i.into(), j.into(), k.into()));
                let next = [(i + 1, j, k), (i, j + 1, k), (i, j, k + 1)];
                let inside = next.into_iter().filter(|(i, j, k)| i.max(j).max(k) < &side);
                links.extend(inside.map(|(a, b, c)| (at(i, j, k), at(a, b, c))));
            }
        }
    }
    let mut matrix = SymmetricMatrix::zero(Arc::new(SymmetricPattern::new(positions.len(), links.iter().copied())));
    for (k, &(i, j)) in links.iter().enumerate() {
        matrix.add(k, -1.0);
        [i, j].into_iter().for_each(|v| matrix.add_diagonal(v as usize, 1.0));
    }
    (0..positions.len()).for_each(|v| matrix.add_diagonal(v, shift));
    (matrix, positions)
}

#[test]
fn portable_numbers_agree_with_the_library() {
    for (side, shift) in [(1, 1.0), (2, 0.5), (5, 0.1), (13, 0.01)] {
        let (matrix, positions) = grid_laplacian(side, shift);
        for analysis in [
            Analysis::new(matrix.pattern()).expect("analysis"),
            Analysis::with_positions(matrix.pattern(), &positions).expect("analysis"),
        ] {
            let mut theirs = Cholesky::new(&analysis, &matrix).expect("positive definite");
            let (mut ours, mut room) = (theirs.values.clone(), Room::default());
            for (part, values) in analysis.parts.iter().zip(&mut ours) {
                let own: Vec<f64> = part.entries.iter().map(|&k| matrix.values()[k as usize]).collect();
                supernodal::factor(part, &Plan::new(part), &own, values, &mut room).expect("positive definite");
            }
            for (part, (ours, theirs)) in analysis.parts.iter().zip(ours.iter().zip(&theirs.values)) {
                for s in 0..part.supernode_count() {
                    let (width, height, stretch) = (part.columns(s).len(), part.height(s), part.stretch(s));
                    for j in 0..width {
                        let column = stretch.start + j * height + j..stretch.start + (j + 1) * height;
                        for (a, b) in ours[column.clone()].iter().zip(&theirs[column]) {
                            assert!((a - b).abs() < 1e-12, "side {side}: {a} for {b}");
                        }
                    }
                }
            }
            let right: Vec<Vec3> = positions.iter().map(|p| *p + Vec3::new(1.0, -2.0, 0.5)).collect();
            let mut expected = right.clone();
            theirs.solve(&mut expected);
            for (part, values) in analysis.parts.iter().zip(&ours) {
                let unknown = |k: usize| part.unknowns[part.eliminated(k)] as usize;
                for c in 0..3 {
                    let mut x: Vec<f64> = (0..part.size()).map(|k| right[unknown(k)][c]).collect();
                    supernodal::solve(part, values, &mut x, &mut vec![0.0; part.size()]);
                    for (k, x) in x.iter().enumerate() {
                        assert!((x - expected[unknown(k)][c]).abs() < 1e-11 * (1.0 + x.abs()), "side {side}");
                    }
                }
            }
        }
    }
}

#[test]
fn portable_numbers_of_an_indefinite_or_broken_matrix_are_refused() {
    for bad in [-0.5, f64::NAN, f64::INFINITY] {
        let (mut matrix, _) = grid_laplacian(4, 0.1);
        matrix.add_diagonal(21, bad * 20.0);
        let analysis = Analysis::new(matrix.pattern()).expect("analysis");
        let part = &analysis.parts[0];
        let column = (0..part.size()).find(|&k| part.eliminated(k) == 21).expect("the unknown");
        let own: Vec<f64> = part.entries.iter().map(|&k| matrix.values()[k as usize]).collect();
        let mut values = vec![0.0; part.symbolic.len_val()];
        let result = supernodal::factor(part, &Plan::new(part), &own, &mut values, &mut Room::default());
        assert_eq!(result, Err(column), "{bad}");
    }
}

#[test]
fn wide_blocks_are_inverted_alike_in_place_and_by_the_library() {
    let (columns, height) = (37, 61);
    let entry = |i: usize, j: usize| {
        if i < j { 9.0 } else { ((7 * i + 3 * j) as f64).sin() + if i == j { 40.0 } else { 0.0 } }
    };
    let block: Vec<f64> = (0..columns * height).map(|k| entry(k % height, k / height)).collect();
    let (mut ours, mut theirs) = (block.clone(), block);
    supernodal::invert_in_place(&mut ours, columns, height, &mut vec![0.0; columns]);
    invert_supernode(&mut theirs, columns, height, &mut Vec::new());
    for (a, b) in ours.iter().zip(&theirs) {
        assert!((a - b).abs() < 1e-14, "{a} for {b}");
    }
}
