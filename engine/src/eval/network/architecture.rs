//! The shape of the network that this engine runs: that of the one which is built in.

use super::format::{NEURON, ROOM, SQUARE, WEIGHT};

include!(concat!(env!("OUT_DIR"), "/network.rs"));

/// The square of a neuron that is not clipped yet. Two halves of 16 bits make it: for that processors have an instruction.
#[inline(always)]
pub const fn activation(neuron: i16) -> i16 {
    let clipped = if neuron < 0 { 0 } else { neuron };
    let clipped = if clipped > NEURON as i16 { NEURON as i16 } else { clipped };
    let wide = (clipped << ROOM) as i32;
    ((wide * wide) >> 16) as i16
}

/// The value in centipawns of squares times weights, where an output of one stands for `scale` centipawns.
pub const fn centipawns(sum: i64, scale: i32) -> i32 {
    const ONE: i64 = SQUARE as i64 * WEIGHT as i64;
    let scaled = sum * scale as i64;
    ((scaled + scaled.signum() * (ONE / 2)) / ONE) as i32
}
