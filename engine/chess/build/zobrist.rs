//! Zobrist keys (A. Zobrist, "A New Hashing Method", 1970), drawn from one seed.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use crate::array;

const SEED: u64 = 1970;

/// The random keys.
pub struct Keys {
    /// Indexed by `piece * 64 + square`; the pieces are White's pawn to king, then Black's.
    pub pieces: Vec<u64>,
    castling: Vec<u64>,
    en_passant: Vec<u64>,
    /// The key of Black to move.
    pub side: u64,
}

impl Keys {
    /// Draws the keys.
    pub fn generate() -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let mut draw = |count: usize| (0..count).map(|_| rng.next_u64()).collect::<Vec<_>>();
        let pieces = draw(12 * 64);
        let single = draw(4);
        // The key of a set of rights is the exclusive or of the keys of its rights.
        let castling = (0..16)
            .map(|rights| (0..4).filter(|i| rights >> i & 1 != 0).fold(0, |key, i| key ^ single[i]))
            .collect();
        Self { pieces, castling, en_passant: draw(8), side: draw(1)[0] }
    }

    /// Returns the Rust source of the keys.
    pub fn source(&self) -> String {
        array("By piece and square.", "PIECES", "u64", &self.pieces)
            + &array("By castling rights.", "CASTLING", "u64", &self.castling)
            + &array("By file.", "EN_PASSANT", "u64", &self.en_passant)
            + &format!("/// The key of Black to move.\nconst SIDE: u64 = {:#x};\n", self.side)
    }
}
