//! Outcomes as files: CSV, SVG and PNG, and a verdict for machines and for readers.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::{Experiment, Outcome, ReproduceError, Table, Verdict, number};

/// What stands in verdict.json.
#[derive(Serialize)]
struct Record<'a> {
    experiment: &'a str,
    figure: &'a str,
    claim: &'a str,
    holds: bool,
    verdicts: &'a [Verdict],
    chosen: &'a [String],
    remarks: &'a [String],
}

/// Writes an outcome into a folder of the experiment's name; returns the folder.
pub fn write(experiment: &Experiment, outcome: &Outcome, dir: &Path) -> Result<PathBuf, ReproduceError> {
    let folder = dir.join(experiment.name);
    fs::create_dir_all(&folder).map_err(|error| ReproduceError::File { path: folder.clone(), error })?;
    let save = |name: String, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| ReproduceError::File { path, error })
    };
    for table in &outcome.tables {
        save(format!("{}.csv", table.name), csv(table))?;
    }
    for (name, plot) in &outcome.plots {
        plot.save_svg(folder.join(format!("{name}.svg")))?;
        plot.save_png(folder.join(format!("{name}.png")))?;
    }
    for (name, image) in &outcome.pictures {
        image.save_png(folder.join(format!("{name}.png")))?;
    }
    let record = Record {
        experiment: experiment.name,
        figure: experiment.figure,
        claim: experiment.claim,
        holds: !outcome.fails(),
        verdicts: &outcome.verdicts,
        chosen: &outcome.chosen,
        remarks: &outcome.remarks,
    };
    // Strings, numbers and lists of them: JSON can hold them all; what is not a number becomes null.
    let json = serde_json::to_string_pretty(&record).unwrap_or_default();
    save("verdict.json".to_owned(), json + "\n")?;
    save("README.md".to_owned(), readme(experiment, outcome))?;
    Ok(folder)
}

fn csv(table: &Table) -> String {
    let named = table.rows.iter().any(|(name, _)| !name.is_empty());
    let head = named.then_some("name").into_iter().chain(table.columns.iter().map(String::as_str));
    let mut text = head.map(quoted).collect::<Vec<_>>().join(",") + "\n";
    for (name, numbers) in &table.rows {
        let name = named.then(|| quoted(name)).into_iter();
        text += &(name.chain(numbers.iter().map(f64::to_string)).collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

/// A field of a CSV file [RFC 4180].
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.to_owned() }
}

fn readme(experiment: &Experiment, outcome: &Outcome) -> String {
    let mut text = format!("# {} ({})\n\n{}\n\n", experiment.figure, experiment.name, experiment.claim);
    text += &markdown_table([(experiment, outcome)]);
    let mut list = |title: &str, items: &[String]| {
        if !items.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{title}\n\n");
            items.iter().for_each(|item| text += &format!("- {item}\n"));
        }
    };
    list("Chosen, where the paper does not say:", &outcome.chosen);
    list("Remarks:", &outcome.remarks);
    let plots = outcome.plots.iter().map(|(name, _)| format!("{name}.svg"));
    for file in plots.chain(outcome.pictures.iter().map(|(name, _)| format!("{name}.png"))) {
        let _ = write!(text, "\n![{file}]({file})\n");
    }
    text
}

/// The verdicts of experiments as a table in Markdown.
pub fn markdown_table<'a>(outcomes: impl IntoIterator<Item = (&'a Experiment, &'a Outcome)>) -> String {
    let mut text =
        "| experiment | criterion | bound | measured | verdict | note |\n|---|---|---|---|---|---|\n".to_owned();
    for (experiment, outcome) in outcomes {
        for verdict in &outcome.verdicts {
            let Verdict { criterion, measured, note, .. } = verdict;
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {note} |",
                experiment.name,
                criterion.statement,
                criterion.bound,
                number(*measured),
                verdict.word(),
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_commas_and_quotes_survive() {
        let mut table = Table::new("t", &["a, b", "c"]);
        table.push_named("say \"x\"", [1.5, f64::NAN]);
        assert_eq!(csv(&table), "name,\"a, b\",c\n\"say \"\"x\"\"\",1.5,NaN\n");
        let mut plain = Table::new("t", &["a"]);
        plain.push([1e-7]);
        assert_eq!(csv(&plain), "a\n0.0000001\n");
    }
}
