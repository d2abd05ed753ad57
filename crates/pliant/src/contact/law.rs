//! The law of one contact, as an augmented Lagrangian.
//!
//! A contact acts on r: the position of a vertex at a collider, or the vector between the closest points of two
//! surfaces. With depth d = b − n·r, multiplier λ ≥ 0 and weight w the normal force is max(0, λ + w d), the derivative
//! of (max(0, λ + w d)² − λ²)/2w. After each iteration λ becomes the force that the linear solve came to, so that d
//! goes to 0 by a factor of about 1/(1 + w/H) per iteration, whatever the load: a half-space of stiffness w alone would
//! be penetrated by load/w. It is not the force at the new place: a vertex that the solve did not yet know to be in
//! contact may be deep, and w d then is many times what it takes to stop it.
//!
//! Friction is the same in the plane of contact: with u the distance that r slid in this step, λₜ + w u is limited to
//! the length μ λ, the derivative of Huber's function. While it is shorter the contact sticks, and u goes to 0 as d
//! does; once it is longer it slides against a force of exactly μ λ. Friction that only cuts velocities cannot stick,
//! because positions have moved before.
//!
//! Where r is between two groups of bodies, one of them solves, and the other stands where it is under the forces λ⁰ so far. It would give way to a
//! change of the force f by c (f − λ⁰), so that d = b − n·r − c (f − λ⁰). This is the same law with weight w/(1 + w c) and multiplier
//! (λ + w c λ⁰)/(1 + w c), and the same in the plane.
//!
//! Departure: [Bouaziz 2014, §6] has neither multipliers nor friction within the solve.

use crate::math::Vec3;

/// One contact in the course of a stage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Law {
    /// n.
    pub(crate) normal: Vec3,
    /// b, the thickness included \[m\].
    pub(crate) target: f64,
    /// Where r is if nothing has slid since the step began \[m\].
    pub(crate) anchor: Vec3,
    /// w \[N/m\].
    pub(crate) weight: f64,
    /// μ.
    pub(crate) friction: f64,
    /// λ \[N\].
    pub(crate) pressed: f64,
    /// λₜ \[N\]; the force is its opposite.
    pub(crate) sliding_force: Vec3,
    /// How the side gives way that is not solved for; none where both are.
    pub(crate) other: Option<Other>,
}

/// A side that stands while the other one is solved for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Other {
    /// c \[m/N\].
    pub(crate) gives: f64,
    /// λ⁰ \[N\], along the normal and in the plane.
    pub(crate) pressed: f64,
    pub(crate) sliding_force: Vec3,
}

/// What a contact does where r is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Response {
    /// Force on r \[N\].
    pub(crate) force: Vec3,
    /// n.
    pub(crate) normal: Vec3,
    /// Stiffness along and across the normal \[N/m\]: at least the second derivative of the energy. The derivative itself is 0 along the slip
    /// of what slides; with it vertices at the edge of slipping were seen to go back and forth without end.
    pub(crate) along: f64,
    pub(crate) across: f64,
    /// The potential whose negative gradient is the force \[J\].
    pub(crate) energy: f64,
}

impl Response {
    /// The stiffness applied to a movement of r.
    pub(crate) fn stiffness_times(&self, movement: Vec3) -> Vec3 {
        movement * self.across + self.normal * ((self.along - self.across) * self.normal.dot(movement))
    }

    /// Whether it acts at all.
    pub(crate) fn acts(&self) -> bool {
        self.along > 0.0 || self.across > 0.0
    }

    /// Whether it holds r in all directions alike, or nearly.
    pub(crate) fn sticks(&self) -> bool {
        self.along > 0.0 && self.across >= 0.5 * self.along
    }
}

impl Law {
    pub(crate) fn depth(&self, r: Vec3) -> f64 {
        self.target - self.normal.dot(r)
    }

    pub(crate) fn tangential(&self, v: Vec3) -> Vec3 {
        v - self.normal * self.normal.dot(v)
    }

    /// How far r slid \[m\].
    pub(crate) fn slid(&self, r: Vec3) -> Vec3 {
        self.tangential(r - self.anchor)
    }

    fn push(&self, r: Vec3) -> f64 {
        (self.pressed + self.weight * self.depth(r)).max(0.0)
    }

    /// The law of r alone: what the other side does is in weight and multipliers.
    fn with_other_within(mut self) -> Self {
        if let Some(Other { gives, pressed, sliding_force }) = self.other.take() {
            let (share, rest) = (1.0 / (1.0 + self.weight * gives), self.weight * gives);
            self.pressed = share * (self.pressed + rest * pressed);
            self.sliding_force = (self.sliding_force + sliding_force * rest) * share;
            self.weight *= share;
        }
        self
    }

    /// Forces, stiffness and energy.
    pub(crate) fn respond(&self, r: Vec3) -> Response {
        if self.other.is_some() {
            return self.with_other_within().respond(r);
        }
        let (w, push, limit) = (self.weight, self.push(r), self.friction * self.pressed);
        let full = self.sliding_force + self.slid(r) * w;
        let length = full.length();
        let share = if length > limit { limit / length } else { 1.0 };
        // Huber's function: quadratic up to the limit, linear beyond.
        let cut = share * length;
        let friction = cut * length - 0.5 * cut * cut - 0.5 * self.sliding_force.length_squared();
        Response {
            force: self.normal * push - full * share,
            normal: self.normal,
            along: if push > 0.0 { w } else { 0.0 },
            across: if limit > 0.0 { w * share } else { 0.0 },
            energy: (0.5 * (push * push - self.pressed * self.pressed) + friction) / w,
        }
    }

    /// One step of Gauss–Seidel: the change of the force that puts r to where it may be, if r gives way by `compliance` \[m/N\].
    pub(crate) fn relax(&mut self, r: Vec3, compliance: f64) -> Vec3 {
        let (mut depth, mut slid, mut compliance) = (self.depth(r), self.slid(r), compliance);
        if let Some(Other { gives, pressed, sliding_force }) = self.other {
            depth -= gives * (self.pressed - pressed);
            slid -= (self.sliding_force - sliding_force) * gives;
            compliance += gives;
        }
        let pressed = (self.pressed + depth / compliance).max(0.0);
        let sliding_force = (self.sliding_force + slid / compliance).clamp_length_max(self.friction * pressed);
        let change = self.normal * (pressed - self.pressed) - (sliding_force - self.sliding_force);
        (self.pressed, self.sliding_force) = (pressed, sliding_force);
        change
    }

    /// Takes a force as multipliers.
    pub(crate) fn settle(&mut self, force: Vec3) {
        self.pressed = self.normal.dot(force).max(0.0);
        self.sliding_force = (-self.tangential(force)).clamp_length_max(self.friction * self.pressed);
    }

    /// Goes on from the multipliers of an earlier contact.
    pub(crate) fn resume(&mut self, pressed: f64, sliding_force: Vec3) {
        self.pressed = pressed;
        self.sliding_force = self.tangential(sliding_force);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law() -> Law {
        Law {
            normal: Vec3::new(0.6, 0.8, 0.0),
            target: 0.1,
            anchor: Vec3::new(0.03, 0.1, 0.28),
            weight: 50.0,
            friction: 0.7,
            pressed: 1.5,
            sliding_force: Vec3::new(-0.8, 0.6, 0.2) * 0.4,
            other: None,
        }
    }

    #[test]
    fn a_side_that_gives_way_is_a_spring_in_series() {
        // At rest the force is λ⁰ plus what has pressed the other side back.
        let other = Other { gives: 0.003, pressed: 2.0, sliding_force: Vec3::ZERO };
        let r = Vec3::new(0.0, 0.05, 0.28);
        let mut law = Law { other: Some(other), friction: 0.0, ..law() };
        (0..200).for_each(|_| law.settle(law.respond(r).force));
        assert!((law.depth(r) - 0.003 * (law.pressed - 2.0)).abs() < 1e-12, "{} N", law.pressed);
        let mut relaxed = Law { pressed: 0.3, ..law };
        // A vertex that does not give way itself.
        relaxed.relax(r, 0.0);
        assert!((relaxed.pressed - law.pressed).abs() < 1e-9);
    }

    #[test]
    fn the_force_is_the_negative_gradient_of_the_energy() {
        // Sticking, sliding, and without touch.
        for r in [Vec3::new(0.03, 0.1, 0.28), Vec3::new(0.2, 0.0, 0.5), Vec3::new(0.4, 0.9, 0.0)] {
            let other = Other { gives: 0.01, pressed: 0.4, sliding_force: Vec3::new(0.08, -0.06, 0.1) };
            let e = 1e-6;
            for law in [law(), Law { other: Some(other), ..law() }] {
                let energy = |r: Vec3| law.respond(r).energy;
                let slope = |axis: Vec3| (energy(r + axis * e) - energy(r - axis * e)) / (2.0 * e);
                let gradient = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
                let force = law.respond(r).force;
                assert!((gradient + force).length() < 1e-7, "{r}: {gradient} for {force}");
            }
        }
    }

    #[test]
    fn a_relaxed_contact_holds_what_it_may_and_slides_against_the_rest() {
        let compliance = 2e-3;
        let mut law = Law { pressed: 0.0, sliding_force: Vec3::ZERO, ..law() };
        let tangent = Vec3::new(0.8, -0.6, 0.0);
        // Pressed 3 mm deep and dragged 1 mm along: friction of 0.7 holds it.
        let surface = law.anchor + law.normal * law.depth(law.anchor);
        let r = surface - law.normal * 3e-3 + tangent * 1e-3;
        let held = r + law.relax(r, compliance) * compliance;
        assert!(held.distance(surface) < 1e-15, "{held} for {surface}");
        // Dragged 10 mm: it comes back by 0.7 of the depth.
        (law.pressed, law.sliding_force) = (0.0, Vec3::ZERO);
        let r = surface - law.normal * 3e-3 + tangent * 10e-3;
        let slid = r + law.relax(r, compliance) * compliance;
        assert!(slid.distance(surface + tangent * (10e-3 - 2.1e-3)) < 1e-15);
        assert!((law.pressed - 3e-3 / compliance).abs() < 1e-12);
        // Lifted off, it lets go of all that it had.
        let lifted = law.relax(surface + law.normal, compliance);
        assert_eq!((law.pressed, law.sliding_force), (0.0, Vec3::ZERO));
        assert!(law.normal.dot(lifted) < 0.0);
    }

    #[test]
    fn the_quadratic_model_is_never_below_the_energy() {
        let law = law();
        for r in [Vec3::new(0.03, 0.1, 0.28), Vec3::new(0.2, 0.0, 0.5)] {
            let here = law.respond(r);
            for k in 0..40 {
                let t = f64::from(k);
                let step = Vec3::new((1.3 * t).sin(), (2.1 * t).cos(), (0.7 * t).sin()) * 0.003 * t;
                let model = here.energy - here.force.dot(step) + 0.5 * step.dot(here.stiffness_times(step));
                assert!(law.respond(r + step).energy <= model + 1e-12, "{r} {step}");
            }
        }
    }

    #[test]
    fn friction_never_exceeds_its_limit_and_opposes_the_slip() {
        let mut law = law();
        let slid = law.anchor + Vec3::Z;
        for _ in 0..20 {
            // Deep, so that the pressure rises: friction follows it from below.
            law.settle(law.respond(slid).force);
            assert!(law.sliding_force.length() <= 0.7 * law.pressed);
        }
        // In the plane the pressure stays, and friction comes to its limit.
        let r = slid + law.normal * law.depth(slid);
        law.settle(law.respond(r).force);
        assert!((law.sliding_force.length() - 0.7 * law.pressed).abs() < 1e-12);
        assert!(law.respond(r).force.z < 0.0);
    }

    #[test]
    fn a_pull_leaves_nothing() {
        let mut law = law();
        law.settle(law.normal * -3.0 + law.tangential(Vec3::X));
        assert_eq!((law.pressed, law.sliding_force), (0.0, Vec3::ZERO));
    }
}
