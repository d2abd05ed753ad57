//! Where the vertices of an element are after a change.
//!
//! An element follows the cells that it belongs to: those that contain it (a spring along an edge, a handle at a vertex), or those
//! that it spans (a hinge its two triangles, a curvature its ring). Where the cells that contain it have parted it is
//! copied, with shares of its weight by their rest measures; where the cells that it spans have parted it is gone. So is a spring along an edge that a cut
//! crosses.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::Cells;
use super::change::Change;
use crate::math::Vec3;

/// Distances from an edge below this share of its length are rounding.
const ON_EDGE: f64 = 1e-9;

/// What became of an element.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Image {
    /// Nothing.
    Same,
    /// It is here, with these shares of its weight; more than one where it was torn in two.
    Parts(Vec<(Vec<u32>, f64)>),
    /// It spanned what has parted.
    Gone,
    /// It lay in a cell that was divided or moved: elements of the parts must be made from the material.
    Divided,
}

/// Finds images of elements; vertices are those of the body.
pub(super) struct Images<'a> {
    before: &'a Cells,
    after: &'a Cells,
    /// Rest positions after the change \[m\].
    rest: &'a [Vec3],
    fans: Vec<Vec<u32>>,
    /// The parts of divided cells.
    parts: BTreeMap<u32, Vec<u32>>,
    /// The vertex before the change that each one is, or is a copy of.
    ancestors: Vec<Option<u32>>,
    is_touched: Vec<bool>,
    is_moved: Vec<bool>,
}

impl<'a> Images<'a> {
    pub(super) fn new(change: &Change, before: &'a Cells, after: &'a Cells, rest: &'a [Vec3]) -> Self {
        let count = rest.len() - change.vertices.len();
        let mut ancestors: Vec<Option<u32>> = (0..count as u32).map(Some).collect();
        for origin in &change.vertices {
            ancestors.push(origin.copied().and_then(|v| ancestors[v as usize]));
        }
        let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (k, (parent, _)) in (before.len() as u32..).zip(&change.added) {
            parts.entry(*parent).or_insert_with(|| vec![*parent]).push(k);
        }
        let mut is_touched = vec![false; count];
        for cell in change.changed.iter().chain(&change.added).map(|(cell, _)| *cell) {
            before.cell(cell as usize).iter().for_each(|&v| is_touched[v as usize] = true);
        }
        let fans = before.fans(count);
        let mut is_moved = vec![false; count];
        for v in change.moved.iter().map(|(_, v, _)| *v as usize).filter(|v| *v < count) {
            let around = fans[v].iter().flat_map(|&cell| before.cell(cell as usize));
            around.for_each(|&v| is_touched[v as usize] = true);
            is_moved[v] = true;
        }
        Self { before, after, rest, fans, parts, ancestors, is_touched, is_moved }
    }

    /// What became of an element at these vertices.
    pub(super) fn of(&self, stencil: &[u32]) -> Image {
        if !stencil.iter().any(|&v| self.is_touched[v as usize]) {
            return Image::Same;
        }
        if stencil.len() > 1 && stencil.iter().any(|&v| self.is_moved[v as usize]) {
            return Image::Divided;
        }
        let contains = |cell: u32, vertices: &[u32]| {
            let own = self.before.cell(cell as usize);
            vertices.iter().all(|v| own.contains(v))
        };
        let around = &self.fans[stencil[0] as usize];
        let holding: Vec<u32> = around.iter().copied().filter(|&cell| contains(cell, stencil)).collect();
        if let [a, b] = *stencil
            && holding.iter().any(|cell| self.parts.contains_key(cell))
        {
            return self.along(a, b, &holding);
        }
        if !holding.is_empty() {
            return self.held(stencil, &holding);
        }
        let mut spanned: Vec<u32> = stencil.iter().flat_map(|&v| &self.fans[v as usize]).copied().collect();
        spanned.sort_unstable();
        spanned.dedup();
        spanned.retain(|&cell| self.before.cell(cell as usize).iter().all(|v| stencil.contains(v)));
        let is_covered = |v: &u32| spanned.iter().any(|&cell| contains(cell, &[*v]));
        if stencil.iter().all(is_covered) {
            return self.spanning(stencil, &spanned);
        }
        match *stencil {
            [a, b] => self.across(a, b),
            // Nothing is known of how it hangs together: it stays where no vertex of it was doubled.
            _ if stencil.iter().all(|v| self.copies(*v) == 1) => Image::Same,
            _ => Image::Gone,
        }
    }

    fn copies(&self, vertex: u32) -> usize {
        self.ancestors.iter().filter(|ancestor| **ancestor == Some(vertex)).count()
    }

    /// The cells that a cell has become: itself, unless it was divided.
    fn parts_of(&self, cell: u32) -> Vec<u32> {
        self.parts.get(&cell).cloned().unwrap_or_else(|| vec![cell])
    }

    /// The stencil within a cell after the change.
    fn within(&self, cell: u32, stencil: &[u32]) -> Option<Vec<u32>> {
        let own = self.after.cell(cell as usize);
        stencil.iter().map(|v| own.iter().copied().find(|u| self.ancestors[*u as usize] == Some(*v))).collect()
    }

    /// An element inside cells goes with each of them.
    fn held(&self, stencil: &[u32], cells: &[u32]) -> Image {
        let mut found: Vec<(Vec<u32>, f64)> = Vec::new();
        for &cell in cells {
            let mut is_here = false;
            for part in self.parts_of(cell) {
                let Some(image) = self.within(part, stencil) else { continue };
                is_here = true;
                let measure = self.after.measure(part as usize, self.rest);
                match found.iter_mut().find(|(other, _)| *other == image) {
                    Some((_, sum)) => *sum += measure,
                    None => found.push((image, measure)),
                }
            }
            let whole = stencil.len() == self.before.corners() && self.parts.contains_key(&cell);
            if !is_here || whole {
                return Image::Divided;
            }
        }
        let total: f64 = found.iter().map(|(_, measure)| measure).sum();
        if found.len() == 1 || total <= 0.0 {
            found.truncate(1);
            found[0].1 = 1.0;
        } else {
            found.iter_mut().for_each(|(_, measure)| *measure /= total);
        }
        Image::Parts(found)
    }

    /// An element over several cells stays as long as they agree on where its vertices are.
    fn spanning(&self, stencil: &[u32], cells: &[u32]) -> Image {
        let mut image: Vec<Option<u32>> = vec![None; stencil.len()];
        for &cell in cells {
            if self.parts.contains_key(&cell) {
                return Image::Divided;
            }
            for (slot, v) in image.iter_mut().zip(stencil) {
                let here = self.within(cell, &[*v]).map(|found| found[0]);
                if let Some(here) = here
                    && slot.replace(here).is_some_and(|other| other != here)
                {
                    return Image::Gone;
                }
            }
        }
        match image.into_iter().collect() {
            Some(image) => Image::Parts(vec![(image, 1.0)]),
            None => Image::Gone,
        }
    }

    /// A spring along an edge of cells that were divided stays where a way along the edge is left, whole or in parts; a cut that crosses the edge
    /// leaves none.
    fn along(&self, a: u32, b: u32, cells: &[u32]) -> Image {
        let [from, to] = [a, b].map(|v| self.rest[v as usize]);
        let edge = to - from;
        let is_on_edge = |v: u32| {
            let arm = self.rest[v as usize] - from;
            let share = arm.dot(edge) / edge.length_squared();
            arm.cross(edge).length() <= ON_EDGE * edge.length_squared() && (-ON_EDGE..=1.0 + ON_EDGE).contains(&share)
        };
        let is_of = |v: u32, end: u32| self.ancestors[v as usize] == Some(end);
        let mut found: Vec<(Vec<u32>, f64)> = Vec::new();
        for &cell in cells {
            let parts = self.parts_of(cell);
            let measure: f64 = parts.iter().map(|&part| self.after.measure(part as usize, self.rest)).sum();
            let corners = |part: &u32| self.after.cell(*part as usize).iter().copied().filter(|&v| is_on_edge(v));
            let Some(start) = parts.iter().flat_map(corners).find(|&v| is_of(v, a)) else { continue };
            // All vertices of the edge that parts lead to from the first.
            let mut reached = BTreeSet::from([start]);
            loop {
                let leads_on = |part: &&u32| corners(part).any(|v| reached.contains(&v));
                let more: Vec<u32> = parts.iter().filter(leads_on).flat_map(corners).collect();
                let known = reached.len();
                reached.extend(more);
                if reached.len() == known {
                    break;
                }
            }
            let Some(end) = reached.into_iter().find(|&v| is_of(v, b)) else { continue };
            match found.iter_mut().find(|(other, _)| *other == [start, end]) {
                Some((_, sum)) => *sum += measure,
                None => found.push((vec![start, end], measure)),
            }
        }
        let total: f64 = found.iter().map(|(_, measure)| measure).sum();
        match found.len() {
            0 => Image::Gone,
            1 => Image::Parts(vec![(found.swap_remove(0).0, 1.0)]),
            _ => Image::Parts(found.into_iter().map(|(ends, measure)| (ends, measure / total)).collect()),
        }
    }

    /// A spring between vertices without a common cell stays as long as a vertex joins them. One that is longer than that does not belong to the
    /// mesh, and stays with its ends.
    fn across(&self, a: u32, b: u32) -> Image {
        let around = |v: u32| self.fans[v as usize].iter().flat_map(|&cell| self.before.cell(cell as usize));
        if !around(a).any(|joint| around(b).any(|other| other == joint)) {
            return Image::Same;
        }
        let ends = |v: u32| {
            let cells = self.fans[v as usize].iter().flat_map(|&cell| self.parts_of(cell));
            cells.filter_map(move |cell| Some((self.within(cell, &[v])?[0], self.after.cell(cell as usize))))
        };
        for (first, near) in ends(a) {
            for (last, far) in ends(b) {
                if near.iter().any(|joint| far.contains(joint)) {
                    return Image::Parts(vec![(vec![first, last], 1.0)]);
                }
            }
        }
        Image::Gone
    }
}
