//! How far a constraint moves its vertices in one visit.

use crate::math::functions::pow;

/// Which values of C are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bound {
    /// C = 0.
    #[default]
    Equal,
    /// C ≥ 0: one-sided, such as a contact.
    AtLeast,
}

/// How far a constraint moves its vertices in one visit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// By a share k' of the error [Müller 2006]. The resulting stiffness depends on iterations, step and masses.
    Share(f64),
    /// Until the force of the compliance balances inertia [Macklin 2016], independent of the number of iterations: 1/τ²
    /// \[1/s²\].
    Compliance {
        /// 1/τ² \[1/s²\], with τ the implicit step.
        inertia: f64,
    },
}

impl Rule {
    /// k' = 1 − (1 − k)^(1/n): n iterations leave 1 − k of an error, for every n [Müller 2006].
    pub fn share_of(stiffness: f64, iterations: usize) -> Self {
        Self::Share(1.0 - pow(1.0 - stiffness, 1.0 / iterations.max(1) as f64))
    }

    /// Δλ for a constraint at value C, with Σ wᵢ‖∇ᵢC‖² = `mobility`.
    ///
    /// ```
    /// use pliant::constraint::{Bound, Rule};
    /// // Two points of 1 kg, 0.1 m too far apart, and no compliance: each goes half of the way.
    /// let mut multiplier = 0.0;
    /// let step = Rule::Compliance { inertia: 3600.0 }.step(0.1, 2.0, 0.0, Bound::Equal, &mut multiplier);
    /// assert!((step + 0.05).abs() < 1e-15);
    /// ```
    #[inline]
    pub fn step(&self, value: f64, mobility: f64, compliance: f64, bound: Bound, multiplier: &mut f64) -> f64 {
        self.damped_step(value, mobility, [compliance, 0.0, 0.0], bound, multiplier)
    }

    /// Δλ with damping: `[compliance, γ, ∇C·(x − x₀)]`, where γ = β/τ for a time constant β of the material, and x₀ are
    /// the positions at the start of the step [Macklin 2016, eq. 26, where γ is α β/τ with β in units of a damper]. A
    /// share has no damping.
    #[inline]
    pub fn damped_step(
        &self,
        value: f64,
        mobility: f64,
        [compliance, damping, moved]: [f64; 3],
        bound: Bound,
        multiplier: &mut f64,
    ) -> f64 {
        let step = match *self {
            Self::Share(share) => {
                if mobility <= 0.0 {
                    return 0.0;
                }
                -share * value / mobility
            }
            Self::Compliance { inertia } => {
                let softness = compliance * inertia;
                let resistance = (1.0 + damping) * mobility + softness;
                if resistance <= 0.0 {
                    return 0.0;
                }
                -(value + softness * *multiplier + damping * moved) / resistance
            }
        };
        let step = match bound {
            Bound::Equal => step,
            // What is one-sided never pulls: of what it has pushed it may take back.
            Bound::AtLeast => step.max(-*multiplier),
        };
        *multiplier += step;
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_leaves_one_minus_k_of_the_error_whatever_the_iterations() {
        for stiffness in [0.0, 0.1, 0.5, 0.99] {
            for iterations in 1..=50 {
                let rule = Rule::share_of(stiffness, iterations);
                let (mut value, mut multiplier) = (1.0, 0.0);
                for _ in 0..iterations {
                    value += 2.0 * rule.step(value, 2.0, 0.0, Bound::Equal, &mut multiplier);
                }
                assert!((value - (1.0 - stiffness)).abs() < 1e-12, "{stiffness} {iterations}: {value}");
            }
        }
    }

    #[test]
    fn a_compliance_balances_inertia_whatever_the_iterations() {
        // min ½ m v² + ½ C²/α for a single mass: C → C₀/(1 + w/α̃) in the first visit, and stays.
        let (rule, mobility, compliance) = (Rule::Compliance { inertia: 100.0 }, 0.5, 1e-3);
        let (mut value, mut multiplier) = (0.3, 0.0);
        for _ in 0..5 {
            value += mobility * rule.step(value, mobility, compliance, Bound::Equal, &mut multiplier);
            assert!((value - 0.3 / (1.0 + mobility / (compliance * 100.0))).abs() < 1e-15, "{value}");
        }
    }

    #[test]
    fn one_sided_constraints_push_and_never_pull() {
        for rule in [Rule::Share(1.0), Rule::Compliance { inertia: 1.0 }] {
            let mut multiplier = 0.0;
            assert_eq!(rule.step(0.2, 1.0, 0.0, Bound::AtLeast, &mut multiplier), 0.0);
            let pushed = rule.step(-0.2, 1.0, 0.0, Bound::AtLeast, &mut multiplier);
            assert!((pushed - 0.2).abs() < 1e-15, "all of the way back: {pushed}");
            let back = rule.step(0.5, 1.0, 0.0, Bound::AtLeast, &mut multiplier);
            assert!((pushed + back).abs() < 1e-15, "it takes back {back} of {pushed}, no more");
        }
    }

    #[test]
    fn what_nothing_can_move_stays() {
        for rule in [Rule::Share(1.0), Rule::Compliance { inertia: 1.0 }] {
            assert_eq!(rule.step(0.2, 0.0, 0.0, Bound::Equal, &mut 0.0), 0.0);
        }
    }
}
