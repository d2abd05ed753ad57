//! What bodies are made of besides energies: how it moves within a solve, and what it carries from step to step.
//!
//! | file | does |
//! |---|---|
//! | `channels` | named arrays of a body: orientations, spins, rotations of regions, breaks |
//! | `place` | what matter sees of its body and of the world |
//! | `motion` | its share in a position-based solve |
//! | `fluid`, `hair`, `matching`, `matching/cloth`, `oriented`, `rod` | the kinds |
//! | `rigid` | rigid bodies, which are energies but move as matter |
//!
//! [`LIST`] is the list of kinds. To add one: write a type that implements [`Matter`] and one that implements [`Motion`], and add its `INFO` to the list; the shared tests then find it. A kind that is not
//! in the list works as well, through [`Body::with_matter`](crate::Body::with_matter).

mod channels;
pub(crate) mod fluid;
pub(crate) mod hair;
pub(crate) mod matching;
mod motion;
pub(crate) mod oriented;
mod place;
pub(crate) mod rigid;
pub(crate) mod rod;

pub use channels::{Channel, Channels, ORIENTATIONS, SPINS, SavedChannels};
pub(crate) use motion::motions;
pub use motion::{Iteration, Motion, MotionSetting, StageView, StepView};
pub use place::{BodyView, Place, Portion};

/// Names of all kinds, with what they are made from; the crate has them at its root.
pub(crate) mod kinds {
    pub use super::fluid::{Emitter, Fluid, FluidMaterial, FluidNumbers, FluidReadings, FluidReport, FluidSurface};
    pub use super::hair::{Hair, HairGrid, HairMaterial, HairStyle};
    pub use super::matching::{
        Break, ClothMatching, ClothMatchingError, Lattice, Link, MatchedSkin, Matching, Modes, Octree, OctreeCell,
        Plasticity, RegionError, Regions, Spring, VolumeConservation,
    };
    pub use super::oriented::{Oriented, OrientedError, OrientedMaterial, OrientedParticles, Skin};
    pub use super::rigid::{RigidError, RigidMaterial, RigidPose};
    pub use super::rod::{Rod, RodMaterial};
}

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crate::integrate::TimeIntegrator;
use crate::math::Vec3;
use crate::world::checkpoint::{Checkpoint, CheckpointError};
use crate::world::error::ModelError;
use crate::world::model::Model;

/// What a body is made of besides energies. It numbers vertices as the body does, from 0, and does not change once the world is built: what changes from
/// step to step is in [`Channels`].
///
/// What `Debug` prints of it tells worlds apart when a checkpoint is restored, so that it has to print all parameters; `derive` does.
pub trait Matter: Any + Debug + Send + Sync {
    /// What it is called in errors and reports.
    fn kind(&self) -> &'static str;

    /// Checks that the body can be made of it, and works out what depends on the body. Called once, when the world is built.
    fn prepare(&mut self, _body: &BodyView<'_>) -> Result<(), ModelError> {
        Ok(())
    }

    /// Refuses a world that it cannot be part of.
    fn check_world(&self, _at: &Place<'_>, _integrator: TimeIntegrator) -> Result<(), ModelError> {
        Ok(())
    }

    /// What it carries when the body's vertices are at x and nothing has moved yet \[m\].
    fn initial(&self, _at: &Place<'_>, _x: &[Vec3]) -> Channels {
        Channels::default()
    }

    /// What it carries in a checkpoint. By default arrays of the same kinds and lengths as at first.
    fn restored(&self, at: &Place<'_>, saved: &SavedChannels<'_>) -> Result<Channels, CheckpointError> {
        saved.like(&self.initial(at, at.rest()))
    }

    /// Brings along what it carries when the body's vertices were put to x by hand \[m\].
    fn put(&self, _at: &Place<'_>, _x: &[Vec3], _channels: &mut Channels) {}

    /// Energy that is stored in it \[J\]; none where it does not have one.
    fn elastic_energy(&self, _x: &[Vec3], _channels: &Channels) -> Option<f64> {
        None
    }

    /// Kinetic energy of turns that velocities do not tell of \[J\], and their angular momentum \[kg·m²/s\].
    fn turning(&self, _at: &Place<'_>, _channels: &Channels) -> (f64, Vec3) {
        (0.0, Vec3::ZERO)
    }

    /// Whether velocities hold more than what is seen to move. The wind then looks at movements.
    fn hides_velocities(&self) -> bool {
        false
    }

    /// Moves all matter of its type in the world within a position-based solve. Only one of them is asked.
    fn motion(&self, setting: &MotionSetting<'_>) -> Box<dyn Motion>;
}

/// Every built-in kind, in the order in which an iteration moves them: fluids see the surfaces of bodies where those before have moved them.
pub const LIST: &[MatterInfo] =
    &[matching::INFO, matching::CLOTH_INFO, oriented::INFO, fluid::INFO, rod::INFO, hair::INFO];

/// What is known of a kind of matter without any of it.
#[derive(Debug, Clone, Copy)]
pub struct MatterInfo {
    /// What it is called in errors and reports.
    pub kind: &'static str,
    /// One line for a person.
    pub summary: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// Small bodies for tests, in their variants. Each moves when it is stepped under gravity.
    pub specimens: &'static [fn() -> Result<crate::Body, ModelError>],
    /// Whether matter is of this kind.
    pub(crate) is_kind_of: fn(&dyn Matter) -> bool,
}

/// The matter of a body within the world.
#[derive(Debug, Clone)]
pub struct MatterEntry {
    /// Number of the body.
    pub body: usize,
    /// What it is made of.
    pub matter: Arc<dyn Matter>,
}

impl MatterEntry {
    /// This matter, where it is of type M.
    pub fn downcast<M: Matter>(&self) -> Option<&M> {
        downcast(self.matter.as_ref())
    }
}

pub(crate) fn downcast<M: Matter>(matter: &dyn Matter) -> Option<&M> {
    (matter as &dyn Any).downcast_ref()
}

pub(crate) fn is<M: Matter>(matter: &dyn Matter) -> bool {
    downcast::<M>(matter).is_some()
}

/// Refuses all integrators but implicit Euler, for matter whose springs or limits gain energy with others.
pub(crate) fn needs_implicit_euler(
    at: &Place<'_>,
    kind: &'static str,
    integrator: TimeIntegrator,
) -> Result<(), ModelError> {
    if integrator == TimeIntegrator::ImplicitEuler {
        return Ok(());
    }
    let problem =
        format!("it would gain energy with {integrator}: choose implicit Euler, and shorter steps to damp less");
    Err(ModelError::Matter { body: at.name().to_owned(), kind, problem })
}

/// Refuses a world that some matter cannot be part of.
pub(crate) fn check_world(model: &Model, integrator: TimeIntegrator) -> Result<(), ModelError> {
    model.matter().iter().try_for_each(|entry| entry.matter.check_world(&Place::new(model, entry.body), integrator))
}

/// What the matter of each body carries when vertices are at x and nothing has moved yet.
pub(crate) fn initial(model: &Model, x: &[Vec3]) -> Result<Vec<Channels>, ModelError> {
    let mut channels = vec![Channels::default(); model.bodies().len()];
    for entry in model.matter() {
        let at = Place::new(model, entry.body);
        let own = entry.matter.initial(&at, &x[at.vertices()]);
        if let Err(name) = channels[entry.body].join(own) {
            let problem = format!("something else in the body carries {name:?} too");
            return Err(ModelError::Matter { body: at.name().to_owned(), kind: entry.matter.kind(), problem });
        }
    }
    Ok(channels)
}

/// What it carries in a checkpoint.
pub(crate) fn restored(model: &Model, saved: &Checkpoint) -> Result<Vec<Channels>, CheckpointError> {
    let mut channels = vec![Channels::default(); model.bodies().len()];
    for entry in model.matter() {
        let own = entry.matter.restored(&Place::new(model, entry.body), &SavedChannels::new(saved, entry.body))?;
        // Names were told apart when the world was built.
        let _ = channels[entry.body].join(own);
    }
    Ok(channels)
}
