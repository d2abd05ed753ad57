//! A thin cylinder, compressed from the top, buckles: Figure 9 of [Bouaziz 2014].
//!
//! The lower rim is held and the upper one pushed down slowly, for three bending stiffnesses D of the same membrane K, until
//! the dents are as deep as the shell is thick. A shell buckles where bending and stretching cost the same: in theory
//! [Koiter 1945] at a compression of 2 √(D/K)/R, in at most ½ (K R²/D)^¼ waves around. Look at the spectra: a shell that bends
//! easily takes many small dents, a stiff one few large ones.
//!
//! `cargo run --release --example buckled_cylinder`

use std::error::Error;

use pliant::mesh::generate::{Cylinder, Lattice};
use pliant::prelude::*;

const RADIUS: f64 = 0.1;
const HEIGHT: f64 = 0.16;
const SEGMENTS: usize = 72;
const RINGS: usize = 22;
/// Membrane stiffness K = E·t \[N/m\].
const MEMBRANE: f64 = 1e4;
/// Compression in each step, as a share of the height.
const SHORTENED_PER_STEP: f64 = 2e-4;
const HIGHEST_WAVE: usize = 15;

fn main() -> Result<(), Box<dyn Error>> {
    let mut found = Vec::new();
    println!(
        " D [N·m]  compressed by [%]  in theory  waves  at most  amplitude [mm] of 1 to {HIGHEST_WAVE} waves around"
    );
    for bending in [3e-4, 3e-3, 3e-2] {
        let (compression, spectrum) = buckle(bending)?;
        let critical = 2.0 * (bending / MEMBRANE).sqrt() / RADIUS;
        let most = 0.5 * (MEMBRANE * RADIUS * RADIUS / bending).powf(0.25);
        let waves = (1..=HIGHEST_WAVE).fold(1, |best, n| if spectrum[n - 1] > spectrum[best - 1] { n } else { best });
        let amplitudes: Vec<String> = spectrum.iter().map(|a| format!("{:4.1}", 1e3 * a)).collect();
        let [percent, critical_percent] = [compression, critical].map(|share| 100.0 * share);
        println!(
            "{bending:8.0e}  {percent:17.2}  {critical_percent:9.2}  {waves:5}  {most:7.1}  {}",
            amplitudes.join("")
        );
        // It takes time for dents to grow, so they show later than they begin; never before.
        assert!(compression > critical, "buckled at {percent} %, before {critical_percent} %");
        assert!((0.5 * most..=1.25 * most).contains(&(waves as f64)), "{waves} waves, in theory at most {most}");
        found.push(waves);
    }
    println!("\nwaves around: {found:?}");
    assert!(found.is_sorted_by(|a, b| a > b), "a stiffer shell must buckle in fewer waves");
    Ok(())
}

/// Compresses a cylinder until it has dents; returns the share of the height by then, and the spectrum of the dents.
fn buckle(bending: f64) -> Result<(f64, Vec<f64>), Box<dyn Error>> {
    let (lattice, segments, rings) = (Lattice::Staggered, SEGMENTS, RINGS);
    let shape = Cylinder { radius: RADIUS, height: HEIGHT, segments, rings, lattice, ..Cylinder::default() };
    let mesh = shape.mesh()?;
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
    let shell = Body::cloth(&mesh, &material)?.pin_where(|p| p.y.abs() > 0.499 * HEIGHT).with_positions(start);
    let solver = ProjectiveParams { iterations: 30, ..ProjectiveParams::default() };
    let mut sim = Simulation::builder().body(shell).gravity(Vec3::ZERO).time_step(0.01).solver(solver).build()?;
    for step in 1..=300 {
        let compression = SHORTENED_PER_STEP * f64::from(step);
        sim.move_pins(|_, rest| if rest.y > 0.0 { rest - Vec3::Y * (compression * HEIGHT) } else { rest })?;
        sim.step()?;
        let spectrum = spectrum(sim.positions());
        let depth = spectrum.iter().map(|a| a * a).sum::<f64>().sqrt();
        if depth > thickness {
            return Ok((compression, spectrum));
        }
    }
    Err("the cylinder did not buckle".into())
}

/// Amplitude \[m\] of the radial displacement in 1, 2, … waves around: the root of the mean square over all rings.
fn spectrum(positions: &[Vec3]) -> Vec<f64> {
    let amplitude = |waves: usize| {
        let ring_square = |ring: &[Vec3]| {
            let (mut cosine, mut sine) = (0.0, 0.0);
            for p in ring {
                let (outwards, angle) = (p.x.hypot(p.z) - RADIUS, p.x.atan2(p.z) * waves as f64);
                cosine += outwards * angle.cos();
                sine += outwards * angle.sin();
            }
            (cosine * cosine + sine * sine) * (2.0 / SEGMENTS as f64).powi(2)
        };
        (positions.chunks(SEGMENTS).map(ring_square).sum::<f64>() / (RINGS + 1) as f64).sqrt()
    };
    (1..=HIGHEST_WAVE).map(amplitude).collect()
}

/// A number between −1 and 1 that looks random and is always the same.
fn noise(i: usize) -> f64 {
    2.0 * ((i as f64 * 12.9898).sin() * 43758.5453).rem_euclid(1.0) - 1.0
}
