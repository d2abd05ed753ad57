//! From the batches of a model to elements in lanes: which law each has, and its numbers.

use super::Order;
use super::corners::SlotCounter;
use super::damping::{Fit, FreeRotation, Stars};
use super::examples::ExampleLaw;
use super::fibres::FibreLaw;
use super::global_examples::{GlobalExamples, inner};
use super::hinges::{self, HingeLaw};
use super::rings::Rings;
use super::simplex::{Elements, LaneBatch, edge_coefficient, inverse_gram};
use super::tets::{TetLaw, strain};
use super::triangles::TriangleLaw;
use crate::energy::{Arrays, Operator, hinge_rows};
use crate::math::functions::{cos, sin};
use crate::math::lanes::LaneNumber;
use crate::solve::Objective;

/// Batches on their way into lanes.
pub(super) struct Gathering<'a, S> {
    objective: &'a Objective<'a>,
    order: &'a Order,
    pub(super) slots: SlotCounter<'a>,
    pub(super) batches: Vec<Box<dyn LaneBatch<S>>>,
}

/// A batch with its operator and the factor on its weights.
#[derive(Clone, Copy)]
struct Source<'a> {
    batch: usize,
    operator: &'a Operator,
    scale: f64,
}

impl Source<'_> {
    fn weight(&self, element: usize) -> f64 {
        self.scale * self.operator.weight(element)
    }
}

impl<'a, S: LaneNumber> Gathering<'a, S> {
    pub(super) fn new(objective: &'a Objective<'a>, order: &'a Order) -> Self {
        Self { objective, order, slots: SlotCounter::new(order), batches: Vec::new() }
    }

    fn source(&self, batch: usize) -> Source<'a> {
        let operator = self.objective.model.energies()[batch].batch.operator();
        Source { batch, operator, scale: self.objective.scales[batch] }
    }

    /// Takes a batch of elements with slots, perhaps with the one that resists changes of area or volume of the same elements.
    pub(super) fn push(&mut self, batch: usize, arrays: Arrays, partner: Option<usize>) {
        let own = self.source(batch);
        let partner = partner.map(|other| (self.source(other), self.objective.model.energies()[other].batch.arrays()));
        match (arrays, partner) {
            (Arrays::TriangleStrain(stretches), Some((other, Arrays::TriangleArea(areas)))) => {
                self.triangles(TriangleLaw::<true, true> { stretches, areas }, Some(own), Some(other));
            }
            (Arrays::TriangleStrain(stretches), _) => {
                self.triangles(TriangleLaw::<true, false> { stretches, areas: [1.0; 2] }, Some(own), None);
            }
            (Arrays::TriangleArea(areas), _) => {
                self.triangles(TriangleLaw::<false, true> { stretches: [1.0; 2], areas }, None, Some(own));
            }
            (Arrays::TetStrain(stretches), Some((other, Arrays::TetVolume(volumes)))) => {
                if stretches == [1.0; 2] {
                    let law = TetLaw::<{ strain::ROTATIONS }, true> { stretches, volumes };
                    self.tets(law, Some(own), Some(other));
                } else {
                    self.tets(TetLaw::<{ strain::LIMITS }, true> { stretches, volumes }, Some(own), Some(other));
                }
            }
            (Arrays::TetStrain(stretches), _) => {
                let volumes = [1.0; 2];
                if stretches == volumes {
                    self.tets(TetLaw::<{ strain::ROTATIONS }, false> { stretches, volumes }, Some(own), None);
                } else {
                    self.tets(TetLaw::<{ strain::LIMITS }, false> { stretches, volumes }, Some(own), None);
                }
            }
            (Arrays::TetVolume(volumes), _) => {
                self.tets(TetLaw::<{ strain::NONE }, true> { stretches: [1.0; 2], volumes }, None, Some(own));
            }
            (Arrays::TriangleFibres(limits), _) => {
                let numbers = |e, k| if k < 4 { edge_coefficient(own.operator, e, k) } else { own.weight(e) };
                let law = FibreLaw { limits };
                let slots = &mut self.slots;
                self.batches.push(Box::new(Elements::<S, _, 3>::new(
                    vec![batch],
                    own.operator,
                    law,
                    4,
                    slots,
                    numbers,
                )));
            }
            (Arrays::TetFibres(limits), _) => {
                let numbers = |e, k| if k < 9 { edge_coefficient(own.operator, e, k) } else { own.weight(e) };
                let law = FibreLaw { limits };
                let slots = &mut self.slots;
                self.batches.push(Box::new(Elements::<S, _, 4>::new(
                    vec![batch],
                    own.operator,
                    law,
                    9,
                    slots,
                    numbers,
                )));
            }
            (Arrays::Hinge(hinges), _) => {
                let rows: Vec<[f64; 9]> = hinges.iter().map(|&(angle, scale)| hinge_rows(angle, scale)).collect();
                let numbers = |e: usize, k: usize| match k {
                    0..9 => rows[e][k],
                    9 => sin(hinges[e].0),
                    10 => cos(hinges[e].0),
                    11..15 => hinges[e].1[k - 11],
                    _ => own.weight(e),
                };
                let weights = hinges::NUMBERS - 1;
                let slots = &mut self.slots;
                let elements = Elements::<S, _, 4>::new(vec![batch], own.operator, HingeLaw, weights, slots, numbers);
                self.batches.push(Box::new(elements));
            }
            (Arrays::Examples { count, stretches, epsilon }, _) => {
                let law = ExampleLaw { examples: count };
                let smallest = if size_of::<S>() == 4 { 1e-5 } else { 0.0 };
                let inverses: Vec<Vec<f64>> = stretches
                    // Without tets no examples are counted.
                    .chunks_exact(count.max(1))
                    .zip(&epsilon)
                    .map(|(e, &epsilon)| inverse_gram(count, |i, j| inner(&e[i], &e[j]), epsilon, smallest))
                    .collect();
                let numbers = |e: usize, k: usize| match k {
                    0..9 => edge_coefficient(own.operator, e, k),
                    k if k < 9 + 6 * count => {
                        let (i, entry) = ((k - 9) / 6, (k - 9) % 6);
                        let (row, column) = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)][entry];
                        stretches[count * e + i].col(column)[row]
                    }
                    k if k < 9 + 6 * count + count * count => inverses[e][k - 9 - 6 * count],
                    k if k == 9 + 6 * count + count * count => epsilon[e],
                    _ => own.weight(e),
                };
                let weights = 9 + 6 * count + count * count + 1;
                let slots = &mut self.slots;
                let elements = Elements::<S, _, 4>::new(vec![batch], own.operator, law, weights, slots, numbers);
                self.batches.push(Box::new(elements));
            }
            (Arrays::GlobalExamples { stretches, epsilon }, _) => {
                let slots = &mut self.slots;
                let tets = GlobalExamples::<S>::new(batch, own.operator, own.scale, &stretches, epsilon, slots);
                self.batches.push(Box::new(tets));
            }
            (Arrays::MeanCurvature(lengths), _) => {
                let slots = &mut self.slots;
                self.batches.push(Box::new(Rings::new(batch, own.operator, own.scale, &lengths, self.order, slots)));
            }
            (Arrays::Viscous, _) => match own.operator.rows() {
                1 => self.damping::<FreeRotation<1>, 1>(own),
                2 => self.damping::<FreeRotation<2>, 2>(own),
                3 => self.damping::<FreeRotation<3>, 3>(own),
                _ => self.damping::<FreeRotation<4>, 4>(own),
            },
            // These go elsewhere: to vertices, into the quadratic form, one by one.
            (Arrays::EdgeSpring(_) | Arrays::SpringPair(_) | Arrays::Quadratic, _) => {}
            (Arrays::Goals | Arrays::HalfSpace | Arrays::Opaque | Arrays::Rigid(_), _) => {}
        }
    }

    fn damping<W: Fit<S, R> + 'static, const R: usize>(&mut self, own: Source<'a>) {
        let stars = Stars::<S, W, R>::new(own.batch, own.operator, own.scale, self.order, &mut self.slots);
        self.batches.push(Box::new(stars));
    }

    fn triangles<const STRAIN: bool, const AREA: bool>(
        &mut self,
        law: TriangleLaw<STRAIN, AREA>,
        strain: Option<Source<'a>>,
        area: Option<Source<'a>>,
    ) {
        let Some((operator, batches)) = sources(strain, area) else { return };
        let numbers = numbers::<4>(operator, strain, area);
        self.batches.push(Box::new(Elements::<S, _, 3>::new(batches, operator, law, 4, &mut self.slots, numbers)));
    }

    fn tets<const STRAIN: u8, const VOLUME: bool>(
        &mut self,
        law: TetLaw<STRAIN, VOLUME>,
        strain: Option<Source<'a>>,
        volume: Option<Source<'a>>,
    ) {
        let Some((operator, batches)) = sources(strain, volume) else { return };
        let numbers = numbers::<9>(operator, strain, volume);
        self.batches.push(Box::new(Elements::<S, _, 4>::new(batches, operator, law, 9, &mut self.slots, numbers)));
    }
}

/// The operator that strain and content share, and their batches.
fn sources<'a>(strain: Option<Source<'a>>, content: Option<Source<'a>>) -> Option<(&'a Operator, Vec<usize>)> {
    let first = strain.or(content)?;
    Some((first.operator, strain.into_iter().chain(content).map(|source| source.batch).collect()))
}

/// `A` numbers of the operator, weight of strain, weight of area or volume.
fn numbers<const A: usize>(
    operator: &Operator,
    strain: Option<Source<'_>>,
    content: Option<Source<'_>>,
) -> impl Fn(usize, usize) -> f64 {
    move |e, k| match k {
        k if k < A => edge_coefficient(operator, e, k),
        k if k == A => strain.map_or(0.0, |source| source.weight(e)),
        _ => content.map_or(0.0, |source| source.weight(e)),
    }
}
