//! The data of an iteration: the factor, elements in lanes, and vectors in elimination order.

use super::advance::advance;
use super::contact::{ContactSolve, Coupled, Taken, read, write};
use super::lbfgs::History;
use super::local::{At, CurvatureRows, General, Inertia, LocalStep, Order, Point, padding, point};
use crate::contact::{ContactMode, Contacts};
use crate::energy::Memory;
use crate::math::Vec3;
use crate::parallel::{Team, with_team_for};
use crate::solve::turning::Turnings;
use crate::solve::{Acceleration, Objective, ProjectiveParams, SolveError};
use crate::sparse::{Analysis, Cholesky, PackedFactor, Precision, Rows, dot};

/// Elements in numbers of one kind.
#[derive(Debug)]
enum Elements {
    Single(LocalStep<f32>),
    Double(LocalStep<f64>),
}

/// Everything that stays the same while model and time step do.
#[derive(Debug)]
pub(in crate::solve) struct Prepared {
    /// The coefficients that it belongs to.
    inertia: f64,
    scales: Vec<f64>,
    analysis: Analysis,
    pub(super) order: Order,
    pub(super) factor: PackedFactor,
    elements: Elements,
    /// The other kind, once it was needed.
    spare: Option<Elements>,
    general: General,
    /// m/τ² of free vertices \[N/m\].
    pub(super) weight: Vec<f64>,
    /// s of free vertices \[m\].
    pub(super) target: Vec<Point>,
    /// Positions of all vertices \[m\], and padding.
    pub(super) points: Vec<Point>,
    watched: bool,
    /// Largest entry on the diagonal of the constant matrix \[N/m\].
    pub(super) stiffest: f64,
    /// Diagonal of the matrix at free vertices \[N/m\].
    diagonal: Vec<f64>,
    pub(super) contact: ContactSolve,
    /// Rotations of rigid sets, and what solving with them needs.
    turnings: Turnings,
    pub(super) residual: Vec<Vec3>,
    solved: Vec<Vec3>,
    /// The second derivative, once it was needed.
    curvature: Option<CurvatureRows>,
}

/// What a solver of Newton's system works with.
pub(in crate::solve) struct NewtonParts<'a> {
    pub(in crate::solve) curvature: &'a CurvatureRows,
    pub(in crate::solve) factor: &'a mut PackedFactor,
    pub(in crate::solve) turnings: &'a mut Turnings,
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
    pub(in crate::solve) fn new(
        objective: &Objective<'_>,
        factor: &mut Cholesky,
        params: &ProjectiveParams,
        watch: Watch,
    ) -> Self {
        let model = objective.model;
        let precision = params.precision;
        let analysis = factor.analysis().clone();
        let cholesky = factor;
        let factor = PackedFactor::new(cholesky, precision);
        let stiffness = objective.contact_stiffness();
        let stiffest = stiffness.iter().copied().fold(0.0, f64::max);
        let diagonal: Vec<f64> = factor.order().iter().map(|&k| stiffness[k as usize]).collect();
        let order = Order::new(model, factor.order());
        // Plain local/global holds rotations in its global step: slow, and g never rises.
        let mut turnings = Turnings::default();
        if params.acceleration != Acceleration::None {
            let places: Vec<u32> = model.free().iter().map(|&v| order.places[v as usize]).collect();
            turnings = Turnings::new(objective, cholesky, &places);
        }
        let watched = watch == Watch::Projections;
        let elements = match precision {
            Precision::Single => Elements::Single(LocalStep::new(objective, &order, watched)),
            Precision::Double => Elements::Double(LocalStep::new(objective, &order, watched)),
        };
        let mass = |&v: &u32| objective.inertia * model.mass().diagonal()[v as usize];
        Self {
            inertia: objective.inertia,
            scales: objective.scales.to_vec(),
            analysis,
            factor,
            elements,
            spare: None,
            general: General::new(objective, &order, watched),
            weight: order.vertices[..order.free].iter().map(mass).collect(),
            target: vec![Point::default(); order.free],
            points: vec![Point::default(); order.vertices.len()].into_iter().chain(padding()).collect(),
            order,
            watched,
            stiffest,
            diagonal,
            contact: ContactSolve::default(),
            turnings,
            residual: Vec::new(),
            solved: Vec::new(),
            curvature: None,
        }
    }

    /// Whether it belongs to this objective.
    pub(in crate::solve) fn fits(&self, objective: &Objective<'_>, watch: Watch) -> bool {
        let watched = watch == Watch::Projections;
        self.inertia == objective.inertia && self.scales == objective.scales && self.watched == watched
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
        self.factor.bytes()
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
        memory: &[Memory],
        precision: Precision,
    ) {
        for (place, &v) in self.order.vertices.iter().enumerate() {
            self.points[place] = point(x[v as usize]);
        }
        for (target, &v) in self.target.iter_mut().zip(&self.order.vertices) {
            *target = point(objective.target[v as usize]);
        }
        if matches!((&self.elements, precision), (Elements::Double(_), Precision::Single)) {
            self.swap_elements();
        }
        let elements = &mut self.elements;
        with_team_for(self.factor.bytes(), |team| match elements {
            Elements::Single(local) => local.begin(team, memory, objective.goals),
            Elements::Double(local) => local.begin(team, memory, objective.goals),
        });
    }

    /// Leaves the result of a stage.
    pub(in crate::solve) fn finish(&self, x: &mut [Vec3], memory: &mut [Memory]) {
        self.write_positions(x);
        with_team_for(self.factor.bytes(), |team| match &self.elements {
            Elements::Single(local) => local.store_warm(team, memory),
            Elements::Double(local) => local.store_warm(team, memory),
        });
    }

    fn write_positions(&self, x: &mut [Vec3]) {
        for (point, &v) in self.points.iter().zip(&self.order.vertices[..self.order.free]) {
            x[v as usize] = position(*point);
        }
    }

    /// Whether elements are in f32.
    pub(in crate::solve) fn is_single(&self) -> bool {
        matches!(self.elements, Elements::Single(_))
    }

    /// Goes on with elements in f64: f32 has given all that it can.
    pub(in crate::solve) fn refine(&mut self, objective: &Objective<'_>, memory: &mut [Memory]) {
        let Elements::Single(local) = &self.elements else { return };
        local.store_warm(&Team::alone(), memory);
        let order = &self.order;
        let spare = &mut self.spare;
        let double = spare.get_or_insert_with(|| Elements::Double(LocalStep::new(objective, order, self.watched)));
        if let Elements::Double(local) = double {
            local.begin(&Team::alone(), memory, objective.goals);
        }
        self.swap_elements();
    }

    fn swap_elements(&mut self) {
        if let Some(spare) = &mut self.spare {
            std::mem::swap(&mut self.elements, spare);
        }
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
            self.turnings.orient(objective, x, memory);
        }
        let inertia = Inertia { target: &self.target, weight: &self.weight, other: self.general.gradient() };
        let bytes = self.factor.bytes();
        let (points, factor, elements) = (&self.points, &mut self.factor, &mut self.elements);
        value
            + with_team_for(bytes, |team| match (elements, factor.rows()) {
                (Elements::Single(local), Rows::Single(rows)) => {
                    local.evaluate(team, points, &inertia, rows, with_energy)
                }
                (Elements::Single(local), Rows::Double(rows)) => {
                    local.evaluate(team, points, &inertia, rows, with_energy)
                }
                (Elements::Double(local), Rows::Single(rows)) => {
                    local.evaluate(team, points, &inertia, rows, with_energy)
                }
                (Elements::Double(local), Rows::Double(rows)) => {
                    local.evaluate(team, points, &inertia, rows, with_energy)
                }
            })
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
            read(&mut self.factor, rows);
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
            write(&mut self.factor, &self.solved);
        }
        let acts = !contacts.is_none() && self.contact.gather(contacts, &self.order, &at);
        if acts {
            taken =
                self.contact.solve(&mut self.factor, &mut self.turnings, objective, &self.analysis, None, begins)?;
            self.contact.settle(contacts, 1.0);
        }
        if !self.turnings.is_empty() {
            self.solve_turning(acts);
        }
        let solved = acts || !self.turnings.is_empty();
        let (factor, points) = (&mut self.factor, &mut self.points[..self.order.free]);
        let longest = with_team_for(factor.bytes(), |team| {
            if !solved {
                factor.solve_rows(team);
            }
            match factor.rows() {
                Rows::Single(rows) => advance(team, rows, points),
                Rows::Double(rows) => advance(team, rows, points),
            }
        });
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
        read(&mut self.factor, &mut self.residual);
        let Self { contact, factor, turnings, analysis, residual, .. } = self;
        let mut taken = Taken::default();
        if acts {
            taken = contact.solve(factor, turnings, objective, analysis, Some(history), begins)?;
            read(factor, step);
        } else {
            with_team_for(factor.bytes(), |team| {
                history.solve(residual, step, &[], |b, solved| {
                    write(factor, b);
                    factor.solve_rows(team);
                    read(factor, solved);
                    turnings.correct(b, solved);
                });
            });
        }
        let slope = -dot(&self.residual, step) - self.contact_power(contacts, step);
        Ok(QuasiNewtonStep { taken, slope, acts })
    }

    /// Slope of g along a step at the positions last evaluated \[J\].
    pub(super) fn slope(&mut self, contacts: &Contacts<'_>, step: &[Vec3]) -> f64 {
        self.residual.resize(self.order.free, Vec3::ZERO);
        read(&mut self.factor, &mut self.residual);
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
        !self.turnings.is_empty()
    }

    /// Bends a step from the positions last evaluated along the circles on which rigid sets turn.
    pub(super) fn bend_step(&self, step: &mut [Vec3]) {
        self.turnings.retract(step);
    }

    /// Where rigid sets turn: H'⁻¹ of the factor's rows, unless contacts have solved for it already, bent to the circle.
    fn solve_turning(&mut self, is_solved: bool) {
        for vector in [&mut self.residual, &mut self.solved] {
            vector.resize(self.order.free, Vec3::ZERO);
        }
        read(&mut self.factor, &mut self.residual);
        if is_solved {
            self.solved.copy_from_slice(&self.residual);
        } else {
            let factor = &mut self.factor;
            with_team_for(factor.bytes(), |team| factor.solve_rows(team));
            read(factor, &mut self.solved);
            self.turnings.correct(&self.residual, &mut self.solved);
        }
        self.turnings.retract(&mut self.solved);
        write(&mut self.factor, &self.solved);
    }

    /// Takes the second derivative at the positions last evaluated. Once elements are in f64 positions hardly move, and it stays as it is.
    pub(in crate::solve) fn bend(&mut self, objective: &Objective<'_>, x: &[Vec3], memory: &[Memory]) {
        let Elements::Single(local) = &self.elements else { return };
        let order = &self.order;
        let curvature = self.curvature.get_or_insert_with(|| CurvatureRows::new(objective, order, local));
        let (points, bytes) = (&self.points, self.factor.bytes());
        with_team_for(bytes, |team| curvature.update(team, local, At { points, objective, x, memory }));
    }

    /// Newton's system at the positions where [`bend`](Self::bend) was last called: none before.
    pub(in crate::solve) fn newton(&mut self) -> Option<NewtonParts<'_>> {
        let curvature = self.curvature.as_ref()?;
        Some(NewtonParts { curvature, factor: &mut self.factor, turnings: &mut self.turnings })
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
        if !self.turnings.is_empty() {
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
        read(&mut self.factor, step);
    }

    /// The forces −∇g less contacts at the positions last evaluated, in order of elimination.
    pub(super) fn forces(&mut self, forces: &mut [Vec3]) {
        read(&mut self.factor, forces);
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
