//! Named materials.
//!
//! ```
//! use pliant::prelude::*;
//! let sheet = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
//! let silk = pliant::presets::cloth("silk").ok_or("there is silk")?;
//! let scarf = Body::cloth(&sheet, &ClothMaterial { density: 0.08, ..silk })?;
//! assert!(pliant::presets::CLOTHS.iter().all(|name| pliant::presets::cloth(name).is_some()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The source of each number is given; a guess is in the range of such materials. Measure your own
//! material if it matters.
//!
//! Measured cloths: H. Wang, R. Ramamoorthi, J. O'Brien, Data-driven elastic models for cloth, SIGGRAPH 2011, ten fabrics of 0.113 to 0.324 kg/m². Their
//! bending numbers k belong to the hinge force of Bridson et al. 2003, E = k l² θ²/(8 A) for two triangles of total area A; as a plate
//! that is D = k/4. Over all bends and directions these are 1.8e-6 to 7.5e-5 N·m: of a T-shirt of 60 % cotton (0.187 kg/m²) 1.8e-6 to 9.8e-6, of
//! trousers of 65 % cotton (0.22) 2.7e-5 to 5.7e-5, of stretch denim of 11 oz (0.324) 5e-6 to 3e-5. Their membranes have 12 to 2170 N/m.

use crate::material::{ClothMaterial, SolidMaterial, StrandMaterial};

/// Names of sheets.
pub const CLOTHS: [&str; 5] = ["cotton", "silk", "denim", "paper", "rubber-sheet"];
/// Names of solids.
pub const SOLIDS: [&str; 4] = ["jelly", "rubber", "foam", "wood"];
/// Names of strands.
pub const STRANDS: [&str; 3] = ["cord", "thread", "cable"];

/// A sheet by name.
pub fn cloth(name: &str) -> Option<ClothMaterial> {
    // Mass per area, Young's modulus, thickness, bending stiffness, Poisson ratio. Those of cotton and denim are as stiff as measured cloths along
    // their yarns, and so far stiffer against shear; thicknesses only count through E t. Poisson ratios of cloth are left at 0: a guess.
    let (density, youngs_modulus, thickness, bending, poisson_ratio) = match name {
        // All guesses; bending within what was measured of cotton blends.
        "cotton" => (0.15, 4e6, 5e-4, 1e-5, 0.0),
        // Density: 14 momme, a common weight of habutae. The others are guesses: bending below all ten measured cloths, none of which is silk, and a
        // modulus with which E t/2 = 60 N/m against shear is as measured (15 to 105 N/m), since that is what lets cloth drape.
        "silk" => (0.06, 8e5, 1.5e-4, 1e-6, 0.0),
        // Rigid denim of 12 oz (0.4 kg/m²). The others are guesses; bending above that of the measured stretch denim.
        "denim" => (0.4, 1e7, 8e-4, 8e-5, 0.0),
        // Office paper of 80 g/m² (by its name) and 0.1 mm; modulus a guess, bending E t³/12 of these.
        "paper" => (0.08, 2e9, 1e-4, 1.7e-4, 0.0),
        // All guesses: a soft rubber of 1100 kg/m³, 1 mm; bending about E t³/(12 (1 − ν²)) of these, 1.57e-4.
        "rubber-sheet" => (1.1, 1.5e6, 1e-3, 1.6e-4, 0.45),
        _ => return None,
    };
    let bending_stiffness = Some(bending);
    Some(ClothMaterial { density, youngs_modulus, thickness, bending_stiffness, poisson_ratio, ..Default::default() })
}

/// A solid by name.
pub fn solid(name: &str) -> Option<SolidMaterial> {
    // All guesses: mass per volume, Young's modulus, Poisson ratio. Wood is softer than wood, whose 1e10 Pa look no different and take longer.
    let (density, youngs_modulus, poisson_ratio) = match name {
        "jelly" => (1000.0, 2e4, 0.4),
        "rubber" => (1100.0, 1.5e6, 0.45),
        "foam" => (60.0, 1e5, 0.2),
        "wood" => (600.0, 1e9, 0.3),
        _ => return None,
    };
    Some(SolidMaterial { density, youngs_modulus, poisson_ratio, ..Default::default() })
}

/// A strand by name.
pub fn strand(name: &str) -> Option<StrandMaterial> {
    // All guesses: mass per length, axial stiffness, whether it can be pushed.
    let (density, axial_stiffness, resists_compression) = match name {
        "cord" => (0.02, 2e3, true),
        "thread" => (5e-5, 20.0, false),
        "cable" => (0.5, 2e5, true),
        _ => return None,
    };
    Some(StrandMaterial { density, axial_stiffness, resists_compression, ..Default::default() })
}
