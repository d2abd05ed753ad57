//! Timing on one thread by its own processor time: like the papers' single core, and whatever else the machine does.

use cpu_time::ThreadTime;
use pliant::Clock;

use crate::ReproduceError;

/// Runs work on a pool of one thread.
pub(crate) fn on_one_thread<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, ReproduceError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|error| ReproduceError::Threads(error.to_string()))?;
    Ok(pool.install(work))
}

/// Processor time of the thread that works \[s\]: what it returns, and how long that took.
pub(crate) fn timed<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let begun = ThreadTime::now();
    let result = work();
    (result, begun.elapsed().as_secs_f64())
}

/// The same as a clock, for a simulation on one thread.
pub(crate) fn clock() -> Clock {
    Clock::new(|| ThreadTime::now().as_duration().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_takes_no_processor_time() {
        let (_, seconds) = timed(|| std::thread::sleep(std::time::Duration::from_millis(100)));
        assert!(seconds < 0.05, "{seconds} s");
    }
}
