//! MDD: counts, times, then positions frame by frame, single precision, big-endian.
//!
//! ```text
//! frames i32, points i32, times f32 × frames [s], positions f32 × 3 × points × frames
//! ```
//!
//! Times count from the first exported frame. Beside it lies the mesh that it moves, as OBJ.

use std::io::{Seek, SeekFrom, Write};
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
        file.write_all(&samples.to_be_bytes())?;
        file.write_all(&points.to_be_bytes())?;
        let times_at = file.stream_position()?;
        // Filled in once the frames have been read.
        let mut times = vec![0f32; job.frames.len()];
        times.iter().try_for_each(|time| file.write_all(&time.to_be_bytes()))?;
        let mut start = None;
        for (place, &number) in job.frames.iter().enumerate() {
            let frame = job.frame(place)?;
            times[place] = (frame.time - *start.get_or_insert(frame.time)) as f32;
            for part in &job.parts {
                for position in job.singles("the position", number, &frame.positions, part)? {
                    position.iter().try_for_each(|c| file.write_all(&c.to_be_bytes()))?;
                }
            }
        }
        file.seek(SeekFrom::Start(times_at))?;
        times.iter().try_for_each(|time| file.write_all(&time.to_be_bytes()))?;
        Ok(())
    })?;
    Ok(vec![cache, mesh])
}
