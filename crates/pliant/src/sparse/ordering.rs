//! The order of elimination: nested dissection along coordinates [George 1973], minimum degree in the small.
//!
//! A set of vertices is halved by a plane across its longest side; the vertices on one side that touch the other separate
//! the halves and are eliminated last. Meshes have coordinates, and a plane through a mesh is nearly as good a separator as
//! one found by a general graph partitioner, at a small part of its cost. The halves become the subtrees that threads work
//! on, so the order serves the parallel solve too.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::SymmetricPattern;
use super::cholesky::minimum_degree;
use crate::math::Vec3;
use crate::parallel;

/// Sets of at most this many vertices are ordered by minimum degree, which has less fill than dissection in the small.
const LEAF: usize = 128;

/// Both directions of each off-diagonal place of a pattern.
pub(super) struct Graph {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    pub(super) fn new(pattern: &SymmetricPattern) -> Self {
        let n = pattern.size();
        let mut starts = vec![0u32; n + 1];
        let places = || (0..n).flat_map(|j| pattern.rows()[pattern.column(j)].iter().map(move |&i| (i as usize, j)));
        for (i, j) in places().filter(|(i, j)| i != j) {
            starts[i + 1] += 1;
            starts[j + 1] += 1;
        }
        (0..n).for_each(|i| starts[i + 1] += starts[i]);
        let mut next = starts.clone();
        let mut neighbours = vec![0u32; starts[n] as usize];
        for (i, j) in places().filter(|(i, j)| i != j) {
            for (from, to) in [(i, j), (j, i)] {
                neighbours[next[from] as usize] = to as u32;
                next[from] += 1;
            }
        }
        Self { starts, neighbours }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn neighbours(&self, vertex: u32) -> &[u32] {
        &self.neighbours[self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize]
    }

    /// Connected component of each vertex, numbered by their first vertices, and the number of components.
    pub(super) fn components(&self) -> (Vec<u32>, usize) {
        let mut component = vec![u32::MAX; self.len()];
        let mut count = 0;
        let mut pending = Vec::new();
        for first in 0..self.len() as u32 {
            if component[first as usize] != u32::MAX {
                continue;
            }
            component[first as usize] = count;
            pending.push(first);
            while let Some(v) = pending.pop() {
                for &w in self.neighbours(v) {
                    if component[w as usize] == u32::MAX {
                        component[w as usize] = count;
                        pending.push(w);
                    }
                }
            }
            count += 1;
        }
        (component, count as usize)
    }

    /// Vertices of each connected component, ascending.
    pub(super) fn members(&self) -> Vec<Vec<u32>> {
        let (component, count) = self.components();
        let mut members = vec![Vec::new(); count];
        component.iter().enumerate().for_each(|(v, &c)| members[c as usize].push(v as u32));
        members
    }
}

/// Elimination order of a connected graph whose vertices have these positions: `order[k]` is eliminated k-th.
pub(super) fn nested_dissection(graph: &Graph, positions: &[Vec3]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..graph.len() as u32).collect();
    let dissection = Dissection { graph, positions, region: (0..graph.len()).map(|_| AtomicU32::new(1)).collect() };
    dissection.dissect(&mut order, 1);
    postorder(graph, &order)
}

/// Unknowns that separate those below them from all others, or a set that is not divided further.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Separator {
    /// The unknowns, ascending; empty where parts need nothing to be apart.
    pub unknowns: Vec<u32>,
    /// What it separates: numbers in the tree, below its own.
    pub children: Vec<u32>,
}

/// A pattern taken apart by separators, as trees: parts that are not connected have trees of their own. For solvers that eliminate
/// whole separators at once, on devices of other kinds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SeparatorTree {
    /// Separators, each after those below it.
    pub nodes: Vec<Separator>,
    /// The last of each tree.
    pub roots: Vec<u32>,
}

impl SeparatorTree {
    /// Dissects unknowns at positions in space until sets have at most so many of them.
    ///
    /// # Panics
    /// If there is not a position for each unknown.
    pub fn dissect(pattern: &SymmetricPattern, positions: &[Vec3], most_in_a_set: usize) -> Self {
        assert_eq!(pattern.size(), positions.len(), "unknowns of the pattern and their positions");
        let graph = Graph::new(pattern);
        let mut parts = graph.members();
        let dissection =
            Dissection { graph: &graph, positions, region: (0..graph.len()).map(|_| AtomicU32::new(1)).collect() };
        let trees = parallel::map(parts.iter_mut().collect(), &|part: &mut Vec<u32>| {
            dissection.tree(part, 1, most_in_a_set.max(1))
        });
        let mut forest = Self::default();
        for tree in trees {
            let root = forest.push(tree);
            forest.roots.push(root);
        }
        forest
    }

    fn push(&mut self, tree: Nested) -> u32 {
        let children = tree.children.into_iter().map(|child| self.push(child)).collect();
        self.nodes.push(Separator { unknowns: tree.unknowns, children });
        self.nodes.len() as u32 - 1
    }
}

/// A tree that owns its parts.
struct Nested {
    unknowns: Vec<u32>,
    children: Vec<Nested>,
}

struct Dissection<'a> {
    graph: &'a Graph,
    positions: &'a [Vec3],
    /// Which set of the recursion a vertex is in: the halves of set r are 2r and 2r + 1, separators are in none (0). Threads
    /// work on disjoint sets, and ask of other sets' vertices only whether they are in their own.
    region: Vec<AtomicU32>,
}

impl Dissection<'_> {
    fn region(&self, vertex: u32) -> u32 {
        self.region[vertex as usize].load(Ordering::Relaxed)
    }

    fn assign(&self, vertices: &[u32], region: u32) {
        vertices.iter().for_each(|&v| self.region[v as usize].store(region, Ordering::Relaxed));
    }

    /// Puts the vertices of a region into their order of elimination.
    fn dissect(&self, vertices: &mut [u32], region: u32) {
        if vertices.len() <= LEAF || region >= 1 << 30 {
            return self.order_leaf(vertices, region);
        }
        let Some((left, right)) = self.cut(vertices, region) else {
            return self.order_leaf(vertices, region);
        };
        // The recursion reorders left and right; the separator stays behind them.
        let (halves, _separator) = vertices.split_at_mut(right.end);
        let (first, second) = halves.split_at_mut(left.end);
        parallel::join(|| self.dissect(first, 2 * region), || self.dissect(second, 2 * region + 1));
    }

    /// The same as a tree, down to sets of at most so many vertices.
    fn tree(&self, vertices: &mut [u32], region: u32, most: usize) -> Nested {
        let cut = if vertices.len() <= most || region >= 1 << 30 { None } else { self.cut(vertices, region) };
        let Some((left, right)) = cut else {
            vertices.sort_unstable();
            return Nested { unknowns: vertices.to_vec(), children: Vec::new() };
        };
        let (halves, separator) = vertices.split_at_mut(right.end);
        separator.sort_unstable();
        let (first, second) = halves.split_at_mut(left.end);
        let (a, b) = parallel::join(|| self.tree(first, 2 * region, most), || self.tree(second, 2 * region + 1, most));
        Nested { unknowns: separator.to_vec(), children: vec![a, b] }
    }

    /// Arranges vertices as left half, right half, separator, and returns the halves; none where no plane divides them.
    fn cut(&self, vertices: &mut [u32], region: u32) -> Option<(Range<usize>, Range<usize>)> {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &v in vertices.iter() {
            low = low.min(self.positions[v as usize]);
            high = high.max(self.positions[v as usize]);
        }
        let extent = high - low;
        let longest = extent.max_element();
        let mut best: Option<(usize, usize, f64, bool)> = None;
        let mut coordinates = Vec::with_capacity(vertices.len());
        for axis in 0..3 {
            // Across a shorter side the separator would be larger. Sides nearly as long get a try.
            if extent[axis] < 0.7 * longest || extent[axis] <= 0.0 {
                continue;
            }
            coordinates.clear();
            coordinates.extend(vertices.iter().map(|&v| self.positions[v as usize][axis]));
            let middle = coordinates.len() / 2;
            let plane = *coordinates.select_nth_unstable_by(middle, f64::total_cmp).1;
            // Vertices on the plane go to the right, unless that is all.
            let plane = if plane > low[axis] { plane } else { next_above(&coordinates, plane)? };
            for from_left in [false, true] {
                let size = self.separator_size(vertices, region, axis, plane, from_left);
                if best.is_none_or(|(least, ..)| size < least) {
                    best = Some((size, axis, plane, from_left));
                }
            }
        }
        let (size, axis, plane, from_left) = best?;
        if size * 2 > vertices.len() {
            return None;
        }
        let place = |v: u32| -> u8 {
            if self.separates(v, region, axis, plane, from_left) {
                2
            } else {
                u8::from(self.positions[v as usize][axis] >= plane)
            }
        };
        let mut sorted: Vec<(u8, u32)> = vertices.iter().map(|&v| (place(v), v)).collect();
        sorted.sort_by_key(|&(place, _)| place);
        let left = sorted.partition_point(|&(place, _)| place < 1);
        let right = sorted.partition_point(|&(place, _)| place < 2);
        vertices.iter_mut().zip(&sorted).for_each(|(slot, &(_, v))| *slot = v);
        self.assign(&vertices[..left], 2 * region);
        self.assign(&vertices[left..right], 2 * region + 1);
        self.assign(&vertices[right..], 0);
        (left > 0 && right > left).then_some((0..left, left..right))
    }

    fn separator_size(&self, vertices: &[u32], region: u32, axis: usize, plane: f64, from_left: bool) -> usize {
        vertices.iter().filter(|&&v| self.separates(v, region, axis, plane, from_left)).count()
    }

    /// Whether a vertex is on the side that gives the separator and touches the other one.
    fn separates(&self, v: u32, region: u32, axis: usize, plane: f64, from_left: bool) -> bool {
        let is_left = |v: u32| self.positions[v as usize][axis] < plane;
        is_left(v) == from_left
            && self.graph.neighbours(v).iter().any(|&w| is_left(w) != from_left && self.region(w) == region)
    }

    fn order_leaf(&self, vertices: &mut [u32], region: u32) {
        vertices.sort_unstable();
        let local = |w: u32| vertices.binary_search(&w).ok().map(|k| k as u32);
        let mut starts = vec![0u32];
        let mut rows = Vec::new();
        for (j, &v) in vertices.iter().enumerate() {
            let before = rows.len();
            let inside = self.graph.neighbours(v).iter().filter(|&&w| self.region(w) == region && w < v);
            rows.extend(inside.filter_map(|&w| local(w)));
            rows[before..].sort_unstable();
            rows.push(j as u32);
            starts.push(rows.len() as u32);
        }
        let order: Vec<u32> = minimum_degree(&starts, &rows).iter().map(|&k| vertices[k as usize]).collect();
        vertices.copy_from_slice(&order);
    }
}

/// The least coordinate above a value.
fn next_above(coordinates: &[f64], value: f64) -> Option<f64> {
    let above = coordinates.iter().copied().filter(|&c| c > value).fold(f64::INFINITY, f64::min);
    above.is_finite().then_some(above)
}

/// The same elimination with columns of one supernode next to each other: the elimination tree's nodes after their
/// children.
fn postorder(graph: &Graph, order: &[u32]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let n = order.len();
    let mut place = vec![0u32; n];
    order.iter().enumerate().for_each(|(k, &v)| place[v as usize] = k as u32);
    // Parents in the elimination tree, with path compression [Liu 1990].
    let (mut parent, mut ancestor) = (vec![NONE; n], vec![NONE; n]);
    for k in 0..n as u32 {
        for &w in graph.neighbours(order[k as usize]) {
            let mut i = place[w as usize];
            while i < k {
                let next = std::mem::replace(&mut ancestor[i as usize], k);
                if next == NONE {
                    parent[i as usize] = k;
                }
                if next == NONE || next == k {
                    break;
                }
                i = next;
            }
        }
    }
    let (mut first_child, mut sibling) = (vec![NONE; n], vec![NONE; n]);
    for k in (0..n).rev() {
        if parent[k] != NONE {
            sibling[k] = std::mem::replace(&mut first_child[parent[k] as usize], k as u32);
        }
    }
    let mut result = Vec::with_capacity(n);
    let mut path = Vec::new();
    for root in (0..n as u32).filter(|&k| parent[k as usize] == NONE) {
        path.push(root);
        while let Some(&k) = path.last() {
            let child = first_child[k as usize];
            if child == NONE {
                result.push(order[k as usize]);
                path.pop();
            } else {
                first_child[k as usize] = sibling[child as usize];
                path.push(child);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(side: usize) -> (SymmetricPattern, Vec<Vec3>) {
        let id = |i: usize, j: usize| (i * side + j) as u32;
        let mut links = Vec::new();
        for i in 0..side {
            for j in 0..side {
                if i + 1 < side {
                    links.push((id(i, j), id(i + 1, j)));
                }
                if j + 1 < side {
                    links.push((id(i, j), id(i, j + 1)));
                }
            }
        }
        let positions = (0..side * side).map(|k| Vec3::new((k / side) as f64, (k % side) as f64, 0.0)).collect();
        (SymmetricPattern::new(side * side, links.into_iter()), positions)
    }

    /// Entries of L below the diagonal, by symbolic elimination.
    fn fill(graph: &Graph, order: &[u32]) -> usize {
        let n = order.len();
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(k, &v)| place[v as usize] = k);
        let mut columns: Vec<std::collections::BTreeSet<usize>> = (0..n)
            .map(|k| graph.neighbours(order[k]).iter().map(|&w| place[w as usize]).filter(|&i| i > k).collect())
            .collect();
        let mut count = 0;
        for k in 0..n {
            let column = std::mem::take(&mut columns[k]);
            count += column.len();
            if let Some(&first) = column.first() {
                columns[first].extend(column.into_iter().skip(1));
            }
        }
        count
    }

    #[test]
    fn dissection_orders_every_vertex_once_with_less_fill_than_rows_of_the_grid() {
        let (pattern, positions) = grid(40);
        let graph = Graph::new(&pattern);
        let order = nested_dissection(&graph, &positions);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(k, &v)| k == v as usize));
        let natural: Vec<u32> = (0..order.len() as u32).collect();
        assert!(2 * fill(&graph, &order) < fill(&graph, &natural));
    }

    #[test]
    fn coincident_positions_are_ordered_all_the_same() {
        let (pattern, _) = grid(20);
        let graph = Graph::new(&pattern);
        let mut order = nested_dissection(&graph, &vec![Vec3::ZERO; 400]);
        order.sort_unstable();
        assert_eq!(order, (0..400).collect::<Vec<u32>>());
    }

    #[test]
    fn separators_keep_what_is_below_them_apart() {
        let (pattern, positions) = grid(40);
        let (graph, tree) = (Graph::new(&pattern), SeparatorTree::dissect(&pattern, &positions, 12));
        assert_eq!(tree.roots, [tree.nodes.len() as u32 - 1]);
        // Node of each vertex, and the first node below each node: nodes below one are numbered in a row.
        let mut node = vec![u32::MAX; 1600];
        let mut first: Vec<u32> = (0..tree.nodes.len() as u32).collect();
        for (k, separator) in (0u32..).zip(&tree.nodes) {
            assert!(separator.unknowns.len() <= 12 || !separator.children.is_empty());
            separator.unknowns.iter().for_each(|&v| assert_eq!(std::mem::replace(&mut node[v as usize], k), u32::MAX));
            if let Some(&child) = separator.children.first() {
                first[k as usize] = first[child as usize];
            }
        }
        assert!(node.iter().all(|&k| k != u32::MAX));
        for v in 0..1600 {
            for &w in graph.neighbours(v) {
                let (low, high) = (node[v as usize].min(node[w as usize]), node[v as usize].max(node[w as usize]));
                assert!(first[high as usize] <= low, "{v} and {w} are neighbours in {low} and {high}");
            }
        }
    }

    #[test]
    fn unconnected_parts_have_trees_of_their_own() {
        let pattern = SymmetricPattern::new(5, [(0, 3), (1, 4)].into_iter());
        let tree = SeparatorTree::dissect(&pattern, &[Vec3::ZERO; 5], 12);
        let sets: Vec<_> = tree.roots.iter().map(|&root| tree.nodes[root as usize].unknowns.clone()).collect();
        assert_eq!(sets, [vec![0, 3], vec![1, 4], vec![2]]);
    }

    #[test]
    fn components_are_numbered_by_their_first_vertices() {
        let pattern = SymmetricPattern::new(5, [(0, 3), (1, 4)].into_iter());
        assert_eq!(Graph::new(&pattern).components(), (vec![0, 1, 2, 0, 1], 3));
    }
}
