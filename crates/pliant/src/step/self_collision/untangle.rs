//! Removes intersections at the start.
//!
//! ```text
//!            good side             Where an edge passes through a triangle, the surface is thought cut. What the cuts separate
//!        ●────●────●               from the rest, a corner that pokes through or the end of a strand, is on the wrong side and
//!   ━━━━━━━━━━━╲━━━━━━━ other      goes back across the other surface. It keeps its order of heights there, only much flatter,
//!               ● wrong side       so that it is neither turned over nor squeezed to a point.
//! ```
//!
//! Where no cut separates anything (two sheets that each slit the other), the cuts go on along the planes of the triangles that are passed
//! through. After each round the exact predicates judge again.

use crate::math::Vec3;
use crate::proximity::{Intersection, Primitives, intersections};

/// Rounds before it gives up.
const MOST_ROUNDS: usize = 100;
/// Distance from the other surface at which the deepest vertex ends up, as a share of the thickness.
const MARGIN: f64 = 0.5;
/// Share that is left of differences in depth.
const FLATTENED: f64 = 0.1;
/// Share of the way to the nearest vertex on the good side that may be used.
const BELOW_THE_GOOD: f64 = 0.5;

/// How intersections at the start were removed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Untangled {
    /// Number of edges that passed through triangles at the start.
    pub crossings: usize,
    /// Number of vertices that were moved.
    pub vertices: usize,
    /// Largest distance that a vertex was moved \[m\].
    pub max_displacement: f64,
    /// Number of rounds.
    pub rounds: usize,
}

/// A place where an edge passes through a triangle.
struct Passage {
    /// The end on the wrong side, and the other one.
    wrong: u32,
    good: u32,
    triangle: u32,
    point: Vec3,
    /// Unit normal of the triangle, to the good side.
    normal: Vec3,
}

/// Moves vertices that may be moved until nothing intersects; gives the crossings that are left if that does not succeed.
pub(super) fn untangle(
    primitives: &Primitives,
    thickness: f64,
    may_move: impl Fn(u32) -> bool,
    x: &mut [Vec3],
) -> Result<Untangled, Vec<Intersection>> {
    let start = x.to_vec();
    let mut crossings = intersections(primitives, x);
    let mut untangled = Untangled { crossings: crossings.len(), ..Untangled::default() };
    while !crossings.is_empty() && untangled.rounds < MOST_ROUNDS {
        untangled.rounds += 1;
        let mut cut: Vec<[u32; 2]> = crossings.iter().map(|crossing| crossing.edge).collect();
        let mut moved =
            Parts::new(primitives, &mut cut, x.len(), &may_move).go_back(primitives, thickness, &crossings, x);
        if moved == 0 {
            cut.extend(cut_by_planes(primitives, &crossings, x));
            moved = Parts::new(primitives, &mut cut, x.len(), &may_move).go_back(primitives, thickness, &crossings, x);
        }
        if moved == 0 {
            break;
        }
        crossings = intersections(primitives, x);
    }
    if !crossings.is_empty() {
        return Err(crossings);
    }
    let ways = x.iter().zip(&start).map(|(x, start)| (*x - *start).length());
    untangled.vertices = ways.clone().filter(|way| *way > 0.0).count();
    untangled.max_displacement = ways.fold(0.0, f64::max);
    Ok(untangled)
}

/// The connected parts of all surfaces, cut at the edges that pass through something.
struct Parts {
    of_vertex: Vec<u32>,
    /// Vertices of each part; `usize::MAX` where one of them may not be moved.
    sizes: Vec<usize>,
}

impl Parts {
    fn new(primitives: &Primitives, cut: &mut [[u32; 2]], count: usize, may_move: &impl Fn(u32) -> bool) -> Self {
        cut.sort_unstable();
        // Each vertex points to one of its part, in the end to the first.
        let mut of_vertex: Vec<u32> = (0..count as u32).collect();
        for edge in primitives.edges().iter().filter(|edge| cut.binary_search(edge).is_err()) {
            let [a, b] = edge.map(|v| first(&mut of_vertex, v));
            of_vertex[a.max(b) as usize] = a.min(b);
        }
        let mut sizes = vec![0_usize; count];
        for v in 0..count as u32 {
            let part = first(&mut of_vertex, v) as usize;
            of_vertex[v as usize] = part as u32;
            sizes[part] = if may_move(v) { sizes[part].saturating_add(1) } else { usize::MAX };
        }
        Self { of_vertex, sizes }
    }

    fn size(&self, vertex: u32) -> usize {
        self.sizes[self.of_vertex[vertex as usize] as usize]
    }

    /// Moves every separated part back across what it passes through, smaller ones first; returns how many vertices moved.
    fn go_back(&self, primitives: &Primitives, thickness: f64, crossings: &[Intersection], x: &mut [Vec3]) -> usize {
        let separates = |crossing: &&Intersection| {
            let [a, b] = crossing.edge.map(|v| self.of_vertex[v as usize]);
            a != b && self.size(crossing.edge[0]).min(self.size(crossing.edge[1])) != usize::MAX
        };
        let mut passages: Vec<Passage> = crossings
            .iter()
            .filter(separates)
            .filter_map(|crossing| {
                let [a, b] = crossing.edge;
                passage(primitives, x, crossing, if self.size(a) < self.size(b) { [a, b] } else { [b, a] })
            })
            .collect();
        passages.sort_by_key(|passage| (self.size(passage.wrong), self.of_vertex[passage.wrong as usize]));
        let mut has_moved = vec![false; self.sizes.len()];
        let mut moved = 0;
        for own in passages.chunk_by(|a, b| self.of_vertex[a.wrong as usize] == self.of_vertex[b.wrong as usize]) {
            let part = self.of_vertex[own[0].wrong as usize];
            // Of two parts that pass through each other it is enough that one goes back.
            let is_met = |passage: &Passage| {
                let corners = primitives.triangles()[passage.triangle as usize];
                corners.iter().any(|&v| has_moved[self.of_vertex[v as usize] as usize])
            };
            if own.iter().any(is_met) {
                continue;
            }
            has_moved[part as usize] = true;
            let vertices: Vec<usize> = (0..x.len()).filter(|&v| self.of_vertex[v] == part).collect();
            moved += flatten(own, &vertices, thickness, x);
        }
        moved
    }
}

/// The first vertex of a vertex's part, shortening the way to it.
fn first(of_vertex: &mut [u32], vertex: u32) -> u32 {
    let mut v = vertex;
    while of_vertex[v as usize] != v {
        let next = of_vertex[v as usize];
        of_vertex[v as usize] = of_vertex[next as usize];
        v = next;
    }
    v
}

/// Brings the vertices of a part back across the triangles that it passes through, each by the plane of the nearest of them.
fn flatten(passages: &[Passage], vertices: &[usize], thickness: f64, x: &mut [Vec3]) -> usize {
    let nearest =
        |p: Vec3| passages.iter().min_by(|a, b| a.point.distance_squared(p).total_cmp(&b.point.distance_squared(p)));
    let depths: Vec<(usize, f64, Vec3)> = vertices
        .iter()
        .filter_map(|&v| nearest(x[v]).map(|passage| (v, passage.normal.dot(passage.point - x[v]), passage.normal)))
        .collect();
    let deepest = depths.iter().map(|(_, depth, _)| *depth).fold(0.0, f64::max);
    // There must be room below the vertices that are where they should be.
    let height = |passage: &Passage| passage.normal.dot(x[passage.good as usize] - passage.point);
    let room = BELOW_THE_GOOD * passages.iter().map(height).fold(f64::INFINITY, f64::min).max(0.0);
    let margin = (MARGIN * thickness).min(0.5 * room);
    let flattened = if deepest > 0.0 { FLATTENED.min((room - margin) / deepest) } else { 0.0 };
    let mut moved = 0;
    for (v, depth, normal) in depths {
        // A vertex that is above the plane, where the other surface bends away, stays.
        let height = margin + flattened * (deepest - depth);
        if -depth < height && margin > 0.0 {
            x[v] += normal * (height + depth);
            moved += 1;
        }
    }
    moved
}

/// The edges with ends on different sides of the triangle that their body passes through nearest to them.
fn cut_by_planes(primitives: &Primitives, crossings: &[Intersection], x: &[Vec3]) -> Vec<[u32; 2]> {
    let passages: Vec<Passage> =
        crossings.iter().filter_map(|crossing| passage(primitives, x, crossing, crossing.edge)).collect();
    let side = |v: u32| {
        let p = x[v as usize];
        let own = passages.iter().filter(|passage| primitives.body(passage.wrong) == primitives.body(v));
        let nearest = own.min_by(|a, b| a.point.distance_squared(p).total_cmp(&b.point.distance_squared(p)))?;
        // By the winding of the triangle: an edge may run through it either way.
        let [a, b, c] = primitives.triangles()[nearest.triangle as usize].map(|v| x[v as usize]);
        Some((b - a).cross(c - a).dot(p - a) > 0.0)
    };
    let sides: Vec<Option<bool>> = (0..x.len() as u32).map(side).collect();
    let is_cut = |edge: &&[u32; 2]| sides[edge[0] as usize] != sides[edge[1] as usize];
    primitives.edges().iter().filter(is_cut).copied().collect()
}

/// The place of a crossing, given its wrong and its good end; none if the triangle has no area.
fn passage(primitives: &Primitives, x: &[Vec3], crossing: &Intersection, [wrong, good]: [u32; 2]) -> Option<Passage> {
    let [a, b, c] = primitives.triangles()[crossing.triangle as usize].map(|v| x[v as usize]);
    let normal = (b - a).cross(c - a).try_normalize()?;
    let (from, to) = (x[wrong as usize], x[good as usize]);
    let (below, above) = (normal.dot(from - a), normal.dot(to - a));
    let normal = if above >= below { normal } else { -normal };
    let share = if above == below { 0.5 } else { below / (below - above) };
    Some(Passage { wrong, good, triangle: crossing.triangle, point: from.lerp(to, share.clamp(0.0, 1.0)), normal })
}
