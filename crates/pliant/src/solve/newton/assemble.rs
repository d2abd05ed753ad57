//! Second derivatives w Aᵀ H A of elements, one by one.

use crate::energy::{Batch, Curvature, Memory, Operator};
use crate::math::Vec3;

/// Elements whose Hessians are held at once: bounds memory, leaves enough work for threads.
const CHUNK: usize = 4096;

/// The block of w Aᵀ H A between corners i and j of an element, by columns.
fn element_block(operator: &Operator, element: usize, [i, j]: [usize; 2], inner: &[f64]) -> [[f64; 3]; 3] {
    let a = operator.coefficients(element);
    let (corners, rows) = (operator.stencil(element).len(), operator.rows());
    let n = 3 * rows;
    let mut block = [[0.0; 3]; 3];
    for r in 0..rows {
        for s in 0..rows {
            let factor = operator.weight(element) * a[r * corners + i] * a[s * corners + j];
            if factor == 0.0 {
                continue;
            }
            for column in 0..3 {
                (0..3).for_each(|row| block[column][row] += factor * inner[(3 * r + row) * n + 3 * s + column]);
            }
        }
    }
    block
}

/// Calls `visit` with the blocks between corners i ≤ j of all elements of a batch, one after the other. `hessians` is scratch.
pub(in crate::solve) fn for_blocks(
    batch: &dyn Batch,
    x: &[Vec3],
    goals: &[Vec3],
    memory: &Memory,
    curvature: Curvature,
    hessians: &mut Vec<f64>,
    mut visit: impl FnMut([[f64; 3]; 3]),
) {
    let operator = batch.operator();
    let stride = 9 * operator.rows().pow(2);
    for start in (0..operator.len()).step_by(CHUNK) {
        let elements = start..(start + CHUNK).min(operator.len());
        hessians.clear();
        hessians.resize(elements.len() * stride, 0.0);
        batch.hessians(elements.clone(), x, goals, memory, curvature, hessians);
        for (e, inner) in elements.zip(hessians.chunks(stride)) {
            let corners = operator.stencil(e).len();
            for i in 0..corners {
                (i..corners).for_each(|j| visit(element_block(operator, e, [i, j], inner)));
            }
        }
    }
}

/// Sets `matrix` to ∇²g at x, all of it one by one: what the fast ways are compared with. `memory` must be up to date with x.
#[cfg(test)]
pub(in crate::solve) fn hessian(
    objective: &super::Objective<'_>,
    x: &[Vec3],
    memory: &[Memory],
    curvature: Curvature,
    matrix: &mut crate::sparse::BlockMatrix,
) {
    use super::super::objective::for_free_pairs;
    use crate::math::Mat3;
    matrix.clear();
    let model = objective.model;
    let mut contribution = 0;
    for (b, entry) in model.energies().iter().enumerate() {
        let (batch, mut blocks) = (entry.batch.as_ref(), Vec::new());
        for_blocks(batch, x, &objective.goals[b], &memory[b], curvature, &mut Vec::new(), |block| blocks.push(block));
        let mut first = 0;
        for e in 0..batch.operator().len() {
            let stencil = batch.operator().stencil(e);
            let n = stencil.len();
            for_free_pairs(model, stencil, |i, j| {
                let block =
                    Mat3::from_cols_array_2d(&blocks[first + i * n - i * (i + 1) / 2 + j]) * objective.scales[b];
                // The pattern holds the upper triangle: the lower free index is the row.
                let is_ordered = model.free_index(stencil[i]) <= model.free_index(stencil[j]);
                matrix.add(contribution, if is_ordered { block } else { block.transpose() });
                contribution += 1;
            });
            first += n * (n + 1) / 2;
        }
    }
    for &(i, j, value) in model.mass().off_diagonal() {
        if model.free_index(i).is_some() && model.free_index(j).is_some() {
            matrix.add(contribution, Mat3::IDENTITY * (objective.inertia * value));
            contribution += 1;
        }
    }
    for (k, &v) in model.free().iter().enumerate() {
        matrix.add_diagonal(k, Mat3::IDENTITY * (objective.inertia * model.mass().diagonal()[v as usize]));
    }
}
