//! A GPU: finding it, opening it, and noticing when it is gone.

mod memory;
mod program;

pub use memory::{Pending, Storage};
pub use program::{Access, Bound, Dispatch, Kernel, Program, Timing};

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::error::GpuError;

/// Storage buffers that a kernel may have: what browsers allow.
pub const MOST_BUFFERS: u32 = 8;
/// Threads of a workgroup, and the bytes that they share, that kernels count on: what browsers allow.
const LEAST_THREADS: u32 = 256;
const LEAST_SHARED: u32 = 16 << 10;

/// An adapter: what it is, and what it allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Adapter {
    /// Name of the device.
    pub name: String,
    /// The interface through which it is reached, such as Vulkan or Metal.
    pub backend: String,
    /// Name and version of its driver.
    pub driver: String,
    /// Whether it is a program that computes on the CPU.
    pub is_software: bool,
    /// Largest buffer \[bytes\].
    pub buffer_size: u64,
    /// Largest part of a buffer that a kernel can see \[bytes\].
    pub binding_size: u64,
    /// Memory that the threads of a workgroup share \[bytes\].
    pub shared_memory: u32,
    /// Threads of a workgroup.
    pub workgroup_threads: u32,
    /// Whether it tells how long kernels take.
    pub has_timestamps: bool,
}

impl Adapter {
    fn of(adapter: &wgpu::Adapter) -> Self {
        let (info, limits) = (adapter.get_info(), adapter.limits());
        Self {
            name: info.name,
            backend: format!("{:?}", info.backend),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            is_software: info.device_type == wgpu::DeviceType::Cpu,
            buffer_size: limits.max_buffer_size,
            binding_size: limits.max_storage_buffer_binding_size,
            shared_memory: limits.max_compute_workgroup_storage_size,
            workgroup_threads: limits.max_compute_invocations_per_workgroup,
            has_timestamps: adapter.features().contains(wgpu::Features::TIMESTAMP_QUERY),
        }
    }

    fn check(&self) -> Result<(), GpuError> {
        let limits = [
            ("threads in a workgroup", self.workgroup_threads, LEAST_THREADS),
            ("bytes of memory shared by a workgroup", self.shared_memory, LEAST_SHARED),
        ];
        for (limit, has, needs) in limits {
            if has < needs {
                let (adapter, has, needs) = (self.name.clone(), has.into(), needs.into());
                return Err(GpuError::TooSmall { adapter, limit, has, needs });
            }
        }
        Ok(())
    }
}

/// Which adapter to use, and how much of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DeviceChoice {
    /// A part of its name, in any case. By default the fastest kind that there is, software last.
    pub name: Option<String>,
    /// Largest part of a buffer that a kernel may see \[bytes\], if that is to be less than the adapter allows: tests use it.
    pub binding_size: Option<u64>,
}

/// An open device. Clones are the same device.
#[derive(Debug, Clone)]
pub struct Device(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    device: wgpu::Device,
    queue: wgpu::Queue,
    adapter: Adapter,
    choice: DeviceChoice,
    /// What went wrong first.
    trouble: Arc<Mutex<Option<GpuError>>>,
    /// Nanoseconds of a tick, where the device has a clock.
    tick: Option<f64>,
    /// Whether it tells the time between dispatches, too.
    times_dispatches: bool,
}

/// Devices that are open, so that all worlds of a program share one.
static OPEN: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

fn instance() -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::PRIMARY;
    wgpu::Instance::new(descriptor)
}

/// All adapters, the fastest kinds first.
fn sorted_adapters() -> Vec<wgpu::Adapter> {
    let mut adapters = pollster::block_on(instance().enumerate_adapters(wgpu::Backends::PRIMARY));
    adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu | wgpu::DeviceType::Other => 2,
        wgpu::DeviceType::Cpu => 3,
    });
    adapters
}

impl Device {
    /// The adapters of this machine, the fastest kinds first.
    pub fn adapters() -> Vec<Adapter> {
        sorted_adapters().iter().map(Adapter::of).collect()
    }

    /// Opens the adapter that is asked for, or takes the device that is open already.
    pub fn open(choice: &DeviceChoice) -> Result<Self, GpuError> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|device| device.strong_count() > 0);
        let known = open.iter().filter_map(Weak::upgrade).map(Self);
        if let Some(device) = known.into_iter().find(|device| device.0.choice == *choice && device.check().is_ok()) {
            return Ok(device);
        }
        let device = Self::open_anew(choice)?;
        open.push(Arc::downgrade(&device.0));
        Ok(device)
    }

    /// Opens a device that nobody else has.
    pub fn open_anew(choice: &DeviceChoice) -> Result<Self, GpuError> {
        let adapters = sorted_adapters();
        let wanted = choice.name.as_ref().map(|name| name.to_lowercase());
        let fits = |adapter: &&wgpu::Adapter| match &wanted {
            Some(name) => adapter.get_info().name.to_lowercase().contains(name),
            None => true,
        };
        let Some(adapter) = adapters.iter().find(fits) else {
            let asked = match &choice.name {
                Some(name) => format!("an adapter whose name contains {name:?}"),
                None => "an adapter of Vulkan, Metal or DirectX 12".to_owned(),
            };
            let found = adapters.iter().map(|adapter| Adapter::of(adapter).name).collect();
            return Err(GpuError::NoAdapter { asked, found });
        };
        let mut description = Adapter::of(adapter);
        description.check()?;
        let clocks = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES;
        let features = adapter.features() & clocks;
        let request = wgpu::DeviceDescriptor {
            label: Some("pliant"),
            required_features: features,
            required_limits: adapter.limits(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&request))
            .map_err(|error| GpuError::NotOpened { adapter: description.name.clone(), reason: error.to_string() })?;
        let trouble = Arc::new(Mutex::new(None));
        watch(&device, &description.name, &trouble);
        if let Some(size) = choice.binding_size {
            description.binding_size = description.binding_size.min(size);
            description.buffer_size = description.buffer_size.min(size);
        }
        let tick = features.contains(wgpu::Features::TIMESTAMP_QUERY).then(|| f64::from(queue.get_timestamp_period()));
        let times_dispatches = features.contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES);
        let choice = choice.clone();
        Ok(Self(Arc::new(Shared { device, queue, adapter: description, choice, trouble, tick, times_dispatches })))
    }

    /// The adapter.
    pub fn adapter(&self) -> &Adapter {
        &self.0.adapter
    }

    /// Whether everything so far went well.
    pub fn check(&self) -> Result<(), GpuError> {
        match &*self.0.trouble.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Takes the device away, as a driver that is restarted does: everything that is asked of it from now on fails.
    pub fn lose(&self) {
        self.0.device.destroy();
        let lost = GpuError::Lost { adapter: self.adapter().name.clone(), reason: "it was given up".to_owned() };
        note(&self.0.trouble, lost);
    }

    /// Waits until everything that was asked for is done.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.wait_for(None)
    }

    /// Waits until something is done; without it, everything.
    fn wait_for(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        let until = wgpu::PollType::Wait { submission_index, timeout: None };
        if let Err(error) = self.0.device.poll(until) {
            note(&self.0.trouble, GpuError::Lost { adapter: self.adapter().name.clone(), reason: error.to_string() });
        }
        self.check()
    }
}

/// Notes what goes wrong first.
fn note(trouble: &Mutex<Option<GpuError>>, error: GpuError) {
    trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
}

fn watch(device: &wgpu::Device, adapter: &str, trouble: &Arc<Mutex<Option<GpuError>>>) {
    let (name, place) = (adapter.to_owned(), trouble.clone());
    device.set_device_lost_callback(move |_, reason| {
        note(&place, GpuError::Lost { adapter: name.clone(), reason });
    });
    let (name, place) = (adapter.to_owned(), trouble.clone());
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        note(&place, GpuError::Refused { adapter: name.clone(), reason: error.to_string() });
    }));
}
