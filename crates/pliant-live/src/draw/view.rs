//! What shaders are told about a picture or a depth map.

use bytemuck::{Pod, Zeroable};
use glam::{DMat4, DVec2, DVec4, Vec3};

use super::camera::Camera;
use super::color::{linear_of_srgb, linear_of_value};
use super::maps::{LAMP, Map};
use crate::protocol::Ground;

/// Light of the lamp on a surface that faces it, and of the sky on level ground, as shares of white: as in pictures.
const LAMP_BRIGHTNESS: f32 = 0.72;
const SKY_BRIGHTNESS: f32 = 0.5;
/// Colours of the sky, sRGB.
pub(crate) const HORIZON: [u8; 3] = [0xf3, 0xf5, 0xf7];
const ZENITH: [u8; 3] = [0xb9, 0xcc, 0xe0];

type Matrix = [[f32; 4]; 4];

/// As in `shaders/common.wgsl`, which says what each is.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct View {
    projection: Matrix,
    light_map: Matrix,
    sky_map: Matrix,
    eye: [f32; 4],
    right: [f32; 4],
    up: [f32; 4],
    forward: [f32; 4],
    center: [f32; 4],
    light: [f32; 4],
    light_size: [f32; 4],
    sky_size: [f32; 4],
    ground: [f32; 4],
    horizon: [f32; 4],
    zenith: [f32; 4],
    flags: [f32; 4],
    colors: [[f32; 4]; 64],
}

/// What is the same in all pictures of a frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown {
    pub(crate) ground: Ground,
    /// Length to which distances are compared \[m\].
    pub(crate) scale: f32,
    pub(crate) is_valued: bool,
    pub(crate) is_srgb: bool,
    pub(crate) samples: u32,
    pub(crate) has_full_effort: bool,
    /// The depth maps of the lamp and of the sky.
    pub(crate) maps: Option<[Map; 2]>,
}

impl View {
    pub(crate) fn of_camera(camera: &Camera, size: DVec2, shown: &Shown) -> Self {
        let axes = camera.axes();
        let tangent = (0.5 * camera.field_of_view).tan();
        let aspect = size.x / size.y.max(1.0);
        let near = 0.01 * camera.distance();
        // Depths fall from 1 at the nearest plane to 0 endlessly far away, which suits floating-point numbers.
        let row = |axis: glam::DVec3, scale: f64| (scale * axis).extend(-scale * axis.dot(camera.eye));
        let rows = [
            row(axes.right, 1.0 / (tangent * aspect.max(1e-6))),
            row(axes.up, 1.0 / tangent),
            DVec4::new(0.0, 0.0, 0.0, near),
            row(axes.forward, 1.0),
        ];
        let projection = DMat4::from_cols(rows[0], rows[1], rows[2], rows[3]).transpose();
        let pixel = 2.0 * tangent / size.y.max(1.0);
        Self {
            projection: projection.as_mat4().to_cols_array_2d(),
            eye: camera.eye.as_vec3().extend(pixel as f32).to_array(),
            right: axes.right.as_vec3().extend(0.0).to_array(),
            up: axes.up.as_vec3().extend(0.0).to_array(),
            forward: axes.forward.as_vec3().extend(0.0).to_array(),
            center: camera.target.as_vec3().extend(shown.scale).to_array(),
            ..Self::of_frame(shown)
        }
    }

    pub(crate) fn of_map(map: &Map, shown: &Shown) -> Self {
        Self {
            projection: map.projection.to_cols_array_2d(),
            right: map.right.extend(0.0).to_array(),
            up: map.up.extend(0.0).to_array(),
            forward: map.forward.extend(map.side).to_array(),
            ..Self::of_frame(shown)
        }
    }

    fn of_frame(shown: &Shown) -> Self {
        let with = |color: [u8; 3], last: f32| Vec3::from(linear_of_srgb(color)).extend(last).to_array();
        let size = |map: &Map| [map.width, map.depth, map.side, 1.0];
        let flag = |is: bool| if is { 1.0 } else { 0.0 };
        let mut view = Self {
            light: LAMP.normalize().extend(LAMP_BRIGHTNESS).to_array(),
            ground: with(shown.ground.color, shown.ground.height),
            horizon: with(HORIZON, shown.ground.spacing.max(0.0)),
            zenith: with(ZENITH, SKY_BRIGHTNESS),
            flags: [flag(shown.is_valued), flag(shown.is_srgb), shown.samples as f32, flag(shown.has_full_effort)],
            colors: std::array::from_fn(|k| Vec3::from(linear_of_value(k as f32 / 63.0)).extend(1.0).to_array()),
            ..Self::zeroed()
        };
        if let Some([lamp, sky]) = &shown.maps {
            view.light_map = lamp.projection.to_cols_array_2d();
            view.sky_map = sky.projection.to_cols_array_2d();
            view.light_size = size(lamp);
            view.sky_size = size(sky);
        }
        view
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_has_the_size_that_shaders_expect() {
        assert_eq!(size_of::<View>(), 3 * 64 + 12 * 16 + 64 * 16);
        assert_eq!(size_of::<View>() % 16, 0);
    }
}
