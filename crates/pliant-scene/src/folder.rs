//! The folder of a run: begun, or continued from its last checkpoint. The command and the Python package share it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use pliant::{Checkpoint, CheckpointError, Simulation};
use pliant_io::store::{Frame, Item, RunStore, StoreError, Topology};
use pliant_io::write::{ExportError, FLUIDS_FILE, write_fluids};
use thiserror::Error;

use crate::format::Quantity;
use crate::run::SceneRun;

/// The file with the summary of a run of the command.
pub const SUMMARY_FILE: &str = "summary.json";

/// The scene that a run is of.
pub const ORIGIN_FILE: &str = "scene.json";

/// What a run may leave in its folder besides what its store does, and apart from what its user puts there.
pub const LEFT_BY_A_RUN: [&str; 11] = [
    FLUIDS_FILE,
    ORIGIN_FILE,
    "render",
    "export",
    "preview",
    "preview.png",
    "preview.gif",
    "preview.mp4",
    "plot.svg",
    "plot.png",
    SUMMARY_FILE,
];

/// What can be stored as a run: a scene, or a world without one.
pub trait Recorded {
    /// The simulation.
    fn simulation(&self) -> &Simulation;

    /// The elements of its bodies as they are stored.
    fn stored_topology(&self) -> Cow<'_, Topology>;

    /// Its state as it is stored with a topology, which is its current one or has the same bodies in another order.
    fn stored_frame(&self, topology: &Topology) -> Frame<'_>;

    /// The largest and the mean stretch of edges, as length over rest length; 1 without edges.
    fn stretches(&self) -> (f64, f64);

    /// How long the last frame took \[s\], if its state has stayed on a GPU, where nothing is reported of steps.
    fn seconds_on_gpu(&self) -> Option<f64> {
        None
    }

    /// Everything that continues from here.
    fn save(&self) -> Vec<u8>;

    /// Continues from what was saved. After an error nothing has changed.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), CheckpointError>;
}

impl Recorded for SceneRun {
    fn simulation(&self) -> &Simulation {
        &self.sim
    }

    fn stored_topology(&self) -> Cow<'_, Topology> {
        Cow::Borrowed(self.topology())
    }

    /// A scene keeps its list of bodies.
    fn stored_frame(&self, _topology: &Topology) -> Frame<'_> {
        self.stored_frame()
    }

    fn stretches(&self) -> (f64, f64) {
        (self.measure(Quantity::MaxStretch, None), self.measure(Quantity::MeanStretch, None))
    }

    fn seconds_on_gpu(&self) -> Option<f64> {
        self.seconds_on_gpu()
    }

    fn save(&self) -> Vec<u8> {
        self.save()
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.restore(bytes)
    }
}

impl Recorded for Simulation {
    fn simulation(&self) -> &Simulation {
        self
    }

    fn stored_topology(&self) -> Cow<'_, Topology> {
        Cow::Owned(Topology::of(self))
    }

    fn stored_frame(&self, topology: &Topology) -> Frame<'_> {
        Frame::of(self, topology)
    }

    fn stretches(&self) -> (f64, f64) {
        let (topology, x) = (Topology::of(self), self.positions());
        let (mut largest, mut sum, mut count) = (f64::NEG_INFINITY, 0.0, 0.0);
        for [a, b] in topology.edges().into_iter().map(|edge| edge.map(|v| v as usize)) {
            let stretch = x[a].distance(x[b]) / topology.rest[a].distance(topology.rest[b]);
            (largest, sum, count) = (largest.max(stretch), sum + stretch, count + 1.0);
        }
        if count > 0.0 { (largest, sum / count) } else { (1.0, 1.0) }
    }

    fn save(&self) -> Vec<u8> {
        self.checkpoint().to_bytes()
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        Checkpoint::from_bytes(bytes).and_then(|saved| self.restore(&saved))
    }
}

/// Why a run could not be begun or continued.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The folder could not be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What its fluids are could not be written.
    #[error(transparent)]
    Fluids(#[from] ExportError),
    /// The checkpoint belongs to another world, or is damaged.
    #[error("cannot resume from {}: {error}", path.display())]
    Restore {
        /// The checkpoint.
        path: PathBuf,
        /// What is wrong.
        #[source]
        error: CheckpointError,
    },
}

/// Writes the first frame of a new run, and a checkpoint to resume from if the run is interrupted before it has come to
/// another.
pub fn begin(mut store: RunStore, run: &impl Recorded) -> Result<RunStore, FolderError> {
    write_fluids(store.dir(), run.simulation().model())?;
    let topology = run.stored_topology();
    store.write_frame(0, &run.stored_frame(&topology))?;
    store.write_checkpoint(0, &run.save())?;
    Ok(store)
}

/// Continues an interrupted run: brings the world to the last usable checkpoint and removes what was written after it.
/// `note` is called with what a user may want to know, such as a damaged checkpoint. A run that was interrupted before
/// its first checkpoint begins again.
pub fn resume(dir: &Path, run: &mut impl Recorded, mut note: impl FnMut(String)) -> Result<RunStore, FolderError> {
    let mut store = RunStore::open_to_write(dir)?;
    let checkpoint = store.last_checkpoint_after(|unusable| note(format!("{unusable}; trying the one before")))?;
    if let Some(checkpoint) = checkpoint {
        // All later ones are looked at by the store, which does not know where a run begins.
        store.read_frame(0)?;
        // Before anything is removed: the checkpoint may be of another world.
        let path = store.path(Item::Checkpoint(checkpoint.frame));
        run.restore(&checkpoint.bytes).map_err(|error| FolderError::Restore { path, error })?;
        store.truncate_after(Some(checkpoint.frame))?;
        return Ok(store);
    }
    let is_at_start = store.checkpoints().is_empty() && store.frames().iter().all(|number| *number == 0);
    if is_at_start && *store.topology() == *run.stored_topology() {
        note(format!("the run in {} was interrupted before its first checkpoint; it begins again", dir.display()));
        store.truncate_after(None)?;
        return begin(store, run);
    }
    Err(StoreError::NoCheckpoint { path: dir.to_owned() }.into())
}
