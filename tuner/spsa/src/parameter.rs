//! A parameter that is tuned, and its range.

/// A parameter that is tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name of the parameter.
    pub name: String,
    /// Value before the first iteration.
    pub start: f64,
    /// Range of values.
    pub range: Range,
    /// Size of its perturbation in the last iteration.
    pub c_end: f64,
    /// Step size in the last iteration.
    pub r_end: f64,
}

/// The range of a parameter, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Minimum value.
    pub min: i32,
    /// Maximum value.
    pub max: i32,
}

impl Range {
    /// Returns the distance from the minimum to the maximum value.
    pub fn span(self) -> f64 {
        f64::from(self.max) - f64::from(self.min)
    }
}
