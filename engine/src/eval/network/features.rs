//! What a side sees, as numbers.

use super::format::INPUTS;
use crate::types::{Colour, Piece, Square};

/// The bit of a man's number that says whose it is.
const OTHER: u16 = 64;

/// A man on a square, as a number: that of the input that White with its king on the left has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Man(u16);

impl Man {
    /// Puts it there.
    #[inline]
    pub fn new(piece: Piece, square: Square) -> Self {
        let colour = OTHER * piece.colour.index() as u16;
        Self(2 * OTHER * piece.kind.index() as u16 + colour + square.index() as u16)
    }
}

/// How a side looks at the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Bits of a man's number that are turned round: so that the own end is below, the own king on the left, and the own men
    /// come first.
    turn: u16,
    /// The set of input weights.
    bucket: u8,
}

/// Which set of weights belongs to a square of the own king, of those on the files a to d, from a1 to d8.
const BUCKETS_OF_4: [u8; 32] = [
    0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
];

impl View {
    /// How `colour` looks at the board with its king on this square, where there are so many sets of input weights.
    pub fn of(colour: Colour, king: Square, buckets: usize) -> Self {
        let vertical = if colour == Colour::White { 0 } else { 56 };
        let mirror = if king.file().index() >= 4 { 7 } else { 0 };
        let seen = king.index() ^ vertical ^ mirror;
        let bucket = match buckets {
            1 => 0,
            _ => BUCKETS_OF_4[seen / 8 * 4 + seen % 8],
        };
        let turn = OTHER * colour.index() as u16 + (vertical ^ mirror) as u16;
        Self { turn, bucket }
    }

    /// The input that stands for a man.
    #[inline]
    pub fn input(self, man: Man) -> usize {
        usize::from(self.bucket) * INPUTS + usize::from(man.0 ^ self.turn)
    }

    /// A number from 0 for each view of a side.
    pub(super) fn index(self) -> usize {
        2 * usize::from(self.bucket) + usize::from(self.turn & 7 != 0)
    }
}

/// The set of output weights for so many men.
pub fn output_bucket(men: usize, buckets: usize) -> usize {
    // Two kings are the least, 32 men the most.
    (men.saturating_sub(2) * buckets / 31).min(buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::network::format::KING_MAPS;
    use crate::types::PieceType;

    fn man(colour: Colour, kind: PieceType, square: Square) -> Man {
        Man::new(Piece::new(colour, kind), square)
    }

    #[test]
    fn twins_are_seen_alike() {
        for king in Square::all() {
            for buckets in KING_MAPS {
                let white = View::of(Colour::White, king, buckets);
                let other = Square::new(king.index() ^ 56);
                let black = View::of(Colour::Black, other, buckets);
                for square in Square::all() {
                    let twin = Square::new(square.index() ^ 56);
                    let seen = white.input(man(Colour::White, PieceType::Rook, square));
                    assert_eq!(seen, black.input(man(Colour::Black, PieceType::Rook, twin)));
                    assert!(seen < buckets * INPUTS);
                }
                // The own king always stands on the left.
                assert!(white.input(man(Colour::White, PieceType::King, king)) % 8 < 4);
            }
        }
    }

    #[test]
    fn every_man_on_every_square_has_a_number_of_its_own() {
        let view = View::of(Colour::Black, Square::new(60), 1);
        let mut seen = [false; INPUTS];
        for colour in Colour::ALL {
            for kind in PieceType::ALL {
                for square in Square::all() {
                    let input = view.input(man(colour, kind, square));
                    assert!(!std::mem::replace(&mut seen[input], true));
                }
            }
        }
    }

    #[test]
    fn all_sets_of_output_weights_are_used() {
        for buckets in [1, 4, 8] {
            let used: std::collections::HashSet<usize> =
                (2..=32).map(|men| output_bucket(men, buckets)).collect();
            assert_eq!(used, (0..buckets).collect());
        }
    }
}
