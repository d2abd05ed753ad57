//! What the view and the simulation tell each other.
//!
//! Messages are plain data. A window passes them through a channel; a page sends them to a worker as bytes ([`encode`], [`decode`]).

mod command;
mod controls;
mod event;
mod frame;
mod layout;
mod wire;

pub use command::{Command, Sight, Thing};
pub use controls::{BodyControls, Change, Controls, SolverKind};
pub use event::{Event, Notice, Severity};
pub use frame::{Energies, Frame, LiquidSurface, Measured, Pose};
pub use layout::{BodyLayout, ColliderLayout, Coloring, Ground, Layout, Timeline, Viewpoint};
pub use wire::{WireError, decode, encode};
