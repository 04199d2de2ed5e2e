//! Ranks root moves by the tables, so that a win is kept within the fifty-move rule and a loss put
//! off. The ranks follow those of Stockfish (`Tablebases::root_probe`).

use super::{Tablebases, Wdl};
use crate::board::{Ending, Game, Position};
use crate::types::{Move, Score};

/// What the tables say about a root move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootRank {
    /// The move.
    pub mv: Move,
    /// Moves of a higher rank are better; those of the same rank are for the search to choose from.
    pub rank: i32,
    /// The score of the move by the tables.
    pub score: Score,
}

/// Ranks of a certain win or loss, and of one that the fifty-move rule may turn into a draw.
const CERTAIN: i32 = 1 << 18;
const UNCERTAIN: i32 = CERTAIN / 2;
/// Plies without capture or pawn move after which a game is drawn.
const FIFTY_MOVES: i32 = 100;

/// Ranks moves; the flag says whether by DTZ or, where such tables are missing, by WDL. `None` if the
/// tables do not have the position, or if it is too late before all moves are ranked.
pub fn rank(
    tables: &Tablebases,
    game: &Game,
    moves: &[Move],
    fifty_moves: bool,
    is_late: &dyn Fn() -> bool,
) -> Option<(Vec<RootRank>, bool)> {
    let position = game.position();
    if position.occupied().count() > tables.max_pieces() || !position.castling().rights.is_empty() {
        return None;
    }
    let all = |rank: &dyn Fn(Move) -> Option<RootRank>| -> Option<Vec<RootRank>> {
        moves.iter().map(|&mv| if is_late() { None } else { rank(mv) }).collect()
    };
    let all_by_dtz = all(&|mv| by_dtz(tables, game, mv, fifty_moves));
    let all_by_wdl = || all(&|mv| by_wdl(tables, position, mv, fifty_moves));
    let is_dtz = all_by_dtz.is_some();
    let mut ranks = all_by_dtz.or_else(all_by_wdl)?;
    ranks.sort_by_key(|root_move| std::cmp::Reverse(root_move.rank));
    Some((ranks, is_dtz))
}

/// Ranks a move by the distance to zeroing.
fn by_dtz(tables: &Tablebases, game: &Game, mv: Move, fifty_moves: bool) -> Option<RootRank> {
    let clock = game.position().halfmove_clock() as i32;
    let dtz = dtz_after(tables, game, mv, fifty_moves)?;
    let repeated = game.history().has_repetition(game.position());
    let rank = match dtz {
        0 => 0,
        1.. if dtz + clock < FIFTY_MOVES && !repeated => CERTAIN,
        1.. => UNCERTAIN - (dtz + clock),
        _ if -2 * dtz + clock < FIFTY_MOVES => -CERTAIN,
        _ => -UNCERTAIN + (clock - dtz),
    };
    Some(RootRank { mv, rank, score: score_of(rank, fifty_moves) })
}

/// Returns the score of a rank by DTZ. A win or loss that the fifty-move rule prevents is nearly a
/// draw, and the less so the nearer it is.
fn score_of(rank: i32, fifty_moves: bool) -> Score {
    let decisive = if fifty_moves { UNCERTAIN - FIFTY_MOVES } else { 1 };
    /// Plies around the edge of the fifty-move rule, and centipawns at that edge.
    const EDGE: i32 = 200;
    const MOST: i32 = 100;
    let nearly = |rank: i32| ((rank - (UNCERTAIN - EDGE)) * MOST / EDGE).max(3);
    if rank >= decisive {
        Score::table_win(0)
    } else if rank <= -decisive {
        -Score::table_win(0)
    } else {
        match rank.signum() {
            1 => Score(nearly(rank)),
            -1 => Score(-nearly(-rank)),
            _ => Score::DRAW,
        }
    }
}

/// Returns the distance to zeroing with this move.
fn dtz_after(tables: &Tablebases, game: &Game, mv: Move, fifty_moves: bool) -> Option<i32> {
    let mut next = game.clone();
    next.play(mv);
    let position = next.position();
    match next.ending() {
        // A mate in one comes before all others.
        Some(Ending::Checkmate) => return Some(1),
        Some(Ending::FiftyMoves) if !fifty_moves => {}
        Some(_) => return Some(0),
        None => {}
    }
    if position.halfmove_clock() == 0 {
        return tables.probe_wdl(position).map(|wdl| before_zeroing(reversed(wdl)));
    }
    let dtz = -tables.probe_dtz(position)?;
    Some(dtz + dtz.signum())
}

/// Returns the distance to zeroing of a move that zeroes the clock.
fn before_zeroing(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Win => 1,
        Wdl::CursedWin => FIFTY_MOVES + 1,
        Wdl::Draw => 0,
        Wdl::BlessedLoss => -(FIFTY_MOVES + 1),
        Wdl::Loss => -1,
    }
}

/// Ranks a move by its outcome alone.
fn by_wdl(
    tables: &Tablebases,
    position: &Position,
    mv: Move,
    fifty_moves: bool,
) -> Option<RootRank> {
    let wdl = reversed(tables.probe_wdl(&position.make(mv))?);
    let (rank, score) = match wdl {
        Wdl::Win => (CERTAIN, Score::table_win(0)),
        Wdl::CursedWin if fifty_moves => (UNCERTAIN / 2, Score(1)),
        Wdl::CursedWin => (UNCERTAIN / 2, Score::table_win(0)),
        Wdl::Draw => (0, Score::DRAW),
        Wdl::BlessedLoss if fifty_moves => (-UNCERTAIN / 2, Score(-1)),
        Wdl::BlessedLoss => (-UNCERTAIN / 2, -Score::table_win(0)),
        Wdl::Loss => (-CERTAIN, -Score::table_win(0)),
    };
    Some(RootRank { mv, rank, score })
}

/// Returns the outcome for the other side.
fn reversed(wdl: Wdl) -> Wdl {
    match wdl {
        Wdl::Win => Wdl::Loss,
        Wdl::CursedWin => Wdl::BlessedLoss,
        Wdl::Draw => Wdl::Draw,
        Wdl::BlessedLoss => Wdl::CursedWin,
        Wdl::Loss => Wdl::Win,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_follow_the_ranks() {
        let ranks = [
            -CERTAIN,
            -UNCERTAIN + 90,
            -UNCERTAIN + 150,
            -UNCERTAIN / 2,
            0,
            UNCERTAIN / 2,
            UNCERTAIN - 150,
            UNCERTAIN - 90,
            CERTAIN,
        ];
        let scores = ranks.map(|rank| score_of(rank, true));
        assert!(scores.is_sorted(), "{scores:?}");
        assert!(scores[8].is_win() && scores[0].is_loss());
        assert!(!scores[6].is_decisive() && scores[6].0 > 0);
        assert!(score_of(UNCERTAIN - 150, false).is_win());
    }
}
