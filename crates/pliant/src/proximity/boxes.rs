//! Boxes in single precision: half the memory, and one instruction for three comparisons.
//!
//! Rounding to a shorter number keeps order: a ≤ b stays so. Boxes are only ever compared and joined, so boxes that overlap still do after
//! rounding, and none has to be grown to be on the safe side.

use glam::Vec3A;

use super::Pair;
use crate::math::Vec3;
use crate::mesh::Bounds;

/// An axis-aligned box, relative to some origin \[m\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ShortBox {
    pub(super) min: Vec3A,
    pub(super) max: Vec3A,
}

impl ShortBox {
    /// A box that joins with any other to that other.
    pub(super) const NOWHERE: Self = Self { min: Vec3A::INFINITY, max: Vec3A::NEG_INFINITY };

    /// A box seen from an origin, which should be near: single precision has seven digits.
    pub(super) fn new(bounds: &Bounds, origin: Vec3) -> Self {
        Self { min: (bounds.min - origin).as_vec3a(), max: (bounds.max - origin).as_vec3a() }
    }

    #[inline]
    pub(super) fn joined(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    #[inline]
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        (self.min.cmple(other.max) & other.min.cmple(self.max)).all()
    }

    /// Whether two boxes that move and change linearly may meet, given both at the beginning and at the end: not if one is beyond the other
    /// along an axis at both times.
    #[inline]
    pub(super) fn meets([start, end]: [&Self; 2], [other_start, other_end]: [&Self; 2]) -> bool {
        let above = start.min.cmpgt(other_start.max) & end.min.cmpgt(other_end.max);
        let below = other_start.min.cmpgt(start.max) & other_end.min.cmpgt(end.max);
        !(above | below).any()
    }

    /// Twice its middle.
    pub(super) fn middle(&self) -> Vec3A {
        self.min + self.max
    }

    /// Sum of the lengths of its three directions.
    pub(super) fn half_perimeter(&self) -> f32 {
        (self.max - self.min).element_sum()
    }
}

/// The boxes of everything that a world has, for one movement of its vertices.
#[derive(Debug, Clone, Default)]
pub(super) struct Boxes {
    pub(super) vertices: Vec<ShortBox>,
    pub(super) edges: Vec<ShortBox>,
    pub(super) triangles: Vec<ShortBox>,
}

impl Boxes {
    /// From the boxes of vertices.
    pub(super) fn update(&mut self, edges: &[[u32; 2]], triangles: &[[u32; 3]], vertices: &[Bounds], origin: Vec3) {
        self.vertices.clear();
        self.vertices.extend(vertices.iter().map(|bounds| ShortBox::new(bounds, origin)));
        around(&mut self.edges, edges, &self.vertices);
        around(&mut self.triangles, triangles, &self.vertices);
    }

    /// Whether the boxes of a pair's two sides overlap.
    #[inline]
    pub(super) fn overlap(&self, pair: Pair) -> bool {
        match pair {
            Pair::VertexTriangle(vertex, triangle) => {
                self.vertices[vertex as usize].overlaps(&self.triangles[triangle as usize])
            }
            Pair::EdgeEdge(first, second) => self.edges[first as usize].overlaps(&self.edges[second as usize]),
        }
    }
}

/// The boxes of everything at the beginning and at the end of a movement.
#[derive(Debug, Clone, Default)]
pub(super) struct MovingBoxes {
    pub(super) start: Boxes,
    pub(super) end: Boxes,
}

impl MovingBoxes {
    /// Whether a pair's two sides may meet while they move.
    #[inline]
    pub(super) fn meet(&self, pair: Pair) -> bool {
        let Self { start, end } = self;
        match pair {
            Pair::VertexTriangle(vertex, triangle) => {
                let (vertex, triangle) = (vertex as usize, triangle as usize);
                let own = [&start.vertices[vertex], &end.vertices[vertex]];
                ShortBox::meets(own, [&start.triangles[triangle], &end.triangles[triangle]])
            }
            Pair::EdgeEdge(first, second) => {
                let [first, second] =
                    [first, second].map(|edge| [&start.edges[edge as usize], &end.edges[edge as usize]]);
                ShortBox::meets(first, second)
            }
        }
    }
}

fn around<const N: usize>(boxes: &mut Vec<ShortBox>, items: &[[u32; N]], vertices: &[ShortBox]) {
    boxes.clear();
    let corner = |v: u32| vertices[v as usize];
    boxes.extend(
        items.iter().map(|corners| corners[1..].iter().fold(corner(corners[0]), |joined, &v| joined.joined(corner(v)))),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proximity::tests_support::scattered;

    #[test]
    fn boxes_that_overlap_still_do_when_rounded() {
        let points: Vec<Vec3> = scattered(400).collect();
        let origin = Vec3::splat(0.4);
        let mut touching = 0;
        for (k, p) in points.iter().enumerate() {
            // Each touches the next in one number exactly.
            let q = points[(k + 1) % points.len()];
            let first = Bounds { min: p.min(q), max: p.max(q) };
            let second = Bounds { min: first.max, max: first.max + 0.1 };
            let beyond = Bounds { min: second.min + 1e-3, max: second.max + 1e-3 };
            let short = |bounds| ShortBox::new(bounds, origin);
            assert!(short(&first).overlaps(&short(&second)) && short(&second).overlaps(&short(&first)));
            touching += usize::from(short(&first).overlaps(&short(&beyond)));
        }
        assert_eq!(touching, 0, "a millimetre apart");
    }
}
