//! From `[body.shape.…]` to a mesh where it stands.

use pliant::Emitter;
use pliant::math::functions::cbrt;
use pliant::math::{Mat3, Vec3};
use pliant::mesh::generate::{
    Bundle, Curl, Cylinder, Diagonals, Disc, Icosphere, Plane, Plant, Roots, Scalp, Sheet, TetBox, TetPattern, Torus,
    particle_block, rope,
};
use pliant::mesh::sdf::{SignedDistance, SurfaceDistance};
use pliant::mesh::{
    Edge, Keep, MeshError, Placed, PointSet, Resolution, StrandSet, TetMesh, Tetrahedralise, TriangleMesh,
};
use pliant_io::read::{Files, ReadOptions, UpAxis};

use super::as_key;
use super::solid::build_solid;
use crate::budget::{Budget, lattice_nodes, vertices_of};
use crate::fault::Fault;
use crate::format::{
    ContentName, DiagonalName, PiecesName, PlaneName, Rotation, ShapeSection, TetPatternName, TransformSection, UpName,
};
use crate::motion::{check_rotation, rotate};

/// Cells along the longest side of a solid that is filled, if nothing is said.
const STANDARD_CELLS: usize = 20;

/// Share of a ball that has hair, if nothing is said.
const STANDARD_COVER: f64 = 0.5;

/// A shape in its place.
pub(super) enum Shape {
    /// Triangles; sheets know the springs to the vertex after the next.
    Surface { mesh: TriangleMesh, skip_one: Option<Vec<Edge>>, flat: Option<Vec<FlatTriangle>> },
    /// Tets, perhaps with a finer surface that rides along on them.
    Solid { mesh: TetMesh, skin: Option<TriangleMesh> },
    /// Polylines.
    Strands(StrandSet),
    /// Particles of a fluid, so far apart \[m\], and the pipe that they come out of.
    Particles { points: PointSet, spacing: f64, emitter: Option<Emitter> },
    /// Particles of a solid with links between neighbours, and the surface that follows them.
    Cells { points: PointSet, links: Vec<Edge>, surface: Option<TriangleMesh> },
}

/// The corners of a triangle in the plane of the cloth that it was cut from, in units of the file.
pub(super) type FlatTriangle = [[f64; 2]; 3];

impl Shape {
    /// Its strands, if it is made of them.
    pub(super) fn strands(&self) -> Option<&StrandSet> {
        if let Self::Strands(strands) = self { Some(strands) } else { None }
    }

    /// Positions of the vertices that move by themselves \[m\].
    pub(super) fn positions(&self) -> &[Vec3] {
        match self {
            Self::Surface { mesh, .. } => &mesh.positions,
            Self::Solid { mesh, .. } => &mesh.positions,
            Self::Strands(strands) => &strands.positions,
            Self::Particles { points, .. } | Self::Cells { points, .. } => &points.positions,
        }
    }
}

/// Builds a shape that is still to be placed; files are looked up in `files`.
pub(super) fn build_shape(section: &ShapeSection, files: &Files, budget: &mut Budget) -> Result<Shape, Fault> {
    let name = section.name();
    let too_many = |message| Fault::new(format!("shape.{name}"), message);
    budget.take(vertices_of(section)).map_err(too_many)?;
    match section {
        ShapeSection::File { .. } => import(section, files, budget),
        ShapeSection::Sdf { .. } => fill_solid(section, budget),
        generated => generate(generated).map_err(|error| in_shape(section, &error)),
    }
}

/// The fault of a bad shape, at the parameter that is to blame where the error names one.
fn in_shape(section: &ShapeSection, error: &MeshError) -> Fault {
    let kind = section.name();
    let key = match error {
        MeshError::BadParameter { name, .. } => format!("shape.{kind}.{}", as_key(name)),
        _ => format!("shape.{kind}"),
    };
    Fault::new(key, error.to_string())
}

fn generate(shape: &ShapeSection) -> Result<Shape, MeshError> {
    let surface = |mesh| Shape::Surface { mesh, skip_one: None, flat: None };
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
            Shape::Surface { mesh: sheet.mesh()?, skip_one: Some(sheet.skip_one_edges()?), flat: None }
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
            Shape::Solid { mesh: TetBox { size: size.into(), cells, pattern }.mesh()?, skin: None }
        }
        ShapeSection::Particles { size, spacing } => {
            Shape::Particles { points: particle_block(size.into(), spacing)?, spacing, emitter: None }
        }
        ShapeSection::Emitter { direction, radius, speed, duration, spacing } => {
            let emitter = Emitter { mouth: Vec3::ZERO, direction: direction.into(), radius, speed, duration };
            Shape::Particles { points: emitter.particles(spacing)?, spacing, emitter: Some(emitter) }
        }
        ShapeSection::Rope { from, to, segments } => Shape::Strands(rope(from.into(), to.into(), segments)?),
        ShapeSection::Bundle { radius, count, direction, length, segments } => {
            let roots = Roots::Disc { radius, count };
            Shape::Strands(Bundle { roots, direction: direction.into(), length, segments }.strands()?)
        }
        ShapeSection::Plant { height, segments, branches, branch_length, spread } => {
            let spread = spread.map_or(Plant::default().spread, f64::to_radians);
            Shape::Strands(Plant { height, segments, branches, branch_length, spread }.strands()?)
        }
        ShapeSection::Hair { radius, cover, count, length, segments, curl } => {
            let curl = curl.map(|curl| Curl { radius: curl.radius, pitch: curl.pitch });
            let cover = cover.unwrap_or(STANDARD_COVER);
            Shape::Strands(Scalp { radius, cover, count, length, segments, curl }.strands()?)
        }
        // These are made by `import` and `fill_solid`, or stand for another.
        ShapeSection::File { .. } | ShapeSection::Sdf { .. } | ShapeSection::Like { .. } => {
            return Err(MeshError::Empty { what: "generated shape" });
        }
    })
}

/// Reads a mesh file.
fn import(shape: &ShapeSection, files: &Files, budget: &mut Budget) -> Result<Shape, Fault> {
    let ShapeSection::File { path, content, metres_per_unit, up, cells, pieces } = shape else {
        return Err(Fault::new("shape", "is not a file"));
    };
    let failed = |error: &dyn std::error::Error| Fault::new("shape.file.path", error.to_string());
    let options =
        ReadOptions { scale: metres_per_unit.unwrap_or(1.0), up_axis: up_axis(*up), ..ReadOptions::default() };
    let mut imported = files.read_mesh(path, &options).map_err(|error| failed(&error))?;
    imported.remove_unused_vertices();
    let count = imported.positions.len() as u128;
    budget.take(count).map_err(|message| Fault::new("shape.file.path", message))?;
    match content.unwrap_or_default() {
        ContentName::Surface => {
            let mesh = imported.triangle_mesh().map_err(|error| failed(&error))?;
            let flat = imported.material_coordinates.as_ref();
            let flat = flat.map(|own| (0..own.corners.len()).map(|triangle| own.triangle(triangle)).collect());
            Ok(Shape::Surface { mesh, skip_one: None, flat })
        }
        ContentName::Solid => {
            Ok(Shape::Solid { mesh: imported.tet_mesh().map_err(|error| failed(&error))?, skin: None })
        }
        ContentName::Strands => Ok(Shape::Strands(imported.strand_set().map_err(|error| failed(&error))?)),
        ContentName::Fill => {
            let surface = imported.triangle_mesh().map_err(|error| failed(&error))?;
            let distance = SurfaceDistance::new(&surface).map_err(|error| failed(&error))?;
            let resolution = Resolution::Cells(cells.unwrap_or(STANDARD_CELLS));
            let filling = Filling { resolution, pieces: pieces.unwrap_or_default(), key: "shape.file.cells" };
            let mesh = filling.fill(&distance, budget)?;
            Ok(Shape::Solid { mesh, skin: Some(surface) })
        }
    }
}

/// A solid of simple shapes.
fn fill_solid(shape: &ShapeSection, budget: &mut Budget) -> Result<Shape, Fault> {
    let ShapeSection::Sdf { solid, cells, cell, surface_cells, pieces } = shape else {
        return Err(Fault::new("shape", "is not a signed distance"));
    };
    let solid = build_solid(solid, "shape.sdf.solid")?;
    let (resolution, key) = match (cells, cell) {
        (Some(_), Some(_)) => return Err(Fault::new("shape.sdf.cell", "give `cells` or `cell`, not both")),
        (None, Some(cell)) => (Resolution::Cell(*cell), "shape.sdf.cell"),
        (cells, None) => (Resolution::Cells(cells.unwrap_or(STANDARD_CELLS)), "shape.sdf.cells"),
    };
    let pieces = pieces.unwrap_or_default();
    let mesh = Filling { resolution, pieces, key }.fill(&solid, budget)?;
    let skin = match surface_cells {
        None => None,
        Some(cells) => {
            let (resolution, key) = (Resolution::Cells(*cells), "shape.sdf.surface_cells");
            let fine = Filling { resolution, pieces, key }.fill(&solid, budget)?;
            Some(fine.surface().map_err(|error| Fault::new(key, error.to_string()))?.mesh)
        }
    };
    Ok(Shape::Solid { mesh, skin })
}

/// How a solid is filled with tets.
struct Filling {
    resolution: Resolution,
    pieces: PiecesName,
    /// Where the resolution stands, to which errors point.
    key: &'static str,
}

impl Filling {
    fn fill(&self, solid: &impl SignedDistance, budget: &mut Budget) -> Result<TetMesh, Fault> {
        let refuse = |message: String| Fault::new(self.key, message);
        budget.take(lattice_nodes(&solid.bounds(), self.resolution)).map_err(refuse)?;
        let keep = if self.pieces == PiecesName::Largest { Keep::LargestPiece } else { Keep::AllPieces };
        let filling = Tetrahedralise { resolution: self.resolution, keep };
        let mesh = filling.fill(solid).map_err(|error| refuse(error.to_string()))?.mesh;
        let count = mesh.components().count;
        if self.pieces == PiecesName::Refuse && count > 1 {
            let hint = "smaller cells keep thin parts together; pieces = \"all\" or \"largest\" keeps pieces";
            return Err(refuse(format!("the solid falls into {count} pieces")).hint(hint));
        }
        Ok(mesh)
    }
}

/// Scale, rotation and translation of a body.
pub(super) struct Placing {
    linear: Mat3,
    offset: Vec3,
}

impl Placing {
    pub(super) fn new(transform: Option<&TransformSection>) -> Result<Self, Fault> {
        let Some(transform) = transform else { return Ok(Self { linear: Mat3::IDENTITY, offset: Vec3::ZERO }) };
        let scale = transform.scale.unwrap_or(1.0);
        if !(scale.is_finite() && scale > 0.0) {
            return Err(Fault::new("transform.scale", format!("scale is {scale}, but must be positive")));
        }
        if !transform.translate.iter().all(|c| c.is_finite()) {
            let message = format!("translate is {:?}, but must be finite", transform.translate);
            return Err(Fault::new("transform.translate", message));
        }
        let (linear, offset) = match &transform.rotate {
            None => (Mat3::IDENTITY, Vec3::ZERO),
            Some(rotation) => {
                check_rotation("transform.rotate", rotation)?;
                rigid(rotation)
            }
        };
        Ok(Self { linear: linear * scale, offset: offset + Vec3::from_array(transform.translate) })
    }

    /// Where a point of the shape is.
    pub(super) fn apply(&self, p: Vec3) -> Vec3 {
        self.linear * p + self.offset
    }

    /// Factor on all lengths.
    pub(super) fn scale(&self) -> f64 {
        cbrt(self.linear.determinant())
    }

    /// Rotation and translation alone.
    pub(super) fn without_scale(&self) -> Self {
        Self { linear: self.linear * self.scale().recip(), offset: self.offset }
    }

    pub(super) fn place(&self, shape: Shape) -> Shape {
        let Self { linear, offset } = self;
        match shape {
            Shape::Surface { mesh, skip_one, flat } => {
                Shape::Surface { mesh: mesh.transformed(linear, *offset), skip_one, flat }
            }
            Shape::Solid { mesh, skin } => Shape::Solid {
                mesh: mesh.transformed(linear, *offset),
                skin: skin.map(|skin| skin.transformed(linear, *offset)),
            },
            Shape::Strands(strands) => Shape::Strands(strands.transformed(linear, *offset)),
            Shape::Particles { points, spacing, emitter } => {
                let scale = self.scale();
                let placed = |emitter: Emitter| Emitter {
                    mouth: *linear * emitter.mouth + *offset,
                    direction: *linear * emitter.direction,
                    radius: emitter.radius * scale,
                    speed: emitter.speed * scale,
                    ..emitter
                };
                let (points, spacing) = (points.transformed(linear, *offset), spacing * scale);
                Shape::Particles { points, spacing, emitter: emitter.map(placed) }
            }
            Shape::Cells { points, links, surface } => Shape::Cells {
                points: points.transformed(linear, *offset),
                links,
                surface: surface.map(|surface| surface.transformed(linear, *offset)),
            },
        }
    }
}

/// A rotation about a point as matrix and shift.
pub(super) fn rigid(rotation: &Rotation) -> (Mat3, Vec3) {
    let origin = rotate(rotation, 1.0, Vec3::ZERO);
    let column = |axis: Vec3| rotate(rotation, 1.0, axis) - origin;
    (Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z)), origin)
}

pub(crate) fn up_axis(name: Option<UpName>) -> UpAxis {
    match name.unwrap_or_default() {
        UpName::X => UpAxis::X,
        UpName::Y => UpAxis::Y,
        UpName::Z => UpAxis::Z,
    }
}
