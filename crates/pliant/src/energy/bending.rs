//! Bending by mean curvature [Bouaziz 2014, eq. 20–21 and 28].
//!
//! ```text
//!     ●───●
//!    ╱ ╲ ╱ ╲       E = w/2 · A ‖v_f − p‖²,   v_f = Σⱼ cⱼ (x_j − x_i),   ‖p‖ = ‖v_g‖
//!   ●───i───●      cⱼ = (cot α + cot β)/(2A)
//!    ╲ ╱ ╲ ╱
//!     ●───●
//! ```
//!
//! v is the Laplace–Beltrami operator on positions \[1/m\]: 1/r on a cylinder of radius r, where the energy per area is
//! ½ w/r², so w is the plate's bending stiffness D \[N·m\]. A is the mixed Voronoi area, which also holds for obtuse triangles.
//! The projection keeps the direction of v_f and gives it the rest length ‖v_g‖; a flat rest vertex projects to 0.
//!
//! Vertices on the rim are skipped, since v does not vanish there on a flat sheet. Saddles have a mean curvature of 0,
//! so they cost no energy. Use [`super::PlateBending`] or [`super::HingeBending`] if these matter, as materials do by
//! default.

use super::edge_spring::radial_hessian;
use super::error::require_non_negative;
use super::{Arrays, Batch, Curvature, Element, ElementBatch, EnergyError, EnergyInfo, Operator, Properties, Specimen};
use crate::math::Vec3;
use crate::mesh::TriangleMesh;

const KIND: &str = "bending";

/// A vertex counts as flat at rest when its curvature radius exceeds its ring by this factor: below, the direction of its
/// curvature is rounding error.
const FLAT: f64 = 1e-6;

/// Entry in the list of energies.
pub(super) const INFO: EnergyInfo = EnergyInfo {
    key: KIND,
    summary: "bending of surfaces by mean curvature at interior vertices",
    citation: "[Bouaziz 2014, eq. 20–21]",
    specimens: &[specimen, curved_specimen],
};

/// Recipe for mean-curvature bending.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanCurvatureBending {
    /// Plate stiffness D \[N·m\]; of a material E·t³/(12(1−ν²)).
    pub stiffness: f64,
}

impl MeanCurvatureBending {
    /// Builds the batch for a surface at rest.
    pub fn build(&self, rest: &TriangleMesh) -> Result<Box<dyn Batch>, EnergyError> {
        require_non_negative(KIND, "stiffness", self.stiffness)?;
        rest.check_manifold()?;
        let laplacian = rest.laplacian()?;
        let rim = rest.boundary_vertices();
        let mut operator = Operator::new(1);
        let mut elements = Vec::new();
        let (mut stencil, mut coefficients) = (Vec::new(), Vec::new());
        for vertex in (0..rest.positions.len()).filter(|&v| !rim[v]) {
            let (neighbours, row) = laplacian.row(vertex);
            if neighbours.is_empty() {
                continue;
            }
            let area = laplacian.areas[vertex];
            stencil.clear();
            stencil.push(vertex as u32);
            stencil.extend_from_slice(neighbours);
            coefficients.clear();
            coefficients.push(-row.iter().sum::<f64>());
            coefficients.extend_from_slice(row);
            operator.push(self.stiffness * area, &stencil, &coefficients);
            let curvature = laplacian.apply(vertex, &rest.positions);
            let flat = curvature.length() * area.sqrt() < FLAT;
            elements.push(BentVertex { rest: if flat { Vec3::ZERO } else { curvature } });
        }
        Ok(Box::new(ElementBatch::new(operator, elements, Vec::new())))
    }

    /// Builds the batch for vertices that are flat at rest: for each its stencil, the vertex first, its coefficients and its area \[m²\].
    pub(crate) fn build_flat(
        &self,
        vertices: impl Iterator<Item = (Vec<u32>, Vec<f64>, f64)>,
    ) -> Result<Box<dyn Batch>, EnergyError> {
        require_non_negative(KIND, "stiffness", self.stiffness)?;
        let mut operator = Operator::new(1);
        vertices
            .for_each(|(stencil, coefficients, area)| operator.push(self.stiffness * area, &stencil, &coefficients));
        let elements = vec![BentVertex { rest: Vec3::ZERO }; operator.len()];
        Ok(Box::new(ElementBatch::new(operator, elements, Vec::new())))
    }
}

/// One vertex of the batch.
#[derive(Debug, Clone, Copy)]
struct BentVertex {
    /// Mean-curvature vector at rest \[1/m\]; its length is what counts.
    rest: Vec3,
}

impl BentVertex {
    /// Where v_f vanishes it has no direction; the last one stays.
    fn direction(curvature: Vec3, warm: &mut [f64]) -> Vec3 {
        if let Some(direction) = curvature.try_normalize() {
            warm.copy_from_slice(&direction.to_array());
        }
        Vec3::from_slice(warm)
    }
}

impl Element<1> for BentVertex {
    const KIND: &'static str = KIND;
    const PROPERTIES: Properties = Properties::INTERNAL;

    fn arrays(elements: &[Self]) -> Arrays {
        Arrays::MeanCurvature(elements.iter().map(|element| element.rest.length()).collect())
    }

    fn warm_len(&self) -> usize {
        3
    }

    fn init_warm(&self, warm: &mut [f64]) {
        warm.copy_from_slice(&self.rest.normalize_or(Vec3::Z).to_array());
    }

    fn project(&self, z: &[Vec3; 1], _goals: &[Vec3], warm: &mut [f64]) -> [Vec3; 1] {
        [Self::direction(z[0], warm) * self.rest.length()]
    }

    fn hessian(&self, z: &[Vec3; 1], _goals: &[Vec3], warm: &[f64], curvature: Curvature, out: &mut [f64]) {
        let mut direction = [warm[0], warm[1], warm[2]];
        let u = Self::direction(z[0], &mut direction);
        let target = self.rest.length();
        radial_hessian(u, z[0].length(), target, target, curvature).write_rows_to(out);
    }
}

fn specimen_of(height: impl Fn(f64, f64) -> f64) -> Result<Specimen, EnergyError> {
    let (n, mut rest, mut triangles) = (4u32, Vec::new(), Vec::new());
    for j in 0..n {
        for i in 0..n {
            let (x, y) = (f64::from(i) + 0.1 * f64::from(j % 2), f64::from(j));
            rest.push(Vec3::new(x, y, height(x, y)));
            if i + 1 < n && j + 1 < n {
                let v = j * n + i;
                triangles.extend([[v, v + 1, v + n], [v + 1, v + n + 1, v + n]]);
            }
        }
    }
    let mesh = TriangleMesh::new(rest, triangles)?;
    Ok(Specimen { batch: MeanCurvatureBending { stiffness: 0.7 }.build(&mesh)?, rest: mesh.positions })
}

fn specimen() -> Result<Specimen, EnergyError> {
    specimen_of(|_, _| 0.0)
}

fn curved_specimen() -> Result<Specimen, EnergyError> {
    specimen_of(|x, y| 0.2 * x * x + 0.1 * x * y)
}
