//! Figures with limits.

use serde::{Deserialize, Serialize};

/// A figure with its limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Name of the figure.
    pub name: String,
    /// The figure; `None` if it is not a finite number.
    pub value: Option<f64>,
    /// The minimum value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The maximum value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

impl Check {
    pub(crate) fn new(
        name: impl Into<String>,
        value: f64,
        min: Option<f64>,
        max: Option<f64>,
    ) -> Self {
        let finite = |value: f64| value.is_finite().then_some(value);
        Self {
            name: name.into(),
            value: finite(value),
            min: min.and_then(finite),
            max: max.and_then(finite),
        }
    }

    pub(crate) fn at_most(name: impl Into<String>, value: f64, max: f64) -> Self {
        Self::new(name, value, None, Some(max))
    }

    /// Returns whether the figure is within its limits.
    pub fn passed(&self) -> bool {
        self.value.is_some_and(|value| {
            self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
        })
    }

    /// Describes its limits.
    pub fn limits(&self) -> String {
        match (self.min, self.max) {
            (Some(min), Some(max)) => format!("{} to {}", short(min), short(max)),
            (Some(min), None) => format!("at least {}", short(min)),
            (None, Some(max)) => format!("at most {}", short(max)),
            (None, None) => "none".to_owned(),
        }
    }

    /// Describes the figure.
    pub fn text(&self) -> String {
        self.value.map_or_else(|| "undefined".to_owned(), short)
    }
}

/// Returns a number with as many digits as tell values of its size apart.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size < 0.1 => format!("{value:.6}"),
        size if size < 10.0 => format!("{value:.3}"),
        _ => format!("{value:.1}"),
    }
}
