//! The islands of a world side by side: vectors have the places of one after the other. Small ones are one thread's work each, large ones are shared out.

#![allow(unsafe_code)] // Threads work on islands of their own, and on the places of these in shared vectors.

use std::ops::Range;

use super::contact::{read, write};
use super::island::{BoxedIsland, PreparedIsland, Share};
use super::sticking::{MOST_AT_ONCE, Work};
use crate::math::Vec3;
use crate::math::lanes::Real;
use crate::parallel::{Shared, Team};
use crate::solve::objective::{larger, largest_of};
use crate::solve::{Objective, SolveError};

use crate::sparse::Rows;

/// Factors up to this size are one thread's work: sharing them out would take longer \[bytes\].
const SMALL: usize = 1 << 19;

/// All islands of a world.
#[derive(Debug, Default)]
pub(in crate::solve) struct Islands {
    all: Vec<BoxedIsland>,
    /// Numbers of those that are one thread's work, and of the others.
    small: Vec<u32>,
    large: Vec<u32>,
    free: usize,
    bytes: usize,
}

impl Islands {
    pub(super) fn new(all: Vec<BoxedIsland>) -> Self {
        // One alone has all threads to itself, whatever its size.
        let is_small = |k: &u32| all.len() > 1 && all[*k as usize].factor.bytes() < SMALL;
        let (small, large) = (0..all.len() as u32).partition(is_small);
        let free = all.iter().map(|island| island.free()).sum();
        let bytes = all.iter().map(|island| island.factor.bytes()).sum();
        Self { all, small, large, free, bytes }
    }

    /// Adds one to at least two others.
    pub(super) fn push(&mut self, island: BoxedIsland) {
        let list = if island.factor.bytes() < SMALL { &mut self.small } else { &mut self.large };
        list.push(self.all.len() as u32);
        self.free += island.free();
        self.bytes += island.factor.bytes();
        self.all.push(island);
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    pub(super) fn into_vec(self) -> Vec<BoxedIsland> {
        self.all
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &PreparedIsland> {
        self.all.iter().map(|island| &**island)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut PreparedIsland> {
        self.all.iter_mut().map(|island| &mut **island)
    }

    /// Whether the world is one island.
    pub(super) fn is_one(&self) -> bool {
        self.all.len() == 1
    }

    /// Number of unknowns.
    pub(in crate::solve) fn free(&self) -> usize {
        self.free
    }

    /// Memory that a sweep over all factors reads \[bytes\].
    pub(in crate::solve) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Calls `work` with each island.
    pub(super) fn for_each(&mut self, team: &Team<'_>, work: impl Fn(&mut PreparedIsland, &Team<'_>) + Sync) {
        let all = Shared(self.all.as_mut_ptr());
        let small = &self.small;
        team.share(small.len(), |item| {
            // SAFETY: numbers are those of islands, and no two items have the same.
            let island: &mut BoxedIsland = unsafe { &mut *all.get().add(small[item] as usize) };
            work(island, &Team::alone());
        });
        for &island in &self.large {
            work(&mut self.all[island as usize], team);
        }
    }

    /// The same with the rows of each island, as many numbers each, in a vector that has those of all.
    fn for_each_with<T: Send>(
        &mut self,
        team: &Team<'_>,
        (vector, numbers): (&mut [T], usize),
        work: impl Fn(&mut PreparedIsland, &mut [T], &Team<'_>) + Sync,
    ) {
        assert!(vector.len() >= numbers * self.free, "rows of all islands");
        let vector = Shared(vector.as_mut_ptr());
        self.for_each(team, |island, team| {
            let Range { start, end } = island.places();
            // SAFETY: islands have places of their own, below the number of all; the vector is as long as those.
            let own =
                unsafe { std::slice::from_raw_parts_mut(vector.get().add(numbers * start), numbers * (end - start)) };
            work(island, own, team);
        });
    }

    /// Solves for what is in the rows of the factors, unless that is done, and moves points by the solutions; returns the longest of these \[m\].
    pub(super) fn advance(&mut self, team: &Team<'_>, points: &mut [super::local::Point], is_solved: bool) -> f64 {
        self.for_each_with(team, (points, 1), |island, points, team| {
            if !is_solved {
                island.factor.solve_rows(team);
            }
            island.measure = match island.factor.rows() {
                Rows::Single(rows) => super::advance::advance(team, rows, points),
                Rows::Double(rows) => super::advance::advance(team, rows, points),
            };
        });
        self.all.iter().fold(0.0, |most, island| larger(most, island.measure))
    }

    /// Rows of all factors.
    pub(super) fn read(&mut self, vector: &mut [Vec3]) {
        for island in &mut self.all {
            let own = island.places();
            read(&mut island.factor, &mut vector[own]);
        }
    }

    /// Puts numbers into the rows of the factors.
    pub(super) fn write(&mut self, vector: &[Vec3]) {
        for island in &mut self.all {
            let own = island.places();
            write(&mut island.factor, &vector[own]);
        }
    }

    /// Squared length of the longest row.
    pub(super) fn largest_row(&mut self) -> f64 {
        let of_island = |island: &mut BoxedIsland| {
            let free = island.free();
            match island.factor.rows() {
                Rows::Single(rows) => largest_row(rows, free),
                Rows::Double(rows) => largest_row(rows, free),
            }
        };
        self.all.iter_mut().fold(0.0, |most, island| larger(most, of_island(island)))
    }

    /// From b to H'⁻¹ b, where H may have the weights of what sticks.
    pub(super) fn inverse(&mut self, team: &Team<'_>, with_sticking: bool, b: &[Vec3], solved: &mut [Vec3]) {
        self.for_each_with(team, (solved, 1), |island, solved, team| {
            let own = island.places();
            island.solve(team, with_sticking, &b[own], solved);
        });
    }

    /// The same without sticking, for rows of four numbers in f32.
    pub(in crate::solve) fn inverse_rows(&mut self, team: &Team<'_>, b: &[f32], solved: &mut [f32]) {
        self.for_each_with(team, (solved, 4), |island, solved, team| {
            let b = &b[4 * island.first..][..solved.len()];
            if let Rows::Single(rows) = island.factor.rows() {
                rows[..b.len()].copy_from_slice(b);
            }
            island.factor.solve_rows(team);
            if let Rows::Single(rows) = island.factor.rows() {
                solved.copy_from_slice(&rows[..b.len()]);
            }
            if !island.turnings.is_empty() {
                let [from, turned] = &mut island.turned;
                read_rows(b, from);
                read_rows(solved, turned);
                island.turnings.correct(from, turned);
                write_rows(turned, solved);
            }
        });
    }

    /// Rows of all factors, in f32.
    pub(in crate::solve) fn single_rows(&mut self, out: &mut [f32]) {
        for island in &mut self.all {
            let own = 4 * island.first..4 * (island.first + island.free());
            if let Rows::Single(rows) = island.factor.rows() {
                out[own.clone()].copy_from_slice(&rows[..own.len()]);
            }
        }
    }

    /// y − H x into y, by the second derivative last taken.
    pub(in crate::solve) fn subtract_product(&mut self, team: &Team<'_>, x: &[f32], y: &mut [f32]) {
        self.for_each_with(team, (y, 4), |island, y, team| {
            let x = &x[4 * island.first..][..y.len()];
            if let Some(curvature) = &island.curvature {
                curvature.matrix().subtract_product(team, x, y);
            }
        });
    }

    /// What turning takes from H x, from a vector.
    pub(in crate::solve) fn subtract_turning(&self, x: &[f32], y: &mut [f32]) {
        for island in self.all.iter().filter(|island| !island.turnings.is_empty()) {
            let (x, y) = (&x[4 * island.first..], &mut y[4 * island.first..]);
            island.turnings.subtract(
                |place| row_vector(&x.as_chunks::<4>().0[place]),
                |place, force| (0..3).for_each(|c| y[4 * place + c] += force[c] as f32),
            );
        }
    }

    /// Memory that such a product reads \[bytes\].
    pub(in crate::solve) fn product_bytes(&self) -> usize {
        self.all.iter().filter_map(|island| island.curvature.as_ref()).map(|rows| rows.matrix().bytes()).sum()
    }

    /// Blocks of the second derivative on the diagonal, by columns.
    pub(in crate::solve) fn diagonal_blocks(&self) -> impl Iterator<Item = [[f64; 3]; 3]> {
        let with_rows = self.all.iter().filter_map(|island| Some((island.free(), island.curvature.as_ref()?)));
        with_rows.flat_map(|(free, curvature)| (0..free).map(|place| curvature.diagonal(place)))
    }

    /// Whether there are rigid sets that turn.
    pub(in crate::solve) fn turn(&self) -> bool {
        self.all.iter().any(|island| !island.turnings.is_empty())
    }

    /// Whether an unknown moves when a rigid set turns.
    fn covers(&self, place: u32) -> bool {
        let island = &self.all[self.island_at(place)];
        island.turnings.covers(place - island.first as u32)
    }

    fn island_at(&self, place: u32) -> usize {
        self.all.partition_point(|island| island.places().end <= place as usize)
    }

    /// Bends the turning of a step from the tangent back to the circle.
    pub(super) fn retract(&self, step: &mut [Vec3]) {
        self.all.iter().for_each(|island| island.turnings.retract(&mut step[island.places()]));
    }

    /// The same for rows of four numbers in f32.
    pub(in crate::solve) fn retract_rows(&mut self, step: &mut [f32]) {
        for island in self.all.iter_mut().filter(|island| !island.turnings.is_empty()) {
            let own = &mut step[4 * island.first..4 * (island.first + island.free())];
            let turned = &mut island.turned[0];
            read_rows(own, turned);
            island.turnings.retract(turned);
            write_rows(turned, own);
        }
    }

    /// Takes the places that stick with their weights, ascending by place. What turns with a rigid set belongs to the matrix without sticking vertices.
    pub(super) fn hold(
        &mut self,
        mut sticking: Vec<(u32, f64)>,
        begins: bool,
        objective: &Objective<'_>,
    ) -> Result<Work, SolveError> {
        sticking.retain(|&(place, _)| !self.covers(place));
        sticking.sort_unstable_by_key(|(place, _)| *place);
        // A vertex at two colliders is in the factor once.
        sticking.dedup_by_key(|(place, _)| *place);
        let mut rest = &mut sticking[..];
        let mut parts: Vec<&[(u32, f64)]> = Vec::with_capacity(self.all.len());
        for island in &self.all {
            let count = rest.partition_point(|(place, _)| (*place as usize) < island.places().end);
            let (own, others) = rest.split_at_mut(count);
            own.iter_mut().for_each(|(place, _)| *place -= island.first as u32);
            parts.push(own);
            rest = others;
        }
        let mut work = Work::default();
        let changes =
            || self.all.iter().zip(&parts).map(|(island, own)| island.sticking.changes_to(own)).sum::<usize>();
        if !begins && changes() > MOST_AT_ONCE {
            return Ok(work);
        }
        let is_one = self.is_one();
        for (number, (island, own)) in self.all.iter_mut().zip(parts).enumerate() {
            let (sticking, factor, analysis) = island.sticking_parts();
            let matrix = || match is_one {
                true => objective.projective_matrix(),
                false => match Share::of(objective, &objective.model.islands()[number]) {
                    Some(share) => share.objective().projective_matrix(),
                    // It had a share when it was prepared.
                    None => objective.projective_matrix(),
                },
            };
            work.add(sticking.take(own, factor.order(), begins, analysis, factor.precision(), matrix)?);
        }
        Ok(work)
    }

    /// Weights that [`inverse`](Self::inverse) has with sticking, by place.
    pub(super) fn held(&self, out: &mut Vec<(u32, f64)>) {
        out.clear();
        for island in &self.all {
            let first = island.first as u32;
            out.extend(island.sticking.held().iter().map(|&(place, weight)| (place + first, weight)));
        }
    }
}

fn row_vector(row: &[f32; 4]) -> Vec3 {
    Vec3::new(row[0].into(), row[1].into(), row[2].into())
}

fn read_rows(rows: &[f32], vector: &mut Vec<Vec3>) {
    vector.clear();
    vector.extend(rows.as_chunks::<4>().0.iter().map(row_vector));
}

fn write_rows(rows: &[Vec3], vector: &mut [f32]) {
    for (out, v) in vector.as_chunks_mut::<4>().0.iter_mut().zip(rows) {
        (0..3).for_each(|c| out[c] = v[c] as f32);
    }
}

/// Squared length of the longest row of four numbers, of which three count.
fn largest_row<S: Real>(rows: &[S], count: usize) -> f64 {
    let squared = |row: &[S; 4]| row[..3].iter().map(|c| c.to_f64().powi(2)).sum();
    let rows = &rows.as_chunks::<4>().0[..count];
    largest_of(count, |k| squared(&rows[k]))
}
