//! Newton's matrix on a device: blocks of elements, and rows of blocks that are assembled from them.

use rayon::prelude::*;

use crate::device::{Access, Bound, Device, Dispatch, Storage};
use crate::error::GpuError;
use crate::local::{EIGEN, Gathered, LocalStep, POINTS, Places, SLICE, STRETCHES, Simplex, indexed, sliced};

/// Marks of contributions; see `assemble.wgsl`.
const TRANSPOSED: u32 = 1 << 31;
const NEGATIVE: u32 = 1 << 30;
/// An entry that is not a vertex's own, and a contribution that is none.
const NONE: u32 = u32::MAX;

/// The matrix, ready for products.
#[derive(Debug)]
pub(super) struct Matrix {
    /// Three columns for each entry, slice by slice.
    pub(super) blocks: Storage<[f32; 4]>,
    /// First entry and number of entries of slices, of blocks and of rows of what bends from flat; then these rows.
    pub(super) rows: Storage<[f32; 2]>,
    /// ω D⁻¹ of each vertex.
    pub(super) inverse: Storage<[f32; 4]>,
    /// Blocks of elements; from `own_block` on there is one of each vertex, if something else acts on them.
    pub(super) element_blocks: Storage<[f32; 4]>,
    pub(super) own_block: u32,
    pub(super) has_own_blocks: bool,
    /// Kernels that assemble it at the current positions.
    pub(super) dispatches: Vec<Dispatch>,
}

/// A contribution: the row's place, the other one's (0 for itself, else one more than its place), and the block with its marks.
type Contribution = (u32, u32, u32);

impl Matrix {
    pub(super) fn new(device: &Device, local: &LocalStep, gathered: &Gathered) -> Result<Self, GpuError> {
        let places = &local.places;
        let own_block = gathered.blocks as usize + gathered.all_springs.len();
        let count = own_block + if local.others.is_some() { places.free } else { 0 };
        // Then the vectors of hinges, four each: their blocks are products of two of them.
        let hinges = gathered.hinges.corners.len();
        let element_blocks: Storage<[f32; 4]> = device.zeros("blocks of elements", 3 * count + 4 * hinges)?;
        let mut dispatches = Vec::new();
        for elements in &local.elements {
            dispatches.push(element_kernel(device, local, elements, &element_blocks)?);
        }
        if !gathered.all_springs.is_empty() {
            dispatches.push(spring_kernel(device, local, gathered, &element_blocks)?);
        }
        if let Some(half_spaces) = &local.half_spaces {
            dispatches.push(half_spaces.blocks(device, &local.offsets, &element_blocks)?);
        }
        for stars in &local.stars {
            dispatches.push(stars.blocks(device, [&local.anchors, &local.offsets], &element_blocks)?);
        }
        if let Some(hinges) = &local.hinges {
            dispatches.push(hinges.vectors(device, [&local.anchors, &local.offsets, &element_blocks], 3 * count)?);
        }
        let layout = Layout::new(places, contributions(places, gathered, local.others.is_some()));
        let (row_slices, rows, bending) = bending_rows(places, gathered);
        let head = 2 * row_slices.len() as u32;
        let mut all: Vec<[f32; 2]> = Vec::with_capacity(head as usize + rows.len());
        for (blocks, own) in layout.slices.iter().zip(&row_slices) {
            all.extend([[blocks[0], blocks[1]], [head + own[0], own[1]]].map(|pair| pair.map(indexed)));
        }
        all.extend(rows);
        let blocks = device.zeros("Newton's matrix", 3 * layout.others.len())?;
        let inverse = device.zeros("inverse blocks", 3 * places.free)?;
        let lists = device.array("contributions to Newton's matrix", &layout.lists)?;
        let others = device.array("neighbours", &layout.others)?;
        let bending = device.array("diagonal of bending", &bending)?;
        use Access::{Read, Write};
        let kernel =
            device.kernel(include_str!("assemble.wgsl"), "assemble", &[Read, Read, Read, Read, Read, Write, Write])?;
        let buffers: [&dyn Bound; 7] = [&lists, &others, &element_blocks, &local.targets, &bending, &blocks, &inverse];
        let entries = layout.others.len();
        dispatches.push(device.dispatch(
            &kernel,
            &buffers,
            [places.free as u32, entries as u32, count as u32, 0],
            entries.div_ceil(64),
        ));
        let rows = device.array("rows of Newton's matrix", &all)?;
        let (own_block, has_own_blocks) = (own_block as u32, local.others.is_some());
        Ok(Self { blocks, rows, inverse, element_blocks, own_block, has_own_blocks, dispatches })
    }
}

fn element_kernel(
    device: &Device,
    local: &LocalStep,
    elements: &crate::local::Elements,
    blocks: &Storage<[f32; 4]>,
) -> Result<Dispatch, GpuError> {
    use Access::{Read, Write};
    let mut buffers: Vec<&dyn Bound> =
        vec![&local.anchors, &local.offsets, &elements.corners, &elements.numbers, blocks];
    let mut access = vec![Read, Read, Read, Read, Write];
    let (own, entry, threads) = match elements.kind {
        Simplex::Triangle => (include_str!("triangle_blocks.wgsl"), "triangle_blocks", 128),
        Simplex::Tet => (include_str!("tet_blocks.wgsl"), "tet_blocks", 64),
    };
    if elements.kind == Simplex::Tet {
        buffers.push(&elements.rotations);
        access.push(Read);
    }
    let source = [POINTS, STRETCHES, EIGEN, include_str!("curvature.wgsl"), own].concat();
    let kernel = device.kernel(&source, entry, &access)?;
    Ok(device.dispatch(&kernel, &buffers, elements.parameters(), elements.corners.len().div_ceil(threads)))
}

fn spring_kernel(
    device: &Device,
    local: &LocalStep,
    gathered: &Gathered,
    blocks: &Storage<[f32; 4]>,
) -> Result<Dispatch, GpuError> {
    use Access::{Read, Write};
    let ends: Vec<[u32; 2]> = gathered.all_springs.iter().map(|&(own, spring)| [own, spring.other]).collect();
    let number = |value: f64| value as f32;
    let numbers: Vec<[f32; 4]> = gathered
        .all_springs
        .iter()
        .map(|(_, spring)| [number(spring.weight), number(spring.lengths[0]), number(spring.lengths[1]), 0.0])
        .collect();
    let (ends, numbers) = (device.array("ends of springs", &ends)?, device.array("springs", &numbers)?);
    let source = [POINTS, include_str!("spring_blocks.wgsl")].concat();
    let kernel = device.kernel(&source, "spring_blocks", &[Read, Read, Read, Read, Write])?;
    let buffers: [&dyn Bound; 5] = [&local.anchors, &local.offsets, &ends, &numbers, blocks];
    Ok(device.dispatch(&kernel, &buffers, [gathered.blocks, 0, 0, 0], ends.len().div_ceil(128)))
}

/// What elements add to rows of free vertices, sorted.
fn contributions(places: &Places, gathered: &Gathered, has_others: bool) -> Vec<Contribution> {
    let free = places.free as u32;
    let mut all: Vec<Contribution> = (0..free).map(|place| (place, 0, NONE)).collect();
    let mut add = |row: u32, column: u32, block: u32| {
        if row < free && column < free {
            all.push((row, if row == column { 0 } else { column + 1 }, block));
        }
    };
    for simplices in &gathered.simplices {
        let (corners, blocks) = simplices.shape();
        for (first, places) in (simplices.first_block..).step_by(blocks as usize).zip(&simplices.corners) {
            let mut block = first;
            for i in 0..corners {
                for j in i..corners {
                    add(places[i], places[j], block);
                    if i != j {
                        add(places[j], places[i], block | TRANSPOSED);
                    }
                    block += 1;
                }
            }
        }
    }
    for (block, &(own, spring)) in (gathered.blocks..).zip(&gathered.all_springs) {
        let other = spring.other;
        for (row, column, mark) in [(own, own, 0), (other, other, 0), (own, other, NEGATIVE), (other, own, NEGATIVE)] {
            add(row, column, block | mark);
        }
    }
    let own = gathered.blocks + gathered.all_springs.len() as u32;
    if has_others {
        (0..free).for_each(|row| add(row, row, own + row));
    }
    gathered.half_spaces.blocks().for_each(|(place, block)| add(place, place, block));
    for stars in &gathered.stars {
        stars.visit_blocks(|row, column, block, is_own| {
            add(row, column, block);
            if !is_own {
                add(column, row, block | TRANSPOSED);
            }
        });
    }
    let outer = own + if has_others { free } else { 0 };
    for (first, places) in (outer..).step_by(16).zip(&gathered.hinges.corners) {
        for (i, &row) in (0..).zip(places) {
            (0..).zip(places).for_each(|(j, &column)| add(row, column, first + 4 * i + j));
        }
    }
    all.par_sort_unstable();
    all
}

/// Entries of the matrix, slice by slice.
struct Layout {
    slices: Vec<[u32; 2]>,
    others: Vec<u32>,
    /// Starts of contributions by entry, the vertex of entries that are its own, contributions.
    lists: Vec<u32>,
}

impl Layout {
    fn new(places: &Places, contributions: Vec<Contribution>) -> Self {
        // Ranges of contributions to each entry, and of entries of each row.
        let mut entries: Vec<(u32, std::ops::Range<usize>)> = Vec::new();
        let mut rows = vec![0; places.free + 1];
        let mut begin = 0;
        for run in contributions.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            entries.push((run[0].1, begin..begin + run.len()));
            rows[run[0].0 as usize + 1] += 1;
            begin += run.len();
        }
        (0..places.free).for_each(|row| rows[row + 1] += rows[row]);
        let (mut slices, mut others, mut owners) = (Vec::new(), Vec::new(), Vec::new());
        let (mut starts, mut list) = (vec![0], Vec::with_capacity(contributions.len()));
        for first in (0..places.free).step_by(SLICE) {
            let row = |lane: usize| match first + lane {
                row if row < places.free => &entries[rows[row]..rows[row + 1]],
                _ => &[],
            };
            let longest = (0..SLICE).map(|lane| row(lane).len()).max().unwrap_or(0);
            slices.push([others.len() as u32, longest as u32]);
            for k in 0..longest {
                for lane in 0..SLICE {
                    let own = (first + lane).min(places.free - 1) as u32;
                    let entry = row(lane).get(k);
                    others.push(entry.filter(|entry| entry.0 > 0).map_or(own, |entry| entry.0 - 1));
                    owners.push(if k == 0 && entry.is_some() { own } else { NONE });
                    let range = entry.map_or(0..0, |entry| entry.1.clone());
                    list.extend(contributions[range].iter().map(|item| item.2).filter(|&block| block != NONE));
                    starts.push(list.len() as u32);
                }
            }
        }
        // Starts are places in the list of all.
        let head = (starts.len() + owners.len()) as u32;
        let mut lists: Vec<u32> = starts.into_iter().map(|start| start + head).collect();
        lists.extend(owners);
        lists.extend(list);
        Self { slices, others, lists }
    }
}

/// Slices, their rows of what bends from flat between free vertices, and its diagonal.
#[allow(clippy::type_complexity, reason = "three lists that are taken apart at once")]
fn bending_rows(places: &Places, gathered: &Gathered) -> (Vec<[u32; 2]>, Vec<[f32; 2]>, Vec<f32>) {
    let free = places.free as u32;
    let entry = |&(other, value): &(u32, f64)| [indexed(other), value as f32];
    let rows: Vec<Vec<[f32; 2]>> =
        gathered.rows.iter().map(|row| row.iter().filter(|(other, _)| *other < free).map(entry).collect()).collect();
    // Rows add up to zero.
    let diagonal = gathered.rows.iter().map(|row| -row.iter().map(|(_, value)| value).sum::<f64>() as f32).collect();
    let (slices, rows) = sliced(places, &rows, |place| [indexed(place.min(places.free - 1) as u32), 0.0]);
    (slices, rows, diagonal)
}
