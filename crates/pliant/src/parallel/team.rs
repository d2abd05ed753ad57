//! A team of threads that share out stages of work a few microseconds long.
//!
//! One iteration of a small world takes some hundred microseconds and has a dozen stages that must wait for each other.
//! Handing each stage to a pool costs as much as the stage. Here a leader runs ordinary code and publishes each stage; the
//! others spin until there is one and take its items one by one. A helper that comes late, or never, costs speed and
//! nothing else: the leader does whatever nobody has taken, and waits only for items that somebody is working on.
//!
//! A helper that has found nothing to do for some tens of microseconds sleeps, so that it does not take a core from those who work. The
//! leader looks at one number to see that nobody sleeps; otherwise it wakes one helper, who wakes the next while items are left.
//! There are never more helpers than cores: more could only take turns with the leader.
//!
//! Which thread does an item must not matter to its result; then the number of threads changes no bit.

#![cfg_attr(not(feature = "parallel"), allow(dead_code))] // Without threads every team is a team of one.
#![allow(unsafe_code)] // A stage is a borrowed closure that other threads call; see `Board::share` for why that is sound.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

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
/// `ticket` holds the number of the stage and how many of its items were taken from either end in one word: an item is taken by
/// incrementing one of the two, which succeeds only while that stage is still the current one. The leader takes from the front and helpers from the
/// back, so that stages over the same data find most of it in the cache of the core that was there before.
struct Board {
    ticket: AtomicU64,
    finished: AtomicUsize,
    stage: Stage,
    closed: AtomicBool,
    /// Helpers that sleep, or are about to.
    sleepers: AtomicUsize,
    /// Held between the last look for items and falling asleep, so that nobody is woken just before that.
    falling_asleep: Mutex<()>,
    woken: Condvar,
}

/// Bits of the ticket that count the items taken from one end: a longer stage is shared out in parts.
const END_BITS: u32 = 20;
const MOST_ITEMS: usize = (1 << END_BITS) - 1;
/// Both counts.
const ITEMS: u64 = (1 << (2 * END_BITS)) - 1;

/// The end of a stage that a thread takes items from.
#[derive(Clone, Copy)]
enum End {
    Front,
    Back,
}

/// Items taken from the front and from the back, by a ticket.
fn taken(ticket: u64) -> [usize; 2] {
    [ticket as usize & MOST_ITEMS, (ticket >> END_BITS) as usize & MOST_ITEMS]
}

impl Board {
    fn new() -> Self {
        // Stage 0 has no items.
        let stage = Stage { work: AtomicUsize::new(0), count: AtomicUsize::new(0) };
        Self {
            ticket: AtomicU64::new(0),
            finished: AtomicUsize::new(0),
            stage,
            closed: AtomicBool::new(false),
            sleepers: AtomicUsize::new(0),
            falling_asleep: Mutex::new(()),
            woken: Condvar::new(),
        }
    }

    /// Whether the current stage has items that nobody has taken.
    fn has_items(&self) -> bool {
        let [front, back] = taken(self.ticket.load(Ordering::SeqCst));
        front + back < self.stage.count.load(Ordering::SeqCst)
    }

    /// Sleeps until there are items, or no more will come.
    fn sleep(&self) {
        let mut guard = self.falling_asleep.lock().unwrap_or_else(PoisonError::into_inner);
        // Counted before it looks, while a leader publishes before it looks at the count: one of the two sees the other.
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        while !self.closed.load(Ordering::SeqCst) && !self.has_items() {
            guard = self.woken.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Wakes a helper, if one sleeps.
    fn wake_one(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            drop(self.falling_asleep.lock());
            self.woken.notify_one();
        }
    }

    /// Sends all helpers home.
    #[cfg(feature = "parallel")]
    fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            drop(self.falling_asleep.lock());
            self.woken.notify_all();
        }
    }

    /// Takes the next item of the current stage: the work and the item.
    fn take(&self, end: End) -> Option<(usize, usize)> {
        let mut ticket = self.ticket.load(Ordering::Acquire);
        loop {
            let [front, back] = taken(ticket);
            let count = self.stage.count.load(Ordering::Acquire);
            if front + back >= count {
                return None;
            }
            let (item, one) = match end {
                End::Front => (front, 1),
                End::Back => (count - 1 - back, 1 << END_BITS),
            };
            let work = self.stage.work.load(Ordering::Acquire);
            // The stage cannot have changed if the ticket has not: its number only grows.
            match self.ticket.compare_exchange_weak(ticket, ticket + one, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some((work, item)),
                Err(now) => ticket = now,
            }
        }
    }

    /// Does items until none is left to take.
    fn help(&self, end: End) {
        while let Some((work, item)) = self.take(end) {
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
        let next_stage = (self.ticket.load(Ordering::Relaxed) | ITEMS).wrapping_add(1);
        // Close the last stage before its description changes: a ticket taken meanwhile is beyond any count.
        self.ticket.store(next_stage | ITEMS, Ordering::SeqCst);
        self.finished.store(0, Ordering::SeqCst);
        self.stage.work.store(&work as *const Work<'_> as usize, Ordering::SeqCst);
        self.stage.count.store(count, Ordering::SeqCst);
        self.ticket.store(next_stage, Ordering::SeqCst);
        self.wake_one();
        let waiting = WaitOnDrop { board: self, count };
        // An item that wants a team has one of its own.
        #[cfg(feature = "parallel")]
        let _led = LedBefore::leading(std::ptr::null());
        self.help(End::Front);
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
            let [front, back] = taken(self.board.ticket.fetch_or(ITEMS, Ordering::AcqRel));
            self.count = self.count.min(front + back);
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
    /// Looks while spinning: about as long as it takes to put a thread to sleep and wake it.
    const SPINS: u32 = 2_000;

    fn is_over(&self) -> bool {
        self.0 >= Self::SPINS
    }

    fn wait(&mut self) {
        if self.is_over() {
            std::thread::yield_now();
        } else {
            self.0 += 1;
            std::hint::spin_loop();
        }
    }
}

/// The leader's handle: shares out stages.
pub(crate) struct Team<'a> {
    board: Option<&'a Board>,
}

impl std::fmt::Debug for Team<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Team").field("alone", &self.board.is_none()).finish()
    }
}

impl Team<'_> {
    /// A team of one.
    pub(crate) fn alone() -> Self {
        Self { board: None }
    }

    /// Calls `work` with each number below `count`, on whichever thread is free; all are done when this returns.
    pub(crate) fn share(&self, count: usize, work: impl Fn(usize) + Sync) {
        match self.board {
            Some(board) if count > 1 => {
                for first in (0..count).step_by(MOST_ITEMS) {
                    board.share(MOST_ITEMS.min(count - first), &|item| work(first + item));
                }
            }
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

/// Runs `lead` on this thread with the other threads of the current pool as helpers, as many as there are cores for. Within the work of a leader
/// the team is the one that it has: helpers that are there already need not be called.
pub(crate) fn with_team<R: Send>(lead: impl FnOnce(&Team<'_>) -> R + Send) -> R {
    #[cfg(feature = "parallel")]
    if rayon::current_thread_index().is_some() {
        let board = LED.get();
        if !board.is_null() {
            // SAFETY: a board is there while it is led, and its leader is this thread, which is not in a stage of it.
            return lead(&Team { board: Some(unsafe { &*board }) });
        }
        return with_helpers(rayon::current_num_threads().min(cores()) - 1, lead);
    }
    lead(&Team::alone())
}

/// Cores that this process may use. Asking the system takes longer than a small step.
#[cfg(feature = "parallel")]
pub(crate) fn cores() -> usize {
    static CORES: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

#[cfg(feature = "parallel")]
thread_local! {
    /// The board that this thread leads, between stages.
    static LED: std::cell::Cell<*const Board> = const { std::cell::Cell::new(std::ptr::null()) };
}

/// What this thread led before, to be led again.
#[cfg(feature = "parallel")]
struct LedBefore(*const Board);

#[cfg(feature = "parallel")]
impl LedBefore {
    /// Leads another board, or none, for a while.
    fn leading(board: *const Board) -> Self {
        Self(LED.replace(board))
    }
}

#[cfg(feature = "parallel")]
impl Drop for LedBefore {
    fn drop(&mut self) {
        LED.set(self.0);
    }
}

/// Runs `lead` on this thread of a pool, with at most so many others as helpers.
#[cfg(feature = "parallel")]
fn with_helpers<R: Send>(helpers: usize, lead: impl FnOnce(&Team<'_>) -> R + Send) -> R {
    if helpers == 0 {
        return lead(&Team::alone());
    }
    let board = Board::new();
    let closing = || {
        let _close = CloseOnDrop(&board);
        let _led = LedBefore::leading(&board);
        lead(&Team { board: Some(&board) })
    };
    rayon::join(closing, || gather_helpers(&board, helpers)).0
}

#[cfg(feature = "parallel")]
struct CloseOnDrop<'a>(&'a Board);

#[cfg(feature = "parallel")]
impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
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
        board.help(End::Back);
        if board.ticket.load(Ordering::Relaxed) != before {
            patience = Patience::default();
        }
        if patience.is_over() {
            board.sleep();
            // There may be more than one helper can do.
            board.wake_one();
            patience = Patience::default();
        } else {
            patience.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "parallel")]
    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool")
    }

    #[test]
    fn every_item_of_every_stage_is_done_once_and_stages_wait_for_each_other() {
        let stages = |team: &Team<'_>| {
            let counts: Vec<AtomicUsize> = (0..97).map(|_| AtomicUsize::new(0)).collect();
            for stage in 0..2_000 {
                team.share(counts.len(), |i| {
                    assert_eq!(counts[i].fetch_add(1, Ordering::Relaxed), stage);
                });
            }
            counts.iter().all(|c| c.load(Ordering::Relaxed) == 2_000)
        };
        assert!(with_team(stages));
        #[cfg(feature = "parallel")]
        for threads in [1, 2, 3, 8] {
            assert!(pool(threads).install(|| with_team(stages)), "{threads} threads");
            // More helpers than this machine may have cores.
            assert!(pool(threads).install(|| with_helpers(threads - 1, stages)), "{threads} threads, all of them");
        }
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn a_leader_has_one_team_and_an_item_another() {
        pool(2).install(|| {
            with_helpers(1, |outer| {
                let board = |team: &Team<'_>| team.board.map_or(0, |board| std::ptr::from_ref(board).addr());
                let own = board(outer);
                assert_eq!(with_team(|inner| board(inner)), own);
                outer.share(20, |_| {
                    let within = with_team(|inner| {
                        let sum = AtomicUsize::new(0);
                        inner.share(10, |i| {
                            sum.fetch_add(i, Ordering::Relaxed);
                        });
                        assert_eq!(sum.into_inner(), 45);
                        board(inner)
                    });
                    assert_ne!(within, own);
                });
                assert_eq!(with_team(|inner| board(inner)), own);
            });
            assert!(LED.get().is_null());
        });
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn a_panic_in_an_item_reaches_the_caller() {
        let pool = pool(3);
        for round in 0..50 {
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                pool.install(|| {
                    with_helpers(2, |team| {
                        assert!(team.has_helpers());
                        team.share(40, |i| assert_ne!(i, round % 40));
                    });
                });
            }));
            assert!(result.is_err());
        }
    }

    /// Waits for something that other threads do; gives up where a test would hang.
    #[cfg(feature = "parallel")]
    fn comes_true(is_true: impl Fn() -> bool) -> bool {
        let begun = std::time::Instant::now();
        while !is_true() {
            if begun.elapsed().as_secs() > 60 {
                return false;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        true
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn helpers_sleep_while_there_is_nothing_to_do_and_come_back() {
        for threads in [2, 4, 8] {
            let done = pool(threads).install(|| {
                with_helpers(threads - 1, |team| {
                    let board = team.board.expect("a team with helpers");
                    for _ in 0..20 {
                        // All of them, or some would keep a core busy for as long as the leader works alone.
                        assert!(comes_true(|| board.sleepers.load(Ordering::SeqCst) == threads - 1), "{threads}");
                        let met = AtomicUsize::new(0);
                        // No item is done before all threads have one: each helper must have been woken.
                        team.share(threads, |_| {
                            met.fetch_add(1, Ordering::SeqCst);
                            assert!(comes_true(|| met.load(Ordering::SeqCst) == threads), "{threads}");
                        });
                    }
                    true
                })
            });
            assert!(done);
        }
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn there_are_no_more_helpers_than_cores() {
        let pool = pool(4 * cores());
        pool.install(|| {
            with_team(|team| {
                let Some(board) = team.board else {
                    assert_eq!(cores(), 1);
                    return;
                };
                assert!(comes_true(|| board.sleepers.load(Ordering::SeqCst) == cores() - 1));
                std::thread::sleep(std::time::Duration::from_millis(50));
                assert_eq!(board.sleepers.load(Ordering::SeqCst), cores() - 1);
            });
        });
    }
}
