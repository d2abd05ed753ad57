//! A step allocates nothing once the first ones have.

#![allow(clippy::unwrap_used)]
#![allow(unsafe_code)] // Counting allocations takes an allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use pliant::prelude::*;

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

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
