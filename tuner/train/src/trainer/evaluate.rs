//! Compares networks on the held-out set: a fixed set of positions that no network is trained on.

use nullarbor_report::table::Table;
use serde::{Deserialize, Serialize};

use super::example::Example;
use super::golden_section::minimise;
use super::labels::Labelling;
use super::quantise::Quantised;
use super::target::sigmoid;
use crate::data::compact::{self, levels};
use crate::data::filter::Filter;

/// Centipawns per unit of output, for the scores of the searches.
const SCALE: f32 = levels::SCALE as f32;
/// The range of factors on a network's centipawns.
const FACTORS: [f32; 2] = [0.1, 10.0];
/// The tolerance of the best factor.
const TOLERANCE: f32 = 1e-3;
/// Piece counts of a bucket: 1 to 4, 5 to 8, and so on to 32.
const WIDTH: usize = 4;
/// The number of buckets by piece count.
pub const BUCKETS: usize = 32 / WIDTH;

/// The errors of a network on a set of positions, against their searches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The factor on the network's centipawns at which the loss is least: the scales of networks differ.
    pub factor: f32,
    /// The mean of the losses of the buckets with equal weights, so that it does not depend on how common endgames are.
    pub loss: f64,
    /// The buckets, from few pieces to many.
    pub buckets: [Bucket; BUCKETS],
}

/// The positions with a range of piece counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    /// The number of positions.
    pub positions: usize,
    /// The mean squared error of the win probability; zero without positions.
    pub loss: f64,
}

/// 2,000 games at 5,000 nodes per move: `held-out/README.md` describes how they were played.
const HELD_OUT: [&[u8]; 4] = [
    include_bytes!("../../held-out/random-0.games"),
    include_bytes!("../../held-out/random-1.games"),
    include_bytes!("../../held-out/book-0.games"),
    include_bytes!("../../held-out/book-1.games"),
];

/// Returns the held-out set: the positions of the held-out games that the default filter keeps.
pub fn held_out() -> Vec<Example> {
    let filter = Filter::default();
    let games = |bytes| {
        compact::decode(bytes).unwrap_or_else(|error| unreachable!("a built-in file: {error}"))
    };
    let labelling = Labelling::scores(&filter);
    let examples = |game| labelling.examples(&game);
    HELD_OUT.into_iter().flat_map(games).flat_map(examples).collect()
}

/// Evaluates a network of any shape on some positions, with the integer arithmetic of the engine but without its damping by the
/// halfmove clock.
pub fn evaluate(network: &Quantised, examples: &[Example]) -> Evaluation {
    let point = |example: &Example| Point {
        bucket: bucket(example.piece_count()),
        target: sigmoid(example.score() / SCALE),
        output: network.evaluate(&example.features(network.shape())) as f32 / SCALE,
    };
    let points: Vec<Point> = examples.iter().map(point).collect();
    let [low, high] = FACTORS;
    let factor = minimise(low, high, TOLERANCE, |factor| mean(&losses(&points, factor)));
    let buckets = losses(&points, factor);
    Evaluation { factor, loss: mean(&buckets), buckets }
}

/// Returns the smallest and the largest piece count of a bucket.
pub fn pieces(bucket: usize) -> [usize; 2] {
    // There are at least two kings.
    [(bucket * WIDTH + 1).max(2), (bucket + 1) * WIDTH]
}

fn bucket(pieces: usize) -> usize {
    (pieces.saturating_sub(1) / WIDTH).min(BUCKETS - 1)
}

/// A position as it is compared.
struct Point {
    bucket: usize,
    /// The win probability of the search's score.
    target: f32,
    /// The network's output.
    output: f32,
}

fn losses(points: &[Point], factor: f32) -> [Bucket; BUCKETS] {
    let mut buckets = [Bucket::default(); BUCKETS];
    for point in points {
        let bucket = &mut buckets[point.bucket];
        bucket.positions += 1;
        bucket.loss += f64::from(sigmoid(factor * point.output) - point.target).powi(2);
    }
    for bucket in &mut buckets {
        bucket.loss /= bucket.positions.max(1) as f64;
    }
    buckets
}

/// Returns the mean loss of the buckets that have positions.
fn mean(buckets: &[Bucket]) -> f64 {
    let occupied = || buckets.iter().filter(|bucket| bucket.positions > 0);
    occupied().map(|bucket| bucket.loss).sum::<f64>() / occupied().count().max(1) as f64
}

impl Evaluation {
    /// Describes it in one line.
    pub fn line(&self) -> String {
        let Self { factor, loss, .. } = self;
        format!("held-out loss {loss:.6} (mean over piece counts, scores times {factor:.3})")
    }

    /// Returns a table with a row for each bucket: pieces, positions, loss.
    pub fn table(&self) -> Table {
        let row = |(number, bucket): (usize, &Bucket)| {
            let [min, max] = pieces(number);
            let Bucket { positions, loss } = bucket;
            [format!("{min}-{max}"), positions.to_string(), format!("{loss:.6}")]
        };
        let rows = self.buckets.iter().enumerate().map(row);
        Table::new("Loss by piece count", ["pieces", "positions", "loss"], rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trainer::model::{Model, Shape};
    use nullarbor::board::Position;
    use nullarbor::eval::nnue::format::NetworkFile;
    use nullarbor::types::Score;

    #[test]
    fn each_piece_count_is_in_the_range_of_its_bucket() {
        for count in 2..=32 {
            let [min, max] = pieces(bucket(count));
            assert!((min..=max).contains(&count), "{count}");
        }
        assert_eq!((pieces(0), pieces(BUCKETS - 1)), ([2, 4], [29, 32]));
    }

    #[test]
    fn the_loss_does_not_depend_on_the_scale_of_the_network() {
        const FENS: [&str; 4] = [
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1",
        ];
        let shape = Shape { hidden: 64, king_buckets: 1, output_buckets: 2 };
        let model = Model::random(shape, 9);
        let network = |scale| {
            let bytes = Quantised::new(&model, scale).to_bytes("a test").expect("no overflow");
            Quantised(NetworkFile::parse(&bytes).expect("valid bytes"))
        };
        let reference = network(2000);
        let example = |fen: &&str| {
            let position = Position::from_fen(fen).expect(fen);
            let features = Example::new(&position, Score(0), 0.5).features(shape);
            let value = reference.evaluate(&features);
            Example::new(&position, Score(value as i32 / 2), 0.5)
        };
        let examples: Vec<Example> = FENS.iter().map(example).collect();
        let (one, two) = (evaluate(&network(2000), &examples), evaluate(&network(1000), &examples));
        assert!((one.factor - 0.5).abs() < 0.03, "{one:?}");
        assert!((two.factor - 1.0).abs() < 0.06, "{two:?}");
        assert!(one.loss < 1e-4 && two.loss < 1e-4, "{one:?} {two:?}");
        assert_eq!(one.buckets.map(|bucket| bucket.positions), [1, 0, 1, 0, 0, 0, 0, 2]);
    }

    #[test]
    fn the_held_out_set_has_every_piece_count_and_is_small() {
        assert!(HELD_OUT.iter().map(|bytes| bytes.len()).sum::<usize>() < 1 << 20);
        let found = held_out();
        assert!(found.len() > 100_000, "{}", found.len());
        for bucket in 0..BUCKETS {
            let [min, max] = pieces(bucket);
            let count = found.iter().filter(|it| (min..=max).contains(&it.piece_count())).count();
            assert!(count > 500, "{min} to {max} pieces: {count}");
        }
    }
}
