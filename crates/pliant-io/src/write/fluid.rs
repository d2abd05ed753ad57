//! Fluids in files: their particles as points, or a surface around them.
//!
//! The surface is a different mesh in every frame, so only formats that support changing meshes can hold it.

use pliant::math::Vec3;
use pliant::mesh::Csr;
use pliant::{Emitter, FluidSurface};

use super::part::Part;
use super::{ExportError, ExportFormat};
use crate::store::Frame;

/// A fluid of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Fluid {
    /// Name of its body.
    pub body: String,
    /// How its surface is made.
    pub surface: FluidSurface,
    /// The pipe from which it flows: particles inside it are not visible.
    pub pipe: Option<Emitter>,
}

/// Which parts of a fluid are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FluidShape {
    /// Its particles, as points.
    #[default]
    Particles,
    /// The surface around them, as triangles.
    Surface,
    /// Both, as separate bodies; the surface's name ends in `_surface`.
    Both,
}

impl FluidShape {
    /// What a format gets if nothing was said: both if it supports changing meshes, else particles.
    pub fn usual(format: ExportFormat) -> Self {
        if format.carries_changing_topology() { Self::Both } else { Self::Particles }
    }

    /// Whether there is a surface.
    pub fn has_surface(self) -> bool {
        self != Self::Particles
    }
}

/// Adds the surfaces of fluids to a frame and its parts. Velocities and channels are those of particles, and a surface has none: they go.
pub(super) fn add_surfaces(
    fluids: &[Fluid],
    shape: FluidShape,
    frame: &mut Frame<'static>,
    parts: &mut Vec<Part>,
) -> Result<(), ExportError> {
    let mut positions = frame.positions.to_vec();
    for fluid in fluids {
        let Some(number) = parts.iter().position(|part| part.name == fluid.body) else { continue };
        let particles = parts[number].vertices.iter().map(|&vertex| positions[vertex as usize]);
        let is_seen = |p: &Vec3| !fluid.pipe.as_ref().is_some_and(|pipe| pipe.holds(*p));
        let seen: Vec<Vec3> = particles.filter(is_seen).collect();
        let mut surface = Part {
            name: fluid.body.clone(),
            body: parts[number].body,
            vertices: Vec::new(),
            triangles: Vec::new(),
            tets: Vec::new(),
            polylines: Csr::default(),
            points: Vec::new(),
            triangle_numbers: Vec::new(),
            tet_numbers: Vec::new(),
            is_surface_of_fluid: true,
            is_collider: false,
            is_still: false,
            corners: None,
            texture: Vec::new(),
        };
        if !seen.is_empty() {
            let made = fluid.surface.mesh(&seen);
            let mesh = made.map_err(|error| ExportError::FluidSurface { body: fluid.body.clone(), error })?;
            let start = positions.len() as u32;
            surface.vertices = (start..start + mesh.positions.len() as u32).collect();
            surface.triangle_numbers = (0..mesh.triangles.len() as u32).collect();
            surface.triangles = mesh.triangles;
            positions.extend(mesh.positions);
        }
        if shape == FluidShape::Both {
            surface.name.push_str("_surface");
            parts.push(surface);
        } else {
            parts[number] = surface;
        }
    }
    frame.positions = positions.into();
    frame.velocities = None;
    frame.channels.clear();
    Ok(())
}
