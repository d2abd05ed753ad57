//! The curtain of [Liu 2013]: a square metre of cloth that weighs a kilogram, with structural, shear and skip-one springs,
//! let go flat and held at two corners. 80 cells give the paper's 6561 vertices and 32158 springs.

use pliant::mesh::generate::Shear;
use pliant::mesh::{Edge, MeshError};
use pliant::prelude::*;

use crate::ReproduceError;
use crate::one_thread::clock;

/// Mass per area \[kg/m²\]: 1 kg on 1 m² [Liu 2013, §5].
pub(crate) const DENSITY: f64 = 1.0;
/// Time step of the paper \[s\].
pub(crate) const TIME_STEP: f64 = 1.0 / 30.0;

/// A curtain of springs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Curtain {
    /// Cells along each side.
    pub(crate) cells: usize,
    /// Stiffness of each spring \[N/m\].
    pub(crate) stiffness: f64,
}

impl Curtain {
    pub(crate) fn sheet(&self) -> Sheet {
        Sheet { columns: self.cells, rows: self.cells, plane: Plane::Xz, ..Sheet::default() }
    }

    pub(crate) fn springs(&self) -> Result<Vec<Edge>, MeshError> {
        let sheet = self.sheet();
        let mut springs = sheet.structural_edges()?;
        springs.extend(sheet.shear_edges(Shear::Single)?);
        springs.extend(sheet.skip_one_edges()?);
        Ok(springs)
    }

    /// The body, not yet held.
    pub(crate) fn body(&self) -> Result<Body, ReproduceError> {
        Ok(Body::mass_spring(&self.sheet().mesh()?, DENSITY, self.springs()?, self.stiffness)?)
    }

    /// Held at the two corners of one edge.
    pub(crate) fn held(&self) -> Result<Body, ReproduceError> {
        let sheet = self.sheet();
        Ok(self.body()?.pin([sheet.vertex(0, 0), sheet.vertex(self.cells, 0)]))
    }

    /// On one thread, with its processor time as the clock.
    pub(crate) fn simulation(&self, solver: impl Into<SolverChoice>) -> Result<Simulation, ReproduceError> {
        let builder = Simulation::builder().body(self.held()?).time_step(TIME_STEP).solver(solver);
        Ok(builder.threads(1).clock(clock()).build()?)
    }
}
