//! From `[[body.energy]]` to energies of the engine.

use pliant::energy::{
    AverageGoals, Batch, EdgeSprings, EnergyError, ExampleBased, ExampleWeights, HalfSpace, HingeBending,
    HingeStiffness, MeanCurvatureBending, PlateBending, PositionGoals, RigidSet, SpringStiffness, StrainSet, TetStrain,
    TetVolume, TriangleArea, TriangleStrain,
};
use pliant::math::Vec3;
use pliant::mesh::{Edge, TetMesh};
use pliant_io::read::Files;

use super::as_key;
use super::pose::pose;
use super::shape::{Placing, Shape};
use crate::fault::Fault;
use crate::format::{EnergySection, PoseSection};
use crate::select::resolve;

/// What an energy is built on.
pub(super) struct Ground<'a> {
    pub(super) shape: &'a Shape,
    pub(super) edges: &'a [Edge],
    pub(super) files: &'a Files,
    pub(super) placing: &'a Placing,
}

/// Builds an energy; faults are named within the entry of the list.
pub(super) fn build_energy(section: &EnergySection, on: &Ground<'_>) -> Result<Box<dyn Batch>, Fault> {
    let name = section.name();
    build(section, on).map_err(|fault| fault.inside(name))
}

fn build(section: &EnergySection, on: &Ground<'_>) -> Result<Box<dyn Batch>, Fault> {
    let rest = on.shape.positions();
    let chosen = match section.select() {
        None => None,
        Some(select) => {
            Some(resolve(select, rest, on.shape.strands()).map_err(|message| Fault::new("select", message))?)
        }
    };
    let elements = Elements { chosen: chosen.as_deref(), count: rest.len() };
    let surface = || match on.shape {
        Shape::Surface { mesh, .. } => Ok(mesh),
        _ => Err(Fault::new("", format!("{} needs a surface", section.name()))),
    };
    let solid = || match on.shape {
        Shape::Solid { mesh, .. } => Ok(mesh),
        _ => Err(Fault::new("", format!("{} needs a solid", section.name()))),
    };
    let failed = |error: EnergyError| match &error {
        EnergyError::BadParameter { name, .. } => Fault::new(as_key(name), error.to_string()),
        _ => Fault::new("", error.to_string()),
    };
    match *section {
        EnergySection::EdgeSpring { stiffness, axial_stiffness, limits, .. } => {
            let stiffness = match (stiffness, axial_stiffness) {
                (Some(each), None) => SpringStiffness::Uniform(each),
                (None, Some(axial)) => SpringStiffness::Axial(axial),
                _ => return Err(Fault::new("", "give `stiffness` or `axial_stiffness`")),
            };
            let springs = EdgeSprings::new(elements.of(on.edges)?, stiffness);
            EdgeSprings { limits: limits.unwrap_or([1.0, 1.0]), ..springs }.build(rest).map_err(failed)
        }
        EnergySection::TriangleStrain { stiffness, limits, fibres, .. } => {
            let triangles = elements.of(&surface()?.triangles)?;
            let fibres = fibres.map(|own| (own.direction, own.limits));
            TriangleStrain {
                triangles,
                stiffness,
                set: strain_set("limits", limits, fibres)?.unwrap_or(StrainSet::Rotation),
            }
            .build(rest)
            .map_err(failed)
        }
        EnergySection::TetStrain { stiffness, limits, fibres, .. } => {
            let tets = elements.of(&solid()?.tets)?;
            let fibres = fibres.map(|own| (own.direction, own.limits));
            TetStrain { tets, stiffness, set: strain_set("limits", limits, fibres)?.unwrap_or(StrainSet::Rotation) }
                .build(rest)
                .map_err(failed)
        }
        EnergySection::TriangleArea { stiffness, bounds, .. } => {
            let triangles = elements.of(&surface()?.triangles)?;
            TriangleArea { triangles, stiffness, bounds: bounds.unwrap_or([1.0, 1.0]) }.build(rest).map_err(failed)
        }
        EnergySection::TetVolume { stiffness, bounds, .. } => {
            let tets = elements.of(&solid()?.tets)?;
            TetVolume { tets, stiffness, bounds: bounds.unwrap_or([1.0, 1.0]) }.build(rest).map_err(failed)
        }
        EnergySection::ExampleLocal { stiffness, pose: ref poses } => {
            examples(solid()?, stiffness, poses, ExampleWeights::Local, on)?.build(rest).map_err(failed)
        }
        EnergySection::ExampleGlobal { stiffness, pose: ref poses } => {
            examples(solid()?, stiffness, poses, ExampleWeights::Global, on)?.build(rest).map_err(failed)
        }
        EnergySection::Plate { stiffness, poisson_ratio } => {
            let poisson_ratio = poisson_ratio.unwrap_or(0.0);
            PlateBending { stiffness, poisson_ratio }.build(surface()?).map_err(failed)
        }
        EnergySection::Bending { stiffness } => MeanCurvatureBending { stiffness }.build(surface()?).map_err(failed),
        EnergySection::Hinge { stiffness, degrees, .. } => {
            let hinges = surface()?.hinges().map_err(|error| Fault::new("", error.to_string()))?;
            let hinges = HingeBending::new(elements.of(&hinges)?, HingeStiffness::Plate(stiffness));
            HingeBending { rest_angle: degrees.map(f64::to_radians), ..hinges }.build(rest).map_err(failed)
        }
        EnergySection::Position { stiffness, .. } => {
            let vertices = elements.vertices();
            PositionGoals { vertices, goals: None, stiffness }.build(rest).map_err(failed)
        }
        EnergySection::Average { stiffness, .. } => {
            let vertices = elements.vertices();
            let weight = 1.0 / vertices.len() as f64;
            let averages = vec![vertices.into_iter().map(|vertex| (vertex, weight)).collect()];
            AverageGoals { averages, goals: None, stiffness }.build(rest).map_err(failed)
        }
        EnergySection::HalfSpace { stiffness, point, normal, .. } => {
            let (vertices, point, normal) = (elements.vertices(), point.into(), normal.into());
            HalfSpace { vertices, point, normal, stiffness }.build(rest).map_err(failed)
        }
        EnergySection::Rigid { stiffness, .. } => {
            let mut vertices = elements.vertices();
            // The hub is the one nearest to the middle: arms are short, and loads from all sides reach it alike.
            let mean =
                vertices.iter().fold(Vec3::ZERO, |sum, &v| sum + rest[v as usize]) / vertices.len().max(1) as f64;
            let distance = |v: u32| rest[v as usize].distance_squared(mean);
            let nearest = (0..vertices.len()).min_by(|&a, &b| distance(vertices[a]).total_cmp(&distance(vertices[b])));
            let hub = vertices.remove(nearest.ok_or_else(|| Fault::new("select", "it holds no vertex"))?);
            RigidSet { hub, vertices, stiffness }.build(rest).map_err(failed)
        }
    }
}

/// The selected elements of a body.
pub(super) struct Elements<'a> {
    pub(super) chosen: Option<&'a [u32]>,
    pub(super) count: usize,
}

impl Elements<'_> {
    pub(super) fn vertices(&self) -> Vec<u32> {
        self.chosen.map_or_else(|| (0..self.count as u32).collect(), <[u32]>::to_vec)
    }

    /// Those whose vertices are all selected.
    pub(super) fn of<const N: usize>(&self, all: &[[u32; N]]) -> Result<Vec<[u32; N]>, Fault> {
        let Some(chosen) = self.chosen else { return Ok(all.to_vec()) };
        let mut is_chosen = vec![false; self.count];
        chosen.iter().for_each(|&vertex| is_chosen[vertex as usize] = true);
        let kept: Vec<_> =
            all.iter().filter(|element| element.iter().all(|&v| is_chosen[v as usize])).copied().collect();
        match kept.is_empty() {
            false => Ok(kept),
            true => Err(Fault::new("select", format!("it holds no whole element, only {} vertices", chosen.len()))),
        }
    }
}

/// Limits in all directions, which stand at a key, or limits along fibres; none without either. Faults of fibres are named
/// within the section, those of limits by the engine.
pub(super) fn strain_set<const D: usize>(
    key: &str,
    limits: Option<[f64; 2]>,
    fibres: Option<([f64; 3], [[f64; 2]; D])>,
) -> Result<Option<StrainSet<D>>, Fault> {
    let (direction, along) = match (limits, fibres) {
        (Some(_), Some(_)) => return Err(Fault::new("fibres", format!("give `{key}` or `fibres`, not both"))),
        (limits, None) => return Ok(limits.map(|[min, max]| StrainSet::Limits { min, max })),
        (None, Some(fibres)) => fibres,
    };
    let (direction, length) = (Vec3::from_array(direction), Vec3::from_array(direction).length());
    if !(length > 0.0 && length.is_finite()) {
        return Err(Fault::new("fibres.direction", format!("the direction has length {length}, but must have one")));
    }
    for (place, [min, max]) in along.into_iter().enumerate() {
        if !(min >= 0.0 && min.is_finite() && max >= min && max > 0.0) {
            let message = format!("limits are [{min}, {max}], but must be at least 0, the larger one last and above 0");
            return Err(Fault::new(format!("fibres.limits.{place}"), message));
        }
    }
    Ok(Some(StrainSet::Fibres { direction, limits: along }))
}

fn examples(
    mesh: &TetMesh,
    stiffness: f64,
    poses: &[PoseSection],
    weights: ExampleWeights,
    on: &Ground<'_>,
) -> Result<ExampleBased, Fault> {
    let mut examples = Vec::new();
    for (k, section) in poses.iter().enumerate() {
        let positions = pose(section, &mesh.positions, on.files, on.placing);
        examples.push(positions.map_err(|fault| fault.inside(&format!("pose.{k}")))?);
    }
    Ok(ExampleBased { tets: mesh.tets.clone(), examples, stiffness, weights })
}
