//! Simple shapes: sheets, discs, spheres, cylinders, tori, boxes of tets, ropes, bundles, hair, plants and blocks of particles.
//!
//! Each is a plain description with public fields; `mesh()` (or `strands()`) builds it, centred at the origin unless said
//! otherwise. Invalid sizes and counts are reported before anything is allocated. The y axis points up.
//!
//! ```
//! use pliant::mesh::generate::{Sheet, TetBox};
//!
//! let cloth = Sheet { width: 2.0, height: 1.0, columns: 40, rows: 20, ..Sheet::default() }.mesh()?;
//! assert_eq!(cloth.positions.len(), 41 * 21);
//! let error = TetBox { cells: [0, 1, 1], ..TetBox::default() }.mesh().unwrap_err();
//! assert_eq!(error.to_string(), "cells[0] is 0, but must be at least 1");
//! # Ok::<(), pliant::mesh::MeshError>(())
//! ```

mod cylinder;
mod disc;
mod hair;
mod particles;
mod plant;
mod sheet;
mod sphere;
mod strands;
mod tet_box;
mod torus;

pub use cylinder::{Caps, Cylinder, Lattice};
pub use disc::Disc;
pub use hair::{Curl, Scalp};
pub use particles::particle_block;
pub use plant::{Plant, leaves, tapered_radii, tubes};
pub use sheet::{Diagonals, Plane, Shear, Sheet, Spacing};
pub use sphere::Icosphere;
pub use strands::{Bundle, Roots, rope};
pub use tet_box::{TetBox, TetPattern};
pub use torus::Torus;

use super::MeshError;

/// No generator makes more vertices or elements than this: a larger number is probably a typing error, and would need 3
/// GiB.
pub const MAX_ELEMENTS: u128 = 1 << 28;

/// Refuses a count below one (or below `least`).
fn at_least(name: &'static str, count: usize, least: usize, need: &'static str) -> Result<(), MeshError> {
    if count >= least { Ok(()) } else { Err(MeshError::BadParameter { name, value: count as f64, need }) }
}

/// Refuses a product of factors above [`MAX_ELEMENTS`].
fn within_limit(what: &'static str, factors: &[usize]) -> Result<(), MeshError> {
    let count = factors.iter().fold(1u128, |product, &factor| product.saturating_mul(factor as u128));
    if count <= MAX_ELEMENTS { Ok(()) } else { Err(MeshError::TooLarge { what, count, limit: MAX_ELEMENTS }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Simplices, TriangleMesh};

    /// V − E + F.
    pub(super) fn euler_characteristic(mesh: &TriangleMesh) -> i64 {
        mesh.vertex_count() as i64 - mesh.edges().len() as i64 + mesh.triangles.len() as i64
    }

    #[test]
    fn products_that_overflow_are_too_large_and_not_small() {
        assert_eq!(within_limit("cells", &[1 << 14, 1 << 14]), Ok(()));
        let huge = within_limit("cells", &[usize::MAX; 9]);
        assert!(matches!(huge, Err(MeshError::TooLarge { what: "cells", .. })));
        assert!(matches!(within_limit("cells", &[(1 << 28) + 1]), Err(MeshError::TooLarge { .. })));
    }

    #[test]
    fn every_default_shape_is_sound() -> Result<(), MeshError> {
        let surfaces = [
            Sheet::default().mesh()?,
            Disc::default().mesh()?,
            Icosphere::default().mesh()?,
            Cylinder::default().mesh()?,
            Torus::default().mesh()?,
        ];
        for mesh in surfaces {
            mesh.check()?;
            mesh.check_quality()?;
            mesh.check_referenced()?;
            mesh.one_rings()?;
            assert_eq!(mesh.components().count, 1);
        }
        Ok(())
    }
}
