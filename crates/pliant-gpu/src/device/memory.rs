//! Memory of a device: making it, filling it, reading it back.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use bytemuck::Pod;

use super::{Device, note};
use crate::error::GpuError;

/// Bytes that are handed to the driver at a time: it keeps a copy of what is on its way.
const UPLOAD: usize = 32 << 20;

/// An array on the device.
#[derive(Debug, Clone)]
pub struct Storage<T> {
    pub(super) buffer: wgpu::Buffer,
    len: usize,
    kind: PhantomData<T>,
}

impl<T> Storage<T> {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Size of the entries \[bytes\].
    pub fn bytes(&self) -> u64 {
        (self.len * size_of::<T>()) as u64
    }
}

impl Device {
    /// An array of so many entries, all zero.
    pub fn zeros<T: Pod>(&self, what: &str, len: usize) -> Result<Storage<T>, GpuError> {
        // Kernels cannot see nothing, and the driver copies in units of four bytes.
        let bytes = ((len * size_of::<T>()) as u64).max(16).next_multiple_of(16);
        let (adapter, limit) = (&self.adapter().name, self.adapter().buffer_size.min(self.adapter().binding_size));
        if bytes > limit {
            return Err(GpuError::TooLarge { what: what.to_owned(), bytes, limit, adapter: adapter.clone() });
        }
        self.check()?;
        let full = self.0.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = self.0.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(what),
            size: bytes,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::UNIFORM
                | wgpu::BufferUsages::COPY_DST
                | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        if pollster::block_on(full.pop()).is_some() {
            return Err(GpuError::OutOfMemory { what: what.to_owned(), bytes, adapter: adapter.clone() });
        }
        Ok(Storage { buffer, len, kind: PhantomData })
    }

    /// An array with these entries.
    pub fn array<T: Pod>(&self, what: &str, entries: &[T]) -> Result<Storage<T>, GpuError> {
        let storage = self.zeros(what, entries.len())?;
        self.write(&storage, 0, entries)?;
        Ok(storage)
    }

    /// Overwrites entries from one on.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn write<T: Pod>(&self, to: &Storage<T>, first: usize, entries: &[T]) -> Result<(), GpuError> {
        assert!(first + entries.len() <= to.len, "entries within the array");
        let start = (first * size_of::<T>()) as u64;
        for (k, part) in bytemuck::cast_slice::<T, u8>(entries).chunks(UPLOAD).enumerate() {
            self.0.queue.write_buffer(&to.buffer, start + (k * UPLOAD) as u64, part);
            if part.len() == UPLOAD {
                self.0.queue.submit([]);
                self.wait()?;
            }
        }
        self.check()
    }

    /// Reads the first entries back, and waits for them.
    pub fn read<T: Pod>(&self, from: &Storage<T>, len: usize) -> Result<Vec<T>, GpuError> {
        self.request(from, len)?.wait()
    }

    /// Asks for the first entries as they are after everything that was asked for so far.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn request<T: Pod>(&self, from: &Storage<T>, len: usize) -> Result<Pending<T>, GpuError> {
        assert!(len <= from.len, "entries within the array");
        self.check()?;
        let bytes = ((len * size_of::<T>()) as u64).next_multiple_of(4);
        let buffer = self.0.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("results"),
            size: bytes.max(4),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.0.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&from.buffer, 0, &buffer, 0, bytes);
        let copied = self.0.queue.submit([encoder.finish()]);
        let state = Arc::new(Mutex::new(State::Busy));
        let arrived = state.clone();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            let next = if let Err(error) = result { State::Failed(error.to_string()) } else { State::Ready };
            *arrived.lock().unwrap_or_else(PoisonError::into_inner) = next;
        });
        Ok(Pending { device: self.clone(), buffer, len, copied, state, kind: PhantomData })
    }
}

#[derive(Debug)]
enum State {
    Busy,
    Ready,
    Failed(String),
}

/// Entries on their way back from the device.
#[derive(Debug)]
pub struct Pending<T> {
    device: Device,
    buffer: wgpu::Buffer,
    len: usize,
    /// When they have been copied.
    copied: wgpu::SubmissionIndex,
    state: Arc<Mutex<State>>,
    kind: PhantomData<T>,
}

impl<T: Pod> Pending<T> {
    /// Whether they have arrived, or never will: [`wait`](Self::wait) does not wait then.
    pub fn is_ready(&self) -> bool {
        let _ = self.device.0.device.poll(wgpu::PollType::Poll);
        !matches!(*self.state.lock().unwrap_or_else(PoisonError::into_inner), State::Busy)
    }

    /// Waits for them, but not for what was asked for later.
    pub fn wait(self) -> Result<Vec<T>, GpuError> {
        self.device.wait_for(Some(self.copied.clone()))?;
        if let State::Failed(reason) = &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            let adapter = self.device.adapter().name.clone();
            note(&self.device.0.trouble, GpuError::Lost { adapter, reason: reason.clone() });
        }
        self.device.check()?;
        let refused = |error: wgpu::MapRangeError| GpuError::Refused {
            adapter: self.device.adapter().name.clone(),
            reason: error.to_string(),
        };
        let view = self.buffer.get_mapped_range(..).map_err(refused)?;
        Ok(bytemuck::pod_collect_to_vec(&view[..self.len * size_of::<T>()]))
    }
}
