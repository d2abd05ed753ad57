//! What can be wrong with a mesh; errors name the element and the value.

use std::fmt;

use thiserror::Error;

use crate::math::Vec3;

/// The kind of element to which an error refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// A segment between two vertices.
    Edge,
    /// A triangle.
    Triangle,
    /// A tetrahedron.
    Tet,
    /// A polyline.
    Strand,
    /// An entry of a list of source vertices.
    Source,
}

impl fmt::Display for ElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Edge => "edge",
            Self::Triangle => "triangle",
            Self::Tet => "tet",
            Self::Strand => "strand",
            Self::Source => "source",
        })
    }
}

/// Why a mesh is invalid, or cannot be generated or measured.
///
/// ```
/// use pliant::mesh::MeshError;
///
/// let error = MeshError::InvertedTet { tet: 17, volume: -3.2e-9 };
/// assert_eq!(error.to_string(), "tet 17 is inverted (volume -3.2e-9 m³)");
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// An element refers to a vertex that does not exist.
    #[error("{kind} {element} names vertex {vertex}, but there are only {count} vertices")]
    IndexOutOfRange {
        /// What kind of element.
        kind: ElementKind,
        /// Its index.
        element: usize,
        /// The vertex.
        vertex: u32,
        /// The number of vertices.
        count: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a non-finite position ({}, {}, {})", value.x, value.y, value.z)]
    NonFinitePosition {
        /// The vertex.
        vertex: usize,
        /// Its position \[m\].
        value: Vec3,
    },
    /// An element contains the same vertex twice (for strands: twice in a row).
    #[error("{kind} {element} names vertex {vertex} twice")]
    RepeatedVertex {
        /// What kind of element.
        kind: ElementKind,
        /// Its index.
        element: usize,
        /// The repeated vertex.
        vertex: u32,
    },
    /// A strand has fewer than two vertices and so no segment.
    #[error("strand {strand} has {vertices} vertices, but a strand needs two or more")]
    ShortStrand {
        /// The strand.
        strand: usize,
        /// Number of its vertices.
        vertices: usize,
    },
    /// A triangle is too thin to carry an energy.
    #[error("triangle {triangle} is degenerate (quality {quality:e}; 1 is equilateral, 0 is flat)")]
    DegenerateTriangle {
        /// The triangle.
        triangle: usize,
        /// Its quality, see [`triangle_quality`](super::triangle_quality).
        quality: f64,
    },
    /// A tetrahedron is too flat to carry an energy.
    #[error("tet {tet} is degenerate (quality {quality:e}; 1 is regular, 0 is flat)")]
    DegenerateTet {
        /// The tetrahedron.
        tet: usize,
        /// Its quality, see [`tet_quality`](super::tet_quality).
        quality: f64,
    },
    /// A tetrahedron has negative volume: two of its vertices are swapped.
    #[error("tet {tet} is inverted (volume {volume:e} m³)")]
    InvertedTet {
        /// The tetrahedron.
        tet: usize,
        /// Its signed volume \[m³\].
        volume: f64,
    },
    /// A segment of a strand has no length, relative to its strand.
    #[error("segment {segment} of strand {strand} has no length ({length:e} m)")]
    ZeroLengthSegment {
        /// The strand.
        strand: usize,
        /// The segment within the strand, counted from its first vertex.
        segment: usize,
        /// Its length \[m\].
        length: f64,
    },
    /// More than two triangles meet in an edge.
    #[error("edge ({a}, {b}) is shared by {triangles} triangles, but a manifold allows two")]
    NonManifoldEdge {
        /// The edge's lower vertex.
        a: u32,
        /// The edge's higher vertex.
        b: u32,
        /// Number of triangles that share it.
        triangles: usize,
    },
    /// Several fans of triangles meet in one vertex only, so that its neighbours have no single order.
    #[error("vertex {vertex} joins separate fans of triangles: {reached} of its {triangles} triangles form one fan")]
    NonManifoldVertex {
        /// The vertex.
        vertex: u32,
        /// Triangles in the first fan.
        reached: usize,
        /// Triangles around the vertex.
        triangles: usize,
    },
    /// More than two tetrahedra meet in a face.
    #[error("face ({}, {}, {}) is shared by {tets} tets, but a solid allows two", face[0], face[1], face[2])]
    NonManifoldFace {
        /// The face's vertices, ascending.
        face: [u32; 3],
        /// Number of tetrahedra that share it.
        tets: usize,
    },
    /// Two neighbouring triangles have opposite winding.
    #[error("triangles {first} and {second} both run along edge {a} → {b}: one of them is wound the wrong way")]
    InconsistentWinding {
        /// Where the edge starts.
        a: u32,
        /// Where the edge ends.
        b: u32,
        /// The first triangle.
        first: usize,
        /// The second triangle.
        second: usize,
    },
    /// A closed surface was needed, but this one has a rim.
    #[error("the surface is open: only triangle {triangle} has edge ({a}, {b})")]
    OpenSurface {
        /// Where the rim edge starts.
        a: u32,
        /// Where the rim edge ends.
        b: u32,
        /// The only triangle with that edge.
        triangle: usize,
    },
    /// No element uses a vertex; it would have no mass and no force.
    #[error("vertex {vertex} belongs to no element")]
    UnreferencedVertex {
        /// The vertex.
        vertex: usize,
    },
    /// The input is empty.
    #[error("there are no {what}")]
    Empty {
        /// What is missing.
        what: &'static str,
    },
    /// More elements than an index can count, or than could be intended.
    #[error("{count} {what} are too many (the limit is {limit})")]
    TooLarge {
        /// What exceeds the limit.
        what: &'static str,
        /// The requested number.
        count: u128,
        /// The allowed number.
        limit: u128,
    },
    /// A parameter makes no sense.
    #[error("{name} is {value}, but must be {need}")]
    BadParameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        need: &'static str,
    },
    /// Two arrays that must have the same length do not.
    #[error("{what} has {found} entries, but {expected} are needed")]
    LengthMismatch {
        /// The array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length needed.
        expected: usize,
    },
}

/// The value, if it is positive and finite.
pub(super) fn positive(name: &'static str, value: f64) -> Result<f64, MeshError> {
    // Also refuses NaN, which compares false with everything.
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(MeshError::BadParameter { name, value, need: "positive and finite" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_element_and_the_value() {
        let index = MeshError::IndexOutOfRange { kind: ElementKind::Triangle, element: 3, vertex: 9, count: 5 };
        assert_eq!(index.to_string(), "triangle 3 names vertex 9, but there are only 5 vertices");
        let position = MeshError::NonFinitePosition { vertex: 4, value: Vec3::new(1.0, f64::NAN, 0.5) };
        assert_eq!(position.to_string(), "vertex 4 has a non-finite position (1, NaN, 0.5)");
        let face = MeshError::NonManifoldFace { face: [1, 2, 3], tets: 3 };
        assert_eq!(face.to_string(), "face (1, 2, 3) is shared by 3 tets, but a solid allows two");
    }

    #[test]
    fn only_positive_finite_sizes_pass() {
        assert_eq!(positive("width", 2.0), Ok(2.0));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(positive("width", bad), Err(MeshError::BadParameter { name: "width", .. })), "{bad}");
        }
    }
}
