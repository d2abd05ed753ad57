//! Hair as matter, beside other bodies.
#![allow(clippy::unwrap_used, reason = "tests")]

use pliant::constraint::LongRangeAttachments;
use pliant::mesh::StrandSet;
use pliant::mesh::generate::{Bundle, Roots};
use pliant::prelude::*;
use pliant::{ModelError, SimulationBuilder};

use super::follow_leader::{roots, worst_length};

fn bundle(count: usize, segments: usize) -> StrandSet {
    let roots = Roots::Disc { radius: 0.05, count };
    Bundle { roots, direction: Vec3::X, length: 0.3, segments }.strands().unwrap()
}

/// Where nothing is in the way, iterations after the first find lengths exact.
#[test]
fn hair_alone_moves_as_by_the_solver_for_worlds_of_hair() {
    let hair = bundle(20, 8);
    let style = Some(HairStyle { local: 0.2, iterations: 2, global: 0.05, global_range: 0.5 });
    let grid = Some(HairGrid { cell: 0.03, friction: 4.0, repulsion: 0.02 });
    let material = HairMaterial { correction: 0.6, grid, style, ..HairMaterial::default() };
    let strands = StrandMaterial { density: material.density, ..StrandMaterial::default() };
    let solver = FollowLeaderParams { correction: 0.6, grid, style };
    let body = Body::strands(&hair, &strands).unwrap().pin(roots(&hair));
    let mut alone = Simulation::builder().body(body).solver(solver).build().unwrap();
    let body = Body::hair(&hair, &material).unwrap().pin(roots(&hair));
    let mut matter = Simulation::builder().body(body).build().unwrap();
    for _ in 0..60 {
        for sim in [&mut alone, &mut matter] {
            let turn = Quat::from_rotation_y((5.0 * sim.time()).sin());
            sim.move_pins(|vertex, _| turn * hair.positions[vertex as usize]).unwrap();
            sim.step().unwrap();
        }
    }
    let apart = alone.positions().iter().zip(matter.positions()).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
    assert!(apart < 1e-9, "{apart:e} m");
    let fallen = matter.positions().iter().fold(0.0_f64, |low, p| low.min(p.y));
    assert!(fallen < -0.1, "{fallen}");
}

/// A soft block with hair tied to its upper side, whose lower side is shaken.
fn head(hair: &StrandSet) -> (SimulationBuilder, Vec<(u32, u32)>) {
    let block = TetBox { cells: [3, 3, 3], ..TetBox::default() }.mesh().unwrap();
    let soft = SolidMaterial { youngs_modulus: 2e4, ..SolidMaterial::default() };
    let lowest = block.positions.iter().fold(f64::MAX, |low, p| low.min(p.y));
    let skull = Body::solid(&block, &soft).unwrap().named("skull").pin_where(|p| p.y < lowest + 1e-9);
    let nearest = |root: &u32| {
        let at = hair.positions[*root as usize];
        (0..block.positions.len())
            .min_by(|a, b| block.positions[*a].distance(at).total_cmp(&block.positions[*b].distance(at)))
    };
    let ties: Vec<(u32, u32)> = roots(hair).iter().map(|root| (*root, nearest(root).unwrap() as u32)).collect();
    let mut builder =
        Simulation::builder().body(skull).body(Body::hair(hair, &HairMaterial::default()).unwrap().named("hair"));
    for (root, vertex) in &ties {
        builder = builder.attach(("hair", *root), ("skull", *vertex), 1e3);
    }
    (builder, ties)
}

#[test]
fn hair_tied_to_a_soft_head_goes_with_it_at_exact_lengths() {
    let block = TetBox { cells: [3, 3, 3], ..TetBox::default() }.mesh().unwrap();
    let highest = block.positions.iter().fold(f64::MIN, |high, p| high.max(p.y));
    let mut hair = bundle(6, 10);
    hair.positions.iter_mut().for_each(|p| p.y += highest);
    let (builder, ties) = head(&hair);
    let mut sim = builder.build().unwrap();
    let first = block.positions.len();
    let (mut furthest, mut moved) = (0.0_f64, 0.0_f64);
    for _ in 0..60 {
        let nod = Vec3::new(0.1 * (8.0 * sim.time()).sin(), 0.0, 0.0);
        sim.move_pins(|vertex, _| block.positions[vertex as usize] + nod).unwrap();
        sim.step().unwrap();
        let x = sim.positions();
        let worst = worst_length(&hair, &x[first..]);
        assert!(worst < 1e-9, "{worst:e}");
        for (root, vertex) in &ties {
            if sim.state().step > 30 {
                furthest = furthest.max(x[first + *root as usize].distance(x[*vertex as usize]));
            }
            moved = moved.max(x[*vertex as usize].distance(block.positions[*vertex as usize]));
        }
    }
    assert!(moved > 0.08, "the head nods by {moved} m");
    // At 1000 N/m a root of less than a gram stays where it is tied.
    assert!(furthest < 1e-3, "a root is {furthest} m from its place");
}

#[test]
fn hair_lies_on_a_ball_outside_of_it_with_its_lengths() {
    let hair = bundle(12, 20);
    let ball = Collider::new(Shape::Sphere { radius: 0.1 }).at(Vec3::new(0.12, -0.13, 0.0));
    let body = Body::hair(&hair, &HairMaterial::default()).unwrap().pin(roots(&hair));
    let mut sim = Simulation::builder().body(body).collider(ball).build().unwrap();
    let mut touched = 0;
    for _ in 0..90 {
        let report = sim.step().unwrap();
        touched = touched.max(report.solve.contacts);
        let worst = worst_length(&hair, sim.positions());
        assert!(worst < 1e-3, "{worst:e}");
        let deepest = sim.positions().iter().map(|p| 0.1 - p.distance(Vec3::new(0.12, -0.13, 0.0))).fold(0.0, f64::max);
        assert!(deepest < 1e-3, "{deepest} m inside");
    }
    assert!(touched > 5, "{touched} vertices touched the ball");
}

#[test]
fn what_hair_does_not_feel_is_refused_with_its_name() {
    let hair = bundle(3, 4);
    let material = HairMaterial::default();
    let own = || Body::hair(&hair, &material).unwrap().named("hair");
    let refused = |builder: SimulationBuilder| match builder.build() {
        Err(ModelError::Matter { body, kind: "hair", problem }) => {
            assert_eq!(body, "hair");
            problem
        }
        other => panic!("{other:?}"),
    };
    let mut some = roots(&hair);
    some.pop();
    assert!(refused(Simulation::builder().body(own().pin(some))).contains("strand 2 follows nothing"));
    let springs = EdgeSprings::new(hair.segments().collect(), SpringStiffness::Uniform(1.0));
    let with_springs = own().pin(roots(&hair)).with_energy(springs.build(&hair.positions).unwrap());
    assert!(refused(Simulation::builder().body(with_springs)).contains("edge_spring"));
    let edges: Vec<[u32; 2]> = hair.segments().collect();
    let threads = LongRangeAttachments::default().threads(&hair.positions, &edges, &[], &roots(&hair)).unwrap();
    let threaded = own().pin(roots(&hair)).with_constraints(threads.boxed());
    assert!(refused(Simulation::builder().body(threaded)).contains("long_range"));
    let midpoint = Simulation::builder().body(own().pin(roots(&hair))).integrator(TimeIntegrator::ImplicitMidpoint);
    assert!(refused(midpoint).contains("implicit Euler"));
    for wrong in [
        HairMaterial { density: 0.0, ..HairMaterial::default() },
        HairMaterial { width: f64::NAN, ..HairMaterial::default() },
        HairMaterial { correction: 1.0, ..HairMaterial::default() },
    ] {
        assert!(matches!(Body::hair(&hair, &wrong), Err(ModelError::BadParameter { .. })), "{wrong:?}");
    }
}
