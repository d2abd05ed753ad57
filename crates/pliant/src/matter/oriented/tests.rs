//! Fits of groups of ellipsoids.
#![allow(clippy::unwrap_used)]

use super::shape::Shape;
use super::*;

/// A body of ellipsoids that are turned differently, in one group each with their neighbours.
fn shape(positions: &[Vec3], width: usize) -> (Shape, OrientedParticles) {
    let count = positions.len();
    let turn = |k: usize| Quat::from_scaled_axis(Vec3::new(0.3, -0.7, 0.5) * (k as f64 + 0.5));
    let particles = OrientedParticles {
        positions: positions.to_vec(),
        orientations: (0..count).map(turn).collect(),
        radii: (0..count).map(|k| Vec3::new(0.03, 0.05, 0.02 + 0.01 * k as f64)).collect(),
        edges: (1..count as u32).map(|k| [k - 1, k]).collect(),
    };
    let info = Oriented::new(&particles, &OrientedMaterial { width, ..OrientedMaterial::default() });
    let masses: Vec<f64> = (0..count).map(|k| 0.1 + 0.05 * k as f64).collect();
    (Shape::of(&info, positions, &masses, vec![false; count]), particles)
}

#[test]
fn a_rigidly_turned_group_has_exactly_that_rotation_even_on_a_line() {
    let scattered = [Vec3::new(0.1, 0.2, 0.0), Vec3::new(0.3, -0.1, 0.4), Vec3::new(-0.2, 0.5, 0.1)];
    let on_a_line = [Vec3::ZERO, Vec3::X * 0.2, Vec3::X * 0.5];
    let far = on_a_line.map(|p| p + Vec3::splat(1e4));
    // At ten kilometres places are known to 2e-12 m, which a turn about the line sees through ellipsoids of a few centimetres.
    for (positions, most) in [(&scattered[..], 1e-12), (&on_a_line, 1e-12), (&on_a_line[..2], 1e-12), (&far, 1e-8)] {
        for angle in [1e-6, 0.4, 1.7, 3.1] {
            let rotation = Quat::from_axis_angle(Vec3::new(2.0, -1.0, 0.6).normalize(), angle);
            let (mut shape, particles) = shape(positions, 2);
            let first = positions[0];
            let x: Vec<Vec3> = positions.iter().map(|p| first + rotation * (*p - first)).collect();
            let q: Vec<Quat> = particles.orientations.iter().map(|q| rotation * *q).collect();
            for found in shape.rotations(&x, &q) {
                let error = turn_between(rotation, found).length();
                assert!(error < most, "{} particles, {angle} rad: off by {error} rad", positions.len());
            }
        }
    }
}

#[test]
fn a_pair_that_is_only_twisted_has_the_mean_twist() {
    // Positions say nothing about a turn about the line: it is that of the orientations.
    let positions = [Vec3::ZERO, Vec3::X * 0.2];
    let (mut shape, particles) = shape(&positions, 1);
    let twist = Quat::from_rotation_x(0.3);
    let q: Vec<Quat> = particles.orientations.iter().map(|q| twist * *q).collect();
    for found in shape.rotations(&positions, &q) {
        assert!(turn_between(twist, found).length() < 1e-12);
    }
}

#[test]
fn orientations_of_a_turned_start_are_found_from_positions() {
    let positions = [Vec3::ZERO, Vec3::X * 0.2, Vec3::new(0.3, 0.2, 0.0), Vec3::new(0.2, 0.3, 0.2)];
    let (mut shape, particles) = shape(&positions, 2);
    let rotation = Quat::from_scaled_axis(Vec3::new(0.5, 1.2, -0.8));
    shape.align(&positions.map(|p| rotation * p + Vec3::Y));
    for (q, at_rest) in shape.q.iter().zip(&particles.orientations) {
        let error = turn_between(rotation * *at_rest, *q).length();
        assert!(error < 1e-6, "off by {error} rad");
    }
}

#[test]
fn the_turn_between_opposite_quaternions_is_the_shorter_one() {
    let (a, b) = (Quat::from_rotation_z(0.1), Quat::from_rotation_z(0.4));
    for (from, to) in [(a, b), (-a, b), (a, -b)] {
        assert!((turn_between(from, to) - Vec3::Z * 0.3).length() < 1e-12);
    }
}
