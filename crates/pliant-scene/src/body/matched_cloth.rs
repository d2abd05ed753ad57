//! `material.matched-cloth`: cloth by shape matching of its triangles.

use pliant::ClothMatching;
use pliant::math::Vec3;

use crate::fault::Fault;
use crate::format::MatchedClothSection;

/// Mass per area, if none is given \[kg/m²\].
const DENSITY: f64 = 0.15;
/// Levels halve the number of vertices at least: more are a slip.
const MOST_LEVELS: usize = 64;
/// Every round takes time.
const MOST_ROUNDS: usize = 1000;

/// Mass per area, and how the cloth keeps its shape.
pub(super) fn matching(section: &MatchedClothSection) -> Result<(f64, ClothMatching), Fault> {
    let MatchedClothSection { density, stretch, shear, bend, fibres, fibre_length, levels, rounds, warp } = *section;
    let standard = ClothMatching::default();
    let key = |name: &str| format!("material.matched-cloth.{name}");
    for (name, value, most) in [("levels", levels, MOST_LEVELS), ("rounds", rounds, MOST_ROUNDS)] {
        if let Some(value) = value.filter(|value| *value > most) {
            return Err(Fault::new(key(name), format!("{name} is {value}, but must be at most {most}")));
        }
    }
    let matching = ClothMatching {
        stretch: stretch.unwrap_or(standard.stretch),
        shear: shear.unwrap_or(standard.shear),
        bend: bend.unwrap_or(standard.bend),
        fibres: fibres.unwrap_or(standard.fibres),
        fibre_length: fibre_length.unwrap_or(standard.fibre_length),
        levels: levels.unwrap_or(standard.levels),
        rounds: rounds.unwrap_or(standard.rounds),
        warp: warp.map_or(standard.warp, Vec3::from),
    };
    match matching.problem() {
        None => Ok((density.unwrap_or(DENSITY), matching)),
        Some((name, value, need)) => {
            Err(Fault::new("material.matched-cloth", format!("{name} is {value}, but must be {need}")))
        }
    }
}
