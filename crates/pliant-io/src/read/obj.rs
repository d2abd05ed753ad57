//! Wavefront OBJ: `v`, `vt`, `f` and `l` lines; the rest is for renderers, or other programs' own.
//!
//! Indices count from one, or back from the latest line when negative, and may refer to lines that come later. So faces are
//! collected first and checked at the end, with their line numbers.

use super::assembly::{Assembly, resolve};
use super::cells::Shape;
use super::error::{Place, Problem, ReadError};
use super::text::{Text, parse_integer, parse_number};

/// Elements as lists of corners.
#[derive(Default)]
struct Corners {
    /// The line of each element, and where its corners start.
    elements: Vec<(usize, usize)>,
    /// Vertex and material point of each corner, from zero.
    corners: Vec<(i64, Option<i64>)>,
}

impl Corners {
    fn iter(&self) -> impl Iterator<Item = (usize, &[(i64, Option<i64>)])> {
        self.elements.iter().enumerate().map(|(i, &(line, start))| {
            let end = self.elements.get(i + 1).map_or(self.corners.len(), |&(_, next)| next);
            (line, &self.corners[start..end])
        })
    }
}

pub(super) fn read(bytes: &[u8], assembly: &mut Assembly) -> Result<(), ReadError> {
    let mut text = Text::new(bytes, b"#");
    let mut points: Vec<[f64; 2]> = Vec::new();
    let (mut faces, mut lines) = (Corners::default(), Corners::default());
    let mut words: Vec<&[u8]> = Vec::new();
    let mut curves = 0;
    while let Some(line) = text.next_line() {
        let at = |problem: Problem| problem.at(line.place());
        words.clear();
        words.extend(line);
        // A backslash at the end continues the line.
        while let Some(last) = words.last().and_then(|word| word.strip_suffix(b"\\")) {
            words.pop();
            if !last.is_empty() {
                words.push(last);
            }
            match text.next_line() {
                Some(next) => words.extend(next),
                None => break,
            }
        }
        let Some((&keyword, arguments)) = words.split_first() else { continue };
        match keyword {
            b"v" => {
                let position = [coordinate(arguments, 0), coordinate(arguments, 1), coordinate(arguments, 2)];
                let [x, y, z] = position;
                assembly.vertex([x.map_err(at)?, y.map_err(at)?, z.map_err(at)?])?;
            }
            b"vt" => {
                let v = if arguments.len() > 1 { coordinate(arguments, 1) } else { Ok(0.0) };
                points.push([coordinate(arguments, 0).map_err(at)?, v.map_err(at)?]);
            }
            b"f" | b"fo" | b"l" => {
                let element = if keyword == b"l" { &mut lines } else { &mut faces };
                element.elements.push((line.line_number(), element.corners.len()));
                for word in arguments {
                    let corner = corner(word, assembly.mesh.positions.len(), points.len()).map_err(at)?;
                    element.corners.push(corner);
                }
            }
            b"curv" | b"curv2" | b"surf" => curves += 1,
            _ => {}
        }
    }
    if curves > 0 {
        assembly.note(format!("{curves} free-form curves and surfaces were left out"));
    }
    add_lines(&lines, assembly)?;
    add_faces(&faces, points, assembly)
}

fn coordinate(arguments: &[&[u8]], axis: usize) -> Result<f64, Problem> {
    const WHAT: &str = "coordinate";
    arguments.get(axis).map_or(Err(Problem::unexpected(WHAT, b"end of line")), |word| parse_number(WHAT, word))
}

/// `v`, `v/vt`, `v//vn` or `v/vt/vn`, from zero and not yet held against what the rest of the file defines.
fn corner(word: &[u8], vertices: usize, points: usize) -> Result<(i64, Option<i64>), Problem> {
    let mut parts = word.split(|&b| b == b'/');
    let mut index = |what: &'static str, count: usize| match parts.next() {
        None | Some(b"") => Ok(None),
        Some(part) => match parse_integer(what, part)? {
            0 => Err(Problem::IndexOutOfRange { what, index: 0, count }),
            back if back < 0 => match count as i64 + back {
                offset if offset < 0 => Err(Problem::IndexOutOfRange { what, index: back, count }),
                offset => Ok(Some(offset)),
            },
            index => Ok(Some(index - 1)),
        },
    };
    let vertex = index("vertex", vertices)?.ok_or_else(|| Problem::unexpected("vertex", word))?;
    Ok((vertex, index("material coordinate", points)?))
}

/// The vertices of an element, held against the whole file.
fn vertices(line: usize, corners: &[(i64, Option<i64>)], count: usize, nodes: &mut Vec<u32>) -> Result<(), ReadError> {
    nodes.clear();
    for &(vertex, _) in corners {
        // Reported as written, from one.
        let index = resolve("vertex", vertex.saturating_add(1), 1, count);
        nodes.push(index.map_err(|problem| problem.at(Place::Line(line)))?);
    }
    Ok(())
}

fn add_lines(lines: &Corners, assembly: &mut Assembly) -> Result<(), ReadError> {
    let mut nodes = Vec::new();
    for (line, corners) in lines.iter() {
        vertices(line, corners, assembly.mesh.positions.len(), &mut nodes)?;
        // Programs write a long curve as segments.
        let shape = if nodes.len() == 2 { Shape::Segment } else { Shape::Polyline };
        assembly.cell(shape, &nodes).map_err(|error| error.near(Place::Line(line)))?;
    }
    Ok(())
}

fn add_faces(faces: &Corners, points: Vec<[f64; 2]>, assembly: &mut Assembly) -> Result<(), ReadError> {
    let count = assembly.mesh.positions.len();
    let (mut nodes, mut material) = (Vec::new(), Vec::new());
    let mut material_corners: Vec<[u32; 3]> = Vec::new();
    let mut bare = 0;
    for (line, corners) in faces.iter() {
        vertices(line, corners, count, &mut nodes)?;
        material.clear();
        for point in corners.iter().filter_map(|&(_, point)| point) {
            let index = resolve("material coordinate", point.saturating_add(1), 1, points.len());
            material.push(index.map_err(|problem| problem.at(Place::Line(line)))?);
        }
        let triangles = assembly.polygon(&nodes).map_err(|error| error.near(Place::Line(line)))?;
        if material.len() == nodes.len() {
            material_corners.extend(triangles.iter().map(|corners| corners.map(|corner| material[corner])));
        } else {
            bare += 1;
        }
    }
    if bare == 0 && !material_corners.is_empty() {
        assembly.set_material_coordinates(points, material_corners);
    } else if !material_corners.is_empty() {
        let all = faces.elements.len();
        assembly.note(format!("{bare} of {all} faces lack texture coordinates, so those of the others were left out"));
    }
    Ok(())
}
