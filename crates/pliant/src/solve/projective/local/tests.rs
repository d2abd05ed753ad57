//! Kernels against the energies one by one.

use super::*;
use crate::energy::{
    Batch, EdgeSprings, ExampleBased, ExampleWeights, HalfSpace, HingeBending, HingeStiffness, MeanCurvatureBending,
    Metric, PositionGoals, SpringStiffness, StrainSet, TetStrain, TetVolume, TriangleArea, TriangleStrain, Viscous,
};
use crate::math::Mat3;
use crate::mesh::generate::{Sheet, TetBox};
use crate::parallel::{Team, with_team};
use crate::step::simulation::Simulation;
use crate::world::body::Body;

/// Positions far from rest, some elements inverted, the whole turned by a large angle.
fn crumpled(rest: &[Vec3]) -> Vec<Vec3> {
    let turn = Mat3::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), 2.6);
    let wave = |v: &Vec3| Vec3::new((9.0 * v.y).sin(), (7.0 * v.z + 3.0).cos(), (8.0 * v.x).sin()) * 0.15;
    rest.iter().map(|v| turn * (*v + wave(v)) + Vec3::splat(3.0)).collect()
}

/// A world of all energies that have kernels; some vertices pinned.
fn world(x: impl Fn(&[Vec3]) -> Vec<Vec3>) -> (Simulation, Vec<Vec3>) {
    let tets = TetBox { cells: [4, 3, 3], ..TetBox::default() }.mesh().expect("a box");
    let sheet = Sheet { columns: 6, rows: 7, ..Sheet::default() }.mesh().expect("a sheet");
    let cloth_rest = &sheet.positions;
    let springs = EdgeSprings::new(sheet.edges(), SpringStiffness::Axial(30.0)).build(cloth_rest).expect("springs");
    let slack = EdgeSprings { limits: [0.9, 1.2], ..EdgeSprings::new(sheet.edges(), SpringStiffness::Uniform(9.0)) };
    let strain = |set| TriangleStrain { triangles: sheet.triangles.clone(), stiffness: 40.0, set }.build(cloth_rest);
    let limits = StrainSet::Limits { min: 0.8, max: 1.1 };
    let area = |bounds| TriangleArea { triangles: sheet.triangles.clone(), stiffness: 25.0, bounds }.build(cloth_rest);
    let weave = StrainSet::Fibres { direction: Vec3::new(1.0, 0.3, 0.0), limits: [[0.98, 1.02], [0.8, 1.3]] };
    let solid_strain = |set| TetStrain { tets: tets.tets.clone(), stiffness: 500.0, set }.build(&tets.positions);
    let volume = |bounds| TetVolume { tets: tets.tets.clone(), stiffness: 800.0, bounds }.build(&tets.positions);
    let fibres =
        StrainSet::Fibres { direction: Vec3::new(1.0, 2.0, 0.5), limits: [[0.95, 1.05], [0.7, 1.4], [0.7, 1.4]] };
    let goals = PositionGoals { vertices: vec![1, 4, 1], goals: Some(vec![Vec3::X, Vec3::Y, Vec3::Z]), stiffness: 7.0 };
    let masses = |n: usize| (0..n as u32).map(|v| (v, v, 0.1 + 0.01 * f64::from(v))).collect::<Vec<_>>();
    let cloth = Body::new(cloth_rest.clone(), masses(cloth_rest.len()))
        .named("cloth")
        .with_energy(springs)
        .with_energy(slack.build(cloth_rest).expect("springs"))
        .with_energy(strain(StrainSet::Rotation).expect("triangles"))
        .with_energy(strain(limits).expect("triangles"))
        .with_energy(area([1.0, 1.0]).expect("triangles"))
        .with_energy(area([0.9, 1.05]).expect("triangles"))
        .with_energy(strain(weave).expect("triangles"))
        .with_energy(goals.build(cloth_rest).expect("goals"))
        .with_energy(MeanCurvatureBending { stiffness: 0.3 }.build(&sheet).expect("rings"))
        .pin([0, 5]);
    let solid = |name: &str| Body::new(tets.positions.clone(), masses(tets.positions.len())).named(name).pin([3]);
    let plain = solid("plain").with_energy(solid_strain(StrainSet::Rotation).expect("tets"));
    let stiff = solid("stiff")
        .with_energy(solid_strain(StrainSet::Rotation).expect("tets"))
        .with_energy(volume([1.0, 1.0]).expect("tets"));
    let loose = solid("loose")
        .with_energy(solid_strain(StrainSet::Limits { min: 0.9, max: 1.15 }).expect("tets"))
        .with_energy(volume([0.9, 1.1]).expect("tets"));
    let grown = solid("grown")
        .with_energy(solid_strain(StrainSet::Limits { min: 1.2, max: 1.2 }).expect("tets"))
        .with_energy(solid_strain(fibres).expect("tets"));
    let kept = solid("kept").with_energy(volume([1.0, 1.0]).expect("tets"));
    let examples: Vec<Vec<Vec3>> = [Vec3::new(1.3, 1.0, 0.9), Vec3::new(0.8, 1.2, 1.1)]
        .map(|stretch| tets.positions.iter().map(|p| *p * stretch + Vec3::new(0.1 * p.y, 0.0, 0.0)).collect())
        .into();
    let posed = |weights| {
        let (tets, examples) = (tets.tets.clone(), examples.clone());
        ExampleBased { tets, examples, stiffness: 300.0, weights }
    };
    let posed = solid("posed")
        .with_energy(posed(ExampleWeights::Local).build(&tets.positions).expect("tets"))
        .with_energy(posed(ExampleWeights::Global).build(&tets.positions).expect("tets"));
    // A sheet that is curved at rest.
    let mut shell = sheet.clone();
    shell.positions.iter_mut().for_each(|p| p.z = 0.3 * (2.0 * p.x).sin() + 0.2 * p.y * p.y);
    let hinges = |metric| {
        let hinges = shell.hinges().expect("hinges");
        HingeBending { metric, ..HingeBending::new(hinges, HingeStiffness::Plate(0.4)) }.build(&shell.positions)
    };
    let weights: Vec<f64> = (0..shell.positions.len()).map(|v| 0.5 + 0.1 * v as f64).collect();
    let pair = |metric| {
        let limits = [0.95, 1.05];
        EdgeSprings { metric, limits, ..EdgeSprings::new(shell.edges(), SpringStiffness::Uniform(11.0)) }
            .build(&shell.positions)
    };
    let side = HalfSpace { vertices: (0..20).collect(), point: Vec3::splat(3.1), normal: Vec3::Y, stiffness: 13.0 };
    let shell_body = Body::new(shell.positions.clone(), masses(shell.positions.len()))
        .named("shell")
        .with_energy(MeanCurvatureBending { stiffness: 0.3 }.build(&shell).expect("rings"))
        .with_energy(hinges(Metric::MeanSubtracted).expect("hinges"))
        .with_energy(hinges(Metric::VertexSubtracted).expect("hinges"))
        .with_energy(hinges(Metric::Mass(weights.clone())).expect("hinges"))
        .with_energy(pair(Metric::Mass(weights)).expect("springs"))
        .with_energy(pair(Metric::MeanSubtracted).expect("springs"))
        .with_energy(side.build(&shell.positions).expect("planes"))
        .pin([2, 9]);
    let bodies = [cloth, plain, stiff, loose, grown, kept, posed, shell_body];
    let sim = bodies.into_iter().fold(Simulation::builder(), |world, body| world.body(body)).build().expect("a world");
    let positions = x(sim.model.rest());
    (sim, positions)
}

/// Projects without vectors, as energies that users write are.
fn project_one_by_one(batch: &dyn Batch, x: &[Vec3], goals: &[Vec3], memory: &mut Memory) {
    let operator = batch.operator();
    let mut z = vec![Vec3::ZERO; operator.len() * operator.rows()];
    z.chunks_mut(operator.rows()).enumerate().for_each(|(e, z)| operator.apply(e, x, z));
    let all: Vec<u32> = (0..operator.len() as u32).collect();
    if batch.project_some(&all, &mut z, goals, &mut memory.warm) {
        memory.projections = z;
    } else {
        batch.project(x, goals, memory);
    }
}

fn compare<S: LaneNumber>(positions: impl Fn(&[Vec3]) -> Vec<Vec3>, tolerance: f64) {
    let (mut sim, x) = world(positions);
    let mut memory = sim.memory.clone();
    // A few projections on the way there: what elements remember is then what a simulation would have.
    for part in [0.25, 0.5, 0.75, 0.9, 1.0] {
        let between: Vec<Vec3> = sim.model.rest().iter().zip(&x).map(|(rest, x)| rest.lerp(*x, part)).collect();
        for (b, entry) in sim.model.energies().iter().enumerate() {
            entry.batch.project(&between, entry.batch.initial_goals(), &mut memory[b]);
        }
    }
    let problem = sim.next_problem().expect("a problem");
    let objective = problem.objective();
    let free = objective.model.free().len();
    // Any order will do; this one is not the natural one.
    let elimination: Vec<u32> = (0..free as u32).map(|k| (k * 11 + 3) % free as u32).collect();
    assert!(free % 11 != 0, "the order must visit all");
    let order = Order::new(objective.model, &elimination);
    let mut local = LocalStep::<S>::new(&objective, &order, false);
    local.begin(&Team::alone(), &memory, objective.goals);
    let mut points: Vec<Point> = order.vertices.iter().map(|&v| point(x[v as usize])).collect();
    points.extend(padding());
    let target: Vec<Point> = order.vertices[..free].iter().map(|&v| point(objective.target[v as usize])).collect();
    let mass = objective.model.mass().diagonal();
    let weight: Vec<f64> = order.vertices[..free].iter().map(|&v| objective.inertia * mass[v as usize]).collect();
    let inertia = Inertia { target: &target, weight: &weight, other: &[] };
    let mut rows = vec![0.0f64; 4 * free];
    let value = with_team(|team| local.evaluate(team, &points, &inertia, &mut rows, true));
    for (b, entry) in objective.model.energies().iter().enumerate() {
        project_one_by_one(entry.batch.as_ref(), &x, &objective.goals[b], &mut memory[b]);
    }
    let mut gradient = vec![Vec3::ZERO; free];
    objective.gradient(&x, &memory, &mut Vec::new(), &mut gradient);
    // Pinned vertices are not where the objective wants them; their inertia is no matter of the solver.
    let pinned: f64 =
        objective.model.pinned().iter().map(|&v| v as usize).fold(0.0, |sum, v| {
            sum + 0.5 * objective.inertia * mass[v] * (x[v] - objective.target[v]).length_squared()
        });
    let expected = objective.value(&x, &memory) - pinned;
    assert!((value - expected).abs() < tolerance * expected, "energy {value} instead of {expected}");
    let scale = gradient.iter().fold(0.0_f64, |m, g| m.max(g.length()));
    for (k, row) in rows.chunks(4).enumerate() {
        let error = (Vec3::new(row[0], row[1], row[2]) + gradient[elimination[k] as usize]).length() / scale;
        assert!(error < tolerance, "unknown {}: {error:e}", elimination[k]);
    }
}

#[test]
fn kernels_agree_with_energies_far_from_rest() {
    compare::<f64>(crumpled, 1e-10);
    compare::<f32>(crumpled, 1e-5);
}

#[test]
fn kernels_agree_with_energies_when_all_is_squashed_flat() {
    let flat = |rest: &[Vec3]| rest.iter().map(|v| Vec3::new(v.x + 1e-7 * v.y, 0.3 * v.z, 1e-9 * v.y)).collect();
    compare::<f64>(flat, 1e-9);
}

#[test]
fn a_world_far_from_the_origin_loses_nothing() {
    let far = |rest: &[Vec3]| rest.iter().map(|v| *v * 1.01 + Vec3::splat(1e5)).collect::<Vec<_>>();
    compare::<f32>(far, 1e-5);
}

#[test]
fn coincident_ends_are_pushed_apart_with_equal_forces() {
    let edges = vec![[0, 1], [1, 2]];
    let rest = vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
    let springs = EdgeSprings::new(edges, SpringStiffness::Uniform(10.0)).build(&rest).expect("springs");
    let body = Body::new(rest, (0..3).map(|v| (v, v, 1.0)).collect()).with_energy(springs);
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO);
    let mut sim = builder.build().expect("a world");
    sim.set_state(&[Vec3::ZERO; 3], &[Vec3::ZERO; 3]).expect("a state");
    for _ in 0..5 {
        sim.step().expect("a step");
    }
    let x = sim.positions();
    assert!((x[1] - x[0]).length() > 0.01 && (x[2] - x[1]).length() > 0.01, "{x:?}");
    assert!((x[0] + x[1] + x[2]).length() < 1e-6, "{x:?}");
}

/// Damping in proportion to stiffness, of every energy that has it.
#[test]
fn kernels_agree_with_damping() {
    let mut tried = std::collections::BTreeSet::new();
    for info in crate::energy::LIST {
        for make in info.specimens {
            let specimen = make().expect("a specimen");
            let Some(viscous) = Viscous::of(specimen.batch.as_ref()) else { continue };
            tried.insert(info.key);
            let start = crumpled(&specimen.rest);
            let wave = |v: &Vec3| Vec3::new((5.0 * v.y).sin(), (4.0 * v.z).cos(), (6.0 * v.x).sin()) * 0.05;
            let x: Vec<Vec3> = start.iter().map(|v| *v * 1.1 + wave(v)).collect();
            damped::<f64>(&viscous, &specimen.rest, &start, &x, 1e-9, info.key);
            damped::<f32>(&viscous, &specimen.rest, &start, &x, 2e-5, info.key);
        }
    }
    assert!(tried.len() > 5, "{tried:?}");
}

fn damped<S: LaneNumber>(viscous: &Viscous, rest: &[Vec3], start: &[Vec3], x: &[Vec3], tolerance: f64, key: &str) {
    let masses = (0..rest.len() as u32).map(|v| (v, v, 1.0)).collect();
    let body = Body::new(rest.to_vec(), masses).with_energy(Box::new(viscous.clone()));
    let mut sim = Simulation::builder().body(body).build().expect("a world");
    let mut memory = sim.memory.clone();
    viscous.begin_stage(start, &mut memory[0]);
    let problem = sim.next_problem().expect("a problem");
    let objective = problem.objective();
    let free = objective.model.free().len();
    let order = Order::new(objective.model, &(0..free as u32).collect::<Vec<_>>());
    let mut local = LocalStep::<S>::new(&objective, &order, false);
    local.begin(&Team::alone(), &memory, objective.goals);
    let mut points: Vec<Point> = x.iter().map(|v| point(*v)).collect();
    points.extend(padding());
    let inertia = Inertia { target: &points[..free], weight: &vec![0.0; free], other: &[] };
    let mut rows = vec![0.0f64; 4 * free];
    let value = with_team(|team| local.evaluate(team, &points, &inertia, &mut rows, true));
    viscous.project(x, &[], &mut memory[0]);
    let expected = viscous.operator().energy(x, &memory[0].projections);
    assert!((value - expected).abs() < tolerance * expected.max(1e-3), "{key}: {value} for {expected}");
    let mut corners = vec![Vec3::ZERO; viscous.operator().corner_vertices().len()];
    viscous.operator().gradient(x, &memory[0].projections, 1.0, &mut corners);
    let mut gradient = vec![Vec3::ZERO; free];
    viscous.operator().corner_vertices().iter().zip(corners).for_each(|(&v, g)| gradient[v as usize] += g);
    let scale = gradient.iter().fold(1e-6_f64, |m, g| m.max(g.length()));
    for (v, row) in rows.chunks(4).enumerate() {
        let error = (Vec3::new(row[0], row[1], row[2]) + gradient[v]).length() / scale;
        assert!(error < tolerance, "{key}, vertex {v}: {error:e}");
    }
}

/// The same energies for whoever asks for projections: four at a time and one by one.
#[test]
fn projections_together_are_those_one_by_one() {
    let (sim, x) = world(crumpled);
    let scaled: Vec<Vec3> = x.iter().map(|v| *v * 0.02).collect();
    for x in [&x, &scaled, &sim.model.rest().to_vec()] {
        for entry in sim.model.energies() {
            let (batch, goals) = (entry.batch.as_ref(), entry.batch.initial_goals());
            let mut memories = [Memory::of(batch), Memory::of(batch)];
            batch.project(x, goals, &mut memories[0]);
            project_one_by_one(batch, x, goals, &mut memories[1]);
            let [together, one_by_one] = &memories;
            for (k, (a, b)) in together.projections.iter().zip(&one_by_one.projections).enumerate() {
                let error = (*a - *b).length() / (1.0 + b.length());
                assert!(error < 1e-12, "{}, row {k}: {a} and {b}, {error:e}", batch.kind());
            }
        }
    }
}
