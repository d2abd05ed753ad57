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
