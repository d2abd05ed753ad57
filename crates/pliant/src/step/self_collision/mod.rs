//! Keeps surfaces from passing through each other and themselves.
//!
//! A step solves with contacts as forces, then truncates the movement so that nothing passes through anything, and
//! repeats this a few times, each time from the last positions that are known to be free of intersections:
//!
//! detect (broad phase) → contacts at the safe positions → solve → truncate → the result is safe
//!
//! `contact::layers` keeps layers apart by a thickness and applies friction, inside the projective solver; [`truncate`]
//! guarantees that an intersection-free start stays intersection-free, with any solver. See `docs/self-collision.md`.

mod truncate;
mod untangle;

use truncate::truncate;
pub use untangle::Untangled;
use untangle::untangle;

use crate::clock::Clock;
use crate::collide::LEAST_THICKNESS;
use crate::contact::{Contacts, Layers, PairForce, Place, READY};
use crate::energy::Memory;
use crate::math::Vec3;
use crate::matter::oriented::Oriented;
use crate::mesh::Bounds;
use crate::proximity::{Intersection, Neighbourhood, Part, Primitives, intersections};
use crate::solve::{SolveError, SolveReport, Solver};
use crate::step::problem::Problem;
use crate::world::crossing::Crossing;
use crate::world::error::ModelError;
use crate::world::model::{BodyInfo, Model};

/// How surfaces and strands are kept apart.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SelfCollision {
    /// Distance that layers keep \[m\], at least 1e-9. Closer ones are pushed apart; parts of a body that are closer at
    /// rest keep their rest distance.
    pub thickness: f64,
    /// Coulomb's coefficient μ between layers.
    pub friction: f64,
    /// Weight of a contact relative to the inertia m/τ² of the touching vertices. A larger value is stiffer within a
    /// round and takes more linear iterations.
    pub stiffness: f64,
    /// Maximum number of rounds of solving and truncating in a stage. A stage without contacts takes one; a stage in
    /// which a vertex is held back inside a collider takes up to four times as many.
    pub rounds: usize,
    /// Minimum number of rounds of a stage in which layers press against each other, even if no vertex is held back by
    /// more than the thickness. Fewer are faster; more make friction and momentum between layers more accurate.
    pub least_rounds: usize,
    /// Whether intersections at the start are removed by moving vertices that are not pinned. Otherwise they are an error.
    pub untangle: bool,
}

impl Default for SelfCollision {
    /// 2 mm, μ = 0.3; a start with intersections is refused.
    fn default() -> Self {
        Self { thickness: 2e-3, friction: 0.3, stiffness: 50.0, rounds: 3, least_rounds: 3, untangle: false }
    }
}

impl SelfCollision {
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let Self { thickness, friction, stiffness, rounds, least_rounds, untangle: _ } = *self;
        for (name, value, need, holds) in [
            ("self-collision thickness", thickness, "at least 1e-9 (m)", thickness >= LEAST_THICKNESS),
            ("self-collision friction", friction, "at least 0", friction >= 0.0),
            ("self-collision stiffness", stiffness, "positive", stiffness > 0.0),
            ("rounds of self-collision", rounds as f64, "at least 1", rounds >= 1),
            ("least rounds of self-collision", least_rounds as f64, "at least 1", least_rounds >= 1),
        ] {
            if !(holds && value.is_finite()) {
                return Err(ModelError::BadParameter { name, value, need });
            }
        }
        Ok(())
    }
}

/// Report of self-collision in a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SelfCollisionReport {
    /// Pairs with overlapping boxes, in the round that has most.
    pub candidates: usize,
    /// Contacts that pressed in the last round.
    pub contacts: usize,
    /// Vertices with a truncated movement, in all rounds.
    pub truncated: usize,
    /// Vertices with a truncated movement in the last round: they are not where the solver wants them.
    pub held: usize,
    /// Rounds of solving and truncating.
    pub rounds: usize,
    /// Seconds spent searching for pairs.
    pub seconds_broad: f64,
    /// Seconds spent measuring pairs and truncating movements.
    pub seconds_narrow: f64,
}

impl SelfCollisionReport {
    /// Adds a later substep.
    pub(crate) fn add(&mut self, later: Self) {
        self.candidates = self.candidates.max(later.candidates);
        (self.contacts, self.held) = (later.contacts, later.held);
        self.truncated += later.truncated;
        self.rounds += later.rounds;
        self.seconds_broad += later.seconds_broad;
        self.seconds_narrow += later.seconds_narrow;
    }
}

/// What solves a stage in rounds, with the contacts of each.
pub(crate) trait Rounds {
    /// Forces of the contacts so far, ordered by pair.
    fn forces(&self) -> Vec<PairForce>;

    /// Takes the contacts of the next round.
    fn set_layers(&mut self, layers: Layers);

    /// Solves from x.
    fn solve(&mut self, x: &mut [Vec3]) -> Result<SolveReport, SolveError>;

    /// How many contacts press.
    fn pressing(&self) -> usize;

    /// Whether one of these vertices, in ascending order, is inside of a collider that it touches.
    fn is_inside(&self, held: &[u32], x: &[Vec3]) -> bool;
}

/// A world that one solver moves.
#[derive(Debug)]
pub(crate) struct Whole<'a, 'c> {
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) solver: &'a mut dyn Solver,
    pub(crate) memory: &'a mut [Memory],
    pub(crate) contacts: &'a mut Contacts<'c>,
    pub(crate) clock: &'a Clock,
}

impl Rounds for Whole<'_, '_> {
    fn forces(&self) -> Vec<PairForce> {
        self.contacts.layers.forces().collect()
    }

    fn set_layers(&mut self, layers: Layers) {
        self.contacts.layers = layers;
    }

    fn solve(&mut self, x: &mut [Vec3]) -> Result<SolveReport, SolveError> {
        self.solver.finish(&self.problem.objective(), x, self.memory, self.contacts, self.clock)
    }

    fn pressing(&self) -> usize {
        self.contacts.layers.pressing()
    }

    fn is_inside(&self, held: &[u32], x: &[Vec3]) -> bool {
        self.contacts.obstacles.as_ref().is_some_and(|obstacles| obstacles.is_inside(held, x))
    }
}

/// Keeps the surfaces of a world apart.
#[derive(Debug)]
pub(crate) struct SelfCollider {
    settings: SelfCollision,
    primitives: Primitives,
    neighbourhood: Neighbourhood,
    /// Positions at the beginning of the step \[m\].
    before: Vec<Vec3>,
    /// The last positions without intersections \[m\].
    safe: Vec<Vec3>,
    /// Of each vertex how far it reaches around itself \[m\]; empty where none does.
    radii: Vec<f64>,
    /// Vertices that move as one: where one is held back, all are.
    rigid: Vec<Vec<u32>>,
    /// By how much the last movement of those was cut \[m\].
    cut: Vec<(u32, Vec3)>,
    report: SelfCollisionReport,
    untangled: Option<Untangled>,
}

/// Rounds of a stage, over [`SelfCollision::rounds`], while a vertex that is held back is inside of a collider: a limb that comes carries a stack of
/// layers on, and it takes a few rounds until each has made room for the one before.
const STUCK_ROUNDS: usize = 4;
/// Gaps below this share of the thickness hardly shrink further.
const FLOOR: f64 = 0.02;

/// Oriented particles are ellipsoids: each reaches at least as far as the shortest of its half-axes, in every direction.
fn radii(model: &Model) -> Vec<f64> {
    let mut radii = Vec::new();
    for own in model.matter_of::<Oriented>() {
        radii.resize(model.rest().len(), 0.0);
        own.vertices.zip(&own.matter.radii).for_each(|(v, half_axes)| radii[v] = half_axes.min_element());
    }
    radii
}

impl SelfCollider {
    /// For a world that starts at these positions, without intersections or brought free of them.
    pub(crate) fn new(settings: SelfCollision, model: &Model, x: &mut [Vec3]) -> Result<Self, ModelError> {
        let mut collider = Self::unchecked(settings, model);
        let (settings, primitives) = (&collider.settings, &collider.primitives);
        let refused = |crossings: Vec<Intersection>| {
            let crossings = crossings.iter().map(|pair| Crossing::new(primitives, model.bodies(), pair)).collect();
            ModelError::Intersecting { crossings }
        };
        if settings.untangle {
            let is_rigid = |v: u32| model.rigid_sets().iter().any(|set| set.vertices.contains(&v));
            let may_move = |v: u32| model.free_index(v).is_some() && !is_rigid(v);
            collider.untangled = Some(untangle(primitives, settings.thickness, may_move, x).map_err(refused)?);
        } else {
            let found = intersections(primitives, x);
            if !found.is_empty() {
                return Err(refused(found));
            }
        }
        Ok(collider)
    }

    /// Takes the last body of a world, which has come to all others without crossing any.
    pub(crate) fn grow(&mut self, model: &Model) {
        let (settings, mut primitives) = (self.settings.clone(), std::mem::take(&mut self.primitives));
        if let Some(body) = model.bodies().last() {
            primitives.push(&Part::from(body));
        }
        *self = Self::with(SelfCollision { untangle: false, ..settings }, model, primitives);
    }

    /// Refuses the last body of a world if it passes through another one, or itself where it must not. Those that were there are apart already, so only
    /// those near it are looked at.
    pub(crate) fn check_last(model: &Model, x: &[Vec3]) -> Result<(), ModelError> {
        let around = |body: &BodyInfo| {
            let whole = Bounds { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
            x[body.vertices.clone()].iter().fold(whole, |all, p| Bounds { min: all.min.min(*p), max: all.max.max(*p) })
        };
        let Some((last, others)) = model.bodies().split_last() else { return Ok(()) };
        let own = around(last);
        let is_near = |body: &&BodyInfo| {
            let its = around(body);
            its.min.cmple(own.max).all() && own.min.cmple(its.max).all()
        };
        let near: Vec<&BodyInfo> = others.iter().filter(is_near).chain([last]).collect();
        let (mut points, mut copies) = (Vec::new(), Vec::new());
        for body in &near {
            let (from, to) = (body.vertices.start as u32, points.len() as u32);
            let mut copy = BodyInfo::clone(body);
            let lists = [copy.surface.as_flattened_mut(), copy.segments.as_flattened_mut()];
            let corners = lists.into_iter().chain([copy.welded.as_flattened_mut()]).flatten();
            corners.for_each(|v| *v = *v - from + to);
            points.extend_from_slice(&x[body.vertices.clone()]);
            copy.vertices = to as usize..points.len();
            copies.push(copy);
        }
        let primitives = Primitives::new(&copies);
        let found = intersections(&primitives, &points);
        if found.is_empty() {
            return Ok(());
        }
        let crossings = found.iter().map(|pair| Crossing::new(&primitives, &copies, pair)).collect();
        Err(ModelError::Intersecting { crossings })
    }

    /// For a world that is known to begin each step without intersections.
    pub(crate) fn unchecked(settings: SelfCollision, model: &Model) -> Self {
        Self::with(settings, model, Primitives::new(model.bodies()))
    }

    fn with(settings: SelfCollision, model: &Model, primitives: Primitives) -> Self {
        Self {
            settings,
            primitives,
            neighbourhood: Neighbourhood::default(),
            before: Vec::new(),
            safe: Vec::new(),
            radii: radii(model),
            rigid: model.rigid_sets().iter().map(|set| set.vertices.clone()).collect(),
            cut: Vec::new(),
            report: SelfCollisionReport::default(),
            untangled: None,
        }
    }

    pub(crate) fn settings(&self) -> &SelfCollision {
        &self.settings
    }

    /// What it took to bring the start free of intersections, if that was asked for.
    pub(crate) fn untangled(&self) -> Option<Untangled> {
        self.untangled
    }

    /// Takes the state that a step begins with.
    pub(crate) fn begin_step(&mut self, x: &[Vec3]) {
        self.before.clear();
        self.before.extend_from_slice(x);
        self.safe.clear();
        self.safe.extend_from_slice(x);
        self.neighbourhood.begin_step(x);
        self.report = SelfCollisionReport::default();
    }

    /// What the step took.
    pub(crate) fn report(&self) -> SelfCollisionReport {
        self.report.clone()
    }

    /// Solves a stage in rounds, so that its result is free of intersections. Vertices want to go to `wanted`; `inertia` is 1/τ² \[1/s²\].
    pub(crate) fn solve(
        &mut self,
        model: &Model,
        inertia: f64,
        wanted: &[Vec3],
        rounds: &mut dyn Rounds,
        x: &mut [Vec3],
        clock: &Clock,
    ) -> Result<SolveReport, SolveError> {
        let pins: Vec<Vec3> = model.pinned().iter().map(|&v| wanted[v as usize]).collect();
        rounds.set_layers(self.detect(model, inertia, wanted, &rounds.forces(), clock));
        let mut sum: Option<SolveReport> = None;
        for round in 1.. {
            // Pins that were held back try again.
            model.pinned().iter().zip(&pins).for_each(|(&v, pin)| x[v as usize] = *pin);
            let solved = rounds.solve(x)?;
            match &mut sum {
                Some(sum) => sum.add(solved),
                None => sum = Some(solved),
            }
            if x.iter().any(|p| !p.is_finite()) {
                break; // The step will be refused.
            }
            let pressing = rounds.pressing();
            let wanted = x.to_vec();
            let held = self.truncate(x, clock);
            let cut = self.rigid.iter().flatten().map(|&v| (v, wanted[v as usize] - x[v as usize]));
            self.cut = cut.filter(|(_, cut)| *cut != Vec3::ZERO).collect();
            (self.report.contacts, self.report.held, self.report.rounds) =
                (pressing, held.len(), self.report.rounds + 1);
            let most = self.settings.rounds * if rounds.is_inside(&held, x) { STUCK_ROUNDS } else { 1 };
            let is_settled = round >= self.settings.least_rounds || (pressing == 0 && held.is_empty());
            let is_near = |&v: &u32| x[v as usize].distance(wanted[v as usize]) <= self.settings.thickness;
            if round >= most || (is_settled && held.iter().all(is_near)) {
                break;
            }
            rounds.set_layers(self.detect(model, inertia, &wanted, &rounds.forces(), clock));
        }
        Ok(sum.unwrap_or_default())
    }

    /// Gives rigid bodies the velocities that the last stage came to, where their movement was cut; `tau` is its implicit step \[s\].
    ///
    /// One vertex that is held back holds back the whole body. Where it is, this must be so; how fast it is, contacts have settled with
    /// what it meets, and what is cut off would be momentum lost to nobody.
    pub(crate) fn keep_momentum(&self, v: &mut [Vec3], tau: f64) {
        self.cut.iter().for_each(|&(vertex, cut)| v[vertex as usize] += cut / tau);
    }

    /// Contacts at the safe positions for vertices that want to go somewhere.
    fn detect(&mut self, model: &Model, inertia: f64, wanted: &[Vec3], last: &[PairForce], clock: &Clock) -> Layers {
        let begun = clock.now();
        let widest = self.radii.iter().fold(0.0_f64, |most, radius| most.max(*radius));
        let reach = READY * self.settings.thickness + 2.0 * widest;
        let pairs = self.neighbourhood.find_meeting(&self.primitives, &self.safe, wanted, reach);
        let found = clock.now();
        let Self { primitives, before, safe, radii, .. } = self;
        let SelfCollision { thickness, friction, stiffness, .. } = self.settings;
        let place = Place { model, primitives, before, safe, wanted, inertia, thickness, radii, friction, stiffness };
        let layers = Layers::new(&place, &pairs, last);
        self.report.candidates = self.report.candidates.max(pairs.len());
        self.report.seconds_broad += found - begun;
        self.report.seconds_narrow += clock.now() - found;
        layers
    }

    /// Cuts the movement from the safe positions to `x`, which then are the safe ones; returns the vertices that were held back.
    fn truncate(&mut self, x: &mut [Vec3], clock: &Clock) -> Vec<u32> {
        let begun = clock.now();
        let pairs = self.neighbourhood.find(&self.primitives, &self.safe, x, 0.0);
        let found = clock.now();
        let floor = FLOOR * self.settings.thickness;
        let held = truncate(&self.primitives, &pairs, &self.rigid, floor, &self.safe, x);
        self.safe.copy_from_slice(x);
        self.report.truncated += held.len();
        self.report.candidates = self.report.candidates.max(pairs.len());
        self.report.seconds_broad += found - begun;
        self.report.seconds_narrow += clock.now() - found;
        held
    }

    /// Keeps the end of a step free of intersections, where it differs from its last stage: extrapolation, pins. Velocities
    /// follow the positions, but for those of rigid bodies; `tau` is the implicit step of the last stage \[s\].
    pub(crate) fn finish(&mut self, x: &mut [Vec3], v: &mut [Vec3], tau: f64, clock: &Clock) {
        if x == self.safe || x.iter().any(|p| !p.is_finite()) {
            return;
        }
        let wanted = x.to_vec();
        self.report.held = self.truncate(x, clock).len();
        let kept: Vec<(u32, Vec3)> = self.rigid.iter().flatten().map(|&vertex| (vertex, v[vertex as usize])).collect();
        for ((v, x), wanted) in v.iter_mut().zip(x).zip(&wanted) {
            *v += (*x - *wanted) / tau;
        }
        kept.iter().for_each(|&(vertex, velocity)| v[vertex as usize] = velocity);
    }
}
