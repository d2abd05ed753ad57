//! Frames of one world on several numbers of threads, in turns.

use std::time::Instant;

use pliant::{Simulation, StepReport};

use crate::BenchError;
use crate::timing::Timing;

/// Which frames are timed.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Steps of a frame.
    pub steps: usize,
    /// Frames before those that are timed.
    pub before: usize,
    /// Frames that are timed, at least one.
    pub timed: usize,
}

/// A world after its frames.
#[derive(Debug)]
pub struct Run {
    /// Threads that it had.
    pub threads: usize,
    /// A frame.
    pub frame: Timing,
    /// The world at the end.
    pub sim: Simulation,
    /// What its last step says.
    pub last: StepReport,
}

impl Plan {
    /// Runs what `make` makes for these numbers of threads, frame by frame in turns.
    pub fn measure(
        self,
        threads: &[usize],
        make: impl Fn(usize) -> Result<Simulation, BenchError>,
    ) -> Result<Vec<Run>, BenchError> {
        let mut runs = Vec::new();
        for &threads in threads {
            runs.push((threads, make(threads)?, Vec::new(), None));
        }
        for frame in 0..self.before + self.timed {
            for (_, sim, seconds, last) in &mut runs {
                let begun = Instant::now();
                for _ in 0..self.steps {
                    *last = Some(sim.step()?);
                }
                if frame >= self.before {
                    seconds.push(begun.elapsed().as_secs_f64());
                }
            }
        }
        let finished =
            |(threads, sim, seconds, last)| Some(Run { threads, frame: Timing::of(seconds)?, sim, last: last? });
        Ok(runs.into_iter().filter_map(finished).collect())
    }
}
