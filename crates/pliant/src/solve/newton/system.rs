//! Newton's matrix ∇²g = M/τ² + Σ scale · w Aᵀ H A over free vertices, contacts included, and its factor.
//!
//! Blocks of elements come from lanes in f64, or one by one where an energy has none (`element_blocks`); each entry of the matrix adds up its own, so
//! threads change no bit. What is the same in every iteration, inertia and energies with a constant projection, is one number for each entry.
//! Contacts with colliders are blocks on the diagonal. Contacts between layers couple vertices that no element does: their pairs are
//! added to the pattern, which is analysed anew when they change, so that the factor is exact.

use std::ops::Range;
use std::sync::Arc;

use super::super::Objective;
use super::super::objective::for_free_pairs;
use super::super::projective::local::{At, BlockPlace, ElementBlocks, LocalStep, Order, Point, padding, point};
use crate::contact::Coupling;
use crate::energy::{Arrays, Curvature, Memory};
use crate::math::{Mat3, Vec3};
use crate::parallel::{Team, with_team_for};
use crate::sparse::{BlockMatrix, FactorError, Factors};
use crate::world::model::Model;

/// Everything that stays the same while model and coefficients do, and room for what does not.
#[derive(Debug)]
pub(in crate::solve) struct System {
    inertia: f64,
    scales: Vec<f64>,
    order: Order,
    local: LocalStep<f64>,
    elements: ElementBlocks<f64>,
    /// Whether a batch acts on x, y and z alike, always.
    constant: Vec<bool>,
    /// For each entry of the model's pattern the sum of such batches, with inertia \[N/m\].
    numbers: Vec<f64>,
    sources: Sources,
    points: Vec<Point>,
    /// Place of each entry of the model's pattern in its column of the matrix.
    places: Vec<u32>,
    /// Pairs of unknowns that only contacts couple, ascending.
    pairs: Vec<(u32, u32)>,
    matrix: BlockMatrix,
    factors: Option<Factors>,
    /// Largest entry on the diagonal of the constant matrix \[N/m\].
    pub(super) stiffest: f64,
}

/// Blocks of elements that each entry of the model's pattern adds up.
#[derive(Debug)]
struct Sources {
    /// First of each entry, and the end.
    starts: Vec<u32>,
    /// First numbers of blocks; one more where the block is transposed.
    places: Vec<u32>,
}

impl Sources {
    fn new(model: &Model, places: &[BlockPlace]) -> Self {
        let pattern = model.pattern();
        // The pattern has the upper triangle.
        let upper = places.iter().filter(|place| place.row <= place.column);
        let entry_of = |place: &BlockPlace| pattern.find(place.row, place.column);
        let mut list: Vec<(u32, u32)> = upper
            .filter_map(|place| entry_of(place).map(|entry| (entry as u32, place.at + u32::from(place.is_transposed))))
            .collect();
        list.sort_by_key(|(entry, _)| *entry);
        let mut starts = vec![0u32; pattern.entry_count() + 1];
        list.iter().for_each(|(entry, _)| starts[*entry as usize + 1] += 1);
        (0..pattern.entry_count()).for_each(|k| starts[k + 1] += starts[k]);
        Self { starts, places: list.into_iter().map(|(_, place)| place).collect() }
    }

    fn of(&self, entry: usize) -> &[u32] {
        &self.places[self.starts[entry] as usize..self.starts[entry + 1] as usize]
    }
}

impl System {
    pub(in crate::solve) fn new(objective: &Objective<'_>) -> Self {
        let model = objective.model;
        let unknowns: Vec<u32> = (0..model.free().len() as u32).collect();
        let order = Order::new(model, &unknowns);
        let local = LocalStep::new(objective, &order, false);
        let mut covered = vec![false; model.energies().len()];
        let (elements, places) =
            ElementBlocks::new(objective, &order, &local, Curvature::Raw, &mut covered, |arrays| !is_constant(arrays));
        let points = vec![Point::default(); order.vertices.len()].into_iter().chain(padding()).collect();
        let pattern = model.pattern().clone();
        let own = |j: usize| 0..pattern.column(j).len() as u32;
        let mut system = Self {
            inertia: objective.inertia,
            scales: objective.scales.to_vec(),
            sources: Sources::new(model, &places),
            order,
            local,
            elements,
            constant: covered.iter().map(|covered| !covered).collect(),
            numbers: Vec::new(),
            points,
            places: (0..pattern.size()).flat_map(own).collect(),
            pairs: Vec::new(),
            matrix: BlockMatrix::zero(pattern),
            stiffest: objective.contact_stiffness().into_iter().fold(0.0, f64::max),
            factors: None,
        };
        system.add_up_constants(objective);
        system
    }

    /// Whether only the inertia differs from that of the objective, if anything: another time step, or stage of an integrator.
    pub(super) fn fits(&self, objective: &Objective<'_>) -> bool {
        self.scales == objective.scales
    }

    /// Follows an objective that it fits.
    pub(super) fn follow(&mut self, objective: &Objective<'_>) {
        if self.inertia != objective.inertia {
            self.inertia = objective.inertia;
            self.add_up_constants(objective);
        }
    }

    fn add_up_constants(&mut self, objective: &Objective<'_>) {
        let (model, inertia) = (objective.model, objective.inertia);
        let pattern = model.pattern();
        self.numbers.clear();
        self.numbers.resize(pattern.entry_count(), 0.0);
        let mut contribution = 0;
        for (b, entry) in model.energies().iter().enumerate() {
            let operator = entry.batch.operator();
            for e in 0..operator.len() {
                let (stencil, a) = (operator.stencil(e), operator.coefficients(e));
                let (n, weight) = (stencil.len(), objective.scales[b] * operator.weight(e));
                for_free_pairs(model, stencil, |i, j| {
                    if self.constant[b] {
                        let product: f64 = (0..operator.rows()).map(|row| a[row * n + i] * a[row * n + j]).sum();
                        self.numbers[pattern.contribution_entry(contribution)] += weight * product;
                    }
                    contribution += 1;
                });
            }
        }
        for &(i, j, value) in model.mass().off_diagonal() {
            if model.free_index(i).is_some() && model.free_index(j).is_some() {
                self.numbers[pattern.contribution_entry(contribution)] += inertia * value;
                contribution += 1;
            }
        }
        for (k, &v) in model.free().iter().enumerate() {
            self.numbers[pattern.diagonal_entry(k)] += inertia * model.mass().diagonal()[v as usize];
        }
    }

    /// Makes room for contacts that couple these vertices.
    pub(super) fn couple(&mut self, model: &Model, couplings: &[Coupling]) {
        let mut pairs = Vec::new();
        for coupling in couplings {
            for (i, (first, _)) in corners(model, coupling).enumerate() {
                for (second, _) in corners(model, coupling).skip(i + 1) {
                    let pair = (first.min(second) as u32, first.max(second) as u32);
                    if model.pattern().find(pair.0, pair.1).is_none() {
                        pairs.push(pair);
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        if pairs == self.pairs {
            return;
        }
        let (pattern, entries) = model.pattern().with_pairs(pairs.iter().copied());
        let columns = (0..pattern.size()).flat_map(|j| model.pattern().column(j).map(move |k| (k, j)));
        self.places = columns.map(|(k, j)| entries[k] - pattern.column(j).start as u32).collect();
        (self.pairs, self.factors, self.matrix) = (pairs, None, BlockMatrix::zero(Arc::new(pattern)));
    }

    /// Sets the matrix to ∇²g at x, contacts included; `memory` must be up to date with x.
    pub(in crate::solve) fn assemble(
        &mut self,
        objective: &Objective<'_>,
        x: &[Vec3],
        memory: &[Memory],
        curvature: Curvature,
        couplings: &[Coupling],
    ) {
        for (place, &v) in self.order.vertices.iter().enumerate() {
            self.points[place] = point(x[v as usize]);
        }
        self.local.begin(&Team::alone(), memory, objective.goals);
        let (local, elements, points) = (&self.local, &mut self.elements, &self.points);
        let bytes = size_of_val(elements.numbers());
        let at = At { points, objective, x, memory };
        with_team_for(bytes, |team| elements.update(team, local, at, curvature));
        let (numbers, sources, places, blocks) = (&self.numbers, &self.sources, &self.places, elements.numbers());
        let pattern = objective.model.pattern();
        self.matrix.fill(&|j, mut column| {
            for entry in pattern.column(j) {
                let mut sum = sum_of(sources.of(entry), blocks);
                (0..3).for_each(|c| sum[c][c] += numbers[entry]);
                column.set(places[entry] as usize, &sum);
            }
        });
        for coupling in couplings.iter().filter(|coupling| coupling.response.acts()) {
            self.add_contact(objective.model, coupling);
        }
    }

    fn add_contact(&mut self, model: &Model, coupling: &Coupling) {
        let column = |axis: Vec3| coupling.response.stiffness_times(axis);
        let stiffness = Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z));
        for (i, (first, w)) in corners(model, coupling).enumerate() {
            for (second, v) in corners(model, coupling).skip(i) {
                let (row, column) = (first.min(second), first.max(second));
                if let Some(entry) = self.matrix.pattern().find(row as u32, column as u32) {
                    self.matrix.add_at(entry, column, stiffness * (w * v));
                }
            }
        }
    }

    pub(in crate::solve) fn matrix(&self) -> &BlockMatrix {
        &self.matrix
    }

    /// Adds to the diagonal of the matrix.
    pub(super) fn shift(&mut self, by: f64) {
        self.matrix.shift(by);
    }

    /// Factors the matrix as it is.
    pub(super) fn factor(&mut self) -> Result<(), FactorError> {
        let factors = match &mut self.factors {
            Some(factors) => factors,
            None => self.factors.insert(Factors::new(BlockMatrix::analyse(self.matrix.pattern())?)),
        };
        factors.factor(self.matrix.values())
    }

    /// Solves with the last factor; `scalars` is scratch.
    pub(super) fn solve(&mut self, vector: &mut [Vec3], scalars: &mut Vec<f64>) {
        let Some(factors) = &mut self.factors else { return };
        scalars.clear();
        scalars.extend(vector.iter().flat_map(|v| v.to_array()));
        factors.solve(scalars);
        vector.iter_mut().zip(scalars.as_chunks::<3>().0).for_each(|(v, s)| *v = Vec3::from_array(*s));
    }
}

/// Whether the second derivative of a batch is that of its constant matrix: projections do not depend on x, or (of rigid sets) what they
/// depend on is dealt with apart.
fn is_constant(arrays: &Arrays) -> bool {
    match arrays {
        Arrays::Quadratic | Arrays::Goals | Arrays::Rigid(_) => true,
        Arrays::MeanCurvature(lengths) => lengths.iter().all(|length| *length == 0.0),
        _ => false,
    }
}

/// The unknowns of a contact, with their weights.
pub(super) fn corners(model: &Model, coupling: &Coupling) -> impl Iterator<Item = (usize, f64)> {
    let all = coupling.vertices.iter().zip(coupling.weights).take(coupling.corners);
    all.filter(|(_, w)| *w != 0.0).filter_map(|(&v, w)| model.free_index(v).map(|k| (k, w)))
}

/// The sum of blocks, by columns.
fn sum_of(sources: &[u32], blocks: &[f64]) -> [[f64; 3]; 3] {
    const SPAN: Range<usize> = 0..2 * ElementBlocks::<f64>::COLUMN + 4;
    // Columns with the unused fourth number: whole vectors.
    let (mut straight, mut transposed) = ([[0.0; 4]; 3], [[0.0; 4]; 3]);
    for &source in sources {
        let sum = if source & 1 == 0 { &mut straight } else { &mut transposed };
        let block = &blocks[(source & !1) as usize..][SPAN];
        for (c, sum) in sum.iter_mut().enumerate() {
            let column = &block[c * ElementBlocks::<f64>::COLUMN..][..4];
            (0..4).for_each(|r| sum[r] += column[r]);
        }
    }
    std::array::from_fn(|c| std::array::from_fn(|r| straight[c][r] + transposed[r][c]))
}
