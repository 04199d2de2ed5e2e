//! `match`: games between engines.

use std::env;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Parser};
use nullarbor_games::adjudication::Adjudication;
use nullarbor_games::engine_spec::{self, EngineSpec};
use nullarbor_games::game::Rules;
use nullarbor_games::limit::LimitArgs;
use nullarbor_games::matches::journal;
use nullarbor_games::matches::report::results::results;
use nullarbor_games::matches::{Format, Plan, RunError, Session};
use nullarbor_games::stats::SprtArgs;
use nullarbor_games::work::{Interrupted, Stop, worker_count};
use nullarbor_openings::Book;
use nullarbor_report::terminal;
use thiserror::Error;

use super::CommandResult;

/// Play games between engines, and report Elo, pentanomial statistics and SPRT.
///
/// Each opening is played twice, with colours reversed, and statistics are taken over these pairs. Results are counted in
/// the order of the openings, not in the order in which games end: where no clock runs, one seed gives the same match
/// with any number of workers.
#[derive(Args)]
#[command(after_long_help = "Examples:
  Two settings of this engine, in this process, until the test is decided:
    nullarbor-tuner match --engine self,null_move_base=4096 --engine self --nodes 5000 --sprt 0,10
  Two programs on a clock:
    nullarbor-tuner match --engine cmd=./new,name=new,option.Hash=16 --engine cmd=./old,name=old,option.Hash=16 \\
        --tc 1+0.01 --games 400 --book unbalanced --concurrency 2 --seed 1 --pgn games.pgn --json result.json
  A match that can be resumed, and how:
    nullarbor-tuner match --engine self,NullMove=off --engine self --nodes 5000 --resume match.journal
    nullarbor-tuner match --resume match.journal")]
pub struct MatchArgs {
    /// A player; given twice or more. `self[,Parameter=value...]` is this engine in this process (also Hash=MB,
    /// NullMove=off, EvalFile=NET, engine=plain); `cmd=PATH[,option.NAME=VALUE...][,arg=ARG...][,dir=DIR]` is any UCI
    /// engine. Both take name=NAME and a limit of their own: tc=, st=, nodes=, depth=
    #[arg(long = "engine", required_unless_present = "resume", value_name = "ENGINE")]
    engines: Vec<EngineSpec>,
    #[command(flatten)]
    limit: LimitArgs,
    /// Games of each pairing, an even number [default: 1000; with --sprt 1000000. Without a clock at most two for each
    /// opening of the book]
    #[arg(long)]
    games: Option<u64>,
    /// Who plays whom if there are more than two
    #[arg(long, value_enum, default_value_t = Format::RoundRobin)]
    format: Format,
    #[command(flatten)]
    book: BookArgs,
    #[command(flatten)]
    sprt: SprtArgs,
    /// Games at the same time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
    #[command(flatten)]
    adjudication: Adjudication,
    /// Milliseconds over its time that are forgiven to an engine at each move
    #[arg(long, value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=3_600_000))]
    timemargin: u64,
    /// Seconds after which an engine without a clock counts as hung
    #[arg(long, alias = "patience", value_name = "SECONDS", default_value_t = Session::TIMEOUT.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Castling by the rules of Chess960 [default: if the book needs it]
    #[arg(long)]
    chess960: bool,
    /// Write all games to this file, which must not exist
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Write a summary for programs to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keep a journal in this file, and resume from it if it exists; alone, resume the match that it is of
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Print a line as each game begins and ends, as fastchess does
    #[arg(long)]
    verbose: bool,
    /// Print the results only
    #[arg(long)]
    quiet: bool,
    /// What follows a space where there should be a comma: `--sprt 0 10`
    #[arg(hide = true, value_parser = stray)]
    stray: Option<String>,
}

#[derive(Args)]
struct BookArgs {
    /// Openings: balanced, unbalanced, chess960, endgames, or a file (.epd, .fen, .pgn)
    #[arg(long, default_value = "unbalanced")]
    book: String,
    /// Plies of each game of a PGN book [default: all]
    #[arg(long, value_name = "PLIES")]
    book_plies: Option<usize>,
    /// Order of the openings: random by the seed, or that of the book
    #[arg(long, value_enum, default_value_t = Order::Random)]
    order: Order,
    /// Seed of the order [default: that of the journal, or a random one]
    #[arg(long)]
    seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Order {
    Random,
    Sequential,
}

/// A match that ended early.
#[derive(Debug, Error)]
enum Ended {
    #[error("interrupted; next: nullarbor-tuner match --resume {}", .0.display())]
    Resumable(PathBuf, #[source] Interrupted),
    #[error("interrupted; a match with --resume FILE can be resumed")]
    Lost(#[source] Interrupted),
    #[error(
        "{}: no command line in this journal, which is empty; repeat the whole command",
        .0.display()
    )]
    NoCommand(PathBuf),
}

/// The arguments of a journal, with those of the command line behind them.
#[derive(Parser)]
#[command(args_override_self = true)]
struct Resumed {
    #[command(flatten)]
    args: MatchArgs,
}

/// Options that name a file.
const FILES: [&str; 4] = ["--pgn", "--json", "--resume", "--book"];
const ENGINE: &str = "--engine";

/// Returns the words of a command line with absolute paths: a journal may be resumed from another folder.
fn absolute_paths(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut option = None;
    words
        .map(|word| {
            if let Some(option) = option.take() {
                return with_absolute_path(option, &word);
            }
            let known = |name: &str| FILES.into_iter().chain([ENGINE]).find(|known| *known == name);
            match word.split_once('=').map(|(name, value)| (known(name), value)) {
                Some((Some(name), value)) => format!("{name}={}", with_absolute_path(name, value)),
                _ => {
                    option = known(&word);
                    word
                }
            }
        })
        .collect()
}

fn with_absolute_path(option: &str, value: &str) -> String {
    if option == ENGINE {
        return engine_spec::with_absolute_paths(value);
    }
    // The name of a book need not be a file.
    let is_name = option == "--book" && !Path::new(value).is_file();
    let path = (!is_name).then(|| absolute(value).ok()).flatten();
    path.and_then(|path| path.into_os_string().into_string().ok()).unwrap_or(value.to_owned())
}

fn stray(text: &str) -> Result<String, String> {
    Err(format!("unexpected argument `{text}`; bounds are written with a comma: --sprt 0,10"))
}

impl MatchArgs {
    /// Plays the match and prints its results.
    ///
    /// # Errors
    /// If it cannot be played, or not to its end. What was finished is printed, and in the files.
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let mut command = absolute_paths(env::args().skip(2));
        let resumed = self.resumed(&mut command)?;
        let args = resumed.as_ref().unwrap_or(self);
        let plan = args.plan()?;
        let session = Session {
            workers: worker_count(args.concurrency),
            timeout: Duration::from_secs(args.timeout),
            journal: args.resume.as_deref(),
            command: &command,
            summary: args.json.as_deref(),
            quiet: args.quiet,
            verbose: args.verbose,
        };
        let outcome = session.play(&plan, stop)?;
        terminal::print(&results(&plan, &outcome));
        match (outcome.end, &args.resume) {
            (Ok(_), _) => Ok(()),
            (Err(RunError::Interrupted(source)), Some(path)) => {
                Err(Ended::Resumable(path.clone(), source).into())
            }
            (Err(RunError::Interrupted(source)), None) => Err(Ended::Lost(source).into()),
            (Err(error), _) => Err(error.into()),
        }
    }

    /// Returns the arguments of the journal if no engine is given, with those of the command line behind them.
    fn resumed(
        &self,
        command: &mut Vec<String>,
    ) -> Result<Option<Self>, Box<dyn std::error::Error>> {
        let Some(path) = self.resume.as_ref().filter(|_| self.engines.is_empty()) else {
            return Ok(None);
        };
        let start = journal::start(path)?;
        let mut all = start.ok_or_else(|| Ended::NoCommand(path.clone()))?.command;
        all.append(command);
        *command = all;
        let name = "nullarbor-tuner match".to_owned();
        Ok(Some(Resumed::try_parse_from(std::iter::once(&name).chain(&*command))?.args))
    }

    fn plan(&self) -> Result<Plan, Box<dyn std::error::Error>> {
        const GAMES: u64 = 1000;
        let sprt = self.sprt.test().map_err(|error| format!("--sprt: {error}"))?;
        let games = if sprt.is_some() { Plan::GAMES_OF_SPRT } else { GAMES };
        // What is wrong with a journal, opening it will tell.
        let known = || Some(journal::start(self.resume.as_ref()?).ok()??.identity.seed);
        let seed = self.book.seed.or_else(known).unwrap_or_else(Book::random_seed);
        let mut book = Book::open(&self.book.book, self.book.book_plies)?;
        if self.book.order == Order::Random {
            book.shuffle(seed);
        }
        let plan = Plan {
            engines: engine_spec::engines(&self.engines, self.limit.limit().as_ref())?,
            format: self.format,
            games: self.games.unwrap_or(games),
            rules: Rules {
                adjudication: self.adjudication,
                margin: Duration::from_millis(self.timemargin),
                chess960: self.chess960 || book.needs_chess960(),
            },
            book,
            seed,
            sprt,
            pgn: self.pgn.as_deref().map(absolute).transpose()?,
        };
        Ok(plan.checked()?)
    }
}
