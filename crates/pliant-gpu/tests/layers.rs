//! Layers that are kept apart on a device, judged by the engine's exact test.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;
mod folds;

use folds::{Dice, crowd, folded, sheet};
use pliant::SelfCollision;
use pliant::prelude::*;
use pliant::proximity::{Primitives, intersections};
use pliant_gpu::GpuLayers;
use pliant_gpu::device::Device;

/// Sheets that lie over each other, 3 mm apart.
fn stack(layers: usize, cells: usize) -> Simulation {
    let mesh = sheet(cells, 0.2);
    let mut world = Simulation::builder();
    for k in 0..layers {
        let body = Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named(format!("layer {k}"));
        let up = Vec3::Y * (0.003 * k as f64);
        world = world.body(body.with_positions(mesh.positions.iter().map(|p| *p + up).collect()));
    }
    world.build().unwrap()
}

type Movement<'a> = &'a dyn Fn(&Vec3) -> Vec3;

fn layers(device: &Device, sim: &Simulation, x: &[Vec3]) -> GpuLayers {
    GpuLayers::new(device, sim.model(), &SelfCollision::default(), 3600.0, x).unwrap()
}

fn crossings(sim: &Simulation, x: &[Vec3]) -> usize {
    intersections(&Primitives::new(sim.model().bodies()), x).len()
}

/// A movement that varies smoothly: waves along random directions.
fn waves(dice: &mut Dice, x: &[Vec3], size: f64, length: f64) -> Vec<Vec3> {
    let waves: Vec<(Vec3, Vec3, f64)> =
        (0..6).map(|_| (dice.vector() * (6.0 / length), dice.vector() * size, 3.0 * dice.roll())).collect();
    let moved = |p: &Vec3| waves.iter().fold(*p, |sum, (k, way, phase)| sum + *way * (k.dot(*p) + phase).sin());
    x.iter().map(moved).collect()
}

#[test]
fn nothing_passes_through_anything_however_it_is_moved() {
    let Some(device) = common::device() else { return };
    let (mut resorts, mut cut) = (0, 0);
    for seed in 0..2 {
        let mut dice = Dice(seed);
        let worlds = [folded(24), {
            let sim = stack(4, 10);
            let x = sim.positions().to_vec();
            (sim, x)
        }];
        for (sim, x) in worlds {
            // Also far from the origin, where f32 has steps of 8 µm.
            let x: Vec<Vec3> = x.iter().map(|p| *p + Vec3::new(100.0, -70.0, 30.0) * (seed % 2) as f64).collect();
            assert_eq!(crossings(&sim, &x), 0, "at the start");
            let mut own = layers(&device, &sim, &x);
            let mut x = x;
            for step in 0..8 {
                let size = [0.002, 0.01, 0.05, 0.5][step % 4];
                let mut wanted = waves(&mut dice, &x, size, 0.1);
                if step % 3 == 2 {
                    wanted.iter_mut().for_each(|p| *p += dice.vector() * 0.3 * size);
                }
                let before = crossings(&sim, &wanted);
                x = own.truncate(&wanted).unwrap();
                let left = crossings(&sim, &x);
                let report = own.report().unwrap();
                assert_eq!(left, 0, "seed {seed}, step {step}: {before} were wanted; {report:?}");
            }
            let report = own.report().unwrap();
            (resorts, cut) = (resorts + report.last_resorts, cut + report.cut_in_all);
        }
    }
    // Most of these movements are far beyond what a step brings; few may be cut more than they must.
    println!("{resorts} last resorts in 32 truncations, {cut} cut");
    assert!(cut > 5_000, "{cut}");
    assert!(resorts < 4, "{resorts} last resorts");
}

#[test]
fn nothing_passes_where_vertices_are_sent_anywhere() {
    let Some(device) = common::device() else { return };
    let mut moved = 0;
    for seed in 0..3 {
        let mut dice = Dice(50 + seed);
        let (sim, mut x) = folded(24);
        let mut own = layers(&device, &sim, &x);
        for _ in 0..3 {
            let wanted: Vec<Vec3> = x.iter().map(|_| dice.vector() * 0.3).collect();
            let reached = own.truncate(&wanted).unwrap();
            assert_eq!(crossings(&sim, &reached), 0);
            moved += reached.iter().zip(&x).filter(|(a, b)| a.distance(**b) > 1e-5).count();
            x = reached;
        }
    }
    assert!(moved > 1000, "{moved} moved");
}

#[test]
fn small_movements_are_cut_little_and_without_the_last_resort() {
    let Some(device) = common::device() else { return };
    let mut dice = Dice(7);
    let (sim, mut x) = folded(24);
    let mut own = layers(&device, &sim, &x);
    let mut all = 0;
    for _ in 0..12 {
        // About as much as the gaps.
        let wanted = waves(&mut dice, &x, 0.002, 0.1);
        x = own.truncate(&wanted).unwrap();
        assert_eq!(crossings(&sim, &x), 0);
        all += x.len();
    }
    let report = own.report().unwrap();
    assert_eq!((report.last_resorts, report.crowded, report.lost), (0, 0, 0), "{report:?}");
    assert!((report.cut_in_all as usize) < all / 4, "{report:?} of {all}");
}

#[test]
fn what_moves_together_turns_or_parts_is_not_cut() {
    let Some(device) = common::device() else { return };
    let (sim, x) = folded(24);
    let turned = Mat3::from_rotation_y(0.3) * Mat3::from_rotation_x(0.2);
    let movements: [(&str, Movement<'_>); 4] = [
        ("together", &|p| *p + Vec3::new(3.0, -7.0, 2.0)),
        ("turned", &|p| turned * *p),
        ("parted", &|p| Vec3::new(p.x, 3.0 * p.y, p.z)),
        ("still", &|p| *p),
    ];
    for (name, movement) in movements {
        let mut own = layers(&device, &sim, &x);
        let wanted: Vec<Vec3> = x.iter().map(movement).collect();
        let reached = own.truncate(&wanted).unwrap();
        let report = own.report().unwrap();
        assert_eq!(report.cut, 0, "{name}: {report:?}");
        let most = reached.iter().zip(&wanted).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        // Offsets are f32.
        assert!(most < 1e-6, "{name}: {most:e} m");
    }
}

#[test]
fn layers_that_are_carried_on_are_not_left_behind() {
    let Some(device) = common::device() else { return };
    let sim = stack(4, 10);
    let x = sim.positions().to_vec();
    let mut own = layers(&device, &sim, &x);
    // All go up by 50 mm, the upper ones by a little less: they are to be cut by the difference alone.
    let wanted: Vec<Vec3> = x.iter().map(|p| *p + Vec3::Y * (0.05 - 0.2 * p.y)).collect();
    let reached = own.truncate(&wanted).unwrap();
    let report = own.report().unwrap();
    assert_eq!((crossings(&sim, &reached), report.last_resorts), (0, 0));
    // Faster followers: the lowest would pass through all others.
    let faster: Vec<Vec3> = reached.iter().map(|p| *p + Vec3::Y * if p.y < 0.051 { 0.06 } else { 0.05 }).collect();
    let mut own = layers(&device, &sim, &reached);
    let held = own.truncate(&faster).unwrap();
    assert_eq!(crossings(&sim, &held), 0);
    let least = held.iter().zip(&reached).map(|(a, b)| a.y - b.y).fold(f64::INFINITY, f64::min);
    assert!(least > 0.045, "{least} m of 50 mm: {:?}", own.report().unwrap());
}

#[test]
fn a_fast_projectile_does_not_pass_through_a_sheet() {
    let Some(device) = common::device() else { return };
    let bullet = TetBox { size: Vec3::splat(0.02), cells: [1, 1, 1], ..TetBox::default() }.mesh().unwrap();
    let above: Vec<Vec3> = bullet.positions.iter().map(|p| *p + Vec3::new(0.011, 0.5, 0.007)).collect();
    let bullet = Body::solid(&bullet, &SolidMaterial::default()).unwrap().named("bullet").with_positions(above);
    let cloth = Body::cloth(&sheet(16, 0.4), &ClothMaterial::default()).unwrap().named("cloth");
    let sim = Simulation::builder().body(cloth).body(bullet).build().unwrap();
    for way in [1.0, 10.0, 1000.0] {
        let x = sim.positions().to_vec();
        let mut own = layers(&device, &sim, &x);
        let wanted: Vec<Vec3> =
            x.iter().map(|p| if p.y > 0.2 { *p + Vec3::new(0.01, -1.0, 0.0) * way } else { *p }).collect();
        let reached = own.truncate(&wanted).unwrap();
        let lowest = reached[17 * 17..].iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        assert!(lowest > 0.0, "{way} m: {lowest}");
        assert_eq!(crossings(&sim, &reached), 0);
    }
}

#[test]
fn crowds_of_small_sheets_stay_apart() {
    let Some(device) = common::device() else { return };
    for seed in 0..4 {
        let mut dice = Dice(100 + seed);
        let sim = crowd(&mut dice);
        let mut x = sim.positions().to_vec();
        let mut own = layers(&device, &sim, &x);
        for step in 0..12 {
            // All come together, each a little on its own.
            let middle = Vec3::splat(0.1);
            let wanted: Vec<Vec3> = x.iter().map(|p| *p + 0.3 * (middle - *p) + 0.01 * dice.vector()).collect();
            x = own.truncate(&wanted).unwrap();
            assert_eq!(crossings(&sim, &x), 0, "seed {seed}, step {step}");
        }
        assert!(own.report().unwrap().cut_in_all > 0);
    }
}

#[test]
fn the_same_movement_is_cut_to_the_same_bits() {
    let Some(device) = common::device() else { return };
    let (sim, x) = folded(24);
    let run = || {
        let mut dice = Dice(3);
        let mut own = layers(&device, &sim, &x);
        let mut x = x.clone();
        let mut forces = Vec::new();
        for _ in 0..4 {
            let wanted = waves(&mut dice, &x, 0.006, 0.1);
            own.contacts(&wanted).unwrap();
            forces.extend(own.respond(&x).unwrap().0);
            x = own.truncate(&wanted).unwrap();
        }
        x.iter().chain(&forces).flat_map(|p| p.to_array().map(f64::to_bits)).collect::<Vec<u64>>()
    };
    let first = run();
    assert_eq!(first, run());
}

#[test]
fn a_position_that_is_not_finite_stays_visible_and_stops_nobody_else() {
    let Some(device) = common::device() else { return };
    let sim = stack(2, 4);
    let x = sim.positions().to_vec();
    let mut own = layers(&device, &sim, &x);
    let mut wanted: Vec<Vec3> = x.iter().map(|p| *p + Vec3::Y * 0.01).collect();
    wanted[3] = Vec3::NAN;
    let reached = own.truncate(&wanted).unwrap();
    assert_eq!(own.report().unwrap().lost, 1);
    assert!(reached[3].is_nan());
    assert!(reached.iter().enumerate().all(|(v, p)| v == 3 || p.is_finite()));
}

#[test]
fn what_is_not_kept_apart_on_a_device_is_refused_by_name() {
    let Some(device) = common::device() else { return };
    let water = FluidMaterial { spacing: 0.05, ..FluidMaterial::default() };
    let drop = pliant::mesh::generate::particle_block(Vec3::splat(0.2), water.spacing).unwrap();
    let sim = Simulation::builder().body(Body::fluid(&drop, &water).unwrap()).build().unwrap();
    let refused = GpuLayers::new(&device, sim.model(), &SelfCollision::default(), 3600.0, sim.positions());
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("self-collision"), "{error}");
}

#[test]
fn strands_do_not_pass_through_each_other_or_a_sheet() {
    let Some(device) = common::device() else { return };
    let strand = |name: &str, way: Vec3, height: f64| {
        let line = rope(0.1 * way + Vec3::Y * height, -0.1 * way + Vec3::Y * height, 11).unwrap();
        Body::strands(&line, &pliant::presets::strand("cord").unwrap()).unwrap().named(name)
    };
    // One along x, one along z over it, and a sheet below both.
    let cloth = Body::cloth(&sheet(8, 0.3), &ClothMaterial::default()).unwrap().named("cloth");
    let world = Simulation::builder().body(strand("lower", Vec3::X, 0.02)).body(strand("upper", Vec3::Z, 0.03));
    let sim = world.body(cloth).build().unwrap();
    let mut x = sim.positions().to_vec();
    let mut own = layers(&device, &sim, &x);
    for _ in 0..3 {
        let wanted: Vec<Vec3> = (0..x.len()).map(|v| x[v] - Vec3::Y * if v < 24 { 0.04 } else { 0.0 }).collect();
        let wanted: Vec<Vec3> =
            (0..x.len()).map(|v| wanted[v] - Vec3::Y * if v / 12 == 1 { 0.03 } else { 0.0 }).collect();
        x = own.truncate(&wanted).unwrap();
        assert_eq!(crossings(&sim, &x), 0);
        // Where they cross, each segment is half-way between its ends.
        let [lower, upper] = [5, 17].map(|v| 0.5 * (x[v].y + x[v + 1].y));
        assert!(0.0 < lower && lower < upper, "{lower} {upper}");
    }
    assert!(own.report().unwrap().cut_in_all > 0);
    // Strands touch each other also at their vertices.
    let contacts = own.contacts(&x).unwrap();
    assert!(contacts.iter().any(|contact| contact.vertices.iter().all(|v| *v < 24)), "{contacts:?}");
}
