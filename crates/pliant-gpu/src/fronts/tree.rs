//! Fronts: sets of unknowns that are eliminated together, as a tree.
//!
//! Nested dissection gives a tree of small separators. Every level of it costs two dispatches that wait for the level before, so neighbouring levels are merged:
//! a front then has the unknowns of several separators, and a dense block that also holds the zeros between them. A model of the cost, bytes over
//! bandwidth and a latency for each level, decides which levels to merge.

use pliant::math::Vec3;
use pliant::sparse::{SeparatorTree, SymmetricPattern};
use rayon::prelude::*;

/// Sets that are not dissected further. Larger ones hold more zeros, smaller ones make more levels.
const LEAF: usize = 16;
/// Levels of the dissection that may become one.
const MOST_MERGED: usize = 5;
/// Unknowns of a front that merging may lead to: beyond, preparing it takes too long.
const MOST_COLUMNS: usize = 4096;

/// What a solve costs on a device, as far as levels depend on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostModel {
    /// Bytes of fronts that it reads in a second.
    pub bandwidth: f64,
    /// Seconds for each level.
    pub level: f64,
    /// Seconds for each front, beside its bytes.
    pub front: f64,
}

impl Default for CostModel {
    /// Measured on a data-centre GPU; a smaller one has less of both, and the ratio is what counts.
    fn default() -> Self {
        Self { bandwidth: 2.5e12, level: 35e-6, front: 1e-9 }
    }
}

/// Unknowns that are eliminated together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Front {
    /// Place of the first of its unknowns in the order of elimination; they are next to each other.
    pub(crate) first: usize,
    /// Number of its unknowns.
    pub(crate) columns: usize,
    /// Places of later unknowns that it is coupled with, ascending.
    pub(crate) rows: Vec<u32>,
    /// Fronts below it.
    pub(crate) children: Vec<u32>,
    /// 0 for those that are eliminated last.
    pub(crate) level: usize,
}

impl Front {
    /// Where a later unknown is among its columns and rows.
    pub(crate) fn index_of(&self, place: u32) -> usize {
        match (place as usize).checked_sub(self.first) {
            Some(offset) if offset < self.columns => offset,
            // Fill stays within the rows, so that it is one of them.
            _ => self.columns + self.rows.partition_point(|&row| row < place),
        }
    }
}

/// All fronts of a matrix.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fronts {
    /// Each after those below it.
    pub(crate) fronts: Vec<Front>,
    /// By level.
    pub(crate) levels: Vec<Vec<u32>>,
    /// Unknown at each place of the order of elimination, and the place of each unknown.
    pub(crate) order: Vec<u32>,
    pub(crate) places: Vec<u32>,
}

impl Fronts {
    pub(crate) fn new(pattern: &SymmetricPattern, positions: &[Vec3], cost: &CostModel) -> Self {
        let tree = SeparatorTree::dissect(pattern, positions, LEAF);
        let nodes = Nodes::new(&tree, pattern);
        let cuts = nodes.merge(cost);
        nodes.group(&cuts)
    }

    /// Places of parts that are not connected to others.
    pub(crate) fn parts(&self) -> Vec<std::ops::Range<usize>> {
        let mut first = 0;
        // Fronts of a part come one after the other, the last of them without rows.
        let tops = self.fronts.iter().filter(|front| front.level == 0);
        tops.map(|top| std::mem::replace(&mut first, top.first + top.columns)..top.first + top.columns).collect()
    }
}

/// The dissection with what its separators are coupled with.
struct Nodes<'a> {
    tree: &'a SeparatorTree,
    by_depth: Vec<Vec<u32>>,
    depth: Vec<u32>,
    /// Unknowns outside of what is below a node that are coupled with it, as (node, number in it).
    boundary: Vec<Vec<(u32, u32)>>,
    /// Unknowns so many levels below a node.
    unknowns: Vec<Vec<usize>>,
}

impl<'a> Nodes<'a> {
    fn new(tree: &'a SeparatorTree, pattern: &SymmetricPattern) -> Self {
        let count = tree.nodes.len();
        let mut depth = vec![0u32; count];
        for (k, node) in tree.nodes.iter().enumerate().rev() {
            node.children.iter().for_each(|&child| depth[child as usize] = depth[k] + 1);
        }
        let mut by_depth = vec![Vec::new(); depth.iter().max().map_or(0, |most| *most as usize + 1)];
        depth.iter().enumerate().for_each(|(k, &depth)| by_depth[depth as usize].push(k as u32));
        let mut owner = vec![(0, 0); pattern.size()];
        for (k, node) in (0..).zip(&tree.nodes) {
            (0..).zip(&node.unknowns).for_each(|(number, &v)| owner[v as usize] = (k, number));
        }
        let neighbours = later_neighbours(pattern, &owner);
        let mut boundary: Vec<Vec<(u32, u32)>> = vec![Vec::new(); count];
        for nodes in by_depth.iter().rev() {
            let found: Vec<_> = nodes
                .par_iter()
                .map(|&k| {
                    let node = &tree.nodes[k as usize];
                    let below = node.children.iter().flat_map(|&child| &boundary[child as usize]);
                    let own = node.unknowns.iter().flat_map(|&v| neighbours.of(v));
                    let mut all: Vec<_> = below.chain(own).copied().filter(|&(node, _)| node > k).collect();
                    all.sort_unstable();
                    all.dedup();
                    all
                })
                .collect();
            nodes.iter().zip(found).for_each(|(&k, found)| boundary[k as usize] = found);
        }
        let mut unknowns: Vec<Vec<usize>> = Vec::with_capacity(count);
        for node in &tree.nodes {
            let mut below = vec![node.unknowns.len()];
            for &child in &node.children {
                let child: &Vec<usize> = &unknowns[child as usize];
                below.resize(below.len().max(child.len() + 1), 0);
                below[1..].iter_mut().zip(child).for_each(|(sum, count)| *sum += count);
            }
            unknowns.push(below);
        }
        Self { tree, by_depth, depth, boundary, unknowns }
    }

    /// The depths at which levels begin, and the end: the cheapest way to divide them.
    fn merge(&self, cost: &CostModel) -> Vec<usize> {
        let depths = self.by_depth.len();
        let mut best = vec![(f64::INFINITY, 0); depths + 1];
        best[depths] = (0.0, depths);
        for begin in (0..depths).rev() {
            for end in begin + 1..=depths.min(begin + MOST_MERGED) {
                let (mut entries, mut largest) = (0, 0);
                for &k in &self.by_depth[begin] {
                    let columns: usize = self.unknowns[k as usize].iter().take(end - begin).sum();
                    entries += columns * (columns + 2 * self.boundary[k as usize].len());
                    largest = largest.max(columns);
                }
                if end > begin + 1 && largest > MOST_COLUMNS {
                    continue;
                }
                let fronts = self.by_depth[begin].len() as f64;
                let time = 4.0 * entries as f64 / cost.bandwidth + cost.level + fronts * cost.front + best[end].0;
                if time < best[begin].0 {
                    best[begin] = (time, end);
                }
            }
        }
        let mut cuts = vec![0];
        while let Some(&last) = cuts.last()
            && last < depths
        {
            cuts.push(best[last].1);
        }
        cuts
    }

    /// Fronts of merged levels.
    fn group(&self, cuts: &[usize]) -> Fronts {
        let mut fronts = Fronts { levels: vec![Vec::new(); cuts.len() - 1], ..Fronts::default() };
        let mut tops = Vec::new();
        for &root in &self.tree.roots {
            self.group_from(root, 0, cuts, &mut fronts, &mut tops);
        }
        fronts.places = vec![0; fronts.order.len()];
        for (place, &v) in fronts.order.iter().enumerate() {
            fronts.places[v as usize] = place as u32;
        }
        let places = &fronts.places;
        fronts.fronts.par_iter_mut().zip(&tops).for_each(|(front, &top)| {
            let unknown = |&(node, number): &(u32, u32)| self.tree.nodes[node as usize].unknowns[number as usize];
            front.rows = self.boundary[top as usize].iter().map(|at| places[unknown(at) as usize]).collect();
            front.rows.sort_unstable();
        });
        fronts
    }

    /// The front with a node on top, after those below it; its number.
    fn group_from(&self, top: u32, level: usize, cuts: &[usize], fronts: &mut Fronts, tops: &mut Vec<u32>) -> u32 {
        let (mut members, mut below) = (Vec::new(), Vec::new());
        let mut pending = vec![top];
        while let Some(k) = pending.pop() {
            members.push(k);
            for &child in &self.tree.nodes[k as usize].children {
                let is_below = self.depth[child as usize] as usize >= cuts[level + 1];
                if is_below { &mut below } else { &mut pending }.push(child);
            }
        }
        let children = below.iter().map(|&k| self.group_from(k, level + 1, cuts, fronts, tops)).collect();
        let first = fronts.order.len();
        // Those below come first.
        members.iter().rev().for_each(|&k| fronts.order.extend(&self.tree.nodes[k as usize].unknowns));
        let columns = fronts.order.len() - first;
        let number = fronts.fronts.len() as u32;
        fronts.fronts.push(Front { first, columns, rows: Vec::new(), children, level });
        fronts.levels[level].push(number);
        tops.push(top);
        number
    }
}

/// For each unknown its neighbours in nodes further up.
struct Neighbours {
    starts: Vec<u32>,
    list: Vec<(u32, u32)>,
}

impl Neighbours {
    fn of(&self, v: u32) -> &[(u32, u32)] {
        &self.list[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }
}

fn later_neighbours(pattern: &SymmetricPattern, owner: &[(u32, u32)]) -> Neighbours {
    let columns = (0..pattern.size()).flat_map(|j| pattern.column(j).map(move |k| (k, j)));
    let pairs = columns.filter_map(|(k, j)| {
        let i = pattern.rows()[k] as usize;
        // The other one is the later.
        match owner[i].0.cmp(&owner[j].0) {
            std::cmp::Ordering::Less => Some((i, j)),
            std::cmp::Ordering::Greater => Some((j, i)),
            std::cmp::Ordering::Equal => None,
        }
    });
    let mut starts = vec![0u32; pattern.size() + 1];
    pairs.clone().for_each(|(v, _)| starts[v + 1] += 1);
    (0..pattern.size()).for_each(|v| starts[v + 1] += starts[v]);
    let (mut next, mut list) = (starts.clone(), vec![(0, 0); starts[pattern.size()] as usize]);
    for (v, w) in pairs {
        list[next[v] as usize] = owner[w];
        next[v] += 1;
    }
    Neighbours { starts, list }
}
