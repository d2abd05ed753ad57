//! What g would be if nothing moved in a stage: its end is judged by that.
//!
//! With s = x₀ + τ(v₀ + τ a), that g is no greater at the end than at x₀ says that the elastic energy and ½m(v₁ − v₀)² are no more than the energy at the
//! start and the work of a. A stage that ends above has made energy from nowhere.
//!
//! Energies are not below zero, so ½m(x₀ − s)²/τ² is at most that g, and costs nothing: only a stage that ends above it has to be looked at.

use super::Iteration;

/// Changes of g below this share cannot be told from rounding.
const ROUNDING: f64 = 1e-5;
/// Under pressure, a start that costs so many times what standing still would is no place to start from: light, stiff vertices would be thrown through their
/// bodies. Elsewhere it is: from standing still, the rounding of f32 hides which way a hanging sheet of paper goes, and it stays where it is.
const HOPELESS: f64 = 10.0;

impl Iteration<'_, '_> {
    /// Starts where the stage begins if g at the start is hopeless beside that. Returns g where it starts.
    pub(super) fn leave_hopeless(&mut self, start: f64) -> f64 {
        if start <= HOPELESS * self.least_standing() || start <= HOPELESS * self.find_standing() {
            return start;
        }
        self.prepared.stand_still(self.objective);
        self.touch(false);
        self.evaluate()
    }

    /// Whether g is above what it would be if nothing moved. What touches something may have been pushed there.
    pub(super) fn is_above(&mut self) -> bool {
        let above = |value: f64, limit: f64| value > limit * (1.0 + ROUNDING);
        let value = self.value();
        self.params.energy_tolerance > 0.0
            && self.coupled.is_empty()
            && above(value, self.least_standing())
            && above(value, self.find_standing())
    }

    fn least_standing(&self) -> f64 {
        self.prepared.inertial_energy(|v| self.objective.before[v])
    }

    /// g without contacts if nothing but pins moved, worked out once in a stage \[J\].
    fn find_standing(&mut self) -> f64 {
        if let Some(standing) = self.standing {
            return standing;
        }
        self.prepared.keep_points(self.origin);
        self.prepared.stand_still(self.objective);
        let standing = self.prepared.evaluate(self.objective, self.x, self.memory, true);
        self.prepared.return_to(self.origin);
        self.evaluate();
        *self.standing.insert(standing)
    }

    /// Elastic energy at the current positions: g without contacts and inertia \[J\].
    pub(super) fn stored(&self) -> f64 {
        self.elastic - self.prepared.inertial_energy(|v| self.prepared.position(v))
    }

    /// Whether g may miss so much of what an iteration promised \[J\]: a share of the energy that bodies have, but no more than inertia and external forces
    /// ask for. Pressure on light vertices asks for many times what they ever have.
    pub(super) fn is_allowed(&self, missed: f64, noise: f64) -> bool {
        let energy = || self.wanted.min(self.prepared.kinetic_energy(self.objective) + self.stored().max(0.0));
        let share = self.params.energy_tolerance;
        share > 0.0 && (missed <= noise || missed <= share * energy())
    }
}
