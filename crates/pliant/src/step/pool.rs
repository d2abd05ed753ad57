//! Threads that a simulation runs on.

use crate::parallel;
use crate::world::error::ModelError;

/// The largest number of threads for [`SimulationBuilder::threads`](crate::SimulationBuilder::threads): several times
/// the cores of large machines. A larger number is probably a typing error, and is reported as one.
pub const MOST_THREADS: usize = 1024;

/// Threads of a pool for each core at most. One would do for speed; a few more bring different orders of events into the tests of small
/// machines.
#[cfg(feature = "parallel")]
const THREADS_PER_CORE: usize = 4;

/// Threads that a simulation runs on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pool {
    #[cfg(feature = "parallel")]
    own: Option<std::sync::Arc<rayon::ThreadPool>>,
}

impl Pool {
    pub(crate) fn new(threads: Option<usize>) -> Result<Self, ModelError> {
        match threads {
            Some(threads) if threads > MOST_THREADS => Err(ModelError::TooManyThreads { threads, limit: MOST_THREADS }),
            threads => Self::start(threads),
        }
    }

    #[cfg(feature = "parallel")]
    fn start(threads: Option<usize>) -> Result<Self, ModelError> {
        // Idle threads of the pool look for work whenever there is some: sixty-four of them on two cores take longer than two.
        let most = THREADS_PER_CORE * parallel::cores();
        let build = |n: usize| rayon::ThreadPoolBuilder::new().num_threads(n.min(most)).build();
        let own = threads.map(build).transpose().map_err(|error| ModelError::Threads(error.to_string()))?;
        Ok(Self { own: own.map(std::sync::Arc::new) })
    }

    #[cfg(not(feature = "parallel"))]
    fn start(_threads: Option<usize>) -> Result<Self, ModelError> {
        Ok(Self::default())
    }

    pub(crate) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        #[cfg(feature = "parallel")]
        if let Some(pool) = &self.own {
            return pool.install(work);
        }
        parallel::within_pool(work)
    }
}
