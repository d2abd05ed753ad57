//! What the log says of each frame, and what it adds up to.

use pliant::StepReport;
use pliant::solve::{ForceBalance, SetupSeconds};
use pliant_scene::SceneRun;
use pliant_scene::format::Quantity;
use serde_json::{Map, Value, json};

/// A frame as the log has it: energies \[J\], speed \[m/s\], stretches, convergence, and seconds by phase.
pub(crate) fn log_entry(run: &SceneRun, reports: &[StepReport]) -> Map<String, Value> {
    let state = run.sim.report();
    let seconds = |phase: fn(&StepReport) -> f64| json!(reports.iter().map(phase).sum::<f64>());
    let mut entry = Map::new();
    let mut add = |key: &str, value: Value| drop(entry.insert(key.to_owned(), value));
    add("time", json!(state.time));
    add("kinetic", json!(state.kinetic));
    add("elastic", json!(state.potential()));
    add("gravitational", json!(state.gravitational));
    add("max_speed", json!(state.max_speed));
    add("max_stretch", json!(run.measure(Quantity::MaxStretch, None)));
    add("mean_stretch", json!(run.measure(Quantity::MeanStretch, None)));
    add("iterations", json!(reports.iter().map(|r| r.solve.iterations).sum::<usize>()));
    add("movement", json!(reports.iter().fold(0.0_f64, |m, r| m.max(r.solve.movement))));
    let largest =
        |of: fn(ForceBalance) -> f64| json!(reports.iter().filter_map(|r| r.solve.forces.map(of)).reduce(f64::max));
    add("unbalanced_force", largest(|forces| forces.unbalanced));
    add("residual", largest(|forces| forces.relative()));
    let sum = |count: fn(&StepReport) -> usize| json!(reports.iter().map(count).sum::<usize>());
    add("linear_iterations", sum(|r| r.solve.linear_iterations));
    add("one_by_one", json!(reports.iter().map(|r| r.solve.one_by_one).max()));
    if !run.sim.colliders().is_empty() {
        add("contacts", json!(reports.last().map_or(0, |r| r.solve.contacts)));
        add("rank_one_updates", sum(|r| r.solve.rank_one_updates));
        add("refactorisations", sum(|r| r.solve.refactorisations));
        add("penetration", json!(run.measure(Quantity::Penetration, None)));
    }
    if reports.iter().any(|r| r.self_collision.is_some()) {
        let report = |r: &StepReport| r.self_collision.clone().unwrap_or_default();
        let last = reports.last().map(report).unwrap_or_default();
        add("self_collision_contacts", json!(last.contacts));
        add("self_collision_cut", json!(reports.iter().map(|r| report(r).truncated).sum::<usize>()));
        add("self_collision_held", json!(last.held));
    }
    add("work", json!(reports.iter().map(|r| r.energy.works.total()).sum::<f64>()));
    add("gained", json!(reports.iter().map(|r| r.energy.gained).sum::<f64>()));
    add("redone", sum(|r| r.energy.redone));
    add("slowed", sum(|r| r.energy.slowed));
    add("seconds", seconds(|r| r.seconds_total));
    add("seconds_predict", seconds(|r| r.seconds_predict));
    add("seconds_local", seconds(|r| r.solve.seconds_local));
    add("seconds_global", seconds(|r| r.solve.seconds_global));
    add("seconds_factor", seconds(|r| r.solve.seconds_factor));
    add(
        "seconds_self_collision",
        seconds(|r| r.self_collision.as_ref().map_or(0.0, |s| s.seconds_broad + s.seconds_narrow)),
    );
    let setup = |phase: fn(&SetupSeconds) -> f64| reports.iter().map(|r| phase(&r.solve.setup)).sum::<f64>();
    let (assemble, analyse) = (setup(|s| s.assemble), setup(|s| s.analyse));
    if analyse > 0.0 || assemble > 0.0 {
        let (factor, pack) = (setup(|s| s.factor), setup(|s| s.pack));
        add("setup", json!({ "assemble": assemble, "analyse": analyse, "factor": factor, "pack": pack }));
    }
    entry
}

/// A number of an entry; NaN where it is missing, as in logs of older versions.
pub(crate) fn number(entry: &Map<String, Value>, key: &str) -> f64 {
    entry.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN)
}

/// What contact with colliders came to in some frames.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Touching {
    /// Most contacts after a frame.
    most: u64,
    rank_one_updates: u64,
    refactorisations: u64,
    linear_iterations: u64,
    /// Depth of the deepest vertex after a frame \[m\].
    deepest: f64,
}

impl Touching {
    /// Of a log; none where the world has no colliders.
    pub(crate) fn of(log: &[Map<String, Value>]) -> Option<Self> {
        let mut all = Self::default();
        let mut any = false;
        for entry in log.iter().filter(|entry| entry.contains_key("contacts")) {
            let count = |key: &str| entry.get(key).and_then(Value::as_u64).unwrap_or(0);
            any = true;
            all.most = all.most.max(count("contacts"));
            all.rank_one_updates += count("rank_one_updates");
            all.refactorisations += count("refactorisations");
            all.linear_iterations += count("linear_iterations");
            all.deepest = all.deepest.max(number(entry, "penetration"));
        }
        any.then_some(all)
    }

    /// In a line.
    pub(crate) fn describe(&self) -> String {
        let Self { most, rank_one_updates, refactorisations, linear_iterations, deepest } = self;
        format!(
            "at most {most} contacts, {:.3} mm deep; {rank_one_updates} rank-one updates, {refactorisations} refactorisations, \
             {linear_iterations} linear iterations",
            1e3 * deepest
        )
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "most": self.most,
            "deepest": self.deepest,
            "rank_one_updates": self.rank_one_updates,
            "refactorisations": self.refactorisations,
            "linear_iterations": self.linear_iterations,
        })
    }
}

/// Phases of a step, as the log names them.
pub(crate) const PHASES: [&str; 5] = ["predict", "local", "global", "factor", "self_collision"];

/// Where the time of some frames went: for each phase and all together, the sum \[s\].
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Phases {
    pub(crate) frames: usize,
    pub(crate) total: f64,
    pub(crate) each: [f64; PHASES.len()],
}

impl Phases {
    pub(crate) fn add(&mut self, entry: &Map<String, Value>) {
        let seconds = |key: &str| Some(number(entry, key)).filter(|seconds| seconds.is_finite()).unwrap_or(0.0);
        self.frames += 1;
        self.total += seconds("seconds");
        for (sum, phase) in self.each.iter_mut().zip(PHASES) {
            *sum += seconds(&format!("seconds_{phase}"));
        }
    }

    /// Milliseconds per frame of a sum of seconds.
    pub(crate) fn per_frame(&self, seconds: f64) -> f64 {
        1e3 * seconds / self.frames.max(1) as f64
    }

    /// `12.3 ms: predict 0.1, local 5.0, global 6.2, factor 0.4, other 0.6`, per frame.
    pub(crate) fn describe(&self) -> String {
        let parts = PHASES.iter().zip(self.each).chain([(&"other", self.other())]);
        // Most worlds have no self-collision.
        let parts = parts.filter(|(name, s)| **name != "self_collision" || *s > 0.0);
        let parts: Vec<String> = parts.map(|(name, s)| format!("{name} {:.2}", self.per_frame(s))).collect();
        format!("{:.1} ms: {}", self.per_frame(self.total), parts.join(", "))
    }

    /// What no phase accounts for: checks and bookkeeping.
    pub(crate) fn other(&self) -> f64 {
        (self.total - self.each.iter().sum::<f64>()).max(0.0)
    }

    /// Milliseconds per frame.
    pub(crate) fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("total".to_owned(), json!(self.per_frame(self.total)));
        for (name, seconds) in PHASES.iter().zip(self.each).chain([(&"other", self.other())]) {
            object.insert((*name).to_owned(), json!(self.per_frame(seconds)));
        }
        Value::Object(object)
    }
}
