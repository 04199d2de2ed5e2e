//! `spsa verify`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::WorkArgs;
use crate::commands::CommandResult;
use nullarbor_games::in_process::EngineOptions;
use nullarbor_games::limit::Limit;
use nullarbor_games::matches::RoundRobin;
use nullarbor_games::stats::Bounds;
use nullarbor_games::work::{Stop, Workers, worker_count};
use nullarbor_spsa::record::{OPPONENTS, Snapshot, write_verification};

/// Test the result of a run: an SPRT against its start, or against the defaults. `spsa report` shows it.
///
/// Values tuned at fixed nodes need not be better on a clock, so the test is played on a clock unless --at says otherwise.
#[derive(Args)]
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
    /// Greatest number of games
    #[arg(long, default_value_t = 16_000, value_parser = clap::value_parser!(u64).range(2..))]
    games: u64,
    /// Size of the transposition table of each player in MiB
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..))]
    hash: u64,
    /// Seed of the order of the openings; by default not that of runs
    #[arg(long, default_value_t = 1_000_003)]
    seed: u64,
    #[command(flatten)]
    work: WorkArgs,
}

impl VerifyArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> CommandResult {
        let run = Snapshot::read(&self.dir)?;
        let opponent = OPPONENTS[usize::from(self.defaults)];
        let hash = self.hash as usize;
        let options = |params| EngineOptions { hash, params, ..EngineOptions::default() };
        let round_robin = RoundRobin {
            players: vec![
                ("tuned".to_owned(), options(run.result())),
                (opponent.to_owned(), options(run.baseline(self.defaults))),
            ],
            limit: self.at.clone(),
            games: self.games,
            seed: self.seed,
            sprt: Some(self.sprt.normalised_test()?),
            workers: Workers::Threads(worker_count(self.work.concurrency)),
            quiet: self.work.quiet,
        };
        let results = round_robin.play_and_print(stop)?;
        Ok(write_verification(&self.dir, opponent, &results)?)
    }
}
