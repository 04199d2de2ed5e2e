//! What a side sees, as numbers.

use crate::types::{Colour, PieceType, Square};

/// Inputs of a set of weights: two colours, six kinds, 64 squares.
pub const INPUTS: usize = 768;

/// How a side looks at the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// What turns a square to what the side sees: its own end is below, its king on the left.
    turn: u8,
    /// The set of input weights.
    bucket: u8,
}

/// Which set of weights belongs to a square of the own king, of those on the files a to d, from a1 to d8.
const BUCKETS_OF_4: [u8; 32] = [
    0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
];

impl View {
    /// Numbers of king buckets that there is a map for.
    pub const KING_BUCKETS: [usize; 2] = [1, 4];

    /// How `colour` looks at the board with its king on this square, where there are so many sets of input weights.
    pub fn of(colour: Colour, king: Square, buckets: usize) -> Self {
        let vertical = if colour == Colour::White { 0 } else { 56 };
        let mirror = if king.file().index() >= 4 { 7 } else { 0 };
        let turn = vertical | mirror;
        let seen = king.index() as u8 ^ turn;
        let bucket = match buckets {
            1 => 0,
            _ => BUCKETS_OF_4[usize::from(seen / 8 * 4 + seen % 8)],
        };
        Self { turn, bucket }
    }

    /// The number of a man, own or not, on a square.
    #[inline]
    pub fn feature(self, own: bool, kind: PieceType, square: Square) -> usize {
        let side = if own { 0 } else { 384 };
        let seen = square.index() ^ usize::from(self.turn);
        usize::from(self.bucket) * INPUTS + side + 64 * kind.index() + seen
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

    #[test]
    fn twins_are_seen_alike() {
        for king in Square::all() {
            for buckets in View::KING_BUCKETS {
                let white = View::of(Colour::White, king, buckets);
                let other = Square::new(king.index() ^ 56);
                let black = View::of(Colour::Black, other, buckets);
                for square in Square::all() {
                    let twin = Square::new(square.index() ^ 56);
                    let seen = white.feature(true, PieceType::Rook, square);
                    assert_eq!(seen, black.feature(true, PieceType::Rook, twin));
                    assert!(seen < buckets * INPUTS);
                }
                // The own king always stands on the left.
                assert!(white.feature(true, PieceType::King, king) % 8 < 4);
            }
        }
    }

    #[test]
    fn every_man_on_every_square_has_a_number_of_its_own() {
        let view = View::of(Colour::Black, Square::new(60), 1);
        let mut seen = [false; INPUTS];
        for own in [false, true] {
            for kind in PieceType::ALL {
                for square in Square::all() {
                    let feature = view.feature(own, kind, square);
                    assert!(!std::mem::replace(&mut seen[feature], true));
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
