//! A rigid set of vertices: all of them keep their positions relative to a hub, up to one common rotation.
//!
//! ```text
//!      ●───────────●        E = w/2 Σᵢ ‖(xᵢ − c) − R rᵢ‖²,  R = the rotation nearest to Σᵢ (xᵢ − c) rᵢᵀ
//!       ╲         ╱
//!         ╲     ╱           c  hub (a vertex of its own for a rigid body, at its centre of mass)
//!           ● c             rᵢ = its place at rest, from the hub
//!         ╱     ╲           w  [N/m], so a vertex that carries a load f gives way by f/w
//!       ╱         ╲
//!      ●───────────●
//! ```
//!
//! The set of admissible z is that of shape matching [Müller 2005, §3.3], here as a projective energy: A couples each vertex with the hub
//! alone, so the matrix is a star, and eliminating the hub last leaves no fill. E is the squared distance to the rigid poses, so
//! R is the best rotation for all and ∂E/∂R = 0: the force on the body has neither sum nor moment.
//!
//! Local/global alone turns such a body by 1/(1 + wτ²/m) of the way in an iteration, because the global step holds R. Its second
//! derivative is known, though: w (I − T K⁻¹ Tᵀ) over z, with T the three rotations eₐ × R rᵢ and K = Σ (R rᵢ·zᵢ) I − zᵢ (R rᵢ)ᵀ. Solvers
//! take the three modes out of the matrix (`solve/turning.rs`), which is what [`Arrays::Rigid`] is for.

use std::ops::Range;

use super::error::{require, require_non_negative};
use super::rest::stencil_positions;
use super::{Arrays, Batch, Curvature, EnergyError, EnergyInfo, Memory, Operator, Properties, Rewiring, Specimen};
use crate::math::{Mat3, Quat, Vec3, fitted_rotation};

const KIND: &str = "rigid";

/// Entry in the list of energies.
pub(super) const INFO: EnergyInfo = EnergyInfo {
    key: KIND,
    summary: "vertices that move as one rigid body around a hub",
    citation: "[Müller 2005, §3.3] as an energy",
    specimens: &[specimen, flat_specimen, line_specimen],
};

/// Recipe for vertices that keep their positions relative to a hub, up to one rotation.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidSet {
    /// The vertex that all others are tied to.
    pub hub: u32,
    /// The others.
    pub vertices: Vec<u32>,
    /// Stiffness w at each of them \[N/m\].
    pub stiffness: f64,
}

impl RigidSet {
    /// Builds the batch for vertices with these rest positions.
    pub fn build(&self, rest: &[Vec3]) -> Result<Box<dyn Batch>, EnergyError> {
        require_non_negative(KIND, "stiffness", self.stiffness)?;
        require(KIND, "number of vertices", self.vertices.len() as f64, "at least 1", !self.vertices.is_empty())?;
        let mut operator = Operator::new(1);
        let mut offsets = Vec::with_capacity(self.vertices.len());
        for (element, &vertex) in self.vertices.iter().enumerate() {
            let [hub, place] = stencil_positions(KIND, element, &[self.hub, vertex], rest)?;
            operator.push(self.stiffness, &[self.hub, vertex], &[-1.0, 1.0]);
            offsets.push(place - hub);
        }
        let mut sorted = self.vertices.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let element = self.vertices.iter().rposition(|v| *v == pair[0]).unwrap_or(0);
            return Err(EnergyError::RepeatedVertex { kind: KIND, element, vertex: pair[0] });
        }
        Ok(Box::new(RigidBatch { operator, offsets }))
    }
}

/// One rigid set; its warm values are the quaternion (x, y, z, w) of R.
#[derive(Debug, Clone)]
struct RigidBatch {
    operator: Operator,
    /// rᵢ \[m\].
    offsets: Vec<Vec3>,
}

impl Batch for RigidBatch {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn operator(&self) -> &Operator {
        &self.operator
    }

    fn operator_mut(&mut self) -> &mut Operator {
        &mut self.operator
    }

    /// The projection is the nearest point of all z together; one element cannot be looked at alone.
    fn properties(&self) -> Properties {
        Properties { nearest: false, idempotent: false, exact_hessian: false, ..Properties::INTERNAL }
    }

    fn arrays(&self) -> Arrays {
        Arrays::Rigid(self.offsets.clone())
    }

    /// It does not come apart, but bodies beside it may.
    fn rewired(&self, rewiring: &Rewiring) -> Option<Box<dyn Batch>> {
        let renumbered = || Self { operator: self.operator.rewired(rewiring), offsets: self.offsets.clone() };
        rewiring.only_renumbers(self.operator.len()).then(|| Box::new(renumbered()) as Box<dyn Batch>)
    }

    fn initial_warm(&self) -> Vec<f64> {
        vec![0.0, 0.0, 0.0, 1.0]
    }

    fn project(&self, x: &[Vec3], _goals: &[Vec3], memory: &mut Memory) {
        let stencils = self.operator.corner_vertices().chunks_exact(2).zip(self.operator.weights());
        // One body in the fixed order of its vertices: some hundred products, less than it takes to wake a thread.
        let arms = stencils
            .zip(&self.offsets)
            .map(|((stencil, &w), r)| ((x[stencil[1] as usize] - x[stencil[0] as usize]) * w, *r));
        let rotation = fitted_rotation(arms, Quat::from_slice(&memory.warm));
        rotation.write_to_slice(&mut memory.warm);
        let rotation = Mat3::from_quat(rotation);
        memory.projections.iter_mut().zip(&self.offsets).for_each(|(p, r)| *p = rotation * *r);
    }

    /// With the rotation held; solvers know how it follows.
    fn hessians(
        &self,
        _elements: Range<usize>,
        _x: &[Vec3],
        _goals: &[Vec3],
        _memory: &Memory,
        _curvature: Curvature,
        out: &mut [f64],
    ) {
        for block in out.chunks_exact_mut(9) {
            block.copy_from_slice(&Mat3::IDENTITY.to_cols_array());
        }
    }
}

fn specimen_at(places: &[Vec3]) -> Result<Specimen, EnergyError> {
    let vertices = (1..places.len() as u32).collect();
    let batch = RigidSet { hub: 0, vertices, stiffness: 60.0 }.build(places)?;
    Ok(Specimen { batch, rest: places.to_vec() })
}

fn specimen() -> Result<Specimen, EnergyError> {
    specimen_at(&[
        Vec3::new(0.3, 0.4, 0.3),
        Vec3::ZERO,
        Vec3::new(1.0, 0.1, 0.0),
        Vec3::new(0.2, 0.9, 0.1),
        Vec3::new(0.1, 0.2, 1.1),
        Vec3::new(0.9, 1.0, 0.9),
    ])
}

fn flat_specimen() -> Result<Specimen, EnergyError> {
    specimen_at(&[Vec3::ZERO, Vec3::X, Vec3::new(-0.2, 1.1, 0.0), Vec3::new(-0.7, -0.5, 0.0)])
}

fn line_specimen() -> Result<Specimen, EnergyError> {
    specimen_at(&[Vec3::ZERO, Vec3::new(0.6, 0.8, 0.0), Vec3::new(-0.3, -0.4, 0.0)])
}
