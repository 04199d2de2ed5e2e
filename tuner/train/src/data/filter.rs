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

/// Why a position is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// It stands too few plies after the opening.
    Early,
    /// The side to move is in check.
    InCheck,
    /// The best move captures or promotes.
    Noisy,
    /// The score is a proven mate.
    Decisive,
    /// The score is beyond the limit.
    Score,
}

impl Dropped {
    /// All reasons, in the order in which they are asked for.
    pub const ALL: [Self; 5] =
        [Self::Early, Self::InCheck, Self::Noisy, Self::Decisive, Self::Score];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Early => "early",
            Self::InCheck => "in check",
            Self::Noisy => "best move captures or promotes",
            Self::Decisive => "mate score",
            Self::Score => "score beyond the limit",
        }
    }
}

impl Filter {
    /// Says why a position is left out that stood `ply` plies after the opening: the first reason of [`Dropped::ALL`] that
    /// applies. `None` where it is kept.
    pub fn verdict(
        &self,
        ply: usize,
        position: &Position,
        best: Move,
        score: Score,
    ) -> Option<Dropped> {
        Dropped::ALL.into_iter().find(|reason| match reason {
            Dropped::Early => ply < self.early,
            Dropped::InCheck => position.in_check(),
            Dropped::Noisy => best.is_capture() || best.promotion().is_some(),
            Dropped::Decisive => score.is_decisive(),
            Dropped::Score => score.0.abs() > self.most,
        })
    }

    /// Whether a position is kept that stood `ply` plies after the opening: nobody is in check, the best move takes nothing and
    /// does not promote, and the game is not decided.
    pub fn keeps(&self, ply: usize, position: &Position, best: Move, score: Score) -> bool {
        self.verdict(ply, position, best, score).is_none()
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
    #[test]
    fn the_first_reason_counts() {
        let filter = Filter::default();
        let verdict = |fen: &str, mv: &str, ply, score| {
            let position = Position::from_fen(fen).expect(fen);
            let best = position.parse_uci(mv).expect(mv);
            filter.verdict(ply, &position, best, score)
        };
        const CHECK: &str = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1";
        const QUIET: &str = "4k3/P7/8/8/3p4/4P3/8/4K3 w - - 0 1";
        let mate = Score::mate_in(3);
        assert_eq!(verdict(CHECK, "e1e2", 7, mate), Some(Dropped::Early));
        assert_eq!(verdict(CHECK, "e1e2", 8, mate), Some(Dropped::InCheck));
        assert_eq!(verdict(QUIET, "e3d4", 8, mate), Some(Dropped::Noisy));
        assert_eq!(verdict(QUIET, "a7a8q", 8, mate), Some(Dropped::Noisy));
        assert_eq!(verdict(QUIET, "e1e2", 8, -mate), Some(Dropped::Decisive));
        assert_eq!(verdict(QUIET, "e1e2", 8, Score(-3001)), Some(Dropped::Score));
        assert_eq!(verdict(QUIET, "e1e2", 8, Score(-3000)), None);
    }
}
