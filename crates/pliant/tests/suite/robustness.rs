//! Scenes that break weaker solvers, and errors that name the offender.
#![allow(clippy::unwrap_used)]

use pliant::constraint::{Allowed, Distance};
use pliant::energy::{EdgeSprings, HalfSpace, Memory, Metric, PositionGoals, SpringStiffness};
use pliant::math::{nearest_rotation, svd_3x3};
use pliant::mesh::generate::Plane;
use pliant::mesh::{Csr, PointSet};
use pliant::prelude::*;
use pliant::solve::SolverChoice;
use pliant::{CheckpointError, InputError, ModelError, StepError};

fn run_seconds(sim: &mut Simulation, seconds: f64) {
    while sim.time() < seconds {
        sim.step().unwrap();
    }
}

/// Deformation gradients of a solid's tets at given positions.
fn gradients(mesh: &TetMesh, x: &[Vec3]) -> Vec<Mat3> {
    let edges = |p: &[Vec3], t: &[u32; 4]| {
        let [a, b, c, d] = t.map(|v| p[v as usize]);
        Mat3::from_cols(b - a, c - a, d - a)
    };
    mesh.tets.iter().map(|t| edges(x, t) * edges(&mesh.positions, t).inverse()).collect()
}

fn assert_upright(name: &str, mesh: &TetMesh, x: &[Vec3]) {
    for (tet, f) in gradients(mesh, x).iter().enumerate() {
        assert!(f.determinant() > 0.0, "{name}: tet {tet} has det F = {}", f.determinant());
    }
}

fn assert_undeformed(name: &str, mesh: &TetMesh, x: &[Vec3]) {
    for (tet, f) in gradients(mesh, x).iter().enumerate() {
        let strain = (*f - nearest_rotation(*f)).to_cols_array().iter().map(|e| e * e).sum::<f64>().sqrt();
        assert!(strain < 1e-3, "{name}: tet {tet} has ‖F − R‖ = {strain}");
    }
}

fn cube(size: f64, cells: usize) -> TetMesh {
    TetBox { size: Vec3::splat(size), cells: [cells; 3], ..TetBox::default() }.mesh().unwrap()
}

fn shaken(positions: &[Vec3], size: f64) -> Vec<Vec3> {
    let wave = |k: f64| Vec3::new((k * 12.9).sin(), (k * 7.3).sin(), (k * 4.1).sin());
    positions.iter().enumerate().map(|(k, p)| *p + wave(k as f64) * size).collect()
}

#[test]
fn stiff_small_cubes_and_large_cloth_share_a_world() {
    let mesh = cube(0.1, 3);
    let stiff = SolidMaterial { youngs_modulus: 1e7, ..Default::default() };
    let hung = mesh.clone().translated(Vec3::new(0.0, 0.2, 0.0));
    let falling = mesh.clone().translated(Vec3::new(3.0, 1.0, 0.0));
    let sheet = Sheet { width: 10.0, height: 10.0, columns: 20, rows: 20, plane: Plane::Xz, ..Default::default() };
    let top = hung.positions.iter().fold(f64::MIN, |m, p| m.max(p.y));
    let mut sim = Simulation::builder()
        .body(Body::solid(&hung, &stiff).unwrap().named("hung").pin_where(|p| p.y > top - 1e-9))
        .body(Body::solid(&falling, &stiff).unwrap().named("falling").with_positions(shaken(&falling.positions, 0.02)))
        .body(Body::cloth(&sheet.mesh().unwrap(), &ClothMaterial::default()).unwrap().named("cloth").pin([0, 20]))
        .build()
        .unwrap();
    run_seconds(&mut sim, 5.0);
    assert_upright("hung", &hung, sim.body_positions("hung").unwrap());
    assert_upright("falling", &falling, sim.body_positions("falling").unwrap());
    assert_undeformed("falling", &falling, sim.body_positions("falling").unwrap());
    // ρ g L/E = 1e-4: even under its own weight the hung cube is all but undeformed.
    assert_undeformed("hung", &hung, sim.body_positions("hung").unwrap());
}

#[test]
fn springs_without_length_draw_a_net_together_and_stay_finite() {
    let sheet = Sheet { columns: 6, rows: 6, ..Default::default() };
    let mesh = sheet.mesh().unwrap();
    let edges = sheet.structural_edges().unwrap();
    let springs = EdgeSprings {
        rest_lengths: Some(vec![0.0; edges.len()]),
        ..EdgeSprings::new(edges, SpringStiffness::Uniform(200.0))
    };
    let masses = (0..49).map(|v| (v, v, 0.01)).collect();
    let body = Body::new(mesh.positions.clone(), masses).with_energy(springs.build(&mesh.positions).unwrap()).pin([0]);
    // Nothing damps it but the time step.
    let mut sim = Simulation::builder().body(body).gravity(Vec3::ZERO).substeps(1).build().unwrap();
    run_seconds(&mut sim, 5.0);
    let pin = sim.positions()[0];
    let spread = sim.positions().iter().fold(0.0_f64, |m, p| m.max((*p - pin).length()));
    assert!(spread < 1e-3, "the net spreads over {spread} m");
    let energy = sim.report().potential();
    assert!(energy.is_finite() && energy < 1e-3);
}

#[test]
fn coincident_ends_of_a_spring_with_length_come_apart() {
    let springs =
        EdgeSprings { rest_lengths: Some(vec![1.0]), ..EdgeSprings::new(vec![[0, 1]], SpringStiffness::Uniform(1e4)) };
    let rest = vec![Vec3::ZERO; 2];
    let body = Body::new(rest.clone(), vec![(0, 0, 1.0), (1, 1, 1.0)]).with_energy(springs.build(&rest).unwrap());
    let mut sim = Simulation::builder().body(body).gravity(Vec3::ZERO).build().unwrap();
    run_seconds(&mut sim, 5.0);
    assert!(((sim.positions()[1] - sim.positions()[0]).length() - 1.0).abs() < 1e-3);
}

#[test]
fn crushed_and_inverted_tets_recover_at_ten_times_gravity() {
    let mesh = cube(0.5, 3);
    // All of it crushed to a plane, and the corners pushed through to the other side.
    let crushed: Vec<Vec3> = mesh
        .positions
        .iter()
        .map(|p| Vec3::new(p.x, if p.x.abs() + p.z.abs() > 0.49 { -0.3 * p.y } else { 0.0 }, p.z))
        .collect();
    assert!(gradients(&mesh, &crushed).iter().any(|f| f.determinant() < 0.0));
    assert!(gradients(&mesh, &crushed).iter().any(|f| svd_3x3(*f).sigma.z.abs() < 1e-9));
    let soft = SolidMaterial { youngs_modulus: 2e5, ..Default::default() };
    let standing = Body::solid(&mesh, &soft).unwrap().named("hanging").pin_where(|p| p.y > 0.25 - 1e-9);
    // Pins keep the top where it belongs; the rest starts crushed.
    let start = mesh.positions.iter().zip(&crushed).map(|(p, c)| if p.y > 0.25 - 1e-9 { *p } else { *c }).collect();
    let free = Body::solid(&mesh, &soft).unwrap().named("free").with_positions(crushed);
    let mut sim = Simulation::builder()
        .body(standing.with_positions(start))
        .body(free)
        .gravity(Vec3::new(0.0, -98.1, 0.0))
        // Steps of second order hardly damp what swings, and what spins is stretched.
        .damping(Damping { deformation: 5.0, drag: 1.0, ..Damping::default() })
        .build()
        .unwrap();
    run_seconds(&mut sim, 8.0);
    assert_upright("hanging", &mesh, sim.body_positions("hanging").unwrap());
    assert_upright("free", &mesh, sim.body_positions("free").unwrap());
    assert_undeformed("free", &mesh, sim.body_positions("free").unwrap());
}

#[test]
fn incompatible_constraints_converge_projectively_and_oscillate_by_gauss_seidel() {
    // [Bouaziz 2014, Fig. 3]: one particle, two half-spaces that do not meet.
    let rest = vec![Vec3::ZERO];
    let plane = |x: f64, normal: Vec3, stiffness: f64| {
        HalfSpace { vertices: vec![0], point: Vec3::X * x, normal, stiffness }.build(&rest).unwrap()
    };
    let sets = [plane(1.0, Vec3::X, 3e3), plane(-1.0, -Vec3::X, 1e3)];
    let mut x = rest.clone();
    let mut last_swing = 0.0;
    for _ in 0..100 {
        for set in &sets {
            let mut memory = Memory::of(set.as_ref());
            set.project(&x, set.initial_goals(), &mut memory);
            last_swing = (memory.projections[0] - x[0]).length();
            x[0] = memory.projections[0];
        }
    }
    assert!((last_swing - 2.0).abs() < 1e-12, "Gauss–Seidel still jumps by {last_swing} m after 100 rounds");

    let [first, second] = sets;
    let points = PointSet::new(rest).unwrap();
    let body = Body::points(&points, 1.0).with_energy(first).with_energy(second);
    let mut sim = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(0.5).build().unwrap();
    (0..200).for_each(|_| drop(sim.step().unwrap()));
    // The compromise weighs the distances by stiffness: 3(1 − x) = 1(x + 1).
    assert!((sim.positions()[0].x - 0.5).abs() < 1e-9, "{}", sim.positions()[0]);
    assert!(sim.velocities()[0].length() < 1e-9);
}

#[test]
fn differential_coordinates_converge_faster_on_the_same_energy() {
    // [Bouaziz 2014, §3.3, "Choice of A and B"].
    let sheet = Sheet { columns: 8, rows: 8, ..Default::default() };
    let mesh = sheet.mesh().unwrap();
    let lumped = vec![0.01; mesh.positions.len()];
    let solve = |metric: Metric| {
        let springs = EdgeSprings { metric, ..EdgeSprings::new(mesh.edges(), SpringStiffness::Uniform(5e3)) };
        let masses = (0u32..).zip(&lumped).map(|(v, m)| (v, v, *m)).collect();
        let body = Body::new(mesh.positions.clone(), masses)
            .with_energy(springs.build(&mesh.positions).unwrap())
            .pin([0, 8, 72, 80]);
        let mut sim = Simulation::builder().body(body).time_step(1.0 / 30.0).build().unwrap();
        let problem = sim.next_problem().unwrap();
        let mut exact = problem.start(Start::Predicted).to_vec();
        let least = problem.solve(&NewtonParams::default().into(), &mut exact).unwrap().objective;
        let mut x = problem.start(Start::Predicted).to_vec();
        let params = ProjectiveParams { record: true, ..ProjectiveParams::plain(2000) };
        let report = problem.solve(&params.into(), &mut x).unwrap();
        // g after each iteration: every second entry, since half-steps are recorded too.
        let mut errors = report.history.iter().step_by(2).map(|g| (g - least) / (report.history[0] - least));
        let needed = errors.position(|error| error < 1e-2);
        (needed.expect("it converges"), least, problem.value(problem.start(Start::Predicted)))
    };
    let by_vertex = solve(Metric::VertexSubtracted);
    let by_mean = solve(Metric::MeanSubtracted);
    let by_identity = solve(Metric::Identity);
    let by_mass = solve(Metric::Mass(lumped.clone()));
    for other in [by_mean, by_identity, by_mass] {
        // The same energy in other coordinates has the same minimum and the same value at the start.
        assert!((other.1 / by_vertex.1 - 1.0).abs() < 1e-9 && (other.2 / by_vertex.2 - 1.0).abs() < 1e-9);
    }
    let counts = [by_vertex, by_mean, by_identity, by_mass].map(|(iterations, ..)| iterations);
    println!("iterations to 1 % by vertex, mean, identity, mass: {counts:?}");
    // Of two points the mean-subtracted pair is the subtracted one scaled, so the matrices are the same.
    assert_eq!(counts[0], counts[1]);
    assert!(counts[2] > 5 * counts[0] && counts[3] > 5 * counts[0], "{counts:?}");
}

fn one_triangle() -> Simulation {
    let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    Simulation::builder().body(Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named("scrap")).build().unwrap()
}

#[test]
fn a_runaway_step_is_refused_and_the_last_good_state_kept() {
    let mut sim = one_triangle();
    sim.step().unwrap();
    let before = sim.checkpoint();
    sim.set_force("scrap", 1, Vec3::X * 1e12).unwrap();
    let error = sim.step().unwrap_err();
    let StepError::Runaway { step: 2, ref body, element: ref named, .. } = error else { panic!("{error}") };
    assert_eq!((body.as_str(), named.as_str()), ("scrap", "triangle_strain 0"));
    sim.set_force("scrap", 1, Vec3::ZERO).unwrap();
    assert_eq!(sim.checkpoint(), before);
    sim.step().unwrap();
}

#[test]
fn a_state_that_is_not_finite_is_refused_with_its_vertex() {
    for solver in [SolverChoice::default(), ProjectiveParams::plain(10).into(), NewtonParams::default().into()] {
        let mut sim = one_triangle();
        sim.set_solver(solver).unwrap();
        let before = sim.positions().to_vec();
        sim.set_force("scrap", 2, Vec3::splat(1e308)).unwrap();
        let error = sim.step().unwrap_err();
        assert!(matches!(error, StepError::NonFinite { step: 1, .. } | StepError::Solve { step: 1, .. }), "{error}");
        assert_eq!(sim.positions(), before);
        sim.set_force("scrap", 2, Vec3::ZERO).unwrap();
        sim.step().unwrap();
    }
}

#[test]
fn bad_inputs_name_the_place_and_the_value() {
    let mut sim = one_triangle();
    let text = |error: InputError| error.to_string();
    assert_eq!(text(sim.set_force("scrap", 7, Vec3::X).unwrap_err()), "body \"scrap\" has no vertex 7; it has 3");
    assert_eq!(text(sim.set_force("rag", 0, Vec3::X).unwrap_err()), "there is no body \"rag\"");
    let nan = sim.set_force("scrap", 0, Vec3::new(0.0, f64::NAN, 0.0)).unwrap_err();
    assert_eq!(text(nan), "force is NaN, but must be finite");
    assert!(text(sim.move_pin("scrap", 0, Vec3::X).unwrap_err()).contains("is not pinned"));
    assert!(text(sim.set_goal("position", 0, Vec3::X).unwrap_err()).contains("no goal 0 among the 0 goals"));
    assert!(text(sim.set_time_step(-1.0).unwrap_err()).contains("time step is -1"));
    assert!(text(sim.set_state(&[Vec3::X], &[Vec3::X]).unwrap_err()).contains("positions has 1 entries"));
}

#[test]
fn bad_worlds_are_refused_when_they_are_built() {
    let refused = |body: Body| Simulation::builder().body(body).build().map(|_| ()).unwrap_err().to_string();
    let points = |list: Vec<Vec3>| Body::points(&PointSet { positions: list }, 1.0);
    assert!(matches!(Simulation::builder().build(), Err(ModelError::Empty)));
    assert!(refused(points(vec![Vec3::NAN])).contains("vertex 0 of body \"body 0\" has the position"));
    assert!(refused(points(vec![Vec3::X]).pin([3])).contains("has no vertex 3; it has 1"));
    assert!(refused(points(vec![Vec3::X]).with_velocities(vec![])).contains("velocities has 0 entries"));
    assert!(refused(points(vec![Vec3::X]).with_positions(vec![Vec3::X; 2])).contains("positions has 2 entries"));
    let weightless = Body::new(vec![Vec3::X, Vec3::Y], vec![(0, 0, 1.0)]).named("ghost");
    assert!(refused(weightless).contains("vertex 1 of body \"ghost\" has mass 0 kg"));
    let builder = || Simulation::builder().body(points(vec![Vec3::X]).named("a"));
    assert!(builder().time_step(0.0).build().unwrap_err().to_string().contains("time step is 0"));
    assert!(builder().gravity(Vec3::NAN).build().is_err());
    assert!(builder().damping(Damping { drag: -1.0, ..Default::default() }).build().is_err());
    assert!(builder().attach(("a", 0), ("b", 0), 1.0).build().unwrap_err().to_string().contains("no body \"b\""));
    let pair = || builder().body(points(vec![Vec3::Y]).named("b"));
    let torn = pair().attach(("a", 0), ("b", 0), 1.0).attach(("b", 0), ("a", 0), -2.0);
    let message = torn.build().unwrap_err().to_string();
    assert!(message.contains("\"b\"") && message.contains("-2"), "{message}");
    let tied = pair().attach(("a", 0), ("b", 0), 1.0).attach_at_distance(("b", 0), ("a", 0), 2.0).build().unwrap();
    assert_eq!(tied.model().energies().len(), 1, "all attachments are one batch");
    let chebyshev = Acceleration::Chebyshev { rho: 1.5, delay: 3, relaxation: 1.0 };
    assert!(builder().solver(ProjectiveParams { acceleration: chebyshev, ..Default::default() }).build().is_err());
    for window in [0, 17] {
        let acceleration = Acceleration::Anderson { window };
        assert!(builder().solver(ProjectiveParams { acceleration, ..Default::default() }).build().is_err());
        let acceleration = Acceleration::Lbfgs { history: window };
        let error = builder().solver(ProjectiveParams { acceleration, ..Default::default() }).build().unwrap_err();
        assert_eq!(error.to_string(), format!("L-BFGS's history is {window}, but must be 1 to 16"));
    }
    let twice = Simulation::builder().body(points(vec![Vec3::X]).named("a")).body(points(vec![Vec3::X]).named("a"));
    assert!(twice.build().unwrap_err().to_string().contains("two bodies are named \"a\""));
}

#[test]
fn damaged_checkpoints_are_refused_without_a_panic() {
    let mut sim = one_triangle();
    let bytes = sim.checkpoint().to_bytes();
    for length in 0..bytes.len() {
        assert!(Checkpoint::from_bytes(&bytes[..length]).is_err(), "cut at {length}");
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0xff;
        // Either it is refused, or it is a checkpoint with other numbers; never a panic or a huge allocation.
        if let Ok(checkpoint) = Checkpoint::from_bytes(&damaged) {
            let _ = sim.restore(&checkpoint);
        }
    }
    let other = Simulation::builder().body(Body::points(&PointSet::new(vec![Vec3::X]).unwrap(), 1.0)).build().unwrap();
    assert!(sim.restore(&other.checkpoint()).unwrap_err().to_string().contains("another model"));
}

#[test]
fn a_world_without_free_vertices_moves_with_its_pins() {
    let rest = vec![Vec3::ZERO, Vec3::X];
    let springs = EdgeSprings::new(vec![[0, 1]], SpringStiffness::Uniform(1.0)).build(&rest).unwrap();
    let body = Body::new(rest, vec![(0, 0, 1.0), (1, 1, 1.0)]).with_energy(springs).named("pair").pin([0, 1]);
    let mut sim = Simulation::builder().body(body).build().unwrap();
    sim.move_pin("pair", 1, Vec3::X * 2.0).unwrap();
    sim.step().unwrap();
    assert_eq!(sim.positions(), [Vec3::ZERO, Vec3::X * 2.0]);
    assert!((sim.report().potential() - 0.5).abs() < 1e-14);
}

#[test]
fn soft_handles_pull_towards_moving_goals() {
    let rest = vec![Vec3::ZERO];
    let goals = PositionGoals { vertices: vec![0], goals: None, stiffness: 1e3 }.build(&rest).unwrap();
    let kind = goals.kind();
    let body = Body::new(rest, vec![(0, 0, 1.0)]).with_energy(goals);
    let damping = Damping { drag: 10.0, ..Damping::default() };
    let world = Simulation::builder().body(body).gravity(Vec3::new(0.0, -10.0, 0.0)).damping(damping);
    let mut sim = world.build().unwrap();
    sim.set_goal(kind, 0, Vec3::new(2.0, 0.0, 0.0)).unwrap();
    run_seconds(&mut sim, 5.0);
    // In balance the handle holds the weight: k (goal − x) = m g.
    assert!((sim.positions()[0] - Vec3::new(2.0, -0.01, 0.0)).length() < 1e-6, "{}", sim.positions()[0]);
}

#[test]
fn threads_without_bound_are_refused_with_the_limit() {
    let build = |threads| {
        let cloth = Body::cloth(&Sheet::default().mesh().unwrap(), &ClothMaterial::default()).unwrap();
        Simulation::builder().body(cloth.pin([0])).threads(threads).build()
    };
    for threads in [pliant::MOST_THREADS + 1, usize::MAX] {
        let error = build(threads).unwrap_err();
        assert_eq!(error, ModelError::TooManyThreads { threads, limit: 1024 });
        assert!(error.to_string().starts_with(&format!("{threads} threads were requested, but 1024 is the limit")));
    }
    // One per core.
    build(0).unwrap().step().unwrap();
}

/// Worlds of every kind of matter, and the same with one number changed.
fn pairs() -> Vec<(&'static str, [Body; 2])> {
    let sheet = Sheet { columns: 3, rows: 3, ..Sheet::default() }.mesh().unwrap();
    let (edges, points) = (sheet.edges(), PointSet { positions: sheet.positions.clone() });
    let loose = || Body::points(&points, 0.1);
    let distances = |compliance: f64, scale: f64| {
        let rest: Vec<Vec3> = sheet.positions.iter().map(|p| *p * scale).collect();
        let distances = Distance::at_rest(&edges, &rest, Allowed::Exactly, compliance).unwrap();
        loose().with_constraints(distances.boxed())
    };
    let springs = |scale: f64| {
        let rest: Vec<f64> = edges
            .iter()
            .map(|&[a, b]| scale * points.positions[a as usize].distance(points.positions[b as usize]))
            .collect();
        let springs =
            EdgeSprings { rest_lengths: Some(rest), ..EdgeSprings::new(edges.clone(), SpringStiffness::Uniform(1e3)) };
        loose().with_energy(springs.build(&points.positions).unwrap())
    };
    let cloth =
        |tear: f64| Body::cloth(&sheet, &ClothMaterial::default()).unwrap().with_tearing(Tearing::at_stretch(tear));
    let fluid = |viscosity: f64| {
        Body::fluid(&points, &FluidMaterial { spacing: 0.3, viscosity, ..FluidMaterial::default() }).unwrap()
    };
    let emitted = |speed: f64| {
        // As many layers in the pipe.
        let tap = pliant::Emitter { mouth: Vec3::Y, direction: Vec3::X, radius: 0.3, speed, duration: 1.0 / speed };
        Body::emitted(&tap, &FluidMaterial { spacing: 0.2, ..FluidMaterial::default() }).unwrap()
    };
    let matched = |middle: u32, alpha: f64| {
        let regions = Regions::new(Csr::from_rows([(0..=middle).collect::<Vec<u32>>(), (middle..16).collect()]));
        loose().with_matching(Matching { spring: Spring::Share(alpha), ..Matching::new(regions) })
    };
    let flat =
        |stretch: f64| Body::matched_cloth(&sheet, 0.2, ClothMatching { stretch, ..ClothMatching::default() }).unwrap();
    let strand = rope(Vec3::ZERO, Vec3::X, 4).unwrap();
    let rod =
        |shear_modulus: f64| Body::rods(&strand, &RodMaterial { shear_modulus, ..RodMaterial::default() }).unwrap();
    let oriented = |damping: f64| {
        let particles = OrientedParticles::along(&strand, &[0.02; 5]).unwrap();
        Body::oriented(&particles, &OrientedMaterial { damping, ..OrientedMaterial::default() }).unwrap()
    };
    vec![
        ("compliance of constraints", [distances(0.0, 1.0), distances(1e-5, 1.0)]),
        ("lengths of constraints", [distances(0.0, 1.0), distances(0.0, 1.1)]),
        ("lengths of springs", [springs(1.0), springs(1.1)]),
        ("stretch to tear at", [cloth(1.1), cloth(1.2)]),
        ("pressure", [cloth(1.1), cloth(1.1).with_pressure(1.0)]),
        ("viscosity", [fluid(0.0), fluid(0.1)]),
        ("speed of a jet", [emitted(1.0), emitted(2.0)]),
        ("region", [matched(7, 0.5), matched(8, 0.5)]),
        ("spring of matching", [matched(7, 0.5), matched(7, 0.6)]),
        ("share of matched cloth", [flat(1.0), flat(0.9)]),
        ("shear modulus of a rod", [rod(1e6), rod(2e6)]),
        ("damping of oriented particles", [oriented(0.0), oriented(1.0)]),
    ]
}

#[test]
fn a_checkpoint_is_refused_by_a_world_in_which_one_number_is_another() {
    for (what, bodies) in pairs() {
        let built = |body: Body| Simulation::builder().body(body).gravity(Vec3::ZERO).build().unwrap();
        let [mut own, mut other] = bodies.map(built);
        let saved = own.checkpoint();
        own.restore(&saved).unwrap();
        let error = other.restore(&saved).unwrap_err();
        assert!(matches!(error, CheckpointError::OtherModel { .. }), "{what}: {error}");
    }
    let mut bytes = {
        let (_, [body, _]) = pairs().remove(0);
        Simulation::builder().body(body).build().unwrap().checkpoint().to_bytes()
    };
    bytes[8] = 1;
    assert_eq!(Checkpoint::from_bytes(&bytes), Err(CheckpointError::Version { found: 1, expected: 2 }));
}

#[test]
fn a_checkpoint_with_contacts_of_vertices_that_are_not_there_is_refused_and_changes_nothing() {
    let mesh = Sheet { columns: 2, rows: 2, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
    let cloth = Body::cloth(&mesh, &ClothMaterial::default()).unwrap();
    let floor = Collider::new(Shape::Plane).at(Vec3::Y * -0.01);
    let mut sim = Simulation::builder().body(cloth).collider(floor).build().unwrap();
    run_seconds(&mut sim, 0.3);
    let bytes = sim.checkpoint().to_bytes();
    sim.step().unwrap();
    let (time, positions) = (sim.time(), sim.positions().to_vec());
    let at = bytes.windows(8).position(|name| name == b"contacts").unwrap() + 16;
    for (place, number) in [(0, 9.0), (0, -1.0), (0, 0.5), (1, 1.0)] {
        let mut damaged = bytes.clone();
        damaged[at + 8 * place..at + 8 * (place + 1)].copy_from_slice(&f64::to_le_bytes(number));
        let error = sim.restore(&Checkpoint::from_bytes(&damaged).unwrap()).unwrap_err();
        assert!(matches!(&error, CheckpointError::BadNumber { name, .. } if name == "contacts"), "{error}");
        assert_eq!((sim.time(), sim.positions()), (time, &positions[..]));
    }
    sim.restore(&Checkpoint::from_bytes(&bytes).unwrap()).unwrap();
}
