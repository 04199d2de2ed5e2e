//! Tests of the whole network: incremental evaluation equals evaluation from scratch and the plain
//! formula, colours are symmetric, and damaged files are refused.

use std::sync::Arc;

use nullarbor_chess::board::Position;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::features::{Feature, Perspective, output_bucket};
use super::format::{FormatError, INPUTS, NetworkFile, QA, QA_SQUARED, QB};
use super::*;
use crate::types::MAX_PLY;

const STARTS: [&str; 6] = [
    Position::START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/PPP4k/8/8/8/8/4Kppp/8 w - - 0 1",
    "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
    "rnbqkb1r/ppppp1pp/7n/4Pp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "8/8/4k3/8/2Q5/8/3K4/8 b - - 0 1",
];

/// The number of parameters, and that of the first layer.
const PARAMETERS: usize = FIRST_LAYER + OUTPUT_BUCKETS * 2 * HIDDEN;
const FIRST_LAYER: usize = (KING_BUCKETS * INPUTS + 1) * HIDDEN;
/// The largest output weight that all neurons may have at once.
const OUTPUT: i16 = (120_000 / HIDDEN) as i16;

fn network_file(parameters: Vec<i16>) -> NetworkFile {
    NetworkFile {
        hidden: HIDDEN,
        king_buckets: KING_BUCKETS,
        output_buckets: OUTPUT_BUCKETS,
        scale: 400,
        metadata: "random".to_owned(),
        parameters,
        output_biases: vec![-1234; OUTPUT_BUCKETS],
    }
}

/// A random network with weights as large as trained ones may be.
fn random_bytes(seed: u64) -> Vec<u8> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let number = |index| {
        let most = if index < FIRST_LAYER { 900 } else { OUTPUT };
        rng.random_range(-most..=most)
    };
    network_file((0..PARAMETERS).map(number).collect()).to_bytes().expect("a sound network")
}

fn random_network(seed: u64) -> Arc<Network> {
    Arc::new(Network::parse(&random_bytes(seed)).expect("a network"))
}

fn fresh(network: &Arc<Network>, position: &Position) -> i32 {
    Evaluator::new(Arc::clone(network)).evaluate(position, 0)
}

/// Evaluates without incremental updates or SIMD.
fn formula(network: &Network, position: &Position) -> i32 {
    let us = position.side_to_move();
    let bucket = output_bucket(position.occupied().count(), OUTPUT_BUCKETS);
    let mut sum = 0;
    for (colour, weights) in [us, !us].into_iter().zip(&network.output_weights[bucket]) {
        let perspective = Perspective::new(colour, position.king(colour), KING_BUCKETS);
        for neuron in 0..HIDDEN {
            let mut value = i64::from(network.feature_biases.0[neuron]);
            for square in position.occupied() {
                let piece = position.piece_on(square).expect("a piece");
                let index = perspective.index_of(Feature::new(piece, square));
                value += i64::from(network.feature_weights[index].0[neuron]);
            }
            let active = (value.clamp(0, QA.into()) * 32).pow(2) / 65_536;
            sum += active * i64::from(weights.0[neuron]);
        }
    }
    let sum = (sum + i64::from(network.output_biases[bucket])) * i64::from(network.scale);
    let one = f64::from(QA_SQUARED * QB);
    (sum as f64 / one).round() as i32
}

/// Walks random lines forwards and backwards as a search does, with some null moves, and calls
/// `see` with positions and their plies.
fn wander(moves: usize, mut see: impl FnMut(&Position, usize)) {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut made = 0;
    while made < moves {
        let start = STARTS[rng.random_range(0..STARTS.len())];
        let mut line = vec![Position::from_fen(start).expect(start)];
        for _ in 0..400 {
            let position = line.last().expect("a position");
            let legal = position.legal_moves();
            let ply = line.len() - 1;
            if legal.is_empty() || ply + 1 >= MAX_PLY || rng.random_range(0..10) == 0 {
                let back = rng.random_range(0..=ply.min(6));
                line.truncate(line.len() - back);
            } else if !position.in_check() && rng.random_range(0..20) == 0 {
                line.push(position.make_null());
            } else {
                line.push(position.make(legal[rng.random_range(0..legal.len())]));
            }
            made += 1;
            // A search does not evaluate everywhere.
            if rng.random_range(0..3) > 0 {
                see(line.last().expect("a position"), line.len() - 1);
            }
        }
    }
}

#[test]
fn incremental_evaluation_equals_evaluation_from_scratch() {
    compare_with_evaluation_from_scratch(50_000);
}

#[test]
#[ignore = "long"]
fn incremental_evaluation_equals_evaluation_from_scratch_a_million_times() {
    compare_with_evaluation_from_scratch(1_000_000);
}

fn compare_with_evaluation_from_scratch(positions: usize) {
    let network = random_network(1);
    let [mut evaluator, mut scratch] = [(), ()].map(|()| Evaluator::new(Arc::clone(&network)));
    let mut seen = 0;
    wander(positions, |position, ply| {
        seen += 1;
        scratch.reset();
        assert_eq!(evaluator.evaluate(position, ply), scratch.evaluate(position, 0), "{position}");
    });
    assert!(seen > positions / 2);
}

#[test]
fn evaluation_equals_the_plain_formula() {
    let network = random_network(2);
    let mut evaluator = Evaluator::new(Arc::clone(&network));
    let (mut different, mut last) = (0, 0);
    wander(20_000, |position, ply| {
        let value = evaluator.evaluate(position, ply);
        assert_eq!(value, formula(&network, position), "{position}");
        different += usize::from(value != last);
        last = value;
    });
    assert!(different > 5_000, "a random network has many values: {different}");
}

#[test]
fn mirrored_positions_have_the_same_value() {
    let network = random_network(3);
    wander(5_000, |position, _| {
        let mirrored = position.to_string();
        let fields: Vec<&str> = mirrored.split(' ').collect();
        let swap = |text: &str| -> String {
            let change = |letter: char| {
                if letter.is_ascii_uppercase() {
                    letter.to_ascii_lowercase()
                } else {
                    letter.to_ascii_uppercase()
                }
            };
            text.chars().map(change).collect()
        };
        let ranks: Vec<String> = fields[0].split('/').rev().map(swap).collect();
        let side = if fields[1] == "w" { "b" } else { "w" };
        // The network does not see castling rights.
        let mirrored = Position::from_fen(&format!("{} {side} - - 0 1", ranks.join("/")));
        let mirrored = mirrored.expect("a position");
        assert_eq!(fresh(&network, position), fresh(&network, &mirrored), "{position}");
    });
}

#[test]
fn a_file_is_loaded_as_it_was_written() {
    let network = random_network(4);
    assert_eq!(network.metadata(), "random");
    assert_eq!((network.scale, network.output_biases[0]), (400, -1234));
    assert_eq!(network.feature_weights.len(), KING_BUCKETS * INPUTS);
    assert_ne!(network.fingerprint(), random_network(5).fingerprint());
}

#[test]
fn damaged_files_are_refused_with_the_reason() {
    let whole = random_bytes(6);
    let refused = |bytes: &[u8]| NetworkFile::parse(bytes).expect_err("refused");
    for length in [0, 7, 63] {
        assert_eq!(refused(&whole[..length]), FormatError::Foreign);
    }
    for length in [64, 100, whole.len() - 1] {
        assert!(matches!(refused(&whole[..length]), FormatError::Length { .. }));
    }
    let longer = [&whole[..], &[0]].concat();
    assert!(matches!(refused(&longer), FormatError::Length { .. }));
    for byte in (0..64).filter(|&byte| byte >= 24).chain([64, 70, 1000, whole.len() - 1]) {
        let mut bytes = whole.clone();
        bytes[byte] ^= 16;
        let error = refused(&bytes);
        let length = matches!(error, FormatError::Length { .. }) && (28..32).contains(&byte);
        assert!(length || matches!(error, FormatError::Checksum { .. }), "byte {byte}: {error}");
    }
    let mut other = whole.clone();
    other[12] ^= 1;
    assert!(matches!(refused(&other), FormatError::Shape { .. }));
    other = whole.clone();
    other[0] = b'M';
    assert_eq!(refused(&other), FormatError::Foreign);
    let sound =
        network_file([vec![900; FIRST_LAYER], vec![OUTPUT; PARAMETERS - FIRST_LAYER]].concat());
    sound.to_bytes().expect("as large as may be");
    let refused = |file: NetworkFile| file.to_bytes().expect_err("refused");
    assert_eq!(refused(NetworkFile { scale: 0, ..sound.clone() }), FormatError::Scale(0));
    let mut parameters = sound.parameters.clone();
    parameters[..FIRST_LAYER].fill(1000);
    assert_eq!(refused(network_file(parameters)), FormatError::Weights);
    let mut parameters = sound.parameters;
    parameters[FIRST_LAYER..].fill(i16::MAX);
    assert_eq!(refused(network_file(parameters)), FormatError::Weights);
}

#[test]
fn another_architecture_is_refused() {
    let hidden = HIDDEN + 32;
    let parameters = PARAMETERS / HIDDEN * hidden;
    let other = NetworkFile { hidden, ..network_file(vec![1; parameters]) };
    let error = Network::parse(&other.to_bytes().expect("sound")).expect_err("refused");
    assert!(error.to_string().contains(&format!("a network of {hidden} neurons")), "{error}");
}
