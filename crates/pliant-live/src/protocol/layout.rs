//! What there is to draw.

use serde::{Deserialize, Serialize};

/// What the colours of bodies show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Coloring {
    /// Which body it is.
    #[default]
    Body,
    /// The largest principal strain \[%\].
    Strain,
    /// The speed \[m/s\].
    Speed,
}

impl Coloring {
    /// All of them, as a menu lists them.
    pub const ALL: [Self; 3] = [Self::Body, Self::Strain, Self::Speed];

    /// Its name in a menu, with the unit.
    pub fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Strain => "strain [%]",
            Self::Speed => "speed [m/s]",
        }
    }
}

/// What is seen of a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BodyLayout {
    /// Its name.
    pub name: String,
    /// Its colour, sRGB: in front, and on the back of sheets.
    pub color: [[u8; 3]; 2],
    /// Its surface, counter-clockwise from the front; vertices as frames number them.
    pub triangles: Vec<[u32; 3]>,
    /// Pieces of its strands.
    pub segments: Vec<[u32; 2]>,
    /// Vertices that are balls.
    pub points: Vec<u32>,
    /// Half the thickness of strands, and the radius of balls \[m\].
    pub radius: f32,
    /// Whether it is a fluid: frames have its surface, and `points` are its particles.
    pub is_fluid: bool,
}

/// A collider, about its own origin; frames say where it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColliderLayout {
    /// Its colour, sRGB.
    pub color: [u8; 3],
    /// Its corners \[m\].
    pub positions: Vec<[f32; 3]>,
    /// Its surface.
    pub triangles: Vec<[u32; 3]>,
    /// Whether it is an endless plane, of which `positions` are a part: seen from the front only.
    pub is_plane: bool,
}

/// The ground that shadows fall on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ground {
    /// Its height \[m\].
    pub height: f32,
    /// Its colour, sRGB.
    pub color: [u8; 3],
    /// Distance between its lines \[m\].
    pub spacing: f32,
}

/// A camera to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Viewpoint {
    /// Where it is \[m\]; without it, as far away as it must be to see `bounds`.
    pub eye: Option<[f64; 3]>,
    /// What is in the middle of the picture \[m\].
    pub target: [f64; 3],
    /// Where it looks, if it is not at a place.
    pub direction: [f64; 3],
    /// What is up in the picture.
    pub up: [f64; 3],
    /// Vertical field of view \[rad\].
    pub field_of_view: f64,
}

/// The frames of a stored run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Numbers of the frames that are there, ascending.
    pub frames: Vec<u64>,
    /// Frames per second \[1/s\].
    pub rate: f64,
}

/// What there is to draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// What it is called: the name of the scene or of the folder.
    pub name: String,
    /// Counts layouts: a frame is of the layout with its number.
    pub number: u64,
    /// Whether another world was opened, so that the camera should look at it anew.
    pub is_new: bool,
    /// Number of vertices in a frame.
    pub vertices: u32,
    /// Bodies.
    pub bodies: Vec<BodyLayout>,
    /// Colliders.
    pub colliders: Vec<ColliderLayout>,
    /// The ground.
    pub ground: Ground,
    /// The box around the world at the start: lowest and highest corner \[m\].
    pub bounds: [[f64; 3]; 2],
    /// The camera to begin with.
    pub viewpoint: Viewpoint,
    /// The frames, if this is a stored run.
    pub timeline: Option<Timeline>,
}
