//! Plants: a stem with branches, as strands that share vertices, and tubes around strands.

use std::f64::consts::TAU;

use super::{at_least, within_limit};
use crate::math::functions::{cos, rotation_about, sin};
use crate::math::{Vec3, perpendicular_to};
use crate::mesh::error::positive;
use crate::mesh::{Csr, MeshError, StrandSet, TriangleMesh};

/// An upright stem with branches, each rotated by the golden angle from the one before; the root is at the origin,
/// vertex 0.
///
/// ```
/// use pliant::mesh::generate::Plant;
/// let plant = Plant { branches: 5, segments: 10, ..Plant::default() }.strands()?;
/// assert_eq!(plant.strands.len(), 6);
/// assert_eq!(plant.positions[10].y, 1.0);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plant {
    /// Height of the stem \[m\].
    pub height: f64,
    /// Segments of the stem.
    pub segments: usize,
    /// Number of branches, on the upper two thirds of the stem.
    pub branches: usize,
    /// Length of the lowest branch \[m\]; the highest is half as long.
    pub branch_length: f64,
    /// Angle between a branch and the stem at the start of the branch \[rad\]; it then bends up.
    pub spread: f64,
}

impl Default for Plant {
    fn default() -> Self {
        Self { height: 1.0, segments: 12, branches: 8, branch_length: 0.5, spread: 1.1 }
    }
}

impl Plant {
    /// The strands: first the stem, then the branches from below, each from its vertex of the stem.
    pub fn strands(&self) -> Result<StrandSet, MeshError> {
        let Self { height, segments, branches, branch_length, spread } = *self;
        positive("height", height)?;
        positive("branch length", branch_length)?;
        at_least("segments", segments, 3, "at least 3")?;
        within_limit("segments", &[segments, branches.saturating_add(1)])?;
        if !(0.0..=TAU / 2.0).contains(&spread) {
            return Err(MeshError::BadParameter { name: "spread", value: spread, need: "0 to π" });
        }
        let step = height / segments as f64;
        let mut positions: Vec<Vec3> = (0..=segments).map(|k| Vec3::Y * (step * k as f64)).collect();
        positions[segments].y = height;
        let mut strands = Csr::from_rows([(0..=segments as u32).collect::<Vec<_>>()]);
        let golden_angle = TAU * (1.0 - 2.0 / (1.0 + 5f64.sqrt()));
        for branch in 0..branches {
            let share = (branch as f64 + 0.5) / branches as f64;
            let from = (segments as f64 * (1.0 + 2.0 * share) / 3.0).round() as usize;
            let from = from.clamp(1, segments - 1);
            let length = branch_length * (1.0 - 0.5 * share);
            let count = ((length / step).round() as usize).max(2);
            let around = rotation_about(Vec3::Y, golden_angle * branch as f64);
            let (mut row, mut at) = (vec![from as u32], positions[from]);
            for k in 0..count {
                // Branches bend up by a third of their angle towards the tip.
                let angle = spread * (1.0 - k as f64 / (3.0 * count as f64));
                at += around * Vec3::new(sin(angle), cos(angle), 0.0) * (length / count as f64);
                row.push(positions.len() as u32);
                positions.push(at);
            }
            strands.push_row(&row);
        }
        StrandSet::new(positions, strands)
    }
}

/// A radius for each vertex of strands that grow from roots: cross-sections add up where branches join, as Leonardo
/// observed in trees, from the radius of a tip \[m\] to that of the base \[m\].
///
/// ```
/// use pliant::mesh::generate::{Plant, tapered_radii};
/// let plant = Plant::default().strands()?;
/// let radii = tapered_radii(&plant, 0.03, 0.005);
/// assert_eq!(radii[0], 0.03);
/// assert!(radii.iter().all(|&r| (0.005..=0.03).contains(&r)));
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
pub fn tapered_radii(strands: &StrandSet, base: f64, tip: f64) -> Vec<f64> {
    // What is above a vertex, as length. Strands come after those that they leave, so that from the last each is complete.
    let mut above = vec![0.0_f64; strands.positions.len()];
    for strand in (0..strands.strands.len()).rev() {
        for ends in strands.strands.row(strand).windows(2).rev() {
            let [a, b] = [ends[0] as usize, ends[1] as usize];
            above[a] += above[b] + strands.positions[a].distance(strands.positions[b]);
        }
    }
    let most = above.iter().copied().fold(0.0, f64::max);
    let share = |length: &f64| if most > 0.0 { length / most } else { 0.0 };
    let square = |share: f64| tip * tip * (1.0 - share) + base * base * share;
    above.iter().map(|length| square(share(length)).sqrt()).collect()
}

/// Tubes around strands with a radius for each vertex \[m\] and a number of sides, closed at the tips.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::mesh::generate::{rope, tubes};
/// let rope = rope(Vec3::ZERO, Vec3::Y, 4)?;
/// let tube = tubes(&rope, &[0.1; 5], 6)?;
/// assert_eq!(tube.positions.len(), 5 * 6 + 2);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
pub fn tubes(strands: &StrandSet, radii: &[f64], sides: usize) -> Result<TriangleMesh, MeshError> {
    at_least("sides", sides, 3, "at least 3")?;
    within_limit("sides", &[strands.strands.items().len(), sides])?;
    if radii.len() != strands.positions.len() {
        return Err(MeshError::BadParameter { name: "radii", value: radii.len() as f64, need: "one for each vertex" });
    }
    radii.iter().try_for_each(|&radius| positive("radius", radius).map(drop))?;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for row in strands.strands.rows() {
        let at = |k: usize| strands.positions[row[k] as usize];
        let first = positions.len() as u32;
        let sides = sides as u32;
        let mut across = perpendicular_to((at(1) - at(0)).normalize_or(Vec3::Y));
        for (k, &vertex) in row.iter().enumerate() {
            let way = (at((k + 1).min(row.len() - 1)) - at(k.saturating_sub(1))).normalize_or(Vec3::Y);
            // Carried along without twist.
            across = (across - way * across.dot(way)).normalize_or(perpendicular_to(way));
            // A branch begins no thicker than it goes on.
            let radius = radii[vertex as usize].min(if k == 0 { 1.5 * radii[row[1] as usize] } else { f64::INFINITY });
            let around = |side: u32| rotation_about(way, TAU * f64::from(side) / f64::from(sides)) * across;
            positions.extend((0..sides).map(|side| at(k) + around(side) * radius));
        }
        let last = row.len() as u32 - 1;
        for side in 0..sides {
            let next = (side + 1) % sides;
            for k in 0..last {
                let [a, b, c, d] =
                    [(k, side), (k, next), (k + 1, side), (k + 1, next)].map(|(k, s)| first + k * sides + s);
                triangles.extend([[a, b, d], [a, d, c]]);
            }
            let [root, tip] = [0, 1].map(|end| first + (last + 1) * sides + end);
            triangles.push([root, first + next, first + side]);
            triangles.push([tip, first + last * sides + side, first + last * sides + next]);
        }
        positions.extend([at(0), at(row.len() - 1)]);
    }
    TriangleMesh::new(positions, triangles)
}

/// Leaves of a length \[m\] at all vertices of strands, on alternating sides; the first strand, the stem, has none if
/// there are others.
pub fn leaves(strands: &StrandSet, length: f64) -> Result<TriangleMesh, MeshError> {
    positive("leaf", length)?;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    // A strand alone has them all.
    for row in strands.strands.rows().skip(usize::from(strands.strands.len() > 1)) {
        for (k, ends) in row.windows(2).enumerate() {
            let [from, base] = [0, 1].map(|end| strands.positions[ends[end] as usize]);
            let way = (base - from).normalize_or(Vec3::Y);
            let flat = Vec3::Y.cross(way).normalize_or(perpendicular_to(way));
            let along = (way * 0.6 + flat * if k % 2 == 0 { 0.8 } else { -0.8 }).normalize_or(way);
            let across = way.cross(flat).cross(along).normalize_or(perpendicular_to(along)) * (0.25 * length);
            let (middle, first) = (base + along * (0.5 * length), positions.len() as u32);
            let tip = base + along * length - Vec3::Y * (0.1 * length);
            positions.extend([base, middle - across, tip, middle + across]);
            triangles.extend([[0, 1, 2], [0, 2, 3]].map(|t: [u32; 3]| t.map(|v| first + v)));
        }
    }
    TriangleMesh::new(positions, triangles)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::mesh::Simplices;

    #[test]
    fn tubes_of_a_straight_rope_have_the_volume_of_a_prism() {
        let rope = super::super::rope(Vec3::ZERO, Vec3::new(0.3, 1.0, -0.2), 5).unwrap();
        let tube = tubes(&rope, &[0.1; 6], 12).unwrap();
        let volume: f64 = tube
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| tube.positions[v as usize]);
                a.cross(b).dot(c) / 6.0
            })
            .sum();
        let area = 0.5 * 12.0 * (TAU / 12.0).sin() * 0.01;
        assert!((volume - area * rope.length()).abs() < 1e-12, "{volume}");
        assert_eq!(tube.vertex_count() as i64 - tube.edges().len() as i64 + tube.triangles.len() as i64, 2);
    }

    #[test]
    fn cross_sections_add_up_at_forks_with_what_lengths_add() {
        let strands = Plant::default().strands().unwrap();
        let (base, tip) = (0.03_f64, 0.001_f64);
        let radii = tapered_radii(&strands, base, tip);
        let beyond_tip = |v: u32| radii[v as usize].powi(2) - tip.powi(2);
        let per_length = (base.powi(2) - tip.powi(2)) / strands.length();
        for v in 0..radii.len() as u32 {
            let above = strands.segments().filter(|ends| ends[0] == v).map(|ends| {
                let [a, b] = ends.map(|end| strands.positions[end as usize]);
                beyond_tip(ends[1]) + per_length * a.distance(b)
            });
            assert!((beyond_tip(v) - above.sum::<f64>()).abs() < 1e-15, "vertex {v}");
        }
    }

    #[test]
    fn senseless_plants_are_refused() {
        assert!(Plant { segments: 1, ..Plant::default() }.strands().is_err());
        assert!(Plant { height: -1.0, ..Plant::default() }.strands().is_err());
        assert!(Plant { spread: f64::NAN, ..Plant::default() }.strands().is_err());
        assert!(Plant { branches: usize::MAX, ..Plant::default() }.strands().is_err());
        let strands = Plant::default().strands().unwrap();
        assert!(tubes(&strands, &[0.1; 3], 6).is_err());
    }
}
