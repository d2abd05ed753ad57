//! What remains after a step is solved: restitution, and a final check of the positions of vertices.

use super::obstacles::Obstacles;
use super::rebound::{Impact, free_sets, rebound};
use super::{Contact, Held};
use crate::collide::Collider;
use crate::math::Vec3;

/// Impacts slower than this many times what gravity and other forces add in a step are no impacts but rest.
pub(super) const REST: f64 = 2.0;
/// Rounds of the last projection: a vertex between two colliders may need more than one.
const ROUNDS: usize = 4;

/// What the vertices brought into the step.
pub(crate) struct Before<'a> {
    /// Times at its start and its end \[s\].
    pub(crate) span: [f64; 2],
    /// Its length \[s\].
    pub(crate) h: f64,
    /// Velocities at its start \[m/s\].
    pub(crate) velocities: &'a [Vec3],
    /// Accelerations by external forces \[m/s²\].
    pub(crate) accelerations: &'a [Vec3],
    /// Whether velocities are the change of positions over the step.
    pub(crate) is_euler: bool,
    /// Whether vertices that have ended inside a collider are moved out.
    pub(crate) moves_out: bool,
}

impl<'a> Obstacles<'a> {
    /// Restitution, the last projection, and the contacts with their forces; notes which vertices were struck.
    pub(crate) fn finish(
        &mut self,
        before: &Before<'_>,
        x: &mut [Vec3],
        v: &mut [Vec3],
        struck: &mut Vec<u32>,
    ) -> (Vec<Contact>, Vec<Held>) {
        let (mut touched, mut held) = (Vec::new(), Vec::new());
        let mass = self.model.mass().lumped();
        let rigid = free_sets(self.model);
        let mut impacts: Vec<Impact> = Vec::new();
        let mut forces: Vec<f64> = self.touches.iter().map(|touch| touch.law.normal.dot(touch.balanced)).collect();
        let pressing = self.touches.iter().enumerate().zip(&mut forces);
        for ((k, touch), force) in pressing.filter(|((_, touch), _)| touch.law.pressed > 0.0) {
            let (vertex, law) = (touch.vertex as usize, &touch.law);
            let restitution = self.colliders.colliders[touch.collider as usize].restitution;
            let surface = touch.shift / self.span;
            let gained = before.accelerations[vertex] * before.h;
            let approach = -law.normal.dot(before.velocities[vertex] + gained * touch.time - surface);
            let leaving = law.normal.dot(v[vertex] - surface);
            let is_fast = approach > REST * gained.length();
            let is_impact = is_fast && restitution > 0.0;
            if is_fast {
                match rigid.get(vertex) {
                    // What strikes one vertex changes the motion of all.
                    Some(Some(set)) => struck.extend(&self.model.rigid_sets()[*set as usize].vertices),
                    _ => struck.push(touch.vertex),
                }
            } else {
                // What stops an impact is no guess of what carries a load.
                let (pressed, sliding_force) = (law.pressed, law.sliding_force);
                held.push(Held { vertex: touch.vertex, collider: touch.collider, pressed, sliding_force });
            }
            let target = if is_impact { restitution * approach } else { 0.0 };
            if let Some(Some(set)) = rigid.get(vertex) {
                let (set, vertex, normal) = (*set, touch.vertex, law.normal);
                // An integrator that looks back, or ahead, over an impact takes it for a rebound.
                let least = if is_fast && !before.is_euler { (-*force * before.h).min(0.0) } else { 0.0 };
                impacts.push(Impact { set, touch: k, vertex, normal, surface, target, least, impulse: 0.0 });
                continue;
            }
            // Implicit Euler is as fast as its way to the surface was long, so it may still approach; others mirror the
            // velocity at a stage that stops at the surface.
            if before.is_euler && leaving >= target {
                continue;
            }
            v[vertex] += law.normal * (target - leaving);
            *force += mass[vertex] * (target - leaving) / before.h;
        }
        impacts.sort_by_key(|impact| (impact.set, impact.touch));
        for chunk in impacts.chunk_by_mut(|a, b| a.set == b.set) {
            let set = &self.model.rigid_sets()[chunk[0].set as usize];
            rebound(self.model, set, chunk, x, v);
            chunk.iter().for_each(|impact| forces[impact.touch] += impact.impulse / before.h);
        }
        // All that the last solve balanced, also what let go in the end: so the sum is what momentum changed by.
        let pushing = self.touches.iter().zip(forces).filter(|(touch, f)| touch.balanced != Vec3::ZERO || *f != 0.0);
        for (touch, force) in pushing {
            touched.push(Contact {
                vertex: touch.vertex as usize,
                collider: touch.collider as usize,
                normal: touch.law.normal,
                normal_force: force,
                tangential_force: touch.law.tangential(touch.balanced),
                surface_velocity: touch.shift / self.span,
            });
        }
        if self.span != before.h {
            // The stage was not at the end of the step; the last look is.
            let whole = |c: &'a Collider| c.moving_over(before.span[0], before.span[1]);
            self.moving = self.colliders.colliders.iter().map(whole).collect();
            // Colliders go further than the stage saw: what it found to be far may be near.
            self.look_again();
        }
        if before.moves_out {
            self.project(before.h, &rigid, x, v, &mut touched, struck);
        }
        held.sort_unstable_by_key(|held| (held.vertex, held.collider));
        (touched, held)
    }

    /// No vertex ends inside a collider: what the solve has left there is moved to the surface, its velocity along; a rigid set is moved as a whole.
    fn project(
        &mut self,
        h: f64,
        rigid: &[Option<u32>],
        x: &mut [Vec3],
        v: &mut [Vec3],
        touched: &mut [Contact],
        struck: &mut Vec<u32>,
    ) {
        for _ in 0..ROUNDS {
            self.detect(&|vertex| x[vertex]);
            let mut moved = false;
            for touch in &self.touches {
                let (vertex, collider, law) = (touch.vertex as usize, touch.collider as usize, &touch.law);
                let thickness = self.colliders.colliders[collider].thickness;
                let below = law.depth(x[vertex]) - thickness;
                let (near, _) = self.moving[collider].at_end(x[vertex]);
                let same_side = near.normal.dot(law.normal) > 0.0;
                // Below the plane that was met first, but round an edge or on another side, is outside unless the way
                // there went through the collider.
                let (normal, push) = if near.distance < 0.0 && same_side {
                    (near.normal, -near.distance)
                } else if below > 0.0
                    && (near.distance < 0.0 || self.moving[collider].crosses(self.start[vertex], x[vertex]))
                {
                    (law.normal, below)
                } else {
                    continue;
                };
                let own = [touch.vertex];
                let set = rigid.get(vertex).copied().flatten();
                let moving = set.map_or(&own[..], |set| &self.model.rigid_sets()[set as usize].vertices);
                moving.iter().for_each(|&w| x[w as usize] += normal * push);
                let closing = -normal.dot(v[vertex] - touch.shift / self.span);
                if closing > 0.0 {
                    let change = closing.min(push / h);
                    moving.iter().for_each(|&w| v[w as usize] += normal * change);
                    struck.extend(moving);
                    let same = |c: &&mut Contact| c.vertex == vertex && c.collider == collider;
                    if let Some(contact) = touched.iter_mut().find(same) {
                        contact.normal_force += self.model.mass().lumped()[vertex] * change / h;
                    }
                }
                moved = true;
            }
            if !moved {
                return;
            }
        }
    }
}
