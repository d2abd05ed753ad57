//! Closest points of a vertex and a triangle, and of two edges.

use crate::math::Vec3;

/// The closest points of two sides as weights on their corners.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Weights of the four corners: they add up to 1 on the first side and to −1 on the second, so that Σ weight·x is
    /// the vector from the second side's closest point to the first's.
    pub weights: [f64; 4],
    /// That vector \[m\].
    pub offset: Vec3,
}

impl Closest {
    /// Distance between the sides \[m\].
    pub fn distance(&self) -> f64 {
        self.offset.length()
    }

    fn nearer(self, other: Self) -> Self {
        if other.offset.length_squared() < self.offset.length_squared() { other } else { self }
    }
}

/// Sine squared of the angle between two directions below which their cross product says little.
const NEARLY_PARALLEL: f64 = 1e-10;

/// Place of the point of a segment nearest to p, as a fraction of it; 0 for a segment without length.
fn nearest_fraction(p: Vec3, [a, b]: [Vec3; 2]) -> f64 {
    let (along, length_squared) = ((p - a).dot(b - a), (b - a).length_squared());
    if length_squared > 0.0 { (along / length_squared).clamp(0.0, 1.0) } else { 0.0 }
}

/// Closest points of a vertex and a triangle, which may have no area.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::proximity::closest_vertex_triangle;
/// let closest = closest_vertex_triangle(Vec3::new(0.25, 0.25, 2.0), [Vec3::ZERO, Vec3::X, Vec3::Y]);
/// assert_eq!((closest.distance(), closest.weights), (2.0, [1.0, -0.5, -0.25, -0.25]));
/// ```
pub fn closest_vertex_triangle(p: Vec3, [a, b, c]: [Vec3; 3]) -> Closest {
    let at = |u: f64, v: f64, w: f64| {
        // Differences first: the offset of a near point must not drown in the rounding of its position.
        let offset = (p - a) * u + (p - b) * v + (p - c) * w;
        Closest { weights: [1.0, -u, -v, -w], offset }
    };
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (bb, cc, bc) = (ab.length_squared(), ac.length_squared(), ab.dot(ac));
    let (pb, pc) = (ap.dot(ab), ap.dot(ac));
    let area_squared = bb * cc - bc * bc;
    if area_squared > NEARLY_PARALLEL * bb * cc {
        let (v, w) = ((cc * pb - bc * pc) / area_squared, (bb * pc - bc * pb) / area_squared);
        if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
            return at(1.0 - v - w, v, w);
        }
    }
    // Outside of the triangle, or a triangle without inside: the nearest point is on a side.
    let (t, s, r) = (nearest_fraction(p, [a, b]), nearest_fraction(p, [b, c]), nearest_fraction(p, [c, a]));
    at(1.0 - t, t, 0.0).nearer(at(0.0, 1.0 - s, s)).nearer(at(r, 0.0, 1.0 - r))
}

/// Closest points of two edges, which may be parallel or have no length.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::proximity::closest_edge_edge;
/// let closest = closest_edge_edge([-Vec3::X, Vec3::X], [Vec3::Z - Vec3::Y, Vec3::Z + 3.0 * Vec3::Y]);
/// assert_eq!((closest.distance(), closest.weights), (1.0, [0.5, 0.5, -0.75, -0.25]));
/// ```
pub fn closest_edge_edge([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> Closest {
    let at = |s: f64, t: f64| {
        let offset = (a - c) * (1.0 - s) + (b - c) * s + (c - d) * t;
        Closest { weights: [1.0 - s, s, t - 1.0, -t], offset }
    };
    let (first, second, between) = (b - a, d - c, a - c);
    let (ff, ss, fs) = (first.length_squared(), second.length_squared(), first.dot(second));
    let (fb, sb) = (first.dot(between), second.dot(between));
    let sine_squared = ff * ss - fs * fs;
    if sine_squared > NEARLY_PARALLEL * ff * ss {
        let (s, t) = ((fs * sb - ss * fb) / sine_squared, (ff * sb - fs * fb) / sine_squared);
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            return at(s, t);
        }
    }
    // An end of one of them is closest; of parallel edges too.
    let ends = [
        at(0.0, nearest_fraction(a, [c, d])),
        at(1.0, nearest_fraction(b, [c, d])),
        at(nearest_fraction(c, [a, b]), 0.0),
        at(nearest_fraction(d, [a, b]), 1.0),
    ];
    ends[1..].iter().fold(ends[0], |best, &end| best.nearer(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proximity::tests_support::scattered;

    /// The least distance over a fine grid of both parameters.
    fn sampled(count: usize, distance: impl Fn(f64, f64) -> f64) -> f64 {
        let step = |i: usize| i as f64 / count as f64;
        let places = (0..=count).flat_map(|i| (0..=count).map(move |j| (step(i), step(j))));
        places.map(|(s, t)| distance(s, t)).fold(f64::INFINITY, f64::min)
    }

    fn check(closest: Closest, corners: [Vec3; 4], first: usize) {
        let offset = corners.iter().zip(closest.weights).fold(Vec3::ZERO, |sum, (x, w)| sum + *x * w);
        assert!((offset - closest.offset).length() < 1e-12, "{closest:?}");
        assert!((closest.weights[..first].iter().sum::<f64>() - 1.0).abs() < 1e-14);
        assert!((closest.weights[first..].iter().sum::<f64>() + 1.0).abs() < 1e-14);
        let inside =
            closest.weights[..first].iter().all(|w| *w >= 0.0) && closest.weights[first..].iter().all(|w| *w <= 0.0);
        assert!(inside, "{closest:?}");
    }

    #[test]
    fn no_sample_of_a_triangle_is_nearer() {
        let points: Vec<Vec3> = scattered(800).collect();
        for corners in points.as_chunks::<4>().0 {
            let &[p, a, b, c] = corners;
            let closest = closest_vertex_triangle(p, [a, b, c]);
            check(closest, *corners, 1);
            let least = sampled(60, |s, t| (a + (b - a) * (s * (1.0 - t)) + (c - a) * t).distance(p));
            let distance = closest.distance();
            assert!(distance <= least + 1e-12 && least - distance < 0.03, "{distance} {least}");
        }
    }

    #[test]
    fn no_sample_of_two_edges_is_nearer() {
        let points: Vec<Vec3> = scattered(800).collect();
        for corners in points.as_chunks::<4>().0 {
            let &[a, b, c, d] = corners;
            let closest = closest_edge_edge([a, b], [c, d]);
            check(closest, *corners, 2);
            let least = sampled(60, |s, t| a.lerp(b, s).distance(c.lerp(d, t)));
            let distance = closest.distance();
            assert!(distance <= least + 1e-12 && least - distance < 0.03, "{distance} {least}");
        }
    }

    #[test]
    fn parallel_and_nearly_parallel_edges_have_their_true_distance() {
        for tilt in [0.0, 1e-14, 1e-10, 1e-8, 1e-6] {
            for (shift, expected) in [(0.5, 0.1), (-0.5, 0.1), (3.0, (4.01_f64).sqrt())] {
                let second = [Vec3::new(shift, 0.1, 0.0), Vec3::new(shift + 1.0, 0.1 + tilt, tilt)];
                let closest = closest_edge_edge([Vec3::ZERO, Vec3::X], second);
                assert!((closest.distance() - expected).abs() < 2e-6, "{tilt} {shift}: {closest:?}");
            }
        }
    }

    #[test]
    fn sides_without_extent_are_points_and_segments() {
        let point = closest_edge_edge([Vec3::ONE; 2], [Vec3::ZERO; 2]);
        assert_eq!(point.offset, Vec3::ONE);
        let needle = closest_vertex_triangle(Vec3::new(0.3, 1.0, 0.0), [Vec3::ZERO, Vec3::X, 0.5 * Vec3::X]);
        assert!((needle.distance() - 1.0).abs() < 1e-15, "{needle:?}");
        let speck = closest_vertex_triangle(Vec3::X, [Vec3::ZERO; 3]);
        assert_eq!(speck.distance(), 1.0);
        let same = closest_edge_edge([Vec3::ZERO, Vec3::X], [Vec3::ZERO, Vec3::X]);
        assert_eq!(same.distance(), 0.0);
    }
}
