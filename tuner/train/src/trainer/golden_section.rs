//! Minimises a function of one variable.

/// Returns where a unimodal function is least, within a tolerance (golden-section search: J. Kiefer 1953).
pub fn minimise(mut low: f32, mut high: f32, tolerance: f32, of: impl Fn(f32) -> f64) -> f32 {
    const GOLDEN: f32 = 0.618_034;
    while high - low > tolerance {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        if of(left) < of(right) { high = right } else { low = left }
    }
    0.5 * (low + high)
}
