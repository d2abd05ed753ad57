//! What the tests share.

use pliant::SelfCollisionReport;
use pliant::prelude::*;
use pliant::proximity::{Primitives, intersections};

/// Numbers between −1 and 1 that look random, the same on every machine (a linear congruential generator, high bits).
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

pub(crate) fn sheet(width: f64, height: f64, columns: usize, rows: usize) -> TriangleMesh {
    Sheet { width, height, columns, rows, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap()
}

/// Sets the force on a vertex of the world.
pub(crate) fn push(sim: &mut Simulation, vertex: usize, force: Vec3) {
    let (body, own) = sim.model().locate(vertex);
    let name = body.name.clone();
    sim.set_force(&name, own as u32, force).unwrap();
}

/// What a run of many steps came to.
#[derive(Default)]
pub(crate) struct Sum {
    pub(crate) steps: usize,
    pub(crate) intersecting: usize,
    pub(crate) pressing: usize,
    pub(crate) truncated: usize,
    pub(crate) held: usize,
    pub(crate) most_candidates: usize,
    pub(crate) rounds: usize,
    pub(crate) linear_iterations: usize,
    broad: f64,
    narrow: f64,
    solve: f64,
    primitives: Option<Primitives>,
}

impl Sum {
    pub(crate) fn add(&mut self, sim: &mut Simulation) {
        let step = sim.step().unwrap();
        let SelfCollisionReport {
            candidates, contacts, truncated, held, rounds, seconds_broad, seconds_narrow, ..
        } = step.self_collision.unwrap();
        self.steps += 1;
        let primitives = self.primitives.get_or_insert_with(|| Primitives::new(sim.model().bodies()));
        self.intersecting += usize::from(!intersections(primitives, sim.positions()).is_empty());
        self.pressing += contacts;
        self.truncated += truncated;
        self.held += held;
        self.rounds += rounds;
        self.linear_iterations += step.solve.linear_iterations;
        self.most_candidates = self.most_candidates.max(candidates);
        self.broad += seconds_broad;
        self.narrow += seconds_narrow;
        self.solve += step.seconds_solve - seconds_broad - seconds_narrow;
    }

    pub(crate) fn show(&self, name: &str) {
        println!("{name}: {self}");
    }
}

impl std::fmt::Display for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let each = |seconds: f64| 1e3 * seconds / self.steps as f64;
        write!(
            f,
            "{} steps, {} with intersections, {:.2} rounds and {:.1} linear iterations a step, {:.1} contacts, \
             {:.2} vertices cut and {:.2} held a step, at most {} candidates; broad {:.3} ms, narrow {:.3} ms, solve {:.3} ms a step",
            self.steps,
            self.intersecting,
            self.rounds as f64 / self.steps as f64,
            self.linear_iterations as f64 / self.steps as f64,
            self.pressing as f64 / self.steps as f64,
            self.truncated as f64 / self.steps as f64,
            self.held as f64 / self.steps as f64,
            self.most_candidates,
            each(self.broad),
            each(self.narrow),
            each(self.solve)
        )
    }
}

/// Steps of a long test. PLIANT_LONG_STEPS sets another number: ten thousand take an hour and more.
pub(crate) fn long_steps() -> usize {
    std::env::var("PLIANT_LONG_STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(2_000)
}
