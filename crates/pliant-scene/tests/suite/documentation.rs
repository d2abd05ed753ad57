//! The page on the scene format says what the format is: its reference is made from the schema, its example runs.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use pliant_scene::Scene;
use serde_json::Value;

/// Everything after this line is made from the schema.
const MARK: &str = "<!-- From here on made from the schema; `PLIANT_UPDATE_DOCS=1 cargo test -p pliant-scene --test suite documentation` writes it. -->\n";

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene-format.md")
}

/// The name of a definition for a person: without what names it in the code.
fn title(definition: &str) -> &str {
    definition.trim_end_matches("Section").trim_end_matches("Name")
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// What a value is, in words, with links; the definitions it names are put in the queue.
fn kind(schema: &Value, queue: &mut VecDeque<String>) -> String {
    if let Some(name) = reference(schema) {
        queue.push_back(name.to_owned());
        return format!("[{}](#{})", title(name), title(name).to_lowercase());
    }
    if let Some(options) = schema["anyOf"].as_array() {
        let options: Vec<&Value> = options.iter().filter(|option| option["type"] != "null").collect();
        return options.iter().map(|option| kind(option, queue)).collect::<Vec<_>>().join(" or ");
    }
    let name = match &schema["type"] {
        Value::String(name) => name.as_str(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap(),
        _ => "any",
    };
    match (name, schema["minItems"].as_u64()) {
        ("array", Some(count)) => format!("{count} × {}", kind(&schema["items"], queue)),
        ("array", None) => format!("list of {}", kind(&schema["items"], queue)),
        ("object", _) => "table".to_owned(),
        ("boolean", _) => "true or false".to_owned(),
        (name, _) => name.to_owned(),
    }
}

fn one_line(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}

/// The keys of a table; those that must be there in bold.
fn keys(schema: &Value, text: &mut String, queue: &mut VecDeque<String>) {
    let Some(properties) = schema["properties"].as_object().filter(|properties| !properties.is_empty()) else { return };
    let required: BTreeSet<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    text.push_str("\n| key | | |\n|---|---|---|\n");
    for (key, value) in properties {
        let shown = if required.contains(key.as_str()) { format!("**`{key}`**") } else { format!("`{key}`") };
        writeln!(text, "| {shown} | {} | {} |", kind(value, queue), one_line(value)).unwrap();
    }
}

fn choices(options: &[Value], text: &mut String, queue: &mut VecDeque<String>) {
    text.push_str("\nOne of:\n");
    for option in options {
        if let Some(name) = option["const"].as_str() {
            write!(text, "\n- `\"{name}\"`: {}", one_line(option)).unwrap();
        }
        for name in option["enum"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            write!(text, "\n- `\"{name}\"`").unwrap();
        }
        for (name, inner) in option["properties"].as_object().into_iter().flatten() {
            let description = if option["description"].is_string() { one_line(option) } else { one_line(inner) };
            if inner["properties"].is_object() {
                write!(text, "\n\n`{name}`: {description}\n").unwrap();
                keys(inner, text, queue);
            } else {
                write!(text, "\n- `{name}`, {}: {description}", kind(inner, queue)).unwrap();
            }
        }
    }
    text.push('\n');
}

fn generated() -> String {
    let schema: Value = serde_json::from_str(&pliant_scene::json_schema()).unwrap();
    let mut text = String::from("\n## All keys\n\nThose in bold must be given.\n\n### The file\n");
    let mut queue = VecDeque::new();
    keys(&schema, &mut text, &mut queue);
    let mut done = BTreeSet::new();
    while let Some(name) = queue.pop_front() {
        if !done.insert(name.clone()) {
            continue;
        }
        let definition = &schema["$defs"][&name];
        let description = definition["description"].as_str().unwrap_or_default().replace('\n', " ");
        write!(text, "\n### {}\n\n{description}\n", title(&name)).unwrap();
        keys(definition, &mut text, &mut queue);
        if let Some(options) = definition["oneOf"].as_array() {
            choices(options, &mut text, &mut queue);
        }
    }
    text
}

#[test]
fn the_page_names_every_key_of_the_schema() {
    let page = page();
    let text = std::fs::read_to_string(&page).unwrap();
    let (by_hand, listed) = text.split_once(MARK).expect("the page has its mark");
    if std::env::var_os("PLIANT_UPDATE_DOCS").is_some() {
        std::fs::write(&page, format!("{by_hand}{MARK}{}", generated())).unwrap();
        return;
    }
    assert!(
        listed == generated(),
        "the format has changed; run the command that the page names, and read what changed"
    );
    for key in ["smooth-union", "example_global", "within", "color", "gust", "skip_one", "limit_modulus"] {
        assert!(listed.contains(&format!("`{key}`")), "{key}");
    }
}

#[test]
fn the_example_of_the_page_runs_and_meets_its_expectations() {
    let text = std::fs::read_to_string(page()).unwrap();
    let example = text.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let mut run = Scene::parse("example.toml", example, &[]).unwrap().build().unwrap_or_else(|error| panic!("{error}"));
    (0..60).for_each(|_| drop(run.next_frame().unwrap()));
    let verdicts = run.verdicts();
    assert!(!verdicts.is_empty() && verdicts.iter().all(|verdict| verdict.holds()), "{verdicts:?}");
}
