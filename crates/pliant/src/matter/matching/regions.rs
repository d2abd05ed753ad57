//! Which particles of a body are matched together.

use std::borrow::Cow;
use std::sync::Arc;

use thiserror::Error;

use super::lattice::Lattice;
use super::runs::Runs;
use crate::math::Vec3;
use crate::mesh::{Csr, Edge, MeshError, connected_components};

/// Regions of a body, which may overlap: lists of its particles, cubes of a lattice, or runs of particles in an order.
#[derive(Debug, Clone, PartialEq)]
pub struct Regions {
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Lists(Csr),
    Lattice { lattice: Arc<Lattice>, width: usize },
    Runs(Arc<Runs>),
}

/// Why regions are unusable.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RegionError {
    /// There is no region at all.
    #[error("there are no regions, because there are no particles")]
    NoRegions,
    /// Cells are as large as the body: a single particle has no shape to match.
    #[error("{name} is {value} m, which makes one particle of a body that is {extent} m long; make it smaller")]
    TooCoarse {
        /// Name of the value.
        name: &'static str,
        /// Its value \[m\].
        value: f64,
        /// Longest side of the body's box \[m\].
        extent: f64,
    },
    /// A region without particles.
    #[error("region {region} has no particles")]
    Empty {
        /// The region.
        region: usize,
    },
    /// A particle is in a region more than once.
    #[error("particle {particle} is in region {region} more than once")]
    Repeated {
        /// The region.
        region: usize,
        /// The particle.
        particle: u32,
    },
    /// The body does not have this particle.
    #[error("region {region} has particle {particle}, but the body has {count}")]
    NoSuchParticle {
        /// The region.
        region: usize,
        /// The particle.
        particle: u32,
        /// Particles of the body.
        count: usize,
    },
    /// A particle is not in any region: nothing would hold it.
    #[error("particle {particle} is not in any region")]
    Loose {
        /// The particle.
        particle: usize,
    },
    /// The lattice, mesh or strands of the regions are not those of the body.
    #[error("the lattice, mesh or strands of the regions have {found} particles, but the body has {expected}")]
    OtherLattice {
        /// Particles of the lattice or chains.
        found: usize,
        /// Particles of the body.
        expected: usize,
    },
    /// Volume conservation for a surface that is not closed.
    #[error("its surface does not enclose a volume that could be conserved: {0}")]
    OpenVolume(MeshError),
    /// Volume conservation for a body without triangles.
    #[error("it has no surface that encloses a volume")]
    NoVolume,
    /// A number is out of range.
    #[error("{name} of regions is {value}, but must be {need}")]
    BadNumber {
        /// Name of the value.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The required range.
        need: &'static str,
    },
    /// A point that should follow particles is not finite.
    #[error("point {point} is at {value}, which is not finite")]
    BadPoint {
        /// The point.
        point: usize,
        /// Where it is.
        value: Vec3,
    },
    /// A particle's position is not finite.
    #[error("particle {particle} is at {coordinate}, which is not finite")]
    NonFinite {
        /// The particle.
        particle: usize,
        /// The coordinate that is not finite.
        coordinate: f64,
    },
}

impl Regions {
    /// Regions as lists of particles. Whether they fit a body is checked when a body gets them.
    pub fn new(members: Csr) -> Self {
        Self { kind: Kind::Lists(members) }
    }

    pub(super) fn of_lattice(lattice: Lattice, width: usize) -> Self {
        Self { kind: Kind::Lattice { lattice: Arc::new(lattice), width } }
    }

    pub(super) fn of_runs(runs: Runs) -> Self {
        Self { kind: Kind::Runs(Arc::new(runs)) }
    }

    /// The runs that they are.
    pub(super) fn runs(&self) -> Option<&Arc<Runs>> {
        match &self.kind {
            Kind::Runs(runs) => Some(runs),
            Kind::Lists(_) | Kind::Lattice { .. } => None,
        }
    }

    /// Whether particles of each region are listed.
    pub(super) fn are_listed(&self) -> bool {
        matches!(self.kind, Kind::Lists(_))
    }

    /// The lattice that they are cubes of, with their width.
    pub fn lattice(&self) -> Option<(&Arc<Lattice>, usize)> {
        match &self.kind {
            Kind::Lattice { lattice, width } => Some((lattice, *width)),
            Kind::Lists(_) | Kind::Runs(_) => None,
        }
    }

    /// One region with all particles: the body oscillates about one shape, as in [Müller 2005].
    pub fn whole(particles: usize) -> Self {
        Self::new(Csr::from_rows([(0..particles as u32).collect::<Vec<_>>()]))
    }

    /// A region for each particle: the particles at most `width` edges away [Bender 2014, §4.2].
    ///
    /// ```
    /// use pliant::Regions;
    /// let chain = Regions::rings(4, &[[0, 1], [1, 2], [2, 3]], 1)?;
    /// assert_eq!(chain.lists().row(1), &[0, 1, 2]);
    /// # Ok::<(), pliant::RegionError>(())
    /// ```
    pub fn rings(particles: usize, edges: &[[u32; 2]], width: usize) -> Result<Self, RegionError> {
        let neighbours = neighbours_of(particles, edges)?;
        let mut seen_by = vec![u32::MAX; particles];
        let rings = (0..particles as u32).map(|centre| ring_around(centre, &neighbours, width, &mut seen_by));
        Ok(Self::new(Csr::from_rows(rings)))
    }

    /// The union of these regions and another set: regions of several sizes hold a body together locally and globally.
    /// They become lists.
    pub fn and(&self, other: &Self) -> Self {
        let mut members = self.lists().into_owned();
        other.lists().rows().for_each(|row| members.push_row(row));
        Self::new(members)
    }

    /// Particles of each region. Regions of a lattice or of runs are first converted to lists, which takes memory for
    /// each particle.
    pub fn lists(&self) -> Cow<'_, Csr> {
        match &self.kind {
            Kind::Lists(members) => Cow::Borrowed(members),
            Kind::Lattice { lattice, width } => Cow::Owned(lattice.lists(*width)),
            Kind::Runs(runs) => Cow::Owned(runs.lists()),
        }
    }

    /// Number of regions.
    pub fn len(&self) -> usize {
        match &self.kind {
            Kind::Lists(members) => members.len(),
            Kind::Lattice { lattice, .. } => lattice.cells().len(),
            Kind::Runs(runs) => runs.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Checks that they are regions of a body with so many particles.
    pub(crate) fn check(&self, count: usize) -> Result<(), RegionError> {
        if self.is_empty() {
            return Err(RegionError::NoRegions);
        }
        // A lattice and runs have a region for each particle.
        let Kind::Lists(members) = &self.kind else {
            let (found, expected) = (self.len(), count);
            return if found == expected { Ok(()) } else { Err(RegionError::OtherLattice { found, expected }) };
        };
        let mut seen_by = vec![usize::MAX; count];
        for (region, row) in members.rows().enumerate() {
            if row.is_empty() {
                return Err(RegionError::Empty { region });
            }
            for &particle in row {
                let missing = RegionError::NoSuchParticle { region, particle, count };
                let last = seen_by.get_mut(particle as usize).ok_or(missing)?;
                if *last == region {
                    return Err(RegionError::Repeated { region, particle });
                }
                *last = region;
            }
        }
        match seen_by.iter().position(|&region| region == usize::MAX) {
            Some(particle) => Err(RegionError::Loose { particle }),
            None => Ok(()),
        }
    }
}

/// Particles that edges lead to from each particle.
pub(super) fn neighbours_of(particles: usize, edges: &[[u32; 2]]) -> Result<Csr, RegionError> {
    for (region, edge) in edges.iter().enumerate() {
        if let Some(&particle) = edge.iter().find(|&&v| v as usize >= particles) {
            return Err(RegionError::NoSuchParticle { region, particle, count: particles });
        }
    }
    Ok(Csr::from_pairs(particles, edges.iter().flat_map(|&[a, b]| [(a, b), (b, a)])))
}

/// Which particles are in the largest of the pieces that edges hold together, by the sizes of particles; of equal pieces the first.
pub(super) fn largest_piece(edges: &[Edge], sizes: &[f64]) -> Vec<bool> {
    let pieces = connected_components(sizes.len(), edges);
    let mut totals = vec![0.0; pieces.count];
    pieces.labels.iter().zip(sizes).for_each(|(&piece, size)| totals[piece as usize] += size);
    let most = totals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let kept = totals.iter().position(|&total| total == most).unwrap_or(0) as u32;
    pieces.labels.iter().map(|&piece| piece == kept).collect()
}

/// Particles at most `width` edges away, in the order of their numbers. `seen_by` must not hold the centre's own number.
pub(super) fn ring_around(centre: u32, neighbours: &Csr, width: usize, seen_by: &mut [u32]) -> Vec<u32> {
    let (mut region, mut first) = (vec![centre], 0);
    seen_by[centre as usize] = centre;
    for _ in 0..width {
        let end = region.len();
        for k in first..end {
            for &next in neighbours.row(region[k] as usize) {
                if seen_by[next as usize] != centre {
                    seen_by[next as usize] = centre;
                    region.push(next);
                }
            }
        }
        // All that hangs together is in it, however wide it may be.
        if region.len() == end {
            break;
        }
        first = end;
    }
    region.sort_unstable();
    region
}
