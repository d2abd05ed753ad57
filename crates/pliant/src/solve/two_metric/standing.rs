//! What g would be if nothing moved in a stage: its end is judged by that.
//!
//! With s = x₀ + τ(v₀ + τ a), that g is no greater at the end than at x₀ says that the elastic energy and ½m(v₁ − v₀)² are no more than the energy at the
//! start and the work of a. A stage that ends above has made energy from nowhere.
//!
//! Energies are not below zero, so ½m(x₀ − s)²/τ² is at most that g: a stage that starts below it need not be looked at, since g only falls.

use super::Iteration;

/// Changes of g below this share cannot be told from rounding.
const ROUNDING: f64 = 1e-5;
/// A start that costs so many times what standing still would is no place to start from: light, stiff vertices under pressure would be thrown through
/// their bodies.
const HOPELESS: f64 = 10.0;

impl Iteration<'_, '_> {
    /// Finds what g without contacts would be if nothing but pins moved, where that may be less than g at the start; starts there if the start is hopeless.
    /// Returns g where the stage starts.
    pub(super) fn stand(&mut self, start: f64) -> f64 {
        let before = self.objective.before;
        if start <= self.prepared.inertial_energy(|v| before[v]) {
            return start;
        }
        self.prepared.keep_points(self.origin);
        self.prepared.stand_still(self.objective);
        self.standing = self.prepared.evaluate(self.objective, self.x, self.memory, true);
        if start > HOPELESS * self.standing {
            self.touch(false);
        } else {
            self.prepared.return_to(self.origin);
        }
        self.evaluate()
    }

    /// Whether g is above what it would be if nothing moved. What touches something may have been pushed there.
    pub(super) fn is_above(&self, value: f64) -> bool {
        self.coupled.is_empty() && value > self.standing * (1.0 + ROUNDING)
    }

    /// Whether g may miss so much of what an iteration promised \[J\]: a share of the energy that bodies have, but no more than inertia and external forces
    /// ask for. Pressure on light vertices asks for many times what they ever have.
    pub(super) fn is_allowed(&self, missed: f64, noise: f64) -> bool {
        let energy = || {
            let stored = self.elastic - self.prepared.inertial_energy(|v| self.prepared.position(v));
            self.wanted.min(self.prepared.kinetic_energy(self.objective) + stored.max(0.0))
        };
        let share = self.params.energy_tolerance;
        share > 0.0 && (missed <= noise || missed <= share * energy())
    }
}
