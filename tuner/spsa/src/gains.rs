//! How far parameters are moved in an iteration, and how far they step after it.
//!
//! `c_k = c / k^gamma` and `a_k = a / (A + k)^alpha` (J. Spall 1998), both named by what they come to at the end of the run, as
//! OpenBench and fishtest do.

use serde::{Deserialize, Serialize};

/// How gains change from the first iteration to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// They shrink by the powers alpha and gamma; the result is the last value.
    Classic,
    /// They stay; the result is the mean of the last half of the path.
    Constant,
}

/// The shape of the gains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// How they change.
    pub mode: Mode,
    /// The power by which steps shrink.
    pub alpha: f64,
    /// The power by which moves shrink.
    pub gamma: f64,
    /// `A`, as a share of the iterations: it keeps the first steps small.
    pub a_ratio: f64,
    /// Iterations in all.
    pub iterations: u64,
}

/// The gains of one parameter in one iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// How far it is moved up and down.
    pub c: f64,
    /// What a net win by a move of one adds to it.
    pub r: f64,
}

/// A whole number must be moved by at least this much, or the two settings would mostly be the same.
pub const LEAST_MOVE: f64 = 0.5;

impl Schedule {
    /// The gains in iteration `k`, from 1, of a parameter of whole numbers.
    pub fn gain(&self, c_end: f64, r_end: f64, k: u64) -> Gain {
        let Mode::Classic = self.mode else {
            return Gain { c: c_end.max(LEAST_MOVE), r: r_end };
        };
        let (all, k) = (self.iterations as f64, k as f64);
        let stability = self.a_ratio * all;
        let c = (c_end * (all / k).powf(self.gamma)).max(LEAST_MOVE);
        let a_end = r_end * c_end * c_end;
        let a = a_end * ((stability + all) / (stability + k)).powf(self.alpha);
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
    fn whole_numbers_are_moved_by_half_at_least() {
        let gain = CLASSIC.gain(0.1, 0.002, 25_000);
        assert_eq!(gain.c, 0.5);
        assert!((gain.r - 0.002 * 0.1 * 0.1 / 0.25).abs() < 1e-12);
        let constant = Schedule { mode: Mode::Constant, ..CLASSIC };
        assert_eq!(constant.gain(20.0, 0.01, 1), constant.gain(20.0, 0.01, 25_000));
    }
}
