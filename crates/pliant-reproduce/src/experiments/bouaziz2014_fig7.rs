//! [Bouaziz 2014, Figure 7]: solids of strain and volume constraints in different proportions.
//!
//! A bar is pulled at its ends. With strain constraints alone it keeps its width and gains volume; the heavier the volume
//! constraints, the thinner it gets instead. For small strains, constraints of weights w and r·w make a material of Poisson
//! ratio ν = λ/(2(λ + μ)) with μ = w/2 and λ = r·w/3, so r/(2r + 3).

use pliant::energy::{TetStrain, TetVolume};
use pliant::mesh::generate::TetPattern;
use pliant::mesh::{MassKind, Simplices};
use pliant::prelude::*;
use pliant_picture::plot::{Axis, Plot, Series};

use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bouaziz2014-fig7",
    figure: "Bouaziz 2014, Figure 7",
    claim: "Weights of volume preservation and strain make different materials",
    criteria: &[
        Criterion {
            name: "volume-kept",
            statement: "change of volume with volume constraints 100 times as heavy as strain, as a share",
            bound: Bound::Below(0.02),
            kind: Kind::Shape,
        },
        Criterion {
            name: "volume-order",
            statement: "volume gained over that with the next heavier volume constraints, least",
            bound: Bound::AtLeast(1.5),
            kind: Kind::Shape,
        },
        Criterion {
            name: "poisson-ratio",
            statement: "Poisson ratio at a small strain against r/(2r + 3), largest difference",
            bound: Bound::Below(0.02),
            kind: Kind::Shape,
        },
    ],
    measure,
};

/// Weight of the volume constraints over that of strain.
const RATIOS: [f64; 4] = [0.0, 1.0, 10.0, 100.0];
/// Weight of strain \[Pa\].
const STRAIN: f64 = 1e5;
/// Length and thickness of the bar \[m\].
const LENGTH: f64 = 1.0;
const THICKNESS: f64 = 0.2;
/// Share of its length by which it is pulled.
const PULLED: f64 = 0.5;
const STEPS: usize = 20;

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let across = size.pick(4, 2);
    let thick = Vec3::new(LENGTH, THICKNESS, THICKNESS);
    let bar = TetBox { size: thick, cells: [5 * across, across, across], pattern: TetPattern::Five };
    let mesh = bar.mesh()?;
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "a bar of {LENGTH} m × {THICKNESS} m × {THICKNESS} m with {} tets, clamped at both ends and pulled by \
         {PULLED} of its length; strain of {STRAIN:.0e} Pa; no gravity; exact by Newton's method",
        mesh.tets.len()
    ));
    let columns = ["pulled by", "no volume constraints", "1 : 1", "10 : 1", "100 : 1"];
    let mut table = Table::new("volume", &columns);
    let runs = RATIOS.iter().map(|&ratio| pull(&mesh, ratio)).collect::<Result<Vec<_>, _>>()?;
    for step in 0..=STEPS {
        let share = PULLED * step as f64 / STEPS as f64;
        table.push([&[share], &runs.iter().map(|run| run.volumes[step]).collect::<Vec<_>>()[..]].concat());
    }
    outcome.tables.push(table);
    let series = RATIOS.iter().zip(&runs).map(|(ratio, run)| {
        let points = run.volumes.iter().enumerate().map(|(k, v)| [PULLED * k as f64 / STEPS as f64, *v]).collect();
        Series::new(format!("volume : strain = {ratio} : 1"), points)
    });
    outcome.plot(
        "volume",
        Plot {
            title: "Volume of a pulled bar".to_owned(),
            x: Axis::linear("pulled by"),
            y: Axis::linear("volume over rest volume"),
            series: series.collect(),
            ..Plot::default()
        },
    );
    let surface = mesh.surface()?;
    let skin: Vec<[u32; 3]> = surface.mesh.triangles.iter().map(|t| t.map(|v| surface.vertices[v as usize])).collect();
    let row = Row {
        shapes: runs.iter().map(|run| run.positions.as_slice()).collect(),
        triangles: vec![&skin],
        turn: 15.0,
        edges: false,
        size: [1300, 260],
        crease: 30.0,
    };
    outcome.pictures.push(("bars".to_owned(), row.draw()?));

    let gains: Vec<f64> = runs.iter().map(|run| run.volumes[STEPS] - 1.0).collect();
    let note = format!("gains {gains:.4?} with weights {RATIOS:?}");
    outcome.measure("volume-kept", gains[RATIOS.len() - 1].abs(), note);
    let order = gains.windows(2).map(|pair| pair[0] / pair[1]).fold(f64::INFINITY, f64::min);
    outcome.measure("volume-order", order, "");
    let expected = RATIOS.map(|r| r / (2.0 * r + 3.0));
    let found: Vec<f64> = runs.iter().map(|run| run.poisson_ratio).collect();
    let largest = found.iter().zip(expected).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    outcome.measure("poisson-ratio", largest, format!("{found:.3?}, in theory {expected:.3?}"));
    Ok(outcome)
}

struct Pulled {
    /// Volume over rest volume, step by step.
    volumes: Vec<f64>,
    positions: Vec<Vec3>,
    /// Of the middle of the bar, after the first step.
    poisson_ratio: f64,
}

fn pull(mesh: &TetMesh, ratio: f64) -> Result<Pulled, ReproduceError> {
    let tets = || mesh.tets.clone();
    let strain = TetStrain { tets: tets(), stiffness: STRAIN, set: StrainSet::Rotation };
    let volume = TetVolume { tets: tets(), stiffness: ratio * STRAIN, bounds: [1.0, 1.0] };
    let body = Body::new(mesh.positions.clone(), mesh.mass_matrix(MassKind::Lumped, 1000.0)?)
        .with_energy(strain.build(&mesh.positions)?)
        .with_energy(volume.build(&mesh.positions)?)
        .pin_where(|p| p.x.abs() > 0.499 * LENGTH);
    let solver = NewtonParams { tolerance: 1e-8, start: Start::Previous, ..NewtonParams::default() };
    // Long steps of implicit Euler forget inertia: each state is at rest.
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(1.0).solver(solver);
    let mut sim = builder.build()?;
    let mut stretch_by = |share: f64| {
        sim.move_pins(|_, rest| rest.with_x((1.0 + share) * rest.x))?;
        sim.step()?;
        sim.step()?;
        Ok::<_, ReproduceError>(sim.positions().to_vec())
    };
    let poisson_ratio = middle_poisson_ratio(mesh, &stretch_by(SMALL)?);
    let (mut volumes, mut positions) = (vec![1.0], Vec::new());
    for step in 1..=STEPS {
        positions = stretch_by(PULLED * step as f64 / STEPS as f64)?;
        volumes.push(volume_ratio(mesh, &positions)?);
    }
    Ok(Pulled { volumes, positions, poisson_ratio })
}

/// The first, small stretch.
const SMALL: f64 = 1e-3;

fn volume_ratio(mesh: &TetMesh, positions: &[Vec3]) -> Result<f64, ReproduceError> {
    let volumes = mesh.tet_volumes();
    let stretches = mesh.principal_stretches(positions)?;
    let now: f64 = stretches.iter().zip(&volumes).map(|([a, b, c], volume)| a * b * c * volume).sum();
    Ok(now / volumes.iter().sum::<f64>())
}

/// −(strain across)/(strain along) by least squares over the vertices in the middle third, away from the clamps.
fn middle_poisson_ratio(mesh: &TetMesh, positions: &[Vec3]) -> f64 {
    let (mut along, mut across, mut squares) = (0.0, 0.0, [0.0; 2]);
    for (rest, now) in mesh.positions.iter().zip(positions).filter(|(rest, _)| rest.x.abs() < LENGTH / 6.0) {
        let moved = *now - *rest;
        along += rest.x * moved.x;
        across += rest.y * moved.y + rest.z * moved.z;
        squares[0] += rest.x * rest.x;
        squares[1] += rest.y * rest.y + rest.z * rest.z;
    }
    -(across / squares[1]) / (along / squares[0])
}
