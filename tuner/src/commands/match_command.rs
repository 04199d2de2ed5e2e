//! `match`: games between engines.

use std::env;
use std::io;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, Args, CommandFactory, Parser, Subcommand, ValueHint};
use nullarbor_cluster::ClusterArgs;
use nullarbor_games::adjudication::Adjudication;
use nullarbor_games::affinity::Affinity;
use nullarbor_games::engine_config::EngineConfig;
use nullarbor_games::engine_spec::{self, EngineSpec};
use nullarbor_games::game::Rules;
use nullarbor_games::limit::LimitArgs;
use nullarbor_games::matches::journal::{self, Start};
use nullarbor_games::matches::report::results::results;
use nullarbor_games::matches::{
    Format, PgnOutput, PgnStyle, Plan, PlanError, RunError, Session, Standings,
};
use nullarbor_games::tablebases::{TableVerdicts, TablesArgs};
use nullarbor_openings::{Book, BookError};
use nullarbor_report::terminal;
use nullarbor_runs::{Interrupted, Stop, worker_count};
use nullarbor_stats::SprtArgs;
use thiserror::Error;

use super::match_report::ReportArgs;
use super::worker::workers;
use super::{CommandResult, ExitWith, arguments_with_passwords, without_passwords};

/// Play games between engines, and report Elo, pentanomial statistics and SPRT.
///
/// Each opening is played twice, with colours reversed, and statistics are taken over these pairs. Results are counted in
/// the order of the openings, not in the order in which games end: where no clock runs, one seed gives the same match
/// with any number of workers.
///
/// Exit codes: 0 if the match was played, 1 for an error, 2 for a wrong command line, 3 if an engine crashed or hung, 130
/// after Ctrl-C.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_long_help = "Examples:
  Two settings of this engine, in this process, until the test is decided:
    nullarbor-tuner match --engine self,null_move_base=4096 --engine self --nodes 5000 --sprt 0,10
  Two programs on a clock:
    nullarbor-tuner match --engine cmd=./new,name=new,option.Hash=16 --engine cmd=./old,name=old,option.Hash=16 \\
        --tc 1+0.01 --games 400 --book unbalanced --concurrency 2 --seed 1 --pgn games.pgn --json result.json
  A match that can be resumed, and how:
    nullarbor-tuner match --engine self,NullMove=off --engine self --nodes 5000 --resume match.journal
    nullarbor-tuner match --resume match.journal
  The page of a match, which may be under way:
    nullarbor-tuner match report match.journal"
)]
pub struct MatchCommand {
    #[command(flatten)]
    args: MatchArgs,
    #[command(subcommand)]
    other: Option<OtherCommand>,
}

#[derive(Subcommand)]
enum OtherCommand {
    Report(ReportArgs),
}

impl MatchCommand {
    /// Plays a match, or reports on one.
    ///
    /// # Errors
    /// As [`MatchArgs::run`], or [`ReportArgs::run`].
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        match &self.other {
            Some(OtherCommand::Report(report)) => report.run(stop, openings),
            None => self.args.run(stop),
        }
    }
}

/// The settings of a match.
#[derive(Args)]
struct MatchArgs {
    /// A player; given twice or more. `self[,Parameter=value...]` is this engine in this process (also Hash=MiB,
    /// NullMove=off, EvalFile=NET, engine=plain, engine=no-razoring);
    /// `cmd=PATH[,option.NAME=VALUE...][,arg=ARG...][,dir=DIR][,revision=COMMIT]` is any UCI engine (the commit is for
    /// --cluster), which with ponder=true thinks on its opponent's time, too. Both take name=NAME and a limit of their
    /// own: tc=, st=, nodes=, depth=
    #[arg(
        long = "engine",
        required_unless_present = "resume",
        value_name = "ENGINE",
        value_hint = ValueHint::CommandString,
        help_heading = "Players"
    )]
    engines: Vec<EngineSpec>,
    /// Options of all players, unless their own say otherwise: tc=10+0.1,option.Hash=64
    #[arg(long, value_name = "ITEMS", value_hint = ValueHint::CommandString, help_heading = "Players")]
    each: Option<String>,
    #[command(flatten, next_help_heading = "Limits")]
    limit: LimitArgs,
    /// Milliseconds by which an engine may overstep its time at each move
    #[arg(long, value_name = "MS", default_value_t = 0,
        value_parser = clap::value_parser!(u64).range(..=Rules::LONGEST_MARGIN.as_secs() * 1000), help_heading = "Limits")]
    timemargin: u64,
    /// Seconds without an answer after which an engine counts as hung: in a search without a clock, and to `isready`
    #[arg(long, alias = "patience", value_name = "SECONDS", default_value_t = Session::TIMEOUT.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=86_400), help_heading = "Limits")]
    timeout: u64,
    /// Games of each pairing, an even number [default: that of the journal, or 1000; with --sprt 1000000. Without a clock at
    /// most two for each opening of the book]
    #[arg(long, help_heading = "Games")]
    games: Option<u64>,
    /// Pairings of more than two players
    #[arg(long, value_enum, default_value_t = Format::RoundRobin, help_heading = "Games")]
    format: Format,
    /// Castling by the rules of Chess960 [default: if the book needs it]
    #[arg(long, help_heading = "Games")]
    chess960: bool,
    /// Games at the same time [default: the number of cores, or half of it if an engine ponders]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024), help_heading = "Games")]
    concurrency: Option<u64>,
    /// Bind each game to a processor of its own, of a list such as 0,2-5 or of all (Linux)
    #[arg(long, value_name = "PROCESSORS", num_args = 0..=1, require_equals = true, default_missing_value = "",
        conflicts_with = "cluster", help_heading = "Games")]
    affinity: Option<Affinity>,
    /// End the match when an engine crashes or hangs, instead of starting it again
    #[arg(long, help_heading = "Games")]
    stop_on_crash: bool,
    #[command(flatten, next_help_heading = "Openings")]
    book: BookArgs,
    #[command(flatten, next_help_heading = "Statistics")]
    sprt: SprtArgs,
    #[command(flatten, next_help_heading = "Adjudication")]
    adjudication: Adjudication,
    #[command(flatten, next_help_heading = "Adjudication")]
    tables: TablesArgs,
    #[command(flatten, next_help_heading = "Adjudication")]
    verdicts: TableVerdicts,
    /// Write all games to this file, which must not exist
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pgn: Option<PathBuf>,
    /// Append the games to those that the file has
    #[arg(long, requires = "pgn", conflicts_with = "resume", help_heading = "Output")]
    pgn_append: bool,
    #[command(flatten, next_help_heading = "Output")]
    style: PgnStyle,
    /// The tag Event of the games
    #[arg(long, requires = "pgn", value_name = "TEXT", default_value = PgnOutput::EVENT, help_heading = "Output")]
    event: String,
    /// The tag Site of the games
    #[arg(long, requires = "pgn", value_name = "TEXT", default_value = PgnOutput::SITE, help_heading = "Output")]
    site: String,
    /// Print interim results every so many games; 0 is never
    #[arg(long, value_name = "GAMES", help_heading = "Output")]
    ratinginterval: Option<u64>,
    /// Append what engines are sent and answer to this file, each line with its time in seconds
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    log: Option<PathBuf>,
    /// Write a machine-readable summary (JSON) to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    /// Keep a journal in this file, and resume from it if it exists; given alone, resume the match recorded in it
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    resume: Option<PathBuf>,
    /// Print a line as each game begins and ends, as fastchess does
    #[arg(long, help_heading = "Output")]
    verbose: bool,
    /// Print only the result, no progress
    #[arg(long, help_heading = "Output")]
    quiet: bool,
    #[command(flatten, next_help_heading = "Cluster")]
    cluster: ClusterArgs,
    /// Words after a space where there should be a comma: `--sprt 0 10`
    #[arg(hide = true, value_parser = stray)]
    stray: Option<String>,
}

#[derive(Args)]
struct BookArgs {
    /// Openings: balanced, unbalanced, chess960, endgames, or a file (.epd, .fen, .pgn, or .bin of
    /// Polyglot: its lines from the start position)
    #[arg(long, default_value = "unbalanced", value_hint = ValueHint::FilePath)]
    book: String,
    /// Plies of each game of a PGN or Polyglot book [default: all]
    #[arg(long, value_name = "PLIES")]
    book_plies: Option<usize>,
    /// Order of the openings: random by the seed, or that of the book
    #[arg(long, value_enum, default_value_t = Order::Random)]
    order: Order,
    /// Begin with the Nth opening, counted from 1 after ordering; those before it come last
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    book_start: u64,
    /// Seed of the order [default: that of the journal, or a random one]
    #[arg(long)]
    seed: Option<u64>,
}

/// Why there are no openings.
#[derive(Debug, Error)]
enum OpenError {
    #[error(transparent)]
    Book(#[from] BookError),
    #[error("--book-start {start}: the book {name} has {count} openings")]
    Start { start: u64, name: String, count: usize },
}

impl BookArgs {
    /// Opens the book in the order of the match, as long as `goes_on` says so.
    fn open(&self, seed: u64, goes_on: impl Fn() -> bool) -> Result<Book, OpenError> {
        let mut book = Book::open_while(&self.book, self.book_plies, goes_on)?;
        if self.order == Order::Random {
            book.shuffle(seed);
        }
        let count = book.openings.len();
        let before = usize::try_from(self.book_start - 1).unwrap_or(usize::MAX);
        if before >= count {
            return Err(OpenError::Start { start: self.book_start, name: book.name, count });
        }
        book.openings.rotate_left(before);
        Ok(book)
    }
}

/// Returns the openings of the match of a journal, in their order.
///
/// # Errors
/// The reason why they are not known.
fn openings(Start { identity, command, .. }: &Start, stop: &Stop) -> Result<Book, String> {
    let args = Resumed::args(command);
    let args = args.map_err(|_| "the command line of the journal is not understood")?;
    let book = args.book.open(identity.seed, || !stop.is_finishing());
    let mut book = book.map_err(|error| error.to_string())?;
    if !identity.has_openings_of(&book) {
        // Perhaps no clock ran.
        book.drop_duplicates();
    }
    let known = identity.has_openings_of(&book);
    known.then_some(book).ok_or_else(|| "the book has other openings today".to_owned())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Order {
    Random,
    Sequential,
}

/// A match that ended early.
#[derive(Debug, Error)]
enum Ended {
    #[error("interrupted{}", next(.0))]
    Resumable(PathBuf, #[source] Interrupted),
    #[error("interrupted; a match with --resume FILE can be resumed")]
    Lost(#[source] Interrupted),
    #[error(
        "{}: no command line of `match` in this journal; repeat the whole command",
        .0.display()
    )]
    NoCommand(PathBuf),
}

/// Exit code of a match in which an engine crashed or hung.
const CRASHED: u8 = 3;

/// Tells how to go on.
fn next(journal: &Path) -> String {
    format!("; next: nullarbor-tuner match --resume {}", journal.display())
}

/// Tells which engines crashed or hung; `None` if none did.
fn crashes(plan: &Plan, standings: &Standings) -> Option<String> {
    let engines = plan.engines.iter().zip(&standings.faults);
    let crashed = engines.filter(|(_, faults)| faults.crash + faults.stall > 0);
    let told: Vec<String> = crashed
        .map(|(engine, faults)| {
            let games = faults.crash + faults.stall;
            let plural = if games == 1 { "" } else { "s" };
            format!("{} crashed or hung in {games} game{plural}", engine.name)
        })
        .collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// The arguments of a journal, with those of the command line behind them.
#[derive(Parser)]
#[command(args_override_self = true)]
struct Resumed {
    #[command(flatten)]
    args: MatchArgs,
}

impl Resumed {
    fn args(words: &[String]) -> Result<MatchArgs, clap::Error> {
        let name = "nullarbor-tuner match".to_owned();
        // Journals of earlier versions have the name of the command, too.
        let words = words.iter().skip_while(|word| *word == "match");
        Ok(Self::try_parse_from(std::iter::once(&name).chain(words))?.args)
    }
}

/// Returns the words of a command line with absolute paths: a journal may be resumed from another folder.
fn absolute_paths(words: impl Iterator<Item = String>) -> Vec<String> {
    let command = Resumed::command();
    let option = |word: &str| {
        let name = word.strip_prefix("--")?;
        let mut options = command.get_arguments().filter(|it| it.get_long() == Some(name));
        options.find(|option| option.get_value_hint() != ValueHint::Unknown)
    };
    let mut before = None;
    words
        .map(|word| {
            if let Some(option) = before.take() {
                return with_absolute_path(option, &word);
            }
            before = option(&word);
            match word.split_once('=').map(|(name, value)| (name, option(name), value)) {
                Some((name, Some(option), value)) => {
                    format!("{name}={}", with_absolute_path(option, value))
                }
                _ => word,
            }
        })
        .collect()
}

/// Returns the value of an option with absolute paths. What it names, its declaration tells.
fn with_absolute_path(option: &Arg, value: &str) -> String {
    let path = match option.get_value_hint() {
        ValueHint::CommandString => return engine_spec::with_absolute_paths(value),
        ValueHint::DirPath => {
            let folders = env::split_paths(value).map(|folder| absolute(&folder).unwrap_or(folder));
            env::join_paths(folders).ok()
        }
        // The name of a book need not be a file.
        ValueHint::FilePath if !Path::new(value).is_file() => None,
        ValueHint::FilePath | ValueHint::AnyPath => {
            absolute(value).ok().map(PathBuf::into_os_string)
        }
        _ => None,
    };
    path.and_then(|path| path.into_string().ok()).unwrap_or_else(|| value.to_owned())
}

fn stray(text: &str) -> Result<String, String> {
    Err(format!("unexpected argument `{text}`; bounds are written with a comma: --sprt 0,10"))
}

impl MatchArgs {
    /// Plays the match and prints its results.
    ///
    /// # Errors
    /// If it cannot be played, or not to its end. What was finished is printed, and in the files.
    fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let mut command = absolute_paths(arguments_with_passwords().skip(1));
        let resumed = self.resumed(&mut command)?;
        let command = without_passwords(command);
        let args = resumed.as_ref().unwrap_or(self);
        let plan = args.plan(stop)?;
        let workers = workers(&args.cluster, args.games_at_a_time(&plan))?;
        let session = Session {
            workers: &workers,
            timeout: Duration::from_secs(args.timeout),
            journal: args.resume.as_deref(),
            command: &command,
            summary: args.json.as_deref(),
            log: args.log.as_deref(),
            stop_on_crash: args.stop_on_crash,
            quiet: args.quiet,
            verbose: args.verbose,
            affinity: args.affinity.as_ref(),
            rating_interval: args.ratinginterval.filter(|games| *games > 0),
        };
        let outcome = session.play(&plan, stop)?;
        terminal::print(&results(&plan, &outcome));
        match (outcome.end, &args.resume) {
            (Ok(_), _) => match crashes(&plan, &outcome.standings) {
                None => Ok(()),
                Some(message) => Err(ExitWith { code: CRASHED, message }.into()),
            },
            (Err(error @ RunError::Crash(_)), resume) => {
                let resume = resume.as_ref().map(|path| next(path)).unwrap_or_default();
                Err(ExitWith { code: CRASHED, message: format!("{error}{resume}") }.into())
            }
            (Err(RunError::Interrupted(source)), Some(path)) => {
                Err(Ended::Resumable(path.clone(), source).into())
            }
            (Err(RunError::Interrupted(source)), None) => Err(Ended::Lost(source).into()),
            (Err(error), _) => Err(error.into()),
        }
    }

    fn games_at_a_time(&self, plan: &Plan) -> usize {
        let cores = worker_count(None);
        match self.concurrency {
            // Both sides think at the same time.
            None if plan.engines.iter().any(EngineConfig::ponders) => cores.div_ceil(2),
            asked => worker_count(asked),
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
        let known = journal::start(path)?.map(|start| start.command);
        let known = known.filter(|command| !command.is_empty());
        let mut all = known.ok_or_else(|| Ended::NoCommand(path.clone()))?;
        all.append(command);
        *command = all;
        // The match may have been extended since.
        Ok(Some(Self { games: self.games, ..Resumed::args(command)? }))
    }

    fn engines(&self) -> Result<Vec<EngineSpec>, String> {
        let Some(each) = &self.each else { return Ok(self.engines.clone()) };
        let engines = self.engines.iter().map(|spec| spec.with_each(each));
        engines.collect::<Result<_, _>>().map_err(|error| format!("--each: {error}"))
    }

    fn pgn_output(&self) -> io::Result<Option<PgnOutput>> {
        let path = self.pgn.as_deref().map(absolute).transpose()?;
        let (event, site) = (self.event.clone(), self.site.clone());
        let (style, appends) = (self.style.clone(), self.pgn_append);
        Ok(path.map(|path| PgnOutput { path, event, site, style, appends }))
    }

    fn plan(&self, stop: &Stop) -> Result<Plan, Box<dyn std::error::Error>> {
        const GAMES: u64 = 1000;
        if self.engines.len() < 2 {
            // Before anything that is wrong with the one.
            return Err(PlanError::OneEngine.into());
        }
        let sprt = self.sprt.test().map_err(|error| format!("--sprt: {error}"))?;
        let games = if sprt.is_some() { Plan::GAMES_OF_SPRT } else { GAMES };
        // What is wrong with a journal, opening it will tell.
        let known = self.resume.as_ref().and_then(|path| journal::start(path).ok()?);
        let known = known.as_ref();
        let seed = self.book.seed.or(known.map(|start| start.identity.seed));
        let seed = seed.unwrap_or_else(Book::random_seed);
        let goes_on = || !stop.is_finishing();
        let book = self.book.open(seed, goes_on);
        stop.check()?;
        let book = book?;
        let mut plan = Plan {
            engines: engine_spec::engines(&self.engines()?, self.limit.limit().as_ref())?,
            format: self.format,
            games: self.games.or(known.and_then(Start::games_of_pairing)).unwrap_or(games),
            rules: Rules {
                adjudication: self.adjudication,
                margin: Duration::from_millis(self.timemargin),
                chess960: self.chess960 || book.needs_chess960(),
                tables: self.tables.open()?.map(|tables| tables.with(self.verdicts)),
            },
            book,
            seed,
            sprt,
            pgn: self.pgn_output()?,
        };
        // Earlier versions played duplicates, and a match of theirs goes on with them.
        if !known.is_some_and(|start| start.identity.has_openings_of(&plan.book)) {
            let notice = plan.drop_duplicates().filter(|_| !self.quiet);
            notice.iter().for_each(terminal::message);
        }
        Ok(plan.checked()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nullarbor_games::matches::identity::Identity;

    #[test]
    fn the_paths_of_a_command_line_become_absolute() {
        let here = |name: &str| absolute(name).expect("a folder").display().to_string();
        for (word, expected) in [
            ("--pgn=a", format!("--pgn={}", here("a"))),
            ("--creds=a", format!("--creds={}", here("a"))),
            ("--tlsca=a", format!("--tlsca={}", here("a"))),
            ("--book=endgames", "--book=endgames".to_owned()),
            ("--book=Cargo.toml", format!("--book={}", here("Cargo.toml"))),
            ("--engine=self,EvalFile=a", format!("--engine=self,EvalFile={}", here("a"))),
            ("--each=dir=a,tc=1+0.1", format!("--each=dir={},tc=1+0.1", here("a"))),
            ("--event=a", "--event=a".to_owned()),
        ] {
            let apart = word.split_once('=').map(|(name, value)| [name, value].map(str::to_owned));
            let apart = absolute_paths(apart.expect("a value").into_iter());
            assert_eq!(absolute_paths([word.to_owned()].into_iter()).concat(), expected);
            assert_eq!(apart.join("="), expected);
        }
        let flags = ["--quiet", "--affinity", "--pgn=a"].map(str::to_owned);
        assert_eq!(absolute_paths(flags.into_iter()).last(), Some(&format!("--pgn={}", here("a"))));
    }

    #[test]
    fn options_that_name_files_say_so() {
        for option in Resumed::command().get_arguments() {
            let names = option.get_value_names().unwrap_or_default();
            let is_file = names.iter().any(|name| matches!(name.as_str(), "FILE" | "FOLDERS"));
            assert!(!is_file || option.get_value_hint() != ValueHint::Unknown, "{option}");
        }
    }

    /// Tests run in the folder of the crate.
    #[test]
    fn the_words_of_a_journal_make_its_match() {
        let identity = |words: &[String]| {
            let args = Resumed::args(words).unwrap_or_else(|error| panic!("{error}"));
            Identity::of(&args.plan(&Stop::new()).expect("a match"))
        };
        for line in [
            "--engine self,NullMove=study/rules/nodes.toml+guard=piece --engine self,EvalFile=Cargo.toml --each Hash=1,nodes=9",
            "--engine cmd=src/main.rs,option.EvalFile=Cargo.toml --engine cmd=sh,dir=src,arg=-x,option.EvalFile=main.rs \
             --each option.NullMove=study/rules/nodes.toml --tc 1+0.1 --timemargin 5 --maxmoves 9",
            "--engine cmd=sh,name=a --engine cmd=sh --depth 1 --book ../openings/data/endgames.epd --book-start 3 --pgn x --sprt 0,10",
        ] {
            let words = format!("{line} --seed 1");
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            let kept = absolute_paths(words.iter().cloned());
            assert_eq!(identity(&kept), identity(&words), "{kept:?}");
        }
    }
}
