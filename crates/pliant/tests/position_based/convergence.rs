//! What the solver converges to.

use super::*;

/// Lowest point of a column after it has come to rest.
fn sag(solver: impl Into<SolverChoice>, springs: usize, stiffness: f64, mass: f64) -> f64 {
    let damping = Damping { drag: 4.0, ..Damping::default() };
    let mut sim =
        Simulation::builder().body(column(springs, stiffness, mass)).solver(solver).damping(damping).build().unwrap();
    for _ in 0..400 {
        sim.step().unwrap();
    }
    -1.0 - sim.positions()[springs].y
}

#[test]
fn a_hanging_spring_sags_by_mg_over_k_whatever_the_iterations() {
    for iterations in [1, 5, 50] {
        for sweep in [SweepKind::GaussSeidel, SweepKind::Jacobi { relaxation: 1.0 }] {
            let sag = sag(PositionBasedParams { sweep, ..extended(iterations) }, 1, 200.0, 0.5);
            let exact = 0.5 * 9.81 / 200.0;
            assert!((sag - exact).abs() < 1e-9, "{iterations} {sweep:?}: {sag} for {exact}");
        }
    }
}

#[test]
fn extended_dynamics_converge_to_the_exact_sag_but_not_at_ten_iterations() {
    // Masses so that the exact sag is 0.024 m: Σᵢ (n − i) m g/k.
    let (springs, stiffness) = (80, 100.0);
    let mass = 0.024 * stiffness / (9.81 * (springs * (springs + 1) / 2) as f64);
    let at = |iterations| sag(extended(iterations), springs, stiffness, mass);
    let (few, more, many) = (at(10), at(100), at(2000));
    println!("sag at 10, 100, 2000 iterations: {few}, {more}, {many}");
    assert!((many - 0.024).abs() < 5e-3 * 0.024, "{many}");
    assert!(few > 2.0 * 0.024 && more < few && more > 0.024);
}

#[test]
fn extended_dynamics_end_at_the_exact_step() {
    let mut sim = Simulation::builder().body(cloth(6)).build().unwrap();
    for _ in 0..8 {
        sim.step().unwrap();
    }
    let problem = sim.next_problem().unwrap();
    let solve = |choice: SolverChoice| {
        let mut x = problem.start(Start::Predicted).to_vec();
        problem.solve(&choice, &mut x).unwrap();
        x
    };
    let exact = solve(NewtonParams { tolerance: 1e-13, ..NewtonParams::default() }.into());
    let error = |solver: PositionBasedParams| {
        let x = solve(solver.into());
        x.iter().zip(&exact).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)))
    };
    let [few, many] = [2, 20_000].map(|iterations| error(extended(iterations)));
    println!("from the exact step at 2 and 20000 iterations: {few:e} and {many:e} m");
    assert!(many < 1e-6 && few > 1e-4, "{few} {many}");
}
