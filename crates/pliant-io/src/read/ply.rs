//! PLY: a header of elements with typed properties, then their values as text or binary.

use super::assembly::Assembly;
use super::binary::{Binary, ByteOrder, Numbers, Scalar};
use super::cells::Shape;
use super::error::{Problem, ReadError};
use super::text::Text;

enum Property {
    One(Scalar),
    /// A count and so many items.
    List(Scalar, Scalar),
}

struct Element {
    name: String,
    count: i64,
    properties: Vec<(String, Property)>,
}

impl Element {
    fn position(&self, names: &[&str]) -> Option<usize> {
        self.properties.iter().position(|(name, _)| names.contains(&name.as_str()))
    }
}

pub(super) fn read(bytes: &[u8], assembly: &mut Assembly) -> Result<(), ReadError> {
    let (elements, mut numbers) = read_header(bytes)?;
    let mut values = Values::default();
    for element in &elements {
        let least = |(_, property): &(String, Property)| match *property {
            Property::One(kind) | Property::List(kind, _) => numbers.size(kind),
        };
        let bytes_each: usize = element.properties.iter().map(least).sum();
        // An element without properties takes no room, however many of them there are.
        if bytes_each == 0 {
            continue;
        }
        let what = if element.name == "vertex" { "vertices" } else { "elements" };
        let count = numbers.check_count(what, element.count, bytes_each).map_err(|p| p.at(numbers.place()))?;
        match element.name.as_str() {
            "vertex" => read_vertices(element, count, &mut numbers, &mut values, assembly)?,
            "face" => read_cells(element, count, Shape::Polygon, &mut numbers, &mut values, assembly)?,
            "tristrips" => read_cells(element, count, Shape::Strip, &mut numbers, &mut values, assembly)?,
            "edge" => read_edges(element, count, &mut numbers, &mut values, assembly)?,
            _ => {
                for _ in 0..count {
                    values.read(element, &[], None, &mut numbers)?;
                }
            }
        }
    }
    Ok(())
}

fn read_header(bytes: &[u8]) -> Result<(Vec<Element>, Numbers<'_>), ReadError> {
    let mut text = Text::new(bytes, b"");
    let mut elements: Vec<Element> = Vec::new();
    let mut order = None;
    match text.next_line() {
        Some(line) if line.rest() == b"ply" => {}
        Some(line) => return Err(Problem::unexpected("ply", line.rest()).at(line.place())),
        None => return Err(Problem::Truncated { expected: "ply" }.of_file()),
    }
    loop {
        let Some(mut line) = text.next_line() else {
            return Err(Problem::Truncated { expected: "end_header" }.at(text.place()));
        };
        let place = line.place();
        match line.expect_word("a header line")? {
            b"comment" | b"obj_info" => {}
            b"format" => {
                order = Some(match line.expect_word("a format")? {
                    b"ascii" => None,
                    b"binary_little_endian" => Some(ByteOrder::Little),
                    b"binary_big_endian" => Some(ByteOrder::Big),
                    other => return Err(Problem::unexpected("ascii or binary format", other).at(place)),
                });
            }
            b"element" => {
                let name = String::from_utf8_lossy(line.expect_word("an element's name")?).into_owned();
                elements.push(Element { name, count: line.integer("a count")?, properties: Vec::new() });
            }
            b"property" => {
                let kind = line.expect_word("a type")?;
                let property = if kind == b"list" {
                    let count = scalar(line.expect_word("a type")?);
                    count.and_then(|count| Ok(Property::List(count, scalar(line.expect_word("a type")?)?)))
                } else {
                    scalar(kind).map(Property::One)
                };
                let property = property.map_err(|error| error.problem.at(place.clone()))?;
                let name = String::from_utf8_lossy(line.expect_word("a property's name")?).into_owned();
                match elements.last_mut() {
                    Some(element) => element.properties.push((name, property)),
                    None => return Err(Problem::unexpected("an element", b"property").at(place)),
                }
            }
            b"end_header" => break,
            other => return Err(Problem::unexpected("a header line", other).at(place)),
        }
    }
    match order {
        Some(None) => Ok((elements, Numbers::Text(text))),
        Some(Some(order)) => Ok((elements, Numbers::Binary(Binary::new(bytes, text.offset(), order)))),
        None => Err(Problem::Truncated { expected: "a format line" }.at(text.place())),
    }
}

fn scalar(name: &[u8]) -> Result<Scalar, ReadError> {
    Ok(match name {
        b"char" | b"int8" => Scalar::I8,
        b"uchar" | b"uint8" => Scalar::U8,
        b"short" | b"int16" => Scalar::I16,
        b"ushort" | b"uint16" => Scalar::U16,
        b"int" | b"int32" => Scalar::I32,
        b"uint" | b"uint32" => Scalar::U32,
        b"float" | b"float32" => Scalar::F32,
        b"double" | b"float64" => Scalar::F64,
        other => return Err(Problem::unexpected("a number type", other).of_file()),
    })
}

/// The wanted properties of one element.
#[derive(Default)]
struct Values {
    scalars: Vec<f64>,
    list: Vec<i64>,
}

impl Values {
    /// Reads one element and keeps the scalar properties and the list at the given places.
    fn read(
        &mut self,
        element: &Element,
        wanted: &[usize],
        wanted_list: Option<usize>,
        numbers: &mut Numbers<'_>,
    ) -> Result<(), ReadError> {
        self.scalars.clear();
        self.scalars.resize(wanted.len(), 0.0);
        self.list.clear();
        for (at, (_, property)) in element.properties.iter().enumerate() {
            match *property {
                Property::One(kind) => match wanted.iter().position(|&want| want == at) {
                    Some(slot) => self.scalars[slot] = numbers.number(kind, "coordinate")?,
                    None => numbers.skip(kind, 1)?,
                },
                Property::List(count_kind, kind) => {
                    let count = numbers.count(count_kind, "list items", numbers.size(kind))?;
                    if wanted_list == Some(at) {
                        for _ in 0..count {
                            self.list.push(numbers.integer(kind, "vertex index")?);
                        }
                    } else {
                        numbers.skip(kind, count)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn missing(name: &'static str) -> ReadError {
    Problem::Truncated { expected: name }.of_file()
}

fn read_vertices(
    element: &Element,
    count: usize,
    numbers: &mut Numbers<'_>,
    values: &mut Values,
    assembly: &mut Assembly,
) -> Result<(), ReadError> {
    let place = |axis: &'static str| element.position(&[axis]).ok_or_else(|| missing("x, y and z of the vertices"));
    let wanted = [place("x")?, place("y")?, place("z")?];
    for _ in 0..count {
        values.read(element, &wanted, None, numbers)?;
        assembly.vertex([values.scalars[0], values.scalars[1], values.scalars[2]])?;
    }
    Ok(())
}

fn read_cells(
    element: &Element,
    count: usize,
    shape: Shape,
    numbers: &mut Numbers<'_>,
    values: &mut Values,
    assembly: &mut Assembly,
) -> Result<(), ReadError> {
    let list = element.position(&["vertex_indices", "vertex_index"]);
    let mut nodes = Vec::new();
    for _ in 0..count {
        let place = numbers.place();
        values.read(element, &[], list, numbers)?;
        nodes.clear();
        for &index in &values.list {
            // A strip that ends and starts anew.
            if index == -1 && shape == Shape::Strip {
                assembly.cell(shape, &nodes)?;
                nodes.clear();
                continue;
            }
            nodes.push(assembly.index(index, 0).map_err(|problem| problem.at(numbers.place_of_last(place.clone())))?);
        }
        assembly.cell(shape, &nodes).map_err(|error| error.near(numbers.place_of_last(place.clone())))?;
    }
    Ok(())
}

fn read_edges(
    element: &Element,
    count: usize,
    numbers: &mut Numbers<'_>,
    values: &mut Values,
    assembly: &mut Assembly,
) -> Result<(), ReadError> {
    let place = |end: &'static str| element.position(&[end]).ok_or_else(|| missing("vertex1 and vertex2 of the edges"));
    let wanted = [place("vertex1")?, place("vertex2")?];
    for _ in 0..count {
        values.read(element, &wanted, None, numbers)?;
        let mut ends = [0; 2];
        for (end, &value) in ends.iter_mut().zip(&values.scalars) {
            *end = assembly.index(value as i64, 0).map_err(|problem| problem.at(numbers.place()))?;
        }
        assembly.cell(Shape::Segment, &ends)?;
    }
    Ok(())
}
