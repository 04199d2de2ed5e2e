//! Features of a node, as numbers: what logs of null moves record, and what mined rules ask.

use super::NodeContext;
use crate::types::{Bound, Colour, PieceType};

choices! {
    /// A number that a node knows before its null move. Scores are centipawns for the side to move.
    Feature, "feature" {
        /// The side to move: 0 is White, 1 Black.
        "colour" Colour,
        /// Distance from the root.
        "ply" Ply,
        /// Depth left.
        "depth" Depth,
        /// The lower end of the window.
        "alpha" Alpha,
        /// The upper end of the window: what the null search has to reach.
        "beta" Beta,
        /// 1 in a window with a floor and a ceiling.
        "finite_window" FiniteWindow,
        /// 1 in a window wider than a point: the node belongs to the principal variation.
        "open_window" OpenWindow,
        /// 1 where the search expects a fail-high.
        "cut_node" CutNode,
        /// Static evaluation, corrected.
        "static_eval" StaticEval,
        /// The same, or the TT score where that says more.
        "eval" Eval,
        /// 1 where the evaluation has risen since the side's previous move.
        "improving" Improving,
        /// Own pieces minus the opponent's: 100, 300, 300, 500, 900.
        "material" Material,
        /// `static_eval - beta`.
        "static_eval_minus_beta" StaticEvalMinusBeta,
        /// `eval - beta`.
        "eval_minus_beta" EvalMinusBeta,
        /// `material - beta`.
        "material_minus_beta" MaterialMinusBeta,
        /// Knights and bishops 1, rooks 2, queens 4, of both sides: 24 at the beginning.
        "phase" Phase,
        /// Own knights, bishops, rooks and queens.
        "own_pieces" OwnPieces,
        /// The opponent's.
        "their_pieces" TheirPieces,
        /// Piece of the opponent's last move: 1 to 6 from pawn to king, 0 after a null move.
        "last_piece" LastPiece,
        /// Target of that move: 0 is a1, 7 is h1, 63 is h8; 64 after a null move.
        "last_target" LastTarget,
        /// 1 if it was a capture.
        "last_captured" LastCaptured,
        /// Bound type of the TT score: 0 none, 1 upper, 2 lower, 3 exact.
        "table_bound" TtBound,
        /// The TT score, 0 if there is none.
        "table_score" TtScore,
        /// Number of own pieces that are attacked by pieces of less value.
        "threats" Threats,
        /// Number of the last four positions that were in check.
        "checks_near" ChecksNear,
    }
}

/// The move that led to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastMove {
    /// The piece that moved; after a promotion the new piece.
    pub piece: PieceType,
    /// Target, from 0 for a1 to 63 for h8.
    pub target: usize,
    /// True if the move was a capture.
    pub captured: bool,
}

/// Values of the pieces without pawns, in centipawns.
pub(super) const PIECES: [i32; 5] = {
    let [_, knight, bishop, rook, queen] = PieceType::VALUES;
    [0, knight, bishop, rook, queen]
};
/// Piece values in units of the game phase.
const PHASE: [i32; 5] = [0, 1, 1, 2, 4];
/// The target after a null move.
const NO_SQUARE: i32 = 64;

impl Feature {
    /// Number of features.
    pub const COUNT: usize = Self::ALL.len();

    /// Returns all features of a node, in the order of [`Feature::ALL`].
    pub fn all(context: &impl NodeContext) -> [i32; Self::COUNT] {
        std::array::from_fn(|index| Self::ALL[index].1.value(context))
    }

    /// Returns the value of the feature at a node.
    pub fn value(self, context: &impl NodeContext) -> i32 {
        let node = context.node();
        let (window, evals) = (node.window, &node.evals);
        match self {
            Self::Colour => i32::from(context.side_to_move() == Colour::Black),
            Self::Ply => node.ply as i32,
            Self::Depth => node.depth.0,
            Self::Alpha => window.alpha.0,
            Self::Beta => window.beta.0,
            Self::FiniteWindow => i32::from(window.is_finite()),
            Self::OpenWindow => i32::from(window.beta - window.alpha > 1),
            Self::CutNode => i32::from(node.cut_node),
            Self::StaticEval => evals.static_eval.0,
            Self::Eval => evals.eval.0,
            Self::Improving => i32::from(evals.improving),
            Self::Material => material(context),
            Self::StaticEvalMinusBeta => evals.static_eval - window.beta,
            Self::EvalMinusBeta => evals.eval - window.beta,
            Self::MaterialMinusBeta => material(context) - window.beta.0,
            Self::Phase => weighted(context, PHASE).iter().sum(),
            Self::OwnPieces => own_pieces(context) as i32,
            Self::TheirPieces => their_pieces(context) as i32,
            Self::LastPiece => context.last_move().map_or(0, |last| 1 + last.piece as i32),
            Self::LastTarget => context.last_move().map_or(NO_SQUARE, |last| last.target as i32),
            Self::LastCaptured => i32::from(context.last_move().is_some_and(|last| last.captured)),
            Self::TtBound => match node.tt.bound {
                Bound::None => 0,
                Bound::Upper => 1,
                Bound::Lower => 2,
                Bound::Exact => 3,
            },
            Self::TtScore if node.tt.score.is_some() => node.tt.score.0,
            Self::TtScore => 0,
            Self::Threats => context.threatened() as i32,
            Self::ChecksNear => context.recent_checks() as i32,
        }
    }
}

/// Returns own material minus the opponent's, in centipawns.
pub(super) fn material(context: &impl NodeContext) -> i32 {
    let [own, other] = weighted(context, PieceType::VALUES);
    own - other
}

/// Returns the number of knights, bishops, rooks and queens of the side to move.
pub(super) fn own_pieces(context: &impl NodeContext) -> usize {
    context.piece_counts()[0][1..].iter().sum()
}

/// Returns the same number of the opponent.
pub(super) fn their_pieces(context: &impl NodeContext) -> usize {
    context.piece_counts()[1][1..].iter().sum()
}

/// Returns the weighted sum of the pieces of each side.
pub(super) fn weighted(context: &impl NodeContext, weights: [i32; 5]) -> [i32; 2] {
    weigh(context.piece_counts(), weights)
}

/// Returns the weighted sum of counted pieces of each side.
pub(super) fn weigh(counts: [[usize; 5]; 2], weights: [i32; 5]) -> [i32; 2] {
    counts.map(|counts| {
        counts.iter().zip(weights).map(|(&count, weight)| count as i32 * weight).sum()
    })
}
