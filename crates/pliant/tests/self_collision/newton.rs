//! Layers in Newton's matrix: they keep their thickness, rub as Coulomb says, and end where other solvers converge to.

use pliant::prelude::*;

use super::common::sheet;
use super::response::slid;

#[test]
fn a_layer_slides_on_another_as_coulomb_says() {
    let (sin, cos) = 20_f64.to_radians().sin_cos();
    let slid = |friction: f64| slid(20_f64.to_radians(), friction, NewtonParams::default());
    let (sticks, slides, free) = (slid(1.1 * sin / cos), slid(0.7 * sin / cos), slid(0.0));
    println!("sticks {sticks:.2e} m, slides {slides:.4} m, without friction {free:.4} m");
    let expected = |mu: f64| 0.5 * 9.81 * (sin - mu * cos) * (1.0 + 1.0 / 60.0);
    assert!(sticks.abs() < 2e-3 * free, "{sticks} m of {free} m");
    assert!((free / expected(0.0) - 1.0).abs() < 0.03, "{free} for {}", expected(0.0));
    let with_friction = expected(0.7 * sin / cos);
    assert!((slides / with_friction - 1.0).abs() < 0.1, "{slides} for {with_friction}");
}

/// A patch that lies on a hanging cloth, both free to move, and slides over it.
fn rubbing() -> Simulation {
    let below = sheet(0.4, 0.4, 8, 8);
    let mut above = sheet(0.2, 0.2, 5, 5);
    let turn = Mat3::from_rotation_y(0.4);
    above.positions.iter_mut().for_each(|p| *p = turn * *p + Vec3::Y * 4e-3);
    let cloth = |mesh: &TriangleMesh| Body::cloth(mesh, &ClothMaterial::default()).unwrap();
    let count = above.positions.len();
    Simulation::builder()
        .body(cloth(&below).named("below").pin([0, 8, 72, 80]))
        .body(cloth(&above).named("above").with_velocities(vec![Vec3::new(0.3, 0.0, 0.1); count]))
        .self_collision(SelfCollision { thickness: 3e-3, friction: 0.3, ..SelfCollision::default() })
        .time_step(1.0 / 120.0)
        .solver(TwoMetricParams::default())
        .build()
        .unwrap()
}

#[test]
fn layers_that_rub_are_where_other_solvers_converge_to() {
    let mut sim = rubbing();
    let mut pressed = 0;
    for _ in 0..3 {
        (0..4).for_each(|_| drop(sim.step().unwrap()));
        let before = sim.checkpoint();
        let mut step = |solver: SolverChoice| {
            sim.restore(&before).unwrap();
            let report = sim.step_by(solver).unwrap();
            (sim.positions().to_vec(), report)
        };
        let projective = ProjectiveParams {
            iterations: 20_000,
            tolerance: 1e-13,
            precision: Precision::Double,
            ..Default::default()
        };
        let others = [TwoMetricParams::converged().into(), projective.into()].map(|solver| {
            let (x, report) = step(solver);
            println!("{} {:.1e} {}", report.solve.iterations, report.solve.residual, report.solve.converged);
            x
        });
        let (exact, report) = step(NewtonParams { tolerance: 1e-11, ..NewtonParams::default() }.into());
        pressed += report.self_collision.as_ref().unwrap().contacts;
        let solve = report.solve;
        assert!(solve.converged, "residual {} after {} iterations", solve.residual, solve.iterations);
        let gap = |other: &Vec<Vec3>| exact.iter().zip(other).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
        let gaps = [gap(&others[0]), gap(&others[1])];
        println!("{} iterations, {pressed} contacts so far, {gaps:?} m", solve.iterations);
        assert!(gaps.iter().all(|gap| *gap < 1e-6), "{gaps:?} m");
    }
    assert!(pressed > 10, "{pressed} contacts");
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
