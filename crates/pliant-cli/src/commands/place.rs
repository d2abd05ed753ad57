//! The folder of a run: begun, replaced, or continued from its last checkpoint.

use std::error::Error;
use std::path::Path;

use pliant_io::store::{RunInfo, RunStore, StoreError};
use pliant_scene::folder::{self, FolderError};
use pliant_scene::{Scene, SceneRun};

use crate::output::say_error;

/// A new run in a folder that holds none.
pub(crate) fn create(scene: &Scene, run: &SceneRun, dir: &Path) -> Result<RunStore, Box<dyn Error>> {
    let store = RunStore::create(dir, run.topology(), &info(scene)).map_err(with_advice)?;
    Ok(folder::begin(store, run)?)
}

/// A new run in place of an earlier one. Whatever else the folder holds stays.
pub(crate) fn replace(scene: &Scene, run: &SceneRun, dir: &Path) -> Result<RunStore, Box<dyn Error>> {
    let store = RunStore::replace(dir, run.topology(), &info(scene), &folder::LEFT_BY_A_RUN).map_err(with_advice)?;
    Ok(folder::begin(store, run)?)
}

fn info(scene: &Scene) -> RunInfo {
    RunInfo { frame_rate: scene.frame_rate(), ..RunInfo::default() }
}

/// An interrupted run, with the scene brought to its last usable checkpoint.
pub(crate) fn resume(scene: &Scene, run: &mut SceneRun, dir: &Path) -> Result<RunStore, Box<dyn Error>> {
    match folder::resume(dir, run, |note| say_error!("note: {note}")) {
        // Its writer came as far as to lock the folder.
        Err(FolderError::Store(StoreError::NoRun { .. })) if dir.join("lock").is_file() => {
            say_error!("note: the run in {} was interrupted before its first frame; it begins again", dir.display());
            create(scene, run, dir)
        }
        Err(FolderError::Store(error)) => Err(with_advice(error)),
        other => Ok(other?),
    }
}

/// An error with what the user of the command can do about it.
fn with_advice(error: StoreError) -> Box<dyn Error> {
    let advice = match error {
        StoreError::AlreadyARun { ref path } => {
            let path = path.display();
            return format!("{path} holds a run already; give --resume, --overwrite or another --out").into();
        }
        StoreError::PartOfARun { .. } => "give --overwrite or another --out",
        StoreError::NoRun { .. } => "omit --resume to begin one",
        StoreError::NoCheckpoint { .. } | StoreError::NoSuchFrame { .. } => {
            "give --overwrite to begin again, or another --out"
        }
        StoreError::InUse { .. } => "wait until it ends, or give another --out",
        _ => return error.into(),
    };
    format!("{error}; {advice}").into()
}
