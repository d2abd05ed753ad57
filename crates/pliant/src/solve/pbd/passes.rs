//! What an iteration goes over: every energy and every batch of constraints, in colours.

#![allow(unsafe_code)] // Elements of one colour move vertices of their own; `Sweep::run` says why.

use std::cell::RefCell;
use std::ops::Range;

use super::lanes::{LanePass, Points};
use super::late::comes_late;
use crate::constraint::{Block, Rule};
use crate::energy::{Arrays, Batch, MAX_ROWS, Memory};
use crate::math::{Mat3, Vec3};
use crate::parallel::Colouring;
use crate::parallel::{Shared, Team};
use crate::solve::Objective;
use crate::world::model::Model;

/// Elements that are gathered, moved and put back at a time.
const BLOCK: usize = 64;

/// Whose constraints a pass solves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// An energy of the model; whether its elements can be projected one by one.
    Energy { batch: usize, one_by_one: bool },
    /// Constraints of the model.
    Constraints(usize),
}

/// One kind of constraints of one body, and what they have gathered in this step.
#[derive(Debug)]
pub(super) struct Pass {
    pub(super) source: Source,
    /// Its elements in lanes, if there are kernels for them; the rest is then empty.
    pub(super) lanes: Option<LanePass>,
    pub(super) colouring: Colouring,
    pub(super) rows: usize,
    /// In the order of colours.
    pub(super) multipliers: Vec<f64>,
    /// Where the corners of each element in the order of colours begin, among those of all passes; and the end.
    corner_starts: Vec<u32>,
    /// Vertices of its corners, in the order of colours.
    vertices: Vec<u32>,
}

impl Pass {
    fn new(model: &Model, source: Source, share_vertices: bool, first_corner: u32) -> Self {
        let count = source.len(model);
        let rows = match source {
            Source::Energy { batch, .. } => 3 * model.energies()[batch].batch.operator().rows(),
            Source::Constraints(batch) => model.constraints()[batch].rows(),
        };
        let stencil = |element: usize| source.stencil(model, element);
        let moves = |v: u32| model.free_index(v).is_some() && !share_vertices;
        let colouring = Colouring::new(count, stencil, moves);
        let (mut corner_starts, mut vertices) = (vec![first_corner], Vec::new());
        for &element in &colouring.order {
            vertices.extend_from_slice(stencil(element as usize));
            corner_starts.push(first_corner + vertices.len() as u32);
        }
        let multipliers = vec![0.0; count * rows];
        Self { source, lanes: None, colouring, rows, multipliers, corner_starts, vertices }
    }

    fn in_lanes(source: Source, lanes: LanePass) -> Self {
        let (colouring, multipliers) = (Colouring::default(), Vec::new());
        let (corner_starts, vertices) = (vec![0], Vec::new());
        Self { source, lanes: Some(lanes), colouring, rows: 0, multipliers, corner_starts, vertices }
    }

    /// Number of elements.
    pub(super) fn len(&self) -> usize {
        self.lanes.as_ref().map_or(self.colouring.order.len(), LanePass::len)
    }

    fn end(&self) -> u32 {
        self.corner_starts[self.corner_starts.len() - 1]
    }

    /// Vertices of its corners, in the order of colours.
    pub(super) fn corner_vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Those of some elements in that order.
    fn vertices_of(&self, places: &Range<usize>) -> &[u32] {
        let corner = |place: usize| (self.corner_starts[place] - self.corner_starts[0]) as usize;
        &self.vertices[corner(places.start)..corner(places.end)]
    }

    /// Before a solve.
    pub(super) fn begin(&mut self, memory: &[Memory]) {
        self.multipliers.fill(0.0);
        if let Some(lanes) = &mut self.lanes {
            lanes.begin(self.source.warm(memory));
        }
    }

    /// After a solve.
    pub(super) fn finish(&self, memory: &mut [Memory]) {
        if let (Some(lanes), Source::Energy { batch, .. }) = (&self.lanes, self.source) {
            lanes.finish(&mut memory[batch].warm);
        }
    }

    /// Factor on the weights of its energy.
    pub(super) fn scale(&self, objective: &Objective<'_>) -> f64 {
        match self.source {
            Source::Energy { batch, .. } => objective.scales[batch],
            Source::Constraints(_) => 1.0,
        }
    }

    /// Name of the energy or of the constraints.
    pub(super) fn kind(&self, model: &Model) -> &'static str {
        match self.source {
            Source::Energy { batch, .. } => model.energies()[batch].batch.kind(),
            Source::Constraints(batch) => model.constraints()[batch].kind(),
        }
    }
}

impl Source {
    pub(super) fn len(self, model: &Model) -> usize {
        match self {
            Self::Energy { batch, .. } => model.energies()[batch].batch.operator().len(),
            Self::Constraints(batch) => model.constraints()[batch].len(),
        }
    }

    fn warm(self, memory: &[Memory]) -> &[f64] {
        match self {
            Self::Energy { batch, .. } => &memory[batch].warm,
            Self::Constraints(_) => &[],
        }
    }

    pub(super) fn stencil(self, model: &Model, element: usize) -> &[u32] {
        match self {
            Self::Energy { batch, .. } => model.energies()[batch].batch.operator().stencil(element),
            Self::Constraints(batch) => model.constraints()[batch].stencil(element),
        }
    }
}

/// All passes of a model, in the order in which bodies were added: energies, then constraints. Rigid sets are no passes. Those that come after all motions
/// are apart.
/// With `share_vertices` elements are not divided into colours, for Jacobi's way; that has no kernels.
pub(super) fn passes(model: &Model, share_vertices: bool, points: &mut Points) -> (Vec<Pass>, Vec<Pass>) {
    let energies = model.energies().iter().enumerate();
    let soft = energies.filter(|(_, entry)| !matches!(entry.batch.arrays(), Arrays::Rigid(_)));
    let sources = soft.map(|(batch, entry)| {
        let one_by_one = entry.batch.project_some(&[], &mut [], &[], &mut []);
        Source::Energy { batch, one_by_one }
    });
    let sources = sources.chain((0..model.constraints().len()).map(Source::Constraints));
    let (mut passes, mut late, mut corner) = (Vec::new(), Vec::new(), 0);
    for source in sources {
        if !share_vertices && comes_late(model, source) {
            late.push(Pass::new(model, source, share_vertices, 0));
            continue;
        }
        let lanes = if share_vertices { None } else { LanePass::new(model, source, points) };
        if let Some(lanes) = lanes {
            passes.push(Pass::in_lanes(source, lanes));
            continue;
        }
        let pass = Pass::new(model, source, share_vertices, corner);
        corner = pass.end();
        passes.push(pass);
    }
    (passes, late)
}

/// Where corners go that a block has moved.
#[derive(Clone, Copy)]
pub(super) enum Outcome<'a> {
    /// To the vertices: elements of a colour have theirs alone.
    Move,
    /// The movement to a list of corners, for each vertex to take its mean; how much of it.
    Collect { movements: &'a Shared<Vec3>, relaxation: f64 },
}

/// One pass at some positions.
pub(super) struct Sweep<'a> {
    pub(super) objective: &'a Objective<'a>,
    pub(super) inverse_masses: &'a [f64],
    pub(super) outcome: Outcome<'a>,
}

/// Room for the elements of a block.
#[derive(Default)]
struct Buffers {
    corners: Vec<Vec3>,
    before: Vec<Vec3>,
    inverse_masses: Vec<f64>,
    projected: Vec<Vec3>,
    warm: Vec<f64>,
    starts: Vec<Vec3>,
    multipliers: Vec<f64>,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

impl Sweep<'_> {
    /// Visits all elements of a pass, colour by colour; backwards if that is wanted.
    pub(super) fn run(
        &self,
        team: &Team<'_>,
        pass: &mut Pass,
        rule: &Rule,
        backwards: bool,
        x: &mut [Vec3],
        memory: &mut [Memory],
    ) {
        assert!(x.len() >= self.inverse_masses.len(), "a position for each inverse mass");
        let mut no_memory = Memory::default();
        let memory = match pass.source {
            Source::Energy { batch, one_by_one } => {
                let memory = &mut memory[batch];
                if !one_by_one {
                    let energy = &self.objective.model.energies()[batch];
                    energy.batch.project(x, &self.objective.goals[batch], memory);
                }
                memory
            }
            Source::Constraints(_) => &mut no_memory,
        };
        let (x, multipliers) = (Shared(x.as_mut_ptr()), Shared(pass.multipliers.as_mut_ptr()));
        let (warm_len, warm) = (memory.warm.len(), Shared(memory.warm.as_mut_ptr()));
        let count = pass.colouring.order.len();
        let stride = warm_len.checked_div(count).unwrap_or(0);
        let (pass, projections) = (&*pass, &memory.projections[..]);
        let visit = |colour: Range<usize>| {
            team.share(colour.len().div_ceil(BLOCK), |item| {
                let first = colour.start + item * BLOCK;
                let places = first..colour.end.min(first + BLOCK);
                BUFFERS.with_borrow_mut(|buffers| {
                    // SAFETY: an element is in one block of one colour, so its multipliers and warm values are this
                    // block's; of its vertices those that move are in no other element of the colour, and the others
                    // are only read. Places that movements are collected in are its corners' own.
                    unsafe { self.block(pass, places, rule, &x, &multipliers, (&warm, stride), projections, buffers) };
                });
            });
        };
        if backwards {
            pass.colouring.colours().rev().for_each(visit);
        } else {
            pass.colouring.colours().for_each(visit);
        }
    }

    /// Gathers the corners of some elements, lets them be moved, and puts them back.
    ///
    /// # Safety
    /// Nobody else may touch the vertices that move, multipliers and warm values of these elements meanwhile.
    #[allow(clippy::too_many_arguments)] // Raw places of one loop.
    unsafe fn block(
        &self,
        pass: &Pass,
        places: Range<usize>,
        rule: &Rule,
        x: &Shared<Vec3>,
        multipliers: &Shared<f64>,
        (warm, stride): (&Shared<f64>, usize),
        projections: &[Vec3],
        buffers: &mut Buffers,
    ) {
        let model = self.objective.model;
        let elements = &pass.colouring.order[places.clone()];
        let Buffers { corners, before, inverse_masses, projected, warm: warm_values, starts, multipliers: old } =
            buffers;
        [&mut *corners, before].into_iter().for_each(Vec::clear);
        inverse_masses.clear();
        let is_damped = matches!(pass.source, Source::Constraints(batch) if model.constraints()[batch].is_damped());
        let vertices = pass.vertices_of(&places);
        inverse_masses.extend(vertices.iter().map(|&v| self.inverse_masses[v as usize]));
        // SAFETY: each vertex has an inverse mass, as seen just before, and so a position (`run`); nobody else moves
        // it.
        corners.extend(vertices.iter().map(|&v| unsafe { *x.get().add(v as usize) }));
        if is_damped {
            before.extend(vertices.iter().map(|&v| self.objective.before[v as usize]));
        }
        // SAFETY: there are `rows` multipliers for each place in the order, and those of these places are the block's
        // own.
        let multipliers = unsafe {
            std::slice::from_raw_parts_mut(multipliers.get().add(places.start * pass.rows), elements.len() * pass.rows)
        };
        if let Outcome::Collect { .. } = self.outcome {
            starts.clone_from(corners);
            old.clear();
            old.extend_from_slice(multipliers);
        }
        let mut block = Block { elements, corners, before, inverse_masses, multipliers };
        match pass.source {
            Source::Constraints(batch) => model.constraints()[batch].correct(&mut block, rule),
            Source::Energy { batch, one_by_one } => {
                let energy = model.energies()[batch].batch.as_ref();
                apply(energy, &block, projected);
                if one_by_one {
                    warm_values.clear();
                    for &element in elements {
                        // SAFETY: every element has `stride` warm values, and those of this one are the block's own.
                        let own =
                            unsafe { std::slice::from_raw_parts(warm.get().add(element as usize * stride), stride) };
                        warm_values.extend_from_slice(own);
                    }
                    energy.project_some(elements, projected, &self.objective.goals[batch], warm_values);
                    for (&element, values) in elements.iter().zip(warm_values.chunks(stride.max(1))) {
                        for (k, value) in values.iter().enumerate() {
                            // SAFETY: the same warm values, of which there are `stride`, as many as in a chunk.
                            unsafe { *warm.get().add(element as usize * stride + k) = *value };
                        }
                    }
                } else {
                    let rows = energy.operator().rows();
                    for (own, &element) in projected.chunks_mut(rows).zip(elements) {
                        own.copy_from_slice(&projections[element as usize * rows..][..rows]);
                    }
                }
                correct_energy(energy, self.objective.scales[batch], &mut block, projected, rule);
            }
        }
        let corners = &*block.corners;
        match self.outcome {
            Outcome::Move => {
                for ((&v, corner), weight) in vertices.iter().zip(corners).zip(block.inverse_masses) {
                    if *weight > 0.0 {
                        // SAFETY: the position was read above, and a vertex that moves is in no other element of the
                        // colour.
                        unsafe { *x.get().add(v as usize) = *corner };
                    }
                }
            }
            Outcome::Collect { movements, relaxation } => {
                let first = pass.corner_starts[places.start] as usize;
                for (k, (new, start)) in corners.iter().zip(&*starts).enumerate() {
                    // SAFETY: movements have a place for each corner of all passes, and these corners are the block's
                    // own.
                    unsafe { *movements.get().add(first + k) = (*new - *start) * relaxation };
                }
                // What was not moved must not count as force.
                block.multipliers.iter_mut().zip(&*old).for_each(|(new, old)| *new = old + relaxation * (*new - old));
            }
        }
    }
}

/// A x of each element of a block.
pub(super) fn apply(energy: &dyn Batch, block: &Block<'_>, out: &mut Vec<Vec3>) {
    let operator = energy.operator();
    out.clear();
    let mut first = 0;
    for &element in block.elements {
        let coefficients = operator.coefficients(element as usize);
        let n = operator.stencil(element as usize).len();
        let corners = &block.corners[first..first + n];
        let rows = coefficients.chunks_exact(n);
        out.extend(rows.map(|row| row.iter().zip(corners).fold(Vec3::ZERO, |sum, (c, x)| sum + *x * *c)));
        first += n;
    }
}

/// Takes each element as the constraint A x = p with the compliance 1/w, or a share of the way there.
///
/// Departure: [Macklin 2016] has one multiplier λ for C = ‖A x − p‖ and moves vertices along ∇C as it is at each visit. Elements turn from
/// visit to visit, and what they were moved by is then no longer the force along where they point: on a silk curtain of 8 × 8 cells
/// 20,000 iterations ended 3 mm from the minimum. Here Λ is a vector for each row of A, so that x = s + τ² M⁻¹ Σ AᵀΛ holds always, and the end
/// of all iterations is the minimum of g. A x is linear and acts on x, y and z alike, so a visit solves
/// (A W Aᵀ + α/τ²) ΔΛ = −(A x − p + α/τ² Λ), with W the inverse masses, of as many unknowns as A has rows.
///
/// At the end of all iterations Λ is a symmetric stress, but after one visit it is not where A W Aᵀ has a direction, and then it turns the
/// element: a box in water, held by forces all over it, floated 15° from level with 6 iterations a step. So each visit takes from ΔΛ what
/// turns, which leaves the end as it is.
pub(super) fn correct_energy(energy: &dyn Batch, scale: f64, block: &mut Block<'_>, projected: &[Vec3], rule: &Rule) {
    let operator = energy.operator();
    let rows = operator.rows();
    let mut first = 0;
    for (k, &element) in block.elements.iter().enumerate() {
        let element = element as usize;
        let (coefficients, n) = (operator.coefficients(element), operator.stencil(element).len());
        let corners = &mut block.corners[first..first + n];
        let masses = &block.inverse_masses[first..first + n];
        first += n;
        let weight = scale * operator.weight(element);
        if weight <= 0.0 {
            continue;
        }
        let row = |r: usize| &coefficients[r * n..(r + 1) * n];
        let (mut step, mut applied) = ([Vec3::ZERO; MAX_ROWS], [Vec3::ZERO; MAX_ROWS]);
        for (r, p) in projected[k * rows..][..rows].iter().enumerate() {
            applied[r] = row(r).iter().zip(&*corners).fold(Vec3::ZERO, |sum, (c, x)| sum + *x * *c);
            step[r] = *p - applied[r];
        }
        let mut gram = [0.0; MAX_ROWS * MAX_ROWS];
        for i in 0..rows {
            for j in 0..=i {
                let entry = row(i).iter().zip(row(j)).zip(masses).map(|((a, b), w)| a * b * w).sum();
                (gram[i * rows + j], gram[j * rows + i]) = (entry, entry);
            }
        }
        match *rule {
            Rule::Share(share) => {
                // Along C = ‖A x − p‖, as every classic constraint.
                let value = step[..rows].iter().map(|s| s.length_squared()).sum::<f64>();
                let pairs = (0..rows).flat_map(|i| (0..rows).map(move |j| (i, j)));
                let mobility: f64 = pairs.map(|(i, j)| gram[i * rows + j] * step[i].dot(step[j])).sum();
                if mobility <= 0.0 {
                    continue;
                }
                step[..rows].iter_mut().for_each(|s| *s *= share * value / mobility);
            }
            Rule::Compliance { inertia } => {
                let softness = inertia / weight;
                let multipliers = &mut block.multipliers[3 * rows * k..3 * rows * (k + 1)];
                let gathered = |r: usize, all: &[f64]| Vec3::from_slice(&all[3 * r..]);
                (0..rows).for_each(|r| step[r] -= gathered(r, multipliers) * softness);
                (0..rows).for_each(|r| gram[r * rows + r] += softness);
                let mut factored = gram;
                solve_small(&mut factored[..rows * rows], &mut step[..rows]);
                if turns_freely(&applied[..rows], &projected[k * rows..][..rows]) {
                    let mut give = applied;
                    solve_small(&mut gram[..rows * rows], &mut give[..rows]);
                    let torque: Vec3 = (0..rows).map(|r| applied[r].cross(gathered(r, multipliers))).sum();
                    remove_torque(&applied[..rows], &give[..rows], &mut step[..rows], torque * softness);
                }
                for r in 0..rows {
                    (gathered(r, multipliers) + step[r]).write_to_slice(&mut multipliers[3 * r..]);
                }
            }
        }
        for (i, (x, w)) in corners.iter_mut().zip(masses).enumerate() {
            *x += (0..rows).fold(Vec3::ZERO, |sum, r| sum + step[r] * row(r)[i]) * *w;
        }
    }
}

/// Whether an element of several rows has a stress that must not turn it, as all have whose energy does not change when they are turned.
fn turns_freely(z: &[Vec3], p: &[Vec3]) -> bool {
    let torque: Vec3 = z.iter().zip(p).map(|(z, p)| z.cross(*p)).sum();
    let size: f64 = z.iter().zip(p).map(|(z, p)| z.length() * p.length()).sum();
    // A projection of 0 has no direction that an element could turn from.
    z.len() > 1 && size > 0.0 && torque.length() <= 1e-9 * size
}

/// Least determinant of what multipliers turn an element by, over the cube of its trace; below it the element is a line.
pub(super) const LEAST_TURN: f64 = 1e-9;

/// Changes a step ΔΛ so that Σ z × ΔΛ = 0, with z = A x, by what is least to the system that it solves: by a × y, where y solves it for z.
/// Elements turn between visits, and what Λ was then turns them now: of that a part is taken back, as large as it would be without this.
fn remove_torque(z: &[Vec3], y: &[Vec3], step: &mut [Vec3], to_take_back: Vec3) {
    let (mut torque, mut trace, mut squares, mut m) = (Vec3::ZERO, 0.0, 0.0, Mat3::ZERO);
    for ((z, y), step) in z.iter().zip(y).zip(&*step) {
        torque += z.cross(*step);
        trace += z.dot(*y);
        squares += z.length_squared();
        m -= Mat3::from_cols(*y * z.x, *y * z.y, *y * z.z);
    }
    m += Mat3::from_diagonal(Vec3::splat(trace));
    if m.determinant() > LEAST_TURN * trace.powi(3) {
        // Σ z × (b × z) is about ⅔ Σ z² b.
        let turn = m.inverse() * -torque - to_take_back * (1.5 / squares);
        step.iter_mut().zip(y).for_each(|(step, y)| *step += turn.cross(*y));
    }
}

/// Solves a positive definite system for vectors by elimination; a row whose pivot is gone to rounding is left at 0, as of what
/// pinned vertices leave no freedom.
fn solve_small(matrix: &mut [f64], vectors: &mut [Vec3]) {
    let n = vectors.len();
    let largest = (0..n).fold(0.0_f64, |most, i| most.max(matrix[i * n + i]));
    for i in 0..n {
        let pivot = matrix[i * n + i];
        if pivot <= 1e-14 * largest {
            vectors[i] = Vec3::ZERO;
            (0..n).for_each(|j| matrix[i * n + j] = f64::from(u8::from(i == j)));
            (i + 1..n).for_each(|j| matrix[j * n + i] = 0.0);
            continue;
        }
        for j in i + 1..n {
            let factor = matrix[j * n + i] / pivot;
            (i..n).for_each(|k| matrix[j * n + k] -= factor * matrix[i * n + k]);
            vectors[j] -= vectors[i] * factor;
        }
    }
    for i in (0..n).rev() {
        let known = (i + 1..n).fold(Vec3::ZERO, |sum, j| sum + vectors[j] * matrix[i * n + j]);
        vectors[i] = (vectors[i] - known) / matrix[i * n + i];
    }
}
