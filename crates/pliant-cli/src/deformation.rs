//! How far a run is from its rest shape.

use std::error::Error;

use pliant::math::Vec3;
use pliant::mesh::{TetMesh, TriangleMesh};
use pliant_io::store::Topology;

/// Every edge of a run once, with its length at rest \[m\].
#[derive(Debug)]
pub(crate) struct RestEdges(Vec<([u32; 2], f64)>);

/// Ratios of edge lengths to rest lengths: 1 is unstretched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) largest: f64,
    pub(crate) mean: f64,
}

impl RestEdges {
    pub(crate) fn of(topology: &Topology) -> Self {
        let mut edges: Vec<[u32; 2]> = Vec::new();
        for &[a, b, c] in &topology.triangles {
            edges.extend([[a, b], [b, c], [c, a]]);
        }
        for &[a, b, c, d] in &topology.tets {
            edges.extend([[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]]);
        }
        for line in topology.polylines.rows() {
            edges.extend(line.windows(2).map(|ends| [ends[0], ends[1]]));
        }
        edges.iter_mut().for_each(|ends| ends.sort_unstable());
        edges.sort_unstable();
        edges.dedup();
        let length = |[a, b]: [u32; 2]| topology.rest[a as usize].distance(topology.rest[b as usize]);
        // An edge without length has no stretch.
        Self(edges.into_iter().map(|ends| (ends, length(ends))).filter(|(_, rest)| *rest > 0.0).collect())
    }

    /// Stretches with the vertices at these positions \[m\]; of a run without edges, 1.
    pub(crate) fn stretch(&self, positions: &[Vec3]) -> Stretch {
        let ratios = self.0.iter().map(|&([a, b], rest)| positions[a as usize].distance(positions[b as usize]) / rest);
        let (largest, sum) = ratios.fold((f64::NEG_INFINITY, 0.0), |(most, sum), ratio| (most.max(ratio), sum + ratio));
        if self.0.is_empty() {
            return Stretch { largest: 1.0, mean: 1.0 };
        }
        Stretch { largest, mean: sum / self.0.len() as f64 }
    }
}

/// The largest principal strain |λ − 1| at each vertex: the mean over the triangles, tets and segments around it; 0 where
/// there are none.
pub(crate) fn vertex_strains(topology: &Topology, positions: &[Vec3]) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut sums = vec![(0.0, 0.0); positions.len()];
    let mut add = |vertices: &[u32], strain: f64| {
        for &vertex in vertices {
            let (sum, count) = &mut sums[vertex as usize];
            *sum += strain;
            *count += 1.0;
        }
    };
    let largest = |stretches: &[f64]| stretches.iter().fold(0.0_f64, |most, stretch| most.max((stretch - 1.0).abs()));
    if !topology.triangles.is_empty() {
        let mesh = TriangleMesh::new(topology.rest.clone(), topology.triangles.clone())?;
        for (triangle, stretches) in mesh.triangles.iter().zip(mesh.principal_stretches(positions)?) {
            add(triangle, largest(&stretches));
        }
    }
    if !topology.tets.is_empty() {
        let mesh = TetMesh::new(topology.rest.clone(), topology.tets.clone())?;
        for (tet, stretches) in mesh.tets.iter().zip(mesh.principal_stretches(positions)?) {
            add(tet, largest(&stretches));
        }
    }
    for ends in topology.polylines.rows().flat_map(|line| line.windows(2)) {
        let length = |x: &[Vec3]| x[ends[0] as usize].distance(x[ends[1] as usize]);
        let rest = length(&topology.rest);
        if rest > 0.0 {
            add(ends, largest(&[length(positions) / rest]));
        }
    }
    Ok(sums.into_iter().map(|(sum, count)| if count > 0.0 { sum / count } else { 0.0 }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::generate::{Sheet, TetBox, rope};

    type Outcome = Result<(), Box<dyn Error>>;

    /// A sheet, a box and a rope in one run.
    fn topology() -> Result<Topology, Box<dyn Error>> {
        let mut topology = Topology::default();
        topology.add_surface("sheet", &Sheet { columns: 3, rows: 2, ..Sheet::default() }.mesh()?);
        topology.add_solid("box", &TetBox { cells: [2, 1, 1], ..TetBox::default() }.mesh()?);
        topology.add_strands("rope", &rope(Vec3::ZERO, Vec3::X, 4)?);
        Ok(topology)
    }

    #[test]
    fn growth_is_seen_on_every_edge_and_vertex() -> Outcome {
        let topology = topology()?;
        let grown: Vec<Vec3> = topology.rest.iter().map(|p| 1.25 * *p).collect();
        let stretch = RestEdges::of(&topology).stretch(&grown);
        assert!((stretch.largest - 1.25).abs() < 1e-12 && (stretch.mean - 1.25).abs() < 1e-12, "{stretch:?}");
        let strains = vertex_strains(&topology, &grown)?;
        assert!(strains.iter().all(|strain| (strain - 0.25).abs() < 1e-12), "{strains:?}");
        Ok(())
    }

    #[test]
    fn the_largest_stretch_is_that_of_expectations() -> Outcome {
        use pliant_scene::{BUILTIN, format::Quantity};
        for builtin in BUILTIN {
            let mut run = builtin.scene(&[])?.build()?;
            run.next_frame()?;
            let found = RestEdges::of(run.topology()).stretch(run.sim.positions());
            let expected = run.measure(Quantity::MaxStretch, None);
            assert!((found.largest - expected).abs() < 1e-12, "{}: {found:?}, not {expected}", builtin.name);
        }
        Ok(())
    }
}
