//! Draws a frame.

use glam::{DVec2, Vec3};

use super::buffers::Growing;
use super::camera::Camera;
use super::geometry::{Geometry, Mesh};
use super::maps::Map;
use super::pipelines::{DEPTH, Pipelines};
use super::view::{Shown, View};
use crate::protocol::{Frame, Ground, Layout};

/// Samples along the side of the depth maps of the lamp and of the sky.
const LAMP_SAMPLES: u32 = 2048;
const SKY_SAMPLES: u32 = 512;
/// Of a world whose layout has not come yet.
const NO_GROUND: Ground = Ground { height: 0.0, color: [0xdf, 0xe2, 0xe6], spacing: 0.0 };

/// How much is spent on soft shadows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Effort {
    /// All that makes a picture better.
    #[default]
    Full,
    /// A third of it, for devices that are slow.
    Little,
}

impl Effort {
    /// What suits an adapter: little where the processor does the drawing.
    pub fn of(adapter: &wgpu::Adapter) -> Self {
        let info = adapter.get_info();
        let name = info.name.to_lowercase();
        let is_software = ["llvmpipe", "swiftshader", "softpipe"].iter().any(|software| name.contains(software));
        if is_software || info.device_type == wgpu::DeviceType::Cpu { Self::Little } else { Self::Full }
    }
}

/// Draws what a layout and a frame say, for any camera, into pictures of one format.
///
/// It draws into any render pass that has a colour target of that format and number of samples, and a depth buffer [`Renderer::DEPTH`], cleared to 0: depths are larger nearby.
/// [`Target`](super::Target) makes such pictures.
#[derive(Debug)]
pub struct Renderer {
    device: wgpu::Device,
    pipelines: Pipelines,
    geometry: Geometry,
    solid: MeshBuffers,
    planes: MeshBuffers,
    liquid: MeshBuffers,
    pieces: Growing,
    balls: Growing,
    lamp: DepthMap,
    sky: DepthMap,
    view: wgpu::Buffer,
    bindings: wgpu::BindGroup,
    is_srgb: bool,
    samples: u32,
    effort: Effort,
    /// The geometry is not on the GPU yet.
    is_new: bool,
    /// The depth maps that were drawn.
    maps: Option<[Map; 2]>,
    fits: bool,
}

impl Renderer {
    /// The format of the depth buffer that it draws with.
    pub const DEPTH: wgpu::TextureFormat = DEPTH;

    /// A renderer for targets of a format, with a number of samples for each pixel (1 or 4; see [`best_samples`]).
    pub fn new(device: &wgpu::Device, format: wgpu::TextureFormat, samples: u32) -> Self {
        let pipelines = Pipelines::new(device, format, samples.max(1));
        let lamp = DepthMap::new(device, &pipelines, "lamp", LAMP_SAMPLES);
        let sky = DepthMap::new(device, &pipelines, "sky", SKY_SAMPLES);
        let view = uniform(device, "picture");
        let bindings = bindings(device, &pipelines, &view, &lamp, &sky);
        Self {
            device: device.clone(),
            geometry: Geometry::default(),
            solid: MeshBuffers::new(),
            planes: MeshBuffers::new(),
            liquid: MeshBuffers::new(),
            pieces: Growing::new("strands", wgpu::BufferUsages::VERTEX),
            balls: Growing::new("balls", wgpu::BufferUsages::VERTEX),
            pipelines,
            lamp,
            sky,
            view,
            bindings,
            is_srgb: format.is_srgb(),
            samples: samples.max(1),
            effort: Effort::default(),
            is_new: true,
            maps: None,
            fits: true,
        }
    }

    /// Changes how much is spent on soft shadows.
    pub fn set_effort(&mut self, effort: Effort) {
        self.effort = effort;
    }

    /// Changes what there is to draw. Nothing is drawn but the ground until the first frame of the layout comes.
    pub fn set_layout(&mut self, layout: &Layout) {
        self.geometry.set_layout(layout);
        self.is_new = true;
    }

    /// Changes where everything is. A frame of another layout, or one that does not have as many vertices as the layout says, is ignored; returns whether it was taken.
    pub fn set_frame(&mut self, frame: &Frame) -> bool {
        let is_taken = self.geometry.set_frame(frame);
        self.is_new |= is_taken;
        is_taken
    }

    /// Whether everything fits into the memory that the device gives; what does not is not drawn.
    pub fn fits(&self) -> bool {
        self.fits
    }

    /// Sends to the GPU what has changed, and draws shadow maps. To be called before the render pass of a picture, whose size is in pixels.
    pub fn prepare(
        &mut self,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
        camera: &Camera,
        size: [u32; 2],
    ) {
        let layout = self.geometry.layout();
        let diagonal = layout.map_or(1.0, |layout| {
            let [low, high] = layout.bounds.map(|corner| Vec3::from(corner.map(|x| x as f32)));
            let diagonal = low.distance(high);
            if diagonal.is_finite() { diagonal.max(1e-3) } else { 1.0 }
        });
        let distance = camera.distance() as f32;
        let mut shown = Shown {
            ground: layout.map_or(NO_GROUND, |layout| layout.ground),
            scale: diagonal.clamp(0.1 * distance, distance),
            is_valued: self.geometry.is_valued,
            is_srgb: self.is_srgb,
            samples: self.samples,
            has_full_effort: self.effort == Effort::Full,
            maps: self.maps,
        };
        if std::mem::take(&mut self.is_new) {
            self.upload(queue);
            let boxes = self.geometry.bodies.zip(self.geometry.casters);
            self.maps = boxes.map(|(bodies, casters)| {
                let near = nearby(bodies, casters);
                let reach = 8.0 * diagonal;
                [Map::of_lamp(near, casters, reach, LAMP_SAMPLES), Map::of_sky(near, casters, reach, SKY_SAMPLES)]
            });
            shown.maps = self.maps;
            if let Some([lamp, sky]) = &self.maps {
                self.draw_map(queue, encoder, &self.lamp, lamp, &shown);
                self.draw_map(queue, encoder, &self.sky, sky, &shown);
            }
        }
        let size = DVec2::from(size.map(f64::from));
        queue.write_buffer(&self.view, 0, bytemuck::bytes_of(&View::of_camera(camera, size, &shown)));
    }

    fn upload(&mut self, queue: &wgpu::Queue) {
        let (device, geometry) = (&self.device, &mut self.geometry);
        let mut fits = self.solid.write(device, queue, &mut geometry.solid);
        fits &= self.planes.write(device, queue, &mut geometry.planes);
        fits &= self.liquid.write(device, queue, &mut geometry.liquid);
        fits &= self.pieces.write(device, queue, bytemuck::cast_slice(&geometry.pieces));
        fits &= self.balls.write(device, queue, bytemuck::cast_slice(&geometry.balls));
        self.fits = fits;
    }

    fn draw_map(
        &self,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
        into: &DepthMap,
        map: &Map,
        shown: &Shown,
    ) {
        queue.write_buffer(&into.view, 0, bytemuck::bytes_of(&View::of_map(map, shown)));
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("depth map"),
            color_attachments: &[],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &into.depths,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Store }),
                stencil_ops: None,
            }),
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        pass.set_bind_group(0, &into.bindings, &[]);
        let pipelines = &self.pipelines;
        self.solid.draw(&mut pass, &pipelines.surface_depth);
        self.liquid.draw(&mut pass, &pipelines.surface_depth);
        draw_instances(&mut pass, &pipelines.strand_depth, &self.pieces, self.geometry.pieces.len());
        draw_instances(&mut pass, &pipelines.ball_depth, &self.balls, self.geometry.balls.len());
    }

    /// Draws sky, ground and everything else.
    pub fn paint(&self, pass: &mut wgpu::RenderPass<'_>) {
        let pipelines = &self.pipelines;
        pass.set_bind_group(0, &self.bindings, &[]);
        pass.set_pipeline(&pipelines.sky);
        pass.draw(0..3, 0..1);
        self.solid.draw(pass, &pipelines.surface);
        self.liquid.draw(pass, &pipelines.surface);
        self.planes.draw(pass, &pipelines.plane);
        draw_instances(pass, &pipelines.strand, &self.pieces, self.geometry.pieces.len());
        draw_instances(pass, &pipelines.ball, &self.balls, self.geometry.balls.len());
        // Last, as most of it may be hidden.
        pass.set_pipeline(&pipelines.ground);
        pass.draw(0..4, 0..1);
    }
}

/// The most samples for each pixel, up to 4, that an adapter has for a format.
pub fn best_samples(adapter: &wgpu::Adapter, format: wgpu::TextureFormat) -> u32 {
    let has = |format: wgpu::TextureFormat, flag| adapter.get_texture_format_features(format).flags.contains(flag);
    let four = wgpu::TextureFormatFeatureFlags::MULTISAMPLE_X4;
    let resolve = wgpu::TextureFormatFeatureFlags::MULTISAMPLE_RESOLVE;
    if has(format, four | resolve) && has(DEPTH, four) { 4 } else { 1 }
}

/// The box in which shadows are sharp: that of the bodies, with colliders that are not much larger.
fn nearby(bodies: [Vec3; 2], casters: [Vec3; 2]) -> [Vec3; 2] {
    let room = 1.5 * bodies[0].distance(bodies[1]);
    [casters[0].max(bodies[0] - room), casters[1].min(bodies[1] + room)]
}

fn uniform(device: &wgpu::Device, label: &str) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: size_of::<View>() as u64,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

fn bindings(
    device: &wgpu::Device,
    pipelines: &Pipelines,
    view: &wgpu::Buffer,
    lamp: &DepthMap,
    sky: &DepthMap,
) -> wgpu::BindGroup {
    let compare = device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("shadow"),
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        compare: Some(wgpu::CompareFunction::LessEqual),
        ..wgpu::SamplerDescriptor::default()
    });
    let nearest = device
        .create_sampler(&wgpu::SamplerDescriptor { label: Some("nearest"), ..wgpu::SamplerDescriptor::default() });
    let entry = |binding, resource| wgpu::BindGroupEntry { binding, resource };
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("picture"),
        layout: &pipelines.paint_bindings,
        entries: &[
            entry(0, view.as_entire_binding()),
            entry(1, wgpu::BindingResource::TextureView(&lamp.depths)),
            entry(2, wgpu::BindingResource::Sampler(&compare)),
            entry(3, wgpu::BindingResource::TextureView(&lamp.depths)),
            entry(4, wgpu::BindingResource::TextureView(&sky.depths)),
            entry(5, wgpu::BindingResource::Sampler(&nearest)),
        ],
    })
}

#[derive(Debug)]
struct DepthMap {
    depths: wgpu::TextureView,
    view: wgpu::Buffer,
    bindings: wgpu::BindGroup,
}

impl DepthMap {
    fn new(device: &wgpu::Device, pipelines: &Pipelines, label: &str, samples: u32) -> Self {
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width: samples, height: samples, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: DEPTH,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let view = uniform(device, label);
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(label),
            layout: &pipelines.depth_bindings,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: view.as_entire_binding() }],
        });
        Self { depths: texture.create_view(&wgpu::TextureViewDescriptor::default()), view, bindings }
    }
}

#[derive(Debug)]
struct MeshBuffers {
    vertices: Growing,
    colors: Growing,
    triangles: Growing,
}

impl MeshBuffers {
    fn new() -> Self {
        Self {
            vertices: Growing::new("vertices", wgpu::BufferUsages::VERTEX),
            colors: Growing::new("colours", wgpu::BufferUsages::VERTEX),
            triangles: Growing::new("triangles", wgpu::BufferUsages::INDEX),
        }
    }

    /// Whether it fits.
    fn write(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, mesh: &mut Mesh) -> bool {
        let mut fits = self.vertices.write(device, queue, bytemuck::cast_slice(&mesh.vertices));
        if std::mem::take(&mut mesh.is_changed) {
            fits &= self.colors.write(device, queue, bytemuck::cast_slice(&mesh.colors));
            fits &= self.triangles.write(device, queue, bytemuck::cast_slice(&mesh.triangles));
        }
        fits
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
        let (Some(vertices), Some(colors), Some(triangles)) =
            (self.vertices.slice(), self.colors.slice(), self.triangles.slice())
        else {
            return;
        };
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(0, vertices);
        pass.set_vertex_buffer(1, colors);
        pass.set_index_buffer(triangles, wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..(self.triangles.length / 4) as u32, 0, 0..1);
    }
}

fn draw_instances(pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline, instances: &Growing, count: usize) {
    if let Some(slice) = instances.slice() {
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(0, slice);
        pass.draw(0..4, 0..count as u32);
    }
}
