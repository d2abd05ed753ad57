//! Position goal [Bouaziz 2014, §6]: a soft handle that the user moves.
//!
//! ```text
//!   ●┄┄┄┄┄◎ goal      E = w/2 ‖x − goal‖²
//! ```
//!
//! w is a stiffness \[N/m\]. Goals move from step to step by [`Simulation::set_goal`](crate::Simulation::set_goal). A vertex
//! that must follow exactly is pinned instead, which takes it out of the system.

use super::error::require_non_negative;
use super::rest::stencil_positions;
use super::{Arrays, Batch, Curvature, Element, ElementBatch, EnergyError, EnergyInfo, Operator, Properties, Specimen};
use crate::math::Vec3;

pub(crate) const KIND: &str = "position";

/// Entry in the list of energies.
pub(super) const INFO: EnergyInfo = EnergyInfo {
    key: KIND,
    summary: "soft handle that pulls a vertex to a moving goal",
    citation: "[Bouaziz 2014, §6]",
    specimens: &[specimen],
};

/// Recipe for position goals.
#[derive(Debug, Clone, PartialEq)]
pub struct PositionGoals {
    /// The vertices that are pulled.
    pub vertices: Vec<u32>,
    /// Goals at the start \[m\]; their rest positions if absent.
    pub goals: Option<Vec<Vec3>>,
    /// Stiffness of each handle w \[N/m\].
    pub stiffness: f64,
}

impl PositionGoals {
    /// Builds the batch for vertices with these rest positions.
    pub fn build(&self, rest: &[Vec3]) -> Result<Box<dyn Batch>, EnergyError> {
        require_non_negative(KIND, "stiffness", self.stiffness)?;
        let mut operator = Operator::new(1);
        let mut goals = Vec::with_capacity(self.vertices.len());
        for (element, &vertex) in self.vertices.iter().enumerate() {
            let [own] = stencil_positions(KIND, element, &[vertex], rest)?;
            operator.push(self.stiffness, &[vertex], &[1.0]);
            goals.push(own);
        }
        if let Some(given) = &self.goals {
            let (found, expected) = (given.len(), self.vertices.len());
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
        Ok(Box::new(ElementBatch::new(operator, vec![Goal; self.vertices.len()], goals)))
    }
}

/// One handle of the batch.
#[derive(Debug, Clone, Copy)]
struct Goal;

impl Element<1> for Goal {
    const KIND: &'static str = KIND;
    const PROPERTIES: Properties =
        Properties { translation_invariant: false, rotation_invariant: false, ..Properties::INTERNAL };
    const GOALS: usize = 1;

    fn arrays(_elements: &[Self]) -> Arrays {
        Arrays::Goals
    }

    fn project(&self, _z: &[Vec3; 1], goals: &[Vec3], _warm: &mut [f64]) -> [Vec3; 1] {
        [goals[0]]
    }

    fn hessian(&self, _z: &[Vec3; 1], _goals: &[Vec3], _warm: &[f64], _curvature: Curvature, out: &mut [f64]) {
        out.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    }
}

fn specimen() -> Result<Specimen, EnergyError> {
    let rest = vec![Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0)];
    Ok(Specimen { batch: PositionGoals { vertices: vec![0, 1], goals: None, stiffness: 9.0 }.build(&rest)?, rest })
}
