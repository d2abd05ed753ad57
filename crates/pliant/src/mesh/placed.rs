//! What all shapes have in common: positions, bounds and transformations.

use super::MeshError;
use crate::math::{Mat3, Vec3};

/// An axis-aligned box around positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest coordinates \[m\].
    pub min: Vec3,
    /// The largest coordinates \[m\].
    pub max: Vec3,
}

impl Bounds {
    /// The smallest box around the points; `None` without points.
    pub fn around(points: &[Vec3]) -> Option<Self> {
        let (&first, rest) = points.split_first()?;
        Some(rest.iter().fold(Self { min: first, max: first }, |bounds, &point| Self {
            min: bounds.min.min(point),
            max: bounds.max.max(point),
        }))
    }

    /// The lengths of the sides \[m\].
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }

    /// The centre \[m\].
    pub fn centre(&self) -> Vec3 {
        self.min + 0.5 * self.size()
    }

    /// The length of the diagonal \[m\]: the scale to which tolerances refer.
    pub fn diagonal(&self) -> f64 {
        self.size().length()
    }
}

/// A shape with positions: it has bounds and can be moved.
///
/// ```
/// use pliant::math::{Mat3, Vec3};
/// use pliant::mesh::{Placed, PointSet};
///
/// let points = PointSet::new(vec![Vec3::ZERO, Vec3::new(3.0, 4.0, 0.0)])?;
/// assert_eq!(points.diagonal(), 5.0);
/// let moved = points.rotated(&Mat3::from_rotation_x(1.0)).scaled(2.0).translated(Vec3::Y);
/// assert!((moved.diagonal() - 10.0).abs() < 1e-12);
/// assert_eq!(moved.positions()[0], Vec3::Y);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
pub trait Placed: Sized {
    /// The positions \[m\].
    fn positions(&self) -> &[Vec3];

    /// Mutable positions \[m\].
    fn positions_mut(&mut self) -> &mut [Vec3];

    /// The axis-aligned box around all positions; `None` if there are none.
    fn bounds(&self) -> Option<Bounds> {
        Bounds::around(self.positions())
    }

    /// The diagonal of the bounds \[m\]; zero without positions.
    fn diagonal(&self) -> f64 {
        self.bounds().map_or(0.0, |bounds| bounds.diagonal())
    }

    /// Each position x becomes `linear`·x + `offset`. A mirroring `linear` turns tets and windings inside out.
    #[must_use]
    fn transformed(mut self, linear: &Mat3, offset: Vec3) -> Self {
        for position in self.positions_mut() {
            *position = *linear * *position + offset;
        }
        self
    }

    /// Moved by `offset` \[m\].
    #[must_use]
    fn translated(mut self, offset: Vec3) -> Self {
        for position in self.positions_mut() {
            *position += offset;
        }
        self
    }

    /// Scaled about the origin.
    #[must_use]
    fn scaled(mut self, factor: f64) -> Self {
        for position in self.positions_mut() {
            *position *= factor;
        }
        self
    }

    /// Rotated about the origin.
    #[must_use]
    fn rotated(self, rotation: &Mat3) -> Self {
        self.transformed(rotation, Vec3::ZERO)
    }
}

/// Loose points: particles of a fluid, goals, samples.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PointSet {
    /// Positions \[m\].
    pub positions: Vec<Vec3>,
}

impl PointSet {
    /// Points at the given positions \[m\], which must be finite.
    pub fn new(positions: Vec<Vec3>) -> Result<Self, MeshError> {
        check_positions(&positions)?;
        Ok(Self { positions })
    }

    /// Adds the points of another set after these.
    pub fn append(&mut self, other: &Self) -> Result<(), MeshError> {
        join_offset(self.positions.len(), other.positions.len())?;
        self.positions.extend_from_slice(&other.positions);
        Ok(())
    }
}

impl Placed for PointSet {
    fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    fn positions_mut(&mut self) -> &mut [Vec3] {
        &mut self.positions
    }
}

/// There are positions and all are finite.
pub(super) fn check_positions(positions: &[Vec3]) -> Result<(), MeshError> {
    if positions.is_empty() {
        return Err(MeshError::Empty { what: "vertices" });
    }
    match positions.iter().position(|position| !position.is_finite()) {
        Some(vertex) => Err(MeshError::NonFinitePosition { vertex, value: positions[vertex] }),
        None => Ok(()),
    }
}

/// What to add to the indices of a mesh appended to one of `first` vertices.
pub(super) fn join_offset(first: usize, second: usize) -> Result<u32, MeshError> {
    let (count, limit) = (first as u128 + second as u128, u128::from(u32::MAX));
    u32::try_from(first).ok().filter(|_| count <= limit).ok_or(MeshError::TooLarge { what: "vertices", count, limit })
}

/// The first vertex that no element names, if there is one.
pub(super) fn check_referenced(count: usize, named: impl Iterator<Item = u32>) -> Result<(), MeshError> {
    let mut referenced = vec![false; count];
    for vertex in named {
        referenced[vertex as usize] = true;
    }
    match referenced.iter().position(|&named| !named) {
        Some(vertex) => Err(MeshError::UnreferencedVertex { vertex }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::assert_close;

    #[test]
    fn bounds_follow_a_rigid_motion() -> Result<(), MeshError> {
        let points = PointSet::new(vec![Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0)])?;
        assert_close(points.diagonal(), 14f64.sqrt(), 1e-15);
        let quarter_turn = Mat3::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let moved = points.rotated(&quarter_turn).translated(Vec3::new(0.0, 0.0, 5.0)).scaled(2.0);
        let bounds = moved.bounds().expect("two points have bounds");
        assert!((bounds.min - Vec3::new(-4.0, 0.0, 10.0)).length() < 1e-14);
        assert!((bounds.max - Vec3::new(0.0, 2.0, 16.0)).length() < 1e-14);
        assert!((bounds.centre() - Vec3::new(-2.0, 1.0, 13.0)).length() < 1e-14);
        Ok(())
    }

    #[test]
    fn nothing_has_no_bounds() {
        assert_eq!(PointSet::default().bounds(), None);
        assert_eq!(PointSet::default().diagonal(), 0.0);
        assert_eq!(PointSet::new(vec![]), Err(MeshError::Empty { what: "vertices" }));
    }

    #[test]
    fn a_position_that_is_not_a_number_is_named() {
        let error = PointSet::new(vec![Vec3::ZERO, Vec3::new(0.0, f64::INFINITY, 0.0)]);
        assert!(matches!(error, Err(MeshError::NonFinitePosition { vertex: 1, .. })));
    }

    #[test]
    fn more_vertices_than_an_index_can_name_are_refused() {
        assert_eq!(join_offset(3, 4), Ok(3));
        assert!(matches!(join_offset(u32::MAX as usize, 1), Err(MeshError::TooLarge { .. })));
    }
}
