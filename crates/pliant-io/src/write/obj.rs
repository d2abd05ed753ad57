//! Wavefront OBJ: text, one file per frame, one object per body.
//!
//! Coordinates have the shortest text that reads back as the same double.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::ExportError;
use super::job::{Failure, Job, Output, token, write_file};
use super::part::Part;
use crate::store::Frame;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Objects {
    /// An object for each body.
    PerBody,
    /// One object: readers then keep the order of vertices through all bodies.
    One,
}

pub(super) fn write(job: &Job<'_>) -> Result<Vec<PathBuf>, ExportError> {
    let file = |place: usize| {
        let (frame, parts) = (job.frame(place)?, job.parts_at(place)?);
        write_frame(job, &parts, &job.numbered_path(job.frames[place]), &frame, Objects::PerBody)
    };
    (0..job.frames.len()).map(file).collect()
}

/// The mesh at one moment.
pub(super) fn write_frame(
    job: &Job<'_>,
    parts: &[Part],
    path: &Path,
    frame: &Frame<'_>,
    objects: Objects,
) -> Result<PathBuf, ExportError> {
    write_file(path, |file| fill(job, parts, file, frame, objects))
}

fn fill(job: &Job<'_>, parts: &[Part], file: &mut Output, frame: &Frame<'_>, objects: Objects) -> Result<(), Failure> {
    writeln!(file, "# time {:?} s", frame.time)?;
    if objects == Objects::One {
        writeln!(file, "o {}", token(&job.stem()))?;
    }
    // Vertices are numbered from 1 through the file.
    let mut first = 1;
    for part in parts {
        if objects == Objects::PerBody {
            writeln!(file, "o {}", token(&part.name))?;
        }
        for p in job.positions(frame, part) {
            writeln!(file, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
        }
        for [a, b, c] in &part.triangles {
            writeln!(file, "f {} {} {}", first + a, first + b, first + c)?;
        }
        for polyline in part.polylines.rows() {
            write!(file, "l")?;
            polyline.iter().try_for_each(|vertex| write!(file, " {}", first + vertex))?;
            writeln!(file)?;
        }
        for vertex in &part.points {
            writeln!(file, "p {}", first + vertex)?;
        }
        first += part.vertices.len() as u32;
    }
    Ok(())
}
