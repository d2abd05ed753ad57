//! Which particles are within a kernel's radius of each other.
//!
//! Space is divided into cells as wide as the radius, and particles are sorted by cell, so that those of three cells in a row lie beside each
//! other and neighbours are near in memory too. Only cells with particles exist: a drop that flies far away costs nothing. The sort goes
//! by cell and number, so the order, and with it every sum, is the same on any number of threads.
//!
//! Lists are padded to whole vectors of [`LANES`] neighbours with the place after the last, which is far away and has no volume.

#![allow(unsafe_code)] // Lanes read through pointers, with room for a vector after the last place.

use std::ops::Range;

use crate::math::Vec3;
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::parallel::{self, ByOffsets, Strided};

/// Bits for each coordinate of a cell; cells farther away fall together, which costs time but misses no pair.
const BITS: u32 = 21;
const LAST: i64 = (1 << BITS) - 2;
const MIDDLE: i64 = 1 << (BITS - 1);
/// Cells that a thread takes at a time.
const CHUNK: usize = 32;

/// Neighbours that a list is padded to whole numbers of.
pub(crate) const LANES: usize = <f32 as LaneNumber>::WIDTH;
/// The place that fills lists: far from every other, and without volume.
const FAR: Place = [1e9, 1e9, 1e9, 0.0];

/// A point in units of the radius, as seen from `origin`, and its volume.
pub(crate) type Place = [f32; 4];

/// Neighbours of all particles, which are numbered in the order of their cells here.
#[derive(Debug, Default)]
pub(crate) struct Neighbours {
    /// Where coordinates are counted from \[m\].
    pub(crate) origin: Vec3,
    /// For each place the particle there.
    pub(crate) order: Vec<u32>,
    /// Neighbours of place k are the first `counts[k]` of `list[starts[k]..starts[k + 1]]`, as places, without itself.
    pub(crate) starts: Vec<u32>,
    counts: Vec<u32>,
    pub(crate) list: Vec<u32>,
    /// Coordinates of all places, one array each, with a vector of far ones at the end.
    columns: [Vec<f32>; 3],
    keys: Vec<(u64, u32)>,
    /// Key of each cell and its first place, and an end.
    cells: Vec<(u64, u32)>,
}

fn key([x, y, z]: [i64; 3]) -> u64 {
    let bits = |c: i64| c.clamp(0, LAST + 1) as u64;
    bits(z) << (2 * BITS) | bits(y) << BITS | bits(x)
}

/// The cell of a point from its coordinates in radii; there is one before and one after each.
fn cell(p: Vec3) -> [i64; 3] {
    p.to_array().map(|c| (c.floor() as i64).saturating_add(MIDDLE).clamp(1, LAST))
}

fn coordinates(key: u64) -> [i64; 3] {
    let mask = (1 << BITS) - 1;
    [key & mask, key >> BITS & mask, key >> (2 * BITS) & mask].map(|c| c as i64)
}

impl Neighbours {
    /// Looks for neighbours of `count` points anew; `point` and `volume` tell of each. Points from `fluid` on are no neighbours of each other. Fills
    /// `places`, sorted, with a far one at the end.
    pub(crate) fn find(
        &mut self,
        radius: f64,
        [fluid, count]: [usize; 2],
        point: &(impl Fn(usize) -> Vec3 + Sync),
        volume: &(impl Fn(usize) -> f32 + Sync),
        places: &mut Vec<Place>,
    ) {
        self.sort(radius, count, point);
        places.resize(count + 1, FAR);
        places[count] = FAR;
        let (origin, order) = (self.origin, &self.order);
        parallel::for_each(0..count, Strided { entries: &mut places[..count], stride: 1 }, &|range, part| {
            for (place, &particle) in part.entries.iter_mut().zip(&order[range]) {
                let [x, y, z] = ((point(particle as usize) - origin) / radius).to_array().map(|c| c as f32);
                *place = [x, y, z, volume(particle as usize)];
            }
        });
        for (c, column) in self.columns.iter_mut().enumerate() {
            column.clear();
            column.extend(places.iter().map(|place| place[c]));
            column.extend([FAR[c]; LANES]);
        }
        self.list_pairs(fluid as u32);
    }

    fn sort(&mut self, radius: f64, count: usize, point: &(impl Fn(usize) -> Vec3 + Sync)) {
        // The middle: most particles are near it, whatever flies far, and f32 is finest there.
        let (sum, finite) =
            (0..count).map(point).filter(|p| p.is_finite()).fold((Vec3::ZERO, 0.0), |(sum, n), p| (sum + p, n + 1.0));
        self.origin = sum / f64::max(finite, 1.0);
        if self.keys.len() != count {
            self.keys = (0..count as u32).map(|k| (0, k)).collect();
        }
        // The order of the last time is nearly that of this time.
        let origin = self.origin;
        parallel::for_each(0..count, Strided { entries: &mut self.keys[..], stride: 1 }, &|_, part| {
            for (value, particle) in part.entries {
                *value = key(cell((point(*particle as usize) - origin) / radius));
            }
        });
        parallel::sort(&mut self.keys);
        self.order.clear();
        self.order.extend(self.keys.iter().map(|&(_, particle)| particle));
        self.cells.clear();
        for (k, &(key, _)) in (0u32..).zip(&self.keys) {
            if self.cells.last().is_none_or(|&(last, _)| last != key) {
                self.cells.push((key, k));
            }
        }
        self.cells.push((u64::MAX, count as u32));
    }

    /// Places in the cells around one: nine rows of three.
    fn rows_around(&self, cell: usize) -> [Range<usize>; 9] {
        let [x, y, z] = coordinates(self.cells[cell].0);
        std::array::from_fn(|row| {
            let (y, z) = (y + row as i64 % 3 - 1, z + row as i64 / 3 - 1);
            let (first, last) = (key([x - 1, y, z]), key([x + 1, y, z]));
            let start = self.cells.partition_point(|&(key, _)| key < first);
            let length = self.cells[start..].iter().take(3).take_while(|&&(key, _)| key <= last).count();
            let end = (start + length).min(self.cells.len() - 1);
            self.cells[start.min(end)].1 as usize..self.cells[end].1 as usize
        })
    }

    fn list_pairs(&mut self, fluid: u32) {
        let cells = self.cells.len() - 1;
        let parts = parallel::map((0..cells.div_ceil(CHUNK)).collect(), &|part: usize| {
            let (mut counts, mut list) = (Vec::new(), Vec::new());
            let cells = part * CHUNK..cells.min((part + 1) * CHUNK);
            let search = Search { of: self, cells, fluid, counts: &mut counts, list: &mut list };
            f32::dispatch(InstructionSet::detect(), search);
            (counts, list)
        });
        self.starts.clear();
        self.counts.clear();
        self.starts.push(0);
        let (mut end, mut ends) = (0, vec![0]);
        for (counts, _) in &parts {
            for &count in counts {
                end += count.next_multiple_of(LANES as u32);
                self.starts.push(end);
            }
            self.counts.extend_from_slice(counts);
            ends.push(end);
        }
        self.list.resize(end as usize, 0);
        let outputs = ByOffsets { entries: &mut self.list[..], offsets: &ends };
        parallel::for_each(0..parts.len(), outputs, &|range, part| {
            let mut entries = part.entries;
            for (_, list) in &parts[range] {
                let (own, rest) = entries.split_at_mut(list.len());
                own.copy_from_slice(list);
                entries = rest;
            }
        });
    }

    /// Places of each cell.
    pub(crate) fn cells(&self) -> impl Iterator<Item = Range<usize>> {
        self.cells.windows(2).map(|pair| pair[0].1 as usize..pair[1].1 as usize)
    }

    /// Neighbours of a place.
    #[inline(always)]
    pub(crate) fn of(&self, place: usize) -> &[u32] {
        let start = self.starts[place] as usize;
        &self.list[start..start + self.counts[place] as usize]
    }

    /// Neighbours of a place, padded.
    #[inline(always)]
    pub(crate) fn padded(&self, place: usize) -> &[u32] {
        &self.list[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// Lists the neighbours of all places in some cells.
struct Search<'a> {
    of: &'a Neighbours,
    cells: Range<usize>,
    fluid: u32,
    counts: &'a mut Vec<u32>,
    /// Padded.
    list: &'a mut Vec<u32>,
}

impl Kernel<f32> for Search<'_> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) {
        let Self { of, cells, fluid, counts, list } = self;
        let filler = of.order.len() as u32;
        let mut found = Vec::new();
        for cell in cells {
            let rows = of.rows_around(cell);
            let most: usize = rows.iter().map(ExactSizeIterator::len).sum();
            found.resize(most.max(found.len()), 0);
            for i in of.cells[cell].1 as usize..of.cells[cell + 1].1 as usize {
                // SAFETY: columns have a vector's width beyond the last place.
                let end = unsafe { near::<L>(&of.columns, i, &rows, &mut found) };
                let first = list.len();
                let is_sample = of.order[i] >= fluid;
                list.extend(found[..end].iter().filter(|&&j| !is_sample || of.order[j as usize] < fluid));
                let own = list.len() - first;
                counts.push(own as u32);
                list.resize(first + own.next_multiple_of(LANES), filler);
            }
        }
    }
}

/// Writes the neighbours of place i among `rows` and returns how many there are.
///
/// # Safety
/// Columns go on for a vector's width after the last row.
#[inline(always)]
unsafe fn near<L: Lanes<Scalar = f32>>(
    columns: &[Vec<f32>; 3],
    i: usize,
    rows: &[Range<usize>; 9],
    list: &mut [u32],
) -> usize {
    let mut end = 0;
    // SAFETY: j is a place of a row, and columns go on for a vector's width after the last, as the caller promises.
    unsafe {
        let own = [0, 1, 2].map(|c| L::splat(columns[c][i]));
        let one = L::splat(1.0);
        for row in rows {
            let mut j = row.start;
            while j < row.end {
                let offset = |c: usize| own[c].sub(L::load(columns[c].as_ptr().add(j)));
                let (dx, dy, dz) = (offset(0), offset(1), offset(2));
                let mut mask = dx.mul_add(dx, dy.mul_add(dy, dz.mul(dz))).less_mask(one);
                // Those after the row belong to other rows.
                mask &= ((1_u64 << (row.end - j).min(L::WIDTH)) - 1) as u32;
                if i.wrapping_sub(j) < L::WIDTH {
                    mask &= !(1 << (i - j));
                }
                while mask != 0 {
                    list[end] = j as u32 + mask.trailing_zeros();
                    end += 1;
                    mask &= mask - 1;
                }
                j += L::WIDTH;
            }
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scattered(count: usize, size: f64) -> Vec<Vec3> {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..count).map(|_| Vec3::new(next(), next(), next()) * size - Vec3::splat(3.0)).collect()
    }

    #[test]
    fn neighbours_are_those_of_brute_force() {
        let mut points = scattered(800, 1.0);
        // Two particles very far away.
        points.extend([Vec3::new(1e3, 0.0, 0.0), Vec3::new(0.0, 1e4, 0.0)]);
        let (radius, mut found, mut places) = (0.13, Neighbours::default(), Vec::new());
        for _ in 0..2 {
            found.find(radius, [points.len(); 2], &|k| points[k], &|_| 1.0, &mut places);
            let mut pairs = 0;
            for k in 0..points.len() {
                let i = found.order[k] as usize;
                let mut own: Vec<u32> = found.of(k).iter().map(|&j| found.order[j as usize]).collect();
                own.sort_unstable();
                for j in (0..points.len()).filter(|&j| j != i) {
                    let distance = points[i].distance(points[j]) / radius;
                    let is_found = own.binary_search(&(j as u32)).is_ok();
                    // Coordinates are rounded to f32.
                    assert!((distance - 1.0).abs() < 2e-5 || is_found == (distance < 1.0), "{i} {j}: {distance}");
                }
                pairs += own.len();
            }
            assert!(pairs > 4000, "{pairs}");
            points.iter_mut().for_each(|p| *p = Vec3::new(p.y, -p.x, p.z * 1.1));
        }
    }
}
