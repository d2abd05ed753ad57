//! From `[body.material.…]` to a material of the engine.

use pliant::energy::StrainSet;
use pliant::{
    BendModel, ClothMaterial, FluidMaterial, RigidMaterial, RodMaterial, SolidMaterial, StrainLimit, StrandMaterial,
};

use crate::error::similar;
use crate::format::{BendModelName, ClothSection, FluidSection, RigidSection, RodSection, SolidSection, StrandSection};
use crate::presets;
use crate::scene::Fault;

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

pub(super) fn cloth(section: &ClothSection) -> Result<ClothMaterial, Fault> {
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
        strain_limit: limit(section.strain_limits, section.limit_modulus, youngs_modulus),
        ..standard
    })
}

pub(super) fn solid(section: &SolidSection) -> Result<SolidMaterial, Fault> {
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

pub(super) fn rigid(section: &RigidSection) -> RigidMaterial {
    let standard = RigidMaterial::default();
    RigidMaterial {
        density: section.density.unwrap_or(standard.density),
        frequency: section.frequency.unwrap_or(standard.frequency),
    }
}

pub(super) fn rod(section: &RodSection) -> RodMaterial {
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

pub(super) fn strand(section: &StrandSection) -> Result<StrandMaterial, Fault> {
    let standard = preset(section.preset.as_deref(), "cord", &presets::STRANDS, presets::strand)?;
    Ok(StrandMaterial {
        density: section.density.unwrap_or(standard.density),
        axial_stiffness: section.axial_stiffness.unwrap_or(standard.axial_stiffness),
        resists_compression: section.resists_compression.unwrap_or(standard.resists_compression),
        width: section.width.or(standard.width),
        ..standard
    })
}

pub(super) fn fluid(section: &FluidSection, spacing: f64) -> FluidMaterial {
    let standard = FluidMaterial::default();
    FluidMaterial {
        density: section.density.unwrap_or(standard.density),
        spacing,
        viscosity: section.viscosity.unwrap_or(standard.viscosity),
        vorticity: section.vorticity.unwrap_or(standard.vorticity),
        separation: section.separation.unwrap_or(standard.separation),
    }
}
