//! Pairs whose swept boxes overlap: the broad phase.

use super::tree::Tree;
use super::{Intersection, Pair, Primitives};
use crate::math::Vec3;
use crate::mesh::Bounds;
use crate::parallel;

/// Queries that a thread takes at a time.
const QUERIES: usize = 64;

/// Finds pairs that may come near each other. Keeps its trees from call to call.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    triangles: Tree,
    edges: Tree,
    vertex_boxes: Vec<Bounds>,
    triangle_boxes: Vec<Bounds>,
    edge_boxes: Vec<Bounds>,
}

impl Candidates {
    /// All pairs that could be nearer to each other than `distance` while vertices move from `from` to `to`, or anywhere between;
    /// ascending, vertices with triangles first. Pairs with a common vertex, and those within a body that does not
    /// collide with itself, are left out.
    pub fn find(&mut self, primitives: &Primitives, from: &[Vec3], to: &[Vec3], distance: f64) -> Vec<Pair> {
        let reach = Vec3::splat(0.5 * distance);
        self.vertex_boxes.clear();
        let swept = |(a, b): (&Vec3, &Vec3)| Bounds { min: a.min(*b) - reach, max: a.max(*b) + reach };
        self.vertex_boxes.extend(from.iter().zip(to).map(swept));
        around(&mut self.triangle_boxes, primitives.triangles(), &self.vertex_boxes);
        around(&mut self.edge_boxes, primitives.edges(), &self.vertex_boxes);
        let Self { triangles, edges, vertex_boxes, triangle_boxes, edge_boxes } = self;
        parallel::join(|| triangles.update(triangle_boxes), || edges.update(edge_boxes));
        let vertices = primitives.vertices();
        let mut pairs = queries(vertices.len(), &|k, found| {
            let vertex = vertices[k];
            triangles.overlapping(&vertex_boxes[vertex as usize], triangle_boxes, |triangle| {
                let corners = primitives.triangles()[triangle as usize];
                if !corners.contains(&vertex) && primitives.are_kept_apart(vertex, corners[0]) {
                    found.push(Pair::VertexTriangle(vertex, triangle));
                }
            });
        });
        pairs.append(&mut queries(primitives.edges().len(), &|first, found| {
            let ends = primitives.edges()[first];
            edges.overlapping(&edge_boxes[first], edge_boxes, |second| {
                let others = primitives.edges()[second as usize];
                let apart =
                    ends.iter().all(|end| !others.contains(end)) && primitives.are_kept_apart(ends[0], others[0]);
                if first < second as usize && apart {
                    found.push(Pair::EdgeEdge(first as u32, second));
                }
            });
        }));
        pairs
    }
}

impl Candidates {
    /// Edges and triangles without a common vertex whose boxes overlap at these positions.
    pub(super) fn edges_at_triangles(&mut self, primitives: &Primitives, x: &[Vec3]) -> Vec<Intersection> {
        self.vertex_boxes.clear();
        self.vertex_boxes.extend(x.iter().map(|p| Bounds { min: *p, max: *p }));
        around(&mut self.triangle_boxes, primitives.triangles(), &self.vertex_boxes);
        around(&mut self.edge_boxes, primitives.edges(), &self.vertex_boxes);
        let Self { triangles, triangle_boxes, edge_boxes, .. } = self;
        triangles.update(triangle_boxes);
        queries(primitives.edges().len(), &|k, found| {
            let edge = primitives.edges()[k];
            triangles.overlapping(&edge_boxes[k], triangle_boxes, |triangle| {
                let corners = primitives.triangles()[triangle as usize];
                let apart = edge.iter().all(|v| !corners.contains(v)) && primitives.are_kept_apart(edge[0], corners[0]);
                if apart {
                    found.push(Intersection { edge, triangle });
                }
            });
        })
    }
}

/// Boxes around the boxes of vertices.
fn around<const N: usize>(boxes: &mut Vec<Bounds>, items: &[[u32; N]], vertices: &[Bounds]) {
    boxes.clear();
    boxes.extend(items.iter().map(|corners| {
        corners[1..]
            .iter()
            .map(|&v| vertices[v as usize])
            .fold(vertices[corners[0] as usize], |a, b| Bounds { min: a.min.min(b.min), max: a.max.max(b.max) })
    }));
}

/// What `query` finds for each of `count` items, in the order of items and sorted within each.
fn queries<T: Ord + Clone + Send>(count: usize, query: &(impl Fn(usize, &mut Vec<T>) + Sync)) -> Vec<T> {
    let parts = parallel::map((0..count.div_ceil(QUERIES)).collect(), &|part: usize| {
        let (mut all, mut own) = (Vec::new(), Vec::new());
        for item in part * QUERIES..count.min((part + 1) * QUERIES) {
            query(item, &mut own);
            own.sort_unstable();
            all.append(&mut own);
        }
        all
    });
    parts.concat()
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
