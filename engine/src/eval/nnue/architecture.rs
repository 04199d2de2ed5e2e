//! The architecture that this engine runs: that of the embedded network.

use super::format::{QA, QA_SQUARED, QB, SHIFT};

include!(concat!(env!("OUT_DIR"), "/network.rs"));

/// Squared clipped ReLU of a quantised neuron: `clamp(x, 0, QA)²`, scaled to [`QA_SQUARED`].
///
/// The shift makes the upper half of the product the result, which SIMD instructions compute at
/// once.
#[inline(always)]
pub const fn screlu(neuron: i16) -> i16 {
    let clipped = if neuron < 0 { 0 } else { neuron };
    let clipped = if clipped > QA as i16 { QA as i16 } else { clipped };
    let wide = (clipped << SHIFT) as i32;
    ((wide * wide) >> 16) as i16
}

/// Converts a quantised output to centipawns, rounded; an output of 1.0 is `scale` centipawns.
pub const fn centipawns(sum: i64, scale: i32) -> i32 {
    const ONE: i64 = QA_SQUARED as i64 * QB as i64;
    let scaled = sum * scale as i64;
    ((scaled + scaled.signum() * (ONE / 2)) / ONE) as i32
}
