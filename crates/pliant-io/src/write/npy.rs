//! NumPy's format, version 1.0: a header that names type and shape, then doubles, little-endian.

use std::io::Write;
use std::path::PathBuf;

use super::ExportError;
use super::job::{Job, write_file};

/// The header ends at a multiple of this many bytes.
const ALIGNMENT: usize = 64;

pub(super) fn write(job: &Job<'_>) -> Result<Vec<PathBuf>, ExportError> {
    let path = write_file(job.out, |file| {
        let (frames, vertices) = (job.frames.len(), job.vertex_count());
        let mut text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({frames}, {vertices}, 3), }}");
        // Magic, version and length take 10 bytes, the line end one.
        let padding = (10 + text.len() + 1).next_multiple_of(ALIGNMENT) - (10 + text.len() + 1);
        text.push_str(&" ".repeat(padding));
        text.push('\n');
        file.write_all(b"\x93NUMPY\x01\x00")?;
        file.write_all(&(text.len() as u16).to_le_bytes())?;
        file.write_all(text.as_bytes())?;
        for place in 0..frames {
            let frame = job.frame(place)?;
            for position in job.parts.iter().flat_map(|part| job.positions(&frame, part)) {
                position.to_array().iter().try_for_each(|c| file.write_all(&c.to_le_bytes()))?;
            }
        }
        Ok(())
    })?;
    Ok(vec![path])
}
