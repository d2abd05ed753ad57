//! Materials from their Python descriptions.

use pliant::energy::StrainSet;
use pliant::mesh::MassKind;
use pliant::{
    BendModel, ClothMaterial, FluidMaterial, OrientedMaterial, RigidMaterial, RodMaterial, SolidMaterial, Spring,
    StrainLimit, StrandMaterial,
};
use pyo3::prelude::*;

use crate::arrays::{choose, get};
use crate::error::bad_value;

/// What a body is made of.
pub(crate) enum Material {
    Cloth(ClothMaterial),
    Solid(SolidMaterial),
    Strand(StrandMaterial),
    Rod(RodMaterial),
    /// Radii at the root and at tips, and what holds ellipsoids together.
    Oriented([f64; 2], OrientedMaterial),
    /// Strands that are matched by runs of their vertices.
    Chains(Chains),
    Fluid(FluidMaterial),
    Rigid(RigidMaterial),
}

/// A material by its description; none for a body of masses and energies.
pub(crate) fn material(recipe: &Bound<'_, PyAny>) -> PyResult<Option<Material>> {
    if recipe.is_none() {
        return Ok(None);
    }
    Ok(Some(match get::<String>(recipe, "kind")?.as_str() {
        "cloth" => Material::Cloth(cloth(recipe)?),
        "solid" => Material::Solid(solid(recipe)?),
        "strand" => Material::Strand(strand(recipe)?),
        "rod" => Material::Rod(rod(recipe)?),
        "oriented" => oriented(recipe)?,
        "chains" => Material::Chains(chains(recipe)?),
        "fluid" => Material::Fluid(fluid(recipe)?),
        "rigid" => {
            Material::Rigid(RigidMaterial { density: get(recipe, "density")?, frequency: get(recipe, "frequency")? })
        }
        other => return Err(bad_value(format!("there is no material of the kind {other:?}"))),
    }))
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

/// How strands are matched.
pub(crate) struct Chains {
    pub(crate) density: f64,
    pub(crate) width: usize,
    pub(crate) spring: Spring,
    pub(crate) damping: f64,
    pub(crate) limit: Option<f64>,
    pub(crate) relaxation: f64,
}

/// The spring to goals, by its frequency where there is one.
fn spring(material: &Bound<'_, PyAny>) -> PyResult<Spring> {
    Ok(match get::<Option<f64>>(material, "frequency")? {
        Some(hertz) => Spring::Frequency(hertz),
        None => Spring::Share(get(material, "share")?),
    })
}

fn oriented(material: &Bound<'_, PyAny>) -> PyResult<Material> {
    let radius: f64 = get(material, "radius")?;
    let tip = get::<Option<f64>>(material, "tip_radius")?.unwrap_or(radius);
    let held = OrientedMaterial {
        density: get(material, "density")?,
        width: get(material, "width")?,
        spring: spring(material)?,
        damping: get(material, "damping")?,
        limit: get(material, "limit")?,
        relaxation: get(material, "relaxation")?,
    };
    Ok(Material::Oriented([radius, tip], held))
}

fn chains(material: &Bound<'_, PyAny>) -> PyResult<Chains> {
    Ok(Chains {
        density: get(material, "density")?,
        width: get(material, "width")?,
        spring: spring(material)?,
        damping: get(material, "damping")?,
        limit: get(material, "limit")?,
        relaxation: get(material, "relaxation")?,
    })
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
