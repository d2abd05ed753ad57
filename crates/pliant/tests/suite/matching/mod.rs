//! Shape matching in a world: periods, momentum, limits, bits.
#![allow(clippy::unwrap_used)]

mod cloth;
mod cloth_levels;
mod fracture;
mod plasticity;
mod volume;

use pliant::mesh::PointSet;
use pliant::prelude::*;
use pliant::{ModelError, RegionError};

mod chains;

fn iterations(iterations: usize) -> PositionBasedParams {
    PositionBasedParams { iterations, ..PositionBasedParams::default() }
}

/// A block of particles of 0.1 kg, 0.1 m apart, about the origin.
fn block(counts: [usize; 3]) -> PointSet {
    let [nx, ny, nz] = counts;
    let cells = (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| [i, j, k])));
    let middle = Vec3::from(counts.map(|n| 0.5 * (n as f64 - 1.0)));
    PointSet { positions: cells.map(|cell| (Vec3::from(cell.map(|c| c as f64)) - middle) * 0.1).collect() }
}

fn body(points: &PointSet, matching: Matching) -> Body {
    Body::points(points, 0.1).with_matching(matching)
}

/// The method of 2005: springs and no limits.
fn springs(regions: Regions, alpha: f64) -> Matching {
    Matching { spring: Spring::Share(alpha), limit: None, ..Matching::new(regions) }
}

#[test]
fn a_stretched_shape_swings_with_the_period_of_alpha_and_is_not_damped() {
    let (points, h, alpha) = (block([4, 4, 4]), 1.0 / 60.0, 0.3);
    let stretched = points.positions.iter().map(|p| *p * Vec3::new(1.2, 1.0, 1.0)).collect();
    let cube = body(&points, springs(Regions::whole(64), alpha)).with_positions(stretched);
    let world = Simulation::builder().body(cube).gravity(Vec3::ZERO).solver(iterations(3)).time_step(h);
    let mut sim = world.build().unwrap();
    let extension = |sim: &Simulation| sim.positions()[63].x / points.positions[63].x - 1.0;
    let (mut crossings, mut largest, mut last) = (Vec::new(), 0.0_f64, extension(&sim));
    for step in 1..=2000 {
        sim.step().unwrap();
        let now = extension(&sim);
        if last < 0.0 && now >= 0.0 {
            crossings.push(f64::from(step) - now / (now - last));
        }
        if step > 1900 {
            largest = largest.max(now.abs());
        }
        last = now;
    }
    let periods = (crossings.len() - 1) as f64;
    let period = (crossings[crossings.len() - 1] - crossings[0]) / periods;
    let exact = std::f64::consts::TAU / (1.0 - 0.5 * alpha).acos();
    println!("period {period} for {exact} steps, amplitude {largest} for 0.2");
    assert!((period - exact).abs() < 1e-3 * exact, "{period} for {exact}");
    assert!((exact - 11.325).abs() < 5e-4);
    assert!((0.19..0.225).contains(&largest), "{largest}");
}

/// Seconds from swing to swing of a cube that was stretched by a fifth, by the times at which it has its length on its way out.
fn period(spring: Spring, h: f64) -> f64 {
    let points = block([3, 3, 3]);
    let stretched = points.positions.iter().map(|p| *p * Vec3::new(1.2, 1.0, 1.0)).collect();
    let matching = Matching { spring, limit: None, ..Matching::new(Regions::whole(27)) };
    let cube = body(&points, matching).with_positions(stretched);
    let world = Simulation::builder().body(cube).gravity(Vec3::ZERO).solver(iterations(1)).time_step(h);
    let mut sim = world.build().unwrap();
    let extension = |sim: &Simulation| sim.positions()[26].x / points.positions[26].x - 1.0;
    let (mut crossings, mut last) = (Vec::new(), extension(&sim));
    while sim.time() < 5.0 {
        sim.step().unwrap();
        let now = extension(&sim);
        if last < 0.0 && now >= 0.0 {
            crossings.push(sim.time() - h * now / (now - last));
        }
        last = now;
    }
    (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64
}

#[test]
fn a_spring_of_a_frequency_swings_with_it_at_every_time_step() {
    for hertz in [1.0, 4.0] {
        for h in [1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0] {
            let found = period(Spring::Frequency(hertz), h);
            println!("{hertz} Hz in steps of {h} s: a period of {found} s");
            assert!((found * hertz - 1.0).abs() < 2e-3, "{hertz} Hz in steps of {h} s: a period of {found} s");
        }
    }
    // Faster than once in six steps it does not swing: a step ends at the goal, and never beyond.
    for (hertz, h) in [(10.0, 1.0 / 60.0), (20.0, 1.0 / 60.0), (1e6, 0.01)] {
        assert!((Spring::Frequency(hertz).share(h) - 1.0).abs() < 1e-12, "{hertz} Hz in steps of {h} s");
    }
    // A share is of a step, so that its swings are not.
    let [coarse, fine] = [1.0 / 30.0, 1.0 / 60.0].map(|h| period(Spring::Share(0.1), h));
    assert!((coarse / fine - 2.0).abs() < 4e-3, "{coarse} s and {fine} s");
}

#[test]
fn springs_of_overlapping_regions_keep_momentum_and_angular_momentum() {
    let points = block([6, 4, 3]);
    let regions = Regions::random(&points.positions, 0.17, 1).unwrap();
    assert!(regions.len() > 5);
    for modes in [Modes::Rigid, Modes::Linear(0.5), Modes::Quadratic(0.5)] {
        let matching = Matching { modes, ..springs(regions.clone(), 0.4) };
        let velocities =
            points.positions.iter().map(|p| Vec3::new(1.0, 2.0, -0.5) + Vec3::new(1.0, 3.0, 2.0).cross(*p));
        let twisted = points.positions.iter().map(|p| Quat::from_rotation_x(p.x) * *p).collect();
        let cube = body(&points, matching).with_positions(twisted).with_velocities(velocities.collect());
        let world = Simulation::builder().body(cube).gravity(Vec3::ZERO).solver(iterations(3));
        let mut sim = world.build().unwrap();
        let before = sim.report();
        for _ in 0..200 {
            sim.step().unwrap();
        }
        let after = sim.report();
        let (p, l) = (after.momentum - before.momentum, after.angular_momentum - before.angular_momentum);
        assert!(p.length() < 1e-10 * before.momentum.length(), "{modes:?}: {p}");
        assert!(l.length() < 1e-9 * before.angular_momentum.length(), "{modes:?}: {l}");
    }
}

/// Particles that reach their limits pull at the body; without its answer, momentum was kept only where none did.
#[test]
fn limits_keep_momentum_and_angular_momentum() {
    let points = block([6, 4, 3]);
    let lattice = pliant::Lattice::block([6, 4, 3], 0.1).unwrap();
    for (regions, points) in
        [(Regions::random(&points.positions, 0.17, 1).unwrap(), points.clone()), (lattice.regions(1), lattice.points())]
    {
        let matching = Matching { spring: Spring::Share(0.0), limit: Some(0.05), ..Matching::new(regions) };
        let centre = points.positions.iter().sum::<Vec3>() / points.positions.len() as f64;
        let velocities: Vec<Vec3> =
            points.positions.iter().map(|p| Vec3::new(1.0, 2.0, -0.5) + Vec3::new(1.0, 3.0, 2.0).cross(*p)).collect();
        // More at one end than at the other, and round.
        let bent = |p: &Vec3| {
            let r = *p - centre;
            centre + r * Vec3::new(1.0 + r.x, 0.9, 1.0) + Vec3::new(0.0, r.x * r.x, r.x * r.y)
        };
        let start: Vec<Vec3> = points.positions.iter().map(bent).collect();
        let cube = body(&points, matching).with_positions(start.clone()).with_velocities(velocities.clone());
        let mut sim = Simulation::builder().body(cube).gravity(Vec3::ZERO).solver(iterations(1)).build().unwrap();
        let (before, given) = (sim.report().momentum, velocities.clone());
        sim.step().unwrap();
        let changed = sim.velocities().iter().zip(&velocities).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(changed > 0.1, "limits have moved it: {changed} m/s");
        let momentum = sim.report().momentum;
        assert!((momentum - before).length() < 1e-10 * before.length(), "{before} to {momentum}");
        // About where particles were when they were moved.
        let moment = |velocities: &[Vec3]| -> Vec3 {
            let places = start.iter().zip(&given).map(|(x, v)| *x + *v * sim.time_step()).collect::<Vec<_>>();
            let masses = sim.model().mass().lumped();
            places.iter().zip(velocities).zip(masses).map(|((x, v), m)| (*x - centre).cross(*v) * *m).sum()
        };
        let [then, now] = [moment(&velocities), moment(sim.velocities())];
        assert!((now - then).length() < 1e-9 * then.length(), "{then} to {now}");
    }
}

/// It fell by 1.5 m from its handle, and by 3.6 m as an octree.
#[test]
fn a_matched_body_hangs_by_one_handle() {
    let points = block([4, 4, 4]);
    let cube = body(&points, Matching::new(Regions::balanced(&points.positions, 0.2).unwrap()));
    let handle = pliant::energy::PositionGoals { vertices: vec![0], goals: None, stiffness: 1e4 };
    let energy = handle.build(cube.rest()).unwrap();
    let mut sim = Simulation::builder().body(cube.with_energy(energy)).build().unwrap();
    let place = sim.positions()[0];
    let farthest = points.positions.iter().map(|p| p.distance(place)).fold(0.0, f64::max);
    (0..180).for_each(|_| drop(sim.step().unwrap()));
    let now = sim.positions();
    assert!(now[0].distance(place) < 0.02, "{}", now[0]);
    let reach = now.iter().map(|p| p.distance(now[0])).fold(0.0, f64::max);
    assert!(reach < 1.3 * farthest, "{reach} m of {farthest} m");
}

#[test]
fn goals_of_ring_regions_have_the_momentum_of_the_particles() {
    let mesh = Sheet { columns: 6, rows: 5, ..Sheet::default() }.mesh().unwrap();
    let edges: Vec<[u32; 2]> = mesh.edges();
    let regions = Regions::rings(mesh.positions.len(), &edges, 2).unwrap();
    let points = PointSet { positions: mesh.positions.clone() };
    let bent: Vec<Vec3> = mesh.positions.iter().map(|p| *p + Vec3::Y * 0.3 * p.x * p.x).collect();
    let sheet = body(&points, springs(regions, 1.0)).with_positions(bent.clone());
    let world = Simulation::builder().body(sheet).gravity(Vec3::ZERO).solver(iterations(0)).time_step(1.0);
    let mut sim = world.build().unwrap();
    sim.step().unwrap();
    let moved: Vec3 = sim.positions().iter().zip(&bent).map(|(after, before)| (*after - *before) * 0.1).sum();
    let farthest = sim.positions().iter().zip(&bent).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
    assert!(farthest > 1e-3 && moved.length() < 1e-12, "{farthest} {moved}");
}

#[test]
fn limits_leave_small_strains_alone_and_take_back_large_ones() {
    let points = block([5, 5, 5]);
    let regions = Regions::balanced(&points.positions, 0.2).unwrap();
    let after = |stretch: f64, limit: Option<f64>| {
        let stretched: Vec<Vec3> = points.positions.iter().map(|p| *p * Vec3::new(stretch, 1.0, 1.0)).collect();
        let matching = Matching { spring: Spring::Share(0.0), limit, ..Matching::new(regions.clone()) };
        let cube = body(&points, matching).with_positions(stretched);
        let world = Simulation::builder().body(cube).gravity(Vec3::ZERO).solver(iterations(5));
        let mut sim = world.build().unwrap();
        sim.step().unwrap();
        sim.positions()[124].x / points.positions[124].x
    };
    assert!((after(1.05, Some(0.3)) - 1.05).abs() < 1e-12, "small strains");
    assert!(after(1.8, Some(0.1)) < 1.5, "large strains: {}", after(1.8, Some(0.1)));
    assert!((after(1.8, None) - 1.8).abs() < 1e-12, "no limit");
    // α = γ = 0 is position-based dynamics: the shape itself is the constraint.
    assert!((after(1.05, Some(0.0)) - 1.0).abs() < 0.02, "{}", after(1.05, Some(0.0)));
}

#[test]
fn damped_springs_come_to_rest_and_keep_turning() {
    let points = block([4, 4, 4]);
    let stretched: Vec<Vec3> = points.positions.iter().map(|p| *p * Vec3::new(1.2, 1.0, 1.0)).collect();
    let spin = Vec3::new(0.0, 2.0, 0.0);
    let velocities = stretched.iter().map(|p| spin.cross(*p)).collect();
    let matching = Matching { damping: 3.0, ..springs(Regions::whole(64), 0.3) };
    let cube = body(&points, matching).with_positions(stretched).with_velocities(velocities);
    let mut sim = Simulation::builder().body(cube).gravity(Vec3::ZERO).solver(iterations(3)).build().unwrap();
    let before = sim.report().angular_momentum;
    for _ in 0..600 {
        sim.step().unwrap();
    }
    let after = sim.report();
    assert!((after.angular_momentum - before).length() < 1e-9 * before.length(), "{}", after.angular_momentum);
    // What is left moves as a rigid body: kinetic energy is ½ L·ω.
    let inertia: f64 = sim.positions().iter().map(|p| 0.1 * (p.x * p.x + p.z * p.z)).sum();
    let rigid = 0.5 * after.angular_momentum.y.powi(2) / inertia;
    assert!((after.kinetic - rigid).abs() < 0.01 * rigid, "{} for {rigid}", after.kinetic);
}

#[test]
fn larger_regions_are_stiffer() {
    // Bender 2014, Figure 16: a bar that is held at one end sags less the wider its regions are.
    let points = block([16, 3, 3]);
    let edges: Vec<[u32; 2]> = (0..144u32)
        .flat_map(|a| (a + 1..144).map(move |b| [a, b]))
        .filter(|&[a, b]| points.positions[a as usize].distance(points.positions[b as usize]) < 0.101)
        .collect();
    let sag = |width: usize| {
        let regions = Regions::rings(144, &edges, width).unwrap();
        let matching = Matching { damping: 4.0, ..springs(regions, 0.5) };
        let bar = body(&points, matching).pin_where(|p| p.x < -0.74);
        let mut sim = Simulation::builder().body(bar).gravity(Vec3::NEG_Y * 0.1).solver(iterations(1)).build().unwrap();
        for _ in 0..400 {
            sim.step().unwrap();
        }
        points.positions[143].y - sim.positions()[143].y
    };
    let sags = [1, 2, 3, 5].map(sag);
    println!("sag by width 1, 2, 3, 5: {sags:?}");
    assert!(sags.windows(2).all(|pair| pair[1] < 0.8 * pair[0]), "{sags:?}");
}

#[test]
fn threads_and_checkpoints_do_not_change_a_bit() {
    let points = block([12, 10, 9]);
    let world = |threads: usize| {
        let regions = Regions::random(&points.positions, 0.17, 5).unwrap();
        let matching = Matching { damping: 1.0, limit: Some(0.1), ..Matching::new(regions) };
        let ground = Collider::new(Shape::Plane).at(Vec3::NEG_Y * 0.6);
        let builder = Simulation::builder().body(body(&points, matching)).collider(ground);
        builder.solver(iterations(3)).threads(threads).build().unwrap()
    };
    let (mut one, mut two) = (world(1), world(2));
    let mut saved = None;
    for step in 0..40 {
        if step == 20 {
            saved = Some(one.checkpoint());
        }
        one.step().unwrap();
        two.step().unwrap();
    }
    assert_eq!(one.state(), two.state());
    two.restore(&saved.unwrap()).unwrap();
    for _ in 20..40 {
        two.step().unwrap();
    }
    assert_eq!(one.state(), two.state());
}

#[test]
fn solvers_and_numbers_that_do_not_fit_are_refused() {
    let points = block([3, 3, 3]);
    let built = |matching: Matching| Simulation::builder().body(body(&points, matching).named("cube"));
    let whole = || Matching::new(Regions::whole(27));
    let refused = built(whole()).solver(ProjectiveParams::default()).build().unwrap_err();
    assert!(matches!(refused, ModelError::UnsupportedConstraint { kind: "matching", .. }), "{refused}");
    let with = |matching: Matching| built(matching).solver(iterations(2)).build().unwrap_err().to_string();
    assert!(with(Matching { spring: Spring::Share(1.5), ..whole() }).contains("1.5"));
    assert!(with(Matching { relaxation: 2.5, ..whole() }).contains("2.5"));
    assert!(with(Matching { limit: Some(f64::NAN), ..whole() }).contains("NaN"));
    let soft = pliant::Plasticity { yield_strain: -0.5, creep: 1.0, maximum: 1.0 };
    assert!(with(Matching { plasticity: Some(soft), ..whole() }).contains("yield strain is -0.5"));
    let few = built(Matching::new(Regions::whole(20))).solver(iterations(2)).build().unwrap_err();
    let loose = ModelError::Regions { body: "cube".to_owned(), error: RegionError::Loose { particle: 20 } };
    assert_eq!(few.to_string(), loose.to_string());
}
