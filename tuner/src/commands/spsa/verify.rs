//! `spsa verify`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use nullarbor::params::Spec;

use super::{Progress, SpsaError, write};
use crate::commands::contest::{self, Contest};
use crate::commands::play;
use nullarbor_games::in_process::Setting;
use nullarbor_games::limit::Limit;
use nullarbor_games::stats::{Bounds, Model, Sprt};
use nullarbor_games::work::{Stop, crew};
use nullarbor_report::terminal;
use nullarbor_spsa::theta::Axis;

/// Prove a run: an SPRT of the values that it found against those that it began with, or against the defaults.
///
/// Values that were tuned at fixed nodes need not be better on a clock: so the test is played on one unless you say otherwise.
#[derive(Args)]
pub struct VerifyArgs {
    /// The folder of the run
    dir: PathBuf,
    /// How long the players think: tc=TIME+INCREMENT, nodes=N, st=SECONDS, depth=N
    #[arg(long, value_name = "LIMIT", default_value = "tc=1+0.01", value_parser = contest::limit)]
    at: Limit,
    /// Play against the defaults, and not against the values at the start
    #[arg(long)]
    defaults: bool,
    /// Bounds of the test in normalised Elo
    #[arg(long, value_name = "ELO0,ELO1", default_value = "0,10", allow_hyphen_values = true)]
    sprt: Bounds,
    /// Games at most
    #[arg(long, default_value_t = 16_000, value_parser = clap::value_parser!(u64).range(2..))]
    games: u64,
    /// Size of the table of each player in MiB
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..))]
    hash: u64,
    /// Decides the openings; not those of the run
    #[arg(long, default_value_t = 1_000_003)]
    seed: u64,
    /// Games at the same time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
    /// Show nothing but the result
    #[arg(long)]
    quiet: bool,
}

impl VerifyArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> Result<(), SpsaError> {
        let progress = Progress::read(&self.dir)?;
        let Bounds(elo0, elo1) = self.sprt;
        let sprt = Sprt::new(elo0, elo1, 0.05, 0.05, Model::Normalized)?;
        let start = |axis: &Axis| {
            let default = Spec::find(&axis.name).map_or(axis.start, |spec| f64::from(spec.default));
            let value = if self.defaults { default } else { axis.start };
            (axis.name.clone(), value.round() as i32)
        };
        let start = progress.walk.axes().iter().map(start).collect();
        let setting = |params| Setting { hash: self.hash as usize, params, ..Setting::default() };
        let name = if self.defaults { "defaults" } else { "start" };
        let contest = Contest {
            players: vec![
                ("tuned".to_owned(), setting(progress.result())),
                (name.to_owned(), setting(start)),
            ],
            limit: self.at.clone(),
            games: self.games,
            seed: self.seed,
            sprt: Some(sprt),
            workers: crew::workers(self.concurrency),
            quiet: self.quiet,
        };
        let (plan, outcome) = contest.play(stop)?;
        let text = play::results(&plan, &outcome);
        terminal::print(&text);
        write(&self.dir.join(format!("verify-{name}.txt")), &text)
    }
}
