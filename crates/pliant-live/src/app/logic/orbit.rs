//! How a camera is moved by hand.

use glam::{DQuat, DVec2, DVec3};

use crate::draw::Camera;

/// Turns \[rad\] per pixel of a drag across a picture 1000 pixels high.
const TURN: f64 = 0.006;
/// Cosine of the angle to straight up or down that the camera keeps.
const STEEPEST: f64 = 0.995;

/// The camera after a drag of some pixels: it turns around what it looks at, and the world follows the pointer.
pub(crate) fn orbited(camera: &Camera, drag: DVec2, height: f64) -> Camera {
    let pole = camera.up.try_normalize().unwrap_or(DVec3::Y);
    let angle = -drag * TURN * 1000.0 / height.max(200.0);
    let offset = DQuat::from_axis_angle(pole, angle.x) * (camera.eye - camera.target);
    let forward = -offset.normalize_or(DVec3::Z);
    let right = forward.cross(pole).try_normalize().unwrap_or_else(|| forward.any_orthonormal_vector());
    let tilted = DQuat::from_axis_angle(right, angle.y) * offset;
    // Over the pole the picture would turn upside down.
    let rise = |offset: DVec3| offset.normalize_or(DVec3::Z).dot(pole).abs();
    let offset = if rise(tilted) <= STEEPEST || rise(tilted) < rise(offset) { tilted } else { offset };
    Camera { eye: camera.target + offset, ..*camera }
}

/// The camera after the world was pushed by some pixels, as far as what the camera looks at stays under the pointer.
pub(crate) fn panned(camera: &Camera, drag: DVec2, size: DVec2) -> Camera {
    let axes = camera.axes();
    let pixel = camera.pixel_at(camera.target, size);
    let shift = pixel * (drag.y * axes.up - drag.x * axes.right);
    Camera { eye: camera.eye + shift, target: camera.target + shift, ..*camera }
}

/// The camera after coming nearer by a factor (below 1 it goes away). What is at a place of the picture, as far away as what the camera looks at, stays there.
pub(crate) fn zoomed(camera: &Camera, factor: f64, place: DVec2, size: DVec2, scale: f64) -> Camera {
    if !(factor.is_finite() && factor > 0.0) {
        return *camera;
    }
    let distance = camera.distance();
    let wanted = (distance / factor).clamp(1e-3 * scale, 1e2 * scale);
    let kept = camera.onto_plane_of(camera.target, place, size);
    let target = kept + (camera.target - kept) * (wanted / distance);
    let eye = target + (camera.eye - camera.target) * (wanted / distance);
    Camera { eye, target, ..*camera }
}

/// Whether a camera is fit to draw with.
#[cfg(test)]
fn is_upright(camera: &Camera) -> bool {
    let axes = camera.axes();
    let matrix = glam::DMat3::from_cols(axes.right, axes.up, -axes.forward);
    (matrix.determinant() - 1.0).abs() < 1e-9 && axes.up.dot(camera.up) > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: DVec2 = DVec2::new(900.0, 600.0);

    #[test]
    fn orbiting_keeps_the_distance_and_never_turns_upside_down() {
        let start = Camera::default();
        let mut camera = start;
        for k in 0..400 {
            camera = orbited(&camera, DVec2::new(7.0, if k < 200 { 9.0 } else { -9.0 }), 600.0);
            assert!((camera.distance() - start.distance()).abs() < 1e-9 * start.distance());
            assert!(is_upright(&camera), "after {k} drags: {camera:?}");
        }
    }

    #[test]
    fn dragging_to_the_right_turns_what_is_near_to_the_right() {
        let camera = Camera::default();
        let near = camera.target - 0.3 * camera.axes().forward;
        let before = camera.project(near, SIZE).expect("seen");
        let after = orbited(&camera, DVec2::new(20.0, 0.0), SIZE.y).project(near, SIZE).expect("seen");
        assert!(after.x > before.x + 1.0);
    }

    #[test]
    fn panning_moves_the_target_as_far_as_the_pointer() {
        let camera = Camera::default();
        let drag = DVec2::new(31.0, -17.0);
        let place = panned(&camera, drag, SIZE).project(camera.target, SIZE).expect("seen");
        assert!(place.distance(0.5 * SIZE + drag) < 1e-6);
    }

    #[test]
    fn zooming_keeps_what_is_under_the_pointer() {
        let camera = Camera::default();
        let place = DVec2::new(700.0, 120.0);
        let kept = camera.onto_plane_of(camera.target, place, SIZE);
        let nearer = zoomed(&camera, 1.7, place, SIZE, 1.0);
        assert!(nearer.project(kept, SIZE).expect("seen").distance(place) < 1e-6);
        assert!((nearer.distance() - camera.distance() / 1.7).abs() < 1e-9);
        assert_eq!(zoomed(&camera, f64::NAN, place, SIZE, 1.0), camera);
        assert!(zoomed(&camera, 1e30, place, SIZE, 1.0).distance() > 1e-4);
    }
}
