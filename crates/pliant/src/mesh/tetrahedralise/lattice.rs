//! The body-centred cubic lattice: corners of cubic cells and their centres.
//!
//! ```text
//!      ●───────●        ● corner, ○ centre. Long edges (one cell) join neighbours of a kind, short edges (√3/2 cells) a
//!     ╱   ○───╱───○     corner and a centre. Around the long edge between two adjacent centres lie four tets, each with
//!    ●───────●          one long edge of the face between the cells: two long and four short edges.
//! ```

use crate::math::Vec3;
use crate::mesh::sdf::SignedDistance;
use crate::parallel::{Strided, for_each};

/// Cells along the side of a block that is skipped as a whole when the surface is far.
const BLOCK: usize = 8;

/// A node's index: corners first, then centres, x fastest.
pub(super) type Node = u32;

#[derive(Clone, Debug)]
pub(super) struct Lattice {
    /// The corner of least coordinates \[m\].
    pub(super) origin: Vec3,
    /// The side of a cell \[m\].
    pub(super) cell: f64,
    /// Cells along each axis.
    pub(super) cells: [usize; 3],
}

impl Lattice {
    fn corner_count(&self) -> usize {
        self.cells.iter().map(|&cells| cells + 1).product()
    }

    pub(super) fn node_count(&self) -> usize {
        self.corner_count() + self.cells.iter().product::<usize>()
    }

    fn corner(&self, [i, j, k]: [usize; 3]) -> Node {
        let [nx, ny, _] = self.cells;
        ((k * (ny + 1) + j) * (nx + 1) + i) as Node
    }

    fn centre(&self, [i, j, k]: [usize; 3]) -> Node {
        let [nx, ny, _] = self.cells;
        (self.corner_count() + (k * ny + j) * nx + i) as Node
    }

    /// The cell whose corner of least coordinates, or whose centre, the node is; and whether it is a centre.
    fn place(&self, node: Node) -> ([usize; 3], bool) {
        let (mut index, corners) = (node as usize, self.corner_count());
        let centre = index >= corners;
        let extra = usize::from(!centre);
        if centre {
            index -= corners;
        }
        let (nx, ny) = (self.cells[0] + extra, self.cells[1] + extra);
        ([index % nx, index / nx % ny, index / (nx * ny)], centre)
    }

    pub(super) fn position(&self, node: Node) -> Vec3 {
        let (cell, centre) = self.place(node);
        self.origin + self.cell * (Vec3::from(cell.map(|i| i as f64)) + if centre { 0.5 } else { 0.0 })
    }

    /// Whether the coordinates of the node add up to an even number: of two ends of a long edge always one is even.
    pub(super) fn is_even(&self, node: Node) -> bool {
        self.place(node).0.iter().sum::<usize>() % 2 == 0
    }

    /// Whether an edge of the lattice joins nodes of a kind.
    pub(super) fn is_long(&self, [a, b]: [Node; 2]) -> bool {
        let corners = self.corner_count() as Node;
        (a < corners) == (b < corners)
    }

    /// Whether the node lies on the rim of the tets.
    pub(super) fn is_rim(&self, node: Node) -> bool {
        let (cell, centre) = self.place(node);
        let last = |axis: usize| self.cells[axis] - usize::from(centre);
        (0..3).any(|axis| cell[axis] == 0 || cell[axis] == last(axis))
    }

    /// Calls `visit` with each edge that leads from `node` to a higher one.
    pub(super) fn for_each_edge_up(&self, node: Node, mut visit: impl FnMut(Node)) {
        let (cell, centre) = self.place(node);
        let ends = self.cells.map(|cells| cells - usize::from(centre));
        for axis in 0..3 {
            let mut next = cell;
            next[axis] += 1;
            if next[axis] <= ends[axis] {
                visit(if centre { self.centre(next) } else { self.corner(next) });
            }
        }
        if centre {
            return;
        }
        for around in 0..8usize {
            // Cells of which the node is a corner.
            let low = [0, 1, 2].map(|axis| (cell[axis] + (around >> axis & 1)).wrapping_sub(1));
            if (0..3).all(|axis| low[axis] < self.cells[axis]) {
                visit(self.centre(low));
            }
        }
    }

    /// Calls `visit` with each tet: two adjacent centres, then two adjacent corners between them.
    pub(super) fn for_each_tet(&self, mut visit: impl FnMut([Node; 4])) {
        let [nx, ny, nz] = self.cells;
        for k in 0..nz {
            for j in 0..ny {
                for i in 0..nx {
                    for axis in 0..3 {
                        let mut next = [i, j, k];
                        next[axis] += 1;
                        if next[axis] >= self.cells[axis] {
                            continue;
                        }
                        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                        // Once round the face between the two cells.
                        let ring = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[along_u, along_v]| {
                            let mut corner = next;
                            corner[u] += along_u;
                            corner[v] += along_v;
                            self.corner(corner)
                        });
                        let centres = [self.centre([i, j, k]), self.centre(next)];
                        for side in 0..4 {
                            visit([centres[0], centres[1], ring[side], ring[(side + 1) % 4]]);
                        }
                    }
                }
            }
        }
    }

    /// The distance at each node \[m\]. Blocks that the surface does not reach have the distance of their middle.
    pub(super) fn distances(&self, solid: &(impl SignedDistance + ?Sized)) -> Vec<f64> {
        let blocks = self.cells.map(|cells| cells / BLOCK + 1);
        let side = self.cell * BLOCK as f64;
        let mut far = vec![0.0; blocks.iter().product()];
        for_each(0..far.len(), Strided { entries: &mut far, stride: 1 }, &|range, part| {
            for (value, block) in part.entries.iter_mut().zip(range) {
                let place = [block % blocks[0], block / blocks[0] % blocks[1], block / (blocks[0] * blocks[1])];
                let middle = self.origin + side * (Vec3::from(place.map(|i| i as f64)) + 0.5);
                // Slightly more than half the diagonal, for rounding.
                if solid.clearance(middle) > 0.5001 * 3f64.sqrt() * side {
                    *value = solid.distance(middle);
                }
            }
        });
        let mut distances = vec![0.0; self.node_count()];
        for_each(0..distances.len(), Strided { entries: &mut distances, stride: 1 }, &|range, part| {
            for (value, node) in part.entries.iter_mut().zip(range) {
                let [i, j, k] = self.place(node as Node).0.map(|i| i / BLOCK);
                let far = far[(k * blocks[1] + j) * blocks[0] + i];
                *value = if far != 0.0 { far } else { solid.distance(self.position(node as Node)) };
            }
        });
        distances
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tet_volume;

    fn lattice() -> Lattice {
        Lattice { origin: Vec3::new(-1.0, 2.0, 0.5), cell: 0.5, cells: [4, 3, 5] }
    }

    #[test]
    fn edges_up_are_the_edges_of_the_tets() {
        let lattice = lattice();
        let mut edges = Vec::new();
        lattice.for_each_tet(|tet| {
            for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                edges.push([tet[i].min(tet[j]), tet[i].max(tet[j])]);
                let length = lattice.position(tet[i]).distance(lattice.position(tet[j]));
                let expected = if lattice.is_long([tet[i], tet[j]]) { 0.5 } else { 0.25 * 3f64.sqrt() };
                assert!((length - expected).abs() < 1e-14);
            }
            assert_ne!(lattice.is_even(tet[0]), lattice.is_even(tet[1]));
            assert_ne!(lattice.is_even(tet[2]), lattice.is_even(tet[3]));
        });
        edges.sort_unstable();
        edges.dedup();
        let mut up = Vec::new();
        for node in 0..lattice.node_count() as Node {
            lattice.for_each_edge_up(node, |other| up.push([node, other]));
        }
        up.sort_unstable();
        let before = up.len();
        up.dedup();
        assert_eq!(before, up.len());
        // The rim has edges without tets, the tets none without an edge.
        assert!(edges.iter().all(|edge| up.binary_search(edge).is_ok()));
        assert!(
            up.iter().filter(|edge| edges.binary_search(edge).is_err()).all(|e| e.iter().all(|&n| lattice.is_rim(n)))
        );
    }

    #[test]
    fn tets_of_the_lattice_are_equal() {
        let lattice = lattice();
        let mut count = 0;
        lattice.for_each_tet(|tet| {
            count += 1;
            let volume = tet_volume(tet.map(|node| lattice.position(node))).abs();
            assert!((volume - 0.125 / 12.0).abs() < 1e-15);
        });
        assert_eq!(count, 4 * (3 * 3 * 5 + 4 * 2 * 5 + 4 * 3 * 4));
    }
}
