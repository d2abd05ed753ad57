//! Constraints of a rod and their solution, all of a rod at once.
//!
//! Segment i lies between x_i and x_{i+1} and has a frame R_i, whose third axis is along it.
//!
//! ```text
//!    x₀──R₀──x₁──R₁──x₂──R₂──x₃
//!         └───κ───┘ └───κ───┘
//! ```
//!
//! Stretch and shear Γ = Rᵀ(x_{i+1} − x_i)/l − e₃, bend and twist κ = 2/l̄ Im(q̄_i q_{i+1}) − κ₀ [Kugelstadt 2016, eq. 13 and 17], with
//! energies l/2 Γᵀ diag(GA, GA, EA) Γ and l̄/2 κᵀ diag(EI, EI, GJ) κ. As constraints with compliances α (XPBD [Macklin 2016]) one
//! iteration solves (J W Jᵀ + α/h²) Δλ = −C − α/h² λ and moves by W Jᵀ Δλ. Both constraints of a segment make a block of six,
//! and blocks couple only with their neighbours.
//!
//! Departure: [Kugelstadt 2016] goes from constraint to constraint (Gauss–Seidel) with Γ in world axes; on a stiff rod of n segments that takes
//! about n² iterations. The direct solve [Deul 2018] takes one or two. Rotations have the inertia of a thin rod.

use super::Rods;
use super::block::{Block, Six, solve};
use crate::math::functions::rotation_by;
use crate::math::{Mat3, Quat, Vec3};

/// Rotation by a vector, in body axes.
pub(super) fn turned(q: Quat, by: Vec3) -> Quat {
    (q * rotation_by(by)).normalize()
}

/// v × as a matrix.
fn cross(v: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, v.z, -v.y), Vec3::new(-v.z, 0.0, v.x), Vec3::new(v.y, -v.x, 0.0))
}

/// q̄_a q_b as the shorter of the two ways.
pub(super) fn between(a: Quat, b: Quat) -> Quat {
    let p = a.conjugate() * b;
    if p.w < 0.0 { -p } else { p }
}

/// 2/l̄ Im(q̄_a q_b).
pub(super) fn curvature(a: Quat, b: Quat, length: f64) -> Vec3 {
    between(a, b).xyz() * (2.0 / length)
}

fn add(block: &mut Block, [row, column]: [usize; 2], m: Mat3) {
    for c in 0..3 {
        let values = m.col(c).to_array();
        for r in 0..3 {
            block[row + r][column + c] += values[r];
        }
    }
}

/// Derivatives of the constraints of a segment.
#[derive(Clone, Copy)]
struct Gradients {
    /// ∂Γ/∂x_{i+1} = −∂Γ/∂x_i.
    ends: Mat3,
    /// ∂Γ/∂θ_i.
    own: Mat3,
    /// ∂κ/∂θ_i and ∂κ/∂θ_{i+1}.
    first: Mat3,
    second: Mat3,
}

/// What a rod is solved with, kept from iteration to iteration.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    diagonal: Vec<Block>,
    beside: Vec<Block>,
    right: Vec<Six>,
}

/// A rod in the course of a step.
pub(super) struct Moving<'a> {
    /// Positions of its vertices \[m\], and 1/m \[1/kg\].
    pub(super) x: &'a mut [Vec3],
    pub(super) inverse_masses: &'a [f64],
    /// Orientations of its segments.
    pub(super) q: &'a mut [Quat],
    /// Multipliers of its segments: Γ's and those of κ with the next one.
    pub(super) multipliers: &'a mut [[Vec3; 2]],
}

impl Rods {
    /// One iteration over the rod whose first segment is `from`, with the step h \[s\].
    pub(super) fn iterate(&self, from: usize, h: f64, rod: &mut Moving<'_>, scratch: &mut Scratch) {
        let count = rod.q.len();
        let Scratch { diagonal, beside, right } = scratch;
        for (list, size) in [(&mut *diagonal, count), (&mut *beside, count.saturating_sub(1))] {
            list.clear();
            list.resize(size, [[0.0; 6]; 6]);
        }
        right.clear();
        right.resize(count, [0.0; 6]);
        let softness = 1.0 / (h * h);
        let mobility = |i: usize| Mat3::from_diagonal(self.segments[from + i].mobility());
        let gradients: Vec<Gradients> = (0..count).map(|i| self.gradients(from, i, rod)).collect();
        for i in 0..count {
            let (segment, g, w) = (&self.segments[from + i], &gradients[i], mobility(i));
            let masses = rod.inverse_masses[i] + rod.inverse_masses[i + 1];
            let [stretch, bend] = rod.multipliers[i];
            let give = segment.stretch_compliance * softness;
            let block = &mut diagonal[i];
            let ends = g.ends * g.ends.transpose() * masses;
            add(block, [0, 0], ends + g.own * w * g.own.transpose() + Mat3::from_diagonal(give));
            let strain = rod.q[i].conjugate() * (rod.x[i + 1] - rod.x[i]) / segment.length - Vec3::Z;
            let mut residual = [-(strain + give * stretch), Vec3::ZERO];
            if i + 1 == count {
                // The last segment has no next one to bend against.
                add(block, [3, 3], Mat3::IDENTITY);
            } else {
                let joint = &self.joints[from + i];
                let (next, v) = (&gradients[i + 1], mobility(i + 1));
                let give = joint.compliance * softness;
                let moving = g.first * w * g.first.transpose() + g.second * v * g.second.transpose();
                add(block, [3, 3], moving + Mat3::from_diagonal(give));
                let mixed = g.own * w * g.first.transpose();
                add(block, [0, 3], mixed);
                add(block, [3, 0], mixed.transpose());
                residual[1] = -(curvature(rod.q[i], rod.q[i + 1], joint.length) - joint.rest + give * bend);
                let u = &mut beside[i];
                add(u, [0, 0], g.ends * next.ends.transpose() * -rod.inverse_masses[i + 1]);
                add(u, [3, 0], g.second * v * next.own.transpose());
                if i + 2 < count {
                    add(u, [3, 3], g.second * v * next.first.transpose());
                }
            }
            for (k, part) in residual.iter().enumerate() {
                right[i][3 * k..3 * k + 3].copy_from_slice(&part.to_array());
            }
        }
        if !solve(diagonal, beside, right) {
            // A place that is not a number; the step's own check names it.
            return;
        }
        let change = |i: usize| [Vec3::from_slice(&right[i][..3]), Vec3::from_slice(&right[i][3..])];
        for i in 0..count {
            let (g, [stretch, bend]) = (&gradients[i], change(i));
            rod.multipliers[i][0] += stretch;
            rod.multipliers[i][1] += bend;
            let push = g.ends.transpose() * stretch;
            for (vertex, push) in [(i, -push), (i + 1, push)] {
                rod.x[vertex] += push * rod.inverse_masses[vertex];
            }
            let mut torque = g.own.transpose() * stretch + g.first.transpose() * bend;
            if i > 0 {
                torque += gradients[i - 1].second.transpose() * change(i - 1)[1];
            }
            rod.q[i] = turned(rod.q[i], self.segments[from + i].mobility() * torque);
        }
    }

    /// Elastic energy of the rod whose first segment is `from` \[J\].
    pub(super) fn energy(&self, from: usize, x: &[Vec3], q: &[Quat]) -> f64 {
        let mut sum = 0.0;
        for i in 0..q.len() {
            let segment = &self.segments[from + i];
            let strain = q[i].conjugate() * (x[i + 1] - x[i]) / segment.length - Vec3::Z;
            sum += 0.5 * (strain * strain / segment.stretch_compliance).element_sum();
            if i + 1 < q.len() {
                let joint = &self.joints[from + i];
                let bent = curvature(q[i], q[i + 1], joint.length) - joint.rest;
                sum += 0.5 * (bent * bent / joint.compliance).element_sum();
            }
        }
        sum
    }

    fn gradients(&self, from: usize, i: usize, rod: &Moving<'_>) -> Gradients {
        let (segment, q) = (&self.segments[from + i], rod.q[i]);
        let back = Mat3::from_quat(q.conjugate());
        let along = back * (rod.x[i + 1] - rod.x[i]) / segment.length;
        let (mut first, mut second) = (Mat3::ZERO, Mat3::ZERO);
        if i + 1 < rod.q.len() {
            let p = between(q, rod.q[i + 1]);
            let (turn, side) = (Mat3::from_diagonal(Vec3::splat(p.w)), cross(p.xyz()));
            let scale = 1.0 / self.joints[from + i].length;
            (first, second) = ((turn - side) * -scale, (turn + side) * scale);
        }
        Gradients { ends: back * (1.0 / segment.length), own: cross(along), first, second }
    }
}
