//! `spsa verify`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::WorkArgs;
use crate::commands::CommandResult;
use nullarbor_games::adjudication::Adjudication;
use nullarbor_games::engine_config::EngineConfig;
use nullarbor_games::game::Rules;
use nullarbor_games::limit::Limit;
use nullarbor_games::matches::report::results;
use nullarbor_games::matches::{Format, Plan, RunError, Session};
use nullarbor_openings::Book;
use nullarbor_report::terminal;
use nullarbor_runs::{Stop, Workers, worker_count};
use nullarbor_spsa::engine::Engine;
use nullarbor_spsa::pair::openings_of_test;
use nullarbor_spsa::record::{OPPONENTS, Snapshot, write_verification};
use nullarbor_stats::Bounds;

/// Test the result of a run against its start, or against the defaults: by an SPRT, or by a fixed number of games. `spsa report`
/// shows it.
///
/// The test uses openings that the run kept back, so the result is not tested on what it was tuned to. The score at the
/// end of an SPRT exaggerates; the estimate printed with it does not. Values tuned at fixed nodes need not be better on
/// a clock, so the test is played on a clock unless --at says otherwise.
#[derive(Args)]
#[command(after_long_help = "Examples:
  nullarbor-tuner spsa verify run --resume verify.journal
  nullarbor-tuner spsa verify run --at nodes=20000 --sprt 0,8
  nullarbor-tuner spsa verify run --defaults --fixed 2000")]
pub struct VerifyArgs {
    /// The folder of the run
    dir: PathBuf,
    /// Limit of the players: tc=TIME+INCREMENT, nodes=N, st=SECONDS, depth=N
    #[arg(long, value_name = "LIMIT", default_value = "tc=1+0.01")]
    at: Limit,
    /// Play against the defaults instead of the start of the run
    #[arg(long)]
    defaults: bool,
    /// Bounds of the test in normalised Elo
    #[arg(long, value_name = "ELO0,ELO1", default_value = "0,10", allow_hyphen_values = true)]
    sprt: Bounds,
    /// Maximum number of games
    #[arg(long, default_value_t = 16_000, value_parser = clap::value_parser!(u64).range(2..))]
    games: u64,
    /// Play exactly this many games, without a test: the score is then an unbiased estimate
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(2..), conflicts_with_all = ["sprt", "games"])]
    fixed: Option<u64>,
    /// Another book instead of the openings that the run kept back
    #[arg(long)]
    book: Option<String>,
    /// Size of the transposition table of each player in MiB; another engine uses the size in its description
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..))]
    hash: u64,
    /// Seed of the order of the openings; the default differs from that of runs
    #[arg(long, default_value_t = 1_000_003)]
    seed: u64,
    /// Keep a journal in this file, and resume from it if it exists
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    #[command(flatten)]
    work: WorkArgs,
}

impl VerifyArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let run = Snapshot::read(&self.dir)?;
        let opponent = OPPONENTS[usize::from(self.defaults)];
        let plan = self.plan(&run, opponent, stop)?;
        let workers = Workers::Threads(worker_count(self.work.concurrency));
        let session = Session::without_files(&workers, self.work.quiet);
        let session = Session { journal: self.resume.as_deref(), ..session };
        let outcome = session.play(&plan, stop)?;
        let results = results::results(&plan, &outcome);
        terminal::print(&results);
        match outcome.end {
            // Without a journal no file keeps the games: what was printed is all there is.
            Err(RunError::Interrupted(interrupted)) => Err(interrupted.into()),
            Err(error) => Err(error.into()),
            Ok(_) => Ok(write_verification(&self.dir, opponent, &run, &results)?),
        }
    }

    fn plan(
        &self,
        run: &Snapshot,
        opponent: &str,
        stop: &Arc<Stop>,
    ) -> Result<Plan, Box<dyn std::error::Error>> {
        let file = &run.record.run;
        let engine = Engine::with_limit(file, &self.at, stop)?;
        let player = |name: &str, values: &[(String, i32)]| EngineConfig {
            name: name.to_owned(),
            program: engine.program(values, self.hash as usize),
            limit: self.at.clone(),
        };
        let mut book = match &self.book {
            Some(name) => Book::open(name, None)?,
            None => openings_of_test(file)?,
        };
        book.shuffle(self.seed);
        let chess960 = book.needs_chess960();
        let mut plan = Plan {
            engines: vec![
                player("tuned", &run.result()),
                player(opponent, &run.baseline(self.defaults)),
            ],
            format: Format::RoundRobin,
            games: self.fixed.unwrap_or(self.games).next_multiple_of(2),
            book,
            seed: self.seed,
            rules: Rules { adjudication: Adjudication::OF_TESTS, chess960, ..Rules::default() },
            sprt: self.fixed.is_none().then(|| self.sprt.normalised_test()).transpose()?,
            pgn: None,
        };
        let notice = plan.drop_duplicates().filter(|_| !self.work.quiet);
        notice.iter().for_each(terminal::message);
        Ok(plan.checked()?)
    }
}
