//! Slabs of space between the two sides of a pair: what tells sides apart at less cost than their closest points.

use crate::math::Vec3;

/// Width of the slab across a normal that has the first side above and the second below; negative if they overlap.
pub(crate) fn slab(normal: Vec3, corners: &[Vec3; 4], first: usize) -> f64 {
    // Heights from one of the corners, so that a small gap far from the origin keeps its digits.
    let height = |x: &Vec3| normal.dot(*x - corners[0]);
    let low = corners[..first].iter().map(height).fold(f64::INFINITY, f64::min);
    let high = corners[first..].iter().map(height).fold(f64::NEG_INFINITY, f64::max);
    low - high
}

/// The way from the middle of the second side to that of the first.
pub(crate) fn between(corners: &[Vec3; 4], first: usize) -> Vec3 {
    let &[a, b, c, d] = corners;
    if first == 1 { a - (b + c + d) * (1.0 / 3.0) } else { (a + b - c - d) * 0.5 }
}

/// Whether two sides are certainly further apart than a distance: most pairs that have nothing to do with each other are seen to be so
/// along the way between their middles.
pub(crate) fn is_further(corners: &[Vec3; 4], first: usize, distance: f64) -> bool {
    let way = between(corners, first);
    let width = slab(way, corners, first);
    width > 0.0 && width * width > distance * distance * way.length_squared()
}
