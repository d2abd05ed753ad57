//! Hair against hair, through a grid [Müller 2012, §3.4; Petrovic 2005]: vertices give mass and momentum to the corners of their cell and
//! take back what all hair around them does.
//!
//! With trilinear weights w of vertex i at corner c: M_c = Σ w m, V_c = Σ w m v / M_c. Friction draws v towards Σ w V_c at a
//! rate: since the weights that take are those that gave, momentum is kept. Repulsion pushes from dense to thin, as a gas of
//! constant temperature would: a = −c² ∇ρ/ρ with ρ = Σ w M_c / cell³; what a vertex itself has given does not push it.
//!
//! Departure: the paper normalises ∇ρ and gives shares per step; here parameters have units and do not depend on the step.

use crate::math::Vec3;
use crate::math::functions::exp_m1;
use crate::parallel::{self, Strided};

/// Hair-hair repulsion and friction.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HairGrid {
    /// Side of a cell \[m\]: a few distances between neighbouring hairs. It is doubled where hair spreads over more than two
    /// million cells.
    pub cell: f64,
    /// Rate at which velocities become those of the hair around \[1/s\].
    pub friction: f64,
    /// c²: how strongly dense hair spreads \[m²/s²\].
    pub repulsion: f64,
}

/// Most corners of a grid.
const MOST_CORNERS: usize = 2_000_000;

/// What a vertex gives.
#[derive(Debug, Clone, Copy)]
struct Given {
    place: Vec3,
    momentum: Vec3,
    mass: f64,
}

/// Mass and momentum at a corner.
#[derive(Debug, Clone, Copy, Default)]
struct Corner {
    momentum: Vec3,
    mass: f64,
}

/// Memory of the grid, kept from step to step.
#[derive(Debug, Default)]
pub(super) struct Grid {
    cell_of: Vec<u32>,
    starts: Vec<u32>,
    sorted: Vec<Given>,
    corners: Vec<Corner>,
}

/// Vertices that meet on the grid.
pub(super) struct Hair<'a> {
    pub(super) x: &'a [Vec3],
    /// Masses \[kg\].
    pub(super) masses: &'a [f64],
    /// Whether a vertex can change its velocity.
    pub(super) is_free: &'a (dyn Fn(usize) -> bool + Sync),
}

/// Box of cells.
#[derive(Debug, Clone, Copy)]
struct Frame {
    low: Vec3,
    side: f64,
    cells: [usize; 3],
}

impl Frame {
    fn around(x: &[Vec3], side: f64) -> Option<Self> {
        let bounds = |(low, high): (Vec3, Vec3), p: &Vec3| (low.min(*p), high.max(*p));
        let (low, high) = x.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), bounds);
        let extent = high - low;
        if !extent.is_finite() {
            return None;
        }
        let mut frame = Self { low, side, cells: [1; 3] };
        loop {
            let counts = (extent / frame.side).floor() + 1.0;
            if (counts + 1.0).element_product() <= MOST_CORNERS as f64 {
                frame.cells = counts.to_array().map(|count| count as usize);
                return Some(frame);
            }
            frame.side *= 2.0;
        }
    }

    fn cell(&self, p: Vec3) -> [usize; 3] {
        let place = ((p - self.low) / self.side).to_array();
        let mut cell = [0; 3];
        for axis in 0..3 {
            cell[axis] = (place[axis] as usize).min(self.cells[axis] - 1);
        }
        cell
    }

    fn cell_number(&self, [i, j, k]: [usize; 3]) -> usize {
        (k * self.cells[1] + j) * self.cells[0] + i
    }

    fn corner_counts(&self) -> [usize; 3] {
        self.cells.map(|count| count + 1)
    }

    fn corner_number(&self, [i, j, k]: [usize; 3]) -> usize {
        let counts = self.corner_counts();
        (k * counts[1] + j) * counts[0] + i
    }

    fn corner(&self, number: usize) -> [usize; 3] {
        let counts = self.corner_counts();
        [number % counts[0], number / counts[0] % counts[1], number / (counts[0] * counts[1])]
    }
}

impl Grid {
    /// Lets velocities feel the hair around for a time h \[s\].
    pub(super) fn meet(&mut self, params: &HairGrid, hair: &Hair<'_>, v: &mut [Vec3], h: f64) {
        let Some(frame) = Frame::around(hair.x, params.cell) else { return };
        self.sort(&frame, hair, v);
        self.sum_up(&frame);
        let (corners, cell_of) = (&self.corners, &self.cell_of);
        // What is drawn over a time h at a constant rate.
        let share = -exp_m1(-params.friction * h);
        let push = params.repulsion * h;
        parallel::for_each(0..v.len(), Strided { entries: v, stride: 1 }, &|range, part| {
            for (velocity, at) in part.entries.iter_mut().zip(range) {
                if !(hair.is_free)(at) {
                    continue;
                }
                let cell = cell_of[at] as usize;
                let first = [
                    cell % frame.cells[0],
                    cell / frame.cells[0] % frame.cells[1],
                    cell / (frame.cells[0] * frame.cells[1]),
                ];
                let inside = (hair.x[at] - frame.low) / frame.side - Vec3::from_array(first.map(|c| c as f64));
                let (mut around, mut density, mut gradient) = (Vec3::ZERO, 0.0, Vec3::ZERO);
                for corner in 0..8 {
                    let step = [corner & 1, corner >> 1 & 1, corner >> 2];
                    let place = [first[0] + step[0], first[1] + step[1], first[2] + step[2]];
                    let held = &corners[frame.corner_number(place)];
                    let (weight, slope) = weight(inside, step);
                    if weight > 0.0 && held.mass > 0.0 {
                        around += held.momentum * (weight / held.mass);
                    }
                    density += held.mass * weight;
                    gradient += slope * (held.mass - weight * hair.masses[at]);
                }
                *velocity += (around - *velocity) * share - gradient * (push / (density * frame.side));
            }
        });
    }

    /// Puts what vertices give in order of their cells.
    fn sort(&mut self, frame: &Frame, hair: &Hair<'_>, v: &[Vec3]) {
        let Hair { x, masses, .. } = hair;
        self.cell_of.resize(x.len(), 0);
        let outputs = Strided { entries: &mut self.cell_of[..], stride: 1 };
        parallel::for_each(0..x.len(), outputs, &|range, part| {
            for (cell, p) in part.entries.iter_mut().zip(&x[range]) {
                *cell = frame.cell_number(frame.cell(*p)) as u32;
            }
        });
        self.starts.clear();
        self.starts.resize(frame.cells.iter().product::<usize>() + 1, 0);
        self.cell_of.iter().for_each(|&cell| self.starts[cell as usize + 1] += 1);
        (1..self.starts.len()).for_each(|cell| self.starts[cell] += self.starts[cell - 1]);
        let nothing = Given { place: Vec3::ZERO, momentum: Vec3::ZERO, mass: 0.0 };
        self.sorted.clear();
        self.sorted.resize(x.len(), nothing);
        // From the last to the first, so that cells keep the order of vertices.
        let mut ends = self.starts[1..].to_vec();
        for at in (0..x.len()).rev() {
            let end = &mut ends[self.cell_of[at] as usize];
            *end -= 1;
            self.sorted[*end as usize] = Given { place: x[at], momentum: v[at] * masses[at], mass: masses[at] };
        }
    }

    /// Mass and momentum at all corners, each summed over its eight cells in a fixed order.
    fn sum_up(&mut self, frame: &Frame) {
        let count = frame.corner_counts().iter().product();
        self.corners.clear();
        self.corners.resize(count, Corner::default());
        let (starts, sorted) = (&self.starts, &self.sorted);
        parallel::for_each(0..count, Strided { entries: &mut self.corners[..], stride: 1 }, &|range, part| {
            for (sum, number) in part.entries.iter_mut().zip(range) {
                let corner = frame.corner(number);
                let near = |axis: usize| corner[axis].saturating_sub(1)..(corner[axis] + 1).min(frame.cells[axis]);
                let at = frame.low + Vec3::from_array(corner.map(|c| c as f64)) * frame.side;
                for k in near(2) {
                    for j in near(1) {
                        // Cells beside each other along x lie one after the other.
                        let row = near(0);
                        let from = starts[frame.cell_number([row.start, j, k])] as usize;
                        let to = starts[frame.cell_number([row.end - 1, j, k]) + 1] as usize;
                        for given in &sorted[from..to] {
                            let away = ((given.place - at) / frame.side).abs();
                            let weight = (Vec3::ONE - away).max(Vec3::ZERO).element_product();
                            sum.mass += given.mass * weight;
                            sum.momentum += given.momentum * weight;
                        }
                    }
                }
            }
        });
    }
}

/// Trilinear weight of a corner of the cell, and its derivative times the side of a cell.
fn weight(inside: Vec3, step: [usize; 3]) -> (f64, Vec3) {
    let inside = inside.to_array();
    let mut factors = [0.0; 3];
    let mut signs = [0.0; 3];
    for axis in 0..3 {
        (factors[axis], signs[axis]) = if step[axis] == 1 { (inside[axis], 1.0) } else { (1.0 - inside[axis], -1.0) };
    }
    let [a, b, c] = factors;
    (a * b * c, Vec3::new(signs[0] * b * c, signs[1] * a * c, signs[2] * a * b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud(count: usize) -> (Vec<Vec3>, Vec<Vec3>, Vec<f64>) {
        let wave =
            |k: usize, a: f64| Vec3::new((a * k as f64).sin(), (1.3 * a * k as f64).cos(), (0.7 * k as f64).sin());
        let (x, v) = ((0..count).map(|k| wave(k, 2.1)).collect(), (0..count).map(|k| wave(k, 0.9)).collect());
        (x, v, (0..count).map(|k| 0.1 + 0.01 * (k % 7) as f64).collect())
    }

    fn momentum(v: &[Vec3], masses: &[f64]) -> Vec3 {
        v.iter().zip(masses).map(|(v, m)| *v * *m).sum()
    }

    fn spread(v: &[Vec3]) -> f64 {
        let mean = v.iter().sum::<Vec3>() / v.len() as f64;
        v.iter().map(|v| (*v - mean).length_squared()).sum()
    }

    #[test]
    fn friction_keeps_momentum_and_evens_velocities() {
        let (x, mut v, masses) = cloud(500);
        let (before, wide) = (momentum(&v, &masses), spread(&v));
        let hair = Hair { x: &x, masses: &masses, is_free: &|_| true };
        let params = HairGrid { cell: 0.5, friction: 20.0, repulsion: 0.0 };
        let mut grid = Grid::default();
        for _ in 0..10 {
            grid.meet(&params, &hair, &mut v, 0.02);
        }
        assert!((momentum(&v, &masses) - before).length() < 1e-12 * masses.iter().sum::<f64>());
        assert!(spread(&v) < 0.5 * wide, "{} of {wide}", spread(&v));
    }

    #[test]
    fn friction_over_one_step_is_that_over_two_halves_where_hair_moves_alike_in_a_cell() {
        // Two vertices at one place: their difference decays as exp(−rate·t), whatever the steps.
        let (x, masses) = ([Vec3::ZERO, Vec3::ZERO, Vec3::ONE], [1.0, 1.0, 1.0]);
        let hair = Hair { x: &x, masses: &masses, is_free: &|_| true };
        let params = HairGrid { cell: 4.0, friction: 3.0, repulsion: 0.0 };
        for steps in [1, 2, 8] {
            let mut v = [Vec3::X, -Vec3::X, Vec3::ZERO];
            (0..steps).for_each(|_| Grid::default().meet(&params, &hair, &mut v, 0.4 / f64::from(steps)));
            assert!(((v[0] - v[1]).x - 2.0 * (-1.2_f64).exp()).abs() < 1e-12, "{steps}: {v:?}");
        }
    }

    #[test]
    fn repulsion_drives_neighbours_apart_and_leaves_a_single_hair_alone() {
        let params = HairGrid { cell: 0.1, friction: 0.0, repulsion: 1.0 };
        let x = [Vec3::ZERO, Vec3::new(0.51, 0.52, 0.53), Vec3::new(0.58, 0.56, 0.53), Vec3::new(3.03, 0.02, 0.07)];
        let (mut v, masses) = ([Vec3::ZERO; 4], [0.1; 4]);
        let hair = Hair { x: &x, masses: &masses, is_free: &|_| true };
        Grid::default().meet(&params, &hair, &mut v, 0.01);
        let apart = (v[2] - v[1]).dot(x[2] - x[1]);
        assert!(apart > 0.0, "two in a cell go apart: {v:?}");
        for lone in [0, 3] {
            assert!(v[lone].length() < 1e-12 * v[1].length(), "a vertex does not push itself: {v:?}");
        }
    }

    #[test]
    fn a_clump_that_is_densest_in_the_middle_spreads() {
        let params = HairGrid { cell: 0.1, friction: 0.0, repulsion: 1.0 };
        let [a, b, c] = [2.1, 3.7, 5.3].map(|a| {
            let wave =
                |k: usize| Vec3::new((a * k as f64).sin(), (1.3 * a * k as f64).cos(), (0.71 * a * k as f64).sin());
            (0..400).map(wave).collect::<Vec<_>>()
        });
        let x: Vec<Vec3> = (0..400).map(|k| (a[k] + b[k] + c[k]) * 0.15).collect();
        let (mut v, masses) = (vec![Vec3::ZERO; 400], vec![0.1; 400]);
        let hair = Hair { x: &x, masses: &masses, is_free: &|_| true };
        Grid::default().meet(&params, &hair, &mut v, 0.01);
        let outwards: f64 = x.iter().zip(&v).map(|(x, v)| x.dot(*v)).sum();
        assert!(outwards > 0.0, "{outwards}");
    }

    #[test]
    fn a_far_vertex_makes_cells_larger_instead_of_memory_full() {
        let (mut x, mut v, masses) = cloud(50);
        x[3] = Vec3::splat(1e9);
        let hair = Hair { x: &x, masses: &masses, is_free: &|_| true };
        let params = HairGrid { cell: 1e-3, friction: 1.0, repulsion: 1.0 };
        Grid::default().meet(&params, &hair, &mut v, 0.01);
        assert!(v.iter().all(|v| v.is_finite()));
    }
}
