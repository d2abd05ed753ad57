//! The nearest sources of each vertex, and their distances over a surface.
//!
//! Vertices are processed in Dijkstra's order, with two kinds of steps from a vertex to the next. Along an edge,
//! lengths add up. Across a triangle, the source is placed in the triangle's plane, at its distances from two corners,
//! and its distance from the third is measured [Novotni 2002]:
//!
//! ```text
//!            c
//!           ╱│╲         d(c) = ‖c − s‖, if the line of sight from s to c
//!          ╱ │ ╲        leaves through ab
//!        a ──┼── b
//!         ╲  │  ╱
//!   d(a)   ╲ │ ╱   d(b)
//!            s
//! ```
//!
//! On a surface that can be laid flat, and without obstacles in between, distances are exact; paths along edges are too
//! long by up to 8 % on a sheet with both diagonals and 41 % with none. Behind corners of a hole they are slightly too
//! long. On surfaces that are curved in both directions the layout is an approximation, but never less than the
//! straight distance through space.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::placed::check_positions;
use super::{Csr, Edge, ElementKind, MeshError};
use crate::math::Vec3;
use crate::math::functions::hypot;

/// A source with its distance from a vertex \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceDistance {
    /// The source, a vertex.
    pub source: u32,
    /// Its distance over the surface \[m\].
    pub distance: f64,
}

/// Sources that a vertex keeps beside those asked for: a triangle is seen across only by a source that two of its corners know.
const SPARE: usize = 2;
/// A shorter way must be shorter by this fraction, or rounding would go round in circles.
const SHORTER: f64 = 1e-9;

/// A way of a given length from a source to a vertex.
#[derive(Clone, Copy, PartialEq)]
struct Way {
    distance: f64,
    source: u32,
    vertex: u32,
}

impl Eq for Way {}

impl Ord for Way {
    /// Reversed, since the heap gives out the greatest; ties are broken by numbers, so the order of input does not matter.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |way: &Self| (way.source, way.vertex);
        other.distance.total_cmp(&self.distance).then_with(|| key(other).cmp(&key(self)))
    }
}

impl PartialOrd for Way {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// For each vertex the `count` nearest sources, nearest first; fewer if fewer can be reached. The nearest source of a
/// source is itself.
///
/// Paths run along `edges`, along the edges of `triangles`, and across triangles.
///
/// ```
/// use pliant::mesh::{generate::Sheet, nearest_sources};
///
/// let sheet = Sheet { width: 3.0, height: 2.0, columns: 3, rows: 2, ..Sheet::default() };
/// let mesh = sheet.mesh()?;
/// let near = nearest_sources(&mesh.positions, &[], &mesh.triangles, &[sheet.vertex(0, 0)], 1)?;
/// let across = near[sheet.vertex(3, 2) as usize][0];
/// assert!((across.distance - 13f64.sqrt()).abs() < 1e-12, "straight across the sheet");
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
pub fn nearest_sources(
    positions: &[Vec3],
    edges: &[Edge],
    triangles: &[[u32; 3]],
    sources: &[u32],
    count: usize,
) -> Result<Vec<Vec<SourceDistance>>, MeshError> {
    check_positions(positions)?;
    if sources.is_empty() {
        return Err(MeshError::Empty { what: "sources" });
    }
    let within = |kind, element, vertex: u32| {
        let outside = MeshError::IndexOutOfRange { kind, element, vertex, count: positions.len() };
        if (vertex as usize) < positions.len() { Ok(()) } else { Err(outside) }
    };
    for (element, edge) in edges.iter().enumerate() {
        edge.iter().try_for_each(|&v| within(ElementKind::Edge, element, v))?;
    }
    for (element, triangle) in triangles.iter().enumerate() {
        triangle.iter().try_for_each(|&v| within(ElementKind::Triangle, element, v))?;
    }
    for (element, &source) in sources.iter().enumerate() {
        within(ElementKind::Source, element, source)?;
    }
    let mut search = Search::new(positions, edges, triangles, count.saturating_add(SPARE).min(sources.len()));
    sources.iter().for_each(|&source| search.heap.push(Way { distance: 0.0, source, vertex: source }));
    while let Some(way) = search.heap.pop() {
        search.settle(way);
    }
    let order = |a: &SourceDistance, b: &SourceDistance| {
        a.distance.total_cmp(&b.distance).then_with(|| a.source.cmp(&b.source))
    };
    for known in &mut search.known {
        known.sort_by(order);
        known.truncate(count);
    }
    Ok(search.known)
}

struct Search<'a> {
    positions: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    neighbours: Csr,
    fans: Csr,
    /// Sources that each vertex keeps.
    keep: usize,
    known: Vec<Vec<SourceDistance>>,
    heap: BinaryHeap<Way>,
}

impl<'a> Search<'a> {
    fn new(positions: &'a [Vec3], edges: &[Edge], triangles: &'a [[u32; 3]], keep: usize) -> Self {
        let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut pairs: Vec<(u32, u32)> =
            edges.iter().copied().chain(sides).flat_map(|[a, b]| [(a, b), (b, a)]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let corners = (0u32..).zip(triangles).flat_map(|(t, corners)| corners.map(|v| (v, t)));
        Self {
            positions,
            triangles,
            neighbours: Csr::from_pairs(positions.len(), pairs.iter().copied()),
            fans: Csr::from_pairs(positions.len(), corners),
            keep,
            known: vec![Vec::new(); positions.len()],
            heap: BinaryHeap::new(),
        }
    }

    fn known(&self, vertex: u32, source: u32) -> Option<f64> {
        self.known[vertex as usize].iter().find(|known| known.source == source).map(|known| known.distance)
    }

    /// Whether a vertex has use for a way.
    fn is_news(&self, way: &Way) -> bool {
        match self.known(way.vertex, way.source) {
            Some(distance) => way.distance < distance * (1.0 - SHORTER),
            None => self.known[way.vertex as usize].len() < self.keep,
        }
    }

    /// Takes a way if it is news, and goes on from its end.
    fn settle(&mut self, way: Way) {
        if !self.is_news(&way) {
            return;
        }
        let Way { distance, source, vertex } = way;
        let known = &mut self.known[vertex as usize];
        match known.iter_mut().find(|known| known.source == source) {
            Some(known) => known.distance = distance,
            None => known.push(SourceDistance { source, distance }),
        }
        let at = |v: u32| self.positions[v as usize];
        let mut found = Vec::new();
        for &next in self.neighbours.row(vertex as usize) {
            found.push(Way { distance: distance + at(vertex).distance(at(next)), source, vertex: next });
        }
        for &triangle in self.fans.row(vertex as usize) {
            let [a, b, c] = self.triangles[triangle as usize];
            let (b, c) = if vertex == a {
                (b, c)
            } else if vertex == b {
                (c, a)
            } else {
                (a, b)
            };
            for (side, beyond) in [(b, c), (c, b)] {
                let Some(other) = self.known(side, source) else { continue };
                let corners = [at(vertex), at(side), at(beyond)];
                if let Some(seen) = seen_across(corners, [distance, other]) {
                    let distance = seen.max(at(source).distance(at(beyond)));
                    found.push(Way { distance, source, vertex: beyond });
                }
            }
        }
        for way in found {
            if self.is_news(&way) {
                self.heap.push(way);
            }
        }
    }
}

/// How far c is from a point that is laid out at distances from a and b, on the other side of ab; none where the line of sight
/// passes beside ab.
fn seen_across([a, b, c]: [Vec3; 3], [from_a, from_b]: [f64; 2]) -> Option<f64> {
    let side = b - a;
    let length = side.length();
    if length <= 0.0 {
        return None;
    }
    let along = side / length;
    let (x, y) = ((c - a).dot(along), (c - a).reject_from_normalized(along).length());
    let source_x = (from_a * from_a - from_b * from_b + length * length) / (2.0 * length);
    let below_squared = from_a * from_a - source_x * source_x;
    // A source in line with ab, up to rounding.
    if y <= 0.0 || below_squared < -1e-12 * (from_a * from_a + length * length) {
        return None;
    }
    let below = below_squared.max(0.0).sqrt();
    let crossing = source_x + below / (below + y) * (x - source_x);
    let room = 1e-12 * length;
    (crossing >= -room && crossing <= length + room).then(|| hypot(x - source_x, y + below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Cylinder, Diagonals, Sheet};

    #[test]
    fn distances_on_a_flat_sheet_are_straight_whatever_its_diagonals() -> Result<(), MeshError> {
        for diagonals in [Diagonals::Alternating, Diagonals::Forward] {
            let sheet = Sheet { width: 2.0, height: 1.5, columns: 17, rows: 11, diagonals, ..Sheet::default() };
            let mesh = sheet.mesh()?;
            let sources = [sheet.vertex(3, 4), sheet.vertex(17, 0), sheet.vertex(0, 11)];
            let near = nearest_sources(&mesh.positions, &[], &mesh.triangles, &sources, 3)?;
            for (v, known) in near.iter().enumerate() {
                assert_eq!(known.len(), 3);
                for known in known {
                    let straight = mesh.positions[v].distance(mesh.positions[known.source as usize]);
                    assert!((known.distance - straight).abs() < 1e-9, "{v}: {} for {straight}", known.distance);
                }
            }
        }
        Ok(())
    }

    #[test]
    fn distances_around_a_cylinder_are_those_of_the_sheet_it_was_rolled_from() -> Result<(), MeshError> {
        let (segments, rings, radius, height) = (24, 10, 0.5, 1.0);
        let mesh = Cylinder { radius, height, segments, rings, ..Cylinder::default() }.mesh()?;
        let near = nearest_sources(&mesh.positions, &[], &mesh.triangles, &[0], 1)?;
        // Sides of the polygon, not of the circle.
        let side = 2.0 * radius * (std::f64::consts::PI / segments as f64).sin();
        let angle = |p: Vec3, q: Vec3| Vec3::new(p.x, 0.0, p.z).angle_between(Vec3::new(q.x, 0.0, q.z));
        let source = mesh.positions[0];
        for (p, known) in mesh.positions.iter().zip(&near) {
            let sides = (angle(*p, source) / std::f64::consts::TAU * segments as f64).round();
            // On the far side the two ways around meet.
            if sides < 11.0 {
                let flat = (sides * side).hypot(p.y - source.y);
                assert!((known[0].distance - flat).abs() <= 1e-12 * flat, "{p}: {} for {flat}", known[0].distance);
            }
        }
        Ok(())
    }

    #[test]
    fn what_is_behind_a_slot_is_reached_around_it() -> Result<(), MeshError> {
        // A sheet without the triangles between columns 5 and 6, but for the uppermost row.
        let sheet = Sheet { width: 1.0, height: 1.0, columns: 11, rows: 10, ..Sheet::default() };
        let mesh = sheet.mesh()?;
        let x = |v: u32| mesh.positions[v as usize].x;
        let top = mesh.positions.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
        let in_slot = |t: &[u32; 3]| {
            let middle = (x(t[0]) + x(t[1]) + x(t[2])) / 3.0;
            let height = t.iter().map(|&v| mesh.positions[v as usize].y).fold(f64::INFINITY, f64::min);
            middle.abs() < 0.5 / 11.0 && height < top - 0.11
        };
        let triangles: Vec<[u32; 3]> = mesh.triangles.iter().filter(|t| !in_slot(t)).copied().collect();
        assert!(triangles.len() < mesh.triangles.len());
        let (from, to) = (sheet.vertex(5, 0), sheet.vertex(6, 0));
        let near = nearest_sources(&mesh.positions, &[], &triangles, &[from], 1)?;
        let around = 0.9 + 1.0 / 11.0 + 0.9;
        let found = near[to as usize][0].distance;
        assert!((found - around).abs() < 1e-9, "{found} for {around}");
        Ok(())
    }

    #[test]
    fn what_cannot_be_reached_knows_no_source_and_bad_numbers_are_named() -> Result<(), MeshError> {
        let near = nearest_sources(&[Vec3::ZERO, Vec3::X], &[], &[], &[1], 4)?;
        assert!(near[0].is_empty() && near[1] == [SourceDistance { source: 1, distance: 0.0 }]);
        let error = nearest_sources(&[Vec3::ZERO], &[], &[], &[0, 5], 1);
        let expected = MeshError::IndexOutOfRange { kind: ElementKind::Source, element: 1, vertex: 5, count: 1 };
        assert_eq!(error, Err(expected));
        Ok(())
    }
}
