//! The surfaces and strands of a world as vertices, edges and triangles.

use crate::model::BodyInfo;

/// What can touch: every vertex, edge and triangle of the bodies' surfaces, and the segments of strands.
#[derive(Debug, Clone, Default)]
pub struct Primitives {
    vertices: Vec<u32>,
    edges: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
    /// Body of each vertex of the world.
    bodies: Vec<u32>,
    /// Whether a body is kept from itself.
    with_itself: Vec<bool>,
}

impl Primitives {
    /// Those of the bodies of a world.
    pub fn new(bodies: &[BodyInfo]) -> Self {
        let count = bodies.last().map_or(0, |body| body.vertices.end);
        let mut primitives = Self { bodies: vec![0; count], ..Self::default() };
        for (b, body) in bodies.iter().enumerate() {
            primitives.bodies[body.vertices.clone()].fill(b as u32);
            primitives.with_itself.push(body.collides_with_itself);
            primitives.triangles.extend_from_slice(&body.surface);
            let sides = body.surface.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
            let sides = sides.chain(body.segments.iter().copied());
            primitives.edges.extend(sides.map(|[a, b]| [a.min(b), a.max(b)]));
        }
        primitives.edges.sort_unstable();
        primitives.edges.dedup();
        primitives.vertices = primitives.edges.iter().flatten().copied().collect();
        primitives.vertices.sort_unstable();
        primitives.vertices.dedup();
        primitives
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

    /// Body of a vertex.
    pub(crate) fn body(&self, vertex: u32) -> u32 {
        self.bodies[vertex as usize]
    }

    /// Whether two vertices belong to bodies that are kept apart.
    pub(crate) fn are_kept_apart(&self, a: u32, b: u32) -> bool {
        let body = self.body(a);
        body != self.body(b) || self.with_itself[body as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_edges_are_listed_once_and_segments_are_edges() {
        let body = |name: &str, vertices, surface, segments| BodyInfo {
            name: name.to_owned(),
            vertices,
            surface,
            segments,
            pressure: 0.0,
            collides_with_itself: true,
        };
        let square = body("square", 0..4, vec![[0, 1, 2], [0, 2, 3]], vec![]);
        let rope = body("rope", 4..8, vec![], vec![[4, 5], [6, 5]]);
        let primitives = Primitives::new(&[square, rope]);
        assert_eq!(primitives.edges(), [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3], [4, 5], [5, 6]]);
        assert_eq!(primitives.vertices(), [0, 1, 2, 3, 4, 5, 6], "vertex 7 touches nothing");
        assert_eq!((primitives.body(3), primitives.body(4)), (0, 1));
    }
}
