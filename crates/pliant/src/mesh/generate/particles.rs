//! Particles that fill a box.

use super::{MAX_ELEMENTS, within_limit};
use crate::math::Vec3;
use crate::mesh::{MeshError, PointSet};

/// Points on a cubic lattice that fill a box of this size about the origin \[m\], half a spacing away from its sides: a
/// block of fluid. A size that is not a multiple of the spacing is rounded to one.
///
/// ```
/// use pliant::{math::Vec3, mesh::generate::particle_block};
/// let block = particle_block(Vec3::new(0.4, 0.2, 0.1), 0.05)?;
/// assert_eq!(block.positions.len(), 8 * 4 * 2);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
pub fn particle_block(size: Vec3, spacing: f64) -> Result<PointSet, MeshError> {
    if !(spacing > 0.0 && spacing.is_finite()) {
        return Err(MeshError::BadParameter { name: "spacing", value: spacing, need: "positive" });
    }
    if let Some(&value) = size.to_array().iter().find(|side| !(**side > 0.0 && side.is_finite())) {
        return Err(MeshError::BadParameter { name: "size", value, need: "positive" });
    }
    let counts = size.to_array().map(|side| (side / spacing).round().clamp(1.0, MAX_ELEMENTS as f64) as usize);
    within_limit("particles", &counts)?;
    let along = |c: usize| (0..counts[c]).map(move |k| (k as f64 + 0.5 - 0.5 * counts[c] as f64) * spacing);
    let positions = along(2).flat_map(|z| along(1).flat_map(move |y| along(0).map(move |x| Vec3::new(x, y, z))));
    PointSet::new(positions.collect())
}
