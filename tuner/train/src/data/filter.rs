//! Selects the positions that are trained on: quiet ones of games that are not yet decided.

use nullarbor::board::Position;
use nullarbor::types::{Move, Score};
use serde::{Deserialize, Serialize};

/// The limits beyond which positions are dropped.
///
/// ```
/// use nullarbor::board::Position;
/// use nullarbor::types::Score;
/// use nullarbor_train::data::filter::{DropReason, Filter};
///
/// let filter = Filter { skip_plies: 8, max_score: 3000 };
/// let position = Position::start();
/// let best = position.parse_uci("g1f3")?;
/// assert!(filter.keeps(8, &position, best, Score(25)));
/// assert_eq!(filter.drop_reason(7, &position, best, Score(25)), Some(DropReason::Early));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::Args, Serialize, Deserialize)]
pub struct Filter {
    /// Skip positions of this many plies after the opening
    #[arg(long, alias = "early", value_name = "PLIES", default_value_t = Filter::default().skip_plies)]
    #[serde(rename = "early")]
    pub skip_plies: usize,
    /// Skip positions with a larger absolute score
    #[arg(long, alias = "most", value_name = "CENTIPAWNS", default_value_t = Filter::default().max_score)]
    #[serde(rename = "most")]
    pub max_score: i32,
}

impl Default for Filter {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Why a position is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DropReason {
    /// The position has no score: its search was short, or nobody searched it.
    Unscored,
    /// The position is within the first plies after the opening.
    Early,
    /// The side to move is in check.
    InCheck,
    /// The best move captures or promotes.
    #[serde(rename = "capture_or_promotion")]
    Noisy,
    /// The score is a proven mate.
    #[serde(rename = "mate_score")]
    Decisive,
    /// The score is beyond the limit.
    #[serde(rename = "beyond_score_limit")]
    Score,
}

impl DropReason {
    /// All reasons, in the order in which they are tested.
    pub const ALL: [Self; 6] =
        [Self::Unscored, Self::Early, Self::InCheck, Self::Noisy, Self::Decisive, Self::Score];

    /// Returns the name shown in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unscored => "no score",
            Self::Early => "first plies",
            Self::InCheck => "in check",
            Self::Noisy => "best move captures or promotes",
            Self::Decisive => "mate score",
            Self::Score => "score beyond the limit",
        }
    }
}

impl Filter {
    /// The limits that count as kept in manifests.
    pub const DEFAULT: Self = Self { skip_plies: 8, max_score: 3000 };

    /// Returns why a position `ply` plies after the opening is dropped: the first reason of [`DropReason::ALL`] that applies,
    /// `None` if the position is kept.
    pub fn drop_reason(
        &self,
        ply: usize,
        position: &Position,
        best: Move,
        score: Score,
    ) -> Option<DropReason> {
        DropReason::ALL.into_iter().find(|reason| match reason {
            DropReason::Unscored => score == Score::NONE,
            DropReason::Early => ply < self.skip_plies,
            DropReason::InCheck => position.in_check(),
            DropReason::Noisy => best.is_capture() || best.promotion().is_some(),
            DropReason::Decisive => score.is_decisive(),
            DropReason::Score => score.0.abs() > self.max_score,
        })
    }

    /// Returns whether a position `ply` plies after the opening is kept.
    pub fn keeps(&self, ply: usize, position: &Position, best: Move, score: Score) -> bool {
        self.drop_reason(ply, position, best, score).is_none()
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
        assert!(!keeps(QUIET, "e3d4", 8, 100), "captures");
        assert!(!keeps(QUIET, "a7a8n", 8, 100), "promotes");
        assert!(!keeps("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "e1d1", 8, 100), "in check");
    }

    #[test]
    fn the_first_reason_that_applies_is_returned() {
        let filter = Filter::default();
        let reason = |fen: &str, mv: &str, ply, score| {
            let position = Position::from_fen(fen).expect(fen);
            let best = position.parse_uci(mv).expect(mv);
            filter.drop_reason(ply, &position, best, score)
        };
        const CHECK: &str = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1";
        const QUIET: &str = "4k3/P7/8/8/3p4/4P3/8/4K3 w - - 0 1";
        let mate = Score::mate_in(3);
        assert_eq!(reason(CHECK, "e1e2", 7, mate), Some(DropReason::Early));
        assert_eq!(reason(CHECK, "e1e2", 8, mate), Some(DropReason::InCheck));
        assert_eq!(reason(QUIET, "e3d4", 8, mate), Some(DropReason::Noisy));
        assert_eq!(reason(QUIET, "a7a8q", 8, mate), Some(DropReason::Noisy));
        assert_eq!(reason(QUIET, "e1e2", 8, -mate), Some(DropReason::Decisive));
        assert_eq!(reason(QUIET, "e1e2", 8, Score(-3001)), Some(DropReason::Score));
        assert_eq!(reason(QUIET, "e1e2", 8, Score(-3000)), None);
    }
}
