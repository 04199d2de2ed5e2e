//! The move order that ranks of moves are counted in.
//!
//! A move's value is the sum of the weights of its features: what moves from where to where, what it takes, who attacks and supports
//! its target, and so on. Weights and features look at the board and the last two moves alone, in integers, and are part of the
//! format: whoever changes them changes [`super::VERSION`].

use nullarbor::attacks;
use nullarbor::board::{Checks, Position, Threats};
use nullarbor::types::{Bitboard, Colour, Move, MoveFlag, PieceType, Square};

use super::weights::WEIGHTS;

/// Classes of how likely the first move of an order is to be played, see [`Order::class`].
pub const CLASSES: usize = 16;

/// Where the weights of each group of features begin; the groups are described in [`Board::of_move`] and [`Board::of_piece`].
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

/// How many weights there are.
pub const FEATURES: usize = at::END;

/// The last two moves of a game.
#[derive(Clone, Copy, Debug)]
pub struct Trail {
    /// The opponent's last move.
    theirs: Move,
    /// The own move before that.
    ours: Move,
}

impl Trail {
    /// No moves yet.
    pub const START: Self = Self { theirs: Move::NONE, ours: Move::NONE };

    /// After one more move, for the other side.
    pub fn then(self, mv: Move) -> Self {
        Self { theirs: mv, ours: self.theirs }
    }
}

/// What the features of all moves of a position have in common.
pub struct Board<'a> {
    position: &'a Position,
    trail: Trail,
    us: Colour,
    occupied: Bitboard,
    enemy_king: Square,
    /// Offset of the squares' weights: many pieces, or few.
    phase: usize,
    threats: Threats,
    checks: Checks,
    /// Squares that the side to move attacks once and twice.
    once: Bitboard,
    twice: Bitboard,
    /// Own pieces that stand to be taken.
    hanging: Bitboard,
    /// For each kind of piece the enemies that it gains by attacking.
    targets: [Bitboard; 6],
    /// What the piece that moved last attacks.
    faced: Bitboard,
    /// Squares on which a pawn of the side to move can be stopped by an enemy pawn.
    stopped: Bitboard,
}

/// Pieces of both sides, kings and pawns not counted, up to which the weights of few pieces hold.
const FEW: usize = 8;

impl<'a> Board<'a> {
    /// Looks at a position.
    pub fn new(position: &'a Position, trail: Trail) -> Self {
        let us = position.side_to_move();
        let threats = position.threats();
        let (once, twice) = attacked(position, us);
        let pieces = position.non_pawns(us).count() + position.non_pawns(!us).count();
        Self {
            position,
            trail,
            us,
            occupied: position.occupied(),
            enemy_king: position.king(!us),
            phase: usize::from(pieces <= FEW) * 6 * 64,
            threats,
            checks: position.checks(),
            once,
            twice,
            hanging: hanging(position, &threats, once),
            targets: targets(position, &threats),
            faced: faced(position, trail.theirs),
            stopped: stopped(position, !us),
        }
    }

    /// Calls `visit` with the number of each feature that all moves of a piece have.
    #[inline(always)]
    pub fn of_piece(&self, from: Square, mut visit: impl FnMut(usize)) {
        let kind = self.kind(from);
        let defended = usize::from(self.once.has(from));
        visit(at::FROM + self.phase + kind * 64 + from.relative_to(self.us).index());
        visit(at::LEAVES + (kind * 5 + self.attacker(from)) * 2 + defended);
        if self.faced.has(from) {
            visit(at::EVADES + kind * 2 + defended);
        }
        if self.trail.ours.is_some() && from == self.trail.ours.to() {
            visit(at::AGAIN + kind);
        }
    }

    /// Calls `visit` with the number of each other feature that a legal move has.
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
        // Whatever is no pawn that advances attacks its target itself.
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
        if pushes && !self.stopped.has(to) {
            visit(at::PASSED + to.rank().relative_to(self.us).index());
        }
        if self.faced.has(to) {
            visit(at::FACES + kind);
        }
        let Trail { theirs, ours } = self.trail;
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

    /// The least piece of the opponent that attacks a square: none, a pawn, a minor piece, a rook, queen or king.
    #[inline(always)]
    fn attacker(&self, square: Square) -> usize {
        let Threats { all, by_pawns, by_minors, by_rooks } = self.threats;
        // Each set has the one before in it.
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

/// Pieces that something cheaper attacks, or that nothing defends.
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

fn faced(position: &Position, last: Move) -> Bitboard {
    if last.is_none() || last.is(MoveFlag::Castle) {
        return Bitboard::EMPTY;
    }
    match position.piece_type_on(last.to()) {
        None => Bitboard::EMPTY,
        Some(PieceType::Pawn) => attacks::pawn(!position.side_to_move(), last.to()),
        Some(kind) => attacks::piece(kind, last.to(), position.occupied()),
    }
}

/// The squares in front of the pawns of a side, on their own files and beside them.
fn stopped(position: &Position, them: Colour) -> Bitboard {
    let mut front = position.pieces(them, PieceType::Pawn).forward(them);
    for _ in 0..5 {
        front |= front.forward(them);
    }
    front | front.east() | front.west()
}

/// The legal moves of a position in their order.
#[derive(Default)]
pub struct Order {
    /// One for each move, larger for what comes first: its value, and the bits of the move, which make them differ.
    keys: Vec<i32>,
    /// The key of the first move.
    first: i32,
}

/// A natural logarithm in units of the weights, as the factor by which a unit makes a move less likely, times 2^16.
const FADE: u64 = 62_861;

/// By how much moves of lesser value are less likely, times 2^16.
const LIKELY: [u32; 256] = {
    let mut likely = [1 << 16; 256];
    let mut exact = 1u64 << 32;
    let mut at = 1;
    while at < likely.len() {
        exact = (exact * FADE) >> 16;
        likely[at] = (exact >> 16) as u32;
        at += 1;
    }
    likely
};

impl Order {
    /// Orders the moves of another position.
    pub fn arrange(&mut self, position: &Position, trail: Trail) {
        let board = Board::new(position, trail);
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

    /// Whether there is nothing to choose.
    pub fn is_forced(&self) -> bool {
        self.keys.len() == 1
    }

    /// How likely the first move is, in sixteenths; 0 where there are no moves.
    pub fn class(&self) -> usize {
        let first = self.first >> 16;
        let likely = |key: &i32| LIKELY.get((first - (key >> 16)) as usize).copied();
        // The first move itself is in the sum.
        let all: u32 = self.keys.iter().map(|key| likely(key).unwrap_or_default()).sum();
        ((CLASSES as u32) << 16).checked_div(all).map_or(0, |class| class as usize).min(CLASSES - 1)
    }

    /// How many moves come before this one; `None` where it is not legal.
    pub fn rank(&self, mv: Move) -> Option<usize> {
        let key = self.keys.iter().find(|&&key| of_key(key) == mv)?;
        Some(self.keys.iter().filter(|&other| other > key).count())
    }

    /// The move with so many before it; `None` where there are fewer.
    pub fn nth(&mut self, rank: usize) -> Option<Move> {
        if rank >= self.keys.len() {
            return None;
        }
        if rank > SCANS {
            return Some(of_key(*self.keys.select_nth_unstable_by(rank, |a, b| b.cmp(a)).1));
        }
        let mut key = self.first;
        for _ in 0..rank {
            key = self.keys.iter().copied().filter(|&other| other < key).max()?;
        }
        Some(of_key(key))
    }
}

/// The move that a key is of.
fn of_key(key: i32) -> Move {
    Move::from_bits(!(key as u16))
}

/// Up to this rank, looking for the next move again and again is faster than sorting.
const SCANS: usize = 8;
