//! Translates messages of the TOML parser for people who write scene files: `f64`, sequences and variants become
//! numbers, lists and choices.

/// The message about a value that does not fit its key.
pub(crate) fn in_plain_words(message: &str) -> String {
    let message = message.trim();
    for start in ["invalid type: ", "invalid value: "] {
        if let Some((found, expected)) = message.strip_prefix(start).and_then(|rest| rest.rsplit_once(", expected ")) {
            return format!("expected {}, but found {}", wanted(expected), given(found));
        }
    }
    if let Some((count, expected)) = message.strip_prefix("invalid length ").and_then(|s| s.split_once(", expected ")) {
        if expected.starts_with("struct ") {
            return "expected a table, but found a list".to_owned();
        }
        return format!("expected {}, but found {count} in it", wanted(expected));
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        return format!("the key {rest} is missing");
    }
    if let Some(rest) = message.strip_prefix("duplicate field ") {
        return format!("the key {rest} is there twice");
    }
    for (start, what) in [("unknown field ", "key"), ("unknown variant ", "choice")] {
        if let Some(rest) = message.strip_prefix(start) {
            let (name, known) = rest.split_once(", ").unwrap_or((rest, ""));
            let known = known.trim_start_matches("expected ").trim_start_matches("one of ");
            return match known {
                "" | "there are no fields" | "there are no variants" => format!("there is no {what} {name} here"),
                _ => format!("there is no {what} {name} here; known are {known}"),
            };
        }
    }
    if let Some(rest) = message.strip_prefix("unexpected keys in table: ") {
        return match rest.split_once(", available keys: ") {
            Some((names, known)) => format!("there is no key {names} here; known are {known}"),
            None => format!("there is no key {rest} here"),
        };
    }
    if let Some(found) = message.strip_prefix("wanted exactly 1 element, ") {
        let count = found.trim_start_matches("found ").split(' ').next().unwrap_or_default();
        let count = if count == "0" || count.starts_with("zero") { "none" } else { "several" };
        return format!("expected a table with one key, which names the choice, but found {count}");
    }
    match message {
        "wanted string or table" => "expected text or a table".to_owned(),
        "expected empty array" => "expected an empty list".to_owned(),
        "integer number overflowed" => "this whole number is too large".to_owned(),
        "floating-point number overflowed" => "this number is too large".to_owned(),
        _ => message.replace("expected table, found", "expected a table, but found"),
    }
}

/// What a key needs.
fn wanted(expected: &str) -> String {
    let words = match expected {
        "f64" | "f32" => "a number",
        "u8" | "u16" => "a whole number, at least 0",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number, at least 0",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "a boolean" => "true or false",
        "a string" | "string" => "text",
        "a sequence" => "a list",
        "a map" | "map" => "a table",
        "string or table" => "text or a table",
        "variant identifier" | "field identifier" => "the name of a choice",
        "newtype variant" | "struct variant" | "tuple variant" => "a table after it, such as `{}`",
        "unit variant" | "unit" => "nothing after it",
        _ => "",
    };
    if !words.is_empty() {
        return words.to_owned();
    }
    for start in ["an array of length ", "a tuple of size "] {
        if let Some(count) = expected.strip_prefix(start) {
            return format!("a list of {count} values");
        }
    }
    if expected.starts_with("struct ") {
        return "a table".to_owned();
    }
    if expected.starts_with("enum ") {
        return "the name of a choice".to_owned();
    }
    expected.to_owned()
}

/// What stands there instead.
fn given(found: &str) -> String {
    let words = match found {
        "sequence" => "a list",
        "map" => "a table",
        "unit value" => "nothing",
        "unit variant" => "its name alone",
        "newtype variant" | "struct variant" | "tuple variant" => "a table",
        _ => "",
    };
    if !words.is_empty() {
        return words.to_owned();
    }
    for (start, what) in [("integer ", ""), ("floating point ", ""), ("boolean ", ""), ("string ", "the text ")] {
        if let Some(value) = found.strip_prefix(start) {
            return format!("{what}{}", value.trim_matches('`'));
        }
    }
    found.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_speak_of_numbers_lists_and_tables() {
        for (message, plain) in [
            ("invalid type: string \"a\", expected f64", "expected a number, but found the text \"a\""),
            (
                "invalid type: floating point `1.5`, expected usize",
                "expected a whole number, at least 0, but found 1.5",
            ),
            ("invalid value: integer `-1`, expected u64", "expected a whole number, at least 0, but found -1"),
            ("invalid type: integer `1`, expected a boolean", "expected true or false, but found 1"),
            ("invalid type: map, expected a sequence", "expected a list, but found a table"),
            ("invalid type: sequence, expected struct WorldSection", "expected a table, but found a list"),
            ("invalid length 2, expected an array of length 3", "expected a list of 3 values, but found 2 in it"),
            ("missing field `name`", "the key `name` is missing"),
            ("unknown variant `a`, expected `b` or `c`", "there is no choice `a` here; known are `b` or `c`"),
            ("unknown field `a`, expected one of `b`, `c`", "there is no key `a` here; known are `b`, `c`"),
            ("unknown field `a`, there are no fields", "there is no key `a` here"),
            ("wanted string or table", "expected text or a table"),
            (
                "invalid type: string \"x, expected f64\", expected a map",
                "expected a table, but found the text \"x, expected f64\"",
            ),
        ] {
            assert_eq!(in_plain_words(message), plain);
        }
    }
}
