//! Fluids in worlds.

mod behaviour;
mod coupling;
mod density;
mod energy;
mod walls;

use pliant::collide::{Collider, Shape};
use pliant::math::{Quat, Vec3};
use pliant::mesh::Placed;
use pliant::mesh::generate::particle_block;
use pliant::solve::PositionBasedParams;
use pliant::{Body, FluidMaterial, Simulation, SimulationBuilder};

/// Water, thick enough to come to rest within seconds.
fn water(spacing: f64) -> FluidMaterial {
    FluidMaterial { spacing, viscosity: 2.0 * spacing * spacing, ..FluidMaterial::default() }
}

/// Particles that fill the box from the origin to `size` \[m\].
fn filling(size: Vec3, material: &FluidMaterial) -> Body {
    let block = particle_block(size, material.spacing).expect("a block").translated(0.5 * size);
    Body::fluid(&block, material).expect("a fluid").named("fluid")
}

/// Walls around the box from the origin to `size`, without a lid.
fn vessel(size: Vec3) -> [Collider; 5] {
    let wall =
        |normal: Vec3, at: Vec3| Collider::new(Shape::Plane).at(at).turned(Quat::from_rotation_arc(Vec3::Y, normal));
    [
        wall(Vec3::Y, Vec3::ZERO),
        wall(Vec3::X, Vec3::ZERO),
        wall(Vec3::NEG_X, size),
        wall(Vec3::Z, Vec3::ZERO),
        wall(Vec3::NEG_Z, size),
    ]
}

/// A world with walls, solved with this many iterations.
fn world(walls: impl IntoIterator<Item = Collider>, iterations: usize, h: f64) -> SimulationBuilder {
    let solver = PositionBasedParams { iterations, ..PositionBasedParams::default() };
    let builder = Simulation::builder().solver(solver).time_step(h);
    walls.into_iter().fold(builder, SimulationBuilder::collider)
}

/// Steps for so many seconds.
fn run(sim: &mut Simulation, seconds: f64) {
    let until = sim.time() + seconds - 0.5 * sim.time_step();
    while sim.time() < until {
        sim.step().expect("a step");
    }
}

/// Twice the height of the centre of mass: the depth of fluid in an upright vessel \[m\].
fn depth(sim: &Simulation) -> f64 {
    2.0 * sim.positions().iter().map(|p| p.y).sum::<f64>() / sim.positions().len() as f64
}

/// Mean number of particles in cubes well inside the fluid, over that at rest.
fn packing(positions: &[Vec3], low: Vec3, high: Vec3, spacing: f64) -> f64 {
    let inside = positions.iter().filter(|p| p.cmpge(low).all() && p.cmplt(high).all()).count();
    inside as f64 * spacing.powi(3) / (high - low).element_product()
}
