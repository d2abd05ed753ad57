//! Fluids with other bodies.

use pliant::math::Vec3;
use pliant::mesh::Placed;
use pliant::mesh::generate::{Plane, Sheet, TetBox};
use pliant::{Body, ClothMaterial, SolidMaterial};

use super::{filling, run, vessel, water, world};

#[test]
fn a_light_solid_floats_and_a_heavy_one_sinks() {
    let height_of = |density: f64| {
        let size = Vec3::new(0.6, 0.4, 0.6);
        let mesh = TetBox { size: Vec3::splat(0.2), cells: [2, 2, 2], ..TetBox::default() }.mesh().expect("a box");
        let mesh = mesh.translated(Vec3::new(0.3, 0.55, 0.3));
        let material = SolidMaterial { density, youngs_modulus: 1e6, ..SolidMaterial::default() };
        let solid = Body::solid(&mesh, &material).expect("a solid").named("solid");
        let mut sim =
            world(vessel(size), 6, 0.008).body(filling(size, &water(0.04))).body(solid).build().expect("a world");
        run(&mut sim, 3.0);
        let own = &sim.positions()[15 * 10 * 15..];
        own.iter().map(|p| p.y).sum::<f64>() / own.len() as f64
    };
    let (light, heavy) = (height_of(400.0), height_of(3000.0));
    assert!(light > 0.3, "the light one is at {light} m, in water 0.4 m deep");
    assert!(heavy < 0.2, "the heavy one is at {heavy} m");
}

#[test]
fn water_lies_in_a_cloth_and_pulls_it_down_with_its_momentum() {
    let sheet = Sheet { width: 0.8, height: 0.8, columns: 16, rows: 16, plane: Plane::Xz, ..Sheet::default() };
    let mesh = sheet.mesh().expect("a sheet");
    let material = ClothMaterial { youngs_modulus: 1e7, ..ClothMaterial::default() };
    let cloth = Body::cloth(&mesh, &material).expect("cloth").pin_where(|p| p.x.abs().max(p.z.abs()) > 0.39);
    let size = Vec3::new(0.24, 0.16, 0.24);
    let drop = filling(size, &water(0.04));
    let positions = drop.rest().iter().map(|p| *p + Vec3::new(-0.12, 0.05, -0.12)).collect();
    let count = 6 * 4 * 6;
    let mut sim =
        world([], 10, 0.005).body(drop.with_positions(positions)).body(cloth.named("cloth")).build().expect("a world");
    run(&mut sim, 1.0);
    let (water, cloth) = sim.positions().split_at(count);
    let sag = cloth.iter().fold(0.0_f64, |low, p| low.min(p.y));
    let held = water.iter().filter(|p| p.y > sag - 0.02 && p.x.abs().max(p.z.abs()) < 0.45).count();
    assert!(sag < -0.02, "the cloth sags by {sag} m");
    assert!(held as f64 > 0.95 * count as f64, "{held} of {count} particles are in the cloth");
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
