//! The part of one lattice tet that lies inside, as tets [Labelle & Shewchuk 2007, figure 3].
//!
//! ```text
//!   +000 ++00 +++0 ++++   the tet itself
//!   +--- +0-- +00-        one tet: cut points in place of the outer corners
//!   ++0-                  a pyramid on a quadrilateral, two tets
//!   +++- ++--             a prism, three tets
//! ```
//!
//! Quadrilaterals on a face shared with a neighbour are cut along a diagonal that the face alone decides: the one that ends in
//! the cut point of the long edge, or, if both cut edges are short, in the even end of the long edge.

/// A vertex of a stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vertex {
    /// A corner of the lattice tet.
    Corner(usize),
    /// The cut point between a corner inside and one outside.
    Cut(usize, usize),
}

use Vertex::{Corner, Cut};

/// A lattice tet: corners 0 and 1, and 2 and 3, are joined by long edges.
pub(super) struct Stencil {
    /// −1 inside, 0 on the surface, 1 outside.
    pub(super) signs: [i8; 4],
    /// Which corners are even.
    pub(super) even: [bool; 4],
}

impl Stencil {
    /// Calls `visit` with each tet of the inner part, in either orientation.
    pub(super) fn for_each_tet(&self, mut visit: impl FnMut([Vertex; 4])) {
        let with_sign = |sign: i8| {
            let mut found = [0; 4];
            let mut count = 0;
            for corner in (0..4).filter(|&corner| self.signs[corner] == sign) {
                found[count] = corner;
                count += 1;
            }
            (found, count)
        };
        let (inside, inside_count) = with_sign(-1);
        let (outside, outside_count) = with_sign(1);
        match (inside_count, outside_count) {
            (0, _) => {}
            (_, 0) => visit([0, 1, 2, 3].map(Corner)),
            (1, _) => {
                let cut = |corner| if self.signs[corner] > 0 { Cut(inside[0], corner) } else { Corner(corner) };
                visit([0, 1, 2, 3].map(cut));
            }
            (2, 1) => {
                let ([p, q, ..], n) = (inside, outside[0]);
                let apex = Corner(with_sign(0).0[0]);
                let (p_cut, q_cut) = (Cut(p, n), Cut(q, n));
                let diagonal = if self.meets_first_cut(p, q, n) { [Corner(q), p_cut] } else { [Corner(p), q_cut] };
                visit([apex, Corner(p), Corner(q), diagonal[1]]);
                visit([apex, diagonal[0], p_cut, q_cut]);
            }
            (2, _) => {
                let ([p, q, ..], [m, n, ..]) = (inside, outside);
                let ends = [[Corner(p), Cut(p, m), Cut(p, n)], [Corner(q), Cut(q, m), Cut(q, n)]];
                let before = [self.meets_first_cut(p, q, m), self.meets_first_cut(p, q, n)];
                // The third side is on the surface, free unless the other two diagonals go round the prism.
                let third = if before[0] == before[1] { true } else { !before[0] };
                split_prism(ends, [before[0], before[1], third], visit);
            }
            _ => {
                let ([p, q, r, _], n) = (inside, outside[0]);
                let ends = [[p, q, r].map(Corner), [p, q, r].map(|corner| Cut(corner, n))];
                let later = [(p, q), (p, r), (q, r)].map(|(a, b)| self.meets_first_cut(a, b, n));
                split_prism(ends, later, visit);
            }
        }
    }

    /// Whether the diagonal of the quadrilateral p q Cut(q, n) Cut(p, n) joins q and Cut(p, n), and not p and Cut(q, n).
    fn meets_first_cut(&self, p: usize, q: usize, n: usize) -> bool {
        let is_long = |a: usize, b: usize| a ^ 1 == b;
        if is_long(p, n) {
            true
        } else if is_long(q, n) {
            false
        } else {
            self.even[q]
        }
    }
}

/// Cuts a prism between two triangles into three tets. `later` says for the sides 01, 02 and 12 whether the diagonal joins the
/// first triangle's second corner to the second triangle's first (true), or the other way round.
fn split_prism(ends: [[Vertex; 3]; 2], later: [bool; 3], mut visit: impl FnMut([Vertex; 4])) {
    let mut wins = [0; 3];
    for ((i, j), later) in [(0, 1), (0, 2), (1, 2)].into_iter().zip(later) {
        wins[if later { j } else { i }] += 1;
    }
    // Three diagonals round the prism would leave no tet; the rules above exclude it.
    let mut order = [0, 1, 2];
    order.sort_by_key(|&corner: &usize| 2 - wins[corner]);
    let ([a, b, c], [_, e, f]) = (order.map(|k| ends[0][k]), order.map(|k| ends[1][k]));
    let d = ends[1][order[0]];
    visit([a, b, c, f]);
    visit([a, b, e, f]);
    visit([a, d, e, f]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::mesh::tet_volume;

    const CORNERS: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::new(0.5, 0.5, -0.5), Vec3::new(0.5, 0.5, 0.5)];

    /// Cut points halfway.
    fn place(vertex: Vertex) -> Vec3 {
        match vertex {
            Corner(corner) => CORNERS[corner],
            Cut(a, b) => 0.5 * (CORNERS[a] + CORNERS[b]),
        }
    }

    #[test]
    fn every_stencil_fills_the_inner_part_exactly() {
        let whole = tet_volume(CORNERS).abs();
        for code in 0..81 {
            let signs = [0, 1, 2, 3].map(|k| (code / 3i32.pow(k) % 3) as i8 - 1);
            for even in [[true, false, true, false], [true, false, false, true], [false, true, false, true]] {
                let mut volume = 0.0;
                Stencil { signs, even }.for_each_tet(|tet| {
                    let own = tet_volume(tet.map(place)).abs();
                    assert!(own > 0.01 * whole, "{signs:?} {tet:?}");
                    volume += own;
                });
                let count = |sign: i8| signs.iter().filter(|&&s| s == sign).count() as i32;
                let expected = match (count(-1), count(1)) {
                    (0, _) => 0.0,
                    (_, 0) => 1.0,
                    (1, outside) => 0.5f64.powi(outside),
                    // A corner cut off halfway has an eighth of the volume, less what a zero corner adds.
                    (2, 1) => 0.75,
                    (2, _) => 0.5,
                    _ => 0.875,
                };
                assert!((volume / whole - expected).abs() < 1e-14, "{signs:?}: {}", volume / whole);
            }
        }
    }
}
