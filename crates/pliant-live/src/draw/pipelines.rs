//! How each kind of thing is drawn: shaders, what they read, how depths are compared.

use std::mem::size_of;

use super::geometry::{Ball, Colors, Piece, Vertex};

pub(crate) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

const COMMON: &str = include_str!("shaders/common.wgsl");
const LIGHT: &str = include_str!("shaders/light.wgsl");
const SURFACE: &str = include_str!("shaders/surface.wgsl");
const STRAND: &str = include_str!("shaders/strand.wgsl");
const BALL: &str = include_str!("shaders/ball.wgsl");
const GROUND: &str = include_str!("shaders/ground.wgsl");

/// Everything that draws with one set of bindings.
#[derive(Debug)]
pub(crate) struct Pipelines {
    pub(crate) sky: wgpu::RenderPipeline,
    pub(crate) ground: wgpu::RenderPipeline,
    pub(crate) surface: wgpu::RenderPipeline,
    /// From the front only.
    pub(crate) plane: wgpu::RenderPipeline,
    pub(crate) strand: wgpu::RenderPipeline,
    pub(crate) ball: wgpu::RenderPipeline,
    pub(crate) surface_depth: wgpu::RenderPipeline,
    pub(crate) strand_depth: wgpu::RenderPipeline,
    pub(crate) ball_depth: wgpu::RenderPipeline,
    /// The bindings of pictures, and of depth maps.
    pub(crate) paint_bindings: wgpu::BindGroupLayout,
    pub(crate) depth_bindings: wgpu::BindGroupLayout,
}

impl Pipelines {
    pub(crate) fn new(device: &wgpu::Device, format: wgpu::TextureFormat, samples: u32) -> Self {
        let paint_bindings = paint_bindings(device);
        let depth_bindings = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("depth map"),
            entries: &[uniform()],
        });
        let maker = Maker {
            device,
            format,
            samples,
            paint: layout(device, "picture", &paint_bindings),
            depth: layout(device, "depth map", &depth_bindings),
        };
        let surface = maker.modules("surface", SURFACE);
        let strand = maker.modules("strand", STRAND);
        let ball = maker.modules("ball", BALL);
        let ground = maker.modules("ground", GROUND);
        let vertices = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32];
        let colors = wgpu::vertex_attr_array![3 => Unorm8x4, 4 => Unorm8x4];
        let surfaces = [
            buffer(size_of::<Vertex>(), wgpu::VertexStepMode::Vertex, &vertices),
            buffer(size_of::<Colors>(), wgpu::VertexStepMode::Vertex, &colors),
        ];
        let pieces = wgpu::vertex_attr_array![
            0 => Float32x3, 1 => Float32x3, 2 => Float32, 3 => Float32x2, 4 => Unorm8x4
        ];
        let pieces = [buffer(size_of::<Piece>(), wgpu::VertexStepMode::Instance, &pieces)];
        let balls = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32, 2 => Float32, 3 => Unorm8x4];
        let balls = [buffer(size_of::<Ball>(), wgpu::VertexStepMode::Instance, &balls)];
        let plain = Kind::default();
        let rectangle = Kind { is_strip: true, ..plain };
        let round = Kind { has_soft_edge: true, ..rectangle };
        Self {
            sky: maker.paint(&ground.paint, "_sky", &[], Kind { is_behind_all: true, ..plain }),
            ground: maker.paint(&ground.paint, "_ground", &[], Kind { is_pushed_back: true, ..rectangle }),
            surface: maker.paint(&surface.paint, "", &surfaces, plain),
            plane: maker.paint(&surface.paint, "", &surfaces, Kind { is_one_sided: true, ..plain }),
            strand: maker.paint(&strand.paint, "", &pieces, round),
            ball: maker.paint(&ball.paint, "", &balls, round),
            surface_depth: maker.depth(&surface.depth, None, &surfaces, plain),
            strand_depth: maker.depth(&strand.depth, Some("fragment_depth"), &pieces, rectangle),
            ball_depth: maker.depth(&ball.depth, Some("fragment_depth"), &balls, rectangle),
            paint_bindings,
            depth_bindings,
        }
    }
}

fn uniform() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: 0,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

fn paint_bindings(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry =
        |binding, ty| wgpu::BindGroupLayoutEntry { binding, visibility: wgpu::ShaderStages::FRAGMENT, ty, count: None };
    let texture = |sample_type| wgpu::BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let numbers = texture(wgpu::TextureSampleType::Float { filterable: false });
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("picture"),
        entries: &[
            uniform(),
            entry(1, texture(wgpu::TextureSampleType::Depth)),
            entry(2, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison)),
            entry(3, numbers),
            entry(4, numbers),
            entry(5, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::NonFiltering)),
        ],
    })
}

fn layout(device: &wgpu::Device, label: &str, bindings: &wgpu::BindGroupLayout) -> wgpu::PipelineLayout {
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(label),
        bind_group_layouts: &[Some(bindings)],
        immediate_size: 0,
    })
}

fn buffer(
    stride: usize,
    step_mode: wgpu::VertexStepMode,
    attributes: &[wgpu::VertexAttribute],
) -> Option<wgpu::VertexBufferLayout<'_>> {
    Some(wgpu::VertexBufferLayout { array_stride: stride as u64, step_mode, attributes })
}

#[derive(Debug, Clone, Copy, Default)]
struct Kind {
    is_strip: bool,
    is_behind_all: bool,
    is_pushed_back: bool,
    is_one_sided: bool,
    has_soft_edge: bool,
}

struct Modules {
    paint: wgpu::ShaderModule,
    depth: wgpu::ShaderModule,
}

struct Maker<'a> {
    device: &'a wgpu::Device,
    format: wgpu::TextureFormat,
    samples: u32,
    paint: wgpu::PipelineLayout,
    depth: wgpu::PipelineLayout,
}

impl Maker<'_> {
    /// The shader with light, and the part of it that makes depth maps, which cannot read them.
    fn modules(&self, label: &str, own: &str) -> Modules {
        let make = |text: String| {
            self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(label),
                source: wgpu::ShaderSource::Wgsl(text.into()),
            })
        };
        let depth = own.split("// PAINT").next().unwrap_or_default();
        let depth = if depth.len() == own.len() { "" } else { depth };
        Modules { paint: make(format!("{COMMON}{LIGHT}{own}")), depth: make(format!("{COMMON}{depth}")) }
    }

    fn paint(
        &self,
        module: &wgpu::ShaderModule,
        suffix: &str,
        buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
        kind: Kind,
    ) -> wgpu::RenderPipeline {
        let (vertex, fragment) = (format!("vertex{suffix}"), format!("fragment{suffix}"));
        let target = wgpu::ColorTargetState {
            format: self.format,
            blend: None,
            // What is in the fourth channel says which samples are covered; the picture itself is opaque.
            write_mask: wgpu::ColorWrites::COLOR,
        };
        let fragment = wgpu::FragmentState {
            module,
            entry_point: Some(&fragment),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(target)],
        };
        let compare = if kind.is_behind_all { wgpu::CompareFunction::Always } else { wgpu::CompareFunction::Greater };
        let multisample = wgpu::MultisampleState {
            count: self.samples,
            mask: !0,
            alpha_to_coverage_enabled: kind.has_soft_edge && self.samples > 1,
        };
        self.pipeline(&self.paint, (module, &vertex), Some(fragment), buffers, kind, compare, multisample)
    }

    fn depth(
        &self,
        module: &wgpu::ShaderModule,
        entry: Option<&str>,
        buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
        kind: Kind,
    ) -> wgpu::RenderPipeline {
        let fragment = entry.map(|entry| wgpu::FragmentState {
            module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[],
        });
        let compare = wgpu::CompareFunction::Less;
        let multisample = wgpu::MultisampleState::default();
        self.pipeline(&self.depth, (module, "vertex"), fragment, buffers, kind, compare, multisample)
    }

    #[expect(clippy::too_many_arguments, reason = "each is one field of what wgpu wants to know")]
    fn pipeline(
        &self,
        layout: &wgpu::PipelineLayout,
        (module, vertex): (&wgpu::ShaderModule, &str),
        fragment: Option<wgpu::FragmentState<'_>>,
        buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
        kind: Kind,
        compare: wgpu::CompareFunction,
        multisample: wgpu::MultisampleState,
    ) -> wgpu::RenderPipeline {
        let topology = match kind.is_strip {
            true => wgpu::PrimitiveTopology::TriangleStrip,
            false => wgpu::PrimitiveTopology::TriangleList,
        };
        // Depths are larger nearby. What lies on the ground is in front of it.
        let bias = match kind.is_pushed_back {
            true => wgpu::DepthBiasState { constant: -4, slope_scale: -0.5, clamp: 0.0 },
            false => wgpu::DepthBiasState::default(),
        };
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(vertex),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology,
                cull_mode: kind.is_one_sided.then_some(wgpu::Face::Back),
                ..wgpu::PrimitiveState::default()
            },
            depth_stencil: Some(wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(!kind.is_behind_all),
                depth_compare: Some(compare),
                stencil: wgpu::StencilState::default(),
                bias,
            }),
            multisample,
            fragment,
            multiview_mask: None,
            cache: None,
        })
    }
}
