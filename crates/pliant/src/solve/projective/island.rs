//! What is prepared for one island of a world: its factor, elements in lanes, rotations of rigid sets. None of it knows of other islands, so it stays right while
//! these come, go and change; vertices and energies have the numbers of the island, and places count from its own first one.

use super::contact::{read, write};
use super::local::{At, CurvatureRows, Inertia, LocalStep, Order, Point, padding};
use super::prepared::Watch;
use super::sticking::StickingFactor;
use crate::energy::Memory;
use crate::math::Vec3;
use crate::parallel::Team;
use crate::solve::drift::FreeBodies;
use crate::solve::turning::Turnings;
use crate::solve::{Acceleration, Objective, ProjectiveParams};
use crate::sparse::{Analysis, Cholesky, PackedFactor, Precision, Rows};
use crate::world::islands::Island;
use crate::world::model::Model;

/// Elements in numbers of one kind.
#[derive(Debug)]
enum Elements {
    Single(LocalStep<f32>),
    Double(LocalStep<f64>),
}

/// An objective as one island sees it.
pub(super) struct Share<'a> {
    world: Objective<'a>,
    own: Option<Own>,
}

struct Own {
    model: Model,
    vertices: std::ops::Range<usize>,
    scales: Vec<f64>,
}

impl<'a> Share<'a> {
    /// All of it, for a world that is one island.
    pub(super) fn whole(objective: &Objective<'a>) -> Self {
        Self { world: *objective, own: None }
    }

    /// None where an energy cannot be had with other vertex numbers.
    pub(super) fn of(objective: &Objective<'a>, island: &Island) -> Option<Self> {
        let model = objective.model.of_island(island)?;
        let scales = scales_in(objective, &island.energies).collect();
        Some(Self { world: *objective, own: Some(Own { model, vertices: island.vertices.clone(), scales }) })
    }

    /// What a factor and elements are made from. Goals and positions of other stages are not in it.
    pub(super) fn objective(&self) -> Objective<'_> {
        match &self.own {
            None => self.world,
            Some(Own { model, vertices, scales }) => Objective {
                model,
                target: &self.world.target[vertices.clone()],
                inertial: &[],
                before: &self.world.before[vertices.clone()],
                scales,
                goals: &[],
                ..self.world
            },
        }
    }
}

fn scales_in(objective: &Objective<'_>, energies: &[usize]) -> impl Iterator<Item = f64> {
    energies.iter().map(|&energy| objective.scales[energy])
}

/// In a box, since lists of them change hands whenever bodies come and go.
pub(super) type BoxedIsland = Box<PreparedIsland>;

/// An island with all that stays the same while its bodies and the time step do.
#[derive(Debug)]
pub(in crate::solve) struct PreparedIsland {
    /// What it belongs to: the island, and the coefficients.
    pub(super) key: Vec<u64>,
    inertia: f64,
    scales: Vec<f64>,
    watch: Watch,
    /// Numbers of its energies in the world.
    energies: Vec<usize>,
    /// The first of its places among those of the world.
    pub(super) first: usize,
    /// Places in the world of its vertices that are no unknowns.
    fixed: Vec<u32>,
    analysis: Analysis,
    pub(super) order: Order,
    pub(super) factor: PackedFactor,
    elements: Elements,
    /// The other kind, once it was needed.
    spare: Option<Elements>,
    /// Largest entry on the diagonal of the constant matrix \[N/m\].
    pub(super) stiffest: f64,
    /// Diagonal of the matrix at free vertices \[N/m\].
    pub(super) diagonal: Vec<f64>,
    pub(super) sticking: StickingFactor,
    /// Rotations of rigid sets, and what solving with them needs.
    pub(super) turnings: Turnings,
    /// The second derivative, once it was needed.
    pub(super) curvature: Option<CurvatureRows>,
    pub(super) free_bodies: FreeBodies,
    /// Positions in order, padded: where it is the only island, those of the world are.
    points: Vec<Point>,
    /// Its share of memory and goals, while they are lent.
    memory: Vec<Memory>,
    goals: Vec<Vec<Vec3>>,
    /// g at the positions last evaluated \[J\], or the longest step \[m\].
    pub(super) measure: f64,
    /// Vectors for rotations of rigid sets.
    pub(super) turned: [Vec<Vec3>; 2],
}

impl PreparedIsland {
    /// From its share of an objective, and the factor of the matrix.
    pub(super) fn new(
        share: &Share<'_>,
        factor: &mut Cholesky,
        params: &ProjectiveParams,
        watch: Watch,
        key: Vec<u64>,
    ) -> Self {
        let objective = &share.objective();
        let model = objective.model;
        let analysis = factor.analysis().clone();
        let cholesky = factor;
        let factor = PackedFactor::new(cholesky, params.precision);
        let stiffness = objective.contact_stiffness();
        let order = Order::new(model, factor.order());
        // Plain local/global holds rotations in its global step: slow, and g never rises.
        let mut turnings = Turnings::default();
        if params.acceleration != Acceleration::None {
            let places: Vec<u32> = model.free().iter().map(|&v| order.places[v as usize]).collect();
            turnings = Turnings::new(objective, cholesky, &places);
        }
        let watched = watch == Watch::Projections;
        let elements = match params.precision {
            Precision::Single => Elements::Single(LocalStep::new(objective, &order, watched)),
            Precision::Double => Elements::Double(LocalStep::new(objective, &order, watched)),
        };
        Self {
            key,
            inertia: objective.inertia,
            scales: objective.scales.to_vec(),
            watch,
            energies: Vec::new(),
            first: 0,
            fixed: Vec::new(),
            analysis,
            elements,
            spare: None,
            stiffest: stiffness.iter().copied().fold(0.0, f64::max),
            diagonal: factor.order().iter().map(|&k| stiffness[k as usize]).collect(),
            factor,
            sticking: StickingFactor::default(),
            turnings,
            curvature: None,
            free_bodies: FreeBodies::new(model, &order),
            order,
            points: Vec::new(),
            memory: Vec::new(),
            goals: Vec::new(),
            measure: 0.0,
            turned: Default::default(),
        }
    }

    /// Whether it belongs to an island under an objective.
    pub(super) fn fits(&self, objective: &Objective<'_>, island: &Island, watch: Watch) -> bool {
        self.has_coefficients(objective, watch)
            && self.key == island.key
            && self.scales.iter().copied().eq(scales_in(objective, &island.energies))
    }

    /// Whether it is an island with the numbers that it has, in a world in which no vertex is held.
    pub(super) fn is_at(&self, island: &Island) -> bool {
        self.first == island.vertices.start && self.energies == island.energies && self.key == island.key
    }

    /// Whether it was prepared for this time step.
    pub(super) fn has_coefficients(&self, objective: &Objective<'_>, watch: Watch) -> bool {
        self.inertia == objective.inertia && self.watch == watch
    }

    /// Takes its numbers in a world. `order` has the places of all vertices there.
    pub(super) fn settle(&mut self, island: &Island, first: usize, order: &Order) {
        self.energies.clone_from(&island.energies);
        self.first = first;
        self.fixed.clear();
        let fixed = self.order.vertices[self.order.free..].iter();
        self.fixed.extend(fixed.map(|&v| order.places[island.vertices.start + v as usize]));
    }

    pub(super) fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// Number of its unknowns.
    pub(super) fn free(&self) -> usize {
        self.order.free
    }

    /// Its places among those of the world.
    pub(super) fn places(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.order.free
    }

    /// Takes its share of what energies remember, in exchange for what it has.
    pub(super) fn exchange_memory(&mut self, memory: &mut [Memory]) {
        self.memory.resize_with(self.energies.len(), Memory::default);
        for (own, &energy) in self.memory.iter_mut().zip(&self.energies) {
            std::mem::swap(own, &mut memory[energy]);
        }
    }

    /// Takes its share of the goals.
    pub(super) fn take_goals(&mut self, goals: &[Vec<Vec3>]) {
        self.goals.resize_with(self.energies.len(), Vec::new);
        for (own, &energy) in self.goals.iter_mut().zip(&self.energies) {
            own.clone_from(&goals[energy]);
        }
    }

    /// Begins a stage, with what was lent.
    pub(super) fn begin(&mut self, team: &Team<'_>, precision: Precision) {
        if matches!((&self.elements, precision), (Elements::Double(_), Precision::Single)) {
            self.swap_elements();
        }
        self.load_warm(team);
    }

    fn load_warm(&mut self, team: &Team<'_>) {
        match &mut self.elements {
            Elements::Single(local) => local.begin(team, &self.memory, &self.goals),
            Elements::Double(local) => local.begin(team, &self.memory, &self.goals),
        }
    }

    /// Leaves what projections start from in the memory that was lent.
    pub(super) fn store_warm(&mut self, team: &Team<'_>) {
        match &self.elements {
            Elements::Single(local) => local.store_warm(team, &mut self.memory),
            Elements::Double(local) => local.store_warm(team, &mut self.memory),
        }
    }

    /// Whether elements are in f32.
    pub(super) fn is_single(&self) -> bool {
        matches!(self.elements, Elements::Single(_))
    }

    /// Whether it has both kinds of elements.
    pub(super) fn has_spare(&self) -> bool {
        self.spare.is_some()
    }

    /// Makes elements in f64.
    pub(super) fn make_spare(&mut self, share: &Share<'_>) {
        let watched = self.watch == Watch::Projections;
        self.spare = Some(Elements::Double(LocalStep::new(&share.objective(), &self.order, watched)));
    }

    /// Goes on with elements in f64, from what was lent.
    pub(super) fn refine(&mut self, team: &Team<'_>) {
        self.store_warm(team);
        self.swap_elements();
        self.load_warm(team);
    }

    fn swap_elements(&mut self) {
        if let Some(spare) = &mut self.spare {
            std::mem::swap(&mut self.elements, spare);
        }
    }

    /// Takes positions from those of the world, unless they are the same.
    fn take_points(&mut self, points: &[Point]) {
        self.points.clear();
        self.points.extend_from_slice(&points[self.places()]);
        self.points.extend(self.fixed.iter().map(|&place| points[place as usize]));
        self.points.extend(padding());
    }

    /// Puts −∇g into the factor's rows, and g into `measure`; `inertia` and `points` are those of the world.
    pub(super) fn evaluate(
        &mut self,
        team: &Team<'_>,
        points: &[Point],
        is_alone: bool,
        inertia: &Inertia<'_>,
        with_energy: bool,
    ) {
        if !is_alone {
            self.take_points(points);
        }
        let own = self.places();
        let points = if is_alone { points } else { &self.points };
        let other = if inertia.other.is_empty() { &[] } else { &inertia.other[own.clone()] };
        let inertia = &Inertia { target: &inertia.target[own.clone()], weight: &inertia.weight[own], other };
        self.measure = match (&mut self.elements, self.factor.rows()) {
            (Elements::Single(local), Rows::Single(rows)) => local.evaluate(team, points, inertia, rows, with_energy),
            (Elements::Single(local), Rows::Double(rows)) => local.evaluate(team, points, inertia, rows, with_energy),
            (Elements::Double(local), Rows::Single(rows)) => local.evaluate(team, points, inertia, rows, with_energy),
            (Elements::Double(local), Rows::Double(rows)) => local.evaluate(team, points, inertia, rows, with_energy),
        };
    }

    /// Takes the rotations that the last projection came to.
    pub(super) fn orient(&mut self, objective: &Objective<'_>, x: &[Vec3], memory: &[Memory]) {
        self.turnings.orient(objective, x, memory, &self.energies);
    }

    /// Makes room for the second derivative.
    pub(super) fn make_curvature(&mut self, share: &Share<'_>) {
        if let Elements::Single(local) = &self.elements {
            self.curvature = Some(CurvatureRows::new(&share.objective(), &self.order, local));
        }
    }

    /// Takes the second derivative at the positions last evaluated.
    pub(super) fn bend(&mut self, team: &Team<'_>, at: At<'_>, is_alone: bool) {
        let points = if is_alone { at.points } else { &self.points };
        if let (Elements::Single(local), Some(curvature)) = (&self.elements, &mut self.curvature) {
            curvature.update(team, local, At { points, ..at });
        }
    }

    /// H⁻¹ b, by the factor that has the weights of what sticks where `with_sticking`.
    pub(super) fn solve(&mut self, team: &Team<'_>, with_sticking: bool, b: &[Vec3], solved: &mut [Vec3]) {
        let factor = match self.sticking.factor() {
            Some(factor) if with_sticking => factor,
            _ => &mut self.factor,
        };
        write(factor, b);
        factor.solve_rows(team);
        read(factor, solved);
        self.turnings.correct(b, solved);
    }

    /// What the factor of sticking vertices is made from.
    pub(super) fn sticking_parts(&mut self) -> (&mut StickingFactor, &PackedFactor, &Analysis) {
        (&mut self.sticking, &self.factor, &self.analysis)
    }
}
