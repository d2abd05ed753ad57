//! Memory on the GPU that grows when it must.

/// A buffer that is written again and again.
#[derive(Debug)]
pub(crate) struct Growing {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: Option<wgpu::Buffer>,
    /// Bytes in use.
    pub(crate) length: u64,
}

impl Growing {
    pub(crate) fn new(label: &'static str, usage: wgpu::BufferUsages) -> Self {
        Self { label, usage: usage | wgpu::BufferUsages::COPY_DST, buffer: None, length: 0 }
    }

    /// Replaces what is in it. Returns whether the device can hold as much; otherwise it is empty.
    pub(crate) fn write(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, bytes: &[u8]) -> bool {
        self.length = bytes.len() as u64;
        if self.length == 0 {
            return true;
        }
        let most = device.limits().max_buffer_size;
        if self.length > most {
            self.length = 0;
            return false;
        }
        if self.buffer.as_ref().is_none_or(|buffer| buffer.size() < self.length) {
            // With room for a half more, so that a body that is cut does not ask for new memory each time.
            let size = (self.length + self.length / 2).next_multiple_of(256).min(most / 4 * 4).max(self.length);
            let descriptor =
                wgpu::BufferDescriptor { label: Some(self.label), size, usage: self.usage, mapped_at_creation: false };
            self.buffer = Some(device.create_buffer(&descriptor));
        }
        if let Some(buffer) = &self.buffer {
            queue.write_buffer(buffer, 0, bytes);
        }
        true
    }

    /// What is in use; none if it is empty.
    pub(crate) fn slice(&self) -> Option<wgpu::BufferSlice<'_>> {
        self.buffer.as_ref().filter(|_| self.length > 0).map(|buffer| buffer.slice(..self.length))
    }
}
