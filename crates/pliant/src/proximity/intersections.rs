//! Which edges pass through which triangles, by exact predicates: the test for everything that keeps surfaces apart.

use robust::{Coord3D, orient3d};

use super::{Candidates, Primitives};
use crate::math::Vec3;

/// An edge that passes through a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Intersection {
    /// The ends of the edge, vertices of the world.
    pub edge: [u32; 2],
    /// The triangle among [`Primitives::triangles`].
    pub triangle: u32,
}

/// All edges that pass through or end on triangles at these positions, ascending. Edges in the plane of a triangle do not count;
/// neither do pairs with a common vertex, nor those within a body that does not collide with itself.
///
/// If two triangles intersect, an edge of one passes through the other, so no intersection is missed.
///
/// ```
/// use pliant::prelude::*;
/// use pliant::proximity::{Primitives, intersections};
/// let sheet = Sheet { columns: 2, rows: 2, ..Sheet::default() }.mesh()?;
/// let body = |name: &str| Ok::<_, pliant::ModelError>(Body::cloth(&sheet, &ClothMaterial::default())?.named(name));
/// let sim = Simulation::builder().body(body("one")?).body(body("other")?).build()?;
/// let primitives = Primitives::new(sim.model().bodies());
/// let tilted = Mat3::from_rotation_x(1.0);
/// let mut x = sim.positions().to_vec();
/// x[9..].iter_mut().for_each(|p| *p = tilted * *p + Vec3::X * 0.1);
/// assert!(!intersections(&primitives, &x).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn intersections(primitives: &Primitives, x: &[Vec3]) -> Vec<Intersection> {
    let mut found = Candidates::default().edges_at_triangles(primitives, x);
    found.retain(|pair| {
        let corners = primitives.triangles()[pair.triangle as usize];
        passes_through(pair.edge.map(|v| x[v as usize]), corners.map(|v| x[v as usize]))
    });
    found.sort_unstable();
    found
}

/// Whether the ends of an edge lie on different sides of a triangle, or one of them on it, and the line through them passes inside.
fn passes_through([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let point = |v: Vec3| Coord3D { x: v.x, y: v.y, z: v.z };
    let side = |a: Vec3, b: Vec3, c: Vec3, d: Vec3| orient3d(point(a), point(b), point(c), point(d));
    let (u, v) = (side(a, b, c, p), side(a, b, c, q));
    let apart = (u >= 0.0 && v <= 0.0) || (u <= 0.0 && v >= 0.0);
    if !apart || (u == 0.0 && v == 0.0) {
        return false;
    }
    let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    // A line through a side or a corner of the triangle touches it: the surface continues there.
    around.iter().all(|s| *s >= 0.0) || around.iter().all(|s| *s <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proximity::tests_support::{crumpled, flat};

    const TRIANGLE: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

    #[test]
    fn an_edge_passes_through_only_if_its_ends_are_on_both_sides_and_it_goes_inside() {
        let at = |x: f64, y: f64, low: f64, high: f64| {
            passes_through([Vec3::new(x, y, low), Vec3::new(x, y, high)], TRIANGLE)
        };
        assert!(at(0.2, 0.2, -1.0, 1.0) && at(0.2, 0.2, 1.0, -1e-300));
        assert!(!at(0.2, 0.2, 1e-300, 1.0), "above it");
        assert!(at(0.2, 0.2, 0.0, 1.0), "an end on it");
        assert!(!at(0.2, 0.2, 0.0, 0.0), "in its plane");
        assert!(!at(0.8, 0.8, -1.0, 1.0) && !at(-1e-9, 0.5, -1.0, 1.0), "beside it");
        assert!(at(0.0, 0.5, -1.0, 1.0), "through a side");
        assert!(!passes_through([Vec3::ZERO, Vec3::X], [Vec3::ZERO; 3]), "nothing to pass through");
        assert!(!passes_through([Vec3::NAN, Vec3::X], TRIANGLE));
    }

    #[test]
    fn the_predicate_is_exact_where_plain_arithmetic_is_not() {
        // The end is one rounding step off the plane of the triangle.
        let triangle = [Vec3::new(1e3, 0.1, 0.3), Vec3::new(-1e3, 0.7, 0.3), Vec3::new(0.0, -1e3, 0.3)];
        let end = |z: f64| Vec3::new(0.1, 0.2, z);
        let (below, above) = (0.3_f64.next_down(), 0.3_f64.next_up());
        assert!(passes_through([end(below), end(above)], triangle));
        assert!(!passes_through([end(above), end(above.next_up())], triangle));
    }

    #[test]
    fn flat_cloth_has_none_and_crossed_layers_have_what_trying_all_finds() {
        let (primitives, mut x) = flat(5);
        assert_eq!(intersections(&primitives, &x), []);
        let (_, other) = crumpled(5);
        x.clone_from(&other);
        x.iter_mut().enumerate().for_each(|(i, p)| p.z += if i % 2 == 0 { 0.2 } else { -0.2 });
        let mut expected = Vec::new();
        for &edge in primitives.edges() {
            for (t, corners) in (0u32..).zip(primitives.triangles()) {
                let common = edge.iter().any(|v| corners.contains(v));
                if !common && passes_through(edge.map(|v| x[v as usize]), corners.map(|v| x[v as usize])) {
                    expected.push(Intersection { edge, triangle: t });
                }
            }
        }
        assert!(!expected.is_empty());
        assert_eq!(intersections(&primitives, &x), expected);
    }
}
