//! Solids filled with tets: isosurface stuffing [Labelle & Shewchuk 2007].
//!
//! A body-centred cubic lattice covers the solid (`lattice`). Where the surface cuts an edge of the lattice close to a node, the
//! node moves onto the surface (`warp`); the other edges are cut where the surface crosses them (`stencil`). Dihedral angles
//! then lie between 10.7° and 164.8°, whatever the surface. Boundary vertices lie on the surface; sharp edges are bevelled
//! within a cell.
//!
//! Departure: cut points are found by bracketing and not by interpolating distances, because distances to bad surfaces jump
//! at holes and touch zero at walls inside the solid.
//!
//! Departure: parts that touch in vertices or edges only are taken apart (`manifold`), so that every edge of the boundary has
//! two faces.

mod lattice;
mod manifold;
mod quality;
mod stencil;
mod warp;

pub use quality::{SurfaceFit, TetQuality};

use thiserror::Error;

use self::lattice::{Lattice, Node};
use self::manifold::{drop_unused_vertices, make_manifold};
use self::stencil::{Stencil, Vertex};
use self::warp::Fitted;
use super::error::positive;
use super::sdf::SignedDistance;
use super::{MeshError, TetMesh, tet_volume};
use crate::math::Vec3;

/// The most nodes a lattice may have: beyond, a size was mistyped, and distances alone would take a GiB.
const MAX_NODES: u128 = 1 << 27;

/// How fine the tets are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resolution {
    /// The side of a cell of the lattice \[m\]; a cell holds twelve tets with edges of about its side.
    Cell(f64),
    /// Number of cells along the longest side of the solid's bounds.
    Cells(usize),
}

/// Which connected pieces to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// All of them.
    #[default]
    AllPieces,
    /// The one with the largest volume.
    LargestPiece,
}

/// Fills a solid with tets.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::mesh::sdf::Ball;
/// use pliant::mesh::{Resolution, Tetrahedralise};
///
/// let ball = Ball { centre: Vec3::ZERO, radius: 1.0 };
/// let solid = Tetrahedralise { resolution: Resolution::Cells(16), ..Tetrahedralise::default() }.fill(&ball)?;
/// solid.mesh.check_quality()?;
/// assert!(solid.quality.min_dihedral > 10.7 && solid.quality.max_dihedral < 164.8);
/// assert!((solid.quality.volume / 4.18879 - 1.0).abs() < 0.02);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tetrahedralise {
    /// The resolution; 24 cells along the longest side by default.
    pub resolution: Resolution,
    /// Which pieces to keep; all by default.
    pub keep: Keep,
}

impl Default for Tetrahedralise {
    fn default() -> Self {
        Self { resolution: Resolution::Cells(24), keep: Keep::AllPieces }
    }
}

/// A solid filled with tets, and the quality of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Tetrahedralised {
    /// Tets of positive volume without unused vertices, with a closed boundary.
    pub mesh: TetMesh,
    /// The shapes of the tets, and what was dropped.
    pub quality: TetQuality,
    /// How well the boundary follows the surface.
    pub fit: SurfaceFit,
}

/// Why a solid could not be filled.
///
/// ```
/// use pliant::mesh::TetrahedraliseError;
///
/// let error = TetrahedraliseError::NothingInside { cell: 0.1, nodes: 1000, nearest: 0.02 };
/// assert_eq!(
///     error.to_string(),
///     "nothing is inside at this resolution: all 1000 nodes of a lattice of cell 0.1 m are outside, the nearest 0.02 m from the surface"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TetrahedraliseError {
    /// A resolution is invalid or needs too many nodes, or the surface is invalid.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The solid is thinner than the lattice, or there is no solid: a single triangle, a sheet.
    #[error(
        "nothing is inside at this resolution: all {nodes} nodes of a lattice of cell {cell} m are outside, the nearest {nearest} m from the surface"
    )]
    NothingInside {
        /// The side of a cell \[m\].
        cell: f64,
        /// Number of nodes that were tested.
        nodes: usize,
        /// The smallest distance between a node and the surface \[m\].
        nearest: f64,
    },
    /// A distance is NaN or infinite.
    #[error("the distance at ({}, {}, {}) is {distance}", at.x, at.y, at.z)]
    NotANumber {
        /// Where \[m\].
        at: Vec3,
        /// The distance \[m\].
        distance: f64,
    },
    /// The solid reaches beyond the bounds that it claims.
    #[error("the solid reaches beyond its bounds: the distance at ({}, {}, {}) is {distance} m", at.x, at.y, at.z)]
    BeyondBounds {
        /// Where \[m\].
        at: Vec3,
        /// The distance there \[m\].
        distance: f64,
    },
}

impl Tetrahedralise {
    /// Fills the solid with tets. The same solid gives the same bits on any number of threads.
    pub fn fill(&self, solid: &(impl SignedDistance + ?Sized)) -> Result<Tetrahedralised, TetrahedraliseError> {
        let lattice = self.lattice(solid)?;
        let distances = lattice.distances(solid);
        check_distances(&lattice, &distances)?;
        let near: Vec<Vec3> = (0..distances.len())
            .filter(|&node| distances[node].abs() < 0.5 * lattice.cell)
            .map(|node| lattice.position(node as Node))
            .collect();

        let fitted = Fitted::new(&lattice, solid, distances)?;
        let mut mesh = stuff(&lattice, &fitted);
        if mesh.tets.is_empty() {
            // All inner nodes have moved onto the surface: specks smaller than a cell.
            let (cell, nodes) = (lattice.cell, lattice.node_count());
            return Err(TetrahedraliseError::NothingInside { cell, nodes, nearest: 0.0 });
        }
        let dropped_tets = make_manifold(&mut mesh);
        let (dropped_pieces, dropped_volume) = match self.keep {
            Keep::AllPieces => (0, 0.0),
            Keep::LargestPiece => keep_largest(&mut mesh),
        };
        mesh.check()?;
        mesh.check_quality()?;
        let quality = TetQuality { dropped_pieces, dropped_volume, dropped_tets, ..quality::measure(&mesh)? };
        let fit = quality::fit(solid, &mesh, &near, lattice.cell)?;
        Ok(Tetrahedralised { mesh, quality, fit })
    }

    /// A lattice around the bounds, symmetric about their middle, with a cell to spare on each side.
    fn lattice(&self, solid: &(impl SignedDistance + ?Sized)) -> Result<Lattice, TetrahedraliseError> {
        let bounds = solid.bounds();
        let size = bounds.size();
        if !(bounds.min.is_finite() && bounds.max.is_finite()) {
            return Err(TetrahedraliseError::NotANumber { at: bounds.min, distance: bounds.diagonal() });
        }
        let longest = positive("the longest side of the solid", size.max_element())?;
        let cell = match self.resolution {
            Resolution::Cell(cell) => positive("resolution", cell)?,
            Resolution::Cells(0) => {
                let need = "at least 1 cell";
                return Err(MeshError::BadParameter { name: "resolution", value: 0.0, need }.into());
            }
            Resolution::Cells(cells) => longest / cells as f64,
        };
        // Sides of whole cells stay so in spite of rounding; casts of huge numbers saturate.
        let counts =
            (size / cell - 1e-9).ceil().max(Vec3::ZERO).to_array().map(|count| (count as u128).saturating_add(2));
        let nodes = counts.iter().fold(2u128, |product, &count| product.saturating_mul(count.saturating_add(1)));
        if nodes > MAX_NODES {
            return Err(MeshError::TooLarge { what: "lattice nodes", count: nodes, limit: MAX_NODES }.into());
        }
        let cells = counts.map(|count| count as usize);
        let origin = bounds.centre() - 0.5 * cell * Vec3::from(cells.map(|count| count as f64));
        Ok(Lattice { origin, cell, cells })
    }
}

/// All distances are finite, some node is inside, and none on the rim.
fn check_distances(lattice: &Lattice, distances: &[f64]) -> Result<(), TetrahedraliseError> {
    let mut inside = false;
    let mut nearest = f64::INFINITY;
    for (node, &distance) in distances.iter().enumerate() {
        let at = || lattice.position(node as Node);
        if !distance.is_finite() {
            return Err(TetrahedraliseError::NotANumber { at: at(), distance });
        }
        if distance < 0.0 && lattice.is_rim(node as Node) {
            return Err(TetrahedraliseError::BeyondBounds { at: at(), distance });
        }
        inside |= distance < 0.0;
        nearest = nearest.min(distance.abs());
    }
    if inside {
        return Ok(());
    }
    Err(TetrahedraliseError::NothingInside { cell: lattice.cell, nodes: distances.len(), nearest })
}

/// The inner parts of all lattice tets. Vertices are numbered as the tets first use them.
fn stuff(lattice: &Lattice, fitted: &Fitted) -> TetMesh {
    const NONE: u32 = u32::MAX;
    let mut mesh = TetMesh::default();
    let mut of_node = vec![NONE; fitted.distances.len()];
    let mut of_cut = vec![NONE; fitted.cuts.len()];
    lattice.for_each_tet(|nodes| {
        let signs = nodes.map(|node| {
            let distance = fitted.distances[node as usize];
            i8::from(distance > 0.0) - i8::from(distance < 0.0)
        });
        // Most tets are outside.
        if !signs.contains(&-1) {
            return;
        }
        let even = nodes.map(|node| lattice.is_even(node));
        Stencil { signs, even }.for_each_tet(|vertices| {
            let [a, b, c, d] = vertices.map(|vertex| {
                let (number, position) = match vertex {
                    Vertex::Corner(corner) => {
                        let node = nodes[corner];
                        (&mut of_node[node as usize], fitted.node_position(lattice, node))
                    }
                    Vertex::Cut(inner, outer) => {
                        let cut = fitted.cut_between(nodes[inner], nodes[outer]);
                        (&mut of_cut[cut as usize], fitted.cut_position(lattice, cut))
                    }
                };
                if *number == NONE {
                    *number = mesh.positions.len() as u32;
                    mesh.positions.push(position);
                }
                *number
            });
            let volume = tet_volume([a, b, c, d].map(|vertex| mesh.positions[vertex as usize]));
            mesh.tets.push(if volume < 0.0 { [a, b, d, c] } else { [a, b, c, d] });
        });
    });
    mesh
}

/// Keeps the piece of largest volume. Returns the number of the others and their volume \[m³\].
fn keep_largest(mesh: &mut TetMesh) -> (usize, f64) {
    let pieces = mesh.components();
    let mut volumes = vec![0.0; pieces.count];
    for (tet, volume) in mesh.tet_volumes().iter().enumerate() {
        volumes[pieces.labels[mesh.tets[tet][0] as usize] as usize] += volume;
    }
    // The first of equally large ones.
    let largest = (0..volumes.len()).fold(0, |best, k| if volumes[k] > volumes[best] { k } else { best });
    mesh.tets.retain(|tet| pieces.labels[tet[0] as usize] as usize == largest);
    drop_unused_vertices(mesh);
    (pieces.count - 1, volumes.iter().sum::<f64>() - volumes[largest])
}

#[cfg(test)]
mod tests;
