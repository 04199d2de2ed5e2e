//! Gain sequences: the size of perturbations and steps in each iteration.
//!
//! `c_k = c / k^gamma` and `a_k = a / (A + k)^alpha` (J. C. Spall, "Implementation of the simultaneous perturbation algorithm
//! for stochastic optimization", IEEE Transactions on Aerospace and Electronic Systems 34(3), 1998). As in OpenBench and
//! fishtest, both are specified by their values in the last iteration: `c_end` and `r_end = a_end / c_end²`.

use serde::{Deserialize, Serialize};

/// How gains change from the first iteration to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// They decay with the exponents alpha and gamma; the result is the last iterate.
    Classic,
    /// They are constant; the result is the average of the last half of the iterates (B. Polyak and A. Juditsky 1992).
    Constant,
}

impl Mode {
    /// Returns the share of the iterates, the last ones, whose average is the result unless the run file says otherwise;
    /// 0 is the last iterate alone.
    pub fn average(self) -> f64 {
        if self == Self::Constant { 0.5 } else { 0.0 }
    }
}

/// The number of iterations of a run. A run may be extended: from then on its gains are those of the longer run.
///
/// ```
/// use nullarbor_spsa::gains::{Extension, Length};
///
/// let mut length = Length::from(100);
/// length.extend(Extension { after: 60, iterations: 300 });
/// assert_eq!((length.at(60), length.at(61), length.all()), (100, 300, 300));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Length {
    first: u64,
    extensions: Vec<Extension>,
}

/// A run that got more iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extension {
    /// The iterations that were finished before.
    pub after: u64,
    /// The number of iterations since then.
    pub iterations: u64,
}

impl From<u64> for Length {
    fn from(first: u64) -> Self {
        Self { first, extensions: Vec::new() }
    }
}

impl Length {
    /// Extends the run.
    pub fn extend(&mut self, extension: Extension) {
        self.extensions.push(extension);
    }

    /// Returns the number of iterations of the whole run.
    pub fn all(&self) -> u64 {
        self.extensions.last().map_or(self.first, |last| last.iterations)
    }

    /// Returns the number of iterations that decides the gains of iteration `k`, from 1.
    pub fn at(&self, k: u64) -> u64 {
        let past = self.extensions.iter().rev().find(|extension| extension.after < k);
        past.map_or(self.first, |extension| extension.iterations)
    }

    /// Returns whether the run ever had this number of iterations.
    pub fn was(&self, iterations: u64) -> bool {
        self.first == iterations
            || self.extensions.iter().any(|extension| extension.iterations == iterations)
    }
}

/// The gain sequences of a run.
///
/// ```
/// use nullarbor_spsa::gains::{Mode, Schedule};
///
/// let schedule =
///     Schedule { mode: Mode::Classic, alpha: 0.602, gamma: 0.101, a_ratio: 0.1, length: 1000.into() };
/// let first = schedule.gain(20.0, 0.002, 1);
/// let last = schedule.gain(20.0, 0.002, 1000);
/// assert!(first.c > last.c);
/// assert_eq!((last.c, last.r), (20.0, 0.002));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Course of the gains: constant, or decaying.
    pub mode: Mode,
    /// Exponent of the step size.
    pub alpha: f64,
    /// Exponent of the perturbation size.
    pub gamma: f64,
    /// The stability constant `A` as a share of the iterations; it reduces the first steps.
    pub a_ratio: f64,
    /// Number of iterations.
    pub length: Length,
}

/// The gains of one parameter in one iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// Size of the perturbation.
    pub c: f64,
    /// Step size `a / c²`: the parameter moves by `r` times its perturbation for each game won more than lost.
    pub r: f64,
}

/// Minimum perturbation of an integer parameter; with less, the two settings would mostly be equal.
pub const MIN_PERTURBATION: f64 = 0.5;

impl Schedule {
    /// Returns the gains in iteration `k`, from 1, of an integer parameter.
    pub fn gain(&self, c_end: f64, r_end: f64, k: u64) -> Gain {
        let Mode::Classic = self.mode else {
            // What has a smaller `c_end` is changed before it begins: see `RunFile::resolved`.
            return Gain { c: c_end.max(MIN_PERTURBATION), r: r_end };
        };
        let (iterations, k) = (self.length.at(k) as f64, k as f64);
        let stability = self.a_ratio * iterations;
        let c = (c_end * (iterations / k).powf(self.gamma)).max(MIN_PERTURBATION);
        let a_end = r_end * c_end * c_end;
        let a = a_end * ((stability + iterations) / (stability + k)).powf(self.alpha);
        Gain { c, r: a / (c * c) }
    }
}

/// Returns constant gains with a perturbation that changes an integer, and steps `a / c` as long as before.
pub fn raised(c: f64, r: f64) -> Gain {
    let least = c.max(MIN_PERTURBATION);
    Gain { c: least, r: r * (c / least).powi(2) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(mode: Mode) -> Schedule {
        Schedule { mode, alpha: 0.602, gamma: 0.101, a_ratio: 0.1, length: 25_000.into() }
    }

    #[test]
    fn gains_are_those_of_openbench() {
        // By hand, from its formulas: c_k = c_end I^gamma / k^gamma, a_k = r_end c_end^2 (A + I)^alpha / (A + k)^alpha,
        // r_k = a_k / c_k^2.
        for (k, c, r) in [
            (1, 20.0 * 2.780_942_06, 0.002 * 4.234_614_10 / 7.733_638_75),
            (25_000, 20.0, 0.002),
            (12_500, 20.0 * 1.072_516_62, 0.002 * 1.440_360_97 / 1.150_291_89),
        ] {
            let gain = schedule(Mode::Classic).gain(20.0, 0.002, k);
            assert!((gain.c / c - 1.0).abs() < 1e-6, "{k}: c is {}", gain.c);
            assert!((gain.r / r - 1.0).abs() < 1e-6, "{k}: r is {}", gain.r);
        }
    }

    #[test]
    fn integers_are_perturbed_by_half_at_least() {
        let gain = schedule(Mode::Classic).gain(0.1, 0.002, 25_000);
        assert_eq!(gain.c, 0.5);
        assert!((gain.r - 0.002 * 0.1 * 0.1 / 0.25).abs() < 1e-12);
        let constant = schedule(Mode::Constant);
        assert_eq!(constant.gain(20.0, 0.01, 1), constant.gain(20.0, 0.01, 25_000));
    }

    #[test]
    fn an_extended_run_goes_on_with_the_gains_of_the_longer_one() {
        let mut length = Length::from(100);
        length.extend(Extension { after: 80, iterations: 400 });
        assert!(length.was(100) && length.was(400) && !length.was(80));
        let extended = Schedule { length, ..schedule(Mode::Classic) };
        let of = |all: u64| Schedule { length: all.into(), ..schedule(Mode::Classic) };
        assert_eq!(extended.gain(20.0, 0.001, 80), of(100).gain(20.0, 0.001, 80));
        assert_eq!(extended.gain(20.0, 0.001, 81), of(400).gain(20.0, 0.001, 81));
    }
}
