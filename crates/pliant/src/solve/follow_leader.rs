//! Follow the leader: inextensible hair and fur, each strand in one pass [Müller 2012; Bender 2014, §3.5].
//!
//! From the pinned root down each vertex is moved to its rest length from the one before it, so lengths are exact
//! after one pass, whatever the number of vertices. Followers have no say in where their leader goes: as if each vertex were
//! infinitely heavier than the next. The dynamic variant hides that in the velocities,
//!
//! v_i = (p_i − x_i)/h − s·d_{i+1}/h,
//!
//! with d_{i+1} the correction that the follower of i went through, and s in [0, 1).
//!
//! At rest a hanging vertex so has the velocity s/(1 − s)·g·h and does not move: velocities are what the next
//! prediction starts from, not what is seen. Strands know lengths, the style of the rest shape (`style`), hair around them (`grid`) and
//! colliders; no other energy.
//!
//! Departure: against colliders a vertex goes to the circle where its length is exact and the plane of contact is met; what
//! a collider pushes does not count in d, or hair that lies on something would push its own root into it.

mod chains;
mod grid;
mod pass;
mod style;

pub use crate::world::error::FollowLeaderError;
pub use grid::HairGrid;
pub use style::HairStyle;

use self::chains::Chains;
use self::grid::{Grid, Hair};
use self::pass::{Plane, Rules};
use self::style::Style;
use super::{Objective, Progress, SolveError, SolveReport, Solver, Start};
use crate::clock::Clock;
use crate::contact::Contacts;
use crate::energy::Memory;
use crate::integrate::TimeIntegrator;
use crate::math::Vec3;
use crate::parallel::{self, ByOffsets, Strided};
use crate::world::error::ModelError;
use crate::world::model::Model;

/// Parameters of follow-the-leader.
///
/// ```
/// use pliant::mesh::generate::{Bundle, Roots};
/// use pliant::prelude::*;
///
/// let roots = Roots::Disc { radius: 0.05, count: 200 };
/// let hair = Bundle { roots, direction: Vec3::X, length: 0.3, segments: 15 }.strands()?;
/// let roots = hair.strands.rows().map(|strand| strand[0]).collect::<Vec<_>>();
/// let body = Body::strands(&hair, &StrandMaterial::default())?.pin(roots);
/// let mut sim = Simulation::builder().body(body).solver(FollowLeaderParams::default()).build()?;
/// for _ in 0..60 {
///     sim.step()?;
/// }
/// for [a, b] in hair.segments() {
///     let length = sim.positions()[a as usize].distance(sim.positions()[b as usize]);
///     assert!((length / 0.02 - 1.0).abs() < 1e-9);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FollowLeaderParams {
    /// s, 0 to below 1: how much of a follower's correction its leader is slowed by. At 0 the method is plain follow-the-leader, whose
    /// strands swing as if each vertex dragged none; near 1 they swing freely. Velocities of strands at rest grow with it, so styled
    /// hair keeps its curls better at about 0.5.
    pub correction: f64,
    /// Hair against hair; off by default.
    pub grid: Option<HairGrid>,
    /// What hair keeps of its rest shape; nothing by default.
    pub style: Option<HairStyle>,
}

impl Default for FollowLeaderParams {
    fn default() -> Self {
        Self { correction: 0.9, grid: None, style: None }
    }
}

impl FollowLeaderParams {
    /// Refuses numbers that make no sense.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let require = |name, value: f64, need, holds: bool| {
            if holds && value.is_finite() { Ok(()) } else { Err(ModelError::BadParameter { name, value, need }) }
        };
        let s = self.correction;
        require("correction of followers", s, "at least 0 and below 1", (0.0..1.0).contains(&s))?;
        if let Some(HairGrid { cell, friction, repulsion }) = self.grid {
            require("cell of the hair grid", cell, "positive", cell > 0.0)?;
            require("friction of hair", friction, "at least 0", friction >= 0.0)?;
            require("repulsion of hair", repulsion, "at least 0", repulsion >= 0.0)?;
        }
        if let Some(HairStyle { local, iterations: _, global, global_range }) = self.style {
            for (name, value) in [
                ("local stiffness of hair", local),
                ("global stiffness of hair", global),
                ("range of global stiffness", global_range),
            ] {
                require(name, value, "0 to 1", (0.0..=1.0).contains(&value))?;
            }
        }
        Ok(())
    }

    /// Refuses worlds that are not strands with leaders.
    pub(crate) fn check_world(model: &Model, integrator: TimeIntegrator) -> Result<(), FollowLeaderError> {
        if integrator != TimeIntegrator::ImplicitEuler {
            return Err(FollowLeaderError::Integrator { integrator });
        }
        Chains::new(model).map(|_| ())
    }
}

/// Rounds of meeting colliders: their planes turn as hair slides along curved ones.
const CONTACT_ROUNDS: usize = 4;

/// Contact is settled when a round moves no vertex by more than this share of the world's diagonal.
const SETTLED: f64 = 1e-5;

/// The solver; it keeps the chains as long as the model stays the same.
#[derive(Debug)]
pub struct FollowLeader {
    params: FollowLeaderParams,
    chains: Option<Chains>,
    style: Option<Style>,
    grid: Grid,
    /// Places of entries, and corrections of their lengths in the last solve \[m\].
    packed: Vec<Vec3>,
    corrections: Vec<Vec3>,
}

impl FollowLeader {
    /// A solver with these parameters.
    pub fn new(params: FollowLeaderParams) -> Self {
        let (packed, corrections) = (Vec::new(), Vec::new());
        Self { params, chains: None, style: None, grid: Grid::default(), packed, corrections }
    }

    fn prepare(&mut self, model: &Model) -> Result<(), FollowLeaderError> {
        if self.chains.is_none() {
            let chains = Chains::new(model)?;
            self.style = self.params.style.map(|params| Style::new(params, model, &chains));
            self.chains = Some(chains);
        }
        Ok(())
    }
}

/// One pass over all chains from where the entries wish to be, or over those with planes where there are any; adds what lengths
/// took to the corrections.
fn pass(chains: &Chains, style: Option<&Style>, planes: &[Plane], packed: &mut [Vec3], corrections: &mut [Vec3]) {
    let offsets = &chains.offsets[..];
    let outputs = (ByOffsets { entries: packed, offsets }, ByOffsets { entries: corrections, offsets });
    parallel::for_each(0..chains.len(), outputs, &|range, (places, moved)| {
        let base = places.offsets[0] as usize;
        for chain in range {
            let (from, to) = (offsets[chain] as usize, offsets[chain + 1] as usize);
            let own = &mut places.entries[from - base..to - base];
            let moved = &mut moved.entries[from - base..to - base];
            let below = |entry: usize| planes.partition_point(|plane| (plane.entry as usize) < entry);
            let own_planes = &planes[below(from)..below(to)];
            if own_planes.is_empty() && !planes.is_empty() {
                continue;
            }
            let planes = own_planes;
            let rules = Rules { lengths: &chains.lengths[from..to], planes, first: from as u32 };
            if let Some(style) = style {
                style.apply(chains, chain, own);
            }
            moved.iter_mut().zip(&*own).for_each(|(moved, wanted)| *moved -= *wanted);
            if chains.held[chain] {
                rules.between(own);
            } else {
                rules.forth(own);
            }
            moved.iter_mut().zip(&*own).for_each(|(moved, reached)| *moved += *reached);
            for plane in planes {
                // What the collider pushed is not what the length took.
                let moved = &mut moved[plane.entry as usize - from];
                *moved -= plane.normal * plane.normal.dot(*moved).max(0.0);
            }
        }
    });
}

impl Solver for FollowLeader {
    fn start(&self) -> Start {
        Start::Predicted
    }

    fn advance(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        _memory: &mut [Memory],
        contacts: &mut Contacts<'_>,
        clock: &Clock,
    ) -> Result<Progress, SolveError> {
        let begun = clock.now();
        self.prepare(objective.model)?;
        let Self { chains: Some(chains), style, packed, corrections, .. } = self else {
            return Ok(Progress::Done(SolveReport::default()));
        };
        if let Some(style) = style {
            style.follow_pins(objective.model, x);
        }
        chains.gather(x, packed);
        corrections.clear();
        corrections.resize(packed.len(), Vec3::ZERO);
        pass(chains, style.as_ref(), &[], packed, corrections);
        chains.scatter(packed, x);
        let mut report = SolveReport { iterations: 1, converged: true, ..SolveReport::default() };
        if !contacts.is_none() {
            let (free, unhindered) = (x.to_vec(), corrections.clone());
            let mut last = free.clone();
            let mass = objective.model.mass().diagonal();
            for _ in 0..CONTACT_ROUNDS {
                contacts.meet(&|vertex| x[vertex]);
                // Each round starts from where hair would go freely, so that forces are those of the whole push.
                let mut moved: Vec<(usize, Vec3)> = Vec::new();
                let mut exchange = |vertex: usize, to: Option<Vec3>| {
                    to.inspect(|to| moved.push((vertex, *to))).unwrap_or(free[vertex])
                };
                contacts.displace(&mut exchange, &|vertex| objective.inertia * mass[vertex]);
                let mut planes: Vec<Plane> = contacts
                    .planes()
                    .map(|(vertex, normal, target)| Plane { entry: chains.entry_of[vertex as usize], normal, target })
                    .collect();
                planes.sort_by_key(|plane| plane.entry);
                if planes.is_empty() {
                    break;
                }
                corrections.copy_from_slice(&unhindered);
                x.copy_from_slice(&free);
                moved.iter().for_each(|&(vertex, to)| x[vertex] = to);
                chains.gather(x, packed);
                pass(chains, None, &planes, packed, corrections);
                chains.scatter(packed, x);
                report.iterations += 1;
                let moved = x.iter().zip(&last).fold(0.0_f64, |most, (x, last)| most.max(x.distance_squared(*last)));
                if moved.sqrt() <= SETTLED * objective.model.diagonal() {
                    break;
                }
                last.copy_from_slice(x);
            }
            report.contacts = contacts.count();
        }
        report.seconds_local = clock.now() - begun;
        Ok(Progress::Done(report))
    }

    /// A vertex that its length holds inside a collider stays: lengths come first.
    fn keeps_positions(&self) -> bool {
        true
    }

    fn correct_velocities(&mut self, model: &Model, _start: &[Vec3], x: &[Vec3], v: &mut [Vec3], h: f64) {
        let Some(chains) = &self.chains else { return };
        let (corrections, scale) = (&self.corrections, self.params.correction / h);
        if corrections.len() != chains.vertices.len() {
            return;
        }
        let count = chains.vertices.len() as u32;
        parallel::for_each(0..v.len(), Strided { entries: &mut *v, stride: 1 }, &|range, part| {
            for (velocity, &entry) in part.entries.iter_mut().zip(&chains.entry_of[range]) {
                // The entry after a tip is the leader of the next chain, which nothing corrects.
                if entry != chains::NONE && entry + 1 < count && chains.lengths[entry as usize + 1] > 0.0 {
                    *velocity -= corrections[entry as usize + 1] * scale;
                }
            }
        });
        if let Some(params) = &self.params.grid {
            let is_free = |vertex: usize| chains.entry_of[vertex] != chains::NONE;
            let hair = Hair { x, masses: model.mass().lumped(), is_free: &is_free };
            self.grid.meet(params, &hair, v, h);
        }
    }
}
