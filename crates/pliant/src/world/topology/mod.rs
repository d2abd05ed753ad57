//! Tearing and cutting: a model does not change during a step, but between steps another one may replace it.
//!
//! | file | answers |
//! |---|---|
//! | [`Cells`] | the cells of a body, and how it separates at facets |
//! | [`Change`] | how the next model differs: new vertices with their origins, cells that are attached to other vertices, cells that were divided |
//! | `images` | where an element is after a change |
//! | `apply` | the next model: masses, energies, pins, surfaces |
//! | `rims` | how the rims of a crack get room between them, in a world with self-collision |
//! | [`Tearing`], `crack` | which cells fail, and at which facets they part |
//! | [`Cut`], `refine` | cutting along a line, through cells |
//!
//! New vertices come at the end of their body, so that the vertices of a body keep their numbers; the vertices of later
//! bodies get higher numbers. Tearing conserves mass, momentum, positions and velocities; cutting through triangles
//! also conserves mass and momentum, since velocities are linear on a triangle. The matrix is factored again.

mod apply;
mod cells;
mod change;
mod crack;
mod cut;
mod fabric;
mod images;
mod refine;
mod rims;
mod tearing;

pub(crate) use apply::{Sources, apply, parts_of};
pub use cells::Cells;
pub use change::{Change, Origin};
pub(crate) use crack::{Split, splits};
pub use cut::{Cut, CutReport};
pub(crate) use fabric::{Fabric, Substance};
pub(crate) use refine::Refined;
pub(crate) use rims::part_rims;
pub(crate) use tearing::check_tearing;
pub use tearing::{Seam, TearThreshold, Tearing};

use thiserror::Error;

use crate::energy::EnergyError;
use crate::mesh::MeshError;
use crate::world::error::ModelError;

/// Why a body cannot be torn or cut.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TopologyError {
    /// There is no body of that name.
    #[error("there is no body {0:?}")]
    NoSuchBody(String),
    /// The body has nothing that could tear.
    #[error(
        "body {body:?} has no triangles, tets or segments that could tear: bodies of cloth, solid and strand materials do, and shape matching breaks by its toughness"
    )]
    NoCells {
        /// Body.
        body: String,
    },
    /// An energy, or the matter of a body, does not support tearing and cutting.
    #[error("{}{kind:?} cannot be torn or cut; cloth, solid and strand materials can", in_body(body.as_deref()))]
    Unsupported {
        /// Body; none for attachments between bodies.
        body: Option<String>,
        /// Kind of energy, or of matter.
        kind: &'static str,
    },
    /// An energy is not part of the material, so it is not defined on a part of a triangle.
    #[error(
        "body {body:?}: the cut would divide elements of {kind:?}, which was added to its material: leave out those that the cut meets, or add springs instead, which can be cut"
    )]
    Divided {
        /// Body.
        body: String,
        /// What would be divided.
        kind: &'static str,
    },
    /// Only cloth can be cut.
    #[error("body {body:?} is not cloth; only cloth can be cut, and other bodies can be given tearing")]
    NotCloth {
        /// Body.
        body: String,
    },
    /// A surface with self-collision is so crowded that there is no room between the rims of a crack.
    #[error("body {body:?} cannot tear at {}: the rims would touch or pass through a surface", first_few(vertices))]
    NoRoom {
        /// Body.
        body: String,
        /// Its vertices that would tear.
        vertices: Vec<u32>,
    },
    /// A parameter is out of range.
    #[error("{name} is {value}, but must be {need}")]
    BadParameter {
        /// Name of the parameter.
        name: &'static str,
        /// The given value.
        value: f64,
        /// The required range.
        need: &'static str,
    },
    /// A seam names an edge that the body does not have.
    #[error("body {body:?} has no edge of a triangle between vertices {a} and {b} for a seam")]
    NoSuchEdge {
        /// Body.
        body: String,
        /// One end.
        a: u32,
        /// The other.
        b: u32,
    },
    /// A force is given for a body without a material that converts strains to forces.
    #[error("body {body:?} has no material that converts strains to forces; give a stretch at which it tears")]
    NoMaterial {
        /// Body.
        body: String,
    },
    /// There would be too many vertices.
    #[error("the world would have {count} vertices, more than the {limit} that can be numbered")]
    TooLarge {
        /// Vertices.
        count: usize,
        /// Limit.
        limit: usize,
    },
    /// The parts do not make a valid world, for example because surfaces intersect.
    #[error(transparent)]
    Model(Box<ModelError>),
    /// The parts do not make a valid mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The material does not support the parts.
    #[error("body {body:?}: {error}")]
    Energy {
        /// Body.
        body: String,
        /// What is wrong.
        error: Box<EnergyError>,
    },
}

impl TopologyError {
    /// Name of the body that causes the error, if there is one.
    pub fn body(&self) -> Option<&str> {
        match self {
            Self::NoSuchBody(body)
            | Self::NoCells { body }
            | Self::Divided { body, .. }
            | Self::NotCloth { body }
            | Self::NoRoom { body, .. }
            | Self::NoSuchEdge { body, .. }
            | Self::NoMaterial { body }
            | Self::Energy { body, .. } => Some(body),
            Self::Unsupported { body, .. } => body.as_deref(),
            Self::Model(error) => error.body(),
            Self::BadParameter { .. } | Self::TooLarge { .. } | Self::Mesh(_) => None,
        }
    }
}

/// The first few of a list of vertices.
fn first_few(vertices: &[u32]) -> String {
    let named: Vec<String> = vertices.iter().take(3).map(ToString::to_string).collect();
    let more = if vertices.len() > 3 { ", …" } else { "" };
    format!("vertex {}{more}", named.join(", "))
}

fn in_body(body: Option<&str>) -> String {
    body.map_or_else(|| "attachments: ".to_owned(), |body| format!("body {body:?}: "))
}
