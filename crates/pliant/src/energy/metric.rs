//! Coordinates in which hinges and springs measure the distance to their constraint set [Bouaziz 2014, §3.3 and §4.2].

use super::EnergyError;

/// Coordinates in which the distance to the constraint set is measured, A in w/2 ‖A x − B p‖².
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Metric {
    /// One vertex subtracted from the others (default).
    #[default]
    VertexSubtracted,
    /// The mean of the stencil subtracted.
    MeanSubtracted,
    /// Absolute positions, A = I: slow, since changes travel one element per iteration.
    Identity,
    /// Absolute positions weighted by the square roots of these masses \[kg\] of all vertices, A = M^½, as in position-based dynamics.
    Mass(Vec<f64>),
}

impl Metric {
    /// Refuses masses that are not one positive number for each vertex.
    pub(super) fn check(&self, kind: &'static str, vertices: usize) -> Result<(), EnergyError> {
        let Self::Mass(masses) = self else { return Ok(()) };
        let (found, expected) = (masses.len(), vertices);
        if found != expected {
            return Err(EnergyError::LengthMismatch { kind, name: "masses", found, expected });
        }
        match masses.iter().position(|mass| !(mass.is_finite() && *mass > 0.0)) {
            None => Ok(()),
            Some(vertex) => Err(EnergyError::BadMass { kind, vertex, mass: masses[vertex] }),
        }
    }
}
