//! How depth maps lie around the world: that of the lamp, for shadows, and that of the sky, for what lies below other things.

use glam::{Mat4, Vec3, Vec4};

/// Towards the lamp: high at the left, in front, as in pictures.
pub(crate) const LAMP: Vec3 = Vec3::new(-0.55, 1.0, 0.55);

/// A parallel projection onto a depth map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Map {
    pub(crate) projection: Mat4,
    pub(crate) right: Vec3,
    pub(crate) up: Vec3,
    pub(crate) forward: Vec3,
    pub(crate) width: f32,
    pub(crate) depth: f32,
    /// Side of a sample \[m\].
    pub(crate) side: f32,
}

impl Map {
    /// A map of what throws shadows on what is near `bodies`, looking along a direction. `reach` is the largest width \[m\].
    pub(crate) fn new(
        forward: Vec3,
        right: Vec3,
        bodies: [Vec3; 2],
        casters: [Vec3; 2],
        reach: f32,
        samples: u32,
    ) -> Self {
        let up = right.cross(forward);
        let middle = 0.5 * (bodies[0] + bodies[1]);
        // A ball around all looks the same from everywhere. Steps, and whole samples: shadows do not crawl when bodies move.
        let diagonal = bodies[0].distance(bodies[1]).clamp(1e-4, reach);
        let width = 1.3f32.powf((1.15 * diagonal).ln().div_euclid(1.3f32.ln()) + 1.0);
        let side = width / samples as f32;
        let snapped = |axis: Vec3| (middle.dot(axis) / side).round() * side;
        let (x, y) = (snapped(right), snapped(up));
        let corner = |k: usize| Vec3::new(casters[k & 1].x, casters[k >> 1 & 1].y, casters[k >> 2 & 1].z);
        let depths = (0..8).map(|k| corner(k).dot(forward)).chain([middle.dot(forward) - 0.5 * width]);
        let near = depths.clone().fold(f32::INFINITY, f32::min).max(middle.dot(forward) - 20.0 * width) - 0.02 * width;
        let far = depths.fold(f32::NEG_INFINITY, f32::max).max(middle.dot(forward) + 0.5 * width);
        let far = far.min(middle.dot(forward) + 20.0 * width) + 0.02 * width;
        let depth = far - near;
        let (scale_x, scale_y) = (2.0 / width * right, 2.0 / width * up);
        let rows = [
            scale_x.extend(-2.0 * x / width),
            scale_y.extend(-2.0 * y / width),
            (forward / depth).extend(-near / depth),
            Vec4::W,
        ];
        let projection = Mat4::from_cols(rows[0], rows[1], rows[2], rows[3]).transpose();
        Self { projection, right, up, forward, width, depth, side }
    }

    pub(crate) fn of_lamp(bodies: [Vec3; 2], casters: [Vec3; 2], reach: f32, samples: u32) -> Self {
        let forward = -LAMP.normalize();
        Self::new(forward, forward.cross(Vec3::Y).normalize(), bodies, casters, reach, samples)
    }

    /// From above; in the map, x and z grow to the right and down.
    pub(crate) fn of_sky(bodies: [Vec3; 2], casters: [Vec3; 2], reach: f32, samples: u32) -> Self {
        Self::new(Vec3::NEG_Y, Vec3::X, bodies, casters, reach, samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_throws_shadows_is_in_the_map() {
        let bodies = [Vec3::new(-0.3, 0.0, -0.2), Vec3::new(0.4, 0.9, 0.2)];
        let casters = [bodies[0], Vec3::new(0.4, 3.0, 0.2)];
        for map in [Map::of_lamp(bodies, casters, 10.0, 512), Map::of_sky(bodies, casters, 10.0, 512)] {
            assert!((map.right.cross(map.up) + map.forward).length() < 1e-5);
            for k in 0..8 {
                let corner = Vec3::new(bodies[k & 1].x, bodies[k >> 1 & 1].y, bodies[k >> 2].z);
                let place = map.projection.project_point3(corner);
                assert!(place.x.abs() < 1.0 && place.y.abs() < 1.0 && place.z > 0.0 && place.z < 1.0, "{place}");
            }
            let high = map.projection.project_point3(Vec3::new(0.0, 3.0, 0.0));
            assert!(high.z > 0.0 && high.z < 0.5);
        }
        let sky = Map::of_sky(bodies, casters, 10.0, 512);
        let [a, b] = [Vec3::ZERO, Vec3::Z * 0.1].map(|p| sky.projection.project_point3(p));
        assert!(b.y < a.y);
    }
}
