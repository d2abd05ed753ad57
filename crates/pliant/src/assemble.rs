//! Bodies as flat arrays, on their way into a model: numbers shifted, lists joined, nonsense refused.

use crate::body::Body;
use crate::energy::{EdgeSprings, SpringStiffness};
use crate::error::ModelError;
use crate::fluid::{FluidInfo, FluidMaterial};
use crate::mass::Mass;
use crate::matching::{ClothMatchingInfo, MatchingInfo};
use crate::math::Vec3;
use crate::model::{BodyInfo, EnergyEntry, Model, ModelParts};
use crate::rod::{RodMaterial, RodSet};

/// Two vertices that are tied by a spring.
#[derive(Debug)]
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
    /// Bodies that are rods.
    pub(crate) rods: Vec<(usize, RodMaterial)>,
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
        if let Some(material) = &body.fluid {
            self.check_spacing(material)?;
            let (number, material, emitter) = (self.parts.bodies.len(), material.clone(), body.emitter.clone());
            self.parts.fluids.push(FluidInfo { body: number, vertices: base..base + count, material, emitter });
        }
        if let Some(matching) = body.matching {
            if let Some((name, value, need)) = matching.problem() {
                return Err(ModelError::BadParameter { name, value, need });
            }
            matching.regions.check(count).map_err(|error| ModelError::Regions { body: name.clone(), error })?;
            let surface = matching.check_surface(&body.rest, &body.surface);
            surface.map_err(|error| ModelError::Regions { body: name.clone(), error })?;
            self.parts.matchings.push(MatchingInfo {
                body: self.parts.bodies.len(),
                vertices: base..base + count,
                matching,
            });
        }
        if let Some(matching) = body.cloth_matching {
            if let Some((name, value, need)) = matching.problem() {
                return Err(ModelError::BadParameter { name, value, need });
            }
            let fits = matching.check(&body.surface, &body.rest);
            fits.map_err(|error| ModelError::ClothMatching { body: name.clone(), error })?;
            let vertices = base..base + count;
            self.parts.cloth_matchings.push(ClothMatchingInfo { body: self.parts.bodies.len(), vertices, matching });
        }
        let limit = u32::MAX as usize / 4;
        if base + count > limit {
            return Err(ModelError::TooLarge { count: base + count, limit });
        }
        self.parts.pinned.resize(base + count, false);
        body.pinned.iter().for_each(|&v| self.parts.pinned[base + v as usize] = true);
        self.parts.mass.append(count, &body.mass);
        self.parts.fabrics.push(body.fabric);
        if let Some((particles, material)) = body.oriented {
            self.parts.oriented.add(self.parts.bodies.len(), base, &particles, material);
        }
        self.rods.extend(body.rod.map(|material| (self.parts.bodies.len(), material)));
        self.parts.rest.extend_from_slice(&body.rest);
        self.positions.extend_from_slice(&body.positions);
        self.velocities.extend_from_slice(&body.velocities);
        for mut batch in body.energies {
            batch.operator_mut().shift_vertices(base as u32);
            self.parts.energies.push(EnergyEntry { batch, body: Some(self.parts.bodies.len()), damping: None });
        }
        for mut batch in body.constraints {
            batch.shift_vertices(base as u32);
            self.parts.constraints.push(batch);
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
            welded: Vec::new(),
        });
        Ok(())
    }

    /// One kernel serves all fluids, so that they push each other.
    fn check_spacing(&self, material: &FluidMaterial) -> Result<(), ModelError> {
        let value = material.spacing;
        if self.parts.fluids.iter().any(|other| other.material.spacing != value) {
            return Err(ModelError::BadParameter { name: "spacing of a fluid", value, need: "that of all fluids" });
        }
        Ok(())
    }

    /// All attachments as one batch: a scene may have hundreds, and each batch is a call of its own in every iteration.
    pub(crate) fn attach(&mut self, attachments: &[Attachment]) -> Result<(), ModelError> {
        if attachments.is_empty() {
            return Ok(());
        }
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
            let is_bad = |attachment: &&Attachment| !(attachment.stiffness.is_finite() && attachment.stiffness >= 0.0);
            let bad = attachments.iter().find(is_bad).unwrap_or(&attachments[0]);
            ModelError::Energy { body: bad.ends[0].0.clone(), error }
        })?;
        self.parts.energies.push(EnergyEntry { batch, body: None, damping: None });
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

/// The rods of a world; no vertex is on two.
pub(crate) fn rod_set(
    rods: &[(usize, RodMaterial)],
    bodies: &[BodyInfo],
    rest: &[Vec3],
    pinned: &[bool],
) -> Result<RodSet, ModelError> {
    let mut set = RodSet::default();
    for (body, material) in rods {
        let BodyInfo { name, vertices, segments, .. } = &bodies[*body];
        let mut seen = vec![false; vertices.len()];
        let starts = segments.chunk_by(|before, next| before[1] == next[0]).map(|rod| rod[0][0]);
        for vertex in segments.iter().map(|ends| ends[1]).chain(starts) {
            let vertex = vertex as usize - vertices.start;
            if std::mem::replace(&mut seen[vertex], true) {
                return Err(ModelError::SharedRodVertex { body: name.clone(), vertex });
            }
        }
        set.add(*body, segments, material, rest, pinned);
    }
    Ok(set)
}

/// Fluid feels surfaces by samples as far apart as its particles, so their triangles must not be too large.
pub(crate) fn check_surfaces_beside_fluids(model: &Model) -> Result<(), ModelError> {
    let Some(fluid) = model.fluids().first() else { return Ok(()) };
    let (spacing, limit, rest) = (fluid.material.spacing, crate::fluid::MOST_SAMPLES, model.rest());
    for body in model.bodies() {
        for &[a, b, c] in &body.surface {
            let length = |from: u32, to: u32| rest[from as usize].distance(rest[to as usize]);
            let length = length(a, b).max(length(b, c)).max(length(c, a));
            if length.is_nan() || length > limit * spacing {
                return Err(ModelError::CoarseSurface { body: body.name.clone(), length, spacing, limit });
            }
        }
    }
    Ok(())
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
    if let Some(pipe) = &body.emitter {
        let jet = pipe.velocity();
        let mut waiting = (0..expected).filter(|&v| pipe.holds(body.positions[v]));
        if let Some(vertex) = waiting.find(|&v| body.velocities[v] != jet) {
            return Err(ModelError::MovedEmitter { body: owned(), vertex, value: body.velocities[vertex], jet });
        }
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
