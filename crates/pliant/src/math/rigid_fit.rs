//! How points have moved as one [Müller 2005]: the rotation about their centre that fits them best, in the least squares of their weights.

use super::{Mat3, Quat, Vec3, nearest_rotation, svd_3x3};
use crate::math::svd::{is_on_a_line, shortest_arc};

/// The outer product a bᵀ.
#[inline]
pub fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Σ w a rᵀ over arms: where points are now from their centre, times their weights, and where they are at rest from theirs.
#[inline]
pub(crate) fn moment(arms: impl Iterator<Item = (Vec3, Vec3)>) -> Mat3 {
    arms.fold(Mat3::ZERO, |sum, (now, rest)| sum + outer(now, rest))
}

/// The rotation that turns arms at rest to where they are now; where points on a line leave it open, the one nearest to `last`.
#[inline]
pub(crate) fn fitted_rotation(arms: impl Iterator<Item = (Vec3, Vec3)>, last: Quat) -> Quat {
    best_rotation(moment(arms), last)
}

/// The same as a matrix; where points on a line leave it open, any.
#[inline]
pub(crate) fn fitted_matrix(arms: impl Iterator<Item = (Vec3, Vec3)>) -> Mat3 {
    nearest_rotation(moment(arms))
}

/// The rotation nearest to a moment; where points on a line leave it open, the one nearest to `last`.
pub(crate) fn best_rotation(moment: Mat3, last: Quat) -> Quat {
    let svd = svd_3x3(moment);
    if svd.sigma.x.is_nan() || svd.sigma.x <= 0.0 {
        return last;
    }
    if !is_on_a_line(&svd) {
        return Quat::from_mat3(&(svd.u * svd.v.transpose())).normalize();
    }
    let carried = last * svd.v.x_axis;
    (shortest_arc(carried, svd.u.x_axis) * last).normalize()
}

/// The rigid motion that takes points from rest to where they are, as nearly as it can.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidFit {
    /// Centre of the points at rest \[m\].
    pub rest_centre: Vec3,
    /// Where it is now \[m\].
    pub centre: Vec3,
    /// How they are turned about it.
    pub rotation: Quat,
}

impl RigidFit {
    /// Of points: where each is at rest, where it is now, and its weight. Points on a line turn as little as they can.
    ///
    /// ```
    /// use pliant::math::{Quat, RigidFit, Vec3};
    /// let rest = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let turn = Quat::from_rotation_z(0.7);
    /// let fit = RigidFit::new(rest.iter().map(|r| (*r, turn * *r + Vec3::Y, 2.0)));
    /// assert!(fit.rotation.angle_between(turn) < 1e-12);
    /// assert!(fit.place(Vec3::X).distance(turn * Vec3::X + Vec3::Y) < 1e-12);
    /// ```
    pub fn new(points: impl Iterator<Item = (Vec3, Vec3, f64)> + Clone) -> Self {
        let (mut rest_centre, mut centre, mut total) = (Vec3::ZERO, Vec3::ZERO, 0.0);
        for (rest, now, weight) in points.clone() {
            rest_centre += rest * weight;
            centre += now * weight;
            total += weight;
        }
        if total > 0.0 {
            (rest_centre, centre) = (rest_centre / total, centre / total);
        }
        let arms = points.map(|(rest, now, weight)| ((now - centre) * weight, rest - rest_centre));
        Self { rest_centre, centre, rotation: fitted_rotation(arms, Quat::IDENTITY) }
    }

    /// Where the motion takes a point from its place at rest \[m\].
    pub fn place(&self, rest: Vec3) -> Vec3 {
        self.centre + self.rotation * (rest - self.rest_centre)
    }
}
