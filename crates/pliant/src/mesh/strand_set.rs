//! Polylines: ropes, threads, hair.

use super::placed::{check_positions, check_referenced, join_offset};
use super::{Csr, ElementKind, MeshError, Placed};
use crate::math::Vec3;

/// A segment shorter than this share of its strand has no usable direction: between double-precision positions of the
/// strand's size only nine of sixteen digits would be left.
const MIN_SEGMENT: f64 = 1e-9;

/// Polylines over shared vertices.
///
/// Strands may share vertices (a net's knots) and may close on themselves (first vertex = last).
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::mesh::{Csr, StrandSet};
///
/// let positions = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0)];
/// let strands = StrandSet::new(positions, Csr::from_rows([[0, 1, 2]]))?;
/// assert_eq!(strands.segments().collect::<Vec<_>>(), [[0, 1], [1, 2]]);
/// assert_eq!(strands.length(), 2.0);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StrandSet {
    /// Positions of the vertices \[m\].
    pub positions: Vec<Vec3>,
    /// The vertices of each strand, root first.
    pub strands: Csr,
}

impl StrandSet {
    /// Makes strands after checking indices, finite positions and distinct neighbours.
    pub fn new(positions: Vec<Vec3>, strands: Csr) -> Result<Self, MeshError> {
        let set = Self { positions, strands };
        set.check()?;
        Ok(set)
    }

    /// Does the checks of [`new`](Self::new), for sets that were edited in place.
    pub fn check(&self) -> Result<(), MeshError> {
        check_positions(&self.positions)?;
        if self.strands.is_empty() {
            return Err(MeshError::Empty { what: "strands" });
        }
        let (kind, count) = (ElementKind::Strand, self.positions.len());
        for (strand, vertices) in self.strands.rows().enumerate() {
            if vertices.len() < 2 {
                return Err(MeshError::ShortStrand { strand, vertices: vertices.len() });
            }
            if let Some(&vertex) = vertices.iter().find(|&&vertex| vertex as usize >= count) {
                return Err(MeshError::IndexOutOfRange { kind, element: strand, vertex, count });
            }
            if let Some(pair) = vertices.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(MeshError::RepeatedVertex { kind, element: strand, vertex: pair[0] });
            }
        }
        Ok(())
    }

    /// Returns an error for segments without length, relative to the length of their strand.
    pub fn check_quality(&self) -> Result<(), MeshError> {
        for (strand, vertices) in self.strands.rows().enumerate() {
            let length =
                |segment: &[u32]| self.positions[segment[0] as usize].distance(self.positions[segment[1] as usize]);
            let total: f64 = vertices.windows(2).map(length).sum();
            for (segment, ends) in vertices.windows(2).enumerate() {
                let length = length(ends);
                if length <= MIN_SEGMENT * total {
                    return Err(MeshError::ZeroLengthSegment { strand, segment, length });
                }
            }
        }
        Ok(())
    }

    /// Returns an error for vertices that do not belong to a strand: they would have no mass.
    pub fn check_referenced(&self) -> Result<(), MeshError> {
        check_referenced(self.positions.len(), self.strands.items().iter().copied())
    }

    /// All segments, strand by strand, directed from root to tip.
    pub fn segments(&self) -> impl Iterator<Item = [u32; 2]> {
        self.strands.rows().flat_map(|vertices| vertices.windows(2).map(|ends| [ends[0], ends[1]]))
    }

    /// Adds another set to this one, with its vertices after these.
    pub fn append(&mut self, other: &Self) -> Result<(), MeshError> {
        let offset = join_offset(self.positions.len(), other.positions.len())?;
        self.positions.extend_from_slice(&other.positions);
        for vertices in other.strands.rows() {
            let shifted: Vec<u32> = vertices.iter().map(|vertex| vertex + offset).collect();
            self.strands.push_row(&shifted);
        }
        Ok(())
    }
}

impl Placed for StrandSet {
    fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    fn positions_mut(&mut self) -> &mut [Vec3] {
        &mut self.positions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(count: u32) -> Vec<Vec3> {
        (0..count).map(|i| Vec3::X * f64::from(i)).collect()
    }

    #[test]
    fn bad_strands_are_named() {
        let kind = ElementKind::Strand;
        let strands = |rows: &[&[u32]]| StrandSet::new(row(3), Csr::from_rows(rows)).map(|_| ());
        assert_eq!(strands(&[]), Err(MeshError::Empty { what: "strands" }));
        assert_eq!(strands(&[&[0, 1], &[2]]), Err(MeshError::ShortStrand { strand: 1, vertices: 1 }));
        assert_eq!(strands(&[&[0, 1, 3]]), Err(MeshError::IndexOutOfRange { kind, element: 0, vertex: 3, count: 3 }));
        assert_eq!(strands(&[&[0, 1, 1]]), Err(MeshError::RepeatedVertex { kind, element: 0, vertex: 1 }));
        assert_eq!(strands(&[&[0, 1, 2, 0]]), Ok(()), "a closed loop is a strand");
    }

    #[test]
    fn a_segment_without_length_is_named() -> Result<(), MeshError> {
        let mut positions = row(4);
        positions[2] = positions[1];
        let set = StrandSet::new(positions, Csr::from_rows([[0, 3].as_slice(), &[0, 1, 2, 3]]))?;
        let expected = MeshError::ZeroLengthSegment { strand: 1, segment: 1, length: 0.0 };
        assert_eq!(set.check_quality(), Err(expected));
        Ok(())
    }

    #[test]
    fn appended_strands_keep_their_lengths() -> Result<(), MeshError> {
        let mut set = StrandSet::new(row(3), Csr::from_rows([[0, 1, 2]]))?;
        set.append(&set.clone().scaled(3.0))?;
        assert_eq!(set.strands, Csr::from_rows([[0, 1, 2], [3, 4, 5]]));
        assert_eq!(set.length(), 8.0);
        set.check_referenced()
    }
}
