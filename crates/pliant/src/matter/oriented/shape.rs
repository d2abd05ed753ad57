//! A body of oriented particles while it is stepped.
//!
//! With r̄ the place of a particle at rest from the centre of its group, R its rotation, R̄ that at rest, m̃ = m/n the mass of a particle of n groups
//! in each, A = Σ m̃ (x − c) r̄ᵀ + (m̃/5) R diag(a², b², c²) R̄ᵀ, and the rotation of the group is that nearest to A [Bender 2014, equation 10].

use std::ops::Range;

use super::{Oriented, free_turn, inertia, turn_between, turned};
use crate::math::functions::exp_m1;
use crate::math::{Mat3, Quat, Vec3, best_rotation, outer};
use crate::matter::Place;
use crate::mesh::Csr;
use crate::parallel::{self, Strided};

/// A held particle does not give way: in fits it counts as this many times its mass.
const HELD: f64 = 1e3;
/// Where orientations are looked for that belong to given positions, those that they have count by this much.
const KEPT: f64 = 0.05;
/// Rounds of that search.
const ROUNDS: usize = 30;

/// Where the rest shape of a group fits.
#[derive(Debug, Clone, Copy)]
struct Fit {
    rotation: Quat,
    /// Centre of masses \[m\].
    centre: Vec3,
}

/// What is fixed of a group.
#[derive(Debug, Clone)]
struct Group {
    centre: Vec3,
    /// The largest distance from it \[m\].
    half_width: f64,
    mass: f64,
}

/// A body of oriented particles.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) info: Oriented,
    /// Number of the body, and its vertices in the world.
    pub(super) body: usize,
    pub(super) vertices: Range<usize>,
    /// Groups of each particle.
    groups_of: Csr,
    groups: Vec<Group>,
    rest: Vec<Vec3>,
    /// m̃ \[kg\].
    masses: Vec<f64>,
    pub(super) is_held: Vec<bool>,
    fits: Vec<Fit>,
    /// Orientations, at the start of the step and now.
    pub(super) before: Vec<Quat>,
    pub(super) q: Vec<Quat>,
}

impl Shape {
    pub(super) fn new(info: &Oriented, at: &Place<'_>) -> Self {
        Self::of(info, at.rest(), at.masses(), at.pinned()).at(at.body, at.vertices().start)
    }

    /// The same body elsewhere.
    fn at(mut self, body: usize, first: usize) -> Self {
        self.vertices = first..first + self.rest.len();
        Self { body, ..self }
    }

    /// Of particles with masses, and whether they are held.
    pub(super) fn of(info: &Oriented, rest: &[Vec3], masses: &[f64], is_held: Vec<bool>) -> Self {
        let members = &info.groups;
        let pairs = (0..).zip(members.rows()).flat_map(|(group, row)| row.iter().map(move |&v| (v, group)));
        let groups_of = Csr::from_pairs(rest.len(), pairs);
        let held = |v: usize| if is_held[v] { HELD } else { 1.0 };
        let share = |v: usize| held(v) * masses[v] / groups_of.row(v).len() as f64;
        let masses: Vec<f64> = (0..rest.len()).map(share).collect();
        let group = |row: &[u32]| {
            let all = || row.iter().map(|&v| (rest[v as usize], masses[v as usize]));
            let mass: f64 = all().map(|(_, m)| m).sum();
            // From one of its particles, so that nothing is lost far from the origin.
            let first = rest[row[0] as usize];
            let centre = first + all().fold(Vec3::ZERO, |sum, (r, m)| sum + (r - first) * m) / mass;
            let half_width = all().fold(0.0_f64, |most, (r, _)| most.max(r.distance(centre)));
            Group { centre, half_width, mass }
        };
        Self {
            groups: members.rows().map(group).collect(),
            fits: vec![Fit { rotation: Quat::IDENTITY, centre: Vec3::ZERO }; members.len()],
            before: info.rest_orientations.clone(),
            q: info.rest_orientations.clone(),
            info: info.clone(),
            body: 0,
            vertices: 0..rest.len(),
            groups_of,
            rest: rest.to_vec(),
            masses,
            is_held,
        }
    }

    /// Fits all groups to particles at x as they are turned, where orientations count by a factor.
    fn fit(&mut self, x: &[Vec3], turns: f64) {
        let (info, groups, rest, masses, q) = (&self.info, &self.groups, &self.rest, &self.masses, &self.q);
        parallel::for_each(0..groups.len(), Strided { entries: &mut self.fits, stride: 1 }, &|range, fits| {
            for (k, fit) in range.zip(fits.entries) {
                let (row, group) = (info.groups.row(k), &groups[k]);
                let first = x[row[0] as usize];
                let mut sum = Vec3::ZERO;
                row.iter().for_each(|&v| sum += (x[v as usize] - first) * masses[v as usize]);
                let centre = first + sum / group.mass;
                let mut moments = Mat3::ZERO;
                for v in row.iter().map(|&v| v as usize) {
                    let spread = info.radii[v] * info.radii[v] * (0.2 * turns);
                    let (now, at_rest) = (Mat3::from_quat(q[v]), Mat3::from_quat(info.rest_orientations[v]));
                    let own = now * Mat3::from_diagonal(spread) * at_rest.transpose();
                    moments += (outer(x[v] - centre, rest[v] - group.centre) + own) * masses[v];
                }
                let last = q[k] * info.rest_orientations[k].conjugate();
                *fit = Fit { rotation: best_rotation(moments, last), centre };
            }
        });
    }

    /// Where a particle would be by the fit of a group.
    #[inline]
    fn place(&self, group: usize, v: usize) -> Vec3 {
        let fit = &self.fits[group];
        fit.centre + fit.rotation * (self.rest[v] - self.groups[group].centre)
    }

    /// How a particle would be turned by it.
    #[inline]
    fn orientation(&self, group: usize, v: usize) -> Quat {
        self.fits[group].rotation * self.info.rest_orientations[v]
    }

    /// The mean of something over the groups of a particle.
    #[inline]
    fn mean(&self, v: usize, of: impl Fn(usize) -> Vec3) -> Vec3 {
        let own = self.groups_of.row(v);
        own.iter().fold(Vec3::ZERO, |sum, &group| sum + of(group as usize)) / own.len() as f64
    }

    /// Predicts orientations over a stage of length h \[s\] that goes from `before`, and adds what springs and damping do to the predicted x.
    pub(super) fn pull(&mut self, before: &[Vec3], spins: &[Vec3], h: f64, x: &mut [Vec3]) {
        self.q.clone_from(&self.before);
        let spin = |v: usize| if self.is_held[v] { Vec3::ZERO } else { self.q[v] * spins[v] * h };
        let mut turns: Vec<Vec3> = (0..self.q.len()).map(spin).collect();
        let alpha = self.info.material.spring.share(h);
        if alpha > 0.0 {
            self.fit(before, 1.0);
            let pull = |v: usize| (self.mean(v, |group| self.place(group, v) - before[v]), self.torque(v));
            let pulls: Vec<(Vec3, Vec3)> = (0..x.len()).map(pull).collect();
            for (v, (pull, torque)) in pulls.into_iter().enumerate().filter(|(v, _)| !self.is_held[*v]) {
                x[v] += pull * alpha;
                turns[v] += torque * alpha;
            }
        }
        let damped = -exp_m1(-self.info.material.damping * h);
        if damped > 0.0 {
            self.damp(before, damped, x, &mut turns);
        }
        for ((q, turn), radii) in self.q.iter_mut().zip(turns).zip(&self.info.radii) {
            let momentum = *q * ((q.conjugate() * turn) * inertia(*radii));
            *q = turned(*q, free_turn(*q, *radii, momentum));
        }
    }

    /// By how much the points of an ellipsoid turn it when each is pulled to its goals: their torque over its inertia \[rad\].
    fn torque(&self, v: usize) -> Vec3 {
        let (spread, now) = (self.info.radii[v] * self.info.radii[v] / 5.0, Mat3::from_quat(self.q[v]));
        let torque = self.mean(v, |group| {
            let goal = Mat3::from_quat(self.orientation(group, v));
            (0..3).fold(Vec3::ZERO, |sum, k| sum + now.col(k).cross(goal.col(k)) * spread[k])
        });
        now * ((now.transpose() * torque) / inertia(self.info.radii[v]))
    }

    /// Takes a share of how movements and turns differ from those of groups as wholes.
    fn damp(&self, before: &[Vec3], share: f64, x: &mut [Vec3], turns: &mut [Vec3]) {
        let movements: Vec<[Vec3; 3]> =
            self.info.groups.rows().map(|row| self.movement(row, before, x, turns)).collect();
        for v in (0..x.len()).filter(|&v| !self.is_held[v]) {
            let moved = self.mean(v, |group| {
                let [centre, way, turn] = movements[group];
                way + turn.cross(before[v] - centre)
            });
            let turn = self.mean(v, |group| movements[group][2]);
            x[v] += (moved - (x[v] - before[v])) * share;
            turns[v] += (turn - turns[v]) * share;
        }
    }

    /// Centre of a group, and how it moves and turns as a whole.
    fn movement(&self, row: &[u32], before: &[Vec3], x: &[Vec3], turns: &[Vec3]) -> [Vec3; 3] {
        let all = || row.iter().map(|&v| v as usize);
        let mass: f64 = all().map(|v| self.masses[v]).sum();
        let first = before[row[0] as usize];
        let centre = first + all().fold(Vec3::ZERO, |sum, v| sum + (before[v] - first) * self.masses[v]) / mass;
        let way = all().fold(Vec3::ZERO, |sum, v| sum + (x[v] - before[v]) * self.masses[v]) / mass;
        let (mut momentum, mut moments) = (Vec3::ZERO, Mat3::ZERO);
        for v in all() {
            let (arm, m, now) = (before[v] - centre, self.masses[v], Mat3::from_quat(self.before[v]));
            let own = now * Mat3::from_diagonal(inertia(self.info.radii[v])) * now.transpose();
            momentum += (arm.cross(x[v] - before[v]) + own * turns[v]) * m;
            moments += (Mat3::from_diagonal(Vec3::splat(arm.length_squared())) - outer(arm, arm) + own) * m;
        }
        [centre, way, moments.inverse() * momentum]
    }

    /// Moves and turns particles to their limits.
    pub(super) fn limit(&mut self, x: &mut [Vec3]) {
        let Some(gamma) = self.info.material.limit else { return };
        self.fit(x, 1.0);
        let relaxation = self.info.material.relaxation;
        let corrected = |v: usize| {
            let way = self.mean(v, |group| beyond(self.place(group, v) - x[v], gamma * self.groups[group].half_width));
            let turn = self.mean(v, |group| beyond(turn_between(self.q[v], self.orientation(group, v)), gamma));
            (way * relaxation, turn * relaxation)
        };
        let all: Vec<(Vec3, Vec3)> = (0..x.len()).map(corrected).collect();
        for (v, (way, turn)) in all.into_iter().enumerate().filter(|(v, _)| !self.is_held[*v]) {
            x[v] += way;
            self.q[v] = turned(self.q[v], turn);
        }
    }

    /// Turns orientations to those that belong to particles at x, as near to what they are as that allows.
    pub(super) fn align(&mut self, x: &[Vec3]) {
        if x == &self.rest[..] {
            self.q.clone_from(&self.info.rest_orientations);
            return;
        }
        for _ in 0..ROUNDS {
            self.fit(x, KEPT);
            self.q = (0..x.len()).map(|v| self.orientation(v, v)).collect();
        }
    }

    /// Rotations of all groups for particles at x that are turned as q says.
    #[cfg(test)]
    pub(super) fn rotations(&mut self, x: &[Vec3], q: &[Quat]) -> Vec<Quat> {
        self.q.copy_from_slice(q);
        self.fit(x, 1.0);
        self.fits.iter().map(|fit| fit.rotation).collect()
    }
}

/// How far beyond a free distance or angle something goes.
fn beyond(way: Vec3, free: f64) -> Vec3 {
    let length = way.length();
    if length > free { way * ((length - free) / length) } else { Vec3::ZERO }
}
