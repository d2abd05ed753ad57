//! What the view asks of the simulation.

use serde::{Deserialize, Serialize};

use super::controls::Change;
use super::layout::Coloring;

/// A line of sight, from the eye through a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sight {
    /// Where it starts \[m\].
    pub origin: [f64; 3],
    /// Where it goes; of any length but 0.
    pub direction: [f64; 3],
}

/// A body that can be dropped into a running world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Thing {
    /// A soft ball.
    Ball,
    /// A soft cube.
    Cube,
    /// A square of cloth, lying flat.
    Cloth,
    /// A rope, lying stretched out.
    Rope,
}

impl Thing {
    /// All of them, as a menu lists them.
    pub const ALL: [Self; 4] = [Self::Ball, Self::Cube, Self::Cloth, Self::Rope];

    /// Its name in a menu.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ball => "ball",
            Self::Cube => "cube",
            Self::Cloth => "cloth",
            Self::Rope => "rope",
        }
    }
}

/// What the view asks of the simulation. What cannot be done is answered by an [`Event::Notice`](super::Event::Notice), and changes nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Replaces what runs by the scene of a text. If there is an error in it, what runs goes on.
    Open {
        /// The file name in errors.
        name: String,
        /// The scene, as TOML.
        text: String,
    },
    /// Runs, or stands still.
    Play(bool),
    /// Takes one step, and then stands still. In a stored run: shows the next frame.
    Step,
    /// Begins anew.
    Reset,
    /// Seconds of the world in one second of ours; 1 at first.
    Speed(f64),
    /// Holds what a line of sight meets first; answered by [`Event::Grabbed`](super::Event::Grabbed). Each finger has its number.
    Grab {
        /// The finger; 0 is the mouse.
        pointer: u64,
        /// Where it points.
        sight: Sight,
        /// Thin things are met within this distance of the line \[m\].
        radius: f64,
    },
    /// Moves what a finger holds.
    Drag {
        /// The finger.
        pointer: u64,
        /// Where the vertex is pulled \[m\].
        target: [f64; 3],
    },
    /// Lets go what a finger holds.
    Release {
        /// The finger.
        pointer: u64,
    },
    /// Cuts what the stroke passes over, along the planes between successive lines of sight.
    Cut {
        /// Two lines of sight or more.
        stroke: Vec<Sight>,
    },
    /// Lets something fall in, where a line of sight meets something, or above the middle of the world.
    Drop {
        /// What falls.
        thing: Thing,
        /// Where.
        sight: Sight,
    },
    /// Moves a slider.
    Change(Change),
    /// Chooses what colours show.
    Color(Coloring),
    /// Goes to a frame of a stored run.
    Seek(u64),
    /// A frame was taken in, by its [`number`](super::Frame::number): the next may be sent. Without this, frames would pile up before a view that is slow.
    Shown(u64),
}
