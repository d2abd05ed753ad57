//! What the tests share.

use pliant::mesh::connected_components;
use pliant::prelude::*;

pub(crate) type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Number of pieces that a body's cells hold together.
pub(crate) fn pieces(sim: &Simulation, body: usize) -> usize {
    let cells = sim.model().cells(body);
    let edges: Vec<[u32; 2]> = cells.iter().flat_map(|cell| cell.windows(2).map(|ends| [ends[0], ends[1]])).collect();
    connected_components(sim.model().bodies()[body].vertices.len(), &edges).count
}

/// Total mass, momentum and rest area of a world of one sheet.
pub(crate) fn sums(sim: &Simulation) -> (f64, Vec3, f64) {
    let mesh = TriangleMesh::new(sim.model().rest().to_vec(), sim.model().bodies()[0].surface.clone()).unwrap();
    (sim.model().mass().lumped().iter().sum(), sim.report().momentum, mesh.area())
}

pub(crate) fn sheet(columns: usize, rows: usize, width: f64, height: f64) -> TriangleMesh {
    Sheet { columns, rows, width, height, ..Sheet::default() }.mesh().unwrap()
}

/// Elements of all energies of a kind: stencil from its lowest rotation, and weight.
pub(crate) fn elements(operator: &pliant::energy::Operator) -> Vec<(Vec<u32>, u64)> {
    let element = |e: usize| {
        let mut stencil = operator.stencil(e).to_vec();
        stencil.sort_unstable();
        (stencil, (operator.weight(e) * 1e12).round() as u64)
    };
    let mut list: Vec<_> = (0..operator.len()).map(element).collect();
    list.sort();
    list
}
