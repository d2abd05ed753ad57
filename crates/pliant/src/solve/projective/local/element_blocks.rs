//! Blocks of the second derivative between the corners of elements, a vector of elements at a time.
//!
//! Elements write the blocks between their corners, each to its own place; whoever owns a matrix adds up those of each of its entries. So
//! nothing is shared between threads, and all sums have a fixed order. Energies without a law that has blocks can be asked one by one.

use super::corners::SlotCounter;
use super::fibres::length_stiffness;
use super::simplex::{Elements, LaneBatch, Law};
use super::{GROUPS_PER_ITEM, LocalStep, Order, PADDING, Point};
use crate::energy::{Arrays, Batch, Curvature, Memory, Operator};
use crate::math::Vec3;
use crate::math::lanes::nearest::constant;
use crate::math::lanes::{InstructionSet, LaneNumber, Lanes};
use crate::parallel::{Shared, Team};
use crate::solve::Objective;
use crate::solve::newton::for_blocks;

/// Where the positions are at which blocks are wanted; projections and what elements keep must be those of the same positions.
#[derive(Debug, Clone, Copy)]
pub(in crate::solve) struct At<'a> {
    /// In order, padded.
    pub(in crate::solve) points: &'a [Point],
    pub(in crate::solve) objective: &'a Objective<'a>,
    /// For energies that are asked one by one.
    pub(in crate::solve) x: &'a [Vec3],
    pub(in crate::solve) memory: &'a [Memory],
}

/// A block on its way to a matrix.
#[derive(Debug, Clone, Copy)]
pub(in crate::solve) struct BlockPlace {
    /// Places of its vertices.
    pub(in crate::solve) row: u32,
    pub(in crate::solve) column: u32,
    /// Its first number, a multiple of four; columns are [`ElementBlocks::COLUMN`] apart.
    pub(in crate::solve) at: u32,
    pub(in crate::solve) is_transposed: bool,
}

/// The blocks of all elements of a local step.
#[derive(Debug)]
pub(in crate::solve) struct ElementBlocks<S: LaneNumber> {
    /// In groups of lanes; the first group is zero.
    blocks: Vec<S>,
    springs: Option<Elements<S, SpringLaw, 2>>,
    /// First number of the blocks of springs, then of each batch of the local step; of those without blocks, of nothing.
    starts: Vec<usize>,
    /// (batch or springs, first group) of each item of work.
    items: Vec<(Option<usize>, usize)>,
    /// Batches that are asked one by one: number, and its first block.
    general: Vec<(usize, usize)>,
    hessians: Vec<f64>,
}

impl<S: LaneNumber> ElementBlocks<S> {
    /// Numbers from one column of a block to the next.
    pub(in crate::solve) const COLUMN: usize = 4 * S::WIDTH;
    /// Numbers of a group of blocks: three points for each lane.
    const GROUP: usize = 3 * Self::COLUMN;

    /// Blocks of a local step, and where they belong. `covered` is set for batches that have blocks of this curvature; other batches whose arrays are
    /// `general` are asked one by one. With raw blocks [`update`](Self::update) gives both kinds, else only projected ones.
    pub(in crate::solve) fn new(
        objective: &Objective<'_>,
        order: &Order,
        local: &LocalStep<S>,
        curvature: Curvature,
        covered: &mut [bool],
        general: impl Fn(&Arrays) -> bool,
    ) -> (Self, Vec<BlockPlace>) {
        let springs = springs(objective, order, covered);
        for batch in &local.batches {
            batch.batches_with_blocks(curvature).iter().for_each(|&b| covered[b] = true);
        }
        let mut lists = Lists { free: order.free as u32, places: Vec::new() };
        let (mut size, mut starts, mut items) = (Self::GROUP, Vec::new(), Vec::new());
        let of_springs = springs.as_ref().map(|springs| springs as &dyn LaneBatch<S>);
        let batches = local.batches.iter().map(|batch| Some(&**batch));
        for (k, batch) in std::iter::once(of_springs).chain(batches).enumerate() {
            starts.push(size);
            let Some(batch) = batch.filter(|batch| !batch.batches_with_blocks(curvature).is_empty()) else { continue };
            items.extend((0..batch.groups()).step_by(GROUPS_PER_ITEM).map(|group| (k.checked_sub(1), group)));
            size = lists.push::<S>(batch, size);
        }
        let mut one_by_one = Vec::new();
        for (b, entry) in objective.model.energies().iter().enumerate() {
            if !covered[b] && general(&entry.batch.arrays()) {
                covered[b] = true;
                one_by_one.push((b, size));
                size = lists.push_general::<S>(entry.batch.as_ref(), order, size);
            }
        }
        let blocks = vec![S::default(); size];
        (Self { blocks, springs, starts, items, general: one_by_one, hessians: Vec::new() }, lists.places)
    }

    /// All numbers.
    pub(in crate::solve) fn numbers(&self) -> &[S] {
        &self.blocks
    }

    /// Takes the blocks at some positions. `local` is the step that these blocks were made for.
    pub(in crate::solve) fn update(&mut self, team: &Team<'_>, local: &LocalStep<S>, at: At<'_>, curvature: Curvature) {
        assert_eq!(at.points.len(), local.vertices + PADDING, "all vertices, padded");
        assert_eq!(self.starts.len(), local.batches.len() + 1, "blocks of the same local step");
        let instructions = InstructionSet::detect();
        let blocks = Shared(self.blocks.as_mut_ptr());
        team.share(self.items.len(), |item| {
            let (batch, first) = self.items[item];
            let (elements, kept, start): (&dyn LaneBatch<S>, _, _) = match (batch, &self.springs) {
                (Some(b), _) => (&*local.batches[b], &local.kept[local.kept_starts[b]..], self.starts[b + 1]),
                (None, Some(springs)) => (springs, &local.kept[..0], self.starts[0]),
                (None, None) => return,
            };
            let groups = first..elements.groups().min(first + GROUPS_PER_ITEM);
            // SAFETY: points are all there, as checked above; `new` has made room for the blocks of all groups of a
            // batch from its start on, and each item has its own groups.
            unsafe {
                let out = blocks.get().add(start);
                elements.blocks(instructions, groups, at.points, kept.as_ptr(), curvature, out);
            }
        });
        for &(b, first) in &self.general {
            let batch = at.objective.model.energies()[b].batch.as_ref();
            let mut number = 0;
            let mut write = |block: [[f64; 3]; 3]| {
                for (c, column) in block.iter().enumerate() {
                    let place = place_of::<S>(first, number) + c * Self::COLUMN;
                    (0..3).for_each(|r| self.blocks[place + r] = S::from_f64(column[r]));
                }
                number += 1;
            };
            let (goals, scale) = (&at.objective.goals[b], at.objective.scales[b]);
            for_blocks(batch, at.x, goals, &at.memory[b], curvature, &mut self.hessians, |block| {
                write(block.map(|column| column.map(|value| scale * value)));
            });
        }
    }
}

/// First number of a block, given its number among blocks that come one by one from some place.
pub(super) fn place_of<S: LaneNumber>(first: usize, block: usize) -> usize {
    first + block / S::WIDTH * ElementBlocks::<S>::GROUP + block % S::WIDTH * 4
}

/// All springs as elements with two corners: forces of springs are summed at vertices, which have no use for these.
fn springs<S: LaneNumber>(
    objective: &Objective<'_>,
    order: &Order,
    covered: &mut [bool],
) -> Option<Elements<S, SpringLaw, 2>> {
    let mut operator = Operator::new(1);
    let mut numbers: Vec<[f64; 3]> = Vec::new();
    for (b, entry) in objective.model.energies().iter().enumerate() {
        let (own, scale) = (entry.batch.operator(), objective.scales[b]);
        let springs: Vec<([f64; 2], f64)> = match entry.batch.arrays() {
            Arrays::EdgeSpring(lengths) => lengths.into_iter().map(|bounds| (bounds, 1.0)).collect(),
            Arrays::SpringPair(pairs) => pairs,
            _ => continue,
        };
        covered[b] = true;
        for (e, (bounds, factor)) in springs.into_iter().enumerate() {
            let weight = scale * own.weight(e) / factor;
            numbers.push([bounds[0], bounds[1], weight]);
            operator.push(weight, own.stencil(e), &[-1.0, 1.0]);
        }
    }
    let mut slots = SlotCounter::new(order);
    let number = |e: usize, k: usize| numbers[e][k];
    // Its batches are not asked for: what it covers is known here.
    (!numbers.is_empty()).then(|| Elements::new(vec![0], &operator, SpringLaw, 2, &mut slots, number))
}

/// Places of blocks, one by one.
struct Lists {
    free: u32,
    places: Vec<BlockPlace>,
}

impl Lists {
    /// Takes the blocks of a batch that begin at a number; returns where they end.
    fn push<S: LaneNumber>(&mut self, batch: &dyn LaneBatch<S>, start: usize) -> usize {
        batch.list_blocks(start, &mut |is_diagonal, a, b, at| self.pair(is_diagonal, a, b, at))
    }

    fn push_general<S: LaneNumber>(&mut self, batch: &dyn Batch, order: &Order, start: usize) -> usize {
        let (operator, mut at) = (batch.operator(), 0);
        for e in 0..operator.len() {
            let stencil = operator.stencil(e);
            for i in 0..stencil.len() {
                for j in i..stencil.len() {
                    let [a, b] = [i, j].map(|corner| order.places[stencil[corner] as usize]);
                    self.pair(i == j, a, b, place_of::<S>(start, at));
                    at += 1;
                }
            }
        }
        start + at.div_ceil(S::WIDTH) * ElementBlocks::<S>::GROUP
    }

    fn pair(&mut self, is_diagonal: bool, a: u32, b: u32, at: usize) {
        if a < self.free && b < self.free {
            let at = at as u32;
            self.places.push(BlockPlace { row: a, column: b, at, is_transposed: false });
            if !is_diagonal {
                self.places.push(BlockPlace { row: b, column: a, at, is_transposed: true });
            }
        }
    }
}

/// Springs with a range of lengths: least, largest, weight.
#[derive(Debug)]
struct SpringLaw;

impl<S: LaneNumber> Law<S, 1> for SpringLaw {
    fn numbers(&self) -> usize {
        3
    }

    #[inline(always)]
    unsafe fn gradients<L: Lanes<Scalar = S>>(
        &self,
        edges: &[[L; 3]; 1],
        numbers: *const S,
        _kept: *mut S,
        _failed: u32,
    ) -> ([[L; 3]; 1], L) {
        // SAFETY: numbers are those of a group, as the caller promises.
        let [low, high, weight] = unsafe { Self::read::<L>(numbers) };
        let [x, y, z] = edges[0];
        let squared = x.mul_add(x, y.mul_add(y, z.mul(z)));
        let inverse = squared.max(constant::<L>(1e-30)).inverse_sqrt();
        let length = squared.mul(inverse);
        let gap = length.sub(length.max(low).min(high));
        let factor = weight.mul(gap).mul(inverse);
        ([[factor.mul(x), factor.mul(y), factor.mul(z)]], weight.mul(gap).mul(gap))
    }

    fn has_blocks(&self, _curvature: Curvature) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn blocks<L: Lanes<Scalar = S>>(
        &self,
        edges: &[[L; 3]; 1],
        numbers: *const S,
        _kept: *const S,
        curvature: Curvature,
        blocks: &mut [[[L; 3]; 3]; 6],
    ) {
        // SAFETY: numbers are those of a group, as the caller promises.
        let [low, high, weight] = unsafe { Self::read::<L>(numbers) };
        blocks[0] = length_stiffness(edges[0], [low, high], weight, curvature);
    }
}

impl SpringLaw {
    /// # Safety
    /// There are three vectors at `numbers`.
    #[inline(always)]
    unsafe fn read<L: Lanes>(numbers: *const L::Scalar) -> [L; 3] {
        // SAFETY: three vectors, as the caller promises.
        unsafe { [L::load(numbers), L::load(numbers.add(L::WIDTH)), L::load(numbers.add(2 * L::WIDTH))] }
    }
}
