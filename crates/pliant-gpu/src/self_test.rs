//! A test of an adapter that users can run: a linear system, a cloth and a solid, compared with the CPU.

use std::sync::Arc;
use std::time::Instant;

use pliant::math::Vec3;
use pliant::prelude::*;
use pliant::sparse::{Analysis, Cholesky, SymmetricMatrix, SymmetricPattern};
use pliant::{SimulationBuilder, presets};

use crate::device::{Adapter, Device, DeviceChoice};
use crate::error::GpuError;
use crate::fronts::{CostModel, DirectSolve};
use crate::solver::{GpuMethod, GpuParams};

/// Vertices on a side of the grid whose springs are the linear system.
const GRID: usize = 48;
/// Solves whose mean time is taken, after one that is not counted.
const SOLVES: usize = 10;
/// Largest relative error of a solve in f32 with a matrix of this size; about ten times what adapters that work have.
const SOLVE_LIMIT: f64 = 1e-5;
/// Steps of the worlds, and iterations in each.
const STEPS: usize = 20;
const ITERATIONS: usize = 10;
/// Largest distance from the CPU's positions, over the diagonal of the world. Rounding errors grow with the motion; a wrong kernel is off by a hundredth and more.
const WORLD_LIMIT: f64 = 1e-4;

/// What a self-test has found about an adapter.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfTest {
    /// The adapter.
    pub adapter: Adapter,
    /// Time to open it \[s\].
    pub seconds_to_open: f64,
    /// What was tried on it.
    pub checks: Vec<SelfCheck>,
}

/// One check of a self-test.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfCheck {
    /// What was computed.
    pub name: &'static str,
    /// How it compares, or why it could not be computed.
    pub outcome: Result<Comparison, String>,
}

/// A result of the GPU against that of the CPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Relative error.
    pub error: f64,
    /// The largest error of an adapter that works.
    pub limit: f64,
    /// Time of a solve or step on the GPU, without what is prepared once \[s\].
    pub seconds_gpu: f64,
    /// The same on the CPU \[s\], if it was computed there too.
    pub seconds_cpu: Option<f64>,
}

impl SelfTest {
    /// Whether the adapter computes what the CPU does.
    pub fn passes(&self) -> bool {
        self.checks.iter().all(SelfCheck::passes)
    }
}

impl SelfCheck {
    /// Whether the result is that of the CPU, within the limit.
    pub fn passes(&self) -> bool {
        // An error that is not a number is above every limit.
        self.outcome.as_ref().is_ok_and(|found| found.error <= found.limit)
    }
}

/// Solves a linear system and steps a cloth and a solid on an adapter, and compares them with the CPU. It takes seconds. An error means that there is no such adapter,
/// or that it cannot be opened; what goes wrong later is in the result.
///
/// ```
/// use pliant_gpu::device::{Device, DeviceChoice};
/// # if Device::adapters().is_empty() { return Ok(()) }
/// let found = pliant_gpu::self_test(&DeviceChoice::default())?;
/// assert!(found.passes(), "{found:?}");
/// # Ok::<(), pliant_gpu::GpuError>(())
/// ```
pub fn self_test(choice: &DeviceChoice) -> Result<SelfTest, GpuError> {
    let begun = Instant::now();
    let device = Device::open(choice)?;
    let seconds_to_open = begun.elapsed().as_secs_f64();
    let check = |name, outcome: Checked| SelfCheck { name, outcome: outcome.map_err(|error| error.to_string()) };
    let checks = vec![
        check("linear system", linear_system(&device)),
        check("cloth", world(choice, cloth)),
        check("solid", world(choice, solid)),
        check("same bits again", same_bits(choice)),
    ];
    Ok(SelfTest { adapter: device.adapter().clone(), seconds_to_open, checks })
}

type Failure = Box<dyn std::error::Error>;
type Checked = Result<Comparison, Failure>;

/// Springs along the edges of a grid, of stiffnesses that differ, and inertia at each vertex.
fn grid() -> (SymmetricMatrix, Vec<Vec3>) {
    let vertex = |column: usize, row: usize| (row * GRID + column) as u32;
    let mut pairs = Vec::new();
    for (row, column) in (0..GRID).flat_map(|row| (0..GRID).map(move |column| (row, column))) {
        if column + 1 < GRID {
            pairs.push((vertex(column, row), vertex(column + 1, row)));
        }
        if row + 1 < GRID {
            pairs.push((vertex(column, row), vertex(column, row + 1)));
        }
    }
    let mut matrix = SymmetricMatrix::zero(Arc::new(SymmetricPattern::new(GRID * GRID, pairs.iter().copied())));
    for (k, &(i, j)) in pairs.iter().enumerate() {
        let stiffness = 1.0 + (k % 5) as f64;
        matrix.add(k, -stiffness);
        matrix.add_diagonal(i as usize, stiffness);
        matrix.add_diagonal(j as usize, stiffness);
    }
    (0..GRID * GRID).for_each(|k| matrix.add_diagonal(k, 0.1));
    let positions = (0..GRID * GRID).map(|k| Vec3::new((k % GRID) as f64, (k / GRID) as f64, 0.0)).collect();
    (matrix, positions)
}

fn linear_system(device: &Device) -> Checked {
    let (matrix, positions) = grid();
    let loads: Vec<Vec3> = (0..positions.len())
        .map(|k| Vec3::new((0.7 * k as f64).sin(), (0.3 * k as f64).cos(), (k % 7) as f64 - 3.0))
        .collect();
    let mut factor = Cholesky::new(&Analysis::with_positions(matrix.pattern(), &positions)?, &matrix)?;
    let mut exact = loads.clone();
    factor.solve(&mut exact);
    let begun = Instant::now();
    for _ in 0..SOLVES {
        factor.solve(&mut loads.clone());
    }
    let seconds_cpu = Some(begun.elapsed().as_secs_f64() / SOLVES as f64);

    let solve = DirectSolve::new(device, &matrix, &positions, &CostModel::default())?;
    let row = |v: Vec3| [v.x as f32, v.y as f32, v.z as f32, 0.0];
    let in_order: Vec<[f32; 4]> = solve.order().iter().map(|&v| row(loads[v as usize])).collect();
    device.write(solve.right_hand_side(), 0, &in_order)?;
    let program = device.program(solve.dispatches().to_vec())?;
    device.run(&[&program])?;
    let found = device.read(solve.solution(), positions.len())?;
    let begun = Instant::now();
    device.run(&[&program; SOLVES])?;
    // Reading waits for what was asked for.
    device.read(solve.solution(), 1)?;
    let seconds_gpu = begun.elapsed().as_secs_f64() / SOLVES as f64;

    let (mut wrong, mut size) = (0.0, 0.0);
    for (x, &v) in found.iter().zip(solve.order()) {
        let [x, y, z, _] = x.map(f64::from);
        wrong += (Vec3::new(x, y, z) - exact[v as usize]).length_squared();
        size += exact[v as usize].length_squared();
    }
    Ok(Comparison { error: (wrong / size).sqrt(), limit: SOLVE_LIMIT, seconds_gpu, seconds_cpu })
}

/// A cotton sheet that swings from two corners.
fn cloth() -> Result<SimulationBuilder, Failure> {
    let sheet = Sheet { width: 1.0, height: 0.8, columns: 24, rows: 20, plane: Plane::Xz, ..Sheet::default() };
    let material = presets::cloth("cotton").unwrap_or_default();
    let body = Body::cloth(&sheet.mesh()?, &material)?.pin([sheet.vertex(0, 0), sheet.vertex(24, 0)]);
    Ok(Simulation::builder().body(body))
}

/// A jelly bar that is held at one end.
fn solid() -> Result<SimulationBuilder, Failure> {
    let mesh = TetBox { size: Vec3::new(1.0, 0.2, 0.2), cells: [12, 3, 3], ..TetBox::default() }.mesh()?;
    let held: Vec<u32> = (0..).zip(&mesh.positions).filter(|(_, p)| p.x < 1e-9).map(|(v, _)| v).collect();
    let material = presets::solid("jelly").unwrap_or_default();
    Ok(Simulation::builder().body(Body::solid(&mesh, &material)?.pin(held)))
}

/// Steps of a world whose first one, which prepares the others, is not timed; the mean time of the others \[s\].
fn run(builder: SimulationBuilder, solver: impl Into<SolverChoice>) -> Result<(Simulation, f64), Failure> {
    let mut sim = builder.solver(solver).build()?;
    sim.step()?;
    let begun = Instant::now();
    for _ in 1..STEPS {
        sim.step()?;
    }
    Ok((sim, begun.elapsed().as_secs_f64() / (STEPS - 1) as f64))
}

fn on_gpu(choice: &DeviceChoice) -> GpuParams {
    let method = GpuMethod::Projective(ProjectiveParams::plain(ITERATIONS));
    GpuParams { method, device: choice.clone(), ..GpuParams::default() }
}

fn world(choice: &DeviceChoice, world: fn() -> Result<SimulationBuilder, Failure>) -> Checked {
    let (cpu, seconds_cpu) = run(world()?, ProjectiveParams::plain(ITERATIONS))?;
    let (gpu, seconds_gpu) = run(world()?, on_gpu(choice))?;
    Ok(Comparison { error: distance(&cpu, &gpu), limit: WORLD_LIMIT, seconds_gpu, seconds_cpu: Some(seconds_cpu) })
}

/// The cloth twice on the GPU: the same bits, so no error at all.
fn same_bits(choice: &DeviceChoice) -> Checked {
    let (first, seconds_gpu) = run(cloth()?, on_gpu(choice))?;
    let (second, _) = run(cloth()?, on_gpu(choice))?;
    Ok(Comparison { error: distance(&first, &second), limit: 0.0, seconds_gpu, seconds_cpu: None })
}

/// Largest distance of a vertex between two worlds, over the diagonal.
fn distance(a: &Simulation, b: &Simulation) -> f64 {
    let gaps = a.positions().iter().zip(b.positions()).map(|(a, b)| (*a - *b).length());
    // Unlike max, this keeps what is not a number.
    gaps.fold(0.0, |most: f64, gap| if gap > most || gap.is_nan() { gap } else { most }) / a.model().diagonal()
}
