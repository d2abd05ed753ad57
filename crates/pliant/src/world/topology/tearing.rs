//! When a body tears: the strength of its cells, and the load on them.

use super::TopologyError;
use super::apply::{inseparable, parts_of};
use super::cells::Cells;
use super::fabric::{Fabric, Substance};
use crate::math::{Mat3, Vec3, svd_3x2, svd_3x3};
use crate::world::error::ModelError;
use crate::world::model::Model;

/// The strength of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TearThreshold {
    /// Largest principal stretch, above 1: with 1.3 it tears at a strain of 30 %.
    Stretch(f64),
    /// Largest principal force by the material's linear law: per length of an edge for cloth \[N/m\], per area for solids \[Pa\], in
    /// total for strands \[N\].
    Force(f64),
}

/// A line along which a sheet is weaker or stronger.
#[derive(Debug, Clone, PartialEq)]
pub struct Seam {
    /// Its edges, in vertices of the body.
    pub edges: Vec<[u32; 2]>,
    /// Factor on the strength across it, such as 0.5.
    pub strength: f64,
}

/// How a body tears: a cell that is loaded beyond its strength separates from its neighbours, perpendicular to the
/// largest stretch. A crack grows at its tips, by one edge or face per step; a new one begins when no tip fails, one at
/// a time and at the most overloaded cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Tearing {
    /// The strength of cells.
    pub threshold: TearThreshold,
    /// Random variation of the strength by up to this share, the same in every run; 0 to below 1.
    pub noise: f64,
    /// Seed of the variation.
    pub seed: u64,
    /// Seams: lines along which a sheet is weaker or stronger.
    pub seams: Vec<Seam>,
    /// Maximum number of vertices that tear in a step, at least 1.
    pub splits_per_step: usize,
}

impl Tearing {
    /// Tears at a principal stretch.
    pub fn at_stretch(stretch: f64) -> Self {
        Self::at(TearThreshold::Stretch(stretch))
    }

    /// Tears at a force: per length for cloth \[N/m\], per area for solids \[Pa\], in total for strands \[N\].
    pub fn at_force(force: f64) -> Self {
        Self::at(TearThreshold::Force(force))
    }

    fn at(threshold: TearThreshold) -> Self {
        Self { threshold, noise: 0.0, seed: 0, seams: Vec::new(), splits_per_step: 8 }
    }

    /// Adds random variation of the strength.
    #[must_use]
    pub fn with_noise(mut self, noise: f64, seed: u64) -> Self {
        (self.noise, self.seed) = (noise, seed);
        self
    }

    /// Adds a seam.
    #[must_use]
    pub fn with_seam(mut self, edges: Vec<[u32; 2]>, strength: f64) -> Self {
        self.seams.push(Seam { edges, strength });
        self
    }

    fn check(&self) -> Result<(), TopologyError> {
        let refuse = |name, value, need| Err(TopologyError::BadParameter { name, value, need });
        match self.threshold {
            TearThreshold::Stretch(value) if !(value.is_finite() && value > 1.0) => {
                return refuse("the stretch to tear at", value, "finite and above 1");
            }
            TearThreshold::Force(value) if !(value.is_finite() && value > 0.0) => {
                return refuse("the force to tear at", value, "finite and positive");
            }
            _ => {}
        }
        if !(0.0..1.0).contains(&self.noise) {
            return refuse("the noise of tearing", self.noise, "at least 0 and below 1");
        }
        if self.splits_per_step == 0 {
            return refuse("splits per step", 0.0, "at least 1");
        }
        for seam in &self.seams {
            if !(seam.strength.is_finite() && seam.strength > 0.0) {
                return refuse("the strength of a seam", seam.strength, "finite and positive");
            }
        }
        Ok(())
    }

    /// Factor on what a cell of the first model bears.
    fn variation(&self, cell: u32) -> f64 {
        if self.noise == 0.0 {
            return 1.0;
        }
        // SplitMix64: every cell has a number of its own, whatever else is torn.
        let mut bits = self.seed ^ (u64::from(cell) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        let unit = (bits >> 11) as f64 / (1u64 << 53) as f64;
        1.0 + self.noise * (2.0 * unit - 1.0)
    }
}

/// What is on a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    /// Load over what the cell bears: above 1 it fails.
    pub(super) ratio: f64,
    /// Direction of the largest stretch at rest.
    pub(super) direction: Vec3,
}

/// The deformation of a cell.
struct Strain {
    /// Principal strains, the largest first.
    principal: [f64; 3],
    /// Direction of the largest at rest.
    direction: Vec3,
}

/// An orthonormal frame of a triangle at rest, and its deformation gradient in it.
pub(super) fn triangle_gradient(rest: [Vec3; 3], x: [Vec3; 3]) -> ([Vec3; 2], [Vec3; 2]) {
    let (e1, e2) = (rest[1] - rest[0], rest[2] - rest[0]);
    let u = e1.normalize();
    let v = (e2 - u * e2.dot(u)).normalize();
    let (a, b, d) = (e1.length(), e2.dot(u), e2.dot(v));
    let (d1, d2) = (x[1] - x[0], x[2] - x[0]);
    let first = d1 / a;
    ([u, v], [first, (d2 - first * b) / d])
}

fn strain(cells: &Cells, cell: usize, rest: &[Vec3], x: &[Vec3]) -> Strain {
    let corner = |list: &[Vec3], k: usize| list[cells.cell(cell)[k] as usize];
    match cells.corners() {
        2 => {
            let [before, now] = [rest, x].map(|list| corner(list, 1) - corner(list, 0));
            let principal = [now.length() / before.length() - 1.0, 0.0, 0.0];
            Strain { principal, direction: before.normalize_or_zero() }
        }
        3 => {
            let [before, now] = [rest, x].map(|list| [0, 1, 2].map(|k| corner(list, k)));
            let (frame, columns) = triangle_gradient(before, now);
            let svd = svd_3x2(columns[0], columns[1]);
            let direction = frame[0] * svd.v[0][0] + frame[1] * svd.v[0][1];
            Strain { principal: [svd.sigma[0] - 1.0, svd.sigma[1] - 1.0, 0.0], direction }
        }
        _ => {
            let [before, now] = [rest, x].map(|list| {
                let origin = corner(list, 0);
                Mat3::from_cols(corner(list, 1) - origin, corner(list, 2) - origin, corner(list, 3) - origin)
            });
            let svd = svd_3x3(now * before.inverse());
            Strain { principal: (svd.sigma - Vec3::ONE).to_array(), direction: svd.v.x_axis }
        }
    }
}

/// What strains come to in the measure of the threshold: the largest strain, or the force that goes with it.
fn load(fabric: &Fabric, threshold: TearThreshold, strain: [f64; 3]) -> f64 {
    let [first, second, third] = strain;
    match (threshold, &fabric.substance) {
        (TearThreshold::Stretch(_), _) | (_, None) => first,
        (_, Some(Substance::Strand(strand))) => strand.axial_stiffness * first,
        (_, Some(Substance::Cloth(cloth))) => {
            let nu = cloth.poisson_ratio;
            cloth.youngs_modulus * cloth.thickness / (1.0 - nu * nu) * (first + nu * second)
        }
        (_, Some(Substance::Solid(solid))) => {
            let (e, nu) = (solid.youngs_modulus, solid.poisson_ratio);
            let lame = e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
            lame * (first + second + third) + e / (1.0 + nu) * first
        }
    }
}

fn limit(tearing: &Tearing) -> f64 {
    match tearing.threshold {
        TearThreshold::Stretch(stretch) => stretch - 1.0,
        TearThreshold::Force(force) => force,
    }
}

/// The load on a cell of a body, positions being those of the body's vertices.
pub(super) fn cell_load(fabric: &Fabric, tearing: &Tearing, cell: usize, rest: &[Vec3], x: &[Vec3]) -> Load {
    let strain = strain(&fabric.cells, cell, rest, x);
    let bears = limit(tearing) * tearing.variation(fabric.roots[cell]);
    Load { ratio: load(fabric, tearing.threshold, strain.principal) / bears, direction: strain.direction }
}

/// Load across an edge between two triangles over what a seam there bears; the mean of both.
pub(super) fn seam_ratio(
    fabric: &Fabric,
    tearing: &Tearing,
    edge: [u32; 2],
    strength: f64,
    triangles: &[u32],
    rest: &[Vec3],
    x: &[Vec3],
) -> f64 {
    let along = (rest[edge[1] as usize] - rest[edge[0] as usize]).normalize_or_zero();
    let ratio = |&triangle: &u32| {
        let corners: [u32; 3] = std::array::from_fn(|k| fabric.cells.cell(triangle as usize)[k]);
        let (frame, columns) = triangle_gradient(corners.map(|v| rest[v as usize]), corners.map(|v| x[v as usize]));
        let stretch = |direction: Vec3| {
            (columns[0] * direction.dot(frame[0]) + columns[1] * direction.dot(frame[1])).length() - 1.0
        };
        let across = (frame[0] * -along.dot(frame[1]) + frame[1] * along.dot(frame[0])).normalize_or_zero();
        let bears = limit(tearing) * strength * tearing.variation(fabric.roots[triangle as usize]);
        load(fabric, tearing.threshold, [stretch(across), stretch(along), 0.0]) / bears
    };
    triangles.iter().map(ratio).sum::<f64>() / triangles.len() as f64
}

/// Refuses what could not tear when it fails.
pub(crate) fn check_tearing(model: &Model) -> Result<(), ModelError> {
    let mut parts = None;
    for (number, (body, fabric)) in model.bodies().iter().zip(model.fabrics()).enumerate() {
        let Some(tearing) = &fabric.tearing else { continue };
        let name = || body.name.clone();
        tearing.check()?;
        if fabric.cells.is_empty() {
            return Err(TopologyError::NoCells { body: name() }.into());
        }
        if matches!(tearing.threshold, TearThreshold::Force(_)) && fabric.substance.is_none() {
            return Err(TopologyError::NoMaterial { body: name() }.into());
        }
        check_seams(&body.name, fabric, tearing)?;
        // Every energy of the world must bear new numbers.
        let parts = match &mut parts {
            Some(parts) => parts,
            None => parts.insert(parts_of(model, 0.0)?),
        };
        if let Some(refused) = inseparable(parts, number) {
            return Err(refused.into());
        }
        for entry in model.energies().iter().filter(|entry| entry.body == Some(number) && entry.damping.is_none()) {
            let operator = entry.batch.operator();
            let first = (!operator.is_empty()).then_some((0, 1.0));
            let vertices = if first.is_some() { operator.stencil(0).to_vec() } else { Vec::new() };
            let one = crate::energy::Rewiring { elements: first.into_iter().collect(), vertices };
            if operator.len() > 1 && entry.batch.rewired(&one).is_none() {
                return Err(TopologyError::Unsupported { body: Some(name()), kind: entry.batch.kind() }.into());
            }
        }
    }
    Ok(())
}

/// Seams lie on edges of triangles; those on the rim hold nothing together.
fn check_seams(body: &str, fabric: &Fabric, tearing: &Tearing) -> Result<(), TopologyError> {
    if tearing.seams.is_empty() {
        return Ok(());
    }
    let facets = fabric.cells.facets();
    for &[a, b] in tearing.seams.iter().flat_map(|seam| &seam.edges) {
        let exists = facets.contains_key(&[a.min(b), a.max(b), u32::MAX]);
        if fabric.cells.corners() != 3 || !exists {
            return Err(TopologyError::NoSuchEdge { body: body.to_owned(), a, b });
        }
    }
    Ok(())
}
