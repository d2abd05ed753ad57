//! The second derivative of g on vectors: blocks of elements, gathered into rows of a matrix.
//!
//! Energies without blocks of their own have a constant projection, or are rigid, and enter as in the constant matrix. Energies that users
//! write give their derivative one by one.

use std::ops::Range;

use super::element_blocks::{At, BlockPlace, ElementBlocks};
use super::{LocalStep, Order};
use crate::energy::{Arrays, Curvature};
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::parallel::{Shared, Team};
use crate::solve::Objective;
use crate::sparse::{BlockRows, ROWS_TOGETHER, SLOT};

/// Slots of the matrix that a thread adds up at a time.
const SLOTS_PER_ITEM: usize = 128;

/// Where the blocks of a matrix come from, and room for them.
#[derive(Debug)]
pub(in crate::solve) struct CurvatureRows {
    matrix: BlockRows,
    /// m/τ² and other numbers on the diagonal of each free vertex \[N/m\].
    held: Vec<f64>,
    elements: ElementBlocks<f32>,
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

impl CurvatureRows {
    /// For the elements of a local step.
    pub(in crate::solve) fn new(objective: &Objective<'_>, order: &Order, local: &LocalStep<f32>) -> Self {
        let energies = objective.model.energies();
        let mut covered = vec![false; energies.len()];
        let is_general = |arrays: &Arrays| *arrays == Arrays::Opaque;
        let (elements, places) =
            ElementBlocks::new(objective, order, local, Curvature::Projected, &mut covered, is_general);
        for (b, entry) in energies.iter().enumerate() {
            // Planes are asked at each update whether they push.
            covered[b] |= entry.batch.arrays() == Arrays::HalfSpace;
        }
        let (numbers, held) = constant_rows(objective, order, &covered);
        let mut columns: Vec<Vec<u32>> = (0..order.free as u32).map(|row| vec![row]).collect();
        for place in &places {
            columns[place.row as usize].push(place.column);
        }
        for (row, list) in (0u32..).zip(&mut columns) {
            // The diagonal first.
            list.sort_unstable_by_key(|&column| (column != row, column));
            list.dedup();
        }
        let matrix = BlockRows::new(&columns, &numbers);
        let find = |transposed: bool| {
            let own = places.iter().filter(|place| place.is_transposed == transposed);
            let found = own.filter_map(|&BlockPlace { row, column, at, .. }| {
                matrix.slot(row as usize, column).map(|slot| (row, slot as u32, at))
            });
            Sources::new(matrix.slot_count(), found.collect())
        };
        let (straight, transposed) = (find(false), find(true));
        Self { matrix, held, elements, straight, transposed }
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

    /// Takes the second derivative at the positions that `local` has evaluated last.
    pub(in crate::solve) fn update(&mut self, team: &Team<'_>, local: &LocalStep<f32>, at: At<'_>) {
        self.elements.update(team, local, at, Curvature::Projected);
        let instructions = InstructionSet::detect();
        let (matrix, blocks) = (&mut self.matrix, self.elements.numbers());
        let slots = matrix.slot_count();
        let values = Shared(matrix.values_mut().as_mut_ptr());
        let (straight, transposed) = (&self.straight, &self.transposed);
        team.share(slots.div_ceil(SLOTS_PER_ITEM), |item| {
            let slots = item * SLOTS_PER_ITEM..slots.min((item + 1) * SLOTS_PER_ITEM);
            let values = values.get();
            f32::dispatch(instructions, AddUp { blocks, straight, transposed, slots, values });
        });
        for place in 0..if local.planes.is_empty() { 0 } else { self.held.len() } {
            local.planes.for_pushing(place, &at.points[place], |normal, weight| {
                self.matrix.add_to_diagonal(place, normal.map(|a| normal.map(|b| (weight * a * b) as f32)));
            });
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
    for &(i, j, value) in model.mass().off_diagonal() {
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
    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) {
        let blocks = self.blocks.as_ptr();
        for slot in self.slots.start..self.slots.end {
            // SAFETY: lists have a vector of places for each source, of blocks or of the zeros before them; the matrix
            // has `SLOT` values for each slot, and those of these slots are this kernel's alone (`update`).
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
