//! Layers in Newton's matrix: they keep their thickness, rub as Coulomb says, and end where other solvers converge to.

use pliant::prelude::*;

use super::common::sheet;
use super::response::slid;

#[test]
fn a_layer_slides_on_another_as_coulomb_says() {
    let (sin, cos) = 20_f64.to_radians().sin_cos();
    let slid = |friction: f64| slid(20_f64.to_radians(), friction, NewtonParams::default());
    let [sticks, slides, free] = [slid(1.1 * sin / cos), slid(0.7 * sin / cos), slid(0.0)];
    println!("sticks {sticks:.2e} m, slides {slides:.4} m, without friction {free:.4} m");
    let expected = |mu: f64| 0.5 * 9.81 * (sin - mu * cos) * (1.0 + 1.0 / 60.0);
    assert!(sticks.abs() < 2e-3 * free, "{sticks} m of {free} m");
    assert!((free / expected(0.0) - 1.0).abs() < 0.03, "{free} for {}", expected(0.0));
    let with_friction = expected(0.7 * sin / cos);
    assert!((slides / with_friction - 1.0).abs() < 0.1, "{slides} for {with_friction}");
}

/// A patch that slides over a cloth which hangs from its corners or is pinned all over; weights of contacts over those of inertia.
fn rubbing(hangs: bool, stiffness: f64) -> Simulation {
    let below = sheet(0.4, 0.4, 8, 8);
    let mut above = sheet(0.2, 0.2, 5, 5);
    let turn = Mat3::from_rotation_y(0.4);
    above.positions.iter_mut().for_each(|p| *p = turn * *p + Vec3::Y * 4e-3);
    let cloth = |mesh: &TriangleMesh| Body::cloth(mesh, &ClothMaterial::default()).unwrap();
    let count = above.positions.len();
    let corners = [0, 8, 72, 80];
    let pinned: Vec<u32> = (0..below.positions.len() as u32).filter(|v| !hangs || corners.contains(v)).collect();
    Simulation::builder()
        .body(cloth(&below).named("below").pin(pinned))
        .body(cloth(&above).named("above").with_velocities(vec![Vec3::new(0.3, 0.0, 0.1); count]))
        .self_collision(SelfCollision { thickness: 3e-3, friction: 0.3, stiffness, ..SelfCollision::default() })
        .time_step(1.0 / 120.0)
        .solver(NewtonParams { iterations: 1000, ..NewtonParams::default() })
        .build()
        .unwrap()
}

fn gap(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max(a.distance(*b)))
}

/// A step by a solver from the state of a simulation, which it keeps.
fn step_with(sim: &mut Simulation, solver: impl Into<SolverChoice>) -> Vec<Vec3> {
    let before = sim.checkpoint();
    let report = sim.step_with(solver).unwrap().solve;
    let x = sim.positions().to_vec();
    sim.restore(&before).unwrap();
    println!("{} iterations, residual {:.1e}", report.iterations, report.movement);
    x
}

/// Steps by Newton's method, each beside other solvers from the same state: distances of the two-metric and of the projective one.
fn gaps(sim: &mut Simulation) -> [f64; 2] {
    let projective =
        ProjectiveParams { iterations: 20_000, tolerance: 1e-13, precision: Precision::Double, ..Default::default() };
    let (mut most, mut pressed) = ([0.0_f64; 2], 0);
    for _ in 0..3 {
        (0..4).for_each(|_| drop(sim.step().unwrap()));
        let others = [step_with(sim, TwoMetricParams::converged()), step_with(sim, projective.clone())];
        let report = sim.step().unwrap();
        pressed += report.self_collision.as_ref().unwrap().contacts;
        let solve = &report.solve;
        assert!(solve.residual() < Some(1e-4), "{:?} after {} iterations", solve.forces, solve.iterations);
        println!("{} iterations of Newton's method", solve.iterations);
        (0..2).for_each(|k| most[k] = most[k].max(gap(sim.positions(), &others[k])));
    }
    assert!(pressed > 10, "{pressed} contacts");
    println!("{most:?} m");
    most
}

#[test]
#[ignore = "long: ./test full"]
fn a_layer_that_rubs_is_near_where_other_solvers_are() {
    let gaps = gaps(&mut rubbing(false, 50.0));
    assert!(gaps[0] < 5e-4 && gaps[1] < 2e-5, "{gaps:?} m");
}

/// Two soft layers. The projective solver is still on its way after 60,000 iterations, the two-metric one goes back and forth in some steps. Newton's method is judged by itself too: what weights are
/// given to contacts must not matter.
#[test]
#[ignore = "long: ./test full"]
fn layers_that_both_give_way_are_near_where_other_solvers_are_whatever_the_weights() {
    let mut sim = rubbing(true, 50.0);
    let gaps = gaps(&mut sim);
    assert!(gaps[0] < 5e-4 && gaps[1] < 2e-5, "{gaps:?} m");
    let (x, v) = (sim.positions().to_vec(), sim.velocities().to_vec());
    let ends = [50.0, 400.0].map(|stiffness| {
        let mut sim = rubbing(true, stiffness);
        sim.set_state(&x, &v).unwrap();
        let report = sim.step().unwrap();
        assert!(report.solve.converged && report.self_collision.unwrap().contacts > 5);
        sim.positions().to_vec()
    });
    let gap = gap(&ends[0], &ends[1]);
    assert!(gap < 1e-8, "{gap} m");
}

#[test]
fn threads_change_no_bit() {
    let run = |threads: usize| {
        let sheet = sheet(0.3, 0.3, 12, 12);
        let layer = |name: &str, y: f64, turn: f64| {
            let rotation = Mat3::from_rotation_y(turn);
            let positions = sheet.positions.iter().map(|p| rotation * *p + Vec3::Y * y).collect();
            let mesh = TriangleMesh { positions, ..sheet.clone() };
            Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named(name)
        };
        let mut sim = Simulation::builder()
            .body(layer("floor", 0.0, 0.0).pin([0, 12, 156, 168]))
            .body(layer("one", 3e-3, 0.3))
            .self_collision(SelfCollision::default())
            .solver(NewtonParams { iterations: 6, ..NewtonParams::default() })
            .threads(threads)
            .build()
            .unwrap();
        let pressed: usize = (0..4).map(|_| sim.step().unwrap().self_collision.unwrap().contacts).sum();
        assert!(pressed > 0, "{pressed}");
        sim.positions().iter().flat_map(|p| p.to_array().map(f64::to_bits)).collect::<Vec<_>>()
    };
    let alone = run(1);
    assert!([2, 3].into_iter().all(|threads| run(threads) == alone));
}
