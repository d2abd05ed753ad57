//! Sums over regions that are runs of particles in a common order.
//!
//! Particles are laid out one after the other so that near ones are near in the order: along paths over a mesh [Diziol 2011; Bender 2014,
//! §4.3.3], or cell by cell through an octree [Steinemann 2008; Bender 2014, §4.3.2]. A region then is some runs, and the sum over a run is the
//! difference of two prefix sums. The sum over the regions that a particle is in goes the other way: what a region has is added where
//! its runs begin and taken off where they end, and running sums are each particle's.
//!
//! Prefix sums begin anew after [`LONGEST`] particles: differences of large sums lose digits.

use super::lattice::TASK_PARTICLES;
use super::sums::Buffers;
use crate::math::Vec3;
use crate::mesh::Csr;
use crate::parallel::{self, ByOffsets, Strided};

/// Particles in a segment at most.
pub(super) const LONGEST: usize = 512;

/// Regions, one around each particle, as runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Runs {
    /// Particles, segment by segment.
    order: Vec<u32>,
    /// Where each segment begins in `order`, and the end of the last.
    starts: Vec<u32>,
    /// The same in the array of prefix sums, which has one more for each segment.
    prefix_starts: Vec<u32>,
    /// Of each region its runs: places of two prefix sums each.
    ends: Csr,
    /// Of each prefix sum the regions that have a run which begins there, and those which have one that ends there.
    beginning: Csr,
    ending: Csr,
    /// The largest distance of a region's particle from the one that it is around \[m\].
    pub(super) half_widths: Vec<f64>,
}

impl Runs {
    /// Regions of particles that are laid out in these segments. `region` gives the particles of the region around a particle.
    pub(super) fn new(rest: &[Vec3], segments: &[Vec<u32>], mut region: impl FnMut(u32) -> Vec<u32>) -> Self {
        let segments = segments.iter().flat_map(|segment| segment.chunks(LONGEST));
        let (mut order, mut starts, mut prefix_starts) = (Vec::new(), vec![0], vec![0]);
        let mut slots = vec![0; rest.len()];
        for segment in segments {
            for &v in segment {
                slots[v as usize] = (order.len() + starts.len() - 1) as u32;
                order.push(v);
            }
            starts.push(order.len() as u32);
            prefix_starts.push((order.len() + starts.len() - 1) as u32);
        }
        let mut half_widths = Vec::with_capacity(rest.len());
        let mut ends = Csr::default();
        for centre in 0..rest.len() as u32 {
            let members = region(centre);
            let distance = |v: &u32| rest[*v as usize].distance(rest[centre as usize]);
            half_widths.push(members.iter().map(distance).fold(0.0, f64::max));
            let mut own: Vec<u32> = members.iter().map(|&v| slots[v as usize]).collect();
            own.sort_unstable();
            // The last of a segment and the first of the next have a slot between them.
            let follows = |pair: &&[u32]| pair[1] != pair[0] + 1;
            let breaks = own.windows(2).filter(follows).flat_map(|pair| [pair[0] + 1, pair[1]]);
            let runs: Vec<u32> =
                own.first().copied().into_iter().chain(breaks).chain(own.last().map(|v| v + 1)).collect();
            ends.push_row(&runs);
        }
        let places = prefix_starts[prefix_starts.len() - 1] as usize;
        let marks = |offset: usize| {
            let rows = (0u32..).zip(ends.rows());
            let pairs =
                rows.flat_map(move |(region, row)| row[offset..].iter().step_by(2).map(move |&at| (at, region)));
            Csr::from_pairs(places, pairs)
        };
        let (beginning, ending) = (marks(0), marks(1));
        Self { order, starts, prefix_starts, ends, beginning, ending, half_widths }
    }

    /// Number of regions, which is that of particles.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Runs of all regions.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.ends.items().len() / 2
    }

    /// Particles of each region, one by one.
    pub(super) fn lists(&self) -> Csr {
        let segment = |slot: u32| self.prefix_starts.partition_point(|&start| start <= slot) - 1;
        let list = |row: &[u32]| {
            let runs = row.as_chunks::<2>().0.iter();
            let mut region: Vec<u32> = runs
                .flat_map(|&[low, high]| {
                    let skipped = segment(low) as u32;
                    &self.order[(low - skipped) as usize..(high - skipped) as usize]
                })
                .copied()
                .collect();
            region.sort_unstable();
            region
        };
        Csr::from_rows(self.ends.rows().map(list))
    }

    /// For each region the sum over its particles.
    pub(super) fn gather<const N: usize>(&self, values: &[[f64; N]], buffers: &mut Buffers<N>) {
        let Buffers { sums, between: prefix } = buffers;
        prefix.resize(self.prefix_starts[self.prefix_starts.len() - 1] as usize, [0.0; N]);
        let outputs = ByOffsets { entries: prefix, offsets: &self.prefix_starts };
        parallel::for_each_of(self.segments_of_a_task(), 0..self.starts.len() - 1, outputs, &|range, outputs| {
            let first = self.prefix_starts[range.start];
            for segment in range {
                let [low, high] = [segment, segment + 1].map(|s| (self.prefix_starts[s] - first) as usize);
                let own = &self.order[self.starts[segment] as usize..self.starts[segment + 1] as usize];
                let mut sum = [0.0; N];
                outputs.entries[low] = sum;
                for (out, &v) in outputs.entries[low + 1..high].iter_mut().zip(own) {
                    let next = &values[v as usize];
                    (0..N).for_each(|n| sum[n] += next[n]);
                    *out = sum;
                }
            }
        });
        sums.resize(self.len(), [0.0; N]);
        let outputs = Strided { entries: sums, stride: 1 };
        let grain = (TASK_PARTICLES * self.len() / self.ends.items().len().max(1)).max(1);
        parallel::for_each_of(grain, 0..self.len(), outputs, &|range, outputs| {
            for (region, out) in range.zip(outputs.entries) {
                let mut sum = [0.0; N];
                for &[low, high] in self.ends.row(region).as_chunks::<2>().0 {
                    let (low, high) = (&prefix[low as usize], &prefix[high as usize]);
                    (0..N).for_each(|n| sum[n] += high[n] - low[n]);
                }
                *out = sum;
            }
        });
    }

    /// For each particle the sum over the regions that it is in.
    pub(super) fn scatter<const N: usize>(&self, values: &[[f64; N]], buffers: &mut Buffers<N>) {
        let Buffers { sums, between: in_order } = buffers;
        in_order.resize(self.order.len(), [0.0; N]);
        let outputs = ByOffsets { entries: in_order, offsets: &self.starts };
        parallel::for_each_of(self.segments_of_a_task(), 0..self.starts.len() - 1, outputs, &|range, outputs| {
            let first = self.starts[range.start];
            for segment in range {
                let own = (self.starts[segment] - first) as usize..(self.starts[segment + 1] - first) as usize;
                let slots = self.prefix_starts[segment] as usize..;
                let mut sum = [0.0; N];
                for (slot, out) in slots.zip(&mut outputs.entries[own]) {
                    for &region in self.beginning.row(slot) {
                        (0..N).for_each(|n| sum[n] += values[region as usize][n]);
                    }
                    for &region in self.ending.row(slot) {
                        (0..N).for_each(|n| sum[n] -= values[region as usize][n]);
                    }
                    *out = sum;
                }
            }
        });
        sums.resize(self.order.len(), [0.0; N]);
        self.order.iter().zip(in_order).for_each(|(&v, sum)| sums[v as usize] = *sum);
    }

    fn segments_of_a_task(&self) -> usize {
        (TASK_PARTICLES * (self.starts.len() - 1) / self.order.len().max(1)).max(1)
    }
}
