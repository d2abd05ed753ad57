//! Polygons into triangles.

use pliant::math::Vec3;

/// Ears are clipped up to this many corners: the search grows with their cube, and larger faces in files are caps that
/// are convex or hopeless.
const MOST_CORNERS: usize = 64;

/// Corners that a face may have at most: its first corner then has as many triangles around it, which what is done with a mesh takes the square
/// of in time and memory.
pub(super) const MOST_CORNERS_OF_A_FACE: usize = 10_000;

/// How a polygon was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// The triangles cover the polygon.
    Covered,
    /// The polygon crosses itself, has no plane or too many corners: a fan from its first corner.
    Guessed,
}

/// Cuts a polygon of three or more corners into triangles of local corner numbers, wound as it is.
pub(super) fn triangulate(corners: &[Vec3], triangles: &mut Vec<[usize; 3]>) -> Cut {
    triangles.clear();
    let count = corners.len();
    let fan = |triangles: &mut Vec<[usize; 3]>| triangles.extend((2..count).map(|i| [0, i - 1, i]));
    if count <= 3 {
        fan(triangles);
        return Cut::Covered;
    }
    let flat = flatten(corners);
    let strictly_convex = (0..count).all(|i| turn(flat[i], flat[(i + 1) % count], flat[(i + 2) % count]) > 0.0);
    if strictly_convex {
        fan(triangles);
        return Cut::Covered;
    }
    if count > MOST_CORNERS {
        fan(triangles);
        return Cut::Guessed;
    }
    let mut left: Vec<usize> = (0..count).collect();
    while left.len() > 3 {
        let size = left.len();
        let around = |i: usize| [left[(i + size - 1) % size], left[i], left[(i + 1) % size]];
        let Some(ear) = (0..size).find(|&i| is_ear(&flat, &left, around(i))) else {
            triangles.clear();
            fan(triangles);
            return Cut::Guessed;
        };
        triangles.push(around(ear));
        left.remove(ear);
    }
    triangles.push([left[0], left[1], left[2]]);
    Cut::Covered
}

/// The corners seen from the side that the polygon's normal points to, so that it runs counter-clockwise.
fn flatten(corners: &[Vec3]) -> Vec<[f64; 2]> {
    let origin = corners[0];
    let mut normal = Vec3::ZERO;
    for i in 0..corners.len() {
        normal += (corners[i] - origin).cross(corners[(i + 1) % corners.len()] - origin);
    }
    let size = normal.abs();
    corners
        .iter()
        .map(|&corner| {
            let p = corner - origin;
            if size.z >= size.x && size.z >= size.y {
                [p.x * normal.z.signum(), p.y]
            } else if size.y >= size.x {
                [p.z * normal.y.signum(), p.x]
            } else {
                [p.y * normal.x.signum(), p.z]
            }
        })
        .collect()
}

/// Twice the signed area of a triangle in the plane.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn is_ear(flat: &[[f64; 2]], left: &[usize], [a, b, c]: [usize; 3]) -> bool {
    let corners = [flat[a], flat[b], flat[c]];
    let [p, q, r] = corners;
    let covers = |point: [f64; 2]| turn(p, q, point) >= 0.0 && turn(q, r, point) >= 0.0 && turn(r, p, point) >= 0.0;
    // Corners of a bridge to a hole coincide with others and block nothing.
    let blocks = |&vertex: &usize| !corners.contains(&flat[vertex]) && covers(flat[vertex]);
    turn(p, q, r) > 0.0 && !left.iter().any(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(corners: &[Vec3], triangles: &[[usize; 3]]) -> f64 {
        let doubled = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|i| corners[i]);
            (b - a).cross(c - a).length()
        };
        triangles.iter().map(doubled).sum::<f64>() / 2.0
    }

    #[test]
    fn concave_polygons_are_covered_exactly() {
        // An L of area 3, in three planes and both windings.
        let flat = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let planes: [fn([f64; 2]) -> Vec3; 3] =
            [|[x, y]| Vec3::new(x, y, 5.0), |[x, y]| Vec3::new(x, -1.0, y), |[x, y]| Vec3::new(0.0, x, y)];
        let mut triangles = Vec::new();
        for plane in planes {
            let mut corners: Vec<Vec3> = flat.iter().copied().map(plane).collect();
            for _ in 0..2 {
                for _ in 0..6 {
                    corners.rotate_left(1);
                    assert_eq!(triangulate(&corners, &mut triangles), Cut::Covered);
                    assert_eq!(triangles.len(), 4);
                    assert!((area(&corners, &triangles) - 3.0).abs() < 1e-12);
                }
                corners.reverse();
            }
        }
    }

    #[test]
    fn hopeless_polygons_become_fans() {
        let mut triangles = Vec::new();
        assert_eq!(triangulate(&[Vec3::ZERO; 5], &mut triangles), Cut::Guessed);
        assert_eq!(triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
        let wild: Vec<Vec3> = (0..1000).map(|i| Vec3::splat(1e308) * f64::from(i % 3 - 1)).collect();
        assert_eq!(triangulate(&wild, &mut triangles), Cut::Guessed);
        assert_eq!(triangles.len(), 998);
    }
}
