//! What a run came to, as `summary.json` beside its frames.

use std::error::Error;
use std::path::{Path, PathBuf};

use pliant::Simulation;
use pliant::solve::SolverChoice;
use pliant_io::store::RunStore;
use pliant_scene::{SceneRun, Verdict};
use serde_json::{Map, Value, json};

use crate::record::{Phases, Touching};

/// Name of the file in the run's folder.
pub(crate) use pliant_scene::folder::SUMMARY_FILE as FILE;

/// A finished run.
#[derive(Debug)]
pub(crate) struct Summary {
    scene: String,
    vertices: usize,
    /// Solver and integrator in words, with what `auto` has come to, and substeps in a frame.
    solver: String,
    integrator: String,
    substeps: usize,
    /// Where the state is while a GPU computes.
    whereabouts: Option<String>,
    wall_seconds: f64,
    resumed_after: Option<u32>,
    phases: Phases,
    contact: Option<Touching>,
    last: Map<String, Value>,
    verdicts: Vec<Verdict>,
}

impl Summary {
    /// Of a run that took so long, from its log; `first` is the frame it was resumed after, 0 if it was not.
    pub(crate) fn of(
        scene: &str,
        run: &SceneRun,
        store: &RunStore,
        first: u32,
        wall_seconds: f64,
    ) -> Result<Self, Box<dyn Error>> {
        let log = store.read_log()?;
        let mut phases = Phases::default();
        log.iter().for_each(|entry| phases.add(entry));
        Ok(Self {
            scene: scene.to_owned(),
            vertices: run.sim.positions().len(),
            solver: solvers(&run.sim),
            integrator: run.sim.integrator().to_string(),
            substeps: run.substeps() as usize * run.sim.substeps(),
            whereabouts: run.whereabouts(),
            wall_seconds,
            resumed_after: (first > 0).then_some(first),
            phases,
            contact: Touching::of(&log),
            last: log.into_iter().next_back().unwrap_or_default(),
            verdicts: run.verdicts(),
        })
    }

    /// Whether all expectations hold.
    pub(crate) fn holds(&self) -> bool {
        self.verdicts.iter().all(Verdict::holds)
    }

    /// Everything, for other programs. `preview` lists the pictures, with the seconds that they took.
    pub(crate) fn to_json(&self, preview: Option<(&[PathBuf], f64)>) -> Value {
        let mut last = self.last.clone();
        last.retain(|key, _| !key.starts_with("seconds"));
        let drawn = preview.map(|(files, seconds)| {
            let names: Vec<String> =
                files.iter().filter_map(|f| f.file_name()).map(|n| n.to_string_lossy().into_owned()).collect();
            json!({ "files": names, "seconds": seconds })
        });
        json!({
            "pliant": env!("CARGO_PKG_VERSION"),
            "scene": self.scene,
            "frames": self.phases.frames,
            "vertices": self.vertices,
            "solver": self.solver,
            "integrator": self.integrator,
            "substeps": self.substeps,
            "state": self.whereabouts,
            "wall_seconds": self.wall_seconds,
            "resumed_after_frame": self.resumed_after,
            "milliseconds_per_frame": self.phases.to_json(),
            "contact": self.contact.as_ref().map(Touching::to_json),
            "final": last,
            "expectations": self.verdicts.iter().map(verdict_json).collect::<Vec<_>>(),
            "all_hold": self.holds(),
            "preview": drawn,
        })
    }

    /// Writes the file into the folder of the run.
    pub(crate) fn write(&self, dir: &Path, preview: Option<(&[PathBuf], f64)>) -> Result<PathBuf, Box<dyn Error>> {
        let path = dir.join(FILE);
        let text = serde_json::to_string_pretty(&self.to_json(preview))? + "\n";
        std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(path)
    }

    /// Where the time went, in a line.
    pub(crate) fn timing(&self) -> String {
        let (frames, each) = (self.phases.frames, self.phases.describe());
        let earlier = self.resumed_after.map_or(String::new(), |first| format!(" (the first {first} earlier)"));
        let (vertices, seconds) = (self.vertices, self.wall_seconds);
        format!("{frames} frames{earlier} of {vertices} vertices in {seconds:.1} s; a frame takes {each}")
    }

    /// What made the steps, in a line.
    pub(crate) fn solver(&self) -> String {
        let substeps = if self.substeps == 1 { "1 substep".to_owned() } else { format!("{} substeps", self.substeps) };
        let state = self.whereabouts.as_ref().map_or(String::new(), |state| format!("; {state}"));
        format!("solver: {}; {}, {substeps} a frame{state}", self.solver, self.integrator)
    }

    /// What contact with colliders came to, in a line; none where there are no colliders.
    pub(crate) fn contact(&self) -> Option<String> {
        self.contact.as_ref().map(Touching::describe)
    }

    pub(crate) fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }
}

/// An expectation and what became of it.
pub(crate) fn verdict_json(verdict: &Verdict) -> Value {
    let expect = &verdict.expect;
    json!({
        "expect": expect.quantity.name(),
        "body": expect.body,
        "above": expect.above,
        "below": expect.below,
        "value": verdict.value,
        "holds": verdict.holds(),
    })
}

/// The solver of a world, or those of its groups.
fn solvers(sim: &Simulation) -> String {
    if sim.solver_count() == 1 {
        return sim.solver_choice().to_string();
    }
    let group = |(solver, bodies): (&SolverChoice, Vec<&str>)| match &bodies[..] {
        [one] => format!("{solver} ({one})"),
        [one, others @ ..] => format!("{solver} ({one} and {} more)", others.len()),
        [] => solver.to_string(),
    };
    sim.solvers().map(group).collect::<Vec<_>>().join("; ")
}
