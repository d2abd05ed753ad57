//! Area preservation of triangles [Bouaziz 2014, §5.2]: the strain energy with M = {T : min ≤ σ₀σ₁ ≤ max}.
//!
//! E = w/2 · A ‖F − T‖². For small strain at min = max = 1 it is ½λ(tr ε)² per area with λ = w/2, so that strain with 2μ and
//! area with w = 2λ make a plate of Lamé parameters μ, λ (plane stress: λ = Eν/(1−ν²), times the thickness) \[N/m\].

use super::determinant::{derivatives, project_product};
use super::element::nearest_planes;
use super::error::{require, require_bounds, require_non_negative};
use super::isotropic::hessian_3x2;
use super::rest::{RestTriangle, stencil_positions};
use super::triangle_strain::specimen_mesh;
use super::{
    Arrays, Batch, Curvature, Element, ElementBatch, EnergyError, EnergyInfo, Operator, Properties, Specimen, TOGETHER,
};
use crate::math::lanes::matrices::Plane;
use crate::math::{Vec3, svd_3x2};

const KIND: &str = "triangle_area";

/// Entry in the list of energies.
pub(super) const INFO: EnergyInfo = EnergyInfo {
    key: KIND,
    summary: "area of triangles between bounds",
    citation: "[Bouaziz 2014, §5.2, eq. 24]",
    specimens: &[specimen, bounded_specimen],
};

/// Recipe for area preservation.
#[derive(Debug, Clone, PartialEq)]
pub struct TriangleArea {
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Stiffness w \[N/m\].
    pub stiffness: f64,
    /// Area ratios without energy, as factors of the rest area; `[1, 1]` keeps the area.
    pub bounds: [f64; 2],
}

impl TriangleArea {
    /// Builds the batch for vertices with these rest positions.
    pub fn build(&self, rest: &[Vec3]) -> Result<Box<dyn Batch>, EnergyError> {
        self.build_from(|element, triangle| stencil_positions(KIND, element, triangle, rest))
    }

    /// Builds the batch for triangles that each have a rest shape of their own.
    pub(crate) fn build_from(
        &self,
        rest: impl Fn(usize, &[u32; 3]) -> Result<[Vec3; 3], EnergyError>,
    ) -> Result<Box<dyn Batch>, EnergyError> {
        require_non_negative(KIND, "stiffness", self.stiffness)?;
        require_bounds(KIND, self.bounds[0], self.bounds[1])?;
        require(KIND, "lower limit", self.bounds[0], "positive", self.bounds[0] > 0.0)?;
        let mut operator = Operator::new(2);
        for (element, triangle) in self.triangles.iter().enumerate() {
            let corners = rest(element, triangle)?;
            let measured = RestTriangle::new(KIND, element, corners, None)?;
            operator.push(self.stiffness * measured.area, triangle, &measured.gradient);
        }
        let elements = vec![AreaTriangle { bounds: self.bounds }; self.triangles.len()];
        Ok(Box::new(ElementBatch::new(operator, elements, Vec::new())))
    }
}

/// One triangle of the batch.
#[derive(Debug, Clone, Copy)]
struct AreaTriangle {
    bounds: [f64; 2],
}

impl Element<2> for AreaTriangle {
    const KIND: &'static str = KIND;
    const PROPERTIES: Properties = Properties::INTERNAL;

    fn arrays(elements: &[Self]) -> Arrays {
        elements.first().map_or(Arrays::Opaque, |element| Arrays::TriangleArea(element.bounds))
    }

    fn project(&self, z: &[Vec3; 2], _goals: &[Vec3], _warm: &mut [f64]) -> [Vec3; 2] {
        let svd = svd_3x2(z[0], z[1]);
        let projected = project_product(svd.sigma, self.bounds[0], self.bounds[1]);
        if projected.active { svd.with_sigma(projected.values) } else { *z }
    }

    fn project_together(elements: &[Self], z: &mut [[Vec3; 2]; TOGETHER], _warm: &mut [f64]) -> bool {
        nearest_planes(Plane::Area(elements[0].bounds), z);
        true
    }

    fn hessian(&self, z: &[Vec3; 2], _goals: &[Vec3], _warm: &[f64], curvature: Curvature, out: &mut [f64]) {
        let svd = svd_3x2(z[0], z[1]);
        let projected = project_product(svd.sigma, self.bounds[0], self.bounds[1]);
        hessian_3x2(&svd, &derivatives(svd.sigma, &projected), curvature, out);
    }
}

fn specimen_of(bounds: [f64; 2]) -> Result<Specimen, EnergyError> {
    let (rest, triangles) = specimen_mesh();
    Ok(Specimen { batch: TriangleArea { triangles, stiffness: 30.0, bounds }.build(&rest)?, rest })
}

fn specimen() -> Result<Specimen, EnergyError> {
    specimen_of([1.0, 1.0])
}

fn bounded_specimen() -> Result<Specimen, EnergyError> {
    specimen_of([0.9, 1.1])
}
