//! Bodies of materials from their Python descriptions.

use numpy::PyReadonlyArray3;
use pliant::energy::StrainSet;
use pliant::mesh::generate::tapered_radii;
use pliant::mesh::{MassKind, PointSet, Simplices, StrandSet, TriangleMesh};
use pliant::{
    AnyMaterial, BendModel, Body, ClothMaterial, FluidMaterial, HairMaterial, Matching, ModelError, OrientedMaterial,
    OrientedParticles, Regions, RigidMaterial, RodMaterial, SolidMaterial, Spring, StrainLimit, StrandMaterial,
};
use pyo3::prelude::*;

use crate::arrays::{choose, get};
use crate::error::bad_value;
use crate::fluid::emitter;
use crate::mesh::AnyMesh;
use crate::settings::manner;

type Made = Result<Body, ModelError>;

/// A body of a material, by their descriptions: the one place here that knows all materials. Python has checked that mesh and material belong
/// together.
pub(crate) fn made_of(material: &Bound<'_, PyAny>, body: &Bound<'_, PyAny>, mesh: &AnyMesh) -> PyResult<Body> {
    let kind: String = get(material, "kind")?;
    let made: Made = match (kind.as_str(), mesh) {
        ("cloth", AnyMesh::Triangles(mesh)) => match pieces(body)? {
            Some(pieces) => Body::garment(mesh, &pieces, &cloth(material)?),
            None => Body::cloth(mesh, &cloth(material)?),
        },
        ("rigid", AnyMesh::Triangles(mesh)) => rigid(material, body, mesh)?,
        ("solid", AnyMesh::Tets(mesh)) => Body::solid(mesh, &solid(material)?),
        ("strand", AnyMesh::Strands(strands)) => Body::strands(strands, &strand(material)?),
        ("hair", AnyMesh::Strands(strands)) => Body::hair(strands, &hair(material)?),
        ("rod", AnyMesh::Strands(strands)) => Body::rods(strands, &rod(material)?),
        ("oriented", AnyMesh::Strands(_) | AnyMesh::Oriented(_)) => oriented(material, mesh)?,
        ("chains", AnyMesh::Strands(strands)) => chains(material, strands)?,
        ("fluid", AnyMesh::Points(positions)) => match emitter(&body.getattr("emitter")?)? {
            Some(emitter) => Body::emitted(&emitter, &fluid(material)?),
            None => Body::fluid(&PointSet { positions: positions.clone() }, &fluid(material)?),
        },
        _ => return Err(bad_value(format!("there is no material of the kind {kind:?} for this mesh"))),
    };
    made.map_err(bad_value)
}

/// A material that can take the place of another one while a world runs.
pub(crate) fn any_material(material: &Bound<'_, PyAny>) -> PyResult<AnyMaterial> {
    match get::<String>(material, "kind")?.as_str() {
        "cloth" => cloth(material).map(Into::into),
        "solid" => solid(material).map(Into::into),
        "strand" => strand(material).map(Into::into),
        kind => Err(bad_value(format!("a material of the kind {kind:?} cannot be replaced while the world runs"))),
    }
}

/// The set of strains that cost nothing; None means rotations only.
pub(crate) fn strain_set<const D: usize>(recipe: &Bound<'_, PyAny>) -> PyResult<StrainSet<D>> {
    if recipe.is_none() {
        return Ok(StrainSet::Rotation);
    }
    if get::<String>(recipe, "kind")? == "limits" {
        return Ok(StrainSet::Limits { min: get(recipe, "min")?, max: get(recipe, "max")? });
    }
    let direction: [f64; 3] = get(recipe, "direction")?;
    let limits: Vec<[f64; 2]> = get(recipe, "limits")?;
    let found = limits.len();
    let limits = limits.try_into().map_err(|_| {
        bad_value(format!("limits of the fibres has {found} entries, but {D} are needed, one for each direction"))
    })?;
    Ok(StrainSet::Fibres { direction: direction.into(), limits })
}

fn strain_limit<const D: usize>(material: &Bound<'_, PyAny>) -> PyResult<Option<StrainLimit<D>>> {
    let recipe = material.getattr("strain_limit")?;
    if recipe.is_none() {
        return Ok(None);
    }
    let (set, youngs_modulus) = (strain_set(&recipe.getattr("set")?)?, get(&recipe, "youngs_modulus")?);
    Ok(Some(StrainLimit { set, youngs_modulus }))
}

fn mass_kind(material: &Bound<'_, PyAny>) -> PyResult<MassKind> {
    let known = [("lumped", MassKind::Lumped), ("consistent", MassKind::Consistent)];
    choose("mass", &get::<String>(material, "mass")?, &known)
}

fn cloth(material: &Bound<'_, PyAny>) -> PyResult<ClothMaterial> {
    let known = [
        ("auto", BendModel::Auto),
        ("plate", BendModel::Plate),
        ("hinge", BendModel::Hinge),
        ("mean-curvature", BendModel::MeanCurvature),
        ("none", BendModel::None),
    ];
    Ok(ClothMaterial {
        density: get(material, "density")?,
        youngs_modulus: get(material, "youngs_modulus")?,
        thickness: get(material, "thickness")?,
        poisson_ratio: get(material, "poisson_ratio")?,
        bend_model: choose("bend_model", &get::<String>(material, "bend_model")?, &known)?,
        bending_stiffness: get(material, "bending_stiffness")?,
        strain_limit: strain_limit(material)?,
        mass: mass_kind(material)?,
    })
}

fn solid(material: &Bound<'_, PyAny>) -> PyResult<SolidMaterial> {
    Ok(SolidMaterial {
        density: get(material, "density")?,
        youngs_modulus: get(material, "youngs_modulus")?,
        poisson_ratio: get(material, "poisson_ratio")?,
        strain_limit: strain_limit(material)?,
        mass: mass_kind(material)?,
    })
}

fn strand(material: &Bound<'_, PyAny>) -> PyResult<StrandMaterial> {
    Ok(StrandMaterial {
        density: get(material, "density")?,
        axial_stiffness: get(material, "axial_stiffness")?,
        resists_compression: get(material, "resists_compression")?,
        width: get(material, "width")?,
        mass: mass_kind(material)?,
    })
}

fn rod(material: &Bound<'_, PyAny>) -> PyResult<RodMaterial> {
    Ok(RodMaterial {
        radius: get(material, "radius")?,
        density: get(material, "density")?,
        youngs_modulus: get(material, "youngs_modulus")?,
        shear_modulus: get(material, "shear_modulus")?,
        keeps_shape: get(material, "keeps_shape")?,
    })
}

/// The spring to goals, by its frequency where there is one.
fn spring(material: &Bound<'_, PyAny>) -> PyResult<Spring> {
    Ok(match get::<Option<f64>>(material, "frequency")? {
        Some(hertz) => Spring::Frequency(hertz),
        None => Spring::Share(get(material, "share")?),
    })
}

/// Radius of strands of an oriented material that names none \[m\].
const USUAL_RADIUS: f64 = 0.02;

/// The ellipsoids of an oriented material: along strands, or as they are.
pub(crate) fn ellipsoids(material: &Bound<'_, PyAny>, mesh: &AnyMesh) -> PyResult<OrientedParticles> {
    match mesh {
        AnyMesh::Oriented(particles) => Ok(particles.clone()),
        AnyMesh::Strands(strands) => {
            let radius = get::<Option<f64>>(material, "radius")?.unwrap_or(USUAL_RADIUS);
            let tip = get::<Option<f64>>(material, "tip_radius")?.unwrap_or(radius);
            OrientedParticles::along(strands, &tapered_radii(strands, radius, tip)).map_err(bad_value)
        }
        _ => Err(bad_value("an oriented material belongs to Strands or OrientedParticles")),
    }
}

/// The flat pieces of a garment, if it is one.
fn pieces(body: &Bound<'_, PyAny>) -> PyResult<Option<Vec<[[f64; 2]; 3]>>> {
    let pieces = body.getattr("pieces")?;
    if pieces.is_none() {
        return Ok(None);
    }
    let array: PyReadonlyArray3<'_, f64> = pieces.extract()?;
    let corner = |c: usize, t: numpy::ndarray::ArrayView2<'_, f64>| [t[[c, 0]], t[[c, 1]]];
    Ok(Some(array.as_array().outer_iter().map(|t| std::array::from_fn(|c| corner(c, t))).collect()))
}

fn oriented(material: &Bound<'_, PyAny>, mesh: &AnyMesh) -> PyResult<Made> {
    let held = OrientedMaterial {
        density: get(material, "density")?,
        width: get(material, "width")?,
        spring: spring(material)?,
        damping: get(material, "damping")?,
        limit: get(material, "limit")?,
        relaxation: get(material, "relaxation")?,
    };
    Ok(Body::oriented(&ellipsoids(material, mesh)?, &held))
}

/// Strands that are matched by runs of their vertices.
fn chains(material: &Bound<'_, PyAny>, strands: &StrandSet) -> PyResult<Made> {
    let (density, width): (f64, usize) = (get(material, "density")?, get(material, "width")?);
    let matching = Matching {
        spring: spring(material)?,
        damping: get(material, "damping")?,
        limit: get(material, "limit")?,
        relaxation: get(material, "relaxation")?,
        ..Matching::new(Regions::chains(strands, width).map_err(bad_value)?)
    };
    let masses = strands.mass_matrix(MassKind::Lumped, density).map_err(bad_value)?;
    let body = Body::new(strands.positions.clone(), masses).with_segments(strands.segments().collect());
    let thick = StrandMaterial { density, ..StrandMaterial::default() }.width();
    Ok(Ok(body.with_strand_width(thick).with_matching(matching)))
}

/// A rigid body with its first motion.
fn rigid(material: &Bound<'_, PyAny>, body: &Bound<'_, PyAny>, mesh: &TriangleMesh) -> PyResult<Made> {
    let held = RigidMaterial { density: get(material, "density")?, frequency: get(material, "frequency")? };
    let (velocity, spin): ([f64; 3], [f64; 3]) = (get(body, "velocity")?, get(body, "spin")?);
    Ok(Body::rigid(mesh, &held).map(|body| body.with_motion(velocity.into(), spin.into())))
}

fn hair(material: &Bound<'_, PyAny>) -> PyResult<HairMaterial> {
    let (correction, grid, style) = manner(material)?;
    Ok(HairMaterial { density: get(material, "density")?, width: get(material, "width")?, correction, grid, style })
}

fn fluid(material: &Bound<'_, PyAny>) -> PyResult<FluidMaterial> {
    Ok(FluidMaterial {
        density: get(material, "density")?,
        spacing: get(material, "spacing")?,
        viscosity: get(material, "viscosity")?,
        vorticity: get(material, "vorticity")?,
        separation: get(material, "separation")?,
    })
}
