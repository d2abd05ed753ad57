//! Measurements of a simulation.
//!
//! | file | measures |
//! |---|---|
//! | `report` | energies, momenta, the offending element |
//! | `readings` | stretches of elements, forces at pins, weights of examples, pressures of fluids |

pub(crate) mod readings;
pub(crate) mod report;
