//! Static exchange evaluation: what a series of captures on one square wins or loses.

use super::Position;
use crate::attacks;
use crate::types::{Bitboard, Colour, Move, MoveFlag, PieceType, Square};

/// The worth of a man in an exchange, in centipawns. The king is beyond price.
pub const fn see_value(kind: PieceType) -> i32 {
    match kind {
        PieceType::Pawn => 100,
        PieceType::Knight | PieceType::Bishop => 320,
        PieceType::Rook => 500,
        PieceType::Queen => 950,
        PieceType::King => 0,
    }
}

impl Position {
    /// What the move takes or makes at once, in centipawns.
    pub fn immediate_gain(&self, mv: Move) -> i32 {
        let captured = self.captured(mv).map_or(0, see_value);
        let promoted =
            mv.promotion().map_or(0, |kind| see_value(kind) - see_value(PieceType::Pawn));
        captured + promoted
    }

    /// Whether the exchange that `mv` opens wins at least `threshold` centipawns, both sides taking
    /// with their least man first and stopping when they like. Pinned men stay out of it as long
    /// as their pinner stands.
    pub fn see_at_least(&self, mv: Move, threshold: i32) -> bool {
        if mv.is(MoveFlag::Castle) {
            return threshold <= 0;
        }
        let mut balance = self.immediate_gain(mv) - threshold;
        if balance < 0 {
            return false;
        }
        let at_stake = mv.promotion().unwrap_or(self.moved(mv).kind);
        balance -= see_value(at_stake);
        if balance >= 0 {
            return true;
        }
        let mut occupied = (self.occupied() ^ Bitboard::of(mv.from())) | Bitboard::of(mv.to());
        if mv.is(MoveFlag::EnPassant) {
            occupied ^= Bitboard::of(mv.to().forward(!self.side_to_move));
        }
        self.exchange(mv.to(), occupied, balance)
    }

    /// Plays the exchange out; `balance` is what the first side has if the last taker is lost.
    fn exchange(&self, square: Square, mut occupied: Bitboard, mut balance: i32) -> bool {
        let mut attackers = self.attackers_to(square, occupied) & occupied;
        let mut side = !self.side_to_move;
        loop {
            let takers =
                self.unpinned_attackers(side, attackers & self.occupied_by(side), square, occupied);
            let Some((kind, taker)) = self.least_valuable(takers) else {
                break;
            };
            side = !side;
            // The king may not step into a remaining attack.
            if kind == PieceType::King {
                if (attackers & self.occupied_by(side)).is_any() {
                    side = !side;
                }
                break;
            }
            balance = -balance - 1 - see_value(kind);
            occupied ^= Bitboard::of(taker);
            attackers |= self.x_ray_attackers(kind, square, occupied);
            attackers &= occupied;
            if balance >= 0 {
                break;
            }
        }
        side != self.side_to_move
    }

    /// Leaves out men that shield their king from an enemy who still stands.
    fn unpinned_attackers(
        &self,
        side: Colour,
        takers: Bitboard,
        square: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        if side != self.side_to_move || (takers & self.pinned).is_empty() {
            return takers;
        }
        let king = self.king(side);
        let pinners = (self.diagonal_sliders() | self.straight_sliders())
            & self.occupied_by(!side)
            & occupied;
        takers
            .into_iter()
            .filter(|&from| {
                let line = attacks::line(king, from);
                !self.pinned.has(from) || line.has(square) || (line & pinners).is_empty()
            })
            .fold(Bitboard::EMPTY, |set, from| set | Bitboard::of(from))
    }

    fn least_valuable(&self, attackers: Bitboard) -> Option<(PieceType, Square)> {
        PieceType::ALL
            .into_iter()
            .map(|kind| (kind, attackers & self.pieces_of_type(kind)))
            .find(|(_, pieces)| pieces.is_any())
            .map(|(kind, pieces)| (kind, pieces.first()))
    }

    /// Sliders that see the square once a man in front of them has taken.
    fn x_ray_attackers(&self, taker: PieceType, square: Square, occupied: Bitboard) -> Bitboard {
        let diagonal = || attacks::bishop(square, occupied) & self.diagonal_sliders();
        let straight = || attacks::rook(square, occupied) & self.straight_sliders();
        match taker {
            PieceType::Pawn | PieceType::Bishop => diagonal(),
            PieceType::Rook => straight(),
            PieceType::Queen => diagonal() | straight(),
            PieceType::Knight | PieceType::King => Bitboard::EMPTY,
        }
    }
}
