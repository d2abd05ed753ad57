//! How well forces balance at the positions last evaluated: the factor's rows hold −∇g less contacts there.

use super::local::{Point, point};
use super::prepared::{Prepared, position};
use crate::contact::{ContactMode, Contacts};
use crate::energy::Memory;
use crate::math::Vec3;
use crate::solve::objective::{largest, largest_of};
use crate::solve::{ForceBalance, Objective};
use crate::sparse::Precision;

/// Forces of elements are exact to this share of what they would be if a vertex moved by the world's diagonal.
const ROUNDING: f64 = 1e-14;

impl Prepared {
    /// Forces where the solver is; none where contacts only displace vertices, and have no forces within the solve.
    fn balance(&mut self, contacts: &Contacts<'_>, objective: &Objective<'_>) -> Option<ForceBalance> {
        if contacts.mode() != ContactMode::Constraint {
            return None;
        }
        let free = self.order.free;
        let (points, targets, weights) = (&self.points[..free], &self.target[..free], &self.weight[..free]);
        let acting = largest_of(free, |k| {
            let squared: f64 = (0..3).map(|c| (points[k][c] - targets[k][c]).powi(2)).sum();
            weights[k] * weights[k] * squared
        });
        let (points, places) = (&self.points, &self.order.places);
        let at = |vertex: usize| position(points[places[vertex] as usize]);
        let unbalanced = if !contacts.is_none() && self.contact.gather(contacts, &self.order, &at) {
            self.residual.resize(self.order.free, Vec3::ZERO);
            self.islands.read(&mut self.residual);
            self.contact.add_forces(&mut self.residual);
            largest(&self.residual).powi(2)
        } else {
            self.islands.largest_row()
        };
        Some(ForceBalance { unbalanced: unbalanced.sqrt(), largest: acting.sqrt().max(objective.load) })
    }

    /// Elastic energy at x, for an objective whose target x is \[J\].
    pub(in crate::solve) fn elastic_energy(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
    ) -> f64 {
        self.begin(objective, x, memory, Precision::Single);
        self.evaluate(objective, x, memory, true)
    }

    /// ½m(x − s)²/τ² of free vertices at some positions \[J\].
    pub(in crate::solve) fn inertial_energy(&self, x: impl Fn(usize) -> Vec3) -> f64 {
        self.weighted(|place, v| x(v) - position(self.target[place]))
    }

    /// ½m(x − x₀)²/τ² of free vertices where the solver is, from where the stage began \[J\].
    pub(in crate::solve) fn kinetic_energy(&self, objective: &Objective<'_>) -> f64 {
        self.weighted(|place, v| position(self.points[place]) - objective.before[v])
    }

    /// The kinetic energy that inertia and external forces ask for in the stage \[J\].
    pub(in crate::solve) fn wanted_energy(&self, objective: &Objective<'_>) -> f64 {
        self.weighted(|place, v| position(self.target[place]) - objective.before[v])
    }

    /// Sum of ½m d²/τ² over the free vertices, by place and number.
    fn weighted(&self, distance: impl Fn(usize, usize) -> Vec3) -> f64 {
        let vertices = self.weight.iter().zip(&self.order.vertices).enumerate();
        vertices.map(|(place, (weight, &v))| 0.5 * weight * distance(place, v as usize).length_squared()).sum()
    }

    /// Puts the free vertices back to where they were kept.
    pub(in crate::solve) fn return_to(&mut self, kept: &[Point]) {
        self.points[..kept.len()].copy_from_slice(kept);
    }

    /// Puts the free vertices where the stage began; pins stay where they are to be.
    pub(in crate::solve) fn stand_still(&mut self, objective: &Objective<'_>) {
        let free = self.order.free;
        for (place, &v) in self.points[..free].iter_mut().zip(&self.order.vertices) {
            *place = point(objective.before[v as usize]);
        }
    }

    /// Forces where the solver is, and whether they balance within a tolerance or rounding; where there are none, whether the last movement, relative to
    /// the diagonal, is within it. A tolerance of 0 is never met.
    pub(in crate::solve) fn judge(
        &mut self,
        contacts: &Contacts<'_>,
        objective: &Objective<'_>,
        tolerance: f64,
        movement: f64,
    ) -> (Option<ForceBalance>, bool) {
        let forces = self.balance(contacts, objective);
        let rounding = ROUNDING * self.stiffest * objective.model.diagonal();
        let is_balanced = forces.map_or(movement <= tolerance, |forces| forces.holds(tolerance, rounding));
        (forces, tolerance > 0.0 && is_balanced)
    }
}
