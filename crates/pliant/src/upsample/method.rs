//! The three methods with their parameters.

use super::error::{UpsampleError, in_range};

/// How detail follows from the coarse shape.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Method {
    /// Weighted pose-space deformation: a mixture of a few example poses, by the local strain.
    Wpsd(WpsdParams),
    /// Polynomial displacement maps: a biquadratic polynomial of two numbers of the local deformation.
    Pdm(PdmParams),
    /// Physics-inspired upsampling: a linear function of the coarse positions nearby, with oscillations if asked.
    Piu(PiuParams),
}

impl Method {
    /// Short name: `"wpsd"`, `"pdm"` or `"piu"`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Wpsd(_) => "wpsd",
            Self::Pdm(_) => "pdm",
            Self::Piu(_) => "piu",
        }
    }

    /// Whether all parameters are within their ranges.
    pub fn check(&self) -> Result<(), UpsampleError> {
        match self {
            Self::Wpsd(params) => params.check(),
            Self::Pdm(params) => params.check(),
            Self::Piu(params) => params.check(),
        }
    }
}

/// Parameters of weighted pose-space deformation.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WpsdParams {
    /// Poses at most, the rest shape among them if that is one; 6 by default, up to 64.
    pub poses: usize,
    /// No more poses are added once the root mean square error over the training data is below this \[m\]; 0 by default.
    pub tolerance: f64,
    /// Whether the rest shape is the first pose, so that a coarse mesh at rest has a fine one at rest; true by default.
    pub rest_pose: bool,
    /// Whether weights are made convex: none negative, and their sum one; true by default. Otherwise they grow without bound with the
    /// distance from the poses.
    pub convex: bool,
    /// Edges of the coarse mesh that a vertex takes its local strain from; 16 by default, 1 to 64.
    pub edges: usize,
    /// How fast the influence of edges decays with their distance: over this many mean edge lengths it falls to 1/e; 1 by default.
    pub decay: f64,
}

impl Default for WpsdParams {
    fn default() -> Self {
        Self { poses: 6, tolerance: 0.0, rest_pose: true, convex: true, edges: 16, decay: 1.0 }
    }
}

impl WpsdParams {
    fn check(&self) -> Result<(), UpsampleError> {
        in_range("poses", self.poses as f64, 1.0..=64.0, "1 to 64")?;
        in_range("tolerance", self.tolerance, 0.0..f64::INFINITY, "zero or more")?;
        in_range("edges", self.edges as f64, 1.0..=64.0, "1 to 64")?;
        in_range("decay", self.decay, f64::MIN_POSITIVE..f64::INFINITY, "positive and finite").map(drop)
    }
}

/// Directions in which a polynomial displacement map moves a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Directions {
    /// Along the normal only, as in [Ma 2008]: six numbers per vertex.
    Normal,
    /// Along the normal and both tangents: eighteen numbers per vertex.
    All,
}

/// Parameters of polynomial displacement maps.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PdmParams {
    /// Directions of the displacement; all by default.
    pub directions: Directions,
    /// Weight of small coefficients in the least squares, relative to one frame in as many as there are; 1e-3 by default. With 0,
    /// motion that does not determine the coefficients is an error.
    pub regularisation: f64,
}

impl Default for PdmParams {
    fn default() -> Self {
        Self { directions: Directions::All, regularisation: 1e-3 }
    }
}

impl PdmParams {
    fn check(&self) -> Result<(), UpsampleError> {
        in_range("regularisation", self.regularisation, 0.0..f64::INFINITY, "zero or more").map(drop)
    }
}

/// Parameters of physics-inspired upsampling.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PiuParams {
    /// Coarse vertices that a fine vertex depends on; 12 by default, 3 to 64.
    pub neighbours: usize,
    /// Weight of staying near subdivision in the least squares, relative to how much the coarse shape varies; 1e-2 by default.
    pub regularisation: f64,
    /// Oscillations on top of the linear function; none by default.
    pub modes: Option<ModesParams>,
}

impl Default for PiuParams {
    fn default() -> Self {
        Self { neighbours: 12, regularisation: 1e-2, modes: None }
    }
}

impl PiuParams {
    fn check(&self) -> Result<(), UpsampleError> {
        in_range("neighbours", self.neighbours as f64, 3.0..=64.0, "3 to 64")?;
        in_range("regularisation", self.regularisation, f64::MIN_POSITIVE..f64::INFINITY, "positive and finite")?;
        self.modes.map_or(Ok(()), |modes| modes.check())
    }
}

/// Oscillatory modes, which let waves travel that the coarse positions alone do not tell.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ModesParams {
    /// Number of modes; 8 by default, 1 to 32.
    pub count: usize,
    /// Signals of the coarse motion that drive them; 8 by default, 1 to 32.
    pub signals: usize,
    /// Weight of small coefficients in the least squares, relative to the mean square of what is fitted; 1e-4 by default.
    pub regularisation: f64,
}

impl Default for ModesParams {
    fn default() -> Self {
        Self { count: 8, signals: 8, regularisation: 1e-4 }
    }
}

impl ModesParams {
    fn check(&self) -> Result<(), UpsampleError> {
        in_range("modes.count", self.count as f64, 1.0..=32.0, "1 to 32")?;
        in_range("modes.signals", self.signals as f64, 1.0..=32.0, "1 to 32")?;
        in_range("modes.regularisation", self.regularisation, 0.0..f64::INFINITY, "zero or more").map(drop)
    }
}
