//! Surfaces of triangles: the nearest point, and which side of it is out.

use super::error::ColliderError;
use crate::math::Vec3;
use crate::math::functions::angle_between;
use crate::mesh::bvh::{Bvh, nearest_on_triangle};
use crate::mesh::sdf::{Nearby, SignedDistance};
use crate::mesh::{Bounds, TriangleMesh, triangle_normal};

/// Triangles under a tree of boxes.
#[derive(Debug, Clone)]
pub(super) struct Triangles {
    pub(super) positions: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) normals: Vec<Vec3>,
    pub(super) tree: Bvh,
    boxes: Vec<Bounds>,
}

impl Triangles {
    /// There must be at least one triangle.
    pub(super) fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        let boxes: Vec<Bounds> = triangles.iter().map(|t| around(corners(&positions, t))).collect();
        let normals = triangles.iter().map(|t| triangle_normal(corners(&positions, t))).collect();
        Self { tree: Bvh::new(&boxes), positions, triangles, normals, boxes }
    }

    pub(super) fn corners(&self, triangle: u32) -> [Vec3; 3] {
        corners(&self.positions, &self.triangles[triangle as usize])
    }

    /// Length to which tolerances refer \[m\].
    pub(super) fn extent(&self) -> f64 {
        self.tree.nodes[0].bounds.diagonal()
    }

    /// A number that the distance to the nearest triangle is not below, and that says nothing within the box around all of them.
    pub(super) fn least_distance(&self, p: Vec3) -> f64 {
        let bounds = &self.tree.nodes[0].bounds;
        let beyond = (bounds.min - p).max(p - bounds.max).max(Vec3::ZERO).length();
        if beyond > 0.0 { beyond } else { f64::NEG_INFINITY }
    }

    /// The nearest triangle and its nearest point.
    pub(super) fn nearest(&self, p: Vec3) -> (u32, Vec3) {
        let nearest_on = |item: u32| nearest_on_triangle(p, self.corners(item));
        let found = self.tree.nearest(p, |item| nearest_on(item).distance_squared(p));
        (found.item, nearest_on(found.item))
    }

    /// Moves the vertices; the tree keeps its shape.
    pub(super) fn move_to(&mut self, positions: impl Iterator<Item = Vec3>) {
        self.positions.clear();
        self.positions.extend(positions);
        for (k, t) in self.triangles.iter().enumerate() {
            let corners = corners(&self.positions, t);
            self.boxes[k] = around(corners);
            self.normals[k] = triangle_normal(corners);
        }
        self.tree.refit(&self.boxes);
    }

    /// Fits the tree to boxes around where the triangles are and where they were.
    pub(super) fn sweep_from(&mut self, before: &[Vec3]) {
        for (bounds, t) in self.boxes.iter_mut().zip(&self.triangles) {
            let (then, now) = (around(corners(before, t)), around(corners(&self.positions, t)));
            *bounds = Bounds { min: then.min.min(now.min), max: then.max.max(now.max) };
        }
        self.tree.refit(&self.boxes);
    }
}

fn corners(positions: &[Vec3], triangle: &[u32; 3]) -> [Vec3; 3] {
    triangle.map(|v| positions[v as usize])
}

fn around([a, b, c]: [Vec3; 3]) -> Bounds {
    Bounds { min: a.min(b).min(c), max: a.max(b).max(c) }
}

/// The inside of a closed surface. Inside and outside are distinguished by the normal at the nearest point: that of the
/// triangle, the mean of the two at an edge, or the mean of all at a corner, weighted by their angles [Bærentzen 2005].
#[derive(Debug, Clone)]
pub struct SolidMesh {
    pub(super) surface: Triangles,
    /// Normals weighed by angles, not of unit length.
    at_vertices: Vec<Vec3>,
    /// The triangle beyond each edge of each triangle; edge k is opposite to corner k.
    beyond: Vec<[u32; 3]>,
}

impl SolidMesh {
    /// Returns an error for a surface that is open, not manifold, inconsistently wound, or facing inwards.
    pub fn new(mesh: &TriangleMesh) -> Result<Self, ColliderError> {
        mesh.check()?;
        mesh.check_closed()?;
        let volume = mesh.volume()?;
        if volume <= 0.0 {
            return Err(ColliderError::InsideOut { volume });
        }
        let surface = Triangles::new(mesh.positions.clone(), mesh.triangles.clone());
        let beyond = neighbours(&mesh.triangles);
        let mut solid = Self { surface, at_vertices: Vec::new(), beyond };
        solid.weigh_normals();
        Ok(solid)
    }

    fn weigh_normals(&mut self) {
        self.at_vertices.clear();
        self.at_vertices.resize(self.surface.positions.len(), Vec3::ZERO);
        for (t, triangle) in self.surface.triangles.iter().enumerate() {
            let corners = self.surface.corners(t as u32);
            for k in 0..3 {
                let (one, other) = (corners[(k + 1) % 3] - corners[k], corners[(k + 2) % 3] - corners[k]);
                let angle = if one == Vec3::ZERO || other == Vec3::ZERO { 0.0 } else { angle_between(one, other) };
                self.at_vertices[triangle[k] as usize] += self.surface.normals[t] * angle;
            }
        }
    }

    /// Moves the vertices.
    pub(super) fn move_to(&mut self, positions: impl Iterator<Item = Vec3>) {
        self.surface.move_to(positions);
        self.weigh_normals();
    }

    pub(super) fn nearby(&self, p: Vec3) -> Nearby {
        let (triangle, point) = self.surface.nearest(p);
        let outward = self.outward(triangle, point);
        let offset = p - point;
        let distance = offset.length();
        let sign = if offset.dot(outward) < 0.0 { -1.0 } else { 1.0 };
        let normal = if distance > 1e-12 * self.surface.extent() {
            offset * (sign / distance)
        } else {
            outward.normalize_or_zero()
        };
        Nearby { distance: sign * distance, point, normal }
    }

    /// The normal that tells inside from outside at a point of a triangle.
    fn outward(&self, triangle: u32, point: Vec3) -> Vec3 {
        const ON_EDGE: f64 = 1e-9;
        let t = triangle as usize;
        let part = barycentric(point, self.surface.corners(triangle));
        let low: [bool; 3] = part.map(|weight| weight < ON_EDGE);
        let normal = self.surface.normals[t];
        match low {
            [false, false, false] => normal,
            [true, false, false] => normal + self.surface.normals[self.beyond[t][0] as usize],
            [false, true, false] => normal + self.surface.normals[self.beyond[t][1] as usize],
            [false, false, true] => normal + self.surface.normals[self.beyond[t][2] as usize],
            _ => {
                let corner = (0..3).max_by(|&a, &b| part[a].total_cmp(&part[b])).unwrap_or(0);
                self.at_vertices[self.surface.triangles[t][corner] as usize]
            }
        }
    }

    /// Its triangles, for pictures.
    pub fn surface(&self) -> (&[Vec3], &[[u32; 3]]) {
        (&self.surface.positions, &self.surface.triangles)
    }
}

impl SignedDistance for SolidMesh {
    fn distance(&self, p: Vec3) -> f64 {
        self.nearby(p).distance
    }

    fn bounds(&self) -> Bounds {
        self.surface.tree.nodes[0].bounds
    }
}

/// Weights of the corners at a point of a triangle.
pub(super) fn barycentric(p: Vec3, [a, b, c]: [Vec3; 3]) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d00, d01, d11) = (ab.dot(ab), ab.dot(ac), ac.dot(ac));
    let (d20, d21) = (ap.dot(ab), ap.dot(ac));
    let determinant = d00 * d11 - d01 * d01;
    if determinant <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let v = (d11 * d20 - d01 * d21) / determinant;
    let w = (d00 * d21 - d01 * d20) / determinant;
    [1.0 - v - w, v, w]
}

/// The triangle beyond each edge of a closed manifold.
fn neighbours(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut edges: Vec<([u32; 2], u32, usize)> = Vec::with_capacity(3 * triangles.len());
    for (t, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (corners[(k + 1) % 3], corners[(k + 2) % 3]);
            edges.push(([a.min(b), a.max(b)], t as u32, k));
        }
    }
    edges.sort_unstable();
    let mut beyond = vec![[0; 3]; triangles.len()];
    for pair in edges.chunks_exact(2) {
        beyond[pair[0].1 as usize][pair[0].2] = pair[1].1;
        beyond[pair[1].1 as usize][pair[1].2] = pair[0].1;
    }
    beyond
}
