//! What does not change during a run: vertices at rest, elements, bodies, units.

use std::collections::HashSet;
use std::ops::Range;

use pliant::math::Vec3;
use pliant::mesh::{Csr, PointSet, StrandSet, TetMesh, TriangleMesh};

use super::error::DataError;
use super::sealed::{Builder, Content};
use crate::UpAxis;

/// Longer names are mistakes.
pub(super) const LONGEST_NAME: usize = 256;
/// Vertices are numbered by `u32`, and some formats by `i32`.
pub(super) const MOST_VERTICES: u64 = i32::MAX as u64;

/// Frame rate and units of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunInfo {
    /// Frames per second \[1/s\].
    pub frame_rate: f64,
    /// Length of a unit of the positions \[m\].
    pub metres_per_unit: f64,
    /// The axis that points up.
    pub up_axis: UpAxis,
}

impl Default for RunInfo {
    /// 60 frames per second, metres, y up.
    fn default() -> Self {
        Self { frame_rate: 60.0, metres_per_unit: 1.0, up_axis: UpAxis::Y }
    }
}

impl RunInfo {
    pub(super) fn check(&self) -> Result<(), DataError> {
        for (name, value) in [("the frame rate", self.frame_rate), ("metres per unit", self.metres_per_unit)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(DataError::BadValue { name, value, need: "positive and finite" });
            }
        }
        Ok(())
    }
}

/// A body's name and vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyRange {
    /// Its name.
    pub name: String,
    /// Its vertices among those of the run.
    pub vertices: Range<usize>,
}

/// The vertices of a run at rest and the elements between them. Bodies follow each other and cover all vertices; an
/// element has its vertices in one body. Vertices in no element are loose points. A body without vertices is one that is
/// not there yet, or no longer.
///
/// ```
/// use pliant::mesh::generate::{Sheet, TetBox};
/// use pliant_io::store::Topology;
///
/// let mut topology = Topology::default();
/// topology.add_surface("cloth", &Sheet { columns: 2, rows: 2, ..Sheet::default() }.mesh()?);
/// topology.add_solid("jelly", &TetBox { cells: [1, 1, 1], ..TetBox::default() }.mesh()?);
/// topology.check()?;
/// assert_eq!(topology.bodies[1].vertices, 9..17);
/// assert!(topology.tets.iter().flatten().all(|&vertex| (9..17).contains(&vertex)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Topology {
    /// Position of each vertex at rest.
    pub rest: Vec<Vec3>,
    /// Vertices of the triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Vertices of the tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Vertices of the polylines.
    pub polylines: Csr,
    /// The bodies, in the order of their vertices.
    pub bodies: Vec<BodyRange>,
}

impl Topology {
    pub(super) fn add_vertices(&mut self, name: &str, positions: &[Vec3]) -> u32 {
        let start = self.rest.len();
        self.rest.extend_from_slice(positions);
        self.bodies.push(BodyRange { name: name.to_owned(), vertices: start..self.rest.len() });
        // Counts beyond the limit are refused by `check`.
        start as u32
    }

    /// Adds a body of triangles.
    pub fn add_surface(&mut self, name: &str, mesh: &TriangleMesh) {
        let start = self.add_vertices(name, &mesh.positions);
        self.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| v.wrapping_add(start))));
    }

    /// Adds a body of tetrahedra.
    pub fn add_solid(&mut self, name: &str, mesh: &TetMesh) {
        let start = self.add_vertices(name, &mesh.positions);
        self.tets.extend(mesh.tets.iter().map(|t| t.map(|v| v.wrapping_add(start))));
    }

    /// Adds a body of tetrahedra with its own surface that follows them. Its vertices are those of the tets, then those
    /// of the surface: surface formats carry only the surface, others both.
    pub fn add_solid_with_surface(&mut self, name: &str, mesh: &TetMesh, surface: &TriangleMesh) {
        self.add_solid(name, mesh);
        self.add_surface_on_top(surface);
    }

    /// Adds vertices and triangles to the last body.
    fn add_surface_on_top(&mut self, surface: &TriangleMesh) {
        let start = self.rest.len() as u32;
        self.rest.extend_from_slice(&surface.positions);
        self.triangles.extend(surface.triangles.iter().map(|t| t.map(|v| v.wrapping_add(start))));
        if let Some(body) = self.bodies.last_mut() {
            body.vertices.end = self.rest.len();
        }
    }

    /// Adds a body of polylines.
    pub fn add_strands(&mut self, name: &str, strands: &StrandSet) {
        let start = self.add_vertices(name, &strands.positions);
        for row in strands.strands.rows() {
            let row: Vec<u32> = row.iter().map(|v| v.wrapping_add(start)).collect();
            self.polylines.push_row(&row);
        }
    }

    /// Adds a body of polylines with a surface that follows them. Its vertices are those of the polylines, then those
    /// of the surface: surface formats carry only the surface.
    pub fn add_strands_with_surface(&mut self, name: &str, strands: &StrandSet, surface: &TriangleMesh) {
        self.add_strands(name, strands);
        self.add_surface_on_top(surface);
    }

    /// Adds a body of particles with links between neighbours, and a surface that follows them. Links are polylines of
    /// two vertices, so that surface formats carry only the surface.
    pub fn add_particles_with_surface(
        &mut self,
        name: &str,
        points: &PointSet,
        links: &[[u32; 2]],
        surface: &TriangleMesh,
    ) {
        let start = self.add_vertices(name, &points.positions);
        links.iter().for_each(|link| self.polylines.push_row(&link.map(|v| v.wrapping_add(start))));
        self.add_surface_on_top(surface);
    }

    /// Adds a body that is not there yet, or no longer.
    pub fn add_absent(&mut self, name: &str) {
        self.add_vertices(name, &[]);
    }

    /// Adds a body of loose points.
    pub fn add_points(&mut self, name: &str, points: &PointSet) {
        self.add_vertices(name, &points.positions);
    }

    /// The triangles that are elements of their bodies; those of a body with tets or polylines only follow them.
    pub fn own_triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        // One more, for vertices that no body has; `check` refuses them.
        let mut carries = vec![false; self.bodies.len() + 1];
        self.tets.iter().for_each(|tet| carries[self.body_of(tet[0])] = true);
        self.polylines.rows().for_each(|line| carries[self.body_of(line[0])] = true);
        self.triangles.iter().copied().filter(move |triangle| !carries[self.body_of(triangle[0])])
    }

    /// The number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.rest.len()
    }

    /// The body of a vertex; the vertex must exist.
    pub(crate) fn body_of(&self, vertex: u32) -> usize {
        self.bodies.partition_point(|body| body.vertices.end <= vertex as usize)
    }

    /// Checks that it can be written and read back: see [`DataError`].
    pub fn check(&self) -> Result<(), DataError> {
        let count = self.rest.len();
        if count == 0 {
            return Err(DataError::Empty("vertices"));
        }
        for (name, count) in [("vertices", count), ("triangles", self.triangles.len()), ("tets", self.tets.len())] {
            if count as u64 > MOST_VERTICES {
                return Err(DataError::TooMany { name, count, limit: MOST_VERTICES });
            }
        }
        check_finite("position", &self.rest)?;
        self.check_bodies()?;
        for (index, triangle) in self.triangles.iter().enumerate() {
            self.check_element("triangle", index, triangle)?;
        }
        for (index, tet) in self.tets.iter().enumerate() {
            self.check_element("tet", index, tet)?;
        }
        for (index, polyline) in self.polylines.rows().enumerate() {
            if polyline.len() < 2 {
                return Err(DataError::ShortPolyline { index, vertices: polyline.len() });
            }
            self.check_element("polyline", index, polyline)?;
        }
        Ok(())
    }

    fn check_bodies(&self) -> Result<(), DataError> {
        let mut names = HashSet::new();
        let mut expected = 0;
        for body in &self.bodies {
            check_name(&body.name)?;
            if !names.insert(body.name.as_str()) {
                return Err(DataError::RepeatedName { what: "bodies", name: body.name.clone() });
            }
            let Range { start, end } = body.vertices;
            if start != expected || end < start || end > self.rest.len() {
                return Err(DataError::BodyRange { name: body.name.clone(), start, end, expected });
            }
            expected = end;
        }
        match self.rest.len() {
            count if count == expected => Ok(()),
            count => Err(DataError::NotCovered { covered: expected, count }),
        }
    }

    fn check_element(&self, element: &'static str, index: usize, vertices: &[u32]) -> Result<(), DataError> {
        let count = self.rest.len();
        if let Some(&vertex) = vertices.iter().find(|&&vertex| vertex as usize >= count) {
            return Err(DataError::IndexOutOfRange { element, index, vertex, count });
        }
        let first = &self.bodies[self.body_of(vertices[0])];
        match vertices.iter().find(|&&vertex| !first.vertices.contains(&(vertex as usize))) {
            None => Ok(()),
            Some(&vertex) => {
                let (first, second) = (first.name.clone(), self.bodies[self.body_of(vertex)].name.clone());
                Err(DataError::AcrossBodies { element, index, first, second })
            }
        }
    }

    pub(super) fn encode(&self, info: &RunInfo) -> Vec<u8> {
        let mut content = Builder::default();
        content.f64(info.frame_rate);
        content.f64(info.metres_per_unit);
        content.u64(match info.up_axis {
            UpAxis::Y => 1,
            UpAxis::Z => 2,
            UpAxis::X => 3,
        });
        content.u64(self.rest.len() as u64);
        content.vectors(&self.rest);
        content.u64(self.triangles.len() as u64);
        content.u32s(self.triangles.as_flattened());
        content.u64(self.tets.len() as u64);
        content.u32s(self.tets.as_flattened());
        content.u64(self.polylines.len() as u64);
        for polyline in self.polylines.rows() {
            content.u64(polyline.len() as u64);
            content.u32s(polyline);
        }
        content.u64(self.bodies.len() as u64);
        for body in &self.bodies {
            content.text(&body.name);
            content.u64(body.vertices.start as u64);
            content.u64(body.vertices.end as u64);
        }
        content.0
    }

    /// The topology in a content, not yet checked; none if it makes no sense.
    pub(super) fn decode(content: &mut Content<'_>) -> Option<(Self, RunInfo)> {
        let (frame_rate, metres_per_unit) = (content.f64()?, content.f64()?);
        let up_axis = match content.u64()? {
            1 => UpAxis::Y,
            2 => UpAxis::Z,
            3 => UpAxis::X,
            _ => return None,
        };
        let count = content.u64()?;
        let rest = content.vectors(count)?;
        let count = content.u64()?;
        let triangles = content.groups(count)?;
        let count = content.u64()?;
        let tets = content.groups(count)?;
        let mut polylines = Csr::default();
        for _ in 0..content.u64()? {
            let count = content.u64()?;
            polylines.push_row(&content.u32s(count)?);
        }
        let mut bodies = Vec::new();
        for _ in 0..content.u64()? {
            let name = content.text(LONGEST_NAME)?;
            let (start, end) = (usize::try_from(content.u64()?).ok()?, usize::try_from(content.u64()?).ok()?);
            bodies.push(BodyRange { name, vertices: start..end });
        }
        let topology = Self { rest, triangles, tets, polylines, bodies };
        content.is_at_end().then_some((topology, RunInfo { frame_rate, metres_per_unit, up_axis }))
    }
}

pub(super) fn check_name(name: &str) -> Result<(), DataError> {
    if name.is_empty() || name.len() > LONGEST_NAME {
        let (length, limit) = (name.len(), LONGEST_NAME);
        return Err(DataError::BadName { name: name.chars().take(40).collect(), length, limit });
    }
    Ok(())
}

pub(super) fn check_finite(name: &'static str, vectors: &[Vec3]) -> Result<(), DataError> {
    match vectors.iter().position(|vector| !vector.is_finite()) {
        None => Ok(()),
        Some(vertex) => Err(DataError::NonFinite { name, vertex, value: vectors[vertex].to_array() }),
    }
}
