//! From `body.wrinkles` to a fine mesh on the body's own.

use pliant::mesh::TriangleMesh;
use pliant::{WrinkleError, WrinkleMesh, WrinkleParams};

use crate::budget::Budget;
use crate::fault::Fault;
use crate::format::WrinklesSection;
use crate::settings::{MOST_ITERATIONS, check_most};

/// Each triangle in 4096: more is a slip of the keyboard.
const MOST_SUBDIVISIONS: u32 = 6;
/// Reach in edges of the fine mesh, if nothing is said.
const STANDARD_REACH: f64 = 3.0;

/// The fine mesh, at rest, and how it follows; faults are at keys of the section.
pub(super) fn wrinkles(
    section: &WrinklesSection,
    coarse: &TriangleMesh,
    budget: &mut Budget,
) -> Result<(TriangleMesh, WrinkleMesh), Fault> {
    let WrinklesSection { subdivisions, .. } = *section;
    if !(1..=MOST_SUBDIVISIONS).contains(&subdivisions) {
        let message = format!("subdivisions is {subdivisions}, but must be 1 to {MOST_SUBDIVISIONS}");
        return Err(Fault::new("subdivisions", message));
    }
    check_most("iterations", section.iterations, MOST_ITERATIONS)?;
    check_most("most_iterations", section.most_iterations, MOST_ITERATIONS)?;
    // Each triangle brings half a vertex, and a rim a little more.
    let asked = (coarse.triangles.len() as u128) << (2 * subdivisions);
    budget.take(asked).map_err(|message| Fault::new("subdivisions", message))?;
    let mut fine = coarse.clone();
    for _ in 0..subdivisions {
        fine = fine.subdivided().map_err(|error| Fault::new("subdivisions", error.to_string()))?;
    }
    let edges = fine.edges();
    let length: f64 = edges.iter().map(|e| fine.positions[e[0] as usize].distance(fine.positions[e[1] as usize])).sum();
    let standard = WrinkleParams::within(section.reach.unwrap_or(STANDARD_REACH * length / edges.len() as f64));
    let params = WrinkleParams {
        reach: standard.reach,
        one_sided: section.one_sided.unwrap_or(standard.one_sided),
        bending: section.bending.unwrap_or(standard.bending),
        iterations: section.iterations.unwrap_or(standard.iterations),
        tolerance: section.tolerance.unwrap_or(standard.tolerance),
        most_iterations: section.most_iterations.unwrap_or(standard.most_iterations),
    };
    let made = WrinkleMesh::new(coarse, &fine, params).map_err(|error| match error {
        WrinkleError::BadParameter { name, .. } => Fault::new(name, error.to_string()),
        _ => Fault::new("", error.to_string()),
    })?;
    Ok((fine, made))
}
