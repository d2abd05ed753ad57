//! Ropes, and bundles of strands such as hair or grass.

use std::f64::consts::TAU;

use super::{at_least, within_limit};
use crate::math::Vec3;
use crate::math::functions::sin_cos;
use crate::mesh::error::positive;
use crate::mesh::{Csr, MeshError, StrandSet};

/// A straight polyline from one point to another, in equal segments.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::mesh::generate::rope;
///
/// let rope = rope(Vec3::ZERO, Vec3::new(0.0, -2.0, 0.0), 8)?;
/// assert_eq!(rope.positions.len(), 9);
/// assert_eq!(rope.length(), 2.0);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
pub fn rope(from: Vec3, to: Vec3, segments: usize) -> Result<StrandSet, MeshError> {
    positive("rope length", from.distance(to))?;
    at_least("segments", segments, 1, "at least 1")?;
    within_limit("segments", &[segments])?;
    let positions = line(from, to, segments).collect();
    let rope = StrandSet::new(positions, Csr::from_rows([(0..=segments as u32).collect::<Vec<_>>()]))?;
    // Far from the origin, short segments can vanish in the rounding of their ends.
    rope.check_quality()?;
    Ok(rope)
}

/// The vertices of a straight line; the last one is `to` to the bit.
fn line(from: Vec3, to: Vec3, segments: usize) -> impl Iterator<Item = Vec3> {
    (0..=segments).map(move |i| {
        let share = i as f64 / segments as f64;
        if i == segments { to } else { from + share * (to - from) }
    })
}

/// Where the strands of a bundle are rooted, in the plane through the origin across their direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Roots {
    /// Evenly over a disc, in a sunflower's spiral: successive roots turn by the golden angle and cover equal areas.
    Disc {
        /// Radius \[m\].
        radius: f64,
        /// Number of strands.
        count: usize,
    },
    /// On a grid.
    Grid {
        /// Distance between neighbouring roots \[m\].
        spacing: f64,
        /// Number of strands in one direction.
        columns: usize,
        /// Number of strands in the other direction.
        rows: usize,
    },
}

impl Roots {
    /// The number of strands.
    pub fn count(&self) -> usize {
        match *self {
            Self::Disc { count, .. } => count,
            Self::Grid { columns, rows, .. } => columns.saturating_mul(rows),
        }
    }

    /// Where the given strand is rooted, in the plane \[m\].
    fn place(&self, strand: usize) -> [f64; 2] {
        match *self {
            Self::Disc { radius, count } => {
                let golden_angle = TAU * (1.0 - 2.0 / (1.0 + 5f64.sqrt()));
                let at = radius * ((strand as f64 + 0.5) / count as f64).sqrt();
                let (sin, cos) = sin_cos(golden_angle * strand as f64);
                [at * cos, at * sin]
            }
            Self::Grid { spacing, columns, rows } => {
                let (column, row) = (strand % columns, strand / columns);
                [(column, columns), (row, rows)].map(|(i, count)| spacing * (i as f64 - 0.5 * (count as f64 - 1.0)))
            }
        }
    }

    fn check(&self) -> Result<(), MeshError> {
        match *self {
            Self::Disc { radius, count } => {
                positive("radius", radius)?;
                at_least("count", count, 1, "at least 1")
            }
            Self::Grid { spacing, columns, rows } => {
                positive("spacing", spacing)?;
                at_least("columns", columns, 1, "at least 1")?;
                at_least("rows", rows, 1, "at least 1")
            }
        }
    }
}

/// Parallel straight strands.
///
/// Strand s has the vertices s·(segments+1) to s·(segments+1) + segments, root first.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::mesh::generate::{Bundle, Roots};
///
/// let roots = Roots::Disc { radius: 0.05, count: 200 };
/// let hair = Bundle { roots, direction: Vec3::NEG_Y, length: 0.3, segments: 20 }.strands()?;
/// assert_eq!(hair.strands.len(), 200);
/// assert!((hair.length() - 200.0 * 0.3).abs() < 1e-9);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bundle {
    /// Where the strands are rooted, around the origin.
    pub roots: Roots,
    /// Where the strands point; its length does not matter.
    pub direction: Vec3,
    /// Length of each strand \[m\].
    pub length: f64,
    /// Number of segments of each strand.
    pub segments: usize,
}

impl Bundle {
    /// The bundle as strands.
    pub fn strands(&self) -> Result<StrandSet, MeshError> {
        let Self { roots, direction, length, segments } = *self;
        roots.check()?;
        positive("length", length)?;
        positive("direction's length", direction.length())?;
        at_least("segments", segments, 1, "at least 1")?;
        // Every segment has a vertex at its end, and every strand one more.
        within_limit("vertices", &[roots.count(), segments.saturating_add(1)])?;

        let direction = direction.normalize();
        let (u, v) = direction.any_orthonormal_pair();
        let per_strand = segments as u32 + 1;
        let mut positions = Vec::with_capacity(roots.count() * (segments + 1));
        for strand in 0..roots.count() {
            let [a, b] = roots.place(strand);
            let root = a * u + b * v;
            positions.extend(line(root, root + length * direction, segments));
        }
        let strands = (0..roots.count() as u32).map(|strand| -> Vec<u32> {
            let first = strand * per_strand;
            (first..first + per_strand).collect()
        });
        StrandSet::new(positions, Csr::from_rows(strands))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::assert_close;

    fn bundle(roots: Roots) -> Bundle {
        Bundle { roots, direction: Vec3::new(1.0, -2.0, 0.5), length: 0.4, segments: 5 }
    }

    #[test]
    fn a_rope_has_equal_segments_and_exact_ends() -> Result<(), MeshError> {
        let (from, to) = (Vec3::new(0.1, 0.2, 0.3), Vec3::new(-1.0, 3.0, 0.7));
        let rope = rope(from, to, 13)?;
        assert_eq!((rope.positions[0], rope.positions[13]), (from, to));
        for length in rope.segment_lengths() {
            assert_close(length, from.distance(to) / 13.0, 1e-12);
        }
        Ok(())
    }

    #[test]
    fn strands_point_along_the_direction_from_roots_across_it() -> Result<(), MeshError> {
        let grid = Roots::Grid { spacing: 0.01, columns: 4, rows: 3 };
        for roots in [Roots::Disc { radius: 0.1, count: 60 }, grid] {
            let bundle = bundle(roots);
            let set = bundle.strands()?;
            set.check_quality()?;
            set.check_referenced()?;
            assert_eq!(set.components().count, roots.count());
            let direction = bundle.direction.normalize();
            for strand in set.strands.rows() {
                let (root, tip) = (set.positions[strand[0] as usize], set.positions[strand[5] as usize]);
                assert!(root.dot(direction).abs() < 1e-15);
                assert!((tip - root - 0.4 * direction).length() < 1e-15);
            }
        }
        Ok(())
    }

    #[test]
    fn sunflower_roots_keep_apart_and_cover_the_disc() {
        let (radius, count) = (0.5, 300);
        let roots = Roots::Disc { radius, count };
        let places: Vec<Vec3> = (0..count).map(|i| roots.place(i)).map(|[a, b]| Vec3::new(a, b, 0.0)).collect();
        let typical = radius * (std::f64::consts::PI / count as f64).sqrt();
        for (i, a) in places.iter().enumerate() {
            assert!(a.length() < radius);
            assert!(places[..i].iter().all(|b| a.distance(*b) > 0.7 * typical));
        }
        // A uniform disc has the mean square radius R²/2.
        let mean = places.iter().map(|p| p.length_squared()).sum::<f64>() / count as f64;
        assert_close(mean, 0.5 * radius * radius, 1e-12);
    }

    #[test]
    fn senseless_strands_are_refused() {
        assert!(matches!(rope(Vec3::ONE, Vec3::ONE, 3), Err(MeshError::BadParameter { value: 0.0, .. })));
        assert!(matches!(rope(Vec3::ZERO, Vec3::X, usize::MAX), Err(MeshError::TooLarge { .. })));
        let still = Bundle { direction: Vec3::ZERO, ..bundle(Roots::Disc { radius: 1.0, count: 2 }) };
        assert!(matches!(still.strands(), Err(MeshError::BadParameter { name: "direction's length", .. })));
        let huge = bundle(Roots::Grid { spacing: 1.0, columns: usize::MAX, rows: 2 });
        assert!(matches!(huge.strands(), Err(MeshError::TooLarge { .. })));
    }
}
