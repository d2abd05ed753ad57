//! No energy comes from nowhere.
//!
//! The energy of a world is that of its free vertices: kinetic, elastic, in gravity (−m g·x), and of closed surfaces under pressure (−p V). Implicit Euler
//! only ever loses of it, but for what is done from outside:
//!
//! | by | work in a substep |
//! |---|---|
//! | pins that move | −Σ f·Δx, f the elastic force on the pin at the end, where implicit forces are taken |
//! | colliders that move | Σ F·Δs, F the contact force on a vertex, Δs the way of the surface there |
//! | handles that move | by how much moving the goal changes the energy of the spring, before the vertex follows |
//! | wind | at most h·½ρC A·4/27 w³: the power ½ρC A u²(w − u) of drag is greatest for surfaces that flee at a third of the wind |
//!
//! Where nothing but the wind blows at what flies freely, energy is measured in the frame of the air instead, in which wind does no work at all.
//!
//! Less these works, the energy may at no time exceed what it was at *any* time before by more than [`SHARE`] of what was turned over: of the energy at the start,
//! works, and what falling and inflating have released. So a gain is not hidden by what was lost to damping or impacts before.
//!
//! Substeps are taken one at a time, so that works can be measured in each; `main` shows that this is the same motion.

use pliant::collide::Collider;
use pliant::math::Vec3;
use pliant::{Simulation, SimulationBuilder, StepError};

use super::world::{Thing, World};

/// What may be gained of the energy that was turned over. Iterations of the default end when they miss at most 1 % of the kinetic energy of a substep.
pub(crate) const SHARE: f64 = 0.02;
/// Speed below which motion is rounding \[m/s\]: kinetic energy of all vertices at it is let pass.
const STILL: f64 = 1e-4;

/// What became of a world.
#[derive(Debug, Clone, Default)]
pub(crate) struct Verdict {
    /// Largest gain over what was turned over until then.
    pub(crate) share: f64,
    /// That gain, what was turned over \[J\], and when \[s\].
    pub(crate) gain: f64,
    pub(crate) turned_over: f64,
    pub(crate) time: f64,
    /// Energies then: kinetic, elastic, of gravity and pressure, works.
    pub(crate) parts: [f64; 4],
    /// Largest gain in one substep, and its time.
    pub(crate) jump: (f64, f64),
    /// Largest speed of a vertex \[m/s\].
    pub(crate) fastest: f64,
    /// A step that was refused, or numbers that are none.
    pub(crate) failure: Option<String>,
    /// Whether a moving collider has come over a pinned vertex.
    pub(crate) squeezed: bool,
    /// Whether a body burst whose pressure is more than its material bears: a refusal that says why.
    pub(crate) burst: bool,
}

impl Verdict {
    pub(crate) fn holds(&self) -> bool {
        self.holds_within(SHARE)
    }

    /// Whether nothing has failed, and at most a share of what was turned over was gained.
    pub(crate) fn holds_within(&self, share: f64) -> bool {
        self.failure.is_none() && self.share <= share
    }
}

/// Energies of free vertices \[J\].
#[derive(Debug, Clone, Copy, Default)]
struct Energies {
    kinetic: f64,
    elastic: f64,
    /// Of gravity and pressure.
    outer: f64,
}

/// A world and the books on its energy.
pub(crate) struct Watched<'a> {
    world: &'a World,
    pub(crate) sim: Simulation,
    /// Where pins and handles began \[m\].
    pins: Vec<(usize, Vec3)>,
    handles: Vec<(usize, Vec3)>,
    works: f64,
    turned_over: f64,
    highest_outer: f64,
    lowest: f64,
    last: f64,
    /// What may be gained of what was turned over.
    share: f64,
    verdict: Verdict,
}

impl<'a> Watched<'a> {
    /// A world whose substeps are watched.
    pub(crate) fn new(world: &'a World, mut sim: Simulation) -> Self {
        let (h, count) = (sim.time_step(), sim.substeps());
        sim.set_substeps(1).unwrap();
        sim.set_time_step(h / count as f64).unwrap();
        let (mut pins, mut handles) = (Vec::new(), Vec::new());
        for (number, thing) in world.bodies.iter().enumerate() {
            let first = sim.model().bodies()[number].vertices.start as u32;
            let place = |v: &u32| (number, sim.positions()[(first + v) as usize]);
            pins.extend(thing.pins.iter().map(place));
            handles.extend(thing.handles.iter().map(place));
        }
        let mut watched = Self {
            world,
            sim,
            pins,
            handles,
            works: 0.0,
            turned_over: 0.0,
            highest_outer: 0.0,
            lowest: 0.0,
            last: 0.0,
            share: SHARE,
            verdict: Verdict::default(),
        };
        let start = watched.energies();
        watched.turned_over = start.kinetic + start.elastic;
        watched.highest_outer = start.outer;
        watched.lowest = start.kinetic + start.elastic + start.outer;
        watched.last = watched.lowest;
        watched
    }

    /// Goes on for some steps of the world's own length, while it holds.
    pub(crate) fn run(self, steps: usize) -> Verdict {
        self.run_within(SHARE, steps)
    }

    /// The same with another bound; where it is greater, worlds with strain limits are not judged, as by the guard of the engine.
    pub(crate) fn run_within(mut self, share: f64, steps: usize) -> Verdict {
        self.share = share;
        let count = (self.world.time_step / self.sim.time_step()).round() as usize;
        for step in 0..steps {
            // As the engine does it: evenly to where things are at the end of the step.
            let [from, to] = [step, step + 1].map(|step| step as f64 * self.world.time_step);
            for part in 0..count {
                let done = (part + 1) as f64 / count as f64;
                self.substep(|course| course.at(from).lerp(course.at(to), done));
                if !self.verdict.holds_within(share) || self.verdict.burst {
                    return self.verdict;
                }
            }
        }
        self.verdict
    }

    fn substep(&mut self, place: impl Fn(&super::world::Course) -> Vec3) {
        let (start, begin) = (self.sim.positions().to_vec(), self.sim.time());
        let mut pins = self.pins.iter();
        self.sim
            .move_pins(|_, _| {
                let (body, place_at_start) = pins.next().unwrap();
                *place_at_start + place(&self.world.bodies[*body].pin_motion)
            })
            .unwrap();
        let mut by_handles = 0.0;
        let before = self.sim.goals("position");
        let mut number = 0;
        for (body, thing) in self.world.bodies.iter().enumerate() {
            let first = self.sim.model().bodies()[body].vertices.start;
            for vertex in &thing.handles {
                let goal = self.handles[number].1 + place(&thing.handle_motion);
                let x = start[first + *vertex as usize];
                let square = |goal: Vec3| (x - goal).length_squared();
                by_handles += 0.5 * thing.handle_stiffness * (square(goal) - square(before[number]));
                self.sim.set_goal("position", number, goal).unwrap();
                number += 1;
            }
        }
        if let Err(error) = self.sim.step() {
            let named = |thing: &&Thing| matches!(&error, StepError::Burst { body, .. } if *body == thing.name);
            if self.world.bodies.iter().find(named).is_some_and(Thing::may_burst) {
                self.verdict.burst = true;
                return;
            }
            self.verdict.failure = Some(format!("refused: {error}"));
            return;
        }
        if !self.sim.positions().iter().chain(self.sim.velocities()).all(|p| p.is_finite()) {
            self.verdict.failure = Some(format!("not finite at {} s", self.sim.time()));
            return;
        }
        self.verdict.squeezed |= self.is_squeezed();
        let works = [by_handles, self.by_pins(&start), self.by_colliders(&start, begin), self.by_wind(&start)];
        self.book(works);
    }

    fn book(&mut self, works: [f64; 4]) {
        self.works += works.iter().sum::<f64>();
        self.turned_over += works.iter().map(|work| work.abs()).sum::<f64>();
        let now = self.energies();
        self.highest_outer = self.highest_outer.max(now.outer);
        let released = self.highest_outer - now.outer;
        let own = now.kinetic + now.elastic + now.outer - self.works;
        self.lowest = self.lowest.min(own);
        let mass: f64 = self.sim.model().mass().lumped().iter().sum();
        let turned_over = self.turned_over + released;
        let rounding = 0.5 * mass * STILL * STILL;
        // Limits give and take energy as they move vertices.
        let is_judged = self.world.strain_limiting.is_none() || self.share <= SHARE;
        let gain = if is_judged { own - self.lowest - rounding } else { 0.0 };
        let verdict = &mut self.verdict;
        let time = self.sim.time();
        if own - self.last > verdict.jump.0 {
            verdict.jump = (own - self.last, time);
        }
        self.last = own;
        if gain > verdict.share * turned_over {
            verdict.share = if turned_over > 0.0 { gain / turned_over } else { f64::INFINITY };
            (verdict.gain, verdict.turned_over, verdict.time) = (gain, turned_over, time);
            verdict.parts = [now.kinetic, now.elastic, now.outer, self.works];
        }
        let speeds = self.sim.velocities().iter().map(|v| v.length());
        verdict.fastest = speeds.fold(verdict.fastest, f64::max);
    }

    /// Whether energy is measured in the frame of the air: what is held, or stopped, does not fly with it, and eddies or ether drag have other frames.
    fn flies(&self) -> bool {
        let World { wind, colliders, bodies, damping, .. } = self.world;
        wind.is_some_and(|wind| wind.turbulence.strength == 0.0)
            && colliders.is_empty()
            && damping.drag == 0.0
            && bodies.iter().all(|thing| thing.pins.is_empty() && thing.handles.is_empty())
    }

    fn energies(&self) -> Energies {
        let (sim, model) = (&self.sim, self.sim.model());
        let (x, masses) = (sim.positions(), model.mass().lumped());
        let air = if self.flies() { self.world.wind.map_or(Vec3::ZERO, |wind| wind.velocity) } else { Vec3::ZERO };
        let drift = air * sim.time();
        let mut energies = Energies { elastic: sim.report().potential(), ..Energies::default() };
        for &v in model.free() {
            let v = v as usize;
            energies.kinetic += 0.5 * masses[v] * (sim.velocities()[v] - air).length_squared();
            energies.outer -= masses[v] * self.world.gravity.dot(x[v] - drift);
        }
        for body in model.bodies().iter().filter(|body| body.pressure != 0.0) {
            // About the first vertex, so that a balloon far away has no more rounding than one at the origin.
            let origin = x[body.vertices.start];
            for [a, b, c] in &body.surface {
                let [a, b, c] = [a, b, c].map(|v| x[*v as usize] - origin);
                energies.outer -= body.pressure * a.dot(b.cross(c)) / 6.0;
            }
        }
        energies
    }

    /// Whether a pinned vertex is within a collider, and one of them has moved there.
    fn is_squeezed(&self) -> bool {
        let time = self.sim.time();
        let covers = |collider: &Collider| {
            let moving = collider.moving_over(time, time);
            let pinned = self.sim.model().pinned().iter().map(|&v| self.sim.positions()[v as usize]);
            pinned.into_iter().any(|p| moving.distance_at_start(p) < moving.thickness())
        };
        self.world.is_driven() && self.sim.colliders().iter().any(covers)
    }

    fn by_pins(&self, start: &[Vec3]) -> f64 {
        if self.world.bodies.iter().all(|thing| thing.pin_motion.is_still()) {
            return 0.0;
        }
        let forces = self.sim.elastic_forces();
        let pinned = self.sim.model().pinned().iter().map(|&v| v as usize);
        -pinned.map(|v| forces[v].dot(self.sim.positions()[v] - start[v])).sum::<f64>()
    }

    fn by_colliders(&self, start: &[Vec3], begin: f64) -> f64 {
        let work = |contact: &pliant::contact::Contact| {
            let collider = &self.sim.colliders()[contact.collider];
            let (from, to) = (collider.pose(begin), collider.pose(self.sim.time()));
            let x = start[contact.vertex];
            contact.force().dot(to.to_world(from.to_local(x)) - x)
        };
        let is_free = |v: usize| self.sim.model().free_index(v as u32).is_some();
        self.sim.contacts().iter().filter(|contact| is_free(contact.vertex)).map(work).sum()
    }

    fn by_wind(&self, start: &[Vec3]) -> f64 {
        let Some(wind) = self.world.wind.filter(|_| !self.flies()) else { return 0.0 };
        // Eddies: three times their root mean square in each of three directions is more than their waves ever add up to in these worlds.
        let fastest = wind.velocity.length() * (1.0 + 3.0 * 3f64.sqrt() * wind.turbulence.strength);
        let push = 0.5 * wind.air_density * 4.0 / 27.0 * fastest.powi(3) * self.sim.time_step();
        let shown = |x: &[Vec3]| -> f64 {
            let bodies = self.sim.model().bodies().iter();
            bodies
                .map(|body| {
                    let corner = |v: u32| x[v as usize];
                    let area = |t: &[u32; 3]| {
                        let [a, b, c] = t.map(corner);
                        0.5 * (b - a).cross(c - a).length()
                    };
                    let surface: f64 = body.surface.iter().map(area).sum();
                    let length: f64 = body.segments.iter().map(|[a, b]| corner(*a).distance(corner(*b))).sum();
                    let across = wind.strand_drag + wind.strand_friction;
                    wind.drag * surface + across * body.strand_width * length
                })
                .sum()
        };
        push * shown(start).max(shown(self.sim.positions()))
    }
}

/// Builds a world and goes through all of its steps.
pub(crate) fn judge(world: &World) -> Verdict {
    judge_by(world, |builder| builder)
}

/// The same with other settings.
pub(crate) fn judge_by(world: &World, settings: impl FnOnce(SimulationBuilder) -> SimulationBuilder) -> Verdict {
    judge_within(world, SHARE, settings)
}

/// The same with another bound.
pub(crate) fn judge_within(
    world: &World,
    share: f64,
    settings: impl FnOnce(SimulationBuilder) -> SimulationBuilder,
) -> Verdict {
    match world.builder().and_then(|builder| settings(builder).build()) {
        Ok(sim) => Watched::new(world, sim).run_within(share, world.steps),
        Err(error) => Verdict { failure: Some(format!("not built: {error}")), ..Verdict::default() },
    }
}
