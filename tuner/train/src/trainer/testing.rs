//! Examples for tests.

use nullarbor::board::Position;
use nullarbor::eval::nnue::Network;
use nullarbor::eval::nnue::format::NetworkFile;
use nullarbor::types::{Colour, PieceType, Score};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::example::Example;
use super::quantise::Quantised;

/// Returns the engine's network.
pub fn network() -> Quantised {
    Quantised(NetworkFile::parse(Network::embedded_file()).expect("a network"))
}

/// Returns the positions of random games that end after 40 plies: later positions often have a large imbalance.
pub fn random_positions(count: usize, seed: u64) -> Vec<Position> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = Position::start();
        for _ in 0..40 {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            position = position.make(legal[rng.random_range(0..legal.len())]);
            found.push(position.clone());
        }
    }
    found.truncate(count);
    found
}

/// Returns an example with the material balance as its score, and the result that follows from it.
pub fn material_example(position: &Position) -> Example {
    let material = |colour: Colour| -> i32 {
        let counts = position.piece_counts(colour);
        counts.iter().zip(PieceType::VALUES).map(|(&count, value)| count as i32 * value).sum()
    };
    let us = position.side_to_move();
    let score = material(us) - material(!us);
    let result = match score {
        1.. => 1.0,
        0 => 0.5,
        _ => 0.0,
    };
    Example::new(position, Score(score), result)
}
