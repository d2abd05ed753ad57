//! The picture of the garden.

use pliant::prelude::*;
use pliant_picture::{
    Camera, Color, Ground, Image, Light, Lines, Mesh, Paint, Pattern, Points, RenderOptions, Scene, Sky, render,
};

use super::{Garden, grass, house, tree, washing};
use crate::ReproduceError;

const LEAVES: [u32; 3] = [0x6f9e3a, 0x5a8a33, 0x86ab45];
const BLADES: [u32; 3] = [0x7fa64a, 0x6b963f, 0x93b659];

impl Garden {
    /// The garden as a simulation of it stands.
    pub(crate) fn draw(&self, sim: &Simulation, [width, height]: [usize; 2]) -> Result<Image, ReproduceError> {
        let mut scene = Scene {
            ground: Some(Ground { color: Color::hex(0xa8b878), pattern: Pattern::Plain, ..Ground::at(0.0) }),
            sky: Sky { horizon: Color::hex(0xeaf2f8), zenith: Color::hex(0x8fb8e0), ..Sky::default() },
            light: Light { direction: Vec3::new(0.5, 1.0, 0.75), ..Light::default() },
            ..Scene::default()
        };
        scene.meshes.extend(self.house.draw(sim.body_positions(house::NAME)?));
        let wood = sim.body_positions(tree::NAME)?;
        scene.meshes.push(Mesh::new(wood.to_vec(), self.tree.skin.clone(), both(0x7a5a41)));
        let leaves: Vec<[u32; 3]> = self.tree.blades().collect();
        for (k, color) in LEAVES.into_iter().enumerate() {
            let own = leaves.chunks(2).skip(k).step_by(3).flatten().copied().collect();
            scene.meshes.push(Mesh::new(wood.to_vec(), own, both(color)));
        }
        for garment in &self.washing.garments {
            let positions = sim.body_positions(garment.name)?.to_vec();
            scene.meshes.push(Mesh::new(positions, garment.mesh.triangles.clone(), both(garment.color)));
        }
        let line = sim.body_positions(washing::LINE)?;
        let segments = (1..line.len() as u32).map(|k| [k - 1, k]).collect();
        scene.lines.push(Lines::new(line.to_vec(), segments, 0.5 * washing::THICKNESS, both(0x6a6f75)));
        let pegs =
            self.washing.garments.iter().flat_map(|garment| garment.pegs.iter().map(|&(_, at)| line[at as usize]));
        scene.points.push(Points::new(pegs.collect(), 0.022, both(0xb98a52)));
        let blades = sim.body_positions(grass::NAME)?;
        for (k, color) in BLADES.into_iter().enumerate() {
            let (positions, triangles) = self.grass.ribbons(blades, k);
            scene.meshes.push(Mesh::new(positions, triangles, both(color)));
        }
        let camera = Camera {
            field_of_view: 30f64.to_radians(),
            ..Camera::new(Vec3::new(1.8, 2.9, 12.5), Vec3::new(-0.15, 1.75, 0.0))
        };
        let options = RenderOptions { width, height, samples: 3, shadow_resolution: 4096, ..RenderOptions::default() };
        Ok(render(&scene, &camera, &options)?)
    }
}

/// The same colour on both sides.
pub(super) fn both(color: u32) -> Paint {
    Paint::Plain { front: Color::hex(color), back: Color::hex(color) }
}
