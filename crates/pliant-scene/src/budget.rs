//! Limits on what a scene may ask for, checked before anything is allocated.

use pliant::math::Vec3;
use pliant::mesh::{Bounds, Resolution};

use crate::format::ShapeSection;

/// Vertices of all bodies together that a scene may have, if nothing else is said: more is a slip of the keyboard, and would
/// take tens of gigabytes to factor.
pub(crate) const MOST_VERTICES: u64 = 1 << 24;

/// Vertices that are left to the bodies of a scene.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    limit: u64,
    left: u64,
}

impl Budget {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, left: limit }
    }

    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Takes vertices out of the budget; the error says how many were asked for.
    pub(crate) fn take(&mut self, count: u128) -> Result<(), String> {
        match u64::try_from(count).ok().and_then(|count| self.left.checked_sub(count)) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                let Self { limit, left } = self;
                let spare = if left == limit { String::new() } else { format!(" of which {left} are left") };
                Err(format!("this asks for too many vertices: about {count}, but a scene may have {limit}{spare}"))
            }
        }
    }
}

fn product(factors: &[usize]) -> u128 {
    factors.iter().fold(1, |product, &factor| product.saturating_mul(factor as u128))
}

/// Vertices of a generated shape, or a little more; none for files and solids, which are counted when their size is known.
pub(crate) fn vertices_of(shape: &ShapeSection) -> u128 {
    let next = |count: usize| count.saturating_add(1);
    match *shape {
        // Cells divided crosswise have a vertex in their middle.
        ShapeSection::Sheet { columns, rows, .. } => {
            product(&[next(columns), next(rows)]).saturating_add(product(&[columns, rows]))
        }
        ShapeSection::Disc { rings, sectors, .. } => (product(&[sectors, rings, next(rings)]) / 2).saturating_add(1),
        ShapeSection::Icosphere { subdivisions, .. } => {
            product(&[10, 4usize.saturating_pow(subdivisions)]).saturating_add(2)
        }
        ShapeSection::Cylinder { segments, rings, .. } => product(&[segments, next(rings)]),
        ShapeSection::Torus { major_segments, minor_segments, .. } => product(&[major_segments, minor_segments]),
        // So have cells divided around their centre.
        ShapeSection::Box { cells, .. } => product(&cells.map(next)).saturating_add(product(&cells)),
        // As many as fit, and one more: sizes are rounded. Casts of what is negative or no number give zero.
        ShapeSection::Particles { size, spacing } => product(&size.map(|side| next((side / spacing) as usize))),
        ShapeSection::Emitter { radius, speed, duration, spacing, .. } => {
            let across = next((2.0 * radius / spacing) as usize);
            product(&[across, across, next((speed * duration / spacing) as usize)])
        }
        ShapeSection::Rope { segments, .. } => product(&[next(segments)]),
        ShapeSection::Bundle { count, segments, .. } | ShapeSection::Hair { count, segments, .. } => {
            product(&[count, next(segments)])
        }
        ShapeSection::Plant { height, segments, branches, branch_length, .. } => {
            let along = (branch_length / height * segments as f64) as usize;
            product(&[branches, along.saturating_add(2)]).saturating_add(product(&[next(segments)]))
        }
        ShapeSection::File { .. } | ShapeSection::Sdf { .. } | ShapeSection::Like { .. } => 0,
    }
}

/// Nodes of the lattice that fills bounds with tets.
pub(crate) fn lattice_nodes(bounds: &Bounds, resolution: Resolution) -> u128 {
    let size: Vec3 = bounds.size();
    let cell = match resolution {
        Resolution::Cell(cell) => cell,
        Resolution::Cells(cells) => size.max_element() / cells as f64,
    };
    // Casts of what is negative or no number give zero; the filling then says what is wrong.
    let along = |length: f64| ((length / cell).ceil() as u128).saturating_add(3);
    size.to_array().into_iter().fold(2u128, |product, length| product.saturating_mul(along(length)))
}

/// Cells of a size \[m\] that bounds are divided into.
pub(crate) fn cells_in(bounds: &Bounds, size: f64) -> u128 {
    // As above: a size that is none is refused where it is used.
    let along = |length: f64| ((length / size).ceil() as u128).max(1);
    bounds.size().to_array().into_iter().fold(1u128, |product, length| product.saturating_mul(along(length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_shared_and_counts_without_overflow() {
        let mut budget = Budget::new(100);
        assert_eq!((budget.take(60), budget.take(40), budget.take(0)), (Ok(()), Ok(()), Ok(())));
        assert!(budget.take(1).is_err_and(|message| message.contains("0 are left")));
        assert!(Budget::new(100).take(u128::MAX).is_err());
        let cells = [usize::MAX; 3];
        let shape = ShapeSection::Box { size: [1.0; 3], cells, pattern: None };
        assert_eq!(vertices_of(&shape), u128::MAX);
    }

    #[test]
    fn a_lattice_has_two_nodes_for_each_cell() {
        let bounds = Bounds { min: Vec3::ZERO, max: Vec3::new(1.0, 1.0, 0.5) };
        assert_eq!(lattice_nodes(&bounds, Resolution::Cells(10)), 2 * 13 * 13 * 8);
        assert_eq!(lattice_nodes(&bounds, Resolution::Cell(0.1)), 2 * 13 * 13 * 8);
        assert_eq!(lattice_nodes(&bounds, Resolution::Cell(0.0)), u128::MAX);
        assert_eq!((cells_in(&bounds, 0.3), cells_in(&bounds, 0.0)), (4 * 4 * 2, u128::MAX));
    }
}
