//! Rounds of solving and truncating, so that no surface passes through another; as the engine's `step/self_collision`.

use pliant::SelfCollision;
use pliant::solve::TwoMetricParams;

use crate::device::{Device, Program};
use crate::error::GpuError;
use crate::layers::{Layers, Truncate};
use crate::prepared::Prepared;

/// Programs of rounds.
#[derive(Debug)]
pub(super) struct Rounds {
    /// Sorts the trees of boxes: once a step is enough.
    sort: Program,
    /// Takes where vertices are as positions without intersections.
    pub(super) begin: Program,
    /// Lists contacts of vertices that want to be where they are, and of those that were kept from where they wanted to be.
    contacts: Program,
    contacts_again: Program,
    /// Cuts movements.
    truncate: Truncate,
    most: usize,
    least: usize,
}

impl Rounds {
    pub(super) fn new(device: &Device, layers: &Layers, settings: &SelfCollision) -> Result<Self, GpuError> {
        Ok(Self {
            // The trees are sorted by where vertices are known to be, so that is noted first.
            sort: device.program([layers.begin()?, layers.sort()?].concat())?,
            begin: device.program(layers.begin()?)?,
            // What stopped an impact in the substep before is no guess of what carries a load in this one.
            contacts: device.program([vec![layers.forget()?], layers.contacts()?].concat())?,
            contacts_again: device.program(layers.contacts_again()?)?,
            truncate: layers.truncate()?,
            most: settings.rounds,
            least: settings.least_rounds,
        })
    }

    /// What lists contacts, and what cuts movements.
    pub(super) fn programs(&self) -> [(&'static str, &Program); 3] {
        let [first, rest] = self.truncate.programs();
        [("contacts", &self.contacts), ("truncate", first), ("truncate, what is left", rest)]
    }

    pub(super) fn begin_step(&self, device: &Device) -> Result<(), GpuError> {
        device.run(&[&self.sort])
    }

    /// Solves a stage, from where vertices are predicted to be.
    pub(super) fn solve(&self, prepared: &mut Prepared, params: &TwoMetricParams, load: f64) -> Result<(), GpuError> {
        prepared.device.run(&[&self.contacts])?;
        let mut beside = None;
        for round in 1.. {
            let outcome = prepared.newton_alone(params, load, beside)?;
            let Some(outcome) = outcome else { return Ok(()) };
            beside = Some(beside.or(outcome.begun_with).unwrap_or(0.0));
            // Nothing is held back yet: while layers press, the next round goes on from there with the same contacts, which have taken their forces.
            if round < self.least.min(self.most) && prepared.pressing_layers() > 0 {
                continue;
            }
            let cut = self.truncate.run(&prepared.device)?;
            if round >= self.most || cut == 0 {
                break;
            }
            prepared.device.run(&[&self.contacts_again])?;
        }
        Ok(())
    }

    /// Cuts what vertices have moved since.
    pub(super) fn cut_again(&self, device: &Device) -> Result<(), GpuError> {
        self.truncate.run(device).map(drop)
    }
}
