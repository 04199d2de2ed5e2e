//! The worth of labels: errors of the static evaluation and of searches of some lengths against deep searches, and their cost.
//!
//! A label teaches what the network does not know yet: the squared error that a search takes away from the static evaluation. Per
//! hour of a core that is the difference of the mean squared errors times the positions that it labels in an hour. The searches
//! that generation is to use are those with the largest figure.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nullarbor::board::{Game, Position};
use nullarbor::clock::Limits;
use nullarbor::engine::Engine;
use nullarbor::eval::nnue::Evaluator;
use nullarbor::search::Silent;
use nullarbor::types::Score;
use nullarbor_report::table::Table;
use nullarbor_report::terminal;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;

use crate::data::dataset::{Dataset, read_games};
use crate::data::filter::Filter;
use crate::data::game_record::GameRecord;
use crate::data::self_play::{Evaluation, SelfPlayError};
use crate::trainer::target::{DEFAULT_SCALE, probability};
use nullarbor_runs::{Interrupted, Pool, Stop};

/// The settings of a probe.
#[derive(Clone, Debug, clap::Args)]
pub struct ProbeSettings {
    /// Positions, drawn at random from those that the filter keeps
    #[arg(long, default_value_t = 500, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(2..=10_000_000))]
    pub positions: usize,
    /// Nodes of the searches
    #[arg(long, value_delimiter = ',', default_value = "250,500,1000,1500,2500,5000,10000,16000", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: Vec<u64>,
    /// Nodes of the searches that they are compared with
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000_000))]
    pub deep: u64,
    /// Seed of the draw
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// The worth of searches of one length.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worth {
    /// The soft node limit; 0 is the static evaluation.
    pub nodes: u64,
    /// The root of the mean squared error of the win probability, against deep searches.
    pub error: f64,
    /// Standard error of `error`.
    pub uncertainty: f64,
    /// The mean difference to deep searches in centipawns, as the side to move sees it: 0 without bias.
    pub bias: f64,
    /// Positions that one core labels per second.
    pub speed: f64,
    /// The squared error that an hour of one core takes away from the static evaluation, summed over the positions.
    pub per_hour: f64,
}

/// Measures what labels are worth on the positions of some datasets, first the static evaluation, then each length of search.
/// Figures but the speeds do not depend on the number of threads.
///
/// # Errors
/// If a dataset or the memory for an engine is not available, or the user interrupts it.
pub fn probe(
    datasets: &[Dataset],
    settings: &ProbeSettings,
    evaluation: &Evaluation,
    threads: usize,
    quiet: bool,
    stop: &Stop,
) -> Result<Vec<Worth>, SelfPlayError> {
    let positions = sample(datasets, settings, threads, quiet, stop)?;
    let mut pool = Pool::build(threads, || Searcher::new(evaluation))?;
    let mut found = Vec::with_capacity(positions.len());
    terminal::with_bar(positions.len() as u64, "positions", quiet, |bar| {
        let labels = |searcher: &mut Searcher, position: Position| {
            stop.check()?;
            searcher.labels(&position, settings).ok_or_else(|| Interrupted.into())
        };
        pool.run(stop, positions, labels, |_, labels| {
            bar.inc(1);
            found.push(labels);
            Ok::<_, SelfPlayError>(())
        })
    })?;
    found.retain(|labels| !labels.deep.is_decisive());
    Ok(worth(settings, &found))
}

/// Draws positions that the default filter keeps, each with the same probability.
fn sample(
    datasets: &[Dataset],
    settings: &ProbeSettings,
    threads: usize,
    quiet: bool,
    stop: &Stop,
) -> Result<Vec<Position>, SelfPlayError> {
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    let (mut drawn, mut seen) = (Vec::with_capacity(settings.positions), 0);
    let kept = |_: &Dataset, _: &_, games: Vec<GameRecord>| -> Vec<Position> {
        games.iter().flat_map(|game| game.kept_by(&Filter::DEFAULT).map(|it| it.0)).collect()
    };
    read_games(datasets, threads, quiet, stop, kept, |positions: Vec<Position>| {
        for position in positions {
            seen += 1;
            // Reservoir sampling (A. Waterman; D. Knuth, volume 2).
            if drawn.len() < settings.positions {
                drawn.push(position);
            } else if let Some(place) = drawn.get_mut(rng.random_range(0..seen)) {
                *place = position;
            }
        }
    })?;
    Ok(drawn)
}

/// The labels of a position, and the time that each took.
struct Labels {
    deep: Score,
    /// Scores of the static evaluation, then of each length of search.
    found: Vec<(Score, Duration)>,
}

struct Searcher {
    engine: Engine,
    evaluator: Evaluator,
}

impl Searcher {
    fn new(evaluation: &Evaluation) -> Result<Self, SelfPlayError> {
        let engine = evaluation.engine()?;
        Ok(Self { engine, evaluator: Evaluator::new(Arc::clone(&evaluation.network)) })
    }

    fn labels(&mut self, position: &Position, settings: &ProbeSettings) -> Option<Labels> {
        let begun = Instant::now();
        let fixed = Score(self.evaluator.evaluate(position, 0));
        let mut found = vec![(fixed, begun.elapsed())];
        for &nodes in &settings.nodes {
            let begun = Instant::now();
            let score = self.search(position, nodes)?;
            found.push((score, begun.elapsed()));
        }
        Some(Labels { deep: self.search(position, settings.deep)?, found })
    }

    /// Returns the score of a search that remembers none before.
    fn search(&mut self, position: &Position, nodes: u64) -> Option<Score> {
        self.engine.new_game();
        self.engine.set_game(Game::new(position.clone()));
        let limits = Limits { soft_nodes: Some(nodes), ..Limits::default() };
        let found = self.engine.search(&limits, Arc::new(Silent)).ok()?;
        Some(found.outcome.completed_score)
    }
}

fn worth(settings: &ProbeSettings, labels: &[Labels]) -> Vec<Worth> {
    let positions = labels.len().max(1) as f64;
    let lengths = std::iter::once(0).chain(settings.nodes.iter().copied()).enumerate();
    let of = |(index, nodes): (usize, u64)| {
        let errors = labels.iter().map(|labels| {
            let (score, deep) = (labels.found[index].0, labels.deep);
            f64::from(wins(score) - wins(deep)).powi(2)
        });
        let mean = errors.clone().sum::<f64>() / positions;
        let variance = errors.map(|error| (error - mean).powi(2)).sum::<f64>() / positions;
        let bias =
            |labels: &Labels| f64::from(labels.found[index].0.clamp_eval().0 - labels.deep.0);
        let seconds: f64 = labels.iter().map(|labels| labels.found[index].1.as_secs_f64()).sum();
        Worth {
            nodes,
            error: mean.sqrt(),
            uncertainty: (variance / positions).sqrt() / (2.0 * mean.sqrt()).max(f64::MIN_POSITIVE),
            bias: labels.iter().map(bias).sum::<f64>() / positions,
            speed: positions / seconds.max(1e-9),
            per_hour: mean,
        }
    };
    let mut all: Vec<Worth> = lengths.map(of).collect();
    let fixed = all.first().map_or(0.0, |fixed| fixed.per_hour);
    for worth in &mut all {
        worth.per_hour = (fixed - worth.per_hour) * worth.speed * 3600.0;
    }
    all
}

fn wins(score: Score) -> f32 {
    probability(score.0 as f32, DEFAULT_SCALE)
}

/// Returns the figures as a table; the best length has a star.
pub fn table(deep: u64, worth: &[Worth]) -> Table {
    let best = worth.iter().map(|it| it.per_hour).fold(f64::MIN, f64::max);
    let row = |it: &Worth| {
        let nodes = if it.nodes == 0 { "static".to_owned() } else { it.nodes.to_string() };
        [
            nodes,
            format!("{:.4} ± {:.4}", it.error, it.uncertainty),
            format!("{:+.0}", it.bias),
            format!("{:.0}", it.speed),
            format!("{:.0}{}", it.per_hour, if it.per_hour == best { " *" } else { "" }),
        ]
    };
    let head = ["nodes", "error", "bias cp", "positions/s", "per hour"];
    let title = format!(
        "Labels against searches of {deep} nodes: root mean squared error of the win probability, and what an hour of one core takes away from it"
    );
    Table::new(&title, head, worth.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_searches_come_nearer_and_cost_more() {
        let evaluation = Evaluation::open(None).expect("built in");
        let settings = ProbeSettings { positions: 8, nodes: vec![100, 4000], deep: 4000, seed: 1 };
        let mut searcher = Searcher::new(&evaluation).expect("a small engine");
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        ];
        let positions = fens.map(|fen| Position::from_fen(fen).expect(fen));
        let labels: Vec<Labels> = positions
            .iter()
            .map(|it| searcher.labels(it, &settings).expect("not stopped"))
            .collect();
        let worth = worth(&settings, &labels);
        let nodes: Vec<u64> = worth.iter().map(|it| it.nodes).collect();
        assert_eq!(nodes, [0, 100, 4000]);
        assert_eq!((worth[2].error, worth[2].bias), (0.0, 0.0), "the same search");
        assert!(worth[0].error > 0.0 && worth[0].per_hour == 0.0 && worth[2].per_hour > 0.0);
        assert!(worth[1].speed > worth[2].speed);
        assert!(table(4000, &worth).text().contains("static"));
    }
}
