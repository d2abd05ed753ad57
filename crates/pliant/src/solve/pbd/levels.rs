//! Coarser sets of vertices that keep the paths between them from stretching, before each iteration [Müller 2008].
//!
//! ```text
//!   ●───────────────●───────────────●      a round here reaches across the cloth,
//!   ●───────●───────●───────●───────●      one here half as far,
//!   ●───●───●───●───●───●───●───●───●      and one here from vertex to vertex
//! ```
//!
//! An iteration over edges spreads an error by only a few edges, so a cloth of hundreds of edges needs tens of
//! thousands of iterations to spread it from end to end. Levels are those of
//! [`LimitMethod::Hierarchy`](crate::LimitMethod::Hierarchy). Their links resist stretch only, and pass on differences
//! only: a wrinkled sheet with edges of the right length does not change.

#![allow(unsafe_code)] // Links of one colour and followers move vertices of their own.

use super::super::limit::levels_of;
use crate::math::Vec3;
use crate::mesh::{Level, PARENTS};
use crate::parallel::{Shared, Team};
use crate::world::model::Model;

use crate::parallel::Colouring;

/// Links or followers that a thread takes at a time.
const CHUNK: usize = 256;

/// Levels above the mesh that keep a body from stretching as a whole, while constraints correct its edges.
///
/// ```
/// use pliant::prelude::*;
/// use pliant::solve::StretchLevels;
/// let sheet = Sheet { columns: 2, rows: 60, width: 0.05, height: 1.5, ..Sheet::default() };
/// let mesh = sheet.mesh()?;
/// let hang = |levels: Option<StretchLevels>| -> Result<f64, Box<dyn std::error::Error>> {
///     let cloth = Body::mass_spring(&mesh, 0.2, mesh.edges(), 1e4)?.pin([sheet.vertex(0, 60), sheet.vertex(2, 60)]);
///     let solver = PositionBasedParams { levels, ..PositionBasedParams::classic(5, 1.0) };
///     let mut sim = Simulation::builder().body(cloth).solver(solver).build()?;
///     for _ in 0..60 {
///         sim.step()?;
///     }
///     Ok(sim.positions().iter().fold(0.0, |least, p| p.y.min(least)))
/// };
/// let [plain, coarse] = [hang(None)?, hang(Some(StretchLevels::default()))?];
/// assert!(plain < -1.0 && coarse > -0.8, "its lower edge hangs at {plain} m, with levels at {coarse} m of -0.75");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StretchLevels {
    /// Maximum number of levels above the mesh itself. Vertices of a level are about twice as far apart as those of the
    /// next finer one.
    pub levels: usize,
    /// Number of rounds on each level per iteration.
    pub rounds: usize,
    /// Stretch, as length over rest length, that levels allow: 1 for cloth that does not stretch; for cloth that does,
    /// more than the stretch of its material under its weight.
    pub most: f64,
}

impl Default for StretchLevels {
    /// Eight levels, one round on each, no stretch.
    fn default() -> Self {
        Self { levels: 8, rounds: 1, most: 1.0 }
    }
}

/// Two vertices of a level.
#[derive(Debug, Clone, Copy)]
struct CoarseLink {
    ends: [u32; 2],
    rest: f64,
    /// 1/m of the ends with what hangs on them \[1/kg\].
    inverse_masses: [f64; 2],
}

/// A vertex of the level below that goes with vertices of a level.
#[derive(Debug, Clone, Copy)]
struct Follower {
    vertex: u32,
    /// Vertices of the level, with weights that add up to 1.
    parents: [u32; PARENTS],
    weights: [f64; PARENTS],
}

/// One level, prepared for threads.
#[derive(Debug)]
struct PreparedLevel {
    /// Colour by colour.
    links: Vec<CoarseLink>,
    colours: Vec<usize>,
    followers: Vec<Follower>,
}

/// All levels, the coarsest first.
#[derive(Debug)]
pub(super) struct Levels {
    levels: Vec<PreparedLevel>,
    params: StretchLevels,
    /// Where vertices were before the coarsest level.
    start: Vec<Vec3>,
    /// Vertices of the model.
    vertices: usize,
}

impl Levels {
    pub(super) fn new(model: &Model, params: StretchLevels) -> Self {
        let levels = levels_of(model, params.levels).into_levels();
        let vertices = model.rest().len();
        Self { levels: levels.iter().map(PreparedLevel::new).collect(), params, start: Vec::new(), vertices }
    }

    /// Bytes that a round goes over, roughly.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |level: &PreparedLevel| level.links.len() * 96 + level.followers.len() * 112;
        self.levels.iter().map(bytes).sum()
    }

    /// A round on each level, the coarsest first.
    pub(super) fn sweep(&mut self, team: &Team<'_>, x: &mut [Vec3]) {
        assert_eq!(x.len(), self.vertices, "a position for each vertex");
        let StretchLevels { rounds, most, .. } = self.params;
        self.start.clear();
        self.start.extend_from_slice(x);
        for level in &self.levels {
            for round in 0..rounds {
                level.shorten(team, most, round % 2 == 1, x);
            }
            level.lead(team, &self.start, x);
        }
    }
}

impl PreparedLevel {
    fn new(level: &Level) -> Self {
        let Level { links, inverse_masses, followers } = level;
        let ends: Vec<[u32; 2]> = links.iter().map(|link| link.ends).collect();
        let colouring = Colouring::new(links.len(), |k| &ends[k], |v| inverse_masses[v as usize] > 0.0);
        let link = |&k: &u32| {
            let link = links[k as usize];
            let inverse_masses = link.ends.map(|v| inverse_masses[v as usize]);
            CoarseLink { ends: link.ends, rest: link.rest, inverse_masses }
        };
        let follower = |(vertex, parents): &(u32, Vec<(u32, f64)>)| {
            let mut follower = Follower { vertex: *vertex, parents: [0; PARENTS], weights: [0.0; PARENTS] };
            for (k, (parent, weight)) in parents.iter().enumerate().take(PARENTS) {
                (follower.parents[k], follower.weights[k]) = (*parent, *weight);
            }
            follower
        };
        let followers = followers.iter().map(follower).collect();
        Self { links: colouring.order.iter().map(link).collect(), colours: colouring.starts, followers }
    }

    /// Pulls the ends of links together that are too far apart.
    fn shorten(&self, team: &Team<'_>, most: f64, backwards: bool, x: &mut [Vec3]) {
        let x = Shared(x.as_mut_ptr());
        let visit = |ends: &[usize]| {
            let colour = &self.links[ends[0]..ends[1]];
            team.share(colour.len().div_ceil(CHUNK), |item| {
                for link in colour.iter().skip(item * CHUNK).take(CHUNK) {
                    let ([a, b], [w_a, w_b]) = (link.ends.map(|v| v as usize), link.inverse_masses);
                    // SAFETY: ends are vertices of the model, as x has them (`sweep`); those that move are in no other
                    // link of the colour, and the others are only read.
                    let (from, to) = unsafe { (*x.get().add(a), *x.get().add(b)) };
                    let (edge, allowed) = (to - from, most * link.rest);
                    let length = edge.length();
                    if length <= allowed || w_a + w_b <= 0.0 {
                        continue;
                    }
                    let pull = edge * ((length - allowed) / (length * (w_a + w_b)));
                    for (v, to, w) in [(a, from + pull * w_a, w_a), (b, to - pull * w_b, w_b)] {
                        if w > 0.0 {
                            // SAFETY: the same vertex, which moves.
                            unsafe { *x.get().add(v) = to };
                        }
                    }
                }
            });
        };
        if backwards {
            self.colours.windows(2).rev().for_each(visit);
        } else {
            self.colours.windows(2).for_each(visit);
        }
    }

    /// Takes vertices of the level below along.
    fn lead(&self, team: &Team<'_>, start: &[Vec3], x: &mut [Vec3]) {
        let x = Shared(x.as_mut_ptr());
        team.share(self.followers.len().div_ceil(CHUNK), |item| {
            for Follower { vertex, parents, weights } in self.followers.iter().skip(item * CHUNK).take(CHUNK) {
                let mut movement = Vec3::ZERO;
                for (&parent, &weight) in parents.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
                    // SAFETY: parents are vertices of the model; they are in the level, and none of these follows, so
                    // nobody writes.
                    let now = unsafe { *x.get().add(parent as usize) };
                    movement += (now - start[parent as usize]) * weight;
                }
                // SAFETY: a vertex of the model that follows once, in one chunk, and is nobody's parent: nobody else
                // touches it.
                unsafe { *x.get().add(*vertex as usize) += movement };
            }
        });
    }
}
