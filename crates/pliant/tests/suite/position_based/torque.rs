//! Elements do not turn by themselves.

use pliant::mesh::Placed;
use pliant::mesh::generate::TetBox;

use super::*;

/// |Σ m x × v| over Σ m |x| |v| after one step of a body that is strained at rest and then let go, x from its centre.
fn spin(body: Body, solver: PositionBasedParams) -> f64 {
    let strain = |p: &Vec3| Vec3::new(1.01 * p.x + 0.004 * p.y, 0.995 * p.y, 1.003 * p.z - 0.002 * p.x);
    let positions: Vec<Vec3> = body.rest().iter().map(strain).collect();
    let body = body.with_positions(positions.clone());
    let mut sim = Simulation::builder().body(body).solver(solver).gravity(Vec3::ZERO).build().expect("a world");
    sim.step().expect("a step");
    let mass = sim.model().mass().lumped();
    let centre = mass.iter().zip(&positions).map(|(m, p)| *p * *m).sum::<Vec3>() / mass.iter().sum::<f64>();
    let (mut spin, mut size) = (Vec3::ZERO, 0.0);
    for ((m, x), v) in mass.iter().zip(&positions).zip(sim.velocities()) {
        spin += (*x - centre).cross(*v) * *m;
        size += (*x - centre).length() * v.length() * m;
    }
    assert!(size > 0.0, "it springs back");
    spin.length() / size
}

#[test]
fn a_body_that_springs_back_does_not_begin_to_turn_whatever_the_iterations() {
    let solid = || {
        let mesh = TetBox { size: Vec3::new(1.0, 0.4, 0.6), cells: [4, 2, 3], ..TetBox::default() }.mesh();
        Body::solid(&mesh.expect("a box"), &SolidMaterial::default()).expect("a solid")
    };
    let cloth = || {
        let sheet = Sheet { columns: 6, rows: 4, ..Sheet::default() }.mesh().expect("a sheet");
        Body::cloth(&sheet.translated(Vec3::Z), &ClothMaterial::default()).expect("cloth")
    };
    for iterations in [1, 3, 10] {
        // Gauss–Seidel in lanes, Jacobi one by one.
        for sweep in [SweepKind::GaussSeidel, SweepKind::Jacobi { relaxation: 1.0 }] {
            let solver = PositionBasedParams { sweep, ..extended(iterations) };
            let [solid, cloth] = [spin(solid(), solver.clone()), spin(cloth(), solver)];
            assert!(solid < 0.01 && cloth < 0.01, "{iterations} {sweep:?}: {solid}, {cloth}");
        }
    }
}
