//! `pliant reproduce`: experiments of the papers, with verdicts.

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use pliant_reproduce::{ALL, Experiment, Outcome as Found, ReproduceError, Size, markdown_table, number, write};

use crate::Outcome;
use crate::output::say;

const EXAMPLES: &str = "Examples:
  pliant reproduce --list                     experiments and their criteria
  pliant reproduce liu2013-fig2               one of them, into out/reproduce/liu2013-fig2
  pliant reproduce all --out out/papers       all of them; exits with 1 if a criterion does not hold";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Name of an experiment, or `all`; without a name, the experiments are listed.
    name: Option<String>,
    /// Folder for tables, plots, pictures and verdicts; each experiment gets its own folder in it.
    #[arg(long, default_value = "out/reproduce")]
    out: PathBuf,
    /// List the experiments with their claims and criteria.
    #[arg(long)]
    list: bool,
    /// Run small versions: seconds instead of minutes. Criteria about time are then meaningless.
    #[arg(long)]
    reduced: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    let Some(name) = arguments.name.as_deref().filter(|_| !arguments.list) else {
        list(arguments.list);
        return Ok(Outcome::Good);
    };
    let chosen: Vec<&'static Experiment> =
        if name == "all" { ALL.iter().collect() } else { vec![Experiment::find(name)?] };
    let size = if arguments.reduced { Size::Reduced } else { Size::Full };
    let begun = Instant::now();
    let mut finished = Vec::new();
    for experiment in &chosen {
        say!("{} ({}): {}", experiment.name, experiment.figure, experiment.claim);
        let outcome = match experiment.run(size) {
            Err(absent @ ReproduceError::NoData { .. }) if name == "all" => {
                say!("  skipped: {absent}\n");
                continue;
            }
            outcome => outcome?,
        };
        let folder = write(experiment, &outcome, &arguments.out)?;
        tell(&outcome);
        say!("  {}, after {:.0} s\n", folder.display(), begun.elapsed().as_secs_f64());
        finished.push((*experiment, outcome));
    }
    let fails: Vec<&str> =
        finished.iter().filter(|(_, outcome)| outcome.fails()).map(|(experiment, _)| experiment.name).collect();
    if finished.len() > 1 {
        let table = markdown_table(finished.iter().map(|(experiment, outcome)| (*experiment, outcome)));
        std::fs::write(arguments.out.join("verdicts.md"), &table)?;
        summarise(&finished);
    }
    if fails.is_empty() {
        return Ok(Outcome::Good);
    }
    say!("claims that do not hold here: {}", fails.join(", "));
    Ok(Outcome::ExpectationFailed)
}

fn list(criteria: bool) {
    for experiment in ALL {
        say!("{:18} {}: {}", experiment.name, experiment.figure, experiment.claim);
        if criteria {
            for criterion in experiment.criteria {
                say!("{:18}   {} {}", "", criterion.statement, criterion.bound);
            }
        }
    }
}

fn tell(outcome: &Found) {
    for verdict in &outcome.verdicts {
        let note = if verdict.note.is_empty() { String::new() } else { format!(" ({})", verdict.note) };
        say!(
            "  {}: {} = {}, must be {}{note}",
            verdict.word(),
            verdict.criterion.statement,
            number(verdict.measured),
            verdict.criterion.bound
        );
    }
    outcome.chosen.iter().for_each(|choice| say!("  chosen: {choice}"));
    outcome.remarks.iter().for_each(|remark| say!("  remark: {remark}"));
}

/// One short line for each criterion.
fn summarise(finished: &[(&Experiment, Found)]) {
    say!("{:18} {:26} {:>10} {:>12}  verdict", "experiment", "criterion", "measured", "bound");
    for (experiment, outcome) in finished {
        for verdict in &outcome.verdicts {
            say!(
                "{:18} {:26} {:>10} {:>12}  {}",
                experiment.name,
                verdict.criterion.name,
                number(verdict.measured),
                verdict.criterion.bound.to_string(),
                verdict.word()
            );
        }
    }
}
