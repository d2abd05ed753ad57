//! Materials: by name or standard, with changes, as objects of all their numbers, and back.

use pliant::mesh::MassKind;
use pliant::presets;
use pliant::{
    AnyMaterial, BendModel, ClothMaterial, FluidMaterial, RigidMaterial, RodMaterial, SolidMaterial, StrandMaterial,
};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::options::{Options, number, object, text};

const BEND_MODELS: [(&str, BendModel); 5] = [
    ("auto", BendModel::Auto),
    ("plate", BendModel::Plate),
    ("hinge", BendModel::Hinge),
    ("mean-curvature", BendModel::MeanCurvature),
    ("none", BendModel::None),
];
const MASSES: [(&str, MassKind); 2] = [("lumped", MassKind::Lumped), ("consistent", MassKind::Consistent)];

/// A material of any kind.
pub(crate) enum Material {
    Cloth(ClothMaterial),
    Solid(SolidMaterial),
    Strand(StrandMaterial),
    Rod(RodMaterial),
    Rigid(RigidMaterial),
    Fluid(FluidMaterial),
}

/// The material of an object with its `kind`.
pub(crate) fn material(value: &JsValue, place: &str) -> Result<Material, Fault> {
    let options = Options::new(value, place)?;
    let kind = options.need("kind", text)?;
    let made = match kind.as_str() {
        "cloth" => Material::Cloth(cloth(&options)?),
        "solid" => Material::Solid(solid(&options)?),
        "strand" => Material::Strand(strand(&options)?),
        "rod" => Material::Rod(rod(&options)?),
        "rigid" => Material::Rigid(rigid(&options)?),
        "fluid" => Material::Fluid(fluid(&options)?),
        _ => return Err(Fault::new(format!("{place} is not a material: there is no kind {kind:?}"))),
    };
    options.finish()?;
    Ok(made)
}

/// A material that can take the place of another one while a world runs.
pub(crate) fn changed(value: &JsValue) -> Result<AnyMaterial, Fault> {
    match material(value, "material")? {
        Material::Cloth(material) => Ok(material.into()),
        Material::Solid(material) => Ok(material.into()),
        Material::Strand(material) => Ok(material.into()),
        _ => Err(Fault::new("only materials of cloth, solids and strands can be replaced while the world runs")),
    }
}

/// The material of that name, or the standard one.
fn preset<T: Default>(options: &Options, known: &[&str], named: fn(&str) -> Option<T>) -> Result<T, Fault> {
    let Some(name) = options.read("preset", text)? else { return Ok(T::default()) };
    named(&name).ok_or_else(|| {
        Fault::new(format!("{} is {name:?}, but there are {}", options.place("preset"), known.join(", ")))
    })
}

fn cloth(options: &Options) -> Result<ClothMaterial, Fault> {
    let usual = preset(options, &presets::CLOTHS, presets::cloth)?;
    Ok(ClothMaterial {
        density: options.number("density", usual.density)?,
        youngs_modulus: options.number("youngsModulus", usual.youngs_modulus)?,
        thickness: options.number("thickness", usual.thickness)?,
        poisson_ratio: options.number("poissonRatio", usual.poisson_ratio)?,
        bend_model: options.choice("bendModel", usual.bend_model, &BEND_MODELS)?,
        bending_stiffness: options.read("bendingStiffness", number)?.or(usual.bending_stiffness),
        mass: options.choice("mass", usual.mass, &MASSES)?,
        ..usual
    })
}

fn solid(options: &Options) -> Result<SolidMaterial, Fault> {
    let usual = preset(options, &presets::SOLIDS, presets::solid)?;
    Ok(SolidMaterial {
        density: options.number("density", usual.density)?,
        youngs_modulus: options.number("youngsModulus", usual.youngs_modulus)?,
        poisson_ratio: options.number("poissonRatio", usual.poisson_ratio)?,
        mass: options.choice("mass", usual.mass, &MASSES)?,
        ..usual
    })
}

fn strand(options: &Options) -> Result<StrandMaterial, Fault> {
    let usual = preset(options, &presets::STRANDS, presets::strand)?;
    Ok(StrandMaterial {
        density: options.number("density", usual.density)?,
        axial_stiffness: options.number("axialStiffness", usual.axial_stiffness)?,
        resists_compression: options.flag("resistsCompression", usual.resists_compression)?,
        width: options.read("width", number)?.or(usual.width),
        mass: options.choice("mass", usual.mass, &MASSES)?,
    })
}

fn rod(options: &Options) -> Result<RodMaterial, Fault> {
    let usual = RodMaterial::default();
    Ok(RodMaterial {
        radius: options.number("radius", usual.radius)?,
        density: options.number("density", usual.density)?,
        youngs_modulus: options.number("youngsModulus", usual.youngs_modulus)?,
        shear_modulus: options.number("shearModulus", usual.shear_modulus)?,
        keeps_shape: options.flag("keepsShape", usual.keeps_shape)?,
    })
}

fn rigid(options: &Options) -> Result<RigidMaterial, Fault> {
    let usual = RigidMaterial::default();
    Ok(RigidMaterial {
        density: options.number("density", usual.density)?,
        frequency: options.number("frequency", usual.frequency)?,
    })
}

fn fluid(options: &Options) -> Result<FluidMaterial, Fault> {
    let usual = FluidMaterial::default();
    Ok(FluidMaterial {
        density: options.number("density", usual.density)?,
        spacing: options.number("spacing", usual.spacing)?,
        viscosity: options.number("viscosity", usual.viscosity)?,
        vorticity: options.number("vorticity", usual.vorticity)?,
        separation: options.number("separation", usual.separation)?,
    })
}

fn name_of<T: PartialEq>(value: &T, known: &[(&'static str, T)]) -> JsValue {
    known.iter().find(|(_, own)| own == value).map_or("", |(name, _)| name).into()
}

fn or_null(value: Option<f64>) -> JsValue {
    value.map_or(JsValue::NULL, JsValue::from_f64)
}

/// All numbers of a material, from a name and changes.
#[wasm_bindgen(js_name = completeMaterial)]
pub fn complete_material(kind: &str, value: &JsValue) -> Result<JsValue, JsValue> {
    let options = Options::new(value, kind)?;
    let shown = match kind {
        "cloth" => show_cloth(&cloth(&options)?),
        "solid" => show_solid(&solid(&options)?),
        "strand" => show_strand(&strand(&options)?),
        "rod" => show_rod(&rod(&options)?),
        "rigid" => {
            let own = rigid(&options)?;
            object([("density", own.density.into()), ("frequency", own.frequency.into())])
        }
        "fluid" => show_fluid(&fluid(&options)?),
        _ => return Err(Fault::new(format!("there is no material of the kind {kind:?}")).into()),
    };
    options.finish()?;
    Ok(shown)
}

fn show_cloth(own: &ClothMaterial) -> JsValue {
    object([
        ("density", own.density.into()),
        ("youngsModulus", own.youngs_modulus.into()),
        ("thickness", own.thickness.into()),
        ("poissonRatio", own.poisson_ratio.into()),
        ("bendModel", name_of(&own.bend_model, &BEND_MODELS)),
        ("bendingStiffness", or_null(own.bending_stiffness)),
        ("mass", name_of(&own.mass, &MASSES)),
    ])
}

fn show_solid(own: &SolidMaterial) -> JsValue {
    object([
        ("density", own.density.into()),
        ("youngsModulus", own.youngs_modulus.into()),
        ("poissonRatio", own.poisson_ratio.into()),
        ("mass", name_of(&own.mass, &MASSES)),
    ])
}

fn show_strand(own: &StrandMaterial) -> JsValue {
    object([
        ("density", own.density.into()),
        ("axialStiffness", own.axial_stiffness.into()),
        ("resistsCompression", own.resists_compression.into()),
        ("width", or_null(own.width)),
        ("mass", name_of(&own.mass, &MASSES)),
    ])
}

fn show_rod(own: &RodMaterial) -> JsValue {
    object([
        ("radius", own.radius.into()),
        ("density", own.density.into()),
        ("youngsModulus", own.youngs_modulus.into()),
        ("shearModulus", own.shear_modulus.into()),
        ("keepsShape", own.keeps_shape.into()),
    ])
}

fn show_fluid(own: &FluidMaterial) -> JsValue {
    object([
        ("density", own.density.into()),
        ("spacing", own.spacing.into()),
        ("viscosity", own.viscosity.into()),
        ("vorticity", own.vorticity.into()),
        ("separation", own.separation.into()),
    ])
}
