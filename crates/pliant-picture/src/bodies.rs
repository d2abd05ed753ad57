//! The bodies of a simulation as things to draw: surfaces, strands, the surface of a fluid, loose vertices.

use std::ops::Range;

use pliant::math::Vec3;
use pliant::{BodyInfo, Fluid, FluidSurface, Simulation};

use crate::scene::{Lines, Mesh, Paint, Points, Scene};

/// Radius of ropes and loose vertices over the diagonal of the world.
const THICKNESS: f64 = 0.004;
/// More strands than this are drawn thinner, so that together they cover about the same.
const FEW_STRANDS: f64 = 200.0;

/// Radius of loose vertices, or of strands with these pieces, in a world of a diagonal \[m\].
pub fn thickness(diagonal: f64, segments: &[[u32; 2]]) -> f64 {
    let strands = segments.chunk_by(|before, next| before[1] == next[0]).count().max(1);
    THICKNESS * diagonal * (FEW_STRANDS / strands as f64).sqrt().min(1.0)
}

/// The visible parts of one body.
#[derive(Debug, Clone)]
pub struct SeenBody<'a> {
    /// Positions of its vertices \[m\].
    pub positions: Vec<Vec3>,
    /// Its surface.
    pub triangles: Vec<[u32; 3]>,
    /// Its strands, one after the other.
    pub segments: Vec<[u32; 2]>,
    /// Vertices that are drawn as points.
    pub points: Vec<u32>,
    /// The fluid, if its points are one.
    pub fluid: Option<&'a Fluid>,
    /// Diagonal of the world, from which the thickness of strands and points is computed \[m\].
    pub diagonal: f64,
    /// Its colours, per vertex if they show values.
    pub paint: Paint,
}

impl Scene {
    /// All bodies, and colliders in grey where they are now, painted by their numbers and vertices.
    pub(crate) fn painted(
        simulation: &Simulation,
        positions: &[Vec3],
        paint: impl Fn(usize, Range<usize>) -> Paint,
    ) -> Self {
        let mut scene = Self::default();
        let model = simulation.model();
        for (number, body) in model.bodies().iter().enumerate() {
            let first = body.vertices.start as u32;
            let triangles: Vec<[u32; 3]> = body.surface.iter().map(|t| t.map(|v| v - first)).collect();
            let segments = if triangles.is_empty() { segments(simulation, number, body) } else { Vec::new() };
            let is_loose = triangles.is_empty() && segments.is_empty();
            scene.add_body(SeenBody {
                positions: positions[body.vertices.clone()].to_vec(),
                triangles,
                segments,
                points: if is_loose { (0..body.vertices.len() as u32).collect() } else { Vec::new() },
                fluid: model.matter_in(number),
                diagonal: model.diagonal(),
                paint: paint(number, body.vertices.clone()),
            });
        }
        scene.add_colliders(simulation.colliders(), simulation.time());
        scene
    }

    /// Adds a body: its surface, its strands, its points; for a fluid the surface around its points.
    pub fn add_body(&mut self, body: SeenBody<'_>) {
        let SeenBody { positions, triangles, segments, points, fluid, diagonal, paint } = body;
        if !points.is_empty() {
            let places = points.iter().map(|&v| positions[v as usize]).collect();
            let own = match &paint {
                Paint::Scalar { values, range, map } => {
                    let values = points.iter().map(|&v| values[v as usize]).collect();
                    Paint::Scalar { values, range: *range, map: *map }
                }
                plain => plain.clone(),
            };
            match fluid {
                Some(fluid) => self.add_fluid(fluid, places, own),
                None => self.points.push(Points::new(places, thickness(diagonal, &[]), own)),
            }
        }
        if !segments.is_empty() {
            let thickness = thickness(diagonal, &segments);
            self.lines.push(Lines::new(positions.clone(), segments, thickness, paint.clone()));
        }
        if !triangles.is_empty() {
            self.meshes.push(Mesh::new(positions, triangles, paint));
        }
    }

    /// The surface of a fluid, or its particles as balls where colours show values; what waits in a pipe is not seen.
    fn add_fluid(&mut self, fluid: &Fluid, positions: Vec<Vec3>, paint: Paint) {
        let out: Vec<Vec3> = positions.iter().filter(|p| fluid.is_out(**p)).copied().collect();
        if out.is_empty() {
            return;
        }
        if let Paint::Scalar { values, range, map } = paint {
            let values = positions.iter().zip(values).filter(|(p, _)| fluid.is_out(**p)).map(|(_, value)| value);
            let paint = Paint::Scalar { values: values.collect(), range, map };
            self.points.push(Points::new(out, 0.5 * fluid.material().spacing, paint));
            return;
        }
        // Drops that are smaller than the cells of the surface are not seen.
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
