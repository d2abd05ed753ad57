//! Points that follow the particles of a lattice or an octree: the surface that they fill.
//!
//! A surface lies outside of the outermost particles, so it cannot be interpolated between them. Around each particle i a linear map is fitted to
//! the particles j up to two links away, Fᵢ = Σ (xⱼ − xᵢ) gⱼᵀ with gⱼ = mⱼ B⁻¹rⱼ, B = Σ mⱼ rⱼrⱼᵀ and m = 1/r², and a point p goes along with all
//! particles around it: x = Σ wᵢ (xᵢ + Fᵢ(p − rᵢ)), with wᵢ ∝ (1 − d²/ρ²)². The gⱼ are known at rest, so x = Σ cₖxₖ with constant shares, which
//! reproduce affine maps exactly. Across a sheet that is one particle thick B says nothing; there points turn with it instead.
//!
//! Particles are around a point only where links lead to them from the nearest one, so that what faces each other across a gap does not stick
//! together.

use std::collections::BTreeMap;
use std::iter::Sum;
use std::ops::Mul;

use super::regions::{RegionError, neighbours_of};
use crate::math::{Mat3, Quat, Vec3, fitted_rotation, outer, symmetric_inverse_where_positive};
use crate::mesh::bvh::Bvh;
use crate::mesh::{Bounds, Csr, Edge};

/// ρ in sizes of a cell. What single particles do beside their neighbours is noise, which a surface of less reach shows as spikes.
const REACH: f64 = 2.0;

/// Points that follow particles with constant weights. [`Lattice::skin`](crate::Lattice::skin) and
/// [`Octree::skin`](crate::Octree::skin) make it.
///
/// ```
/// use pliant::Lattice;
/// use pliant::math::Vec3;
/// let lattice = Lattice::block([4, 3, 2], 0.1)?;
/// let skin = lattice.skin(&[Vec3::new(0.4, 0.3, 0.0)])?;
/// let grown: Vec<Vec3> = lattice.points().positions.iter().map(|p| Vec3::new(2.0, 1.0, 1.0) * *p).collect();
/// assert!((skin.apply(&grown)[0] - Vec3::new(0.8, 0.3, 0.0)).length() < 1e-12);
/// # Ok::<(), pliant::RegionError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MatchedSkin {
    /// For each point the particles that it follows.
    particles: Csr,
    /// Their shares, in the same order.
    shares: Vec<f64>,
    /// Neighbourhoods that are flat or on a line at rest.
    flat: Vec<Flat>,
    /// Points that turn with these: point, number of the neighbourhood, place from it \[m\].
    turning: Vec<(u32, u32, Vec3)>,
    particle_count: usize,
}

/// A particle with the neighbours that it turns with: number, place at rest \[m\], weight.
#[derive(Debug, Clone, PartialEq)]
struct Flat {
    centre: u32,
    neighbours: Vec<(u32, Vec3, f64)>,
}

/// The map around a particle: its gⱼ, and the directions that they say nothing of.
struct Fitted {
    gradients: Vec<(u32, Vec3)>,
    unseen: Mat3,
    /// Where there are such directions, the number of the neighbourhood.
    flat: Option<u32>,
}

impl MatchedSkin {
    /// Binds points to particles at rest \[m\] that are in the centres of cells of these sizes \[m\] and have these links.
    pub fn new(rest: &[Vec3], sizes: &[f64], links: &[Edge], points: &[Vec3]) -> Result<Self, RegionError> {
        let neighbours = &neighbours_of(rest.len(), links)?;
        check(rest, sizes, links)?;
        if let Some(point) = points.iter().position(|p| !p.is_finite()) {
            return Err(RegionError::BadPoint { point, value: points[point] });
        }
        let reach = |v: u32| REACH * sizes[v as usize];
        let boxed = |(p, size): (&Vec3, &f64)| Bounds { min: *p - REACH * *size, max: *p + REACH * *size };
        let tree = Bvh::new(&rest.iter().zip(sizes).map(boxed).collect::<Vec<_>>());
        let near = Bvh::new(&rest.iter().map(|p| Bounds { min: *p, max: *p }).collect::<Vec<_>>());
        let mut maps: BTreeMap<u32, Fitted> = BTreeMap::new();
        let mut skin = Self {
            particles: Csr::default(),
            shares: Vec::new(),
            flat: Vec::new(),
            turning: Vec::new(),
            particle_count: rest.len(),
        };
        let mut weights: BTreeMap<u32, f64> = BTreeMap::new();
        for (number, &point) in (0u32..).zip(points) {
            let distance_squared = |v: u32| rest[v as usize].distance_squared(point);
            weights.clear();
            tree.overlapping(&Bounds { min: point, max: point }, |v| {
                let left = 1.0 - distance_squared(v) / reach(v).powi(2);
                if left > 0.0 {
                    weights.insert(v, left * left);
                }
            });
            let nearest = near.nearest(point, distance_squared).item;
            let mut shares: BTreeMap<u32, f64> = BTreeMap::new();
            let around = linked(nearest, &weights, neighbours);
            let total: f64 = around.iter().map(|(_, weight)| weight).sum();
            for (v, weight) in around {
                let map = maps.entry(v).or_insert_with(|| fitted(v, rest, neighbours, &mut skin.flat));
                let (share, place) = (weight / total, point - rest[v as usize]);
                *shares.entry(v).or_default() += share;
                for &(other, gradient) in &map.gradients {
                    let along = share * gradient.dot(place);
                    *shares.entry(other).or_default() += along;
                    *shares.entry(v).or_default() -= along;
                }
                if let Some(flat) = map.flat {
                    skin.turning.push((number, flat, share * (map.unseen * place)));
                }
            }
            skin.particles.push_row(&shares.keys().copied().collect::<Vec<_>>());
            skin.shares.extend(shares.values());
        }
        Ok(skin)
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.particles.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The points for these positions of the particles \[m\].
    ///
    /// # Panics
    /// If the number of positions differs from the number of particles.
    pub fn apply(&self, positions: &[Vec3]) -> Vec<Vec3> {
        let mut points = self.mix(positions);
        let turns: Vec<Quat> = self.flat.iter().map(|flat| flat.turn(positions)).collect();
        self.turning.iter().for_each(|&(point, flat, place)| points[point as usize] += turns[flat as usize] * place);
        points
    }

    /// Velocities of the points \[m/s\], from positions \[m\] and velocities of the particles.
    ///
    /// # Panics
    /// If the number of either differs from the number of particles.
    pub fn velocities(&self, positions: &[Vec3], velocities: &[Vec3]) -> Vec<Vec3> {
        let mut points = self.mix(velocities);
        let turns: Vec<(Quat, Vec3)> =
            self.flat.iter().map(|flat| (flat.turn(positions), flat.spin(positions, velocities))).collect();
        for &(point, flat, place) in &self.turning {
            let (turn, spin) = turns[flat as usize];
            points[point as usize] += spin.cross(turn * place);
        }
        points
    }

    /// Interpolates a vector or number at the points from values at the particles.
    ///
    /// # Panics
    /// If the number of values differs from the number of particles.
    pub fn mix<T>(&self, values: &[T]) -> Vec<T>
    where
        T: Copy + Sum,
        f64: Mul<T, Output = T>,
    {
        assert_eq!(values.len(), self.particle_count, "a skin needs a value for each of its particles");
        let mut shares = &self.shares[..];
        let follow = |row: &[u32]| {
            let (own, rest) = shares.split_at(row.len());
            shares = rest;
            row.iter().zip(own).map(|(&v, &share)| share * values[v as usize]).sum()
        };
        self.particles.rows().map(follow).collect()
    }
}

fn check(rest: &[Vec3], sizes: &[f64], links: &[Edge]) -> Result<(), RegionError> {
    if rest.is_empty() {
        return Err(RegionError::NoRegions);
    }
    if sizes.len() != rest.len() {
        return Err(RegionError::OtherLattice { found: sizes.len(), expected: rest.len() });
    }
    if let Some(particle) = rest.iter().position(|p| !p.is_finite()) {
        let coordinate = rest[particle].to_array().into_iter().find(|c| !c.is_finite()).unwrap_or(f64::NAN);
        return Err(RegionError::NonFinite { particle, coordinate });
    }
    if let Some(&value) = sizes.iter().find(|size| !(**size > 0.0 && size.is_finite())) {
        return Err(RegionError::BadNumber { name: "cell size", value, need: "finite and positive" });
    }
    let length = |&[a, b]: &Edge| rest[a as usize].distance(rest[b as usize]);
    match links.iter().map(length).find(|&length| length <= 0.0) {
        Some(value) => Err(RegionError::BadNumber { name: "length of a link", value, need: "above 0" }),
        None => Ok(()),
    }
}

/// Of particles with weights those that links lead to from the nearest one, in the order of their numbers; the nearest alone where none is near.
fn linked(nearest: u32, weights: &BTreeMap<u32, f64>, neighbours: &Csr) -> Vec<(u32, f64)> {
    if !weights.contains_key(&nearest) {
        return vec![(nearest, 1.0)];
    }
    let mut found: BTreeMap<u32, f64> = BTreeMap::new();
    let mut waiting = vec![nearest];
    while let Some(v) = waiting.pop() {
        if let Some(&weight) = weights.get(&v)
            && found.insert(v, weight).is_none()
        {
            waiting.extend(neighbours.row(v as usize));
        }
    }
    found.into_iter().collect()
}

/// The map around a particle, by those that are at most two links away: the fewer, the more the noise of one counts at the surface.
fn fitted(centre: u32, rest: &[Vec3], neighbours: &Csr, flat: &mut Vec<Flat>) -> Fitted {
    let first = neighbours.row(centre as usize);
    let mut ring: Vec<u32> = first.iter().flat_map(|&v| neighbours.row(v as usize)).chain(first).copied().collect();
    ring.sort_unstable();
    ring.dedup();
    ring.retain(|&v| v != centre);
    let place = |&v: &u32| (v, rest[v as usize] - rest[centre as usize]);
    let members: Vec<(u32, Vec3, f64)> =
        ring.iter().map(place).map(|(v, r)| (v, r, r.length_squared().recip())).collect();
    let square = members.iter().fold(Mat3::ZERO, |sum, &(_, r, weight)| sum + outer(r, r) * weight);
    let (inverse, unseen) = symmetric_inverse_where_positive(square);
    let gradients = members.iter().map(|&(v, r, weight)| (v, inverse * r * weight)).collect();
    let number = (unseen != Mat3::ZERO).then(|| {
        flat.push(Flat { centre, neighbours: members });
        flat.len() as u32 - 1
    });
    Fitted { gradients, unseen, flat: number }
}

impl Flat {
    /// How it is turned.
    fn turn(&self, x: &[Vec3]) -> Quat {
        let arms = self.neighbours.iter();
        let arms = arms.map(|&(v, r, weight)| ((x[v as usize] - x[self.centre as usize]) * weight, r));
        fitted_rotation(arms, Quat::IDENTITY)
    }

    /// How fast it turns \[rad/s\].
    fn spin(&self, x: &[Vec3], v: &[Vec3]) -> Vec3 {
        let (mut inertia, mut momentum) = (Mat3::ZERO, Vec3::ZERO);
        for &(other, _, weight) in &self.neighbours {
            let arm = x[other as usize] - x[self.centre as usize];
            inertia += (Mat3::from_diagonal(Vec3::splat(arm.length_squared())) - outer(arm, arm)) * weight;
            momentum += arm.cross(v[other as usize] - v[self.centre as usize]) * weight;
        }
        symmetric_inverse_where_positive(inertia).0 * momentum
    }
}
