//! Threads change no bit.

use super::*;

#[test]
fn cloth_has_the_same_bits_on_one_and_two_threads() {
    for sweep in [SweepKind::GaussSeidel, SweepKind::Jacobi { relaxation: 1.2 }] {
        for stiffness in [Stiffness::Physical, Stiffness::Share { stiffness: 0.8, kinds: Vec::new() }] {
            let solver = PositionBasedParams { sweep, stiffness, order: SweepOrder::Alternating, ..extended(5) };
            let run = |threads: usize| {
                let mut sim =
                    Simulation::builder().body(cloth(30)).solver(solver.clone()).threads(threads).build().unwrap();
                for _ in 0..5 {
                    sim.step().unwrap();
                }
                sim.positions().iter().flat_map(|p| p.to_array()).map(f64::to_bits).collect::<Vec<u64>>()
            };
            assert_eq!(run(1), run(2), "{solver:?}");
        }
    }
}

/// Constraints of all kinds that have kernels, in bodies of several blocks.
#[test]
fn kernels_have_the_same_bits_on_one_and_two_threads() {
    use pliant::constraint::{Allowed, Dihedral, Distance, TetVolumeConstraint};

    let sheet = Sheet { columns: 48, rows: 48, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
    let bar = TetBox { cells: [16, 8, 8], ..TetBox::default() }.mesh().unwrap();
    for solver in [extended(5), PositionBasedParams::classic(5, 0.8)] {
        let solver = PositionBasedParams { order: SweepOrder::Alternating, ..solver };
        let run = |threads: usize| {
            let distances = Distance::at_rest(&sheet.edges(), &sheet.positions, Allowed::Exactly, 1e-5).unwrap();
            let hinges = Dihedral::at_rest(&sheet.hinges().unwrap(), &sheet.positions, 1e-2).unwrap();
            let cloth = Body::cloth(&sheet, &ClothMaterial::default()).unwrap().pin([0, 48]);
            let cloth = cloth.with_constraints(distances.boxed()).with_constraints(hinges.boxed());
            let volumes = TetVolumeConstraint::at_rest(&bar.tets, &bar.positions, 0.0).unwrap();
            let solid =
                Body::solid(&bar, &SolidMaterial::default()).unwrap().pin([0]).with_constraints(volumes.boxed());
            let mut sim =
                Simulation::builder().body(cloth).body(solid).solver(solver.clone()).threads(threads).build().unwrap();
            for _ in 0..4 {
                sim.step().unwrap();
            }
            sim.positions().iter().flat_map(|p| p.to_array()).map(f64::to_bits).collect::<Vec<u64>>()
        };
        assert_eq!(run(1), run(2), "{solver:?}");
    }
}

#[test]
fn levels_have_the_same_bits_on_one_and_two_threads_and_keep_momentum() {
    let solver = PositionBasedParams { levels: Some(pliant::solve::StretchLevels::default()), ..extended(5) };
    let run = |threads: usize| {
        let mesh = Sheet { columns: 40, rows: 40, ..Sheet::default() }.mesh().unwrap();
        let wider: Vec<Vec3> =
            mesh.positions.iter().map(|p| Vec3::new(1.2 * p.x, p.y, 0.02 * (9.0 * p.x).sin())).collect();
        let body = Body::cloth(&mesh, &ClothMaterial::default()).unwrap().with_positions(wider);
        let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).solver(solver.clone()).threads(threads);
        let mut sim = builder.build().unwrap();
        (0..5).for_each(|_| drop(sim.step().unwrap()));
        let momentum = sim.report().momentum;
        let fastest = sim.velocities().iter().fold(0.0_f64, |most, v| most.max(v.length()));
        assert!(fastest > 0.1, "it springs back: {fastest} m/s");
        assert!(momentum.length() < 1e-12, "{momentum}");
        sim.positions().iter().flat_map(|p| p.to_array()).map(f64::to_bits).collect::<Vec<u64>>()
    };
    assert_eq!(run(1), run(2));
}
