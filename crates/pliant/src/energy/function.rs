//! An energy from a function over all its elements at once, for projections that come from outside the engine: another
//! language, a table, a trained model.
//!
//! E = Σ w/2 ‖A x − p‖², p = f(A x). The function receives z = A x of every element and returns every p; elements must
//! not depend on each other. For the nearest point of a constraint set the gradient is w Aᵀ(z − p), as with every
//! energy here.
//!
//! Newton's Hessians come from central differences of the function, with all elements moved at once, so that one call
//! is enough for all of them.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::{Batch, Curvature, Memory, Operator, Properties, Rewiring};
use crate::math::{Vec3, clamp_to_positive_semidefinite};
use crate::parallel::{self, Strided};

/// A batch with one projection function, which computes all p from all z = A x, `rows` vectors for each element.
///
/// ```
/// use pliant::energy::{FunctionBatch, Operator};
/// use pliant::math::Vec3;
/// use pliant::{Body, Simulation};
///
/// // A spring of 1 m and 100 N/m, with a stone of 1 kg.
/// let mut operator = Operator::new(1);
/// operator.push(100.0, &[0, 1], &[-1.0, 1.0]);
/// let spring = FunctionBatch::new("spring", operator, |z: &[Vec3], p: &mut [Vec3]| {
///     p.iter_mut().zip(z).for_each(|(p, z)| *p = z.normalize());
/// });
/// let stone = Body::new(vec![Vec3::ZERO, Vec3::NEG_Y], vec![(0, 0, 1.0), (1, 1, 1.0)]).pin([0]);
/// let mut sim = Simulation::builder().body(stone.with_energy(Box::new(spring))).time_step(10.0).build()?;
/// for _ in 0..40 {
///     sim.step()?;
/// }
/// assert!((sim.positions()[1].y + 1.0 + 9.81 / 100.0).abs() < 1e-6, "it sags by mg/k");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FunctionBatch<F> {
    kind: &'static str,
    operator: Operator,
    project: Arc<F>,
}

impl<F: Fn(&[Vec3], &mut [Vec3]) + Send + Sync> FunctionBatch<F> {
    /// Joins stencils, A and weights with a projection; `kind` names the energy in reports.
    pub fn new(kind: &'static str, operator: Operator, project: F) -> Self {
        Self { kind, operator, project: Arc::new(project) }
    }

    /// z = A x of all elements.
    fn applied(&self, x: &[Vec3]) -> Vec<Vec3> {
        let rows = self.operator.rows();
        let mut z = vec![Vec3::ZERO; rows * self.operator.len()];
        let outputs = Strided { entries: &mut z, stride: rows };
        parallel::for_each(0..self.operator.len(), outputs, &|range, part| {
            part.entries.chunks_mut(rows).zip(range).for_each(|(z, element)| self.operator.apply(element, x, z));
        });
        z
    }
}

impl<F> fmt::Debug for FunctionBatch<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionBatch").field("kind", &self.kind).field("operator", &self.operator).finish()
    }
}

impl<F: Fn(&[Vec3], &mut [Vec3]) + Send + Sync + 'static> Batch for FunctionBatch<F> {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn operator(&self) -> &Operator {
        &self.operator
    }

    fn operator_mut(&mut self) -> &mut Operator {
        &mut self.operator
    }

    /// Nothing is promised of an unknown function, but what follows from A.
    fn properties(&self) -> Properties {
        Properties {
            translation_invariant: self.operator.is_differential(),
            rotation_invariant: false,
            zero_at_rest: false,
            idempotent: false,
            nearest: false,
            exact_hessian: true,
        }
    }

    /// The function knows its elements by their number: they can move to other vertices, but not come or go.
    fn rewired(&self, rewiring: &Rewiring) -> Option<Box<dyn Batch>> {
        let (kind, project) = (self.kind, Arc::clone(&self.project));
        let renumbered = || Self { kind, operator: self.operator.rewired(rewiring), project };
        rewiring.only_renumbers(self.operator.len()).then(|| Box::new(renumbered()) as Box<dyn Batch>)
    }

    fn project(&self, x: &[Vec3], _goals: &[Vec3], memory: &mut Memory) {
        (self.project)(&self.applied(x), &mut memory.projections);
    }

    fn hessians(
        &self,
        elements: Range<usize>,
        x: &[Vec3],
        _goals: &[Vec3],
        _memory: &Memory,
        curvature: Curvature,
        out: &mut [f64],
    ) {
        let (rows, z) = (self.operator.rows(), self.applied(x));
        let n = 3 * rows;
        let step = |element: usize| {
            let own = &z[rows * element..rows * (element + 1)];
            let size = own.iter().fold(0.0_f64, |most, row| most.max(row.abs().max_element()));
            1e-6 * if size > 0.0 { size } else { 1.0 }
        };
        let mut projections = [z.clone(), z.clone()];
        for j in 0..n {
            for (side, p) in [1.0, -1.0].into_iter().zip(&mut projections) {
                let mut moved = z.clone();
                elements.clone().for_each(|e| moved[rows * e + j / 3][j % 3] += side * step(e));
                (self.project)(&moved, p);
            }
            for (e, out) in elements.clone().zip(out.chunks_mut(n * n)) {
                for i in 0..n {
                    let [plus, minus] = [0, 1].map(|side| projections[side][rows * e + i / 3][i % 3]);
                    out[i * n + j] = f64::from(u8::from(i == j)) - (plus - minus) / (2.0 * step(e));
                }
            }
        }
        for out in out.chunks_mut(n * n) {
            for i in 0..n {
                for j in 0..i {
                    let mean = 0.5 * (out[i * n + j] + out[j * n + i]);
                    (out[i * n + j], out[j * n + i]) = (mean, mean);
                }
            }
            if curvature == Curvature::Projected {
                clamp_to_positive_semidefinite(out, n);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::{EdgeSprings, SpringStiffness};
    use crate::mesh::generate::Sheet;
    use crate::solve::{NewtonParams, ProjectiveParams, SolverChoice};
    use crate::sparse::Precision;
    use crate::{Body, Simulation};

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    /// Where a net ends after some steps, by built-in springs or by the function.
    fn net(solver: SolverChoice, built_in: bool) -> Result<Vec<Vec3>, Box<dyn std::error::Error>> {
        let mesh = Sheet { columns: 6, rows: 6, ..Sheet::default() }.mesh()?;
        let (edges, stiffness) = (mesh.edges(), 50.0);
        let length = |[a, b]: [u32; 2]| mesh.positions[a as usize].distance(mesh.positions[b as usize]);
        let rest: Vec<f64> = edges.iter().map(|&edge| length(edge)).collect();
        let mass = (0..49).map(|v| (v, v, 0.01)).collect();
        let body = Body::new(mesh.positions.clone(), mass).pin([42, 48]);
        let body = body.with_energy(if built_in {
            EdgeSprings::new(edges, SpringStiffness::Uniform(stiffness)).build(&mesh.positions)?
        } else {
            let mut operator = Operator::new(1);
            edges.iter().for_each(|edge| operator.push(stiffness, edge, &[-1.0, 1.0]));
            Box::new(FunctionBatch::new("spring", operator, move |z: &[Vec3], p: &mut [Vec3]| {
                p.iter_mut().zip(z).zip(&rest).for_each(|((p, z), rest)| *p = z.normalize() * rest);
            }))
        });
        let mut sim = Simulation::builder().body(body).solver(solver).build()?;
        for _ in 0..20 {
            sim.step()?;
        }
        Ok(sim.positions().to_vec())
    }

    #[test]
    fn springs_as_a_function_move_as_the_built_in_ones_by_either_solver() -> Outcome {
        let projective = ProjectiveParams { precision: Precision::Double, ..ProjectiveParams::plain(20) };
        for (solver, tolerance) in [(projective.into(), 1e-12), (NewtonParams::default().into(), 1e-8)] {
            let solver: SolverChoice = solver;
            let (ours, built_in) = (net(solver.clone(), false)?, net(solver, true)?);
            let difference = ours.iter().zip(&built_in).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
            let moved = built_in.iter().fold(0.0_f64, |most, p| most.max(-p.y));
            assert!(moved > 0.6 && difference < tolerance, "apart by {difference:e} m after a fall to −{moved} m");
        }
        Ok(())
    }
}
