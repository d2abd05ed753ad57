//! Resolves a selection to vertex numbers.

use pliant::math::{Vec3, diagonal};
use pliant::mesh::StrandSet;

use crate::format::{Corner, Select, Side};

/// Share of the diagonal within which a vertex counts as being at a side.
const SIDE_DEPTH: f64 = 0.01;

/// Vertices of `points` that a selection means, ascending without repeats except where an order was given. The error says
/// what is wrong with it.
pub(crate) fn resolve(select: &Select, points: &[Vec3], strands: Option<&StrandSet>) -> Result<Vec<u32>, String> {
    let filter = |keep: &dyn Fn(Vec3) -> bool| -> Vec<u32> {
        (0u32..).zip(points).filter(|(_, p)| keep(**p)).map(|(v, _)| v).collect()
    };
    let chosen = match select {
        Select::All => filter(&|_| true),
        Select::Roots => {
            let strands = strands.ok_or("roots are those of strands, which this body is not made of")?;
            let mut roots: Vec<u32> = strands.strands.rows().filter_map(|row| row.first().copied()).collect();
            // A branch begins at a vertex of another strand.
            roots.sort_unstable();
            roots.dedup();
            roots
        }
        Select::Vertices(list) => match list.iter().find(|&&v| v as usize >= points.len()) {
            Some(v) => return Err(format!("there is no vertex {v}; the body has {}", points.len())),
            None => list.clone(),
        },
        Select::Corners(corners) => corners.iter().map(|corner| corner_vertex(*corner, points)).collect(),
        Select::Side(side) => side_vertices(*side, points),
        Select::Nearest(target) => {
            let target = Vec3::from_array(*target);
            (0u32..)
                .zip(points)
                .min_by(|a, b| a.1.distance(target).total_cmp(&b.1.distance(target)))
                .map(|(v, _)| v)
                .into_iter()
                .collect()
        }
        Select::Box { min, max } => {
            let (min, max) = (Vec3::from_array(*min), Vec3::from_array(*max));
            filter(&|p| p.cmpge(min).all() && p.cmple(max).all())
        }
        Select::Ball { centre, radius } => filter(&|p| p.distance(Vec3::from_array(*centre)) <= *radius),
    };
    if chosen.is_empty() { Err("it selects no vertex".into()) } else { Ok(chosen) }
}

/// Horizontal and vertical coordinate as seen from the front; a flat sheet is seen from above.
fn seen(points: &[Vec3]) -> impl Fn(Vec3) -> (f64, f64) {
    let (low, high) = extent(points);
    let flat = high.y - low.y < SIDE_DEPTH * diagonal(points);
    move |p| if flat { (p.x, -p.z) } else { (p.x, p.y) }
}

fn extent(points: &[Vec3]) -> (Vec3, Vec3) {
    points.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)))
}

fn corner_vertex(corner: Corner, points: &[Vec3]) -> u32 {
    let seen = seen(points);
    let score = |p: Vec3| {
        let (x, y) = seen(p);
        match corner {
            Corner::TopLeft => y - x,
            Corner::TopRight => y + x,
            Corner::BottomLeft => -y - x,
            Corner::BottomRight => x - y,
        }
    };
    (0u32..).zip(points).max_by(|a, b| score(*a.1).total_cmp(&score(*b.1))).map_or(0, |(v, _)| v)
}

fn side_vertices(side: Side, points: &[Vec3]) -> Vec<u32> {
    let (low, high) = extent(points);
    let depth = SIDE_DEPTH * diagonal(points);
    let at = |p: Vec3| match side {
        Side::Left => p.x <= low.x + depth,
        Side::Right => p.x >= high.x - depth,
        Side::Bottom => p.y <= low.y + depth,
        Side::Top => p.y >= high.y - depth,
        Side::Back => p.z <= low.z + depth,
        Side::Front => p.z >= high.z - depth,
    };
    (0u32..).zip(points).filter(|(_, p)| at(**p)).map(|(v, _)| v).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(select: &Select, points: &[Vec3]) -> Result<Vec<u32>, String> {
        super::resolve(select, points, None)
    }

    fn square(flat: bool) -> Vec<Vec3> {
        let point = |x: f64, y: f64| if flat { Vec3::new(x, 0.0, -y) } else { Vec3::new(x, y, 0.0) };
        vec![point(0.0, 0.0), point(1.0, 0.0), point(0.0, 1.0), point(1.0, 1.0)]
    }

    #[test]
    fn corners_are_named_as_seen_from_the_front_and_from_above() {
        let corners = [Corner::BottomLeft, Corner::BottomRight, Corner::TopLeft, Corner::TopRight];
        for flat in [false, true] {
            assert_eq!(resolve(&Select::Corners(corners.to_vec()), &square(flat)), Ok(vec![0, 1, 2, 3]));
        }
    }

    #[test]
    fn sides_boxes_balls_and_nearest_select_what_they_say() {
        let points = square(false);
        assert_eq!(resolve(&Select::Side(Side::Top), &points), Ok(vec![2, 3]));
        assert_eq!(resolve(&Select::Box { min: [0.5, -1.0, -1.0], max: [2.0, 2.0, 1.0] }, &points), Ok(vec![1, 3]));
        assert_eq!(resolve(&Select::Ball { centre: [0.0; 3], radius: 1.0 }, &points), Ok(vec![0, 1, 2]));
        assert_eq!(resolve(&Select::Nearest([0.9, 0.8, 0.0]), &points), Ok(vec![3]));
        assert!(resolve(&Select::Vertices(vec![4]), &points).is_err_and(|e| e.contains("no vertex 4")));
        assert!(resolve(&Select::Ball { centre: [9.0; 3], radius: 0.1 }, &points).is_err());
    }
}
