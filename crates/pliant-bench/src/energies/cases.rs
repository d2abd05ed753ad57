//! A body for each energy of the engine's list, in the variants whose cost differs, and two states of it.

use pliant::energy::{
    Batch, EdgeSprings, EnergyError, EnergyInfo, ExampleBased, ExampleWeights, HalfSpace, HingeBending, HingeStiffness,
    MeanCurvatureBending, PositionGoals, Rewiring, RigidSet, StrainSet, TetStrain, TetVolume, TriangleArea,
    TriangleStrain,
};
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::{Sheet, TetBox};
use pliant::mesh::{TetMesh, TriangleMesh};

use crate::BenchError;

type Batches = Vec<Box<dyn Batch>>;

/// An energy on a body.
pub struct Case {
    /// Key of the energy in the engine's list.
    pub key: &'static str,
    /// Which of its variants; empty for the plain one.
    pub variant: String,
    /// Rest positions of the vertices \[m\].
    pub rest: Vec<Vec3>,
    /// Length of an edge \[m\].
    pub edge: f64,
    make: Box<dyn Fn() -> Result<Batches, EnergyError>>,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Case").field("key", &self.key).field("variant", &self.variant).finish_non_exhaustive()
    }
}

impl Case {
    /// The energy anew; two where strain and area or volume of the same elements go together.
    pub fn batches(&self) -> Result<Batches, EnergyError> {
        (self.make)()
    }

    /// What it is called in tables.
    pub fn name(&self) -> String {
        if self.variant.is_empty() { self.key.to_owned() } else { format!("{}, {}", self.key, self.variant) }
    }

    /// Positions of its vertices in a state \[m\].
    pub fn positions(&self, state: State) -> Vec<Vec3> {
        state.positions(&self.rest, self.edge)
    }
}

/// How far a body is deformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// By some percent.
    Mild,
    /// By tens of percent; some tets are inverted.
    Strong,
}

impl State {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Mild, Self::Strong];

    /// Stretched and sheared as a whole, each vertex moved by a share of an edge's length, and turned.
    fn positions(self, rest: &[Vec3], edge: f64) -> Vec<Vec3> {
        let (strain, share) = match self {
            Self::Mild => (0.03, 0.02),
            Self::Strong => (0.25, 0.4),
        };
        let turn = Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0).normalize(), 0.8);
        let middle = middle(rest);
        let mut random = Random(1);
        let mut place = |p: &Vec3| {
            let r = *p - middle;
            let stretched = Vec3::new((1.0 + strain) * r.x + 0.5 * strain * r.y, (1.0 - 0.6 * strain) * r.y, r.z);
            middle + turn * (stretched + share * edge * Vec3::new(random.next(), random.next(), random.next()))
        };
        rest.iter().map(&mut place).collect()
    }
}

fn middle(points: &[Vec3]) -> Vec3 {
    points.iter().fold(Vec3::ZERO, |sum, p| sum + *p) / points.len().max(1) as f64
}

/// The same numbers in every run (xorshift).
struct Random(u64);

impl Random {
    /// Between −1 and 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Everything about the list of energies: cases, and keys that have none.
#[derive(Debug)]
pub struct Cases {
    /// In the order of the list.
    pub cases: Vec<Case>,
    /// Keys of energies that nobody knows how to put on a body.
    pub missing: Vec<&'static str>,
}

/// Cases of about so many elements for every energy of a list. An energy that has no body here, because it is new, gets copies of its
/// specimens side by side; if its elements depend on each other it is missing.
pub fn cases(list: &[EnergyInfo], elements: usize) -> Result<Cases, BenchError> {
    let mut known = on_surfaces(elements)?;
    known.extend(on_solids(elements)?);
    known.extend(on_points(elements)?);
    let mut found = Cases { cases: Vec::new(), missing: Vec::new() };
    for info in list {
        let before = found.cases.len();
        found.cases.extend(known.extract_if(.., |case| case.key == info.key));
        if found.cases.len() == before {
            for (k, specimen) in info.specimens.iter().enumerate() {
                found.cases.extend(copies(info.key, k, *specimen, elements)?);
            }
        }
        if found.cases.len() == before {
            found.missing.push(info.key);
        }
    }
    Ok(found)
}

/// A sheet of about so many squares, flat or curved at rest.
fn sheet(squares: usize, curved: bool) -> Result<(TriangleMesh, f64), BenchError> {
    let along = ((squares as f64).sqrt().round() as usize).max(3);
    let mut mesh = Sheet { columns: along, rows: along, ..Sheet::default() }.mesh()?;
    if curved {
        mesh.positions.iter_mut().for_each(|p| p.z = 0.1 * (5.0 * p.x).sin() * (4.0 * p.y).cos());
    }
    Ok((mesh, 1.0 / along as f64))
}

fn on_surfaces(elements: usize) -> Result<Vec<Case>, BenchError> {
    let mut cases = Vec::new();
    let (mesh, edge) = sheet(elements / 3, false)?;
    for (variant, limits) in [("", [1.0, 1.0]), ("limits", [0.95, 1.05])] {
        let (springs, rest) = (EdgeSprings { limits, ..EdgeSprings::of_sheet(&mesh, 100.0) }, mesh.positions.clone());
        cases.push(case("edge_spring", variant, &mesh.positions, edge, move || Ok(vec![springs.build(&rest)?])));
    }
    let (mesh, edge) = sheet(elements / 2, false)?;
    let sets = [
        ("", StrainSet::Rotation),
        ("limits", StrainSet::Limits { min: 0.95, max: 1.05 }),
        ("fibres", StrainSet::Fibres { direction: Vec3::new(1.0, 0.4, 0.0), limits: [[0.98, 1.02], [0.8, 1.3]] }),
    ];
    let strain = |set| TriangleStrain { triangles: mesh.triangles.clone(), stiffness: 100.0, set };
    let area = TriangleArea { triangles: mesh.triangles.clone(), stiffness: 60.0, bounds: [1.0, 1.0] };
    for (variant, set) in sets {
        let (strain, rest) = (strain(set), mesh.positions.clone());
        cases.push(case("triangle_strain", variant, &mesh.positions, edge, move || Ok(vec![strain.build(&rest)?])));
    }
    let (own, rest) = (area.clone(), mesh.positions.clone());
    cases.push(case("triangle_area", "", &mesh.positions, edge, move || Ok(vec![own.build(&rest)?])));
    let (strain, rest) = (strain(StrainSet::Rotation), mesh.positions.clone());
    let both = move || Ok(vec![strain.build(&rest)?, area.build(&rest)?]);
    cases.push(case("triangle_area", "with strain", &mesh.positions, edge, both));
    for (variant, curved) in [("flat at rest", false), ("curved at rest", true)] {
        let (mesh, edge) = sheet(elements, curved)?;
        let surface = mesh.clone();
        let build = move || Ok(vec![MeanCurvatureBending { stiffness: 1e-3 }.build(&surface)?]);
        cases.push(case("bending", variant, &mesh.positions, edge, build));
        let (mesh, edge) = sheet(elements / 3, curved)?;
        let hinges = HingeBending::new(mesh.hinges()?, HingeStiffness::Plate(1e-3));
        let rest = mesh.positions.clone();
        cases.push(case("hinge", variant, &mesh.positions, edge, move || Ok(vec![hinges.build(&rest)?])));
    }
    Ok(cases)
}

/// A cube of about so many tets.
fn cube(tets: usize) -> Result<(TetMesh, f64), BenchError> {
    let along = ((tets as f64 / 6.0).cbrt().round() as usize).max(2);
    Ok((TetBox { cells: [along; 3], ..TetBox::default() }.mesh()?, 1.0 / along as f64))
}

fn on_solids(elements: usize) -> Result<Vec<Case>, BenchError> {
    let mut cases = Vec::new();
    let (TetMesh { positions, tets, .. }, edge) = cube(elements)?;
    let sets = [
        ("", StrainSet::Rotation),
        ("limits", StrainSet::Limits { min: 0.95, max: 1.05 }),
        (
            "fibres",
            StrainSet::Fibres { direction: Vec3::new(1.0, 2.0, 0.5), limits: [[0.98, 1.02], [0.8, 1.3], [0.8, 1.3]] },
        ),
    ];
    let strain = |set| TetStrain { tets: tets.clone(), stiffness: 1e5, set };
    let volume = TetVolume { tets: tets.clone(), stiffness: 2e5, bounds: [1.0, 1.0] };
    for (variant, set) in sets {
        let (strain, rest) = (strain(set), positions.clone());
        cases.push(case("tet_strain", variant, &positions, edge, move || Ok(vec![strain.build(&rest)?])));
    }
    let (own, rest) = (volume.clone(), positions.clone());
    cases.push(case("tet_volume", "", &positions, edge, move || Ok(vec![own.build(&rest)?])));
    let (strain, rest) = (strain(StrainSet::Rotation), positions.clone());
    let both = move || Ok(vec![strain.build(&rest)?, volume.build(&rest)?]);
    cases.push(case("tet_volume", "with strain", &positions, edge, both));
    for (key, weights) in [("example_local", ExampleWeights::Local), ("example_global", ExampleWeights::Global)] {
        let stretched = |by: Vec3| positions.iter().map(|p| *p * by).collect::<Vec<_>>();
        let examples = vec![stretched(Vec3::new(1.3, 0.9, 0.9)), stretched(Vec3::new(0.9, 1.2, 0.9))];
        let (energy, rest) =
            (ExampleBased { tets: tets.clone(), examples, stiffness: 1e5, weights }, positions.clone());
        cases.push(case(key, "two examples", &positions, edge, move || Ok(vec![energy.build(&rest)?])));
    }
    Ok(cases)
}

fn on_points(elements: usize) -> Result<Vec<Case>, BenchError> {
    let (mesh, edge) = sheet(elements, true)?;
    let vertices: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    let goals = PositionGoals { vertices: vertices.clone(), goals: None, stiffness: 50.0 };
    let point = middle(&mesh.positions);
    let plane = HalfSpace { vertices: vertices.clone(), point, normal: Vec3::new(1.0, 0.5, 0.2), stiffness: 50.0 };
    let rigid = RigidSet { hub: 0, vertices: vertices[1..].to_vec(), stiffness: 50.0 };
    let rests: [_; 3] = std::array::from_fn(|_| mesh.positions.clone());
    let [a, b, c] = rests;
    Ok(vec![
        case("position", "", &mesh.positions, edge, move || Ok(vec![goals.build(&a)?])),
        case("half_space", "", &mesh.positions, edge, move || Ok(vec![plane.build(&b)?])),
        case("rigid", "one set", &mesh.positions, edge, move || Ok(vec![rigid.build(&c)?])),
    ])
}

fn case(
    key: &'static str,
    variant: &str,
    rest: &[Vec3],
    edge: f64,
    make: impl Fn() -> Result<Batches, EnergyError> + 'static,
) -> Case {
    Case { key, variant: variant.to_owned(), rest: rest.to_vec(), edge, make: Box::new(make) }
}

/// Copies of a specimen side by side; none where its elements depend on each other.
fn copies(
    key: &'static str,
    number: usize,
    specimen: fn() -> Result<pliant::energy::Specimen, EnergyError>,
    elements: usize,
) -> Result<Option<Case>, BenchError> {
    let one = specimen()?;
    let (operator, vertices) = (one.batch.operator(), one.rest.len());
    let count = elements.div_ceil(operator.len().max(1));
    let shifted = |copy: usize| operator.corner_vertices().iter().map(move |v| v + (copy * vertices) as u32);
    let rewiring = Rewiring {
        elements: (0..count).flat_map(|_| (0..operator.len() as u32).map(|e| (e, 1.0))).collect(),
        vertices: (0..count).flat_map(shifted).collect(),
    };
    if one.batch.rewired(&rewiring).is_none() {
        return Ok(None);
    }
    let pairs = (0..vertices).flat_map(|i| (0..i).map(move |j| (i, j)));
    let edge = pairs.fold(f64::INFINITY, |least, (i, j)| least.min(one.rest[i].distance(one.rest[j])));
    let edge = if edge.is_finite() { edge } else { 1.0 };
    let rest: Vec<Vec3> = (0..count).flat_map(|_| one.rest.iter().copied()).collect();
    let make = move || {
        let batch = specimen()?.batch;
        Ok(batch.rewired(&rewiring).into_iter().collect())
    };
    Ok(Some(case(key, &format!("copies of specimen {}", number + 1), &rest, edge, make)))
}
