//! The function that every solver minimises in one stage [Bouaziz 2014, eq. 4 and 8; Liu 2013, eq. 8]:
//!
//! g(x) = ½ (x − s)ᵀ M (x − s)/τ² + Σ scale · E(x)
//!
//! where τ is the implicit step of the stage (h for implicit Euler) and s the positions from inertia and external
//! forces. Pinned vertices are not unknowns: their positions are given in x.

use crate::energy::{Memory, batch_energy};
use crate::math::Vec3;
use crate::parallel::{self, Strided};
use crate::sparse::SymmetricMatrix;
use crate::world::model::Model;

/// The objective of one stage. In its methods, `memory` holds the projections at a point x.
#[derive(Debug, Clone, Copy)]
pub struct Objective<'a> {
    /// The world.
    pub model: &'a Model,
    /// 1/τ² \[1/s²\].
    pub inertia: f64,
    /// s for all vertices \[m\].
    pub target: &'a [Vec3],
    /// Positions from inertia alone \[m\]: s without external forces. Empty if the solver did not ask for them.
    pub inertial: &'a [Vec3],
    /// Positions at the start of the stage, from which rates of deformation are measured \[m\].
    pub before: &'a [Vec3],
    /// Factor of each energy: 1 for elastic ones, β/elapsed for damping.
    pub scales: &'a [f64],
    /// Goals of each energy.
    pub goals: &'a [Vec<Vec3>],
    /// Largest external force on a free vertex \[N\]; unbalanced forces are compared with it and with the forces of
    /// energies.
    pub load: f64,
}

impl Objective<'_> {
    /// Local step: projects all energies at x.
    pub fn project(&self, x: &[Vec3], memory: &mut [Memory]) {
        for ((entry, goals), memory) in self.model.energies().iter().zip(self.goals).zip(memory) {
            entry.batch.project(x, goals, memory);
        }
    }

    /// Elastic energy at x \[J\]; `memory` stays as it is.
    pub fn elastic_energy(&self, x: &[Vec3], memory: &[Memory]) -> f64 {
        let energies = self.model.energies().iter().zip(self.goals).zip(memory);
        let elastic = energies.filter(|((entry, _), _)| entry.damping.is_none());
        elastic
            .map(|((entry, goals), memory)| {
                let mut memory = memory.clone();
                entry.batch.project(x, goals, &mut memory);
                batch_energy(entry.batch.as_ref(), x, &memory)
            })
            .sum()
    }

    /// g(x) with the projections in `memory` \[J\]: exact after [`project`](Self::project) at x, an upper bound otherwise.
    pub fn value(&self, x: &[Vec3], memory: &[Memory]) -> f64 {
        let energies = self.model.energies().iter().zip(self.scales).zip(memory);
        let elastic: f64 =
            energies.map(|((entry, scale), memory)| scale * batch_energy(entry.batch.as_ref(), x, memory)).sum();
        0.5 * self.inertia * self.squared_distance(x) + elastic
    }

    /// (x − s)ᵀ M (x − s).
    fn squared_distance(&self, x: &[Vec3]) -> f64 {
        let mass = self.model.mass();
        if !self.model.is_whole() {
            // Those of other groups are no unknowns of this one.
            let mut offset = vec![Vec3::ZERO; x.len()];
            self.model.free().iter().map(|&v| v as usize).for_each(|v| offset[v] = x[v] - self.target[v]);
            return mass.inner(&offset, &offset);
        }
        if mass.off_diagonal().is_empty() {
            let diagonal = mass.diagonal();
            return parallel::sum(0..x.len(), &|range| {
                range.map(|i| diagonal[i] * (x[i] - self.target[i]).length_squared()).sum()
            });
        }
        let offset: Vec<Vec3> = x.iter().zip(self.target).map(|(x, s)| *x - *s).collect();
        mass.inner(&offset, &offset)
    }

    /// ∇g of the free vertices \[N\], with the projections in `memory`. `corners` is scratch.
    pub fn gradient(&self, x: &[Vec3], memory: &[Memory], corners: &mut Vec<Vec3>, gradient: &mut [Vec3]) {
        let model = self.model;
        corners.resize(model.corner_count(), Vec3::ZERO);
        for (b, (entry, memory)) in model.energies().iter().zip(memory).enumerate() {
            let out = &mut corners[model.batch_corners(b)];
            entry.batch.operator().gradient(x, &memory.projections, self.scales[b], out);
        }
        let (corners, diagonal) = (&*corners, model.mass().diagonal());
        parallel::for_each(0..gradient.len(), Strided { entries: &mut *gradient, stride: 1 }, &|range, part| {
            for (out, k) in part.entries.iter_mut().zip(range) {
                let v = model.free()[k] as usize;
                let inertia = (x[v] - self.target[v]) * (self.inertia * diagonal[v]);
                *out = model.free_corners(k).iter().fold(inertia, |sum, &corner| sum + corners[corner as usize]);
            }
        });
        for &(i, j, value) in model.mass().off_diagonal() {
            for (row, column) in [(i, j), (j, i)] {
                if let Some(k) = model.free_index(row) {
                    let c = column as usize;
                    gradient[k] += (x[c] - self.target[c]) * (self.inertia * value);
                }
            }
        }
    }

    /// The constant matrix M/τ² + Σ scale · w AᵀA over free vertices [Bouaziz 2014, eq. 10].
    pub fn projective_matrix(&self) -> SymmetricMatrix {
        let model = self.model;
        let mut matrix = SymmetricMatrix::zero(model.pattern().clone());
        let mut contribution = 0;
        for (entry, scale) in model.energies().iter().zip(self.scales) {
            let operator = entry.batch.operator();
            for e in 0..operator.len() {
                let (stencil, a) = (operator.stencil(e), operator.coefficients(e));
                let n = stencil.len();
                for_free_pairs(model, stencil, |i, j| {
                    let product: f64 = (0..operator.rows()).map(|r| a[r * n + i] * a[r * n + j]).sum();
                    matrix.add(contribution, scale * operator.weight(e) * product);
                    contribution += 1;
                });
            }
        }
        for &(i, j, value) in model.mass().off_diagonal() {
            if model.free_index(i).is_some() && model.free_index(j).is_some() {
                matrix.add(contribution, self.inertia * value);
                contribution += 1;
            }
        }
        for (k, &v) in model.free().iter().enumerate() {
            matrix.add_diagonal(k, self.inertia * model.mass().diagonal()[v as usize]);
        }
        matrix
    }
}

/// Weight of a rigid vertex's contact with a collider over the inertia of its share of the body. Few vertices carry the whole body, and
/// nothing beside contacts holds them up: with a tenth of it a ball rolled 5 % too far.
const RIGID_WEIGHT: f64 = 10.0;

impl Objective<'_> {
    /// How stiff the constant matrix is at free vertices \[N/m\], as contacts are weighed by it.
    pub(super) fn contact_stiffness(&self) -> Vec<f64> {
        let model = self.model;
        let mut diagonal = vec![0.0; model.free().len()];
        for (entry, scale) in model.energies().iter().zip(self.scales) {
            let operator = entry.batch.operator();
            for e in 0..operator.len() {
                let (stencil, a) = (operator.stencil(e), operator.coefficients(e));
                for (i, &v) in stencil.iter().enumerate() {
                    if let Some(k) = model.free_index(v) {
                        let square = |row: usize| a[row * stencil.len() + i] * a[row * stencil.len() + i];
                        diagonal[k] += scale * operator.weight(e) * (0..operator.rows()).map(square).sum::<f64>();
                    }
                }
            }
        }
        for (entry, &v) in diagonal.iter_mut().zip(model.free()) {
            *entry += self.inertia * model.mass().diagonal()[v as usize];
        }
        // What a contact meets at a rigid body is the body, not the stiffness that keeps it together.
        for (v, batch, held) in model.rigid_vertices() {
            if let Some(k) = model.free_index(v) {
                let (own, mass) = (model.mass().diagonal()[v as usize], model.contact_masses()[v as usize]);
                diagonal[k] += self.inertia * (RIGID_WEIGHT * mass - own) - self.scales[batch] * held;
            }
        }
        diagonal
    }
}

/// Calls `visit` with each pair of corners i ≤ j that are both free, in the order of the pattern's contributions.
pub(super) fn for_free_pairs(model: &Model, stencil: &[u32], mut visit: impl FnMut(usize, usize)) {
    for i in 0..stencil.len() {
        if model.free_index(stencil[i]).is_none() {
            continue;
        }
        for j in i..stencil.len() {
            if model.free_index(stencil[j]).is_some() {
                visit(i, j);
            }
        }
    }
}

/// Largest length among vectors.
pub(super) fn largest(vectors: &[Vec3]) -> f64 {
    largest_of(vectors.len(), |k| vectors[k].length_squared()).sqrt()
}

/// The largest of so many numbers that are not negative; a NaN must come out.
pub(super) fn largest_of(count: usize, number: impl Fn(usize) -> f64) -> f64 {
    // Bits of such numbers are ordered as they are, and those of a NaN come after all. Four at once do not wait for each other.
    let mut most = [0_u64; 4];
    let whole = count - count % 4;
    for first in (0..whole).step_by(4) {
        (0..4).for_each(|k| most[k] = most[k].max(number(first + k).to_bits()));
    }
    (whole..count).for_each(|k| most[0] = most[0].max(number(k).to_bits()));
    f64::from_bits(most.into_iter().fold(0, u64::max))
}

/// The larger of two. The maximum of numbers would drop a NaN; a NaN must come out.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}
