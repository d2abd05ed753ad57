//! What goes into files besides the bodies of a run: colliders, texture coordinates, normals.

use std::collections::HashMap;

use pliant::collide::Collider;
use pliant::math::Vec3;
use pliant::mesh::Csr;

use super::part::Part;
use crate::store::Frame;

/// A collider as a surface.
#[derive(Debug, Clone)]
pub struct ColliderSurface {
    /// Its name in the file.
    pub name: String,
    /// The collider, which says where it is at a time.
    pub collider: Collider,
    /// Positions of its vertices, about its own origin \[m\]; those of a mesh that deforms come from the collider.
    pub positions: Vec<Vec3>,
    /// The three vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Whether it moves or deforms; the file then has its vertices in every frame.
    pub is_moving: bool,
}

impl ColliderSurface {
    fn at(&self, time: f64) -> Vec<Vec3> {
        let pose = self.collider.pose(time);
        let deformed = self.collider.frame(time);
        deformed.as_ref().unwrap_or(&self.positions).iter().map(|&p| pose.to_world(p)).collect()
    }
}

/// Texture coordinates of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct TextureCoordinates {
    /// Name of the body.
    pub body: String,
    /// u and v at the corners of each of its triangles, v up. They are omitted for frames in which it has another number of
    /// triangles.
    pub corners: Vec<[[f64; 2]; 3]>,
}

/// Adds the vertices of colliders to a frame, after its own.
pub(super) fn add_to_frame(colliders: &[ColliderSurface], frame: &mut Frame<'static>) {
    for collider in colliders {
        let positions = collider.at(frame.time);
        if let Some(velocities) = &mut frame.velocities {
            // Not written: they keep the lists of one length.
            velocities.to_mut().extend(std::iter::repeat_n(Vec3::ZERO, positions.len()));
        }
        frame.positions.to_mut().extend(positions);
    }
}

/// Adds colliders to the bodies of a frame with so many vertices.
pub(super) fn add_to_parts(colliders: &[ColliderSurface], vertices: usize, parts: &mut Vec<Part>) {
    let mut start = vertices as u32;
    for collider in colliders {
        let count = collider.positions.len() as u32;
        parts.push(Part {
            name: collider.name.clone(),
            body: parts.len(),
            vertices: (start..start + count).collect(),
            triangles: collider.triangles.clone(),
            tets: Vec::new(),
            polylines: Csr::default(),
            points: Vec::new(),
            triangle_numbers: Vec::new(),
            tet_numbers: Vec::new(),
            is_surface_of_fluid: false,
            is_collider: true,
            is_still: !collider.is_moving,
            corners: None,
            texture: Vec::new(),
        });
        start += count;
    }
}

/// Gives parts their texture coordinates.
pub(super) fn add_textures(textures: &[TextureCoordinates], parts: &mut [Part]) {
    for part in parts.iter_mut().filter(|part| !part.is_collider) {
        let own = textures.iter().find(|own| own.body == part.name && own.corners.len() == part.triangles.len());
        part.corners = own.map(|own| own.corners.clone());
    }
}

/// Doubles the vertices at which texture coordinates differ from triangle to triangle, for formats that have one for each
/// vertex; v down.
pub(super) fn split_at_seams(part: &mut Part) {
    let Some(corners) = part.corners.take().filter(|_| part.points.is_empty() && part.polylines.is_empty()) else {
        return;
    };
    let mut known: HashMap<(u32, [u32; 2]), u32> = HashMap::new();
    let (mut vertices, mut texture) = (Vec::new(), Vec::new());
    for (triangle, own) in part.triangles.iter_mut().zip(&corners) {
        for (vertex, [u, v]) in triangle.iter_mut().zip(own) {
            let point = [*u as f32, (1.0 - v) as f32];
            *vertex = *known.entry((*vertex, point.map(f32::to_bits))).or_insert_with(|| {
                vertices.push(part.vertices[*vertex as usize]);
                texture.push(point);
                vertices.len() as u32 - 1
            });
        }
    }
    (part.vertices, part.texture) = (vertices, texture);
}

/// Normals of a part's vertices, of length 1: the mean of its triangles by area, across seams; up where there is none.
pub(super) fn normals(part: &Part, positions: &[Vec3]) -> Vec<[f32; 3]> {
    // By the vertices of the run, of which a part may have several copies.
    let mut sums: HashMap<u32, Vec3> = HashMap::new();
    for triangle in &part.triangles {
        let [a, b, c] = triangle.map(|v| positions[v as usize]);
        let normal = (b - a).cross(c - a);
        triangle.iter().for_each(|&v| *sums.entry(part.vertices[v as usize]).or_default() += normal);
    }
    let normal = |vertex: &u32| sums.get(vertex).copied().unwrap_or_default().normalize_or(Vec3::Y);
    part.vertices.iter().map(|vertex| normal(vertex).to_array().map(|c| c as f32)).collect()
}
