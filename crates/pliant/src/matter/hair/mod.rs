//! Hair: inextensible strands that follow their roots [Müller 2012; Bender 2014, §3.5].
//!
//! From the root down each vertex is moved to its rest length from the one before it, so lengths are exact after one pass, whatever the
//! number of vertices. Followers have no say in where their leader goes: as if each vertex were infinitely heavier than the
//! next. The dynamic variant hides that in the velocities,
//!
//! v_i = (p_i − x_i)/h − s·d_{i+1}/h,
//!
//! with d_{i+1} the correction that the follower of i went through, and s in [0, 1).
//!
//! At rest a hanging vertex so has the velocity s/(1 − s)·g·h and does not move: velocities are what the next
//! prediction starts from, not what is seen.
//!
//! ```text
//!   chains   strands behind those of their vertices that lead: pinned ones, and those that are tied to another body or held by a handle
//!   pass     one pass over a chain, also around colliders
//!   style    curls and partings that hair keeps
//!   grid     hair against hair
//!   comb     all of these in the course of a step
//! ```
//!
//! A world of nothing but hair has a [solver of its own](crate::solve::follow_leader); as matter, hair is beside other bodies.

mod chains;
mod comb;
mod grid;
mod matter;
mod motion;
mod pass;
mod style;

pub(crate) use chains::Chains;
pub use chains::HairChains;
pub(crate) use chains::chained;
pub(crate) use comb::{Comb, Manner};
pub use grid::HairGrid;
pub use matter::Hair;
pub(crate) use matter::INFO;
pub use style::HairStyle;

use crate::world::error::ModelError;

/// What hair is like.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HairMaterial {
    /// Mass per length \[kg/m\]. Colliders, wind and hair around feel it; what hair is tied to does not.
    pub density: f64,
    /// Width by which the wind acts on it \[m\].
    pub width: f64,
    /// s, 0 to below 1: how much of a follower's correction its leader is slowed by. At 0 strands swing as if each vertex dragged none; near 1 they
    /// swing freely. Styled hair keeps its curls better at about 0.5.
    pub correction: f64,
    /// Hair against hair of the same body; off by default.
    pub grid: Option<HairGrid>,
    /// What hair keeps of its rest shape; nothing by default.
    pub style: Option<HairStyle>,
}

impl Default for HairMaterial {
    /// Strands that stand for some hundred hairs each.
    fn default() -> Self {
        Self { density: 5e-4, width: 1e-3, correction: 0.9, grid: None, style: None }
    }
}

impl HairMaterial {
    fn manner(&self) -> Manner {
        Manner { correction: self.correction, grid: self.grid, style: self.style }
    }

    /// Refuses numbers that make no sense.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let need = "finite and positive";
        for (name, value) in [("density", self.density), ("width", self.width)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(ModelError::BadParameter { name, value, need });
            }
        }
        check_manner(&self.manner())
    }
}

/// Refuses numbers that make no sense.
pub(crate) fn check_manner(manner: &Manner) -> Result<(), ModelError> {
    let require = |name, value: f64, need, holds: bool| {
        if holds && value.is_finite() { Ok(()) } else { Err(ModelError::BadParameter { name, value, need }) }
    };
    let s = manner.correction;
    require("correction of followers", s, "at least 0 and below 1", (0.0..1.0).contains(&s))?;
    if let Some(HairGrid { cell, friction, repulsion }) = manner.grid {
        require("cell of the hair grid", cell, "positive", cell > 0.0)?;
        require("friction of hair", friction, "at least 0", friction >= 0.0)?;
        require("repulsion of hair", repulsion, "at least 0", repulsion >= 0.0)?;
    }
    if let Some(HairStyle { local, iterations: _, global, global_range }) = manner.style {
        for (name, value) in [
            ("local stiffness of hair", local),
            ("global stiffness of hair", global),
            ("range of global stiffness", global_range),
        ] {
            require(name, value, "0 to 1", (0.0..=1.0).contains(&value))?;
        }
    }
    Ok(())
}
