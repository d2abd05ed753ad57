//! Sums over regions: from particles to regions, and back to particles.

use std::sync::Arc;

use super::chains::Chains;
use super::lattice::Lattice;
use super::regions::Regions;
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
    /// From the beginnings of chains.
    Chains(Arc<Chains>),
}

/// Particles that are worth a task of their own.
const TASK: usize = 4096;

impl Sums {
    pub(super) fn new(regions: &Regions, particles: usize) -> Self {
        if let Some(chains) = regions.along_chains() {
            return Self::Chains(chains.clone());
        }
        match regions.lattice() {
            Some((lattice, width)) => Self::Lattice { lattice: lattice.clone(), width },
            None => {
                let members = regions.lists().into_owned();
                let pairs = (0..).zip(members.rows()).flat_map(|(region, row)| row.iter().map(move |&v| (v, region)));
                let regions = Csr::from_pairs(particles, pairs);
                Self::Lists { members, regions }
            }
        }
    }

    /// For each region the sum over its particles.
    pub(super) fn gather<const N: usize>(&self, values: &[[f64; N]]) -> Vec<[f64; N]> {
        match self {
            Self::Lists { members, .. } => sums_of_rows(members, values),
            Self::Lattice { lattice, width } => lattice.gather(*width, values),
            Self::Chains(chains) => chains.gather(values),
        }
    }

    /// For each particle the sum over its regions.
    pub(super) fn scatter<const N: usize>(&self, values: &[[f64; N]]) -> Vec<[f64; N]> {
        match self {
            Self::Lists { regions, .. } => sums_of_rows(regions, values),
            Self::Lattice { lattice, width } => lattice.scatter(*width, values),
            Self::Chains(chains) => chains.scatter(values),
        }
    }

    /// Regions of each particle, where they are listed.
    pub(super) fn regions_of_particles(&self) -> Option<&Csr> {
        match self {
            Self::Lists { regions, .. } => Some(regions),
            Self::Lattice { .. } | Self::Chains(_) => None,
        }
    }

    /// The region around a particle, where there is one for each.
    pub(super) fn own_region(&self, particle: usize) -> usize {
        match self {
            Self::Chains(chains) => chains.own_region(particle),
            Self::Lists { .. } | Self::Lattice { .. } => particle,
        }
    }
}

fn sums_of_rows<const N: usize>(rows: &Csr, values: &[[f64; N]]) -> Vec<[f64; N]> {
    let mut sums = vec![[0.0; N]; rows.len()];
    let grain = (TASK * rows.len() / rows.items().len().max(1)).max(1);
    let outputs = Strided { entries: &mut sums, stride: 1 };
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
    sums
}
