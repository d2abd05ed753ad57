//! Numbers as text of kernels.

/// A number as WGSL.
pub(super) fn literal(value: f64) -> String {
    // What f32 cannot hold is not a literal in WGSL.
    format!("{:e}f", (value as f32).clamp(-f32::MAX, f32::MAX))
}
