//! The move picker. It gives the moves of a node in stages: the TT move, captures that lose
//! nothing, quiet moves, the other captures. A stage is generated only when it is reached.

use arrayvec::ArrayVec;
use nullarbor_chess::board::{Checks, GenType, Position, see_value};

use super::frame::{PieceTo, StackView};
use super::history::{Histories, QuietHistories};
use crate::params::Params;
use crate::types::{Bitboard, Move, MoveList, PieceType};

#[derive(Clone, Copy)]
struct Scored {
    mv: Move,
    score: i32,
}

/// Moves, and a key for each that holds its score and its index: one pass of vector instructions
/// finds the best, and ties go to the move that was generated first.
struct ScoredMoves {
    moves: MoveList,
    keys: ArrayVec<i32, { MoveList::CAPACITY }>,
}

impl ScoredMoves {
    /// The low bits of a key are the index, counted backwards.
    const INDEX_BITS: u32 = MoveList::CAPACITY.ilog2();
    const LAST: i32 = MoveList::CAPACITY as i32 - 1;
    /// The key of a move that was taken.
    const TAKEN: i32 = i32::MIN;

    fn new() -> Self {
        Self { moves: MoveList::new(), keys: ArrayVec::new() }
    }

    /// Makes the keys of all moves but `taken`; scores lie within ±2²².
    fn score(&mut self, taken: Move, score: impl Fn(Move) -> i32) {
        let key = |(index, &mv): (usize, &Move)| {
            if mv == taken {
                return Self::TAKEN;
            }
            (score(mv) << Self::INDEX_BITS) + Self::LAST - index as i32
        };
        self.keys.clear();
        self.keys.extend(self.moves.iter().enumerate().map(key));
    }

    /// Takes the move with the highest score: one step of a selection sort, since most nodes need
    /// few moves.
    fn take_best(&mut self) -> Option<Scored> {
        let key = self.keys.iter().copied().max().filter(|&key| key != Self::TAKEN)?;
        let index = (Self::LAST - (key & Self::LAST)) as usize;
        self.keys[index] = Self::TAKEN;
        Some(Scored { mv: self.moves[index], score: key >> Self::INDEX_BITS })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    TtMove,
    GenerateNoisy,
    GoodNoisy,
    GenerateQuiet,
    Quiet,
    BadNoisy,
}

/// The facts on which the order depends besides the stages.
#[derive(Clone, Copy)]
pub struct OrderingContext<'a> {
    /// The position whose moves are tried.
    pub position: &'a Position,
    /// Checks of the position, if they are known.
    pub checks: Option<&'a Checks>,
    /// Histories of its moves in other positions.
    pub histories: &'a Histories,
    /// The moves that led to the position.
    pub stack: StackView<'a>,
    /// The parameters.
    pub params: &'a Params,
}

/// Gives the legal moves of a position one by one, the most promising first.
pub struct Picker {
    stage: Stage,
    tt_move: Move,
    moves: ScoredMoves,
    bad_noisy: ArrayVec<Move, { MoveList::CAPACITY }>,
    next_bad: usize,
    quiets: bool,
    /// Captures below this exchange value are put off; `None` derives it from their score.
    exchange_floor: Option<i32>,
}

impl Picker {
    /// Makes a picker of all moves. `tt_move` must be legal or [`Move::NONE`].
    pub fn new(tt_move: Move) -> Self {
        Self {
            stage: Stage::TtMove,
            tt_move,
            moves: ScoredMoves::new(),
            bad_noisy: ArrayVec::new(),
            next_bad: 0,
            quiets: true,
            exchange_floor: None,
        }
    }

    /// Makes a picker of noisy moves. `tt_move` must be noisy or [`Move::NONE`].
    pub fn noisy(tt_move: Move) -> Self {
        Self { quiets: false, ..Self::new(tt_move) }
    }

    /// Makes a picker of noisy moves that puts those below `floor` (centipawns) in the exchange
    /// last.
    pub fn noisy_from(tt_move: Move, floor: i32) -> Self {
        Self { exchange_floor: Some(floor), ..Self::noisy(tt_move) }
    }

    /// Gives no more quiet moves.
    pub fn skip_quiets(&mut self) {
        self.quiets = false;
    }

    /// Returns whether the picker has reached the noisy moves that lose material.
    pub fn is_at_bad_noisy(&self) -> bool {
        self.stage == Stage::BadNoisy
    }

    /// Returns the next move.
    pub fn next(&mut self, by: &OrderingContext<'_>) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = Stage::GenerateNoisy;
                    if self.tt_move.is_some() {
                        return Some(self.tt_move);
                    }
                }
                Stage::GenerateNoisy => {
                    self.fill(by, GenType::Noisy);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.moves.take_best() {
                    Some(best) if self.is_good(by, best) => return Some(best.mv),
                    Some(bad) => self.bad_noisy.push(bad.mv),
                    None => self.stage = Stage::GenerateQuiet,
                },
                Stage::GenerateQuiet => {
                    if self.quiets {
                        self.fill(by, GenType::Quiet);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.moves.take_best().filter(|_| self.quiets) {
                    Some(best) => return Some(best.mv),
                    None => self.stage = Stage::BadNoisy,
                },
                Stage::BadNoisy => {
                    self.next_bad += 1;
                    return self.bad_noisy.get(self.next_bad - 1).copied();
                }
            }
        }
    }

    fn is_good(&self, by: &OrderingContext<'_>, noisy: Scored) -> bool {
        let by_score = -noisy.score / by.params.order_good_noisy_divisor;
        by.position.see_at_least(noisy.mv, self.exchange_floor.unwrap_or(by_score))
    }

    /// Generates and scores the moves of a stage, without the TT move.
    fn fill(&mut self, by: &OrderingContext<'_>, wanted: GenType) {
        let (position, list) = (by.position, &mut self.moves.moves);
        list.clear();
        match wanted {
            GenType::Noisy => {
                position.generate(wanted, list);
                self.moves.score(self.tt_move, |mv| noisy_score(by, mv));
            }
            _ => {
                let histories = by.histories.of_quiets(by.position, by.stack);
                histories.prefetch(position.side_to_move());
                position.generate_with(wanted, by.stack.threats(), list);
                let scorer = QuietScorer::new(by, histories);
                self.moves.score(self.tt_move, |mv| scorer.score(mv));
            }
        }
    }
}

/// Scores a noisy move by the value of its victim (MVV) and by capture history.
fn noisy_score(by: &OrderingContext<'_>, mv: Move) -> i32 {
    by.params.order_victim_scale * by.position.immediate_gain(mv)
        + by.histories.noisy(by.position, mv)
}

/// Scores the quiet moves of a node by all histories, by the danger they escape or run into, and by
/// whether they check.
struct QuietScorer<'a> {
    by: &'a OrderingContext<'a>,
    histories: QuietHistories<'a>,
    checks: Checks,
    /// For each piece type the squares that pieces of less value attack, and the score of leaving
    /// one of them or, if negative, entering it.
    danger: [(Bitboard, i32); PieceType::ALL.len()],
}

impl<'a> QuietScorer<'a> {
    fn new(by: &'a OrderingContext<'a>, histories: QuietHistories<'a>) -> Self {
        Self {
            by,
            histories,
            checks: by.checks.copied().unwrap_or_else(|| by.position.checks()),
            danger: PieceType::ALL
                .map(|kind| (feared(by, kind), see_value(kind) * by.params.order_escape_scale)),
        }
    }

    fn score(&self, mv: Move) -> i32 {
        let (by, position) = (self.by, self.by.position);
        let piece = position.moved(mv);
        let mut score = self.histories.sum(mv, PieceTo::new(piece, mv.to()));
        if position.gives_check(mv, &self.checks)
            && position.see_at_least_with(by.stack.threats(), mv, by.params.order_check_margin)
        {
            score += by.params.order_check_bonus;
        }
        let (feared, stake) = self.danger[piece.kind.index()];
        score + (i32::from(feared.has(mv.from())) - i32::from(feared.has(mv.to()))) * stake
    }
}

/// Returns the squares that a piece of a type fears: those that pieces of less value attack.
fn feared(by: &OrderingContext<'_>, kind: PieceType) -> Bitboard {
    let threats = by.stack.threats();
    match kind {
        PieceType::Pawn | PieceType::King => Bitboard::EMPTY,
        PieceType::Knight | PieceType::Bishop => threats.by_pawns,
        PieceType::Rook => threats.by_minors,
        PieceType::Queen => threats.by_rooks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::memory::frame::Frames;
    use crate::search::memory::history::PawnHistory;
    use std::sync::Arc;

    const POSITIONS: [&str; 4] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
        "4k3/8/8/8/1b6/8/8/R3K2R w KQ - 0 1",
    ];

    fn picked(position: &Position, tt_move: Move, mut picker: Picker) -> Vec<Move> {
        let histories = Histories::new(Arc::new(PawnHistory::new(1)));
        let (mut frames, params) = (Frames::new(), Params::default());
        frames.at_mut(0).threats = position.threats();
        let stack = StackView { frames: &frames, ply: 0 };
        let by = OrderingContext {
            position,
            checks: None,
            histories: &histories,
            stack,
            params: &params,
        };
        let moves: Vec<Move> = std::iter::from_fn(|| picker.next(&by)).collect();
        assert!(tt_move.is_none() || moves[0] == tt_move);
        moves
    }

    fn sorted(mut moves: Vec<Move>) -> Vec<u16> {
        moves.sort_unstable_by_key(|mv| mv.bits());
        moves.into_iter().map(Move::bits).collect()
    }

    /// Perft through the picker: no move may be lost or repeated.
    #[test]
    fn gives_each_legal_move_once() {
        for fen in POSITIONS {
            let position = Position::from_fen(fen).expect(fen);
            let all = position.legal_moves();
            for tt_move in all.iter().copied().chain([Move::NONE]) {
                let moves = picked(&position, tt_move, Picker::new(tt_move));
                assert_eq!(sorted(moves), sorted(all.to_vec()), "{fen} {tt_move:?}");
            }
            let noisy = all.iter().copied().filter(|mv| mv.is_noisy()).collect();
            assert_eq!(
                sorted(picked(&position, Move::NONE, Picker::noisy(Move::NONE))),
                sorted(noisy)
            );
        }
    }

    #[test]
    fn captures_of_more_come_first_and_losing_ones_last() {
        let position =
            Position::from_fen("4k3/1p6/p7/3q4/4P3/8/6B1/R3K3 w - - 0 1").expect("a position");
        let moves = picked(&position, Move::NONE, Picker::new(Move::NONE));
        assert_eq!(position.uci(moves[0], false), "e4d5");
        assert_eq!(position.uci(*moves.last().expect("moves"), false), "a1a6");
    }
}
