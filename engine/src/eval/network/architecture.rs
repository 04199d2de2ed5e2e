//! The shape of the network that this engine runs: that of the one which is built in.

include!(concat!(env!("OUT_DIR"), "/network.rs"));

/// An input weight of one, and the upper end of an activation, as whole numbers.
pub const QA: i32 = 255;
/// An output weight of one, as a whole number.
pub const QB: i32 = 64;
