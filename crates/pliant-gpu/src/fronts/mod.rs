//! A symmetric, positive definite system solved exactly on a device, again and again, for x, y and z at once.
//!
//! The matrix is factored once, on the CPU and in f64 (`factor`), along a tree of separators (`tree`). A solve goes up the tree and down again, one or two
//! dispatches for each level. Every front adds up what its children left through lists: nothing is written by two threads, and results have the same
//! bits in every run.

mod factor;
mod layout;
mod tree;

pub use tree::CostModel;

use bytemuck::{Pod, Zeroable};
use pliant::math::Vec3;
use pliant::sparse::SymmetricMatrix;

use crate::device::{Access, Bound, Device, Dispatch, Kernel, Storage};
use crate::error::GpuError;
use layout::{Batch, Layout, Panel, Shard, Sweep, THREADS};
use tree::Fronts;

/// Panels of a front from which what it gathers is summed up beforehand.
const MANY_PANELS: usize = 3;
/// Entries that a workgroup sums up.
const ENTRIES: usize = 256;

/// How the numbers of a factor are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FactorStorage {
    /// As f32: a solve is exact to the rounding of f32.
    #[default]
    Single,
    /// As f16, in half of the memory: a solve is off by about 10⁻³ of itself, which iterations make good. Large worlds are solved faster.
    Half,
}

impl FactorStorage {
    /// Bytes of four numbers.
    fn quad(self) -> u64 {
        match self {
            Self::Single => 16,
            Self::Half => 8,
        }
    }
}

/// What kernels know of a front; see `product.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct FrontRecord {
    columns: u32,
    rows: u32,
    first: u32,
    update: u32,
    gather: u32,
    row_places: u32,
    is_assembled: u32,
    scale: f32,
}

/// A factored matrix on a device.
#[derive(Debug)]
pub struct DirectSolve {
    order: Vec<u32>,
    /// Places of parts that are not connected to others.
    parts: Vec<std::ops::Range<usize>>,
    right_hand_side: Storage<[f32; 4]>,
    solution: Storage<[f32; 4]>,
    dispatches: Vec<Dispatch>,
    bytes: u64,
}

impl DirectSolve {
    /// Factors a matrix whose unknowns are at positions in space, and brings it to the device.
    ///
    /// # Panics
    /// If there is not a position for each unknown.
    pub fn new(
        device: &Device,
        matrix: &SymmetricMatrix,
        positions: &[Vec3],
        cost: &CostModel,
    ) -> Result<Self, GpuError> {
        Self::stored(device, matrix, positions, cost, FactorStorage::Single)
    }

    /// The same with numbers of a kind.
    ///
    /// # Panics
    /// If there is not a position for each unknown.
    pub fn stored(
        device: &Device,
        matrix: &SymmetricMatrix,
        positions: &[Vec3],
        cost: &CostModel,
        storage: FactorStorage,
    ) -> Result<Self, GpuError> {
        Self::moving(device, matrix, positions, cost, storage, None)
    }

    /// A solve that also adds its solution to the first entries of an array.
    pub(crate) fn moving(
        device: &Device,
        matrix: &SymmetricMatrix,
        positions: &[Vec3],
        cost: &CostModel,
        storage: FactorStorage,
        moved: Option<&Storage<[f32; 4]>>,
    ) -> Result<Self, GpuError> {
        let fronts = Fronts::new(matrix.pattern(), positions, cost);
        let adapter = device.adapter();
        let layout = Layout::new(&fronts, storage, adapter.buffer_size.min(adapter.binding_size));
        let count = fronts.order.len();
        let right_hand_side = device.zeros("right-hand sides", count)?;
        let solution = device.zeros("solutions", count)?;
        let (shards, scales) = layout.fill(device, &fronts, matrix)?;
        let mut solve = Self {
            order: Vec::new(),
            parts: fronts.parts(),
            right_hand_side,
            solution,
            dispatches: Vec::new(),
            bytes: layout.bytes(),
        };
        solve.dispatches = solve.sweeps(device, &fronts, (&layout, &shards, &scales), moved)?;
        solve.order = fronts.order;
        Ok(solve)
    }

    /// The unknown at each place of its vectors.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Places of parts of the matrix that are not connected to others.
    pub fn parts(&self) -> &[std::ops::Range<usize>] {
        &self.parts
    }

    /// What is solved for, in its order.
    pub fn right_hand_side(&self) -> &Storage<[f32; 4]> {
        &self.right_hand_side
    }

    /// What a solve came to, in its order.
    pub fn solution(&self) -> &Storage<[f32; 4]> {
        &self.solution
    }

    /// Kernels of a solve.
    pub fn dispatches(&self) -> &[Dispatch] {
        &self.dispatches
    }

    /// Bytes of the factor, all of which a solve reads.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn sweeps(
        &self,
        device: &Device,
        fronts: &Fronts,
        (layout, shards, scales): (&Layout, &[Shard], &[f32]),
        moved: Option<&Storage<[f32; 4]>>,
    ) -> Result<Vec<Dispatch>, GpuError> {
        let (records, lists) = records(fronts, layout, scales);
        let updates = fronts.fronts.iter().map(|front| front.rows.len()).sum();
        let updates: Storage<[f32; 4]> = device.zeros("what fronts leave to others", updates)?;
        let assembled: Storage<[f32; 4]> = device.zeros("assembled right-hand sides", fronts.order.len())?;
        let plan = Plan::new(fronts, layout, &records);
        let kernels = Kernels::new(device, layout.storage, moved.is_some())?;
        let records = device.array("fronts", &records)?;
        let lists = device.array("lists of fronts", &lists)?;
        let tasks = device.array("panels", &plan.tasks)?;
        let dispatch = |run: &Run| {
            let shard = shards[run.shard as usize].bound();
            let up: [&dyn Bound; 7] = [shard, &records, &tasks, &lists, &self.right_hand_side, &assembled, &updates];
            let down: [&dyn Bound; 6] = [shard, &records, &tasks, &lists, &assembled, &self.solution];
            let down: Vec<&dyn Bound> = down.into_iter().chain(moved.map(|moved| moved as &dyn Bound)).collect();
            let (kernel, buffers) = match run.work {
                Work::Assemble => (&kernels.assemble, &up[..]),
                Work::Panels(Sweep::Forward, kind) => (&kernels.forward[kind], &up[..]),
                Work::Panels(Sweep::Backward, kind) => (&kernels.backward[kind], &down[..]),
            };
            let mut dispatch = device.dispatch(kernel, buffers, [run.first, run.count, 0, 0], run.count as usize);
            dispatch.bytes = run.bytes;
            dispatch
        };
        Ok(plan.runs.iter().map(dispatch).collect())
    }
}

/// What a dispatch does.
#[derive(Clone, Copy)]
enum Work {
    /// Sums up what fronts gather.
    Assemble,
    /// Panels of a sweep, by a kind of kernel.
    Panels(Sweep, usize),
}

/// Tasks that one dispatch has.
struct Run {
    work: Work,
    shard: u32,
    /// First task and number of tasks.
    first: u32,
    count: u32,
    bytes: u64,
}

/// Tasks of all dispatches, and the dispatches in order.
#[derive(Default)]
struct Plan {
    tasks: Vec<[u32; 4]>,
    runs: Vec<Run>,
}

impl Plan {
    /// Up the tree, level by level: assemble, then forward. Down again: backward.
    fn new(fronts: &Fronts, layout: &Layout, records: &[FrontRecord]) -> Self {
        let mut plan = Self::default();
        for batch in layout.batches.iter().filter(|batch| batch.sweep == Sweep::Forward) {
            plan.assemble(records, &fronts.levels[batch.level]);
            plan.panels(fronts, layout, batch);
        }
        for batch in layout.batches.iter().rev().filter(|batch| batch.sweep == Sweep::Backward) {
            plan.panels(fronts, layout, batch);
        }
        plan
    }

    fn push(&mut self, work: Work, shard: u32, tasks: impl Iterator<Item = [u32; 4]>, bytes: u64) {
        let first = self.tasks.len();
        self.tasks.extend(tasks);
        let count = (self.tasks.len() - first) as u32;
        if count > 0 {
            self.runs.push(Run { work, shard, first: first as u32, count, bytes });
        }
    }

    fn assemble(&mut self, records: &[FrontRecord], level: &[u32]) {
        let many = level.iter().filter(|&&front| records[front as usize].is_assembled == 1);
        let tasks = many.flat_map(|&front| {
            let FrontRecord { columns, rows, .. } = records[front as usize];
            (0..columns + rows).step_by(ENTRIES).map(move |entry| [front, entry, 0, 0])
        });
        self.push(Work::Assemble, 0, tasks, 0);
    }

    fn panels(&mut self, fronts: &Fronts, layout: &Layout, batch: &Batch) {
        for run in batch.panels.chunk_by(|a, b| a.shard == b.shard) {
            let quads =
                |panel: &Panel| u64::from(panel.quads) * layout::block(fronts, panel.front, batch.sweep).1 as u64;
            let bytes = layout.storage.quad() * run.iter().map(quads).sum::<u64>();
            let tasks = run.iter().map(|panel| [panel.front, panel.first_quad, panel.quads, panel.offset]);
            self.push(Work::Panels(batch.sweep, batch.kind), run[0].shard, tasks, bytes);
        }
    }
}

/// Records of fronts, and the lists that they point into. `scales` are what numbers of S⁻¹ were divided by, front by front.
fn records(fronts: &Fronts, layout: &Layout, scales: &[f32]) -> (Vec<FrontRecord>, Vec<u32>) {
    let mut panels = vec![0; fronts.fronts.len()];
    for batch in layout.batches.iter().filter(|batch| batch.sweep == Sweep::Forward) {
        batch.panels.iter().for_each(|panel| panels[panel.front as usize] += 1);
    }
    let (mut records, mut lists, mut update) = (Vec::with_capacity(panels.len()), vec![0], 0);
    for (front, &panels) in fronts.fronts.iter().zip(&panels) {
        let entries = front.columns + front.rows.len();
        let mut gather = 0;
        if !front.children.is_empty() {
            let mut sources = vec![Vec::new(); entries];
            for &child in &front.children {
                let (from, child): (&FrontRecord, _) = (&records[child as usize], &fronts.fronts[child as usize]);
                (from.update..).zip(&child.rows).for_each(|(at, &row)| sources[front.index_of(row)].push(at));
            }
            gather = lists.len();
            let mut next = gather + entries + 1;
            for sources in &sources {
                lists.push(next as u32);
                next += sources.len();
            }
            lists.push(next as u32);
            lists.extend(sources.into_iter().flatten());
        }
        let row_places = lists.len() as u32;
        lists.extend(&front.rows);
        records.push(FrontRecord {
            columns: front.columns as u32,
            rows: front.rows.len() as u32,
            first: front.first as u32,
            update,
            gather: gather as u32,
            row_places,
            is_assembled: u32::from(panels == 0 || panels >= MANY_PANELS),
            scale: scales[records.len()],
        });
        update += front.rows.len() as u32;
    }
    (records, lists)
}

struct Kernels {
    assemble: Kernel,
    forward: [Kernel; 3],
    backward: [Kernel; 3],
}

impl Kernels {
    fn new(device: &Device, storage: FactorStorage, moves: bool) -> Result<Self, GpuError> {
        use Access::{Read, Write};
        let up = [Read, Read, Read, Read, Read, Write, Write];
        let mut down = vec![Read, Read, Read, Read, Read, Write];
        down.extend(moves.then_some(Write));
        let found = if moves { include_str!("found_and_moved.wgsl") } else { include_str!("found.wgsl") };
        let backward = [include_str!("backward.wgsl"), found].concat();
        let source = |kind: usize, own: &str| {
            // As much as sums take at the end: three vectors for each thread.
            let (threads, chunk) = (THREADS[kind], 3 * THREADS[kind]);
            let head = format!("const THREADS = {threads}u;\nconst CHUNK = {chunk}u;\n");
            let numbers = match storage {
                FactorStorage::Single => include_str!("single.wgsl"),
                FactorStorage::Half => include_str!("half.wgsl"),
            };
            [&head, numbers, include_str!("product.wgsl"), own].concat()
        };
        let forward = |kind| device.kernel(&source(kind, include_str!("forward.wgsl")), "forward", &up);
        let backward = |kind| device.kernel(&source(kind, &backward), "backward", &down);
        Ok(Self {
            assemble: device.kernel(&source(2, include_str!("forward.wgsl")), "assemble", &up)?,
            forward: [forward(0)?, forward(1)?, forward(2)?],
            backward: [backward(0)?, backward(1)?, backward(2)?],
        })
    }
}
