//! Energy never comes from nowhere, whatever the integrator: measured by [`Simulation::report`], which knows nothing of the books that the engine keeps.
#![allow(clippy::unwrap_used)]

use pliant::prelude::*;

const ALL: [TimeIntegrator; 5] = [
    TimeIntegrator::ImplicitEuler,
    TimeIntegrator::Bdf2,
    TimeIntegrator::TrBdf2,
    TimeIntegrator::ImplicitMidpoint,
    TimeIntegrator::EnergyKeeping,
];

/// What a world does in some steps without work from outside.
#[derive(Debug, Default)]
struct Course {
    /// Largest energy above the least before \[J\], and what was turned over: at the start, and by falling.
    gain: f64,
    turned_over: f64,
    redone: usize,
    slowed: usize,
    fastest: f64,
}

fn course(sim: &mut Simulation, steps: usize) -> Course {
    let mut course = Course::default();
    let start = sim.report();
    let (mut least, mut highest, own) = (start.total(), start.gravitational, start.kinetic + start.potential());
    for _ in 0..steps {
        let energy = sim.step().unwrap().energy;
        let report = sim.report();
        course.gain = course.gain.max(report.total() - least);
        least = least.min(report.total());
        highest = highest.max(report.gravitational);
        course.turned_over = course.turned_over.max(own + highest - report.gravitational);
        course.redone += energy.redone;
        course.slowed += energy.slowed;
        course.fastest = course.fastest.max(report.max_speed);
    }
    course
}

fn assert_kept(course: &Course, what: &dyn std::fmt::Debug) {
    assert!(course.gain <= 0.06 * course.turned_over + 1e-6, "{what:?}: {course:?}");
}

fn projective(iterations: usize) -> SolverChoice {
    ProjectiveParams { iterations, ..ProjectiveParams::default() }.into()
}

/// It gained 1.3 MJ in a second by TR-BDF2, whose first stage takes forces where ten iterations have not balanced them.
#[test]
fn a_stiff_bar_falls_as_a_bar() {
    for integrator in ALL {
        let mesh = TetBox { size: Vec3::new(1.0, 0.2, 0.2), cells: [10, 2, 2], ..TetBox::default() }.mesh().unwrap();
        let material = SolidMaterial { youngs_modulus: 1e8, poisson_ratio: 0.3, ..SolidMaterial::default() };
        let bar = Body::solid(&mesh, &material).unwrap();
        let world = Simulation::builder().body(bar).integrator(integrator).substeps(1).solver(projective(10));
        let mut sim = world.build().unwrap();
        // A little swing, so that there is something to solve.
        sim.set_velocities(&mesh.positions.iter().map(|p| Vec3::Y * (3.0 * p.x)).collect::<Vec<_>>()).unwrap();
        let before = sim.report().momentum.y;
        let course = course(&mut sim, 60);
        assert_kept(&course, &integrator);
        let report = sim.report();
        // Momentum is what gravity gave.
        let expected = -9.81 * sim.model().mass().lumped().iter().sum::<f64>();
        let gained = report.momentum.y - before;
        assert!((gained - expected).abs() < 5e-3 * expected.abs(), "{integrator:?}: {gained} of {expected}");
    }
}

/// Held at two corners it gained 143 J by TR-BDF2 in ten iterations, and was at 100 m/s after a second by the implicit midpoint, even when solved exactly.
#[test]
fn hanging_denim_only_swings() {
    for integrator in ALL {
        for solver in [projective(10), SolverChoice::Auto, NewtonParams::default().into()] {
            let mesh = Sheet { columns: 14, rows: 14, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
            let denim = pliant::presets::cloth("denim").unwrap();
            let cloth = Body::cloth(&mesh, &denim).unwrap().pin([0, 14]);
            let world = Simulation::builder().body(cloth).integrator(integrator).substeps(1).solver(solver.clone());
            let course = course(&mut world.build().unwrap(), 60);
            assert_kept(&course, &(integrator, &solver));
            assert!(course.fastest < 10.0, "{integrator:?}, {solver:?}: {course:?}");
        }
    }
}

/// By TR-BDF2 it rose from 0.101 m to 0.144 m.
#[test]
fn a_rigid_ball_without_restitution_stays_down() {
    for integrator in ALL {
        let mesh = pliant::mesh::generate::Icosphere { radius: 0.1, subdivisions: 2 }.mesh();
        let ball = Body::rigid(&mesh.unwrap().translated(Vec3::Y * 0.5), &RigidMaterial::default()).unwrap();
        let world = Simulation::builder().body(ball.named("ball")).collider(Collider::new(Shape::Plane));
        let mut sim = world.integrator(integrator).substeps(1).build().unwrap();
        let (mut has_landed, mut highest) = (false, 0.0_f64);
        for _ in 0..120 {
            sim.step().unwrap();
            has_landed |= !sim.contacts().is_empty();
            if has_landed {
                highest = highest.max(sim.rigid_pose("ball").unwrap().centre.y);
            }
        }
        assert!(has_landed && highest < 0.105, "{integrator:?}: {highest}");
    }
}

/// A jelly that falls on the ground keeps less than it had, also where it looks back over the impact.
#[test]
fn jelly_lands_without_a_gain() {
    for integrator in ALL {
        for solver in [projective(10), SolverChoice::Auto] {
            let mesh = TetBox { size: Vec3::splat(0.3), cells: [4; 3], ..TetBox::default() }.mesh().unwrap();
            let jelly = pliant::presets::solid("jelly").unwrap();
            let cube = Body::solid(&mesh.translated(Vec3::Y * 0.6), &jelly).unwrap();
            let world = Simulation::builder().body(cube).collider(Collider::new(Shape::Plane).friction(0.3));
            let world = world.integrator(integrator).solver(solver.clone());
            assert_kept(&course(&mut world.build().unwrap(), 90), &(integrator, &solver));
        }
    }
}

/// Where nothing is known of what is stored, kinetic energy says what came from nowhere: by the implicit midpoint, cloth under XPBD had at a moment 15 times
/// what its fall had released.
#[test]
fn cloth_without_known_energy_only_swings() {
    for integrator in ALL.into_iter().filter(|integrator| *integrator != TimeIntegrator::EnergyKeeping) {
        let mesh = Sheet { columns: 14, rows: 14, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
        let cloth = Body::cloth(&mesh, &pliant::presets::cloth("denim").unwrap()).unwrap().pin([0, 14]);
        let world = Simulation::builder().body(cloth).integrator(integrator).substeps(1);
        let mut sim = world.solver(PositionBasedParams::default()).build().unwrap();
        let start = sim.report().gravitational;
        let (mut gain, mut most_released) = (0.0_f64, 0.0_f64);
        for _ in 0..60 {
            sim.step().unwrap();
            let report = sim.report();
            let released = start - report.gravitational;
            most_released = most_released.max(released);
            gain = gain.max(report.kinetic - released);
        }
        let worst = gain / most_released;
        assert!(worst < 0.06, "{integrator}: {worst} of what falling released comes from nowhere");
    }
}
