//! All edges at once, to a tolerance: a Newton-type solve in the spirit of the fast projection of [Goldenthal 2007].
//!
//! Finds, of all positions that keep every edge within its limit L, those closest to the end of the step, in the metric
//! of masses:
//!
//! min ½(x − x̂)ᵀM(x − x̂)   with   ‖x_b − x_a‖ ≤ L for each edge
//!
//! The constraints are convex, so there is one solution, and every descent leads to it. Multipliers λ ≥ 0 are found by
//! the augmented Lagrangian: Newton's method on ½(x − x̂)ᵀM(x − x̂) + Σ μ/2 max(0, ‖x_b − x_a‖ − L + λ/μ)², then λ ←
//! max(0, λ + μ(‖x_b − x_a‖ − L)), until no edge is too long. Vertices move by M⁻¹ times forces along edges, so
//! momentum is conserved.
//!
//! Departure: [Goldenthal 2007] solves (∇C M⁻¹ ∇Cᵀ) δλ = C for the warp and weft of quads, at equality. Triangles have
//! more edges than a sheet has degrees of freedom, so that matrix is singular for a flat one; and edges may be shorter
//! than their limit. Eliminating λ instead of x gives M + μ ∇Cᵀ∇C, which is definite, and has the pattern of the mesh.

use std::sync::Arc;

use crate::math::{Mat3, Vec3};
use crate::mesh::Link;
use crate::sparse::{Analysis, BlockMatrix, FactorError, SymmetricPattern};

/// μ over the mass that an edge moves. The error falls by about this many times the softest way to shorten an edge, per round.
const STIFFNESS: f64 = 1e4;
/// Newton's method has done enough for a round when a step moves no vertex by more than this share of what is let pass.
const SETTLED: f64 = 0.5;
/// Share of the descent that a line search asks for, and most of its halvings.
const SUFFICIENT: f64 = 1e-4;
const HALVINGS: usize = 30;
/// Rounds in a row that take away less than this share of the worst excess mean that it cannot be taken away: pins are too far apart.
const IDLE_ROUNDS: usize = 3;
const IDLE: f64 = 0.05;

/// All edges of a world, prepared.
#[derive(Debug)]
pub(super) struct Global {
    links: Vec<Link>,
    /// μ of each \[kg\]: in steps of one second, the unit of time does not matter.
    stiffness: Vec<f64>,
    /// Vertices that move, and their places among the unknowns (`u32::MAX` for others).
    free: Vec<u32>,
    place: Vec<u32>,
    pattern: Arc<SymmetricPattern>,
    analysis: Analysis,
    shortest: f64,
}

/// The function that is made least, at some multipliers.
struct Lagrangian<'a> {
    global: &'a Global,
    inverse_masses: &'a [f64],
    /// Longest that edges may be, over their rest lengths.
    most: f64,
    target: &'a [Vec3],
    multipliers: &'a [f64],
}

impl Global {
    pub(super) fn new(links: &[Link], inverse_masses: &[f64]) -> Result<Self, FactorError> {
        let is_free = |v: u32| inverse_masses[v as usize] > 0.0;
        let movable = |link: &&Link| link.rest > 0.0 && link.ends.iter().any(|&v| is_free(v));
        let links: Vec<Link> = links.iter().filter(movable).copied().collect();
        let mut free: Vec<u32> = links.iter().flat_map(|link| link.ends).filter(|&v| is_free(v)).collect();
        free.sort_unstable();
        free.dedup();
        let mut place = vec![u32::MAX; inverse_masses.len()];
        (0u32..).zip(&free).for_each(|(k, &v)| place[v as usize] = k);
        let pairs = links.iter().map(|link| link.ends.map(|v| place[v as usize]));
        let pairs = pairs.filter(|ends| ends.iter().all(|&k| k != u32::MAX)).map(|[a, b]| (a, b));
        let pattern = Arc::new(SymmetricPattern::new(free.len(), pairs));
        let analysis = BlockMatrix::analyse(&pattern)?;
        let mobility = |link: &Link| link.ends.iter().map(|&v| inverse_masses[v as usize]).sum::<f64>();
        let stiffness = links.iter().map(|link| STIFFNESS / mobility(link)).collect();
        let shortest = links.iter().fold(f64::INFINITY, |least, link| least.min(link.rest));
        Ok(Self { links, stiffness, free, place, pattern, analysis, shortest })
    }

    /// Limits all edges; returns the linear solves it took.
    pub(super) fn limit(
        &self,
        inverse_masses: &[f64],
        most: f64,
        tolerance: f64,
        iterations: usize,
        x: &mut [Vec3],
    ) -> Result<usize, FactorError> {
        let target = x.to_vec();
        let mut multipliers = vec![0.0; self.links.len()];
        let enough = SETTLED * tolerance * self.shortest;
        let (mut solves, mut last, mut idle) = (0, f64::INFINITY, 0);
        loop {
            let excess = |link: &Link| link.length(x) / link.rest - most;
            let worst = self.links.iter().map(excess).fold(f64::NEG_INFINITY, f64::max);
            idle = if worst > (1.0 - IDLE) * last { idle + 1 } else { 0 };
            last = worst;
            if worst <= tolerance || solves >= iterations || idle >= IDLE_ROUNDS {
                return Ok(solves);
            }
            if solves > 0 {
                for ((multiplier, mu), link) in multipliers.iter_mut().zip(&self.stiffness).zip(&self.links) {
                    *multiplier = f64::max(0.0, *multiplier + mu * (link.length(x) - most * link.rest));
                }
            }
            let (target, multipliers) = (&target[..], &multipliers[..]);
            let lagrangian = Lagrangian { global: self, inverse_masses, most, target, multipliers };
            loop {
                let moved = lagrangian.newton_step(x)?;
                solves += 1;
                if moved <= enough || solves >= iterations {
                    break;
                }
            }
        }
    }
}

impl Lagrangian<'_> {
    /// How far beyond its limit a link counts as being: what is pulled back.
    fn beyond(&self, k: usize, x: &[Vec3]) -> f64 {
        let link = &self.global.links[k];
        f64::max(0.0, link.length(x) - self.most * link.rest + self.multipliers[k] / self.global.stiffness[k])
    }

    fn value(&self, x: &[Vec3]) -> f64 {
        let inertia = |&v: &u32| {
            let v = v as usize;
            0.5 * x[v].distance_squared(self.target[v]) / self.inverse_masses[v]
        };
        let pull = |k: usize| 0.5 * self.global.stiffness[k] * self.beyond(k, x).powi(2);
        self.global.free.iter().map(inertia).sum::<f64>() + (0..self.global.links.len()).map(pull).sum::<f64>()
    }

    /// One step of Newton's method with a line search; returns how far it moves a vertex at most \[m\].
    fn newton_step(&self, x: &mut [Vec3]) -> Result<f64, FactorError> {
        let Global { links, stiffness, free, place, pattern, analysis, .. } = self.global;
        let mut matrix = BlockMatrix::zero(pattern.clone());
        let mut gradient = vec![Vec3::ZERO; free.len()];
        for (k, &v) in free.iter().enumerate() {
            let (v, mass) = (v as usize, 1.0 / self.inverse_masses[v as usize]);
            gradient[k] = (x[v] - self.target[v]) * mass;
            matrix.add_diagonal(k, Mat3::IDENTITY * mass);
        }
        let mut pair = 0;
        for (k, link) in links.iter().enumerate() {
            let ends = link.ends.map(|v| place[v as usize]);
            let own_pair = pair;
            pair += usize::from(ends.iter().all(|&end| end != u32::MAX));
            let edge = x[link.ends[1] as usize] - x[link.ends[0] as usize];
            let (beyond, length) = (self.beyond(k, x), edge.length());
            if beyond <= 0.0 || length <= 0.0 {
                continue;
            }
            let along = edge / length;
            let onto = Mat3::from_cols(along * along.x, along * along.y, along * along.z);
            let block = (onto + (Mat3::IDENTITY - onto) * (beyond / length)) * stiffness[k];
            for (end, sign) in ends.iter().zip([-1.0, 1.0]).filter(|(end, _)| **end != u32::MAX) {
                gradient[*end as usize] += along * (sign * stiffness[k] * beyond);
                matrix.add_diagonal(*end as usize, block);
            }
            if pair > own_pair {
                matrix.add(own_pair, -block);
            }
        }
        let mut step: Vec<f64> = gradient.iter().flat_map(|g| (-*g).to_array()).collect();
        matrix.factor(analysis)?.solve_scalars(&mut step);
        let step: Vec<Vec3> = step.chunks_exact(3).map(Vec3::from_slice).collect();
        let slope: f64 = gradient.iter().zip(&step).map(|(g, s)| g.dot(*s)).sum();
        let farthest = step.iter().fold(0.0_f64, |most, s| most.max(s.length()));
        let (start, before) = (x.to_vec(), self.value(x));
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            free.iter().zip(&step).for_each(|(&v, s)| x[v as usize] = start[v as usize] + *s * share);
            // Rounding alone may hold up a step that has nothing left to gain.
            if self.value(x) <= before + SUFFICIENT * share * slope + 1e-14 * before.abs() {
                break;
            }
            share *= 0.5;
        }
        Ok(farthest * share)
    }
}
