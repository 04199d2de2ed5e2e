//! A small tapered sum of the classical terms. It bootstraps a network that will take its place.

mod king_safety;
mod pawns;
mod pieces;
mod tapered;
mod weights;

use crate::board::Position;
use crate::types::{Bitboard, ByColour, Colour, PieceType, Square};
use tapered::Tapered;

/// What several terms need, worked out once.
struct Facts<'a> {
    position: &'a Position,
    pawn_attacks: ByColour<Bitboard>,
    /// Squares attacked by knights, bishops, rooks and queens of a side, by kind.
    piece_attacks: ByColour<[Bitboard; 4]>,
    /// Squares attacked by anything of a side.
    attacks: ByColour<Bitboard>,
    /// Attacks on squares beside the enemy king, weighted by the attacker.
    king_attacks: ByColour<i32>,
}

/// The value of a position for the side to move, in centipawns.
pub fn value(position: &Position) -> i32 {
    let (us, mut facts) = (position.side_to_move(), Facts::new(position));
    let mut sum = facts.pieces(us) - facts.pieces(!us);
    sum += facts.side(us) - facts.side(!us);
    sum += mating_drive(position, us) - mating_drive(position, !us);
    let sum = sum.scale_endgame(winning_chances(position, sum));
    sum.at(phase(position)) + weights::TEMPO
}

/// Material that is left, from 0 (kings and pawns) to 24 (all pieces).
fn phase(position: &Position) -> i32 {
    let count = |kind| position.kind(kind).count() as i32;
    let minors = count(PieceType::Knight) + count(PieceType::Bishop);
    (minors + 2 * count(PieceType::Rook) + 4 * count(PieceType::Queen)).min(24)
}

/// The share, in 64ths, of an endgame advantage that the better side can hope to win.
fn winning_chances(position: &Position, sum: Tapered) -> i32 {
    let us = position.side_to_move();
    let better = if sum.endgame() > 0 { us } else { !us };
    let pawns = position.pieces(better, PieceType::Pawn).count();
    let material = position.piece_material();
    if pawns == 0 && material[better] - material[!better] <= 3 {
        weights::WINNING_CHANCES_BARE
    } else if pawns > 0 && opposite_bishops(position) {
        weights::WINNING_CHANCES_OPPOSITE_BISHOPS
    } else {
        weights::WINNING_CHANCES[pawns.min(8)]
    }
}

/// Whether each side has one bishop and no other piece, and the bishops never meet.
fn opposite_bishops(position: &Position) -> bool {
    let mut pieces = position.non_pawns(Colour::White) | position.non_pawns(Colour::Black);
    let split = Colour::ALL.iter().all(|&colour| position.non_pawns(colour).single().is_some());
    if !split || pieces.without(position.kind(PieceType::Bishop)).is_any() {
        return false;
    }
    let shade = |square: Square| (square.file().index() + square.rank().index()) % 2;
    pieces.next().map(shade) != pieces.next().map(shade)
}

/// Drives a king that has lost all its men to the edge, and the own king near it.
fn mating_drive(position: &Position, us: Colour) -> Tapered {
    if position.colour(!us).many() || position.piece_material()[us] < 5 {
        return Tapered::default();
    }
    let king = position.king(!us);
    let from_centre = |index: usize| 3 - index.min(7 - index) as i32;
    weights::BARE_KING_FROM_CENTRE
        * (from_centre(king.file().index()) + from_centre(king.rank().index()))
        + weights::BARE_KING_OWN_KING * king.distance(position.king(us)) as i32
}

impl<'a> Facts<'a> {
    fn new(position: &'a Position) -> Self {
        let pawn_attacks =
            ByColour(Colour::ALL.map(|colour| {
                crate::attacks::pawns(colour, position.pieces(colour, PieceType::Pawn))
            }));
        let attacks = ByColour(
            Colour::ALL
                .map(|colour| pawn_attacks[colour] | crate::attacks::king(position.king(colour))),
        );
        Self {
            position,
            pawn_attacks,
            piece_attacks: ByColour([[Bitboard::EMPTY; 4]; 2]),
            attacks,
            king_attacks: ByColour([0; 2]),
        }
    }

    /// The terms that need the attacks of both sides.
    fn side(&self, us: Colour) -> Tapered {
        self.pawns(us) + self.threats(us) + self.king_safety(us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSITIONS: [&str; 4] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
        "4k3/5ppp/8/8/8/8/PP6/4K3 b - - 12 40",
    ];

    /// The same position with the colours changed over.
    fn flipped(fen: &str) -> String {
        let mut fields = fen.split(' ');
        let placement = fields.next().expect("placement");
        let side = if fields.next() == Some("w") { "b" } else { "w" };
        let ranks: Vec<&str> = placement.split('/').rev().collect();
        let change = |letter: char| {
            if letter.is_ascii_uppercase() {
                letter.to_ascii_lowercase()
            } else {
                letter.to_ascii_uppercase()
            }
        };
        let rest: Vec<&str> = fields.collect();
        let castling: String = rest[0].chars().map(change).collect();
        let placement: String = ranks.join("/").chars().map(change).collect();
        format!("{placement} {side} {castling} {} {} {}", rest[1], rest[2], rest[3])
    }

    #[test]
    fn both_colours_are_judged_alike() {
        for fen in POSITIONS {
            let worth = |fen: &str| value(&Position::from_fen(fen).expect(fen));
            assert_eq!(worth(fen), worth(&flipped(fen)), "{fen}");
        }
    }

    #[test]
    fn a_queen_more_is_worth_about_a_queen() {
        let value = |fen| value(&Position::from_fen(fen).expect(fen));
        assert!(value("3qk3/8/8/8/8/8/8/3QK3 w - - 0 1").abs() < 100);
        assert!(value("4k3/pppp4/8/8/8/8/PPPP4/3QK3 w - - 0 1") > 700);
    }

    #[test]
    fn a_bare_minor_piece_wins_nothing() {
        let position = Position::from_fen("4k3/8/8/8/8/8/8/3NK3 w - - 0 1").expect("a position");
        assert!(value(&position).abs() < 100);
    }

    #[test]
    fn a_bare_king_is_driven_to_the_edge() {
        let value = |fen| value(&Position::from_fen(fen).expect("a position"));
        let cornered = value("k7/8/1K6/8/8/8/8/7R w - - 0 1");
        assert!(cornered > value("8/8/8/3k4/8/1K6/8/7R w - - 0 1"));
    }

    #[test]
    fn bishops_that_never_meet_win_less() {
        let value = |fen| value(&Position::from_fen(fen).expect("a position"));
        let same = value("4k1b1/8/8/8/8/8/PP6/4KB2 w - - 0 1");
        assert!(same > value("4k1b1/8/8/8/8/8/PP6/4K1B1 w - - 0 1"));
    }
}
