//! Regions around centres.

use std::collections::{BTreeSet, HashMap};

use super::regions::{RegionError, Regions};
use crate::math::Vec3;
use crate::mesh::Csr;

/// Rounds that centres are moved to the middle of what is nearest to them.
const ROUNDS: usize = 12;
/// Distances that differ by less than this share of the radius are equal: a particle between centres belongs to all of them.
const TIE: f64 = 1e-6;

impl Regions {
    /// Spheres of a radius \[m\] around particles picked at random among those that are in no region yet, until all are in one
    /// [Bargteil & Jones 2014, §2]. The same seed gives the same regions.
    pub fn random(points: &[Vec3], radius: f64, seed: u64) -> Result<Self, RegionError> {
        check(points, radius)?;
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        let mut bits = seed;
        for k in (1..order.len()).rev() {
            bits = next_random(bits);
            order.swap(k, (scrambled(bits) % (k as u64 + 1)) as usize);
        }
        let buckets = Buckets::new(points, radius);
        let (mut members, mut is_in_one) = (Csr::default(), vec![false; points.len()]);
        for centre in order {
            if !is_in_one[centre as usize] {
                let region = buckets.within(points[centre as usize], radius);
                region.iter().for_each(|&particle| is_in_one[particle as usize] = true);
                members.push_row(&region);
            }
        }
        Ok(Self::new(members))
    }

    /// Spheres of a radius \[m\] around centres, each in the middle of the particles closest to it, so that regions
    /// have about equal masses. Centres start as a grid in the middle of the points' box, and a particle halfway
    /// between two counts for both: a body that is symmetric about the planes of the box has symmetric regions.
    pub fn balanced(points: &[Vec3], radius: f64) -> Result<Self, RegionError> {
        check(points, radius)?;
        let mut centres = grid_over(points, 2.0 * radius / 3.0_f64.sqrt());
        let tie = TIE * radius;
        for _ in 0..ROUNDS {
            let mut sums = vec![(Vec3::ZERO, 0.0); centres.len()];
            for &point in points {
                let nearest = nearest_of(&centres, point, tie);
                let share = 1.0 / nearest.len() as f64;
                for centre in nearest {
                    sums[centre].0 += point * share;
                    sums[centre].1 += share;
                }
            }
            centres = sums.into_iter().filter(|(_, count)| *count > 0.0).map(|(sum, count)| sum / count).collect();
        }
        let buckets = Buckets::new(points, radius);
        let mut regions: Vec<Vec<u32>> = centres.iter().map(|&centre| buckets.within(centre, radius + tie)).collect();
        let mut is_in_one = vec![false; points.len()];
        regions.iter().flatten().for_each(|&particle| is_in_one[particle as usize] = true);
        for particle in (0..points.len()).filter(|&particle| !is_in_one[particle]) {
            let nearest = nearest_of(&centres, points[particle], tie);
            nearest.into_iter().for_each(|centre| regions[centre].push(particle as u32));
        }
        regions.retain(|region| !region.is_empty());
        Ok(Self::new(Csr::from_rows(regions)))
    }

    /// Balanced regions of several sizes: each of the levels has twice the radius \[m\] of the one before. Small ones
    /// preserve details, large ones the overall shape.
    pub fn multi_scale(points: &[Vec3], radius: f64, levels: usize) -> Result<Self, RegionError> {
        let mut regions = Self::balanced(points, radius)?;
        for level in 1..levels {
            let coarse = Self::balanced(points, radius * 2.0_f64.powi(level as i32))?;
            let is_last = coarse.len() == 1;
            regions = regions.and(&coarse);
            if is_last {
                break;
            }
        }
        Ok(regions)
    }
}

fn check(points: &[Vec3], radius: f64) -> Result<(), RegionError> {
    if !(radius > 0.0 && radius.is_finite()) {
        return Err(RegionError::BadNumber { name: "radius", value: radius, need: "finite and positive" });
    }
    check_points(points)
}

/// Checks that points are finite.
pub(super) fn check_points(points: &[Vec3]) -> Result<(), RegionError> {
    for (particle, point) in points.iter().enumerate() {
        if let Some(coordinate) = point.to_array().into_iter().find(|c| !c.is_finite()) {
            return Err(RegionError::NonFinite { particle, coordinate });
        }
    }
    Ok(())
}

/// SplitMix64: the next state, and its scrambled bits.
fn next_random(bits: u64) -> u64 {
    bits.wrapping_add(0x9e37_79b9_7f4a_7c15)
}

fn scrambled(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Centres of the cells with points of a grid of about this spacing over the points' box. A point between cells is in all of them.
fn grid_over(points: &[Vec3], spacing: f64) -> Vec<Vec3> {
    let low = points.iter().fold(Vec3::INFINITY, |low, p| low.min(*p));
    let high = points.iter().fold(Vec3::NEG_INFINITY, |high, p| high.max(*p));
    let extent = high - low;
    let counts = extent.to_array().map(|e| (e / spacing - TIE).ceil().max(1.0));
    let mut cells = BTreeSet::new();
    for point in points {
        let along = |axis: usize| {
            let at = (point[axis] - low[axis]) / extent[axis].max(f64::MIN_POSITIVE) * counts[axis];
            [at - TIE, at + TIE].map(|at| at.floor().clamp(0.0, counts[axis] - 1.0) as u64)
        };
        let [x, y, z] = [0, 1, 2].map(along);
        x.iter().for_each(|&i| y.iter().for_each(|&j| z.iter().for_each(|&k| _ = cells.insert([i, j, k]))));
    }
    let centre = |cell: [u64; 3]| low + extent * ((Vec3::from(cell.map(|c| c as f64)) + 0.5) / Vec3::from(counts));
    cells.into_iter().map(centre).collect()
}

/// Centres at the least distance.
fn nearest_of(centres: &[Vec3], point: Vec3, tie: f64) -> Vec<usize> {
    let least = centres.iter().fold(f64::INFINITY, |least, c| least.min(c.distance_squared(point))).sqrt() + tie;
    (0..centres.len()).filter(|&c| centres[c].distance_squared(point) <= least * least).collect()
}

/// Points by the cells of a grid.
struct Buckets<'a> {
    points: &'a [Vec3],
    size: f64,
    cells: HashMap<[i64; 3], Vec<u32>>,
}

impl<'a> Buckets<'a> {
    fn new(points: &'a [Vec3], size: f64) -> Self {
        let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
        for (index, point) in (0..).zip(points) {
            cells.entry(cell_of(*point, size)).or_default().push(index);
        }
        Self { points, size, cells }
    }

    /// Points at most so far away, in the order of their numbers.
    fn within(&self, centre: Vec3, radius: f64) -> Vec<u32> {
        let [low, high] = [-radius, radius].map(|by| cell_of(centre + Vec3::splat(by), self.size));
        let mut found = Vec::new();
        for i in low[0]..=high[0] {
            for j in low[1]..=high[1] {
                for k in low[2]..=high[2] {
                    let list = self.cells.get(&[i, j, k]).map_or(&[][..], Vec::as_slice);
                    let near = |index: &&u32| self.points[**index as usize].distance_squared(centre) <= radius * radius;
                    found.extend(list.iter().filter(near));
                }
            }
        }
        found.sort_unstable();
        found
    }
}

fn cell_of(point: Vec3, size: f64) -> [i64; 3] {
    (point / size).floor().to_array().map(|c| c as i64)
}
