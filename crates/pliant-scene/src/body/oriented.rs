//! `material.oriented`: ellipsoids along strands, and the surface that follows them.

use pliant::mesh::generate::{leaves, tapered_radii, tubes};
use pliant::mesh::{StrandSet, TriangleMesh};
use pliant::{Body, ModelError, OrientedError, OrientedMaterial, OrientedParticles, Skin, Spring};
use pliant_io::read::{Files, ReadOptions};

use super::shape::Placing;
use crate::budget::Budget;
use crate::fault::Fault;
use crate::format::{OrientedSection, SkinSection};

/// Radius at the root, if nothing is said \[m\].
const STANDARD_RADIUS: f64 = 0.02;
/// Sides of a tube, if nothing is said.
const STANDARD_SIDES: usize = 8;
/// Vertices of a leaf.
const LEAF: usize = 4;

fn key(name: &str) -> String {
    format!("material.oriented.{name}")
}

/// The body along strands in their place, and the surface that follows it.
pub(super) fn build(
    section: &OrientedSection,
    strands: &StrandSet,
    placing: &Placing,
    files: &Files,
    budget: &mut Budget,
) -> Result<(Body, Option<(Skin, TriangleMesh)>), Fault> {
    let base = section.radius.unwrap_or(STANDARD_RADIUS);
    let tip = section.tip_radius.unwrap_or(base);
    for (name, radius, need, holds) in [
        ("radius", base, "positive", base > 0.0),
        ("tip_radius", tip, "positive and at most the radius", tip > 0.0 && tip <= base),
    ] {
        if !(radius.is_finite() && holds) {
            return Err(Fault::new(key(name), format!("{name} is {radius}, but must be {need}")));
        }
    }
    let radii = tapered_radii(strands, base, tip);
    let refused = |error: &OrientedError| match error {
        OrientedError::BadNumber { name, .. } => {
            let name = if *name == "width of groups" { "width" } else { name };
            let name = if *name == *"spring" && section.frequency.is_some() { "frequency" } else { name };
            Fault::new(key(if name == "spring" { "share" } else { name }), error.to_string())
        }
        _ => Fault::new("material.oriented", error.to_string()),
    };
    let particles = OrientedParticles::along(strands, &radii).map_err(|error| refused(&error))?;
    let body = Body::oriented(&particles, &material(section)?).map_err(|error| match &error {
        ModelError::Oriented { error, .. } => refused(error),
        other => Fault::new("material.oriented", other.to_string()),
    })?;
    let Some(skin) = &section.skin else { return Ok((body, None)) };
    let at = |name: &str| key(&format!("skin.{name}"));
    let mesh = match skin {
        SkinSection::Tubes { sides, leaf } => {
            let (name, sides) = (at("tubes"), sides.unwrap_or(STANDARD_SIDES));
            let around = sides.saturating_add(LEAF) as u128;
            let count = around.saturating_mul(strands.strands.items().len() as u128);
            budget.take(count).map_err(|message| Fault::new(name.clone(), message))?;
            let failed = |error: pliant::mesh::MeshError| Fault::new(name.clone(), error.to_string());
            let mut mesh = tubes(strands, &radii, sides).map_err(failed)?;
            if let Some(leaf) = leaf {
                mesh.append(&leaves(strands, *leaf).map_err(failed)?).map_err(failed)?;
            }
            mesh
        }
        SkinSection::File { path } => {
            let failed = |error: &dyn std::error::Error| Fault::new(at("file.path"), error.to_string());
            let imported = files.read_mesh(path, &ReadOptions::default()).map_err(|error| failed(&error))?;
            budget.take(imported.positions.len() as u128).map_err(|message| Fault::new(at("file.path"), message))?;
            let mut mesh = imported.triangle_mesh().map_err(|error| failed(&error))?;
            mesh.positions.iter_mut().for_each(|p| *p = placing.apply(*p));
            mesh
        }
    };
    let bound = Skin::new(&particles, &mesh.positions).map_err(|error| Fault::new(key("skin"), error.to_string()))?;
    Ok((body, Some((bound, mesh))))
}

fn material(section: &OrientedSection) -> Result<OrientedMaterial, Fault> {
    let standard = OrientedMaterial::default();
    let spring = match (section.frequency, section.share) {
        (Some(_), Some(_)) => {
            return Err(Fault::new(key("frequency"), "frequency and share say the same thing: give one of them"));
        }
        (Some(hertz), None) => Spring::Frequency(hertz),
        (None, Some(share)) => Spring::Share(share),
        (None, None) => standard.spring,
    };
    Ok(OrientedMaterial {
        density: section.density.unwrap_or(standard.density),
        width: section.width.unwrap_or(standard.width),
        spring,
        damping: section.damping.unwrap_or(standard.damping),
        limit: section.limit.map_or(standard.limit, |limit| (limit != f64::INFINITY).then_some(limit)),
        relaxation: section.relaxation.unwrap_or(standard.relaxation),
    })
}
