//! Potentials, one file each. [`LIST`] lists them.
//!
//! A projective energy is E(x) = w/2 ‖A x − p‖², where p is the projection of A x onto a constraint set [Bouaziz 2014,
//! eq. 7]. The linear half is an [`Operator`]; the nonlinear half is the `project` of an [`Element`] (or of a
//! [`Batch`], if elements are coupled). To add one: write a file with its formula, units, citation, recipe, projection
//! and specimen, and add its `INFO` to the list; the shared tests then find it.

mod area;
mod average;
mod batch;
mod bending;
mod determinant;
mod edge_spring;
mod element;
mod error;
mod example_based;
mod function;
mod half_space;
mod hinge;
mod hinge_projection;
mod isotropic;
mod metric;
mod operator;
mod plate;
mod plate_slopes;
pub(crate) mod position;
mod rest;
mod rigid;
mod sqp;
mod strain_set;
mod tet_strain;
mod triangle_strain;
mod viscous;
mod volume;

pub use area::TriangleArea;
pub use average::AverageGoals;
pub use batch::{Arrays, Batch, Curvature, Memory, Properties, Rewiring};
pub use bending::MeanCurvatureBending;
pub use edge_spring::{EdgeSprings, SpringStiffness};
pub use element::{Element, ElementBatch, TOGETHER};
pub use error::EnergyError;
pub use example_based::{ExampleBased, ExampleWeights};
pub use function::FunctionBatch;
pub use half_space::HalfSpace;
pub(crate) use hinge::SignedAngle;
pub use hinge::{HingeBending, HingeStiffness};
pub(crate) use hinge_projection::hinge_residual;
pub use hinge_projection::hinge_rows;
pub use metric::Metric;
pub use operator::{MAX_ROWS, Operator};
pub use plate::PlateBending;
pub(crate) use plate::is_flat;
pub use position::PositionGoals;
pub(crate) use rest::stencil_positions;
pub use rigid::RigidSet;
pub use sqp::{gradients_by_differences, project_all_by_sqp, project_by_sqp};
pub use strain_set::StrainSet;
pub use tet_strain::TetStrain;
pub use triangle_strain::TriangleStrain;
pub(crate) use viscous::Viscous;
pub use volume::TetVolume;

use crate::math::Vec3;

/// Every built-in energy. The shared tests, and all code that looks up energies by name, use this list.
pub const LIST: &[EnergyInfo] = &[
    edge_spring::INFO,
    triangle_strain::INFO,
    tet_strain::INFO,
    area::INFO,
    volume::INFO,
    example_based::LOCAL_INFO,
    example_based::GLOBAL_INFO,
    plate::INFO,
    bending::INFO,
    hinge::INFO,
    position::INFO,
    average::INFO,
    half_space::INFO,
    rigid::INFO,
];

/// Information on an energy, without an instance of it.
#[derive(Debug, Clone, Copy)]
pub struct EnergyInfo {
    /// Name in scene files, reports and other languages.
    pub key: &'static str,
    /// A one-line description.
    pub summary: &'static str,
    /// The publication that it comes from.
    pub citation: &'static str,
    /// Small instances of its variants, for tests and benchmarks.
    pub specimens: &'static [fn() -> Result<Specimen, EnergyError>],
}

/// A small instance of an energy with its rest positions.
#[derive(Debug)]
pub struct Specimen {
    /// The energy.
    pub batch: Box<dyn Batch>,
    /// Rest positions of its vertices \[m\].
    pub rest: Vec<Vec3>,
}

impl Memory {
    /// Memory of a batch before its first projection.
    pub fn of(batch: &dyn Batch) -> Self {
        let operator = batch.operator();
        Self { projections: vec![Vec3::ZERO; operator.len() * operator.rows()], warm: batch.initial_warm() }
    }
}

/// Total energy of a batch at its last projections \[J\].
pub fn batch_energy(batch: &dyn Batch, x: &[Vec3], memory: &Memory) -> f64 {
    batch.operator().energy(x, &memory.projections) + batch.extra_energy(memory)
}
