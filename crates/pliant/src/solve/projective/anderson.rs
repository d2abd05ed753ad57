//! Anderson acceleration of the fixed-point iteration x ← x + δ(x) [Anderson 1965; Peng 2018, §3].
//!
//! The next iterate is the combination of the last plain ones whose residuals δ cancel best in the least-squares sense.

use std::collections::VecDeque;

use crate::math::{Vec3, solve_symmetric};
use crate::sparse::dot;

/// Iterates that can be remembered.
pub(super) const LARGEST_WINDOW: usize = 16;

/// The last residuals and plain iterates. Vectors are kept when they are forgotten, so that solve after solve allocates nothing.
#[derive(Debug)]
pub(crate) struct Anderson {
    window: usize,
    /// Changes of residual and plain iterate between consecutive iterations, newest first, with the length of the former.
    changes: VecDeque<Change>,
    /// Inner products of the changes of residuals, newest first: those that stay are not computed again.
    gram: Vec<f64>,
    last: Change,
    /// Whether `last` is something.
    has_last: bool,
    spare: Vec<Change>,
    next: Vec<Vec3>,
}

#[derive(Debug, Default)]
struct Change {
    residual: Vec<Vec3>,
    plain: Vec<Vec3>,
}

impl Anderson {
    pub(crate) fn new(window: usize) -> Self {
        Self {
            window,
            changes: VecDeque::new(),
            gram: vec![0.0; window * window],
            last: Change::default(),
            has_last: false,
            spare: Vec::new(),
            next: Vec::new(),
        }
    }

    /// Forgets everything: after a refused iterate the history describes another region.
    pub(crate) fn clear(&mut self) {
        self.spare.extend(self.changes.drain(..));
        self.has_last = false;
    }

    /// The accelerated iterate after an iteration with residual δ and plain result x + δ.
    pub(crate) fn next(&mut self, residual: &[Vec3], plain: &[Vec3]) -> &[Vec3] {
        self.remember(residual, plain);
        self.next.clear();
        self.next.extend_from_slice(plain);
        let n = self.changes.len();
        // Normal equations of min ‖δ − Σ θᵢ Δδᵢ‖, with columns scaled to unit length. The newest come first, so that of nearly
        // dependent columns the oldest are dropped.
        let mut scales = [0.0; LARGEST_WINDOW];
        (0..n).for_each(|i| scales[i] = self.gram[i * self.window + i].sqrt());
        if n == 0 || scales[..n].iter().any(|&s| s == 0.0 || !s.is_finite()) {
            return &self.next;
        }
        let (mut gram, mut theta) = ([0.0; LARGEST_WINDOW * LARGEST_WINDOW], [0.0; LARGEST_WINDOW]);
        for i in 0..n {
            (0..n).for_each(|j| gram[i * n + j] = self.gram[i * self.window + j] / (scales[i] * scales[j]));
            theta[i] = dot(&self.changes[i].residual, residual) / scales[i];
        }
        solve_symmetric(&mut gram[..n * n], &mut theta[..n], 1e-12);
        for (i, change) in self.changes.iter().enumerate() {
            let factor = theta[i] / scales[i];
            self.next.iter_mut().zip(&change.plain).for_each(|(next, change)| *next -= *change * factor);
        }
        &self.next
    }

    /// Takes in an iteration; the oldest goes when the window is full.
    fn remember(&mut self, residual: &[Vec3], plain: &[Vec3]) {
        if !std::mem::replace(&mut self.has_last, true) {
            return self.last.set(residual, plain);
        }
        let full = self.changes.len() == self.window;
        let mut change = if full { self.changes.pop_back() } else { self.spare.pop() }.unwrap_or_default();
        change.set(residual, plain);
        change.subtract(&self.last);
        self.last.set(residual, plain);
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

impl Change {
    fn set(&mut self, residual: &[Vec3], plain: &[Vec3]) {
        for (own, values) in [(&mut self.residual, residual), (&mut self.plain, plain)] {
            own.clear();
            own.extend_from_slice(values);
        }
    }

    fn subtract(&mut self, other: &Self) {
        for (own, other) in [(&mut self.residual, &other.residual), (&mut self.plain, &other.plain)] {
            own.iter_mut().zip(other).for_each(|(own, other)| *own -= *other);
        }
    }
}
