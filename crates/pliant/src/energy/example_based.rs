//! Example-based tets [Bouaziz 2014, eq. 17–18 and 27]: the rest shape is any blend of example poses.
//!
//! E = w/2 · V (‖F − R H(ω)‖² + ε‖ω‖²), H(ω) = I + Σᵢ ωᵢ Eᵢ, R a rotation, with Eᵢ = Rᵢ Fᵢ − I where Fᵢ deforms the rest tet to
//! example i and Rᵢ is the rotation that aligns it best, so Eᵢ is the example's pure stretch. w is a stiffness \[Pa\].
//!
//! The projection alternates R = polar(F Hᵀ) with the linear system for ω, from the last ω: each half lowers the
//! energy. Weights are local, with one set for each element, or global, with one set for the body, which then moves
//! towards an example as a whole. ε is a small fraction of the examples' size; it keeps ω bounded if an example equals
//! the rest shape.

use std::ops::Range;

use super::element::difference_hessian;
use super::error::require_non_negative;
use super::isotropic::{clamped, hessian_3x3};
use super::rest::{RestTet, edge_matrix, stencil_positions};
use super::tet_strain::specimen_mesh;
use super::{
    Arrays, Batch, Curvature, Element, ElementBatch, EnergyError, EnergyInfo, Memory, Operator, Properties, Rewiring,
    Specimen,
};
use crate::math::{Mat3, Vec3, clamp_to_positive_semidefinite, nearest_rotation, solve_symmetric, svd_3x3};
use crate::parallel::{self, Strided};

const LOCAL: &str = "example_local";
const GLOBAL: &str = "example_global";

/// Regularisation of the weights, relative to the examples' squared size.
const TIKHONOV: f64 = 1e-8;
/// A stretch below this is the rounding error of an example that moves the tet rigidly. It must not become a direction in
/// which the tet is free.
const RIGID: f64 = 1e-8;
/// Rounds of alternation in one projection; it ends earlier when the weights stop moving.
const MAX_ROUNDS: usize = 200;

/// Entry in the list of energies: local weights.
pub(super) const LOCAL_INFO: EnergyInfo = EnergyInfo {
    key: LOCAL,
    summary: "tets drawn to blends of example poses, weights per element",
    citation: "[Bouaziz 2014, eq. 17–18, 27]",
    specimens: &[local_specimen],
};

/// Entry in the list of energies: global weights.
pub(super) const GLOBAL_INFO: EnergyInfo = EnergyInfo {
    key: GLOBAL,
    summary: "tets drawn to blends of example poses, one set of weights for the body",
    citation: "[Bouaziz 2014, eq. 17–18, 27]",
    specimens: &[global_specimen],
};

/// Which elements share example weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExampleWeights {
    /// Each element has its own weights.
    #[default]
    Local,
    /// The whole body has one set of weights.
    Global,
}

/// Recipe for example-based elasticity.
#[derive(Debug, Clone, PartialEq)]
pub struct ExampleBased {
    /// Corners of each tet.
    pub tets: Vec<[u32; 4]>,
    /// Positions of all vertices in each example pose \[m\]; at most 16 poses.
    pub examples: Vec<Vec<Vec3>>,
    /// Stiffness w \[Pa\].
    pub stiffness: f64,
    /// Which elements share weights.
    pub weights: ExampleWeights,
}

impl ExampleBased {
    /// Builds the batch for vertices with these rest positions.
    pub fn build(&self, rest: &[Vec3]) -> Result<Box<dyn Batch>, EnergyError> {
        let kind = if self.weights == ExampleWeights::Local { LOCAL } else { GLOBAL };
        require_non_negative(kind, "stiffness", self.stiffness)?;
        let count = self.examples.len();
        super::error::require(kind, "number of examples", count as f64, "1 to 16", (1..=16).contains(&count))?;
        for example in &self.examples {
            if example.len() != rest.len() {
                let (found, expected) = (example.len(), rest.len());
                return Err(EnergyError::LengthMismatch { kind, name: "positions of an example", found, expected });
            }
        }
        let mut operator = Operator::new(3);
        let mut elements = Vec::with_capacity(self.tets.len());
        for (element, tet) in self.tets.iter().enumerate() {
            let measured = RestTet::new(kind, element, stencil_positions(kind, element, tet, rest)?, None)?;
            operator.push(self.stiffness * measured.volume, tet, &measured.gradient);
            let mut stretches = Vec::with_capacity(count);
            for example in &self.examples {
                let posed = edge_matrix(stencil_positions(kind, element, tet, example)?) * measured.inverse_edges;
                let stretch = nearest_rotation(posed).transpose() * posed - Mat3::IDENTITY;
                stretches.push(if inner(stretch, stretch) < RIGID * RIGID { Mat3::ZERO } else { stretch });
            }
            elements.push(ExampleTet::new(stretches));
        }
        Ok(match self.weights {
            ExampleWeights::Local => Box::new(ElementBatch::new(operator, elements, Vec::new())),
            ExampleWeights::Global => Box::new(GlobalExamples::new(operator, elements, count)),
        })
    }
}

fn inner(a: Mat3, b: Mat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

/// One tet with its examples.
#[derive(Debug, Clone)]
struct ExampleTet {
    /// Eᵢ.
    stretches: Vec<Mat3>,
    /// ⟨Eᵢ, Eⱼ⟩, without the regularisation.
    gram: Vec<f64>,
    epsilon: f64,
}

impl ExampleTet {
    fn new(stretches: Vec<Mat3>) -> Self {
        let n = stretches.len();
        let gram: Vec<f64> = (0..n * n).map(|k| inner(stretches[k / n], stretches[k % n])).collect();
        let trace: f64 = (0..n).map(|i| gram[i * n + i]).sum();
        Self { stretches, gram, epsilon: TIKHONOV * trace }
    }

    /// H(ω).
    fn blend(&self, weights: &[f64]) -> Mat3 {
        self.stretches.iter().zip(weights).fold(Mat3::IDENTITY, |sum, (e, &w)| sum + *e * w)
    }

    /// R for given weights.
    fn rotation(&self, f: Mat3, weights: &[f64]) -> Mat3 {
        nearest_rotation(f * self.blend(weights).transpose())
    }
}

/// Solves (Gram + ε I) ω = r; returns how far ω moved.
fn solve_weights(gram: &[f64], epsilon: f64, rhs: &[f64], weights: &mut [f64]) -> f64 {
    let n = weights.len();
    let (mut matrix, mut next) = ([0.0; 256], [0.0; 16]);
    matrix[..n * n].copy_from_slice(gram);
    (0..n).for_each(|i| matrix[i * n + i] += epsilon);
    next[..n].copy_from_slice(rhs);
    solve_symmetric(&mut matrix[..n * n], &mut next[..n], 1e-14);
    let moved = weights.iter().zip(&next).fold(0.0_f64, |m, (w, n)| m.max((w - n).abs()));
    weights.copy_from_slice(&next[..n]);
    moved
}

impl Element<3> for ExampleTet {
    const KIND: &'static str = LOCAL;
    // Alternation finds a stationary blend, not the best of all.
    const PROPERTIES: Properties = Properties { nearest: false, idempotent: false, ..Properties::INTERNAL };

    fn arrays(elements: &[Self]) -> Arrays {
        Arrays::Examples {
            count: elements.first().map_or(0, |element| element.stretches.len()),
            stretches: elements.iter().flat_map(|element| element.stretches.iter().copied()).collect(),
            epsilon: elements.iter().map(|element| element.epsilon).collect(),
        }
    }

    fn warm_len(&self) -> usize {
        self.stretches.len()
    }

    fn project(&self, z: &[Vec3; 3], _goals: &[Vec3], warm: &mut [f64]) -> [Vec3; 3] {
        let f = Mat3::from_cols(z[0], z[1], z[2]);
        let mut rhs = [0.0; 16];
        let rhs = &mut rhs[..warm.len()];
        let mut rotation = self.rotation(f, warm);
        for _ in 0..MAX_ROUNDS {
            let relative = rotation.transpose() * f - Mat3::IDENTITY;
            rhs.iter_mut().zip(&self.stretches).for_each(|(rhs, e)| *rhs = inner(*e, relative));
            let moved = solve_weights(&self.gram, self.epsilon, rhs, warm);
            rotation = self.rotation(f, warm);
            if moved < 1e-13 {
                break;
            }
        }
        let target = rotation * self.blend(warm);
        [target.x_axis, target.y_axis, target.z_axis]
    }

    fn extra_energy(&self, warm: &[f64]) -> f64 {
        0.5 * self.epsilon * warm.iter().map(|w| w * w).sum::<f64>()
    }
}

/// All tets of a body with one set of weights; the only warm values are these weights.
#[derive(Debug, Clone)]
struct GlobalExamples {
    operator: Operator,
    elements: Vec<ExampleTet>,
    /// Σ wₑ ⟨Eᵢ, Eⱼ⟩.
    gram: Vec<f64>,
    epsilon: f64,
    examples: usize,
}

impl GlobalExamples {
    fn new(operator: Operator, elements: Vec<ExampleTet>, examples: usize) -> Self {
        let mut gram = vec![0.0; examples * examples];
        for (e, element) in elements.iter().enumerate() {
            gram.iter_mut().zip(&element.gram).for_each(|(sum, g)| *sum += operator.weight(e) * g);
        }
        let trace: f64 = (0..examples).map(|i| gram[i * examples + i]).sum();
        Self { operator, elements, gram, epsilon: TIKHONOV * trace, examples }
    }

    fn deformation(&self, element: usize, x: &[Vec3]) -> Mat3 {
        let mut z = [Vec3::ZERO; 3];
        self.operator.apply(element, x, &mut z);
        Mat3::from_cols(z[0], z[1], z[2])
    }

    /// Sets the three columns of a matrix for each element, made from the element and its deformation gradient.
    fn set_all(&self, x: &[Vec3], out: &mut [Vec3], matrix: impl Fn(&ExampleTet, Mat3) -> Mat3 + Sync) {
        parallel::for_each(0..self.elements.len(), Strided { entries: out, stride: 3 }, &|range, part| {
            for (out, e) in part.entries.chunks_mut(3).zip(range) {
                let m = matrix(&self.elements[e], self.deformation(e, x));
                out.copy_from_slice(&[m.x_axis, m.y_axis, m.z_axis]);
            }
        });
    }

    /// Σ wₑ ⟨Eᵢ, RᵀF − I⟩, given RᵀF − I of all elements.
    fn alignment(&self, relative: &[Vec3], example: usize) -> f64 {
        parallel::sum(0..self.elements.len(), &|range| {
            let of = |e: usize| {
                let relative = Mat3::from_cols(relative[3 * e], relative[3 * e + 1], relative[3 * e + 2]);
                self.operator.weight(e) * inner(self.elements[e].stretches[example], relative)
            };
            range.map(of).sum()
        })
    }
}

impl Batch for GlobalExamples {
    fn kind(&self) -> &'static str {
        GLOBAL
    }

    fn operator(&self) -> &Operator {
        &self.operator
    }

    fn operator_mut(&mut self) -> &mut Operator {
        &mut self.operator
    }

    fn properties(&self) -> Properties {
        Properties { exact_hessian: false, ..ExampleTet::PROPERTIES }
    }

    fn arrays(&self) -> Arrays {
        let stretches = self.elements.iter().flat_map(|element| element.stretches.iter().copied()).collect();
        Arrays::GlobalExamples { stretches, epsilon: self.epsilon }
    }

    /// All elements share one set of weights, so none of them may come or go.
    fn rewired(&self, rewiring: &Rewiring) -> Option<Box<dyn Batch>> {
        let renumbered = || Self { operator: self.operator.rewired(rewiring), ..self.clone() };
        rewiring.only_renumbers(self.operator.len()).then(|| Box::new(renumbered()) as Box<dyn Batch>)
    }

    fn initial_warm(&self) -> Vec<f64> {
        vec![0.0; self.examples]
    }

    fn project(&self, x: &[Vec3], _goals: &[Vec3], memory: &mut Memory) {
        let mut rhs = [0.0; 16];
        for _ in 0..MAX_ROUNDS {
            // Rotations are costly and the same for all examples: they go through the memory of the projections once.
            let weights = &memory.warm;
            self.set_all(x, &mut memory.projections, |element, f| {
                element.rotation(f, weights).transpose() * f - Mat3::IDENTITY
            });
            (0..self.examples).for_each(|i| rhs[i] = self.alignment(&memory.projections, i));
            let moved = solve_weights(&self.gram, self.epsilon, &rhs[..self.examples], &mut memory.warm);
            if moved < 1e-13 {
                break;
            }
        }
        let weights = &memory.warm;
        self.set_all(x, &mut memory.projections, |element, f| element.rotation(f, weights) * element.blend(weights));
    }

    fn extra_energy(&self, memory: &Memory) -> f64 {
        0.5 * self.epsilon * memory.warm.iter().map(|w| w * w).sum::<f64>()
    }

    /// With the weights held: the coupling through them lowers the true curvature, so Newton's matrix stays on the safe
    /// side and convergence is linear instead of quadratic.
    fn hessians(
        &self,
        elements: Range<usize>,
        x: &[Vec3],
        _goals: &[Vec3],
        memory: &Memory,
        curvature: Curvature,
        out: &mut [f64],
    ) {
        parallel::for_each(elements, Strided { entries: out, stride: 81 }, &|range, part| {
            for (out, e) in part.entries.chunks_mut(81).zip(range) {
                let f = self.deformation(e, x);
                let held = HeldBlend { blend: self.elements[e].blend(&memory.warm) };
                held.hessian(&[f.x_axis, f.y_axis, f.z_axis], &[], &[], curvature, out);
            }
        });
    }
}

/// A tet whose rest shape is held at a blend: the rotated images of one matrix.
#[derive(Debug, Clone)]
struct HeldBlend {
    blend: Mat3,
}

impl Element<3> for HeldBlend {
    const KIND: &'static str = GLOBAL;
    const PROPERTIES: Properties = Properties::INTERNAL;

    fn project(&self, z: &[Vec3; 3], _goals: &[Vec3], _warm: &mut [f64]) -> [Vec3; 3] {
        let target = nearest_rotation(Mat3::from_cols(z[0], z[1], z[2]) * self.blend.transpose()) * self.blend;
        [target.x_axis, target.y_axis, target.z_axis]
    }

    fn hessian(&self, z: &[Vec3; 3], goals: &[Vec3], warm: &[f64], curvature: Curvature, out: &mut [f64]) {
        if self.blend == Mat3::IDENTITY {
            let svd = svd_3x3(Mat3::from_cols(z[0], z[1], z[2]));
            return hessian_3x3(&svd, &clamped(svd.sigma.to_array(), 1.0, 1.0), curvature, out);
        }
        difference_hessian(self, z, goals, warm, out);
        if curvature == Curvature::Projected {
            clamp_to_positive_semidefinite(out, 9);
        }
    }
}

fn specimen_of(weights: ExampleWeights) -> Result<Specimen, EnergyError> {
    let (rest, tets) = specimen_mesh();
    let stretched = rest.iter().map(|p| Vec3::new(1.6 * p.x, 0.8 * p.y, p.z)).collect();
    let sheared = rest.iter().map(|p| Vec3::new(p.x + 0.5 * p.y, p.y, 1.2 * p.z)).collect();
    let recipe = ExampleBased { tets, examples: vec![stretched, sheared], stiffness: 30.0, weights };
    Ok(Specimen { batch: recipe.build(&rest)?, rest })
}

fn local_specimen() -> Result<Specimen, EnergyError> {
    specimen_of(ExampleWeights::Local)
}

fn global_specimen() -> Result<Specimen, EnergyError> {
    specimen_of(ExampleWeights::Global)
}
