//! Attachments between bodies of different groups: springs with one end that is solved for, or none.
//!
//! ```text
//! own ●/\/\/\● other        f = −k (r − L r/‖r‖),  r = own − other
//! ```
//!
//! While one end is solved for, the other stands where it is under the force f⁰ so far, and would give way to a change by c (f − f⁰). Then r is r⁰ + c f with
//! r⁰ = r − c f⁰, and the force is that of a spring of stiffness k/(1 + k c) over r⁰.

use super::Coupling;
use super::law::Response;
use crate::math::Vec3;

/// A spring between vertices of two groups, or between a vertex and a point that a user holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tie {
    /// Among all of the world.
    pub(crate) number: usize,
    pub(crate) ends: [u32; 2],
    /// Where the second end is, if it is no vertex \[m\].
    pub(crate) point: Option<Vec3>,
    /// With damping, for the stage \[N/m\].
    pub(crate) stiffness: f64,
    /// Rest length \[m\].
    pub(crate) length: f64,
    /// Stretch against which damping has it pull no longer \[m\].
    pub(crate) slack: Vec3,
    /// Force on the first end; that on the second is its opposite \[N\].
    pub(crate) force: Vec3,
    /// The end that is solved for, and how the other one gives way \[m/N\], where that stands.
    pub(crate) other: Option<(usize, f64)>,
}

impl Tie {
    /// The force on the first end, given r from the second to it without that force, if the ends give way by `gives` \[m/N\] in all.
    fn pull(&self, free: Vec3, gives: f64) -> Vec3 {
        let stretch = free - free.normalize_or(Vec3::X) * self.length - self.slack;
        stretch * (-self.stiffness / (1.0 + self.stiffness * gives))
    }

    /// From the second end to the first.
    fn offset(&self, x: &impl Fn(usize) -> Vec3) -> Vec3 {
        let [a, b] = self.ends.map(|v| v as usize);
        x(a) - self.point.unwrap_or_else(|| x(b))
    }

    /// What the force does to the end that is solved for.
    fn respond(&self, x: &impl Fn(usize) -> Vec3) -> Option<(usize, Response)> {
        let (own, gives) = self.other?;
        let free = self.offset(x) - self.force * gives;
        let weight = self.stiffness / (1.0 + self.stiffness * gives);
        let (length, normal) = (free.length(), free.normalize_or(Vec3::X));
        let energy = 0.5 * weight * (length - self.length).powi(2) - weight * self.slack.dot(free);
        let across = if length > 0.0 { weight * (1.0 - self.length / length).max(0.0) } else { 0.0 };
        let force = self.pull(free, gives) * if own == 0 { 1.0 } else { -1.0 };
        Some((own, Response { force, normal, along: weight, across, energy }))
    }
}

/// Those of a group, or between groups.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Ties {
    pub(crate) list: Vec<Tie>,
}

impl Ties {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them as contacts of their own ends, with what they do at x.
    pub(super) fn couplings(&self, x: &impl Fn(usize) -> Vec3) -> impl Iterator<Item = Coupling> {
        self.list.iter().filter_map(move |tie| {
            let (own, response) = tie.respond(x)?;
            Some(Coupling { vertices: [tie.ends[own]; 4], weights: [1.0, 0.0, 0.0, 0.0], corners: 2, response })
        })
    }

    /// Takes the forces at x, where one end was solved for.
    pub(crate) fn settle(&mut self, x: &[Vec3]) {
        for tie in &mut self.list {
            if let Some((_, gives)) = tie.other.take() {
                let free = tie.offset(&|v| x[v]) - tie.force * gives;
                tie.force = tie.pull(free, gives);
            }
        }
    }

    /// Solves one tie after the other for its force, where no end is solved for; `gives` is how vertices give way \[m/N\].
    pub(crate) fn relax(&mut self, gives: &[f64], x: &mut [Vec3]) {
        for tie in &mut self.list {
            let [a, b] = tie.ends.map(|v| v as usize);
            let all = gives[a] + gives[b];
            let change = tie.pull(x[a] - x[b] - tie.force * all, all) - tie.force;
            tie.force += change;
            x[a] += change * gives[a];
            x[b] -= change * gives[b];
        }
    }

    /// One step of Gauss–Seidel over those that a user holds; `compliance` tells how a vertex gives way \[m/N\].
    /// `x` tells where one is, and moves it.
    pub(super) fn pull(&mut self, x: &mut impl FnMut(usize, Option<Vec3>) -> Vec3, compliance: &impl Fn(usize) -> f64) {
        for tie in self.list.iter_mut().filter(|tie| tie.point.is_some()) {
            let v = tie.ends[0] as usize;
            let (gives, at) = (compliance(v), x(v, None));
            let force = tie.pull(tie.offset(&|_| at) - tie.force * gives, gives);
            x(v, Some(at + (force - tie.force) * gives));
            tie.force = force;
        }
    }

    /// Forgets the forces of those that a user holds.
    pub(crate) fn reset_forces(&mut self) {
        self.list.iter_mut().filter(|tie| tie.point.is_some()).for_each(|tie| tie.force = Vec3::ZERO);
    }

    /// Adds the forces of all ties to those on vertices \[N\].
    pub(crate) fn add_forces(&self, loads: &mut [Vec3]) {
        for tie in &self.list {
            loads[tie.ends[0] as usize] += tie.force;
            loads[tie.ends[1] as usize] -= tie.force;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tie(length: f64, own: usize, gives: f64) -> Tie {
        // Damped across a spring with a length, the other end turns it a little, which the law leaves out.
        let slack = if length > 0.0 { Vec3::ZERO } else { Vec3::new(0.01, 0.0, -0.02) };
        let force = Vec3::new(0.3, -0.1, 0.2);
        Tie { number: 0, ends: [0, 1], point: None, stiffness: 40.0, length, slack, force, other: Some((own, gives)) }
    }

    #[test]
    fn the_force_is_the_negative_gradient_of_the_energy_and_springs_are_in_series() {
        for (length, own, gives) in [(0.0, 0, 0.0), (0.2, 0, 0.0), (0.2, 1, 0.03), (0.0, 1, 0.03)] {
            let (tie, x, e) = (tie(length, own, gives), [Vec3::new(0.3, 0.1, 0.2), Vec3::new(0.0, 0.05, -0.1)], 1e-6);
            let at = |moved: Vec3| tie.respond(&|v| if v == own { x[v] + moved } else { x[v] }).expect("an end").1;
            let slope = |axis: Vec3| (at(axis * e).energy - at(-axis * e).energy) / (2.0 * e);
            let gradient = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
            assert!((gradient + at(Vec3::ZERO).force).length() < 1e-7, "{gradient} for {}", at(Vec3::ZERO).force);
            let mut ties = Ties { list: vec![tie] };
            ties.settle(&x);
            let force = ties.list[0].force;
            // Where the other end has gone under the change of the force, the spring pulls with that force.
            let mut moved = x;
            moved[1 - own] += (force - tie.force) * gives * if own == 0 { -1.0 } else { 1.0 };
            let r = moved[0] - moved[1];
            let spring = (r - r.normalize() * length - tie.slack) * -40.0;
            assert!((spring - force).length() < 1e-9 * force.length(), "{spring} for {force}");
        }
    }
}
