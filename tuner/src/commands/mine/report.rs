//! `mine report`.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use nullarbor::engine::Engine;
use nullarbor::search::null_move::Trigger;

use super::MineError;
use crate::commands::contest::{self, Contest};
use crate::commands::lab::LabArgs;
use crate::commands::play;
use nullarbor_games::limit::Limit;
use nullarbor_games::scheme::{EngineKind, Scheme};
use nullarbor_games::stats::{Bounds, Model, Sprt};
use nullarbor_games::work::{Stop, crew};
use nullarbor_report::terminal;

/// Hold a learnt rule against the scheme without it: the laboratory, then games until a test decides.
#[derive(Args)]
#[command(after_long_help = "Example:
  nullarbor-tuner mine report mined/rule.toml --out mined/report")]
pub struct ReportArgs {
    /// The scheme with the rule, as `mine induce` writes it
    rule: PathBuf,
    /// The scheme without it
    #[arg(long, default_value = "nullarbor")]
    against: String,
    /// Positions for the laboratory [default: all that are built in]
    #[arg(long = "suite", value_name = "SUITE")]
    suites: Vec<String>,
    /// The depths for the laboratory
    #[arg(long, value_delimiter = ',', default_value = "8,10", value_parser = clap::value_parser!(u64).range(1..=30))]
    depths: Vec<u64>,
    /// Nodes for each move of the games
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Bounds of the test in normalised Elo: by default, whether the rule is no loss
    #[arg(long, value_name = "ELO0,ELO1", default_value = "-10,0", allow_hyphen_values = true)]
    sprt: Bounds,
    /// Games at most
    #[arg(long, default_value_t = 16_000, value_parser = clap::value_parser!(u64).range(2..))]
    games: u64,
    /// Decides the openings of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Searches or games at the same time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,
    /// A folder for the tables, the page, and sprt.txt
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Show nothing but results
    #[arg(long)]
    quiet: bool,
}

impl ReportArgs {
    /// Makes the tables, plays the games, and says what they prove.
    ///
    /// # Errors
    /// Where something that was asked for cannot be had.
    pub fn run(&self, stop: &Arc<Stop>) -> Result<(), MineError> {
        let rule = self.rule.display().to_string();
        let schemes = [Scheme::read(&rule)?, Scheme::read(&self.against)?];
        if !matches!(schemes[0].policy.trigger, Trigger::Rule(_)) {
            return Err(MineError::NoRule(self.rule.clone()));
        }
        let Bounds(elo0, elo1) = self.sprt;
        let sprt = Sprt::new(elo0, elo1, 0.05, 0.05, Model::Normalized)?;
        self.laboratory(&rule).run(stop)?;
        let contest = Contest {
            players: contest::players(&schemes, EngineKind::Full, Engine::DEFAULT_HASH),
            limit: Limit::Nodes { hard: Some(self.nodes), soft: None },
            games: self.games,
            seed: self.seed,
            sprt: Some(sprt),
            workers: crew::workers(self.concurrency),
            quiet: self.quiet,
        };
        let (plan, outcome) = contest.play(stop)?;
        let text = play::results(&plan, &outcome);
        terminal::print(&text);
        let path = self.out.join("sprt.txt");
        fs::write(&path, text).map_err(|source| MineError::File { path, source })
    }

    fn laboratory(&self, rule: &str) -> LabArgs {
        LabArgs {
            suites: self.suites.clone(),
            depths: self.depths.clone(),
            seconds: Vec::new(),
            policies: vec![self.against.clone(), rule.to_owned()],
            engine: EngineKind::Full,
            reference: None,
            hash: Engine::DEFAULT_HASH as u64,
            games: None,
            games_at: Vec::new(),
            seed: self.seed,
            concurrency: self.concurrency,
            out: self.out.clone(),
            quiet: self.quiet,
        }
    }
}
