//! The named schemes.
//!
//! | name | defined by | source |
//! |---|---|---|
//! | `nullarbor` | [`NULLARBOR`] | this engine; the default |
//! | `off` | [`NULLARBOR`] with `Reduction::Off` | no null moves |
//! | `mediocre` | `MEDIOCRE`, `Trigger::OffPreviousPv` | J. Pettersson's guide to Mediocre (2007) |
//! | `micromax` | `MICROMAX`, `Guard::CapturedAtRoot` | H. G. Muller, micro-Max 4 |
//! | `impchess` | `IMPCHESS`, `Repetition::OncePerBranch` | A. Lea, ImpChess (2016) |
//! | `impchess-triggered` | `IMPCHESS_TRIGGERED`, `Trigger::Lea` | the same with the trigger he mined |
//! | `guide-fixed` | `GUIDE_FIXED`, `Trigger::Evaluation` | "Null Move Pruning" in a Chess Programming Guide, R = 2 |
//! | `guide-adaptive` | `GUIDE_ADAPTIVE`, `Reduction::Adaptive` | the same guide, R = 2 or 3 |
//! | `guide-formula` | `GUIDE_FORMULA`, `Reduction::Guide` | the same guide, R by formula |
//! | `heinz` | `HEINZ`, `Reduction::Heinz` | E. Heinz, adaptive null-move pruning (1999) |
//! | `verified` | `VERIFIED`, `Verification::Reduce` | O. David-Tabibi and N. Netanyahu (2002) |
//! | `guide-verified` | `GUIDE_VERIFIED`, `Verification::Guide` | the guide, R by formula, with its own verification |
//! | `double` | `DOUBLE`, `Repetition::Pair` | V. Diepeveen, double null move (1997) |
//! | `extended` | `EXTENDED`, `Verification::ReduceBy4` | the same authors, extended null-move reductions (2008) |
//! | `multi-cut` | `MULTI_CUT`, `Trigger::CutNode` | Y. Björnsson and T. Marsland, multi-cut (1999, 2001); no null move |
//! | `fixed-1` ... `fixed-4` | `PLAIN` with `Reduction::Fixed1` ... | fixed R, the rivals of `verified` |

use std::str::FromStr;

use super::{Guard, Reduction, Repetition, Scheme, Trigger, UnknownName, Verification};
use crate::types::Ply;

/// The scheme that most sources have in common. The other constants name their differences from it.
const PLAIN: Scheme = Scheme {
    reduction: Reduction::Fixed2,
    trigger: Trigger::Always,
    guard: Guard::None,
    verification: Verification::None,
    repetition: Repetition::Single,
    threat_extension: false,
    fail_hard: false,
    in_pv_nodes: true,
    whole_window: false,
    keep_alpha: false,
    multi_cut_moves: 0,
    multi_cut_cuts: 0,
    min_depth: 1,
    min_ply: 1,
};

/// R = 2, no two null moves in a row, none while following the previous principal variation.
/// Mediocre had no guard against zugzwang at the time.
const MEDIOCRE: Scheme = Scheme { trigger: Trigger::OffPreviousPv, ..PLAIN };

/// R = 2, off once few pieces are left at the root; only the depth ends a sequence of null moves.
/// A promoted piece that is gone again does not show in the root's pieces; micro-Max has counted it.
const MICROMAX: Scheme =
    Scheme { guard: Guard::CapturedAtRoot, repetition: Repetition::Double, ..PLAIN };

/// R = 2, one null move in a branch, none right after the root; its search has the whole window, and
/// a score below beta is not used.
const IMPCHESS: Scheme = Scheme {
    repetition: Repetition::OncePerBranch,
    whole_window: true,
    keep_alpha: true,
    min_ply: 2 as Ply,
    ..PLAIN
};

const IMPCHESS_TRIGGERED: Scheme = Scheme { trigger: Trigger::Lea, ..IMPCHESS };

/// R = 2 where the evaluation reaches beta and the side to move has a piece.
const GUIDE_FIXED: Scheme = Scheme {
    trigger: Trigger::Evaluation,
    guard: Guard::OwnPiece,
    threat_extension: true,
    fail_hard: true,
    min_depth: 3,
    ..PLAIN
};

const GUIDE_ADAPTIVE: Scheme = Scheme { reduction: Reduction::Adaptive, ..GUIDE_FIXED };

/// With verification where zugzwang is likely; [`GUIDE_VERIFIED`] is nearer to its text.
const GUIDE_FORMULA: Scheme = Scheme {
    reduction: Reduction::Guide,
    verification: Verification::LikelyZugzwang,
    ..GUIDE_FIXED
};

/// With the guide's own trigger, and its verification where zugzwang is likely: an ordinary search.
/// The guide has one evaluation; trigger and reduction both ask the static one.
const GUIDE_VERIFIED: Scheme = Scheme {
    reduction: Reduction::GuideStatic,
    trigger: Trigger::AboveBeta,
    verification: Verification::Guide,
    ..GUIDE_FORMULA
};

const HEINZ: Scheme = Scheme { reduction: Reduction::Heinz, guard: Guard::OwnPiece, ..PLAIN };

/// Without a guard, like `fixed-1` to `fixed-3`. The paper says that null moves are avoided where one
/// side or both have king and pawns ([`Guard::BothHavePiece`]), but also that it took such positions
/// from its suites because verification does much better there, which it could not with that guard.
const VERIFIED: Scheme =
    Scheme { reduction: Reduction::Fixed3, verification: Verification::Reduce, ..PLAIN };

/// R = 3, two null moves in a row; no guard, for the second null move is one. After two passes the
/// position has the key of the node itself, unless they lose an en passant square, so that the table
/// may answer from the iteration before in place of the search that is to show zugzwang.
const DOUBLE: Scheme =
    Scheme { reduction: Reduction::Fixed3, repetition: Repetition::Pair, ..PLAIN };

/// R = 3 or 4, and a reduction by four plies in place of a cut; no guard, for moves decide. After the
/// Chess Programming Wiki: the article was not at hand.
const EXTENDED: Scheme =
    Scheme { reduction: Reduction::Extended, verification: Verification::ReduceBy4, ..PLAIN };

/// Multi-cut: the first moves (M = 6) of a cut-node are searched to depth - 1 - R, R = 2, and the node
/// is left if some of them (C = 3) reach beta. These moves are real ones, so it needs no
/// guard. The articles were not at hand: the pseudo-code and the examples of M and C are those of the
/// Chess Programming Wiki, R is ours, and so is that a node in check is left out.
const MULTI_CUT: Scheme = Scheme {
    trigger: Trigger::CutNode,
    fail_hard: true,
    in_pv_nodes: false,
    multi_cut_moves: 6,
    multi_cut_cuts: 3,
    min_depth: 2,
    ..PLAIN
};

/// The default scheme, in the order in which a node meets it. Parameters are those of
/// [`Params`](crate::params::Params) with the prefix `null_move_`; scores are centipawns, depths
/// plies, reductions 1024ths of a ply.
///
/// **Where.** Non-PV nodes ([`Scheme::in_pv_nodes`]) outside of singular searches, not in check,
/// not after another null move ([`Repetition::Single`]), not against a beta that is a lost
/// mate, and not for a side whose cut is being verified.
///
/// **Trigger** ([`Trigger::Margin`]). All of: `depth >= min_depth`; the table does not hold an
/// upper bound below beta; `eval >= beta`, where `eval` is the static evaluation or a TT score
/// that says more; and
///
/// ```text
/// static_eval >= beta + margin_base - margin_depth_scale * depth
///                     - (improving ? margin_improving : 0)
///                     + (cut_node ? 0 : margin_all_node)
/// ```
///
/// The margin loosens with depth because the deeper the search, the more a cut saves.
///
/// **Guard** ([`Guard::BothWorthMore`]). Both sides have pieces worth more than `guard_material`: one
/// piece is enough. Without them zugzwang is common.
///
/// **Reduction** ([`Reduction::Formula`]). The null search has depth `depth - r`; r counts the ply
/// of the null move, so it is the literature's R + 1:
///
/// ```text
/// r = max(1, sum / 1024), with the sum of
///   base                                                 for every null search
///   depth * 1024 * 1024 / depth_divisor                  deep cuts save most
///   min((eval - beta) * 1024 / eval_divisor, eval_cap)   a side far ahead needs less proof
///   improving                                            if the evaluation has risen
///   tt_capture                                           if the TT move is a capture
///   quiet_board                                          if no own piece is attacked by one of
///                                                        less value
/// ```
///
/// R that grows with depth goes back to Donninger (1993) and Heinz (1999), R that grows with the
/// lead to engines such as Stockfish. The values were tuned by SPSA on games.
///
/// **Result.** A score below beta decides nothing. A score from beta on cuts the node (fail-soft);
/// a mate among them is lowered to beta by [`CutScore`](super::CutScore), for no game contains the
/// passing that led to it.
///
/// **Verification** ([`Verification::Deep`]). From depth `verify_depth` on, the node is first
/// searched at the reduced depth without null moves of the side to move, and cut only if that
/// reaches beta as well. Deep down a wrong cut is cheap and soon corrected; near the root it
/// decides the game.
pub const NULLARBOR: Scheme = Scheme {
    reduction: Reduction::Formula,
    trigger: Trigger::Margin,
    guard: Guard::BothWorthMore,
    verification: Verification::Deep,
    repetition: Repetition::Single,
    threat_extension: false,
    fail_hard: false,
    in_pv_nodes: false,
    whole_window: false,
    keep_alpha: false,
    multi_cut_moves: 0,
    multi_cut_cuts: 0,
    min_depth: 1,
    min_ply: 1,
};

impl Scheme {
    /// All named schemes, the default first.
    pub const ALL: &[(&str, Self)] = &[
        ("nullarbor", NULLARBOR),
        ("off", Scheme { reduction: Reduction::Off, ..NULLARBOR }),
        ("mediocre", MEDIOCRE),
        ("micromax", MICROMAX),
        ("impchess", IMPCHESS),
        ("impchess-triggered", IMPCHESS_TRIGGERED),
        ("guide-fixed", GUIDE_FIXED),
        ("guide-adaptive", GUIDE_ADAPTIVE),
        ("guide-formula", GUIDE_FORMULA),
        ("heinz", HEINZ),
        ("guide-verified", GUIDE_VERIFIED),
        ("verified", VERIFIED),
        ("double", DOUBLE),
        ("extended", EXTENDED),
        ("multi-cut", MULTI_CUT),
        ("fixed-1", Scheme { reduction: Reduction::Fixed1, ..PLAIN }),
        ("fixed-2", PLAIN),
        ("fixed-3", Scheme { reduction: Reduction::Fixed3, ..PLAIN }),
        ("fixed-4", Scheme { reduction: Reduction::Fixed4, ..PLAIN }),
    ];

    /// Returns the scheme with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, scheme)| *scheme)
    }

    /// Returns the name of this scheme, if it has one.
    pub fn name(&self) -> Option<&'static str> {
        Self::ALL.iter().find(|(_, scheme)| scheme == self).map(|(name, _)| *name)
    }
}

impl Default for Scheme {
    fn default() -> Self {
        NULLARBOR
    }
}

impl FromStr for Scheme {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let names = Self::ALL.iter().map(|(name, _)| *name);
        Self::named(name).ok_or_else(|| UnknownName::new("scheme", name, names))
    }
}
