//! Networks held against a fixed set of positions, so that their losses compare whatever they were trained on.

use super::example::Example;
use super::examples::least;
use super::export::Whole;
use super::gradient::sigmoid;
use crate::data::compact::{self, levels};
use crate::data::filter::Filter;
use crate::data::record::Record;

/// Centipawns that make an output of one, for the scores of the searches.
const SCALE: f32 = levels::SCALE as f32;
/// Slopes that are tried: a network's centipawns are worth so many of the searches'.
const SLOPES: [f32; 2] = [0.1, 10.0];
/// How exactly the best slope is found.
const TOLERANCE: f32 = 1e-3;
/// Piece counts of a bucket: 1 to 4, 5 to 8, and so on to 32.
const WIDTH: usize = 4;
/// Buckets by piece count.
pub const BUCKETS: usize = 32 / WIDTH;

/// What the rows of an evaluation hold.
pub const COLUMNS: [&str; 3] = ["pieces", "positions", "loss"];

/// How far a network is from the searches of a set of positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The factor on the network's centipawns with which the loss is least: networks of different generations have different
    /// scales.
    pub slope: f32,
    /// The mean of the losses of the buckets, each with the same weight however many positions it has: so it does not depend on
    /// how common endgames are in the set.
    pub loss: f64,
    /// By piece count, from few to many.
    pub buckets: [Bucket; BUCKETS],
}

/// Positions with about as many pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bucket {
    /// How many there are.
    pub positions: usize,
    /// Mean squared error of the chance to score; zero where there are no positions.
    pub loss: f64,
}

/// What the usual filter keeps of some games.
pub fn examples(games: &[Record]) -> Vec<Example> {
    let filter = Filter::default();
    let one = |game: &Record| -> Vec<Example> {
        let kept = game
            .positions()
            .enumerate()
            .filter(|(ply, (position, mv, score))| filter.keeps(*ply, position, *mv, *score));
        let example = |(_, (position, _, score)): (_, (_, _, _))| {
            Example::of(&position, score, game.outcome.points(position.side_to_move()))
        };
        kept.map(example).collect()
    };
    games.iter().flat_map(one).collect()
}

/// 2,000 games at 5,000 nodes a move, played for this and never trained on; `held-out/README.md` says how.
const HELD_OUT: [&[u8]; 4] = [
    include_bytes!("../../held-out/random-0.games"),
    include_bytes!("../../held-out/random-1.games"),
    include_bytes!("../../held-out/book-0.games"),
    include_bytes!("../../held-out/book-1.games"),
];

/// The positions that all networks are held against.
pub fn held_out() -> Vec<Example> {
    let games = |bytes| {
        compact::read(bytes).unwrap_or_else(|error| unreachable!("a file built in: {error}"))
    };
    HELD_OUT.into_iter().flat_map(|bytes| examples(&games(bytes))).collect()
}

/// Holds a network of any shape against some positions, with the whole numbers that the engine computes with and without what the
/// engine makes of the value for the rule of fifty moves. The chance to score is that of [`SCALE`] centipawns for an output of one;
/// the network's centipawns are multiplied by the slope with which the loss is least.
pub fn evaluate(whole: &Whole, examples: &[Example]) -> Evaluation {
    let point = |example: &Example| Point {
        bucket: bucket(example.pieces()),
        wanted: sigmoid(example.score() / SCALE),
        value: whole.value(&example.inputs(whole.shape())) as f32 / SCALE,
    };
    let points: Vec<Point> = examples.iter().map(point).collect();
    let [low, high] = SLOPES;
    let slope = least(low, high, TOLERANCE, |slope| mean(&losses(&points, slope)));
    let buckets = losses(&points, slope);
    Evaluation { slope, loss: mean(&buckets), buckets }
}

/// The range of piece counts of a bucket.
pub fn pieces(bucket: usize) -> [usize; 2] {
    // Two kings are the least.
    [(bucket * WIDTH + 1).max(2), (bucket + 1) * WIDTH]
}

fn bucket(pieces: usize) -> usize {
    (pieces.saturating_sub(1) / WIDTH).min(BUCKETS - 1)
}

/// A position as it is compared.
struct Point {
    bucket: usize,
    /// The chance to score that the search saw.
    wanted: f32,
    /// What the network says, as an output.
    value: f32,
}

fn losses(points: &[Point], slope: f32) -> [Bucket; BUCKETS] {
    let mut buckets = [Bucket::default(); BUCKETS];
    for point in points {
        let bucket = &mut buckets[point.bucket];
        bucket.positions += 1;
        bucket.loss += f64::from(sigmoid(slope * point.value) - point.wanted).powi(2);
    }
    for bucket in &mut buckets {
        bucket.loss /= bucket.positions.max(1) as f64;
    }
    buckets
}

/// The mean over the buckets that have positions.
fn mean(buckets: &[Bucket]) -> f64 {
    let there = || buckets.iter().filter(|bucket| bucket.positions > 0);
    there().map(|bucket| bucket.loss).sum::<f64>() / there().count().max(1) as f64
}

impl Evaluation {
    /// In one line.
    pub fn line(&self) -> String {
        let Self { slope, loss, .. } = self;
        format!("held-out loss {loss:.6}, balanced by piece count, at slope {slope:.3}")
    }

    /// By piece count: pieces, positions, loss.
    pub fn rows(&self) -> Vec<[String; 3]> {
        let row = |(number, bucket): (usize, &Bucket)| {
            let [least, most] = pieces(number);
            let Bucket { positions, loss } = bucket;
            [format!("{least}-{most}"), positions.to_string(), format!("{loss:.6}")]
        };
        self.buckets.iter().enumerate().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::Outcome;
    use crate::network::model::{Model, Shape};
    use nullarbor::board::Position;
    use nullarbor::eval::nnue::format::NetworkFile;
    use nullarbor::types::Score;

    #[test]
    fn each_piece_count_is_in_the_bucket_that_says_so() {
        for count in 2..=32 {
            let [least, most] = pieces(bucket(count));
            assert!((least..=most).contains(&count), "{count}");
        }
        assert_eq!((pieces(0), pieces(BUCKETS - 1)), ([2, 4], [29, 32]));
    }

    #[test]
    fn a_network_that_says_the_same_in_other_centipawns_is_as_good() {
        const FENS: [&str; 4] = [
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1",
        ];
        let shape = Shape { hidden: 64, king_buckets: 1, output_buckets: 2 };
        let model = Model::random(shape, 9);
        let network = |scale| {
            let bytes = Whole::of(&model, scale).bytes("a test").expect("sound");
            Whole::from(&NetworkFile::parse(&bytes).expect("what was written"))
        };
        let whole = network(2000);
        let example = |fen: &&str| {
            let position = Position::from_fen(fen).expect(fen);
            let value = whole.value(&Example::of(&position, Score(0), 0.5).inputs(shape));
            Example::of(&position, Score(value as i32 / 2), 0.5)
        };
        let examples: Vec<Example> = FENS.iter().map(example).collect();
        let (one, two) = (evaluate(&network(2000), &examples), evaluate(&network(1000), &examples));
        assert!((one.slope - 0.5).abs() < 0.03, "{one:?}");
        assert!((two.slope - 1.0).abs() < 0.06, "{two:?}");
        assert!(one.loss < 1e-4 && two.loss < 1e-4, "{one:?} {two:?}");
        assert_eq!(one.buckets.map(|bucket| bucket.positions), [1, 0, 1, 0, 0, 0, 0, 2]);
    }

    #[test]
    fn the_held_out_set_has_every_piece_count_and_is_small() {
        assert!(HELD_OUT.iter().map(|bytes| bytes.len()).sum::<usize>() < 1 << 20);
        let found = held_out();
        assert!(found.len() > 100_000, "{}", found.len());
        for bucket in 0..BUCKETS {
            let [least, most] = pieces(bucket);
            let count = found.iter().filter(|it| (least..=most).contains(&it.pieces())).count();
            assert!(count > 500, "{least} to {most} pieces: {count}");
        }
    }

    #[test]
    fn games_are_filtered() {
        let start = Position::start();
        let mv = start.parse_uci("g1f3").expect("legal");
        let moves = vec![(mv, Score(20))];
        let game = Record { start, moves, outcome: Outcome::Draw };
        assert!(examples(&[game]).is_empty(), "too early");
        assert!(examples(&[]).is_empty());
    }
}
