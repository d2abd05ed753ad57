//! A last push: fine vertices out of colliders, which the coarse mesh keeps clear of but detail may reach into.

use crate::collide::Moving;
use crate::math::Vec3;
use crate::parallel::map;

/// Pushes of a vertex: one collider may push it into another.
const ROUNDS: usize = 3;

/// Moves points that are nearer to a collider than `thickness` \[m\], at the end of its step, straight out of it, and returns how many did move.
/// A point between colliders that are closer than that ends up outside of the last.
///
/// ```
/// use pliant::collide::{Collider, Shape};
/// use pliant::math::Vec3;
/// use pliant::upsample::push_outside;
///
/// let ball = Collider::new(Shape::Sphere { radius: 1.0 });
/// let mut points = [Vec3::X * 0.9, Vec3::X * 2.0];
/// assert_eq!(push_outside(&mut points, &[ball.moving_over(0.0, 0.0)], 0.01), 1);
/// assert!((points[0] - Vec3::X * 1.01).length() < 1e-12 && points[1] == Vec3::X * 2.0);
/// ```
pub fn push_outside(positions: &mut [Vec3], colliders: &[Moving<'_>], thickness: f64) -> usize {
    let thickness = if thickness > 0.0 { thickness } else { 0.0 };
    let push = |p: &mut Vec3| {
        let start = *p;
        for _ in 0..ROUNDS {
            let before = *p;
            for collider in colliders {
                if let Some(near) = collider.near_at_end(*p, thickness) {
                    *p += near.normal * (thickness - near.distance);
                }
            }
            if *p == before {
                break;
            }
        }
        *p != start
    };
    map(positions.chunks_mut(1024).collect(), &|part: &mut [Vec3]| {
        part.iter_mut().filter_map(|p| push(p).then_some(())).count()
    })
    .into_iter()
    .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::{Collider, Shape};

    #[test]
    fn points_end_outside_of_a_ball_above_the_ground() {
        let colliders =
            [Collider::new(Shape::Plane), Collider::new(Shape::Sphere { radius: 0.5 }).at(Vec3::new(0.0, 0.9, 0.0))];
        let moving: Vec<Moving<'_>> = colliders.iter().map(|collider| collider.moving_over(0.0, 0.0)).collect();
        let mut points: Vec<Vec3> = (0..3000)
            .map(|i| (Vec3::new(0.8191725, 0.6710436, 0.5497005) * f64::from(i)).fract() * 2.0 - 1.0)
            .collect();
        let (before, thickness) = (points.clone(), 0.004);
        let count = push_outside(&mut points, &moving, thickness);
        assert_eq!(count, points.iter().zip(&before).filter(|(a, b)| a != b).count());
        assert!(count > 1000, "{count}");
        for (p, q) in points.iter().zip(&before) {
            let distance = |p: Vec3| p.y.min(p.distance(Vec3::new(0.0, 0.9, 0.0)) - 0.5);
            assert!(distance(*p) > thickness - 1e-12, "{q} → {p}");
            assert!(distance(*q) < thickness || p == q);
        }
    }
}
