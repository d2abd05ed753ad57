//! VTK unstructured grids, one per frame, and a PVD file that gives each its time.
//!
//! The XML announces arrays by their offset into one appended raw block; each array there begins with its size in bytes
//! as u64. Cells are tets, triangles, segments of polylines (meshio knows no polylines) and
//! loose vertices, body after body; `body` numbers the bodies of the run.

use std::io::Write;
use std::path::PathBuf;

use super::ExportError;
use super::job::{Failure, Job, Output, vertex_count, write_file};
use super::part::Part;
use crate::store::{Channel, ChannelOn, Frame};

const VERTEX: u8 = 1;
const LINE: u8 = 3;
const TRIANGLE: u8 = 5;
const TETRA: u8 = 10;
/// Says that an array holds vectors; scalars say nothing.
const VECTORS: &str = "NumberOfComponents=\"3\"";

pub(super) fn write(job: &Job<'_>) -> Result<Vec<PathBuf>, ExportError> {
    let stem = job.stem();
    let (mut entries, mut grids) = (String::new(), Vec::new());
    for (place, number) in job.frames.iter().enumerate() {
        let (frame, parts) = (job.frame(place)?, job.parts_at(place)?);
        let name = format!("{stem}/{stem}_{number:06}.vtu");
        let (time, file) = (frame.time, escape(&name));
        entries += &format!("    <DataSet timestep=\"{time:?}\" group=\"\" part=\"0\" file=\"{file}\"/>\n");
        grids.push(write_file(&job.out.with_file_name(name), |file| fill(job, &parts, file, &frame))?);
    }
    // Last, so that what it names is there.
    let index = write_file(job.out, |file| {
        writeln!(file, "<?xml version=\"1.0\"?>")?;
        writeln!(file, "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n  <Collection>")?;
        writeln!(file, "{entries}  </Collection>\n</VTKFile>")?;
        Ok(())
    })?;
    Ok([vec![index], grids].concat())
}

/// Arrays in the order of the appended block.
#[derive(Default)]
struct Arrays {
    block: Vec<u8>,
}

impl Arrays {
    /// Appends an array and gives the element that announces it; `shape` is an attribute or nothing.
    fn add(&mut self, kind: &str, name: &str, shape: &str, bytes: Vec<u8>) -> String {
        let offset = self.block.len();
        self.block.extend((bytes.len() as u64).to_le_bytes());
        self.block.extend(bytes);
        let name = escape(name);
        format!(
            "        <DataArray type=\"{kind}\" Name=\"{name}\" {shape} \
             format=\"appended\" offset=\"{offset}\"/>\n"
        )
    }

    fn doubles(&mut self, name: &str, shape: &str, numbers: impl Iterator<Item = f64>) -> String {
        self.add("Float64", name, shape, numbers.flat_map(f64::to_le_bytes).collect())
    }

    fn integers(&mut self, name: &str, numbers: impl Iterator<Item = i64>) -> String {
        self.add("Int64", name, "", numbers.flat_map(i64::to_le_bytes).collect())
    }
}

/// A cell: its kind, its vertices within the part, its number in the run where channels may name it.
type Cell<'a> = (u8, &'a [u32], Option<u32>);

fn cells(part: &Part) -> impl Iterator<Item = Cell<'_>> {
    let tets = part.tets.iter().zip(&part.tet_numbers).map(|(tet, number)| (TETRA, tet.as_slice(), Some(*number)));
    let triangles = part.triangles.iter().zip(&part.triangle_numbers);
    let triangles = triangles.map(|(triangle, number)| (TRIANGLE, triangle.as_slice(), Some(*number)));
    let segments = part.polylines.rows().flat_map(|row| row.windows(2)).map(|ends| (LINE, ends, None));
    let points = part.points.iter().map(|vertex| (VERTEX, std::slice::from_ref(vertex), None));
    tets.chain(triangles).chain(segments).chain(points)
}

/// A channel on elements as numbers of all cells; cells of another kind have none.
fn on_cells(parts: &[Part], channel: &Channel) -> Vec<f64> {
    let kind = if channel.on == ChannelOn::Tets { TETRA } else { TRIANGLE };
    let value = |(cell, _, number): Cell<'_>| match number {
        Some(number) if cell == kind => channel.values[number as usize],
        _ => f64::NAN,
    };
    parts.iter().flat_map(cells).map(value).collect()
}

fn fill(job: &Job<'_>, parts: &[Part], file: &mut Output, frame: &Frame<'_>) -> Result<(), Failure> {
    let mut arrays = Arrays::default();
    let all = || parts.iter().flat_map(|part| &part.vertices).map(|&vertex| vertex as usize);

    let positions = all().flat_map(|vertex| job.placed(frame.positions[vertex]).to_array());
    let points = arrays.doubles("Points", VECTORS, positions);

    let mut connectivity = Vec::new();
    let (mut offsets, mut kinds, mut bodies) = (Vec::new(), Vec::new(), Vec::new());
    let mut first = 0;
    for part in parts {
        for (kind, vertices, _) in cells(part) {
            connectivity.extend(vertices.iter().map(|vertex| first + i64::from(*vertex)));
            offsets.push(connectivity.len() as i64);
            kinds.push(kind);
            bodies.push(part.body as i64);
        }
        first += part.vertices.len() as i64;
    }
    let cell_count = kinds.len();
    let structure = arrays.integers("connectivity", connectivity.into_iter())
        + &arrays.integers("offsets", offsets.into_iter())
        + &arrays.add("UInt8", "types", "", kinds);

    let mut point_data = String::new();
    if let Some(velocities) = &frame.velocities {
        let velocities = all().flat_map(|vertex| job.placed(velocities[vertex]).to_array());
        point_data += &arrays.doubles("velocity", VECTORS, velocities);
    }
    let mut cell_data = arrays.integers("body", bodies.into_iter());
    for channel in &frame.channels {
        match channel.on {
            ChannelOn::Vertices => {
                let values = all().map(|vertex| channel.values[vertex]);
                point_data += &arrays.doubles(&channel.name, "", values);
            }
            _ => cell_data += &arrays.doubles(&channel.name, "", on_cells(parts, channel).into_iter()),
        }
    }
    let time = arrays.doubles("TimeValue", "NumberOfTuples=\"1\"", std::iter::once(frame.time));

    writeln!(file, "<?xml version=\"1.0\"?>")?;
    write!(file, "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" ")?;
    writeln!(file, "header_type=\"UInt64\">")?;
    for part in parts {
        // Two hyphens would end the comment.
        writeln!(file, "  <!-- body {}: {} -->", part.body, escape(&part.name).replace('-', "\u{2010}"))?;
    }
    writeln!(file, "  <UnstructuredGrid>\n    <FieldData>\n{time}    </FieldData>")?;
    let vertices = vertex_count(parts);
    writeln!(file, "    <Piece NumberOfPoints=\"{vertices}\" NumberOfCells=\"{cell_count}\">")?;
    writeln!(file, "      <PointData>\n{point_data}      </PointData>")?;
    writeln!(file, "      <CellData>\n{cell_data}      </CellData>")?;
    writeln!(file, "      <Points>\n{points}      </Points>")?;
    writeln!(file, "      <Cells>\n{structure}      </Cells>")?;
    writeln!(file, "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">")?;
    // The block begins right after the underscore.
    write!(file, "   _")?;
    file.write_all(&arrays.block)?;
    writeln!(file, "\n  </AppendedData>\n</VTKFile>")?;
    Ok(())
}

fn escape(text: &str) -> String {
    let safe: String = text.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    safe.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
