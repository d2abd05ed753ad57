//! Pressure inside closed surfaces.

use pliant::mesh::generate::{Caps, Cylinder, Icosphere};
use pliant::prelude::*;

use super::common::{assert_close, exact, settle};

#[test]
fn a_balloon_is_in_balance_with_its_hoop_tension() {
    let (radius, youngs_modulus, thickness) = (0.5, 1e6, 1e-3);
    let mesh = Icosphere { radius, subdivisions: 3 }.mesh().unwrap();
    for poisson_ratio in [0.0, 0.3] {
        for strain in [0.002, 0.02] {
            // Thin shell: tension p r/2 = E t ε/(1 − ν).
            let tension = youngs_modulus * thickness * strain / (1.0 - poisson_ratio);
            let pressure = 2.0 * tension / radius;
            let bend_model = BendModel::None;
            let material =
                ClothMaterial { youngs_modulus, thickness, poisson_ratio, bend_model, ..ClothMaterial::default() };
            let body = Body::cloth(&mesh, &material).unwrap().with_pressure(pressure);
            let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(0.1);
            let mut sim = builder.solver(exact()).build().unwrap();
            settle(&mut sim, 1e-8, 400);
            let mean = sim.positions().iter().map(|p| p.length()).sum::<f64>() / mesh.positions.len() as f64;
            let found = mean / radius - 1.0;
            println!("ν = {poisson_ratio}: strain {found}, small-strain {strain}");
            // At 2 % the sphere has grown: p r′²/2r = tension on the rest shape, so ε = (1+ε)² · the small-strain one.
            let expected = (0..50).fold(strain, |e, _| strain * (1.0 + e) * (1.0 + e));
            assert_close(found, expected, 0.03, "strain of the balloon");
        }
    }
}

#[test]
fn pressure_pushes_a_closed_surface_nowhere() {
    let ball = Icosphere { radius: 0.5, subdivisions: 2 }.mesh().unwrap();
    let can = Cylinder { caps: Caps::Fans, segments: 11, ..Cylinder::default() }.mesh().unwrap();
    for mut mesh in [ball, can] {
        // Out of shape, so that symmetry helps nothing.
        mesh.positions.iter_mut().for_each(|p| *p += Vec3::new(p.y * p.y, 0.3 * p.z * p.x, (3.0 * p.y).sin() * 0.2));
        let (pressure, area) = (1e3, mesh.area());
        let after = |h: f64, steps: usize| {
            let body = Body::cloth(&mesh, &ClothMaterial::default()).unwrap().with_pressure(pressure);
            let mut sim = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(h).build().unwrap();
            (0..steps).for_each(|_| drop(sim.step().unwrap()));
            sim
        };
        let sim = after(1e-3, 10);
        let (report, scale) = (sim.report(), pressure * area * sim.time());
        assert!(report.momentum.length() < 1e-12 * scale, "momentum {:e} of {scale:e}", report.momentum.length());
        // It pushes all the same: in a step too short for the cloth to answer, each vertex by a third of the triangles around it.
        let sim = after(1e-6, 1);
        let mut forces = vec![Vec3::ZERO; mesh.positions.len()];
        for (t, corners) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = mesh.corners(t);
            corners.iter().for_each(|v| forces[*v as usize] += (b - a).cross(c - a) * (pressure / 6.0));
        }
        let masses = sim.model().mass().lumped();
        let expected: f64 = forces.iter().zip(masses).map(|(f, m)| 0.5 * (*f * 1e-6).length_squared() / m).sum();
        assert_close(sim.report().kinetic, expected, 1e-3, "kinetic energy after a microsecond");
    }
}

#[test]
fn pressure_does_not_throw_what_is_stiff() {
    // Each vertex would be thrown by decimetres in a step if nothing held it. A share of the energy of that flight is many times what the block has, and was
    // allowed as an error.
    let size = Vec3::new(2.9, 0.69, 1.0);
    let mesh = TetBox { size, cells: [8, 2, 4], ..TetBox::default() }.mesh().unwrap();
    let (youngs_modulus, pressure) = (2.8e8, 4.4e7);
    let material = SolidMaterial { youngs_modulus, poisson_ratio: 0.2, ..SolidMaterial::default() };
    let block = Body::solid(&mesh, &material).unwrap().with_pressure(pressure).pin([25, 85, 91, 93]);
    let builder = Simulation::builder().body(block).gravity(Vec3::ZERO).time_step(1.0 / 150.0);
    let mut sim = builder.build().unwrap();
    let volume = |x: &[Vec3]| {
        let six = |t: &[u32; 4]| {
            (x[t[1] as usize] - x[t[0] as usize])
                .cross(x[t[2] as usize] - x[t[0] as usize])
                .dot(x[t[3] as usize] - x[t[0] as usize])
        };
        mesh.tets.iter().map(|tet| six(tet) / 6.0).sum::<f64>()
    };
    let (rest, mut most) = (volume(sim.positions()), 0.0_f64);
    for _ in 0..30 {
        sim.step().unwrap();
        let (report, work) = (sim.report(), pressure * (volume(sim.positions()) - rest));
        let energy = report.kinetic + report.potential();
        assert!(energy <= 1.01 * work, "{energy:e} J from the {work:e} J of the pressure at {} s", sim.time());
        most = most.max(work);
    }
    // It swells: by p/K at least, K = E/3(1 − 2ν), where the pressure is in balance with a small strain.
    let swollen = most / (pressure * rest);
    println!("its volume grows by up to {swollen}, p/K is {}", pressure * 1.8 / youngs_modulus);
    assert!(swollen > pressure * 1.8 / youngs_modulus, "{swollen}");
}
