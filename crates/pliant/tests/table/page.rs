//! The table as a page of the docs, with all numbers and all refusals.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use super::features::{FEATURES, Outcome};
use super::kinds::KINDS;

/// Rows of outcomes, kind by kind.
pub(super) type Row = (&'static str, Vec<Outcome>);

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/support.md")
}

fn table(out: &mut String, head: &str, rows: &[Row]) {
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    writeln!(out, "| {head} | {} |", names.join(" | ")).unwrap();
    writeln!(out, "|---|{}", "---|".repeat(names.len())).unwrap();
    for (name, outcomes) in rows {
        let cell = |outcome: &Outcome| match outcome {
            Outcome::Works(number) => number.clone(),
            Outcome::Refused(_) => "refused".to_owned(),
            Outcome::Wrong(_) => "wrong".to_owned(),
        };
        let cells: Vec<String> = outcomes.iter().map(cell).collect();
        writeln!(out, "| {name} | {} |", cells.join(" | ")).unwrap();
    }
}

/// What is said, with the kinds of which it is said; bodies here have the names of their kinds.
fn refusals(out: &mut String, rows: &[Row]) {
    for (name, outcomes) in rows {
        let mut said: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (kind, outcome) in KINDS.iter().zip(outcomes) {
            if let Outcome::Refused(why) = outcome {
                said.entry(why.replace(&format!("{:?}", kind.name), "…")).or_default().push(kind.name);
            }
        }
        for (why, kinds) in said {
            writeln!(out, "- {name}, {}: *{why}*", kinds.join(", ")).unwrap();
        }
    }
}

fn page(features: &[Row], pairs: &[Row]) -> String {
    let mut out = String::from(
        "# What works with what\n\nMade by `crates/pliant/tests/table` with `PLIANT_WRITE_TABLE=1 cargo test -p pliant --test table`. Every cell is a small world that is built and stepped: \
         a number shows that a feature works, and *refused* is an error when the world is built or the feature is asked for. There is nothing between: a feature that would do nothing is refused. \
         Which kinds go into which files is in [another table](support-files.md). From Python the same kinds are built, and have the numbers of the row `collider` (`crates/pliant-py/tests/test_support.py`).\n\n\
         ## Features\n\n",
    );
    table(&mut out, "feature", features);
    out.push_str("\nThe numbers are:\n\n");
    for feature in FEATURES {
        writeln!(out, "- {}: {}", feature.name, feature.measure).unwrap();
    }
    out.push_str("\nAnd the refusals, with `…` for the name of the body:\n\n");
    refusals(&mut out, features);
    out.push_str(
        "\n## Self-collision of every kind with every other\n\nThe body of a row falls on that of a column, which is held everywhere, in a world with self-collision. The number is how far its centre has fallen after \
         40 steps \\[m\\]; alone it would have fallen by 2.2 m, and hair by as much as its roots let it. After no step does a surface or a strand cross another, and no fluid is right below the middle of what it falls on.\n\n",
    );
    table(&mut out, "falls on", pairs);
    out.push('\n');
    let mut said: Vec<String> = pairs
        .iter()
        .flat_map(|(_, row)| row)
        .filter_map(|outcome| match outcome {
            Outcome::Refused(why) => Some(why.replace("\"upper\"", "…").replace("\"lower\"", "…")),
            _ => None,
        })
        .collect();
    said.sort();
    said.dedup();
    said.iter().for_each(|why| writeln!(out, "- *{why}*").unwrap());
    out
}

/// The page without its numbers, which differ a little from machine to machine.
fn words(page: &str) -> String {
    page.chars().filter(|c| !c.is_ascii_digit() && !['.', '-', ' '].contains(c)).collect()
}

/// Checks that the page says what is so, or writes it.
pub(super) fn check(features: &[Row], pairs: &[Row]) {
    let now = page(features, pairs);
    if std::env::var_os("PLIANT_WRITE_TABLE").is_some() {
        std::fs::write(path(), &now).unwrap();
    }
    let there = std::fs::read_to_string(path()).unwrap_or_default();
    assert_eq!(words(&there), words(&now), "docs/support.md is not what is so: PLIANT_WRITE_TABLE=1 writes it");
}
