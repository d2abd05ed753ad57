//! The share of one kind of matter in a position-based solve.

use std::fmt::Debug;

use super::Channels;
use crate::contact::Contacts;
use crate::energy::Memory;
use crate::fluid::{FluidReadings, FluidReport, Fluids};
use crate::matching::{Cloths, Matchings};
use crate::math::Vec3;
use crate::model::Model;
use crate::oriented::OrientedMotion;
use crate::parallel::Team;
use crate::rigid::RigidSets;
use crate::rod::RodMotion;
use crate::state::State;
use crate::substeps::Substep;

/// What a motion sees of the stage that is solved.
pub(crate) struct StageView<'a> {
    pub(crate) model: &'a Model,
    /// 1/m of each vertex \[1/kg\]; 0 where pinned.
    pub(crate) inverse_masses: &'a [f64],
    /// Where the stage begins \[m\].
    pub(crate) before: &'a [Vec3],
    /// Its length \[s\].
    pub(crate) h: f64,
}

/// One iteration of it.
pub(crate) struct Iteration<'a, 't, 'c> {
    pub(crate) stage: &'a StageView<'a>,
    pub(crate) team: &'a Team<'t>,
    pub(crate) contacts: &'a Contacts<'c>,
    /// Its number from 0, and how many there are.
    pub(crate) number: usize,
    pub(crate) count: usize,
    /// Whether constraints are visited from the last to the first.
    pub(crate) backwards: bool,
    /// What energies remember.
    pub(crate) memory: &'a mut [Memory],
}

/// All matter of one kind in the course of a step. A step has one stage or more, a stage one solve or more, and each solve begins anew.
pub(crate) trait Motion: Debug + Send {
    /// Begins a solve from what the matter carries; x are predicted positions, which it may change \[m\].
    fn begin(&mut self, _stage: &StageView<'_>, _contacts: &Contacts<'_>, _channels: &Channels, _x: &mut [Vec3]) {}

    /// Moves vertices once, after all constraints have.
    fn iterate(&mut self, at: &mut Iteration<'_, '_, '_>, x: &mut [Vec3]);

    /// Moves out of colliders what vertices alone do not tell of, after vertices were moved out of them.
    fn meet(&mut self, _stage: &StageView<'_>, _contacts: &Contacts<'_>, _x: &mut [Vec3]) {}

    /// Changes the velocities v that a substep of h \[s\] has come to at x.
    fn correct_velocities(&mut self, _inverse_masses: &[f64], _x: &[Vec3], _v: &mut [Vec3], _h: f64) {}

    /// Writes what the matter carries on into the state, after a good substep.
    fn finish_step(&mut self, _part: &Substep, _state: &mut State) {}

    /// Bytes that an iteration goes over on several threads, roughly.
    fn bytes(&self) -> usize {
        0
    }

    /// What it has pressing against colliders besides vertices.
    fn contacts(&self) -> usize {
        0
    }

    /// How well it keeps its density, where it is a fluid.
    fn fluid_report(&self) -> Option<FluidReport> {
        None
    }

    /// How particles were pressed in the last step, fluid by fluid.
    fn fluid_readings(&self) -> Vec<FluidReadings> {
        Vec::new()
    }
}

/// The motions of all matter that a world has, in the order in which an iteration goes over them. Fluids see the surfaces of all bodies where those before
/// have moved them.
pub(crate) fn motions(model: &Model, inverse_masses: &[f64], iterations: usize) -> Vec<Box<dyn Motion>> {
    fn boxed(motion: impl Motion + 'static) -> Box<dyn Motion> {
        Box::new(motion)
    }
    let all = [
        Matchings::new(model).map(boxed),
        Cloths::new(model, inverse_masses, iterations).map(boxed),
        OrientedMotion::new(model).map(boxed),
        Fluids::new(model, inverse_masses).map(boxed),
        RigidSets::new(model).map(boxed),
        RodMotion::new(model).map(boxed),
    ];
    all.into_iter().flatten().collect()
}
