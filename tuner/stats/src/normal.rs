//! The normal distribution.

/// The 97.5 % quantile: half the width of a 95 % interval in standard deviations.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Returns the probability that a standard normal variable is below `x`.
pub fn distribution(x: f64) -> f64 {
    libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        for (x, expected) in [(0.0, 0.5), (Z_95, 0.975), (-1.0, 0.158_655_253_931_457)] {
            assert!((distribution(x) - expected).abs() < 1e-12, "{x}");
        }
    }
}
