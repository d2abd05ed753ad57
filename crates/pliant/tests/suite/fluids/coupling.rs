//! Fluids with other bodies.

use pliant::math::Vec3;
use pliant::mesh::Placed;
use pliant::mesh::generate::{Icosphere, Plane, Sheet, TetBox};
use pliant::{Body, ClothMaterial, RigidMaterial, SolidMaterial};

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

/// How many particles of a pool on a sheet are below it after some seconds, and how deep the sheet hangs \[m\].
fn lost_through_a_sheet(density: f64, pin_all: bool, seconds: f64) -> (usize, f64) {
    let (spacing, width) = (0.04, 0.4);
    let sheet = Sheet { width, height: width, columns: 10, rows: 10, plane: Plane::Xz, ..Sheet::default() };
    let mesh = sheet.mesh().expect("a sheet").translated(Vec3::new(0.5 * width, 0.5, 0.5 * width));
    let rim = |p: &Vec3| [p.x, p.z].iter().any(|c| *c < 1e-6 || *c > width - 1e-6);
    let pins: Vec<u32> = (0..).zip(&mesh.positions).filter(|(_, p)| pin_all || rim(p)).map(|(v, _)| v).collect();
    let material = ClothMaterial { density, ..ClothMaterial::default() };
    let cloth = Body::cloth(&mesh, &material).expect("cloth").pin(pins).named("cloth");
    let pool = filling(Vec3::new(width, 0.16, width), &water(spacing));
    let positions: Vec<Vec3> = pool.rest().iter().map(|p| *p + Vec3::Y * 0.52).collect();
    let count = positions.len();
    let walls = vessel(Vec3::new(width, 1.0, width)).into_iter().skip(1);
    let mut sim = world(walls, 6, 0.005).body(pool.with_positions(positions)).body(cloth).build().expect("a world");
    run(&mut sim, seconds);
    let (water, cloth) = sim.positions().split_at(count);
    let lowest = cloth.iter().fold(f64::INFINITY, |low, p| low.min(p.y));
    let is_below = |p: &Vec3| {
        let mut near = cloth.iter().filter(|q| (p.x - q.x).hypot(p.z - q.z) < 1.5 * spacing);
        !p.is_finite() || near.all(|q| p.y < q.y)
    };
    (water.iter().filter(|p| is_below(p)).count(), 0.5 - lowest)
}

#[test]
fn a_pool_on_a_sheet_that_is_held_loses_no_particle() {
    // All of it pinned: a wall. Its rim pinned: cloth as heavy as some of the water on it.
    for (density, pin_all) in [(0.2, true), (10.0, false)] {
        let (lost, sag) = lost_through_a_sheet(density, pin_all, 2.0);
        assert_eq!(lost, 0, "through a sheet of {density} kg/m² that hangs {sag} m deep");
        assert!(sag < 0.2, "the sheet of {density} kg/m² hangs {sag} m deep");
    }
}

/// How deep a raft floats, over its height, for a raft of some density \[kg/m³\] in water that keeps its volume; and by how much of its width one
/// side is higher than the other. It is twice as wide as high: a cube of 0.21 to 0.79 of the water's density does not float upright.
fn draught(density: f64) -> [f64; 2] {
    let (spacing, width, height) = (0.04, 0.48, 0.24);
    let size = Vec3::new(0.96, 0.4, 0.96);
    let raft = TetBox { size: Vec3::new(width, height, width), cells: [4, 2, 4], ..TetBox::default() };
    let mesh = raft.mesh().expect("a box").translated(Vec3::new(0.48, size.y + 0.5 * height + spacing, 0.48));
    let material = SolidMaterial { density, youngs_modulus: 1e6, ..SolidMaterial::default() };
    let solid = Body::solid(&mesh, &material).expect("a solid").named("raft");
    let pool = filling(size, &water(spacing));
    let count = pool.rest().len();
    let mut sim = world(vessel(size), 6, 0.008).body(pool).body(solid).build().expect("a world");
    // Nearly as heavy as water it rocks for seconds after it fell in, as little of it is above to turn it back.
    run(&mut sim, 8.0);
    let (mut below, mut tilt, samples) = (0.0, 0.0_f64, 60);
    for _ in 0..samples {
        run(&mut sim, 0.016);
        let raft = &sim.positions()[count..];
        let middle = raft.iter().map(|p| p.y).sum::<f64>() / raft.len() as f64;
        let bottom = middle - 0.5 * height;
        let level = (size.element_product() - width * width * bottom) / (size.x * size.z - width * width);
        below += (level - bottom) / height / f64::from(samples);
        let highest = raft.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
        tilt = tilt.max((highest - middle - 0.5 * height) / width);
    }
    [below, tilt]
}

#[test]
#[ignore = "long: rafts that float for nine seconds"]
fn a_raft_floats_level_and_sinks_in_by_its_density_over_that_of_the_water() {
    for ratio in [0.3, 0.5, 0.7, 0.9] {
        let [below, tilt] = draught(1000.0 * ratio);
        assert!((below - ratio).abs() < 0.03, "a raft of {ratio} of water's density is {below} below");
        assert!(tilt < 0.02, "a raft of {ratio} of water's density leans by {tilt} of its width");
    }
}

/// Samples along an edge are bounded, so that fluid would pass a larger triangle; far away they would take for ever to be told apart.
#[test]
fn a_surface_too_coarse_for_the_fluid_beside_it_is_refused() {
    let spacing = 0.02;
    let sheet =
        |width: f64| Sheet { width, height: width, columns: 1, rows: 1, ..Sheet::default() }.mesh().expect("a sheet");
    let build = |width: f64| {
        let cloth = Body::cloth(&sheet(width), &ClothMaterial::default()).expect("cloth").named("sail");
        world([], 2, 0.01).body(filling(Vec3::splat(0.1), &water(spacing))).body(cloth).build()
    };
    assert!(build(256.0 * spacing / 2.0_f64.sqrt() - 1e-9).is_ok());
    for width in [4.0, 1e12] {
        let message = build(width).expect_err("too coarse").to_string();
        assert!(
            message.starts_with("body \"sail\" has an edge of") && message.contains("256 times the spacing"),
            "{message}"
        );
    }
}

/// Volume of a ball's cap of some height, over that of the ball of radius 1.
fn cap(height: f64) -> f64 {
    let height = height.clamp(0.0, 2.0);
    0.25 * height * height * (3.0 - height)
}

/// Share of a rigid ball of half the density of water that is below the level of the water, in a pool that keeps its volume; `cells` are the spacings in its
/// radius.
fn submerged(cells: f64) -> f64 {
    let (spacing, radius) = (0.04, cells * 0.04);
    let width = (5.0 * cells).round() * spacing;
    let size = Vec3::new(width, (2.4 * cells).round() * spacing, width);
    let mesh = Icosphere { radius, subdivisions: 2 }.mesh().expect("a ball");
    let mesh = mesh.translated(Vec3::new(0.5 * width, size.y + radius + spacing, 0.5 * width));
    // Flat triangles make it smaller than the ball through its corners.
    let smaller = mesh.solid_moments().expect("a solid").volume / (4.0 / 3.0 * std::f64::consts::PI * radius.powi(3));
    let material = RigidMaterial { density: 500.0, ..RigidMaterial::default() };
    let ball = Body::rigid(&mesh, &material).expect("a ball").named("ball");
    let mut sim =
        world(vessel(size), 6, 0.008).body(filling(size, &water(spacing))).body(ball).build().expect("a world");
    run(&mut sim, 1.6);
    let (mut mean, samples) = (0.0, 50);
    for _ in 0..samples {
        run(&mut sim, 0.016);
        let bottom = sim.rigid_pose("ball").expect("a ball").centre.y - radius;
        let ball = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let (mut low, mut high) = (0.0, 2.0 * size.y);
        for _ in 0..50 {
            let level = 0.5 * (low + high);
            let water = level * width * width - smaller * ball * cap((level - bottom) / radius);
            if water < size.element_product() { low = level } else { high = level }
        }
        mean += cap((low - bottom) / radius) / f64::from(samples);
    }
    mean
}

#[test]
fn a_ball_of_half_the_density_of_water_floats_half_submerged() {
    let below = submerged(4.0);
    assert!((below - 0.5).abs() < 0.05, "{below} of a ball of 4 spacings is below the water");
}

#[test]
#[ignore = "long: balls in up to 30 000 particles"]
fn a_larger_ball_floats_half_submerged_too() {
    for cells in [5.0, 6.0, 8.0] {
        let below = submerged(cells);
        assert!((below - 0.5).abs() < 0.05, "{below} of a ball of {cells} spacings is below the water");
    }
}
