//! Where the rest shape of each region fits best.
//!
//! With r̄ᵢ the place of a particle in its region at rest, from the region's centre, and M = Σ m̃ᵢ xᵢ r̄ᵢᵀ the moments of a region, the rotation
//! that fits best is that nearest to M, and the linear map that fits best is M (Σ m̃ r̄ r̄ᵀ)⁻¹ [Müller 2005]. M is made from sums that do
//! not know the region's centre, M = Σ m̃ x rᵀ − (Σ m̃ x) cᵀ [Bender 2014, equation 8], so that they can be shared.

use super::members::Members;
use super::quadratic::{Quadratic, Squares};
use super::regions::Regions;
use super::sums::{Buffers, Sums};
use super::{Matching, Modes};
use crate::math::functions::cbrt;
use crate::math::lanes::{InstructionSet, LaneNumber, nearest_rotations};
use crate::math::{Mat3, Quat, Vec3, outer, symmetric_inverse_where_positive};
use crate::parallel::{self, Strided};

/// Regions whose rotations are worked out at once.
const WIDTH: usize = f64::WIDTH;
/// Groups of regions that are worth a task of their own.
const GROUPS: usize = 64;
/// Volumes and squares below this share of a region's own are flat: what it does there cannot be seen.
pub(super) const FLAT: f64 = 1e-9;
/// A region whose squares are below this share of those from the origin is a point.
const POINT: f64 = 1e-12;

/// Where a region's shape fits: x = origin + shift + linear · r, with r the place of a particle at rest from the mean of all. The columns of
/// the linear map, then the shift.
pub(super) type Map = [f64; 12];

const AT_REST: Map = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];

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
    maps: Vec<Map>,
    /// What quadratic modes add to the map of each region; empty without.
    squares: Vec<Squares>,
    /// Plastic stretches of regions; none where the body does not flow.
    pub(super) stretches: Vec<Mat3>,
    /// What fits are from: the place of a particle, so that far from the world's origin nothing is lost \[m\].
    pub(super) origin: Vec3,
    /// Places now from the origin, with a number unused.
    pub(super) points: Vec<[f64; 4]>,
    /// Lists, a vector of members at a time.
    pub(super) members: Option<Members>,
    /// Σ m̃ x and the columns of Σ m̃ x rᵀ of each region; the numbers of each particle that they are sums of.
    moments: Buffers<12>,
    values: Vec<[f64; 12]>,
    instructions: InstructionSet,
}

impl Fits {
    /// Of particles at rest with their masses \[kg\].
    pub(super) fn new(matching: &Matching, regions: &Regions, rest: &[Vec3], masses: &[f64]) -> Self {
        let (modes, with_deformations) =
            (matching.modes, matching.plasticity.is_some() || matching.toughness.is_some());
        let sums = Sums::new(regions, rest.len());
        let counts: Vec<f64> = sums.scattered(&vec![[1.0]; regions.len()]).into_iter().flatten().collect();
        let masses: Vec<f64> = masses.iter().zip(&counts).map(|(mass, count)| mass / count).collect();
        let mean = rest.iter().fold(Vec3::ZERO, |sum, r| sum + *r) / rest.len() as f64;
        let rest: Vec<Vec3> = rest.iter().map(|r| *r - mean).collect();
        let values: Vec<[f64; 10]> = rest.iter().zip(&masses).map(|(r, m)| moments_at_rest(*r, *m)).collect();
        let half_width = |region: usize, centre: Vec3| match &sums {
            Sums::Lists { members, .. } => {
                members.row(region).iter().fold(0.0_f64, |most, &v| most.max(rest[v as usize].distance(centre)))
            }
            // From the middle of a cube to its corners, also where a region ends at the boundary.
            Sums::Lattice { lattice, width } => 3.0_f64.sqrt() * *width as f64 * lattice.spacing(),
            Sums::Runs(runs) => runs.half_widths[region],
        };
        let gathered = sums.gathered(&values);
        let list = gathered.iter().enumerate().map(|(region, sum)| {
            let mass = sum[0];
            let centre = Vec3::from_slice(&sum[1..]) / mass;
            let square = square_about(mass, centre, std::array::from_fn(|k| sum[k + 4]));
            let (inverse_square, flat) = match modes {
                Modes::Rigid if !with_deformations => (Mat3::ZERO, Mat3::ZERO),
                _ => symmetric_inverse_where_positive(square),
            };
            let size = trace(&square);
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
        let members = sums.members().map(|members| Members::new(members, &rest, &masses));
        let squares = if matches!(modes, Modes::Quadratic(_)) { vec![[Vec3::ZERO; 6]; list.len()] } else { Vec::new() };
        Self {
            sums,
            counts,
            masses,
            modes,
            rotations: vec![unturned; groups],
            maps: vec![AT_REST; list.len()],
            squares,
            stretches: vec![Mat3::IDENTITY; if matching.plasticity.is_some() { groups * WIDTH } else { 0 }],
            origin: Vec3::ZERO,
            points: Vec::new(),
            members,
            moments: Buffers::default(),
            values: Vec::new(),
            instructions: InstructionSet::detect(),
            regions: list,
            rest,
        }
    }

    pub(super) fn maps(&self) -> &[Map] {
        &self.maps
    }

    pub(super) fn set_rotations(&mut self, rotations: &[Quat]) {
        for (region, rotation) in rotations.iter().enumerate() {
            let group = &mut self.rotations[region / WIDTH];
            (0..4).for_each(|k| group[k][region % WIDTH] = rotation.to_array()[k]);
        }
    }

    pub(super) fn rotations(&self) -> impl Iterator<Item = Quat> {
        (0..self.regions.len()).map(|region| self.rotation(region))
    }

    fn rotation(&self, region: usize) -> Quat {
        let group = &self.rotations[region / WIDTH];
        Quat::from_array([0, 1, 2, 3].map(|k| group[k][region % WIDTH]))
    }

    /// Fits all regions to particles at x.
    pub(super) fn update(&mut self, x: &[Vec3]) {
        let origin = x[0];
        self.origin = origin;
        self.points.resize(x.len(), [0.0; 4]);
        parallel::for_each(0..x.len(), Strided { entries: &mut self.points, stride: 1 }, &|range, points| {
            for (v, point) in range.zip(points.entries) {
                let d = x[v] - origin;
                *point = [d.x, d.y, d.z, 0.0];
            }
        });
        self.gather_moments();
        let (sums, regions, modes, instructions) = (&self.moments.sums, &self.regions, self.modes, self.instructions);
        let stretches = &self.stretches;
        let rotations = Strided { entries: &mut self.rotations, stride: 1 };
        let maps = Strided { entries: &mut self.maps, stride: WIDTH };
        let groups = rotations.entries.len();
        parallel::for_each_of(GROUPS, 0..groups, (rotations, maps), &|range, (rotations, maps)| {
            let outputs = rotations.entries.iter_mut().zip(maps.entries.chunks_mut(WIDTH));
            for (group, (rotation, maps)) in range.zip(outputs) {
                let own = group * WIDTH..group * WIDTH + maps.len();
                let (mut moments, mut columns) = ([Mat3::ZERO; WIDTH], [[[0.0; WIDTH]; 3]; 3]);
                for lane in 0..WIDTH {
                    // Lanes without a region get the identity.
                    let scaled = own.clone().nth(lane).map_or(Mat3::IDENTITY, |region| {
                        let (sum, centre) = (&sums[region], regions[region].centre);
                        let all = Mat3::from_cols_slice(&sum[3..]);
                        moments[lane] = all - outer(Vec3::from_slice(sum), centre);
                        let of_shape = stretches.get(region).map_or(moments[lane], |stretch| moments[lane] * *stretch);
                        of_shape * regions[region].scale
                    });
                    let of = |k: usize| scaled.col(k).to_array();
                    (0..3).for_each(|k| (0..3).for_each(|c| columns[k][c][lane] = of(k)[c]));
                }
                nearest_rotations(instructions, &mut columns, rotation);
                for (lane, (region, map)) in own.zip(maps).enumerate() {
                    let turned = |k: usize| Vec3::from_array([0, 1, 2].map(|c| columns[k][c][lane]));
                    let turned = Mat3::from_cols(turned(0), turned(1), turned(2));
                    let turned = stretches.get(region).map_or(turned, |stretch| turned * *stretch);
                    let fixed = &regions[region];
                    fixed.set_map(map, deformed(modes, fixed, &moments[lane], turned), &sums[region]);
                }
            }
        });
        self.bend();
    }

    fn gather_moments(&mut self) {
        if let Some(members) = &self.members {
            return members.sums(&self.points, &mut self.moments.sums);
        }
        let (rest, masses, points) = (&self.rest, &self.masses, &self.points);
        self.values.resize(rest.len(), [0.0; 12]);
        parallel::for_each(0..rest.len(), Strided { entries: &mut self.values, stride: 1 }, &|range, values| {
            for (v, value) in range.zip(values.entries) {
                let (d, r) = (Vec3::from_slice(&points[v]) * masses[v], rest[v]);
                let [a, b, c] = [d * r.x, d * r.y, d * r.z];
                *value = [d.x, d.y, d.z, a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z];
            }
        });
        self.sums.gather(&self.values, &mut self.moments);
    }

    /// Quadratic modes of regions that have them.
    fn bend(&mut self) {
        let (Modes::Quadratic(beta), Some(members)) = (self.modes, self.sums.members()) else { return };
        for (region, (map, squares)) in self.maps.iter_mut().zip(&mut self.squares).enumerate() {
            let fixed = &self.regions[region];
            let Some(quadratic) = &fixed.quadratic else { continue };
            let rotation = Mat3::from_cols_slice(map);
            let all = members.row(region).iter().map(|&v| v as usize);
            let all = all.map(|v| (self.rest[v] - fixed.centre, Vec3::from_slice(&self.points[v]) * self.masses[v]));
            let (linear, others) = quadratic.fit(all, fixed.flat, rotation);
            fixed.set_map(map, linear * beta + rotation * (1.0 - beta), &self.moments.sums[region]);
            *squares = others.map(|column| column * beta);
        }
    }

    /// The linear map that fits a region best, of bodies that flow or break.
    pub(super) fn deformation(&self, region: usize) -> Mat3 {
        let (fixed, sum) = (&self.regions[region], &self.moments.sums[region]);
        let moments = Mat3::from_cols_slice(&sum[3..]) - outer(Vec3::from_slice(sum), fixed.centre);
        let rotation = Mat3::from_quat(self.rotation(region));
        let turned = self.stretches.get(region).map_or(rotation, |stretch| rotation * *stretch);
        moments * fixed.inverse_square + turned * fixed.flat
    }

    /// Where a particle would be by the fit of a region.
    pub(super) fn place(&self, region: usize, v: usize) -> Vec3 {
        let (map, fixed, r) = (&self.maps[region], &self.regions[region], self.rest[v]);
        let place = self.origin + Vec3::from_slice(&map[9..]) + Mat3::from_cols_slice(map) * r;
        fixed.quadratic.as_ref().map_or(place, |own| place + own.bend(&self.squares[region], r - fixed.centre))
    }
}

impl Region {
    /// The map with this linear part that keeps the centre of masses, from Σ m̃ x.
    fn set_map(&self, map: &mut Map, linear: Mat3, sum: &[f64; 12]) {
        let shift = Vec3::from_slice(sum) / self.mass - linear * self.centre;
        map[..9].copy_from_slice(&linear.to_cols_array());
        map[9..].copy_from_slice(&shift.to_array());
    }
}

/// Σ m (r − c)(r − c)ᵀ about the centre of masses, from Σ m of squares and products. A point has none: what is left there is rounding.
pub(super) fn square_about(mass: f64, centre: Vec3, products: [f64; 6]) -> Mat3 {
    let [xx, yy, zz, xy, yz, zx] = products;
    let all = Mat3::from_cols(Vec3::new(xx, xy, zx), Vec3::new(xy, yy, yz), Vec3::new(zx, yz, zz));
    let square = all - outer(centre * mass, centre);
    if trace(&square) > POINT * trace(&all) { square } else { Mat3::ZERO }
}

pub(super) fn trace(m: &Mat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
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

/// β of the best linear map, with the volume of the rest shape, and 1 − β of the rotation, which takes a plastic stretch along.
fn deformed(modes: Modes, region: &Region, moments: &Mat3, rotation: Mat3) -> Mat3 {
    let Modes::Linear(beta) = modes else { return rotation };
    let best = *moments * region.inverse_square + rotation * region.flat;
    let volume = best.determinant();
    // A map that turns the region inside out, or makes it flat, has no volume to be scaled to.
    let best = if volume > FLAT { best / cbrt(volume) } else { rotation };
    best * beta + rotation * (1.0 - beta)
}
