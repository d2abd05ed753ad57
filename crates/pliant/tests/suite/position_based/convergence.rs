//! What the solver converges to.

use pliant::constraint::{Allowed, Distance};

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
#[ignore = "long: ./test full"]
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

#[test]
fn a_stiffness_for_a_kind_that_is_not_there_is_refused_by_its_name() {
    let with = |kind: &str| {
        let kinds = vec![(kind.to_owned(), 0.2)];
        let stiffness = Stiffness::Share { stiffness: 0.9, kinds };
        let solver = PositionBasedParams { stiffness, ..extended(3) };
        Simulation::builder().body(column(3, 100.0, 0.1)).solver(solver).build()
    };
    assert!(with("edge_spring").is_ok());
    let refused = with("hinge").unwrap_err().to_string();
    assert!(refused.contains("\"hinge\"") && refused.contains("edge_spring"), "{refused}");
}

#[test]
fn solvers_that_know_no_constraints_refuse_a_step_of_them() {
    let distances = Distance::at_rest(&[[0, 1]], &[Vec3::ZERO, Vec3::NEG_Y], Allowed::Exactly, 0.0).unwrap();
    let body = column(1, 100.0, 0.1).with_constraints(distances.boxed()).named("thread");
    let mut sim = Simulation::builder().body(body).solver(extended(3)).build().unwrap();
    sim.step().unwrap();
    let mut x = sim.positions().to_vec();
    assert!(sim.next_problem().unwrap().solve(&NewtonParams::default().into(), &mut x).is_err());
    let refused = sim.set_solver(ProjectiveParams::default()).unwrap_err().to_string();
    assert!(refused.contains("\"thread\"") && refused.contains("\"distance\""), "{refused}");
}
