//! The world as data: bodies on their way in, the model that they become, its state, how it changes.
//!
//! | file | holds |
//! |---|---|
//! | `body` | a body on its way into a world |
//! | `garment` | cloth that was cut flat and sewn |
//! | `assemble` | bodies as flat arrays, on their way into a model |
//! | `mass` | the mass matrix |
//! | `model` | what does not change during a step |
//! | `state` | what changes: positions, velocities, channels of matter; what the user has set |
//! | `topology` | bodies that tear and are cut: how the next model differs |
//! | `fingerprint` | what tells the models of checkpoints apart |
//! | `crossing` | where surfaces pass through each other |
//! | `checkpoint` | a saved moment as bytes |
//! | `error` | why bodies do not make a world |

pub(crate) mod assemble;
pub(crate) mod body;
pub(crate) mod checkpoint;
pub(crate) mod crossing;
pub(crate) mod error;
pub(crate) mod fingerprint;
pub(crate) mod garment;
pub(crate) mod mass;
pub(crate) mod model;
pub(crate) mod state;
pub(crate) mod topology;
