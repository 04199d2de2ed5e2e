//! Input features: a piece on a square, as one side sees it.
//!
//! Each side sees the board from its own end, mirrored so that its king is on the files a to d
//! (horizontal mirroring). King buckets give it other weights in other places of its king.

use super::architecture::KING_BUCKETS;
use super::format::INPUTS;
use crate::types::{Colour, Piece, Square};

/// The bit of a feature that says whose piece it is.
const OPPONENT: u16 = 64;

/// A piece on a square: its feature index as White sees it with its king on the files a to d,
/// `128 * piece type + 64 * colour + square`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature(u16);

impl Feature {
    /// Returns the feature of a piece on a square.
    #[inline]
    pub fn new(piece: Piece, square: Square) -> Self {
        let colour = OPPONENT * piece.colour.index() as u16;
        Self(2 * OPPONENT * piece.kind.index() as u16 + colour + square.index() as u16)
    }
}

/// A side's view of the board: the side, its king bucket and whether the board is mirrored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Perspective {
    /// The bits of a feature to flip: own pieces first, own back rank below, own king on the left.
    xor_mask: u16,
    king_bucket: u8,
}

/// The king bucket of each square of the files a to d, from a1 to d8, if there are four.
const FOUR_KING_BUCKETS: [u8; 32] = [
    0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
];

impl Perspective {
    /// The perspectives of one colour: one per king bucket, mirrored or not.
    pub(super) const COUNT: usize = 2 * KING_BUCKETS;

    /// Returns the perspective of `colour` with its king on `king`, for 1 or 4 king buckets.
    pub fn new(colour: Colour, king: Square, king_buckets: usize) -> Self {
        let flip = if colour == Colour::White { 0 } else { 56 };
        let mirror = if king.file().index() >= 4 { 7 } else { 0 };
        let seen = king.index() ^ flip ^ mirror;
        let king_bucket = match king_buckets {
            1 => 0,
            _ => FOUR_KING_BUCKETS[seen / 8 * 4 + seen % 8],
        };
        let xor_mask = OPPONENT * colour.index() as u16 + (flip ^ mirror) as u16;
        Self { xor_mask, king_bucket }
    }

    /// Returns the index of a feature in the feature weights.
    #[inline]
    pub fn index_of(self, feature: Feature) -> usize {
        usize::from(self.king_bucket) * INPUTS + usize::from(feature.0 ^ self.xor_mask)
    }

    /// Returns an index below [`Self::COUNT`] into the refresh table of its colour.
    pub(super) fn table_index(self) -> usize {
        2 * usize::from(self.king_bucket) + usize::from(self.xor_mask & 7 != 0)
    }
}

/// Returns the output bucket for a number of pieces on the board, 2 to 32.
pub fn output_bucket(pieces: usize, buckets: usize) -> usize {
    (pieces.saturating_sub(2) * buckets / 31).min(buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::format::KING_BUCKET_COUNTS;
    use crate::types::PieceType;

    fn feature(colour: Colour, kind: PieceType, square: Square) -> Feature {
        Feature::new(Piece::new(colour, kind), square)
    }

    #[test]
    fn mirrored_positions_have_the_same_features() {
        for king in Square::all() {
            for buckets in KING_BUCKET_COUNTS {
                let white = Perspective::new(Colour::White, king, buckets);
                let other = Square::new(king.index() ^ 56);
                let black = Perspective::new(Colour::Black, other, buckets);
                for square in Square::all() {
                    let flipped = Square::new(square.index() ^ 56);
                    let seen = white.index_of(feature(Colour::White, PieceType::Rook, square));
                    assert_eq!(
                        seen,
                        black.index_of(feature(Colour::Black, PieceType::Rook, flipped))
                    );
                    assert!(seen < buckets * INPUTS);
                }
                // The own king is always on the files a to d.
                assert!(white.index_of(feature(Colour::White, PieceType::King, king)) % 8 < 4);
            }
        }
    }

    #[test]
    fn every_piece_on_every_square_has_its_own_index() {
        let perspective = Perspective::new(Colour::Black, Square::new(60), 1);
        let mut seen = [false; INPUTS];
        for colour in Colour::ALL {
            for kind in PieceType::ALL {
                for square in Square::all() {
                    let index = perspective.index_of(feature(colour, kind, square));
                    assert!(!std::mem::replace(&mut seen[index], true));
                }
            }
        }
    }

    #[test]
    fn all_output_buckets_are_used() {
        for buckets in [1, 4, 8] {
            let used: std::collections::HashSet<usize> =
                (2..=32).map(|pieces| output_bucket(pieces, buckets)).collect();
            assert_eq!(used, (0..buckets).collect());
        }
    }
}
