//! Lattices of cells that are fine where details are and coarse elsewhere [Steinemann 2008; Bender 2014, §4.3.2].
//!
//! A box of large cells is split, each cell into eight, where a criterion asks for it; a particle stands in the middle of each cell
//! that is left. The region around a particle is what is reached within its width by steps between cells that share a face, so that
//! what faces each other across a gap does not stick together.
//! Departure: the survey keeps sums in the inner nodes of the tree, and lists for each region those nodes that are wholly in it. In the
//! order of the tree the cells of a node follow each other, and nodes that follow each other are one run: fewer terms, one mechanism.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::regions::{RegionError, Regions, largest_piece, neighbours_of};
use super::runs::Runs;
use super::skin::MatchedSkin;
use crate::Body;
use crate::math::Vec3;
use crate::mesh::sdf::SignedDistance;
use crate::mesh::{Csr, Edge, PointSet};

/// Cells of several sizes that fill a solid, with a particle in the centre of each.
#[derive(Debug, Clone, PartialEq)]
pub struct Octree {
    /// In the order of the tree.
    cells: Vec<OctreeCell>,
    /// Cells that share a face.
    neighbours: Csr,
}

/// A cell of an octree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OctreeCell {
    /// Its centre \[m\].
    pub centre: Vec3,
    /// Length of its sides \[m\].
    pub size: f64,
}

/// Levels below the coarsest at most: places of cells are counted in whole numbers.
const MOST_LEVELS: u32 = 16;
/// Cells at most.
const MOST_CELLS: usize = 100_000_000;
/// Places along an axis at most.
const MOST_PLACES: f64 = 1e15;

/// A cell by its level and its lowest corner in units of the finest cells.
type Place = (u32, [i64; 3]);

impl Octree {
    /// Fills a solid: cells of `size` \[m\] are split up to `levels` times where `splits` says so; cells with a centre
    /// inside hold a particle. `splits` receives a cell and the signed distance at its centre.
    ///
    /// ```
    /// use pliant::mesh::sdf::Ball;
    /// use pliant::prelude::*;
    /// use pliant::{Octree, RegionError};
    /// let ball = Ball { centre: Vec3::ZERO, radius: 0.5 };
    /// // Fine at the surface.
    /// let octree = Octree::fill(&ball, 0.25, 2, |cell, distance| distance.abs() < cell.size)?;
    /// let sizes: Vec<f64> = octree.cells().iter().map(|cell| cell.size).collect();
    /// assert!(sizes.contains(&0.0625) && sizes.contains(&0.125));
    /// let jelly = octree.body(1000.0).with_matching(Matching::new(octree.regions(0.2)?));
    /// # Ok::<(), RegionError>(())
    /// ```
    pub fn fill(
        solid: &dyn SignedDistance,
        size: f64,
        levels: u32,
        splits: impl Fn(OctreeCell, f64) -> bool,
    ) -> Result<Self, RegionError> {
        if !(size > 0.0 && size.is_finite()) {
            return Err(RegionError::BadNumber { name: "cell size", value: size, need: "finite and positive" });
        }
        if levels > MOST_LEVELS {
            let value = f64::from(levels);
            return Err(RegionError::BadNumber { name: "number of levels", value, need: "at most 16" });
        }
        let bounds = solid.bounds();
        let counts = ((bounds.max - bounds.min) / size).ceil().max(Vec3::ONE);
        // Cells stand symmetrically in the solid's box.
        let origin = 0.5 * (bounds.min + bounds.max) - 0.5 * size * counts;
        let whole = 1i64 << levels;
        if !(counts.element_product() <= MOST_CELLS as f64 && counts.max_element() * (whole as f64) < MOST_PLACES) {
            let value = counts.element_product();
            return Err(RegionError::BadNumber { name: "number of cells", value, need: "at most 1e8" });
        }
        let unit = size / whole as f64;
        let cell_at = |(level, corner): Place| {
            let size = size / f64::from(1u32 << level);
            OctreeCell { centre: origin + Vec3::from(corner.map(|c| c as f64)) * unit + 0.5 * size, size }
        };
        let [nx, ny, nz] = counts.to_array().map(|n| n as i64);
        let roots = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
        let mut waiting: Vec<Place> = roots.map(|root| (0, root.map(|c| c * whole))).collect();
        waiting.reverse();
        let mut places: Vec<Place> = Vec::new();
        while let Some((level, corner)) = waiting.pop() {
            let cell = cell_at((level, corner));
            let distance = solid.distance(cell.centre);
            // A cell that the surface does not reach is not split for it.
            if distance > 0.5 * 3.0_f64.sqrt() * cell.size {
                continue;
            }
            if level < levels && splits(cell, distance) {
                let half = whole >> (level + 1);
                let child = |k: i64| (level + 1, [0, 1, 2].map(|axis| corner[axis] + half * (k >> axis & 1)));
                waiting.extend((0..8).rev().map(child));
            } else if distance <= 0.0 {
                places.push((level, corner));
            }
            if places.len() + waiting.len() > MOST_CELLS {
                let value = (places.len() + waiting.len()) as f64;
                return Err(RegionError::BadNumber { name: "number of cells", value, need: "at most 1e8" });
            }
        }
        if places.is_empty() {
            return Err(RegionError::NoRegions);
        }
        if places.len() == 1 {
            let extent = bounds.size().max_element();
            return Err(RegionError::TooCoarse { name: "cell size", value: size, extent });
        }
        let neighbours = face_neighbours(&places, whole);
        Ok(Self { cells: places.into_iter().map(cell_at).collect(), neighbours })
    }

    /// Makes an octree from known cells, such as stored ones, with the pairs that share a face. Cells keep their order:
    /// the closer neighbours are in it, the fewer runs regions have.
    pub fn new(cells: Vec<OctreeCell>, edges: &[Edge]) -> Result<Self, RegionError> {
        if cells.is_empty() {
            return Err(RegionError::NoRegions);
        }
        for (particle, cell) in cells.iter().enumerate() {
            if let Some(&coordinate) = cell.centre.to_array().iter().find(|c| !c.is_finite()) {
                return Err(RegionError::NonFinite { particle, coordinate });
            }
            if !(cell.size > 0.0 && cell.size.is_finite()) {
                return Err(RegionError::BadNumber {
                    name: "cell size",
                    value: cell.size,
                    need: "finite and positive",
                });
            }
        }
        let neighbours = neighbours_of(cells.len(), edges)?;
        Ok(Self { cells, neighbours })
    }

    /// Its cells; a particle is in the centre of each.
    pub fn cells(&self) -> &[OctreeCell] {
        &self.cells
    }

    /// Pairs of cells that share a face or a part of one.
    pub fn edges(&self) -> Vec<Edge> {
        let pairs = (0u32..).zip(self.neighbours.rows());
        pairs.flat_map(|(a, row)| row.iter().filter(move |&&b| a < b).map(move |&b| [a, b])).collect()
    }

    /// The connected piece of the largest volume; the first one if several are equal.
    #[must_use]
    pub fn largest_piece(&self) -> Self {
        let volumes: Vec<f64> = self.cells.iter().map(|cell| cell.size.powi(3)).collect();
        let is_kept = largest_piece(&self.edges(), &volumes);
        let kept: Vec<u32> = (0u32..).zip(&is_kept).filter_map(|(v, is_kept)| is_kept.then_some(v)).collect();
        let mut places = vec![u32::MAX; self.cells.len()];
        (0u32..).zip(&kept).for_each(|(place, &v)| places[v as usize] = place);
        // Neighbours are in the same piece.
        let row = |&v: &u32| self.neighbours.row(v as usize).iter().map(|&other| places[other as usize]).collect();
        let neighbours = Csr::from_rows(kept.iter().map(row).collect::<Vec<Vec<u32>>>());
        Self { cells: kept.iter().map(|&v| self.cells[v as usize]).collect(), neighbours }
    }

    /// Lets points near its particles at rest \[m\] follow them.
    pub fn skin(&self, points: &[Vec3]) -> Result<MatchedSkin, RegionError> {
        let sizes: Vec<f64> = self.cells.iter().map(|cell| cell.size).collect();
        MatchedSkin::new(&self.points().positions, &sizes, &self.edges(), points)
    }

    /// Positions of its particles.
    pub fn points(&self) -> PointSet {
        PointSet { positions: self.cells.iter().map(|cell| cell.centre).collect() }
    }

    /// Its particles as a body: each has the mass of its cell at this density \[kg/m³\].
    pub fn body(&self, density: f64) -> Body {
        let masses = (0u32..).zip(&self.cells).map(|(v, cell)| (v, v, density * cell.size.powi(3)));
        Body::new(self.points().positions, masses.collect())
    }

    /// A region around each particle: the particles at most `width` \[m\] away along steps between neighbours.
    pub fn regions(&self, width: f64) -> Result<Regions, RegionError> {
        self.regions_of_widths(&vec![width; self.cells.len()])
    }

    /// The same with a width for each particle: wider regions are stiffer.
    pub fn regions_of_widths(&self, widths: &[f64]) -> Result<Regions, RegionError> {
        if widths.len() != self.cells.len() {
            return Err(RegionError::OtherLattice { found: self.cells.len(), expected: widths.len() });
        }
        if let Some(&value) = widths.iter().find(|width| !(**width >= 0.0 && width.is_finite())) {
            return Err(RegionError::BadNumber { name: "width", value, need: "finite and at least 0" });
        }
        let mut distances = vec![f64::INFINITY; self.cells.len()];
        let region = |centre: u32| self.reached(centre, widths[centre as usize], &mut distances);
        let order: Vec<u32> = (0..self.cells.len() as u32).collect();
        Ok(Regions::of_runs(Runs::new(&self.points().positions, &[order], region)))
    }

    /// Cells within a distance along steps [Dijkstra]; `distances` are infinite before and after.
    fn reached(&self, centre: u32, width: f64, distances: &mut [f64]) -> Vec<u32> {
        // What is as far as the width but for rounding is within.
        let width = width * (1.0 + 1e-9);
        let mut waiting = BinaryHeap::from([(Reverse(Ordered(0.0)), centre)]);
        let (mut touched, mut found) = (vec![centre], Vec::new());
        distances[centre as usize] = 0.0;
        while let Some((Reverse(Ordered(distance)), v)) = waiting.pop() {
            if distance > distances[v as usize] {
                continue;
            }
            found.push(v);
            for &next in self.neighbours.row(v as usize) {
                let step = self.cells[v as usize].centre.distance(self.cells[next as usize].centre);
                let reached = distance + step;
                if reached <= width && reached < distances[next as usize] {
                    distances[next as usize] = reached;
                    touched.push(next);
                    waiting.push((Reverse(Ordered(reached)), next));
                }
            }
        }
        touched.iter().for_each(|&v| distances[v as usize] = f64::INFINITY);
        found
    }
}

/// Distances in their order; they are never NaN.
#[derive(PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// For each cell those that share a face or a part of one.
fn face_neighbours(places: &[Place], whole: i64) -> Csr {
    let by_place: BTreeMap<Place, u32> = places.iter().copied().zip(0..).collect();
    let levels_up_from = |level: u32| (0..=level).rev();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for (cell, &(level, corner)) in (0u32..).zip(places) {
        let size = whole >> level;
        for axis in 0..3 {
            for beyond in [size, -1] {
                let mut at = corner;
                at[axis] += beyond;
                // The cell there that is as large or larger: it holds this place.
                let holder = levels_up_from(level).find_map(|level| {
                    let size = whole >> level;
                    by_place.get(&(level, at.map(|c| c.div_euclid(size) * size))).copied()
                });
                if let Some(other) = holder {
                    // Smaller ones find larger ones; of equal ones each finds the other.
                    pairs.push((cell, other));
                    if places[other as usize].0 < level {
                        pairs.push((other, cell));
                    }
                }
            }
        }
    }
    Csr::from_pairs(places.len(), pairs.iter().copied())
}
