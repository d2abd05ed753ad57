//! Bars and sheets under uniform stretch.

use pliant::math::svd_3x3;
use pliant::mesh::generate::{Diagonals, TetPattern};
use pliant::mesh::triangle_area;
use pliant::prelude::*;

use super::common::{assert_close, exact, settle};

/// Deformation gradient of a tet.
fn gradient(mesh: &TetMesh, tet: usize, x: &[Vec3]) -> Mat3 {
    let corners = mesh.tets[tet].map(|v| v as usize);
    let edges = |p: &[Vec3]| {
        let [a, b, c, d] = corners.map(|v| p[v]);
        Mat3::from_cols(b - a, c - a, d - a)
    };
    edges(x) * edges(&mesh.positions).inverse()
}

/// Small, irregular displacements.
fn noise(k: usize, size: f64) -> Vec3 {
    let k = k as f64 + 1.0;
    Vec3::new((k * 12.9).sin(), (k * 7.3).sin(), (k * 4.1).sin()) * size
}

#[test]
fn a_bar_between_clamps_stretches_uniformly_and_pulls_with_its_modulus() {
    let youngs_modulus = 1e5;
    for pattern in [TetPattern::Kuhn, TetPattern::Five, TetPattern::BodyCentred] {
        for stretch in [1.3, 0.95] {
            let bar = TetBox { pattern, ..TetBox::bar(1.0, 0.25, 6, 2) };
            let mesh = bar.mesh().unwrap();
            let end = |p: Vec3| p.x.abs() > 0.499;
            let place = |(k, p): (usize, &Vec3)| {
                let shift = if end(*p) { Vec3::ZERO } else { noise(k, 0.01) };
                Vec3::new(stretch * p.x, p.y, p.z) + shift
            };
            let start = mesh.positions.iter().enumerate().map(place).collect();
            let material = SolidMaterial { youngs_modulus, poisson_ratio: 0.0, ..SolidMaterial::default() };
            let body = Body::solid(&mesh, &material).unwrap().pin_where(end).with_positions(start);
            let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(1e3);
            let mut sim = builder.solver(exact()).build().unwrap();
            settle(&mut sim, 1e-14, 20);
            for tet in 0..mesh.tets.len() {
                let sigma = svd_3x3(gradient(&mesh, tet, sim.positions())).sigma.to_array();
                let mut expected = [stretch, 1.0, 1.0];
                expected.sort_by(|a, b| b.total_cmp(a));
                for k in 0..3 {
                    assert_close(sigma[k], expected[k], 1e-12, &format!("{pattern:?}: singular value {k} of {tet}"));
                }
            }
            let pulls = sim.elastic_forces().into_iter().zip(&mesh.positions);
            let force: Vec3 = pulls.filter(|(_, p)| p.x > 0.499).map(|(f, _)| f).sum();
            let expected = -youngs_modulus * 0.25 * 0.25 * (stretch - 1.0);
            assert_close(force.x, expected, 1e-11, &format!("{pattern:?}: force of the bar"));
        }
    }
}

/// Mean of a coordinate over the vertices that satisfy a condition on their rest position.
fn mean(rest: &[Vec3], x: &[Vec3], axis: usize, chosen: impl Fn(Vec3) -> bool) -> f64 {
    let values: Vec<f64> = rest.iter().zip(x).filter(|(p, _)| chosen(**p)).map(|(_, x)| x[axis]).collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// Strain along an axis, from the mean displacements of the two faces (or rims) at ±half.
fn strain(rest: &[Vec3], x: &[Vec3], axis: usize, half: f64) -> f64 {
    let at = |side: f64| mean(rest, x, axis, |p| (p[axis] - side * half).abs() < 1e-9);
    (at(1.0) - at(-1.0)) / (2.0 * half) - 1.0
}

#[test]
fn strain_and_volume_energies_make_the_poisson_ratio_of_a_bar() {
    let (youngs_modulus, target) = (1e5, 1e-3);
    for poisson_ratio in [0.1, 0.3, 0.45] {
        let mesh = TetBox { pattern: TetPattern::Five, ..TetBox::bar(1.0, 0.5, 4, 2) }.mesh().unwrap();
        let material = SolidMaterial { youngs_modulus, poisson_ratio, ..SolidMaterial::default() };
        let body = Body::solid(&mesh, &material).unwrap().named("bar");
        let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(1.0);
        let mut sim = builder.solver(exact()).build().unwrap();
        // Traction σ = E ε on both end faces, shared out by the areas of their triangles; nothing is held.
        let mut loads = vec![Vec3::ZERO; mesh.positions.len()];
        for triangle in &sim.model().bodies()[0].surface {
            let corners = triangle.map(|v| mesh.positions[v as usize]);
            if corners.iter().all(|p| p.x.abs() > 0.499) && corners[0].x == corners[1].x && corners[1].x == corners[2].x
            {
                let share = Vec3::X * (corners[0].x.signum() * youngs_modulus * target * triangle_area(corners) / 3.0);
                triangle.iter().for_each(|&v| loads[v as usize] += share);
            }
        }
        (0u32..).zip(&loads).for_each(|(v, load)| sim.set_force("bar", v, *load).unwrap());
        settle(&mut sim, 1e-13, 200);
        let along = strain(&mesh.positions, sim.positions(), 0, 0.5);
        assert_close(along, target, 0.01, "strain along the bar");
        for axis in [1, 2] {
            let across = strain(&mesh.positions, sim.positions(), axis, 0.25);
            println!("solid ν = {poisson_ratio}: measured {}", -across / along);
            assert_close(-across / along, poisson_ratio, 0.01, "Poisson ratio");
        }
    }
}

#[test]
fn strain_and_area_energies_make_the_poisson_ratio_of_a_sheet() {
    let (youngs_modulus, thickness, target) = (1e6, 1e-3, 1e-3);
    for poisson_ratio in [0.1, 0.3, 0.6] {
        let sheet = Sheet { columns: 8, rows: 4, height: 0.5, diagonals: Diagonals::Alternating, ..Sheet::default() };
        let mesh = sheet.mesh().unwrap();
        let bend_model = BendModel::None;
        let material =
            ClothMaterial { youngs_modulus, thickness, poisson_ratio, bend_model, ..ClothMaterial::default() };
        let body = Body::cloth(&mesh, &material).unwrap().named("sheet");
        let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(0.3);
        let mut sim = builder.solver(exact()).build().unwrap();
        let width = 0.5 / 4.0;
        for row in 0..=4 {
            let share = if row == 0 || row == 4 { 0.5 } else { 1.0 };
            let force = Vec3::X * (youngs_modulus * target * thickness * width * share);
            sim.set_force("sheet", sheet.vertex(8, row), force).unwrap();
            sim.set_force("sheet", sheet.vertex(0, row), -force).unwrap();
        }
        settle(&mut sim, 1e-13, 200);
        let along = strain(&mesh.positions, sim.positions(), 0, 0.5);
        let across = strain(&mesh.positions, sim.positions(), 1, 0.25);
        println!("sheet ν = {poisson_ratio}: measured {}", -across / along);
        assert_close(along, target, 0.01, "strain along the sheet");
        assert_close(-across / along, poisson_ratio, 0.01, "Poisson ratio");
    }
}
