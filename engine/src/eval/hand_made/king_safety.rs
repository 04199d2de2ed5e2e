//! The pawns in front of the king, and the pieces that come for it.

use super::Facts;
use super::tapered::{Tapered, s};
use super::weights;
use crate::attacks;
use crate::types::{Bitboard, Colour, PieceType};

impl Facts<'_> {
    pub(super) fn king_safety(&self, us: Colour) -> Tapered {
        self.shelter(us) - s(self.danger(us), 0)
    }

    fn shelter(&self, us: Colour) -> Tapered {
        let king = Bitboard::of(self.position.king(us));
        let own = self.position.pieces(us, PieceType::Pawn);
        let width = king | king.east() | king.west();
        let near = width.forward(us);
        let shield = own & (near | near.forward(us));
        let mut sum = weights::SHELTER * shield.count() as i32;
        for square in width {
            if (Bitboard::file(square.file()) & own).is_empty() {
                sum += weights::OPEN_KING_FILE;
            }
        }
        sum
    }

    /// Grows with the square of the attacks: one attacker is harmless, three are not.
    fn danger(&self, us: Colour) -> i32 {
        if self.position.pieces(!us, PieceType::Queen).is_empty() {
            return 0;
        }
        let danger = self.king_attacks[!us] + self.safe_checks(us);
        danger * danger / weights::DANGER_DIVISOR
    }

    /// Squares from which the enemy can give check without being taken.
    fn safe_checks(&self, us: Colour) -> i32 {
        let (king, occupied) = (self.position.king(us), self.position.occupied());
        let safe = !(self.attacks[us] | self.position.colour(!us));
        let straight = attacks::rook(king, occupied);
        let diagonal = attacks::bishop(king, occupied);
        let lines = [attacks::knight(king), diagonal, straight, straight | diagonal];
        let reach = self.piece_attacks[!us];
        (0..4)
            .map(|slot| {
                weights::SAFE_CHECK[slot] * (lines[slot] & reach[slot] & safe).count() as i32
            })
            .sum()
    }
}
