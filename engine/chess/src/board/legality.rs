//! Attacked squares, the legality of a given move, and checks.

use super::Position;
use crate::attacks;
use crate::types::{Bitboard, CastlingSide, Move, MoveFlag, PieceType, Rank, Square};

/// The squares that a side attacks, by groups of piece types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threats {
    /// Squares attacked by any piece.
    pub all: Bitboard,
    /// Squares attacked by pawns.
    pub by_pawns: Bitboard,
    /// Squares attacked by pawns, knights and bishops.
    pub by_minors: Bitboard,
    /// Squares attacked by pawns, knights, bishops and rooks.
    pub by_rooks: Bitboard,
}

/// The squares and pieces that can give check.
#[derive(Clone, Copy, Debug)]
pub struct Checks {
    /// For each piece type, from pawn to king, the squares from which it checks.
    pub squares: [Bitboard; 6],
    /// Pieces that give a discovered check when they leave their line to the king.
    pub discoverers: Bitboard,
}

impl Position {
    /// Returns the squares that the opponent attacks.
    #[inline]
    pub fn threats(&self) -> Threats {
        let them = !self.side_to_move;
        let occupied = self.occupied();
        let by_pawns = attacks::pawns(them, self.pieces(them, PieceType::Pawn));
        let add = |set: Bitboard, kind: PieceType| {
            self.pieces(them, kind)
                .fold(set, |set, square| set | attacks::piece(kind, square, occupied))
        };
        let by_minors = add(add(by_pawns, PieceType::Knight), PieceType::Bishop);
        let by_rooks = add(by_minors, PieceType::Rook);
        let all = add(add(by_rooks, PieceType::Queen), PieceType::King);
        Threats { all, by_pawns, by_minors, by_rooks }
    }

    /// Returns whether the opponent attacks `square` once the king of the side to move has left its
    /// own.
    pub(super) fn is_unsafe_for_king(&self, square: Square) -> bool {
        let occupied = self.occupied() ^ self.pieces(self.side_to_move, PieceType::King);
        (self.attackers_to(square, occupied) & self.occupied_by(!self.side_to_move)).is_any()
    }

    /// Returns the squares that a piece other than the king may move to: all without a check, those
    /// that block or capture a single checker, none in double check.
    pub(super) fn check_mask(&self) -> Bitboard {
        match self.checkers.single() {
            Some(checker) => {
                attacks::between(self.king(self.side_to_move), checker) | self.checkers
            }
            None if self.checkers.is_any() => Bitboard::EMPTY,
            None => Bitboard::ALL,
        }
    }

    /// Returns whether castling with the rook on `rook`, for which there is a right, is legal.
    pub(super) fn can_castle(&self, castling_side: CastlingSide, rook: Square) -> bool {
        let us = self.side_to_move;
        let king = self.king(us);
        let (king_target, rook_target) =
            (castling_side.king_target(us), castling_side.rook_target(us));
        let king_path = attacks::between(king, king_target) | Bitboard::of(king_target);
        let rook_path = attacks::between(rook, rook_target) | Bitboard::of(rook_target);
        let others = self.occupied() ^ Bitboard::of(king) ^ Bitboard::of(rook);
        !self.in_check()
            && ((king_path | rook_path) & others).is_empty()
            // A rook that is pinned on the back rank exposes its king by castling (Chess960).
            && !self.pinned.has(rook)
            && !king_path.into_iter().any(|square| self.is_unsafe_for_king(square))
    }

    /// Returns whether `mv`, which may be any 16 bits, is a legal move.
    ///
    /// ```
    /// use nullarbor_chess::board::Position;
    /// use nullarbor_chess::types::Move;
    ///
    /// let start = Position::start();
    /// let push = start.parse_uci("e2e4").expect("a legal move");
    /// assert!(start.is_legal(push) && !start.make(push).is_legal(push));
    /// // As many of all possible bits as there are moves.
    /// let legal = (0..=u16::MAX).filter(|&bits| start.is_legal(Move::from_bits(bits)));
    /// assert_eq!(legal.count(), 20);
    /// ```
    #[inline]
    pub fn is_legal(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let Some(kind) =
            self.piece_type_on(from).filter(|_| self.occupied_by(self.side_to_move).has(from))
        else {
            return false;
        };
        if mv.is(MoveFlag::Castle) {
            return kind == PieceType::King && self.is_legal_castling(to);
        }
        if self.occupied_by(self.side_to_move).has(to) || self.king(!self.side_to_move) == to {
            return false;
        }
        if mv.is(MoveFlag::EnPassant) {
            return kind == PieceType::Pawn && self.is_legal_en_passant(from, to);
        }
        mv.is_capture() == self.occupied_by(!self.side_to_move).has(to)
            && self.is_well_formed(kind, mv)
            && self.leaves_king_safe(kind, from, to)
    }

    fn is_legal_castling(&self, rook: Square) -> bool {
        CastlingSide::ALL.into_iter().any(|castling_side| {
            self.castling.rook(self.side_to_move, castling_side) == Some(rook)
                && self.can_castle(castling_side, rook)
        })
    }

    fn is_legal_en_passant(&self, from: Square, to: Square) -> bool {
        self.en_passant == Some(to)
            && attacks::pawn(self.side_to_move, from).has(to)
            && self.en_passant_is_safe(from, to)
    }

    /// Returns whether the piece moves that way and the flag fits; the capture bit is already
    /// checked.
    fn is_well_formed(&self, kind: PieceType, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        if kind == PieceType::Pawn {
            return self.is_well_formed_pawn_move(mv);
        }
        (mv.is(MoveFlag::Quiet) || mv.is(MoveFlag::Capture))
            && attacks::piece(kind, from, self.occupied()).has(to)
    }

    fn is_well_formed_pawn_move(&self, mv: Move) -> bool {
        let (us, from, to) = (self.side_to_move, mv.from(), mv.to());
        let last = to.rank().relative_to(us) == Rank::new(7);
        if last != mv.is_promotion() {
            return false;
        }
        if mv.is_capture() {
            let flag_fits = mv.is_promotion() || mv.is(MoveFlag::Capture);
            return flag_fits && attacks::pawn(us, from).has(to);
        }
        let single = from.forward(us);
        if self.occupied().has(single) {
            return false;
        }
        if mv.is(MoveFlag::DoublePush) {
            let home = from.rank().relative_to(us) == Rank::new(1);
            return home && to == single.forward(us) && !self.occupied().has(to);
        }
        to == single && (mv.is_promotion() || mv.is(MoveFlag::Quiet))
    }

    fn leaves_king_safe(&self, kind: PieceType, from: Square, to: Square) -> bool {
        if kind == PieceType::King {
            return !self.is_unsafe_for_king(to);
        }
        let unpinned =
            !self.pinned.has(from) || attacks::line(self.king(self.side_to_move), from).has(to);
        unpinned && self.check_mask().has(to)
    }

    /// Returns the squares and pieces with which the side to move can give check.
    #[inline]
    pub fn checks(&self) -> Checks {
        let (king, occupied) = (self.king(!self.side_to_move), self.occupied());
        let diagonal = attacks::bishop(king, occupied);
        let straight = attacks::rook(king, occupied);
        let pawn = attacks::pawn(!self.side_to_move, king);
        let squares =
            [pawn, attacks::knight(king), diagonal, straight, diagonal | straight, Bitboard::EMPTY];
        Checks { squares, discoverers: self.discoverers(king) }
    }

    /// Returns the pieces of the side to move that alone block one of its sliders from the enemy
    /// king.
    fn discoverers(&self, king: Square) -> Bitboard {
        let own = self.occupied_by(self.side_to_move);
        let snipers = own
            & (attacks::bishop(king, Bitboard::EMPTY) & self.diagonal_sliders()
                | attacks::rook(king, Bitboard::EMPTY) & self.straight_sliders());
        snipers.into_iter().fold(Bitboard::EMPTY, |set, sniper| {
            let between = attacks::between(king, sniper) & self.occupied();
            if between.more_than_one() { set } else { set | between & own }
        })
    }

    /// Returns whether the moved piece gives check itself; discovered checks are not detected.
    #[inline]
    pub fn gives_direct_check(&self, mv: Move) -> bool {
        let king = self.king(!self.side_to_move);
        let kind = mv.promotion().unwrap_or(self.moved(mv).kind);
        match kind {
            PieceType::Pawn => attacks::pawn(self.side_to_move, mv.to()).has(king),
            PieceType::King => false,
            _ => {
                let occupied = self.occupied() ^ Bitboard::of(mv.from());
                attacks::piece(kind, mv.to(), occupied).has(king)
            }
        }
    }

    /// Returns whether a move gives check. Checks by castling and discovered by en passant are
    /// missed.
    ///
    /// ```
    /// use nullarbor_chess::board::Position;
    ///
    /// let position = Position::from_fen("4k3/8/8/8/4N3/8/8/4RK2 w - - 0 1").expect("a position");
    /// let checks = position.checks();
    /// let gives_check = |text| position.gives_check(position.parse_san(text).expect(text), &checks);
    /// // The knight itself, the rook behind it, neither.
    /// assert!(gives_check("Nf6") && gives_check("Nc3") && !gives_check("Ra1"));
    /// ```
    #[inline]
    pub fn gives_check(&self, mv: Move, checks: &Checks) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let line = attacks::line(self.king(!self.side_to_move), from);
        if checks.discoverers.has(from) && !line.has(to) {
            return true;
        }
        match mv.promotion() {
            None => checks.squares[self.moved(mv).kind.index()].has(to),
            Some(_) => self.gives_direct_check(mv),
        }
    }
}
