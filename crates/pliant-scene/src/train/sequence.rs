//! Motions on disk: each is a run of two bodies, the coarse cloth and the fine one, that can be resumed from its last checkpoint.

use std::path::Path;

use pliant::math::Vec3;
use pliant::upsample::{TrainingFrame, TrainingSequence};
use pliant_io::store::{RunInfo, RunStore, StoreError};

use super::error::TrainError;
use super::plan::{Training, TrainingMotion};
use crate::folder::{self, FolderError, Recorded};

/// Frames between checkpoints.
const CHECKPOINT_EVERY: u32 = 20;

/// Simulates a motion into a folder, from where it was left off if some of it is there, and returns how far averages were from their
/// goals at most in the frames that were computed now \[m\]. `progress` is told the number of finished frames, `note` what a user may
/// want to know.
pub fn generate(
    training: &Training,
    motion: &TrainingMotion,
    dir: &Path,
    mut progress: impl FnMut(u32),
    note: impl FnMut(String),
) -> Result<f64, TrainError> {
    if finished(motion, dir)? {
        progress(motion.frames);
        return Ok(0.0);
    }
    let mut run = training.start(motion)?;
    let mut store = match folder::resume(dir, &mut run, note) {
        Ok(store) => store,
        // Nothing was begun, or nothing but the folder.
        Err(FolderError::Store(StoreError::NoRun { .. })) => {
            let info = RunInfo { frame_rate: 1.0 / training.frame_seconds(), ..RunInfo::default() };
            folder::begin(RunStore::create(dir, &run.stored_topology(), &info)?, &run)?
        }
        Err(error) => return Err(error.into()),
    };
    progress(run.frame());
    while run.frame() < motion.frames {
        run.next_frame()?;
        let number = u64::from(run.frame());
        store.write_frame(number, &run.stored_frame(&run.stored_topology()))?;
        if run.frame().is_multiple_of(CHECKPOINT_EVERY) || run.frame() == motion.frames {
            store.write_checkpoint(number, &run.save())?;
        }
        progress(run.frame());
    }
    store.check_complete()?;
    Ok(run.largest_offset())
}

/// Simulates a motion without a folder; returns the frames that are looked at, and how far averages were from their goals at most \[m\].
pub fn record(training: &Training, motion: &TrainingMotion) -> Result<(TrainingSequence, f64), TrainError> {
    let mut run = training.start(motion)?;
    let mut frames = Vec::new();
    loop {
        if run.frame() >= training.skip() {
            frames.push(TrainingFrame { coarse: run.coarse().to_vec(), fine: run.fine().to_vec() });
        }
        if run.frame() == motion.frames {
            break;
        }
        run.next_frame()?;
    }
    let sequence = TrainingSequence { name: motion.name.clone(), frame_seconds: training.frame_seconds(), frames };
    Ok((sequence, run.largest_offset()))
}

/// Whether all frames of a motion are there.
fn finished(motion: &TrainingMotion, dir: &Path) -> Result<bool, TrainError> {
    match RunStore::open(dir) {
        Ok(store) => Ok(store.frames().len() == motion.frames as usize + 1 && store.damaged().is_empty()),
        Err(StoreError::NoRun { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Reads the frames of a motion that are looked at.
pub fn load(training: &Training, motion: &TrainingMotion, dir: &Path) -> Result<TrainingSequence, TrainError> {
    let store = RunStore::open(dir)?;
    let expected = motion.frames as usize + 1;
    if store.frames().len() != expected {
        let (path, found) = (dir.to_owned(), store.frames().len());
        return Err(TrainError::Unfinished { path, motion: motion.name.clone(), found, expected });
    }
    let [coarse, fine] = training.refinement().vertex_counts();
    let mut frames = Vec::new();
    for &frame in store.frames().iter().skip(training.skip() as usize) {
        let positions = store.read_frame(frame)?.positions.into_owned();
        let (found, expected) = (positions.len(), coarse + fine);
        if found != expected {
            return Err(TrainError::Vertices { path: dir.to_owned(), frame, found, expected });
        }
        let (coarse, fine): (&[Vec3], &[Vec3]) = positions.split_at(coarse);
        frames.push(TrainingFrame { coarse: coarse.to_vec(), fine: fine.to_vec() });
    }
    Ok(TrainingSequence { name: motion.name.clone(), frame_seconds: training.frame_seconds(), frames })
}
