//! Checks of a network that need no games: what a bug in training, a drift of its scale or a lack of data would spoil first.

use std::sync::Arc;

use nullarbor::board::Position;
use nullarbor::eval::nnue::format::{FormatError, QA};
use nullarbor::eval::nnue::{Evaluator, Network};
use nullarbor::types::{Colour, Score};
use nullarbor_openings::builtin;

use super::example::Example;
use super::model::Shape;
use super::quantise::{CALIBRATION_BOOKS, Quantised};

/// A neuron that is at its upper clip in more than this share of the positions is saturated.
const SATURATED_SHARE: f64 = 0.5;
/// Positions of each book on which the symmetry is measured.
const SYMMETRY_SAMPLE: usize = 1000;
/// One held-out position in this many is looked at.
const STRIDE: usize = 8;

/// The initial position without one of the opponent's pieces, by kind of piece.
const WITHOUT: [&[&str]; 5] = [
    &[
        "rnbqkbnr/ppp1pppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/ppppp1pp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ],
    &[
        "r1bqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ],
    &[
        "rn1qkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqk1nr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ],
    &[
        "1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1",
        "rnbqkbn1/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQq - 0 1",
    ],
    &["rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"],
];

/// The measurements of a network.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inspection {
    /// The mean absolute evaluation of the held-out positions, in centipawns.
    pub mean_absolute: f64,
    /// The evaluation of the initial position, in centipawns.
    pub start: f64,
    /// The gain from a missing pawn, knight, bishop, rook and queen of the opponent in the initial position, in centipawns.
    pub pieces: [f64; 5],
    /// The largest difference, in centipawns, between a position and the same one with colours reversed. In a build that can run
    /// the network it is the engine that evaluates both, and the trainer's evaluation must agree, too.
    pub asymmetry: f64,
    /// The share of the neurons that are never active.
    pub dead: f64,
    /// The share of the neurons that are at their upper clip in most positions.
    pub saturated: f64,
}

impl Inspection {
    /// Measures a network of any shape on its own and on some positions, the held-out ones.
    ///
    /// # Errors
    /// If its accumulators could overflow.
    pub fn of(network: &Quantised, examples: &[Example]) -> Result<Self, FormatError> {
        let [dead, saturated] = neurons(network, examples);
        let start = evaluate(network, &Position::start());
        let gain = |fens: &[&str]| {
            let values = fens.iter().filter_map(|fen| Position::from_fen(fen).ok());
            let sum: f64 = values.map(|position| evaluate(network, &position) - start).sum();
            sum / fens.len() as f64
        };
        Ok(Self {
            mean_absolute: mean_absolute(network, examples),
            start,
            pieces: WITHOUT.map(gain),
            asymmetry: asymmetry(network)?,
            dead,
            saturated,
        })
    }
}

/// Returns the mean absolute evaluation of a sample of some positions, in centipawns.
pub fn mean_absolute(network: &Quantised, examples: &[Example]) -> f64 {
    let sample = examples.iter().step_by(STRIDE);
    let count = sample.len().max(1) as f64;
    let value = |example: &Example| network.evaluate(&example.features(network.shape())).abs();
    sample.map(value).sum::<f64>() / count
}

fn evaluate(network: &Quantised, position: &Position) -> f64 {
    network.evaluate(&Example::new(position, Score(0), 0.5).features(network.shape()))
}

/// Returns the shares of dead and of saturated neurons.
fn neurons(network: &Quantised, examples: &[Example]) -> [f64; 2] {
    let hidden = network.shape().hidden;
    let (mut active, mut clipped) = (vec![0_u64; hidden], vec![0_u64; hidden]);
    let mut accumulators = 0_u64;
    for example in examples.iter().step_by(STRIDE) {
        let features = example.features(network.shape());
        for perspective in 0..2 {
            accumulators += 1;
            for (neuron, value) in network.accumulator(&features, perspective).iter().enumerate() {
                active[neuron] += u64::from(*value > 0);
                clipped[neuron] += u64::from(i32::from(*value) >= QA);
            }
        }
    }
    let dead = active.iter().filter(|&&count| count == 0).count();
    let most = SATURATED_SHARE * accumulators as f64;
    let saturated = clipped.iter().filter(|&&count| count as f64 > most).count();
    [dead, saturated].map(|count| count as f64 / hidden as f64)
}

fn asymmetry(network: &Quantised) -> Result<f64, FormatError> {
    let bytes = network.to_bytes("")?;
    let engine = (network.shape() == Shape::BUILT).then(|| Network::parse(&bytes).ok()).flatten();
    let mut engine = engine.map(|network| Evaluator::new(Arc::new(network)));
    let mut largest = 0.0_f64;
    for book in CALIBRATION_BOOKS {
        for (opening, _) in builtin::scored(book).take(SYMMETRY_SAMPLE) {
            let position = opening.game().position().clone();
            let Some(reversed) = reversed(&position) else { continue };
            let values = [evaluate(network, &position), evaluate(network, &reversed)];
            let by_engine = engine.as_mut().map_or(values, |engine| {
                [&position, &reversed].map(|it| f64::from(engine.evaluate(it, 0)))
            });
            for other in [values[1], by_engine[0], by_engine[1]] {
                largest = largest.max((values[0] - other).abs());
            }
        }
    }
    Ok(largest)
}

/// Returns a position with colours reversed.
fn reversed(position: &Position) -> Option<Position> {
    let swapped = |text: &str| -> String {
        let swap = |it: char| {
            if it.is_ascii_uppercase() { it.to_ascii_lowercase() } else { it.to_ascii_uppercase() }
        };
        text.chars().map(swap).collect()
    };
    let fen = position.to_string();
    let fields: Vec<&str> = fen.split(' ').collect();
    let [board, _, castling, en_passant, rest @ ..] = &fields[..] else { return None };
    let ranks: Vec<String> = board.split('/').rev().map(swapped).collect();
    let side = if position.side_to_move() == Colour::White { "b" } else { "w" };
    let en_passant = en_passant.replace('6', "x").replace('3', "6").replace('x', "3");
    let castling = swapped(castling);
    let fen = format!("{} {side} {castling} {en_passant} {}", ranks.join("/"), rest.join(" "));
    Position::from_fen(&fen).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trainer::evaluate::held_out;
    use crate::trainer::model::Model;
    use crate::trainer::testing::random_positions;
    use nullarbor::eval::nnue::format::NetworkFile;

    #[test]
    fn the_network_of_this_build_is_sound() {
        let file = NetworkFile::parse(Network::embedded_file()).expect("a network");
        let network = Quantised(file);
        let examples: Vec<Example> = held_out().into_iter().step_by(20).collect();
        let found = Inspection::of(&network, &examples).expect("it fits");
        let [pawn, knight, bishop, rook, queen] = found.pieces;
        assert!(
            queen > rook && rook > bishop.max(knight) && bishop.min(knight) > pawn,
            "{found:?}"
        );
        assert!(found.start.abs() < 60.0 && found.asymmetry == 0.0, "{found:?}");
        assert!(found.dead < 0.05 && found.saturated < 0.1, "{found:?}");
        assert!((100.0..1000.0).contains(&found.mean_absolute), "{found:?}");
    }

    #[test]
    fn dead_and_saturated_neurons_are_found() {
        let shape = Shape { hidden: 64, king_buckets: 1, output_buckets: 1 };
        let mut model = Model::random(shape, 1);
        let bias = shape.bias_row();
        for row in &mut model.tiles[0][..bias] {
            row.0[..3].fill(0.0);
        }
        model.tiles[0][bias].0[..3].copy_from_slice(&[-0.5, 1.5, 0.9]);
        let examples: Vec<Example> = held_out().into_iter().step_by(500).collect();
        let [dead, saturated] = neurons(&Quantised::new(&model, 300), &examples);
        assert_eq!((dead * 64.0, saturated * 64.0), (1.0, 1.0));
    }

    #[test]
    fn reversing_twice_gives_the_same_position() {
        for position in random_positions(200, 3) {
            let again = reversed(&position).and_then(|other| reversed(&other));
            assert_eq!(again.expect("legal").to_string(), position.to_string());
        }
    }
}
