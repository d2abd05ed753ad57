//! Saving and restoring: a restored run continues bit for bit.

use thiserror::Error;

use crate::contact::Held;
use crate::math::Vec3;
use crate::matter::SavedChannels;
use crate::step::change::ChangeError;
use crate::step::coupling::HeldForces;
use crate::step::energy::{Account, Ledger};
use crate::step::grab::Grabs;
use crate::step::lineage::Replayed;
use crate::step::simulation::Simulation;
use crate::step::substeps::MOST_SUBSTEPS;
use crate::world::checkpoint::{Checkpoint, CheckpointError, bad_number, flatten, unflatten};
use crate::world::error::ModelError;
use crate::world::state::{AirPath, History, Inputs};

/// Why a state could not be restored in a world that had to be changed first.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RestoreError {
    /// A change could not be made.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The state does not belong to the changed world, or is damaged.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

impl Simulation {
    /// Saves the current state.
    ///
    /// ```
    /// # use pliant::prelude::*;
    /// # let mesh = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
    /// # let mut sim = Simulation::builder().body(Body::cloth(&mesh, &ClothMaterial::default())?.pin([0])).build()?;
    /// let bytes = sim.checkpoint().to_bytes();
    /// sim.step()?;
    /// let later = sim.positions().to_vec();
    /// sim.restore(&Checkpoint::from_bytes(&bytes)?)?;
    /// sim.step()?;
    /// assert_eq!(sim.positions(), later);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn checkpoint(&self) -> Checkpoint {
        let mut channels = vec![
            ("clock".to_owned(), vec![self.state.time, self.state.step as f64, self.settings.time_step]),
            ("scale".to_owned(), vec![self.model.diagonal()]),
            ("positions".to_owned(), flatten(&self.state.positions)),
            ("velocities".to_owned(), flatten(&self.state.velocities)),
            ("pins".to_owned(), flatten(&self.inputs.pins)),
            ("forces".to_owned(), flatten(&self.inputs.forces)),
        ];
        if self.settings.substeps != 1 {
            channels.push(("substeps".to_owned(), vec![self.settings.substeps as f64]));
        }
        for (body, own) in self.state.channels.iter().enumerate() {
            channels
                .extend(own.iter().map(|(name, channel)| (SavedChannels::name_of(body, name), channel.to_numbers())));
        }
        if let Some(history) = &self.history {
            channels.push(("before/step".to_owned(), vec![history.h]));
            channels.push(("before/positions".to_owned(), flatten(&history.positions)));
            channels.push(("before/velocities".to_owned(), flatten(&history.velocities)));
            if !history.others.is_empty() {
                channels.push(("before/others".to_owned(), flatten(&history.others)));
            }
        }
        if self.state.air != AirPath::default() {
            let AirPath { carried, length } = self.state.air;
            channels.push(("air".to_owned(), vec![carried.x, carried.y, carried.z, length]));
        }
        if self.ledger != Ledger::default() {
            channels.push((Ledger::CHANNEL.to_owned(), self.ledger.numbers()));
        }
        if !self.accounts.is_empty() {
            channels.push((Account::CHANNEL.to_owned(), Account::numbers(&self.accounts)));
        }
        channels.extend(self.between.channels());
        if !self.grabs.is_empty() {
            channels.push((Grabs::CHANNEL.to_owned(), self.grabs.numbers()));
        }
        if let Some(colliders) = &self.colliders {
            let numbers = colliders.held.iter().flat_map(|held| {
                let [x, y, z] = held.sliding_force.to_array();
                [f64::from(held.vertex), f64::from(held.collider), held.pressed, x, y, z]
            });
            channels.push(("contacts".to_owned(), numbers.collect()));
        }
        for (k, memory) in self.memory.iter().enumerate() {
            channels.push((format!("warm/{k}"), memory.warm.clone()));
            channels.push((format!("goals/{k}/now"), flatten(&self.inputs.goals_now[k])));
            channels.push((format!("goals/{k}/next"), flatten(&self.inputs.goals_next[k])));
        }
        for (k, change) in self.lineage.changes.iter().enumerate() {
            channels.push((format!("topology/{k}"), change.encode()));
        }
        Checkpoint { fingerprint: self.lineage.first(&self.model).fingerprint(), channels }
    }

    /// The model of a checkpoint, where it is not the current one.
    fn replay(&self, saved: &Checkpoint) -> Result<Option<Replayed>, CheckpointError> {
        let names = (0..).map(|k| format!("topology/{k}"));
        let found = names.map_while(|name| saved.channels.iter().find(|(other, _)| *other == name));
        let changes: Vec<&[f64]> = found.map(|(_, numbers)| numbers.as_slice()).collect();
        let is_current = |(numbers, change): (&&[f64], &crate::Change)| **numbers == change.encode();
        let own = &self.lineage.changes;
        if changes.len() == own.len() && changes.iter().zip(own).all(is_current) {
            return Ok(None);
        }
        let refuse = |reason: String| CheckpointError::Topology { change: changes.len(), reason };
        let replayed = self.replayed(&changes).map_err(|error| refuse(error.to_string()))?;
        replayed.ok_or_else(|| refuse("its numbers are damaged".to_owned())).map(Some)
    }

    /// Contacts that are held in a checkpoint of a model with so many vertices.
    fn saved_contacts(&self, saved: &Checkpoint, vertices: usize) -> Result<Vec<Held>, CheckpointError> {
        let records: &[[f64; 6]] = saved.records("contacts")?;
        for (k, record) in records.iter().enumerate() {
            for (place, count) in [vertices, self.colliders().len()].into_iter().enumerate() {
                let number = record[place];
                if !(number >= 0.0 && number < count as f64 && number.fract() == 0.0) {
                    return Err(bad_number("contacts", 6 * k + place, number));
                }
            }
        }
        let held = |n: &[f64; 6]| {
            let sliding_force = Vec3::new(n[3], n[4], n[5]);
            Held { vertex: n[0] as u32, collider: n[1] as u32, pressed: n[2], sliding_force }
        };
        Ok(records.iter().map(held).collect())
    }

    /// Makes changes, such as adding bodies that came before the state was saved, and then returns to that state. In
    /// between surfaces may intersect, because positions are not yet those that were saved. If the state does not belong
    /// to the changed world, the changes stay.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let line = |name: &str| -> Result<Body, pliant::ModelError> {
    ///     Ok(Body::strands(&rope(Vec3::ZERO, Vec3::X, 8)?, &StrandMaterial::default())?.named(name).pin([0]))
    /// };
    /// let first = || -> Result<Simulation, pliant::ModelError> { Simulation::builder().body(line("first")?).build() };
    /// let mut sim = first()?;
    /// sim.step()?;
    /// sim.add(line("second")?)?;
    /// sim.step()?;
    /// let saved = sim.checkpoint();
    /// let mut resumed = first()?;
    /// resumed.restore_after(&saved, |world| world.add(line("second")?).map(drop))?;
    /// for sim in [&mut sim, &mut resumed] {
    ///     sim.step()?;
    /// }
    /// assert_eq!(sim.positions(), resumed.positions());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restore_after(
        &mut self,
        saved: &Checkpoint,
        changes: impl FnOnce(&mut Self) -> Result<(), ChangeError>,
    ) -> Result<(), RestoreError> {
        self.lineage.is_provisional = true;
        let changed = changes(self);
        self.lineage.is_provisional = false;
        changed?;
        Ok(self.restore(saved)?)
    }

    /// Returns to a saved state of the same model, with its tears and cuts at that time. After an error nothing has
    /// changed.
    pub fn restore(&mut self, saved: &Checkpoint) -> Result<(), CheckpointError> {
        let expected = self.lineage.first(&self.model).fingerprint();
        if saved.fingerprint != expected {
            return Err(CheckpointError::OtherModel { found: saved.fingerprint, expected });
        }
        let replayed = self.replay(saved)?;
        let model = replayed.as_ref().map_or(&self.model, |replayed| &replayed.model);
        let n = 3 * model.rest().len();
        let clock = saved.channel("clock", 3)?;
        if clock[2] <= 0.0 {
            return Err(bad_number("clock", 2, clock[2]));
        }
        if clock[1] < 0.0 || clock[1].fract() != 0.0 {
            return Err(bad_number("clock", 1, clock[1]));
        }
        let substeps = match saved.channel("substeps", 1) {
            Err(CheckpointError::Channel { found: 0, .. }) => 1,
            Err(other) => return Err(other),
            Ok(&[count]) if count >= 1.0 && count <= MOST_SUBSTEPS as f64 && count.fract() == 0.0 => count as usize,
            Ok(count) => return Err(bad_number("substeps", 0, count[0])),
        };
        let (mut state, mut inputs, mut memory) = (self.state.clone(), self.inputs.clone(), self.memory.clone());
        if replayed.is_some() {
            (inputs, memory) = (Inputs::at_rest(model), model.initial_memory());
        }
        (state.time, state.step) = (clock[0], clock[1] as u64);
        state.positions = unflatten(saved.channel("positions", n)?);
        state.velocities = unflatten(saved.channel("velocities", n)?);
        state.channels = crate::matter::restored(model, saved)?;
        inputs.pins = unflatten(saved.channel("pins", 3 * inputs.pins.len())?);
        inputs.forces = unflatten(saved.channel("forces", n)?);
        for (k, memory) in memory.iter_mut().enumerate() {
            memory.warm = saved.channel(&format!("warm/{k}"), memory.warm.len())?.to_vec();
            for (name, goals) in [("now", &mut inputs.goals_now[k]), ("next", &mut inputs.goals_next[k])] {
                *goals = unflatten(saved.channel(&format!("goals/{k}/{name}"), 3 * goals.len())?);
            }
        }
        let history = match saved.channel("before/step", 1) {
            Err(CheckpointError::Channel { found: 0, .. }) => None,
            Err(other) => return Err(other),
            Ok(h) if h[0] <= 0.0 => return Err(bad_number("before/step", 0, h[0])),
            Ok(h) => Some(History {
                h: h[0],
                positions: unflatten(saved.channel("before/positions", n)?),
                velocities: unflatten(saved.channel("before/velocities", n)?),
                others: unflatten(saved.optional("before/others", n)?),
            }),
        };
        let air = saved.optional("air", 4)?;
        state.air = air
            .first_chunk()
            .map_or_else(AirPath::default, |&[x, y, z, length]| AirPath { carried: Vec3::new(x, y, z), length });
        let held = self.saved_contacts(saved, model.rest().len())?;
        let grabs = Grabs::saved_in(saved, model.rest().len())?;
        let scale = saved.optional("scale", 1)?.first().copied().unwrap_or(model.diagonal());
        if scale <= 0.0 {
            return Err(bad_number("scale", 0, scale));
        }
        let between = HeldForces::saved_in(saved, model.bodies().len())?;
        let ledger = Ledger::saved_in(saved)?;
        let accounts = Account::list(saved.optional(Account::CHANNEL, 2 * model.islands().len())?);
        if let Some(replayed) = replayed {
            let collider = self.collider_for(&replayed.model, &state.positions);
            let refuse = |error: ModelError| CheckpointError::Topology {
                change: replayed.changes.len(),
                reason: error.to_string(),
            };
            let collider = collider.map_err(refuse)?;
            self.take_replayed(replayed, collider);
        }
        if let Some(colliders) = &mut self.colliders {
            colliders.held = held;
            colliders.touched.clear();
        }
        (self.between, self.grabs) = (between, grabs);
        // Bodies that have come and gone may have left the world with another scale than one that is built with those that stayed.
        if scale != self.model.diagonal() {
            self.groups.clear();
            self.model.rescale(scale);
            self.forget_factors();
        }
        self.forget_clearances();
        if substeps != self.settings.substeps {
            // Not what the rule would choose: somebody asked for it.
            self.wishes.substeps = Some(substeps);
        }
        (self.settings.time_step, self.settings.substeps) = (clock[2], substeps);
        (self.state, self.inputs, self.memory, self.history) = (state, inputs, memory, history);
        (self.ledger, self.accounts) = (ledger, accounts);
        Ok(())
    }
}
