//! A body as a format sees it.

use pliant::mesh::{Csr, TetMesh};

use super::ExportError;
use crate::store::Topology;

/// How much of a body goes into the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// What can be seen: of solids the boundary, without the vertices inside.
    Surface,
    /// All vertices and elements as they are.
    Everything,
}

/// A body's vertices and elements. Elements name places in `vertices`.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) name: String,
    /// The body's number in the run.
    pub(super) body: usize,
    /// Vertices of the run.
    pub(super) vertices: Vec<u32>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) tets: Vec<[u32; 4]>,
    pub(super) polylines: Csr,
    /// Vertices in no element.
    pub(super) points: Vec<u32>,
    /// Numbers of the triangles and tets in the run, for channels; with [`Detail::Everything`] only.
    pub(super) triangle_numbers: Vec<u32>,
    pub(super) tet_numbers: Vec<u32>,
    /// Whether it is the surface of a fluid, which may be empty in some frames.
    pub(super) is_surface_of_fluid: bool,
    /// Whether it is not a body but a collider, and whether that stands still.
    pub(super) is_collider: bool,
    pub(super) is_still: bool,
    /// Texture coordinates at the corners of the triangles, v up.
    pub(super) corners: Option<Vec<[[f64; 2]; 3]>>,
    /// Texture coordinates of the vertices, v down, where vertices are doubled at seams.
    pub(super) texture: Vec<[f32; 2]>,
}

/// The visible parts of a body: its own triangles, or the boundary of its tets, its polylines, its loose points.
///
/// ```
/// use pliant::mesh::generate::TetBox;
/// use pliant_io::store::Topology;
/// use pliant_io::write::visible_bodies;
///
/// let mut topology = Topology::default();
/// topology.add_solid("jelly", &TetBox { cells: [2, 2, 2], ..TetBox::default() }.mesh()?);
/// let bodies = visible_bodies(&topology)?;
/// assert_eq!((bodies[0].vertices.len(), bodies[0].triangles.len()), (26, 48), "the vertex in the middle is not seen");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct VisibleBody {
    /// Its name.
    pub name: String,
    /// Numbers of its visible vertices in the run.
    pub vertices: Vec<u32>,
    /// Triangles, as indices into `vertices`.
    pub triangles: Vec<[u32; 3]>,
    /// Pieces of polylines, as indices into `vertices`.
    pub segments: Vec<[u32; 2]>,
    /// Loose points, as indices into `vertices`.
    pub points: Vec<u32>,
}

/// The visible parts of each body of a run, as in surface formats.
pub fn visible_bodies(topology: &Topology) -> Result<Vec<VisibleBody>, ExportError> {
    let all: Vec<usize> = (0..topology.bodies.len()).collect();
    let visible = |part: Part| {
        let segments = part.segments().collect();
        let Part { name, vertices, triangles, points, .. } = part;
        VisibleBody { name, vertices, triangles, segments, points }
    };
    Ok(parts(topology, &all, Detail::Surface)?.into_iter().map(visible).collect())
}

/// The chosen bodies.
pub(super) fn parts(topology: &Topology, chosen: &[usize], detail: Detail) -> Result<Vec<Part>, ExportError> {
    // Where a body is among the chosen ones.
    let mut place = vec![None; topology.bodies.len()];
    let mut parts: Vec<Part> = Vec::new();
    for &body in chosen {
        place[body] = Some(parts.len());
        parts.push(Part {
            name: topology.bodies[body].name.clone(),
            body,
            vertices: Vec::new(),
            triangles: Vec::new(),
            tets: Vec::new(),
            polylines: Csr::default(),
            points: Vec::new(),
            triangle_numbers: Vec::new(),
            tet_numbers: Vec::new(),
            is_surface_of_fluid: false,
            is_collider: false,
            is_still: false,
            corners: None,
            texture: Vec::new(),
        });
    }
    let owner = |vertices: &[u32]| place[topology.body_of(vertices[0])];
    for (number, triangle) in (0u32..).zip(&topology.triangles) {
        if let Some(owner) = owner(triangle) {
            parts[owner].triangles.push(*triangle);
            parts[owner].triangle_numbers.push(number);
        }
    }
    for (number, tet) in (0u32..).zip(&topology.tets) {
        if let Some(owner) = owner(tet) {
            parts[owner].tets.push(*tet);
            parts[owner].tet_numbers.push(number);
        }
    }
    for polyline in topology.polylines.rows() {
        if let Some(owner) = owner(polyline) {
            parts[owner].polylines.push_row(polyline);
        }
    }
    parts.iter_mut().try_for_each(|part| part.finish(topology, detail))?;
    Ok(parts)
}

impl Part {
    /// From the numbers of the run to places within the part.
    fn finish(&mut self, topology: &Topology, detail: Detail) -> Result<(), ExportError> {
        let range = topology.bodies[self.body].vertices.clone();
        let start = range.start as u32;
        let mut is_in_element = vec![false; range.len()];
        let named = self.triangles.as_flattened().iter().chain(self.tets.as_flattened());
        named.chain(self.polylines.items()).for_each(|&vertex| is_in_element[(vertex - start) as usize] = true);
        let mut is_kept = vec![true; range.len()];
        if detail == Detail::Surface {
            // A body with triangles of its own is drawn by them.
            if self.triangles.is_empty() && !self.tets.is_empty() {
                self.triangles = self.boundary(topology)?;
            }
            self.tets.clear();
            if !self.triangles.is_empty() {
                self.polylines = Csr::default();
            }
            is_kept = is_in_element.iter().map(|is_in_element| !is_in_element).collect();
            let seen = self.triangles.as_flattened().iter().chain(self.polylines.items());
            seen.for_each(|&vertex| is_kept[(vertex - start) as usize] = true);
        }
        let mut new = vec![u32::MAX; range.len()];
        for (old, _) in is_kept.iter().enumerate().filter(|(_, is_kept)| **is_kept) {
            new[old] = self.vertices.len() as u32;
            self.vertices.push(start + old as u32);
        }
        let renumber = |vertex: u32| new[(vertex - start) as usize];
        self.triangles.iter_mut().for_each(|triangle| *triangle = triangle.map(renumber));
        self.tets.iter_mut().for_each(|tet| *tet = tet.map(renumber));
        self.polylines =
            Csr::from_rows(self.polylines.rows().map(|row| row.iter().map(|&v| renumber(v)).collect::<Vec<_>>()));
        self.points = (start..).zip(&is_in_element).filter(|(_, is_in)| !**is_in).map(|(v, _)| renumber(v)).collect();
        Ok(())
    }

    /// The boundary of the tets, in vertices of the run.
    fn boundary(&self, topology: &Topology) -> Result<Vec<[u32; 3]>, ExportError> {
        let range = topology.bodies[self.body].vertices.clone();
        let start = range.start as u32;
        let tets = self.tets.iter().map(|tet| tet.map(|vertex| vertex - start)).collect();
        let solid = TetMesh { positions: topology.rest[range].to_vec(), tets };
        let refuse = |error| ExportError::Boundary { body: self.name.clone(), error };
        let surface = solid.check().and_then(|()| solid.surface()).map_err(refuse)?;
        let outer = |corner: u32| surface.vertices[corner as usize] + start;
        Ok(surface.mesh.triangles.iter().map(|triangle| triangle.map(outer)).collect())
    }

    /// Segments of the polylines.
    pub(super) fn segments(&self) -> impl Iterator<Item = [u32; 2]> {
        self.polylines.rows().flat_map(|row| row.windows(2).map(|ends| [ends[0], ends[1]]))
    }
}
