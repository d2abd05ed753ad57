//! L-BFGS over the constant projective matrix [Liu 2017, §4.2].
//!
//! The last iterations have shown how forces change along the path of the vertices: pairs s = Δx, y = Δ∇g. From the
//! projective matrix, as the first guess at the second derivative, the two-loop recursion [Nocedal 1980] makes one that
//! agrees with the newest pair, at the price of one solve with the factor and a few inner products. A line search
//! shortens the step until g falls.
//!
//! Contacts come and go and their multipliers change in every iteration, so pairs of g with contacts would mix many
//! functions. Departure: pairs are taken of g without contacts, which stays one function for the whole stage, and the
//! stiffness K of contacts is added to the matrix that they make: conjugate gradients (`contact`) solve (B + K) δ =
//! −∇g, with B⁻¹ from the two loops where the other accelerations have H⁻¹.

use std::collections::VecDeque;

use super::{Iteration, REFINED_BELOW, Stopwatch};
use crate::math::Vec3;
use crate::solve::SolveError;
use crate::sparse::dot;

/// Pairs that can be remembered.
pub(super) const LONGEST_HISTORY: usize = 16;
/// Cosine between s and y up to which a pair says nothing, by whether elements are in f32: rounding alone may have made it positive.
const LEAST_COSINE_SINGLE: f64 = 1e-6;
const LEAST_COSINE_DOUBLE: f64 = 1e-10;
/// Fraction of the predicted decrease that a step must reach (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// Lengths that the line search tries before it gives up: beyond, the step is below rounding.
const MOST_LENGTHS: usize = 20;
/// Where rounding hides whether g fell: the slope at the end of a step, over the one at its beginning, up to which a parabola says that it did.
const LARGEST_SLOPE_AT_END: f64 = 0.9;
/// The shortest share of a step that is taken there: shorter ones come from longer ones that were seen to rise.
const SHORTEST_UNSEEN: f64 = 0.01;

/// The last pairs, newest first. Vectors are kept when they are forgotten, so that solve after solve allocates nothing.
#[derive(Debug)]
pub(in crate::solve) struct History {
    most: usize,
    pairs: VecDeque<Pair>,
    spare: Vec<Pair>,
    /// What the first loop leaves of the right-hand side.
    left: Vec<Vec3>,
}

#[derive(Debug, Default)]
struct Pair {
    /// s \[m\].
    moved: Vec<Vec3>,
    /// y \[N\].
    change: Vec<Vec3>,
    /// s·y \[J\].
    curvature: f64,
}

impl Pair {
    /// What `held` vertices add to y: their weights times s.
    fn add_held(&self, held: &[(u32, f64)], factor: f64, vector: &mut [Vec3]) {
        for &(place, weight) in held {
            vector[place as usize] += self.moved[place as usize] * (factor * weight);
        }
    }

    /// The inner product of that with a vector.
    fn dot_held(&self, held: &[(u32, f64)], vector: &[Vec3]) -> f64 {
        held.iter().map(|&(place, weight)| weight * self.moved[place as usize].dot(vector[place as usize])).sum()
    }
}

fn add(vector: &mut [Vec3], factor: f64, other: &[Vec3]) {
    vector.iter_mut().zip(other).for_each(|(sum, other)| *sum += *other * factor);
}

impl History {
    pub(super) fn new(most: usize) -> Self {
        Self { most, pairs: VecDeque::with_capacity(most), spare: Vec::with_capacity(most + 1), left: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.spare.extend(self.pairs.drain(..));
    }

    fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Takes in an iteration, given positions and forces −∇g without contacts before and after it; the oldest goes when there are too many.
    fn remember(&mut self, [x, next_x]: [&[Vec3]; 2], [forces, next_forces]: [&[Vec3]; 2], least_cosine: f64) {
        let full = self.pairs.len() == self.most;
        let mut pair = if full { self.pairs.pop_back() } else { self.spare.pop() }.unwrap_or_default();
        for (own, from, to) in [(&mut pair.moved, x, next_x), (&mut pair.change, next_forces, forces)] {
            own.clear();
            own.extend(from.iter().zip(to).map(|(from, to)| *to - *from));
        }
        pair.curvature = dot(&pair.moved, &pair.change);
        let lengths = (dot(&pair.moved, &pair.moved) * dot(&pair.change, &pair.change)).sqrt();
        // Without this the matrix could turn around, and the step lead uphill.
        if pair.curvature > least_cosine * lengths {
            self.pairs.push_front(pair);
        } else {
            self.spare.push(pair);
        }
    }

    /// From b to B⁻¹ b, given what multiplies by the inverse of the matrix that B is made from: the projective one, and the weights of vertices that are
    /// `held`, given by their places. These weights are then in B too, as if every y had them.
    pub(super) fn solve(
        &mut self,
        b: &[Vec3],
        solved: &mut [Vec3],
        held: &[(u32, f64)],
        mut inverse: impl FnMut(&[Vec3], &mut [Vec3]),
    ) {
        if self.pairs.is_empty() {
            return inverse(b, solved);
        }
        let left = &mut self.left;
        left.clear();
        left.extend_from_slice(b);
        let (mut curvatures, mut shares) = ([0.0; LONGEST_HISTORY], [0.0; LONGEST_HISTORY]);
        for (k, pair) in self.pairs.iter().enumerate() {
            curvatures[k] = pair.curvature + pair.dot_held(held, &pair.moved);
            shares[k] = dot(&pair.moved, left) / curvatures[k];
            add(left, -shares[k], &pair.change);
            pair.add_held(held, -shares[k], left);
        }
        inverse(left, solved);
        for (k, pair) in self.pairs.iter().enumerate().rev() {
            let found = dot(&pair.change, solved) + pair.dot_held(held, solved);
            add(solved, shares[k] - found / curvatures[k], &pair.moved);
        }
    }
}

impl Iteration<'_, '_> {
    /// L-BFGS with a line search: g never rises while contacts are what they are.
    pub(super) fn lbfgs(&mut self, history: &mut History, time: &mut Stopwatch<'_>) -> Result<(), SolveError> {
        // The line search would refuse every step from here, and the stage would end where it began without a word.
        if !self.value.is_finite() {
            return Err(SolveError::NonFiniteObjective { value: self.value });
        }
        history.clear();
        let mut is_stuck = false;
        while !is_stuck && !self.is_last() {
            let begins = self.report.iterations == 0;
            self.prepared.positions(&mut self.vectors.current);
            self.prepared.forces(&mut self.vectors.previous);
            let step = &mut self.vectors.step;
            let found = self.prepared.quasi_newton(self.contacts, self.objective, history, begins, step)?;
            self.count(found.taken);
            self.report.seconds_global += time.lap();
            let length = self.search(found.slope);
            let longest = self.vectors.step.iter().fold(0.0_f64, |most, d| most.max(d.length_squared())).sqrt();
            self.report.movement = length * longest / self.objective.model.diagonal();
            if found.acts {
                self.prepared.contact.settle(self.contacts, length);
            }
            if length == 0.0 && !history.is_empty() {
                // What was seen elsewhere misleads here. The plain step does not.
                history.clear();
            } else if self.prepared.is_single() && self.report.movement < REFINED_BELOW && !self.is_last() {
                // What is left is near the rounding of f32. Forces in f32 and f64 make no pair.
                self.prepared.refine(self.objective, self.memory);
                self.value = self.evaluate();
            } else if length == 0.0 {
                // Multipliers of contacts have changed g, and may lead on.
                is_stuck = !found.acts;
            } else {
                self.remember(history);
            }
            if !self.contacts.is_none() {
                self.touch();
                self.value = self.with_contacts();
            }
            self.judge();
            self.record();
            self.report.seconds_local += time.lap();
        }
        Ok(())
    }

    /// Makes a pair of the step just taken; positions and forces before it are in `vectors.current` and `vectors.previous`.
    fn remember(&mut self, history: &mut History) {
        self.prepared.positions(&mut self.vectors.next);
        self.prepared.forces(&mut self.vectors.step);
        let least = if self.prepared.is_single() { LEAST_COSINE_SINGLE } else { LEAST_COSINE_DOUBLE };
        let vectors = &*self.vectors;
        history.remember([&vectors.current, &vectors.next], [&vectors.previous, &vectors.step], least);
    }

    /// Moves from `vectors.current` along `vectors.step`, as far as g falls, and evaluates there; returns the share of the step that was taken. `slope` is
    /// that of g along the step \[J\].
    fn search(&mut self, slope: f64) -> f64 {
        let (before, noise) = (self.value, self.noise());
        let mut length = 1.0;
        let lengths = if slope < 0.0 { MOST_LENGTHS } else { 0 };
        for attempt in 0..lengths {
            if attempt > 0 && self.prepared.turns() {
                // Steps are bent along the rotations of rigid sets where they begin.
                self.prepared.set_positions(&self.vectors.current);
                self.evaluate();
            }
            self.vectors.next.clone_from(&self.vectors.step);
            self.vectors.next.iter_mut().for_each(|step| *step *= length);
            self.prepared.bend_step(&mut self.vectors.next);
            self.vectors.next.iter_mut().zip(&self.vectors.current).for_each(|(next, x)| *next += *x);
            self.prepared.set_positions(&self.vectors.next);
            let reached = self.evaluate();
            let is_lower = if -slope * length > noise {
                reached <= before + SUFFICIENT * length * slope
            } else {
                let end = self.prepared.slope(self.contacts, &self.vectors.step);
                length >= SHORTEST_UNSEEN && reached <= before + noise && end <= -LARGEST_SLOPE_AT_END * slope
            };
            if is_lower {
                self.value = reached;
                return length;
            }
            self.report.rejected += 1;
            // The lowest point of the parabola through what is known, if it is a good deal shorter and not too short.
            let fitted = -0.5 * slope * length * length / (reached - before - slope * length);
            length = if fitted.is_finite() { fitted.clamp(0.1 * length, 0.5 * length) } else { 0.1 * length };
        }
        self.prepared.set_positions(&self.vectors.current);
        self.value = self.evaluate();
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quadratic of diagonal stiffness `k`, approximated from the unit matrix.
    fn forces(k: &[f64], x: &[Vec3]) -> Vec<Vec3> {
        k.iter().zip(x).map(|(k, x)| *x * -k).collect()
    }

    fn copy(b: &[Vec3], solved: &mut [Vec3]) {
        solved.copy_from_slice(b);
    }

    #[test]
    fn the_matrix_agrees_with_the_newest_pair_also_where_vertices_are_held() {
        let k = [2.0, 5.0, 0.3, 11.0];
        let at = |t: f64| -> Vec<Vec3> {
            (0..4).map(|i| Vec3::new((t + f64::from(i)).sin(), t * f64::from(i), 1.0 / (1.0 + t))).collect()
        };
        let mut history = History::new(3);
        for t in 0..6 {
            let (x, next) = (at(f64::from(t)), at(f64::from(t) + 1.0));
            history.remember([&x, &next], [&forces(&k, &x), &forces(&k, &next)], 1e-10);
        }
        assert_eq!(history.pairs.len(), 3);
        let mut solved = vec![Vec3::ZERO; 4];
        for held in [&[][..], &[(1, 7.0), (3, 0.5)]] {
            let (s, mut y) = (history.pairs[0].moved.clone(), history.pairs[0].change.clone());
            held.iter().for_each(|&(place, weight): &(u32, f64)| y[place as usize] += s[place as usize] * weight);
            // The inverse of the matrix that it begins with has the weights too.
            history.solve(&y, &mut solved, held, |b, solved| {
                copy(b, solved);
                held.iter().for_each(|&(place, weight)| solved[place as usize] /= 1.0 + weight);
            });
            let error = solved.iter().zip(&s).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
            assert!(error < 1e-12, "{error}");
        }
    }

    #[test]
    fn pairs_without_curvature_are_left_out_and_vectors_are_kept() {
        let mut history = History::new(2);
        let (x, next) = (vec![Vec3::ZERO], vec![Vec3::X]);
        // Uphill, across, and not a number.
        for force in [Vec3::X, Vec3::Y, Vec3::NAN] {
            history.remember([&x, &next], [&[Vec3::ZERO], &[force]], 1e-6);
            assert!(history.is_empty(), "{force}");
        }
        assert_eq!(history.spare.len(), 1);
        let mut solved = vec![Vec3::ZERO];
        history.solve(&[Vec3::Y], &mut solved, &[], copy);
        assert_eq!(solved, [Vec3::Y]);
        for _ in 0..5 {
            history.remember([&x, &next], [&[Vec3::ZERO], &[-Vec3::X * 4.0]], 1e-6);
        }
        history.clear();
        assert_eq!((history.pairs.len(), history.spare.len()), (0, 2));
    }
}
