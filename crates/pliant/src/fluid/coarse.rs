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

use super::matter::Matter;
use super::neighbours::{Neighbours, Place};
use crate::parallel::{self, Strided};

/// Below the first density particles begin to be at a free surface, below the second they are.
const SURFACE: [f32; 2] = [0.95, 0.85];
/// Weight of the air that a particle at a surface has in place of neighbours, over the weight of all neighbours, for each part of its density
/// that is missing beyond `SURFACE`. A flat surface misses a fifth of its density and a third of its neighbours.
const AIR: f64 = 3.0;
/// Conjugate gradients stop at this residual, and the iterations after them do the rest.
const TOLERANCE: f64 = 1e-2;
const MOST_ITERATIONS: usize = 200;
/// Times that cells which would pull are let go.
const ROUNDS: usize = 3;
/// Share of the diagonal that is added, for fluid without a free surface.
const REGULARISATION: f64 = 1e-4;
/// Cells that a thread takes at a time.
const CHUNK: usize = 32;

/// What the correction is found from, by place.
pub(super) struct Fine<'a> {
    pub(super) matter: &'a Matter,
    pub(super) neighbours: &'a Neighbours,
    pub(super) places: &'a [Place],
    /// W'/r of each pair.
    pub(super) slopes: &'a [f32],
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

impl Coarse {
    /// Pushes −λ of all particles, by place, that take back the densities on the scale of cells.
    pub(super) fn solve(&mut self, fine: &Fine<'_>, pushes: &mut [f32]) {
        let count = fine.places.len();
        self.cell_of.clear();
        for (cell, range) in fine.neighbours.cells().enumerate() {
            self.cell_of.extend(range.map(|_| cell as u32));
        }
        // The pressure moves by a gradient of which neighbours see a part, and the system knows that once but not twice.
        let stiffer = self.assemble(fine) / fine.matter.seen_gradient();
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
        let cells: Vec<std::ops::Range<usize>> = fine.neighbours.cells().collect();
        let centres = parallel::map(cells.clone(), &|range: std::ops::Range<usize>| centre(fine.places, range));
        let rows = parallel::map((0..cells.len().div_ceil(CHUNK)).collect(), &|part: usize| {
            let own = part * CHUNK..cells.len().min((part + 1) * CHUNK);
            own.map(|cell| self.row(fine, cells[cell].clone(), cell, &centres)).collect::<Vec<CellRow>>()
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

    fn row(&self, fine: &Fine<'_>, range: std::ops::Range<usize>, cell: usize, centres: &[[f64; 3]]) -> CellRow {
        let mut row = CellRow { diagonal: 0.0, right: 0.0, beside: Vec::new(), spread: [0.0; 2] };
        let ease = |k: usize| f64::from(fine.matter.softness[fine.neighbours.order[k] as usize] * fine.places[k][3]);
        for i in range.filter(|&i| fine.flows[i]) {
            let own = &fine.places[i];
            let inside = ((fine.densities[i] - SURFACE[1]) / (SURFACE[0] - SURFACE[1])).clamp(0.0, 1.0);
            row.right += f64::from(own[3] * fine.excess[i] * inside);
            let mut missing = f64::from((SURFACE[0] - fine.densities[i]).max(0.0));
            missing *= AIR * fine.matter.neighbour_weight() * f64::from(own[3]) * 2.0 * ease(i);
            row.diagonal += missing;
            let pairs = fine.neighbours.starts[i] as usize..fine.neighbours.starts[i + 1] as usize;
            for (&j, &slope) in fine.neighbours.list[pairs.clone()].iter().zip(&fine.slopes[pairs]) {
                let (j, other) = (j as usize, self.cell_of[j as usize]);
                if !fine.flows[j] {
                    continue; // A surface is a wall.
                }
                let to = &fine.places[j];
                let a = -f64::from(own[3] * to[3] * slope) * (ease(i) + ease(j));
                let squared: f32 = (0..3).map(|c| (own[c] - to[c]).powi(2)).sum();
                row.spread[0] += a * f64::from(squared);
                if other as usize == cell {
                    continue;
                }
                let (here, there) = (&centres[cell], &centres[other as usize]);
                row.spread[1] += a * (0..3).map(|c| (here[c] - there[c]).powi(2)).sum::<f64>();
                row.diagonal += a;
                match row.beside.iter_mut().find(|entry| entry.0 == other) {
                    Some(entry) => entry.1 += a,
                    None => row.beside.push((other, a)),
                }
            }
        }
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

fn centre(places: &[Place], range: std::ops::Range<usize>) -> [f64; 3] {
    let mut sum = [0.0; 3];
    let count = range.len() as f64;
    places[range].iter().for_each(|p| (0..3).for_each(|c| sum[c] += f64::from(p[c]) / count));
    sum
}

/// The pressure of cells, averaged over the neighbours of a place: a step from cell to cell would push only there.
fn smoothed(fine: &Fine<'_>, k: usize, cell_of: &[u32], pressure: &[f64]) -> f64 {
    let pairs = fine.neighbours.starts[k] as usize..fine.neighbours.starts[k + 1] as usize;
    let (mut sum, mut weight) = (0.0, 0.0);
    for (&j, &slope) in fine.neighbours.list[pairs.clone()].iter().zip(&fine.slopes[pairs]) {
        if fine.flows[j as usize] {
            sum -= f64::from(slope) * pressure[cell_of[j as usize] as usize];
            weight -= f64::from(slope);
        }
    }
    let mean = weight / 32.0;
    (sum + mean * pressure[cell_of[k] as usize]) / (weight + mean).max(f64::MIN_POSITIVE)
}
