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
//! Where one side makes way and the other follows it too fast, as in a stack of layers that a limb carries on, a plane that stands would stop
//! the follower for a small difference. In the first rounds it is cut only to what the other's way allows, and the pair is to be
//! proved like all others.
//!
//! Cut movements can make other pairs unsafe that relied on 1 or 2, so it goes round until all are proved. Once planes stand every round
//! settles at least one pair for good. Pairs that move together rely on 1, so free fall and sliding are not held up, which planes for all
//! pairs at once would do.

use crate::math::Vec3;
use crate::parallel;
use crate::proximity::slab::{between, slab};
use crate::proximity::{Pair, Primitives, corners, time_of_impact};

/// Share of a gap that a movement must leave.
const LEFT: f64 = 0.1;
/// Share that it must leave of a gap below the floor, so that gaps hardly shrink further. What is missing to 1 is more than rounding, which
/// must not hold up what moves together.
const LEFT_BELOW_FLOOR: f64 = 0.999;
/// Rounds in which planes may follow a side that makes way, and rounds before all pairs get planes that stand.
const FOLLOWING_ROUNDS: usize = 48;
const MOST_ROUNDS: usize = FOLLOWING_ROUNDS + 24;
/// Share of the room between two sides that one may have which follows the other.
const FOLLOWED: f64 = 0.99;

/// A pair at the safe positions.
#[derive(Clone, Copy)]
struct Separated {
    pair: Pair,
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
/// the vertices that were held back, ascending.
pub(crate) fn truncate(
    primitives: &Primitives,
    pairs: &[Pair],
    rigid: &[Vec<u32>],
    floor: f64,
    safe: &[Vec3],
    x: &mut [Vec3],
) -> Vec<u32> {
    let motion: Vec<Vec3> = x.iter().zip(safe).map(|(x, safe)| *x - *safe).collect();
    let mut open = parallel::filter_map(pairs.len(), &|k| separate(primitives, pairs[k], floor, safe, &motion));
    let mut share = vec![1.0_f64; x.len()];
    let mut is_cut = vec![true; x.len()];
    for round in 0.. {
        let moves = |vertices: [u32; 4]| vertices.map(|v| motion[v as usize] * share[v as usize]);
        let plane = if round < FOLLOWING_ROUNDS { Plane::Follows } else { Plane::Stands };
        let unsafe_pairs = parallel::filter_map(open.len(), &|k| {
            let pair = &open[k];
            // A pair whose corners were not cut since it was proved still is.
            let is_proved = || pair.vertices.iter().all(|&v| !is_cut[v as usize]);
            let is_safe = round < MOST_ROUNDS && (is_proved() || stays_apart(pair, &moves(pair.vertices), safe));
            (!is_safe).then(|| (k, divide(pair, safe, &moves(pair.vertices), plane)))
        });
        if unsafe_pairs.is_empty() {
            break;
        }
        is_cut.fill(false);
        let before = share.clone();
        for &(k, (cut, _)) in &unsafe_pairs {
            for (&v, cut) in open[k].vertices.iter().zip(cut).filter(|(_, cut)| *cut < 1.0) {
                let v = v as usize;
                share[v] = share[v].min(before[v] * cut);
                is_cut[v] = true;
            }
        }
        for set in rigid {
            let least = set.iter().fold(1.0_f64, |least, &v| least.min(share[v as usize]));
            for &v in set.iter().filter(|&&v| share[v as usize] > least).collect::<Vec<_>>() {
                (share[v as usize], is_cut[v as usize]) = (least, true);
            }
        }
        // Those with planes that stand are settled for good.
        let standing = unsafe_pairs.iter().filter(|(_, (_, plane))| *plane == Plane::Stands);
        let mut settled = standing.map(|(k, _)| *k).peekable();
        let mut own = 0;
        open.retain(|_| {
            own += 1;
            settled.next_if_eq(&(own - 1)).is_none()
        });
    }
    let mut held = Vec::new();
    for (v, share) in share.iter().enumerate().filter(|(_, share)| **share < 1.0) {
        x[v] = safe[v] + motion[v] * *share;
        held.push(v as u32);
    }
    held
}

/// A pair at the safe positions; `None` if it is safe however short the movement of each corner is cut.
fn separate(primitives: &Primitives, pair: Pair, floor: f64, safe: &[Vec3], motion: &[Vec3]) -> Option<Separated> {
    let vertices = pair.vertices(primitives);
    let (start, moves, first) = (corners(safe, vertices), corners(motion, vertices), pair.first_side());
    // Most pairs are not near enough to need their closest points: the way between the middles of the sides tells them apart, and is longer
    // than the gap can be.
    let way = between(&start, first);
    let least = least_slab(way, &start, &moves, first);
    if least > 0.0 && least >= LEFT * way.length_squared() && least >= floor * way.length() {
        return None;
    }
    // Without a direction the gap is 0, and nothing may move nearer.
    let normal = pair.closest(&start).offset.normalize_or_zero();
    let gap = slab(normal, &start, first).max(0.0);
    let keep = (LEFT * gap).max((LEFT_BELOW_FLOOR * gap).min(floor));
    let is_settled = gap > 0.0 && least_slab(normal, &start, &moves, first) >= keep;
    (!is_settled).then_some(Separated { pair, vertices, normal, gap, keep })
}

/// The least width that the slab across a direction can have (times the direction's length) while each corner makes any part of its move.
fn least_slab(direction: Vec3, corners: &[Vec3; 4], moves: &[Vec3; 4], first: usize) -> f64 {
    let height = |k: usize| direction.dot(corners[k] - corners[0]);
    let low = (0..first).map(|k| height(k) + direction.dot(moves[k]).min(0.0)).fold(f64::INFINITY, f64::min);
    let high = (first..4).map(|k| height(k) + direction.dot(moves[k]).max(0.0)).fold(f64::NEG_INFINITY, f64::max);
    low - high
}

fn stays_apart(pair: &Separated, moves: &[Vec3; 4], safe: &[Vec3]) -> bool {
    if pair.gap <= 0.0 {
        // Without a gap there is no normal to judge by: only what stands is certain.
        return moves.iter().all(|m| *m == Vec3::ZERO);
    }
    let corners = corners(safe, pair.vertices);
    let moved: [Vec3; 4] = std::array::from_fn(|k| corners[k] + moves[k]);
    slab(pair.normal, &moved, pair.pair.first_side()) >= pair.keep
        || time_of_impact(pair.pair, &corners, moves, pair.keep).is_none()
}

/// What a plane between the sides of a pair does while they move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plane {
    Stands,
    /// It goes with the side that makes way.
    Follows,
}

/// The share of each corner's movement that a plane between the sides allows, and whether that plane stands.
fn divide(pair: &Separated, safe: &[Vec3], moves: &[Vec3; 4], plane: Plane) -> ([f64; 4], Plane) {
    if pair.gap <= 0.0 {
        return ([0.0; 4], Plane::Stands);
    }
    let (corners, first) = (corners(safe, pair.vertices), pair.pair.first_side());
    let towards = |k: usize| if k < first { -pair.normal } else { pair.normal };
    let advance: [f64; 4] = std::array::from_fn(|k| towards(k).dot(moves[k]));
    // How far each corner lies behind the foremost of its side.
    let front = |range: std::ops::Range<usize>| {
        range.map(|k| towards(k).dot(corners[k] - corners[0])).fold(f64::NEG_INFINITY, f64::max)
    };
    let fronts = [front(0..first), front(first..4)];
    let behind = |k: usize| fronts[usize::from(k >= first)] - towards(k).dot(corners[k] - corners[0]);
    let need = |range: std::ops::Range<usize>| range.map(|k| advance[k] - behind(k)).fold(f64::NEG_INFINITY, f64::max);
    let needs = [need(0..first), need(first..4)];
    let way = match plane {
        Plane::Follows => [0, 1].map(|side: usize| (-needs[1 - side]).max(0.0)),
        Plane::Stands => [0.0; 2],
    };
    let room = pair.gap - pair.keep;
    let total = needs[0].max(0.0) + needs[1].max(0.0);
    let cut = std::array::from_fn(|k| {
        let side = usize::from(k >= first);
        // Where the other side makes way, this one may have the room there and nearly all between them: what is proved must bear rounding.
        let share = match (total > 0.0, way[side] > 0.0) {
            (_, true) => way[side] + FOLLOWED * room,
            (true, false) => room * needs[side].max(0.0) / total,
            (false, false) => 0.0,
        };
        let allowed = behind(k) + share;
        if advance[k] > allowed { (allowed / advance[k]).clamp(0.0, 1.0) } else { 1.0 }
    });
    (cut, if way == [0.0; 2] { Plane::Stands } else { Plane::Follows })
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
        Separated { pair: kind, vertices: TRIANGLE, normal, gap, keep: LEFT * gap }
    }

    #[test]
    fn the_gap_goes_to_the_side_that_needs_it() {
        let x = positions(1.0);
        let falls = [Vec3::Z * -3.0, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO];
        let cut = divide(&pair(&x), &x, &falls, Plane::Stands).0;
        assert_eq!(cut, [0.3, 1.0, 1.0, 1.0]);
        let both = [Vec3::Z * -3.0, Vec3::Z, Vec3::Z, Vec3::Z];
        let cut = divide(&pair(&x), &x, &both, Plane::Stands).0;
        let ends: Vec<f64> = (0..4).map(|k| x[k].z + cut[k] * both[k].z).collect();
        assert!((ends[0] - ends[1] - 0.1).abs() < 1e-12 && (cut[0] - cut[1]).abs() < 1e-12, "{cut:?}");
    }

    #[test]
    fn who_follows_what_makes_way_is_cut_by_the_difference_alone() {
        let x = positions(1e-4);
        let carried = [Vec3::Z * 0.0495, Vec3::Z * 0.05, Vec3::Z * 0.05, Vec3::Z * 0.05];
        let (cut, plane) = divide(&pair(&x), &x, &carried, Plane::Follows);
        assert_eq!((cut[0], plane), (1.0, Plane::Follows));
        // 49.5 mm and nine tenths of the gap.
        assert!(cut[1..].iter().all(|cut| (cut - 0.0495_f64 / 0.05).abs() < 0.9e-4 / 0.05), "{cut:?}");
        let moves = std::array::from_fn(|k| carried[k] * cut[k]);
        assert!(stays_apart(&pair(&x), &moves, &x));
        let (cut, plane) = divide(&pair(&x), &x, &carried, Plane::Stands);
        assert!(plane == Plane::Stands && cut[1..].iter().all(|cut| *cut < 0.002), "{cut:?}");
    }

    #[test]
    fn what_moves_together_turns_together_or_slides_is_not_held() {
        let x = positions(1e-3);
        let together = [Vec3::new(5.0, -7.0, 3.0); 4];
        assert!(stays_apart(&pair(&x), &together, &x));
        let slides = [Vec3::X * 0.5, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO];
        assert!(stays_apart(&pair(&x), &slides, &x));
        let turned = crate::math::Mat3::from_rotation_x(0.7);
        let turns: [Vec3; 4] = std::array::from_fn(|k| turned * x[k] - x[k]);
        assert!(stays_apart(&pair(&x), &turns, &x));
        let passes = [Vec3::Z * -0.01, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO];
        assert!(!stays_apart(&pair(&x), &passes, &x));
    }
}
