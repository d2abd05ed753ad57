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
