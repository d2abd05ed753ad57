//! Sorts the leaves of the trees along a curve through space: boxes of neighbours are then small wherever bodies have gone.

use super::kernels::{Kernels, Use};
use super::surfaces::Surfaces;
use super::truncation::{PARTS, Truncation};
use super::{Buffers, Quad};
use crate::device::{Device, Dispatch, Storage};
use crate::error::GpuError;
use Use::{R, W};

/// Bits of a key, and those that a pass sorts by: an even number of passes ends where it began.
const BITS: u32 = 24;
const AT_ONCE: u32 = 4;
/// Values of these bits.
const VALUES: usize = 1 << AT_ONCE;
/// Keys of a workgroup.
const BLOCK: usize = 1024;
/// Threads of a workgroup that encodes, and numbers that one of `sum.wgsl` adds up.
const THREADS: usize = 128;
const CHUNK: usize = 2048;

/// What sorting has on a device.
#[derive(Debug)]
pub(super) struct SortBuffers {
    corners: Storage<Quad>,
    keys: [Storage<u32>; 2],
    other_order: Storage<u32>,
    counts: Storage<u32>,
    firsts: Storage<u32>,
    chunks: Storage<u32>,
}

fn blocks(surfaces: &Surfaces) -> usize {
    (surfaces.triangles() + surfaces.edges()).div_ceil(BLOCK)
}

impl SortBuffers {
    pub(super) fn new(device: &Device, surfaces: &Surfaces) -> Result<Self, GpuError> {
        let (count, counts) = (surfaces.triangles() + surfaces.edges(), VALUES * blocks(surfaces));
        Ok(Self {
            corners: device.zeros("boxes of vertices", 2 * PARTS + 2)?,
            keys: [device.zeros("keys of leaves", count)?, device.zeros("sorted keys of leaves", count)?],
            other_order: device.zeros("sorted leaves", count)?,
            counts: device.zeros("keys in blocks", counts)?,
            firsts: device.zeros("first keys of blocks", counts + 2)?,
            chunks: device.zeros("chunks of keys", counts.div_ceil(CHUNK) + 1)?,
        })
    }
}

/// The numbers that kernels of the sort begin with.
pub(super) fn constants(surfaces: &Surfaces) -> String {
    format!("const BLOCKS = {}u;\n", blocks(surfaces))
}

/// Sorts by where vertices are at the last positions without intersections.
pub(super) fn all(truncation: &Truncation<'_>, own: &SortBuffers) -> Result<Vec<Dispatch>, GpuError> {
    let Truncation { kernels, surfaces, buffers, .. } = *truncation;
    let Buffers { elements, points, order, .. } = buffers;
    let SortBuffers { corners, keys, other_order, counts, firsts, chunks } = own;
    let mut all = truncation.frame(truncation.offsets)?.to_vec();
    all.push(truncation.points(0, true, truncation.offsets)?);
    let uses = [R(elements), R(points), W(corners), W(&keys[0]), W(order)];
    let files = [include_str!("codes.wgsl")];
    all.push(kernels.one((&files, "box_parts"), &uses, [0; 4], PARTS)?);
    all.push(kernels.one((&files, "box_of_all"), &uses, [0; 4], 1)?);
    let count = surfaces.triangles() + surfaces.edges();
    all.push(kernels.one((&files, "encode"), &uses, [0; 4], count.div_ceil(THREADS))?);
    for (pass, shift) in (0..BITS).step_by(AT_ONCE as usize).enumerate() {
        let (from, to) = (pass % 2, (pass + 1) % 2);
        let orders = [order, other_order];
        let pass = Pass {
            kernels,
            shift,
            blocks: blocks(surfaces),
            from: (&keys[from], orders[from]),
            to: (&keys[to], orders[to]),
        };
        all.push(pass.one("count_values", counts)?);
        let parameters = [(VALUES * pass.blocks) as u32, u32::MAX, 0, 0];
        let (uses, files) = ([R(counts), W(chunks), W(firsts)], [include_str!("sum.wgsl")]);
        let workgroups = (VALUES * pass.blocks + 1).div_ceil(CHUNK);
        all.push(kernels.one((&files, "sum_chunks"), &uses, parameters, workgroups)?);
        all.push(kernels.one((&files, "number_lists"), &uses, parameters, workgroups)?);
        all.push(pass.one("scatter", firsts)?);
    }
    Ok(all)
}

/// A pass of the sort, with keys and order before and after it.
struct Pass<'a> {
    kernels: &'a Kernels<'a>,
    shift: u32,
    blocks: usize,
    from: (&'a Storage<u32>, &'a Storage<u32>),
    to: (&'a Storage<u32>, &'a Storage<u32>),
}

impl Pass<'_> {
    fn one(&self, entry: &str, counts: &Storage<u32>) -> Result<Dispatch, GpuError> {
        let uses = [R(self.from.0), R(self.from.1), W(counts), W(self.to.0), W(self.to.1)];
        self.kernels.one((&[include_str!("sort.wgsl")], entry), &uses, [self.shift, 0, 0, 0], self.blocks)
    }
}

#[cfg(test)]
mod tests {
    use pliant::SelfCollision;
    use pliant::prelude::*;

    use super::*;
    use crate::device::DeviceChoice;
    use crate::layers::Layers;
    use crate::local::Places;

    #[test]
    fn leaves_are_sorted_by_where_they_are() {
        if Device::adapters().is_empty() {
            eprintln!("skipped: there is no GPU here");
            return;
        }
        let device = Device::open(&DeviceChoice::default()).expect("an adapter");
        // Sheets far from where the order of bodies would have them.
        let mesh =
            Sheet { width: 0.05, height: 0.05, columns: 3, rows: 3, ..Sheet::default() }.mesh().expect("a sheet");
        let mut world = Simulation::builder();
        for k in 0..125 {
            let cell = k * 47 % 125;
            let at = Vec3::new(f64::from(cell % 5), f64::from(cell / 5 % 5), f64::from(cell / 25)) * 0.1;
            let body = Body::cloth(&mesh, &ClothMaterial::default()).expect("cloth").named(format!("{k}"));
            world = world.body(body.with_positions(mesh.positions.iter().map(|p| *p + at).collect()));
        }
        let sim = world.build().expect("a world");
        let (model, x) = (sim.model(), sim.positions());
        let places = Places::new(model, &(0..model.free().len() as u32).collect::<Vec<_>>());
        let at = |v: u32| x[places.vertices[v as usize] as usize];
        let rows: Vec<Quad> =
            (0..x.len() as u32).map(|v| [at(v).x as f32, at(v).y as f32, at(v).z as f32, 0.0]).collect();
        let anchors = device.array("anchors", &rows).expect("memory");
        let offsets = device.zeros("offsets", rows.len()).expect("memory");
        let layers = Layers::new(&device, model, &places, &SelfCollision::default(), 3600.0, [&anchors, &offsets])
            .expect("layers");
        let programs =
            [layers.begin(), layers.sort()].map(|list| device.program(list.expect("kernels")).expect("a program"));
        device.run(&[&programs[0], &programs[1]]).expect("a run");
        let order = device.read(&layers.buffers.order, layers.buffers.order.len()).expect("an order");
        let keys = device.read(&layers.sort.keys[0], order.len()).expect("keys");
        assert!(keys.is_sorted());
        let (triangles, low) = (layers.surfaces.triangles(), x.iter().fold(Vec3::INFINITY, |low, p| low.min(*p)));
        let size = x.iter().fold(Vec3::ZERO, |size, p| size.max(*p - low)).max_element();
        let mut others = 0;
        for (k, (&number, key)) in order.iter().zip(&keys).enumerate() {
            let (number, count) = if k < triangles { (number as usize, 3) } else { (triangles + number as usize, 2) };
            let corners = &layers.surfaces.elements[number][..count];
            let middle = corners.iter().map(|&v| at(v)).sum::<Vec3>() / count as f64;
            let cell = ((middle - low) * (127.0 / size)).to_array().map(|c| c as u32);
            let bit = |bit: u32| (0..3).map(|c| (cell[c as usize] >> bit & 1) << (3 * bit + c)).sum::<u32>();
            let expected = (0..7).map(bit).sum::<u32>() + if k < triangles { 0 } else { 1 << 21 };
            others += usize::from(expected != *key);
        }
        // Some lie between two cells.
        assert!(others < order.len() / 20, "{others} of {} codes differ", order.len());
        let mut numbers = [order[..triangles].to_vec(), order[triangles..].to_vec()];
        for own in &mut numbers {
            own.sort_unstable();
            assert!((0..).zip(own.iter()).all(|(k, number)| k == *number), "each once");
        }
    }
}
