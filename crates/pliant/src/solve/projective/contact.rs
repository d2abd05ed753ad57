//! Contacts in the iteration: (H + K) δ = b, with K the stiffness of the contacts that act and b = −∇g, their forces included.
//!
//! Conjugate gradients preconditioned by the factor of P = H + what sticks (`sticking`). They start from δ = 0: the error falls in every
//! linear iteration, so stopping early is always safe. Contact forces between surfaces have no sum; where b has none either, as
//! from the predicted start, the linear momentum is exact however early it stops.
//!
//! P p follows from p by the same recurrence as p from z = P⁻¹ r, so no product with a matrix is ever needed: a product with
//! H + K is P p plus (H + K − P) p, which lives on the contacts.

use super::islands::Islands;
use super::lbfgs::History;
use super::local::Order;
use super::sticking::Work;
use crate::contact::{Contacts, Coupling, Response};
use crate::math::Vec3;
use crate::math::lanes::Real;
use crate::parallel::{Team, with_team_for};
use crate::scratch::fit;
use crate::solve::{Objective, SolveError};
use crate::sparse::{PackedFactor, Rows, dot};

/// The residual, measured by the factor, is brought below this part; the next iteration of the solver sees the rest. Contacts with
/// colliders report the forces that the last solve came to, and go on from them, so they want it small also where there are layers.
const TOLERANCE: f64 = 1e-3;
const TOLERANCE_OF_LAYERS: f64 = 0.1;
/// Between rigid bodies a force that is a little off is a body that creeps.
const TOLERANCE_OF_RIGID_LAYERS: f64 = 1e-2;
/// Most linear iterations in an iteration.
const MOST: usize = 100;
const MOST_OF_LAYERS: usize = 20;

/// A contact in the order of elimination.
#[derive(Debug, Clone, Copy)]
pub(in crate::solve) struct Coupled {
    /// Places of its vertices; those that are not free are beyond the unknowns.
    places: [u32; 4],
    weights: [f64; 4],
    corners: usize,
    pub(in crate::solve) response: Response,
}

impl Coupled {
    pub(in crate::solve) fn new(coupling: &Coupling, order: &Order) -> Self {
        let Coupling { vertices, weights, corners, response } = *coupling;
        Self { places: vertices.map(|v| order.places[v as usize]), weights, corners, response }
    }

    /// Its vertices with their weights.
    pub(in crate::solve) fn corners(&self) -> impl Iterator<Item = (usize, f64)> {
        self.places.into_iter().map(|place| place as usize).zip(self.weights).take(self.corners)
    }

    pub(super) fn offset(&self, vector: &[Vec3]) -> Vec3 {
        self.corners().fold(Vec3::ZERO, |sum, (place, w)| sum + vector.get(place).map_or(Vec3::ZERO, |v| *v * w))
    }

    fn add(&self, force: Vec3, vector: &mut [Vec3]) {
        for (place, w) in self.corners() {
            if let Some(sum) = vector.get_mut(place) {
                *sum += force * w;
            }
        }
    }
}

/// Contacts at the current positions, and vectors to solve with.
#[derive(Debug, Default)]
pub(in crate::solve) struct ContactSolve {
    coupled: Vec<Coupled>,
    /// Weights of what sticks that are in the factors.
    held: Vec<(u32, f64)>,
    residual: Vec<Vec3>,
    solved: Vec<Vec3>,
    direction: Vec<Vec3>,
    /// P p.
    applied: Vec<Vec3>,
    /// (H + K) p.
    product: Vec<Vec3>,
    solution: Vec<Vec3>,
}

/// What a solve took.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::solve) struct Taken {
    pub(in crate::solve) linear_iterations: usize,
    pub(in crate::solve) factor: Work,
}

impl ContactSolve {
    /// For another world, of so many free vertices: no contacts are known, and the room for vectors stays.
    pub(super) fn fit(&mut self, count: usize) {
        let contacts = self.coupled.len();
        fit(&mut self.coupled, contacts);
        self.coupled.clear();
        self.held.clear();
        let Self { residual, solved, direction, applied, product, solution, .. } = self;
        [residual, solved, direction, applied, product, solution].into_iter().for_each(|vector| fit(vector, count));
    }

    /// Takes the contacts at the current positions; whether any acts, and else H⁻¹ b is the solution.
    pub(in crate::solve) fn gather(
        &mut self,
        contacts: &Contacts<'_>,
        order: &Order,
        x: &impl Fn(usize) -> Vec3,
    ) -> bool {
        self.coupled.clear();
        self.coupled.extend(contacts.couplings(x).map(|coupling| Coupled::new(&coupling, order)));
        self.coupled.iter().any(|coupled| coupled.response.acts())
    }

    /// Adds the forces of the contacts that were gathered.
    pub(in crate::solve) fn add_forces(&self, forces: &mut [Vec3]) {
        self.coupled.iter().for_each(|coupled| coupled.add(coupled.response.force, forces));
    }

    /// With −∇g less contacts in the rows of H's factors, solves for the step and leaves it there. L-BFGS has a `history`, and its own matrix for H.
    pub(in crate::solve) fn solve(
        &mut self,
        islands: &mut Islands,
        objective: &Objective<'_>,
        history: Option<&mut History>,
        begins: bool,
    ) -> Result<Taken, SolveError> {
        let single = self.coupled.iter().filter(|coupled| coupled.corners == 1 && coupled.response.sticks());
        let sticking = single.map(|coupled| (coupled.places[0], coupled.response.along)).collect();
        let work = islands.hold(sticking, begins, objective)?;
        islands.held(&mut self.held);
        let count = islands.free();
        for vector in [&mut self.residual, &mut self.solved, &mut self.direction, &mut self.applied, &mut self.solution]
        {
            vector.clear();
            vector.resize(count, Vec3::ZERO);
        }
        islands.read(&mut self.residual);
        self.coupled.iter().for_each(|coupled| coupled.add(coupled.response.force, &mut self.residual));
        let linear_iterations = with_team_for(islands.bytes(), |team| self.iterate(team, islands, history));
        islands.write(&self.solution);
        Ok(Taken { linear_iterations, factor: work })
    }

    fn iterate(&mut self, team: &Team<'_>, islands: &mut Islands, mut history: Option<&mut History>) -> usize {
        let Self { coupled, held, residual, solved, direction, applied, product, solution } = self;
        let has_obstacles = coupled.iter().any(|coupled| coupled.corners == 1 && coupled.response.acts());
        let (tolerance, most) = match (has_obstacles, islands.turn()) {
            (true, _) => (TOLERANCE, MOST),
            (false, false) => (TOLERANCE_OF_LAYERS, MOST_OF_LAYERS),
            (false, true) => (TOLERANCE_OF_RIGID_LAYERS, MOST),
        };
        let mut inverse = |b: &[Vec3], solved: &mut [Vec3]| islands.inverse(team, true, b, solved);
        let (mut rho, mut enough) = (0.0, 0.0);
        for iteration in 0..most {
            match &mut history {
                Some(history) => history.solve(residual, solved, held, &mut inverse),
                None => inverse(residual, solved),
            }
            let next = dot(residual, solved);
            if iteration == 0 {
                enough = next * tolerance * tolerance;
            }
            if !next.is_finite() || next <= enough {
                return iteration;
            }
            let beta = if iteration == 0 { 0.0 } else { next / rho };
            rho = next;
            for ((p, z), (applied, r)) in direction.iter_mut().zip(&*solved).zip(applied.iter_mut().zip(&*residual)) {
                *p = *z + *p * beta;
                *applied = *r + *applied * beta;
            }
            product.clone_from(applied);
            for coupled in coupled.iter().filter(|coupled| coupled.response.acts()) {
                coupled.add(coupled.response.stiffness_times(coupled.offset(direction)), product);
            }
            for &(place, weight) in &*held {
                product[place as usize] -= direction[place as usize] * weight;
            }
            let curvature = dot(direction, product);
            if curvature.is_nan() || curvature <= 0.0 {
                return iteration;
            }
            let alpha = rho / curvature;
            for ((x, p), (r, product)) in solution.iter_mut().zip(&*direction).zip(residual.iter_mut().zip(&*product)) {
                *x += *p * alpha;
                *r -= *product * alpha;
            }
        }
        most
    }

    /// Tells contacts the forces that the last solve came to, if a share `length` of its step was taken.
    pub(in crate::solve) fn settle(&self, contacts: &mut Contacts<'_>, length: f64) {
        contacts.settle(self.coupled.iter().map(|coupled| {
            let moved = coupled.offset(&self.solution) * length;
            coupled.response.force - coupled.response.stiffness_times(moved)
        }));
    }
}

/// Puts numbers into the rows of a factor.
pub(in crate::solve) fn write(factor: &mut PackedFactor, vector: &[Vec3]) {
    fn copy<R: Real>(rows: &mut [R], vector: &[Vec3]) {
        for (row, v) in rows.as_chunks_mut::<4>().0.iter_mut().zip(vector) {
            *row = [R::from_f64(v.x), R::from_f64(v.y), R::from_f64(v.z), R::default()];
        }
    }
    match factor.rows() {
        Rows::Single(rows) => copy(rows, vector),
        Rows::Double(rows) => copy(rows, vector),
    }
}

/// The rows of a factor.
pub(in crate::solve) fn read(factor: &mut PackedFactor, vector: &mut [Vec3]) {
    fn copy<R: Real>(rows: &[R], vector: &mut [Vec3]) {
        for (out, row) in vector.iter_mut().zip(rows.as_chunks::<4>().0) {
            *out = Vec3::new(row[0].to_f64(), row[1].to_f64(), row[2].to_f64());
        }
    }
    match factor.rows() {
        Rows::Single(rows) => copy(rows, vector),
        Rows::Double(rows) => copy(rows, vector),
    }
}
