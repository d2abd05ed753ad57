//! Long-range attachments [Kim 2012; Bender 2014, §3.5, fig. 7]: threads hold each vertex within a distance of its
//! attachment points.
//!
//! ```text
//!   ■ attachment point
//!   ┊╲ ╲
//!   ● ┊ ┊     C = l − ‖x − a‖ ≥ 0
//!   ● ┊ ┊
//!   ●   ┊     l: the way from x to a over the rest surface
//!   ●
//! ```
//!
//! An iteration of a position-based solver carries an error from one edge to the next, so it takes many iterations
//! until the end of a long cloth feels its attachment. A thread connects them directly. Threads bind each vertex to its
//! attachment points only: edges between two vertices that both keep their distances may still be too long or too
//! short. With few iterations, a cloth then has the right length, but its edges are only as good as the solver makes
//! them: good at rest, bad while it swings, since each vertex is a pendulum of its own length.
//! [`StretchLevels`](crate::solve::StretchLevels) solve that.

use super::{Allowed, Bound, Constraint, ConstraintArrays, ConstraintBatch, ConstraintSet};
use crate::energy::EnergyError;
use crate::math::Vec3;
use crate::mesh::{Edge, MeshError, SourceDistance, TriangleMesh, nearest_sources};

const KIND: &str = "long_range";

/// How the length of threads is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThreadLengths {
    /// Along the surface at rest: see [`nearest_sources`]. A cloth with a bent or folded rest shape can unfold.
    #[default]
    Geodesic,
    /// The straight-line distance at rest. A folded rest shape stays folded.
    Euclidean,
}

/// Threads from every vertex to attachment points.
///
/// ```
/// use pliant::constraint::LongRangeAttachments;
/// use pliant::prelude::*;
/// let sheet = Sheet { columns: 4, rows: 40, width: 0.1, height: 1.0, ..Sheet::default() };
/// let (mesh, top) = (sheet.mesh()?, [sheet.vertex(0, 40), sheet.vertex(4, 40)]);
/// let threads = LongRangeAttachments::default().build(&mesh, &top)?;
/// let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.pin(top).with_constraints(threads);
/// let mut sim = Simulation::builder().body(cloth).solver(PositionBasedParams::default()).build()?;
/// for _ in 0..30 {
///     sim.step()?;
/// }
/// let length = sim.positions()[top[0] as usize].y - sim.positions()[sheet.vertex(0, 0) as usize].y;
/// assert!(length < 1.0 + 1e-6, "ten iterations keep its length");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LongRangeAttachments {
    /// How the length of threads is measured.
    pub lengths: ThreadLengths,
    /// Number of threads per vertex, to its nearest attachment points; `usize::MAX` for all.
    pub per_vertex: usize,
    /// Fraction by which threads are longer than this length, at least 0.
    pub slack: f64,
}

impl Default for LongRangeAttachments {
    /// One thread to the nearest attachment point over the surface, without slack.
    fn default() -> Self {
        Self { lengths: ThreadLengths::Geodesic, per_vertex: 1, slack: 0.0 }
    }
}

/// Keeps a vertex within a distance of an attachment point. Its vertices are that vertex, then the point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thread {
    /// Length \[m\].
    pub length: f64,
}

impl Constraint<2> for Thread {
    const KIND: &'static str = KIND;

    fn bound(&self, _row: usize) -> Bound {
        Bound::AtLeast
    }

    fn arrays<'a>(constraints: &[Self], compliances: &'a [f64]) -> ConstraintArrays<'a> {
        let lengths = constraints.iter().map(|thread| thread.length).collect();
        ConstraintArrays::BoundedDistance { lengths, allowed: vec![Allowed::AtMost; constraints.len()], compliances }
    }

    #[inline]
    fn evaluate(&self, _row: usize, [x, point]: &[Vec3; 2]) -> Option<(f64, [Vec3; 2])> {
        let thread = *point - *x;
        let length = thread.length();
        // A vertex at its attachment point is within every length.
        let towards = if length > 0.0 { thread / length } else { return None };
        Some((self.length - length, [towards, -towards]))
    }
}

impl LongRangeAttachments {
    /// Builds threads over a surface at rest, from all its other vertices to these.
    pub fn build(&self, mesh: &TriangleMesh, points: &[u32]) -> Result<Box<dyn ConstraintBatch>, EnergyError> {
        Ok(self.threads(&mesh.positions, &[], &mesh.triangles, points)?.boxed())
    }

    /// Builds threads over edges and triangles at rest: along strands, for example. Vertices that cannot be reached
    /// have none.
    pub fn threads(
        &self,
        rest: &[Vec3],
        edges: &[Edge],
        triangles: &[[u32; 3]],
        points: &[u32],
    ) -> Result<ConstraintSet<Thread, 2>, EnergyError> {
        let Self { lengths, per_vertex, slack } = *self;
        let refuse = |name, value, need| Err(EnergyError::BadParameter { kind: KIND, name, value, need });
        if !(slack >= 0.0 && slack.is_finite()) {
            return refuse("slack", slack, "finite and at least 0");
        }
        if per_vertex == 0 {
            return refuse("number of threads", 0.0, "at least 1");
        }
        let mut points = points.to_vec();
        points.sort_unstable();
        points.dedup();
        if points.is_empty() {
            return Err(MeshError::Empty { what: "attachment points" }.into());
        }
        if let Some((element, &vertex)) = points.iter().enumerate().find(|(_, v)| **v as usize >= rest.len()) {
            return Err(EnergyError::IndexOutOfRange { kind: KIND, element, vertex, count: rest.len() });
        }
        let near = match lengths {
            ThreadLengths::Geodesic => nearest_sources(rest, edges, triangles, &points, per_vertex)?,
            ThreadLengths::Euclidean => rest.iter().map(|p| straight(*p, rest, &points, per_vertex)).collect(),
        };
        let free = (0u32..).zip(near).filter(|(v, _)| points.binary_search(v).is_err());
        let threads = free.flat_map(|(v, near)| near.into_iter().map(move |near| (v, near)));
        let stretch = 1.0 + slack;
        ConstraintSet::new(threads.map(|(v, near)| ([v, near.source], Thread { length: stretch * near.distance }, 0.0)))
    }
}

/// The nearest points as the crow flies.
fn straight(p: Vec3, rest: &[Vec3], points: &[u32], count: usize) -> Vec<SourceDistance> {
    let distance = |&source: &u32| SourceDistance { source, distance: p.distance(rest[source as usize]) };
    let mut near: Vec<SourceDistance> = points.iter().map(distance).collect();
    let order = |a: &SourceDistance, b: &SourceDistance| {
        a.distance.total_cmp(&b.distance).then_with(|| a.source.cmp(&b.source))
    };
    if count < near.len() {
        near.select_nth_unstable_by(count, order);
        near.truncate(count);
    }
    near.sort_by(order);
    near
}
