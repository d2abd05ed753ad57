//! Garments: cloth that was cut flat and sewn, so that each triangle has its rest shape in the plane of its piece.
//!
//! ```text
//!      piece A      piece B               worn: the seams are closed
//!    ┌────────┐   ┌────────┐
//!    │   ╲    │   │    ╱   │      →        ( one surface in space )
//!    └────────┘   └────────┘
//! ```
//!
//! In-plane energies and masses are computed from the pieces. Bending is measured from flat: the triangles around an
//! edge or a vertex, possibly of two pieces, are laid side by side in a plane to compute their coefficients. So cloth
//! is a plate across seams too.

use crate::energy::{Batch, EnergyError, HingeBending, HingeStiffness, MeanCurvatureBending};
use crate::material::{BendModel, ClothMaterial};
use crate::math::Vec3;
use crate::mesh::{MeshError, TriangleMesh, triangle_area};
use crate::world::body::{Body, in_body};
use crate::world::error::ModelError;

const KIND: &str = "garment";

impl Body {
    /// A garment as it is worn at the start. The rest shape of each triangle is given in the plane of the cloth that it
    /// was cut from \[m\]: the texture coordinates of garment files. It need not be at rest at the start.
    ///
    /// ```
    /// use pliant::math::Vec3;
    /// use pliant::mesh::TriangleMesh;
    /// use pliant::{Body, ClothMaterial};
    ///
    /// // A strip of two triangles, sewn to itself at its ends would be a cuff; here it lies stretched to twice its length.
    /// let worn = vec![Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0), Vec3::new(2.0, 1.0, 0.0), Vec3::Y];
    /// let mesh = TriangleMesh::new(worn, vec![[0, 1, 2], [0, 2, 3]])?;
    /// let pieces = [[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]];
    /// let body = Body::garment(&mesh, &pieces, &ClothMaterial::default())?;
    /// # Ok::<(), pliant::ModelError>(())
    /// ```
    pub fn garment(
        mesh: &TriangleMesh,
        pieces: &[[[f64; 2]; 3]],
        material: &ClothMaterial,
    ) -> Result<Self, ModelError> {
        let flat = check(mesh, pieces).map_err(|error| in_body(KIND, error))?;
        let mut masses = vec![0.0; mesh.positions.len()];
        for (triangle, corners) in mesh.triangles.iter().zip(&flat) {
            let share = material.density * triangle_area(*corners) / 3.0;
            triangle.iter().for_each(|&v| masses[v as usize] += share);
        }
        let mass = (0..).zip(masses).map(|(vertex, mass)| (vertex, vertex, mass)).collect();
        let mut body = Self::new(mesh.positions.clone(), mass);
        let energies = material.in_plane(mesh, |element, _| Ok(flat[element]));
        body.energies = energies.map_err(|error| in_body(KIND, error))?;
        mesh.check_manifold()?;
        match material.bend_model {
            BendModel::Auto | BendModel::Plate => {
                let plate = material.plate().build_from(mesh, |triangle| flat[triangle]);
                body.energies.push(plate.map_err(|error| in_body(KIND, error))?);
            }
            BendModel::Hinge => {
                let hinges = mesh.hinges()?;
                body.energies.push(hinge_bending(mesh, &flat, hinges, material).map_err(|error| in_body(KIND, error))?);
            }
            BendModel::MeanCurvature => {
                let rows = curvature_rows(mesh, &flat)?.into_iter();
                let recipe = MeanCurvatureBending { stiffness: material.plate_stiffness() };
                body.energies.push(recipe.build_flat(rows).map_err(|error| in_body(KIND, error))?);
            }
            BendModel::None => {}
        }
        Ok(body.with_surface(mesh.triangles.clone()))
    }
}

fn check(mesh: &TriangleMesh, pieces: &[[[f64; 2]; 3]]) -> Result<Vec<[Vec3; 3]>, EnergyError> {
    let bad = |element, name, value, need| EnergyError::BadValue { kind: KIND, element, name, value, need };
    if pieces.len() != mesh.triangles.len() {
        return Err(bad(pieces.len(), "number of flat triangles", pieces.len() as f64, "that of the mesh"));
    }
    let mut flat = Vec::with_capacity(pieces.len());
    for (element, piece) in pieces.iter().enumerate() {
        if let Some(&value) = piece.iter().flatten().find(|value| !value.is_finite()) {
            return Err(bad(element, "flat coordinate", value, "finite"));
        }
        let corners = piece.map(|[u, v]| Vec3::new(u, v, 0.0));
        let area = 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]).z;
        if area <= 0.0 {
            return Err(bad(element, "flat area", area, "positive: all pieces wound as the mesh is"));
        }
        flat.push(corners);
    }
    Ok(flat)
}

fn hinge_bending(
    mesh: &TriangleMesh,
    flat: &[[Vec3; 3]],
    hinges: Vec<[u32; 4]>,
    material: &ClothMaterial,
) -> Result<Box<dyn Batch>, EnergyError> {
    // The triangle that has a directed edge.
    let owners: std::collections::HashMap<[u32; 2], (usize, usize)> = (0..mesh.triangles.len())
        .flat_map(|t| (0..3).map(move |side| (t, side)))
        .map(|(t, side)| ([mesh.triangles[t][side], mesh.triangles[t][(side + 1) % 3]], (t, side)))
        .collect();
    // Edge length, and where the third corner is along the edge and beside it.
    let lies = |edge: [u32; 2]| {
        let (t, side) = *owners.get(&edge)?;
        let [a, b, c] = [0, 1, 2].map(|k| flat[t][(side + k) % 3]);
        let length = (b - a).length();
        let along = (b - a) / length;
        Some((length, along.dot(c - a), along.cross(c - a).length()))
    };
    let stiffness = HingeStiffness::Plate(material.plate_stiffness());
    let recipe = HingeBending { rest_angle: Some(0.0), ..HingeBending::new(hinges, stiffness) };
    recipe.build_from(|element, &[a, b, ..]| {
        let (Some(left), Some(right)) = (lies([a, b]), lies([b, a])) else {
            let (vertex, count) = (a, mesh.positions.len());
            return Err(EnergyError::IndexOutOfRange { kind: KIND, element, vertex, count });
        };
        // Seams may join edges of different lengths: each side is measured on its own, the edge is their mean.
        let length = 0.5 * (left.0 + right.0);
        let third = |(own, along, beside): (f64, f64, f64)| (along / own * length, beside);
        let ((x, y), (u, v)) = (third(left), third(right));
        Ok([Vec3::ZERO, Vec3::X * length, Vec3::new(x, y, 0.0), Vec3::new(length - u, -v, 0.0)])
    })
}

/// Stencil of a vertex, the vertex first, coefficients of its mean curvature, and its area \[m²\].
type CurvatureRow = (Vec<u32>, Vec<f64>, f64);

/// Those of each vertex that is not on the rim.
fn curvature_rows(mesh: &TriangleMesh, flat: &[[Vec3; 3]]) -> Result<Vec<CurvatureRow>, MeshError> {
    // Each triangle for itself, so that it has its own shape: a vertex of the garment is then many.
    let loose: Vec<[u32; 3]> = (0..flat.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let loose = TriangleMesh::new(flat.concat(), loose)?;
    let whole = |v: u32| mesh.triangles[v as usize / 3][v as usize % 3];
    let mut areas = vec![0.0; mesh.positions.len()];
    loose.voronoi_areas()?.iter().zip(0..).for_each(|(area, v)| areas[whole(v) as usize] += area);
    let mut pairs: Vec<(u32, u32, f64)> = Vec::with_capacity(6 * flat.len());
    for ([a, b], weight) in loose.edges().into_iter().zip(loose.cotangent_weights()?) {
        let (a, b) = (whole(a), whole(b));
        pairs.extend([(a, b, weight), (b, a, weight)]);
    }
    pairs.sort_unstable_by_key(|&(a, b, _)| (a, b));
    let rim = mesh.boundary_vertices();
    let inner = pairs.chunk_by(|first, second| first.0 == second.0).filter(|row| !rim[row[0].0 as usize]);
    let rows = inner.map(|row| {
        let area = areas[row[0].0 as usize];
        let (mut stencil, mut coefficients) = (vec![row[0].0], vec![0.0]);
        for side in row.chunk_by(|first, second| first.1 == second.1) {
            // Both triangles of an edge have their share in it.
            let coefficient = side.iter().map(|(_, _, weight)| weight).sum::<f64>() / area;
            stencil.push(side[0].1);
            coefficients.push(coefficient);
            coefficients[0] -= coefficient;
        }
        (stencil, coefficients, area)
    });
    Ok(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::Sheet;

    /// Energies of a sheet whose pieces are the sheet itself are those of cloth.
    #[test]
    fn a_garment_of_one_flat_piece_has_the_energies_of_cloth() -> Result<(), ModelError> {
        let mesh = Sheet { columns: 5, rows: 4, ..Sheet::default() }.mesh()?;
        let pieces: Vec<[[f64; 2]; 3]> =
            (0..mesh.triangles.len()).map(|t| mesh.corners(t).map(|p| [p.x, p.y])).collect();
        for bend_model in [BendModel::Auto, BendModel::Hinge, BendModel::MeanCurvature, BendModel::None] {
            let material = ClothMaterial { bend_model, ..ClothMaterial::default() };
            let (garment, cloth) = (Body::garment(&mesh, &pieces, &material)?, Body::cloth(&mesh, &material)?);
            assert_eq!(garment.energies.len(), cloth.energies.len());
            for (own, other) in garment.energies.iter().zip(&cloth.energies) {
                let (own, other) = (own.operator(), other.operator());
                assert_eq!(own.len(), other.len());
                for e in 0..own.len() {
                    assert_eq!(own.stencil(e), other.stencil(e));
                    assert!((own.weight(e) / other.weight(e) - 1.0).abs() < 1e-12);
                    // Rows of strains may be turned in the plane of the triangle; their size is not.
                    let size = |c: &[f64]| c.iter().map(|c| c * c).sum::<f64>();
                    assert!((size(own.coefficients(e)) / size(other.coefficients(e)) - 1.0).abs() < 1e-12);
                }
            }
        }
        Ok(())
    }
}
