//! Hair on a ball, straight or curled.

use std::f64::consts::TAU;

use super::{at_least, within_limit};
use crate::math::Vec3;
use crate::math::functions::{cos, sin};
use crate::mesh::error::positive;
use crate::mesh::{Csr, MeshError, StrandSet};

/// A helix that begins on its strand's root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curl {
    /// Radius of the helix \[m\].
    pub radius: f64,
    /// Distance along its axis per turn \[m\].
    pub pitch: f64,
}

impl Curl {
    /// Points of a helix from `root` along a unit `axis`, `step` of arc apart; it leaves the root at an angle of its own.
    fn points(self, root: Vec3, axis: Vec3, phase: f64, step: f64, segments: usize) -> impl Iterator<Item = Vec3> {
        let (u, v) = axis.any_orthonormal_pair();
        // Arc per way along the axis.
        let slope = (1.0 + (TAU * self.radius / self.pitch).powi(2)).sqrt();
        let spoke = move |angle: f64| self.radius * (cos(angle) * u + sin(angle) * v);
        (0..=segments).map(move |i| {
            let along = i as f64 * step / slope;
            root + along * axis + spoke(phase + TAU * along / self.pitch) - spoke(phase)
        })
    }
}

/// Strands that grow from the upper part of a ball around the origin, perpendicular to its surface.
///
/// Strand s has the vertices s·(segments+1) to s·(segments+1) + segments, root first.
///
/// ```
/// use pliant::mesh::generate::{Curl, Scalp};
///
/// let curl = Some(Curl { radius: 0.01, pitch: 0.03 });
/// let hair = Scalp { radius: 0.1, cover: 0.5, count: 500, length: 0.2, segments: 40, curl }.strands()?;
/// assert_eq!(hair.positions.len(), 500 * 41);
/// assert!(hair.strands.rows().all(|strand| (hair.positions[strand[0] as usize].length() - 0.1).abs() < 1e-12));
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalp {
    /// Radius of the ball \[m\].
    pub radius: f64,
    /// Share of the ball's surface that has hair, from the top, up to 1.
    pub cover: f64,
    /// Number of strands, evenly spread.
    pub count: usize,
    /// Length of each strand along its curls \[m\].
    pub length: f64,
    /// Number of segments of each strand.
    pub segments: usize,
    /// Curls; none for straight hair.
    pub curl: Option<Curl>,
}

impl Scalp {
    /// The hair as strands.
    pub fn strands(&self) -> Result<StrandSet, MeshError> {
        let Self { radius, cover, count, length, segments, curl } = *self;
        for (name, value) in [("radius", radius), ("cover", cover), ("length", length)] {
            positive(name, value)?;
        }
        if cover > 1.0 {
            return Err(MeshError::BadParameter { name: "cover", value: cover, need: "at most 1" });
        }
        if let Some(Curl { radius, pitch }) = curl {
            positive("curl radius", radius)?;
            positive("curl pitch", pitch)?;
        }
        at_least("count", count, 1, "at least 1")?;
        at_least("segments", segments, 1, "at least 1")?;
        within_limit("vertices", &[count, segments.saturating_add(1)])?;
        let golden_angle = TAU * (1.0 - 2.0 / (1.0 + 5f64.sqrt()));
        let step = length / segments as f64;
        let mut positions = Vec::with_capacity(count * (segments + 1));
        for strand in 0..count {
            // Equal shares of height are equal shares of a ball's surface.
            let up = 1.0 - 2.0 * cover * (strand as f64 + 0.5) / count as f64;
            let across = (1.0 - up * up).max(0.0).sqrt();
            let turn = golden_angle * strand as f64;
            let normal = Vec3::new(across * cos(turn), up, across * sin(turn));
            match curl {
                Some(curl) => positions.extend(curl.points(radius * normal, normal, 7.0 * turn, step, segments)),
                None => positions.extend((0..=segments).map(|i| (radius + i as f64 * step) * normal)),
            }
        }
        let per_strand = segments as u32 + 1;
        let rows = (0..count as u32).map(|strand| (strand * per_strand..(strand + 1) * per_strand).collect::<Vec<_>>());
        let hair = StrandSet::new(positions, Csr::from_rows(rows))?;
        hair.check_quality()?;
        Ok(hair)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::assert_close;

    const SCALP: Scalp = Scalp { radius: 0.1, cover: 0.4, count: 300, length: 0.2, segments: 60, curl: None };

    #[test]
    fn roots_cover_the_top_evenly_and_hair_stands_out() -> Result<(), MeshError> {
        let hair = SCALP.strands()?;
        let roots = || hair.strands.rows().map(|strand| hair.positions[strand[0] as usize]);
        assert!(roots().all(|root| root.y > 0.1 * (1.0 - 0.8)), "no lower than the cover says");
        let mean = roots().sum::<Vec3>() / 300.0;
        assert_close(mean.y, 0.1 * (1.0 - 0.4), 1e-9);
        assert!(mean.x.hypot(mean.z) < 1e-3, "around the axis: {mean}");
        for strand in hair.strands.rows() {
            let (root, tip) = (hair.positions[strand[0] as usize], hair.positions[strand[60] as usize]);
            assert!((tip - 3.0 * root).length() < 1e-12);
        }
        Ok(())
    }

    #[test]
    fn curls_have_the_length_radius_and_turns_that_they_say() -> Result<(), MeshError> {
        let curl = Curl { radius: 0.008, pitch: 0.02 };
        let hair = Scalp { curl: Some(curl), ..SCALP }.strands()?;
        // Chords are a little shorter than their arcs.
        let length = hair.length() / 300.0;
        assert!(length < 0.2 && length > 0.99 * 0.2, "{length}");
        let strand = &hair.strands.rows().next().expect("a strand").to_vec();
        let root = hair.positions[strand[0] as usize];
        let tip = hair.positions[strand[60] as usize];
        let slope = (1.0 + (TAU * 0.008 / 0.02).powi(2)).sqrt();
        assert_close((tip - root).dot(root.normalize()), 0.2 / slope, 1e-12);
        // Around an axis along the normal it turns once in a pitch: seen along it, θ after the root, it is a chord of 2 r sin ½θ away.
        for &v in strand {
            let way = hair.positions[v as usize] - root;
            let turned = TAU * way.dot(root.normalize()) / 0.02;
            let chord = 2.0 * 0.008 * (0.5 * turned).sin().abs();
            let across = way.reject_from(root.normalize()).length();
            assert!((across - chord).abs() < 1e-12, "{across} m from the root after {turned}, expected {chord} m");
        }
        Ok(())
    }

    #[test]
    fn senseless_hair_is_refused() {
        let bad = |scalp: Scalp| scalp.strands().is_err_and(|e| matches!(e, MeshError::BadParameter { .. }));
        assert!(bad(Scalp { cover: 1.5, ..SCALP }) && bad(Scalp { radius: -1.0, ..SCALP }));
        assert!(bad(Scalp { curl: Some(Curl { radius: 0.0, pitch: 0.1 }), ..SCALP }));
        assert!(matches!(Scalp { count: usize::MAX, ..SCALP }.strands(), Err(MeshError::TooLarge { .. })));
    }
}
