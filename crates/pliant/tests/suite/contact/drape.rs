//! A cloth on a sphere.

use pliant::prelude::*;

const RADIUS: f64 = 0.2;

/// How far the middle of a cloth has moved after 1.5 s on a sphere, and the depth of the deepest vertex in any step \[m\].
fn drape(mode: ContactMode, friction: f64, youngs_modulus: f64) -> (f64, f64) {
    let sheet = Sheet { width: 0.6, height: 0.6, columns: 16, rows: 16, plane: Plane::Xz, ..Sheet::default() };
    let mut mesh = sheet.mesh().unwrap();
    // Off the middle, so that it does not balance.
    mesh.positions.iter_mut().for_each(|p| *p += Vec3::new(0.06, RADIUS + 2e-3, 0.0));
    let middle = 8 * 17 + 8;
    let body = Body::cloth(&mesh, &ClothMaterial { youngs_modulus, ..ClothMaterial::default() }).unwrap();
    let sphere = Collider::new(Shape::Sphere { radius: RADIUS }).friction(friction);
    let params = ContactParams { mode, ..ContactParams::default() };
    let solver = ProjectiveParams { iterations: 30, ..ProjectiveParams::default() };
    let builder = Simulation::builder().body(body).collider(sphere).contact(params).solver(solver);
    let mut sim = builder.build().unwrap();
    let mut deepest = f64::NEG_INFINITY;
    for _ in 0..90 {
        sim.step().unwrap();
        deepest = sim.positions().iter().fold(deepest, |most: f64, p| most.max(RADIUS - p.length()));
    }
    (sim.positions()[middle].distance(mesh.positions[middle]), deepest)
}

#[test]
fn a_cloth_stays_on_a_sphere_by_friction_and_slides_off_without_in_every_mode() {
    for mode in [ContactMode::Constraint, ContactMode::Displacement, ContactMode::ConstantMatrix] {
        let (moved, depth) = drape(mode, 0.8, 1e4);
        assert!(moved < 0.025 && depth < 1e-12, "{mode:?}: moved by {moved} m, {depth} m deep");
        let (moved, depth) = drape(mode, 0.0, 1e4);
        assert!(moved > 1.0 && depth < 1e-12, "{mode:?}: moved by {moved} m, {depth} m deep");
    }
}

#[test]
fn a_soft_cloth_ends_in_the_same_place_by_constraints_and_by_a_constant_matrix() {
    let (by_constraints, _) = drape(ContactMode::Constraint, 0.8, 1e3);
    let (by_forces, _) = drape(ContactMode::ConstantMatrix, 0.8, 1e3);
    assert!((by_constraints / by_forces - 1.0).abs() < 0.01, "{by_constraints} m and {by_forces} m");
}
