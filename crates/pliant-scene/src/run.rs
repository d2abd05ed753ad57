//! A scene in motion.

use pliant::math::Vec3;
use pliant::mesh::Edge;
use pliant::{Simulation, StepError, StepReport};

use crate::format::{ExpectSection, Moment, Quantity};
use crate::motion::Motion;

/// Something that keyframes move.
#[derive(Debug, Clone)]
pub(crate) enum Driver {
    /// Pinned vertices with their rest positions.
    Pins { body: String, motion: Motion, places: Vec<(u32, Vec3)> },
    /// Goals of handles from a number on, with their rest positions.
    Handles { first_goal: usize, motion: Motion, places: Vec<Vec3> },
}

/// A simulation with what the scene moves and expects.
#[derive(Debug)]
pub struct SceneRun {
    /// The simulation.
    pub sim: Simulation,
    substeps: u32,
    drivers: Vec<Driver>,
    /// Edges with rest lengths of each body, in its own vertices.
    edges: Vec<Vec<(Edge, f64)>>,
    checks: Vec<Check>,
    frame: u32,
}

/// An expectation with the extremes seen at the moments that matter.
#[derive(Debug, Clone)]
struct Check {
    expect: ExpectSection,
    last: f64,
    least: f64,
    most: f64,
}

/// Whether an expectation holds.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The expectation.
    pub expect: ExpectSection,
    /// The value that decides: the last, or the worst or best of all frames.
    pub value: f64,
}

impl Verdict {
    /// Whether the value is within the bounds.
    pub fn holds(&self) -> bool {
        self.expect.below.is_none_or(|bound| self.value < bound)
            && self.expect.above.is_none_or(|bound| self.value > bound)
    }
}

impl SceneRun {
    pub(crate) fn new(
        sim: Simulation,
        substeps: u32,
        drivers: Vec<Driver>,
        edges: Vec<Vec<(Edge, f64)>>,
        expect: Vec<ExpectSection>,
    ) -> Self {
        let check = |expect| Check { expect, last: f64::NAN, least: f64::INFINITY, most: f64::NEG_INFINITY };
        Self { sim, substeps, drivers, edges, checks: expect.into_iter().map(check).collect(), frame: 0 }
    }

    /// Frames done.
    pub fn frame(&self) -> u32 {
        self.frame
    }

    /// Advances by one frame; returns the reports of its steps.
    pub fn next_frame(&mut self) -> Result<Vec<StepReport>, StepError> {
        let mut reports = Vec::new();
        for _ in 0..self.substeps {
            self.move_drivers();
            reports.push(self.sim.step()?);
        }
        self.frame += 1;
        for k in 0..self.checks.len() {
            let value = self.measure(self.checks[k].expect.quantity, self.checks[k].expect.body.as_deref());
            let check = &mut self.checks[k];
            check.last = value;
            // A NaN must not hide behind min and max.
            check.least = if value < check.least || value.is_nan() { value } else { check.least };
            check.most = if value > check.most || value.is_nan() { value } else { check.most };
        }
        Ok(reports)
    }

    /// Puts pins and goals where they are at the end of the next step.
    fn move_drivers(&mut self) {
        let time = self.sim.time() + self.sim.time_step();
        for driver in &self.drivers {
            match driver {
                Driver::Pins { body, motion, places } => {
                    for &(vertex, rest) in places {
                        let moved = self.sim.move_pin(body, vertex, motion.place(time, rest));
                        debug_assert!(moved.is_ok(), "pins were made with the body: {moved:?}");
                    }
                }
                Driver::Handles { first_goal, motion, places } => {
                    for (k, &rest) in places.iter().enumerate() {
                        let moved = self.sim.set_goal("position", first_goal + k, motion.place(time, rest));
                        debug_assert!(moved.is_ok(), "goals were made with the body: {moved:?}");
                    }
                }
            }
        }
    }

    /// A quantity of the current state, of a body or of the world. NaN for a body that is not there.
    pub fn measure(&self, quantity: Quantity, body: Option<&str>) -> f64 {
        let bodies = self.sim.model().bodies();
        let chosen: Vec<usize> =
            (0..bodies.len()).filter(|&k| body.is_none_or(|name| bodies[k].name == name)).collect();
        if chosen.is_empty() {
            return f64::NAN;
        }
        let vertices = || chosen.iter().flat_map(|&k| bodies[k].vertices.clone());
        let (x, v) = (self.sim.positions(), self.sim.velocities());
        let stretches = || {
            chosen.iter().flat_map(|&k| {
                let base = bodies[k].vertices.start;
                let length = move |[a, b]: Edge| (x[base + b as usize] - x[base + a as usize]).length();
                self.edges[k].iter().map(move |&(edge, rest)| length(edge) / rest)
            })
        };
        let centre = || {
            let masses = self.sim.model().mass().lumped();
            let total: f64 = vertices().map(|i| masses[i]).sum();
            vertices().fold(Vec3::ZERO, |sum, i| sum + x[i] * masses[i]) / total
        };
        match quantity {
            Quantity::MaxStretch => stretches().fold(f64::NEG_INFINITY, f64::max),
            Quantity::MinStretch => stretches().fold(f64::INFINITY, f64::min),
            Quantity::Lowest => vertices().map(|i| x[i].y).fold(f64::INFINITY, f64::min),
            Quantity::Highest => vertices().map(|i| x[i].y).fold(f64::NEG_INFINITY, f64::max),
            Quantity::MaxSpeed => vertices().map(|i| v[i].length()).fold(0.0, f64::max),
            Quantity::KineticEnergy => self.sim.report().kinetic,
            Quantity::ElasticEnergy => self.sim.report().potential(),
            Quantity::TotalEnergy => self.sim.report().total(),
            Quantity::CentreX => centre().x,
            Quantity::CentreY => centre().y,
            Quantity::CentreZ => centre().z,
        }
    }

    /// What became of the expectations so far.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let decide = |check: &Check| {
            let Check { expect, last, least, most } = check;
            let within = |value: f64| Verdict { expect: expect.clone(), value };
            match expect.at {
                Moment::End => within(*last),
                // The worst of all frames, or the best: whichever bound is nearer to being broken.
                Moment::Always | Moment::Once => {
                    let always = expect.at == Moment::Always;
                    let (low, high) = (within(*least), within(*most));
                    if low.holds() == always { high } else { low }
                }
            }
        };
        self.checks.iter().map(decide).collect()
    }
}
