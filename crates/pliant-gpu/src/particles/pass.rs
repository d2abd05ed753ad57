//! One kind of elements on a device, and the dispatches of a visit of all of them.

use std::cell::RefCell;
use std::collections::HashMap;

use super::laws::{Elements, Law};
use super::merge::Group;
use super::schedule::{Blocks, Levels, NONE, Order, THREADS};
use crate::device::{Access, Bound, Device, Dispatch, Kernel, Storage};
use crate::error::GpuError;

/// Vertices of a block are rounded up to this many, so that bodies that are alike share a kernel.
const POINTS: usize = 64;

/// Kernels by their text: bodies of one kind have the same.
#[derive(Debug)]
pub(super) struct Kernels<'a> {
    device: &'a Device,
    known: RefCell<HashMap<String, Kernel>>,
}

impl<'a> Kernels<'a> {
    pub(super) fn new(device: &'a Device) -> Self {
        Self { device, known: RefCell::default() }
    }

    pub(super) fn get(&self, text: String, entry: &str, access: &[Access]) -> Result<Kernel, GpuError> {
        let mut known = self.known.borrow_mut();
        if let Some(kernel) = known.get(&text) {
            return Ok(kernel.clone());
        }
        let kernel = self.device.kernel(&text, entry, access)?;
        known.insert(text, kernel.clone());
        Ok(kernel)
    }
}

/// One kind of elements on a device.
#[derive(Debug)]
pub(super) struct Pass {
    /// One after the other; the parameters of each but for the iteration.
    dispatches: Vec<Dispatch>,
    kind: Frame,
    /// Which parameters the dispatches have.
    parts: Vec<[u32; 2]>,
}

/// How elements are spread over threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Blocks,
    Levels,
}

impl Pass {
    /// Brings elements to the device.
    pub(super) fn new(
        kernels: &Kernels<'_>,
        group: &Group,
        moves: &dyn Fn(u32) -> bool,
        points: &Storage<[f32; 4]>,
    ) -> Result<Self, GpuError> {
        let Group { elements, phases } = group;
        let order = Order { corners: &elements.corners, per_element: elements.law.corners, phases, moves };
        match order.in_blocks() {
            Some(blocks) => Self::in_blocks(kernels, group, &blocks, points),
            None => Self::in_levels(kernels, elements, &order.in_levels(), points),
        }
    }

    fn in_blocks(
        kernels: &Kernels<'_>,
        Group { elements, phases }: &Group,
        blocks: &Blocks,
        points: &Storage<[f32; 4]>,
    ) -> Result<Self, GpuError> {
        let (device, law) = (kernels.device, &elements.law);
        let packed = law.corners.div_ceil(2);
        let count = packed + law.numbers;
        let mut words = vec![NONE; blocks.rounds.len() * count];
        for (place, &element) in blocks.rounds.iter().enumerate().filter(|(_, e)| **e != NONE) {
            // Each word of a round for all threads side by side.
            let (first, thread) = (place / THREADS * count * THREADS, place % THREADS);
            let corners = &blocks.corners[place * law.corners..(place + 1) * law.corners];
            for (k, pair) in corners.chunks(2).enumerate() {
                let high = pair.get(1).map_or(0, |&corner| u32::from(corner) << 16);
                words[first + k * THREADS + thread] = u32::from(pair[0]) | high;
            }
            for (k, number) in law.own(&elements.numbers, element).iter().enumerate() {
                words[first + (packed + k) * THREADS + thread] = number.to_bits();
            }
        }
        let rounds = blocks.rounds.len() / THREADS;
        let memory: Vec<f32> = (0..rounds).flat_map(|_| law.memory(THREADS)).collect();
        let words = device.array("elements in blocks", &words)?;
        let memory = device.array("multipliers", &memory)?;
        let records = device.array("blocks", &blocks.records)?;
        let vertices = device.array("vertices of blocks", &blocks.vertices)?;
        let room = blocks.points.next_multiple_of(POINTS);
        let text = format!("const POINTS = {room}u;\n{}", head(law, packed));
        let text = [&text, include_str!("blocks.wgsl"), &law.text].join("\n");
        use Access::{Read, Write};
        let kernel = kernels.get(text, "visit_blocks", &[Write, Read, Write, Read, Read])?;
        let buffers: [&dyn Bound; 5] = [points, &words, &memory, &records, &vertices];
        let mut first = 0;
        let part = |phase: &Vec<_>| {
            first += phase.len() as u32;
            [first - phase.len() as u32, phase.len() as u32]
        };
        let parts: Vec<[u32; 2]> = phases.iter().map(part).collect();
        let dispatches = phases.iter().map(|phase| device.dispatch(&kernel, &buffers, [0; 4], phase.len()));
        Ok(Self { dispatches: dispatches.collect(), kind: Frame::Blocks, parts })
    }

    fn in_levels(
        kernels: &Kernels<'_>,
        elements: &Elements,
        levels: &Levels,
        points: &Storage<[f32; 4]>,
    ) -> Result<Self, GpuError> {
        let (device, law) = (kernels.device, &elements.law);
        let (total, count) = (levels.elements.len(), law.corners + law.numbers);
        let mut words = vec![0; total * count];
        for (place, &element) in levels.elements.iter().enumerate() {
            let corners = &elements.corners[element as usize * law.corners..][..law.corners];
            let numbers = law.own(&elements.numbers, element).iter().map(|number| number.to_bits());
            for (k, word) in corners.iter().copied().chain(numbers).enumerate() {
                words[k * total + place] = word;
            }
        }
        let words = device.array("elements in levels", &words)?;
        let memory = device.array("multipliers", &law.memory(total))?;
        let text = format!("const TOTAL = {total}u;\n{}", head(law, law.corners));
        let text = [&text, include_str!("levels.wgsl"), &law.text].join("\n");
        use Access::{Read, Write};
        let kernel = kernels.get(text, "visit_level", &[Write, Read, Write])?;
        let buffers: [&dyn Bound; 3] = [points, &words, &memory];
        let parts: Vec<[u32; 2]> =
            levels.starts.windows(2).map(|ends| [ends[0] as u32, (ends[1] - ends[0]) as u32]).collect();
        let of_level =
            |part: &[u32; 2]| device.dispatch(&kernel, &buffers, [0; 4], (part[1] as usize).div_ceil(THREADS));
        let dispatches = parts.iter().map(of_level).collect();
        Ok(Self { dispatches, kind: Frame::Levels, parts })
    }

    /// A visit of all elements.
    pub(super) fn visit(&self, is_first: bool, is_backwards: bool) -> Vec<Dispatch> {
        let [first, backwards] = [is_first, is_backwards].map(u32::from);
        let all = self.dispatches.iter().zip(&self.parts).map(|(dispatch, &[start, count])| {
            dispatch.with_parameters(match self.kind {
                Frame::Blocks => [start, first, backwards, 0],
                Frame::Levels => [start, count, first, 0],
            })
        });
        if is_backwards { all.rev().collect() } else { all.collect() }
    }
}

impl Law {
    /// Numbers of an element.
    fn own<'a>(&self, numbers: &'a [f32], element: u32) -> &'a [f32] {
        &numbers[element as usize * self.numbers..(element as usize + 1) * self.numbers]
    }

    /// What so many elements remember at first, side by side.
    fn memory(&self, count: usize) -> Vec<f32> {
        if !self.has_memory {
            return Vec::new();
        }
        let mut all = vec![0.0; self.multipliers * count];
        self.kept.iter().for_each(|&kept| all.resize(all.len() + count, kept));
        all
    }
}

/// Constants of both frames.
fn head(law: &Law, packed: usize) -> String {
    let (corners, numbers, multipliers) = (law.corners, law.numbers, law.multipliers);
    let (words, memory, has_memory) = (packed + numbers, multipliers + law.kept.len(), law.has_memory);
    let mut text = format!("const HAS_MEMORY = {has_memory};\n");
    for (name, value) in [
        ("THREADS", THREADS),
        ("NONE", NONE as usize),
        ("CORNERS", corners),
        ("PACKED", packed),
        ("NUMBERS", numbers),
        ("WORDS", words),
        ("MULTIPLIERS", multipliers),
        ("MEMORY", memory),
    ] {
        text += &format!("const {name} = {value}u;\n");
    }
    text
}
