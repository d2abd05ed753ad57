//! Contacts in the matrix of the two-metric Newton.

use pliant::prelude::*;
use pliant::{ModelError, SimulationBuilder};

use super::common::{GRAVITY, cube, jelly, lowest, slopes};

fn cloth_over_a_sphere(cells: usize) -> SimulationBuilder {
    let sheet = Sheet { columns: cells, rows: cells, plane: Plane::Xz, ..Sheet::default() };
    let mut mesh = sheet.mesh().unwrap();
    mesh.positions.iter_mut().for_each(|p| *p += Vec3::new(0.02, 0.36, 0.013));
    // As stiff and heavy as denim.
    let material = ClothMaterial {
        density: 0.4,
        youngs_modulus: 1e7,
        thickness: 8e-4,
        bending_stiffness: Some(8e-5),
        ..ClothMaterial::default()
    };
    let sphere = Collider::new(Shape::Sphere { radius: 0.35 }).friction(0.3).thickness(4e-3);
    Simulation::builder().body(Body::cloth(&mesh, &material).unwrap()).collider(sphere)
}

/// Mean height of a stiff cloth a third of a second after it fell on a sphere.
fn height(solver: impl Into<SolverChoice>, steps_per_frame: usize) -> f64 {
    let h = 1.0 / (60 * steps_per_frame) as f64;
    let mut sim = cloth_over_a_sphere(16).solver(solver).time_step(h).build().unwrap();
    for _ in 0..20 * steps_per_frame {
        sim.step().unwrap();
        let deepest = sim.positions().iter().fold(0.0_f64, |most, p| most.max(0.35 - p.length()));
        assert!(deepest < 1e-9, "{deepest} m inside of the sphere");
    }
    sim.positions().iter().map(|p| p.y).sum::<f64>() / sim.positions().len() as f64
}

#[test]
fn stiff_cloth_falls_over_a_sphere_at_the_right_time() {
    let exact = height(TwoMetricParams { iterations: 8, linear_iterations: 60, ..Default::default() }, 8);
    let few = height(TwoMetricParams { iterations: 2, ..Default::default() }, 4);
    let slow = height(ProjectiveParams::default(), 1);
    println!("{exact:.3} m exactly, {few:.3} m by two metrics, {slow:.3} m by ten projective iterations");
    assert!((few - exact).abs() < 0.03, "{few} m for {exact} m");
    assert!(slow > exact + 0.06, "projective iterations fall in slow motion: {slow} m");
}

#[test]
fn things_on_a_slope_stick_and_slide_as_coulomb_says() {
    slopes(3, TwoMetricParams { iterations: 10, linear_iterations: 30, ..Default::default() });
}

#[test]
fn a_soft_cube_at_rest_is_carried_by_its_contacts() {
    let mut mesh = cube(3);
    mesh.positions.iter_mut().for_each(|p| p.y += 0.101);
    let body = Body::solid(&mesh, &jelly()).unwrap();
    let ground = Collider::new(Shape::Plane).friction(0.5);
    let solver = TwoMetricParams { iterations: 4, ..TwoMetricParams::default() };
    let damping = Damping { drag: 2.0, ..Damping::default() };
    let mut sim = Simulation::builder().body(body).collider(ground).solver(solver).damping(damping).build().unwrap();
    (0..240).for_each(|_| drop(sim.step().unwrap()));
    let weight = sim.model().mass().lumped().iter().sum::<f64>() * GRAVITY;
    let carried = sim.contacts().iter().map(|contact| contact.force()).sum::<Vec3>();
    assert!((carried - Vec3::Y * weight).length() < 0.01 * weight, "{carried} N for {weight} N");
    assert!(lowest(&sim) > -1e-9, "{} m", lowest(&sim));
}

#[test]
fn a_constant_matrix_is_refused() {
    let params = ContactParams { mode: ContactMode::ConstantMatrix, ..ContactParams::default() };
    for solver in [SolverChoice::from(TwoMetricParams::default()), NewtonParams::default().into()] {
        let error = cloth_over_a_sphere(4).contact(params.clone()).solver(solver).build().unwrap_err();
        assert_eq!(error, ModelError::ConstantMatrixOfNewton);
        assert!(error.to_string().contains("two-metric"), "{error}");
    }
}

#[test]
fn lbfgs_is_refused_where_contacts_are_no_constraints() {
    let acceleration = Acceleration::Lbfgs { history: 5 };
    let solver = ProjectiveParams { acceleration, ..ProjectiveParams::default() };
    for mode in [ContactMode::Displacement, ContactMode::ConstantMatrix] {
        let params = ContactParams { mode, ..ContactParams::default() };
        let world = || cloth_over_a_sphere(4).contact(params.clone());
        let error = world().solver(solver.clone()).build().unwrap_err();
        assert_eq!(error, ModelError::LbfgsWithoutConstraints { mode });
        // The same of a solver that is set later.
        let mut sim = world().solver(ProjectiveParams::default()).build().unwrap();
        assert_eq!(sim.set_solver(solver.clone()), Err(ModelError::LbfgsWithoutConstraints { mode }));
    }
}

/// A cloth on a sphere, in wind and without friction, shortly after it has touched.
fn blown_cloth_on_a_sphere(threads: usize) -> Simulation {
    let mesh = Sheet { columns: 12, rows: 12, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
    let mesh = mesh.translated(Vec3::new(0.02, 0.36, 0.013));
    let sphere = Collider::new(Shape::Sphere { radius: 0.35 }).thickness(4e-3);
    let world = Simulation::builder().body(Body::cloth(&mesh, &ClothMaterial::default()).unwrap()).collider(sphere);
    let world = world.wind(Wind::new(Vec3::new(2.0, -1.0, 1.0))).solver(SolverChoice::Auto);
    let mut sim = world.threads(threads).build().unwrap();
    (0..12).for_each(|_| drop(sim.step().unwrap()));
    assert!(!sim.contacts().is_empty());
    sim
}

#[test]
fn all_solvers_end_at_the_same_step_in_contact_and_wind() {
    let step = |solver: SolverChoice| {
        let mut sim = blown_cloth_on_a_sphere(1);
        sim.step_with(solver).unwrap();
        sim.positions().to_vec()
    };
    let gap = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
    let exact = step(TwoMetricParams::converged().into());
    let before = blown_cloth_on_a_sphere(1).positions().to_vec();
    let moved = gap(&before, &exact);
    let projective = step(ProjectiveParams { iterations: 3000, tolerance: 1e-12, ..Default::default() }.into());
    let acceleration = Acceleration::Lbfgs { history: 5 };
    let quasi_newton = ProjectiveParams { iterations: 3000, tolerance: 1e-12, acceleration, ..Default::default() };
    let quasi_newton = step(quasi_newton.into());
    assert!(gap(&quasi_newton, &exact) < 1e-3 * moved, "{} of {moved} m", gap(&quasi_newton, &exact));
    let default = step(SolverChoice::Auto);
    println!(
        "moved by {moved:e} m; projective {:e}, default {:e} m off",
        gap(&projective, &exact),
        gap(&default, &exact)
    );
    assert!(gap(&projective, &exact) < 1e-3 * moved, "{} of {moved} m", gap(&projective, &exact));
    assert!(gap(&default, &exact) < 0.1 * moved, "{} of {moved} m", gap(&default, &exact));
}

#[test]
fn threads_change_no_bit_at_the_default_in_contact_and_wind() {
    let one = blown_cloth_on_a_sphere(1).checkpoint();
    assert_eq!(one, blown_cloth_on_a_sphere(2).checkpoint());
    assert_eq!(one, blown_cloth_on_a_sphere(5).checkpoint());
}

#[test]
fn g_never_rises_at_the_settings_of_the_default() {
    let mut sim = blown_cloth_on_a_sphere(1);
    let SolverChoice::TwoMetric(params) = sim.solver_choice().clone() else { panic!("{}", sim.solver_choice()) };
    assert_eq!((params.iterations, params.least_iterations, params.linear_iterations), (6, 2, 8));
    for _ in 0..20 {
        sim.step().unwrap();
        // Contacts come and go between iterations, and g with them: this is the stage without them.
        let problem = sim.next_problem().unwrap();
        for start in [Start::Predicted, Start::Previous] {
            let mut x = problem.start(start).to_vec();
            let report = problem.solve(&TwoMetricParams { record: true, ..params.clone() }.into(), &mut x).unwrap();
            assert!(report.history.len() > 1);
            for pair in report.history.windows(2) {
                assert!(pair[1] <= pair[0] * (1.0 + 2e-6), "{:?}", report.history);
            }
        }
    }
}

#[test]
fn a_restored_run_at_the_default_continues_bit_for_bit() {
    let mut whole = blown_cloth_on_a_sphere(1);
    let saved = whole.checkpoint().to_bytes();
    let mut resumed = blown_cloth_on_a_sphere(1);
    // Elsewhere first, so that what the solver remembers is not what it should be.
    (0..3).for_each(|_| drop(resumed.step().unwrap()));
    resumed.restore(&Checkpoint::from_bytes(&saved).unwrap()).unwrap();
    for _ in 0..5 {
        whole.step().unwrap();
        resumed.step().unwrap();
    }
    assert_eq!(whole.checkpoint(), resumed.checkpoint());
}
