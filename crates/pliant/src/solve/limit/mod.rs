//! Strain limiting [Bender 2014, §3.5]: passes over the positions at the end of a step, after any solver, that correct
//! what is stretched too far.
//!
//! | method | what it does |
//! |---|---|
//! | [`LimitMethod::Edges`] | one edge after the other is brought to its limit [Provot 1995] |
//! | [`LimitMethod::Principal`] | one cell after the other has its principal stretches clamped [Wang 2010] |
//! | [`LimitMethod::Hierarchy`] | edges of coarse levels first, then of finer and finer ones [Müller 2008] |
//! | [`LimitMethod::Global`] | all edges at once, to a tolerance, by Newton's method [Goldenthal 2007] |
//!
//! The first three are cheap, but may leave errors. The global one takes linear solves, and meets the limit. All act
//! along edges or about centres of mass, so a free piece keeps its momentum. Velocities change by Δx/h; the angular
//! momentum of free pieces is then restored by a spin, since forces at the end of a step of finite length do not
//! conserve it by themselves.
//!
//! The pass runs before the final check of colliders and before movements are truncated for self-collision: it violates
//! neither, but vertices that those move afterwards may exceed the limit. It acts on the cells of bodies (triangles,
//! tets, strands), with their rest positions; vertices that are pinned or belong to rigid bodies stay in place, and
//! garments are not limited, since their rest shape is in another plane.

mod edges;
mod global;
mod levels;
mod principal;

use crate::math::Vec3;
use crate::mesh::{Hierarchy, Link, connected_components, pseudo_inverse_times, spin_of};
use crate::sparse::FactorError;
use crate::world::error::ModelError;
use crate::world::model::Model;

use edges::limit_edges;
use global::Global;
pub(crate) use levels::levels_of;
use levels::limit_levels;
use principal::Cell;

/// How far bodies may stretch, and by which method that is enforced.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StrainLimiting {
    /// Largest stretch, as length over rest length: 1.05 for 5 %. At least 1.
    pub most: f64,
    /// Smallest stretch; with 0, the default, cloth can be compressed. Only used by the methods for edges and principal
    /// stretches.
    pub least: f64,
    /// The method.
    pub method: LimitMethod,
}

/// How strain is limited.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LimitMethod {
    /// One edge after the other.
    Edges {
        /// Number of rounds.
        iterations: usize,
    },
    /// The principal stretches of one triangle, tet or segment after the other: the result hardly depends on the
    /// directions of the mesh.
    Principal {
        /// Number of rounds.
        iterations: usize,
    },
    /// Edges of coarse levels first.
    Hierarchy {
        /// Maximum number of levels above the mesh itself.
        levels: usize,
        /// Number of rounds on each level.
        iterations: usize,
    },
    /// All edges together, until none exceeds the limit by more than a tolerance.
    Global {
        /// Maximum number of linear solves.
        iterations: usize,
        /// Stretch beyond the limit that is accepted.
        tolerance: f64,
    },
}

impl StrainLimiting {
    /// A limit that all edges meet to a tolerance of 10⁻⁴.
    pub fn global(most: f64) -> Self {
        Self { most, least: 0.0, method: LimitMethod::Global { iterations: 200, tolerance: 1e-4 } }
    }

    /// A limit on principal stretches, with a number of rounds.
    pub fn principal(most: f64, iterations: usize) -> Self {
        Self { most, least: 0.0, method: LimitMethod::Principal { iterations } }
    }

    /// A limit on edges, with a number of rounds.
    pub fn edges(most: f64, iterations: usize) -> Self {
        Self { most, least: 0.0, method: LimitMethod::Edges { iterations } }
    }

    /// A limit on edges of up to eight levels, coarse ones first, with a number of rounds on each level.
    pub fn hierarchy(most: f64, iterations: usize) -> Self {
        Self { most, least: 0.0, method: LimitMethod::Hierarchy { levels: 8, iterations } }
    }

    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let Self { most, least, method } = *self;
        let refuse = |name, value, need| Err(ModelError::BadParameter { name, value, need });
        if !(most >= 1.0 && most.is_finite()) {
            return refuse("largest stretch", most, "at least 1");
        }
        if !(0.0..=1.0).contains(&least) {
            return refuse("least stretch", least, "0 to 1");
        }
        let has_least = matches!(method, LimitMethod::Edges { .. } | LimitMethod::Principal { .. });
        if least > 0.0 && !has_least {
            return refuse("least stretch", least, "0 with this method, which limits stretch only");
        }
        match method {
            LimitMethod::Global { tolerance, .. } if !(tolerance > 0.0 && tolerance.is_finite()) => {
                refuse("tolerance of the strain limit", tolerance, "positive")
            }
            _ => Ok(()),
        }
    }
}

/// Report of strain limiting in a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StrainLimitReport {
    /// Largest stretch of an edge before, in any substep.
    pub stretch_before: f64,
    /// Largest stretch of an edge after the last.
    pub stretch_after: f64,
    /// Number of rounds or linear solves.
    pub iterations: usize,
    /// Largest distance that a vertex was moved \[m\].
    pub moved: f64,
}

impl StrainLimitReport {
    /// Adds a later substep.
    pub(crate) fn add(&mut self, later: Self) {
        self.stretch_before = self.stretch_before.max(later.stretch_before);
        self.stretch_after = later.stretch_after;
        self.iterations += later.iterations;
        self.moved = self.moved.max(later.moved);
    }
}

/// A limit prepared for a model.
#[derive(Debug)]
pub(crate) struct Limiter {
    settings: StrainLimiting,
    links: Vec<Link>,
    cells: Vec<Cell>,
    hierarchy: Option<Hierarchy>,
    global: Option<Global>,
    /// 1/m of each vertex \[1/kg\]; 0 where it does not move.
    inverse_masses: Vec<f64>,
    /// Vertices of each connected piece of which all can move.
    free_pieces: Vec<Vec<u32>>,
}

impl Limiter {
    pub(crate) fn new(settings: StrainLimiting, model: &Model) -> Result<Self, FactorError> {
        let (rest, mass) = (model.rest(), model.mass().lumped());
        let inverse_masses = inverse_masses(model);
        let (pairs, all) = edges_and_cells(model, &inverse_masses);
        let length = |[a, b]: [u32; 2]| rest[a as usize].distance(rest[b as usize]);
        let links: Vec<Link> = pairs.iter().map(|&ends| Link { ends, rest: length(ends) }).collect();
        let hierarchy = match settings.method {
            LimitMethod::Hierarchy { levels, .. } => {
                Some(Hierarchy::new(rest, mass, &inverse_masses, &pairs, triangles(&all), &[], levels))
            }
            _ => None,
        };
        let cells = match settings.method {
            LimitMethod::Principal { .. } => all.iter().filter_map(|cell| Cell::new(cell, rest)).collect(),
            _ => Vec::new(),
        };
        let global = match settings.method {
            LimitMethod::Global { .. } => Some(Global::new(&links, &inverse_masses)?),
            _ => None,
        };
        let free_pieces = free_pieces(&pairs, &inverse_masses);
        Ok(Self { settings, links, cells, hierarchy, global, inverse_masses, free_pieces })
    }

    /// Largest stretch of an edge that can move; 1 where there is none.
    fn stretch(&self, x: &[Vec3]) -> f64 {
        let movable = self.links.iter().filter(|link| link.ends.iter().any(|&v| self.inverse_masses[v as usize] > 0.0));
        movable.map(|link| link.length(x) / link.rest).fold(1.0, f64::max)
    }

    /// Limits the strain at the end of a step of length h; velocities follow.
    pub(crate) fn limit(&self, x: &mut [Vec3], v: &mut [Vec3], h: f64) -> Result<StrainLimitReport, FactorError> {
        let mut report = StrainLimitReport { stretch_before: self.stretch(x), ..StrainLimitReport::default() };
        if x.iter().any(|p| !p.is_finite()) {
            return Ok(report); // The step will be refused.
        }
        let start = x.to_vec();
        let StrainLimiting { most, least, method } = self.settings;
        let w = &self.inverse_masses;
        report.iterations = match method {
            LimitMethod::Edges { iterations } => limit_edges(&self.links, w, [least, most], iterations, x),
            LimitMethod::Principal { iterations } => {
                principal::limit_cells(&self.cells, w, [least, most], iterations, x)
            }
            LimitMethod::Hierarchy { iterations, .. } => {
                let coarse = self.hierarchy.as_ref().map_or(0, |levels| limit_levels(levels, most, iterations, x));
                coarse + limit_edges(&self.links, w, [least, most], iterations, x)
            }
            LimitMethod::Global { iterations, tolerance } => match &self.global {
                Some(global) => global.limit(w, most, tolerance, iterations, x)?,
                None => 0,
            },
        };
        self.keep_centres(&start, x);
        report.stretch_after = self.stretch(x);
        let moved = |(new, old): (&Vec3, &Vec3)| new.distance(*old);
        report.moved = x.iter().zip(&start).map(moved).fold(0.0, f64::max);
        if report.moved > 0.0 {
            self.follow(&start, x, v, h);
        }
        Ok(report)
    }

    /// Takes out by how much rounding has moved the centres of mass of free pieces.
    fn keep_centres(&self, start: &[Vec3], x: &mut [Vec3]) {
        for piece in &self.free_pieces {
            let mass = |v: u32| 1.0 / self.inverse_masses[v as usize];
            let moved = |v: u32| (x[v as usize] - start[v as usize]) * mass(v);
            let total: f64 = piece.iter().map(|&v| mass(v)).sum();
            let drift = piece.iter().fold(Vec3::ZERO, |sum, &v| sum + moved(v)) / total;
            if drift != Vec3::ZERO {
                piece.iter().for_each(|&v| x[v as usize] -= drift);
            }
        }
    }

    /// Velocities that go with moved positions: v + Δx/h, and of free pieces the angular momentum that they had.
    fn follow(&self, start: &[Vec3], x: &[Vec3], v: &mut [Vec3], h: f64) {
        let before = v.to_vec();
        for ((v, x), start) in v.iter_mut().zip(x).zip(start) {
            *v += (*x - *start) / h;
        }
        for piece in &self.free_pieces {
            let of = |list: &[Vec3]| -> Vec<Vec3> { piece.iter().map(|&v| list[v as usize]).collect() };
            let masses: Vec<f64> = piece.iter().map(|&v| 1.0 / self.inverse_masses[v as usize]).collect();
            let places = of(x);
            let (was, _, _) = spin_of(&masses, &of(start), &of(&before));
            let (is, _, _) = spin_of(&masses, &places, &of(v));
            // The spin that the difference of angular momenta makes of the piece where it is now.
            let (omega, centre) = turn_by(&masses, &places, was - is);
            for (&vertex, place) in piece.iter().zip(&places) {
                v[vertex as usize] += omega.cross(*place - centre);
            }
        }
    }
}

/// ω about the centre of mass that carries an angular momentum, and the centre.
fn turn_by(masses: &[f64], x: &[Vec3], angular: Vec3) -> (Vec3, Vec3) {
    let (_, inertia, centre) = spin_of(masses, x, &vec![Vec3::ZERO; x.len()]);
    (pseudo_inverse_times(inertia, angular), centre)
}

/// 1/m of each vertex \[1/kg\]; 0 for those that are pinned or belong to rigid bodies.
fn inverse_masses(model: &Model) -> Vec<f64> {
    let mut inverse: Vec<f64> = model.mass().lumped().iter().map(|m| if *m > 0.0 { 1.0 / m } else { 0.0 }).collect();
    let rigid = model.rigid_sets().iter().flat_map(|set| &set.vertices);
    model.pinned().iter().chain(rigid).for_each(|&v| inverse[v as usize] = 0.0);
    inverse
}

/// Edges and cells of all bodies of which a vertex can move.
fn edges_and_cells(model: &Model, inverse_masses: &[f64]) -> (Vec<[u32; 2]>, Vec<Vec<u32>>) {
    let can_move = |vertices: &[u32]| vertices.iter().any(|&v| inverse_masses[v as usize] > 0.0);
    let mut all: Vec<Vec<u32>> = Vec::new();
    for (body, info) in model.bodies().iter().enumerate() {
        let first = info.vertices.start as u32;
        all.extend(model.cells(body).iter().map(|cell| cell.iter().map(|v| v + first).collect()));
    }
    all.retain(|cell| can_move(cell));
    let pairs = all.iter().flat_map(|cell| {
        (0..cell.len()).flat_map(move |a| (0..a).map(move |b| [cell[a].min(cell[b]), cell[a].max(cell[b])]))
    });
    let mut pairs: Vec<[u32; 2]> = pairs.collect();
    pairs.sort_unstable();
    pairs.dedup();
    (pairs, all)
}

fn triangles(cells: &[Vec<u32>]) -> Vec<[u32; 3]> {
    cells.iter().filter_map(|cell| <[u32; 3]>::try_from(cell.as_slice()).ok()).collect()
}

/// Vertices of connected pieces of which all can move.
fn free_pieces(pairs: &[[u32; 2]], inverse_masses: &[f64]) -> Vec<Vec<u32>> {
    let components = connected_components(inverse_masses.len(), pairs);
    let mut pieces: Vec<Vec<u32>> = vec![Vec::new(); components.count];
    for (v, &label) in components.labels.iter().enumerate() {
        pieces[label as usize].push(v as u32);
    }
    let is_free = |piece: &Vec<u32>| piece.len() > 1 && piece.iter().all(|&v| inverse_masses[v as usize] > 0.0);
    pieces.into_iter().filter(is_free).collect()
}
