//! The world as data: bodies that the user adds, the model that is built from them, its state, and how it changes.
//!
//! | file | holds |
//! |---|---|
//! | `body` | a body to add to a world |
//! | `garment` | cloth that was cut flat and sewn |
//! | `assemble` | joins bodies to the flat arrays of a model |
//! | `mass` | the mass matrix |
//! | `model` | what does not change during a step |
//! | `lists` | the long lists of a model, which a world that grows takes over |
//! | `group` | a model of some bodies of a world |
//! | `islands` | bodies that hang together, and with no others |
//! | `state` | what changes: positions, velocities, channels of matter; what the user has set |
//! | `topology` | tearing and cutting: how the next model differs |
//! | `fingerprint` | a number that distinguishes the models of checkpoints |
//! | `crossing` | where surfaces pass through each other |
//! | `slots` | stable handles |
//! | `checkpoint` | a saved state as bytes |
//! | `error` | why a world cannot be built |

pub(crate) mod assemble;
pub(crate) mod body;
pub(crate) mod checkpoint;
pub(crate) mod crossing;
pub(crate) mod error;
pub(crate) mod fingerprint;
pub(crate) mod garment;
pub(crate) mod group;
pub(crate) mod islands;
pub(crate) mod lists;
pub(crate) mod mass;
pub(crate) mod model;
pub(crate) mod slots;
pub(crate) mod state;
pub(crate) mod topology;
