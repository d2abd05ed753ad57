//! Where the surface cuts the edges of the lattice, and which nodes move onto it.
//!
//! A cut point too near to a node would leave a sliver; instead the node moves to the cut point and lies on the surface
//! [Labelle & Shewchuk 2007, section 3].

use super::TetrahedraliseError;
use super::lattice::{Lattice, Node};
use crate::math::Vec3;
use crate::mesh::Csr;
use crate::mesh::sdf::SignedDistance;
use crate::parallel::{Strided, for_each};

/// A node moves to a cut point nearer than this share of a long edge [Labelle & Shewchuk 2007, table 1].
const NEAR_LONG: f64 = 0.24999;
/// The same for short edges.
const NEAR_SHORT: f64 = 0.41189;

/// How exactly cut points are found, in edge lengths.
const TOLERANCE: f64 = 1e-6;

/// An edge of the lattice that the surface cuts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// The lower node first.
    pub(super) nodes: [Node; 2],
    /// Where the surface cuts, from the first node (0) to the second (1).
    pub(super) along: f64,
}

/// The lattice after nodes have moved onto the surface.
pub(super) struct Fitted {
    /// Negative inside, zero on the surface.
    pub(super) distances: Vec<f64>,
    pub(super) cuts: Vec<Cut>,
    /// The cuts at each node.
    at_node: Csr,
    /// The cut to which a node has moved, or `u32::MAX`.
    moved_to: Vec<u32>,
}

impl Fitted {
    pub(super) fn new(
        lattice: &Lattice,
        solid: &(impl SignedDistance + ?Sized),
        distances: Vec<f64>,
    ) -> Result<Self, TetrahedraliseError> {
        let mut cuts = Vec::new();
        for node in 0..distances.len() as Node {
            lattice.for_each_edge_up(node, |other| {
                let ends = [distances[node as usize], distances[other as usize]];
                if ends[0] * ends[1].signum() < 0.0 && ends[1] != 0.0 {
                    cuts.push(Cut { nodes: [node, other], along: 0.0 });
                }
            });
        }
        for_each(0..cuts.len(), Strided { entries: &mut cuts, stride: 1 }, &|_, part| {
            for cut in part.entries.iter_mut() {
                let ends = cut.nodes.map(|node| lattice.position(node));
                let values = cut.nodes.map(|node| distances[node as usize]);
                cut.along = crossing(|t| solid.distance(ends[0].lerp(ends[1], t)), values, TOLERANCE * lattice.cell);
            }
        });
        if let Some(cut) = cuts.iter().find(|cut| cut.along.is_nan()) {
            return Err(TetrahedraliseError::NotANumber { at: lattice.position(cut.nodes[0]), distance: f64::NAN });
        }
        let pairs = cuts.iter().enumerate().flat_map(|(k, cut)| cut.nodes.map(|node| (node, k as u32)));
        let at_node = Csr::from_pairs(distances.len(), pairs);
        let moved_to = vec![u32::MAX; distances.len()];
        let mut fitted = Self { distances, cuts, at_node, moved_to };
        fitted.warp(lattice);
        Ok(fitted)
    }

    /// Each node in turn moves to the nearest cut point that is too near, and its other cut points vanish with its sign.
    fn warp(&mut self, lattice: &Lattice) {
        for node in 0..self.distances.len() as Node {
            let mut nearest = (f64::INFINITY, u32::MAX);
            for &k in self.at_node.row(node as usize) {
                let Cut { nodes, along } = self.cuts[k as usize];
                // The edge is no longer cut once its other end lies on the surface.
                if nodes.iter().any(|&end| self.distances[end as usize] == 0.0) {
                    continue;
                }
                let share = if nodes[0] == node { along } else { 1.0 - along };
                let (near, length) =
                    if lattice.is_long(nodes) { (NEAR_LONG, 1.0) } else { (NEAR_SHORT, 0.75f64.sqrt()) };
                if share < near && share * length < nearest.0 {
                    nearest = (share * length, k);
                }
            }
            if nearest.1 != u32::MAX {
                self.moved_to[node as usize] = nearest.1;
                self.distances[node as usize] = 0.0;
            }
        }
    }

    /// The cut between two nodes, one inside and one outside.
    pub(super) fn cut_between(&self, a: Node, b: Node) -> u32 {
        let nodes = [a.min(b), a.max(b)];
        let row = self.at_node.row(nodes[0] as usize);
        row.iter().copied().find(|&k| self.cuts[k as usize].nodes == nodes).unwrap_or(u32::MAX)
    }

    pub(super) fn cut_position(&self, lattice: &Lattice, cut: u32) -> Vec3 {
        let Cut { nodes: [a, b], along } = self.cuts[cut as usize];
        lattice.position(a).lerp(lattice.position(b), along)
    }

    pub(super) fn node_position(&self, lattice: &Lattice, node: Node) -> Vec3 {
        match self.moved_to[node as usize] {
            u32::MAX => lattice.position(node),
            cut => self.cut_position(lattice, cut),
        }
    }
}

/// Where a function changes its sign between 0 and 1, given its values there: false position, and halving whenever that
/// stalls, because at a hole in the surface the function jumps. NaN if the function has no value.
fn crossing(value: impl Fn(f64) -> f64, ends: [f64; 2], small: f64) -> f64 {
    let (mut low, mut high) = ((0.0, ends[0]), (1.0, ends[1]));
    let mut halve = false;
    while high.0 - low.0 > TOLERANCE {
        let width = high.0 - low.0;
        let guess = if halve { 0.5 } else { (low.1 / (low.1 - high.1)).clamp(0.01, 0.99) };
        let mut t = low.0 + guess * width;
        let mut found = value(t);
        if found.is_nan() {
            return f64::NAN;
        }
        if found == 0.0 {
            return t;
        }
        for _ in 0..2 {
            if (found < 0.0) == (low.1 < 0.0) {
                low = (t, found)
            } else {
                high = (t, found)
            }
            // Near the root a second look just beyond it closes the bracket. The function may also touch zero without a change
            // of sign, at a wall inside overlapping pieces; then the search goes on.
            let beyond = if t == low.0 { t + 0.5 * TOLERANCE } else { t - 0.5 * TOLERANCE };
            if found.abs() > small || beyond <= low.0 || beyond >= high.0 {
                break;
            }
            t = beyond;
            found = value(t);
            if found.is_nan() {
                return f64::NAN;
            }
        }
        halve = high.0 - low.0 > 0.5 * width;
    }
    0.5 * (low.0 + high.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn crossings_are_found_where_the_function_is_smooth_or_jumps_or_touches() {
        let smooth = |t: f64| t * t - 0.3;
        let jump = |t: f64| if t < 0.7123 { -1.0 } else { 2.0 };
        let touch = |t: f64| if t < 0.9 { -(t - 0.4).abs() } else { t - 0.9 + 1e-12 };
        let check = |f: &dyn Fn(f64) -> f64, expected: f64, most: usize| {
            let calls = Cell::new(0);
            let counted = |t| {
                calls.set(calls.get() + 1);
                f(t)
            };
            let found = crossing(counted, [f(0.0), f(1.0)], 1e-6);
            assert!((found - expected).abs() < 1e-6, "{found}, expected {expected}");
            assert!(calls.get() <= most, "{} calls", calls.get());
        };
        check(&smooth, 0.3f64.sqrt(), 12);
        check(&jump, 0.7123, 45);
        check(&touch, 0.9, 45);
        check(&|t| t - 0.25, 0.25, 3);
        assert!(crossing(|_| f64::NAN, [-1.0, 1.0], 1e-6).is_nan());
    }
}
