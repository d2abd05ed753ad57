//! What the log of a run adds up to.

use serde_json::{Map, Value, json};

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

    /// `12.3 ms: predict 0.1, local 5.0, global 6.2, factor 0.4, other 0.6`, per frame; the total alone where no phases are known.
    pub(crate) fn describe(&self) -> String {
        if self.total > 0.0 && self.each.iter().all(|seconds| *seconds == 0.0) {
            return format!("{:.1} ms", self.per_frame(self.total));
        }
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
