//! Force and torque of the wind on shapes that do not move, mesh by mesh: they belong to the shape, not to its triangles.

use std::f64::consts::PI;

use pliant::mesh::generate::{Icosphere, Plane};
use pliant::prelude::*;

use super::common::assert_close;

/// ½ρC of the default wind \[kg/m³\].
const PRESSURE: f64 = 0.6;

/// Force and torque about the origin on a mesh whose vertices are all held, in \[N\] and \[N·m\].
fn force(mesh: &TriangleMesh, wind: Wind) -> (Vec3, Vec3) {
    let pins = 0..mesh.positions.len() as u32;
    let body = Body::cloth(mesh, &ClothMaterial { density: 0.03, ..ClothMaterial::default() }).unwrap().pin(pins);
    let sim = Simulation::builder().body(body).gravity(Vec3::ZERO).wind(wind).build().unwrap();
    // All vertices are pinned, and in their order.
    let forces = sim.pin_forces();
    let sum = |of: &dyn Fn(Vec3, Vec3) -> Vec3| {
        forces.iter().zip(&mesh.positions).fold(Vec3::ZERO, |sum, (f, x)| sum + of(*x, -*f))
    };
    (sum(&|_, f| f), sum(&|x, f| x.cross(f)))
}

fn sheet(columns: usize, rows: usize) -> TriangleMesh {
    Sheet { width: 1.2, height: 0.8, columns, rows, plane: Plane::Xy, ..Sheet::default() }.mesh().unwrap()
}

#[test]
fn a_flat_plate_feels_the_same_on_every_mesh_at_every_angle() {
    for angle in [0.0, 0.3, 1.0, 1.5] {
        let wind = Wind::new(Vec3::new(f64::sin(angle), 0.0, f64::cos(angle)) * 7.0);
        let across = 7.0 * f64::cos(angle);
        for (columns, rows) in [(1, 1), (5, 3), (40, 31)] {
            let (force, torque) = force(&sheet(columns, rows), wind);
            assert_close(force.z, PRESSURE * 0.96 * across * across, 1e-12, "force");
            assert!(force.x.abs() + force.y.abs() < 1e-12);
            // It acts on the middle of the plate, which is not the origin for all sheets.
            let mesh = sheet(columns, rows);
            let middle = mesh.positions.iter().fold(Vec3::ZERO, |sum, p| sum + *p) / mesh.positions.len() as f64;
            assert!((torque - middle.cross(force)).length() < 1e-9, "{torque}");
        }
    }
}

#[test]
fn the_force_on_a_sphere_converges_to_its_closed_form() {
    // ½ρ C u² ∮ |cos θ| cos θ n dA = ½ρ C u² πR².
    let exact = PRESSURE * 25.0 * PI * 0.16;
    let mut before = f64::INFINITY;
    for subdivisions in [1, 2, 3, 4] {
        let mesh = Icosphere { radius: 0.4, subdivisions }.mesh().unwrap();
        let (force, torque) = force(&mesh, Wind::new(Vec3::new(3.0, 0.0, 4.0)));
        let error = (force - Vec3::new(0.6, 0.0, 0.8) * exact).length() / exact;
        assert!(error < before / 3.0 && torque.length() < 1e-9 * exact, "{error} after {before}; torque {torque}");
        before = error;
    }
    assert!(before < 3e-3, "{before}");
}

#[test]
fn force_and_torque_on_a_rippled_sheet_converge_with_the_mesh() {
    // Ripples of 30 cm in a wind that grazes them: a third of the sheet is in the lee.
    let rippled = |cells: usize| {
        let mut mesh = sheet(3 * cells, 2 * cells);
        mesh.positions.iter_mut().for_each(|p| p.z += 0.03 * (p.x * 2.0 * PI / 0.3).sin() * (1.0 + p.y));
        force(&mesh, Wind::new(Vec3::new(8.0, 0.5, 1.5)))
    };
    let found = [8, 16, 32].map(rippled);
    let (force, torque) = rippled(96);
    let errors = found.map(|(f, t)| [(f - force).length() / force.length(), (t - torque).length() / torque.length()]);
    for pair in errors.windows(2) {
        assert!(pair[1][0] < 0.4 * pair[0][0] && pair[1][1] < 0.4 * pair[0][1], "{errors:?}");
    }
    assert!(errors[2][0] < 5e-3 && errors[2][1] < 6e-3, "{errors:?}");
}

#[test]
fn eddies_press_alike_on_coarse_and_fine_meshes_and_on_others_with_another_seed() {
    let wind = |seed: u64| Wind {
        turbulence: Turbulence { strength: 0.4, length: 1.0, seed },
        ..Wind::new(Vec3::new(2.0, 0.0, 6.0))
    };
    let found = [24, 48, 96].map(|cells| force(&sheet(cells, cells), wind(5)));
    let (fine, torque) = found[2];
    for (k, limit) in [(0, 0.06), (1, 0.015)] {
        let (own, own_torque) = found[k];
        assert!((own - fine).length() < limit * fine.length(), "{own} and {fine}");
        assert!((own_torque - torque).length() < limit * torque.length(), "{own_torque} and {torque}");
    }
    let (steady, _) = force(&sheet(24, 24), Wind::new(Vec3::new(2.0, 0.0, 6.0)));
    let (other, _) = force(&sheet(96, 96), wind(6));
    assert!((fine - steady).length() > 0.02 * steady.length() && (fine - other).length() > 0.02 * steady.length());
}
