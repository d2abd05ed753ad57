//! From `body.long_range` to threads between vertices and pins.

use pliant::constraint::{ConstraintBatch, LongRangeAttachments, ThreadLengths};
use pliant::mesh::Edge;

use super::shape::Shape;
use crate::fault::Fault;
use crate::format::{LongRangeSection, ThreadLengthsName};

/// Threads of a vertex that a scene may ask for: more take memory without end.
const MOST_THREADS: usize = 64;

/// Threads to the pinned vertices.
pub(super) fn long_range(
    section: &LongRangeSection,
    shape: &Shape,
    edges: &[Edge],
    points: &[u32],
) -> Result<Box<dyn ConstraintBatch>, Fault> {
    let standard = LongRangeAttachments::default();
    let per_vertex = section.points.unwrap_or(standard.per_vertex);
    if !(1..=MOST_THREADS).contains(&per_vertex) {
        let message = format!("points is {per_vertex}, but must be 1 to {MOST_THREADS}");
        return Err(Fault::new("points", message));
    }
    let slack = section.slack.unwrap_or(standard.slack);
    if !(slack >= 0.0 && slack.is_finite()) {
        return Err(Fault::new("slack", format!("slack is {slack}, but must be at least 0")));
    }
    if points.is_empty() {
        return Err(Fault::new("", "there is no pinned vertex to hang on").hint("pin some vertices of this body"));
    }
    let lengths = match section.lengths.unwrap_or_default() {
        ThreadLengthsName::Geodesic => ThreadLengths::Geodesic,
        ThreadLengthsName::Euclidean => ThreadLengths::Euclidean,
    };
    let triangles = match shape {
        Shape::Surface { mesh, .. } => &mesh.triangles[..],
        Shape::Solid { .. } | Shape::Strands(_) | Shape::Particles { .. } | Shape::Cells { .. } => &[],
    };
    let threads = LongRangeAttachments { lengths, per_vertex, slack };
    let threads = threads.threads(shape.positions(), edges, triangles, points);
    Ok(threads.map_err(|error| Fault::new("", error.to_string()))?.boxed())
}
