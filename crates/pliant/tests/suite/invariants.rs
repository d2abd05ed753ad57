//! Truths of the projective solver that hold for every energy (listed in the design notes as invariants of the core).
#![allow(clippy::unwrap_used)]

use pliant::energy::LIST;
use pliant::mesh::Simplices;
use pliant::prelude::*;
use pliant::solve::SolverChoice;

const LBFGS: Acceleration = Acceleration::Lbfgs { history: 5 };

/// A specimen of each energy as a simulation without gravity, started from a strongly deformed state that moves.
fn specimen_worlds() -> Vec<(String, Simulation)> {
    let mut worlds = Vec::new();
    for info in LIST {
        for (k, specimen) in info.specimens.iter().enumerate() {
            let specimen = specimen().unwrap();
            let masses = (0..specimen.rest.len() as u32).map(|v| (v, v, 0.5 + 0.1 * f64::from(v))).collect();
            let moved = deformed(&specimen.rest, 0.6);
            let velocities = deformed(&vec![Vec3::ZERO; specimen.rest.len()], 3.0);
            let body = Body::new(specimen.rest, masses)
                .with_energy(specimen.batch)
                .with_positions(moved)
                .with_velocities(velocities);
            let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(0.1);
            let sim = builder.solver(ProjectiveParams::default()).build().unwrap();
            worlds.push((format!("{} specimen {k}", info.key), sim));
        }
    }
    worlds
}

/// Positions moved by a fixed, irregular field.
fn deformed(rest: &[Vec3], size: f64) -> Vec<Vec3> {
    let wave = |k: f64| Vec3::new((k * 12.9).sin(), (k * 7.3 + 1.0).sin(), (k * 4.1 + 2.0).sin());
    rest.iter().enumerate().map(|(k, p)| *p + wave(k as f64 + 1.0) * size).collect()
}

/// Cloth, solid and rope, attached to each other, with pins, goals, volume, bending and strain limits: more than 500 vertices.
fn mixed_world(threads: usize) -> Simulation {
    let sheet = Sheet { width: 1.0, height: 1.0, columns: 14, rows: 14, ..Sheet::default() };
    let cloth = ClothMaterial {
        bend_model: BendModel::Hinge,
        poisson_ratio: 0.3,
        youngs_modulus: 1e6,
        bending_stiffness: Some(1e-3),
        strain_limit: Some(StrainLimit { set: StrainSet::Limits { min: 0.9, max: 1.02 }, youngs_modulus: 4e6 }),
        ..ClothMaterial::default()
    };
    let top = [sheet.vertex(0, 14), sheet.vertex(14, 14)];
    let mesh = sheet.mesh().unwrap();
    // Waves, so that nothing balances on the point of buckling.
    let wavy = mesh.positions.iter().map(|p| *p + Vec3::Z * (0.05 * (9.0 * p.x + 4.0 * p.y).sin())).collect();
    let cloth = Body::cloth(&mesh, &cloth).unwrap().named("cloth").pin(top).with_positions(wavy);
    let bar = TetBox { size: Vec3::new(0.6, 0.1, 0.1), cells: [12, 4, 4], ..TetBox::default() };
    let (end, mesh) = (bar.vertex([0, 4, 2]), bar.mesh().unwrap().translated(Vec3::new(-0.2, -0.55, 0.0)));
    let material = SolidMaterial { density: 50.0, ..SolidMaterial::default() };
    let bar = Body::solid(&mesh, &material).unwrap().named("bar");
    let cord = rope(Vec3::new(0.5, -0.5, 0.0), Vec3::new(0.5, -0.5, 0.8), 20).unwrap();
    let cord = Body::strands(&cord, &StrandMaterial::default()).unwrap().named("rope");
    Simulation::builder()
        .body(cloth)
        .body(bar)
        .body(cord)
        .attach(("cloth", sheet.vertex(0, 0)), ("bar", end), 500.0)
        .attach(("cloth", sheet.vertex(14, 0)), ("rope", 0), 500.0)
        .time_step(1.0 / 120.0)
        .threads(threads)
        .build()
        .unwrap()
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((*a - *b).length()))
}

#[test]
fn linear_momentum_is_exact_after_every_iteration() {
    let mesh = TetBox { cells: [4, 3, 3], ..TetBox::default() }.mesh().unwrap();
    let velocities = deformed(&vec![Vec3::X; mesh.positions.len()], 2.0);
    // In f32 each step has the rounding of its solve.
    for (iterations, precision, tolerance) in
        [1, 2, 3, 7, 20].into_iter().flat_map(|n| [(n, Precision::Double, 1e-12), (n, Precision::Single, 1e-6)])
    {
        let plain = ProjectiveParams { precision, ..ProjectiveParams::plain(iterations) };
        let accelerated = ProjectiveParams { iterations, precision, ..Default::default() };
        let quasi_newton = ProjectiveParams { acceleration: LBFGS, ..accelerated.clone() };
        for solver in [plain, accelerated, quasi_newton] {
            let body = Body::solid(&mesh, &SolidMaterial::default()).unwrap().with_velocities(velocities.clone());
            let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).solver(solver);
            let mut sim = builder.build().unwrap();
            let before = sim.report().momentum;
            sim.step().unwrap();
            let after = sim.report().momentum;
            let error = (after - before).length() / before.length();
            assert!(error < tolerance, "{iterations} iterations, {precision:?}: relative error {error:e}");
        }
    }
}

#[test]
fn internal_torque_vanishes_at_convergence_only() {
    let torque = |iterations: usize| {
        let mesh = TetBox { cells: [3, 2, 2], ..TetBox::default() }.mesh().unwrap();
        let velocities = deformed(&vec![Vec3::ZERO; mesh.positions.len()], 3.0);
        let body = Body::solid(&mesh, &SolidMaterial::default()).unwrap().with_velocities(velocities);
        let mut sim = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(0.05).build().unwrap();
        let problem = sim.next_problem().unwrap();
        let s = problem.start(Start::Predicted).to_vec();
        let mut q = s.clone();
        problem.solve(&ProjectiveParams::plain(iterations).into(), &mut q).unwrap();
        let masses = problem.model().mass().lumped();
        let each = |i: usize| q[i].cross(q[i] - s[i]) * masses[i];
        let sum = (0..q.len()).fold(Vec3::ZERO, |sum, i| sum + each(i));
        sum.length() / (0..q.len()).map(|i| each(i).length()).sum::<f64>()
    };
    assert!(torque(3) > 1e-5, "3 iterations: {:e}", torque(3));
    assert!(torque(1500) < 1e-9, "1500 iterations: {:e}", torque(1500));
}

#[test]
fn implicit_euler_changes_angular_momentum_as_its_recursion_says() {
    let mesh = TetBox { cells: [3, 2, 2], ..TetBox::default() }.mesh().unwrap();
    let spin = mesh.positions.iter().map(|p| Vec3::new(1.0, 5.0, 2.0).cross(*p)).collect();
    let body = Body::solid(&mesh, &SolidMaterial::default()).unwrap().with_velocities(spin);
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).solver(NewtonParams::default());
    let mut sim = builder.build().unwrap();
    for _ in 0..20 {
        let (v, l) = (sim.velocities().to_vec(), sim.report().angular_momentum);
        sim.step().unwrap();
        let masses = sim.model().mass().lumped();
        let change = (0..v.len()).fold(Vec3::ZERO, |sum, i| sum + sim.velocities()[i].cross(v[i]) * masses[i]);
        let expected = l + change * sim.time_step();
        let error = (sim.report().angular_momentum - expected).length() / l.length();
        assert!(error < 1e-6, "relative error {error:e}");
    }
}

#[test]
fn plain_local_global_never_raises_g_after_a_half_step() {
    let check = |name: &str, sim: &mut Simulation| {
        let mut scale = 0.0_f64;
        for _ in 0..3 {
            let problem = sim.next_problem().unwrap();
            let mut x = problem.start(Start::Predicted).to_vec();
            let params = ProjectiveParams { record: true, ..ProjectiveParams::plain(40) };
            let report = problem.solve(&params.into(), &mut x).unwrap();
            // A specimen that has come to rest has no g to compare with; the first step has.
            scale = scale.max(report.history[0]);
            assert!(scale > 1e-3, "{name} is not deformed: g = {scale:e}");
            for (k, pair) in report.history.windows(2).enumerate() {
                let rise = pair[1] - pair[0];
                assert!(rise <= 1e-12 * scale, "{name}: g rose by {rise:e} in half-step {k}");
            }
            sim.step().unwrap();
        }
    };
    for (name, mut sim) in specimen_worlds() {
        check(&name, &mut sim);
    }
    check("mixed world", &mut mixed_world(2));
}

#[test]
fn safeguarded_anderson_never_raises_g_after_an_iteration() {
    let check = |name: &str, sim: &mut Simulation| {
        let problem = sim.next_problem().unwrap();
        let mut x = problem.start(Start::Predicted).to_vec();
        let params = ProjectiveParams { record: true, iterations: 60, tolerance: 0.0, ..Default::default() };
        let report = problem.solve(&params.into(), &mut x).unwrap();
        for (k, pair) in report.history.windows(2).enumerate() {
            let rise = pair[1] - pair[0];
            assert!(rise <= 1e-12 * report.history[0], "{name}: g rose by {rise:e} in iteration {k}");
        }
    };
    for (name, mut sim) in specimen_worlds() {
        check(&name, &mut sim);
    }
    check("mixed world", &mut mixed_world(2));
}

#[test]
fn lbfgs_never_raises_g() {
    let check = |name: &str, sim: &mut Simulation| {
        let problem = sim.next_problem().unwrap();
        let mut x = problem.start(Start::Predicted).to_vec();
        let params = ProjectiveParams { record: true, acceleration: LBFGS, ..ProjectiveParams::plain(60) };
        let report = problem.solve(&params.into(), &mut x).unwrap();
        assert!(report.history.len() > 2, "{name}: {report:?}");
        for (k, pair) in report.history.windows(2).enumerate() {
            let rise = pair[1] - pair[0];
            assert!(rise <= 1e-12 * report.history[0], "{name}: g rose by {rise:e} in iteration {k}");
        }
    };
    for (name, mut sim) in specimen_worlds() {
        check(&name, &mut sim);
    }
    check("mixed world", &mut mixed_world(2));
}

#[test]
fn two_metric_newton_never_raises_g() {
    let check = |name: &str, sim: &mut Simulation| {
        let problem = sim.next_problem().unwrap();
        for preconditioner in [Preconditioner::Factor, Preconditioner::Sum, Preconditioner::Product] {
            let mut x = problem.start(Start::Predicted).to_vec();
            let params =
                TwoMetricParams { record: true, iterations: 12, tolerance: 0.0, preconditioner, ..Default::default() };
            let report = problem.solve(&params.into(), &mut x).unwrap();
            assert!(report.history.len() > 2, "{name}: {report:?}");
            for (k, pair) in report.history.windows(2).enumerate() {
                let rise = pair[1] - pair[0];
                // Once the decrease that is left drowns in the rounding of f32, so may a rise.
                assert!(rise <= 2e-6 * report.history[k], "{name}: g rose by {rise:e} in iteration {k}");
            }
        }
    };
    for (name, mut sim) in specimen_worlds() {
        check(&name, &mut sim);
    }
    check("mixed world", &mut mixed_world(2));
}

#[test]
fn newton_from_the_converged_two_metric_result_stays_there() {
    let check = |name: &str, sim: &mut Simulation| {
        let problem = sim.next_problem().unwrap();
        let mut x = problem.start(Start::Predicted).to_vec();
        let inexact = problem.solve(&TwoMetricParams::converged().into(), &mut x).unwrap();
        let reached = x.clone();
        let newton = problem.solve(&NewtonParams::default().into(), &mut x).unwrap();
        let moved = farthest(&x, &reached) / problem.model().diagonal();
        assert!(newton.converged, "{name}: {newton:?}");
        assert!(moved < 1e-8, "{name}: Newton moved by {moved:e} after {inexact:?}");
    };
    for (name, mut sim) in specimen_worlds() {
        check(&name, &mut sim);
    }
    let mut mixed = mixed_world(2);
    for _ in 0..10 {
        mixed.step().unwrap();
    }
    check("mixed world", &mut mixed);
}

#[test]
fn newton_from_the_converged_projective_result_stays_there() {
    let check = |name: &str, sim: &mut Simulation| {
        let problem = sim.next_problem().unwrap();
        let quasi_newton = ProjectiveParams { acceleration: LBFGS, ..ProjectiveParams::converged() };
        for params in [ProjectiveParams::converged(), quasi_newton] {
            let mut x = problem.start(Start::Predicted).to_vec();
            let projective = problem.solve(&params.into(), &mut x).unwrap();
            let reached = x.clone();
            let newton = problem.solve(&NewtonParams::default().into(), &mut x).unwrap();
            let moved = farthest(&x, &reached) / problem.model().diagonal();
            assert!(newton.converged, "{name}: {newton:?}");
            assert!(moved < 1e-8, "{name}: Newton moved by {moved:e}; projective {projective:?}");
        }
    };
    for (name, mut sim) in specimen_worlds() {
        check(&name, &mut sim);
    }
    let mut mixed = mixed_world(2);
    assert!(mixed.positions().len() >= 500);
    for _ in 0..10 {
        mixed.step().unwrap();
    }
    check("mixed world", &mut mixed);
}

#[test]
fn gradient_of_the_objective_matches_differences() {
    let mut sim = mixed_world(2);
    (0..5).for_each(|_| drop(sim.step().unwrap()));
    let problem = sim.next_problem().unwrap();
    let x = problem.start(Start::Predicted).to_vec();
    let gradient = problem.gradient(&x);
    let size = gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
    for (k, &v) in problem.model().free().iter().enumerate().step_by(37) {
        for c in 0..3 {
            let at = |offset: f64| {
                let mut y = x.clone();
                y[v as usize][c] += offset;
                problem.value(&y)
            };
            let difference = (at(1e-6) - at(-1e-6)) / 2e-6;
            let error = (difference - gradient[k][c]).abs() / size;
            assert!(error < 1e-6, "vertex {v} coordinate {c}: {error:e}");
        }
    }
}

#[test]
fn permuted_constraints_change_nothing_beyond_rounding() {
    let sheet = Sheet { columns: 9, rows: 9, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let run = |reverse: bool| {
        let mut permuted = mesh.clone();
        if reverse {
            permuted.triangles.reverse();
        }
        let body = Body::cloth(&permuted, &ClothMaterial::default()).unwrap().pin([0]);
        let solver = ProjectiveParams { precision: Precision::Double, ..Default::default() };
        let mut sim = Simulation::builder().body(body).solver(solver).build().unwrap();
        (0..20).for_each(|_| drop(sim.step().unwrap()));
        sim.positions().to_vec()
    };
    assert!(farthest(&run(false), &run(true)) < 1e-10);
}

#[test]
fn thread_count_changes_no_bit() {
    let run = |threads: usize, solver: SolverChoice| {
        let mesh = Sheet { columns: 30, rows: 30, ..Sheet::default() }.mesh().unwrap();
        let body = Body::cloth(&mesh, &ClothMaterial::default()).unwrap().pin([0]);
        let mut sim = Simulation::builder().body(body).threads(threads).solver(solver).build().unwrap();
        (0..10).for_each(|_| drop(sim.step().unwrap()));
        sim.checkpoint()
    };
    let newton = NewtonParams { iterations: 3, ..Default::default() };
    let quasi_newton = ProjectiveParams { acceleration: LBFGS, ..Default::default() };
    for solver in [SolverChoice::default(), newton.into(), TwoMetricParams::default().into(), quasi_newton.into()] {
        assert_eq!(run(1, solver.clone()), run(2, solver.clone()));
        assert_eq!(run(1, solver.clone()), run(5, solver));
    }
}

#[test]
fn thread_count_changes_no_bit_of_a_mixed_world() {
    let run = |threads: usize| {
        let mut sim = mixed_world(threads);
        (0..10).for_each(|_| drop(sim.step().unwrap()));
        sim.checkpoint()
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn a_restored_run_continues_bit_for_bit() {
    for integrator in
        [TimeIntegrator::ImplicitEuler, TimeIntegrator::Bdf2, TimeIntegrator::TrBdf2, TimeIntegrator::ImplicitMidpoint]
    {
        let build = || {
            let mesh = Sheet { columns: 8, rows: 8, ..Sheet::default() }.mesh().unwrap();
            let material = ClothMaterial { bend_model: BendModel::Hinge, ..Default::default() };
            let body = Body::cloth(&mesh, &material).unwrap().named("cloth").pin([0]);
            let damping = Damping { stiffness: 1e-3, deformation: 0.1, drag: 0.01, ..Damping::default() };
            Simulation::builder().body(body).integrator(integrator).damping(damping).build().unwrap()
        };
        let mut whole = build();
        whole.move_pin("cloth", 0, Vec3::new(0.0, 0.6, 0.1)).unwrap();
        (0..10).for_each(|_| drop(whole.step().unwrap()));
        let saved = whole.checkpoint().to_bytes();
        (0..10).for_each(|_| drop(whole.step().unwrap()));
        let mut resumed = build();
        resumed.restore(&Checkpoint::from_bytes(&saved).unwrap()).unwrap();
        (0..10).for_each(|_| drop(resumed.step().unwrap()));
        assert_eq!(whole.checkpoint(), resumed.checkpoint(), "{integrator:?}");
    }
}

#[test]
fn consistent_masses_move_the_same_momentum_and_fall_alike() {
    let mesh = TetBox { cells: [3, 3, 3], ..TetBox::default() }.mesh().unwrap();
    let material = SolidMaterial { mass: pliant::mesh::MassKind::Consistent, ..Default::default() };
    let body = Body::solid(&mesh, &material).unwrap();
    let total: f64 = mesh.lumped_masses(1000.0).unwrap().iter().sum();
    let mut sim =
        Simulation::builder().body(body).substeps(1).integrator(TimeIntegrator::ImplicitEuler).build().unwrap();
    let start = sim.report().centre_of_mass;
    (0..30).for_each(|_| drop(sim.step().unwrap()));
    let (h, n) = (sim.time_step(), 30.0);
    let expected = start + Vec3::new(0.0, -9.81, 0.0) * (h * h * n * (n + 1.0) / 2.0);
    assert!((sim.report().centre_of_mass - expected).length() < 1e-11);
    assert!((sim.report().momentum.y + 9.81 * total * h * n).abs() < 1e-9 * total);
}
