//! Contacts in Newton's matrix: the same steps as by other solvers that are left to converge.

use pliant::prelude::*;
use pliant::{SimulationBuilder, StepReport};

use super::common::{GRAVITY, cube, incline, jelly, lowest, slopes};

fn newton() -> NewtonParams {
    NewtonParams { tolerance: 1e-11, ..NewtonParams::default() }
}

/// Largest distance of vertices from those of Newton's step, by other solvers from the same state.
fn gaps(sim: &mut Simulation) -> [f64; 3] {
    let before = sim.checkpoint();
    let mut step = |solver: SolverChoice| -> (Vec<Vec3>, StepReport) {
        sim.restore(&before).unwrap();
        let report = sim.step_with(solver).unwrap();
        (sim.positions().to_vec(), report)
    };
    let projective =
        ProjectiveParams { iterations: 20_000, tolerance: 1e-13, precision: Precision::Double, ..Default::default() };
    let acceleration = Acceleration::Lbfgs { history: 5 };
    let quasi_newton = ProjectiveParams { acceleration, ..projective.clone() };
    let others =
        [TwoMetricParams::converged().into(), projective.into(), quasi_newton.into()].map(|solver| step(solver).0);
    let (exact, report) = step(newton().into());
    let solve = report.solve;
    println!("{} iterations, {} contacts, residual {:.1e}", solve.iterations, solve.contacts, solve.movement);
    assert!(solve.converged, "residual {} after {} iterations", solve.movement, solve.iterations);
    assert!(solve.contacts > 0, "nothing touches");
    others.map(|other| exact.iter().zip(&other).fold(0.0, |most: f64, (a, b)| most.max(a.distance(*b))))
}

fn draped(solver: impl Into<SolverChoice>) -> SimulationBuilder {
    let sheet = Sheet { columns: 12, rows: 12, plane: Plane::Xz, ..Sheet::default() };
    let mut mesh = sheet.mesh().unwrap();
    mesh.positions.iter_mut().for_each(|p| *p += Vec3::new(0.02, 0.36, 0.013));
    let material = ClothMaterial { youngs_modulus: 1e6, thickness: 8e-4, ..ClothMaterial::default() };
    let sphere = Collider::new(Shape::Sphere { radius: 0.35 }).friction(0.3).thickness(4e-3);
    let body = Body::cloth(&mesh, &material).unwrap();
    Simulation::builder().body(body).collider(sphere).solver(solver).time_step(1.0 / 120.0)
}

#[test]
fn cloth_on_a_sphere_is_where_other_solvers_converge_to() {
    let mut sim = draped(TwoMetricParams::default()).build().unwrap();
    for frames in [6, 14, 20] {
        (0..frames).for_each(|_| drop(sim.step().unwrap()));
        let gaps = gaps(&mut sim);
        println!("{gaps:?} m");
        assert!(gaps.iter().all(|gap| *gap < 1e-6), "{gaps:?} m");
    }
}

#[test]
fn a_sheet_on_a_slope_slides_as_by_other_solvers() {
    let angle = 25_f64.to_radians();
    let tilt = Quat::from_rotation_z(angle);
    for friction in [0.2, 0.46, 0.6] {
        let mut mesh = Sheet { columns: 6, rows: 6, width: 0.3, height: 0.3, plane: Plane::Xz, ..Sheet::default() }
            .mesh()
            .unwrap();
        mesh.positions.iter_mut().for_each(|p| *p = tilt * (*p + Vec3::Y * 1e-3));
        let body = Body::cloth(&mesh, &ClothMaterial::default()).unwrap();
        let world = Simulation::builder().body(body).collider(incline(angle).friction(friction));
        let mut sim = world.solver(TwoMetricParams::default()).build().unwrap();
        (0..20).for_each(|_| drop(sim.step().unwrap()));
        let gaps = gaps(&mut sim);
        println!("friction {friction}: {gaps:?} m");
        assert!(gaps.iter().all(|gap| *gap < 1e-6), "friction {friction}: {gaps:?} m");
    }
}

#[test]
fn things_on_a_slope_stick_and_slide_as_coulomb_says() {
    slopes(2, newton());
}

#[test]
fn a_soft_cube_at_rest_is_carried_by_its_contacts() {
    let mut mesh = cube(3);
    mesh.positions.iter_mut().for_each(|p| p.y += 0.101);
    let body = Body::solid(&mesh, &jelly()).unwrap();
    let ground = Collider::new(Shape::Plane).friction(0.5);
    let damping = Damping { drag: 2.0, ..Damping::default() };
    let mut sim = Simulation::builder().body(body).collider(ground).solver(newton()).damping(damping).build().unwrap();
    (0..240).for_each(|_| assert!(sim.step().unwrap().solve.converged));
    let weight = sim.model().mass().lumped().iter().sum::<f64>() * GRAVITY;
    let carried = sim.contacts().iter().map(|contact| contact.force()).sum::<Vec3>();
    assert!((carried - Vec3::Y * weight).length() < 1e-3 * weight, "{carried} N for {weight} N");
    assert!(lowest(&sim) > -1e-9, "{} m", lowest(&sim));
}

/// Moving vertices out after the solve leaves no forces behind; the constraint is what the solve should know.
#[test]
fn a_displaced_vertex_ends_outside() {
    let params = ContactParams { mode: ContactMode::Displacement, ..ContactParams::default() };
    let mut sim = draped(newton()).contact(params).build().unwrap();
    for _ in 0..20 {
        sim.step().unwrap();
        let deepest = sim.positions().iter().fold(0.0_f64, |most, p| most.max(0.35 - p.length()));
        assert!(deepest < 1e-9, "{deepest} m inside of the sphere");
    }
}
