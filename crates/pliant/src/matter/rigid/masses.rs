//! Particles that move exactly as a solid does: masses at the vertices of its surface, and at five points inside.
//!
//! A rigid body moves by ten numbers: its mass, its centre and its second moments. Masses at the surface vertices alone, or with one more at
//! the centre, cannot have them in general: a plate with vertices on its two faces only would need all of its mass at the rim. So the
//! surface gets a share of the mass, by area, and the rest goes inside: a hub, and four points p_k = q + V D t_k around it, where
//! t_k are the alternate corners (±1, ±1, ±1) of a cube, V the principal axes and D² the principal second moments of what is
//! missing, per mass. Σ t_k = 0 and Σ t_k t_kᵀ = 4 I, so centre and moments come out to rounding, for every closed mesh.

use crate::math::{Mat3, Vec3, symmetric_eigen};

/// Share of the mass at surface vertices, halved until enough is left for the inside.
const SURFACE: f64 = 0.5;
/// Share of the mass inside that is at the hub.
const HUB: f64 = 0.2;
/// Second moments that must be left for the inside, over those of the solid.
const LEFT: f64 = 0.1;
/// Alternate corners of a cube: a regular tetrahedron.
const CORNERS: [Vec3; 4] =
    [Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.0, -1.0, -1.0), Vec3::new(-1.0, 1.0, -1.0), Vec3::new(-1.0, -1.0, 1.0)];

/// Masses of the surface vertices \[kg\], and places from the centre of mass \[m\] and masses \[kg\] of the points inside, the hub first.
pub(super) struct Particles {
    pub(super) surface: Vec<f64>,
    pub(super) inside: [(Vec3, f64); 5],
}

fn square(r: Vec3) -> Mat3 {
    Mat3::from_cols(r * r.x, r * r.y, r * r.z)
}

/// Eigenvalues and eigenvectors of a symmetric matrix.
fn principal(matrix: Mat3) -> ([f64; 3], [Vec3; 3]) {
    let (mut values, mut vectors) = (matrix.to_cols_array(), [0.0; 9]);
    symmetric_eigen(&mut values, &mut vectors, 3);
    let axis = |k: usize| Vec3::new(vectors[k], vectors[3 + k], vectors[6 + k]);
    ([values[0], values[4], values[8]], [axis(0), axis(1), axis(2)])
}

/// Particles for a solid of a mass \[kg\] and second moments about its centre \[kg·m²\], with surface vertices at `offsets` from it
/// that have these `areas` \[m²\].
pub(super) fn distribute(offsets: &[Vec3], areas: &[f64], mass: f64, second: Mat3) -> Particles {
    let area: f64 = areas.iter().sum();
    let mean = offsets.iter().zip(areas).fold(Vec3::ZERO, |sum, (r, a)| sum + *r * (a / area));
    let spread = offsets.iter().zip(areas).fold(Mat3::ZERO, |sum, (r, a)| sum + square(*r) * (a / area));
    let least = principal(second).0.into_iter().fold(f64::INFINITY, f64::min);
    let mut share = SURFACE;
    loop {
        let rest = (1.0 - share) * mass;
        let hub = mean * (-share / (1.0 - share));
        let missing = second - spread * (share * mass) - square(hub) * rest;
        let (values, axes) = principal(missing);
        // With nothing at the surface all of the solid's moments are missing, so this ends.
        if values.iter().all(|value| *value >= LEFT * least) || share < f64::EPSILON {
            let around = (1.0 - HUB) * rest;
            let reach = values.map(|value| (value.max(0.0) / around).sqrt());
            let place =
                |t: Vec3| hub + axes[0] * (reach[0] * t.x) + axes[1] * (reach[1] * t.y) + axes[2] * (reach[2] * t.z);
            let [a, b, c, d] = CORNERS.map(|t| (place(t), around / 4.0));
            let surface = areas.iter().map(|a| share * mass * a / area).collect();
            return Particles { surface, inside: [(hub, HUB * rest), a, b, c, d] };
        }
        share *= 0.5;
    }
}
