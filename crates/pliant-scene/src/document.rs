//! Reads scene files: includes, overrides, and the position of every value.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use pliant_io::read::{Files, Problem};
use toml_edit::{DocumentMut, Item, Value};

use crate::error::{SceneError, similar};
use crate::format::SceneFile;
use crate::wording::in_plain_words;

/// Includes within includes, at most this deep: deeper is a circle.
const DEEPEST_INCLUDE: usize = 16;
/// Includes of a scene altogether; files that include others twice each would multiply.
const MOST_INCLUDES: usize = 256;
/// Scene files are written by people; more than this is a mistake.
const LARGEST_FILE: u64 = 16 << 20;

/// A scene with the texts it was read from.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) scene: SceneFile,
    /// The main file, for the places of errors.
    pub(crate) source: Source,
    /// How many bodies, colliders, attachments, forces and expectations came from includes, before those of the main file.
    pub(crate) included: Included,
}

/// Counts of list entries that do not stand in the main file.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Included {
    pub(crate) body: usize,
    pub(crate) collider: usize,
    pub(crate) attachment: usize,
    pub(crate) force: usize,
    pub(crate) cut: usize,
    pub(crate) expect: usize,
}

/// A file's text.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl Document {
    /// Reads a file with its includes, and applies `path=value` overrides.
    pub(crate) fn read(path: &Path, overrides: &[String], files: &Files) -> Result<Self, SceneError> {
        Self::parse(Source { path: path.to_path_buf(), text: read_text(path, files)? }, overrides, files)
    }

    /// Parses text; includes are looked up beside its path.
    pub(crate) fn parse(source: Source, overrides: &[String], files: &Files) -> Result<Self, SceneError> {
        let source = apply_overrides(source, overrides)?;
        let own = deserialize(&source)?;
        check_numbers(&source)?;
        let mut scene = SceneFile::default();
        let mut left = MOST_INCLUDES;
        for at in 0..own.include.len() {
            scene.overlay(read_include(&source, &own.include, at, DEEPEST_INCLUDE, &mut left, files)?);
        }
        let included = Included {
            body: scene.body.len(),
            collider: scene.collider.len(),
            attachment: scene.attachment.len(),
            force: scene.force.len(),
            cut: scene.cut.len(),
            expect: scene.expect.len(),
        };
        scene.overlay(own);
        Ok(Self { scene, source, included })
    }
}

/// The text of a regular file; of what never ends, such as a device, nothing is read.
fn read_text(path: &Path, files: &Files) -> Result<String, SceneError> {
    let bytes = files.read(path, LARGEST_FILE).map_err(|error| {
        let message = match error.problem {
            Problem::OverLimit { .. } => format!("is too large for a scene file, which may have {LARGEST_FILE} bytes"),
            Problem::NotAFile { .. } => error.problem.to_string(),
            _ => format!("cannot be read: {}", error.problem),
        };
        SceneError::new(path, message)
    })?;
    String::from_utf8(bytes).map_err(|error| {
        SceneError::new(path, format!("is not text (byte {} is not UTF-8)", error.utf8_error().valid_up_to()))
    })
}

/// Reads the file at a place of the list of includes.
fn read_include(
    from: &Source,
    names: &[String],
    at: usize,
    depth: usize,
    left: &mut usize,
    files: &Files,
) -> Result<SceneFile, SceneError> {
    let name = &names[at];
    let path = from.path.parent().unwrap_or(Path::new("")).join(name);
    let place = |error: SceneError| match find(&from.text, &["include", &at.to_string()]) {
        Some(byte) => SceneError::new(&from.path, format!("include {name:?}: {}", error.message)).at(&from.text, byte),
        None => error,
    };
    if depth == 0 {
        return Err(place(SceneError::new(&path, "includes go in a circle")));
    }
    *left = left.checked_sub(1).ok_or_else(|| {
        place(SceneError::new(&path, format!("there are more than {MOST_INCLUDES} includes altogether")))
    })?;
    let source = Source { text: read_text(&path, files).map_err(place)?, path };
    let own = deserialize(&source)?;
    check_numbers(&source)?;
    let mut scene = SceneFile::default();
    for at in 0..own.include.len() {
        scene.overlay(read_include(&source, &own.include, at, depth - 1, left, files)?);
    }
    scene.overlay(own);
    Ok(scene)
}

fn deserialize(source: &Source) -> Result<SceneFile, SceneError> {
    toml::from_str(&source.text).map_err(|error| {
        let message = error.message().trim().to_owned();
        let mut result = SceneError::new(&source.path, in_plain_words(&message));
        result = result.at(&source.text, error.span().map_or(0, |span| span.start));
        match hint_for(&message) {
            Some(hint) => result.hint(hint),
            None => result,
        }
    })
}

/// Sizes that a number other than 0 may have, whatever it stands for: powers and quotients of others would not be numbers any more. What rounding
/// leaves of 0 is above the least.
const SIZES: RangeInclusive<f64> = 1e-40..=1e20;

/// Refuses numbers that no key could mean. Infinite ones mean something at a few keys, and are refused at the others.
fn check_numbers(source: &Source) -> Result<(), SceneError> {
    let Ok(document) = toml_edit::Document::parse(source.text.as_str()) else { return Ok(()) };
    let Some(Odd { name, value, byte }) = odd_number("", document.as_item()) else { return Ok(()) };
    let (least, most) = (SIZES.start(), SIZES.end());
    let message = match value.is_nan() {
        true => format!("{name} is nan, which is not a number"),
        false => format!("{name} is {value:e}, but must be 0 or of a size from {least:e} to {most:e}"),
    };
    Err(SceneError::new(&source.path, message).at(&source.text, byte))
}

/// A number that is out of range, with its key and its place in the text.
struct Odd {
    name: String,
    value: f64,
    byte: usize,
}

/// The first in an item and what is below it.
fn odd_number(key: &str, item: &Item) -> Option<Odd> {
    match item {
        Item::None => None,
        Item::Value(value) => odd_value(key, value),
        Item::Table(table) => table.iter().find_map(|(key, item)| odd_number(key, item)),
        Item::ArrayOfTables(tables) => {
            tables.iter().flat_map(|table| table.iter()).find_map(|(key, item)| odd_number(key, item))
        }
    }
}

fn odd_value(key: &str, value: &Value) -> Option<Odd> {
    match value {
        Value::Float(float) => {
            let number = *float.value();
            let fits = number == 0.0 || number.is_infinite() || SIZES.contains(&number.abs());
            let byte = || value.span().map_or(0, |span| span.start);
            (!fits).then(|| Odd { name: key.to_owned(), value: number, byte: byte() })
        }
        Value::Array(list) => list.iter().enumerate().find_map(|(k, value)| odd_value(&format!("{key}[{k}]"), value)),
        Value::InlineTable(table) => table.iter().find_map(|(key, value)| odd_value(key, value)),
        _ => None,
    }
}

/// For a message that names something unknown and lists what is known: the known name that is most similar.
fn hint_for(message: &str) -> Option<String> {
    let near = if let Some(rest) = message.strip_prefix("unexpected keys in table: ") {
        let (wrong, known) = rest.split_once(", available keys: ")?;
        similar(wrong.split(", ").next()?, known.split(", "))?
    } else if message.starts_with("unknown field") || message.starts_with("unknown variant") {
        let mut quoted = message.split('`').skip(1).step_by(2);
        similar(quoted.next()?, quoted)?
    } else {
        return None;
    };
    Some(format!("did you mean `{near}`?"))
}

/// Sets values given as `world.frames=10` or `body.0.material.cloth.density=0.3`, before the text is checked.
fn apply_overrides(source: Source, overrides: &[String]) -> Result<Source, SceneError> {
    if overrides.is_empty() {
        return Ok(source);
    }
    let mut document: DocumentMut = match source.text.parse() {
        Ok(document) => document,
        // The ordinary check tells what is wrong, with its place.
        Err(_) => return Ok(source),
    };
    for assignment in overrides {
        let refuse = |reason: String| SceneError::new(Path::new("--set"), format!("{assignment}: {reason}"));
        let (path, value) = assignment.split_once('=').ok_or_else(|| refuse("give it as path=value".into()))?;
        // What is not a TOML value is taken as a word.
        let value: Value = value.trim().parse().unwrap_or_else(|_| Value::from(value.trim()));
        let mut item = document.as_item_mut();
        let keys: Vec<&str> = path.trim().split('.').collect();
        for (depth, key) in keys.iter().enumerate() {
            let so_far = || keys[..=depth].join(".");
            if key.is_empty() {
                return Err(refuse("the path has an empty part".into()));
            }
            item = match key.parse::<usize>() {
                Ok(index) => item.get_mut(index).ok_or_else(|| refuse(format!("there is no {}", so_far())))?,
                Err(_) if item.is_table_like() || item.is_none() => &mut item[*key],
                Err(_) => return Err(refuse(format!("{} is not a table", keys[..depth].join(".")))),
            };
        }
        *item = Item::Value(value);
    }
    Ok(Source { text: document.to_string(), ..source })
}

/// Byte at which the value of a path of keys and indices stands in a text.
pub(crate) fn find(text: &str, path: &[&str]) -> Option<usize> {
    let document = toml_edit::Document::parse(text).ok()?;
    let mut item = document.as_item();
    let mut best = None;
    for key in path {
        let next = match key.parse::<usize>() {
            Ok(index) => item.get(index),
            Err(_) => item.get(*key),
        };
        let Some(next) = next else { break };
        item = next;
        best = item.span().map(|span| span.start).or(best);
    }
    best
}
