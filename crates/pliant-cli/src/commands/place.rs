//! The folder of a run: begun, replaced, or continued from its last checkpoint.

use std::error::Error;
use std::path::Path;

use pliant_io::store::{Item, RunInfo, RunStore, StoreError};
use pliant_scene::{Scene, SceneRun};

use super::{export, origin};
use crate::output::say_error;
use crate::summary;

/// What a run may leave in its folder besides what its store does, and apart from what its user puts there.
const LEFT_BY_A_RUN: [&str; 11] = [
    export::FLUIDS,
    origin::FILE,
    "render",
    "export",
    "preview",
    "preview.png",
    "preview.gif",
    "preview.mp4",
    "plot.svg",
    "plot.png",
    summary::FILE,
];

/// A new run in a folder that holds none.
pub(crate) fn create(scene: &Scene, run: &SceneRun, dir: &Path) -> Result<RunStore, Box<dyn Error>> {
    let store = RunStore::create(dir, run.topology(), &info(scene)).map_err(with_advice)?;
    begin(store, run)
}

/// A new run in place of an earlier one. Whatever else the folder holds stays.
pub(crate) fn replace(scene: &Scene, run: &SceneRun, dir: &Path) -> Result<RunStore, Box<dyn Error>> {
    let store = RunStore::replace(dir, run.topology(), &info(scene), &LEFT_BY_A_RUN).map_err(with_advice)?;
    begin(store, run)
}

fn info(scene: &Scene) -> RunInfo {
    RunInfo { frame_rate: scene.frame_rate(), ..RunInfo::default() }
}

/// Writes the first frame, and a checkpoint to resume from if the run is interrupted before it has come to another.
fn begin(mut store: RunStore, run: &SceneRun) -> Result<RunStore, Box<dyn Error>> {
    export::write_fluids(store.dir(), run.sim.model())?;
    store.write_frame(0, &run.stored_frame())?;
    store.write_checkpoint(0, &run.save())?;
    Ok(store)
}

/// An interrupted run, with the scene brought to its last usable checkpoint.
pub(crate) fn resume(scene: &Scene, run: &mut SceneRun, dir: &Path) -> Result<RunStore, Box<dyn Error>> {
    let mut store = match RunStore::open_to_write(dir) {
        // Its writer came as far as to lock the folder.
        Err(StoreError::NoRun { .. }) if dir.join("lock").is_file() => {
            say_error!("note: the run in {} was interrupted before its first frame; it begins again", dir.display());
            return create(scene, run, dir);
        }
        other => other.map_err(with_advice)?,
    };
    let checkpoint = store.last_checkpoint_after(|unusable| say_error!("note: {unusable}; trying the one before"))?;
    if let Some(checkpoint) = checkpoint {
        // All later ones are looked at by the store, which does not know where a run begins.
        store.read_frame(0).map_err(with_advice)?;
        // Before anything is removed: the checkpoint may be of another scene.
        let path = store.path(Item::Checkpoint(checkpoint.frame));
        run.restore(&checkpoint.bytes).map_err(|error| format!("cannot resume from {}: {error}", path.display()))?;
        store.truncate_after(Some(checkpoint.frame))?;
        return Ok(store);
    }
    let is_at_start = store.checkpoints().is_empty() && store.frames().iter().all(|number| *number == 0);
    if is_at_start && store.topology() == run.topology() {
        say_error!("note: the run in {} was interrupted before its first checkpoint; it begins again", dir.display());
        store.truncate_after(None)?;
        return begin(store, run);
    }
    Err(with_advice(StoreError::NoCheckpoint { path: dir.to_owned() }))
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
