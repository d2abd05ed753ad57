//! All tests of scenes but those that limit memory: one program links once.

mod builtin;
mod colliders;
mod documentation;
mod engine_keys;
mod errors;
mod filled;
mod forces_and_ties;
mod gpu;
mod hostile;
mod limits;
mod plants;
mod presence;
mod presets;
mod resident;
mod riding;
mod solids_and_energies;
mod substeps;
mod tearing;
mod train;
mod wrinkles;
