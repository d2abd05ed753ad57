//! Average goal: pulls a weighted average of vertices to a goal that the user moves, and leaves what they do about their
//! average alone.
//!
//! ```text
//!   ●      ●
//!     ╲   ╱
//!      ×┄┄┄┄┄◎ goal      E = w/2 ‖Σ aⱼ xⱼ − goal‖²,  Σ aⱼ = 1
//!     ╱   ╲
//!   ●      ●
//! ```
//!
//! These are the weak constraints of tracking [Bergou 2007, §3]: a fine cloth whose averages follow a coarse one moves
//! with it as a whole, and is free in its detail. Averages of velocities follow as well, since goals move from step to
//! step by [`Simulation::set_goal`](crate::Simulation::set_goal).
//!
//! Departure: the paper enforces averages by Lagrange multipliers; here they are stiff goals, which every solver has
//! already. Under a force f that pulls at the average it stays behind its goal by f/w.
//!
//! w is a stiffness \[N/m\].

use super::error::require_non_negative;
use super::{Batch, Curvature, Element, ElementBatch, EnergyError, EnergyInfo, Operator, Properties, Specimen};
use crate::math::Vec3;

const KIND: &str = "average";

/// How far the sum of the weights of an average may be from 1.
const ROUNDING: f64 = 1e-9;

/// Entry in the list of energies.
pub(super) const INFO: EnergyInfo = EnergyInfo {
    key: KIND,
    summary: "pulls averages of vertices to moving goals, and leaves detail free",
    citation: "[Bergou 2007, §3]",
    specimens: &[specimen],
};

/// Recipe for goals of averages.
#[derive(Debug, Clone, PartialEq)]
pub struct AverageGoals {
    /// For each average its vertices with their weights, which add up to 1.
    pub averages: Vec<Vec<(u32, f64)>>,
    /// Goals at the start \[m\]; the averages of the rest positions if absent.
    pub goals: Option<Vec<Vec3>>,
    /// Stiffness that pulls each average to its goal w \[N/m\].
    pub stiffness: f64,
}

impl AverageGoals {
    /// Builds the batch for vertices with these rest positions.
    ///
    /// ```
    /// use pliant::energy::AverageGoals;
    /// use pliant::math::Vec3;
    /// use pliant::{Body, Simulation};
    ///
    /// // Two loose particles whose middle is pulled to x = 1.
    /// let rest = vec![Vec3::ZERO, Vec3::Y];
    /// let middle = vec![vec![(0, 0.5), (1, 0.5)]];
    /// let goals = AverageGoals { averages: middle, goals: None, stiffness: 1e6 }.build(&rest)?;
    /// let body = Body::new(rest, vec![(0, 0, 1.0), (1, 1, 1.0)]).with_energy(goals);
    /// let mut sim = Simulation::builder().body(body).gravity(Vec3::ZERO).build()?;
    /// sim.set_goal("average", 0, Vec3::new(1.0, 0.5, 0.0))?;
    /// sim.step()?;
    /// let x = sim.positions();
    /// assert!((0.5 * (x[0] + x[1])).distance(Vec3::new(1.0, 0.5, 0.0)) < 0.01);
    /// assert!((x[1] - x[0]).distance(Vec3::Y) < 1e-6, "what they do about it is left alone");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build(&self, rest: &[Vec3]) -> Result<Box<dyn Batch>, EnergyError> {
        require_non_negative(KIND, "stiffness", self.stiffness)?;
        let mut operator = Operator::new(1);
        let mut goals = Vec::with_capacity(self.averages.len());
        for (element, average) in self.averages.iter().enumerate() {
            check(element, average, rest)?;
            let (vertices, weights): (Vec<u32>, Vec<f64>) = average.iter().copied().unzip();
            operator.push(self.stiffness, &vertices, &weights);
            goals.push(average.iter().map(|&(v, weight)| rest[v as usize] * weight).sum());
        }
        if let Some(given) = &self.goals {
            let (found, expected) = (given.len(), self.averages.len());
            if found != expected {
                return Err(EnergyError::LengthMismatch { kind: KIND, name: "goals", found, expected });
            }
            for (element, goal) in given.iter().enumerate() {
                if let Some(value) = goal.to_array().into_iter().find(|c| !c.is_finite()) {
                    return Err(EnergyError::BadValue { kind: KIND, element, name: "goal", value, need: "finite" });
                }
            }
            goals.clone_from(given);
        }
        Ok(Box::new(ElementBatch::new(operator, vec![Goal; self.averages.len()], goals)))
    }
}

/// Vertices exist, once each, at finite places, and weights are those of an average.
fn check(element: usize, average: &[(u32, f64)], rest: &[Vec3]) -> Result<(), EnergyError> {
    let count = rest.len();
    let refuse = |name, value, need| Err(EnergyError::BadValue { kind: KIND, element, name, value, need });
    if average.is_empty() {
        return refuse("number of vertices", 0.0, "at least 1");
    }
    if let Some(&(vertex, _)) = average.iter().find(|(v, _)| *v as usize >= count) {
        return Err(EnergyError::IndexOutOfRange { kind: KIND, element, vertex, count });
    }
    let numbers = average.iter().flat_map(|&(v, _)| rest[v as usize].to_array());
    if let Some(value) = numbers.into_iter().find(|c| !c.is_finite()) {
        return refuse("rest position", value, "finite");
    }
    let mut vertices: Vec<u32> = average.iter().map(|&(v, _)| v).collect();
    vertices.sort_unstable();
    if let Some(pair) = vertices.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(EnergyError::RepeatedVertex { kind: KIND, element, vertex: pair[0] });
    }
    let sum: f64 = average.iter().map(|&(_, weight)| weight).sum();
    // Also refuses what is not a number.
    match (sum - 1.0).abs() <= ROUNDING {
        true => Ok(()),
        false => refuse("sum of weights", sum, "1"),
    }
}

/// One average of the batch.
#[derive(Debug, Clone, Copy)]
struct Goal;

impl Element<1> for Goal {
    const KIND: &'static str = KIND;
    const PROPERTIES: Properties =
        Properties { translation_invariant: false, rotation_invariant: false, ..Properties::INTERNAL };
    const GOALS: usize = 1;

    fn project(&self, _z: &[Vec3; 1], goals: &[Vec3], _warm: &mut [f64]) -> [Vec3; 1] {
        [goals[0]]
    }

    fn hessian(&self, _z: &[Vec3; 1], _goals: &[Vec3], _warm: &[f64], _curvature: Curvature, out: &mut [f64]) {
        out.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    }
}

fn specimen() -> Result<Specimen, EnergyError> {
    let rest = vec![Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0), Vec3::new(-1.0, 0.5, 2.0), Vec3::new(0.5, -1.0, 1.0)];
    let averages = vec![vec![(0, 0.25), (1, 0.75)], vec![(1, 0.2), (2, 0.5), (3, 0.3)]];
    Ok(Specimen { batch: AverageGoals { averages, goals: None, stiffness: 9.0 }.build(&rest)?, rest })
}
