//! What comes, goes and changes while a world runs: bodies, pins, attachments, materials, colliders, solvers.
//!
//! Each change makes the next model from parts of the last one and checks it as a world that is built is checked; then state, inputs and memory follow. If it
//! cannot be made, nothing has changed. Handles stay valid while other things come and go.

mod carry;
mod draft;
mod error;
mod material;
mod roster;

pub use error::ChangeError;
pub use material::AnyMaterial;
pub(crate) use roster::{Attached, Roster};
pub use roster::{AttachmentId, BodyId, ColliderId};

use crate::collide::Collider;
use crate::contact::{Colliders, ContactParams};
use crate::math::{Vec3, diagonal};
use crate::matter::Channels;
use crate::solve::SolverChoice;
use crate::step::coupling::HeldForces;
use crate::step::groups::{Plan, Planned, Wishes};
use crate::step::self_collision::SelfCollider;
use crate::step::simulation::Simulation;
use crate::world::assemble::{World, check_masses};
use crate::world::body::Body;
use crate::world::error::ModelError;
use crate::world::islands::Stamp;
use crate::world::lists::Lists;
use crate::world::model::Model;
use draft::{Draft, Turnover};

impl Simulation {
    /// Adds a body to the running world, as [`SimulationBuilder::body`](crate::SimulationBuilder::body) does before it
    /// runs. The other bodies go on as they were.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let line = |y: f64| rope(Vec3::Y * y, Vec3::new(1.0, y, 0.0), 8);
    /// let first = Body::strands(&line(0.0)?, &StrandMaterial::default())?.named("first").pin([0]);
    /// let mut sim = Simulation::builder().body(first).build()?;
    /// sim.step()?;
    /// let second = sim.add(Body::strands(&line(1.0)?, &StrandMaterial::default())?.named("second"))?;
    /// sim.step()?;
    /// assert_eq!(sim.positions().len(), 18);
    /// sim.remove(second)?;
    /// assert!(sim.remove(second).is_err(), "it has left");
    /// sim.step()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add(&mut self, body: Body) -> Result<BodyId, ChangeError> {
        self.may_change()?;
        let number = self.model.bodies().len();
        let mut draft = Draft::growing(self);
        if let Err(error) = draft.add(body) {
            self.take_back(draft.is_lent, Some(draft.world.parts.into_lists()));
            return Err(error);
        }
        self.take(draft)?;
        Ok(BodyId(self.roster.bodies.add(number)))
    }

    /// Takes a body out of the world, with what is attached to it.
    pub fn remove(&mut self, body: BodyId) -> Result<(), ChangeError> {
        self.may_change()?;
        let number = self.number_of(body)?;
        if self.model.bodies().len() == 1 {
            return Err(ChangeError::LastBody(self.model.bodies()[0].name.clone()));
        }
        let mut draft = Draft::of(self);
        draft.remove(number)?;
        let mut roster = self.roster.clone();
        roster.remove_body(body.0, number);
        draft.attachments = roster.named_attachments(&|body| draft.world.parts.bodies[body].name.clone());
        self.take(draft)?;
        self.roster = roster;
        Ok(())
    }

    /// Pins vertices of a body where they are.
    pub fn pin(&mut self, body: BodyId, vertices: &[u32]) -> Result<(), ChangeError> {
        self.set_pins(body, vertices, true)
    }

    /// Lets pinned vertices of a body go.
    pub fn unpin(&mut self, body: BodyId, vertices: &[u32]) -> Result<(), ChangeError> {
        self.set_pins(body, vertices, false)
    }

    fn set_pins(&mut self, body: BodyId, vertices: &[u32], pin: bool) -> Result<(), ChangeError> {
        self.may_change()?;
        let number = self.number_of(body)?;
        let mut draft = Draft::of(self);
        for &vertex in vertices {
            let at = self.vertex_of(number, vertex)?;
            if !pin && !draft.world.parts.pinned[at] {
                return Err(ChangeError::NotPinned { body: self.model.bodies()[number].name.clone(), vertex });
            }
            draft.world.parts.pinned[at] = pin;
        }
        draft.world.parts.bodies[number].stamp = Stamp::new();
        self.take(draft)
    }

    fn vertex_of(&self, body: usize, vertex: u32) -> Result<usize, ChangeError> {
        let info = &self.model.bodies()[body];
        let count = info.vertices.len();
        if vertex as usize >= count {
            return Err(ChangeError::NoSuchVertex { body: info.name.clone(), vertex, count });
        }
        Ok(info.vertices.start + vertex as usize)
    }

    /// Ties a vertex of one body to a vertex of another, as
    /// [`SimulationBuilder::attach`](crate::SimulationBuilder::attach) does before the world runs.
    pub fn attach(
        &mut self,
        first: (BodyId, u32),
        second: (BodyId, u32),
        stiffness: f64,
    ) -> Result<AttachmentId, ChangeError> {
        self.attach_with(first, second, stiffness, Some(0.0))
    }

    /// Ties two vertices by a spring that keeps their rest distance.
    pub fn attach_at_distance(
        &mut self,
        first: (BodyId, u32),
        second: (BodyId, u32),
        stiffness: f64,
    ) -> Result<AttachmentId, ChangeError> {
        self.attach_with(first, second, stiffness, None)
    }

    fn attach_with(
        &mut self,
        first: (BodyId, u32),
        second: (BodyId, u32),
        stiffness: f64,
        length: Option<f64>,
    ) -> Result<AttachmentId, ChangeError> {
        self.may_change()?;
        let mut ends = [(0, 0); 2];
        for (end, (body, vertex)) in ends.iter_mut().zip([first, second]) {
            *end = (self.number_of(body)?, vertex);
            self.vertex_of(end.0, vertex)?;
        }
        let mut roster = self.roster.clone();
        let id = roster.attach(Attached { serial: 0, ends, stiffness, length });
        self.take_attachments(roster)?;
        Ok(AttachmentId(id))
    }

    /// Takes an attachment off.
    pub fn detach(&mut self, attachment: AttachmentId) -> Result<(), ChangeError> {
        self.may_change()?;
        let mut roster = self.roster.clone();
        roster.detach(attachment)?;
        self.take_attachments(roster)
    }

    fn take_attachments(&mut self, roster: Roster) -> Result<(), ChangeError> {
        let mut draft = Draft::of(self);
        draft.attachments = roster.named_attachments(&|body| self.model.bodies()[body].name.clone());
        self.take(draft)?;
        self.roster = roster;
        Ok(())
    }

    /// Names another solver for a body, or none: then it has that of the world.
    pub fn set_body_solver(&mut self, body: BodyId, solver: Option<SolverChoice>) -> Result<(), ChangeError> {
        self.may_change()?;
        let number = self.number_of(body)?;
        if let Some(solver) = &solver {
            solver.check_parameters(self.contact_mode(), self.settings.integrator)?;
        }
        let mut draft = Draft::of(self);
        draft.named[number] = solver;
        self.take(draft)
    }

    /// Adds a collider to the running world.
    pub fn add_collider(&mut self, collider: Collider) -> Result<ColliderId, ChangeError> {
        self.check_collider(&collider)?;
        let around = self.colliders.get_or_insert_with(|| Colliders {
            colliders: Vec::new(),
            params: ContactParams::default(),
            touched: Vec::new(),
            held: Vec::new(),
        });
        around.colliders.push(collider);
        let number = around.colliders.len() - 1;
        self.forget_clearances();
        Ok(ColliderId(self.roster.colliders.add(number)))
    }

    /// Puts another collider in the place of one, such as the same shape elsewhere.
    pub fn replace_collider(&mut self, collider: ColliderId, by: Collider) -> Result<(), ChangeError> {
        let number = self.collider_number(collider)?;
        self.check_collider(&by)?;
        if let Some(around) = &mut self.colliders {
            around.colliders[number] = by;
        }
        self.forget_clearances();
        Ok(())
    }

    /// Takes a collider out of the world.
    pub fn remove_collider(&mut self, collider: ColliderId) -> Result<(), ChangeError> {
        let number = self.collider_number(collider)?;
        self.may_change_colliders()?;
        if let Some(around) = &mut self.colliders {
            around.colliders.remove(number);
            around.touched.retain(|contact| contact.collider != number);
            around.touched.iter_mut().filter(|c| c.collider > number).for_each(|contact| contact.collider -= 1);
            around.held.retain(|held| held.collider as usize != number);
            around.held.iter_mut().filter(|h| h.collider as usize > number).for_each(|held| held.collider -= 1);
        }
        self.roster.remove_collider(collider.0, number);
        self.forget_clearances();
        Ok(())
    }

    fn check_collider(&self, collider: &Collider) -> Result<(), ChangeError> {
        self.may_change_colliders()?;
        let name = || collider.name().unwrap_or("that is new").to_owned();
        collider.check().map_err(|error| ModelError::Collider { collider: name(), error }.into())
    }

    fn may_change_colliders(&self) -> Result<(), ChangeError> {
        if self.rollback.is_busy() { Err(ChangeError::WithinAttempt) } else { Ok(()) }
    }

    fn may_change(&self) -> Result<(), ChangeError> {
        self.may_change_colliders()?;
        if self.topology_changes() > 0 { Err(ChangeError::Torn) } else { Ok(()) }
    }

    /// Makes a draft the world, if it is one.
    fn take(&mut self, mut draft: Draft) -> Result<(), ChangeError> {
        let turnover = Turnover { gone: draft.gone.take(), come: draft.world.positions.len() };
        let come = std::mem::take(&mut draft.world.positions);
        let velocities = std::mem::take(&mut draft.world.velocities);
        // What only grows, grows in place: a body that comes to many costs no copy of them.
        let kept = turnover.gone.as_ref().map(|_| self.state.positions.clone());
        let before = self.state.positions.len();
        turnover.carry(&mut self.state.positions, come.iter().copied());
        let (bodies, energies) = (std::mem::take(&mut draft.bodies), std::mem::take(&mut draft.energies));
        let is_lent = draft.is_lent;
        let next = match self.checked_draft(draft, &bodies) {
            Ok(next) => next,
            Err(refused) => {
                let Refused { error, lists } = *refused;
                self.take_back(is_lent, lists);
                match kept {
                    Some(kept) => self.state.positions = kept,
                    None => self.state.positions.truncate(before),
                }
                return Err(error);
            }
        };
        // From here on nothing can fail.
        let Next { model, wishes, planned, collider, channels } = next;
        let Planned { plan, substeps, integrator } = planned;
        // Where bodies only come, the energy of the others is as well known as it was.
        let is_one = self.plan.solvers.len() == 1 && plan.solvers.len() == 1;
        let known = self.ledger.elastic.filter(|_| is_lent && is_one && self.has_watched_solver());
        self.keep_memory(&model, &energies);
        self.carry_inputs_by(&turnover, &model, &energies);
        if let Some(history) = &mut self.history {
            let h = history.h;
            turnover.carry(&mut history.positions, come.iter().zip(&velocities).map(|(x, v)| *x - *v * h));
            turnover.carry(&mut history.velocities, velocities.iter().copied());
            if !history.others.is_empty() {
                turnover.carry(&mut history.others, std::iter::repeat(Vec3::ZERO));
            }
        }
        turnover.carry(&mut self.state.velocities, velocities);
        if let Some(around) = &mut self.colliders {
            let next = |vertex: usize| turnover.next(vertex);
            around
                .held
                .retain_mut(|held| next(held.vertex as usize).inspect(|new| held.vertex = *new as u32).is_some());
            around.touched.retain_mut(|c| next(c.vertex).inspect(|new| c.vertex = *new).is_some());
        }
        self.grabs.follow(&|vertex| turnover.next(vertex as usize).map(|v| v as u32), &model);
        self.state.channels = channels;
        (self.model, self.wishes, self.plan) = (model, wishes, plan);
        (self.settings.substeps, self.settings.integrator) = (substeps, integrator);
        self.between = HeldForces::default();
        match (collider, &mut self.self_collider) {
            (Keeping::Replaced(collider), own) => *own = collider.map(|collider| *collider),
            (Keeping::Grown, own) => own.iter_mut().for_each(|own| own.grow(&self.model)),
        }
        self.forget_factors();
        self.ledger.elastic =
            known.filter(|_| self.has_watched_solver()).map(|known| known + self.elastic_energy_of_new(&energies));
        Ok(())
    }

    /// Gives the model the lists back that a draft has borrowed.
    fn take_back(&mut self, is_lent: bool, lists: Option<Lists>) {
        if let (true, Some(lists)) = (is_lent, lists) {
            self.model.take_back(lists);
        }
    }

    /// What a draft comes to, if it is a world; if not, why, and the lists that it may have borrowed. Positions are those of the next world already;
    /// `bodies` are the numbers that its bodies had.
    fn checked_draft(&self, draft: Draft, bodies: &[Option<usize>]) -> Result<Next, Box<Refused>> {
        let Draft { mut world, named, attachments, is_lent, .. } = draft;
        let positions = &self.state.positions;
        let Wishes { world: chosen, substeps, integrator, .. } = &self.wishes;
        let wishes = Wishes { world: chosen.clone(), bodies: named, substeps: *substeps, integrator: *integrator };
        let mut join = || {
            if !attachments.is_empty() {
                let attached = world.attached_bodies(&attachments)?;
                let groups = Plan::by_key(wishes.keys(&attached, &world.needing_position_based())).of_body;
                world.attach(&attachments, &|body| groups[body])?;
            }
            // What only grows was checked before.
            let first = if is_lent { self.roster.bodies.len() } else { 0 };
            check_masses(&world.parts.bodies[first..], &world.parts.mass, &world.parts.pinned)
        };
        let joined: Result<(), ModelError> = join();
        let World { mut parts, .. } = world;
        if let Err(error) = joined {
            return Err(Refused::boxed(error, Some(parts.into_lists())));
        }
        let extent = parts.rest_diagonal().max(diagonal(positions));
        parts.diagonal = if extent > 0.0 { extent } else { 1.0 };
        let mut model = Model::new(parts).map_err(|error| Refused::boxed(error, None))?;
        let check = |model: &Model| {
            let planned = wishes.planned(model, &self.circumstances())?;
            crate::matter::check_world(model, planned.integrator)?;
            crate::world::topology::check_tearing(model)?;
            crate::step::applies::check(model, &self.uses(self.settings.wind.is_some()))?;
            let limits_strain = self.strain_limiting.is_some();
            crate::step::energy::check_kept(model, planned.integrator, limits_strain, self.contact_mode())?;
            // Surfaces that were there are apart already.
            let is_checked = bodies.iter().all(Option::is_some) || self.lineage.is_provisional;
            let collider = match self.later_self_collision() {
                None => Keeping::Replaced(None),
                Some(_) if is_lent => {
                    if !is_checked {
                        SelfCollider::check_last(model, positions)?;
                    }
                    Keeping::Grown
                }
                Some(settings) if is_checked => {
                    Keeping::Replaced(Some(Box::new(SelfCollider::unchecked(settings, model))))
                }
                Some(_) => Keeping::Replaced(self.collider_for(model, positions)?.map(Box::new)),
            };
            Ok((planned, collider, crate::matter::initial(model, positions)?))
        };
        let (planned, collider, mut channels) = check(&model).map_err(|error| Refused::boxed(error, model.lend()))?;
        for (own, old) in channels.iter_mut().zip(bodies) {
            if let Some(old) = old {
                own.clone_from(&self.state.channels[*old]);
            }
        }
        Ok(Next { model, wishes, planned, collider, channels })
    }
}

/// Why a draft came to nothing, and the lists that it may have borrowed.
struct Refused {
    error: ChangeError,
    lists: Option<Lists>,
}

impl Refused {
    fn boxed(error: ModelError, lists: Option<Lists>) -> Box<Self> {
        Box::new(Self { error: error.into(), lists })
    }
}

/// A world that can take the place of the last one.
struct Next {
    model: Model,
    wishes: Wishes,
    planned: Planned,
    collider: Keeping,
    channels: Vec<Channels>,
}

/// What keeps its surfaces apart, if anything does.
enum Keeping {
    Replaced(Option<Box<SelfCollider>>),
    /// What did so before, once it has the body that has come.
    Grown,
}
