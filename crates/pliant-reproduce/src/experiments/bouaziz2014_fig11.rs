//! [Bouaziz 2014, Figure 11]: a volumetric animal by 1, 10 and 20 iterations in each step, against the converged solution.
//!
//! The animal is made of capsules and balls with fillets, filled with tets: about as many vertices as the paper's hippopotamus.
//! It is held along its back and let go with a sideways push. Standing on its feet it is a harder case: its legs buckle, and
//! small differences decide to which side.

use pliant::mesh::sdf::{Ball, Capsule, Solid};
use pliant::mesh::{Resolution, Tetrahedralise};
use pliant::prelude::*;

use crate::motion::{Comparison, Motion, exact, largest_distance};
use crate::one_thread::clock;
use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bouaziz2014-fig11",
    figure: "Bouaziz 2014, Figure 11",
    claim: "After 10 iterations the result looks very similar to the converged one, for a fraction of the cost",
    criteria: &[
        Criterion {
            name: "ten",
            statement: "distance of a vertex from the exact motion with 10 iterations, largest of all vertices and \
                frames, in diagonals",
            bound: Bound::Below(0.01),
            kind: Kind::Shape,
        },
        Criterion {
            name: "ten-standing",
            statement: "the same for the animal on its feet, whose legs buckle",
            bound: Bound::Below(0.01),
            kind: Kind::Beyond,
        },
        Criterion {
            name: "cost",
            statement: "time of a step with 10 iterations over that of an exact one",
            bound: Bound::Below(0.5),
            kind: Kind::Timing,
        },
    ],
    measure,
};

const COUNTS: [usize; 3] = [1, 10, 20];
/// Young's modulus \[Pa\].
const YOUNGS_MODULUS: f64 = 5e4;
/// Speed of the push \[m/s\].
const PUSH: f64 = 0.5;

/// A stout animal on four legs, about 1 m long.
pub(super) fn animal() -> Solid {
    let capsule = |from: [f64; 3], to: [f64; 3], radius| Capsule { ends: [Vec3::from(from), Vec3::from(to)], radius };
    let leg = |x: f64, z: f64| capsule([x, 0.3, z], [x, 0.04, z], 0.075);
    Solid::new(capsule([-0.25, 0.42, 0.0], [0.2, 0.42, 0.0], 0.22))
        .smooth_union(capsule([0.3, 0.55, 0.0], [0.52, 0.5, 0.0], 0.12), 0.1)
        .smooth_union(Ball { centre: Vec3::new(0.6, 0.48, 0.0), radius: 0.13 }, 0.05)
        .smooth_union(leg(-0.28, -0.13), 0.05)
        .smooth_union(leg(-0.28, 0.13), 0.05)
        .smooth_union(leg(0.2, -0.13), 0.05)
        .smooth_union(leg(0.2, 0.13), 0.05)
}

fn on_the_back(p: Vec3) -> bool {
    p.y > 0.56 && p.x < 0.1
}

fn on_the_feet(p: Vec3) -> bool {
    p.y < 0.05
}

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let cells = size.pick(23, 10);
    let steps = size.pick(45, 20);
    let mesh =
        Tetrahedralise { resolution: Resolution::Cells(cells), ..Tetrahedralise::default() }.fill(&animal())?.mesh;
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "an animal of capsules with {} DoFs and {} strain constraints (printed: 7161 and 8406), about 1 m long; E = \
         {YOUNGS_MODULUS:.0e} Pa, 1000 kg/m³",
        3 * mesh.positions.len(),
        mesh.tets.len()
    ));
    outcome.choose(format!(
        "held along its back; let go under gravity with {PUSH} m/s sideways; {steps} steps of 1/30 \
        s; plain local/global from the predicted positions"
    ));
    let material = SolidMaterial { youngs_modulus: YOUNGS_MODULUS, poisson_ratio: 0.0, ..SolidMaterial::default() };
    let run = |held: fn(Vec3) -> bool, solver: SolverChoice| {
        let body = Body::solid(&mesh, &material)?.pin_where(held);
        let push = mesh.positions.iter().map(|p| Vec3::Z * if held(*p) { 0.0 } else { PUSH }).collect();
        let builder = Simulation::builder().body(body.with_velocities(push)).time_step(1.0 / 30.0).solver(solver);
        Motion::of(&mut builder.threads(1).clock(clock()).build()?, steps, |_, _| Ok(()))
    };
    let reference = run(on_the_back, exact().into())?;
    let motions = COUNTS
        .iter()
        .map(|&count| run(on_the_back, ProjectiveParams::plain(count).into()))
        .collect::<Result<Vec<_>, _>>()?;
    let diagonal = mesh.diagonal();
    let distances: Vec<Vec<f64>> = motions
        .iter()
        .map(|motion| {
            motion.frames.iter().zip(&reference.frames).map(|(a, b)| largest_distance(a, b) / diagonal).collect()
        })
        .collect();

    let compared = Comparison { counts: &COUNTS, motions: &motions, exact: &reference, distances: &distances };
    compared.show(&mut outcome, "Largest distance from the exact motion", "distance [diagonals]");
    // Drawn where one iteration is farthest off.
    let frame = (0..=steps).fold(0, |worst, k| if distances[0][k] > distances[0][worst] { k } else { worst });
    let surface = mesh.surface()?;
    let skin: Vec<[u32; 3]> = surface.mesh.triangles.iter().map(|t| t.map(|v| surface.vertices[v as usize])).collect();
    let row = Row {
        shapes: motions.iter().chain([&reference]).map(|motion| motion.frames[frame].as_slice()).collect(),
        triangles: vec![&skin],
        turn: -30.0,
        edges: false,
        size: [1400, 360],
        crease: 80.0,
    };
    outcome.pictures.push(("animals".to_owned(), row.draw()?));

    let most = |k: usize| distances[k].iter().copied().fold(0.0, f64::max);
    outcome.measure("ten", most(1), format!("1 iteration: {:.4}; 20 iterations: {:.4}", most(0), most(2)));
    let [ten, whole] = [run(on_the_feet, ProjectiveParams::plain(10).into())?, run(on_the_feet, exact().into())?];
    let farthest = ten.frames.iter().zip(&whole.frames).map(|(a, b)| largest_distance(a, b) / diagonal);
    outcome.measure("ten-standing", farthest.fold(0.0, f64::max), "");
    let [ten, whole] = [&motions[1], &reference].map(|motion| 1e3 * motion.seconds_per_step);
    outcome.measure("cost", ten / whole, format!("{ten:.1} ms against {whole:.1} ms"));
    Ok(outcome)
}
