//! Named materials. Figures are rough guesses of ours, not measurements; measure yours if it matters.

use pliant::{ClothMaterial, SolidMaterial, StrandMaterial};

/// Names of sheets.
pub const CLOTHS: [&str; 5] = ["cotton", "silk", "denim", "paper", "rubber-sheet"];
/// Names of solids.
pub const SOLIDS: [&str; 4] = ["jelly", "rubber", "foam", "wood"];
/// Names of strands.
pub const STRANDS: [&str; 3] = ["cord", "thread", "cable"];

/// A sheet by name.
pub fn cloth(name: &str) -> Option<ClothMaterial> {
    let (density, youngs_modulus, thickness, bending) = match name {
        "cotton" => (0.15, 4e6, 5e-4, 1e-5),
        "silk" => (0.06, 4e6, 1.5e-4, 2e-6),
        "denim" => (0.4, 1e7, 8e-4, 8e-5),
        "paper" => (0.08, 2e9, 1e-4, 1.7e-4),
        "rubber-sheet" => (1.1, 1.5e6, 1e-3, 1.3e-4),
        _ => return None,
    };
    let poisson_ratio = if name == "rubber-sheet" { 0.45 } else { 0.0 };
    let bending_stiffness = Some(bending);
    Some(ClothMaterial { density, youngs_modulus, thickness, bending_stiffness, poisson_ratio, ..Default::default() })
}

/// A solid by name.
pub fn solid(name: &str) -> Option<SolidMaterial> {
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
    let (density, axial_stiffness, resists_compression) = match name {
        "cord" => (0.02, 2e3, true),
        "thread" => (5e-5, 20.0, false),
        "cable" => (0.5, 2e5, true),
        _ => return None,
    };
    Some(StrandMaterial { density, axial_stiffness, resists_compression, ..Default::default() })
}
