//! When to pass.

use super::feature::material;
use super::rule::Rule;
use super::{Facts, Surroundings};
use crate::params::Params;
use crate::types::PieceType;

/// When a null move is tried, where it is legal and means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Always.
    Always,
    /// Not while the search follows the principal variation of the iteration before (J. Pettersson 2007).
    OffPreviousPv,
    /// Where the static evaluation is at least beta.
    Evaluation,
    /// Where the material is more than a pawn above beta, the window is finite, and the opponent has not just moved
    /// its king (M. Lea 2016; mined from logged searches).
    Lea,
    /// Where the evaluation is above beta by a margin that loosens with depth, and the table does not object.
    Tuned,
    /// Where the static evaluation is hardly below beta and the node no leaf: mined here from 2.9 million null searches,
    /// see `tuner/NULL_MOVE.md`.
    Mined,
    /// Where a rule learnt from logs says so.
    Rule(Rule),
}

read_by_name!(Trigger, "trigger");

choices! {
    /// Whether null moves may follow each other.
    Repetition, "repetition" {
        /// Not two in a row: that would be the same position one ply later.
        "single" Single,
        /// At most one on the way from the root.
        "once" OncePerBranch,
        /// Both sides may pass, one after the other.
        "double" Double,
    }
}

/// What Lea's rule asks the material to be above beta.
const LEA_MARGIN: i32 = 100;
/// What the rule mined here asks: the depth in plies, and the evaluation against beta in centipawns.
const MINED_DEPTH: i32 = 2;
const MINED_LEAD: i32 = -2;

/// Passing must be legal and must mean something: not in check, not while a move is left out, not with a lost beta
/// (nothing to prove), not where the side is barred by a verification.
pub(super) fn means_something(facts: &Facts) -> bool {
    !facts.in_check && !facts.excluding && !facts.barred && !facts.beta.is_loss()
}

impl Trigger {
    /// All that have names, in order. A rule has none.
    pub const ALL: &[(&str, Self)] = &[
        ("always", Self::Always),
        ("off-pv", Self::OffPreviousPv),
        ("eval", Self::Evaluation),
        ("lea", Self::Lea),
        ("nullarbor", Self::Tuned),
        ("mined", Self::Mined),
    ];

    pub(super) fn fires(self, facts: &Facts, around: &impl Surroundings, params: &Params) -> bool {
        match self {
            Self::Always => true,
            Self::OffPreviousPv => !around.on_previous_pv(),
            Self::Evaluation => facts.static_eval >= facts.beta,
            Self::Lea => {
                facts.finite_window
                    && around.last_move().is_none_or(|last| last.piece != PieceType::King)
                    && material(around) > facts.beta.0 + LEA_MARGIN
            }
            Self::Tuned => by_margin(facts, params),
            Self::Mined => {
                facts.depth.0 >= MINED_DEPTH && facts.static_eval - facts.beta >= MINED_LEAD
            }
            Self::Rule(rule) => rule.says_yes(facts, around),
        }
    }
}

impl Repetition {
    pub(super) fn allows(self, facts: &Facts, around: &impl Surroundings) -> bool {
        match self {
            Self::Single => !facts.after_null,
            Self::OncePerBranch => !around.null_above(),
            Self::Double => true,
        }
    }
}

/// Passing is worth a try where the evaluation is above beta by a margin that loosens with depth, for
/// the deeper the search, the more it saves; and where the table does not say that it fails.
fn by_margin(facts: &Facts, params: &Params) -> bool {
    let improving = i32::from(facts.improving) * params.null_move_margin_improving;
    let margin = params.null_move_margin_base
        - params.null_move_margin_depth_scale * facts.depth.0
        - improving;
    facts.depth.0 >= params.null_move_min_depth
        && facts.eval >= facts.beta
        && facts.static_eval >= facts.beta + margin
        && !facts.table_fails_low
}
