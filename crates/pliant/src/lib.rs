//! Simulates deformable bodies with projective dynamics: cloth, shells, solids and strands. An exact Newton solver
//! serves as a reference.
//!
//! A body is a mesh with energies of the form E(x) = w/2 ‖A x − p‖², where p is the projection of A x onto a constraint
//! set [Bouaziz 2014]. The weight w is a physical stiffness. One step of implicit Euler minimises inertia plus
//! energies: the projective solver alternates projections with a linear solve whose matrix is factored once, the Newton
//! solver finds the exact minimum.
//!
//! ```
//! use pliant::prelude::*;
//!
//! let mesh = Sheet { width: 1.0, height: 1.0, columns: 10, rows: 10, ..Sheet::default() }.mesh()?;
//! let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.pin([110, 120]);
//! let mut sim = Simulation::builder().body(cloth).build()?;
//! for _ in 0..60 {
//!     sim.step()?;
//! }
//! let lowest = sim.positions().iter().fold(f64::INFINITY, |low, p| low.min(p.y));
//! println!("after {:.2} s the lowest point is at {lowest:.3} m", sim.time());
//! # assert!(lowest < -0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules follow the data flow: [`mesh`] → [`energy`] → [`Model`] → [`solve`] → [`Simulation`].

// Tests compare with the standard library's functions; the engine has its own.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod clock;
pub mod collide;
pub mod constraint;
pub mod contact;
pub mod energy;
mod force;
mod integrate;
mod material;
pub mod math;
pub mod matter;
mod measure;
pub mod mesh;
mod parallel;
pub mod presets;
pub mod proximity;
mod scratch;
pub mod solve;
pub mod sparse;
mod step;
pub mod upsample;
mod world;
mod wrinkle;

pub use clock::Clock;
pub use force::damping::{Damping, damp_deformation, damp_radially};
pub use force::wind::{Turbulence, Wind};
pub use integrate::TimeIntegrator;
pub use material::{BendModel, ClothMaterial, SolidMaterial, StrainLimit, StrandMaterial};
pub use matter::kinds::*;
pub use matter::{Channel, Channels, Matter, Motion};
pub use measure::picking::{Pick, Ray};
pub use measure::readings::ElementStrains;
pub use measure::render::RenderBuffers;
pub use measure::report::{Report, WorstElement};
pub use solve::limit::{LimitMethod, StrainLimitReport, StrainLimiting};
pub use step::builder::SimulationBuilder;
pub use step::change::{AnyMaterial, AttachmentId, BodyId, ChangeError, ColliderId};
pub use step::energy::{EnergyReport, Works};
pub use step::error::StepError;
pub use step::grab::GrabId;
pub use step::inputs::InputError;
pub use step::pool::MOST_THREADS;
pub use step::problem::Problem;
pub use step::report::StepReport;
pub use step::restore::RestoreError;
pub use step::self_collision::{SelfCollision, SelfCollisionReport, Untangled};
pub use step::settle::{SettleError, SettleParams, Settled};
pub use step::simulation::Simulation;
pub use step::substeps::MOST_SUBSTEPS;
pub use world::body::Body;
pub use world::checkpoint::{Checkpoint, CheckpointError};
pub use world::crossing::Crossing;
pub use world::error::ModelError;
pub use world::mass::Mass;
pub use world::model::{BodyInfo, EnergyEntry, Model};
pub use world::state::{AirPath, State, Substep};
pub use world::topology::{Cells, Change, Cut, CutReport, Origin, Seam, TearThreshold, Tearing, TopologyError};
pub use wrinkle::{WrinkleError, WrinkleMesh, WrinkleParams};

/// What most programs need.
pub mod prelude {
    pub use crate::collide::{Collider, Shape};
    pub use crate::contact::{ContactMode, ContactParams};
    pub use crate::energy::{EdgeSprings, SpringStiffness, StrainSet};
    pub use crate::math::{Mat3, Quat, Vec3};
    pub use crate::mesh::generate::{Plane, Sheet, TetBox, rope};
    pub use crate::mesh::{Placed, TetMesh, TriangleMesh};
    pub use crate::solve::{
        Acceleration, FollowLeaderParams, NewtonCurvature, NewtonParams, PositionBasedParams, Preconditioner,
        ProjectiveParams, SolverChoice, Start, TwoMetricParams,
    };
    pub use crate::sparse::Precision;
    pub use crate::{
        BendModel, Body, Checkpoint, ClothMatching, ClothMaterial, Cut, Damping, FluidMaterial, HairGrid, HairMaterial,
        HairStyle, Matching, Modes, OrientedMaterial, OrientedParticles, Ray, Regions, RenderBuffers, RigidMaterial,
        RodMaterial, SelfCollision, SettleParams, Simulation, SolidMaterial, Spring, StrainLimit, StrainLimiting,
        StrandMaterial, Tearing, TimeIntegrator, Turbulence, Wind,
    };
}

/// The README's example is compiled and run with the other doctests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
