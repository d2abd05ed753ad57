//! Contacts in the matrix of the two-metric Newton.

use pliant::prelude::*;
use pliant::{ModelError, SimulationBuilder};

use super::common::{GRAVITY, cube, incline, jelly, lowest, particle};

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
    let angle = 25_f64.to_radians();
    let tilt = Quat::from_rotation_z(angle);
    let grain = || particle(tilt * (Vec3::Y * 1e-3), Vec3::ZERO);
    let block = || {
        let mut mesh = cube(3);
        mesh.positions.iter_mut().for_each(|p| *p = tilt * (*p + Vec3::Y * 0.101));
        Body::solid(&mesh, &jelly()).unwrap()
    };
    let slide = |body: Body, friction: f64| {
        let ground = incline(angle).friction(friction);
        let solver = TwoMetricParams { iterations: 10, linear_iterations: 30, ..Default::default() };
        let mut sim = Simulation::builder().body(body).collider(ground).solver(solver).build().unwrap();
        let centre = |sim: &Simulation| sim.positions().iter().sum::<Vec3>() / sim.positions().len() as f64;
        (0..60).for_each(|_| drop(sim.step().unwrap()));
        // A soft block leans downhill first.
        let before = centre(&sim);
        (0..60).for_each(|_| drop(sim.step().unwrap()));
        (centre(&sim) - before).dot(tilt * -Vec3::X)
    };
    // From one second to two.
    let expected = |friction: f64| 1.5 * GRAVITY * (angle.sin() - friction * angle.cos()) * (1.0 + 1.0 / 180.0);
    let stuck = slide(grain(), 1.01 * angle.tan());
    assert!(stuck.abs() < 1e-6, "a grain crept by {stuck} m");
    let slid = slide(grain(), 0.2);
    assert!((slid / expected(0.2) - 1.0).abs() < 0.01, "a grain slid by {slid} m for {}", expected(0.2));
    let stuck = slide(block(), 1.1 * angle.tan());
    assert!(stuck.abs() < 2e-4, "a block crept by {stuck} m");
    let slid = slide(block(), 0.2);
    assert!((slid / expected(0.2) - 1.0).abs() < 0.02, "a block slid by {slid} m for {}", expected(0.2));
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
