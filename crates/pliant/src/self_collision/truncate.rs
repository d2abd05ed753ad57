//! Shortens movements so that surfaces that did not intersect still do not.
//!
//! Each candidate pair has two convex sides. At the last safe positions the plane across their closest points separates them by a gap.
//! A pair is proved safe for a movement in one of three ways:
//!
//! 1. along that normal the sides still are apart at the end. Both ends of the movement then have the gap, and so has all in between,
//!    since the least of linear functions is concave;
//! 2. conservative advancement finds no impact (turning pairs);
//! 3. otherwise the gap is divided between the sides as they need it, and each corner's movement is cut off where it has used up its
//!    share. The planes do not move, so shorter movements are safe as well: such a pair never has to be looked at again.
//!
//! Cut movements can make other pairs unsafe that relied on 1 or 2, so it goes round until all are proved. Every round settles at
//! least one pair for good. Pairs that move together rely on 1, so free fall and sliding are not held up, which planes for all
//! pairs at once would do.

use super::super::proximity::{Pair, Primitives, corners, time_of_impact};
use crate::math::Vec3;
use crate::parallel;

/// Share of a gap that a movement must leave.
const LEFT: f64 = 0.1;
/// Share that it must leave of a gap below the floor, so that gaps hardly shrink further.
const LEFT_BELOW_FLOOR: f64 = 0.9;
/// Rounds before all pairs get planes.
const MOST_ROUNDS: usize = 24;

/// A pair at the safe positions.
#[derive(Clone, Copy)]
struct Separated {
    vertices: [u32; 4],
    /// From the second side to the first.
    normal: Vec3,
    /// Width of the empty slab between them along the normal \[m\].
    gap: f64,
    /// What must be left of it \[m\].
    keep: f64,
}

/// Cuts the movements from `safe` to `x` so that no candidate pair comes to intersect; `pairs` must hold every pair whose swept boxes
/// overlap. `rigid` sets of vertices are cut alike, so that they keep their shape. Gaps below `floor` \[m\] hardly shrink further. Returns
/// how many vertices were held back.
pub(crate) fn truncate(
    primitives: &Primitives,
    pairs: &[Pair],
    rigid: &[Vec<u32>],
    floor: f64,
    safe: &[Vec3],
    x: &mut [Vec3],
) -> usize {
    let separated = parallel::filter_map(pairs.len(), &|k| Some(separate(primitives, pairs[k], floor, safe)));
    let motion: Vec<Vec3> = x.iter().zip(safe).map(|(x, safe)| *x - *safe).collect();
    let mut share = vec![1.0_f64; x.len()];
    let mut settled = vec![false; pairs.len()];
    for round in 0.. {
        let moves = |vertices: [u32; 4]| vertices.map(|v| motion[v as usize] * share[v as usize]);
        let unsafe_pairs = parallel::filter_map(pairs.len(), &|k| {
            let pair = &separated[k];
            let is_safe =
                settled[k] || (round < MOST_ROUNDS && stays_apart(pairs[k], pair, &moves(pair.vertices), safe));
            (!is_safe).then_some(k)
        });
        if unsafe_pairs.is_empty() {
            break;
        }
        let mut shorter = share.clone();
        for k in unsafe_pairs {
            settled[k] = true;
            let pair = &separated[k];
            let cut = divide(pair, pairs[k].first_side(), safe, &moves(pair.vertices));
            for (&v, cut) in pair.vertices.iter().zip(cut) {
                let v = v as usize;
                shorter[v] = shorter[v].min(share[v] * cut);
            }
        }
        for set in rigid {
            let least = set.iter().fold(1.0_f64, |least, &v| least.min(shorter[v as usize]));
            set.iter().for_each(|&v| shorter[v as usize] = least);
        }
        share = shorter;
    }
    let mut held = 0;
    for (v, share) in share.iter().enumerate().filter(|(_, share)| **share < 1.0) {
        x[v] = safe[v] + motion[v] * *share;
        held += 1;
    }
    held
}

fn separate(primitives: &Primitives, pair: Pair, floor: f64, safe: &[Vec3]) -> Separated {
    let vertices = pair.vertices(primitives);
    let corners = corners(safe, vertices);
    // Without a direction the gap is 0, and nothing may move nearer.
    let normal = pair.closest(&corners).offset.normalize_or_zero();
    let gap = slab(normal, &corners, pair.first_side()).max(0.0);
    Separated { vertices, normal, gap, keep: (LEFT * gap).max((LEFT_BELOW_FLOOR * gap).min(floor)) }
}

/// Width of the slab across a normal that has the first side above and the second below; negative if they overlap.
fn slab(normal: Vec3, corners: &[Vec3; 4], first: usize) -> f64 {
    // Heights from one of the corners, so that a small gap far from the origin keeps its digits.
    let height = |x: &Vec3| normal.dot(*x - corners[0]);
    let low = corners[..first].iter().map(height).fold(f64::INFINITY, f64::min);
    let high = corners[first..].iter().map(height).fold(f64::NEG_INFINITY, f64::max);
    low - high
}

fn stays_apart(kind: Pair, pair: &Separated, moves: &[Vec3; 4], safe: &[Vec3]) -> bool {
    if pair.gap <= 0.0 {
        // Without a gap there is no normal to judge by: only what stands is certain.
        return moves.iter().all(|m| *m == Vec3::ZERO);
    }
    let corners = corners(safe, pair.vertices);
    let moved: [Vec3; 4] = std::array::from_fn(|k| corners[k] + moves[k]);
    slab(pair.normal, &moved, kind.first_side()) >= pair.keep
        || time_of_impact(kind, &corners, moves, pair.keep).is_none()
}

/// The share of each corner's movement that a plane between the sides allows.
fn divide(pair: &Separated, first: usize, safe: &[Vec3], moves: &[Vec3; 4]) -> [f64; 4] {
    if pair.gap <= 0.0 {
        return [0.0; 4];
    }
    let corners = corners(safe, pair.vertices);
    let towards = |k: usize| if k < first { -pair.normal } else { pair.normal };
    let advance: [f64; 4] = std::array::from_fn(|k| towards(k).dot(moves[k]));
    // How far each corner lies behind the foremost of its side.
    let front = |range: std::ops::Range<usize>| {
        range.map(|k| towards(k).dot(corners[k] - corners[0])).fold(f64::NEG_INFINITY, f64::max)
    };
    let fronts = [front(0..first), front(first..4)];
    let behind = |k: usize| fronts[usize::from(k >= first)] - towards(k).dot(corners[k] - corners[0]);
    let need = |range: std::ops::Range<usize>| range.map(|k| advance[k] - behind(k)).fold(0.0, f64::max);
    let needs = [need(0..first), need(first..4)];
    let room = pair.gap - pair.keep;
    let total = needs[0] + needs[1];
    std::array::from_fn(|k| {
        let share = if total > 0.0 { room * needs[usize::from(k >= first)] / total } else { 0.0 };
        let allowed = behind(k) + share;
        if advance[k] > allowed { (allowed / advance[k]).clamp(0.0, 1.0) } else { 1.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [u32; 4] = [0, 1, 2, 3];

    fn positions(height: f64) -> Vec<Vec3> {
        vec![Vec3::new(0.2, 0.2, height), Vec3::ZERO, Vec3::X, Vec3::Y]
    }

    fn pair(x: &[Vec3]) -> Separated {
        let corners = corners(x, TRIANGLE);
        let kind = Pair::VertexTriangle(0, 0);
        let normal = kind.closest(&corners).offset.normalize();
        let gap = slab(normal, &corners, 1);
        Separated { vertices: TRIANGLE, normal, gap, keep: LEFT * gap }
    }

    #[test]
    fn the_gap_goes_to_the_side_that_needs_it() {
        let x = positions(1.0);
        let falls = [Vec3::Z * -3.0, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO];
        let cut = divide(&pair(&x), 1, &x, &falls);
        assert_eq!(cut, [0.3, 1.0, 1.0, 1.0]);
        let both = [Vec3::Z * -3.0, Vec3::Z, Vec3::Z, Vec3::Z];
        let cut = divide(&pair(&x), 1, &x, &both);
        let ends: Vec<f64> = (0..4).map(|k| x[k].z + cut[k] * both[k].z).collect();
        assert!((ends[0] - ends[1] - 0.1).abs() < 1e-12 && (cut[0] - cut[1]).abs() < 1e-12, "{cut:?}");
    }

    #[test]
    fn what_moves_together_turns_together_or_slides_is_not_held() {
        let x = positions(1e-3);
        let kind = Pair::VertexTriangle(0, 0);
        let together = [Vec3::new(5.0, -7.0, 3.0); 4];
        assert!(stays_apart(kind, &pair(&x), &together, &x));
        let slides = [Vec3::X * 0.5, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO];
        assert!(stays_apart(kind, &pair(&x), &slides, &x));
        let turned = crate::math::Mat3::from_rotation_x(0.7);
        let turns: [Vec3; 4] = std::array::from_fn(|k| turned * x[k] - x[k]);
        assert!(stays_apart(kind, &pair(&x), &turns, &x));
        let passes = [Vec3::Z * -0.01, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO];
        assert!(!stays_apart(kind, &pair(&x), &passes, &x));
    }
}
