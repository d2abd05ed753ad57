//! Handles of bodies, attachments and colliders.

use crate::step::change::ChangeError;
use crate::step::simulation::Simulation;
use crate::world::assemble::Attachment;
use crate::world::slots::{Handle, Slots};

/// A body of a running world. It stays the same while other bodies come and go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub(super) Handle);

/// An attachment of a running world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttachmentId(pub(super) Handle);

/// A collider of a running world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColliderId(pub(super) Handle);

/// An attachment, by the numbers of its bodies.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attached {
    /// Ascending as they are added.
    pub(crate) serial: u64,
    pub(crate) ends: [(usize, u32); 2],
    pub(crate) stiffness: f64,
    /// Rest length \[m\]; the distance at rest if absent.
    pub(crate) length: Option<f64>,
}

/// What handles stand for: numbers of bodies and colliders, and attachments.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Roster {
    pub(super) bodies: Slots<usize>,
    pub(super) attachments: Slots<Attached>,
    pub(super) colliders: Slots<usize>,
    /// Attachments that there have ever been.
    serial: u64,
}

impl Roster {
    /// Of a world that has just been built.
    pub(crate) fn new(bodies: usize, attachments: impl IntoIterator<Item = Attached>, colliders: usize) -> Self {
        let mut roster = Self::default();
        for body in 0..bodies {
            roster.bodies.add(body);
        }
        for attached in attachments {
            roster.attach(attached);
        }
        for collider in 0..colliders {
            roster.colliders.add(collider);
        }
        roster
    }

    /// Adds an attachment.
    pub(super) fn attach(&mut self, attached: Attached) -> Handle {
        self.serial += 1;
        self.attachments.add(Attached { serial: self.serial, ..attached })
    }

    /// Forgets a body, and what was attached to it; those after it move up.
    pub(super) fn remove_body(&mut self, handle: Handle, number: usize) {
        self.bodies.remove(handle);
        self.bodies.iter_mut().filter(|body| **body > number).for_each(|body| *body -= 1);
        let is_on = |attached: &Attached| attached.ends.iter().any(|(body, _)| *body == number);
        let gone: Vec<Handle> =
            self.attachments.iter().filter(|(_, attached)| is_on(attached)).map(|(handle, _)| handle).collect();
        for handle in gone {
            self.attachments.remove(handle);
        }
        let ends = self.attachments.iter_mut().flat_map(|attached| &mut attached.ends);
        ends.filter(|(body, _)| *body > number).for_each(|(body, _)| *body -= 1);
    }

    /// Forgets an attachment.
    pub(super) fn detach(&mut self, id: AttachmentId) -> Result<(), ChangeError> {
        self.attachments.remove(id.0).map(|_| ()).ok_or_else(|| gone("attachment", id.0))
    }

    /// All attachments, those that were added first in front, given the names of bodies.
    pub(super) fn named_attachments(&self, name: &dyn Fn(usize) -> String) -> Vec<Attachment> {
        let named = |attached: &Attached| Attachment {
            ends: attached.ends.map(|(body, vertex)| (name(body), vertex)),
            stiffness: attached.stiffness,
            length: attached.length,
        };
        let mut all: Vec<&Attached> = self.attachments.iter().map(|(_, attached)| attached).collect();
        all.sort_unstable_by_key(|attached| attached.serial);
        all.into_iter().map(named).collect()
    }

    /// Forgets a collider; those after it move up.
    pub(super) fn remove_collider(&mut self, handle: Handle, number: usize) {
        self.colliders.remove(handle);
        self.colliders.iter_mut().filter(|other| **other > number).for_each(|other| *other -= 1);
    }
}

fn gone(what: &'static str, handle: Handle) -> ChangeError {
    ChangeError::Gone { what, slot: handle.slot as usize }
}

impl Simulation {
    /// The handle of a body by its name.
    pub fn body_id(&self, name: &str) -> Option<BodyId> {
        let number = self.body_number(name).ok()?;
        self.roster.bodies.iter().find(|(_, body)| **body == number).map(|(handle, _)| BodyId(handle))
    }

    /// Handles of all bodies, in the order of the bodies.
    pub fn body_ids(&self) -> Vec<BodyId> {
        let mut ids: Vec<(usize, BodyId)> =
            self.roster.bodies.iter().map(|(handle, number)| (*number, BodyId(handle))).collect();
        ids.sort_unstable();
        ids.into_iter().map(|(_, id)| id).collect()
    }

    /// Handles of all attachments, those that were added first in front.
    pub fn attachment_ids(&self) -> Vec<AttachmentId> {
        let mut ids: Vec<(u64, AttachmentId)> =
            self.roster.attachments.iter().map(|(handle, own)| (own.serial, AttachmentId(handle))).collect();
        ids.sort_unstable();
        ids.into_iter().map(|(_, id)| id).collect()
    }

    /// Handles of all colliders, in the order of [`colliders`](Self::colliders).
    pub fn collider_ids(&self) -> Vec<ColliderId> {
        let mut ids: Vec<(usize, ColliderId)> =
            self.roster.colliders.iter().map(|(handle, number)| (*number, ColliderId(handle))).collect();
        ids.sort_unstable();
        ids.into_iter().map(|(_, id)| id).collect()
    }

    /// The number of a body in [`Model::bodies`](crate::Model::bodies); it changes when a body before it leaves.
    pub fn number_of(&self, body: BodyId) -> Result<usize, ChangeError> {
        self.roster.bodies.get(body.0).copied().ok_or_else(|| gone("body", body.0))
    }

    pub(super) fn collider_number(&self, collider: ColliderId) -> Result<usize, ChangeError> {
        self.roster.colliders.get(collider.0).copied().ok_or_else(|| gone("collider", collider.0))
    }
}
