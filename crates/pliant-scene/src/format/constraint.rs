//! `[[body.constraint]]`: constraints of the position-based solver, with the names that reports and `stiffness_of` use.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Select;

/// A constraint of the position-based solver. With `select`, it acts on the elements that have all their vertices
/// selected; without it, on all of them. A compliance is the inverse of a stiffness; 0, the default, is as stiff as the
/// iterations of a step allow. Classic position-based dynamics uses shares instead (`solver.position-based.stiffness`).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ConstraintSection {
    /// Keeps the lengths of edges.
    Distance {
        /// Which lengths are allowed; exactly the rest length by default.
        allowed: Option<AllowedName>,
        /// Compliance (m/N).
        compliance: Option<f64>,
        /// The edges.
        select: Option<Select>,
    },
    /// Keeps the angles between triangles.
    Dihedral {
        /// Compliance (rad²/J).
        compliance: Option<f64>,
        /// The pairs of triangles.
        select: Option<Select>,
    },
    /// Keeps pairs of triangles flat.
    IsometricBending {
        /// Compliance (1/J).
        compliance: Option<f64>,
        /// The pairs of triangles.
        select: Option<Select>,
    },
    /// Keeps the areas of triangles.
    AreaConstraint {
        /// Compliance (m⁴/J).
        compliance: Option<f64>,
        /// The triangles.
        select: Option<Select>,
    },
    /// Keeps the signed volumes of tets.
    VolumeConstraint {
        /// Compliance (m⁶/J).
        compliance: Option<f64>,
        /// The tets.
        select: Option<Select>,
    },
    /// Keeps triangles from stretching and shearing.
    #[serde(rename = "strain_constraint_2d")]
    StrainConstraint2d {
        /// Compliance (1/J).
        compliance: Option<f64>,
        /// The triangles.
        select: Option<Select>,
    },
    /// Keeps tets from stretching and shearing.
    #[serde(rename = "strain_constraint_3d")]
    StrainConstraint3d {
        /// Compliance (1/J).
        compliance: Option<f64>,
        /// The tets.
        select: Option<Select>,
    },
    /// Keeps the volume inside the body's closed surface at a multiple of its volume at rest, like the air in a balloon.
    Balloon {
        /// Volume over the volume at rest; 1 by default.
        pressure: Option<f64>,
        /// Compliance (m⁶/J).
        compliance: Option<f64>,
    },
    /// Keeps the shape of a set of vertices.
    ShapeMatching {
        /// Compliance (s²): 1/ω² for a set that oscillates at an angular frequency ω.
        compliance: Option<f64>,
        /// The vertices, at least two.
        select: Option<Select>,
    },
}

/// Which lengths an edge may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AllowedName {
    /// Only the rest length.
    #[default]
    Exactly,
    /// The rest length and longer ones.
    AtLeast,
    /// The rest length and shorter ones, like a thread.
    AtMost,
}

impl ConstraintSection {
    /// Its name in scene files.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Distance { .. } => "distance",
            Self::Dihedral { .. } => "dihedral",
            Self::IsometricBending { .. } => "isometric_bending",
            Self::AreaConstraint { .. } => "area_constraint",
            Self::VolumeConstraint { .. } => "volume_constraint",
            Self::StrainConstraint2d { .. } => "strain_constraint_2d",
            Self::StrainConstraint3d { .. } => "strain_constraint_3d",
            Self::Balloon { .. } => "balloon",
            Self::ShapeMatching { .. } => "shape_matching",
        }
    }

    /// The elements that it is for.
    pub(crate) fn select(&self) -> Option<&Select> {
        match self {
            Self::Distance { select, .. }
            | Self::Dihedral { select, .. }
            | Self::IsometricBending { select, .. }
            | Self::AreaConstraint { select, .. }
            | Self::VolumeConstraint { select, .. }
            | Self::StrainConstraint2d { select, .. }
            | Self::StrainConstraint3d { select, .. }
            | Self::ShapeMatching { select, .. } => select.as_ref(),
            Self::Balloon { .. } => None,
        }
    }

    pub(crate) fn compliance(&self) -> Option<f64> {
        match *self {
            Self::Distance { compliance, .. }
            | Self::Dihedral { compliance, .. }
            | Self::IsometricBending { compliance, .. }
            | Self::AreaConstraint { compliance, .. }
            | Self::VolumeConstraint { compliance, .. }
            | Self::StrainConstraint2d { compliance, .. }
            | Self::StrainConstraint3d { compliance, .. }
            | Self::Balloon { compliance, .. }
            | Self::ShapeMatching { compliance, .. } => compliance,
        }
    }
}
