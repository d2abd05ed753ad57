//! The motion of the rods of a world during a step.

use super::matter::Rod;
use super::solve::{Moving, Scratch};
use super::spins;
use crate::contact::Contacts;
use crate::math::{Quat, Vec3};
use crate::matter::{Channel, Channels, Iteration, Motion, ORIENTATIONS, Portion, SPINS, StageView, StepView};
use crate::parallel;
use crate::world::model::Model;

/// A rod with what it is solved with.
#[derive(Debug, Default)]
struct Packed {
    x: Vec<Vec3>,
    inverse_masses: Vec<f64>,
    q: Vec<Quat>,
    multipliers: Vec<[Vec3; 2]>,
    scratch: Scratch,
}

/// The rods in the course of a step.
#[derive(Debug, Default)]
pub(crate) struct RodMotion {
    bodies: Vec<Moved>,
    /// All rods, body by body.
    rods: Vec<Packed>,
}

/// A body of rods in the course of a step.
#[derive(Debug)]
struct Moved {
    body: usize,
    /// Orientations and angular velocities at the start of the step.
    before: Vec<Quat>,
    spins: Vec<Vec3>,
}

/// Each rod of a world: its body, its number there, and the first vertex of the body.
fn all_rods(model: &Model) -> Vec<(&Rod, usize, u32)> {
    let mut all = Vec::new();
    for Portion { vertices, matter, .. } in model.matter_of::<Rod>() {
        all.extend((0..matter.rod_count()).map(|rod| (matter, rod, vertices.start as u32)));
    }
    all
}

impl RodMotion {
    /// Takes what each body carries at the start of a step.
    fn begin_step(&mut self, model: &Model, channels: &[Channels], x: &[Vec3]) {
        let moved = |portion: Portion<'_, Rod>| {
            // A stage that is studied on its own, outside a step, carries nothing.
            let own = channels.get(portion.body);
            let own = own.filter(|own| own.quaternions(ORIENTATIONS).len() == portion.matter.segment_count());
            let (before, spins) = match own {
                Some(own) => (own.quaternions(ORIENTATIONS).to_vec(), own.vectors(SPINS).to_vec()),
                None => {
                    let untwisted = portion.matter.untwisted(&x[portion.vertices]);
                    let still = vec![Vec3::ZERO; untwisted.len()];
                    (untwisted, still)
                }
            };
            Moved { body: portion.body, before, spins }
        };
        self.bodies = model.matter_of::<Rod>().map(moved).collect();
    }

    /// Begins a solve over h \[s\] with orientations predicted; held segments follow their pinned ends.
    fn begin_solve(&mut self, model: &Model, x: &[Vec3], inverse_masses: &[f64], h: f64) {
        let (mut predicted, mut next) = (Vec::new(), 0);
        for (portion, moved) in model.matter_of::<Rod>().zip(&self.bodies) {
            let (rod, first) = (portion.matter, portion.vertices.start);
            rod.rods.predict(&moved.before, &moved.spins, h, &mut predicted);
            self.rods.resize_with(self.rods.len().max(next + rod.rod_count()), Packed::default);
            for number in 0..rod.rod_count() {
                let packed = &mut self.rods[next];
                next += 1;
                let (from, vertices) = (rod.first_segment(number), rod.rod_vertices(number));
                let count = vertices.len() - 1;
                packed.inverse_masses = vertices.iter().map(|&v| inverse_masses[first + v as usize]).collect();
                packed.q.clear();
                packed.q.extend_from_slice(&predicted[from..from + count]);
                for (i, ends) in vertices.windows(2).enumerate() {
                    let edge = (x[first + ends[1] as usize] - x[first + ends[0] as usize]).normalize_or_zero();
                    if rod.rods.segments[from + i].is_held && edge != Vec3::ZERO {
                        let q = packed.q[i];
                        packed.q[i] = (Quat::from_rotation_arc(q * Vec3::Z, edge) * q).normalize();
                    }
                }
                packed.multipliers.clear();
                packed.multipliers.resize(count, [Vec3::ZERO; 2]);
            }
        }
    }

    /// One iteration over all rods; moves their vertices.
    fn visit(&mut self, model: &Model, x: &mut [Vec3], h: f64) {
        let all = all_rods(model);
        let (rods, place) = (std::mem::take(&mut self.rods), &*x);
        let numbered = rods.into_iter().zip(&all).collect();
        self.rods = parallel::map(numbered, &|(mut packed, &(rod, number, first)): (Packed, &(&Rod, usize, u32))| {
            let Packed { x, inverse_masses, q, multipliers, scratch } = &mut packed;
            x.clear();
            x.extend(rod.rod_vertices(number).iter().map(|&v| place[(first + v) as usize]));
            let mut moving = Moving { x, inverse_masses, q, multipliers };
            rod.rods.iterate(rod.first_segment(number), h, &mut moving, scratch);
            packed
        });
        for (packed, &(rod, number, first)) in self.rods.iter().zip(&all) {
            let vertices = rod.rod_vertices(number).iter();
            vertices.zip(&packed.x).for_each(|(&v, place)| x[(first + v) as usize] = *place);
        }
    }
}

impl Motion for RodMotion {
    fn begin(&mut self, stage: &StageView<'_>, _contacts: &Contacts<'_>, channels: &[Channels], x: &mut [Vec3]) {
        self.begin_step(stage.model, channels, x);
        self.begin_solve(stage.model, x, stage.inverse_masses, stage.h);
    }

    fn iterate(&mut self, at: &mut Iteration<'_, '_, '_>, x: &mut [Vec3]) {
        self.visit(at.stage.model, x, at.stage.h);
    }

    fn finish_step(&mut self, step: &StepView<'_>, channels: &mut [Channels]) {
        let mut orientations = self.rods.iter().flat_map(|packed| packed.q.iter().copied());
        for moved in &self.bodies {
            let after: Vec<Quat> = orientations.by_ref().take(moved.before.len()).collect();
            let own = &mut channels[moved.body];
            own.set(SPINS, Channel::Vectors(spins(&moved.before, &after, step.h)));
            own.set(ORIENTATIONS, Channel::Quaternions(after));
        }
    }
}
