//! Drapes that depend on the material, not on mesh or iterations.

use pliant::mesh::generate::{Diagonals, Plane, Shear, Spacing};
use pliant::prelude::*;

use super::common::{assert_close, exact, settle};

const DENSITY: f64 = 0.2;

/// A lying sheet of 1 m × 1 m.
fn lying(cells: usize, spacing: Spacing) -> Sheet {
    Sheet {
        columns: cells,
        rows: cells,
        plane: Plane::Xz,
        diagonals: Diagonals::Alternating,
        column_spacing: spacing,
        row_spacing: spacing,
        ..Sheet::default()
    }
}

/// Mean drop of a sheet held all around. (Held at points it would not have one: the deflection at a point load on a membrane
/// has no limit, and from 10 to 20 cells the drop of a sheet held at its corners grew by 7 %.)
fn sag(body: Body) -> f64 {
    let body = body.pin_where(|p| p.x.abs().max(p.z.abs()) > 0.499_999);
    let mut sim = Simulation::builder().body(body).time_step(0.05).solver(exact()).build().unwrap();
    (0..10).for_each(|_| drop(sim.step().unwrap()));
    sim.set_time_step(0.5).unwrap();
    settle(&mut sim, 1e-7, 100);
    -sim.report().centre_of_mass.y
}

fn cloth(sheet: &Sheet, bend_model: BendModel) -> Body {
    let material = ClothMaterial {
        density: DENSITY,
        youngs_modulus: 1e5,
        thickness: 5e-4,
        bend_model,
        ..ClothMaterial::default()
    };
    Body::cloth(&sheet.mesh().unwrap(), &material).unwrap()
}

fn springs(sheet: &Sheet) -> Body {
    let mut edges = sheet.structural_edges().unwrap();
    edges.extend(sheet.shear_edges(Shear::Both).unwrap());
    Body::mass_spring(&sheet.mesh().unwrap(), DENSITY, edges, 30.0).unwrap()
}

const GRADED: Spacing = Spacing::Graded { ratio: 12.0 };

#[test]
fn a_drape_does_not_depend_on_the_mesh() {
    let measure = |cells, spacing| sag(cloth(&lying(cells, spacing), BendModel::None));
    let coarse = measure(10, Spacing::Uniform);
    let fine = measure(20, Spacing::Uniform);
    let graded = measure(16, GRADED);
    println!("cloth: 10 cells {coarse}, 20 cells {fine}, graded {graded}");
    assert_close(coarse, fine, 0.03, "10 against 20 cells");
    assert_close(graded, fine, 0.03, "graded against uniform cells");
}

#[test]
fn a_drape_of_equal_springs_depends_on_the_mesh() {
    let (uniform, graded) = (sag(springs(&lying(16, Spacing::Uniform))), sag(springs(&lying(16, GRADED))));
    println!("springs: uniform {uniform}, graded {graded}");
    assert!((graded / uniform - 1.0).abs() > 0.03, "graded {graded}, uniform {uniform}");
}

#[test]
fn ten_iterations_sag_as_a_hundred() {
    let sags = |iterations: usize| {
        let sheet = lying(12, Spacing::Uniform);
        let body = cloth(&sheet, BendModel::MeanCurvature).pin([sheet.vertex(0, 0), sheet.vertex(12, 0)]);
        let solver = ProjectiveParams::plain(iterations);
        let mut sim = Simulation::builder().body(body).time_step(1.0 / 30.0).solver(solver).build().unwrap();
        let mut sag = || {
            sim.step().unwrap();
            -sim.report().centre_of_mass.y
        };
        (0..90).map(|_| sag()).collect::<Vec<f64>>()
    };
    let (few, many) = (sags(10), sags(100));
    for step in [10, 30, 89] {
        println!("step {step}: 10 iterations {}, 100 iterations {}", few[step], many[step]);
        assert_close(few[step], many[step], 0.05, &format!("sag in step {step}"));
    }
}
