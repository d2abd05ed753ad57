//! What the log of a run says of each frame.

use pliant::StepReport;
use pliant::solve::{ForceBalance, SetupSeconds};
use serde_json::{Map, Value, json};

use crate::folder::Recorded;
use crate::run::penetration;

/// A frame as the log has it: energies \[J\], speed \[m/s\], stretches, convergence, and seconds by phase. Of a frame whose state has stayed on a GPU, what steps report
/// is not known and left out.
pub fn log_entry(run: &impl Recorded, reports: &[StepReport]) -> Map<String, Value> {
    let (sim, (max_stretch, mean_stretch)) = (run.simulation(), run.stretches());
    let state = sim.report();
    let seconds = |phase: fn(&StepReport) -> f64| json!(reports.iter().map(phase).sum::<f64>());
    let mut entry = Map::new();
    let mut add = |key: &str, value: Value| drop(entry.insert(key.to_owned(), value));
    add("time", json!(state.time));
    add("kinetic", json!(state.kinetic));
    add("elastic", json!(state.potential()));
    add("gravitational", json!(state.gravitational));
    add("max_speed", json!(state.max_speed));
    add("max_stretch", json!(max_stretch));
    add("mean_stretch", json!(mean_stretch));
    if !sim.colliders().is_empty() {
        add("penetration", json!(penetration(sim, 0..sim.positions().len())));
    }
    if let Some(seconds) = run.seconds_on_gpu() {
        add("stays_on_gpu", json!(true));
        add("seconds", json!(seconds));
        return entry;
    }
    add("iterations", json!(reports.iter().map(|r| r.solve.iterations).sum::<usize>()));
    add("movement", json!(reports.iter().fold(0.0_f64, |m, r| m.max(r.solve.movement))));
    let largest =
        |of: fn(ForceBalance) -> f64| json!(reports.iter().filter_map(|r| r.solve.forces.map(of)).reduce(f64::max));
    add("unbalanced_force", largest(|forces| forces.unbalanced));
    add("residual", largest(|forces| forces.relative()));
    let sum = |count: fn(&StepReport) -> usize| json!(reports.iter().map(count).sum::<usize>());
    add("linear_iterations", sum(|r| r.solve.linear_iterations));
    add("one_by_one", json!(reports.iter().map(|r| r.solve.one_by_one).max()));
    if !sim.colliders().is_empty() {
        add("contacts", json!(reports.last().map_or(0, |r| r.solve.contacts)));
        add("rank_one_updates", sum(|r| r.solve.rank_one_updates));
        add("refactorisations", sum(|r| r.solve.refactorisations));
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
