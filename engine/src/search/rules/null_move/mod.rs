//! The null move: if even passing keeps the score above beta, a real move will.
//!
//! The idea is D. Beal's (1989) and C. Donninger's (1993). Unsound where passing would be the best move
//! (zugzwang) and where the reduced search misses a threat, so a [`Policy`] decides in two pure functions:
//! [`Policy::attempt`] whether and how deep, [`Policy::conclude`] what the score is worth. The node does
//! all searching itself.
//!
//! A policy is made of independent choices, each in a module of its own; a new variant is one arm there and one
//! test. The published schemes are presets ([`Policy::preset`]).

#[macro_use]
mod choices;
mod feature;
mod guard;
mod preset;
mod reduction;
mod rule;
mod stats;
mod trigger;
mod verification;

pub use feature::{Feature, LastMove};
pub use guard::Guard;
pub use reduction::Reduction;
pub use rule::{Rule, TooDeep, Tree};
pub use stats::{Counts, Stats};
pub use trigger::{Repetition, Trigger};
pub use verification::Verification;

use thiserror::Error;

use crate::params::Tuned;
use crate::types::{Bound, Colour, Depth, Ply, Score};

/// No choice has this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no {what} of the null move is called `{name}`; there are {names}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    names: String,
}

impl UnknownName {
    fn new<'a>(what: &'static str, name: &str, names: impl Iterator<Item = &'a str>) -> Self {
        let names = names.collect::<Vec<_>>().join(", ");
        Self { what, name: name.chars().take(40).collect(), names }
    }
}

/// A scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How much shallower the null search is.
    pub reduction: Reduction,
    /// When it is tried.
    pub trigger: Trigger,
    /// Where zugzwang is likely, it is not.
    pub guard: Guard,
    /// Who is asked before the node is cut.
    pub verification: Verification,
    /// Whether null moves may follow each other.
    pub repetition: Repetition,
    /// Where the null search says that the opponent mates, the node is searched a ply deeper.
    pub threat_extension: bool,
    /// A cut-off returns beta and not what the null search found.
    pub fail_hard: bool,
    /// Nodes of the principal variation try it too.
    pub in_pv_nodes: bool,
    /// Nowhere at a smaller depth.
    pub min_depth: i32,
    /// Nowhere nearer to the root, in plies.
    pub min_ply: Ply,
}

/// What a node knows when it asks.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Depth left at the node.
    pub depth: Depth,
    /// Distance from the root.
    pub ply: Ply,
    /// What the null search has to reach.
    pub beta: Score,
    /// The window has both a floor and a ceiling.
    pub finite_window: bool,
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
    /// No null search above has failed high yet (see [`Verification::Reduce`]).
    pub verifies: bool,
    /// The table says that the value is below beta.
    pub table_fails_low: bool,
    /// The table move is a capture.
    pub table_move_is_capture: bool,
    /// The opponent attacks none of our men with a lesser one.
    pub quiet_board: bool,
}

/// What just some rules ask for: it is worked out only where one does.
pub trait Surroundings {
    /// The numbers of pawns, knights, bishops, rooks and queens of the side to move and of the other one.
    fn men(&self) -> [[usize; 5]; 2];
    /// Whether the node is on the principal variation of the iteration before.
    fn on_previous_pv(&self) -> bool;
    /// Whether somebody has passed on the way from the root.
    fn null_above(&self) -> bool;
    /// The opponent's last move; `None` after a null move and at the root.
    fn last_move(&self) -> Option<LastMove>;
    /// The side to move.
    fn side_to_move(&self) -> Colour;
    /// The lower end of the window.
    fn alpha(&self) -> Score;
    /// Whether the search expects a fail-high.
    fn is_cut_node(&self) -> bool;
    /// The table's score and what it means; `Score::NONE` if there is none.
    fn table(&self) -> (Bound, Score);
    /// How many of our pieces are attacked by lesser men.
    fn threatened(&self) -> usize;
    /// How many of the last four positions were in check.
    fn recent_checks(&self) -> usize;
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
    /// The node is searched a ply shallower, its subtree trusts null moves; if nothing fails high it was zugzwang, and
    /// all is searched again.
    Reduce,
    /// The opponent threatens mate: the node is searched a ply deeper.
    Extend,
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

impl Policy {
    /// Whether to pass, and how deep to search then.
    pub fn attempt(
        &self,
        facts: &Facts,
        around: &impl Surroundings,
        tuned: &Tuned,
    ) -> Option<Attempt> {
        let tried = trigger::means_something(facts)
            && facts.depth.0 >= self.min_depth
            && facts.ply >= self.min_ply
            && self.repetition.allows(facts, around)
            && self.verification.has_room(facts)
            && self.trigger.fires(facts, around, tuned)
            && self.guard.allows(facts, around);
        if !tried {
            return None;
        }
        let reduction = self.reduction.plies(facts, around, tuned)?;
        Some(Attempt { depth: facts.depth - reduction })
    }

    /// What the score of the null search means for the node.
    pub fn conclude(
        &self,
        attempt: Attempt,
        score: Score,
        facts: &Facts,
        around: &impl Surroundings,
        tuned: &Tuned,
    ) -> Verdict {
        if score < facts.beta {
            let threat = self.threat_extension && score.is_loss();
            return if threat { Verdict::Extend } else { Verdict::SearchOn };
        }
        let score = if self.fail_hard { facts.beta } else { score };
        let cut = CutScore::new(score, facts.beta);
        self.verification.verdict(attempt, cut, facts, around, tuned)
    }
}

#[cfg(test)]
mod tests;
