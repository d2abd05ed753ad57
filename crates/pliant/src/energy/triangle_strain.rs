//! Triangle strain [Bouaziz 2014, eq. 16].
//!
//! ```text
//!        k
//!       ╱ ╲        E = w/2 · A ‖F − T‖²,   F = [x_j−x_i, x_k−x_i] X_g⁻¹  (3×2),   T ∈ M
//!      ╱   ╲
//!     i─────j
//! ```
//!
//! A is the rest area \[m²\] and w = Young's modulus × thickness \[N/m\] for a Poisson ratio of 0; in general w = 2μ·thickness
//! together with an area energy (see [`super::TriangleArea`]). M is the rotations, the matrices with singular values in
//! [σ_min, σ_max], or stretch limits along warp and weft. There is no reflection in 3×2.

use super::element::nearest_planes;
use super::error::require_non_negative;
use super::isotropic::{clamped, hessian_3x2};
use super::rest::{RestTriangle, stencil_positions};
use super::strain_set::{fibre_hessian, project_fibres};
use super::{
    Arrays, Batch, Curvature, Element, ElementBatch, EnergyError, EnergyInfo, Operator, Properties, Specimen,
    StrainSet, TOGETHER,
};
use crate::math::lanes::matrices::Plane;
use crate::math::{Vec3, svd_3x2};

const KIND: &str = "triangle_strain";

/// Entry in the list of energies.
pub(super) const INFO: EnergyInfo = EnergyInfo {
    key: KIND,
    summary: "in-plane strain of triangles: rigid, strain-limited, or limited along warp and weft",
    citation: "[Bouaziz 2014, eq. 16]",
    specimens: &[specimen, limited_specimen, fibre_specimen],
};

/// Recipe for the strain of triangles.
#[derive(Debug, Clone, PartialEq)]
pub struct TriangleStrain {
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Membrane stiffness w \[N/m\]: Young's modulus × thickness.
    pub stiffness: f64,
    /// Deformations without energy.
    pub set: StrainSet<2>,
}

impl TriangleStrain {
    /// Builds the batch for vertices with these rest positions.
    ///
    /// ```
    /// use pliant::energy::{StrainSet, TriangleStrain};
    /// use pliant::math::Vec3;
    /// let strain = TriangleStrain { triangles: vec![[0, 1, 2]], stiffness: 100.0, set: StrainSet::Rotation };
    /// assert!(strain.build(&[Vec3::ZERO, Vec3::X, Vec3::X * 2.0]).is_err(), "a flat triangle is refused");
    /// assert_eq!(strain.build(&[Vec3::ZERO, Vec3::X, Vec3::Y])?.operator().weight(0), 50.0);
    /// # Ok::<(), pliant::energy::EnergyError>(())
    /// ```
    pub fn build(&self, rest: &[Vec3]) -> Result<Box<dyn Batch>, EnergyError> {
        self.build_from(|element, triangle| stencil_positions(KIND, element, triangle, rest))
    }

    /// Builds the batch for triangles that each have a rest shape of their own, as the cut pieces of a garment do.
    pub(crate) fn build_from(
        &self,
        rest: impl Fn(usize, &[u32; 3]) -> Result<[Vec3; 3], EnergyError>,
    ) -> Result<Box<dyn Batch>, EnergyError> {
        require_non_negative(KIND, "stiffness", self.stiffness)?;
        self.set.check(KIND)?;
        let direction = match self.set {
            StrainSet::Fibres { direction, .. } => Some(direction),
            _ => None,
        };
        let mut operator = Operator::new(2);
        for (element, triangle) in self.triangles.iter().enumerate() {
            let corners = rest(element, triangle)?;
            let measured = RestTriangle::new(KIND, element, corners, direction)?;
            operator.push(self.stiffness * measured.area, triangle, &measured.gradient);
        }
        let elements = vec![StrainedTriangle { set: self.set }; self.triangles.len()];
        Ok(Box::new(ElementBatch::new(operator, elements, Vec::new())))
    }
}

/// One triangle of the batch.
#[derive(Debug, Clone, Copy)]
struct StrainedTriangle {
    set: StrainSet<2>,
}

impl Element<2> for StrainedTriangle {
    const KIND: &'static str = KIND;
    const PROPERTIES: Properties = Properties::INTERNAL;

    fn arrays(elements: &[Self]) -> Arrays {
        match elements.first().map(|element| element.set) {
            None => Arrays::Opaque,
            Some(StrainSet::Rotation) => Arrays::TriangleStrain([1.0, 1.0]),
            Some(StrainSet::Limits { min, max }) => Arrays::TriangleStrain([min, max]),
            Some(StrainSet::Fibres { limits, .. }) => Arrays::TriangleFibres(limits),
        }
    }

    fn project(&self, z: &[Vec3; 2], _goals: &[Vec3], _warm: &mut [f64]) -> [Vec3; 2] {
        if let StrainSet::Fibres { limits, .. } = &self.set {
            return project_fibres(z, limits);
        }
        let (low, high) = self.set.singular_bounds().unwrap_or((1.0, 1.0));
        let svd = svd_3x2(z[0], z[1]);
        svd.with_sigma(svd.sigma.map(|s| s.clamp(low, high)))
    }

    fn project_together(elements: &[Self], z: &mut [[Vec3; 2]; TOGETHER], _warm: &mut [f64]) -> bool {
        let Some((low, high)) = elements[0].set.singular_bounds() else { return false };
        nearest_planes(Plane::Stretches([low, high]), z);
        true
    }

    fn hessian(&self, z: &[Vec3; 2], _goals: &[Vec3], _warm: &[f64], curvature: Curvature, out: &mut [f64]) {
        if let StrainSet::Fibres { limits, .. } = &self.set {
            return fibre_hessian(z, limits, curvature, out);
        }
        let (low, high) = self.set.singular_bounds().unwrap_or((1.0, 1.0));
        let svd = svd_3x2(z[0], z[1]);
        hessian_3x2(&svd, &clamped(svd.sigma, low, high), curvature, out);
    }
}

pub(super) fn specimen_mesh() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let rest = vec![
        Vec3::ZERO,
        Vec3::new(1.0, 0.1, 0.0),
        Vec3::new(0.2, 0.9, 0.3),
        Vec3::new(1.2, 1.1, -0.2),
        Vec3::new(-0.8, 0.7, 0.1),
    ];
    (rest, vec![[0, 1, 2], [1, 3, 2], [0, 2, 4]])
}

fn specimen_of(set: StrainSet<2>) -> Result<Specimen, EnergyError> {
    let (rest, triangles) = specimen_mesh();
    Ok(Specimen { batch: TriangleStrain { triangles, stiffness: 20.0, set }.build(&rest)?, rest })
}

fn specimen() -> Result<Specimen, EnergyError> {
    specimen_of(StrainSet::Rotation)
}

fn limited_specimen() -> Result<Specimen, EnergyError> {
    specimen_of(StrainSet::Limits { min: 0.9, max: 1.1 })
}

fn fibre_specimen() -> Result<Specimen, EnergyError> {
    specimen_of(StrainSet::Fibres { direction: Vec3::new(1.0, 0.4, 0.0), limits: [[0.98, 1.02], [0.8, 1.3]] })
}
