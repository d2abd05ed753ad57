//! Regular lattices: sums over cubes of particles in a time that does not depend on the cube's width [Rivers & James 2007].
//!
//! The region of a particle is what is reached from it by at most `width` steps along z, then along y, then along x, each step to a
//! neighbour: in the inside of a body a cube. Its sum is made in three passes, of bars, plates and cubes, and in each pass the sum over
//! neighbours in a row is the difference of two prefix sums. At boundaries, notches and cracks rows end, so they need nothing of their
//! own. The sum over all regions that a particle is in, which goals are blended with, is the same three passes the other way round.

use std::collections::{BTreeMap, BTreeSet};

use super::regions::{RegionError, Regions, largest_piece};
use super::skin::MatchedSkin;
use super::sums::Buffers;
use crate::Body;
use crate::math::Vec3;
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::mesh::sdf::SignedDistance;
use crate::mesh::{Csr, Edge, PointSet};
use crate::parallel::{self, ByOffsets};

/// Particles on a regular lattice, with links between neighbours along the axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Lattice {
    cells: Vec<[i32; 3]>,
    spacing: f64,
    origin: Vec3,
    /// Rows along x, y and z.
    rows: [Rows; 3],
    /// Where what rows along z go over is in the order of rows along y, and the other way round.
    y_by_z: Vec<u32>,
    z_by_y: Vec<u32>,
}

/// A link between neighbours: the particle at its lower end, and the axis that it is along (0, 1, 2).
pub type Link = (u32, usize);

/// Rows of linked particles along an axis.
#[derive(Debug, Clone, PartialEq)]
struct Rows {
    /// Particles, row by row.
    order: Vec<u32>,
    /// Where each row begins in `order`, and the end of the last.
    starts: Vec<u32>,
    /// Where each particle is in `order`.
    places: Vec<u32>,
}

/// Cells that a lattice may have at most.
const MOST_CELLS: f64 = 1e9;
/// What a number of cells may be above a whole one by rounding.
const ROUNDING: f64 = 1e-9;

impl Lattice {
    /// A particle in each of these cells. Cell (i, j, k) has its centre at origin + spacing · (i + ½, j + ½, k + ½) \[m\].
    pub fn new(mut cells: Vec<[i32; 3]>, spacing: f64, origin: Vec3) -> Result<Self, RegionError> {
        check_spacing(spacing)?;
        // Rows along x lie together in memory.
        cells.sort_unstable_by_key(|&[i, j, k]| [k, j, i]);
        cells.dedup();
        Ok(Self::of_sorted(cells, spacing, origin))
    }

    fn of_sorted(cells: Vec<[i32; 3]>, spacing: f64, origin: Vec3) -> Self {
        let rows = [0, 1, 2].map(|axis| Rows::new(&cells, axis, &[]));
        let between = |from: usize, to: usize| -> Vec<u32> {
            rows[to].order.iter().map(|&v| rows[from].places[v as usize]).collect()
        };
        let (y_by_z, z_by_y) = (between(1, 2), between(2, 1));
        Self { cells, spacing, origin, rows, y_by_z, z_by_y }
    }

    /// A box with this many particles along each axis, starting at the origin.
    ///
    /// ```
    /// use pliant::Lattice;
    /// let lattice = Lattice::block([4, 3, 2], 0.1)?;
    /// assert_eq!(lattice.points().positions.len(), 24);
    /// # Ok::<(), pliant::RegionError>(())
    /// ```
    pub fn block(counts: [usize; 3], spacing: f64) -> Result<Self, RegionError> {
        check_count(counts.map(|n| n as f64))?;
        let [nx, ny, nz] = counts.map(|n| n as i32);
        let cells = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
        Self::new(cells.collect(), spacing, Vec3::ZERO)
    }

    /// All cells with a centre inside a solid, or at most `skin` \[m\] outside. The first cells are in the lowest
    /// corner of its box.
    pub fn fill(solid: &dyn SignedDistance, spacing: f64, skin: f64) -> Result<Self, RegionError> {
        let bounds = solid.bounds();
        let counts = ((bounds.max - bounds.min + 2.0 * skin) / spacing).ceil();
        Self::fill_from(solid, bounds.min - Vec3::splat(skin), counts.to_array(), spacing, skin)
    }

    /// All cells with a centre inside a solid. Cells are placed symmetrically in its box.
    ///
    /// ```
    /// use pliant::Lattice;
    /// use pliant::math::Vec3;
    /// use pliant::mesh::sdf::Ball;
    /// let lattice = Lattice::fill_centred(&Ball { centre: Vec3::Y, radius: 0.5 }, 0.15)?;
    /// let points = lattice.points().positions;
    /// let mean = points.iter().fold(Vec3::ZERO, |sum, p| sum + *p) / points.len() as f64;
    /// assert!(mean.distance(Vec3::Y) < 1e-12);
    /// # Ok::<(), pliant::RegionError>(())
    /// ```
    pub fn fill_centred(solid: &dyn SignedDistance, spacing: f64) -> Result<Self, RegionError> {
        let bounds = solid.bounds();
        // A box that holds a whole number of cells but for rounding has no cell more.
        let counts = ((bounds.max - bounds.min) / spacing - ROUNDING).ceil().max(Vec3::ONE);
        let origin = 0.5 * (bounds.min + bounds.max) - 0.5 * spacing * counts;
        Self::fill_from(solid, origin, counts.to_array(), spacing, 0.0)
    }

    fn fill_from(
        solid: &dyn SignedDistance,
        origin: Vec3,
        counts: [f64; 3],
        spacing: f64,
        skin: f64,
    ) -> Result<Self, RegionError> {
        check_spacing(spacing)?;
        check_count(counts)?;
        let [nx, ny, nz] = counts.map(|n| n.max(1.0) as i32);
        let cells = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
        let at = |cell: [i32; 3]| origin + (Vec3::from(cell.map(f64::from)) + 0.5) * spacing;
        let inside: Vec<[i32; 3]> = cells.filter(|&cell| solid.distance(at(cell)) <= skin).collect();
        if inside.is_empty() {
            return Err(RegionError::NoRegions);
        }
        if inside.len() == 1 {
            let extent = solid.bounds().size().max_element();
            return Err(RegionError::TooCoarse { name: "spacing", value: spacing, extent });
        }
        Self::new(inside, spacing, origin)
    }

    /// The lattice without some links, as after a crack. Links that do not exist are ignored.
    pub fn without_links(&self, cut: &[Link]) -> Self {
        let rows = [0, 1, 2].map(|axis| {
            let own: Vec<u32> = cut.iter().filter(|link| link.1 == axis).map(|link| link.0).collect();
            self.rows[axis].cut(&own)
        });
        Self { rows, ..self.clone() }
    }

    /// Its links: lower end, higher end, axis.
    pub(super) fn links(&self) -> impl Iterator<Item = (u32, u32, usize)> {
        self.rows.iter().enumerate().flat_map(|(axis, rows)| rows.links().map(move |(low, high)| (low, high, axis)))
    }

    /// Pairs of neighbours, those along x first.
    pub fn edges(&self) -> Vec<Edge> {
        self.links().map(|(low, high, _)| [low, high]).collect()
    }

    /// The connected piece with the most cells; the first one if several are equal.
    #[must_use]
    pub fn largest_piece(&self) -> Self {
        let is_kept = largest_piece(&self.edges(), &vec![1.0; self.cells.len()]);
        let cells = self.cells.iter().zip(is_kept).filter_map(|(cell, is_kept)| is_kept.then_some(*cell));
        Self::of_sorted(cells.collect(), self.spacing, self.origin)
    }

    /// Lets points near its particles at rest \[m\] follow them.
    pub fn skin(&self, points: &[Vec3]) -> Result<MatchedSkin, RegionError> {
        MatchedSkin::new(&self.points().positions, &vec![self.spacing; self.cells.len()], &self.edges(), points)
    }

    /// Triangles between the outermost particles, counter-clockwise as seen from outside: the sides of cubes of eight
    /// neighbours that no two cubes share. They are used for contact between bodies, wind, and the enclosed volume.
    /// Parts that are one particle thick have none.
    pub fn surface(&self) -> Vec<[u32; 3]> {
        let numbers: BTreeMap<[i32; 3], u32> = self.cells.iter().copied().zip(0..).collect();
        let beside = |cell: [i32; 3], by: [i32; 3]| [0, 1, 2].map(|axis| cell[axis].saturating_add(by[axis]));
        let at = |cell: [i32; 3], by: [i32; 3]| numbers.get(&beside(cell, by)).copied();
        let is_cube = |cell: [i32; 3]| (0..8).all(|k| at(cell, [k & 1, k >> 1 & 1, k >> 2]).is_some());
        let cubes: BTreeSet<[i32; 3]> = self.cells.iter().copied().filter(|&cell| is_cube(cell)).collect();
        let mut triangles = Vec::new();
        for &cube in &cubes {
            for (axis, side) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
                let unit = |axis: usize| [0, 1, 2].map(|other| i32::from(other == axis));
                if cubes.contains(&beside(cube, unit(axis).map(|by| by * (2 * side - 1)))) {
                    continue;
                }
                let (a, b) = (unit((axis + 1) % 3), unit((axis + 2) % 3));
                let corner = |along: i32, across: i32| {
                    at(cube, [0, 1, 2].map(|k| unit(axis)[k] * side + a[k] * along + b[k] * across))
                };
                let corners = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                if let [Some(first), Some(second), Some(third), Some(fourth)] = corners {
                    let mut own = [[first, second, third], [first, third, fourth]];
                    if side == 0 {
                        own.iter_mut().for_each(|triangle| triangle.swap(1, 2));
                    }
                    triangles.extend(own);
                }
            }
        }
        triangles
    }

    /// Its particles as a body: each has the mass of its cell at this density \[kg/m³\].
    pub fn body(&self, density: f64) -> Body {
        Body::points(&self.points(), density * self.spacing.powi(3))
    }

    /// Positions of its particles.
    pub fn points(&self) -> PointSet {
        let at = |cell: &[i32; 3]| self.origin + (Vec3::from(cell.map(f64::from)) + 0.5) * self.spacing;
        PointSet { positions: self.cells.iter().map(at).collect() }
    }

    /// The cell of each particle.
    pub fn cells(&self) -> &[[i32; 3]] {
        &self.cells
    }

    /// The lowest corner of cell (0, 0, 0) \[m\].
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// Distance between neighbours \[m\].
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// A region for each particle: the particles at most `width` steps away along each axis.
    pub fn regions(&self, width: usize) -> Regions {
        Regions::of_lattice(self.clone(), width)
    }

    /// Particles of each region, one by one.
    pub(super) fn lists(&self, width: usize) -> Csr {
        let [x, y, z] = &self.rows;
        let list = |centre: u32| {
            let across = z.near(centre, width).iter().flat_map(|&v| y.near(v, width));
            let mut region: Vec<u32> = across.flat_map(|&v| x.near(v, width)).copied().collect();
            region.sort_unstable();
            region
        };
        Csr::from_rows((0..self.cells.len() as u32).map(list))
    }

    /// For each region the sum over its particles.
    pub(super) fn gather<const N: usize>(&self, width: usize, values: &[[f64; N]], buffers: &mut Buffers<N>) {
        let ([x, y, z], Buffers { sums, between }) = (&self.rows, buffers);
        // Bars, plates and cubes, each in the order of its rows; that of rows along x is the particles' own.
        x.sums(width, &x.order, values, between);
        y.sums(width, &y.order, between, sums);
        z.sums(width, &self.y_by_z, sums, between);
        sums.iter_mut().zip(&z.places).for_each(|(sum, &place)| *sum = between[place as usize]);
    }

    /// For each particle the sum over the regions that it is in.
    pub(super) fn scatter<const N: usize>(&self, width: usize, values: &[[f64; N]], buffers: &mut Buffers<N>) {
        let ([x, y, z], Buffers { sums, between }) = (&self.rows, buffers);
        z.sums(width, &z.order, values, sums);
        y.sums(width, &self.z_by_y, sums, between);
        x.sums(width, &y.places, between, sums);
    }
}

fn check_spacing(spacing: f64) -> Result<(), RegionError> {
    if spacing > 0.0 && spacing.is_finite() {
        return Ok(());
    }
    Err(RegionError::BadNumber { name: "spacing", value: spacing, need: "finite and positive" })
}

fn check_count(counts: [f64; 3]) -> Result<(), RegionError> {
    let cells = counts.iter().product::<f64>();
    if cells.is_finite() && cells <= MOST_CELLS {
        return Ok(());
    }
    Err(RegionError::BadNumber { name: "number of cells", value: cells, need: "at most 1e9: enlarge the spacing" })
}

impl Rows {
    fn new(cells: &[[i32; 3]], axis: usize, cut: &[u32]) -> Self {
        let mut order: Vec<u32> = (0..cells.len() as u32).collect();
        let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
        order.sort_by_key(|&v| {
            let cell = cells[v as usize];
            (cell[b], cell[a], cell[axis])
        });
        let follows = |pair: &[u32]| {
            let [from, to] = [pair[0], pair[1]].map(|v| cells[v as usize]);
            [a, b].iter().all(|&other| from[other] == to[other]) && i64::from(to[axis]) == i64::from(from[axis]) + 1
        };
        let breaks = (1..order.len()).filter(|&k| !follows(&order[k - 1..=k])).map(|k| k as u32);
        let starts = std::iter::once(0).chain(breaks).chain(std::iter::once(order.len() as u32));
        let mut starts: Vec<u32> = starts.collect();
        starts.dedup();
        let mut places = vec![0; order.len()];
        (0u32..).zip(&order).for_each(|(place, &v)| places[v as usize] = place);
        Self { order, starts, places }.cut(cut)
    }

    /// Rows that end after these particles too.
    fn cut(&self, after: &[u32]) -> Self {
        let mut starts = self.starts.clone();
        let last = self.order.len() as u32;
        let places = after.iter().filter_map(|&v| self.places.get(v as usize));
        starts.extend(places.map(|&place| place + 1).filter(|&place| place < last));
        starts.sort_unstable();
        starts.dedup();
        Self { starts, ..self.clone() }
    }

    /// Neighbours, row by row.
    fn links(&self) -> impl Iterator<Item = (u32, u32)> {
        let rows = self.starts.windows(2).map(|ends| &self.order[ends[0] as usize..ends[1] as usize]);
        rows.flat_map(|row| row.windows(2).map(|pair| (pair[0], pair[1])))
    }

    /// Particles of the same row that are at most `width` steps away, itself too.
    fn near(&self, v: u32, width: usize) -> &[u32] {
        let place = self.places[v as usize];
        let row = self.starts.partition_point(|&start| start <= place);
        let (first, end) = (self.starts[row - 1] as usize, self.starts[row] as usize);
        let place = place as usize;
        &self.order[first.max(place.saturating_sub(width))..end.min(place.saturating_add(width).saturating_add(1))]
    }

    /// Sums over near particles of the row, in the order of rows. `from` says where the value of each place of that order is.
    fn sums<const N: usize>(&self, width: usize, from: &[u32], values: &[[f64; N]], sums: &mut Vec<[f64; N]>) {
        sums.resize(self.order.len(), [0.0; N]);
        let instructions = InstructionSet::detect();
        let rows = self.starts.len() - 1;
        let outputs = ByOffsets { entries: sums, offsets: &self.starts };
        let grain = (TASK_PARTICLES * rows / self.order.len().max(1)).max(1);
        parallel::for_each_of(grain, 0..rows, outputs, &|range, outputs| {
            let starts = &self.starts[range.start..=range.end];
            f64::dispatch(instructions, RowSums { width, starts, from, values, sums: outputs.entries });
        });
    }
}

/// Some rows, summed with the processor's best instructions.
struct RowSums<'a, const N: usize> {
    width: usize,
    /// Where each row begins, and the end of the last.
    starts: &'a [u32],
    from: &'a [u32],
    values: &'a [[f64; N]],
    sums: &'a mut [[f64; N]],
}

impl<const N: usize> Kernel<f64> for RowSums<'_, N> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let first = self.starts[0] as usize;
        let mut prefix: Vec<[f64; N]> = Vec::new();
        for ends in self.starts.windows(2) {
            let own = ends[0] as usize..ends[1] as usize;
            let length = own.len();
            prefix.resize(length + 1, [0.0; N]);
            let mut sum = [0.0; N];
            for (prefix, &at) in prefix[1..].iter_mut().zip(&self.from[own.clone()]) {
                let next = &self.values[at as usize];
                for n in 0..N {
                    sum[n] += next[n];
                }
                *prefix = sum;
            }
            for (k, out) in self.sums[own.start - first..own.end - first].iter_mut().enumerate() {
                let end = length.min(k.saturating_add(self.width).saturating_add(1));
                let (low, high) = (&prefix[k.saturating_sub(self.width)], &prefix[end]);
                for n in 0..N {
                    out[n] = high[n] - low[n];
                }
            }
        }
    }
}

/// Particles that are worth a task of their own.
pub(super) const TASK_PARTICLES: usize = 1024;
