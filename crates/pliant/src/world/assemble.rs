//! Joins bodies to the flat arrays of a model: shifts vertex numbers, concatenates lists and checks the input.

use std::sync::Arc;

use crate::energy::{EdgeSprings, SpringStiffness};
use crate::math::Vec3;
use crate::matter::{BodyView, MatterEntry};
use crate::world::body::Body;
use crate::world::error::ModelError;
use crate::world::islands::{Stamp, ranges};
use crate::world::mass::Mass;
use crate::world::model::{BodyInfo, EnergyEntry, ModelParts, needing_position_based};

/// Two vertices that are tied by a spring.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attachment {
    pub(crate) ends: [(String, u32); 2],
    pub(crate) stiffness: f64,
    /// Rest length \[m\]; the distance at rest if absent.
    pub(crate) length: Option<f64>,
}

/// Parts of a model that grow body by body.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) parts: ModelParts,
    pub(crate) positions: Vec<Vec3>,
    pub(crate) velocities: Vec<Vec3>,
}

impl World {
    /// Adds a body, if it is one.
    pub(crate) fn add(&mut self, body: Body) -> Result<(), ModelError> {
        let name = body.name.clone().unwrap_or_else(|| format!("body {}", self.parts.bodies.len()));
        if self.parts.bodies.iter().any(|other| other.name == name) {
            return Err(ModelError::RepeatedName(name));
        }
        check_body(&body, &name)?;
        let base = self.parts.rest.len();
        let count = body.rest.len();
        let limit = u32::MAX as usize / 4;
        if base + count > limit {
            return Err(ModelError::TooLarge { count: base + count, limit });
        }
        let number = self.parts.bodies.len();
        self.parts.pinned.resize(base + count, false);
        body.pinned.iter().for_each(|&v| self.parts.pinned[base + v as usize] = true);
        let view = BodyView {
            name: &name,
            rest: &body.rest,
            positions: &body.positions,
            velocities: &body.velocities,
            surface: &body.surface,
            segments: &body.segments,
            pinned: &self.parts.pinned[base..],
        };
        for mut matter in body.matter {
            matter.prepare(&view)?;
            self.parts.matter.push(MatterEntry { body: number, matter: Arc::from(matter) });
        }
        self.parts.mass.append(count, &body.mass);
        self.parts.fabrics.push(Arc::new(body.fabric));
        self.parts.rest.extend_from_slice(&body.rest);
        self.positions.extend_from_slice(&body.positions);
        self.velocities.extend_from_slice(&body.velocities);
        for mut batch in body.energies {
            batch.operator_mut().shift_vertices(base as u32);
            self.parts.energies.push(EnergyEntry::new(Arc::from(batch), Some(number)));
        }
        for mut batch in body.constraints {
            batch.shift_vertices(base as u32);
            self.parts.constraints.push(Arc::from(batch));
        }
        let surface = body.surface.iter().map(|t| t.map(|v| v + base as u32)).collect();
        let segments = body.segments.iter().map(|s| s.map(|v| v + base as u32)).collect();
        self.parts.bodies.push(BodyInfo {
            name,
            vertices: base..base + count,
            surface,
            segments,
            strand_width: body.strand_width,
            pressure: body.pressure,
            collides_with_itself: body.collides_with_itself,
            permeable: body.permeable,
            welded: Vec::new(),
            stamp: Stamp::new(),
        });
        Ok(())
    }

    /// The bodies at the ends of each attachment.
    pub(crate) fn attached_bodies(&self, attachments: &[Attachment]) -> Result<Vec<[usize; 2]>, ModelError> {
        let bodies = |ends: [u32; 2]| ends.map(|v| self.parts.bodies.partition_point(|b| b.vertices.end <= v as usize));
        attachments.iter().map(|attachment| self.ends(attachment).map(bodies)).collect()
    }

    /// For each body whether it has constraints or matter that only the position-based solver supports.
    pub(crate) fn needing_position_based(&self) -> Vec<bool> {
        needing_position_based(&self.parts.bodies, &self.parts.constraints, &self.parts.matter)
    }

    /// All attachments, in one batch where bodies have one solver and hang together: a scene may have hundreds, and each batch is a call of its own in every
    /// iteration. Those between bodies of two groups are a batch of their own.
    pub(crate) fn attach(
        &mut self,
        attachments: &[Attachment],
        group: &dyn Fn(usize) -> usize,
    ) -> Result<(), ModelError> {
        let attached = self.attached_bodies(attachments)?;
        let mut reach: Vec<usize> = (0..self.parts.bodies.len()).collect();
        for &[a, b] in &attached {
            reach[a.min(b)] = reach[a.min(b)].max(a.max(b));
        }
        let ranges = ranges(&reach);
        let mut batches: Vec<([usize; 3], Vec<&Attachment>)> = Vec::new();
        for (attachment, bodies) in attachments.iter().zip(attached) {
            let island = ranges.partition_point(|range| range.end <= bodies[0]);
            let [a, b] = bodies.map(group);
            let key = [a.min(b), a.max(b), island];
            match batches.iter_mut().find(|(own, _)| *own == key) {
                Some((_, batch)) => batch.push(attachment),
                None => batches.push((key, vec![attachment])),
            }
        }
        batches.iter().try_for_each(|(_, batch)| self.attach_all(batch))
    }

    fn attach_all(&mut self, attachments: &[&Attachment]) -> Result<(), ModelError> {
        let (mut edges, mut lengths) = (Vec::new(), Vec::new());
        for attachment in attachments {
            let ends = self.ends(attachment)?;
            let [first, second] = ends.map(|vertex| self.parts.rest[vertex as usize]);
            edges.push(ends);
            lengths.push(attachment.length.unwrap_or_else(|| first.distance(second)));
        }
        let stiffness = attachments.iter().map(|attachment| attachment.stiffness).collect();
        let springs =
            EdgeSprings { rest_lengths: Some(lengths), ..EdgeSprings::new(edges, SpringStiffness::PerEdge(stiffness)) };
        let batch = springs.build(&self.parts.rest).map_err(|error| {
            let is_bad = |attachment: &&&Attachment| !(attachment.stiffness.is_finite() && attachment.stiffness >= 0.0);
            let bad = attachments.iter().find(is_bad).unwrap_or(&attachments[0]);
            ModelError::Energy { body: bad.ends[0].0.clone(), error }
        })?;
        self.parts.energies.push(EnergyEntry::new(Arc::from(batch), None));
        Ok(())
    }

    /// Vertices of the world at the ends of an attachment.
    fn ends(&self, attachment: &Attachment) -> Result<[u32; 2], ModelError> {
        let mut ends = [0; 2];
        for (end, (name, vertex)) in ends.iter_mut().zip(&attachment.ends) {
            let body = self.parts.bodies.iter().find(|body| body.name == *name);
            let body = body.ok_or_else(|| ModelError::NoSuchBody(name.clone()))?;
            let count = body.vertices.len();
            if *vertex as usize >= count {
                return Err(ModelError::NoSuchVertex { body: name.clone(), vertex: *vertex, count });
            }
            *end = body.vertices.start as u32 + vertex;
        }
        Ok(ends)
    }
}

/// Lists of a body have one entry for each vertex, and nothing names a vertex that is not there.
fn check_body(body: &Body, name: &str) -> Result<(), ModelError> {
    let expected = body.rest.len();
    let owned = || name.to_owned();
    for (list, found) in [("positions", body.positions.len()), ("velocities", body.velocities.len())] {
        if found != expected {
            return Err(ModelError::LengthMismatch { body: owned(), name: list, found, expected });
        }
    }
    for positions in [&body.rest, &body.positions] {
        if let Some(vertex) = positions.iter().position(|p| !p.is_finite()) {
            return Err(ModelError::NonFinitePosition { body: owned(), vertex, value: positions[vertex] });
        }
    }
    if let Some(vertex) = body.velocities.iter().position(|v| !v.is_finite()) {
        return Err(ModelError::NonFiniteVelocity { body: owned(), vertex, value: body.velocities[vertex] });
    }
    let corners = body.energies.iter().flat_map(|batch| batch.operator().corner_vertices().iter().copied());
    let constrained =
        body.constraints.iter().flat_map(|batch| (0..batch.len()).flat_map(|e| batch.stencil(e)).copied());
    let corners = corners.chain(constrained);
    let masses = body.mass.iter().flat_map(|&(i, j, _)| [i, j]);
    let named = body.pinned.iter().copied().chain(body.surface.iter().flatten().copied());
    let named = named.chain(body.segments.iter().flatten().copied()).chain(masses).chain(corners);
    if let Some(vertex) = named.into_iter().find(|&v| v as usize >= expected) {
        return Err(ModelError::NoSuchVertex { body: owned(), vertex, count: expected });
    }
    if !body.pressure.is_finite() {
        return Err(ModelError::BadParameter { name: "pressure", value: body.pressure, need: "finite" });
    }
    let width = body.strand_width;
    if !(width.is_finite() && width >= 0.0) {
        let need = "finite and at least 0";
        return Err(ModelError::BadParameter { name: "width of strands", value: width, need });
    }
    Ok(())
}

pub(crate) fn check_masses(bodies: &[BodyInfo], mass: &Mass, pinned: &[bool]) -> Result<(), ModelError> {
    for body in bodies {
        for v in body.vertices.clone() {
            let m = mass.lumped()[v];
            if (!pinned[v] && m <= 0.0) || !m.is_finite() || m < 0.0 {
                let vertex = v - body.vertices.start;
                return Err(ModelError::BadMass { body: body.name.clone(), vertex, mass: m });
            }
        }
    }
    Ok(())
}
