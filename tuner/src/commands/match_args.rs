//! The words of `match`, and the plan that they make.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use nullarbor::types::Depth;
use nullarbor_openings::{Book, BookError};
use thiserror::Error;

use super::engine_spec::{EngineSpec, SpecError, make_names_unique};
use nullarbor_games::adjudication::{Adjudication, DrawRule, ResignRule};
use nullarbor_games::engine_config::EngineConfig;
use nullarbor_games::game::Rules;
use nullarbor_games::limit::{self, Limit, TimeControl};
use nullarbor_games::matches::{Format, Plan};
use nullarbor_games::stats::{Bounds, Model, Sprt, SprtError};
use nullarbor_games::work::crew;

/// Seconds after which an engine without a clock counts as hung, unless somebody says otherwise.
pub(super) const DEFAULT_PATIENCE: u64 = 60;

/// Play games between engines and say what they prove.
///
/// Each opening is played twice, with colours swapped, and statistics are taken over these pairs. Results are counted in
/// the order of the openings, not in the order in which games end: where no clock runs, one seed gives the same match
/// with any number of workers.
#[derive(Args)]
#[command(after_long_help = "Examples:
  Two settings of this engine, inside this process, until the test decides:
    nullarbor-tuner match --engine self,null_move_base=4096 --engine self --nodes 5000 --sprt 0,10
  Two programs on a clock:
    nullarbor-tuner match --engine cmd=./new,name=new,option.Hash=16 --engine cmd=./old,name=old,option.Hash=16 \\
        --tc 1+0.01 --games 400 --book unbalanced --concurrency 2 --seed 1 --pgn games.pgn --json result.json
  A match that goes on where it was when the machine went down: say the same again, with
    --resume match.journal")]
pub struct MatchArgs {
    /// Who plays; given twice or more. `self[,Parameter=value...]` is this engine inside this process (also Hash=MB,
    /// NullMove=off, engine=plain); `cmd=PATH[,name=NAME][,option.NAME=VALUE...][,arg=ARG...][,dir=DIR]` is any UCI engine. Either
    /// takes a limit of its own: tc=, st=, nodes=, depth=
    #[arg(long = "engine", required = true, value_name = "ENGINE", value_parser = spec)]
    engines: Vec<EngineSpec>,
    #[command(flatten)]
    limit: LimitArgs,
    /// Games of each pairing; an even number, as each opening is played twice [default: 1000; with --sprt as many as it takes]
    #[arg(long)]
    pub(super) games: Option<u64>,
    /// Who plays whom where there are more than two
    #[arg(long, value_enum, default_value_t = Format::RoundRobin)]
    format: Format,
    #[command(flatten)]
    book: BookArgs,
    #[command(flatten)]
    sprt: SprtArgs,
    /// Games at the same time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
    /// Call a game a draw: `movenumber=40,movecount=8,score=10` is from move 40 on, after 8 moves of both within 10 centipawns
    #[arg(long, value_name = "RULE")]
    draw: Option<DrawRule>,
    /// Call a game lost: `movecount=3,score=400[,twosided]` is after 3 moves at -400 or worse; twosided needs the opponent's consent
    #[arg(long, value_name = "RULE")]
    resign: Option<ResignRule>,
    /// Call a game a draw that is longer than this many moves
    #[arg(long, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    maxmoves: Option<u32>,
    /// Forgive this many milliseconds over the time at each move
    #[arg(long, value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=3_600_000))]
    timemargin: u64,
    /// Seconds after which an engine without a clock counts as hung
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_PATIENCE, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) patience: u64,
    /// Play by the rules of Chess960 [default: where the book needs it]
    #[arg(long)]
    chess960: bool,
    /// Write all games to this file, which must not be there yet
    #[arg(long, value_name = "FILE")]
    pub(super) pgn: Option<PathBuf>,
    /// Write a summary to this file
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Keep a journal in this file, and go on from it where it is there already
    #[arg(long, value_name = "FILE")]
    pub(super) resume: Option<PathBuf>,
    /// Print a line as each game begins and ends, as fastchess does
    #[arg(long)]
    pub(super) verbose: bool,
    /// Show nothing but the results at the end
    #[arg(long)]
    pub(super) quiet: bool,
}

#[derive(Args)]
#[group(multiple = true)]
struct LimitArgs {
    /// Time control in seconds: 10+0.1, or 40/60+0.6 for 60 seconds each 40 moves
    #[arg(long, conflicts_with_all = ["st", "nodes", "soft_nodes", "depth"])]
    tc: Option<TimeControl>,
    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", value_parser = move_time, conflicts_with_all = ["nodes", "soft_nodes", "depth"])]
    st: Option<Duration>,
    /// Nodes for each move
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "depth")]
    nodes: Option<u64>,
    /// No new iteration after so many nodes (`self` alone)
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "depth")]
    soft_nodes: Option<u64>,
    /// Plies for each move
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..=i64::from(Depth::MAX.0)))]
    depth: Option<i32>,
}

#[derive(Args)]
struct BookArgs {
    /// Openings: balanced, unbalanced, chess960, endgames, or a file (.epd, .fen, .pgn)
    #[arg(long, default_value = "unbalanced")]
    book: String,
    /// Plies of each game of a PGN book [default: all]
    #[arg(long, value_name = "PLIES")]
    book_plies: Option<usize>,
    /// Take the openings in an order that the seed decides, or as they stand in the book
    #[arg(long, value_enum, default_value_t = Order::Random)]
    order: Order,
    /// Decides the order of the openings [default: that of the journal, or another each time]
    #[arg(long)]
    seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Order {
    Random,
    Sequential,
}

#[derive(Args)]
struct SprtArgs {
    /// End the match as soon as it is clear whether the first engine is better by the first or by the second of these
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Bounds>,
    /// What the bounds are measured in
    #[arg(long, value_enum, default_value_t = Model::Normalized, requires = "sprt")]
    sprt_model: Model,
    /// The risk of accepting H1 wrongly
    #[arg(long, default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// The risk of accepting H0 wrongly
    #[arg(long, default_value_t = 0.05, requires = "sprt")]
    beta: f64,
}

/// Why the words make no match.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum PlanError {
    #[error("a match needs two engines: say --engine twice")]
    OneEngine,
    #[error("engine {number}: {source}")]
    Spec { number: usize, source: SpecError },
    #[error("no limit: say --tc, --st, --nodes or --depth, or give each engine its own")]
    NoLimit,
    #[error(
        "--games {0}: it must be an even number above 0, as each opening is played with both colours"
    )]
    Games(u64),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error("--sprt: {0}")]
    Sprt(#[from] SprtError),
    #[error("--sprt compares two engines, and there are {0}")]
    SprtOfMany(usize),
}

fn spec(text: &str) -> Result<EngineSpec, SpecError> {
    text.parse()
}

fn move_time(text: &str) -> Result<Duration, String> {
    let time = limit::seconds(text).filter(|time| !time.is_zero());
    time.ok_or_else(|| format!("`{text}` is no number of seconds above 0"))
}

impl LimitArgs {
    fn limit(&self) -> Option<Limit> {
        match self {
            Self { tc: Some(control), .. } => Some(Limit::Clock(control.clone())),
            Self { st: Some(time), .. } => Some(Limit::MoveTime(*time)),
            Self { depth: Some(depth), .. } => Some(Limit::Depth(Depth(*depth))),
            Self { nodes: None, soft_nodes: None, .. } => None,
            Self { nodes, soft_nodes, .. } => {
                Some(Limit::Nodes { hard: *nodes, soft: *soft_nodes })
            }
        }
    }
}

impl BookArgs {
    fn open(&self, seed: u64) -> Result<Book, BookError> {
        let mut book = Book::open(&self.book, self.book_plies)?;
        if self.order == Order::Random {
            book.shuffle(seed);
        }
        Ok(book)
    }
}

impl SprtArgs {
    fn sprt(&self) -> Result<Option<Sprt>, SprtError> {
        let Some(Bounds(elo0, elo1)) = self.sprt else { return Ok(None) };
        Sprt::new(elo0, elo1, self.alpha, self.beta, self.sprt_model).map(Some)
    }
}

impl MatchArgs {
    fn engines(&self) -> Result<Vec<EngineConfig>, PlanError> {
        if self.engines.len() < 2 {
            return Err(PlanError::OneEngine);
        }
        let common = self.limit.limit();
        // A limit that nobody uses: who has none of its own is found by it.
        let missing = Limit::Nodes { hard: None, soft: None };
        let mut engines = Vec::new();
        for (index, engine) in self.engines.iter().enumerate() {
            let engine = engine
                .engine(common.as_ref().unwrap_or(&missing))
                .map_err(|source| PlanError::Spec { number: index + 1, source })?;
            if engine.limit == missing {
                return Err(PlanError::NoLimit);
            }
            engines.push(engine);
        }
        make_names_unique(&mut engines);
        Ok(engines)
    }

    fn rules(&self, book: &Book) -> Rules {
        Rules {
            adjudication: Adjudication {
                draw: self.draw,
                resign: self.resign,
                longest: self.maxmoves,
            },
            margin: Duration::from_millis(self.timemargin),
            chess960: self.chess960 || book.needs_chess960(),
        }
    }

    /// The plan of the match; `known_seed` is that of its journal, if it has one.
    ///
    /// # Errors
    /// Where the words make none.
    pub(super) fn plan(&self, known_seed: Option<u64>) -> Result<Plan, PlanError> {
        /// More than any test takes.
        const GAMES_OF_A_TEST: u64 = 1_000_000;
        const GAMES: u64 = 1000;
        let engines = self.engines()?;
        let sprt = self.sprt.sprt()?;
        if sprt.is_some() && engines.len() > 2 {
            return Err(PlanError::SprtOfMany(engines.len()));
        }
        let games = self.games.unwrap_or(if sprt.is_some() { GAMES_OF_A_TEST } else { GAMES });
        if games == 0 || !games.is_multiple_of(2) {
            return Err(PlanError::Games(games));
        }
        let seed = self.book.seed.or(known_seed).unwrap_or_else(Book::random_seed);
        let book = self.book.open(seed)?;
        let rules = self.rules(&book);
        let mut plan = Plan {
            engines,
            format: self.format,
            rounds: games / 2,
            book,
            seed,
            rules,
            sprt,
            pgn: self.pgn.clone(),
        };
        if plan.repeats_games() {
            plan.rounds = plan.rounds.min(plan.book.openings.len() as u64);
        }
        Ok(plan)
    }

    /// Games at the same time.
    pub(super) fn workers(&self) -> usize {
        crew::workers(self.concurrency)
    }
}
