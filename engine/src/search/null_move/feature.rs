//! What is cheap to know at a node, as numbers: what logs of null moves write down, and what learnt rules ask.

use super::{Facts, Surroundings};
use crate::types::{Bound, Colour, PieceType};

choices! {
    /// A number that a node knows of itself before it passes.
    Feature, "feature" {
        /// The side to move: 0 is White, 1 Black.
        "colour" Colour,
        /// Distance from the root.
        "ply" Ply,
        /// Depth left.
        "depth" Depth,
        /// The lower end of the window.
        "alpha" Alpha,
        /// What the null search has to reach.
        "beta" Beta,
        /// 1 in a window with a floor and a ceiling.
        "finite_window" FiniteWindow,
        /// 1 in a window wider than a point: the node belongs to the principal variation.
        "open_window" OpenWindow,
        /// 1 where the search expects a fail-high.
        "cut_node" CutNode,
        /// Static evaluation, corrected.
        "static_eval" StaticEval,
        /// The same, or the table's score where that says more.
        "eval" Eval,
        /// 1 where the evaluation has risen since our last move.
        "improving" Improving,
        /// Own men minus the opponent's: 100, 300, 300, 500, 900.
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
        /// What has just moved: 1 to 6 from pawn to king, 0 after a null move.
        "last_piece" LastPiece,
        /// Where to: 0 is a1, 7 is h1, 63 is h8; 64 after a null move.
        "last_target" LastTarget,
        /// 1 if it captured.
        "last_captured" LastCaptured,
        /// What the table's score is: 0 not there, 1 an upper bound, 2 a lower one, 3 exact.
        "table_bound" TableBound,
        /// The table's score, 0 if it is not there.
        "table_score" TableScore,
        /// How many of our pieces are attacked by lesser men.
        "threats" Threats,
        /// How often one of the last four positions was in check.
        "checks_near" ChecksNear,
    }
}

/// What a node knows of the move before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastMove {
    /// What moved; after a promotion what it became.
    pub piece: PieceType,
    /// Where to, from 0 for a1 to 63 for h8.
    pub target: usize,
    /// Whether it captured.
    pub captured: bool,
}

/// Men in the units of the phase.
const PHASE: [i32; 5] = [0, 1, 1, 2, 4];
/// The target after a null move.
const NO_SQUARE: i32 = 64;

impl Feature {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// All of a node, in order.
    pub fn all(facts: &Facts, around: &impl Surroundings) -> [i32; Self::COUNT] {
        std::array::from_fn(|index| Self::ALL[index].1.value(facts, around))
    }

    /// Its value at a node.
    pub fn value(self, facts: &Facts, around: &impl Surroundings) -> i32 {
        match self {
            Self::Colour => i32::from(around.side_to_move() == Colour::Black),
            Self::Ply => facts.ply as i32,
            Self::Depth => facts.depth.0,
            Self::Alpha => around.alpha().0,
            Self::Beta => facts.beta.0,
            Self::FiniteWindow => i32::from(facts.finite_window),
            Self::OpenWindow => i32::from(facts.beta - around.alpha() > 1),
            Self::CutNode => i32::from(around.is_cut_node()),
            Self::StaticEval => facts.static_eval.0,
            Self::Eval => facts.eval.0,
            Self::Improving => i32::from(facts.improving),
            Self::Material => material(around),
            Self::StaticEvalMinusBeta => facts.static_eval - facts.beta,
            Self::EvalMinusBeta => facts.eval - facts.beta,
            Self::MaterialMinusBeta => material(around) - facts.beta.0,
            Self::Phase => sums(around, PHASE).iter().sum(),
            Self::OwnPieces => pieces(around, 0),
            Self::TheirPieces => pieces(around, 1),
            Self::LastPiece => around.last_move().map_or(0, |last| 1 + last.piece as i32),
            Self::LastTarget => around.last_move().map_or(NO_SQUARE, |last| last.target as i32),
            Self::LastCaptured => i32::from(around.last_move().is_some_and(|last| last.captured)),
            Self::TableBound => match around.table().0 {
                Bound::None => 0,
                Bound::Upper => 1,
                Bound::Lower => 2,
                Bound::Exact => 3,
            },
            Self::TableScore => {
                let (_, score) = around.table();
                if score.is_some() { score.0 } else { 0 }
            }
            Self::Threats => around.threatened() as i32,
            Self::ChecksNear => around.recent_checks() as i32,
        }
    }
}

/// Own men minus the opponent's, in centipawns.
pub(super) fn material(around: &impl Surroundings) -> i32 {
    let [own, other] = sums(around, PieceType::VALUES);
    own - other
}

fn sums(around: &impl Surroundings, worth: [i32; 5]) -> [i32; 2] {
    around.men().map(|men| men.iter().zip(worth).map(|(&count, worth)| count as i32 * worth).sum())
}

fn pieces(around: &impl Surroundings, side: usize) -> i32 {
    around.men()[side][1..].iter().sum::<usize>() as i32
}
