//! Triggers: when a null move is tried.

use super::NodeContext;
use super::feature::material;
use super::rule::Rule;
use crate::params::Params;
use crate::search::rules::node::Node;
use crate::types::{Bound, PieceType};

/// The condition under which a null move is tried, where one is possible at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Always.
    Always,
    /// Not while the search follows the principal variation of the iteration before (J. Pettersson
    /// 2007).
    OffPreviousPv,
    /// The static evaluation is at least beta.
    Evaluation,
    /// The static evaluation is above beta, as the guide has it.
    AboveBeta,
    /// The search expects a fail-high (Y. Björnsson and T. Marsland, for multi-cut).
    CutNode,
    /// The material is more than a pawn above beta, the window is finite, and the opponent's last
    /// move was not a king move (A. Lea 2016, mined from logged searches).
    Lea,
    /// The evaluation is above beta by a margin that loosens with depth, and the table does not
    /// object: the engine's own, see [`NULLARBOR`](super::NULLARBOR).
    Margin,
    /// A rule mined from logs says so.
    Rule(Rule),
}

read_by_name!(Trigger, "trigger");

choices! {
    /// The rule by which null moves may follow each other.
    Repetition, "repetition" {
        /// Not two in a row: that would give the same position one ply later.
        "single" Single,
        /// At most one on the way from the root.
        "once" OncePerBranch,
        /// At most two on the way from the root, in a row or not (J. Pettersson 2007 names it).
        "twice" TwicePerBranch,
        /// Two in a row, but not three: the second, after which the first side is to move again, may
        /// show that it is in zugzwang (V. Diepeveen 1997).
        "pair" Pair,
        /// Any number in a row.
        "double" Double,
    }
}

/// Lea's rule: how far the material must be above beta, in centipawns.
const LEA_MARGIN: i32 = 100;

/// Returns whether a null move is legal and can prove anything: not in check, not in a singular
/// search, not against a lost beta, not where a verification has switched null moves off.
pub(super) fn is_possible(context: &impl NodeContext) -> bool {
    let node = context.node();
    let singular = node.excluded.is_some();
    !node.in_check && !singular && !context.nmp_disabled() && !node.window.beta.is_loss()
}

impl Trigger {
    /// All triggers with names, in order; a mined rule has none.
    pub const ALL: &[(&str, Self)] = &[
        ("always", Self::Always),
        ("off-pv", Self::OffPreviousPv),
        ("eval", Self::Evaluation),
        ("above-beta", Self::AboveBeta),
        ("cut-node", Self::CutNode),
        ("lea", Self::Lea),
        ("nullarbor", Self::Margin),
    ];

    pub(super) fn fires(self, context: &impl NodeContext, params: &Params) -> bool {
        let node = context.node();
        let (static_eval, beta) = (node.evals.static_eval, node.window.beta);
        match self {
            Self::Always => true,
            Self::OffPreviousPv => !context.on_previous_pv(),
            Self::Evaluation => static_eval >= beta,
            Self::AboveBeta => static_eval > beta,
            Self::CutNode => node.cut_node,
            Self::Lea => {
                node.window.is_finite()
                    && context.last_move().is_none_or(|last| last.piece != PieceType::King)
                    && material(context) > beta.0 + LEA_MARGIN
            }
            Self::Margin => is_above_margin(node, params),
            Self::Rule(rule) => rule.says_yes(context),
        }
    }
}

impl Repetition {
    pub(super) fn allows(self, context: &impl NodeContext) -> bool {
        match self {
            Self::Single => context.null_moves_in_a_row() == 0,
            Self::OncePerBranch => context.null_moves_above() == 0,
            Self::TwicePerBranch => context.null_moves_above() < 2,
            Self::Pair => context.null_moves_in_a_row() < 2,
            Self::Double => true,
        }
    }
}

/// The trigger of the default scheme.
fn is_above_margin(node: &Node, params: &Params) -> bool {
    let (evals, tt, beta) = (&node.evals, &node.tt, node.window.beta);
    let margin = params.null_move_margin_base
        - params.null_move_margin_depth_scale * node.depth.0
        - i32::from(evals.improving) * params.null_move_margin_improving
        + i32::from(!node.cut_node) * params.null_move_margin_all_node;
    let tt_fails_low = tt.bound == Bound::Upper && tt.score < beta;
    node.depth.0 >= params.null_move_min_depth
        && evals.eval >= beta
        && evals.static_eval - beta >= margin
        && !tt_fails_low
}
