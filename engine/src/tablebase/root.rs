//! Ranks root moves by the tablebases, so that a win is kept within the fifty-move rule and a loss put
//! off. The ranks follow those of Stockfish (`Tablebases::root_probe`).

use nullarbor_chess::board::{Ending, Game, Position};

use super::{Tablebases, Wdl};
use crate::types::{Move, Score};

/// The rank and score of a root move by the tablebases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootRank {
    /// The move.
    pub mv: Move,
    /// Moves of a higher rank are better; those of the same rank are for the search to choose from.
    pub rank: i32,
    /// The score of the move by the tablebases; `None` where they know a win or loss, but not whether
    /// it comes within the fifty-move rule.
    pub score: Option<Score>,
}

/// Ranks of a certain win or loss, and of one that the fifty-move rule may turn into a draw.
const CERTAIN: i32 = 1 << 18;
const UNCERTAIN: i32 = CERTAIN / 2;
/// Score of a win that the fifty-move rule prevents: more than the noise of a draw, since the opponent
/// may still go wrong.
const NEARLY_DRAWN: i32 = Score::DRAW_NOISE + 1;
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
    let rank = rank_by_dtz(dtz, clock, repeated);
    Some(RootRank { mv, rank, score: Some(score_by_dtz(rank, dtz, clock, fifty_moves)) })
}

fn rank_by_dtz(dtz: i32, clock: i32, repeated: bool) -> i32 {
    match dtz {
        0 => 0,
        1.. if dtz + clock < FIFTY_MOVES && !repeated => CERTAIN,
        1.. => UNCERTAIN - (dtz + clock),
        _ if -2 * dtz + clock < FIFTY_MOVES => -CERTAIN,
        _ => -UNCERTAIN + (clock - dtz),
    }
}

/// Returns the score of a rank. A win or loss that the fifty-move rule may prevent is nearly a draw, and the
/// less so the nearer it is.
fn score_by_dtz(rank: i32, dtz: i32, clock: i32, fifty_moves: bool) -> Score {
    // The tables may be rounded down by a ply. What mates or zeroes the clock at once is not from them.
    let latest = dtz.abs() + i32::from(dtz.abs() > 1);
    let is_in_time = !fifty_moves || latest + clock <= FIFTY_MOVES;
    /// Plies around the edge of the fifty-move rule, and centipawns at that edge.
    const EDGE: i32 = 200;
    const MOST: i32 = 100;
    let nearly = |rank: i32| ((rank - (UNCERTAIN - EDGE)) * MOST / EDGE).max(3);
    match rank.signum() {
        1 if is_in_time => Score::tb_win(0),
        1 => Score(nearly(rank)),
        -1 if is_in_time => -Score::tb_win(0),
        -1 => Score(-nearly(-rank)),
        _ => Score::DRAW,
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
    let next = position.make(mv);
    let wdl = reversed(tables.probe_wdl(&next)?);
    // The tables take the clock for zero.
    let is_in_time = !fifty_moves || position.halfmove_clock() == 0 || next.halfmove_clock() == 0;
    let win = is_in_time.then_some(Score::tb_win(0));
    let (rank, score) = match wdl {
        Wdl::Win => (CERTAIN, win),
        Wdl::CursedWin if fifty_moves => (UNCERTAIN / 2, Some(Score::DRAW + NEARLY_DRAWN)),
        Wdl::CursedWin => (UNCERTAIN / 2, win),
        Wdl::Draw => (0, Some(Score::DRAW)),
        Wdl::BlessedLoss if fifty_moves => (-UNCERTAIN / 2, Some(Score::DRAW - NEARLY_DRAWN)),
        Wdl::BlessedLoss => (-UNCERTAIN / 2, win.map(|score| -score)),
        Wdl::Loss => (-CERTAIN, win.map(|score| -score)),
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

    /// Rank and score of a move by its distance and the clock.
    fn ranked(dtz: i32, clock: i32) -> (i32, Score) {
        let rank = rank_by_dtz(dtz, clock, false);
        (rank, score_by_dtz(rank, dtz, clock, true))
    }

    #[test]
    fn scores_follow_the_ranks() {
        for clock in [0, 54, 99] {
            let distances = (-120..0).rev().chain([0]).chain((1..120).rev());
            let mut all: Vec<_> = distances.map(|dtz| ranked(dtz, clock)).collect();
            all.sort_by_key(|(rank, _)| *rank);
            assert!(all.iter().map(|(_, score)| *score).is_sorted(), "{clock}: {all:?}");
            assert!(all[0].1 < Score::DRAW && all[all.len() - 1].1.is_win());
        }
    }

    #[test]
    fn a_win_is_announced_only_if_it_surely_comes_in_time() {
        for (dtz, clock, is_sure) in [
            (45, 54, true),
            // Perhaps 47, since the table may be rounded.
            (46, 54, false),
            (46, 55, false),
            (2, 97, true),
            (2, 98, false),
            // A mate, a capture or a pawn move.
            (1, 99, true),
            (1, 100, false),
        ] {
            let (win, loss) = (ranked(dtz, clock).1, ranked(-dtz, clock).1);
            assert_eq!((win.is_win(), loss.is_loss()), (is_sure, is_sure), "{dtz} {clock}");
            assert!(is_sure || (3..=100).contains(&win.0) && win == -loss, "{win:?} {loss:?}");
            assert!(score_by_dtz(rank_by_dtz(dtz, clock, false), dtz, clock, false).is_win());
        }
        // A repetition changes the order of the moves, not the outcome.
        let rank = rank_by_dtz(1, 99, true);
        assert!(score_by_dtz(rank, 1, 99, true).is_win() && rank > rank_by_dtz(2, 99, true));
    }
}
