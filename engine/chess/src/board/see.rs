//! Static exchange evaluation (SEE): the result of a series of captures on one square.

use super::{Position, Threats};
use crate::attacks;
use crate::types::{Bitboard, Colour, Move, MoveFlag, PieceType, Square};

/// Returns the value of a piece type in an exchange, in centipawns; 0 for the king, which is never
/// captured.
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
    /// Returns the material that the move wins before any reply, by capture and promotion, in
    /// centipawns.
    #[inline]
    pub fn immediate_gain(&self, mv: Move) -> i32 {
        let captured = self.captured(mv).map_or(0, see_value);
        let promoted =
            mv.promotion().map_or(0, |kind| see_value(kind) - see_value(PieceType::Pawn));
        captured + promoted
    }

    /// Returns whether the exchange started by `mv` wins at least `threshold` centipawns.
    ///
    /// Both sides capture with their least valuable attacker first and may stop at any time. Pinned
    /// pieces take no part while their pinner is on the board.
    ///
    /// ```
    /// use nullarbor_chess::board::Position;
    ///
    /// let position = Position::from_fen("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1").expect("a position");
    /// let mv = position.parse_uci("d1d5").expect("a move");
    /// assert!(!position.see_at_least(mv, 0), "the pawn is defended");
    /// ```
    #[inline]
    pub fn see_at_least(&self, mv: Move, threshold: i32) -> bool {
        if mv.is(MoveFlag::Castle) {
            return threshold <= 0;
        }
        let mut balance = self.immediate_gain(mv) - threshold;
        if balance < 0 {
            return false;
        }
        let mover = mv.promotion().unwrap_or(self.moved(mv).kind);
        balance -= see_value(mover);
        if balance >= 0 {
            return true;
        }
        let mut occupied = (self.occupied() ^ Bitboard::of(mv.from())) | Bitboard::of(mv.to());
        if mv.is(MoveFlag::EnPassant) {
            occupied ^= Bitboard::of(mv.to().forward(!self.side_to_move));
        }
        self.wins_exchange(mv.to(), occupied, balance)
    }

    /// The same with the [`threats`](Self::threats) of the position, which often answer at once.
    #[inline]
    pub fn see_at_least_with(&self, threats: &Threats, mv: Move, threshold: i32) -> bool {
        // What is not attacked even through the square that the piece leaves cannot be taken.
        let safe = !threats.all.has(mv.to()) && !threats.all.has(mv.from());
        if safe && !mv.is(MoveFlag::Castle) && !mv.is(MoveFlag::EnPassant) {
            return self.immediate_gain(mv) >= threshold;
        }
        self.see_at_least(mv, threshold)
    }

    /// Plays out the exchange and returns whether the side to move wins it. `balance` is the result
    /// for the side that captured last if its piece is then lost.
    fn wins_exchange(&self, square: Square, mut occupied: Bitboard, mut balance: i32) -> bool {
        let mut attackers = self.attackers_to(square, occupied) & occupied;
        let mut side = !self.side_to_move;
        // The first to capture back are the opponent's pieces.
        let theirs = attackers & self.occupied_by(side);
        let pinned = if theirs.is_any() {
            self.pinned | self.slider_checks_and_pins(side).1
        } else {
            Bitboard::EMPTY
        };
        loop {
            let own = attackers & self.occupied_by(side);
            let candidates = self.unpinned_attackers(side, own, pinned, square, occupied);
            let Some((kind, attacker)) = self.least_valuable(candidates) else {
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
            occupied ^= Bitboard::of(attacker);
            attackers |= self.x_ray_attackers(kind, square, occupied);
            attackers &= occupied;
            if balance >= 0 {
                break;
            }
        }
        side != self.side_to_move
    }

    /// Removes pinned attackers whose pinner is still on the board.
    fn unpinned_attackers(
        &self,
        side: Colour,
        attackers: Bitboard,
        pinned: Bitboard,
        square: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        if (attackers & pinned).is_empty() {
            return attackers;
        }
        let king = self.king(side);
        let pinners = (self.diagonal_sliders() | self.straight_sliders())
            & self.occupied_by(!side)
            & occupied;
        attackers
            .into_iter()
            .filter(|&from| {
                let line = attacks::line(king, from);
                !pinned.has(from) || line.has(square) || (line & pinners).is_empty()
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

    /// Returns the sliders that attack the square, including those behind the piece that captured.
    fn x_ray_attackers(
        &self,
        captured_with: PieceType,
        square: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        let diagonal = || attacks::bishop(square, occupied) & self.diagonal_sliders();
        let straight = || attacks::rook(square, occupied) & self.straight_sliders();
        match captured_with {
            PieceType::Pawn | PieceType::Bishop => diagonal(),
            PieceType::Rook => straight(),
            PieceType::Queen => diagonal() | straight(),
            PieceType::Knight | PieceType::King => Bitboard::EMPTY,
        }
    }
}
