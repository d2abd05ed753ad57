//! A step allocates nothing once the first ones have, and neither does a frame of a fine surface.

#![allow(clippy::unwrap_used)]
#![allow(unsafe_code)] // Counting allocations takes an allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use pliant::prelude::*;
use pliant::upsample::{
    Method, ModesParams, PdmParams, PiuParams, Refinement, TrainingFrame, TrainingSequence, TrainingSet, Upsampler,
    WpsdParams,
};

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Tests count one after the other.
static TURN: Mutex<()> = Mutex::new(());

// SAFETY: hands everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the layout is the caller's, under the same conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from the system's allocator, as all do, with this layout.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Cloth with bending, a solid and a rope, attached to each other.
fn world(solver: SolverChoice, substeps: usize) -> Simulation {
    let sheet = Sheet { columns: 20, rows: 20, ..Sheet::default() }.mesh().unwrap();
    let bar = TetBox { cells: [6, 3, 3], ..TetBox::default() }.mesh().unwrap().translated(Vec3::Z * 2.0);
    let cord = rope(Vec3::ZERO, Vec3::X, 30).unwrap();
    Simulation::builder()
        .body(Body::cloth(&sheet, &ClothMaterial::default()).unwrap().named("cloth").pin([0, 20]))
        .body(Body::solid(&bar, &SolidMaterial::default()).unwrap().named("bar"))
        .body(Body::strands(&cord, &StrandMaterial::default()).unwrap().named("rope"))
        .attach(("cloth", 5), ("rope", 0), 100.0)
        .solver(solver)
        .substeps(substeps)
        .threads(2)
        .build()
        .unwrap()
}

#[test]
fn steps_allocate_nothing_after_the_first_few() {
    let _turn = TURN.lock().unwrap();
    let accelerated = SolverChoice::from(ProjectiveParams::default());
    let acceleration = Acceleration::Lbfgs { history: 5 };
    let quasi_newton = SolverChoice::from(ProjectiveParams { acceleration, ..ProjectiveParams::default() });
    let two_metric = SolverChoice::from(TwoMetricParams::default());
    for (solver, substeps) in [
        (ProjectiveParams::plain(10).into(), 1),
        (accelerated.clone(), 1),
        (accelerated, 3),
        (quasi_newton.clone(), 1),
        (quasi_newton, 3),
        (two_metric.clone(), 1),
        (two_metric, 3),
    ] {
        let mut sim = world(solver.clone(), substeps);
        // Short steps move so little that single precision is refined at some point, which takes memory once.
        let first = if substeps == 1 { 4 } else { 60 };
        (0..first).for_each(|_| drop(sim.step().unwrap()));
        let before = COUNT.load(Ordering::Relaxed);
        let steps = 30;
        (0..steps).for_each(|_| drop(sim.step().unwrap()));
        let count = COUNT.load(Ordering::Relaxed) - before;
        // The thread pool keeps jobs from outside in blocks of several dozen and allocates one now and then.
        assert!(count <= 1, "{count} allocations in {steps} steps of {substeps} with {solver:?}");
    }
}

#[test]
fn frames_of_fine_surfaces_allocate_nothing_after_the_first() {
    let _turn = TURN.lock().unwrap();
    let coarse = Sheet { columns: 10, rows: 10, ..Sheet::default() }.mesh().unwrap();
    let refinement = Arc::new(Refinement::loop_subdivision(&coarse, 3, &[]).unwrap());
    let waved = |frame: usize| -> Vec<Vec3> {
        let wave = |p: &Vec3| *p + Vec3::Z * (0.1 * (5.0 * p.x + 0.3 * frame as f64).sin());
        coarse.positions.iter().map(wave).collect()
    };
    let mut room = vec![Vec3::ZERO; refinement.vertex_counts()[1]];
    let frames = (0..20).map(|frame| {
        let coarse = waved(frame);
        refinement.smooth(&coarse, &mut room).unwrap();
        let fine = room.iter().map(|p| *p + Vec3::Z * (0.01 * (40.0 * p.x).sin() * p.z)).collect();
        TrainingFrame { coarse, fine }
    });
    let name = "wave".to_owned();
    let sequences = vec![TrainingSequence { name, frame_seconds: 0.1, frames: frames.collect() }];
    let training = TrainingSet { sequences };
    let modes = Some(ModesParams::default());
    for method in [
        Method::Wpsd(WpsdParams::default()),
        Method::Pdm(PdmParams::default()),
        Method::Piu(PiuParams { modes, ..PiuParams::default() }),
    ] {
        let (upsampler, _) = Upsampler::fit(&refinement, &training, &method).unwrap();
        let mut state = upsampler.state();
        let shapes: Vec<Vec<Vec3>> = (20..53).map(waved).collect();
        let mut before = 0;
        for (frame, shape) in shapes.iter().enumerate() {
            upsampler.apply(&mut state, shape, 0.1, &mut room).unwrap();
            if frame == 2 {
                before = COUNT.load(Ordering::Relaxed);
            }
        }
        let count = COUNT.load(Ordering::Relaxed) - before;
        // As above: the thread pool allocates a block for jobs from outside now and then.
        assert!(count <= 2, "{count} allocations in 30 frames of {method:?}");
    }
}
