//! Sums over regions: from particles to regions, and back to particles.

use std::sync::Arc;

use super::lattice::Lattice;
use super::regions::Regions;
use super::runs::Runs;
use crate::mesh::Csr;
use crate::parallel::{self, Strided};

/// How sums over regions are made.
#[derive(Debug)]
pub(super) enum Sums {
    /// Particle by particle.
    Lists {
        /// Particles of each region.
        members: Csr,
        /// Regions of each particle.
        regions: Csr,
    },
    /// By rows of a lattice.
    Lattice { lattice: Arc<Lattice>, width: usize },
    /// By runs of an order.
    Runs(Arc<Runs>),
}

/// Where sums are made: memory of this size that is taken anew costs more than they do.
#[derive(Debug)]
pub(super) struct Buffers<const N: usize> {
    /// The result.
    pub(super) sums: Vec<[f64; N]>,
    /// On the way there.
    pub(super) between: Vec<[f64; N]>,
}

impl<const N: usize> Default for Buffers<N> {
    fn default() -> Self {
        Self { sums: Vec::new(), between: Vec::new() }
    }
}

/// Particles that are worth a task of their own.
const TASK: usize = 4096;

impl Sums {
    pub(super) fn new(regions: &Regions, particles: usize) -> Self {
        match (regions.lattice(), regions.runs()) {
            (Some((lattice, width)), _) => Self::Lattice { lattice: lattice.clone(), width },
            (_, Some(runs)) => Self::Runs(runs.clone()),
            (None, None) => {
                let members = regions.lists().into_owned();
                let pairs = (0..).zip(members.rows()).flat_map(|(region, row)| row.iter().map(move |&v| (v, region)));
                let regions = Csr::from_pairs(particles, pairs);
                Self::Lists { members, regions }
            }
        }
    }

    /// For each region the sum over its particles.
    pub(super) fn gather<const N: usize>(&self, values: &[[f64; N]], buffers: &mut Buffers<N>) {
        match self {
            Self::Lists { members, .. } => sums_of_rows(members, values, &mut buffers.sums),
            Self::Lattice { lattice, width } => lattice.gather(*width, values, buffers),
            Self::Runs(runs) => runs.gather(values, buffers),
        }
    }

    /// For each particle the sum over its regions.
    pub(super) fn scatter<const N: usize>(&self, values: &[[f64; N]], buffers: &mut Buffers<N>) {
        match self {
            Self::Lists { regions, .. } => sums_of_rows(regions, values, &mut buffers.sums),
            Self::Lattice { lattice, width } => lattice.scatter(*width, values, buffers),
            Self::Runs(runs) => runs.scatter(values, buffers),
        }
    }

    /// As `gather`, once.
    pub(super) fn gathered<const N: usize>(&self, values: &[[f64; N]]) -> Vec<[f64; N]> {
        let mut buffers = Buffers::default();
        self.gather(values, &mut buffers);
        buffers.sums
    }

    /// As `scatter`, once.
    pub(super) fn scattered<const N: usize>(&self, values: &[[f64; N]]) -> Vec<[f64; N]> {
        let mut buffers = Buffers::default();
        self.scatter(values, &mut buffers);
        buffers.sums
    }

    /// Particles of each region, where they are listed.
    pub(super) fn members(&self) -> Option<&Csr> {
        match self {
            Self::Lists { members, .. } => Some(members),
            Self::Lattice { .. } | Self::Runs(_) => None,
        }
    }

    /// Regions of each particle, where they are listed.
    pub(super) fn regions_of_particles(&self) -> Option<&Csr> {
        match self {
            Self::Lists { regions, .. } => Some(regions),
            Self::Lattice { .. } | Self::Runs(_) => None,
        }
    }
}

fn sums_of_rows<const N: usize>(rows: &Csr, values: &[[f64; N]], sums: &mut Vec<[f64; N]>) {
    sums.resize(rows.len(), [0.0; N]);
    let grain = (TASK * rows.len() / rows.items().len().max(1)).max(1);
    let outputs = Strided { entries: sums, stride: 1 };
    parallel::for_each_of(grain, 0..rows.len(), outputs, &|range, outputs| {
        for (row, out) in range.zip(outputs.entries) {
            let mut sum = [0.0; N];
            for &item in rows.row(row) {
                let value = &values[item as usize];
                (0..N).for_each(|n| sum[n] += value[n]);
            }
            *out = sum;
        }
    });
}
