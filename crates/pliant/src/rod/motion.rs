//! The rods of a world, and what they do in a step.

use std::ops::Range;

use super::solve::{Moving, Scratch};
use super::{RodMaterial, Rods, frames, spins};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::contact::Contacts;
use crate::math::{Quat, Vec3};
use crate::matter::{Channel, Channels, Iteration, Motion, StageView};
use crate::model::Model;
use crate::parallel;
use crate::state::State;
use crate::substeps::Substep;

/// Names of what rods carry.
pub(crate) const ORIENTATIONS: &str = "rod/orientations";
pub(crate) const SPINS: &str = "rod/spins";

/// All rods of a world. Rod r has the entries `offsets[r]..offsets[r + 1]` among the vertices, and one segment less.
#[derive(Debug, Clone, Default)]
pub(crate) struct RodSet {
    vertices: Vec<u32>,
    offsets: Vec<u32>,
    rods: Rods,
    /// Bodies with the first and the last of their segments.
    bodies: Vec<(usize, Range<usize>)>,
}

impl RodSet {
    /// Adds the rods of a body, by its number: its segments, rod by rod, in vertices of the world.
    pub(crate) fn add(
        &mut self,
        body: usize,
        segments: &[[u32; 2]],
        material: &RodMaterial,
        rest: &[Vec3],
        pinned: &[bool],
    ) {
        let first = self.segment_count();
        self.bodies.push((body, first..first + segments.len()));
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        for rod in segments.chunk_by(|before, next| before[1] == next[0]) {
            let vertices: Vec<u32> =
                rod[..1].iter().map(|ends| ends[0]).chain(rod.iter().map(|ends| ends[1])).collect();
            let points: Vec<Vec3> = vertices.iter().map(|&v| rest[v as usize]).collect();
            self.rods.add(&points, material, |i| pinned[vertices[i] as usize]);
            self.vertices.extend(vertices);
            self.offsets.push(self.vertices.len() as u32);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rods.segments.is_empty()
    }

    /// Vertices from this one on have higher numbers now, by so many.
    pub(crate) fn make_room(&mut self, from: usize, more: usize) {
        self.vertices.iter_mut().filter(|v| **v as usize >= from).for_each(|v| *v += more as u32);
    }

    /// Number of the first body that has any.
    pub(crate) fn first_body(&self) -> Option<usize> {
        self.bodies.first().map(|(body, _)| *body)
    }

    /// Number of segments of all rods.
    pub(crate) fn segment_count(&self) -> usize {
        self.rods.segments.len()
    }

    /// Numbers of a body's segments among all; none where it is no rod.
    pub(crate) fn segments_of(&self, body: usize) -> Range<usize> {
        self.bodies.iter().find(|(number, _)| *number == body).map_or(0..0, |(_, range)| range.clone())
    }

    /// The number among all segments of a body's segment, if it is clamped.
    pub(crate) fn clamped_segment(&self, body: usize, segment: usize) -> Option<usize> {
        let at = self.segments_of(body).nth(segment)?;
        self.rods.segments[at].is_held.then_some(at)
    }

    /// Turns orientations the shortest way to be along their segments where vertices are at x.
    pub(crate) fn align(&self, x: &[Vec3], q: &mut [Quat]) {
        for rod in 0..self.rod_count() {
            let ends = self.rod_vertices(rod).windows(2);
            for (ends, q) in ends.zip(&mut q[self.first_segment(rod)..]) {
                let edge = (x[ends[1] as usize] - x[ends[0] as usize]).normalize_or_zero();
                if edge != Vec3::ZERO {
                    *q = (Quat::from_rotation_arc(*q * Vec3::Z, edge) * *q).normalize();
                }
            }
        }
    }

    fn rod_count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// First segment of a rod.
    fn first_segment(&self, rod: usize) -> usize {
        self.offsets[rod] as usize - rod
    }

    fn rod_vertices(&self, rod: usize) -> &[u32] {
        &self.vertices[self.offsets[rod] as usize..self.offsets[rod + 1] as usize]
    }

    /// Orientations of all segments that are not twisted, where vertices are at x.
    pub(crate) fn untwisted(&self, x: &[Vec3]) -> Vec<Quat> {
        let place = |&v: &u32| x[v as usize];
        let of_rod = |rod: usize| frames(&self.rod_vertices(rod).iter().map(place).collect::<Vec<_>>());
        (0..self.rod_count()).flat_map(of_rod).collect()
    }

    /// Elastic energy of all rods \[J\].
    pub(crate) fn energy(&self, x: &[Vec3], q: &[Quat]) -> f64 {
        let mut sum = 0.0;
        for rod in 0..self.rod_count() {
            let (from, vertices) = (self.first_segment(rod), self.rod_vertices(rod));
            let places: Vec<Vec3> = vertices.iter().map(|&v| x[v as usize]).collect();
            sum += self.rods.energy(from, &places, &q[from..from + vertices.len() - 1]);
        }
        sum
    }
}

/// A rod with what it is solved with.
#[derive(Debug, Default)]
struct Packed {
    x: Vec<Vec3>,
    inverse_masses: Vec<f64>,
    q: Vec<Quat>,
    multipliers: Vec<[Vec3; 2]>,
    scratch: Scratch,
}

/// The rods in the course of a step.
#[derive(Debug, Default)]
pub(crate) struct RodMotion {
    /// Orientations and angular velocities at the start of the step.
    before: Vec<Quat>,
    spins: Vec<Vec3>,
    rods: Vec<Packed>,
}

impl RodMotion {
    /// None where there are no rods.
    pub(crate) fn new(model: &Model) -> Option<Self> {
        (!model.rods().is_empty()).then(Self::default)
    }

    /// Begins a step.
    fn begin_step(&mut self, orientations: &[Quat], spins: &[Vec3]) {
        self.before.clear();
        self.before.extend_from_slice(orientations);
        self.spins.clear();
        self.spins.extend_from_slice(spins);
    }

    /// Begins a solve over h \[s\] with orientations predicted; held segments follow their pinned ends.
    fn begin_solve(&mut self, set: &RodSet, x: &[Vec3], inverse_masses: &[f64], h: f64) {
        if self.before.len() != set.segment_count() {
            // A stage that is studied on its own, outside a step.
            self.begin_step(&set.untwisted(x), &vec![Vec3::ZERO; set.segment_count()]);
        }
        let mut predicted = Vec::new();
        set.rods.predict(&self.before, &self.spins, h, &mut predicted);
        self.rods.resize_with(set.rod_count(), Packed::default);
        for (rod, packed) in self.rods.iter_mut().enumerate() {
            let (from, vertices) = (set.first_segment(rod), set.rod_vertices(rod));
            let count = vertices.len() - 1;
            packed.inverse_masses = vertices.iter().map(|&v| inverse_masses[v as usize]).collect();
            packed.q.clear();
            packed.q.extend_from_slice(&predicted[from..from + count]);
            for (i, ends) in vertices.windows(2).enumerate() {
                let edge = (x[ends[1] as usize] - x[ends[0] as usize]).normalize_or_zero();
                if set.rods.segments[from + i].is_held && edge != Vec3::ZERO {
                    let q = packed.q[i];
                    packed.q[i] = (Quat::from_rotation_arc(q * Vec3::Z, edge) * q).normalize();
                }
            }
            packed.multipliers.clear();
            packed.multipliers.resize(count, [Vec3::ZERO; 2]);
        }
    }

    /// One iteration over all rods; moves their vertices.
    fn visit(&mut self, set: &RodSet, x: &mut [Vec3], h: f64) {
        let (rods, place) = (std::mem::take(&mut self.rods), &*x);
        let numbered = rods.into_iter().enumerate().collect();
        self.rods = parallel::map(numbered, &|(rod, mut packed): (usize, Packed)| {
            let Packed { x, inverse_masses, q, multipliers, scratch } = &mut packed;
            x.clear();
            x.extend(set.rod_vertices(rod).iter().map(|&v| place[v as usize]));
            let mut moving = Moving { x, inverse_masses, q, multipliers };
            set.rods.iterate(set.first_segment(rod), h, &mut moving, scratch);
            packed
        });
        for (rod, packed) in self.rods.iter().enumerate() {
            set.rod_vertices(rod).iter().zip(&packed.x).for_each(|(&v, place)| x[v as usize] = *place);
        }
    }
}

impl Motion for RodMotion {
    fn begin(&mut self, stage: &StageView<'_>, _contacts: &Contacts<'_>, channels: &Channels, x: &mut [Vec3]) {
        self.begin_step(channels.quaternions(ORIENTATIONS), channels.vectors(SPINS));
        self.begin_solve(stage.model.rods(), x, stage.inverse_masses, stage.h);
    }

    fn iterate(&mut self, at: &mut Iteration<'_, '_, '_>, x: &mut [Vec3]) {
        self.visit(at.stage.model.rods(), x, at.stage.h);
    }

    fn finish_step(&mut self, part: &Substep, state: &mut State) {
        let after: Vec<Quat> = self.rods.iter().flat_map(|packed| packed.q.iter().copied()).collect();
        let spins = spins(&self.before, &after, part.h);
        state.channels.set(ORIENTATIONS, Channel::Quaternions(after));
        state.channels.set(SPINS, Channel::Vectors(spins));
    }
}

/// What rods carry that are not twisted, where vertices are at x.
pub(crate) fn initial(model: &Model, x: &[Vec3], channels: &mut Channels) {
    let set = model.rods();
    if !set.is_empty() {
        channels.set(ORIENTATIONS, Channel::Quaternions(set.untwisted(x)));
        channels.set(SPINS, Channel::Vectors(vec![Vec3::ZERO; set.segment_count()]));
    }
}

/// What they carry in a checkpoint.
pub(crate) fn restore(model: &Model, saved: &Checkpoint, channels: &mut Channels) -> Result<(), CheckpointError> {
    let count = model.rods().segment_count();
    if count > 0 {
        channels.set(ORIENTATIONS, Channel::Quaternions(saved.quaternions(ORIENTATIONS, count)?));
        channels.set(SPINS, Channel::Vectors(saved.vectors(SPINS, count)?));
    }
    Ok(())
}
