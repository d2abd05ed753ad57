//! [Bouaziz 2014, Figure 7]: solids of strain and volume constraints in different proportions.
//!
//! A cube between two plates is squeezed. With strain constraints alone it loses volume; the heavier the volume constraints,
//! the more it bulges instead.

use pliant::energy::{TetStrain, TetVolume};
use pliant::mesh::generate::TetPattern;
use pliant::mesh::{MassKind, Simplices};
use pliant::prelude::*;
use pliant_view::plot::{Axis, Plot, Series};

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
            statement: "volume lost over that lost with the next heavier volume constraints, least",
            bound: Bound::AtLeast(1.5),
            kind: Kind::Shape,
        },
        Criterion {
            name: "bulge-order",
            statement: "bulge over that with the next lighter volume constraints, least",
            bound: Bound::AtLeast(1.0),
            kind: Kind::Shape,
        },
    ],
    measure,
};

/// Weight of the volume constraints over that of strain.
const RATIOS: [f64; 4] = [0.0, 1.0, 10.0, 100.0];
/// Weight of strain \[Pa\].
const STRAIN: f64 = 1e5;
/// Side of the cube \[m\].
const SIDE: f64 = 0.2;
/// Share of its height by which it is squeezed.
const SQUEEZED: f64 = 0.35;
const STEPS: usize = 20;

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let cells = size.pick(10, 4);
    let cube = TetBox { size: Vec3::splat(SIDE), cells: [cells; 3], pattern: TetPattern::Five };
    let mesh = cube.mesh()?;
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "a cube of {SIDE} m with {} tets that sticks to two plates, squeezed by {SQUEEZED} of its height; strain of {STRAIN:.0e} Pa; no gravity; exact by Newton's method",
        mesh.tets.len()
    ));
    let columns = ["squeezed by", "no volume constraints", "1 : 1", "10 : 1", "100 : 1"];
    let mut table = Table::new("volume", &columns);
    let runs = RATIOS.iter().map(|&ratio| squeeze(&mesh, ratio)).collect::<Result<Vec<_>, _>>()?;
    for step in 0..=STEPS {
        let share = SQUEEZED * step as f64 / STEPS as f64;
        table.push([&[share], &runs.iter().map(|run| run.volumes[step]).collect::<Vec<_>>()[..]].concat());
    }
    outcome.tables.push(table);
    let series = RATIOS.iter().zip(&runs).map(|(ratio, run)| {
        let points = run.volumes.iter().enumerate().map(|(k, v)| [SQUEEZED * k as f64 / STEPS as f64, *v]).collect();
        Series::new(format!("volume : strain = {ratio} : 1"), points)
    });
    outcome.plot(
        "volume",
        Plot {
            title: "Volume of a squeezed cube".to_owned(),
            x: Axis::linear("squeezed by"),
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
        direction: Vec3::new(-0.3, -0.35, -1.0),
        size: [1100, 320],
        crease: 30.0,
    };
    outcome.pictures.push(("cubes".to_owned(), row.draw()?));

    let losses: Vec<f64> = runs.iter().map(|run| 1.0 - run.volumes[STEPS]).collect();
    let bulges: Vec<f64> = runs.iter().map(Squeezed::bulge).collect();
    let note = format!("losses {losses:.4?} with weights {RATIOS:?}");
    outcome.measure("volume-kept", losses[RATIOS.len() - 1].abs(), note);
    let order = losses.windows(2).map(|pair| pair[0] / pair[1]).fold(f64::INFINITY, f64::min);
    outcome.measure("volume-order", order, "");
    let order = bulges.windows(2).map(|pair| pair[1] / pair[0]).fold(f64::INFINITY, f64::min);
    outcome.measure("bulge-order", order, format!("widths {bulges:.3?} of the side"));
    Ok(outcome)
}

struct Squeezed {
    /// Volume over rest volume, step by step.
    volumes: Vec<f64>,
    positions: Vec<Vec3>,
}

impl Squeezed {
    /// Largest width over that at rest.
    fn bulge(&self) -> f64 {
        2.0 * self.positions.iter().fold(0.0_f64, |most, p| most.max(p.x.abs())) / SIDE
    }
}

fn squeeze(mesh: &TetMesh, ratio: f64) -> Result<Squeezed, ReproduceError> {
    let tets = || mesh.tets.clone();
    let strain = TetStrain { tets: tets(), stiffness: STRAIN, set: StrainSet::Rotation };
    let volume = TetVolume { tets: tets(), stiffness: ratio * STRAIN, bounds: [1.0, 1.0] };
    let body = Body::new(mesh.positions.clone(), mesh.mass_matrix(MassKind::Lumped, 1000.0)?)
        .with_energy(strain.build(&mesh.positions)?)
        .with_energy(volume.build(&mesh.positions)?)
        .pin_where(|p| p.y.abs() > 0.499 * SIDE);
    let solver = NewtonParams { tolerance: 1e-8, start: Start::Previous, ..NewtonParams::default() };
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(0.2).solver(solver);
    let mut sim = builder.build()?;
    let volume_ratio = |positions: &[Vec3]| -> Result<f64, ReproduceError> {
        let volumes = mesh.tet_volumes();
        let stretches = mesh.principal_stretches(positions)?;
        let now: f64 = stretches.iter().zip(&volumes).map(|([a, b, c], volume)| a * b * c * volume).sum();
        Ok(now / volumes.iter().sum::<f64>())
    };
    let mut volumes = vec![1.0];
    for step in 1..=STEPS {
        let way = 0.5 * SIDE * SQUEEZED * step as f64 / STEPS as f64;
        sim.move_pins(|_, rest| rest - Vec3::Y * (way * rest.y.signum()))?;
        sim.step()?;
        volumes.push(volume_ratio(sim.positions())?);
    }
    // The last state at rest.
    sim.set_time_step(2.0)?;
    for _ in 0..3 {
        sim.step()?;
    }
    volumes[STEPS] = volume_ratio(sim.positions())?;
    Ok(Squeezed { volumes, positions: sim.positions().to_vec() })
}
