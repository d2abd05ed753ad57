//! Newton's system by conjugate gradients on a device, with two metrics as preconditioner; as the engine's `two_metric::linear`.

use bytemuck::{Pod, Zeroable};
use pliant::solve::{Objective, Preconditioner};

use super::matrix::Matrix;
use crate::device::{Access, Bound, Device, Dispatch, Pending, Program, Storage};
use crate::error::GpuError;
use crate::fronts::DirectSolve;
use crate::layers::Layers;
use crate::local::{Gathered, LocalStep, SLICE, indexed};

/// Workgroups that judge a solve.
const JUDGING: usize = 256;
/// Vertices of a part of a free body.
const PART: usize = 2048;

/// See `scalars.wgsl`.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct Scalars {
    rho: f32,
    beta: f32,
    alpha: f32,
    begun_with: f32,
    enough: f32,
    beside: f32,
    tolerance: f32,
    iterations: u32,
    is_done: u32,
    unused: [u32; 3],
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Share of the residual, measured by the preconditioner, that may be left.
    pub(super) enough: f64,
    /// A squared residual to be measured by instead of the one that the solve begins with, if it is larger.
    pub(super) beside: f64,
}

/// What a solve came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Solved {
    /// Slope of g along the solution \[J\].
    pub(super) slope: f64,
    /// By how much g falls if it is as quadratic as its model \[J\].
    pub(super) promised: f64,
    /// Longest movement of a vertex in it \[m\].
    pub(super) longest: f64,
    pub(super) iterations: usize,
    /// The squared residual that it began with, measured by the preconditioner.
    pub(super) begun_with: f64,
}

/// The linear solver of a world.
#[derive(Debug)]
pub(super) struct Linear {
    /// What solves H x = −∇g.
    pub(super) solution: Storage<[f32; 4]>,
    scalars: Storage<Scalars>,
    judgements: Storage<[f32; 4]>,
    /// Where a guess is put that a solve begins with.
    pub(super) guess: Storage<[f32; 4]>,
    /// Assembles the matrix at the current positions.
    assemble: Program,
    /// Finds the best share of the guess.
    measure_guess: Program,
    begin: Program,
    iteration: Program,
    judge: Program,
    /// Blocks that are not of elements, one of each vertex from one on.
    pub(super) own_blocks: (Storage<[f32; 4]>, u32),
}

/// Vectors of a row for each free vertex.
struct Vectors {
    residual: Storage<[f32; 4]>,
    direction: Storage<[f32; 4]>,
    products: Storage<[f32; 4]>,
    step: Storage<[f32; 4]>,
    left: Storage<[f32; 4]>,
    by_blocks: Storage<[f32; 4]>,
    solution: Storage<[f32; 4]>,
    taken: Storage<[f32; 4]>,
    scalars: Storage<Scalars>,
    sums: Storage<f32>,
}

impl Vectors {
    fn new(device: &Device, free: usize) -> Result<Self, GpuError> {
        let vector = || device.zeros("vectors of conjugate gradients", free);
        Ok(Self {
            residual: vector()?,
            direction: vector()?,
            products: vector()?,
            step: vector()?,
            left: vector()?,
            by_blocks: vector()?,
            solution: vector()?,
            taken: vector()?,
            scalars: device.zeros("scalars of conjugate gradients", 1)?,
            sums: device.zeros("sums of conjugate gradients", 2 * free.div_ceil(SLICE))?,
        })
    }
}

impl Linear {
    pub(super) fn new(
        device: &Device,
        objective: &Objective<'_>,
        (local, gathered): (&LocalStep, &Gathered),
        (forces, factor): (&Storage<[f32; 4]>, &DirectSolve),
        preconditioner: Preconditioner,
        layers: Option<&Layers>,
    ) -> Result<Self, GpuError> {
        let matrix = Matrix::new(device, local, gathered)?;
        let free = local.places.free;
        let vectors = Vectors::new(device, free)?;
        let judgements = device.zeros("judgements", JUDGING)?;
        let none = device.zeros("no couplings", 1)?;
        let couplings = layers.map_or((&none, [0; 2]), |layers| (layers.couplings(), layers.coupling_places()));
        let kernels = Kernels { device, matrix: &matrix, vectors: &vectors, forces, factor, free, couplings };
        let has_blocks = preconditioner == Preconditioner::Product;
        let assemble = device.program(matrix.dispatches.clone())?;
        let measure_guess = device.program(kernels.guess()?)?;
        let begin = device.program(vec![kernels.update(has_blocks, true)?])?;
        let iteration = device.program(kernels.iteration(has_blocks)?)?;
        let bodies = free_bodies(objective, (local, gathered), factor);
        let judge = device.program(kernels.judge(&bodies, &judgements)?)?;
        let Vectors { taken: solution, direction: guess, scalars, .. } = vectors;
        let own_blocks = (matrix.element_blocks.clone(), matrix.own_block);
        Ok(Self { solution, guess, assemble, measure_guess, scalars, judgements, begin, iteration, judge, own_blocks })
    }

    /// Programs that begin a solve with the forces at the current positions as right-hand side, and perhaps with a guess.
    pub(super) fn begin(&self, device: &Device, limits: Limits, has_guess: bool) -> Result<Vec<&Program>, GpuError> {
        let beside = limits.beside.min(f64::from(f32::MAX)) as f32;
        let begun = Scalars { beside, tolerance: limits.enough as f32, ..Scalars::default() };
        device.write(&self.scalars, 0, &[begun])?;
        let guess = has_guess.then_some(&self.measure_guess);
        Ok(std::iter::once(&self.assemble).chain(guess).chain([&self.begin]).collect())
    }

    /// An iteration; one that is made after the last does nothing.
    pub(super) fn iteration(&self) -> &Program {
        &self.iteration
    }

    /// Judges what iterations came to. It needs the forces that the solve has begun with.
    pub(super) fn judge(&self) -> &Program {
        &self.judge
    }

    /// Asks for what iterations came to.
    pub(super) fn request(&self, device: &Device) -> Result<PendingSolved, GpuError> {
        let (scalars, parts) = (device.request(&self.scalars, 1)?, device.request(&self.judgements, JUDGING)?);
        Ok(PendingSolved { scalars, parts })
    }
}

/// What a solve came to, on its way.
pub(super) struct PendingSolved {
    scalars: Pending<Scalars>,
    parts: Pending<[f32; 4]>,
}

impl PendingSolved {
    /// Waits for it; also whether the solve is done.
    pub(super) fn wait(self) -> Result<(Solved, bool), GpuError> {
        let (scalars, parts) = (self.scalars.wait()?[0], self.parts.wait()?);
        let sum = |k: usize| parts.iter().map(|part| f64::from(part[k])).sum::<f64>();
        let squared = parts.iter().fold(0.0, |most: f32, part| most.max(part[2]));
        let solved = Solved {
            slope: -sum(0),
            promised: 0.5 * sum(1),
            longest: f64::from(squared).sqrt(),
            iterations: scalars.iterations as usize,
            begun_with: scalars.begun_with.into(),
        };
        Ok((solved, scalars.is_done == 1))
    }
}

/// What the kernels work on.
struct Kernels<'a> {
    device: &'a Device,
    matrix: &'a Matrix,
    vectors: &'a Vectors,
    /// −∇g.
    forces: &'a Storage<[f32; 4]>,
    factor: &'a DirectSolve,
    free: usize,
    /// Contacts between layers, and where their entries and they themselves begin.
    couplings: (&'a Storage<[f32; 4]>, [u32; 2]),
}

impl Kernels<'_> {
    fn vertices(
        &self,
        source: &str,
        entry: &str,
        access: &[Access],
        buffers: &[&dyn Bound],
    ) -> Result<Dispatch, GpuError> {
        self.with_parameters(source, entry, access, buffers, [self.free as u32, 0, 0, 0])
    }

    fn with_parameters(
        &self,
        source: &str,
        entry: &str,
        access: &[Access],
        buffers: &[&dyn Bound],
        parameters: [u32; 4],
    ) -> Result<Dispatch, GpuError> {
        let kernel = self.device.kernel(source, entry, access)?;
        Ok(self.device.dispatch(&kernel, buffers, parameters, self.free.div_ceil(SLICE)))
    }

    /// A kernel with a product of the matrix and a vector.
    fn product(
        &self,
        (source, entry): (&str, &str),
        vector: &Storage<[f32; 4]>,
        access: &[Access],
        buffers: &[&dyn Bound],
    ) -> Result<Dispatch, GpuError> {
        let Matrix { blocks, rows, .. } = self.matrix;
        let all: Vec<&dyn Bound> =
            [blocks as &dyn Bound, self.couplings.0, rows, vector].into_iter().chain(buffers.iter().copied()).collect();
        let access = [&[Access::Read; 4], access].concat();
        let [first_entry, first_coupling] = self.couplings.1;
        let parameters = [self.free as u32, first_entry, first_coupling, 0];
        self.with_parameters(&[include_str!("rows.wgsl"), source].concat(), entry, &access, &all, parameters)
    }

    fn iteration(&self, has_blocks: bool) -> Result<Vec<Dispatch>, GpuError> {
        use Access::{Read, Write};
        let v = self.vectors;
        let (rhs, by_factor) = (self.factor.right_hand_side(), self.factor.solution());
        let mut all = Vec::new();
        if has_blocks {
            let source = (include_str!("blocks_before.wgsl"), "blocks_before");
            all.push(self.product(source, &v.by_blocks, &[Read, Write], &[&v.residual, rhs])?);
            all.extend_from_slice(self.factor.dispatches());
            let source = (include_str!("blocks_after.wgsl"), "blocks_after");
            let buffers: [&dyn Bound; 4] = [&self.matrix.inverse, rhs, &v.by_blocks, &v.step];
            all.push(self.product(source, by_factor, &[Read, Write, Write, Write], &buffers)?);
            let source = (include_str!("residual_of_step.wgsl"), "residual_of_step");
            let buffers: [&dyn Bound; 4] = [rhs, &v.residual, &v.step, &v.sums];
            all.push(self.product(source, &v.by_blocks, &[Write, Read, Read, Write], &buffers)?);
        } else {
            all.extend_from_slice(self.factor.dispatches());
            let source = (include_str!("factor_alone.wgsl"), "factor_alone");
            let buffers: [&dyn Bound; 4] = [&v.residual, &v.left, &v.step, &v.sums];
            all.push(self.product(source, by_factor, &[Read, Write, Write, Write], &buffers)?);
        }
        all.push(self.scalars("next_direction")?);
        let left = if has_blocks { rhs } else { &v.left };
        let buffers: [&dyn Bound; 7] = [&v.scalars, &v.step, &v.residual, left, &v.direction, &v.products, &v.sums];
        let access = [Read, Read, Read, Read, Write, Write, Write];
        all.push(self.vertices(include_str!("direction.wgsl"), "search", &access, &buffers)?);
        all.push(self.scalars("next_length")?);
        all.push(self.update(has_blocks, false)?);
        Ok(all)
    }

    /// The share of a guess to begin with, and what it leaves.
    fn guess(&self) -> Result<Vec<Dispatch>, GpuError> {
        use Access::{Read, Write};
        let v = self.vectors;
        let buffers: [&dyn Bound; 3] = [self.forces, &v.products, &v.sums];
        let source = (include_str!("guess.wgsl"), "guess_products");
        let products = self.product(source, &v.direction, &[Read, Write, Write], &buffers)?;
        Ok(vec![products, self.scalars("guess_length")?])
    }

    /// A kernel that adds up sums and decides.
    fn scalars(&self, entry: &str) -> Result<Dispatch, GpuError> {
        let kernel = self.device.kernel(include_str!("scalars.wgsl"), entry, &[Access::Read, Access::Write])?;
        let buffers: [&dyn Bound; 2] = [&self.vectors.sums, &self.vectors.scalars];
        Ok(self.device.dispatch(&kernel, &buffers, [self.free.div_ceil(SLICE) as u32, 0, 0, 0], 1))
    }

    fn update(&self, has_blocks: bool, begins: bool) -> Result<Dispatch, GpuError> {
        use Access::{Read, Write};
        let v = self.vectors;
        let next = if has_blocks { &v.by_blocks } else { self.factor.right_hand_side() };
        let buffers: [&dyn Bound; 8] =
            [&v.scalars, &self.matrix.inverse, self.forces, &v.direction, &v.products, &v.solution, &v.residual, next];
        let access = [Read, Read, Read, Write, Write, Write, Write, Write];
        let parameters = [self.free as u32, has_blocks.into(), begins.into(), 0];
        self.with_parameters(include_str!("update.wgsl"), "update", &access, &buffers, parameters)
    }

    fn judge(&self, bodies: &[FreeBody], judgements: &Storage<[f32; 4]>) -> Result<Vec<Dispatch>, GpuError> {
        use Access::{Read, Write};
        let (device, v, matrix) = (self.device, self.vectors, self.matrix);
        // Parts of bodies, then bodies.
        let (mut parts, mut whole): (Vec<[f32; 4]>, Vec<[f32; 4]>) = (Vec::new(), Vec::new());
        for (number, body) in bodies.iter().enumerate() {
            let first = parts.len() as u32;
            for start in body.places.clone().step_by(PART) {
                let ends = [start, body.places.end.min(start + PART), number].map(|index| indexed(index as u32));
                parts.push([ends[0], ends[1], ends[2], 0.0]);
            }
            whole.push([indexed(first), indexed(parts.len() as u32), body.inertia as f32, 0.0]);
        }
        let list = device.array("free bodies", &[&parts[..], &whole[..]].concat())?;
        let sums = device.zeros::<[f32; 4]>("sums over free bodies", 4 * parts.len())?;
        let access = [Read, Read, Read, Write, Write, Read, Write, Read];
        let buffers: [&dyn Bound; 8] =
            [self.forces, &v.residual, &v.solution, &v.taken, judgements, &list, &sums, &matrix.element_blocks];
        let dispatch = |entry: &str, groups: usize, workgroups: usize| {
            let kernel = device.kernel(include_str!("judge.wgsl"), entry, &access)?;
            let parameters = [self.free as u32, groups as u32, matrix.own_block, matrix.has_own_blocks.into()];
            Ok(device.dispatch(&kernel, &buffers, parameters, workgroups))
        };
        Ok(vec![
            dispatch("take", JUDGING, JUDGING)?,
            dispatch("sum_bodies", parts.len(), parts.len())?,
            dispatch("find_movements", parts.len(), bodies.len())?,
            dispatch("move_bodies", parts.len(), parts.len())?,
            dispatch("judge", JUDGING, JUDGING)?,
        ])
    }
}

/// A part of the matrix that nothing holds.
struct FreeBody {
    places: std::ops::Range<usize>,
    /// Of all its vertices \[N/m\].
    inertia: f64,
}

/// Parts of the matrix that nothing holds.
fn free_bodies(
    objective: &Objective<'_>,
    (local, gathered): (&LocalStep, &Gathered),
    factor: &DirectSolve,
) -> Vec<FreeBody> {
    let (free, places) = (local.places.free, &local.places);
    let mut is_held = vec![false; free];
    for simplices in &gathered.simplices {
        let corners = simplices.shape().0;
        for places in simplices.corners.iter().map(|places| &places[..corners]) {
            if places.iter().any(|&place| place as usize >= free) {
                places
                    .iter()
                    .filter(|&&place| (place as usize) < free)
                    .for_each(|&place| is_held[place as usize] = true);
            }
        }
    }
    let hinges = gathered.hinges.corners.iter().map(|corners| &corners[..]);
    for places in hinges.chain(gathered.stars.iter().flat_map(|stars| stars.corners())) {
        if places.iter().any(|&place| place as usize >= free) {
            let unheld = places.iter().map(|&place| place as usize).filter(|&place| place < free);
            unheld.for_each(|place| is_held[place] = true);
        }
    }
    for (place, (springs, row)) in gathered.springs.iter().zip(&gathered.rows).enumerate() {
        let mut others = springs.iter().map(|spring| spring.other).chain(row.iter().map(|entry| entry.0));
        is_held[place] |= others.any(|other| other as usize >= free);
    }
    gathered.goals.iter().for_each(|goal| is_held[goal.2 as usize] = true);
    gathered.half_spaces.blocks().for_each(|(place, _)| is_held[place as usize] = true);
    let mass = objective.model.mass().diagonal();
    let loose = factor.parts().iter().filter(|part| !is_held[(*part).clone()].contains(&true));
    loose
        .map(|part| {
            let masses = part.clone().map(|place| mass[places.vertices[place] as usize]);
            FreeBody { places: part.clone(), inertia: masses.sum::<f64>() * objective.inertia }
        })
        .collect()
}
