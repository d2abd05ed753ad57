//! A team of threads that share out stages of work a few microseconds long.
//!
//! One iteration of a small world takes some hundred microseconds and has a dozen stages that must wait for each other.
//! Handing each stage to a pool costs as much as the stage. Here a leader runs ordinary code and publishes each stage; the
//! others spin until there is one and take its items one by one. A helper that comes late, or never, costs speed and
//! nothing else: the leader does whatever nobody has taken, and waits only for items that somebody is working on.
//!
//! Which thread does an item must not matter to its result; then the number of threads changes no bit.

#![cfg_attr(not(feature = "parallel"), allow(dead_code))] // Without threads every team is a team of one.
#![allow(unsafe_code)] // A stage is a borrowed closure that other threads call; see `Board::share` for why that is sound.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// The work of a stage: called with the number of each item.
type Work<'a> = &'a (dyn Fn(usize) + Sync);

/// A stage as other threads see it. The lifetime of the closure is erased; `Board::share` guards it.
struct Stage {
    /// Address of the `Work` reference on the leader's stack.
    work: AtomicUsize,
    count: AtomicUsize,
}

/// Where the leader publishes stages.
///
/// `ticket` holds the number of the stage (high half) and its next item (low half) in one word: an item is taken by
/// incrementing it, which succeeds only while that stage is still the current one.
struct Board {
    ticket: AtomicU64,
    finished: AtomicUsize,
    stage: Stage,
    closed: AtomicBool,
}

const ITEM: u64 = 0xffff_ffff;

impl Board {
    fn new() -> Self {
        // Stage 0 has no items.
        let stage = Stage { work: AtomicUsize::new(0), count: AtomicUsize::new(0) };
        Self { ticket: AtomicU64::new(0), finished: AtomicUsize::new(0), stage, closed: AtomicBool::new(false) }
    }

    /// Takes the next item of the current stage: the work and the item.
    fn take(&self) -> Option<(usize, usize)> {
        let mut ticket = self.ticket.load(Ordering::Acquire);
        loop {
            let item = (ticket & ITEM) as usize;
            if item >= self.stage.count.load(Ordering::Acquire) {
                return None;
            }
            let work = self.stage.work.load(Ordering::Acquire);
            // The stage cannot have changed if the ticket has not: its number only grows.
            match self.ticket.compare_exchange_weak(ticket, ticket + 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some((work, item)),
                Err(now) => ticket = now,
            }
        }
    }

    /// Does items until none is left to take.
    fn help(&self) {
        while let Some((work, item)) = self.take() {
            // SAFETY: `work` is the address of a `Work` on the stack of `share`, which does not return, even by panic, before
            // `finished` has counted this item.
            let work = unsafe { *(work as *const Work<'_>) };
            // A panic of an item must not leave the leader waiting: it is counted all the same, then goes on.
            let counted = Counted(&self.finished);
            work(item);
            drop(counted);
        }
    }

    /// Runs a stage: all items are done when this returns.
    fn share(&self, count: usize, work: Work<'_>) {
        let next_stage = (self.ticket.load(Ordering::Relaxed) | ITEM) + 1;
        // Close the last stage before its description changes: a ticket taken meanwhile is beyond any count.
        self.ticket.store(next_stage | ITEM, Ordering::SeqCst);
        self.finished.store(0, Ordering::SeqCst);
        self.stage.work.store(&work as *const Work<'_> as usize, Ordering::SeqCst);
        self.stage.count.store(count, Ordering::SeqCst);
        self.ticket.store(next_stage, Ordering::SeqCst);
        let waiting = WaitOnDrop { board: self, count };
        self.help();
        drop(waiting);
    }
}

struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// Waits for the items of the current stage that others have taken, also when the leader's own item panics.
struct WaitOnDrop<'a> {
    board: &'a Board,
    count: usize,
}

impl Drop for WaitOnDrop<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Nobody takes what is left; items already taken are waited for.
            let taken = self.board.ticket.fetch_or(ITEM, Ordering::AcqRel) & ITEM;
            self.count = self.count.min(taken as usize);
        }
        let mut patience = Patience::default();
        while self.board.finished.load(Ordering::Acquire) < self.count {
            patience.wait();
        }
    }
}

/// Spins for a while, then gives the core away between looks: the machine may have more to do than cores.
#[derive(Default)]
struct Patience(u32);

impl Patience {
    fn wait(&mut self) {
        self.0 += 1;
        if self.0 < 2_000 {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}

/// The leader's handle: shares out stages.
pub(crate) struct Team<'a> {
    board: Option<&'a Board>,
}

impl Team<'_> {
    /// A team of one.
    pub(crate) fn alone() -> Self {
        Self { board: None }
    }

    /// Calls `work` with each number below `count`, on whichever thread is free; all are done when this returns.
    pub(crate) fn share(&self, count: usize, work: impl Fn(usize) + Sync) {
        match self.board {
            Some(board) if count > 1 => board.share(count, &work),
            _ => (0..count).for_each(work),
        }
    }

    /// Whether sharing pays: there may be someone to help.
    pub(crate) fn has_helpers(&self) -> bool {
        self.board.is_some()
    }
}

/// Bytes that the work goes over below which it is done sooner than helpers have come and gone: some tens of microseconds. On a
/// busy machine a helper that is not scheduled would make the leader wait for far longer.
const LEAST_SHARED: usize = 1 << 19;

/// Runs `lead` on this thread, with the other threads of the current pool as helpers if it goes over enough bytes.
pub(crate) fn with_team_for<R: Send>(bytes: usize, lead: impl FnOnce(&Team<'_>) -> R + Send) -> R {
    if bytes < LEAST_SHARED { lead(&Team::alone()) } else { with_team(lead) }
}

/// Runs `lead` on this thread with the other threads of the current pool as helpers.
pub(crate) fn with_team<R: Send>(lead: impl FnOnce(&Team<'_>) -> R + Send) -> R {
    #[cfg(feature = "parallel")]
    if rayon::current_thread_index().is_some() && rayon::current_num_threads() > 1 {
        let board = Board::new();
        let helpers = rayon::current_num_threads() - 1;
        let closing = || {
            let _close = CloseOnDrop(&board);
            lead(&Team { board: Some(&board) })
        };
        return rayon::join(closing, || gather_helpers(&board, helpers)).0;
    }
    lead(&Team::alone())
}

#[cfg(feature = "parallel")]
struct CloseOnDrop<'a>(&'a Board);

#[cfg(feature = "parallel")]
impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::Release);
    }
}

/// Helps on as many threads as come; each call is one, and offers the rest to others.
#[cfg(feature = "parallel")]
fn gather_helpers(board: &Board, helpers: usize) {
    if helpers > 1 {
        rayon::join(|| gather_helpers(board, helpers / 2), || gather_helpers(board, helpers - helpers / 2));
        return;
    }
    let mut patience = Patience::default();
    while !board.closed.load(Ordering::Acquire) {
        let before = board.ticket.load(Ordering::Relaxed);
        board.help();
        if board.ticket.load(Ordering::Relaxed) != before {
            patience = Patience::default();
        }
        patience.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_of_every_stage_is_done_once_and_stages_wait_for_each_other() {
        let work = || {
            with_team(|team| {
                let counts: Vec<AtomicUsize> = (0..97).map(|_| AtomicUsize::new(0)).collect();
                for stage in 0..2_000 {
                    team.share(counts.len(), |i| {
                        assert_eq!(counts[i].fetch_add(1, Ordering::Relaxed), stage);
                    });
                }
                counts.iter().all(|c| c.load(Ordering::Relaxed) == 2_000)
            })
        };
        assert!(work());
        #[cfg(feature = "parallel")]
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            assert!(pool.install(work), "{threads} threads");
        }
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn a_panic_in_an_item_reaches_the_caller() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
        for round in 0..50 {
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                pool.install(|| {
                    with_team(|team| {
                        assert!(team.has_helpers());
                        team.share(40, |i| assert_ne!(i, round % 40));
                    });
                });
            }));
            assert!(result.is_err());
        }
    }
}
