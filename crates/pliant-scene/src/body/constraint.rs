//! From `[[body.constraint]]` to constraints of the position-based solver.

use pliant::constraint::{
    Allowed, Balloon, ConstraintBatch, Dihedral, Distance, IsometricBending, ShapeMatching, TetStrainConstraint,
    TetVolumeConstraint, TriangleAreaConstraint, TriangleStrainConstraint,
};
use pliant::energy::EnergyError;

use super::energy::{Elements, Ground};
use super::shape::Shape;
use crate::fault::Fault;
use crate::format::{AllowedName, ConstraintSection};
use crate::select::resolve;

/// Builds a constraint; faults are named within the entry of the list.
pub(super) fn build_constraint(
    section: &ConstraintSection,
    on: &Ground<'_>,
) -> Result<Box<dyn ConstraintBatch>, Fault> {
    let name = section.name();
    build(section, on).map_err(|fault| fault.inside(name))
}

fn build(section: &ConstraintSection, on: &Ground<'_>) -> Result<Box<dyn ConstraintBatch>, Fault> {
    let rest = on.shape.positions();
    let chosen = match section.select() {
        None => None,
        Some(select) => {
            Some(resolve(select, rest, on.shape.strands()).map_err(|message| Fault::new("select", message))?)
        }
    };
    let elements = Elements { chosen: chosen.as_deref(), count: rest.len() };
    let compliance = section.compliance().unwrap_or(0.0);
    if !(compliance >= 0.0 && compliance.is_finite()) {
        let message = format!("compliance is {compliance}, but must be at least 0 and finite");
        return Err(Fault::new("compliance", message));
    }
    let surface = || match on.shape {
        Shape::Surface { mesh, .. } => Ok(mesh),
        _ => Err(Fault::new("", format!("{} needs a surface", section.name()))),
    };
    let tets = || match on.shape {
        Shape::Solid { mesh, .. } => elements.of(&mesh.tets),
        _ => Err(Fault::new("", format!("{} needs a solid", section.name()))),
    };
    let hinges = || {
        let all = surface()?.hinges().map_err(|error| Fault::new("", error.to_string()))?;
        elements.of(&all)
    };
    let failed = |error: EnergyError| Fault::new("", error.to_string());
    Ok(match *section {
        ConstraintSection::Distance { allowed, .. } => {
            let allowed = match allowed.unwrap_or_default() {
                AllowedName::Exactly => Allowed::Exactly,
                AllowedName::AtLeast => Allowed::AtLeast,
                AllowedName::AtMost => Allowed::AtMost,
            };
            Distance::at_rest(&elements.of(on.edges)?, rest, allowed, compliance).map_err(failed)?.boxed()
        }
        ConstraintSection::Dihedral { .. } => Dihedral::at_rest(&hinges()?, rest, compliance).map_err(failed)?.boxed(),
        ConstraintSection::IsometricBending { .. } => {
            IsometricBending::at_rest(&hinges()?, rest, compliance).map_err(failed)?.boxed()
        }
        ConstraintSection::AreaConstraint { .. } => {
            let triangles = elements.of(&surface()?.triangles)?;
            TriangleAreaConstraint::at_rest(&triangles, rest, compliance).map_err(failed)?.boxed()
        }
        ConstraintSection::VolumeConstraint { .. } => {
            TetVolumeConstraint::at_rest(&tets()?, rest, compliance).map_err(failed)?.boxed()
        }
        ConstraintSection::StrainConstraint2d { .. } => {
            let triangles = elements.of(&surface()?.triangles)?;
            TriangleStrainConstraint::at_rest(&triangles, rest, compliance).map_err(failed)?.boxed()
        }
        ConstraintSection::StrainConstraint3d { .. } => {
            TetStrainConstraint::at_rest(&tets()?, rest, compliance).map_err(failed)?.boxed()
        }
        ConstraintSection::Balloon { pressure, .. } => {
            let pressure = pressure.unwrap_or(1.0);
            if !(pressure > 0.0 && pressure.is_finite()) {
                let message = format!("pressure is {pressure}, but must be positive and finite");
                return Err(Fault::new("pressure", message));
            }
            if surface()?.boundary_vertices().contains(&true) {
                return Err(Fault::new("", "the surface is not closed, so there is no volume inside it"));
            }
            Balloon::new(surface()?, pressure, compliance).map_err(failed)?.boxed()
        }
        ConstraintSection::ShapeMatching { .. } => {
            ShapeMatching::at_rest(&[elements.vertices()], rest, compliance).map_err(failed)?.boxed()
        }
    })
}
