//! Three hundred things come into a running world one by one, and leave again: cubes of jelly, napkins of silk and ropes.
//!
//! It prints what it costs to add the tenth and the two-hundredth of them, shows by the solver's own count that nothing but the newcomer is factored, that
//! memory falls when they leave, and that a world which resumes from a checkpoint goes on to the last bit. Frames are stored with the bodies that are there,
//! and exported; a picture is drawn when most of them are there.
//!
//! `cargo run --release -p pliant-picture --example things_come_and_go` writes `out/things_come_and_go`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use pliant::BodyId;
use pliant::prelude::*;
use pliant_io::store::{Frame, RunInfo, RunStore, Topology};
use pliant_io::write::{ExportFormat, ExportOptions, export};
use pliant_picture::{Camera, Ground, RenderOptions, Scene, render};

/// Counts the bytes that are in use.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

#[allow(unsafe_code)]
// SAFETY: the system's allocator does all of it, with the arguments that came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is the system's.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const THINGS: usize = 300;
/// Leave at a time, in the end.
const AT_ONCE: usize = 30;
const COLUMNS: usize = 20;

/// The k-th thing, above a place of its own.
fn thing(k: usize) -> Result<(Body, Stored), Box<dyn Error>> {
    let at = Vec3::new(0.5 * (k % COLUMNS) as f64, 0.25, 0.5 * (k / COLUMNS) as f64);
    let name = format!("thing {k}");
    Ok(match k % 3 {
        0 => {
            let mesh = TetBox { size: Vec3::splat(0.25), cells: [5; 3], ..TetBox::default() }.mesh()?.translated(at);
            let jelly = pliant::presets::solid("jelly").ok_or("there is jelly")?;
            (Body::solid(&mesh, &jelly)?.named(name), Stored::Solid(mesh))
        }
        1 => {
            let sheet = Sheet { width: 0.4, height: 0.4, columns: 14, rows: 14, plane: Plane::Xz, ..Sheet::default() };
            let mesh = sheet.mesh()?.translated(at);
            let silk = pliant::presets::cloth("silk").ok_or("there is silk")?;
            (Body::cloth(&mesh, &silk)?.named(name), Stored::Surface(mesh))
        }
        _ => {
            let line = rope(at - Vec3::X * 0.2, at + Vec3::new(0.2, 0.1, 0.1), 60)?;
            let cord = pliant::presets::strand("cord").ok_or("there is cord")?;
            (Body::strands(&line, &cord)?.named(name), Stored::Strands(line))
        }
    })
}

/// What is stored of a thing.
enum Stored {
    Solid(TetMesh),
    Surface(TriangleMesh),
    Strands(pliant::mesh::StrandSet),
}

impl Stored {
    fn add_to(&self, topology: &mut Topology, name: &str) {
        match self {
            Self::Solid(mesh) => topology.add_solid(name, mesh),
            Self::Surface(mesh) => topology.add_surface(name, mesh),
            Self::Strands(line) => topology.add_strands(name, line),
        }
    }
}

/// What is stored of all things so far, of which those in the world have vertices.
fn topology(shapes: &[Stored], sim: &Simulation) -> Topology {
    let mut topology = Topology::default();
    for (k, shape) in shapes.iter().enumerate() {
        let name = format!("thing {k}");
        match sim.body_id(&name) {
            Some(_) => shape.add_to(&mut topology, &name),
            None => topology.add_absent(&name),
        }
    }
    topology
}

fn first_world() -> Result<(Simulation, Stored), Box<dyn Error>> {
    let (body, shape) = thing(0)?;
    let ground = Collider::new(Shape::Plane).friction(0.5);
    Ok((Simulation::builder().body(body).collider(ground).build()?, shape))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<(), Box<dyn Error>> {
    let out = Path::new("out/things_come_and_go");
    let (mut sim, shape) = first_world()?;
    let (mut shapes, mut ids) = (vec![shape], vec![sim.body_id("thing 0").ok_or("it is there")?]);
    sim.step()?;
    let mut run = RunStore::replace(out.join("run"), &topology(&shapes, &sim), &RunInfo::default(), &[])?;
    run.write_frame(0, &Frame::new(sim.time(), sim.positions()))?;
    let (mut costs, mut memory, mut saved) = (vec![f64::NAN], vec![0; THINGS + 1], None);
    memory[1] = IN_USE.load(Ordering::Relaxed);
    for k in 1..THINGS {
        let (body, shape) = thing(k)?;
        let start = Instant::now();
        ids.push(sim.add(body)?);
        let added = start.elapsed().as_secs_f64();
        shapes.push(shape);
        let report = sim.step()?.solve;
        assert!(report.factored >= 1 && report.factored <= 2, "thing {k}: {} were factored", report.factored);
        // What the step spends on preparing the newcomer is part of what it costs.
        costs.push(added + report.seconds_factor);
        memory[k + 1] = IN_USE.load(Ordering::Relaxed);
        if k % 50 == 0 {
            store(&mut run, &shapes, &sim)?;
        }
        if k == 40 {
            saved = Some(sim.checkpoint());
        } else if k == 41 {
            resume(saved.as_ref().ok_or("it was saved")?, &sim)?;
        }
    }
    let around = |k: usize| median(costs[k - 6..k + 7].to_vec());
    let (tenth, late) = (around(10), around(200));
    println!("adding the 10th: {:.2} ms, the 200th: {:.2} ms, {:.2} times", 1e3 * tenth, 1e3 * late, late / tenth);
    one_of_a_hundred()?;
    draw(&sim, &out.join("full.png"))?;
    let full = IN_USE.load(Ordering::Relaxed);
    leave(&mut sim, &mut ids, &mut run, &shapes)?;
    let left = IN_USE.load(Ordering::Relaxed);
    println!("memory: {:.1} MB with all, {:.1} MB when all but one have left", full as f64 / 1e6, left as f64 / 1e6);
    assert!(left < full / 10, "{left} of {full} bytes are still in use");
    let written = export(&run, ExportFormat::Usda, out.join("things.usda"), &ExportOptions::default())?;
    println!("{} frames in {}", written.frames, written.files[0].display());
    Ok(())
}

fn store(run: &mut RunStore, shapes: &[Stored], sim: &Simulation) -> Result<(), Box<dyn Error>> {
    let number = run.frames().len() as u64;
    run.write_topology(number, &topology(shapes, sim))?;
    run.write_frame(number, &Frame::new(sim.time(), sim.positions()))?;
    Ok(())
}

/// Builds the world again, with all that had come, goes on from the checkpoint, and compares.
fn resume(saved: &Checkpoint, expected: &Simulation) -> Result<(), Box<dyn Error>> {
    let (mut sim, _) = first_world()?;
    let bodies: Vec<Body> = (1..41).map(|k| Ok(thing(k)?.0)).collect::<Result<_, Box<dyn Error>>>()?;
    sim.restore_after(saved, |sim| bodies.into_iter().try_for_each(|body| sim.add(body).map(drop)))?;
    sim.add(thing(41)?.0)?;
    sim.step()?;
    assert!(sim.positions() == expected.positions(), "a resumed world goes on to the last bit");
    Ok(())
}

type Change<'a> = dyn FnMut(&mut Simulation) -> Result<(), Box<dyn Error>> + 'a;

/// What it costs to change one of a hundred things, beside building the world of all of them.
fn one_of_a_hundred() -> Result<(), Box<dyn Error>> {
    let bodies: Vec<Body> = (0..100).map(|k| Ok(thing(k)?.0)).collect::<Result<_, Box<dyn Error>>>()?;
    let start = Instant::now();
    let builder = bodies.into_iter().fold(Simulation::builder(), |builder, body| builder.body(body));
    let mut sim = builder.collider(Collider::new(Shape::Plane)).build()?;
    let built = start.elapsed().as_secs_f64() + sim.step()?.solve.seconds_factor;
    let ids = sim.body_ids();
    let silk = pliant::presets::cloth("silk").ok_or("there is silk")?;
    let denim = pliant::presets::cloth("denim").ok_or("there is denim")?;
    let mut collider = sim.add_collider(Collider::new(Shape::Plane).at(Vec3::Y * -1.0))?;
    let (mut pins, mut materials, mut colliders) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..9 {
        let mut cost = |change: &mut Change<'_>| -> Result<f64, Box<dyn Error>> {
            let start = Instant::now();
            change(&mut sim)?;
            let changed = start.elapsed().as_secs_f64();
            Ok((changed + sim.step()?.solve.seconds_factor) / built)
        };
        pins.push(cost(&mut |sim| Ok(sim.pin(ids[3 * round], &[0, 1])?))?);
        let material = if round % 2 == 0 { &denim } else { &silk };
        materials.push(cost(&mut |sim| Ok(sim.set_material(ids[1], material.clone())?))?);
        colliders.push(cost(&mut |sim| {
            sim.remove_collider(collider)?;
            collider = sim.add_collider(Collider::new(Shape::Plane).at(Vec3::Y * -(round as f64) - 1.0))?;
            Ok(())
        })?);
    }
    let [pin, material, collider] = [pins, materials, colliders].map(median);
    println!(
        "of what building 100 things costs, a pin costs {pin:.4}, a material {material:.4}, a collider {collider:.4}"
    );
    Ok(())
}

/// All but the first leave, some at a time.
fn leave(
    sim: &mut Simulation,
    ids: &mut Vec<BodyId>,
    run: &mut RunStore,
    shapes: &[Stored],
) -> Result<(), Box<dyn Error>> {
    while ids.len() > 1 {
        for id in ids.drain(1.max(ids.len().saturating_sub(AT_ONCE))..) {
            sim.remove(id)?;
        }
        let report = sim.step()?;
        assert!(report.solve.factored <= 1, "{} were factored though none came", report.solve.factored);
    }
    store(run, shapes, sim)?;
    assert_eq!(sim.model().bodies().len(), 1);
    Ok(())
}

fn draw(sim: &Simulation, path: &Path) -> Result<(), Box<dyn Error>> {
    let options = RenderOptions::default();
    let mut scene = Scene::of(sim);
    scene.ground = Some(Ground::at(0.0));
    let camera = Camera::framing(
        &scene.extent().bounds().ok_or("nothing to see")?,
        Vec3::new(-0.4, -0.7, -1.0),
        options.aspect(),
    );
    render(&scene, &camera, &options)?.save_png(path)?;
    Ok(())
}
