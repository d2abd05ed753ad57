//! From `[body.material.…]` and a shape to a body of the engine: the one place here that knows all materials.

use pliant::energy::{Batch, EdgeSprings, EnergyError, SpringStiffness};
use pliant::mesh::{MassKind, MeshError, Simplices, StrandSet, TetMesh, TriangleMesh};
use pliant::{
    BendModel, Body, ClothMaterial, FluidMaterial, HairMaterial, ModelError, RigidError, RigidMaterial, RodMaterial,
    Skin, SolidMaterial, StrainLimit, StrandMaterial,
};

use super::energy::strain_set;
use super::shape::{Placing, Shape};
use super::{as_key, cells, matched, matched_cloth, oriented};
use crate::budget::Budget;
use crate::error::similar;
use crate::fault::Fault;
use crate::format::{
    BendModelName, ClothSection, FlatPieces, FluidSection, HairSection, MassName, MatchedSection, MaterialSection,
    RigidSection, RodSection, SolidSection, SpringSection, StrandSection,
};
use crate::hair::manner;
use crate::rider::Rider;
use pliant::presets;
use pliant_io::read::Files;

/// What bodies are made with besides their sections.
pub(super) struct Workshop<'a> {
    pub(super) placing: &'a Placing,
    /// Where files are looked up.
    pub(super) files: &'a Files,
    pub(super) budget: &'a mut Budget,
}

/// A body with what the scene still needs of it.
pub(super) struct Made {
    pub(super) body: Body,
    /// Its shape where it is placed.
    pub(super) shape: Shape,
    /// A surface around what is made of strands.
    pub(super) skin: Option<(Skin, TriangleMesh)>,
    pub(super) rider: Option<Rider>,
    pub(super) is_rigid: bool,
}

impl Made {
    fn new(body: Body, shape: Shape) -> Self {
        Self { body, shape, skin: None, rider: None, is_rigid: false }
    }
}

/// Materials of each shape, for those who have chosen another.
fn misfit(shape: &Shape) -> Fault {
    let need = match shape {
        Shape::Surface { .. } => {
            "material.cloth, material.matched-cloth, material.springs, material.rigid, material.matched or material.bare"
        }
        Shape::Solid { .. } => "material.solid, material.rigid, material.matched or material.bare",
        Shape::Strands(_) => {
            "material.strand, material.hair, material.rod, material.oriented, material.matched or material.bare"
        }
        Shape::Particles { emitter: Some(_), .. } => "material.fluid",
        Shape::Particles { .. } | Shape::Cells { .. } => "material.fluid or material.matched",
    };
    Fault::new("material", format!("this shape needs {need}"))
}

fn surface(shape: &Shape) -> Result<&TriangleMesh, Fault> {
    if let Shape::Surface { mesh, .. } = shape { Ok(mesh) } else { Err(misfit(shape)) }
}

fn solid_mesh(shape: &Shape) -> Result<&TetMesh, Fault> {
    if let Shape::Solid { mesh, .. } = shape { Ok(mesh) } else { Err(misfit(shape)) }
}

fn strands(shape: &Shape) -> Result<&StrandSet, Fault> {
    if let Shape::Strands(strands) = shape { Ok(strands) } else { Err(misfit(shape)) }
}

/// The body of a shape and a material. The shape is placed, unless the material has filled it before.
pub(super) fn make(material: &MaterialSection, unplaced: Shape, with: &mut Workshop<'_>) -> Result<Made, Fault> {
    if let MaterialSection::Matched(section) = material
        && let Some(filled) = cells::fill(section, &unplaced, with.placing, with.budget)?
    {
        let rider = filled.skin.map(Rider::Matched);
        return Ok(Made { rider, ..Made::new(filled.body, filled.shape) });
    }
    let shape = with.placing.place(unplaced);
    let made = |section: &str, body: Result<Body, ModelError>| body.map_err(|error| fault_in(section, &error));
    let body = match material {
        MaterialSection::Cloth(section) => match section.flat_pieces {
            None => made("cloth", Body::cloth(surface(&shape)?, &cloth(section)?))?,
            Some(pieces) => garment(&shape, section, pieces)?,
        },
        MaterialSection::Solid(section) => made("solid", Body::solid(solid_mesh(&shape)?, &solid(section)?))?,
        MaterialSection::Strand(section) => strand_body(strands(&shape)?, section)?,
        MaterialSection::Hair(section) => made("hair", Body::hair(strands(&shape)?, &hair(section)?))?,
        MaterialSection::Rod(section) => made("rod", Body::rods(strands(&shape)?, &rod(section)))?,
        MaterialSection::Oriented(section) => {
            let (body, skin) = oriented::build(section, strands(&shape)?, with.placing, with.files, with.budget)?;
            return Ok(Made { skin, ..Made::new(body, shape) });
        }
        MaterialSection::Springs(section) => springs_body(&shape, section)?,
        MaterialSection::Rigid(section) => {
            let surface = outside(shape)?;
            let body = made("rigid", Body::rigid(&surface, &rigid(section)))?;
            let mesh = TriangleMesh { positions: body.rest().to_vec(), triangles: surface.triangles };
            return Ok(Made { is_rigid: true, ..Made::new(body, Shape::Surface { mesh, skip_one: None, flat: None }) });
        }
        MaterialSection::Fluid(section) => {
            let Shape::Particles { points, spacing, emitter } = &shape else { return Err(misfit(&shape)) };
            let material = fluid(section, *spacing);
            let emitted = emitter.as_ref().map(|emitter| Body::emitted(emitter, &material));
            made("fluid", emitted.unwrap_or_else(|| Body::fluid(points, &material)))?
        }
        MaterialSection::Matched(section) => matched_body(&shape, section)?,
        MaterialSection::MatchedCloth(section) => {
            let (density, matching) = matched_cloth::matching(section)?;
            made("matched-cloth", Body::matched_cloth(surface(&shape)?, density, matching))?
        }
        MaterialSection::Bare(section) => masses_of("bare", &shape, section.density)?,
    };
    Ok(Made::new(body, shape))
}

/// A garment that is worn as the shape is, and at rest as the flat pieces of its file are.
fn garment(shape: &Shape, section: &ClothSection, pieces: FlatPieces) -> Result<Body, Fault> {
    let key = "material.cloth.flat_pieces";
    let Shape::Surface { mesh, flat, .. } = shape else { return Err(misfit(shape)) };
    let flat = flat.as_ref().ok_or_else(|| {
        Fault::new(key, "the shape has no flat pieces: it needs a file with texture coordinates at every triangle")
    })?;
    let scale = pieces.metres_per_unit.unwrap_or(1.0);
    if !(scale > 0.0 && scale.is_finite()) {
        let message = format!("metres_per_unit is {scale}, but must be positive and finite");
        return Err(Fault::new(format!("{key}.metres_per_unit"), message));
    }
    if section.mass == Some(MassName::Consistent) {
        return Err(Fault::new("material.cloth.mass", "cloth of flat pieces has lumped masses"));
    }
    let scaled: Vec<[[f64; 2]; 3]> = flat.iter().map(|piece| piece.map(|point| point.map(|c| scale * c))).collect();
    Body::garment(mesh, &scaled, &cloth(section)?).map_err(|error| match error {
        ModelError::Energy { error: EnergyError::BadValue { .. }, .. } => Fault::new(key, error.to_string()),
        error => fault_in("cloth", &error),
    })
}

/// Strands with springs along them, and to the vertex after the next where asked for.
fn strand_body(strands: &StrandSet, section: &StrandSection) -> Result<Body, Fault> {
    let body = Body::strands(strands, &strand(section)?).map_err(|error| fault_in("strand", &error))?;
    match section.skip_one {
        Some(stiffness) => Ok(body.with_energy(skip_one_springs(strands, stiffness)?)),
        None => Ok(body),
    }
}

/// A sheet of springs.
fn springs_body(shape: &Shape, section: &SpringSection) -> Result<Body, Fault> {
    let Shape::Surface { mesh, skip_one, .. } = shape else { return Err(misfit(shape)) };
    let mut edges = mesh.edges();
    if section.skip_one {
        let more = skip_one.as_ref().ok_or_else(|| Fault::new("material", "skip_one needs a sheet"))?;
        edges.extend(more);
    }
    let body = Body::mass_spring(mesh, section.density.unwrap_or(0.15), edges, section.stiffness);
    body.map_err(|error| fault_in("springs", &error))
}

/// A body whose regions are matched, with the vertices of its shape.
fn matched_body(shape: &Shape, section: &MatchedSection) -> Result<Body, Fault> {
    let edges = match shape {
        Shape::Surface { mesh, .. } => mesh.edges(),
        Shape::Solid { mesh, .. } => mesh.edges(),
        Shape::Strands(strands) => strands.segments().collect(),
        Shape::Particles { .. } | Shape::Cells { .. } => Vec::new(),
    };
    let strands = if let Shape::Strands(strands) = shape { Some(strands) } else { None };
    let body = masses_of("matched", shape, section.density)?;
    let body = body.with_matching(matched::matching(section, shape.positions(), &edges, strands)?);
    let Some(strands) = strands else { return Ok(body) };
    let width = StrandMaterial { density: section.density, ..StrandMaterial::default() }.width();
    Ok(body.with_segments(strands.segments().collect()).with_strand_width(width))
}

/// Springs to the vertex after the next along each strand.
fn skip_one_springs(strands: &StrandSet, stiffness: f64) -> Result<Box<dyn Batch>, Fault> {
    let key = "material.strand.skip_one";
    let ends = strands.strands.rows().flat_map(|row| row.windows(3).map(|three| [three[0], three[2]]));
    let springs = EdgeSprings::new(ends.collect(), SpringStiffness::Axial(stiffness));
    springs.build(&strands.positions).map_err(|error| Fault::new(key, error.to_string()))
}

/// The closed surface of a rigid body.
fn outside(shape: Shape) -> Result<TriangleMesh, Fault> {
    match shape {
        Shape::Surface { mesh, .. } => Ok(mesh),
        Shape::Solid { skin: Some(skin), .. } => Ok(skin),
        Shape::Solid { mesh, skin: None } => {
            Ok(mesh.surface().map_err(|error| Fault::new("shape", error.to_string()))?.mesh)
        }
        other => Err(misfit(&other)),
    }
}

/// Surface triangles of a solid, in its own vertices.
fn boundary(mesh: &TetMesh) -> Result<Vec<[u32; 3]>, MeshError> {
    let surface = mesh.surface()?;
    Ok(surface.mesh.triangles.iter().map(|t| t.map(|v| surface.vertices[v as usize])).collect())
}

/// Vertices with masses and a surface, which nothing holds together yet.
fn masses_of(section: &str, shape: &Shape, density: f64) -> Result<Body, Fault> {
    if let Shape::Particles { emitter: Some(_), .. } = shape {
        return Err(misfit(shape));
    }
    loose(shape, density).map_err(|error| fault_in(section, &error))
}

fn loose(shape: &Shape, density: f64) -> Result<Body, ModelError> {
    let (masses, surface) = match shape {
        Shape::Surface { mesh, .. } => (mesh.mass_matrix(MassKind::Lumped, density)?, mesh.triangles.clone()),
        Shape::Solid { mesh, .. } => (mesh.mass_matrix(MassKind::Lumped, density)?, boundary(mesh)?),
        Shape::Strands(strands) => (strands.mass_matrix(MassKind::Lumped, density)?, Vec::new()),
        Shape::Particles { points, spacing, .. } => {
            let mass = density * spacing.powi(3);
            return Ok(Body::points(points, mass));
        }
        // These come with their masses from `cells::fill`.
        Shape::Cells { .. } => return Err(MeshError::Empty { what: "mass of cells" }.into()),
    };
    Ok(Body::new(shape.positions().to_vec(), masses).with_surface(surface))
}

/// The fault of a body that the engine refuses: its material, unless the mesh itself is at fault.
fn fault_in(section: &str, error: &ModelError) -> Fault {
    if let ModelError::Rigid(RigidError::BadParameter { name, .. }) = error {
        return Fault::new(format!("material.rigid.{}", as_key(name)), error.to_string());
    }
    if let ModelError::BadParameter { name, .. } = error {
        let key = name.strip_suffix(" of the fluid").unwrap_or(name);
        return Fault::new(format!("material.{section}.{}", as_key(key)), error.to_string());
    }
    let (ModelError::Mesh(MeshError::BadParameter { name, .. })
    | ModelError::Energy { error: EnergyError::BadParameter { name, .. }, .. }) = error
    else {
        let key = if matches!(error, ModelError::Mesh(_)) { "shape".to_owned() } else { format!("material.{section}") };
        return Fault::new(key, error.to_string());
    };
    Fault::new(format!("material.{section}.{}", as_key(name)), error.to_string())
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

fn limit<const D: usize>(
    section: &str,
    limits: Option<[f64; 2]>,
    fibres: Option<([f64; 3], [[f64; 2]; D])>,
    modulus: Option<f64>,
    material: f64,
) -> Result<Option<StrainLimit<D>>, Fault> {
    let set =
        strain_set("strain_limits", limits, fibres).map_err(|fault| fault.inside(&format!("material.{section}")))?;
    Ok(set.map(|set| StrainLimit { set, youngs_modulus: modulus.unwrap_or(LIMIT_FACTOR * material) }))
}

fn mass(name: Option<MassName>, standard: MassKind) -> MassKind {
    match name {
        None => standard,
        Some(MassName::Lumped) => MassKind::Lumped,
        Some(MassName::Consistent) => MassKind::Consistent,
    }
}

/// The material of cloth; faults are named from the body.
pub(crate) fn cloth(section: &ClothSection) -> Result<ClothMaterial, Fault> {
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
            Some(BendModelName::Auto) => BendModel::Auto,
            Some(BendModelName::Plate) => BendModel::Plate,
            Some(BendModelName::Hinge) => BendModel::Hinge,
            Some(BendModelName::MeanCurvature) => BendModel::MeanCurvature,
            Some(BendModelName::None) => BendModel::None,
        },
        strain_limit: {
            let fibres = section.fibres.map(|own| (own.direction, own.limits));
            limit("cloth", section.strain_limits, fibres, section.limit_modulus, youngs_modulus)?
        },
        mass: mass(section.mass, standard.mass),
    })
}

fn solid(section: &SolidSection) -> Result<SolidMaterial, Fault> {
    let standard = preset(section.preset.as_deref(), "jelly", &presets::SOLIDS, presets::solid)?;
    let youngs_modulus = section.youngs_modulus.unwrap_or(standard.youngs_modulus);
    Ok(SolidMaterial {
        density: section.density.unwrap_or(standard.density),
        youngs_modulus,
        poisson_ratio: section.poisson_ratio.unwrap_or(standard.poisson_ratio),
        strain_limit: {
            let fibres = section.fibres.map(|own| (own.direction, own.limits));
            limit("solid", section.strain_limits, fibres, section.limit_modulus, youngs_modulus)?
        },
        mass: mass(section.mass, standard.mass),
    })
}

fn rigid(section: &RigidSection) -> RigidMaterial {
    let standard = RigidMaterial::default();
    RigidMaterial {
        density: section.density.unwrap_or(standard.density),
        frequency: section.frequency.unwrap_or(standard.frequency),
    }
}

fn rod(section: &RodSection) -> RodMaterial {
    let standard = RodMaterial::default();
    let youngs_modulus = section.youngs_modulus.unwrap_or(standard.youngs_modulus);
    RodMaterial {
        radius: section.radius.unwrap_or(standard.radius),
        density: section.density.unwrap_or(standard.density),
        youngs_modulus,
        shear_modulus: section.shear_modulus.unwrap_or(youngs_modulus / 3.0),
        keeps_shape: section.keeps_shape.unwrap_or(standard.keeps_shape),
    }
}

fn strand(section: &StrandSection) -> Result<StrandMaterial, Fault> {
    let standard = preset(section.preset.as_deref(), "cord", &presets::STRANDS, presets::strand)?;
    Ok(StrandMaterial {
        density: section.density.unwrap_or(standard.density),
        axial_stiffness: section.axial_stiffness.unwrap_or(standard.axial_stiffness),
        resists_compression: section.resists_compression.unwrap_or(standard.resists_compression),
        width: section.width.or(standard.width),
        mass: mass(section.mass, standard.mass),
    })
}

fn hair(section: &HairSection) -> Result<HairMaterial, Fault> {
    let standard = HairMaterial::default();
    let (correction, grid, style) =
        manner("material.hair", section.correction, section.grid.as_ref(), section.style.as_ref())?;
    Ok(HairMaterial {
        density: section.density.unwrap_or(standard.density),
        width: section.width.unwrap_or(standard.width),
        correction,
        grid,
        style,
    })
}

fn fluid(section: &FluidSection, spacing: f64) -> FluidMaterial {
    let standard = FluidMaterial::default();
    FluidMaterial {
        density: section.density.unwrap_or(standard.density),
        spacing,
        viscosity: section.viscosity.unwrap_or(standard.viscosity),
        vorticity: section.vorticity.unwrap_or(standard.vorticity),
        separation: section.separation.unwrap_or(standard.separation),
    }
}
