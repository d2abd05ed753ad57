//! Four cubes with different weights of strain and volume energy, Figure 7 of [Bouaziz 2014].
//!
//! The ratio of the two weights is what sets a material's Poisson ratio: strain of weight 2μ and volume of weight 3λ make a
//! solid of Lamé parameters μ and λ, and ν = λ/(2(λ + μ)). Two trials for each ratio: a free cube pulled gently at two
//! faces, whose sides show ν itself, and a cube held at its bottom face and stretched by half, whose waist and volume show
//! what ν means: the more volume weighs, the thinner the waist and the smaller the change of volume.
//!
//! `cargo run --release --example soft_cubes`

use std::error::Error;

use pliant::energy::{TetStrain, TetVolume};
use pliant::mesh::generate::TetPattern;
use pliant::mesh::{MassKind, Simplices, triangle_area};
use pliant::prelude::*;

/// Weight of the strain energy \[Pa\].
const STRAIN_WEIGHT: f64 = 1e5;
const CELLS: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let cube = TetBox { size: Vec3::ONE, cells: [CELLS; 3], pattern: TetPattern::BodyCentred };
    let mesh = cube.mesh()?;
    println!("weights      pulled gently        stretched by half");
    println!("volume/strain   ν     λ/2(λ+μ)   volume [%]   waist [%]");
    let mut waists = Vec::new();
    let mut swellings = Vec::new();
    for ratio in [0.0, 1.0, 6.0, 30.0] {
        let (mu, lambda) = (STRAIN_WEIGHT / 2.0, ratio * STRAIN_WEIGHT / 3.0);
        let expected = lambda / (2.0 * (lambda + mu));
        let poisson = pull_gently(&mesh, ratio)?;
        let [swelling, waist] = stretch_by_half(&cube, &mesh, ratio)?;
        println!("{ratio:13}  {poisson:6.4}    {expected:6.4}   {:10.2}   {:9.2}", 100.0 * swelling, 100.0 * waist);
        // The pull is 0.1 % of the modulus: beyond linear elasticity remain terms of that order.
        assert!((poisson - expected).abs() < 2e-3, "Poisson ratio {poisson}, but the weights say {expected}");
        swellings.push(swelling);
        waists.push(waist);
    }
    assert!(swellings.is_sorted_by(|a, b| a > b), "more weight on volume must keep it better");
    assert!(waists.is_sorted_by(|a, b| a > b), "more weight on volume must draw in the waist");
    // Pulled freely, volume would change by half of 1 − 2ν: 2.4 % instead of 50 %. The clamped faces add to that.
    assert!(swellings[3] < 0.15 * swellings[0], "volume of weight 30 still swells by {:.1} %", 100.0 * swellings[3]);
    Ok(())
}

/// A cube of the two energies with given weights. `SolidMaterial` builds the same from Young's modulus and Poisson ratio.
fn cube_of(mesh: &TetMesh, ratio: f64) -> Result<Body, Box<dyn Error>> {
    let tets = || mesh.tets.clone();
    let strain = TetStrain { tets: tets(), stiffness: STRAIN_WEIGHT, set: StrainSet::Rotation };
    let volume = TetVolume { tets: tets(), stiffness: ratio * STRAIN_WEIGHT, bounds: [1.0, 1.0] };
    Ok(Body::new(mesh.positions.clone(), mesh.mass_matrix(MassKind::Lumped, 1000.0)?)
        .named("cube")
        .with_energy(strain.build(&mesh.positions)?)
        .with_energy(volume.build(&mesh.positions)?))
}

/// Lets a body come to rest: long steps of implicit Euler forget inertia, and Newton's method solves them exactly. It starts where the body is: in a second without
/// elastic forces the faces would fly metres apart, and from there the way down may end with tets inside out.
fn settled(body: Body) -> Result<Simulation, Box<dyn Error>> {
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO);
    let solver = NewtonParams { start: Start::Previous, ..NewtonParams::default() };
    Ok(builder.time_step(1.0).solver(solver).build()?)
}

/// Pulls at two opposite faces of a free cube and returns how much the others come closer, relative to the stretch.
fn pull_gently(mesh: &TetMesh, ratio: f64) -> Result<f64, Box<dyn Error>> {
    let mut sim = settled(cube_of(mesh, ratio)?)?;
    let traction = 1e-3 * STRAIN_WEIGHT;
    let mut forces = vec![Vec3::ZERO; mesh.positions.len()];
    let skin = mesh.surface()?;
    for (index, triangle) in skin.mesh.triangles.iter().enumerate() {
        let corners = skin.mesh.corners(index);
        if corners.iter().all(|p| p.y > 0.49) || corners.iter().all(|p| p.y < -0.49) {
            let share = Vec3::Y * (traction * corners[0].y.signum() * triangle_area(corners) / 3.0);
            triangle.iter().for_each(|&v| forces[skin.vertices[v as usize] as usize] += share);
        }
    }
    for (vertex, force) in (0..).zip(forces) {
        sim.set_force("cube", vertex, force)?;
    }
    for _ in 0..5 {
        sim.step()?;
    }
    let strains: Vec<Vec3> = mesh
        .principal_stretches(sim.positions())?
        .into_iter()
        .map(|stretches| Vec3::from(stretches) - Vec3::ONE)
        .collect();
    let mean = strains.iter().fold(Vec3::ZERO, |sum, strain| sum + *strain) / strains.len() as f64;
    Ok(-0.5 * (mean.y + mean.z) / mean.x)
}

/// Holds the bottom face, raises the top face by half the height, and returns the relative changes of volume and of the
/// width at half height.
fn stretch_by_half(cube: &TetBox, mesh: &TetMesh, ratio: f64) -> Result<[f64; 2], Box<dyn Error>> {
    let mut sim = settled(cube_of(mesh, ratio)?.pin_where(|p| p.y.abs() > 0.49))?;
    for step in 1..=5 {
        let lift = 0.1 * f64::from(step);
        sim.move_pins(|_, rest| if rest.y > 0.0 { rest + Vec3::Y * lift } else { rest })?;
        sim.step()?;
    }
    for _ in 0..3 {
        sim.step()?;
    }
    let volume = TetMesh::new(sim.positions().to_vec(), mesh.tets.clone())?.volume();
    let middle = CELLS / 2;
    let side = |i: usize| sim.positions()[cube.vertex([i, middle, middle]) as usize].x;
    Ok([volume / mesh.volume() - 1.0, side(CELLS) - side(0) - 1.0])
}
