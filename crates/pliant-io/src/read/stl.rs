//! STL: triangles without shared vertices, as text or binary. Normals are ignored: the order of corners says the same.

use super::assembly::Assembly;
use super::binary::{Binary, ByteOrder, Scalar};
use super::cells::Shape;
use super::error::{Place, Problem, ReadError};
use super::text::{Text, check_count};

/// A binary file starts with a free comment and the number of triangles.
const COMMENT: usize = 80;
const HEADER: usize = COMMENT + 4;
/// A normal, three corners and two spare bytes.
const TRIANGLE: usize = 4 * 3 * 4 + 2;

/// Whether the size is exactly that of the number of triangles that a binary file would claim. Binary files may begin with
/// `solid` too, so that this must be asked first.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    claimed(bytes).is_some_and(|count| HEADER as u64 + u64::from(count) * TRIANGLE as u64 == bytes.len() as u64)
}

fn claimed(bytes: &[u8]) -> Option<u32> {
    bytes.get(COMMENT..HEADER)?.try_into().ok().map(u32::from_le_bytes)
}

pub(super) fn read(bytes: &[u8], assembly: &mut Assembly) -> Result<(), ReadError> {
    if !is_binary(bytes) && Text::new(bytes, b"").peek().is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) {
        read_text(bytes, assembly)
    } else {
        read_binary(bytes, assembly)
    }
}

fn read_binary(bytes: &[u8], assembly: &mut Assembly) -> Result<(), ReadError> {
    let claimed = claimed(bytes).ok_or_else(|| Problem::Truncated { expected: "the number of triangles" }.of_file())?;
    let count = check_count("triangles", u64::from(claimed), bytes.len() - HEADER, TRIANGLE)
        .map_err(|problem| problem.at(Place::Byte(COMMENT)))?;
    let mut binary = Binary::new(bytes, HEADER, ByteOrder::Little);
    for triangle in 0..count {
        binary.take(12, "a normal")?;
        for _ in 0..3 {
            let mut number = || binary.number(Scalar::F32, "coordinate");
            assembly.vertex([number()?, number()?, number()?])?;
        }
        binary.take(2, "spare bytes")?;
        let first = 3 * triangle as u32;
        assembly.cell(Shape::Triangle, &[first, first + 1, first + 2])?;
    }
    if binary.remaining() > 0 {
        assembly.note(format!("{} bytes after the last triangle were ignored", binary.remaining()));
    }
    Ok(())
}

fn read_text(bytes: &[u8], assembly: &mut Assembly) -> Result<(), ReadError> {
    let mut text = Text::new(bytes, b"");
    let mut nodes: Vec<u32> = Vec::new();
    let mut inside = false;
    loop {
        let expected = if inside { "facet or endsolid" } else { "solid" };
        let Some(word) = text.word() else {
            if inside {
                return Err(Problem::Truncated { expected }.at(text.place()));
            }
            return Ok(());
        };
        match word.to_ascii_lowercase().as_slice() {
            // Names may hold any word.
            b"solid" if !inside => {
                text.rest_of_line();
                inside = true;
            }
            b"endsolid" if inside => {
                text.rest_of_line();
                inside = false;
            }
            b"facet" if inside => {
                // The normal may be wrong, or not even a number.
                for _ in 0..4 {
                    text.expect_word("a normal")?;
                }
                read_facet(&mut text, &mut nodes, assembly)?;
            }
            _ => return Err(Problem::unexpected(expected, word).at(text.place())),
        }
    }
}

fn read_facet(text: &mut Text<'_>, nodes: &mut Vec<u32>, assembly: &mut Assembly) -> Result<(), ReadError> {
    nodes.clear();
    loop {
        let word = text.expect_word("endfacet")?;
        match word.to_ascii_lowercase().as_slice() {
            b"outer" | b"loop" | b"endloop" => {}
            b"vertex" => {
                nodes.push(assembly.mesh.positions.len() as u32);
                let mut number = || text.number("coordinate");
                let position = [number()?, number()?, number()?];
                assembly.vertex(position)?;
            }
            b"endfacet" if nodes.len() >= 3 => {
                return assembly.cell(Shape::Polygon, nodes).map_err(|error| error.near(text.place()));
            }
            _ => return Err(Problem::unexpected("three vertices and endfacet", word).at(text.place())),
        }
    }
}
