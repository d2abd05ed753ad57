//! Pressure over whole cells of particles, so that a load is carried at once from the surface to the ground.
//!
//! A Jacobi iteration moves a load by one kernel. A column of n particles needs of the order of n² of them, and with the few that there is time
//! for it stays compressed, by 20 % at 50 particles, 1/120 s and 4 iterations. Remembering λ from step to step is no way out: a correction
//! that adds up over steps while a mode falls only by q < 1 in a step grows for all modes with q > ½ (z³ − 3q z² + 3q z − q = 0). So each step
//! first solves for one pressure per cell of the neighbour search:
//!
//! ```text
//! −∇²p = C     Σ_j 2 V_i V_j |W'/r| ½(w_i V_i + w_j V_j) (p_i − p_j) = V_i C_i,    summed over the particles of cells
//! ```
//!
//! with p = 0 at particles that lack neighbours, at walls no flux, and p ≥ 0 everywhere. Cells take the place of particles as piecewise constants;
//! that alone is too stiff for smooth pressures, by a factor that pairs of cells and of particles tell (`stiffer`).

use std::ops::Range;

use super::neighbours::{Neighbours, Place};
use super::particles::Particles;
use crate::parallel::{self, Strided};

/// Below the first density particles begin to be at a free surface, below the second they are.
pub(super) const SURFACE: [f32; 2] = [0.95, 0.85];
/// Weight of the air that a particle at a surface has in place of neighbours, over the weight of all neighbours, for each part of its density
/// that is missing beyond `SURFACE`. A flat surface misses a fifth of its density and a third of its neighbours.
pub(super) const AIR: f64 = 3.0;
/// Conjugate gradients stop at this residual, and the iterations after them do the rest.
pub(super) const TOLERANCE: f64 = 1e-2;
pub(super) const MOST_ITERATIONS: usize = 200;
/// Times that cells which would pull are let go.
pub(super) const ROUNDS: usize = 3;
/// Share of the diagonal that is added, for fluid without a free surface.
pub(super) const REGULARISATION: f64 = 1e-4;
/// Parts that rows are made in, each with its `Slots`, and the fewest cells of one.
const PARTS: usize = 64;
const LEAST_CHUNK: usize = 32;

/// What the correction is found from, by place.
pub(super) struct Fine<'a> {
    pub(super) particles: &'a Particles,
    pub(super) neighbours: &'a Neighbours,
    pub(super) places: &'a [Place],
    /// V_i V_j |W'/r| (w_i V_i + w_j V_j) of each pair, and by place the sums of these times r²; 0 of what has no pressure.
    pub(super) weights: &'a [f32],
    pub(super) spreads: &'a [f32],
    /// w V of a place, as the last number.
    pub(super) moves: &'a [Place],
    pub(super) densities: &'a [f32],
    /// Whether it has pressure: samples and particles in a pipe have not.
    pub(super) flows: &'a [bool],
    /// Densities to be taken back.
    pub(super) excess: &'a [f32],
}

/// The system over cells.
#[derive(Debug, Default)]
pub(super) struct Coarse {
    cell_of: Vec<u32>,
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
    right: Vec<f64>,
    pressure: Vec<f64>,
}

/// A cell's row.
struct CellRow {
    diagonal: f64,
    right: f64,
    beside: Vec<(u32, f64)>,
    /// Σ a‖x_i − x_j‖² over pairs of particles, and over the cells that they are in.
    spread: [f64; 2],
}

/// Where in a row each cell is, so that nothing has to be looked for.
struct Slots(Vec<u8>);

const NO_SLOT: u8 = u8::MAX;

impl Slots {
    fn new(cells: usize) -> Self {
        Self(vec![NO_SLOT; cells])
    }

    /// The value of a cell in a row, which has at most 26.
    #[inline(always)]
    fn of<'a>(&mut self, cell: u32, row: &'a mut Vec<(u32, f64)>) -> &'a mut f64 {
        let slot = &mut self.0[cell as usize];
        if *slot == NO_SLOT {
            *slot = row.len() as u8;
            row.push((cell, 0.0));
        }
        &mut row[*slot as usize].1
    }

    fn forget(&mut self, row: &[(u32, f64)]) {
        row.iter().for_each(|&(cell, _)| self.0[cell as usize] = NO_SLOT);
    }
}

impl Fine<'_> {
    /// Neighbours of a place with the weight of each.
    fn pairs(&self, k: usize) -> impl Iterator<Item = (usize, f32)> {
        let weights = &self.weights[self.neighbours.starts[k] as usize..];
        self.neighbours.of(k).iter().map(|&j| j as usize).zip(weights.iter().copied())
    }
}

impl Coarse {
    /// Pushes −λ of all particles, by place, that take back the densities on the scale of cells.
    pub(super) fn solve(&mut self, fine: &Fine<'_>, pushes: &mut [f32]) {
        let count = fine.places.len();
        self.cell_of.clear();
        for (cell, range) in fine.neighbours.cells().enumerate() {
            self.cell_of.extend(range.map(|_| cell as u32));
        }
        // The pressure moves by a gradient of which neighbours see a part, and the system knows that once but not twice.
        let stiffer = self.assemble(fine) / fine.particles.seen_gradient();
        self.find_pressure();
        let Self { cell_of, pressure, .. } = self;
        let outputs = Strided { entries: pushes, stride: 1 };
        parallel::for_each(0..count, outputs, &|range, part| {
            for (push, k) in part.entries.iter_mut().zip(range) {
                *push = 0.0;
                if fine.flows[k] {
                    let smooth = smoothed(fine, k, cell_of, pressure);
                    *push = (stiffer * smooth * f64::from(fine.places[k][3])) as f32;
                }
            }
        });
    }

    /// Sums the equations of particles over cells; returns by how much the result is too stiff.
    fn assemble(&mut self, fine: &Fine<'_>) -> f64 {
        let cells: Vec<Range<usize>> = fine.neighbours.cells().collect();
        let centres = parallel::map(cells.clone(), &|range: Range<usize>| centre(fine.places, range));
        let chunk = cells.len().div_ceil(PARTS).max(LEAST_CHUNK);
        let rows = parallel::map((0..cells.len().div_ceil(chunk)).collect(), &|part: usize| {
            let own = part * chunk..cells.len().min((part + 1) * chunk);
            let mut slots = Slots::new(cells.len());
            own.map(|cell| self.row(fine, cells[cell].clone(), cell, &centres, &mut slots)).collect::<Vec<CellRow>>()
        });
        self.starts.clear();
        self.columns.clear();
        self.values.clear();
        self.diagonal.clear();
        self.right.clear();
        self.starts.push(0);
        let mut spread = [0.0; 2];
        for row in rows.iter().flatten() {
            self.diagonal.push(row.diagonal * (1.0 + REGULARISATION));
            self.right.push(row.right);
            self.columns.extend(row.beside.iter().map(|entry| entry.0));
            self.values.extend(row.beside.iter().map(|entry| entry.1));
            self.starts.push(self.columns.len() as u32);
            (0..2).for_each(|k| spread[k] += row.spread[k]);
        }
        if spread[0] > 0.0 { spread[1] / spread[0] } else { 1.0 }
    }

    fn row(
        &self,
        fine: &Fine<'_>,
        range: Range<usize>,
        cell: usize,
        centres: &[[f64; 3]],
        slots: &mut Slots,
    ) -> CellRow {
        let mut row = CellRow { diagonal: 0.0, right: 0.0, beside: Vec::new(), spread: [0.0; 2] };
        for i in range.filter(|&i| fine.flows[i]) {
            let (volume, ease) = (fine.places[i][3], f64::from(fine.moves[i][3]));
            let inside = ((fine.densities[i] - SURFACE[1]) / (SURFACE[0] - SURFACE[1])).clamp(0.0, 1.0);
            row.right += f64::from(volume * fine.excess[i] * inside);
            let mut missing = f64::from((SURFACE[0] - fine.densities[i]).max(0.0));
            missing *= AIR * fine.particles.neighbour_weight() * f64::from(volume) * 2.0 * ease;
            row.diagonal += missing;
            row.spread[0] += f64::from(fine.spreads[i]);
            for (j, a) in fine.pairs(i) {
                let other = self.cell_of[j];
                // A surface is a wall, and has no weight.
                if other as usize != cell && a > 0.0 {
                    *slots.of(other, &mut row.beside) += f64::from(a);
                }
            }
        }
        for &(other, a) in &row.beside {
            let (here, there) = (&centres[cell], &centres[other as usize]);
            row.spread[1] += a * (0..3).map(|c| (here[c] - there[c]).powi(2)).sum::<f64>();
            row.diagonal += a;
        }
        slots.forget(&row.beside);
        row
    }

    /// Conjugate gradients with the diagonal as preconditioner. Cells that would pull have no pressure.
    fn find_pressure(&mut self) {
        let count = self.diagonal.len();
        let mut held: Vec<bool> = self.diagonal.iter().map(|&d| d <= 0.0).collect();
        self.pressure.clear();
        self.pressure.resize(count, 0.0);
        for round in 0..ROUNDS {
            self.conjugate_gradients(&held);
            let mut changed = false;
            for (pressure, held) in self.pressure.iter_mut().zip(&mut held) {
                if *pressure < 0.0 {
                    (*pressure, *held, changed) = (0.0, true, true);
                }
            }
            if !changed || round + 1 == ROUNDS {
                break;
            }
        }
    }

    fn times(&self, held: &[bool], x: &[f64], out: &mut [f64]) {
        parallel::for_each(0..out.len(), Strided { entries: out, stride: 1 }, &|range, part| {
            for (out, cell) in part.entries.iter_mut().zip(range) {
                let row = self.starts[cell] as usize..self.starts[cell + 1] as usize;
                let entries = self.columns[row.clone()].iter().zip(&self.values[row]);
                let beside: f64 = entries.map(|(&other, value)| value * x[other as usize]).sum();
                *out = if held[cell] { 0.0 } else { self.diagonal[cell] * x[cell] - beside };
            }
        });
    }

    fn conjugate_gradients(&mut self, held: &[bool]) {
        let count = self.diagonal.len();
        let dot = |a: &[f64], b: &[f64]| parallel::sum(0..count, &|range| range.map(|k| a[k] * b[k]).sum());
        let mut x = std::mem::take(&mut self.pressure);
        let mut product = vec![0.0; count];
        self.times(held, &x, &mut product);
        let mut residual: Vec<f64> =
            (0..count).map(|k| if held[k] { 0.0 } else { self.right[k] - product[k] }).collect();
        let precondition = |r: &[f64]| -> Vec<f64> {
            (0..count).map(|k| if held[k] { 0.0 } else { r[k] / self.diagonal[k] }).collect()
        };
        let mut eased = precondition(&residual);
        let mut direction = eased.clone();
        let mut size = dot(&residual, &eased);
        let first: f64 = (0..count).filter(|&k| !held[k]).map(|k| self.right[k].powi(2) / self.diagonal[k]).sum();
        for _ in 0..MOST_ITERATIONS {
            if size <= TOLERANCE * TOLERANCE * first {
                break;
            }
            self.times(held, &direction, &mut product);
            let curvature = dot(&direction, &product);
            if curvature <= 0.0 {
                break;
            }
            let step = size / curvature;
            for k in 0..count {
                x[k] += step * direction[k];
                residual[k] -= step * product[k];
            }
            eased = precondition(&residual);
            let next = dot(&residual, &eased);
            let keep = next / size;
            (0..count).for_each(|k| direction[k] = eased[k] + keep * direction[k]);
            size = next;
        }
        self.pressure = x;
    }
}

fn centre(places: &[Place], range: Range<usize>) -> [f64; 3] {
    let mut sum = [0.0; 3];
    let count = range.len() as f64;
    places[range].iter().for_each(|p| (0..3).for_each(|c| sum[c] += f64::from(p[c]) / count));
    sum
}

/// The pressure of cells, averaged over the neighbours of a place: a step from cell to cell would push only there.
fn smoothed(fine: &Fine<'_>, k: usize, cell_of: &[u32], pressure: &[f64]) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for (j, a) in fine.pairs(k) {
        sum += f64::from(a) * pressure[cell_of[j] as usize];
        weight += f64::from(a);
    }
    let mean = weight / 32.0;
    (sum + mean * pressure[cell_of[k] as usize]) / (weight + mean).max(f64::MIN_POSITIVE)
}
