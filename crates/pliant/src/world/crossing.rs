//! Where surfaces pass through each other, with body names and vertex numbers that users know.

use super::model::BodyInfo;
use crate::proximity::{Intersection, Primitives};

/// An edge of one body that passes through a triangle of another or the same body; numbers are those within the bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crossing {
    /// Body of the edge.
    pub edge_body: String,
    /// Ends of the edge, as vertices of that body.
    pub edge: [usize; 2],
    /// Body of the triangle.
    pub triangle_body: String,
    /// Number of the triangle within its body's surface.
    pub triangle: usize,
}

impl Crossing {
    pub(crate) fn new(primitives: &Primitives, bodies: &[BodyInfo], found: &Intersection) -> Self {
        let body_of = |v: u32| primitives.body(v) as usize;
        let corner = primitives.triangles()[found.triangle as usize][0];
        let (edge_body, triangle_body) = (body_of(found.edge[0]), body_of(corner));
        let before: usize = bodies[..triangle_body].iter().map(|body| body.surface.len()).sum();
        Self {
            edge_body: bodies[edge_body].name.clone(),
            edge: found.edge.map(|v| v as usize - bodies[edge_body].vertices.start),
            triangle_body: bodies[triangle_body].name.clone(),
            triangle: found.triangle as usize - before,
        }
    }
}

impl std::fmt::Display for Crossing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b] = self.edge;
        write!(f, "edge {a}–{b} of {:?} through triangle {} of {:?}", self.edge_body, self.triangle, self.triangle_body)
    }
}

/// The first few of a list of crossings.
pub(crate) fn first_crossings(crossings: &[Crossing]) -> String {
    let named: Vec<String> = crossings.iter().take(3).map(ToString::to_string).collect();
    let more = if crossings.len() > 3 { ", …" } else { "" };
    named.join(", ") + more
}
