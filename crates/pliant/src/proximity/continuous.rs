//! Continuous collision by conservative advancement, as in additive CCD [Li 2021, "Codimensional incremental potential contact", §5].
//!
//! Departure: additive CCD allows two sides at distance d that move by no more than l per unit of time the step d/l. Here the slab across
//! the closest points is followed: its corners move linearly, so how long it stays open is known exactly. What slides along a
//! layer or goes away from it takes one step instead of hundreds. Each step is measured afresh, so the result is never late, and it
//! needs nothing but closest points, so degenerate motions do no harm.

use super::Pair;
use crate::math::Vec3;

/// Share of the distance that is left at the time of impact.
const LEFT: f64 = 0.1;
/// Share of a safe step that is taken: rounding must not carry it beyond.
const CAUTION: f64 = 0.9;
/// Steps before the time reached so far is given as the answer, which is early and therefore safe.
const MOST_STEPS: usize = 1000;

/// A time up to which a pair certainly stays further apart than `separation`, while its corners move linearly by
/// `motion` within a unit of time; `None` if it does so all the time, 0 if it is not further apart at the start.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::proximity::{Pair, time_of_impact};
/// let corners = [Vec3::new(0.2, 0.2, 1.0), Vec3::ZERO, Vec3::X, Vec3::Y];
/// let falls = |depth: f64| [Vec3::Z * -depth, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO];
/// let pair = Pair::VertexTriangle(0, 0);
/// let moment = time_of_impact(pair, &corners, &falls(2.0), 0.0).expect("it passes the triangle");
/// assert!((0.4..0.5).contains(&moment));
/// assert_eq!(time_of_impact(pair, &corners, &falls(0.8), 0.0), None);
/// ```
pub fn time_of_impact(pair: Pair, corners: &[Vec3; 4], motion: &[Vec3; 4], separation: f64) -> Option<f64> {
    // What all corners have in common brings nothing nearer.
    let mean = motion.iter().sum::<Vec3>() * 0.25;
    let motion = motion.map(|m| m - mean);
    let first = pair.first_side();
    let closest_at = |time: f64| {
        let mut moved = *corners;
        moved.iter_mut().zip(&motion).for_each(|(x, m)| *x += *m * time);
        (moved, pair.closest(&moved).offset)
    };
    let (mut moved, mut offset) = closest_at(0.0);
    let (mut time, mut left) = (0.0, offset.length() - separation);
    let start = left;
    if start.is_nan() || start <= 0.0 {
        return Some(0.0);
    }
    for _ in 0..MOST_STEPS {
        let next = time + CAUTION * slab_lasts(offset.normalize(), separation, &moved, &motion, first);
        if next >= 1.0 {
            return None;
        }
        (moved, offset) = closest_at(next);
        left = offset.length() - separation;
        if left < LEFT * start {
            // The step was safe; only rounding could have used up all room.
            return Some(if left > 0.0 { next } else { time });
        }
        time = next;
    }
    Some(time)
}

/// How long the slab across a normal between two sides stays wider than the separation.
fn slab_lasts(normal: Vec3, separation: f64, corners: &[Vec3; 4], motion: &[Vec3; 4], first: usize) -> f64 {
    let heights: [f64; 4] = std::array::from_fn(|k| normal.dot(corners[k] - corners[0]));
    let speeds: [f64; 4] = std::array::from_fn(|k| normal.dot(motion[k]));
    let mut lasts = f64::INFINITY;
    for upper in 0..first {
        for lower in first..4 {
            let (gap, closing) = (heights[upper] - heights[lower] - separation, speeds[lower] - speeds[upper]);
            if closing > 0.0 {
                lasts = lasts.min(gap.max(0.0) / closing);
            }
        }
    }
    lasts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proximity::tests_support::scattered;

    const KINDS: [Pair; 2] = [Pair::VertexTriangle(0, 0), Pair::EdgeEdge(0, 1)];

    fn moved(corners: &[Vec3; 4], motion: &[Vec3; 4], time: f64) -> [Vec3; 4] {
        std::array::from_fn(|k| corners[k] + motion[k] * time)
    }

    #[test]
    fn no_dense_sample_before_the_time_of_impact_is_nearer_than_the_separation() {
        let points: Vec<Vec3> = scattered(1600).collect();
        let mut hits = 0;
        for numbers in points.as_chunks::<8>().0 {
            let corners = [numbers[0], numbers[1], numbers[2], numbers[3]];
            let motion = std::array::from_fn(|k| 4.0 * (numbers[4 + k] - Vec3::splat(0.5)));
            for pair in KINDS {
                let start = pair.closest(&corners).distance();
                let separation = 0.2 * start;
                let until = time_of_impact(pair, &corners, &motion, separation);
                let end = until.unwrap_or(1.0);
                let distance = |k: usize| pair.closest(&moved(&corners, &motion, end * k as f64 / 400.0)).distance();
                let least = (0..=400).map(distance).fold(f64::INFINITY, f64::min);
                assert!(least >= separation * (1.0 - 1e-12), "{least} nearer than {separation} by {end}");
                hits += usize::from(until.is_some());
                if let Some(time) = until {
                    // It is not much too early: somewhere soon after they are as near as was asked for.
                    let later = |k: usize| pair.closest(&moved(&corners, &motion, time + 0.002 * k as f64)).distance();
                    let near = (0..=500).map(later).fold(f64::INFINITY, f64::min);
                    assert!(near <= separation + 0.11 * start, "{near} at best after {time}, start {start}");
                }
            }
        }
        assert!(hits > 40, "only {hits} of the motions hit");
    }

    #[test]
    fn crossing_edges_and_falling_vertices_are_stopped_before_they_pass() {
        let edges = [Vec3::new(-1.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 1.0), -Vec3::Y, Vec3::Y];
        for depth in [1.5, 10.0, 1e3, 1e6] {
            let motion = [Vec3::Z * -depth, Vec3::Z * -depth, Vec3::ZERO, Vec3::ZERO];
            let time = time_of_impact(KINDS[1], &edges, &motion, 0.0).expect("a hit");
            assert!(time <= 1.0 / depth && time > 0.85 / depth, "{time} for {depth}");
        }
    }

    #[test]
    fn what_moves_together_never_meets() {
        let corners = [Vec3::new(0.2, 0.2, 1e-9), Vec3::ZERO, Vec3::X, Vec3::Y];
        assert_eq!(time_of_impact(KINDS[0], &corners, &[Vec3::splat(1e4); 4], 0.0), None);
    }

    #[test]
    fn what_touches_at_the_beginning_is_hit_at_once() {
        let corners = [Vec3::new(0.2, 0.2, 0.0), Vec3::ZERO, Vec3::X, Vec3::Y];
        assert_eq!(time_of_impact(KINDS[0], &corners, &[Vec3::X; 4], 0.0), Some(0.0));
        let unknown = [Vec3::NAN, Vec3::ZERO, Vec3::X, Vec3::Y];
        assert_eq!(time_of_impact(KINDS[0], &unknown, &[Vec3::X; 4], 0.0), Some(0.0));
    }
}
