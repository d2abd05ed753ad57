//! How far a stored run is from its rest shape, vertex by vertex.

use pliant::energy::EnergyError;
use pliant::math::Vec3;
use pliant::mesh::{MeshError, TetMesh, TriangleMesh};
use thiserror::Error;

use super::Topology;

/// Why strains cannot be computed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StrainError {
    /// The rest shape is no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The positions do not fit the rest shape.
    #[error(transparent)]
    Energy(#[from] EnergyError),
}

impl Topology {
    /// The largest principal strain |λ − 1| at each vertex: the mean over the triangles, tets and segments around it; 0 where
    /// there are none, as on surfaces that ride along. A rest shape without area or volume is an error, as is another number of positions.
    pub fn vertex_strains(&self, positions: &[Vec3]) -> Result<Vec<f64>, StrainError> {
        let mut sums = vec![(0.0, 0.0); positions.len()];
        let mut add = |vertices: &[u32], strain: f64| {
            for &vertex in vertices {
                let (sum, count) = &mut sums[vertex as usize];
                *sum += strain;
                *count += 1.0;
            }
        };
        let largest =
            |stretches: &[f64]| stretches.iter().fold(0.0_f64, |most, stretch| most.max((stretch - 1.0).abs()));
        let triangles: Vec<[u32; 3]> = self.own_triangles().collect();
        if !triangles.is_empty() {
            let mesh = TriangleMesh::new(self.rest.clone(), triangles)?;
            for (triangle, stretches) in mesh.triangles.iter().zip(mesh.principal_stretches(positions)?) {
                add(triangle, largest(&stretches));
            }
        }
        if !self.tets.is_empty() {
            let mesh = TetMesh::new(self.rest.clone(), self.tets.clone())?;
            for (tet, stretches) in mesh.tets.iter().zip(mesh.principal_stretches(positions)?) {
                add(tet, largest(&stretches));
            }
        }
        for ends in self.polylines.rows().flat_map(|line| line.windows(2)) {
            let length = |x: &[Vec3]| x[ends[0] as usize].distance(x[ends[1] as usize]);
            let rest = length(&self.rest);
            if rest > 0.0 {
                add(ends, largest(&[length(positions) / rest]));
            }
        }
        Ok(sums.into_iter().map(|(sum, count)| if count > 0.0 { sum / count } else { 0.0 }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::generate::{Sheet, TetBox, rope};

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn growth_is_seen_at_every_vertex_of_an_element_and_left_to_the_tets_where_a_surface_rides_along() -> Outcome {
        let solid = TetBox { cells: [2, 1, 1], ..TetBox::default() }.mesh()?;
        let mut topology = Topology::default();
        topology.add_surface("sheet", &Sheet { columns: 3, rows: 2, ..Sheet::default() }.mesh()?);
        topology.add_strands("rope", &rope(Vec3::ZERO, Vec3::X, 4)?);
        topology.add_solid_with_surface("box", &solid, &solid.surface()?.mesh);
        let grown: Vec<Vec3> = topology.rest.iter().map(|p| 1.25 * *p).collect();
        let strains = topology.vertex_strains(&grown)?;
        let riding = solid.surface()?.mesh.positions.len();
        let (own, rest) = strains.split_at(strains.len() - riding);
        assert!(own.iter().all(|strain| (strain - 0.25).abs() < 1e-12), "{own:?}");
        assert!(rest.iter().all(|strain| *strain == 0.0), "{rest:?}");
        Ok(())
    }
}
