//! The law of one contact, as an augmented Lagrangian.
//!
//! With depth d = b − n·x, multiplier λ ≥ 0 and weight w the normal force is max(0, λ + w d), the derivative of
//! (max(0, λ + w d)² − λ²)/2w. After each iteration λ becomes that force, so that d goes to 0 by a factor of about 1/(1 + w/H) per
//! iteration, whatever the load: a half-space of stiffness w alone would be penetrated by load/w.
//!
//! Friction is the same in the plane of contact: with u the way that the vertex slid on the surface in this step, λₜ + w u is cut
//! back to the length r = μ λ, the derivative of Huber's function. While it is shorter the vertex sticks, and u goes to 0 as d does;
//! once it is longer the vertex slides against a force of exactly μ λ. Friction that only cuts velocities cannot stick, because
//! positions have moved before.
//!
//! Departure: [Bouaziz 2014, §6] has neither multipliers nor friction within the solve.

use crate::math::{Mat3, Vec3};

/// One vertex at one collider's surface, in the course of a stage.
#[derive(Debug, Clone)]
pub(super) struct Law {
    pub(super) vertex: u32,
    pub(super) collider: u32,
    /// n.
    pub(super) normal: Vec3,
    /// b, the thickness included \[m\].
    pub(super) offset: f64,
    /// Where the vertex was at the start of the step \[m\].
    pub(super) start: Vec3,
    /// How far the touched point of the surface moves \[m\].
    pub(super) shift: Vec3,
    /// When it touched, as a fraction of the stage.
    pub(super) time: f64,
    /// w \[N/m\].
    pub(super) weight: f64,
    /// μ.
    pub(super) friction: f64,
    /// λ \[N\].
    pub(super) pressed: f64,
    /// λₜ \[N\]; the force on the vertex is its opposite.
    pub(super) rubbed: Vec3,
    /// The force with which the last linear solve balanced the vertex \[N\].
    pub(super) balanced: Vec3,
}

impl Law {
    pub(super) fn depth(&self, x: Vec3) -> f64 {
        self.offset - self.normal.dot(x)
    }

    pub(super) fn tangential(&self, v: Vec3) -> Vec3 {
        v - self.normal * self.normal.dot(v)
    }

    /// How far the vertex slid on the surface \[m\].
    pub(super) fn slid(&self, x: Vec3) -> Vec3 {
        self.tangential(x - self.start - self.shift)
    }

    fn push(&self, x: Vec3) -> f64 {
        (self.pressed + self.weight * self.depth(x)).max(0.0)
    }

    /// Friction before and after it is cut back to its limit.
    fn drag(&self, x: Vec3) -> (Vec3, f64) {
        let limit = self.friction * self.pressed;
        let full = self.rubbed + self.slid(x) * self.weight;
        let length = full.length();
        (full, if length > limit { limit / length } else { 1.0 })
    }

    /// Force on the vertex \[N\].
    pub(super) fn force(&self, x: Vec3) -> Vec3 {
        let (full, share) = self.drag(x);
        self.normal * self.push(x) - full * share
    }

    /// The potential whose negative gradient is the force \[J\].
    pub(super) fn energy(&self, x: Vec3) -> f64 {
        let push = self.push(x);
        let (full, share) = self.drag(x);
        // Huber's function: quadratic up to the limit, linear beyond.
        let length = full.length();
        let cut = share * length;
        let friction = cut * length - 0.5 * cut * cut;
        (0.5 * (push * push - self.pressed * self.pressed) + friction - 0.5 * self.rubbed.length_squared())
            / self.weight
    }

    /// A matrix above the second derivative of the energy \[N/m\]. The derivative itself is 0 along the slip of a sliding vertex;
    /// with it vertices at the edge of slipping were seen to go back and forth without end.
    pub(super) fn stiffness(&self, x: Vec3) -> Mat3 {
        let n = self.normal;
        let along = Mat3::from_cols(n * n.x, n * n.y, n * n.z);
        let normal = if self.push(x) > 0.0 { self.weight } else { 0.0 };
        let tangential = if self.friction * self.pressed > 0.0 { self.weight * self.drag(x).1 } else { 0.0 };
        along * (normal - tangential) + Mat3::from_diagonal(Vec3::splat(tangential))
    }

    /// Takes the forces at x as multipliers.
    pub(super) fn settle(&mut self, x: Vec3) {
        let push = self.push(x);
        let full = self.rubbed + self.slid(x) * self.weight;
        self.pressed = push;
        let limit = self.friction * push;
        let length = full.length();
        self.rubbed = if length > limit { full * (limit / length) } else { full };
    }

    /// Turns the plane; what was rubbed stays in it.
    pub(super) fn turn(&mut self, normal: Vec3, offset: f64, shift: Vec3) {
        let length = self.rubbed.length();
        (self.normal, self.offset, self.shift) = (normal, offset, shift);
        self.rubbed = self.tangential(self.rubbed).normalize_or_zero() * length;
    }

    /// Moves a vertex of inertia m/τ² \[N/m\] out along the normal and back against its slip; takes the forces that do so.
    pub(super) fn displace(&mut self, x: Vec3, inertia: f64) -> Vec3 {
        let depth = self.depth(x).max(0.0);
        let slid = self.slid(x);
        let length = slid.length();
        let most = self.friction * depth;
        let back = if length > most { slid * (most / length) } else { slid };
        let back = if depth > 0.0 { back } else { Vec3::ZERO };
        (self.pressed, self.rubbed) = (depth * inertia, back * inertia);
        self.balanced = self.normal * self.pressed - self.rubbed;
        x + self.normal * depth - back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law() -> Law {
        Law {
            vertex: 0,
            collider: 0,
            normal: Vec3::new(0.6, 0.8, 0.0),
            offset: 0.1,
            start: Vec3::new(0.02, 0.1, 0.3),
            shift: Vec3::new(0.01, 0.0, -0.02),
            time: 0.0,
            weight: 50.0,
            friction: 0.7,
            pressed: 1.5,
            rubbed: Vec3::new(-0.8, 0.6, 0.2) * 0.4,
            balanced: Vec3::ZERO,
        }
    }

    #[test]
    fn the_force_is_the_negative_gradient_of_the_energy() {
        // Sticking, sliding, and without touch.
        for x in [Vec3::new(0.03, 0.1, 0.28), Vec3::new(0.2, 0.0, 0.5), Vec3::new(0.4, 0.9, 0.0)] {
            let (law, e) = (law(), 1e-6);
            let slope = |axis: Vec3| (law.energy(x + axis * e) - law.energy(x - axis * e)) / (2.0 * e);
            let gradient = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
            assert!((gradient + law.force(x)).length() < 1e-7, "{x}: {gradient} for {}", law.force(x));
        }
    }

    #[test]
    fn the_quadratic_model_is_never_below_the_energy() {
        let law = law();
        for x in [Vec3::new(0.03, 0.1, 0.28), Vec3::new(0.2, 0.0, 0.5)] {
            for k in 0..40 {
                let t = f64::from(k);
                let step = Vec3::new((1.3 * t).sin(), (2.1 * t).cos(), (0.7 * t).sin()) * 0.003 * t;
                let model = law.energy(x) - law.force(x).dot(step) + 0.5 * step.dot(law.stiffness(x) * step);
                assert!(law.energy(x + step) <= model + 1e-12, "{x} {step}");
            }
        }
    }

    #[test]
    fn friction_never_exceeds_its_limit_and_opposes_the_slip() {
        let mut law = law();
        let x = law.start + law.shift + Vec3::Z;
        for _ in 0..20 {
            law.settle(x);
        }
        assert!((law.rubbed.length() - 0.7 * law.pressed).abs() < 1e-12);
        assert!(law.force(x).z < 0.0);
    }
}
