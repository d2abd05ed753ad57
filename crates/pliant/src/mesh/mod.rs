//! Shapes at rest: triangles, tetrahedra, strands and points, and what can be computed before anything moves.
//!
//! | file | answers |
//! |---|---|
//! | [`TriangleMesh`], [`TetMesh`], [`StrandSet`], [`PointSet`] | which vertices make up which elements; whether the input is valid |
//! | `adjacency`, `one_ring`, `surface` | edges, hinges, rims, ordered rings, the skin of a solid, connected pieces |
//! | `measure`, `laplacian` | lengths, areas, volumes, normals, cotangents, curvature stencils |
//! | `mass` | lumped and consistent masses |
//! | `geodesic`, `nearest_sources` | distances along edges; over a surface |
//! | [`sdf`], [`Tetrahedralise`] | solids as signed distances, also of bad surfaces; solids filled with tets |
//! | `hierarchy` | coarser and coarser levels of vertices |
//! | [`Embedding`] | points that follow tets |
//! | [`generate`] | sheets, discs, spheres, cylinders, tori, boxes, ropes, bundles |
//!
//! The constructors (`new`) check indices, finiteness and repeated vertices; `check_quality` also rejects elements that
//! are too flat to carry an energy. Fields are public, so you can edit meshes in place; call `check` again afterwards,
//! because all other code trusts the indices. Results never depend on hashing or on thread count: edges come out
//! sorted, rings start at a defined vertex.
//!
//! ```
//! use pliant::mesh::{Placed, Simplices, generate::Sheet};
//!
//! let mesh = Sheet { width: 2.0, height: 1.0, columns: 8, rows: 4, ..Sheet::default() }.mesh()?;
//! mesh.check_quality()?;
//! let masses = mesh.lumped_masses(0.2)?; // 0.2 kg/m²
//! assert!((masses.iter().sum::<f64>() - 0.4).abs() < 1e-12);
//! assert_eq!(mesh.hinges()?.len(), mesh.edges().len() - mesh.boundary_edges().len());
//! assert!((mesh.diagonal() - 5f64.sqrt()).abs() < 1e-12);
//! # Ok::<(), pliant::mesh::MeshError>(())
//! ```

mod adjacency;
pub(crate) mod bvh;
mod csr;
mod embed;
mod error;
pub mod generate;
mod geodesic;
mod hierarchy;
mod laplacian;
mod mass;
mod measure;
mod moments;
mod nearest_sources;
mod one_ring;
mod placed;
pub mod sdf;
mod strand_set;
mod surface;
mod tet_mesh;
mod tetrahedralise;
mod triangle_mesh;

pub(crate) use adjacency::open_edges;
pub use adjacency::{Components, Edge, Hinge, connected_components};
pub use csr::Csr;
pub use embed::Embedding;
pub use error::{ElementKind, MeshError};
pub use geodesic::{Geodesics, geodesic_distances};
pub(crate) use hierarchy::{Hierarchy, Level, Link, PARENTS};
pub use laplacian::Laplacian;
pub use mass::{MassEntry, MassKind, Simplices};
pub use measure::{
    edge_lengths, tet_quality, tet_volume, triangle_area, triangle_area_vector, triangle_normal, triangle_quality,
};
pub use moments::SolidMoments;
pub(crate) use moments::{pseudo_inverse_times, spin_of};
pub use nearest_sources::{SourceDistance, nearest_sources};
pub use one_ring::OneRings;
pub use placed::{Bounds, Placed, PointSet};
pub use strand_set::StrandSet;
pub use surface::Surface;
pub use tet_mesh::TetMesh;
pub use tetrahedralise::{
    Keep, Resolution, SurfaceFit, TetQuality, Tetrahedralise, TetrahedraliseError, Tetrahedralised,
};
pub use triangle_mesh::TriangleMesh;

/// Fails unless `found` equals `expected` within the relative tolerance.
#[cfg(test)]
#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance * expected.abs(),
        "found {found:e}, expected {expected:e} within {tolerance:e}"
    );
}
