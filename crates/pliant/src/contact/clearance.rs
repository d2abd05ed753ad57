//! Lower bounds on the distances between vertices and colliders, so that few need to be measured.
//!
//! A distance to a mesh takes a walk down its tree. Most vertices are far from most colliders and stay so: a distance, once measured, falls
//! in a step by no more than what the vertex moved as seen from the collider. Bounds are carried from step to step; only where one no longer
//! proves that nothing was met, the distance is measured anew. Bounds never change what is found, so they need not be in a checkpoint.

use crate::collide::Moving;
use crate::math::Vec3;
use crate::parallel::{self, Strided};
use crate::world::model::Model;

/// A vertex and a collider.
#[derive(Debug, Clone, Copy)]
struct Bound {
    /// The signed distance at the start of the step is at least this \[m\].
    least: f64,
    /// Whether it is that distance.
    is_exact: bool,
    /// Whether they may have met.
    is_near: bool,
}

/// Where the least distance is this many times what a cheap bound says that it can fall in a step, that bound will do; nearer, the slack that
/// it leaves would soon be used up.
const FAR: f64 = 2.0;

const UNKNOWN: Bound = Bound { least: f64::NEG_INFINITY, is_exact: false, is_near: false };

/// A vertex in the course of a stage.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Where it was when its colliders were last looked at \[m\].
    at: Vec3,
    /// How far it may be from there without meeting one that is not near; negative before the first look \[m\].
    slack: f64,
    has_near: bool,
}

/// Bounds of all vertices to all colliders.
#[derive(Debug, Default)]
pub(crate) struct Clearances {
    /// For each vertex those to all colliders.
    bounds: Vec<Bound>,
    seen: Vec<Seen>,
    colliders: usize,
}

/// What a vertex does as seen from the colliders.
pub(super) struct Paths<'m, 'a> {
    pub(super) model: &'m Model,
    pub(super) moving: &'m [Moving<'a>],
    /// Positions at the start of the step \[m\].
    pub(super) start: &'m [Vec3],
}

impl Clearances {
    /// Begins a stage. What is known of the start of the step stays.
    pub(super) fn begin(&mut self, vertices: usize, colliders: usize) {
        if self.bounds.len() != vertices * colliders {
            self.bounds = vec![UNKNOWN; vertices * colliders];
        }
        self.colliders = colliders;
        self.seen.clear();
        self.seen.resize(vertices, Seen { slack: -1.0, ..Seen::default() });
    }

    /// Pairs of vertex and collider that may have met on the way to x, with their distances at the start \[m\], by vertex.
    pub(super) fn near(&mut self, ways: &Paths<'_, '_>, x: &(impl Fn(usize) -> Vec3 + Sync)) -> Vec<(u32, u32, f64)> {
        let count = self.seen.len();
        let steepness = ways.moving.iter().fold(1.0_f64, |most, moving| most.max(moving.steepness()));
        let outputs = (
            Strided { entries: &mut self.bounds[..], stride: self.colliders },
            Strided { entries: &mut self.seen[..], stride: 1 },
        );
        parallel::for_each(0..count, outputs, &|range, (bounds, seen)| {
            let pairs = bounds.entries.chunks_mut(bounds.stride);
            for ((v, bounds), seen) in range.zip(pairs).zip(seen.entries) {
                let p = x(v);
                let is_known = steepness * p.distance(seen.at) < seen.slack;
                let may_touch = ways.model.free_index(v as u32).is_some() && !ways.model.is_inside(v);
                if !is_known && p.is_finite() && may_touch {
                    *seen = look(ways, v, p, bounds);
                }
            }
        });
        let with_near = self.seen.iter().enumerate().filter(|(_, seen)| seen.has_near);
        let pairs = with_near.flat_map(|(v, _)| (0..self.colliders).map(move |c| (v, c)));
        let near = pairs.filter_map(|(v, c)| {
            let bound = &self.bounds[v * self.colliders + c];
            bound.is_near.then_some((v as u32, c as u32, bound.least))
        });
        near.collect()
    }

    /// Takes the end of the step, to begin the next one with.
    pub(super) fn advance(&mut self, ways: &Paths<'_, '_>, x: &[Vec3]) {
        let count = self.seen.len();
        let outputs = Strided { entries: &mut self.bounds[..], stride: self.colliders };
        parallel::for_each(0..count, outputs, &|range, bounds| {
            for (v, bounds) in range.zip(bounds.entries.chunks_mut(bounds.stride)) {
                for (bound, moving) in bounds.iter_mut().zip(ways.moving) {
                    let least = bound.least - moving.most_approach(ways.start[v], x[v]);
                    // Rounding must not add up to a bound that is too large.
                    *bound = Bound { least: least - 1e-12 * least.abs(), ..UNKNOWN };
                }
            }
        });
    }
}

/// Looks at all colliders of a vertex that goes to p.
fn look(ways: &Paths<'_, '_>, v: usize, p: Vec3, bounds: &mut [Bound]) -> Seen {
    let mut seen = Seen { at: p, slack: f64::INFINITY, has_near: false };
    let way = ways.start[v].distance(p);
    for (bound, moving) in bounds.iter_mut().zip(ways.moving) {
        let loose = moving.loose_approach(ways.start[v], way) + moving.thickness();
        if !bound.is_near && bound.least > FAR * loose {
            seen.slack = seen.slack.min(bound.least - loose);
            continue;
        }
        let approach = moving.most_approach(ways.start[v], p) + moving.thickness();
        if bound.least == f64::NEG_INFINITY {
            bound.least = moving.least_distance_at_start(ways.start[v]);
        }
        if bound.least <= approach && !bound.is_exact {
            (bound.least, bound.is_exact) = (moving.distance_at_start(ways.start[v]), true);
        }
        bound.is_near |= bound.least <= approach;
        if bound.is_near {
            seen.has_near = true;
        } else {
            seen.slack = seen.slack.min(bound.least - approach);
        }
    }
    seen
}
