//! How far a shown motion is from the one that it should be.
//!
//! ```text
//!   L2      √(mean of ‖x − y‖² over vertices and frames)                     [m]
//!   largest max ‖x − y‖                                                      [m]
//!   normal  mean over vertices and frames of the angle between normals       [rad]
//!   jitter  √(mean of ‖x₋ − 2x + x₊‖²) of the detail x − smooth, relative to that of the reference
//! ```

use super::error::{UpsampleError, check_positions};
use super::refinement::Refinement;
use crate::math::Vec3;
use crate::math::functions::atan2;
use crate::mesh::triangle_area_vector;

/// Errors of a motion beside a reference.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UpsampleReport {
    /// Root mean square distance over vertices and frames \[m\].
    pub l2: f64,
    /// The largest distance of a vertex in a frame \[m\].
    pub largest: f64,
    /// Mean angle between the normals of the two surfaces at a vertex \[rad\].
    pub normal_angle: f64,
    /// Root mean square second difference in time of what departs from the smooth surface \[m\].
    pub jitter: f64,
    /// The same of the reference \[m\].
    pub reference_jitter: f64,
}

impl UpsampleReport {
    /// Jitter over that of the reference: about 1 for detail that moves as it should, 0 for none; infinite if the reference has none.
    pub fn relative_jitter(&self) -> f64 {
        if self.jitter == 0.0 { 0.0 } else { self.jitter / self.reference_jitter }
    }
}

/// Compares a motion with a reference, frame by frame; `coarse` are the coarse positions, whose smooth surface is what detail is measured from.
pub fn compare(
    refinement: &Refinement,
    coarse: &[Vec<Vec3>],
    predicted: &[Vec<Vec3>],
    reference: &[Vec<Vec3>],
) -> Result<UpsampleReport, UpsampleError> {
    let expected = reference.len();
    for (what, found) in [("coarse frames", coarse.len()), ("predicted frames", predicted.len())] {
        if found != expected {
            return Err(UpsampleError::Comparison { what, found, expected });
        }
    }
    let [_, vertices] = refinement.vertex_counts();
    let mut smooth = vec![Vec3::ZERO; vertices];
    let (mut details, mut reference_details) = (Vec::new(), Vec::new());
    let (mut squares, mut largest, mut angles) = (0.0, 0.0_f64, 0.0);
    for (frame, (found, wanted)) in predicted.iter().zip(reference).enumerate() {
        check_positions(&|| format!("predicted frame {frame}"), "fine", found, vertices)?;
        check_positions(&|| format!("reference frame {frame}"), "fine", wanted, vertices)?;
        refinement.smooth(&coarse[frame], &mut smooth)?;
        for (x, y) in found.iter().zip(wanted) {
            let square = x.distance_squared(*y);
            squares += square;
            largest = largest.max(square);
        }
        let triangles = &refinement.fine_mesh().triangles;
        let normals = vertex_normals(triangles, found).into_iter().zip(vertex_normals(triangles, wanted));
        // Exact where the angle is small, unlike the arc cosine.
        angles += normals.map(|(a, b)| atan2(a.cross(b).length(), a.dot(b))).sum::<f64>();
        let detail = |x: &[Vec3]| -> Vec<Vec3> { x.iter().zip(&smooth).map(|(x, s)| *x - *s).collect() };
        details.push(detail(found));
        reference_details.push(detail(wanted));
    }
    let samples = (expected * vertices).max(1) as f64;
    Ok(UpsampleReport {
        l2: (squares / samples).sqrt(),
        largest: largest.sqrt(),
        normal_angle: angles / samples,
        jitter: second_difference(&details),
        reference_jitter: second_difference(&reference_details),
    })
}

/// Area-weighted, not normalised.
fn vertex_normals(triangles: &[[u32; 3]], positions: &[Vec3]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for t in triangles {
        let normal = triangle_area_vector(t.map(|v| positions[v as usize]));
        t.iter().for_each(|&v| normals[v as usize] += normal);
    }
    normals
}

/// Root mean square; zero for fewer than three frames.
fn second_difference(frames: &[Vec<Vec3>]) -> f64 {
    let mut squares = 0.0;
    for [a, b, c] in frames.array_windows() {
        squares += a.iter().zip(b).zip(c).map(|((a, b), c)| (*a - 2.0 * *b + *c).length_squared()).sum::<f64>();
    }
    let samples = frames.len().saturating_sub(2) * frames.first().map_or(0, Vec::len);
    (squares / samples.max(1) as f64).sqrt()
}
