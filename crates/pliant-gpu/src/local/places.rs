//! Which vertex is where on the device, and lists of what is around each of them.

use bytemuck::{Pod, Zeroable};
use pliant::Model;

/// Vertices whose lists lie together; see `gather.wgsl`.
pub(crate) const SLICE: usize = 64;

/// Places of vertices: free ones as they are eliminated, then the others.
#[derive(Debug)]
pub(crate) struct Places {
    /// Vertex at each place.
    pub(crate) vertices: Vec<u32>,
    /// Place of each vertex.
    pub(crate) places: Vec<u32>,
    /// Number of free vertices.
    pub(crate) free: usize,
}

impl Places {
    /// `order` is that in which unknowns are eliminated.
    pub(crate) fn new(model: &Model, order: &[u32]) -> Self {
        let mut vertices: Vec<u32> = order.iter().map(|&unknown| model.free()[unknown as usize]).collect();
        let (free, count) = (vertices.len(), model.rest().len());
        vertices.extend((0..count as u32).filter(|&v| model.free_index(v).is_none()));
        let mut places = vec![0; count];
        (0..).zip(&vertices).for_each(|(place, &v)| places[v as usize] = place);
        Self { vertices, places, free }
    }

    pub(crate) fn of(&self, vertex: u32) -> u32 {
        self.places[vertex as usize]
    }

    /// Slices of free vertices.
    pub(crate) fn slices(&self) -> usize {
        self.free.div_ceil(SLICE)
    }
}

/// Where the lists of a slice are; see `gather.wgsl`.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SliceRecord {
    pub(crate) springs: [u32; 2],
    pub(crate) rows: [u32; 2],
    pub(crate) slots: [u32; 2],
    pub(crate) unused: [u32; 2],
}

/// Entries of all free vertices, slice by slice: the first entry and the number of entries of each slice, and the entries.
pub(crate) fn sliced<T: Copy>(
    places: &Places,
    lists: &[Vec<T>],
    filler: impl Fn(usize) -> T,
) -> (Vec<[u32; 2]>, Vec<T>) {
    let (mut slices, mut entries) = (Vec::with_capacity(places.slices()), Vec::new());
    for (slice, lists) in lists[..places.free].chunks(SLICE).enumerate() {
        let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
        slices.push([entries.len() as u32, longest as u32]);
        for k in 0..longest {
            let entry = |lane: usize| lists.get(lane).and_then(|list| list.get(k)).copied();
            entries.extend((0..SLICE).map(|lane| entry(lane).unwrap_or_else(|| filler(slice * SLICE + lane))));
        }
    }
    (slices, entries)
}

/// Slots for the forces of elements on their corners: those of a vertex lie in its slice.
#[derive(Debug)]
pub(crate) struct Slots {
    used: Vec<u32>,
    free: usize,
}

impl Slots {
    pub(crate) fn new(places: &Places) -> Self {
        Self { used: vec![0; places.free], free: places.free }
    }

    /// The next slot of the vertex at a place, to be resolved when all are known.
    pub(crate) fn take(&mut self, place: u32) -> (u32, u32) {
        if place as usize >= self.free {
            return (place, 0);
        }
        let used = &mut self.used[place as usize];
        *used += 1;
        (place, *used - 1)
    }

    /// First slot and number of slots of each slice.
    pub(crate) fn finish(&self) -> Resolved {
        let (mut slices, mut next) = (Vec::new(), 0);
        for used in self.used.chunks(SLICE) {
            let longest = used.iter().copied().max().unwrap_or(0);
            slices.push([next, longest]);
            next += longest * SLICE as u32;
        }
        Resolved { slices, free: self.free, count: next as usize + 1 }
    }
}

/// Slots when all are known.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) slices: Vec<[u32; 2]>,
    free: usize,
    /// Number of slots, with one at the end for forces on what is held.
    pub(crate) count: usize,
}

impl Resolved {
    pub(crate) fn slot(&self, (place, number): (u32, u32)) -> u32 {
        if place as usize >= self.free {
            return self.count as u32 - 1;
        }
        let (slice, lane) = (place as usize / SLICE, place % SLICE as u32);
        self.slices[slice][0] + number * SLICE as u32 + lane
    }
}
