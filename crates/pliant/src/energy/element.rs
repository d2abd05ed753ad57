//! From the projection of one element to a batch of them.

use std::fmt;
use std::ops::Range;

use super::{Arrays, Batch, Curvature, Memory, Operator, Properties, Rewiring};
use crate::math::lanes::matrices;
use crate::math::{Quat, Svd3, Vec3, clamp_to_positive_semidefinite};
use crate::parallel::{self, Strided};

/// Number of elements that [`Element::project_together`] processes.
pub const TOGETHER: usize = matrices::TOGETHER;

/// An element with `R` rows: everything nonlinear about a projective energy is its [`project`](Element::project).
///
/// This is the trait for your own energies: push stencils, A and weights to an [`Operator`], implement `project`, and
/// every solver can use it. See `examples/custom_energy.rs`.
pub trait Element<const R: usize>: Clone + Send + Sync + fmt::Debug + 'static {
    /// Name of the energy.
    const KIND: &'static str;
    /// Which truths hold of it.
    const PROPERTIES: Properties;
    /// Goals per element: vectors that the user may move from step to step.
    const GOALS: usize = 0;

    /// What elements of a built-in type are made of.
    fn arrays(_elements: &[Self]) -> Arrays
    where
        Self: Sized,
    {
        Arrays::Opaque
    }

    /// Number of warm values that each element keeps between projections. The same for all elements of a batch.
    fn warm_len(&self) -> usize {
        0
    }

    /// Sets the warm values before the first projection; they are zero when this is called.
    fn init_warm(&self, _warm: &mut [f64]) {}

    /// The point of the constraint set nearest to z = A x.
    fn project(&self, z: &[Vec3; R], goals: &[Vec3], warm: &mut [f64]) -> [Vec3; R];

    /// Projects [`TOGETHER`] neighbours at once, like [`project`](Element::project), if there is a faster way; `warm`
    /// holds their warm values one after the other. Returns false if there is none, and then does nothing.
    fn project_together(_elements: &[Self], _z: &mut [[Vec3; R]; TOGETHER], _warm: &mut [f64]) -> bool
    where
        Self: Sized,
    {
        false
    }

    /// Energy beyond w/2 ‖z − p‖² for a unit weight.
    fn extra_energy(&self, _warm: &[f64]) -> f64 {
        0.0
    }

    /// Second derivative of ½‖z − p(z)‖² in z, a symmetric 3R×3R matrix; for a nearest-point projection it is I − ∂p/∂z.
    ///
    /// By default computed from central differences of [`project`](Element::project): Newton's method still converges
    /// to the exact solution, which depends only on the gradient.
    fn hessian(&self, z: &[Vec3; R], goals: &[Vec3], warm: &[f64], curvature: Curvature, out: &mut [f64]) {
        difference_hessian(self, z, goals, warm, out);
        if curvature == Curvature::Projected {
            clamp_to_positive_semidefinite(out, 3 * R);
        }
    }
}

/// Numbers of `R` vectors of each element, vector by vector and coordinate by coordinate.
fn transposed<const R: usize>(z: &[[Vec3; R]; TOGETHER]) -> [[[f64; TOGETHER]; 3]; R] {
    std::array::from_fn(|row| std::array::from_fn(|c| std::array::from_fn(|lane| z[lane][row][c])))
}

/// Undoes [`transposed`].
fn restored<const R: usize>(columns: &[[[f64; TOGETHER]; 3]; R]) -> [[Vec3; R]; TOGETHER] {
    std::array::from_fn(|lane| std::array::from_fn(|row| Vec3::from_array([0, 1, 2].map(|c| columns[row][c][lane]))))
}

/// Nearest 3 × 3 matrices of a kind; warm values are the quaternions of nearest rotations.
pub(super) fn nearest_solids(kind: matrices::Solid, z: &mut [[Vec3; 3]; TOGETHER], warm: &mut [f64]) {
    let mut columns = transposed(z);
    let mut rotations: [[f64; TOGETHER]; 4] = std::array::from_fn(|k| std::array::from_fn(|lane| warm[4 * lane + k]));
    matrices::nearest_solids(kind, &mut columns, &mut rotations);
    *z = restored(&columns);
    (0..TOGETHER).for_each(|lane| (0..4).for_each(|k| warm[4 * lane + k] = rotations[k][lane]));
}

/// Leaves the nearest rotation as warm values, as [`nearest_solids`] does.
pub(super) fn remember_rotation(svd: &Svd3, warm: &mut [f64]) {
    let rotation = Quat::from_mat3(&(svd.u * svd.v.transpose())).normalize();
    warm.copy_from_slice(&rotation.to_array());
}

/// Nearest 3 × 2 matrices of a kind.
pub(super) fn nearest_planes(kind: matrices::Plane, z: &mut [[Vec3; 2]; TOGETHER]) {
    let mut columns = transposed(z);
    matrices::nearest_planes(kind, &mut columns);
    *z = restored(&columns);
}

/// I − ∂p/∂z by central differences, symmetrised.
pub(crate) fn difference_hessian<const R: usize, E: Element<R>>(
    element: &E,
    z: &[Vec3; R],
    goals: &[Vec3],
    warm: &[f64],
    out: &mut [f64],
) {
    let n = 3 * R;
    let size = z.iter().fold(0.0_f64, |m, row| m.max(row.abs().max_element()));
    let step = 1e-6 * if size > 0.0 { size } else { 1.0 };
    let mut scratch = warm.to_vec();
    for j in 0..n {
        let [plus, minus] = [step, -step].map(|signed_step| {
            let mut moved = *z;
            moved[j / 3][j % 3] += signed_step;
            scratch.copy_from_slice(warm);
            element.project(&moved, goals, &mut scratch)
        });
        for i in 0..n {
            let derivative = (plus[i / 3][i % 3] - minus[i / 3][i % 3]) / (2.0 * step);
            out[i * n + j] = f64::from(u8::from(i == j)) - derivative;
        }
    }
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (out[i * n + j] + out[j * n + i]);
            (out[i * n + j], out[j * n + i]) = (mean, mean);
        }
    }
}

/// Elements of one type, side by side.
#[derive(Debug, Clone)]
pub struct ElementBatch<E, const R: usize> {
    operator: Operator,
    elements: Vec<E>,
    goals: Vec<Vec3>,
    warm_len: usize,
}

impl<E: Element<R>, const R: usize> ElementBatch<E, R> {
    /// Joins an operator of `R` rows with as many elements, and `E::GOALS` goals for each.
    pub fn new(operator: Operator, elements: Vec<E>, goals: Vec<Vec3>) -> Self {
        assert_eq!(operator.rows(), R, "rows of the operator and of the element type");
        assert_eq!(operator.len(), elements.len(), "elements of the operator and of the list");
        assert_eq!(goals.len(), elements.len() * E::GOALS, "goals of all elements");
        let warm_len = elements.first().map_or(0, Element::warm_len);
        assert!(
            elements.iter().all(|e| e.warm_len() == warm_len),
            "elements of a batch keep the same number of values"
        );
        Self { operator, elements, goals, warm_len }
    }

    /// The elements.
    pub fn elements(&self) -> &[E] {
        &self.elements
    }

    fn z(&self, element: usize, x: &[Vec3]) -> [Vec3; R] {
        let mut z = [Vec3::ZERO; R];
        self.operator.apply(element, x, &mut z);
        z
    }

    fn element_goals<'a>(&self, element: usize, goals: &'a [Vec3]) -> &'a [Vec3] {
        &goals[element * E::GOALS..(element + 1) * E::GOALS]
    }

    fn element_warm<'a>(&self, element: usize, memory: &'a Memory) -> &'a [f64] {
        &memory.warm[element * self.warm_len..(element + 1) * self.warm_len]
    }
}

impl<E: Element<R>, const R: usize> Batch for ElementBatch<E, R> {
    fn kind(&self) -> &'static str {
        E::KIND
    }

    fn operator(&self) -> &Operator {
        &self.operator
    }

    fn operator_mut(&mut self) -> &mut Operator {
        &mut self.operator
    }

    fn properties(&self) -> Properties {
        E::PROPERTIES
    }

    fn arrays(&self) -> Arrays {
        E::arrays(&self.elements)
    }

    fn rewired(&self, rewiring: &Rewiring) -> Option<Box<dyn Batch>> {
        let old = || rewiring.elements.iter().map(|&(old, _)| old as usize);
        let elements = old().map(|e| self.elements[e].clone()).collect();
        let goals = old().flat_map(|e| self.element_goals(e, &self.goals)).copied().collect();
        Some(Box::new(Self::new(self.operator.rewired(rewiring), elements, goals)))
    }

    fn initial_warm(&self) -> Vec<f64> {
        let mut warm = vec![0.0; self.elements.len() * self.warm_len];
        if self.warm_len > 0 {
            self.elements.iter().zip(warm.chunks_mut(self.warm_len)).for_each(|(e, warm)| e.init_warm(warm));
        }
        warm
    }

    fn initial_goals(&self) -> &[Vec3] {
        &self.goals
    }

    fn project(&self, x: &[Vec3], goals: &[Vec3], memory: &mut Memory) {
        let outputs = (
            Strided { entries: &mut memory.projections, stride: R },
            Strided { entries: &mut memory.warm, stride: self.warm_len },
        );
        parallel::for_each(0..self.elements.len(), outputs, &|range, (projections, warm)| {
            let first = range.start;
            let mut done = 0;
            while done + TOGETHER <= range.len() {
                let together = first + done..first + done + TOGETHER;
                let mut z: [[Vec3; R]; TOGETHER] = std::array::from_fn(|k| self.z(first + done + k, x));
                let warm = &mut warm.entries[done * self.warm_len..(done + TOGETHER) * self.warm_len];
                if !E::project_together(&self.elements[together], &mut z, warm) {
                    break;
                }
                projections.entries[done * R..(done + TOGETHER) * R].copy_from_slice(z.as_flattened());
                done += TOGETHER;
            }
            for k in done..range.len() {
                let warm = &mut warm.entries[k * self.warm_len..(k + 1) * self.warm_len];
                let e = first + k;
                let p = self.elements[e].project(&self.z(e, x), self.element_goals(e, goals), warm);
                projections.entries[k * R..(k + 1) * R].copy_from_slice(&p);
            }
        });
    }

    fn project_some(&self, elements: &[u32], z: &mut [Vec3], goals: &[Vec3], warm: &mut [f64]) -> bool {
        let (z, _) = z.as_chunks_mut::<R>();
        for (k, (&e, z)) in elements.iter().zip(z).enumerate() {
            let warm = &mut warm[k * self.warm_len..(k + 1) * self.warm_len];
            *z = self.elements[e as usize].project(z, self.element_goals(e as usize, goals), warm);
        }
        true
    }

    fn extra_energy(&self, memory: &Memory) -> f64 {
        if self.warm_len == 0 {
            return 0.0;
        }
        parallel::sum(0..self.elements.len(), &|range| {
            range.map(|e| self.operator.weight(e) * self.elements[e].extra_energy(self.element_warm(e, memory))).sum()
        })
    }

    fn hessians(
        &self,
        elements: Range<usize>,
        x: &[Vec3],
        goals: &[Vec3],
        memory: &Memory,
        curvature: Curvature,
        out: &mut [f64],
    ) {
        let stride = 9 * R * R;
        parallel::for_each(elements, Strided { entries: out, stride }, &|range, part| {
            for (out, e) in part.entries.chunks_mut(stride).zip(range) {
                let (goals, warm) = (self.element_goals(e, goals), self.element_warm(e, memory));
                self.elements[e].hessian(&self.z(e, x), goals, warm, curvature, out);
            }
        });
    }
}
