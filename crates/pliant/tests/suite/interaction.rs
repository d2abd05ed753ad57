//! What a program in which someone plays needs: picking, dragging, buffers for drawing.
#![allow(clippy::unwrap_used)]

use pliant::mesh::generate::Icosphere;
use pliant::prelude::*;
use pliant::solve::ExplicitParams;
use pliant::{HairMaterial, InputError, Pick, Ray, RenderBuffers};

fn shared<T: Send + Sync>() {}

#[test]
fn a_simulation_can_be_sent_and_shared_between_threads() {
    shared::<Simulation>();
    let sheet = Sheet { columns: 8, rows: 8, ..Sheet::default() };
    let cloth = Body::cloth(&sheet.mesh().unwrap(), &ClothMaterial::default()).unwrap().named("cloth").pin([0, 8]);
    let mut sim = Simulation::builder().body(cloth).build().unwrap();
    sim.step().unwrap();
    let lowest = |sim: &Simulation| sim.positions().iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let here = lowest(&sim);
    let there = std::thread::scope(|scope| [0, 1].map(|_| scope.spawn(|| lowest(&sim))).map(|t| t.join().unwrap()));
    assert_eq!(there, [here; 2]);
    let mut sent = std::thread::spawn(move || sim.step().map(|_| sim).unwrap()).join().unwrap();
    sent.step().unwrap();
}

/// A point of 0.5 kg that hangs on a grab comes to rest mg/k below it, with every solver.
#[test]
fn what_hangs_on_a_grab_stretches_it_by_mg_over_k() {
    let solvers: [SolverChoice; 5] = [
        ProjectiveParams { precision: Precision::Double, ..ProjectiveParams::default() }.into(),
        TwoMetricParams::default().into(),
        NewtonParams::default().into(),
        PositionBasedParams::default().into(),
        ExplicitParams::default().into(),
    ];
    for solver in solvers {
        let points = pliant::mesh::PointSet { positions: vec![Vec3::ZERO, Vec3::X] };
        let springs = EdgeSprings::new(vec![[0, 1]], SpringStiffness::Uniform(100.0)).build(&points.positions).unwrap();
        let pair = Body::points(&points, 0.5).named("pair").with_energy(springs).pin([1]);
        let damping = Damping { drag: 4.0, ..Damping::default() };
        let builder = Simulation::builder().body(pair).damping(damping).solver(solver.clone()).time_step(0.01);
        let mut sim = builder.build().unwrap();
        let grab = sim.grab("pair", 0, 200.0).unwrap();
        (0..400).for_each(|_| drop(sim.step().unwrap()));
        // The spring beside it is nearly across and adds (1 − 1/length) of its stiffness.
        let at = sim.positions()[0];
        let side = at.distance(Vec3::X);
        let held = 200.0 * -at.y - 100.0 * (side - 1.0) / side * at.y;
        assert!((held / (0.5 * 9.81) - 1.0).abs() < 2e-3, "{solver}: {held} N at {at}");
        // Moved, it takes the point along; released, the point falls.
        sim.move_grab(grab, Vec3::Y * 0.1).unwrap();
        (0..400).for_each(|_| drop(sim.step().unwrap()));
        assert!((sim.positions()[0].y - at.y) > 0.08, "{solver}");
        sim.release(grab).unwrap();
        (0..20).for_each(|_| drop(sim.step().unwrap()));
        assert!(sim.positions()[0].y < at.y + 0.05, "{solver}");
    }
}

#[test]
fn hair_can_be_dragged_and_keeps_its_lengths() {
    let line = rope(Vec3::Y, Vec3::ZERO, 10).unwrap();
    let hair = || Body::hair(&line, &HairMaterial::default()).unwrap().named("hair").pin([0]);
    let strand = || Body::strands(&line, &StrandMaterial::default()).unwrap().named("hair").pin([0]);
    let worlds = [
        Simulation::builder().body(hair()),
        Simulation::builder().body(strand()).solver(FollowLeaderParams::default()),
    ];
    for builder in worlds {
        let mut sim = builder.build().unwrap();
        let grab = sim.grab("hair", 10, 20.0).unwrap();
        sim.move_grab(grab, Vec3::new(0.6, 0.2, 0.0)).unwrap();
        (0..120).for_each(|_| drop(sim.step().unwrap()));
        let x = sim.positions();
        assert!(x[10].x > 0.3, "the tip is at {}", x[10]);
        assert!(x.windows(2).all(|pair| (pair[0].distance(pair[1]) - 0.1).abs() < 1e-9));
    }
}

#[test]
fn grabs_are_in_checkpoints_and_bad_ones_are_refused() {
    let sheet = Sheet { columns: 6, rows: 6, ..Sheet::default() };
    let build = || {
        let cloth = Body::cloth(&sheet.mesh().unwrap(), &ClothMaterial::default()).unwrap().named("cloth").pin([0]);
        Simulation::builder().body(cloth).build().unwrap()
    };
    let mut sim = build();
    let dropped = sim.grab("cloth", 3, 50.0).unwrap();
    sim.release(dropped).unwrap();
    let grab = sim.grab("cloth", 20, 50.0).unwrap();
    sim.move_grab(grab, Vec3::new(0.2, 0.3, 0.4)).unwrap();
    sim.step().unwrap();
    let saved = Checkpoint::from_bytes(&sim.checkpoint().to_bytes()).unwrap();
    let mut resumed = build();
    resumed.restore(&saved).unwrap();
    for sim in [&mut sim, &mut resumed] {
        // The same handle holds the same vertex, and that of the dropped one none.
        assert_eq!(sim.release(dropped), Err(InputError::Gone { what: "grab", slot: 0 }));
        sim.move_grab(grab, Vec3::new(0.1, 0.5, 0.4)).unwrap();
        sim.step().unwrap();
    }
    assert_eq!(sim.positions(), resumed.positions());
    assert!(matches!(sim.grab("cloth", 0, 50.0), Err(InputError::Pinned { vertex: 0, .. })));
    assert!(matches!(sim.grab("cloth", 99, 50.0), Err(InputError::NoSuchVertex { vertex: 99, .. })));
    for stiffness in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(sim.grab("cloth", 1, stiffness), Err(InputError::BadValue { .. })));
    }
    assert!(sim.move_grab(grab, Vec3::NAN).is_err());
}

#[test]
fn a_ray_picks_the_first_thing_that_it_meets() {
    let ball = Icosphere { radius: 0.5, subdivisions: 3 }.mesh().unwrap();
    let near = Body::cloth(&ball, &ClothMaterial::default()).unwrap().named("near");
    let far = ball.clone().translated(Vec3::Z * -3.0);
    let far = Body::cloth(&far, &ClothMaterial::default()).unwrap().named("far");
    let line = rope(Vec3::new(2.0, -1.0, 0.0), Vec3::new(2.0, 1.0, 0.0), 20).unwrap();
    let line = Body::strands(&line, &StrandMaterial::default()).unwrap().named("rope");
    let sim = Simulation::builder().body(far).body(near).body(line).build().unwrap();
    let along = |x: f64, y: f64| Ray { origin: Vec3::new(x, y, 4.0), direction: Vec3::Z * -0.3 };
    let Pick { body, vertex, point, distance } = sim.pick(along(0.1, 0.05), 0.0).unwrap().unwrap();
    assert_eq!(body, "near");
    assert!((point - Vec3::new(0.1, 0.05, 0.487)).length() < 0.01 && (distance - 3.513).abs() < 0.01);
    let x = sim.body_positions("near").unwrap();
    let chosen = x[vertex as usize].distance(point);
    assert!(x.iter().all(|p| p.distance(point) >= chosen), "no vertex is nearer");
    // Strands have no surface: within a radius.
    assert_eq!(sim.pick(along(2.01, 0.02), 0.005).unwrap(), None);
    let picked = sim.pick(along(2.01, 0.02), 0.05).unwrap().unwrap();
    assert_eq!((picked.body.as_str(), picked.vertex), ("rope", 10));
    // Behind the origin there is nothing.
    assert_eq!(sim.pick(Ray { origin: Vec3::Z * 4.0, direction: Vec3::Z }, 0.1).unwrap(), None);
    assert!(sim.pick(Ray { origin: Vec3::ZERO, direction: Vec3::ZERO }, 0.1).is_err());
    assert!(sim.pick(Ray { origin: Vec3::NAN, direction: Vec3::X }, 0.1).is_err());
    assert!(sim.pick(along(0.0, 0.0), f64::NAN).is_err());
}

#[test]
fn render_buffers_are_between_the_last_two_steps_with_outward_normals() {
    let ball = Icosphere { radius: 0.5, subdivisions: 3 }.mesh().unwrap();
    let ball = Body::cloth(&ball, &ClothMaterial::default()).unwrap().named("ball");
    let mut sim = Simulation::builder().body(ball).build().unwrap();
    let mut buffers = RenderBuffers::new(&sim);
    let before = sim.positions().to_vec();
    sim.step().unwrap();
    buffers.advance(&sim);
    for share in [0.0, 0.3, 1.0] {
        buffers.blend(&sim, share);
        for ((drawn, a), b) in buffers.positions().iter().zip(&before).zip(sim.positions()) {
            assert_eq!(*drawn, a.lerp(*b, share).as_vec3().to_array());
        }
    }
    let centre = sim.positions().iter().sum::<Vec3>() / before.len() as f64;
    for ((normal, drawn), p) in sim.normals().iter().zip(buffers.normals()).zip(sim.positions()) {
        assert!(normal.dot((*p - centre).normalize()) > 0.99);
        assert_eq!(*drawn, normal.as_vec3().to_array());
    }
}
