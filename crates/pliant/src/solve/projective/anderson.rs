//! Anderson acceleration of the fixed-point iteration x ← x + δ(x) [Anderson 1965; Peng 2018, §3].
//!
//! The next iterate is the combination of the last plain ones whose residuals δ cancel best in the least-squares sense.

use std::collections::VecDeque;

use crate::math::{Vec3, solve_symmetric};
use crate::sparse::dot;

/// The last residuals and plain iterates.
#[derive(Debug)]
pub(super) struct Anderson {
    window: usize,
    /// Changes of residual and plain iterate between consecutive iterations, newest first, with the length of the former.
    changes: VecDeque<Change>,
    /// Inner products of the changes of residuals, newest first: those that stay are not computed again.
    gram: Vec<f64>,
    last: Option<(Vec<Vec3>, Vec<Vec3>)>,
    next: Vec<Vec3>,
}

#[derive(Debug)]
struct Change {
    residual: Vec<Vec3>,
    plain: Vec<Vec3>,
}

impl Anderson {
    pub(super) fn new(window: usize) -> Self {
        Self { window, changes: VecDeque::new(), gram: vec![0.0; window * window], last: None, next: Vec::new() }
    }

    /// Forgets everything: after a refused iterate the history describes another region.
    pub(super) fn clear(&mut self) {
        self.changes.clear();
        self.last = None;
    }

    /// The accelerated iterate after an iteration with residual δ and plain result x + δ.
    pub(super) fn next(&mut self, residual: &[Vec3], plain: &[Vec3]) -> &[Vec3] {
        self.remember(residual, plain);
        self.next.clear();
        self.next.extend_from_slice(plain);
        let n = self.changes.len();
        // Normal equations of min ‖δ − Σ θᵢ Δδᵢ‖, with columns scaled to unit length. The newest come first, so that of nearly
        // dependent columns the oldest are dropped.
        let scales: Vec<f64> = (0..n).map(|i| self.gram[i * self.window + i].sqrt()).collect();
        if n == 0 || scales.iter().any(|&s| s == 0.0 || !s.is_finite()) {
            return &self.next;
        }
        let mut gram = vec![0.0; n * n];
        for i in 0..n {
            (0..n).for_each(|j| gram[i * n + j] = self.gram[i * self.window + j] / (scales[i] * scales[j]));
        }
        let mut theta: Vec<f64> = (0..n).map(|i| dot(&self.changes[i].residual, residual) / scales[i]).collect();
        solve_symmetric(&mut gram, &mut theta, 1e-12);
        for (i, change) in self.changes.iter().enumerate() {
            let factor = theta[i] / scales[i];
            self.next.iter_mut().zip(&change.plain).for_each(|(next, change)| *next -= *change * factor);
        }
        &self.next
    }

    /// Takes in an iteration; the oldest goes when the window is full.
    fn remember(&mut self, residual: &[Vec3], plain: &[Vec3]) {
        let Some((last_residual, last_plain)) = &mut self.last else {
            self.last = Some((residual.to_vec(), plain.to_vec()));
            return;
        };
        let mut change = if self.changes.len() == self.window { self.changes.pop_back() } else { None }
            .unwrap_or_else(|| Change { residual: residual.to_vec(), plain: plain.to_vec() });
        set_difference(&mut change.residual, residual, last_residual);
        set_difference(&mut change.plain, plain, last_plain);
        last_residual.copy_from_slice(residual);
        last_plain.copy_from_slice(plain);
        self.changes.push_front(change);
        // Shift the known inner products by one, then add those of the new change.
        let (n, w) = (self.changes.len(), self.window);
        for i in (1..n).rev() {
            (1..n).rev().for_each(|j| self.gram[i * w + j] = self.gram[(i - 1) * w + j - 1]);
        }
        for j in 0..n {
            let product = dot(&self.changes[0].residual, &self.changes[j].residual);
            (self.gram[j], self.gram[j * w]) = (product, product);
        }
    }
}

fn set_difference(out: &mut [Vec3], a: &[Vec3], b: &[Vec3]) {
    out.iter_mut().zip(a).zip(b).for_each(|((out, a), b)| *out = *a - *b);
}
