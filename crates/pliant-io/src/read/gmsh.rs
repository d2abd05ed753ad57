//! Gmsh MSH, versions 2 and 4, text and binary: `$Nodes` and `$Elements`; other sections are passed over.
//!
//! Nodes have tags, not places: any numbers in any order. Binary files keep their section names as text.

use std::collections::HashMap;

use super::assembly::Assembly;
use super::binary::{Binary, ByteOrder, Numbers, Scalar};
use super::cells::Shape;
use super::error::{Problem, ReadError};
use super::text::Text;

/// Section names are words; what is longer is no Gmsh file, and would make the search for its end slow.
const LONGEST_NAME: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    Two,
    /// 4.0: counts of 8 bytes, tags of 4.
    Four,
    /// 4.1: counts and tags of the size that the header says.
    FourOne,
}

struct Reader {
    version: Version,
    /// The byte order of a binary file.
    binary: Option<ByteOrder>,
    /// Counts and, since 4.1, tags.
    size: Scalar,
    vertices: HashMap<i64, u32>,
}

pub(super) fn read(bytes: &[u8], assembly: &mut Assembly) -> Result<(), ReadError> {
    let mut text = Text::new(bytes, b"");
    let mut reader = None;
    while let Some(word) = text.word() {
        let Some(name) = word.strip_prefix(b"$").filter(|name| name.len() <= LONGEST_NAME) else {
            return Err(Problem::unexpected("a section", word).at(text.place()));
        };
        match (name, &mut reader) {
            (b"MeshFormat", _) => reader = Some(Reader::new(&mut text)?),
            (b"NOD" | b"NOE", None) => return Err(unsupported("Gmsh format 1").at(text.place())),
            (b"Nodes", Some(reader)) => reader.section(&mut text, assembly, Reader::nodes)?,
            (b"Elements", Some(reader)) => reader.section(&mut text, assembly, Reader::elements)?,
            _ => {}
        }
        let end = [b"$End", name].concat();
        if !text.skip_past(&end) {
            return Err(Problem::Truncated { expected: "the end of a section" }.at(text.place()));
        }
    }
    match reader {
        Some(_) => Ok(()),
        None => Err(Problem::Truncated { expected: "$MeshFormat" }.of_file()),
    }
}

fn unsupported(what: &str) -> Problem {
    Problem::Unsupported { what: what.to_owned() }
}

impl Reader {
    fn new(text: &mut Text<'_>) -> Result<Self, ReadError> {
        let word = text.expect_word("a version")?;
        let version = match word {
            b"2" | b"2.0" | b"2.1" | b"2.2" => Version::Two,
            b"4" | b"4.0" => Version::Four,
            b"4.1" => Version::FourOne,
            _ => return Err(Problem::unexpected("version 2 or 4", word).at(text.place())),
        };
        let is_binary = text.integer("0 or 1 for text or binary")? != 0;
        let size = match text.integer("a size")? {
            4 => Scalar::U32,
            8 => Scalar::U64,
            other => return Err(Problem::unexpected("size 4 or 8", other.to_string().as_bytes()).at(text.place())),
        };
        let mut binary = None;
        if is_binary {
            text.rest_of_line();
            // The number one shows the byte order.
            let one = Binary::new(text.bytes(), text.offset(), ByteOrder::Little).take(4, "the byte order")?;
            binary = Some(if one == 1_i32.to_le_bytes() { ByteOrder::Little } else { ByteOrder::Big });
        }
        // In 4.0 the counts are C's unsigned long, whatever the header says.
        let size = if version == Version::Four { Scalar::U64 } else { size };
        Ok(Self { version, binary, size, vertices: HashMap::new() })
    }

    /// Reads a section in the file's encoding and moves the text to its end.
    fn section(
        &mut self,
        text: &mut Text<'_>,
        assembly: &mut Assembly,
        read: fn(&mut Self, &mut Numbers<'_>, &mut Assembly, usize) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        text.rest_of_line();
        // Version 2 counts in text even where the rest is binary.
        let count = if self.version == Version::Two { text.count("nodes or elements", 4)? } else { 0 };
        match self.binary {
            None => {
                let mut numbers = Numbers::Text(text.clone());
                read(self, &mut numbers, assembly, count)?;
                if let Numbers::Text(rest) = numbers {
                    *text = rest;
                }
            }
            Some(order) => {
                if self.version == Version::Two {
                    text.rest_of_line();
                }
                let line = text.line_number();
                let mut numbers = Numbers::Binary(Binary::new(text.bytes(), text.offset(), order));
                read(self, &mut numbers, assembly, count)?;
                if let Numbers::Binary(rest) = numbers {
                    *text = Text::resume(text.bytes(), rest.offset(), line);
                }
            }
        }
        Ok(())
    }

    fn tag(&self) -> Scalar {
        if self.version == Version::FourOne { self.size } else { Scalar::I32 }
    }

    fn nodes(&mut self, numbers: &mut Numbers<'_>, assembly: &mut Assembly, count: usize) -> Result<(), ReadError> {
        if self.version == Version::Two {
            for _ in 0..count {
                let tag = numbers.integer(Scalar::I32, "node tag")?;
                self.node(tag, numbers, assembly)?;
            }
            return Ok(());
        }
        let blocks = numbers.count(self.size, "blocks of nodes", 4 * numbers.size(Scalar::I32))?;
        numbers.integer(self.size, "number of nodes")?;
        if self.version == Version::FourOne {
            numbers.skip(self.size, 2)?;
        }
        let mut tags = Vec::new();
        for _ in 0..blocks {
            let (dimension, _) = self.entity(numbers)?;
            let parametric = numbers.integer(Scalar::I32, "0 or 1 for parameters")? != 0;
            let bytes_each = numbers.size(self.tag()) + 3 * numbers.size(Scalar::F64);
            let count = numbers.count(self.size, "nodes", bytes_each)?;
            let parameters = if parametric { usize::try_from(dimension).unwrap_or(0).min(3) } else { 0 };
            tags.clear();
            if self.version == Version::FourOne {
                for _ in 0..count {
                    tags.push(numbers.integer(self.size, "node tag")?);
                }
            }
            for i in 0..count {
                let tag = match tags.get(i) {
                    Some(&tag) => tag,
                    None => numbers.integer(Scalar::I32, "node tag")?,
                };
                self.node(tag, numbers, assembly)?;
                numbers.skip(Scalar::F64, parameters)?;
            }
        }
        Ok(())
    }

    /// The dimension and the tag of the entity that a block belongs to; 4.1 swapped them.
    fn entity(&self, numbers: &mut Numbers<'_>) -> Result<(i64, i64), ReadError> {
        let first = numbers.integer(Scalar::I32, "an entity")?;
        let second = numbers.integer(Scalar::I32, "an entity")?;
        Ok(if self.version == Version::FourOne { (first, second) } else { (second, first) })
    }

    fn node(&mut self, tag: i64, numbers: &mut Numbers<'_>, assembly: &mut Assembly) -> Result<(), ReadError> {
        let mut number = || numbers.number(Scalar::F64, "coordinate");
        let position = [number()?, number()?, number()?];
        let vertex = assembly.mesh.positions.len() as u32;
        if self.vertices.insert(tag, vertex).is_some() {
            return Err(Problem::unexpected("each node tag once", tag.to_string().as_bytes()).at(numbers.place()));
        }
        assembly.vertex(position)
    }

    fn elements(&mut self, numbers: &mut Numbers<'_>, assembly: &mut Assembly, count: usize) -> Result<(), ReadError> {
        if self.version == Version::Two {
            return self.elements_of_version_2(numbers, assembly, count);
        }
        let blocks = numbers.count(self.size, "blocks of elements", 4 * numbers.size(Scalar::I32))?;
        numbers.integer(self.size, "number of elements")?;
        if self.version == Version::FourOne {
            numbers.skip(self.size, 2)?;
        }
        for _ in 0..blocks {
            self.entity(numbers)?;
            let kind = kind(numbers)?;
            let bytes_each = (1 + kind.1) * numbers.size(self.tag());
            let count = numbers.count(self.size, "elements", bytes_each)?;
            for _ in 0..count {
                numbers.skip(self.tag(), 1)?;
                self.element(kind, numbers, assembly)?;
            }
        }
        Ok(())
    }

    fn elements_of_version_2(
        &mut self,
        numbers: &mut Numbers<'_>,
        assembly: &mut Assembly,
        count: usize,
    ) -> Result<(), ReadError> {
        const INT: Scalar = Scalar::I32;
        let is_text = matches!(numbers, Numbers::Text(_));
        let mut left = count;
        while left > 0 {
            // In binary, elements of one kind come together under one header; in text each has its own.
            if is_text {
                numbers.skip(INT, 1)?;
            }
            let kind = kind(numbers)?;
            let followers = if is_text { 1 } else { numbers.count(INT, "elements", INT.size())?.min(left) };
            let tags = numbers.count(INT, "element tags", numbers.size(INT))?;
            if followers == 0 {
                return Err(Problem::unexpected("elements", b"0").at(numbers.place()));
            }
            for _ in 0..followers {
                numbers.skip(INT, tags + usize::from(!is_text))?;
                self.element(kind, numbers, assembly)?;
            }
            left -= followers;
        }
        Ok(())
    }

    fn element(
        &self,
        (shape, size): (Shape, usize),
        numbers: &mut Numbers<'_>,
        assembly: &mut Assembly,
    ) -> Result<(), ReadError> {
        let mut nodes = [0; MOST_NODES];
        for node in &mut nodes[..size] {
            let before = numbers.place();
            let tag = numbers.integer(self.tag(), "node tag")?;
            *node = *self.vertices.get(&tag).ok_or_else(|| {
                let problem = Problem::IndexOutOfRange { what: "vertex", index: tag, count: self.vertices.len() };
                problem.at(numbers.place_of_last(before))
            })?;
        }
        assembly.cell(shape, &nodes[..size])
    }
}

const MOST_NODES: usize = 125;

/// What an element type is, and how many nodes it has, corners first.
fn kind(numbers: &mut Numbers<'_>) -> Result<(Shape, usize), ReadError> {
    let before = numbers.place();
    Ok(match numbers.integer(Scalar::I32, "an element type")? {
        1 => (Shape::Segment, 2),
        2 => (Shape::Triangle, 3),
        3 => (Shape::Quad, 4),
        4 => (Shape::Tet, 4),
        5 => (Shape::Hex, 8),
        6 => (Shape::Prism, 6),
        7 => (Shape::Pyramid, 5),
        8 => (Shape::Segment, 3),
        9 => (Shape::Triangle, 6),
        10 => (Shape::Quad, 9),
        11 => (Shape::Tet, 10),
        12 => (Shape::Hex, 27),
        13 => (Shape::Prism, 18),
        14 => (Shape::Pyramid, 14),
        15 => (Shape::Point, 1),
        16 => (Shape::Quad, 8),
        17 => (Shape::Hex, 20),
        18 => (Shape::Prism, 15),
        19 => (Shape::Pyramid, 13),
        20 => (Shape::Triangle, 9),
        21 => (Shape::Triangle, 10),
        22 => (Shape::Triangle, 12),
        23 | 24 => (Shape::Triangle, 15),
        25 => (Shape::Triangle, 21),
        26 => (Shape::Segment, 4),
        27 => (Shape::Segment, 5),
        28 => (Shape::Segment, 6),
        29 => (Shape::Tet, 20),
        30 => (Shape::Tet, 35),
        31 => (Shape::Tet, 56),
        92 => (Shape::Hex, 64),
        93 => (Shape::Hex, MOST_NODES),
        other => return Err(unsupported(&format!("Gmsh element type {other}")).at(numbers.place_of_last(before))),
    })
}
