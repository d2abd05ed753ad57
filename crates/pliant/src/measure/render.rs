//! Positions and normals for drawing.

use crate::math::Vec3;
use crate::mesh::triangle_area_vector;
use crate::step::inputs::InputError;
use crate::step::simulation::Simulation;
use crate::world::model::Model;

impl Simulation {
    /// The unit normal at each vertex of surfaces, neighbouring triangles weighted by area; zero elsewhere.
    pub fn normals(&self) -> Vec<Vec3> {
        normals(&self.model, &self.state.positions)
    }

    /// The same for other positions of all vertices \[m\], such as those between two steps.
    pub fn normals_at(&self, positions: &[Vec3]) -> Result<Vec<Vec3>, InputError> {
        let (found, expected) = (positions.len(), self.state.positions.len());
        if found != expected {
            return Err(InputError::LengthMismatch { name: "positions", found, expected });
        }
        Ok(normals(&self.model, positions))
    }
}

fn normals(model: &Model, x: &[Vec3]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; x.len()];
    for triangle in model.bodies().iter().flat_map(|body| &body.surface) {
        let area = triangle_area_vector(triangle.map(|v| x[v as usize]));
        triangle.iter().for_each(|&v| normals[v as usize] += area);
    }
    normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
    normals
}

/// Positions and normals of all vertices in f32, as a renderer wants them, also between two steps: a game draws when
/// the screen is ready, not when a step is done.
///
/// ```
/// use pliant::prelude::*;
/// let sheet = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
/// let cloth = Body::cloth(&sheet, &ClothMaterial::default())?.named("cloth");
/// let mut sim = Simulation::builder().body(cloth).build()?;
/// let mut buffers = RenderBuffers::new(&sim);
/// sim.step()?;
/// buffers.advance(&sim);
/// buffers.blend(&sim, 0.5); // halfway between the last two steps
/// let cloth = sim.body("cloth")?.vertices.clone();
/// let (positions, normals) = (&buffers.positions()[cloth.clone()], &buffers.normals()[cloth]);
/// assert_eq!(positions.len(), 25);
/// assert!((normals[0][2] - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RenderBuffers {
    previous: Vec<Vec3>,
    current: Vec<Vec3>,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

impl RenderBuffers {
    /// Buffers of the current state.
    pub fn new(sim: &Simulation) -> Self {
        let mut buffers = Self::default();
        buffers.advance(sim);
        buffers.blend(sim, 1.0);
        buffers
    }

    /// Takes the state after a step. Vertices that are new since, by tearing or cutting, have no state before.
    pub fn advance(&mut self, sim: &Simulation) {
        std::mem::swap(&mut self.previous, &mut self.current);
        self.current.clear();
        self.current.extend_from_slice(sim.positions());
        if self.previous.len() != self.current.len() {
            self.previous.clone_from(&self.current);
        }
    }

    /// Sets positions and normals to those at a share of the way from the state before to the last: 0 to 1.
    pub fn blend(&mut self, sim: &Simulation, share: f64) {
        let between: Vec<Vec3> = self.previous.iter().zip(&self.current).map(|(a, b)| a.lerp(*b, share)).collect();
        let single = |v: &Vec3| v.as_vec3().to_array();
        self.positions.clear();
        self.positions.extend(between.iter().map(single));
        self.normals.clear();
        if between.len() == sim.positions().len() {
            self.normals.extend(normals(sim.model(), &between).iter().map(single));
        }
    }

    /// Positions \[m\].
    pub fn positions(&self) -> &[[f32; 3]] {
        &self.positions
    }

    /// Unit normals of surfaces, as in [`Simulation::normals`].
    pub fn normals(&self) -> &[[f32; 3]] {
        &self.normals
    }
}
