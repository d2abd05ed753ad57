//! Masses of vertices from densities.
//!
//! A simplex of mass m and n vertices gives, lumped, m/n to each vertex; consistent, the integral of two linear shape
//! functions: m/(n(n+1))·(1+δᵢⱼ), which is m/6, m/12 and m/20 for segments, triangles and tets. Both add up to m.

use super::error::positive;
use super::{MeshError, StrandSet, TetMesh, TriangleMesh, tet_volume, triangle_area};

/// How the mass of an element is distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MassKind {
    /// In equal parts to the vertices: a diagonal matrix.
    #[default]
    Lumped,
    /// By the products of linear shape functions: vertices of one element are coupled.
    Consistent,
}

/// An entry (row, column, value \[kg\]) of a mass matrix, row ≤ column.
pub type MassEntry = (u32, u32, f64);

/// A mesh of segments, triangles or tets with masses in proportion to their measure: length, area or volume.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::mesh::{MassKind, Simplices, TriangleMesh};
///
/// let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]])?;
/// assert_eq!(mesh.lumped_masses(12.0)?, [2.0; 3]); // 12 kg/m² on half a square metre
/// let entries = mesh.mass_matrix(MassKind::Consistent, 12.0)?;
/// assert_eq!(entries[..2], [(0, 0, 1.0), (0, 1, 0.5)]);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
pub trait Simplices {
    /// The number of vertices.
    fn vertex_count(&self) -> usize;

    /// Calls `visit` with the vertices and the measure (\[m\], \[m²\] or \[m³\]) of each simplex, in order; stops at an inverted tet.
    fn visit_simplices(&self, visit: &mut dyn FnMut(&[u32], f64)) -> Result<(), MeshError>;

    /// The mass of each vertex \[kg\] from the density \[kg/m, kg/m² or kg/m³\]; zero without a simplex.
    fn lumped_masses(&self, density: f64) -> Result<Vec<f64>, MeshError> {
        positive("density", density)?;
        let mut masses = vec![0.0; self.vertex_count()];
        self.visit_simplices(&mut |vertices, measure| {
            let share = density * measure / vertices.len() as f64;
            for &vertex in vertices {
                masses[vertex as usize] += share;
            }
        })?;
        Ok(masses)
    }

    /// The upper triangle of the mass matrix \[kg\] from the density \[kg/m, kg/m² or kg/m³\], ascending by row and column, each
    /// entry once. Counting those off the diagonal twice, they add up to the mass of the body.
    fn mass_matrix(&self, kind: MassKind, density: f64) -> Result<Vec<MassEntry>, MeshError> {
        if kind == MassKind::Lumped {
            let masses = self.lumped_masses(density)?;
            return Ok((0..).zip(masses).map(|(vertex, mass)| (vertex, vertex, mass)).collect());
        }
        positive("density", density)?;
        let mut entries: Vec<MassEntry> = Vec::new();
        self.visit_simplices(&mut |vertices, measure| {
            let count = vertices.len() as f64;
            let coupling = density * measure / (count * (count + 1.0));
            for (corner, &a) in vertices.iter().enumerate() {
                entries.push((a, a, 2.0 * coupling));
                entries.extend(vertices[corner + 1..].iter().map(|&b| (a.min(b), a.max(b), coupling)));
            }
        })?;
        // A stable sort: entries of the same place are added in the order of the elements.
        entries.sort_by_key(|&(row, column, _)| (row, column));
        entries.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        Ok(entries)
    }
}

impl Simplices for TriangleMesh {
    fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    fn visit_simplices(&self, visit: &mut dyn FnMut(&[u32], f64)) -> Result<(), MeshError> {
        for (triangle, vertices) in self.triangles.iter().enumerate() {
            visit(vertices, triangle_area(self.corners(triangle)));
        }
        Ok(())
    }
}

impl Simplices for TetMesh {
    fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    fn visit_simplices(&self, visit: &mut dyn FnMut(&[u32], f64)) -> Result<(), MeshError> {
        for (tet, vertices) in self.tets.iter().enumerate() {
            let volume = tet_volume(self.corners(tet));
            // A negative mass would pass silently and blow up later.
            if volume < 0.0 {
                return Err(MeshError::InvertedTet { tet, volume });
            }
            visit(vertices, volume);
        }
        Ok(())
    }
}

impl Simplices for StrandSet {
    fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    fn visit_simplices(&self, visit: &mut dyn FnMut(&[u32], f64)) -> Result<(), MeshError> {
        for [a, b] in self.segments() {
            visit(&[a, b], self.positions[a as usize].distance(self.positions[b as usize]));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::mesh::assert_close;
    use crate::mesh::generate::{Icosphere, TetBox, TetPattern, rope};

    /// The whole mass: entries off the diagonal count twice.
    fn sum(entries: &[MassEntry]) -> f64 {
        entries.iter().map(|&(row, column, value)| if row == column { value } else { 2.0 * value }).sum()
    }

    fn both_kinds_add_up_to(mesh: &impl Simplices, density: f64, mass: f64, edges: usize) -> Result<(), MeshError> {
        assert_close(mesh.lumped_masses(density)?.iter().sum(), mass, 1e-12);
        let lumped = mesh.mass_matrix(MassKind::Lumped, density)?;
        assert_eq!(lumped.len(), mesh.vertex_count());
        assert_close(sum(&lumped), mass, 1e-12);
        let consistent = mesh.mass_matrix(MassKind::Consistent, density)?;
        assert_eq!(consistent.len(), mesh.vertex_count() + edges);
        assert!(consistent.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1)));
        assert_close(sum(&consistent), mass, 1e-12);
        Ok(())
    }

    #[test]
    fn masses_add_up_to_density_times_measure() -> Result<(), MeshError> {
        let sphere = Icosphere { radius: 0.7, subdivisions: 2 }.mesh()?;
        both_kinds_add_up_to(&sphere, 0.2, 0.2 * sphere.area(), sphere.edges().len())?;
        let solid = TetBox { size: Vec3::new(1.0, 0.5, 0.2), cells: [4, 3, 2], pattern: TetPattern::Five }.mesh()?;
        both_kinds_add_up_to(&solid, 1000.0, 100.0, solid.edges().len())?;
        let strand = rope(Vec3::ZERO, Vec3::new(3.0, 4.0, 0.0), 10)?;
        both_kinds_add_up_to(&strand, 0.3, 1.5, 10)
    }

    #[test]
    fn a_consistent_tet_holds_a_tenth_and_a_twentieth() -> Result<(), MeshError> {
        let tet = TetMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], vec![[0, 1, 2, 3]])?;
        for (row, column, value) in tet.mass_matrix(MassKind::Consistent, 60.0)? {
            assert_close(value, if row == column { 1.0 } else { 0.5 }, 1e-14);
        }
        Ok(())
    }

    #[test]
    fn the_ends_of_a_rope_carry_half_a_segment() -> Result<(), MeshError> {
        let masses = rope(Vec3::ZERO, Vec3::X, 4)?.lumped_masses(8.0)?;
        for (mass, expected) in masses.iter().zip([1.0, 2.0, 2.0, 2.0, 1.0]) {
            assert_close(*mass, expected, 1e-14);
        }
        Ok(())
    }

    #[test]
    fn inverted_tets_and_senseless_densities_are_refused() -> Result<(), MeshError> {
        let tet = TetMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], vec![[0, 2, 1, 3]])?;
        assert_eq!(tet.lumped_masses(1.0), Err(MeshError::InvertedTet { tet: 0, volume: -1.0 / 6.0 }));
        assert!(matches!(tet.mass_matrix(MassKind::Consistent, f64::NAN), Err(MeshError::BadParameter { .. })));
        assert!(matches!(tet.lumped_masses(-1.0), Err(MeshError::BadParameter { value: -1.0, .. })));
        Ok(())
    }
}
