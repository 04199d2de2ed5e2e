//! A training example: a position, its score and the result of its game, in 32 bytes.

use nullarbor::board::Position;
use nullarbor::eval::nnue::features::{Feature, Perspective, output_bucket};
use nullarbor::types::{Bitboard, Colour, Piece, PieceType, Score, Square};

use super::model::Shape;

/// A position with its score and result, from the point of view of the side to move, which plays up the board as White does.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Example {
    occupied: u64,
    /// Four bits for each piece, from a1 on: its type, plus 8 if it is the opponent's.
    pieces: [u8; 16],
    score: i16,
    /// Result of the game in half points.
    result: u8,
    kings: [u8; 2],
}

/// The active features of both perspectives.
#[derive(Clone, Debug)]
pub struct ActiveFeatures {
    lists: [[u16; 32]; 2],
    count: usize,
    /// The output bucket.
    pub bucket: usize,
}

impl Example {
    /// Packs a position with the score in centipawns and the result (0, 0.5 or 1) of the side to move.
    pub fn new(position: &Position, score: Score, result: f32) -> Self {
        let us = position.side_to_move();
        let flip = if us == Colour::White { 0 } else { 56 };
        let flipped = |bits: Bitboard| if flip == 0 { bits.0 } else { bits.0.swap_bytes() };
        let occupied = flipped(position.occupied());
        let mut pieces = [0; 16];
        for (index, square) in Bitboard(occupied).enumerate().take(32) {
            if let Some(piece) = position.piece_on(Square::new(square.index() ^ flip)) {
                let code = piece.kind.index() as u8 | if piece.colour == us { 0 } else { 8 };
                pieces[index / 2] |= code << (index % 2 * 4);
            }
        }
        let king = |colour| (position.king(colour).index() ^ flip) as u8;
        Self {
            occupied,
            pieces,
            score: score.0.clamp(-32_000, 32_000) as i16,
            result: (result * 2.0) as u8,
            kings: [king(us), king(!us)],
        }
    }

    /// Returns the number of pieces, with kings and pawns.
    pub fn piece_count(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// Returns the score of the search, in centipawns.
    pub fn score(&self) -> f32 {
        self.score.into()
    }

    /// Returns the result of the game, from 0 to 1.
    pub fn result(&self) -> f32 {
        f32::from(self.result) / 2.0
    }

    /// Returns the active features for networks of a shape.
    pub fn features(&self, shape: Shape) -> ActiveFeatures {
        // The board is flipped, so the side to move plays as White.
        let king = |index: usize| Square::new(self.kings[index].into());
        let perspectives = [
            Perspective::new(Colour::White, king(0), shape.king_buckets),
            Perspective::new(Colour::Black, king(1), shape.king_buckets),
        ];
        let mut lists = [[0; 32]; 2];
        let mut count = 0;
        for square in Bitboard(self.occupied) {
            let code = self.pieces[count / 2] >> (count % 2 * 4) & 15;
            let kind = PieceType::ALL[usize::from(code & 7)];
            let colour = if code < 8 { Colour::White } else { Colour::Black };
            let feature = Feature::new(Piece::new(colour, kind), square);
            lists[0][count] = perspectives[0].index_of(feature) as u16;
            lists[1][count] = perspectives[1].index_of(feature) as u16;
            count += 1;
        }
        ActiveFeatures { lists, count, bucket: output_bucket(count, shape.output_buckets) }
    }
}

impl ActiveFeatures {
    /// Returns the features of a perspective: 0 is the side to move, 1 the opponent.
    pub fn of(&self, perspective: usize) -> &[u16] {
        &self.lists[perspective][..self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { hidden: 32, king_buckets: 4, output_buckets: 8 };

    #[test]
    fn it_takes_32_bytes() {
        assert_eq!(size_of::<Example>(), 32);
    }

    #[test]
    fn it_has_the_features_of_the_engine() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        ] {
            let position = Position::from_fen(fen).expect(fen);
            let example = Example::new(&position, Score(-37), 0.5);
            assert_eq!((example.score(), example.result()), (-37.0, 0.5));
            let features = example.features(SHAPE);
            let us = position.side_to_move();
            for (index, colour) in [us, !us].into_iter().enumerate() {
                let perspective =
                    Perspective::new(colour, position.king(colour), SHAPE.king_buckets);
                let index_of = |square| {
                    let piece = position.piece_on(square).expect("a piece");
                    perspective.index_of(Feature::new(piece, square)) as u16
                };
                let mut expected: Vec<u16> = position.occupied().map(index_of).collect();
                let mut found = features.of(index).to_vec();
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "{fen}");
            }
            let count = position.occupied().count();
            assert_eq!(features.bucket, output_bucket(count, SHAPE.output_buckets));
        }
    }
}
