//! What can be wrong with the data of an energy.

use thiserror::Error;

/// Bad data of an energy; names the element and the value.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EnergyError {
    /// A stencil refers to a vertex that does not exist.
    #[error("{kind} {element} uses vertex {vertex}, but there are only {count} vertices")]
    IndexOutOfRange {
        /// Energy.
        kind: &'static str,
        /// Element.
        element: usize,
        /// The vertex.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A stencil contains a vertex twice.
    #[error("{kind} {element} uses vertex {vertex} twice")]
    RepeatedVertex {
        /// Energy.
        kind: &'static str,
        /// Element.
        element: usize,
        /// The repeated vertex.
        vertex: u32,
    },
    /// A rest element is too flat or too small to measure strain on it.
    #[error("{kind} {element} is degenerate at rest ({measure} {value:e})")]
    Degenerate {
        /// Energy.
        kind: &'static str,
        /// Element.
        element: usize,
        /// What was measured.
        measure: &'static str,
        /// Its value.
        value: f64,
    },
    /// A value of an element is out of range.
    #[error("{kind} {element}: {name} is {value}, but must be {need}")]
    BadValue {
        /// Energy.
        kind: &'static str,
        /// Element.
        element: usize,
        /// Name of the value.
        name: &'static str,
        /// The given value.
        value: f64,
        /// The required range.
        need: &'static str,
    },
    /// A mass for measuring distances is out of range.
    #[error("{kind}: the mass of vertex {vertex} is {mass} kg, but must be finite and positive")]
    BadMass {
        /// Energy.
        kind: &'static str,
        /// Vertex.
        vertex: usize,
        /// Its mass \[kg\].
        mass: f64,
    },
    /// A parameter of the whole energy is out of range.
    #[error("{kind}: {name} is {value}, but must be {need}")]
    BadParameter {
        /// Energy.
        kind: &'static str,
        /// Name of the parameter.
        name: &'static str,
        /// The given value.
        value: f64,
        /// The required range.
        need: &'static str,
    },
    /// Two lists that must have the same length do not.
    #[error("{kind}: {name} has {found} entries, but {expected} are needed")]
    LengthMismatch {
        /// Energy.
        kind: &'static str,
        /// Name of the list.
        name: &'static str,
        /// Its length.
        found: usize,
        /// The length needed.
        expected: usize,
    },
    /// The mesh of the energy is unusable.
    #[error(transparent)]
    Mesh(#[from] crate::mesh::MeshError),
}

/// Refuses a parameter that is not a finite number of at least zero.
pub(super) fn require_non_negative(kind: &'static str, name: &'static str, value: f64) -> Result<(), EnergyError> {
    require(kind, name, value, "finite and not negative", value.is_finite() && value >= 0.0)
}

/// Refuses a parameter for which `holds` is false.
pub(super) fn require(
    kind: &'static str,
    name: &'static str,
    value: f64,
    need: &'static str,
    holds: bool,
) -> Result<(), EnergyError> {
    if holds { Ok(()) } else { Err(EnergyError::BadParameter { kind, name, value, need }) }
}

/// Refuses bounds that are not 0 ≤ low ≤ high (high may be infinite) or that exclude everything.
pub(super) fn require_bounds(kind: &'static str, low: f64, high: f64) -> Result<(), EnergyError> {
    require(kind, "lower limit", low, "at least 0 and finite", low.is_finite() && low >= 0.0)?;
    require(kind, "upper limit", high, "positive and not below the lower limit", high >= low && high > 0.0)
}
