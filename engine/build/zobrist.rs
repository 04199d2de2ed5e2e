//! Random keys (A. Zobrist, "A New Hashing Method", 1970), from one seed.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use crate::array;

const SEED: u64 = 1970;

/// One key for everything that tells two positions apart.
pub struct Keys {
    /// By chessman (six white kinds, six black) and square: `piece * 64 + square`.
    pub pieces: Vec<u64>,
    castling: Vec<u64>,
    en_passant: Vec<u64>,
    /// Black is to move.
    pub side: u64,
}

impl Keys {
    /// The keys of the seed.
    pub fn generate() -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let mut draw = |count: usize| (0..count).map(|_| rng.next_u64()).collect::<Vec<_>>();
        let pieces = draw(12 * 64);
        let single = draw(4);
        // The key of several rights is the sum of their keys, so taking one away is one operation.
        let castling = (0..16)
            .map(|rights| (0..4).filter(|i| rights >> i & 1 != 0).fold(0, |key, i| key ^ single[i]))
            .collect();
        Self { pieces, castling, en_passant: draw(8), side: draw(1)[0] }
    }

    /// The Rust source of the keys.
    pub fn source(&self) -> String {
        array("By piece and square.", "PIECES", "u64", &self.pieces)
            + &array("By castling rights.", "CASTLING", "u64", &self.castling)
            + &array("By file.", "EN_PASSANT", "u64", &self.en_passant)
            + &format!("/// Black is to move.\nconst SIDE: u64 = {:#x};\n", self.side)
    }
}
