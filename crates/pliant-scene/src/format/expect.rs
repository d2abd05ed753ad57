//! `[[expect]]`: expectations.

use schemars::JsonSchema;
use serde::Deserialize;

/// An assertion on a quantity. Give `below`, `above`, or both.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectSection {
    /// The quantity to measure.
    pub quantity: Quantity,
    /// The body; the whole world by default.
    pub body: Option<String>,
    /// When it is checked; at the end by default.
    #[serde(default)]
    pub at: Moment,
    /// The quantity must be less than this.
    pub below: Option<f64>,
    /// The quantity must be more than this.
    pub above: Option<f64>,
}

/// Quantities of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Largest ratio of an edge's length to its rest length.
    MaxStretch,
    /// Smallest ratio of an edge's length to its rest length.
    MinStretch,
    /// Mean ratio of an edge's length to its rest length.
    MeanStretch,
    /// Height of the lowest vertex (m).
    Lowest,
    /// Height of the highest vertex (m).
    Highest,
    /// Largest speed of a vertex (m/s).
    MaxSpeed,
    /// Kinetic energy of the world (J).
    KineticEnergy,
    /// Elastic energy of the world (J).
    ElasticEnergy,
    /// Kinetic, elastic and gravitational energy of the world (J).
    TotalEnergy,
    /// Number of edges that pass through a triangle, of all bodies.
    Intersections,
    /// Depth of the deepest vertex in a collider (m); 0 if none is inside.
    Penetration,
    /// Number of vertices that press against colliders.
    Contacts,
    /// Share of the weight that colliders carry: the component of their forces against gravity, divided by the weight.
    CarriedWeight,
    /// Share of the world's weight that pins carry: the component of their forces against gravity, divided by the weight.
    PinnedWeight,
    /// Smallest distance between two elements without a common vertex (m), of all bodies.
    LeastGap,
    /// Number of connected pieces.
    Pieces,
    /// Number of vertices that tearing and cutting have added.
    Torn,
    /// Largest strain of an edge of a wrinkle mesh; 0 if there is none.
    MaxWrinkleStrain,
    /// x of the centre of mass (m).
    CentreX,
    /// y of the centre of mass (m).
    CentreY,
    /// z of the centre of mass (m).
    CentreZ,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Self; 21] = [
        Self::MaxStretch,
        Self::MinStretch,
        Self::MeanStretch,
        Self::Lowest,
        Self::Highest,
        Self::MaxSpeed,
        Self::KineticEnergy,
        Self::ElasticEnergy,
        Self::TotalEnergy,
        Self::Intersections,
        Self::Penetration,
        Self::Contacts,
        Self::CarriedWeight,
        Self::PinnedWeight,
        Self::LeastGap,
        Self::Pieces,
        Self::Torn,
        Self::MaxWrinkleStrain,
        Self::CentreX,
        Self::CentreY,
        Self::CentreZ,
    ];

    /// Its name in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxStretch => "max-stretch",
            Self::MinStretch => "min-stretch",
            Self::MeanStretch => "mean-stretch",
            Self::Lowest => "lowest",
            Self::Highest => "highest",
            Self::MaxSpeed => "max-speed",
            Self::KineticEnergy => "kinetic-energy",
            Self::ElasticEnergy => "elastic-energy",
            Self::TotalEnergy => "total-energy",
            Self::Intersections => "intersections",
            Self::Penetration => "penetration",
            Self::Contacts => "contacts",
            Self::CarriedWeight => "carried-weight",
            Self::PinnedWeight => "pinned-weight",
            Self::LeastGap => "least-gap",
            Self::Pieces => "pieces",
            Self::Torn => "torn",
            Self::MaxWrinkleStrain => "max-wrinkle-strain",
            Self::CentreX => "centre-x",
            Self::CentreY => "centre-y",
            Self::CentreZ => "centre-z",
        }
    }
}

/// When an expectation is checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Moment {
    /// After the last frame.
    #[default]
    End,
    /// After every frame.
    Always,
    /// After at least one frame.
    Once,
}
