//! Kernels, and lists of them that run one after the other.
//!
//! A kernel is an entry point of a WGSL file. Its storage buffers are bound in group 0, in order; sixteen bytes of parameters are a uniform in group 1. Results
//! of one dispatch are seen by all after it.

#![allow(unsafe_code)] // Kernels run without the driver's checks of bounds, which cost a tenth of the time.

use bytemuck::Pod;

use super::{Device, MOST_BUFFERS, Storage};
use crate::error::GpuError;

/// Workgroups that a dispatch may have in one dimension.
const MOST_IN_A_ROW: u32 = 65_535;
/// Bytes between the parameters of two dispatches.
const PARAMETERS: usize = 256;
/// Time stamps in one measurement.
const MOST_STAMPS: usize = 4096;

/// What a kernel does with a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads it.
    Read,
    /// Reads and writes it.
    Write,
}

/// A compiled kernel.
#[derive(Debug, Clone)]
pub struct Kernel {
    name: String,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

/// A kernel with what it works on.
#[derive(Debug, Clone)]
pub struct Dispatch {
    kernel: Kernel,
    buffers: wgpu::BindGroup,
    parameters: [u32; 4],
    workgroups: u32,
    /// Bytes that it has to read and write, for judging its speed.
    pub bytes: u64,
}

impl Dispatch {
    /// Name of its kernel.
    pub fn name(&self) -> &str {
        &self.kernel.name
    }

    /// The same with other parameters.
    pub fn with_parameters(&self, parameters: [u32; 4]) -> Self {
        Self { parameters, ..self.clone() }
    }
}

/// Dispatches one after the other, ready to run.
#[derive(Debug, Clone)]
pub struct Program {
    dispatches: Vec<Dispatch>,
    parameters: Storage<[u32; PARAMETERS / 4]>,
    bound: wgpu::BindGroup,
}

/// How long something took \[ms\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// By the clock of the device; none where it has none.
    pub device: Option<f64>,
    /// From recording the commands to seeing them done.
    pub wall: f64,
}

impl Device {
    /// Compiles a kernel. `source` is WGSL, with `access` telling what it does with each buffer.
    pub fn kernel(&self, source: &str, entry: &str, access: &[Access]) -> Result<Kernel, GpuError> {
        debug_assert!(access.len() <= MOST_BUFFERS as usize, "{entry} has more buffers than browsers allow");
        let device = &self.0.device;
        let entries: Vec<_> = (0..).zip(access).map(|(k, access)| storage_entry(k, *access)).collect();
        let descriptor = wgpu::BindGroupLayoutDescriptor { label: Some(entry), entries: &entries };
        let layout = device.create_bind_group_layout(&descriptor);
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(entry),
            bind_group_layouts: &[Some(&layout), Some(&self.parameter_layout())],
            immediate_size: 0,
        });
        let module =
            wgpu::ShaderModuleDescriptor { label: Some(entry), source: wgpu::ShaderSource::Wgsl(source.into()) };
        // SAFETY: kernels are part of this crate, and index within the arrays that their lists were made for.
        let module = unsafe { device.create_shader_module_trusted(module, wgpu::ShaderRuntimeChecks::unchecked()) };
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: None,
        });
        self.check()?;
        Ok(Kernel { name: entry.to_owned(), pipeline, layout })
    }

    fn parameter_layout(&self) -> wgpu::BindGroupLayout {
        self.0.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("parameters"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: true,
                    min_binding_size: None,
                },
                count: None,
            }],
        })
    }

    /// A kernel with its buffers and parameters, in so many workgroups.
    pub fn dispatch(
        &self,
        kernel: &Kernel,
        buffers: &[&dyn Bound],
        parameters: [u32; 4],
        workgroups: usize,
    ) -> Dispatch {
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.buffer().as_entire_binding() })
            .collect();
        let buffers = self.0.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(&kernel.name),
            layout: &kernel.layout,
            entries: &entries,
        });
        Dispatch { kernel: kernel.clone(), buffers, parameters, workgroups: workgroups as u32, bytes: 0 }
    }

    /// Makes a program of dispatches; those without workgroups are left out.
    pub fn program(&self, dispatches: Vec<Dispatch>) -> Result<Program, GpuError> {
        let dispatches: Vec<_> = dispatches.into_iter().filter(|dispatch| dispatch.workgroups > 0).collect();
        let mut rows = vec![[0; PARAMETERS / 4]; dispatches.len().max(1)];
        rows.iter_mut().zip(&dispatches).for_each(|(row, dispatch)| row[..4].copy_from_slice(&dispatch.parameters));
        let parameters = self.array("parameters of kernels", &rows)?;
        let bound = self.0.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("parameters"),
            layout: &self.parameter_layout(),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &parameters.buffer,
                    offset: 0,
                    size: std::num::NonZeroU64::new(16),
                }),
            }],
        });
        self.check()?;
        Ok(Program { dispatches, parameters, bound })
    }

    /// Asks for programs to be run one after the other, without waiting.
    pub fn run(&self, programs: &[&Program]) -> Result<(), GpuError> {
        self.check()?;
        let mut encoder = self.0.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            programs.iter().for_each(|program| program.record(&mut pass, 0..program.dispatches.len()));
        }
        self.0.queue.submit([encoder.finish()]);
        self.check()
    }

    /// Runs programs one after the other, and tells how long they took.
    pub fn time(&self, programs: &[&Program]) -> Result<Timing, GpuError> {
        self.wait()?;
        let begun = std::time::Instant::now();
        let stamps = self.0.tick.map(|_| self.stamps(2));
        let mut encoder = self.0.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: stamps.as_ref().map(|stamps| wgpu::ComputePassTimestampWrites {
                    query_set: &stamps.set,
                    beginning_of_pass_write_index: Some(0),
                    end_of_pass_write_index: Some(1),
                }),
            });
            programs.iter().for_each(|program| program.record(&mut pass, 0..program.dispatches.len()));
        }
        if let Some(stamps) = &stamps {
            encoder.resolve_query_set(&stamps.set, 0..2, &stamps.resolved, 0);
        }
        self.0.queue.submit([encoder.finish()]);
        self.wait()?;
        let wall = begun.elapsed().as_secs_f64() * 1e3;
        let device = stamps.map(|stamps| self.milliseconds(&stamps)).transpose()?.map(|times| times[1]);
        Ok(Timing { device, wall })
    }

    /// How long each dispatch of a program takes by the clock of the device, the best of some runs \[ms\]; empty where it cannot tell.
    pub fn profile(&self, program: &Program, runs: usize) -> Result<Vec<f64>, GpuError> {
        let count = program.dispatches.len();
        if !self.0.times_dispatches || count + 1 > MOST_STAMPS {
            return Ok(Vec::new());
        }
        let mut best = vec![f64::INFINITY; count];
        let stamps = self.stamps(count + 1);
        for _ in 0..runs {
            let mut encoder = self.0.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                pass.write_timestamp(&stamps.set, 0);
                for k in 0..count {
                    program.record(&mut pass, k..k + 1);
                    pass.write_timestamp(&stamps.set, k as u32 + 1);
                }
            }
            encoder.resolve_query_set(&stamps.set, 0..count as u32 + 1, &stamps.resolved, 0);
            self.0.queue.submit([encoder.finish()]);
            self.wait()?;
            let times = self.milliseconds(&stamps)?;
            best.iter_mut().zip(times.windows(2)).for_each(|(best, pair)| *best = best.min(pair[1] - pair[0]));
        }
        Ok(best)
    }

    fn stamps(&self, count: usize) -> Stamps {
        let set = self.0.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count: count as u32,
        });
        let buffer = |usage| {
            let size = 8 * count as u64;
            self.0.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
        };
        let resolved = buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC);
        Stamps { set, resolved, read: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST) }
    }

    /// Times since the first stamp.
    fn milliseconds(&self, stamps: &Stamps) -> Result<Vec<f64>, GpuError> {
        let mut encoder = self.0.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&stamps.resolved, 0, &stamps.read, 0, stamps.read.size());
        self.0.queue.submit([encoder.finish()]);
        stamps.read.map_async(wgpu::MapMode::Read, .., |_| ());
        self.wait()?;
        let ticks: Vec<u64> = match stamps.read.get_mapped_range(..) {
            Ok(view) => bytemuck::pod_collect_to_vec(&view[..]),
            Err(_) => return Ok(vec![f64::NAN; (stamps.read.size() / 8) as usize]),
        };
        stamps.read.unmap();
        let tick = self.0.tick.unwrap_or(f64::NAN);
        Ok(ticks.iter().map(|at| at.wrapping_sub(ticks[0]) as f64 * tick * 1e-6).collect())
    }
}

struct Stamps {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    read: wgpu::Buffer,
}

impl Program {
    /// Its dispatches.
    pub fn dispatches(&self) -> &[Dispatch] {
        &self.dispatches
    }

    /// Changes the parameters of all dispatches of a kernel, from the next run on.
    pub fn set_parameters(&mut self, device: &Device, name: &str, parameters: [u32; 4]) -> Result<(), GpuError> {
        for (k, dispatch) in self.dispatches.iter_mut().enumerate() {
            if dispatch.name() == name && dispatch.parameters != parameters {
                dispatch.parameters = parameters;
                let mut row = [0; PARAMETERS / 4];
                row[..4].copy_from_slice(&parameters);
                device.write(&self.parameters, k, &[row])?;
            }
        }
        Ok(())
    }

    fn record(&self, pass: &mut wgpu::ComputePass<'_>, range: std::ops::Range<usize>) {
        for k in range {
            let dispatch = &self.dispatches[k];
            pass.set_pipeline(&dispatch.kernel.pipeline);
            pass.set_bind_group(0, &dispatch.buffers, &[]);
            pass.set_bind_group(1, &self.bound, &[(k * PARAMETERS) as u32]);
            // Kernels count along rows of workgroups.
            let rows = dispatch.workgroups.div_ceil(MOST_IN_A_ROW);
            pass.dispatch_workgroups(dispatch.workgroups.div_ceil(rows), rows, 1);
        }
    }
}

/// An array of any kind of entries, for a kernel.
pub trait Bound {
    /// What the driver knows it as.
    fn buffer(&self) -> &wgpu::Buffer;
}

impl<T: Pod> Bound for Storage<T> {
    fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }
}

fn storage_entry(binding: u32, access: Access) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: access == Access::Read },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}
