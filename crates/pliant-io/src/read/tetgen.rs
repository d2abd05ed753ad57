//! TetGen's `.node` and `.ele` (and Triangle's, their flat sisters): a header line, then a numbered line for each vertex or
//! element. Numbers start at zero or one, which the first vertex tells.

use super::assembly::Assembly;
use super::cells::Shape;
use super::companion::Companions;
use super::error::{Problem, ReadError};
use super::format::{base_name, extension, without_gz};
use super::text::{Line, Text};

pub(super) fn read(
    name: &str,
    bytes: &[u8],
    companions: &mut Companions<'_>,
    assembly: &mut Assembly,
) -> Result<(), ReadError> {
    let given_elements = extension(name).as_deref() == Some("ele");
    let other = companion_name(name, given_elements);
    let companion =
        companions.read(&other).or_else(|error| companions.read(&format!("{other}.gz")).map_err(|_| error))?;
    if given_elements {
        let base = read_nodes(&companion, assembly).map_err(|error| error.of(&other))?;
        read_elements(bytes, base, assembly)
    } else {
        let base = read_nodes(bytes, assembly)?;
        read_elements(&companion, base, assembly).map_err(|error| error.of(&other))
    }
}

/// The other file of the pair, in the case of the first.
fn companion_name(name: &str, given_elements: bool) -> String {
    let base = without_gz(base_name(name));
    let (stem, extension) = base.rsplit_once('.').unwrap_or((base, ""));
    let other = if given_elements { "node" } else { "ele" };
    let shouting = !extension.is_empty() && extension.chars().all(|c| c.is_ascii_uppercase());
    format!("{stem}.{}", if shouting { other.to_ascii_uppercase() } else { other.to_owned() })
}

/// The header's count and second number, the count held against the size of the file.
fn read_header(text: &mut Text<'_>, what: &'static str) -> Result<(usize, i64), ReadError> {
    let Some(mut line) = text.next_line() else {
        return Err(Problem::Truncated { expected: what }.at(text.place()));
    };
    let count = line.integer(what)?;
    let claimed = u64::try_from(count)
        .map_err(|_| Problem::unexpected("a count", count.to_string().as_bytes()).at(line.place()))?;
    let columns = line.integer("number of columns")?;
    // A number for the line and at least two more.
    let count = text.check_count(what, claimed, 6).map_err(|problem| problem.at(line.place()))?;
    Ok((count, columns))
}

/// The line of the next vertex or element, past its number, which is returned too.
fn next_row<'a>(text: &mut Text<'a>, what: &'static str, expected: Option<i64>) -> Result<(Line<'a>, i64), ReadError> {
    let Some(mut line) = text.next_line() else {
        return Err(Problem::Truncated { expected: what }.at(text.place()));
    };
    let number = line.integer("number of a line")?;
    if let Some(expected) = expected.filter(|&expected| expected != number) {
        let (found, expected) = (number.max(0) as u64, expected.max(0) as u64);
        return Err(Problem::Mismatch { what: "number of a line", found, expected }.at(line.place()));
    }
    Ok((line, number))
}

/// Reads the vertices. Returns the number of the first.
fn read_nodes(bytes: &[u8], assembly: &mut Assembly) -> Result<i64, ReadError> {
    let mut text = Text::new(bytes, b"#");
    let (count, dimension) = read_header(&mut text, "vertices")?;
    if !(2..=3).contains(&dimension) {
        return Err(Problem::unexpected("dimension 2 or 3", dimension.to_string().as_bytes()).at(text.place()));
    }
    let mut base = None;
    for i in 0..count {
        let expected = base.map(|base: i64| base + i as i64);
        let (mut line, number) = next_row(&mut text, "a vertex", expected)?;
        if base.is_none() && !(0..=1).contains(&number) {
            return Err(Problem::unexpected("0 or 1 as first number", number.to_string().as_bytes()).at(line.place()));
        }
        base.get_or_insert(number);
        let mut number = || line.number("coordinate");
        assembly.vertex([number()?, number()?, if dimension == 3 { number()? } else { 0.0 }])?;
    }
    Ok(base.unwrap_or(0))
}

fn read_elements(bytes: &[u8], base: i64, assembly: &mut Assembly) -> Result<(), ReadError> {
    let mut text = Text::new(bytes, b"#");
    let (count, columns) = read_header(&mut text, "elements")?;
    let shape = match columns {
        3 | 6 => Shape::Triangle,
        4 | 10 => Shape::Tet,
        _ => return Err(Problem::unexpected("3, 4, 6 or 10 columns", columns.to_string().as_bytes()).at(text.place())),
    };
    let mut first = None;
    for i in 0..count {
        let (mut line, number) =
            next_row(&mut text, "an element", first.map(|first: i64| first.saturating_add(i as i64)))?;
        first.get_or_insert(number);
        let mut nodes = [0; 10];
        for node in &mut nodes[..columns as usize] {
            let index = line.integer("vertex index")?;
            *node = assembly.index(index, base).map_err(|problem| problem.at(line.place()))?;
        }
        assembly.cell(shape, &nodes[..columns as usize])?;
    }
    Ok(())
}
