//! Where the rest shape of each region fits best.
//!
//! With r̄ᵢ the place of a particle in its region at rest, from the region's centre, and M = Σ m̃ᵢ xᵢ r̄ᵢᵀ the moments of a region, the rotation
//! that fits best is that nearest to M, and the linear map that fits best is M (Σ m̃ r̄ r̄ᵀ)⁻¹ [Müller 2005]. M is made from sums that do
//! not know the region's centre, M = Σ m̃ x rᵀ − (Σ m̃ x) cᵀ [Bender 2014, equation 8], so that they can be shared.

use super::Modes;
use super::regions::Regions;
use super::sums::Sums;
use crate::energy::outer;
use crate::math::lanes::{InstructionSet, LaneNumber, nearest_rotations};
use crate::math::{Mat3, Quat, Vec3, symmetric_eigen, symmetric_inverse_where_positive};
use crate::parallel::{self, Strided};

/// Regions whose rotations are worked out at once.
const WIDTH: usize = f64::WIDTH;
/// Groups of regions that are worth a task of their own.
const GROUPS: usize = 64;
/// Volumes and squares below this share of a region's own are flat: what it does there cannot be seen.
const FLAT: f64 = 1e-9;

/// Where a region's shape fits: x = origin + shift + linear · r, with r the place of a particle at rest from the mean of all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fit {
    pub(super) linear: Mat3,
    pub(super) shift: Vec3,
    /// What the squares and products of r − centre add: columns for x², y², z², xy, yz, zx less their means.
    pub(super) quadratic: [Vec3; 6],
}

impl Default for Fit {
    fn default() -> Self {
        Self { linear: Mat3::IDENTITY, shift: Vec3::ZERO, quadratic: [Vec3::ZERO; 6] }
    }
}

/// What is fixed of a region.
#[derive(Debug, Clone)]
pub(super) struct Region {
    /// Centre of masses at rest \[m\].
    pub(super) centre: Vec3,
    /// The largest distance from it \[m\]: w of the limit.
    pub(super) half_width: f64,
    /// Σ m̃ \[kg\].
    pub(super) mass: f64,
    /// 1/Σ m̃‖r̄‖², 0 of a point.
    scale: f64,
    /// (Σ m̃ r̄ r̄ᵀ)⁻¹ where it extends, and the projection onto directions where it does not.
    inverse_square: Mat3,
    flat: Mat3,
    quadratic: Option<Box<Quadratic>>,
}

/// What quadratic modes need of a region.
#[derive(Debug, Clone)]
struct Quadratic {
    /// Means of squares and products.
    means: [f64; 6],
    /// (Σ m̃ r̃ r̃ᵀ)⁻¹ of places with their squares and products, row by row.
    inverse_square: [f64; 81],
}

/// Squares and products of a vector.
pub(super) fn products(r: Vec3) -> [f64; 6] {
    [r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.y * r.z, r.z * r.x]
}

/// Fits of all regions of a body.
#[derive(Debug)]
pub(super) struct Fits {
    pub(super) sums: Sums,
    /// Places at rest, from the mean of all: sums over regions are differences of large ones where the origin is far \[m\].
    pub(super) rest: Vec<Vec3>,
    /// In how many regions each particle is.
    pub(super) counts: Vec<f64>,
    /// m̃, the mass of each particle in each of its regions \[kg\].
    pub(super) masses: Vec<f64>,
    pub(super) regions: Vec<Region>,
    modes: Modes,
    /// Quaternions (x, y, z, w) of groups of regions, a vector for each number.
    rotations: Vec<[[f64; WIDTH]; 4]>,
    /// As many for each group.
    fits: Vec<Fit>,
    /// What fits are from: the place of a particle, so that far from the world's origin nothing is lost \[m\].
    pub(super) origin: Vec3,
    instructions: InstructionSet,
}

impl Fits {
    /// Of particles at rest with their masses \[kg\].
    pub(super) fn new(regions: &Regions, rest: &[Vec3], masses: &[f64], modes: Modes) -> Self {
        let sums = Sums::new(regions, rest.len());
        let counts: Vec<f64> = sums.scatter(&vec![[1.0]; regions.len()]).into_iter().flatten().collect();
        let masses: Vec<f64> = masses.iter().zip(&counts).map(|(mass, count)| mass / count).collect();
        let mean = rest.iter().fold(Vec3::ZERO, |sum, r| sum + *r) / rest.len() as f64;
        let rest: Vec<Vec3> = rest.iter().map(|r| *r - mean).collect();
        let values: Vec<[f64; 10]> = rest.iter().zip(&masses).map(|(r, m)| moments_at_rest(*r, *m)).collect();
        let lattice = regions.lattice();
        let half_width = |region: usize, centre: Vec3| match (&sums, lattice) {
            (Sums::Lists { members, .. }, _) => {
                members.row(region).iter().fold(0.0_f64, |most, &v| most.max(rest[v as usize].distance(centre)))
            }
            (Sums::Chains(chains), _) => {
                let all = chains.members(region).iter();
                all.fold(0.0_f64, |most, &v| most.max(rest[v as usize].distance(centre)))
            }
            // From the middle of a cube to its corners, also where a region ends at the boundary.
            (_, Some((lattice, width))) => 3.0_f64.sqrt() * width as f64 * lattice.spacing(),
            _ => 0.0,
        };
        let gathered = sums.gather(&values);
        let list = gathered.iter().enumerate().map(|(region, sum)| {
            let mass = sum[0];
            let centre = Vec3::from_slice(&sum[1..]) / mass;
            let [xx, yy, zz, xy, yz, zx] = [4, 5, 6, 7, 8, 9].map(|k| sum[k]);
            let square = Mat3::from_cols(Vec3::new(xx, xy, zx), Vec3::new(xy, yy, yz), Vec3::new(zx, yz, zz));
            let square = square - outer(centre * mass, centre);
            let (inverse_square, flat) = match modes {
                Modes::Linear(_) | Modes::Quadratic(_) => symmetric_inverse_where_positive(square),
                Modes::Rigid => (Mat3::ZERO, Mat3::ZERO),
            };
            let size = square.x_axis.x + square.y_axis.y + square.z_axis.z;
            let scale = if size > 0.0 { 1.0 / size } else { 0.0 };
            let quadratic = match (&sums, modes) {
                (Sums::Lists { members, .. }, Modes::Quadratic(_)) => {
                    let all = members.row(region).iter().map(|&v| (rest[v as usize], masses[v as usize]));
                    Some(Box::new(Quadratic::new(all, centre)))
                }
                _ => None,
            };
            let half_width = half_width(region, centre);
            Region { centre, half_width, mass, scale, inverse_square, flat, quadratic }
        });
        let list: Vec<Region> = list.collect();
        let groups = list.len().div_ceil(WIDTH);
        let unturned = [[0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH], [1.0; WIDTH]];
        Self {
            sums,
            rest,
            counts,
            masses,
            regions: list,
            modes,
            rotations: vec![unturned; groups],
            fits: vec![Fit::default(); groups * WIDTH],
            origin: Vec3::ZERO,
            instructions: InstructionSet::detect(),
        }
    }

    pub(super) fn fits(&self) -> &[Fit] {
        &self.fits[..self.regions.len()]
    }

    pub(super) fn set_rotations(&mut self, rotations: &[Quat]) {
        for (region, rotation) in rotations.iter().enumerate() {
            let group = &mut self.rotations[region / WIDTH];
            (0..4).for_each(|k| group[k][region % WIDTH] = rotation.to_array()[k]);
        }
    }

    pub(super) fn rotations(&self) -> impl Iterator<Item = Quat> {
        (0..self.regions.len()).map(|region| {
            let group = &self.rotations[region / WIDTH];
            Quat::from_array([0, 1, 2, 3].map(|k| group[k][region % WIDTH]))
        })
    }

    /// Fits all regions to particles at x.
    pub(super) fn update(&mut self, x: &[Vec3]) {
        let origin = x[0];
        self.origin = origin;
        let mut values = vec![[0.0; 12]; x.len()];
        let (rest, masses) = (&self.rest, &self.masses);
        parallel::for_each(0..x.len(), Strided { entries: &mut values, stride: 1 }, &|range, values| {
            for (v, value) in range.zip(values.entries) {
                let (d, r) = ((x[v] - origin) * masses[v], rest[v]);
                let [a, b, c] = [d * r.x, d * r.y, d * r.z];
                *value = [d.x, d.y, d.z, a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z];
            }
        });
        let sums = self.sums.gather(&values);
        let (regions, modes, instructions) = (&self.regions, self.modes, self.instructions);
        let lists = match &self.sums {
            Sums::Lists { members, .. } => Some(members),
            Sums::Lattice { .. } | Sums::Chains(_) => None,
        };
        let rotations = Strided { entries: &mut self.rotations, stride: 1 };
        let fits = Strided { entries: &mut self.fits, stride: WIDTH };
        let groups = rotations.entries.len();
        parallel::for_each_of(GROUPS, 0..groups, (rotations, fits), &|range, (rotations, fits)| {
            let outputs = rotations.entries.iter_mut().zip(fits.entries.as_chunks_mut::<WIDTH>().0);
            for (group, (rotation, fits)) in range.zip(outputs) {
                let own = group * WIDTH..regions.len().min((group + 1) * WIDTH);
                let (mut moments, mut columns) = ([Mat3::ZERO; WIDTH], [[[0.0; WIDTH]; 3]; 3]);
                for lane in 0..WIDTH {
                    // Lanes without a region get the identity.
                    let scaled = own.clone().nth(lane).map_or(Mat3::IDENTITY, |region| {
                        let (sum, centre) = (&sums[region], regions[region].centre);
                        let all = Mat3::from_cols_slice(&sum[3..]);
                        moments[lane] = all - outer(Vec3::from_slice(sum), centre);
                        moments[lane] * regions[region].scale
                    });
                    let of = |k: usize| scaled.col(k).to_array();
                    (0..3).for_each(|k| (0..3).for_each(|c| columns[k][c][lane] = of(k)[c]));
                }
                nearest_rotations(instructions, &mut columns, rotation);
                for (lane, region) in own.enumerate() {
                    let turned = |k: usize| Vec3::from_array([0, 1, 2].map(|c| columns[k][c][lane]));
                    let turned = Mat3::from_cols(turned(0), turned(1), turned(2));
                    let fixed = &regions[region];
                    let mut fit = Fit { linear: deformed(modes, fixed, &moments[lane], turned), ..Fit::default() };
                    if let (Modes::Quadratic(beta), Some(quadratic), Some(members)) = (modes, &fixed.quadratic, lists) {
                        let all = members.row(region).iter().map(|&v| v as usize);
                        let all = all.map(|v| (rest[v] - fixed.centre, (x[v] - origin) * masses[v]));
                        let (linear, others) = quadratic.fit(all, fixed.flat, turned);
                        fit.linear = linear * beta + turned * (1.0 - beta);
                        fit.quadratic = others.map(|column| column * beta);
                    }
                    fit.shift = Vec3::from_slice(&sums[region]) / fixed.mass - fit.linear * fixed.centre;
                    fits[lane] = fit;
                }
            }
        });
    }

    /// Where a particle would be by the fit of a region.
    pub(super) fn place(&self, region: usize, v: usize) -> Vec3 {
        let (fit, fixed, r) = (&self.fits[region], &self.regions[region], self.rest[v]);
        let place = self.origin + fit.shift + fit.linear * r;
        let Some(quadratic) = &fixed.quadratic else { return place };
        let numbers = products(r - fixed.centre);
        (0..6).fold(place, |sum, k| sum + fit.quadratic[k] * (numbers[k] - quadratic.means[k]))
    }
}

/// m, m r, m r rᵀ.
fn moments_at_rest(r: Vec3, m: f64) -> [f64; 10] {
    let squares = products(r);
    std::array::from_fn(|k| match k {
        0 => m,
        1..4 => m * r[k - 1],
        _ => m * squares[k - 4],
    })
}

/// β of the best linear map, with the volume of the rest shape, and 1 − β of the rotation.
fn deformed(modes: Modes, region: &Region, moments: &Mat3, rotation: Mat3) -> Mat3 {
    let Modes::Linear(beta) = modes else { return rotation };
    let best = *moments * region.inverse_square + rotation * region.flat;
    let volume = best.determinant();
    // A map that turns the region inside out, or makes it flat, has no volume to be scaled to.
    let best = if volume > FLAT { best / volume.cbrt() } else { rotation };
    best * beta + rotation * (1.0 - beta)
}

impl Quadratic {
    fn new(members: impl Iterator<Item = (Vec3, f64)> + Clone, centre: Vec3) -> Self {
        let mass: f64 = members.clone().map(|(_, m)| m).sum();
        let mut means = [0.0; 6];
        for (r, m) in members.clone() {
            let numbers = products(r - centre);
            (0..6).for_each(|k| means[k] += m * numbers[k] / mass);
        }
        // Departure: [Müller 2005] takes squares as they are. Less their means the goals have the centre of the particles, so that
        // momentum is kept.
        let mut this = Self { means, inverse_square: [0.0; 81] };
        let mut square = [0.0; 81];
        for (r, m) in members {
            let all = this.numbers(r - centre);
            (0..81).for_each(|k| square[k] += m * all[k / 9] * all[k % 9]);
        }
        // Lengths and areas differ in size: in units of the region's own size what is small is what cannot be seen.
        let size = ((square[0] + square[10] + square[20]) / mass).sqrt();
        let size = if size > 0.0 { size } else { 1.0 };
        let scales: [f64; 9] = std::array::from_fn(|k| mass.sqrt() * if k < 3 { size } else { size * size });
        (0..81).for_each(|k| square[k] /= scales[k / 9] * scales[k % 9]);
        let mut vectors = [0.0; 81];
        symmetric_eigen(&mut square, &mut vectors, 9);
        for k in (0..9).filter(|k| square[10 * k] > FLAT) {
            for entry in 0..81 {
                let (row, column) = (entry / 9, entry % 9);
                let pair = vectors[9 * row + k] * vectors[9 * column + k];
                this.inverse_square[entry] += pair / (square[10 * k] * scales[row] * scales[column]);
            }
        }
        this
    }

    /// A place with its squares and products less their means.
    fn numbers(&self, r: Vec3) -> [f64; 9] {
        let squares = products(r);
        std::array::from_fn(|k| if k < 3 { r[k] } else { squares[k - 3] - self.means[k - 3] })
    }

    /// The linear part of the best map, and its columns for squares and products, from places at rest and weighted movements.
    fn fit(&self, members: impl Iterator<Item = (Vec3, Vec3)>, flat: Mat3, rotation: Mat3) -> (Mat3, [Vec3; 6]) {
        let mut moments = [Vec3::ZERO; 9];
        for (r, d) in members {
            let numbers = self.numbers(r);
            (0..9).for_each(|k| moments[k] += d * numbers[k]);
        }
        let column = |k: usize| (0..9).fold(Vec3::ZERO, |sum, j| sum + moments[j] * self.inverse_square[9 * j + k]);
        let linear = Mat3::from_cols(column(0), column(1), column(2)) + rotation * flat;
        (linear, std::array::from_fn(|k| column(3 + k)))
    }
}
