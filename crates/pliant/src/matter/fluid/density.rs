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
//! Departures: pairs part along the direction d⁰ between them at the start of the step, as [Ryckaert 1977] has it ("SHAKE"), not along that of now.
//! A step's angular momentum is Σ m x⁰ × x¹/h whatever the movements were made of, so it is kept exactly if these are along x⁰_i − x⁰_j, and
//! is not if they are along x_i − x_j: a drop that burst lost 8 % of its in 20 steps. It is also calmer, because directions do not turn
//! from iteration to iteration: a pool at rest simmers at a quarter of the speed.
//!
//! The paper has one kernel for the density and another for its gradient; then the push is not along the gradient of what it corrects, and a
//! column at rest was seen to boil and to lose 2.6 % of its height. Here both are of the spiky kernel. A few Jacobi iterations carry a load
//! only a few particles deep; `coarse` carries it to the ground, in equal parts over the iterations. Walls and surfaces answer with the
//! pressure of the particle that they touch, twice what the gradient of C alone would give: so a uniform pressure pushes no particle
//! into a wall.
//!
//! Points of bodies' surfaces are particles without a constraint of their own, after [Akinci 2012]: they make up for the fluid that
//! is missing beside them, and take the opposite of the push.

use super::FluidReport;
use super::coarse::{Coarse, Fine};
use super::neighbours::{Neighbours, Place};
use super::pairs::{Manner, Rows};
use super::particles::Particles;
use super::walls::{Share, Walls};
use crate::collide::Moving;
use crate::math::Vec3;
use crate::parallel::{self, ByOffsets, Strided};

/// Share of Σ‖∇C‖² on a lattice that is added to the denominator [Macklin 2013, eq. 11]: particles with few neighbours have hardly any
/// gradient and would jump.
pub(super) const RELAXATION: f32 = 0.05;
/// Share of a Jacobi step that is taken: neighbours correct the same error, and all of it would overshoot.
pub(super) const JACOBI: f32 = 0.3;
/// Most of the load that one iteration applies, −λ in units of mass · radius². Pressure moves particles until they are evenly surrounded; beyond
/// about twice this an iteration carries them past that, and they fly apart. It bounds the depth that n iterations of a step h can hold:
/// g H h² < n · MOST_LOAD · radius².
pub(crate) const MOST_LOAD: f32 = 0.04;
/// Share of the density that a step finds wrong at its start that is taken back on the scale of cells. All of it at once would become speed.
pub(super) const PER_STEP: f32 = 0.1;

/// Time over which a density that was too high before a step is taken back, in seconds per root of a metre of spacing: the time of falling by a few
/// thousandths of a spacing. What a step takes back of it becomes speed, so steps that are shorter than this take back only their part of it.
pub(super) const RECOVERY: f64 = 0.02;
/// Iterations whose artificial pressures add up in a step; more of them share it, or it would grow with their number.
pub(super) const SEPARATING: f64 = 10.0;

/// Which densities cells take back.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Found {
    /// Those that a step finds before its first iteration.
    Before,
    /// Those that iterations have left.
    Left,
}

/// What is known of one step.
#[derive(Debug, Default)]
pub(crate) struct Density {
    pub(crate) neighbours: Neighbours,
    pub(crate) places: Vec<Place>,
    pub(super) walls: Walls,
    /// By place: −λ, density over rest density, what walls add.
    pushes: Vec<f32>,
    densities: Vec<f32>,
    shares: Vec<Share>,
    /// Whether it is a particle with a constraint: not a sample, and not in a pipe.
    pub(super) flows: Vec<bool>,
    /// By place, and an entry for the place that fills lists.
    pub(super) manners: Vec<Manner>,
    /// For each pair how much of a difference of pressures it carries, and by place the sums of these times r².
    weights: Vec<f32>,
    spreads: Vec<f32>,
    /// How far each particle has moved in the step, in radii, and how easily its pressure moves it; then what the constraints move it by.
    moves: Vec<Place>,
    /// Where places were when the step began, and whether they flow.
    origins: Vec<Place>,
    /// For each particle and sample the place where it is.
    pub(super) place_of: Vec<u32>,
    coarse: Coarse,
    /// By place: −λ on the scale of cells, and the density that it takes back.
    loads: Vec<f32>,
    excess: Vec<f32>,
    /// By place: how much of the density that was too high before the step it leaves for the next ones.
    kept: Vec<f32>,
    /// Length of the stage over the time in which the density recovers, at most 1.
    recovery: f64,
}

impl Density {
    /// Begins a step at predicted positions: finds neighbours and walls, and takes back what the step has done to the density on the scale of cells.
    /// Particles that wait are in the way and keep to themselves.
    pub(crate) fn begin(
        &mut self,
        particles: &Particles,
        moving: &[Moving<'_>],
        waits: &(impl Fn(usize) -> bool + Sync),
        [start, x]: [&[Vec3]; 2],
        h: f64,
    ) {
        self.recovery = (h / (RECOVERY * particles.spacing().sqrt())).min(1.0);
        let (count, radius) = (particles.len(), particles.radius);
        let point = |k: usize| particles.position(x, k);
        self.neighbours.find(
            radius,
            [particles.vertices.len(), count],
            &point,
            &|k| particles.volumes[k],
            &mut self.places,
        );
        self.walls.find(moving, &self.neighbours, x, particles);
        self.resize(count);
        self.describe(particles, waits, start, x);
        self.measure_first(Found::Before);
        self.load_cells(particles);
    }

    /// Solves for the pressure of cells.
    fn load_cells(&mut self, particles: &Particles) {
        let Self { neighbours, places, weights, spreads, densities, coarse, loads, excess, flows, moves, .. } = self;
        let neighbours = &*neighbours;
        let fine = Fine { particles, neighbours, places, weights, spreads, densities, flows, excess, moves };
        coarse.solve(&fine, loads);
    }

    fn resize(&mut self, count: usize) {
        self.pushes.clear();
        self.pushes.resize(count, 0.0);
        self.loads.resize(count, 0.0);
        self.excess.resize(count, 0.0);
        self.kept.resize(count, 0.0);
        self.densities.resize(count, 0.0);
        self.shares.resize(count, Share::default());
        self.flows.resize(count, false);
        self.manners.resize(count + 1, Manner::default());
        self.manners[count] = Manner::default();
        self.moves.resize(count + 1, [0.0; 4]);
        self.moves[count] = [0.0; 4];
        self.weights.resize(self.neighbours.list.len(), 0.0);
        self.spreads.resize(count, 0.0);
        self.origins.resize(count + 1, [0.0; 4]);
        self.place_of.resize(count, 0);
        for (place, &own) in (0..).zip(&self.neighbours.order) {
            self.place_of[own as usize] = place;
        }
    }

    /// What each place is, and how far it has come in the step.
    fn describe(&mut self, particles: &Particles, waits: &(impl Fn(usize) -> bool + Sync), start: &[Vec3], x: &[Vec3]) {
        let Self { neighbours, places, flows, manners, moves, origins, .. } = self;
        let (neighbours, places, count) = (&*neighbours, &places[..], flows.len());
        let separation = 1.0 / particles.stiffness_at_rest();
        let outputs = (
            Strided { entries: &mut flows[..], stride: 1 },
            (
                Strided { entries: &mut manners[..count], stride: 1 },
                (
                    Strided { entries: &mut moves[..count], stride: 1 },
                    Strided { entries: &mut origins[..count], stride: 1 },
                ),
            ),
        );
        parallel::for_each(0..count, outputs, &|range, (flows, (manners, (moves, origins)))| {
            for (at, k) in range.enumerate() {
                let own = neighbours.order[k] as usize;
                let (is_fluid, waits) = (own < particles.vertices.len(), waits(own));
                // Many particles push a surface at once: each may use only its part of what the surface gives way.
                let sharers = if is_fluid { 1 } else { neighbours.of(k).len().max(1) };
                flows.entries[at] = is_fluid && !waits;
                manners.entries[at] = Manner {
                    softness: if waits { 0.0 } else { particles.softness[own] * sharers as f32 },
                    // A surface answers with the pressure that it is pressed with.
                    pressed: places[k][3] * if is_fluid && !waits { 1.0 } else { 2.0 },
                    change: 0.0,
                    separation: separation * particles.separation[own],
                };
                let way = (particles.position(x, own) - particles.position(start, own)) / particles.radius;
                let ease = if is_fluid && !waits { particles.softness[own] * places[k][3] } else { 0.0 };
                let way = way.to_array().map(|c| c as f32);
                moves.entries[at] = [way[0], way[1], way[2], ease];
                let began: [f32; 3] = std::array::from_fn(|c| places[k][c] - way[c]);
                origins.entries[at] = [began[0], began[1], began[2], f32::from(u8::from(is_fluid && !waits))];
            }
        });
    }

    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { neighbours: &self.neighbours, places: &self.places, manners: &self.manners }
    }

    /// Takes back what the iterations so far have left on the scale of cells, by a new pressure of cells.
    fn load_again(&mut self, particles: &Particles) {
        for (k, way) in self.moves.iter_mut().take(self.flows.len()).enumerate() {
            let softness = particles.softness[self.neighbours.order[k] as usize];
            *way = [0.0, 0.0, 0.0, if self.flows[k] { softness * self.places[k][3] } else { 0.0 }];
        }
        self.measure_first(Found::Left);
        self.load_cells(particles);
    }

    /// Densities and the weights of pairs, and in `excess` the densities that are to be taken back: what the movement has added, and a share of
    /// what was there before; or what is left of that.
    fn measure_first(&mut self, found: Found) {
        let mut weights = std::mem::take(&mut self.weights);
        let mut spreads = std::mem::take(&mut self.spreads);
        let mut densities = std::mem::take(&mut self.densities);
        let mut excess = std::mem::take(&mut self.excess);
        let mut kept = std::mem::take(&mut self.kept);
        let leave = 1.0 - self.recovery as f32;
        let leave_cells = 1.0 - PER_STEP.min(self.recovery as f32);
        let (rows, walls, flows, moves) = (self.rows(), &self.walls, &self.flows[..], &self.moves[..]);
        let outputs = (
            (
                ByOffsets { entries: &mut weights[..], offsets: &rows.neighbours.starts },
                Strided { entries: &mut spreads[..], stride: 1 },
            ),
            (
                Strided { entries: &mut densities[..], stride: 1 },
                (Strided { entries: &mut excess[..], stride: 1 }, Strided { entries: &mut kept[..], stride: 1 }),
            ),
        );
        parallel::for_each(0..flows.len(), outputs, &|range, ((weights, spreads), (densities, (excess, kept)))| {
            let base = range.start;
            rows.begin(range, moves, weights.entries, |k, first| {
                let share = walls.share(k, &rows.places[k]);
                let wall: f32 = (0..3).map(|c| share.gradient[c] * moves[k][c]).sum();
                let above = first.density + share.density - 1.0;
                let before = (above - first.gained - wall).max(0.0);
                densities.entries[k - base] = above + 1.0;
                let taken_back = match found {
                    Found::Before => {
                        kept.entries[k - base] = leave * before;
                        above - leave_cells * before
                    }
                    Found::Left => above - kept.entries[k - base],
                };
                (excess.entries[k - base], spreads.entries[k - base]) =
                    if flows[k] { (taken_back, first.spread) } else { (0.0, 0.0) };
            });
        });
        (self.weights, self.spreads, self.densities) = (weights, spreads, densities);
        (self.excess, self.kept) = (excess, kept);
    }

    /// One iteration: its number, from 0, and how many of them apply the pressure of cells. Those beyond apply a new one, in rounds of as many.
    pub(crate) fn iterate(&mut self, particles: &Particles, [number, all]: [usize; 2], x: &mut [Vec3]) {
        let all = all.max(1);
        self.follow(particles, x);
        if number > 0 && number.is_multiple_of(all) {
            self.load_again(particles);
        }
        // Of what cells do not see, a long step finds all the next time. A short one leaves most of that to later ones, so it looks at once.
        let done = (number % all) as f32 + (1.0 - self.recovery as f32);
        self.measure(particles, Some([1.0 / all as f32, 1.0 - done / all as f32]));
        let together = (SEPARATING / all as f64).min(1.0);
        self.push(particles, (self.recovery.powi(2) * together) as f32, x);
    }

    /// Takes new positions; neighbours stay.
    pub(crate) fn follow(&mut self, particles: &Particles, x: &[Vec3]) {
        let (origin, order, scale) = (self.neighbours.origin, &self.neighbours.order, 1.0 / particles.radius);
        let outputs = Strided { entries: &mut self.places[..order.len()], stride: 1 };
        parallel::for_each(0..order.len(), outputs, &|range, part| {
            for (place, &own) in part.entries.iter_mut().zip(&order[range]) {
                let p = (particles.position(x, own as usize) - origin) * scale;
                *place = [p.x as f32, p.y as f32, p.z as f32, place[3]];
            }
        });
    }

    /// Densities at the current places; with `update`, what they change in λ.
    fn measure(&mut self, particles: &Particles, update: Option<[f32; 2]>) {
        let relaxation = RELAXATION * particles.stiffness_at_rest();
        let mut densities = std::mem::take(&mut self.densities);
        let mut shares = std::mem::take(&mut self.shares);
        let mut pushes = std::mem::take(&mut self.pushes);
        let mut changes = vec![0.0_f32; pushes.len()];
        let (rows, walls, flows) = (self.rows(), &self.walls, &self.flows[..]);
        let (loads, excess, kept) = (&self.loads[..], &self.excess[..], &self.kept[..]);
        let outputs = (
            (Strided { entries: &mut densities[..], stride: 1 }, Strided { entries: &mut shares[..], stride: 1 }),
            (Strided { entries: &mut pushes[..], stride: 1 }, Strided { entries: &mut changes[..], stride: 1 }),
        );
        parallel::for_each(0..flows.len(), outputs, &|range, ((densities, shares), (pushes, changes))| {
            let base = range.start;
            rows.measure(range, flows, |k, sums| {
                let at = k - base;
                if !flows[k] {
                    return;
                }
                let share = walls.share(k, &rows.places[k]);
                let density = sums.density + share.density;
                (densities.entries[at], shares.entries[at]) = (density, share);
                if let Some([part, left]) = update {
                    let own = |c: usize| sums.gradient[c] + share.gradient[c];
                    let squared: f32 = (0..3).map(|c| own(c) * (own(c) + share.gradient[c])).sum();
                    let resistance = rows.manners[k].softness * (squared.max(0.0) + relaxation) + sums.resistance;
                    let unexpected = density - 1.0 - kept[k] - left * excess[k];
                    let local = JACOBI * unexpected / resistance;
                    let push = (pushes.entries[at] + (part * loads[k]).min(MOST_LOAD) + local).max(0.0);
                    changes.entries[at] = push - pushes.entries[at];
                    pushes.entries[at] = push;
                }
            });
        });
        self.manners.iter_mut().zip(changes).for_each(|(manner, change)| manner.change = change);
        (self.densities, self.shares, self.pushes) = (densities, shares, pushes);
    }

    /// Moves particles and surfaces by the changes of λ and by a share of the artificial pressure.
    fn push(&mut self, particles: &Particles, separation: f32, x: &mut [Vec3]) {
        let mut moves = std::mem::take(&mut self.moves);
        let (rows, flows, shares) = (self.rows(), &self.flows[..], &self.shares[..]);
        let origins = &self.origins[..];
        let outputs = Strided { entries: &mut moves[..flows.len()], stride: 1 };
        parallel::for_each(0..flows.len(), outputs, &|range, part| {
            let base = range.start;
            rows.push(range, origins, separation, |k, sum| {
                let wall = if flows[k] { shares[k].gradient } else { [0.0; 3] };
                let softness = particles.softness[rows.neighbours.order[k] as usize];
                let change = rows.manners[k].change;
                let step = |c: usize| -softness * (sum[c] + 2.0 * change * wall[c]);
                part.entries[k - base] = [step(0), step(1), step(2), 0.0];
            });
        });
        self.moves = moves;
        let step = |particle: usize| {
            let [dx, dy, dz, _] = self.moves[self.place_of[particle] as usize].map(f64::from);
            Vec3::new(dx, dy, dz) * particles.radius
        };
        particles.for_each_vertex(x, &|particle, x| *x += step(particle));
        for sample in 0..particles.samples.len() {
            particles.push_sample(sample, step(particles.vertices.len() + sample), x);
        }
    }

    /// How well the density is kept, before the last push of a stage of length h \[s\].
    pub(crate) fn report(&self, particles: &Particles, h: f64) -> FluidReport {
        let count = particles.vertices.len();
        let unit = particles.pressure_unit(h);
        let mut report = FluidReport { particles: count, ..FluidReport::default() };
        for k in (0..self.flows.len()).filter(|&k| self.flows[k]) {
            let excess = f64::from(self.densities[k] - 1.0).max(0.0);
            report.mean_excess += excess / count as f64;
            report.largest_excess = report.largest_excess.max(excess);
            let pressure = f64::from(self.pushes[k] / self.places[k][3]) * unit;
            report.largest_pressure = report.largest_pressure.max(pressure);
        }
        report
    }

    /// Mean relative excess of the density that the iterations are to take back, before the last push.
    pub(crate) fn mean_error(&self, particles: &Particles) -> f64 {
        let flowing = (0..self.flows.len()).filter(|&k| self.flows[k]);
        let error = |k: usize| f64::from(self.densities[k] - 1.0 - self.kept[k]).max(0.0);
        flowing.map(error).sum::<f64>() / particles.vertices.len() as f64
    }

    /// Pressures \[Pa\] of a stage of length h \[s\], by particle.
    pub(crate) fn pressures(&self, particles: &Particles, h: f64) -> Vec<f64> {
        let unit = particles.pressure_unit(h);
        self.by_particle(particles, |k| f64::from(self.pushes[k] / self.places[k][3]) * unit)
    }

    /// Densities over the rest density before the last push of a stage, by particle.
    pub(crate) fn found_densities(&self, particles: &Particles) -> Vec<f64> {
        self.by_particle(particles, |k| f64::from(self.densities[k]))
    }

    fn by_particle(&self, particles: &Particles, value: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut all = vec![0.0; particles.vertices.len()];
        for (k, &own) in self.neighbours.order.iter().enumerate() {
            if let Some(entry) = all.get_mut(own as usize) {
                *entry = value(k);
            }
        }
        all
    }

    /// Densities over the rest density at x, by particle.
    #[cfg(test)]
    pub(crate) fn densities(&mut self, particles: &Particles, x: &[Vec3]) -> Vec<f64> {
        self.follow(particles, x);
        self.measure(particles, None);
        self.by_particle(particles, |k| f64::from(self.densities[k]))
    }
}
