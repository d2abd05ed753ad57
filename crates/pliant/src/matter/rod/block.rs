//! Symmetric block-tridiagonal systems with blocks of 6×6: what couples the segments of a rod.

/// A block, row by row.
pub(super) type Block = [[f64; 6]; 6];
/// A vector beside a block.
pub(super) type Six = [f64; 6];

/// Factors a positive definite block in place: its lower triangle becomes L of L Lᵀ. False where it is not positive definite.
fn factor(a: &mut Block) -> bool {
    for i in 0..6 {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            if i == j {
                let pivot = a[i][i] - dot;
                if pivot.is_nan() || pivot <= 0.0 {
                    return false;
                }
                a[i][i] = pivot.sqrt();
            } else {
                a[i][j] = (a[i][j] - dot) / a[j][j];
            }
        }
    }
    true
}

/// L y = b.
fn forwards(l: &Block, b: &mut Six) {
    for i in 0..6 {
        let dot: f64 = (0..i).map(|k| l[i][k] * b[k]).sum();
        b[i] = (b[i] - dot) / l[i][i];
    }
}

/// Lᵀ x = y.
fn backwards(l: &Block, y: &mut Six) {
    for i in (0..6).rev() {
        let dot: f64 = (i + 1..6).map(|k| l[k][i] * y[k]).sum();
        y[i] = (y[i] - dot) / l[i][i];
    }
}

/// Solves for all blocks of a chain; `beside[i]` couples rows of block i with columns of block i + 1. Overwrites everything; the
/// solution is in `right`. False where the matrix is not positive definite.
pub(super) fn solve(diagonal: &mut [Block], beside: &mut [Block], right: &mut [Six]) -> bool {
    let count = diagonal.len();
    for i in 0..count {
        if i > 0 {
            // With S = L⁻¹ U of the block before: D ← D − Sᵀ S, b ← b − Sᵀ y.
            let (s, y) = (&beside[i - 1], right[i - 1]);
            for r in 0..6 {
                for c in 0..=r {
                    diagonal[i][r][c] -= (0..6).map(|k| s[k][r] * s[k][c]).sum::<f64>();
                }
                right[i][r] -= (0..6).map(|k| s[k][r] * y[k]).sum::<f64>();
            }
        }
        if !factor(&mut diagonal[i]) {
            return false;
        }
        forwards(&diagonal[i], &mut right[i]);
        if i + 1 < count {
            let u = &mut beside[i];
            for c in 0..6 {
                let mut column: Six = std::array::from_fn(|r| u[r][c]);
                forwards(&diagonal[i], &mut column);
                (0..6).for_each(|r| u[r][c] = column[r]);
            }
        }
    }
    for i in (0..count).rev() {
        if i + 1 < count {
            let (s, x) = (&beside[i], right[i + 1]);
            for r in 0..6 {
                right[i][r] -= (0..6).map(|k| s[r][k] * x[k]).sum::<f64>();
            }
        }
        backwards(&diagonal[i], &mut right[i]);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_blocks_is_solved_as_its_full_matrix_says() {
        let number = |k: usize| ((k * 7919 + 13) % 101) as f64 / 101.0 - 0.5;
        let count = 5;
        let mut diagonal = vec![[[0.0; 6]; 6]; count];
        let mut beside = vec![[[0.0; 6]; 6]; count - 1];
        for (i, block) in diagonal.iter_mut().enumerate() {
            for r in 0..6 {
                for c in 0..=r {
                    block[r][c] = number(36 * i + 6 * r + c) + if r == c { 9.0 } else { 0.0 };
                    block[c][r] = block[r][c];
                }
            }
        }
        for (i, block) in beside.iter_mut().enumerate() {
            (0..36).for_each(|k| block[k / 6][k % 6] = number(1000 + 36 * i + k));
        }
        let x: Vec<Six> = (0..count).map(|i| std::array::from_fn(|r| number(3000 + 6 * i + r))).collect();
        let mut right: Vec<Six> = (0..count)
            .map(|i| {
                std::array::from_fn(|r| {
                    let own: f64 = (0..6).map(|c| diagonal[i][r][c] * x[i][c]).sum();
                    let next = if i + 1 < count { (0..6).map(|c| beside[i][r][c] * x[i + 1][c]).sum() } else { 0.0 };
                    let last = if i > 0 { (0..6).map(|c| beside[i - 1][c][r] * x[i - 1][c]).sum() } else { 0.0 };
                    own + next + last
                })
            })
            .collect();
        assert!(solve(&mut diagonal, &mut beside, &mut right));
        for (found, expected) in right.iter().flatten().zip(x.iter().flatten()) {
            assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
        }
        let mut indefinite = vec![[[0.0; 6]; 6]];
        assert!(!solve(&mut indefinite, &mut [], &mut [[0.0; 6]]));
    }
}
