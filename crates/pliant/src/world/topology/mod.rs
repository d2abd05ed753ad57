//! Bodies that come apart: a model does not change during a step, but between steps another may take its place.
//!
//! | file | answers |
//! |---|---|
//! | [`Cells`] | what holds a body together, and how it falls apart at facets |
//! | [`Change`] | how the next model differs: new vertices with their origins, cells at other vertices, cells that were divided |
//! | `images` | where an element is after a change |
//! | `apply` | the next model: masses, energies, pins, surfaces |
//! | `rims` | how the rims of a crack get room between them, in a world with self-collision |
//! | [`Tearing`], `crack` | which cells fail, and at which facets they part |
//! | [`Cut`], `refine` | cutting along a line, through cells |
//!
//! New vertices come at the end of their body, so that the numbers of a body's vertices stay what they were; the vertices of later bodies
//! move up. Mass, momentum, positions and velocities are kept by parting; cutting through triangles also keeps mass and
//! momentum, since velocities are linear on a triangle. The matrix is factored anew.

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
    /// The body has nothing that could part.
    #[error("body {body:?} has no triangles, tets or segments that could part")]
    NoCells {
        /// Body.
        body: String,
    },
    /// An energy, or what a body is made of, cannot follow.
    #[error("{}{kind:?} cannot be torn or cut", in_body(body.as_deref()))]
    Unsupported {
        /// Body; none for attachments between bodies.
        body: Option<String>,
        /// Kind of energy, or of matter.
        kind: &'static str,
    },
    /// An energy is not the material's, so that nobody knows what it is on a part of a triangle.
    #[error("body {body:?}: {kind} would have to be divided, which only what a cloth's material gives can be")]
    Divided {
        /// Body.
        body: String,
        /// What would have to be divided.
        kind: &'static str,
    },
    /// Only cloth can be cut.
    #[error("body {body:?} is no cloth; only cloth can be cut")]
    NotCloth {
        /// Body.
        body: String,
    },
    /// A surface that is kept from itself is so crowded that the rims of a crack have no room between them.
    #[error("body {body:?} cannot part at {}: the rims would touch or pass through a surface", first_few(vertices))]
    NoRoom {
        /// Body.
        body: String,
        /// Its vertices that would have to part.
        vertices: Vec<u32>,
    },
    /// A parameter is out of range.
    #[error("{name} is {value}, but must be {need}")]
    BadParameter {
        /// Which parameter.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What is needed.
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
    /// A force is given for a body whose material does not say how strains become forces.
    #[error("body {body:?} has no material that would turn strains into forces; give a stretch to tear at")]
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
    /// The parts make no world, as where surfaces that are kept apart intersect.
    #[error(transparent)]
    Model(Box<ModelError>),
    /// The parts make no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The material makes nothing of the parts.
    #[error("body {body:?}: {error}")]
    Energy {
        /// Body.
        body: String,
        /// What is wrong.
        error: Box<EnergyError>,
    },
}

impl TopologyError {
    /// Name of the body that is at fault, if it is one.
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
