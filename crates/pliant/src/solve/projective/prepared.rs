//! The data of an iteration: the islands of the world, and vectors in elimination order over all of them.

use super::contact::{ContactSolve, Coupled, Taken};
use super::island::{BoxedIsland, PreparedIsland, Share};
use super::islands::Islands;
use super::lbfgs::History;
use super::local::{At, General, Inertia, Order, PADDING, Point, padding, point};
use crate::contact::{ContactMode, Contacts};
use crate::energy::Memory;
use crate::math::Vec3;
use crate::parallel::{self, Team, with_team_for};
use crate::scratch::fit;
use crate::solve::drift::FreeBodies;
use crate::solve::{Objective, SolveError};
use crate::sparse::{Precision, dot};
use crate::world::islands::Island;

/// Everything that stays the same while model and time step do.
#[derive(Debug)]
pub(in crate::solve) struct Prepared {
    /// The coefficients that it belongs to.
    inertia: f64,
    pub(super) scales: Vec<f64>,
    pub(super) watch: Watch,
    pub(super) islands: Islands,
    pub(super) order: Order,
    pub(super) general: General,
    /// m/τ² of free vertices \[N/m\].
    pub(super) weight: Vec<f64>,
    /// s of free vertices \[m\].
    pub(super) target: Vec<Point>,
    /// Positions of all vertices \[m\], and padding.
    pub(super) points: Vec<Point>,
    /// Largest entry on the diagonal of the constant matrix \[N/m\].
    pub(super) stiffest: f64,
    /// Diagonal of the matrix at free vertices \[N/m\].
    pub(super) diagonal: Vec<f64>,
    pub(super) contact: ContactSolve,
    pub(super) residual: Vec<Vec3>,
    solved: Vec<Vec3>,
}

/// Vectors that each stage fills: what was asked for once need not be asked for again.
#[derive(Debug, Default)]
pub(super) struct Room {
    target: Vec<Point>,
    points: Vec<Point>,
    contact: ContactSolve,
    residual: Vec<Vec3>,
    solved: Vec<Vec3>,
}

/// A step of L-BFGS before its length is known.
pub(super) struct QuasiNewtonStep {
    pub(super) taken: Taken,
    /// Slope of g along it \[J\].
    pub(super) slope: f64,
    /// Whether contacts have a part in it.
    pub(super) acts: bool,
}

/// How energies are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::solve) enum Watch {
    /// As fast as can be.
    Off,
    /// Through projections that others can look at.
    Projections,
}

impl Prepared {
    /// From the islands of the model, in their order.
    pub(super) fn new(
        objective: &Objective<'_>,
        specs: &[Island],
        mut islands: Vec<BoxedIsland>,
        watch: Watch,
        room: Room,
    ) -> Self {
        let model = objective.model;
        let free = islands.iter().map(|island| island.free()).sum();
        let mut vertices = Vec::with_capacity(model.rest().len());
        let mut diagonal = Vec::with_capacity(free);
        for (island, spec) in islands.iter().zip(specs) {
            let first = spec.vertices.start as u32;
            vertices.extend(island.order.vertices[..island.free()].iter().map(|&v| first + v));
            diagonal.extend_from_slice(&island.diagonal);
        }
        let order = Order::with_free(model, vertices);
        let mut first = 0;
        for (island, spec) in islands.iter_mut().zip(specs) {
            island.settle(spec, first, &order);
            first += island.free();
        }
        let mass = |&v: &u32| objective.inertia * model.mass().diagonal()[v as usize];
        let mut room = room;
        fit(&mut room.target, order.free);
        fit(&mut room.points, order.vertices.len());
        fit(&mut room.residual, order.free);
        fit(&mut room.solved, order.free);
        room.contact.fit(order.free);
        room.target.resize(order.free, Point::default());
        room.points.resize(order.vertices.len() + PADDING, Point::default());
        room.points[order.vertices.len()..].iter_mut().zip(padding()).for_each(|(point, padding)| *point = padding);
        Self {
            inertia: objective.inertia,
            scales: objective.scales.to_vec(),
            watch,
            general: General::new(objective, &order, watch == Watch::Projections),
            weight: order.vertices[..order.free].iter().map(mass).collect(),
            target: room.target,
            points: room.points,
            stiffest: islands.iter().fold(0.0, |most, island| f64::max(most, island.stiffest)),
            islands: Islands::new(islands),
            order,
            diagonal,
            contact: room.contact,
            residual: room.residual,
            solved: room.solved,
        }
    }

    /// Whether it belongs to this objective.
    pub(in crate::solve) fn fits(&self, objective: &Objective<'_>, watch: Watch) -> bool {
        self.inertia == objective.inertia && self.scales == objective.scales && self.watch == watch
    }

    pub(super) fn prepared_islands(&self) -> impl Iterator<Item = &PreparedIsland> {
        self.islands.iter()
    }

    /// The islands, for another world that has some of them, and room for its vectors.
    pub(super) fn into_islands(self) -> (Vec<BoxedIsland>, Room) {
        let Self { target, points, contact, residual, solved, .. } = self;
        (self.islands.into_vec(), Room { target, points, contact, residual, solved })
    }

    /// Elements that are projected one by one.
    pub(in crate::solve) fn one_by_one(&self) -> usize {
        self.general.one_by_one()
    }

    /// Whether there are energies that go through their projections, or masses beside the diagonal.
    pub(in crate::solve) fn has_general(&self) -> bool {
        !self.general.is_empty()
    }

    /// Memory that an iteration goes over, in short: that of the factor.
    pub(in crate::solve) fn bytes(&self) -> usize {
        self.islands.bytes()
    }

    /// Number of free vertices.
    pub(in crate::solve) fn free(&self) -> usize {
        self.order.free
    }

    /// Takes the start of a stage.
    pub(in crate::solve) fn begin(
        &mut self,
        objective: &Objective<'_>,
        x: &[Vec3],
        memory: &mut [Memory],
        precision: Precision,
    ) {
        for (place, &v) in self.order.vertices.iter().enumerate() {
            self.points[place] = point(x[v as usize]);
        }
        for (target, &v) in self.target.iter_mut().zip(&self.order.vertices) {
            *target = point(objective.target[v as usize]);
        }
        self.islands.iter_mut().for_each(|island| island.take_goals(objective.goals));
        self.with_memory(memory, |island, team| island.begin(team, precision));
    }

    /// Calls `work` with all islands, while each has its share of what energies remember.
    fn with_memory(&mut self, memory: &mut [Memory], work: impl Fn(&mut PreparedIsland, &Team<'_>) + Sync + Send) {
        self.islands.iter_mut().for_each(|island| island.exchange_memory(memory));
        with_team_for(self.islands.bytes(), |team| self.islands.for_each(team, work));
        self.islands.iter_mut().for_each(|island| island.exchange_memory(memory));
    }

    /// Leaves the result of a stage.
    pub(in crate::solve) fn finish(&mut self, x: &mut [Vec3], memory: &mut [Memory]) {
        self.write_positions(x);
        self.with_memory(memory, PreparedIsland::store_warm);
    }

    fn write_positions(&self, x: &mut [Vec3]) {
        for (point, &v) in self.points.iter().zip(&self.order.vertices[..self.order.free]) {
            x[v as usize] = position(*point);
        }
    }

    /// Whether elements are in f32.
    pub(in crate::solve) fn is_single(&self) -> bool {
        self.islands.iter().all(PreparedIsland::is_single)
    }

    /// Goes on with elements in f64: f32 has given all that it can.
    pub(in crate::solve) fn refine(&mut self, objective: &Objective<'_>, memory: &mut [Memory]) {
        if !self.is_single() {
            return;
        }
        self.for_shares(objective, |island| !island.has_spare(), PreparedIsland::make_spare);
        self.with_memory(memory, |island, team| island.refine(team));
    }

    /// Calls `work` with those islands that need it, and the objective as each of them sees it.
    fn for_shares(
        &mut self,
        objective: &Objective<'_>,
        needs: impl Fn(&PreparedIsland) -> bool,
        work: impl Fn(&mut PreparedIsland, &Share<'_>) + Sync,
    ) {
        let specs = objective.model.islands();
        let is_one = self.islands.is_one();
        let needing: Vec<(usize, &mut PreparedIsland)> =
            self.islands.iter_mut().enumerate().filter(|(_, island)| needs(island)).collect();
        if needing.is_empty() {
            return;
        }
        parallel::map(needing, &|(number, island): (usize, &mut PreparedIsland)| {
            let share = if is_one { Some(Share::whole(objective)) } else { Share::of(objective, &specs[number]) };
            // All islands had a share when they were prepared.
            if let Some(share) = share {
                work(island, &share);
            }
        });
    }

    /// Puts −∇g at the current positions into the factor's rows and returns g \[J\]. `x` is brought up to date where energies need it.
    /// Without `with_energy` only the former is right.
    pub(in crate::solve) fn evaluate(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        with_energy: bool,
    ) -> f64 {
        let mut value = 0.0;
        if !self.general.is_empty() {
            self.write_positions(x);
            value = self.general.evaluate(objective, &self.order, x, memory);
            self.islands.iter_mut().for_each(|island| island.orient(objective, x, memory));
        }
        let inertia = Inertia { target: &self.target, weight: &self.weight, other: self.general.gradient() };
        let (points, is_one) = (&self.points, self.islands.is_one());
        with_team_for(self.islands.bytes(), |team| {
            self.islands.for_each(team, |island, team| island.evaluate(team, points, is_one, &inertia, with_energy));
        });
        value + self.islands.iter().map(|island| island.measure).sum::<f64>()
    }

    /// Solves for the step from the last evaluated positions, δ = −H⁻¹ ∇g, contacts included, and moves the free vertices by it.
    /// Returns the longest movement \[m\] and what contacts took. `begins` tells the first solve of a stage.
    pub(in crate::solve) fn advance(
        &mut self,
        contacts: &mut Contacts<'_>,
        objective: &Objective<'_>,
        begins: bool,
    ) -> Result<(f64, Taken), SolveError> {
        let mut taken = Taken::default();
        let (points, places) = (&self.points, &self.order.places);
        let at = |vertex: usize| position(points[places[vertex] as usize]);
        if contacts.mode() == ContactMode::ConstantMatrix {
            self.solved.resize(self.order.free, Vec3::ZERO);
            let rows = &mut self.solved;
            self.islands.read(rows);
            let inertia = |v: usize| self.weight[places[v] as usize];
            // Contacts stop a vertex where inertia alone would hold it back against the forces on it: the force to there is the row.
            let mut exchange = |v: usize, stopped: Option<Vec3>| {
                let row = &mut rows[places[v] as usize];
                if let Some(stopped) = stopped {
                    *row = (stopped - at(v)) * inertia(v);
                }
                at(v) + *row / inertia(v)
            };
            contacts.displace(&mut exchange, &inertia);
            self.islands.write(&self.solved);
        }
        let acts = !contacts.is_none() && self.contact.gather(contacts, &self.order, &at);
        if acts {
            taken = self.contact.solve(&mut self.islands, objective, None, begins)?;
            self.contact.settle(contacts, 1.0);
        }
        let turns = self.islands.turn();
        if turns {
            self.solve_turning(acts);
        }
        let (islands, points) = (&mut self.islands, &mut self.points[..self.order.free]);
        let longest = with_team_for(islands.bytes(), |team| islands.advance(team, points, acts || turns));
        Ok((longest, taken))
    }

    /// Solves for the step of L-BFGS from the last evaluated positions, contacts included, and moves nothing.
    pub(super) fn quasi_newton(
        &mut self,
        contacts: &Contacts<'_>,
        objective: &Objective<'_>,
        history: &mut History,
        begins: bool,
        step: &mut [Vec3],
    ) -> Result<QuasiNewtonStep, SolveError> {
        let (points, places) = (&self.points, &self.order.places);
        let at = |vertex: usize| position(points[places[vertex] as usize]);
        let acts = !contacts.is_none() && self.contact.gather(contacts, &self.order, &at);
        self.residual.resize(self.order.free, Vec3::ZERO);
        self.islands.read(&mut self.residual);
        let Self { contact, islands, residual, .. } = self;
        let mut taken = Taken::default();
        if acts {
            taken = contact.solve(islands, objective, Some(history), begins)?;
            islands.read(step);
        } else {
            with_team_for(islands.bytes(), |team| {
                history.solve(residual, step, &[], |b, solved| islands.inverse(team, false, b, solved));
            });
        }
        let slope = -dot(&self.residual, step) - self.contact_power(contacts, step);
        Ok(QuasiNewtonStep { taken, slope, acts })
    }

    /// Slope of g along a step at the positions last evaluated \[J\].
    pub(super) fn slope(&mut self, contacts: &Contacts<'_>, step: &[Vec3]) -> f64 {
        self.residual.resize(self.order.free, Vec3::ZERO);
        self.islands.read(&mut self.residual);
        -dot(&self.residual, step) - self.contact_power(contacts, step)
    }

    /// What the forces of contacts at the current positions do along a step \[J\].
    fn contact_power(&self, contacts: &Contacts<'_>, step: &[Vec3]) -> f64 {
        if contacts.is_none() {
            return 0.0;
        }
        let at = |vertex: usize| self.position(vertex);
        let coupled = contacts.couplings(&at).map(|coupling| Coupled::new(&coupling, &self.order));
        coupled.map(|coupled| coupled.response.force.dot(coupled.offset(step))).sum()
    }

    /// Whether there are rigid sets that turn.
    pub(super) fn turns(&self) -> bool {
        self.islands.turn()
    }

    /// Bends a step from the positions last evaluated along the circles on which rigid sets turn.
    pub(super) fn bend_step(&self, step: &mut [Vec3]) {
        self.islands.retract(step);
    }

    /// Where rigid sets turn: H'⁻¹ of the factor's rows, unless contacts have solved for it already, bent to the circle.
    fn solve_turning(&mut self, is_solved: bool) {
        for vector in [&mut self.residual, &mut self.solved] {
            vector.resize(self.order.free, Vec3::ZERO);
        }
        self.islands.read(&mut self.residual);
        if is_solved {
            self.solved.copy_from_slice(&self.residual);
        } else {
            let (islands, residual, solved) = (&mut self.islands, &self.residual, &mut self.solved);
            with_team_for(islands.bytes(), |team| islands.inverse(team, false, residual, solved));
        }
        self.islands.retract(&mut self.solved);
        self.islands.write(&self.solved);
    }

    /// Takes the second derivative at the positions last evaluated. Once elements are in f64 positions hardly move, and it stays as it is.
    pub(in crate::solve) fn bend(&mut self, objective: &Objective<'_>, x: &[Vec3], memory: &[Memory]) {
        if !self.is_single() {
            return;
        }
        self.for_shares(objective, |island| island.curvature.is_none(), PreparedIsland::make_curvature);
        let (points, is_one) = (&self.points, self.islands.is_one());
        let (islands, at) = (&mut self.islands, At { points, objective, x, memory });
        with_team_for(islands.bytes(), |team| islands.for_each(team, |island, team| island.bend(team, at, is_one)));
    }

    /// What solves Newton's system at the positions where [`bend`](Self::bend) was last called.
    pub(in crate::solve) fn islands(&mut self) -> &mut Islands {
        &mut self.islands
    }

    /// Bodies, or parts of them, that nothing but contacts holds.
    pub(in crate::solve) fn free_bodies(&self) -> FreeBodies {
        FreeBodies::joined(self.islands.iter().map(|island| &island.free_bodies))
    }

    /// Places of vertices in the order of elimination.
    pub(in crate::solve) fn order(&self) -> &Order {
        &self.order
    }

    /// Lets free vertices be moved, given their targets s.
    pub(in crate::solve) fn centre(&mut self, by: impl FnOnce(&[Point], &mut [Point])) {
        by(&self.target, &mut self.points[..self.order.free]);
    }

    /// Keeps the current positions of the free vertices.
    pub(in crate::solve) fn keep_points(&self, origin: &mut Vec<Point>) {
        origin.clear();
        fit(origin, self.order.free);
        origin.extend_from_slice(&self.points[..self.order.free]);
    }

    /// Moves the free vertices to kept positions and from there by a multiple of a step, rows of four numbers.
    pub(in crate::solve) fn move_from(&mut self, origin: &[Point], step: &[f32], length: f64) {
        for ((point, from), step) in self.points.iter_mut().zip(origin).zip(step.as_chunks::<4>().0) {
            (0..3).for_each(|c| point[c] = from[c] + length * f64::from(step[c]));
        }
    }

    /// Position of a vertex \[m\].
    pub(in crate::solve) fn position(&self, vertex: usize) -> Vec3 {
        position(self.points[self.order.places[vertex] as usize])
    }

    /// Tells contacts how stiff the matrix is at each vertex.
    pub(in crate::solve) fn weigh(&self, contacts: &mut Contacts<'_>) {
        contacts.weigh(self.order.vertices.iter().copied().zip(self.diagonal.iter().copied()));
    }

    /// The same for a matrix that is softer than the constant one: at most a multiple of inertia, where bodies are not rigid.
    pub(in crate::solve) fn weigh_by_inertia(&self, contacts: &mut Contacts<'_>, most: f64) {
        if self.islands.turn() {
            return self.weigh(contacts);
        }
        let entries = self.diagonal.iter().zip(&self.weight).map(|(entry, inertia)| entry.min(most * inertia));
        contacts.weigh(self.order.vertices.iter().copied().zip(entries));
    }

    /// Moves vertices out of colliders, at the beginning of a solve or after an iteration.
    pub(in crate::solve) fn displace(&mut self, contacts: &mut Contacts<'_>, begins: bool) {
        let (points, places, weight) = (&mut self.points, &self.order.places, &self.weight);
        let place = |vertex: usize| places[vertex] as usize;
        let mut exchange = |vertex: usize, moved: Option<Vec3>| {
            let at = &mut points[place(vertex)];
            if let Some(moved) = moved {
                *at = point(moved);
            }
            position(*at)
        };
        // Pinned vertices come after the free ones, and do not give way.
        let inertia = |vertex: usize| weight.get(place(vertex)).copied().unwrap_or(f64::INFINITY);
        if begins {
            contacts.begin(&mut exchange, &inertia);
        } else {
            contacts.displace(&mut exchange, &inertia);
        }
    }

    /// The step just solved for, in order of elimination.
    pub(in crate::solve) fn step(&mut self, step: &mut [Vec3]) {
        self.islands.read(step);
    }

    /// The forces −∇g less contacts at the positions last evaluated, in order of elimination.
    pub(super) fn forces(&mut self, forces: &mut [Vec3]) {
        self.islands.read(forces);
    }

    /// Positions of the free vertices, in order of elimination.
    pub(in crate::solve) fn positions(&self, out: &mut [Vec3]) {
        out.iter_mut().zip(&self.points).for_each(|(out, p)| *out = position(*p));
    }

    /// Moves the free vertices, in order of elimination.
    pub(in crate::solve) fn set_positions(&mut self, positions: &[Vec3]) {
        self.points.iter_mut().zip(positions).for_each(|(p, &position)| *p = point(position));
    }
}

pub(super) fn position(p: Point) -> Vec3 {
    Vec3::new(p[0], p[1], p[2])
}
