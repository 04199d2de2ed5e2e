//! Probing the tablebases in the tree, as Stockfish does it: right after a capture or pawn move,
//! where the outcome does not depend on the halfmove clock.

use nullarbor_chess::board::Position;

use crate::search::rules::node::TtInfo;
use crate::search::window::Window;
use crate::search::worker::Search;
use crate::tablebase::Wdl;
use crate::types::{Bound, Depth, MAX_PLY, Ply, Score};

/// Plies that the tables add to the depth of an entry: their outcome is worth more than a search.
const ENTRY_DEPTH: i32 = 6;

/// The answer of the tables about a node.
pub enum Probed {
    /// Nothing.
    Unknown,
    /// The score of the node.
    Score(Score),
    /// A bound of its score, which does not settle the node.
    Bound(Bound, Score),
}

impl Probed {
    /// Returns the range that the bound leaves for the score of the node.
    pub fn range(&self) -> Window {
        match *self {
            Self::Bound(Bound::Lower, least) => Window { alpha: least, ..Window::OPEN },
            Self::Bound(_, most) => Window { beta: most, ..Window::OPEN },
            Self::Unknown | Self::Score(_) => Window::OPEN,
        }
    }
}

impl Search<'_> {
    /// Returns whether the node may be in the tables. It is asked at every node.
    #[inline]
    pub(super) fn may_be_in_tb(&self, position: &Position) -> bool {
        self.tb_pieces > 0 && position.halfmove_clock() == 0
    }

    /// Probes the tables.
    #[cold]
    pub(super) fn probe_tb(
        &mut self,
        position: &Position,
        ply: Ply,
        depth: Depth,
        window: Window,
    ) -> Probed {
        let shared = self.shared;
        let Some(tb) = &shared.tb else { return Probed::Unknown };
        let pieces = position.occupied().count();
        if pieces > tb.pieces || pieces == tb.pieces && depth < tb.depth {
            return Probed::Unknown;
        }
        let wdl = tb.tablebases.probe_wdl(position);
        // A table that is read for the first time may take as long as thousands of nodes.
        self.poll_at_next_node();
        for fault in tb.tablebases.new_faults() {
            shared.sink.report_fault(&fault);
        }
        let Some(wdl) = wdl else { return Probed::Unknown };
        shared.control.add_tb_hits(self.thread, 1);
        let (score, bound) = scored(wdl, tb.fifty_moves, ply);
        let settles = match bound {
            Bound::Lower => score >= window.beta,
            Bound::Upper => score <= window.alpha,
            Bound::None | Bound::Exact => true,
        };
        if !settles {
            return Probed::Bound(bound, score);
        }
        let depth = Some(Depth((depth.0 + ENTRY_DEPTH).min(MAX_PLY as i32 - 1)));
        self.store_tt(position, ply, &TtInfo { score, bound, depth, ..TtInfo::MISS });
        Probed::Score(score)
    }
}

/// Returns the score of an outcome. A win may still be a mate, so it is a bound.
fn scored(wdl: Wdl, fifty_moves: bool, ply: Ply) -> (Score, Bound) {
    let win = Score::tb_win(ply);
    match wdl {
        Wdl::Win => (win, Bound::Lower),
        Wdl::CursedWin if !fifty_moves => (win, Bound::Lower),
        Wdl::Loss => (-win, Bound::Upper),
        Wdl::BlessedLoss if !fifty_moves => (-win, Bound::Upper),
        // Draws, in which the other side still may go wrong.
        Wdl::CursedWin => (Score::DRAW + 2, Bound::Exact),
        Wdl::BlessedLoss => (Score::DRAW - 2, Bound::Exact),
        Wdl::Draw => (Score::DRAW, Bound::Exact),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fifty_move_rule_makes_draws() {
        for (wdl, with, without) in [(Wdl::CursedWin, 2, 1), (Wdl::BlessedLoss, -2, -1)] {
            let (score, bound) = scored(wdl, true, 5);
            assert_eq!((score.0, bound), (with, Bound::Exact));
            let (score, bound) = scored(wdl, false, 5);
            assert!(score.is_decisive() && bound != Bound::Exact);
            assert_eq!(score.0.signum(), without);
        }
    }

    #[test]
    fn a_bound_limits_a_score() {
        let win = Score::tb_win(3);
        let limited = |probed: Probed, score: Score| {
            let range = probed.range();
            score.clamp(range.alpha, range.beta)
        };
        assert_eq!(limited(Probed::Bound(Bound::Lower, win), Score(50)), win);
        let mate = Score::mate_in(5);
        assert_eq!(limited(Probed::Bound(Bound::Lower, win), mate), mate);
        assert_eq!(limited(Probed::Bound(Bound::Upper, -win), Score(50)), -win);
        assert_eq!(limited(Probed::Unknown, Score(50)), Score(50));
    }
}
