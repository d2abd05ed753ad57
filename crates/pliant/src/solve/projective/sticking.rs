//! The factor that contacts are solved with: H, and the weights of vertices that stick to colliders.
//!
//! Contacts come and go, so their weights do not stay in H: kept there "just in case" they slow every free mode down. A vertex that
//! sticks has its weight w in all three directions, which is w eᵢeᵢᵀ in the one matrix for x, y and z: it can be in the factor. One
//! that slides, or has no friction, is held along its normal only, and contacts between surfaces couple vertices that the
//! factor does not: these never are, conjugate gradients deal with them (`contact`). The rule, by kinds and counts alone:
//!
//! 1. A stage begins with H and the vertices that stick at its start, brought in by rank-one updates or one numeric factorisation, whichever
//!    takes fewer operations ([`DynamicFactor`]). Where these are the ones of the stage before, its factor is used again.
//! 2. Vertices that begin or cease to stick while it is solved are updates and downdates, up to [`MOST_AT_ONCE`] in an iteration;
//!    more are left to conjugate gradients until the next stage begins.
//!
//! A stage begins with numbers that depend on nothing but its own contacts, so a run from a checkpoint takes the same bits.

use crate::solve::SolveError;
use crate::sparse::{
    Analysis, ChangeError, DynamicFactor, MatrixChange, PackedFactor, Precision, SymmetricMatrix, Update,
};

/// Changes in an iteration beyond which updates would take longer than the iterations of conjugate gradients that they save: an
/// update takes about a third of a solve on the curtain, and a few dozen changes ask for about ten more solves.
pub(super) const MOST_AT_ONCE: usize = 30;

/// H with the weights of what sticks.
#[derive(Debug, Default)]
pub(super) struct StickingFactor {
    system: Option<DynamicFactor>,
    /// Places and weights in the factor, ascending.
    held: Vec<(u32, f64)>,
    /// Whether the numbers are those that a stage would begin with.
    is_fresh: bool,
}

/// What a change of the factor took.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::solve) struct Work {
    pub(super) updates: usize,
    pub(super) factorisations: usize,
}

impl Work {
    pub(super) fn add(&mut self, other: Self) {
        self.updates += other.updates;
        self.factorisations += other.factorisations;
    }
}

impl StickingFactor {
    /// How many changes lead to other places that stick.
    pub(super) fn changes_to(&self, sticking: &[(u32, f64)]) -> usize {
        differences(&self.held, sticking).len()
    }

    /// Takes the places that stick with their weights, ascending by place. `order` has the unknown at each place; `matrix` makes H.
    pub(super) fn take(
        &mut self,
        sticking: &[(u32, f64)],
        order: &[u32],
        begins: bool,
        analysis: &Analysis,
        precision: Precision,
        matrix: impl FnOnce() -> SymmetricMatrix,
    ) -> Result<Work, SolveError> {
        if begins {
            if self.is_fresh && self.held == sticking {
                return Ok(Work::default());
            }
            if let (Some(system), false) = (&mut self.system, self.held.is_empty() && self.is_fresh) {
                system.return_to_origin();
            }
            self.held.clear();
            self.is_fresh = true;
        }
        let changes = differences(&self.held, sticking);
        if changes.is_empty() {
            return Ok(Work::default());
        }
        let system = match &mut self.system {
            Some(system) => system,
            none => {
                let mut system = DynamicFactor::new(analysis, matrix(), precision)?;
                system.set_origin();
                none.insert(system)
            }
        };
        let vectors: Vec<([(u32, f64); 1], Update)> = changes
            .iter()
            .map(|&(place, weight, update)| ([(order[place as usize], f64::sqrt(weight))], update))
            .collect();
        let batch: Vec<MatrixChange<'_>> =
            vectors.iter().map(|(vector, update)| MatrixChange { vector, update: *update }).collect();
        let report = system.apply(&batch).map_err(|error| match error {
            ChangeError::Factor(error) => SolveError::from(error),
            // Each vector is one unknown of the matrix with a weight that was checked to be finite.
            ChangeError::Vector { .. } => SolveError::NonFiniteObjective { value: f64::NAN },
        })?;
        self.held.clear();
        self.held.extend_from_slice(sticking);
        self.is_fresh = begins;
        Ok(Work { updates: report.updates, factorisations: usize::from(report.refactorised.is_some()) })
    }

    /// The factor; none if nothing is in it beside H.
    pub(super) fn factor(&mut self) -> Option<&mut PackedFactor> {
        self.system.as_mut().filter(|_| !self.held.is_empty()).map(DynamicFactor::packed)
    }

    /// What is in it beside H.
    pub(super) fn held(&self) -> &[(u32, f64)] {
        &self.held
    }
}

/// What leads from one ascending list to another.
fn differences(from: &[(u32, f64)], to: &[(u32, f64)]) -> Vec<(u32, f64, Update)> {
    let (mut i, mut j) = (0, 0);
    let mut changes = Vec::new();
    while i < from.len() || j < to.len() {
        let (old, new) = (from.get(i), to.get(j));
        let (place_old, place_new) = (old.map_or(u32::MAX, |o| o.0), new.map_or(u32::MAX, |n| n.0));
        if old == new {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        if let (true, Some(&(place, weight))) = (place_old <= place_new, old) {
            changes.push((place, weight, Update::Remove));
            i += 1;
        }
        if let (true, Some(&(place, weight))) = (place_new <= place_old, new) {
            changes.push((place, weight, Update::Add));
            j += 1;
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_lead_from_one_list_to_the_other() {
        let from = [(1, 2.0), (3, 1.0), (7, 4.0)];
        let to = [(0, 1.0), (3, 1.0), (7, 5.0), (9, 1.0)];
        let expected = [
            (0, 1.0, Update::Add),
            (1, 2.0, Update::Remove),
            (7, 4.0, Update::Remove),
            (7, 5.0, Update::Add),
            (9, 1.0, Update::Add),
        ];
        assert_eq!(differences(&from, &to), expected);
        assert!(differences(&to, &to).is_empty());
    }
}
