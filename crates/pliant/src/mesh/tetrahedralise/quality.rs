//! Quality measures of a finished mesh.

use crate::math::Vec3;
use crate::math::functions;
use crate::mesh::sdf::{SignedDistance, SurfaceDistance};
use crate::mesh::{MeshError, TetMesh, tet_quality};
use crate::parallel::{Strided, for_each};

/// The shapes of the tets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TetQuality {
    /// The smallest angle between two faces of a tet \[degrees\]; 70.5 in a regular one.
    pub min_dihedral: f64,
    /// The largest angle between two faces of a tet \[degrees\].
    pub max_dihedral: f64,
    /// The tet with the lowest [`tet_quality`].
    pub worst_tet: usize,
    /// Its [`tet_quality`]: 1 is regular, 0 is flat.
    pub worst_quality: f64,
    /// The volume of all tets together \[m³\].
    pub volume: f64,
    /// Connected pieces of the mesh.
    pub pieces: usize,
    /// Pieces that were not kept.
    pub dropped_pieces: usize,
    /// The volume of the pieces not kept \[m³\].
    pub dropped_volume: f64,
    /// Tets dropped because parts of the solid met in one of their edges only.
    pub dropped_tets: usize,
    /// Boundary vertices in which separate parts of the boundary touch: walls thinner than the lattice.
    pub pinched_vertices: usize,
}

/// How well the boundary of the tets follows the surface of the solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceFit {
    /// The side of a cell of the lattice \[m\].
    pub cell: f64,
    /// Points of the surface that were compared: those nearest to the nodes of the lattice close to it.
    pub samples: usize,
    /// Share of these points farther than half a cell from the boundary of the tets: features thinner than the lattice that
    /// vanished, and sheets that bound no solid.
    pub missed: f64,
    /// The farthest of these points from the boundary of the tets \[m\].
    pub farthest: f64,
}

/// Shapes and volume; what was dropped is filled in by who dropped it.
pub(super) fn measure(mesh: &TetMesh) -> Result<TetQuality, MeshError> {
    let mut quality = TetQuality {
        min_dihedral: 180.0,
        max_dihedral: 0.0,
        worst_tet: 0,
        worst_quality: f64::INFINITY,
        volume: mesh.volume(),
        pieces: mesh.components().count,
        dropped_pieces: 0,
        dropped_volume: 0.0,
        dropped_tets: 0,
        pinched_vertices: pinched_vertices(mesh)?,
    };
    for tet in 0..mesh.tets.len() {
        let corners = mesh.corners(tet);
        for angle in dihedral_angles(corners) {
            quality.min_dihedral = quality.min_dihedral.min(angle.to_degrees());
            quality.max_dihedral = quality.max_dihedral.max(angle.to_degrees());
        }
        let own = tet_quality(corners);
        if own < quality.worst_quality {
            (quality.worst_tet, quality.worst_quality) = (tet, own);
        }
    }
    Ok(quality)
}

/// The angles between the faces at the six edges \[rad\].
pub(super) fn dihedral_angles(corners: [Vec3; 4]) -> [f64; 6] {
    [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 0, 2], [2, 3, 0, 1]].map(|order| {
        let [a, b, c, d] = order.map(|corner: usize| corners[corner]);
        let (left, right) = ((b - a).cross(c - a), (b - a).cross(d - a));
        functions::angle_between(left, right)
    })
}

/// Vertices around which the outer faces form more than one fan.
fn pinched_vertices(mesh: &TetMesh) -> Result<usize, MeshError> {
    let skin = mesh.surface()?.mesh;
    let around = skin.vertex_triangles();
    let mut pinched = 0;
    for (vertex, triangles) in around.rows().enumerate() {
        // Walk from triangle to triangle; on a closed manifold the walk returns after visiting all of one fan.
        let step = |t: u32| {
            let corners = skin.triangles[t as usize];
            let own = corners.iter().position(|&v| v as usize == vertex).unwrap_or(0);
            (corners[(own + 1) % 3], corners[(own + 2) % 3])
        };
        let Some(&first) = triangles.first() else { continue };
        let (start, mut ahead) = step(first);
        let mut visited = 1;
        while ahead != start && visited < triangles.len() {
            let Some(next) = triangles.iter().map(|&t| step(t)).find(|&(from, _)| from == ahead) else { break };
            ahead = next.1;
            visited += 1;
        }
        pinched += usize::from(visited < triangles.len());
    }
    Ok(pinched)
}

/// Compares points of the surface near the given places with the boundary of the tets.
pub(super) fn fit(
    solid: &(impl SignedDistance + ?Sized),
    mesh: &TetMesh,
    places: &[Vec3],
    cell: f64,
) -> Result<SurfaceFit, MeshError> {
    let boundary = SurfaceDistance::new(&mesh.surface()?.mesh)?;
    let small = 1e-4 * cell;
    // NaN where there is nothing to compare.
    let mut distances = vec![f64::NAN; places.len()];
    for_each(0..places.len(), Strided { entries: &mut distances, stride: 1 }, &|range, part| {
        for (distance, &place) in part.entries.iter_mut().zip(&places[range]) {
            let nearest = solid.nearest(place, cell);
            let across = small * (place - nearest).normalize_or_zero();
            // A wall with the solid on both sides is no boundary of it.
            if solid.distance(nearest + across) >= 0.0 || solid.distance(nearest - across) >= 0.0 {
                *distance = boundary.nearest_point(nearest).distance(nearest);
            }
        }
    });
    distances.retain(|distance| !distance.is_nan());
    let missed = distances.iter().filter(|&&distance| distance > 0.5 * cell).count();
    Ok(SurfaceFit {
        cell,
        samples: distances.len(),
        missed: missed as f64 / distances.len().max(1) as f64,
        farthest: distances.iter().copied().fold(0.0, f64::max),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_tet_has_the_angle_whose_cosine_is_a_third() {
        let regular = [Vec3::ONE, Vec3::new(1.0, -1.0, -1.0), Vec3::new(-1.0, 1.0, -1.0), Vec3::new(-1.0, -1.0, 1.0)];
        for angle in dihedral_angles(regular) {
            assert!((angle.cos() - 1.0 / 3.0).abs() < 1e-14);
        }
        let mut corner = dihedral_angles([Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]);
        corner.sort_by(f64::total_cmp);
        assert!((corner[0] - (1.0 / 3f64.sqrt()).acos()).abs() < 1e-14);
        assert!((corner[5] - std::f64::consts::FRAC_PI_2).abs() < 1e-14);
    }
}
