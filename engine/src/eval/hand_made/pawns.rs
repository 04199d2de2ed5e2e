//! Pawn structure and passed pawns.

use super::Facts;
use super::tapered::Tapered;
use super::weights;
use crate::types::{Bitboard, Colour, File, PieceType, Square};

/// All squares ahead on the files of `set`.
fn ahead(colour: Colour, set: Bitboard) -> Bitboard {
    let mut fill = set.forward(colour);
    for steps in [8, 16, 32] {
        fill |= match colour {
            Colour::White => Bitboard(fill.0 << steps),
            Colour::Black => Bitboard(fill.0 >> steps),
        };
    }
    fill
}

fn files_beside(file: File) -> Bitboard {
    let file = Bitboard::file(file);
    file.east() | file.west()
}

impl Facts<'_> {
    pub(super) fn pawns(&self, us: Colour) -> Tapered {
        let own = self.position.pieces(us, PieceType::Pawn);
        let theirs = self.position.pieces(!us, PieceType::Pawn);
        let front = ahead(!us, theirs);
        let guarded = front | front.east() | front.west();
        let doubled = own & ahead(!us, own);
        let mut sum = weights::DOUBLED * doubled.count() as i32
            + weights::PROTECTED * (own & self.pawn_attacks[us]).count() as i32;
        for pawn in own {
            if (files_beside(pawn.file()) & own).is_empty() {
                sum += weights::ISOLATED;
            }
        }
        for pawn in own & (own.east() | own.west()) {
            sum += weights::PHALANX[pawn.rank().relative_to(us).index()];
        }
        for pawn in own.without(guarded).without(doubled) {
            sum += self.passed(us, pawn);
        }
        sum
    }

    fn passed(&self, us: Colour, pawn: Square) -> Tapered {
        let next = pawn.forward(us);
        let distance = |colour| self.position.king(colour).distance(next) as i32;
        let rank = pawn.rank().relative_to(us).index();
        let mut sum = weights::PASSED[rank];
        // Kings matter once the pawn is on its way.
        if rank >= 3 {
            sum += weights::PASSED_ENEMY_KING[rank] * distance(!us)
                + weights::PASSED_OWN_KING[rank] * distance(us);
            if !self.position.occupied().has(next) {
                sum += weights::PASSED_FREE;
            }
            let obstacles = self.position.occupied() | self.attacks[!us];
            if (ahead(us, Bitboard::of(pawn)) & obstacles).is_empty() {
                sum += weights::PASSED_CLEAR;
            }
        }
        sum
    }
}
