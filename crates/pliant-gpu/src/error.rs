//! What can go wrong on a GPU.

use thiserror::Error;

/// Why something could not be done on a GPU. The last good state is never touched.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GpuError {
    /// There is no adapter, or none with the name that was asked for.
    #[error("no GPU to compute on: looked for {asked}, found {}", list(found))]
    NoAdapter {
        /// What was looked for.
        asked: String,
        /// The adapters that there are.
        found: Vec<String>,
    },
    /// The adapter is there but does not let itself be used.
    #[error("adapter {adapter:?} could not be opened: {reason}")]
    NotOpened {
        /// Its name.
        adapter: String,
        /// What its driver said.
        reason: String,
    },
    /// An adapter cannot do what every kernel needs.
    #[error("adapter {adapter:?} allows {has} {limit}, but {needs} are needed")]
    TooSmall {
        /// Its name.
        adapter: String,
        /// The limit.
        limit: &'static str,
        /// Its value.
        has: u64,
        /// What is needed.
        needs: u64,
    },
    /// A buffer is larger than the adapter allows.
    #[error("{what} takes {bytes} bytes, but adapter {adapter:?} allows buffers of {limit} bytes at most")]
    TooLarge {
        /// What the buffer is for.
        what: String,
        /// Its size.
        bytes: u64,
        /// The largest size.
        limit: u64,
        /// The adapter.
        adapter: String,
    },
    /// The memory of the device is full.
    #[error("{what} takes {bytes} bytes, more than the memory of adapter {adapter:?} has left")]
    OutOfMemory {
        /// What the buffer is for.
        what: String,
        /// Its size.
        bytes: u64,
        /// The adapter.
        adapter: String,
    },
    /// The device was lost: its driver was restarted, or it was removed.
    #[error("the device of adapter {adapter:?} was lost: {reason}")]
    Lost {
        /// The adapter.
        adapter: String,
        /// What the driver said.
        reason: String,
    },
    /// The driver refused something. This is a fault of Pliant or of the driver.
    #[error("adapter {adapter:?} refused a command: {reason}")]
    Refused {
        /// The adapter.
        adapter: String,
        /// What the driver said.
        reason: String,
    },
    /// A matrix is not positive definite.
    #[error("the system matrix is not positive definite at unknown {unknown} of {count}")]
    NotPositiveDefinite {
        /// The unknown.
        unknown: usize,
        /// Number of unknowns.
        count: usize,
    },
    /// A world has something that is not done on a GPU yet.
    #[error("{what} has {feature}, which is not supported on a GPU yet: {instead}")]
    Unsupported {
        /// Which body, collider or solver.
        what: String,
        /// What it has.
        feature: String,
        /// What to do about it.
        instead: &'static str,
    },
    /// A particle of a fluid has no finite position or velocity.
    #[error("particle {particle} of the fluid is nowhere: its position or velocity is not finite; take shorter steps")]
    ParticleLost {
        /// Vertex of the world.
        particle: usize,
    },
    /// A particle of a fluid went much farther in a step than the world is large.
    #[error("particle {particle} of the fluid ran away; take shorter steps")]
    ParticleRanAway {
        /// Vertex of the world.
        particle: usize,
    },
    /// Particles of a fluid are so close together that lists of neighbours are full.
    #[error(
        "a particle of the fluid has {neighbours} neighbours, but there is room for {limit}: particles are on top of each other; take shorter steps or more iterations"
    )]
    Crowded {
        /// The most that a particle has had.
        neighbours: usize,
        /// Room for neighbours.
        limit: usize,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
