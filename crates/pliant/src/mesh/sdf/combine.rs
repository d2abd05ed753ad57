//! Solids made of solids.
//!
//! The union of two distances is their minimum, the intersection their maximum, the difference max(a, −b). Outside a union
//! the result is exact; elsewhere it understates, which [`SignedDistance`] allows.

use super::SignedDistance;
use crate::math::{Mat3, Vec3};
use crate::mesh::Bounds;

/// A solid from which to build others. It is boxed, so that solids of different kinds can be combined.
///
/// ```
/// use pliant::math::{Mat3, Vec3};
/// use pliant::mesh::sdf::{Ball, Rod, SignedDistance, Solid};
///
/// let ball = Ball { centre: Vec3::ZERO, radius: 1.0 };
/// let hole = Solid::new(Rod { centre: Vec3::ZERO, radius: 0.25, length: 3.0 })
///     .moved(Mat3::from_rotation_z(std::f64::consts::FRAC_PI_2), Vec3::ZERO);
/// let bead = Solid::new(ball).difference(hole);
/// assert_eq!(bead.distance(Vec3::ZERO), 0.25);
/// assert!(bead.distance(Vec3::new(0.0, 0.5, 0.0)) < 0.0);
/// ```
pub struct Solid(Box<dyn SignedDistance + Send>);

impl Solid {
    /// The solid itself.
    pub fn new(solid: impl SignedDistance + Send + 'static) -> Self {
        Self(Box::new(solid))
    }

    /// The union with another solid.
    #[must_use]
    pub fn union(self, other: impl SignedDistance + Send + 'static) -> Self {
        self.smooth_union(other, 0.0)
    }

    /// The union with another solid, with the crease between them filled within `radius` \[m\] (quadratic smooth minimum).
    #[must_use]
    pub fn smooth_union(self, other: impl SignedDistance + Send + 'static, radius: f64) -> Self {
        let (a, b) = (self.bounds(), other.bounds());
        // The fillet swells by at most a quarter of its radius.
        let swell = 0.25 * radius.max(0.0);
        let bounds = Bounds { min: a.min.min(b.min) - swell, max: a.max.max(b.max) + swell };
        let distance = move |a: f64, b: f64| {
            let blend = (radius - (a - b).abs()).max(0.0);
            a.min(b) - if blend > 0.0 { 0.25 * blend * blend / radius } else { 0.0 }
        };
        Self::new(Pair { first: self, second: Self::new(other), distance, bounds })
    }

    /// The intersection with another solid.
    #[must_use]
    pub fn intersection(self, other: impl SignedDistance + Send + 'static) -> Self {
        let (a, b) = (self.bounds(), other.bounds());
        let min = a.min.max(b.min);
        // Disjoint boxes leave nothing; a box without extent around nothing keeps min ≤ max.
        let bounds = Bounds { min, max: a.max.min(b.max).max(min) };
        Self::new(Pair { first: self, second: Self::new(other), distance: f64::max, bounds })
    }

    /// This solid without the other.
    #[must_use]
    pub fn difference(self, other: impl SignedDistance + Send + 'static) -> Self {
        let bounds = self.bounds();
        let distance = |a: f64, b: f64| a.max(-b);
        Self::new(Pair { first: self, second: Self::new(other), distance, bounds })
    }

    /// The solid enlarged by `distance` \[m\], or shrunk if it is negative.
    #[must_use]
    pub fn offset(self, distance: f64) -> Self {
        Self::new(Offset { solid: self, distance })
    }

    /// Moves each point x of the solid to `rotation`·x + `shift` \[m\]. The matrix must be a rotation; this is not checked.
    #[must_use]
    pub fn moved(self, rotation: Mat3, shift: Vec3) -> Self {
        Self::new(Moved { solid: self, rotation, shift })
    }

    /// Scaled about the origin by a positive factor.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self::new(Scaled { solid: self, factor })
    }
}

impl SignedDistance for Solid {
    fn distance(&self, p: Vec3) -> f64 {
        self.0.distance(p)
    }

    fn bounds(&self) -> Bounds {
        self.0.bounds()
    }

    fn clearance(&self, p: Vec3) -> f64 {
        self.0.clearance(p)
    }

    fn nearest(&self, p: Vec3, step: f64) -> Vec3 {
        self.0.nearest(p, step)
    }
}

/// Two solids and how their distances make one.
struct Pair<F> {
    first: Solid,
    second: Solid,
    distance: F,
    bounds: Bounds,
}

impl<F: Fn(f64, f64) -> f64 + Sync> SignedDistance for Pair<F> {
    fn distance(&self, p: Vec3) -> f64 {
        (self.distance)(self.first.distance(p), self.second.distance(p))
    }

    fn bounds(&self) -> Bounds {
        self.bounds
    }

    fn clearance(&self, p: Vec3) -> f64 {
        // No sign changes before one of the two distances changes by the distance of the pair; neither does before its
        // own clearance is used up.
        self.distance(p).abs().min(self.first.clearance(p)).min(self.second.clearance(p))
    }
}

struct Offset {
    solid: Solid,
    distance: f64,
}

impl SignedDistance for Offset {
    fn distance(&self, p: Vec3) -> f64 {
        self.solid.distance(p) - self.distance
    }

    fn bounds(&self) -> Bounds {
        let Bounds { min, max } = self.solid.bounds();
        let (min, max) = (min - self.distance, max + self.distance);
        // Shrunk beyond its size nothing is left, around the middle.
        Bounds { min: min.min(0.5 * (min + max)), max: max.max(0.5 * (min + max)) }
    }

    fn clearance(&self, p: Vec3) -> f64 {
        self.distance(p).abs().min(self.solid.clearance(p))
    }
}

struct Moved {
    solid: Solid,
    rotation: Mat3,
    shift: Vec3,
}

impl Moved {
    fn back(&self, p: Vec3) -> Vec3 {
        self.rotation.transpose() * (p - self.shift)
    }
}

impl SignedDistance for Moved {
    fn distance(&self, p: Vec3) -> f64 {
        self.solid.distance(self.back(p))
    }

    fn bounds(&self) -> Bounds {
        let bounds = self.solid.bounds();
        let columns = [self.rotation.x_axis, self.rotation.y_axis, self.rotation.z_axis];
        let half = 0.5 * bounds.size();
        let half = columns[0].abs() * half.x + columns[1].abs() * half.y + columns[2].abs() * half.z;
        let centre = self.rotation * bounds.centre() + self.shift;
        Bounds { min: centre - half, max: centre + half }
    }

    fn clearance(&self, p: Vec3) -> f64 {
        self.solid.clearance(self.back(p))
    }

    fn nearest(&self, p: Vec3, step: f64) -> Vec3 {
        self.rotation * self.solid.nearest(self.back(p), step) + self.shift
    }
}

struct Scaled {
    solid: Solid,
    factor: f64,
}

impl SignedDistance for Scaled {
    fn distance(&self, p: Vec3) -> f64 {
        self.factor * self.solid.distance(p / self.factor)
    }

    fn bounds(&self) -> Bounds {
        let Bounds { min, max } = self.solid.bounds();
        Bounds { min: self.factor * min, max: self.factor * max }
    }

    fn clearance(&self, p: Vec3) -> f64 {
        self.factor * self.solid.clearance(p / self.factor)
    }

    fn nearest(&self, p: Vec3, step: f64) -> Vec3 {
        self.factor * self.solid.nearest(p / self.factor, step / self.factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::sdf::{Ball, Block};

    fn ball(x: f64, radius: f64) -> Ball {
        Ball { centre: Vec3::X * x, radius }
    }

    #[track_caller]
    fn assert_distance(solid: &Solid, p: [f64; 3], expected: f64) {
        let found = solid.distance(p.into());
        assert!((found - expected).abs() < 1e-14, "found {found}, expected {expected}");
    }

    #[test]
    fn set_operations_follow_their_signs() {
        let both = || Solid::new(ball(0.0, 1.0));
        assert_distance(&both().union(ball(1.0, 1.0)), [2.5, 0.0, 0.0], 0.5);
        assert_distance(&both().intersection(ball(1.0, 1.0)), [0.5, 0.0, 0.0], -0.5);
        assert_distance(&both().difference(ball(1.0, 1.0)), [-0.5, 0.0, 0.0], -0.5);
        assert_distance(&both().difference(ball(1.0, 1.0)), [0.5, 0.0, 0.0], 0.5);
        assert_eq!(both().intersection(ball(1.0, 1.0)).bounds().size(), Vec3::new(1.0, 2.0, 2.0));
        assert_eq!(both().intersection(ball(9.0, 1.0)).bounds().size(), Vec3::new(0.0, 2.0, 2.0));
    }

    #[test]
    fn a_smooth_union_swells_by_a_quarter_radius_where_both_are_equally_far() {
        let smooth = Solid::new(ball(-1.0, 0.5)).smooth_union(ball(1.0, 0.5), 0.4);
        assert_distance(&smooth, [0.0, 0.0, 0.0], 0.5 - 0.1);
        assert_distance(&smooth, [1.0, 0.0, 0.0], -0.5);
    }

    #[test]
    fn moved_scaled_and_offset_solids_keep_true_distances() {
        let block = || Solid::new(Block { centre: Vec3::ZERO, size: Vec3::new(2.0, 4.0, 6.0) });
        let turned = block().moved(Mat3::from_rotation_z(std::f64::consts::FRAC_PI_2), Vec3::Z);
        assert_distance(&turned, [3.0, 0.0, 1.0], 1.0);
        assert!((turned.bounds().size() - Vec3::new(4.0, 2.0, 6.0)).length() < 1e-14);
        assert_distance(&block().scaled(0.5), [0.0, 2.0, 0.0], 1.0);
        assert_distance(&block().offset(0.5), [2.0, 0.0, 0.0], 0.5);
        assert_eq!(block().offset(-4.0).bounds().size(), Vec3::ZERO);
    }
}
