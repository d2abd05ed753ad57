//! Parallel loops with bit-identical results on any number of threads.
//!
//! Work is split at fixed places, halving a range until it is at most `GRAIN` items long, whatever the number of threads.
//! Every item writes to its own place, and sums add up along that fixed tree, so the result has the same bits on one
//! thread, on many and without the `parallel` feature.

mod colouring;
mod team;

use std::ops::Range;

pub(crate) use colouring::Colouring;
#[cfg(feature = "parallel")]
pub(crate) use team::cores;
pub(crate) use team::{Team, with_team, with_team_for};

/// Elements per leaf: large enough to hide the cost of a task, small enough to balance two bodies of unequal cost.
const GRAIN: usize = 256;

#[cfg(feature = "parallel")]
pub(crate) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    rayon::join(a, b)
}

#[cfg(not(feature = "parallel"))]
pub(crate) fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

/// Runs `work` on a thread of the process-wide pool. From any other thread each `join` inside would pass its task through a
/// lock and sleep until it is done, which on a small world takes longer than the task.
pub(crate) fn within_pool<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "parallel")]
    return rayon::scope(|_| work());
    #[cfg(not(feature = "parallel"))]
    work()
}

/// Sum over a range along a fixed binary tree; `leaf` sums a sub-range.
pub(crate) fn sum(range: Range<usize>, leaf: &(impl Fn(Range<usize>) -> f64 + Sync)) -> f64 {
    if range.len() <= GRAIN {
        return leaf(range);
    }
    let middle = range.start + range.len() / 2;
    let (left, right) = join(|| sum(range.start..middle, leaf), || sum(middle..range.end, leaf));
    left + right
}

/// Mutable outputs that can be divided at an item boundary, to go along with a divided range.
pub(crate) trait Split: Send + Sized {
    /// Divides after the first `count` items.
    fn split(self, count: usize) -> (Self, Self);
}

/// `stride` consecutive entries for each item.
pub(crate) struct Strided<'a, T> {
    pub(crate) entries: &'a mut [T],
    pub(crate) stride: usize,
}

impl<T: Send> Split for Strided<'_, T> {
    fn split(self, count: usize) -> (Self, Self) {
        let (left, right) = self.entries.split_at_mut(count * self.stride);
        (Self { entries: left, stride: self.stride }, Self { entries: right, stride: self.stride })
    }
}

/// A number of entries that differs from item to item: item i owns `offsets[i]..offsets[i + 1]`, shifted by `offsets[0]`.
pub(crate) struct ByOffsets<'a, T> {
    pub(crate) entries: &'a mut [T],
    pub(crate) offsets: &'a [u32],
}

impl<T: Send> Split for ByOffsets<'_, T> {
    fn split(self, count: usize) -> (Self, Self) {
        let at = (self.offsets[count] - self.offsets[0]) as usize;
        let (left, right) = self.entries.split_at_mut(at);
        (
            Self { entries: left, offsets: &self.offsets[..=count] },
            Self { entries: right, offsets: &self.offsets[count..] },
        )
    }
}

/// Nothing, for work that finds its outputs by itself.
impl Split for () {
    fn split(self, _: usize) -> ((), ()) {
        ((), ())
    }
}

impl<A: Split, B: Split> Split for (A, B) {
    fn split(self, count: usize) -> (Self, Self) {
        let (a, c) = self.0.split(count);
        let (b, d) = self.1.split(count);
        ((a, b), (c, d))
    }
}

/// Calls `work` on sub-ranges that cover `range`, each with its own part of `outputs`.
pub(crate) fn for_each<S: Split>(range: Range<usize>, outputs: S, work: &(impl Fn(Range<usize>, S) + Sync)) {
    for_each_of(GRAIN, range, outputs, work);
}

/// As `for_each`, for items that cost so much that so many are a leaf.
pub(crate) fn for_each_of<S: Split>(
    grain: usize,
    range: Range<usize>,
    outputs: S,
    work: &(impl Fn(Range<usize>, S) + Sync),
) {
    if range.len() <= grain {
        return work(range, outputs);
    }
    let half = range.len() / 2;
    let middle = range.start + half;
    let (left, right) = outputs.split(half);
    join(|| for_each_of(grain, range.start..middle, left, work), || for_each_of(grain, middle..range.end, right, work));
}

/// Numbers that a thread copies at a time.
const COPIED: usize = 1 << 14;

/// Copies numbers.
pub(crate) fn copy(from: &[f64], to: &mut [f64]) {
    let to = Strided { entries: to, stride: 1 };
    for_each_of(COPIED, 0..from.len(), to, &|range, to: Strided<'_, f64>| to.entries.copy_from_slice(&from[range]));
}

/// A pointer that threads share, each with places of its own.
pub(crate) struct Shared<T>(pub(crate) *mut T);

// SAFETY: whoever dereferences it says why the places differ.
#[allow(unsafe_code)]
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub(crate) fn get(&self) -> *mut T {
        self.0
    }
}

/// Sorts items of which no two are equal.
pub(crate) fn sort<T: Ord + Send>(items: &mut [T]) {
    #[cfg(feature = "parallel")]
    rayon::slice::ParallelSliceMut::par_sort_unstable(items);
    #[cfg(not(feature = "parallel"))]
    items.sort_unstable();
}

/// Items that a thread takes at a time.
const CHUNK: usize = 256;

/// What `work` gives for each of `count` items, in their order.
pub(crate) fn filter_map<T: Send + Clone>(count: usize, work: &(impl Fn(usize) -> Option<T> + Sync)) -> Vec<T> {
    let parts = map((0..count.div_ceil(CHUNK)).collect(), &|part: usize| {
        (part * CHUNK..count.min((part + 1) * CHUNK)).filter_map(work).collect::<Vec<T>>()
    });
    parts.concat()
}

/// `work` on each item, results in their order.
pub(crate) fn map<T: Send, R: Send>(items: Vec<T>, work: &(impl Fn(T) -> R + Sync)) -> Vec<R> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        items.into_par_iter().map(work).collect()
    }
    #[cfg(not(feature = "parallel"))]
    items.into_iter().map(work).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "parallel")]
    #[test]
    fn work_within_the_pool_is_on_one_of_its_threads() {
        assert_eq!(rayon::current_thread_index(), None);
        assert!(within_pool(|| rayon::current_thread_index().is_some()));
    }

    #[test]
    fn sum_has_the_same_bits_whatever_the_threads() {
        let leaf = |r: Range<usize>| r.map(|i| (i as f64).sqrt().sin()).sum::<f64>();
        let reference = sum(0..10_000, &leaf);
        #[cfg(feature = "parallel")]
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            assert_eq!(pool.install(|| sum(0..10_000, &leaf)).to_bits(), reference.to_bits());
        }
        assert!((reference - (0..10_000).map(|i| (i as f64).sqrt().sin()).sum::<f64>()).abs() < 1e-10);
    }

    #[test]
    fn each_item_writes_to_its_own_entries() {
        let offsets: Vec<u32> = (0..=1000).map(|i| i * (i + 1) / 2).collect();
        let mut entries = vec![0usize; offsets[1000] as usize];
        for_each(0..1000, ByOffsets { entries: &mut entries, offsets: &offsets }, &|range, part| {
            let base = part.offsets[0];
            for (k, item) in range.enumerate() {
                let own = (part.offsets[k] - base) as usize..(part.offsets[k + 1] - base) as usize;
                part.entries[own].fill(item);
            }
        });
        for item in 0..1000 {
            assert!(entries[offsets[item] as usize..offsets[item + 1] as usize].iter().all(|&e| e == item));
        }
    }
}
