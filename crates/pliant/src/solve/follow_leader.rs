//! Follow the leader: inextensible hair and fur, each strand in one pass [Müller 2012; Bender 2014, §3.5].
//!
//! The method and its velocities are those of [hair as matter](crate::HairMaterial). This solver is for worlds of nothing but strands behind pinned
//! vertices: springs along them stand for exact lengths, and there is one pass in a step, with a few more around colliders.
//!
//! Departure: against colliders a vertex goes to the circle where its length is exact and the plane of contact is met; what
//! a collider pushes does not count in d, or hair that lies on something would push its own root into it.

pub use crate::world::error::FollowLeaderError;

use super::{Objective, Progress, SolveError, SolveReport, Solver, Start};
use crate::clock::Clock;
use crate::contact::Contacts;
use crate::energy::{Arrays, Memory};
use crate::integrate::TimeIntegrator;
use crate::math::Vec3;
pub use crate::matter::hair::HairChains;
use crate::matter::hair::{Chains, Comb, HairGrid, HairStyle, Manner, check_manner};
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
        check_manner(&self.manner())
    }

    fn manner(&self) -> Manner {
        Manner { correction: self.correction, grid: self.grid, style: self.style }
    }

    /// Refuses worlds that are not strands with leaders.
    pub(crate) fn check_world(model: &Model, integrator: TimeIntegrator) -> Result<(), FollowLeaderError> {
        if integrator != TimeIntegrator::ImplicitEuler {
            return Err(FollowLeaderError::Integrator { integrator });
        }
        chains(model).map(|_| ())
    }
}

/// Rounds of meeting colliders: their planes turn as hair slides along curved ones.
const CONTACT_ROUNDS: usize = 4;

/// Contact is settled when a round moves no vertex by more than this share of the world's diagonal.
const SETTLED: f64 = 1e-5;

impl HairChains {
    /// The chains of a model of nothing but strands behind pinned vertices.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// use pliant::solve::HairChains;
    /// let strand = rope(Vec3::ZERO, Vec3::X, 4)?;
    /// let body = Body::strands(&strand, &StrandMaterial::default())?.pin([1]);
    /// let sim = Simulation::builder().body(body).solver(FollowLeaderParams::default()).build()?;
    /// let chains = HairChains::of(sim.model())?;
    /// assert_eq!([chains.vertices.row(0), chains.vertices.row(1)], [&[1, 0][..], &[1, 2, 3, 4]]);
    /// assert_eq!(chains.lengths, [0.0, 0.25, 0.0, 0.25, 0.25, 0.25]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(model: &Model) -> Result<Self, FollowLeaderError> {
        Ok(chains(model)?.shown(&bodies(model)))
    }
}

/// Numbers of the bodies that a model is of.
fn bodies(model: &Model) -> Vec<usize> {
    (0..model.bodies().len()).filter(|&body| model.has_body(body)).collect()
}

/// All strands of a world behind their pinned vertices, and those that are attached to other groups.
fn chains(model: &Model) -> Result<Chains, FollowLeaderError> {
    check_energies(model)?;
    Chains::new(model, &bodies(model), &|vertex| model.free_index(vertex).is_none() || model.is_tied(vertex))
}

/// Springs along the strands are what lengths stand for; anything else would be ignored, so it is refused.
fn check_energies(model: &Model) -> Result<(), FollowLeaderError> {
    for entry in model.energies() {
        let body = entry.body.map(|body| &model.bodies()[body]);
        let along = body.is_some_and(|body| {
            let corners = entry.batch.operator().corner_vertices();
            let is_segment = |(ends, segment): (&[u32], &[u32; 2])| ends == segment;
            corners.len() == 2 * body.segments.len() && corners.chunks(2).zip(&body.segments).all(is_segment)
        });
        if !(along && matches!(entry.batch.arrays(), Arrays::EdgeSpring(_)) && entry.damping.is_none()) {
            let place = body.map_or("a tie between bodies".to_owned(), |body| format!("body {:?}", body.name));
            return Err(FollowLeaderError::Energy { place, kind: entry.batch.kind().to_owned() });
        }
    }
    Ok(())
}

/// The solver; it keeps the chains as long as the model stays the same.
#[derive(Debug)]
pub struct FollowLeader {
    params: FollowLeaderParams,
    comb: Option<Comb>,
}

impl FollowLeader {
    /// A solver with these parameters.
    pub fn new(params: FollowLeaderParams) -> Self {
        Self { params, comb: None }
    }
}

impl Solver for FollowLeader {
    fn lowers_energies(&self) -> bool {
        false
    }

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
        let model = objective.model;
        let comb = match &mut self.comb {
            Some(comb) => comb,
            none => none.insert(Comb::new(self.params.manner(), model, chains(model)?)),
        };
        // Each solve begins at the prediction, whatever an earlier one has come to.
        model.free().iter().for_each(|&v| x[v as usize] = objective.target[v as usize]);
        if !contacts.ties.is_empty() {
            let inverse_masses: Vec<f64> = model.mass().diagonal().iter().map(|mass| mass.recip()).collect();
            contacts.ties.reset_forces();
            contacts.pull(&inverse_masses, objective.inertia, x);
        }
        comb.begin(model, x);
        comb.pass(x);
        let mut report = SolveReport { iterations: 1, converged: true, ..SolveReport::default() };
        if !contacts.is_none() {
            let (free, unhindered) = (x.to_vec(), comb.corrections().to_vec());
            let mut last = free.clone();
            let mass = model.mass().diagonal();
            for _ in 0..CONTACT_ROUNDS {
                contacts.meet(&|vertex| x[vertex]);
                // Each round starts from where hair would go freely, so that forces are those of the whole push.
                let mut moved: Vec<(usize, Vec3)> = Vec::new();
                let mut exchange = |vertex: usize, to: Option<Vec3>| {
                    to.inspect(|to| moved.push((vertex, *to))).unwrap_or(free[vertex])
                };
                contacts.displace(&mut exchange, &|vertex| objective.inertia * mass[vertex]);
                let planes = comb.planes(contacts);
                if planes.is_empty() {
                    break;
                }
                comb.corrections().copy_from_slice(&unhindered);
                x.copy_from_slice(&free);
                moved.iter().for_each(|&(vertex, to)| x[vertex] = to);
                comb.pass_outside(&planes, x);
                report.iterations += 1;
                let moved = x.iter().zip(&last).fold(0.0_f64, |most, (x, last)| most.max(x.distance_squared(*last)));
                if moved.sqrt() <= SETTLED * model.diagonal() {
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
        if let Some(comb) = &mut self.comb {
            comb.correct_velocities(model.mass().lumped(), x, v, h);
        }
    }
}
