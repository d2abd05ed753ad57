//! What kernels have to know of a lattice: how far rows go on from each particle, who is near, and what is fixed of its region.

use pliant::Lattice;

/// Where there is no neighbour.
const NONE: u32 = u32::MAX;

/// The rows of a lattice, with particles numbered as its cells are: those of a row along x one after the other.
#[derive(Debug)]
pub(super) struct Neighbours {
    pub(super) width: usize,
    /// For each particle how many steps its row along x goes on, up to the width: down, and up in the upper half.
    pub(super) reach: Vec<u32>,
    /// Along y and along z: for each number of steps, from −width to width, the particle there.
    pub(super) near: [Vec<Vec<u32>>; 2],
}

/// What is fixed of the region of a particle.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Region {
    /// In how many regions the particle is.
    pub(super) count: f64,
    /// Mass, in the unit of masses.
    pub(super) mass: f64,
    /// Centre of masses from the particle, in steps.
    pub(super) centre: [f64; 3],
    /// Σ m̃ of squared distances from it along each axis, in steps.
    pub(super) squares: [f64; 3],
}

impl Neighbours {
    pub(super) fn new(lattice: &Lattice, width: usize) -> Self {
        let cells = lattice.cells();
        let count = cells.len();
        // The next particle along each axis: links may be missing, as after a crack.
        let mut next = [(); 3].map(|()| vec![NONE; count]);
        let mut before = next.clone();
        for [low, high] in lattice.edges() {
            let [a, b] = [low, high].map(|v| cells[v as usize]);
            let axis = (0..3).find(|&axis| a[axis] != b[axis]).unwrap_or(0);
            next[axis][low as usize] = high;
            before[axis][high as usize] = low;
        }
        let walk = |links: &[u32], v: usize, mut visit: Box<dyn FnMut(u32) + '_>| {
            let mut at = v;
            for _ in 0..width {
                if links[at] == NONE {
                    break;
                }
                visit(links[at]);
                at = links[at] as usize;
            }
        };
        let steps = |links: &[u32], v: usize| {
            let mut steps = 0;
            walk(links, v, Box::new(|_| steps += 1));
            steps
        };
        let reach = (0..count).map(|v| steps(&before[0], v) | steps(&next[0], v) << 16).collect();
        let near = [1, 2].map(|axis| {
            let mut near = vec![vec![NONE; count]; 2 * width + 1];
            for v in 0..count {
                near[width][v] = v as u32;
                let (mut up, mut down) = (width, width);
                walk(
                    &next[axis],
                    v,
                    Box::new(|at| {
                        up += 1;
                        near[up][v] = at;
                    }),
                );
                walk(
                    &before[axis],
                    v,
                    Box::new(|at| {
                        down -= 1;
                        near[down][v] = at;
                    }),
                );
            }
            near
        });
        Self { width, reach, near }
    }

    /// Adds up values over rows along an axis, each given with the steps to it.
    fn add_up<const N: usize>(
        &self,
        axis: usize,
        values: &[[f64; N]],
        term: impl Fn(&[f64; N], f64) -> [f64; N],
    ) -> Vec<[f64; N]> {
        let sum = |v: usize| {
            let mut sum = [0.0; N];
            let mut add = |at: usize, steps: f64| {
                let own = term(&values[at], steps);
                sum.iter_mut().zip(own).for_each(|(sum, value)| *sum += value);
            };
            if axis == 0 {
                let (down, up) = ((self.reach[v] & 0xffff) as usize, (self.reach[v] >> 16) as usize);
                (v - down..=v + up).for_each(|at| add(at, at as f64 - v as f64));
            } else {
                for (k, near) in self.near[axis - 1].iter().enumerate().filter(|(_, near)| near[v] != NONE) {
                    add(near[v] as usize, k as f64 - self.width as f64);
                }
            }
            sum
        };
        (0..values.len()).map(sum).collect()
    }

    /// What is fixed of all regions, with the masses of particles.
    pub(super) fn regions(&self, masses: &[f64]) -> Vec<Region> {
        // How many regions a particle is in: those that have it, from z to x.
        let ones = vec![[1.0]; masses.len()];
        let counts = [2, 1, 0].into_iter().fold(ones, |values, axis| self.add_up(axis, &values, |value, _| *value));
        // Mass, and for each axis its first and second moments.
        let mut values: Vec<[f64; 7]> = masses
            .iter()
            .zip(&counts)
            .map(|(m, count)| {
                let mut value = [0.0; 7];
                value[0] = m / count[0];
                value
            })
            .collect();
        for axis in 0..3 {
            values = self.add_up(axis, &values, |value, steps| {
                let mut value = *value;
                value[1 + axis] = value[0] * steps;
                value[4 + axis] = value[0] * steps * steps;
                value
            });
        }
        let region = |(sum, count): (&[f64; 7], &[f64; 1])| {
            let mass = sum[0];
            let centre = [0, 1, 2].map(|axis| sum[1 + axis] / mass);
            let squares = [0, 1, 2].map(|axis| (sum[4 + axis] - mass * centre[axis] * centre[axis]).max(0.0));
            Region { count: count[0], mass, centre, squares }
        };
        values.iter().zip(&counts).map(region).collect()
    }
}

impl Region {
    /// Whether it extends in fewer than two directions, so that no rotation fits it best.
    pub(super) fn is_line(&self) -> bool {
        let most = self.squares.iter().fold(0.0, |most: f64, square| most.max(*square));
        self.squares.iter().filter(|square| **square > 1e-9 * most).count() < 2
    }
}
