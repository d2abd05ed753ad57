//! Edges one after the other [Provot 1995; Bridson 2003].

use crate::math::Vec3;
use crate::mesh::Link;

/// Brings each edge in turn to stretches within [least, most], there and back in rounds; returns the rounds it took.
pub(super) fn limit_edges(
    links: &[Link],
    inverse_masses: &[f64],
    [least, most]: [f64; 2],
    rounds: usize,
    x: &mut [Vec3],
) -> usize {
    for round in 0..rounds {
        let mut moved = false;
        let mut visit = |link: &Link| {
            let [a, b] = link.ends.map(|v| v as usize);
            let (w_a, w_b) = (inverse_masses[a], inverse_masses[b]);
            let edge = x[b] - x[a];
            let length = edge.length();
            let allowed = length.clamp(least * link.rest, most * link.rest);
            if allowed == length || length <= 0.0 || w_a + w_b <= 0.0 {
                return;
            }
            let pull = edge * ((length - allowed) / (length * (w_a + w_b)));
            x[a] += pull * w_a;
            x[b] -= pull * w_b;
            moved = true;
        };
        // Errors gather where a round ends; the next begins there.
        if round % 2 == 0 {
            links.iter().for_each(&mut visit)
        } else {
            links.iter().rev().for_each(&mut visit)
        }
        if !moved {
            return round;
        }
    }
    rounds
}
