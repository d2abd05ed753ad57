//! Meshes: generators, files and measures, as arrays. A mesh is a Python object with `positions` and its elements.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2};
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::{
    Bundle, Caps, Curl, Cylinder, Diagonals, Disc, Icosphere, Lattice, Plane, Roots, Scalp, Shear, Sheet, TetBox,
    TetPattern, Torus, rope as straight_rope,
};
use pliant::mesh::sdf::SurfaceDistance;
use pliant::mesh::{Csr, Keep, Resolution, Simplices, StrandSet, TetMesh, Tetrahedralise, TriangleMesh};
use pliant::{Body, OrientedMaterial, OrientedParticles};
use pliant_io::read::{Duplicates, MaterialCoordinates, ReadOptions, UpAxis, read_mesh};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{
    choose, elements, get_elements, get_vectors, read_only, to_array, to_elements, to_numbers, to_rows, vectors,
};
use crate::error::bad_value;

type Vectors<'py> = Bound<'py, PyArray2<f64>>;
type Indices<'py> = Bound<'py, PyArray2<u32>>;
type MeshArrays<'py> = (Vectors<'py>, Indices<'py>);

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(sheet, module)?)?;
    module.add_function(wrap_pyfunction!(sheet_edges, module)?)?;
    module.add_function(wrap_pyfunction!(disc, module)?)?;
    module.add_function(wrap_pyfunction!(icosphere, module)?)?;
    module.add_function(wrap_pyfunction!(cylinder, module)?)?;
    module.add_function(wrap_pyfunction!(torus, module)?)?;
    module.add_function(wrap_pyfunction!(tet_box, module)?)?;
    module.add_function(wrap_pyfunction!(rope, module)?)?;
    module.add_function(wrap_pyfunction!(bundle, module)?)?;
    module.add_function(wrap_pyfunction!(scalp, module)?)?;
    module.add_function(wrap_pyfunction!(read, module)?)?;
    module.add_function(wrap_pyfunction!(check_mesh, module)?)?;
    module.add_function(wrap_pyfunction!(fill, module)?)?;
    module.add_function(wrap_pyfunction!(triangle_topology, module)?)?;
    module.add_function(wrap_pyfunction!(tet_topology, module)?)?;
    module.add_function(wrap_pyfunction!(lumped_masses, module)?)?;
    module.add_function(wrap_pyfunction!(principal_stretches, module)?)
}

/// What a mesh object is.
pub(crate) enum AnyMesh {
    Triangles(TriangleMesh),
    Tets(TetMesh),
    Strands(StrandSet),
    Points(Vec<Vec3>),
    Oriented(OrientedParticles),
}

impl AnyMesh {
    /// Positions of its vertices [m].
    pub(crate) fn positions(&self) -> &[Vec3] {
        match self {
            Self::Triangles(mesh) => &mesh.positions,
            Self::Tets(mesh) => &mesh.positions,
            Self::Strands(strands) => &strands.positions,
            Self::Points(positions) => positions,
            Self::Oriented(particles) => &particles.positions,
        }
    }
}

/// Reads a mesh object of Python.
pub(crate) fn any_mesh(mesh: &Bound<'_, PyAny>) -> PyResult<AnyMesh> {
    let (kind, positions) = (mesh.getattr("kind")?.extract::<String>()?, get_vectors(mesh, "positions")?);
    Ok(match kind.as_str() {
        "triangles" => {
            AnyMesh::Triangles(TriangleMesh::new(positions, get_elements(mesh, "triangles")?).map_err(bad_value)?)
        }
        "tets" => AnyMesh::Tets(TetMesh::new(positions, get_elements(mesh, "tets")?).map_err(bad_value)?),
        "strands" => {
            let strands: Vec<Vec<u32>> = mesh.getattr("lists")?.extract()?;
            AnyMesh::Strands(StrandSet::new(positions, Csr::from_rows(&strands)).map_err(bad_value)?)
        }
        "oriented" => {
            let turns: PyReadonlyArray2<'_, f64> = mesh.getattr("orientations")?.extract()?;
            let turn = |q: [f64; 4]| Quat::from_xyzw(q[1], q[2], q[3], q[0]);
            let turns = turns.as_array().rows().into_iter().map(|q| turn(std::array::from_fn(|k| q[k]))).collect();
            let (radii, edges) = (get_vectors(mesh, "radii")?, get_elements(mesh, "edges")?);
            AnyMesh::Oriented(OrientedParticles { positions, orientations: turns, radii, edges })
        }
        _ => AnyMesh::Points(positions),
    })
}

/// Refuses indices out of range, repeated vertices and numbers that are not finite.
#[pyfunction]
fn check_mesh(mesh: &Bound<'_, PyAny>) -> PyResult<()> {
    match any_mesh(mesh)? {
        // Whoever makes a body of them checks them.
        AnyMesh::Oriented(particles) => {
            Body::oriented(&particles, &OrientedMaterial::default()).map(drop).map_err(bad_value)
        }
        _ => Ok(()),
    }
}

fn surface<'py>(py: Python<'py>, mesh: &TriangleMesh) -> PyResult<MeshArrays<'py>> {
    Ok((to_array(py, &mesh.positions)?, to_elements(py, &mesh.triangles)?))
}

fn plane(name: &str) -> PyResult<Plane> {
    choose("plane", name, &[("xy", Plane::Xy), ("xz", Plane::Xz)])
}

fn described_sheet(size: [f64; 2], cells: [usize; 2], diagonals: &str, lies: &str) -> PyResult<Sheet> {
    let known = [
        ("forward", Diagonals::Forward),
        ("backward", Diagonals::Backward),
        ("alternating", Diagonals::Alternating),
        ("cross", Diagonals::Cross),
    ];
    let diagonals = choose("diagonals", diagonals, &known)?;
    let ([width, height], [columns, rows]) = (size, cells);
    Ok(Sheet { width, height, columns, rows, diagonals, plane: plane(lies)?, ..Sheet::default() })
}

#[pyfunction]
fn sheet<'py>(
    py: Python<'py>,
    size: [f64; 2],
    cells: [usize; 2],
    diagonals: &str,
    plane: &str,
) -> PyResult<MeshArrays<'py>> {
    surface(py, &described_sheet(size, cells, diagonals, plane)?.mesh().map_err(bad_value)?)
}

/// Springs of a sheet: structural, shear (one or both diagonals) and skip-one edges.
#[pyfunction]
fn sheet_edges<'py>(
    py: Python<'py>,
    size: [f64; 2],
    cells: [usize; 2],
    diagonals: &str,
    which: &str,
) -> PyResult<Indices<'py>> {
    let sheet = described_sheet(size, cells, diagonals, "xy")?;
    let edges = match which {
        "structural" => sheet.structural_edges(),
        "shear" => sheet.shear_edges(Shear::Single),
        "both-shears" => sheet.shear_edges(Shear::Both),
        _ => sheet.skip_one_edges(),
    };
    to_elements(py, &edges.map_err(bad_value)?)
}

#[pyfunction]
fn disc<'py>(py: Python<'py>, radius: f64, rings: usize, sectors: usize, lies: &str) -> PyResult<MeshArrays<'py>> {
    surface(py, &Disc { radius, rings, sectors, plane: plane(lies)? }.mesh().map_err(bad_value)?)
}

#[pyfunction]
fn icosphere<'py>(py: Python<'py>, radius: f64, subdivisions: u32) -> PyResult<MeshArrays<'py>> {
    surface(py, &Icosphere { radius, subdivisions }.mesh().map_err(bad_value)?)
}

#[pyfunction]
fn cylinder<'py>(
    py: Python<'py>,
    size: [f64; 2],
    cells: [usize; 2],
    closed: bool,
    staggered: bool,
) -> PyResult<MeshArrays<'py>> {
    let ([radius, height], [segments, rings]) = (size, cells);
    let caps = if closed { Caps::Fans } else { Caps::Open };
    let lattice = if staggered { Lattice::Staggered } else { Lattice::Plain };
    surface(py, &Cylinder { radius, height, segments, rings, lattice, caps }.mesh().map_err(bad_value)?)
}

#[pyfunction]
fn torus<'py>(py: Python<'py>, radii: [f64; 2], segments: [usize; 2]) -> PyResult<MeshArrays<'py>> {
    let torus = Torus {
        major_radius: radii[0],
        minor_radius: radii[1],
        major_segments: segments[0],
        minor_segments: segments[1],
    };
    surface(py, &torus.mesh().map_err(bad_value)?)
}

#[pyfunction]
fn tet_box<'py>(py: Python<'py>, size: [f64; 3], cells: [usize; 3], pattern: &str) -> PyResult<MeshArrays<'py>> {
    let known = [("kuhn", TetPattern::Kuhn), ("five", TetPattern::Five), ("body-centred", TetPattern::BodyCentred)];
    let pattern = choose("pattern", pattern, &known)?;
    let mesh = TetBox { size: size.into(), cells, pattern }.mesh().map_err(bad_value)?;
    Ok((to_array(py, &mesh.positions)?, to_elements(py, &mesh.tets)?))
}

type StrandArrays<'py> = (Vectors<'py>, Vec<Bound<'py, PyArray1<u32>>>);

fn strands<'py>(py: Python<'py>, set: &StrandSet) -> PyResult<StrandArrays<'py>> {
    Ok((to_array(py, &set.positions)?, set.strands.rows().map(|strand| to_numbers(py, strand)).collect()))
}

#[pyfunction]
fn rope<'py>(py: Python<'py>, start: [f64; 3], end: [f64; 3], segments: usize) -> PyResult<StrandArrays<'py>> {
    strands(py, &straight_rope(start.into(), end.into(), segments).map_err(bad_value)?)
}

#[pyfunction]
fn bundle<'py>(
    py: Python<'py>,
    radius: f64,
    count: usize,
    direction: [f64; 3],
    length: f64,
    segments: usize,
) -> PyResult<StrandArrays<'py>> {
    let bundle = Bundle { roots: Roots::Disc { radius, count }, direction: direction.into(), length, segments };
    strands(py, &bundle.strands().map_err(bad_value)?)
}

/// Hair on the upper part of a ball: radius and length; strands and segments; radius and pitch of curls.
#[pyfunction]
#[pyo3(signature = (size, cover, counts, curl))]
fn scalp<'py>(
    py: Python<'py>,
    size: [f64; 2],
    cover: f64,
    counts: [usize; 2],
    curl: Option<[f64; 2]>,
) -> PyResult<StrandArrays<'py>> {
    let ([radius, length], [count, segments]) = (size, counts);
    let curl = curl.map(|[radius, pitch]| Curl { radius, pitch });
    strands(py, &Scalp { radius, cover, count, length, segments, curl }.strands().map_err(bad_value)?)
}

/// The content of a mesh file.
#[pyfunction]
fn read<'py>(py: Python<'py>, path: &str, scale: f64, up: &str, weld: bool) -> PyResult<Bound<'py, PyDict>> {
    let options = ReadOptions {
        scale,
        up_axis: choose("up", up, &[("x", UpAxis::X), ("y", UpAxis::Y), ("z", UpAxis::Z)])?,
        duplicates: if weld { Duplicates::Weld } else { Duplicates::Keep },
        ..ReadOptions::default()
    };
    let mesh = py.detach(|| {
        let mut mesh = read_mesh(path, &options)?;
        // Vertices of no element would have no mass.
        if mesh.triangles.len() + mesh.tets.len() + mesh.polylines.len() > 0 {
            mesh.remove_unused_vertices();
        }
        Ok(mesh)
    });
    let mesh = mesh.map_err(|error: pliant_io::read::ReadError| bad_value(error))?;
    let content = PyDict::new(py);
    content.set_item("name", mesh.name)?;
    content.set_item("positions", to_array(py, &mesh.positions)?)?;
    content.set_item("triangles", to_elements(py, &mesh.triangles)?)?;
    content.set_item("tets", to_elements(py, &mesh.tets)?)?;
    content.set_item("polylines", mesh.polylines.iter().map(|line| to_numbers(py, line)).collect::<Vec<_>>())?;
    content.set_item("pieces", mesh.material_coordinates.map(|flat| flat_pieces(py, &flat)).transpose()?)?;
    content.set_item("notes", mesh.notes)?;
    Ok(content)
}

/// Plane coordinates of triangles as an array of shape (m, 3, 2).
fn flat_pieces<'py>(py: Python<'py>, flat: &MaterialCoordinates) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let count = flat.corners.len();
    let all: Vec<f64> = (0..count).flat_map(|t| flat.triangle(t)).flatten().collect();
    all.into_pyarray(py).reshape([count, 3, 2]).map(read_only)
}

/// Fills a surface with tets, `cells` along its longest side.
#[pyfunction]
fn fill<'py>(
    py: Python<'py>,
    positions: PyReadonlyArray2<'py, f64>,
    triangles: PyReadonlyArray2<'py, u32>,
    cells: usize,
    keep_all: bool,
) -> PyResult<MeshArrays<'py>> {
    let surface = TriangleMesh::new(vectors(&positions)?, elements(&triangles)?).map_err(bad_value)?;
    let keep = if keep_all { Keep::AllPieces } else { Keep::LargestPiece };
    let recipe = Tetrahedralise { resolution: Resolution::Cells(cells), keep };
    let filled = py.detach(|| {
        let distance = SurfaceDistance::new(&surface).map_err(|error| error.to_string())?;
        recipe.fill(&distance).map_err(|error| error.to_string())
    });
    let mesh = filled.map_err(bad_value)?.mesh;
    Ok((to_array(py, &mesh.positions)?, to_elements(py, &mesh.tets)?))
}

/// Edges, hinges, vertices of the rim, normals and areas of a surface, by name.
#[pyfunction]
fn triangle_topology<'py>(py: Python<'py>, mesh: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyAny>> {
    let AnyMesh::Triangles(mesh) = any_mesh(mesh)? else { return Err(bad_value("this needs triangles")) };
    Ok(match what {
        "edges" => to_elements(py, &mesh.edges())?.into_any(),
        "hinges" => to_elements(py, &mesh.hinges().map_err(bad_value)?)?.into_any(),
        "rim" => to_numbers(py, &mesh.boundary_vertices()).into_any(),
        "normals" => to_array(py, &mesh.vertex_normals())?.into_any(),
        _ => to_numbers(py, &mesh.triangle_areas()).into_any(),
    })
}

/// Edges, volumes, or the surface (positions, triangles, vertices of the solid) of tets, by name.
#[pyfunction]
fn tet_topology<'py>(py: Python<'py>, mesh: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyAny>> {
    let AnyMesh::Tets(mesh) = any_mesh(mesh)? else { return Err(bad_value("this needs tets")) };
    Ok(match what {
        "edges" => to_elements(py, &mesh.edges())?.into_any(),
        "volumes" => to_numbers(py, &mesh.tet_volumes()).into_any(),
        _ => {
            let skin = mesh.surface().map_err(bad_value)?;
            let (positions, triangles) = surface(py, &skin.mesh)?;
            (positions, triangles, to_numbers(py, &skin.vertices)).into_pyobject(py)?.into_any()
        }
    })
}

/// Mass of each vertex of a mesh with a density.
#[pyfunction]
fn lumped_masses<'py>(py: Python<'py>, mesh: &Bound<'py, PyAny>, density: f64) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let masses = match any_mesh(mesh)? {
        AnyMesh::Triangles(mesh) => mesh.lumped_masses(density),
        AnyMesh::Tets(mesh) => mesh.lumped_masses(density),
        AnyMesh::Strands(strands) => strands.lumped_masses(density),
        AnyMesh::Points(_) | AnyMesh::Oriented(_) => return Err(bad_value("points have no density; give masses")),
    };
    Ok(to_numbers(py, &masses.map_err(bad_value)?))
}

/// Principal stretches of triangles or tets whose vertices are at other positions.
#[pyfunction]
fn principal_stretches<'py>(
    py: Python<'py>,
    mesh: &Bound<'py, PyAny>,
    positions: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let positions = vectors(&positions)?;
    let rows: Vec<Vec<f64>> = match any_mesh(mesh)? {
        AnyMesh::Triangles(mesh) => {
            mesh.principal_stretches(&positions).map_err(bad_value)?.iter().map(|s| s.to_vec()).collect()
        }
        AnyMesh::Tets(mesh) => {
            mesh.principal_stretches(&positions).map_err(bad_value)?.iter().map(|s| s.to_vec()).collect()
        }
        _ => return Err(bad_value("this needs triangles or tets")),
    };
    to_rows(py, &rows)
}
