//! Shapes with closed-form distances [Quilez 2013].

use super::SignedDistance;
use crate::math::Vec3;
use crate::mesh::Bounds;

/// A solid sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// The centre \[m\].
    pub centre: Vec3,
    /// The radius \[m\].
    pub radius: f64,
}

impl SignedDistance for Ball {
    fn distance(&self, p: Vec3) -> f64 {
        p.distance(self.centre) - self.radius
    }

    fn bounds(&self) -> Bounds {
        around(self.centre, Vec3::splat(self.radius))
    }
}

/// A solid box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// The centre \[m\].
    pub centre: Vec3,
    /// The lengths of the sides \[m\].
    pub size: Vec3,
}

impl SignedDistance for Block {
    fn distance(&self, p: Vec3) -> f64 {
        let beyond = (p - self.centre).abs() - 0.5 * self.size;
        // Outside, the corner or face beyond which p lies; inside, the nearest face.
        beyond.max(Vec3::ZERO).length() + beyond.max_element().min(0.0)
    }

    fn bounds(&self) -> Bounds {
        around(self.centre, 0.5 * self.size)
    }
}

/// All points within a radius of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// The ends of the segment \[m\].
    pub ends: [Vec3; 2],
    /// The radius \[m\].
    pub radius: f64,
}

impl SignedDistance for Capsule {
    fn distance(&self, p: Vec3) -> f64 {
        let [start, end] = self.ends;
        let axis = end - start;
        // A segment without length is a point.
        let along = ((p - start).dot(axis) / axis.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        p.distance(start + along * axis) - self.radius
    }

    fn bounds(&self) -> Bounds {
        let [start, end] = self.ends;
        Bounds { min: start.min(end) - self.radius, max: start.max(end) + self.radius }
    }
}

/// A solid torus about the y axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ring {
    /// The centre \[m\].
    pub centre: Vec3,
    /// Distance from the centre to the centre of the tube \[m\].
    pub radius: f64,
    /// Radius of the tube \[m\].
    pub tube_radius: f64,
}

impl SignedDistance for Ring {
    fn distance(&self, p: Vec3) -> f64 {
        let p = p - self.centre;
        (p.x.hypot(p.z) - self.radius).hypot(p.y) - self.tube_radius
    }

    fn bounds(&self) -> Bounds {
        let wide = self.radius + self.tube_radius;
        around(self.centre, Vec3::new(wide, self.tube_radius, wide))
    }
}

/// A solid cylinder along the y axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rod {
    /// The centre \[m\].
    pub centre: Vec3,
    /// The radius \[m\].
    pub radius: f64,
    /// The length \[m\].
    pub length: f64,
}

impl SignedDistance for Rod {
    fn distance(&self, p: Vec3) -> f64 {
        let p = p - self.centre;
        let (side, cap) = (p.x.hypot(p.z) - self.radius, p.y.abs() - 0.5 * self.length);
        side.max(0.0).hypot(cap.max(0.0)) + side.max(cap).min(0.0)
    }

    fn bounds(&self) -> Bounds {
        around(self.centre, Vec3::new(self.radius, 0.5 * self.length, self.radius))
    }
}

fn around(centre: Vec3, half: Vec3) -> Bounds {
    Bounds { min: centre - half, max: centre + half }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_distance(shape: &impl SignedDistance, p: [f64; 3], expected: f64) {
        let found = shape.distance(p.into());
        assert!((found - expected).abs() < 1e-14, "found {found}, expected {expected}");
    }

    #[test]
    fn balls_and_capsules_measure_from_their_middles() {
        let ball = Ball { centre: Vec3::X, radius: 2.0 };
        assert_distance(&ball, [1.0, 0.0, 0.0], -2.0);
        assert_distance(&ball, [4.0, 4.0, 0.0], 3.0);
        let capsule = Capsule { ends: [Vec3::ZERO, 2.0 * Vec3::Y], radius: 0.5 };
        assert_distance(&capsule, [0.0, 1.0, 0.0], -0.5);
        assert_distance(&capsule, [3.0, 1.0, 4.0], 4.5);
        assert_distance(&capsule, [0.0, 6.0, 3.0], 4.5);
        let point = Capsule { ends: [Vec3::X, Vec3::X], radius: 0.25 };
        assert_distance(&point, [2.0, 0.0, 0.0], 0.75);
    }

    #[test]
    fn a_block_measures_to_faces_edges_and_corners() {
        let block = Block { centre: Vec3::ONE, size: Vec3::new(2.0, 4.0, 6.0) };
        assert_distance(&block, [1.0, 1.0, 1.0], -1.0);
        assert_distance(&block, [1.0, 2.5, 1.0], -0.5);
        assert_distance(&block, [1.0, 7.0, 1.0], 4.0);
        assert_distance(&block, [5.0, 7.0, 1.0], 5.0);
        assert_distance(&block, [3.0, 4.0, 5.0], 3f64.sqrt());
    }

    #[test]
    fn rings_and_rods_measure_in_their_sections() {
        let ring = Ring { centre: Vec3::ZERO, radius: 3.0, tube_radius: 1.0 };
        assert_distance(&ring, [0.0, 0.0, 0.0], 2.0);
        assert_distance(&ring, [0.0, 0.0, -3.0], -1.0);
        assert_distance(&ring, [3.0, 4.0, 0.0], 3.0);
        let rod = Rod { centre: Vec3::ZERO, radius: 1.0, length: 4.0 };
        assert_distance(&rod, [0.0, 1.5, 0.0], -0.5);
        assert_distance(&rod, [0.6, 0.0, 0.0], -0.4);
        assert_distance(&rod, [4.0, 6.0, 0.0], 5.0);
    }

    #[test]
    fn the_nearest_point_lies_on_the_surface() {
        let ring = Ring { centre: Vec3::Y, radius: 3.0, tube_radius: 1.0 };
        let nearest = ring.nearest(Vec3::new(2.5, 1.3, 1.0), 1.0);
        assert!(ring.distance(nearest).abs() < 1e-6, "{}", ring.distance(nearest));
    }
}
