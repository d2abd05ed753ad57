//! Your own matter: wet sand, which holds together until it has dried.
//!
//! The engine has no grains. Here a grain is a vertex with a radius, and everything else is in this file: a type that
//! implements `Matter` names what the body keeps from step to step, its moisture m, and a type that implements `Motion`
//! moves all grains in each iteration of the position-based solver:
//!
//! ```text
//!   ● ●   wet (both m > 1/2): kept at the distance 2r, and from sliding along each other
//!   ●●    dry: pushed apart where closer than 2r; friction goes back along the plane of contact,
//!         at most μ times as far as they were pushed [Macklin 2014, §6.1]
//! ```
//!
//! Moisture falls as dm/dt = −m/τ, so that m = exp(−t/τ), which is the first check. A tower stands as long as it is
//! wet, and is a heap afterwards. A run that continues from a checkpoint has the same bits, since the moisture is in a
//! channel, and `Scene::of` draws sand like any other body.
//!
//! `cargo run --release -p pliant-picture --example custom_matter` writes `out/custom_matter.png`.

use std::error::Error;
use std::ops::Range;

use pliant::contact::Contacts;
use pliant::matter::{BodyView, Iteration, MotionSetting, Place, StageView, StepView};
use pliant::mesh::PointSet;
use pliant::prelude::*;
use pliant::{Channel, Channels, Matter, ModelError, Motion};
use pliant_picture::{Camera, Color, Ground, Points, RenderOptions, Scene, render};

/// Name of the channel: the moisture of each grain, 1 when wet and 0 when dry.
const MOISTURE: &str = "moisture";
/// Grains are wet above this moisture.
const WET: f64 = 0.5;
/// Grains that are farther apart than this many radii at the start of a solve are ignored in it.
const REACH: f64 = 2.6;
/// Wet grains that are farther apart than this many radii are not held together.
const BRIDGE: f64 = 2.2;

/// Grains of sand.
#[derive(Debug, Clone)]
struct Sand {
    /// Radius of a grain \[m\].
    radius: f64,
    /// Coefficient of friction between grains.
    friction: f64,
    /// Time constant τ of drying \[s\].
    drying: f64,
}

impl Matter for Sand {
    fn kind(&self) -> &'static str {
        "sand"
    }

    fn prepare(&mut self, body: &BodyView<'_>) -> Result<(), ModelError> {
        for (name, value) in [("radius of grains", self.radius), ("drying of sand", self.drying)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(ModelError::BadParameter { name, value, need: "finite and above 0" });
            }
        }
        let problem = "grains are loose, but the body has triangles or segments".to_owned();
        match body.surface.is_empty() && body.segments.is_empty() {
            true => Ok(()),
            false => Err(ModelError::Matter { body: body.name.to_owned(), kind: self.kind(), problem }),
        }
    }

    fn initial(&self, at: &Place<'_>, _x: &[Vec3]) -> Channels {
        let mut channels = Channels::default();
        channels.set(MOISTURE, Channel::Numbers(vec![1.0; at.vertices().len()]));
        channels
    }

    fn motion(&self, setting: &MotionSetting<'_>) -> Box<dyn Motion> {
        let bodies = setting.model.matter_of::<Self>().map(|portion| Grains {
            body: portion.body,
            vertices: portion.vertices,
            sand: portion.matter.clone(),
            moisture: Vec::new(),
            pairs: Vec::new(),
        });
        Box::new(SandMotion { bodies: bodies.collect() })
    }
}

/// The motion of all sand of a world during a step.
#[derive(Debug)]
struct SandMotion {
    bodies: Vec<Grains>,
}

/// The sand of one body.
#[derive(Debug)]
struct Grains {
    body: usize,
    vertices: Range<usize>,
    sand: Sand,
    moisture: Vec<f64>,
    /// Grains that may touch in this solve.
    pairs: Vec<[usize; 2]>,
}

impl Motion for SandMotion {
    fn begin(&mut self, _stage: &StageView<'_>, _contacts: &Contacts<'_>, channels: &[Channels], x: &mut [Vec3]) {
        for grains in &mut self.bodies {
            grains.moisture = channels[grains.body].numbers(MOISTURE).to_vec();
            grains.pairs = near(&x[grains.vertices.clone()], REACH * grains.sand.radius);
        }
    }

    fn iterate(&mut self, at: &mut Iteration<'_, '_, '_>, x: &mut [Vec3]) {
        for grains in &self.bodies {
            let own = grains.vertices.clone();
            let (before, inverse_masses) = (&at.stage.before[own.clone()], &at.stage.inverse_masses[own.clone()]);
            grains.part(before, inverse_masses, &mut x[own]);
        }
    }

    fn finish_step(&mut self, step: &StepView<'_>, channels: &mut [Channels]) {
        for grains in &mut self.bodies {
            let left = (-step.h / grains.sand.drying).exp();
            grains.moisture.iter_mut().for_each(|moisture| *moisture *= left);
            channels[grains.body].set(MOISTURE, Channel::Numbers(grains.moisture.clone()));
        }
    }
}

impl Grains {
    /// Processes all pairs once.
    fn part(&self, before: &[Vec3], inverse_masses: &[f64], x: &mut [Vec3]) {
        for &[i, j] in &self.pairs {
            let give = inverse_masses[i] + inverse_masses[j];
            let Some(normal) = (x[i] - x[j]).try_normalize().filter(|_| give > 0.0) else { continue };
            let depth = 2.0 * self.sand.radius - x[i].distance(x[j]);
            let is_wet = self.moisture[i].min(self.moisture[j]) > WET;
            let is_bridged = is_wet && depth > (2.0 - BRIDGE) * self.sand.radius;
            if depth <= 0.0 && !is_bridged {
                continue;
            }
            let slip = (x[i] - before[i]) - (x[j] - before[j]);
            let slip = slip - normal * slip.dot(normal);
            let held = if is_bridged { slip } else { slip.clamp_length_max(self.sand.friction * depth) };
            let push = (normal * depth - held) / give;
            x[i] += push * inverse_masses[i];
            x[j] -= push * inverse_masses[j];
        }
    }
}

/// Pairs of points within a distance. Good for a few hundred grains; a sandpit would need a grid.
fn near(x: &[Vec3], distance: f64) -> Vec<[usize; 2]> {
    let pairs = (0..x.len()).flat_map(|i| (0..i).map(move |j| [i, j]));
    pairs.filter(|&[i, j]| x[i].distance_squared(x[j]) < distance * distance).collect()
}

/// A square tower of grains on the ground, not quite in order.
fn tower(sand: &Sand, wide: usize, high: usize) -> PointSet {
    let grain = |k: usize| {
        let place = [k % wide, k / (wide * wide), k / wide % wide].map(|n| (n as f64 + 0.5) * 2.0 * sand.radius);
        let jitter = (Vec3::new(0.8191725, 0.6710436, 0.5497005) * (k + 1) as f64).fract() - 0.5;
        Vec3::from(place) + jitter * Vec3::new(0.4, 0.0, 0.4) * sand.radius
    };
    PointSet { positions: (0..wide * wide * high).map(grain).collect() }
}

fn build(sand: &Sand) -> Result<Simulation, Box<dyn Error>> {
    let castle = Body::points(&tower(sand, 5, 14), 1e-3).with_matter(sand.clone()).named("castle");
    let ground = Collider::new(Shape::Plane).thickness(sand.radius).friction(0.6);
    let solver = PositionBasedParams { iterations: 20, ..PositionBasedParams::default() };
    Ok(Simulation::builder().body(castle).collider(ground).solver(solver).time_step(1.0 / 120.0).build()?)
}

fn height(sim: &Simulation) -> f64 {
    sim.positions().iter().fold(0.0, |most: f64, p| most.max(p.y))
}

fn main() -> Result<(), Box<dyn Error>> {
    let sand = Sand { radius: 0.01, friction: 0.4, drying: 1.0 };
    let mut sim = build(&sand)?;
    let start = height(&sim);
    let mut picture = Vec::new();
    for _ in 0..60 {
        sim.step()?;
    }
    let moisture = sim.state().channels[0].numbers(MOISTURE).to_vec();
    let exact = (-sim.time() / sand.drying).exp();
    assert!(moisture.iter().all(|m| (m / exact - 1.0).abs() < 1e-12), "{} for {exact}", moisture[0]);
    let wet = height(&sim);
    assert!(wet > 0.95 * start, "a wet tower stands, but is {wet} m high where it was {start}");
    picture.push(sim.positions().to_vec());

    let saved = sim.checkpoint().to_bytes();
    for _ in 0..300 {
        sim.step()?;
    }
    let dry = height(&sim);
    assert!(dry < 0.6 * start, "a dry tower falls, but is still {dry} m high");
    let closest = near(sim.positions(), 2.0 * sand.radius);
    let closest = closest.iter().map(|&[i, j]| sim.positions()[i].distance(sim.positions()[j]));
    let closest = closest.fold(2.0 * sand.radius, f64::min);
    assert!(closest > 1.6 * sand.radius, "two grains are {closest} m apart");
    picture.push(sim.positions().to_vec());

    let mut resumed = build(&sand)?;
    resumed.restore(&Checkpoint::from_bytes(&saved)?)?;
    for _ in 0..300 {
        resumed.step()?;
    }
    assert_eq!(resumed.state(), sim.state(), "a restored run has the same bits");

    // Side by side: wet, then dry.
    let mut scene = Scene::of(&sim);
    assert_eq!(scene.points[0].positions, sim.positions(), "what is drawn of a body without triangles and segments");
    scene.points.clear();
    for (number, grains) in picture.iter().enumerate() {
        let places = grains.iter().map(|p| *p + Vec3::X * 0.32 * number as f64).collect();
        scene.points.push(Points::new(places, sand.radius, Color::hex(0xc9a66b)));
    }
    scene.meshes.clear();
    scene.ground = Some(Ground::at(0.0));
    let options = RenderOptions { width: 800, height: 450, samples: 3, ..RenderOptions::default() };
    let bounds = scene.extent().bounds().ok_or("nothing to see")?;
    let camera = Camera::framing(&bounds, Vec3::new(0.25, -0.3, -1.0), options.aspect());
    render(&scene, &camera, &options)?.save_png("out/custom_matter.png")?;
    println!("{} grains: {start:.2} m high, wet {wet:.2} m, dry {dry:.2} m; out/custom_matter.png", picture[0].len());
    Ok(())
}
