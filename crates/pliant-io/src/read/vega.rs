//! Vega FEM `.veg` (J. Barbič): starred sections of comma- or blank-separated lines. Numbers start at zero or one, which the
//! first vertex tells. Materials and regions are left to the scene.

use super::assembly::Assembly;
use super::cells::Shape;
use super::error::{Problem, ReadError};
use super::text::{Commas, Line, Text};

pub(super) fn read(bytes: &[u8], assembly: &mut Assembly) -> Result<(), ReadError> {
    let mut text = Text::with_commas(bytes, b"#", Commas::BetweenWords);
    let mut base = None;
    while let Some(mut line) = text.next_line() {
        let place = line.place();
        let Some(keyword) = line.next() else { continue };
        match keyword.to_ascii_uppercase().as_slice() {
            b"*VERTICES" => base = Some(read_vertices(&mut text, assembly)?),
            b"*ELEMENTS" => {
                let base = base.ok_or_else(|| Problem::unexpected("*VERTICES first", keyword).at(place))?;
                read_elements(&mut text, base, assembly)?;
            }
            b"*INCLUDE" => {
                return Err(Problem::Unsupported { what: "*INCLUDE of further files".to_owned() }.at(place));
            }
            // Materials, regions, sets, and the lines in them.
            _ => {}
        }
    }
    match base {
        Some(_) => Ok(()),
        None => Err(Problem::Truncated { expected: "*VERTICES" }.at(text.place())),
    }
}

fn next_line<'a>(text: &mut Text<'a>, expected: &'static str) -> Result<Line<'a>, ReadError> {
    text.next_line().ok_or_else(|| Problem::Truncated { expected }.at(text.place()))
}

fn read_count(text: &mut Text<'_>, what: &'static str) -> Result<(usize, i64), ReadError> {
    let mut line = next_line(text, what)?;
    let count = line.integer(what)?;
    let claimed = u64::try_from(count)
        .map_err(|_| Problem::unexpected("a count", count.to_string().as_bytes()).at(line.place()))?;
    let columns = line.integer("number of columns")?;
    // A number for the line and at least three more.
    let count = text.check_count(what, claimed, 8).map_err(|problem| problem.at(line.place()))?;
    Ok((count, columns))
}

/// Reads the vertices. Returns the number of the first.
fn read_vertices(text: &mut Text<'_>, assembly: &mut Assembly) -> Result<i64, ReadError> {
    if !assembly.mesh.positions.is_empty() {
        return Err(Problem::unexpected("one section of vertices", b"*VERTICES").at(text.place()));
    }
    let (count, dimension) = read_count(text, "vertices")?;
    if dimension != 3 {
        return Err(Problem::unexpected("dimension 3", dimension.to_string().as_bytes()).at(text.place()));
    }
    let mut base = None;
    for i in 0..count {
        let mut line = next_line(text, "a vertex")?;
        let number = line.integer("number of a vertex")?;
        let first = *base.get_or_insert(number);
        if number.checked_sub(first) != Some(i as i64) || !(0..=1).contains(&first) {
            let found = number.to_string();
            return Err(Problem::unexpected("successive numbers from 0 or 1", found.as_bytes()).at(line.place()));
        }
        let mut number = || line.number("coordinate");
        assembly.vertex([number()?, number()?, number()?])?;
    }
    Ok(base.unwrap_or(1))
}

fn read_elements(text: &mut Text<'_>, base: i64, assembly: &mut Assembly) -> Result<(), ReadError> {
    let mut line = next_line(text, "a kind of elements")?;
    let kind = line.expect_word("a kind of elements")?;
    let (shape, corners) = match kind.to_ascii_uppercase().as_slice() {
        b"TET" | b"TETS" => (Shape::Tet, 4),
        b"CUBIC" | b"CUBE" | b"CUBES" => (Shape::Hex, 8),
        _ => return Err(Problem::unexpected("TETS or CUBIC", kind).at(line.place())),
    };
    let (count, columns) = read_count(text, "elements")?;
    if columns != corners as i64 {
        let (found, expected) = (columns.max(0) as u64, corners as u64);
        return Err(Problem::Mismatch { what: "vertices of an element", found, expected }.at(text.place()));
    }
    for _ in 0..count {
        let mut line = next_line(text, "an element")?;
        line.integer("number of an element")?;
        let mut nodes = [0; 8];
        for node in &mut nodes[..corners] {
            let index = line.integer("vertex index")?;
            *node = assembly.index(index, base).map_err(|problem| problem.at(line.place()))?;
        }
        assembly.cell(shape, &nodes[..corners])?;
    }
    Ok(())
}
