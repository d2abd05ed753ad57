//! What a body is made of, as far as tearing and cutting need it.

use super::cells::Cells;
use super::change::{Change, Origin};
use super::tearing::Tearing;
use crate::energy::{Batch, EnergyError};
use crate::material::{ClothMaterial, PlacedBatch, SolidMaterial, StrandMaterial};
use crate::math::Vec3;
use crate::mesh::{MassEntry, Simplices, TriangleMesh};

/// A material, to make elements of parts of a cell and to turn strains into forces.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Substance {
    Cloth(ClothMaterial),
    Solid(SolidMaterial),
    Strand(StrandMaterial),
}

/// A body's cells, where its vertices come from, and how it fails.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fabric {
    /// In vertices of the body.
    pub(crate) cells: Cells,
    /// The cell of the first model that each cell is a part of.
    pub(crate) roots: Vec<u32>,
    /// Vertices of the first model.
    pub(crate) first_vertices: usize,
    /// Where the vertices beyond those come from.
    pub(crate) origins: Vec<Origin>,
    pub(crate) substance: Option<Substance>,
    pub(crate) tearing: Option<Tearing>,
    /// Edges of seams, lower vertex first, with the factor on the strain that they bear; ascending.
    pub(crate) seams: Vec<([u32; 2], f64)>,
}

impl Fabric {
    pub(crate) fn new(cells: Cells, vertex_count: usize) -> Self {
        let roots = (0..cells.len() as u32).collect();
        Self { cells, roots, first_vertices: vertex_count, ..Self::default() }
    }

    /// The vertex that a vertex is a copy of, or a copy of a copy; itself if it is none.
    pub(crate) fn source_of(&self, mut vertex: u32) -> u32 {
        while let Some(copied) =
            (vertex as usize).checked_sub(self.first_vertices).and_then(|place| self.origins[place].copied())
        {
            vertex = copied;
        }
        vertex
    }

    /// The fabric after a change. Seams that have come apart are forgotten.
    pub(super) fn changed(&self, change: &Change) -> Self {
        let mut next = self.clone();
        next.cells = change.cells(&self.cells);
        next.roots.extend(change.added.iter().map(|(parent, _)| self.roots[*parent as usize]));
        next.origins.extend_from_slice(&change.vertices);
        if !self.seams.is_empty() {
            next.seams = seams_after(self, change, &next.cells);
        }
        next
    }

    /// The energies of the substance on a sheet of these rest positions, and its masses.
    pub(super) fn rebuild(&self, rest: &[Vec3]) -> Result<Option<Rebuilt>, EnergyError> {
        let (Some(Substance::Cloth(material)), 3) = (&self.substance, self.cells.corners()) else { return Ok(None) };
        let mesh = TriangleMesh::new(rest.to_vec(), self.cells.arrays())?;
        let mass = mesh.mass_matrix(material.mass, material.density)?;
        Ok(Some(Rebuilt { energies: material.energies(&mesh)?, mass }))
    }
}

impl Fabric {
    /// The bending of a sheet that is a plate, and its place among the energies of the substance.
    pub(super) fn torn_plate(&self, rest: &[Vec3]) -> Result<Option<PlacedBatch>, EnergyError> {
        let (Some(Substance::Cloth(material)), 3) = (&self.substance, self.cells.corners()) else { return Ok(None) };
        material.torn_plate(&TriangleMesh::new(rest.to_vec(), self.cells.arrays())?)
    }
}

/// What a substance makes of cells.
pub(super) struct Rebuilt {
    pub(super) energies: Vec<Box<dyn Batch>>,
    pub(super) mass: Vec<MassEntry>,
}

/// A seam goes with its edge, in both parts where a cut divides it.
fn seams_after(before: &Fabric, change: &Change, cells: &Cells) -> Vec<([u32; 2], f64)> {
    let count = before.first_vertices + before.origins.len();
    // The seams that a vertex lies on: of a copy those of its origin, of a point on an edge that of the edge.
    let on = |vertex: u32, edge: [u32; 2]| {
        let mut vertex = vertex;
        while vertex as usize >= count {
            let origin = &change.vertices[vertex as usize - count];
            match origin.copied() {
                Some(parent) => vertex = parent,
                None => return origin.parents().all(|(parent, _)| edge.contains(&parent)),
            }
        }
        edge.contains(&vertex)
    };
    let mut seams = Vec::new();
    for (facet, sharing) in cells.facets() {
        let edge = [facet[0], facet[1]];
        if sharing.len() < 2 {
            continue;
        }
        let seam = before.seams.iter().find(|(seam, _)| on(edge[0], *seam) && on(edge[1], *seam));
        seams.extend(seam.map(|(_, strength)| (edge, *strength)));
    }
    seams
}
