//! Memory aligned to cache lines, on large pages where the system grants them.
//!
//! A factor is read from end to end in each sweep; with pages of 4 KiB the table of pages no longer fits the processor's
//! own cache of it and every page costs a walk.

use crate::math::lanes::Real;

const LINE: usize = 64;

/// Zeroed numbers aligned to cache lines.
pub(super) struct Buffer<S> {
    storage: Storage,
    /// First number, counted from the start of the storage \[bytes\].
    offset: usize,
    len: usize,
    number: std::marker::PhantomData<S>,
}

enum Storage {
    #[cfg(target_os = "linux")]
    Mapped(memmap2::MmapMut),
    Heap(Vec<u64>),
}

impl Storage {
    fn address(&self) -> usize {
        match self {
            #[cfg(target_os = "linux")]
            Self::Mapped(map) => map.as_ptr() as usize,
            Self::Heap(words) => words.as_ptr() as usize,
        }
    }
}

/// Large pages, on the processors that have them.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

impl<S: Real> Buffer<S> {
    /// `len` zeros.
    pub(super) fn zeroed(len: usize) -> Self {
        let bytes = len * size_of::<S>();
        #[cfg(target_os = "linux")]
        if bytes >= HUGE_PAGE / 2
            && let Ok(map) = memmap2::MmapMut::map_anon(bytes.next_multiple_of(HUGE_PAGE) + HUGE_PAGE)
        {
            // Advice may be refused, as where large pages are switched off; the memory is the same.
            let _ = map.advise(memmap2::Advice::HugePage);
            return Self::aligned(Storage::Mapped(map), len, HUGE_PAGE);
        }
        Self::aligned(Storage::Heap(vec![0; bytes.div_ceil(8) + LINE / 8]), len, LINE)
    }

    fn aligned(storage: Storage, len: usize, alignment: usize) -> Self {
        let address = storage.address();
        Self { offset: address.next_multiple_of(alignment) - address, storage, len, number: std::marker::PhantomData }
    }

    pub(super) fn asked_for_huge_pages(&self) -> bool {
        match self.storage {
            #[cfg(target_os = "linux")]
            Storage::Mapped(_) => true,
            Storage::Heap(_) => false,
        }
    }

    pub(super) fn as_slice(&self) -> &[S] {
        let first = (self.storage.address() + self.offset) as *const S;
        // SAFETY: `zeroed` made the storage longer than offset and `len` numbers; the offset aligns it to lines at
        // least, and it is zeros, which are numbers, or was written as numbers.
        unsafe { std::slice::from_raw_parts(first, self.len) }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [S] {
        let first = match &mut self.storage {
            #[cfg(target_os = "linux")]
            Storage::Mapped(map) => map.as_mut_ptr(),
            Storage::Heap(words) => words.as_mut_ptr().cast::<u8>(),
        };
        // SAFETY: as for `as_slice`; the storage is borrowed mutably as long as the slice.
        unsafe { std::slice::from_raw_parts_mut(first.add(self.offset).cast::<S>(), self.len) }
    }
}
