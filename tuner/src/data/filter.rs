//! Which positions teach an evaluation something: quiet ones, in which nothing is decided.

use nullarbor::board::Position;
use nullarbor::types::{Move, Score};
use serde::{Deserialize, Serialize};

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// So many plies after the opening, whose moves were made by chance.
    pub early: usize,
    /// Where a side is so far ahead, in centipawns.
    pub most: i32,
}

impl Default for Filter {
    fn default() -> Self {
        Self { early: 8, most: 3000 }
    }
}

impl Filter {
    /// Whether a position is kept that stood `ply` plies after the opening: nobody is in check, the best move takes nothing and
    /// does not promote, and the game is not decided.
    pub fn keeps(&self, ply: usize, position: &Position, best: Move, score: Score) -> bool {
        ply >= self.early
            && score.0.abs() <= self.most
            && !score.is_decisive()
            && !best.is_capture()
            && best.promotion().is_none()
            && !position.in_check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_positions_are_kept() {
        let filter = Filter::default();
        let keeps = |fen: &str, mv: &str, ply, score| {
            let position = Position::from_fen(fen).expect(fen);
            let best = position.parse_uci(mv).expect(mv);
            filter.keeps(ply, &position, best, Score(score))
        };
        const QUIET: &str = "4k3/P7/8/8/3p4/4P3/8/4K3 w - - 0 1";
        assert!(keeps(QUIET, "e1e2", 8, 100));
        assert!(!keeps(QUIET, "e1e2", 7, 100), "early");
        assert!(!keeps(QUIET, "e1e2", 8, 3001), "decided");
        assert!(!keeps(QUIET, "e3d4", 8, 100), "takes");
        assert!(!keeps(QUIET, "a7a8n", 8, 100), "promotes");
        assert!(!keeps("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "e1d1", 8, 100), "in check");
    }
}
