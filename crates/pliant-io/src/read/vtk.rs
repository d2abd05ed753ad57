//! Legacy VTK: polydata and unstructured grids, as text or big-endian binary. Data on points and cells is passed over.

use super::assembly::Assembly;
use super::binary::{Binary, ByteOrder, Numbers, Scalar};
use super::cells::Shape;
use super::error::{Problem, ReadError};
use super::text::Text;
use super::vtk_cells::{CellList, shape_of};

pub(super) fn read(bytes: &[u8], assembly: &mut Assembly) -> Result<(), ReadError> {
    let mut text = Text::new(bytes, b"");
    let first = text.rest_of_line();
    if !first.starts_with(b"# vtk DataFile") {
        return Err(Problem::unexpected("# vtk DataFile", first).of_file());
    }
    text.rest_of_line();
    let encoding = text.expect_word("ASCII or BINARY")?;
    let binary = match encoding.to_ascii_uppercase().as_slice() {
        b"ASCII" => false,
        b"BINARY" => true,
        _ => return Err(Problem::unexpected("ASCII or BINARY", encoding).at(text.place())),
    };
    let mut file = File { text, binary };
    let mut dataset = Dataset::default();
    while let Some(word) = file.text.word() {
        match word.to_ascii_uppercase().as_slice() {
            b"DATASET" => {
                let kind = file.text.expect_word("a kind of dataset")?;
                if !matches!(kind.to_ascii_uppercase().as_slice(), b"POLYDATA" | b"UNSTRUCTURED_GRID") {
                    let what = format!("VTK dataset {}", super::error::excerpt(kind));
                    return Err(Problem::Unsupported { what }.at(file.text.place()));
                }
            }
            b"POINTS" => file.points(assembly)?,
            // Vertices without extent; read to get past them.
            b"VERTICES" => drop(file.cells()?),
            b"LINES" => dataset.faces.push((Shape::Polyline, file.cells()?)),
            b"POLYGONS" => dataset.faces.push((Shape::Polygon, file.cells()?)),
            b"TRIANGLE_STRIPS" => dataset.faces.push((Shape::Strip, file.cells()?)),
            b"CELLS" => dataset.cells = file.cells()?,
            b"CELL_TYPES" => {
                let count = file.text.count("cell types", 1)?;
                dataset.types = file.integers(Scalar::I32, count, "a cell type")?;
            }
            b"FIELD" => file.skip_field()?,
            b"METADATA" => {
                // Lines up to an empty one.
                file.text.rest_of_line();
                while !file.text.rest_of_line().is_empty() {}
            }
            // Geometry comes first.
            b"POINT_DATA" | b"CELL_DATA" => break,
            _ => return Err(Problem::unexpected("a section of a VTK file", word).at(file.text.place())),
        }
    }
    dataset.add(assembly)
}

#[derive(Default)]
struct Dataset {
    faces: Vec<(Shape, CellList)>,
    cells: CellList,
    types: Vec<i64>,
}

impl Dataset {
    fn add(&self, assembly: &mut Assembly) -> Result<(), ReadError> {
        for (shape, list) in &self.faces {
            list.add(|_| Ok(Some(*shape)), 0, assembly)?;
        }
        let (found, expected) = (self.types.len() as u64, self.cells.ends.len() as u64);
        if found != expected {
            return Err(Problem::Mismatch { what: "cell types", found, expected }.of_file());
        }
        self.cells.add(|cell| shape_of(self.types[cell]), 0, assembly)
    }
}

struct File<'a> {
    text: Text<'a>,
    binary: bool,
}

impl<'a> File<'a> {
    /// Reads numbers that begin on the next line, then returns to words.
    fn numbers<T>(&mut self, read: impl FnOnce(&mut Numbers<'a>) -> Result<T, ReadError>) -> Result<T, ReadError> {
        if !self.binary {
            let mut numbers = Numbers::Text(self.text.clone());
            let value = read(&mut numbers)?;
            if let Numbers::Text(text) = numbers {
                self.text = text;
            }
            return Ok(value);
        }
        self.text.rest_of_line();
        let line = self.text.line_number();
        let mut numbers = Numbers::Binary(Binary::new(self.text.bytes(), self.text.offset(), ByteOrder::Big));
        let value = read(&mut numbers)?;
        if let Numbers::Binary(binary) = numbers {
            self.text = Text::resume(self.text.bytes(), binary.offset(), line);
        }
        Ok(value)
    }

    fn scalar(&mut self) -> Result<Scalar, ReadError> {
        let word = self.text.expect_word("a number type")?;
        scalar(word).map_err(|problem| problem.at(self.text.place()))
    }

    fn points(&mut self, assembly: &mut Assembly) -> Result<(), ReadError> {
        if !assembly.mesh.positions.is_empty() {
            return Err(Problem::unexpected("one section of points", b"POINTS").at(self.text.place()));
        }
        let count = self.text.count("vertices", 3)?;
        let kind = self.scalar()?;
        self.numbers(|numbers| {
            for _ in 0..count {
                let mut number = || numbers.number(kind, "coordinate");
                assembly.vertex([number()?, number()?, number()?])?;
            }
            Ok(())
        })
    }

    fn integers(&mut self, kind: Scalar, count: usize, what: &'static str) -> Result<Vec<i64>, ReadError> {
        self.numbers(|numbers| {
            let size = numbers.size(kind);
            numbers.check_count(what, count as i64, size).map_err(|problem| problem.at(numbers.place()))?;
            (0..count).map(|_| numbers.integer(kind, what)).collect()
        })
    }

    fn cells(&mut self) -> Result<CellList, ReadError> {
        let place = self.text.place();
        let count = self.text.count("cells", 1)?;
        let size = self.text.count("cell entries", 1)?;
        let mut ahead = self.text.clone();
        ahead.rest_of_line();
        let follows = &ahead.bytes()[ahead.offset()..];
        if !follows.starts_with(b"OFFSETS") {
            let values = self.integers(Scalar::I32, size, "a cell's vertex")?;
            return CellList::from_counted(&values, count).map_err(|problem| problem.at(place));
        }
        // Since version 5.1, with one offset more than cells: the first is zero.
        self.text = ahead;
        self.text.word();
        let kind = self.scalar()?;
        let mut ends = self.integers(kind, count, "an offset")?;
        if !ends.is_empty() {
            ends.remove(0);
        }
        let word = self.text.expect_word("CONNECTIVITY")?;
        if word != b"CONNECTIVITY" {
            return Err(Problem::unexpected("CONNECTIVITY", word).at(self.text.place()));
        }
        let kind = self.scalar()?;
        Ok(CellList { ends, vertices: self.integers(kind, size, "a cell's vertex")? })
    }

    /// Passes over named arrays about the whole dataset.
    fn skip_field(&mut self) -> Result<(), ReadError> {
        self.text.expect_word("a field's name")?;
        let arrays = self.text.count("arrays", 6)?;
        for _ in 0..arrays {
            self.text.expect_word("an array's name")?;
            let components = self.text.count("components", 0)?;
            let tuples = self.text.count("tuples", 0)?;
            let kind = self.scalar()?;
            let values = components.saturating_mul(tuples);
            self.numbers(|numbers| numbers.skip(kind, values))?;
        }
        Ok(())
    }
}

fn scalar(word: &[u8]) -> Result<Scalar, Problem> {
    Ok(match word.to_ascii_lowercase().as_slice() {
        b"char" => Scalar::I8,
        b"unsigned_char" => Scalar::U8,
        b"short" => Scalar::I16,
        b"unsigned_short" => Scalar::U16,
        b"int" | b"vtkidtype" => Scalar::I32,
        b"unsigned_int" => Scalar::U32,
        b"long" | b"vtktypeint64" => Scalar::I64,
        b"unsigned_long" | b"vtktypeuint64" => Scalar::U64,
        b"float" => Scalar::F32,
        b"double" => Scalar::F64,
        _ => return Err(Problem::unexpected("a number type", word)),
    })
}
