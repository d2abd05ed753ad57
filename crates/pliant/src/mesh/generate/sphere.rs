//! Spheres from a subdivided icosahedron.

use super::within_limit;
use crate::math::Vec3;
use crate::mesh::error::positive;
use crate::mesh::{MeshError, TriangleMesh};

/// A sphere around the origin: an icosahedron with triangles that are repeatedly divided into four and moved out to the
/// radius.
///
/// ```
/// use pliant::mesh::generate::Icosphere;
///
/// let mesh = Icosphere { radius: 1.0, subdivisions: 3 }.mesh()?;
/// assert_eq!((mesh.positions.len(), mesh.triangles.len()), (642, 1280));
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Icosphere {
    /// Radius \[m\].
    pub radius: f64,
    /// How many times the 20 triangles are divided into four: 20·4ⁿ triangles.
    pub subdivisions: u32,
}

impl Default for Icosphere {
    fn default() -> Self {
        Self { radius: 1.0, subdivisions: 3 }
    }
}

impl Icosphere {
    /// The sphere as triangles, normals outwards.
    pub fn mesh(&self) -> Result<TriangleMesh, MeshError> {
        positive("radius", self.radius)?;
        within_limit("triangles", &[20, 4usize.saturating_pow(self.subdivisions)])?;
        let mut mesh = icosahedron()?;
        for _ in 0..self.subdivisions {
            mesh = subdivide(&mesh)?;
        }
        for position in &mut mesh.positions {
            *position *= self.radius;
        }
        Ok(mesh)
    }
}

/// The icosahedron on the unit sphere: the cyclic permutations of (±1, ±φ, 0).
fn icosahedron() -> Result<TriangleMesh, MeshError> {
    let golden = f64::midpoint(1.0, 5f64.sqrt());
    let mut positions = Vec::with_capacity(12);
    for axis in 0..3 {
        for (short, long) in [(-1.0, -golden), (1.0, -golden), (-1.0, golden), (1.0, golden)] {
            let mut corner = [0.0; 3];
            corner[axis] = short;
            corner[(axis + 1) % 3] = long;
            positions.push(Vec3::from(corner).normalize());
        }
    }
    // Its faces are the triples of vertices that are all neighbours; the edge length here is 2 before normalising.
    let neighbours = |a: usize, b: usize| {
        let edge = 2.0 / (1.0 + golden * golden).sqrt();
        positions[a].distance(positions[b]) < 1.1 * edge
    };
    let mut triangles = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if neighbours(a, b) && neighbours(b, c) && neighbours(c, a) {
                    let outwards = positions[a].cross(positions[b]).dot(positions[c]) > 0.0;
                    let (b, c) = if outwards { (b, c) } else { (c, b) };
                    triangles.push([a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    TriangleMesh::new(positions, triangles)
}

/// Cuts each triangle in four at the middles of its edges, pushed out to the unit sphere.
fn subdivide(mesh: &TriangleMesh) -> Result<TriangleMesh, MeshError> {
    let mut finer = mesh.subdivided()?;
    finer.positions[mesh.positions.len()..].iter_mut().for_each(|p| *p = p.normalize());
    Ok(finer)
}

#[cfg(test)]
mod tests {
    use super::super::tests::euler_characteristic;
    use super::*;
    use crate::mesh::assert_close;

    #[test]
    fn counts_follow_the_subdivision() -> Result<(), MeshError> {
        for subdivisions in 0..4 {
            let mesh = Icosphere { radius: 0.2, subdivisions }.mesh()?;
            assert_eq!(mesh.positions.len(), 10 * 4usize.pow(subdivisions) + 2);
            assert_eq!(mesh.triangles.len(), 20 * 4usize.pow(subdivisions));
            assert_eq!(euler_characteristic(&mesh), 2);
            mesh.check_closed()?;
            for position in &mesh.positions {
                assert_close(position.length(), 0.2, 1e-14);
            }
        }
        Ok(())
    }

    #[test]
    fn area_and_volume_approach_the_sphere_quadratically() -> Result<(), MeshError> {
        let pi = std::f64::consts::PI;
        let gap = |subdivisions| -> Result<[f64; 2], MeshError> {
            let mesh = Icosphere { radius: 1.0, subdivisions }.mesh()?;
            Ok([1.0 - mesh.area() / (4.0 * pi), 1.0 - mesh.volume()? / (4.0 / 3.0 * pi)])
        };
        let (coarse, fine) = (gap(3)?, gap(4)?);
        for i in 0..2 {
            assert!(fine[i] > 0.0 && fine[i] < 4e-3);
            assert_close(coarse[i] / fine[i], 4.0, 0.02);
        }
        Ok(())
    }

    #[test]
    fn senseless_spheres_are_refused() {
        assert!(Icosphere { radius: -1.0, subdivisions: 1 }.mesh().is_err());
        let huge = Icosphere { radius: 1.0, subdivisions: 1000 }.mesh();
        assert!(matches!(huge, Err(MeshError::TooLarge { .. })));
    }
}
