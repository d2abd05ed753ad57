//! Regions that part.
//!
//! A body breaks at the end of a step, where it is most strained and the strain is above its toughness. What has broken is a list of breaks in
//! the state; the regions that are left follow from it alone, so that a restored run goes on with the same bits.
//!
//! On a lattice a break is a link that is gone, as in [Rivers & James 2007, §5], strained by how far its ends are apart. With the most strained
//! one go those beside it in the same plane, as far as a region is wide. A crack goes on in its plane, and no other one opens near it.
//!
//! Elsewhere a break is a plane through the middle of a region, across its largest stretch. It parts that region and all that share particles with
//! it, as far as they lie on both sides. Every particle stays in as many regions as before.
//!
//! What has just been parted is as deformed as before and needs a swing to come back; until then it does not break again.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Matching;
use super::fit::Fits;
use super::lattice::{Lattice, Link};
use super::matter::BREAKS;
use super::regions::Regions;
use crate::math::{Mat3, Quat, Vec3, svd_3x3};
use crate::matter::Channels;
use crate::mesh::Csr;

/// Where a body with shape matching has broken.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Break {
    /// The region; on a lattice the particle at the lower end of the link.
    pub place: u32,
    /// Normal of the crack in the rest shape; on a lattice along the link.
    pub normal: Vec3,
    /// Number of whole steps before it.
    pub step: u64,
}

impl Break {
    pub(super) fn to_numbers(self) -> [f64; 5] {
        let [x, y, z] = self.normal.to_array();
        [f64::from(self.place), x, y, z, self.step as f64]
    }

    pub(super) fn from_numbers(n: &[f64; 5]) -> Self {
        Self { place: n[0] as u32, normal: Vec3::new(n[1], n[2], n[3]), step: n[4] as u64 }
    }

    /// All of a body.
    pub(crate) fn all(channels: &Channels) -> Vec<Self> {
        channels.numbers(BREAKS).as_chunks().0.iter().map(Self::from_numbers).collect()
    }
}

/// Distances from a crack below this share of a region's size are none: a layer of particles in its middle goes to one side as a whole.
const TIE: f64 = 1e-6;

/// A link beside a crack counts as so many times as strained: a crack that is there goes on sooner than another one opens. Regions are wider than
/// the tip of a crack, and smooth out how strained it is.
const AT_TIP: f64 = 2.0;

/// What breaks have left of regions.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) regions: Regions,
    /// Which region each was a part of, before the last breaks given.
    pub(super) parents: Vec<u32>,
    /// The step in which each was parted last.
    parted: Vec<Option<u64>>,
}

impl Broken {
    /// Of regions of a body at rest. The last `new` breaks are those that parents are asked for. None where a break has no place.
    pub(super) fn new(regions: &Regions, rest: &[Vec3], breaks: &[Break], new: usize) -> Option<Self> {
        if breaks.is_empty() {
            let parents = (0..regions.len() as u32).collect();
            return Some(Self { regions: regions.clone(), parents, parted: vec![None; regions.len()] });
        }
        if let Some((lattice, width)) = regions.lattice() {
            let link = |b: &Break| ((b.place as usize) < rest.len()).then(|| (b.place, axis_of(b.normal)));
            let cut: Vec<Link> = breaks.iter().map(link).collect::<Option<_>>()?;
            let parents = (0..regions.len() as u32).collect();
            return Some(Self { regions: lattice.without_links(&cut).regions(width), parents, parted: Vec::new() });
        }
        let mut rows: Vec<Vec<u32>> = regions.lists().rows().map(<[u32]>::to_vec).collect();
        let mut parted = vec![None; rows.len()];
        let mut parents: Vec<u32> = Vec::new();
        for (k, next) in breaks.iter().enumerate() {
            if k + new == breaks.len() {
                parents = (0..rows.len() as u32).collect();
            }
            part(&mut rows, &mut parted, &mut parents, rest, next)?;
        }
        if new == 0 {
            parents = (0..rows.len() as u32).collect();
        }
        Some(Self { regions: Regions::new(Csr::from_rows(rows)), parents, parted })
    }
}

/// Parts a region, and all that share particles with it, by a plane through its middle.
fn part(
    rows: &mut Vec<Vec<u32>>,
    parted: &mut Vec<Option<u64>>,
    parents: &mut Vec<u32>,
    rest: &[Vec3],
    next: &Break,
) -> Option<()> {
    let broken = rows.get(next.place as usize)?.clone();
    let middle = broken.iter().fold(Vec3::ZERO, |sum, &v| sum + rest[v as usize]) / broken.len() as f64;
    let size = broken.iter().fold(0.0_f64, |most, &v| most.max(rest[v as usize].distance(middle)));
    let mut is_shared = vec![false; rest.len()];
    broken.iter().for_each(|&v| is_shared[v as usize] = true);
    for region in 0..rows.len() {
        if !rows[region].iter().any(|&v| is_shared[v as usize]) {
            continue;
        }
        parted[region] = Some(next.step);
        let is_beyond = |v: &u32| (rest[*v as usize] - middle).dot(next.normal) > TIE * size;
        let (beyond, before): (Vec<u32>, Vec<u32>) = rows[region].iter().partition(|v| is_beyond(v));
        if !beyond.is_empty() && !before.is_empty() {
            rows[region] = before;
            rows.push(beyond);
            parted.push(Some(next.step));
            let parent = parents.get(region).copied();
            parents.extend(parent);
        }
    }
    Some(())
}

fn axis_of(normal: Vec3) -> usize {
    let sizes = normal.abs();
    if sizes.x >= sizes.y.max(sizes.z) { 0 } else { 1 + usize::from(sizes.z > sizes.y) }
}

/// When and how a body may break.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// The strain above which it does.
    pub(super) toughness: f64,
    /// Steps taken.
    pub(super) step: u64,
    /// Steps that what was parted needs to come back.
    pub(super) pause: u64,
}

impl Moment {
    fn is_recent(&self, step: u64) -> bool {
        self.step.saturating_sub(step) < self.pause
    }
}

/// What a body that may break needs besides its fits.
#[derive(Debug)]
pub(super) struct Cracks {
    pub(super) rest: Vec<Vec3>,
    pub(super) masses: Vec<f64>,
    pub(super) breaks: Vec<Break>,
    pub(super) broken: Broken,
}

impl Cracks {
    pub(super) fn new(regions: &Regions, rest: &[Vec3], masses: &[f64]) -> Option<Self> {
        let broken = Broken::new(regions, rest, &[], 0)?;
        Some(Self { rest: rest.to_vec(), masses: masses.to_vec(), breaks: Vec::new(), broken })
    }

    /// Takes breaks of the regions at first, the last of which are new. Whether they fit.
    pub(super) fn take(&mut self, regions: &Regions, breaks: Vec<Break>, new: usize) -> bool {
        let broken = Broken::new(regions, &self.rest, &breaks, new);
        let fits = broken.is_some();
        if let Some(broken) = broken {
            (self.broken, self.breaks) = (broken, breaks);
        }
        fits
    }

    /// What breaks now, by the last update of fits and goals.
    pub(super) fn find(&self, moment: &Moment, fits: &Fits, x: &[Vec3]) -> Vec<Break> {
        match self.broken.regions.lattice() {
            Some((lattice, width)) => self.breaks_of_links(moment, lattice, width, fits, x),
            None => self.breaks_of_regions(moment, fits),
        }
    }

    /// Regions that part now, as deformed as by the last update of their fits.
    fn breaks_of_regions(&self, moment: &Moment, fits: &Fits) -> Vec<Break> {
        let lists = self.broken.regions.lists();
        let mut found: Vec<(f64, u32, Vec3)> = Vec::new();
        for region in 0..fits.regions.len() {
            if lists.row(region).len() < 2 || self.broken.parted[region].is_some_and(|step| moment.is_recent(step)) {
                continue;
            }
            let plastic = fits.stretches.get(region).copied().unwrap_or(Mat3::IDENTITY);
            let elastic = svd_3x3(fits.deformation(region) * plastic.inverse());
            if elastic.sigma.x - 1.0 > moment.toughness {
                found.push((elastic.sigma.x, region as u32, (plastic * elastic.v.x_axis).normalize()));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // A break takes all around it along, so that of neighbours only the most strained one counts.
        let mut is_taken = vec![false; self.rest.len()];
        let mut breaks = Vec::new();
        for (_, place, normal) in found {
            let own = lists.row(place as usize);
            if own.iter().any(|&v| is_taken[v as usize]) {
                continue;
            }
            breaks.push(Break { place, normal, step: moment.step });
            let mut is_own = vec![false; self.rest.len()];
            own.iter().for_each(|&v| is_own[v as usize] = true);
            let around = lists.rows().filter(|row| row.iter().any(|&v| is_own[v as usize]));
            around.for_each(|row| row.iter().for_each(|&v| is_taken[v as usize] = true));
        }
        breaks
    }

    /// Links of a lattice that break now, by the goals of its particles.
    fn breaks_of_links(&self, moment: &Moment, lattice: &Lattice, width: usize, fits: &Fits, x: &[Vec3]) -> Vec<Break> {
        let cell_of = |link: Link| (lattice.cells()[link.0 as usize], link.1);
        let all = self.breaks.iter().map(|b| cell_of((b.place, axis_of(b.normal))));
        let cracked: HashSet<([i32; 3], usize)> = all.collect();
        let is_at_a_tip = |cell: [i32; 3], axis: usize| {
            let beside = [1, 2].into_iter().flat_map(|k| [-1, 1].map(|by| ((axis + k) % 3, by)));
            !cracked.is_empty()
                && beside.into_iter().any(|(to, by)| {
                    let mut other = cell;
                    other[to] = other[to].saturating_add(by);
                    cracked.contains(&(other, axis))
                })
        };
        let mut found: Vec<(f64, Link)> = Vec::new();
        for (low, high, axis) in lattice.links() {
            let [a, b] = [low, high].map(|v| v as usize);
            // By the places of the particles, since the body may stand turned from its lattice.
            let along = self.rest[b] - self.rest[a];
            let rest = match (fits.stretches.get(a), fits.stretches.get(b)) {
                (Some(a), Some(b)) => ((*a + *b) * along * 0.5).length(),
                _ => along.length(),
            };
            let strain = x[a].distance(x[b]) / rest - 1.0;
            let strain = if is_at_a_tip(lattice.cells()[a], axis) { AT_TIP * strain } else { strain };
            if strain > moment.toughness {
                found.push((strain, (low, axis)));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        if found.is_empty() {
            return Vec::new();
        }
        let links: HashMap<([i32; 3], usize), u32> =
            lattice.links().map(|(low, _, axis)| ((lattice.cells()[low as usize], axis), low)).collect();
        let recent = self.breaks.iter().filter(|b| moment.is_recent(b.step));
        let mut taken: Vec<([i32; 3], usize)> = recent.map(|b| cell_of((b.place, axis_of(b.normal)))).collect();
        let mut cut: BTreeSet<Link> = BTreeSet::new();
        let reach = width.min(i32::MAX as usize / 4) as i32;
        for (_, link) in found {
            let (cell, axis) = cell_of(link);
            // A crack goes on in its plane, and nowhere else nearby.
            let is_in_the_way = |&(other, across): &([i32; 3], usize)| {
                let is_near = (0..3).all(|k| other[k].abs_diff(cell[k]) as usize <= 2 * width);
                is_near && !(across == axis && other[axis] == cell[axis])
            };
            if taken.iter().any(is_in_the_way) {
                continue;
            }
            taken.push((cell, axis));
            let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
            for (to_a, to_b) in (-reach..=reach).flat_map(|to_a| (-reach..=reach).map(move |to_b| (to_a, to_b))) {
                let mut other = cell;
                (other[a], other[b]) = (cell[a].saturating_add(to_a), cell[b].saturating_add(to_b));
                cut.extend(links.get(&(other, axis)).map(|&low| (low, axis)));
            }
        }
        let normal = |axis: usize| Vec3::AXES[axis];
        let as_break = |(place, axis)| Break { place, normal: normal(axis), step: moment.step };
        cut.into_iter().map(as_break).collect()
    }
}

impl Fits {
    /// Takes rotations and plastic stretches of the regions that these are parts of.
    pub(super) fn inherit(&mut self, from: &Fits, parents: &[u32]) {
        let rotations: Vec<Quat> = from.rotations().collect();
        let own: Vec<Quat> = parents.iter().map(|&parent| rotations[parent as usize]).collect();
        self.set_rotations(&own);
        if !from.stretches.is_empty() {
            parents.iter().zip(&mut self.stretches).for_each(|(&p, own)| *own = from.stretches[p as usize]);
        }
    }
}

impl Matching {
    /// The number of the piece of each particle of a body that is so broken.
    pub(crate) fn pieces(&self, rest: &[Vec3], breaks: &[Break]) -> Vec<u32> {
        let broken = Broken::new(&self.regions, rest, breaks, 0);
        broken.map_or_else(|| self.regions.clone(), |broken| broken.regions).pieces(rest.len())
    }
}

impl Regions {
    /// The number of the piece of each particle: regions that share particles hang together.
    pub(super) fn pieces(&self, particles: usize) -> Vec<u32> {
        let mut firsts: Vec<u32> = (0..particles as u32).collect();
        let mut join = |a: u32, b: u32| {
            let [a, b] = [a, b].map(|mut v| {
                while firsts[v as usize] != v {
                    firsts[v as usize] = firsts[firsts[v as usize] as usize];
                    v = firsts[v as usize];
                }
                v
            });
            firsts[a.max(b) as usize] = a.min(b);
        };
        match self.lattice() {
            Some((_, 0)) => {}
            Some((lattice, _)) => lattice.links().for_each(|(low, high, _)| join(low, high)),
            None => self.lists().rows().for_each(|row| row.iter().for_each(|&v| join(row[0], v))),
        }
        let (mut numbers, mut pieces) = (vec![0; particles], 0);
        for v in 0..particles {
            // The first of a piece has a lower number than all others, so its own is known.
            let first = firsts[v] as usize;
            numbers[v] = if first == v { pieces } else { numbers[first] };
            pieces += u32::from(first == v);
        }
        numbers
    }
}
