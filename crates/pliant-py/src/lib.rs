//! The compiled half of the Python package `pliant`. The other half, in `python/pliant`, holds what a user describes (meshes,
//! materials, energies, solvers) as plain dataclasses and checks arrays; here they become engine types, and the engine runs.
//!
//! Nothing here computes: what Python needs of the engine, Rust users have too.

// Whether a world on a GPU may be used by several threads is asked of all that wgpu is made of.
#![recursion_limit = "256"]

mod arrays;
mod body;
mod change;
mod collide;
mod constraint;
mod custom;
mod energy;
mod error;
mod fluid;
mod gpu;
mod lattice;
mod matching;
mod material;
mod measure;
mod mesh;
mod picture;
mod presets;
mod problem;
mod report;
#[cfg(feature = "gpu")]
mod resident;
mod rod;
mod scene;
mod settings;
mod simulation;
mod solid;
mod store;
mod topology;
mod upsample;
mod wrinkle;

use pyo3::prelude::*;

#[pymodule]
fn _pliant(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("StepError", module.py().get_type::<error::StepError>())?;
    module.add_class::<simulation::Core>()?;
    module.add_class::<problem::Problem>()?;
    module.add_class::<report::StepReport>()?;
    module.add_class::<report::SolveReport>()?;
    module.add_class::<picture::Image>()?;
    module.add_class::<simulation::GrabHandle>()?;
    module.add_class::<upsample::Upsampling>()?;
    module.add_class::<wrinkle::Wrinkles>()?;
    module.add_function(wrap_pyfunction!(picture::render_picture, module)?)?;
    module.add_function(wrap_pyfunction!(picture::encode_gif, module)?)?;
    module.add_function(wrap_pyfunction!(constraint::long_range_threads, module)?)?;
    change::register(module)?;
    fluid::register(module)?;
    gpu::register(module)?;
    lattice::register(module)?;
    matching::register(module)?;
    measure::register(module)?;
    #[cfg(feature = "gpu")]
    resident::register(module)?;
    presets::register(module)?;
    rod::register(module)?;
    scene::register(module)?;
    store::register(module)?;
    topology::register(module)?;
    mesh::register(module)
}
