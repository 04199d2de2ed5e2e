//! From a position to the next one.

use super::{Position, zobrist};
use crate::attacks;
use crate::types::{Bitboard, CastlingSide, Colour, Move, MoveFlag, Piece, PieceType, Square};

impl Position {
    /// The position after a legal move.
    pub fn make(&self, mv: Move) -> Self {
        let mut next = self.clone();
        let moved = next.place(mv);
        next.halfmove_clock = if mv.is_capture() || moved == PieceType::Pawn {
            0
        } else {
            self.halfmove_clock.saturating_add(1)
        };
        next.plies_since_null = self.plies_since_null.saturating_add(1);
        next.pass_the_turn();
        if mv.is(MoveFlag::DoublePush) {
            next.allow_en_passant(mv.to());
        }
        next.refresh_key();
        next
    }

    /// The position after passing; the side to move must not be in check.
    pub fn make_null(&self) -> Self {
        debug_assert!(!self.in_check());
        let mut next = self.clone();
        next.halfmove_clock = self.halfmove_clock.saturating_add(1);
        next.plies_since_null = 0;
        next.pass_the_turn();
        next.refresh_key();
        next
    }

    /// A guess at the key after `mv`, good enough to prefetch by: castling, promotions and
    /// en passant are left out.
    pub fn key_after(&self, mv: Move) -> u64 {
        let Some(piece) = self.piece_on(mv.from()) else {
            return self.key;
        };
        let captured = self.piece_on(mv.to()).map_or(0, |victim| zobrist::piece(victim, mv.to()));
        self.key
            ^ zobrist::side(Colour::Black)
            ^ zobrist::piece(piece, mv.from())
            ^ zobrist::piece(piece, mv.to())
            ^ captured
    }

    /// The kind of man that `mv` takes.
    pub fn captured(&self, mv: Move) -> Option<PieceType> {
        if mv.is(MoveFlag::EnPassant) {
            Some(PieceType::Pawn)
        } else if mv.is_capture() {
            self.piece_type_on(mv.to())
        } else {
            None
        }
    }

    /// The man that `mv` moves.
    ///
    /// # Panics
    /// Where no man stands on its start: the move is not of this position.
    pub fn moved(&self, mv: Move) -> Piece {
        let kind = self.piece_type_on(mv.from());
        Piece::new(self.side_to_move, kind.expect("a move of this position starts on a man"))
    }

    fn pass_the_turn(&mut self) {
        self.fullmove = self.fullmove.saturating_add(self.side_to_move.index() as u16);
        self.side_to_move = !self.side_to_move;
        self.en_passant = None;
        self.find_checks_and_pins();
    }

    /// Moves the men and takes castling rights away; says what kind of man moved.
    fn place(&mut self, mv: Move) -> PieceType {
        let (us, from, to) = (self.side_to_move, mv.from(), mv.to());
        let piece = self.moved(mv);
        if mv.is(MoveFlag::Castle) {
            self.castle(from, to);
            return piece.kind;
        }
        self.take(mv);
        self.placement.remove(piece, from);
        self.placement.put(Piece::new(us, mv.promotion().unwrap_or(piece.kind)), to);
        match piece.kind {
            PieceType::King => self.castling.revoke_both(us),
            PieceType::Rook => self.castling.revoke_rook(us, from),
            _ => {}
        }
        piece.kind
    }

    fn take(&mut self, mv: Move) {
        let Some(kind) = self.captured(mv) else {
            return;
        };
        let them = !self.side_to_move;
        let square = if mv.is(MoveFlag::EnPassant) { mv.to().forward(them) } else { mv.to() };
        self.placement.remove(Piece::new(them, kind), square);
        if kind == PieceType::Rook {
            self.castling.revoke_rook(them, square);
        }
    }

    /// Both men leave before either arrives: in Chess960 one may land where the other stood.
    fn castle(&mut self, king_from: Square, rook_from: Square) {
        let us = self.side_to_move;
        let castling_side = CastlingSide::of(king_from, rook_from);
        let (king, rook) = (Piece::new(us, PieceType::King), Piece::new(us, PieceType::Rook));
        self.placement.remove(king, king_from);
        self.placement.remove(rook, rook_from);
        self.placement.put(king, castling_side.king_target(us));
        self.placement.put(rook, castling_side.rook_target(us));
        self.castling.revoke_both(us);
    }

    /// Keeps the en-passant square after a double step to `target`, but just where the capture is
    /// legal: so two positions with the same moves have the same key.
    pub(super) fn allow_en_passant(&mut self, target: Square) {
        let square = target.forward(self.side_to_move);
        let takers = attacks::pawn(!self.side_to_move, square)
            & self.pieces(self.side_to_move, PieceType::Pawn);
        self.en_passant =
            takers.into_iter().any(|from| self.en_passant_is_safe(from, square)).then_some(square);
    }

    /// Whether the king survives the en-passant capture, in which two men leave a rank at once.
    pub(super) fn en_passant_is_safe(&self, from: Square, to: Square) -> bool {
        let them = !self.side_to_move;
        let victim = Bitboard::of(to.forward(them));
        let occupied = (self.occupied() ^ Bitboard::of(from) ^ victim) | Bitboard::of(to);
        let king = self.king(self.side_to_move);
        let enemies = self.occupied_by(them).without(victim);
        (self.attackers_to(king, occupied) & enemies).is_empty()
    }
}
