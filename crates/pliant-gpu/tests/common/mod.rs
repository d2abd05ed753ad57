//! What tests share: a device, where there is one.

use pliant::math::Vec3;
use pliant_gpu::device::{Device, DeviceChoice};

/// The adapter that tests run on.
pub(crate) fn choice() -> DeviceChoice {
    DeviceChoice { name: std::env::var("PLIANT_GPU").ok(), ..DeviceChoice::default() }
}

/// A device, or a word that there is none.
pub(crate) fn device() -> Option<Device> {
    if Device::adapters().is_empty() {
        eprintln!("skipped: there is no GPU here, nor a program in place of one (on Debian: mesa-vulkan-drivers)");
        return None;
    }
    Some(Device::open(&choice()).expect("an adapter can be opened"))
}

#[allow(dead_code, reason = "not by every test")]
pub(crate) fn row(v: Vec3) -> [f32; 4] {
    [v.x as f32, v.y as f32, v.z as f32, 0.0]
}

#[allow(dead_code, reason = "not by every test")]
pub(crate) fn vector(row: &[f32; 4]) -> Vec3 {
    Vec3::new(row[0].into(), row[1].into(), row[2].into())
}
