//! Every key of the scene format with values that no one should give: a run, or one clear error at a place, within seconds. The keys are those of
//! the schema, so that a new one is tried too, or missed by name.
#![allow(clippy::unwrap_used)]

mod slots;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use slots::{Schema, Slot};
use toml_edit::{DocumentMut, InlineTable, Item, Value};
use trial::{Outcome, folder, try_scene};

/// Scenes that have every table of the format between them.
const SCENES: [&str; 17] = [
    "cloth",
    "sheets",
    "solids",
    "limits",
    "poses",
    "combined",
    "particles",
    "matched",
    "hair",
    "fur",
    "explicit",
    "rigid",
    "two-metric",
    "auto",
    "gpu",
    "train",
    "embedded",
];

/// Numbers that break what does not look out for them; the last two are the limits of what is let pass.
const NUMBERS: [&str; 11] =
    ["0", "-1", "nan", "inf", "1e308", "-1e308", "1e-308", "1e12", "1000000000000", "1e20", "1e-40"];
/// Values of other types, and empty ones.
const OTHERS: [&str; 5] = ["\"\"", "[]", "{}", "true", "\"no such word\""];

struct Trial {
    scene: &'static str,
    document: Rc<DocumentMut>,
    slot: Slot,
    value: String,
}

impl Trial {
    fn text(&self) -> String {
        with_value(&self.document, &self.slot.path, &self.value).unwrap()
    }
}

fn text_of(name: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{name}.toml"))).unwrap()
}

/// The text with a value at a path; none where the path does not lead to one.
fn with_value(document: &DocumentMut, path: &[String], value: &str) -> Option<String> {
    let mut document = document.clone();
    let mut item = document.as_item_mut();
    let (last, before) = path.split_last()?;
    for part in before {
        item = match part.parse::<usize>() {
            Ok(index) => item.get_mut(index)?,
            Err(_) => item.get_mut(part.as_str())?,
        };
    }
    let value: Value = value.parse().unwrap();
    match (last.parse::<usize>(), item) {
        (Ok(index), Item::Value(Value::Array(list))) => drop(list.replace(index, value)),
        // An entry of `[[body]]` is a table; one that is none makes the list one of values.
        (Ok(_), place @ Item::ArrayOfTables(_)) => {
            *place = Item::Value(Value::Array([value].into_iter().collect()));
        }
        (Err(_), Item::Table(table)) => drop(table.insert(last, Item::Value(value))),
        (Err(_), Item::Value(Value::InlineTable(table))) => drop(table.insert(last.as_str(), value)),
        (Err(_), place @ Item::None) => {
            let mut table = InlineTable::new();
            table.insert(last.as_str(), value);
            *place = Item::Value(Value::InlineTable(table));
        }
        _ => return None,
    }
    Some(document.to_string())
}

/// Values for a slot: those of vectors too, whole and one number in them.
fn values(slot: &Slot, document: &DocumentMut) -> Vec<String> {
    let mut values: Vec<String> = NUMBERS.iter().chain(&OTHERS).map(|value| (*value).to_owned()).collect();
    if slot.is_vector {
        let mut item = Some(document.as_item());
        for part in &slot.path {
            item = item.and_then(|item| match part.parse::<usize>() {
                Ok(index) => item.get(index),
                Err(_) => item.get(part.as_str()),
            });
        }
        let length = item.and_then(Item::as_array).map_or(3, toml_edit::Array::len).max(1);
        for number in NUMBERS {
            values.push(format!("[{}]", vec![number; length].join(", ")));
        }
    }
    values
}

/// All trials, and the keys that they try.
fn trials() -> (Vec<Trial>, BTreeSet<String>) {
    let schema = Schema::new();
    let (mut trials, mut keys) = (Vec::new(), BTreeSet::new());
    let mut seen = BTreeSet::new();
    for scene in SCENES.into_iter().filter(|scene| seen.insert(*scene)) {
        let text = text_of(scene);
        let parsed: serde_json::Value = toml::from_str(&text).unwrap();
        let document: Rc<DocumentMut> = Rc::new(text.parse().unwrap());
        for slot in schema.slots(&parsed) {
            if with_value(&document, &slot.path, "0").is_none() {
                continue;
            }
            keys.insert(slot.key.clone());
            for value in values(&slot, &document) {
                trials.push(Trial { scene, document: Rc::clone(&document), slot: slot.clone(), value });
            }
        }
    }
    (trials, keys)
}

/// Runs trials and says what became of them; what must not be is listed, and fails the test.
fn run<'a>(trials: impl Iterator<Item = &'a Trial>) {
    let (mut counts, mut bugs): (BTreeMap<&str, usize>, Vec<String>) = (BTreeMap::new(), Vec::new());
    let verbose = std::env::var_os("PLIANT_HOSTILE_LIST").is_some();
    for trial in trials {
        let begun = std::time::Instant::now();
        let text = trial.text();
        let outcome = try_scene(&text);
        let what = match &outcome {
            Outcome::Refused(_) => "refused",
            Outcome::Failed(_) => "failed in a step",
            Outcome::Ran => "ran",
            Outcome::Bug(_) => "bugs",
        };
        *counts.entry(what).or_default() += 1;
        let (Trial { scene, value, .. }, at) = (trial, trial.slot.path.join("."));
        if verbose {
            println!("{scene} {at} = {value}: {what} after {:.2} s: {outcome:?}", begun.elapsed().as_secs_f64());
        }
        if let Outcome::Bug(bug) = outcome {
            println!("BUG {scene}.toml {at} = {value}: {bug}");
            bugs.push(format!("{scene}.toml with {at} = {value} {bug}"));
            // What hangs or grows goes on beside the rest: the test ends here.
            assert!(
                !(bug.starts_with("hangs") || bug.starts_with("takes")),
                "{scene}.toml with {at} = {value} {bug}\n{text}"
            );
        }
    }
    println!("{counts:?}");
    assert!(bugs.is_empty(), "{} bugs:\n{}", bugs.len(), bugs.join("\n"));
}

#[test]
fn the_scenes_run_as_they_are() {
    let outcomes: Vec<_> = SCENES.iter().map(|scene| (*scene, try_scene(&text_of(scene)))).collect();
    // Where there is no GPU, nor a program in place of one, it is refused by name.
    let lacks_gpu = |outcome: &Outcome| {
        let says = |message: &str| message.contains("no GPU to compute on") || message.contains("feature `gpu`");
        matches!(outcome, Outcome::Refused(message) if says(message))
    };
    let is_good = |scene: &str, outcome: &Outcome| *outcome == Outcome::Ran || (scene == "gpu" && lacks_gpu(outcome));
    let others: Vec<_> = outcomes.iter().filter(|(scene, outcome)| !is_good(scene, outcome)).collect();
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
fn every_key_of_the_schema_is_tried() {
    let (trials, tried) = trials();
    let all = Schema::new().keys();
    println!("{} keys, {} trials", all.len(), trials.len());
    let missed: Vec<&String> = all.difference(&tried).collect();
    assert!(missed.is_empty(), "the scenes in tests/hostile_keys/scenes do not have {missed:?}");
}

#[test]
fn every_key_with_some_hostile_values_runs_or_is_refused() {
    let (trials, _) = trials();
    // Two values of each key, others for the next key.
    let mut by_key: BTreeMap<&str, Vec<&Trial>> = BTreeMap::new();
    trials.iter().for_each(|trial| by_key.entry(&trial.slot.key).or_default().push(trial));
    let chosen = by_key.values().enumerate().flat_map(|(k, own)| (0..2).map(move |n| own[(k * 3 + n * 5) % own.len()]));
    run(chosen);
}

#[test]
#[ignore = "long: minutes of scenes, every value at every key"]
fn every_key_with_every_hostile_value_runs_or_is_refused() {
    let (trials, keys) = trials();
    println!("{} kinds of keys, {} trials", keys.len(), trials.len());
    // To go on after a hang, or to look at one trial.
    let from = std::env::var("PLIANT_HOSTILE_FROM").ok().and_then(|from| from.parse().ok()).unwrap_or(0);
    run(trials.iter().skip(from));
}
