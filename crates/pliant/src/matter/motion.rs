//! The part of one kind of matter in a position-based solve.

use std::fmt::Debug;

use super::{Channels, LIST, Matter, MatterEntry};
use crate::contact::Contacts;
use crate::math::Vec3;
use crate::matter::fluid::{FluidReadings, FluidReport};
use crate::parallel::Team;
use crate::world::model::Model;

/// What a motion is built from.
#[derive(Debug, Clone, Copy)]
pub struct MotionSetting<'a> {
    /// The world.
    pub model: &'a Model,
    /// 1/m of each vertex \[1/kg\]; 0 if pinned.
    pub inverse_masses: &'a [f64],
    /// Maximum number of iterations of a solve.
    pub iterations: usize,
}

/// What a motion can see of the current stage.
#[derive(Debug, Clone, Copy)]
pub struct StageView<'a> {
    /// The world.
    pub model: &'a Model,
    /// 1/m of each vertex \[1/kg\]; 0 if pinned.
    pub inverse_masses: &'a [f64],
    /// Positions at the start of the stage \[m\].
    pub before: &'a [Vec3],
    /// Its length \[s\].
    pub h: f64,
}

/// One iteration of a stage.
#[derive(Debug)]
pub struct Iteration<'a, 't, 'c> {
    /// The stage.
    pub stage: &'a StageView<'a>,
    pub(crate) team: &'a Team<'t>,
    /// Contacts with obstacles.
    pub contacts: &'a Contacts<'c>,
    /// Its number, from 0; it goes beyond `count` where a fluid's density needs more.
    pub number: usize,
    /// Number of iterations that every stage has.
    pub count: usize,
    /// Whether constraints are processed from the last to the first.
    pub backwards: bool,
}

/// What a motion can see of a successful substep.
#[derive(Debug, Clone, Copy)]
pub struct StepView<'a> {
    /// Its length \[s\].
    pub h: f64,
    /// Number of substeps of a step.
    pub substeps: usize,
    /// Number of whole steps before this one.
    pub step: u64,
    /// Positions at its end \[m\].
    pub positions: &'a [Vec3],
}

/// Moves all matter of one type during a step. A step has one or more stages, a stage one or more solves, and each
/// solve starts again with `begin`.
pub trait Motion: Debug + Send + Sync {
    /// Begins a solve from the channels of each body; x are the predicted positions, which it may change \[m\].
    fn begin(&mut self, _stage: &StageView<'_>, _contacts: &Contacts<'_>, _channels: &[Channels], _x: &mut [Vec3]) {}

    /// Moves vertices once, after all constraints.
    fn iterate(&mut self, at: &mut Iteration<'_, '_, '_>, x: &mut [Vec3]);

    /// Moves extended particles out of colliders, after vertices were moved out of them.
    fn meet(&mut self, _stage: &StageView<'_>, _contacts: &Contacts<'_>, _x: &mut [Vec3]) {}

    /// Changes the velocities v at the end x of a substep of length h \[s\].
    fn correct_velocities(&mut self, _inverse_masses: &[f64], _x: &[Vec3], _v: &mut [Vec3], _h: f64) {}

    /// Writes the channels of each body, after a successful substep.
    fn finish_step(&mut self, _step: &StepView<'_>, _channels: &mut [Channels]) {}

    /// Approximate number of bytes that an iteration processes on several threads.
    fn bytes(&self) -> usize {
        0
    }

    /// Number of its contacts with colliders, besides those of vertices.
    fn contacts(&self) -> usize {
        0
    }

    /// Mean relative excess over the rest density that the iterations of the stage have left, if it is a fluid.
    fn density_error(&self) -> Option<f64> {
        None
    }

    /// How well it keeps its density, if it is a fluid.
    fn fluid_report(&self) -> Option<FluidReport> {
        None
    }

    /// Pressures of particles in the last step, fluid by fluid.
    fn fluid_readings(&self) -> Vec<FluidReadings> {
        Vec::new()
    }
}

/// The motions of all matter that a world has, in the order of the list, then kinds that are not in it.
pub(crate) fn motions(setting: &MotionSetting<'_>) -> Vec<Box<dyn Motion>> {
    let all = setting.model.matter();
    let listed = |matter: &dyn Matter| LIST.iter().any(|info| (info.is_kind_of)(matter));
    let mut firsts: Vec<&MatterEntry> = Vec::new();
    for info in LIST {
        firsts.extend(all.iter().find(|entry| (info.is_kind_of)(entry.matter.as_ref())));
    }
    for entry in all.iter().filter(|entry| !listed(entry.matter.as_ref())) {
        if !firsts.iter().any(|first| is_of_one_type(first, entry)) {
            firsts.push(entry);
        }
    }
    firsts.into_iter().map(|entry| entry.matter.motion(setting)).collect()
}

fn is_of_one_type(first: &MatterEntry, second: &MatterEntry) -> bool {
    let [first, second] = [first, second].map(|entry| (entry.matter.as_ref() as &dyn std::any::Any).type_id());
    first == second
}
