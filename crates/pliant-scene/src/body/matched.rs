//! `material.matched`: how a body keeps its shape by matching.

use pliant::math::Vec3;
use pliant::mesh::StrandSet;
use pliant::{Matching, Modes, Plasticity, Regions, Spring, VolumeConservation};

use crate::fault::Fault;
use crate::format::{MatchedSection, ModesSection, RegionsSection, VolumeSection};
use crate::settings::check_most;

/// Largest number of sizes: a radius doubles with each.
const MOST_LEVELS: usize = 64;

/// Every smoothing takes time, and a few are enough.
const MOST_SMOOTHING: usize = 1000;

pub(super) fn matching(
    section: &MatchedSection,
    rest: &[Vec3],
    edges: &[[u32; 2]],
    strands: Option<&StrandSet>,
) -> Result<Matching, Fault> {
    with_regions(section, regions(section.regions, rest, edges, strands)?)
}

/// The same for regions that are known.
pub(super) fn with_regions(section: &MatchedSection, regions: Regions) -> Result<Matching, Fault> {
    let key = |name: &str| format!("material.matched.{name}");
    let standard = Matching::new(regions);
    let smoothing = section.volume.and_then(|volume| volume.smoothing);
    check_most(&key("volume.smoothing"), smoothing, MOST_SMOOTHING)?;
    let spring = match (section.frequency, section.share) {
        (Some(_), Some(_)) => {
            return Err(Fault::new(key("frequency"), "frequency and share say the same thing: give one of them"));
        }
        (Some(hertz), None) => Spring::Frequency(hertz),
        (None, Some(share)) => Spring::Share(share),
        (None, None) => standard.spring,
    };
    let matching = Matching {
        spring,
        damping: section.damping.unwrap_or(standard.damping),
        limit: section.limit.map_or(standard.limit, |limit| (limit != f64::INFINITY).then_some(limit)),
        relaxation: section.relaxation.unwrap_or(standard.relaxation),
        modes: match section.modes {
            None => Modes::Rigid,
            Some(ModesSection::Linear(beta)) => Modes::Linear(beta),
            Some(ModesSection::Quadratic(beta)) => Modes::Quadratic(beta),
        },
        plasticity: section.plasticity.map(|plasticity| Plasticity {
            yield_strain: plasticity.yield_strain,
            creep: plasticity.creep,
            maximum: plasticity.maximum.unwrap_or(f64::INFINITY),
        }),
        toughness: section.toughness,
        volume: section.volume.map(volume),
        regions: standard.regions,
    };
    match matching.problem() {
        None => Ok(matching),
        Some((name, value, need)) => {
            Err(Fault::new("material.matched", format!("{name} is {value}, but must be {need}")))
        }
    }
}

fn volume(section: VolumeSection) -> VolumeConservation {
    let standard = VolumeConservation::default();
    VolumeConservation {
        local: section.local.unwrap_or(standard.local),
        distances: section.distances.unwrap_or(standard.distances),
        smoothing: section.smoothing.unwrap_or(standard.smoothing),
    }
}

fn regions(
    section: RegionsSection,
    rest: &[Vec3],
    edges: &[[u32; 2]],
    strands: Option<&StrandSet>,
) -> Result<Regions, Fault> {
    let regions = match section {
        RegionsSection::Whole {} => Ok(Regions::whole(rest.len())),
        RegionsSection::Random { radius, seed } => Regions::random(rest, radius, seed),
        RegionsSection::Balanced { radius } => Regions::balanced(rest, radius),
        RegionsSection::MultiScale { radius, levels } if (1..=MOST_LEVELS).contains(&levels) => {
            Regions::multi_scale(rest, radius, levels)
        }
        RegionsSection::MultiScale { levels, .. } => {
            let message = format!("levels is {levels}, but must be 1 to {MOST_LEVELS}");
            return Err(Fault::new("material.matched.regions.multi-scale.levels", message));
        }
        RegionsSection::Chains { width } => match strands {
            Some(strands) => Regions::chains(strands, width),
            None => {
                let message = "chains are strands, which this shape does not have";
                return Err(Fault::new("material.matched.regions.chains", message));
            }
        },
        RegionsSection::Rings { .. } if edges.is_empty() => {
            let message = "rings go along edges, which this shape does not have";
            return Err(Fault::new("material.matched.regions.rings", message));
        }
        RegionsSection::Rings { width } => Regions::rings(rest.len(), edges, width),
        RegionsSection::Paths { .. } if edges.is_empty() => {
            let message = "paths go along edges, which this shape does not have";
            return Err(Fault::new("material.matched.regions.paths", message));
        }
        RegionsSection::Paths { width } => Regions::rings_along_paths(rest, edges, width),
        // These are made by `cells::fill`, which refuses shapes that cannot be filled.
        RegionsSection::Lattice { .. } | RegionsSection::Octree { .. } => {
            return Err(Fault::new("material.matched.regions", "this shape cannot be filled with particles"));
        }
    };
    regions.map_err(|error| Fault::new("material.matched.regions", error.to_string()))
}
