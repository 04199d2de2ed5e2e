//! Every tunable number of the search, declared once.
//!
//! The macro in `declare.rs` turns the list in `list.rs` into the plain struct that a search reads,
//! the table of [`Spec`]s that options, tuner and documentation are made from, and access by name.
//! [`TunedParams`] adds derived tables.
//!
//! Compared with a build in which the same values are constants, the median of five benches was
//! 1.95 against 1.97 million nodes per second: that two engines in one process may have different
//! parameters costs about one per cent.

mod ablation;
#[macro_use]
mod declare;
mod list;
mod plain;
mod tuned;

pub use ablation::SearchRule;
pub use list::{Params, SPECS};
pub use tuned::{ONE_PLY, TunedParams, UNIT, scaled};

use thiserror::Error;

/// The specification of one parameter.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Group: `null_move`, `lmr`, `futility`...
    pub group: &'static str,
    /// Name, as options and run files write it.
    pub name: &'static str,
    /// Default value.
    pub default: i32,
    /// Minimum value.
    pub min: i32,
    /// Maximum value.
    pub max: i32,
    /// Perturbation at the end of an SPSA run (`c_end`).
    pub step: f64,
    /// Unit: centipawns, plies, 1024ths of a ply...
    pub unit: &'static str,
    /// Meaning, in one sentence.
    pub meaning: &'static str,
}

impl Spec {
    /// Learning rate at the end of an SPSA run (`r_end`), the same for all.
    pub const R_END: f64 = 0.002;

    /// Returns the parameter with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        SPECS.iter().find(|spec| spec.name == name)
    }
}

/// Why a parameter was not set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum ParamError {
    #[error("no parameter is called `{0}`")]
    Unknown(String),
    #[error("parameter {name}: {value} is not between {min} and {max}")]
    OutOfRange { name: &'static str, value: i32, min: i32, max: i32 },
}

#[cfg(test)]
impl Params {
    /// Returns these with one parameter changed.
    pub fn with(mut self, name: &str, value: i32) -> Self {
        self.set(name, value).expect("a parameter, and a value in its range");
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_lies_in_its_range() {
        assert!(SPECS.len() > 50);
        for spec in SPECS {
            assert!(spec.min < spec.max, "{}", spec.name);
            assert!((spec.min..=spec.max).contains(&spec.default), "{}", spec.name);
            assert!(
                spec.step > 0.0 && spec.step <= f64::from(spec.max - spec.min),
                "{}",
                spec.name
            );
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = SPECS.iter().map(|spec| spec.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SPECS.len());
    }

    #[test]
    fn parameters_are_set_by_name_within_their_range() {
        let mut params = Params::default();
        for spec in SPECS {
            assert_eq!(params.get(spec.name), Some(spec.default));
            params.set(spec.name, spec.max).expect("the maximum is allowed");
            assert_eq!(params.get(spec.name), Some(spec.max));
            assert!(matches!(
                params.set(spec.name, spec.max + 1),
                Err(ParamError::OutOfRange { .. })
            ));
        }
        assert!(matches!(params.set("no_such", 1), Err(ParamError::Unknown(_))));
    }
}
