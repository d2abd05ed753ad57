//! What the simulation tells the view.

use serde::{Deserialize, Serialize};

use super::controls::Controls;
use super::frame::Frame;
use super::layout::Layout;

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Severity {
    /// Something was done.
    Info,
    /// Something could not be done; all goes on.
    Refused,
    /// The simulation stands still until it is reset or another scene is opened.
    Stopped,
}

/// Something to tell the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// How much it matters.
    pub severity: Severity,
    /// The text, in the engine's words.
    pub text: String,
    /// Line and column in the scene, from 1, if it is about one.
    pub place: Option<(u32, u32)>,
    /// What may help.
    pub hint: Option<String>,
}

/// What the simulation tells the view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// What there is to draw: comes first, and again whenever that changes. Later frames are of it.
    Layout(Box<Layout>),
    /// Where everything is.
    Frame(Box<Frame>),
    /// Where the sliders stand: comes after the layout, and whenever that changes.
    Controls(Box<Controls>),
    /// A finger holds something.
    Grabbed {
        /// The finger.
        pointer: u64,
        /// What it holds: the name of the body.
        body: String,
        /// The vertex, as frames number them.
        vertex: u32,
        /// Where it was met \[m\].
        point: [f64; 3],
    },
    /// A finger points at nothing that could be held, or what it held has gone.
    Released {
        /// The finger.
        pointer: u64,
    },
    /// Something to tell the user.
    Notice(Notice),
}
