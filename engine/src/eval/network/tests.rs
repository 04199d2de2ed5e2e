//! The network as a whole: alike for twins, alike however a position was reached, and as the formula says.

use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::features::{Man, View, output_bucket};
use super::format::{Content, ContentError, INPUTS, NEURON, SQUARE, WEIGHT};
use super::*;
use crate::board::Position;
use crate::types::MAX_PLY;

const STARTS: [&str; 6] = [
    Position::START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/PPP4k/8/8/8/8/4Kppp/8 w - - 0 1",
    "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
    "rnbqkb1r/ppppp1pp/7n/4Pp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "8/8/4k3/8/2Q5/8/3K4/8 b - - 0 1",
];

/// Numbers of a network, and of its first layer.
const NUMBERS: usize = FIRST + OUTPUT_BUCKETS * 2 * HIDDEN;
const FIRST: usize = (KING_BUCKETS * INPUTS + 1) * HIDDEN;
/// An output weight that all neurons may have at once.
const OUTPUT: i16 = (120_000 / HIDDEN) as i16;

fn content(numbers: Vec<i16>) -> Content {
    Content {
        hidden: HIDDEN,
        king_buckets: KING_BUCKETS,
        output_buckets: OUTPUT_BUCKETS,
        scale: 400,
        facts: "by chance".to_owned(),
        numbers,
        output_biases: vec![-1234; OUTPUT_BUCKETS],
    }
}

/// A network by chance, with weights as large as trained ones may be.
fn file(seed: u64) -> Vec<u8> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let number = |index| {
        let most = if index < FIRST { 900 } else { OUTPUT };
        rng.random_range(-most..=most)
    };
    content((0..NUMBERS).map(number).collect()).bytes().expect("a sound network")
}

fn network(seed: u64) -> Arc<Network> {
    Arc::new(Network::parse(&file(seed)).expect("a network"))
}

fn fresh(network: &Arc<Network>, position: &Position) -> i32 {
    Evaluator::new(Arc::clone(network)).evaluate(position, 0)
}

/// The formula, without anything that makes it fast.
fn formula(network: &Network, position: &Position) -> i32 {
    let us = position.side_to_move();
    let bucket = output_bucket(position.occupied().count(), OUTPUT_BUCKETS);
    let mut sum = 0;
    for (perspective, weights) in [us, !us].into_iter().zip(&network.outputs[bucket]) {
        let view = View::of(perspective, position.king(perspective), KING_BUCKETS);
        for neuron in 0..HIDDEN {
            let mut value = i64::from(network.biases.0[neuron]);
            for square in position.occupied() {
                let man = position.piece_on(square).expect("a man");
                let input = view.input(Man::new(man, square));
                value += i64::from(network.inputs[input].0[neuron]);
            }
            let active = (value.clamp(0, NEURON.into()) * 32).pow(2) / 65_536;
            sum += active * i64::from(weights.0[neuron]);
        }
    }
    let sum = (sum + i64::from(network.output_biases[bucket])) * i64::from(network.scale);
    let one = f64::from(SQUARE * WEIGHT);
    (sum as f64 / one).round() as i32
}

/// Lines of moves by chance, up and down as a search goes, passing now and then: `see` gets each position and its ply.
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
fn however_a_position_was_reached_it_is_worth_the_same() {
    let network = network(1);
    let [mut evaluator, mut forgetful] = [(), ()].map(|()| Evaluator::new(Arc::clone(&network)));
    let mut seen = 0;
    wander(1_000_000, |position, ply| {
        seen += 1;
        forgetful.forget();
        assert_eq!(
            evaluator.evaluate(position, ply),
            forgetful.evaluate(position, 0),
            "{position}"
        );
    });
    assert!(seen > 500_000);
}

#[test]
fn it_computes_what_the_formula_says() {
    let network = network(2);
    let mut evaluator = Evaluator::new(Arc::clone(&network));
    let (mut different, mut last) = (0, 0);
    wander(20_000, |position, ply| {
        let value = evaluator.evaluate(position, ply);
        assert_eq!(value, formula(&network, position), "{position}");
        different += usize::from(value != last);
        last = value;
    });
    assert!(different > 5_000, "a network by chance has many values: {different}");
}

#[test]
fn twins_are_worth_the_same() {
    let network = network(3);
    wander(5_000, |position, _| {
        let twin = position.to_string();
        let fields: Vec<&str> = twin.split(' ').collect();
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
        // Rights to castle do not matter to a network.
        let twin = Position::from_fen(&format!("{} {side} - - 0 1", ranks.join("/")));
        let twin = twin.expect("a position");
        assert_eq!(fresh(&network, position), fresh(&network, &twin), "{position}");
    });
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let network = network(4);
    assert_eq!(network.facts(), "by chance");
    assert_eq!((network.scale, network.output_biases[0]), (400, -1234));
    assert_eq!(network.inputs.len(), KING_BUCKETS * INPUTS);
    assert_ne!(network.name(), self::network(5).name());
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let whole = file(6);
    let refused = |bytes: &[u8]| Content::parse(bytes).expect_err("refused");
    for length in [0, 7, 63] {
        assert_eq!(refused(&whole[..length]), ContentError::Foreign);
    }
    for length in [64, 100, whole.len() - 1] {
        assert!(matches!(refused(&whole[..length]), ContentError::Length { .. }));
    }
    let longer = [&whole[..], &[0]].concat();
    assert!(matches!(refused(&longer), ContentError::Length { .. }));
    for byte in (0..64).filter(|&byte| byte >= 24).chain([64, 70, 1000, whole.len() - 1]) {
        let mut bytes = whole.clone();
        bytes[byte] ^= 16;
        let error = refused(&bytes);
        let length = matches!(error, ContentError::Length { .. }) && (28..32).contains(&byte);
        assert!(length || matches!(error, ContentError::Checksum { .. }), "byte {byte}: {error}");
    }
    let mut other = whole.clone();
    other[12] ^= 1;
    assert!(matches!(refused(&other), ContentError::Shape { .. }));
    other = whole.clone();
    other[0] = b'M';
    assert_eq!(refused(&other), ContentError::Foreign);
    let sound = content([vec![900; FIRST], vec![OUTPUT; NUMBERS - FIRST]].concat());
    sound.bytes().expect("as large as may be");
    let refused = |content: Content| content.bytes().expect_err("refused");
    assert_eq!(refused(Content { scale: 0, ..sound.clone() }), ContentError::Scale(0));
    let mut numbers = sound.numbers.clone();
    numbers[..FIRST].fill(1000);
    assert_eq!(refused(content(numbers)), ContentError::Weights);
    let mut numbers = sound.numbers;
    numbers[FIRST..].fill(i16::MAX);
    assert_eq!(refused(content(numbers)), ContentError::Weights);
}

#[test]
fn a_network_of_another_shape_is_named() {
    let hidden = HIDDEN + 32;
    let numbers = NUMBERS / HIDDEN * hidden;
    let other = Content { hidden, ..content(vec![1; numbers]) };
    let error = Network::parse(&other.bytes().expect("sound")).expect_err("refused");
    assert!(error.to_string().contains(&format!("a network of {hidden} neurons")), "{error}");
}
