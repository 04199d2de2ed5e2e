//! Legal moves, and nothing but legal moves.
//!
//! The generator hands sets of target squares to a [`Sink`]: one sink writes moves, another one
//! just counts bits, which makes perft fast.

use super::Position;
use crate::attacks;
use crate::types::{
    Bitboard, CastlingSide, Colour, Move, MoveFlag, MoveList, PieceType, Rank, Square,
};

/// Which moves to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenType {
    /// All of them.
    All,
    /// Captures and promotions to a queen, as [`Move::is_noisy`] says.
    Noisy,
    /// All others.
    Quiet,
}

impl GenType {
    fn noisy(self) -> bool {
        self != Self::Quiet
    }

    fn quiet(self) -> bool {
        self != Self::Noisy
    }
}

/// Takes what the generator finds.
trait Sink {
    /// Moves of one man to each of `targets`.
    fn add_moves(&mut self, from: Square, targets: Bitboard, flag: MoveFlag);
    /// Pawns that come to each of `targets` over the same `step` (target less start).
    fn add_pawn_moves(&mut self, targets: Bitboard, step: i32, flag: MoveFlag);
}

impl Sink for MoveList {
    fn add_moves(&mut self, from: Square, targets: Bitboard, flag: MoveFlag) {
        for to in targets {
            self.push(Move::new(from, to, flag));
        }
    }

    fn add_pawn_moves(&mut self, targets: Bitboard, step: i32, flag: MoveFlag) {
        for to in targets {
            let from = Square::new((to.index() as i32 - step) as usize);
            self.push(Move::new(from, to, flag));
        }
    }
}

/// Counts moves without writing them down.
struct Count(usize);

impl Sink for Count {
    fn add_moves(&mut self, _: Square, targets: Bitboard, _: MoveFlag) {
        self.0 += targets.count();
    }

    fn add_pawn_moves(&mut self, targets: Bitboard, _: i32, _: MoveFlag) {
        self.0 += targets.count();
    }
}

impl Position {
    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate(GenType::All, &mut list);
        list
    }

    /// Adds the legal moves of the gen_type sort to `list`.
    pub fn generate(&self, gen_type: GenType, list: &mut MoveList) {
        Generator::new(self, gen_type).run(list);
    }

    /// How many legal moves there are.
    pub fn count_moves(&self) -> usize {
        let mut count = Count(0);
        Generator::new(self, GenType::All).run(&mut count);
        count.0
    }

    /// Whether there is any legal move.
    pub fn has_moves(&self) -> bool {
        // The king's moves come first and mostly settle it; counting is cheap enough for the rest.
        self.count_moves() != 0
    }
}

struct Generator<'a> {
    position: &'a Position,
    gen_type: GenType,
    us: Colour,
    king: Square,
    occupied: Bitboard,
    enemies: Bitboard,
    /// Where men other than the king may land.
    check_mask: Bitboard,
}

impl<'a> Generator<'a> {
    fn new(position: &'a Position, gen_type: GenType) -> Self {
        let us = position.side_to_move;
        Self {
            position,
            gen_type,
            us,
            king: position.king(us),
            occupied: position.occupied(),
            enemies: position.occupied_by(!us),
            check_mask: position.check_mask(),
        }
    }

    fn run(&self, sink: &mut impl Sink) {
        self.king_moves(sink);
        if self.position.checkers.more_than_one() {
            return;
        }
        self.castling(sink);
        self.pawn_moves(sink);
        for kind in [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen] {
            self.piece_moves(kind, sink);
        }
    }

    /// Splits targets into captures and quiet moves.
    fn emit(&self, from: Square, targets: Bitboard, sink: &mut impl Sink) {
        if self.gen_type.noisy() {
            sink.add_moves(from, targets & self.enemies, MoveFlag::Capture);
        }
        if self.gen_type.quiet() {
            sink.add_moves(from, targets.without(self.occupied), MoveFlag::Quiet);
        }
    }

    /// The squares that moves of the gen_type sort can end on.
    fn target_squares(&self) -> Bitboard {
        match self.gen_type {
            GenType::All => !self.position.occupied_by(self.us),
            GenType::Noisy => self.enemies,
            GenType::Quiet => !self.occupied,
        }
    }

    fn king_moves(&self, sink: &mut impl Sink) {
        let mut safe = Bitboard::EMPTY;
        for to in attacks::king(self.king) & self.target_squares() {
            if !self.position.is_unsafe_for_king(to) {
                safe |= Bitboard::of(to);
            }
        }
        self.emit(self.king, safe, sink);
    }

    fn castling(&self, sink: &mut impl Sink) {
        if !self.gen_type.quiet() {
            return;
        }
        for castling_side in CastlingSide::ALL {
            let rook = self.position.castling.rook(self.us, castling_side);
            if let Some(rook) = rook.filter(|&rook| self.position.can_castle(castling_side, rook)) {
                sink.add_moves(self.king, Bitboard::of(rook), MoveFlag::Castle);
            }
        }
    }

    fn piece_moves(&self, kind: PieceType, sink: &mut impl Sink) {
        let check_mask = self.check_mask & self.target_squares();
        let men = self.position.pieces(self.us, kind);
        for from in men.without(self.position.pinned) {
            self.emit(from, attacks::piece(kind, from, self.occupied) & check_mask, sink);
        }
        for from in men & self.position.pinned {
            let line = attacks::line(self.king, from);
            self.emit(from, attacks::piece(kind, from, self.occupied) & check_mask & line, sink);
        }
    }

    fn pawn_moves(&self, sink: &mut impl Sink) {
        let pawns = self.position.pieces(self.us, PieceType::Pawn);
        self.pawn_pushes(pawns, sink);
        if self.gen_type.noisy() {
            self.pawn_captures(pawns, sink);
            self.en_passant(pawns, sink);
        }
    }

    /// The step of `files` files and one rank ahead, as a difference of square numbers.
    fn step(&self, files: i32) -> i32 {
        match self.us {
            Colour::White => 8 + files,
            Colour::Black => -8 + files,
        }
    }

    fn last_rank(&self) -> Bitboard {
        Bitboard::rank(Rank::new(7).relative_to(self.us))
    }

    fn pawn_pushes(&self, pawns: Bitboard, sink: &mut impl Sink) {
        // A pinned pawn may advance just where the pin runs along its file.
        let stuck = self.position.pinned.without(Bitboard::file(self.king.file()));
        let once = pawns.without(stuck).forward(self.us).without(self.occupied);
        let third = Bitboard::rank(Rank::new(2).relative_to(self.us));
        let twice = (once & third).forward(self.us).without(self.occupied) & self.check_mask;
        let once = once & self.check_mask;
        let (step, last) = (self.step(0), self.last_rank());
        let [knight, bishop, rook, queen] = MoveFlag::promotions(false);
        if self.gen_type.noisy() {
            sink.add_pawn_moves(once & last, step, queen);
        }
        if self.gen_type.quiet() {
            for flag in [knight, bishop, rook] {
                sink.add_pawn_moves(once & last, step, flag);
            }
            sink.add_pawn_moves(once.without(last), step, MoveFlag::Quiet);
            sink.add_pawn_moves(twice, 2 * step, MoveFlag::DoublePush);
        }
    }

    fn pawn_captures(&self, pawns: Bitboard, sink: &mut impl Sink) {
        let targets = self.enemies & self.check_mask;
        let free = pawns.without(self.position.pinned).forward(self.us);
        self.emit_pawn_captures(free.east() & targets, 1, sink);
        self.emit_pawn_captures(free.west() & targets, -1, sink);
        for from in pawns & self.position.pinned {
            let targets = targets & attacks::line(self.king, from);
            let ahead = Bitboard::of(from).forward(self.us);
            self.emit_pawn_captures(ahead.east() & targets, 1, sink);
            self.emit_pawn_captures(ahead.west() & targets, -1, sink);
        }
    }

    fn emit_pawn_captures(&self, targets: Bitboard, files: i32, sink: &mut impl Sink) {
        let last = self.last_rank();
        sink.add_pawn_moves(targets.without(last), self.step(files), MoveFlag::Capture);
        let promotions = targets & last;
        if promotions.is_any() {
            for flag in MoveFlag::promotions(true) {
                sink.add_pawn_moves(promotions, self.step(files), flag);
            }
        }
    }

    fn en_passant(&self, pawns: Bitboard, sink: &mut impl Sink) {
        let Some(to) = self.position.en_passant else {
            return;
        };
        for from in attacks::pawn(!self.us, to) & pawns {
            if self.position.en_passant_is_safe(from, to) {
                sink.add_moves(from, Bitboard::of(to), MoveFlag::EnPassant);
            }
        }
    }
}
