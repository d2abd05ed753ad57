//! Bars that deform like given examples, the material of Figure 8 of [Bouaziz 2014].
//!
//! Two example poses are free to take: bent to a quarter circle, and drawn out by half. All else costs the full stiffness. A
//! bar clamped at its left end is pushed down at its tip, then pulled along its axis. Look at the angle halfway along: under
//! a load at the tip a plain bar bends most near the clamp, so that three quarters of the angle are reached by there. With
//! weights for each element (local) that stays so, only more. With one set of weights for the body (global) the load
//! can only choose how much of each example to take: the bar becomes an arc, with half the angle at half its length.
//!
//! `cargo run --release --example example_driven`

use std::error::Error;
use std::f64::consts::FRAC_PI_2;

use pliant::energy::{ExampleBased, ExampleWeights, TetStrain};
use pliant::mesh::generate::TetPattern;
use pliant::mesh::{MassKind, Simplices};
use pliant::prelude::*;

const LENGTH: f64 = 1.0;
const THICKNESS: f64 = 0.1;
const CELLS: [usize; 3] = [16, 2, 2];
/// Stiffness against what the examples do not show \[Pa\].
const STIFF: f64 = 4e5;
/// Stiffness against everything \[Pa\].
const SOFT: f64 = 2e4;
/// Loads at the tip \[N\].
const PUSH: f64 = 1.2;
const PULL: f64 = 80.0;

/// A bar under load, at rest.
struct Loaded {
    /// Root of the mean squared distance of its vertices from the example \[m\].
    distance: f64,
    /// Slope at half length and at the tip \[rad\].
    angles: [f64; 2],
    /// Mean weight of each example.
    weights: Vec<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let bar = TetBox { size: Vec3::new(LENGTH, THICKNESS, THICKNESS), cells: CELLS, pattern: TetPattern::Five };
    let mesh = bar.mesh()?;
    let poses = [pose(&mesh, bend), pose(&mesh, |p| p.with_x(1.5 * p.x + 0.25))];
    let materials = [("plain", None), ("local", Some(ExampleWeights::Local)), ("global", Some(ExampleWeights::Global))];
    let mut trials = Vec::new();
    for (load, force, example) in [("pushed down", Vec3::NEG_Y * PUSH, 0), ("pulled", Vec3::X * PULL, 1)] {
        println!("{load}\n  bar      from the example [m]   slope in the middle and at the tip [°]   weights");
        for (name, weights) in materials {
            let loaded = load_bar(&bar, &mesh, &poses, weights, force, example)?;
            let [middle, tip] = loaded.angles.map(f64::to_degrees);
            let weights: Vec<String> = loaded.weights.iter().map(|w| format!("{w:5.2}")).collect();
            println!("  {name:6}   {:20.3}   {middle:19.1} {tip:18.1}   {}", loaded.distance, weights.join(" "));
            trials.push(loaded);
        }
        println!();
    }
    let [plain, _, global, plainly_pulled, _, pulled] = &trials[..] else { unreachable!("six trials") };

    assert!(global.distance < 0.3 * plain.distance, "the bar is not drawn to the bent example");
    assert!(pulled.distance < 0.3 * plainly_pulled.distance, "the bar is not drawn to the stretched example");
    let [even, uneven] = [global, plain].map(|bar| bar.angles[0] / bar.angles[1]);
    println!("share of the angle in the middle: {even:.3} with global weights, {uneven:.3} plain");
    assert!((even - 0.5).abs() < 0.04, "the bar is no arc");
    assert!((uneven - 0.75).abs() < 0.03, "a beam with a load at its tip has three quarters");
    // Only the soft part resists the example: the bar is drawn out by F/(E A) = 40 %, of the 50 % in the example.
    let expected = PULL / (SOFT * THICKNESS * THICKNESS) / 0.5;
    println!("share of the stretched example: {:.3}, by Hooke's law {expected:.3}", pulled.weights[1]);
    assert!((pulled.weights[1] - expected).abs() < 0.02, "the example is taken by {}", pulled.weights[1]);
    Ok(())
}

fn pose(mesh: &TetMesh, deform: impl Fn(Vec3) -> Vec3) -> Vec<Vec3> {
    mesh.positions.iter().map(|&p| deform(p)).collect()
}

/// Bends the bar's axis to a quarter circle, downwards from the left end.
fn bend(p: Vec3) -> Vec3 {
    let radius = LENGTH / FRAC_PI_2;
    let (sin, cos) = ((p.x + 0.5 * LENGTH) / radius).sin_cos();
    Vec3::new((radius + p.y) * sin - 0.5 * LENGTH, (radius + p.y) * cos - radius, p.z)
}

fn load_bar(
    bar: &TetBox,
    mesh: &TetMesh,
    poses: &[Vec<Vec3>; 2],
    weights: Option<ExampleWeights>,
    force: Vec3,
    example: usize,
) -> Result<Loaded, Box<dyn Error>> {
    let mut body = Body::new(mesh.positions.clone(), mesh.mass_matrix(MassKind::Lumped, 50.0)?).named("bar");
    let tets = || mesh.tets.clone();
    let plain = if weights.is_some() { SOFT } else { SOFT + STIFF };
    let strain = TetStrain { tets: tets(), stiffness: plain, set: StrainSet::Rotation };
    body = body.with_energy(strain.build(&mesh.positions)?);
    if let Some(weights) = weights {
        let examples = ExampleBased { tets: tets(), examples: poses.to_vec(), stiffness: STIFF, weights };
        body = body.with_energy(examples.build(&mesh.positions)?);
    }
    let body = body.pin_where(|p| p.x < -0.499 * LENGTH);
    // At rest what counts is where the forces balance: continue from there in each step, instead of from a predicted fall.
    let solver = ProjectiveParams { iterations: 20, start: Start::Previous, ..ProjectiveParams::default() };
    let mut sim = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(0.05).solver(solver).build()?;
    let [nx, ny, nz] = CELLS;
    let tip: Vec<u32> = (0..=ny).flat_map(|j| (0..=nz).map(move |k| [nx, j, k])).map(|at| bar.vertex(at)).collect();
    for &vertex in &tip {
        sim.set_force("bar", vertex, force / tip.len() as f64)?;
    }
    for _ in 0..120 {
        sim.step()?;
    }

    let x = sim.positions();
    let squares: f64 = x.iter().zip(&poses[example]).map(|(a, b)| a.distance_squared(*b)).sum();
    let slope = |from: usize, to: usize| {
        let [left, right] = [from, to].map(|i| x[bar.vertex([i, ny / 2, nz / 2]) as usize]);
        (left.y - right.y).atan2(right.x - left.x)
    };
    let sets = sim.example_weights("bar")?;
    let mean = |k: usize| sets.iter().map(|set| set[k]).sum::<f64>() / sets.len() as f64;
    let weights = if sets.is_empty() { Vec::new() } else { vec![mean(0), mean(1)] };
    Ok(Loaded {
        distance: (squares / x.len() as f64).sqrt(),
        angles: [slope(nx / 2 - 1, nx / 2 + 1), slope(nx - 1, nx)],
        weights,
    })
}
