//! Worlds in which bodies have solvers of their own.
#![allow(clippy::unwrap_used)]

use pliant::mesh::generate::particle_block;
use pliant::prelude::*;
use pliant::solve::ExplicitParams;
use pliant::{ModelError, SimulationBuilder};

fn exact(iterations: usize) -> SolverChoice {
    ProjectiveParams { iterations, precision: Precision::Double, ..ProjectiveParams::default() }.into()
}

fn cube() -> TetMesh {
    TetBox { size: Vec3::splat(0.2), cells: [3, 3, 3], ..TetBox::default() }.mesh().unwrap()
}

fn momentum(sim: &Simulation, body: &str) -> Vec3 {
    let range = sim.body(body).unwrap().vertices.clone();
    range.map(|v| sim.velocities()[v] * sim.model().mass().lumped()[v]).sum()
}

/// Two cubes that fly at each other, not head-on; the second is denser by a factor.
fn crash(ratio: f64, second: Option<SolverChoice>) -> SimulationBuilder {
    let mesh = cube();
    let material = |density| SolidMaterial { youngs_modulus: 1e5, density, ..SolidMaterial::default() };
    let flying = |v: f64| vec![Vec3::X * v; mesh.positions.len()];
    let left = Body::solid(&mesh, &material(1000.0)).unwrap().named("left").with_velocities(flying(1.0));
    let other = mesh.clone().translated(Vec3::new(0.25, 0.05, 0.03));
    let mut right = Body::solid(&other, &material(1000.0 * ratio)).unwrap().named("right");
    right = right.with_velocities(flying(-1.0));
    if let Some(solver) = second {
        right = right.with_solver(solver);
    }
    let apart = SelfCollision { thickness: 5e-3, ..SelfCollision::default() };
    let builder = Simulation::builder().body(left).body(right).solver(exact(20)).gravity(Vec3::ZERO);
    builder.time_step(1.0 / 120.0).self_collision(apart)
}

/// Largest change of the total momentum over the sum of magnitudes, and of both sides' gains over the larger, after some steps.
fn crashed(sim: &mut Simulation, steps: usize) -> (f64, f64) {
    let sizes = sim.velocities().iter().zip(sim.model().mass().lumped());
    let size: f64 = sizes.map(|(v, m)| v.length() * m).sum();
    let before = ["left", "right"].map(|body| momentum(sim, body));
    let (mut lost, mut unequal) = (0.0_f64, 0.0_f64);
    for _ in 0..steps {
        sim.step().unwrap();
        let gains = [0, 1].map(|k| momentum(sim, ["left", "right"][k]) - before[k]);
        let sum = gains[0] + gains[1];
        lost = lost.max(sum.length() / size);
        let impulse = gains[0].length().max(gains[1].length());
        if impulse > 0.01 * size {
            unequal = unequal.max(sum.length() / impulse);
        }
    }
    (lost, unequal)
}

#[test]
fn momentum_is_kept_between_groups_at_any_ratio_of_masses() {
    for ratio in [0.01, 1.0, 100.0] {
        let mut one = crash(ratio, None).build().unwrap();
        let mut two = crash(ratio, Some(exact(21))).build().unwrap();
        assert_eq!((one.solver_count(), two.solver_count()), (1, 2));
        let spin = one.report().angular_momentum;
        crashed(&mut one, 40);
        let (lost, unequal) = crashed(&mut two, 40);
        assert!(lost < 1e-9 && unequal < 1e-12, "1:{ratio}: {lost:e} of the momentum, {unequal:e} of the impulse");
        // Friction acts across the gap in both worlds alike.
        let [alone, apart] = [&one, &two].map(|sim| sim.report().angular_momentum - spin);
        let scale = spin.length();
        assert!((alone - apart).length() < 0.06 * scale, "1:{ratio}: {alone} for {apart}");
        let [alone, apart] = [&one, &two].map(|sim| momentum(sim, "left"));
        let scale = momentum(&crash(ratio, None).build().unwrap(), "left").length();
        assert!(alone.distance(apart) < 0.02 * scale, "1:{ratio}: {alone} for {apart}");
    }
}

#[test]
fn a_newton_group_and_a_position_based_one_keep_it_too() {
    for solver in [NewtonParams::default().into(), SolverChoice::from(PositionBasedParams::default())] {
        let mut sim = crash(1.0, Some(solver)).build().unwrap();
        let (lost, _) = crashed(&mut sim, 40);
        assert!(lost < 1e-9, "{lost:e}");
        let apart = sim.body_positions("right").unwrap()[0].x - sim.body_positions("left").unwrap()[0].x;
        assert!(apart > 0.15, "they passed through each other: {apart} m");
    }
}

/// A sheet that hangs on four ropes, each with a solver of its own where `solvers` has them.
fn swing(solvers: Option<[SolverChoice; 2]>) -> (Sheet, SimulationBuilder) {
    let sheet = Sheet { columns: 10, rows: 10, width: 0.5, height: 0.5, plane: Plane::Xz, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let mut cloth = Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named("cloth");
    if let Some([own, _]) = &solvers {
        cloth = cloth.with_solver(own.clone());
    }
    let mut builder = Simulation::builder().body(cloth).time_step(1.0 / 120.0).substeps(1).solver(exact(60));
    let damping = Damping { drag: 3.0, ..Damping::default() };
    for (k, (i, j)) in [(0, 0), (10, 0), (0, 10), (10, 10)].into_iter().enumerate() {
        let corner = sheet.vertex(i, j);
        let end = mesh.positions[corner as usize];
        let (line, name) = (rope(end + Vec3::Y * 0.4, end, 8).unwrap(), format!("rope {k}"));
        let mut line = Body::strands(&line, &StrandMaterial::default()).unwrap().named(name.clone()).pin([0]);
        if let Some([_, solver]) = &solvers {
            line = line.with_solver(solver.clone());
        }
        builder = builder.body(line).attach(("cloth", corner), (name, 8), 1e4);
    }
    (sheet, builder.damping(damping))
}

#[test]
fn attachments_between_groups_carry_what_hangs_on_them() {
    let newton = SolverChoice::from(NewtonParams { tolerance: 1e-12, ..NewtonParams::default() });
    let position_based = SolverChoice::from(PositionBasedParams { iterations: 40, ..PositionBasedParams::default() });
    let mut middles = Vec::new();
    for solvers in [None, Some([exact(60), newton.clone()]), Some([position_based, newton])] {
        let (sheet, builder) = swing(solvers);
        let mut sim = builder.build().unwrap();
        (0..360).for_each(|_| drop(sim.step().unwrap()));
        let x = sim.positions();
        let gap = x[121 + 8].distance(x[sheet.vertex(0, 0) as usize]);
        assert!(gap < 1e-4, "an end is {gap} m from its corner");
        let held: Vec3 = sim.pin_forces().into_iter().sum();
        let weight = 9.81 * sim.model().mass().lumped().iter().sum::<f64>();
        assert!((held.y / weight - 1.0).abs() < 0.02, "{} N hold {weight} N", held.y);
        middles.push(x[sheet.vertex(5, 5) as usize].y);
    }
    assert!((middles[0] - middles[1]).abs() < 5e-3, "{middles:?}");
}

fn sheet() -> TriangleMesh {
    Sheet { columns: 12, rows: 12, width: 0.6, height: 0.6, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap()
}

/// A slack sheet that is held all around, under a block of water of its own solver.
fn pool_on_cloth() -> SimulationBuilder {
    let canvas = ClothMaterial { youngs_modulus: 2e7, thickness: 5e-4, density: 0.3, ..ClothMaterial::default() };
    let cloth = Body::cloth(&sheet(), &canvas).unwrap().named("cloth");
    let cloth = cloth.pin_where(|p| p.x.abs().max(p.z.abs()) > 0.299);
    let bowl = |t: f64| 1.0 - (t / 0.3).powi(2);
    let slack = cloth.rest().iter().map(|p| Vec3::new(0.9 * p.x, -0.12 * bowl(p.x) * bowl(p.z), 0.9 * p.z)).collect();
    let cloth = cloth.with_positions(slack);
    let block = particle_block(Vec3::new(0.2, 0.16, 0.2), 0.04).unwrap().translated(Vec3::Y * 0.12);
    let water = FluidMaterial { spacing: 0.04, ..FluidMaterial::default() };
    let water = Body::fluid(&block, &water).unwrap().named("water");
    Simulation::builder().body(cloth).body(water)
}

#[test]
fn cloth_that_water_rests_on_stays_stiff_and_carries_its_weight() {
    let mut sim = pool_on_cloth().build().unwrap();
    assert_eq!(sim.solver_count(), 2, "each has what suits it");
    assert!(matches!(sim.solver_of("cloth").unwrap(), SolverChoice::TwoMetric(_)));
    assert!(matches!(sim.solver_of("water").unwrap(), SolverChoice::PositionBased(_)));
    let (mut held, mut count) = (0.0_f64, 0.0);
    let mut seeped = vec![false; sim.body_positions("water").unwrap().len()];
    for step in 0..150 {
        sim.step().unwrap();
        let lowest = sim.body_positions("cloth").unwrap().iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        // What splashes over the rim is beside the sheet when it is below it.
        for (seeped, p) in seeped.iter_mut().zip(sim.body_positions("water").unwrap()) {
            *seeped |= p.y < lowest && p.x.abs().max(p.z.abs()) < 0.27;
        }
        if step >= 90 {
            held += sim.pin_forces().into_iter().sum::<Vec3>().y;
            count += 1.0;
        }
    }
    let weight = 9.81 * sim.model().mass().lumped().iter().sum::<f64>();
    assert!((held / count / weight - 1.0).abs() < 0.05, "{} N hold {weight} N", held / count);
    assert_eq!(seeped.iter().filter(|seeped| **seeped).count(), 0, "particles below the cloth");
    let inside = sim.body_positions("water").unwrap().iter().filter(|p| p.y > -0.3).count();
    assert!(inside >= 90, "{inside} of 100 particles are in the sheet");
    let stretch = sheet().principal_stretches(sim.body_positions("cloth").unwrap()).unwrap();
    let most = stretch.into_iter().map(|[most, _]| most).fold(0.0, f64::max);
    assert!(most < 1.05, "a triangle is {most} times as long");
}

#[test]
fn a_drop_gives_a_free_cloth_of_another_group_the_momentum_that_it_loses() {
    let sheet = Sheet { width: 0.4, height: 0.4, columns: 8, rows: 8, plane: Plane::Xz, ..Sheet::default() };
    let cloth = Body::cloth(&sheet.mesh().unwrap(), &ClothMaterial::default()).unwrap().named("cloth");
    let block = particle_block(Vec3::splat(0.16), 0.04).unwrap().translated(Vec3::Y * 0.12);
    let count = block.positions.len();
    let water = Body::fluid(&block, &FluidMaterial { spacing: 0.04, ..FluidMaterial::default() }).unwrap();
    let water = water.named("water").with_velocities(vec![Vec3::Y * -1.0; count]);
    let builder = Simulation::builder().body(cloth.with_solver(exact(20))).body(water).gravity(Vec3::ZERO);
    let mut sim = builder.time_step(0.005).build().unwrap();
    let before = sim.report().momentum;
    (0..30).for_each(|_| drop(sim.step().unwrap()));
    let after = sim.report().momentum;
    assert!(momentum(&sim, "cloth").y < -0.2 * 9.81e-3, "the cloth is carried along");
    assert!((after - before).length() < 1e-9 * before.length(), "{before} became {after}");
}

#[test]
fn a_world_of_groups_goes_on_from_a_checkpoint_and_has_the_same_bits_on_any_threads() {
    let worlds: [fn() -> SimulationBuilder; 3] = [
        pool_on_cloth,
        || swing(Some([exact(20), NewtonParams::default().into()])).1,
        || crash(1.0, Some(SolverChoice::from(PositionBasedParams::default()))),
    ];
    for world in worlds {
        let mut sim = world().threads(1).build().unwrap();
        (0..14).for_each(|_| drop(sim.step().unwrap()));
        let saved = Checkpoint::from_bytes(&sim.checkpoint().to_bytes()).unwrap();
        (0..6).for_each(|_| drop(sim.step().unwrap()));
        let mut resumed = world().threads(4).build().unwrap();
        resumed.restore(&saved).unwrap();
        (0..6).for_each(|_| drop(resumed.step().unwrap()));
        assert_eq!(sim.positions(), resumed.positions());
        assert_eq!(sim.velocities(), resumed.velocities());
    }
}

#[test]
fn attached_bodies_share_a_solver_unless_each_names_its_own() {
    let line = |name: &str, y: f64| {
        let line = rope(Vec3::Y * y, Vec3::new(1.0, y, 0.0), 4).unwrap();
        Body::strands(&line, &StrandMaterial::default()).unwrap().named(name.to_owned())
    };
    let solver = |sim: &Simulation, body: &str| sim.solver_of(body).unwrap().to_string();
    let builder = || Simulation::builder().attach(("a", 0), ("b", 0), 1e3).solver(exact(10));
    // The one that names none goes with the one that does.
    let sim = builder().body(line("a", 0.0).with_solver(NewtonParams::default())).body(line("b", 0.1)).build().unwrap();
    assert_eq!((sim.solver_count(), solver(&sim, "b")), (1, solver(&sim, "a")));
    let named = |name: &str, y, solver: &SolverChoice| line(name, y).with_solver(solver.clone());
    let (newton, projective) = (SolverChoice::from(NewtonParams::default()), exact(12));
    let sim = builder().body(named("a", 0.0, &newton)).body(named("b", 0.1, &projective)).build().unwrap();
    assert_eq!(sim.solver_count(), 2);
    // The same parameters are the same solver.
    let sim = builder().body(named("a", 0.0, &exact(10))).body(line("b", 0.1)).body(line("c", 0.2)).build().unwrap();
    assert_eq!(sim.solver_count(), 1);
    // What is not attached keeps the solver of the world.
    let sim = builder().body(named("a", 0.0, &newton)).body(line("b", 0.1)).body(line("c", 0.2)).build().unwrap();
    assert_eq!((sim.solver_count(), solver(&sim, "c")), (2, exact(10).to_string()));
}

#[test]
fn a_body_whose_solver_does_not_support_it_is_named() {
    let water = |solver: SolverChoice| {
        let block = particle_block(Vec3::splat(0.2), 0.1).unwrap();
        let water = FluidMaterial { spacing: 0.1, ..FluidMaterial::default() };
        Body::fluid(&block, &water).unwrap().named("water").with_solver(solver)
    };
    let cloth = || {
        let sheet = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh().unwrap();
        Body::cloth(&sheet, &ClothMaterial::default()).unwrap().named("cloth")
    };
    let error = Simulation::builder().body(cloth()).body(water(exact(10))).build().unwrap_err();
    assert!(matches!(&error, ModelError::UnsupportedConstraint { body, .. } if body == "water"), "{error}");
    let bad = ProjectiveParams { tolerance: f64::NAN, ..ProjectiveParams::default() };
    let error = Simulation::builder().body(cloth().with_solver(bad)).build().unwrap_err();
    assert_eq!(error.to_string(), "solver tolerance is NaN, but must be at least 0");
    let error = Simulation::builder().body(cloth().with_solver(ExplicitParams::default()));
    let error = error.body(water(SolverChoice::Auto)).integrator(TimeIntegrator::Bdf2).build().unwrap_err();
    assert!(matches!(error, ModelError::ExplicitIntegrator(_)), "{error}");
    // A solver that does not serve the rest of the world changes nothing.
    let mut sim = Simulation::builder().body(cloth()).body(water(SolverChoice::Auto)).build().unwrap();
    let before = sim.solver_of("cloth").unwrap().clone();
    assert!(sim.set_solver(FollowLeaderParams::default()).is_err());
    assert_eq!(*sim.solver_of("cloth").unwrap(), before);
    sim.set_solver(exact(10)).unwrap();
    assert_eq!((sim.solver_count(), sim.solver_of("cloth").unwrap()), (2, &exact(10)));
    sim.step().unwrap();
}
