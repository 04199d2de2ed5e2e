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
    /// They are constant; the result is the average of the second half of the iterates (B. Polyak and A. Juditsky 1992).
    Constant,
}

/// The gain sequences of a run.
///
/// ```
/// use nullarbor_spsa::gains::{Mode, Schedule};
///
/// let schedule =
///     Schedule { mode: Mode::Classic, alpha: 0.602, gamma: 0.101, a_ratio: 0.1, iterations: 1000 };
/// let first = schedule.gain(20.0, 0.002, 1);
/// let last = schedule.gain(20.0, 0.002, 1000);
/// assert!(first.c > last.c);
/// assert_eq!((last.c, last.r), (20.0, 0.002));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Whether the gains decay.
    pub mode: Mode,
    /// Exponent of the step size.
    pub alpha: f64,
    /// Exponent of the perturbation size.
    pub gamma: f64,
    /// The stability constant `A` as a share of the iterations; it reduces the first steps.
    pub a_ratio: f64,
    /// Number of iterations.
    pub iterations: u64,
}

/// The gains of one parameter in one iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// Size of the perturbation.
    pub c: f64,
    /// Step size `a / c²`: the parameter moves by `r` times its perturbation for each game won more than lost.
    pub r: f64,
}

/// Least perturbation of an integer parameter; with less, the two settings would mostly be equal.
pub const MIN_PERTURBATION: f64 = 0.5;

impl Schedule {
    /// Returns the gains in iteration `k`, from 1, of an integer parameter.
    pub fn gain(&self, c_end: f64, r_end: f64, k: u64) -> Gain {
        let Mode::Classic = self.mode else {
            return Gain { c: c_end.max(MIN_PERTURBATION), r: r_end };
        };
        let (iterations, k) = (self.iterations as f64, k as f64);
        let stability = self.a_ratio * iterations;
        let c = (c_end * (iterations / k).powf(self.gamma)).max(MIN_PERTURBATION);
        let a_end = r_end * c_end * c_end;
        let a = a_end * ((stability + iterations) / (stability + k)).powf(self.alpha);
        Gain { c, r: a / (c * c) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASSIC: Schedule = Schedule {
        mode: Mode::Classic,
        alpha: 0.602,
        gamma: 0.101,
        a_ratio: 0.1,
        iterations: 25_000,
    };

    #[test]
    fn gains_are_those_of_openbench() {
        // By hand, from its formulas: c_k = c_end I^gamma / k^gamma, a_k = r_end c_end^2 (A + I)^alpha / (A + k)^alpha,
        // r_k = a_k / c_k^2.
        for (k, c, r) in [
            (1, 20.0 * 2.780_942_06, 0.002 * 4.234_614_10 / 7.733_638_75),
            (25_000, 20.0, 0.002),
            (12_500, 20.0 * 1.072_516_62, 0.002 * 1.440_360_97 / 1.150_291_89),
        ] {
            let gain = CLASSIC.gain(20.0, 0.002, k);
            assert!((gain.c / c - 1.0).abs() < 1e-6, "{k}: c is {}", gain.c);
            assert!((gain.r / r - 1.0).abs() < 1e-6, "{k}: r is {}", gain.r);
        }
    }

    #[test]
    fn integers_are_perturbed_by_half_at_least() {
        let gain = CLASSIC.gain(0.1, 0.002, 25_000);
        assert_eq!(gain.c, 0.5);
        assert!((gain.r - 0.002 * 0.1 * 0.1 / 0.25).abs() < 1e-12);
        let constant = Schedule { mode: Mode::Constant, ..CLASSIC };
        assert_eq!(constant.gain(20.0, 0.01, 1), constant.gain(20.0, 0.01, 25_000));
    }
}
