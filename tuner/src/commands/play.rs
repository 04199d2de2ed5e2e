//! `match`: games between engines.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use nullarbor::types::Depth;
use nullarbor_openings::{Book, BookError};
use thiserror::Error;

use super::engine_spec::{EngineSpec, SpecError, make_names_unique};
use crate::arena::Stop;
use crate::arena::adjudication::{Adjudication, DrawRule, ResignRule};
use crate::arena::contestant::{Contestant, ContestantError, Kind, NoPlayer, Start};
use crate::arena::game::Rules;
use crate::arena::limit::{self, Limit, TimeControl};
use crate::arena::uci::StartError;
use crate::report::lines::{self, Pairing};
use crate::report::progress::Progress;
use crate::report::summary::{self, SummaryError};
use crate::report::table::table;
use crate::stats::{Bounds, Model, Sprt, SprtError, Verdict};
use crate::tournament::journal::{Journal, JournalError, Opened};
use crate::tournament::pgn::{PgnError, PgnFile};
use crate::tournament::run::{Files, RunError};
use crate::tournament::{self, Format, Outcome, Plan, Standings, Status};

/// Play games between engines and say what they prove.
///
/// Each opening is played twice, with colours swapped, and statistics are taken over these pairs. Results are counted in
/// the order of the openings, not in the order in which games end: where no clock runs, one seed gives the same match
/// with any number of workers.
#[derive(Args)]
#[command(after_long_help = "Examples:
  Two settings of this engine, inside this process, until the test decides:
    nullarbor-tuner match --engine self,null_move_base=4 --engine self --nodes 5000 --sprt 0,10
  Two programs on a clock:
    nullarbor-tuner match --engine cmd=./new,name=new,option.Hash=16 --engine cmd=./old,name=old,option.Hash=16 \\
        --tc 1+0.01 --games 400 --book unbalanced --concurrency 2 --seed 1 --pgn games.pgn --json result.json
  A match that goes on where it was when the machine went down: say the same again, with
    --resume match.journal")]
pub struct MatchArgs {
    /// Who plays; given twice or more. `self[,Parameter=value...]` is this engine inside this process (also Hash=MB,
    /// NullMove=off); `cmd=PATH[,name=NAME][,option.NAME=VALUE...][,arg=ARG...][,dir=DIR]` is any UCI engine. Either
    /// takes a limit of its own: tc=, st=, nodes=, depth=
    #[arg(long = "engine", required = true, value_name = "ENGINE", value_parser = spec)]
    engines: Vec<EngineSpec>,
    #[command(flatten)]
    limit: LimitArgs,
    /// Games of each pairing; an even number, as each opening is played twice [default: 1000; with --sprt as many as it takes]
    #[arg(long)]
    games: Option<u64>,
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
    #[arg(long, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(1..))]
    maxmoves: Option<u32>,
    /// Forgive this many milliseconds over the time at each move
    #[arg(long, value_name = "MS", default_value_t = 0)]
    timemargin: u64,
    /// Seconds after which an engine without a clock counts as hung
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    patience: u64,
    /// Play by the rules of Chess960 [default: where the book needs it]
    #[arg(long)]
    chess960: bool,
    /// Write all games to this file, which must not be there yet
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Write a summary to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keep a journal in this file, and go on from it where it is there already
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Show nothing but the results at the end
    #[arg(long)]
    quiet: bool,
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

/// Why there is no match.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum MatchError {
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
    #[error(transparent)]
    Contestant(#[from] ContestantError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("{0} (a match does not overwrite games of another one)")]
    Pgn(PgnError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Summary(#[from] SummaryError),
    #[error("interrupted")]
    Interrupted,
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
    fn contestants(&self) -> Result<Vec<Contestant>, MatchError> {
        if self.engines.len() < 2 {
            return Err(MatchError::OneEngine);
        }
        let common = self.limit.limit();
        // A limit that nobody uses: who has none of its own is found by it.
        let missing = Limit::Nodes { hard: None, soft: None };
        let mut contestants = Vec::new();
        for (index, engine) in self.engines.iter().enumerate() {
            let contestant = engine
                .contestant(common.as_ref().unwrap_or(&missing))
                .map_err(|source| MatchError::Spec { number: index + 1, source })?;
            if contestant.limit == missing {
                return Err(MatchError::NoLimit);
            }
            contestants.push(contestant);
        }
        make_names_unique(&mut contestants);
        Ok(contestants)
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

    fn plan(&self, seed: u64) -> Result<Plan, MatchError> {
        /// More than any test takes.
        const GAMES_OF_A_TEST: u64 = 1_000_000;
        const GAMES: u64 = 1000;
        let contestants = self.contestants()?;
        let sprt = self.sprt.sprt()?;
        if sprt.is_some() && contestants.len() > 2 {
            return Err(MatchError::SprtOfMany(contestants.len()));
        }
        let games = self.games.unwrap_or(if sprt.is_some() { GAMES_OF_A_TEST } else { GAMES });
        if games == 0 || !games.is_multiple_of(2) {
            return Err(MatchError::Games(games));
        }
        let book = self.book.open(seed)?;
        let rules = self.rules(&book);
        let mut plan = Plan {
            contestants,
            format: self.format,
            rounds: games / 2,
            book,
            seed,
            rules,
            sprt,
            keep_games: self.pgn.is_some(),
        };
        if plan.repeats_games() {
            plan.rounds = plan.rounds.min(plan.book.openings.len() as u64);
        }
        Ok(plan)
    }

    fn workers(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.concurrency.map_or_else(cores, |workers| workers as usize)
    }

    /// Plays the match.
    ///
    /// # Errors
    /// Where something that was asked for cannot be had. What was finished is in the files.
    pub fn run(&self, stop: &Arc<Stop>) -> Result<Outcome, MatchError> {
        // Who repeats the words of a match to take it up again need not know what its seed was.
        let known_seed = || self.resume.as_deref().and_then(Journal::seed);
        let seed = self.book.seed.or_else(known_seed).unwrap_or_else(Book::any_seed);
        let plan = self.plan(seed)?;
        let start = Start {
            chess960: plan.rules.chess960,
            patience: Duration::from_secs(self.patience),
            stop: Arc::clone(stop),
        };
        if let Some(path) = &self.json {
            summary::check(path)?;
        }
        try_out(&plan, &start)?;
        let mut files = Files::default();
        let mut known = Vec::new();
        let mut torn = false;
        if let Some(path) = &self.resume {
            let opened = Journal::open(path, &plan.settings())?;
            let Opened { journal, records, was_torn } = opened;
            (files.journal, known, torn) = (Some(journal), records, was_torn);
        }
        if let Some(path) = &self.pgn {
            let file = PgnFile::open(path, !known.is_empty()).map_err(MatchError::Pgn)?;
            files.pgn = Some(file);
        }
        let total = 2 * plan.pairs();
        let mut progress = Progress::new(total, known.len() as u64, plan.sprt, self.quiet);
        if !self.quiet {
            self.announce(&plan, known.len(), torn, &progress);
        }
        let single = plan.contestants.len() == 2;
        let mut watch = |standings: &Standings| {
            progress.show(standings.games(), single.then(|| &standings.counts[0]));
        };
        let outcome = tournament::run(&plan, self.workers(), &start, known, files, &mut watch);
        progress.end();
        let outcome = outcome?;
        if let Some(path) = &self.json {
            summary::write(path, &plan, &outcome)?;
        }
        self.show(&plan, &outcome);
        Ok(outcome)
    }

    fn announce(&self, plan: &Plan, known: usize, torn: bool, progress: &Progress) {
        let names: Vec<&str> =
            plan.contestants.iter().map(|contestant| contestant.name.as_str()).collect();
        let games = if plan.sprt.is_some() { "up to " } else { "" };
        progress.say(&format!(
            "{}: {games}{} games, book {} ({} openings), seed {}, {} at a time",
            names.join(" - "),
            2 * plan.pairs(),
            plan.book.name,
            plan.book.openings.len(),
            plan.seed,
            self.workers(),
        ));
        if torn {
            progress.say("The last line of the journal was cut short, and is dropped.");
        }
        if known > 0 {
            progress.say(&format!("{known} games are known from the journal."));
        }
        let wanted = self.games.map_or(plan.rounds, |games| games / 2);
        if plan.rounds < wanted {
            progress.say(
                "Without a clock an opening is played just once by each pairing, so the book limits the match.",
            );
        }
    }

    fn show(&self, plan: &Plan, outcome: &Outcome) {
        const RULE: &str = "--------------------------------------------------";
        let standings = &outcome.standings;
        let name = |number: usize| plan.contestants[number].name.as_str();
        println!("{RULE}");
        for (pairing, counts) in standings.pairings.iter().zip(&standings.counts) {
            let setting = setting(plan, pairing.first, pairing.second);
            let pairing = Pairing {
                first: name(pairing.first),
                second: name(pairing.second),
                setting: &setting,
                counts: *counts,
                sprt: plan.sprt,
            };
            print!("{}", lines::results(&pairing));
            println!("{RULE}");
        }
        print!("{}", table(plan, standings));
        println!("{RULE}");
        match outcome.status {
            Status::Decided(Verdict::H1) => println!("SPRT: H1 was accepted"),
            Status::Decided(Verdict::H0) => println!("SPRT: H0 was accepted"),
            Status::Complete if plan.sprt.is_some() => println!("SPRT: undecided"),
            Status::Complete => {}
            Status::Interrupted => println!("Interrupted"),
        }
    }
}

/// Starts every engine once, so that what is wrong with one is said before the first game.
fn try_out(plan: &Plan, start: &Start) -> Result<(), MatchError> {
    for contestant in &plan.contestants {
        contestant.start(start).map_err(|error| match *error.reason {
            NoPlayer::External(StartError::Aborted) => MatchError::Interrupted,
            _ => MatchError::Contestant(error),
        })?;
    }
    Ok(())
}

/// Limit, threads, table and book, as fastchess names them.
fn setting(plan: &Plan, first: usize, second: usize) -> String {
    let one = |number: usize| {
        let contestant = &plan.contestants[number];
        let option = |name: &str, otherwise: &str| match &contestant.kind {
            Kind::InProcess(setting) if name == "Hash" => setting.hash.to_string(),
            Kind::InProcess(_) => otherwise.to_owned(),
            Kind::External(command) => command
                .options
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name))
                .map_or(otherwise.to_owned(), |(_, value)| value.clone()),
        };
        (contestant.limit.to_string(), option("Threads", "1"), option("Hash", "NULL"))
    };
    let (first, second) = (one(first), one(second));
    let join = |one: &str, other: &str, unit: &str| {
        if one == other { format!("{one}{unit}") } else { format!("{one}{unit} - {other}{unit}") }
    };
    format!(
        "{}, {}, {}, {}",
        join(&first.0, &second.0, ""),
        join(&first.1, &second.1, "t"),
        join(&first.2, &second.2, "MB"),
        plan.book.name
    )
}
