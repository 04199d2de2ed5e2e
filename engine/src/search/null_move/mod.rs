//! The null move: if even passing keeps the score above beta, a real move will.
//!
//! The idea is D. Beal's (1989) and C. Donninger's (1993). Unsound where passing would be the best move
//! (zugzwang) and where the reduced search misses a threat, so a policy decides in two pure functions:
//! [`Policy::attempt`] whether and how deep, [`Policy::conclude`] what the score is worth. The node does
//! all searching itself; a further scheme is one arm here and one test.

mod reduction;
mod stats;
mod trigger;

pub use stats::Stats;

use std::str::FromStr;

use thiserror::Error;

use crate::params::Tuned;
use crate::types::{Depth, Score};

/// Which scheme decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Never passes: the measure for all others.
    Off,
    /// Reduction by formula, trigger by evaluation, verification from a depth on.
    #[default]
    Formula,
}

/// What a node knows when it asks.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Depth left at the node.
    pub depth: Depth,
    /// What the null search has to reach.
    pub beta: Score,
    /// Corrected static evaluation.
    pub static_eval: Score,
    /// The same, replaced by the table's score where that says more.
    pub eval: Score,
    /// Whether the evaluation has risen since our last move.
    pub improving: bool,
    /// The side to move is in check.
    pub in_check: bool,
    /// The search leaves a move out, to see whether it is singular.
    pub excluding: bool,
    /// The opponent has just passed.
    pub after_null: bool,
    /// The side to move has a piece beside king and pawns.
    pub has_pieces: bool,
    /// Null moves are off for the side to move: a cut-off is being verified.
    pub barred: bool,
    /// The table says that the value is below beta.
    pub table_fails_low: bool,
    /// The table move is a capture.
    pub table_move_is_capture: bool,
    /// The opponent attacks none of our men with a lesser one.
    pub quiet_board: bool,
}

/// A null search to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Depth of the search after passing.
    pub depth: Depth,
}

/// What follows from a null search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The node fails high with this score.
    Cut(CutScore),
    /// It does if a search of this depth without null moves of our side agrees.
    Verify(Depth, CutScore),
    /// Nothing; search on.
    SearchOn,
}

/// A score that a null search may return: never a mate, for no game contains the passing that led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutScore(Score);

impl CutScore {
    /// Keeps the score, but proves no more than beta where it is a mate.
    fn new(score: Score, beta: Score) -> Self {
        Self(if score.is_win() { beta } else { score })
    }

    /// The score.
    pub fn get(self) -> Score {
        self.0
    }
}

/// No policy has this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no scheme of the null move; there are off and nullarbor")]
pub struct UnknownPolicy;

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(name: &str) -> Result<Self, UnknownPolicy> {
        match name {
            "off" => Ok(Self::Off),
            "nullarbor" => Ok(Self::Formula),
            _ => Err(UnknownPolicy),
        }
    }
}

impl Policy {
    /// Whether to pass, and how deep to search then.
    pub fn attempt(self, facts: &Facts, tuned: &Tuned) -> Option<Attempt> {
        if !trigger::is_legal(facts) {
            return None;
        }
        match self {
            Self::Off => None,
            Self::Formula => trigger::by_evaluation(facts, tuned)
                .then(|| Attempt { depth: facts.depth - reduction::by_formula(facts, tuned) }),
        }
    }

    /// What the score of the null search means for the node.
    pub fn conclude(self, attempt: Attempt, score: Score, facts: &Facts, tuned: &Tuned) -> Verdict {
        if score < facts.beta {
            return Verdict::SearchOn;
        }
        let cut = CutScore::new(score, facts.beta);
        // Deep down a wrong cut-off is cheap and soon corrected; near the root it decides the game.
        if facts.depth.0 >= tuned.null_move_verify_depth {
            Verdict::Verify(attempt.depth.max(Depth::ONE), cut)
        } else {
            Verdict::Cut(cut)
        }
    }
}

#[cfg(test)]
mod tests;
