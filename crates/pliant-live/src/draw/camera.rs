//! The viewpoint: what is where in the picture, and what a pixel sees.

use glam::{DVec2, DVec3};

use crate::protocol::{Sight, Viewpoint};

/// Share of the picture that is left free around what is framed.
const MARGIN: f64 = 0.08;

/// A perspective camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Where it is \[m\].
    pub eye: DVec3,
    /// What is in the middle of the picture \[m\].
    pub target: DVec3,
    /// What is up in the picture.
    pub up: DVec3,
    /// Vertical field of view \[rad\].
    pub field_of_view: f64,
}

/// The directions of a camera, orthonormal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axes {
    /// To the right in the picture.
    pub right: DVec3,
    /// Up in the picture.
    pub up: DVec3,
    /// Into the picture.
    pub forward: DVec3,
}

impl Default for Camera {
    /// From above, in front.
    fn default() -> Self {
        Self { eye: DVec3::new(1.0, 1.2, 3.0), target: DVec3::ZERO, up: DVec3::Y, field_of_view: 35f64.to_radians() }
    }
}

impl Camera {
    /// The camera that a layout begins with. `aspect` is the width of the picture over its height.
    ///
    /// ```
    /// use pliant_live::draw::Camera;
    /// use pliant_live::protocol::Viewpoint;
    /// let viewpoint = Viewpoint { eye: None, target: [0.0; 3], direction: [0.0, 0.0, -1.0], up: [0.0, 1.0, 0.0], field_of_view: 0.6 };
    /// let camera = Camera::of(&viewpoint, [[-0.5; 3], [0.5; 3]], 1.6);
    /// assert!(camera.eye.z > 1.0 && camera.eye.x.abs() < 1e-12);
    /// ```
    pub fn of(viewpoint: &Viewpoint, bounds: [[f64; 3]; 2], aspect: f64) -> Self {
        let target = DVec3::from(viewpoint.target);
        let view = viewpoint.field_of_view;
        let field_of_view = if view > 0.0 && view < 3.1 { view } else { Self::default().field_of_view };
        let up = DVec3::from(viewpoint.up).try_normalize().unwrap_or(DVec3::Y);
        match viewpoint.eye.map(DVec3::from) {
            Some(eye) if eye.is_finite() && target.is_finite() && eye != target => {
                Self { eye, target, up, field_of_view }
            }
            _ => {
                let direction = DVec3::from(viewpoint.direction).try_normalize().unwrap_or(DVec3::NEG_Z);
                let target = if target.is_finite() { target } else { DVec3::ZERO };
                Self { eye: target - direction, target, up, field_of_view }.moved_to_see(bounds, aspect)
            }
        }
    }

    /// The same camera, moved until it sees a whole box, looking in the same direction.
    #[must_use]
    pub fn moved_to_see(self, bounds: [[f64; 3]; 2], aspect: f64) -> Self {
        let [low, high] = bounds.map(DVec3::from);
        if !(low.is_finite() && high.is_finite()) {
            return self;
        }
        let middle = 0.5 * (low + high);
        let radius = (0.5 * low.distance(high)).max(1e-6);
        let axes = self.axes();
        let half_height = (0.5 * self.field_of_view).tan() * (1.0 - MARGIN);
        let half_width = half_height * aspect.clamp(1e-3, 1e3);
        let pick = |corner: usize, bit: usize| if corner >> bit & 1 == 0 { low } else { high };
        let corners: [DVec3; 8] =
            std::array::from_fn(|k| DVec3::new(pick(k, 0).x, pick(k, 1).y, pick(k, 2).z) - middle);
        // Perspective shows near corners larger, so the middle of the box is not the middle of its picture: alternately step back until all corners fit and slide until the margins
        // are equal.
        let (mut shift, mut distance) = (DVec3::ZERO, radius);
        for _ in 0..8 {
            let seen = |corner: &DVec3| {
                let offset = *corner - shift;
                DVec3::new(offset.dot(axes.right), offset.dot(axes.up), offset.dot(axes.forward))
            };
            distance = corners.iter().map(seen).fold(1e-3 * radius, |needed, p| {
                needed.max(p.x.abs() / half_width - p.z).max(p.y.abs() / half_height - p.z)
            });
            let (mut least, mut most) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
            for p in corners.iter().map(seen) {
                let place = p.truncate() / (distance + p.z).max(1e-3 * radius);
                least = least.min(place);
                most = most.max(place);
            }
            let off = 0.5 * distance * (least + most);
            shift += off.x * axes.right + off.y * axes.up;
        }
        let target = middle + shift;
        Self { eye: target - distance * axes.forward, target, ..self }
    }

    /// Its directions.
    pub fn axes(&self) -> Axes {
        let forward = (self.target - self.eye).try_normalize().unwrap_or(DVec3::NEG_Z);
        // Looking straight up or down leaves no up: any side will do.
        let right = forward.cross(self.up).try_normalize().unwrap_or_else(|| forward.any_orthonormal_vector());
        Axes { right, up: right.cross(forward), forward }
    }

    /// How far away what it looks at is \[m\].
    pub fn distance(&self) -> f64 {
        self.eye.distance(self.target).max(1e-9)
    }

    /// The line of sight through a place of a picture, in pixels from its upper left corner.
    pub fn sight(&self, place: DVec2, size: DVec2) -> Sight {
        let axes = self.axes();
        let scale = (0.5 * self.field_of_view).tan() / (0.5 * size.y.max(1.0));
        let off = (place - 0.5 * size) * scale;
        let direction = (axes.forward + off.x * axes.right - off.y * axes.up).normalize();
        Sight { origin: self.eye.into(), direction: direction.into() }
    }

    /// Where a point is in a picture, in pixels from its upper left corner; none behind the eye.
    ///
    /// ```
    /// use glam::{DVec2, DVec3};
    /// use pliant_live::draw::Camera;
    /// let (camera, size) = (Camera::default(), DVec2::new(640.0, 400.0));
    /// assert!(camera.project(DVec3::ZERO, size).is_some_and(|place| place.distance(0.5 * size) < 1e-9));
    /// ```
    pub fn project(&self, point: DVec3, size: DVec2) -> Option<DVec2> {
        let axes = self.axes();
        let offset = point - self.eye;
        let depth = offset.dot(axes.forward);
        if depth.is_nan() || depth <= 1e-6 * self.distance() {
            return None;
        }
        let scale = 0.5 * size.y / (depth * (0.5 * self.field_of_view).tan());
        Some(0.5 * size + scale * DVec2::new(offset.dot(axes.right), -offset.dot(axes.up)))
    }

    /// The length that a pixel covers at a point \[m\].
    pub fn pixel_at(&self, point: DVec3, size: DVec2) -> f64 {
        let depth = (point - self.eye).dot(self.axes().forward).max(0.0);
        depth * (0.5 * self.field_of_view).tan() / (0.5 * size.y.max(1.0))
    }

    /// Where the line of sight through a place meets the plane through a point that faces the camera.
    pub fn onto_plane_of(&self, point: DVec3, place: DVec2, size: DVec2) -> DVec3 {
        let forward = self.axes().forward;
        let direction = DVec3::from(self.sight(place, size).direction);
        let depth = (point - self.eye).dot(forward);
        self.eye + depth / direction.dot(forward).max(1e-6) * direction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: DVec2 = DVec2::new(800.0, 500.0);

    #[test]
    fn a_line_of_sight_goes_through_what_is_seen_there() {
        let camera = Camera { eye: DVec3::new(2.0, 1.5, -1.0), ..Camera::default() };
        for place in [DVec2::new(10.0, 20.0), DVec2::new(400.0, 250.0), DVec2::new(790.0, 333.0)] {
            let sight = camera.sight(place, SIZE);
            let point = DVec3::from(sight.origin) + 3.7 * DVec3::from(sight.direction);
            let found = camera.project(point, SIZE).expect("in front of the eye");
            assert!(found.distance(place) < 1e-9, "{place} became {found}");
        }
        assert_eq!(camera.project(camera.eye - camera.axes().forward, SIZE), None);
    }

    #[test]
    fn what_is_dragged_stays_under_the_pointer_at_its_depth() {
        let camera = Camera::default();
        let point = DVec3::new(0.2, 0.1, 0.3);
        let place = DVec2::new(613.0, 77.0);
        let target = camera.onto_plane_of(point, place, SIZE);
        assert!(camera.project(target, SIZE).expect("in front of the eye").distance(place) < 1e-9);
        assert!((target - point).dot(camera.axes().forward).abs() < 1e-12);
    }

    #[test]
    fn framing_shows_the_whole_box() {
        let bounds = [[-1.0, 0.0, -0.2], [1.0, 3.0, 0.2]];
        for aspect in [0.46, 1.0, 2.0] {
            let camera = Camera::default().moved_to_see(bounds, aspect);
            let size = DVec2::new(500.0 * aspect, 500.0);
            let mut largest = 0f64;
            for k in 0..8 {
                let corner = DVec3::new(bounds[k & 1][0], bounds[k >> 1 & 1][1], bounds[k >> 2][2]);
                let place = camera.project(corner, size).expect("in front of the eye") / (0.5 * size) - 1.0;
                largest = largest.max(place.abs().max_element());
            }
            assert!(largest > 0.85 && largest < 0.96, "{largest} at {aspect}");
        }
    }
}
