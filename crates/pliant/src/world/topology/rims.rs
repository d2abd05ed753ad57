//! Room between the rims of a new crack, in a body that is kept from itself.
//!
//! ```text
//!    ●────●────●            the copies of a vertex begin at one place; where surfaces must not touch,
//!     ╲  ╱↑╲  ╱             each is drawn into its own piece by a small share of the thickness
//!      ● ═══ ●
//!     ╱  ╲↓╱  ╲             from then on the rims are surfaces like all others: what keeps layers apart
//!    ●────●────●            and what judges intersections know nothing of cracks
//! ```
//!
//! A piece that is bent may be drawn through its neighbours. So the exact predicates judge, and other ways into the piece are tried;
//! where none is free the vertex has no room to part. Copies of pinned vertices stay where they are: they are welded.

use std::collections::{BTreeMap, BTreeSet};

use super::TopologyError;
use super::change::Change;
use crate::math::Vec3;
use crate::proximity::{Candidates, Primitives, corners, intersections};
use crate::world::model::Model;

/// Way of a rim into its piece, as a share of the thickness. Two of them are more than the gap below which truncation is strict.
const WAY: f64 = 0.02;
/// The same at most, as a share of the distance to the middle of a cell: thick cloth of fine triangles is not turned over.
const WAY_INTO_CELL: f64 = 0.01;
/// Shares of that way to be tried, first towards the middle of the whole piece.
const SHORTER: [f64; 3] = [1.0, 0.1, 0.01];
/// Least distance of rims after that, as a share of the way.
const APART: f64 = 1e-3;

/// A vertex of a new rim.
struct Rim {
    /// In the world.
    vertex: u32,
    /// The vertex of the body that it was before.
    root: u32,
    /// Middles of the cells of its piece \[m\].
    middles: Vec<Vec3>,
}

impl Rim {
    /// The way that is tried after so many failures; none if there is no other.
    fn way(&self, attempt: usize, from: Vec3, thickness: f64) -> Option<Vec3> {
        let (all, each) = (SHORTER.len(), SHORTER.len() * self.middles.len());
        let (target, share) = if attempt < all {
            (self.middles.iter().sum::<Vec3>() / self.middles.len().max(1) as f64, SHORTER[attempt])
        } else if attempt < all + each {
            let own = attempt - all;
            (self.middles[own / all], SHORTER[own % all])
        } else {
            return None;
        };
        let into = target - from;
        let length = share * (WAY * thickness).min(WAY_INTO_CELL * into.length());
        Some(into.normalize_or_zero() * length)
    }
}

/// The ways by which vertices of the world move, after a change, for their rims to have room; `model` and `x` are those after it.
pub(crate) fn part_rims(
    model: &Model,
    change: &Change,
    thickness: f64,
    x: &[Vec3],
) -> Result<Vec<(u32, Vec3)>, TopologyError> {
    let body = &model.bodies()[change.body];
    if !body.collides_with_itself {
        return Ok(Vec::new());
    }
    let rims = rims(model, change, x);
    let mut attempts: BTreeMap<u32, usize> = rims.iter().map(|rim| (rim.root, 0)).collect();
    let is_rim: BTreeMap<u32, u32> = rims.iter().map(|rim| (rim.vertex, rim.root)).collect();
    let primitives = Primitives::new(model.bodies());
    loop {
        let way = |rim: &Rim| Some((rim.vertex, rim.way(attempts[&rim.root], x[rim.vertex as usize], thickness)?));
        let ways: Vec<(u32, Vec3)> = rims.iter().filter_map(way).collect();
        let mut opened = x.to_vec();
        ways.iter().for_each(|&(v, way)| opened[v as usize] += way);
        let least = APART * ways.iter().map(|(_, way)| way.length()).fold(f64::INFINITY, f64::min);
        let touching = touching(&primitives, x, &opened, &is_rim, least);
        if touching.is_empty() {
            return Ok(ways);
        }
        let mut closed: Vec<u32> = Vec::new();
        for root in touching {
            let own = attempts.entry(root).or_default();
            *own += 1;
            // All pieces of a vertex go on to their next way together, until the last of them has no other.
            let mut pieces = rims.iter().filter(|rim| rim.root == root);
            if pieces.all(|rim| rim.way(*own, Vec3::ZERO, thickness).is_none()) {
                closed.push(root);
            }
        }
        if !closed.is_empty() {
            return Err(TopologyError::NoRoom { body: body.name.clone(), vertices: closed });
        }
    }
}

/// The free vertices that have copies since the change, and those copies.
fn rims(model: &Model, change: &Change, x: &[Vec3]) -> Vec<Rim> {
    let range = model.bodies()[change.body].vertices.clone();
    let first = (range.len() - change.vertices.len()) as u32;
    let mut roots: BTreeMap<u32, u32> = BTreeMap::new();
    for (own, origin) in (first..).zip(&change.vertices) {
        if let Some(copied) = origin.copied() {
            let root = *roots.entry(copied).or_insert(copied);
            roots.insert(own, root);
        }
    }
    roots.retain(|v, _| model.free_index(range.start as u32 + v).is_some());
    let mut rims: BTreeMap<u32, Rim> = BTreeMap::new();
    for cell in model.cells(change.body).iter() {
        let middle = cell.iter().map(|&v| x[range.start + v as usize]).sum::<Vec3>() / cell.len() as f64;
        for own in cell.iter().filter(|v| roots.contains_key(v)) {
            let (vertex, root) = (range.start as u32 + own, roots[own]);
            rims.entry(*own).or_insert(Rim { vertex, root, middles: Vec::new() }).middles.push(middle);
        }
    }
    rims.into_values().collect()
}

/// The roots of rims that after opening still touch each other, have come nearer to something than `least`, or pass through it.
fn touching(
    primitives: &Primitives,
    before: &[Vec3],
    x: &[Vec3],
    rims: &BTreeMap<u32, u32>,
    least: f64,
) -> BTreeSet<u32> {
    let mut touching = BTreeSet::new();
    for pair in Candidates::default().find(primitives, x, x, least) {
        let vertices = pair.vertices(primitives);
        let mut roots: Vec<u32> = vertices.iter().filter_map(|v| rims.get(v)).copied().collect();
        if roots.is_empty() || pair.closest(&corners(x, vertices)).distance() > least {
            continue;
        }
        // What was as near before, as layers in one plane may be, is not for the crack to part.
        let count = roots.len();
        roots.sort_unstable();
        roots.dedup();
        if roots.len() < count || pair.closest(&corners(before, vertices)).distance() > least {
            touching.extend(roots);
        }
    }
    for crossing in intersections(primitives, x) {
        let triangle = primitives.triangles()[crossing.triangle as usize];
        touching.extend(crossing.edge.iter().chain(&triangle).filter_map(|v| rims.get(v)));
    }
    touching
}
