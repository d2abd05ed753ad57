//! The surfaces and strands of a world as vertices, edges and triangles.

use std::ops::Range;

/// What can touch: every vertex, edge and triangle of the bodies' surfaces, and the segments of strands.
#[derive(Debug, Clone, Default)]
pub struct Primitives {
    vertices: Vec<u32>,
    edges: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
    /// Across each side of each triangle (first to second corner first) the third vertex of the neighbour; `NOBODY` at a rim.
    across: Vec<[u32; 3]>,
    /// Whether each edge is a segment of a strand.
    is_segment: Vec<bool>,
    /// Body of each vertex of the world.
    bodies: Vec<u32>,
    /// Whether a body is kept from itself.
    with_itself: Vec<bool>,
    /// For each vertex the one that it is welded to, or itself; empty where nothing is welded.
    welded: Vec<u32>,
    elements: Vec<Element>,
}

/// A triangle, a segment or a particle, with the vertices and edges that it stands for.
///
/// Every vertex and every edge has one element around it that stands for it. Where two of them are near, so are their elements: a look at
/// pairs of elements finds all pairs, each once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Element {
    /// A segment repeats its second vertex, a particle its only one.
    pub(super) corners: [u32; 3],
    /// The triangle; `NOBODY` for a segment.
    pub(super) triangle: u32,
    vertices: [u32; 3],
    edges: [u32; 3],
}

impl Element {
    pub(super) fn triangle(&self) -> Option<u32> {
        (self.triangle != NOBODY).then_some(self.triangle)
    }

    /// The vertices that it stands for.
    pub(super) fn vertices(&self) -> impl Iterator<Item = u32> {
        self.vertices.into_iter().take_while(|&v| v != NOBODY)
    }

    /// The edges that it stands for.
    pub(super) fn edges(&self) -> impl Iterator<Item = u32> {
        self.edges.into_iter().take_while(|&e| e != NOBODY)
    }

    fn stand_for(own: &mut [u32; 3], one: u32) {
        if let Some(place) = own.iter_mut().find(|place| **place == NOBODY) {
            *place = one;
        }
    }
}

/// The primitives of one body, in vertices of the world.
#[derive(Debug, Clone)]
pub struct Part<'a> {
    /// Its vertices.
    pub vertices: Range<usize>,
    /// Triangles of its surface.
    pub surface: &'a [[u32; 3]],
    /// Segments of its strands.
    pub segments: &'a [[u32; 2]],
    /// Whether it is kept from passing through itself.
    pub collides_with_itself: bool,
    /// Copies of pinned vertices, each with the vertex that it is a copy of.
    pub welded: &'a [[u32; 2]],
    /// Whether all its vertices are particles that touch triangles by themselves.
    pub has_particles: bool,
}

impl Primitives {
    /// The primitives of the bodies of a world.
    pub fn new<'a>(bodies: impl IntoIterator<Item: Into<Part<'a>>>) -> Self {
        let bodies: Vec<Part<'_>> = bodies.into_iter().map(Into::into).collect();
        let count = bodies.last().map_or(0, |body| body.vertices.end);
        let mut primitives = Self { bodies: vec![0; count], ..Self::default() };
        for (b, body) in bodies.iter().enumerate() {
            primitives.bodies[body.vertices.clone()].fill(b as u32);
            primitives.with_itself.push(body.collides_with_itself);
            primitives.triangles.extend_from_slice(body.surface);
            let sides = body.surface.iter().flat_map(|&triangle| sides(triangle));
            primitives.edges.extend(sides.chain(body.segments.iter().copied()).map(sorted));
        }
        if bodies.iter().any(|body| !body.welded.is_empty()) {
            primitives.welded = (0..count as u32).collect();
            // Ascending, so that the copy of a copy finds the first.
            for &[copy, of] in bodies.iter().flat_map(|body| body.welded) {
                primitives.welded[copy as usize] = primitives.welded[of as usize];
            }
        }
        primitives.edges.sort_unstable();
        primitives.edges.dedup();
        primitives.across = across(&primitives.triangles);
        let mut sides: Vec<[u32; 2]> = primitives.triangles.iter().flat_map(|t| sides(*t).map(sorted)).collect();
        sides.sort_unstable();
        primitives.is_segment = primitives.edges.iter().map(|edge| sides.binary_search(edge).is_err()).collect();
        let particles = bodies.iter().filter(|body| body.has_particles).flat_map(|body| body.vertices.clone());
        let particles: Vec<u32> = particles.map(|v| v as u32).collect();
        primitives.vertices = primitives.edges.iter().flatten().chain(&particles).copied().collect();
        primitives.vertices.sort_unstable();
        primitives.vertices.dedup();
        primitives.elements = elements(&primitives, &particles);
        primitives
    }

    /// Adds a body after all others, of which none has particles: the same as if all were given at once.
    pub(crate) fn push(&mut self, body: &Part<'_>) {
        let (base, end) = (body.vertices.start as u32, body.vertices.end as u32);
        let within = |corners: &[u32]| corners.iter().map(|v| v - base).collect::<Vec<u32>>();
        let local = |corners: &[[u32; 2]]| within(corners.as_flattened()).as_chunks::<2>().0.to_vec();
        let own = Self::new([Part {
            vertices: 0..body.vertices.len(),
            surface: within(body.surface.as_flattened()).as_chunks::<3>().0,
            segments: &local(body.segments),
            welded: &local(body.welded),
            ..body.clone()
        }]);
        let (triangles, edges) = (self.triangles.len(), self.edges.len() as u32);
        let later = |list: &mut [u32], by: u32| list.iter_mut().filter(|v| **v != NOBODY).for_each(|v| *v += by);
        let Self { mut vertices, edges: mut own_edges, triangles: mut surface, mut across, mut elements, .. } = own;
        later(&mut vertices, base);
        later(own_edges.as_flattened_mut(), base);
        later(surface.as_flattened_mut(), base);
        later(across.as_flattened_mut(), base);
        for element in &mut elements {
            later(&mut element.corners, base);
            later(std::slice::from_mut(&mut element.triangle), triangles as u32);
            later(&mut element.vertices, base);
            later(&mut element.edges, edges);
        }
        if !own.welded.is_empty() || !self.welded.is_empty() {
            self.welded.extend(self.welded.len() as u32..base);
            let mut welded = own.welded;
            welded.extend(welded.len() as u32..body.vertices.len() as u32);
            self.welded.extend(welded.iter().map(|v| v + base));
        }
        let number = self.with_itself.len() as u32;
        self.bodies.resize(end as usize, number);
        self.with_itself.extend(own.with_itself);
        self.is_segment.extend(own.is_segment);
        self.vertices.append(&mut vertices);
        self.edges.append(&mut own_edges);
        // Triangles come before segments.
        let segments = elements.split_off(surface.len());
        self.elements.splice(triangles..triangles, elements);
        self.elements.extend(segments);
        self.triangles.append(&mut surface);
        self.across.append(&mut across);
    }

    /// Vertices, ascending.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Edges, ascending, each once.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Triangles, body by body.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Triangles and segments.
    pub(super) fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// Across each side of a triangle the third vertex of its neighbour, where there is one.
    pub fn across(&self, triangle: u32) -> [Option<u32>; 3] {
        self.across[triangle as usize].map(|v| (v != NOBODY).then_some(v))
    }

    /// Whether an edge is a segment of a strand and no side of a triangle.
    pub fn is_segment(&self, edge: u32) -> bool {
        self.is_segment[edge as usize]
    }

    /// Body of a vertex.
    pub fn body(&self, vertex: u32) -> u32 {
        self.bodies[vertex as usize]
    }

    /// Whether two sets of vertices have one in common, or two that are welded to each other.
    #[inline]
    pub(super) fn are_joined(&self, a: &[u32], b: &[u32]) -> bool {
        if a.iter().any(|v| b.contains(v)) {
            return true;
        }
        let place = |v: &u32| self.welded[*v as usize];
        !self.welded.is_empty() && a.iter().any(|v| b.iter().any(|other| place(v) == place(other)))
    }

    /// Whether two vertices belong to bodies that are kept apart.
    pub fn are_kept_apart(&self, a: u32, b: u32) -> bool {
        let body = self.body(a);
        body != self.body(b) || self.with_itself[body as usize]
    }
}

const NOBODY: u32 = u32::MAX;

fn sides([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// The third vertices of neighbours; of a side with three or more triangles, none.
fn across(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut all: Vec<([u32; 2], usize, usize)> = Vec::with_capacity(3 * triangles.len());
    for (t, &triangle) in triangles.iter().enumerate() {
        all.extend(sides(triangle).into_iter().enumerate().map(|(side, edge)| (sorted(edge), t, side)));
    }
    all.sort_unstable();
    let mut across = vec![[NOBODY; 3]; triangles.len()];
    for sharing in all.chunk_by(|a, b| a.0 == b.0) {
        if let &[(_, t, side), (_, other, other_side)] = sharing {
            across[t][side] = triangles[other][(other_side + 2) % 3];
            across[other][other_side] = triangles[t][(side + 2) % 3];
        }
    }
    across
}

/// Triangles, segments and particles, each with those vertices and edges that none before it has.
fn elements(primitives: &Primitives, particles: &[u32]) -> Vec<Element> {
    let element = |triangle, corners| Element { corners, triangle, vertices: [NOBODY; 3], edges: [NOBODY; 3] };
    let triangles = (0..).zip(&primitives.triangles).map(|(t, corners)| element(t, *corners));
    let segments = primitives.edges.iter().zip(&primitives.is_segment).filter(|(_, is_segment)| **is_segment);
    let segments = segments.map(|(&[a, b], _)| element(NOBODY, [a, b, b]));
    let particles = particles.iter().map(|&v| element(NOBODY, [v; 3]));
    let mut elements: Vec<Element> = triangles.chain(segments).chain(particles).collect();
    let mut with_edge = vec![false; primitives.edges.len()];
    let mut with_vertex = vec![false; primitives.bodies.len()];
    for element in &mut elements {
        for side in sides(element.corners).map(sorted) {
            // A segment's repeated vertex makes no edge.
            let Ok(edge) = primitives.edges.binary_search(&side) else { continue };
            if !std::mem::replace(&mut with_edge[edge], true) {
                Element::stand_for(&mut element.edges, edge as u32);
            }
        }
        for vertex in element.corners {
            if !std::mem::replace(&mut with_vertex[vertex as usize], true) {
                Element::stand_for(&mut element.vertices, vertex);
            }
        }
    }
    elements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_edges_are_listed_once_and_segments_are_edges() {
        let body = |vertices, surface, segments| Part {
            vertices,
            surface,
            segments,
            collides_with_itself: true,
            welded: &[],
            has_particles: false,
        };
        let square = body(0..4, &[[0, 1, 2], [0, 2, 3]][..], &[][..]);
        let rope = body(4..8, &[], &[[4, 5], [6, 5]]);
        let primitives = Primitives::new([square, rope]);
        assert_eq!(primitives.edges(), [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3], [4, 5], [5, 6]]);
        assert_eq!(primitives.vertices(), [0, 1, 2, 3, 4, 5, 6], "vertex 7 touches nothing");
        assert_eq!(primitives.across(0), [None, None, Some(3)]);
        assert_eq!(primitives.across(1), [Some(1), None, None]);
        assert!(primitives.is_segment(5) && !primitives.is_segment(1));
        assert_eq!((primitives.body(3), primitives.body(4)), (0, 1));
        let mut stood_for = (Vec::new(), Vec::new());
        for element in primitives.elements() {
            stood_for.0.extend(element.vertices().inspect(|v| assert!(element.corners.contains(v))));
            stood_for.1.extend(element.edges());
        }
        stood_for.0.sort_unstable();
        stood_for.1.sort_unstable();
        assert_eq!(stood_for, ((0..7).collect(), (0..7).collect()), "each vertex and edge once");
    }

    #[test]
    fn a_body_that_is_added_later_is_as_if_it_had_been_there() {
        let part = |vertices, surface, segments, welded| Part {
            vertices,
            surface,
            segments,
            collides_with_itself: false,
            welded,
            has_particles: false,
        };
        let parts = [
            part(0..4, &[[0, 1, 2], [0, 2, 3]][..], &[][..], &[][..]),
            part(4..8, &[], &[[4, 5], [6, 5]], &[]),
            part(8..13, &[[8, 9, 10], [10, 9, 11]], &[[11, 12]], &[[11, 8], [12, 11]]),
            part(13..16, &[[13, 15, 14]], &[], &[]),
        ];
        for first in 1..4 {
            let mut grown = Primitives::new(parts[..first].iter().cloned());
            parts[first..].iter().for_each(|part| grown.push(part));
            let built = Primitives::new(parts.iter().cloned());
            assert_eq!(format!("{grown:?}"), format!("{built:?}"), "{first} at first");
        }
    }
}
