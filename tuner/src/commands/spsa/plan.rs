//! `spsa plan`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::SpsaError;
use crate::arena::Stop;
use crate::lab::tables::{Table, grouped};
use crate::report::output;
use crate::spsa::run_file::RunFile;
use crate::spsa::simulate::{Surface, simulate};

/// Make a run many times on made-up surfaces, where the best values are known, and say how much of a loss it would make good.
///
/// On each surface the start loses the same in Elo, the same in each parameter, and lies a tenth to three tenths of the range
/// away from the best value, by chance.
#[derive(Args)]
pub struct PlanArgs {
    /// The run
    file: PathBuf,
    /// Simulate the whole method
    #[arg(long, required = true)]
    simulate: bool,
    /// Elo that the start loses
    #[arg(long, default_value_t = 30.0, value_parser = positive)]
    elo: f64,
    /// The share of games that are drawn between equals
    #[arg(long, default_value_t = 0.45, value_parser = share)]
    draws: f64,
    /// Surfaces
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: u64,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| format!("`{text}` is no number above 0"))
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share: &f64| (0.0..1.0).contains(share));
    share.ok_or_else(|| format!("`{text}` is no share from 0 to 1"))
}

impl PlanArgs {
    pub fn run(&self, stop: &Arc<Stop>) -> Result<(), SpsaError> {
        let run = RunFile::read(&self.file)?;
        let axes = run.axes()?;
        let mut recovered = Vec::new();
        for seed in 0..self.seeds {
            if stop.is_finishing() {
                return Err(SpsaError::Stopped);
            }
            let surface = Surface::around(&axes, self.elo, self.draws, seed);
            recovered.push(100.0 * simulate(&run, &surface, seed)?.recovered());
        }
        recovered.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let index = (share * (recovered.len() - 1) as f64).round() as usize;
            format!("{:.0}", recovered[index])
        };
        let games = run.iterations * run.pairs_per_iteration * 2;
        let head = ["", "worst", "a tenth below", "median", "a tenth above", "best"];
        let row = ["recovered %".to_owned(), at(0.0), at(0.1), at(0.5), at(0.9), at(1.0)];
        output::table(&Table {
            title: format!(
                "{} parameters, {} games, {} Elo to gain, {} surfaces",
                axes.len(),
                grouped(games),
                self.elo,
                self.seeds
            ),
            head: head.map(str::to_owned).to_vec(),
            rows: vec![row.to_vec()],
        });
        Ok(())
    }
}
