//! Points that follow tets: a fine surface inside a coarse solid.
//!
//! x = Σ bᵢ xᵢ with the barycentric coordinates of the point at rest. They reproduce affine maps exactly.

use std::iter::Sum;
use std::ops::Mul;

use super::bvh::{Bvh, nearest_on_triangle};
use super::{Bounds, MeshError, TetMesh};
use crate::math::{Mat3, Vec3};
use crate::parallel::{Strided, for_each};

/// Points that follow the tets that contain them.
///
/// Normals do not follow by the same weights; compute them again from the moved points.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::mesh::{Embedding, Placed, generate::TetBox};
///
/// let solid = TetBox::default().mesh()?;
/// let embedding = Embedding::new(&solid, &[Vec3::new(0.1, 0.2, 0.3), Vec3::X])?;
/// assert!((embedding.max_outside() - 0.5).abs() < 1e-12);
/// let moved = embedding.apply(&solid.scaled(2.0).positions);
/// assert!((moved[0] - Vec3::new(0.2, 0.4, 0.6)).length() < 1e-12);
/// assert!((moved[1] - 2.0 * Vec3::X).length() < 1e-12);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// For each point its tet.
    pub tets: Vec<u32>,
    /// For each point the four vertices it follows.
    pub vertices: Vec<[u32; 4]>,
    /// For each point the shares of the four vertices; they add up to one, and are negative beyond a face.
    pub weights: Vec<[f64; 4]>,
    /// For each point its distance from the solid \[m\]; zero inside.
    pub outside: Vec<f64>,
    vertex_count: usize,
}

impl Embedding {
    /// Binds each point to the tet that contains it, or to the nearest one. The tets must not be flat or inverted.
    pub fn new(mesh: &TetMesh, points: &[Vec3]) -> Result<Self, MeshError> {
        mesh.check()?;
        mesh.check_quality()?;
        if let Some(vertex) = points.iter().position(|point| !point.is_finite()) {
            return Err(MeshError::NonFinitePosition { vertex, value: points[vertex] });
        }
        let corners: Vec<[Vec3; 4]> = (0..mesh.tets.len()).map(|tet| mesh.corners(tet)).collect();
        let boxes: Vec<Bounds> = corners.iter().filter_map(|corners| Bounds::around(corners)).collect();
        let tree = Bvh::new(&boxes);
        let mut found = vec![(0, 0.0); points.len()];
        for_each(0..points.len(), Strided { entries: &mut found, stride: 1 }, &|range, part| {
            for (found, &point) in part.entries.iter_mut().zip(&points[range]) {
                let nearest = tree.nearest(point, |tet| distance_squared(point, corners[tet as usize]));
                *found = (nearest.item, nearest.distance_squared.sqrt());
            }
        });
        let weights = found.iter().zip(points).map(|(&(tet, _), &point)| barycentric(point, corners[tet as usize]));
        Ok(Self {
            tets: found.iter().map(|&(tet, _)| tet).collect(),
            vertices: found.iter().map(|&(tet, _)| mesh.tets[tet as usize]).collect(),
            weights: weights.collect(),
            outside: found.iter().map(|&(_, distance)| distance).collect(),
            vertex_count: mesh.positions.len(),
        })
    }

    /// The points for these positions of the vertices \[m\]; also interpolates other vectors or numbers from the
    /// vertices to the points.
    ///
    /// # Panics
    /// If the number of values differs from the number of vertices.
    pub fn apply<T>(&self, values: &[T]) -> Vec<T>
    where
        T: Copy + Sum,
        f64: Mul<T, Output = T>,
    {
        assert_eq!(values.len(), self.vertex_count, "an embedding needs a value for each vertex of its mesh");
        let follow = |(vertices, weights): (&[u32; 4], &[f64; 4])| {
            (0..4).map(|corner| weights[corner] * values[vertices[corner] as usize]).sum()
        };
        self.vertices.iter().zip(&self.weights).map(follow).collect()
    }

    /// How far outside the solid the farthest point lies \[m\]. Points far outside, relative to the size of the tets,
    /// magnify their strain.
    pub fn max_outside(&self) -> f64 {
        self.outside.iter().copied().fold(0.0, f64::max)
    }
}

/// Shares of the corners that add up to one and to the point.
fn barycentric(point: Vec3, [a, b, c, d]: [Vec3; 4]) -> [f64; 4] {
    let inner = Mat3::from_cols(b - a, c - a, d - a).inverse() * (point - a);
    [1.0 - inner.x - inner.y - inner.z, inner.x, inner.y, inner.z]
}

/// Zero inside.
fn distance_squared(point: Vec3, [a, b, c, d]: [Vec3; 4]) -> f64 {
    // Each face with the corner opposite to it: beyond the face if the point is not on the corner's side.
    let faces = [([b, c, d], a), ([a, c, d], b), ([a, b, d], c), ([a, b, c], d)];
    let beyond = |([p, q, r], opposite): ([Vec3; 3], Vec3)| {
        let normal = (q - p).cross(r - p);
        normal.dot(point - p) * normal.dot(opposite - p) < 0.0
    };
    let outer = faces.into_iter().filter(|&face| beyond(face));
    let nearest = outer.map(|(face, _)| nearest_on_triangle(point, face).distance_squared(point));
    nearest.reduce(f64::min).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Placed;
    use crate::mesh::generate::TetBox;

    fn scattered(count: usize) -> Vec<Vec3> {
        (1..=count).map(|i| (Vec3::new(0.8191725, 0.6710436, 0.5497005) * i as f64).fract() * 2.0 - 1.0).collect()
    }

    #[test]
    fn an_affine_map_of_the_tets_moves_the_points_by_the_same_map() -> Result<(), MeshError> {
        let solid = TetBox { cells: [5, 4, 3], ..TetBox::default() }.mesh()?;
        let points = scattered(500);
        let embedding = Embedding::new(&solid, &points)?;
        let linear = Mat3::from_cols_array(&[1.2, 0.3, -0.1, 0.4, 0.9, 0.2, -0.3, 0.1, 1.5]);
        let shift = Vec3::new(3.0, -2.0, 1.0);
        for (moved, point) in embedding.apply(&solid.transformed(&linear, shift).positions).iter().zip(&points) {
            assert!((*moved - (linear * *point + shift)).length() < 1e-12);
        }
        Ok(())
    }

    #[test]
    fn points_know_their_tet_or_their_distance_from_the_solid() -> Result<(), MeshError> {
        let solid = TetBox { cells: [5, 4, 3], ..TetBox::default() }.mesh()?;
        let points = scattered(500);
        let embedding = Embedding::new(&solid, &points)?;
        for (k, point) in points.iter().enumerate() {
            let exact = (point.abs() - 0.5).max(Vec3::ZERO).length();
            assert!((embedding.outside[k] - exact).abs() < 1e-12, "{} {exact}", embedding.outside[k]);
            let least = embedding.weights[k].iter().copied().fold(f64::INFINITY, f64::min);
            assert_eq!(least < -1e-12, exact > 1e-12);
        }
        Ok(())
    }

    #[test]
    fn points_that_are_none_and_flat_tets_are_refused() -> Result<(), MeshError> {
        let solid = TetBox::default().mesh()?;
        let bad = Embedding::new(&solid, &[Vec3::ZERO, Vec3::new(0.0, f64::NAN, 0.0)]);
        assert!(matches!(bad, Err(MeshError::NonFinitePosition { vertex: 1, .. })));
        let flat = solid.transformed(&Mat3::from_diagonal(Vec3::new(1.0, 0.0, 1.0)), Vec3::ZERO);
        assert!(matches!(Embedding::new(&flat, &[Vec3::ZERO]), Err(MeshError::DegenerateTet { .. })));
        Ok(())
    }
}
