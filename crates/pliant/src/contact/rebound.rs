//! Impacts of rigid sets: impulses at their contacts act on the whole body.
//!
//! For a single vertex an impact sets the velocity along the normal. A vertex of a rigid body has hardly any mass of its own, so there impulses j are
//! looked for with which every contact leaves at least as fast as it should, by sweeps over the contacts of a body (projected
//! Gauss–Seidel), each of which is solved exactly given the others.

use crate::math::{Mat3, Vec3};
use crate::world::model::{Model, RigidSetInfo};

/// Sweeps over the contacts of a body; four corners of a box that lands flat settle in about ten.
const SWEEPS: usize = 40;

/// A contact of a rigid set.
pub(super) struct Impact {
    /// Number of the set.
    pub(super) set: u32,
    /// Number of the contact.
    pub(super) touch: usize,
    pub(super) vertex: u32,
    pub(super) normal: Vec3,
    /// Velocity of the collider's surface \[m/s\].
    pub(super) surface: Vec3,
    /// Speed at which it should leave, at least \[m/s\].
    pub(super) target: f64,
    /// Least that an impulse can be \[N·s\]: as much as the solve has given may be taken back where velocities are not movements over the step.
    pub(super) least: f64,
    /// Impulse found \[N·s\].
    pub(super) impulse: f64,
}

/// Sets of which no vertex is pinned, by vertex; empty if there are none.
pub(super) fn free_sets(model: &Model) -> Vec<Option<u32>> {
    let mut of_vertex = vec![None; if model.rigid_sets().is_empty() { 0 } else { model.rest().len() }];
    for (k, set) in (0u32..).zip(model.rigid_sets()) {
        if set.vertices.iter().all(|&v| model.free_index(v).is_some()) {
            set.vertices.iter().for_each(|&v| of_vertex[v as usize] = Some(k));
        }
    }
    of_vertex
}

/// Finds the impulses of a set's contacts and gives its vertices the velocities after them.
pub(super) fn rebound(model: &Model, set: &RigidSetInfo, impacts: &mut [Impact], x: &[Vec3], v: &mut [Vec3]) {
    let masses = model.mass().lumped();
    let own = || set.vertices.iter().map(|&v| v as usize);
    let mean = |values: &[Vec3]| own().fold(Vec3::ZERO, |sum, i| sum + values[i] * masses[i]) / set.mass;
    let (centre, velocity) = (mean(x), mean(v));
    let (mut inertia, mut momentum) = (Mat3::ZERO, Vec3::ZERO);
    for i in own() {
        let arm = x[i] - centre;
        let square = Mat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
        inertia += (Mat3::from_diagonal(Vec3::splat(arm.length_squared())) - square) * masses[i];
        momentum += arm.cross(v[i]) * masses[i];
    }
    if inertia.determinant().is_nan() || inertia.determinant() <= 0.0 {
        return; // Points on a line: what a blow along it would turn cannot be said.
    }
    let inverse = inertia.inverse();
    let (mut change, mut spin) = (Vec3::ZERO, inverse * momentum);
    let before = spin;
    for _ in 0..SWEEPS {
        for impact in &mut *impacts {
            let (n, arm) = (impact.normal, x[impact.vertex as usize] - centre);
            let lever = arm.cross(n);
            let speed = n.dot(velocity + change + spin.cross(arm) - impact.surface);
            let yielding = 1.0 / set.mass + lever.dot(inverse * lever);
            let impulse = (impact.impulse + (impact.target - speed) / yielding).max(impact.least);
            let more = impulse - impact.impulse;
            impact.impulse = impulse;
            change += n * (more / set.mass);
            spin += inverse * lever * more;
        }
    }
    for i in own() {
        v[i] += change + (spin - before).cross(x[i] - centre);
    }
}
