//! The bodies of a simulation as things to draw: surfaces, strands, the surface of a fluid, loose vertices.

use std::ops::Range;

use pliant::math::Vec3;
use pliant::{BodyInfo, Fluid, FluidSurface, Simulation};

use crate::scene::{Lines, Mesh, Paint, Points, Scene};

/// Radius of ropes and loose vertices over the diagonal of the world.
const THICKNESS: f64 = 0.004;
/// More strands than this are drawn thinner, so that together they cover about the same.
const FEW_STRANDS: f64 = 200.0;

impl Scene {
    /// All bodies, and colliders in grey where they are now, painted by their numbers and vertices.
    pub(crate) fn painted(
        simulation: &Simulation,
        positions: &[Vec3],
        paint: impl Fn(usize, Range<usize>) -> Paint,
    ) -> Self {
        let mut scene = Self::default();
        let model = simulation.model();
        let thickness = THICKNESS * model.diagonal();
        for (number, body) in model.bodies().iter().enumerate() {
            let color = paint(number, body.vertices.clone());
            let positions = positions[body.vertices.clone()].to_vec();
            if !body.surface.is_empty() {
                let triangles = body.surface.iter().map(|t| t.map(|v| v - body.vertices.start as u32)).collect();
                scene.meshes.push(Mesh::new(positions, triangles, color));
                continue;
            }
            if let Some(fluid) = model.matter_in::<Fluid>(number) {
                scene.add_fluid(fluid, &positions, color);
                continue;
            }
            let segments = segments(simulation, number, body);
            if segments.is_empty() {
                scene.points.push(Points::new(positions, thickness, color));
            } else {
                let strands = body.segments.chunk_by(|before, next| before[1] == next[0]).count().max(1);
                let thickness = thickness * (FEW_STRANDS / strands as f64).sqrt().min(1.0);
                scene.lines.push(Lines::new(positions, segments, thickness, color));
            }
        }
        scene.add_colliders(simulation.colliders(), simulation.time());
        scene
    }

    /// The surface of a fluid, or its particles as balls where colours show values; what waits in a pipe is not seen.
    fn add_fluid(&mut self, fluid: &Fluid, positions: &[Vec3], paint: Paint) {
        let out: Vec<Vec3> = positions.iter().filter(|p| fluid.is_out(**p)).copied().collect();
        if out.is_empty() {
            return;
        }
        if let Paint::Scalar { values, range, map } = paint {
            let values =
                positions.iter().zip(values).filter(|(p, _)| fluid.is_out(**p)).map(|(_, value)| value).collect();
            let paint = Paint::Scalar { values, range, map };
            self.points.push(Points::new(out, 0.5 * fluid.material().spacing, paint));
            return;
        }
        if let Ok(surface) = FluidSurface::new(fluid.material().spacing).mesh(&out) {
            self.meshes.push(Mesh::new(surface.positions, surface.triangles, paint));
        }
    }
}

/// Pairs of vertices, numbered within the body, that its energies tie together; the segments of a rod, which has none.
fn segments(simulation: &Simulation, number: usize, body: &BodyInfo) -> Vec<[u32; 2]> {
    let start = body.vertices.start as u32;
    let own =
        simulation.model().energies().iter().filter(|entry| entry.body == Some(number) && entry.damping.is_none());
    let springs: Vec<[u32; 2]> = own
        .map(|entry| entry.batch.operator())
        .flat_map(|operator| (0..operator.len()).map(|element| operator.stencil(element)))
        .filter_map(|stencil| <[u32; 2]>::try_from(stencil).ok())
        .collect();
    let ends = if springs.is_empty() { &body.segments } else { &springs };
    ends.iter().map(|ends| ends.map(|vertex| vertex - start)).collect()
}
