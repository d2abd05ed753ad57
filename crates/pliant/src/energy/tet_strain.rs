//! Tetrahedral strain [Bouaziz 2014, §5.1, "Volumes"].
//!
//! ```text
//!         l
//!        ╱│╲          E = w/2 · V ‖F − T‖²,   F = X_f X_g⁻¹  (3×3),   T ∈ M
//!       ╱ │ ╲
//!      i──│──k
//!       ╲ │ ╱
//!         j
//! ```
//!
//! V is the rest volume \[m³\] and w = Young's modulus \[Pa\] for a Poisson ratio of 0; in general w = 2μ together with a volume
//! energy (see [`super::TetVolume`]). M is the rotations, the matrices with singular values in [σ_min, σ_max], or stretch
//! limits along three fibre directions.
//!
//! Inverted elements: the signed decomposition makes the last singular value negative *before* it is clamped, which is the
//! nearest point of M; clamping first and negating after is not, and breaks the descent of local/global iterations.

use super::element::{nearest_solids, remember_rotation};
use super::error::require_non_negative;
use super::isotropic::{clamped, hessian_3x3};
use super::rest::{RestTet, stencil_positions};
use super::strain_set::{fibre_hessian, project_fibres};
use super::{
    Arrays, Batch, Curvature, Element, ElementBatch, EnergyError, EnergyInfo, Operator, Properties, Specimen,
    StrainSet, TOGETHER,
};
use crate::math::lanes::matrices::Solid;
use crate::math::{Mat3, Vec3, perpendicular_to, svd_3x3};

const KIND: &str = "tet_strain";

/// Entry in the list of energies.
pub(super) const INFO: EnergyInfo = EnergyInfo {
    key: KIND,
    summary: "strain of tetrahedra: rigid, strain-limited, or limited along fibres",
    citation: "[Bouaziz 2014, §5.1]",
    specimens: &[specimen, limited_specimen, fibre_specimen],
};

/// Recipe for the strain of tetrahedra.
#[derive(Debug, Clone, PartialEq)]
pub struct TetStrain {
    /// Corners of each tet.
    pub tets: Vec<[u32; 4]>,
    /// Stiffness w \[Pa\].
    pub stiffness: f64,
    /// Deformations without energy.
    pub set: StrainSet<3>,
}

impl TetStrain {
    /// Builds the batch for vertices with these rest positions.
    pub fn build(&self, rest: &[Vec3]) -> Result<Box<dyn Batch>, EnergyError> {
        require_non_negative(KIND, "stiffness", self.stiffness)?;
        self.set.check(KIND)?;
        let frame = match self.set {
            StrainSet::Fibres { direction, .. } => {
                let first = direction.normalize();
                let second = perpendicular_to(first);
                Some(Mat3::from_cols(first, second, first.cross(second)))
            }
            _ => None,
        };
        let mut operator = Operator::new(3);
        for (element, tet) in self.tets.iter().enumerate() {
            let corners = stencil_positions(KIND, element, tet, rest)?;
            let measured = RestTet::new(KIND, element, corners, frame)?;
            operator.push(self.stiffness * measured.volume, tet, &measured.gradient);
        }
        let elements = vec![StrainedTet { set: self.set }; self.tets.len()];
        Ok(Box::new(ElementBatch::new(operator, elements, Vec::new())))
    }
}

/// One tet of the batch.
#[derive(Debug, Clone, Copy)]
struct StrainedTet {
    set: StrainSet<3>,
}

impl Element<3> for StrainedTet {
    const KIND: &'static str = KIND;
    const PROPERTIES: Properties = Properties::INTERNAL;

    fn arrays(elements: &[Self]) -> Arrays {
        match elements.first().map(|element| element.set) {
            None => Arrays::Opaque,
            Some(StrainSet::Rotation) => Arrays::TetStrain([1.0, 1.0]),
            Some(StrainSet::Limits { min, max }) => Arrays::TetStrain([min, max]),
            Some(StrainSet::Fibres { limits, .. }) => Arrays::TetFibres(limits),
        }
    }

    fn warm_len(&self) -> usize {
        4
    }

    fn init_warm(&self, warm: &mut [f64]) {
        warm[3] = 1.0;
    }

    fn project(&self, z: &[Vec3; 3], _goals: &[Vec3], warm: &mut [f64]) -> [Vec3; 3] {
        if let StrainSet::Fibres { limits, .. } = &self.set {
            return project_fibres(z, limits);
        }
        let (low, high) = self.set.singular_bounds().unwrap_or((1.0, 1.0));
        let svd = svd_3x3(Mat3::from_cols(z[0], z[1], z[2]));
        remember_rotation(&svd, warm);
        let target = svd.with_sigma(svd.sigma.clamp(Vec3::splat(low), Vec3::splat(high)));
        [target.x_axis, target.y_axis, target.z_axis]
    }

    fn project_together(elements: &[Self], z: &mut [[Vec3; 3]; TOGETHER], warm: &mut [f64]) -> bool {
        let Some((low, high)) = elements[0].set.singular_bounds() else { return false };
        nearest_solids(Solid::Stretches([low, high]), z, warm);
        true
    }

    fn hessian(&self, z: &[Vec3; 3], _goals: &[Vec3], _warm: &[f64], curvature: Curvature, out: &mut [f64]) {
        if let StrainSet::Fibres { limits, .. } = &self.set {
            return fibre_hessian(z, limits, curvature, out);
        }
        let (low, high) = self.set.singular_bounds().unwrap_or((1.0, 1.0));
        let svd = svd_3x3(Mat3::from_cols(z[0], z[1], z[2]));
        hessian_3x3(&svd, &clamped(svd.sigma.to_array(), low, high), curvature, out);
    }
}

pub(super) fn specimen_mesh() -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let rest = vec![
        Vec3::ZERO,
        Vec3::new(1.0, 0.1, 0.0),
        Vec3::new(0.2, 0.9, 0.1),
        Vec3::new(0.1, 0.2, 1.1),
        Vec3::new(0.9, 1.0, 0.9),
    ];
    (rest, vec![[0, 1, 2, 3], [1, 2, 3, 4]])
}

fn specimen_of(set: StrainSet<3>) -> Result<Specimen, EnergyError> {
    let (rest, tets) = specimen_mesh();
    Ok(Specimen { batch: TetStrain { tets, stiffness: 50.0, set }.build(&rest)?, rest })
}

fn specimen() -> Result<Specimen, EnergyError> {
    specimen_of(StrainSet::Rotation)
}

fn limited_specimen() -> Result<Specimen, EnergyError> {
    specimen_of(StrainSet::Limits { min: 0.9, max: 1.15 })
}

fn fibre_specimen() -> Result<Specimen, EnergyError> {
    let limits = [[0.95, 1.05], [0.7, 1.4], [0.7, 1.4]];
    specimen_of(StrainSet::Fibres { direction: Vec3::new(1.0, 2.0, 0.5), limits })
}
