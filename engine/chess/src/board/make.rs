//! Making moves.

use super::{Position, zobrist};
use crate::attacks;
use crate::types::{Bitboard, CastlingSide, Colour, Move, MoveFlag, Piece, PieceType, Square};

impl Position {
    /// Returns the position after a legal move.
    ///
    /// ```
    /// use nullarbor_chess::board::Position;
    ///
    /// let position = Position::from_fen("4k3/P7/8/8/8/8/8/4K3 w - - 3 40").expect("a position");
    /// let mv = position.parse_uci("a7a8q").expect("a move");
    /// assert_eq!(position.make(mv).to_string(), "Q3k3/8/8/8/8/8/8/4K3 b - - 0 40");
    /// ```
    #[inline]
    pub fn make(&self, mv: Move) -> Self {
        let mut next = self.clone();
        next.play(mv);
        next
    }

    /// Makes a legal move in place.
    #[inline]
    pub fn play(&mut self, mv: Move) {
        let moved = self.move_pieces(mv);
        self.halfmove_clock = if mv.is_capture() || moved == PieceType::Pawn {
            0
        } else {
            self.halfmove_clock.saturating_add(1)
        };
        self.plies_since_null = self.plies_since_null.saturating_add(1);
        self.switch_side();
        if mv.is(MoveFlag::DoublePush) {
            self.allow_en_passant(mv.to());
        }
        self.refresh_key();
    }

    /// Returns the position after a null move; the side to move must not be in check.
    #[inline]
    pub fn make_null(&self) -> Self {
        debug_assert!(!self.in_check());
        let mut next = self.clone();
        next.halfmove_clock = self.halfmove_clock.saturating_add(1);
        next.plies_since_null = 0;
        next.switch_side();
        next.refresh_key();
        next
    }

    /// Estimates the key after `mv`, for prefetching. It is wrong for castling, promotions, en
    /// passant and changes of castling rights.
    #[inline]
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

    /// Returns the type of the piece that `mv` captures.
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<PieceType> {
        if mv.is(MoveFlag::EnPassant) {
            Some(PieceType::Pawn)
        } else if mv.is_capture() {
            self.piece_type_on(mv.to())
        } else {
            None
        }
    }

    /// Returns the piece that `mv` moves.
    ///
    /// # Panics
    /// If the from square is empty: the move belongs to another position.
    #[inline]
    pub fn moved(&self, mv: Move) -> Piece {
        let kind = self.piece_type_on(mv.from());
        Piece::new(self.side_to_move, kind.expect("a move of this position starts on a piece"))
    }

    /// Gives the move to the other side and updates all that depends on it, except the key.
    fn switch_side(&mut self) {
        self.fullmove = self.fullmove.saturating_add(self.side_to_move.index() as u16);
        self.side_to_move = !self.side_to_move;
        self.en_passant = None;
        self.find_checks_and_pins();
    }

    /// Moves the pieces and updates the castling rights. Returns the type of the moved piece.
    fn move_pieces(&mut self, mv: Move) -> PieceType {
        let (us, from, to) = (self.side_to_move, mv.from(), mv.to());
        let piece = self.moved(mv);
        if mv.is(MoveFlag::Castle) {
            self.castle(from, to);
            return piece.kind;
        }
        self.remove_captured(mv);
        self.placement.remove(piece, from);
        self.placement.put(Piece::new(us, mv.promotion().unwrap_or(piece.kind)), to);
        match piece.kind {
            PieceType::King => self.castling.revoke_both(us),
            PieceType::Rook => self.castling.revoke_rook(us, from),
            _ => {}
        }
        piece.kind
    }

    fn remove_captured(&mut self, mv: Move) {
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

    /// Removes both pieces before putting them back: in Chess960 one may move to the square of the
    /// other.
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

    /// Sets the en-passant square after a double push to `target` if an en-passant capture is
    /// legal. Otherwise positions with the same legal moves would have different keys.
    pub(super) fn allow_en_passant(&mut self, target: Square) {
        let square = target.forward(self.side_to_move);
        let capturers = attacks::pawn(!self.side_to_move, square)
            & self.pieces(self.side_to_move, PieceType::Pawn);
        self.en_passant = capturers
            .into_iter()
            .any(|from| self.en_passant_is_safe(from, square))
            .then_some(square);
    }

    /// Returns whether the king is safe after an en-passant capture, which removes two pawns from a
    /// rank.
    pub(super) fn en_passant_is_safe(&self, from: Square, to: Square) -> bool {
        let them = !self.side_to_move;
        let victim = Bitboard::of(to.forward(them));
        let occupied = (self.occupied() ^ Bitboard::of(from) ^ victim) | Bitboard::of(to);
        let king = self.king(self.side_to_move);
        let enemies = self.occupied_by(them).without(victim);
        (self.attackers_to(king, occupied) & enemies).is_empty()
    }
}
