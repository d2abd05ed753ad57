//! Stanford PLY: binary little-endian doubles, one file per frame.
//!
//! Velocities are the properties `vx vy vz`, vertex channels properties of their names, polylines `edge` elements.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;

use super::ExportError;
use super::job::{Failure, Job, Output, token, unique, vertex_count, write_file};
use super::part::Part;
use crate::store::{ChannelOn, Frame};

pub(super) fn write(job: &Job<'_>) -> Result<Vec<PathBuf>, ExportError> {
    let file = |place: usize| {
        let (frame, parts) = (job.frame(place)?, job.parts_at(place)?);
        write_file(&job.numbered_path(job.frames[place]), |file| fill(job, &parts, file, &frame))
    };
    (0..job.frames.len()).map(file).collect()
}

fn fill(job: &Job<'_>, parts: &[Part], file: &mut Output, frame: &Frame<'_>) -> Result<(), Failure> {
    let channels: Vec<_> = frame.channels.iter().filter(|channel| channel.on == ChannelOn::Vertices).collect();
    let triangles: usize = parts.iter().map(|part| part.triangles.len()).sum();
    let edges: usize = parts.iter().map(|part| part.segments().count()).sum();
    writeln!(file, "ply\nformat binary_little_endian 1.0\ncomment time {:?} s", frame.time)?;
    writeln!(file, "element vertex {}", vertex_count(parts))?;
    let velocity_names: &[&str] = if frame.velocities.is_some() { &["vx", "vy", "vz"] } else { &[] };
    let own_names = ["x", "y", "z"].iter().chain(velocity_names).copied();
    let mut names = HashSet::new();
    for name in own_names.chain(channels.iter().map(|channel| channel.name.as_str())) {
        writeln!(file, "property double {}", unique(&mut names, &token(name)))?;
    }
    writeln!(file, "element face {triangles}\nproperty list uchar int vertex_indices")?;
    if edges > 0 {
        writeln!(file, "element edge {edges}\nproperty int vertex1\nproperty int vertex2")?;
    }
    writeln!(file, "end_header")?;
    for vertex in parts.iter().flat_map(|part| &part.vertices) {
        let vertex = *vertex as usize;
        let velocity = frame.velocities.as_ref().map(|velocities| job.placed(velocities[vertex]).to_array());
        let numbers = job.placed(frame.positions[vertex]).to_array().into_iter().chain(velocity.into_iter().flatten());
        for number in numbers.chain(channels.iter().map(|channel| channel.values[vertex])) {
            file.write_all(&number.to_le_bytes())?;
        }
    }
    let mut first = 0;
    for part in parts {
        for triangle in &part.triangles {
            file.write_all(&[3])?;
            triangle.iter().try_for_each(|vertex| file.write_all(&(first + vertex).to_le_bytes()))?;
        }
        first += part.vertices.len() as u32;
    }
    first = 0;
    for part in parts {
        for ends in part.segments() {
            ends.iter().try_for_each(|vertex| file.write_all(&(first + vertex).to_le_bytes()))?;
        }
        first += part.vertices.len() as u32;
    }
    Ok(())
}
