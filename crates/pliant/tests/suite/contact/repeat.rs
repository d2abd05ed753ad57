//! The same bits whatever the threads, and from a checkpoint.

use pliant::collide::{Key, Pose};
use pliant::prelude::*;

use super::common::{cube, jelly};

fn lbfgs() -> SolverChoice {
    ProjectiveParams { acceleration: Acceleration::Lbfgs { history: 5 }, ..ProjectiveParams::default() }.into()
}

/// Cloth falling on a turning sphere and a soft cube on the ground.
fn world(threads: usize, solver: SolverChoice) -> Simulation {
    let sheet = Sheet { columns: 20, rows: 20, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
    let bar = cube(3).translated(Vec3::new(1.0, 0.12, 0.0));
    let key = |time: f64, angle: f64| {
        let position = Vec3::new(0.0, -0.32, 0.0);
        Key { time, pose: Pose { position, rotation: Quat::from_rotation_y(angle) } }
    };
    Simulation::builder()
        .body(Body::cloth(&sheet, &ClothMaterial::default()).unwrap().named("cloth"))
        .body(Body::solid(&bar, &jelly()).unwrap().named("bar"))
        .collider(Collider::new(Shape::Sphere { radius: 0.3 }).moving(vec![key(0.0, 0.0), key(1.0, 3.0)]).friction(0.5))
        .collider(Collider::new(Shape::Plane).friction(0.3).restitution(0.2))
        .threads(threads)
        .solver(solver)
        .build()
        .unwrap()
}

#[test]
fn threads_change_no_bit_of_a_world_with_contacts() {
    for solver in [SolverChoice::Auto, lbfgs()] {
        let run = |threads: usize| {
            let mut sim = world(threads, solver.clone());
            (0..40).for_each(|_| drop(sim.step().unwrap()));
            (sim.positions().to_vec(), sim.contacts().to_vec())
        };
        let (positions, contacts) = run(1);
        assert!(contacts.len() > 31, "{solver}: {}", contacts.len());
        for threads in [2, 3, 8] {
            let (other, others) = run(threads);
            assert_eq!(positions, other, "{solver}, {threads} threads");
            assert_eq!(contacts, others, "{solver}, {threads} threads");
        }
    }
}

#[test]
fn a_run_from_a_checkpoint_amid_contacts_goes_on_bit_for_bit() {
    for solver in [SolverChoice::Auto, lbfgs()] {
        let mut sim = world(2, solver.clone());
        (0..30).for_each(|_| drop(sim.step().unwrap()));
        let saved = Checkpoint::from_bytes(&sim.checkpoint().to_bytes()).unwrap();
        (0..10).for_each(|_| drop(sim.step().unwrap()));
        let mut resumed = world(2, solver);
        resumed.restore(&saved).unwrap();
        (0..10).for_each(|_| drop(resumed.step().unwrap()));
        assert_eq!(sim.positions(), resumed.positions());
        assert_eq!(sim.velocities(), resumed.velocities());
    }
}
