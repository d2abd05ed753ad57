//! The share of one kind of matter in a position-based solve.

use std::fmt::Debug;

use super::{Channels, LIST, Matter, MatterEntry};
use crate::contact::Contacts;
use crate::energy::Memory;
use crate::math::Vec3;
use crate::matter::fluid::{FluidReadings, FluidReport};
use crate::matter::rigid::RigidSets;
use crate::parallel::Team;
use crate::world::model::Model;

/// What a motion is made for.
#[derive(Debug, Clone, Copy)]
pub struct MotionSetting<'a> {
    /// The world.
    pub model: &'a Model,
    /// 1/m of each vertex \[1/kg\]; 0 where pinned.
    pub inverse_masses: &'a [f64],
    /// How many iterations a solve has at most.
    pub iterations: usize,
}

/// What a motion sees of the stage that is solved.
#[derive(Debug, Clone, Copy)]
pub struct StageView<'a> {
    /// The world.
    pub model: &'a Model,
    /// 1/m of each vertex \[1/kg\]; 0 where pinned.
    pub inverse_masses: &'a [f64],
    /// Where the stage begins \[m\].
    pub before: &'a [Vec3],
    /// Its length \[s\].
    pub h: f64,
}

/// One iteration of it.
#[derive(Debug)]
pub struct Iteration<'a, 't, 'c> {
    /// The stage.
    pub stage: &'a StageView<'a>,
    pub(crate) team: &'a Team<'t>,
    /// What is in the way.
    pub contacts: &'a Contacts<'c>,
    /// Its number, from 0.
    pub number: usize,
    /// How many there are at most.
    pub count: usize,
    /// Whether constraints are visited from the last to the first.
    pub backwards: bool,
    /// What energies remember.
    pub(crate) memory: &'a mut [Memory],
}

/// What a motion sees of a substep that has ended well.
#[derive(Debug, Clone, Copy)]
pub struct StepView<'a> {
    /// Its length \[s\].
    pub h: f64,
    /// How many substeps a step has.
    pub substeps: usize,
    /// Whole steps that were taken before.
    pub step: u64,
    /// Where it has come to \[m\].
    pub positions: &'a [Vec3],
}

/// All matter of one type in the course of a step. A step has one stage or more, a stage one solve or more, and each solve begins anew.
pub trait Motion: Debug + Send {
    /// Begins a solve from what each body carries; x are predicted positions, which it may change \[m\].
    fn begin(&mut self, _stage: &StageView<'_>, _contacts: &Contacts<'_>, _channels: &[Channels], _x: &mut [Vec3]) {}

    /// Moves vertices once, after all constraints have.
    fn iterate(&mut self, at: &mut Iteration<'_, '_, '_>, x: &mut [Vec3]);

    /// Moves out of colliders what vertices alone do not tell of, after vertices were moved out of them.
    fn meet(&mut self, _stage: &StageView<'_>, _contacts: &Contacts<'_>, _x: &mut [Vec3]) {}

    /// Changes the velocities v that a substep of h \[s\] has come to at x.
    fn correct_velocities(&mut self, _inverse_masses: &[f64], _x: &[Vec3], _v: &mut [Vec3], _h: f64) {}

    /// Writes what each body carries on, after a good substep.
    fn finish_step(&mut self, _step: &StepView<'_>, _channels: &mut [Channels]) {}

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

/// The motions of all matter that a world has, in the order of the list, then kinds that are not in it. Rigid bodies come last: whatever has moved their
/// vertices, they are rigid afterwards.
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
    let rigid = RigidSets::new(setting.model).map(|sets| Box::new(sets) as Box<dyn Motion>);
    firsts.into_iter().map(|entry| entry.matter.motion(setting)).chain(rigid).collect()
}

fn is_of_one_type(first: &MatterEntry, second: &MatterEntry) -> bool {
    let [first, second] = [first, second].map(|entry| (entry.matter.as_ref() as &dyn std::any::Any).type_id());
    first == second
}
