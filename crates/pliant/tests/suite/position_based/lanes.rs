//! Kernels on vectors compute what constraints and energies say one by one.

use super::*;
use pliant::constraint::{
    Allowed, Block, ConstraintBatch, Dihedral, Distance, IsometricBending, Rule, TetVolumeConstraint,
};
use pliant::energy::{Batch, Curvature, Memory, Operator, PlateBending, Properties, TetStrain, TriangleStrain};

/// Constraints that do not say what they are made of, so that no kernel takes them.
#[derive(Debug)]
struct OneByOne(Box<dyn ConstraintBatch>);

impl ConstraintBatch for OneByOne {
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn stencil(&self, element: usize) -> &[u32] {
        self.0.stencil(element)
    }

    fn shift_vertices(&mut self, by: u32) {
        self.0.shift_vertices(by);
    }

    fn correct(&self, block: &mut Block<'_>, rule: &Rule) {
        self.0.correct(block, rule);
    }
}

/// An energy that does not.
#[derive(Debug)]
struct Unnamed(Box<dyn Batch>);

impl Batch for Unnamed {
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    fn operator(&self) -> &Operator {
        self.0.operator()
    }

    fn operator_mut(&mut self) -> &mut Operator {
        self.0.operator_mut()
    }

    fn properties(&self) -> Properties {
        self.0.properties()
    }

    fn initial_warm(&self) -> Vec<f64> {
        self.0.initial_warm()
    }

    fn project(&self, x: &[Vec3], goals: &[Vec3], memory: &mut Memory) {
        self.0.project(x, goals, memory);
    }

    fn project_some(&self, elements: &[u32], z: &mut [Vec3], goals: &[Vec3], warm: &mut [f64]) -> bool {
        self.0.project_some(elements, z, goals, warm)
    }

    fn hessians(
        &self,
        elements: std::ops::Range<usize>,
        x: &[Vec3],
        goals: &[Vec3],
        memory: &Memory,
        curvature: Curvature,
        out: &mut [f64],
    ) {
        self.0.hessians(elements, x, goals, memory, curvature, out);
    }
}

/// What a body is made of.
enum Made {
    Constraints(Box<dyn ConstraintBatch>),
    Energy(Box<dyn Batch>),
}

/// Stencils that share no vertex, at rest, so many of them, and positions away from rest.
fn separate(corners: usize, count: usize) -> (Vec<Vec3>, Vec<Vec3>) {
    let shape = [Vec3::ZERO, Vec3::X, Vec3::new(0.4, 0.9, 0.1), Vec3::new(0.6, -0.8, 0.5)];
    let place = |e: usize| Vec3::new(3.0 * e as f64, (e as f64).sin(), 0.0);
    let rest: Vec<Vec3> = (0..corners * count).map(|k| place(k / corners) + shape[k % corners]).collect();
    let wave = |k: usize| 0.3 * (12.9898 * k as f64).sin();
    let displaced = |(v, p): (usize, &Vec3)| *p + Vec3::new(wave(3 * v), wave(3 * v + 1), wave(3 * v + 2));
    let start = rest.iter().enumerate().map(displaced).collect();
    (rest, start)
}

/// Steps of a body of separate stencils. They start away from rest, and with the last two of them collapsed to a point and a line.
fn run(solver: &PositionBasedParams, start: &[Vec3], corners: usize, made: Made) -> Vec<Vec3> {
    let mut start = start.to_vec();
    let n = start.len();
    for k in 1..corners {
        start[n - corners + k] = start[n - corners];
        start[n - 2 * corners + k] = start[n - 2 * corners] + Vec3::X * k as f64;
    }
    let masses = (0..n as u32).map(|v| (v, v, 0.1 + 0.02 * f64::from(v % 7))).collect();
    let mut body = Body::new(start, masses).pin((0..n as u32).step_by(3 * corners));
    body = match made {
        Made::Constraints(constraints) => body.with_constraints(constraints),
        Made::Energy(energy) => body.with_energy(energy),
    };
    let mut sim = Simulation::builder().body(body).solver(solver.clone()).build().unwrap();
    for _ in 0..3 {
        sim.step().unwrap();
    }
    sim.positions().to_vec()
}

/// All that has kernels, by its name and number of corners.
fn make(kind: &str, rest: &[Vec3], corners: usize) -> Made {
    let all: Vec<u32> = (0..rest.len() as u32).collect();
    let pairs = || all.as_chunks::<2>().0;
    let quads = || all.as_chunks::<4>().0;
    let springs = |limits: [f64; 2]| {
        let springs = EdgeSprings::new(pairs().to_vec(), SpringStiffness::Uniform(200.0));
        Made::Energy(EdgeSprings { limits, ..springs }.build(rest).unwrap())
    };
    match kind {
        "distance" => Made::Constraints(Distance::at_rest(pairs(), rest, Allowed::Exactly, 1e-3).unwrap().boxed()),
        "isometric" => Made::Constraints(IsometricBending::at_rest(quads(), rest, 1e-2).unwrap().boxed()),
        "dihedral" => Made::Constraints(Dihedral::at_rest(quads(), rest, 1e-2).unwrap().boxed()),
        "volume" => Made::Constraints(TetVolumeConstraint::at_rest(quads(), rest, 1e-3).unwrap().boxed()),
        "spring" => springs([1.0, 1.0]),
        "limited spring" => springs([0.9, 1.1]),
        "triangle" | "limited triangle" => {
            let set = if kind == "triangle" { StrainSet::Rotation } else { StrainSet::Limits { min: 0.9, max: 1.1 } };
            let triangles = all.as_chunks::<3>().0.to_vec();
            Made::Energy(TriangleStrain { triangles, stiffness: 300.0, set }.build(rest).unwrap())
        }
        "tet" => {
            let tets = quads().to_vec();
            Made::Energy(TetStrain { tets, stiffness: 300.0, set: StrainSet::Rotation }.build(rest).unwrap())
        }
        _ => panic!("no {kind} of {corners} corners"),
    }
}

#[test]
fn kernels_move_separate_elements_as_one_by_one() {
    let kinds = [
        ("distance", 2),
        ("isometric", 4),
        ("dihedral", 4),
        ("volume", 4),
        ("spring", 2),
        ("limited spring", 2),
        ("triangle", 3),
        ("limited triangle", 3),
        ("tet", 4),
    ];
    for (kind, corners) in kinds {
        for solver in [extended(4), PositionBasedParams::classic(4, 0.9)] {
            let (rest, start) = separate(corners, 47);
            let fast = run(&solver, &start, corners, make(kind, &rest, corners));
            let opaque = match make(kind, &rest, corners) {
                Made::Constraints(constraints) => Made::Constraints(Box::new(OneByOne(constraints))),
                Made::Energy(energy) => Made::Energy(Box::new(Unnamed(energy))),
            };
            let slow = run(&solver, &start, corners, opaque);
            // Which way a collapsed triangle or tet unfolds is up to rounding.
            let is_open = kind.contains("triangle") || kind == "tet";
            let decided = fast.len() - if is_open { 2 * corners } else { 0 };
            for (v, (a, b)) in fast.iter().zip(&slow).enumerate() {
                let apart = if v < decided { a.distance(*b) } else { 0.0 };
                assert!(a.is_finite() && apart < 1e-8, "{kind} {:?}: vertex {v} at {a}, not {b}", solver.stiffness);
            }
        }
    }
}

/// Sheets that cross the borders of blocks: with iterations both ways end at the same step.
#[test]
fn kernels_on_a_whole_cloth_end_where_one_by_one_ends() {
    let sheet = Sheet { columns: 24, rows: 24, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
    let energy = || EdgeSprings::of_sheet(&sheet, 20.0).build(&sheet.positions).unwrap();
    let end = |energy: Box<dyn Batch>| {
        let masses = (0..sheet.positions.len() as u32).map(|v| (v, v, 1e-3)).collect();
        let body = Body::new(sheet.positions.clone(), masses).pin([0, 24]).with_energy(energy);
        let mut sim = Simulation::builder().body(body).solver(extended(1500)).build().unwrap();
        sim.step().unwrap();
        sim.positions().to_vec()
    };
    let (fast, slow) = (end(energy()), end(Box::new(Unnamed(energy()))));
    let apart = fast.iter().zip(&slow).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
    assert!(apart < 1e-7, "{apart}");
}

/// A plate that is bent at the start, by itself.
#[test]
fn the_kernel_of_plates_ends_where_one_by_one_ends() {
    let sheet = Sheet { columns: 12, rows: 10, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
    let bent: Vec<Vec3> = sheet.positions.iter().map(|p| p.with_y(0.3 * p.x * p.x - 0.2 * p.x * p.z)).collect();
    let energy = || PlateBending { stiffness: 0.02, poisson_ratio: 0.3 }.build(&sheet).unwrap();
    let end = |energy: Box<dyn Batch>, solver: PositionBasedParams| {
        let masses = (0..sheet.positions.len() as u32).map(|v| (v, v, 1e-3)).collect();
        let body = Body::new(sheet.positions.clone(), masses).with_positions(bent.clone()).pin([0, 12]);
        let mut sim = Simulation::builder().body(body.with_energy(energy)).solver(solver).build().unwrap();
        sim.step().unwrap();
        sim.positions().to_vec()
    };
    let apart = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
    let slow = end(Box::new(Unnamed(energy())), extended(3000));
    let fast = end(energy(), extended(3000));
    assert!(apart(&fast, &slow) < 1e-6, "{:e}", apart(&fast, &slow));
    assert!(apart(&fast, &bent) > 1e-3, "it moved by {:e} only", apart(&fast, &bent));
    // By shares of the way it flattens, and does not blow up.
    let flatter = end(energy(), PositionBasedParams::classic(50, 0.9));
    let bending = |x: &[Vec3]| {
        let energy = energy();
        energy.operator().energy(x, &vec![Vec3::ZERO; 3 * energy.operator().len()])
    };
    assert!(bending(&flatter) < bending(&bent), "{} J after {} J", bending(&flatter), bending(&bent));
}
