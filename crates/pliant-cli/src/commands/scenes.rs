//! `pliant scenes`.

use pliant_scene::BUILTIN;
use serde_json::{Value, json};

use crate::Outcome;
use crate::output::say;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Print a JSON list.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let described = BUILTIN.iter().map(|builtin| {
        let description = builtin.scene(&[]).ok().and_then(|scene| scene.file().description.clone());
        (builtin.name, description.unwrap_or_default())
    });
    if arguments.json {
        let list: Vec<Value> =
            described.map(|(name, description)| json!({ "name": name, "description": description })).collect();
        say!("{}", Value::Array(list));
        return Outcome::Good;
    }
    let widest = BUILTIN.iter().map(|scene| scene.name.len()).max().unwrap_or(0);
    described.for_each(|(name, description)| say!("{name:widest$}  {description}"));
    Outcome::Good
}
