//! The linear system with contacts in it: the constant matrix H plus a 3×3 block C for each vertex in contact.
//!
//! Contacts come and go, so their weights do not stay in the factor: kept there "just in case" they slow every free mode down.
//! One rule decides how a changed system is solved, by counts alone:
//!
//! 1. Let P be the matrix whose factor is at hand: H at the beginning of a step, or H with the weights of the vertices that it was
//!    factored with, if they are those that press at the beginning of this step.
//! 2. If P and the system differ in the pressing of more than `refactor_above` vertices, P is factored anew with the
//!    weights of those that press now; the pattern, and with it the analysis, stays.
//! 3. Conjugate gradients preconditioned by the factor of P solve the rest: blocks that act in one direction only, and vertices that
//!    came or went. With k changed vertices they end after 3k + 1 iterations at the latest.
//!
//! The rule looks at nothing but the current step, so a run from a checkpoint takes the same bits. Rank-one updates of the
//! factor belong into [`Changed::choose`], between 2 and 3.
//!
//! P p follows from p by the same recurrence as p from z = P⁻¹ r, so no product with a matrix is ever needed: a product with
//! H + C is P p plus (H + C − P) p, which lives on the changed vertices.

use crate::math::lanes::Real;
use crate::math::{Mat3, Vec3};
use crate::parallel::with_team;
use crate::solve::{Objective, SolveError};
use crate::sparse::{Analysis, Cholesky, PackedFactor, Rows, dot};

/// Iterations end when the residual, measured by the factor, has fallen to this part. What is left the next iteration of the
/// solver sees.
const TOLERANCE: f64 = 1e-4;
const MOST_ITERATIONS: usize = 100;

/// What deals with contacts in the matrix.
#[derive(Debug, Default)]
pub(super) struct Changed {
    /// A factor with weights in it, and which at which places.
    factor: Option<(Vec<(u32, f64)>, PackedFactor)>,
    /// Whether the factor with weights is in use.
    in_use: bool,
    residual: Vec<Vec3>,
    direction: Vec<Vec3>,
    product: Vec<Vec3>,
    solution: Vec<Vec3>,
    blocks: Vec<(u32, Mat3)>,
}

impl Changed {
    /// Chooses the factor for places that press with given weights, ordered by place. Returns whether it was factored anew.
    pub(super) fn choose(
        &mut self,
        objective: &Objective<'_>,
        analysis: &Analysis,
        unchanged: &PackedFactor,
        pressing: &[(u32, f64)],
        limit: usize,
        is_first: bool,
    ) -> Result<bool, SolveError> {
        let held = match (&self.factor, is_first || self.in_use) {
            (Some((held, _)), true) => &held[..],
            _ => &[],
        };
        if is_first {
            // Only what this step's contacts alone decide: the same set, or none.
            self.in_use = pressing.len() > limit && held == pressing;
            if self.in_use {
                return Ok(false);
            }
        }
        let held = if self.in_use { held } else { &[] };
        if differing(held, pressing) <= limit {
            return Ok(false);
        }
        let mut matrix = objective.projective_matrix();
        for &(place, weight) in pressing {
            matrix.add_diagonal(unchanged.order()[place as usize] as usize, weight);
        }
        let factor = Cholesky::new(analysis, &matrix)?;
        match &mut self.factor {
            Some((held, packed)) => {
                packed.refill(&factor);
                *held = pressing.to_vec();
            }
            none => *none = Some((pressing.to_vec(), PackedFactor::new(&factor, unchanged.precision()))),
        }
        self.in_use = true;
        Ok(true)
    }

    /// Solves (H + blocks) x = b, with b in the rows of the unchanged factor, where it becomes x. Blocks are ordered by place;
    /// `forces` are added to b before. Returns the iterations taken.
    pub(super) fn solve(&mut self, unchanged: &mut PackedFactor, loads: &[(u32, Vec3, Mat3)]) -> usize {
        read(unchanged, &mut self.residual);
        self.blocks.clear();
        for &(place, force, block) in loads {
            self.residual[place as usize] += force;
            match self.blocks.last_mut() {
                Some((last, sum)) if *last == place => *sum += block,
                _ => self.blocks.push((place, block)),
            }
        }
        if let (true, Some((held, _))) = (self.in_use, &self.factor) {
            subtract(&mut self.blocks, held);
        }
        let factor = match (self.in_use, &mut self.factor) {
            (true, Some((_, factor))) => factor,
            _ => &mut *unchanged,
        };
        let count = self.residual.len();
        self.solution.clear();
        self.solution.resize(count, Vec3::ZERO);
        let (r, p, product, x) = (&mut self.residual, &mut self.direction, &mut self.product, &mut self.solution);
        p.clone_from(r);
        apply(factor, p);
        product.clone_from(r);
        let mut rho = dot(r, p);
        let enough = rho * TOLERANCE * TOLERANCE;
        let mut z = Vec::new();
        let mut iterations = 0;
        while rho > enough && iterations < MOST_ITERATIONS {
            iterations += 1;
            // `product` is P p; the difference of the matrices is added for this iteration only.
            let extra: Vec<Vec3> = self.blocks.iter().map(|(place, block)| *block * p[*place as usize]).collect();
            let beside: f64 = self.blocks.iter().zip(&extra).map(|((k, _), e)| e.dot(p[*k as usize])).sum();
            let curvature = dot(p, product) + beside;
            if curvature.is_nan() || curvature <= 0.0 {
                break;
            }
            let alpha = rho / curvature;
            for i in 0..count {
                x[i] += p[i] * alpha;
                r[i] -= product[i] * alpha;
            }
            self.blocks.iter().zip(&extra).for_each(|((k, _), e)| r[*k as usize] -= *e * alpha);
            z.clone_from(r);
            apply(factor, &mut z);
            let next = dot(r, &z);
            let beta = next / rho;
            rho = next;
            for i in 0..count {
                p[i] = z[i] + p[i] * beta;
                product[i] = r[i] + product[i] * beta;
            }
        }
        write(unchanged, &self.solution);
        iterations
    }
}

impl Changed {
    /// The last solution at a place.
    pub(super) fn step(&self, place: u32) -> Vec3 {
        self.solution[place as usize]
    }
}

/// How many places are in one list but not in the other; both are ordered.
fn differing(a: &[(u32, f64)], b: &[(u32, f64)]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() || j < b.len() {
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) if x.0 == y.0 => {
                count += usize::from(x.1 != y.1);
                (i, j) = (i + 1, j + 1);
            }
            (Some(x), Some(y)) if x.0 < y.0 => (i, count) = (i + 1, count + 1),
            (Some(_), None) => (i, count) = (i + 1, count + 1),
            _ => (j, count) = (j + 1, count + 1),
        }
    }
    count
}

/// Blocks less what the factor holds.
fn subtract(blocks: &mut Vec<(u32, Mat3)>, held: &[(u32, f64)]) {
    blocks.extend(held.iter().map(|&(place, weight)| (place, Mat3::from_diagonal(Vec3::splat(-weight)))));
    blocks.sort_by_key(|(place, _)| *place);
    blocks.dedup_by(|later, earlier| {
        let same = later.0 == earlier.0;
        if same {
            earlier.1 += later.1;
        }
        same
    });
}

/// P⁻¹ in place, in the order of elimination.
fn apply(factor: &mut PackedFactor, vector: &mut Vec<Vec3>) {
    write(factor, vector);
    with_team(|team| factor.solve_rows(team));
    read(factor, vector);
}

fn write(factor: &mut PackedFactor, vector: &[Vec3]) {
    fn copy<R: Real>(rows: &mut [R], vector: &[Vec3]) {
        for (row, v) in rows.as_chunks_mut::<4>().0.iter_mut().zip(vector) {
            *row = [R::from_f64(v.x), R::from_f64(v.y), R::from_f64(v.z), R::default()];
        }
    }
    match factor.rows() {
        Rows::Single(rows) => copy(rows, vector),
        Rows::Double(rows) => copy(rows, vector),
    }
}

fn read(factor: &mut PackedFactor, vector: &mut Vec<Vec3>) {
    let count = factor.order().len();
    vector.clear();
    vector.resize(count, Vec3::ZERO);
    match factor.rows() {
        Rows::Single(rows) => super::prepared::copy_rows(rows, vector),
        Rows::Double(rows) => super::prepared::copy_rows(rows, vector),
    }
}
