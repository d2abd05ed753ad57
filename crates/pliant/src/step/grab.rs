//! Vertices that a user holds softly and drags: springs from a vertex to a point that are made and dropped between steps.
//!
//! A grab is a spring of rest length 0 in the linear systems of a step, as contacts are; no matrix is factored again when it is made, moved or dropped.

use crate::contact::{Tie, Ties};
use crate::math::Vec3;
use crate::step::inputs::{InputError, finite};
use crate::step::simulation::Simulation;
use crate::world::checkpoint::{Checkpoint, CheckpointError, bad_number};
use crate::world::model::Model;
use crate::world::slots::{Handle, Slots};
use crate::world::state::Substep;

/// A vertex that is held; returned by [`Simulation::grab`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GrabId(Handle);

/// A vertex that is held.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Grab {
    vertex: u32,
    /// \[N/m\].
    stiffness: f64,
    /// Where it was held at the end of the last step, and where it is at the end of the next \[m\].
    last: Vec3,
    target: Vec3,
}

/// All of a world.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Grabs {
    slots: Slots<Grab>,
}

impl Grabs {
    pub(crate) const CHANNEL: &'static str = "grabs";

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.iter().next().is_none()
    }

    /// Those of a group, at a fraction of a substep.
    pub(crate) fn ties(&self, model: &Model, part: &Substep, moment: f64) -> Ties {
        let done = (part.count - part.left) as f64 + moment;
        let is_own = |grab: &&Grab| model.free_index(grab.vertex).is_some();
        let grabs = self.slots.iter().map(|(_, grab)| grab).filter(is_own);
        let list = grabs.map(|&Grab { vertex, stiffness, last, target }| Tie {
            number: 0,
            ends: [vertex; 2],
            point: Some(last.lerp(target, done / part.count as f64)),
            stiffness,
            length: 0.0,
            slack: Vec3::ZERO,
            force: Vec3::ZERO,
            other: Some((0, 0.0)),
        });
        Ties { list: list.collect() }
    }

    /// Takes the end of a step.
    pub(crate) fn arrive(&mut self) {
        self.slots.iter_mut().for_each(|grab| grab.last = grab.target);
    }

    /// Follows a model in which vertices were added after the first `before`.
    pub(crate) fn renumber(&mut self, before: usize, added: usize) {
        let moved = self.slots.iter_mut().filter(|grab| grab.vertex as usize >= before);
        moved.for_each(|grab| grab.vertex += added as u32);
    }

    /// Follows a model in which vertices have other numbers, or have gone: what is gone or pinned is let go.
    pub(crate) fn follow(&mut self, number: &dyn Fn(u32) -> Option<u32>, model: &Model) {
        let place = |grab: &Grab| number(grab.vertex).filter(|&v| model.free_index(v).is_some());
        let gone: Vec<Handle> =
            self.slots.iter().filter(|(_, grab)| place(grab).is_none()).map(|(handle, _)| handle).collect();
        for handle in gone {
            self.slots.remove(handle);
        }
        for grab in self.slots.iter_mut() {
            grab.vertex = place(grab).unwrap_or(grab.vertex);
        }
    }

    /// As numbers of a checkpoint.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        let numbers = |(handle, grab): (Handle, &Grab)| {
            let ([a, b, c], [x, y, z]) = (grab.last.to_array(), grab.target.to_array());
            let (slot, generation) = (f64::from(handle.slot), f64::from(handle.generation));
            [slot, generation, f64::from(grab.vertex), grab.stiffness, a, b, c, x, y, z]
        };
        self.slots.iter().flat_map(numbers).collect()
    }

    /// Those in a checkpoint of a model with so many vertices.
    pub(crate) fn saved_in(saved: &Checkpoint, vertices: usize) -> Result<Self, CheckpointError> {
        let mut slots = Slots::default();
        for (k, record) in saved.records::<10>(Self::CHANNEL)?.iter().enumerate() {
            let [slot, generation, vertex, stiffness, a, b, c, x, y, z] = *record;
            let most = [MOST_GRABS as f64, f64::from(u32::MAX), vertices as f64];
            for (place, (number, most)) in [slot, generation, vertex].into_iter().zip(most).enumerate() {
                if !(number >= 0.0 && number < most && number.fract() == 0.0) {
                    return Err(bad_number(Self::CHANNEL, 10 * k + place, number));
                }
            }
            if stiffness <= 0.0 {
                return Err(bad_number(Self::CHANNEL, 10 * k + 3, stiffness));
            }
            let handle = Handle { slot: slot as u32, generation: generation as u32 };
            let (last, target) = (Vec3::new(a, b, c), Vec3::new(x, y, z));
            slots.put(handle, Grab { vertex: vertex as u32, stiffness, last, target });
        }
        Ok(Self { slots })
    }
}

/// Vertices that can be held at once.
const MOST_GRABS: usize = 65_536;

impl Simulation {
    /// Holds a vertex softly where it is, by a spring with a stiffness \[N/m\], until [`release`](Self::release). A
    /// stiffness of 400 /s² times the mass of the body drags it along within about a twentieth of a second.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let sheet = Sheet { columns: 8, rows: 8, plane: Plane::Xz, ..Sheet::default() };
    /// let cloth = Body::cloth(&sheet.mesh()?, &ClothMaterial::default())?.named("cloth");
    /// let mut sim = Simulation::builder().body(cloth).gravity(Vec3::ZERO).build()?;
    /// // Someone points from above.
    /// let ray = Ray { origin: Vec3::new(0.01, 1.0, 0.01), direction: -Vec3::Y };
    /// let picked = sim.pick(ray, 0.05)?.ok_or("the cloth is there")?;
    /// let grab = sim.grab(&picked.body, picked.vertex, 100.0)?;
    /// for k in 1..=30 {
    ///     sim.move_grab(grab, picked.point + Vec3::Y * 0.01 * f64::from(k))?;
    ///     sim.step()?;
    /// }
    /// assert!(sim.body_positions("cloth")?[picked.vertex as usize].y > 0.25);
    /// sim.release(grab)?;
    /// assert!(sim.move_grab(grab, Vec3::ZERO).is_err(), "it was released");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn grab(&mut self, body: &str, vertex: u32, stiffness: f64) -> Result<GrabId, InputError> {
        let at = self.vertex(body, vertex)?;
        if !(stiffness.is_finite() && stiffness > 0.0) {
            let need = "positive and finite";
            return Err(InputError::BadValue { name: "stiffness of a grab", value: stiffness, need });
        }
        if self.model.free_index(at as u32).is_none() {
            return Err(InputError::Pinned { body: body.to_owned(), vertex });
        }
        if self.grabs.slots.iter().count() >= MOST_GRABS {
            let need = "below 65536";
            return Err(InputError::BadValue { name: "number of grabs", value: MOST_GRABS as f64, need });
        }
        let place = self.state.positions[at];
        let grab = Grab { vertex: at as u32, stiffness, last: place, target: place };
        Ok(GrabId(self.grabs.slots.add(grab)))
    }

    /// Sets where a vertex that is held is pulled at the end of the next step, and from then on \[m\].
    pub fn move_grab(&mut self, grab: GrabId, target: Vec3) -> Result<(), InputError> {
        finite("target of a grab", target)?;
        let held = self.grabs.slots.get_mut(grab.0).ok_or_else(|| gone(grab))?;
        held.target = target;
        Ok(())
    }

    /// Whether vertices are held.
    pub fn has_grabs(&self) -> bool {
        !self.grabs.is_empty()
    }

    /// Lets a vertex go.
    pub fn release(&mut self, grab: GrabId) -> Result<(), InputError> {
        self.grabs.slots.remove(grab.0).map(|_| ()).ok_or_else(|| gone(grab))
    }
}

fn gone(grab: GrabId) -> InputError {
    InputError::Gone { what: "grab", slot: grab.0.slot as usize }
}
