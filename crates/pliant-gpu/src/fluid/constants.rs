//! The numbers that kernels begin with: those of the method, which the engine tells, and those of a world.

use pliant::FluidNumbers;
use pliant::math::Vec3;

use super::world::FluidWorld;

/// Threads of a workgroup where each thread goes over the neighbours of a place.
pub(super) const THREADS: usize = 128;
/// Threads of a workgroup that solves for the pressure of cells. Cells are few, and fewer threads spread them over more of the device.
const SOLVERS: usize = 128;
/// Neighbours that a particle may have: almost three times as many as at rest.
pub(super) const MOST_NEIGHBOURS: usize = 128;
/// Cells of the box around particles, over the number of these. A particle at rest takes up a tenth of a cell; the rest is for what flies about.
const CELLS_EACH: usize = 16;
/// Cells that a workgroup numbers.
pub(super) const CHUNK: usize = 2048;
/// Workgroups that sum over all particles or cells, at most; the next kernel adds up their sums with as many threads.
const MOST_PARTS: usize = 256;
/// A particle that goes farther than so many times the size of the world has run away, as the engine has it by default.
const RUNAWAY: f64 = 100.0;

/// Words of the status.
pub(super) mod status {
    /// Most neighbours of a particle that has too many.
    pub(in super::super) const CROWD: usize = 0;
    /// A particle that is not finite, and 1.
    pub(in super::super) const LOST: usize = 1;
    /// A particle that ran away, and 1.
    pub(in super::super) const RUNAWAY: usize = 2;
    /// Steps in which the pressure of cells had too few dispatches.
    pub(in super::super) const UNFINISHED: usize = 3;
    /// Most dispatches that it took.
    pub(in super::super) const PRESSURE: usize = 4;
    /// How many words there are.
    pub(in super::super) const LEN: usize = 5;
}

/// How a world is laid out on the device.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Particles.
    pub(super) count: usize,
    /// Cells of the box around them.
    pub(super) cells: usize,
    /// Workgroups that sum over all.
    pub(super) parts: usize,
    /// The middle of the particles at first \[m\], from which positions are counted.
    pub(super) centre: Vec3,
    /// Radius of the smoothing kernel \[m\], in which they are counted.
    pub(super) radius: f64,
    /// Length of a substep \[s\].
    pub(super) h: f64,
}

impl Layout {
    pub(super) fn new(world: &FluidWorld<'_>, spacing: f64) -> Self {
        let count = world.positions.len();
        // The median: numbers are finest near it, whatever flies far.
        let median = |c: usize| {
            let mut all: Vec<f64> = world.positions.iter().map(|p| p[c]).collect();
            let middle = count / 2;
            all.get(middle).copied().map_or(0.0, |_| *all.select_nth_unstable_by(middle, f64::total_cmp).1)
        };
        Self {
            count,
            cells: (CELLS_EACH * count).max(CHUNK).next_multiple_of(CHUNK),
            parts: count.div_ceil(256).min(MOST_PARTS),
            centre: Vec3::new(median(0), median(1), median(2)),
            radius: FluidNumbers::default().kernel * spacing,
            h: world.time_step / world.substeps.max(1) as f64,
        }
    }

    /// The length of the stage over the time in which the density recovers, at most 1.
    pub(super) fn recovery(&self, numbers: &FluidNumbers) -> f64 {
        (self.h / (numbers.recovery * (self.radius / numbers.kernel).sqrt())).min(1.0)
    }
}

/// All constants, as WGSL.
pub(super) fn constants(world: &FluidWorld<'_>, layout: &Layout, is_viscous: bool) -> String {
    let numbers = FluidNumbers::default();
    let mut text = String::new();
    let mut whole = |name: &str, value: usize| text += &format!("const {name} = {value}u;\n");
    let count = layout.count;
    whole("COUNT", count);
    whole("STRIDE", count);
    whole("MOST_CELLS", layout.cells);
    whole("PARTS", layout.parts);
    whole("THREADS", THREADS);
    whole("SOLVERS", SOLVERS);
    whole("MOST_NEIGHBOURS", MOST_NEIGHBOURS);
    whole("COLLIDERS", world.colliders.len());
    // Parts of the indices, after the cell of each particle and its number in it.
    for (place, name) in (2..).zip(["UNSORTED", "ORDER", "CELL_OF", "NEIGHBOURS", "NEAR_WALLS", "TOUCHED"]) {
        whole(name, place * count);
    }
    for (name, lane) in [("X", 13), ("Y", 27), ("Z", 28), ("RIGHT", 29), ("AIR", 30), ("SPREAD", 31)] {
        whole(&format!("ROW_{name}"), lane);
    }
    whole("STATUS_CROWD", status::CROWD);
    whole("STATUS_LOST", status::LOST);
    whole("STATUS_RUNAWAY", status::RUNAWAY);
    whole("STATUS_UNFINISHED", status::UNFINISHED);
    whole("STATUS_PRESSURE", status::PRESSURE);
    let recovery = layout.recovery(&numbers);
    let together = (numbers.separating / world.solver.iterations as f64).min(1.0);
    let separation = recovery.powi(2) * together * (1.0 - numbers.separated).powi(-12);
    let (steepest, peak) = (45.0 / std::f64::consts::PI, 15.0 / std::f64::consts::PI);
    let mut number = |name: &str, value: f64| text += &format!("const {name} = {};\n", literal(value));
    number("KERNEL", numbers.kernel);
    number("VOLUME", numbers.volume);
    number("PEAK", peak);
    number("STEEPEST", steepest);
    number("COINCIDENT", numbers.coincident);
    number("REACH_OF_WALLS", numbers.reach_of_walls);
    number("FARTHEST_WALL", numbers.farthest_wall);
    number("BESIDE_WALLS", behind(0.5 / (numbers.kernel * numbers.reach_of_walls)));
    number("RELAXATION", numbers.relaxation * numbers.stiffness_at_rest);
    number("JACOBI", numbers.jacobi);
    number("MOST_LOAD", numbers.most_load);
    number("LEAVE", 1.0 - recovery);
    number("LEAVE_CELLS", 1.0 - numbers.per_step.min(recovery));
    number("SEPARATION_REFERENCE", separation);
    number("SEPARATION_AT_REST", separation * (1.0 - numbers.at_rest).powi(12));
    number("SURFACE_0", numbers.surface[0]);
    number("SURFACE_1", numbers.surface[1]);
    number("AIR", numbers.air * numbers.neighbour_weight);
    number("SEEN_GRADIENT", numbers.seen_gradient);
    number("TOLERANCE", numbers.tolerance);
    number("MOST_ITERATIONS", numbers.most_iterations as f64);
    number("ROUNDS", numbers.rounds as f64);
    number("REGULARISATION", numbers.regularisation);
    number("MOST_MIXED", numbers.most_mixed);
    number("FARTHEST_CELL", 1e6);
    number("STEP", layout.h);
    number("DRAG", (-world.drag * layout.h).exp());
    number("RUNAWAY", RUNAWAY * world.model.diagonal() / layout.radius);
    let [x, y, z] = (world.gravity * (layout.h * layout.h / layout.radius)).to_array().map(literal);
    text += &format!("const FALL = vec3<f32>({x}, {y}, {z});\nconst IS_VISCOUS = {is_viscous};\n");
    text
}

/// A number as WGSL.
pub(super) fn literal(value: f64) -> String {
    // What f32 cannot hold is not a literal in WGSL.
    format!("{:e}f", (value as f32).clamp(-f32::MAX, f32::MAX))
}

/// Share of the kernel that lies in a half-space at a distance, as `walls.wgsl` has it.
fn behind(distance: f64) -> f64 {
    let u = (1.0 - distance).max(0.0);
    u.powi(5) * (1.5 - u)
}
