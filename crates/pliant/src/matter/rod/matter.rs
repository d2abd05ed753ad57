//! Rods as the matter of a body.

use super::motion::RodMotion;
use super::{RodMaterial, Rods, frames};
use crate::math::{Quat, Vec3};
use crate::matter::{
    BodyView, Channel, Channels, Matter, MatterInfo, Motion, MotionSetting, ORIENTATIONS, Place, SPINS,
};
use crate::mesh::generate::rope;
use crate::mesh::{MassKind, Simplices, StrandSet};
use crate::world::body::{Body, in_body};
use crate::world::error::ModelError;
use crate::world::topology::Cells;

pub(crate) const INFO: MatterInfo = MatterInfo {
    kind: "rod",
    summary: "strands that resist bending and torsion: cables, threads, wires",
    citation: "Kugelstadt & Schömer 2016",
    specimens: &[cable, wire],
    is_kind_of: crate::matter::is::<Rod>,
};

/// A rod that is clamped at one end and hangs.
fn clamped(material: &RodMaterial) -> Result<Body, ModelError> {
    Ok(Body::rods(&rope(Vec3::ZERO, Vec3::X * 0.3, 6)?, material)?.pin([0, 1]))
}

fn cable() -> Result<Body, ModelError> {
    clamped(&RodMaterial::default())
}

fn wire() -> Result<Body, ModelError> {
    clamped(&RodMaterial { youngs_modulus: 1e8, shear_modulus: 4e7, ..RodMaterial::default() })
}

/// The rods of a body. Rod r has the entries `offsets[r]..offsets[r + 1]` of the vertices, and one segment fewer.
#[derive(Debug, Clone)]
pub struct Rod {
    material: RodMaterial,
    vertices: Vec<u32>,
    offsets: Vec<u32>,
    pub(super) rods: Rods,
}

impl Rod {
    pub(crate) fn new(material: RodMaterial) -> Self {
        Self { material, vertices: Vec::new(), offsets: vec![0], rods: Rods::default() }
    }

    /// Their material.
    pub fn material(&self) -> &RodMaterial {
        &self.material
    }

    /// Number of segments of all rods.
    pub(super) fn segment_count(&self) -> usize {
        self.rods.segments.len()
    }

    /// Whether a segment is there, and clamped.
    pub(crate) fn is_clamped(&self, segment: usize) -> bool {
        self.rods.segments.get(segment).is_some_and(|segment| segment.is_held)
    }

    /// Turns orientations the shortest way to be along their segments where vertices are at x.
    fn align(&self, x: &[Vec3], q: &mut [Quat]) {
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

    pub(super) fn rod_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// First segment of a rod.
    pub(super) fn first_segment(&self, rod: usize) -> usize {
        self.offsets[rod] as usize - rod
    }

    pub(super) fn rod_vertices(&self, rod: usize) -> &[u32] {
        &self.vertices[self.offsets[rod] as usize..self.offsets[rod + 1] as usize]
    }

    /// Orientations of all segments that are not twisted, where vertices are at x.
    pub(super) fn untwisted(&self, x: &[Vec3]) -> Vec<Quat> {
        let place = |&v: &u32| x[v as usize];
        let of_rod = |rod: usize| frames(&self.rod_vertices(rod).iter().map(place).collect::<Vec<_>>());
        (0..self.rod_count()).flat_map(of_rod).collect()
    }
}

impl Body {
    /// Cables, threads, wires: strands that resist bending and torsion. A segment between two pinned vertices is clamped.
    pub fn rods(strands: &StrandSet, material: &RodMaterial) -> Result<Self, ModelError> {
        strands.check_quality()?;
        material.check().map_err(|error| in_body("rods", error))?;
        let mass = strands.mass_matrix(MassKind::Lumped, material.line_density())?;
        let mut body = Self::new(strands.positions.clone(), mass);
        body.segments = strands.segments().collect();
        body.strand_width = 2.0 * material.radius;
        body.made_of(Cells::segments(strands.segments()), None);
        Ok(body.with_matter(Rod::new(material.clone())))
    }
}

impl Matter for Rod {
    fn kind(&self) -> &'static str {
        INFO.kind
    }

    /// No vertex is on two rods.
    fn prepare(&mut self, body: &BodyView<'_>) -> Result<(), ModelError> {
        let mut seen = vec![false; body.rest.len()];
        for rod in body.segments.chunk_by(|before, next| before[1] == next[0]) {
            let vertices: Vec<u32> =
                rod[..1].iter().map(|ends| ends[0]).chain(rod.iter().map(|ends| ends[1])).collect();
            for &v in &vertices {
                if std::mem::replace(&mut seen[v as usize], true) {
                    return Err(ModelError::SharedRodVertex { body: body.name.to_owned(), vertex: v as usize });
                }
            }
            let points: Vec<Vec3> = vertices.iter().map(|&v| body.rest[v as usize]).collect();
            self.rods.add(&points, &self.material, |i| body.pinned[vertices[i] as usize]);
            self.vertices.extend(vertices);
            self.offsets.push(self.vertices.len() as u32);
        }
        Ok(())
    }

    fn initial(&self, _at: &Place<'_>, x: &[Vec3]) -> Channels {
        let mut channels = Channels::default();
        channels.set(ORIENTATIONS, Channel::Quaternions(self.untwisted(x)));
        channels.set(SPINS, Channel::Vectors(vec![Vec3::ZERO; self.segment_count()]));
        channels
    }

    fn put(&self, _at: &Place<'_>, x: &[Vec3], channels: &mut Channels) {
        self.align(x, channels.quaternions_mut(ORIENTATIONS));
        channels.vectors_mut(SPINS).fill(Vec3::ZERO);
    }

    fn elastic_energy(&self, x: &[Vec3], channels: &Channels) -> Option<f64> {
        let q = channels.quaternions(ORIENTATIONS);
        let mut sum = 0.0;
        for rod in 0..self.rod_count() {
            let (from, vertices) = (self.first_segment(rod), self.rod_vertices(rod));
            let places: Vec<Vec3> = vertices.iter().map(|&v| x[v as usize]).collect();
            sum += self.rods.energy(from, &places, &q[from..from + vertices.len() - 1]);
        }
        Some(sum)
    }

    fn motion(&self, _setting: &MotionSetting<'_>) -> Box<dyn Motion> {
        Box::new(RodMotion::default())
    }
}
