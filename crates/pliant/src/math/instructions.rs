//! Which instructions the engine's vectors use.
//!
//! Where the processor has AVX2 they use it, with products and sums that round once. Everywhere else they are plain Rust, which rounds
//! the same on all machines: a browser and a phone have the same bits. A program that wants those bits on every machine asks for
//! them once, at its beginning. It then takes two to three times as long as with AVX2 (`docs/javascript.md` has numbers).

use thiserror::Error;

use super::lanes::InstructionSet;

/// The process has computed on the processor's own instructions already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "portable instructions must be asked for before the first simulation is built: this process has computed on AVX2 already"
)]
pub struct AlreadyChosen;

/// From now on this process computes with the instructions that every machine has, so that its results have the same bits
/// as those of any other portable machine, a browser among them.
///
/// ```
/// pliant::math::instructions::use_portable()?;
/// assert!(pliant::math::instructions::are_portable());
/// # Ok::<(), pliant::math::instructions::AlreadyChosen>(())
/// ```
pub fn use_portable() -> Result<(), AlreadyChosen> {
    if InstructionSet::choose_portable() { Ok(()) } else { Err(AlreadyChosen) }
}

/// Whether this process computes with the instructions that every machine has.
pub fn are_portable() -> bool {
    InstructionSet::detect() == InstructionSet::Portable
}
