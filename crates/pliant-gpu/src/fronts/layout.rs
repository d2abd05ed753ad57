//! How the numbers of fronts lie in the memory of the device.
//!
//! A block is cut into panels of some quads, a quad being four rows. A workgroup takes a panel: its numbers lie column by column, quad after quad, so that
//! neighbouring threads read neighbouring numbers, and a workgroup reads from one end of the panel to the other. Panels are never divided between buffers.

use std::ops::Range;

use pliant::sparse::SymmetricMatrix;
use rayon::prelude::*;

use half::f16;

use super::FactorStorage;
use super::factor::{Numbers, factorise};
use super::tree::Fronts;
use crate::device::{Bound, Device, Storage};
use crate::error::GpuError;

/// Threads of a workgroup, by the kind of kernel.
pub(crate) const THREADS: [usize; 3] = [64, 128, 256];
/// Panels that keep a large device busy.
const ENOUGH_PANELS: usize = 400;
/// Quads of a panel of large fronts.
const LEAST_QUADS: usize = 4;
const MOST_QUADS: usize = 16;
/// Bytes of a front below which a workgroup of the first or second kind takes it.
const SMALL: usize = 10_000;
const MEDIUM: usize = 40_000;

/// Which way a sweep goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sweep {
    /// From the bottom of the tree: u = f_m − Tᵀ f_c.
    Forward,
    /// From its top: x_c = S⁻¹ f_c − T x_m.
    Backward,
}

/// Some rows of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Panel {
    pub(crate) front: u32,
    pub(crate) first_quad: u32,
    pub(crate) quads: u32,
    /// Its buffer, and where it begins there, in quads.
    pub(crate) shard: u32,
    pub(crate) offset: u32,
}

/// Panels of a level and a sweep that one kernel takes.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) level: usize,
    pub(crate) sweep: Sweep,
    pub(crate) kind: usize,
    pub(crate) panels: Vec<Panel>,
}

/// All panels, and how large the buffers are.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) storage: FactorStorage,
    /// From the bottom of the tree to its top, forward before backward.
    pub(crate) batches: Vec<Batch>,
    /// Quads of each buffer.
    shards: Vec<usize>,
}

/// Size of blocks: rows and columns.
pub(crate) fn block(fronts: &Fronts, front: u32, sweep: Sweep) -> (usize, usize) {
    let front = &fronts.fronts[front as usize];
    match sweep {
        Sweep::Forward => (front.rows.len(), front.columns),
        Sweep::Backward => (front.columns, front.columns + front.rows.len()),
    }
}

impl Layout {
    /// `limit` is the size of a buffer \[bytes\].
    pub(crate) fn new(fronts: &Fronts, storage: FactorStorage, limit: u64) -> Self {
        let mut layout = Self { storage, batches: Vec::new(), shards: Vec::new() };
        let limit = ((limit / storage.quad()) as usize).min(u32::MAX as usize);
        for (level, numbers) in fronts.levels.iter().enumerate().rev() {
            for sweep in [Sweep::Forward, Sweep::Backward] {
                let (kind, most) = shape(fronts, numbers, sweep);
                let mut panels = Vec::new();
                for &front in numbers {
                    let (rows, columns) = block(fronts, front, sweep);
                    let (all, mut first_quad) = (rows.div_ceil(4), 0);
                    // Equal ones, as far as they can be.
                    let parts = all.div_ceil(most.min((limit / columns.max(1)).max(1)));
                    for part in 0..parts {
                        let quads = (all - first_quad).div_ceil(parts - part);
                        let (shard, offset) = layout.allot(quads * columns, limit);
                        let [first, quads] = [first_quad, quads].map(|count| count as u32);
                        panels.push(Panel { front, first_quad: first, quads, shard, offset });
                        first_quad += quads as usize;
                    }
                }
                layout.batches.push(Batch { level, sweep, kind, panels });
            }
        }
        layout
    }

    fn allot(&mut self, quads: usize, limit: usize) -> (u32, u32) {
        if self.shards.last().is_none_or(|used| used + quads > limit) {
            self.shards.push(0);
        }
        let shard = self.shards.len() - 1;
        self.shards[shard] += quads;
        (shard as u32, (self.shards[shard] - quads) as u32)
    }

    /// Bytes of all buffers.
    pub(crate) fn bytes(&self) -> u64 {
        self.shards.iter().map(|quads| self.storage.quad() * *quads as u64).sum()
    }

    /// Factors a matrix, and brings the numbers to the device as they come; also what those of S⁻¹ were divided by, front by front.
    pub(crate) fn fill(
        &self,
        device: &Device,
        fronts: &Fronts,
        matrix: &SymmetricMatrix,
    ) -> Result<(Vec<Shard>, Vec<f32>), GpuError> {
        let all = self.shards.iter().map(|&quads| Shard::new(device, self.storage, quads));
        let shards: Vec<Shard> = all.collect::<Result<_, _>>()?;
        let mut scales = vec![1.0; fronts.fronts.len()];
        let mut next = self.cursors();
        factorise(fronts, matrix, |part, numbers| {
            if self.storage == FactorStorage::Half {
                part.iter().zip(&numbers).for_each(|(&front, own)| scales[front as usize] = scale_of(own));
            }
            let level = fronts.fronts[part[0] as usize].level;
            for cursor in next.iter_mut().filter(|cursor| self.batches[cursor.batch].level == level) {
                let batch = &self.batches[cursor.batch];
                let is_in = |panel: &Panel| panel.front <= part[part.len() - 1];
                let count = batch.panels[cursor.panel..].iter().take_while(|panel| is_in(panel)).count();
                let panels = &batch.panels[cursor.panel..cursor.panel + count];
                cursor.panel += count;
                for run in panels.chunk_by(|a, b| a.shard == b.shard) {
                    let own = |front| &numbers[part.partition_point(|&known| known < front)];
                    let packed = pack(fronts, batch.sweep, run, &scales, own);
                    shards[run[0].shard as usize].write(device, run[0].offset as usize, &packed)?;
                }
            }
            Ok(())
        })?;
        Ok((shards, scales))
    }

    fn cursors(&self) -> Vec<Cursor> {
        (0..self.batches.len()).map(|batch| Cursor { batch, panel: 0 }).collect()
    }
}

/// A buffer of the factor.
#[derive(Debug)]
pub(crate) enum Shard {
    Single(Storage<[f32; 4]>),
    Half(Storage<[f16; 4]>),
}

impl Shard {
    fn new(device: &Device, storage: FactorStorage, quads: usize) -> Result<Self, GpuError> {
        Ok(match storage {
            FactorStorage::Single => Self::Single(device.zeros("the factor", quads)?),
            FactorStorage::Half => Self::Half(device.zeros("the factor", quads)?),
        })
    }

    fn write(&self, device: &Device, first: usize, quads: &[[f32; 4]]) -> Result<(), GpuError> {
        match self {
            Self::Single(shard) => device.write(shard, first, quads),
            Self::Half(shard) => {
                let halves: Vec<[f16; 4]> = quads.par_iter().map(|quad| quad.map(f16::from_f32)).collect();
                device.write(shard, first, &halves)
            }
        }
    }

    /// For kernels.
    pub(crate) fn bound(&self) -> &dyn Bound {
        match self {
            Self::Single(shard) => shard,
            Self::Half(shard) => shard,
        }
    }
}

/// The largest number of S⁻¹ as a power of two, so that f16 has room for all of them: they are as small as stiffness is large. Those of T are shares.
fn scale_of(numbers: &Numbers) -> f32 {
    let inverse = &numbers.inverse;
    let most = (0..inverse.ncols()).fold(0.0, |most: f64, k| most.max(inverse[(k, k)].abs()));
    if most > 0.0 && most.is_finite() { most.log2().ceil().exp2() as f32 } else { 1.0 }
}

/// The next panel of a batch to be filled.
struct Cursor {
    batch: usize,
    panel: usize,
}

/// The kernel for a level, and the most quads of its panels.
fn shape(fronts: &Fronts, level: &[u32], sweep: Sweep) -> (usize, usize) {
    let blocks = level.iter().map(|&front| block(fronts, front, sweep));
    let (quads, bytes) = blocks.fold((0, 0), |(quads, bytes), (rows, columns)| {
        (quads + rows.div_ceil(4), bytes + 16 * rows.div_ceil(4) * columns)
    });
    let mean = bytes / level.len().max(1);
    if mean < SMALL {
        (0, 32)
    } else if mean < MEDIUM && level.len() > ENOUGH_PANELS / 2 {
        (1, 32)
    } else {
        (2, quads.div_ceil(ENOUGH_PANELS).clamp(LEAST_QUADS, MOST_QUADS))
    }
}

/// Numbers of panels that lie one after the other.
fn pack<'a>(
    fronts: &Fronts,
    sweep: Sweep,
    panels: &[Panel],
    scales: &[f32],
    numbers: impl Fn(u32) -> &'a Numbers + Sync,
) -> Vec<[f32; 4]> {
    let size = |panel: &Panel| panel.quads as usize * block(fronts, panel.front, sweep).1;
    let mut packed = vec![[0.0; 4]; panels.iter().map(size).sum()];
    let (mut rest, mut parts) = (&mut packed[..], Vec::with_capacity(panels.len()));
    for panel in panels {
        let (own, after) = rest.split_at_mut(size(panel));
        parts.push((panel, own));
        rest = after;
    }
    parts.into_par_iter().for_each(|(panel, out)| {
        let (rows, columns) = block(fronts, panel.front, sweep);
        let (Numbers { inverse, transfer }, first) = (numbers(panel.front), 4 * panel.first_quad as usize);
        let quads = panel.quads as usize;
        let rows = first..rows.min(first + 4 * quads);
        let part = 1.0 / f64::from(scales[panel.front as usize]);
        for (k, out) in out.chunks_exact_mut(quads).enumerate().take(columns) {
            match sweep {
                Sweep::Forward => fill(out, rows.clone(), |row| -transfer[(k, row)]),
                Sweep::Backward if k < inverse.ncols() => fill(out, rows.clone(), |row| part * inverse[(row, k)]),
                Sweep::Backward => fill(out, rows.clone(), |row| -transfer[(row, k - inverse.ncols())]),
            }
        }
    });
    packed
}

/// A column of a panel.
fn fill(out: &mut [[f32; 4]], rows: Range<usize>, value: impl Fn(usize) -> f64) {
    out.as_flattened_mut().iter_mut().zip(rows).for_each(|(out, row)| *out = value(row) as f32);
}
