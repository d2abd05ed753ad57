//! Kernels against the energies one by one.

use super::*;
use crate::body::Body;
use crate::energy::{EdgeSprings, MeanCurvatureBending, SpringStiffness, StrainSet, TetStrain, TriangleStrain};
use crate::math::Mat3;
use crate::mesh::generate::{Sheet, TetBox};
use crate::parallel::with_team;
use crate::simulation::Simulation;

/// Positions far from rest, some elements inverted, the whole turned by a large angle.
fn crumpled(rest: &[Vec3]) -> Vec<Vec3> {
    let turn = Mat3::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), 2.6);
    let wave = |v: &Vec3| Vec3::new((9.0 * v.y).sin(), (7.0 * v.z + 3.0).cos(), (8.0 * v.x).sin()) * 0.15;
    rest.iter().map(|v| turn * (*v + wave(v)) + Vec3::splat(3.0)).collect()
}

/// A world of springs, triangles with limits and without, rings that bend, and tets; some vertices pinned.
fn world(x: impl Fn(&[Vec3]) -> Vec<Vec3>) -> (Simulation, Vec<Vec3>) {
    let tets = TetBox { cells: [4, 3, 3], ..TetBox::default() }.mesh().expect("a box");
    let sheet = Sheet { columns: 6, rows: 7, ..Sheet::default() }.mesh().expect("a sheet");
    let cloth_rest = &sheet.positions;
    let springs = EdgeSprings::new(sheet.edges(), SpringStiffness::Axial(30.0)).build(cloth_rest).expect("springs");
    let slack = EdgeSprings { limits: [0.9, 1.2], ..EdgeSprings::new(sheet.edges(), SpringStiffness::Uniform(9.0)) };
    let strain = |set| TriangleStrain { triangles: sheet.triangles.clone(), stiffness: 40.0, set }.build(cloth_rest);
    let limits = StrainSet::Limits { min: 0.8, max: 1.1 };
    let solid = TetStrain { tets: tets.tets.clone(), stiffness: 500.0, set: StrainSet::Rotation };
    let solid = solid.build(&tets.positions).expect("tets");
    let masses = |n: usize| (0..n as u32).map(|v| (v, v, 0.1 + 0.01 * f64::from(v))).collect::<Vec<_>>();
    let cloth = Body::new(cloth_rest.clone(), masses(cloth_rest.len()))
        .named("cloth")
        .with_energy(springs)
        .with_energy(slack.build(cloth_rest).expect("springs"))
        .with_energy(strain(StrainSet::Rotation).expect("triangles"))
        .with_energy(strain(limits).expect("triangles"))
        .with_energy(MeanCurvatureBending { stiffness: 0.3 }.build(&sheet).expect("rings"))
        .pin([0, 5]);
    let solid =
        Body::new(tets.positions.clone(), masses(tets.positions.len())).named("solid").with_energy(solid).pin([3]);
    let sim = Simulation::builder().body(cloth).body(solid).build().expect("a world");
    let positions = x(sim.model.rest());
    (sim, positions)
}

fn compare<S: LaneNumber>(positions: impl Fn(&[Vec3]) -> Vec<Vec3>, tolerance: f64) {
    let (mut sim, x) = world(positions);
    let mut memory = sim.memory.clone();
    let problem = sim.next_problem().expect("a problem");
    let objective = problem.objective();
    let free = objective.model.free().len();
    // Any order will do; this one is not the natural one.
    let elimination: Vec<u32> = (0..free as u32).map(|k| (k * 5 + 3) % free as u32).collect();
    assert!(free % 5 != 0, "the order must visit all");
    let order = Order::new(objective.model, &elimination);
    let mut local = LocalStep::<S>::new(&objective, &order, false);
    local.load_warm(&memory);
    let mut points: Vec<Point> = order.vertices.iter().map(|&v| point(x[v as usize])).collect();
    points.extend(padding());
    let target: Vec<Point> = order.vertices[..free].iter().map(|&v| point(objective.target[v as usize])).collect();
    let mass = objective.model.mass().diagonal();
    let weight: Vec<f64> = order.vertices[..free].iter().map(|&v| objective.inertia * mass[v as usize]).collect();
    let inertia = Inertia { target: &target, weight: &weight, other: &[] };
    let mut rows = vec![0.0f64; 4 * free];
    let value = with_team(|team| local.evaluate(team, &points, &inertia, &mut rows, true));
    objective.project(&x, &mut memory);
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
