//! A tree of boxes that finds the nearest of many things.
//!
//! Items are halved at the median of their centres along the longest side, down to a few per leaf. Nodes lie in the order of
//! a depth-first walk, children after their parent, so that sums over nodes can run backwards through the array.

use std::ops::Range;

use super::Bounds;
use crate::math::Vec3;

/// Items per leaf: testing four triangles costs about as much as opening one more level.
const LEAF: usize = 4;

/// One box of the tree, with the items inside it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) bounds: Bounds,
    /// The part of [`Bvh::items`] below this node.
    pub(crate) items: Range<u32>,
    /// The second child; the first follows its parent directly. Zero for a leaf.
    second: u32,
}

impl Node {
    /// The two children of node `own`; `None` for a leaf.
    pub(crate) fn children(&self, own: usize) -> Option<[usize; 2]> {
        (self.second != 0).then(|| [own + 1, self.second as usize])
    }
}

/// Boxes within boxes.
#[derive(Clone, Debug)]
pub(crate) struct Bvh {
    pub(crate) nodes: Vec<Node>,
    /// The items in the order of the leaves.
    pub(crate) items: Vec<u32>,
}

/// What a query found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    pub(crate) item: u32,
    pub(crate) distance_squared: f64,
}

impl Bvh {
    /// A tree over items with the given boxes, of which there must be at least one.
    pub(crate) fn new(boxes: &[Bounds]) -> Self {
        let mut tree = Self { nodes: Vec::new(), items: (0..boxes.len() as u32).collect() };
        tree.build(boxes, 0..boxes.len());
        tree
    }

    fn build(&mut self, boxes: &[Bounds], range: Range<usize>) {
        let own = self.nodes.len();
        let items = &mut self.items[range.clone()];
        let bounds = items.iter().map(|&item| boxes[item as usize]).reduce(joined).unwrap_or(NOWHERE);
        self.nodes.push(Node { bounds, items: range.start as u32..range.end as u32, second: 0 });
        if items.len() <= LEAF {
            return;
        }
        let centres = items.iter().map(|&item| boxes[item as usize].centre());
        let spread = centres.clone().map(|c| Bounds { min: c, max: c }).reduce(joined).unwrap_or(NOWHERE).size();
        let axis = spread.max_position();
        let middle = items.len() / 2;
        // Equal centres are told apart by their numbers, so that the tree does not depend on the sorting.
        items.select_nth_unstable_by(middle, |&a, &b| {
            let along = |item: u32| boxes[item as usize].centre()[axis];
            along(a).total_cmp(&along(b)).then(a.cmp(&b))
        });
        self.build(boxes, range.start..range.start + middle);
        self.nodes[own].second = self.nodes.len() as u32;
        self.build(boxes, range.start + middle..range.end);
    }

    /// Fits the boxes to items that have moved; which items lie together stays as it was.
    pub(crate) fn refit(&mut self, boxes: &[Bounds]) {
        for own in (0..self.nodes.len()).rev() {
            let node = &self.nodes[own];
            let bounds = match node.children(own) {
                Some(children) => joined(self.nodes[children[0]].bounds, self.nodes[children[1]].bounds),
                None => {
                    let items = &self.items[node.items.start as usize..node.items.end as usize];
                    items.iter().map(|&item| boxes[item as usize]).reduce(joined).unwrap_or(NOWHERE)
                }
            };
            self.nodes[own].bounds = bounds;
        }
    }

    /// Visits the items in leaves that overlap a box, in a fixed order.
    pub(crate) fn overlapping(&self, bounds: &Bounds, mut visit: impl FnMut(u32)) {
        let mut waiting = [0u32; 64];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let own = waiting[count] as usize;
            let node = &self.nodes[own];
            let apart = node.bounds.min.cmpgt(bounds.max).any() || node.bounds.max.cmplt(bounds.min).any();
            if apart {
                continue;
            }
            match node.children(own) {
                Some([first, second]) => {
                    waiting[count] = second as u32;
                    waiting[count + 1] = first as u32;
                    count += 2;
                }
                None => self.items[node.items.start as usize..node.items.end as usize].iter().for_each(|&i| visit(i)),
            }
        }
    }

    /// The item nearest to `point`, given the squared distance to an item. The first found of equally near ones.
    pub(crate) fn nearest(&self, point: Vec3, distance_squared: impl Fn(u32) -> f64) -> Nearest {
        let mut best = Nearest { item: 0, distance_squared: f64::INFINITY };
        // Depth is at most log₂ of 2³² items, and each level leaves one sibling waiting.
        let mut waiting = [(0u32, 0.0); 64];
        let mut count = 1;
        waiting[0] = (0, box_distance_squared(&self.nodes[0].bounds, point));
        while count > 0 {
            count -= 1;
            let (own, least) = waiting[count];
            if least >= best.distance_squared {
                continue;
            }
            let node = &self.nodes[own as usize];
            let Some(children) = node.children(own as usize) else {
                for &item in &self.items[node.items.start as usize..node.items.end as usize] {
                    let distance_squared = distance_squared(item);
                    if distance_squared < best.distance_squared {
                        best = Nearest { item, distance_squared };
                    }
                }
                continue;
            };
            let [first, second] =
                children.map(|child| (child as u32, box_distance_squared(&self.nodes[child].bounds, point)));
            // The nearer child is opened first.
            let order = if first.1 <= second.1 { [second, first] } else { [first, second] };
            waiting[count] = order[0];
            waiting[count + 1] = order[1];
            count += 2;
        }
        best
    }
}

const NOWHERE: Bounds = Bounds { min: Vec3::ZERO, max: Vec3::ZERO };

/// The box around two boxes.
pub(crate) fn joined(a: Bounds, b: Bounds) -> Bounds {
    Bounds { min: a.min.min(b.min), max: a.max.max(b.max) }
}

fn box_distance_squared(bounds: &Bounds, point: Vec3) -> f64 {
    (bounds.min - point).max(point - bounds.max).max(Vec3::ZERO).length_squared()
}

/// The point of a triangle nearest to `p`, by the region of the triangle that `p` lies over [Ericson 2005, 5.1.5].
pub(crate) fn nearest_on_triangle(p: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 > d6 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    let (e4, e5) = (d4 - d3, d5 - d6);
    if va <= 0.0 && e4 >= 0.0 && e5 >= 0.0 && e4 + e5 > 0.0 {
        return b + (c - b) * (e4 / (e4 + e5));
    }
    let sum = va + vb + vc;
    // A triangle without area has no inside; its corners have been tried.
    if sum > 0.0 { a + ab * (vb / sum) + ac * (vc / sum) } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points that fill the unit cube evenly, the same on every machine.
    fn scattered(count: usize) -> impl Iterator<Item = Vec3> {
        (1..=count).map(|i| (Vec3::new(0.8191725, 0.6710436, 0.5497005) * i as f64).fract())
    }

    #[test]
    fn the_nearest_item_is_the_one_that_trying_all_finds() {
        let points: Vec<Vec3> = scattered(500).collect();
        let boxes: Vec<Bounds> = points.iter().map(|&p| Bounds { min: p, max: p }).collect();
        let tree = Bvh::new(&boxes);
        assert_eq!(tree.items.len(), 500);
        for query in scattered(200).map(|p| 3.0 * p - 1.0) {
            let distance_squared = |item: u32| points[item as usize].distance_squared(query);
            let least = (0..500).map(distance_squared).fold(f64::INFINITY, f64::min);
            let found = tree.nearest(query, distance_squared);
            assert_eq!(found.distance_squared, least);
            assert_eq!(distance_squared(found.item), least);
        }
    }

    #[test]
    fn the_nearest_point_of_a_triangle_is_nearer_than_any_sample_of_it() {
        let triangle = [Vec3::new(0.2, 0.1, 0.4), Vec3::new(0.9, 0.3, 0.5), Vec3::new(0.4, 0.8, 0.2)];
        let [a, b, c] = triangle;
        for p in scattered(300).map(|p| 3.0 * p - 1.0) {
            let nearest = nearest_on_triangle(p, triangle);
            let distance = nearest.distance(p);
            let samples = (0..=40).flat_map(|i| (0..=40 - i).map(move |j| (i as f64 / 40.0, j as f64 / 40.0)));
            let sampled =
                samples.map(|(u, v)| (a + (b - a) * u + (c - a) * v).distance(p)).fold(f64::INFINITY, f64::min);
            assert!(distance <= sampled + 1e-12 && sampled - distance < 0.02, "{distance} {sampled}");
        }
    }

    #[test]
    fn flat_triangles_still_have_a_nearest_point() {
        let needle = [Vec3::ZERO, Vec3::X, Vec3::X * 0.5];
        let nearest = nearest_on_triangle(Vec3::new(0.3, 1.0, 0.0), needle);
        assert!((nearest - Vec3::X * 0.3).length() < 1e-12, "{nearest}");
        assert_eq!(nearest_on_triangle(Vec3::ONE, [Vec3::Y; 3]), Vec3::Y);
    }
}
