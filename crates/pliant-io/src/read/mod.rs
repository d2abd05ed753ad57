//! Meshes from files.
//!
//! | format | extensions | read |
//! |---|---|---|
//! | Wavefront OBJ | `.obj` | polygons, polylines, texture coordinates as material coordinates |
//! | PLY | `.ply` | text, binary of both byte orders; polygons, strips, edges |
//! | STL | `.stl` | text, binary; equal corners are joined |
//! | glTF 2.0 | `.gltf`, `.glb` | triangles and lines of all nodes of the scene, buffers inside the file or in other files |
//! | Gmsh | `.msh` | versions 2 and 4, text and binary |
//! | Medit | `.mesh` | text |
//! | TetGen | `.node` + `.ele` | either names the pair |
//! | legacy VTK | `.vtk` | polydata and unstructured grids, text and binary |
//! | VTK XML | `.vtu` | unstructured grids: text, base64 and raw, plain or zlib |
//! | Vega FEM | `.veg` | tets and hexes |
//! | TressFX 4 | `.tfx` | guide hairs, as polylines |
//!
//! [`read_motion`] reads motions of rigid parts (`.mot`).
//!
//! Each may be compressed by gzip. Polygons of at most 10 000 corners become triangles; hexes, prisms and pyramids
//! become tets, conforming across neighbours. [`ImportedMesh::notes`] lists what was changed.
//!
//! Files are not trusted: counts are compared with the size of the file before memory is allocated, indices and numbers
//! are checked, decompression is limited, and every error names its place ([`ReadError`]).
//!
//! ```
//! use pliant_io::read::{ReadOptions, UpAxis, read_mesh_from_bytes};
//!
//! let text = b"v 0 0 0\nv 100 0 0\nv 100 200 0\nv 0 200 0\nf 1 2 3 4\n";
//! let options = ReadOptions { scale: 0.01, up_axis: UpAxis::Z, ..ReadOptions::default() };
//! let imported = read_mesh_from_bytes("panel.obj", text, &options)?;
//! let mesh = imported.triangle_mesh()?;
//! assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
//! assert_eq!(mesh.area(), 2.0);
//! assert_eq!(imported.notes, ["1 polygons with more than three corners were cut into triangles"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assembly;
mod binary;
mod cells;
mod companion;
mod error;
mod files;
mod format;
mod gltf;
mod gmsh;
mod gzip;
mod imported;
mod medit;
mod motion;
mod obj;
mod ply;
mod polygon;
mod stl;
mod tetgen;
mod text;
mod tressfx;
mod vega;
mod vtk;
mod vtk_cells;
mod vtu;
mod xml;

use std::io;
use std::path::Path;

pub use crate::axis::UpAxis;
pub use companion::read_regular_file;
pub use error::{Place, Problem, ReadError};
pub use files::Files;
pub use format::MeshFormat;
pub use imported::{ImportedMesh, MaterialCoordinates};
pub use motion::{RigidMotion, read_motion, read_motion_from_bytes};

use assembly::Assembly;
use companion::Companions;

/// What to do with vertices in exactly the same place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Duplicates {
    /// Keep them separate, as in the file. In STL, which has no shared vertices, they are joined all the same.
    #[default]
    Keep,
    /// Join them. Use this for glTF, where a vertex is repeated for each of its normals and texture coordinates, so
    /// that a cloth would fall apart along its creases.
    Weld,
}

/// How to read a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// Metres per unit of the file: 0.01 for centimetres.
    pub scale: f64,
    /// Which axis of the file points up.
    pub up_axis: UpAxis,
    /// The format, if it should not be detected from the extension or the content.
    pub format: Option<MeshFormat>,
    /// Whether to flip tets of negative volume. Otherwise
    /// [`TetMesh::check_quality`](pliant::mesh::TetMesh::check_quality) reports them.
    pub fix_orientation: bool,
    /// What to do with vertices in exactly the same place.
    pub duplicates: Duplicates,
    /// The largest size of a file, and of decompressed data \[bytes\].
    pub max_bytes: u64,
    /// The largest number of vertices and corners of elements together: a small glTF file may repeat a mesh without end.
    pub max_elements: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            scale: 1.0,
            up_axis: UpAxis::default(),
            format: None,
            fix_orientation: false,
            duplicates: Duplicates::default(),
            max_bytes: 1 << 30,
            max_elements: 200_000_000,
        }
    }
}

/// Reads a mesh file, and other files in its folder that it needs (TetGen's pair, glTF's buffers).
///
/// ```no_run
/// use pliant_io::read::{ReadOptions, read_mesh};
///
/// let imported = read_mesh("models/spot.mesh.gz", &ReadOptions::default())?;
/// let mesh = imported.tet_mesh()?;
/// mesh.check_quality()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_mesh(path: impl AsRef<Path>, options: &ReadOptions) -> Result<ImportedMesh, ReadError> {
    Files::on_disk("").read_mesh(path, options)
}

/// Reads a mesh from memory. The name gives the format and is used in errors.
///
/// Files that need other files are an error; see [`read_mesh_with_companions`].
///
/// ```
/// use pliant_io::read::{ReadOptions, read_mesh_from_bytes};
///
/// let text = b"MeshVersionFormatted 2 Dimension 3 Vertices 4 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 Tetrahedra 1 1 2 3 4 0 End";
/// let mesh = read_mesh_from_bytes("one.mesh", text, &ReadOptions::default())?.tet_mesh()?;
/// assert_eq!(mesh.volume(), 1.0 / 6.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_mesh_from_bytes(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<ImportedMesh, ReadError> {
    let mut none = |_: &str| Err(io::Error::new(io::ErrorKind::NotFound, "no files beside bytes in memory"));
    read_mesh_with_companions(name, bytes, options, &mut none)
}

/// Reads a mesh from memory, and calls `open` for other files that it needs, by their name relative to it.
///
/// ```
/// use pliant_io::read::{ReadOptions, read_mesh_with_companions};
///
/// let node = b"4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
/// let mut open = |file: &str| match file {
///     "one.ele" => Ok(b"1 4 0\n1 1 2 3 4\n".to_vec()),
///     _ => Err(std::io::ErrorKind::NotFound.into()),
/// };
/// let mesh = read_mesh_with_companions("one.node", node, &ReadOptions::default(), &mut open)?;
/// assert_eq!(mesh.tets, [[0, 1, 2, 3]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_mesh_with_companions(
    name: &str,
    bytes: &[u8],
    options: &ReadOptions,
    open: &mut dyn FnMut(&str) -> io::Result<Vec<u8>>,
) -> Result<ImportedMesh, ReadError> {
    read_checked(name, bytes, options, open).map_err(|error| error.of(name))
}

fn read_checked(
    name: &str,
    bytes: &[u8],
    options: &ReadOptions,
    open: &mut dyn FnMut(&str) -> io::Result<Vec<u8>>,
) -> Result<ImportedMesh, ReadError> {
    if !(options.scale > 0.0 && options.scale.is_finite()) {
        return Err(Problem::BadOption { option: "scale", value: options.scale }.of_file());
    }
    let bytes = &*gzip::decompress(bytes, options.max_bytes).map_err(Problem::of_file)?;
    let format = options.format.or_else(|| MeshFormat::detect(name, bytes)).ok_or(Problem::UnknownFormat.of_file())?;
    let mut options = options.clone();
    if format == MeshFormat::Stl {
        options.duplicates = Duplicates::Weld;
    }
    let mut companions = Companions::new(open, options.max_bytes);
    let mut assembly = Assembly::new(&options);
    match format {
        MeshFormat::Obj => obj::read(bytes, &mut assembly),
        MeshFormat::Ply => ply::read(bytes, &mut assembly),
        MeshFormat::Stl => stl::read(bytes, &mut assembly),
        MeshFormat::Gltf => gltf::read(bytes, &mut companions, &mut assembly),
        MeshFormat::Gmsh => gmsh::read(bytes, &mut assembly),
        MeshFormat::Medit => medit::read(bytes, &mut assembly),
        MeshFormat::TetGen => tetgen::read(name, bytes, &mut companions, &mut assembly),
        MeshFormat::Vtk => vtk::read(bytes, &mut assembly),
        MeshFormat::Vtu => vtu::read(bytes, options.max_bytes, &mut assembly),
        MeshFormat::Vega => vega::read(bytes, &mut assembly),
        MeshFormat::TressFx => tressfx::read(bytes, &mut assembly),
    }?;
    assembly.mesh.name = format::stem(name).to_owned();
    assembly.finish(&options)
}
