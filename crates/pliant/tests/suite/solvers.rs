//! Solvers against each other on the same problem.
#![allow(clippy::unwrap_used)]

use pliant::energy::{Element, ElementBatch, Operator, Properties};
use pliant::mesh::generate::{Plane, Shear};
use pliant::prelude::*;
use pliant::solve::{ExplicitParams, LinearSolver, SetupSeconds, SolveError, SolverChoice, Stiffness};
use pliant::sparse::FactorError;
use pliant::{Problem, StepError};

/// A curtain of springs as in [Liu 2013], swinging from two corners.
fn curtain(cells: usize, stiffness: f64, h: f64, frames: usize) -> Simulation {
    let sheet = Sheet { columns: cells, rows: cells, plane: Plane::Xz, ..Sheet::default() };
    let mut edges = sheet.structural_edges().unwrap();
    edges.extend(sheet.shear_edges(Shear::Single).unwrap());
    edges.extend(sheet.skip_one_edges().unwrap());
    let body = Body::mass_spring(&sheet.mesh().unwrap(), 0.2, edges, stiffness).unwrap();
    let corners = [sheet.vertex(0, 0), sheet.vertex(cells, 0)];
    let mut sim = Simulation::builder().body(body.pin(corners)).time_step(h).build().unwrap();
    (0..frames).for_each(|_| drop(sim.step().unwrap()));
    sim
}

fn bar() -> Simulation {
    let mesh = TetBox::bar(1.0, 0.2, 10, 2).mesh().unwrap();
    let soft = SolidMaterial { youngs_modulus: 2e5, ..Default::default() };
    let body = Body::solid(&mesh, &soft).unwrap().pin_where(|p| p.x < -0.49);
    let mut sim = Simulation::builder().body(body).build().unwrap();
    (0..5).for_each(|_| drop(sim.step().unwrap()));
    sim
}

fn solved(problem: &Problem<'_>, solver: impl Into<SolverChoice>) -> (Vec<Vec3>, pliant::solve::SolveReport) {
    let mut x = problem.start(Start::Predicted).to_vec();
    let report = problem.solve(&solver.into(), &mut x).unwrap();
    (x, report)
}

fn gap(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((*a - *b).length()))
}

#[test]
fn newton_converges_quadratically_to_a_vanishing_gradient() {
    let mut sim = bar();
    let problem = sim.next_problem().unwrap();
    let (x, report) = solved(&problem, NewtonParams::default());
    assert!(report.converged && report.residual() < Some(1e-9) && report.iterations <= 8, "{report:?}");
    let weight: f64 = problem.model().mass().lumped().iter().sum::<f64>() * 9.81;
    let force = problem.gradient(&x).iter().fold(0.0_f64, |m, g| m.max(g.length()));
    assert!(force < 1e-10 * weight, "{force:e} N are left of {weight} N");
    // The force that is left squares from one iteration to the next: its logarithm doubles, as long as rounding does not end that.
    let left = |iterations: usize| {
        let (x, _) = solved(&problem, NewtonParams { iterations, tolerance: 0.0, ..Default::default() });
        problem.gradient(&x).iter().fold(0.0_f64, |most, g| most.max(g.length())) / weight
    };
    let residuals: Vec<f64> = (1..=4).map(left).collect();
    for pair in residuals.windows(2) {
        assert!(pair[1] < pair[0].powi(2) || pair[1] < 1e-13, "{residuals:?}");
    }
}

#[test]
fn conjugate_gradients_and_factorisation_give_the_same_newton_result() {
    for mut sim in [bar(), curtain(12, 100.0, 1.0 / 60.0, 10)] {
        let problem = sim.next_problem().unwrap();
        let pcg = LinearSolver::ConjugateGradient { tolerance: 1e-8, max_iterations: 2000 };
        let (direct, _) = solved(&problem, NewtonParams::default());
        let (iterative, report) = solved(&problem, NewtonParams { linear_solver: pcg, ..Default::default() });
        assert!(report.converged && report.linear_iterations > report.iterations, "{report:?}");
        assert!(gap(&direct, &iterative) < 1e-9);
    }
}

#[test]
fn newton_after_local_global_ends_in_as_good_a_minimum() {
    for stiffness in [500.0, 2e3] {
        let mut sim = curtain(16, stiffness, 1.0 / 30.0, 12);
        let problem = sim.next_problem().unwrap();
        let (cold, alone) = solved(&problem, NewtonParams::default());
        let (warm, helped) = solved(&problem, NewtonParams { warm_start: 30, ..Default::default() });
        assert!(alone.converged && helped.converged);
        // A crumpled sheet has more than one minimum.
        let values = (problem.value(&cold), problem.value(&warm));
        assert!((values.0 - values.1).abs() < 1e-3 * values.0.abs(), "{values:?}");
    }
}

#[test]
fn the_semi_implicit_step_is_exact_for_linear_springs_and_fails_under_compression_without_projection() {
    // A spring without length is linear: one linearisation is the whole implicit step.
    let rest = vec![Vec3::ZERO, Vec3::ZERO];
    let springs = EdgeSprings {
        rest_lengths: Some(vec![0.0]),
        ..EdgeSprings::new(vec![[0, 1]], SpringStiffness::Uniform(300.0))
    };
    let run = |solver: SolverChoice| {
        let body = Body::new(rest.clone(), vec![(0, 0, 1.0), (1, 1, 2.0)])
            .with_energy(springs.build(&rest).unwrap())
            .with_positions(vec![Vec3::X, Vec3::Y])
            .pin([0]);
        let mut sim = Simulation::builder().body(body).solver(solver).build().unwrap();
        (0..30).for_each(|_| drop(sim.step().unwrap()));
        sim.positions().to_vec()
    };
    assert!(gap(&run(NewtonParams::semi_implicit().into()), &run(NewtonParams::default().into())) < 1e-12);

    // A chain under strong compression at h = 1/30 s: the true matrix is indefinite [Liu 2013, §5].
    let compressed = |curvature: NewtonCurvature| {
        let chain = rope(Vec3::ZERO, Vec3::X, 10).unwrap();
        let squeezed = chain.positions.iter().map(|p| *p * 0.5).collect();
        let stiff = StrandMaterial { axial_stiffness: 1e4, ..Default::default() };
        let body = Body::strands(&chain, &stiff).unwrap().with_positions(squeezed).pin([0, 10]);
        let solver = NewtonParams { curvature, ..NewtonParams::semi_implicit() };
        Simulation::builder().body(body).time_step(1.0 / 30.0).solver(solver).build().unwrap().step()
    };
    let error = compressed(NewtonCurvature::Raw).unwrap_err();
    assert!(
        matches!(error, StepError::Solve { error: SolveError::Factor(FactorError::NotPositiveDefinite { .. }), .. }),
        "{error}"
    );
    assert!(compressed(NewtonCurvature::Projected).is_ok());
    assert!(compressed(NewtonCurvature::Shifted).is_ok());
}

#[test]
fn newton_with_shifted_matrices_ends_where_the_projected_one_does() {
    let mut sim = curtain(12, 300.0, 1.0 / 30.0, 8);
    let problem = sim.next_problem().unwrap();
    let shifted = NewtonParams { curvature: NewtonCurvature::Shifted, record: true, ..NewtonParams::default() };
    let (x, report) = solved(&problem, shifted);
    let (exact, _) = solved(&problem, NewtonParams::default());
    assert!(report.converged, "{} iterations", report.iterations);
    assert!(report.history.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12)), "g rose");
    assert!(gap(&x, &exact) < 1e-7, "{} m", gap(&x, &exact));
}

/// An energy whose force points uphill: no step along Newton's direction lowers it.
#[derive(Debug, Clone)]
struct Uphill;

impl Element<1> for Uphill {
    const KIND: &'static str = "uphill";
    const PROPERTIES: Properties = Properties { nearest: false, idempotent: false, ..Properties::INTERNAL };

    fn project(&self, z: &[Vec3; 1], _goals: &[Vec3], _warm: &mut [f64]) -> [Vec3; 1] {
        z.map(|z| z * 2.0)
    }
}

#[test]
fn lbfgs_that_is_stuck_stays_where_it_was_and_says_so() {
    let mut operator = Operator::new(1);
    operator.push(50.0, &[0], &[1.0]);
    let at = Vec3::new(1.0, 2.0, 0.5);
    let body = Body::new(vec![at], vec![(0, 0, 1.0)]);
    let body = body.with_energy(Box::new(ElementBatch::new(operator, vec![Uphill], Vec::new())));
    let acceleration = Acceleration::Lbfgs { history: 5 };
    let solver = ProjectiveParams { acceleration, ..ProjectiveParams::default() };
    let mut sim = Simulation::builder().body(body).gravity(Vec3::ZERO).solver(solver).build().unwrap();
    let report = sim.step().unwrap().solve;
    assert!(!report.converged && report.rejected > 0 && report.iterations < 10, "{report:?}");
    assert_eq!(sim.positions()[0], at);
}

#[test]
fn newton_that_is_stuck_stays_where_it_was_and_says_so() {
    let mut operator = Operator::new(1);
    operator.push(50.0, &[0], &[1.0]);
    let at = Vec3::new(1.0, 2.0, 0.5);
    let body = Body::new(vec![at], vec![(0, 0, 1.0)]);
    let body = body.with_energy(Box::new(ElementBatch::new(operator, vec![Uphill], Vec::new())));
    let solver = NewtonParams::default();
    let mut sim = Simulation::builder().body(body).gravity(Vec3::ZERO).solver(solver).build().unwrap();
    let report = sim.step().unwrap().solve;
    assert!(!report.converged && report.movement > 1e-4, "residual {}", report.movement);
    assert_eq!((report.iterations, sim.positions()[0]), (1, at));
    // One iteration of many is not the end either.
    let mut sim = curtain(4, 100.0, 1.0 / 30.0, 4);
    let (_, report) = solved(&sim.next_problem().unwrap(), NewtonParams { iterations: 1, ..NewtonParams::default() });
    assert!(!report.converged, "residual {}", report.movement);
}

/// Iterations until (g − g*)/(g₀ − g*) falls below a bound.
fn iterations_to(problem: &Problem<'_>, least: f64, acceleration: Acceleration, bound: f64) -> usize {
    let params = ProjectiveParams { record: true, acceleration, ..ProjectiveParams::plain(3000) };
    let (_, report) = solved(problem, params);
    // Plain local/global records half-steps.
    let stride = if acceleration == Acceleration::None { 2 } else { 1 };
    let start = report.history[0];
    let mut errors = report.history.iter().step_by(stride).map(|g| (g - least) / (start - least));
    errors.position(|error| error < bound).unwrap()
}

#[test]
#[ignore = "long: ./test full"]
fn acceleration_saves_iterations_at_high_accuracy() {
    let mut sim = curtain(20, 200.0, 1.0 / 60.0, 10);
    let problem = sim.next_problem().unwrap();
    // Newton from a good projective result ends in the same valley.
    let (mut exact, _) = solved(&problem, ProjectiveParams { iterations: 300, ..Default::default() });
    let least = problem.solve(&NewtonParams::default().into(), &mut exact).unwrap().objective;
    let chebyshev = Acceleration::Chebyshev { rho: 0.9, delay: 5, relaxation: 1.0 };
    let (anderson, lbfgs) = (Acceleration::Anderson { window: 5 }, Acceleration::Lbfgs { history: 5 });
    let kinds = [Acceleration::None, chebyshev, anderson, lbfgs];
    let counts = kinds.map(|kind| [1e-1, 1e-2].map(|bound| iterations_to(&problem, least, kind, bound)));
    println!("iterations to 0.1 and 0.01: plain, Chebyshev, Anderson, L-BFGS {counts:?}");
    assert!(counts[1][1] < counts[0][1] && 2 * counts[2][1] <= counts[0][1], "{counts:?}");
    assert!(2 * counts[3][1] <= counts[0][1], "{counts:?}");
}

#[test]
fn lbfgs_balances_stiff_cloth_in_far_fewer_iterations_than_plain() {
    let sheet = Sheet { columns: 20, rows: 20, plane: Plane::Xz, ..Sheet::default() };
    let material = ClothMaterial { youngs_modulus: 1e7, ..ClothMaterial::default() };
    let body = Body::cloth(&sheet.mesh().unwrap(), &material).unwrap().pin([sheet.vertex(0, 0), sheet.vertex(20, 0)]);
    let mut sim = Simulation::builder().body(body).time_step(1.0 / 60.0).build().unwrap();
    (0..10).for_each(|_| drop(sim.step().unwrap()));
    let problem = sim.next_problem().unwrap();
    let [plain, quasi_newton] = [Acceleration::None, Acceleration::Lbfgs { history: 5 }].map(|acceleration| {
        let params = ProjectiveParams { iterations: 20_000, tolerance: 1e-5, acceleration, ..Default::default() };
        let (_, report) = solved(&problem, params);
        assert!(report.converged && report.residual() <= Some(1e-5), "{report:?}");
        report.iterations
    });
    println!("iterations to a residual of 1e-5: plain {plain}, L-BFGS {quasi_newton}");
    assert!(10 * quasi_newton <= plain, "{quasi_newton} of {plain}");
}

#[test]
fn the_start_changes_the_way_and_not_the_goal() {
    let mut sim = curtain(10, 500.0, 1.0 / 60.0, 20);
    let problem = sim.next_problem().unwrap();
    let ends = [Start::Predicted, Start::Inertial, Start::Previous].map(|start| {
        let mut x = problem.start(start).to_vec();
        problem.solve(&ProjectiveParams::converged().into(), &mut x).unwrap();
        x
    });
    assert!(gap(problem.start(Start::Predicted), problem.start(Start::Inertial)) > 1e-4);
    assert!(gap(&ends[0], &ends[1]) < 1e-8 && gap(&ends[0], &ends[2]) < 1e-8);
}

#[test]
fn a_setup_is_reported_by_phases_and_only_where_there_was_one() {
    let mut sim = curtain(12, 100.0, 0.02, 0);
    let first = sim.step().unwrap().solve;
    let phases = first.setup;
    assert!(phases.assemble > 0.0 && phases.analyse > 0.0 && phases.factor > 0.0 && phases.pack > 0.0);
    let sum = phases.assemble + phases.analyse + phases.factor + phases.pack;
    assert!((sum - first.seconds_factor).abs() < 1e-12);
    assert_eq!(sim.step().unwrap().solve.setup, SetupSeconds::default());
    // Another time step needs another factor.
    sim.set_time_step(0.01).unwrap();
    assert!(sim.step().unwrap().solve.setup.factor > 0.0);
}

fn cloth() -> Body {
    let mesh = Sheet { columns: 6, rows: 6, ..Sheet::default() }.mesh().unwrap();
    Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named("cloth").pin([0])
}

fn jelly() -> Body {
    let mesh = TetBox { cells: [2, 2, 2], ..TetBox::default() }.mesh().unwrap();
    Body::solid(&mesh, &SolidMaterial::default()).unwrap().named("jelly").pin([0])
}

fn chosen(world: pliant::SimulationBuilder) -> (SolverChoice, usize) {
    let mut sim = world.solver(SolverChoice::Auto).build().unwrap();
    sim.step().unwrap();
    (sim.solver_choice().clone(), sim.substeps())
}

#[test]
fn auto_chooses_by_what_a_world_contains() {
    let two_metric = |(choice, substeps): (SolverChoice, usize)| match choice {
        SolverChoice::TwoMetric(params) => (params.iterations, params.preconditioner, substeps),
        other => panic!("{other}"),
    };
    let world = Simulation::builder;
    assert_eq!(two_metric(chosen(world().body(cloth()))), (6, Preconditioner::Product, 4));
    assert_eq!(two_metric(chosen(world().body(cloth()).body(jelly()))), (6, Preconditioner::Product, 4));
    assert_eq!(two_metric(chosen(world().body(jelly()))), (6, Preconditioner::Factor, 2));
    // Substeps that somebody asks for stay, and so does a short time step.
    assert_eq!(two_metric(chosen(world().body(cloth()).substeps(1))), (6, Preconditioner::Product, 1));
    assert_eq!(two_metric(chosen(world().body(cloth()).time_step(1.0 / 240.0))), (6, Preconditioner::Product, 1));
    let stone = pliant::mesh::generate::Icosphere { radius: 0.1, subdivisions: 1 }.mesh().unwrap();
    let stone = Body::rigid(&stone, &RigidMaterial::default()).unwrap().named("stone");
    assert!(matches!(chosen(world().body(cloth()).body(stone)), (SolverChoice::Projective(_), 1)));
    let constant = ContactParams { mode: ContactMode::ConstantMatrix, ..ContactParams::default() };
    assert!(matches!(chosen(world().body(cloth()).contact(constant)), (SolverChoice::Projective(_), 1)));
    let rod = rope(Vec3::ZERO, Vec3::X, 5).unwrap();
    let rod = Body::rods(&rod, &RodMaterial::default()).unwrap().named("rod").pin([0]);
    assert!(matches!(chosen(world().body(rod)), (SolverChoice::PositionBased(_), 1)));
}

#[test]
fn auto_may_be_set_lent_and_asked() {
    let mut sim = Simulation::builder().body(cloth()).solver(ProjectiveParams::default()).build().unwrap();
    sim.set_solver(SolverChoice::Auto).unwrap();
    assert_eq!(sim.solver_choice().to_string(), "two-metric Newton, at most 6 × 8 iterations");
    assert_eq!(sim.substeps(), 1, "what runs keeps its substeps");
    sim.step_with(SolverChoice::Auto).unwrap();
    let problem = sim.next_problem().unwrap();
    let (found, _) = solved(&problem, SolverChoice::Auto);
    let (exact, _) = solved(&problem, NewtonParams::default());
    assert!(gap(&found, &exact) < 1e-3, "{}", gap(&found, &exact));
}

#[test]
fn a_solver_is_refused_alike_when_a_world_is_built_with_it_when_it_is_set_and_when_it_is_lent() {
    let (euler, bdf2) = (TimeIntegrator::ImplicitEuler, TimeIntegrator::Bdf2);
    let accelerated = |acceleration| ProjectiveParams { acceleration, ..ProjectiveParams::default() };
    let unknown = Stiffness::Share { stiffness: 0.5, kinds: [("stirrup".to_owned(), 0.1)].into_iter().collect() };
    let refused: [(TimeIntegrator, SolverChoice); 9] = [
        (bdf2, ExplicitParams::default().into()),
        (euler, ExplicitParams { safety: 0.0, ..ExplicitParams::default() }.into()),
        (euler, FollowLeaderParams::default().into()),
        (euler, accelerated(Acceleration::Anderson { window: 0 }).into()),
        (euler, accelerated(Acceleration::Chebyshev { rho: 1.5, delay: 5, relaxation: 1.0 }).into()),
        (euler, TwoMetricParams { linear_tolerance: f64::NAN, ..TwoMetricParams::default() }.into()),
        (euler, TwoMetricParams { energy_tolerance: -1.0, ..TwoMetricParams::default() }.into()),
        (euler, NewtonParams { tolerance: -1.0, ..NewtonParams::default() }.into()),
        (euler, PositionBasedParams { stiffness: unknown, ..PositionBasedParams::default() }.into()),
    ];
    for (integrator, solver) in refused {
        let world = || Simulation::builder().body(cloth()).integrator(integrator);
        let reason = world().solver(solver.clone()).build().unwrap_err().to_string();
        let mut sim = world().solver(ProjectiveParams::default()).build().unwrap();
        assert_eq!(sim.check_solver(solver.clone()).unwrap_err().to_string(), reason);
        assert_eq!(sim.set_solver(solver.clone()).unwrap_err().to_string(), reason);
        assert_eq!(*sim.solver_choice(), ProjectiveParams::default().into(), "the one before stays");
        let lent = sim.step_with(solver).unwrap_err();
        assert!(matches!(&lent, StepError::Refused(error) if error.to_string() == reason), "{lent}");
        assert_eq!(sim.time(), 0.0);
        sim.step().unwrap();
    }
}
