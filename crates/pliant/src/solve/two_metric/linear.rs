//! Newton's system by conjugate gradients, with two metrics as preconditioner.
//!
//! The projective factor P is right for stretch at all scales, and far too stiff across thin bodies. The 3×3 blocks D on the diagonal of Newton's
//! matrix H are right there, and useless for stretch. One application is
//!
//! z = ω D⁻¹ r;   z += P⁻¹ (r − H z);   z += ω D⁻¹ (r − H z)
//!
//! which is symmetric. H z comes along, so that a whole iteration takes three products with H and one solve with P.

#![allow(unsafe_code)] // Items of a stage have rows of their own.

use super::Preconditioner;
use crate::math::{Mat3, Vec3};
use crate::parallel::{Shared, Team, with_team_for};
use crate::scratch::fit;
use crate::solve::drift::FreeBodies;
use crate::solve::projective::contact::Coupled;
use crate::solve::projective::islands::Islands;
use crate::sparse::ROWS_TOGETHER;

/// ω: blocks alone would overshoot where neighbours pull together.
const DAMPING: f32 = 0.6;
/// Linear iterations, and the share that they may leave, where bodies are rigid.
const MOST_OF_RIGID: usize = 100;
const ENOUGH_OF_RIGID: f64 = 1e-3;
/// Rows of a vector that a thread takes at a time; also the length of partial sums.
const ROWS_PER_ITEM: usize = 512;
/// Numbers of an inverse block: its columns, four numbers apart.
const BLOCK: usize = 12;

/// Vectors of the iteration, four numbers for each row, kept from solve to solve.
#[derive(Debug, Default)]
pub(super) struct Linear {
    /// What solves H x = b, so far.
    pub(super) solution: Vec<f32>,
    /// What it begins with; empty for nothing.
    guess: Vec<f32>,
    /// b, and what is left of it.
    right_hand_side: Vec<f32>,
    residual: Vec<f32>,
    direction: Vec<f32>,
    /// H times the direction.
    product: Vec<f32>,
    /// z, what is left of r after it, and a part of z.
    step: Vec<f32>,
    left: Vec<f32>,
    part: Vec<f32>,
    /// Blocks on the diagonal, and their inverses times ω.
    blocks: Vec<Mat3>,
    inverse: Vec<f32>,
    sums: Vec<f64>,
}

/// What a solve came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Solved {
    /// Slope of g along the solution \[J\].
    pub(super) slope: f64,
    /// By how much g falls if it is as quadratic as its model \[J\].
    pub(super) promised: f64,
    /// Longest movement of a vertex in it \[m\].
    pub(super) longest: f64,
    pub(super) iterations: usize,
    /// The squared residual that it began with, measured by the preconditioner.
    pub(super) begun_with: f64,
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) most: usize,
    /// Share of the residual, measured by the preconditioner, that may be left.
    pub(super) enough: f64,
    /// A squared residual to be measured by instead of the one that the solve begins with, if it is larger.
    pub(super) beside: f64,
    pub(super) preconditioner: Preconditioner,
    /// 1/τ² \[1/s²\].
    pub(super) inertia: f64,
}

impl Linear {
    /// What the next solve begins with, as far along it as is best: empty for nothing.
    pub(super) fn guess_mut(&mut self) -> &mut Vec<f32> {
        &mut self.guess
    }

    /// Solves with the rows of the factors as right-hand side, which are −∇g less the forces of `contacts`.
    pub(super) fn solve(
        &mut self,
        islands: &mut Islands,
        contacts: &[Coupled],
        free_bodies: &mut FreeBodies,
        limits: Limits,
    ) -> Solved {
        let mut limits = limits;
        if islands.turn() {
            // A force on a rigid body that is a little off is a body that creeps.
            (limits.most, limits.enough) = (limits.most.max(MOST_OF_RIGID), limits.enough.min(ENOUGH_OF_RIGID));
        }
        let free = islands.free();
        for vector in [
            &mut self.solution,
            &mut self.right_hand_side,
            &mut self.residual,
            &mut self.direction,
            &mut self.product,
            &mut self.step,
            &mut self.left,
            &mut self.part,
        ] {
            vector.clear();
            fit(vector, 4 * free.next_multiple_of(ROWS_TOGETHER));
            vector.resize(4 * free.next_multiple_of(ROWS_TOGETHER), 0.0);
        }
        fit(&mut self.blocks, free);
        fit(&mut self.inverse, BLOCK * free);
        islands.single_rows(&mut self.right_hand_side);
        for contact in contacts {
            spread(contact, contact.response.force, &mut self.right_hand_side, free);
        }
        self.residual.copy_from_slice(&self.right_hand_side);
        if limits.preconditioner != Preconditioner::Factor {
            self.invert_blocks(free, contacts, islands.diagonal_blocks());
        }
        let (iterations, begun_with) = with_team_for(islands.bytes() + islands.product_bytes(), |team| {
            let mut system = System { team, islands: &mut *islands, contacts, free };
            self.begin_with_guess(&mut system);
            self.iterate(&mut system, limits)
        });
        // The factor alone keeps momentum, but for what contacts take up and a guess brings in.
        let promised = {
            let Self { solution, right_hand_side, residual, sums, .. } = self;
            let team = Team::alone();
            0.5 * (dot(&team, sums, right_hand_side, solution) + dot(&team, sums, residual, solution))
        };
        if limits.preconditioner != Preconditioner::Factor || !contacts.is_empty() || !self.guess.is_empty() {
            free_bodies.translate(limits.inertia, contacts, &self.residual, &mut self.solution);
        }
        let slope = -dot(&Team::alone(), &mut self.sums, &self.right_hand_side, &self.solution);
        islands.retract_rows(&mut self.solution);
        let squares = self.solution.as_chunks::<4>().0.iter().map(|d| d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        // A NaN must come out.
        let longest = squares.fold(0.0, |most, square| if square <= most { most } else { square });
        Solved { slope, promised, longest: f64::from(longest).sqrt(), iterations, begun_with }
    }

    /// The inverse of each block on the diagonal, contacts included, times ω.
    fn invert_blocks(&mut self, free: usize, contacts: &[Coupled], diagonal: impl Iterator<Item = [[f64; 3]; 3]>) {
        let Self { blocks, inverse, .. } = self;
        blocks.clear();
        blocks.extend(diagonal.map(|block| Mat3::from_cols_array_2d(&block)));
        for contact in contacts.iter().filter(|contact| contact.response.acts()) {
            for (place, w) in contact.corners().filter(|(place, _)| *place < free) {
                for c in 0..3 {
                    let column = contact.response.stiffness_times(Vec3::AXES[c]) * (w * w);
                    *blocks[place].col_mut(c) += column;
                }
            }
        }
        inverse.clear();
        for block in blocks {
            let block = block.inverse();
            let block = if block.is_finite() { block } else { Mat3::ZERO };
            for c in 0..3 {
                let column = block.col(c).to_array().map(|value| DAMPING * value as f32);
                inverse.extend_from_slice(&[column[0], column[1], column[2], 0.0]);
            }
        }
    }

    /// Goes along the guess to where the quadratic model is lowest, so that it is never worse than to begin with nothing.
    fn begin_with_guess(&mut self, system: &mut System<'_>) {
        if self.guess.is_empty() || system.islands.turn() {
            return self.guess.clear();
        }
        let Self { solution, guess, residual, product, left, sums, .. } = self;
        guess.resize(solution.len(), 0.0);
        left.copy_from_slice(residual);
        system.subtract_product(guess, left);
        for_parts(system.team, [product], [residual, left], |_, [q], [r, left]| {
            (0..q.len()).for_each(|k| q[k] = r[k] - left[k]);
        });
        let along = dot(system.team, sums, guess, residual);
        let length = along / dot(system.team, sums, guess, product);
        if length.is_finite() && length > 0.0 {
            advance(system.team, length as f32, guess, product, solution, residual);
        }
    }

    fn iterate(&mut self, system: &mut System<'_>, limits: Limits) -> (usize, f64) {
        let team = system.team;
        let (mut rho, mut enough, mut begun_with) = (0.0, 0.0, 0.0);
        for iteration in 0..limits.most {
            self.precondition(system, limits.preconditioner);
            let next = dot(team, &mut self.sums, &self.residual, &self.step);
            if iteration == 0 {
                begun_with = next;
                enough = next.max(limits.beside) * limits.enough * limits.enough;
            }
            if !next.is_finite() || next <= 0.0 {
                return (iteration, begun_with);
            }
            let beta = if iteration == 0 { 0.0 } else { (next / rho) as f32 };
            rho = next;
            // p = z + β p; H p = (r − left) + β H p.
            let Self { solution, residual, direction, product, step, left, sums, .. } = self;
            let curvature = search_direction(team, sums, beta, [step, residual, left], direction, product);
            if !(curvature > 0.0 && curvature.is_finite()) {
                return (iteration, begun_with);
            }
            let alpha = (rho / curvature) as f32;
            advance(team, alpha, direction, product, solution, residual);
            // What it took to see that the residual was small enough is most of an iteration, so that one is made.
            if next <= enough {
                return (iteration + 1, begun_with);
            }
        }
        (limits.most, begun_with)
    }

    /// z from r, and r − H z.
    fn precondition(&mut self, system: &mut System<'_>, preconditioner: Preconditioner) {
        let team = system.team;
        let Self { residual, step, left, part, inverse, .. } = self;
        left.copy_from_slice(residual);
        if preconditioner == Preconditioner::Product {
            apply_blocks(team, inverse, residual, step);
            system.subtract_product(step, left);
        }
        system.islands.inverse_rows(team, left, part);
        match preconditioner {
            Preconditioner::Factor => step.copy_from_slice(part),
            Preconditioner::Sum => {
                apply_blocks(team, inverse, residual, step);
                add(team, step, part);
                step.copy_from_slice(part);
            }
            Preconditioner::Product => add(team, part, step),
        }
        system.subtract_product(part, left);
        if preconditioner == Preconditioner::Product {
            apply_blocks(team, inverse, left, part);
            add(team, part, step);
            system.subtract_product(part, left);
        }
    }
}

/// H with contacts.
struct System<'a> {
    team: &'a Team<'a>,
    islands: &'a mut Islands,
    contacts: &'a [Coupled],
    free: usize,
}

impl System<'_> {
    /// y − H x, into y.
    fn subtract_product(&mut self, x: &[f32], y: &mut [f32]) {
        self.islands.subtract_product(self.team, x, y);
        for contact in self.contacts.iter().filter(|contact| contact.response.acts()) {
            spread(contact, -contact.response.stiffness_times(offset(contact, x, self.free)), y, self.free);
        }
        self.islands.subtract_turning(x, y);
    }
}

/// What a contact sees of a movement.
pub(super) fn offset(contact: &Coupled, vector: &[f32], free: usize) -> Vec3 {
    let corners = contact.corners().filter(|(place, _)| *place < free);
    corners.fold(Vec3::ZERO, |sum, (place, w)| sum + row(vector, place) * w)
}

fn row(vector: &[f32], place: usize) -> Vec3 {
    let at = &vector[4 * place..4 * place + 3];
    Vec3::new(at[0].into(), at[1].into(), at[2].into())
}

fn add_to_row(vector: &mut [f32], place: usize, by: Vec3) {
    (0..3).for_each(|c| vector[4 * place + c] += by[c] as f32);
}

fn spread(contact: &Coupled, force: Vec3, vector: &mut [f32], free: usize) {
    for (place, w) in contact.corners().filter(|(place, _)| *place < free) {
        add_to_row(vector, place, force * w);
    }
}

/// Calls `work` with parts of equally long vectors, the first of which it may change.
fn for_parts<const M: usize, const N: usize>(
    team: &Team<'_>,
    changed: [&mut [f32]; M],
    read: [&[f32]; N],
    work: impl Fn(usize, [&mut [f32]; M], [&[f32]; N]) + Sync,
) {
    let len = changed[0].len();
    let pointers = changed.map(|vector| {
        assert_eq!(vector.len(), len, "vectors of one length");
        Shared(vector.as_mut_ptr())
    });
    let size = 4 * ROWS_PER_ITEM;
    team.share(len.div_ceil(size), |item| {
        let range = item * size..len.min((item + 1) * size);
        // SAFETY: all vectors are `len` long, as checked above, and items have ranges of their own below that.
        let parts = pointers
            .each_ref()
            .map(|p| unsafe { std::slice::from_raw_parts_mut(p.get().add(range.start), range.len()) });
        work(item, parts, read.map(|vector| &vector[range.clone()]));
    });
}

fn add(team: &Team<'_>, by: &[f32], to: &mut [f32]) {
    for_parts(team, [to], [by], |_, [to], [by]| to.iter_mut().zip(by).for_each(|(to, by)| *to += by));
}

/// z = B r with a block for each row.
fn apply_blocks(team: &Team<'_>, blocks: &[f32], r: &[f32], z: &mut [f32]) {
    for_parts(team, [z], [r], |item, [z], [r]| {
        let blocks = &blocks[(item * ROWS_PER_ITEM * BLOCK).min(blocks.len())..];
        let rows = z.as_chunks_mut::<4>().0.iter_mut().zip(r.as_chunks::<4>().0);
        for ((z, r), block) in rows.zip(blocks.as_chunks::<BLOCK>().0) {
            for c in 0..4 {
                z[c] = block[c] * r[0] + block[4 + c] * r[1] + block[8 + c] * r[2];
            }
        }
    });
}

/// Sums of products over parts, in f32 along eight lanes within a part of some rows and in f64 beyond.
fn dot_of_part(a: &[f32], b: &[f32]) -> f64 {
    let mut total = 0.0;
    for (a, b) in a.chunks(256).zip(b.chunks(256)) {
        let mut lanes = [0.0_f32; 8];
        for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
            for k in 0..8 {
                lanes[k] += a[k] * b[k];
            }
        }
        total += lanes.iter().map(|lane| f64::from(*lane)).sum::<f64>();
    }
    total
}

fn dot(team: &Team<'_>, sums: &mut Vec<f64>, a: &[f32], b: &[f32]) -> f64 {
    let size = 4 * ROWS_PER_ITEM;
    let items = a.len().div_ceil(size);
    sums.resize(items, 0.0);
    let shared = Shared(sums.as_mut_ptr());
    team.share(items, |item| {
        let range = item * size..a.len().min((item + 1) * size);
        // SAFETY: there is a sum for each item, and it has that to itself.
        unsafe { *shared.get().add(item) = dot_of_part(&a[range.clone()], &b[range]) }
    });
    sums.iter().sum()
}

/// p = z + β p, q = (r − left) + β q with q = H p; returns p·q.
fn search_direction(
    team: &Team<'_>,
    sums: &mut Vec<f64>,
    beta: f32,
    [z, r, left]: [&[f32]; 3],
    p: &mut [f32],
    q: &mut [f32],
) -> f64 {
    sums.resize(p.len().div_ceil(4 * ROWS_PER_ITEM), 0.0);
    let shared = Shared(sums.as_mut_ptr());
    for_parts(team, [p, q], [z, r, left], |item, [p, q], [z, r, left]| {
        for k in 0..p.len() {
            p[k] = z[k] + beta * p[k];
            q[k] = (r[k] - left[k]) + beta * q[k];
        }
        // SAFETY: there is a sum for each item, and it has that to itself.
        unsafe { *shared.get().add(item) = dot_of_part(p, q) }
    });
    sums.iter().sum()
}

/// x += α p, r −= α q.
fn advance(team: &Team<'_>, alpha: f32, p: &[f32], q: &[f32], x: &mut [f32], r: &mut [f32]) {
    for_parts(team, [x, r], [p, q], |_, [x, r], [p, q]| {
        for k in 0..x.len() {
            x[k] += alpha * p[k];
            r[k] -= alpha * q[k];
        }
    });
}
