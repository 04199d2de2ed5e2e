//! Material, squares and mobility of all men, and the threats that they meet.

use super::Facts;
use super::tapered::Tapered;
use super::weights;
use crate::attacks;
use crate::types::{Bitboard, Colour, PieceType, Rank, Square};

const PIECES: [PieceType; 4] =
    [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

/// Material and square of one man.
fn man(kind: PieceType, square: Square, owner: Colour) -> Tapered {
    let square = square.relative_to(owner);
    let file = square.file().index();
    let from_edge = file.min(7 - file);
    weights::MATERIAL[kind.index()]
        + weights::SQUARES[kind.index()][square.rank().index() * 4 + from_edge]
}

impl Facts<'_> {
    /// Material, squares, mobility and files. Notes on the way what is attacked.
    pub(super) fn pieces(&mut self, us: Colour) -> Tapered {
        let mut sum = Tapered::default();
        for kind in [PieceType::Pawn, PieceType::King] {
            for square in self.position.pieces(us, kind) {
                sum += man(kind, square, us);
            }
        }
        for (slot, kind) in PIECES.into_iter().enumerate() {
            for square in self.position.pieces(us, kind) {
                sum += man(kind, square, us) + self.activity(us, slot, square);
            }
        }
        if self.position.pieces(us, PieceType::Bishop).many() {
            sum += weights::BISHOP_PAIR;
        }
        let minors = self.position.pieces(us, PieceType::Knight)
            | self.position.pieces(us, PieceType::Bishop);
        let shielded = minors.forward(us) & self.position.kind(PieceType::Pawn);
        sum += weights::SHIELDED_MINOR * shielded.count() as i32;
        sum + self.rook_files(us)
    }

    fn activity(&mut self, us: Colour, slot: usize, square: Square) -> Tapered {
        let mut reach = attacks::piece(PIECES[slot], square, self.see_through(us, slot));
        if self.position.pinned().has(square) {
            reach &= attacks::line(self.position.king(us), square);
        }
        self.attacks[us] |= reach;
        self.piece_attacks[us][slot] |= reach;
        let near_king = reach & attacks::king(self.position.king(!us));
        self.king_attacks[us] += weights::KING_ATTACK[slot] * near_king.count() as i32;
        let open =
            reach.without(self.pawn_attacks[!us] | self.position.pieces(us, PieceType::Pawn));
        weights::MOBILITY[slot][open.count()]
    }

    /// What blocks a piece: sliders look through own men that move the same way.
    fn see_through(&self, us: Colour, slot: usize) -> Bitboard {
        let queens = self.position.pieces(us, PieceType::Queen);
        let partners = match PIECES[slot] {
            PieceType::Bishop => queens,
            PieceType::Rook => queens | self.position.pieces(us, PieceType::Rook),
            _ => Bitboard::EMPTY,
        };
        self.position.occupied().without(partners)
    }

    fn rook_files(&self, us: Colour) -> Tapered {
        let pawns = self.position.kind(PieceType::Pawn);
        let own_pawns = self.position.pieces(us, PieceType::Pawn);
        let mut sum = Tapered::default();
        for rook in self.position.pieces(us, PieceType::Rook) {
            let file = Bitboard::file(rook.file());
            if (file & pawns).is_empty() {
                sum += weights::ROOK_OPEN_FILE;
            } else if (file & own_pawns).is_empty() {
                sum += weights::ROOK_HALF_OPEN_FILE;
            }
        }
        sum
    }

    /// Own men that are attacked by lesser ones, or attacked and not protected.
    pub(super) fn threats(&self, us: Colour) -> Tapered {
        let pieces = self.position.non_pawns(us);
        let heavy =
            self.position.pieces(us, PieceType::Rook) | self.position.pieces(us, PieceType::Queen);
        let by_pawn = pieces & self.pawn_attacks[!us];
        let [by_knight, by_bishop, ..] = self.piece_attacks[!us];
        let by_minor = heavy & (by_knight | by_bishop);
        let men = pieces | self.position.pieces(us, PieceType::Pawn);
        let hanging = (men & self.attacks[!us]).without(self.attacks[us]);
        weights::ATTACKED_BY_PAWN * by_pawn.count() as i32
            + weights::PUSH_THREAT * (pieces & self.push_attacks(!us)).count() as i32
            + weights::ATTACKED_BY_MINOR * by_minor.count() as i32
            + weights::HANGING * hanging.count() as i32
    }

    /// What pawns of a side would attack after a safe push.
    fn push_attacks(&self, us: Colour) -> Bitboard {
        let occupied = self.position.occupied();
        let third = Bitboard::rank(Rank::new(2).relative_to(us));
        let once = self.position.pieces(us, PieceType::Pawn).forward(us).without(occupied);
        let twice = (once & third).forward(us).without(occupied);
        let safe = (self.attacks[us] | !self.attacks[!us]).without(self.pawn_attacks[!us]);
        attacks::pawns(us, (once | twice) & safe)
    }
}
