//! Medit `.mesh` (INRIA), text: keywords, each followed by a count and so many rows of numbers. Indices count from one, and
//! each row ends with a reference number.

use super::assembly::Assembly;
use super::cells::Shape;
use super::error::{Problem, ReadError};
use super::text::Text;

/// Cells by keyword, with the number of vertices in a row.
const CELLS: [(&str, Shape, usize); 7] = [
    ("Edges", Shape::Segment, 2),
    ("Triangles", Shape::Triangle, 3),
    ("Quadrilaterals", Shape::Quad, 4),
    ("Tetrahedra", Shape::Tet, 4),
    ("Pyramids", Shape::Pyramid, 5),
    ("Prisms", Shape::Prism, 6),
    ("Hexahedra", Shape::Hex, 8),
];

pub(super) fn read(bytes: &[u8], assembly: &mut Assembly) -> Result<(), ReadError> {
    let mut text = Text::new(bytes, b"#");
    let first = text.expect_word("MeshVersionFormatted")?;
    if !first.eq_ignore_ascii_case(b"MeshVersionFormatted") {
        if matches!(bytes, [1, 0, 0, 0, ..] | [0, 0, 0, 1, ..]) {
            return Err(Problem::Unsupported { what: "Medit's binary format".to_owned() }.of_file());
        }
        return Err(Problem::unexpected("MeshVersionFormatted", first).at(text.place()));
    }
    text.integer("a version")?;
    let mut dimension = 3;
    while let Some(keyword) = text.word() {
        if keyword.eq_ignore_ascii_case(b"End") {
            return Ok(());
        } else if keyword.eq_ignore_ascii_case(b"Dimension") {
            dimension = text.integer("a dimension")?;
            if !(2..=3).contains(&dimension) {
                return Err(Problem::unexpected("dimension 2 or 3", dimension.to_string().as_bytes()).at(text.place()));
            }
        } else if keyword.eq_ignore_ascii_case(b"Vertices") {
            read_vertices(&mut text, dimension, assembly)?;
        } else if let Some(&cells) = CELLS.iter().find(|(name, ..)| keyword.eq_ignore_ascii_case(name.as_bytes())) {
            read_cells(&mut text, cells, assembly)?;
        } else if keyword[0].is_ascii_alphabetic() {
            // Corners, ridges, normals, …: numbers up to the next keyword.
            while text.peek().is_some_and(|word| !word[0].is_ascii_alphabetic()) {
                text.word();
            }
        } else {
            return Err(Problem::unexpected("a keyword", keyword).at(text.place()));
        }
    }
    // Some programs leave the last word out; what was counted has been read.
    assembly.note("the file does not finish with the word End");
    Ok(())
}

fn read_vertices(text: &mut Text<'_>, dimension: i64, assembly: &mut Assembly) -> Result<(), ReadError> {
    let count = text.count("vertices", 2 * (dimension as usize + 1))?;
    for _ in 0..count {
        let x = text.number("coordinate")?;
        let y = text.number("coordinate")?;
        let z = if dimension == 3 { text.number("coordinate")? } else { 0.0 };
        text.expect_word("a reference")?;
        assembly.vertex([x, y, z])?;
    }
    Ok(())
}

fn read_cells(
    text: &mut Text<'_>,
    (_, shape, size): (&str, Shape, usize),
    assembly: &mut Assembly,
) -> Result<(), ReadError> {
    let count = text.count("elements", 2 * (size + 1))?;
    let mut nodes = [0; 8];
    for _ in 0..count {
        for node in &mut nodes[..size] {
            let index = text.integer("vertex index")?;
            *node = assembly.index(index, 1).map_err(|problem| problem.at(text.place()))?;
        }
        text.expect_word("a reference")?;
        assembly.cell(shape, &nodes[..size])?;
    }
    Ok(())
}
