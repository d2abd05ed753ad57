//! [Bouaziz 2014, Figure 9]: a thin cylinder, compressed from the top, buckles in patterns that depend on its bending weight.
//!
//! A shell buckles where bending and stretching cost the same: in theory [Koiter 1945] at a compression of 2 √(D/K)/R, in at
//! most ½ (K R²/D)^¼ waves around.

use pliant::mesh::generate::{Cylinder, Lattice};
use pliant::prelude::*;
use pliant_picture::plot::{Axis, Plot, Series};

use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bouaziz2014-fig9",
    figure: "Bouaziz 2014, Figure 9",
    claim: "With increasing bending weight, buckles of a compressed cylinder become longer",
    criteria: &[
        Criterion {
            name: "wavelength",
            statement: "mean wavelength around the cylinder over that with the next lower bending weight, least",
            bound: Bound::AtLeast(1.05),
            kind: Kind::Shape,
        },
        Criterion {
            name: "not-before-theory",
            statement: "compression at which it has buckled over the critical one of a perfect cylinder, least",
            bound: Bound::AtLeast(1.0),
            kind: Kind::Beyond,
        },
    ],
    measure,
};

const RADIUS: f64 = 0.1;
const HEIGHT: f64 = 0.16;
/// Membrane stiffness K = E·t \[N/m\].
const MEMBRANE: f64 = 1e4;
/// Compression in each step, as a share of the height.
const SHORTENED_PER_STEP: f64 = 2e-4;
const MOST_STEPS: usize = 400;
const HIGHEST_WAVE: usize = 18;

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let (segments, rings) = size.pick((84, 26), (48, 15));
    let bendings: &[f64] = size.pick(&[3e-4, 3e-3, 3e-2], &[3e-3, 3e-2]);
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "radius {RADIUS} m, height {HEIGHT} m, {segments}×{rings} segments; membrane {MEMBRANE:.0e} N/m; bending \
         stiffnesses {bendings:?} N·m by mean curvature"
    ));
    outcome.choose(
        "both rims held, the upper one lowered by 0.02 % of the height in each step of 10 ms; \
        imperfections of 0.1 % of the radius; buckled: dents as deep as the shell is thick",
    );
    let shape = Cylinder {
        radius: RADIUS,
        height: HEIGHT,
        segments,
        rings,
        lattice: Lattice::Staggered,
        ..Cylinder::default()
    };
    let mesh = shape.mesh()?;
    let mut table = Table::new(
        "buckles",
        &[
            "bending stiffness [N·m]",
            "compression",
            "critical in theory",
            "mean number of waves around",
            "most in theory",
            "wavelength [m]",
        ],
    );
    let (mut wavelengths, mut series, mut shapes, mut early) = (Vec::new(), Vec::new(), Vec::new(), f64::INFINITY);
    for &bending in bendings {
        let Buckled { compression, spectrum, positions } = buckle(&mesh, bending, segments)?;
        let critical = 2.0 * (bending / MEMBRANE).sqrt() / RADIUS;
        let most = 0.5 * (MEMBRANE * RADIUS * RADIUS / bending).powf(0.25);
        // The mean over the spectrum by energy: single peaks trade places when the mesh changes.
        let total: f64 = spectrum.iter().map(|a| a * a).sum();
        let waves = (1..).zip(&spectrum).map(|(n, a)| f64::from(n) * a * a).sum::<f64>() / total;
        let wavelength = std::f64::consts::TAU * RADIUS / waves;
        table.push([bending, compression, critical, waves, most, wavelength]);
        early = early.min(compression / critical);
        wavelengths.push(wavelength);
        let largest = spectrum.iter().copied().fold(0.0, f64::max);
        let points = spectrum.iter().enumerate().map(|(k, a)| [(k + 1) as f64, a / largest]).collect();
        series.push(Series::new(format!("D = {bending:.0e} N·m"), points));
        shapes.push(positions);
    }
    outcome.tables.push(table);
    outcome.plot(
        "spectrum",
        Plot {
            title: "Waves around the buckled cylinder".to_owned(),
            x: Axis::linear("waves around"),
            y: Axis::linear("amplitude over the largest"),
            series,
            ..Plot::default()
        },
    );
    let row = Row {
        shapes: shapes.iter().map(Vec::as_slice).collect(),
        triangles: vec![&mesh.triangles],
        turn: 0.0,
        edges: false,
        size: [1000, 380],
        crease: 80.0,
    };
    outcome.pictures.push(("cylinders".to_owned(), row.draw()?));
    let growth = wavelengths.windows(2).map(|pair| pair[1] / pair[0]).fold(f64::INFINITY, f64::min);
    let list: Vec<String> = wavelengths.iter().map(|w| format!("{:.1}", 1e3 * w)).collect();
    outcome.measure("wavelength", growth, format!("{} mm", list.join(", ")));
    outcome.measure(
        "not-before-theory",
        early,
        "imperfect shells buckle earlier; dents take time to grow, so they show later",
    );
    Ok(outcome)
}

struct Buckled {
    compression: f64,
    spectrum: Vec<f64>,
    positions: Vec<Vec3>,
}

/// Compresses a cylinder until it has dents.
fn buckle(mesh: &TriangleMesh, bending: f64, segments: usize) -> Result<Buckled, ReproduceError> {
    // The thickness of a solid plate with this D and K.
    let thickness = (12.0 * bending / MEMBRANE).sqrt();
    let material = ClothMaterial {
        density: 1.0,
        youngs_modulus: MEMBRANE / thickness,
        thickness,
        // As the paper has it.
        bend_model: BendModel::MeanCurvature,
        bending_stiffness: None,
        ..ClothMaterial::default()
    };
    // A perfect cylinder would not know where to dent: every real one has its imperfections.
    let start = mesh.positions.iter().enumerate().map(|(i, p)| *p + p.with_y(0.0) * (1e-3 * noise(i))).collect();
    let shell = Body::cloth(mesh, &material)?.pin_where(|p| p.y.abs() > 0.499 * HEIGHT).with_positions(start);
    let solver = ProjectiveParams { iterations: 30, ..ProjectiveParams::default() };
    let builder = Simulation::builder().body(shell).gravity(Vec3::ZERO).time_step(0.01).solver(solver);
    let mut sim = builder.build()?;
    for step in 1..=MOST_STEPS {
        let compression = SHORTENED_PER_STEP * step as f64;
        sim.move_pins(|_, rest| if rest.y > 0.0 { rest - Vec3::Y * (compression * HEIGHT) } else { rest })?;
        sim.step()?;
        let spectrum = spectrum(sim.positions(), segments);
        let depth = spectrum.iter().map(|a| a * a).sum::<f64>().sqrt();
        if depth > thickness {
            return Ok(Buckled { compression, spectrum, positions: sim.positions().to_vec() });
        }
    }
    let what = format!("the cylinder with a bending stiffness of {bending} N·m did not buckle");
    Err(ReproduceError::NotReached { what, steps: MOST_STEPS })
}

/// Amplitude \[m\] of the radial displacement in 1, 2, … waves around: the root of the mean square over all rings.
fn spectrum(positions: &[Vec3], segments: usize) -> Vec<f64> {
    let rings = positions.len() / segments;
    let amplitude = |waves: usize| {
        let ring_square = |ring: &[Vec3]| {
            let (mut cosine, mut sine) = (0.0, 0.0);
            for p in ring {
                let (outwards, angle) = (p.x.hypot(p.z) - RADIUS, p.x.atan2(p.z) * waves as f64);
                cosine += outwards * angle.cos();
                sine += outwards * angle.sin();
            }
            (cosine * cosine + sine * sine) * (2.0 / segments as f64).powi(2)
        };
        (positions.chunks(segments).map(ring_square).sum::<f64>() / rings as f64).sqrt()
    };
    (1..=HIGHEST_WAVE).map(amplitude).collect()
}

/// A number between −1 and 1 that looks random and is always the same.
fn noise(i: usize) -> f64 {
    2.0 * ((i as f64 * 12.9898).sin() * 43758.5453).rem_euclid(1.0) - 1.0
}
