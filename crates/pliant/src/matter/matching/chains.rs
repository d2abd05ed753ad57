//! Regions along strands: a particle with its neighbours, as used for hair [Rungjiratananon 2010; Bender 2014, §4.2].
//!
//! A region is one run of vertices of its strand, so that sums take the same time at any width.

use super::regions::{RegionError, Regions};
use super::runs::Runs;
use crate::mesh::{Csr, StrandSet};

impl Regions {
    /// A region for each vertex of strands: the vertices at most `width` vertices away along its strand, or along any
    /// of its strands if several meet. Wider regions resist bending more; sums over them take the same time at any
    /// width. Strain is limited for the mean over a particle's regions, as on lattices.
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
        super::clusters::check_points(&strands.positions)?;
        let (rows, count) = (&strands.strands, strands.positions.len());
        if let Some((place, &particle)) = rows.items().iter().enumerate().find(|(_, v)| **v as usize >= count) {
            return Err(RegionError::NoSuchParticle { region: place, particle, count });
        }
        // Where each particle is, in which strand.
        let places = (0u32..).zip(rows.items()).map(|(place, &v)| (v, place));
        let places = Csr::from_pairs(count, places);
        if let Some(particle) = (0..count).find(|&v| places.row(v).is_empty()) {
            return Err(RegionError::Loose { particle });
        }
        let mut is_laid = vec![false; count];
        let mut once = |row: &[u32]| -> Vec<u32> {
            row.iter().copied().filter(|&v| !std::mem::replace(&mut is_laid[v as usize], true)).collect()
        };
        let laid: Vec<Vec<u32>> = rows.rows().map(&mut once).collect();
        let region = |centre: u32| {
            let mut members: Vec<u32> = Vec::new();
            for place in places.row(centre as usize).iter().map(|&place| place as usize) {
                let strand = rows.range(rows.offsets().partition_point(|&first| first <= place) - 1);
                let near = place.saturating_sub(width).max(strand.start)
                    ..place.saturating_add(width).saturating_add(1).min(strand.end);
                members.extend_from_slice(&rows.items()[near]);
            }
            members.sort_unstable();
            members.dedup();
            members
        };
        Ok(Self::of_runs(Runs::new(&strands.positions, &laid, region)))
    }
}
