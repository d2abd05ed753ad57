//! Where the rest shape of each region fits best.
//!
//! With r̄ᵢ the place of a particle in its region at rest, from the region's centre, and M = Σ m̃ᵢ xᵢ r̄ᵢᵀ the moments of a region, the rotation that fits best
//! is that nearest to M, and the linear map that fits best is M (Σ m̃ r̄ r̄ᵀ)⁻¹ [Müller 2005]. The rest centre is the centre of masses, so
//! positions need not be taken from their own.

use super::Modes;
use super::regions::Regions;
use crate::energy::outer;
use crate::math::lanes::{InstructionSet, LaneNumber, nearest_rotations};
use crate::math::{Mat3, Quat, Vec3, symmetric_eigen, symmetric_inverse_where_positive};
use crate::mesh::Csr;
use crate::parallel::{self, Strided};

/// Regions whose rotations are worked out at once.
const WIDTH: usize = f64::WIDTH;
/// Particles that are worth a task of their own.
const TASK: usize = 4096;
/// Volumes and squares below this share of a region's own are flat: what it does there cannot be seen.
const FLAT: f64 = 1e-9;

/// Where a region's shape fits: x = linear · r + shift, with r the place of a particle in the whole body at rest.
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
    members: Csr,
    /// m̃ r̄ and m̃ of each member, in the order of `members`.
    arms: Vec<[f64; 4]>,
    pub(super) regions: Vec<Region>,
    modes: Modes,
    /// Quaternions (x, y, z, w) of groups of regions, a vector for each number.
    rotations: Vec<[[f64; WIDTH]; 4]>,
    /// As many for each group.
    fits: Vec<Fit>,
    instructions: InstructionSet,
}

impl Fits {
    /// Of particles at rest with their shares of mass in each of their regions \[kg\].
    pub(super) fn new(regions: &Regions, rest: &[Vec3], masses: &[f64], modes: Modes) -> Self {
        let members = regions.members().clone();
        let (mut arms, mut list) = (Vec::with_capacity(members.items().len()), Vec::with_capacity(members.len()));
        for row in members.rows() {
            let all = || row.iter().map(|&v| (rest[v as usize], masses[v as usize]));
            let mass: f64 = all().map(|(_, m)| m).sum();
            let origin = rest[row[0] as usize];
            let centre = origin + all().fold(Vec3::ZERO, |sum, (r, m)| sum + (r - origin) * m) / mass;
            let square = all().fold(Mat3::ZERO, |sum, (r, m)| sum + outer((r - centre) * m, r - centre));
            let (inverse_square, flat) = symmetric_inverse_where_positive(square);
            let size = square.x_axis.x + square.y_axis.y + square.z_axis.z;
            let quadratic = matches!(modes, Modes::Quadratic(_)).then(|| Box::new(Quadratic::new(all(), centre)));
            list.push(Region {
                centre,
                half_width: all().fold(0.0_f64, |most, (r, _)| most.max(r.distance(centre))),
                mass,
                scale: if size > 0.0 { 1.0 / size } else { 0.0 },
                inverse_square,
                flat,
                quadratic,
            });
            arms.extend(all().map(|(r, m)| ((r - centre) * m).extend(m).to_array()));
        }
        let groups = list.len().div_ceil(WIDTH);
        let unturned = [[0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH], [1.0; WIDTH]];
        Self {
            members,
            arms,
            regions: list,
            modes,
            rotations: vec![unturned; groups],
            fits: vec![Fit::default(); groups * WIDTH],
            instructions: InstructionSet::detect(),
        }
    }

    pub(super) fn members(&self) -> &Csr {
        &self.members
    }

    /// m̃ r̄ and m̃ of a region's members.
    pub(super) fn arms(&self, region: usize) -> &[[f64; 4]] {
        &self.arms[self.members.range(region)]
    }

    pub(super) fn fit(&self, region: usize) -> &Fit {
        &self.fits[region]
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
        let (members, arms, regions, modes) = (&self.members, &self.arms, &self.regions, self.modes);
        let (groups, instructions) = (self.rotations.len(), self.instructions);
        let grain = (TASK * groups / members.items().len().max(1)).max(1);
        let rotations = Strided { entries: &mut self.rotations, stride: 1 };
        let fits = Strided { entries: &mut self.fits, stride: WIDTH };
        parallel::for_each_of(grain, 0..groups, (rotations, fits), &|range, (rotations, fits)| {
            let outputs = rotations.entries.iter_mut().zip(fits.entries.as_chunks_mut::<WIDTH>().0);
            for (group, (rotation, fits)) in range.zip(outputs) {
                let own = group * WIDTH..regions.len().min((group + 1) * WIDTH);
                let (mut moments, mut centres) = ([Mat3::ZERO; WIDTH], [Vec3::ZERO; WIDTH]);
                for (lane, region) in own.clone().enumerate() {
                    (moments[lane], centres[lane]) =
                        moments_of(members.row(region), &arms[members.range(region)], regions[region].mass, x);
                }
                let mut columns = [[[0.0; WIDTH]; 3]; 3];
                // Lanes without a region get the identity.
                for lane in 0..WIDTH {
                    let scaled = own.clone().nth(lane).map_or(Mat3::IDENTITY, |r| moments[lane] * regions[r].scale);
                    let of = |k: usize| scaled.col(k).to_array();
                    (0..3).for_each(|k| (0..3).for_each(|c| columns[k][c][lane] = of(k)[c]));
                }
                nearest_rotations(instructions, &mut columns, rotation);
                for (lane, region) in own.enumerate() {
                    let turned = |k: usize| Vec3::from_array([0, 1, 2].map(|c| columns[k][c][lane]));
                    let turned = Mat3::from_cols(turned(0), turned(1), turned(2));
                    let fixed = &regions[region];
                    let mut fit = Fit { linear: deformed(modes, fixed, &moments[lane], turned), ..Fit::default() };
                    if let (Modes::Quadratic(beta), Some(quadratic)) = (modes, &fixed.quadratic) {
                        let arms = &arms[members.range(region)];
                        let (linear, rest) = quadratic.fit(members.row(region), arms, x, fixed.flat, turned);
                        fit.linear = linear * beta + turned * (1.0 - beta);
                        fit.quadratic = rest.map(|column| column * beta);
                    }
                    fit.shift = centres[lane] - fit.linear * fixed.centre;
                    fits[lane] = fit;
                }
            }
        });
    }

    /// What squares and products add to a particle's goal.
    pub(super) fn quadratic(&self, region: usize, rest: Vec3) -> Vec3 {
        let fixed = &self.regions[region];
        let Some(quadratic) = &fixed.quadratic else { return Vec3::ZERO };
        let columns = &self.fits[region].quadratic;
        let numbers = products(rest - fixed.centre);
        (0..6).fold(Vec3::ZERO, |sum, k| sum + columns[k] * (numbers[k] - quadratic.means[k]))
    }
}

/// Σ m̃ x r̄ᵀ and the centre of masses of one region.
fn moments_of(row: &[u32], arms: &[[f64; 4]], mass: f64, x: &[Vec3]) -> (Mat3, Vec3) {
    // From one of its particles: far from the origin nothing is lost.
    let origin = x[row[0] as usize];
    let [mut a, mut b, mut c, mut sum] = [Vec3::ZERO; 4];
    for (&v, arm) in row.iter().zip(arms) {
        let d = x[v as usize] - origin;
        a += d * arm[0];
        b += d * arm[1];
        c += d * arm[2];
        sum += d * arm[3];
    }
    (Mat3::from_cols(a, b, c), origin + sum / mass)
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

    /// The linear part of the best map, and its columns for squares and products.
    fn fit(&self, row: &[u32], arms: &[[f64; 4]], x: &[Vec3], flat: Mat3, rotation: Mat3) -> (Mat3, [Vec3; 6]) {
        let origin = x[row[0] as usize];
        let mut moments = [Vec3::ZERO; 9];
        for (&v, arm) in row.iter().zip(arms) {
            let mass = arm[3];
            if mass > 0.0 {
                let numbers = self.numbers(Vec3::from_slice(&arm[..3]) / mass);
                let d = (x[v as usize] - origin) * mass;
                (0..9).for_each(|k| moments[k] += d * numbers[k]);
            }
        }
        let column = |k: usize| (0..9).fold(Vec3::ZERO, |sum, j| sum + moments[j] * self.inverse_square[9 * j + k]);
        let linear = Mat3::from_cols(column(0), column(1), column(2)) + rotation * flat;
        (linear, std::array::from_fn(|k| column(3 + k)))
    }
}
