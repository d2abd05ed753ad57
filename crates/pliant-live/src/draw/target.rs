//! Pictures to draw into, and their pixels.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

use super::camera::Camera;
use super::renderer::Renderer;

/// The format of pictures: sRGB that is written as it is, which all devices have and windows want.
pub const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// A picture on the GPU, with what drawing it takes.
#[derive(Debug)]
pub struct Target {
    size: [u32; 2],
    texture: wgpu::Texture,
    color: wgpu::TextureView,
    /// With several samples for each pixel, if that is wanted.
    samples: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
}

impl Target {
    /// A picture of a width and a height in pixels, at least 1 and at most what the device can do.
    pub fn new(device: &wgpu::Device, size: [u32; 2], samples: u32) -> Self {
        let size = size.map(|side| side.clamp(1, device.limits().max_texture_dimension_2d));
        let make = |label, format, sample_count, usage| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats: &[],
            })
        };
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let read = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_SRC;
        let view = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let texture = make("picture", FORMAT, 1, drawn | read);
        let several = (samples > 1).then(|| make("samples", FORMAT, samples, drawn));
        let depth = make("depths", Renderer::DEPTH, samples.max(1), drawn);
        Self { size, color: view(&texture), samples: several.as_ref().map(view), depth: view(&depth), texture }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The picture, to show it.
    pub fn view(&self) -> &wgpu::TextureView {
        &self.color
    }

    /// Draws the picture: its shadows, and then all that is seen.
    pub fn draw(
        &self,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
        renderer: &mut Renderer,
        camera: &Camera,
    ) {
        renderer.prepare(queue, encoder, camera, self.size);
        let (view, resolve_target, store) = match &self.samples {
            Some(samples) => (samples, Some(&self.color), wgpu::StoreOp::Discard),
            None => (&self.color, None, wgpu::StoreOp::Store),
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::WHITE), store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Discard }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        renderer.paint(&mut pass);
    }

    /// Asks for the pixels of the picture as it is when the encoder's commands are done; they come some time later. Call [`Reading::begin`] once the commands are submitted.
    pub fn read(&self, device: &wgpu::Device, encoder: &mut wgpu::CommandEncoder) -> Reading {
        let [width, height] = self.size;
        let stride = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("pixels"),
            size: u64::from(stride) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        encoder.copy_texture_to_buffer(
            self.texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(stride),
                    rows_per_image: Some(height),
                },
            },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        Reading { size: self.size, stride, buffer, answer: None }
    }
}

/// Pixels on their way from the GPU.
#[derive(Debug)]
pub struct Reading {
    size: [u32; 2],
    stride: u32,
    buffer: wgpu::Buffer,
    answer: Option<Receiver<bool>>,
}

/// What has become of a [`Reading`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pixels {
    /// They are on their way.
    Waiting,
    /// The device has failed.
    Lost,
    /// Red, green, blue and 255 of each pixel, in rows from the top.
    Here {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Four bytes for each pixel.
        rgba: Vec<u8>,
    },
}

impl Reading {
    /// Begins, after the commands were submitted. `done` is called when the pixels are there.
    pub fn begin(&mut self, done: impl FnOnce() + wgpu::WasmNotSend + 'static) {
        let (sender, receiver) = channel();
        self.answer = Some(receiver);
        self.buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            // Nobody listens any more if the view was closed.
            let _ = sender.send(result.is_ok());
            done();
        });
    }

    /// The pixels, if they are there. On a native system the device must be polled for that.
    pub fn take(&self) -> Pixels {
        match self.answer.as_ref().map(Receiver::try_recv) {
            Some(Ok(true)) => {}
            None | Some(Err(TryRecvError::Empty)) => return Pixels::Waiting,
            Some(Ok(false) | Err(TryRecvError::Disconnected)) => return Pixels::Lost,
        }
        let [width, height] = self.size;
        let mut rgba = Vec::with_capacity(4 * width as usize * height as usize);
        {
            let Ok(bytes) = self.buffer.get_mapped_range(..) else { return Pixels::Lost };
            for row in bytes.chunks(self.stride as usize) {
                rgba.extend_from_slice(&row[..4 * width as usize]);
            }
        }
        self.buffer.unmap();
        Pixels::Here { width, height, rgba }
    }
}
