//! How close surfaces come to each other and to themselves.

use super::{Candidates, Primitives, corners};
use crate::math::{Vec3, diagonal};

/// Share of the extent at which the search begins.
const FIRST: f64 = 1e-3;

/// The smallest distance \[m\] between a vertex and a triangle, or between two edges, that have no vertex in common and
/// may not intersect; infinite if there are none.
///
/// ```
/// use pliant::prelude::*;
/// use pliant::proximity::{Primitives, least_distance};
/// let sheet = Sheet { columns: 2, rows: 2, ..Sheet::default() }.mesh()?;
/// let body = |name: &str| Ok::<_, pliant::ModelError>(Body::cloth(&sheet, &ClothMaterial::default())?.named(name));
/// let sim = Simulation::builder().body(body("one")?).body(body("other")?).build()?;
/// let mut x = sim.positions().to_vec();
/// x[9..].iter_mut().for_each(|p| *p += Vec3::new(0.05, 0.05, 0.03));
/// let gap = least_distance(&Primitives::new(sim.model().bodies()), &x);
/// assert!((gap - 0.03).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn least_distance(primitives: &Primitives, x: &[Vec3]) -> f64 {
    let extent = diagonal(x);
    let (mut candidates, mut reach) = (Candidates::default(), FIRST * extent);
    loop {
        let distance = |pair: super::Pair| pair.closest(&corners(x, pair.vertices(primitives))).distance();
        let least = candidates.find(primitives, x, x, reach).into_iter().map(distance).fold(f64::INFINITY, f64::min);
        // What is nearer than the reach has been looked at; beyond it something nearer may have been missed.
        if least <= reach || reach >= extent || !extent.is_finite() {
            return least;
        }
        reach *= 2.0;
    }
}
