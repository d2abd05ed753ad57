//! Fluids with other bodies.

use pliant::math::Vec3;
use pliant::mesh::Placed;
use pliant::mesh::generate::{Plane, Sheet, TetBox};
use pliant::{Body, ClothMaterial, SolidMaterial};

use super::{filling, run, vessel, water, world};

#[test]
fn a_light_solid_floats_and_a_heavy_one_sinks() {
    let height_of = |density: f64| {
        let size = Vec3::new(0.5, 0.4, 0.5);
        let mesh = TetBox { size: Vec3::splat(0.2), cells: [2, 2, 2], ..TetBox::default() }.mesh().expect("a box");
        let mesh = mesh.translated(Vec3::new(0.25, 0.55, 0.25));
        let material = SolidMaterial { density, youngs_modulus: 1e6, ..SolidMaterial::default() };
        let solid = Body::solid(&mesh, &material).expect("a solid").named("solid");
        let mut sim =
            world(vessel(size), 6, 0.01).body(filling(size, &water(0.05))).body(solid).build().expect("a world");
        run(&mut sim, 2.5);
        let own = &sim.positions()[10 * 8 * 10..];
        own.iter().map(|p| p.y).sum::<f64>() / own.len() as f64
    };
    let (light, heavy) = (height_of(400.0), height_of(3000.0));
    assert!(light > 0.3, "the light one is at {light} m, in water 0.4 m deep");
    assert!(heavy < 0.2, "the heavy one is at {heavy} m");
}

#[test]
fn a_drop_gives_a_free_cloth_the_momentum_that_it_loses() {
    let sheet = Sheet { width: 0.4, height: 0.4, columns: 8, rows: 8, plane: Plane::Xz, ..Sheet::default() };
    let cloth = Body::cloth(&sheet.mesh().expect("a sheet"), &ClothMaterial::default()).expect("cloth");
    let drop = filling(Vec3::splat(0.2), &water(0.04));
    let positions: Vec<Vec3> = drop.rest().iter().map(|p| *p + Vec3::new(-0.1, 0.06, -0.1)).collect();
    let velocities = vec![Vec3::new(0.0, -1.0, 0.0); positions.len()];
    let drop = drop.with_positions(positions).with_velocities(velocities);
    let builder = world([], 6, 0.005).gravity(Vec3::ZERO).body(drop);
    let mut sim = builder.body(cloth.named("cloth")).build().expect("a world");
    let before = sim.report().momentum;
    run(&mut sim, 0.1);
    let after = sim.report().momentum;
    let middle = sim.velocities()[125 + 40];
    assert!(middle.y < -0.3, "the cloth is carried along: {middle}");
    assert!((after - before).length() < 1e-6 * before.length(), "{before} became {after}");
}

#[test]
fn what_a_solid_gains_in_momentum_the_fluid_loses() {
    let mesh = TetBox { size: Vec3::splat(0.2), cells: [2, 2, 2], ..TetBox::default() }.mesh().expect("a box");
    let solid = Body::solid(&mesh.translated(Vec3::new(0.5, 0.12, 0.12)), &SolidMaterial::default()).expect("a solid");
    let drop = filling(Vec3::splat(0.24), &water(0.04));
    let velocities = vec![Vec3::new(2.0, 0.0, 0.0); drop.rest().len()];
    let builder = world([], 5, 0.005).gravity(Vec3::ZERO).body(drop.with_velocities(velocities));
    let mut sim = builder.body(solid.named("solid")).build().expect("a world");
    let before = sim.report().momentum;
    run(&mut sim, 0.3);
    let after = sim.report().momentum;
    let solid = &sim.velocities()[216..];
    assert!(solid.iter().map(|v| v.x).sum::<f64>() / solid.len() as f64 > 0.2, "it was pushed");
    assert!((after - before).length() < 1e-6 * before.length(), "{before} became {after}");
}
