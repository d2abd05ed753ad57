//! Shape matching: frames beside the same over Eigen, and what the width of regions costs with fast sums and without.
//!
//! Ours are whole steps as a user gets them. The reference is C++ under `src/reference/`, one thread, lists of particles for each
//! region and a singular value decomposition for each rotation.

use std::cell::RefCell;

use pliant::math::Vec3;
use pliant::mesh::PointSet;
use pliant::mesh::generate::Icosphere;
use pliant::solve::PositionBasedParams;
use pliant::{Body, Lattice, Matching, Regions, Simulation, Spring};
use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::machine;
#[cfg(feature = "reference")]
use crate::reference::EigenMatching;
use crate::table::{Table, or_dash};
use crate::timing::{Contender, Effort, Timing, take_turns};

/// A step \[s\], its iterations, α and γ.
pub const STEP: f64 = 1.0 / 60.0;
/// Iterations that limit strain in each step.
pub const ITERATIONS: usize = 4;
/// α.
pub const SHARE: f64 = 0.3;
/// γ.
pub const LIMIT: f64 = 0.05;
/// Distance of particles \[m\].
const SPACING: f64 = 0.02;
/// Particles along the sides of the block: 30k.
pub const ALONG: usize = 31;
/// Widths of regions.
const WIDTHS: [usize; 6] = [1, 2, 3, 4, 5, 6];

/// A body that all ways match.
#[derive(Debug, Clone)]
pub struct MatchedBody {
    /// What it is called.
    pub name: String,
    /// Places at rest \[m\].
    pub rest: Vec<Vec3>,
    /// Where it starts \[m\].
    pub start: Vec<Vec3>,
    /// Of a particle \[kg\].
    pub mass: f64,
    /// Which particles belong together.
    pub regions: Regions,
}

impl MatchedBody {
    fn new(name: &str, rest: Vec<Vec3>, regions: Regions) -> Self {
        // Stretched and twisted, so that limits are reached.
        let bent = |r: &Vec3| {
            let (sin, cos) = (0.8 * r.y).sin_cos();
            Vec3::new(cos * r.x + sin * r.z, 1.3 * r.y, cos * r.z - sin * r.x)
        };
        Self { name: name.to_owned(), start: rest.iter().map(bent).collect(), rest, mass: 0.01, regions }
    }

    /// A block of particles in overlapping spheres.
    pub fn clusters(along: usize) -> Result<Self, BenchError> {
        let rest = Lattice::block([along; 3], SPACING)?.points().positions;
        let regions = Regions::balanced(&rest, 3.0 * SPACING)?;
        Ok(Self::new("spheres of three spacings", rest, regions))
    }

    /// A block of particles with a cube of a width around each; the cubes summed by rows, or as lists.
    pub fn cubes(along: usize, width: usize, fast: bool) -> Result<Self, BenchError> {
        let lattice = Lattice::block([along; 3], SPACING)?;
        let cubes = lattice.regions(width);
        let regions = if fast { cubes } else { Regions::new(cubes.lists().into_owned()) };
        let name = format!("a cube of width {width} around each, {}", if fast { "fast sums" } else { "lists" });
        Ok(Self::new(&name, lattice.points().positions, regions))
    }

    /// A closed surface with a ring of a width around each vertex; the rings summed along paths, or as lists.
    pub fn rings(subdivisions: u32, width: usize, fast: bool) -> Result<Self, BenchError> {
        let mesh = Icosphere { subdivisions, ..Icosphere::default() }.mesh()?;
        let (edges, name) = (mesh.edges(), format!("rings of width {width}"));
        let regions = if fast {
            Regions::rings_along_paths(&mesh.positions, &edges, width)?
        } else {
            Regions::rings(mesh.positions.len(), &edges, width)?
        };
        Ok(Self::new(&name, mesh.positions, regions))
    }

    /// Ours.
    pub fn simulation(&self, threads: usize) -> Result<Simulation, BenchError> {
        let matching =
            Matching { spring: Spring::Share(SHARE), limit: Some(LIMIT), ..Matching::new(self.regions.clone()) };
        let body = Body::points(&PointSet { positions: self.rest.clone() }, self.mass)
            .with_matching(matching)
            .with_positions(self.start.clone());
        let solver = PositionBasedParams { iterations: ITERATIONS, ..PositionBasedParams::default() };
        let builder = Simulation::builder().body(body).solver(solver).gravity(Vec3::ZERO).time_step(STEP);
        Ok(builder.threads(threads).build()?)
    }
}

/// Everything that one run found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MatchingResults {
    /// Name of the processor.
    pub processor: String,
    /// Programs that wanted to run when it began.
    pub load: Option<f64>,
    /// Bodies beside the reference.
    pub bodies: Vec<MatchingFrames>,
    /// Cubes on a lattice, and rings on a mesh: a frame with fast sums and with lists, width by width.
    pub widths: Vec<WidthFrames>,
}

/// Frames of one body.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MatchingFrames {
    /// The body.
    pub name: String,
    /// Particles.
    pub particles: usize,
    /// Regions.
    pub regions: usize,
    /// Members of all regions.
    pub members: usize,
    /// Ours on one thread and on two.
    pub ours: [Option<Timing>; 2],
    /// Over Eigen, on one.
    pub reference: Option<Timing>,
}

/// Frames at a width.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WidthFrames {
    /// On what.
    pub on: String,
    /// Width of regions.
    pub width: usize,
    /// Particles.
    pub particles: usize,
    /// With fast sums, and with lists.
    pub frames: [Option<Timing>; 2],
}

/// Measures all, on about so many particles.
pub fn measure(along: usize, subdivisions: u32, effort: Effort) -> Result<MatchingResults, BenchError> {
    let (processor, load) = (machine::processor(), machine::load());
    let (mut bodies, mut widths) = (Vec::new(), Vec::new());
    let compared =
        [MatchedBody::clusters(along), MatchedBody::cubes(along, 1, false), MatchedBody::cubes(along, 1, true)];
    for body in compared {
        let body = body?;
        eprintln!("{}", body.name);
        bodies.push(beside_reference(&body, effort)?);
    }
    for on_mesh in [false, true] {
        let make = |width, fast| {
            if on_mesh { MatchedBody::rings(subdivisions, width, fast) } else { MatchedBody::cubes(along, width, fast) }
        };
        let on = if on_mesh { "rings on a mesh" } else { "cubes on a lattice" };
        // All widths in turns: lists of wide regions would push all else out of the caches.
        let mut frames = Vec::new();
        for fast in [true, false] {
            eprintln!("{on}, {}", if fast { "fast sums" } else { "lists" });
            let ways = WIDTHS.map(|width| ours(&make(width, fast)?, 1));
            frames.push(in_turns(ways.into_iter().collect::<Result<_, BenchError>>()?, effort)?);
        }
        let particles = make(1, true)?.rest.len();
        let rows = WIDTHS.into_iter().zip(frames[0].iter().zip(&frames[1]));
        widths.extend(rows.map(|(width, (fast, lists))| WidthFrames {
            on: on.to_owned(),
            width,
            particles,
            frames: [*fast, *lists],
        }));
    }
    Ok(MatchingResults { processor, load, bodies, widths })
}

/// One way to take a frame.
type Way = Box<dyn FnMut() -> Result<(), BenchError>>;

fn ours(body: &MatchedBody, threads: usize) -> Result<Way, BenchError> {
    let mut simulation = body.simulation(threads)?;
    Ok(Box::new(move || Ok(simulation.step().map(drop)?)))
}

/// Times ways in turns; the first error ends it.
fn in_turns(ways: Vec<Way>, effort: Effort) -> Result<Vec<Option<Timing>>, BenchError> {
    let failed = RefCell::new(None);
    let mut contenders: Vec<Contender<'_>> = ways
        .into_iter()
        .map(|mut frame| {
            let failed = &failed;
            Contender::new("", move |sampler| {
                sampler.repeat(
                    &mut (),
                    |()| (),
                    |()| {
                        if let Err(error) = frame() {
                            *failed.borrow_mut() = Some(error);
                        }
                    },
                );
            })
        })
        .collect();
    let timings = take_turns(&mut contenders, effort);
    drop(contenders);
    failed.into_inner().map_or(Ok(timings), Err)
}

fn beside_reference(body: &MatchedBody, effort: Effort) -> Result<MatchingFrames, BenchError> {
    #[cfg_attr(not(feature = "reference"), allow(unused_mut))]
    let mut ways = vec![ours(body, 1)?, ours(body, 2)?];
    #[cfg(feature = "reference")]
    {
        let mut eigen = EigenMatching::new(body);
        ways.push(Box::new(move || {
            eigen.frame();
            Ok(())
        }));
    }
    let timings = in_turns(ways, effort)?;
    Ok(MatchingFrames {
        name: body.name.clone(),
        particles: body.rest.len(),
        regions: body.regions.len(),
        members: body.regions.lists().items().len(),
        ours: [timings[0], timings[1]],
        reference: timings.get(2).copied().flatten(),
    })
}

/// Frames beside the reference.
pub fn body_table(results: &MatchingResults) -> Table {
    let mut table = Table::new([
        "regions of 30k particles",
        "regions",
        "members",
        "1 thread [ms]",
        "2 threads",
        "C++ over Eigen",
        "times faster on one thread",
    ]);
    let ms = |timing: &Option<Timing>| or_dash(timing.map(|timing| timing.min));
    for body in &results.bodies {
        let ratio = body.reference.zip(body.ours[0]).map(|(reference, ours)| reference.min / ours.min);
        table.row(vec![
            body.name.clone(),
            body.regions.to_string(),
            body.members.to_string(),
            ms(&body.ours[0]),
            ms(&body.ours[1]),
            ms(&body.reference),
            or_dash(ratio),
        ]);
    }
    table
}

/// Frames over widths.
pub fn width_table(results: &MatchingResults) -> Table {
    let mut table = Table::new(["", "width", "particles", "fast sums [ms]", "over width 1", "lists", "over width 1"]);
    for row in &results.widths {
        let first = results.widths.iter().find(|other| other.on == row.on && other.width == 1);
        let mut cells = vec![row.on.clone(), row.width.to_string(), row.particles.to_string()];
        for way in 0..2 {
            let (own, first) = (row.frames[way], first.and_then(|first| first.frames[way]));
            cells.push(or_dash(own.map(|own| own.min)));
            cells.push(or_dash(own.zip(first).map(|(own, first)| own.min / first.min)));
        }
        table.row(cells);
    }
    table
}

/// What is measured, in a paragraph.
pub fn description(results: &MatchingResults) -> String {
    let load = results.load.map_or_else(|| "unknown".to_owned(), |load| format!("{load:.1}"));
    format!(
        "A block starts stretched and twisted, oscillates, and its strain is limited: one step of 1/60 s with {ITERATIONS} iterations, α = {SHARE}, \
         γ = {LIMIT}, in f64 everywhere. Our times are those of whole steps. On {}, load {load}. The reference is [matching.cpp](../crates/pliant-bench/src/reference/matching.cpp), one thread.",
        results.processor
    )
}
