//! A scene that nobody vouches for, read, built and run for two frames under a watch for time and memory.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use pliant_scene::{Scene, SceneError};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Many times what the slowest takes on a machine that does nothing else.
const LONGEST: Duration = Duration::from_secs(30);
/// Memory of one trial at most \[bytes\].
const MOST_MEMORY: usize = 1 << 30;
/// Vertices that a scene may ask for.
const MOST_VERTICES: u64 = 20_000;
/// Words of Rust that have no place in what a user reads.
const RUST_WORDS: &[&str] = &[
    "f64",
    "f32",
    "usize",
    "u32",
    "u64",
    "i64",
    "Some(",
    "None",
    "Ok(",
    "Err(",
    "Vec<",
    "struct ",
    "enum ",
    "variant",
    "a sequence",
    "a map",
    "boolean",
    "Section",
    "unwrap",
    "panicked",
    "index out of bounds",
    "floating point",
];

/// What became of a scene.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// It was refused when read or built.
    Refused(String),
    /// A step was refused.
    Failed(String),
    /// It ran.
    Ran,
    /// What must not be: a panic, a hang, too much memory, an error without a place.
    Bug(String),
}

/// The folder that paths in the scenes are relative to.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile_keys/scenes")
}

/// Tries a text; the watch is kept by the caller's thread.
pub(crate) fn try_scene(text: &str) -> Outcome {
    let (send, receive) = channel();
    let own = text.to_owned();
    let before = MEMORY.current_usage();
    let begun = Instant::now();
    let work = move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&own)));
        let outcome = outcome.unwrap_or_else(|panic| {
            let said = panic.downcast_ref::<String>().cloned();
            let said = said.or_else(|| panic.downcast_ref::<&str>().map(|said| (*said).to_owned()));
            Outcome::Bug(format!("panics: {}", said.unwrap_or_default()))
        });
        // Nobody listens any more after a hang.
        drop(send.send(outcome));
    };
    std::thread::spawn(work);
    loop {
        match receive.recv_timeout(Duration::from_millis(20)) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Disconnected) => return Outcome::Bug("its thread died".to_owned()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let used = MEMORY.current_usage().saturating_sub(before);
        if used > MOST_MEMORY {
            return Outcome::Bug(format!("takes {} MiB", used >> 20));
        }
        if begun.elapsed() > LONGEST {
            return Outcome::Bug(format!("hangs for {LONGEST:?}"));
        }
    }
}

fn run(text: &str) -> Outcome {
    let file = folder().join("hostile.toml");
    let refused = |error: SceneError| match fault_of(text, &error) {
        Some(fault) => Outcome::Bug(format!("{fault}: {error}")),
        None => Outcome::Refused(error.to_string()),
    };
    let scene = match Scene::parse(&file.to_string_lossy(), text, &[]) {
        Ok(scene) => scene.with_most_vertices(MOST_VERTICES),
        Err(error) => return refused(error),
    };
    let mut run = match scene.build() {
        Ok(run) => run,
        Err(error) => return refused(error),
    };
    for _ in 0..2 {
        if let Err(error) = run.next_frame() {
            let said = error.to_string();
            return match has_rust_words(&said) {
                Some(word) => Outcome::Bug(format!("an error says {word:?}: {said}")),
                None => Outcome::Failed(said),
            };
        }
    }
    if run.sim.positions().iter().any(|p| !p.is_finite()) {
        return Outcome::Bug("ends at positions that are not finite".to_owned());
    }
    drop(run.stored_frame());
    drop(run.verdicts());
    Outcome::Ran
}

/// What is wrong with an error, if something is.
fn fault_of(text: &str, error: &SceneError) -> Option<String> {
    let Some((line, column)) = error.place else { return Some("an error has no place".to_owned()) };
    // Errors in an included file name that.
    if error.file.file_name().is_some_and(|name| name == "hostile.toml") {
        let length = text.lines().nth(line - 1).map_or(0, |line| line.chars().count());
        if line > text.lines().count() + 1 || column > length + 1 {
            return Some(format!("{line}:{column} is no place"));
        }
    }
    if error.message.is_empty() {
        return Some("an error says nothing".to_owned());
    }
    has_rust_words(&error.message).map(|word| format!("an error says {word:?}"))
}

fn has_rust_words(message: &str) -> Option<&'static str> {
    RUST_WORDS.iter().copied().find(|word| message.contains(word))
}
