//! Fine surfaces over coarse ones, with detail that was learnt: the engine's `upsample`, evaluated on a GPU.
//!
//! What depends on the coarse mesh alone (weights of poses, components, numbers of blocks, oscillations) is little, and computed by the engine; the fine
//! vertices, of which there are many, are shown on the device.

use std::sync::Arc;

use pliant::math::Vec3;
use pliant::upsample::{DetailParts, Parts, Refinement, UpsampleError, Upsampler, UpsamplerState};
use thiserror::Error;

use crate::device::{Access, Bound, Device, Program, Storage};
use crate::error::GpuError;

/// Threads of a workgroup.
const THREADS: usize = 64;

/// Why a surface cannot be shown by a device.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GpuUpsampleError {
    /// The device, or its memory.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The frame, or the state.
    #[error(transparent)]
    Upsample(#[from] UpsampleError),
}

impl From<GpuUpsampleError> for UpsampleError {
    fn from(error: GpuUpsampleError) -> Self {
        match error {
            GpuUpsampleError::Upsample(error) => error,
            GpuUpsampleError::Gpu(error) => Self::Elsewhere { reason: error.to_string() },
        }
    }
}

/// A fine surface that a device shows. As on the CPU, what a model remembers is in a state beside it: [`Upsampler::state`], or the default one for a smooth
/// surface.
///
/// ```
/// use std::sync::Arc;
/// use pliant::mesh::generate::Sheet;
/// use pliant::upsample::Refinement;
/// use pliant_gpu::GpuUpsampler;
/// use pliant_gpu::device::{Device, DeviceChoice};
///
/// # if Device::adapters().is_empty() { return Ok(()) }
/// let coarse = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
/// let refinement = Arc::new(Refinement::loop_subdivision(&coarse, 3, &[])?);
/// let device = Device::open(&DeviceChoice::default())?;
/// let mut on_device = GpuUpsampler::smooth(&device, &refinement)?;
/// let mut fine = vec![Default::default(); refinement.fine_mesh().positions.len()];
/// on_device.apply(&mut Default::default(), &coarse.positions, 1.0 / 60.0, &mut fine)?;
/// let rest = &refinement.fine_mesh().positions;
/// assert!(fine.iter().zip(rest).all(|(a, b)| a.distance(*b) < 1e-6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuUpsampler {
    device: Device,
    shown: Shown,
    program: Program,
    frame: Storage<f32>,
    fine: Storage<[f32; 4]>,
    /// Numbers of the last frame, and the point around which it lies \[m\].
    numbers: Vec<f32>,
    origin: Vec3,
}

/// What is shown.
#[derive(Debug)]
enum Shown {
    Smooth(Arc<Refinement>),
    Model(Box<Upsampler>),
}

impl GpuUpsampler {
    /// With the detail of a model.
    pub fn new(device: &Device, model: &Upsampler) -> Result<Self, GpuUpsampleError> {
        Self::of(device, &model.parts(), Shown::Model(Box::new(model.clone())))
    }

    /// The smooth surface, without detail.
    pub fn smooth(device: &Device, refinement: &Arc<Refinement>) -> Result<Self, GpuUpsampleError> {
        Self::of(device, &refinement.parts(), Shown::Smooth(Arc::clone(refinement)))
    }

    fn of(device: &Device, parts: &Parts, shown: Shown) -> Result<Self, GpuUpsampleError> {
        let slots = parts.lanes.len();
        let places = [parts.lanes.as_flattened(), parts.blocks.as_flattened(), &parts.controls].concat();
        let mut numbers = side_by_side(&parts.rest, slots);
        let (mut ranges, begin) = (0, numbers.len());
        let (source, coefficients, each, of_frame) = match &parts.detail {
            DetailParts::Smooth => (include_str!("smooth.wgsl"), &[][..], ("UNUSED", 0), 0),
            DetailParts::Poses { poses, details } => {
                (include_str!("poses.wgsl"), &details[..], ("POSES", *poses), poses * parts.coarse_vertices)
            }
            DetailParts::Polynomial { directions, coefficients, ranges: limits } => {
                ranges = begin;
                numbers.extend(limits.as_flattened());
                let of_frame = 2 * parts.controls.len();
                (include_str!("polynomial.wgsl"), &coefficients[..], ("DIRECTIONS", *directions), of_frame)
            }
            DetailParts::Rows { inputs, coefficients } => {
                let of_frame = parts.blocks.len() * (9 + inputs);
                (include_str!("rows.wgsl"), &coefficients[..], ("INPUTS", *inputs), of_frame)
            }
        };
        let first_coefficient = numbers.len();
        numbers.extend(side_by_side(coefficients, slots));
        let first_block = 2 * slots;
        let constants = [
            ("LANES", Parts::LANES),
            ("SLOTS", slots),
            ("FINE", parts.fine_vertices),
            ("FIRST_BLOCK", first_block),
            ("FIRST_CONTROL", first_block + 4 * parts.blocks.len()),
            ("FRAME_NUMBERS", 3 * parts.coarse_vertices),
            ("RANGES", ranges),
            ("COEFFICIENTS", first_coefficient),
            each,
        ];
        let mut head = format!("const HAS_REST = {};\n", !parts.rest.is_empty());
        constants.iter().for_each(|(name, value)| head += &format!("const {name} = {value}u;\n"));
        use Access::{Read, Write};
        let source = [&head, include_str!("common.wgsl"), source].concat();
        let kernel = device.kernel(&source, "show", &[Read, Read, Read, Read, Write])?;
        let places = device.array("places of fine vertices", &places)?;
        let tables = device.array("weights of fine vertices", &parts.tables)?;
        let numbers = device.array("numbers of fine vertices", &numbers)?;
        let frame = device.zeros("a coarse frame", 3 * parts.coarse_vertices + of_frame)?;
        let fine = device.zeros("fine vertices", parts.fine_vertices)?;
        let buffers: [&dyn Bound; 5] = [&places, &tables, &numbers, &frame, &fine];
        let program = device.program(vec![device.dispatch(&kernel, &buffers, [0; 4], slots.div_ceil(THREADS))])?;
        let (device, numbers) = (device.clone(), Vec::new());
        Ok(Self { device, shown, program, frame, fine, numbers, origin: Vec3::ZERO })
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Asks for the fine surface over these coarse positions \[m\], without waiting; see [`positions`](Self::positions). `seconds` is the time since the last
    /// frame of the state. If the frame is refused, the state has not changed.
    pub fn show(&mut self, state: &mut UpsamplerState, coarse: &[Vec3], seconds: f64) -> Result<(), GpuUpsampleError> {
        self.origin = match &self.shown {
            Shown::Smooth(refinement) => refinement.frame_numbers(coarse, &mut self.numbers)?,
            Shown::Model(model) => model.frame_numbers(state, coarse, seconds, &mut self.numbers)?,
        };
        self.device.write(&self.frame, 0, &self.numbers)?;
        self.device.run(&[&self.program])?;
        Ok(())
    }

    /// Fine vertices of the last frame that was asked for, on the device, around [`origin`](Self::origin).
    pub fn positions(&self) -> &Storage<[f32; 4]> {
        &self.fine
    }

    /// The point around which positions lie \[m\].
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// The kernel, for measuring it.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// As the engine's `Upsampler::apply`, to the rounding of f32: shows a frame, waits for it and writes it down.
    pub fn apply(
        &mut self,
        state: &mut UpsamplerState,
        coarse: &[Vec3],
        seconds: f64,
        out: &mut [Vec3],
    ) -> Result<(), GpuUpsampleError> {
        let expected = self.fine.len();
        if out.len() != expected {
            let (place, found) = ("the room for the frame".to_owned(), out.len());
            return Err(UpsampleError::LengthMismatch { place, which: "fine", found, expected }.into());
        }
        self.show(state, coarse, seconds)?;
        let rows = self.device.read(&self.fine, expected)?;
        for (out, row) in out.iter_mut().zip(rows) {
            *out = self.origin + Vec3::new(row[0].into(), row[1].into(), row[2].into());
        }
        Ok(())
    }
}

/// From [group][number][lane] to [number][group][lane]: what neighbouring threads read lies side by side.
fn side_by_side(numbers: &[f32], slots: usize) -> Vec<f32> {
    let each = numbers.len() / slots.max(1);
    let mut sorted = vec![0.0; numbers.len()];
    for (at, own) in numbers.chunks(Parts::LANES).enumerate() {
        let (group, number) = (at / each, at % each);
        sorted[number * slots + group * Parts::LANES..][..own.len()].copy_from_slice(own);
    }
    sorted
}
