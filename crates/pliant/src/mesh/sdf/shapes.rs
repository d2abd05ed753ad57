//! Shapes with closed-form distances [Quilez 2013].

use super::SignedDistance;
use crate::math::Vec3;
use crate::math::functions::hypot;
use crate::mesh::Bounds;

/// The nearest point of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearby {
    /// Signed distance, negative inside \[m\].
    pub distance: f64,
    /// The nearest point of the surface \[m\].
    pub point: Vec3,
    /// Unit vector out of the shape.
    pub normal: Vec3,
}

impl Nearby {
    /// Of a point p \[m\].
    pub(crate) fn new(p: Vec3, distance: f64, normal: Vec3) -> Self {
        Self { distance, point: p - normal * distance, normal }
    }
}

/// A solid sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// The centre \[m\].
    pub centre: Vec3,
    /// The radius \[m\].
    pub radius: f64,
}

impl Ball {
    /// The nearest point of the surface.
    pub fn nearby(&self, p: Vec3) -> Nearby {
        let offset = p - self.centre;
        let length = offset.length();
        // The centre is equally far from everywhere; up is as good as any way out.
        let normal = if length > 0.0 { offset / length } else { Vec3::Y };
        Nearby::new(p, length - self.radius, normal)
    }
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

impl Block {
    /// The nearest point of the surface.
    pub fn nearby(&self, p: Vec3) -> Nearby {
        let offset = p - self.centre;
        let beyond = offset.abs() - 0.5 * self.size;
        let sides = Vec3::from_array(offset.to_array().map(|c| if c < 0.0 { -1.0 } else { 1.0 }));
        // Outside, the corner or face beyond which p lies; inside, the nearest face.
        let outside = beyond.max(Vec3::ZERO);
        let distance = outside.length();
        if distance > 0.0 {
            return Nearby::new(p, distance, outside / distance * sides);
        }
        let axis = beyond.max_position();
        let mut normal = Vec3::ZERO;
        normal[axis] = sides[axis];
        Nearby::new(p, beyond[axis], normal)
    }
}

impl SignedDistance for Block {
    fn distance(&self, p: Vec3) -> f64 {
        self.nearby(p).distance
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

impl Capsule {
    /// The ball of it that is nearest to a point.
    fn ball(&self, p: Vec3) -> Ball {
        let [start, end] = self.ends;
        let axis = end - start;
        // A segment without length is a point.
        let along = ((p - start).dot(axis) / axis.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        Ball { centre: start + along * axis, radius: self.radius }
    }

    /// The nearest point of the surface.
    pub fn nearby(&self, p: Vec3) -> Nearby {
        self.ball(p).nearby(p)
    }
}

impl SignedDistance for Capsule {
    fn distance(&self, p: Vec3) -> f64 {
        self.ball(p).distance(p)
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
        hypot(hypot(p.x, p.z) - self.radius, p.y) - self.tube_radius
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

impl Rod {
    /// The nearest point of the surface.
    pub fn nearby(&self, p: Vec3) -> Nearby {
        let offset = p - self.centre;
        let around = Vec3::new(offset.x, 0.0, offset.z);
        let r = around.length();
        let radial = if r > 0.0 { around / r } else { Vec3::X };
        let axial = if offset.y < 0.0 { -Vec3::Y } else { Vec3::Y };
        let (side, cap) = (r - self.radius, offset.y.abs() - 0.5 * self.length);
        if side > 0.0 && cap > 0.0 {
            let distance = hypot(side, cap);
            return Nearby::new(p, distance, (radial * side + axial * cap) / distance);
        }
        if side > cap { Nearby::new(p, side, radial) } else { Nearby::new(p, cap, axial) }
    }
}

impl SignedDistance for Rod {
    fn distance(&self, p: Vec3) -> f64 {
        self.nearby(p).distance
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

    /// A point, and its distance along the normal, are what leads to the surface; the gradient of distances is the normal.
    #[test]
    fn nearby_points_agree_with_distances_all_around() {
        let ball = Ball { centre: Vec3::X, radius: 0.7 };
        let block = Block { centre: Vec3::Y, size: Vec3::new(1.0, 0.6, 1.4) };
        let capsule = Capsule { ends: [Vec3::new(-0.4, 0.1, 0.0), Vec3::new(0.5, 0.6, 0.3)], radius: 0.3 };
        let rod = Rod { centre: Vec3::Z, radius: 0.5, length: 0.8 };
        type Pair<'a> = (&'a dyn SignedDistance, &'a dyn Fn(Vec3) -> Nearby);
        let shapes: [Pair<'_>; 4] = [
            (&ball, &|p| ball.nearby(p)),
            (&block, &|p| block.nearby(p)),
            (&capsule, &|p| capsule.nearby(p)),
            (&rod, &|p| rod.nearby(p)),
        ];
        for (shape, nearby) in shapes {
            for k in 0..500 {
                let k = f64::from(k);
                let p = Vec3::new((1.3 * k).sin(), (2.1 * k).cos(), (0.7 * k + 1.0).sin()) * 1.5;
                let near = nearby(p);
                assert!((near.distance - shape.distance(p)).abs() < 1e-14);
                assert!((near.normal.length() - 1.0).abs() < 1e-12);
                assert!(shape.distance(near.point).abs() < 1e-12, "{} at {p}", shape.distance(near.point));
                assert!(near.point.distance(p + near.normal * -near.distance) < 1e-14);
                let ahead = shape.distance(p + near.normal * 1e-6);
                assert!((ahead - near.distance - 1e-6).abs() < 1e-9, "the normal leads away from {p}");
            }
        }
    }

    #[test]
    fn the_nearest_point_lies_on_the_surface() {
        let ring = Ring { centre: Vec3::Y, radius: 3.0, tube_radius: 1.0 };
        let nearest = ring.nearest(Vec3::new(2.5, 1.3, 1.0), 1.0);
        assert!(ring.distance(nearest).abs() < 1e-6, "{}", ring.distance(nearest));
    }
}
