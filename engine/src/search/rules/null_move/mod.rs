//! Null-move pruning (Beal 1989, Donninger 1993): where even passing keeps the score above beta, a
//! real move will.
//!
//! It is unsound in zugzwang, where passing would be the best move, and where the reduced search
//! misses a threat. A [`Scheme`] deals with that in two pure functions: [`Scheme::attempt`] decides
//! whether to pass and how deep to search then, [`Scheme::conclude`] what the score means. The
//! searching is done by `search::node::null_move`.
//!
//! A scheme is a record of independent choices. Each choice is an enum in a module of its own; a
//! new variant is one arm there and one test.
//!
//! | choice | module | question |
//! |---|---|---|
//! | [`Trigger`] | `trigger` | Is the node good enough to try? |
//! | [`Repetition`] | `trigger` | May null moves follow each other? |
//! | [`Guard`] | `guard` | Is zugzwang unlikely? |
//! | [`Reduction`] | `reduction` | How much shallower is the null search? |
//! | [`Verification`] | `verification` | Who confirms a fail-high? |
//!
//! The schemes with names, and where each comes from, are listed in `schemes` ([`Scheme::ALL`]);
//! the default, `nullarbor`, is explained at [`NULLARBOR`].
//!
//! [`Feature`], [`Rule`] and `search::AttemptLog` serve the study of null moves, not playing
//! strength: the tuner logs null searches and mines rules from them. They live in the engine
//! because only the node knows the features, and a mined rule must be playable as a trigger. They
//! cost nothing unless a log is set or a rule is chosen.

#[macro_use]
mod choices;
mod feature;
mod guard;
mod reduction;
mod rule;
mod schemes;
mod stats;
mod trigger;
mod verification;

pub use feature::{Feature, LastMove};
pub use guard::Guard;
pub use reduction::Reduction;
pub use rule::{Rule, TooDeep, Tree};
pub use schemes::NULLARBOR;
pub use stats::{Counts, Stats};
pub use trigger::{Repetition, Trigger};
pub use verification::Verification;

use thiserror::Error;

use super::node::Node;
use crate::params::TunedParams;
use crate::search::window::Window;
use crate::types::{Colour, Depth, Ply, Score};

/// No choice or scheme has this name. The message lists the known names.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no {what} of the null move is called `{name}`; known names: {names}")]
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

/// A scheme of null-move pruning.
///
/// ```
/// use nullarbor::search::null_move::{Guard, Reduction, Scheme};
///
/// let scheme: Scheme = "fixed-3".parse()?;
/// assert_eq!((scheme.reduction, scheme.guard), (Reduction::Fixed3, Guard::None));
/// assert_eq!(Scheme::default().name(), Some("nullarbor"));
///
/// // Choices combine freely; a combination without a name is a scheme as well.
/// let guarded = Scheme { guard: "piece".parse()?, ..scheme };
/// assert_eq!(guarded.name(), None);
/// # Ok::<(), nullarbor::search::null_move::UnknownName>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// Reduction of the null search.
    pub reduction: Reduction,
    /// Condition under which it is tried.
    pub trigger: Trigger,
    /// Pieces that must be on the board, against zugzwang.
    pub guard: Guard,
    /// Confirmation of a fail-high before the node is cut.
    pub verification: Verification,
    /// Rule by which null moves may follow each other.
    pub repetition: Repetition,
    /// Search the node a ply deeper where the null search finds that the opponent mates.
    pub threat_extension: bool,
    /// Return beta from a cut, not the score of the null search.
    pub fail_hard: bool,
    /// Try it in PV nodes too.
    pub in_pv_nodes: bool,
    /// Search the null move with the window of the node: in a PV node a score inside raises alpha (O.
    /// David-Tabibi and N. Netanyahu 2002, section 2). Otherwise with a zero window below beta.
    pub whole_window: bool,
    /// Leave alpha as it is all the same (A. Lea 2016).
    pub keep_alpha: bool,
    /// Search so many of the node's first moves in place of the null move: M of multi-cut; 0 for a
    /// null move.
    pub multi_cut_moves: usize,
    /// How many of them must reach beta for a cut: C of multi-cut.
    pub multi_cut_cuts: usize,
    /// Minimum depth of the node, in plies.
    pub min_depth: i32,
    /// Minimum distance from the root, in plies.
    pub min_ply: Ply,
}

/// The facts of a node that a scheme may know. The node's own facts are at hand; the rest is worked
/// out when a choice asks.
pub trait NodeContext {
    /// Returns the facts of the node itself.
    fn node(&self) -> &Node;
    /// Returns the side to move.
    fn side_to_move(&self) -> Colour;
    /// Returns the numbers of pawns, knights, bishops, rooks and queens of the side to move and of
    /// its opponent.
    fn piece_counts(&self) -> [[usize; 5]; 2];
    /// Returns the numbers at the root, in the same order of sides.
    fn root_piece_counts(&self) -> [[usize; 5]; 2];
    /// Returns how many pieces of the side to move are attacked by pieces of less value.
    fn threatened(&self) -> usize;
    /// Returns how many of the last four positions were in check.
    fn recent_checks(&self) -> usize;
    /// Returns the opponent's last move; `None` after a null move and at the root.
    fn last_move(&self) -> Option<LastMove>;
    /// Returns how many of the last moves were null moves, without a move between them.
    fn null_moves_in_a_row(&self) -> usize;
    /// Returns how many null moves there are on the way from the root.
    fn null_moves_above(&self) -> usize;
    /// Returns whether the node is on the principal variation of the previous iteration.
    fn on_previous_pv(&self) -> bool;
    /// Returns whether null moves of the side to move are off because a cut is being verified.
    fn nmp_disabled(&self) -> bool;
    /// Returns whether no null search above has failed high yet (see [`Verification::Reduce`]).
    fn verification_pending(&self) -> bool;
}

/// A null search to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Depth of the null search, in plies.
    pub depth: Depth,
}

/// The meaning of a null search's score for its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The node fails high with this score.
    Cut(CutScore),
    /// The node fails high with the score `cut` if a search of this depth does: an ordinary one of
    /// the node, or one with a zero window and without null moves of the side to move.
    Verify {
        /// Depth of the search, in plies.
        depth: Depth,
        /// Score of the node if it does.
        cut: CutScore,
        /// True if it is an ordinary search.
        ordinary: bool,
    },
    /// The node is searched so many plies shallower. Below it null searches have failed high; if no move
    /// of it does, it may be zugzwang ([`Verification::repeats`]).
    Reduce(i32),
    /// The score is inside the window: alpha rises to it.
    RaiseAlpha(CutScore),
    /// The opponent threatens mate: the node is searched a ply deeper.
    Extend,
    /// No conclusion: search on.
    SearchOn,
}

/// A score that a null move may prove: never a mate, for no game contains the passing that led
/// to it. There is no other way to make one than [`Scheme::conclude`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutScore(Score);

impl CutScore {
    /// Keeps an ordinary score and replaces a mate by the bound that is proven without it.
    fn new(score: Score, bound: Score) -> Self {
        Self(if score.is_win() { bound } else { score })
    }

    /// Returns the score.
    pub fn get(self) -> Score {
        self.0
    }
}

impl Scheme {
    /// Decides whether to try a null move and how deep to search after it.
    pub fn attempt(&self, context: &impl NodeContext, tuned: &TunedParams) -> Option<Attempt> {
        let node = context.node();
        let tried = trigger::is_possible(context)
            && node.depth.0 >= self.min_depth
            && node.ply >= self.min_ply
            && self.repetition.allows(context)
            && self.verification.has_room(context)
            && self.trigger.fires(context, tuned)
            && self.guard.allows(context, tuned);
        if !tried {
            return None;
        }
        let reduction = self.reduction.plies(context, tuned)?;
        Some(Attempt { depth: node.depth - reduction })
    }

    fn raises_alpha(&self) -> bool {
        self.whole_window && !self.keep_alpha
    }

    /// Decides what the `score` of the null search means for the node.
    pub fn conclude(
        &self,
        attempt: Attempt,
        score: Score,
        context: &impl NodeContext,
        tuned: &TunedParams,
    ) -> Verdict {
        let Window { alpha, beta } = context.node().window;
        if score < beta {
            return if self.threat_extension && score.is_loss() {
                Verdict::Extend
            } else if self.raises_alpha() && score > alpha && !score.is_loss() {
                Verdict::RaiseAlpha(CutScore::new(score, alpha))
            } else {
                Verdict::SearchOn
            };
        }
        let cut = CutScore::new(if self.fail_hard { beta } else { score }, beta);
        self.verification.verdict(attempt, cut, context, tuned)
    }
}

#[cfg(test)]
mod tests;
