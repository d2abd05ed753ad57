//! Constant density [Macklin 2013; Bender 2014, §3.4.6].
//!
//! ```text
//! C_i  = Σ_j V_j W(x_i − x_j) + walls − 1 ≤ 0            V = m/ρ₀
//! λ_i ← min(0, λ_i − C_i / (Σ_k w_k ‖∇_k C_i‖² + ε))     w = 1/m
//! x_i += w_i Σ_j (Δλ_i V_j + Δλ_j V_i + s_corr) ∇W(x_i − x_j) + w_i Δλ_i ∇walls
//! ```
//!
//! All λ from the same positions, then all positions (Jacobi). λ adds up over the iterations of a step and is clamped as a whole, so that what one
//! iteration pushed too far the next takes back.
//!
//! Departures: the paper has one kernel for the density and another for its gradient; then the push is not along the gradient of what it
//! corrects, and a column at rest was seen to boil and to lose 2.6 % of its height. Here both are of the spiky kernel. A few Jacobi iterations
//! carry a load only a few particles deep; `coarse` carries it to the ground, in equal parts over the iterations. Walls and surfaces
//! answer with the pressure of the particle that they touch, twice what the gradient of C alone would give: so a uniform pressure
//! pushes no particle into a wall.
//!
//! Points of bodies' surfaces are particles without a constraint of their own, after [Akinci 2012]: they make up for the fluid that
//! is missing beside them, and take the opposite of the push.

use super::FluidReport;
use super::coarse::{Coarse, Fine};
use super::kernels::{self, COINCIDENT};
use super::matter::Matter;
use super::neighbours::{Neighbours, Place};
use super::walls::{Share, Walls};
use crate::collide::Moving;
use crate::math::Vec3;
use crate::parallel::{self, ByOffsets, Strided};

/// Share of Σ‖∇C‖² on a lattice that is added to the denominator [Macklin 2013, eq. 11]: particles with few neighbours have hardly any
/// gradient and would jump.
const RELAXATION: f32 = 0.05;
/// Share of a Jacobi step that is taken: neighbours correct the same error, and all of it would overshoot.
const JACOBI: f32 = 0.3;
/// Most of the load that one iteration applies, −λ in units of mass · radius². Pressure moves particles until they are evenly surrounded; beyond
/// about twice this an iteration carries them past that, and they fly apart. It bounds the depth that n iterations of a step h can hold:
/// g H h² < n · MOST_LOAD · radius².
pub(crate) const MOST_LOAD: f32 = 0.04;
/// Distance at which the artificial pressure is what its coefficient says, over the kernel's radius [Macklin 2013, §4].
const SEPARATED: f32 = 0.3;

/// Share of the density that a step finds wrong at its start that is taken back on the scale of cells. All of it at once would become speed.
const PER_STEP: f32 = 0.1;

/// What is known of one step.
#[derive(Debug, Default)]
pub(crate) struct Density {
    pub(crate) neighbours: Neighbours,
    pub(crate) places: Vec<Place>,
    walls: Walls,
    /// By place: −λ, its change in the last iteration, density over rest density, what walls add.
    pushes: Vec<f32>,
    changes: Vec<f32>,
    densities: Vec<f32>,
    shares: Vec<Share>,
    softness: Vec<f32>,
    /// Whether it is a particle with a constraint: not a sample, and not in a pipe.
    flows: Vec<bool>,
    /// Volume on which a neighbour's pressure acts: twice that of a sample, which answers with the pressure that it is pressed with.
    pressed: Vec<f32>,
    /// For each pair W'/r.
    slopes: Vec<f32>,
    /// How far each particle has moved in the step, in radii; then what the constraints move it by.
    moves: Vec<[f32; 3]>,
    coarse: Coarse,
    /// By place: −λ on the scale of cells, and the density that it takes back.
    loads: Vec<f32>,
    excess: Vec<f32>,
}

impl Density {
    /// Begins a step at predicted positions: finds neighbours and walls, and takes back what the step has done to the density on the scale of cells.
    /// Particles that wait are in the way and keep to themselves.
    pub(crate) fn begin(
        &mut self,
        matter: &Matter,
        moving: &[Moving<'_>],
        waits: &impl Fn(usize) -> bool,
        start: &[Vec3],
        x: &[Vec3],
    ) {
        let (count, radius) = (matter.len(), matter.radius);
        let point = |k: usize| matter.position(x, k);
        self.neighbours.find(radius, [matter.vertices.len(), count], &point, &|k| matter.volumes[k], &mut self.places);
        let order = &self.neighbours.order;
        let particle = |k: usize| matter.vertices.get(order[k] as usize).map(|&v| x[v as usize]);
        self.walls.find(moving, count, &particle, self.neighbours.origin, matter);
        self.flows.clear();
        self.flows.extend(order.iter().map(|&own| (own as usize) < matter.vertices.len() && !waits(own as usize)));
        self.softness.clear();
        self.softness.extend((0..count).map(|k| {
            let own = order[k] as usize;
            // Many particles push a surface at once: each may use only its part of what the surface gives way.
            let sharers = if own < matter.vertices.len() { 1 } else { self.neighbours.of(k).len().max(1) };
            if waits(own) { 0.0 } else { matter.softness[own] * sharers as f32 }
        }));
        self.pressed.clear();
        self.pressed.extend((0..count).map(|k| self.places[k][3] * if self.flows[k] { 1.0 } else { 2.0 }));
        self.pushes.clear();
        self.pushes.resize(count, 0.0);
        self.resize(count);
        self.measure(matter, None);
        let order = &self.neighbours.order;
        self.moves.iter_mut().zip(order).for_each(|(way, &own)| {
            let way_of = matter.position(x, own as usize) - matter.position(start, own as usize);
            *way = (way_of / radius).to_array().map(|c| c as f32);
        });
        self.compare();
        let Self { neighbours, places, slopes, changes, densities, coarse, loads, excess, flows, .. } = self;
        let fine = Fine { matter, neighbours: &*neighbours, places, slopes, densities, flows, excess: changes };
        coarse.solve(&fine, loads);
        excess.copy_from_slice(changes);
    }

    fn resize(&mut self, count: usize) {
        self.changes.resize(count, 0.0);
        self.loads.resize(count, 0.0);
        self.excess.resize(count, 0.0);
        self.densities.resize(count, 0.0);
        self.shares.resize(count, Share::default());
        self.moves.resize(count, [0.0; 3]);
        self.slopes.resize(self.neighbours.list.len(), 0.0);
    }

    /// One iteration, and how many of them are left with it.
    pub(crate) fn iterate(&mut self, matter: &Matter, [number, all]: [usize; 2], x: &mut [Vec3]) {
        self.follow(matter, x);
        self.measure(matter, Some([1.0 / all as f32, 1.0 - number as f32 / all as f32]));
        self.push(matter, x);
    }

    /// Takes new positions; neighbours stay.
    pub(crate) fn follow(&mut self, matter: &Matter, x: &[Vec3]) {
        let (origin, order, scale) = (self.neighbours.origin, &self.neighbours.order, 1.0 / matter.radius);
        let outputs = Strided { entries: &mut self.places[..], stride: 1 };
        parallel::for_each(0..order.len(), outputs, &|range, part| {
            for (place, &own) in part.entries.iter_mut().zip(&order[range]) {
                let p = (matter.position(x, own as usize) - origin) * scale;
                *place = [p.x as f32, p.y as f32, p.z as f32, place[3]];
            }
        });
    }

    /// Densities and slopes at the current places; with `update`, what they change in λ.
    fn measure(&mut self, matter: &Matter, update: Option<[f32; 2]>) {
        let Self { neighbours, places, walls, pushes, changes, densities, shares, softness, flows, .. } = self;
        let (slopes, loads, excess) = (&mut self.slopes, &self.loads[..], &self.excess[..]);
        let (neighbours, places, walls, softness) = (&*neighbours, &places[..], &*walls, &softness[..]);
        let flows = &flows[..];
        let relaxation = RELAXATION * matter.stiffness_at_rest();
        let outputs = (
            ByOffsets { entries: &mut slopes[..], offsets: &neighbours.starts },
            (
                (Strided { entries: &mut densities[..], stride: 1 }, Strided { entries: &mut shares[..], stride: 1 }),
                (Strided { entries: &mut pushes[..], stride: 1 }, Strided { entries: &mut changes[..], stride: 1 }),
            ),
        );
        parallel::for_each(0..places.len(), outputs, &|range, (slopes, ((densities, shares), (pushes, changes)))| {
            let base = slopes.offsets[0];
            for (at, k) in range.enumerate() {
                let pairs = (slopes.offsets[at] - base) as usize..(slopes.offsets[at + 1] - base) as usize;
                let row = Row { k, places, list: neighbours.of(k), softness };
                let sums = row.measure(&mut slopes.entries[pairs]);
                if !flows[k] {
                    (pushes.entries[at], changes.entries[at]) = (0.0, 0.0);
                    continue;
                }
                let share = walls.share(k, &places[k]);
                let density = sums.density + share.density;
                (densities.entries[at], shares.entries[at]) = (density, share);
                if let Some([part, left]) = update {
                    let own = |c: usize| sums.gradient[c] + share.gradient[c];
                    let squared: f32 = (0..3).map(|c| own(c) * (own(c) + share.gradient[c])).sum();
                    let resistance = softness[k] * (squared.max(0.0) + relaxation) + sums.resistance;
                    let unexpected = density - 1.0 - left * excess[k];
                    let local = JACOBI * unexpected / resistance;
                    let push = (pushes.entries[at] + (part * loads[k]).min(MOST_LOAD) + local).max(0.0);
                    changes.entries[at] = push - pushes.entries[at];
                    pushes.entries[at] = push;
                }
            }
        });
    }

    /// Puts into `changes` the densities that are to be taken back: what the movement has added, and a share of what was there before.
    fn compare(&mut self) {
        let Self { neighbours, places, changes, densities, shares, flows, slopes, moves, .. } = self;
        let (neighbours, places, slopes, moves) = (&*neighbours, &places[..], &slopes[..], &moves[..]);
        let flows = &flows[..];
        parallel::for_each(0..places.len(), Strided { entries: &mut changes[..], stride: 1 }, &|range, part| {
            for (out, k) in part.entries.iter_mut().zip(range) {
                *out = 0.0;
                if flows[k] {
                    let pairs = neighbours.starts[k] as usize..neighbours.starts[k + 1] as usize;
                    let wall: f32 = (0..3).map(|c| shares[k].gradient[c] * moves[k][c]).sum();
                    let mut gained = wall;
                    for (&j, &slope) in neighbours.list[pairs.clone()].iter().zip(&slopes[pairs]) {
                        let (a, b, j) = (&places[k], &places[j as usize], j as usize);
                        let closer: f32 = (0..3).map(|c| (a[c] - b[c]) * (moves[k][c] - moves[j][c])).sum();
                        gained += b[3] * slope * closer;
                    }
                    let (excess, before) = (densities[k] - 1.0, densities[k] - 1.0 - gained);
                    *out = excess - (1.0 - PER_STEP) * before.max(0.0);
                }
            }
        });
    }

    /// Moves particles and surfaces by the changes of λ and the artificial pressure.
    fn push(&mut self, matter: &Matter, x: &mut [Vec3]) {
        let Self { neighbours, places, pressed, changes, shares, flows, slopes, moves, .. } = self;
        let (neighbours, places, pressed) = (&*neighbours, &places[..], &pressed[..]);
        let (changes, slopes) = (&changes[..], &slopes[..]);
        let separation = 1.0 / matter.stiffness_at_rest();
        let outputs = Strided { entries: &mut moves[..], stride: 1 };
        parallel::for_each(0..places.len(), outputs, &|range, part| {
            for (out, k) in part.entries.iter_mut().zip(range) {
                let own = neighbours.order[k] as usize;
                let pairs = neighbours.starts[k] as usize..neighbours.starts[k + 1] as usize;
                let (list, slopes) = (&neighbours.list[pairs.clone()], &slopes[pairs]);
                let spread = separation * matter.separation[own];
                let sum = pushed(k, places, pressed, changes, list, slopes, |j| {
                    if spread == 0.0 {
                        return 0.0;
                    }
                    spread.min(separation * matter.separation[neighbours.order[j] as usize])
                });
                let wall = if flows[k] { shares[k].gradient } else { [0.0; 3] };
                *out = std::array::from_fn(|c| -matter.softness[own] * (sum[c] + 2.0 * changes[k] * wall[c]));
            }
        });
        for (&own, step) in neighbours.order.iter().zip(&*moves) {
            let own = own as usize;
            let step = Vec3::from_array(step.map(f64::from)) * matter.radius;
            match matter.vertices.get(own) {
                Some(&v) => x[v as usize] += step,
                None => matter.push_sample(own - matter.vertices.len(), step, x),
            }
        }
    }

    /// How well the density is kept, before the last push of a stage of length h \[s\].
    pub(crate) fn report(&self, matter: &Matter, h: f64) -> FluidReport {
        let particles = matter.vertices.len();
        let unit = matter.pressure_unit(h);
        let mut report = FluidReport { particles, ..FluidReport::default() };
        for k in (0..self.flows.len()).filter(|&k| self.flows[k]) {
            let excess = f64::from(self.densities[k] - 1.0).max(0.0);
            report.mean_excess += excess / particles as f64;
            report.largest_excess = report.largest_excess.max(excess);
            let pressure = f64::from(self.pushes[k] / self.places[k][3]) * unit;
            report.largest_pressure = report.largest_pressure.max(pressure);
        }
        report
    }

    /// Pressures \[Pa\] of a stage of length h \[s\], by particle.
    #[cfg(test)]
    pub(crate) fn pressures(&self, matter: &Matter, h: f64) -> Vec<f64> {
        let unit = matter.pressure_unit(h);
        self.by_particle(matter, |k| f64::from(self.pushes[k] / self.places[k][3]) * unit)
    }

    #[cfg(test)]
    fn by_particle(&self, matter: &Matter, value: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut all = vec![0.0; matter.vertices.len()];
        for (k, &own) in self.neighbours.order.iter().enumerate() {
            if let Some(entry) = all.get_mut(own as usize) {
                *entry = value(k);
            }
        }
        all
    }

    /// Densities over the rest density at x, by particle.
    #[cfg(test)]
    pub(crate) fn densities(&mut self, matter: &Matter, x: &[Vec3]) -> Vec<f64> {
        self.follow(matter, x);
        self.measure(matter, None);
        self.by_particle(matter, |k| f64::from(self.densities[k]))
    }
}

/// A particle with its neighbours.
struct Row<'a> {
    k: usize,
    places: &'a [Place],
    list: &'a [u32],
    softness: &'a [f32],
}

/// Sums over the neighbours of a particle.
struct Sums {
    density: f32,
    gradient: [f32; 3],
    /// Σ w ‖∇C‖² of the neighbours.
    resistance: f32,
}

impl Row<'_> {
    fn measure(&self, slopes: &mut [f32]) -> Sums {
        let own = &self.places[self.k];
        let (mut density, mut gradient, mut resistance) = (own[3] * kernels::PEAK, [0.0_f32; 3], 0.0_f32);
        for (slope, &j) in slopes.iter_mut().zip(self.list) {
            let other = &self.places[j as usize];
            let (offset, squared) = apart(self.k, own, j as usize, other);
            *slope = kernels::slope_over_distance(squared);
            density += other[3] * kernels::density(squared);
            let factor = other[3] * *slope;
            (0..3).for_each(|c| gradient[c] += factor * offset[c]);
            resistance += self.softness[j as usize] * factor * factor * squared;
        }
        Sums { density, gradient, resistance }
    }
}

/// Offset from j to i and its squared length. Particles at one place part along an axis, in the order of their numbers.
#[inline(always)]
fn apart(i: usize, own: &Place, j: usize, other: &Place) -> ([f32; 3], f32) {
    let offset: [f32; 3] = std::array::from_fn(|c| own[c] - other[c]);
    let squared = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
    if squared < COINCIDENT * COINCIDENT {
        let side = if i < j { -COINCIDENT } else { COINCIDENT };
        return ([0.0, side, 0.0], COINCIDENT * COINCIDENT);
    }
    (offset, squared)
}

/// Σ (Δλ_i V_j + Δλ_j V_i + s_corr) ∇W, without the sign of λ.
fn pushed(
    k: usize,
    places: &[Place],
    pressed: &[f32],
    changes: &[f32],
    list: &[u32],
    slopes: &[f32],
    spread: impl Fn(usize) -> f32,
) -> [f32; 3] {
    let (own, change) = (&places[k], changes[k]);
    let mut sum = [0.0_f32; 3];
    let reference = kernels::density(SEPARATED * SEPARATED);
    for (&slope, &j) in slopes.iter().zip(list) {
        let other = &places[j as usize];
        let (offset, squared) = apart(k, own, j as usize, other);
        let mut both = change * pressed[j as usize] + changes[j as usize] * pressed[k];
        let spread = spread(j as usize);
        if spread > 0.0 {
            let ratio = kernels::density(squared) / reference;
            both += spread * (own[3] + other[3]) * ratio * ratio * ratio * ratio;
        }
        let factor = both * slope;
        (0..3).for_each(|c| sum[c] += factor * offset[c]);
    }
    sum
}
