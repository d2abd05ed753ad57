//! VTK's XML unstructured grids. Arrays are text, base64 or raw bytes, inline or appended, plain or in zlib blocks.
//!
//! ```text
//! plain:   [bytes] data                                     base64 of both together
//! blocks:  [blocks, size, last size, compressed sizes…] data   base64 of the header, then of the data
//! ```

use super::assembly::Assembly;
use super::binary::{Binary, ByteOrder, Numbers, Scalar, decode_base64};
use super::error::{Place, Problem, ReadError};
use super::gzip::{check_size, inflate};
use super::text::{Text, parse_integer};
use super::vtk_cells::{CellList, shape_of};
use super::xml::{Tag, Tags, find};

pub(super) fn read(bytes: &[u8], max_bytes: u64, assembly: &mut Assembly) -> Result<(), ReadError> {
    let mut tags = Tags::new(bytes);
    let mut file =
        File { bytes, order: ByteOrder::Little, header: Scalar::U32, zlib: false, left: max_bytes, appended: None };
    let mut piece: Option<Piece> = None;
    // Points and cells have arrays to read; others have the same names for other things.
    let mut section: &[u8] = b"";
    let mut grid = false;
    while let Some(tag) = tags.next()? {
        match tag.name {
            b"VTKFile" => file.read_header(&tag)?,
            b"UnstructuredGrid" => grid = true,
            b"Piece" => {
                let points = file.count(&tag, "NumberOfPoints")?;
                let cells = file.count(&tag, "NumberOfCells")?;
                piece = Some(Piece { first: assembly.mesh.positions.len(), points, cells, ..Piece::default() });
            }
            b"/Piece" => {
                if let Some(piece) = piece.take() {
                    piece.add(assembly)?;
                }
            }
            b"Points" | b"Cells" => section = tag.name,
            b"/Points" | b"/Cells" => section = b"",
            b"DataArray" if !section.is_empty() => {
                if let Some(piece) = &mut piece {
                    let content = if tag.empty { b"" } else { tags.text() };
                    file.array(&tag, content, section, piece, assembly).map_err(|error| {
                        if error.place == Place::File { error.problem.at(tag.place(bytes)) } else { error }
                    })?;
                }
            }
            b"AppendedData" => break,
            _ => {}
        }
    }
    if !grid {
        return Err(Problem::Truncated { expected: "UnstructuredGrid" }.of_file());
    }
    if piece.is_some() {
        return Err(Problem::Truncated { expected: "</Piece>" }.of_file());
    }
    Ok(())
}

/// A part of the grid with its own numbering.
#[derive(Default)]
struct Piece {
    /// Its first vertex in the whole.
    first: usize,
    points: usize,
    cells: usize,
    list: CellList,
    types: Vec<i64>,
}

impl Piece {
    fn add(&self, assembly: &mut Assembly) -> Result<(), ReadError> {
        let check = |what, found: usize, expected: usize| {
            let (found, expected) = (found as u64, expected as u64);
            if found == expected { Ok(()) } else { Err(Problem::Mismatch { what, found, expected }.of_file()) }
        };
        check("vertices", assembly.mesh.positions.len() - self.first, self.points)?;
        check("cell offsets", self.list.ends.len(), self.cells)?;
        check("cell types", self.types.len(), self.cells)?;
        self.list.add(|cell| shape_of(self.types[cell]), self.first, assembly)
    }
}

struct File<'a> {
    bytes: &'a [u8],
    order: ByteOrder,
    /// The numbers before binary data.
    header: Scalar,
    zlib: bool,
    /// Bytes that may still be unpacked: arrays can share their data, or hold much in little.
    left: u64,
    /// The appended data, once it has been looked for.
    appended: Option<(&'a [u8], Encoding)>,
}

/// Where binary data comes from.
#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Base64,
    Raw,
}

impl<'a> File<'a> {
    fn read_header(&mut self, tag: &Tag<'_>) -> Result<(), ReadError> {
        let at = |problem: Problem| Err(problem.at(tag.place(self.bytes)));
        match tag.attribute("type") {
            Some(b"UnstructuredGrid") => {}
            other => return at(Problem::unexpected("type UnstructuredGrid", other.unwrap_or_default())),
        }
        self.order = if tag.attribute("byte_order") == Some(b"BigEndian") { ByteOrder::Big } else { ByteOrder::Little };
        self.header = if tag.attribute("header_type") == Some(b"UInt64") { Scalar::U64 } else { Scalar::U32 };
        self.zlib = match tag.attribute("compressor") {
            None | Some(b"") => false,
            Some(b"vtkZLibDataCompressor") => true,
            Some(other) => {
                return at(Problem::Unsupported { what: format!("compressor {}", super::error::excerpt(other)) });
            }
        };
        Ok(())
    }

    fn count(&self, tag: &Tag<'_>, name: &'static str) -> Result<usize, ReadError> {
        let value = tag.attribute(name).unwrap_or_default();
        let count = parse_integer(name, value).and_then(|count| {
            // What is claimed is held against the arrays, where they are read.
            usize::try_from(count).map_err(|_| Problem::unexpected(name, value))
        });
        count.map_err(|problem| problem.at(tag.place(self.bytes)))
    }

    fn array(
        &mut self,
        tag: &Tag<'_>,
        content: &[u8],
        section: &[u8],
        piece: &mut Piece,
        assembly: &mut Assembly,
    ) -> Result<(), ReadError> {
        let name = tag.attribute("Name").unwrap_or_default();
        let kind = scalar(tag.attribute("type").unwrap_or_default()).map_err(Problem::of_file)?;
        let target = match (section, name) {
            (b"Points", _) => None,
            (_, b"connectivity") => Some(&mut piece.list.vertices),
            (_, b"offsets") => Some(&mut piece.list.ends),
            (_, b"types") => Some(&mut piece.types),
            // Polyhedra; refused by their type.
            _ => return Ok(()),
        };
        let unpacked;
        let mut numbers = match tag.attribute("format") {
            None | Some(b"ascii") => Numbers::Text(Text::new(content, b"")),
            Some(b"binary") => {
                unpacked = self.unpack(content, Encoding::Base64)?;
                Numbers::Binary(Binary::new(&unpacked, 0, self.order))
            }
            Some(b"appended") => {
                let (data, encoding) = self.appended()?;
                let offset = self.count(tag, "offset")?;
                let data =
                    data.get(offset..).ok_or_else(|| Problem::Truncated { expected: "appended data" }.of_file())?;
                unpacked = self.unpack(data, encoding)?;
                Numbers::Binary(Binary::new(&unpacked, 0, self.order))
            }
            Some(other) => return Err(Problem::unexpected("ascii, binary or appended", other).of_file()),
        };
        // Lines and bytes inside an array mean nothing to the reader of the file: the tag's line is told instead.
        let in_array = |error: ReadError| error.problem.of_file();
        match target {
            None => {
                let total = piece.points.checked_mul(3).and_then(|total| i64::try_from(total).ok()).unwrap_or(i64::MAX);
                numbers.check_count("coordinates", total, numbers.size(kind)).map_err(Problem::of_file)?;
                for _ in 0..piece.points {
                    let mut number = || numbers.number(kind, "coordinate").map_err(in_array);
                    assembly.vertex([number()?, number()?, number()?])?;
                }
            }
            Some(target) => {
                target.clear();
                while !is_done(&numbers) {
                    target.push(numbers.integer(kind, "a number of a cell").map_err(in_array)?);
                }
            }
        }
        Ok(())
    }

    /// The appended data, behind the underscore that starts it.
    fn appended(&mut self) -> Result<(&'a [u8], Encoding), ReadError> {
        if let Some(found) = self.appended {
            return Ok(found);
        }
        let missing = || Problem::Truncated { expected: "AppendedData" }.of_file();
        let start = find(self.bytes, 0, b"<AppendedData").ok_or_else(missing)?;
        let tag = Tags::new(&self.bytes[start..]).next()?.ok_or_else(missing)?;
        let content = start + tag.end;
        let data = find(self.bytes, content, b"_").ok_or_else(missing)? + 1;
        let encoding = if tag.attribute("encoding") == Some(b"raw") { Encoding::Raw } else { Encoding::Base64 };
        let data = match encoding {
            Encoding::Raw => &self.bytes[data..],
            Encoding::Base64 => &self.bytes[data..find(self.bytes, data, b"<").unwrap_or(self.bytes.len())],
        };
        Ok(*self.appended.insert((data, encoding)))
    }

    /// The bytes of one array, without header and compression.
    fn unpack(&mut self, data: &[u8], encoding: Encoding) -> Result<Vec<u8>, ReadError> {
        // Raw bytes are no text: the size of an array may well begin with a byte that would be a space.
        let data = if encoding == Encoding::Raw { data } else { data.trim_ascii_start() };
        let word = self.header.size();
        let headers = |bytes: &[u8]| -> Result<Vec<usize>, ReadError> {
            let mut binary = Binary::new(bytes, 0, self.order);
            let mut next = || binary.integer(self.header, "size of an array").map_err(|error| error.problem.of_file());
            (0..bytes.len() / word).map(|_| Ok(usize::try_from(next()?).unwrap_or(usize::MAX))).collect()
        };
        let (first, _) = decode(data, encoding, word)?;
        let first = headers(&first)?[0];
        if !self.zlib {
            self.left = spend(self.left, first as u64)?;
            let (mut bytes, _) = decode(data, encoding, word.saturating_add(first))?;
            bytes.drain(..word);
            return Ok(bytes);
        }
        if first == 0 {
            return Ok(Vec::new());
        }
        let (header, used) = decode(data, encoding, first.saturating_add(3).saturating_mul(word))?;
        let header = headers(&header)?;
        let (size, last, packed) = (header[1], header[2], &header[3..]);
        let total = packed.iter().fold(0_usize, |sum, &size| sum.saturating_add(size));
        let (blocks, _) = decode(&data[used..], encoding, total)?;
        let mut rest = blocks.as_slice();
        let mut bytes = Vec::new();
        for (i, &packed_size) in packed.iter().enumerate() {
            let expected = if i + 1 == packed.len() && last > 0 { last } else { size };
            let (block, after) = rest.split_at(packed_size.min(rest.len()));
            rest = after;
            self.left = spend(self.left, expected as u64)?;
            let block = inflate(block, expected as u64).map_err(Problem::of_file)?;
            if block.len() != expected {
                let (found, expected) = (block.len() as u64, expected as u64);
                return Err(Problem::Mismatch { what: "bytes of a compressed block", found, expected }.of_file());
            }
            bytes.extend_from_slice(&block);
        }
        Ok(bytes)
    }
}

fn is_done(numbers: &Numbers<'_>) -> bool {
    match numbers {
        Numbers::Text(text) => text.peek().is_none(),
        Numbers::Binary(binary) => binary.remaining() == 0,
    }
}

fn spend(left: u64, bytes: u64) -> Result<u64, ReadError> {
    check_size(bytes, left).map_err(Problem::of_file)?;
    Ok(left - bytes)
}

/// The first bytes of encoded data, and how much of the encoded data they took.
fn decode(data: &[u8], encoding: Encoding, bytes: usize) -> Result<(Vec<u8>, usize), ReadError> {
    let truncated = || Problem::Truncated { expected: "array data" }.of_file();
    let used = match encoding {
        Encoding::Raw => bytes,
        Encoding::Base64 => bytes.div_ceil(3).checked_mul(4).ok_or_else(truncated)?,
    };
    let encoded = data.get(..used).ok_or_else(truncated)?;
    let mut decoded = match encoding {
        Encoding::Raw => encoded.to_vec(),
        Encoding::Base64 => decode_base64(encoded).map_err(Problem::of_file)?,
    };
    if decoded.len() < bytes {
        return Err(truncated());
    }
    decoded.truncate(bytes);
    Ok((decoded, used))
}

fn scalar(name: &[u8]) -> Result<Scalar, Problem> {
    Ok(match name {
        b"Int8" => Scalar::I8,
        b"UInt8" => Scalar::U8,
        b"Int16" => Scalar::I16,
        b"UInt16" => Scalar::U16,
        b"Int32" => Scalar::I32,
        b"UInt32" => Scalar::U32,
        b"Int64" => Scalar::I64,
        b"UInt64" => Scalar::U64,
        b"Float32" => Scalar::F32,
        b"Float64" => Scalar::F64,
        other => return Err(Problem::unexpected("a number type", other)),
    })
}
