//! Bodies from their Python descriptions.

use pliant::energy::StrainSet;
use pliant::math::Vec3;
use pliant::mesh::MassKind;
use pliant::{BendModel, Body, ClothMaterial, SolidMaterial, StrainLimit, StrandMaterial};
use pyo3::prelude::*;

use crate::arrays::{choose, get, get_indices, get_some_numbers, get_some_vectors};
use crate::energy::{Faults, energy};
use crate::error::bad_value;
use crate::mesh::{AnyMesh, any_mesh};

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
    let known = [("hinge", BendModel::Hinge), ("mean-curvature", BendModel::MeanCurvature), ("none", BendModel::None)];
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
        mass: mass_kind(material)?,
    })
}

/// A body with its material, or of masses alone; Python has checked that mesh and material belong together.
fn of_mesh(recipe: &Bound<'_, PyAny>) -> PyResult<Body> {
    let (mesh, material) = (any_mesh(&recipe.getattr("mesh")?)?, recipe.getattr("material")?);
    let made = match (&mesh, material.is_none()) {
        (AnyMesh::Triangles(mesh), false) => Body::cloth(mesh, &cloth(&material)?),
        (AnyMesh::Tets(mesh), false) => Body::solid(mesh, &solid(&material)?),
        (AnyMesh::Strands(strands), false) => Body::strands(strands, &strand(&material)?),
        _ => {
            let masses = get_some_numbers(recipe, "masses")?.unwrap_or_default();
            let entries = (0u32..).zip(masses).map(|(vertex, mass)| (vertex, vertex, mass)).collect();
            return Ok(match mesh {
                AnyMesh::Triangles(mesh) => Body::new(mesh.positions, entries).with_surface(mesh.triangles),
                AnyMesh::Tets(mesh) => {
                    let skin = mesh.surface().map_err(bad_value)?;
                    let own = |triangle: &[u32; 3]| triangle.map(|vertex| skin.vertices[vertex as usize]);
                    let triangles = skin.mesh.triangles.iter().map(own).collect();
                    Body::new(mesh.positions, entries).with_surface(triangles)
                }
                AnyMesh::Strands(strands) => Body::new(strands.positions, entries),
                AnyMesh::Points(positions) => Body::new(positions, entries),
            });
        }
    };
    made.map_err(bad_value)
}

/// A body by its Python description.
pub(crate) fn body(recipe: &Bound<'_, PyAny>, faults: &Faults) -> PyResult<Body> {
    let mut body = of_mesh(recipe)?.pin(get_indices(recipe, "pinned")?).with_pressure(get(recipe, "pressure")?);
    let rest: Vec<Vec3> = body.rest().to_vec();
    for recipe in recipe.getattr("energies")?.try_iter()? {
        body = body.with_energy(energy(&recipe?, &rest, faults)?);
    }
    if let Some(name) = get::<Option<String>>(recipe, "name")? {
        body = body.named(name);
    }
    if let Some(positions) = get_some_vectors(recipe, "positions")? {
        body = body.with_positions(positions);
    }
    if let Some(velocities) = get_some_vectors(recipe, "velocities")? {
        body = body.with_velocities(velocities);
    }
    Ok(body)
}
