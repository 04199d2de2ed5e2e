//! The move order in which the rank of a move is counted.
//!
//! The value of a move is the sum of the weights of its features: the moving piece, its squares, the captured piece, what attacks
//! and defends the target square, and so on. Features depend only on the board and the last two moves, weights are integers, and
//! both are part of the format: a change of either needs a new [`super::VERSION`].

use nullarbor::attacks;
use nullarbor::board::{Checks, Position, Threats};
use nullarbor::types::{Bitboard, Colour, Move, MoveFlag, PieceType, Square};

use super::weights::WEIGHTS;

/// Classes of the probability of the first move of an order: see [`Order::class`].
pub const CLASSES: usize = 16;

/// The first weight of each group of features; the groups are those of [`MoveFeatures::of_move`] and [`MoveFeatures::of_piece`].
mod at {
    pub const TO: usize = 0;
    pub const FROM: usize = TO + 2 * 6 * 64;
    pub const TAKES: usize = FROM + 2 * 6 * 64;
    pub const LEAVES: usize = TAKES + 6 * 6 * 5 * 2;
    pub const PROMOTES: usize = LEAVES + 6 * 5 * 2;
    pub const RETAKES: usize = PROMOTES + 6;
    pub const AGAIN: usize = RETAKES + 6;
    pub const BACK: usize = AGAIN + 6;
    pub const CHECKS: usize = BACK + 6;
    pub const CASTLES: usize = CHECKS + 6 * 2 * 2;
    pub const THREATENS: usize = CASTLES + 2;
    pub const EVADES: usize = THREATENS + 6 * 4;
    pub const FACES: usize = EVADES + 6 * 2;
    pub const NEAR_KING: usize = FACES + 6;
    pub const IN_CHECK: usize = NEAR_KING + 6 * 8;
    pub const PASSED: usize = IN_CHECK + 6 * 2;
    pub const HANGING: usize = PASSED + 8;
    pub const END: usize = HANGING + 5;
}

const _: () = assert!(WEIGHTS.len() == at::END, "a weight for each feature");

/// The last two moves of a game.
#[derive(Clone, Copy, Debug)]
pub struct LastMoves {
    /// The opponent's last move.
    theirs: Move,
    /// The move before that, of the side to move.
    ours: Move,
}

impl LastMoves {
    /// No moves: the beginning of a game.
    pub const START: Self = Self { theirs: Move::NONE, ours: Move::NONE };

    /// Returns the last moves after one more move.
    pub fn then(self, mv: Move) -> Self {
        Self { theirs: mv, ours: self.theirs }
    }
}

/// Facts that the features of all moves of a position share.
pub struct MoveFeatures<'a> {
    position: &'a Position,
    last_moves: LastMoves,
    us: Colour,
    occupied: Bitboard,
    enemy_king: Square,
    /// Offset of the weights of squares: middlegame or endgame.
    phase: usize,
    threats: Threats,
    checks: Checks,
    /// Squares that the side to move attacks at least once, and at least twice.
    once: Bitboard,
    twice: Bitboard,
    /// Own pieces that are attacked by something cheaper or undefended.
    hanging: Bitboard,
    /// For each piece type the enemy pieces that it threatens by attacking.
    targets: [Bitboard; 6],
    /// The squares that the piece that moved last attacks.
    newly_attacked: Bitboard,
    /// Squares on which a pawn of the side to move is not passed.
    guarded: Bitboard,
}

/// The weights of the endgame apply up to this number of pieces of both sides, without kings and pawns.
const ENDGAME_PIECES: usize = 8;

impl<'a> MoveFeatures<'a> {
    /// Computes what the moves of a position share.
    pub fn new(position: &'a Position, last_moves: LastMoves) -> Self {
        let us = position.side_to_move();
        let threats = position.threats();
        let (once, twice) = attacked(position, us);
        let pieces = position.non_pawns(us).count() + position.non_pawns(!us).count();
        Self {
            position,
            last_moves,
            us,
            occupied: position.occupied(),
            enemy_king: position.king(!us),
            phase: usize::from(pieces <= ENDGAME_PIECES) * 6 * 64,
            threats,
            checks: position.checks(),
            once,
            twice,
            hanging: hanging(position, &threats, once),
            targets: targets(position, &threats),
            newly_attacked: newly_attacked(position, last_moves.theirs),
            guarded: guarded(position, !us),
        }
    }

    /// Calls `visit` with each feature that all moves of a piece have.
    #[inline(always)]
    pub fn of_piece(&self, from: Square, mut visit: impl FnMut(usize)) {
        let kind = self.kind(from);
        let defended = usize::from(self.once.has(from));
        visit(at::FROM + self.phase + kind * 64 + from.relative_to(self.us).index());
        visit(at::LEAVES + (kind * 5 + self.attacker(from)) * 2 + defended);
        if self.newly_attacked.has(from) {
            visit(at::EVADES + kind * 2 + defended);
        }
        if self.last_moves.ours.is_some() && from == self.last_moves.ours.to() {
            visit(at::AGAIN + kind);
        }
    }

    /// Calls `visit` with each further feature of a legal move.
    #[inline(always)]
    pub fn of_move(&self, mv: Move, mut visit: impl FnMut(usize)) {
        let (from, to) = (mv.from(), mv.to());
        let kind = self.kind(from);
        if mv.is(MoveFlag::Castle) {
            return visit(at::CASTLES + usize::from(to > from));
        }
        let attacker = self.attacker(to);
        let victim = self.position.captured(mv).map_or(0, |kind| kind.index() + 1);
        let pushes = kind == PieceType::Pawn.index() && victim == 0;
        // Except for a pawn that advances, the moving piece attacks its target itself.
        let supported = usize::from(if pushes { self.once } else { self.twice }.has(to));
        visit(at::TO + self.phase + kind * 64 + to.relative_to(self.us).index());
        visit(at::TAKES + ((kind * 6 + victim) * 5 + attacker) * 2 + supported);
        visit(at::THREATENS + kind * 4 + self.threatened(kind, from, to));
        visit(at::NEAR_KING + kind * 8 + to.distance(self.enemy_king));
        if self.gives_check(kind, from, to) {
            visit(at::CHECKS + (kind * 2 + usize::from(attacker != 0)) * 2 + supported);
        }
        if let Some(promoted) = mv.promotion() {
            visit(at::PROMOTES + promoted.index());
        }
        if pushes && !self.guarded.has(to) {
            visit(at::PASSED + to.rank().relative_to(self.us).index());
        }
        if self.newly_attacked.has(to) {
            visit(at::FACES + kind);
        }
        let LastMoves { theirs, ours } = self.last_moves;
        if theirs.is_capture() && to == theirs.to() {
            visit(at::RETAKES + kind);
        }
        if ours.is_some() && from == ours.to() && to == ours.from() {
            visit(at::BACK + kind);
        }
        if self.position.in_check() {
            visit(at::IN_CHECK + kind * 2 + usize::from(victim != 0));
        }
        if self.hanging.is_any() {
            let moves = self.hanging.has(from);
            visit(at::HANGING + usize::from(moves) * 2 + usize::from(victim != 0));
            if moves && attacker == 0 {
                visit(at::HANGING + 4);
            }
        }
    }

    #[inline(always)]
    fn kind(&self, from: Square) -> usize {
        // A move starts on a piece.
        self.position.piece_type_on(from).map_or(0, PieceType::index)
    }

    /// Returns the cheapest enemy piece that attacks a square: none, a pawn, a minor piece, a rook, a queen or the king.
    #[inline(always)]
    fn attacker(&self, square: Square) -> usize {
        let Threats { all, by_pawns, by_minors, by_rooks } = self.threats;
        // Each set includes the sets after it.
        let sets = [all, by_rooks, by_minors, by_pawns].map(|set| usize::from(set.has(square)));
        let found = sets[0] + sets[1] + sets[2] + sets[3];
        if found == 0 { 0 } else { 5 - found }
    }

    #[inline(always)]
    fn threatened(&self, kind: usize, from: Square, to: Square) -> usize {
        if self.targets[kind].is_empty() {
            return 0;
        }
        let occupied = self.occupied ^ Bitboard::of(from);
        let attacked = match PieceType::ALL[kind] {
            PieceType::Pawn => attacks::pawn(self.us, to),
            kind => attacks::piece(kind, to, occupied),
        };
        (attacked & self.targets[kind]).count().min(3)
    }

    #[inline(always)]
    fn gives_check(&self, kind: usize, from: Square, to: Square) -> bool {
        self.checks.squares[kind].has(to)
            || self.checks.discoverers.has(from) && !attacks::line(self.enemy_king, from).has(to)
    }
}

fn attacked(position: &Position, us: Colour) -> (Bitboard, Bitboard) {
    let (mut once, mut twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
    let mut add = |set: Bitboard| {
        twice |= once & set;
        once |= set;
    };
    let ahead = position.pieces(us, PieceType::Pawn).forward(us);
    add(ahead.east());
    add(ahead.west());
    for kind in &PieceType::ALL[1..] {
        for square in position.pieces(us, *kind) {
            add(attacks::piece(*kind, square, position.occupied()));
        }
    }
    (once, twice)
}

/// Returns the own pieces that are attacked by a cheaper piece, or attacked and undefended.
fn hanging(position: &Position, threats: &Threats, defended: Bitboard) -> Bitboard {
    let us = position.side_to_move();
    let kind = |kind| position.pieces_of_type(kind);
    let queens = kind(PieceType::Queen);
    let cheaper = threats.by_pawns.without(kind(PieceType::Pawn))
        | threats.by_minors & (kind(PieceType::Rook) | queens)
        | threats.by_rooks & queens;
    let loose = threats.all.without(defended);
    (position.occupied_by(us) & (cheaper | loose)).without(kind(PieceType::King))
}

fn targets(position: &Position, threats: &Threats) -> [Bitboard; 6] {
    let them = !position.side_to_move();
    let of = |kind| position.pieces(them, kind);
    let queens = of(PieceType::Queen);
    let heavy = queens | of(PieceType::Rook);
    let pieces = heavy | of(PieceType::Knight) | of(PieceType::Bishop);
    let loose = position.occupied_by(them).without(threats.all | of(PieceType::King));
    [pieces, loose | heavy, loose | heavy, loose | queens, loose, loose]
}

fn newly_attacked(position: &Position, last: Move) -> Bitboard {
    if last.is_none() || last.is(MoveFlag::Castle) {
        return Bitboard::EMPTY;
    }
    match position.piece_type_on(last.to()) {
        None => Bitboard::EMPTY,
        Some(PieceType::Pawn) => attacks::pawn(!position.side_to_move(), last.to()),
        Some(kind) => attacks::piece(kind, last.to(), position.occupied()),
    }
}

/// Returns the squares in front of the pawns of a side, on their own and the adjacent files.
fn guarded(position: &Position, them: Colour) -> Bitboard {
    let mut front = position.pieces(them, PieceType::Pawn).forward(them);
    for _ in 0..5 {
        front |= front.forward(them);
    }
    front | front.east() | front.west()
}

/// The legal moves of a position, ordered by value.
#[derive(Default)]
pub struct Order {
    /// A key for each move, larger for better ones: its value, then the bits of the move, which make keys unique.
    keys: Vec<i32>,
    /// The key of the best move.
    first: i32,
}

/// The factor on the probability of a move for one unit of value less, exp(-1/24), times 2^16.
const UNIT_FACTOR: u64 = 62_861;

/// The probability of a move relative to the best one, by the difference of their values, times 2^16.
const RELATIVE_PROBABILITY: [u32; 256] = {
    let mut table = [1 << 16; 256];
    let mut exact = 1u64 << 32;
    let mut at = 1;
    while at < table.len() {
        exact = (exact * UNIT_FACTOR) >> 16;
        table[at] = (exact >> 16) as u32;
        at += 1;
    }
    table
};

impl Order {
    /// Orders the legal moves of a position.
    pub fn arrange(&mut self, position: &Position, last_moves: LastMoves) {
        let board = MoveFeatures::new(position, last_moves);
        let value = |sum: &mut i32, feature: usize| *sum += i32::from(WEIGHTS[feature]);
        let mut of_pieces = [0; 64];
        for from in position.occupied_by(position.side_to_move()) {
            board.of_piece(from, |feature| value(&mut of_pieces[from.index()], feature));
        }
        let key = |&mv: &Move| {
            let mut sum = of_pieces[mv.from().index()];
            board.of_move(mv, |feature| value(&mut sum, feature));
            sum << 16 | i32::from(!mv.bits())
        };
        self.keys.clear();
        self.keys.extend(position.legal_moves().iter().map(key));
        self.first = self.keys.iter().copied().max().unwrap_or_default();
    }

    /// Returns whether there is only one legal move.
    pub fn is_forced(&self) -> bool {
        self.keys.len() == 1
    }

    /// Returns the probability of the first move in sixteenths, rounded down; 0 if there are no moves.
    pub fn class(&self) -> usize {
        let first = self.first >> 16;
        let relative =
            |key: &i32| RELATIVE_PROBABILITY.get((first - (key >> 16)) as usize).copied();
        // The sum includes the first move.
        let all: u32 = self.keys.iter().map(|key| relative(key).unwrap_or_default()).sum();
        ((CLASSES as u32) << 16).checked_div(all).map_or(0, |class| class as usize).min(CLASSES - 1)
    }

    /// Returns the number of moves that are ordered before this one; `None` if it is illegal.
    pub fn rank(&self, mv: Move) -> Option<usize> {
        let key = self.keys.iter().find(|&&key| of_key(key) == mv)?;
        Some(self.keys.iter().filter(|&other| other > key).count())
    }

    /// Returns the move with this rank; `None` if there are not that many moves.
    pub fn nth(&mut self, rank: usize) -> Option<Move> {
        if rank >= self.keys.len() {
            return None;
        }
        if rank > MAX_SCANS {
            return Some(of_key(*self.keys.select_nth_unstable_by(rank, |a, b| b.cmp(a)).1));
        }
        let mut key = self.first;
        for _ in 0..rank {
            key = self.keys.iter().copied().filter(|&other| other < key).max()?;
        }
        Some(of_key(key))
    }
}

/// Returns the move of a key.
fn of_key(key: i32) -> Move {
    Move::from_bits(!(key as u16))
}

/// Up to this rank, repeated scans are faster than a selection.
const MAX_SCANS: usize = 8;
