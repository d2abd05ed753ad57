//! The second derivative of g on vectors: blocks of elements, gathered into rows of a matrix.
//!
//! Elements write the blocks between their corners, each matrix entry adds up its own, and nothing is shared between threads: as with
//! forces, all sums have a fixed order. Energies without blocks of their own have a constant projection, or are rigid, and enter as in the constant matrix. Energies that users
//! write give their derivative one by one.

use std::ops::Range;

use super::simplex::{Elements, LaneBatch, Law};
use super::{GROUPS_PER_ITEM, LocalStep, Order, Point};
use crate::energy::{Arrays, Batch, Memory};
use crate::math::Vec3;
use crate::math::lanes::nearest::constant;
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::parallel::{Shared, Team};
use crate::solve::Objective;
use crate::solve::newton::for_blocks;
use crate::sparse::{BlockRows, ROWS_TOGETHER, SLOT};

use super::corners::SlotCounter;
use super::fibres::length_stiffness;

/// Numbers of a group of blocks: three points for each of eight lanes.
const GROUP: usize = 3 * 4 * ROWS_TOGETHER;

/// Slots of the matrix that a thread adds up at a time.
const SLOTS_PER_ITEM: usize = 128;

/// Where the blocks of a matrix come from, and room for them.
#[derive(Debug)]
pub(in crate::solve) struct CurvatureRows {
    matrix: BlockRows,
    /// m/τ² and other numbers on the diagonal of each free vertex \[N/m\].
    held: Vec<f64>,
    /// Blocks of elements in groups of lanes; the first group is zero.
    blocks: Vec<f32>,
    springs: Option<Elements<f32, SpringLaw, 2>>,
    /// First number of the blocks of springs, then of each batch of the local step; of those without blocks, of nothing.
    starts: Vec<usize>,
    /// (batch or springs, first group) of each item of work.
    items: Vec<(Option<usize>, usize)>,
    /// Batches that users write: number, and its first block.
    general: Vec<(usize, usize)>,
    hessians: Vec<f64>,
    straight: Sources,
    transposed: Sources,
}

/// Blocks that each slot of the matrix adds up.
#[derive(Debug, Default)]
struct Sources {
    /// First of each slot, and the end.
    starts: Vec<u32>,
    /// First numbers of blocks, a vector for each source of a slot.
    places: Vec<u32>,
}

impl Sources {
    /// From (row, slot, first number).
    fn new(slots: usize, mut list: Vec<(u32, u32, u32)>) -> Self {
        list.sort_by_key(|&(row, slot, _)| (slot, row as usize % ROWS_TOGETHER));
        let mut sources = Self { starts: vec![0], places: Vec::new() };
        let mut rest = &list[..];
        for slot in 0..slots {
            let own = rest.partition_point(|entry| entry.1 as usize == slot);
            let (entries, others) = rest.split_at(own);
            rest = others;
            let of_lane = |lane: usize| entries.iter().filter(move |entry| entry.0 as usize % ROWS_TOGETHER == lane);
            let most = (0..ROWS_TOGETHER).map(|lane| of_lane(lane).count()).max().unwrap_or(0);
            let first = sources.places.len();
            sources.places.resize(first + most * ROWS_TOGETHER, 0);
            for lane in 0..ROWS_TOGETHER {
                for (k, entry) in of_lane(lane).enumerate() {
                    sources.places[first + k * ROWS_TOGETHER + lane] = entry.2;
                }
            }
            sources.starts.push((sources.places.len() / ROWS_TOGETHER) as u32);
        }
        sources
    }
}

/// First number of a block, given its number among blocks that come one by one from some place.
pub(super) fn place_of(first: usize, block: usize) -> usize {
    first + block / ROWS_TOGETHER * GROUP + block % ROWS_TOGETHER * 4
}

impl CurvatureRows {
    /// For the elements of a local step.
    pub(in crate::solve) fn new(objective: &Objective<'_>, order: &Order, local: &LocalStep<f32>) -> Self {
        let energies = objective.model.energies();
        let mut covered = vec![false; energies.len()];
        let springs = Self::springs(objective, order, &mut covered);
        for batch in &local.batches {
            batch.batches_with_blocks().iter().for_each(|&b| covered[b] = true);
        }
        let mut lists = Lists { free: order.free as u32, pairs: Vec::new() };
        let (mut size, mut starts, mut items) = (GROUP, Vec::new(), Vec::new());
        let with_blocks = springs.iter().map(|springs| springs as &dyn LaneBatch<f32>).map(Some);
        let with_blocks = with_blocks.chain(springs.is_none().then_some(None));
        for (k, batch) in with_blocks.chain(local.batches.iter().map(|batch| Some(&**batch))).enumerate() {
            starts.push(size);
            let Some(batch) = batch.filter(|batch| !batch.batches_with_blocks().is_empty()) else { continue };
            items.extend((0..batch.groups()).step_by(GROUPS_PER_ITEM).map(|group| (k.checked_sub(1), group)));
            size = lists.push(batch, size);
        }
        let mut general = Vec::new();
        for (b, entry) in energies.iter().enumerate() {
            let arrays = entry.batch.arrays();
            // Planes are asked at each update whether they push.
            covered[b] |= matches!(arrays, Arrays::Opaque | Arrays::HalfSpace);
            if arrays == Arrays::Opaque {
                general.push((b, size));
                size = lists.push_general(entry.batch.as_ref(), order, size);
            }
        }
        let (numbers, held) = constant_rows(objective, order, &covered);
        let mut columns: Vec<Vec<u32>> = (0..order.free as u32).map(|row| vec![row]).collect();
        for &(row, column, _, _) in &lists.pairs {
            columns[row as usize].push(column);
        }
        for (row, list) in (0u32..).zip(&mut columns) {
            // The diagonal first.
            list.sort_unstable_by_key(|&column| (column != row, column));
            list.dedup();
        }
        let matrix = BlockRows::new(&columns, &numbers);
        let find = |transposed: bool| {
            let own = lists.pairs.iter().filter(|pair| pair.3 == transposed);
            let found = own.filter_map(|&(row, column, place, _)| {
                matrix.slot(row as usize, column).map(|slot| (row, slot as u32, place))
            });
            Sources::new(matrix.slot_count(), found.collect())
        };
        let (straight, transposed) = (find(false), find(true));
        let hessians = Vec::new();
        let blocks = vec![0.0; size];
        Self { matrix, held, blocks, springs, starts, items, general, hessians, straight, transposed }
    }

    /// All springs as elements with two corners: forces of springs are summed at vertices, which have no use for these.
    fn springs(objective: &Objective<'_>, order: &Order, covered: &mut [bool]) -> Option<Elements<f32, SpringLaw, 2>> {
        let mut operator = crate::energy::Operator::new(1);
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

    /// The matrix.
    pub(in crate::solve) fn matrix(&self) -> &BlockRows {
        &self.matrix
    }

    /// The block on the diagonal of a free vertex, by columns.
    pub(in crate::solve) fn diagonal(&self, place: usize) -> [[f64; 3]; 3] {
        let mut block = self.matrix.diagonal(place);
        (0..3).for_each(|c| block[c][c] += self.held[place]);
        block
    }

    /// Takes the second derivative at the positions that `local` has evaluated last. `x` and `memory` are asked for by energies that users
    /// write, which are projected there already.
    pub(in crate::solve) fn update(
        &mut self,
        team: &Team<'_>,
        local: &LocalStep<f32>,
        points: &[Point],
        objective: &Objective<'_>,
        x: &[Vec3],
        memory: &[Memory],
    ) {
        let instructions = InstructionSet::detect();
        let blocks = Shared(self.blocks.as_mut_ptr());
        team.share(self.items.len(), |item| {
            let (batch, first) = self.items[item];
            let (elements, kept, start): (&dyn LaneBatch<f32>, _, _) = match (batch, &self.springs) {
                (Some(b), _) => (&*local.batches[b], &local.kept[local.kept_starts[b]..], self.starts[b + 1]),
                (None, Some(springs)) => (springs, &local.kept[..0], self.starts[0]),
                (None, None) => return,
            };
            let groups = first..elements.groups().min(first + GROUPS_PER_ITEM);
            // SAFETY: each item has its own groups, and these their own blocks.
            unsafe { elements.blocks(instructions, groups, points, kept.as_ptr(), blocks.get().add(start)) }
        });
        for &(b, first) in &self.general {
            let batch = objective.model.energies()[b].batch.as_ref();
            let mut at = 0;
            let mut write = |block: [[f64; 3]; 3]| {
                for (c, column) in block.iter().enumerate() {
                    let place = place_of(first, at) + c * 4 * ROWS_TOGETHER;
                    (0..3).for_each(|r| self.blocks[place + r] = column[r] as f32);
                }
                at += 1;
            };
            let (goals, scale) = (&objective.goals[b], objective.scales[b]);
            for_blocks(batch, x, goals, &memory[b], &mut self.hessians, |block| {
                write(block.map(|column| column.map(|value| scale * value)));
            });
        }
        let (matrix, blocks) = (&mut self.matrix, &self.blocks);
        let slots = matrix.slot_count();
        let values = Shared(matrix.values_mut().as_mut_ptr());
        let (straight, transposed) = (&self.straight, &self.transposed);
        team.share(slots.div_ceil(SLOTS_PER_ITEM), |item| {
            let slots = item * SLOTS_PER_ITEM..slots.min((item + 1) * SLOTS_PER_ITEM);
            let values = values.get();
            f32::dispatch(instructions, AddUp { blocks, straight, transposed, slots, values });
        });
        for place in 0..if local.planes.is_empty() { 0 } else { self.held.len() } {
            local.planes.for_pushing(place, &points[place], |normal, weight| {
                self.matrix.add_to_diagonal(place, normal.map(|a| normal.map(|b| (weight * a * b) as f32)));
            });
        }
    }
}

/// Blocks of elements on their way to rows: (row, column, first number, whether transposed).
struct Lists {
    free: u32,
    pairs: Vec<(u32, u32, u32, bool)>,
}

impl Lists {
    /// Takes the blocks of a batch that begin at a number; returns where they end.
    fn push(&mut self, batch: &dyn LaneBatch<f32>, start: usize) -> usize {
        batch.list_blocks(start, &mut |is_diagonal, a, b, at| self.pair(is_diagonal, a, b, at))
    }

    fn push_general(&mut self, batch: &dyn Batch, order: &Order, start: usize) -> usize {
        let (operator, mut at) = (batch.operator(), 0);
        for e in 0..operator.len() {
            let stencil = operator.stencil(e);
            for i in 0..stencil.len() {
                for j in i..stencil.len() {
                    let [a, b] = [i, j].map(|corner| order.places[stencil[corner] as usize]);
                    self.pair(i == j, a, b, place_of(start, at));
                    at += 1;
                }
            }
        }
        start + at.div_ceil(ROWS_TOGETHER) * GROUP
    }

    fn pair(&mut self, is_diagonal: bool, a: u32, b: u32, at: usize) {
        if a < self.free && b < self.free {
            self.pairs.push((a, b, at as u32, false));
            if !is_diagonal {
                self.pairs.push((b, a, at as u32, true));
            }
        }
    }
}

/// Inertia and energies whose projections are held, which act on x, y and z alike: rows of numbers, and their diagonal.
fn constant_rows(objective: &Objective<'_>, order: &Order, covered: &[bool]) -> (Vec<Vec<(u32, f64)>>, Vec<f64>) {
    let model = objective.model;
    let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); order.free];
    for (place, row) in rows.iter_mut().enumerate() {
        let mass = model.mass().diagonal()[order.vertices[place] as usize];
        row.push((place as u32, objective.inertia * mass));
    }
    let mut add = |i: u32, j: u32, value: f64| {
        let [a, b] = [i, j].map(|v| order.places[v as usize]);
        if (a as usize) < order.free && (b as usize) < order.free {
            rows[a as usize].push((b, value));
        }
    };
    for &(i, j, value) in model.mass().beside() {
        add(i, j, objective.inertia * value);
        add(j, i, objective.inertia * value);
    }
    for (b, entry) in model.energies().iter().enumerate().filter(|(b, _)| !covered[*b]) {
        let operator = entry.batch.operator();
        for e in 0..operator.len() {
            let (stencil, a) = (operator.stencil(e), operator.coefficients(e));
            let (n, weight) = (stencil.len(), objective.scales[b] * operator.weight(e));
            for (i, j) in (0..n * n).map(|k| (k / n, k % n)) {
                let product: f64 = (0..operator.rows()).map(|row| a[row * n + i] * a[row * n + j]).sum();
                add(stencil[i], stencil[j], weight * product);
            }
        }
    }
    for (place, row) in (0u32..).zip(&mut rows) {
        row.sort_by_key(|&(column, _)| (column != place, column));
        row.dedup_by(|next, first| {
            let same = next.0 == first.0;
            if same {
                first.1 += next.1;
            }
            same
        });
    }
    let diagonal = rows.iter().map(|row| row[0].1).collect();
    (rows, diagonal)
}

/// Adds up the blocks of some slots.
struct AddUp<'a> {
    blocks: &'a [f32],
    straight: &'a Sources,
    transposed: &'a Sources,
    slots: Range<usize>,
    values: *mut f32,
}

impl Kernel<f32> for AddUp<'_> {
    /// SAFETY: sources are blocks, and the slots are this kernel's alone.
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = f32>>(self) {
        let blocks = self.blocks.as_ptr();
        for slot in self.slots.start..self.slots.end {
            unsafe {
                let mut sums = [[L::zero(); 3]; 3];
                for k in self.straight.starts[slot] as usize..self.straight.starts[slot + 1] as usize {
                    let places = self.straight.places.as_ptr().add(k * ROWS_TOGETHER);
                    for c in 0..3 {
                        let column = L::gather(blocks.add(c * 4 * ROWS_TOGETHER), places);
                        for r in 0..3 {
                            sums[c][r] = sums[c][r].add(column[r]);
                        }
                    }
                }
                for k in self.transposed.starts[slot] as usize..self.transposed.starts[slot + 1] as usize {
                    let places = self.transposed.places.as_ptr().add(k * ROWS_TOGETHER);
                    for r in 0..3 {
                        let row = L::gather(blocks.add(r * 4 * ROWS_TOGETHER), places);
                        for c in 0..3 {
                            sums[c][r] = sums[c][r].add(row[c]);
                        }
                    }
                }
                for c in 0..3 {
                    for r in 0..3 {
                        sums[c][r].store(self.values.add(slot * SLOT + (3 * c + r) * ROWS_TOGETHER));
                    }
                }
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
        unsafe {
            let [low, high, weight] = Self::read::<L>(numbers);
            let [x, y, z] = edges[0];
            let squared = x.mul_add(x, y.mul_add(y, z.mul(z)));
            let inverse = squared.max(constant::<L>(1e-30)).inverse_sqrt();
            let length = squared.mul(inverse);
            let gap = length.sub(length.max(low).min(high));
            let factor = weight.mul(gap).mul(inverse);
            ([[factor.mul(x), factor.mul(y), factor.mul(z)]], weight.mul(gap).mul(gap))
        }
    }

    fn has_blocks(&self) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn blocks<L: Lanes<Scalar = S>>(
        &self,
        edges: &[[L; 3]; 1],
        numbers: *const S,
        _kept: *const S,
        blocks: &mut [[[L; 3]; 3]; 6],
    ) {
        unsafe {
            let [low, high, weight] = Self::read::<L>(numbers);
            blocks[0] = length_stiffness(edges[0], [low, high], weight);
        }
    }
}

impl SpringLaw {
    #[inline(always)]
    unsafe fn read<L: Lanes>(numbers: *const L::Scalar) -> [L; 3] {
        unsafe { [L::load(numbers), L::load(numbers.add(L::WIDTH)), L::load(numbers.add(2 * L::WIDTH))] }
    }
}
