//! Volume preservation of tets [Bouaziz 2014, §5.2]: the strain energy with M = {T : min ≤ det T ≤ max}.
//!
//! E = w/2 · V ‖F − T‖². For small strain at min = max = 1 it is ½λ(tr ε)² per volume with λ = w/3, so that strain with 2μ and
//! volume with w = 3λ make a solid of Lamé parameters μ, λ \[Pa\].

use super::determinant::{derivatives, project_product};
use super::element::{nearest_solids, remember_rotation};
use super::error::{require, require_bounds, require_non_negative};
use super::isotropic::hessian_3x3;
use super::rest::{RestTet, stencil_positions};
use super::tet_strain::specimen_mesh;
use super::{
    Arrays, Batch, Curvature, Element, ElementBatch, EnergyError, EnergyInfo, Operator, Properties, Specimen, TOGETHER,
};
use crate::math::lanes::matrices::Solid;
use crate::math::{Mat3, Vec3, svd_3x3};

const KIND: &str = "tet_volume";

/// Entry in the list of energies.
pub(super) const INFO: EnergyInfo = EnergyInfo {
    key: KIND,
    summary: "volume of tetrahedra between bounds",
    citation: "[Bouaziz 2014, §5.2, eq. 24]",
    specimens: &[specimen, bounded_specimen],
};

/// Recipe for volume preservation.
#[derive(Debug, Clone, PartialEq)]
pub struct TetVolume {
    /// Corners of each tet.
    pub tets: Vec<[u32; 4]>,
    /// Stiffness w \[Pa\].
    pub stiffness: f64,
    /// Volume ratios without energy, as factors of the rest volume; `[1, 1]` keeps the volume.
    pub bounds: [f64; 2],
}

impl TetVolume {
    /// Builds the batch for vertices with these rest positions.
    pub fn build(&self, rest: &[Vec3]) -> Result<Box<dyn Batch>, EnergyError> {
        require_non_negative(KIND, "stiffness", self.stiffness)?;
        require_bounds(KIND, self.bounds[0], self.bounds[1])?;
        require(KIND, "lower limit", self.bounds[0], "positive", self.bounds[0] > 0.0)?;
        let mut operator = Operator::new(3);
        for (element, tet) in self.tets.iter().enumerate() {
            let corners = stencil_positions(KIND, element, tet, rest)?;
            let measured = RestTet::new(KIND, element, corners, None)?;
            operator.push(self.stiffness * measured.volume, tet, &measured.gradient);
        }
        let elements = vec![VolumeTet { bounds: self.bounds }; self.tets.len()];
        Ok(Box::new(ElementBatch::new(operator, elements, Vec::new())))
    }
}

/// One tet of the batch.
#[derive(Debug, Clone, Copy)]
struct VolumeTet {
    bounds: [f64; 2],
}

impl Element<3> for VolumeTet {
    const KIND: &'static str = KIND;
    const PROPERTIES: Properties = Properties::INTERNAL;

    fn arrays(elements: &[Self]) -> Arrays {
        elements.first().map_or(Arrays::Opaque, |element| Arrays::TetVolume(element.bounds))
    }

    /// The nearest rotation as a quaternion, which the local step on vectors continues from.
    fn warm_len(&self) -> usize {
        4
    }

    fn init_warm(&self, warm: &mut [f64]) {
        warm[3] = 1.0;
    }

    fn project(&self, z: &[Vec3; 3], _goals: &[Vec3], warm: &mut [f64]) -> [Vec3; 3] {
        let svd = svd_3x3(Mat3::from_cols(z[0], z[1], z[2]));
        remember_rotation(&svd, warm);
        let projected = project_product(svd.sigma.to_array(), self.bounds[0], self.bounds[1]);
        if !projected.active {
            return *z;
        }
        let target = svd.with_sigma(projected.values.into());
        [target.x_axis, target.y_axis, target.z_axis]
    }

    fn project_together(elements: &[Self], z: &mut [[Vec3; 3]; TOGETHER], warm: &mut [f64]) -> bool {
        nearest_solids(Solid::Volume(elements[0].bounds), z, warm);
        true
    }

    fn hessian(&self, z: &[Vec3; 3], _goals: &[Vec3], _warm: &[f64], curvature: Curvature, out: &mut [f64]) {
        let svd = svd_3x3(Mat3::from_cols(z[0], z[1], z[2]));
        let sigma = svd.sigma.to_array();
        let projected = project_product(sigma, self.bounds[0], self.bounds[1]);
        hessian_3x3(&svd, &derivatives(sigma, &projected), curvature, out);
    }
}

fn specimen_of(bounds: [f64; 2]) -> Result<Specimen, EnergyError> {
    let (rest, tets) = specimen_mesh();
    Ok(Specimen { batch: TetVolume { tets, stiffness: 40.0, bounds }.build(&rest)?, rest })
}

fn specimen() -> Result<Specimen, EnergyError> {
    specimen_of([1.0, 1.0])
}

fn bounded_specimen() -> Result<Specimen, EnergyError> {
    specimen_of([0.9, 1.1])
}
