//! Measurements of a simulation.
//!
//! | file | measures |
//! |---|---|
//! | `report` | energies, momenta, the offending element |
//! | `picking` | which vertex a ray points at |
//! | `render` | positions and normals for drawing |
//! | `readings` | stretches of elements, forces at pins, weights of examples, pressures of fluids |

pub(crate) mod picking;
pub(crate) mod readings;
pub(crate) mod render;
pub(crate) mod report;
