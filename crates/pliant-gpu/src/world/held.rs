//! Pinned vertices of a world that stays on the device. They are few, and known on the host: where they go is written before a substep.

use pliant::Simulation;
use pliant::math::Vec3;

use crate::device::Device;
use crate::error::GpuError;
use crate::local::LocalStep;

/// Pinned vertices, in the order of the model's list of pins, which is that of their places on the device.
#[derive(Debug)]
pub(super) struct Held {
    at: Vec<Vec3>,
    /// Where they are at the end of the next step.
    targets: Vec<Vec3>,
    velocities: Vec<Vec3>,
    /// Movement in the last substep.
    moved: Vec<Vec3>,
    /// Length of a substep \[s\].
    h: f64,
    looks_back: bool,
}

impl Held {
    pub(super) fn new(sim: &Simulation, h: f64, looks_back: bool) -> Self {
        let pinned = sim.model().pinned();
        let of_pins = |values: &[Vec3]| -> Vec<Vec3> { pinned.iter().map(|&v| values[v as usize]).collect() };
        let (at, velocities) = (of_pins(sim.positions()), of_pins(sim.velocities()));
        let moved = velocities.iter().map(|v| *v * h).collect();
        Self { targets: sim.pin_targets().to_vec(), at, velocities, moved, h, looks_back }
    }

    pub(super) fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether a pin would have to go anywhere.
    pub(super) fn moves_to(&self, targets: &[Vec3]) -> bool {
        self.at != targets
    }

    pub(super) fn set_targets(&mut self, targets: &[Vec3]) {
        self.targets.copy_from_slice(targets);
    }

    pub(super) fn velocities(&self) -> &[Vec3] {
        &self.velocities
    }

    /// Puts them where they are at the end of the next of the substeps that are left of a step, as the engine does: an equal part of the way that is left.
    pub(super) fn approach(&mut self, device: &Device, local: &LocalStep, left: usize) -> Result<(), GpuError> {
        debug_assert_eq!(
            local.places.free + self.at.len(),
            local.places.vertices.len(),
            "all that is not free is pinned"
        );
        let tau = if self.looks_back { 2.0 / 3.0 * self.h } else { self.h };
        let mut goes = false;
        for k in 0..self.at.len() {
            let (from, to) = (self.at[k], self.targets[k]);
            self.at[k] = if left == 1 { to } else { from + (to - from) / left as f64 };
            let moved = self.at[k] - from;
            // x = X + τ v, where X of BDF2 goes a third of the last movement further.
            let base = if self.looks_back { self.moved[k] / 3.0 } else { Vec3::ZERO };
            self.velocities[k] = (moved - base) / tau;
            self.moved[k] = moved;
            goes |= moved != Vec3::ZERO;
        }
        if !goes {
            return Ok(());
        }
        let rounded = |x: Vec3| Vec3::from_array(x.to_array().map(|value| f64::from(value as f32)));
        let row = |v: Vec3| [v.x as f32, v.y as f32, v.z as f32, 0.0];
        let anchors: Vec<[f32; 4]> = self.at.iter().map(|&x| row(x)).collect();
        let offsets: Vec<[f32; 4]> = self.at.iter().map(|&x| row(x - rounded(x))).collect();
        device.write(&local.anchors, local.places.free, &anchors)?;
        device.write(&local.offsets, local.places.free, &offsets)
    }
}
