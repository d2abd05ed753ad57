//! Point cache 2: a header of 32 bytes, then positions frame by frame, single precision, little-endian.
//!
//! ```text
//! "POINTCACHE2\0", version i32 = 1, points i32, first frame f32, frames per sample f32, samples i32
//! ```
//!
//! Beside it lies the mesh that it moves, as OBJ with the same vertices in the same order.

use std::io::Write;
use std::path::PathBuf;

use super::ExportError;
use super::job::{Job, write_file};
use super::obj::{self, Objects};

pub(super) fn write(job: &Job<'_>) -> Result<Vec<PathBuf>, ExportError> {
    let limit = i32::MAX as u64;
    let points = job.count("vertices", job.vertex_count() as u64, limit)? as i32;
    let samples = job.count("frames", job.frames.len() as u64, limit)? as i32;
    let mesh = obj::write_frame(job, &job.parts, &job.out.with_extension("obj"), &job.frame(0)?, Objects::One)?;
    let cache = write_file(job.out, |file| {
        file.write_all(b"POINTCACHE2\0")?;
        file.write_all(&1i32.to_le_bytes())?;
        file.write_all(&points.to_le_bytes())?;
        file.write_all(&(job.frames[0] as f32).to_le_bytes())?;
        file.write_all(&(job.options.every as f32).to_le_bytes())?;
        file.write_all(&samples.to_le_bytes())?;
        for (place, &number) in job.frames.iter().enumerate() {
            let frame = job.frame(place)?;
            for part in &job.parts {
                for position in job.singles("the position", number, &frame.positions, part)? {
                    position.iter().try_for_each(|c| file.write_all(&c.to_le_bytes()))?;
                }
            }
        }
        Ok(())
    })?;
    Ok(vec![cache, mesh])
}
