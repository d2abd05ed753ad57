//! Every kind of body with every feature: it works, as a number shows, or is refused with a reason. No cell of the table is silent.
#![allow(clippy::unwrap_used, reason = "tests")]

mod features;
mod kinds;
mod page;
mod pairs;

use features::{FEATURES, Outcome};
use kinds::KINDS;
use page::Row;

/// A panic is a cell that is wrong.
fn caught(trial: impl FnOnce() -> Outcome) -> Outcome {
    let run = std::panic::AssertUnwindSafe(trial);
    std::panic::catch_unwind(run).unwrap_or_else(|_| Outcome::Wrong("panics".to_owned()))
}

/// What is wrong in some rows. A refusal names a body, by its kind or by its place.
fn wrong(rows: &[Row]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (row, outcomes) in rows {
        for (kind, outcome) in KINDS.iter().zip(outcomes) {
            let names = [kind.name, "upper", "lower"];
            match outcome {
                Outcome::Wrong(what) => wrong.push(format!("{row}, {}: {what}", kind.name)),
                Outcome::Refused(why) if !names.iter().any(|name| why.contains(name)) => {
                    wrong.push(format!("{row}, {}: refused without the name of the body: {why}", kind.name));
                }
                _ => {}
            }
        }
    }
    wrong
}

#[test]
fn every_feature_works_or_is_refused_for_every_kind_and_pair() {
    let row = |name, trial: &dyn Fn(&kinds::Kind) -> Outcome| {
        (name, KINDS.iter().map(|kind| caught(|| trial(kind))).collect::<Vec<_>>())
    };
    let features: Vec<Row> = FEATURES.iter().map(|feature| row(feature.name, &feature.trial)).collect();
    let pairs: Vec<Row> = KINDS.iter().map(|upper| row(upper.name, &|lower| pairs::trial(upper, lower))).collect();
    let wrong = [wrong(&features), wrong(&pairs)].concat();
    assert!(wrong.is_empty(), "{} cells neither work nor are refused:\n{}", wrong.len(), wrong.join("\n"));
    page::check(&features, &pairs);
}
