//! From a `[[body]]` section to a body of the engine.

use std::path::Path;

use pliant::energy::{Batch, EnergyError, HalfSpace, PositionGoals, StrainSet, TetVolume, TriangleArea};
use pliant::math::{Mat3, Vec3};
use pliant::mesh::generate::{
    Bundle, Cylinder, Diagonals, Disc, Icosphere, Plane, Roots, Sheet, TetBox, TetPattern, Torus, rope,
};
use pliant::mesh::sdf::SurfaceDistance;
use pliant::mesh::{Edge, MeshError, Placed, Resolution, StrandSet, TetMesh, Tetrahedralise, TriangleMesh};
use pliant::{BendModel, Body, ClothMaterial, ModelError, SolidMaterial, StrainLimit, StrandMaterial};
use pliant_io::read::{ReadOptions, UpAxis, read_mesh};
use pliant_io::store::Topology;

use crate::error::similar;
use crate::format::{
    BendModelName, BodySection, ClothSection, ContentName, DiagonalName, EnergySection, MaterialSection, PlaneName,
    ShapeSection, SolidSection, StrandSection, TetPatternName, TransformSection, UpName,
};
use crate::motion::{check_keyframes, check_rotation, rotate};
use crate::presets;
use crate::scene::Fault;
use crate::select::resolve;

/// A body of the engine with what the scene still needs of it.
pub(crate) struct BuiltBody {
    pub(crate) body: Body,
    /// Edges with their rest lengths, for the measure of stretch.
    pub(crate) edges: Vec<(Edge, f64)>,
    /// Vertices of each pin section.
    pub(crate) pins: Vec<Vec<u32>>,
    /// Vertices of each handle section.
    pub(crate) handles: Vec<Vec<u32>>,
    shape: Shape,
}

impl BuiltBody {
    /// Adds the body to what is stored of a run.
    pub(crate) fn describe(&self, name: &str, topology: &mut Topology) {
        match &self.shape {
            Shape::Surface { mesh, .. } => topology.add_surface(name, mesh),
            Shape::Solid(mesh) => topology.add_solid(name, mesh),
            Shape::Strands(strands) => topology.add_strands(name, strands),
        }
    }
}

/// A generated shape, placed.
enum Shape {
    Surface { mesh: TriangleMesh, skip_one: Option<Vec<Edge>> },
    Solid(TetMesh),
    Strands(StrandSet),
}

/// Builds a body; files are looked up in `folder`.
pub(crate) fn build_body(section: &BodySection, folder: &Path) -> Result<BuiltBody, Fault> {
    let shape = match &section.shape {
        ShapeSection::File { .. } => import(&section.shape, folder)?,
        shape => generate(shape).map_err(|error| in_shape(section, &error))?,
    };
    let shape = place(shape, section.transform.as_ref())?;
    let (body, edges, rest) = match (&shape, &section.material) {
        (Shape::Surface { mesh, .. }, MaterialSection::Cloth(material)) => {
            (Body::cloth(mesh, &cloth(material)?), mesh.edges(), &mesh.positions)
        }
        (Shape::Surface { mesh, skip_one }, MaterialSection::Springs(material)) => {
            let mut edges = mesh.edges();
            if material.skip_one {
                let more = skip_one.as_ref().ok_or_else(|| Fault::new("material", "skip_one needs a sheet"))?;
                edges.extend(more);
            }
            let density = material.density.unwrap_or(0.15);
            (Body::mass_spring(mesh, density, edges, material.stiffness), mesh.edges(), &mesh.positions)
        }
        (Shape::Solid(mesh), MaterialSection::Solid(material)) => {
            (Body::solid(mesh, &solid(material)?), mesh.edges(), &mesh.positions)
        }
        (Shape::Strands(strands), MaterialSection::Strand(material)) => {
            (Body::strands(strands, &strand(material)?), strands.edges(), &strands.positions)
        }
        (shape, _) => {
            let need = match shape {
                Shape::Surface { .. } => "material.cloth or material.springs",
                Shape::Solid(_) => "material.solid",
                Shape::Strands(_) => "material.strand",
            };
            return Err(Fault::new("material", format!("this shape needs {need}")));
        }
    };
    let mut body = body.map_err(|error| in_material(section, &error))?;
    let lengths = edges.iter().map(|&[a, b]| (rest[a as usize] - rest[b as usize]).length());
    let edges = edges.iter().copied().zip(lengths).collect();
    for (k, energy) in section.energy.iter().enumerate() {
        let batch = extra_energy(energy, &shape).map_err(|fault| Fault::new(format!("energy.{k}"), fault.message))?;
        body = body.with_energy(batch);
    }
    let mut pins = Vec::new();
    for (k, pin) in section.pin.iter().enumerate() {
        check_keyframes(&format!("pin.{k}"), &pin.keyframe)?;
        let chosen = resolve(&pin.select, rest).map_err(|message| Fault::new(format!("pin.{k}.select"), message))?;
        pins.push(chosen);
    }
    let mut handles = Vec::new();
    for (k, handle) in section.handle.iter().enumerate() {
        let key = |name: &str| format!("handle.{k}.{name}");
        check_keyframes(&format!("handle.{k}"), &handle.keyframe)?;
        let chosen = resolve(&handle.select, rest).map_err(|message| Fault::new(key("select"), message))?;
        let goals = PositionGoals { vertices: chosen.clone(), goals: None, stiffness: handle.stiffness };
        body = body.with_energy(goals.build(rest).map_err(|error| Fault::new(key("stiffness"), error.to_string()))?);
        handles.push(chosen);
    }
    let velocities = vec![Vec3::from_array(section.velocity); rest.len()];
    let body = body
        .named(section.name.clone())
        .pin(pins.iter().flatten().copied())
        .with_velocities(velocities)
        .with_pressure(section.pressure);
    Ok(BuiltBody { body, edges, pins, handles, shape })
}

/// The fault of a bad shape, at the parameter that is to blame where the error names one.
fn in_shape(section: &BodySection, error: &MeshError) -> Fault {
    let kind = match section.shape {
        ShapeSection::Sheet { .. } => "sheet",
        ShapeSection::Disc { .. } => "disc",
        ShapeSection::Icosphere { .. } => "icosphere",
        ShapeSection::Cylinder { .. } => "cylinder",
        ShapeSection::Torus { .. } => "torus",
        ShapeSection::Box { .. } => "box",
        ShapeSection::File { .. } => "file",
        ShapeSection::Rope { .. } => "rope",
        ShapeSection::Bundle { .. } => "bundle",
    };
    let key = match error {
        MeshError::BadParameter { name, .. } => format!("shape.{kind}.{}", as_key(name)),
        _ => format!("shape.{kind}"),
    };
    Fault::new(key, error.to_string())
}

/// The fault of a body that the engine refuses: its material, unless the mesh itself is at fault.
fn in_material(section: &BodySection, error: &ModelError) -> Fault {
    let kind = match section.material {
        MaterialSection::Cloth(_) => "cloth",
        MaterialSection::Solid(_) => "solid",
        MaterialSection::Strand(_) => "strand",
        MaterialSection::Springs(_) => "springs",
    };
    let (ModelError::Mesh(MeshError::BadParameter { name, .. })
    | ModelError::Energy { error: EnergyError::BadParameter { name, .. }, .. }) = error
    else {
        let key = if matches!(error, ModelError::Mesh(_)) { "shape".to_owned() } else { format!("material.{kind}") };
        return Fault::new(key, error.to_string());
    };
    Fault::new(format!("material.{kind}.{}", as_key(name)), error.to_string())
}

/// "Young's modulus" as a key.
fn as_key(name: &str) -> String {
    name.to_lowercase().replace('\'', "").replace(' ', "_")
}

fn generate(shape: &ShapeSection) -> Result<Shape, MeshError> {
    let surface = |mesh| Shape::Surface { mesh, skip_one: None };
    let plane = |plane: Option<PlaneName>| match plane.unwrap_or_default() {
        PlaneName::Xy => Plane::Xy,
        PlaneName::Xz => Plane::Xz,
    };
    Ok(match *shape {
        ShapeSection::Sheet { width, height, columns, rows, plane: lies, diagonals } => {
            let diagonals = match diagonals.unwrap_or_default() {
                DiagonalName::Forward => Diagonals::Forward,
                DiagonalName::Backward => Diagonals::Backward,
                DiagonalName::Alternating => Diagonals::Alternating,
                DiagonalName::Cross => Diagonals::Cross,
            };
            let sheet = Sheet { width, height, columns, rows, diagonals, plane: plane(lies), ..Sheet::default() };
            Shape::Surface { mesh: sheet.mesh()?, skip_one: Some(sheet.skip_one_edges()?) }
        }
        ShapeSection::Disc { radius, rings, sectors, plane: lies } => {
            surface(Disc { radius, rings, sectors, plane: plane(lies) }.mesh()?)
        }
        ShapeSection::Icosphere { radius, subdivisions } => surface(Icosphere { radius, subdivisions }.mesh()?),
        ShapeSection::Cylinder { radius, height, segments, rings } => {
            surface(Cylinder { radius, height, segments, rings, ..Cylinder::default() }.mesh()?)
        }
        ShapeSection::Torus { major_radius, minor_radius, major_segments, minor_segments } => {
            surface(Torus { major_radius, minor_radius, major_segments, minor_segments }.mesh()?)
        }
        ShapeSection::Box { size, cells, pattern } => {
            let pattern = match pattern.unwrap_or_default() {
                TetPatternName::Kuhn => TetPattern::Kuhn,
                TetPatternName::Five => TetPattern::Five,
                TetPatternName::BodyCentred => TetPattern::BodyCentred,
            };
            Shape::Solid(TetBox { size: size.into(), cells, pattern }.mesh()?)
        }
        ShapeSection::Rope { from, to, segments } => Shape::Strands(rope(from.into(), to.into(), segments)?),
        ShapeSection::Bundle { radius, count, direction, length, segments } => {
            let roots = Roots::Disc { radius, count };
            Shape::Strands(Bundle { roots, direction: direction.into(), length, segments }.strands()?)
        }
        // Read by `import`, which needs a folder.
        ShapeSection::File { .. } => return Err(MeshError::Empty { what: "generated shape" }),
    })
}

/// Reads a mesh file.
fn import(shape: &ShapeSection, folder: &Path) -> Result<Shape, Fault> {
    let ShapeSection::File { path, content, metres_per_unit, up, cells } = shape else {
        return Err(Fault::new("shape", "is not a file"));
    };
    let failed = |error: &dyn std::error::Error| Fault::new("shape.file.path", error.to_string());
    let options = ReadOptions {
        scale: metres_per_unit.unwrap_or(1.0),
        up_axis: match up.unwrap_or_default() {
            UpName::X => UpAxis::X,
            UpName::Y => UpAxis::Y,
            UpName::Z => UpAxis::Z,
        },
        ..ReadOptions::default()
    };
    let mut imported = read_mesh(folder.join(path), &options).map_err(|error| failed(&error))?;
    imported.remove_unused_vertices();
    match content.unwrap_or_default() {
        ContentName::Surface => {
            let mesh = imported.triangle_mesh().map_err(|error| failed(&error))?;
            Ok(Shape::Surface { mesh, skip_one: None })
        }
        ContentName::Solid => Ok(Shape::Solid(imported.tet_mesh().map_err(|error| failed(&error))?)),
        ContentName::Strands => Ok(Shape::Strands(imported.strand_set().map_err(|error| failed(&error))?)),
        ContentName::Fill => {
            let surface = imported.triangle_mesh().map_err(|error| failed(&error))?;
            let distance = SurfaceDistance::new(&surface).map_err(|error| failed(&error))?;
            let resolution = Resolution::Cells(cells.unwrap_or(20));
            let filling = Tetrahedralise { resolution, ..Tetrahedralise::default() };
            Ok(Shape::Solid(filling.fill(&distance).map_err(|error| failed(&error))?.mesh))
        }
    }
}

fn place(shape: Shape, transform: Option<&TransformSection>) -> Result<Shape, Fault> {
    let Some(transform) = transform else { return Ok(shape) };
    let scale = transform.scale.unwrap_or(1.0);
    if !(scale.is_finite() && scale > 0.0) {
        return Err(Fault::new("transform.scale", format!("scale is {scale}, but must be positive")));
    }
    let (linear, offset) = match &transform.rotate {
        None => (Mat3::IDENTITY, Vec3::ZERO),
        Some(rotation) => {
            check_rotation("transform.rotate", rotation)?;
            let origin = rotate(rotation, 1.0, Vec3::ZERO);
            let column = |axis: Vec3| rotate(rotation, 1.0, axis) - origin;
            (Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z)), origin)
        }
    };
    let (linear, offset) = (linear * scale, offset + Vec3::from_array(transform.translate));
    Ok(match shape {
        Shape::Surface { mesh, skip_one } => Shape::Surface { mesh: mesh.transformed(&linear, offset), skip_one },
        Shape::Solid(mesh) => Shape::Solid(mesh.transformed(&linear, offset)),
        Shape::Strands(strands) => Shape::Strands(strands.transformed(&linear, offset)),
    })
}

fn preset<T>(given: Option<&str>, standard: &str, known: &[&str], find: fn(&str) -> Option<T>) -> Result<T, Fault> {
    let name = given.unwrap_or(standard);
    find(name).ok_or_else(|| {
        let hint =
            similar(name, known.iter().copied()).map_or(String::new(), |near| format!("; did you mean {near:?}?"));
        Fault::new("material", format!("there is no preset {name:?} (there are {}){hint}", known.join(", ")))
    })
}

/// Limits are stiffer than the material by this factor, if nothing is said.
const LIMIT_FACTOR: f64 = 20.0;

fn limit<const D: usize>(limits: Option<[f64; 2]>, modulus: Option<f64>, material: f64) -> Option<StrainLimit<D>> {
    limits.map(|[min, max]| StrainLimit {
        set: StrainSet::Limits { min, max },
        youngs_modulus: modulus.unwrap_or(LIMIT_FACTOR * material),
    })
}

fn cloth(section: &ClothSection) -> Result<ClothMaterial, Fault> {
    let standard = preset(section.preset.as_deref(), "cotton", &presets::CLOTHS, presets::cloth)?;
    let youngs_modulus = section.youngs_modulus.unwrap_or(standard.youngs_modulus);
    Ok(ClothMaterial {
        density: section.density.unwrap_or(standard.density),
        youngs_modulus,
        thickness: section.thickness.unwrap_or(standard.thickness),
        poisson_ratio: section.poisson_ratio.unwrap_or(standard.poisson_ratio),
        bending_stiffness: section.bending_stiffness.or(standard.bending_stiffness),
        bend_model: match section.bend_model {
            None => standard.bend_model,
            Some(BendModelName::Hinge) => BendModel::Hinge,
            Some(BendModelName::MeanCurvature) => BendModel::MeanCurvature,
            Some(BendModelName::None) => BendModel::None,
        },
        strain_limit: limit(section.strain_limits, section.limit_modulus, youngs_modulus),
        ..standard
    })
}

fn solid(section: &SolidSection) -> Result<SolidMaterial, Fault> {
    let standard = preset(section.preset.as_deref(), "jelly", &presets::SOLIDS, presets::solid)?;
    let youngs_modulus = section.youngs_modulus.unwrap_or(standard.youngs_modulus);
    Ok(SolidMaterial {
        density: section.density.unwrap_or(standard.density),
        youngs_modulus,
        poisson_ratio: section.poisson_ratio.unwrap_or(standard.poisson_ratio),
        strain_limit: limit(section.strain_limits, section.limit_modulus, youngs_modulus),
        ..standard
    })
}

fn strand(section: &StrandSection) -> Result<StrandMaterial, Fault> {
    let standard = preset(section.preset.as_deref(), "cord", &presets::STRANDS, presets::strand)?;
    Ok(StrandMaterial {
        density: section.density.unwrap_or(standard.density),
        axial_stiffness: section.axial_stiffness.unwrap_or(standard.axial_stiffness),
        resists_compression: section.resists_compression.unwrap_or(standard.resists_compression),
        ..standard
    })
}

fn extra_energy(section: &EnergySection, shape: &Shape) -> Result<Box<dyn Batch>, Fault> {
    let failed = |error: EnergyError| Fault::new("", error.to_string());
    match (section, shape) {
        (EnergySection::TriangleArea { stiffness, bounds }, Shape::Surface { mesh, .. }) => {
            let area = TriangleArea {
                triangles: mesh.triangles.clone(),
                stiffness: *stiffness,
                bounds: bounds.unwrap_or([1.0, 1.0]),
            };
            area.build(&mesh.positions).map_err(failed)
        }
        (EnergySection::TetVolume { stiffness, bounds }, Shape::Solid(mesh)) => {
            let volume =
                TetVolume { tets: mesh.tets.clone(), stiffness: *stiffness, bounds: bounds.unwrap_or([1.0, 1.0]) };
            volume.build(&mesh.positions).map_err(failed)
        }
        (EnergySection::HalfSpace { stiffness, point, normal }, shape) => {
            let rest = match shape {
                Shape::Surface { mesh, .. } => &mesh.positions,
                Shape::Solid(mesh) => &mesh.positions,
                Shape::Strands(strands) => &strands.positions,
            };
            let plane = HalfSpace {
                vertices: (0..rest.len() as u32).collect(),
                point: (*point).into(),
                normal: (*normal).into(),
                stiffness: *stiffness,
            };
            plane.build(rest).map_err(failed)
        }
        (EnergySection::TriangleArea { .. }, _) => Err(Fault::new("", "triangle_area needs a surface")),
        (EnergySection::TetVolume { .. }, _) => Err(Fault::new("", "tet_volume needs a solid")),
    }
}
