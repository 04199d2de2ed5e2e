//! A position to learn from, in 32 bytes.

use nullarbor::board::Position;
use nullarbor::eval::nnue::features::{Feature, Perspective, output_bucket};
use nullarbor::types::{Bitboard, Colour, Piece, PieceType, Score, Square};

use super::model::Shape;

/// A position, its value and how the game ended, as the side to move sees them: its own end is below.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Example {
    occupied: u64,
    /// For each man, from a1 on: its kind, and 8 more if it is the opponent's.
    men: [u8; 16],
    score: i16,
    /// In halves of a point.
    result: u8,
    kings: [u8; 2],
}

/// Inputs of both perspectives, the side to move first.
#[derive(Clone, Debug)]
pub struct Inputs {
    lists: [[u16; 32]; 2],
    count: usize,
    /// The set of output weights.
    pub bucket: usize,
}

impl Example {
    /// Packs a position; `score` and `points` are the mover's.
    pub fn of(position: &Position, score: Score, points: f32) -> Self {
        let us = position.side_to_move();
        let turn = if us == Colour::White { 0 } else { 56 };
        let turned = |bits: Bitboard| if turn == 0 { bits.0 } else { bits.0.swap_bytes() };
        let occupied = turned(position.occupied());
        let mut men = [0; 16];
        for (index, seen) in Bitboard(occupied).enumerate().take(32) {
            if let Some(man) = position.piece_on(Square::new(seen.index() ^ turn)) {
                let code = man.kind.index() as u8 | if man.colour == us { 0 } else { 8 };
                men[index / 2] |= code << (index % 2 * 4);
            }
        }
        let king = |colour| (position.king(colour).index() ^ turn) as u8;
        Self {
            occupied,
            men,
            score: score.0.clamp(-32_000, 32_000) as i16,
            result: (points * 2.0) as u8,
            kings: [king(us), king(!us)],
        }
    }

    /// How many pieces stand on the board, kings and pawns among them.
    pub fn pieces(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// What the search said, in centipawns.
    pub fn score(&self) -> f32 {
        self.score.into()
    }

    /// What came of it, from 0 to 1.
    pub fn points(&self) -> f32 {
        f32::from(self.result) / 2.0
    }

    /// What a network of this shape sees.
    pub fn inputs(&self, shape: Shape) -> Inputs {
        // The board is turned, so the side to move is always the one that plays upwards.
        let king = |index: usize| Square::new(self.kings[index].into());
        let views = [
            Perspective::new(Colour::White, king(0), shape.king_buckets),
            Perspective::new(Colour::Black, king(1), shape.king_buckets),
        ];
        let mut lists = [[0; 32]; 2];
        let mut count = 0;
        for square in Bitboard(self.occupied) {
            let code = self.men[count / 2] >> (count % 2 * 4) & 15;
            let kind = PieceType::ALL[usize::from(code & 7)];
            let colour = if code < 8 { Colour::White } else { Colour::Black };
            let man = Feature::new(Piece::new(colour, kind), square);
            lists[0][count] = views[0].index_of(man) as u16;
            lists[1][count] = views[1].index_of(man) as u16;
            count += 1;
        }
        Inputs { lists, count, bucket: output_bucket(count, shape.output_buckets) }
    }
}

impl Inputs {
    /// Those of the side to move, and those of the other one.
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
    fn it_sees_what_the_engine_sees() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        ] {
            let position = Position::from_fen(fen).expect(fen);
            let example = Example::of(&position, Score(-37), 0.5);
            assert_eq!((example.score(), example.points()), (-37.0, 0.5));
            let inputs = example.inputs(SHAPE);
            let us = position.side_to_move();
            for (index, colour) in [us, !us].into_iter().enumerate() {
                let view = Perspective::new(colour, position.king(colour), SHAPE.king_buckets);
                let input = |square| {
                    let man = position.piece_on(square).expect("a man");
                    view.index_of(Feature::new(man, square)) as u16
                };
                let mut expected: Vec<u16> = position.occupied().map(input).collect();
                let mut found = inputs.of(index).to_vec();
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "{fen}");
            }
            let men = position.occupied().count();
            assert_eq!(inputs.bucket, output_bucket(men, SHAPE.output_buckets));
        }
    }
}
