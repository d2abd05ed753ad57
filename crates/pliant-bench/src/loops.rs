//! Bodies of constraints for position-based dynamics: the same constraints for the engine and for loops in C++.

use pliant::constraint::{
    Allowed, ConstraintArrays, ConstraintBatch, Dihedral, Distance, IsometricBending, TetVolumeConstraint,
};
use pliant::math::Vec3;
use pliant::mesh::{TetMesh, TriangleMesh};
use pliant::solve::PositionBasedParams;
use pliant::{Body, Simulation};

use crate::BenchError;
use crate::problem::{Elements, ITERATIONS, Problem, TIME_STEP};

/// A kind of constraint, by its number in C++.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopKind {
    /// Two vertices at a distance.
    Distance = 0,
    /// Hinges, quadratic.
    Isometric = 1,
    /// Hinges, by their angle.
    Dihedral = 2,
    /// Volumes of tets.
    Volume = 3,
}

impl LoopKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Distance, Self::Isometric, Self::Dihedral, Self::Volume];

    /// Vertices of an element.
    pub fn corners(self) -> usize {
        if self == Self::Distance { 2 } else { 4 }
    }

    /// Rest numbers of an element.
    pub(crate) fn numbers(self) -> usize {
        if self == Self::Isometric { 4 } else { 1 }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Distance => "distance",
            Self::Isometric => "bending, isometric",
            Self::Dihedral => "bending, dihedral",
            Self::Volume => "volume",
        }
    }

    /// A compliance over the squared step that counts beside the mobility of the bodies here.
    pub fn softness(self) -> f64 {
        match self {
            Self::Distance => 10.0,
            Self::Isometric => 1e-3,
            Self::Dihedral => 1e5,
            Self::Volume => 1e-9,
        }
    }
}

/// How far a visit goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopRule {
    /// All the way.
    Classic,
    /// With the [softness](LoopKind::softness) of each kind, and multipliers.
    Compliant,
}

/// Constraints of one kind.
#[derive(Debug, Clone)]
pub struct Loop {
    /// Which.
    pub kind: LoopKind,
    /// Vertices, element by element.
    pub vertices: Vec<u32>,
    /// Rest numbers, element by element.
    pub rest: Vec<f64>,
}

impl Loop {
    fn new(kind: LoopKind, vertices: Vec<u32>, rest: &[Vec3]) -> Result<Self, BenchError> {
        let batch = kind.batch(&vertices, rest, 0.0)?;
        let numbers: Vec<f64> = match batch.arrays() {
            ConstraintArrays::Distance { lengths, .. } => lengths,
            ConstraintArrays::Isometric { weights, .. } => weights.concat(),
            ConstraintArrays::Dihedral { angles, .. } => angles,
            ConstraintArrays::TetVolume { volumes, .. } => volumes,
            ConstraintArrays::Opaque | ConstraintArrays::BoundedDistance { .. } => Vec::new(),
        };
        let own = Self { kind, vertices, rest: numbers };
        assert_eq!(own.rest.len(), own.len() * kind.numbers(), "rest numbers of all elements");
        Ok(own)
    }

    /// Number of constraints.
    pub fn len(&self) -> usize {
        self.vertices.len() / self.kind.corners()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }
}

impl LoopKind {
    fn batch(self, vertices: &[u32], rest: &[Vec3], compliance: f64) -> Result<Box<dyn ConstraintBatch>, BenchError> {
        let (pairs, quads) = (vertices.as_chunks::<2>().0, vertices.as_chunks::<4>().0);
        Ok(match self {
            Self::Distance => Distance::at_rest(pairs, rest, Allowed::Exactly, compliance)?.boxed(),
            Self::Isometric => IsometricBending::at_rest(quads, rest, compliance)?.boxed(),
            Self::Dihedral => Dihedral::at_rest(quads, rest, compliance)?.boxed(),
            Self::Volume => TetVolumeConstraint::at_rest(quads, rest, compliance)?.boxed(),
        })
    }
}

/// A body of constraints.
#[derive(Debug, Clone)]
pub struct LoopBody {
    /// What it is called.
    pub name: String,
    /// Rest positions \[m\].
    rest: Vec<Vec3>,
    /// Positions at the start, each moved a little its own way \[m\].
    pub start: Vec<Vec3>,
    masses: Vec<f64>,
    pinned: Vec<u32>,
    /// Its constraints, kind by kind.
    pub loops: Vec<Loop>,
}

impl LoopBody {
    fn new(
        name: &str,
        rest: Vec<Vec3>,
        masses: Vec<f64>,
        pinned: Vec<u32>,
        loops: Vec<(LoopKind, Vec<u32>)>,
    ) -> Result<Self, BenchError> {
        let loops: Result<Vec<Loop>, BenchError> =
            loops.into_iter().map(|(kind, vertices)| Loop::new(kind, vertices, &rest)).collect();
        let loops = loops?;
        let distance = |pair: &[u32]| rest[pair[0] as usize].distance(rest[pair[1] as usize]);
        let edges = loops.iter().flat_map(|own| own.vertices.chunks_exact(own.kind.corners()));
        let shortest = edges.map(distance).fold(f64::INFINITY, f64::min);
        let wave = |k: usize| 0.1 * shortest * (12.9898 * k as f64).sin();
        let displaced = |(v, p): (usize, &Vec3)| *p + Vec3::new(wave(3 * v), wave(3 * v + 1), wave(3 * v + 2));
        let mut start: Vec<Vec3> = rest.iter().enumerate().map(displaced).collect();
        pinned.iter().for_each(|&v| start[v as usize] = rest[v as usize]);
        Ok(Self { name: name.to_owned(), rest, start, masses, pinned, loops })
    }

    /// The springs of a problem as distances; none for other elements.
    pub fn of_springs(problem: &Problem) -> Option<Self> {
        let Elements::Springs { edges, .. } = &problem.elements else { return None };
        let (rest, masses) = (problem.rest.clone(), problem.masses.clone());
        let loops = vec![(LoopKind::Distance, edges.concat())];
        Self::new(&problem.name, rest, masses, problem.pinned.clone(), loops).ok()
    }

    /// A cloth: its springs as distances, and its hinges.
    pub fn cloth(problem: &Problem, mesh: &TriangleMesh, kinds: &[LoopKind]) -> Result<Self, BenchError> {
        let Elements::Springs { edges, .. } = &problem.elements else {
            return Err(BenchError::NoSuchProblem { name: problem.name.clone(), known: "cloths".to_owned() });
        };
        let hinges: Vec<u32> = mesh.hinges()?.concat();
        let vertices = |kind: LoopKind| if kind == LoopKind::Distance { edges.concat() } else { hinges.clone() };
        let loops = kinds.iter().map(|&kind| (kind, vertices(kind))).collect();
        let (rest, masses) = (problem.rest.clone(), problem.masses.clone());
        Self::new(&problem.name, rest, masses, problem.pinned.clone(), loops)
    }

    /// A solid: its edges as distances, and the volumes of its tets.
    pub fn solid(problem: &Problem, kinds: &[LoopKind]) -> Result<Self, BenchError> {
        let Elements::Tets { tets, .. } = &problem.elements else {
            return Err(BenchError::NoSuchProblem { name: problem.name.clone(), known: "solids".to_owned() });
        };
        let edges = TetMesh { positions: problem.rest.clone(), tets: tets.clone() }.edges().concat();
        let vertices = |kind: LoopKind| if kind == LoopKind::Distance { edges.clone() } else { tets.concat() };
        let loops = kinds.iter().map(|&kind| (kind, vertices(kind))).collect();
        let (rest, masses) = (problem.rest.clone(), problem.masses.clone());
        Self::new(&problem.name, rest, masses, problem.pinned.clone(), loops)
    }

    /// So many constraints that share no vertex, each turned and placed its own way; the first vertex of every third is pinned.
    pub fn separate(kind: LoopKind, count: usize) -> Result<Self, BenchError> {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::new(0.4, 0.9, 0.1), Vec3::new(0.6, -0.8, 0.5)];
        let n = kind.corners();
        let place = |e: usize| Vec3::new(3.0 * e as f64, (e as f64).sin(), 0.0);
        let scale = |e: usize| 0.5 + 0.01 * e as f64;
        let rest = (0..count * n).map(|k| place(k / n) + corners[k % n] * scale(k / n)).collect();
        let masses = (0..count * n).map(|k| 0.1 + 0.02 * (k % 7) as f64).collect();
        let pinned = (0..count).step_by(3).map(|e| (e * n) as u32).collect();
        Self::new("separate", rest, masses, pinned, vec![(kind, (0..(count * n) as u32).collect())])
    }

    /// 1/m of each vertex \[1/kg\]; 0 where pinned.
    pub fn inverse_masses(&self) -> Vec<f64> {
        let mut inverse: Vec<f64> = self.masses.iter().map(|mass| 1.0 / mass).collect();
        self.pinned.iter().for_each(|&v| inverse[v as usize] = 0.0);
        inverse
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.rest.len()
    }

    /// Number of constraints of all kinds.
    pub fn constraints(&self) -> usize {
        self.loops.iter().map(Loop::len).sum()
    }

    /// Names of its kinds.
    pub fn kinds(&self) -> String {
        self.loops.iter().map(|own| own.kind.name()).collect::<Vec<_>>().join(" + ")
    }

    /// The engine's simulation of it, without gravity, from the start.
    pub fn simulation(&self, rule: LoopRule, threads: usize) -> Result<Simulation, BenchError> {
        let masses = (0..).zip(&self.masses).map(|(v, &mass)| (v, v, mass)).collect();
        let mut body = Body::new(self.start.clone(), masses).pin(self.pinned.iter().copied());
        let (solver, squared_step) = match rule {
            LoopRule::Classic => (PositionBasedParams::classic(ITERATIONS, 1.0), 0.0),
            LoopRule::Compliant => {
                let solver = PositionBasedParams { iterations: ITERATIONS, ..PositionBasedParams::default() };
                (solver, TIME_STEP * TIME_STEP)
            }
        };
        for own in &self.loops {
            let compliance = own.kind.softness() * squared_step;
            body = body.with_constraints(own.kind.batch(&own.vertices, &self.rest, compliance)?);
        }
        let builder = Simulation::builder().body(body).time_step(TIME_STEP).gravity(Vec3::ZERO);
        Ok(builder.solver(solver).threads(threads).build()?)
    }
}
