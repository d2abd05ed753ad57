//! Pairs with overlapping swept boxes: the broad phase.

use super::boxes::{Boxes, ShortBox};
use super::primitives::Element;
use super::tree::Tree;
use super::{Intersection, Pair, Primitives};
use crate::math::Vec3;
use crate::mesh::Bounds;
use crate::parallel;

/// Leaves that a thread takes at a time.
const LEAVES: usize = 16;

/// Elements that a thread takes at a time.
const ELEMENTS: usize = 64;

/// Finds pairs that may come close to each other. It keeps its tree from call to call.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    tree: Tree,
    boxes: Boxes,
    /// Those of the last call.
    last: Boxes,
    elements: Vec<ShortBox>,
}

impl Candidates {
    /// All pairs that could be closer to each other than `distance` while vertices move from `from` to `to`, or
    /// anywhere between; ascending, vertices with triangles first. Pairs with a common vertex, and those within a body
    /// that does not collide with itself, are left out.
    pub fn find(&mut self, primitives: &Primitives, from: &[Vec3], to: &[Vec3], distance: f64) -> Vec<Pair> {
        let mut swept = Vec::new();
        sweep(&mut swept, from, to, distance);
        let mut pairs = self.find_in(primitives, &swept, middle(from));
        // Short boxes may overlap by their rounding alone.
        let around = |vertices: &[u32]| {
            let boxes = vertices.iter().map(|&v| swept[v as usize]);
            boxes.reduce(joined).unwrap_or(Bounds { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY })
        };
        pairs.retain(|pair| {
            let vertices = pair.vertices(primitives);
            let (first, second) = vertices.split_at(pair.first_side());
            let (a, b) = (around(first), around(second));
            a.min.cmple(b.max).all() && b.min.cmple(a.max).all()
        });
        pairs.sort_unstable();
        pairs
    }

    /// All pairs whose boxes overlap, given the boxes of vertices; a few more by rounding. In no particular order, which is the same
    /// at any number of threads.
    pub(super) fn find_in(&mut self, primitives: &Primitives, swept: &[Bounds], origin: Vec3) -> Vec<Pair> {
        self.update(primitives, swept, origin);
        self.pairs_of_elements(primitives, &|both, found| {
            self.pairs_between(both, primitives, &mut |pair| found.push(pair));
        })
    }

    /// The pairs that overlap now and did not in the last call, after the boxes of some vertices have grown.
    pub(super) fn find_more(
        &mut self,
        primitives: &Primitives,
        swept: &[Bounds],
        origin: Vec3,
        grown: &[bool],
    ) -> Vec<Pair> {
        std::mem::swap(&mut self.boxes, &mut self.last);
        self.update(primitives, swept, origin);
        let elements = primitives.elements();
        let is_grown = |element: &Element| element.corners.iter().any(|&v| grown[v as usize]);
        let moved: Vec<u32> =
            (0..).zip(elements).filter(|(_, element)| is_grown(element)).map(|(own, _)| own).collect();
        let parts = parallel::map(moved.chunks(ELEMENTS).collect(), &|part: &[u32]| {
            let mut found = Vec::new();
            for &own in part {
                self.tree.overlapping_with(&self.elements[own as usize], |other| {
                    let [a, b] = [own, other].map(|k| &elements[k as usize]);
                    // Of two that have grown, the lower one finds the other.
                    let is_first = own < other || (own > other && !is_grown(b));
                    if is_first && primitives.are_kept_apart(a.corners[0], b.corners[0]) {
                        self.pairs_between([own, other], primitives, &mut |pair| {
                            if !self.last.overlap(pair) {
                                found.push(pair);
                            }
                        });
                    }
                });
            }
            found
        });
        parts.concat()
    }

    /// Edges and triangles without a common vertex whose boxes overlap at these positions.
    pub(super) fn edges_at_triangles(&mut self, primitives: &Primitives, x: &[Vec3]) -> Vec<Intersection> {
        let points: Vec<Bounds> = x.iter().map(|p| Bounds { min: *p, max: *p }).collect();
        self.update(primitives, &points, middle(x));
        let boxes = &self.boxes;
        self.pairs_of_elements(primitives, &|both, found| {
            let [a, b] = both.map(|k| &primitives.elements()[k as usize]);
            for [with_edges, at] in [[a, b], [b, a]] {
                let Some(triangle) = at.triangle() else { continue };
                for edge in with_edges.edges() {
                    let ends = primitives.edges()[edge as usize];
                    let apart = !primitives.are_joined(&ends, &at.corners);
                    if apart && boxes.edges[edge as usize].overlaps(&boxes.triangles[triangle as usize]) {
                        found.push(Intersection { edge: ends, triangle });
                    }
                }
            }
        })
    }

    fn update(&mut self, primitives: &Primitives, swept: &[Bounds], origin: Vec3) {
        self.boxes.update(primitives.edges(), primitives.triangles(), swept, origin);
        let Boxes { vertices, triangles, .. } = &self.boxes;
        self.elements.clear();
        self.elements.extend(primitives.elements().iter().map(|element| match element.triangle() {
            Some(triangle) => triangles[triangle as usize],
            None => vertices[element.corners[0] as usize].joined(vertices[element.corners[1] as usize]),
        }));
        self.tree.update(&self.elements);
    }

    /// What `work` finds for each two elements that are kept apart and whose boxes overlap.
    fn pairs_of_elements<T: Clone + Send>(
        &self,
        primitives: &Primitives,
        work: &(impl Fn([u32; 2], &mut Vec<T>) + Sync),
    ) -> Vec<T> {
        let (elements, leaves) = (primitives.elements(), self.tree.leaves());
        let parts = parallel::map((0..leaves.div_ceil(LEAVES)).collect(), &|part: usize| {
            let mut found = Vec::new();
            self.tree.overlapping(part * LEAVES..leaves.min((part + 1) * LEAVES), |a, b| {
                let corner = |k: u32| elements[k as usize].corners[0];
                if primitives.are_kept_apart(corner(a), corner(b)) {
                    work([a, b], &mut found);
                }
            });
            found
        });
        parts.concat()
    }

    /// The pairs without a common vertex that two elements stand for and whose boxes overlap.
    #[inline]
    fn pairs_between(&self, [a, b]: [u32; 2], primitives: &Primitives, found: &mut impl FnMut(Pair)) {
        let (boxes, elements) = (&self.boxes, primitives.elements());
        for [with_vertices, at] in [[a, b], [b, a]] {
            let (element, bounds) = (&elements[at as usize], &self.elements[at as usize]);
            let Some(triangle) = element.triangle() else { continue };
            for vertex in elements[with_vertices as usize].vertices() {
                if boxes.vertices[vertex as usize].overlaps(bounds)
                    && !primitives.are_joined(&[vertex], &element.corners)
                {
                    found(Pair::VertexTriangle(vertex, triangle));
                }
            }
        }
        for first in elements[a as usize].edges() {
            let own = &boxes.edges[first as usize];
            if !own.overlaps(&self.elements[b as usize]) {
                continue;
            }
            for second in elements[b as usize].edges() {
                if boxes.edges[second as usize].overlaps(own) {
                    let (ends, others) = (primitives.edges()[first as usize], primitives.edges()[second as usize]);
                    if !primitives.are_joined(&ends, &others) {
                        found(Pair::EdgeEdge(first.min(second), first.max(second)));
                    }
                }
            }
        }
    }
}

pub(super) fn joined(a: Bounds, b: Bounds) -> Bounds {
    Bounds { min: a.min.min(b.min), max: a.max.max(b.max) }
}

/// The middle of all points.
pub(super) fn middle(x: &[Vec3]) -> Vec3 {
    Bounds::around(x).map_or(Vec3::ZERO, |bounds| bounds.centre())
}

/// Boxes around the ways of vertices, grown by half the distance.
pub(super) fn sweep(swept: &mut Vec<Bounds>, from: &[Vec3], to: &[Vec3], distance: f64) {
    let reach = Vec3::splat(0.5 * distance);
    swept.clear();
    swept.extend(from.iter().zip(to).map(|(a, b)| Bounds { min: a.min(*b) - reach, max: a.max(*b) + reach }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proximity::tests_support::{crumpled, scattered};

    /// Whether the swept boxes of two sets of vertices, grown by half the distance each, overlap.
    fn meets(from: &[Vec3], to: &[Vec3], a: &[u32], b: &[u32], distance: f64) -> bool {
        let around = |vertices: &[u32]| {
            let ends = vertices.iter().flat_map(|&v| [from[v as usize], to[v as usize]]).collect::<Vec<_>>();
            Bounds::around(&ends).map_or((Vec3::ZERO, Vec3::ZERO), |bounds| (bounds.min, bounds.max))
        };
        let ((low, high), (other_low, other_high)) = (around(a), around(b));
        low.cmple(other_high + distance).all() && other_low.cmple(high + distance).all()
    }

    #[test]
    fn the_pairs_are_those_that_trying_all_finds() {
        let (primitives, from) = crumpled(6);
        let to: Vec<Vec3> = from.iter().zip(scattered(from.len())).map(|(p, q)| *p + 0.1 * (q - 0.5)).collect();
        let distance = 0.013;
        let mut expected = Vec::new();
        for &vertex in primitives.vertices() {
            for (t, corners) in primitives.triangles().iter().enumerate() {
                if !corners.contains(&vertex) && meets(&from, &to, &[vertex], corners, distance) {
                    expected.push(Pair::VertexTriangle(vertex, t as u32));
                }
            }
        }
        for (a, first) in primitives.edges().iter().enumerate() {
            for (b, second) in primitives.edges().iter().enumerate().skip(a + 1) {
                let apart = first.iter().all(|v| !second.contains(v));
                if apart && meets(&from, &to, first, second, distance) {
                    expected.push(Pair::EdgeEdge(a as u32, b as u32));
                }
            }
        }
        let mut candidates = Candidates::default();
        // A first call elsewhere leaves a tree that has to be refitted.
        candidates.find(&primitives, &to, &to, 0.0);
        let found = candidates.find(&primitives, &from, &to, distance);
        assert_eq!(found, expected);
        assert!(found.len() > 100 && found.is_sorted(), "{} pairs", found.len());
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn pairs_are_the_same_at_any_number_of_threads() {
        let (primitives, from) = crumpled(12);
        let find = || Candidates::default().find(&primitives, &from, &from, 0.02);
        let alone = find();
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            assert_eq!(pool.install(find), alone);
        }
    }
}
