//! Constraints that come by the thousand, four at a time on vectors of f64.
//!
//! Elements that share no vertex are independent, so each takes a lane. Positions are copied to points of four numbers, the fourth being
//! the inverse mass, so that one load has all that is needed of a vertex; what an element needs besides lies beside that of its
//! neighbours in the order of visits. `schedule` says who goes when.
//!
//! A pinned vertex may be in several elements that go at once. Each corner on it has an image of its own among the points, with the
//! inverse mass 0, and so have lanes that no element is left for: nobody writes where another reads.

#![allow(unsafe_code)] // Kernels on raw pointers: groups that go at once have vertices, numbers and multipliers of their own.

mod bending;
mod form;
mod pairs;
mod points;
mod schedule;
mod strain;
#[cfg(test)]
mod tests;
mod volume;

use std::ops::Range;

use crate::constraint::Rule;
use crate::math::Vec3;
use crate::math::lanes::nearest::{cross, dot};
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::parallel::{Shared, Team};
use crate::world::model::Model;

use super::passes::Source;
use form::{Form, constraint_form, energy_form};
pub(super) use points::Points;
use schedule::{NONE, Schedule};

/// Elements of a group.
const WIDTH: usize = <f64 as LaneNumber>::WIDTH;

/// One kind of constraints of one body, in lanes.
#[derive(Debug)]
pub(super) struct LanePass {
    form: Form,
    schedule: Schedule,
    /// First vector of rows of each group, and the end.
    row_starts: Vec<u32>,
    /// First numbers of the corners' points: for each group a vector per corner.
    rows: Vec<u32>,
    /// For each group a vector per number.
    numbers: Vec<f64>,
    /// For each group a vector; one for all where all are alike, since large bodies wait for memory.
    softness: Vec<f64>,
    /// For each group a vector per multiplier.
    multipliers: Vec<f64>,
    /// For each group of tets the vectors of their quaternions.
    rotations: Vec<f64>,
    /// How many points there were when rows were made: all rows are among them.
    points: usize,
}

impl LanePass {
    /// Lays the elements of a source out in lanes; none if there are no kernels for it.
    pub(super) fn new(model: &Model, source: Source, points: &mut Points) -> Option<Self> {
        let (form, numbers_of) = match source {
            Source::Energy { batch, .. } => {
                let energy = model.energies()[batch].batch.as_ref();
                let inverse: Vec<f64> = points.points.iter().map(|point| point[3]).collect();
                energy_form(energy.arrays(), energy.operator(), move |v| inverse[v as usize])?
            }
            Source::Constraints(batch) => constraint_form(model.constraints()[batch].arrays())?,
        };
        let stencil = |e: usize| source.stencil(model, e);
        let moves = |v: u32| points.points[v as usize][3] > 0.0;
        // What cannot move anything is left out; so is an energy of no weight.
        let counts = |e: &usize| {
            let has_weight = match source {
                Source::Energy { batch, .. } => model.energies()[batch].batch.operator().weight(*e) > 0.0,
                Source::Constraints(_) => true,
            };
            has_weight && stencil(*e).iter().any(|&v| moves(v))
        };
        let elements: Vec<u32> = (0..source.len(model)).filter(counts).map(|e| e as u32).collect();
        let (schedule, lanes) = Schedule::new(elements, stencil, moves, model.rest());
        let (mut row_starts, mut rows) = (vec![0], Vec::new());
        let (mut numbers, mut softness) = (Vec::new(), Vec::new());
        for group in lanes.chunks_exact(WIDTH) {
            let present = || group.iter().filter(|&&e| e != NONE).map(|&e| e as usize);
            let corners = present().map(|e| stencil(e).len()).max().unwrap_or(0);
            let own: Vec<(usize, (Vec<f64>, f64))> = group
                .iter()
                // A lane without an element repeats the first, at images that nothing moves.
                .map(|&e| if e == NONE { group[0] as usize } else { e as usize })
                .map(|e| (e, numbers_of(e)))
                .collect();
            for corner in 0..corners {
                for (&lane, (e, _)) in group.iter().zip(&own) {
                    // A ring of fewer corners has the rest at an image of its vertex, with coefficients of 0.
                    let v = stencil(*e).get(corner).copied().unwrap_or(stencil(*e)[0]);
                    let is_own = lane != NONE && corner < stencil(*e).len() && points.points[v as usize][3] > 0.0;
                    rows.push(4 * if is_own { v } else { points.image(v) });
                }
            }
            row_starts.push((rows.len() / WIDTH) as u32);
            for k in 0..form.numbers(corners) {
                // A ring of fewer corners has no coefficients of the rest.
                numbers.extend(own.iter().map(|(_, (numbers, _))| numbers.get(k).copied().unwrap_or(0.0)));
            }
            softness.extend(own.iter().map(|(_, (_, softness))| *softness));
        }
        if softness.iter().all(|own| *own == softness[0]) {
            softness.truncate(WIDTH);
        }
        let groups = row_starts.len() - 1;
        let multipliers = vec![0.0; groups * form.multipliers() * WIDTH];
        let rotations = if matches!(form, Form::Tet(_)) { vec![0.0; groups * 4 * WIDTH] } else { Vec::new() };
        let schedule = schedule.with_lanes(lanes);
        let points = points.points.len();
        Some(Self { form, schedule, row_starts, rows, numbers, softness, multipliers, rotations, points })
    }

    /// Number of elements.
    pub(super) fn len(&self) -> usize {
        self.schedule.lanes.len()
    }

    /// Elements in the order of visits, parts of them that are blocks, and parts of these that are phases.
    pub(super) fn visits(&self) -> (Vec<u32>, Vec<Range<usize>>, Vec<Range<usize>>) {
        let (mut elements, mut blocks) = (Vec::new(), Vec::new());
        for groups in &self.schedule.blocks {
            let first = elements.len();
            let own = &self.schedule.lanes[groups.start * WIDTH..groups.end * WIDTH];
            elements.extend(own.iter().filter(|&&e| e != NONE));
            blocks.push(first..elements.len());
        }
        (elements, blocks, self.schedule.phases.clone())
    }

    /// Before a solve: no forces yet, and rotations as they were.
    pub(super) fn begin(&mut self, warm: &[f64]) {
        self.multipliers.fill(0.0);
        if self.rotations.is_empty() {
            return;
        }
        let groups = self.schedule.lanes.chunks_exact(WIDTH).zip(self.rotations.chunks_exact_mut(4 * WIDTH));
        for (elements, rotations) in groups {
            for (lane, &e) in elements.iter().enumerate() {
                let e = if e == NONE { elements[0] } else { e } as usize;
                (0..4).for_each(|k| rotations[k * WIDTH + lane] = warm[4 * e + k]);
            }
        }
    }

    /// After a solve: rotations for the next.
    pub(super) fn finish(&self, warm: &mut [f64]) {
        let groups = self.schedule.lanes.chunks_exact(WIDTH).zip(self.rotations.chunks_exact(4 * WIDTH));
        for (elements, rotations) in groups {
            for (lane, &e) in elements.iter().enumerate().filter(|(_, e)| **e != NONE) {
                (0..4).for_each(|k| warm[4 * e as usize + k] = rotations[k * WIDTH + lane]);
            }
        }
    }

    /// Visits all elements; backwards if that is wanted. `scale` is the factor on an energy's weights.
    #[allow(clippy::too_many_arguments)] // One loop: what it goes over and how.
    pub(super) fn run(
        &mut self,
        set: InstructionSet,
        team: &Team<'_>,
        rule: &Rule,
        scale: f64,
        backwards: bool,
        x: &[Vec3],
        points: &mut Points,
    ) {
        if scale <= 0.0 {
            return;
        }
        assert!(points.points.len() >= self.points, "the points that rows were made for");
        points.load(x);
        let (multipliers, rotations) = (Shared(self.multipliers.as_mut_ptr()), Shared(self.rotations.as_mut_ptr()));
        let points = Shared(points.points.as_mut_ptr().cast::<f64>());
        let pass = &*self;
        let (share, inertia) = match *rule {
            Rule::Share(share) => (share, 0.0),
            Rule::Compliance { inertia } => (1.0, inertia / scale),
        };
        let is_compliant = matches!(rule, Rule::Compliance { .. });
        let visit = |blocks: &Range<usize>| {
            team.share(blocks.len(), |k| {
                let groups = pass.schedule.blocks[blocks.start + k].clone();
                let (points, multipliers, rotations) = (points.get(), multipliers.get(), rotations.get());
                let visit = Visit { pass, groups, backwards, share, inertia, points, multipliers, rotations };
                if is_compliant {
                    f64::dispatch(set, Compliant(visit));
                } else {
                    f64::dispatch(set, Classic(visit));
                }
            });
        };
        if backwards {
            pass.schedule.phases.iter().rev().for_each(visit);
        } else {
            pass.schedule.phases.iter().for_each(visit);
        }
    }
}

/// Some groups to visit one after the other.
///
/// Nobody else may touch the vertices, multipliers and rotations of these groups meanwhile.
struct Visit<'a> {
    pass: &'a LanePass,
    groups: Range<usize>,
    backwards: bool,
    /// Of the way, in classic dynamics.
    share: f64,
    /// 1/τ², over the factor on an energy's weights.
    inertia: f64,
    points: *mut f64,
    multipliers: *mut f64,
    rotations: *mut f64,
}

/// With a compliance.
struct Compliant<'a>(Visit<'a>);
/// A share of the way.
struct Classic<'a>(Visit<'a>);

impl Kernel<f64> for Compliant<'_> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        // SAFETY: `LanePass::run` gives each visit groups that nobody else has at the same time.
        unsafe { self.0.run::<L, true>() }
    }
}

impl Kernel<f64> for Classic<'_> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        // SAFETY: `LanePass::run` gives each visit groups that nobody else has at the same time.
        unsafe { self.0.run::<L, false>() }
    }
}

/// Where a group's data lies.
#[derive(Clone, Copy)]
struct Group {
    points: *mut f64,
    rows: *const u32,
    corners: usize,
    numbers: *const f64,
    softness: *const f64,
    multipliers: *mut f64,
    rotation: *mut f64,
}

impl Visit<'_> {
    /// # Safety
    /// Nobody else may touch what the groups move; see [`Visit`].
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = f64>, const COMPLIANT: bool>(&self) {
        // SAFETY: the groups are this visit's, as the caller promises, and elements of each form have these corners and
        // rows.
        unsafe {
            match self.pass.form {
                Form::Distance => self.each::<L, pairs::Distances<COMPLIANT>>(2),
                Form::Spring => self.each::<L, pairs::Springs<COMPLIANT, false>>(2),
                Form::LimitedSpring => self.each::<L, pairs::Springs<COMPLIANT, true>>(2),
                Form::Isometric => self.each::<L, bending::Isometric<COMPLIANT>>(4),
                Form::Dihedral => self.each::<L, bending::Dihedrals<COMPLIANT>>(4),
                Form::Volume => self.each::<L, volume::Volumes<COMPLIANT>>(4),
                Form::Ring => self.each_of_any_size::<L, bending::Rings<COMPLIANT>>(1),
                Form::Quadratic => self.each_of_any_size::<L, bending::Quadratics<COMPLIANT>>(3),
                Form::Triangle(_) => self.each::<L, strain::Triangles<COMPLIANT>>(3),
                Form::Tet(_) => self.each::<L, strain::Tets<COMPLIANT>>(4),
            }
        }
    }

    #[inline(always)]
    fn group(&self, k: usize) -> usize {
        if self.backwards { self.groups.end - 1 - k } else { self.groups.start + k }
    }

    /// How far the softness of a group is from that of the last.
    #[inline(always)]
    fn softness_stride(&self) -> usize {
        if self.pass.softness.len() > WIDTH { WIDTH } else { 0 }
    }

    /// # Safety
    /// As for [`run`](Self::run), with as many corners as elements of the form have.
    #[inline(always)]
    unsafe fn each<L: Lanes<Scalar = f64>, M: Movement>(&self, corners: usize) {
        let pass = self.pass;
        let (numbers, multipliers) = (pass.form.numbers(corners), pass.form.multipliers());
        let stride = self.softness_stride();
        let mut k = 0;
        while k < self.groups.end - self.groups.start {
            let g = self.group(k);
            // SAFETY: `LanePass::new` has laid out so many rows, numbers and multipliers for every group, one after the
            // other, and one vector of softness for each or for all; those of this group are the visit's.
            unsafe {
                let group = Group {
                    points: self.points,
                    rows: pass.rows.as_ptr().add(g * corners * WIDTH),
                    corners,
                    numbers: pass.numbers.as_ptr().add(g * numbers * WIDTH),
                    softness: pass.softness.as_ptr().add(g * stride),
                    multipliers: self.multipliers.add(g * multipliers * WIDTH),
                    rotation: self.rotations.wrapping_add(g * 4 * WIDTH),
                };
                M::apply::<L>(self, group);
            }
            k += 1;
        }
    }

    /// Elements that have as many corners as they have, with so many rows.
    ///
    /// # Safety
    /// As for [`run`](Self::run), with as many rows as elements of the form have.
    #[inline(always)]
    unsafe fn each_of_any_size<L: Lanes<Scalar = f64>, M: Movement>(&self, rows: usize) {
        let (pass, stride) = (self.pass, self.softness_stride());
        let mut k = 0;
        while k < self.groups.end - self.groups.start {
            let g = self.group(k);
            let first = pass.row_starts[g] as usize;
            // SAFETY: a group's rows begin at its start, and its numbers, `rows` for each of these, as much later;
            // those of this group are the visit's.
            unsafe {
                let group = Group {
                    points: self.points,
                    rows: pass.rows.as_ptr().add(first * WIDTH),
                    corners: pass.row_starts[g + 1] as usize - first,
                    numbers: pass.numbers.as_ptr().add(rows * first * WIDTH),
                    softness: pass.softness.as_ptr().add(g * stride),
                    multipliers: self.multipliers.add(g * 3 * rows * WIDTH),
                    rotation: self.rotations,
                };
                M::apply::<L>(self, group);
            }
            k += 1;
        }
    }
}

/// How the elements of a group are moved.
trait Movement {
    /// # Safety
    /// The group's pointers are to as many corners, numbers and multipliers as elements of the form have, and nobody
    /// else uses what is moved.
    unsafe fn apply<L: Lanes<Scalar = f64>>(visit: &Visit<'_>, group: Group);
}

/// Δλ of constraints at value C, with Σ wᵢ‖∇ᵢC‖² = `mobility`, as [`Rule::step`] has it.
///
/// # Safety
/// As for [`Movement::apply`].
#[inline(always)]
unsafe fn step<L: Lanes<Scalar = f64>, const COMPLIANT: bool>(
    visit: &Visit<'_>,
    group: Group,
    value: L,
    mobility: L,
) -> L {
    let zero = L::zero();
    // SAFETY: a group has a vector of softness, and one of multipliers at least, which are the caller's.
    unsafe {
        if COMPLIANT {
            let softness = L::load(group.softness).mul(L::splat(visit.inertia));
            let resistance = mobility.add(softness);
            let old = L::load(group.multipliers);
            let step = zero.sub(softness.mul_add(old, value)).div(resistance);
            let step = zero.select_less(resistance, step, zero);
            old.add(step).store(group.multipliers);
            step
        } else {
            let step = zero.sub(L::splat(visit.share).mul(value)).div(mobility);
            zero.select_less(mobility, step, zero)
        }
    }
}

#[inline(always)]
fn minus<L: Lanes>(a: [L; 4], b: [L; 4]) -> [L; 3] {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
fn scaled<L: Lanes>(factor: L, a: [L; 3]) -> [L; 3] {
    [factor.mul(a[0]), factor.mul(a[1]), factor.mul(a[2])]
}

/// A point moved by its inverse mass times `by`.
#[inline(always)]
fn moved<L: Lanes>(point: [L; 4], factor: L, by: [L; 3]) -> [L; 4] {
    let weight = point[3].mul(factor);
    [weight.mul_add(by[0], point[0]), weight.mul_add(by[1], point[1]), weight.mul_add(by[2], point[2]), point[3]]
}
