//! Rest measures: the gradient operators of triangles and tets, and checks of stencils.

use super::EnergyError;
use crate::math::{Mat3, Vec3};

/// Rest triangles with a height below this fraction of their longest edge are refused: their strain is rounding error.
const DEGENERATE_TRIANGLE: f64 = 1e-8;
/// The same for the volume of a tet against the cube of its longest edge.
const DEGENERATE_TET: f64 = 1e-10;

/// Checks the vertices of an element and returns their rest positions.
pub(crate) fn stencil_positions<const N: usize>(
    kind: &'static str,
    element: usize,
    vertices: &[u32; N],
    rest: &[Vec3],
) -> Result<[Vec3; N], EnergyError> {
    let count = rest.len();
    for (i, &vertex) in vertices.iter().enumerate() {
        if vertex as usize >= count {
            return Err(EnergyError::IndexOutOfRange { kind, element, vertex, count });
        }
        if vertices[..i].contains(&vertex) {
            return Err(EnergyError::RepeatedVertex { kind, element, vertex });
        }
        let position = rest[vertex as usize];
        if let Some(value) = position.to_array().into_iter().find(|c| !c.is_finite()) {
            return Err(EnergyError::BadValue { kind, element, name: "rest position", value, need: "finite" });
        }
    }
    Ok(vertices.map(|v| rest[v as usize]))
}

/// A rest triangle: its area \[m²\] and the operator G with Fᵀ = G x, in a frame of the triangle's plane.
pub(super) struct RestTriangle {
    pub(super) area: f64,
    /// Two rows of three corners.
    pub(super) gradient: [f64; 6],
}

impl RestTriangle {
    /// The first axis of the frame is `direction` projected to the plane, or the first edge without one.
    pub(super) fn new(
        kind: &'static str,
        element: usize,
        corners: [Vec3; 3],
        direction: Option<Vec3>,
    ) -> Result<Self, EnergyError> {
        let [a, b] = [corners[1] - corners[0], corners[2] - corners[0]];
        let longest = a.length().max(b.length()).max((b - a).length());
        let normal = a.cross(b);
        let value = normal.length() / (longest * longest);
        if value.is_nan() || value < DEGENERATE_TRIANGLE {
            return Err(EnergyError::Degenerate { kind, element, measure: "height over longest edge", value });
        }
        let unit_normal = normal.normalize();
        let axis = match direction {
            None => a.normalize(),
            Some(direction) => {
                let in_plane = direction - unit_normal * unit_normal.dot(direction);
                let length = in_plane.length();
                // A fibre that stands on the triangle gives no direction in it.
                if length.is_nan() || length < 1e-6 * direction.length() || length == 0.0 {
                    return Err(EnergyError::Degenerate {
                        kind,
                        element,
                        measure: "fibre in the plane",
                        value: length,
                    });
                }
                in_plane / length
            }
        };
        let across = unit_normal.cross(axis);
        // F = [a b]·[a b in the frame]⁻¹: row c of G holds the derivatives of the hat functions along axis c.
        let (ax, ay, bx, by) = (a.dot(axis), a.dot(across), b.dot(axis), b.dot(across));
        let det = ax * by - ay * bx;
        let (g, k) = ([by / det, -ay / det], [-bx / det, ax / det]);
        let gradient = [-(g[0] + g[1]), g[0], g[1], -(k[0] + k[1]), k[0], k[1]];
        Ok(Self { area: 0.5 * normal.length(), gradient })
    }
}

/// A rest tet: its volume \[m³\] and the operator G with Fᵀ = G x.
pub(super) struct RestTet {
    pub(super) volume: f64,
    /// Three rows of four corners.
    pub(super) gradient: [f64; 12],
    /// Inverse of the matrix of rest edges.
    pub(super) inverse_edges: Mat3,
}

impl RestTet {
    /// Columns of F are taken along the columns of the rotation `frame`.
    pub(super) fn new(
        kind: &'static str,
        element: usize,
        corners: [Vec3; 4],
        frame: Option<Mat3>,
    ) -> Result<Self, EnergyError> {
        let edges = edge_matrix(corners);
        let mut longest = 0.0_f64;
        for i in 0..4 {
            for j in 0..i {
                longest = longest.max((corners[i] - corners[j]).length());
            }
        }
        let volume = edges.determinant() / 6.0;
        let value = volume / longest.powi(3);
        if value.is_nan() || value < DEGENERATE_TET {
            let measure = if volume < 0.0 {
                "inverted: volume over longest edge cubed"
            } else {
                "volume over longest edge cubed"
            };
            return Err(EnergyError::Degenerate { kind, element, measure, value });
        }
        let inverse_edges = edges.inverse();
        // F d = Xf Xg⁻¹ d: the coefficient of corner j+1 for column d is row j of Xg⁻¹ times d.
        let directions = frame.unwrap_or(Mat3::IDENTITY);
        let mut gradient = [0.0; 12];
        for c in 0..3 {
            let weights = inverse_edges * directions.col(c);
            gradient[4 * c] = -(weights.x + weights.y + weights.z);
            (0..3).for_each(|j| gradient[4 * c + j + 1] = weights[j]);
        }
        Ok(Self { volume, gradient, inverse_edges })
    }
}

/// Edges from the first corner to the others, as columns.
pub(super) fn edge_matrix(corners: [Vec3; 4]) -> Mat3 {
    Mat3::from_cols(corners[1] - corners[0], corners[2] - corners[0], corners[3] - corners[0])
}
