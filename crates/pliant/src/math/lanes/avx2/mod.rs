//! Lanes on AVX2 with FMA.
//!
//! No closures and no adaptors here, nor in kernels: they are functions of their own without these instructions, and what is not
//! inlined all the way calls every single operation.

/// Functions from values to values, without memory.
macro_rules! on_values {
    ($($(#[$doc:meta])* fn $name:ident($($arguments:tt)*) -> $result:ty { $($body:tt)* })+) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $name($($arguments)*) -> $result {
            // SAFETY: the processor has AVX2 and FMA where these types are in use (see `Lanes`); instructions on values
            // need no more.
            unsafe { $($body)* }
        }
    )+};
}
use on_values;

mod double;
mod single;

pub(super) use double::Avx2F64;
pub(super) use single::Avx2F32;
