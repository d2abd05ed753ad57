//! Energy never comes from nowhere: what is done on a world in a step, and what becomes of it.
//!
//! The energy of a world is that of its free vertices: kinetic, elastic, and in gravity. In a substep it may grow by what is done from outside:
//!
//! | by | work |
//! |---|---|
//! | pins that move | −Σ f·Δx, f the force of elements and of other surfaces on the pin at the end |
//! | colliders that move | Σ F·Δs, F the contact force on a vertex, Δs the way of the surface there |
//! | handles that move | by how much moving a goal changes the energy of its element, before the vertex follows; what a user holds: Σ F·Δx, F its pull at the end |
//! | forces, pressure, wind | Σ f·Δx, f the force that acts over the substep |
//! | emitters | kinetic energy of particles that have come out |
//!
//! Less these works, the energy may not exceed the least that it ever was by more than a share of what was turned over: the energy at the start, works, and
//! what falling has released. So a gain is not hidden by what was lost before, and does not grow from step to step. Two shares are allowed: implicit Euler, with
//! more iterations, takes over from the other integrators at [`REDONE_FROM`], and is itself only watched; what gains more than [`SLOWED_FROM`] even so is solved once more without the
//! motion within bodies, and slowed down; if that does not do, and nothing drives the world, it stands still for the substep.
//!
//! Matter without a potential, what position-based and explicit solvers move, limited strain, and contacts without forces store energy, and do work, unseen. There
//! a substep is judged by kinetic energy alone, which may exceed what came in and what falling has released by the same shares. It is not judged
//! where pins, colliders, handles or strain limits move vertices, whose work is not known either.
//!
//! | file | does |
//! |---|---|
//! | `books` | measures a substep |
//! | `guard` | takes a substep, and takes it again by implicit Euler if it has gained; what even that has gained is taken out of its velocities |
//! | `keep` | gives back what a substep has lost, for an integrator that keeps energy |

mod books;
mod guard;
mod keep;

use crate::{Checkpoint, CheckpointError};

pub(crate) use books::Acting;
pub(crate) use guard::Taken;
pub(crate) use keep::{Account, check as check_kept};

/// Gain over what was turned over from which a substep is taken again by implicit Euler. Iterations of the default end when they miss at most 1 % of the kinetic
/// energy of a substep.
const REDONE_FROM: f64 = 0.05;
/// Gain over what was turned over from which even a substep that was taken again is slowed down. Implicit Euler gains where contacts and very stiff elements are
/// not solved to the end, and loses that again: of our scenes a letter that the wind lifts has the largest, 0.44 of the first microjoules.
const SLOWED_FROM: f64 = 0.5;
/// Speed below which motion is rounding \[m/s\]: kinetic energy of all vertices at it is let pass.
const STILL: f64 = 1e-4;

/// What is done on a world from outside \[J\].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Works {
    /// By pins that move.
    pub pins: f64,
    /// By colliders that move.
    pub colliders: f64,
    /// By handles that move: goals of energies, and vertices that are held softly.
    pub handles: f64,
    /// By forces on vertices.
    pub forces: f64,
    /// By pressure in closed surfaces.
    pub pressure: f64,
    /// By the wind.
    pub wind: f64,
    /// By emitters.
    pub emitters: f64,
}

impl Works {
    /// All of them, as numbers.
    fn each(&self) -> [f64; 7] {
        let Self { pins, colliders, handles, forces, pressure, wind, emitters } = *self;
        [pins, colliders, handles, forces, pressure, wind, emitters]
    }

    /// Their sum \[J\].
    pub fn total(&self) -> f64 {
        self.each().iter().sum()
    }

    fn add(&mut self, later: &Self) {
        let Self { pins, colliders, handles, forces, pressure, wind, emitters } = self;
        let own = [pins, colliders, handles, forces, pressure, wind, emitters];
        own.into_iter().zip(later.each()).for_each(|(sum, work)| *sum += work);
    }
}

/// What became of the energy of a world in a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct EnergyReport {
    /// Kinetic energy of free vertices at the end \[J\].
    pub kinetic: f64,
    /// Elastic energy at the end, as far as the solver has one \[J\].
    pub elastic: f64,
    /// Work of gravity in the step \[J\].
    pub released: f64,
    /// Work from outside in the step.
    pub works: Works,
    /// By how much the energy has changed, less works \[J\]: it is lost where this is negative.
    pub gained: f64,
    /// Substeps that were taken again by implicit Euler, because they had gained energy.
    pub redone: usize,
    /// Substeps that had gained energy even so: motion within bodies was taken out at their start, and what they had gained then at their end.
    pub slowed: usize,
}

impl EnergyReport {
    /// Adds a later substep.
    pub(crate) fn add(&mut self, later: &Self) {
        (self.kinetic, self.elastic) = (later.kinetic, later.elastic);
        self.released += later.released;
        self.works.add(&later.works);
        self.gained += later.gained;
        self.redone += later.redone;
        self.slowed += later.slowed;
    }
}

/// A substep in terms of energy \[J\].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Books {
    /// Of free vertices, at the start and at the end.
    kinetic: [f64; 2],
    elastic: [f64; 2],
    /// What an integrator that keeps energy owes to bodies, and gives back later.
    pub(crate) owed: [f64; 2],
    /// By gravity.
    released: f64,
    works: Works,
    /// Whether there is something that may store energy, or do work, unseen.
    is_hidden: bool,
    /// Whether there is matter, which carries more than positions.
    has_matter: bool,
    /// Whether pins, colliders or handles move, or strain limits move vertices: where forces are hidden, so is their work.
    is_driven: bool,
    /// Kinetic energy that is rounding.
    still: f64,
}

impl Books {
    fn gained(&self) -> f64 {
        let change = |[before, after]: [f64; 2]| after - before;
        change(self.kinetic) + change(self.elastic) + change(self.owed) - self.released - self.works.total()
    }
}

/// What is known of the energy of a world from the substeps before \[J\].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Ledger {
    /// Elastic energy now; none where something has changed since.
    pub(crate) elastic: Option<f64>,
    /// Kinetic and elastic energy after the last substep.
    last: f64,
    /// By how much the energy, less works, is above the least that it was.
    above: f64,
    /// Energy that was there, that came with bodies, and of works.
    turned_over: f64,
    /// What falling and growing under pressure has released since the highest place, and the most that it ever was.
    released: f64,
    most_released: f64,
}

impl Ledger {
    /// Its numbers, for a checkpoint.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        let known = [f64::from(u8::from(self.elastic.is_some())), self.elastic.unwrap_or(0.0)];
        known.into_iter().chain([self.last, self.above, self.turned_over, self.released, self.most_released]).collect()
    }

    /// From a checkpoint; those of before there were any have none.
    pub(crate) fn saved_in(saved: &Checkpoint) -> Result<Self, CheckpointError> {
        let numbers = saved.optional(Self::CHANNEL, 7)?;
        let &[is_known, elastic, last, above, turned_over, released, most_released] = numbers else {
            return Ok(Self::default());
        };
        Ok(Self { elastic: (is_known != 0.0).then_some(elastic), last, above, turned_over, released, most_released })
    }

    /// What it is called in a checkpoint.
    pub(crate) const CHANNEL: &str = "energy";

    /// After a substep.
    fn after(&self, books: &Books) -> Self {
        let [[kinetic, moving], [stretched, elastic]] = [books.kinetic, books.elastic];
        let came = (kinetic + stretched - self.last).max(0.0);
        // Pressure is as gravity: what it gives a body that grows, it takes back where that shrinks.
        let pressure = books.works.pressure;
        let works = books.works.each().iter().map(|work| work.abs()).sum::<f64>() - pressure.abs();
        let above = self.above + books.gained();
        let released = (self.released + books.released + pressure).max(0.0);
        Self {
            elastic: Some(elastic),
            last: moving + elastic,
            above: if books.is_hidden { 0.0 } else { above.max(0.0) },
            turned_over: self.turned_over + came + works,
            released,
            most_released: self.most_released.max(released),
        }
    }

    /// By how much more than a share of what was turned over it is above the least, after a substep.
    fn excess(&self, books: &Books, share: f64) -> f64 {
        self.above - share * self.all_turned_over() - books.still
    }

    /// By how much the kinetic energy exceeds what came in, what is released of falling now, and a share of what was turned over, where nothing else is known.
    fn kinetic_excess(&self, books: &Books, share: f64) -> f64 {
        if books.is_driven {
            return 0.0;
        }
        books.kinetic[1] - self.turned_over - self.released - share * self.all_turned_over() - books.still
    }

    fn all_turned_over(&self) -> f64 {
        self.turned_over + self.most_released
    }
}
