//! The second derivative on vectors against that of energies one by one, and against differences of the gradient.

use super::*;
use crate::energy::{
    Batch, Curvature, EdgeSprings, EnergyError, ExampleBased, ExampleWeights, HalfSpace, HingeBending, HingeStiffness,
    MeanCurvatureBending, PlateBending, SpringStiffness, StrainSet, TetStrain, TetVolume, TriangleArea, TriangleStrain,
    Viscous,
};
use crate::math::Mat3;
use crate::mesh::generate::{Sheet, TetBox};
use crate::mesh::{TetMesh, TriangleMesh};
use crate::parallel::Team;
use crate::solve::newton::{System, hessian};
use crate::sparse::BlockMatrix;
use crate::step::simulation::Simulation;
use crate::world::body::Body;

type Built = Result<Box<dyn Batch>, EnergyError>;

fn sheet() -> TriangleMesh {
    Sheet { columns: 5, rows: 6, ..Sheet::default() }.mesh().expect("a sheet")
}

/// A sheet that is curved at rest.
fn shell() -> TriangleMesh {
    let mut shell = sheet();
    shell.positions.iter_mut().for_each(|p| p.z = 0.3 * (2.0 * p.x).sin() + 0.2 * p.y * p.y);
    shell
}

fn solid() -> TetMesh {
    TetBox { cells: [3, 2, 2], ..TetBox::default() }.mesh().expect("a box")
}

/// A body with these energies, two vertices pinned.
fn body(rest: &[Vec3], energies: Vec<Built>) -> Body {
    let masses = (0..rest.len() as u32).map(|v| (v, v, 1e-3 + 1e-4 * f64::from(v))).collect::<Vec<_>>();
    let body = Body::new(rest.to_vec(), masses).pin([0, 4]);
    energies.into_iter().fold(body, |body, energy| body.with_energy(energy.expect("an energy")))
}

/// Positions far from rest, turned by a large angle; some elements inverted.
fn crumpled(rest: &[Vec3]) -> Vec<Vec3> {
    let turn = Mat3::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), 2.6);
    let wave = |v: &Vec3| Vec3::new((9.0 * v.y).sin(), (7.0 * v.z + 3.0).cos(), (8.0 * v.x).sin()) * 0.15;
    rest.iter().map(|v| turn * (*v + wave(v)) + Vec3::splat(3.0)).collect()
}

fn turned(x: &[Vec3]) -> Vec<Vec3> {
    let turn = Mat3::from_axis_angle(Vec3::new(0.3, -1.0, 0.5).normalize(), 1.1);
    x.iter().map(|v| turn * *v).collect()
}

/// Everything longer than at rest, and turned.
fn stretched(rest: &[Vec3]) -> Vec<Vec3> {
    let turn = Mat3::from_axis_angle(Vec3::new(0.3, -1.0, 0.5).normalize(), 1.1);
    let wave = |v: &Vec3| Vec3::new((3.0 * v.y).sin(), (2.0 * v.z + 3.0).cos(), (2.5 * v.x).sin()) * 0.03;
    rest.iter().map(|v| turn * (*v * Vec3::new(1.5, 1.4, 1.3) + wave(v))).collect()
}

/// Products of both matrices with a few directions, and differences of the gradient along these.
struct Products {
    directions: Vec<Vec3>,
    lanes: Vec<Vec3>,
    one_by_one: Vec<Vec3>,
    differences: Vec<Vec3>,
    /// By Newton's matrix, in f64: projected, and the true one.
    projected: Vec<Vec3>,
    raw: Vec<Vec3>,
}

fn products(body: Body, place: impl Fn(&[Vec3]) -> Vec<Vec3>) -> Products {
    products_since(body, place, |rest| rest.to_vec())
}

/// The same for a stage that began elsewhere, which matters to damping.
fn products_since(body: Body, place: impl Fn(&[Vec3]) -> Vec<Vec3>, begin: impl Fn(&[Vec3]) -> Vec<Vec3>) -> Products {
    let mut sim = Simulation::builder().body(body).build().expect("a world");
    let x = place(sim.model.rest());
    let mut memory = sim.memory.clone();
    let begun = begin(sim.model.rest());
    sim.model.energies().iter().zip(&mut memory).for_each(|(entry, memory)| entry.batch.begin_stage(&begun, memory));
    for part in [0.25, 0.5, 0.75, 0.9, 1.0] {
        let between: Vec<Vec3> = sim.model.rest().iter().zip(&x).map(|(rest, x)| rest.lerp(*x, part)).collect();
        for (b, entry) in sim.model.energies().iter().enumerate() {
            entry.batch.project(&between, entry.batch.initial_goals(), &mut memory[b]);
        }
    }
    let problem = sim.next_problem().expect("a problem");
    let objective = problem.objective();
    let model = objective.model;
    let free = model.free().len();
    let elimination: Vec<u32> = (0..free as u32).rev().collect();
    let order = Order::new(model, &elimination);
    let mut local = LocalStep::<f32>::new(&objective, &order, false);
    local.begin(&Team::alone(), &memory, objective.goals);
    let mut points: Vec<Point> = order.vertices.iter().map(|&v| point(x[v as usize])).collect();
    points.extend(padding());
    let (target, weight) = (vec![Point::default(); free], vec![0.0; free]);
    let inertia = Inertia { target: &target, weight: &weight, other: &[] };
    local.evaluate(&Team::alone(), &points, &inertia, &mut vec![0.0f32; 4 * free], true);
    let mut curvature = CurvatureRows::new(&objective, &order, &local);
    curvature.update(&Team::alone(), &local, At { points: &points, objective: &objective, x: &x, memory: &memory });
    let mut matrix = BlockMatrix::zero(model.pattern().clone());
    hessian(&objective, &x, &memory, Curvature::Projected, &mut matrix);
    let mut all = Products {
        directions: Vec::new(),
        lanes: Vec::new(),
        one_by_one: Vec::new(),
        differences: Vec::new(),
        projected: Vec::new(),
        raw: Vec::new(),
    };
    let mut system = System::new(&objective);
    for seed in 1..4 {
        let number = |k: usize| ((k * 7919 * seed + 31) % 1000) as f64 / 500.0 - 1.0;
        let direction: Vec<Vec3> =
            (0..free).map(|k| Vec3::new(number(3 * k), number(3 * k + 1), number(3 * k + 2))).collect();
        let mut rows = vec![0.0f32; 4 * model.free().len()];
        let mut product = rows.clone();
        for (k, d) in direction.iter().enumerate() {
            let place = order.places[model.free()[k] as usize] as usize;
            (0..3).for_each(|c| rows[4 * place + c] = d[c] as f32);
        }
        curvature.matrix().subtract_product(&Team::alone(), &rows, &mut product);
        all.lanes.extend((0..free).map(|k| {
            let place = order.places[model.free()[k] as usize] as usize;
            Vec3::from_array([0, 1, 2].map(|c| -f64::from(product[4 * place + c])))
        }));
        let mut exact = vec![Vec3::ZERO; free];
        matrix.multiply(&direction, &mut exact);
        all.one_by_one.extend(&exact);
        for (curvature, products) in [(Curvature::Projected, &mut all.projected), (Curvature::Raw, &mut all.raw)] {
            system.assemble(&objective, &x, &memory, curvature, &[]);
            system.matrix().multiply(&direction, &mut exact);
            products.extend(&exact);
        }
        let gradient_at = |step: f64| {
            let mut moved = x.clone();
            model.free().iter().zip(&direction).for_each(|(&v, d)| moved[v as usize] += *d * step);
            let (mut memory, mut gradient) = (memory.clone(), vec![Vec3::ZERO; free]);
            objective.project(&moved, &mut memory);
            objective.gradient(&moved, &memory, &mut Vec::new(), &mut gradient);
            gradient
        };
        let (plus, minus) = (gradient_at(1e-6), gradient_at(-1e-6));
        all.directions.extend(&direction);
        all.differences.extend(plus.iter().zip(&minus).map(|(a, b)| (*a - *b) / 2e-6));
    }
    all
}

fn largest(list: impl Iterator<Item = f64>) -> f64 {
    list.fold(0.0, f64::max)
}

fn gap(a: &[Vec3], b: &[Vec3]) -> f64 {
    largest(a.iter().zip(b).map(|(a, b)| a.distance(*b))) / largest(b.iter().map(|b| b.length()))
}

fn triangles(stiffness: f64, set: StrainSet<2>) -> Built {
    TriangleStrain { triangles: sheet().triangles, stiffness, set }.build(&sheet().positions)
}

fn areas(bounds: [f64; 2]) -> Built {
    TriangleArea { triangles: sheet().triangles, stiffness: 25.0, bounds }.build(&sheet().positions)
}

fn tets(set: StrainSet<3>) -> Built {
    TetStrain { tets: solid().tets, stiffness: 500.0, set }.build(&solid().positions)
}

fn volumes(bounds: [f64; 2]) -> Built {
    TetVolume { tets: solid().tets, stiffness: 800.0, bounds }.build(&solid().positions)
}

fn springs(limits: [f64; 2]) -> Built {
    EdgeSprings { limits, ..EdgeSprings::new(sheet().edges(), SpringStiffness::Uniform(9.0)) }.build(&sheet().positions)
}

#[test]
fn single_energies_have_the_positive_part_of_their_second_derivative() {
    let weave = StrainSet::Fibres { direction: Vec3::new(1.0, 0.3, 0.0), limits: [[0.98, 1.02], [0.8, 1.3]] };
    let fibres =
        StrainSet::Fibres { direction: Vec3::new(1.0, 2.0, 0.5), limits: [[0.95, 1.05], [0.7, 1.4], [0.7, 1.4]] };
    let side = HalfSpace { vertices: (0..20).collect(), point: Vec3::splat(3.1), normal: Vec3::Y, stiffness: 13.0 };
    let plate = PlateBending { stiffness: 0.3, poisson_ratio: 0.2 };
    let bowl = MeanCurvatureBending { stiffness: 0.3 }.build(&shell());
    let thin: Vec<(&str, Built)> = vec![
        ("springs", springs([1.0, 1.0])),
        ("springs with slack", springs([0.9, 1.2])),
        ("triangles", triangles(40.0, StrainSet::Rotation)),
        ("limited triangles", triangles(40.0, StrainSet::Limits { min: 0.8, max: 1.1 })),
        ("fibres", triangles(40.0, weave)),
        ("area", areas([1.0, 1.0])),
        ("bounded area", areas([0.9, 1.05])),
        ("planes", side.build(&sheet().positions)),
        ("plates", plate.build(&sheet())),
    ];
    let thick: Vec<(&str, Built)> = vec![
        ("tets", tets(StrainSet::Rotation)),
        ("limited tets", tets(StrainSet::Limits { min: 0.9, max: 1.15 })),
        ("fibres of tets", tets(fibres)),
        ("volume", volumes([1.0, 1.0])),
        ("bounded volume", volumes([0.9, 1.1])),
    ];
    let bodies = thin.into_iter().map(|(name, energy)| (name, sheet().positions, energy));
    let bodies = bodies.chain(thick.into_iter().map(|(name, energy)| (name, solid().positions, energy)));
    let bodies = bodies.chain([("curved mean curvature", shell().positions, bowl)]);
    for (name, rest, energy) in bodies {
        let products = products(body(&rest, vec![energy]), crumpled);
        let in_f32 = gap(&products.lanes, &products.one_by_one);
        assert!(in_f32 < 3e-4, "{name}: {in_f32:e}");
        let in_f64 = gap(&products.projected, &products.one_by_one);
        println!("{name}: {in_f64:.1e}");
        assert!(in_f64 < 1e-7, "{name}: {in_f64:e}");
    }
}

#[test]
fn products_are_differences_of_the_gradient_where_nothing_is_negative() {
    let strain_and_area = vec![triangles(40.0, StrainSet::Rotation), areas([1.0, 1.0])];
    let strain_and_volume = vec![tets(StrainSet::Rotation), volumes([1.6, 1.6])];
    for (name, rest, energies, tolerance) in [
        ("springs", sheet().positions, vec![springs([1.0, 1.0])], 1e-4),
        ("triangles", sheet().positions, vec![triangles(40.0, StrainSet::Rotation)], 1e-4),
        ("tets", solid().positions, vec![tets(StrainSet::Rotation)], 1e-4),
        // Shrinking along the constraint would lower these: what is left out of the derivative is a few percent.
        ("strain and area", sheet().positions, strain_and_area, 0.2),
        ("strain and volume", solid().positions, strain_and_volume, 0.2),
    ] {
        let products = products(body(&rest, energies), stretched);
        let gap = gap(&products.lanes, &products.differences);
        assert!(gap < tolerance, "{name}: {gap:e}");
    }
}

/// Newton's matrix near its solution is what makes convergence quadratic.
#[test]
fn the_true_second_derivative_is_that_of_differences_also_where_it_is_negative() {
    let weave = StrainSet::Fibres { direction: Vec3::new(1.0, 0.3, 0.0), limits: [[0.98, 1.02], [0.8, 1.3]] };
    let plate = PlateBending { stiffness: 0.3, poisson_ratio: 0.2 };
    let hinges = HingeBending::new(sheet().hinges().expect("hinges"), HingeStiffness::Plate(0.4));
    let thin: Vec<(&str, Vec<Built>)> = vec![
        ("springs", vec![springs([1.0, 1.0])]),
        ("triangles", vec![triangles(40.0, StrainSet::Rotation)]),
        ("fibres", vec![triangles(40.0, weave)]),
        ("strain and area", vec![triangles(40.0, StrainSet::Rotation), areas([1.0, 1.0])]),
        ("plates", vec![plate.build(&sheet())]),
        ("hinges", vec![hinges.build(&sheet().positions)]),
        ("all of it", vec![springs([1.0, 1.0]), plate.build(&sheet()), hinges.build(&sheet().positions)]),
    ];
    let thick: Vec<(&str, Vec<Built>)> = vec![
        ("tets", vec![tets(StrainSet::Rotation)]),
        ("volume", vec![volumes([1.0, 1.0])]),
        ("strain and volume", vec![tets(StrainSet::Rotation), volumes([1.0, 1.0])]),
    ];
    // Squeezed and bent, everything far from flat; nothing inverted, where projections jump.
    let squeezed = |rest: &[Vec3]| -> Vec<Vec3> {
        let turn = Mat3::from_axis_angle(Vec3::new(0.3, -1.0, 0.5).normalize(), 1.1);
        let wave = |v: &Vec3| Vec3::new((3.0 * v.y).sin(), (2.0 * v.z + 3.0).cos(), (2.5 * v.x).sin()) * 0.06;
        rest.iter().map(|v| turn * (*v * Vec3::new(0.8, 1.1, 0.85) + wave(v))).collect()
    };
    let bodies = thin.into_iter().map(|(name, energies)| (name, sheet().positions, energies));
    let bodies = bodies.chain(thick.into_iter().map(|(name, energies)| (name, solid().positions, energies)));
    let bowl = MeanCurvatureBending { stiffness: 0.3 }.build(&shell());
    let bodies = bodies.chain([("curved mean curvature", shell().positions, vec![bowl])]);
    for (name, rest, energies) in bodies {
        let products = products(body(&rest, energies), squeezed);
        let gap = gap(&products.raw, &products.differences);
        println!("{name}: {gap:.1e}");
        assert!(gap < 1e-6, "{name}: {gap:e}");
    }
}

#[test]
fn hinges_at_rest_have_the_stiffness_of_their_angle() {
    let shell = shell();
    let hinges = HingeBending::new(shell.hinges().expect("hinges"), HingeStiffness::Plate(0.4)).build(&shell.positions);
    let products = products(body(&shell.positions, vec![hinges]), turned);
    let gap = gap(&products.lanes, &products.differences);
    assert!(gap < 1e-3, "{gap:e}");
}

/// Damping of all these energies.
fn damping() -> Vec<(&'static str, Vec<Vec3>, Built)> {
    let of = |energy: Built| {
        let viscous = Viscous::of(energy?.as_ref()).expect("what changes shape is damped");
        Ok(Box::new(viscous) as Box<dyn Batch>)
    };
    let hinges = HingeBending::new(shell().hinges().expect("hinges"), HingeStiffness::Plate(0.4));
    vec![
        ("springs", sheet().positions, of(springs([1.0, 1.0]))),
        ("rings", shell().positions, of(MeanCurvatureBending { stiffness: 0.3 }.build(&shell()))),
        ("triangles", sheet().positions, of(triangles(40.0, StrainSet::Rotation))),
        ("tets", solid().positions, of(tets(StrainSet::Rotation))),
        ("hinges", shell().positions, of(hinges.build(&shell().positions))),
    ]
}

#[test]
fn damping_resists_changes_of_shape_and_no_turning() {
    for (name, rest, energy) in damping() {
        let products = products_since(body(&rest, vec![energy]), |rest| turned(&crumpled(rest)), crumpled);
        let gap = gap(&products.lanes, &products.differences);
        assert!(gap < 2e-3, "{name}: {gap:e}");
    }
}

#[test]
fn damping_of_lengths_has_the_positive_part_of_its_second_derivative() {
    for (name, rest, energy) in damping().into_iter().take(2) {
        let products = products(body(&rest, vec![energy]), crumpled);
        let gap = gap(&products.lanes, &products.one_by_one);
        assert!(gap < 3e-4, "{name}: {gap:e}");
    }
}

fn posed(weights: ExampleWeights, examples: Vec<Vec<Vec3>>) -> Built {
    ExampleBased { tets: solid().tets, examples, stiffness: 300.0, weights }.build(&solid().positions)
}

#[test]
fn bodies_with_example_poses_turn_freely() {
    for weights in [ExampleWeights::Local, ExampleWeights::Global] {
        // An example that is the rest shape blends to nothing else.
        let energy = posed(weights, vec![solid().positions]);
        let products = products(body(&solid().positions, vec![energy]), turned);
        let gap = gap(&products.lanes, &products.differences);
        assert!(gap < 1e-3, "{weights:?}: {gap:e}");
    }
}

#[test]
fn a_held_blend_is_never_softer_than_one_that_follows() {
    let stretch = |by: Vec3| solid().positions.iter().map(|p| *p * by).collect::<Vec<_>>();
    let examples = vec![stretch(Vec3::new(1.3, 1.0, 0.9)), stretch(Vec3::new(0.8, 1.2, 1.1))];
    let energy = posed(ExampleWeights::Local, examples);
    let products = products(body(&solid().positions, vec![energy]), turned);
    let along = |rows: &[Vec3]| products.directions.iter().zip(rows).map(|(d, r)| d.dot(*r)).sum::<f64>();
    let (own, exact) = (along(&products.lanes), along(&products.one_by_one));
    // Of six ways to be stretched the blend follows two; with turns held there would be nine.
    assert!(own > exact && own < 1.75 * exact, "{own} for {exact}");
}
