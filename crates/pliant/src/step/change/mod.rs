//! What comes, goes and changes while a world runs: bodies, pins, attachments, materials, colliders, solvers.
//!
//! Each change makes the next model from parts of the last one and checks it as a world that is built is checked; then state, inputs and memory follow. If it
//! cannot be made, nothing has changed. Handles stay valid while other things come and go.

mod draft;
mod error;
mod roster;

pub use error::ChangeError;
pub(crate) use roster::{Attached, Roster};
pub use roster::{AttachmentId, BodyId, ColliderId};

use crate::collide::Collider;
use crate::contact::{Colliders, ContactParams};
use crate::energy::Memory;
use crate::material::{ClothMaterial, SolidMaterial, StrandMaterial};
use crate::math::{Vec3, diagonal};
use crate::matter::hair::chained;
use crate::mesh::{Csr, Simplices, StrandSet, TetMesh, TriangleMesh};
use crate::solve::SolverChoice;
use crate::step::coupling::HeldForces;
use crate::step::groups::{Plan, Wishes};
use crate::step::simulation::Simulation;
use crate::world::assemble::{Attachment, World, check_masses};
use crate::world::body::{Body, in_body};
use crate::world::error::ModelError;
use crate::world::model::Model;
use crate::world::state::Inputs;
use crate::world::topology::Substance;
use draft::{Draft, carried};

/// A new material for a body that is made of one.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyMaterial {
    /// For cloth.
    Cloth(ClothMaterial),
    /// For solids.
    Solid(SolidMaterial),
    /// For strands.
    Strand(StrandMaterial),
}

impl From<ClothMaterial> for AnyMaterial {
    fn from(material: ClothMaterial) -> Self {
        Self::Cloth(material)
    }
}

impl From<SolidMaterial> for AnyMaterial {
    fn from(material: SolidMaterial) -> Self {
        Self::Solid(material)
    }
}

impl From<StrandMaterial> for AnyMaterial {
    fn from(material: StrandMaterial) -> Self {
        Self::Strand(material)
    }
}

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
        let mut draft = Draft::of(self);
        let number = draft.bodies.len();
        draft.add(body)?;
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
        let names: Vec<String> = draft.world.parts.bodies.iter().map(|body| body.name.clone()).collect();
        draft.attachments = roster.named_attachments(&names);
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
        let names: Vec<String> = self.model.bodies().iter().map(|body| body.name.clone()).collect();
        draft.attachments = roster.named_attachments(&names);
        self.take(draft)?;
        self.roster = roster;
        Ok(())
    }

    /// Replaces the material of a cloth, a solid or strands. Its shape at rest stays, and energies that were added
    /// one by one.
    pub fn set_material(&mut self, body: BodyId, material: impl Into<AnyMaterial>) -> Result<(), ChangeError> {
        self.may_change()?;
        let number = self.number_of(body)?;
        let (fabric, info) = (&self.model.fabrics()[number], &self.model.bodies()[number]);
        let rest = self.model.rest()[info.vertices.clone()].to_vec();
        let energy = |error| in_body(&info.name, error);
        let (count, energies, mass, substance, width) = match (material.into(), &fabric.substance) {
            (AnyMaterial::Cloth(next), Some(Substance::Cloth(last))) => {
                let mesh = TriangleMesh::new(rest, fabric.cells.arrays()).map_err(ModelError::from)?;
                let count = last.energies(&mesh).map_err(energy)?.len();
                let mass = mesh.mass_matrix(next.mass, next.density).map_err(ModelError::from)?;
                (count, next.energies(&mesh).map_err(energy)?, mass, Substance::Cloth(next), info.strand_width)
            }
            (AnyMaterial::Solid(next), Some(Substance::Solid(last))) => {
                let mesh = TetMesh::new(rest, fabric.cells.arrays()).map_err(ModelError::from)?;
                let count = last.energies(&mesh).map_err(energy)?.len();
                let mass = mesh.mass_matrix(next.mass, next.density).map_err(ModelError::from)?;
                (count, next.energies(&mesh).map_err(energy)?, mass, Substance::Solid(next), info.strand_width)
            }
            (AnyMaterial::Strand(next), Some(Substance::Strand(last))) => {
                let mesh =
                    StrandSet::new(rest, Csr::from_rows(chained(&fabric.cells.arrays()))).map_err(ModelError::from)?;
                let count = last.energies(&mesh).map_err(energy)?.len();
                let mass = mesh.mass_matrix(next.mass, next.density).map_err(ModelError::from)?;
                let width = next.width();
                (count, next.energies(&mesh).map_err(energy)?, mass, Substance::Strand(next), width)
            }
            (other, _) => {
                let wanted = match other {
                    AnyMaterial::Cloth(_) => "cloth",
                    AnyMaterial::Solid(_) => "a solid",
                    AnyMaterial::Strand(_) => "strands",
                };
                return Err(ChangeError::OtherSubstance { body: info.name.clone(), wanted });
            }
        };
        let mut draft = Draft::of(self);
        draft.replace_energies(number, count, energies, &mass);
        draft.world.parts.fabrics[number].substance = Some(substance);
        draft.world.parts.bodies[number].strand_width = width;
        self.take(draft)
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

    /// All attachments by the names of their bodies.
    pub(super) fn attachments(&self) -> Vec<Attachment> {
        let names: Vec<String> = self.model.bodies().iter().map(|body| body.name.clone()).collect();
        self.roster.named_attachments(&names)
    }

    /// Makes a draft the world, if it is one.
    fn take(&mut self, draft: Draft) -> Result<(), ChangeError> {
        let vertices = draft.vertices(&self.model);
        let Draft { mut world, named, bodies, energies, attachments } = draft;
        let wishes = Wishes { world: self.wishes.world.clone(), bodies: named };
        let attached = world.attached_bodies(&attachments)?;
        let groups = Plan::by_key(wishes.keys(&attached, &world.needing_position_based())).of_body;
        world.attach(&attachments, &|body| groups[body])?;
        let World { mut parts, positions, velocities } = world;
        check_masses(&parts.bodies, &parts.mass, &parts.pinned)?;
        let extent = diagonal(&parts.rest).max(diagonal(&positions));
        parts.diagonal = if extent > 0.0 { extent } else { 1.0 };
        let model = Model::new(parts)?;
        let plan = self.planned_in(&wishes, &model)?;
        crate::matter::check_world(&model, self.settings.integrator)?;
        crate::world::topology::check_tearing(&model)?;
        let collider = self.collider_for(&model, &positions)?;
        let mut channels = crate::matter::initial(&model, &positions)?;
        for (own, old) in channels.iter_mut().zip(&bodies) {
            if let Some(old) = old {
                own.clone_from(&self.state.channels[*old]);
            }
        }
        // From here on nothing can fail.
        let memory = self.carried_memory(&model, &energies);
        let inputs = self.carried_inputs(&model, &positions, &vertices, &energies);
        if let Some(history) = &mut self.history {
            let h = history.h;
            history.positions = carried(&history.positions, &vertices, |k| positions[k] - velocities[k] * h);
            history.velocities = carried(&history.velocities, &vertices, |k| velocities[k]);
            if !history.others.is_empty() {
                history.others = carried(&history.others, &vertices, |_| Vec3::ZERO);
            }
        }
        let mut numbers = vec![None; self.state.positions.len()];
        (0u32..).zip(&vertices).for_each(|(new, old)| {
            if let Some(old) = old {
                numbers[*old as usize] = Some(new);
            }
        });
        if let Some(around) = &mut self.colliders {
            around.held.retain_mut(|held| numbers[held.vertex as usize].inspect(|new| held.vertex = *new).is_some());
            around.held.sort_by_key(|held| (held.vertex, held.collider));
            around.touched.retain_mut(|c| numbers[c.vertex].inspect(|new| c.vertex = *new as usize).is_some());
        }
        self.grabs.follow(&numbers, &model);
        (self.state.positions, self.state.velocities, self.state.channels) = (positions, velocities, channels);
        (self.model, self.inputs, self.wishes, self.plan) = (model, inputs, wishes, plan);
        self.trial.clone_from(&memory);
        (self.memory, self.self_collider, self.between) = (memory, collider, HeldForces::default());
        self.forget_factors();
        Ok(())
    }

    /// What energies that stay remember.
    fn carried_memory(&self, model: &Model, energies: &[Option<usize>]) -> Vec<Memory> {
        let mut memory = model.initial_memory();
        for (own, old) in memory.iter_mut().zip(energies) {
            if let Some(old) = old {
                own.warm.clone_from(&self.memory[*old].warm);
            }
        }
        memory
    }

    /// Pins, goals and forces of what stays; new pins are where their vertices are.
    fn carried_inputs(
        &self,
        model: &Model,
        positions: &[Vec3],
        vertices: &[Option<u32>],
        energies: &[Option<usize>],
    ) -> Inputs {
        let mut inputs = Inputs::at_rest(model);
        for (target, &v) in inputs.pins.iter_mut().zip(model.pinned()) {
            let before = vertices[v as usize].and_then(|old| self.model.pinned().binary_search(&old).ok());
            *target = before.map_or(positions[v as usize], |place| self.inputs.pins[place]);
        }
        for (k, old) in energies.iter().enumerate() {
            if let Some(old) = old {
                inputs.goals_now[k].clone_from(&self.inputs.goals_now[*old]);
                inputs.goals_next[k].clone_from(&self.inputs.goals_next[*old]);
            }
        }
        inputs.forces = carried(&self.inputs.forces, vertices, |_| Vec3::ZERO);
        inputs
    }
}
