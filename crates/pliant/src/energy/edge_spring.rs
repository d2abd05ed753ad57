//! Edge spring [Liu 2013, eq. 9–10], with optional stretch limits.
//!
//! ```text
//!   i ●────────● j      E = k/2 (‖e‖ − clamp(‖e‖, σ_min·l, σ_max·l))²,   e = x_j − x_i
//! ```
//!
//! k is a stiffness \[N/m\]; from a material k = E·A/l with Young's modulus E \[Pa\] and cross-section A \[m²\], so that a rope has
//! the same stiffness however finely it is divided. Without limits σ_min = σ_max = 1. A rest length of 0 is allowed (k must
//! then be given).
//!
//! The projection is p = clamp(‖e‖)·e/‖e‖; coincident ends are separated along x, which is as good as any direction.
//!
//! The [`Metric`] chooses A and B. The weight is converted so that the energy is the same, and only the convergence of
//! local/global iterations differs.

use super::error::{require_bounds, require_non_negative};
use super::rest::stencil_positions;
use super::{
    Arrays, Batch, Curvature, Element, ElementBatch, EnergyError, EnergyInfo, Metric, Operator, Properties, Specimen,
};
use crate::math::{Mat3, Vec3};
use crate::mesh::TriangleMesh;

const KIND: &str = "edge_spring";

/// Entry in the list of energies.
pub(super) const INFO: EnergyInfo = EnergyInfo {
    key: KIND,
    summary: "spring along an edge, with optional stretch limits",
    citation: "[Liu 2013, eq. 9–10]",
    specimens: &[specimen, limited_specimen, slack_specimen, pair_specimen],
};

/// Stiffness of springs.
#[derive(Debug, Clone, PartialEq)]
pub enum SpringStiffness {
    /// The same k for each spring \[N/m\]: a raw weight; its effect depends on the mesh.
    Uniform(f64),
    /// k for each edge \[N/m\].
    PerEdge(Vec<f64>),
    /// Axial stiffness E·A \[N\]; k = E·A/l, the same material at any resolution.
    Axial(f64),
}

/// Recipe for springs along edges.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeSprings {
    /// Ends of each spring.
    pub edges: Vec<[u32; 2]>,
    /// Stiffness.
    pub stiffness: SpringStiffness,
    /// Rest lengths \[m\]; those of the rest positions if absent.
    pub rest_lengths: Option<Vec<f64>>,
    /// Smallest and largest stretch without energy, as factors of the rest length; `[1, 1]` for a plain spring.
    pub limits: [f64; 2],
    /// Coordinates in which the distance is measured.
    pub metric: Metric,
}

impl EdgeSprings {
    /// Plain springs with the lengths of the rest positions.
    pub fn new(edges: Vec<[u32; 2]>, stiffness: SpringStiffness) -> Self {
        Self { edges, stiffness, rest_lengths: None, limits: [1.0, 1.0], metric: Metric::default() }
    }

    /// Springs along all edges of a sheet of membrane stiffness E·thickness \[N/m\]: k = E·t·(areas of the edge's
    /// triangles)/l², that is E·A/l with the width that belongs to the edge [van Gelder 1998]. A stretched sheet then
    /// has the same energy at any resolution, and nearly the same on graded meshes; its Poisson ratio depends on the
    /// pattern of edges.
    ///
    /// ```
    /// use pliant::energy::EdgeSprings;
    /// use pliant::mesh::generate::Sheet;
    /// let mesh = Sheet { columns: 3, rows: 3, ..Sheet::default() }.mesh()?;
    /// let springs = EdgeSprings::of_sheet(&mesh, 100.0);
    /// assert_eq!(springs.edges.len(), mesh.edges().len());
    /// # Ok::<(), pliant::mesh::MeshError>(())
    /// ```
    pub fn of_sheet(mesh: &TriangleMesh, membrane_stiffness: f64) -> Self {
        let edges = mesh.edges();
        let mut areas = vec![0.0; edges.len()];
        for (triangle, area) in mesh.triangles.iter().zip(mesh.triangle_areas()) {
            for (a, b) in [(0, 1), (1, 2), (2, 0)] {
                let (a, b) = (triangle[a], triangle[b]);
                if let Ok(k) = edges.binary_search(&[a.min(b), a.max(b)]) {
                    areas[k] += area;
                }
            }
        }
        let squared =
            |edge: &[u32; 2]| mesh.positions[edge[0] as usize].distance_squared(mesh.positions[edge[1] as usize]);
        let stiffness =
            edges.iter().zip(&areas).map(|(edge, area)| membrane_stiffness * area / squared(edge)).collect();
        Self::new(edges, SpringStiffness::PerEdge(stiffness))
    }

    /// Builds the batch for vertices with these rest positions.
    ///
    /// ```
    /// use pliant::energy::{EdgeSprings, SpringStiffness};
    /// use pliant::math::Vec3;
    /// let springs = EdgeSprings::new(vec![[0, 1]], SpringStiffness::Axial(200.0));
    /// let batch = springs.build(&[Vec3::ZERO, Vec3::X * 0.5])?;
    /// assert_eq!(batch.operator().weight(0), 400.0);
    /// # Ok::<(), pliant::energy::EnergyError>(())
    /// ```
    pub fn build(&self, rest: &[Vec3]) -> Result<Box<dyn Batch>, EnergyError> {
        let lengths = self.lengths(rest)?;
        let stiffness = self.stiffnesses(&lengths)?;
        require_bounds(KIND, self.limits[0], self.limits[1])?;
        let [min, max] = self.limits;
        // An infinite limit stays one for a spring without length, where the product is undefined.
        let high = |length: f64| if max.is_finite() { length * max } else { max };
        let springs = lengths.iter().map(|&length| EdgeSpring { low: length * min, high: high(length) });
        if self.metric == Metric::VertexSubtracted {
            let mut operator = Operator::new(1);
            self.edges.iter().zip(&stiffness).for_each(|(edge, &k)| operator.push(k, edge, &[-1.0, 1.0]));
            return Ok(Box::new(ElementBatch::new(operator, springs.collect(), Vec::new())));
        }
        let mut operator = Operator::new(2);
        let mut elements = Vec::with_capacity(self.edges.len());
        for (spring, (edge, &k)) in springs.zip(self.edges.iter().zip(&stiffness)) {
            let scale = match &self.metric {
                Metric::Mass(masses) => edge.map(|v| masses[v as usize].sqrt()),
                _ => [1.0, 1.0],
            };
            // The ends move by amounts inverse to their squared scales, and dist² = (‖e‖ − l)²/(s₀⁻² + s₁⁻²).
            let pair = SpringPair { spring, scale };
            let coefficients = match self.metric {
                Metric::MeanSubtracted => [0.5, -0.5, -0.5, 0.5],
                _ => [scale[0], 0.0, 0.0, scale[1]],
            };
            operator.push(k * pair.compliance(), edge, &coefficients);
            elements.push(pair);
        }
        Ok(Box::new(ElementBatch::new(operator, elements, Vec::new())))
    }

    fn lengths(&self, rest: &[Vec3]) -> Result<Vec<f64>, EnergyError> {
        let mut lengths = Vec::with_capacity(self.edges.len());
        for (element, edge) in self.edges.iter().enumerate() {
            let [a, b] = stencil_positions(KIND, element, edge, rest)?;
            lengths.push((b - a).length());
        }
        self.metric.check(KIND, rest.len())?;
        if let Some(given) = &self.rest_lengths {
            same_length("rest_lengths", given.len(), self.edges.len())?;
            for (element, &length) in given.iter().enumerate() {
                check_value(element, "rest length", length, length >= 0.0)?;
            }
            lengths.clone_from(given);
        }
        Ok(lengths)
    }

    fn stiffnesses(&self, lengths: &[f64]) -> Result<Vec<f64>, EnergyError> {
        match &self.stiffness {
            SpringStiffness::Uniform(k) => {
                require_non_negative(KIND, "stiffness", *k)?;
                Ok(vec![*k; lengths.len()])
            }
            SpringStiffness::PerEdge(k) => {
                same_length("stiffness", k.len(), lengths.len())?;
                for (element, &k) in k.iter().enumerate() {
                    check_value(element, "stiffness", k, k >= 0.0)?;
                }
                Ok(k.clone())
            }
            SpringStiffness::Axial(axial) => {
                require_non_negative(KIND, "axial stiffness", *axial)?;
                for (element, &length) in lengths.iter().enumerate() {
                    check_value(element, "rest length with an axial stiffness", length, length > 0.0)?;
                }
                Ok(lengths.iter().map(|l| axial / l).collect())
            }
        }
    }
}

fn same_length(name: &'static str, found: usize, expected: usize) -> Result<(), EnergyError> {
    if found == expected { Ok(()) } else { Err(EnergyError::LengthMismatch { kind: KIND, name, found, expected }) }
}

fn check_value(element: usize, name: &'static str, value: f64, holds: bool) -> Result<(), EnergyError> {
    let need = "finite and positive (a length or stiffness given directly may be 0)";
    if holds && value.is_finite() {
        Ok(())
    } else {
        Err(EnergyError::BadValue { kind: KIND, element, name, value, need })
    }
}

/// One spring: the range of lengths without energy \[m\].
#[derive(Debug, Clone, Copy)]
struct EdgeSpring {
    low: f64,
    high: f64,
}

impl EdgeSpring {
    /// Unit direction and length of an edge; along x where ends coincide.
    fn direction(edge: Vec3) -> (Vec3, f64) {
        let length = edge.length();
        // Normalising is meaningful down to the smallest normal numbers, far below any rounding of positions.
        if length > f64::MIN_POSITIVE { (edge / length, length) } else { (Vec3::X, 0.0) }
    }

    fn target(&self, edge: Vec3) -> Vec3 {
        let (direction, length) = Self::direction(edge);
        direction * length.clamp(self.low, self.high)
    }
}

impl Element<1> for EdgeSpring {
    const KIND: &'static str = KIND;
    const PROPERTIES: Properties = Properties::INTERNAL;

    fn arrays(elements: &[Self]) -> Arrays {
        Arrays::EdgeSpring(elements.iter().map(|spring| [spring.low, spring.high]).collect())
    }

    fn project(&self, z: &[Vec3; 1], _goals: &[Vec3], _warm: &mut [f64]) -> [Vec3; 1] {
        [self.target(z[0])]
    }

    fn hessian(&self, z: &[Vec3; 1], _goals: &[Vec3], _warm: &[f64], curvature: Curvature, out: &mut [f64]) {
        let (u, length) = Self::direction(z[0]);
        radial_hessian(u, length, self.low, self.high, curvature).write_rows_to(out);
    }
}

/// Second derivative of ½(‖z‖ − clamp(‖z‖))²: uuᵀ + (1 − l/‖z‖)(I − uuᵀ), zero within the limits.
pub(super) fn radial_hessian(u: Vec3, length: f64, low: f64, high: f64, curvature: Curvature) -> SymmetricBlock {
    let target = length.clamp(low, high);
    if target == length && low < high {
        return SymmetricBlock(Mat3::ZERO);
    }
    let radial = Mat3::from_cols(u * u.x, u * u.y, u * u.z);
    let mut across = if target == 0.0 { 1.0 } else { 1.0 - target / length.max(f64::MIN_POSITIVE) };
    if curvature == Curvature::Projected {
        across = across.max(0.0);
    }
    SymmetricBlock(radial + (Mat3::IDENTITY - radial) * across)
}

/// A symmetric 3×3 matrix on its way into a row-major slice.
pub(super) struct SymmetricBlock(pub(super) Mat3);

impl SymmetricBlock {
    pub(super) fn write_rows_to(&self, out: &mut [f64]) {
        out[..9].copy_from_slice(&self.0.to_cols_array());
    }
}

/// A spring measured in the coordinates of both ends.
#[derive(Debug, Clone, Copy)]
struct SpringPair {
    spring: EdgeSpring,
    /// Factor between each row of A x and the position of that end.
    scale: [f64; 2],
}

impl SpringPair {
    /// Squared distance of the edge's length to its target over that of the ends.
    fn compliance(&self) -> f64 {
        self.scale[0].powi(-2) + self.scale[1].powi(-2)
    }
}

impl Element<2> for SpringPair {
    const KIND: &'static str = KIND;
    const PROPERTIES: Properties = Properties::INTERNAL;

    fn arrays(elements: &[Self]) -> Arrays {
        let of = |pair: &Self| ([pair.spring.low, pair.spring.high], pair.compliance());
        Arrays::SpringPair(elements.iter().map(of).collect())
    }

    fn project(&self, z: &[Vec3; 2], _goals: &[Vec3], _warm: &mut [f64]) -> [Vec3; 2] {
        let inverse = self.scale.map(|s| 1.0 / s);
        let edge = z[1] * inverse[1] - z[0] * inverse[0];
        let error = self.spring.target(edge) - edge;
        let share = error / self.compliance();
        [z[0] - share * inverse[0], z[1] + share * inverse[1]]
    }
}

fn specimen_positions() -> Vec<Vec3> {
    vec![Vec3::ZERO, Vec3::new(1.0, 0.2, 0.0), Vec3::new(0.4, 1.1, 0.3), Vec3::new(-0.2, 0.5, 0.9)]
}

fn specimen_with(change: impl FnOnce(&mut EdgeSprings)) -> Result<Specimen, EnergyError> {
    let rest = specimen_positions();
    let mut springs = EdgeSprings::new(
        vec![[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]],
        SpringStiffness::PerEdge(vec![5.0, 8.0, 2.0, 7.0, 3.0]),
    );
    change(&mut springs);
    Ok(Specimen { batch: springs.build(&rest)?, rest })
}

fn specimen() -> Result<Specimen, EnergyError> {
    specimen_with(|_| {})
}

fn limited_specimen() -> Result<Specimen, EnergyError> {
    specimen_with(|springs| springs.limits = [0.9, 1.1])
}

fn slack_specimen() -> Result<Specimen, EnergyError> {
    specimen_with(|springs| springs.limits = [0.0, 1.0])
}

fn pair_specimen() -> Result<Specimen, EnergyError> {
    specimen_with(|springs| springs.metric = Metric::MeanSubtracted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::{Memory, batch_energy};
    use crate::mesh::generate::{Sheet, Spacing};

    #[test]
    fn a_stretched_sheet_of_springs_costs_the_same_at_any_resolution() {
        let energy = |columns: usize, ratio: f64| {
            let sheet = Sheet { columns, rows: columns, column_spacing: Spacing::Graded { ratio }, ..Sheet::default() };
            let mesh = sheet.mesh().expect("a sheet");
            let batch = EdgeSprings::of_sheet(&mesh, 100.0).build(&mesh.positions).expect("springs");
            let stretched: Vec<Vec3> = mesh.positions.iter().map(|p| Vec3::new(p.x * 1.01, p.y, p.z)).collect();
            let mut memory = Memory::of(batch.as_ref());
            batch.project(&stretched, &[], &mut memory);
            batch_energy(batch.as_ref(), &stretched, &memory)
        };
        let coarse = energy(12, 1.0);
        for (columns, ratio, tolerance) in [(24, 1.0, 1e-3), (12, 4.0, 0.08), (24, 4.0, 0.08)] {
            let other = energy(columns, ratio);
            let off = (other / coarse - 1.0).abs();
            assert!(off < tolerance, "{columns} columns graded {ratio}: {other} against {coarse}");
        }
        // The membrane's own energy ½·E·t·ε²·area, and the diagonals' share on top.
        let membrane = 0.5 * 100.0 * 1e-4;
        assert!(coarse > membrane && coarse < 2.0 * membrane);
    }
}
