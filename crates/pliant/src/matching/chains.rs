//! Regions of chains: a particle with those next to it along a strand, as hair is matched [Rungjiratananon 2010; Bender 2014, §4.2].
//!
//! Sums over runs of a chain are differences of sums from its beginning, so they take the same time at any width.

use super::regions::{RegionError, Regions};
use crate::mesh::{Csr, StrandSet};

/// Chains, with a region around each of their places.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chains {
    /// Particles of each chain, one after the other. Regions are numbered as these are.
    rows: Csr,
    width: usize,
    /// A region around each particle, of several the first.
    own: Vec<u32>,
}

impl Regions {
    /// A region for each vertex of strands: those that are at most `width` vertices away along its strand. The wider regions are, the stiffer
    /// strands resist bending; sums over them take the same time at any width.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let hair = rope(Vec3::ZERO, Vec3::X, 4)?;
    /// let regions = Regions::chains(&hair, 1)?;
    /// assert_eq!(regions.lists().row(1), &[0, 1, 2]);
    /// assert_eq!(regions.lists().row(4), &[3, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn chains(strands: &StrandSet, width: usize) -> Result<Self, RegionError> {
        if width == 0 {
            return Err(RegionError::BadNumber { name: "width", value: 0.0, need: "at least 1" });
        }
        let (rows, count) = (&strands.strands, strands.positions.len());
        let mut own = vec![u32::MAX; count];
        for (region, row) in rows.rows().enumerate() {
            let mut seen = row.to_vec();
            seen.sort_unstable();
            if let Some(twice) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
                // A strand that comes back to itself: some regions would have a particle twice.
                return Err(RegionError::Repeated { region, particle: twice[0] });
            }
        }
        for (region, &particle) in (0u32..).zip(rows.items()) {
            let missing = RegionError::NoSuchParticle { region: region as usize, particle, count };
            let own = own.get_mut(particle as usize).ok_or(missing)?;
            *own = (*own).min(region);
        }
        match own.iter().position(|&region| region == u32::MAX) {
            Some(particle) => Err(RegionError::Loose { particle }),
            None => Ok(Self::of_chains(Chains { rows: rows.clone(), width, own })),
        }
    }
}

impl Chains {
    pub(super) fn region_count(&self) -> usize {
        self.rows.items().len()
    }

    pub(super) fn particle_count(&self) -> usize {
        self.own.len()
    }

    /// The region around a particle.
    pub(super) fn own_region(&self, particle: usize) -> usize {
        self.own[particle] as usize
    }

    /// Particles of a region.
    pub(super) fn members(&self, region: usize) -> &[u32] {
        let chain = self.rows.offsets().partition_point(|&first| first <= region) - 1;
        let all = self.rows.range(chain);
        &self.rows.items()[region.saturating_sub(self.width).max(all.start)..all.end.min(region + self.width + 1)]
    }

    pub(super) fn lists(&self) -> Csr {
        Csr::from_rows((0..self.region_count()).map(|region| self.members(region).to_vec()))
    }

    /// For each region the sum over its particles.
    pub(super) fn gather<const N: usize>(&self, values: &[[f64; N]]) -> Vec<[f64; N]> {
        let all = self.rows.items().iter().map(|&v| values[v as usize]).collect::<Vec<_>>();
        self.sums_of_runs(&all)
    }

    /// For each particle the sum over its regions: those around the places that are as far from its own.
    pub(super) fn scatter<const N: usize>(&self, values: &[[f64; N]]) -> Vec<[f64; N]> {
        let mut sums = vec![[0.0; N]; self.own.len()];
        for (sum, &v) in self.sums_of_runs(values).iter().zip(self.rows.items()) {
            (0..N).for_each(|n| sums[v as usize][n] += sum[n]);
        }
        sums
    }

    /// For each place the sum over those that are at most the width away on its chain.
    fn sums_of_runs<const N: usize>(&self, values: &[[f64; N]]) -> Vec<[f64; N]> {
        let mut sums = Vec::with_capacity(values.len());
        let mut from_start = Vec::new();
        for chain in 0..self.rows.len() {
            let own = &values[self.rows.range(chain)];
            from_start.clear();
            let mut sum = [0.0; N];
            from_start.push(sum);
            for value in own {
                (0..N).for_each(|n| sum[n] += value[n]);
                from_start.push(sum);
            }
            for place in 0..own.len() {
                let [low, high] = [place.saturating_sub(self.width), own.len().min(place + self.width + 1)];
                sums.push(std::array::from_fn(|n| from_start[high][n] - from_start[low][n]));
            }
        }
        sums
    }
}
