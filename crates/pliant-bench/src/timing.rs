//! Timing on a machine that others use too: methods take turns, and the least and the median time of each are kept.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Times of one thing \[ms\].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The least: what the machine can do when left alone.
    pub min: f64,
    /// The median: what it did.
    pub median: f64,
    /// How often it was measured.
    pub samples: usize,
}

impl Timing {
    /// From single times \[s\]; none without any.
    pub fn of(mut seconds: Vec<f64>) -> Option<Self> {
        seconds.sort_by(f64::total_cmp);
        let min = *seconds.first()?;
        let middle = seconds.len() / 2;
        let median =
            if seconds.len() % 2 == 1 { seconds[middle] } else { 0.5 * (seconds[middle - 1] + seconds[middle]) };
        Some(Self { min: 1e3 * min, median: 1e3 * median, samples: seconds.len() })
    }

    /// A part or multiple of it.
    pub fn scaled(self, factor: f64) -> Self {
        Self { min: factor * self.min, median: factor * self.median, ..self }
    }
}

/// Takes the times of one method in one round.
#[derive(Debug)]
pub struct Sampler {
    budget: Duration,
    seconds: Vec<f64>,
}

impl Sampler {
    /// Calls `run` until the round's time is used up, at least once, and takes the time of each call; `prepare` goes before
    /// each and is not timed.
    pub fn repeat<S: ?Sized>(&mut self, state: &mut S, mut prepare: impl FnMut(&mut S), mut run: impl FnMut(&mut S)) {
        let begun = Instant::now();
        loop {
            prepare(state);
            let start = Instant::now();
            run(state);
            self.seconds.push(start.elapsed().as_secs_f64());
            if begun.elapsed() >= self.budget {
                return;
            }
        }
    }
}

/// A method with a name and the work to time.
pub struct Contender<'a> {
    /// What it is called.
    pub name: String,
    work: Box<dyn FnMut(&mut Sampler) + 'a>,
}

impl std::fmt::Debug for Contender<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contender").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<'a> Contender<'a> {
    /// A method that takes its own samples.
    pub fn new(name: impl Into<String>, work: impl FnMut(&mut Sampler) + 'a) -> Self {
        Self { name: name.into(), work: Box::new(work) }
    }

    /// A method that makes one call at a time, which may fail; the first error is kept.
    pub fn calling<S, E>(
        name: impl Into<String>,
        state: &'a mut S,
        failure: &'a RefCell<Option<E>>,
        call: impl Fn(&mut S) -> Result<(), E> + 'a,
    ) -> Self {
        Self::new(name, move |sampler| {
            let run = |state: &mut S| {
                if let Err(error) = call(state) {
                    failure.borrow_mut().get_or_insert(error);
                }
            };
            sampler.repeat(state, |_| (), run);
        })
    }
}

/// How much to measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Rounds in which each method has a turn, at least.
    pub rounds: usize,
    /// Further rounds are taken until this time is used up: what takes milliseconds is measured often, so that some turns go
    /// undisturbed on a busy machine.
    pub at_least: Duration,
    /// Time of a turn; a method that takes longer is called once.
    pub turn: Duration,
}

impl Effort {
    /// Rounds of 60 ms turns: a few frames of a small body, and many solves.
    pub fn rounds(rounds: usize) -> Self {
        Self { rounds: rounds.max(1), at_least: Duration::from_secs(6), turn: Duration::from_millis(60) }
    }
}

/// Lets the methods take turns, after one turn each that warms caches, pages and threads up and does not count.
/// Whoever begins a round changes from round to round, so that no method always follows the same one.
pub fn take_turns(contenders: &mut [Contender<'_>], effort: Effort) -> Vec<Option<Timing>> {
    let mut samplers: Vec<Sampler> =
        contenders.iter().map(|_| Sampler { budget: effort.turn / 3, seconds: Vec::new() }).collect();
    for (contender, sampler) in contenders.iter_mut().zip(&mut samplers) {
        (contender.work)(sampler);
        *sampler = Sampler { budget: effort.turn, seconds: Vec::new() };
    }
    let begun = Instant::now();
    let mut round = 0;
    while round < effort.rounds || begun.elapsed() < effort.at_least {
        for k in 0..contenders.len() {
            let turn = (k + round) % contenders.len();
            (contenders[turn].work)(&mut samplers[turn]);
        }
        round += 1;
    }
    samplers.into_iter().map(|sampler| Timing::of(sampler.seconds)).collect()
}

/// Seconds of a call, and what it gave.
pub fn seconds<R>(work: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_and_the_median_are_kept_whatever_the_order() {
        let odd = Timing::of(vec![3e-3, 1e-3, 7e-3]).expect("times");
        assert_eq!((odd.min, odd.median, odd.samples), (1.0, 3.0, 3));
        let even = Timing::of(vec![4e-3, 1e-3, 8e-3, 2e-3]).expect("times");
        assert_eq!((even.min, even.median), (1.0, 3.0));
        assert_eq!(Timing::of(Vec::new()), None);
    }

    #[test]
    fn every_round_begins_with_another_method() {
        let order = RefCell::new(Vec::new());
        let contender = |name: &'static str| {
            let order = &order;
            Contender::new(name, move |sampler: &mut Sampler| {
                sampler.repeat(&mut (), |()| (), |()| order.borrow_mut().push(name));
            })
        };
        let mut contenders = [contender("a"), contender("b"), contender("c")];
        let effort = Effort { rounds: 3, at_least: Duration::ZERO, turn: Duration::ZERO };
        let timings = take_turns(&mut contenders, effort);
        assert_eq!(order.borrow().concat(), "abc".to_owned() + "abc" + "bca" + "cab");
        assert!(timings.iter().all(|timing| timing.is_some_and(|t| t.samples == 3)));
    }
}
