//! Training of detail: a coarse scene runs, and beside it a fine cloth that tracks it; from both, models learn what the fine
//! one shows.
//!
//! | file | answers |
//! |---|---|
//! | `plan.rs` | what a scene asks for, checked: meshes, motions, methods |
//! | `carry.rs` | movements of pins, handles and colliders |
//! | `random.rs` | smooth random forces and movements |
//! | `averages.rs` | which averages of the fine cloth follow the coarse one |
//! | `tracked.rs` | both cloths in step with each other |
//! | `sequence.rs` | motions on disk, resumable |
//! | `score.rs` | errors of methods beside the fine simulation |

mod averages;
mod carry;
mod error;
mod plan;
mod random;
mod score;
mod sequence;
mod tracked;

pub use error::TrainError;
pub use plan::{Training, TrainingMotion};
pub(crate) use random::RandomField;
pub use score::{Score, Shown, Total, frame_errors};
pub use sequence::{generate, load, record};
pub use tracked::TrackedRun;
