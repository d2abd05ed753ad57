//! How a model differs from the one that it replaces.

use super::cells::Cells;
use crate::math::Vec3;

/// Where a new vertex comes from: a copy of a vertex, or a point between up to three of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Origin {
    /// Vertices of the body, each with a lower number than the new one.
    pub vertices: [u32; 3],
    /// Their shares, which add up to 1.
    pub weights: [f64; 3],
}

impl Origin {
    /// A copy.
    pub fn copy(vertex: u32) -> Self {
        Self { vertices: [vertex; 3], weights: [1.0, 0.0, 0.0] }
    }

    /// A point at a fraction of the distance from the first vertex to the second.
    pub fn on_edge([a, b]: [u32; 2], share: f64) -> Self {
        Self { vertices: [a, b, a], weights: [1.0 - share, share, 0.0] }
    }

    /// The vertex that this is a copy of, if it is one.
    pub fn copied(&self) -> Option<u32> {
        (self.weights == [1.0, 0.0, 0.0]).then_some(self.vertices[0])
    }

    /// The vertices with a non-zero share, and their shares.
    pub fn parents(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.vertices.iter().copied().zip(self.weights).filter(|(_, weight)| *weight != 0.0)
    }

    /// What the new vertex has of what its parents have.
    pub(crate) fn blend(&self, values: &[Vec3]) -> Vec3 {
        match self.copied() {
            Some(vertex) => values[vertex as usize],
            None => self.parents().fold(Vec3::ZERO, |sum, (v, weight)| sum + values[v as usize] * weight),
        }
    }
}

/// A change of one body: vertices that are added after its own, cells that are attached to other vertices, cells that
/// are added where others were divided. All numbers are those of the body; the vertices of later bodies get higher
/// numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    /// Number of the body.
    pub body: usize,
    /// Where the new vertices come from.
    pub vertices: Vec<Origin>,
    /// Vertices that become other points of the sheet: the number of new vertices made before it, the vertex, the point.
    pub moved: Vec<(u32, u32, Origin)>,
    /// Cells that have other vertices than before: number and vertices.
    pub changed: Vec<(u32, Vec<u32>)>,
    /// Cells that are added: the cell that they were a part of, and vertices.
    pub added: Vec<(u32, Vec<u32>)>,
}

impl Change {
    /// From the cells before to those after; the latter begin with the former, and `parents` says where the rest comes from.
    pub(crate) fn between(body: usize, before: &Cells, after: &Cells, parents: &[u32], vertices: Vec<Origin>) -> Self {
        let differs = |cell: &usize| before.cell(*cell) != after.cell(*cell);
        let changed = (0..before.len()).filter(differs).map(|cell| (cell as u32, after.cell(cell).to_vec())).collect();
        let added = (before.len()..after.len()).zip(parents);
        let added = added.map(|(cell, &parent)| (parent, after.cell(cell).to_vec())).collect();
        Self { body, vertices, moved: Vec::new(), changed, added }
    }

    /// Values of all vertices with those of new ones, which come at the end of the body's `count` from `base` on.
    pub(crate) fn carried(&self, values: &[Vec3], base: usize, count: usize) -> Vec<Vec3> {
        let mut own = values[base..base + count].to_vec();
        let mut moves = self.moved.iter().peekable();
        for (k, origin) in (0u32..).zip(&self.vertices) {
            while let Some((_, vertex, point)) = moves.next_if(|(after, _, _)| *after <= k) {
                own[*vertex as usize] = point.blend(&own);
            }
            own.push(origin.blend(&own));
        }
        for (_, vertex, point) in moves {
            own[*vertex as usize] = point.blend(&own);
        }
        let mut all = values[..base].to_vec();
        all.extend(own);
        all.extend_from_slice(&values[base + count..]);
        all
    }

    /// The cells after the change.
    pub(super) fn cells(&self, before: &Cells) -> Cells {
        let mut cells = before.clone();
        self.changed.iter().for_each(|(cell, vertices)| cells.set(*cell as usize, vertices));
        self.added.iter().for_each(|(_, vertices)| cells.push(vertices));
        cells
    }

    /// The change as numbers, for a checkpoint.
    pub(crate) fn encode(&self) -> Vec<f64> {
        let lists = [self.vertices.len(), self.moved.len(), self.changed.len(), self.added.len()];
        let mut numbers = vec![self.body as f64];
        numbers.extend(lists.map(|len| len as f64));
        for origin in &self.vertices {
            numbers.extend(origin.vertices.map(f64::from));
            numbers.extend(origin.weights);
        }
        for (after, vertex, origin) in &self.moved {
            numbers.extend([after, vertex].map(|v| f64::from(*v)));
            numbers.extend(origin.vertices.map(f64::from));
            numbers.extend(origin.weights);
        }
        for (cell, vertices) in self.changed.iter().chain(&self.added) {
            numbers.push(f64::from(*cell));
            numbers.extend(vertices.iter().map(|v| f64::from(*v)));
        }
        numbers
    }

    /// Reads a change of a world whose bodies have these numbers of vertices and these cells. None if it makes no sense.
    pub(crate) fn decode<'a>(
        numbers: &[f64],
        body_of: impl FnOnce(usize) -> Option<(usize, &'a Cells)>,
    ) -> Option<Self> {
        let mut reader = Reader(numbers);
        let body = reader.index(usize::MAX)?;
        let (count, cells) = body_of(body)?;
        // No list can be longer than what is left.
        let mut lists = [0; 4];
        for len in &mut lists {
            *len = reader.index(numbers.len())?;
        }
        let mut change = Self { body, ..Self::default() };
        for k in 0..lists[0] {
            change.vertices.push(reader.origin(count + k)?);
        }
        let total = count + lists[0];
        for _ in 0..lists[1] {
            let after = reader.vertex(lists[0] + 1)?;
            let known = count + after as usize;
            change.moved.push((after, reader.vertex(known)?, reader.origin(known)?));
        }
        for k in 0..lists[2] + lists[3] {
            let cell = reader.vertex(cells.len())?;
            let vertices = (0..cells.corners()).map(|_| reader.vertex(total)).collect::<Option<_>>()?;
            let list = if k < lists[2] { &mut change.changed } else { &mut change.added };
            list.push((cell, vertices));
        }
        reader.0.is_empty().then_some(change)
    }
}

/// Numbers still to be read.
struct Reader<'a>(&'a [f64]);

impl Reader<'_> {
    fn number(&mut self) -> Option<f64> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        first.is_finite().then_some(*first)
    }

    /// A whole number below a limit.
    fn index(&mut self, limit: usize) -> Option<usize> {
        let number = self.number()?;
        (number >= 0.0 && number.fract() == 0.0 && number < limit as f64).then_some(number as usize)
    }

    /// An origin of vertices below a limit.
    fn origin(&mut self, limit: usize) -> Option<Origin> {
        let vertices = [self.vertex(limit)?, self.vertex(limit)?, self.vertex(limit)?];
        Some(Origin { vertices, weights: [self.number()?, self.number()?, self.number()?] })
    }

    fn vertex(&mut self, limit: usize) -> Option<u32> {
        self.index(limit)?.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_survives_its_numbers_and_damage_is_refused() {
        let cells = Cells::triangles(&[[0, 1, 2], [1, 3, 2]]);
        let change = Change {
            body: 0,
            vertices: vec![Origin::copy(1), Origin::on_edge([1, 3], 0.25)],
            moved: vec![(1, 2, Origin::on_edge([2, 4], 0.01))],
            changed: vec![(1, vec![4, 5, 2])],
            added: vec![(1, vec![5, 3, 2])],
        };
        let numbers = change.encode();
        let read = |numbers: &[f64]| Change::decode(numbers, |body| (body == 0).then_some((4, &cells)));
        assert_eq!(read(&numbers), Some(change));
        assert_eq!(read(&numbers[..numbers.len() - 1]), None);
        for k in 0..numbers.len() {
            let mut damaged = numbers.clone();
            damaged[k] = f64::NAN;
            assert_eq!(read(&damaged), None, "number {k}");
            damaged[k] = 1e9;
            assert!(read(&damaged).is_none_or(|change| change.vertices.len() == 2), "number {k}");
        }
    }
}
