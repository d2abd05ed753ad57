//! Meshes: generators, files, and what JavaScript keeps of them: an object with `kind`, `positions` and the elements' corners.

use js_sys::{Array, Float64Array, Uint32Array};
use pliant::math::Vec3;
use pliant::mesh::generate::{
    Bundle, Caps, Cylinder, Diagonals, Disc, Icosphere, Plane, Roots, Scalp, Sheet, TetBox, TetPattern, Torus, rope,
};
use pliant::mesh::sdf::SurfaceDistance;
use pliant::mesh::{Csr, PointSet, Resolution, StrandSet, TetMesh, Tetrahedralise, TriangleMesh};
use pliant_io::read::{Duplicates, ReadOptions, UpAxis, read_mesh_from_bytes};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::options::{Options, count, elements, index, indices, items, number, object, points, vector};

/// What a mesh object is.
pub(crate) enum AnyMesh {
    Triangles(TriangleMesh),
    Tets(TetMesh),
    Strands(StrandSet),
    Points(PointSet),
}

/// Reads a mesh object.
pub(crate) fn any_mesh(value: &JsValue, place: &str) -> Result<AnyMesh, Fault> {
    let options = Options::new(value, place)?;
    let kind = options.need("kind", crate::options::text)?;
    let positions = options.need("positions", points)?;
    let bad = |error: pliant::mesh::MeshError| Fault::new(error).at(place);
    Ok(match kind.as_str() {
        "triangles" => {
            let triangles = options.need("triangles", elements)?;
            AnyMesh::Triangles(TriangleMesh::new(positions, triangles).map_err(bad)?)
        }
        "tets" => AnyMesh::Tets(TetMesh::new(positions, options.need("tets", elements)?).map_err(bad)?),
        "strands" => {
            let rows = options.need("strands", |value, place| items(value, place, indices))?;
            AnyMesh::Strands(StrandSet::new(positions, Csr::from_rows(&rows)).map_err(bad)?)
        }
        "points" => AnyMesh::Points(PointSet { positions }),
        _ => return Err(Fault::new(format!("{place} is not a mesh: there is no kind {kind:?}"))),
    })
}

/// The surface that an object is.
pub(crate) fn surface(value: &JsValue, place: &str) -> Result<TriangleMesh, Fault> {
    match any_mesh(value, place)? {
        AnyMesh::Triangles(mesh) => Ok(mesh),
        _ => Err(Fault::new(format!("{place} must be a mesh of triangles"))),
    }
}

/// Coordinates one after the other.
pub(crate) fn flat(points: &[Vec3]) -> Float64Array {
    Float64Array::from(&points.iter().flat_map(|p| p.to_array()).collect::<Vec<f64>>()[..])
}

fn shown(kind: &str, positions: &[Vec3], key: &str, corners: JsValue) -> JsValue {
    object([("kind", kind.into()), ("positions", flat(positions).into()), (key, corners)])
}

fn triangles(mesh: &TriangleMesh) -> JsValue {
    shown("triangles", &mesh.positions, "triangles", Uint32Array::from(mesh.triangles.as_flattened()).into())
}

fn tets(mesh: &TetMesh) -> JsValue {
    shown("tets", &mesh.positions, "tets", Uint32Array::from(mesh.tets.as_flattened()).into())
}

fn strands(set: &StrandSet) -> JsValue {
    let rows: Array = set.strands.rows().map(|strand| JsValue::from(Uint32Array::from(strand))).collect();
    shown("strands", &set.positions, "strands", rows.into())
}

fn count_of(number: usize) -> JsValue {
    JsValue::from_f64(number as f64)
}

fn plane(options: &Options) -> Result<Plane, Fault> {
    options.choice("plane", Plane::Xy, &[("xy", Plane::Xy), ("xz", Plane::Xz)])
}

/// Makes a mesh of a kind from its options.
#[wasm_bindgen(js_name = makeMesh)]
pub fn make_mesh(kind: &str, options: &JsValue) -> Result<JsValue, JsValue> {
    Ok(made(kind, &Options::new(options, kind)?)?)
}

fn made(kind: &str, options: &Options) -> Result<JsValue, Fault> {
    let bad = |error: pliant::mesh::MeshError| Fault::new(error).at(kind);
    Ok(match kind {
        "sheet" => {
            let known = [
                ("forward", Diagonals::Forward),
                ("backward", Diagonals::Backward),
                ("alternating", Diagonals::Alternating),
                ("cross", Diagonals::Cross),
            ];
            let usual = Sheet::default();
            let sheet = Sheet {
                width: options.number("width", usual.width)?,
                height: options.number("height", usual.height)?,
                columns: options.count("columns", usual.columns)?,
                rows: options.count("rows", usual.rows)?,
                diagonals: options.choice("diagonals", usual.diagonals, &known)?,
                plane: plane(options)?,
                ..usual
            };
            options.finish()?;
            let mesh = triangles(&sheet.mesh().map_err(bad)?);
            object([("mesh", mesh), ("columns", count_of(sheet.columns)), ("rows", count_of(sheet.rows))])
        }
        "disc" => {
            let disc = Disc {
                radius: options.number("radius", 0.5)?,
                rings: options.count("rings", 8)?,
                sectors: options.count("sectors", 6)?,
                plane: plane(options)?,
            };
            options.finish()?;
            triangles(&disc.mesh().map_err(bad)?)
        }
        "sphere" => {
            let radius = options.number("radius", 0.5)?;
            let subdivisions = options.read("subdivisions", index)?.unwrap_or(2);
            options.finish()?;
            triangles(&Icosphere { radius, subdivisions }.mesh().map_err(bad)?)
        }
        "cylinder" => {
            let cylinder = Cylinder {
                radius: options.number("radius", 0.2)?,
                height: options.number("height", 1.0)?,
                segments: options.count("segments", 24)?,
                rings: options.count("rings", 8)?,
                caps: if options.flag("closed", true)? { Caps::Fans } else { Caps::Open },
                ..Cylinder::default()
            };
            options.finish()?;
            triangles(&cylinder.mesh().map_err(bad)?)
        }
        "torus" => {
            let torus = Torus {
                major_radius: options.number("majorRadius", 0.4)?,
                minor_radius: options.number("minorRadius", 0.1)?,
                major_segments: options.count("majorSegments", 32)?,
                minor_segments: options.count("minorSegments", 12)?,
            };
            options.finish()?;
            triangles(&torus.mesh().map_err(bad)?)
        }
        "box" => {
            let known =
                [("kuhn", TetPattern::Kuhn), ("five", TetPattern::Five), ("body-centred", TetPattern::BodyCentred)];
            let cells = options.read("cells", |value, place| items(value, place, count))?.unwrap_or(vec![4; 3]);
            let cells = cells.try_into().map_err(|cells: Vec<usize>| {
                Fault::new(format!("box.cells has {} numbers, but must have three", cells.len()))
            })?;
            let size = options.vector("size", Vec3::ONE)?;
            let pattern = options.choice("pattern", TetPattern::default(), &known)?;
            options.finish()?;
            tets(&TetBox { size, cells, pattern }.mesh().map_err(bad)?)
        }
        "rope" => {
            let (start, end) = (options.need("start", vector)?, options.need("end", vector)?);
            let segments = options.count("segments", 20)?;
            options.finish()?;
            strands(&rope(start, end, segments).map_err(bad)?)
        }
        "bundle" => {
            let roots = Roots::Disc { radius: options.number("radius", 0.1)?, count: options.count("strands", 20)? };
            let bundle = Bundle {
                roots,
                direction: options.vector("direction", Vec3::NEG_Y)?,
                length: options.number("length", 0.5)?,
                segments: options.count("segments", 10)?,
            };
            options.finish()?;
            strands(&bundle.strands().map_err(bad)?)
        }
        "scalp" => {
            let scalp = Scalp {
                radius: options.number("radius", 0.1)?,
                cover: options.number("cover", 0.5)?,
                count: options.count("strands", 100)?,
                length: options.number("length", 0.2)?,
                segments: options.count("segments", 10)?,
                curl: None,
            };
            options.finish()?;
            strands(&scalp.strands().map_err(bad)?)
        }
        _ => return Err(Fault::new(format!("there is no mesh of the kind {kind:?}"))),
    })
}

/// Fills a closed surface with tets, about as many cells along its longest side.
#[wasm_bindgen(js_name = fillMesh)]
pub fn fill_mesh(mesh: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let fill = || {
        let (surface, options) = (surface(mesh, "mesh")?, Options::new(options, "fill")?);
        let recipe =
            Tetrahedralise { resolution: Resolution::Cells(options.count("cells", 10)?), ..Default::default() };
        options.finish()?;
        let distance = SurfaceDistance::new(&surface).map_err(|error| Fault::new(error).at("fill"))?;
        let filled = recipe.fill(&distance).map_err(|error| Fault::new(error).at("fill"))?;
        Ok::<_, Fault>(tets(&filled.mesh))
    };
    Ok(fill()?)
}

/// The surface of tets: a mesh, and for each of its vertices that of the solid.
#[wasm_bindgen(js_name = surfaceOf)]
pub fn surface_of(mesh: &JsValue) -> Result<JsValue, JsValue> {
    let AnyMesh::Tets(mesh) = any_mesh(mesh, "mesh")? else {
        return Err(Fault::new("mesh must be a mesh of tets").into());
    };
    let skin = mesh.surface().map_err(|error| Fault::new(error).at("surface"))?;
    let vertices = Uint32Array::from(&skin.vertices[..]);
    Ok(object([("mesh", triangles(&skin.mesh)), ("vertices", vertices.into())]))
}

/// The mesh in the bytes of a file: tets if it has any, else triangles, else strands, else points.
#[wasm_bindgen(js_name = readMesh)]
pub fn read_mesh(name: &str, bytes: &[u8], options: &JsValue) -> Result<JsValue, JsValue> {
    let read = || {
        let options = Options::new(options, "readMesh")?;
        let axes = [("x", UpAxis::X), ("y", UpAxis::Y), ("z", UpAxis::Z)];
        let how = ReadOptions {
            scale: options.read("scale", number)?.unwrap_or(1.0),
            up_axis: options.choice("up", UpAxis::Y, &axes)?,
            duplicates: if options.flag("weld", true)? { Duplicates::Weld } else { Duplicates::Keep },
            ..ReadOptions::default()
        };
        options.finish()?;
        let mut mesh = read_mesh_from_bytes(name, bytes, &how).map_err(Fault::new)?;
        if mesh.triangles.len() + mesh.tets.len() + mesh.polylines.len() > 0 {
            // Vertices of no element would have no mass.
            mesh.remove_unused_vertices();
        }
        let bad = |error| Fault::new(error).at(name);
        Ok::<_, Fault>(if !mesh.tets.is_empty() {
            tets(&mesh.tet_mesh().map_err(bad)?)
        } else if !mesh.triangles.is_empty() {
            triangles(&mesh.triangle_mesh().map_err(bad)?)
        } else if !mesh.polylines.is_empty() {
            strands(&mesh.strand_set().map_err(bad)?)
        } else {
            shown("points", &mesh.positions, "notes", Array::new().into())
        })
    };
    Ok(read()?)
}
