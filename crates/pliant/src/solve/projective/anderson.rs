//! Anderson acceleration of the fixed-point iteration x ← x + δ(x) [Anderson 1965; Peng 2018, §3].
//!
//! The next iterate is the combination of the last plain ones whose residuals δ cancel best in the least-squares sense.

use std::collections::VecDeque;

use crate::math::{Vec3, solve_symmetric};
use crate::sparse::dot;

/// A change between consecutive iterations.
#[derive(Debug)]
struct Change {
    residual: Vec<Vec3>,
    plain: Vec<Vec3>,
}

/// The last residuals and plain iterates.
#[derive(Debug)]
pub(super) struct Anderson {
    window: usize,
    changes: VecDeque<Change>,
    last: Option<Change>,
}

fn difference(a: &[Vec3], b: &[Vec3]) -> Vec<Vec3> {
    a.iter().zip(b).map(|(a, b)| *a - *b).collect()
}

impl Anderson {
    pub(super) fn new(window: usize) -> Self {
        Self { window, changes: VecDeque::new(), last: None }
    }

    /// Forgets everything: after a refused iterate the history describes another region.
    pub(super) fn clear(&mut self) {
        self.changes.clear();
        self.last = None;
    }

    /// The accelerated iterate after an iteration with residual δ and plain result x + δ.
    pub(super) fn next(&mut self, residual: &[Vec3], plain: &[Vec3]) -> Vec<Vec3> {
        let own = Change { residual: residual.to_vec(), plain: plain.to_vec() };
        if let Some(last) = self.last.replace(own) {
            let change =
                Change { residual: difference(residual, &last.residual), plain: difference(plain, &last.plain) };
            self.changes.push_front(change);
            self.changes.truncate(self.window);
        }
        let n = self.changes.len();
        let mut next = plain.to_vec();
        if n == 0 {
            return next;
        }
        // Normal equations of min ‖δ − Σ θᵢ Δδᵢ‖, with columns scaled to unit length. The newest come first, so that of nearly
        // dependent columns the oldest are dropped.
        let scales: Vec<f64> = self.changes.iter().map(|c| dot(&c.residual, &c.residual).sqrt()).collect();
        if scales.iter().any(|&s| s == 0.0 || !s.is_finite()) {
            return next;
        }
        let mut gram = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let value = dot(&self.changes[i].residual, &self.changes[j].residual) / (scales[i] * scales[j]);
                (gram[i * n + j], gram[j * n + i]) = (value, value);
            }
        }
        let mut theta: Vec<f64> = (0..n).map(|i| dot(&self.changes[i].residual, residual) / scales[i]).collect();
        solve_symmetric(&mut gram, &mut theta, 1e-12);
        for (i, change) in self.changes.iter().enumerate() {
            let factor = theta[i] / scales[i];
            next.iter_mut().zip(&change.plain).for_each(|(next, change)| *next -= *change * factor);
        }
        next
    }
}
